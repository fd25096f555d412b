//! JSONRPC: envelopes, ids, and who answers what.

use elenchus_protocol::{
    Version,
    acp::{methods, shapes},
};
use elenchus_wire::{Class, IdKey};

use crate::{
    fact::{Fact, Moment},
    rule::{Rule, Still, Subject, Why},
    text,
    world::{Conn, Line, Orphan, ParamsKind, Request},
};

pub(super) const RULES: &[Rule] = &[
    VERSION_MEMBER,
    REQUEST_SHAPE,
    NOTIFICATION_SHAPE,
    ONE_RESPONSE,
    ID_ECHOED,
    RESULT_XOR_ERROR,
    NOTIFICATION_UNANSWERED,
    NO_NULL_ID,
    ID_NOT_REUSED,
    IDS_PER_DIRECTION,
    SPELLING,
    RESPONSE_HAS_ID,
];

/// The envelope of the judged side's frame at hand.
fn line<'a>(m: &Moment<'a>) -> Option<&'a Line> {
    m.conn.line.as_ref().filter(|_| m.is_line())
}

/// A response by its shape: also one that has neither result nor error.
fn is_response(line: &Line) -> bool {
    line.class == Some(Class::Response)
        || (line.class == Some(Class::Other) && !line.has_method && line.id.is_some())
}

/// JSONRPC-001: every message carries "jsonrpc":"2.0". (JSON-RPC 2.0 section 4)
const VERSION_MEMBER: Rule = Rule::check("ACP-JSONRPC-001", |m, says| {
    let Some(line) = line(m).filter(|line| line.class.is_some_and(|class| class != Class::Other))
    else {
        return;
    };
    says.holds(line.version_ok, || {
        Why::new(
            "\"jsonrpc\":\"2.0\"",
            "the member jsonrpc is missing or has another value",
        )
    });
})
.of_both();

/// JSONRPC-002: a request has a string method and an id; params, where present, is an object. Extension methods may
/// carry any params; params:null is a remark. (JSON-RPC 2.0 section 4)
const REQUEST_SHAPE: Rule = Rule::check("ACP-JSONRPC-002", |m, says| {
    let Some(line) = line(m) else { return };
    if line.has_method && line.method.is_none() {
        return says.broken(Why::new(
            "a method that is a string",
            "the member method is not a string",
        ));
    }
    let Some(method) = line.method.as_deref() else {
        return;
    };
    let defined = methods::method(m.conn.version(), method);
    if line.class == Some(Class::Notification) {
        // An elicitation without an id has a row of its own.
        if defined.is_some_and(|method| method.request) && method != "elicitation/create" {
            says.broken(Why::new(
                "a request, with an id",
                format!("{method} was sent without an id"),
            ));
        }
        return;
    }
    match line.params {
        ParamsKind::Object | ParamsKind::Absent => says.upheld(),
        ParamsKind::Null => says.note("params is null instead of absent"),
        ParamsKind::Array | ParamsKind::Scalar if method.starts_with('_') => {}
        // An elicitation without object params has a row of its own.
        ParamsKind::Array | ParamsKind::Scalar if method == "elicitation/create" => {}
        ParamsKind::Array | ParamsKind::Scalar => {
            says.broken(Why::new(
                "params that is an object",
                format!("{method} was sent with params of another kind"),
            ));
        }
    }
})
.of_both();

/// JSONRPC-003: a notification has a method and no id. (JSON-RPC 2.0 section 4.1)
const NOTIFICATION_SHAPE: Rule = Rule::check("ACP-JSONRPC-003", |m, says| {
    let Some(line) = line(m) else { return };
    let Some(method) = line.method.as_deref() else {
        return;
    };
    if line.class == Some(Class::Notification) {
        says.upheld();
    } else if methods::method(m.conn.version(), method).is_some_and(|method| !method.request) {
        says.broken(Why::new(
            "a notification, without an id",
            format!("{method} was sent with an id"),
        ));
    }
})
.of_both();

