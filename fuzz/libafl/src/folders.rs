//! The folders of a campaign.
//!
//! ```text
//! OUT/corpus, OUT/findings                      of all clients together, as `elenchus fuzz` has them
//! OUT/client-N/corpus, OUT/client-N/findings    of one client while it works
//! ```
//!
//! Two clients may find one thing, whose files have one name: each writes into folders of its own, which are gathered once
//! nobody writes there any more.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::engine::{LONGEST, Script};

/// Below the folder of the campaign, or of a client.
const CORPUS: &str = "corpus";
/// Below the folder of the campaign, or of a client.
const FINDINGS: &str = "findings";
/// How the names of the clients' folders begin.
const CLIENT: &str = "client-";

/// A folder with a corpus and findings.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) corpus: PathBuf,
    pub(crate) findings: PathBuf,
}

impl Folder {
    /// That of the whole campaign.
    pub(crate) fn create(out: &Path) -> io::Result<Self> {
        let folder = Self {
            corpus: out.join(CORPUS),
            findings: out.join(FINDINGS),
        };
        fs::create_dir_all(&folder.corpus)?;
        fs::create_dir_all(&folder.findings)?;
        Ok(folder)
    }

    /// That of a client.
    pub(crate) fn of_client(out: &Path, number: usize) -> io::Result<Self> {
        Self::create(&out.join(format!("{CLIENT}{number}")))
    }

    /// A client's share of what lies there, findings first.
    pub(crate) fn share(&self, number: usize, of: usize) -> io::Result<Vec<Script>> {
        let mut paths = scripts(&self.findings)?;
        paths.extend(scripts(&self.corpus)?);
        let longest = u64::try_from(LONGEST).unwrap_or(u64::MAX);
        let share = paths.iter().enumerate();
        let share = share.filter(|(place, _)| place % of == number % of);
        let texts = share.filter_map(|(_, path)| {
            let small = fs::metadata(path).is_ok_and(|about| about.len() <= longest);
            small.then(|| fs::read_to_string(path).ok()).flatten()
        });
        Ok(texts.map(Script).collect())
    }
}

/// Moves what clients have left to the folders of the campaign. What is there already stays, with the trace that shows it.
pub(crate) fn gather(out: &Path) -> io::Result<()> {
    let whole = Folder::create(out)?;
    for entry in fs::read_dir(out)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(CLIENT));
        let of_client = number.is_some_and(|number| number.parse::<usize>().is_ok());
        if !of_client || !entry.file_type()?.is_dir() {
            continue;
        }
        let client = Folder::create(&entry.path())?;
        for (from, to) in [
            (&client.corpus, &whole.corpus),
            (&client.findings, &whole.findings),
        ] {
            for script in scripts(from)? {
                let Some(name) = script.file_name() else {
                    continue;
                };
                let there = to.join(name);
                if there.exists() {
                    continue;
                }
                let trace = script.with_extension("jsonl");
                if trace.exists() {
                    fs::rename(&trace, there.with_extension("jsonl"))?;
                }
                fs::rename(&script, &there)?;
            }
        }
        fs::remove_dir_all(entry.path())?;
    }
    Ok(())
}

/// The scripts in a folder, in the order of their names.
pub(crate) fn scripts(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let script = path.extension().is_some_and(|ending| ending == "script");
        if script && entry.file_type()?.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use super::{Folder, gather, scripts};

    #[test]
    fn what_clients_leave_is_gathered_once_with_its_traces() {
        let out = env::temp_dir().join(format!("elenchus-libafl-folders-{}", process::id()));
        let clients = [1, 2].map(|number| Folder::of_client(&out, number).unwrap());
        for (client, text) in clients.iter().zip(["one", "two"]) {
            fs::write(client.findings.join("same.script"), text).unwrap();
            fs::write(client.findings.join("same.jsonl"), text).unwrap();
            fs::write(client.corpus.join(format!("{text}.script")), text).unwrap();
            fs::write(client.corpus.join("half.unfinished"), text).unwrap();
        }
        gather(&out).unwrap();
        let whole = Folder::create(&out).unwrap();
        assert_eq!(scripts(&whole.findings).unwrap().len(), 1);
        let read = |name| fs::read_to_string(whole.findings.join(name)).unwrap();
        assert_eq!(read("same.script"), read("same.jsonl"));
        let shares = [0, 1].map(|number| whole.share(number, 2).unwrap().len());
        assert_eq!(shares.iter().sum::<usize>(), 3);
        assert!(!whole.corpus.join("half.unfinished").exists());
        let left = fs::read_dir(&out).unwrap().count();
        assert_eq!(left, 2);
        fs::remove_dir_all(&out).unwrap();
    }
}
