//! The corpus: drafts that reached something new, in memory and as files that another campaign can begin with.

use std::{
    fs, io,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use elenchus_protocol::Version;
use elenchus_suites::script::{Target, parse};

use super::draft::Draft;
use crate::{
    instance::instances,
    seed::{Mix, Random},
};

/// The most drafts that are kept in memory. The oldest go first: what they reached, newer ones most likely reach too.
const MOST: usize = 4_096;
/// The longest file that is read, in bytes.
const LONGEST: u64 = 256 * 1024;

/// The drafts that are worth mutating.
#[derive(Debug, Default)]
pub(crate) struct Corpus {
    drafts: Vec<Draft>,
}

impl Corpus {
    pub(super) fn len(&self) -> usize {
        self.drafts.len()
    }

    pub(super) fn add(&mut self, draft: Draft) {
        if self.drafts.len() >= MOST {
            self.drafts.remove(0);
        }
        self.drafts.push(draft);
    }

    /// One of them that is of this version, if one is soon found; of the newest quarter more often, as they stand where
    /// something new begins.
    pub(super) fn pick(&self, version: Version, random: &mut Random) -> Option<&Draft> {
        const TRIES: usize = 16;
        let all = self.drafts.len();
        (0..TRIES).find_map(|_| {
            let newest = if random.percent(50) { all / 4 } else { all };
            let draft = random.pick(&self.drafts[all - newest..])?;
            (draft.version == version).then_some(draft)
        })
    }
}

/// The name of a draft's file: the same for the same text.
fn name(text: &str) -> String {
    let mut mix = Mix::new(0);
    mix.add(text.as_bytes());
    format!("{:016x}.script", mix.value())
}

/// Writes a draft into a folder.
pub(super) fn save(folder: &Path, draft: &Draft) -> io::Result<()> {
    let text = draft.text("An input that reached something new.", None);
    let path = folder.join(name(&text));
    if path.exists() {
        return Ok(());
    }
    write(&path, &text)
}

/// Writes a file, whole or not at all: whoever is killed in the middle leaves no half of a script under this name, and
/// whoever writes the same at the same time is not in the way.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    let unfinished = path.with_extension(format!("{process}.{number}.unfinished"));
    fs::write(&unfinished, text)?;
    fs::rename(&unfinished, path)
}

/// The drafts of a folder for this kind of target and these versions, in the order of their names. What is no script, or
/// for something else, is passed over.
pub(super) fn load(folder: &Path, target: Target, versions: &[Version]) -> io::Result<Vec<Draft>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let small = entry
            .metadata()
            .is_ok_and(|about| about.is_file() && about.len() <= LONGEST);
        if small && path.extension().is_some_and(|ending| ending == "script") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut drafts = Vec::new();
    for path in paths {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let Ok(script) = parse("corpus", &text) else {
            continue;
        };
        if script.target != target {
            continue;
        }
        for &version in versions {
            if script.versions.contains(&version.number()) {
                let first = instances(&script, version, 0, false).into_iter().next();
                drafts.extend(first.map(|instance| Draft::of(&instance)));
            }
        }
    }
    Ok(drafts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::Gap;

    fn draft(body: &[&str]) -> Draft {
        Draft {
            target: Target::Agent,
            version: Version::AcpV1,
            head: Vec::new(),
            body: body.iter().map(|&line| line.to_owned()).collect(),
            gap: Gap::BackToBack,
        }
    }

    #[test]
    fn what_is_saved_is_loaded_and_what_is_not_ours_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let drafts = [draft(&["open", "settle"]), draft(&["open", "prompt hello"])];
        for draft in &drafts {
            save(folder.path(), draft).unwrap();
            save(folder.path(), draft).unwrap();
        }
        fs::write(folder.path().join("x.script"), "nonsense").unwrap();
        fs::write(folder.path().join("y.unfinished"), "open").unwrap();
        fs::create_dir(folder.path().join("z.script")).unwrap();
        let versions = Version::ALL;
        let mut loaded = load(folder.path(), Target::Agent, &versions).unwrap();
        loaded.sort_by(|a, b| b.body.cmp(&a.body));
        assert_eq!(loaded, drafts);
        assert_eq!(load(folder.path(), Target::Client, &versions).unwrap(), []);
        assert_eq!(
            load(folder.path(), Target::Agent, &[Version::AcpV2]).unwrap(),
            []
        );
    }

    #[test]
    fn whoever_writes_the_same_at_the_same_time_is_not_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.script");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| write(&path, "open").unwrap()));
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "open");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_corpus_has_an_end_and_loses_the_oldest() {
        let mut corpus = Corpus::default();
        for number in 0..MOST + 3 {
            corpus.add(draft(&["open", &format!("prompt {number}")]));
        }
        assert_eq!(corpus.len(), MOST);
        assert_eq!(corpus.drafts[0].body[1], "prompt 3");
    }
}
