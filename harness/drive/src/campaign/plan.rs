//! What a campaign performs, and what it cannot perform and why.

use std::collections::BTreeSet;

use elenchus_protocol::Version;
use elenchus_suites::{
    Script,
    script::{Heed, Need, Target},
};

use super::{Campaign, Knowledge, Outcome, Skipped, words::unspeakable};
use crate::{
    control,
    instance::{Instance, Step, instances},
    told::Told,
};

/// The instances to perform, in the order of the report, and the scripts that cannot be run.
pub(crate) fn plan<'s>(
    campaign: &Campaign<'s>,
    knowledge: &Knowledge,
) -> (Vec<Instance<'s>>, Vec<Skipped>) {
    let target = if campaign.launch.is_client() {
        Target::Client
    } else {
        Target::Agent
    };
    let mut scripts: Vec<&'s Script> = campaign
        .scripts
        .iter()
        .copied()
        .filter(|script| script.target == target)
        .collect();
    scripts.sort_by(|a, b| a.name.cmp(&b.name));
    let mut instances_found = Vec::new();
    let mut skipped = Vec::new();
    for &version in &knowledge.versions {
        for &script in scripts
            .iter()
            .filter(|script| script.versions.contains(&version.number()))
        {
            let needs = script
                .needs
                .iter()
                .filter(|need| !is_of_a_value(script, need))
                .filter(|need| !is_of_a_command(knowledge, version, need));
            let crowded = (knowledge.alone && control::overlaps(script))
                .then(|| "only one process of the target can run at a time".to_owned());
            match needs.fold(crowded, |reason, need| {
                reason.or_else(|| unmet(campaign, knowledge, version, need))
            }) {
                Some(reason) => skipped.push(Skipped {
                    script: script.name.clone(),
                    version,
                    reason,
                }),
                None => match playable(campaign, knowledge, script, version) {
                    Ok(playable) => instances_found.extend(playable),
                    Err(reason) => skipped.push(Skipped {
                        script: script.name.clone(),
                        version,
                        reason,
                    }),
                },
            }
        }
    }
    (instances_found, skipped)
}

/// The need of the script that this value of a variable is about: the trigger that it is, or begins with.
fn need_of<'s>(script: &'s Script, value: &str) -> Option<&'s Need> {
    let value: String = serde_json::from_str(value).ok()?;
    let named = script.needs.iter().filter_map(|need| match need {
        Need::Trigger(trigger) => {
            let rest = value.strip_prefix(trigger.as_str())?;
            (rest.is_empty() || rest.starts_with(' ')).then_some((trigger.len(), need))
        }
        _ => None,
    });
    named
        .max_by_key(|(length, _)| *length)
        .map(|(_, need)| need)
}

/// The need is about some of the values that the script is run with: an instance with another one can do without.
fn is_of_a_value(script: &Script, need: &Need) -> bool {
    let mut values = script.each.iter().flat_map(|each| &each.values);
    values.any(|value| need_of(script, value) == Some(need))
}

/// The need is met in some instances by the command that the client is started with.
fn is_of_a_command(knowledge: &Knowledge, version: Version, need: &Need) -> bool {
    let mut answers = knowledge.answers.iter();
    *need == Need::Heeds(Heed::Answers)
        && unheeded(knowledge, version, Heed::Answers)
        && answers.any(|(of, _)| *of == version)
}

/// Elicitations are answered as the instance wants it by a command that the client can be started with.
fn is_answered(knowledge: &Knowledge, instance: &Instance<'_>) -> bool {
    let client = instance.script.client.as_ref();
    let object = client.and_then(|client| client.render(|path| instance.bound(path)).ok());
    let told = Told::read(instance.version, object.as_deref());
    told.answers_all()
        .is_some_and(|word| knowledge.answers.contains(&(instance.version, word)))
}

fn unheeded(knowledge: &Knowledge, version: Version, heed: Heed) -> bool {
    !knowledge.heeds.contains(&(version, heed))
}

