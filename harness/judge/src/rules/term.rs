//! TERM: terminals of the client, which version 1 has and version 2 has not.

use elenchus_protocol::Version;
use serde_json::Value;

use super::told::{client_says, param, tell_shape};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS, TURN_STARTS},
    rule::{Rule, Still, Subject, Why},
    text,
    world::{Conn, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    GATED.at(&[REQUESTS, TURN_STARTS]),
    SHAPE.at(&[REQUESTS]),
    RELEASED.at(&[ANSWERS]),
    NOT_AFTER_RELEASE.at(&[REQUESTS]),
    GONE_IN_V2.at(&[REQUESTS, TURN_STARTS]),
];

fn is_terminal(method: &str) -> bool {
    matches!(
        method,
        "terminal/create"
            | "terminal/output"
            | "terminal/wait_for_exit"
            | "terminal/kill"
            | "terminal/release"
    )
}

/// The terminal request of the agent at this fact, on a connection of this version.
fn asked<'a>(m: &Moment<'a>, version: Version) -> Option<&'a Request> {
    let (_, request) = m.requested()?;
    (is_terminal(&request.method) && m.conn.version() == version).then_some(request)
}

/// TERM-001 (v1): no terminal methods for a client that does not advertise them. (v1 terminals#checking-support)
const GATED: Rule = Rule::ban(
    "ACP-TERM-001",
    |m, says| {
        if m.conn.version() != Version::AcpV1 || !m.conn.initialized() {
            return;
        }
        let advertised =
            client_says(m.conn, "/clientCapabilities/terminal") == Some(&Value::Bool(true));
        if let (Fact::TurnStarted(turn), false) = (m.fact, advertised) {
            says.watch(Subject::Turn(*turn));
        }
        if let Some(request) = asked(m, Version::AcpV1) {
            says.holds(advertised, || {
                Why::new(
                    "no terminal methods for a client without the capability",
                    format!(
                        "{} was sent to a client that does not advertise terminals",
                        request.method
                    ),
                )
            });
        }
    },
    |_, _| Still::Watching,
);

/// TERM-002 (v1): terminal requests have their shape. That a cwd is absolute is SESSION-007. (v1 terminals; v1/client.rs)
const SHAPE: Rule = Rule::check("ACP-TERM-002", |m, says| {
    let Some(request) = asked(m, Version::AcpV1) else {
        return;
    };
    tell_shape(says, &request.method, m.mismatches().iter(), true);
});

/// The terminal that our side created for this request.
fn created(request: &Request) -> Option<&str> {
    request.result()?.get("terminalId")?.as_str()
}

/// A request about this terminal with this method was sent after this event.
fn asked_since(conn: &Conn, method: &str, terminal: &str, seq: u64) -> bool {
    conn.requests
        .iter()
        .rev()
        .take_while(|request| request.seq > seq)
        .any(|request| request.method == method && param(request, "terminalId") == Some(terminal))
}

/// The answer to a request about a terminal says that its command is over.
fn tells_of_an_end(request: &Request) -> bool {
    let done = request.answer().is_some_and(|answer| !answer.is_error);
    match request.method.as_str() {
        "terminal/wait_for_exit" | "terminal/kill" => done,
        "terminal/output" => request
            .result()
            .and_then(|result| result.get("exitStatus"))
            .is_some_and(Value::is_object),
        _ => false,
    }
}

/// TERM-003 (v1): each terminal is released when it is no longer needed. When that is, only the agent knows: it may keep
/// one to read its output once more in a later turn. It is certain at the end of a turn of `/tool`, which by the words of
/// the vocabulary releases what it ran, and when the command is over and the session was closed, which frees what belongs
/// to it. (v1 terminals#executing-commands; CloseSessionRequest)
const RELEASED: Rule = Rule::check_later(
    "ACP-TERM-003",
    |m, says| {
        let Some((index, request)) = m.we_answered() else {
            return;
        };
        if m.conn.version() == Version::AcpV1
            && request.method == "terminal/create"
            && created(request).is_some()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        let (Some(terminal), Some(answer)) = (created(request), request.answer()) else {
            return Still::Moot;
        };
        if asked_since(m.conn, "terminal/release", terminal, answer.seq) {
            return Still::Upheld;
        }
        if !matches!(m.fact, Fact::Settled) {
            return Still::Watching;
        }
        let session = param(request, "sessionId").unwrap_or_default();
        let scripted = m.conn.turns.iter().rposition(|turn| {
            turn.session == session && m.conn.requests[turn.request].seq < request.seq
        });
        let ran_through = |turn: &Turn| {
            let reason = turn
                .ended
                .as_ref()
                .and_then(|end| end.stop_reason.as_deref());
            turn.trigger.as_deref() == Some("/tool") && reason == Some("end_turn")
        };
        let over = scripted
            .is_some_and(|index| ran_through(&m.conn.turns[index]) && !m.conn.overlaps(index));
        let closed = m.conn.requests.iter().any(|request| {
            request.method == "session/close"
                && param(request, "sessionId") == Some(session)
                && request.answer().is_some_and(|answer| !answer.is_error)
        });
        let exited = m.conn.requests.iter().any(|request| {
            param(request, "terminalId") == Some(terminal) && tells_of_an_end(request)
        });
        if !(over || closed && exited) {
            return Still::Watching;
        }
        Still::Broken(
            Why::new(
                "terminal/release for each terminal that was created",
                format!(
                    "the work is over, and the terminal {} was never released",
                    text::short_to(terminal, 60)
                ),
            )
            .sent(answer.text.clone())
            .got(request.text.clone()),
        )
    },
);

/// TERM-004 (v1): a terminal that was released is not used again. (v1 terminals#releasing-terminals)
const NOT_AFTER_RELEASE: Rule = Rule::ban(
    "ACP-TERM-004",
    |m, says| {
        let Some(request) = asked(m, Version::AcpV1) else {
            return;
        };
        if let Some(terminal) =
            param(request, "terminalId").filter(|_| request.method == "terminal/release")
        {
            says.watch_for(Subject::Connection, terminal);
        }
    },
    |m, watch| {
        // A client may give the id to another terminal.
        let again = m.we_answered().is_some_and(|(_, request)| {
            request.method == "terminal/create" && created(request) == Some(watch.memo.as_str())
        });
        if again {
            return Still::Upheld;
        }
        match asked(m, Version::AcpV1) {
            Some(request)
                if request.seq > watch.opened
                    && param(request, "terminalId") == Some(watch.memo.as_str()) =>
            {
                Still::Broken(Why::new(
                    "no use of a terminal after its release",
                    format!(
                        "{} came for the terminal {}, which had been released",
                        request.method,
                        text::short_to(&watch.memo, 60)
                    ),
                ))
            }
            _ => Still::Watching,
        }
    },
);

/// TERM-013 (v2): the terminal methods of version 1 are gone. (v2 migration)
const GONE_IN_V2: Rule = Rule::ban(
    "ACP-TERM-013",
    |m, says| {
        if let (Fact::TurnStarted(turn), Version::AcpV2) = (m.fact, m.conn.version()) {
            says.watch(Subject::Turn(*turn));
        }
        if let Some(request) = asked(m, Version::AcpV2) {
            says.broken(Why::new(
                "no terminal methods of version 1 on a connection of version 2",
                format!("{} was sent", request.method),
            ));
        }
    },
    |_, _| Still::Watching,
);
