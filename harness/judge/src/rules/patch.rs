//! PATCH: the updates of version 2 that add to what a client has stored, or replace it: messages, tool calls, terminals,
//! notices and children.

use std::collections::BTreeSet;

use elenchus_protocol::Version;
use serde_json::Value;

use super::{
    calls::{defined, tell_places, update},
    content::is_base64,
    told::at,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, ENDS, NOTIFICATIONS, REQUESTS},
    rule::{Rule, Says, Why},
    text,
    world::Conn,
};

pub(super) const RULES: &[Rule] = &[
    MESSAGE_ID.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    MESSAGE_CONTENT.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    TOOL_CALL.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    TERMINAL.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    OUTPUT.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    EXIT_AND_SIZE.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    LATER_KINDS.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    CHILD_ANNOUNCED.at(&[ENDS]),
];

/// The update of version 2 at this fact: its kind, and its params.
fn update_v2<'a>(m: &Moment<'a>) -> Option<(&'a str, &'a Value)> {
    update(m).filter(|_| m.conn.version() == Version::AcpV2)
}

/// The kind tells a message as a whole.
fn is_whole(kind: &str) -> bool {
    matches!(
        kind,
        "user_message" | "agent_message" | "agent_thought" | "session_message"
    )
}

/// The kind tells a message, as a whole or a piece of it.
fn is_message(kind: &str) -> bool {
    is_whole(kind.strip_suffix("_chunk").unwrap_or(kind))
}

/// Says of the mismatches at these places of the update at hand that they break the clause; upheld if there are none.
fn shape(m: &Moment<'_>, says: &mut Says, kind: &str, own: impl Fn(&str) -> bool) {
    let within = |pointer: &str| pointer.strip_prefix("/update/").is_some_and(&own);
    if !tell_places(m, says, kind, within) {
        says.upheld();
    }
}

