//! The fault matrix: the reference peers break nothing, every fault breaks what it names and nothing beyond, every rule is
//! broken by some fault, and every script exercises what it covers.
//!
//! All over in-memory pipes in virtual time. `ELENCHUS_FAULT=id,id` runs these faults only, and prints what it broke.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use elenchus_drive::{
    Campaign, Knowledge, Launch, Memo, Observer, Outcome, Settings, campaign::Findings,
};
use elenchus_fixtures::fault::{Fault, agent_faults, client_faults};
use elenchus_judge::rules;
use elenchus_protocol::Version;
use elenchus_suites::{Catalogue, Script, Suite, script::Target};
use elenchus_wire::Side;

struct Silent;

impl Observer for Silent {
    fn learned(&self, _: &Knowledge) {}
    fn planned(&self, _: usize) {}
    fn performed(&self, _: &Outcome) {}
}

/// A reference peer as the target of campaigns.
struct Peer {
    target: Target,
    side: Side,
    launch: fn(Option<String>) -> Launch,
    faults: fn() -> &'static [Fault],
    /// What the peer without a fault does, and what that was judged to be.
    memo: LazyLock<Memo>,
}

static AGENT: Peer = Peer {
    target: Target::Agent,
    side: Side::Server,
    launch: |fault| Launch::Memory { fault },
    faults: agent_faults,
    memo: LazyLock::new(|| without_fault(&AGENT)),
};

static CLIENT: Peer = Peer {
    target: Target::Client,
    side: Side::Client,
    launch: |fault| Launch::MemoryClient { fault },
    faults: client_faults,
    memo: LazyLock::new(|| without_fault(&CLIENT)),
};

fn without_fault(peer: &Peer) -> Memo {
    let memo = Memo::default();
    peer.usual(None, &memo).run(&Silent);
    memo
}

impl Peer {
    fn all_scripts(&self) -> Vec<&'static Script> {
        Suite::embedded()
            .scripts
            .iter()
            .filter(|script| script.target == self.target)
            .collect()
    }

    /// Those that every run performs. The others cost time, and show nothing that these do not.
    fn scripts(&self) -> Vec<&'static Script> {
        let mut scripts = self.all_scripts();
        scripts.retain(|script| !script.thorough);
        scripts
    }

    /// A usual run.
    fn usual<'s>(&self, fault: Option<&str>, memo: &'s Memo) -> Campaign<'s> {
        Campaign {
            launch: (self.launch)(fault.map(str::to_owned)),
            scripts: self.scripts(),
            versions: Version::ALL.to_vec(),
            declared: true,
            settings: Settings::default(),
            jobs: 2,
            seed: SEED,
            thorough: false,
            fresh: false,
            repeats: 0,
            traces: None,
            memo: Some(memo),
        }
    }
}

fn catalogue() -> &'static Catalogue {
    &Suite::embedded().catalogue
}

/// The seed of all runs. With another one, races would be run with other gaps.
const SEED: u64 = 7;

/// The requirements that were broken in each version, each with the first explanation.
fn broken(findings: &Findings) -> BTreeMap<Version, BTreeMap<&'static str, String>> {
    let mut broken: BTreeMap<Version, BTreeMap<&str, String>> = BTreeMap::new();
    for outcome in &findings.outcomes {
        for (&id, tally) in &outcome.judgement.tallies {
            let applies = catalogue()
                .get(id)
                .is_some_and(|row| row.applies_to(outcome.version.catalogue_name()));
            if let Some(breach) = tally.breaches.first().filter(|_| applies) {
                broken
                    .entry(outcome.version)
                    .or_default()
                    .entry(id)
                    .or_insert_with(|| {
                        format!("{} [{}]: {}", outcome.script, outcome.instance, breach.why)
                    });
            }
        }
    }
    broken
}

