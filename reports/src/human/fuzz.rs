//! The report of a fuzzing campaign for a person: what was found, with the script that shows it, and what was tried.

use super::{
    Style, View, command, introduction,
    page::{Page, Paint},
};
use crate::fuzz::{FuzzFinding, FuzzReport, FuzzStatus, Part};

/// Lines of a script that are shown. Its file holds all.
const LINES: usize = 16;
/// Characters of a line that are shown.
const LINE: usize = 200;
/// Lines of standard error that are shown.
const STDERR: usize = 4;

/// Renders a report.
pub fn render(report: &FuzzReport, view: View<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    header(&mut page, report, view);
    let (deciding, others): (Vec<_>, Vec<_>) = report
        .findings
        .iter()
        .partition(|finding| finding.decides());
    for (paint, heading, findings) in [
        (Paint::Bad, "FOUND", deciding),
        (
            Paint::Warn,
            "WARNINGS (these do not decide the verdict)",
            others,
        ),
        (
            Paint::Warn,
            "FAULTS OF ELENCHUS (the reference peer shows them too; please report them with their scripts)",
            report.ours.iter().collect(),
        ),
    ] {
        if !findings.is_empty() {
            page.heading(paint, heading);
        }
        for finding in findings {
            page.blank();
            show(&mut page, finding, paint, report, view);
        }
    }
    if report.parts.len() > 1 {
        parts(&mut page, report);
    }
    summary(&mut page, report);
    page.finish()
}

fn header(page: &mut Page, report: &FuzzReport, view: View<'_>) {
    let first = report.parts.first();
    let version = first.map_or("", |part| part.elenchus.as_str());
    page.text(0, Paint::Strong, &format!("elenchus {version}"));
    let target = &report.target;
    page.verbatim(
        2,
        "target",
        &format!("{}: {}", target.kind, command(&target.command)),
    );
    if let Some(info) = &target.info {
        page.field(2, "it says", &introduction(info));
    }
    if let (Some(part), 1) = (first, report.parts.len()) {
        page.verbatim(2, "command", &command(&part.command));
        page.field(2, "versions", &part.protocols.join(", "));
        page.field(2, "seed", &part.name.seed.to_string());
        if part.name.partitions > 1 {
            let name = part.name;
            page.field(
                2,
                "partition",
                &format!("{} of {}, counted from 0", name.partition, name.partitions),
            );
        }
        for note in &part.notes {
            page.field(2, "note", note);
        }
    }
    if let Some(folder) = view.folder {
        page.verbatim(2, "report", &below(folder, "fuzz.json"));
    }
}

fn below(folder: &str, file: &str) -> String {
    format!("{}/{file}", folder.trim_end_matches('/'))
}

fn show(page: &mut Page, finding: &FuzzFinding, paint: Paint, report: &FuzzReport, view: View<'_>) {
    let word = if paint == Paint::Bad { "FAIL" } else { "WARN" };
    let derived = if finding.derived {
        ", derived: we infer it, the text does not state it"
    } else {
        ""
    };
    let level = match &finding.level {
        Some(level) => format!(" ({level}{derived})"),
        None => String::new(),
    };
    page.text(
        2,
        paint,
        &format!("{word} {}{level} in {}", finding.cause, finding.protocol),
    );
    if let Some(requirement) = view.catalogue.get(&finding.cause) {
        page.text(4, Paint::Plain, &requirement.text);
    }
    if let Some(source) = &finding.source {
        page.field(4, "source", source);
        page.blank();
    }
    page.text(4, Paint::Strong, &finding.explanation);
    page.field(4, "sent", &finding.sent);
    page.field(4, "got", &finding.got);
    page.field(4, "expected", &finding.expected);
    let skipped = finding.stderr.len().saturating_sub(STDERR);
    for line in &finding.stderr[skipped..] {
        page.field(4, "stderr", line);
    }
    let (shown, performed) = finding.repeats;
    page.field(
        4,
        "seen",
        &format!("{shown} of {performed} times on a process of its own"),
    );
    if report.parts.len() > 1 {
        page.field(
            4,
            "found by",
            &format!(
                "{} of {} campaigns",
                finding.found_by.len(),
                report.parts.len()
            ),
        );
    }
    let folder = view.folder.unwrap_or(".");
    let place = |file: &str| below(folder, file);
    if let Some(file) = &finding.file {
        page.verbatim(4, "script", &place(file));
    }
    script(page, &finding.script);
    if let Some(trace) = &finding.trace {
        page.verbatim(4, "trace", &place(trace));
    }
    let words = finding.replay.iter().map(|word| match &finding.file {
        Some(file) if file == word => place(file),
        _ => word.clone(),
    });
    let words: Vec<String> = words.collect();
    if !words.is_empty() {
        page.verbatim(4, "again", &command(&words));
    }
}

