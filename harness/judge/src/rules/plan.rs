//! PLAN: what an agent tells of its plans.

use elenchus_protocol::Version;
use serde_json::Value;

use super::{
    calls::{defined, tell_places, update},
    told::at,
    tool::gone_in_v2,
};
use crate::{
    fact::Moment,
    rule::{Rule, Still, Why},
    text,
    world::{Plan, Step},
};

pub(super) const RULES: &[Rule] = &[SHAPE_V1, SHAPE_V2, WHOLE, GONE_IN_V2];

/// PLAN-001 (v1): a plan has entries, each with content, priority and status. (v1 agent-plan#plan-entries)
const SHAPE_V1: Rule = Rule::check("ACP-PLAN-001", |m, says| {
    let plan = update(m).is_some_and(|(kind, _)| kind == "plan");
    if plan
        && m.conn.version() == Version::AcpV1
        && !tell_places(m, says, "plan", |pointer| {
            pointer.starts_with("/update/entries")
        })
    {
        says.upheld();
    }
});

/// PLAN-002 (v2): a plan has a type and a planId, and the members of its type. That its path is absolute is
/// SESSION-007's. (v2 agent-plan; PlanUpdateContent)
const SHAPE_V2: Rule = Rule::check("ACP-PLAN-002", |m, says| {
    let Some((kind, params)) = update(m).filter(|(kind, _)| *kind == "plan_update") else {
        return;
    };
    if m.conn.version() != Version::AcpV2 {
        return;
    }
    if tell_places(m, says, kind, |pointer| pointer.starts_with("/update/plan")) {
        return;
    }
    let Some(plan) = at(params, "/update/plan") else {
        return;
    };
    let mut value = |place: &str, known: &[&str]| {
        let value = at(plan, place).and_then(Value::as_str);
        if let Some(value) = value {
            defined(m, says, &format!("/update/plan{place}"), value, known);
        }
    };
    value("/type", &["items", "markdown"]);
    let entries = plan.get("entries").and_then(Value::as_array);
    for index in 0..entries.map_or(0, Vec::len) {
        value(&format!("/entries/{index}/priority"), &PRIORITIES);
        value(&format!("/entries/{index}/status"), &STATUSES);
    }
});

/// How much an entry of a plan matters.
const PRIORITIES: [&str; 3] = ["high", "medium", "low"];
/// How far an entry of a plan is, in version 2.
const STATUSES: [&str; 4] = ["pending", "in_progress", "completed", "cancelled"];

/// The lists of the plan that is told at this fact, in this turn, the oldest first.
fn lists<'a>(m: &Moment<'a>) -> Option<&'a [Plan]> {
    let (kind, params) = update(m)?;
    let id = match (kind, m.conn.version()) {
        ("plan", Version::AcpV1) => "",
        ("plan_update", _) => at(params, "/update/plan/planId")?.as_str()?,
        _ => return None,
    };
    let session = params.get("sessionId")?.as_str()?;
    let turn = &m.conn.turns[m.conn.open_turn(session)?];
    let began = m.conn.requests[turn.request].seq;
    let lists = m.conn.sessions.get(session)?.shown.plans.get(id)?;
    let newest = lists.last().filter(|list| list.seq == m.event.seq);
    newest?;
    let first = lists.partition_point(|list| list.seq < began);
    Some(&lists[first..])
}

fn has(list: &Plan, step: &Step) -> bool {
    list.steps.iter().any(|other| other.content == step.content)
}

/// PLAN-003: each update of a plan has all its entries. An agent may drop what it no longer wants to do; that one has left
/// entries out is certain when they come back, while others are gone for it. (agent-plan#updating-plans)
const WHOLE: Rule = Rule::check("ACP-PLAN-003", |m, says| {
    let Some([earlier @ .., last, new]) = lists(m) else {
        return;
    };
    let before = || earlier.iter().chain([last]);
    let revised = |step: &Step| !before().any(|list| has(list, step));
    if new.steps.iter().any(revised) {
        return;
    }
    let mut gone = last.steps.iter().filter(|step| !has(new, step));
    let came_back = |step: &&Step| {
        let to_do = |list: &Plan| {
            let mut steps = list.steps.iter();
            steps.any(|other| other.open && other.content == step.content)
        };
        let was = before().position(to_do);
        was.is_some_and(|was| before().skip(was).any(|list| !has(list, step)))
    };
    let back = new.steps.iter().find(came_back);
    match (gone.next(), back) {
        (Some(gone), Some(back)) => says.broken(Why::new(
            "all entries of the plan in every update of it",
            format!(
                "an update of the plan has `{}`, which the one before had left out, and leaves out `{}`, which that one had",
                text::short_to(&back.content, 60),
                text::short_to(&gone.content, 60)
            ),
        )),
        (Some(step), None) if step.open || gone.any(|step| step.open) => {
            says.unclear("the agent may have changed its mind about what it has left out");
        }
        _ => says.upheld(),
    }
});

/// PLAN-005 (v2): the update kind plan of version 1 is gone. (v2 migration#plans)
const GONE_IN_V2: Rule = Rule::ban(
    "ACP-PLAN-005",
    |m, says| gone_in_v2(m, says, "plan", "plan_update"),
    |_, _| Still::Watching,
);
