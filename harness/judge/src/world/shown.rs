//! What the agent has shown in a session beside words: its plans, its commands, and the terminals of tool calls.

use std::collections::BTreeMap;

use serde_json::Value;

use super::payload::{member, name, str_at};

/// The most plans of a session that are followed.
const MAX_PLANS: usize = 16;
/// How many lists of one plan are kept: enough to see that what was left out comes back, and is done.
pub(crate) const MAX_LISTS: usize = 32;
/// The most entries of one list, and the most commands and terminals.
const MAX_ITEMS: usize = 64;
/// The most text of one list's entries, in bytes.
const MAX_TEXT: usize = 8 * 1024;

/// What was shown in a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    /// The newest lists of each plan, the oldest first, by the plan's id (empty in version 1).
    pub plans: BTreeMap<String, Vec<Plan>>,
    /// The names of the commands that were advertised last.
    pub commands: Vec<String>,
    /// The terminals that tool calls show, with the event that first did.
    pub terminals: BTreeMap<String, u64>,
    /// A tool call of it was told to be one that can be cancelled (v2).
    pub cancellable_call: bool,
    /// A terminal of it was (v2).
    pub cancellable_terminal: bool,
}

/// All that one update told of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The event.
    pub seq: u64,
    /// Its entries.
    pub steps: Vec<Step>,
}

/// An entry of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is to be done.
    pub content: String,
    /// It is still to be done.
    pub open: bool,
    /// It was done.
    pub completed: bool,
}

impl Shown {
    /// Takes down an update, if it shows one of these.
    pub(super) fn take_down(&mut self, seq: u64, kind: &str, update: &Value) {
        let capabilities = member(update, "capabilities");
        let cancel = capabilities.and_then(|capabilities| capabilities.get("cancel"));
        if cancel.is_some_and(|cancel| !cancel.is_null()) {
            self.cancellable_call |= kind == "tool_call_update";
            self.cancellable_terminal |= kind == "terminal_update";
        }
        match kind {
            "plan" => self.plan(seq, String::new(), update),
            "plan_update" => {
                let plan = update.get("plan");
                if let (Some(id), Some(plan)) = (str_at(plan, "planId"), plan) {
                    self.plan(seq, name(id), plan);
                }
            }
            "plan_removed" => {
                if let Some(id) = str_at(Some(update), "planId") {
                    self.plans.remove(&name(id));
                }
            }
            "available_commands_update" => self.commands = commands(update),
            "tool_call" | "tool_call_update" => self.terminals(seq, update),
            _ => {}
        }
    }

    fn plan(&mut self, seq: u64, id: String, plan: &Value) {
        let Some(steps) = steps(plan) else {
            // A plan of another kind, or one too long to be followed, replaces what there was.
            self.plans.remove(&id);
            return;
        };
        if self.plans.len() >= MAX_PLANS && !self.plans.contains_key(&id) {
            return;
        }
        let lists = self.plans.entry(id).or_default();
        if lists.len() == MAX_LISTS {
            lists.remove(0);
        }
        lists.push(Plan { seq, steps });
    }

    fn terminals(&mut self, seq: u64, update: &Value) {
        let items = member(update, "content").and_then(Value::as_array);
        for item in items.into_iter().flatten() {
            if str_at(Some(item), "type") == Some("terminal")
                && let Some(id) = str_at(Some(item), "terminalId")
                && self.terminals.len() < MAX_ITEMS
            {
                self.terminals.entry(name(id)).or_insert(seq);
            }
        }
    }
}

/// The entries of a plan that is a list of them; none if there are too many, or too much text in them. Version 2 has plans
/// of other types, whose members are their own.
fn steps(plan: &Value) -> Option<Vec<Step>> {
    if plan.get("type").is_some_and(|kind| kind != "items") {
        return None;
    }
    let entries = plan.get("entries")?.as_array()?;
    let contents = entries.iter().map(|entry| str_at(Some(entry), "content"));
    let size: usize = contents.flatten().map(str::len).sum();
    let steps = entries.iter().filter_map(|entry| {
        let status = str_at(Some(entry), "status");
        Some(Step {
            content: str_at(Some(entry), "content")?.to_owned(),
            open: matches!(status, Some("pending" | "in_progress")),
            completed: status == Some("completed"),
        })
    });
    (entries.len() <= MAX_ITEMS && size <= MAX_TEXT).then(|| steps.collect())
}

/// The names in a list of commands. Entries of another type, which version 2 has, are no commands.
fn commands(update: &Value) -> Vec<String> {
    let listed = update.get("availableCommands").and_then(Value::as_array);
    let listed = listed.into_iter().flatten().take(MAX_ITEMS);
    let listed = listed.filter(|entry| entry.get("type").is_none_or(|kind| kind == "command"));
    let names = listed.filter_map(|command| str_at(Some(command), "name"));
    names.map(name).collect()
}