/// What a script does, without what it says of itself.
fn script(page: &mut Page, text: &str) {
    let lines = || {
        text.lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
    };
    for line in lines().take(LINES) {
        let indent = 14 + line.len() - line.trim_start().len();
        let short: String = line.chars().take(LINE).collect();
        let more = if short.len() < line.len() { " …" } else { "" };
        page.text(indent.min(20), Paint::Label, &format!("{short}{more}"));
    }
    let left = lines().count().saturating_sub(LINES);
    if left > 0 {
        page.text(14, Paint::Label, &format!("… and {left} more lines"));
    }
}

fn parts(page: &mut Page, report: &FuzzReport) {
    page.heading(Paint::Strong, "Campaigns");
    for part in &report.parts {
        let name = part.name;
        page.text(
            2,
            Paint::Plain,
            &format!(
                "partition {} of {}, seed {}: {}",
                name.partition,
                name.partitions,
                name.seed,
                work(part)
            ),
        );
    }
}

fn work(part: &Part) -> String {
    format!(
        "{} scripts in {}, {} of them in the corpus with {} features",
        part.runs,
        duration(part.elapsed_ms),
        part.corpus,
        part.features
    )
}

fn summary(page: &mut Page, report: &FuzzReport) {
    page.blank();
    let totals = &report.totals;
    let rate = totals.messages.saturating_mul(1000) / totals.elapsed_ms.max(1);
    let mut said = vec![format!(
        "{} scripts with {} messages in {} ({rate} messages/s)",
        totals.runs,
        totals.messages,
        duration(totals.elapsed_ms)
    )];
    if let (Some(part), 1) = (report.parts.first(), report.parts.len()) {
        said.push(format!(
            "corpus {}, features {}",
            part.corpus, part.features
        ));
    }
    for (number, what) in [
        (totals.started, "processes"),
        (totals.unconfirmed, "went wrong once and never again"),
    ] {
        if number > 0 {
            said.push(format!("{number} {what}"));
        }
    }
    page.line(Paint::Strong, &said.join("; "));
    let verdict = &report.verdict;
    let warnings = match verdict.warnings {
        0 => String::new(),
        1 => " One thing was found that does not decide.".to_owned(),
        more => format!(" {more} things were found that do not decide."),
    };
    let (paint, line) = match (verdict.status, verdict.deciding) {
        (FuzzStatus::NothingFound, _) if warnings.is_empty() => {
            (Paint::Good, "Nothing was found.".to_owned())
        }
        (FuzzStatus::NothingFound, _) => (
            Paint::Good,
            format!("Nothing was found that decides.{warnings}"),
        ),
        (FuzzStatus::Found, 1) => (Paint::Bad, format!("Found: one failure.{warnings}")),
        (FuzzStatus::Found, more) => (Paint::Bad, format!("Found: {more} failures.{warnings}")),
        (FuzzStatus::Incomplete, _) => (
            Paint::Warn,
            format!(
                "Incomplete: this is no ground for saying that nothing is to be found.{warnings}"
            ),
        ),
    };
    page.line(paint, &line);
    for reason in &verdict.reasons {
        page.text(2, Paint::Plain, reason);
    }
}

/// A time in words: `9.5 s`, `10 min 0 s`, `2 h 5 min`.
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..60 => format!("{seconds}.{} s", ms % 1000 / 100),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
