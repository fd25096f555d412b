//! What several rules share: the strict views of an elicitation, and what a turn reported.

use elenchus_protocol::{
    Problem, Weight,
    acp::elicitation::{Answer, Create, CreateFault},
    form::{Feature, SchemaFault},
};
use elenchus_wire::Side;
use serde_json::Value;

use crate::{
    fact::{Fact, Moment},
    rule::{Says, Why},
    world::{Conn, Elicitation, Request, Turn, World},
};

/// The elicitation, if this is the agent asking one.
pub(super) fn elicited<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request, &'a Elicitation)> {
    let (index, request) = m.requested()?;
    Some((index, request, request.elicitation.as_deref()?))
}

/// Says what the view of the elicitation at hand found of these faults. Problems below `least` are remarks; the
/// clause is upheld where its situation arises and nothing at or above `least` was found.
pub(super) fn create(
    m: &Moment<'_>,
    says: &mut Says,
    faults: &[CreateFault],
    least: Weight,
    arises: fn(&Create) -> bool,
) {
    let Some((_, _, elicitation)) = elicited(m) else {
        return;
    };
    let problems = elicitation
        .create
        .problems
        .iter()
        .filter(|problem| faults.contains(&problem.kind));
    tell(says, problems, least, arises(&elicitation.create));
}

/// The same for the form schema of the elicitation at hand. A feature that the schema has makes the situation arise.
pub(super) fn schema(
    m: &Moment<'_>,
    says: &mut Says,
    fault: SchemaFault,
    least: Weight,
    features: &[Feature],
) {
    let Some((_, _, elicitation)) = elicited(m) else {
        return;
    };
    let Some(form) = &elicitation.create.form else {
        return;
    };
    let arises = features.is_empty()
        || features
            .iter()
            .any(|feature| form.features.contains(feature));
    tell(
        says,
        form.problems.iter().filter(|problem| problem.kind == fault),
        least,
        arises,
    );
}

/// Says what a list of problems comes to.
pub(super) fn tell<'p, K: 'p>(
    says: &mut Says,
    problems: impl Iterator<Item = &'p Problem<K>>,
    least: Weight,
    arises: bool,
) {
    let mut clean = true;
    for problem in problems {
        let pointer = if problem.pointer.is_empty() {
            "the whole"
        } else {
            &problem.pointer
        };
        if problem.weight >= least {
            clean = false;
            says.broken(Why::new(
                format!("{pointer}: {}", problem.expected),
                format!(
                    "{pointer} is {}; it has to be {}",
                    problem.got, problem.expected
                ),
            ));
        } else if problem.weight == Weight::Warning {
            says.note(format!(
                "{pointer} is {}; better: {}",
                problem.got, problem.expected
            ));
        } else {
            clean = false;
            says.unclear(format!(
                "{pointer} is {}: the texts disagree whether it may be",
                problem.got
            ));
        }
    }
    if clean && arises {
        says.upheld();
    }
}

/// The turn that begins at this fact, if its prompt is a trigger.
pub(super) fn triggered<'a>(m: &Moment<'a>) -> Option<(usize, &'a Turn, &'a str)> {
    let Fact::TurnStarted(index) = m.fact else {
        return None;
    };
    let turn = &m.conn.turns[*index];
    Some((*index, turn, turn.trigger.as_deref()?))
}

/// The modes in which the control run saw this trigger elicit.
pub(super) fn modes_of(world: &World, trigger: &str) -> Vec<&'static str> {
    ["form", "url"]
        .into_iter()
        .filter(|mode| world.elicits(trigger, mode))
        .collect()
}

/// A mode is advertised on this connection.
pub(super) fn advertised(conn: &Conn, mode: &str) -> bool {
    match mode {
        "form" => conn.init.support.form,
        "url" => conn.init.support.url,
        _ => false,
    }
}

/// What a turn came to, by the words of the vocabulary.
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
    Other(String),
}

/// What the last line of a report says.
pub(super) fn report(turn: &Turn) -> Report {
    let text = turn.report();
    report_line(text.lines().last().unwrap_or_default())
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
            Ok(content) => Report::Accept(Some(content)),
            Err(_) => Report::Other(line.to_owned()),
        };
    }
    if let Some(chosen) = line.strip_prefix("chose ") {
        return Report::Accept(Some(Value::from(chosen)));
    }
    if line
        .strip_prefix("elicited error ")
        .is_some_and(|code| code.parse::<i64>().is_ok())
    {
        return Report::Error;
    }
    Report::Other(line.to_owned())
}

