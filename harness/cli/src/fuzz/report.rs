//! From what a campaign found to its report.

use std::collections::BTreeSet;

use elenchus_drive::{
    Knowledge,
    fuzz::{Finding, Fuzz, Fuzzed, Partition},
    instance::Step,
};
use elenchus_protocol::Version;
use elenchus_reports::{
    FuzzReport,
    builder::Kind,
    fuzz::{FuzzFinding, FuzzTarget, Part, PartName},
    human::fuzz::duration,
};
use elenchus_suites::Suite;
use elenchus_wire::event::Milestone;

use super::below_findings;
use crate::{
    again,
    args::FuzzArgs,
    failure::Failure,
    hidden,
    job::Job,
    output,
    run::{command_line, missed, remarks},
};

/// The report of a campaign.
pub(super) fn report(args: &FuzzArgs, job: &Job, fuzz: &Fuzz<'_>, fuzzed: &Fuzzed) -> FuzzReport {
    let name = name(fuzz.partition, fuzz.campaign.seed);
    let knowledge = &fuzzed.knowledge;
    let status = &fuzzed.status;
    let finding = |finding: &Finding| report_of(args, job, name, finding);
    let part = Part {
        protocols: names(&knowledge.versions),
        runs: status.runs,
        messages: status.messages,
        corpus: status.corpus as u64,
        features: status.features as u64,
        started: status.started,
        unconfirmed: status.unconfirmed,
        elapsed_ms: u64::try_from(status.elapsed.as_millis()).unwrap_or(u64::MAX),
        notes: notes(job.target.kind, knowledge),
        incomplete: incomplete(job.target.kind, fuzzed),
        troubles: fuzzed
            .error
            .iter()
            .map(|error| format!("Not all went well: {error}."))
            .collect(),
        ..idle(name)
    };
    FuzzReport::new(
        FuzzTarget {
            kind: job.target.kind.name().to_owned(),
            command: hidden::words(&job.target.command),
            info: knowledge
                .info
                .as_deref()
                .and_then(|info| serde_json::from_str(info).ok()),
        },
        BTreeSet::from([part]),
        fuzzed.findings.iter().map(finding).collect(),
        fuzzed.ours.iter().map(finding).collect(),
    )
}

/// Where the target cannot even be started, whoever reads reports only gets one that says so. Nothing is written.
pub(super) fn not_started(
    args: &FuzzArgs,
    partition: Partition,
    seed: u64,
    failure: Failure,
) -> Failure {
    let part = Part {
        incomplete: vec![failure.sentence()],
        ..idle(name(partition, seed))
    };
    let target = FuzzTarget {
        kind: args.common.kind.unwrap_or(Kind::Agent).name().to_owned(),
        command: hidden::words(args.common.target.as_slice()),
        info: None,
    };
    let report = FuzzReport::new(target, BTreeSet::from([part]), Vec::new(), Vec::new());
    match output::json(&report).and_then(|json| output::print(&json)) {
        Ok(()) => failure,
        Err(other) => failure.hint(other.sentence()),
    }
}

fn name(partition: Partition, seed: u64) -> PartName {
    PartName {
        partition: partition.index,
        partitions: partition.of,
        seed,
    }
}

/// A part that did nothing.
fn idle(name: PartName) -> Part {
    Part {
        name,
        elenchus: env!("CARGO_PKG_VERSION").to_owned(),
        command: command_line(),
        protocols: Vec::new(),
        runs: 0,
        messages: 0,
        corpus: 0,
        features: 0,
        started: 0,
        unconfirmed: 0,
        elapsed_ms: 0,
        notes: Vec::new(),
        incomplete: Vec::new(),
        troubles: Vec::new(),
    }
}

fn names(versions: &[Version]) -> Vec<String> {
    versions
        .iter()
        .map(|version| version.name().to_owned())
        .collect()
}

fn report_of(args: &FuzzArgs, job: &Job, found_by: PartName, finding: &Finding) -> FuzzFinding {
    let file = finding.file.as_deref().map(below_findings);
    FuzzFinding {
        key: finding.key.clone(),
        steps: finding.steps as u64,
        script: finding.script.clone(),
        cause: finding.cause.name().to_owned(),
        protocol: finding.version.name().to_owned(),
        level: None,
        derived: false,
        source: None,
        explanation: finding.why.clone(),
        sent: finding.sent.clone(),
        got: finding.got.clone(),
        expected: finding.expected.clone(),
        repeats: (finding.seen.into(), finding.of.into()),
        trace: finding.trace.as_deref().map(below_findings),
        stderr: finding.stderr.clone(),
        replay: file
            .as_deref()
            .map(|file| again::of_finding(&args.common, job, file, found_by.seed))
            .unwrap_or_default(),
        file,
        found_by: BTreeSet::from([found_by]),
    }
    .with_clause(
        &Suite::embedded().catalogue,
        finding.version.catalogue_name(),
    )
}

fn notes(kind: Kind, knowledge: &Knowledge) -> Vec<String> {
    let dead = knowledge.dead.iter();
    let said = dead.flat_map(|dead| {
        let stderr = dead.stderr.iter();
        let stderr = stderr.map(|line| format!("standard error: {line}"));
        let frames = dead.frames.iter().map(|frame| format!("frame: {frame}"));
        stderr.chain(frames)
    });
    remarks(kind, knowledge).chain(said).collect()
}

/// Why the campaign is no ground for saying that nothing is to be found, in sentences.
fn incomplete(kind: Kind, fuzzed: &Fuzzed) -> Vec<String> {
    let knowledge = &fuzzed.knowledge;
    if let Some(dead) = &knowledge.dead {
        let told = [&dead.what, &dead.hint].into_iter();
        return told.filter(|text| !text.is_empty()).cloned().collect();
    }
    let stopped = fuzzed.interrupted.then(|| {
        let elapsed = u64::try_from(fuzzed.status.elapsed.as_millis()).unwrap_or(u64::MAX);
        format!(
            "The campaign was stopped by a signal after {}.",
            duration(elapsed)
        )
    });
    let never = knowledge.reach.iter().filter_map(|(version, reach, _)| {
        let (milestone, why) = match (&reach.session, &reach.turn) {
            (Step::Failed(why), _) => (Milestone::Session, why),
            (_, Step::Failed(why)) => (Milestone::Turn, why),
            _ => return None,
        };
        let what = missed(kind, milestone);
        Some(format!(
            "{}: {what} before the campaign: {why}.",
            version.name()
        ))
    });
    stopped.into_iter().chain(never).collect()
}
