//! CANCEL and ELICIT-CANCEL, the part about what comes late: after a cancelled turn has ended, nothing revives it, be it an
//! answer, a page that is visited, or the agent itself.

use elenchus_protocol::Version;
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    jsonrpc::excused,
    report::{Report, report_line},
    stop::cancelled_session,
    views::{death, elicited},
    whose::is_of_turn,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS, TURN_ENDS, VISITS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, Turn},
};

pub(super) const RULES: &[Rule] = &[
    CROSSING_ANSWER.at(&[ANSWERS]),
    LATE_ANSWER_V2.at(&[ANSWERS]),
    LATE_ANSWER_V1.at(&[ANSWERS]),
    LATE_COMPLETION.at(&[VISITS]),
    NO_NEW_QUESTION.at(&[REQUESTS, TURN_ENDS]),
    RACING_COMPLETION.at(&[NOTIFICATIONS, VISITS]),
    UPDATES_BEFORE_END.at(&[TURN_ENDS]),
];

/// The turn has ended, and as a cancelled one.
fn is_stopped(turn: &Turn) -> bool {
    let end = turn.ended.as_ref();
    turn.cancelled.is_some()
        && end.is_some_and(|end| end.stop_reason.as_deref() == Some("cancelled"))
}

/// Another turn of the session began after this one.
fn succeeded(conn: &Conn, index: usize) -> bool {
    conn.turns[index + 1..]
        .iter()
        .any(|later| later.session == conn.turns[index].session)
}

/// The `session/update` of the agent at this fact, about the session of this turn.
fn update<'a>(m: &Moment<'a>, turn: &Turn) -> Option<&'a Value> {
    let Fact::Notified(index) = m.fact else {
        return None;
    };
    let told = &m.conn.notifications[*index];
    let params = told
        .params
        .as_ref()
        .filter(|_| told.from == Side::Server && told.method == "session/update")?;
    (params["sessionId"].as_str() == Some(turn.session.as_str())).then(|| &params["update"])
}

/// The texts of an update that is a message of the agent.
fn agent_text(update: &Value) -> Option<String> {
    let content = &update["content"];
    match update["sessionUpdate"].as_str()? {
        "agent_message_chunk" | "agent_thought_chunk" => {
            Some(content["text"].as_str().unwrap_or_default().to_owned())
        }
        "agent_message" | "agent_thought" => {
            let blocks = content.as_array().into_iter().flatten();
            Some(blocks.filter_map(|block| block["text"].as_str()).collect())
        }
        _ => None,
    }
}

/// How an update shows that the work of a turn goes on.
enum GoesOn {
    /// It does not.
    No,
    /// It may as well be something else.
    Perhaps,
    /// This is what the agent did.
    Yes(&'static str),
}

/// Whether an update shows that the work of a turn that has ended goes on. In version 2 an agent may have work of its own.
fn goes_on(m: &Moment<'_>, index: usize) -> GoesOn {
    let turn = &m.conn.turns[index];
    let Some(update) = update(m, turn) else {
        return GoesOn::No;
    };
    let v1 = m.conn.version() == Version::AcpV1;
    let session = m.conn.sessions.get(&turn.session);
    if let Some(id) = update["toolCallId"].as_str() {
        let call = session.and_then(|session| session.calls.get(id));
        let background = session.and_then(|session| session.background.as_ref());
        let of_it = call.is_some_and(|call| call.turn == Some(index));
        // Work that was not finished may have moved behind the foreground, if the agent does not say what is there.
        let elsewhere = !v1
            && background.map_or_else(
                || call.is_some_and(|call| !call.was_over()),
                |listed| listed.iter().any(|listed| listed == id),
            );
        return match (of_it, elsewhere) {
            (true, false) => GoesOn::Yes("a tool call of it was updated"),
            (false, _) if v1 => GoesOn::Yes("a new tool call began"),
            _ => GoesOn::Perhaps,
        };
    }
    let Some(text) = agent_text(update) else {
        return GoesOn::No;
    };
    let claims = text
        .lines()
        .any(|line| matches!(report_line(line), Report::Accept(_)));
    if claims {
        GoesOn::Yes("the agent reported that the user accepted")
    } else if v1 {
        GoesOn::Yes("the agent went on talking")
    } else {
        GoesOn::Perhaps
    }
}

/// Both an answer to a question of the turn and a visit of its page came, so that either can have revived it.
fn both_came(conn: &Conn, index: usize) -> bool {
    let questions = &conn.turns[index].elicitations;
    let visited = conn
        .visits
        .iter()
        .any(|(_, question)| questions.contains(question));
    let answered = questions.iter().any(|&question| {
        let answer = conn.requests[question].answer();
        answer.is_some_and(|answer| !answer.is_error)
    });
    visited && answered
}

/// A turn that has ended as cancelled stays ended, whatever came after it.
fn stays_ended(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    let Subject::Turn(index) = watch.subject else {
        return Still::Moot;
    };
    let turn = &m.conn.turns[index];
    if succeeded(m.conn, index) {
        return Still::Moot;
    }
    match &turn.ended {
        None => return Still::Watching,
        Some(_) if !is_stopped(turn) => {
            return Still::Lost("the turn had ended before the cancellation reached it".to_owned());
        }
        Some(end) if end.seq == m.event.seq => return Still::Watching,
        Some(_) => {}
    }
    match goes_on(m, index) {
        GoesOn::No => Still::Watching,
        GoesOn::Perhaps => {
            Still::Unclear("something followed that may belong to other work".to_owned())
        }
        GoesOn::Yes(_) if both_came(m.conn, index) => {
            Still::Unclear("an answer and a visit came, and either may be the reason".to_owned())
        }
        GoesOn::Yes(did) => Still::Broken(Why::new(
            "nothing of a turn that was cancelled and has ended",
            format!("{what}, and {did}"),
        )),
    }
}

/// Watches the ended turn whose question our side has answered late.
fn watch_late_answer(m: &Moment<'_>, says: &mut Says, version: Version) {
    let Some((_, request)) = m.we_answered().filter(|_| m.conn.version() == version) else {
        return;
    };
    // A refusal is what the agent may have asked for itself.
    let refused = request.answer().is_none_or(|answer| answer.is_error);
    if let Some(turn) = request
        .turn
        .filter(|_| request.elicitation.is_some() && !refused)
        && is_stopped(&m.conn.turns[turn])
        && !succeeded(m.conn, turn)
    {
        // What follows the answer to a question of other work is of that work.
        if is_of_turn(m.conn, turn, request) {
            says.watch(Subject::Turn(turn));
        } else {
            says.unclear("the question may belong to other work");
        }
    }
}

const LATE_ANSWER: &str = "a question was answered after its cancelled turn had ended";

/// ELICIT-CANCEL-013 (v2): after a cancelled turn has ended, a late answer does not resume it.
/// (elicitation#session-cancellation; schema:v2 StateUpdate)
const LATE_ANSWER_V2: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-013",
    |m, says| watch_late_answer(m, says, Version::AcpV2),
    |m, watch| stays_ended(m, watch, LATE_ANSWER),
);

