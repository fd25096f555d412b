//! CANCEL and ELICIT-CANCEL, the part about work: what `session/cancel` (and `session/close`) does to a turn and to what
//! it has asked. What comes after the end of the turn stands in `late`.
//!
//! How a turn has to end is certain only where it was busy beyond doubt: its agent was waiting for an answer of ours, or
//! works until it is cancelled, and nothing of ours but the cancellation can have ended it. Everything else is a race.

use elenchus_protocol::{
    Version,
    acp::elicitation::{Answer, Scope},
};
use elenchus_wire::{Id, Side, Wait};

use super::{
    cancel::ignored,
    lifecycle::proper,
    views::death,
    whose::{in_background, is_of_turn},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS, TURN_STARTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    BACKGROUND_QUESTION_LIVES.at(&[NOTIFICATIONS]),
    CASCADE_V2.at(&[NOTIFICATIONS]),
    CASCADE_V1.at(&[NOTIFICATIONS]),
    CASCADE_BY_DEPENDENCY.at(&[NOTIFICATIONS]),
    OUTSIDE_QUESTION_LIVES_V2.at(&[NOTIFICATIONS]),
    OUTSIDE_QUESTION_LIVES_V1.at(&[NOTIFICATIONS]),
    ENDS_WITH_QUESTION_V1.at(&[NOTIFICATIONS]),
    ENDS_WITH_QUESTION_V2.at(&[NOTIFICATIONS]),
    ONE_ENDING_ACCEPT.at(&[ANSWERS, NOTIFICATIONS]),
    ONE_ENDING_CANCEL.at(&[ANSWERS, NOTIFICATIONS]),
    ONE_ENDING_TWICE.at(&[NOTIFICATIONS]),
    CLOSE_WITH_QUESTION.at(&[REQUESTS]),
    WAITS_FOR_NOBODY.at(&[NOTIFICATIONS]),
    SESSION_CANCEL_UNANSWERED.at(&[NOTIFICATIONS]),
    STOPS.at(&[NOTIFICATIONS]),
    ENDS_V1.at(&[NOTIFICATIONS]),
    ENDS_V2.at(&[NOTIFICATIONS]),
    NO_NEW_WORK.at(&[TURN_STARTS]),
    QUEUED_PROMPTS.at(&[NOTIFICATIONS]),
    BACKGROUND_LIVES.at(&[NOTIFICATIONS]),
    PERMISSION_TAKEN_BACK.at(&[NOTIFICATIONS]),
    NEXT_TURN.at(&[TURN_STARTS]),
];

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

