//! What several rules share: the strict views of an elicitation, and the course of a turn.

use elenchus_protocol::{
    Problem, Weight,
    acp::elicitation::{Create, CreateFault},
    form::{Feature, SchemaFault},
};
use elenchus_wire::{Side, Wait};

use super::report;
use crate::{
    fact::{Fact, Moment},
    rule::{Says, Still, Subject, Watch, Why},
    text,
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

/// The params of an elicitation are an object, so that clauses on its members can be met at all.
pub(super) fn has_members(create: &Create) -> bool {
    let broken = |problem: &Problem<CreateFault>| problem.kind == CreateFault::Params;
    !create.problems.iter().any(broken)
}

/// The same for the form schema of the elicitation at hand. A feature that the schema has makes the situation arise;
/// without any, that there is a schema.
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
    let of = |kind| {
        form.problems
            .iter()
            .filter(move |problem| problem.kind == kind)
    };
    let arises = if features.is_empty() {
        fault == SchemaFault::NotAnObject || of(SchemaFault::NotAnObject).next().is_none()
    } else {
        features
            .iter()
            .any(|feature| form.features.contains(feature))
    };
    tell(says, of(fault), least, arises);
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
        let pointer = match problem.pointer.as_str() {
            "" => "params".to_owned(),
            pointer => text::short(pointer),
        };
        let (got, expected) = (text::short(&problem.got), &problem.expected);
        if problem.weight >= least {
            clean = false;
            says.broken(Why::new(
                format!("{pointer}: {expected}"),
                format!("{pointer} is {got}; it has to be {expected}"),
            ));
        } else if problem.weight == Weight::Warning {
            says.note(format!("{pointer} is {got}; better: {expected}"));
        } else {
            clean = false;
            says.unclear(format!(
                "{pointer} is {got}: the texts disagree whether it may be"
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
        says.watch(Subject::Turn(turn));
    }
}

/// The prompt that made the agent elicit handed over what it asks: a schema or a URL of ours.
pub(super) fn handed_over<'a>(conn: &'a Conn, request: &Request) -> Option<&'a str> {
    let turn = &conn.turns[request.turn?];
    let trigger = turn.trigger.as_deref()?;
    let argument = turn.prompt.strip_prefix(trigger)?.trim();
    let takes_one = matches!(
        trigger,
        "/elicit form" | "/elicit tool form" | "/elicit url"
    );
    (takes_one && !argument.is_empty()).then_some(argument)
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

/// Our newest answer in a turn, as sent; before there is one, the prompt.
pub(super) fn answered_with(conn: &Conn, turn: &Turn) -> String {
    last_answered(conn, turn)
        .and_then(|(request, _)| request.answer())
        .map_or_else(
            || conn.requests[turn.request].text.clone(),
            |answer| answer.text.clone(),
        )
}

/// What has become of the turn that a watch is about.
pub(super) enum Course<'a> {
    /// Nothing new.
    GoesOn,
    /// It asked (again), after the watch was opened.
    Asked(&'a Turn),
    /// It ended.
    Ended(&'a Turn),
    /// It can no longer be told.
    Unclear(&'static str),
}

/// What has become of the turn that a watch is about, at this fact.
pub(super) fn course<'a>(m: &Moment<'a>, watch: &Watch) -> Course<'a> {
    let Subject::Turn(index) = watch.subject else {
        return Course::GoesOn;
    };
    let turn = &m.conn.turns[index];
    match m.fact {
        Fact::TurnEnded(ended) if *ended == index => {
            if m.conn.overlaps(index) {
                Course::Unclear(
                    "another turn ran in the same session, and may have been the one that ended",
                )
            } else {
                Course::Ended(turn)
            }
        }
        Fact::Requested(request)
            if turn.elicitations.contains(request)
                && m.conn.requests[*request].seq > watch.opened =>
        {
            Course::Asked(turn)
        }
        Fact::Deadline(Wait::TurnEnd { id }) if m.conn.requests[turn.request].id.text() == id => {
            if turn.cancelled.is_some() {
                Course::Unclear("the turn was cancelled, and did not end")
            } else if report::asked_again(m.conn, turn) >= ENDLESS {
                Course::Unclear("the agent asked again and again")
            } else {
                Course::GoesOn
            }
        }
        _ => Course::GoesOn,
    }
}

/// An agent that has asked so often after its first answer is asking without end, rather than hanging.
const ENDLESS: usize = 3;

/// A turn goes on to its end, or asks again, after something that could have ended the process.
pub(super) fn survives(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    if let Some(dead) = death(m, watch, "the end of the turn", what) {
        return dead;
    }
    match course(m, watch) {
        Course::Ended(_) | Course::Asked(_) => Still::Upheld,
        Course::Unclear(reason) => Still::Unclear(reason.to_owned()),
        Course::GoesOn => Still::Watching,
    }
}

/// What the end of the process means for a watch: broken if it came by itself after what opened the watch and nothing
/// else of ours that may have been read only then, so that the cause is certain. `None` if the process did not end by
/// itself.
pub(super) fn death(m: &Moment<'_>, watch: &Watch, expected: &str, what: &str) -> Option<Still> {
    let how = m.died()?;
    Some(if spoke_since(m.conn, watch.opened) {
        Still::Unclear(format!("{what}, then other messages were sent, and {how}"))
    } else if request_unread(m.conn, watch.opened) {
        Still::Unclear(format!(
            "a request was sent, then {what}, and {how}: which of the two ended it is not certain"
        ))
    } else {
        Still::Broken(Why::new(expected, format!("{what}, and {how}")))
    })
}

/// A request of ours that was sent before this event had no answer by then, and nothing shows that it had been read: no
/// fence, no request of the target, no update of the session that it is about.
fn request_unread(conn: &Conn, seq: u64) -> bool {
    let ours = conn.target.other();
    let between = |sent: u64, at: u64| sent < at && at < seq;
    conn.requests.iter().any(|request| {
        request.from == ours
            && !request.fence
            && request.seq < seq
            && request.answer().is_none_or(|answer| answer.seq > seq)
            && !conn.fenced(request.seq, seq)
            && !conn
                .requests
                .iter()
                .any(|theirs| theirs.from != ours && between(request.seq, theirs.seq))
            && !request.turn.is_some_and(|turn| {
                let session = &conn.turns[turn].session;
                let mut uttered = conn.uttered.iter();
                uttered.any(|told| told.session == *session && between(request.seq, told.seq))
            })
    })
}

/// Our side sent something after this event, fences excepted.
fn spoke_since(conn: &Conn, seq: u64) -> bool {
    let ours = conn.target.other();
    conn.malformed
        || conn.requests.iter().any(|request| {
            if request.from == ours {
                request.seq > seq && !request.fence
            } else {
                request.answers.iter().any(|answer| answer.seq > seq)
            }
        })
        || conn
            .notifications
            .iter()
            .any(|notification| notification.from == ours && notification.seq > seq)
        || conn
            .orphans
            .iter()
            .any(|orphan| orphan.from == ours && orphan.seq > seq)
}
