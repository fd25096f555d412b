//! CANCEL and ELICIT-CANCEL: how a client cancels, and what it makes of cancellations.

use elenchus_protocol::{Version, acp::elicitation::Scope};
use elenchus_wire::{IdKey, Side};
use serde_json::Value;

use super::asked::{Outcome, Question, is_driven, outcome, question, questions, sent};
use crate::{
    fact::{Fact, Moment},
    kinds::{NOTIFICATIONS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    rules::cancel::{self, CANCELLED},
    world::{Order, Request},
};

pub(super) const RULES: &[Rule] = &[
    SESSION_CANCEL.at(&[NOTIFICATIONS, REQUESTS]),
    PERMISSIONS.at(&[NOTIFICATIONS]),
    QUESTIONS_LIVE_V1.at(&[NOTIFICATIONS]),
    QUESTIONS_LIVE_V2.at(&[NOTIFICATIONS]),
    OUTSIDE_LIVES_V1.at(&[NOTIFICATIONS]),
    OUTSIDE_LIVES_V2.at(&[NOTIFICATIONS]),
    TOOL_CALL_IS_CONTEXT.at(&[NOTIFICATIONS]),
    ONE_ANSWER.at(&[NOTIFICATIONS]),
    OWN_REQUESTS_ONLY.at(&[NOTIFICATIONS]),
    UNUSUAL_IDS,
    OTHERS_UNTOUCHED.at(&[NOTIFICATIONS]),
];

/// The session that the client cancels at this fact.
fn cancelled_session<'a>(m: &Moment<'a>) -> Option<&'a str> {
    let Fact::Notified(index) = m.fact else {
        return None;
    };
    let told = &m.conn.notifications[*index];
    let by_client = told.from == Side::Client && told.method == "session/cancel";
    let params = told.params.as_ref().filter(|_| by_client)?;
    params.get("sessionId")?.as_str()
}

/// CANCEL-023: `session/cancel` is a notification, with the id of a session. (schema:v1 CancelNotification, v2
/// CancelSessionNotification; prompt-turn#cancellation)
const SESSION_CANCEL: Rule = Rule::check("ACP-CANCEL-023", |m, says| {
    let cancels = |method: &str| method == "session/cancel";
    if let Some((_, request)) = m.requested().filter(|(_, it)| cancels(&it.method)) {
        return says.broken(Why::new(
            "session/cancel as a notification, which has no id",
            format!(
                "session/cancel was sent as a request, with the id {}",
                request.id.text()
            ),
        ));
    }
    let Fact::Notified(index) = m.fact else {
        return;
    };
    let told = &m.conn.notifications[*index];
    if told.from != Side::Client || !cancels(&told.method) {
        return;
    }
    let session = told
        .params
        .as_ref()
        .and_then(|params| params.get("sessionId"));
    says.holds(session.is_some_and(Value::is_string), || {
        Why::new(
            "a sessionId that is a string",
            match session {
                None => "session/cancel names no session".to_owned(),
                Some(_) => "the sessionId of session/cancel is no string".to_owned(),
            },
        )
    });
})
.of_client();

