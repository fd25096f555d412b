//! The page on scripts says what the parser reads.

use elenchus_suites::script::{ANSWER_FAULTS, parse};

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
fn every_answer_fault_is_named() {
    for kind in ANSWER_FAULTS {
        assert!(README.contains(&format!("`{kind}`")), "{kind}");
    }
}
