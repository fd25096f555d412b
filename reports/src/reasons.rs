//! Why a row was not exercised or is not applicable, in sentences; each once.

use elenchus_suites::{Observable, Requirement};

use crate::{builder::Context, evidence::Notes};

/// The note of a row that the operator left out.
pub(crate) const LEFT_OUT: &str = "left out by --only or --skip";

/// The note of a row for which nothing was tried, by a script or by whoever made a recording.
pub(crate) const NOT_TRIED: &str = "nothing that was performed exercises it";

/// The note of a row where somebody else chose what was performed, and nothing of it was there for the row.
pub(crate) const NOT_MET: &str = "its situation did not arise in what was performed";

/// Begins the note of a row that no rule judges.
pub(crate) const NO_RULE: &str = "no rule: ";

/// The note of a row that nothing on a wire can show.
pub(crate) const ATTESTED: &str = "no wire shows this: a person attests it";

/// Why a requirement was not exercised. `judged_as` is the row whose rule serves it; `unclear` is what its rule said
/// where nothing certain could be said.
pub(crate) fn not_exercised(
    context: &Context<'_>,
    requirement: &Requirement,
    judged_as: &Requirement,
    unclear: &[String],
) -> Vec<String> {
    let mut notes = Notes::default();
    if requirement.observable == Observable::Attest {
        return vec![ATTESTED.to_owned()];
    }
    if !context.input.rules.contains(judged_as.id.as_str()) {
        let reason = requirement
            .no_rule
            .as_deref()
            .or(judged_as.no_rule.as_deref())
            .or(requirement.no_rule_client.as_deref());
        return vec![format!(
            "{NO_RULE}{}",
            reason.unwrap_or("none has been written for it")
        )];
    }
    let covering: Vec<&str> = context
        .input
        .scripts
        .iter()
        .filter(|script| {
            script
                .covers
                .iter()
                .any(|id| *id == requirement.id || *id == judged_as.id)
        })
        .map(|script| script.name.as_str())
        .collect();
    for skipped in &context.skipped {
        if covering.contains(&skipped.script.as_str()) {
            notes.add(&skipped.reason);
        }
    }
    let mut performed = false;
    for performance in &context.performances {
        if covering.contains(&performance.script.as_str()) {
            performed = true;
            if let Some(reason) = &performance.stopped {
                notes.add(&format!(
                    "script {} stopped early: {reason}",
                    performance.script
                ));
            }
        }
    }
    for reason in unclear {
        notes.add(reason);
    }
    if notes.is_empty() {
        notes.add(if !context.input.of_suite && !performed {
            NOT_MET
        } else if performed || covering.is_empty() {
            "its situation did not arise"
        } else {
            NOT_TRIED
        });
    }
    notes.to_vec()
}

/// Why a requirement is not applicable.
pub(crate) fn not_applicable(judged_as: &Requirement) -> String {
    if judged_as.needs.is_empty() {
        "the target lacks the capability that the clause is about".to_owned()
    } else {
        format!(
            "the target does not announce {}",
            judged_as.needs.join(", ")
        )
    }
}