/// Those of them that are surely the turn's own.
fn pending_own(conn: &Conn, index: usize) -> impl Iterator<Item = (usize, &Request)> {
    pending(conn, &conn.turns[index]).filter(move |(_, question)| is_of_turn(conn, index, question))
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

/// A question has the scope of a tool call.
fn in_tool_call(request: &Request) -> bool {
    let scope = request.elicitation.as_deref().map(|it| &it.create.scope);
    matches!(
        scope,
        Some(Scope::Session {
            tool_call: Some(_),
            ..
        })
    )
}

/// Some question of a tool call was taken back when its turn was cancelled.
fn cascades_in_tool_calls(conn: &Conn) -> bool {
    conn.requests.iter().any(|request| {
        let cancelled = request.turn.and_then(|turn| conn.turns[turn].cancelled);
        in_tool_call(request) && cancelled.is_some() && request.cancel_asked > cancelled
    })
}

/// Watches the questions of the turns that are cancelled at this fact.
fn watch_questions(m: &Moment<'_>, says: &mut Says, version: Version) {
    if m.conn.version() != version {
        return;
    }
    for (_, turn) in just_cancelled(m) {
        for (index, _) in pending(m.conn, turn) {
            says.watch(Subject::Request(index));
        }
    }
}

/// A question of a cancelled turn is taken back by name. Told when everything has come that was to come.
fn taken_back(m: &Moment<'_>, watch: &Watch) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let question = &m.conn.requests[index];
    let ended = question
        .turn
        .and_then(|turn| m.conn.turns[turn].ended.as_ref());
    match m.fact {
        _ if question.cancel_asked.is_some() => Still::Upheld,
        _ if !question.is_open() => Still::Moot,
        Fact::Settled => match ended {
            None => Still::Watching,
            Some(_) if !question.turn.is_some_and(|turn| is_of_turn(m.conn, turn, question)) => {
                Still::Unclear("the question may belong to other work".to_owned())
            }
            Some(end) if end.stop_reason.as_deref() == Some("cancelled") => Still::Broken(
                Why::new(
                    "$/cancel_request for the question that nobody needs any more",
                    format!(
                        "the turn was cancelled and has ended, and its question (id {}) was left open",
                        text::short_to(question.id.text(), 60)
                    ),
                )
                .got(question.text.clone()),
            ),
            Some(_) => Still::Moot,
        },
        Fact::Exited => Still::Moot,
        _ => Still::Watching,
    }
}

/// The question is one that only CASCADE_BY_DEPENDENCY accuses.
fn by_tool_call_only(m: &Moment<'_>, watch: &Watch) -> bool {
    let Subject::Request(index) = watch.subject else {
        return false;
    };
    m.conn.version() == Version::AcpV2
        && !in_tool_call(&m.conn.requests[index])
        && cascades_in_tool_calls(m.conn)
}

/// What an agent does with its questions, where it is no matter of tool calls.
fn cascade(m: &Moment<'_>, watch: &Watch) -> Still {
    match taken_back(m, watch) {
        Still::Broken(_) if by_tool_call_only(m, watch) => Still::Moot,
        still => still,
    }
}

/// ELICIT-CANCEL-004 (v2): a question that cancelled work leaves behind is taken back with $/cancel_request.
/// (elicitation#session-cancellation; schema:v2 CreateElicitationRequest)
const CASCADE_V2: Rule = Rule::check_later(
    "ACP-ELICIT-CANCEL-004",
    |m, says| watch_questions(m, says, Version::AcpV2),
    cascade,
);

/// ELICIT-CANCEL-005 (v1): the same, which v1 only shows.
/// (cancellation#example-cascading-cancellation-flow; derived)
const CASCADE_V1: Rule = Rule::check_later(
    "ACP-ELICIT-CANCEL-005",
    |m, says| watch_questions(m, says, Version::AcpV1),
    cascade,
);

/// ELICIT-CANCEL-006 (v2): it is dependency that decides, not toolCallId: who takes back the questions of tool calls takes
/// back the others too. (elicitation#session-cancellation)
const CASCADE_BY_DEPENDENCY: Rule = Rule::check_later(
    "ACP-ELICIT-CANCEL-006",
    |m, says| {
        if m.conn.version() != Version::AcpV2 || !cascades_in_tool_calls(m.conn) {
            return;
        }
        for (_, turn) in just_cancelled(m) {
            for (index, request) in pending(m.conn, turn) {
                if !in_tool_call(request) {
                    says.watch(Subject::Request(index));
                }
            }
        }
    },
    taken_back,
);

/// ELICIT-CANCEL-003 (v2): session/cancel leaves the questions of listed background work alone. Which work a question
/// belongs to is told by its toolCallId. (elicitation#session-cancellation)
const BACKGROUND_QUESTION_LIVES: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-003",
    |m, says| {
        let Some(session) = cancelled_session(m).filter(|_| m.conn.version() == Version::AcpV2)
        else {
            return;
        };
        let listed = in_background(m.conn.sessions.get(session));
        if listed.is_empty() {
            return;
        }
        for (index, request) in m.conn.open_requests(m.judged) {
            let scope = request.elicitation.as_deref().map(|it| &it.create.scope);
            let Some(Scope::Session {
                session: of,
                tool_call,
            }) = scope
            else {
                continue;
            };
            if of != session || request.cancel_asked.is_some() {
                continue;
            }
            match tool_call {
                Some(call) if listed.contains(call) => says.watch(Subject::Request(index)),
                _ => says.unclear("whose question it is, is not told"),
            }
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let question = &m.conn.requests[index];
        let scope = question.elicitation.as_deref().map(|it| &it.create.scope);
        if let Some(Scope::Session { session, .. }) = scope
            && (m.conn.moved_since(session, question.seq) || m.conn.let_go(session, usize::MAX))
        {
            return Still::Unclear("the session was let go as well".to_owned());
        }
        if question.cancel_asked.is_some() {
            return Still::Broken(
                Why::new(
                    "a question that goes on, since its work is listed as background work",
                    "session/cancel was sent, and the question of listed background work was taken back",
                )
                .sent("session/cancel"),
            );
        }
        if question.is_open() {
            Still::Watching
        } else {
            Still::Upheld
        }
    },
);

/// Watches the questions that hang on a request outside of the session that is cancelled.
fn watch_outside(m: &Moment<'_>, says: &mut Says, version: Version) {
    let Some(session) = cancelled_session(m).filter(|_| m.conn.version() == version) else {
        return;
    };
    for (index, request) in m.conn.open_requests(m.judged) {
        let Some(outer) = outer(m.conn, request) else {
            continue;
        };
        let inside = outer
            .params
            .as_ref()
            .is_some_and(|params| params["sessionId"] == session);
        if !inside && outer.is_open() && request.cancel_asked.is_none() {
            says.watch(Subject::Request(index));
        }
    }
}

/// The request of the client that a question is scoped to.
fn outer<'a>(conn: &'a Conn, question: &Request) -> Option<&'a Request> {
    let Scope::Request(id) = &question.elicitation.as_deref()?.create.scope else {
        return None;
    };
    let index = conn.with_key(Side::Client, &Id(id.as_str().into()).key())?;
    Some(&conn.requests[index])
}

