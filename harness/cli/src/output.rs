//! What leaves the program: standard output, and the output folder.

use std::{
    fs::{self, File},
    io::{self, IsTerminal as _, Read as _, Write as _},
    path::{Path, PathBuf},
};

use anstream::ColorChoice;
use elenchus_reports::{Report, human::Style, text::is_printable};
use elenchus_wire::redact::Redactor;
use rustix::fs::{FlockOperation, flock};
use serde::{Serialize, de::DeserializeOwned};

use crate::{args::Colour, failure::Failure};

/// The width where there is no terminal to ask.
const WIDTH: usize = 100;

/// Lines longer than this are hard to read, however wide the terminal is.
const WIDEST: usize = 120;

/// The report's file in the output folder of a run.
const REPORT: &str = "report.json";

/// Prints a whole text. A reader that has gone away is not an error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::usage(format!(
            "cannot write to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}

/// How texts are shown on this standard output.
pub(crate) fn style(colour: Colour) -> Style {
    let out = io::stdout();
    let colour = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => anstream::AutoStream::choice(&out) != ColorChoice::Never,
    };
    let width = if out.is_terminal() {
        rustix::termios::tcgetwinsize(&out)
            .ok()
            .map(|size| usize::from(size.ws_col))
            .filter(|&columns| columns > 0)
    } else {
        None
    };
    Style {
        colour,
        width: width.unwrap_or(WIDTH).min(WIDEST),
    }
}

/// The report without what the operator keeps secret.
pub(crate) fn redacted<R: Serialize + DeserializeOwned>(
    report: R,
    secrets: Vec<String>,
) -> Result<R, Failure> {
    if secrets.is_empty() {
        return Ok(report);
    }
    hidden(&report, &Redactor::exact_only(secrets))
}

/// The report without what this hides.
pub(crate) fn hidden<R: Serialize + DeserializeOwned>(
    report: &R,
    redactor: &Redactor,
) -> Result<R, Failure> {
    let hidden = serde_json::to_value(report).and_then(|mut value| {
        redactor.value(&mut value);
        serde_json::from_value(value)
    });
    hidden.map_err(|error| Failure::usage(format!("the report could not be redacted: {error}")))
}

/// Creates a folder where it is not there, and makes sure that it can be written to.
pub(crate) fn create(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .and_then(|()| probe(folder))
        .map_err(|error| cannot_write(folder, &error))
}

fn cannot_write(folder: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!(
        "cannot write to the output folder {}: {error}",
        folder.display()
    ))
    .hint("name another one with --out DIR")
}

/// The output folder of a run.
pub(crate) struct Folder {
    path: PathBuf,
    /// The name of the report's file.
    report: &'static str,
    /// Holds the lock as long as it is open.
    _lock: File,
}

impl Folder {
    /// The folder of a run: clears the traces of earlier runs away as well.
    pub(crate) fn prepare(path: &Path) -> Result<Self, Failure> {
        let folder = Self::open(path, REPORT, &["traces"])?;
        let traces = folder.traces();
        clear(&traces).map_err(|error| cannot_write(&traces, &error))?;
        Ok(folder)
    }

    /// Creates it where it is not there, with these folders in it, makes sure that it can be written to and that no other
    /// run does so, and clears the report of earlier runs away: one that comes to no report leaves none beside the rest.
    pub(crate) fn open(
        path: &Path,
        report: &'static str,
        folders: &[&str],
    ) -> Result<Self, Failure> {
        create(path)?;
        for folder in folders {
            create(&path.join(folder))?;
        }
        let lock = lock(path).map_err(|error| cannot_write(path, &error))?;
        let lock = lock.map_err(|pid| {
            let by = pid.map_or_else(String::new, |pid| format!(" (process {pid})"));
            Failure::usage(format!(
                "another run is writing to the output folder {}{by}",
                path.display()
            ))
            .hint("wait for its end, or name another folder with --out DIR")
        })?;
        match fs::remove_file(path.join(report)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(cannot_write(path, &error))
            }
            _ => Ok(()),
        }?;
        Ok(Self {
            path: path.to_owned(),
            report,
            _lock: lock,
        })
    }

    /// As the operator named it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where the traces go.
    pub(crate) fn traces(&self) -> PathBuf {
        self.path.join("traces")
    }

    /// Writes the report: whole, or not at all.
    pub(crate) fn write(&self, report: &str) -> Result<(), Failure> {
        let path = self.path.join(self.report);
        let unfinished = self
            .path
            .join(format!(".{}.{}", self.report, std::process::id()));
        let written = File::create(&unfinished)
            .and_then(|mut file| {
                file.write_all(report.as_bytes())
                    .and_then(|()| file.sync_all())
            })
            .and_then(|()| fs::rename(&unfinished, &path));
        written.map_err(|error| {
            // It may not even be there.
            let _ = fs::remove_file(&unfinished);
            Failure::usage(format!("cannot write {}: {error}", path.display()))
        })
    }
}