/// What is wrong with a fault's failing sets; empty if they are exact.
fn judge_fault(peer: &Peer, fault: &Fault) -> Vec<String> {
    let findings = peer.usual(Some(fault.id), &peer.memo).run(&Silent);
    let broken = broken(&findings);
    let nothing = BTreeMap::new();
    let mut wrong = Vec::new();
    for version in Version::ALL {
        let found = broken.get(&version).unwrap_or(&nothing);
        let shows = fault.versions.contains(&version);
        let applies = |id: &&&str| {
            catalogue()
                .get(id)
                .is_some_and(|row| row.applies_to(version.catalogue_name()))
        };
        if shows {
            for id in fault
                .breaks
                .iter()
                .filter(applies)
                .filter(|id| !found.contains_key(**id))
            {
                wrong.push(format!("{} in {version}: {id} is not broken", fault.id));
            }
            if found.is_empty() {
                wrong.push(format!("{} in {version}: nothing is broken", fault.id));
            }
        }
        for (id, why) in found {
            let named =
                fault.breaks.contains(id) || fault.may_also.iter().any(|(also, _)| also == id);
            if !shows || !named {
                wrong.push(format!(
                    "{} in {version}: breaks {id} as well: {why}",
                    fault.id
                ));
            }
        }
    }
    wrong
}

#[test]
fn every_fault_of_the_agent_breaks_exactly_what_it_names() {
    faults_break_what_they_name(&AGENT);
}

#[test]
fn every_fault_of_the_client_breaks_exactly_what_it_names() {
    faults_break_what_they_name(&CLIENT);
}

fn faults_break_what_they_name(peer: &Peer) {
    let only = std::env::var("ELENCHUS_FAULT").ok();
    let faults: Vec<&Fault> = (peer.faults)()
        .iter()
        .filter(|fault| {
            only.as_deref()
                .is_none_or(|only| only.split(',').any(|id| id == fault.id))
        })
        .collect();
    let mut wrong = in_parallel(&faults, |fault| judge_fault(peer, fault));
    wrong.sort();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What is found of each fault, several at a time: a campaign by itself waits for its control run before anything else.
fn in_parallel(faults: &[&Fault], judge: impl Fn(&Fault) -> Vec<String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.extend(judge(fault));
        }
        found
    };
    let workers = thread::available_parallelism().map_or(2, |cores| cores.get() * 2);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let joined = workers.into_iter().map(thread::ScopedJoinHandle::join);
        joined
            .flat_map(|found| found.expect("a campaign ends"))
            .collect()
    })
}

#[test]
fn the_agent_breaks_nothing_and_every_script_exercises_what_it_covers() {
    breaks_nothing(&AGENT);
}

#[test]
fn the_client_breaks_nothing_and_every_script_exercises_what_it_covers() {
    breaks_nothing(&CLIENT);
}

fn breaks_nothing(peer: &Peer) {
    let thorough = Campaign {
        scripts: peer.all_scripts(),
        settings: Settings {
            max_line: 20 * 1024 * 1024,
            max_trace: 128 * 1024 * 1024,
            ..Settings::default()
        },
        thorough: true,
        fresh: false,
        memo: None,
        ..peer.usual(None, &peer.memo)
    };
    let findings = thorough.run(&Silent);
    assert!(
        findings.knowledge.dead.is_none(),
        "{:?}",
        findings.knowledge.dead
    );
    let broken = broken(&findings);
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(findings.skipped.is_empty(), "{:#?}", findings.skipped);
    let stopped: Vec<_> = findings
        .outcomes
        .iter()
        .filter(|outcome| outcome.stopped.is_some())
        .collect();
    assert!(stopped.is_empty(), "{stopped:#?}");
    let mut exercised: BTreeSet<(&str, &str, Version)> = BTreeSet::new();
    for outcome in &findings.outcomes {
        for (&id, _) in outcome
            .judgement
            .tallies
            .iter()
            .filter(|(_, tally)| tally.exercised() > 0)
        {
            exercised.insert((&outcome.script, id, outcome.version));
        }
    }
    let mut idle = Vec::new();
    for script in peer.all_scripts() {
        for id in &script.covers {
            let row = catalogue()
                .get(id)
                .unwrap_or_else(|| panic!("{}: {id} is no requirement", script.name));
            let id = row.same_as.as_deref().unwrap_or(id);
            for version in Version::ALL {
                let runs = script.versions.contains(&version.number())
                    && row.applies_to(version.catalogue_name());
                if runs && !exercised.contains(&(script.name.as_str(), id, version)) {
                    idle.push(format!(
                        "{} does not exercise {id} in {version}",
                        script.name
                    ));
                }
            }
        }
    }
    assert!(idle.is_empty(), "\n{}", idle.join("\n"));
}