/// The instances of a script, without those whose own trigger does not work or whose prompts the profile has no words
/// for; why, if those are all.
fn playable<'s>(
    campaign: &Campaign<'_>,
    knowledge: &Knowledge,
    script: &'s Script,
    version: Version,
) -> Result<Vec<Instance<'s>>, String> {
    let triggers = &campaign.settings.triggers;
    let mut reason = None;
    let mut all = instances(script, version, campaign.seed, campaign.thorough);
    let lacking = |instance: &Instance<'_>| {
        let values = instance.bindings.iter().map(|(_, value)| value);
        let of_values = values.filter_map(|value| need_of(script, value));
        let of_commands = script
            .needs
            .iter()
            .filter(|need| is_of_a_command(knowledge, version, need))
            .filter(|_| !is_answered(knowledge, instance));
        let mut needs = of_values.chain(of_commands);
        needs.find_map(|need| unmet(campaign, knowledge, version, need))
    };
    all.retain(
        |instance| match lacking(instance).or_else(|| unspeakable(instance, triggers)) {
            Some(why) => {
                reason.get_or_insert(why);
                false
            }
            None => true,
        },
    );
    match reason {
        Some(reason) if all.is_empty() => Err(reason),
        _ => Ok(all),
    }
}

/// The scripts of which no instance was performed, as the target opens no session.
pub(super) fn without_session(
    knowledge: &Knowledge,
    outcomes: &[Outcome],
    left: &[&Instance<'_>],
) -> Vec<Skipped> {
    let left: BTreeSet<(Version, &str)> = left
        .iter()
        .map(|instance| (instance.version, instance.script.name.as_str()))
        .collect();
    let performed: BTreeSet<(Version, &str)> = outcomes
        .iter()
        .map(|outcome| (outcome.version, outcome.script.as_str()))
        .collect();
    let why = |version: Version| {
        let mut reach = knowledge.reach.iter();
        reach.find_map(|(other, reach, _)| match &reach.session {
            Step::Failed(reason) if *other == version => Some(reason.as_str()),
            _ => None,
        })
    };
    left.difference(&performed)
        .map(|&(version, script)| Skipped {
            script: script.to_owned(),
            version,
            reason: format!(
                "no session could be opened: {}",
                why(version).unwrap_or("none came")
            ),
        })
        .collect()
}

/// Why a need is not met, if it is not.
fn unmet(
    campaign: &Campaign<'_>,
    knowledge: &Knowledge,
    version: Version,
    need: &Need,
) -> Option<String> {
    match need {
        Need::Method(method) => {
            let announced = knowledge.methods.contains(&(version, method.clone()));
            (!announced).then(|| format!("the target does not announce {method}"))
        }
        Need::Heeds(heed) => {
            let variable = Told::variable(*heed);
            unheeded(knowledge, version, *heed).then(|| {
                format!(
                    "the target was not seen to heed {variable}; teach a test build of it that variable, or name \
                     command lines of that effect in a profile, see suites/README.md"
                )
            })
        }
        Need::Consent => {
            // The reference agent in this process has no login that anyone could lose.
            let harmless = campaign.launch.in_memory();
            let allowed = campaign.settings.allow_logout || harmless;
            (!allowed).then(|| {
                "the target is not logged in or out unless --allow-logout or its profile says that it may be"
                    .to_owned()
            })
        }
        Need::Trigger(trigger) if campaign.settings.triggers.excludes(trigger) => Some(format!(
            "nothing makes the target do what `{trigger}` stands for, says its profile"
        )),
        Need::Trigger(trigger) => {
            let works = knowledge.triggers.contains(&(version, trigger.clone()));
            (!works).then(
                || match knowledge.untried.get(&(version, trigger.clone())) {
                    Some(reason) => format!("`{trigger}` could not be tried: {reason}"),
                    None if campaign.settings.triggers.replaces(trigger) => format!(
                        "the prompt that the profile has for `{trigger}` did not make the target do what it stands \
                         for; try another one, or write \"none\""
                    ),
                    None => format!(
                        "`{trigger}` did not make the target do what the trigger vocabulary says; teach a test build \
                         of it the command, or name a prompt of that effect in a profile, see suites/README.md"
                    ),
                },
            )
        }
    }
}
