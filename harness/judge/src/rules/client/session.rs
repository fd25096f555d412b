//! SESSION and DIRS: what a client asks for when it opens a session, and how it names one later.

use elenchus_protocol::Version;
use elenchus_wire::Side;
use serde_json::Value;

use crate::{
    fact::Moment,
    kinds::REQUESTS,
    rule::{Rule, Says, Why},
    rules::{
        lifecycle::{absolute, announces, param, session_of, text_param},
        report::quoted,
        told::agent_says,
    },
    text,
    world::Request,
};

pub(super) const RULES: &[Rule] = &[
    NEW.at(&[REQUESTS]),
    PATHS.at(&[REQUESTS]),
    SYSTEM_PROMPT.at(&[REQUESTS]),
    VERBATIM.at(&[REQUESTS]),
    DIRECTORIES_GATED.at(&[REQUESTS]),
    DIRECTORIES_ABSOLUTE.at(&[REQUESTS]),
];

/// The methods that set up a session.
const SET_UP: [&str; 3] = ["session/new", "session/load", "session/resume"];

/// The request of the client at hand, if it is one of these.
pub(super) fn asks<'a>(m: &Moment<'a>, methods: &[&str]) -> Option<&'a Request> {
    let (_, request) = m.requested()?;
    let wanted = methods.contains(&request.method.as_str());
    (wanted && m.judged == Side::Client).then_some(request)
}

/// The agent's capabilities are known.
pub(super) fn capabilities_known(m: &Moment<'_>) -> bool {
    m.conn.init.features.is_some() && m.conn.init.negotiated.is_some()
}

/// SESSION-003: session/new has an absolute cwd, and in v1 a list of servers, be it an empty one.
/// (session-setup#creating-a-session)
const NEW: Rule = Rule::check("ACP-SESSION-003", |m, says| {
    let Some(request) = asks(m, &["session/new"]) else {
        return;
    };
    let member = |name: &str| request.params.as_ref().and_then(|params| params.get(name));
    let shown = |value: Option<&Value>| value.map_or_else(|| "absent".to_owned(), quoted);
    let cwd = member("cwd");
    if !cwd.and_then(Value::as_str).is_some_and(absolute) {
        return says.broken(Why::new(
            "an absolute path as cwd",
            format!("the cwd of session/new is {}", shown(cwd)),
        ));
    }
    let servers = member("mcpServers");
    let listed = servers.is_some_and(Value::is_array);
    says.holds(listed || m.conn.version() != Version::AcpV1, || {
        Why::new(
            "a list of mcpServers, which may be empty",
            format!("the mcpServers of session/new is {}", shown(servers)),
        )
    });
})
.of_client();

/// SESSION-008: other paths of the client's are absolute as well. (overview#argument-requirements)
const PATHS: Rule = Rule::check("ACP-SESSION-008", |m, says| {
    let methods = ["session/load", "session/resume", "session/list"];
    let Some(request) = asks(m, &methods) else {
        return;
    };
    if let Some(cwd) = text_param(request, "cwd") {
        says.holds(absolute(cwd), || {
            Why::new(
                "an absolute path as cwd",
                format!(
                    "the cwd of {} is {}, which is relative",
                    request.method,
                    text::short_to(cwd, 120)
                ),
            )
        });
    }
})
.of_client();

/// What an agent says of system prompts, at the place of its version.
fn system_prompt_capability<'a>(m: &Moment<'a>, inner: &str) -> Option<&'a Value> {
    let place = match m.conn.version() {
        Version::AcpV1 => "/agentCapabilities/sessionCapabilities/systemPrompt",
        Version::AcpV2 => "/capabilities/session/systemPrompt",
    };
    agent_says(m.conn, &format!("{place}{inner}"))
}