/// The class of a report: what two turns that should come to the same have to share.
pub(super) fn class(turn: &Turn) -> String {
    let said = match report(turn) {
        Report::Accept(_) => "took it as accepted".to_owned(),
        Report::Decline => "took it as declined".to_owned(),
        Report::Cancel => "took it as cancelled".to_owned(),
        Report::Invalid => "found the answer invalid".to_owned(),
        Report::Error => "met an error".to_owned(),
        Report::Unavailable => "found it unavailable".to_owned(),
        Report::Other(text) if text.is_empty() => "said nothing".to_owned(),
        Report::Other(_) => "said something else".to_owned(),
    };
    match &turn.ended {
        Some(end) if end.error.is_some() => format!("{said} and failed the prompt"),
        _ => said,
    }
}

/// The elicitation of a turn that our side answered last, if any.
pub(super) fn last_answered<'a>(
    conn: &'a Conn,
    turn: &Turn,
) -> Option<(&'a Request, &'a Elicitation)> {
    turn.elicitations
        .iter()
        .map(|&index| &conn.requests[index])
        .filter(|request| !request.is_open())
        .max_by_key(|request| request.answer().map(|answer| answer.seq))
        .and_then(|request| Some((request, request.elicitation.as_deref()?)))
}

/// Our side accepted some elicitation of this turn, with content that fits.
pub(super) fn accepted(conn: &Conn, turn: &Turn) -> bool {
    turn.elicitations
        .iter()
        .filter_map(|&index| conn.requests[index].elicitation.as_deref())
        .any(|elicitation| {
            elicitation.fits && matches!(elicitation.answer, Some(Answer::Accept(_)))
        })
}

/// `NAME` of `/effect NAME form`.
pub(super) fn effect_name(turn: &Turn) -> Option<&str> {
    (turn.trigger.as_deref() == Some("/effect"))
        .then(|| turn.prompt.split_whitespace().nth(1))
        .flatten()
}

/// The event at which the effect of an `/effect` turn first showed: a tool call with its title, or the report.
pub(super) fn effect_shown(conn: &Conn, turn: &Turn) -> Option<u64> {
    let name = effect_name(turn)?;
    let session = conn.sessions.get(&turn.session)?;
    let began = conn.requests[turn.request].seq;
    session
        .titles
        .get(&format!("effect {name}"))
        .copied()
        .filter(|&seq| seq > began)
}

/// Our consent to the effect of an `/effect` turn: the event of an accept with `confirm: true`.
pub(super) fn consent(conn: &Conn, turn: &Turn) -> Option<u64> {
    turn.elicitations.iter().find_map(|&index| {
        let request = &conn.requests[index];
        let Some(Answer::Accept(Some(content))) = &request.elicitation.as_deref()?.answer else {
            return None;
        };
        (content.get("confirm") == Some(&Value::Bool(true)))
            .then(|| request.answer().map(|answer| answer.seq))?
    })
}

/// What an agent may not do after an answer that is no accept: claim that the user chose, or do what it asked
/// consent for. Says what it did, if it did.
pub(super) fn acted_as_accepted(conn: &Conn, turn: &Turn) -> Option<String> {
    if effect_shown(conn, turn).is_some() && consent(conn, turn).is_none() {
        let name = effect_name(turn).unwrap_or_default();
        return Some(format!(
            "performed the effect `{name}` that the question asked consent for"
        ));
    }
    if accepted(conn, turn) {
        return None;
    }
    match report(turn) {
        Report::Accept(Some(content)) => Some(format!("reported that the user gave {content}")),
        Report::Accept(None) => Some("reported that the user accepted".to_owned()),
        Report::Other(text) if text.starts_with("effect ") && text.ends_with(" done") => {
            Some(format!("reported `{text}`"))
        }
        _ => None,
    }
}

/// The answers that a conforming agent has to survive: after ours to the elicitation at hand, a watch on its turn.
pub(super) fn watch_turn_of_answer(
    m: &Moment<'_>,
    says: &mut Says,
    applies: impl Fn(&Request, &Elicitation) -> bool,
) {
    let Some((_, request)) = m.we_answered() else {
        return;
    };
    let Some(elicitation) = request.elicitation.as_deref() else {
        return;
    };
    let Some(turn) = request.turn else { return };
    if m.judged == Side::Server
        && m.conn.turns[turn].ended.is_none()
        && applies(request, elicitation)
    {
        says.watch(crate::rule::Subject::Turn(turn));
    }
}
