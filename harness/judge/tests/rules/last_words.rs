//! What is said of a process that died, and of a program that says nothing of its own.

use elenchus_judge::{Judgement, judge};

use crate::{common::trace, talk::written};

fn judged(talk: &str) -> Judgement {
    judge(&trace("acp-v1", &written("v1", talk)))
}

/// The lines of standard error that stand with the breaches of a requirement.
fn stderr(judgement: &Judgement, id: &str) -> Vec<String> {
    let tally = judgement.tallies.get(id).expect("the rule saw something");
    let breaches = tally.breaches.iter();
    breaches.flat_map(|breach| breach.stderr.clone()).collect()
}

#[test]
fn a_breach_by_the_end_of_a_process_shows_its_last_words() {
    let fails = "opened | prompt 2 /fail";
    let died = judged(&format!(
        r#"{fails} | stderr begins | stderr "api_key":"hunter2" {} | exit 101 nothing | stderr at line 7"#,
        '\u{1b}'
    ));
    assert_eq!(
        stderr(&died, "ACP-ERROR-013"),
        ["begins", r#""api_key":"[redacted]" \u{1b}"#, "at line 7"]
    );
    let lines: Vec<String> = (0..20).map(|n| format!("stderr {n}")).collect();
    let much = judged(&format!(
        "{fails} | {} | exit 101 nothing",
        lines.join(" | ")
    ));
    let last: Vec<String> = (12..20).map(|n| n.to_string()).collect();
    assert_eq!(stderr(&much, "ACP-ERROR-013"), last);
    let long = judged(&format!(
        "{fails} | stderr {} | exit 101 nothing",
        "x".repeat(5000)
    ));
    assert!(
        stderr(&long, "ACP-ERROR-013")
            .iter()
            .all(|line| line.len() < 300)
    );
}

#[test]
fn what_broke_before_the_end_says_nothing_of_it() {
    let lively = judged(&format!(
        "opened | stderr a | S {ASKED} | settled | stderr b | exit 0 nothing"
    ));
    assert!(stderr(&lively, "ACP-EXT-004").is_empty());
}

const ASKED: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}"#;

#[test]
fn what_only_repeats_is_neither_conforming_nor_accused() {
    let echo = judged(&format!(
        "open | C {ASKED} | S {ASKED} | eof C | eof S | exit 0 close"
    ));
    assert!(
        echo.echoed && !echo.heard && echo.tallies.is_empty(),
        "{echo:#?}"
    );
    let more = judged(&format!(
        "open | C {ASKED} | S {ASKED} | C! {{\"a | S! {{\"a | exit 0 close"
    ));
    assert!(more.echoed && more.tallies.is_empty(), "{more:#?}");
}

#[test]
fn who_also_answers_is_judged_by_what_it_repeats() {
    for talk in [
        format!("open | C {ASKED} | S {ASKED} | S {ANSWER} | settled"),
        format!("open | C {ASKED} | S {ANSWER} | S {ASKED} | settled"),
    ] {
        let judgement = judged(&talk);
        assert!(!judgement.echoed && judgement.heard, "{judgement:#?}");
        let tally = &judgement.tallies["ACP-EXT-004"];
        assert!(!tally.breaches.is_empty(), "{talk}");
    }
}

#[test]
fn who_says_nothing_repeats_nothing() {
    let silent = judged(&format!(
        "open | C {ASKED} | deadline 0 | eof C | exit 0 close"
    ));
    assert!(!silent.echoed && !silent.heard);
    let conforming = judged(&format!(
        "open | C {ASKED} | S {ANSWER} | eof C | exit 0 close"
    ));
    assert!(!conforming.echoed && conforming.heard);
}
