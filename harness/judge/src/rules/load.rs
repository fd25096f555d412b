//! LOAD: session/load of version 1, which replays a session.

use elenchus_protocol::{
    Version,
    acp::shapes::{self, Part},
};
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    lifecycle::{
        History, active, all_updates, answer_to, latest, made_up, restored_twice, session_of,
        shown, told, updated, updates, wants_error,
    },
    list::tell_shape,
};
use crate::{
    fact::{Fact, Moment},
    kinds::ANSWERS,
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Answered, Request, Uttered},
};

pub(super) const RULES: &[Rule] = &[
    REPLAYS.at(&[ANSWERS]),
    HISTORY_FIRST.at(&[ANSWERS]),
    RESULT.at(&[ANSWERS]),
    OWN_UPDATES.at(&[ANSWERS]),
    UNKNOWN.at(&[ANSWERS]),
    PROMPTABLE.at(&[ANSWERS]),
];

/// The answer at hand, if it is to a `session/load`; with the session.
fn loaded<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request, &'a Answered, &'a str)> {
    let (index, request, answer) = answer_to(m, &["session/load"])?;
    let session = session_of(request)?;
    (m.conn.version() == Version::AcpV1).then_some((index, request, answer, session))
}

/// A turn of the session had come to a normal stop before, and the agent had said something in it.
fn has_history(m: &Moment<'_>, session: &str, before: u64) -> bool {
    m.world
        .conns
        .values()
        .flat_map(|conn| &conn.turns)
        .filter(|turn| turn.session == session && !turn.report().is_empty())
        .filter_map(|turn| turn.ended.as_ref())
        .any(|end| end.seq < before && end.stop_reason.as_deref() == Some("end_turn"))
}

/// LOAD-001: session/load replays the conversation: what the user said, and what the agent did. A session that is
/// active here already, or was never talked in, proves nothing. (v1 session-setup#loading-sessions)
const REPLAYS: Rule = Rule::check_later(
    "ACP-LOAD-001",
    |m, says| {
        let Some((index, request, answer, session)) = loaded(m) else {
            return;
        };
        if active(m.conn, session, request.seq) || !has_history(m, session, request.seq) {
            return;
        }
        if answer.is_error {
            return says.unclear("the session was not loaded, and no agent has to keep one");
        }
        let told = || updates(m.conn, session, request.seq, answer.seq);
        let user = told().any(Uttered::is_users);
        let agent = told().any(|it| it.is_tool() || (it.is_message() && !it.is_users()));
        if !m.conn.uttered_all {
            return says.unclear("more came than is kept");
        }
        if user && agent {
            return says.upheld();
        }
        let lacking = match (user, agent) {
            (true, _) => "anything of the agent",
            (_, true) => "anything of the user",
            _ => "anything",
        };
        // It may still come, too late, which LOAD-002 judges.
        says.watch_for(Subject::Request(index), lacking);
    },
    |m, watch| match late_history(m, watch) {
        Late::Uttered => Still::Moot,
        Late::Prompted => Still::Unclear("the session was prompted at once".to_owned()),
        Late::Waiting => Still::Watching,
        Late::Settled(request) => Still::Broken(
            Why::new(
                "a replay of what the user and the agent said, before the answer",
                format!(
                    "a conversation was loaded, and the agent told it without {} of it",
                    watch.memo
                ),
            )
            .sent(request.text.clone())
            .got(
                request
                    .answer()
                    .map(|answer| answer.text.clone())
                    .unwrap_or_default(),
            ),
        ),
    },
);

/// What comes after the answer to a load or resume.
pub(super) enum Late<'a> {
    /// Nothing yet.
    Waiting,
    /// Something of the history.
    Uttered,
    /// The client goes on with the session, so that nothing can be told apart any more.
    Prompted,
    /// The agent has said what it had to say.
    Settled(&'a Request),
}

/// What has come after the answer to the request that a watch is about.
pub(super) fn late_history<'a>(m: &Moment<'a>, watch: &Watch) -> Late<'a> {
    let Subject::Request(index) = watch.subject else {
        return Late::Waiting;
    };
    let request = &m.conn.requests[index];
    let session = session_of(request).unwrap_or_default();
    match m.fact {
        Fact::Settled => Late::Settled(request),
        Fact::TurnStarted(turn) if m.conn.turns[*turn].session == session => Late::Prompted,
        // The same session is set up again, with a replay of its own.
        Fact::Requested(other)
            if m.conn.requests[*other].from == Side::Client
                && m.conn.requests[*other].method != "session/list"
                && session_of(&m.conn.requests[*other]) == Some(session) =>
        {
            Late::Prompted
        }
        _ => match updated(m) {
            Some(told)
                if told.session == session
                    && History::of(m.world, session, request.seq).has(told) =>
            {
                Late::Uttered
            }
            _ => Late::Waiting,
        },
    }
}