/// Requests whose answer depends on no model, user, network or file: those that a missing answer can be held against.
fn needs_nobody(request: &Request) -> bool {
    request.method.starts_with('_')
        || matches!(
            request.method.as_str(),
            "initialize" | "session/list" | "session/set_mode" | "session/set_config_option"
        )
}

/// JSONRPC-004: each request receives exactly one response. A second one always breaks it; a missing one only for
/// requests that need nobody, after a deadline, while a later request was answered. (overview#communication-model)
const ONE_RESPONSE: Rule = Rule::check_later(
    "ACP-JSONRPC-004",
    |m, says| match m.fact {
        Fact::Answered { request, nth } if m.conn.requests[*request].from != m.judged => {
            let request = &m.conn.requests[*request];
            if *nth == 1 {
                says.upheld();
            } else {
                says.broken(
                    Why::new(
                        "exactly one response",
                        format!(
                            "{} (id {}) was answered {nth} times",
                            request.method,
                            request.id.text()
                        ),
                    )
                    .sent(request.text.clone()),
                );
            }
        }
        Fact::Requested(index) => {
            let request = &m.conn.requests[*index];
            if request.from != m.judged && needs_nobody(request) {
                says.watch(Subject::Request(*index));
            }
        }
        _ => {}
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        // An answer under a wrong id is JSONRPC-006's.
        let misnamed =
            |orphan: &Orphan| orphan.from == m.judged && meant(m.conn, orphan) == Some(index);
        if !request.is_open() || m.conn.orphans.iter().any(misnamed) {
            return Still::Moot;
        }
        let reused = m.conn.requests[index + 1..]
            .iter()
            .any(|later| later.from == request.from && later.key == request.key);
        if request.overdue && m.conn.read_mark > request.seq && !reused && !m.conn.separators {
            return Still::Broken(
                Why::new(
                    "exactly one response",
                    format!(
                        "{} (id {}) was never answered, and a later request was",
                        request.method,
                        request.id.text()
                    ),
                )
                .sent(request.text.clone())
                .got("no answer"),
            );
        }
        if matches!(m.fact, Fact::Exited | Fact::Ended) {
            return Still::Unclear(format!(
                "{} had no answer when the connection ended",
                request.method
            ));
        }
        Still::Watching
    },
);

/// The largest integer that every JSON reader keeps exactly: 2^53 - 1.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// JSONRPC-006: a response echoes the request's id with the same JSON type and value. Numbers compare by value; those
/// beyond 2^53 - 1 are only remarked on. (crate rpc.rs RequestId)
const ID_ECHOED: Rule = Rule::check("ACP-JSONRPC-006", |m, says| {
    if let Some((_, request)) = m.answered() {
        let Some(answer) = request.answer() else { return };
        says.upheld();
        if answer.id != request.id.text() && matches!(request.key, IdKey::Number(_)) {
            says.note(format!("id {} came back written {}", request.id.text(), text::short_to(&answer.id, 40)));
        }
        return;
    }
    let Fact::Orphan(index) = m.fact else {
        return;
    };
    let orphan = &m.conn.orphans[*index];
    let Some(id) = orphan
        .id
        .as_deref()
        .filter(|_| orphan.from == m.judged && !excused(m.conn))
    else {
        return;
    };
    let meant = meant(m.conn, orphan).map(|index| &m.conn.requests[index]);
    let large = meant.is_some_and(
        |meant| matches!(&meant.key, IdKey::Number(n) if n.parse::<f64>().is_ok_and(|n| n.abs() > MAX_SAFE)),
    );
    match meant {
        Some(meant) if large => says.note(format!(
            "id {} came back as {}",
            meant.id.text(),
            text::short_to(id, 80)
        )),
        Some(meant) => says.broken(
            Why::new(
                format!("id {}", text::short_to(meant.id.text(), 80)),
                format!(
                    "{} had the id {}, and its answer has the id {}",
                    meant.method,
                    text::short_to(meant.id.text(), 80),
                    text::short_to(id, 80)
                ),
            )
            .sent(meant.text.clone()),
        ),
        None if id == "null" => {}
        None => says.broken(Why::new(
            "the id of the request that it answers",
            format!("no request had the id {}", text::short_to(id, 80)),
        )),
    }
})
.of_both();

