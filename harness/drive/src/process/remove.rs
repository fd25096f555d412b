//! Removing what a target has written, whatever it is: with two descriptors, no recursion, and a limit in time.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

/// How long one folder is worked on. Each that was not done in time halves it for those after it, so that a target that
/// fills all its folders does not hold up the end of the run.
const LONGEST: Duration = Duration::from_secs(60);
/// How often it is halved.
const HALVES: u32 = 10;

static LATE: AtomicU32 = AtomicU32::new(0);

/// How many folders that stay are told by name.
const MAX_NAMED: usize = 8;

/// What could not be removed, and how much more of that there is.
static LEFT: Mutex<(Vec<PathBuf>, usize)> = Mutex::new((Vec::new(), 0));

/// The scratch folders that could not be removed, some of them by name, and how many more there are. Told once.
pub fn left_behind() -> (Vec<PathBuf>, usize) {
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut *left)
}

/// Removes a folder with all that is in it. What stays is told by [`left_behind`].
pub(super) fn remove(folder: &Path) {
    let removed = clear(folder, &|_| false).and_then(|()| fs::remove_dir(folder));
    if removed.is_err() && folder.symlink_metadata().is_ok() {
        let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        if left.0.len() < MAX_NAMED {
            left.0.push(folder.to_owned());
        } else {
            left.1 += 1;
        }
    }
}

/// Removes all that is in a folder but what is to be kept.
pub(super) fn clear(folder: &Path, kept: &dyn Fn(&OsStr) -> bool) -> io::Result<()> {
    let halves = LATE.load(Ordering::Relaxed).min(HALVES);
    let emptied = empty(folder, kept, Instant::now() + LONGEST / (1 << halves));
    if matches!(&emptied, Err(error) if error.kind() == io::ErrorKind::TimedOut) {
        LATE.fetch_add(1, Ordering::Relaxed);
    }
    emptied
}

/// Folders within folders are moved up into this one before they are emptied: however deep they lie, paths stay short.
fn empty(folder: &Path, kept: &dyn Fn(&OsStr) -> bool, until: Instant) -> io::Result<()> {
    unlock(folder);
    let mut number = 0_u64;
    loop {
        let before = number;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if kept(&entry.file_name()) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                hollow(&path, folder, &mut number, until)?;
                fs::remove_dir(&path)?;
            } else {
                fs::remove_file(path)?;
            }
            in_time(until)?;
        }
        if number == before {
            return Ok(());
        }
    }
}

/// Removes the files of a folder, and moves its folders up.
fn hollow(folder: &Path, up: &Path, number: &mut u64, until: Instant) -> io::Result<()> {
    unlock(folder);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if !entry.file_type()?.is_dir() {
            fs::remove_file(path)?;
        } else if fs::remove_dir(&path).is_err() {
            // Only who may write into it may move it.
            unlock(&path);
            *number += 1;
            let mut to = up.join(format!(".moved-{number}"));
            while to.symlink_metadata().is_ok() {
                *number += 1;
                to = up.join(format!(".moved-{number}"));
            }
            fs::rename(path, to)?;
        }
        in_time(until)?;
    }
    Ok(())
}

/// Lets the owner do everything in a folder; a link is not followed. What cannot be unlocked cannot be removed, and
/// that is told by who removes it.
fn unlock(folder: &Path) {
    const MODE: u32 = 0o700;
    if let Ok(found) = folder.symlink_metadata()
        && found.is_dir()
        && found.permissions().mode() & MODE != MODE
    {
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(MODE));
    }
}

fn in_time(until: Instant) -> io::Result<()> {
    if Instant::now() < until {
        Ok(())
    } else {
        Err(io::ErrorKind::TimedOut.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of folders that no single path could name, and too few descriptors could hold open.
    fn deep(folder: &Path, depth: usize) {
        let chain = folder.join("d");
        fs::create_dir(&chain).unwrap();
        for _ in 1..depth {
            let outer = folder.join("outer");
            fs::create_dir(&outer).unwrap();
            fs::rename(&chain, outer.join("d")).unwrap();
            fs::rename(&outer, &chain).unwrap();
        }
    }

    #[test]
    fn folders_of_any_depth_are_removed() {
        let root = tempfile::tempdir().unwrap().keep();
        deep(&root, 2_500);
        fs::create_dir_all(root.join("a/b/c")).unwrap();
        fs::write(root.join("a/b/c/file"), "").unwrap();
        for locked in ["a/b/c", "a/b", "a"] {
            let mode = fs::Permissions::from_mode(0o500);
            fs::set_permissions(root.join(locked), mode).unwrap();
        }
        empty(&root, &|_| false, Instant::now() + 10 * LONGEST).unwrap();
        fs::remove_dir(&root).unwrap();
    }

    #[test]
    fn a_folder_takes_so_long_and_no_longer() {
        let root = tempfile::tempdir().unwrap();
        deep(root.path(), 3);
        let error = empty(root.path(), &|_| false, Instant::now()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_link_is_removed_and_not_what_it_leads_to() {
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("mine"), "").unwrap();
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("a")).unwrap();
        for link in ["l", "a/l"] {
            std::os::unix::fs::symlink(other.path(), root.path().join(link)).unwrap();
        }
        clear(root.path(), &|_| false).unwrap();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
        assert!(other.path().join("mine").exists());
    }
}