/// CANCEL-032: after `session/cancel` the client answers pending permission requests of that session with the outcome
/// cancelled; in v2 it may wait until the agent takes them back. (prompt-turn#cancellation; prompt-lifecycle#cancellation)
const PERMISSIONS: Rule = Rule::check_later(
    "ACP-CANCEL-032",
    |m, says| {
        let Some(session) = cancelled_session(m) else {
            return;
        };
        for (index, request) in m.conn.open_requests(Side::Server) {
            let params = request.params.as_ref();
            let own = params.and_then(|it| it.get("sessionId")?.as_str()) == Some(session);
            if request.method == "session/request_permission" && own && request.well_formed {
                says.watch(Subject::Request(index));
            }
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        let broken = |why: &str| {
            Still::Broken(
                Why::new(r#"{"outcome":{"outcome":"cancelled"}}"#, why).sent(request.text.clone()),
            )
        };
        match m.fact {
            Fact::Answered {
                request: at,
                nth: 1,
            } if *at == index => {
                let outcome = request.result().map(|it| &it["outcome"]["outcome"]);
                match outcome.and_then(Value::as_str) {
                    Some("cancelled") => Still::Upheld,
                    Some("selected") => {
                        Still::Unclear("the choice may have been made before".to_owned())
                    }
                    _ if request.error_code() == Some(CANCELLED) => {
                        Still::Unclear("-32800, which an example of the documents shows".to_owned())
                    }
                    _ => {
                        broken("the turn was cancelled, and the permission was answered otherwise")
                    }
                }
            }
            Fact::Deadline(_) if request.is_open() && request.overdue == Some(m.event.seq) => {
                let told = request.cancel_asked.is_some() || m.conn.version() == Version::AcpV1;
                if m.conn.stopped || !told {
                    Still::Unclear("the client may wait until it is taken back".to_owned())
                } else {
                    broken("the turn was cancelled, and the permission was never answered")
                }
            }
            _ => Still::Watching,
        }
    },
)
.of_client();

/// What has become of a question that nobody answers, and that nothing cancels.
fn stays_open(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    match outcome(m, watch) {
        Some(Outcome::Withdrawn | Outcome::Died(_)) => Still::Moot,
        Some(Outcome::Silence) | None => Still::Watching,
        Some(_) => Still::Broken(
            Why::new(
                "an elicitation that stays open until the user answers it, or it is taken back",
                format!("{what}, and the client answered an elicitation that no user had answered"),
            )
            .sent(sent(m.conn, watch)),
        ),
    }
}

/// Watches the questions that the client was told to leave open, where they are such.
fn watch_open(m: &Moment<'_>, says: &mut Says, is: impl Fn(&Question<'_>) -> bool) {
    for question in questions(m.conn).filter(|it| it.request.is_open()) {
        let idle = question.order(m) == Some(&Order::Idle);
        if idle && question.request.cancel_asked.is_none() && is(&question) {
            says.watch(Subject::Request(question.index));
        }
    }
}

/// Watches the questions of the session that is cancelled, which are no part of the work that is: they came outside of
/// any turn, or in one that was over before.
fn watch_unrelated(m: &Moment<'_>, says: &mut Says, version: Version) {
    let Some(session) = cancelled_session(m).filter(|_| m.conn.version() == version) else {
        return;
    };
    watch_open(m, says, |question| {
        let turn = question.request.turn.map(|turn| &m.conn.turns[turn]);
        let apart = turn.is_none_or(|turn| turn.ended.is_some() && turn.cancelled.is_none());
        let of_tool = question.asked.create.has_tool_call_id;
        apart
            && !of_tool
            && matches!(&question.asked.create.scope, Scope::Session { session: of, .. } if of == session)
    });
}

/// ELICIT-CANCEL-030 (v1): `session/cancel` by itself answers none of the session's elicitations that have nothing to do
/// with the work that is cancelled. (elicitation#session-cancellation; derived)
const QUESTIONS_LIVE_V1: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-030",
    |m, says| watch_unrelated(m, says, Version::AcpV1),
    |m, watch| stays_open(m, watch, "the session was cancelled"),
)
.of_client();

/// ELICIT-CANCEL-001 (v2): the same. (elicitation#session-cancellation)
const QUESTIONS_LIVE_V2: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-001",
    |m, says| watch_unrelated(m, says, Version::AcpV2),
    |m, watch| stays_open(m, watch, "the session was cancelled"),
)
.of_client();

/// Watches the questions that hang on a request outside of the session that is cancelled.
fn watch_outside(m: &Moment<'_>, says: &mut Says, version: Version) {
    if cancelled_session(m).is_none() || m.conn.version() != version {
        return;
    }
    watch_open(m, says, |question| {
        let Scope::Request(id) = &question.asked.create.scope else {
            return false;
        };
        let key = elenchus_wire::Id(id.as_str().into()).key();
        let outer = m.conn.with_key(Side::Client, &key);
        outer.is_some_and(|outer| m.conn.requests[outer].method != "session/prompt")
    });
}

/// ELICIT-CANCEL-031 (v1): `session/cancel` leaves alone what hangs on a request outside of the session.
/// (elicitation#session-cancellation; derived)
const OUTSIDE_LIVES_V1: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-031",
    |m, says| watch_outside(m, says, Version::AcpV1),
    |m, watch| stays_open(m, watch, "a session was cancelled"),
)
.of_client();

/// ELICIT-CANCEL-007 (v2): the same. (elicitation#session-cancellation)
const OUTSIDE_LIVES_V2: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-007",
    |m, says| watch_outside(m, says, Version::AcpV2),
    |m, watch| stays_open(m, watch, "a session was cancelled"),
)
.of_client();

/// ELICIT-CANCEL-002 (v2): a tool call that is over takes no elicitation with it, which it only gives context.
/// (elicitation#session-cancellation; derived)
const TOOL_CALL_IS_CONTEXT: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-002",
    |m, says| {
        let Fact::Notified(index) = m.fact else {
            return;
        };
        let told = m.conn.notifications[*index].told.as_deref();
        let Some(told) = told.filter(|told| told.kind == "tool_call_update") else {
            return;
        };
        let over = matches!(
            told.state.as_deref(),
            Some("completed" | "failed" | "cancelled")
        );
        if m.conn.version() != Version::AcpV2 || !over {
            return;
        }
        watch_open(m, says, |question| {
            matches!(&question.asked.create.scope, Scope::Session { tool_call: Some(id), .. }
                if Some(id) == told.id.as_ref())
        });
    },
    |m, watch| stays_open(m, watch, "its tool call was reported as over"),
)
.of_client();

