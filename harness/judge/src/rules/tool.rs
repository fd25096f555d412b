//! TOOL: how tool calls are told of, from their first update to their last.

use elenchus_protocol::Version;
use serde_json::Value;

use super::{
    calls::{
        Told, asked_about, call_update, defined, misplaces_updates, tell_places, told_call, update,
        witnessed,
    },
    lifecycle::{answer_to, made_up, told},
    told::{is_replayed, names_live_session, param},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS, TURN_ENDS, TURN_STARTS},
    rule::{Rule, Says, Subject, Why},
    text,
    world::{Call, Conn, Turn},
};

pub(super) const RULES: &[Rule] = &[
    INTRODUCED.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    REPORTED.at(&[TURN_ENDS]),
    GONE_IN_V2.at(&[ANSWERS, NOTIFICATIONS, REQUESTS, TURN_STARTS]),
    TITLED.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    OWN_ID.at(&[ANSWERS, NOTIFICATIONS, REQUESTS, TURN_ENDS]),
    KIND.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    STATUS.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    ENDED.at(&[TURN_ENDS]),
    NEVER_PENDING_AGAIN.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    LOCATIONS.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    NOT_CANCELLABLE.at(&[ANSWERS]),
];

/// TOOL-001 (v1): a tool call is introduced by tool_call before an update refers to it; a permission request may
/// introduce it as well. Judged in sessions that were seen from their beginning. (v1 tool-calls#creating)
const INTRODUCED: Rule = Rule::check("ACP-TOOL-001", |m, says| {
    let Some((session, call, known)) = call_update(m).filter(|_| is_v1(m)) else {
        return;
    };
    if known.first != m.event.seq {
        return;
    }
    let id = call["toolCallId"].as_str().unwrap_or_default();
    let introduces = update(m).is_some_and(|(kind, _)| kind == "tool_call");
    if introduces || asked_about(m.conn, session, id, m.event.seq).is_some() {
        says.upheld();
    } else if witnessed(m.conn, session) && !misplaces_updates(m.conn) {
        says.broken(Why::new(
            "a tool_call before the first tool_call_update of its id",
            format!(
                "a tool_call_update is the first to name the tool call {}",
                text::short_to(id, 60)
            ),
        ));
    }
});

fn is_v1(m: &Moment<'_>) -> bool {
    m.conn.version() == Version::AcpV1
}

/// The tool calls that were updated during a turn which has just ended.
fn calls_of(conn: &Conn, index: usize) -> impl Iterator<Item = (&String, &Call)> {
    let turn = &conn.turns[index];
    let began = conn.requests[turn.request].seq;
    let session = conn.sessions.get(&turn.session);
    let calls = session.into_iter().flat_map(|session| &session.calls);
    calls.filter(move |(_, call)| call.turn == Some(index) && call.newest > began)
}

/// The turn that ends at this fact did what the vocabulary says of this command, to its end, by its own words.
fn did<'a>(m: &Moment<'a>, command: &str) -> Option<(usize, &'a Turn)> {
    let (index, turn) = m.turn_ended()?;
    let end = turn.ended.as_ref()?;
    let orderly = end.error.is_none()
        && turn.cancelled.is_none()
        && end.stop_reason.as_deref() == Some("end_turn");
    let words = match command {
        "/tool" => "done".to_owned(),
        _ => format!("effect {} done", super::report::effect_name(turn)?),
    };
    let said = turn.report().lines().any(|line| line.trim() == words);
    (orderly && said && turn.trigger.as_deref() == Some(command)).then_some((index, turn))
}

/// TOOL-002: a tool that is run is reported. That one was run is certain of an agent that says so in the words of the
/// vocabulary. (tool-calls)
const REPORTED: Rule = Rule::check("ACP-TOOL-002", |m, says| {
    let Some((index, turn)) = did(m, "/tool").or_else(|| did(m, "/effect")) else {
        return;
    };
    if misplaces_updates(m.conn) {
        return;
    }
    let told = calls_of(m.conn, index).next().is_some();
    if !told && told_by_a_child(m.conn, m.conn.requests[turn.request].seq) {
        return says.unclear("the tool may have been run in a child session, which told of a call");
    }
    says.holds(told, || {
        Why::new(
            "a tool call, before or while the tool runs",
            "the agent says that it has run a tool, and no update told of a tool call",
        )
        .sent(m.conn.requests[turn.request].text.clone())
    });
});

/// A child session has told of a tool call since an event.
fn told_by_a_child(conn: &Conn, since: u64) -> bool {
    let mut children = conn.sessions.values().filter(|it| it.announced.is_some());
    children.any(|child| child.calls.values().any(|call| call.newest > since))
}

/// TOOL-003 (v2): the update kind tool_call of version 1 is gone. (v2 migration#tool-calls)
const GONE_IN_V2: Rule = Rule::ban(
    "ACP-TOOL-003",
    |m, says| gone_in_v2(m, says, "tool_call", "tool_call_update"),
    |_, _| crate::rule::Still::Watching,
);

