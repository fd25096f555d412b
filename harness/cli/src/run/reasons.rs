//! What a reader of a verdict has to know of a run, in sentences.

use std::{collections::BTreeSet, path::Path};

use elenchus_drive::{
    Outcome,
    campaign::{Blocked, Findings, Knowledge},
    instance::Stopped,
};
use elenchus_reports::builder::Kind;
use elenchus_wire::event::Milestone;

use super::Work;

/// How many instances could not be performed, as no process could be started for them.
pub(super) fn not_performed(findings: &Findings) -> Option<String> {
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

/// The scripts of which nothing was performed in any version, where all were asked for.
pub(super) fn left(work: &Work<'_>, findings: &Findings) -> Vec<String> {
    if !work.all || findings.knowledge.dead.is_some() || findings.interrupted {
        return Vec::new();
    }
    let performed: BTreeSet<&str> = findings
        .outcomes
        .iter()
        .map(|outcome| outcome.script.as_str())
        .collect();
    let scripts = work.selection.scripts.iter();
    scripts
        .filter(|script| !performed.contains(script.name.as_str()))
        .map(|script| {
            let mut skipped = findings.skipped.iter();
            let skipped = skipped.find(|skipped| skipped.script == script.name);
            let why = skipped.map_or("it is for no version that was run", |skipped| {
                skipped.reason.as_str()
            });
            format!("{} was not performed: {why}.", script.name)
        })
        .collect()
}

/// How far a run came that a signal ended.
pub(super) fn stopped_early(findings: &Findings) -> Option<String> {
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

pub(super) fn notes(kind: Kind, findings: &Findings) -> Vec<String> {
    remarks(kind, &findings.knowledge)
        .chain(disturbed(&findings.outcomes))
        .collect()
}

/// What makes a run long: a request that nobody knows shows that a target has read all before it.
const IGNORES: &str = "it answers no request with a method that it does not know (ACP-EXT-001), and each such answer is waited \
    for: a run takes many times as long until it answers with error -32601; --timeout 2 shortens that meanwhile";

/// What is to be said of a target before it is done with, as it explains why that takes so long.
pub(crate) fn slow(knowledge: &Knowledge) -> Option<&'static str> {
    (knowledge.ignores_unknown && knowledge.dead.is_none()).then_some(IGNORES)
}

/// What is to be said of a target, whatever is done with it.
pub(crate) fn remarks(kind: Kind, knowledge: &Knowledge) -> impl Iterator<Item = String> {
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
        .chain(slow(knowledge).map(str::to_owned))
        .chain(heeds)
}

/// What a client was seen to heed of its environment.
pub(crate) fn heeds(knowledge: &Knowledge) -> String {
    let heeded: BTreeSet<&str> = knowledge
        .heeds
        .iter()
        .map(|(_, heed)| heed.word())
        .collect();
    let answers: BTreeSet<&str> = knowledge
        .answers
        .iter()
        .map(|(_, word)| word.as_str())
        .collect();
    let answers: Vec<&str> = answers.into_iter().collect();
    if heeded.is_empty() && !answers.is_empty() {
        return format!(
            "by the commands of its profile it answers elicitations with: {}",
            answers.join(", ")
        );
    }
    if heeded.is_empty() {
        return "it was seen to heed nothing that its environment tells it, so what a person has to do was not tried; \
                suites/README.md says how a client is prepared"
            .to_owned();
    }
    let words: Vec<&str> = heeded.into_iter().collect();
    let commands = if answers.is_empty() {
        String::new()
    } else {
        let answers = answers.join(", ");
        format!("; by the commands of its profile it answers elicitations with: {answers}")
    };
    format!(
        "it heeds what its environment says of: {}{commands}",
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

pub(super) fn why_stopped(stopped: &Stopped) -> String {
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
pub(super) fn never_at_work(
    out: &Path,
    kind: Kind,
    logins: &[String],
    blocked: &Blocked,
) -> Vec<String> {
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
        let path = out.join("traces").join(file);
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
