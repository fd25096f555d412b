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
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS, TURN_ENDS, TURN_STARTS},
    rule::{Rule, Still, Why},
    text,
    world::{MAX_LISTS, Plan, Step},
};

pub(super) const RULES: &[Rule] = &[
    SHAPE_V1.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    SHAPE_V2.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    WHOLE.at(&[ANSWERS, NOTIFICATIONS, REQUESTS, TURN_ENDS]),
    GONE_IN_V2.at(&[ANSWERS, NOTIFICATIONS, REQUESTS, TURN_STARTS]),
];

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
    // A plan of another type has members of its own.
    let entries = plan.get("entries").filter(|_| plan["type"] == "items");
    let entries = entries.and_then(Value::as_array);
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

/// PLAN-003: each update of a plan has all its entries. An agent may revise its plan, and take up again what it had
/// dropped; that it did neither shows when the turn is over, from the course of the work. (agent-plan#updating-plans)
const WHOLE: Rule = Rule::check("ACP-PLAN-003", |m, says| {
    if let Some((one, other)) = told_apart(m) {
        return says.broken(Why::new(
            "all entries of the plan in every update of it",
            format!(
                "the updates of the plan had only some of its entries: `{}` and `{}` were left out, and were told again one after the other, until they were done",
                text::short_to(&one.content, 60),
                text::short_to(&other.content, 60)
            ),
        ));
    }
    let Some([earlier @ .., last, new]) = lists(m) else {
        return;
    };
    let revised = |step: &Step| !has(last, step) && !earlier.iter().any(|list| has(list, step));
    if new.steps.iter().any(revised) {
        return;
    }
    let gone = |step: &&Step| !has(new, step);
    let dropped = last.steps.iter().filter(gone).any(|step| step.open);
    if dropped || new.steps.iter().any(|step| !has(last, step)) {
        says.unclear("the agent may have changed its mind about what it leaves out");
    } else {
        says.upheld();
    }
});

/// Two entries of a plan of the turn that ends at this fact, which updates with what had changed told by themselves.
fn told_apart<'a>(m: &Moment<'a>) -> Option<(&'a Step, &'a Step)> {
    let (_, turn) = m.turn_ended()?;
    let began = m.conn.requests[turn.request].seq;
    let plans = &m.conn.sessions.get(&turn.session)?.shown.plans;
    plans.values().find_map(|lists| {
        let first = lists.partition_point(|list| list.seq < began);
        // Where the oldest list of the turn may be lost, nothing is certain.
        let followed = first > 0 || lists.len() < MAX_LISTS;
        let (whole, later) = lists[first..].split_first().filter(|_| followed)?;
        deltas(whole, later)
    })
}

/// Two entries of a plan that were left out while they were to be done, came back at different times, and were done, while
/// all updates had only some of the plan's entries, and nothing new. An agent that goes through the steps of its plan more
/// than once, or shows it whole again, may have revised it.
fn deltas<'a>(whole: &'a Plan, later: &[Plan]) -> Option<(&'a Step, &'a Step)> {
    let is_part = |list: &Plan| {
        list.steps.iter().all(|step| has(whole, step))
            && whole.steps.iter().any(|step| !has(list, step))
    };
    if !later.iter().all(is_part) {
        return None;
    }
    let mut back: Vec<(usize, &Step)> = Vec::new();
    for (at, step) in whole.steps.iter().enumerate() {
        let same = |other: &&Step| other.content == step.content;
        let course = later.iter().map(|list| list.steps.iter().find(same));
        let course: Vec<Option<&Step>> = course.collect();
        let told: Vec<&Step> = course.iter().flatten().copied().collect();
        let twice = whole.steps[at + 1..].iter().any(|other| same(&other));
        if twice || told.windows(2).any(|pair| !pair[0].open && pair[1].open) {
            return None;
        }
        let mut pairs = course.windows(2);
        let when = pairs.position(|pair| pair[0].is_none() && pair[1].is_some());
        let done = told.last().is_some_and(|step| step.completed);
        back.extend(when.filter(|_| step.open && done).map(|when| (when, step)));
    }
    let (when, one) = *back.first()?;
    let (_, other) = back.iter().find(|(other, _)| *other != when)?;
    Some((one, *other))
}

/// PLAN-005 (v2): the update kind plan of version 1 is gone. (v2 migration#plans)
const GONE_IN_V2: Rule = Rule::ban(
    "ACP-PLAN-005",
    |m, says| gone_in_v2(m, says, "plan", "plan_update"),
    |_, _| Still::Watching,
);
