//! ENUM: the values of enums and discriminators. A value that a clause of its own judges is left to that one.

use elenchus_protocol::{
    Version,
    acp::{
        methods,
        shapes::{Mismatch, Part},
    },
};
use serde_json::Value;

use super::{
    content::has_its_members,
    lifecycle::{answered_in_any_way, wants_login},
    told::{at, blocks, is_echoed, misfit, names_live_session, param, prompt_answered},
};
use crate::{
    fact::{Fact, Moment, Payload},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Why},
    world::Request,
};

pub(super) const RULES: &[Rule] = &[
    DEFINED_V2.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    UNKNOWN_VARIANT.at(&[REQUESTS]),
    BROKEN_VARIANT.at(&[ANSWERS]),
    CLOSED_V1.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
];

/// ENUM-001 (and CONFIG-014, CONTENT-004, EXT-013, STATE-004): in v2 a value is one that the schema defines, or begins
/// with an underscore. (v2 extensibility#enum-and-tagged-union-variants)
const DEFINED_V2: Rule =
    Rule::check("ACP-ENUM-001", |m, says| judge(m, says, Version::AcpV2)).of_both();

/// ENUM-006 (and STATE-014): in v1 a value is one that the schema defines; what its types leave open is not judged.
/// (v1 schema)
const CLOSED_V1: Rule =
    Rule::check("ACP-ENUM-006", |m, says| judge(m, says, Version::AcpV1)).of_both();

fn judge(m: &Moment<'_>, says: &mut Says, version: Version) {
    let Some(payload) = m.payload().filter(|payload| payload.from == m.judged) else {
        return;
    };
    if m.conn.version() != version || !payload.value.is_object() {
        return;
    }
    let mut clean = has_values(&payload);
    for value in &m.strays().values {
        clean = false;
        if is_echoed(m, &value.pointer) || has_its_own_clause(version, &payload, value) {
            continue;
        }
        if is_unstable(value) {
            says.note(format!("{} is a value of an unstable feature", value.got));
        } else {
            says.broken(misfit(payload.method, value));
        }
    }
    if clean {
        says.upheld();
    }
}

/// The message has values that these clauses are about.
fn has_values(payload: &Payload<'_>) -> bool {
    match (payload.method, payload.part) {
        (methods::SESSION_UPDATE, _)
        | ("session/prompt", Part::Params)
        | ("session/request_permission", Part::Result) => true,
        (_, Part::Params) => false,
        (_, Part::Result) => ["authMethods", "configOptions"].iter().any(|list| {
            payload.value[*list]
                .as_array()
                .is_some_and(|it| !it.is_empty())
        }),
    }
}

/// Values of features that the schema crate holds to be unstable; a sender that has one is ahead, not wrong.
fn is_unstable(value: &Mismatch) -> bool {
    matches!(
        value.got.as_str(),
        "\"speed\""
            | "\"skill\""
            | "\"acp\""
            | "\"prompt_suggestions_update\""
            | "\"cursor_update\""
    )
}

/// Another clause judges the value at this place.
fn has_its_own_clause(version: Version, payload: &Payload<'_>, value: &Mismatch) -> bool {
    let v1 = version == Version::AcpV1;
    let pointer = value.pointer.as_str();
    match payload.method {
        // ELICIT-FORM, ELICIT-SCHEMA.
        "elicitation/create" => true,
        // PERM-002, PERM-004, and the tool call below.
        "session/request_permission" => {
            pointer.starts_with("/options/")
                || pointer == "/subject/type"
                || in_tool_call(pointer, "/toolCall")
                || in_tool_call(pointer, "/subject/toolCall")
        }
        // PROMPT-003; CONTENT-003 and CONTENT-006.
        "session/prompt" => payload.part == Part::Result || v1,
        // MCP-002 and MCP-005.
        "session/new" | "session/load" | "session/resume"
            if pointer.starts_with("/mcpServers/") =>
        {
            v1 || value.got == "\"sse\""
        }
        // CONFIG-011.
        "session/set_config_option" => v1 && pointer == "/type",
        methods::SESSION_UPDATE => {
            let kind = at(payload.value, "/update/sessionUpdate").and_then(Value::as_str);
            let of_block = pointer.starts_with("/update/content");
            match kind.unwrap_or_default() {
                kind if pointer == "/update/sessionUpdate" => is_the_other_versions(version, kind),
                "tool_call" | "tool_call_update" | "tool_call_content_chunk" => {
                    in_tool_call(pointer, "/update") || (v1 && of_block)
                }
                // STATE-005 and STATE-013.
                "state_update" => matches!(pointer, "/update/state"),
                // PLAN-001 and PLAN-002; CMD-001 and CMD-002; PATCH-014.
                "plan" | "plan_update" | "available_commands_update" | "compaction_update" => true,
                // CONTENT-003 and CONTENT-006.
                _ => v1 && of_block,
            }
        }
        _ => false,
    }
}

