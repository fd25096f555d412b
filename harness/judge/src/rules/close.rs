//! CLOSE: session/close, and what becomes of the work of a session.

use elenchus_protocol::Version;
use serde_json::Value;

use super::{
    lifecycle::{
        active, announces, answer_to, closing, latest, made_up, proper, session_of, succeeded,
        told, updates, wants_error, wants_login,
    },
    load::whole_result,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Answered, Conn, Request, Turn, Uttered},
};

pub(super) const RULES: &[Rule] = &[
    SUCCEEDS.at(&[ANSWERS]),
    CANCELS.at(&[REQUESTS]),
    IDLE_FIRST.at(&[ANSWERS]),
    SILENT_AFTER.at(&[ANSWERS]),
    PENDING_PROMPT.at(&[REQUESTS]),
    UNKNOWN.at(&[ANSWERS]),
    NO_PROMPTS.at(&[ANSWERS]),
    OTHERS_UNTOUCHED.at(&[REQUESTS]),
];

/// The answer at hand, if it is to a close that the agent announces; with the session. That the method does not exist
/// is INIT's to tell.
fn closed<'a>(m: &Moment<'a>) -> Option<(&'a Request, &'a Answered, &'a str)> {
    let (_, request, answer) =
        answer_to(m, &["session/close"]).filter(|_| announces(m.conn, "session/close"))?;
    if answer.error_code == Some(-32601) {
        return None;
    }
    Some((request, answer, session_of(request)?))
}

/// CLOSE-001: to close an active session succeeds, with nothing to tell. (session-setup#closing-active-sessions)
const SUCCEEDS: Rule = Rule::check("ACP-CLOSE-001", |m, says| {
    let Some((request, answer, session)) = closed(m) else {
        return;
    };
    if !active(m.conn, session, request.seq) {
        return;
    }
    if wants_login(answer) {
        says.unclear("the agent wants a login first");
    } else if answer.is_error {
        says.broken(Why::new(
            "an empty result",
            format!(
                "to close an active session was answered with {}",
                told(answer)
            ),
        ));
    } else {
        whole_result(m, says, request);
    }
});

/// Work that ends only when it is cancelled.
fn is_endless(turn: &Turn) -> bool {
    turn.trigger.as_deref() == Some("/hold")
}

/// The prompt has no answer yet. What becomes of it in version 2 is CLOSE-006's.
fn is_pending(m: &Moment<'_>, turn: usize) -> bool {
    m.conn.requests[m.conn.turns[turn].request].is_open()
}

/// The turn has a question of its own open, of whose end ELICIT-CANCEL and PERM tell.
fn asks(m: &Moment<'_>) -> bool {
    m.conn.target_waits_for_us()
}

/// The turn is the only one of its session, which was there for it.
fn alone(conn: &Conn, turn: usize) -> bool {
    let Turn {
        session, request, ..
    } = &conn.turns[turn];
    !conn.overlaps(turn) && !conn.let_go(session, *request)
}

