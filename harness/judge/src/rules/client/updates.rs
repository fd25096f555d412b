//! PROMPT, ENUM, TOOL, PLAN and CONFIG: updates that a client may not understand, and lives on after. What a person sees
//! of them no trace shows.
//!
//! The cause has to be certain: since the update nothing was sent but fences and probes (see `survive`).

use elenchus_protocol::{
    Version,
    acp::{
        methods,
        shapes::{self, Part},
    },
};
use elenchus_wire::Side;
use serde_json::Value;

use super::session::asks;
use crate::{
    fact::Moment,
    kinds::{NOTIFICATIONS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    rules::{survive::stays, told::update_params},
};

pub(super) const RULES: &[Rule] = &[
    ANY_KIND.at(&[NOTIFICATIONS]),
    UNKNOWN_VARIANTS.at(&[NOTIFICATIONS]),
    NO_PATCH.at(&[NOTIFICATIONS]),
    PLANS.at(&[NOTIFICATIONS]),
    CATEGORIES.at(&[NOTIFICATIONS]),
    CANCELS.at(&[REQUESTS]),
];

/// Our update at hand.
fn update<'a>(m: &Moment<'a>) -> Option<&'a Value> {
    update_params(m)
        .filter(|_| m.judged == Side::Client && m.conn.initialized())?
        .get("update")
}

fn kind(update: &Value) -> &str {
    let kind = update.get("sessionUpdate").and_then(Value::as_str);
    kind.unwrap_or_default()
}

/// Opens a watch on what becomes of the client after the update at hand.
fn watch(m: &Moment<'_>, says: &mut Says, is: impl FnOnce(&Value) -> bool) {
    if update(m).is_some_and(is) && !m.conn.malformed {
        says.watch(Subject::Connection);
    }
}

/// What Elenchus makes up: a value of its own, with the underscore that an extension has or without.
fn made_up(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    text.trim_start_matches('_').starts_with("elenchus_")
        || text.trim_start_matches('_') == "elenchus"
}

/// Members whose values are those of an enum, or tell variants of a union apart.
const OPEN: &[&str] = &[
    "sessionUpdate",
    "state",
    "stopReason",
    "kind",
    "status",
    "type",
    "priority",
    "operation",
    "fileType",
    "format",
    "role",
    "theme",
    "severity",
    "category",
];

/// A variant or a value that nobody knows stands in it.
fn has_unknown_variant(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(has_unknown_variant),
        Value::Object(members) => members.iter().any(|(name, member)| {
            let here = OPEN.contains(&name.as_str()) && made_up(member)
                || name == "audience"
                    && member
                        .as_array()
                        .is_some_and(|roles| roles.iter().any(made_up));
            here || name != "_meta" && has_unknown_variant(member)
        }),
        _ => false,
    }
}

/// It has more in it than it has to say (EXT-008, META-002).
fn is_grown(update: &Value) -> bool {
    let text = update.to_string();
    text.contains("\"elenchusUnknown") || text.contains("\"elenchus.test/")
}

/// Kinds that every turn has say little.
fn is_common(kind: &str) -> bool {
    matches!(kind, "agent_message_chunk" | "state_update")
}

/// PROMPT-024: updates of all kinds come in any order during a turn, and in v1 one of a kind that nobody knows; the turn
/// goes on to its end. In v2 the latter is ENUM-003's. (prompt-turn; robustness)
const ANY_KIND: Rule = Rule::check_later(
    "ACP-PROMPT-024",
    |m, says| {
        let version = m.conn.version();
        let params = update_params(m).unwrap_or(&Value::Null);
        let in_order =
            || shapes::check(version, methods::SESSION_UPDATE, Part::Params, params).is_empty();
        watch(m, says, |update| {
            let kind = kind(update);
            let known = methods::update_kinds(version).contains(&kind);
            if known {
                !is_common(kind) && !has_unknown_variant(update) && !is_grown(update) && in_order()
            } else {
                version == Version::AcpV1
            }
        });
    },
    |m, watch| stays(m, watch, "an update came during the turn"),
)
.of_client();

