//! ELICIT-COMPLETE: what a client makes of `elicitation/complete`.

use elenchus_protocol::acp::elicitation::Answer;
use elenchus_wire::Side;

use super::{
    asked::{Outcome, Question, is_driven, outcome, question, questions, sent},
    links,
};
use crate::{
    fact::{Fact, Moment},
    kinds::NOTIFICATIONS,
    rule::{Rule, Still, Subject, Watch, Why},
    rules::cancel::{ignored, unread_before},
    world::{Order, Request},
};

pub(super) const RULES: &[Rule] = &[
    UNKNOWN_ID.at(&[NOTIFICATIONS]),
    REPEATED.at(&[NOTIFICATIONS]),
    AFTER_REFUSAL.at(&[NOTIFICATIONS]),
    BEFORE_ANSWER.at(&[NOTIFICATIONS]),
    UNANSWERED.at(&[NOTIFICATIONS]),
    WITH_CANCELLATION.at(&[NOTIFICATIONS]),
];

/// What a completion is about.
enum About<'a> {
    /// Nothing: it has no id that is a string.
    Malformed,
    /// An id that no elicitation has.
    Unknown,
    /// An elicitation that was completed before.
    Repeated,
    /// An elicitation that was not.
    Known(Question<'a>),
}

/// The completion that we send at this fact.
fn completes<'a>(m: &Moment<'a>) -> Option<About<'a>> {
    let Fact::Notified(index) = m.fact else {
        return None;
    };
    let told = &m.conn.notifications[*index];
    if told.from != Side::Server || told.method != "elicitation/complete" {
        return None;
    }
    let id = told
        .params
        .as_ref()
        .and_then(|it| it.get("elicitationId")?.as_str());
    let Some(id) = id else {
        return Some(About::Malformed);
    };
    let issued = m.conn.issued.get(id).and_then(|known| known.last());
    Some(match issued.and_then(|index| question(m.conn, *index)) {
        None => About::Unknown,
        Some(_) if m.conn.completed.get(id) != Some(&told.seq) => About::Repeated,
        Some(known) => About::Known(known),
    })
}

