//! `elenchus run`: a campaign, and its report.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    num::NonZeroUsize,
    process::ExitCode,
    thread,
    time::Duration,
};

use elenchus_drive::{
    Campaign, Settings,
    campaign::{Blocked, CONTROL, Findings, Knowledge},
    instance::Stopped,
};
use elenchus_protocol::Version;
use elenchus_reports::{
    Input, Report, build,
    builder::{Dead, Performance, Protocol, Skipped},
    human::{View, render},
    model::TargetInfo,
};
use elenchus_suites::{Script, Suite};

use crate::{
    args::{Format, RunArgs},
    failure::Failure,
    output::{self, Folder},
    progress::Progress,
    select::{Selection, select},
    suite::ruled,
    target::Target,
};

/// Runs it.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let suite = Suite::embedded();
    let target = Target::read(args.target.as_deref().unwrap_or_default(), &args.args)?;
    let mut selection = select(suite, args.kind, &args.only, &args.skip)?;
    // Where only such scripts were asked for, they were asked for.
    let plain = |script: &&Script| !script.thorough;
    if !args.thorough && selection.scripts.iter().any(plain) {
        selection.scripts.retain(plain);
    }
    let folder = Folder::prepare(&args.out)?;
    let seed = args.seed.unwrap_or_else(random_seed);
    let campaign = Campaign {
        launch: target.launch.clone(),
        scripts: selection.scripts.clone(),
        versions: if args.protocol.is_empty() {
            Version::ALL.to_vec()
        } else {
            asked(args)
        },
        declared: !args.protocol.is_empty(),
        settings: settings(args),
        jobs: args.jobs.map_or_else(default_jobs, NonZeroUsize::get),
        seed,
        thorough: args.thorough,
        repeats: args.repeats,
        traces: Some(folder.traces()),
        memo: None,
    };
    let progress = Progress::begin();
    let findings = campaign.run(&progress);
    progress.end();

    let report = report(args, &target, &selection, seed, &findings);
    let json = output::json(&report)?;
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
    let written = folder.write(&json);
    output::print(&shown)?;
    written?;
    if let Some(error) = &findings.trace_error {
        return Err(Failure::usage(format!(
            "a trace could not be written: {error}"
        )));
    }
    Ok(output::exit(&report))
}

/// The versions that the operator named, each once, oldest first.
fn asked(args: &RunArgs) -> Vec<Version> {
    args.protocol
        .iter()
        .copied()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// A seed that a person can type.
fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish() & u64::from(u32::MAX)
}

fn default_jobs() -> usize {
    thread::available_parallelism().map_or(2, |cores| cores.get() * 2)
}

/// What a thorough run takes in: its longest message has 16 MiB, and comes back twice.
const LONG_LINE: usize = 20 * 1024 * 1024;
const LONG_TRACE: usize = 128 * 1024 * 1024;

/// What the operator set.
fn settings(args: &RunArgs) -> Settings {
    let reference = args
        .target
        .as_deref()
        .is_some_and(|it| it.starts_with("reference:"));
    let usual = args.timeout.map_or_else(Settings::default, scaled);
    Settings {
        allow_logout: args.allow_logout || reference,
        max_line: if args.thorough {
            LONG_LINE
        } else {
            usual.max_line
        },
        max_trace: if args.thorough {
            LONG_TRACE
        } else {
            usual.max_trace
        },
        ..usual
    }
}

/// Settings for a target that may take this long to answer. Windows grow with it and never shrink: they follow what is
/// measured.
fn scaled(answer: Duration) -> Settings {
    let usual = Settings::default();
    let factor = answer.as_secs_f64() / usual.answer.as_secs_f64();
    Settings {
        answer,
        start: usual.start.mul_f64(factor),
        expect: usual.expect.mul_f64(factor),
        quiet: (usual.quiet.0, usual.quiet.1.mul_f64(factor.max(1.0))),
        goodbye: usual.goodbye.mul_f64(factor.max(1.0)),
        ..usual
    }
}

