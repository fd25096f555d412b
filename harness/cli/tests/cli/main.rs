//! The binary as a person or a program meets it.

mod check;
mod client;
mod errors;
mod fuzz;
mod help;
mod list;
mod pair;
mod profile;
mod replay;
mod run;

/// The binary, in an empty folder of its own.
struct Elenchus {
    folder: tempfile::TempDir,
}

impl Elenchus {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// A run of it; a shell would split the line in the same way, at spaces.
    fn run(&self, line: &str) -> assert_cmd::assert::Assert {
        let mut command = assert_cmd::cargo::cargo_bin_cmd!("elenchus");
        command
            .current_dir(self.folder.path())
            .args(line.split(' ').filter(|word| !word.is_empty()));
        command.assert()
    }

    /// Writes a file into the folder.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join(name), content)
            .expect("the folder can be written to");
    }

    /// Writes a program into the folder.
    fn program(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        self.file(name, text);
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o755))
            .expect("it is ours");
    }

    /// The files in a folder below the folder, by their paths from it.
    fn files(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).expect("the folder is there");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        entries
            .map(|entry| format!("{folder}/{}", name(entry).to_string_lossy()))
            .collect()
    }

    /// The path of a file in the folder.
    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

/// What a run printed.
fn stdout(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("UTF-8")
}

/// What a run printed as errors.
fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).expect("UTF-8")
}