/// A ban on an update kind of version 1, for as long as there are turns.
pub(super) fn gone_in_v2(m: &Moment<'_>, says: &mut Says, gone: &str, now: &str) {
    if is_v1(m) {
        return;
    }
    if let Fact::TurnStarted(turn) = m.fact {
        says.watch(Subject::Turn(*turn));
    }
    if update(m).is_some_and(|(kind, _)| kind == gone) {
        says.broken(Why::new(
            format!("{now}, which version 2 has in its place"),
            format!("an update of the kind {gone} was sent, which version 2 does not have"),
        ));
    }
}

/// TOOL-004 (v2): the first update of a tool call has a title. One that a permission request has told of already, with
/// its title, needs none. (v2 tool-calls#reporting)
const TITLED: Rule = Rule::check("ACP-TOOL-004", |m, says| {
    let Some((session, call, known)) = call_update(m).filter(|_| !is_v1(m)) else {
        return;
    };
    if known.first != m.event.seq || !witnessed(m.conn, session) {
        return;
    }
    let titled = |call: &Value| {
        let title = call.get("title").and_then(Value::as_str);
        title.is_some_and(|title| !title.is_empty())
    };
    let id = call["toolCallId"].as_str().unwrap_or_default();
    let asked = asked_about(m.conn, session, id, m.event.seq);
    // A title of another type, or under another spelling, is there and is another clause's.
    let odd = !m.misspelt().is_empty()
        || call
            .get("title")
            .is_some_and(|it| !it.is_string() && !it.is_null());
    if titled(call) {
        says.upheld();
    } else if !asked.is_some_and(titled) && !odd && !misplaces_updates(m.conn) {
        says.broken(Why::new(
            "a title in the first tool_call_update of an id",
            format!(
                "the tool call {} was told of for the first time without a title",
                text::short_to(id, 60)
            ),
        ));
    }
});

/// TOOL-005: a new tool call has a new id. That it is a new one is certain where version 1 announces it under another
/// title and as not yet done, and where the vocabulary makes the agent run one: a call that is over may be told once more,
/// with a finer title. (tool-calls#reporting; derived)
const OWN_ID: Rule = Rule::check("ACP-TOOL-005", |m, says| {
    let reused = |id: &str| {
        Why::new(
            "an id of its own for each tool call",
            format!(
                "the id {} was given to a new tool call, and had been that of one that was over",
                text::short_to(id, 60)
            ),
        )
    };
    if let Some((session, call, known)) = call_update(m).filter(|_| is_v1(m))
        && let Some(again) = known.again.filter(|again| again.seq == m.event.seq)
        && again.retitled
        && update(m).is_some_and(|(kind, _)| kind == "tool_call")
        && !is_replayed(m.conn, session)
    {
        return if again.open {
            says.broken(reused(call["toolCallId"].as_str().unwrap_or_default()));
        } else {
            says.unclear("a call that is over may have been given a finer title");
        };
    }
    let Some((index, turn)) = did(m, "/tool") else {
        return;
    };
    let began = m.conn.requests[turn.request].seq;
    let mut calls = calls_of(m.conn, index);
    if calls_of(m.conn, index).any(|(_, call)| call.first > began) {
        says.upheld();
    } else if let Some((id, call)) =
        calls.find(|(_, call)| call.again.is_some_and(|again| again.seq > began))
        && !(is_v1(m) && call.again.is_some_and(|again| again.retitled && again.open))
    {
        says.broken(reused(id).sent(m.conn.requests[turn.request].text.clone()));
    }
});

/// The kinds of tools.
const KINDS: [&str; 10] = [
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
];

/// TOOL-006: a kind is one of those that there are (v2: or an extension). (tool-calls; ToolKind)
const KIND: Rule = Rule::check("ACP-TOOL-006", |m, says| value(m, says, "kind", &KINDS));

/// TOOL-007: a status is one of those that there are (v2: or an extension). (tool-calls#status; ToolCallStatus)
const STATUS: Rule = Rule::check("ACP-TOOL-007", |m, says| {
    const V1: [&str; 4] = ["pending", "in_progress", "completed", "failed"];
    const V2: [&str; 6] = [
        "pending",
        "in_progress",
        "paused",
        "completed",
        "failed",
        "cancelled",
    ];
    let known: &[&str] = if is_v1(m) { &V1 } else { &V2 };
    value(m, says, "status", known);
});

/// Says whether a member of the tool call at hand has one of these values.
fn value(m: &Moment<'_>, says: &mut Says, name: &str, known: &[&str]) {
    let Some(Told { what, place, call }) = told_call(m) else {
        return;
    };
    let pointer = format!("{place}/{name}");
    match call.get(name) {
        None | Some(Value::Null) => {}
        Some(Value::String(value)) => defined(m, says, &pointer, value, known),
        Some(_) => {
            tell_places(m, says, what, |place| place == pointer);
        }
    }
}

