//! `elenchus replay`: scripts of the operator's own, performed and judged as those of the suite are.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use elenchus_reports::builder::Kind;
use elenchus_suites::{
    Script, Suite,
    script::{Target, parse},
};

use crate::{
    again,
    args::ReplayArgs,
    failure::{Failure, note},
    read,
    run::{self, Work},
    select::Selection,
};

/// How the names of script files end. No script of the suite has a name that does, so that none is taken for another in
/// a report.
const ENDING: &str = ".script";

/// The longest script, in bytes. Its lines and steps have bounds of their own.
const LONGEST: u64 = 16 * 1024 * 1024;

/// Performs them.
pub(crate) fn replay(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let scripts = read(&args.files)?;
    let thorough = args.thorough || scripts.iter().any(|script| script.thorough);
    let job = run::job(&args.common, thorough)?;
    let wanted = of_kind(&scripts, job.target.kind)?;
    let known: Vec<Script> = [&Suite::embedded().scripts, &scripts]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    run::perform(&Work {
        common: &args.common,
        job: &job,
        selection: Selection {
            scripts: wanted,
            left_out: BTreeSet::new(),
        },
        known: &known,
        all: true,
        // What earlier scripts left behind in a process could hide what a script shows.
        fresh: true,
        thorough: args.thorough,
        repeats: args.repeats,
        out: &args.out,
        again: &|version, script, seed| again::of_replay(args, &job, version, script, seed),
    })
}

/// The scripts for targets of this kind; the others are told of.
fn of_kind(scripts: &[Script], kind: Kind) -> Result<Vec<&Script>, Failure> {
    let target = match kind {
        Kind::Agent => Target::Agent,
        Kind::Client => Target::Client,
    };
    let (wanted, others): (Vec<_>, Vec<_>) =
        scripts.iter().partition(|script| script.target == target);
    match others.first() {
        Some(other) if wanted.is_empty() => Err(Failure::usage(format!(
            "{}: the script is for a target of kind {}, and this one is of kind {}",
            other.name,
            other.target.word(),
            kind.name()
        ))),
        Some(_) => {
            let names: Vec<&str> = others.iter().map(|other| other.name.as_str()).collect();
            note(&format!(
                "not for targets of kind {}, and not performed: {}",
                kind.name(),
                names.join(", ")
            ));
            Ok(wanted)
        }
        None => Ok(wanted),
    }
}

/// Reads all of them. What is wrong with several is told of each.
fn read(named: &[PathBuf]) -> Result<Vec<Script>, Failure> {
    let mut scripts = Vec::new();
    let mut failures = Vec::new();
    for path in files(named)? {
        match script(&path) {
            Ok(script) => scripts.push(script),
            Err(failure) => failures.push(failure),
        }
    }
    match failures.pop() {
        None => Ok(scripts),
        Some(last) => {
            for failure in failures {
                // Nothing more can be done where even standard error is gone.
                let _ = write!(io::stderr(), "{failure}");
            }
            Err(last)
        }
    }
}

/// The files that these paths name, each once.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in named {
        let about = fs::metadata(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::usage(format!("there is no {}", path.display()))
                .hint("name scripts, or folders that hold some"),
            _ => cannot_read(path, &error),
        })?;
        if !about.is_dir() {
            found.push(path.clone());
            continue;
        }
        let before = found.len();
        search(path, &mut found).map_err(|error| cannot_read(path, &error))?;
        if found.len() == before {
            return Err(Failure::usage(format!(
                "there is no script in the folder {}",
                path.display()
            ))
            .hint(format!("the names of scripts end in {ENDING}")));
        }
    }
    let mut seen = BTreeSet::new();
    // A path that leads nowhere is told of when it is read.
    found.retain(|path| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    Ok(found)
}

/// Finds the scripts in a folder and in those below it. A link to a folder may lead anywhere, and is not followed.
fn search(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            search(&path, found)?;
        } else if path
            .as_os_str()
            .as_encoded_bytes()
            .ends_with(ENDING.as_bytes())
            && path.is_file()
        {
            found.push(path);
        }
    }
    Ok(())
}

/// Reads one. Its name is its path.
fn script(path: &Path) -> Result<Script, Failure> {
    let name = path.to_str().ok_or_else(|| {
        Failure::usage(format!("{}: the path is not UTF-8", path.display()))
            .hint("a report names each script by its path")
    })?;
    let Some(stem) = name.strip_suffix(ENDING) else {
        let failure = Failure::usage(format!("{name} is not called a script"))
            .hint(format!("the names of scripts end in {ENDING}"));
        return Err(match path.extension() {
            Some(ending) if ending == "jsonl" => failure.hint(format!(
                "a trace is judged again by `elenchus check {name}`"
            )),
            _ => failure,
        });
    };
    let text = read::text(path, LONGEST).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => Failure::usage(format!("{name} is not UTF-8")),
        _ => cannot_read(path, &error),
    })?;
    let script = parse(stem, &text).map_err(|error| {
        let caret = error.caret();
        let (what, place) = caret.split_once('\n').unwrap_or((&caret, ""));
        place.lines().fold(Failure::usage(what), Failure::hint)
    })?;
    Ok(Script {
        name: name.to_owned(),
        ..script
    })
}

fn cannot_read(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot read {}: {error}", path.display()))
}
