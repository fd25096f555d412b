//! What is built in, seen from each requirement: its rule, its scripts, its faults.

use std::collections::BTreeSet;

use elenchus_fixtures::fault::{Fault, agent_faults, client_faults, hidden_faults};
use elenchus_reports::builder::Kind;
use elenchus_suites::{Observable, Party, Requirement, Script, Suite};
use elenchus_wire::Side;

/// The requirement whose rule serves this one: itself, or the one that it is the same as.
pub(crate) fn judged_as(requirement: &Requirement) -> &str {
    requirement.same_as.as_deref().unwrap_or(&requirement.id)
}

/// The requirements that have a rule of their own for targets of this kind.
pub(crate) fn ruled(kind: Kind) -> BTreeSet<&'static str> {
    let side = match kind {
        Kind::Agent => Side::Server,
        Kind::Client => Side::Client,
    };
    let rules = elenchus_judge::rules().iter();
    rules
        .filter(|rule| rule.binds.contains(&side))
        .map(|rule| rule.id)
        .collect()
}

/// The faults that the reference peer of this kind can be given.
pub(crate) fn faults_of(kind: Kind) -> impl Iterator<Item = &'static Fault> {
    let (faults, hidden) = match kind {
        Kind::Agent => (agent_faults(), hidden_faults()),
        Kind::Client => (client_faults(), [].as_slice()),
    };
    faults.iter().chain(hidden)
}

/// All faults, each with the kind of the peer that can be given it.
pub(crate) fn all_faults() -> impl Iterator<Item = (Kind, &'static Fault)> {
    [Kind::Agent, Kind::Client]
        .into_iter()
        .flat_map(|kind| faults_of(kind).map(move |fault| (kind, fault)))
}

/// A rule judges it.
pub(crate) fn has_rule(requirement: &Requirement) -> bool {
    let rules = elenchus_judge::rules();
    requirement.retired.is_none() && rules.iter().any(|rule| rule.id == judged_as(requirement))
}

/// Nothing but a person's word can be had of it.
pub(crate) fn attestable(requirement: &Requirement) -> bool {
    let by_eye = requirement.observable == Observable::Attest;
    by_eye && requirement.retired.is_none() && !has_rule(requirement)
}

/// Why no rule judges it; none where one does.
pub(crate) fn why_no_rule(requirement: &Requirement) -> Option<String> {
    if let Some(reason) = &requirement.retired {
        return Some(format!("never judged: {reason}"));
    }
    if has_rule(requirement) {
        return None;
    }
    let other = requirement
        .same_as
        .as_deref()
        .and_then(|id| Suite::embedded().catalogue.get(id));
    let reason = requirement
        .no_rule
        .clone()
        .or_else(|| other.and_then(|other| other.no_rule.clone()));
    Some(reason.unwrap_or_else(|| {
        if requirement.observable == Observable::Attest {
            "no wire shows it: a person attests it".to_owned()
        } else {
            "none has been written for it".to_owned()
        }
    }))
}

fn names(requirement: &Requirement, ids: impl IntoIterator<Item = impl AsRef<str>>) -> bool {
    ids.into_iter()
        .any(|id| id.as_ref() == requirement.id || id.as_ref() == judged_as(requirement))
}

/// The scripts that are there for it.
pub(crate) fn scripts(requirement: &Requirement) -> Vec<&'static Script> {
    Suite::embedded()
        .scripts
        .iter()
        .filter(|script| names(requirement, &script.covers))
        .collect()
}

/// The faults by which a run of the suite breaks it.
pub(crate) fn faults(requirement: &Requirement) -> Vec<&'static Fault> {
    agent_faults()
        .iter()
        .chain(client_faults())
        .filter(|fault| names(requirement, fault.breaks))
        .collect()
}

/// Whom a clause binds, in a word.
pub(crate) fn party_name(party: Party) -> &'static str {
    match party {
        Party::Agent => "agent",
        Party::Client => "client",
        Party::Both => "both",
        Party::Server => "server",
        Party::Gateway => "gateway",
    }
}

/// How a clause can be seen, in a word.
pub(crate) fn observable_name(observable: Observable) -> &'static str {
    match observable {
        Observable::Wire => "wire",
        Observable::Probe => "probe",
        Observable::Host => "host",
        Observable::Attest => "attest",
    }
}

/// An area's short name: `ELICIT-CAP`.
pub(crate) fn short_area(requirement: &Requirement) -> &str {
    let area = requirement.area();
    area.strip_prefix("ACP-")
        .or_else(|| area.strip_prefix("MCP-"))
        .unwrap_or(area)
}

/// The first sentence of a script's comment, or its first line.
pub(crate) fn first_line(about: &str) -> &str {
    about
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("")
}
