//! The scratch folder of an instance: home, working folder and temporary files of all its processes.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

use tempfile::TempDir;

use super::janitor::Bin;
use crate::plant;

/// A folder that vanishes with the instance. A program that is ended by SIGKILL leaves it behind.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    root: Option<TempDir>,
    bin: Option<Bin>,
}

impl Scratch {
    pub(crate) fn new(bin: Option<Bin>) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("elenchus-").tempdir()?;
        // Where the temporary folder is a link, the target would see two names of one place.
        let path = root.path().canonicalize()?;
        for folder in ["tmp", "work", "elsewhere", "elsewhere/inner"] {
            fs::create_dir(path.join(folder))?;
        }
        fs::write(path.join(".gitconfig"), plant::gitconfig())?;
        Ok(Self {
            path,
            root: Some(root),
            bin,
        })
    }

    /// What only one target, of all that were ever started, has in its environment, and what is below it. The folder
    /// alone does not tell the connections of an instance apart.
    pub(crate) fn mark(&self) -> OsString {
        static TARGETS: AtomicU64 = AtomicU64::new(0);
        let number = TARGETS.fetch_add(1, Ordering::Relaxed);
        let mut mark = self.path.clone().into_os_string();
        mark.push(format!("#{number};"));
        mark
    }

    /// The folder to start in where none is given.
    pub(crate) fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// A folder in which no process is started, with a folder `inner`.
    pub(crate) fn elsewhere(&self) -> PathBuf {
        self.path.join("elsewhere")
    }

    /// The whole environment of a target, without what the operator sets: what it needs to run, and nothing that
    /// could make one machine's run differ from another's or lead to the operator's own files.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let kept = std::env::vars_os().filter(|(name, _)| {
            let name = name.as_encoded_bytes();
            matches!(name, b"PATH" | b"LANG") || name.starts_with(b"LC_")
        });
        // The home is the whole: a folder less to make and to remove for each of hundreds of instances.
        let home = &self.path;
        let folders = [
            ("HOME", home.clone()),
            ("TMPDIR", self.path.join("tmp")),
            ("XDG_CONFIG_HOME", home.join(".config")),
            ("XDG_CACHE_HOME", home.join(".cache")),
            ("XDG_DATA_HOME", home.join(".local/share")),
            ("XDG_STATE_HOME", home.join(".local/state")),
            ("XDG_RUNTIME_DIR", self.path.join("tmp")),
        ];
        let words = [("TERM", "dumb"), ("CI", "1"), ("NO_COLOR", "1")];
        let planted = plant::ENVIRONMENT.map(|(name, value)| (name.into(), value.into()));
        kept.chain(planted)
            .chain(folders.map(|(name, path)| (name.into(), path.into_os_string())))
            .chain(words.map(|(name, value)| (name.into(), OsStr::new(value).to_owned())))
            .collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let (Some(root), Some(bin)) = (self.root.take(), &self.bin) {
            bin.take(root);
        }
    }
}
