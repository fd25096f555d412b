//! DELETE: session/delete, and what is listed after it.

use std::collections::BTreeSet;

use elenchus_wire::Side;
use serde_json::Value;

use super::{
    close::was_closed,
    lifecycle::{
        active, announces, answer_to, answered_in_any_way, latest, made_up, param, session_of,
        succeeded, told, wants_login,
    },
    list::{ids, walk},
    load::whole_result,
};
use crate::{
    fact::Moment,
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Subject, Why},
    text,
    world::{Answered, Conn, Request},
};

pub(super) const RULES: &[Rule] = &[
    SUCCEEDS.at(&[ANSWERS]),
    GONE.at(&[ANSWERS]),
    AGAIN.at(&[ANSWERS]),
    ANY_ANSWER.at(&[REQUESTS]),
    OTHERS_STAY.at(&[ANSWERS]),
];

/// The answer at hand, if it is to a delete that the agent announces; with the session. That the method does not exist
/// is INIT's to tell.
fn deleted<'a>(m: &Moment<'a>) -> Option<(&'a Request, &'a Answered, &'a str)> {
    let (_, request, answer) =
        answer_to(m, &["session/delete"]).filter(|_| announces(m.conn, "session/delete"))?;
    if answer.error_code == Some(-32601) {
        return None;
    }
    Some((request, answer, session_of(request)?))
}

/// The session exists beyond doubt and is not at work: it was prompted, listed, and closed where it can be.
fn exists(m: &Moment<'_>, session: &str, before: u64) -> bool {
    let prompted = m
        .world
        .conns
        .values()
        .flat_map(|conn| &conn.turns)
        .filter(|turn| turn.session == session)
        .any(|turn| turn.ended.as_ref().is_some_and(|end| end.seq < before));
    let listed = m.conn.requests.iter().any(|request| {
        request.method == "session/list"
            && request.answer().is_some_and(|answer| answer.seq < before)
            && ids(request).any(|id| id == session)
    });
    let closed = !announces(m.conn, "session/close") || was_closed(m.conn, session, before);
    let deleted = latest(m.conn, &["session/delete"], session, before).is_some();
    prompted && listed && closed && !deleted
}

/// DELETE-001: a session that exists is deleted, with nothing to tell. (session-delete#deleting-a-session)
const SUCCEEDS: Rule = Rule::check("ACP-DELETE-001", |m, says| {
    let Some((request, answer, session)) = deleted(m) else {
        return;
    };
    if !exists(m, session, request.seq) {
        return;
    }
    if wants_login(answer) {
        says.unclear("the agent wants a login first");
    } else if answer.is_error {
        says.broken(Why::new(
            "an empty result",
            format!(
                "to delete a session that is listed was answered with {}",
                told(answer)
            ),
        ));
    } else {
        whole_result(m, says, request);
    }
});

/// DELETE-002: a deleted session is listed no more. (session-delete#semantics)
const GONE: Rule = Rule::check("ACP-DELETE-002", |m, says| {
    let Some((index, request, answer)) = answer_to(m, &["session/list"]) else {
        return;
    };
    if answer.is_error {
        return;
    }
    let gone = m.conn.requests.iter().filter(|it| {
        it.method == "session/delete"
            && succeeded(it)
            && it.answer().is_some_and(|answer| answer.seq < request.seq)
            && session_of(it).is_some_and(|session| exists(m, session, it.seq))
    });
    let listed: BTreeSet<&str> = ids(request).collect();
    for session in gone.filter_map(session_of) {
        if listed.contains(session) {
            says.broken(Why::new(
                "a list without the deleted session",
                format!(
                    "the session {} was deleted, and is listed after that",
                    text::short_to(session, 60)
                ),
            ));
        } else if ends(request) && walk(m.conn, index).is_some() {
            says.upheld();
        }
    }
});

/// The list has no further page.
fn ends(request: &Request) -> bool {
    let next = request.result().and_then(|result| result.get("nextCursor"));
    next.is_none_or(Value::is_null)
}

/// DELETE-003: to delete what is deleted already, or never was, succeeds. (session-delete#semantics)
const AGAIN: Rule = Rule::check("ACP-DELETE-003", |m, says| {
    let Some((request, answer, session)) = deleted(m) else {
        return;
    };
    let before = latest(m.conn, &["session/delete"], session, request.seq).is_some();
    if !before && !made_up(session) {
        return;
    }
    says.holds(!answer.is_error, || {
        Why::new(
            "an empty result",
            format!(
                "to delete a session that is not there was answered with {}",
                told(answer)
            ),
        )
        .sent(request.text.clone())
    });
});

/// DELETE-005: what becomes of an active session that is deleted, and of a deleted one that is loaded or resumed, is
/// the agent's affair; it lives, and answers. (session-delete#semantics)
const ANY_ANSWER: Rule = Rule::duty(
    "ACP-DELETE-005",
    "an answer, be it an error",
    |m, says| {
        let Some((index, request)) = m.asked() else {
            return;
        };
        let Some(session) = session_of(request).filter(|_| announces(m.conn, "session/delete"))
        else {
            return;
        };
        let odd = match request.method.as_str() {
            "session/delete" => active(m.conn, session, request.seq),
            "session/load" | "session/resume" => {
                latest(m.conn, &["session/delete"], session, request.seq).is_some()
            }
            _ => false,
        };
        if odd {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| answered_in_any_way(m, watch, "a session was deleted, or asked for after that"),
);

/// DELETE-006: the other sessions stay. Judged on two lists that hold everything, with nothing between them but
/// the delete. (session-delete#semantics; robustness)
const OTHERS_STAY: Rule = Rule::check("ACP-DELETE-006", |m, says| {
    let Some((index, request, answer)) = answer_to(m, &["session/list"]) else {
        return;
    };
    if !is_whole(request) || answer.is_error {
        return;
    }
    let Some((before, between)) = last_list(m.conn, index) else {
        return;
    };
    let names = |it: &&Request| it.method == "session/delete" && succeeded(it);
    let gone: BTreeSet<&str> = between
        .iter()
        .copied()
        .filter(|it| names(it))
        .filter_map(session_of)
        .collect();
    let listed: BTreeSet<&str> = ids(request).collect();
    let mut others = ids(before).filter(|id| !gone.contains(id)).peekable();
    if gone.is_empty() || others.peek().is_none() || param(before, "cwd") != param(request, "cwd") {
        return;
    }
    let lost = others.find(|id| !listed.contains(id));
    says.holds(lost.is_none(), || {
        Why::new(
            "all other sessions, as listed before",
            format!(
                "the session {} was listed, another one was deleted, and it is listed no more",
                text::short_to(lost.unwrap_or_default(), 60)
            ),
        )
    });
});

/// A list that holds everything on one page.
fn is_whole(request: &Request) -> bool {
    param(request, "cursor").is_none() && succeeded(request) && ends(request)
}

/// The last whole list before this request, and the deletes between the two, if nothing else was asked meanwhile.
fn last_list(conn: &Conn, index: usize) -> Option<(&Request, Vec<&Request>)> {
    let mut between = Vec::new();
    for request in conn.requests[..index].iter().rev() {
        if request.from != Side::Client || request.fence {
            continue;
        }
        match request.method.as_str() {
            "session/list" if is_whole(request) => return Some((request, between)),
            "session/delete" => between.push(request),
            _ => return None,
        }
    }
    None
}