/// What the client did since the watch began that only the completion can have drawn.
fn reaction(m: &Moment<'_>, watch: &Watch) -> Option<&'static str> {
    match m.fact {
        Fact::Answered { request, nth: 1 } => {
            let question = question(m.conn, *request)?;
            let unasked = question.request.seq < watch.opened
                && question.request.cancel_asked.is_none()
                && question.order(m) == Some(&Order::Idle);
            unasked.then_some("an elicitation was answered that no user had answered")
        }
        // What is opened for an accept has nothing to do with it, however long a browser takes to start.
        Fact::UrlOpened if was_quiet(m, watch) && !links::is_for_a_consent(m) => {
            Some("a URL was opened")
        }
        _ => None,
    }
}

/// A completion that means nothing to the client: no answer, no effect, no end.
fn is_ignored(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    if let Some(did) = reaction(m, watch) {
        return Still::Broken(Why::new("nothing", format!("{what} was sent, and {did}")));
    }
    ignored(m, watch, what, true)
}

/// COMPLETE-006: a completion with an unknown id is ignored. (elicitation#url-completion)
const UNKNOWN_ID: Rule = Rule::ban(
    "ACP-ELICIT-COMPLETE-006",
    |m, says| {
        if matches!(completes(m), Some(About::Unknown)) {
            says.watch(Subject::Connection);
        }
    },
    |m, watch| is_ignored(m, watch, "a completion with an unknown id"),
)
.of_client();

/// COMPLETE-007: a completion of what is completed already is ignored. What the first one led to is over when the second
/// is sent after quiet. (elicitation#url-completion)
const REPEATED: Rule = Rule::ban(
    "ACP-ELICIT-COMPLETE-007",
    |m, says| {
        if matches!(completes(m), Some(About::Repeated)) {
            says.watch(Subject::Connection);
        }
    },
    |m, watch| {
        let what = "a second completion of one elicitation";
        if let Fact::Requested(index) = m.fact {
            let request = &m.conn.requests[*index];
            let prompts = request.from == Side::Client && request.method == "session/prompt";
            if prompts && was_quiet(m, watch) {
                return Still::Broken(Why::new(
                    "nothing",
                    format!("{what} was sent, and the client sent a prompt"),
                ));
            }
        }
        is_ignored(m, watch, what)
    },
)
.of_client();

/// The client had said all that it had to say when the watch began: there was quiet behind everything of ours before,
/// and nothing ended a turn since.
fn was_quiet(m: &Moment<'_>, watch: &Watch) -> bool {
    let Some(settled) = m.conn.settled else {
        return false;
    };
    let ours = |it: &&Request| it.from == Side::Server && !it.fence;
    let spoke = m
        .conn
        .requests
        .iter()
        .filter(ours)
        .any(|it| it.seq > settled)
        || m.conn
            .notifications
            .iter()
            .any(|it| it.from == Side::Server && it.seq > settled && it.seq != watch.opened)
        || m.conn.requests.iter().any(|it| {
            it.from == Side::Client && it.answer().is_some_and(|answer| answer.seq > settled)
        });
    settled < watch.opened && !spoke
}

/// COMPLETE-008: a completion of what the user declined or cancelled changes nothing. (elicitation#url-completion;
/// derived)
const AFTER_REFUSAL: Rule = Rule::ban(
    "ACP-ELICIT-COMPLETE-008",
    |m, says| {
        let Some(About::Known(question)) = completes(m) else {
            return;
        };
        if matches!(
            question.asked.answer,
            Some(Answer::Decline | Answer::Cancel)
        ) {
            says.watch(Subject::Request(question.index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let broken = |did: &str| {
            Still::Broken(
                Why::new(
                    "nothing, since the user had refused",
                    format!("an elicitation was refused, then completed, and {did}"),
                )
                .sent(sent(m.conn, watch)),
            )
        };
        match m.fact {
            Fact::UrlOpened if question(m.conn, index).is_some_and(|it| links::is_of(m, &it)) => {
                broken("its URL was opened")
            }
            Fact::Answered { request, nth: 2.. } if *request == index => {
                broken("it was answered once more")
            }
            Fact::Exited => match m.died() {
                Some(how) if m.newest_is(watch.opened) && !unread_before(m.conn, watch.opened) => {
                    broken(&how)
                }
                _ => Still::Watching,
            },
            _ => Still::Watching,
        }
    },
)
.of_client();

/// A question that was completed before it was answered, or cancelled as well: it still gets exactly one answer.
fn still_one(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let Some(question) = question(m.conn, index) else {
        return Still::Moot;
    };
    let broken = |why: String| {
        Still::Broken(Why::new("exactly one answer", why).sent(question.request.text.clone()))
    };
    match m.fact {
        Fact::Answered { request, nth } if *request == index && *nth > 1 => broken(format!(
            "an elicitation was {what}, and answered {nth} times"
        )),
        Fact::Deadline(_) if question.request.overdue == Some(m.event.seq) => {
            if is_driven(m, watch) && !m.conn.stopped {
                broken(format!("an elicitation was {what}, and never answered"))
            } else {
                Still::Unclear("a person may be looking at it".to_owned())
            }
        }
        Fact::Settled if !question.request.is_open() => Still::Upheld,
        Fact::Exited => match m.died() {
            Some(how) if m.newest_is(watch.opened) && !unread_before(m.conn, watch.opened) => {
                broken(format!("an elicitation was {what}, and {how}"))
            }
            _ => Still::Watching,
        },
        _ => Still::Watching,
    }
}

/// COMPLETE-009: a completion that comes before the answer does not stand in for it. With a cancellation besides it is
/// ELICIT-CANCEL-027's. (elicitation#url-completion; derived)
const BEFORE_ANSWER: Rule = Rule::check_later(
    "ACP-ELICIT-COMPLETE-009",
    |m, says| {
        let Some(About::Known(question)) = completes(m) else {
            return;
        };
        if question.request.is_open() && question.request.cancel_asked.is_none() {
            says.watch(Subject::Request(question.index));
        }
    },
    |m, watch| {
        let cancelled = matches!(watch.subject, Subject::Request(index)
            if m.conn.requests[index].cancel_asked.is_some());
        if cancelled {
            Still::Moot
        } else {
            still_one(m, watch, "completed before its answer")
        }
    },
)
.of_client();

/// ELICIT-CANCEL-027: neither does one that races the cancellation of its request. (elicitation#url-completion;
/// cancellation; derived)
const WITH_CANCELLATION: Rule = Rule::check_later(
    "ACP-ELICIT-CANCEL-027",
    |m, says| {
        let Fact::Notified(index) = m.fact else {
            return;
        };
        if m.conn.notifications[*index].from != Side::Server {
            return;
        }
        // Whichever of the two comes second.
        let both = questions(m.conn).filter(|it| {
            let id = it.asked.create.elicitation_id.as_deref();
            let completed = id.and_then(|id| m.conn.completed.get(id)).copied();
            let (Some(completed), Some(cancelled)) = (completed, it.request.cancel_asked) else {
                return false;
            };
            it.request.seq < completed && completed.max(cancelled) == m.event.seq
        });
        for question in both {
            let before = question.request.answer().map(|answer| answer.seq);
            let first = question.request.cancel_asked.min(
                question
                    .asked
                    .create
                    .elicitation_id
                    .as_deref()
                    .and_then(|id| m.conn.completed.get(id))
                    .copied(),
            );
            if before.is_none() || before > first {
                says.watch(Subject::Request(question.index));
            }
        }
    },
    |m, watch| {
        // A client need not act on a cancellation, and a question that no user answers may then stay open.
        match outcome(m, watch) {
            Some(Outcome::Silence) if !is_driven(m, watch) => {
                Still::Unclear("a person may be looking at it".to_owned())
            }
            _ => still_one(m, watch, "completed and cancelled"),
        }
    },
)
.of_client();

/// COMPLETE-010: the notification is never answered, even when malformed. That of an unknown or a completed id is
/// COMPLETE-006's and -007's. (JSON-RPC 2.0)
const UNANSWERED: Rule = Rule::ban(
    "ACP-ELICIT-COMPLETE-010",
    |m, says| match completes(m) {
        Some(About::Malformed) => says.watch_for(Subject::Connection, "malformed"),
        Some(About::Known(_)) => says.watch(Subject::Connection),
        _ => {}
    },
    |m, watch| {
        let malformed = watch.memo == "malformed";
        let what = if malformed {
            "a completion that is malformed"
        } else {
            "a completion"
        };
        if matches!(m.fact, Fact::Exited) && malformed {
            return Still::Moot;
        }
        ignored(m, watch, what, !malformed)
    },
)
.of_client();
