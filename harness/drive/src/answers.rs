//! What a plain agent says, in the words of each version: to a client under test we are one.

use elenchus_protocol::Version;
use serde_json::json;

use crate::json;

/// The id of the first session of a connection, as JSON text: `$session`.
pub(crate) const FIRST_SESSION: &str = r#""sess-1""#;

/// The id of the session that is opened after so many others, as JSON text.
pub(crate) fn session_id(before: usize) -> String {
    json::quote(&format!("sess-{}", before + 1))
}

/// The result of `initialize`.
pub(crate) fn initialize(version: Version) -> String {
    let me = json!({"name": "elenchus", "version": env!("CARGO_PKG_VERSION")});
    let number = version.number();
    match version {
        Version::AcpV1 => json!({
            "protocolVersion": number,
            "agentCapabilities": {},
            "agentInfo": me,
            "authMethods": [],
        }),
        Version::AcpV2 => json!({
            "protocolVersion": number,
            "info": me,
            "capabilities": {"session": {}},
        }),
    }
    .to_string()
}

/// The result of a request for which an agent needs to do nothing; `None` for a method that a plain agent lacks.
pub(crate) fn trivial(method: &str) -> Option<&'static str> {
    match method {
        "session/list" => Some(r#"{"sessions":[]}"#),
        "session/load" | "session/resume" | "session/close" | "session/delete" => Some("{}"),
        _ => None,
    }
}

/// The result of a prompt, by which v2 takes it in and v1 ends the turn with this reason, which is JSON text.
pub(crate) fn prompt(version: Version, turn: usize, reason: &str) -> String {
    match version {
        Version::AcpV1 => format!(r#"{{"stopReason":{reason}}}"#),
        Version::AcpV2 => format!(r#"{{"messageId":"msg-{}"}}"#, turn + 1),
    }
}

/// The update of v2 that says that a prompt is part of the session now. `blocks` is the prompt, as JSON text.
pub(crate) fn inserted(turn: usize, blocks: &str) -> String {
    format!(
        r#"{{"sessionUpdate":"user_message","messageId":"msg-{}","content":{blocks}}}"#,
        turn + 1
    )
}

/// The params of `session/update`. Both are JSON text.
pub(crate) fn update(session: &str, update: &str) -> String {
    format!(r#"{{"sessionId":{session},"update":{update}}}"#)
}

/// The update by which an agent says something.
pub(crate) fn message(version: Version, text: &str) -> String {
    let block = json!({"type": "text", "text": text});
    match version {
        Version::AcpV1 => json!({"sessionUpdate": "agent_message_chunk", "content": block}),
        Version::AcpV2 => {
            json!({"sessionUpdate": "agent_message_chunk", "messageId": "msg-said", "content": block})
        }
    }
    .to_string()
}

/// The update of v2 that says that a session works.
pub(crate) const RUNNING: &str = r#"{"sessionUpdate":"state_update","state":"running"}"#;

/// The update of v2 that says that a session's work is over, with this reason, which is JSON text.
pub(crate) fn idle(reason: &str) -> String {
    format!(r#"{{"sessionUpdate":"state_update","state":"idle","stopReason":{reason}}}"#)
}

/// The params of an elicitation with a form. All are JSON text.
pub(crate) fn form(session: &str, schema: Option<&str>) -> String {
    let schema = schema.unwrap_or(
        r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#,
    );
    format!(
        r#"{{"sessionId":{session},"mode":"form","message":"Please fill this in.","requestedSchema":{schema}}}"#
    )
}

/// The params of the elicitation with a URL that comes after so many others. The session and the URL are JSON text.
pub(crate) fn url(session: &str, url: &str, before: usize) -> String {
    format!(
        r#"{{"sessionId":{session},"mode":"url","message":"Please open this page.","elicitationId":"elicitation-{}","url":{url}}}"#,
        before + 1
    )
}

/// The params of the request for a permission that comes after so many others. The session is JSON text.
pub(crate) fn permission(version: Version, session: &str, before: usize) -> String {
    let id = format!("call-{}", before + 1);
    let title = "A tool call that needs permission";
    let call = json!({"toolCallId": id, "title": title, "kind": "other"});
    let option = |kind: &str, name: &str| json!({"optionId": kind.replace('_', "-"), "name": name, "kind": kind});
    let options = [
        option("allow_once", "Allow"),
        option("allow_always", "Always allow"),
        option("reject_once", "Reject"),
        option("reject_always", "Always reject"),
    ];
    let rest = match version {
        Version::AcpV1 => json!({"toolCall": call, "options": options}),
        Version::AcpV2 => json!({
            "title": title,
            "subject": {"type": "tool_call", "toolCall": call},
            "options": options,
        }),
    };
    json::merge(&format!(r#"{{"sessionId":{session}}}"#), &rest.to_string())
}

#[cfg(test)]
mod tests {
    use elenchus_protocol::acp::shapes::{self, Part};

    use super::*;

    /// All that a plain agent says is of the shape that its version has for it.
    #[test]
    fn a_plain_agent_writes_what_its_version_says() {
        let end = r#""end_turn""#;
        for version in Version::ALL {
            let mut said = vec![
                ("initialize", Part::Result, initialize(version)),
                (
                    "session/new",
                    Part::Result,
                    format!(r#"{{"sessionId":{FIRST_SESSION}}}"#),
                ),
                (
                    "session/list",
                    Part::Result,
                    trivial("session/list").unwrap_or_default().to_owned(),
                ),
                ("session/prompt", Part::Result, prompt(version, 0, end)),
                (
                    "elicitation/create",
                    Part::Params,
                    form(FIRST_SESSION, None),
                ),
                (
                    "elicitation/create",
                    Part::Params,
                    url(FIRST_SESSION, r#""http://127.0.0.1:1/""#, 0),
                ),
                (
                    "session/request_permission",
                    Part::Params,
                    permission(version, FIRST_SESSION, 0),
                ),
            ];
            let told = update(FIRST_SESSION, &message(version, "x"));
            said.push(("session/update", Part::Params, told));
            if version == Version::AcpV2 {
                let blocks = r#"[{"type":"text","text":"x"}]"#;
                for told in [inserted(0, blocks), RUNNING.to_owned(), idle(end)] {
                    said.push(("session/update", Part::Params, update(FIRST_SESSION, &told)));
                }
            }
            for (method, part, text) in said {
                let value = serde_json::from_str(&text).expect("JSON");
                let wrong = shapes::check(version, method, part, &value);
                assert!(wrong.is_empty(), "{version} {method}: {text}: {wrong:?}");
            }
        }
    }
}