/// Something of ours may have drawn a response that answers no request: a malformed frame, a response to nothing, or a
/// message that a careless line splitter takes for several (TRANSPORT-024 judges that).
fn excused(conn: &Conn) -> bool {
    conn.malformed
        || conn.separators
        || conn.orphans.iter().any(|orphan| orphan.from != conn.target)
}

/// The request that a response with a wrong id must have meant: the one whose id it resembles, or the only one that is
/// open. A null id may instead answer a notification (JSONRPC-009).
fn meant(conn: &Conn, orphan: &Orphan) -> Option<usize> {
    let notified = conn
        .notifications
        .iter()
        .any(|notification| notification.from != orphan.from);
    match orphan.open.as_slice() {
        _ if orphan.near.is_some() => orphan.near,
        [only] if orphan.id.as_deref() != Some("null") || !notified => Some(*only),
        _ => None,
    }
}

/// JSONRPC-007 (and 008): a response has either result or error. A null result is a result. (overview#error-handling)
const RESULT_XOR_ERROR: Rule = Rule::check("ACP-JSONRPC-007", |m, says| {
    let Some(line) = line(m).filter(|line| is_response(line)) else {
        return;
    };
    match (line.has_result, line.has_error) {
        (true, true) => says.broken(Why::new(
            "either result or error",
            "the response has both result and error",
        )),
        (false, false) => says.broken(Why::new(
            "either result or error",
            "the response has neither result nor error",
        )),
        _ => says.upheld(),
    }
})
.of_both();

/// JSONRPC-009: a notification is never answered. Judged only where no malformed frame may have drawn the answer.
/// (overview#error-handling)
const NOTIFICATION_UNANSWERED: Rule = Rule::ban(
    "ACP-JSONRPC-009",
    |m, says| {
        let Fact::Notified(index) = m.fact else {
            return;
        };
        let notification = &m.conn.notifications[*index];
        if notification.from != m.judged && !m.conn.malformed {
            says.watch_for(Subject::Connection, notification.method.clone());
        }
    },
    |m, watch| {
        if m.conn.malformed {
            return Still::Moot;
        }
        let Fact::Orphan(index) = m.fact else {
            return Still::Watching;
        };
        let orphan = &m.conn.orphans[*index];
        // An answer under a twin of a pending id belongs to JSONRPC-006.
        let answer = orphan.id.as_deref().is_none_or(|id| id == "null") || orphan.is_error;
        if orphan.from != m.judged || orphan.near.is_some() || !answer {
            return Still::Watching;
        }
        Still::Broken(Why::new(
            "no answer to a notification",
            format!(
                "the notification {} was answered",
                text::short_to(&watch.memo, 60)
            ),
        ))
    },
)
.of_both();

/// JSONRPC-018 (v2): a request id is a string or an integer. (crate v2/rpc.rs RequestId)
const NO_NULL_ID: Rule = Rule::check("ACP-JSONRPC-018", |m, says| {
    let Some((_, request)) = m.requested() else {
        return;
    };
    if m.conn.version() != Version::AcpV2 {
        return;
    }
    let whole = match &request.key {
        IdKey::String(_) => true,
        IdKey::Number(number) => !number.contains('.') && !number.contains("e-"),
        IdKey::Null | IdKey::Other(_) => false,
    };
    says.holds(whole, || {
        Why::new(
            "an id that is a string or an integer",
            format!(
                "{} has the id {}",
                request.method,
                text::short_to(request.id.text(), 60)
            ),
        )
    });
})
.of_both();

