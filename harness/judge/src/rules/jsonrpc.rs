//! JSONRPC: envelopes, ids, and who answers what.

mod answers;
mod broken;
mod calls;

use elenchus_protocol::acp::methods;
use elenchus_wire::Class;

use super::cancel;
use crate::{
    fact::Payload,
    kinds::{ANSWERS, LINES, NOTIFICATIONS, ORPHANS, REQUESTS},
    rule::{Rule, Why},
    world::{Line, ParamsKind},
};

pub(super) use answers::{
    NAMES_NO_REQUEST, Told, answered_at_all, answered_notification, answered_under_another_id,
    answers_custom_requests, custom, excused, needs_nobody, refused, unreadable,
};
pub(super) use broken::unreadable_code;
pub(super) use calls::{call, offered};

pub(super) const RULES: &[Rule] = &[
    VERSION_MEMBER.at(&[LINES]),
    REQUEST_SHAPE.at(&[LINES]),
    NOTIFICATION_SHAPE.at(&[LINES]),
    answers::ONE_RESPONSE.at(&[ANSWERS, REQUESTS]),
    answers::ONE_RESPONSE_CLIENT.at(&[ANSWERS, REQUESTS]),
    answers::ID_ECHOED.at(&[ANSWERS, ORPHANS]),
    RESULT_XOR_ERROR.at(&[LINES]),
    answers::NOTIFICATION_UNANSWERED.at(&[NOTIFICATIONS]),
    calls::PLAIN_ID_V2.at(&[REQUESTS]),
    answers::ID_NOT_REUSED.at(&[REQUESTS]),
    answers::IDS_PER_DIRECTION.at(&[REQUESTS]),
    SPELLING.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    RESPONSE_HAS_ID.at(&[LINES]),
    broken::PARSE_ERROR.at(&[ANSWERS, LINES, ORPHANS]),
    broken::INVALID_REQUEST.at(&[ANSWERS, LINES, ORPHANS]),
    broken::GOES_ON.at(&[LINES]),
    broken::STRAY_IGNORED,
    broken::NULL_ID_REFUSED.at(&[REQUESTS]),
    broken::STRANGE_IS_HARMLESS.at(&[LINES]),
    calls::METHOD_NOT_FOUND.at(&[ANSWERS]),
    calls::METHOD_NOT_FOUND_CLIENT.at(&[ANSWERS]),
    calls::INVALID_PARAMS.at(&[ANSWERS]),
    calls::PLAIN_ID_V1.at(&[REQUESTS]),
    calls::SERVED_DURING_TURNS.at(&[REQUESTS]),
    calls::PARAMS_LEFT_OUT.at(&[ANSWERS]),
];

/// A response by its shape: also one that has neither result nor error.
fn is_response(line: &Line) -> bool {
    line.class == Some(Class::Response)
        || (line.class == Some(Class::Other) && !line.has_method && line.has_id)
}

/// JSONRPC-001: every message carries "jsonrpc":"2.0". (JSON-RPC 2.0 section 4)
const VERSION_MEMBER: Rule = Rule::check("ACP-JSONRPC-001", |m, says| {
    let Some(line) = m
        .line()
        .filter(|line| line.class.is_some_and(|class| class != Class::Other))
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

/// JSONRPC-002: a request has a string method and an id; params, where present, is an object. Methods that ACP does not
/// define may carry any params; params:null is a remark. (JSON-RPC 2.0 section 4)
const REQUEST_SHAPE: Rule = Rule::check("ACP-JSONRPC-002", |m, says| {
    let Some(line) = m.line() else { return };
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
        // An elicitation without object params has a row of its own.
        ParamsKind::Array | ParamsKind::Scalar
            if defined.is_none() || method == "elicitation/create" => {}
        ParamsKind::Array | ParamsKind::Scalar => {
            says.broken(Why::new(
                "params that is an object",
                format!("{method} was sent with params of another kind"),
            ));
        }
    }
})
.of_both();

/// JSONRPC-003: a notification has a method and no id. A completion with one is ELICIT-COMPLETE-002's.
/// (JSON-RPC 2.0 section 4.1)
const NOTIFICATION_SHAPE: Rule = Rule::check("ACP-JSONRPC-003", |m, says| {
    let Some(line) = m.line() else { return };
    let Some(method) = line.method.as_deref() else {
        return;
    };
    if line.class == Some(Class::Notification) {
        says.upheld();
    } else if method != cancel::METHOD
        && method != "elicitation/complete"
        && methods::method(m.conn.version(), method).is_some_and(|method| !method.request)
    {
        says.broken(Why::new(
            "a notification, without an id",
            format!("{method} was sent with an id"),
        ));
    }
})
.of_both();

/// JSONRPC-007 (and 008): a response has either result or error. A null result is a result. (overview#error-handling)
const RESULT_XOR_ERROR: Rule = Rule::check("ACP-JSONRPC-007", |m, says| {
    let Some(line) = m.line().filter(|line| is_response(line)) else {
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

/// JSONRPC-022: payload keys are camelCase and discriminator values snake_case, exactly as the schema names them.
/// (overview#conventions)
const SPELLING: Rule = Rule::check("ACP-JSONRPC-022", |m, says| {
    let Some(Payload {
        from,
        method,
        value,
        ..
    }) = m.payload()
    else {
        return;
    };
    if from != m.judged || !value.is_object() {
        return;
    }
    let mismatches = m.misspelt();
    if mismatches.is_empty() {
        if methods::method(m.conn.version(), method).is_some() {
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
    let Some(line) = m.line().filter(|line| line.class == Some(Class::Response)) else {
        return;
    };
    says.holds(line.has_id, || {
        Why::new(
            "a member id (null if it could not be read)",
            "the response has no id",
        )
    });
})
.of_both();
