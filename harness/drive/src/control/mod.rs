//! The control run: what the target can do when nothing is made hard for it.
//!
//! It comes before everything else, so that a script that provokes nothing is told from one that is obeyed.

mod client;
mod dead;
mod triggers;
mod versions;

pub(crate) use self::dead::not_started;
use self::versions::Probed;

use std::collections::BTreeSet;

use elenchus_protocol::{Version, acp::initialize::agent_features};
use elenchus_suites::{Script, StepKind, script::Need};
use elenchus_wire::{
    event::Premise,
    message::write_request,
    trace::{FORMAT, Header},
};
use serde_json::Value;

use crate::{
    campaign::{Campaign, Knowledge, Outcome},
    crew::Sinks,
    instance::{Reach, Step},
    params,
    perform::Host,
    record::{Recorder, Sink},
    stage::{
        Patience, Stage, logins,
        plan::{FIRST, Plan},
    },
    vocabulary,
};

/// What the control run found, for this program itself.
pub(crate) struct Learned {
    pub(crate) knowledge: Knowledge,
    pub(crate) patience: Patience,
    pub(crate) interrupted: bool,
    /// What the rules say of the very first answers.
    pub(crate) first: Vec<Outcome>,
}

/// Learns what the target can do.
pub(crate) fn learn(campaign: &Campaign<'_>, host: &mut Host, sinks: &Sinks<'_>) -> Learned {
    if campaign.launch.is_client() {
        return client::learn(campaign, host, sinks);
    }
    let overlap = campaign.scripts.iter().any(|script| overlaps(script));
    let probed = match versions::probe(campaign, host, sinks, overlap) {
        Ok(probed) => probed,
        Err(dead) => {
            return Learned {
                knowledge: Knowledge {
                    dead: Some(dead),
                    ..Knowledge::default()
                },
                patience: Patience::default(),
                interrupted: false,
                first: Vec::new(),
            };
        }
    };
    let mut learned = learn_more(campaign, host, sinks, &probed);
    if !learned.interrupted {
        learned.first = first(campaign, &learned.knowledge, probed);
    }
    learned
}

/// What the rules say of the answers to the first questions, in each version that is run, or in which a target is judged
/// with which nothing can be run. What never spoke JSON-RPC, or speaks another protocol, is no agent that breaks a rule.
fn first(campaign: &Campaign<'_>, knowledge: &Knowledge, probed: Probed) -> Vec<Outcome> {
    let versions = if knowledge.dead.is_some() {
        judged_dead(campaign)
    } else {
        knowledge.versions.clone()
    };
    if knowledge.dead.is_some() && probed.no_agent(&versions) {
        return Vec::new();
    }
    probed
        .traces(&versions)
        .into_iter()
        .map(|(version, name, trace)| Outcome {
            script: trace.header.script.clone(),
            instance: trace.header.instance.clone(),
            version,
            trace: name,
            judgement: elenchus_judge::judge(&trace),
            repeats: Vec::new(),
            stopped: None,
            // Both are told of the first questions as a whole, in `Knowledge`.
            stderr: Vec::new(),
            reach: Reach::default(),
            resident: None,
            disturbed: BTreeSet::new(),
        })
        .filter(|outcome| outcome.judgement.heard)
        .collect()
}

/// The versions in which a target is judged with which nothing can be run: those that it is said to speak, or the oldest,
/// as nobody knows whether it speaks more.
pub(crate) fn judged_dead(campaign: &Campaign<'_>) -> Vec<Version> {
    let mut versions = distinct(&campaign.versions);
    if !campaign.declared {
        versions.truncate(1);
    }
    versions
}

/// Each once, oldest first.
fn distinct(versions: &[Version]) -> Vec<Version> {
    let versions: BTreeSet<Version> = versions.iter().copied().collect();
    versions.into_iter().collect()
}

fn learn_more(
    campaign: &Campaign<'_>,
    host: &mut Host,
    sinks: &Sinks<'_>,
    probed: &Probed,
) -> Learned {
    let mut knowledge = Knowledge {
        echoed: probed.echoed(),
        alone: probed.alone,
        ignores_unknown: probed.patience.short_fence,
        ..Knowledge::default()
    };
    let spoken = probed.spoken();
    let versions = distinct(&campaign.versions);
    let claimed: BTreeSet<Version> = spoken
        .iter()
        .copied()
        .chain(versions.iter().copied().filter(|_| campaign.declared))
        .collect();
    knowledge.versions = versions
        .iter()
        .copied()
        .filter(|version| claimed.contains(version))
        .collect();
    if knowledge.versions.is_empty() {
        // It answers, if not as it should: what is wrong with its answer is for the rules to say.
        knowledge.versions = probed
            .answered()
            .into_iter()
            .filter(|version| versions.contains(version))
            .take(1)
            .collect();
    }
    // Not even an operator's word makes something of a target that answers nothing.
    let silent = !probed.any_answer();
    if (knowledge.versions.is_empty() || silent) && !probed.interrupted {
        knowledge.versions.clear();
        let mut dead = probed.dead(&versions);
        if !probed.spoke() && !probed.no_agent(&versions) && on_terminal(campaign, host, &versions)
        {
            knowledge.terminal_only = true;
            "It answers on a terminal, and not when its stdin and stdout are pipes: an ACP client has pipes only \
                (TRANSPORT-009)."
                .clone_into(&mut dead.hint);
        }
        knowledge.dead = Some(dead);
        return Learned {
            knowledge,
            patience: probed.patience,
            interrupted: false,
            first: Vec::new(),
        };
    }
    let mut premises: Vec<Premise> = claimed
        .iter()
        .map(|version| Premise::Speaks {
            version: version.number(),
        })
        .collect();
    if probed.complete() {
        premises.push(Premise::AllVersionsProbed);
    }
    let mut interrupted = probed.interrupted;
    for version in knowledge.versions.clone() {
        if let Some(result) = probed.result(version) {
            note_result(&mut knowledge, version, &result);
        }
        let needed = needed_triggers(campaign, version);
        let mut premises = premises.clone();
        let sessions = campaign.scripts.iter().any(|script| uses_sessions(script));
        if (sessions || !needed.is_empty()) && !interrupted {
            let tried = triggers::try_all(campaign, host, version, &needed, sinks);
            interrupted |= tried.interrupted;
            if matches!(tried.reach.session, Step::Failed(_)) {
                premises.push(Premise::OpensNoSession);
            }
            if matches!(tried.reach.turn, Step::Failed(_)) {
                premises.push(Premise::EndsNoTurn);
            }
            knowledge.reach.push((version, tried.reach, tried.stderr));
            knowledge.resident = knowledge.resident.into_iter().chain(tried.resident).min();
            for (trigger, reason) in tried.untried {
                knowledge.untried.insert((version, trigger), reason);
            }
            for (trigger, mode) in tried.worked {
                knowledge.triggers.insert((version, trigger.clone()));
                premises.extend(mode.map(|mode| Premise::Elicits {
                    trigger,
                    mode: mode.to_owned(),
                }));
            }
        }
        knowledge.premises.push((version, premises));
    }
    Learned {
        knowledge,
        patience: probed.patience,
        interrupted,
        first: Vec::new(),
    }
}

