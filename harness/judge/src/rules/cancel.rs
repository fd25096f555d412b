//! CANCEL, the part about requests: `$/cancel_request` in both directions, and what becomes of the request that it names.
//! What `session/cancel` does stands in `stop`.

use elenchus_protocol::{
    Version,
    acp::elicitation::{Answer, Scope},
};
use elenchus_wire::{Id, IdKey, Message, Parsed, Side};
use serde_json::Value;

use super::{
    jsonrpc::{
        NAMES_NO_REQUEST, Told, answered_notification, answered_under_another_id, excused,
        needs_nobody,
    },
    report::{Report, report, said},
    views::death,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS, ORPHANS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, Notification, Request},
};

pub(super) const RULES: &[Rule] = &[
    SHAPE.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    ID_TYPE_V1.at(&[NOTIFICATIONS]),
    ID_TYPE_V2.at(&[NOTIFICATIONS]),
    EXACT_ID.at(&[NOTIFICATIONS]),
    OWN_REQUESTS_ONLY.at(&[NOTIFICATIONS]),
    STILL_ANSWERED.at(&[NOTIFICATIONS]),
    NO_SECOND_RESPONSE.at(&[NOTIFICATIONS]),
    UNKNOWN_ID.at(&[NOTIFICATIONS]),
    ANSWERED_ID.at(&[NOTIFICATIONS]),
    FINISHED_WORK.at(&[ANSWERS]),
    UNUSUAL_IDS,
    TWICE.at(&[ANSWERS, NOTIFICATIONS]),
    NOTIFICATION_UNANSWERED.at(&[NOTIFICATIONS]),
    ERROR_SHAPE.at(&[ANSWERS, ORPHANS]),
    OTHERS_UNTOUCHED.at(&[NOTIFICATIONS]),
    PROPAGATES.at(&[NOTIFICATIONS]),
    ID_NOT_REUSED.at(&[REQUESTS]),
];

/// The method.
pub(super) const METHOD: &str = "$/cancel_request";
/// The code of a cancelled request.
pub(super) const CANCELLED: i64 = -32800;

/// The `$/cancel_request` at this fact: from the judged side, or from the other one.
fn cancels<'a>(m: &Moment<'a>, by_judged: bool) -> Option<&'a Notification> {
    let Fact::Notified(index) = m.fact else {
        return None;
    };
    let notification = &m.conn.notifications[*index];
    let by = (notification.from == m.judged) == by_judged;
    (by && notification.method == METHOD).then_some(notification)
}

/// The id that a `$/cancel_request` names, if it names one at all.
fn named(notification: &Notification) -> Option<Id> {
    let id = notification.params.as_ref()?.get("requestId")?;
    Some(Id(id.to_string().into()))
}

/// What an id of a request can be: a string, or an integer that every reader keeps exactly.
fn is_plain(key: &IdKey) -> bool {
    match key {
        IdKey::String(_) => true,
        IdKey::Number(number) => number.parse::<i64>().is_ok(),
        IdKey::Null | IdKey::Other(_) => false,
    }
}

/// The request of the other side that its `$/cancel_request` at this fact names.
pub(super) fn cancelled_request<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request)> {
    let key = named(cancels(m, false)?)?.key();
    let index = m.conn.with_key(m.judged.other(), &key)?;
    Some((index, &m.conn.requests[index]))
}

/// Watches an open request from the first time that it is cancelled.
fn watch_cancelled(m: &Moment<'_>, says: &mut Says) {
    if let Some((index, request)) = cancelled_request(m)
        && request.is_open()
        && request.cancels == 1
    {
        says.watch(Subject::Request(index));
    }
}

/// The same number as a string, or the same string as a number.
fn twin(key: &IdKey) -> Option<IdKey> {
    match key {
        IdKey::Number(number) => Some(IdKey::String(number.clone())),
        IdKey::String(text) => match Id(text.as_str().into()).key() {
            number @ IdKey::Number(_) => Some(number),
            _ => None,
        },
        IdKey::Null | IdKey::Other(_) => None,
    }
}

/// An id, for a sentence.
fn quoted(id: &Id) -> String {
    text::short_to(id.text(), 60)
}

