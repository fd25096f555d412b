//! What several rules share: what an agent tells of a session, and what it was asked.

use elenchus_protocol::acp::shapes;
use elenchus_wire::{EventKind, Side};
use serde_json::Value;

use crate::{
    fact::{Fact, Moment},
    rule::{Says, Why},
    text,
    world::{Conn, Request, Session, Told, Turn, member},
};

/// What stands at a pointer without escapes, which `Value::pointer` looks for at a price.
pub(super) fn at<'v>(mut value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let mut rest = pointer;
    while let Some(names) = rest.strip_prefix('/') {
        // Names are short: to set up a search costs more than to look at each byte.
        let end = names.bytes().position(|byte| byte == b'/');
        let (name, behind) = names.split_at(end.unwrap_or(names.len()));
        value = match value {
            Value::Array(elements) => elements.get(name.parse::<usize>().ok()?)?,
            value => member(value, name)?,
        };
        rest = behind;
    }
    Some(value)
}

/// The agent's session update at this fact, and its `update` object.
pub(super) fn told<'a>(m: &Moment<'a>) -> Option<(&'a Told, &'a Value)> {
    let Fact::Notified(index) = m.fact else {
        return None;
    };
    let notification = &m.conn.notifications[*index];
    let update = member(notification.params.as_ref()?, "update")?;
    Some((notification.told.as_deref()?, update))
}

/// The params of a `session/update` at this fact, whatever they are.
pub(super) fn update_params<'a>(m: &Moment<'a>) -> Option<&'a Value> {
    static NOTHING: Value = Value::Null;
    let Fact::Notified(index) = m.fact else {
        return None;
    };
    let notification = &m.conn.notifications[*index];
    let ours = notification.from == Side::Server && notification.method == "session/update";
    ours.then(|| notification.params.as_ref().unwrap_or(&NOTHING))
}

/// The updates of a session after this event, the newest first.
pub(super) fn told_since<'a>(
    conn: &'a Conn,
    session: &'a str,
    seq: u64,
) -> impl Iterator<Item = (u64, &'a Told)> {
    conn.notifications
        .iter()
        .rev()
        .take_while(move |notification| notification.seq > seq)
        .filter_map(|notification| Some((notification.seq, notification.told.as_deref()?)))
        .filter(move |(_, told)| told.session == session)
}

/// The states of a session after this event, the newest first.
pub(super) fn states_since<'a>(
    conn: &'a Conn,
    session: &'a str,
    seq: u64,
) -> impl Iterator<Item = (u64, &'a str)> {
    told_since(conn, session, seq).filter_map(|(seq, told)| {
        let state = told
            .state
            .as_deref()
            .filter(|_| told.kind == "state_update")?;
        Some((seq, state))
    })
}

/// A kind of update that tells what the foreground of an agent puts out: messages and tool calls.
pub(super) fn is_output(kind: &str) -> bool {
    matches!(
        kind,
        "agent_message"
            | "agent_message_chunk"
            | "agent_thought"
            | "agent_thought_chunk"
            | "tool_call"
            | "tool_call_update"
            | "tool_call_content_chunk"
    )
}

/// The agent put something out in this session after this event.
pub(super) fn output_since(conn: &Conn, session: &str, seq: u64) -> bool {
    told_since(conn, session, seq).any(|(_, told)| is_output(&told.kind))
}

/// This state was reported for the session after this event.
pub(super) fn reported_since(conn: &Conn, session: &str, seq: u64, state: &str) -> bool {
    states_since(conn, session, seq).any(|(_, reported)| reported == state)
}

/// The newest state of a session is this one.
pub(super) fn state_is(conn: &Conn, session: &str, state: &str) -> bool {
    let known = conn.sessions.get(session);
    known.and_then(|session: &Session| session.state.as_deref()) == Some(state)
}

/// A member of a request's params that is a text.
pub(super) fn param<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    member(request.params.as_ref()?, name)?.as_str()
}

/// The blocks of a prompt.
pub(super) fn blocks(request: &Request) -> &[Value] {
    let prompt = request
        .params
        .as_ref()
        .and_then(|params| params.get("prompt"));
    prompt.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The text of all text blocks.
pub(super) fn text_of(blocks: &[Value]) -> String {
    let texts = blocks
        .iter()
        .filter_map(|block| block.get("text")?.as_str());
    texts.collect()
}

/// The prompt is answered for the first time at this fact.
pub(super) fn prompt_answered<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request)> {
    m.answered()
        .filter(|(_, request)| request.from == Side::Client && request.method == "session/prompt")
}

