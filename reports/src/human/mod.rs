//! The report for a person at a terminal: failures first, grouped by area, then one summary line a version and one in
//! all.
//!
//! Nothing that came from a target reaches the terminal unescaped: every text goes through [`crate::text::printable`]
//! in the page that it is written to.

mod attested;
mod failures;
pub mod fuzz;
mod ids;
pub mod page;
mod unexercised;

use elenchus_suites::Catalogue;
use serde_json::Value;

use crate::model::{Counts, Report, RowOutcome, Run, Status};
use page::{Page, Paint};

/// A longer command line names many files, and nobody reads them all.
const MOST_WORDS: usize = 32;

/// How it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours may be used.
    pub colour: bool,
    /// The width to wrap at, in columns. What is there to be copied (commands, paths) is not wrapped.
    pub width: usize,
}

/// What is shown besides the report itself.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The clauses in our words.
    pub catalogue: &'a Catalogue,
    /// The folder that trace files are relative to, as the person named it.
    pub folder: Option<&'a str>,
    /// What was tested, where the report has no command line that started it.
    pub target: Option<&'a str>,
}

/// Renders a report.
pub fn render(report: &Report, view: View<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    header(&mut page, report, view);
    failures::deciding(&mut page, report, view);
    failures::others(&mut page, report, view);
    remarks(&mut page, report);
    attested::section(&mut page, report);
    unexercised::section(&mut page, report);
    lost_races(&mut page, report);
    summary(&mut page, report);
    page.finish()
}

fn header(page: &mut Page, report: &Report, view: View<'_>) {
    page.text(0, Paint::Strong, &format!("elenchus {}", report.elenchus));
    let started = command(&report.target.command);
    let target = view.target.unwrap_or(&started);
    page.verbatim(2, "target", &format!("{}: {target}", report.target.kind));
    if let Some(info) = &report.target.info {
        page.field(2, "it says", &introduction(info));
    }
    let (shown, more) = report
        .command
        .split_at(report.command.len().min(MOST_WORDS));
    let more = match more.len() {
        0 => String::new(),
        words => format!(" … and {words} words more"),
    };
    page.verbatim(2, "command", &(command(shown) + &more));
    let versions: Vec<String> = report
        .runs
        .iter()
        .map(|run| format!("{} (edition {})", run.protocol, run.edition))
        .collect();
    if !versions.is_empty() {
        page.field(2, "versions", &versions.join(", "));
    }
    page.field(2, "seed", &report.seed.to_string());
    if let Some(folder) = view.folder {
        page.verbatim(
            2,
            "report",
            &format!("{}/report.json", folder.trim_end_matches('/')),
        );
    }
    for note in &report.target.notes {
        page.field(2, "note", note);
    }
}

/// A command line as a shell takes it.
fn command(argv: &[String]) -> String {
    argv.iter()
        .map(|word| {
            shlex::try_quote(word).map_or_else(|_| word.clone(), std::borrow::Cow::into_owned)
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// What a target says of itself, in a few words.
fn introduction(info: &Value) -> String {
    let member = |name: &str| info.get(name).and_then(Value::as_str);
    match (member("name"), member("version")) {
        (Some(name), Some(version)) => format!("{name} {version}"),
        (Some(name), None) => name.to_owned(),
        _ => info.to_string(),
    }
}

/// Remarks of rules on rows that did not fail.
fn remarks(page: &mut Page, report: &Report) {
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for run in &report.runs {
        for row in run
            .requirements
            .iter()
            .filter(|row| row.outcome == RowOutcome::Pass)
        {
            for note in &row.notes {
                let line = format!("{}: {note}", row.id);
                match lines.iter_mut().find(|(known, _)| *known == line) {
                    Some((_, versions)) => versions.push(&run.protocol),
                    None => lines.push((line, vec![&run.protocol])),
                }
            }
        }
    }
    if lines.is_empty() {
        return;
    }
    page.heading(Paint::Strong, "Remarks (they never count)");
    lines.sort();
    for (line, versions) in lines {
        page.text(
            2,
            Paint::Plain,
            &format!("{line} ({})", versions.join(", ")),
        );
    }
}

/// How many races the target won. Which rows would have been judged stands in the JSON report.
fn lost_races(page: &mut Page, report: &Report) {
    let counts: Vec<String> = report
        .runs
        .iter()
        .map(|run| {
            (
                run,
                run.requirements.iter().map(|row| row.lost).sum::<u64>(),
            )
        })
        .filter(|(_, lost)| *lost > 0)
        .map(|(run, lost)| format!("{lost} in {}", run.protocol))
        .collect();
    if !counts.is_empty() {
        page.blank();
        page.text(
            0,
            Paint::Label,
            &format!(
                "Races that the target won, so that nothing was judged: {}.",
                counts.join(", ")
            ),
        );
    }
}

fn summary(page: &mut Page, report: &Report) {
    page.blank();
    for run in &report.runs {
        page.line(
            Paint::Strong,
            &format!("{}: {}", run.protocol, counted(run)),
        );
    }
    let verdict = &report.verdict;
    let exercised = report
        .runs
        .iter()
        .flat_map(|run| &run.requirements)
        .filter(|row| row.decides() && row.exercised > 0)
        .count();
    let of = format!("of the {exercised} deciding requirements that were exercised");
    let (paint, line) = match verdict.status {
        Status::Conforming => (Paint::Good, format!("Conforming: none {of} failed.")),
        Status::Nonconforming => {
            let broke: Vec<String> = [
                (verdict.counts.fail, "failed"),
                (verdict.counts.flaky, "failed now and then"),
            ]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, how)| format!("{count} {how}"))
            .collect();
            let line = if broke.is_empty() {
                format!("Nonconforming: none {of} failed, and the target broke down.")
            } else {
                let broken = failures::broken(report);
                format!("Nonconforming: {of}, {}: {broken}.", broke.join(" and "))
            };
            (Paint::Bad, line)
        }
        Status::Incomplete => (
            Paint::Warn,
            "Incomplete: there is no verdict on the target.".to_owned(),
        ),
        Status::Error => (Paint::Bad, "Error: elenchus itself failed.".to_owned()),
    };
    page.text(0, paint, &line);
    for reason in &verdict.reasons {
        page.text(2, Paint::Plain, reason);
    }
}

/// `78 passed, 2 failed, 1 warned, 3 not exercised, 1 not applicable`. What no target could have exercised is told apart.
fn counted(run: &Run) -> String {
    let mut counts = Counts::default();
    for row in &run.requirements {
        counts.add(row);
    }
    let not_judged = unexercised::beyond_any_target(run);
    let mut parts = vec![
        format!("{} passed", counts.pass),
        format!("{} failed", counts.fail),
    ];
    for (count, what) in [
        (counts.known, "failed as known"),
        (counts.flaky, "flaky"),
        (counts.warn, "warned"),
        (counts.attested, "attested"),
        (
            counts.not_exercised.saturating_sub(not_judged),
            "not exercised",
        ),
        (counts.not_applicable, "not applicable"),
        (not_judged, "not judged"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    parts.join(", ")
}