/// CLOSE-003: to close a session cancels its work. Judged on work that ends in no other way.
/// (session-setup#closing-active-sessions)
const CANCELS: Rule = Rule::duty(
    "ACP-CLOSE-003",
    "the end of the turn, with stop reason cancelled",
    |m, says| {
        let Some((_, request)) = m.asked() else {
            return;
        };
        let Some(turn) = session_of(request).and_then(|session| m.conn.open_turn(session)) else {
            return;
        };
        if request.method == "session/close"
            && announces(m.conn, "session/close")
            && is_endless(&m.conn.turns[turn])
            && alone(m.conn, turn)
            && m.conn.turns[turn].cancelled.is_none()
            && !(m.conn.version() == Version::AcpV2 && is_pending(m, turn))
            && !asks(m)
        {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| {
        let Subject::Turn(closed) = watch.subject else {
            return Still::Moot;
        };
        if !alone(m.conn, closed)
            || m.conn
                .moved_since(&m.conn.turns[closed].session, watch.opened)
        {
            return Still::Unclear(MOVED_ON.to_owned());
        }
        // A close that is refused is CLOSE-001's.
        if let Some((_, request, answer)) = answer_to(m, &["session/close"])
            && answer.is_error
            && request.seq == watch.opened
        {
            return Still::Moot;
        }
        let Some((index, turn)) = m.turn_ended() else {
            return Still::Watching;
        };
        if watch.subject != Subject::Turn(index) {
            return Still::Watching;
        }
        let end = turn.ended.as_ref();
        let reason = end.and_then(|end| end.stop_reason.as_deref());
        match (end.and_then(|end| end.error), reason) {
            _ if turn.cancelled.is_some() => {
                Still::Unclear("the turn was cancelled as well".to_owned())
            }
            (None, Some("cancelled")) => Still::Upheld,
            // Version 2 does not have to give one; in version 1 that is for the shapes to tell.
            (None, None) => Still::Unclear("the turn ended without a stop reason".to_owned()),
            (error, reason) => Still::Broken(Why::new(
                "the stop reason cancelled",
                match error {
                    Some(code) => {
                        format!("the session was closed, and its turn ended with error {code}")
                    }
                    None => format!(
                        "the session was closed, and its turn ended with the stop reason {}",
                        text::short_to(reason.unwrap_or("(none)"), 40)
                    ),
                },
            )),
        }
    },
)
.of_tangles();

/// Why nothing is certain of what a close did.
const MOVED_ON: &str =
    "other turns ran in the session, or it was let go or taken up once more besides";

/// CLOSE-004 (v2): where closing ends foreground work, the end of it is told before the answer.
/// (v2/agent.rs CloseSessionRequest)
const IDLE_FIRST: Rule = Rule::check_later(
    "ACP-CLOSE-004",
    |m, says| {
        let Some((request, answer, session)) = closed(m) else {
            return;
        };
        if m.conn.version() != Version::AcpV2 || answer.is_error {
            return;
        }
        for (index, turn) in m.conn.turns.iter().enumerate() {
            let prompt = &m.conn.requests[turn.request];
            let ended = turn.ended.as_ref().map(|end| end.seq);
            let at_work = turn.session == session
                && turn.running
                && prompt
                    .answer()
                    .is_some_and(|prompt| prompt.seq < request.seq)
                && ended.is_none_or(|end| end > request.seq);
            match ended {
                _ if !at_work => {}
                Some(_) => says.upheld(),
                None => says.watch(Subject::Turn(index)),
            }
        }
    },
    |m, watch| match m.turn_ended() {
        Some((index, turn)) if watch.subject == Subject::Turn(index) => {
            let closed = latest(m.conn, &["session/close"], &turn.session, m.event.seq);
            let restored =
                closed.is_none_or(|closed| m.conn.moved_since(&turn.session, closed.seq));
            if restored || m.conn.overlaps(index) {
                return Still::Moot;
            }
            Still::Broken(Why::new(
                "the idle state before the answer to session/close",
                "session/close was answered, and the end of the session's work was told after that",
            ))
        }
        _ => Still::Watching,
    },
)
.of_tangles();

const RESTORE: &[&str] = &["session/load", "session/resume"];

/// CLOSE-005 (v2): after the answer nothing more comes for the session, but for the answers to its prompts. The end of a
/// turn that comes too late is CLOSE-004's. (v2/agent.rs CloseSessionRequest)
const SILENT_AFTER: Rule = Rule::ban(
    "ACP-CLOSE-005",
    |m, says| {
        if let Some((request, answer, session)) = closed(m)
            && m.conn.version() == Version::AcpV2
            && !answer.is_error
            && active(m.conn, session, request.seq)
            && !asked_since(m, session, request.seq)
        {
            says.watch_for(Subject::Connection, session);
        }
    },
    |m, watch| {
        let of_session = |params: Option<&Value>| {
            let named = params.and_then(|params| params.get("sessionId")?.as_str());
            named == Some(watch.memo.as_str())
        };
        let (method, params) = match m.fact {
            Fact::Requested(index) => {
                let request = &m.conn.requests[*index];
                if request.from != m.judged {
                    // Whoever sets the session up again, or talks to it, will hear of it.
                    let again = of_session(request.params.as_ref()) && !request.fence;
                    return if again {
                        Still::Upheld
                    } else {
                        Still::Watching
                    };
                }
                (request.method.as_str(), request.params.as_ref())
            }
            Fact::Notified(index) if m.conn.notifications[*index].from == m.judged => {
                let notification = &m.conn.notifications[*index];
                (notification.method.as_str(), notification.params.as_ref())
            }
            _ => return Still::Watching,
        };
        let ends_turn = params.and_then(|params| params.pointer("/update/state"))
            == Some(&Value::from("idle"))
            && m.conn.turns.iter().any(|turn| {
                turn.session == watch.memo
                    && turn.ended.as_ref().is_none_or(|end| end.seq == m.event.seq)
            });
        if !of_session(params) || ends_turn {
            return Still::Watching;
        }
        Still::Broken(Why::new(
            "nothing more for a closed session",
            format!(
                "session/close was answered, and a {} for the session came after that",
                text::short_to(method, 60)
            ),
        ))
    },
);

/// Our side has asked something of the session since this event.
fn asked_since(m: &Moment<'_>, session: &str, seq: u64) -> bool {
    let ours = m.conn.requests.iter().rev();
    ours.take_while(|request| request.seq > seq)
        .any(|request| request.from != m.judged && session_of(request) == Some(session))
}

/// CLOSE-006 (v2): a prompt that is pending when its session is closed is answered with -32800 if it was not inserted,
/// and with its messageId if it was. (v2/agent.rs CloseSessionRequest)
const PENDING_PROMPT: Rule = Rule::duty(
    "ACP-CLOSE-006",
    "a messageId, or error -32800",
    |m, says| {
        let Some((_, close)) = m.asked() else { return };
        if close.method != "session/close"
            || m.conn.version() != Version::AcpV2
            || !announces(m.conn, "session/close")
        {
            return;
        }
        let Some(session) = session_of(close) else {
            return;
        };
        for (index, request) in m.conn.open_requests(m.judged.other()) {
            if request.method == "session/prompt"
                && session_of(request) == Some(session)
                && !m.conn.let_go(session, index)
                && !closing(m.conn, session, close.seq)
                && proper(m.conn, request)
            {
                says.watch(Subject::Request(index));
            }
        }
    },
    |m, watch| {
        let Some((index, request)) = m.answered() else {
            return Still::Watching;
        };
        let Some(answer) = request
            .answer()
            .filter(|_| watch.subject == Subject::Request(index))
        else {
            return Still::Watching;
        };
        let has_id = answer
            .result
            .as_ref()
            .and_then(|result| result.get("messageId"))
            .is_some_and(Value::is_string);
        match (answer.is_error, answer.error_code) {
            (false, _) if has_id => Still::Upheld,
            (false, _) => Still::Unclear("the prompt was taken, under no id".to_owned()),
            (true, Some(-32800)) => match inserted(m, request, answer) {
                Some(false) => Still::Upheld,
                Some(true) => Still::Broken(Why::new(
                    "no message of the user for a prompt that was cancelled",
                    "the prompt was answered as cancelled by the close, and its message was told",
                )),
                None => Still::Unclear("another prompt was open as well".to_owned()),
            },
            (true, Some(-32002)) => Still::Broken(Why::new(
                "a messageId, or error -32800",
                format!(
                    "a prompt was pending when its session was closed, and was answered with {}",
                    told(answer)
                ),
            )),
            _ => Still::Unclear("the prompt failed, perhaps not for the close".to_owned()),
        }
    },
)
.of_tangles();

/// The agent told the message of this prompt. A message may be another prompt's: its answer names it, and where that is
/// still to come, nobody can tell.
fn inserted(m: &Moment<'_>, prompt: &Request, answer: &Answered) -> Option<bool> {
    let session = session_of(prompt).unwrap_or_default();
    let others = || {
        m.conn.requests.iter().filter(|it| {
            it.method == "session/prompt" && session_of(it) == Some(session) && it.seq != prompt.seq
        })
    };
    let named = |told: &Uttered| {
        others()
            .filter_map(|other| other.result()?.get("messageId")?.as_str())
            .any(|id| told.id.as_deref() == Some(id))
    };
    let told = updates(m.conn, session, prompt.seq, answer.seq)
        .any(|told| told.is_users() && !named(told));
    (!told || !others().any(Request::is_open)).then_some(told)
}

/// CLOSE-007 (v2): to close an unknown or inactive session succeeds. (v2/agent.rs CloseSessionRequest)
const UNKNOWN: Rule = Rule::check("ACP-CLOSE-007", |m, says| {
    let Some((request, answer, session)) = closed(m) else {
        return;
    };
    let closed_before = latest(m.conn, &["session/close"], session, request.seq).is_some()
        && !active(m.conn, session, request.seq);
    if m.conn.version() != Version::AcpV2 || !(made_up(session) || closed_before) {
        return;
    }
    says.holds(!answer.is_error, || {
        Why::new(
            "a result",
            format!(
                "to close a session that is not active was answered with {}",
                told(answer)
            ),
        )
        .sent(request.text.clone())
    });
});

/// CLOSE-010: a closed session takes no prompts. (session-setup#closing-active-sessions; robustness)
const NO_PROMPTS: Rule = Rule::check("ACP-CLOSE-010", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &["session/prompt"]) else {
        return;
    };
    let Some(session) = session_of(request) else {
        return;
    };
    let closed_before = latest(m.conn, &["session/close"], session, request.seq).is_some();
    let restoring = m.conn.requests.iter().any(|it| {
        RESTORE.contains(&it.method.as_str())
            && session_of(it) == Some(session)
            && it.seq < request.seq
            && it.answer().is_none_or(|answer| answer.seq > request.seq)
    });
    let unsure =
        restoring || closing(m.conn, session, request.seq) || crossed(m.conn, session, request.seq);
    if closed_before && !unsure && !active(m.conn, session, request.seq) {
        wants_error(says, request, answer, "the session is closed");
    }
});