/// CANCEL-001: request cancellation is a notification named exactly `$/cancel_request`, without an id, whose
/// `params.requestId` names the request. A member that is only misspelt is JSONRPC-022's.
/// (cancellation#cancel_request-notification; schema:v1+v2 CancelRequestNotification)
const SHAPE: Rule = Rule::check("ACP-CANCEL-001", |m, says| {
    let (method, params, request) = match m.fact {
        Fact::Requested(index) => {
            let request = &m.conn.requests[*index];
            if request.from != m.judged {
                return;
            }
            (request.method.as_str(), request.params.as_ref(), true)
        }
        Fact::Notified(index) => {
            let told = &m.conn.notifications[*index];
            if told.from != m.judged {
                return;
            }
            (told.method.as_str(), told.params.as_ref(), false)
        }
        _ => return,
    };
    if method != METHOD {
        let letters: String = method.chars().filter(char::is_ascii_alphabetic).collect();
        if method.starts_with("$/") && letters.eq_ignore_ascii_case("cancelrequest") {
            says.broken(Why::new(
                format!("the method {METHOD}"),
                format!(
                    "a request was cancelled by the name `{}`",
                    text::short_to(method, 60)
                ),
            ));
        }
        return;
    }
    if request {
        return says.broken(Why::new(
            "a notification, without an id",
            format!("{METHOD} was sent with an id"),
        ));
    }
    if params.is_some_and(|params| params.get("requestId").is_some()) {
        says.upheld();
    } else if m.misspelt().is_empty() {
        says.broken(Why::new(
            "params.requestId, which names the request",
            format!("{METHOD} was sent without a requestId"),
        ));
    }
})
.of_both();

/// The type of the id that the judged side's `$/cancel_request` names.
fn id_type(m: &Moment<'_>, says: &mut Says, version: Version) {
    let Some(id) = cancels(m, true).and_then(named) else {
        return;
    };
    if m.conn.version() != version {
        return;
    }
    let whole = match id.key() {
        IdKey::String(_) => true,
        IdKey::Number(number) => !number.contains('.') && !number.contains("e-"),
        IdKey::Null if version == Version::AcpV1 => {
            return says.note("requestId is null, which names no request");
        }
        IdKey::Null | IdKey::Other(_) => false,
    };
    says.holds(whole, || {
        Why::new(
            "a requestId that is a string or an integer",
            format!("the requestId is {}", quoted(&id)),
        )
    });
}

/// CANCEL-002 (v1): requestId is a string, an integer or (discouraged) null. (schema:v1 RequestId)
const ID_TYPE_V1: Rule = Rule::check("ACP-CANCEL-002", |m, says| {
    id_type(m, says, Version::AcpV1);
})
.of_both();

/// CANCEL-003 (v2): requestId is a string or an integer, never null. (schema:v2 RequestId)
const ID_TYPE_V2: Rule = Rule::check("ACP-CANCEL-003", |m, says| {
    id_type(m, says, Version::AcpV2);
})
.of_both();

