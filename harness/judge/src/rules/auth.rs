//! AUTH: which ways to log in an agent offers, and what logging in and out comes to.

use std::collections::BTreeSet;

use elenchus_protocol::Version;
use serde_json::Value;

use super::{
    lifecycle::{announces, answer_to, made_up, succeeded, text_param, told, wants_login},
    told::{agent_says, client_says, misfit},
};
use crate::{
    fact::Moment,
    kinds::ANSWERS,
    rule::{Rule, Says, Why},
    text,
    world::{Conn, Request},
};

pub(super) const RULES: &[Rule] = &[
    Rule::check("ACP-AUTH-001", |m, says| {
        shape(m, says, Version::AcpV1);
    })
    .at(&[ANSWERS]),
    Rule::check("ACP-AUTH-002", |m, says| {
        shape(m, says, Version::AcpV2);
    })
    .at(&[ANSWERS]),
    UNIQUE.at(&[ANSWERS]),
    TERMINAL.at(&[ANSWERS]),
    ENVIRONMENT.at(&[ANSWERS]),
    IMPLEMENTED.at(&[ANSWERS]),
    LOGOUT.at(&[ANSWERS]),
    UNKNOWN.at(&[ANSWERS]),
    LETS_IN.at(&[ANSWERS]),
    LETS_OUT.at(&[ANSWERS]),
    OFFERS_A_WAY.at(&[ANSWERS]),
];

const LOGIN: [&str; 2] = ["authenticate", "auth/login"];
const LOGOUTS: [&str; 2] = ["logout", "auth/logout"];

/// The ways to log in that the result of `initialize` offers.
fn methods(conn: &Conn) -> &[Value] {
    agent_says(conn, "/authMethods")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The same, if that result is at hand and offers any.
fn offered<'a>(m: &Moment<'a>) -> Option<&'a [Value]> {
    let (index, request, _) = answer_to(m, &["initialize"])?;
    let methods = methods(m.conn);
    let fits = m.conn.init.request == Some(index) && succeeded(request);
    (fits && !methods.is_empty()).then_some(methods)
}

/// AUTH-001 and AUTH-002: the members of a way to log in. A withdrawn draft of v1 had the type `env_var`, which is a
/// remark. (authentication#authentication-method-types; AuthMethod)
fn shape(m: &Moment<'_>, says: &mut Says, version: Version) {
    let Some(methods) = offered(m).filter(|_| m.conn.init.negotiated == Some(version)) else {
        return;
    };
    let mut clean = true;
    for mismatch in m.mismatches() {
        if mismatch.pointer.starts_with("/authMethods/") {
            clean = false;
            says.broken(misfit("the result of initialize", mismatch));
        }
    }
    let withdrawn = |method: &Value| method.get("type").is_some_and(|kind| kind == "env_var");
    if version == Version::AcpV1 && methods.iter().any(withdrawn) {
        says.note("env_var is the type of a draft that was withdrawn");
    }
    if clean {
        says.upheld();
    }
}

fn id_of(method: &Value, version: Version) -> Option<&str> {
    let name = match version {
        Version::AcpV1 => "id",
        Version::AcpV2 => "methodId",
    };
    method.get(name)?.as_str()
}

/// AUTH-003: the ids of ways to log in are unique. (authentication#advertising-authentication)
const UNIQUE: Rule = Rule::check("ACP-AUTH-003", |m, says| {
    let Some(methods) = offered(m) else { return };
    let mut seen = BTreeSet::new();
    let mut ids = methods.iter().filter_map(|it| id_of(it, m.conn.version()));
    let twice = ids.find(|id| !seen.insert(*id));
    says.holds(twice.is_none(), || {
        let id = text::short_to(twice.unwrap_or_default(), 60);
        Why::new(
            "ids that stand once",
            format!("two ways to log in have the id {id}"),
        )
    });
});

fn is_terminal(method: &Value) -> bool {
    method.get("type").is_some_and(|kind| kind == "terminal")
}

