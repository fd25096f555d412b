//! `elenchus run`: a campaign, and its report.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    process::ExitCode,
};

use elenchus_drive::{
    Campaign, Outcome,
    campaign::{Blocked, CONTROL, Findings, Knowledge},
    instance::Stopped,
};
use elenchus_protocol::Version;
use elenchus_reports::{
    Input, Report, build,
    builder::{Dead, Kind, Performance, Protocol, Skipped},
    human::{View, render},
    model::TargetInfo,
};
use elenchus_suites::{Script, Suite};
use elenchus_wire::event::Milestone;

use crate::{
    args::{Format, RunArgs},
    failure::Failure,
    job::Job,
    output::{self, Folder},
    progress::Progress,
    select::{Selection, select},
    suite::ruled,
};

/// Runs it.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let suite = Suite::embedded();
    let job = match Job::of(args) {
        Err(failure) if failure.is_of_target() && args.show.format == Format::Json => {
            return Err(not_started(args, failure));
        }
        job => job?,
    };
    let mut selection = select(suite, job.target.kind, &args.only, &args.skip)?;
    // Where only such scripts were asked for, they were asked for.
    let plain = |script: &&Script| !script.thorough;
    if !args.thorough && selection.scripts.iter().any(plain) {
        selection.scripts.retain(plain);
    }
    let folder = Folder::prepare(&args.out)?;
    let seed = args.seed.unwrap_or_else(random_seed);
    let campaign = Campaign {
        launch: job.target.launch.clone(),
        scripts: selection.scripts.clone(),
        versions: if job.protocol.is_empty() {
            Version::ALL.to_vec()
        } else {
            job.protocol.clone()
        },
        declared: !job.protocol.is_empty(),
        settings: job.settings.clone(),
        jobs: job.jobs,
        seed,
        thorough: args.thorough,
        fresh: args.fresh,
        repeats: args.repeats,
        traces: Some(folder.traces()),
        memo: None,
    };
    let progress = Progress::begin();
    let findings = campaign.run(&progress);
    progress.end();

    let report = report(args, &job, &selection, seed, &findings);
    let mut report = output::redacted(report, campaign.secrets())?;
    let json = output::json(&report)?;
    let written = folder.write(&json);
    if let Err(failure) = &written {
        // Whoever reads the verdict learns of it there.
        report.verdict.reasons.push(failure.sentence());
    }
    let shown = match args.show.format {
        Format::Json => json.clone(),
        Format::Human => {
            let path = folder.path().to_string_lossy();
            let view = View {
                catalogue: &suite.catalogue,
                folder: Some(&path),
            };
            render(&report, view, output::style(args.show.color))
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

/// Where the target cannot even be started, whoever reads reports only gets one that says so. Nothing is written.
fn not_started(args: &RunArgs, failure: Failure) -> Failure {
    let suite = Suite::embedded();
    let kind = args.kind.unwrap_or(Kind::Agent);
    let report = build(&Input {
        elenchus: env!("CARGO_PKG_VERSION").to_owned(),
        command: command_line(),
        seed: args.seed.unwrap_or_default(),
        kind,
        target: TargetInfo {
            kind: String::new(),
            command: args.target.iter().cloned().collect(),
            info: None,
            notes: Vec::new(),
        },
        catalogue: &suite.catalogue,
        rules: ruled(kind),
        scripts: &suite.scripts,
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
fn command_line() -> Vec<String> {
    std::env::args_os()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect()
}

/// A seed that a person can type.
fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish() & u64::from(u32::MAX)
}

fn report(
    args: &RunArgs,
    job: &Job,
    selection: &Selection<'_>,
    seed: u64,
    findings: &Findings,
) -> Report {
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
            replay: replay(args, job, outcome.version, &outcome.script, seed),
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
            command: job.target.command.clone(),
            info: knowledge
                .info
                .as_deref()
                .and_then(|info| serde_json::from_str(info).ok()),
            notes: notes(job.target.kind, findings),
        },
        catalogue: &suite.catalogue,
        rules: ruled(job.target.kind),
        scripts: &suite.scripts,
        protocols: versions(job, findings).into_iter().map(protocol).collect(),
        performances,
        skipped,
        left_out: selection.left_out.clone(),
        attestations: job.attestations.clone(),
        dead: knowledge.dead.as_ref().map(|dead| Dead {
            what: dead.what.clone(),
            stderr: dead.stderr.clone(),
            frames: dead.frames.clone(),
            hint: dead.hint.clone(),
        }),
        incomplete: stopped_early(findings)
            .into_iter()
            .chain(not_performed(findings))
            .chain(findings.blocked.iter().flat_map(|blocked| {
                never_at_work(args, job.target.kind, &knowledge.logins, blocked)
            }))
            .collect(),
        troubles: findings
            .trace_error
            .iter()
            .map(|error| format!("Not all traces could be written: {error}."))
            .collect(),
    })
}

/// How many instances could not be performed, as no process could be started for them.
fn not_performed(findings: &Findings) -> Option<String> {
    let reasons = || {
        let outcomes = findings.outcomes.iter();
        outcomes.filter_map(|outcome| match &outcome.stopped {
            Some(Stopped::NotStarted(reason)) => Some(reason),
            _ => None,
        })
    };
    let first = reasons()
        .next()
        .filter(|_| findings.knowledge.dead.is_none())?;
    Some(format!(
        "The target could not be started {} times: {first}. With --jobs 1 less is needed at a time.",
        reasons().count()
    ))
}

/// How far a run came that a signal ended.
fn stopped_early(findings: &Findings) -> Option<String> {
    if !findings.interrupted {
        return None;
    }
    let mut open = findings.planned.clone();
    for outcome in &findings.outcomes {
        if let Some(left) = open.get_mut(&(outcome.version, outcome.script.clone())) {
            *left = left.saturating_sub(1);
        }
    }
    let done = open.values().filter(|left| **left == 0).count();
    Some(if open.is_empty() {
        "The run was stopped by a signal before the first script.".to_owned()
    } else {
        format!(
            "The run was stopped by a signal after {done} of {} scripts.",
            open.len()
        )
    })
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

fn notes(kind: Kind, findings: &Findings) -> Vec<String> {
    let knowledge = &findings.knowledge;
    let echoed = &knowledge.echoed;
    let heeds = (kind == Kind::Client && knowledge.dead.is_none()).then(|| heeds(knowledge));
    echoed
        .iter()
        .map(|(version, answer)| {
            format!("it answers protocol version {version} without speaking its shapes: {answer}")
        })
        .chain(knowledge.alone.then(|| {
            "only one process of it can run at a time, so nothing was performed beside anything else"
                .to_owned()
        }))
        .chain(heeds)
        .chain(disturbed(&findings.outcomes))
        .collect()
}

/// What a client was seen to heed of its environment.
pub(crate) fn heeds(knowledge: &Knowledge) -> String {
    let heeded: BTreeSet<&str> = knowledge
        .heeds
        .iter()
        .map(|(_, heed)| heed.word())
        .collect();
    if heeded.is_empty() {
        return "it was seen to heed nothing that its environment tells it, so what a person has to do was not tried; \
                suites/README.md says how a client is prepared"
            .to_owned();
    }
    let words: Vec<&str> = heeded.into_iter().collect();
    format!(
        "it heeds what its environment says of: {}",
        words.join(", ")
    )
}

/// What went wrong only on processes that had served other scripts.
fn disturbed(outcomes: &[Outcome]) -> Option<String> {
    let disturbed = || {
        let outcomes = outcomes.iter();
        outcomes.filter(|outcome| !outcome.disturbed.is_empty())
    };
    let ids: BTreeSet<&str> = disturbed()
        .flat_map(|outcome| outcome.disturbed.iter().copied())
        .collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    (!ids.is_empty()).then(|| {
        format!(
            "in {} scripts something broke on a process that had served other scripts, and not on one of its own: {}. \
             None of that is held against it, and yet sessions may not be kept apart",
            disturbed().count(),
            ids.join(", ")
        )
    })
}

fn why_stopped(stopped: &Stopped) -> String {
    match stopped {
        Stopped::NotStarted(reason) => format!("the target could not be started: {reason}"),
        Stopped::Step { line, reason } => format!("line {line}: {reason}"),
    }
}

/// That a milestone was never reached, in words.
pub(crate) fn missed(kind: Kind, milestone: Milestone) -> &'static str {
    match (kind, milestone) {
        (Kind::Agent, Milestone::Session) => "no session could be opened",
        (Kind::Agent, Milestone::Turn) => "no turn ended",
        (Kind::Client, Milestone::Session) => "it opened no session",
        (Kind::Client, Milestone::Turn) => "it sent no prompt",
    }
}

/// What a target never did, with the evidence and what to do about it; a sentence an item.
fn never_at_work(args: &RunArgs, kind: Kind, logins: &[String], blocked: &Blocked) -> Vec<String> {
    /// More of standard error stands in the trace.
    const LINES: usize = 4;
    let milestone = if blocked.session {
        Milestone::Session
    } else {
        Milestone::Turn
    };
    let what = missed(kind, milestone);
    let place = match blocked.line {
        Some(line) => format!("script {}, line {line}", blocked.script),
        None if blocked.script == "control" => {
            "the run that learns what the target can do".to_owned()
        }
        None => format!("script {}", blocked.script),
    };
    let trace = blocked.trace.as_ref().map(|file| {
        let path = args.out.join("traces").join(file);
        format!(", trace {}", path.display())
    });
    let mut told = vec![format!(
        "{}: {what}: {} ({place}{}).",
        blocked.version.name(),
        blocked.reason,
        trace.unwrap_or_default()
    )];
    let skipped = blocked.stderr.len().saturating_sub(LINES);
    told.extend(
        blocked.stderr[skipped..]
            .iter()
            .map(|line| format!("standard error: {line}")),
    );
    told.push(if !blocked.reason.contains("-32000") {
        "What passed was seen before that, and says little of the target.".to_owned()
    } else if let Some(login) = logins.first() {
        format!(
            "It is gated by authentication, and offers to sign in by {}: try --auth-method {login}, or test one that is signed in.",
            logins.join(", ")
        )
    } else {
        "It is gated by authentication: a target is tested that is signed in, or that needs no sign-in.".to_owned()
    });
    told
}

/// The command that performs a script again.
fn replay(args: &RunArgs, job: &Job, version: Version, script: &str, seed: u64) -> String {
    let program = std::env::args()
        .next()
        .unwrap_or_else(|| "elenchus".to_owned());
    let mut words = vec![program];
    if let Some(profile) = &job.profile {
        words.extend(["--profile".to_owned(), profile.display().to_string()]);
    }
    if let Some(target) = &args.target {
        words.extend(["--target".to_owned(), target.clone()]);
    }
    if let Some(kind) = args.kind {
        words.extend(["--kind", kind.name()].map(str::to_owned));
    }
    words.extend(["--protocol", version.name()].map(str::to_owned));
    // Every run begins with the control run, and no script has its name.
    if script != CONTROL {
        words.extend(["--only", script].map(str::to_owned));
    }
    words.extend(["--seed".to_owned(), seed.to_string()]);
    // The report that names this command stays as it is.
    words.extend(["--out", "elenchus-again"].map(str::to_owned));
    let flags = [
        (args.direct, "--direct"),
        (args.thorough, "--thorough"),
        (args.fresh, "--fresh"),
        (args.allow_logout, "--allow-logout"),
    ];
    words.extend(
        flags
            .into_iter()
            .filter(|(set, _)| *set)
            .map(|(_, flag)| flag.to_owned()),
    );
    if let Some(timeout) = args.timeout {
        words.extend(["--timeout".to_owned(), timeout.as_secs_f64().to_string()]);
    }
    if let Some(method) = &args.auth_method {
        words.extend(["--auth-method".to_owned(), method.clone()]);
    }
    if !args.args.is_empty() {
        words.push("--".to_owned());
        words.extend(
            args.args
                .iter()
                .map(|arg| arg.to_string_lossy().into_owned()),
        );
    }
    // An argument of a command line holds no NUL, the one character that cannot be quoted.
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}