fn report(
    args: &RunArgs,
    target: &Target,
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
            replay: replay(args, outcome.version, &outcome.script, seed),
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
        command: std::env::args_os()
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect(),
        seed,
        kind: args.kind,
        target: TargetInfo {
            kind: String::new(),
            command: target.command.clone(),
            info: knowledge
                .info
                .as_deref()
                .and_then(|info| serde_json::from_str(info).ok()),
            notes: notes(knowledge),
        },
        catalogue: &suite.catalogue,
        rules: ruled(),
        scripts: &suite.scripts,
        protocols: versions(args, findings).into_iter().map(protocol).collect(),
        performances,
        skipped,
        left_out: selection.left_out.clone(),
        dead: knowledge.dead.as_ref().map(|dead| Dead {
            what: dead.what.clone(),
            stderr: dead.stderr.clone(),
            frames: dead.frames.clone(),
            hint: dead.hint.clone(),
        }),
        incomplete: stopped_early(findings)
            .into_iter()
            .chain(
                findings
                    .blocked
                    .iter()
                    .flat_map(|blocked| never_at_work(args, blocked)),
            )
            .collect(),
        troubles: findings
            .trace_error
            .iter()
            .map(|error| format!("Not all traces could be written: {error}."))
            .collect(),
    })
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
fn versions(args: &RunArgs, findings: &Findings) -> BTreeSet<Version> {
    let performed = findings.outcomes.iter().map(|outcome| outcome.version);
    if findings.knowledge.dead.is_some() {
        return performed.collect();
    }
    performed
        .chain(findings.knowledge.versions.iter().copied())
        .chain(args.protocol.iter().copied())
        .collect()
}

fn notes(knowledge: &Knowledge) -> Vec<String> {
    let echoed = &knowledge.echoed;
    echoed
        .iter()
        .map(|(version, answer)| {
            format!("it answers protocol version {version} without speaking its shapes: {answer}")
        })
        .chain(knowledge.alone.then(|| {
            "only one process of it can run at a time, so nothing was performed beside anything else"
                .to_owned()
        }))
        .collect()
}

fn why_stopped(stopped: &Stopped) -> String {
    match stopped {
        Stopped::NotStarted(reason) => format!("the target could not be started: {reason}"),
        Stopped::Step { line, reason } => format!("line {line}: {reason}"),
    }
}

/// What a target never did, with the evidence and what to do about it; a sentence an item.
fn never_at_work(args: &RunArgs, blocked: &Blocked) -> Vec<String> {
    /// More of standard error stands in the trace.
    const LINES: usize = 4;
    let what = if blocked.session {
        "no session could be opened"
    } else {
        "no turn ended"
    };
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
    told.push(if blocked.reason.contains("-32000") {
        "It is gated by authentication: a target is tested that is signed in, or that needs no sign-in.".to_owned()
    } else {
        "What passed was seen before that, and says little of the target.".to_owned()
    });
    told
}

/// The command that performs a script again.
fn replay(args: &RunArgs, version: Version, script: &str, seed: u64) -> String {
    let program = std::env::args()
        .next()
        .unwrap_or_else(|| "elenchus".to_owned());
    let mut words = vec![
        program,
        "--target".to_owned(),
        args.target.clone().unwrap_or_default(),
    ];
    words.extend(["--protocol", version.name()].map(str::to_owned));
    // Every run begins with the control run, and no script has its name.
    if script != CONTROL {
        words.extend(["--only", script].map(str::to_owned));
    }
    words.extend(["--seed".to_owned(), seed.to_string()]);
    let flags = [
        (args.thorough, "--thorough"),
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use elenchus_drive::Settings;

    use super::scaled;

    #[test]
    fn times_are_scaled_with_the_timeout_and_windows_never_shrink() {
        let usual = Settings::default();
        let slow = scaled(usual.answer * 3);
        assert_eq!(
            (slow.start, slow.expect, slow.quiet.1),
            (usual.start * 3, usual.expect * 3, usual.quiet.1 * 3)
        );
        let fast = scaled(Duration::from_secs(1));
        assert_eq!(
            (fast.answer, fast.quiet, fast.goodbye),
            (Duration::from_secs(1), usual.quiet, usual.goodbye)
        );
    }
}
