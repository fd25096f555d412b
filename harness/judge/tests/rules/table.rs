//! Tables of conversations, and what a rule makes of each.
//!
//! ```text
//! upheld  a fallback :: + says elicited decline | done 2
//! broken  hangs :: + turn-deadline 2
//! ```
//!
//! A line has a verdict, what it is about, and the conversation (see [`crate::talk`]). One that begins with a `+` follows
//! the start of the table.
//!
//! Where one value makes the difference, a line has a verdict and the value.

use elenchus_judge::{Breach, judge};
use elenchus_suites::Suite;

use crate::{
    common::{Verdict, trace, verdict},
    talk::written,
};

/// Holds a rule to a table, in every version that its requirement applies to.
pub(crate) fn holds(id: &str, start: &str, table: &str) {
    for version in versions(id) {
        holds_in(version, id, start, table);
    }
}

/// The same in one version.
pub(crate) fn holds_in(version: &str, id: &str, start: &str, table: &str) {
    let wrong: Vec<String> = lines(table)
        .filter_map(|(expected, line)| {
            let (about, talk) = line.split_once(" :: ").expect("ABOUT :: CONVERSATION");
            match talk.strip_prefix("+ ") {
                Some(rest) => judged(version, id, expected, about, &format!("{start} | {rest}")),
                None => judged(version, id, expected, about, talk),
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Holds a rule to a table of values that stand for the `$` of one conversation: a line has a verdict and the value.
pub(crate) fn holds_with(id: &str, talk: &str, table: &str) {
    for version in versions(id) {
        holds_with_in(version, id, talk, table);
    }
}

/// The same in one version.
pub(crate) fn holds_with_in(version: &str, id: &str, talk: &str, table: &str) {
    let wrong: Vec<String> = lines(table)
        .filter_map(|(expected, value)| {
            judged(version, id, expected, value, &talk.replace('$', value))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

pub(crate) fn versions(id: &str) -> impl Iterator<Item = &'static str> {
    let row = Suite::embedded().catalogue.get(id).expect("a requirement");
    ["v1", "v2"]
        .into_iter()
        .filter(|version| row.applies_to(version))
}

fn lines(table: &str) -> impl Iterator<Item = (Verdict, &str)> {
    let lines = table.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).map(|line| {
        let (word, rest) = line.split_once(' ').expect("VERDICT and more");
        let verdict = match word {
            "upheld" => Verdict::Upheld,
            "broken" => Verdict::Broken,
            "unclear" => Verdict::Unclear,
            "silent" => Verdict::Silent,
            other => panic!("no such verdict: {other}"),
        };
        (verdict, rest.trim())
    })
}

/// What is wrong with what a rule makes of a conversation, if anything. The output of a process ends before the process
/// does, and whether a table says so makes no difference.
fn judged(version: &str, id: &str, expected: Verdict, about: &str, talk: &str) -> Option<String> {
    let whole = with_ends_of_output(talk);
    [talk, &whole]
        .into_iter()
        .find_map(|talk| judged_once(version, id, expected, about, talk))
}

/// The conversation with an end of the target's output before the end of each process.
fn with_ends_of_output(talk: &str) -> String {
    let side = if talk.contains("open client") {
        "C"
    } else {
        "S"
    };
    let eof = format!("eof {side}");
    let mut ended = false;
    let mut steps = Vec::new();
    for step in talk.split(" | ") {
        let word = step.trim().split(' ').next().unwrap_or_default();
        ended |= step.trim() == eof;
        if word == "exit" && !ended {
            steps.push(eof.as_str());
        }
        ended &= word != "exit";
        steps.push(step);
    }
    steps.join(" | ")
}

fn judged_once(
    version: &str,
    id: &str,
    expected: Verdict,
    about: &str,
    talk: &str,
) -> Option<String> {
    let text = written(version, talk);
    let judgement = judge(&trace(&format!("acp-{version}"), &text));
    let tally = judgement.tallies.get(id);
    let found = verdict(&judgement, id);
    let fault = if found == expected {
        let mut breaches = tally.into_iter().flat_map(|tally| &tally.breaches);
        breaches.find_map(unreadable)?.to_owned()
    } else {
        format!("{found:?}, expected {expected:?}")
    };
    Some(format!(
        "{id} in {version}: {about}: {fault}\n{tally:#?}\n{text}"
    ))
}

/// What keeps a breach from being a sentence to the target's author.
fn unreadable(breach: &Breach) -> Option<&'static str> {
    let texts = [&breach.why, &breach.expected, &breach.sent, &breach.got];
    if breach.why.is_empty() || breach.expected.is_empty() || breach.got.is_empty() {
        Some("the breach says nothing")
    } else if breach.why.ends_with('.') || breach.expected.ends_with('.') {
        Some("the breach ends in a full stop, which the report adds")
    } else if texts.iter().any(|text| text.chars().any(char::is_control)) {
        Some("the breach has control characters")
    } else if texts.iter().any(|text| text.chars().count() > 900) {
        Some("the breach is long")
    } else {
        None
    }
}