/// What the client says of terminals to log in with.
fn advertises_terminals(conn: &Conn) -> bool {
    let pointer = match conn.version() {
        Version::AcpV1 => "/clientCapabilities/auth/terminal",
        Version::AcpV2 => "/capabilities/auth/terminal",
    };
    client_says(conn, pointer).is_some_and(|value| *value != Value::Bool(false))
}

/// AUTH-004: to log in with a terminal is offered to clients alone that advertised it. (authentication; AuthMethodTerminal)
const TERMINAL: Rule = Rule::check("ACP-AUTH-004", |m, says| {
    let Some(methods) = offered(m).filter(|_| !advertises_terminals(m.conn)) else {
        return;
    };
    says.holds(!methods.iter().any(is_terminal), || {
        Why::new(
            "no way to log in of the type terminal",
            "the client did not advertise auth.terminal, and was offered a way to log in of the type terminal",
        )
    });
});

/// AUTH-005 (v2): the environment of a way to log in has each name once. (v2/agent.rs AuthMethodTerminal.env)
const ENVIRONMENT: Rule = Rule::check("ACP-AUTH-005", |m, says| {
    let Some(methods) = offered(m).filter(|_| m.conn.version() == Version::AcpV2) else {
        return;
    };
    for method in methods.iter().filter(|method| is_terminal(method)) {
        let Some(env) = method.get("env").and_then(Value::as_array) else {
            continue;
        };
        let mut seen = BTreeSet::new();
        let mut names = env.iter().filter_map(|entry| entry.get("name")?.as_str());
        let twice = names.find(|name| !seen.insert(*name));
        says.holds(twice.is_none(), || {
            let name = text::short_to(twice.unwrap_or_default(), 60);
            Why::new(
                "names that stand once",
                format!("env has the name {name} twice"),
            )
        });
    }
});

/// AUTH-009 (v2): ways to log in mean that both methods are there. (v2 authentication#advertising-authentication)
const IMPLEMENTED: Rule = Rule::check("ACP-AUTH-009", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &["auth/login", "auth/logout"]) else {
        return;
    };
    if m.conn.version() == Version::AcpV2 && announces(m.conn, &request.method) {
        says.holds(answer.error_code != Some(-32601), || {
            Why::new(
                format!("{}, since authMethods is not empty", request.method),
                format!(
                    "the agent offers ways to log in, and answers {} with error -32601",
                    request.method
                ),
            )
            .sent(request.text.clone())
        });
    }
});

/// AUTH-010 (v1): a logout that is announced is there. It may fail where nobody is logged in.
/// (v1 authentication#logging-out)
const LOGOUT: Rule = Rule::check("ACP-AUTH-010", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &["logout"]) else {
        return;
    };
    if m.conn.version() != Version::AcpV1 || !announces(m.conn, "logout") {
        return;
    }
    match answer.error_code {
        _ if !answer.is_error => says.upheld(),
        Some(-32601) => says.broken(
            Why::new(
                "logout, since auth.logout is announced",
                "auth.logout is announced, and logout was answered with error -32601",
            )
            .sent(request.text.clone()),
        ),
        _ => says.unclear("nobody may have been logged in"),
    }
});

/// AUTH-011: to log in by a way that is not offered is refused. That the method is missing counts under AUTH-009 in v2.
/// (LoginAuthRequest; robustness)
const UNKNOWN: Rule = Rule::check("ACP-AUTH-011", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &LOGIN) else {
        return;
    };
    let unknown = text_param(request, "methodId").is_some_and(made_up);
    if !unknown || !announces(m.conn, &request.method) {
        return;
    }
    let why = |did: &str| {
        Why::new(
            "an error that refuses the method",
            format!("a way to log in that does not exist {did}"),
        )
        .sent(request.text.clone())
    };
    match answer.error_code {
        _ if !answer.is_error => says.broken(why("was answered with a result")),
        Some(-32601) if m.conn.version() == Version::AcpV1 => {
            says.broken(why(
                "was answered with error -32601, as if there was none at all",
            ));
        }
        Some(-32601) => {}
        Some(-32602) => says.upheld(),
        _ => {
            says.note(format!("{} refuses it; -32602 would say why", told(answer)));
            says.upheld();
        }
    }
});

