//! The corpus: drafts that reached something new, in memory and as files that another campaign can begin with.

use std::{
    fs, io,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

use elenchus_protocol::Version;
use elenchus_suites::script::{Target, parse};

use super::{draft::Draft, novelty::Novelty};
use crate::{
    instance::instances,
    seed::{Mix, Random},
};

/// The most drafts of either kind that are kept in memory. The oldest go first: what they reached, newer ones most likely
/// reach too.
const MOST: usize = 4_096;
/// The longest file that is read, in bytes.
const LONGEST: u64 = 256 * 1024;
/// In so many of a hundred cases one is picked that only did things in a new order.
const ORDERS: u64 = 40;

/// The drafts that are worth mutating.
#[derive(Debug, Default)]
pub(crate) struct Corpus {
    /// Those that reached a new state.
    states: Vec<Entry>,
    /// Those that only did things in a new order. They are many, and must not drown the others.
    orders: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    draft: Draft,
    /// How often it was picked.
    picked: u32,
}

impl Corpus {
    pub(super) fn len(&self) -> usize {
        self.states.len() + self.orders.len()
    }

    pub(super) fn add(&mut self, draft: Draft, novelty: Novelty) {
        let entries = match novelty {
            Novelty::Nothing => return,
            Novelty::Order => &mut self.orders,
            Novelty::State => &mut self.states,
        };
        if entries.len() >= MOST {
            entries.remove(0);
        }
        entries.push(Entry { draft, picked: 0 });
    }

    /// One of them that is of this version, if one is soon found.
    pub(super) fn pick(&mut self, version: Version, random: &mut Random) -> Option<&Draft> {
        let entries = if random.percent(ORDERS) && !self.orders.is_empty() {
            &mut self.orders
        } else {
            &mut self.states
        };
        let place = place(entries, version, random)?;
        let entry = &mut entries[place];
        entry.picked += 1;
        Some(&entry.draft)
    }
}

/// The place of one that is of this version, if one is soon found; of the newest quarter more often, as they stand where
/// something new begins, and of two the one that was picked less often.
fn place(entries: &[Entry], version: Version, random: &mut Random) -> Option<usize> {
    const TRIES: usize = 16;
    let all = entries.len();
    let mut one = || {
        (0..TRIES).find_map(|_| {
            let newest = if random.percent(50) { all / 4 } else { all };
            let place = all - newest + random.below(newest);
            let entry = entries.get(place)?;
            (entry.draft.version == version).then_some((entry.picked, place))
        })
    };
    let (_, place) = one().into_iter().chain(one()).min()?;
    Some(place)
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
            let body = ["open", &format!("prompt {number}")];
            corpus.add(draft(&body), Novelty::State);
        }
        corpus.add(draft(&["open"]), Novelty::Nothing);
        assert_eq!(corpus.len(), MOST);
        assert_eq!(corpus.states[0].draft.body[1], "prompt 3");
    }

    #[test]
    fn orders_do_not_drown_states() {
        let mut corpus = Corpus::default();
        corpus.add(draft(&["open", "settle"]), Novelty::State);
        for number in 0..100 {
            let body = ["open", &format!("prompt {number}")];
            corpus.add(draft(&body), Novelty::Order);
        }
        let mut random = Random::new(1);
        let mut states = 0;
        for _ in 0..1000 {
            let picked = corpus.pick(Version::AcpV1, &mut random).unwrap();
            states += usize::from(picked.body[1] == "settle");
        }
        assert!((500..700).contains(&states), "{states}");
        assert!(corpus.pick(Version::AcpV2, &mut random).is_none());
        let picked = corpus.orders.iter().map(|entry| entry.picked);
        assert!(picked.max() < Some(15));
    }
}
