//! `elenchus explain`: all about a requirement, a script or a fault.

use std::process::ExitCode;

use elenchus_fixtures::fault::Fault;
use elenchus_reports::{
    ExitStatus,
    builder::{Kind, level_name},
    human::page::{Page, Paint},
};
use elenchus_suites::{Observable, Party, Requirement, Script, Suite};

use crate::{
    args::ExplainArgs,
    failure::Failure,
    list::need,
    near::near,
    output,
    suite::{all_faults, faults, first_line, scripts, why_no_rule},
};

/// Explains it.
pub(crate) fn explain(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let suite = Suite::embedded();
    let id = args.id.trim();
    // Reports name areas without the protocol, and so do people.
    let full = format!("ACP-{id}");
    let mut page = Page::new(output::style(args.color));
    let script = suite.scripts.iter().find(|script| script.name == id);
    if let Some(it) = suite
        .catalogue
        .requirements
        .values()
        .find(|it| it.id.eq_ignore_ascii_case(id) || it.id.eq_ignore_ascii_case(&full))
    {
        requirement(&mut page, it);
    } else if let Some(it) = script.or_else(|| by_last_part(suite, id)) {
        show_script(&mut page, it);
    } else if let Some((kind, it)) = all_faults().find(|(_, fault)| fault.id == id) {
        show_fault(&mut page, kind, it);
    } else {
        return Err(unknown(suite, id));
    }
    output::print(&page.finish())?;
    Ok(ExitStatus::Conforming.code().into())
}

/// The script whose name ends like this, if there is just one.
fn by_last_part<'s>(suite: &'s Suite, id: &str) -> Option<&'s Script> {
    let mut found = suite
        .scripts
        .iter()
        .filter(|script| script.name.rsplit('/').next() == Some(id));
    found.next().filter(|_| found.next().is_none())
}

fn unknown(suite: &Suite, id: &str) -> Failure {
    let names = suite
        .catalogue
        .requirements
        .keys()
        .map(String::as_str)
        .chain(suite.scripts.iter().map(|script| script.name.as_str()))
        .chain(all_faults().map(|(_, fault)| fault.id));
    Failure::usage(format!("nothing is called `{id}`"))
        .did_you_mean(&near(id, names))
        .hint("`elenchus list requirements`, `elenchus list scripts` and `elenchus list faults` show what there is")
}

fn requirement(page: &mut Page, requirement: &Requirement) {
    page.text(0, Paint::Strong, &requirement.id);
    page.text(2, Paint::Plain, &requirement.text);
    page.blank();
    page.field(2, "source", &requirement.source);
    page.field(2, "level", &level(requirement));
    page.field(2, "binds", binds(requirement.party));
    page.field(2, "versions", &requirement.versions.join(", "));
    page.field(2, "seen", seen(requirement.observable));
    page.field(2, "judged", &requirement.how);
    page.field(2, "accepts", &requirement.accepts.join("; "));
    page.field(
        2,
        "applies",
        requirement.gate.as_deref().unwrap_or_default(),
    );
    page.field(2, "needs", &requirement.needs.join(", "));
    page.field(2, "broken by", &requirement.mutant);
    match (&requirement.same_as, why_no_rule(requirement)) {
        (_, Some(reason)) => page.field(2, "rule", &format!("none: {reason}")),
        (Some(other), None) => page.field(
            2,
            "rule",
            &format!("that of {other}, where its findings stand"),
        ),
        (None, None) => page.field(2, "rule", "yes"),
    }
    if let Some(reason) = &requirement.no_rule_client {
        page.field(2, "clients", &format!("not judged: {reason}"));
    }
    let scripts = scripts(requirement);
    if !scripts.is_empty() {
        page.heading(Paint::Strong, "Scripts that exercise it");
        for script in scripts {
            page.text(2, Paint::Plain, &script.name);
            page.text(6, Paint::Label, first_line(&script.about));
        }
    }
    let faults = faults(requirement);
    if !faults.is_empty() {
        page.heading(Paint::Strong, "Faults that break it");
        for fault in faults {
            page.text(2, Paint::Plain, fault.id);
            page.text(6, Paint::Label, fault.about);
        }
    }
    if why_no_rule(requirement).is_none() {
        page.heading(Paint::Strong, "Try it");
        page.line(
            Paint::Plain,
            &format!("  elenchus --target CMD --only {}", requirement.id),
        );
    }
}