/// The latest close of the session was under way together with a request to take it up again: which of them was last,
/// their answers do not tell.
fn crossed(conn: &Conn, session: &str, before: u64) -> bool {
    let Some(close) = latest(conn, &["session/close"], session, before) else {
        return false;
    };
    let until = close.answer().map_or(u64::MAX, |answer| answer.seq);
    conn.requests.iter().any(|it| {
        RESTORE.contains(&it.method.as_str())
            && session_of(it) == Some(session)
            && it.seq < until
            && it.answer().is_none_or(|answer| answer.seq > close.seq)
    })
}

/// CLOSE-011: to close a session leaves the others at work. (session-setup#closing-active-sessions; robustness)
const OTHERS_UNTOUCHED: Rule = Rule::check_later(
    "ACP-CLOSE-011",
    |m: &Moment<'_>, says: &mut Says| {
        let Some((_, request)) = m.asked() else {
            return;
        };
        let Some(session) = session_of(request).filter(|_| request.method == "session/close")
        else {
            return;
        };
        if !announces(m.conn, "session/close") || m.conn.open_turn(session).is_none() {
            return;
        }
        for (index, turn) in m.conn.turns.iter().enumerate() {
            if turn.ended.is_none() && turn.session != session && turn.cancelled.is_none() {
                says.watch(Subject::Turn(index));
            }
        }
    },
    |m: &Moment<'_>, watch: &Watch| {
        let Some((index, turn)) = m.turn_ended() else {
            return Still::Watching;
        };
        if watch.subject != Subject::Turn(index) {
            return Still::Watching;
        }
        let close_own = m.conn.requests.iter().any(|it| {
            it.from != m.judged
                && matches!(it.method.as_str(), "session/close" | "session/delete")
                && session_of(it) == Some(&turn.session)
        });
        let end = turn.ended.as_ref();
        let stop = end.and_then(|end| end.stop_reason.as_deref());
        if turn.cancelled.is_some()
            || close_own
            || m.conn.requests[turn.request].cancel_asked.is_some()
        {
            Still::Unclear("its own work was stopped as well".to_owned())
        } else if stop == Some("cancelled") {
            Still::Broken(Why::new(
                "the other session at work as before",
                format!(
                    "one session was closed, and the turn of the session {} was cancelled",
                    text::short_to(&turn.session, 60)
                ),
            ))
        } else if end.is_some_and(|end| end.error.is_some()) {
            Still::Unclear("the turn of the other session failed".to_owned())
        } else {
            Still::Upheld
        }
    },
);

/// The session was closed successfully on this connection before an event.
pub(super) fn was_closed(conn: &Conn, session: &str, before: u64) -> bool {
    latest(conn, &["session/close"], session, before).is_some_and(succeeded)
}
