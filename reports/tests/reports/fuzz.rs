//! The reports of fuzzing campaigns: how they are merged, what they come to, how they are shown, what shape they have.

use std::collections::BTreeSet;

use elenchus_reports::{
    FuzzReport,
    fuzz::{FuzzFinding, FuzzStatus, FuzzTarget, Part, PartName},
    human::{Style, View, fuzz::render},
    text::is_printable,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixture::{CAP, DERIVED, catalogue};

fn name(partition: u32, partitions: u32) -> PartName {
    PartName {
        partition,
        partitions,
        seed: 7,
    }
}

fn part(name: PartName) -> Part {
    Part {
        name,
        elenchus: "0.1.0".to_owned(),
        command: ["elenchus", "fuzz", "--target", "./my-agent"]
            .map(str::to_owned)
            .to_vec(),
        protocols: vec!["acp-v1".to_owned(), "acp-v2".to_owned()],
        runs: 1200,
        messages: 48_000,
        corpus: 85,
        features: 960,
        started: 2,
        unconfirmed: 0,
        elapsed_ms: 62_500,
        notes: Vec::new(),
        incomplete: Vec::new(),
        troubles: Vec::new(),
    }
}

fn target() -> FuzzTarget {
    FuzzTarget {
        kind: "agent".to_owned(),
        command: vec!["./my-agent".to_owned()],
        info: Some(json!({"name": "mine", "version": "1.2"})),
    }
}

fn finding(cause: &str, found_by: PartName) -> FuzzFinding {
    let file = format!("findings/{}.script", cause.to_lowercase());
    FuzzFinding {
        key: format!("{cause} acp-v1"),
        steps: 3,
        script: "# Found by fuzzing.\ntarget agent\nversions 1\n\nopen\nprompt /hold\nrace 200us\n  - notify session/cancel \
                 {\"sessionId\":$session}\n  - prompt again\n"
            .to_owned(),
        cause: cause.to_owned(),
        protocol: "acp-v1".to_owned(),
        level: None,
        derived: false,
        source: None,
        explanation: "the process ended with signal 11 while it was asked".to_owned(),
        sent: r#"{"jsonrpc":"2.0","method":"session/cancel"}"#.to_owned(),
        got: "the end of its output".to_owned(),
        expected: "an answer".to_owned(),
        repeats: (5, 5),
        file: Some(file.clone()),
        trace: Some(format!("findings/{}.jsonl", cause.to_lowercase())),
        stderr: vec!["segmentation fault".to_owned()],
        replay: ["elenchus", "replay", "--target", "./my-agent", &file]
            .map(str::to_owned)
            .to_vec(),
        found_by: BTreeSet::from([found_by]),
    }
    .with_clause(&catalogue(), "v1")
}

fn report(parts: Vec<Part>, findings: Vec<FuzzFinding>) -> FuzzReport {
    FuzzReport::new(target(), parts.into_iter().collect(), findings, Vec::new())
}

fn shown(report: &FuzzReport) -> String {
    render(
        report,
        View {
            catalogue: &catalogue(),
            folder: Some("elenchus-fuzz/"),
            target: None,
        },
        Style {
            colour: false,
            width: 80,
        },
    )
}

#[test]
fn a_campaign_that_finds_nothing() {
    insta::assert_snapshot!(shown(&report(vec![part(name(0, 1))], Vec::new())));
}

#[test]
fn a_campaign_that_finds_a_crash_a_failure_and_a_warning() {
    let at = name(1, 4);
    let mut odd = part(at);
    odd.notes = vec!["only one process of it can run at a time".to_owned()];
    odd.troubles = vec!["The corpus could not be written: disk full.".to_owned()];
    odd.unconfirmed = 3;
    let mut long = finding(CAP, at);
    long.script = format!("open\nraw {}\n{}", "a".repeat(400), "settle\n".repeat(40));
    let findings = vec![finding("crash", at), long, finding(DERIVED, at)];
    let mut report = report(vec![odd], findings);
    report.ours = vec![finding(CAP, at)];
    insta::assert_snapshot!(shown(&report));
}

#[test]
fn a_merged_report_says_which_partitions_there_are() {
    let [first, second] = [0, 1].map(|n| {
        let at = name(n, 3);
        report(vec![part(at)], vec![finding("crash", at)])
    });
    let mut dead = part(name(2, 3));
    dead.runs = 0;
    dead.incomplete = vec!["The target was not there.".to_owned()];
    let merged = first
        .merge(second)
        .and_then(|both| both.merge(report(vec![dead], Vec::new())))
        .expect("they are about the same target");
    insta::assert_snapshot!(shown(&merged.whole()));
}

#[test]
fn a_verdict_follows_from_what_was_found_and_tried() {
    let good = || part(name(0, 1));
    let idle = Part { runs: 0, ..good() };
    let stopped = Part {
        incomplete: vec!["It was stopped.".to_owned()],
        ..good()
    };
    let at = name(0, 1);
    for (parts, findings, status, exit) in [
        (vec![good()], vec![], FuzzStatus::NothingFound, 0),
        (
            vec![good()],
            vec![finding(DERIVED, at)],
            FuzzStatus::NothingFound,
            0,
        ),
        (vec![good()], vec![finding(CAP, at)], FuzzStatus::Found, 1),
        (
            vec![good()],
            vec![finding("hang", at)],
            FuzzStatus::Found,
            1,
        ),
        (
            vec![stopped.clone()],
            vec![finding("crash", at)],
            FuzzStatus::Found,
            1,
        ),
        (vec![stopped.clone()], vec![], FuzzStatus::Incomplete, 3),
        (
            vec![good(), stopped],
            vec![finding(DERIVED, at)],
            FuzzStatus::Incomplete,
            3,
        ),
        (vec![idle], vec![], FuzzStatus::Incomplete, 3),
        (vec![], vec![], FuzzStatus::Incomplete, 3),
    ] {
        let verdict = report(parts, findings).verdict;
        assert_eq!(
            (verdict.status, verdict.exit),
            (status, exit),
            "{verdict:?}"
        );
        assert!(exit < 3 || !verdict.reasons.is_empty(), "{verdict:?}");
    }
}

#[test]
fn a_whole_with_a_partition_missing_is_incomplete() {
    for (there, of, missing) in [
        (&[0][..], 1, None),
        (&[0, 1, 2], 3, None),
        (&[0, 2], 3, Some("Of 3 partitions, 1 is missing.")),
        (
            &[1],
            4_000_000_000,
            Some("Of 4000000000 partitions, 3999999999 are missing: 0 is the first."),
        ),
        // Nothing that a report says makes it count what is not there.
        (
            &[9],
            2,
            Some("Of 2 partitions, 2 are missing: 0 is the first."),
        ),
    ] {
        let parts = there.iter().map(|&n| part(name(n, of))).collect();
        let report = report(parts, Vec::new());
        assert_eq!(report.verdict.status, FuzzStatus::NothingFound);
        let verdict = report.whole().verdict;
        assert_eq!(verdict.reasons.first().map(String::as_str), missing);
        assert_eq!(verdict.status == FuzzStatus::Incomplete, missing.is_some());
    }
}

#[test]
fn reports_about_different_targets_are_not_merged() {
    let one = report(vec![part(name(0, 1))], Vec::new());
    for change in ["kind", "command"] {
        let mut other = one.clone();
        match change {
            "kind" => other.target.kind = "client".to_owned(),
            _ => other.target.command.push("--other".to_owned()),
        }
        let unlike = one.clone().merge(other.clone()).expect_err(change);
        assert_eq!(
            (unlike.one, unlike.other),
            (one.target.clone(), other.target)
        );
    }
}

prop_compose! {
    fn any_name()(partition in 0..3_u32, partitions in 1..4_u32, seed in 0..2_u64) -> PartName {
        PartName { partition, partitions, seed }
    }
}

prop_compose! {
    fn any_part()(
        name in any_name(),
        runs in prop_oneof![0..3_u64, Just(u64::MAX)],
        incomplete in prop::collection::vec("[ab]{1,2}", 0..2),
        troubles in prop::collection::vec("[ab]{1,2}", 0..2),
    ) -> Part {
        Part { runs, incomplete, troubles, ..part(name) }
    }
}

prop_compose! {
    fn any_finding()(
        cause in prop::sample::select(vec!["crash", "hang", CAP, DERIVED]),
        found_by in any_name(),
        steps in 0..3_u64,
        script in "[ab]{1,3}",
        got in "[ab]{0,1}",
    ) -> FuzzFinding {
        FuzzFinding { steps, script, got, ..finding(cause, found_by) }
    }
}

prop_compose! {
    fn any_report()(
        parts in prop::collection::btree_set(any_part(), 0..4),
        findings in prop::collection::vec(any_finding(), 0..5),
        ours in prop::collection::vec(any_finding(), 0..2),
        version in prop::option::of("[12]"),
    ) -> FuzzReport {
        let info = version.map(|version| json!({ "name": "mine", "version": version }));
        FuzzReport::new(FuzzTarget { info, ..target() }, parts, findings, ours)
    }
}

fn merged(one: &FuzzReport, other: &FuzzReport) -> FuzzReport {
    one.clone()
        .merge(other.clone())
        .expect("they are about the same target")
}

proptest! {
    #[test]
    fn the_order_of_merging_does_not_matter(a in any_report(), b in any_report(), c in any_report()) {
        prop_assert_eq!(merged(&a, &b), merged(&b, &a));
        prop_assert_eq!(merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)));
    }

    #[test]
    fn a_report_that_is_merged_twice_counts_once(a in any_report(), b in any_report()) {
        prop_assert_eq!(&merged(&a, &a), &a);
        let both = merged(&a, &b);
        prop_assert_eq!(&merged(&both, &b), &both);
    }

    #[test]
    fn the_parts_of_a_split_give_the_whole(
        work in prop::collection::vec((any_part(), prop::collection::vec(any_finding(), 0..3)), 1..5),
    ) {
        let whole = report(
            work.iter().map(|(part, _)| part.clone()).collect(),
            work.iter().flat_map(|(_, findings)| findings.clone()).collect(),
        );
        let parts = work.into_iter().map(|(part, findings)| report(vec![part], findings));
        let together = parts.reduce(|one, other| merged(&one, &other)).expect("there is one");
        prop_assert_eq!(together, whole);
    }

    #[test]
    fn nothing_that_was_found_is_lost(a in any_report(), b in any_report()) {
        let both = merged(&a, &b);
        for finding in a.findings.iter().chain(&b.findings) {
            let kept = both.findings.iter().find(|kept| kept.key == finding.key).expect("its cause is there");
            prop_assert!(kept.found_by.is_superset(&finding.found_by));
            prop_assert!(kept.steps <= finding.steps);
        }
        prop_assert!(both.findings.is_sorted_by(|one, next| one.key < next.key));
    }

    #[test]
    fn every_report_has_the_published_shape_and_reads_back(report in any_report()) {
        let value = serde_json::to_value(&report).expect("a report is JSON");
        prop_assert_eq!(problems(&value), Vec::<String>::new());
        let read: FuzzReport = serde_json::from_value(value).expect("a report reads back");
        prop_assert_eq!(read, report);
    }

    #[test]
    fn nothing_reaches_a_terminal_raw(hostile in any::<String>(), report in any_report()) {
        let mut report = report;
        for finding in report.findings.iter_mut().chain(&mut report.ours) {
            for text in [&mut finding.script, &mut finding.explanation, &mut finding.sent, &mut finding.got] {
                text.clone_from(&hostile);
            }
            finding.stderr = vec![hostile.clone()];
            finding.file = Some(hostile.clone());
        }
        prop_assert!(shown(&report).chars().all(|c| c == '\n' || is_printable(c)));
    }
}

