//! The page on scripts says what the parser reads.

use elenchus_suites::{
    Suite, profile,
    script::{ANSWER_FAULTS, parse},
    vocabulary::TRIGGERS,
};

const README: &str = include_str!("../README.md");

#[test]
fn every_example_reads() {
    let examples: Vec<&str> = README
        .split("```script\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or(rest))
        .collect();
    assert!(examples.len() >= 2);
    for example in examples {
        if let Err(error) = parse("README", example) {
            panic!("{}", error.caret());
        }
    }
}

#[test]
fn every_word_that_may_begin_a_line_is_explained() {
    let unknown = parse("t", "?").expect_err("`?` is no step").message;
    let words: Vec<&str> = unknown
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| *word != "?")
        .collect();
    assert!(words.len() > 20, "{unknown}");
    for word in words {
        let explained = README.lines().any(|line| {
            line.strip_prefix(&format!("| `{word}"))
                .is_some_and(|rest| rest.starts_with([' ', '`']))
        });
        assert!(explained, "the README does not explain `{word}`");
    }
}

#[test]
fn every_profile_reads() {
    for readme in [README, include_str!("../../README.md")] {
        let profiles: Vec<&str> = readme.split("```toml\n").skip(1).collect();
        assert!(!profiles.is_empty());
        for profile in profiles {
            let text = profile.split("```").next().unwrap_or(profile);
            if let Err(error) = profile::parse("README", text, &Suite::embedded().catalogue) {
                panic!("{}", error.caret());
            }
        }
    }
}

#[test]
fn every_key_of_a_profile_is_explained() {
    let unknown = profile::parse("t", "?", &Suite::embedded().catalogue);
    assert!(unknown.is_err());
    let error = profile::parse("t", "frobnicate = 1", &Suite::embedded().catalogue);
    let message = error.expect_err("there is no such key").message;
    let keys: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
    assert!(keys.len() > 10, "{message}");
    for key in keys {
        assert!(README.contains(&format!("\n| `{key}` |")), "{key}");
    }
}

#[test]
fn every_trigger_is_explained() {
    for trigger in TRIGGERS {
        assert!(
            README.contains(&format!("`{}", trigger.name)),
            "{}",
            trigger.name
        );
    }
}

#[test]
fn every_answer_fault_is_named() {
    for kind in ANSWER_FAULTS {
        assert!(README.contains(&format!("`{kind}`")), "{kind}");
    }
}
