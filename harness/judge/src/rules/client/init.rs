//! INIT: how a client begins, and what it makes of the agent's answer.

use elenchus_protocol::Version;
use elenchus_wire::{Side, Wait};
use serde_json::{Map, Value};

use super::{leaves, opens_session};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    rules::report::quoted,
    world::{Conn, Request},
};

pub(super) const RULES: &[Rule] = &[
    FIRST.at(&[REQUESTS]),
    VERSION.at(&[REQUESTS]),
    UNSUPPORTED.at(&[ANSWERS]),
    PARAMS_V2.at(&[REQUESTS]),
    NO_SESSIONS.at(&[ANSWERS]),
    LENIENT.at(&[ANSWERS]),
    FAILED.at(&[ANSWERS]),
];

/// The request at hand, if a client under test sends it on a connection that was seen from its start.
fn sent<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request)> {
    m.requested()
        .filter(|_| m.judged == Side::Client && m.conn.from_start)
}

/// When `initialize` was answered with a result, if it was.
fn begun(conn: &Conn) -> Option<u64> {
    let mut answers = conn
        .requests
        .iter()
        .filter(|request| request.from == Side::Client && request.method == "initialize")
        .filter_map(Request::answer);
    answers.find(|answer| !answer.is_error).map(|it| it.seq)
}

/// INIT-001: initialize comes first, and no session before its answer. Another request that comes too early is a remark.
/// (initialization)
const FIRST: Rule = Rule::check("ACP-INIT-001", |m, says| {
    let Some((index, request)) = sent(m) else {
        return;
    };
    if m.conn.init.request == Some(index) && request.ordinal == 1 {
        return says.upheld();
    }
    if request.method == "initialize" || begun(m.conn).is_some() {
        return;
    }
    let refused = m.conn.init.request.map(|first| &m.conn.requests[first]);
    let when = match refused.map(Request::is_open) {
        None => "before initialize",
        Some(true) => "before initialize was answered",
        // INIT-034's.
        Some(false) => return,
    };
    let what = format!("{} was sent {when}", request.method);
    if opens_session(&request.method) {
        says.broken(Why::new("the answer to initialize first", what));
    } else {
        says.note(what);
    }
})
.of_client();

/// INIT-003: protocolVersion is an integer. Which one is the latest that the client speaks no trace tells. (crate
/// version.rs)
const VERSION: Rule = Rule::check("ACP-INIT-003", |m, says| {
    let Some((_, request)) = sent(m).filter(|(_, it)| it.method == "initialize") else {
        return;
    };
    let version = request
        .params
        .as_ref()
        .and_then(|params| params.get("protocolVersion"));
    let expected = "an integer from 0 to 65535 as protocolVersion";
    match version {
        Some(version) if version.as_u64().is_some_and(|it| u16::try_from(it).is_ok()) => {
            says.upheld();
        }
        Some(version)
            if version
                .as_f64()
                .is_some_and(|it| it.fract() == 0.0 && it >= 0.0) =>
        {
            says.note("protocolVersion is an integer that not every reader takes for one");
        }
        Some(version) => says.broken(Why::new(
            expected,
            format!("protocolVersion is {}", quoted(version)),
        )),
        None => says.broken(Why::new(expected, "initialize has no protocolVersion")),
    }
})
.of_client();

/// INIT-012: a version that the client cannot speak, since there is no such version, ends the connection: the client
/// opens no session. That it waits to be let go is unclear. (initialization#version-negotiation)
const UNSUPPORTED: Rule = Rule::check_later(
    "ACP-INIT-012",
    |m, says| {
        let Some((index, request)) = m.we_answered() else {
            return;
        };
        let known = |version: u16| Version::from_number(version).is_some();
        let answered = m.conn.init.answered;
        if m.conn.init.request == Some(index)
            && request.answer().is_some_and(|answer| !answer.is_error)
            && answered.is_some_and(|it| !known(it))
            && answered != m.conn.init.requested
        {
            says.watch(Subject::Connection);
        }
    },
    |m, _| match m.fact {
        Fact::Requested(_) => match sent(m) {
            Some((_, request)) if opens_session(&request.method) => Still::Broken(Why::new(
                "the end of the connection",
                format!(
                    "the agent offered a version that does not exist, and {} was sent",
                    request.method
                ),
            )),
            // A second try.
            Some((_, request)) if request.method == "initialize" => Still::Moot,
            _ => Still::Watching,
        },
        _ if leaves(m) => Still::Upheld,
        Fact::Closed(_) | Fact::Exited | Fact::Ended => {
            Still::Unclear("the client did not leave by itself, and asked for nothing".to_owned())
        }
        _ => Still::Watching,
    },
)
.of_client();

