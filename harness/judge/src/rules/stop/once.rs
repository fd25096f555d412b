//! One ending for a turn to which a cancellation and something else came: an answer, another cancellation, a close.

use elenchus_protocol::{Version, acp::elicitation::Answer};
use elenchus_wire::Side;

use super::{cancelled_session, just_cancelled, pending};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    rules::views::death,
    text,
    world::{Conn, Request, Turn},
};

pub(in crate::rules) const RULES: &[Rule] = &[
    ONE_ENDING_ACCEPT.at(&[ANSWERS, NOTIFICATIONS]),
    ONE_ENDING_CANCEL.at(&[ANSWERS, NOTIFICATIONS]),
    ONE_ENDING_TWICE.at(&[NOTIFICATIONS]),
    CLOSE_WITH_QUESTION.at(&[REQUESTS]),
];

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
pub(in crate::rules) fn owns_second_answer(conn: &Conn, request: &Request) -> bool {
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
