//! The report as a person sees it.

use elenchus_judge::{Breach, Judgement};
use elenchus_reports::{
    Report, build,
    human::{Style, View, render},
    model::{RowOutcome, Status},
    text::is_printable,
};
use elenchus_suites::Catalogue;
use proptest::prelude::*;
use serde_json::json;

use crate::fixture::{
    CAP, DERIVED, INIT, LOADS, STRICTER, all_upheld, attested, breach, broken, catalogue, dead,
    in_v2, input, judgement, performance, protocol, script, skipped, unclear, upheld,
};

const PLAIN: Style = Style {
    colour: false,
    width: 80,
};

fn shown(report: &Report, catalogue: &Catalogue) -> String {
    render(
        report,
        View {
            catalogue,
            folder: Some("elenchus-out"),
            target: None,
        },
        PLAIN,
    )
}

#[test]
fn a_conforming_target() {
    let catalogue = catalogue();
    let good = all_upheld();
    let mut input = input(&catalogue, &[]);
    input.protocols.push(protocol(2));
    input.performances = vec![
        performance("acp/a", "", &good, &[]),
        in_v2(performance("acp/a", "", &good, &[])),
    ];
    insta::assert_snapshot!(shown(&build(&input), &catalogue));
}

#[test]
fn races_that_the_target_won_are_counted_and_nothing_else() {
    let catalogue = catalogue();
    let mut judged = all_upheld();
    let mut tally = unclear("the turn had ended before");
    tally.lost = 3;
    judged.tallies.insert(CAP, tally);
    let mut input = input(&catalogue, &[]);
    input.protocols.push(protocol(2));
    input.performances = vec![
        performance("acp/a", "", &judged, &[]),
        performance("acp/a", "again", &judged, &[]),
        in_v2(performance("acp/a", "", &judged, &[])),
    ];
    let report = build(&input);
    let row = |run: usize| {
        let mut rows = report.runs[run].requirements.iter();
        rows.find(|row| row.id == CAP).expect("a row")
    };
    assert_eq!((row(0).lost, row(1).lost), (6, 3));
    assert_eq!(
        (row(0).exercised, row(0).outcome),
        (0, RowOutcome::NotExercised)
    );
    let shown = shown(&report, &catalogue);
    assert!(
        shown.contains("Races that the target won, so that nothing was judged: 6 in acp-v1, 3 in"),
        "{shown}"
    );
}

#[test]
fn one_failure() {
    let catalogue = catalogue();
    let mut first = all_upheld();
    first.tallies.insert(
        CAP,
        broken(&["The agent sent elicitation/create although the client advertised no mode."]),
    );
    let repeats = [first.clone(), first.clone()];
    let scripts = [script("acp/agent/cap/mode-must-be-advertised", &[CAP])];
    let mut input = input(&catalogue, &scripts);
    let name = "acp/agent/cap/mode-must-be-advertised";
    input.protocols.push(protocol(2));
    input.performances = vec![
        performance(name, "capability=null", &first, &repeats),
        performance(name, "capability={}", &first, &repeats),
        in_v2(performance(name, "capability=null", &first, &repeats)),
    ];
    insta::assert_snapshot!(shown(&build(&input), &catalogue));
}

#[test]
fn what_people_state() {
    let catalogue = catalogue();
    let good = all_upheld();
    let mut input = input(&catalogue, &[]);
    input.protocols.push(protocol(2));
    input.performances = vec![
        performance("acp/a", "", &good, &[]),
        in_v2(performance("acp/a", "", &good, &[])),
    ];
    input.attestations = vec![
        attested("ACP-JSONRPC-003", None),
        attested("ACP-JSONRPC-004", Some("by the screenshots of the release")),
    ];
    insta::assert_snapshot!(shown(&build(&input), &catalogue));
}

#[test]
fn a_flaky_target() {
    let catalogue = catalogue();
    let mut first = all_upheld();
    first
        .tallies
        .insert(INIT, broken(&["The agent answered `initialize` twice."]));
    let repeats = [all_upheld(), first.clone()];
    let mut input = input(&catalogue, &[]);
    input.performances = vec![performance("acp/a", "", &first, &repeats)];
    insta::assert_snapshot!(shown(&build(&input), &catalogue));
}

#[test]
fn warnings_only() {
    let catalogue = catalogue();
    let mut first = all_upheld();
    first
        .tallies
        .insert(STRICTER, broken(&["The agent says nothing of itself."]));
    first.tallies.insert(
        DERIVED,
        broken(&["The agent failed the turn where the mode was missing."]),
    );
    first
        .tallies
        .entry(CAP)
        .or_default()
        .notes
        .push("the agent wrote an empty line, which is tolerated".to_owned());
    let mut input = input(&catalogue, &[]);
    input.performances = vec![performance("acp/a", "", &first, &[])];
    insta::assert_snapshot!(shown(&build(&input), &catalogue));
}

#[test]
fn a_dead_target() {
    let catalogue = catalogue();
    let mut input = input(&catalogue, &[]);
    input.target.info = None;
    input.protocols = Vec::new();
    input.dead = Some(dead());
    insta::assert_snapshot!(shown(&build(&input), &catalogue));
}

#[test]
fn nothing_exercised() {
    let catalogue = catalogue();
    let scripts = [script(
        "acp/cap",
        &[CAP, "ACP-ELICIT-CAP-005", "ACP-ELICIT-CAP-006", INIT],
    )];
    let silent = Judgement {
        not_applicable: vec![LOADS.to_owned()],
        ..Judgement::default()
    };
    let mut input = input(&catalogue, &scripts);
    input.performances = vec![performance("acp/a", "", &silent, &[])];
    input.left_out.insert("ACP-INIT-008".to_owned());
    input.skipped = vec![skipped(
        "acp/cap",
        "needs the trigger `/elicit form`, which did not make the target elicit: see the vocabulary in suites/README.md",
    )];
    insta::assert_snapshot!(shown(&build(&input), &catalogue));
}