/// INIT-015 (v2): params carry info. Missing capabilities, and members of version 1 that an older agent reads, are
/// remarks. (v2/agent.rs InitializeRequest)
const PARAMS_V2: Rule = Rule::check("ACP-INIT-015", |m, says| {
    let Some((index, request)) = sent(m) else {
        return;
    };
    if m.conn.init.request != Some(index) || m.conn.init.requested != Some(2) {
        return;
    }
    let params = request.params.as_ref();
    let has = |name: &str| params.is_some_and(|params| params.get(name).is_some());
    if !has("capabilities") {
        says.note("initialize has no capabilities");
    }
    if has("clientInfo") || has("clientCapabilities") {
        says.note("initialize has members of version 1 as well");
    }
    says.holds(has("info"), || {
        Why::new(
            "info with a name and a version",
            "initialize asks for version 2 and has no info",
        )
    });
})
.of_client();

/// INIT-028 (v2): an agent without `capabilities.session` has no sessions. (v2 initialization; derived)
const NO_SESSIONS: Rule = Rule::ban(
    "ACP-INIT-028",
    |m, says| {
        let Some((index, _)) = m.we_answered() else {
            return;
        };
        let without = m
            .conn
            .init
            .features
            .as_ref()
            .is_some_and(|features| !features.sessions);
        if m.conn.init.request == Some(index)
            && m.conn.init.negotiated == Some(Version::AcpV2)
            && m.conn.init.problems.is_empty()
            && without
        {
            says.watch(Subject::Connection);
        }
    },
    |m, _| match sent(m) {
        Some((_, request)) if opens_session(&request.method) => Still::Broken(Why::new(
            "no session with an agent that has none",
            format!("the agent has no sessions, and {} was sent", request.method),
        )),
        _ if leaves(m) => Still::Upheld,
        _ => Still::Watching,
    },
)
.of_client();

/// INIT-034: where initialize failed, no session follows. Another try is right. (overview#error-handling)
const FAILED: Rule = Rule::ban(
    "ACP-INIT-034",
    |m, says| {
        if let Some((index, request)) = m.we_answered()
            && m.conn.init.request == Some(index)
            && request.answer().is_some_and(|answer| answer.is_error)
        {
            says.watch(Subject::Connection);
        }
    },
    |m, _| match sent(m) {
        Some((_, request)) if request.method == "initialize" => Still::Moot,
        Some((_, request)) if opens_session(&request.method) => Still::Broken(Why::new(
            "no session after an initialize that failed",
            format!("initialize was refused, and {} was sent", request.method),
        )),
        _ if leaves(m) => Still::Upheld,
        _ => Still::Watching,
    },
)
.of_client();

/// The result of our first `initialize` at hand, of a version that both speak.
fn our_result<'a>(m: &Moment<'a>) -> Option<(&'a Map<String, Value>, Version)> {
    let (index, request) = m.we_answered()?;
    let first = m.conn.init.request == Some(index) && m.judged == Side::Client;
    let result = request.result().filter(|_| first)?.as_object()?;
    let asked = m.conn.init.requested == m.conn.init.answered;
    Some((result, m.conn.init.negotiated.filter(|_| asked)?))
}

/// Names that a capability object of an agent may have, wherever they stand in it.
const CAPABILITIES: &[&str] = &[
    "_meta",
    "loadSession",
    "promptCapabilities",
    "mcpCapabilities",
    "sessionCapabilities",
    "auth",
    "session",
    "providers",
    "elicitation",
];

/// The capabilities of an agent, in the shape of the version.
pub(in crate::rules) fn agent_capabilities(result: &Value, version: Version) -> Option<&Value> {
    result.get(match version {
        Version::AcpV1 => "agentCapabilities",
        Version::AcpV2 => "capabilities",
    })
}

/// The agent's capabilities have names that nobody knows.
fn has_unknown_capabilities(result: &Map<String, Value>, version: Version) -> bool {
    let name = match version {
        Version::AcpV1 => "agentCapabilities",
        Version::AcpV2 => "capabilities",
    };
    let members = result.get(name).and_then(Value::as_object);
    members.into_iter().flatten().any(|(name, value)| {
        let meta = name == "_meta" && value.as_object().is_some_and(|meta| !meta.is_empty());
        meta || !CAPABILITIES.contains(&name.as_str())
    })
}

/// INIT-023, of a client: the agent's capabilities have names that nobody knows.
pub(in crate::rules) fn watch_unknown_capabilities(m: &Moment<'_>, says: &mut Says) {
    if our_result(m).is_some_and(|(result, version)| has_unknown_capabilities(result, version)) {
        says.watch(Subject::Connection);
    }
}

