//! MCP: the servers that a client lists for a session, as far as the agent's own wire shows what becomes of them.

use std::collections::BTreeSet;

use elenchus_protocol::Version;
use elenchus_wire::EventKind;
use serde_json::Value;

use super::{
    lifecycle::{absolute, announces, answer_to, made_up, param, told, wants_login},
    views::death,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Why},
    text,
    world::{Answered, Request},
};

pub(super) const RULES: &[Rule] = &[
    STDIO.at(&[ANSWERS]),
    TRANSPORT.at(&[ANSWERS]),
    SAME_NAME.at(&[ANSWERS]),
    RELATIVE.at(&[ANSWERS]),
    ANSWERED.at(&[REQUESTS]),
    KEPT_SECRET.at(&[REQUESTS]),
];

/// The servers that a request lists, if there are any.
fn servers(request: &Request) -> Option<&[Value]> {
    let list = param(request, "mcpServers")?.as_array()?;
    (!list.is_empty()).then_some(list.as_slice())
}

/// The answer at hand to a `session/new` with servers, in this version.
fn answered<'a>(
    m: &Moment<'a>,
    version: Version,
) -> Option<(&'a Request, &'a Answered, &'a [Value])> {
    let (_, request, answer) = answer_to(m, &["session/new"])?;
    let servers = servers(request).filter(|_| m.conn.version() == version)?;
    Some((request, answer, servers))
}

/// A server that the agent starts, with an absolute command and all that its version asks for.
fn is_stdio(server: &Value, version: Version) -> bool {
    let is = |name: &str, right: fn(&Value) -> bool| server.get(name).is_some_and(right);
    let kind = server.get("type");
    let of_version = match version {
        Version::AcpV1 => {
            kind.is_none() && is("args", Value::is_array) && is("env", Value::is_array)
        }
        Version::AcpV2 => kind.is_some_and(|kind| kind == "stdio"),
    };
    let command = server.get("command").and_then(Value::as_str);
    of_version && is("name", Value::is_string) && command.is_some_and(absolute)
}

/// MCP-001 (v1): servers that the agent starts are accepted. Judged on a request that lists some, and on the same one
/// that lists none after it; that they are connected, this wire does not show. A server may also fail to work.
/// (session-setup#mcp-servers)
const STDIO: Rule = Rule::check("ACP-MCP-001", |m, says| {
    if let Some((_, answer, servers)) = answered(m, Version::AcpV1) {
        if !answer.is_error && servers.iter().all(|it| is_stdio(it, Version::AcpV1)) {
            says.upheld();
        }
        return;
    }
    let Some((index, request, answer)) = answer_to(m, &["session/new"]) else {
        return;
    };
    if answer.is_error || m.conn.version() != Version::AcpV1 {
        return;
    }
    let twin = m.conn.requests[..index].iter().rev().find(|it| {
        it.from != m.judged
            && it.method == "session/new"
            && param(it, "cwd") == param(request, "cwd")
            && servers(it).is_some_and(|list| list.iter().all(|it| is_stdio(it, Version::AcpV1)))
    });
    let Some((twin, refused)) = twin.and_then(|it| Some((it, it.answer()?))) else {
        return;
    };
    match refused.error_code {
        Some(-32601 | -32602) => says.broken(
            Why::new(
                "a session",
                format!(
                    "session/new with a server to be started was answered with {}, and succeeds without it",
                    told(refused)
                ),
            )
            .sent(twin.text.clone())
            .got(refused.text.clone()),
        ),
        _ if refused.is_error => says.unclear("the server may not have worked for this agent"),
        _ => {}
    }
});

/// Says whether a server is refused, and how: any other error than -32602 is a remark.
fn refused(says: &mut Says, request: &Request, answer: &Answered, what: &str) {
    if wants_login(answer) {
        return says.unclear("the agent wants a login first");
    }
    if answer.is_error && answer.error_code != Some(-32602) {
        return says.note(format!(
            "{what} was refused with {}, not with -32602",
            told(answer)
        ));
    }
    says.holds(answer.is_error, || {
        Why::new(
            "error -32602",
            format!("{what} was listed, and session/new was answered with a result"),
        )
        .sent(request.text.clone())
    });
}

/// MCP-006 (v2): a transport that does not exist is refused with -32602, and so is HTTP where it is not announced; the
/// agent may know it all the same. (v2/agent.rs McpServer::Other)
const TRANSPORT: Rule = Rule::check("ACP-MCP-006", |m, says| {
    let Some((request, answer, [server])) = answered(m, Version::AcpV2) else {
        return;
    };
    let kind = server
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if kind.starts_with("_elenchus") {
        if wants_login(answer) {
            return says.unclear("the agent wants a login first");
        }
        says.holds(answer.error_code == Some(-32602), || {
            Why::new(
                "error -32602",
                format!(
                    "a server with a transport that does not exist was listed, and session/new was answered with {}",
                    told(answer)
                ),
            )
            .sent(request.text.clone())
        });
    } else if kind == "http" && !announces(m.conn, "mcp.http") {
        if answer.error_code == Some(-32602) {
            says.upheld();
        } else {
            says.note(format!(
                "a server over HTTP, which is not announced, was answered with {}",
                told(answer)
            ));
        }
    }
});

