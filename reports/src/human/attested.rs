//! What people state, apart from what was seen.

use std::collections::BTreeMap;

use super::{
    ids,
    page::{Page, Paint},
};
use crate::model::{Attested, Report};

/// Lists it, by who stated it and when.
pub(super) fn section(page: &mut Page, report: &Report) {
    let mut statements: BTreeMap<&Attested, BTreeMap<Vec<&str>, Vec<&str>>> = BTreeMap::new();
    for run in &report.runs {
        let mut rows: BTreeMap<&Attested, Vec<&str>> = BTreeMap::new();
        for row in &run.requirements {
            if let Some(attested) = &row.attested {
                rows.entry(attested).or_default().push(&row.id);
            }
        }
        for (attested, ids) in rows {
            statements
                .entry(attested)
                .or_default()
                .entry(ids)
                .or_default()
                .push(&run.protocol);
        }
    }
    if statements.is_empty() {
        return;
    }
    page.heading(
        Paint::Strong,
        "Attested (a person states it in the profile; nothing here was seen)",
    );
    for (Attested { who, when, note }, groups) in statements {
        let note = note.as_ref().map(|note| format!(": {note}"));
        page.text(
            2,
            Paint::Plain,
            &format!("{who}, {when}{}", note.unwrap_or_default()),
        );
        for (ids, versions) in groups {
            page.text(
                4,
                Paint::Label,
                &format!("{} ({})", ids::compact(&ids), versions.join(", ")),
            );
        }
    }
}