fn outside_lives(m: &Moment<'_>, watch: &Watch) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let question = &m.conn.requests[index];
    let over = outer(m.conn, question)
        .is_none_or(|outer| outer.cancel_asked.is_some() || !outer.is_open());
    if question.cancel_asked.is_some() {
        if over {
            return Still::Moot;
        }
        return Still::Broken(
            Why::new(
                "a question that goes on, since it hangs on a request outside of the session",
                "a session was cancelled, and a question that is none of its was taken back",
            )
            .sent("session/cancel"),
        );
    }
    if question.is_open() {
        Still::Watching
    } else {
        Still::Upheld
    }
}

/// ELICIT-CANCEL-007 (v2): session/cancel leaves alone what hangs on a request outside of the session.
/// (elicitation#session-cancellation)
const OUTSIDE_QUESTION_LIVES_V2: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-007",
    |m, says| watch_outside(m, says, Version::AcpV2),
    outside_lives,
);

/// ELICIT-CANCEL-031 (v1): the same. (elicitation#session-cancellation; derived)
const OUTSIDE_QUESTION_LIVES_V1: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-031",
    |m, says| watch_outside(m, says, Version::AcpV1),
    outside_lives,
);

/// How our side answered a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Accepted,
    Cancelled,
}

/// The question was answered so.
fn answered(request: &Request, how: How) -> bool {
    let Some(elicitation) = request.elicitation.as_deref() else {
        return false;
    };
    match &elicitation.answer {
        Some(Answer::Accept(_)) => how == How::Accepted,
        Some(Answer::Cancel) => how == How::Cancelled,
        None => how == How::Cancelled && request.answer().is_some_and(|answer| answer.is_error),
        _ => false,
    }
}

/// A second answer to this prompt is judged by the rules about one ending, and by no other.
pub(super) fn owns_second_answer(conn: &Conn, request: &Request) -> bool {
    let Some(turn) = request.turn.map(|turn| &conn.turns[turn]) else {
        return false;
    };
    let told = turn.elicitations.iter().any(|&index| {
        let question = &conn.requests[index];
        answered(question, How::Accepted) || answered(question, How::Cancelled)
    });
    let prompt = request.method == "session/prompt" && turn.cancelled.is_some();
    prompt
        && conn.version() == Version::AcpV1
        && (told || turn.cancels > 1 || cancelled_after(conn, turn))
}

/// The session was cancelled after the turn's end, and before another one.
fn cancelled_after(conn: &Conn, turn: &Turn) -> bool {
    let Some(end) = &turn.ended else { return false };
    conn.notifications.iter().any(|told| {
        told.from == Side::Client && told.method == "session/cancel" && told.seq > end.seq
    })
}

