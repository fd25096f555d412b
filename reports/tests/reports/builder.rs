//! From tallies to outcomes, findings and the verdict.

use std::collections::BTreeSet;

use elenchus_judge::{Judgement, Tally};
use elenchus_reports::{
    Report, build,
    builder::Kind,
    model::{Row, RowOutcome, Status},
};

use crate::fixture::{
    CAP, DERIVED, INIT, INIT_TOO, LOADS, STRICTER, all_upheld, attested, breach, broken, catalogue,
    dead, in_v2, input, judgement, performance, protocol, script, skipped, unclear, upheld,
};

fn row<'r>(report: &'r Report, id: &str) -> &'r Row {
    report.runs[0]
        .requirements
        .iter()
        .find(|row| row.id == id)
        .unwrap_or_else(|| panic!("no row {id}"))
}

/// A report on these judgements, one an instance.
fn report(judgements: &[(Judgement, Vec<Judgement>)]) -> Report {
    let catalogue = catalogue();
    let mut input = input(&catalogue, &[]);
    input.performances = judgements
        .iter()
        .enumerate()
        .map(|(n, (first, repeats))| performance("acp/a", &format!("n={n}"), first, repeats))
        .collect();
    build(&input)
}

#[test]
fn every_live_row_that_binds_the_kind_in_the_version_is_listed() {
    let catalogue = catalogue();
    let mut input = input(&catalogue, &[]);
    input.protocols = vec![protocol(1), protocol(2)];
    let ids = |report: &Report, run: usize| {
        report.runs[run]
            .requirements
            .iter()
            .map(|row| row.id.clone())
            .collect::<Vec<_>>()
    };
    let report = build(&input);
    let v1 = ids(&report, 0);
    assert!(v1.is_sorted());
    for (id, listed) in [
        (CAP, true),
        (INIT, true),
        (INIT_TOO, true),
        ("ACP-JSONRPC-003", true),
        ("ACP-JSONRPC-004", true),
        ("ACP-INIT-004", false),
        ("ACP-INIT-005", false),
        ("ACP-INIT-006", false),
    ] {
        assert_eq!(v1.contains(&id.to_owned()), listed, "{id}");
    }
    assert!(ids(&report, 1).contains(&"ACP-INIT-006".to_owned()));

    input.kind = Kind::Client;
    let report = build(&input);
    assert_eq!(
        ids(&report, 0),
        [INIT, "ACP-INIT-004", "ACP-JSONRPC-003", "ACP-JSONRPC-004"]
    );
    assert_eq!(report.target.kind, "client");
}

#[test]
fn an_outcome_follows_from_what_all_performances_say() {
    let j = |tally: Tally| judgement([(CAP, tally)]);
    let silent = Judgement::default;
    let bad = || j(broken(&["why"]));
    let good = || j(upheld(1));
    for (name, judgements, outcome, exercised) in [
        ("nothing was performed", vec![], RowOutcome::NotExercised, 0),
        (
            "no trace says anything",
            vec![(silent(), vec![])],
            RowOutcome::NotExercised,
            0,
        ),
        (
            "never clear",
            vec![(j(unclear("lost")), vec![])],
            RowOutcome::NotExercised,
            0,
        ),
        (
            "upheld once",
            vec![(silent(), vec![]), (good(), vec![])],
            RowOutcome::Pass,
            1,
        ),
        (
            "broken, not repeated",
            vec![(good(), vec![]), (bad(), vec![])],
            RowOutcome::Fail,
            2,
        ),
        (
            "broken every time",
            vec![(bad(), vec![bad(), bad()])],
            RowOutcome::Fail,
            1,
        ),
        (
            "broken, then upheld",
            vec![(bad(), vec![bad(), good()])],
            RowOutcome::Flaky,
            1,
        ),
        (
            "broken, then not exercised",
            vec![(bad(), vec![silent()])],
            RowOutcome::Flaky,
            1,
        ),
        (
            "broken only in a repeat",
            vec![(silent(), vec![bad()])],
            RowOutcome::Flaky,
            1,
        ),
        (
            "one instance every time, one now and then",
            vec![(bad(), vec![good()]), (bad(), vec![bad()])],
            RowOutcome::Fail,
            2,
        ),
    ] {
        let report = report(&judgements);
        let row = row(&report, CAP);
        assert_eq!((row.outcome, row.exercised), (outcome, exercised), "{name}");
        assert_eq!(row.findings.is_empty(), !row.broke(), "{name}");
    }
}