/// ELICIT-CANCEL-008: an elicitation that is taken back still gets exactly one answer: -32800, or any valid result. A
/// client may ignore the cancellation, so that a missing answer is held against it only where no user had to act.
/// (elicitation#cancellation; cancellation)
const ONE_ANSWER: Rule = Rule::check_later(
    "ACP-ELICIT-CANCEL-008",
    |m, says| {
        let Some((index, request)) = cancel::cancelled_request(m) else {
            return;
        };
        let question = question(m.conn, index).filter(Question::sound);
        if question.is_some() && request.is_open() && request.cancels == 1 {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        let broken = |why: String| {
            Still::Broken(
                Why::new("one answer: -32800, or a valid result", why).sent(request.text.clone()),
            )
        };
        match m.fact {
            Fact::Answered { request: at, nth } if *at == index && *nth > 1 => broken(format!(
                "the elicitation was taken back, and answered {nth} times"
            )),
            Fact::Answered { request: at, .. } if *at == index => match request.answer() {
                Some(answer) if answer.is_error && answer.error_code != Some(CANCELLED) => {
                    Still::Unclear("an error of another code than -32800".to_owned())
                }
                _ => Still::Watching,
            },
            Fact::Deadline(_) if request.is_open() && request.overdue == Some(m.event.seq) => {
                if is_driven(m, watch) && !m.conn.stopped {
                    broken("the elicitation was taken back, and never answered".to_owned())
                } else {
                    Still::Unclear("the cancellation may be ignored".to_owned())
                }
            }
            Fact::Settled if !request.is_open() => Still::Upheld,
            Fact::Exited => match m.died() {
                Some(how)
                    if m.newest_is(watch.opened)
                        && !cancel::unread_before(m.conn, watch.opened) =>
                {
                    broken(format!("the elicitation was taken back, and {how}"))
                }
                _ => Still::Watching,
            },
            _ => Still::Watching,
        }
    },
)
.of_client();

/// CANCEL-005 (v2): a client cancels only requests of its own, and takes a cancellation of ours for one of ours, even if
/// it has a request with that id. (schema:v2 CancelRequestNotification.request_id)
const OWN_REQUESTS_ONLY: Rule = Rule::check_later(
    "ACP-CANCEL-005",
    |m, says| {
        if m.conn.version() == Version::AcpV2 {
            cancel::judge_own(m, says);
            watch_twin(m, says);
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let own = &m.conn.requests[index];
        if own.cancel_asked > Some(watch.opened) {
            return Still::Broken(
                Why::new(
                    "a request that only its own side can cancel",
                    "the agent cancelled a request of its own, and the client cancelled the one that it had with that id",
                )
                .got(own.text.clone()),
            );
        }
        match m.fact {
            Fact::Settled => Still::Upheld,
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
)
.of_client();

/// Watches the client's open request with the id of the request of ours that we cancel.
fn watch_twin(m: &Moment<'_>, says: &mut Says) {
    let Some((_, cancelled)) = cancel::cancelled_request(m) else {
        return;
    };
    let own = m.conn.open_with(Side::Client, &cancelled.key);
    if let Some(own) = own.filter(|own| m.conn.requests[*own].cancel_asked.is_none()) {
        says.watch(Subject::Request(own));
    }
}

/// An id that a careless reader takes for none.
fn is_unusual(key: &IdKey) -> bool {
    cancel::is_unusual(key)
}

/// CANCEL-012: elicitations with the ids 0, -1, "" and long strings can be taken back like any other, by a client that
/// is seen to cancel at all. (schema:v1+v2 RequestId; derived)
const UNUSUAL_IDS: Rule = Rule::check_later(
    "ACP-CANCEL-012",
    |m, says| {
        let Some((index, request)) = cancel::cancelled_request(m) else {
            return;
        };
        let idle = question(m.conn, index).is_some_and(|it| it.order(m) == Some(&Order::Idle));
        if !idle || !is_unusual(&request.key) || !request.is_open() {
            return;
        }
        let honours = |it: Question<'_>| {
            it.index < index && !is_unusual(&it.request.key) && was_honoured(it.request)
        };
        if questions(m.conn).any(honours) {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        match m.fact {
            _ if was_honoured(request) => Still::Upheld,
            _ if !request.is_open() => Still::Unclear("it was answered otherwise".to_owned()),
            Fact::Settled => Still::Broken(
                Why::new(
                    "a cancellation that is honoured whatever the id",
                    "an elicitation with another id was taken back and answered, and this one stayed open",
                )
                .sent(request.text.clone())
                .got("nothing"),
            ),
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
)
.of_client();

/// The request was cancelled, and answered as cancelled.
fn was_honoured(request: &Request) -> bool {
    let cancelled = request
        .result()
        .is_some_and(|result| result["action"] == "cancel");
    let answer = request.answer();
    let after = answer.is_some_and(|answer| request.cancel_asked.is_some_and(|it| it < answer.seq));
    after && (cancelled || request.error_code() == Some(CANCELLED))
}

/// CANCEL-016: to take one request back leaves the others untouched. (rfd:request-cancellation#shiny-future; derived)
const OTHERS_UNTOUCHED: Rule = Rule::ban(
    "ACP-CANCEL-016",
    |m, says| {
        if cancel::cancelled_request(m).is_some_and(|(_, request)| request.is_open()) {
            watch_open(m, says, |_| true);
        }
    },
    |m, watch| stays_open(m, watch, "another elicitation was taken back"),
)
.of_client();
