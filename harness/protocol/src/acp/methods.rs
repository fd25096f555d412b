//! The methods and session updates of each version: who sends them, and whether they are requests.

use serde_json::Value;

use crate::Version;

/// Who may send a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// Client to agent.
    Client,
    /// Agent to client.
    Agent,
    /// Either.
    Both,
}

/// A method that a version defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Its name on the wire.
    pub name: &'static str,
    /// Who sends it.
    pub sender: Sender,
    /// It is a request (and has an answer); otherwise a notification.
    pub request: bool,
}

impl Method {
    const fn asked(name: &'static str, sender: Sender) -> Self {
        Self {
            name,
            sender,
            request: true,
        }
    }

    const fn told(name: &'static str, sender: Sender) -> Self {
        Self {
            name,
            sender,
            request: false,
        }
    }
}

const V1: &[Method] = &[
    Method::asked("initialize", Sender::Client),
    Method::asked("authenticate", Sender::Client),
    Method::asked("logout", Sender::Client),
    Method::asked("session/new", Sender::Client),
    Method::asked("session/load", Sender::Client),
    Method::asked("session/resume", Sender::Client),
    Method::asked("session/list", Sender::Client),
    Method::asked("session/close", Sender::Client),
    Method::asked("session/delete", Sender::Client),
    Method::asked("session/set_mode", Sender::Client),
    Method::asked("session/set_config_option", Sender::Client),
    Method::asked("session/prompt", Sender::Client),
    Method::told("session/cancel", Sender::Client),
    Method::asked("session/request_permission", Sender::Agent),
    Method::asked("fs/read_text_file", Sender::Agent),
    Method::asked("fs/write_text_file", Sender::Agent),
    Method::asked("terminal/create", Sender::Agent),
    Method::asked("terminal/output", Sender::Agent),
    Method::asked("terminal/wait_for_exit", Sender::Agent),
    Method::asked("terminal/kill", Sender::Agent),
    Method::asked("terminal/release", Sender::Agent),
    Method::asked("elicitation/create", Sender::Agent),
    Method::told("elicitation/complete", Sender::Agent),
    Method::told("session/update", Sender::Agent),
    Method::told("$/cancel_request", Sender::Both),
];

const V2: &[Method] = &[
    Method::asked("initialize", Sender::Client),
    Method::asked("auth/login", Sender::Client),
    Method::asked("auth/logout", Sender::Client),
    Method::asked("session/new", Sender::Client),
    Method::asked("session/resume", Sender::Client),
    Method::asked("session/list", Sender::Client),
    Method::asked("session/close", Sender::Client),
    Method::asked("session/delete", Sender::Client),
    Method::asked("session/set_config_option", Sender::Client),
    Method::asked("session/prompt", Sender::Client),
    Method::told("session/cancel", Sender::Client),
    Method::asked("tool_call/cancel", Sender::Client),
    Method::asked("terminal/cancel", Sender::Client),
    Method::asked("session/request_permission", Sender::Agent),
    Method::asked("elicitation/create", Sender::Agent),
    Method::told("elicitation/complete", Sender::Agent),
    Method::told("session/update", Sender::Agent),
    Method::told("$/cancel_request", Sender::Both),
];

/// All methods of a version (stable ones; underscore methods are nobody's here).
pub fn methods(version: Version) -> &'static [Method] {
    match version {
        Version::AcpV1 => V1,
        Version::AcpV2 => V2,
    }
}

/// The method of this name.
pub fn method(version: Version, name: &str) -> Option<&'static Method> {
    methods(version).iter().find(|method| method.name == name)
}

/// The method that carries session updates in every version.
pub const SESSION_UPDATE: &str = "session/update";

const UPDATES_V1: &[&str] = &[
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "plan_update",
    "plan_removed",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "notice",
    "compaction_update",
    "compaction_summary_chunk",
    "subagent_update",
    "session_message",
    "session_message_chunk",
];

const UPDATES_V2: &[&str] = &[
    "user_message",
    "user_message_chunk",
    "agent_message",
    "agent_message_chunk",
    "agent_thought",
    "agent_thought_chunk",
    "state_update",
    "tool_call_update",
    "tool_call_content_chunk",
    "terminal_update",
    "terminal_output_chunk",
    "plan_update",
    "plan_removed",
    "available_commands_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "notice",
    "compaction_update",
    "compaction_summary_chunk",
    "replay_complete",
    "subagent_update",
    "session_message",
    "session_message_chunk",
];

/// The values of `sessionUpdate` that a version defines, the capability-gated ones among them.
pub fn update_kinds(version: Version) -> &'static [&'static str] {
    match version {
        Version::AcpV1 => UPDATES_V1,
        Version::AcpV2 => UPDATES_V2,
    }
}

/// A name that exists only in the *other* version (ACP-INIT-011): the method itself, or the `sessionUpdate` of a
/// session update. `None` where this version knows it too, or nobody does.
///
/// Some of these names have a clause of their own (in v2 `fs/*`, `tool_call`, `plan`, ...), so the name comes back
/// for the judge to attribute. A method's name holds a slash or is no update kind, so the two are never confused.
pub fn only_in_other_version(
    version: Version,
    method: &str,
    params: Option<&Value>,
) -> Option<String> {
    let foreign_method = |name: &str| {
        self::method(version, name).is_none()
            && Version::ALL
                .into_iter()
                .any(|other| self::method(other, name).is_some())
    };
    if foreign_method(method) {
        return Some(method.to_owned());
    }
    if method != SESSION_UPDATE {
        return None;
    }
    let kind = params?.get("update")?.get("sessionUpdate")?.as_str()?;
    let foreign_kind = !update_kinds(version).contains(&kind)
        && Version::ALL
            .into_iter()
            .any(|other| update_kinds(other).contains(&kind));
    foreign_kind.then(|| kind.to_owned())
}