#[test]
fn a_row_is_not_applicable_only_where_every_trace_that_speaks_says_so() {
    let lacks = |id: &str| Judgement {
        not_applicable: vec![id.to_owned()],
        ..Judgement::default()
    };
    let lacking = || lacks(LOADS);
    for (name, judgements, outcome) in [
        (
            "some say so, the others nothing",
            vec![lacking(), Judgement::default(), lacking()],
            RowOutcome::NotApplicable,
        ),
        (
            "another trace lacks something else, and so announces this",
            vec![lacking(), lacks(CAP), lacking()],
            RowOutcome::NotExercised,
        ),
        (
            "it was exercised once",
            vec![lacking(), judgement([(LOADS, upheld(1))])],
            RowOutcome::Pass,
        ),
        (
            "one trace has something else to say",
            vec![lacking(), judgement([(LOADS, unclear("cut"))])],
            RowOutcome::NotExercised,
        ),
        (
            "it was broken all the same",
            vec![lacking(), judgement([(LOADS, broken(&["why"]))])],
            RowOutcome::Fail,
        ),
    ] {
        let report = report(
            &judgements
                .into_iter()
                .map(|judgement| (judgement, vec![]))
                .collect::<Vec<_>>(),
        );
        assert_eq!(row(&report, LOADS).outcome, outcome, "{name}");
    }
    let report = report(&[(lacking(), vec![])]);
    assert_eq!(
        row(&report, LOADS).notes,
        ["the target does not announce session/load"]
    );
}

#[test]
fn the_reasons_why_a_row_was_not_exercised_are_told() {
    let catalogue = catalogue();
    let scripts = [
        script("acp/cap", &[CAP]),
        script("acp/init", &[INIT, DERIVED]),
        script("acp/strict", &[STRICTER]),
        script("acp/never", &["ACP-ELICIT-CAP-005"]),
        script("acp/silent", &["ACP-ELICIT-CAP-006"]),
    ];
    let judged = judgement([(CAP, unclear("the race was lost"))]);
    let nothing = Judgement::default();
    let mut input = input(&catalogue, &scripts);
    input.performances = vec![
        performance("acp/cap", "", &judged, &[]),
        performance("acp/silent", "", &nothing, &[]),
        performance("acp/strict", "", &nothing, &[]),
    ];
    input.performances[2].stopped = Some("line 4: no session came".to_owned());
    input.skipped = vec![skipped(
        "acp/init",
        "needs /elicit form, which did not elicit",
    )];
    input.left_out = BTreeSet::from(["ACP-INIT-008".to_owned()]);
    let report = build(&input);
    for (id, notes) in [
        (CAP, vec!["the race was lost"]),
        (INIT, vec!["needs /elicit form, which did not elicit"]),
        (INIT_TOO, vec!["needs /elicit form, which did not elicit"]),
        (
            STRICTER,
            vec!["script acp/strict stopped early: line 4: no session came"],
        ),
        (
            "ACP-ELICIT-CAP-005",
            vec!["nothing that was performed exercises it"],
        ),
        ("ACP-ELICIT-CAP-006", vec!["its situation did not arise"]),
        (LOADS, vec!["its situation did not arise"]),
        ("ACP-INIT-008", vec!["left out by --only or --skip"]),
        ("ACP-JSONRPC-003", vec!["no rule: nobody has written one"]),
        (
            "ACP-JSONRPC-004",
            vec!["no wire shows this: a person attests it"],
        ),
    ] {
        assert_eq!(row(&report, id).notes, notes, "{id}");
        assert_eq!(row(&report, id).outcome, RowOutcome::NotExercised, "{id}");
    }
    // Where somebody else chose what is performed, no script of the suite has to have been.
    input.of_suite = false;
    let report = build(&input);
    for (id, note) in [
        (
            "ACP-ELICIT-CAP-005",
            "its situation did not arise in what was performed",
        ),
        (
            STRICTER,
            "script acp/strict stopped early: line 4: no session came",
        ),
    ] {
        assert_eq!(row(&report, id).notes, [note], "{id}");
    }
}

#[test]
fn a_statement_counts_only_where_no_rule_judges() {
    let catalogue = catalogue();
    let good = all_upheld();
    let mut bad = all_upheld();
    bad.tallies.insert(CAP, broken(&["it did"]));
    bad.tallies.remove(LOADS);
    for (judged, cap) in [(&good, RowOutcome::Pass), (&bad, RowOutcome::Fail)] {
        let mut input = input(&catalogue, &[]);
        input.performances = vec![performance("acp/a", "", judged, &[])];
        let ids = [CAP, INIT_TOO, LOADS, "ACP-JSONRPC-003", "ACP-JSONRPC-004"];
        input.attestations = ids.iter().map(|id| attested(id, None)).collect();
        let report = build(&input);
        for (id, outcome) in [
            (CAP, cap),
            (INIT_TOO, RowOutcome::Pass),
            ("ACP-JSONRPC-003", RowOutcome::Attested),
            ("ACP-JSONRPC-004", RowOutcome::Attested),
        ] {
            let row = row(&report, id);
            assert_eq!(row.outcome, outcome, "{id}");
            let states = outcome == RowOutcome::Attested;
            assert_eq!(row.attested.is_some(), states, "{id}");
        }
        assert_ne!(row(&report, LOADS).outcome, RowOutcome::Attested);
        assert_eq!(report.verdict.counts.attested, 2);
        input.left_out = BTreeSet::from(["ACP-JSONRPC-004".to_owned()]);
        let report = build(&input);
        assert_eq!(
            row(&report, "ACP-JSONRPC-004").outcome,
            RowOutcome::NotExercised
        );
    }
}