/// SESSION-017: a system prompt is sent only to agents that announce them, one that replaces their own only where that
/// is announced, and it is made of text blocks, not one of them empty. (v1 and v2/agent.rs SystemPrompt)
const SYSTEM_PROMPT: Rule = Rule::check("ACP-SESSION-017", |m, says| {
    let Some(request) = asks(m, &SET_UP).filter(|_| capabilities_known(m)) else {
        return;
    };
    let Some(prompt) = param(request, "systemPrompt") else {
        return;
    };
    let overrides = prompt.get("mode").is_some_and(|mode| mode == "override");
    let blocks = prompt.get("content").and_then(Value::as_array);
    let is_text = |block: &Value| {
        let text = block.get("text").and_then(Value::as_str);
        block.get("type").is_some_and(|kind| kind == "text")
            && text.is_some_and(|text| !text.is_empty())
    };
    if !announces(m.conn, "systemPrompt") {
        says.broken(Why::new(
            "no systemPrompt",
            format!(
                "{} has a systemPrompt, and the agent does not announce that it takes one",
                request.method
            ),
        ));
    } else if overrides && system_prompt_capability(m, "/mode/override").is_none() {
        says.broken(Why::new(
            "a systemPrompt that is appended",
            format!(
                "the systemPrompt of {} replaces the agent's own, which the agent does not announce",
                request.method
            ),
        ));
    } else {
        let sound = blocks.is_some_and(|it| !it.is_empty() && it.iter().all(is_text));
        says.holds(sound, || {
            Why::new(
                "text blocks as the content of a systemPrompt, none of them empty",
                format!(
                    "the content of the systemPrompt of {} is something else",
                    request.method
                ),
            )
        });
    }
})
.of_client();

/// SESSION-021: the id of a session is used as it came. Known are those that the agent gave on any connection of this
/// trace; of one that the client loaded or resumed nobody knows where it has it from. (session-setup#session-id; derived)
const VERBATIM: Rule = Rule::check("ACP-SESSION-021", |m, says| {
    let methods = [
        "session/prompt",
        "session/close",
        "session/set_mode",
        "session/set_config_option",
    ];
    let Some(request) = asks(m, &methods).filter(|_| m.conn.from_start) else {
        return;
    };
    let Some(named) = session_of(request) else {
        return;
    };
    let mut conns = m.world.conns.values();
    let known = conns.any(|conn| {
        let session = conn.sessions.get(named);
        session.is_some_and(|session| session.known)
    });
    let mut given = m.world.conns.values().flat_map(|conn| &conn.sessions);
    let some = given.any(|(_, session)| session.known);
    if known {
        says.upheld();
    } else if some && !m.world.limited {
        says.broken(Why::new(
            "the id of a session as the agent gave it",
            format!(
                "{} names the session {}, and the agent has given no such id",
                request.method,
                text::short_to(named, 120)
            ),
        ));
    }
})
.of_client();

/// The additional directories of the request at hand.
fn directories<'a>(m: &Moment<'a>) -> Option<(&'a Request, &'a [Value])> {
    let request = asks(m, &SET_UP)?;
    let list = param(request, "additionalDirectories")?.as_array()?;
    Some((request, list))
}

/// DIRS-003: additional directories are sent only to agents that announce them. An empty list is a remark.
/// (session-setup#additional-workspace-roots)
const DIRECTORIES_GATED: Rule = Rule::check("ACP-DIRS-003", |m: &Moment<'_>, says: &mut Says| {
    let Some((request, list)) = directories(m).filter(|_| capabilities_known(m)) else {
        return;
    };
    if announces(m.conn, "additionalDirectories") {
        says.upheld();
    } else if list.is_empty() {
        says.note(format!(
            "{} has an empty list of additional directories, which the agent does not announce",
            request.method
        ));
    } else {
        says.broken(Why::new(
            "no additionalDirectories",
            format!(
                "{} has additional directories, and the agent does not announce that it takes any",
                request.method
            ),
        ));
    }
})
.of_client();

/// DIRS-004: each of them is absolute. (session-setup#additional-workspace-roots)
const DIRECTORIES_ABSOLUTE: Rule = Rule::check("ACP-DIRS-004", |m, says| {
    let Some((request, list)) = directories(m) else {
        return;
    };
    for path in list.iter().filter_map(Value::as_str) {
        says.holds(absolute(path), || {
            Why::new(
                "absolute additionalDirectories",
                format!(
                    "an additional directory of {} is {}, which is relative",
                    request.method,
                    text::short_to(path, 120)
                ),
            )
        });
    }
})
.of_client();
