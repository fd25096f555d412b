//! `elenchus fuzz`: a fuzzing campaign, and its report.

mod merge;
mod report;
mod status;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use elenchus_drive::{
    Campaign,
    fuzz::{Cause, Fuzz, Limit, Partition},
};
use elenchus_reports::{FuzzReport, human};
use elenchus_suites::{Script, Suite};

use crate::{
    args::{Format, FuzzArgs, FuzzCommand, Show},
    failure::Failure,
    job::Job,
    output::{self, Folder},
    run::random_seed,
    select::{Selection, select},
    suite::ruled,
};
use status::Live;

/// The report's file in the output folder.
const REPORT: &str = "fuzz.json";
/// Where the findings are in the output folder.
const FINDINGS: &str = "findings";
/// Where the corpus is in the output folder, unless another one is named.
const CORPUS: &str = "corpus";
/// How long a campaign takes that has no other end.
const USUAL: Duration = Duration::from_secs(600);
/// The most time that is spent on making one finding smaller.
const SHRINK: Duration = Duration::from_secs(30);

/// Does it.
pub(crate) fn fuzz(args: &FuzzArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(FuzzCommand::Merge(args)) => merge::merge(args),
        None => campaign(args),
    }
}

fn campaign(args: &FuzzArgs) -> Result<ExitCode, Failure> {
    let partition = partition(args)?;
    let seed = args.common.seed.unwrap_or_else(random_seed);
    let job = Job::of(&args.common, false).map_err(|failure| {
        if failure.is_of_target() && args.common.show.format == Format::Json {
            report::not_started(args, partition, seed, failure)
        } else {
            failure
        }
    })?;
    let Selection { scripts, left_out } =
        select(Suite::embedded(), job.target.kind, &args.only, &args.skip)?;
    let folder = Folder::open(&args.out, REPORT, &[FINDINGS])?;
    let corpus = args.corpus.clone().unwrap_or_else(|| args.out.join(CORPUS));
    output::create(&corpus)?;
    let seeds: Vec<&Script> = scripts
        .into_iter()
        .filter(|script| !args.no_seeds && !script.thorough)
        .collect();
    let fuzz = Fuzz {
        campaign: Campaign {
            launch: job.target.launch.clone(),
            scripts: seeds,
            versions: job.versions(),
            declared: !job.protocol.is_empty(),
            settings: job.settings.clone(),
            jobs: job.jobs,
            seed,
            thorough: false,
            fresh: args.fresh,
            repeats: args.repeats,
            traces: None,
            memo: None,
        },
        limit: limit(args),
        partition,
        corpus: Some(corpus),
        findings: Some(args.out.join(FINDINGS)),
        only: (!left_out.is_empty()).then(|| counting(&job, &left_out)),
        shrink: SHRINK,
    };
    let live = Live::begin(fuzz.limit);
    let fuzzed = fuzz.run(&live);
    live.end();

    let report = report::report(args, &job, &fuzz, &fuzzed);
    let report = output::redacted(report, fuzz.campaign.secrets())?;
    let exit = show(&folder, &args.out, report, args.common.show)?;
    match fuzzed.error {
        Some(error) => Err(Failure::usage(format!("not all went well: {error}"))),
        None => Ok(exit),
    }
}

/// Writes the report and shows it; with what the program ends.
fn show(
    folder: &Folder,
    out: &Path,
    mut report: FuzzReport,
    show: Show,
) -> Result<ExitCode, Failure> {
    let json = output::json(&report)?;
    let written = folder.write(&json);
    if let Err(failure) = &written {
        // Whoever reads the verdict learns of it there.
        report.verdict.reasons.push(failure.sentence());
    }
    let shown = match show.format {
        Format::Json => json,
        Format::Human => {
            let path = out.to_string_lossy();
            let view = human::View {
                catalogue: &Suite::embedded().catalogue,
                folder: Some(&path),
                target: None,
            };
            human::fuzz::render(&report, view, output::style(show.color))
        }
    };
    // Shown even where it cannot be written: nothing that was found is lost.
    output::print(&shown)?;
    written?;
    Ok(report.verdict.exit.into())
}

fn partition(args: &FuzzArgs) -> Result<Partition, Failure> {
    let Some(share) = args.partition else {
        return Ok(Partition::default());
    };
    let (index, of) = share.resolved().map_err(|why| {
        Failure::usage(format!("--partition auto/N: {why}"))
            .hint("Kubernetes sets it in the pods of a Job whose completionMode is Indexed")
            .hint("elsewhere write --partition K/N, with K from 0")
    })?;
    Ok(Partition { index, of })
}

fn limit(args: &FuzzArgs) -> Limit {
    let time = args.time.or(args.runs.is_none().then_some(USUAL));
    Limit {
        time,
        runs: args.runs,
        ..Limit::default()
    }
}

/// The causes that count: all but what is left out. Whatever is looked for, a target has to survive it.
fn counting(job: &Job, left_out: &BTreeSet<String>) -> BTreeSet<String> {
    let rules = ruled(job.target.kind).into_iter();
    let other = [Cause::Crash, Cause::Hang, Cause::Memory, Cause::Service];
    rules
        .filter(|id| !left_out.contains(*id))
        .chain(other.map(Cause::name))
        .map(str::to_owned)
        .collect()
}

/// A file of a finding, as reports name it.
fn below_findings(file: &str) -> String {
    format!("{FINDINGS}/{file}")
}

/// The scripts and traces in a folder, by name.
fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}
