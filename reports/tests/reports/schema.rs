//! Every report has the published shape, and the shape is strict.

use elenchus_judge::Judgement;
use elenchus_reports::{Report, build};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture::{
    CAP, INIT, LOADS, STRICTER, all_upheld, attested, broken, catalogue, dead, in_v2, input,
    judgement, performance, protocol, skipped, unclear, upheld,
};

fn schema() -> Validator {
    let schema: Value =
        serde_json::from_str(include_str!("../../report.schema.json")).expect("the schema is JSON");
    assert!(
        jsonschema::meta::is_valid(&schema),
        "the schema is a schema"
    );
    jsonschema::validator_for(&schema).expect("the schema builds")
}

fn problems(schema: &Validator, report: &Value) -> Vec<String> {
    schema
        .iter_errors(report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// A report in which every optional member stands somewhere.
fn full() -> Report {
    let catalogue = catalogue();
    let mut first = all_upheld();
    let mut died = broken(&["one", "two"]);
    for breach in &mut died.breaches {
        breach.stderr = vec!["thread 'main' panicked".to_owned()];
    }
    first.tallies.insert(CAP, died);
    first.tallies.remove(LOADS);
    first.not_applicable.push(LOADS.to_owned());
    first.tallies.insert(STRICTER, unclear("the race was lost"));
    let repeats = [judgement([(CAP, broken(&["one"]))])];
    let mut input = input(&catalogue, &[]);
    input.protocols.push(protocol(2));
    input.performances = vec![
        performance("acp/a", "n=1", &first, &repeats),
        in_v2(performance("acp/a", "n=1", &first, &repeats)),
    ];
    input.skipped = vec![skipped("acp/b", "needs session/load")];
    input.attestations = vec![attested("ACP-JSONRPC-004", Some("as the screen shows"))];
    input.dead = Some(dead());
    build(&input)
}

#[test]
fn built_reports_have_the_published_shape() {
    let catalogue = catalogue();
    let good = all_upheld();
    let nothing = Judgement::default();
    let mut reports = vec![full()];
    for judged in [&good, &nothing] {
        let mut input = input(&catalogue, &[]);
        input.performances = vec![performance("acp/a", "", judged, &[])];
        reports.push(build(&input));
        input.dead = Some(dead());
        input.target.info = None;
        input.protocols = Vec::new();
        reports.push(build(&input));
    }
    let schema = schema();
    for report in reports {
        let value = serde_json::to_value(&report).expect("a report is JSON");
        assert_eq!(problems(&schema, &value), Vec::<String>::new());
        assert_eq!(
            serde_json::from_value::<Report>(value).expect("a report reads back"),
            report
        );
    }
}

#[test]
fn a_report_with_anything_else_in_it_does_not_have_the_shape() {
    let schema = schema();
    let good = serde_json::to_value(full()).expect("a report is JSON");
    assert_eq!(problems(&schema, &good), Vec::<String>::new());
    let rows = good["runs"][0]["requirements"].as_array();
    let row = |id: &str| {
        let mut rows = rows.expect("rows are a list").iter();
        let row = rows.position(|row| row["id"] == id);
        format!("/runs/0/requirements/{}", row.expect("the row is there"))
    };
    let (row, attested) = (row(CAP), row("ACP-JSONRPC-004"));
    for (at, value) in [
        ("/format".to_owned(), json!(2)),
        ("/seed".to_owned(), json!(-1)),
        ("/seed".to_owned(), json!("42")),
        ("/target/kind".to_owned(), json!("toaster")),
        ("/target/notes".to_owned(), json!([])),
        ("/runs/0/protocol".to_owned(), json!("acp-v9")),
        ("/runs/0/skipped/0/reason".to_owned(), json!("")),
        (format!("{row}/id"), json!("lower-case-1")),
        (format!("{row}/level"), json!("ought")),
        (format!("{row}/outcome"), json!("pass")),
        (format!("{row}/outcome"), json!("maybe")),
        (format!("{row}/exercised"), json!(0)),
        (format!("{row}/outcome"), json!("attested")),
        (format!("{attested}/outcome"), json!("not-exercised")),
        (format!("{attested}/exercised"), json!(1)),
        (format!("{attested}/attested/when"), json!("yesterday")),
        (format!("{attested}/attested/who"), json!("")),
        (format!("{row}/findings/0/trace"), json!(1)),
        (format!("{row}/findings/0/instances"), json!(0)),
        (format!("{row}/findings/0/repeats"), json!([1, 2, 3])),
        (format!("{row}/findings/0/repeats"), json!([1])),
        ("/verdict/status".to_owned(), json!("fine")),
        ("/verdict/exit".to_owned(), json!(0)),
        ("/verdict/exit".to_owned(), json!(2)),
        ("/verdict/counts/pass".to_owned(), json!(1.5)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(&at)
            .unwrap_or_else(|| panic!("{at} is there")) = value.clone();
        assert_ne!(
            problems(&schema, &bad),
            Vec::<String>::new(),
            "{at} = {value}"
        );
    }
}

#[test]
fn a_recording_that_does_not_say_how_it_came_to_be_has_the_published_shape() {
    let catalogue = catalogue();
    let judged = judgement([(CAP, broken(&["one"]))]);
    let mut input = input(&catalogue, &[]);
    input.performances = vec![performance("", "", &judged, &[])];
    let report = serde_json::to_value(build(&input)).expect("a report is JSON");
    assert_eq!(problems(&schema(), &report), Vec::<String>::new());
}

/// The pointers to all objects in a value that are of the report's own shape.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        // What the target says of itself may be anything.
        _ if at == "/target/info" => {}
        Value::Object(members) => {
            found.push(at.to_owned());
            for (name, member) in members {
                objects(member, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                objects(item, &format!("{at}/{n}"), found);
            }
        }
        _ => {}
    }
}

/// Members that may be left out.
const OPTIONAL: [&str; 5] = ["note", "notes", "reasons", "skipped", "stderr"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_unknown_member_anywhere_is_refused(pick in any::<prop::sample::Index>()) {
        let mut bad = serde_json::to_value(full()).expect("a report is JSON");
        let mut found = Vec::new();
        objects(&bad, "", &mut found);
        let at = pick.get(&found);
        bad.pointer_mut(at).and_then(Value::as_object_mut).expect("it is an object").insert("other".into(), json!(1));
        prop_assert!(!schema().is_valid(&bad), "{}", at);
    }

    #[test]
    fn a_missing_member_anywhere_is_refused(pick in any::<prop::sample::Index>(), which in any::<prop::sample::Index>()) {
        let mut bad = serde_json::to_value(full()).expect("a report is JSON");
        let mut found = Vec::new();
        objects(&bad, "", &mut found);
        let at = pick.get(&found);
        let members = bad.pointer_mut(at).and_then(Value::as_object_mut).expect("it is an object");
        let names: Vec<String> = members.keys().filter(|name| !OPTIONAL.contains(&name.as_str())).cloned().collect();
        let name = which.get(&names);
        members.remove(name);
        prop_assert!(!schema().is_valid(&bad), "{}/{}", at, name);
    }
}

#[test]
fn the_seed_and_counts_may_be_as_large_as_they_get() {
    let catalogue = catalogue();
    let good = judgement([(INIT, upheld(u32::MAX))]);
    let mut input = input(&catalogue, &[]);
    input.seed = u64::MAX;
    input.performances = vec![performance("acp/a", "", &good, &[])];
    let value = serde_json::to_value(build(&input)).expect("a report is JSON");
    assert_eq!(problems(&schema(), &value), Vec::<String>::new());
}
