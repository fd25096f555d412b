//! The scratch folder of an instance: home, working folder and temporary files of all its processes.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    janitor::Bin,
    remove::{clear, remove},
};
use crate::plant;

/// The folders of a new scratch folder.
const FOLDERS: [&str; 2] = ["tmp", "work"];
const GITCONFIG: &str = ".gitconfig";
/// The permissions of all of them: what a target keeps there is no business of other users of the machine.
const MODE: u32 = 0o700;

/// A folder that vanishes with the instance. A program that is ended by SIGKILL leaves it behind.
///
/// Most targets write little. Making and removing folders costs more than a short conversation, so those of an instance
/// are emptied for the next one.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    root: Option<Root>,
    bin: Option<Bin>,
}

impl Scratch {
    pub(crate) fn new(bin: Option<Bin>) -> io::Result<Self> {
        let root = match bin.as_ref().and_then(Bin::unused) {
            Some(root) => root,
            None => fresh()?,
        };
        // Where the temporary folder is a link, the target would see two names of one place.
        let path = root.path().canonicalize()?;
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

    /// A folder in which no process is started, with a folder `inner`. Made when it is first asked for.
    pub(crate) fn elsewhere(&self) -> io::Result<PathBuf> {
        let folder = self.path.join("elsewhere");
        fs::create_dir_all(folder.join("inner"))?;
        Ok(folder)
    }

    /// A folder for what only the client of this connection needs.
    pub(crate) fn client(&self, number: u32) -> PathBuf {
        self.path.join(format!("client{number}"))
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

/// The place of a scratch folder, which goes with this value.
#[derive(Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

fn fresh() -> io::Result<Root> {
    let root = tempfile::Builder::new()
        .prefix("elenchus-")
        .permissions(fs::Permissions::from_mode(MODE))
        .tempdir()?;
    let root = Root(root.keep());
    for folder in FOLDERS {
        let mut builder = fs::DirBuilder::new();
        builder.mode(MODE).create(root.path().join(folder))?;
    }
    fs::write(root.path().join(GITCONFIG), plant::gitconfig())?;
    Ok(root)
}

/// Empties a folder, so that it is as [`fresh`] makes it. False if that cannot be: the folder is of no more use.
pub(super) fn tidy(root: &Path) -> bool {
    let kept = |name: &OsStr| name == GITCONFIG || FOLDERS.iter().any(|folder| name == *folder);
    own_folder(root)
        && clear(root, &kept).is_ok()
        && FOLDERS.iter().all(|folder| {
            let folder = root.join(folder);
            own_folder(&folder) && clear(&folder, &|_| false).is_ok()
        })
        && fs::symlink_metadata(root.join(GITCONFIG)).is_ok_and(|it| it.is_file())
        && fs::read(root.join(GITCONFIG)).is_ok_and(|text| text == plant::gitconfig().as_bytes())
}

/// A folder, and no link to one, with the permissions that we gave it.
fn own_folder(folder: &Path) -> bool {
    fs::symlink_metadata(folder)
        .is_ok_and(|it| it.is_dir() && it.permissions().mode() & 0o7777 == MODE)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    type Deed = fn(&Path) -> io::Result<()>;

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_target_leaves_is_removed() {
        let deeds: [(&str, Deed); 6] = [
            ("nothing", |_| Ok(())),
            ("what is locked", |root| {
                fs::create_dir_all(root.join("cache/module"))?;
                fs::write(root.join("cache/module/file"), "")?;
                let locked = fs::Permissions::from_mode(0o500);
                fs::set_permissions(root.join("cache/module"), locked)
            }),
            ("a file in the home", |root| fs::write(root.join("x"), "")),
            ("a file at work", |root| fs::write(root.join("work/x"), "")),
            ("folders", |root| fs::create_dir_all(root.join("tmp/x/y"))),
            ("a link", |root| symlink("/", root.join("work/all"))),
        ];
        for (what, deed) in deeds {
            let root = fresh().unwrap();
            deed(root.path()).unwrap();
            assert!(tidy(root.path()), "{what}");
            assert_eq!(names(root.path()), [GITCONFIG, "tmp", "work"], "{what}");
            for folder in FOLDERS {
                assert!(names(&root.path().join(folder)).is_empty(), "{what}");
            }
        }
    }

    #[test]
    fn what_a_target_changed_is_not_used_again() {
        let deeds: [(&str, Deed); 4] = [
            ("permissions", |root| {
                fs::set_permissions(root.join("work"), fs::Permissions::from_mode(0o755))
            }),
            ("another text", |root| fs::write(root.join(GITCONFIG), "x")),
            ("a folder less", |root| fs::remove_dir(root.join("work"))),
            ("a link for a folder", |root| {
                fs::remove_dir(root.join("work"))?;
                symlink(root.join("tmp"), root.join("work"))
            }),
        ];
        for (what, deed) in deeds {
            let root = fresh().unwrap();
            deed(root.path()).unwrap();
            assert!(!tidy(root.path()), "{what}");
        }
    }
}
