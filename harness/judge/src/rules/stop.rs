//! CANCEL and ELICIT-CANCEL, the part about work: what `session/cancel` (and `session/close`) does to a turn and to what
//! it has asked. What comes after the end of the turn stands in `late`.

pub(super) mod ends;
pub(super) mod once;
pub(super) mod questions;
pub(super) mod work;

use elenchus_wire::Side;

use crate::{
    fact::{Fact, Moment},
    world::{Conn, Request, Turn},
};

/// Triggers whose turn goes on until what it asked is answered.
const BLOCKING: [&str; 10] = [
    "/hold elicit form",
    "/hold elicit url",
    "/elicit form",
    "/elicit url",
    "/elicit url-complete",
    "/elicit tool form",
    "/elicit twice",
    "/elicit secret",
    "/elicit choice",
    "/effect",
];

/// The turn does nothing but ask, and to wait for the answers, by the words of the vocabulary.
pub(super) fn blocks(turn: &Turn) -> bool {
    let trigger = turn.trigger.as_deref();
    trigger.is_some_and(|trigger| BLOCKING.contains(&trigger))
}

/// The session that is cancelled at this fact, if the client just did that to the judged agent.
pub(super) fn cancelled_session<'a>(m: &Moment<'a>) -> Option<&'a str> {
    let Fact::Notified(index) = m.fact else {
        return None;
    };
    let told = &m.conn.notifications[*index];
    let by_client = told.from == Side::Client && m.judged == Side::Server;
    if !by_client || told.method != "session/cancel" {
        return None;
    }
    told.params.as_ref()?.get("sessionId")?.as_str()
}

/// The turns that a `session/cancel` at this fact cancels for the first time.
fn just_cancelled<'a>(m: &Moment<'a>) -> impl Iterator<Item = (usize, &'a Turn)> {
    let session = cancelled_session(m);
    let (conn, seq) = (m.conn, m.event.seq);
    conn.turns.iter().enumerate().filter(move |(_, turn)| {
        session == Some(turn.session.as_str()) && turn.cancelled == Some(seq)
    })
}

/// The questions of a turn that have no answer.
fn pending<'a>(conn: &'a Conn, turn: &'a Turn) -> impl Iterator<Item = (usize, &'a Request)> {
    turn.elicitations
        .iter()
        .map(|&index| (index, &conn.requests[index]))
        .filter(|(_, request)| request.is_open())
}

/// The permission requests of a session.
fn permissions<'a>(conn: &'a Conn, session: &'a str) -> impl Iterator<Item = (usize, &'a Request)> {
    conn.requests
        .iter()
        .enumerate()
        .filter(move |(_, request)| {
            request.from == Side::Server
                && request.method == "session/request_permission"
                && request
                    .params
                    .as_ref()
                    .is_some_and(|params| params["sessionId"] == session)
        })
}