fn level(requirement: &Requirement) -> String {
    let mut text = level_name(requirement.level).to_owned();
    for (version, level) in [("v1", requirement.level_v1), ("v2", requirement.level_v2)] {
        if let Some(level) = level {
            text.extend([", in ", version, " ", level_name(level)]);
        }
    }
    if requirement.derived {
        text.push_str(
            "; derived: we infer it, the text does not state it, so that it never decides",
        );
    }
    text
}

fn binds(party: Party) -> &'static str {
    match party {
        Party::Agent => "agents",
        Party::Client => "clients",
        Party::Both => "both sides",
        Party::Server => "MCP servers",
        Party::Gateway => "MCP gateways",
    }
}

fn seen(observable: Observable) -> &'static str {
    match observable {
        Observable::Wire => "on the wire, in any traffic",
        Observable::Probe => "on the wire, with input that provokes it",
        Observable::Host => "on the machine: a loopback site, a process",
        Observable::Attest => "by a person only",
    }
}

fn show_script(page: &mut Page, script: &Script) {
    page.text(0, Paint::Strong, &script.name);
    for line in script.about.lines() {
        page.text(2, Paint::Plain, line);
    }
    page.blank();
    let versions: Vec<String> = script
        .versions
        .iter()
        .map(|version| format!("v{version}"))
        .collect();
    page.field(2, "versions", &versions.join(", "));
    page.field(
        2,
        "needs",
        &script.needs.iter().map(need).collect::<Vec<_>>().join(", "),
    );
    let each: Vec<String> = script
        .each
        .iter()
        .map(|each| format!("{} ({} values)", each.name, each.values.len()))
        .collect();
    page.field(2, "each", &each.join(", "));
    page.field(2, "we break", &script.breaks.join(", "));
    covered(
        page,
        "Requirements that it is there for",
        script.covers.iter().map(String::as_str),
    );
    page.heading(Paint::Strong, "Try it");
    page.line(
        Paint::Plain,
        &format!("  elenchus --target CMD --only {}", script.name),
    );
}

fn show_fault(page: &mut Page, kind: Kind, fault: &Fault) {
    page.text(0, Paint::Strong, fault.id);
    page.text(2, Paint::Plain, fault.about);
    page.blank();
    let versions: Vec<&str> = fault
        .versions
        .iter()
        .map(|version| version.name())
        .collect();
    page.field(2, "versions", &versions.join(", "));
    // A crash or a hang need not break a requirement.
    if !fault.breaks.is_empty() {
        let breaks = fault.breaks.iter().copied();
        covered(page, "Requirements that it breaks", breaks);
    }
    if !fault.may_also.is_empty() {
        page.heading(Paint::Strong, "Requirements that fail with it");
        for (id, reason) in fault.may_also {
            page.text(2, Paint::Plain, &format!("{id}: {reason}"));
        }
    }
    page.heading(Paint::Strong, "Try it");
    page.line(
        Paint::Plain,
        &format!(
            "  elenchus --target 'reference:{}?fault={}'",
            kind.name(),
            fault.id
        ),
    );
}

fn covered<'a>(page: &mut Page, heading: &str, ids: impl Iterator<Item = &'a str>) {
    page.heading(Paint::Strong, heading);
    for id in ids {
        page.text(2, Paint::Plain, id);
        if let Some(requirement) = Suite::embedded().catalogue.get(id) {
            page.text(6, Paint::Label, &requirement.text);
        }
    }
}
