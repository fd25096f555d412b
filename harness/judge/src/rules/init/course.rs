//! INIT, the part about the course of a connection: odd versions, early and late messages, what clients may lack.

use elenchus_protocol::{Version, acp::methods};
use elenchus_wire::Side;
use serde_json::Value;

use super::{capabilities, client, initialized, opening, params, shape};
use crate::{
    fact::{Fact, Moment},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    rules::{jsonrpc::needs_nobody, lifecycle::proper},
    world::{Answered, Conn, Request},
};

/// What becomes of an initialize that cannot be right: an error is right, a result a remark made elsewhere, and an end
/// of the process or silence is broken.
fn refused(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let request = &m.conn.requests[index];
    let broken = |how: &str| {
        Still::Broken(
            Why::new("an error", format!("{what}, and {how}"))
                .sent(request.text.clone())
                .got("no answer"),
        )
    };
    match (request.answer(), m.fact) {
        (Some(_), _) => Still::Upheld,
        (None, Fact::Exited) => match m.died() {
            Some(how) if m.newest_is(request.seq) => broken(&how),
            _ => Still::Unclear("initialize was not answered".to_owned()),
        },
        (None, Fact::Deadline(_)) if request.overdue == Some(m.event.seq) => {
            broken("it was not answered")
        }
        (None, _) => Still::Watching,
    }
}

/// The first initialize of ours.
fn first<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request)> {
    let (index, request) = m.asked()?;
    (m.conn.init.request == Some(index) && request.well_formed).then_some((index, request))
}

/// INIT-010: a protocolVersion of a wrong type or out of range, or none, is refused. A result is a remark. (crate
/// version.rs)
pub(super) const ODD_VERSION: Rule = Rule::check_later(
    "ACP-INIT-010",
    |m, says| {
        let odd = |request: &Request| {
            let version = params(request)
                .get("protocolVersion")
                .and_then(Value::as_u64);
            version.is_none_or(|version| version > u64::from(u16::MAX))
        };
        if let Some((index, request)) = first(m)
            && odd(request)
        {
            says.watch(Subject::Request(index));
        } else if let Some((request, answer)) = initialized(m)
            && odd(request)
        {
            remark(says, answer, "a protocolVersion that is none");
        }
    },
    |m, watch| refused(m, watch, "initialize had a protocolVersion that is none"),
);

fn remark(says: &mut Says, answer: &Answered, what: &str) {
    match answer.error_code {
        Some(-32602) => {}
        Some(code) => says.note(format!(
            "{what} was refused with {code} and not with -32602"
        )),
        None => says.note(format!("{what} was answered with a result")),
    }
}

/// INIT-017 (v1): agentInfo is provided, and clientInfo. What is wrong within is the schema's. (v1
/// initialization#implementation-information)
pub(super) const OWN_INFO: Rule = Rule::check("ACP-INIT-017", |m, says| {
    if let Some((params, Version::AcpV1)) = opening(m) {
        let provided = params.get("clientInfo").is_some_and(|info| !info.is_null());
        return says.holds(provided, || {
            Why::new(
                "clientInfo with a name and a version",
                "initialize does not say who the client is",
            )
        });
    }
    let Some((_, answer)) = initialized(m).filter(|_| m.judged == Side::Server) else {
        return;
    };
    let Some(result) = answer.result.as_ref().filter(|_| !answer.is_error) else {
        return;
    };
    if shape(m) != Some(Version::AcpV1) || !result.is_object() {
        return;
    }
    let provided = result.get("agentInfo").is_some_and(|info| !info.is_null());
    says.holds(provided, || {
        Why::new(
            "agentInfo with a name and a version",
            "the result does not say who the agent is",
        )
    });
})
.of_both();

/// INIT-018 (v2): an initialize without info or capabilities is refused. A result is a remark. (v2/agent.rs
/// InitializeRequest)
pub(super) const LACKS_MEMBERS: Rule = Rule::check_later(
    "ACP-INIT-018",
    |m, says| {
        let lacking = |request: &Request| {
            let version = params(request)
                .get("protocolVersion")
                .and_then(Value::as_u64);
            let object = |name| params(request).get(name).is_some_and(Value::is_object);
            version == Some(2) && !object("info")
        };
        if !m.world.speaks(2) {
            return;
        }
        if let Some((index, request)) = first(m)
            && lacking(request)
        {
            says.watch(Subject::Request(index));
        } else if let Some((request, answer)) = initialized(m)
            && lacking(request)
        {
            remark(says, answer, "an initialize of version 2 without info");
        }
    },
    |m, watch| refused(m, watch, "initialize had no info"),
);

