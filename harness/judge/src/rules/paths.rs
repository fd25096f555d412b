//! SESSION-007 and -010: paths and line numbers, wherever a message of the agent holds one.

use elenchus_protocol::Version;
use serde_json::Value;

use super::lifecycle::absolute;
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS},
    rule::{Rule, Says, Why},
    text,
};

pub(super) const RULES: &[Rule] = &[
    ABSOLUTE.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    LINES.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
];

/// The params or the result that the agent has sent at this fact, with the method.
fn sent<'a>(m: &Moment<'a>) -> Option<(&'a str, &'a Value)> {
    match m.fact {
        Fact::Notified(index) => {
            let notification = &m.conn.notifications[*index];
            let params = notification.params.as_ref()?;
            (notification.from == m.judged).then_some((&notification.method, params))
        }
        Fact::Requested(_) => {
            let (_, request) = m.requested()?;
            Some((&request.method, request.params.as_ref()?))
        }
        Fact::Answered { .. } => {
            let (_, request) = m.answered()?;
            Some((&request.method, request.result()?))
        }
        _ => None,
    }
}

/// Calls back for each path of the message, with the pointer's last names.
fn paths(method: &str, message: &Value, each: &mut dyn FnMut(&str, &Value)) {
    let member = |value: &Value, name: &'static str, each: &mut dyn FnMut(&str, &Value)| {
        if let Some(path) = value.get(name) {
            each(name, path);
        }
    };
    let list = |value: &Value, name: &str| {
        let items = value.get(name).and_then(Value::as_array);
        items.cloned().unwrap_or_default()
    };
    let roots = |value: &Value, each: &mut dyn FnMut(&str, &Value)| {
        for root in list(value, "additionalDirectories") {
            each("additionalDirectories", &root);
        }
    };
    match method {
        "fs/read_text_file" | "fs/write_text_file" => member(message, "path", each),
        "terminal/create" => member(message, "cwd", each),
        "session/list" => {
            for entry in list(message, "sessions") {
                member(&entry, "cwd", each);
                roots(&entry, each);
            }
        }
        "session/request_permission" => {
            for call in asked_about(message) {
                of_tool_call(call, each);
            }
            if let Some(subject) = message.get("subject").filter(|it| !is_extension(it)) {
                member(subject, "cwd", each);
            }
        }
        "session/update" => {
            let Some(update) = message.get("update") else {
                return;
            };
            match update.get("sessionUpdate").and_then(Value::as_str) {
                Some("tool_call" | "tool_call_update" | "tool_call_content_chunk") => {
                    of_tool_call(update, each);
                }
                Some("plan_update") => {
                    if let Some(plan) = update.get("plan").filter(|it| !is_extension(it)) {
                        member(plan, "path", each);
                    }
                }
                Some("terminal_update") => member(update, "cwd", each),
                Some("subagent_update") => {
                    member(update, "cwd", each);
                    roots(update, each);
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// A variant of version 2 that is not the protocol's: its members are its own.
fn is_extension(value: &Value) -> bool {
    let names = ["type", "operation"];
    let mut kinds = names.iter().filter_map(|name| value.get(name)?.as_str());
    kinds.any(|kind| kind.starts_with('_'))
}

/// The tool calls that a request for a permission is about.
fn asked_about(message: &Value) -> impl Iterator<Item = &Value> {
    let subject = message.get("subject").filter(|it| !is_extension(it));
    let of_subject = subject.and_then(|subject| subject.get("toolCall"));
    message.get("toolCall").into_iter().chain(of_subject)
}

/// The paths of a tool call: where it works, and what it changes.
fn of_tool_call(call: &Value, each: &mut dyn FnMut(&str, &Value)) {
    let items = |value: &Value, name: &str| match value.get(name) {
        Some(Value::Array(items)) => items.clone(),
        Some(item @ Value::Object(_)) => vec![item.clone()],
        _ => Vec::new(),
    };
    for location in items(call, "locations") {
        if let Some(path) = location.get("path") {
            each("locations.path", path);
        }
    }
    for content in items(call, "content") {
        if content.get("type").is_none_or(|kind| kind != "diff") {
            continue;
        }
        if let Some(path) = content.get("path") {
            each("diff.path", path);
        }
        let changes = items(&content, "changes");
        for change in changes.iter().filter(|it| !is_extension(it)) {
            for name in ["path", "oldPath"] {
                if let Some(path) = change.get(name) {
                    each(name, path);
                }
            }
        }
    }
}

/// SESSION-007: paths in members of the protocol are absolute. (overview#argument-requirements)
const ABSOLUTE: Rule = Rule::check("ACP-SESSION-007", |m: &Moment<'_>, says: &mut Says| {
    let Some((method, message)) = sent(m) else {
        return;
    };
    paths(method, message, &mut |name, path| {
        // Another type is for the shapes to tell.
        let Some(path) = path.as_str() else { return };
        if path.starts_with("file:") {
            return says.note(format!("{name} is a file URI; a path stands there"));
        }
        says.holds(absolute(path), || {
            Why::new(
                format!("{name}: an absolute path"),
                format!("{name} is {}, which is relative", text::short_to(path, 120)),
            )
        });
    });
});

/// Calls back for each line number of the message.
fn lines(method: &str, message: &Value, each: &mut dyn FnMut(&Value)) {
    let locations = |call: &Value, each: &mut dyn FnMut(&Value)| {
        let list = call.get("locations").and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(|location| location.get("line"))
            .for_each(each);
    };
    match method {
        "fs/read_text_file" => message.get("line").into_iter().for_each(each),
        "session/update" => {
            let update = message.get("update");
            let is_call = |update: &&Value| {
                let kind = update.get("sessionUpdate").and_then(Value::as_str);
                matches!(kind, Some("tool_call" | "tool_call_update"))
            };
            if let Some(update) = update.filter(is_call) {
                locations(update, each);
            }
        }
        "session/request_permission" => {
            for call in asked_about(message) {
                locations(call, each);
            }
        }
        _ => {}
    }
}

/// SESSION-010: lines are counted from 1. (overview#argument-requirements; v2 ToolCallLocation.line)
const LINES: Rule = Rule::check("ACP-SESSION-010", |m: &Moment<'_>, says: &mut Says| {
    let Some((method, message)) = sent(m) else {
        return;
    };
    let v2 = m.conn.version() == Version::AcpV2;
    lines(method, message, &mut |line| {
        let Some(line) = line.as_u64() else { return };
        says.holds(line > 0, || {
            Why::new(
                "a line counted from 1",
                if v2 {
                    "a line is 0, which version 2 does not have"
                } else {
                    "a line is 0, as if lines were counted from 0"
                },
            )
        });
    });
});