/// ELICIT-CANCEL-014 (v1): the same. (prompt-turn#cancellation; elicitation#session-cancellation; derived)
const LATE_ANSWER_V1: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-014",
    |m, says| watch_late_answer(m, says, Version::AcpV1),
    |m, watch| stays_ended(m, watch, LATE_ANSWER),
);

/// ELICIT-CANCEL-015: nor does a page that is finished late. (elicitation#session-cancellation)
const LATE_COMPLETION: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-015",
    |m, says| {
        let Fact::Visited(question) = m.fact else {
            return;
        };
        let question = &m.conn.requests[*question];
        if let Some(turn) = question.turn
            && is_of_turn(m.conn, turn, question)
            && is_stopped(&m.conn.turns[turn])
            && !succeeded(m.conn, turn)
        {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| {
        stays_ended(
            m,
            watch,
            "the page was visited after the cancelled turn had ended",
        )
    },
);

/// ELICIT-CANCEL-028 (v2): a page that is finished while the turn is being cancelled does not revive it.
/// (elicitation#session-cancellation; derived)
const RACING_COMPLETION: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-028",
    |m, says| {
        if m.conn.version() != Version::AcpV2 {
            return;
        }
        let racing = |index: usize| {
            let turn = &m.conn.turns[index];
            turn.cancelled.is_some() && turn.ended.is_none()
        };
        if let Fact::Visited(question) = m.fact {
            if let Some(turn) = m.conn.requests[*question].turn.filter(|&turn| racing(turn)) {
                says.watch(Subject::Turn(turn));
            }
        } else if cancelled_session(m).is_some() {
            let visited = m.conn.visits.iter().rev();
            let turn = visited
                .filter_map(|(_, question)| m.conn.requests[*question].turn)
                .find(|&turn| m.conn.turns[turn].cancelled == Some(m.event.seq));
            if let Some(turn) = turn {
                says.watch(Subject::Turn(turn));
            }
        }
    },
    |m, watch| {
        stays_ended(
            m,
            watch,
            "the page was visited while the turn was being cancelled",
        )
    },
);

