//! `elenchus list`: the requirements and how each is covered, the scripts, the faults, what people can attest.

use std::process::ExitCode;

use elenchus_fixtures::fault::Fault;
use elenchus_reports::{
    ExitStatus,
    builder::{Kind, level_name},
    human::page::{Page, Paint},
};
use elenchus_suites::{Requirement, Script, Suite, script::Need};
use serde::Serialize;

use crate::{
    args::{Format, ListArgs, What},
    checklist::{self, points},
    failure::Failure,
    job, output,
    suite::{
        all_faults, faults, first_line, has_rule, observable_name, party_name, scripts, short_area,
        why_no_rule,
    },
};

/// Lists it.
pub(crate) fn list(args: &ListArgs) -> Result<ExitCode, Failure> {
    let suite = Suite::embedded();
    let text = match (args.what, args.show.format) {
        (What::Requirements, Format::Json) => output::json(
            &suite
                .catalogue
                .requirements
                .values()
                .map(RequirementRow::new)
                .collect::<Vec<_>>(),
        )?,
        (What::Scripts, Format::Json) => {
            output::json(&suite.scripts.iter().map(ScriptRow::new).collect::<Vec<_>>())?
        }
        (What::Faults, Format::Json) => {
            let rows = all_faults().map(|(kind, fault)| FaultRow::new(kind, fault));
            output::json(&rows.collect::<Vec<_>>())?
        }
        (What::Checklist, Format::Json) => {
            let (kind, attestations) = job::stated()?;
            output::json(&points(kind, &attestations))?
        }
        (what, Format::Human) => {
            let mut page = Page::new(output::style(args.show.color));
            match what {
                What::Requirements => requirements(&mut page, suite),
                What::Scripts => show_scripts(&mut page, suite),
                What::Faults => show_faults(&mut page),
                What::Checklist => {
                    let (kind, attestations) = job::stated()?;
                    checklist::show(&mut page, &points(kind, &attestations));
                }
            }
            page.finish()
        }
    };
    output::print(&text)?;
    Ok(ExitStatus::Conforming.code().into())
}

/// One requirement, as `list requirements --format json` gives it.
#[derive(Serialize)]
struct RequirementRow {
    id: &'static str,
    area: &'static str,
    versions: &'static [String],
    party: &'static str,
    level: &'static str,
    derived: bool,
    observable: &'static str,
    rule: bool,
    scripts: Vec<&'static str>,
    faults: Vec<&'static str>,
    /// Why there is no rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The row whose rule serves this one too.
    #[serde(skip_serializing_if = "Option::is_none")]
    same_as: Option<&'static str>,
}

impl RequirementRow {
    fn new(requirement: &'static Requirement) -> Self {
        Self {
            id: &requirement.id,
            area: short_area(requirement),
            versions: &requirement.versions,
            party: party_name(requirement.party),
            level: level_name(requirement.level),
            derived: requirement.derived,
            observable: observable_name(requirement.observable),
            rule: has_rule(requirement),
            scripts: scripts(requirement)
                .iter()
                .map(|script| script.name.as_str())
                .collect(),
            faults: faults(requirement).iter().map(|fault| fault.id).collect(),
            reason: why_no_rule(requirement),
            same_as: requirement.same_as.as_deref(),
        }
    }
}

/// One script, as `list scripts --format json` gives it.
#[derive(Serialize)]
struct ScriptRow {
    name: &'static str,
    /// What is tested.
    target: &'static str,
    about: &'static str,
    versions: &'static [u16],
    covers: &'static [String],
    needs: Vec<&'static str>,
    breaks: &'static [String],
}

impl ScriptRow {
    fn new(script: &'static Script) -> Self {
        Self {
            name: &script.name,
            target: script.target.word(),
            about: &script.about,
            versions: &script.versions,
            covers: &script.covers,
            needs: script.needs.iter().map(need).collect(),
            breaks: &script.breaks,
        }
    }
}

/// What a script needs, as it stands in the script.
pub(crate) fn need(need: &Need) -> &str {
    match need {
        Need::Method(text) | Need::Trigger(text) => text,
        Need::Consent => Need::CONSENT,
        Need::Heeds(heed) => heed.word(),
    }
}

/// One fault, as `list faults --format json` gives it.
#[derive(Serialize)]
struct FaultRow {
    id: &'static str,
    /// What the reference peer is that can be given it.
    kind: &'static str,
    about: &'static str,
    versions: Vec<&'static str>,
    breaks: &'static [&'static str],
    may_also: Vec<Also>,
}

/// A requirement that fails with a fault, and why that is right.
#[derive(Serialize)]
struct Also {
    id: &'static str,
    reason: &'static str,
}

impl FaultRow {
    fn new(kind: Kind, fault: &'static Fault) -> Self {
        Self {
            id: fault.id,
            kind: kind.name(),
            about: fault.about,
            versions: fault
                .versions
                .iter()
                .map(|version| version.name())
                .collect(),
            breaks: fault.breaks,
            may_also: fault
                .may_also
                .iter()
                .map(|&(id, reason)| Also { id, reason })
                .collect(),
        }
    }
}

fn requirements(page: &mut Page, suite: &'static Suite) {
    let mut area = "";
    for requirement in suite.catalogue.requirements.values() {
        let of = short_area(requirement);
        if of != area {
            page.heading(Paint::Strong, of);
            area = of;
        }
        let derived = if requirement.derived { ", derived" } else { "" };
        let coverage = match why_no_rule(requirement) {
            None => format!(
                "{} scripts, {} faults",
                scripts(requirement).len(),
                faults(requirement).len()
            ),
            Some(reason) => format!("no rule: {reason}"),
        };
        let paint = if has_rule(requirement) {
            Paint::Plain
        } else {
            Paint::Label
        };
        page.text(
            2,
            paint,
            &format!(
                "{}  {}{derived}, {}, {}: {coverage}",
                requirement.id,
                level_name(requirement.level),
                party_name(requirement.party),
                requirement.versions.join(" "),
            ),
        );
    }
}

fn show_scripts(page: &mut Page, suite: &Suite) {
    for script in &suite.scripts {
        page.text(0, Paint::Strong, &script.name);
        page.text(4, Paint::Plain, first_line(&script.about));
    }
}

fn show_faults(page: &mut Page) {
    for (kind, fault) in all_faults() {
        let target = format!("{} (of the {})", fault.id, kind.name());
        page.text(0, Paint::Strong, &target);
        page.text(4, Paint::Plain, fault.about);
        // A crash or a hang need not break a requirement.
        if !fault.breaks.is_empty() {
            let breaks = format!("breaks {}", fault.breaks.join(", "));
            page.text(4, Paint::Label, &breaks);
        }
    }
}
