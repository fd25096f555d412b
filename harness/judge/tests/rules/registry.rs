//! The registry and the catalogue hold each other.

use std::collections::BTreeSet;

use elenchus_judge::rules;
use elenchus_suites::{Observable, Party, Suite};
use elenchus_wire::Side;

/// The areas that are judged for agents.
const AREAS: &[&str] = &[
    "ACP-ELICIT-CAP",
    "ACP-ELICIT-SCOPE",
    "ACP-ELICIT-FORM",
    "ACP-ELICIT-SCHEMA",
    "ACP-ELICIT-RESP",
    "ACP-ELICIT-SECRET",
    "ACP-ELICIT-URL",
    "ACP-ELICIT-COMPLETE",
    "ACP-ELICIT-CANCEL",
    "ACP-ELICIT-STATE",
    "ACP-CANCEL",
    "ACP-TRANSPORT",
    "ACP-JSONRPC",
    "ACP-INIT",
    "ACP-PROMPT",
    "ACP-CONTENT",
    "ACP-ENUM",
    "ACP-TOOL",
    "ACP-PATCH",
    "ACP-PLAN",
    "ACP-CMD",
    "ACP-SESSION",
    "ACP-RESUME",
    "ACP-STATE",
    "ACP-PERM",
    "ACP-TERM",
    "ACP-LIST",
    "ACP-LOAD",
    "ACP-CLOSE",
    "ACP-DELETE",
    "ACP-DIRS",
    "ACP-CONFIG",
    "ACP-MODES",
    "ACP-AUTH",
    "ACP-MCP",
    "ACP-FS",
    "ACP-TYPED",
    "ACP-SHUTDOWN",
    "ACP-BATCH",
    "ACP-ENUM",
    "ACP-META",
    "ACP-EXT",
    "ACP-ERROR",
];

#[test]
fn every_rule_judges_a_live_requirement_and_stands_once_a_side() {
    let catalogue = &Suite::embedded().catalogue;
    let mut seen = BTreeSet::new();
    for rule in rules() {
        let row = catalogue
            .get(rule.id)
            .unwrap_or_else(|| panic!("{} is no requirement", rule.id));
        assert!(row.retired.is_none(), "{} is retired", rule.id);
        assert!(
            row.same_as.is_none(),
            "{} is judged by {:?}",
            rule.id,
            row.same_as
        );
        // What an agent cannot be judged by may bind clients all the same.
        let clients_only = row.party == Party::Both && sides(rule.id) == [Side::Client].into();
        assert!(
            row.no_rule.is_none() || clients_only,
            "{} has a rule and a reason for having none",
            rule.id
        );
        for side in rule.binds {
            assert!(
                seen.insert((rule.id, *side)),
                "{} has two rules for the same side",
                rule.id
            );
        }
    }
}

/// The sides that are bound by rules for a requirement.
fn sides(id: &str) -> BTreeSet<Side> {
    let own = rules().iter().filter(|rule| rule.id == id);
    own.flat_map(|rule| rule.binds).copied().collect()
}

#[test]
fn every_row_that_binds_clients_has_a_rule_for_them_or_a_reason() {
    let catalogue = &Suite::embedded().catalogue;
    let judged: BTreeSet<&str> = rules()
        .iter()
        .filter(|rule| rule.binds.contains(&Side::Client))
        .map(|rule| rule.id)
        .collect();
    let lacking: Vec<&str> = catalogue
        .requirements
        .values()
        .filter(|row| {
            matches!(row.party, Party::Client | Party::Both) && row.observable != Observable::Attest
        })
        .filter(|row| row.retired.is_none())
        .filter(|row| row.no_rule.is_none() && row.no_rule_client.is_none())
        .filter(|row| !judged.contains(row.same_as.as_deref().unwrap_or(&row.id)))
        .map(|row| row.id.as_str())
        .collect();
    assert!(lacking.is_empty(), "no rule and no reason: {lacking:?}");
    let twice: Vec<&str> = catalogue
        .requirements
        .values()
        .filter(|row| row.no_rule_client.is_some() && judged.contains(row.id.as_str()))
        .map(|row| row.id.as_str())
        .collect();
    assert!(
        twice.is_empty(),
        "a rule and a reason for having none: {twice:?}"
    );
}

#[test]
fn every_row_of_the_judged_areas_has_a_rule_or_a_reason() {
    let catalogue = &Suite::embedded().catalogue;
    let judged: BTreeSet<&str> = rules().iter().map(|rule| rule.id).collect();
    let missing: Vec<&str> = catalogue
        .requirements
        .values()
        .filter(|row| AREAS.contains(&row.area()))
        .filter(|row| {
            matches!(row.party, Party::Agent | Party::Both) && row.observable != Observable::Attest
        })
        .filter(|row| row.retired.is_none() && row.no_rule.is_none())
        .filter(|row| row.priority.is_none_or(|priority| priority == 1))
        .filter(|row| !judged.contains(row.same_as.as_deref().unwrap_or(&row.id)))
        .map(|row| row.id.as_str())
        .collect();
    assert!(missing.is_empty(), "no rule and no reason: {missing:?}");
}
