//! Conversations in a few words, which mean the same in both versions. Steps stand between ` | `:
//!
//! ```text
//! opened [ELICITATION]          open, init, and the session `s`
//! open · init [ELICITATION]     the connection; initialize and its answer (default: both modes, `absent`: left out)
//! initializing [ELICITATION]    initialize without its answer
//! asks N [CAPABILITIES]         initialize for version N, which both versions can read
//! offers N                      its result for that version
//! refuses CODE [DATA]           its error
//! session [ID] [SESSION]        session/new and its answer (default: 1 s)
//! prompt ID [@SESSION] TEXT     a trigger if TEXT is one; in v2 accepted, and running
//! prompting ID [@SESSION] TEXT  the same, not yet accepted
//! form ID [SCHEMA]              a form of session `s` (default: one required string `name`)
//! url ID                        a URL elicitation of session `s`
//! create ID PARAMS              an elicitation with these params
//! answer ID RESULT              also: accept ID [CONTENT] · decline ID [CONTENT] · cancel ID [CONTENT]
//! refuse ID CODE                the client answers with an error
//! says TEXT                     a piece of an agent message in session `s`; \n is a line break
//! tool [@SESSION] ID TITLE      a tool call
//! update [@SESSION] UPDATE      any update
//! echo ID [TEXT]                a message of the user, as v2 reports it
//! state [@SESSION] STATE [STOP] a state of v2
//! done ID [@SESSION]            the turn ends with end_turn
//! stops ID REASON               the turn ends with this stop reason
//! fails ID CODE [MESSAGE]       the agent answers with an error; an accepted prompt of v2 stops with it
//! result ID JSON                the agent answers with a result
//! ask ID METHOD PARAMS          the client sends a request
//! cancelled [SESSION]           the client cancels the turn of a session (default: `s`)
//! cancels ID                    the client cancels a request of its own
//! withdraws ID                  the agent cancels a request of its own
//! permission ID                 a permission request of session `s`
//! tells METHOD [PARAMS]         the client sends a notification
//! settles ID                    a fence, its answer, and quiet
//! ```
//!
//! All other words are those of [`crate::common`]. An `end` is added.

use serde_json::{Value, json};

const NAME: &str =
    r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;

const TRIGGERS: &[&str] = &[
    "/elicit form",
    "/elicit url-complete",
    "/elicit url-wait",
    "/elicit url",
    "/elicit tool form",
    "/elicit twice",
    "/elicit choice",
    "/elicit background",
    "/elicit secret",
    "/hold elicit form",
    "/hold elicit url",
    "/hold",
    "/ask permission",
    "/effect",
    "/tool",
    "/fail",
    "/say",
];