/// Takes the folder for this process alone, until the file is closed: the system sees to that, however the process
/// ends. The inner error is the process that has it, if that can be told.
fn lock(folder: &Path) -> io::Result<Result<File, Option<u32>>> {
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(folder.join(".lock"))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {
            file.set_len(0)?;
            write!(file, "{}", std::process::id())?;
            Ok(Ok(file))
        }
        Err(rustix::io::Errno::WOULDBLOCK) => {
            let mut holder = String::new();
            // Whoever holds it may not have written its number yet.
            let _ = file.read_to_string(&mut holder);
            Ok(Err(holder.parse().ok()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Removes the traces of earlier runs, so that all that stand there are of one run. What is no trace of ours stays.
fn clear(traces: &Path) -> io::Result<()> {
    for entry in fs::read_dir(traces)? {
        let path = entry?.path();
        let named = path.extension().is_some_and(|ending| ending == "jsonl");
        // A link is not ours, wherever it leads.
        if named && fs::symlink_metadata(&path)?.is_file() && is_trace(&path)? {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// The file begins as a trace does, or is empty, as one is that was cut off before its header.
fn is_trace(path: &Path) -> io::Result<bool> {
    const HEADER: &[u8] = br#"{"elenchus_trace":"#;
    let mut start = Vec::new();
    File::open(path)?
        .take(HEADER.len() as u64)
        .read_to_end(&mut start)?;
    Ok(start.is_empty() || start == HEADER)
}

fn probe(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!(".writable.{}", std::process::id()));
    File::create(&file)?;
    fs::remove_file(file)
}

/// A report as `report.json` holds it, safe on a terminal: characters that act on one or mislead a reader are escaped.
/// The JSON is the same.
pub(crate) fn json(report: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(report)
        .map(|text| escaped(&text) + "\n")
        .map_err(|error| Failure::usage(format!("cannot write the report as JSON: {error}")))
}

/// Such characters stand in strings only, where JSON has an escape for each.
fn escaped(json: &str) -> String {
    use std::fmt::Write as _;

    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || is_printable(c) {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // A string takes all that is written to it.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// The exit status of a report.
pub(crate) fn exit(report: &Report) -> std::process::ExitCode {
    report.verdict.exit.into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Folder, json};

    #[test]
    fn no_report_of_an_earlier_run_stands_beside_the_traces_of_this_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Folder::prepare(folder.path()).expect("it can be written to");
        assert!(first.write("{}").is_ok());
        drop(first);
        let report = folder.path().join("report.json");
        assert!(report.exists());
        let _second = Folder::prepare(folder.path()).expect("it can be written to");
        assert!(fs::symlink_metadata(report).is_err());
    }

    #[test]
    fn json_is_safe_on_a_terminal_and_says_the_same() {
        let text = "a\u{9b}31m\u{7f}\u{202e}\u{2066}\u{61c}\u{e0041}\u{0}\n\u{e9}\u{1f600}\\\"";
        let shown = json(&[text]).expect("a text is JSON");
        assert_eq!(
            shown,
            concat!(
                "[\n  \"a\\u009b31m\\u007f\\u202e\\u2066\\u061c\\udb40\\udc41\\u0000\\n",
                "\u{e9}\u{1f600}\\\\\\\"\"\n]\n"
            )
        );
        let read: [String; 1] = serde_json::from_str(&shown).expect("it is JSON");
        assert_eq!(read, [text]);
    }
}
