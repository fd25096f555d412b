//! From what a campaign found to its report.

use std::collections::BTreeSet;

use elenchus_drive::campaign::{Blocked, CONTROL, Findings};
use elenchus_protocol::Version;
use elenchus_reports::{
    Input, Report, build,
    builder::{Dead, Kind, Performance, Protocol, Skipped},
    model::TargetInfo,
};
use elenchus_suites::Suite;

use super::{
    Work,
    reasons::{left, never_at_work, not_performed, notes, stopped_early, why_stopped},
};
use crate::{args::Common, failure::Failure, hidden, job::Job, output, suite::ruled};

/// Where the target cannot even be started, whoever reads reports only gets one that says so. Nothing is written.
pub(super) fn not_started(args: &Common, failure: Failure) -> Failure {
    let suite = Suite::embedded();
    let kind = args.kind.unwrap_or(Kind::Agent);
    let report = build(&Input {
        elenchus: env!("CARGO_PKG_VERSION").to_owned(),
        command: command_line(),
        seed: args.seed.unwrap_or_default(),
        kind,
        target: TargetInfo {
            kind: String::new(),
            command: hidden::words(args.target.as_slice()),
            info: None,
            notes: Vec::new(),
        },
        catalogue: &suite.catalogue,
        rules: ruled(kind),
        scripts: &suite.scripts,
        of_suite: true,
        protocols: Vec::new(),
        performances: Vec::new(),
        skipped: Vec::new(),
        left_out: BTreeSet::new(),
        attestations: Vec::new(),
        dead: Some(Dead {
            what: failure.sentence(),
            stderr: Vec::new(),
            frames: Vec::new(),
            hint: failure.hints().join("; "),
        }),
        broke_down: Vec::new(),
        incomplete: Vec::new(),
        troubles: Vec::new(),
    });
    let printed = output::json(&report).and_then(|json| output::print(&json));
    // The target is the greater trouble; the other one is told with it.
    match printed {
        Ok(()) => failure,
        Err(other) => failure.hint(other.sentence()),
    }
}

/// How this program was called.
pub(crate) fn command_line() -> Vec<String> {
    let words: Vec<String> = std::env::args_os()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    hidden::words(&words)
}

/// The report of what was performed with this seed.
pub(super) fn report(
    work: &Work<'_>,
    seed: u64,
    findings: &Findings,
    broke_down: Vec<String>,
) -> Report {
    let Work { job, .. } = work;
    // A few scripts may be about turns that do not end; without a session nothing was tried.
    let shows = |blocked: &&Blocked| !work.all || blocked.session || blocked.script == CONTROL;
    let suite = Suite::embedded();
    let knowledge = &findings.knowledge;
    let performances = findings
        .outcomes
        .iter()
        .map(|outcome| Performance {
            script: outcome.script.clone(),
            instance: outcome.instance.clone(),
            protocol: outcome.version.name().to_owned(),
            trace: outcome.trace.as_ref().map(|file| format!("traces/{file}")),
            judgement: &outcome.judgement,
            repeats: &outcome.repeats,
            stopped: outcome.stopped.as_ref().map(why_stopped),
            replay: (work.again)(outcome.version, &outcome.script, seed),
        })
        .collect();
    let skipped = findings
        .skipped
        .iter()
        .map(|skipped| Skipped {
            script: skipped.script.clone(),
            protocol: skipped.version.name().to_owned(),
            reason: skipped.reason.clone(),
        })
        .collect();
    build(&Input {
        elenchus: env!("CARGO_PKG_VERSION").to_owned(),
        command: command_line(),
        seed,
        kind: job.target.kind,
        target: TargetInfo {
            kind: String::new(),
            command: hidden::words(&job.target.command),
            info: knowledge
                .info
                .as_deref()
                .and_then(|info| serde_json::from_str(info).ok()),
            notes: notes(job.target.kind, findings)
                .into_iter()
                .chain(job.target.has_secrets().then(|| hidden::NOTE.to_owned()))
                .collect(),
        },
        catalogue: &suite.catalogue,
        rules: ruled(job.target.kind),
        scripts: work.known,
        of_suite: !work.all,
        protocols: versions(job, findings).into_iter().map(protocol).collect(),
        performances,
        skipped,
        left_out: work.selection.left_out.clone(),
        attestations: job.attestations.clone(),
        dead: knowledge.dead.as_ref().map(|dead| Dead {
            what: dead.what.clone(),
            stderr: dead.stderr.clone(),
            frames: dead.frames.clone(),
            hint: dead.hint.clone(),
        }),
        broke_down,
        incomplete: stopped_early(findings)
            .into_iter()
            .chain(not_performed(findings))
            .chain(left(work, findings))
            .chain(findings.blocked.iter().filter(shows).flat_map(|blocked| {
                never_at_work(work.out, job.target.kind, &knowledge.logins, blocked)
            }))
            .collect(),
        troubles: findings
            .trace_error
            .iter()
            .map(|error| format!("Not all traces could be written: {error}."))
            .chain(work.all.then(|| halfway(findings)).into_iter().flatten())
            .collect(),
    })
}

/// The scripts that came to an end before their own, in sentences: whoever performs chosen scripts wants to know.
fn halfway(findings: &Findings) -> Vec<String> {
    let outcomes = findings.outcomes.iter();
    let told = outcomes.filter_map(|outcome| {
        let why = why_stopped(outcome.stopped.as_ref()?);
        let (script, version) = (&outcome.script, outcome.version.name());
        Some(format!(
            "{script} in {version} stopped early, and what stands behind that was not tried: {why}."
        ))
    });
    // Instances of a script mostly stop for one reason.
    let mut told: Vec<String> = told.collect();
    told.dedup();
    told
}

/// The names of a version.
pub(crate) fn protocol(version: Version) -> Protocol {
    Protocol {
        name: version.name().to_owned(),
        edition: version.edition().to_owned(),
        catalogue: version.catalogue_name().to_owned(),
    }
}

/// The versions that were run: those that the operator named or the target negotiated; with a dead target, those in
/// which something was performed.
fn versions(job: &Job, findings: &Findings) -> BTreeSet<Version> {
    let performed = findings.outcomes.iter().map(|outcome| outcome.version);
    if findings.knowledge.dead.is_some() {
        return performed.collect();
    }
    performed
        .chain(findings.knowledge.versions.iter().copied())
        .chain(job.protocol.iter().copied())
        .collect()
}