/// ELICIT-CANCEL-012: an answer that crosses the agent's own $/cancel_request is tolerated: no crash, no complaint. What is
/// made of it is judged by ELICIT-CANCEL-013 and -014. (elicitation#session-cancellation;
/// cancellation#cancel_request-notification; derived)
const CROSSING_ANSWER: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-012",
    |m, says| {
        let Some((index, request)) = m.we_answered() else {
            return;
        };
        let (Some(asked), Some(answer)) = (request.cancel_asked, request.answer()) else {
            return;
        };
        if request.elicitation.is_some() && asked < answer.seq && !answer.is_error {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        const EXPECTED: &str = "an answer that comes too late is ignored";
        const WHAT: &str = "an answer crossed the agent's own $/cancel_request";
        if let Some(dead) = death(m, watch, EXPECTED, WHAT) {
            return dead;
        }
        let complaint = match m.fact {
            Fact::Orphan(index) => {
                let orphan = &m.conn.orphans[*index];
                orphan.from == m.judged && orphan.is_error && m.newest_is(watch.opened)
            }
            _ => false,
        };
        if complaint && !excused(m.conn) && m.conn.open_requests(m.judged.other()).next().is_none()
        {
            return Still::Broken(Why::new(
                EXPECTED,
                format!("{WHAT}, and the agent answered it with an error"),
            ));
        }
        Still::Watching
    },
);

/// ELICIT-CANCEL-023: no question is asked for work that was cancelled. One between the cancellation and the end of the
/// turn may have crossed, and is remarked on. (prompt-turn#cancellation; prompt-lifecycle#cancellation; derived)
const NO_NEW_QUESTION: Rule = Rule::ban(
    "ACP-ELICIT-CANCEL-023",
    |m, says| {
        if let Some((index, turn)) = m.turn_ended()
            && is_stopped(turn)
        {
            says.watch(Subject::Turn(index));
        }
        if let Some((_, request, _)) = elicited(m)
            && let Some(turn) = request.turn.map(|turn| &m.conn.turns[turn])
            && turn.cancelled.is_some()
            && turn.ended.is_none()
        {
            says.note(
                "a question was asked after session/cancel was sent, and before the turn ended",
            );
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        if succeeded(m.conn, index) {
            return Still::Moot;
        }
        let session = m.conn.sessions.get(&turn.session);
        if let Some(update) = update(m, turn)
            && update["state"] == "running"
        {
            return Still::Unclear("other work began".to_owned());
        }
        let Some((_, _, elicitation)) = elicited(m) else {
            return Still::Watching;
        };
        let of_it = match &elicitation.create.scope {
            elenchus_protocol::acp::elicitation::Scope::Session { session, .. } => {
                *session == turn.session
            }
            _ => false,
        };
        if !of_it {
            return Still::Watching;
        }
        let background = session.and_then(|session| session.background.as_ref());
        if background.is_some_and(|listed| !listed.is_empty()) {
            return Still::Unclear("it may belong to background work".to_owned());
        }
        Still::Broken(
            Why::new(
                "no question for work that was cancelled and has ended",
                "a question was asked after the cancelled turn had ended, and nothing new was prompted",
            )
            .sent("session/cancel"),
        )
    },
);

/// CANCEL-028: the updates of cancelled work come before its end. Judged on tool calls and messages that the work is seen
/// to have begun; what follows a late answer or a late visit is ELICIT-CANCEL-013's, -014's and -015's.
/// (prompt-turn#cancellation; prompt-lifecycle#cancellation)
const UPDATES_BEFORE_END: Rule = Rule::ban(
    "ACP-CANCEL-028",
    |m, says| {
        if let Some((index, turn)) = m.turn_ended()
            && is_stopped(turn)
        {
            says.watch(Subject::Turn(index));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let late_answer = matches!(m.fact, Fact::Answered { request, nth: 1 }
            if m.conn.requests[*request].elicitation.is_some()
                && m.conn.requests[*request].turn == Some(index)
                && !m.conn.requests[*request].answer().is_some_and(|answer| answer.is_error));
        let visited = m
            .conn
            .visits
            .iter()
            .any(|(_, question)| m.conn.requests[*question].turn == Some(index));
        if late_answer || visited || succeeded(m.conn, index) {
            return Still::Moot;
        }
        let Some(update) = update(m, turn) else {
            return Still::Watching;
        };
        if update["toolCallId"].is_string() {
            return match goes_on(m, index) {
                GoesOn::Yes(_) if !new_call(m, update) => Still::Broken(Why::new(
                    "the updates of cancelled work before its end",
                    "the turn had ended as cancelled, and a tool call of it was updated",
                )),
                GoesOn::No => Still::Watching,
                _ => Still::Unclear("a tool call went on that may be background work".to_owned()),
            };
        }
        let message = update["messageId"].as_str();
        let continued = message.is_some()
            && turn
                .messages
                .iter()
                .any(|(known, _)| known.as_deref() == message);
        if continued && agent_text(update).is_some() {
            return Still::Broken(Why::new(
                "the updates of cancelled work before its end",
                format!(
                    "the turn had ended as cancelled, and its message {} went on",
                    text::short_to(message.unwrap_or_default(), 60)
                ),
            ));
        }
        Still::Watching
    },
);

/// The update is the first that tells of its tool call.
fn new_call(m: &Moment<'_>, update: &Value) -> bool {
    let id = update["toolCallId"].as_str().unwrap_or_default();
    m.conn
        .sessions
        .values()
        .filter_map(|session| session.calls.get(id))
        .any(|call| call.first == m.event.seq)
}