/// Watches the turn in which both an answer of this kind and a session/cancel were sent, by whichever came second.
fn watch_both(m: &Moment<'_>, says: &mut Says, how: How) {
    if m.judged != Side::Server {
        return;
    }
    if let Some((_, request)) = m.we_answered() {
        if let Some(turn) = request.turn.filter(|_| answered(request, how))
            && m.conn.turns[turn].cancelled.is_some()
        {
            says.watch(Subject::Turn(turn));
        }
        return;
    }
    for (index, turn) in just_cancelled(m) {
        let mut questions = turn
            .elicitations
            .iter()
            .map(|&index| &m.conn.requests[index]);
        if questions.any(|question| answered(question, how)) {
            says.watch(Subject::Turn(index));
        }
    }
}

/// One ending: no second answer to the prompt of version 1, and an agent that lives.
fn one_ending(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    let Subject::Turn(index) = watch.subject else {
        return Still::Moot;
    };
    let turn = &m.conn.turns[index];
    if let Some(dead) = death(m, watch, "one ending of the turn", what) {
        return dead;
    }
    match m.fact {
        Fact::Answered { request, nth: 2.. }
            if *request == turn.request && m.conn.version() == Version::AcpV1 =>
        {
            Still::Broken(
                Why::new(
                    "one answer to the prompt",
                    format!("{what}, and the prompt was answered twice"),
                )
                .sent(m.conn.requests[turn.request].text.clone()),
            )
        }
        Fact::Settled if turn.ended.is_some() => Still::Upheld,
        _ => Still::Watching,
    }
}

/// ELICIT-CANCEL-020: an accept and session/cancel in one burst, in either order, lead to one ending.
/// (elicitation#session-cancellation; prompt-turn#cancellation; prompt-lifecycle#cancellation; derived)
const ONE_ENDING_ACCEPT: Rule = Rule::duty(
    "ACP-ELICIT-CANCEL-020",
    "one ending, after an accept and session/cancel",
    |m, says| watch_both(m, says, How::Accepted),
    |m, watch| one_ending(m, watch, "an accept and session/cancel were sent"),
);

/// ELICIT-CANCEL-021: a cancel (or -32800) for the question and session/cancel do not lead to two endings.
/// (elicitation#session-cancellation; derived)
const ONE_ENDING_CANCEL: Rule = Rule::duty(
    "ACP-ELICIT-CANCEL-021",
    "one ending, after a cancelled question and session/cancel",
    |m, says| watch_both(m, says, How::Cancelled),
    |m, watch| {
        one_ending(
            m,
            watch,
            "a cancelled question and session/cancel were sent",
        )
    },
);

/// ELICIT-CANCEL-022: a second session/cancel, also one after the end, changes nothing more.
/// (prompt-turn#cancellation; prompt-lifecycle#cancellation; derived)
const ONE_ENDING_TWICE: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-022",
    |m, says| {
        let Some(session) = cancelled_session(m) else {
            return;
        };
        let newest = m
            .conn
            .turns
            .iter()
            .rposition(|turn| turn.session == session);
        if let Some(index) = newest {
            let turn = &m.conn.turns[index];
            let again = turn
                .cancelled
                .is_some_and(|cancelled| cancelled < m.event.seq);
            if again && !turn.elicitations.is_empty() {
                says.watch(Subject::Turn(index));
            }
        }
    },
    |m, watch| one_ending(m, watch, "session/cancel was sent again"),
);

