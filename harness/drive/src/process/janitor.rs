//! Removes scratch folders in the background: a disk takes longer for that than a target for a whole script. Those that
//! were left as they had been made are kept for the next instance.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Sender, channel},
    },
    thread::{self, JoinHandle},
};

use tempfile::TempDir;

/// Where folders are handed in. Clones lead to the same janitor.
#[derive(Debug, Clone)]
pub(crate) struct Bin {
    used: Sender<TempDir>,
    unused: Arc<Mutex<Vec<TempDir>>>,
}

impl Bin {
    /// Has the folder removed.
    pub(super) fn take(&self, folder: TempDir) {
        // Without a janitor the folder comes back in the error, and is removed right here.
        let _ = self.used.send(folder);
    }

    /// Keeps a folder that is as good as new.
    pub(super) fn keep(&self, folder: TempDir) {
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        unused.push(folder);
    }

    /// A folder that is as good as new, if there is one.
    pub(super) fn unused(&self) -> Option<TempDir> {
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        unused.pop()
    }
}

/// Works until it is dropped and everything handed in is gone.
#[derive(Debug)]
pub(crate) struct Janitor {
    bin: Option<Bin>,
    thread: Option<JoinHandle<()>>,
}

impl Janitor {
    pub(crate) fn new() -> Self {
        let (sender, folders) = channel();
        let thread = thread::spawn(move || folders.into_iter().for_each(drop));
        Self {
            bin: Some(Bin {
                used: sender,
                unused: Arc::default(),
            }),
            thread: Some(thread),
        }
    }

    pub(crate) fn bin(&self) -> Option<Bin> {
        self.bin.clone()
    }
}

impl Drop for Janitor {
    fn drop(&mut self) {
        self.bin = None;
        if let Some(thread) = self.thread.take() {
            // It panics only if we do.
            let _ = thread.join();
        }
    }
}