#[test]
fn statements_alone_are_no_conformance() {
    let catalogue = catalogue();
    let mut input = input(&catalogue, &[]);
    input.attestations = vec![attested("ACP-JSONRPC-004", None)];
    let report = build(&input);
    assert_eq!(report.verdict.status, Status::Incomplete);
}

#[test]
fn a_row_that_is_the_same_as_another_takes_its_outcome_and_leaves_the_findings_there() {
    for (tally, outcome) in [
        (upheld(3), RowOutcome::Pass),
        (broken(&["why"]), RowOutcome::Fail),
    ] {
        let report = report(&[(judgement([(INIT, tally)]), vec![])]);
        let (named, other) = (row(&report, INIT), row(&report, INIT_TOO));
        assert_eq!((named.outcome, other.outcome), (outcome, outcome));
        assert_eq!(named.exercised, other.exercised);
        assert_eq!(other.findings, []);
    }
}

#[test]
fn the_findings_of_a_row_stand_at_its_namesake_where_the_row_itself_is_not_judged() {
    let catalogue = catalogue();
    let judged = judgement([(INIT, broken(&["why"]))]);
    let mut input = input(&catalogue, &[]);
    input.performances = vec![performance("acp/a", "", &judged, &[])];
    input.left_out = BTreeSet::from([INIT.to_owned()]);
    let report = build(&input);
    assert_eq!(row(&report, INIT).outcome, RowOutcome::NotExercised);
    assert_eq!(row(&report, INIT_TOO).findings.len(), 1);
}

#[test]
fn rows_that_name_each_other_as_the_same_do_not_hang_the_builder() {
    let mut catalogue = catalogue();
    catalogue
        .requirements
        .get_mut(INIT)
        .expect("it is there")
        .same_as = Some(INIT_TOO.to_owned());
    let report = build(&input(&catalogue, &[]));
    assert_eq!(row(&report, INIT).outcome, RowOutcome::NotExercised);
}

#[test]
fn findings_with_the_same_explanation_are_one_with_a_count_and_the_first_evidence() {
    let report = report(&[
        (judgement([(CAP, upheld(1))]), vec![]),
        (judgement([(CAP, broken(&["one", "one", "two"]))]), vec![]),
        (judgement([(CAP, broken(&["two", "three"]))]), vec![]),
    ]);
    let findings: Vec<_> = row(&report, CAP)
        .findings
        .iter()
        .map(|finding| {
            (
                finding.explanation.as_str(),
                finding.instances,
                finding.script.as_str(),
            )
        })
        .collect();
    assert_eq!(
        findings,
        [
            ("one", 1, "acp/a [n=1]"),
            ("two", 2, "acp/a [n=1]"),
            ("three", 1, "acp/a [n=2]")
        ]
    );
}

#[test]
fn evidence_that_shows_every_time_is_preferred() {
    let bad = || judgement([(CAP, broken(&["why"]))]);
    let report = report(&[(bad(), vec![Judgement::default()]), (bad(), vec![bad()])]);
    let finding = &row(&report, CAP).findings[0];
    assert_eq!(
        (finding.script.as_str(), finding.repeats, finding.instances),
        ("acp/a [n=1]", (2, 2), 2)
    );
}

#[test]
fn a_finding_of_a_repeat_has_no_trace() {
    let report = report(&[(
        Judgement::default(),
        vec![judgement([(CAP, broken(&["why"]))])],
    )]);
    let finding = &row(&report, CAP).findings[0];
    assert_eq!((&finding.trace, finding.repeats), (&None, (1, 2)));
}

#[test]
fn many_different_explanations_are_bounded_and_counted() {
    let judgements: Vec<_> = (0..100)
        .map(|n| {
            (
                judgement([(CAP, broken(&[format!("explanation {n}").as_str()]))]),
                vec![],
            )
        })
        .collect();
    let report = report(&judgements);
    let row = row(&report, CAP);
    assert_eq!(row.findings.len(), 16);
    assert_eq!(
        row.notes,
        ["84 more findings, each with another explanation, are not listed"]
    );
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    let catalogue = catalogue();
    let judged: Vec<_> = ["one", "two", "one", "three"]
        .iter()
        .map(|why| judgement([(CAP, broken(&[why, "four"]))]))
        .collect();
    let mut input = input(&catalogue, &[]);
    input.performances = judged
        .iter()
        .enumerate()
        .map(|(n, judged)| performance("acp/a", &format!("n={n}"), judged, &[]))
        .collect();
    let expected = build(&input);
    input.performances.reverse();
    assert_eq!(build(&input), expected);
    input.performances.rotate_left(1);
    assert_eq!(build(&input), expected);
}

