//! What is said of any trace: nothing of the wire reaches a terminal unescaped, and the JSON has the published shape.

#![no_main]

use std::{collections::BTreeSet, sync::LazyLock};

use elenchus_fuzz::trace;
use elenchus_judge::{judge_side, rules};
use elenchus_protocol::Version;
use elenchus_reports::{
    Input, Report, build,
    builder::{Dead, Kind, Performance, Protocol},
    human::{Style, View, render},
    model::TargetInfo,
    text::is_printable,
};
use elenchus_suites::Suite;
use elenchus_wire::{Body, EventKind, Side, trace::Trace};
use jsonschema::Validator;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let text = include_str!("../../reports/report.schema.json");
    let schema: Value = serde_json::from_str(text).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is a schema")
});

fuzz_target!(|bytes: &[u8]| {
    let Some(trace) = trace::of(bytes) else {
        return;
    };
    let width = bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>() % 200;
    for (kind, side) in [(Kind::Agent, Side::Server), (Kind::Client, Side::Client)] {
        let report = report(&trace, kind, side);
        let shape = serde_json::to_value(&report).expect("a report is JSON");
        if let Some(error) = SCHEMA.iter_errors(&shape).next() {
            panic!("{}: {error}", error.instance_path());
        }
        let again: Report = serde_json::from_value(shape).expect("a report reads back");
        assert_eq!(again, report);
        shown(&report, width);
    }
});

/// The report on a trace. What the target wrote stands also in what it says of itself, on its standard error and in the
/// names that a trace file chooses.
fn report(trace: &Trace, kind: Kind, side: Side) -> Report {
    let judgement = judge_side(trace, side);
    let repeats = [judgement.clone()];
    let wire: Vec<String> = trace
        .events
        .iter()
        .filter_map(|event| wire(&event.kind))
        .collect();
    let version: Version = trace.header.protocol.parse().unwrap_or(Version::AcpV1);
    let ruled = rules().iter().filter(|rule| rule.binds.contains(&side));
    let suite = Suite::embedded();
    build(&Input {
        elenchus: "0.0.0".to_owned(),
        command: vec!["elenchus".to_owned()],
        seed: trace.header.seed,
        kind,
        target: TargetInfo {
            kind: String::new(),
            command: wire.iter().take(2).cloned().collect(),
            info: wire
                .first()
                .and_then(|text| serde_json::from_str(text).ok())
                // A target tells of itself by an object.
                .filter(serde_json::Value::is_object),
            notes: Vec::new(),
        },
        catalogue: &suite.catalogue,
        rules: ruled.map(|rule| rule.id).collect(),
        scripts: &suite.scripts,
        of_suite: true,
        protocols: vec![Protocol {
            name: version.name().to_owned(),
            edition: version.edition().to_owned(),
            catalogue: version.catalogue_name().to_owned(),
        }],
        performances: vec![Performance {
            script: trace.header.script.clone(),
            instance: trace.header.instance.clone(),
            protocol: version.name().to_owned(),
            trace: Some("a trace".to_owned()),
            judgement: &judgement,
            repeats: &repeats,
            stopped: wire.last().cloned(),
            replay: format!("elenchus check {}", trace.header.script),
        }],
        skipped: Vec::new(),
        left_out: BTreeSet::new(),
        attestations: Vec::new(),
        dead: (trace.events.len() % 8 == 7).then(|| Dead {
            what: "The target ended.".to_owned(),
            stderr: wire.clone(),
            frames: wire.clone(),
            hint: "Start it by hand.".to_owned(),
        }),
        broke_down: Vec::new(),
        incomplete: Vec::new(),
        // A sentence of ours, with words of the target.
        troubles: wire
            .iter()
            .rev()
            .take(1)
            .map(|text| format!("It wrote {text}."))
            .collect(),
    })
}

/// What the target wrote, as text.
fn wire(kind: &EventKind) -> Option<String> {
    match kind {
        EventKind::Frame { frame, .. } => match &frame.body {
            Body::Text(text) => Some(text.clone()),
            Body::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Body::Oversize { .. } => None,
        },
        EventKind::Stderr { text } => Some(text.clone()),
        _ => None,
    }
}

fn shown(report: &Report, width: usize) {
    let view = View {
        catalogue: &Suite::embedded().catalogue,
        folder: Some("out"),
        target: None,
    };
    let plain = render(
        report,
        view,
        Style {
            colour: false,
            width,
        },
    );
    if let Some(odd) = plain.chars().find(|c| *c != '\n' && !is_printable(*c)) {
        panic!("{odd:?} reaches the terminal: {plain}");
    }
    // Colours are all that is added, and every one is ESC [ digits m.
    let coloured = render(
        report,
        view,
        Style {
            colour: true,
            width,
        },
    );
    let mut stripped = String::new();
    for (number, part) in coloured.split("\u{1b}[").enumerate() {
        let rest = if number == 0 {
            part
        } else {
            part.split_once('m').expect("a colour ends with m").1
        };
        stripped.push_str(rest);
    }
    assert_eq!(stripped, plain);
}