/// The conversation as lines of a trace.
pub(crate) fn written(version: &str, talk: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let v1 = version == "v1";
    for step in talk.split(" | ").map(str::trim) {
        let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
        let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
        match word {
            "opened" => {
                lines.push("open".to_owned());
                lines.extend(init(v1, rest));
                lines.extend(session("1", "s"));
            }
            "init" => lines.extend(init(v1, rest)),
            "initializing" => lines.extend(init(v1, rest).into_iter().take(1)),
            "asks" => {
                let capabilities = if more.is_empty() { "{}" } else { more };
                lines.push(format!(
                    r#"C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":{first},"clientCapabilities":{capabilities},"clientInfo":{{"name":"e","version":"0"}},"capabilities":{capabilities},"info":{{"name":"e","version":"0"}}}}}}"#
                ));
            }
            "offers" => lines.push(if first == "2" {
                r#"S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}},"authMethods":[]}}"#.to_owned()
            } else {
                format!(
                    r#"S {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":{first},"agentCapabilities":{{"loadSession":false}},"authMethods":[]}}}}"#
                )
            }),
            "refuses" => {
                let data = if more.is_empty() { "null" } else { more };
                lines.push(format!(
                    r#"S {{"jsonrpc":"2.0","id":0,"error":{{"code":{first},"message":"no","data":{data}}}}}"#
                ));
            }
            "tells" => lines.push(if more.is_empty() {
                format!(r#"C {{"jsonrpc":"2.0","method":"{first}"}}"#)
            } else {
                format!(r#"C {{"jsonrpc":"2.0","method":"{first}","params":{more}}}"#)
            }),
            "settles" => lines.extend([
                format!("fence {first}"),
                format!(r#"C {{"jsonrpc":"2.0","id":{first},"method":"_elenchus/fence","params":{{}}}}"#),
                format!(
                    r#"S {{"jsonrpc":"2.0","id":{first},"error":{{"code":-32601,"message":"no"}}}}"#
                ),
                "settled".to_owned(),
            ]),
            "session" => lines.extend(if rest.is_empty() {
                session("1", "s")
            } else {
                session(first, more)
            }),
            "prompt" => {
                lines.extend(prompt(first, more));
                if !v1 {
                    lines.extend(accepted(first, at_session(more).0));
                }
            }
            "prompting" => lines.extend(prompt(first, more)),
            "form" => {
                let schema = if more.is_empty() { NAME } else { more };
                lines.push(create(
                    first,
                    &format!(
                        r#"{{"sessionId":"s","mode":"form","message":"Name?","requestedSchema":{schema}}}"#
                    ),
                ));
            }
            "url" => lines.push(create(
                first,
                r#"{"sessionId":"s","mode":"url","message":"Visit","elicitationId":"e","url":"https://127.0.0.1/e"}"#,
            )),
            "create" => lines.push(create(first, more)),
            "answer" => lines.push(format!(r#"C {{"jsonrpc":"2.0","id":{first},"result":{more}}}"#)),
            "accept" | "decline" | "cancel" => {
                let content = if more.is_empty() {
                    String::new()
                } else {
                    format!(r#","content":{more}"#)
                };
                lines.push(format!(
                    r#"C {{"jsonrpc":"2.0","id":{first},"result":{{"action":"{word}"{content}}}}}"#
                ));
            }
            "refuse" => lines.push(format!(
                r#"C {{"jsonrpc":"2.0","id":{first},"error":{{"code":{more},"message":"no"}}}}"#
            )),
            "says" => {
                let mut said = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": rest.replace("\\n", "\n")}});
                if !v1 {
                    said["messageId"] = "m".into();
                }
                lines.push(update("s", &said));
            }
            "tool" => {
                let (session, rest) = at_session(rest);
                let (id, title) = rest.split_once(' ').expect("tool ID TITLE");
                let kind = if v1 { "tool_call" } else { "tool_call_update" };
                lines.push(update(
                    session,
                    &json!({"sessionUpdate": kind, "toolCallId": id, "title": title, "status": "pending"}),
                ));
            }
            "update" => {
                let (session, rest) = at_session(rest);
                lines.push(format!(
                    r#"S {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{rest}}}}}"#
                ));
            }
            "echo" => {
                let content = json!([{"type": "text", "text": more}]);
                let echo = json!({"sessionUpdate": "user_message", "messageId": first, "content": content});
                lines.push(update("s", &echo));
            }
            "state" => {
                let (session, rest) = at_session(rest);
                let (state, reason) = rest.split_once(' ').unwrap_or((rest, ""));
                let mut told = json!({"sessionUpdate": "state_update", "state": state});
                if !reason.is_empty() {
                    told["stopReason"] = reason.into();
                }
                lines.push(update(session, &told));
            }
            "done" => lines.push(stop(v1, first, at_session(more).0, "end_turn")),
            "stops" => lines.push(stop(v1, first, "s", more)),
            "fails" => {
                let (code, message) = more.split_once(' ').unwrap_or((more, "no"));
                let error = format!(r#"{{"code":{code},"message":"{message}"}}"#);
                lines.push(if lines.contains(&accepted(first, "s")[0]) {
                    update("s", &json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "error", "error": error}))
                } else {
                    format!(r#"S {{"jsonrpc":"2.0","id":{first},"error":{error}}}"#)
                });
            }
            "permission" => lines.push(format!(
                r#"S {{"jsonrpc":"2.0","id":{first},"method":"session/request_permission","params":{{"sessionId":"s","options":[{{"optionId":"allow","name":"A","kind":"allow_once"}},{{"optionId":"reject","name":"B","kind":"reject_once"}}]}}}}"#
            )),
            "cancelled" => {
                let session = if rest.is_empty() { "s" } else { rest };
                lines.push(format!(
                    r#"C {{"jsonrpc":"2.0","method":"session/cancel","params":{{"sessionId":"{session}"}}}}"#
                ));
            }
            "cancels" | "withdraws" => {
                let side = if word == "cancels" { 'C' } else { 'S' };
                lines.push(format!(
                    r#"{side} {{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{rest}}}}}"#
                ));
            }
            "result" => lines.push(format!(r#"S {{"jsonrpc":"2.0","id":{first},"result":{more}}}"#)),
            "ask" => {
                let (method, params) = more.split_once(' ').expect("ask ID METHOD PARAMS");
                lines.push(format!(
                    r#"C {{"jsonrpc":"2.0","id":{first},"method":"{method}","params":{params}}}"#
                ));
            }
            _ => lines.push(step.to_owned()),
        }
    }
    lines.push("end".to_owned());
    lines.join("\n")
}

fn init(v1: bool, elicitation: &str) -> [String; 2] {
    let elicitation = match elicitation {
        "" => r#","elicitation":{"form":{},"url":{}}"#.to_owned(),
        "absent" => String::new(),
        value => format!(r#","elicitation":{value}"#),
    };
    if v1 {
        [
            format!(
                r#"C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":1,"clientCapabilities":{{"terminal":false{elicitation}}},"clientInfo":{{"name":"elenchus","version":"0"}}}}}}"#
            ),
            r#"S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}}"#.to_owned(),
        ]
    } else {
        [
            format!(
                r#"C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":2,"info":{{"name":"elenchus","version":"0"}},"capabilities":{{"_meta":null{elicitation}}}}}}}"#
            ),
            r#"S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}},"authMethods":[]}}"#.to_owned(),
        ]
    }
}

fn session(id: &str, name: &str) -> [String; 2] {
    [
        format!(
            r#"C {{"jsonrpc":"2.0","id":{id},"method":"session/new","params":{{"cwd":"/","mcpServers":[]}}}}"#
        ),
        format!(r#"S {{"jsonrpc":"2.0","id":{id},"result":{{"sessionId":"{name}"}}}}"#),
    ]
}

fn at_session(rest: &str) -> (&str, &str) {
    match rest.strip_prefix('@') {
        Some(named) => named.split_once(' ').unwrap_or((named, "")),
        None => ("s", rest),
    }
}

fn prompt(id: &str, rest: &str) -> Vec<String> {
    let (session, text) = at_session(rest);
    let mut lines = Vec::new();
    if let Some(trigger) = TRIGGERS.iter().find(|trigger| text.starts_with(**trigger)) {
        lines.push(format!("trigger {id} {trigger}"));
    }
    lines.push(format!(
        r#"C {{"jsonrpc":"2.0","id":{id},"method":"session/prompt","params":{{"sessionId":"{session}","prompt":[{{"type":"text","text":{}}}]}}}}"#,
        Value::from(text)
    ));
    lines
}

fn accepted(id: &str, session: &str) -> [String; 2] {
    [
        format!(r#"S {{"jsonrpc":"2.0","id":{id},"result":{{"messageId":"p{id}"}}}}"#),
        update(
            session,
            &json!({"sessionUpdate": "state_update", "state": "running"}),
        ),
    ]
}

fn create(id: &str, params: &str) -> String {
    format!(r#"S {{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{params}}}"#)
}

fn update(session: &str, update: &Value) -> String {
    let params = json!({"sessionId": session, "update": update});
    format!(r#"S {{"jsonrpc":"2.0","method":"session/update","params":{params}}}"#)
}

fn stop(v1: bool, id: &str, session: &str, reason: &str) -> String {
    if v1 {
        format!(r#"S {{"jsonrpc":"2.0","id":{id},"result":{{"stopReason":"{reason}"}}}}"#)
    } else {
        let idle = json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": reason});
        update(session, &idle)
    }
}