#[test]
fn the_verdict_follows_from_the_rows_that_decide() {
    let bad = |id: &'static str| judgement([(id, broken(&["why"]))]);
    let good = |id: &'static str| judgement([(id, upheld(1))]);
    for (name, judgements, status, exit) in [
        (
            "a must was upheld",
            vec![(good(INIT), vec![])],
            Status::Conforming,
            0,
        ),
        (
            "a must failed",
            vec![(bad(INIT), vec![])],
            Status::Nonconforming,
            1,
        ),
        (
            "a must is flaky",
            vec![(bad(INIT), vec![good(INIT)])],
            Status::Nonconforming,
            1,
        ),
        (
            "a should failed",
            vec![(good(INIT), vec![]), (bad(STRICTER), vec![])],
            Status::Conforming,
            0,
        ),
        (
            "a derived must failed",
            vec![(good(INIT), vec![]), (bad(DERIVED), vec![])],
            Status::Conforming,
            0,
        ),
        (
            "a robustness row failed",
            vec![(good(INIT), vec![]), (bad("ACP-INIT-008"), vec![])],
            Status::Conforming,
            0,
        ),
        (
            "only a should was exercised",
            vec![(good(STRICTER), vec![])],
            Status::Incomplete,
            3,
        ),
        ("nothing was exercised", vec![], Status::Incomplete, 3),
    ] {
        let verdict = report(&judgements).verdict;
        assert_eq!((verdict.status, verdict.exit), (status, exit), "{name}");
        assert_eq!(
            verdict.reasons.is_empty(),
            status != Status::Incomplete,
            "{name}"
        );
    }
}

#[test]
fn a_row_decides_by_its_level_in_the_version() {
    let catalogue = catalogue();
    let judged = judgement([(STRICTER, broken(&["why"])), (INIT, upheld(1))]);
    let mut input = input(&catalogue, &[]);
    input.performances = vec![performance("acp/a", "", &judged, &[])];
    let v1 = build(&input);
    input.protocols = vec![protocol(2)];
    input.performances = vec![in_v2(performance("acp/a", "", &judged, &[]))];
    let v2 = build(&input);
    assert_eq!(
        (row(&v1, STRICTER).level.as_str(), v1.verdict.status),
        ("should", Status::Conforming)
    );
    assert_eq!(
        (row(&v2, STRICTER).level.as_str(), v2.verdict.status),
        ("must", Status::Nonconforming)
    );
}

#[test]
fn a_dead_target_is_incomplete_and_says_what_happened_and_what_to_try() {
    let catalogue = catalogue();
    let mut input = input(&catalogue, &[]);
    input.protocols = Vec::new();
    input.dead = Some(dead());
    let report = build(&input);
    assert_eq!(
        (report.verdict.status, report.verdict.exit),
        (Status::Incomplete, 3)
    );
    assert_eq!(report.verdict.reasons, [dead().what, dead().hint]);
    assert_eq!(report.target.notes.len(), 2);
}

#[test]
fn what_died_half_way_and_broke_something_is_nonconforming() {
    let catalogue = catalogue();
    let judged = judgement([(INIT, broken(&["why"]))]);
    let mut input = input(&catalogue, &[]);
    input.performances = vec![performance("acp/a", "", &judged, &[])];
    input.dead = Some(dead());
    assert_eq!(build(&input).verdict.status, Status::Nonconforming);
}

#[test]
fn counts_tell_deciding_failures_from_warnings() {
    let catalogue = catalogue();
    let mut first = all_upheld();
    first.tallies.insert(CAP, broken(&["why"]));
    first.tallies.insert(STRICTER, broken(&["why"]));
    first.tallies.insert(DERIVED, broken(&["why"]));
    first.tallies.insert(
        INIT,
        Tally {
            breaches: vec![breach("now and then")],
            ..Tally::default()
        },
    );
    let mut again = first.clone();
    again.tallies.insert(INIT, upheld(1));
    again.tallies.insert(DERIVED, upheld(1));
    let repeats = [again];
    let mut input = input(&catalogue, &[]);
    input.performances = vec![performance("acp/a", "", &first, &repeats)];
    let counts = build(&input).verdict.counts;
    // INIT and the row that is the same as it are flaky; the should and the derived row warn.
    assert_eq!((counts.fail, counts.flaky, counts.warn), (1, 2, 2));
    assert_eq!(
        (counts.pass, counts.not_exercised, counts.not_applicable),
        (4, 2, 0)
    );
}
