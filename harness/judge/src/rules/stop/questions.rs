//! The questions that are open when a turn is cancelled: its own are taken back, all others live on.

use elenchus_protocol::{Version, acp::elicitation::Scope};
use elenchus_wire::{Id, Side};

use super::{cancelled_session, just_cancelled, pending};
use crate::{
    fact::{Fact, Moment},
    kinds::NOTIFICATIONS,
    rule::{Rule, Says, Still, Subject, Watch, Why},
    rules::whose::{in_background, is_of_turn},
    text,
    world::{Conn, Request},
};

pub(in crate::rules) const RULES: &[Rule] = &[
    BACKGROUND_QUESTION_LIVES.at(&[NOTIFICATIONS]),
    CASCADE_V2.at(&[NOTIFICATIONS]),
    CASCADE_V1.at(&[NOTIFICATIONS]),
    CASCADE_BY_DEPENDENCY.at(&[NOTIFICATIONS]),
    OUTSIDE_QUESTION_LIVES_V2.at(&[NOTIFICATIONS]),
    OUTSIDE_QUESTION_LIVES_V1.at(&[NOTIFICATIONS]),
];

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
