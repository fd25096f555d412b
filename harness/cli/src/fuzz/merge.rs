//! `elenchus fuzz merge`: one report, one corpus and one set of findings of those of several campaigns.

use std::{fs, io, path::Path, process::ExitCode};

use elenchus_reports::{
    FuzzReport,
    fuzz::{FORMAT, FuzzFinding, FuzzTarget, Unlike},
};

use super::{CORPUS, FINDINGS, REPORT, entries, show};
use crate::{
    args::MergeArgs,
    failure::{Failure, note},
    output::Folder,
    read,
};

/// The longest report that is read, in bytes.
const LONGEST: u64 = 256 * 1024 * 1024;

/// Merges them.
pub(super) fn merge(args: &MergeArgs) -> Result<ExitCode, Failure> {
    let mut merged: Option<FuzzReport> = None;
    let mut reports = Vec::new();
    for folder in &args.folders {
        if same_folder(folder, &args.out) {
            return Err(Failure::usage(format!(
                "{} is merged, and cannot be where the result goes",
                folder.display()
            ))
            .hint("name another folder with --out DIR"));
        }
        let report = read(folder)?;
        reports.push((folder, report.clone()));
        merged = Some(match merged {
            None => report,
            Some(others) => others
                .merge(report)
                .map_err(|unlike| different(folder, &unlike))?,
        });
    }
    let merged = merged
        .ok_or_else(|| Failure::usage("there is nothing to merge"))?
        .whole();
    unused(&args.out)?;
    let out = Folder::open(&args.out, REPORT, &[FINDINGS, CORPUS])?;
    for finding in &merged.findings {
        let is_it = |other: &FuzzFinding| {
            (&other.key, &other.script, &other.trace)
                == (&finding.key, &finding.script, &finding.trace)
        };
        let origin = reports
            .iter()
            .find(|(_, report)| report.findings.iter().any(is_it));
        let Some((folder, _)) = origin else {
            continue;
        };
        for file in [&finding.file, &finding.trace].into_iter().flatten() {
            copy_found(folder, file, &args.out)?;
        }
    }
    for folder in &args.folders {
        copy_corpus(&folder.join(CORPUS), &args.out.join(CORPUS))?;
    }
    show(&out, &args.out, merged, args.show)
}

/// What lies in the folder of the result would be taken for a part of it, and may be all that is left of a campaign.
fn unused(out: &Path) -> Result<(), Failure> {
    let holds = |folder: &str| entries(&out.join(folder)).is_ok_and(|files| !files.is_empty());
    if !out.join(REPORT).exists() && ![FINDINGS, CORPUS].into_iter().any(holds) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} holds a campaign, or what was merged before",
        out.display()
    ))
    .hint("name another folder with --out DIR, or remove this one first"))
}

fn same_folder(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn read(folder: &Path) -> Result<FuzzReport, Failure> {
    let path = folder.join(REPORT);
    let name = path.display().to_string();
    let text = read::text(&path, LONGEST).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::usage(format!("there is no {name}")).hint(
            "a campaign writes it at its end; one that was killed goes on with the same --out",
        ),
        _ => Failure::usage(format!("cannot read {name}: {error}")),
    })?;
    let no_report = |why: String| {
        Failure::usage(format!("{name} is no report of a campaign: {why}"))
            .hint("`elenchus fuzz` writes such reports to its output folder")
    };
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| no_report(error.to_string()))?;
    match value.get("format").and_then(serde_json::Value::as_u64) {
        Some(format) if format != u64::from(FORMAT) => {
            return Err(no_report(format!(
                "its format is {format}, and this program knows {FORMAT}"
            )));
        }
        _ => {}
    }
    serde_json::from_value(value).map_err(|error| no_report(error.to_string()))
}

fn different(folder: &Path, unlike: &Unlike) -> Failure {
    let about = |target: &FuzzTarget| format!("{} {}", target.kind, target.command.join(" "));
    Failure::usage(format!(
        "{} is about another target: {}, and not {}",
        folder.display(),
        about(&unlike.other),
        about(&unlike.one)
    ))
    .hint("campaigns are merged that were about the same target")
}

/// Copies a file of a finding.
fn copy_found(folder: &Path, file: &str, out: &Path) -> Result<(), Failure> {
    // What a report says must not lead out of the folders.
    let plain = file
        .strip_prefix(FINDINGS)
        .and_then(|rest| rest.strip_prefix('/'));
    let Some(name) = plain.filter(|name| is_plain(name)) else {
        return Err(Failure::usage(format!(
            "a report names a file of a finding that is not in {FINDINGS}: {file}"
        )));
    };
    let from = folder.join(FINDINGS).join(name);
    if !from.is_file() {
        note(&format!("{} is not there", from.display()));
        return Ok(());
    }
    let to = out.join(FINDINGS).join(name);
    fs::copy(&from, &to)
        .map(drop)
        .map_err(|error| cannot_write(&to, &error))
}

/// It names a file and no way to another folder.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0'])
}

fn copy_corpus(from: &Path, to: &Path) -> Result<(), Failure> {
    let files = match entries(from) {
        Ok(files) => files,
        // The corpus may lie elsewhere, and be shared already.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(Failure::usage(format!(
                "cannot read {}: {error}",
                from.display()
            )));
        }
    };
    for file in files {
        let script = file.extension().is_some_and(|ending| ending == "script");
        let Some(name) = file.file_name().filter(|_| script) else {
            continue;
        };
        // Files of one name have one text.
        let to = to.join(name);
        if !to.exists() {
            fs::copy(&file, &to).map_err(|error| cannot_write(&to, &error))?;
        }
    }
    Ok(())
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot write {}: {error}", path.display()))
}