/// The prompt names a session of this connection that is neither closed nor deleted, nor about to be.
pub(super) fn names_live_session(conn: &Conn, prompt: &Request) -> bool {
    let Some(session) = param(prompt, "sessionId") else {
        return false;
    };
    conn.sessions
        .get(session)
        .is_some_and(|session| session.known)
        && !conn.requests.iter().any(|request| {
            matches!(request.method.as_str(), "session/close" | "session/delete")
                && param(request, "sessionId") == Some(session)
        })
}

/// The params of the client's `initialize`, at this pointer.
pub(super) fn client_says<'a>(conn: &'a Conn, pointer: &str) -> Option<&'a Value> {
    let request = &conn.requests[conn.init.request?];
    let value = request.params.as_ref()?.pointer(pointer)?;
    (!value.is_null()).then_some(value)
}

/// The result of `initialize`, at this pointer.
pub(super) fn agent_says<'a>(conn: &'a Conn, pointer: &str) -> Option<&'a Value> {
    let value = conn.requests[conn.init.request?]
        .result()?
        .pointer(pointer)?;
    (!value.is_null()).then_some(value)
}

/// The session is replayed: a `session/load` or `session/resume` of it is open.
pub(super) fn is_replayed(conn: &Conn, session: &str) -> bool {
    conn.open_requests(Side::Client).any(|(_, request)| {
        matches!(request.method.as_str(), "session/load" | "session/resume")
            && param(request, "sessionId") == Some(session)
    })
}

/// What the agent said last in this turn is what the vocabulary makes it say at the end of its work.
pub(super) fn has_reported(turn: &Turn) -> bool {
    let said = turn.report();
    match turn.trigger.as_deref() {
        Some("/say") => turn.prompt.strip_prefix("/say ").map(str::trim) == Some(said.as_str()),
        Some("/tool") => said.lines().any(|line| line == "done"),
        Some("/ask permission") => said.lines().any(|line| line.starts_with("permission ")),
        Some(_) => {
            super::report::report(turn) != super::report::Report::Other
                || said.lines().any(|line| line.starts_with("effect "))
        }
        None => false,
    }
}

/// Says of mismatches that they break the clause at hand; upheld if there are none and its situation arose.
pub(super) fn tell_shape<'p>(
    says: &mut Says,
    what: &str,
    mismatches: impl Iterator<Item = &'p shapes::Mismatch>,
    arises: bool,
) {
    let mut clean = true;
    for mismatch in mismatches {
        clean = false;
        says.broken(misfit(what, mismatch));
    }
    if clean && arises {
        says.upheld();
    }
}

/// The place lies in a message of the user that the agent reports: what stands there the client has made.
pub(super) fn is_echoed(m: &Moment<'_>, pointer: &str) -> bool {
    let kind = m.update.map(|(kind, _)| kind);
    matches!(kind, Some("user_message" | "user_message_chunk"))
        && pointer.starts_with("/update/content")
}

/// Why a mismatch breaks a clause.
pub(super) fn misfit(what: &str, mismatch: &shapes::Mismatch) -> Why {
    let pointer = match mismatch.pointer.as_str() {
        "" => "params".to_owned(),
        pointer => text::short_to(pointer, 120),
    };
    Why::new(
        format!("{pointer}: {}", mismatch.expected),
        format!(
            "{pointer} of {what} is {}; it has to be {}",
            text::short_to(&mismatch.got, 120),
            mismatch.expected
        ),
    )
}

/// The target was asked for something after this event, and has settled since: what it had to say of the event, it has
/// said. A fence from before the event was answered without it.
pub(super) fn settled_since(m: &Moment<'_>, seq: u64) -> bool {
    let EventKind::Settled { fence } = &m.event.kind else {
        return false;
    };
    let mut fences = m.conn.requests.iter().rev().filter(|it| it.fence);
    let fence = fences.find(|it| it.id.text() == fence);
    fence.is_none_or(|fence| fence.seq > seq)
}
