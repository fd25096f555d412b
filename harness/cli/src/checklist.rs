//! `elenchus list checklist`: what no wire shows and a person can look at, with what the profile says of it already.

use elenchus_reports::{
    builder::level_name,
    human::page::{Page, Paint},
};
use elenchus_suites::{Requirement, Suite, profile::Attestation, script::Target};
use serde::Serialize;

use crate::suite::{attestable, party_name};

/// One point, as `list checklist --format json` gives it.
#[derive(Serialize)]
pub(crate) struct Point<'s> {
    id: &'static str,
    party: &'static str,
    versions: &'static [String],
    level: &'static str,
    text: &'static str,
    /// Who has stated it, and when.
    #[serde(skip_serializing_if = "Option::is_none")]
    attested: Option<Statement<'s>>,
}

/// What a person has stated.
#[derive(Serialize)]
struct Statement<'s> {
    who: &'s str,
    when: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'s str>,
}

impl<'s> Point<'s> {
    fn new(requirement: &'static Requirement, attestations: &'s [Attestation]) -> Self {
        let mut statements = attestations.iter();
        let statement = statements.find(|statement| statement.requirement == requirement.id);
        Self {
            id: &requirement.id,
            party: party_name(requirement.party),
            versions: &requirement.versions,
            level: level_name(requirement.level),
            text: &requirement.text,
            attested: statement.map(|statement| Statement {
                who: &statement.who,
                when: &statement.when,
                note: statement.note.as_deref(),
            }),
        }
    }
}

/// The points for a target of this kind, or for any: those that bind one side alone first.
pub(crate) fn points(kind: Option<Target>, attestations: &[Attestation]) -> Vec<Point<'_>> {
    let bound = |point: &Point<'_>| {
        kind.is_none_or(|kind| point.party == "both" || point.party == kind.word())
    };
    let rows = Suite::embedded().catalogue.requirements.values();
    let rows = rows.filter(|requirement| attestable(requirement));
    let mut points: Vec<Point<'_>> = rows
        .map(|requirement| Point::new(requirement, attestations))
        .filter(bound)
        .collect();
    points.sort_by_key(|point| (point.party == "both", point.party));
    points
}

/// Prints them, each with a box that is ticked where somebody has stated it.
pub(crate) fn show(page: &mut Page, points: &[Point<'_>]) {
    let mut party = "";
    for point in points {
        if point.party != party {
            party = point.party;
            page.heading(Paint::Strong, party);
        }
        let (tick, paint) = match point.attested {
            Some(_) => ("x", Paint::Label),
            None => (" ", Paint::Plain),
        };
        page.text(
            2,
            paint,
            &format!(
                "[{tick}] {} ({}, {})",
                point.id,
                point.level,
                point.versions.join(" ")
            ),
        );
        page.text(6, paint, point.text);
        if let Some(Statement { who, when, note }) = &point.attested {
            let note = note.map(|note| format!(": {note}")).unwrap_or_default();
            page.text(6, Paint::Label, &format!("{who}, {when}{note}"));
        }
    }
    page.heading(Paint::Strong, "To state one, in elenchus.toml");
    for line in [
        "[[attestation]]",
        "requirement = \"ACP-...\"",
        "who = \"...\"",
        "when = 2026-11-30",
    ] {
        page.text(2, Paint::Plain, line);
    }
}