/// The member, or something within it.
fn is_in(pointer: &str, member: &str) -> bool {
    let rest = pointer.strip_prefix(member);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// PATCH-001 (v2): every message and every piece of one has a messageId. (v2 prompt-lifecycle#message-ids)
const MESSAGE_ID: Rule = Rule::check("ACP-PATCH-001", |m, says| {
    let Some((kind, params)) = update_v2(m).filter(|(kind, _)| is_message(kind)) else {
        return;
    };
    if at(params, "/update/messageId").is_some_and(|id| id == "") {
        says.note("a messageId is empty");
    }
    shape(m, says, kind, |member| member == "messageId");
});

/// PATCH-002 (v2): the content of a message is a list of blocks, and that of a piece is one block. What a block holds is
/// CONTENT's. (v2 prompt-lifecycle#message-ids)
const MESSAGE_CONTENT: Rule = Rule::check("ACP-PATCH-002", |m, says| {
    if let Some((kind, params)) = update_v2(m).filter(|(kind, _)| is_message(kind)) {
        let content = at(params, "/update/content");
        let ours = is_whole(kind) || !content.is_some_and(Value::is_object);
        shape(m, says, kind, |member| ours && member == "content");
    }
});

/// PATCH-007 (v2): an update of a tool call names it, and a piece of its content is one item. What an item holds is
/// TOOL-011's. (v2 tool-calls; ToolCallContentChunk)
const TOOL_CALL: Rule = Rule::check("ACP-PATCH-007", |m, says| {
    let Some((kind, params)) = update_v2(m) else {
        return;
    };
    let item = at(params, "/update/content").is_some_and(Value::is_object);
    match kind {
        "tool_call_update" => shape(m, says, kind, |member| member == "toolCallId"),
        "tool_call_content_chunk" => shape(m, says, kind, |member| {
            member == "toolCallId" || (member == "content" && !item)
        }),
        _ => {}
    }
});

/// PATCH-008 (v2): an update of a terminal names it. That its folder is absolute is SESSION-007's.
/// (v2/terminal.rs TerminalUpdate)
const TERMINAL: Rule = Rule::check("ACP-PATCH-008", |m, says| {
    let Some((kind, _)) = update_v2(m) else {
        return;
    };
    match kind {
        "terminal_update" => shape(m, says, kind, |member| {
            let own = ["terminalId", "command", "cwd", "capabilities"];
            own.iter().any(|own| is_in(member, own))
        }),
        "terminal_output_chunk" => shape(m, says, kind, |member| member == "terminalId"),
        _ => {}
    }
});

/// PATCH-009 (v2): the output of a terminal is base64, each piece by itself. (v2 tool-calls#display-only-terminals)
const OUTPUT: Rule = Rule::check("ACP-PATCH-009", |m, says| {
    let Some((kind, params)) = update_v2(m) else {
        return;
    };
    let (member, place) = match kind {
        "terminal_update" => ("output", "/update/output/data"),
        "terminal_output_chunk" => ("data", "/update/data"),
        _ => return,
    };
    let own = |pointer: &str| {
        let rest = pointer.strip_prefix("/update/");
        rest.is_some_and(|rest| is_in(rest, member))
    };
    if tell_places(m, says, kind, own) {
        return;
    }
    if let Some(data) = at(params, place).and_then(Value::as_str) {
        says.holds(is_base64(data), || {
            Why::new(
                format!("{place}: base64 that can be read by itself, with its padding"),
                format!("{place} is no whole base64: {}", text::short_to(data, 60)),
            )
        });
    }
});

/// PATCH-010 (v2): how a command ended is an object, and a size has columns and rows. (v2/terminal.rs)
const EXIT_AND_SIZE: Rule = Rule::check("ACP-PATCH-010", |m, says| {
    let Some((kind, params)) = update_v2(m).filter(|(kind, _)| *kind == "terminal_update") else {
        return;
    };
    let stands = |place| at(params, place).is_some_and(|value| !value.is_null());
    if stands("/update/exitStatus") || stands("/update/size") {
        shape(m, says, kind, |member| {
            is_in(member, "exitStatus") || is_in(member, "size")
        });
    }
});

/// PATCH-014 (v2): compactions, notices and children have what they need. (v2/client.rs CompactionUpdate, Notice,
/// SubagentUpdate)
const LATER_KINDS: Rule = Rule::check("ACP-PATCH-014", |m, says| {
    let Some((kind, params)) = update_v2(m) else {
        return;
    };
    let is_object = |place| at(params, place).is_some_and(Value::is_object);
    match kind {
        "compaction_update" => {
            let known = ["in_progress", "completed", "failed", "cancelled"];
            let place = "/update/status";
            if let Some(status) = at(params, place).and_then(Value::as_str)
                && !known.contains(&status)
            {
                return defined(m, says, place, status, &known);
            }
            shape(m, says, kind, |_| true);
        }
        "compaction_summary_chunk" => {
            let block = is_object("/update/content");
            shape(m, says, kind, |member| {
                member == "compactionId" || (member == "content" && !block)
            });
        }
        "notice" | "subagent_update" => shape(m, says, kind, |_| true),
        _ => {}
    }
});

/// PATCH-015 (v2): a child session is announced before anything comes from it. One that is never announced is unknown,
/// which is SESSION-012's; those of a session that goes on from before may have been announced then.
/// (v2/client.rs SubagentUpdate)
const CHILD_ANNOUNCED: Rule = Rule::check("ACP-PATCH-015", |m, says| {
    if !matches!(m.fact, Fact::Ended) || m.conn.version() != Version::AcpV2 {
        return;
    }
    let mut ours = m.conn.requests.iter().filter(|it| it.from != m.conn.target);
    if ours.any(|it| matches!(it.method.as_str(), "session/load" | "session/resume")) {
        return;
    }
    let named = named_by_us(m.conn);
    for (id, session) in &m.conn.sessions {
        let Some(announced) = session.announced.filter(|_| !named.contains(id.as_str())) else {
            continue;
        };
        let mut own = m.conn.uttered.iter().filter(|told| told.session == *id);
        let Some(first) = own.next() else { continue };
        says.holds(first.seq > announced, || {
            Why::new(
                "a subagent_update that announces a child session before its first message",
                format!(
                    "a {} came for the child session {}, and its announcement came later",
                    text::short_to(&first.kind, 60),
                    text::short_to(id, 60)
                ),
            )
            .at(first.seq)
        });
    }
});

/// The sessions that were made or asked for by the client's own requests.
fn named_by_us(conn: &Conn) -> BTreeSet<&str> {
    let ours = conn.requests.iter().filter(|it| it.from != conn.target);
    ours.flat_map(|request| {
        let params = request.params.as_ref();
        let asked = params.and_then(|params| params.get("sessionId")?.as_str());
        let listed = request.result().and_then(|result| result.get("sessions"));
        let listed = listed.and_then(Value::as_array).into_iter().flatten();
        let made = request.result().and_then(|result| result.get("sessionId"));
        let answered = made
            .into_iter()
            .chain(listed.filter_map(|it| it.get("sessionId")));
        asked.into_iter().chain(answered.filter_map(Value::as_str))
    })
    .collect()
}