/// ENUM-003 (v2): at no open place does a value that nobody knows end the client or its turn.
/// (v2 extensibility#enum-and-tagged-union-variants)
const UNKNOWN_VARIANTS: Rule = Rule::check_later(
    "ACP-ENUM-003",
    |m, says| {
        if m.conn.version() == Version::AcpV2 {
            watch(m, says, has_unknown_variant);
        }
    },
    |m, watch| {
        stays(
            m,
            watch,
            "an update with a value that nobody knows was sent",
        )
    },
)
.of_client();

/// The parts of a tool call's content.
fn content(update: &Value) -> impl Iterator<Item = &Value> {
    let content = update.get("content");
    let list = content.and_then(Value::as_array).into_iter().flatten();
    list.chain(content.filter(|it| it.is_object()))
}

/// TOOL-014 (v2): a diff need not have a patch. (v2 tool-calls#diffs)
const NO_PATCH: Rule = Rule::check_later(
    "ACP-TOOL-014",
    |m, says| {
        let bare = |part: &Value| {
            part.get("type").is_some_and(|kind| kind == "diff")
                && part.get("patch").is_none_or(Value::is_null)
        };
        if m.conn.version() == Version::AcpV2 {
            watch(m, says, |update| content(update).any(bare));
        }
    },
    |m, watch| stays(m, watch, "a diff without a patch was sent"),
)
.of_client();

/// PLAN-006 (v2): a plan that nobody knows can be removed, and a plan becomes one of another type.
/// (v2/client.rs PlanRemoved; v2 agent-plan)
const PLANS: Rule = Rule::check_later(
    "ACP-PLAN-006",
    |m, says| {
        if m.conn.version() == Version::AcpV2 {
            watch(m, says, |update| {
                let unknown = update.get("planId").and_then(Value::as_str);
                let other = update.pointer("/plan/type").and_then(Value::as_str);
                match kind(update) {
                    "plan_removed" => unknown.is_some_and(|id| id.starts_with("elenchus-")),
                    "plan_update" => other == Some("markdown"),
                    _ => false,
                }
            });
        }
    },
    |m, watch| {
        let what = "a plan was removed that was not there, or became one of another type";
        stays(m, watch, what)
    },
)
.of_client();

/// CONFIG-015: an option without a category, or with one that nobody knows, is an option; one of a type that nobody knows
/// is passed over (v2). (session-config-options#option-categories)
const CATEGORIES: Rule = Rule::check_later(
    "ACP-CONFIG-015",
    |m, says| {
        let strange = |option: &Value| {
            let category = option.get("category").filter(|it| !it.is_null());
            let v2 = m.conn.version() == Version::AcpV2;
            category.is_none_or(made_up) || v2 && option.get("type").is_some_and(made_up)
        };
        watch(m, says, |update| {
            let options = update.get("configOptions").and_then(Value::as_array);
            kind(update) == "config_option_update" && options.into_iter().flatten().any(strange)
        });
    },
    |m, watch| {
        let what = "options without a category, or of one or a type that nobody knows, were listed";
        stays(m, watch, what)
    },
)
.of_client();

/// EXT-008, META-002 and META-005, of a client: our update has more in it than it has to say.
pub(in crate::rules) fn watch_grown(
    m: &Moment<'_>,
    says: &mut Says,
    grown: impl FnOnce(&Value) -> bool,
) {
    watch(m, says, grown);
}

/// What becomes of a client after such an update.
pub(in crate::rules) fn grown(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    stays(m, watch, &format!("an update with {what} was sent"))
}

/// TOOL-016 (v2): a tool call or a terminal is cancelled only while it says that it can be.
/// (v2/agent.rs CancelToolCallRequest)
const CANCELS: Rule = Rule::check("ACP-TOOL-016", |m, says| {
    let Some(request) = asks(m, &["tool_call/cancel", "terminal/cancel"]) else {
        return;
    };
    if m.conn.version() != Version::AcpV2 || !m.conn.from_start {
        return;
    }
    let session = crate::rules::lifecycle::session_of(request);
    let shown = session
        .and_then(|it| m.conn.sessions.get(it))
        .map(|it| &it.shown);
    let cancellable = shown.is_some_and(|shown| match request.method.as_str() {
        "tool_call/cancel" => shown.cancellable_call,
        _ => shown.cancellable_terminal,
    });
    says.holds(cancellable, || {
        Why::new(
            format!("no {}", request.method),
            format!(
                "{} was called, and nothing in the session says that it can be cancelled",
                request.method
            ),
        )
    });
})
.of_client();
