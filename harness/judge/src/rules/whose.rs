//! Whose question it is. An agent may ask for other work than that of the prompt: a task in the background, a form of its
//! own. Where neither a tool call nor the vocabulary tells, nothing is certain.

use elenchus_protocol::acp::elicitation::Scope;

use crate::world::{Conn, Request, Session, Turn};

/// How many questions a turn with a trigger asks, by the words of the vocabulary.
fn asks(turn: &Turn) -> Option<usize> {
    Some(match turn.trigger.as_deref()? {
        "/elicit twice" => 2,
        "/hold elicit form"
        | "/hold elicit url"
        | "/elicit form"
        | "/elicit url"
        | "/elicit url-complete"
        | "/elicit url-wait"
        | "/elicit tool form"
        | "/elicit secret"
        | "/elicit choice"
        | "/effect" => 1,
        _ => 0,
    })
}

/// The tool calls that the newest background list of a session names.
pub(super) fn in_background(session: Option<&Session>) -> &[String] {
    session
        .and_then(|session| session.background.as_deref())
        .unwrap_or_default()
}

/// A question that came during a turn is surely one of this turn's own.
pub(super) fn is_of_turn(conn: &Conn, index: usize, question: &Request) -> bool {
    let turn = &conn.turns[index];
    let session = conn.sessions.get(&turn.session);
    let listed = in_background(session);
    let scope = question.elicitation.as_deref().map(|it| &it.create.scope);
    if let Some(Scope::Session {
        tool_call: Some(call),
        ..
    }) = scope
    {
        let known = session.and_then(|session| session.calls.get(call));
        if listed.contains(call) || known.is_some_and(|call| call.turn != Some(index)) {
            return false;
        }
        if known.is_some() {
            return true;
        }
    }
    // A tool call that nobody knows, or none: then it is the turn's if that asks, and nothing else can have.
    listed.is_empty() && asks(turn).is_some_and(|asks| turn.elicitations.len() <= asks)
}