#[test]
fn every_rule_for_agents_is_broken_by_some_fault_and_covered_by_some_script() {
    rules_are_broken_and_covered(&AGENT);
}

#[test]
fn every_rule_for_clients_is_broken_by_some_fault_and_covered_by_some_script() {
    rules_are_broken_and_covered(&CLIENT);
}

/// What a party only ever does by its own choice, so that no script can make it: the requests that a client cancels by
/// `$/cancel_request`. The rules watch every trace, and faults break them.
const OWN_CHOICE: &[&str] = &[
    "ACP-CANCEL-001",
    "ACP-CANCEL-002",
    "ACP-CANCEL-003",
    "ACP-CANCEL-035",
];

fn rules_are_broken_and_covered(peer: &Peer) {
    let named: BTreeSet<&str> = (peer.faults)()
        .iter()
        .flat_map(|fault| {
            fault
                .breaks
                .iter()
                .copied()
                .chain(fault.may_also.iter().map(|(id, _)| *id))
        })
        .collect();
    let covered: BTreeSet<&str> = peer
        .scripts()
        .into_iter()
        .flat_map(|script| script.covers.iter().map(String::as_str))
        .collect();
    let its_rules = rules()
        .iter()
        .filter(|rule| rule.binds.contains(&peer.side));
    let lacking: Vec<String> = its_rules
        .flat_map(|rule| {
            let fault =
                (!named.contains(rule.id)).then(|| format!("{} is broken by no fault", rule.id));
            let choice = peer.side == Side::Client && OWN_CHOICE.contains(&rule.id);
            let script = (!covered.contains(rule.id) && !choice)
                .then(|| format!("{} is covered by no script", rule.id));
            fault.into_iter().chain(script)
        })
        .collect();
    assert!(lacking.is_empty(), "\n{}", lacking.join("\n"));
    let unknown: Vec<&str> = named
        .into_iter()
        .filter(|id| catalogue().get(id).is_none())
        .collect();
    assert!(
        unknown.is_empty(),
        "faults name what is no requirement: {unknown:?}"
    );
}

#[test]
fn towards_agents_we_break_what_the_scripts_declare() {
    we_break_what_is_declared(&AGENT);
}

#[test]
fn towards_clients_we_break_what_the_scripts_declare() {
    we_break_what_is_declared(&CLIENT);
}

fn we_break_what_is_declared(peer: &Peer) {
    let mut wrong = Vec::new();
    for version in Version::ALL {
        for script in peer
            .scripts()
            .into_iter()
            .filter(|script| script.versions.contains(&version.number()))
        {
            let mut broken: BTreeSet<&str> = BTreeSet::new();
            for instance in elenchus_drive::instance::instances(script, version, SEED, false) {
                let recording = elenchus_drive::perform_once(
                    &instance,
                    &(peer.launch)(None),
                    &Settings::default(),
                    &[],
                );
                let judgement = elenchus_judge::judge_side(&recording.trace, peer.side.other());
                broken.extend(
                    judgement
                        .tallies
                        .iter()
                        .filter(|(_, tally)| !tally.breaches.is_empty())
                        .map(|(id, _)| *id)
                        .filter(|id| {
                            let row = catalogue().get(id);
                            row.is_some_and(|row| row.applies_to(version.catalogue_name()))
                        }),
                );
            }
            let declared: BTreeSet<&str> = script.breaks.iter().map(String::as_str).collect();
            if !broken.iter().all(|id| declared.contains(id)) {
                wrong.push(format!(
                    "{} in {version}: our side breaks {broken:?}, declared {declared:?}",
                    script.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
