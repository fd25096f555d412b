//! How a turn ends that was cancelled: with stopReason cancelled, and without waiting for anybody.
//!
//! How a turn has to end is certain only where it was busy beyond doubt: its agent was waiting for an answer of ours, or
//! works until it is cancelled, and nothing of ours but the cancellation can have ended it. Everything else is a race.

use elenchus_protocol::Version;
use elenchus_wire::Wait;

use super::{blocks, just_cancelled, pending, permissions};
use crate::{
    fact::{Fact, Moment},
    kinds::NOTIFICATIONS,
    rule::{Rule, Says, Still, Subject, Watch, Why},
    rules::whose::is_of_turn,
    text,
    world::{Conn, Request, Turn},
};

pub(in crate::rules) const RULES: &[Rule] = &[
    ENDS_WITH_QUESTION_V1.at(&[NOTIFICATIONS]),
    ENDS_WITH_QUESTION_V2.at(&[NOTIFICATIONS]),
    WAITS_FOR_NOBODY.at(&[NOTIFICATIONS]),
    ENDS_V1.at(&[NOTIFICATIONS]),
    ENDS_V2.at(&[NOTIFICATIONS]),
];

/// Those of them that are surely the turn's own.
fn pending_own(conn: &Conn, index: usize) -> impl Iterator<Item = (usize, &Request)> {
    pending(conn, &conn.turns[index]).filter(move |(_, question)| is_of_turn(conn, index, question))
}

/// What our side answered to the turn while it was going on.
fn answers<'a>(conn: &'a Conn, turn: &'a Turn) -> impl Iterator<Item = (&'a Request, u64)> {
    let began = conn.requests[turn.request].seq;
    let end = turn.ended.as_ref().map_or(u64::MAX, |end| end.seq);
    let questions = turn.elicitations.iter().map(|&index| &conn.requests[index]);
    let permissions = permissions(conn, &turn.session).map(|(_, request)| request);
    questions.chain(permissions).filter_map(move |request| {
        let seq = request.answer()?.seq;
        (began < seq && seq < end).then_some((request, seq))
    })
}

/// Only the cancellation can have ended the turn: nothing that the turn waited for was answered after it, unless the agent
/// had read the cancellation by then, or had taken its question back itself. `None` if something was answered in a race.
fn certain(conn: &Conn, turn: &Turn) -> bool {
    let Some(cancelled) = turn.cancelled else {
        return false;
    };
    answers(conn, turn).all(|(request, seq)| {
        let taken_back = request.cancel_asked.is_some_and(|asked| asked < seq)
            && request.answer().is_some_and(|answer| answer.is_error);
        // Before the cancellation; and the turn went on by then, or could not end without another answer.
        let before = seq < cancelled
            && (conn.fenced(seq, cancelled) || pending(conn, turn).next().is_some());
        taken_back || before || conn.fenced(cancelled, seq)
    })
}

/// The end of a cancelled turn that was busy beyond doubt when it was cancelled.
fn ended_as_cancelled(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    let Subject::Turn(index) = watch.subject else {
        return Still::Moot;
    };
    let turn = &m.conn.turns[index];
    // A question that came later may show that the one before it was not the turn's.
    let questions = turn.elicitations.iter();
    let asks_for_itself = || {
        questions
            .clone()
            .all(|&it| is_of_turn(m.conn, index, &m.conn.requests[it]))
    };
    let busy = watch.memo == "busy" && (!blocks(turn) || asks_for_itself());
    let prompt = &m.conn.requests[turn.request];
    if let Fact::Deadline(Wait::TurnEnd { id }) = m.fact
        && prompt.id.text() == id
    {
        // A prompt that was never answered in version 2 is CANCEL-030's, and one that was cancelled as a request CANCEL-007's.
        if prompt.cancel_asked.is_some() || (m.conn.version() == Version::AcpV2 && prompt.is_open())
        {
            return Still::Moot;
        }
        if !certain(m.conn, turn) {
            return Still::Unclear("something else was sent at the same time".to_owned());
        }
    }
    let (Fact::TurnEnded(at), Some(end)) = (m.fact, &turn.ended) else {
        return Still::Watching;
    };
    if *at != index {
        return Still::Watching;
    }
    let came = match (&end.stop_reason, end.error) {
        (_, Some(code)) => format!("the error {code}"),
        (Some(reason), _) => format!("stopReason {}", text::short_to(reason, 60)),
        (None, None) => {
            return Still::Unclear("the turn ended without a reason".to_owned());
        }
    };
    if end.stop_reason.as_deref() == Some("cancelled") {
        return Still::Upheld;
    }
    let as_request = |asked| prompt.answer().is_none_or(|answer| answer.seq > asked);
    if prompt.cancel_asked.is_some_and(as_request) {
        return Still::Unclear("the prompt was cancelled as a request besides".to_owned());
    }
    if !busy || !certain(m.conn, turn) {
        return Still::Lost(format!(
            "the turn ended with {came} before the cancellation is sure to have reached it"
        ));
    }
    Still::Broken(
        Why::new(
            "an end with stopReason cancelled",
            format!("{what}, and the turn ended with {came}"),
        )
        .sent(format!(
            r#"{{"jsonrpc":"2.0","method":"session/cancel","params":{{"sessionId":{}}}}}"#,
            serde_json::Value::from(text::short_to(&turn.session, 80))
        )),
    )
}