/// INIT-037, of a client: a notification comes before the answer to initialize.
pub(in crate::rules) fn watch_early_notification(m: &Moment<'_>, says: &mut Says) {
    let Fact::Notified(index) = m.fact else {
        return;
    };
    let initializing = m
        .conn
        .init
        .request
        .is_some_and(|first| m.conn.requests[first].is_open());
    let theirs = m.conn.notifications[*index].from != m.judged;
    if theirs && initializing && !m.conn.malformed {
        says.watch(Subject::Connection);
    }
}

/// What becomes of a client that has reason to open a session, whatever the agent's answer holds besides: it opens one.
/// Certain where it did so on another connection of this trace, and nothing else was amiss there.
pub(in crate::rules) fn goes_on_to_a_session(m: &Moment<'_>, _: &Watch, what: &str) -> Still {
    let broken = |how: &str| {
        if !elsewhere(m) {
            return Still::Unclear(format!(
                "{what}, and the client opened no session, here or elsewhere"
            ));
        }
        Still::Broken(
            Why::new(
                "a session, as on the other connection",
                format!("{what}, and {how}"),
            )
            .got(how.to_owned()),
        )
    };
    match m.fact {
        Fact::Requested(_) => match sent(m) {
            Some((_, request)) if opens_session(&request.method) => Still::Upheld,
            _ => Still::Watching,
        },
        Fact::Deadline(Wait::Request { method }) if opens_session(method) => {
            broken("the client opened no session")
        }
        _ if leaves(m) => broken("the client left without a session"),
        Fact::Exited => {
            Still::Unclear("the connection ended before a session was opened".to_owned())
        }
        Fact::Ended => Still::Unclear("the recording ended".to_owned()),
        _ => Still::Watching,
    }
}

/// On another connection of the same version the client opened a session.
fn elsewhere(m: &Moment<'_>) -> bool {
    m.world.conns.values().any(|conn| {
        conn.id != m.conn.id
            && conn.target == Side::Client
            && conn.init.requested == m.conn.init.requested
            && conn.init.negotiated == m.conn.init.negotiated
            && conn
                .requests
                .iter()
                .any(|it| it.from == Side::Client && opens_session(&it.method))
    })
}

/// INIT-022, of a client: on another connection the agent has other capabilities, all of them proper ones.
pub(in crate::rules) fn watch_other_capabilities(m: &Moment<'_>, says: &mut Says) {
    let Some((result, version)) = our_result(m) else {
        return;
    };
    let named = |conn: &Conn| {
        let initialize = conn.init.request.map(|index| &conn.requests[index])?;
        let result = initialize.result()?;
        Some(agent_capabilities(result, version).cloned())
    };
    let plain = |name: &String| {
        matches!(
            name.as_str(),
            "protocolVersion"
                | "agentCapabilities"
                | "capabilities"
                | "agentInfo"
                | "info"
                | "authMethods"
        )
    };
    let here = named(m.conn);
    let other = m.world.conns.values().any(|conn| {
        conn.id != m.conn.id
            && conn.init.problems.is_empty()
            && conn.init.negotiated == m.conn.init.negotiated
            && named(conn) != here
    });
    if other
        && m.conn.init.problems.is_empty()
        && result.keys().all(plain)
        && !has_unknown_capabilities(result, version)
    {
        says.watch(Subject::Connection);
    }
}

/// INIT-033: members that nobody knows, nulls, and ways to log in of an unknown kind in the result are no reason to stop.
/// (extensibility; robustness)
const LENIENT: Rule = Rule::check_later(
    "ACP-INIT-033",
    |m, says| {
        let Some((result, _)) = our_result(m) else {
            return;
        };
        let known = |name: &str| {
            matches!(
                name,
                "protocolVersion"
                    | "agentCapabilities"
                    | "capabilities"
                    | "agentInfo"
                    | "info"
                    | "authMethods"
            )
        };
        let odd_member = result
            .iter()
            .any(|(name, value)| value.is_null() || !known(name));
        let methods = result.get("authMethods").and_then(Value::as_array);
        let odd_method = methods.into_iter().flatten().any(|method| {
            let kind = method.get("type").and_then(Value::as_str);
            kind.is_some_and(|kind| !matches!(kind, "agent" | "terminal" | "env_var"))
        });
        if odd_member || odd_method {
            says.watch(Subject::Connection);
        }
    },
    |m, watch| {
        goes_on_to_a_session(
            m,
            watch,
            "the answer to initialize had members that nobody knows, or nulls",
        )
    },
)
.of_client();