/// INIT-022: no set of capabilities is too small or too large to open a session. Broken only where the same agent opened
/// one, with the same params, for a client with other capabilities. (initialization#capabilities)
pub(super) const ANY_CAPABILITIES: Rule = Rule::check_later(
    "ACP-INIT-022",
    |m, says| match m.judged {
        Side::Server => any_client(m, says),
        Side::Client => client::watch_other_capabilities(m, says),
    },
    |m, watch| {
        let what = "the agent has other capabilities than on another connection";
        client::goes_on_to_a_session(m, watch, what)
    },
)
.of_both();

fn any_client(m: &Moment<'_>, says: &mut Says) {
    let Some((_, request)) = m.answered() else {
        return;
    };
    if request.method != "session/new" || !request.well_formed || !m.conn.initialized() {
        return;
    }
    let Some(answer) = request.answer() else {
        return;
    };
    let Some(other) = m
        .world
        .conns
        .values()
        .find(|conn| opened_elsewhere(m, conn, request))
    else {
        return;
    };
    match answer.error_code {
        Some(-32000) => says.unclear("it asks for a login"),
        _ => says.holds(!answer.is_error, || {
            let set = |conn: &Conn| {
                let initialize = conn.init.request.map(|index| &conn.requests[index]);
                initialize
                    .and_then(capabilities)
                    .unwrap_or(&Value::Null)
                    .to_string()
            };
            Why::new(
                "a session, whatever the client can do",
                format!(
                    "with the capabilities {} a session was opened, and with {} it was refused",
                    crate::text::short_to(&set(other), 160),
                    crate::text::short_to(&set(m.conn), 160),
                ),
            )
            .sent(request.text.clone())
        }),
    }
}

/// On this other connection of the same version the same session/new gave a session, to a client with other
/// capabilities that was a proper one.
fn opened_elsewhere(m: &Moment<'_>, conn: &Conn, request: &Request) -> bool {
    let advertised = |conn: &Conn| {
        let initialize = conn.init.request.map(|index| &conn.requests[index])?;
        super::conforming(initialize, conn.version().number())
            .then(|| capabilities(initialize).cloned())
    };
    let (Some(here), Some(there)) = (advertised(m.conn), advertised(conn)) else {
        return false;
    };
    conn.id != m.conn.id
        && here != there
        && conn.init.negotiated == m.conn.init.negotiated
        && conn.requests.iter().any(|other| {
            other.from == request.from
                && other.method == request.method
                && other.params == request.params
                && other.answer().is_some_and(|answer| !answer.is_error)
        })
}

/// Whether the agent announces this method, if it is one that an agent may leave out. Logging out is not tried.
fn announces(conn: &Conn, method: &str) -> Option<bool> {
    const OPTIONAL: &[&str] = &[
        "session/list",
        "session/load",
        "session/resume",
        "session/close",
        "session/delete",
        "authenticate",
        "auth/login",
    ];
    // What an agent announces in another version's shape, or in none, says nothing of what it leaves out.
    let init = &conn.init;
    let read = init.problems.is_empty() && init.requested == init.answered;
    let defined = methods::method(conn.version(), method).is_some();
    let features = init
        .features
        .as_ref()
        .filter(|features| features.sessions)?;
    (read && defined && OPTIONAL.contains(&method)).then(|| features.announced.contains(&method))
}

/// The method is one that an agent may leave out, and this one does not announce it.
pub(in crate::rules) fn unannounced(conn: &Conn, method: &str) -> bool {
    announces(conn, method) == Some(false)
}

/// INIT-024: what the agent has it announces. An unannounced method that answers with an error is JSONRPC-010's.
/// (initialization#agent-capabilities)
pub(super) const ANNOUNCES_WHAT_IT_HAS: Rule = Rule::check("ACP-INIT-024", |m, says| {
    let Some((_, request)) = m.answered() else {
        return;
    };
    // In version 1 it is among the methods that every agent has, whether it offers a way to log in or not.
    // (overview#agent)
    if request.method == "authenticate" {
        return;
    }
    let Some(answer) = request
        .answer()
        .filter(|_| m.conn.initialized() && request.well_formed)
    else {
        return;
    };
    let Some(announced) = announces(m.conn, &request.method) else {
        return;
    };
    if announced {
        // It works, and is announced; where it does not work, nothing shows.
        if !answer.is_error {
            says.upheld();
        }
    } else if answer.error_code == Some(-32601) {
        says.upheld();
    } else if !answer.is_error {
        says.broken(
            Why::new(
                "a capability that announces it, or error -32601",
                format!(
                    "{} was answered with a result, and the agent does not announce it",
                    request.method
                ),
            )
            .sent(request.text.clone()),
        );
    }
});

