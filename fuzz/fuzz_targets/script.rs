//! Any text as a script: what reads prints as what reads the same, its payloads are JSON once their holes are filled, and
//! an error points into the text.

#![no_main]

use elenchus_suites::script::{
    Advertise, Question, Reply, Script, Step, StepKind, Template, parse,
};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;

fuzz_target!(|text: &str| {
    match parse("fuzz", text) {
        Ok(script) => {
            let printed = script.to_string();
            let again = parse("fuzz", &printed)
                .unwrap_or_else(|error| panic!("{}\n{printed}", error.caret()));
            assert_eq!(again.to_string(), printed);
            check(&script);
            assert_eq!(again.without_lines(), script.without_lines());
        }
        Err(error) => {
            assert!(text.split('\n').nth(error.line as usize - 1).is_some());
            assert!(error.column as usize <= error.text.chars().count() + 1);
            assert!(error.caret().len() < 4_000, "an error is for people");
        }
    }
});

fn check(script: &Script) {
    for value in script.each.iter().flat_map(|each| &each.values) {
        assert!(is_json(value), "{value}");
    }
    for whenever in &script.whenever {
        if let Reply::Answer(template) | Reply::Refuse(template) = &whenever.reply {
            payload(template);
        }
    }
    script.client.iter().for_each(payload);
    script.steps.iter().for_each(check_step);
}

fn check_step(step: &Step) {
    match &step.kind {
        StepKind::Open(Advertise::Value(value)) => payload(value),
        StepKind::Initialize { advertise, patch } => {
            if let Advertise::Value(value) = advertise {
                payload(value);
            }
            patch.iter().for_each(payload);
        }
        StepKind::Session { patch, .. } => patch.iter().for_each(payload),
        StepKind::Prompt { text, .. } => assert!(text.render_text(lookup).is_ok()),
        StepKind::Request { params, id, .. } => params.iter().chain(id).for_each(payload),
        StepKind::Notify { params, .. } => params.iter().for_each(payload),
        StepKind::Answer { result, .. } => payload(result),
        StepKind::Refuse { error, .. } => payload(error),
        StepKind::Respond { id, result } => [id, result].into_iter().for_each(payload),
        StepKind::Welcome { patch } | StepKind::Serve { patch } => patch.iter().for_each(payload),
        StepKind::Update(update) => payload(update),
        StepKind::Ask {
            question, patch, ..
        } => {
            if let Question::Form(Some(value)) | Question::Url(Some(value)) = question {
                payload(value);
            }
            patch.iter().for_each(payload);
        }
        StepKind::EndTurn(reason) => reason.iter().for_each(payload),
        StepKind::Race { arms, .. } => arms.iter().for_each(check_step),
        _ => {}
    }
}

/// A value for every hole, with what strings must escape.
fn lookup(path: &[String]) -> Option<String> {
    let odd = path.len() % 2 == 1;
    Some(
        if odd {
            r#""\"\\\u00e9""#
        } else {
            r#"{"a\"": [1e3]}"#
        }
        .to_owned(),
    )
}

fn payload(template: &Template) {
    let text = template.render(lookup).expect("every hole has a value");
    assert!(is_json(&text), "{text}");
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}
