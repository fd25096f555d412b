//! Empties scratch folders in the background for the next instances: a disk takes longer for that than a target for a
//! whole script.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Sender, channel},
    },
    thread::{self, JoinHandle},
};

use super::scratch::{self, Root};

/// Where folders are handed in. Clones lead to the same janitor.
#[derive(Debug, Clone)]
pub(crate) struct Bin {
    used: Sender<Root>,
    unused: Shelf,
}

/// Folders that are as good as new.
type Shelf = Arc<Mutex<Vec<Root>>>;

impl Bin {
    /// Has the folder emptied, or removed where that fails.
    pub(super) fn take(&self, folder: Root) {
        // Without a janitor the folder comes back in the error, and is removed right here.
        let _ = self.used.send(folder);
    }

    /// A folder that is as good as new, if there is one.
    pub(super) fn unused(&self) -> Option<Root> {
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        unused.pop()
    }
}

/// Works until it is dropped; then all folders are gone.
#[derive(Debug)]
pub(crate) struct Janitor {
    bin: Option<Bin>,
    thread: Option<JoinHandle<()>>,
}

impl Janitor {
    pub(crate) fn new() -> Self {
        let (sender, folders) = channel::<Root>();
        let unused = Shelf::default();
        let shelf = Arc::clone(&unused);
        let thread = thread::spawn(move || {
            for folder in folders {
                // One that cannot be tidied is removed with the value.
                if scratch::tidy(folder.path()) {
                    let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
                    shelf.push(folder);
                }
            }
        });
        Self {
            bin: Some(Bin {
                used: sender,
                unused,
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
