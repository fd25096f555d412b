//! Which instances can be performed with a target that is prompted in words of its author.

use elenchus_suites::{
    Step, StepKind,
    profile::Triggers,
    script::{Need, Template},
};

use crate::{instance::Instance, stage::spoken, vocabulary};

/// Stands for what is known only when a script is performed.
const UNKNOWN: &str = "\"unknown\"";

/// Why the profile's own prompts cannot carry what this instance says, if they cannot.
pub(crate) fn unspeakable(instance: &Instance<'_>, triggers: &Triggers) -> Option<String> {
    if triggers.named.is_empty() {
        return None;
    }
    let steps = instance.script.steps.iter();
    steps
        .flat_map(|step| match &step.kind {
            StepKind::Race { arms, .. } => arms.as_slice(),
            _ => std::slice::from_ref(step),
        })
        .find_map(|step| in_step(instance, step, triggers))
}

fn in_step(instance: &Instance<'_>, step: &Step, triggers: &Triggers) -> Option<String> {
    let lookup = |path: &[String]| {
        let bound = instance
            .bindings
            .iter()
            .find(|(name, _)| path == [name.as_str()]);
        Some(bound.map_or_else(|| UNKNOWN.to_owned(), |(_, value)| value.clone()))
    };
    match &step.kind {
        StepKind::Prompt { text, .. } => spoken(triggers, &text.render_text(lookup).ok()?).err(),
        StepKind::Request {
            method,
            params: Some(params),
            ..
        } if method == "session/prompt" => {
            in_params(params, lookup, &instance.script.needs, triggers)
        }
        _ => None,
    }
}

/// A prompt that is written by hand is sent as it stands: that is no use where the script needs what it triggers.
fn in_params(
    params: &Template,
    lookup: impl Fn(&[String]) -> Option<String>,
    needs: &[Need],
    triggers: &Triggers,
) -> Option<String> {
    let params = params.render(lookup).ok()?;
    let name = vocabulary::trigger("session/prompt", Some(&params))?;
    let needed = needs.contains(&Need::Trigger(name.to_owned()));
    (needed && triggers.replaces(name)).then(|| {
        format!("`{name}` stands in a message that is sent as it is, and the profile has another prompt for it")
    })
}