/// ELICIT-CANCEL-025: session/close with a question open ends the work as session/cancel does: the close is answered, in
/// version 1 the prompt as well, and nothing of the closed session follows. A question that is left open is remarked on.
/// (session-setup#closing-a-session; schema:v1+v2 CloseSessionRequest; derived)
const CLOSE_WITH_QUESTION: Rule = Rule::duty(
    "ACP-ELICIT-CANCEL-025",
    "an answer to session/close, and in version 1 to the prompt, though a question was open",
    |m, says| {
        let Some((index, request)) = m
            .asked()
            .filter(|(_, asked)| asked.method == "session/close")
        else {
            return;
        };
        let Some(session) = session_of(request) else {
            return;
        };
        let Some(turn) = m.conn.open_turn(session) else {
            return;
        };
        if pending(m.conn, &m.conn.turns[turn]).next().is_none()
            || m.conn.overlaps(turn)
            || m.conn.let_go(session, index)
        {
            return;
        }
        says.watch(Subject::Request(index));
        if m.conn.version() == Version::AcpV1 {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| match watch.subject {
        Subject::Turn(turn) if m.conn.turns[turn].ended.is_some() => Still::Upheld,
        Subject::Turn(turn)
            if m.conn
                .moved_since(&m.conn.turns[turn].session, watch.opened) =>
        {
            Still::Unclear("the session was let go or taken up once more besides".to_owned())
        }
        Subject::Request(index) => after_close(m, &m.conn.requests[index]),
        _ => Still::Watching,
    },
)
.of_tangles();

/// The session that a request names.
fn session_of(request: &Request) -> Option<&str> {
    request.params.as_ref()?.get("sessionId")?.as_str()
}

/// What follows the answer to a session/close.
fn after_close(m: &Moment<'_>, close: &Request) -> Still {
    let Some(answer) = close.answer() else {
        return Still::Watching;
    };
    if answer.is_error {
        return Still::Unclear("the session was not closed".to_owned());
    }
    let session = session_of(close);
    if session.is_some_and(|session| m.conn.moved_since(session, close.seq)) {
        return Still::Moot;
    }
    // What a late answer sets going is another matter.
    let answered_late = m.conn.requests.iter().any(|question| {
        question.elicitation.is_some()
            && question
                .answer()
                .is_some_and(|answer| !answer.is_error && answer.seq > close.seq)
    });
    if answered_late {
        return Still::Unclear("the question was answered while the session was closed".to_owned());
    }
    let (method, named) = match m.fact {
        Fact::Requested(index) => {
            let request = &m.conn.requests[*index];
            if request.from != m.judged {
                // It may be taken up again.
                let taken_up = request.method != "session/prompt" && session_of(request) == session;
                return if taken_up {
                    Still::Moot
                } else {
                    Still::Watching
                };
            }
            (&request.method, request.params.as_ref())
        }
        Fact::Notified(index) if m.conn.notifications[*index].from == m.judged => {
            let told = &m.conn.notifications[*index];
            (&told.method, told.params.as_ref())
        }
        Fact::Settled => return Still::Upheld,
        _ => return Still::Watching,
    };
    let of_it = named.is_some_and(|params| params["sessionId"].as_str() == session);
    let forbidden = method == "elicitation/create" || m.conn.version() == Version::AcpV2;
    if of_it && forbidden {
        return Still::Broken(
            Why::new(
                "nothing of a session after it was closed",
                format!(
                    "a session was closed with a question open, and {} of that session followed",
                    text::short_to(method, 60)
                ),
            )
            .sent(close.text.clone()),
        );
    }
    Still::Watching
}

/// CANCEL-024: session/cancel is never answered and ends no process, also for a session that is unknown or idle.
/// (JSON-RPC 2.0; schema:v2 ClientNotification; derived)
const SESSION_CANCEL_UNANSWERED: Rule = Rule::ban(
    "ACP-CANCEL-024",
    |m, says| {
        let Fact::Notified(index) = m.fact else {
            return;
        };
        let told = &m.conn.notifications[*index];
        if told.from == m.judged || told.method != "session/cancel" {
            return;
        }
        let session = cancelled_session(m);
        let turns = || {
            m.conn
                .turns
                .iter()
                .filter(|turn| Some(turn.session.as_str()) == session)
        };
        // A second one is ELICIT-CANCEL-022's where a question was asked.
        let again = turns()
            .next_back()
            .is_some_and(|turn| turn.cancelled.is_some_and(|at| at < m.event.seq));
        let exit_breaks = session.is_some() && !again;
        says.watch_for(Subject::Connection, if exit_breaks { "plain" } else { "" });
    },
    |m, watch| ignored(m, watch, "session/cancel", watch.memo == "plain"),
);

/// CANCEL-025: after session/cancel no new tool calls begin. Judged where the agent has read it and had fallen quiet.
/// (prompt-turn#cancellation; prompt-lifecycle#cancellation)
const STOPS: Rule = Rule::check_later(
    "ACP-CANCEL-025",
    |m, says| {
        for (index, turn) in just_cancelled(m) {
            if turn.trigger.is_some() {
                says.watch(Subject::Turn(index));
            }
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let session = m.conn.sessions.get(&turn.session);
        let calls = session.into_iter().flat_map(|session| &session.calls);
        let begun = calls
            .into_iter()
            .find(|(_, call)| call.first == m.event.seq && call.turn == Some(index));
        match m.fact {
            Fact::Notified(_) if begun.is_some() && m.conn.settled > Some(watch.opened) => {
                let background = session.is_some_and(|session| session.background.is_some());
                if background {
                    return Still::Unclear("it may belong to background work".to_owned());
                }
                Still::Broken(
                    Why::new(
                        "no new tool call after session/cancel",
                        "the turn was cancelled, the agent had read that, and then began another tool call",
                    )
                    .sent("session/cancel"),
                )
            }
            Fact::TurnEnded(at) if *at == index => Still::Upheld,
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
);

/// The text of a `/say` prompt.
fn said_text(turn: &Turn) -> Option<&str> {
    (turn.trigger.as_deref() == Some("/say"))
        .then(|| turn.prompt.strip_prefix("/say "))
        .flatten()
        .filter(|text| !text.is_empty())
}

/// CANCEL-029 (v2): between session/cancel and its idle no new foreground work starts: what answers a prompt behind it
/// comes after the old work has ended. (schema:v2 ClientNotification::CancelSessionNotification)
const NO_NEW_WORK: Rule = Rule::check_later(
    "ACP-CANCEL-029",
    |m, says| {
        let Fact::TurnStarted(index) = m.fact else {
            return;
        };
        let turn = &m.conn.turns[*index];
        if m.conn.version() != Version::AcpV2 || said_text(turn).is_none() {
            return;
        }
        let mut earlier = m.conn.turns[..*index]
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, earlier)| earlier.session == turn.session);
        let Some((old, work)) = earlier.next() else {
            return;
        };
        // What is said by one of several, or by one that says something itself, is not certain to be an answer.
        let began = m.conn.requests[work.request].seq;
        let alone = earlier.all(|(_, other)| other.ended.as_ref().is_some_and(|end| end.seq < began));
        if alone && work.ended.is_none() && work.cancelled.is_some() && said_text(work).is_none() {
            says.watch_for(Subject::Turn(old), index.to_string());
        }
    },
    |m, watch| {
        let (Subject::Turn(old), Ok(new)) = (watch.subject, watch.memo.parse::<usize>()) else {
            return Still::Moot;
        };
        if m.conn.was_left(old) {
            return Still::Unclear("the session was let go or taken up once more".to_owned());
        }
        let more = m.conn.turns[new + 1..]
            .iter()
            .any(|other| other.session == m.conn.turns[new].session);
        let (old, new) = (&m.conn.turns[old], &m.conn.turns[new]);
        if more || (new.ended.is_some() && old.ended.is_none()) {
            return Still::Unclear("whose end an idle tells is not certain".to_owned());
        }
        let text = said_text(new).unwrap_or_default();
        match (m.fact, &old.ended) {
            (_, Some(end)) if end.stop_reason.as_deref() == Some("cancelled") => Still::Upheld,
            (_, Some(_)) => Still::Unclear("the old work ended otherwise".to_owned()),
            (Fact::Notified(_), None) if new.report().contains(text) => Still::Broken(Why::new(
                "idle with stopReason cancelled before the answer to the next prompt",
                "a prompt was sent behind session/cancel, and was answered before the cancelled work had ended",
            )),
            (Fact::Exited, None) => Still::Moot,
            _ => Still::Watching,
        }
    },
)
.of_tangles();

/// CANCEL-030 (v2): a prompt that was sent before session/cancel is answered with success where it was taken in, and with
/// -32800 where it was not. Judged where the agent is seen to speak of messages by id; one that refuses a second prompt
/// while it is busy holds none. (schema:v2 ClientNotification::CancelSessionNotification)
const QUEUED_PROMPTS: Rule = Rule::duty(
    "ACP-CANCEL-030",
    "a result, or the error -32800, for a prompt that was held when the session was cancelled",
    |m, says| {
        if m.conn.version() != Version::AcpV2 {
            return;
        }
        for (_, turn) in just_cancelled(m) {
            let prompt = &m.conn.requests[turn.request];
            if prompt.is_open() && turn.trigger.is_some() && proper(m.conn, prompt) {
                says.watch(Subject::Request(turn.request));
            }
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let prompt = &m.conn.requests[index];
        if prompt.turn.is_some_and(|turn| m.conn.was_left(turn)) {
            return Still::Unclear("the session was let go or taken up once more".to_owned());
        }
        let dialect = m.conn.requests.iter().any(|prompt| {
            prompt.method == "session/prompt"
                && prompt
                    .result()
                    .is_some_and(|result| result["messageId"].is_string())
        });
        if let Fact::Deadline(_) = m.fact
            && prompt.overdue == Some(m.event.seq)
            && !dialect
        {
            return Still::Unclear("the agent follows the older lifecycle".to_owned());
        }
        let Some(answer) = prompt.answer() else {
            return Still::Watching;
        };
        if !answer.is_error || answer.error_code == Some(-32800) {
            Still::Upheld
        } else if !dialect {
            Still::Unclear("the agent follows the older lifecycle".to_owned())
        } else if m.conn.fenced(prompt.seq, watch.opened) {
            Still::Broken(
                Why::new(
                    "a result, or the error -32800",
                    "a prompt that was held when the session was cancelled got another error",
                )
                .sent(prompt.text.clone()),
            )
        } else {
            Still::Unclear("the prompt may have been refused before it was held".to_owned())
        }
    },
)
.of_tangles();

/// CANCEL-031 (v2): tasks that the newest background list names survive session/cancel.
/// (schema:v2 CancelSessionNotification)
const BACKGROUND_LIVES: Rule = Rule::ban(
    "ACP-CANCEL-031",
    |m, says| {
        let Some(session) = cancelled_session(m).filter(|_| m.conn.version() == Version::AcpV2)
        else {
            return;
        };
        let known = m.conn.sessions.get(session);
        for call in in_background(known) {
            let over = known
                .and_then(|known| known.calls.get(call))
                .is_some_and(crate::world::Call::is_over);
            if !over {
                says.watch_for(
                    Subject::Connection,
                    serde_json::json!([session, call]).to_string(),
                );
            }
        }
    },
    |m, watch| {
        let Ok([session, call]) = serde_json::from_str::<[String; 2]>(&watch.memo) else {
            return Still::Moot;
        };
        let call = m
            .conn
            .sessions
            .get(&session)
            .and_then(|session| session.calls.get(&call));
        match call.and_then(|call| call.status.as_deref()) {
            Some("cancelled") => Still::Broken(
                Why::new(
                    "listed background work that goes on after session/cancel",
                    "session/cancel was sent, and listed background work was reported cancelled",
                )
                .sent("session/cancel"),
            ),
            Some("completed" | "failed") => Still::Upheld,
            _ => Still::Watching,
        }
    },
);

/// CANCEL-033 (v2): on session/cancel the agent takes back each permission request of the work, and takes it for not
/// approved. Where it speaks of no message ids, a request that is left open is only remarked on.
/// (schema:v2 ClientNotification::CancelSessionNotification)
const PERMISSION_TAKEN_BACK: Rule = Rule::check_later(
    "ACP-CANCEL-033",
    |m, says| {
        if m.conn.version() != Version::AcpV2 {
            return;
        }
        for (_, turn) in just_cancelled(m) {
            let began = m.conn.requests[turn.request].seq;
            for (index, request) in permissions(m.conn, &turn.session) {
                if request.is_open() && request.seq > began {
                    says.watch_for(Subject::Request(index), turn.request.to_string());
                }
            }
        }
    },
    |m, watch| {
        let (Subject::Request(index), Ok(prompt)) = (watch.subject, watch.memo.parse::<usize>())
        else {
            return Still::Moot;
        };
        let (permission, prompt) = (&m.conn.requests[index], &m.conn.requests[prompt]);
        // What was answered before the cancellation is sure to have been read, may have been taken first.
        let raced = permission
            .answer()
            .is_some_and(|answer| !m.conn.fenced(watch.opened, answer.seq));
        if let Some(status) = guarded(m.conn, permission, watch.opened)
            && matches!(status, "in_progress" | "completed")
            && !raced
        {
            return Still::Broken(
                Why::new(
                    "a tool call that does not run, since nobody has permitted it",
                    format!(
                        "the turn was cancelled while its permission was asked, and the tool call is {status}"
                    ),
                )
                .sent("session/cancel"),
            );
        }
        let ended = prompt
            .turn
            .and_then(|turn| m.conn.turns[turn].ended.as_ref());
        let dialect = prompt
            .result()
            .is_some_and(|result| result["messageId"].is_string());
        match m.fact {
            Fact::Settled if ended.is_none() => Still::Watching,
            Fact::Settled if permission.cancel_asked.is_some() => Still::Upheld,
            Fact::Settled if raced => {
                Still::Unclear("the permission was answered before it could be taken back".to_owned())
            }
            Fact::Settled if dialect => Still::Broken(
                Why::new(
                    "$/cancel_request for the permission request of the cancelled work",
                    format!(
                        "the turn was cancelled and has ended, and its permission request (id {}) was left open",
                        text::short_to(permission.id.text(), 60)
                    ),
                )
                .got(permission.text.clone()),
            ),
            Fact::Settled => Still::Unclear("the texts disagree whose duty it is".to_owned()),
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
);

/// The status of the tool call that a permission request asks about, if it was told at this event or later.
fn guarded<'a>(conn: &'a Conn, permission: &Request, since: u64) -> Option<&'a str> {
    let params = permission.params.as_ref()?;
    let call = [&params["toolCall"], &params["subject"]["toolCall"]]
        .into_iter()
        .find_map(|call| call["toolCallId"].as_str())?;
    let session = conn.sessions.get(params["sessionId"].as_str()?)?;
    let call = session.calls.get(call)?;
    (call.newest > since)
        .then_some(call.status.as_deref())
        .flatten()
}

/// CANCEL-036: after a cancelled turn has ended, the session takes and finishes another prompt.
/// (prompt-turn#cancellation; prompt-lifecycle#cancellation; derived)
const NEXT_TURN: Rule = Rule::duty(
    "ACP-CANCEL-036",
    "the end of the turn after a cancelled one",
    |m, says| {
        let Fact::TurnStarted(index) = m.fact else {
            return;
        };
        let turn = &m.conn.turns[*index];
        let before = m.conn.turns[..*index]
            .iter()
            .rfind(|before| before.session == turn.session);
        let stopped = before.is_some_and(|before| {
            let end = before.ended.as_ref();
            before.cancelled.is_some()
                && end.is_some_and(|end| end.stop_reason.as_deref() == Some("cancelled"))
        });
        let proper = proper(m.conn, &m.conn.requests[turn.request]);
        if stopped && m.judged == Side::Server && said_text(turn).is_some() && proper {
            says.watch(Subject::Turn(*index));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let Some(end) = turn.ended.as_ref() else {
            return Still::Watching;
        };
        let prompt = &m.conn.requests[turn.request];
        // By session/cancel, or by $/cancel_request of the prompt.
        if turn.cancelled.is_some() || prompt.cancel_asked.is_some() {
            return Still::Unclear("the next turn was cancelled as well".to_owned());
        }
        let broken = |what: String| {
            Still::Broken(
                Why::new(
                    "a turn like any other",
                    format!("the turn after a cancelled one {what}"),
                )
                .sent(prompt.text.clone()),
            )
        };
        match (&end.stop_reason, end.error) {
            (_, Some(code)) => broken(format!("was refused with the error {code}")),
            (Some(reason), _) if reason == "cancelled" => {
                broken("ended cancelled, and nobody had cancelled it".to_owned())
            }
            _ => Still::Upheld,
        }
    },
);
