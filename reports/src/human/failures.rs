//! What was broken: the deciding rows first, then, apart, those that do not decide.

use std::collections::BTreeMap;

use super::{
    View, ids,
    page::{Page, Paint},
};
use crate::model::{Finding, Report, Row, RowOutcome};

/// A row that broke in the same way in these versions.
struct Entry<'a> {
    row: &'a Row,
    versions: Vec<&'a str>,
}

/// The failures that decide the verdict.
pub(super) fn deciding(page: &mut Page, report: &Report, view: View<'_>) {
    let entries = entries(report, Row::decides);
    if !entries.is_empty() {
        page.heading(Paint::Bad, "FAILED");
        show(page, &entries, view);
    }
}

/// The failures that do not.
pub(super) fn others(page: &mut Page, report: &Report, view: View<'_>) {
    let entries = entries(report, |row| !row.decides());
    if !entries.is_empty() {
        page.heading(Paint::Warn, "WARNINGS (these do not decide the verdict)");
        show(page, &entries, view);
    }
}

/// The ids of the rows that decide the verdict against the target, with the versions.
pub(super) fn broken(report: &Report) -> String {
    let entries = entries(report, Row::decides);
    let mut by_versions: BTreeMap<&[&str], Vec<&str>> = BTreeMap::new();
    for entry in &entries {
        let ids = by_versions.entry(&entry.versions).or_default();
        ids.push(&entry.row.id);
    }
    let parts = by_versions
        .iter()
        .map(|(versions, ids)| format!("{} ({})", ids::compact(ids), versions.join(", ")));
    parts.collect::<Vec<_>>().join("; ")
}

fn entries(report: &Report, wanted: impl Fn(&Row) -> bool) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for run in &report.runs {
        for row in run
            .requirements
            .iter()
            .filter(|row| row.broke() && wanted(row))
        {
            match entries.iter_mut().find(|entry| is_same(entry.row, row)) {
                Some(entry) => entry.versions.push(&run.protocol),
                None => entries.push(Entry {
                    row,
                    versions: vec![&run.protocol],
                }),
            }
        }
    }
    entries.sort_by(|a, b| (&a.row.id, &a.versions).cmp(&(&b.row.id, &b.versions)));
    entries
}

fn is_same(a: &Row, b: &Row) -> bool {
    let explanations = |row: &Row| {
        row.findings
            .iter()
            .map(|finding| finding.explanation.clone())
            .collect::<Vec<_>>()
    };
    a.id == b.id
        && a.level == b.level
        && a.outcome == b.outcome
        && explanations(a) == explanations(b)
}

fn show(page: &mut Page, entries: &[Entry<'_>], view: View<'_>) {
    let mut area = "";
    for entry in entries {
        let of = ids::area(&entry.row.id);
        if of != area {
            page.heading(Paint::Strong, of);
            area = of;
        }
        page.blank();
        show_entry(page, entry, view);
    }
}

fn show_entry(page: &mut Page, entry: &Entry<'_>, view: View<'_>) {
    let row = entry.row;
    let (word, paint) = match (row.decides(), row.outcome) {
        (true, RowOutcome::Flaky) => ("FLAKY", Paint::Bad),
        (true, _) => ("FAIL", Paint::Bad),
        (false, RowOutcome::Flaky) => ("WARN, flaky", Paint::Warn),
        (false, _) => ("WARN", Paint::Warn),
    };
    let derived = if row.derived {
        ", derived: we infer it, the text does not state it"
    } else {
        ""
    };
    page.text(
        2,
        paint,
        &format!(
            "{word} {} ({}{derived}) in {}",
            row.id,
            row.level,
            entry.versions.join(", ")
        ),
    );
    if let Some(requirement) = view.catalogue.get(&row.id) {
        page.text(4, Paint::Plain, &requirement.text);
        page.field(4, "source", &requirement.source);
    }
    for note in &row.notes {
        page.field(4, "note", note);
    }
    for finding in &row.findings {
        page.blank();
        show_finding(page, finding, view);
    }
}

fn show_finding(page: &mut Page, finding: &Finding, view: View<'_>) {
    page.text(4, Paint::Strong, &finding.explanation);
    page.field(4, "sent", &finding.sent);
    page.field(4, "got", &finding.got);
    page.field(4, "expected", &finding.expected);
    for (n, line) in finding.stderr.iter().enumerate() {
        page.field(4, if n == 0 { "stderr" } else { "" }, line);
    }
    page.field(4, "script", &finding.script);
    if let Some(often) = how_often(finding) {
        page.field(4, "seen", &often);
    }
    if let Some(trace) = &finding.trace {
        let folder = view
            .folder
            .map(|folder| format!("{}/", folder.trim_end_matches('/')))
            .unwrap_or_default();
        // The header is line 1, and events count from 0.
        page.verbatim(
            4,
            "trace",
            &format!("{folder}{trace}:{}", finding.event.saturating_add(2)),
        );
    }
    page.verbatim(4, "again", &finding.replay);
}

/// How often it was seen, where that is not simply once.
fn how_often(finding: &Finding) -> Option<String> {
    let (broken, performed) = finding.repeats;
    let repeats = (performed > 1).then(|| {
        if broken == performed {
            format!("each of the {performed} times that this was performed")
        } else {
            format!("{broken} of the {performed} times that this was performed")
        }
    });
    let instances = (finding.instances > 1).then(|| {
        format!(
            "in {} instances, of which this is the first",
            finding.instances
        )
    });
    match (repeats, instances) {
        (Some(repeats), Some(instances)) => Some(format!("{repeats}; {instances}")),
        (one, other) => one.or(other),
    }
}
