//! AUTH: how a client logs in and out.

use elenchus_protocol::Version;
use serde_json::Value;

use super::{
    leaves,
    session::{asks, capabilities_known},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Still, Subject, Why},
    rules::{
        lifecycle::{made, text_param},
        told::agent_says,
    },
    text,
};

pub(super) const RULES: &[Rule] = &[
    METHOD.at(&[REQUESTS]),
    NO_METHODS.at(&[REQUESTS]),
    LOGOUT.at(&[REQUESTS]),
    LOGS_IN.at(&[ANSWERS]),
];

const LOGIN: [&str; 2] = ["authenticate", "auth/login"];

/// The ways to log in that the agent offers.
fn methods<'a>(m: &Moment<'a>) -> &'a [Value] {
    let methods = agent_says(m.conn, "/authMethods").and_then(Value::as_array);
    methods.map_or(&[], Vec::as_slice)
}

/// The id of a way to log in, as its version names it.
fn id_of(method: &Value, version: Version) -> Option<&str> {
    let name = match version {
        Version::AcpV1 => "id",
        Version::AcpV2 => "methodId",
    };
    method.get(name)?.as_str()
}

/// The method is one that the agent itself carries out when it is called.
fn is_called(method: &Value) -> bool {
    let kind = method.get("type").and_then(Value::as_str);
    kind.is_none_or(|kind| kind != "terminal")
}

/// AUTH-006: a client logs in by a way that the agent offers, and that is none of a terminal. Where none is offered in v2
/// at all, that is AUTH-007's. (authentication)
const METHOD: Rule = Rule::check("ACP-AUTH-006", |m, says| {
    let Some(request) = asks(m, &LOGIN).filter(|_| capabilities_known(m)) else {
        return;
    };
    let version = m.conn.version();
    if methods(m).is_empty() && version == Version::AcpV2 {
        return;
    }
    let Some(id) = text_param(request, "methodId") else {
        return;
    };
    let offered = methods(m)
        .iter()
        .find(|method| id_of(method, version) == Some(id));
    let id = text::short_to(id, 60);
    match offered {
        None => says.broken(Why::new(
            "a method that the agent offers",
            format!(
                "{} was called with the method {id}, which the agent does not offer",
                request.method
            ),
        )),
        Some(method) => says.holds(is_called(method), || {
            Why::new(
                "to run a method of the type terminal in a terminal",
                format!(
                    "{} was called with the method {id}, which is one of a terminal",
                    request.method
                ),
            )
        }),
    }
})
.of_client();

/// AUTH-007 (v2): where no way to log in is offered, a client logs neither in nor out. (v2 authentication)
const NO_METHODS: Rule = Rule::check("ACP-AUTH-007", |m, says| {
    let Some(request) = asks(m, &["auth/login", "auth/logout"]) else {
        return;
    };
    if m.conn.version() != Version::AcpV2 || !capabilities_known(m) {
        return;
    }
    says.holds(!methods(m).is_empty(), || {
        Why::new(
            format!("no {}", request.method),
            format!(
                "{} was called, and the agent offers no way to log in",
                request.method
            ),
        )
    });
})
.of_client();

/// AUTH-008 (v1): a client logs out where the agent announces that it can. (v1 authentication#logging-out)
const LOGOUT: Rule = Rule::check("ACP-AUTH-008", |m, says| {
    if asks(m, &["logout"]).is_none() || !capabilities_known(m) {
        return;
    }
    if m.conn.version() != Version::AcpV1 {
        return;
    }
    let announced = agent_says(m.conn, "/agentCapabilities/auth/logout");
    says.holds(announced.is_some_and(Value::is_object), || {
        Why::new(
            "no logout",
            "logout was called, and the agent does not announce it",
        )
    });
})
.of_client();

/// AUTH-015: where a session wants a login, a client logs in and tries again. One that waits may be asking a person.
/// (authentication; session-setup)
const LOGS_IN: Rule = Rule::check_later(
    "ACP-AUTH-015",
    |m, says| {
        if let Some((index, request)) = m.we_answered()
            && request.method == "session/new"
            && m.under_test()
            && request.error_code() == Some(-32000)
            && methods(m).iter().any(is_called)
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, _| match m.fact {
        Fact::Requested(_) if asks(m, &LOGIN).is_some() => Still::Upheld,
        // It has got a session in another way.
        Fact::Answered { request, nth: 1 } if made(&m.conn.requests[*request]).is_some() => {
            Still::Moot
        }
        _ if leaves(m) => Still::Broken(
            Why::new(
                "a login by a method that the agent offers, and another try",
                "session/new was refused for lack of a login, and the client left",
            )
            .got("the end of the stream"),
        ),
        Fact::Closed(_) | Fact::Exited | Fact::Ended => {
            Still::Unclear("the client did not log in, and may have asked a person".to_owned())
        }
        _ => Still::Watching,
    },
)
.of_client();