/// LOAD-002: the answer comes after all of the history. (v1 session-setup#loading-sessions)
const HISTORY_FIRST: Rule = Rule::check_later(
    "ACP-LOAD-002",
    |m, says| {
        if let Some((index, request, answer, session)) = loaded(m)
            && !answer.is_error
            && m.conn.open_turn(session).is_none()
            && !restored_twice(m.conn, request)
            && !History::of(m.world, session, request.seq).is_empty()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| match late_history(m, watch) {
        Late::Waiting => Still::Watching,
        Late::Settled(_) => Still::Upheld,
        Late::Prompted => Still::Unclear("the client went on with the session at once".to_owned()),
        Late::Uttered => Still::Broken(Why::new(
            "the whole replay before the answer to session/load",
            "session/load was answered, and then a part of the history came",
        )),
    },
);

/// LOAD-005: the result is null or an object. What its members hold is judged with modes and options.
/// (LoadSessionResponse)
const RESULT: Rule = Rule::check("ACP-LOAD-005", |m, says| {
    if let Some((_, request, answer, _)) = loaded(m)
        && !answer.is_error
    {
        whole_result(m, says, request);
    }
});

/// The result as a whole has the type that it should; null is fine where nothing in it is needed.
pub(super) fn whole_result(m: &Moment<'_>, says: &mut Says, request: &Request) {
    let null = Value::Null;
    let result = request.result().unwrap_or(&null);
    let mut found = shapes::check(m.conn.version(), &request.method, Part::Result, result);
    found.retain(|mismatch| mismatch.pointer.is_empty());
    tell_shape(says, &found);
}

/// LOAD-006: a replay goes by the id of the session that is loaded. Other sessions of the connection may be at work all
/// the while. A messageId is a text. (v1 session-setup#loading-sessions)
const OWN_UPDATES: Rule = Rule::check("ACP-LOAD-006", |m, says| {
    let Some((_, request, answer, session)) = loaded(m) else {
        return;
    };
    // A recording that begins in the middle has not heard of all sessions.
    if answer.is_error || m.conn.init.request.is_none() {
        return;
    }
    let mut clean = true;
    let mut any = false;
    for told in all_updates(m.conn, request.seq, answer.seq) {
        if !told.is_message() && !told.is_tool() {
            continue;
        }
        let known = m
            .conn
            .sessions
            .get(&told.session)
            .is_some_and(|it| it.known);
        any |= told.session == session;
        if told.session != session && !known {
            clean = false;
            says.broken(
                Why::new(
                    format!("updates of the session {}", text::short_to(session, 60)),
                    format!(
                        "while {} was loaded, a {} came for {}, which is no session of this connection",
                        text::short_to(session, 60),
                        text::short_to(&told.kind, 60),
                        text::short_to(&told.session, 60)
                    ),
                )
                .got(shown(told)),
            );
        }
        if told.session == session && told.odd_id {
            clean = false;
            says.broken(
                Why::new(
                    "messageId: a text",
                    "a replayed message has a messageId that is no text",
                )
                .got(shown(told)),
            );
        }
    }
    if any && clean {
        says.upheld();
    }
});

/// LOAD-007: an unknown session is answered with an error; which one is ERROR-008's. (v1/error.rs; derived)
const UNKNOWN: Rule = Rule::check("ACP-LOAD-007", |m, says| {
    if let Some((_, request, answer, session)) = loaded(m)
        && made_up(session)
    {
        wants_error(says, request, answer, "there is no such session");
    }
});

/// LOAD-008: a loaded session takes prompts. (v1 session-setup#loading-sessions; derived)
const PROMPTABLE: Rule = Rule::check("ACP-LOAD-008", |m, says| {
    if m.conn.version() == Version::AcpV1 {
        prompted_after(m, says, "session/load");
    }
});

/// The first prompt in a session after it was loaded or resumed finds that session.
pub(super) fn prompted_after(m: &Moment<'_>, says: &mut Says, method: &str) {
    let Some((_, request, answer)) = answer_to(m, &["session/prompt"]) else {
        return;
    };
    let Some(session) = session_of(request) else {
        return;
    };
    let Some(restored) = latest(m.conn, &[method], session, request.seq) else {
        return;
    };
    let since = restored.seq;
    let first = !m.conn.requests.iter().any(|it| {
        it.from != m.judged
            && it.seq > since
            && it.seq < request.seq
            && matches!(
                it.method.as_str(),
                "session/prompt" | "session/close" | "session/delete"
            )
            && session_of(it) == Some(session)
    });
    if !first {
        return;
    }
    match (answer.is_error, answer.error_code) {
        (false, _) => says.upheld(),
        (true, Some(-32002 | -32601)) => says.broken(
            Why::new(
                "a turn",
                format!(
                    "{method} succeeded, and a prompt in the session was answered with {}",
                    told(answer)
                ),
            )
            .sent(request.text.clone()),
        ),
        _ => says.unclear("the prompt failed for a reason that may lie outside the protocol"),
    }
}