fn problems(report: &Value) -> Vec<String> {
    use std::sync::OnceLock;

    use jsonschema::Validator;

    static SCHEMA: OnceLock<Validator> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| {
        let schema: Value = serde_json::from_str(include_str!("../../fuzz.schema.json"))
            .expect("the schema is JSON");
        assert!(
            jsonschema::meta::is_valid(&schema),
            "the schema is a schema"
        );
        jsonschema::validator_for(&schema).expect("the schema builds")
    });
    schema
        .iter_errors(report)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// A report in which every optional member stands somewhere.
fn full() -> Value {
    let at = name(0, 1);
    let mut part = part(at);
    part.notes = vec!["a note".to_owned()];
    part.incomplete = vec!["It was stopped.".to_owned()];
    part.troubles = vec!["The disk is full.".to_owned()];
    let findings = vec![finding("crash", at), finding(CAP, at)];
    serde_json::to_value(report(vec![part], findings)).expect("a report is JSON")
}

#[test]
fn a_report_with_anything_else_in_it_does_not_have_the_shape() {
    let good = full();
    assert_eq!(problems(&good), Vec::<String>::new());
    let index = |cause: &str| {
        let mut findings = good["findings"].as_array().expect("a list").iter();
        let at = findings.position(|finding| finding["cause"] == cause);
        format!("/findings/{}", at.expect("it is there"))
    };
    let (crash, broken) = (index("crash"), index(CAP));
    for (at, value) in [
        ("/format".to_owned(), json!(2)),
        ("/target/kind".to_owned(), json!("toaster")),
        ("/parts/0/partitions".to_owned(), json!(0)),
        ("/parts/0/seed".to_owned(), json!(-1)),
        ("/parts/0/protocols/0".to_owned(), json!("acp-v9")),
        ("/parts/0/notes".to_owned(), json!([])),
        ("/totals/runs".to_owned(), json!(1.5)),
        (format!("{crash}/cause"), json!("sadness")),
        (format!("{crash}/cause"), json!(CAP)),
        (format!("{broken}/cause"), json!("crash")),
        (format!("{broken}/level"), json!("ought")),
        (format!("{broken}/repeats"), json!([1])),
        (format!("{broken}/found_by"), json!([])),
        (format!("{broken}/replay"), json!("elenchus")),
        ("/verdict/status".to_owned(), json!("nothing-found")),
        ("/verdict/exit".to_owned(), json!(0)),
        ("/verdict/deciding".to_owned(), json!(0)),
        ("/verdict/reasons".to_owned(), json!([])),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(&at)
            .unwrap_or_else(|| panic!("{at} is there")) = value.clone();
        assert_ne!(problems(&bad), Vec::<String>::new(), "{at} = {value}");
    }
}

/// Members that may be left out.
const OPTIONAL: [&str; 5] = ["notes", "incomplete", "troubles", "stderr", "reasons"];

#[test]
fn an_unknown_member_anywhere_or_a_missing_one_is_refused() {
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
    let good = full();
    let mut found = Vec::new();
    objects(&good, "", &mut found);
    for at in found {
        let members = good
            .pointer(&at)
            .and_then(Value::as_object)
            .expect("it is an object");
        let change = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut bad = good.clone();
            change(
                bad.pointer_mut(&at)
                    .and_then(Value::as_object_mut)
                    .expect("it is an object"),
            );
            problems(&bad)
        };
        let more = change(&|members| {
            members.insert("other".to_owned(), json!(1));
        });
        assert_ne!(more, Vec::<String>::new(), "{at}/other");
        for name in members
            .keys()
            .filter(|name| !OPTIONAL.contains(&name.as_str()))
        {
            let less = change(&|members| {
                members.remove(name);
            });
            assert_ne!(less, Vec::<String>::new(), "{at}/{name}");
        }
    }
}