/// Watches the ends of the turns that are cancelled at this fact, and have or have no question open.
fn watch_end(m: &Moment<'_>, says: &mut Says, version: Version, with_question: bool) {
    if m.conn.version() != version {
        return;
    }
    for (index, turn) in just_cancelled(m) {
        let asks = pending(m.conn, turn).next().is_some();
        if asks != with_question {
            continue;
        }
        let began = m.conn.requests[turn.request].seq;
        let permission = permissions(m.conn, &turn.session)
            .any(|(_, request)| request.is_open() && request.seq > began);
        let trigger = turn.trigger.as_deref();
        let busy = (blocks(turn) && pending_own(m.conn, index).next().is_some())
            || (permission && trigger == Some("/ask permission"))
            || (trigger == Some("/hold") && m.conn.settled > Some(began));
        says.watch_for(Subject::Turn(index), if busy { "busy" } else { "perhaps" });
    }
}

const A_QUESTION_WAS_OPEN: &str = "session/cancel was sent while a question was open";
const WORK_WENT_ON: &str = "session/cancel was sent while the turn was at work";

/// ELICIT-CANCEL-018 (v1): with a question open, session/cancel still ends the prompt with stopReason cancelled.
/// (prompt-turn#cancellation; schema:v1 StopReason::Cancelled)
const ENDS_WITH_QUESTION_V1: Rule = Rule::duty(
    "ACP-ELICIT-CANCEL-018",
    "the end of the cancelled turn, though a question was open",
    |m, says| watch_end(m, says, Version::AcpV1, true),
    |m, watch| ended_as_cancelled(m, watch, A_QUESTION_WAS_OPEN),
);

/// ELICIT-CANCEL-019 (v2): the same, by an idle with stopReason cancelled.
/// (prompt-lifecycle#cancellation; schema:v2 StopReason::Cancelled)
const ENDS_WITH_QUESTION_V2: Rule = Rule::duty(
    "ACP-ELICIT-CANCEL-019",
    "idle with stopReason cancelled, though a question was open",
    |m, says| watch_end(m, says, Version::AcpV2, true),
    |m, watch| ended_as_cancelled(m, watch, A_QUESTION_WAS_OPEN),
);

/// CANCEL-026 (v1): a cancelled prompt is answered with stopReason cancelled. (prompt-turn#cancellation)
const ENDS_V1: Rule = Rule::duty(
    "ACP-CANCEL-026",
    "an answer to the cancelled prompt",
    |m, says| watch_end(m, says, Version::AcpV1, false),
    |m, watch| ended_as_cancelled(m, watch, WORK_WENT_ON),
);

/// CANCEL-027 (v2): cancelled work ends in idle with stopReason cancelled.
/// (prompt-lifecycle#cancellation; schema:v2 StopReason::Cancelled)
const ENDS_V2: Rule = Rule::duty(
    "ACP-CANCEL-027",
    "idle with stopReason cancelled",
    |m, says| watch_end(m, says, Version::AcpV2, false),
    |m, watch| ended_as_cancelled(m, watch, WORK_WENT_ON),
);

/// ELICIT-CANCEL-029: the end of a cancelled turn does not depend on an answer of the client.
/// (elicitation#session-cancellation; cancellation#cancel_request-notification; derived)
const WAITS_FOR_NOBODY: Rule = Rule::check_later(
    "ACP-ELICIT-CANCEL-029",
    |m, says| {
        for (index, _) in just_cancelled(m) {
            if pending_own(m.conn, index).next().is_some() {
                says.watch(Subject::Turn(index));
            }
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let open = pending(m.conn, turn).next();
        match m.fact {
            _ if open.is_none() => Still::Moot,
            Fact::TurnEnded(at) if *at == index => match &turn.ended {
                Some(end) if end.stop_reason.as_deref() == Some("cancelled") => Still::Upheld,
                _ => Still::Moot,
            },
            Fact::Deadline(Wait::TurnEnd { id })
                if m.conn.requests[turn.request].id.text() == id && !m.conn.stopped =>
            {
                Still::Broken(
                    Why::new(
                        "the end of the cancelled turn, whether or not its question is answered",
                        "the turn was cancelled, its question was not answered, and it did not end",
                    )
                    .got("nothing"),
                )
            }
            Fact::Exited => {
                Still::Unclear("the connection was closed before it was due".to_owned())
            }
            _ => Still::Watching,
        }
    },
);