#[test]
fn reasons_that_differ_only_in_their_command_are_told_once() {
    let catalogue = catalogue();
    let scripts = [script("acp/cap", &[CAP]), script("acp/init", &[INIT])];
    let mut input = input(&catalogue, &scripts);
    input.skipped = vec![
        skipped("acp/cap", "`/elicit form` did not make the target do it"),
        skipped("acp/init", "`/say` did not make the target do it"),
    ];
    let shown = shown(&build(&input), &catalogue);
    let told = "  these did not make the target do it\n    `/elicit form`: ACP-ELICIT-CAP-004 (acp-v1)\n    \
                `/say`: ACP-INIT-001, -003 (acp-v1)\n";
    assert!(shown.contains(told), "{shown}");
}

#[test]
fn colours_change_nothing_but_colours() {
    let catalogue = catalogue();
    let bad = judgement([
        (INIT, broken(&["why"])),
        (DERIVED, broken(&["why"])),
        (CAP, upheld(1)),
    ]);
    let mut input = input(&catalogue, &[]);
    input.performances = vec![performance("acp/a", "", &bad, &[])];
    let report = build(&input);
    let view = View {
        catalogue: &catalogue,
        folder: None,
        target: None,
    };
    let coloured = render(
        &report,
        view,
        Style {
            colour: true,
            ..PLAIN
        },
    );
    let plain = render(&report, view, PLAIN);
    assert_ne!(coloured, plain);
    // Every escape is a colour: ESC [ digits ; m.
    let mut stripped = String::new();
    for (n, part) in coloured.split("\u{1b}[").enumerate() {
        let rest = if n == 0 {
            part
        } else {
            part.split_once('m').expect("a colour ends with m").1
        };
        stripped.push_str(rest);
    }
    assert_eq!(stripped, plain);
}

/// Text as a hostile target could write it.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just("\u{1b}[2J\u{1b}]0;title\u{7}\r\n\u{9b}31m".to_owned()),
        Just("\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\0".to_owned()),
        "[ -~]{100,300}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_of_the_target_reaches_the_terminal_unescaped(
        texts in prop::collection::vec(hostile(), 12),
        width in 0_usize..200,
    ) {
        let text = |n: usize| texts[n].clone();
        let catalogue = catalogue();
        let breach = Breach { sent: text(0), got: text(1), expected: text(2), why: text(3), stderr: vec![text(4), text(5)], ..breach("") };
        let mut bad = all_upheld();
        bad.tallies.entry(INIT).or_default().breaches.push(breach.clone());
        bad.tallies.entry(STRICTER).or_default().breaches.push(breach);
        bad.tallies.entry(CAP).or_default().notes.push(text(4));
        bad.tallies.remove(DERIVED);
        let scripts = [script("acp/a", &[DERIVED])];
        let mut input = input(&catalogue, &scripts);
        let mut performance = performance("acp/a", &text(6), &bad, &[]);
        performance.replay = text(7);
        performance.stopped = Some(text(5));
        input.performances = vec![performance];
        input.target.info = Some(json!({"name": text(8), "version": text(9)}));
        input.target.command = vec![text(10)];
        input.dead = Some(elenchus_reports::builder::Dead { stderr: vec![text(11)], frames: vec![text(0)], ..dead() });
        let shown = render(&build(&input), View { catalogue: &catalogue, folder: Some(&text(1)), target: Some(&text(2)) }, Style { colour: false, width });
        prop_assert!(shown.chars().all(|c| c == '\n' || is_printable(c)));
        for line in shown.lines() {
            let copied = ["target", "command", "report", "trace", "again", "acp-v1:", "Nonconforming:"].iter().any(|label| line.trim_start().starts_with(label));
            prop_assert!(copied || elenchus_reports::text::width(line) <= width.max(40), "{:?}", line);
        }
    }
}

#[test]
fn the_last_words_of_a_process_stand_with_what_its_end_broke() {
    let catalogue = catalogue();
    let mut died = all_upheld();
    let breach = Breach {
        stderr: vec!["loading".to_owned(), "out of memory".to_owned()],
        ..breach("the process exited with code 1")
    };
    died.tallies.entry(INIT).or_default().breaches.push(breach);
    let mut input = input(&catalogue, &[]);
    input.performances = vec![performance("acp/a", "", &died, &[])];
    let shown = shown(&build(&input), &catalogue);
    let told = "    stderr    loading\n              out of memory\n    script    acp/a\n";
    assert!(shown.contains(told), "{shown}");
}

#[test]
fn a_target_that_broke_down_does_not_conform_whatever_its_rows_say() {
    let catalogue = catalogue();
    let good = all_upheld();
    let mut input = input(&catalogue, &[]);
    input.performances = vec![performance("mine.script", "", &good, &[])];
    input.broke_down =
        vec!["mine.script in acp-v1: its process was ended by signal 11.".to_owned()];
    let report = build(&input);
    assert_eq!(
        (report.verdict.status, report.verdict.exit),
        (Status::Nonconforming, 1)
    );
    let shown = shown(&report, &catalogue);
    for text in [
        "and the target broke down.\n",
        "\n  mine.script in acp-v1: its process",
    ] {
        assert!(shown.contains(text), "{shown}");
    }
}
