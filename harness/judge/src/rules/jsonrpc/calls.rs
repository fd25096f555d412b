//! Requests of ours that an agent cannot carry out, or has to carry out in spite of how they look.

use elenchus_protocol::{Version, acp::methods};
use elenchus_wire::IdKey;
use serde_json::Value;

use super::answers::needs_nobody;
use crate::{
    fact::{Fact, Moment},
    rule::{Rule, Says, Still, Subject, Why},
    rules::{init::unannounced, lifecycle::proper, told::client_says},
    text,
    world::{Conn, Request},
};

/// A request of ours at its answer, sent after initialize was answered with a result.
pub(in crate::rules) fn call<'a>(m: &Moment<'a>) -> Option<&'a Request> {
    let (_, request) = m.answered()?;
    let initialize = m.conn.init.request.map(|index| &m.conn.requests[index])?;
    let since = initialize.answer().filter(|answer| !answer.is_error)?.seq;
    (request.well_formed && request.seq > since).then_some(request)
}

/// JSONRPC-010 (and ERROR-012): a method that nobody knows, or that the agent does not announce, is answered with
/// -32601. Names with an underscore are EXT-002's, and an unannounced method that works INIT-024's. An agent may ask for
/// a login first. (extensibility#custom-requests)
pub(super) const METHOD_NOT_FOUND: Rule = Rule::check("ACP-JSONRPC-010", |m, says| {
    let Some(request) = call(m) else { return };
    let invented = request.method.starts_with("elenchus/");
    let Some(answer) = request.answer().filter(|answer| answer.is_error) else {
        return;
    };
    if !invented && !unannounced(m.conn, &request.method) {
        return;
    }
    match answer.error_code {
        Some(-32601) => says.upheld(),
        Some(-32000) => says.unclear(format!("{} asks for a login", request.method)),
        // Both are wrong then, and which is told first is nobody's business.
        Some(-32602) if !invented && !proper(m.conn, request) => {
            says.unclear(format!("the params of {} are none", request.method));
        }
        code => {
            let told = code.map_or_else(
                || "without such a code".to_owned(),
                |code| format!("with {code}"),
            );
            says.broken(
                Why::new(
                    "error -32601",
                    format!(
                        "{}, which the agent does not have, was answered {told}",
                        request.method
                    ),
                )
                .sent(request.text.clone()),
            );
        }
    }
});

/// JSONRPC-011: a client answers a method that nobody knows with -32601. What it does not offer has rows of its own.
/// (extensibility#custom-requests)
pub(super) const METHOD_NOT_FOUND_CLIENT: Rule = Rule::check("ACP-JSONRPC-011", |m, says| {
    let Some(request) = call(m).filter(|request| request.method.starts_with("elenchus/")) else {
        return;
    };
    // A code that is no integer is ERROR-001's.
    let Some(code) = request.answer().map(|answer| answer.error_code) else {
        return;
    };
    if code.is_none() && request.answer().is_some_and(|answer| answer.is_error) {
        return;
    }
    says.holds(code == Some(-32601), || {
        let told = code.map_or_else(|| "a result".to_owned(), |code| format!("error {code}"));
        Why::new(
            "error -32601",
            format!(
                "{}, which nobody has, was answered with {told}",
                request.method
            ),
        )
        .sent(request.text.clone())
    });
})
.of_client();