/// Whether the target answers on a terminal. Any agent answers the oldest version, if only with one of its own.
fn on_terminal(campaign: &Campaign<'_>, host: &Host, versions: &[Version]) -> bool {
    versions
        .first()
        .is_some_and(|&version| host.answers_on_terminal(&initialize(version), &campaign.settings))
}

/// The id of [`initialize`].
pub(crate) const INITIALIZE_ID: &str = "0";

/// The request by which a silent target is asked once more, on a terminal.
pub(crate) fn initialize(version: Version) -> String {
    let params = params::initialize_asking(version.number(), version, None);
    write_request(INITIALIZE_ID, "initialize", Some(&params))
}

fn note_result(knowledge: &mut Knowledge, version: Version, result: &Value) {
    let features = agent_features(result, version);
    let baseline = if features.sessions {
        &["session/new", "session/prompt", "session/cancel"][..]
    } else {
        &[]
    };
    for method in features.announced.iter().chain(baseline) {
        knowledge.methods.insert((version, (*method).to_owned()));
    }
    for login in logins(result, version) {
        if !knowledge.logins.contains(&login) {
            knowledge.logins.push(login);
        }
    }
    let member = match version {
        Version::AcpV1 => "agentInfo",
        Version::AcpV2 => "info",
    };
    if knowledge.info.is_none() {
        knowledge.info = result
            .get(member)
            .filter(|info| info.is_object())
            .map(Value::to_string);
    }
}

/// What the script shows depends on sessions.
fn uses_sessions(script: &Script) -> bool {
    script.steps.iter().any(|step| match &step.kind {
        StepKind::Open(_) | StepKind::Session { .. } => true,
        StepKind::Request { method, .. } => method.starts_with("session/"),
        _ => false,
    })
}

/// The script has two processes run at a time.
pub(crate) fn overlaps(script: &Script) -> bool {
    let (mut name, mut open) = (FIRST, BTreeSet::new());
    script.steps.iter().any(|step| {
        match &step.kind {
            StepKind::On(other) => name = other,
            StepKind::Connect
            | StepKind::Open(_)
            | StepKind::Initialize { .. }
            | StepKind::Serve { .. } => {
                open.insert(name);
            }
            StepKind::Close | StepKind::Exit(_) => {
                open.remove(name);
            }
            _ => {}
        }
        open.len() > 1
    })
}

/// The triggers that the selected scripts need, and those that they prompt with and do not say that they need, as what a
/// campaign found: that a trigger works is what some rules go by.
fn needed_triggers(campaign: &Campaign<'_>, version: Version) -> BTreeSet<String> {
    campaign
        .scripts
        .iter()
        .filter(|script| script.versions.contains(&version.number()))
        .flat_map(|script| {
            let needed = script.needs.iter().filter_map(|need| match need {
                Need::Trigger(name) => Some(name.clone()),
                Need::Method(_) | Need::Consent | Need::Heeds(_) => None,
            });
            let prompted = script.steps.iter().filter_map(|step| match &step.kind {
                StepKind::Prompt { text, .. } => {
                    vocabulary::command(&text.to_string()).map(|trigger| trigger.name.to_owned())
                }
                _ => None,
            });
            needed.chain(prompted)
        })
        .filter(|name| !campaign.settings.triggers.excludes(name))
        .collect()
}

/// A stage without a script.
fn stage<'s>(
    campaign: &'s Campaign<'_>,
    host: &'s mut Host,
    version: Version,
    name: &str,
    sink: Option<Sink>,
) -> Result<Stage<'s>, String> {
    let header = Header {
        elenchus_trace: FORMAT,
        elenchus: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: version.name().to_owned(),
        judged: campaign.launch.target(),
        script: name.to_owned(),
        instance: String::new(),
        seed: campaign.seed,
    };
    let settings = &campaign.settings;
    let recorder = Recorder::new(header, settings.max_trace, sink);
    let canary = format!("canary-{:06x}", campaign.seed & 0xff_ffff);
    let wires = host.wires(false, false)?;
    Ok(Stage::new(
        wires,
        recorder,
        Plan::default(),
        version,
        canary,
        settings,
    ))
}