/// INIT-030: a second initialize after other traffic does not disturb the sessions that there are: a turn in one of them
/// ends as ever. If it is answered with a result at all, then with the same version. (v2/agent.rs)
pub(super) const SECOND_INITIALIZE: Rule = Rule::check_later(
    "ACP-INIT-030",
    |m, says| match m.fact {
        Fact::Answered { request, nth: 1 } => {
            let index = *request;
            let request = &m.conn.requests[index];
            let Some(answer) = request.answer().filter(|_| is_second(m.conn, index)) else {
                return;
            };
            let version = answer
                .result
                .as_ref()
                .and_then(|result| result.get("protocolVersion")?.as_u64());
            match answer.error_code {
                Some(-32600) => {}
                Some(code) => says.note(format!(
                    "a second initialize was refused with {code}, not -32600"
                )),
                None if version != m.conn.init.answered.map(u64::from) => says.broken(
                    Why::new(
                        "an error, or the version that was negotiated",
                        "a second initialize was answered with another version than the first",
                    )
                    .sent(request.text.clone()),
                ),
                None => {}
            }
        }
        Fact::TurnStarted(turn) if m.judged == m.conn.target => {
            let turn_ = &m.conn.turns[*turn];
            let prompt = &m.conn.requests[turn_.request];
            let second = second(m.conn);
            let made_before = |request: &Request| {
                second.is_some_and(|second| {
                    request
                        .answer()
                        .is_some_and(|answer| answer.seq < second.seq)
                }) && request
                    .result()
                    .and_then(|result| result.get("sessionId")?.as_str())
                    == Some(&turn_.session)
            };
            if second.is_some_and(|second| second.seq < prompt.seq)
                && proper(m.conn, prompt)
                && m.conn.requests.iter().any(made_before)
            {
                says.watch(Subject::Turn(*turn));
            }
        }
        _ => {}
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let prompt = &m.conn.requests[turn.request];
        let lost = |what: String| {
            Still::Broken(Why::new("a session that goes on", what).sent(prompt.text.clone()))
        };
        match (&turn.ended, m.fact) {
            (Some(end), _) => match end.error {
                Some(code @ (-32002 | -32600 | -32602)) => lost(format!(
                    "after a second initialize, a session from before was answered with {code}"
                )),
                Some(_) => Still::Unclear("the turn failed, perhaps for another reason".to_owned()),
                None => Still::Upheld,
            },
            (None, Fact::Exited) => match m.died() {
                Some(how) if m.newest_is(prompt.seq) => lost(format!(
                    "after a second initialize, a session was prompted, and {how}"
                )),
                _ => Still::Unclear("the connection ended before the turn did".to_owned()),
            },
            (None, _) => Still::Watching,
        }
    },
);

/// An initialize of ours that came after the first one was answered, and after something else.
fn is_second(conn: &Conn, index: usize) -> bool {
    let request = &conn.requests[index];
    let first = conn.init.request.filter(|first| *first != index);
    let answered = first.is_some_and(|first| {
        conn.requests[first]
            .answer()
            .is_some_and(|answer| !answer.is_error && answer.seq < request.seq)
    });
    request.method == "initialize" && request.from != conn.target && answered
}

fn second(conn: &Conn) -> Option<&Request> {
    (0..conn.requests.len())
        .find(|&index| is_second(conn, index))
        .map(|index| &conn.requests[index])
}

/// A request of ours that came before anything was initialized, at its answer.
fn early<'a>(m: &Moment<'a>) -> Option<(&'a Request, &'a Answered)> {
    let (index, request) = m.answered()?;
    (is_early(m.conn, index)).then_some((request, request.answer()?))
}

/// Nothing but this request was sent before, and it is no initialize.
fn is_early(conn: &Conn, index: usize) -> bool {
    let request = &conn.requests[index];
    let before = conn
        .init
        .request
        .is_none_or(|first| conn.requests[first].seq > request.seq);
    conn.from_start
        && before
        && request.method != "initialize"
        && request.well_formed
        && request.ordinal == 1
}