/// CANCEL-004: requestId repeats the id with its exact JSON type. Whoever takes "7" for 7 when it is told is lenient,
/// which is no breach. (schema:v1+v2 RequestId; derived)
const EXACT_ID: Rule = Rule::check_later(
    "ACP-CANCEL-004",
    |m, says| {
        if let Some(id) = cancels(m, true).and_then(named) {
            let key = id.key();
            let known = |key: &IdKey| m.conn.with_key(m.judged, key);
            if known(&key).is_some() {
                return says.upheld();
            }
            if let Some(meant) = twin(&key).and_then(|twin| known(&twin)) {
                says.broken(Why::new(
                    format!("the requestId {}", quoted(&m.conn.requests[meant].id)),
                    format!(
                        "the request has the id {}, and was cancelled as {}",
                        quoted(&m.conn.requests[meant].id),
                        quoted(&id)
                    ),
                ));
            }
        } else if let Some(id) = cancels(m, false).and_then(named) {
            let (key, asker) = (id.key(), m.judged.other());
            let meant = twin(&key).and_then(|twin| m.conn.open_with(asker, &twin));
            if let Some(meant) = meant.filter(|_| m.conn.with_key(asker, &key).is_none()) {
                says.watch(Subject::Request(meant));
            }
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        match m.fact {
            _ if request.cancel_asked.is_some() => Still::Moot,
            Fact::Answered { request: at, .. } if *at == index => {
                if request.error_code() == Some(CANCELLED) {
                    Still::Unclear("a request was cancelled by the twin of its id".to_owned())
                } else {
                    Still::Upheld
                }
            }
            Fact::Settled => Still::Upheld,
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
)
.of_both();

/// CANCEL-005 (v2): only the side that issued a request cancels it, and a cancellation is matched against requests of
/// its sender only: the agent's question with the same id stays what it was. (schema:v2
/// CancelRequestNotification.request_id)
const OWN_REQUESTS_ONLY: Rule = Rule::check_later(
    "ACP-CANCEL-005",
    |m, says| {
        if m.conn.version() != Version::AcpV2 {
            return;
        }
        if judge_own(m, says) {
            return;
        }
        if let Some(id) = cancels(m, false).and_then(named) {
            let own = m.conn.open_with(m.judged, &id.key());
            let turn = own.and_then(|own| m.conn.requests[own].turn);
            let (Some(own), Some(turn)) = (own, turn) else {
                return;
            };
            // A question inside of the request that is cancelled may go with it.
            let of_it = m.conn.requests[m.conn.turns[turn].request].key == id.key();
            if !of_it && super::stop::blocks(&m.conn.turns[turn]) {
                says.watch_for(Subject::Request(own), turn.to_string());
            }
        }
    },
    |m, watch| {
        let (Subject::Request(own), Ok(turn)) = (watch.subject, watch.memo.parse::<usize>()) else {
            return Still::Moot;
        };
        let (own, turn) = (&m.conn.requests[own], &m.conn.turns[turn]);
        let broken = |what: &str| {
            Still::Broken(Why::new(
                "a question that only its own side can cancel",
                format!(
                    "the client cancelled a request of its own with the id {}, and {what}",
                    quoted(&own.id)
                ),
            ))
        };
        let accepted = own.elicitation.as_deref().is_some_and(|elicitation| {
            matches!(elicitation.answer, Some(Answer::Accept(_))) && elicitation.fits
        });
        let ended = turn.ended.as_ref().map(|end| end.seq);
        // An agent may have a time limit of its own. What it does by that comes at any time, and not at once.
        let late = |at: Option<u64>| at.is_some_and(|at| m.conn.fenced(watch.opened, at));
        match m.fact {
            _ if turn.cancelled.is_some() => Still::Moot,
            _ if own.is_open() && (late(own.cancel_asked) || late(ended)) => {
                Still::Unclear("the agent may have a time limit of its own".to_owned())
            }
            _ if own.is_open() && own.cancel_asked.is_some() => {
                broken("the agent took its question back")
            }
            Fact::TurnEnded(_) if turn.ended.is_none() => Still::Watching,
            Fact::TurnEnded(_) if own.is_open() => {
                broken("the turn ended before the question was answered")
            }
            Fact::TurnEnded(_) if !accepted => {
                Still::Unclear("the question was not accepted".to_owned())
            }
            Fact::TurnEnded(_) => match report(turn) {
                Report::Accept(_) => Still::Upheld,
                Report::Cancel => broken("the agent took its question for cancelled"),
                _ => Still::Unclear("the agent's own words do not tell what it took".to_owned()),
            },
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
);

/// Judges whether the judged side, where it cancels a request at this fact, cancels one of its own.
pub(super) fn judge_own(m: &Moment<'_>, says: &mut Says) -> bool {
    let Some(id) = cancels(m, true).and_then(named) else {
        return false;
    };
    let key = id.key();
    let known = |key: &IdKey| m.conn.with_key(m.judged, key).is_some();
    if known(&key) {
        says.upheld();
    } else if is_plain(&key) && m.conn.from_start && !twin(&key).as_ref().is_some_and(known) {
        says.broken(Why::new(
            "the id of a request of its own",
            format!("the request {} was cancelled, and never sent", quoted(&id)),
        ));
    }
    true
}

/// Whether a cancelled request may rightly go on: the cancellation may be ignored, and what it does may need a model, a
/// user or time.
fn may_go_on(conn: &Conn, request: &Request) -> bool {
    let Some(turn) = request.turn.map(|turn| &conn.turns[turn]) else {
        return request.trigger.is_none() && !needs_nobody(conn, request);
    };
    let questions = &turn.elicitations;
    let answered = !questions.is_empty()
        && questions
            .iter()
            .all(|&question| !conn.requests[question].is_open());
    turn.cancelled.is_none() && !(answered && super::stop::blocks(turn))
}

/// CANCEL-007: a request that was cancelled is still answered, with a result or an error. Silence breaks it only where
/// the request would have ended anyway. Another code than -32800 is remarked on.
/// (cancellation#cancel_request-notification)
const STILL_ANSWERED: Rule = Rule::duty(
    "ACP-CANCEL-007",
    "an answer to the request that was cancelled",
    watch_cancelled,
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        match m.fact {
            _ if !request.is_open() => Still::Upheld,
            Fact::Deadline(_) if answered_under_another_id(m, index) => Still::Moot,
            Fact::Deadline(_)
                if request.overdue == Some(m.event.seq) && may_go_on(m.conn, request) =>
            {
                Still::Unclear(
                    "the cancellation may be ignored, and the request may still be at work"
                        .to_owned(),
                )
            }
            _ => Still::Watching,
        }
    },
)
.of_both();

/// The judged side answered this request again.
fn answered_again(m: &Moment<'_>, index: usize) -> bool {
    matches!(m.fact, Fact::Answered { request, nth: 2.. } if *request == index)
}

/// A second answer, as a breach; unclear where something else may have drawn it.
fn second(m: &Moment<'_>, index: usize, what: &str) -> Still {
    let request = &m.conn.requests[index];
    if excused(m.conn) || !m.conn.from_start {
        return Still::Unclear("another message may have drawn the second answer".to_owned());
    }
    Still::Broken(
        Why::new(
            "exactly one answer",
            format!(
                "{} (id {}) {what}, and was answered {} times",
                request.method,
                quoted(&request.id),
                request.answers.len()
            ),
        )
        .sent(request.text.clone()),
    )
}

/// A second answer to this request is judged by the rules of cancellation, and by no other.
pub(super) fn owns_second_answer(conn: &Conn, request: &Request) -> bool {
    request.cancel_asked.is_some() || super::stop::once::owns_second_answer(conn, request)
}

/// CANCEL-008: a cancelled request gets no second answer. (schema:v2 ProtocolLevelNotification; JSON-RPC 2.0)
const NO_SECOND_RESPONSE: Rule = Rule::ban("ACP-CANCEL-008", watch_cancelled, |m, watch| {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let request = &m.conn.requests[index];
    match m.fact {
        _ if request.cancels > 1 => Still::Moot,
        _ if answered_again(m, index) => second(m, index, "was cancelled"),
        Fact::Settled if request.is_open() => Still::Moot,
        _ => Still::Watching,
    }
})
.of_both();

/// Something of ours that was sent before this event may have been read only with it: no fence and no answer came
/// between.
pub(super) fn unread_before(conn: &Conn, seq: u64) -> bool {
    let ours = conn.target.other();
    let unread = |sent: u64| sent < seq && !conn.fenced(sent, seq);
    let unanswered = |request: &Request| {
        let answer = request.answer();
        answer.is_none_or(|answer| answer.seq > seq)
    };
    conn.notifications
        .iter()
        .any(|told| told.from == ours && unread(told.seq))
        || conn.requests.iter().any(|request| {
            request.from == ours && !request.fence && unread(request.seq) && unanswered(request)
        })
}

/// A notification of another method was sent to the judged side as well, before an answer and so close to the one at
/// this event that the answer may be for either.
fn told_otherwise(m: &Moment<'_>, seq: u64, answer: u64) -> bool {
    let theirs = || {
        let told = m.conn.notifications.iter();
        told.filter(|told| told.from != m.judged && told.seq < answer)
    };
    let method = theirs()
        .find(|told| told.seq == seq)
        .map(|told| &told.method);
    theirs().any(|told| Some(&told.method) != method && !m.conn.fenced(told.seq, seq))
}

/// What an answer to the notification that the watch is about, or the end of the process by it, comes to.
pub(super) fn ignored(m: &Moment<'_>, watch: &Watch, what: &str, exit_breaks: bool) -> Still {
    if let Some(dead) = death(
        m,
        watch,
        "a process that lives on",
        &format!("{what} was sent"),
    ) {
        if m.judged == Side::Client && unread_before(m.conn, watch.opened) {
            return Still::Unclear(
                "other messages were sent as well, and the process ended".to_owned(),
            );
        }
        return match dead {
            Still::Broken(_) if !exit_breaks => {
                Still::Unclear(format!("{what} was sent, and the process ended"))
            }
            dead => dead,
        };
    }
    if excused(m.conn) {
        return Still::Moot;
    }
    match answered_notification(m, watch.opened) {
        Told::Answered { answer, .. } if told_otherwise(m, watch.opened, answer) => {
            Still::Unclear("another notification may have drawn the answer".to_owned())
        }
        Told::Nothing => Still::Watching,
        Told::Unclear => Still::Unclear(NAMES_NO_REQUEST.to_owned()),
        Told::Answered {
            notification,
            answer,
        } if notification == watch.opened => Still::Broken(
            Why::new(
                "no answer to a notification",
                format!("{what} was sent, and answered"),
            )
            .at(answer),
        ),
        Told::Answered { .. } => Still::Moot,
    }
}

/// CANCEL-009: the cancellation of an id that no request has is ignored: no answer, no exit.
/// (schema:v2 ProtocolLevelNotification; derived)
const UNKNOWN_ID: Rule = Rule::ban(
    "ACP-CANCEL-009",
    |m, says| {
        let Some(id) = cancels(m, false).and_then(named) else {
            return;
        };
        if names_nothing(m.conn, m, &id) {
            says.watch_for(Subject::Connection, id.text());
        }
    },
    |m, watch| {
        if let Fact::Orphan(index) = m.fact {
            let orphan = &m.conn.orphans[*index];
            let key = |id: &str| Id(id.into()).key();
            if orphan.from == m.judged
                && orphan
                    .id
                    .as_deref()
                    .is_some_and(|id| key(id) == key(&watch.memo))
                && !excused(m.conn)
            {
                return Still::Broken(Why::new(
                    "no answer to a request that never was",
                    format!(
                        "the cancellation of the unknown id {} was answered under that id",
                        text::short_to(&watch.memo, 60)
                    ),
                ));
            }
        }
        ignored(m, watch, "the cancellation of an unknown id", true)
    },
)
.of_both();

/// No request of either side has this id, nor its twin.
fn names_nothing(conn: &Conn, m: &Moment<'_>, id: &Id) -> bool {
    let key = id.key();
    let known = |key: &IdKey| {
        conn.with_key(m.judged, key).is_some() || conn.with_key(m.judged.other(), key).is_some()
    };
    is_plain(&key) && !known(&key) && !twin(&key).as_ref().is_some_and(known)
}

/// CANCEL-010: the cancellation of an id that was answered already is ignored, and the answer stands.
/// (schema:v2 ProtocolLevelNotification; rfd:request-cancellation#faq; derived)
const ANSWERED_ID: Rule = Rule::ban(
    "ACP-CANCEL-010",
    |m, says| {
        if let Some((index, request)) = cancelled_request(m)
            && !request.is_open()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        // What was cancelled before its answer as well is CANCEL-008's and CANCEL-013's.
        let before = request.answer().map(|answer| answer.seq) > request.cancel_asked;
        if before {
            Still::Moot
        } else if answered_again(m, index) {
            second(m, index, "was cancelled after its answer")
        } else {
            ignored(m, watch, "the cancellation of an answered request", true)
        }
    },
)
.of_both();

/// CANCEL-011: a request that completed before its cancellation was processed gets its normal answer. Which came first
/// is certain only where the agent, after it had read the cancellation, went on, took our accept, and told what came of
/// it. (rfd:request-cancellation#faq; derived)
const FINISHED_WORK: Rule = Rule::check("ACP-CANCEL-011", |m, says| {
    let Some((_, request)) = m.answered() else {
        return;
    };
    let Some(asked) = request.cancel_asked else {
        return;
    };
    let done = request.turn.map(|turn| &m.conn.turns[turn]).filter(|turn| {
        request.error_code() == Some(CANCELLED) && matches!(report(turn), Report::Accept(_))
    });
    let Some(turn) = done else {
        return says.upheld();
    };
    let went_on = turn.elicitations.iter().any(|&question| {
        let answer = m.conn.requests[question].answer();
        answer.is_some_and(|answer| m.conn.fenced(asked, answer.seq))
    });
    if went_on && turn.cancelled.is_none() {
        says.broken(
            Why::new(
                "the normal answer of work that was not stopped",
                "the agent went on after the cancellation, told what came of its work, and answered -32800",
            )
            .sent(request.text.clone()),
        );
    } else {
        says.unclear(format!(
            "{}, then -32800: which came first is not certain",
            said(turn)
        ));
    }
});

/// An id that a careless reader takes for none.
pub(super) fn is_unusual(key: &IdKey) -> bool {
    const LONG: usize = 256;
    match key {
        IdKey::Number(number) => number == "0" || number.starts_with('-'),
        IdKey::String(text) => text.is_empty() || text.len() >= LONG,
        IdKey::Null | IdKey::Other(_) => false,
    }
}

/// The request was answered as cancelled, and nothing but its own cancellation can be the reason.
fn honoured(conn: &Conn, request: &Request) -> bool {
    let alone = request
        .turn
        .is_none_or(|turn| conn.turns[turn].cancelled.is_none());
    let stopped = request
        .result()
        .is_some_and(|result| result["stopReason"] == "cancelled");
    request.cancel_asked.is_some() && alone && (request.error_code() == Some(CANCELLED) || stopped)
}

/// The questions of a request: those of its turn, and those in its scope.
fn questions<'a>(conn: &'a Conn, request: &'a Request) -> impl Iterator<Item = &'a Request> {
    conn.requests.iter().filter(move |question| {
        let Some(elicitation) = question.elicitation.as_deref() else {
            return false;
        };
        match &elicitation.create.scope {
            Scope::Request(id) => Id(id.as_str().into()).key() == request.key,
            _ => request.turn.is_some() && question.turn == request.turn,
        }
    })
}

/// CANCEL-012: 0, -1, "" and long strings can be cancelled like any other id, by an agent that is seen to cancel at all.
/// (schema:v1+v2 RequestId; derived)
const UNUSUAL_IDS: Rule = Rule::check("ACP-CANCEL-012", |m, says| {
    let Some((index, request)) = m.answered() else {
        return;
    };
    let Some(asked) = request.cancel_asked.filter(|_| is_unusual(&request.key)) else {
        return;
    };
    let usual = m.conn.requests[..index].iter().any(|other| {
        other.method == request.method && !is_unusual(&other.key) && honoured(m.conn, other)
    });
    if !usual {
        return;
    }
    if honoured(m.conn, request) {
        return says.upheld();
    }
    let went_on = questions(m.conn, request).any(|question| {
        let answer = question.answer();
        answer.is_some_and(|answer| m.conn.fenced(asked, answer.seq))
    });
    let normal = request.answer().is_some_and(|answer| !answer.is_error);
    if went_on && normal {
        says.broken(
            Why::new(
                "a cancellation that is honoured whatever the id",
                format!(
                    "a request with another id was cancelled, and the one with the id {} went on",
                    quoted(&request.id)
                ),
            )
            .sent(request.text.clone()),
        );
    } else {
        says.unclear("whether the cancellation was ignored or came too late is not certain");
    }
});

/// CANCEL-013: to cancel an id twice has no further effect: no second answer, no crash, and no effect on a later request
/// that legally has the same id. (schema:v2 ProtocolLevelNotification; derived)
const TWICE: Rule = Rule::ban(
    "ACP-CANCEL-013",
    |m, says| {
        if let Some((index, request)) = cancelled_request(m)
            && request.cancels == 2
        {
            return says.watch(Subject::Request(index));
        }
        let Some((index, request)) = m.answered() else {
            return;
        };
        let earlier = m.conn.requests[..index]
            .iter()
            .rev()
            .find(|earlier| earlier.from == request.from && earlier.key == request.key);
        let alone = request
            .turn
            .is_none_or(|turn| m.conn.turns[turn].cancelled.is_none());
        if earlier.is_some_and(|earlier| earlier.cancels > 0)
            && request.cancel_asked.is_none()
            && alone
        {
            says.holds(request.error_code() != Some(CANCELLED), || {
                Why::new(
                    "an answer of its own for a request that nobody cancelled",
                    format!(
                        "an earlier request with the id {} was cancelled, and this one was answered -32800",
                        quoted(&request.id)
                    ),
                )
                .sent(request.text.clone())
            });
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        if let Some(dead) = death(
            m,
            watch,
            "a process that lives on",
            "a request was cancelled twice",
        ) {
            return dead;
        }
        match m.fact {
            _ if answered_again(m, index) => second(m, index, "was cancelled twice"),
            Fact::Settled if m.conn.requests[index].is_open() => Still::Moot,
            _ => Still::Watching,
        }
    },
)
.of_both();

/// CANCEL-014: the notification itself is never answered, even when malformed. That of an unknown or an answered id is
/// CANCEL-009's and CANCEL-010's. (JSON-RPC 2.0; rfd:request-cancellation)
const NOTIFICATION_UNANSWERED: Rule = Rule::ban(
    "ACP-CANCEL-014",
    |m, says| {
        let Some(notification) = cancels(m, false) else {
            return;
        };
        let id = named(notification);
        let plain = id.as_ref().is_some_and(|id| is_plain(&id.key()));
        let answered = cancelled_request(m).is_some_and(|(_, request)| !request.is_open());
        if answered || id.is_some_and(|id| names_nothing(m.conn, m, &id)) {
            return;
        }
        says.watch_for(
            Subject::Connection,
            if plain { "valid" } else { "malformed" },
        );
    },
    |m, watch| {
        let valid = watch.memo == "valid";
        let what = if valid {
            METHOD.to_owned()
        } else {
            format!("a malformed {METHOD}")
        };
        ignored(m, watch, &what, valid)
    },
)
.of_both();

/// CANCEL-015: the cancellation error has the integer code -32800 and a message that is a string.
/// (schema:v1+v2 ErrorCode::RequestCancelled)
const ERROR_SHAPE: Rule = Rule::check("ACP-CANCEL-015", |m, says| {
    let ours = match m.fact {
        Fact::Answered { request, .. } => m.conn.requests[*request].from != m.judged,
        Fact::Orphan(index) => m.conn.orphans[*index].from == m.judged,
        _ => false,
    };
    let Some(text) = m.text().filter(|_| ours) else {
        return;
    };
    let Parsed::Message(message) = Message::parse(text) else {
        return;
    };
    let error: Option<Value> = message
        .error
        .and_then(|error| serde_json::from_str(error).ok());
    let Some(error) = error else { return };
    let code = &error["code"];
    if code.as_str().is_some_and(|code| code.trim() == "-32800") {
        return says.broken(Why::new(
            "the integer -32800",
            "the code of the cancellation error is a string",
        ));
    }
    if code.as_i64() == Some(CANCELLED) {
        says.holds(error["message"].is_string(), || {
            Why::new(
                "a message that is a string",
                "the cancellation error has no message, or one that is no string",
            )
        });
    }
})
.of_both();

/// CANCEL-016: to cancel one request, or the work of one session, leaves the others untouched: turns of other sessions,
/// sessions that are set up. (rfd:request-cancellation#shiny-future; derived)
const OTHERS_UNTOUCHED: Rule = Rule::duty(
    "ACP-CANCEL-016",
    "an answer to the request that was not cancelled",
    |m, says| {
        if let Some(session) = super::stop::cancelled_session(m) {
            for (index, turn) in m.conn.turns.iter().enumerate() {
                let other = turn.session != session && turn.ended.is_none();
                if other && turn.cancelled.is_none() && super::stop::blocks(turn) {
                    says.watch(Subject::Turn(index));
                }
            }
        }
        let Some((index, cancelled)) =
            cancelled_request(m).filter(|(_, request)| request.is_open())
        else {
            return;
        };
        let session =
            |request: &Request| request.turn.map(|turn| m.conn.turns[turn].session.as_str());
        for (other, request) in m.conn.open_requests(m.judged.other()) {
            let alike = request.method == cancelled.method && other != index;
            let unrelated = match request.method.as_str() {
                "session/prompt" => session(request) != session(cancelled),
                "session/new" => true,
                _ => false,
            };
            if alike && unrelated && request.cancel_asked.is_none() {
                says.watch(Subject::Request(other));
            }
        }
    },
    |m, watch| {
        let index = match watch.subject {
            Subject::Request(index) => index,
            Subject::Turn(index) => return other_turn(m, index),
            Subject::Connection => return Still::Moot,
        };
        let request = &m.conn.requests[index];
        let stopped = request
            .turn
            .is_some_and(|turn| m.conn.turns[turn].cancelled.is_some());
        if request.cancel_asked.is_some() || stopped {
            return Still::Moot;
        }
        let gone = request.error_code() == Some(CANCELLED)
            || request
                .result()
                .is_some_and(|result| result["stopReason"] == "cancelled");
        match m.fact {
            _ if gone => Still::Broken(
                Why::new(
                    "a request that goes on, since only another was cancelled",
                    format!(
                        "another request was cancelled, and {} (id {}) was answered as cancelled too",
                        request.method,
                        quoted(&request.id)
                    ),
                )
                .sent(request.text.clone()),
            ),
            _ if !request.is_open() => Still::Upheld,
            Fact::Deadline(_) if request.overdue == Some(m.event.seq) && may_go_on(m.conn, request) => {
                Still::Unclear("the request may still be at work".to_owned())
            }
            _ => Still::Watching,
        }
    },
);

/// What has become of a turn while another session was cancelled.
fn other_turn(m: &Moment<'_>, index: usize) -> Still {
    let turn = &m.conn.turns[index];
    if turn.cancelled.is_some() || m.conn.requests[turn.request].cancel_asked.is_some() {
        return Still::Moot;
    }
    let broken = |what: &str| {
        Still::Broken(
            Why::new(
                "a turn that goes on, since only another session was cancelled",
                format!("another session was cancelled, and {what}"),
            )
            .sent("session/cancel"),
        )
    };
    let taken_back = turn.elicitations.iter().any(|&question| {
        let question = &m.conn.requests[question];
        question.is_open() && question.cancel_asked.is_some()
    });
    match &turn.ended {
        _ if taken_back => broken("a question of this one was taken back"),
        Some(end) if end.stop_reason.as_deref() == Some("cancelled") => {
            broken("the turn of this one ended as cancelled too")
        }
        Some(_) => Still::Upheld,
        None => Still::Watching,
    }
}

/// CANCEL-018: when a request is cancelled with a question in its scope, the agent takes the question back too.
/// (rfd:request-cancellation#faq; derived)
const PROPAGATES: Rule = Rule::check_later(
    "ACP-CANCEL-018",
    |m, says| {
        let Some((index, request)) = cancelled_request(m).filter(|(_, request)| request.is_open())
        else {
            return;
        };
        for (question, asked) in m.conn.open_requests(m.judged) {
            let scope = asked
                .elicitation
                .as_deref()
                .map(|asked| &asked.create.scope);
            if let Some(Scope::Request(id)) = scope
                && Id(id.as_str().into()).key() == request.key
            {
                says.watch_for(Subject::Request(question), index.to_string());
            }
        }
    },
    |m, watch| {
        let (Subject::Request(question), Ok(outer)) = (watch.subject, watch.memo.parse::<usize>())
        else {
            return Still::Moot;
        };
        let (question, outer) = (&m.conn.requests[question], &m.conn.requests[outer]);
        match m.fact {
            _ if question.cancel_asked.is_some() => Still::Upheld,
            _ if !question.is_open() => Still::Moot,
            Fact::Settled if !outer.is_open() => Still::Broken(
                Why::new(
                    format!("{METHOD} for the question inside of a request that was cancelled"),
                    format!(
                        "{} was cancelled and answered, and its question (id {}) was left open",
                        outer.method,
                        quoted(&question.id)
                    ),
                )
                .got(question.text.clone()),
            ),
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
);

/// CANCEL-035 (v2): an id is not used again while the cancelled request with that id is unanswered.
/// (schema:v2 RequestId)
const ID_NOT_REUSED: Rule = Rule::check("ACP-CANCEL-035", |m, says| {
    let Some((index, request)) = m.requested() else {
        return;
    };
    if m.conn.version() != Version::AcpV2 {
        return;
    }
    if reuses_cancelled(m.conn, request) {
        return says.broken(Why::new(
            "an id that no unanswered request has",
            format!(
                "the request {} was cancelled, is still unanswered, and its id was used again",
                quoted(&request.id)
            ),
        ));
    }
    let cancelled =
        |(other, asked): (usize, &Request)| other != index && asked.cancel_asked.is_some();
    if m.conn.open_requests(m.judged).any(cancelled) {
        says.upheld();
    }
})
.of_both();

/// A v2 request has the id of a cancelled one that is unanswered: CANCEL-035 judges that, and no other rule.
pub(super) fn reuses_cancelled(conn: &Conn, request: &Request) -> bool {
    conn.version() == Version::AcpV2
        && request
            .reuses
            .is_some_and(|earlier| conn.requests[earlier].cancel_asked.is_some())
}
