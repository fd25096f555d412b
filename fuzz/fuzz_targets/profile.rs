//! Any text as a profile: an error points into the text and is short, and what reads as a command, a trigger or a way to
//! sign in goes through a template and back.

#![no_main]

use elenchus_suites::{
    Suite,
    profile::{ARGUMENT, Learned, Own, Spoken, parse, template},
    script::Target,
    vocabulary::TRIGGERS,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let catalogue = &Suite::embedded().catalogue;
    match parse("fuzz", text, catalogue) {
        Ok(profile) => {
            let learned = Learned {
                command: profile.command.clone(),
                client: profile.kind == Some(Target::Client),
                protocol: profile.protocol.clone(),
                triggers: Some(profile.triggers.named.keys().cloned().collect()),
                auth_methods: profile.auth_method.iter().cloned().collect(),
            };
            let written = template(&learned);
            let again = parse("template", &written, catalogue)
                .unwrap_or_else(|error| panic!("{}\n{written}", error.caret()));
            if profile.command.is_some() {
                assert_eq!(again.command, profile.command);
            }
            assert_eq!(again.protocol, profile.protocol);
            assert!(again.auth_method.is_none() && again.triggers.named.is_empty());
            for trigger in TRIGGERS {
                let triggers = &profile.triggers;
                assert!(triggers.replaces(trigger.name) || !triggers.excludes(trigger.name));
                let spoken = triggers.spoken(trigger.name, &format!("{} x", trigger.name));
                match triggers.named.get(trigger.name) {
                    Some(Own::Prompt(own)) => {
                        assert_eq!(spoken == Spoken::NoRoom, !own.contains(ARGUMENT));
                    }
                    _ => assert_eq!(spoken, Spoken::AsItIs),
                }
            }
            for attestation in &profile.attestations {
                assert!(catalogue.get(&attestation.requirement).is_some());
                assert!(
                    text.split('\n')
                        .nth(attestation.line as usize - 1)
                        .is_some()
                );
            }
        }
        Err(error) => {
            assert!(text.split('\n').nth(error.line as usize - 1).is_some());
            assert!(error.column as usize <= error.text.chars().count() + 2);
            assert!(error.caret().len() < 4_000, "an error is for people");
        }
    }
});
