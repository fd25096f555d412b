//! What a turn came to, by the words of the vocabulary and by the effects that it showed.

use std::fmt;

use elenchus_protocol::acp::elicitation::Answer;
use serde_json::Value;

use crate::{
    rule::Still,
    text,
    world::{Conn, Turn},
};

/// What one line of the vocabulary says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Report {
    /// `elicited accept {...}` (or without content), or `chose X`: the agent takes the user to have agreed.
    Accept(Option<Value>),
    /// `elicited decline`.
    Decline,
    /// `elicited cancel`.
    Cancel,
    /// `invalid answer`.
    Invalid,
    /// `elicited error CODE`.
    Error,
    /// `unavailable`.
    Unavailable,
    /// Words that the vocabulary does not have.
    Other,
}

/// What a turn reported: its last line of the vocabulary. What an agent says before and after that is prose.
pub(super) fn report(turn: &Turn) -> Report {
    turn.report()
        .lines()
        .rev()
        .map(report_line)
        .find(|report| *report != Report::Other)
        .unwrap_or(Report::Other)
}

/// What one line of a report says.
pub(super) fn report_line(line: &str) -> Report {
    let line = line.trim();
    match line {
        "elicited accept" => return Report::Accept(None),
        "elicited decline" => return Report::Decline,
        "elicited cancel" => return Report::Cancel,
        "invalid answer" => return Report::Invalid,
        "unavailable" => return Report::Unavailable,
        _ => {}
    }
    if let Some(content) = line.strip_prefix("elicited accept ") {
        return match serde_json::from_str(content) {
            Ok(Value::Null) => Report::Accept(None),
            Ok(content) => Report::Accept(Some(content)),
            Err(_) => Report::Other,
        };
    }
    if let Some(chosen) = line.strip_prefix("chose ") {
        return Report::Accept(Some(Value::from(chosen)));
    }
    let code = line.strip_prefix("elicited error ");
    if code.is_some_and(|code| code.parse::<i64>().is_ok()) {
        return Report::Error;
    }
    Report::Other
}

/// Why the words of a turn that the vocabulary does not have decide nothing.
pub(super) const OWN_WORDS: &str = "the agent's own words do not tell what it took the answer for";

/// What a rule makes of a turn that ended without a claim that breaks it: it upholds the rule, unless nobody promised
/// that the turn would say what it came to, since its prompt was another one than the vocabulary's.
pub(super) fn upheld_as_told(turn: &Turn) -> Still {
    if turn.stands_for.is_some() && !failed(turn) && report(turn) == Report::Other {
        Still::Unclear(OWN_WORDS.to_owned())
    } else {
        Still::Upheld
    }
}

/// Everything that a turn claimed the user to have agreed to, also in lines with a label (`first: elicited accept`).
pub(super) fn claims(turn: &Turn) -> Vec<Option<Value>> {
    let claim = |line: &str| match report_line(line) {
        Report::Accept(content) => Some(content),
        _ => None,
    };
    turn.report()
        .lines()
        .filter_map(|line| claim(line).or_else(|| claim(line.split_once(": ")?.1)))
        .collect()
}

/// The class of what a turn came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It took the answer for an accept.
    Completed,
    /// It did without: a decline, a cancel, nothing available.
    FellBack,
    /// It found the answer invalid, met an error, or failed altogether.
    Failed,
    /// It ended, and what it said the vocabulary does not have.
    OwnWords,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completed => "took the answer for an accept",
            Self::FellBack => "took the answer for a refusal",
            Self::Failed => "failed",
            Self::OwnWords => "ended in words of its own",
        })
    }
}

fn outcome(turn: &Turn) -> Outcome {
    if failed(turn) {
        return Outcome::Failed;
    }
    match report(turn) {
        Report::Accept(_) => Outcome::Completed,
        Report::Decline | Report::Cancel | Report::Unavailable => Outcome::FellBack,
        Report::Invalid | Report::Error => Outcome::Failed,
        Report::Other => Outcome::OwnWords,
    }
}

/// The turn itself failed: an error for the prompt, or (v2) the stop reason `error`.
pub(super) fn failed(turn: &Turn) -> bool {
    turn.ended
        .as_ref()
        .is_some_and(|end| end.error.is_some() || end.stop_reason.as_deref() == Some("error"))
}