/// TOOL-008: a tool that was started has a final status when the turn ends. That nothing of it goes on is certain where
/// the vocabulary says so; other work may go on behind a turn. (prompt#5-tool-invocation-and-status-reporting)
const ENDED: Rule = Rule::check("ACP-TOOL-008", |m, says| {
    let Some((index, turn)) = m.turn_ended() else {
        return;
    };
    let end = turn.ended.as_ref();
    let orderly = end.is_some_and(|end| end.stop_reason.as_deref() == Some("end_turn"));
    if !orderly || turn.cancelled.is_some() {
        return;
    }
    let certain = did(m, "/tool").or_else(|| did(m, "/effect")).is_some();
    let session = m.conn.sessions.get(&turn.session);
    let behind = session.and_then(|session| session.background.as_ref());
    for (id, call) in calls_of(m.conn, index) {
        let status = call.status.as_deref().unwrap_or("pending");
        let listed = behind.is_some_and(|behind| behind.contains(id));
        if call.is_over() {
            says.upheld();
        } else if !certain || listed || !matches!(status, "pending" | "in_progress" | "paused") {
            says.unclear("the tool call may go on behind the turn");
        } else {
            says.broken(
                Why::new(
                    "a final status of each tool call by the end of the turn",
                    format!(
                        "the turn is over, and the tool call {} is still {}",
                        text::short_to(id, 60),
                        text::short_to(status, 60)
                    ),
                )
                .sent(m.conn.requests[turn.request].text.clone()),
            );
        }
    }
});

/// TOOL-009 (v2): a tool call does not go back to pending, which null means as well. A replay begins anew.
/// (v2/tool_call.rs ToolCallUpdate.status)
const NEVER_PENDING_AGAIN: Rule = Rule::check("ACP-TOOL-009", |m, says| {
    let Some((session, call, known)) = call_update(m).filter(|_| !is_v1(m)) else {
        return;
    };
    let (Some(status), Some(before)) = (call.get("status"), known.before.as_deref()) else {
        return;
    };
    if is_replayed(m.conn, session) {
        return;
    }
    let pending = status.is_null() || status == "pending";
    if !pending {
        says.upheld();
    } else if before != "pending" {
        says.broken(Why::new(
            "no way back to pending",
            format!(
                "the tool call {} was {}, and is pending again",
                text::short_to(call["toolCallId"].as_str().unwrap_or_default(), 60),
                text::short_to(before, 60)
            ),
        ));
    }
});

/// TOOL-015: a location has a path, and perhaps a line. That a path is absolute is SESSION-007's, and that lines are
/// counted from 1 is SESSION-010's. (tool-calls#following-the-agent)
const LOCATIONS: Rule = Rule::check("ACP-TOOL-015", |m, says| {
    let Some(Told { what, place, call }) = told_call(m) else {
        return;
    };
    let Some(locations) = call.get("locations").filter(|it| !it.is_null()) else {
        return;
    };
    let list = format!("{place}/locations");
    let zero = |pointer: &str| {
        let value = pointer
            .strip_prefix(place)
            .and_then(|rest| call.pointer(rest));
        pointer.ends_with("/line") && value.and_then(Value::as_u64) == Some(0)
    };
    let broken = tell_places(m, says, what, |pointer| {
        pointer.starts_with(&list) && !zero(pointer)
    });
    if !broken && locations.as_array().is_some_and(|list| !list.is_empty()) {
        says.upheld();
    }
});

/// TOOL-017 (v2): what is unknown or over cannot be cancelled, which -32602 says; an agent that never advertises such
/// cancellation need not have the method. Tool calls and terminals have a method each. A session that is not there is
/// another cause of errors.
/// (v2/agent.rs CancelToolCallRequest, CancelTerminalRequest)
const NOT_CANCELLABLE: Rule = Rule::check("ACP-TOOL-017", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &["tool_call/cancel", "terminal/cancel"]) else {
        return;
    };
    let session = param(request, "sessionId").and_then(|id| m.conn.sessions.get(id));
    let Some(session) = session.filter(|_| names_live_session(m.conn, request)) else {
        return;
    };
    let (named, call, advertised) = if request.method == "tool_call/cancel" {
        let named = param(request, "toolCallId");
        let call = named.and_then(|id| session.calls.get(id));
        (named, call, session.shown.cancellable_call)
    } else {
        let named = param(request, "terminalId");
        (named, None, session.shown.cancellable_terminal)
    };
    let over = call.is_some_and(|call| call.is_over() && call.newest < request.seq);
    if m.conn.version() != Version::AcpV2 || !(named.is_some_and(made_up) || over) {
        return;
    }
    let what = if over { "is over" } else { "does not exist" };
    match answer.error_code {
        Some(-32602) => says.upheld(),
        Some(-32601) if !advertised => says.upheld(),
        Some(code) if !advertised => {
            says.unclear(format!("the agent may not have the method: error {code}"));
        }
        _ => says.broken(
            Why::new(
                "error -32602",
                format!(
                    "{} of what {what} was answered with {}",
                    request.method,
                    told(answer)
                ),
            )
            .sent(request.text.clone()),
        ),
    }
});
