//! Makes the source that embeds the catalogue and the scripts.
//!
//! The catalogue is read at the start of every run, and TOML is slow to read. Its files keep to one key a line with
//! values that are JSON too, so that they are turned into JSON by their lines alone; a test holds the result to what a
//! TOML parser reads.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut code = String::from("pub(crate) const REQUIREMENTS: &[(&str, &str)] = &[\n");
    for file in files(&root.join("requirements"), "toml") {
        let name = slashed(&root, &file);
        let json = out
            .join(file.file_stem().expect("it has an ending"))
            .with_extension("json");
        write(&json, &to_json(&name, &read(&file)));
        embed(&mut code, &name, &json);
    }
    code.push_str("];\n\npub(crate) const SCRIPTS: &[(&str, &str)] = &[\n");
    let mut scripts: Vec<(String, PathBuf)> = ["acp", "mcp"]
        .iter()
        .flat_map(|folder| files(&root.join(folder), "script"))
        .map(|file| (slashed(&root, &file.with_extension("")), file))
        .collect();
    scripts.sort();
    for (name, file) in &scripts {
        embed(&mut code, name, file);
    }
    code.push_str("];\n");
    write(&out.join("embedded.rs"), &code);
    // The whole folder, since a suite for another protocol is a new folder in it.
    println!("cargo::rerun-if-changed=.");
}

fn embed(code: &mut String, name: &str, path: &Path) {
    let path = path.to_str().expect("paths in the workspace are UTF-8");
    writeln!(code, "    ({name:?}, include_str!({path:?})),").expect("a String takes everything");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// All files with this ending below a folder, sorted; none where there is no such folder.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry
                .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
                .path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some(OsStr::new(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The path below the root, with `/` on every system.
fn slashed(root: &Path, path: &Path) -> String {
    let below = path
        .strip_prefix(root)
        .expect("it was found below the root");
    below
        .iter()
        .map(|part| part.to_str().expect("names in the suite are UTF-8"))
        .collect::<Vec<_>>()
        .join("/")
}

/// The `[[requirement]]` tables of a catalogue file as a JSON array of objects.
fn to_json(name: &str, toml: &str) -> String {
    let mut json = String::with_capacity(toml.len());
    let mut is_first_key = false;
    for (number, line) in toml.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "[[requirement]]" {
            json.push_str(if json.is_empty() { "[{" } else { "},\n{" });
            is_first_key = true;
        } else if let Some((key, value)) = line.split_once(" = ").filter(|_| !json.is_empty()) {
            if !std::mem::take(&mut is_first_key) {
                json.push(',');
            }
            write!(json, "\"{key}\":{value}").expect("a String takes everything");
        } else {
            panic!(
                "{name}:{}: a line must be `[[requirement]]` or `key = value`, the value on the same line",
                number + 1
            );
        }
    }
    json.push_str(if json.is_empty() { "[]" } else { "}]" });
    json
}
