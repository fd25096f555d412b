//! MCP: the servers that a client lists for a session.

use elenchus_protocol::Version;
use serde_json::Value;

use super::session::{asks, capabilities_known};
use crate::{
    fact::Moment,
    kinds::REQUESTS,
    rule::{Rule, Says, Why},
    rules::{
        lifecycle::{absolute, announces, param},
        told::{agent_says, misfit},
    },
    text,
    world::Request,
};

pub(super) const RULES: &[Rule] = &[
    SHAPE_V1.at(&[REQUESTS]),
    SHAPE_V2.at(&[REQUESTS]),
    TRANSPORT.at(&[REQUESTS]),
    NO_SSE.at(&[REQUESTS]),
    COMMAND.at(&[REQUESTS]),
];

/// The request at hand that sets up a session, and the servers that it lists, if there are any.
fn listed<'a>(m: &Moment<'a>) -> Option<(&'a Request, &'a [Value])> {
    let request = asks(m, &["session/new", "session/load", "session/resume"])?;
    let list = param(request, "mcpServers")?.as_array()?;
    (!list.is_empty()).then_some((request, list.as_slice()))
}

/// How a server is reached: by its type, or, in version 1, by being started.
fn transport(server: &Value, version: Version) -> &str {
    match (server.get("type").and_then(Value::as_str), version) {
        (Some(kind), _) => kind,
        (None, Version::AcpV1) => "stdio",
        (None, Version::AcpV2) => "",
    }
}

/// Says what the shape of the version finds in the entries.
fn shape(m: &Moment<'_>, says: &mut Says, version: Version) {
    let Some((request, list)) = listed(m).filter(|_| m.conn.version() == version) else {
        return;
    };
    let typed = |server: &Value| server.get("type").is_some_and(|kind| kind == "stdio");
    if version == Version::AcpV1 && list.iter().any(typed) {
        says.note("a server that is started has a type, which version 1 does not give it");
    }
    let mut clean = true;
    for mismatch in m.mismatches() {
        if mismatch.pointer.starts_with("/mcpServers/") {
            clean = false;
            says.broken(misfit(&request.method, mismatch));
        }
    }
    if clean {
        says.upheld();
    }
}

/// MCP-002 (v1): a server that is started has a name, a command, args and env; another one a type, a name, a url and
/// headers. (v1 session-setup#mcp-servers)
const SHAPE_V1: Rule =
    Rule::check("ACP-MCP-002", |m, says| shape(m, says, Version::AcpV1)).of_client();

/// MCP-003 (v2): each has a type, and what that needs. (v2 session-setup#mcp-servers)
const SHAPE_V2: Rule =
    Rule::check("ACP-MCP-003", |m, says| shape(m, says, Version::AcpV2)).of_client();

/// MCP-004: a transport that an agent need not have is used only where it announces it. In version 1 every agent starts
/// servers; sse in version 2 is MCP-005's. (session-setup#mcp-servers; initialization)
const TRANSPORT: Rule = Rule::check("ACP-MCP-004", |m, says| {
    let Some((request, list)) = listed(m).filter(|_| capabilities_known(m)) else {
        return;
    };
    let version = m.conn.version();
    let flag = |name: &str| {
        let pointer = format!("/agentCapabilities/mcpCapabilities/{name}");
        agent_says(m.conn, &pointer) == Some(&Value::Bool(true))
    };
    for server in list {
        let kind = transport(server, version);
        let announced = match (kind, version) {
            ("http" | "sse", Version::AcpV1) => flag(kind),
            ("http", Version::AcpV2) => announces(m.conn, "mcp.http"),
            ("stdio", Version::AcpV2) => announces(m.conn, "mcp.stdio"),
            _ => continue,
        };
        says.holds(announced, || {
            Why::new(
                format!("no server of the type {kind}"),
                format!(
                    "{} lists a server of the type {kind}, which the agent does not announce",
                    request.method
                ),
            )
        });
    }
})
.of_client();

/// MCP-005 (v2): there is no sse any more. (v2 migration#mcp)
const NO_SSE: Rule = Rule::check("ACP-MCP-005", |m, says| {
    let Some((request, list)) = listed(m).filter(|_| m.conn.version() == Version::AcpV2) else {
        return;
    };
    let sse = list.iter().any(|it| transport(it, Version::AcpV2) == "sse");
    says.holds(!sse, || {
        Why::new(
            "a server of the type http or stdio",
            format!("{} lists a server of the type sse", request.method),
        )
    });
})
.of_client();

/// MCP-009: the command of a server that is started is an absolute path. (session-setup#stdio-transport)
const COMMAND: Rule = Rule::check("ACP-MCP-009", |m, says| {
    let Some((request, list)) = listed(m) else {
        return;
    };
    let version = m.conn.version();
    let started = list.iter().filter(|it| transport(it, version) == "stdio");
    for command in started.filter_map(|it| it.get("command")?.as_str()) {
        says.holds(absolute(command), || {
            Why::new(
                "an absolute path as command",
                format!(
                    "a server of {} is started with {}, which is relative",
                    request.method,
                    text::short_to(command, 120)
                ),
            )
        });
    }
})
.of_client();