/// A member, and what it has to be.
type Member = (&'static str, fn(&Value) -> bool);

/// The required members of the params of methods, with what each has to be. Members with a row of their own are not
/// among them. What a client was asked counts where it offers the method.
const REQUIRED: &[(&str, &[Member])] = &[
    ("session/new", &[("cwd", Value::is_string)]),
    (
        "session/load",
        &[("sessionId", Value::is_string), ("cwd", Value::is_string)],
    ),
    (
        "session/resume",
        &[("sessionId", Value::is_string), ("cwd", Value::is_string)],
    ),
    ("session/close", &[("sessionId", Value::is_string)]),
    ("session/delete", &[("sessionId", Value::is_string)]),
    (
        "session/prompt",
        &[("sessionId", Value::is_string), ("prompt", Value::is_array)],
    ),
    (
        "session/request_permission",
        &[
            ("sessionId", Value::is_string),
            ("options", Value::is_array),
        ],
    ),
    (
        "fs/read_text_file",
        &[("sessionId", Value::is_string), ("path", Value::is_string)],
    ),
    (
        "fs/write_text_file",
        &[
            ("sessionId", Value::is_string),
            ("path", Value::is_string),
            ("content", Value::is_string),
        ],
    ),
    (
        "terminal/create",
        &[
            ("sessionId", Value::is_string),
            ("command", Value::is_string),
        ],
    ),
];

/// The client offers what this method needs. Other methods need nothing of it.
pub(in crate::rules) fn offered(conn: &Conn, method: &str) -> bool {
    let says = |pointer: &str| client_says(conn, pointer) == Some(&Value::Bool(true));
    match method {
        "fs/read_text_file" => says("/clientCapabilities/fs/readTextFile"),
        "fs/write_text_file" => says("/clientCapabilities/fs/writeTextFile"),
        method if method.starts_with("terminal/") => says("/clientCapabilities/terminal"),
        _ => true,
    }
}

/// The answer refuses a permission in the words of a decision.
fn cancels(request: &Request) -> bool {
    let outcome = request
        .result()
        .and_then(|result| result.pointer("/outcome/outcome"));
    outcome.is_some_and(|outcome| outcome == "cancelled")
}

/// JSONRPC-012: params that lack a required member, or have it in a wrong type, are answered with -32602. Another code
/// is a remark. (JSON-RPC 2.0 section 5.1)
pub(super) const INVALID_PARAMS: Rule = Rule::check("ACP-JSONRPC-012", |m, says| {
    let Some(request) = call(m) else { return };
    let (Some(answer), Some(params)) = (request.answer(), request.params.as_ref()) else {
        return;
    };
    let members = REQUIRED
        .iter()
        .find(|(method, _)| *method == request.method);
    let known = methods::method(m.conn.version(), &request.method).is_some()
        && offered(m.conn, &request.method);
    let Some((_, members)) = members.filter(|_| known && params.is_object()) else {
        return;
    };
    let Some((wrong, _)) = members
        .iter()
        .find(|(name, fits)| !params.get(name).is_some_and(fits))
    else {
        return;
    };
    match answer.error_code {
        Some(-32601) => {}
        Some(-32602) => says.upheld(),
        _ if cancels(request) => says.unclear("the client refused it in another way"),
        _ if answer.is_error => says.note(format!(
            "{} without a proper {wrong} was refused with another code than -32602",
            request.method
        )),
        _ => says.broken(
            Why::new(
                "error -32602",
                format!(
                    "{} was carried out without a proper {wrong}",
                    request.method
                ),
            )
            .sent(request.text.clone()),
        ),
    }
})
.of_both();

/// JSONRPC-017 (v1): a request id is not null and not a fraction. (crate v1/rpc.rs RequestId)
pub(super) const PLAIN_ID_V1: Rule = Rule::check("ACP-JSONRPC-017", |m, says| {
    plain_id(m, says, Version::AcpV1);
})
.of_both();

/// JSONRPC-018 (v2): a request id is a string or an integer. (crate v2/rpc.rs RequestId)
pub(super) const PLAIN_ID_V2: Rule = Rule::check("ACP-JSONRPC-018", |m, says| {
    plain_id(m, says, Version::AcpV2);
})
.of_both();

fn plain_id(m: &Moment<'_>, says: &mut Says, version: Version) {
    let Some((_, request)) = m.requested().filter(|_| m.conn.version() == version) else {
        return;
    };
    says.holds(is_plain(&request.key), || {
        Why::new(
            "an id that is a string or an integer",
            format!(
                "{} has the id {}",
                request.method,
                text::short_to(request.id.text(), 60)
            ),
        )
    });
}

/// The id is a string or an integer.
fn is_plain(key: &IdKey) -> bool {
    match key {
        IdKey::String(_) => true,
        IdKey::Number(number) => !number.contains('.') && !number.contains("e-"),
        IdKey::Null | IdKey::Other(_) => false,
    }
}

/// A turn that was open at this event.
fn turn_open_at(conn: &Conn, seq: u64) -> Option<usize> {
    conn.turns.iter().position(|turn| {
        conn.requests[turn.request].seq < seq && turn.ended.as_ref().is_none_or(|end| end.seq > seq)
    })
}

/// JSONRPC-025: a turn does not keep other requests waiting. Broken only where one that needs nobody went unanswered
/// for as long as a deadline in the middle of a turn, and was answered once that had ended. (prompt-turn)
pub(super) const SERVED_DURING_TURNS: Rule = Rule::check_later(
    "ACP-JSONRPC-025",
    |m, says| {
        if let Some((index, request)) = m.received()
            && request.well_formed
            && needs_nobody_but_a_turn(m.conn, request)
            && turn_open_at(m.conn, request.seq).is_some()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        let Some(answer) = request.answer() else {
            return match m.fact {
                Fact::Exited | Fact::Ended => {
                    Still::Unclear(format!("{} was not answered", request.method))
                }
                _ => Still::Watching,
            };
        };
        let still_on = |turn: usize| {
            let ended = m.conn.turns[turn].ended.as_ref();
            ended.is_none_or(|end| end.seq > answer.seq)
        };
        match turn_open_at(m.conn, request.seq) {
            Some(turn) if still_on(turn) => Still::Upheld,
            Some(turn) => {
                let end = m.conn.turns[turn].ended.as_ref().map_or(0, |end| end.seq);
                if request.overdue.is_some_and(|late| late < end) {
                    Still::Broken(
                        Why::new(
                            "an answer while the turn goes on",
                            format!(
                                "{} was answered only when the turn had ended",
                                request.method
                            ),
                        )
                        .sent(request.text.clone()),
                    )
                } else {
                    Still::Moot
                }
            }
            None => Still::Moot,
        }
    },
);

/// As [`needs_nobody`]; a mode or an option may have to wait for a turn.
fn needs_nobody_but_a_turn(conn: &Conn, request: &Request) -> bool {
    request.method != "initialize" && needs_nobody(conn, request)
}

/// JSONRPC-026: params that are all optional may be left out: session/list without any works where it works with an
/// empty object. (JSON-RPC 2.0 section 4; derived)
pub(super) const PARAMS_LEFT_OUT: Rule = Rule::check("ACP-JSONRPC-026", |m, says| {
    let Some(request) = call(m).filter(|request| request.method == "session/list") else {
        return;
    };
    let (Some(answer), None) = (request.answer(), request.params.as_ref()) else {
        return;
    };
    let with_object = m.conn.requests.iter().find(|other| {
        let empty = other
            .params
            .as_ref()
            .and_then(Value::as_object)
            .is_some_and(serde_json::Map::is_empty);
        other.from == request.from && other.method == request.method && empty && !other.is_open()
    });
    match with_object
        .and_then(Request::answer)
        .map(|other| other.is_error)
    {
        Some(false) => says.holds(!answer.is_error, || {
            Why::new(
                "the same as for empty params",
                "session/list with empty params worked, and without params it did not",
            )
            .sent(request.text.clone())
        }),
        _ if !answer.is_error => says.upheld(),
        _ => says.unclear("session/list does not work with empty params either"),
    }
});
