//! What became of a target that no rule is about: that it crashed, hung, did no more work, or took memory. A run has rules for
//! where that matters; a script that was saved because of it has to show it again.

use std::{fs, path::Path};

use elenchus_drive::{Outcome, Recording, campaign::Findings, fuzz::breakdown};
use elenchus_suites::Script;
use elenchus_wire::{EventKind, trace};

/// All that shows in what was performed of these scripts, a sentence each.
pub(super) fn of(scripts: &[&Script], findings: &Findings, traces: &Path) -> Vec<String> {
    let mut told = Vec::new();
    for outcome in &findings.outcomes {
        let script = scripts.iter().find(|script| script.name == outcome.script);
        let file = outcome.trace.as_ref().map(|file| traces.join(file));
        let (Some(script), Some(file)) = (script, file) else {
            continue;
        };
        // Where a trace could not be written, that is told by itself.
        let Some(recording) = recording(outcome, &file) else {
            continue;
        };
        let shown = breakdown(&recording, script, outcome.resident, &findings.knowledge);
        for (cause, why) in shown {
            told.push(format!(
                "{} in {}: {}: {why} (trace {}).",
                outcome.script,
                outcome.version.name(),
                cause.name(),
                file.display()
            ));
        }
    }
    told
}

fn recording(outcome: &Outcome, file: &Path) -> Option<Recording> {
    let trace = trace::read(&fs::read_to_string(file).ok()?).ok()?;
    let lines = trace.events.iter().filter_map(|event| match &event.kind {
        EventKind::Stderr { text } => Some(text.clone()),
        _ => None,
    });
    Some(Recording {
        stderr: lines.collect(),
        trace,
        stopped: outcome.stopped.clone(),
        reach: outcome.reach.clone(),
    })
}
