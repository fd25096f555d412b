//! The hidden faults of the reference agent: each shows after a sequence of moves that no script of the suite makes, and
//! a campaign that begins with nothing finds it.
//!
//! `scripts/ID.script` is the shortest way to a fault that anybody has written down.

#[path = "../support/campaign.rs"]
mod campaign;
mod search;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use elenchus_drive::{
    Campaign, Instance, Knowledge, Launch, Memo, Observer, Outcome, Recording, Settings,
    instance::instances, perform_once,
};
use elenchus_fixtures::fault::{Fault, hidden_faults};
use elenchus_judge::{Judgement, judge};
use elenchus_protocol::Version;
use elenchus_suites::{
    Script, Suite,
    script::{Target, parse},
};
use elenchus_wire::{EventKind, Mark, Wait, event::Asked, trace::Trace};

/// A hidden fault, with the shortest script to it.
struct Hidden {
    fault: &'static Fault,
    script: String,
}

fn all() -> Vec<Hidden> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hidden/scripts");
    let read = |fault: &'static Fault| {
        let path = folder.join(format!("{}.script", fault.id));
        let script = fs::read_to_string(path).expect("every hidden fault has a script");
        Hidden { fault, script }
    };
    hidden_faults().iter().map(read).collect()
}

fn launch(fault: Option<&str>) -> Launch {
    Launch::Memory {
        fault: fault.map(str::to_owned),
    }
}

fn record(script: &Script, version: Version, fault: Option<&str>) -> Recording {
    let instances: Vec<Instance<'_>> = instances(script, version, 1, false);
    perform_once(&instances[0], &launch(fault), &Settings::default(), &[])
}

/// What a recording shows: the requirements that were broken, `crash` and `hang`.
fn shown(recording: &Recording) -> BTreeSet<&'static str> {
    let tallies = judge(&recording.trace).tallies.into_iter();
    let broken = tallies.filter(|(_, tally)| !tally.breaches.is_empty());
    let mut shown: BTreeSet<&str> = broken.map(|(id, _)| id).collect();
    let panicked = recording
        .stderr
        .iter()
        .any(|line| line.contains("panicked at"));
    if panicked || exited(&recording.trace) {
        shown.insert("crash");
    }
    if hung(&recording.trace) {
        shown.insert("hang");
    }
    shown
}

/// The process ended by itself.
fn exited(trace: &Trace) -> bool {
    let asked = |kind: &EventKind| match kind {
        EventKind::Exit { asked, .. } => Some(*asked),
        _ => None,
    };
    trace
        .events
        .iter()
        .any(|event| asked(&event.kind) == Some(Asked::Nothing))
}

/// A fence was never answered.
fn hung(trace: &Trace) -> bool {
    let mut fences = BTreeSet::new();
    for event in &trace.events {
        match &event.kind {
            EventKind::Mark(Mark::Fence { id }) => {
                fences.insert(id);
            }
            EventKind::Deadline {
                wait: Wait::Answer { id },
                ..
            } if fences.contains(id) => return !exited(trace),
            _ => {}
        }
    }
    false
}

/// The lines of a script's steps, and of what stands before them.
fn parts(script: &str) -> (Vec<&str>, Vec<&str>) {
    let (head, body) = script.split_once("\n\n").expect("a head and steps");
    (head.lines().collect(), body.lines().collect())
}

/// The steps by which we say something, but for the opening of the first session.
fn moves(script: &str) -> usize {
    let (_, body) = parts(script);
    let says = |line: &&&str| {
        let word = line.split(' ').next().unwrap_or_default();
        !["open", "expect", "await", "settle", "turn"].contains(&word)
    };
    body.iter().filter(says).count()
}

#[test]
fn each_is_shown_by_its_script_and_by_no_step_less() {
    let mut wrong = Vec::new();
    for Hidden { fault, script } in all() {
        let (head, body) = parts(&script);
        let parsed = parse(fault.id, &script).unwrap_or_else(|error| panic!("{error}"));
        let versions = fault.versions.iter().map(|version| version.number());
        assert!(versions.eq(parsed.versions.iter().copied()), "{}", fault.id);
        let mut broken = BTreeSet::new();
        for &version in fault.versions {
            let mut complain = |what: String| wrong.push(format!("{} {version}: {what}", fault.id));
            let right = record(&parsed, version, None);
            if right.stopped.is_some() || !shown(&right).is_empty() {
                complain(format!(
                    "the reference: {:?} {:?}",
                    shown(&right),
                    right.stopped
                ));
            }
            let seen = shown(&record(&parsed, version, Some(fault.id)));
            if seen.is_empty() {
                complain("nothing is shown".to_owned());
            }
            broken.extend(seen);
            for without in 1..body.len() {
                // Who does not wait for the end of a turn does the same sooner: the fault may show, and may not.
                if body[without].starts_with("turn ends") {
                    continue;
                }
                let mut fewer = body.clone();
                let line = fewer.remove(without);
                let text = format!("{}\n\n{}\n", head.join("\n"), fewer.join("\n"));
                // What uses the name that the line gives is no script without it.
                let Ok(fewer) = parse(fault.id, &text) else {
                    continue;
                };
                let seen = shown(&record(&fewer, version, Some(fault.id)));
                if seen != shown(&record(&fewer, version, None)) {
                    complain(format!("shown without `{line}`: {seen:?}"));
                }
            }
        }
        broken.retain(|name| name.starts_with("ACP-"));
        let named: BTreeSet<&str> = fault.breaks.iter().copied().collect();
        if broken != named {
            wrong.push(format!("{}: breaks {broken:?}", fault.id));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn they_lie_three_to_eight_moves_deep() {
    let depths: BTreeMap<&str, usize> = all()
        .iter()
        .map(|hidden| (hidden.fault.id, moves(&hidden.script)))
        .collect();
    assert_eq!(depths.len(), 20, "{depths:?}");
    let different: BTreeSet<usize> = depths.values().copied().collect();
    assert_eq!(different, (3..=8).collect(), "{depths:?}");
}

struct Silent;

impl Observer for Silent {
    fn learned(&self, _: &Knowledge) {}
    fn planned(&self, _: usize) {}
    fn performed(&self, _: &Outcome) {}
}

/// What each instance of the suite was judged to be.
type Judged = BTreeMap<(String, String, Version), Judgement>;

fn run_suite(fault: Option<&str>, memo: &Memo) -> Judged {
    let scripts = Suite::embedded().scripts.iter();
    let campaign = Campaign {
        launch: launch(fault),
        scripts: scripts
            .filter(|script| script.target == Target::Agent && !script.thorough)
            .collect(),
        versions: Version::ALL.to_vec(),
        declared: true,
        settings: Settings::default(),
        jobs: 2,
        seed: 7,
        thorough: false,
        fresh: false,
        repeats: 0,
        traces: None,
        memo: Some(memo),
    };
    let outcomes = campaign.run(&Silent).outcomes.into_iter();
    outcomes
        .map(|outcome| {
            let key = (outcome.script, outcome.instance, outcome.version);
            (key, outcome.judgement)
        })
        .collect()
}

#[test]
fn no_script_of_the_suite_reaches_one() {
    let memo = Memo::default();
    let right = run_suite(None, &memo);
    assert!(right.len() > 500, "{}", right.len());
    let mut reached = Vec::new();
    for fault in hidden_faults() {
        for (key, judgement) in run_suite(Some(fault.id), &memo) {
            if right.get(&key) != Some(&judgement) {
                reached.push(format!("{} by {key:?}", fault.id));
            }
        }
    }
    assert!(reached.is_empty(), "\n{}", reached.join("\n"));
}
