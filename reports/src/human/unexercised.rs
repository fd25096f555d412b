//! What was not exercised, in few lines, with what to do about it.

use std::collections::BTreeMap;

use super::{
    ids,
    page::{Page, Paint},
};
use crate::{
    builder::Kind,
    model::{Report, Row, RowOutcome, Run},
    reasons::{ATTESTED, LEFT_OUT, NO_RULE, NOT_MET, NOT_TRIED},
};

/// Why a row was not exercised, as far as it matters to how it is listed.
enum Why<'a> {
    /// The operator left it out.
    LeftOut,
    /// No script was run that could have exercised it.
    NotTried,
    /// Nothing of what somebody chose was there for it.
    NotMet,
    /// No rule judges it, whatever the target does.
    NoRule,
    /// No wire shows it, and nobody has attested it.
    Unattested,
    /// Something about this run; the first note.
    Run(&'a str),
}

fn why(row: &Row) -> Why<'_> {
    let any = |test: fn(&str) -> bool| row.notes.iter().any(|note| test(note));
    if any(|note| note == LEFT_OUT) {
        Why::LeftOut
    } else if any(|note| note == ATTESTED) {
        Why::Unattested
    } else if any(|note| note.starts_with(NO_RULE)) {
        Why::NoRule
    } else if any(|note| note == NOT_TRIED) {
        Why::NotTried
    } else if any(|note| note == NOT_MET) {
        Why::NotMet
    } else {
        Why::Run(
            row.notes
                .first()
                .map_or("for no known reason", String::as_str),
        )
    }
}

fn rows(run: &Run) -> impl Iterator<Item = &Row> {
    run.requirements
        .iter()
        .filter(|row| row.outcome == RowOutcome::NotExercised)
}

/// How many rows of a run could not have been exercised by any target.
pub(super) fn beyond_any_target(run: &Run) -> u64 {
    rows(run)
        .map(|row| {
            u64::from(matches!(
                why(row),
                Why::LeftOut | Why::NoRule | Why::Unattested
            ))
        })
        .sum()
}

/// By the ids of the rows, the versions.
type Rows<'r> = BTreeMap<Vec<&'r str>, Vec<&'r str>>;

/// What a reason is about, if there are several such reasons; the ids of the rows, and the versions.
type Line<'r> = (Option<&'r str>, Vec<&'r str>, Vec<&'r str>);

/// Reasons that differ only in the command that they begin with are told once, with a line for each command.
fn alike<'r>(reasons: BTreeMap<&'r str, Rows<'r>>) -> Vec<(String, Vec<Line<'r>>)> {
    let parts = |reason: &'r str| reason.strip_prefix('`')?.split_once('`');
    let mut by_rest: BTreeMap<&str, BTreeMap<&str, Rows<'_>>> = BTreeMap::new();
    for (reason, rows) in reasons {
        let rest = parts(reason).map_or(reason, |(_, rest)| rest);
        by_rest.entry(rest).or_default().insert(reason, rows);
    }
    let mut told = Vec::new();
    for (rest, members) in by_rest {
        let several = members.len() > 1;
        let reason = if several {
            format!("these{rest}")
        } else {
            members.keys().copied().collect()
        };
        let lines = members.into_iter().flat_map(|(reason, rows)| {
            let subject = parts(reason).map(|(subject, _)| subject);
            let subject = subject.filter(|_| several);
            rows.into_iter()
                .map(move |(ids, versions)| (subject, ids, versions))
        });
        told.push((reason, lines.collect()));
    }
    told
}

/// Lists them, by reason.
pub(super) fn section(page: &mut Page, report: &Report) {
    let mut reasons: BTreeMap<&str, Rows<'_>> = BTreeMap::new();
    let mut left_out = 0;
    let mut no_rule = 0;
    let mut unattested = 0;
    let mut not_tried = 0;
    let mut not_met = 0;
    for run in &report.runs {
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for row in rows(run) {
            match why(row) {
                Why::LeftOut => left_out += 1,
                Why::NoRule => no_rule += 1,
                Why::Unattested => unattested += 1,
                Why::NotTried => not_tried += 1,
                Why::NotMet => not_met += 1,
                Why::Run(reason) => groups.entry(reason).or_default().push(&row.id),
            }
        }
        for (reason, ids) in groups {
            reasons
                .entry(reason)
                .or_default()
                .entry(ids)
                .or_default()
                .push(&run.protocol);
        }
    }
    if reasons.is_empty() && left_out + no_rule + unattested + not_tried + not_met == 0 {
        return;
    }
    page.heading(Paint::Strong, "Not exercised");
    let configurable = !reasons.is_empty();
    for (reason, about) in alike(reasons) {
        page.text(2, Paint::Plain, &reason);
        for (subject, ids, versions) in about {
            let (ids, versions) = (ids::compact(&ids), versions.join(", "));
            let subject = subject.map_or_else(String::new, |subject| format!("`{subject}`: "));
            page.text(4, Paint::Label, &format!("{subject}{ids} ({versions})"));
        }
    }
    if no_rule > 0 {
        page.text(
            2,
            Paint::Plain,
            &format!(
                "not judged, since there is no rule: {no_rule} (`elenchus explain ID` tells why)"
            ),
        );
    }
    if unattested > 0 {
        page.text(
            2,
            Paint::Plain,
            &format!(
                "shown on no wire, and attested by nobody: {unattested} (`elenchus list checklist` lists them)"
            ),
        );
    }
    let counted = [
        (not_tried, NOT_TRIED),
        (not_met, NOT_MET),
        (left_out, LEFT_OUT),
    ];
    for (number, reason) in counted {
        if number > 0 {
            page.text(2, Paint::Plain, &format!("{reason}: {number}"));
        }
    }
    if configurable {
        let how = if report.target.kind == Kind::Client.name() {
            "A client makes more of these happen by doing what the variables of its environment tell it"
        } else {
            "A target makes more of these happen by speaking the trigger vocabulary, or by a profile that names prompts of \
             its own for it"
        };
        page.text(
            2,
            Paint::Plain,
            &format!(
                "{how}, see suites/README.md; `elenchus explain ID` tells which scripts exercise a requirement."
            ),
        );
    }
}
