//! What leaves the program: standard output, and the output folder.

use std::{
    fs::{self, File},
    io::{self, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use anstream::ColorChoice;
use elenchus_reports::{Report, human::Style};

use crate::{args::Colour, failure::Failure};

/// The width where there is no terminal to ask.
const WIDTH: usize = 100;

/// Lines longer than this are hard to read, however wide the terminal is.
const WIDEST: usize = 120;

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

/// The output folder of a run.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Creates it where it is not there, and makes sure that it can be written to.
    pub(crate) fn prepare(path: &Path) -> Result<Self, Failure> {
        let folder = Self {
            path: path.to_owned(),
        };
        for folder in [path, &folder.traces()] {
            fs::create_dir_all(folder)
                .and_then(|()| probe(folder))
                .map_err(|error| {
                    Failure::usage(format!(
                        "cannot write to the output folder {}: {error}",
                        folder.display()
                    ))
                    .hint("name another one with --out DIR")
                })?;
        }
        Ok(folder)
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
        let path = self.path.join("report.json");
        let unfinished = self
            .path
            .join(format!(".report.json.{}", std::process::id()));
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

fn probe(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!(".writable.{}", std::process::id()));
    File::create(&file)?;
    fs::remove_file(file)
}

/// A report as `report.json` holds it.
pub(crate) fn json(report: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(report)
        .map(|text| text + "\n")
        .map_err(|error| Failure::usage(format!("cannot write the report as JSON: {error}")))
}

/// The exit status of a report.
pub(crate) fn exit(report: &Report) -> std::process::ExitCode {
    report.verdict.exit.into()
}
