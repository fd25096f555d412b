//! `list` and `explain`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Elenchus, stdout};

fn listed(what: &str) -> Vec<Value> {
    let text = stdout(
        &Elenchus::new()
            .run(&format!("list {what} --format json"))
            .code(0),
    );
    serde_json::from_str(&text).expect("a list of objects")
}

fn strings<'v>(value: &'v Value, member: &str) -> Vec<&'v str> {
    value[member]
        .as_array()
        .unwrap_or_else(|| panic!("{member} is a list"))
        .iter()
        .filter_map(Value::as_str)
        .collect()
}

#[test]
fn every_requirement_tells_how_it_is_covered_or_why_it_is_not() {
    let requirements = listed("requirements");
    assert!(requirements.len() > 300, "{}", requirements.len());
    for row in &requirements {
        for member in ["id", "level", "party", "observable", "area"] {
            assert!(row[member].is_string(), "{member} of {row}");
        }
        for member in ["versions", "scripts", "faults"] {
            assert!(row[member].is_array(), "{member} of {row}");
        }
        assert!(row["derived"].is_boolean(), "{row}");
        let rule = row["rule"]
            .as_bool()
            .unwrap_or_else(|| panic!("rule of {row}"));
        assert_eq!(row["reason"].is_string(), !rule, "{row}");
    }
}

#[test]
fn what_lists_name_is_listed() {
    let ids: BTreeSet<String> = listed("requirements")
        .iter()
        .filter_map(|row| row["id"].as_str())
        .map(str::to_owned)
        .collect();
    let known = |id: &str| assert!(ids.contains(id), "{id} is no requirement");
    for script in listed("scripts") {
        strings(&script, "covers")
            .into_iter()
            .chain(strings(&script, "breaks"))
            .for_each(known);
        assert!(!strings(&script, "covers").is_empty(), "{script}");
    }
    for fault in listed("faults") {
        strings(&fault, "breaks").into_iter().for_each(known);
        for also in fault["may_also"].as_array().expect("a list") {
            known(also["id"].as_str().expect("an id"));
            assert!(also["reason"].is_string(), "{also}");
        }
    }
}

#[test]
fn a_person_can_list_everything_too() {
    for (what, text) in [
        ("requirements", "ACP-ELICIT-CAP-004"),
        ("scripts", "acp/"),
        ("faults", "breaks ACP-"),
    ] {
        let shown = stdout(&Elenchus::new().run(&format!("list {what}")).code(0));
        assert!(shown.contains(text), "{what}: {shown}");
        assert!(
            !shown.contains('\u{1b}'),
            "no colours where there is no terminal"
        );
    }
}

#[test]
fn colours_can_be_asked_for() {
    let shown = stdout(
        &Elenchus::new()
            .run("list requirements --color always")
            .code(0),
    );
    assert!(shown.contains('\u{1b}'));
}

#[test]
fn a_requirement_is_explained() {
    let shown = stdout(&Elenchus::new().run("explain acp-elicit-cap-004").code(0));
    let short = stdout(&Elenchus::new().run("explain ELICIT-CAP-004").code(0));
    assert_eq!(short, shown);
    for text in [
        "ACP-ELICIT-CAP-004",
        "elicitation capability",
        "source",
        "must-not",
        "judged",
        "broken by",
        "Scripts that exercise it",
        "Faults that break it",
        "--only ACP-ELICIT-CAP-004",
    ] {
        assert!(shown.contains(text), "no `{text}` in {shown}");
    }
}

#[test]
fn everything_that_is_listed_is_explained() {
    let elenchus = Elenchus::new();
    for (what, member) in [
        ("requirements", "id"),
        ("scripts", "name"),
        ("faults", "id"),
    ] {
        let rows = listed(what);
        // One in twenty-five is enough to see each shape, and each is a process of its own.
        for row in rows.iter().step_by(25) {
            let name = row[member].as_str().expect("a name");
            let shown = stdout(&elenchus.run(&format!("explain {name}")).code(0));
            assert!(shown.starts_with(name), "{shown}");
        }
    }
}

#[test]
fn what_people_can_attest_is_a_checklist() {
    let elenchus = Elenchus::new();
    let untold = stdout(&elenchus.run("list checklist").code(0));
    for part in [
        "[ ] ACP-ELICIT-FORM-011 (must, v1 v2)",
        "The full URL is shown before consent is asked for.",
        "[ ] ACP-DIRS-006",
        "[[attestation]]",
    ] {
        assert!(untold.contains(part), "{part}: {untold}");
    }
    elenchus.file(
        "elenchus.toml",
        "kind = \"client\"\n[[attestation]]\nrequirement = \"ACP-ELICIT-FORM-011\"\nwho = \"Ada\"\nwhen = 2026-11-30\nnote = \"seen\"\n",
    );
    let told = stdout(&elenchus.run("list checklist").code(0));
    for part in [
        "[x] ACP-ELICIT-FORM-011 (must, v1 v2)",
        "Ada, 2026-11-30: seen",
        "[ ] ACP-ELICIT-FORM-010",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // It binds agents alone.
    assert!(!told.contains("ACP-DIRS-006"), "{told}");
    let rows = stdout(&elenchus.run("list checklist --format json").code(0));
    let rows: Vec<Value> = serde_json::from_str(&rows).expect("a list of objects");
    let row = rows.iter().find(|row| row["id"] == "ACP-ELICIT-FORM-011");
    assert_eq!(row.expect("it is there")["attested"]["who"], "Ada");
}