/// What an early request must not do to the agent: end it.
fn outlives_early(m: &Moment<'_>, watch: &Watch) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let request = &m.conn.requests[index];
    match m.fact {
        _ if !request.is_open() => Still::Moot,
        Fact::Exited => match m.died() {
            Some(how) if m.newest_is(request.seq) => Still::Broken(
                Why::new(
                    "an error -32600",
                    format!("{} came before initialize, and {how}", request.method),
                )
                .sent(request.text.clone()),
            ),
            _ => Still::Moot,
        },
        _ => Still::Watching,
    }
}

fn watch_early(m: &Moment<'_>, says: &mut Says) {
    if let Some((index, _)) = m.asked()
        && is_early(m.conn, index)
    {
        says.watch(Subject::Request(index));
    }
}

/// INIT-031 (v2): a request before initialize is refused with -32600. Another code is a remark.
/// (agent-client-protocol 5.2.0 protocol_compat.rs; derived)
pub(super) const EARLY_V2: Rule = Rule::check_later(
    "ACP-INIT-031",
    |m, says| {
        if m.conn.version() != Version::AcpV2 {
            return;
        }
        watch_early(m, says);
        let Some((request, answer)) = early(m) else {
            return;
        };
        match answer.error_code {
            Some(-32600) => says.upheld(),
            _ if answer.is_error => {
                says.upheld();
                says.note("a request before initialize was refused with another code than -32600");
            }
            _ => says.broken(
                Why::new(
                    "error -32600",
                    format!("{} was carried out before initialize", request.method),
                )
                .sent(request.text.clone()),
            ),
        }
    },
    outlives_early,
);

/// INIT-036 (v1): a request before initialize does no harm. That it is carried out is a remark. (agent-client-protocol
/// 5.2.0 protocol_compat.rs; derived)
pub(super) const EARLY_V1: Rule = Rule::check_later(
    "ACP-INIT-036",
    |m, says| {
        if m.conn.version() != Version::AcpV1 {
            return;
        }
        watch_early(m, says);
        let Some((request, answer)) = early(m) else {
            return;
        };
        says.upheld();
        if !answer.is_error {
            says.note(format!(
                "{} was carried out before initialize",
                request.method
            ));
        }
    },
    outlives_early,
);

/// INIT-032: initialize is answered within the time that a start may take. (initialization)
pub(super) const PROMPT_START: Rule = Rule::check_later(
    "ACP-INIT-032",
    |m, says| {
        if let Some((index, _)) = first(m)
            && m.conn
                .init
                .requested
                .is_some_and(|version| m.world.speaks(version))
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        match m.fact {
            _ if !request.is_open() => Still::Upheld,
            // It was answered, under an id that is JSONRPC-006's.
            Fact::Orphan(index) if m.conn.orphans[*index].from == m.judged => Still::Moot,
            Fact::Deadline(_) if request.overdue == Some(m.event.seq) => Still::Broken(
                Why::new(
                    "an answer without waiting for a network, a login or a person",
                    format!("initialize was not answered: {}", m.frame()),
                )
                .sent(request.text.clone())
                .got("nothing"),
            ),
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
);

/// The request came between initialize and its answer.
pub(in crate::rules) fn while_initializing(conn: &Conn, request: &Request) -> bool {
    let first = conn.init.request.map(|index| &conn.requests[index]);
    request.method != "initialize"
        && first.is_some_and(|first| {
            first.seq < request.seq && first.answer().is_none_or(|answer| answer.seq > request.seq)
        })
}

/// INIT-037: what comes between initialize and its answer is answered or refused, not lost. (initialization)
pub(super) const NOTHING_LOST: Rule = Rule::check_later(
    "ACP-INIT-037",
    |m, says| {
        if m.judged == Side::Client {
            client::watch_early_notification(m, says);
        } else if let Some((index, request)) = m.asked()
            && request.well_formed
            && while_initializing(m.conn, request)
            && needs_nobody(m.conn, request)
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            let what = "a notification came before the answer to initialize";
            return client::goes_on_to_a_session(m, watch, what);
        };
        let request = &m.conn.requests[index];
        let broken = |how: &str| {
            Still::Broken(
                Why::new(
                    "an answer to each of both",
                    format!("{} came right after initialize, and {how}", request.method),
                )
                .sent(request.text.clone())
                .got("no answer"),
            )
        };
        match m.fact {
            _ if !request.is_open() => Still::Upheld,
            Fact::Exited => match m.died() {
                Some(how) if m.newest_is(request.seq) => broken(&how),
                _ if request.overdue.is_some() && m.conn.read_mark > request.seq => {
                    broken("it was never answered, and a later request was")
                }
                _ => Still::Unclear("the connection ended before it was answered".to_owned()),
            },
            _ => Still::Watching,
        }
    },
)
.of_both();