/// Whether two turns that ended came to the same: as many questions, and the same class of outcome. `None` where their
/// words do not tell, or where a prompt that is not the vocabulary's may come to something else each time.
pub(super) fn same(one: &Turn, other: &Turn) -> Option<bool> {
    if one.stands_for.is_some() || other.stands_for.is_some() {
        return None;
    }
    if one.elicitations.len() != other.elicitations.len() {
        return Some(false);
    }
    match (outcome(one), outcome(other)) {
        (Outcome::OwnWords, Outcome::OwnWords) => (one.report() == other.report()).then_some(true),
        (Outcome::OwnWords, _) | (_, Outcome::OwnWords) => None,
        (a, b) => Some(a == b),
    }
}

/// What a turn came to, for a sentence.
pub(super) fn came_to(turn: &Turn) -> String {
    let outcome = turn.ended.as_ref().map(|_| outcome(turn));
    match (turn.elicitations.len(), outcome) {
        (0 | 1, Some(outcome)) => outcome.to_string(),
        (times, Some(outcome)) => format!("asked {times} times and {outcome}"),
        (times, None) => format!("asked {times} times"),
    }
}

/// What a turn reported, shortened and safe to print.
pub(super) fn said(turn: &Turn) -> String {
    let report = turn.report();
    match turn.ended.as_ref().and_then(|end| end.error) {
        _ if !report.is_empty() => text::short(&report.replace('\n', " / ")),
        Some(code) => format!("the error {code} for the prompt"),
        None => "no message".to_owned(),
    }
}

/// How often a turn asked after it had an answer.
pub(super) fn asked_again(conn: &Conn, turn: &Turn) -> usize {
    let first_answer = turn
        .elicitations
        .iter()
        .filter_map(|&index| conn.requests[index].answer().map(|answer| answer.seq))
        .min();
    let Some(answered) = first_answer else {
        return 0;
    };
    turn.elicitations
        .iter()
        .filter(|&&index| conn.requests[index].seq > answered)
        .count()
}

/// Our side accepted some elicitation of this turn, readably.
pub(super) fn accepted(conn: &Conn, turn: &Turn) -> bool {
    turn.elicitations
        .iter()
        .filter_map(|&index| conn.requests[index].elicitation.as_deref())
        .any(|elicitation| match &elicitation.answer {
            Some(Answer::Accept(content)) => content.as_ref().is_none_or(Value::is_object),
            _ => false,
        })
}

/// `NAME` of `/effect NAME form`.
pub(super) fn effect_name(turn: &Turn) -> Option<&str> {
    (turn.trigger.as_deref() == Some("/effect"))
        .then(|| turn.prompt.split_whitespace().nth(1))
        .flatten()
}

/// The effect of an `/effect` turn was performed: a tool call has its title, or the report says that it is done.
pub(super) fn effect_shown(conn: &Conn, turn: &Turn) -> bool {
    let Some(name) = effect_name(turn) else {
        return false;
    };
    let title = format!("effect {name}");
    let began = conn.requests[turn.request].seq;
    let session = conn.sessions.get(&turn.session);
    let call = session.and_then(|session| session.titles.get(&title));
    let done = format!("{title} done");
    call.is_some_and(|&seq| seq > began) || turn.report().lines().any(|line| line.trim() == done)
}

/// Our side consented to the effect of an `/effect` turn: an accept with `confirm: true`.
pub(super) fn consented(conn: &Conn, turn: &Turn) -> bool {
    turn.elicitations
        .iter()
        .filter_map(|&index| conn.requests[index].elicitation.as_deref())
        .any(|elicitation| match &elicitation.answer {
            Some(Answer::Accept(Some(content))) => content["confirm"] == true,
            _ => false,
        })
}

/// What an agent may not do after an answer that is no accept: claim that the user chose, or do what it asked
/// consent for. Says what it did, if it did.
pub(super) fn acted_as_accepted(conn: &Conn, turn: &Turn) -> Option<String> {
    if effect_shown(conn, turn) && !consented(conn, turn) {
        let name = text::short_to(effect_name(turn).unwrap_or_default(), 60);
        return Some(format!(
            "performed the effect `{name}` that the question asked consent for"
        ));
    }
    if accepted(conn, turn) {
        return None;
    }
    claims(turn).pop().map(|claim| match claim {
        Some(content) => format!("reported that the user gave {}", quoted(&content)),
        None => "reported that the user accepted".to_owned(),
    })
}

/// A value from the wire, for a sentence.
pub(super) fn quoted(value: &Value) -> String {
    text::short_to(&value.to_string(), 120)
}
