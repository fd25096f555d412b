//! `elenchus run`: a campaign, and its report.

mod breakdown;
mod reasons;
mod report;

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    path::Path,
    process::ExitCode,
};

use elenchus_drive::Campaign;
use elenchus_protocol::Version;
use elenchus_reports::human::{View, render};
use elenchus_suites::{Script, Suite};

pub(crate) use self::{
    reasons::{heeds, missed, remarks, slow},
    report::{command_line, protocol},
};
use crate::{
    again,
    args::{Common, Format, RunArgs},
    failure::Failure,
    job::Job,
    output::{self, Folder},
    progress::Progress,
    select::{Selection, select},
};

/// Runs what the flags select of the suite.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let suite = Suite::embedded();
    let job = job(&args.common, args.thorough)?;
    let mut selection = select(suite, job.target.kind, &args.only, &args.skip)?;
    // Where only such scripts were asked for, they were asked for.
    let plain = |script: &&Script| !script.thorough;
    if !args.thorough && selection.scripts.iter().any(plain) {
        selection.scripts.retain(plain);
    }
    perform(&Work {
        common: &args.common,
        job: &job,
        selection,
        known: &suite.scripts,
        all: false,
        fresh: args.fresh,
        thorough: args.thorough,
        repeats: args.repeats,
        out: &args.out,
        again: &|version, script, seed| again::of_run(args, &job, version, script, seed),
    })
}

/// What is performed, and how it is told.
pub(crate) struct Work<'a> {
    /// What the flags say of the target.
    pub(crate) common: &'a Common,
    /// What flags and profile come to.
    pub(crate) job: &'a Job,
    /// The scripts.
    pub(crate) selection: Selection<'a>,
    /// All scripts that there are, for what they cover.
    pub(crate) known: &'a [Script],
    /// Nothing can be said of the target unless all of the selection was performed, each in some version.
    pub(crate) all: bool,
    /// Every script has a process of its own.
    pub(crate) fresh: bool,
    /// Every gap of every race.
    pub(crate) thorough: bool,
    /// How often an instance that broke something is performed again.
    pub(crate) repeats: u32,
    /// Where the report and the traces go.
    pub(crate) out: &'a Path,
    /// The command that performs a script again, in a version and with a seed.
    pub(crate) again: &'a dyn Fn(Version, &str, u64) -> String,
}

/// The job that the flags describe. Where its target cannot be started, whoever asked for a report gets one of that.
pub(crate) fn job(args: &Common, thorough: bool) -> Result<Job, Failure> {
    Job::of(args, thorough).map_err(|failure| {
        if failure.is_of_target() && args.show.format == Format::Json {
            report::not_started(args, failure)
        } else {
            failure
        }
    })
}

/// Performs it, and reports.
pub(crate) fn perform(work: &Work<'_>) -> Result<ExitCode, Failure> {
    let Work { common, job, .. } = work;
    let folder = Folder::prepare(work.out)?;
    let seed = common.seed.unwrap_or_else(random_seed);
    let campaign = Campaign {
        launch: job.target.launch.clone(),
        scripts: work.selection.scripts.clone(),
        versions: job.versions(),
        declared: !job.protocol.is_empty(),
        settings: job.settings.clone(),
        jobs: job.jobs,
        seed,
        thorough: work.thorough,
        fresh: work.fresh,
        repeats: work.repeats,
        traces: Some(folder.traces()),
        memo: None,
    };
    let progress = Progress::begin(&work.selection.left_out);
    let findings = campaign.run(&progress);
    progress.end();

    let broke_down = if work.all {
        breakdown::of(&work.selection.scripts, &findings, &folder.traces())
    } else {
        Vec::new()
    };
    let report = report::report(work, seed, &findings, broke_down);
    let mut report = output::redacted(report, campaign.secrets())?;
    let json = output::json(&report)?;
    let written = folder.write(&json);
    if let Err(failure) = &written {
        // Whoever reads the verdict learns of it there.
        report.verdict.reasons.push(failure.sentence());
    }
    let shown = match common.show.format {
        Format::Json => json.clone(),
        Format::Human => {
            let path = folder.path().to_string_lossy();
            let view = View {
                catalogue: &Suite::embedded().catalogue,
                folder: Some(&path),
                target: None,
            };
            render(&report, view, output::style(common.show.color))
        }
    };
    // Shown even where it cannot be written: nothing that was found is lost.
    output::print(&shown)?;
    written?;
    if let Some(error) = &findings.trace_error {
        return Err(Failure::usage(format!(
            "a trace could not be written: {error}"
        )));
    }
    Ok(output::exit(&report))
}

/// A seed that a person can type.
pub(crate) fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish() & u64::from(u32::MAX)
}