/// The values of a tool call that TOOL-006, TOOL-007, TOOL-010 and TOOL-011 judge: its kind and status, and what its
/// content is made of.
fn in_tool_call(pointer: &str, call: &str) -> bool {
    let Some(inner) = pointer.strip_prefix(call) else {
        return false;
    };
    let parts: Vec<&str> = inner.split('/').skip(1).collect();
    matches!(
        parts[..],
        ["kind" | "status"] | ["content", "type"] | ["content", _, "type"]
    )
}

/// INIT-011 and the clauses that it names judge a kind of update that only the other version has. That of a state in v1
/// is this area's.
fn is_the_other_versions(version: Version, kind: &str) -> bool {
    let known_elsewhere = Version::ALL
        .into_iter()
        .filter(|other| *other != version)
        .any(|other| methods::update_kinds(other).contains(&kind));
    known_elsewhere && kind != "state_update"
}

/// A variant that nobody knows stands in these params: what our side makes up begins with this.
fn has_unknown_variant(value: &Value) -> bool {
    let discriminators = ["type", "mode", "outcome"];
    match value {
        Value::Array(elements) => elements.iter().any(has_unknown_variant),
        Value::Object(members) => members.iter().any(|(name, member)| {
            let text = member.as_str().unwrap_or_default();
            let made_up = text.trim_start_matches('_').starts_with("elenchus");
            (discriminators.contains(&name.as_str()) && made_up)
                || (name != "_meta" && has_unknown_variant(member))
        }),
        _ => false,
    }
}

/// ENUM-004 (v2): a request with a variant that nobody knows does not end the agent. What else becomes of one has clauses
/// of its own (RESUME-011, CONFIG-010), as have prompts (PROMPT-022), servers (MCP-006, MCP-011) and answers (PERM-011,
/// PERM-012).
/// (v2 extensibility#enum-and-tagged-union-variants)
const UNKNOWN_VARIANT: Rule = Rule::check_later(
    "ACP-ENUM-004",
    |m, says| {
        if let Some((index, request)) = m.asked()
            && m.conn.version() == Version::AcpV2
            && matches!(
                request.method.as_str(),
                "session/resume" | "session/set_config_option"
            )
            && request.params.as_ref().is_some_and(has_unknown_variant)
            && m.conn.initialized()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let what = "a request with a variant that nobody knows was sent";
        answered_in_any_way(m, watch, what)
    },
);

/// The first block of a prompt that is of a known type and lacks what that needs.
fn broken_block(prompt: &Request) -> Option<&Value> {
    blocks(prompt).iter().find(|block| !has_its_members(block))
}

/// ENUM-005 (v2): a block of a known type that lacks what its type needs is refused, or dropped, and not kept as one of
/// a type that nobody knows. What a prompt has become the agent tells when it reports the message of the user.
/// (v2 migration#migration-checklist-sdks)
const BROKEN_VARIANT: Rule = Rule::check_later(
    "ACP-ENUM-005",
    |m, says| {
        let Some((index, prompt)) = prompt_answered(m) else {
            return;
        };
        let Some(answer) = prompt
            .answer()
            .filter(|_| m.conn.version() == Version::AcpV2)
        else {
            return;
        };
        if broken_block(prompt).is_none() || !names_live_session(m.conn, prompt) {
            return;
        }
        match answer.error_code {
            _ if wants_login(answer) => says.unclear("the agent wants a login first"),
            Some(-32602) => says.upheld(),
            _ if answer.is_error => {
                says.note("a broken block was refused with another code than -32602");
                says.upheld();
            }
            _ => says.watch(Subject::Request(index)),
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let prompt = &m.conn.requests[index];
        let id = prompt.result().and_then(|result| result.get("messageId"));
        let reported = |update: &Value| {
            let kind = update.get("sessionUpdate").and_then(Value::as_str);
            matches!(kind, Some("user_message" | "user_message_chunk"))
                && update.get("messageId") == id
        };
        let update = match m.fact {
            Fact::Notified(notified) => {
                let params = m.conn.notifications[*notified].params.as_ref();
                params
                    .filter(|params| {
                        params.get("sessionId").and_then(Value::as_str)
                            == param(prompt, "sessionId")
                    })
                    .and_then(|params| params.get("update"))
                    .filter(|update| reported(update))
            }
            Fact::Settled | Fact::Exited | Fact::Ended => {
                return Still::Unclear(
                    "the agent took the prompt, and did not tell what it made of the block"
                        .to_owned(),
                );
            }
            _ => None,
        };
        let Some((update, broken)) = update.zip(broken_block(prompt)) else {
            return Still::Watching;
        };
        let content = update.get("content");
        let kept = match content {
            Some(Value::Array(blocks)) => blocks.contains(broken),
            Some(block) => block == broken,
            None => false,
        };
        if kept {
            Still::Broken(
                Why::new(
                    "error -32602, or a message without the block",
                    "a block of a known type without what that type needs was kept as it is",
                )
                .sent(prompt.text.clone()),
            )
        } else {
            Still::Watching
        }
    },
);