/// JSONRPC-020: within one direction an id is not used again before its request is answered. Elicitations have
/// ELICIT-SCOPE-027. (crate v2/rpc.rs RequestId; derived)
const ID_NOT_REUSED: Rule = Rule::check("ACP-JSONRPC-020", |m, says| {
    let Some((index, request)) = m.requested() else {
        return;
    };
    if request.method == "elicitation/create" {
        return;
    }
    if let Some(earlier) = request.reuses {
        says.broken(Why::new(
            "an id that no open request of the same side has",
            format!(
                "id {} is that of {}, which is unanswered",
                request.id.text(),
                m.conn.requests[earlier].method
            ),
        ));
    } else if m
        .conn
        .open_requests(m.judged)
        .any(|(other, _)| other != index)
    {
        says.upheld();
    }
})
.of_both();

/// JSONRPC-021: ids are scoped per direction: a request of ours with the id of an open request of the agent's is
/// answered, and the agent's own request stays what it was. (crate v2/rpc.rs RequestId; derived)
const IDS_PER_DIRECTION: Rule = Rule::duty(
    "ACP-JSONRPC-021",
    "both requests are answered, though they have the same id",
    |m, says| {
        let Some((index, request)) = m.asked() else {
            return;
        };
        let twin = m
            .conn
            .open_requests(m.judged)
            .find(|(_, own)| own.key == request.key);
        let Some((_, own)) = twin else { return };
        says.watch(Subject::Request(index));
        if let Some(turn) = own.turn {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| match watch.subject {
        Subject::Request(index) => match m.answered() {
            Some((answered, _)) if answered == index => Still::Upheld,
            _ => match m.died() {
                Some(how) => Still::Broken(Why::new(
                    "both requests are answered",
                    format!("a request with the id of an open one was sent, and {how}"),
                )),
                None => Still::Watching,
            },
        },
        Subject::Turn(turn) => match m.turn_ended() {
            Some((ended, _)) if ended == turn => Still::Upheld,
            _ => Still::Watching,
        },
        Subject::Connection => Still::Moot,
    },
)
.of_both();

/// JSONRPC-022: payload keys are camelCase and discriminator values snake_case, exactly as the schema names them.
/// (overview#conventions)
const SPELLING: Rule = Rule::check("ACP-JSONRPC-022", |m, says| {
    let version = m.conn.version();
    let (method, part, value) = match m.fact {
        Fact::Requested(index) => {
            let request = &m.conn.requests[*index];
            if request.from != m.judged {
                return;
            }
            (
                request.method.as_str(),
                shapes::Part::Params,
                request.params.as_ref(),
            )
        }
        Fact::Notified(index) => {
            let notification = &m.conn.notifications[*index];
            if notification.from != m.judged {
                return;
            }
            (
                notification.method.as_str(),
                shapes::Part::Params,
                notification.params.as_ref(),
            )
        }
        Fact::Answered { request, nth: 1 } => {
            let request = &m.conn.requests[*request];
            if request.from == m.judged {
                return;
            }
            (
                request.method.as_str(),
                shapes::Part::Result,
                request.result(),
            )
        }
        _ => return,
    };
    let Some(value) = value.filter(|value| value.is_object()) else {
        return;
    };
    let mismatches = shapes::misspelt(version, method, part, value);
    if mismatches.is_empty() {
        if methods::method(version, method).is_some() {
            says.upheld();
        }
        return;
    }
    for mismatch in mismatches {
        says.broken(Why::new(
            mismatch.expected.clone(),
            format!(
                "{} of {method} is spelt {}; it has to be {}",
                mismatch.pointer, mismatch.got, mismatch.expected
            ),
        ));
    }
})
.of_both();

/// JSONRPC-028: every response carries an id; null where the request's could not be read, never left out.
/// (overview#error-handling; JSON-RPC 2.0 section 5)
const RESPONSE_HAS_ID: Rule = Rule::check("ACP-JSONRPC-028", |m, says| {
    let Some(line) = line(m).filter(|line| line.class == Some(Class::Response)) else {
        return;
    };
    says.holds(line.id.is_some(), || {
        Why::new(
            "a member id (null if it could not be read)",
            "the response has no id",
        )
    });
})
.of_both();