/// MCP-007 (v2): two servers of one name are refused with -32602. (v2/agent.rs McpServerStdio.name)
const SAME_NAME: Rule = Rule::check("ACP-MCP-007", |m, says| {
    let Some((request, answer, servers)) = answered(m, Version::AcpV2) else {
        return;
    };
    let usable = servers.iter().all(|it| is_stdio(it, Version::AcpV2));
    let names: BTreeSet<&str> = servers
        .iter()
        .filter_map(|it| it.get("name")?.as_str())
        .collect();
    if usable && names.len() < servers.len() && announces(m.conn, "mcp.stdio") {
        refused(says, request, answer, "a second server of the same name");
    }
});

/// MCP-008 (v2): a relative command is refused with -32602. (v2/agent.rs McpServerStdio.command)
const RELATIVE: Rule = Rule::check("ACP-MCP-008", |m, says| {
    let Some((request, answer, [server])) = answered(m, Version::AcpV2) else {
        return;
    };
    let command = server.get("command").and_then(Value::as_str);
    let stdio = server.get("type").is_some_and(|kind| kind == "stdio");
    let relative = command.is_some_and(|command| !command.is_empty() && !absolute(command));
    if stdio && relative && announces(m.conn, "mcp.stdio") {
        refused(says, request, answer, "a server with a relative command");
    }
});

/// The command does not exist, so that there is nothing to wait for.
fn cannot_start(server: &Value) -> bool {
    let command = server.get("command").and_then(Value::as_str);
    command.is_some_and(|command| command.starts_with("/nonexistent"))
}

/// MCP-011: a server that cannot be started, or never answers, is no reason not to answer, nor to die. How long an agent
/// gives a server that is silent is its own affair. (session-setup#mcp-servers; robustness)
const ANSWERED: Rule = Rule::check_later(
    "ACP-MCP-011",
    |m, says| {
        if let Some((index, request)) = m.asked()
            && request.method == "session/new"
            && servers(request).is_some()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let what = "a session/new with an MCP server was sent";
        if let Some(dead) = death(m, watch, "an answer, be it an error", what) {
            return dead;
        }
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        match m.fact {
            Fact::Answered { request, nth: 1 } if *request == index => Still::Upheld,
            Fact::Deadline(elenchus_wire::Wait::Answer { id }) if id == request.id.text() => {
                if m.conn.target_waits_for_us() {
                    Still::Unclear(
                        "the agent waited for an answer to a question of its own".to_owned(),
                    )
                } else if servers(request).is_some_and(|servers| servers.iter().any(cannot_start)) {
                    Still::Broken(
                        Why::new(
                            "an answer, be it an error",
                            "session/new with an MCP server that cannot be started was not answered",
                        )
                        .got("nothing")
                        .sent(request.text.clone()),
                    )
                } else {
                    Still::Unclear("the agent may still be waiting for the server".to_owned())
                }
            }
            _ => Still::Watching,
        }
    },
);

/// The texts that a server is given in its environment or its headers, of those that Elenchus made up.
fn given(server: &Value) -> impl Iterator<Item = &str> {
    let of = |name: &str| server.get(name).and_then(Value::as_array);
    let entries = of("env").into_iter().chain(of("headers")).flatten();
    entries
        .filter_map(|entry| entry.get("value")?.as_str())
        .filter(|value| made_up(value) && value.len() >= 20)
}

/// MCP-012: what a server is given in its environment stays out of what the agent says.
/// (session-setup#mcp-servers; robustness)
const KEPT_SECRET: Rule = Rule::ban(
    "ACP-MCP-012",
    |m, says| {
        if let Some((_, request)) = m.asked() {
            for value in servers(request).into_iter().flatten().flat_map(given) {
                says.watch_for(Subject::Connection, value);
            }
        }
    },
    |m, watch| {
        let theirs = matches!(&m.event.kind, EventKind::Frame { from, .. } if *from == m.judged);
        let tells = theirs && m.text().is_some_and(|text| text.contains(&watch.memo));
        if tells {
            Still::Broken(Why::new(
                "no value of a server's environment",
                format!(
                    "the agent tells the value {}, which is for the environment of an MCP server",
                    text::short_to(&watch.memo, 60)
                ),
            ))
        } else {
            Still::Watching
        }
    },
);