/// The newest successful request of these methods that was answered before an event.
fn newest<'a>(conn: &'a Conn, methods: &[&str], before: u64) -> Option<&'a Request> {
    conn.requests.iter().rev().find(|request| {
        request.from != conn.target
            && methods.contains(&request.method.as_str())
            && request
                .answer()
                .is_some_and(|it| !it.is_error && it.seq < before)
    })
}

/// A request of these methods was on its way at some time between two events.
fn between(conn: &Conn, methods: &[&str], from: u64, to: u64) -> bool {
    conn.requests.iter().any(|request| {
        request.from != conn.target
            && methods.contains(&request.method.as_str())
            && request.seq < to
            && request.answer().is_none_or(|answer| answer.seq > from)
    })
}

/// A `session/new` before an event was refused for lack of a login, when none had succeeded.
fn was_gated(conn: &Conn, before: u64) -> Option<u64> {
    let refused = conn.requests.iter().find(|request| {
        request.method == "session/new"
            && request
                .answer()
                .is_some_and(|it| wants_login(it) && it.seq < before)
    })?;
    let first_login = newest(conn, &LOGIN, refused.seq);
    first_login.is_none().then_some(refused.seq)
}

/// AUTH-012: after a login nothing fails for lack of one. (authentication)
const LETS_IN: Rule = Rule::check("ACP-AUTH-012", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &["session/new"]) else {
        return;
    };
    let Some(login) = newest(m.conn, &LOGIN, request.seq) else {
        return;
    };
    if was_gated(m.conn, login.seq).is_none() || between(m.conn, &LOGOUTS, login.seq, answer.seq) {
        return;
    }
    says.holds(!wants_login(answer), || {
        Why::new(
            "a session, or an error of another kind",
            "a login succeeded, and session/new still was answered with error -32000",
        )
        .sent(request.text.clone())
    });
});

/// AUTH-013: after a logout a login is required again. Judged on agents that required one before the login; a second
/// session may be refused for other reasons.
/// (authentication#logging-out)
const LETS_OUT: Rule = Rule::check("ACP-AUTH-013", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &["session/new"]) else {
        return;
    };
    let Some(logout) = newest(m.conn, &LOGOUTS, request.seq) else {
        return;
    };
    let Some(login) = newest(m.conn, &LOGIN, logout.seq) else {
        return;
    };
    if was_gated(m.conn, login.seq).is_none() || between(m.conn, &LOGIN, logout.seq, answer.seq) {
        return;
    }
    if answer.is_error && !wants_login(answer) {
        return says.unclear("session/new failed for another reason than a missing login");
    }
    says.holds(wants_login(answer), || {
        Why::new(
            "error -32000",
            format!(
                "a logout succeeded, and session/new was answered with {}",
                told(answer)
            ),
        )
        .sent(request.text.clone())
    });
});

/// AUTH-014: an agent that wants a login offers a way to log in. One that runs in a terminal cannot be offered to every
/// client. (authentication)
const OFFERS_A_WAY: Rule = Rule::check("ACP-AUTH-014", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &["session/new"]) else {
        return;
    };
    if !wants_login(answer) || !m.conn.initialized() {
        return;
    }
    if !methods(m.conn).is_empty() {
        return says.upheld();
    }
    if !advertises_terminals(m.conn) {
        return says.unclear("the only way to log in may be one for clients with terminals");
    }
    says.broken(
        Why::new(
            "a way to log in, in authMethods",
            "session/new was answered with error -32000, and authMethods offers no way to log in",
        )
        .sent(request.text.clone()),
    );
});
