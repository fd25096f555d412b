//! Campaigns that begin with nothing find the hidden faults.
//!
//! What decides is how often a draft makes the right moves in the right order, in one session or in two. Drafts of few
//! kinds of moves, with few things to choose from in each, are long and go on behind what cannot be done; children of what
//! was kept add to that. How many inputs it takes differs much with the seed: the faults of three to five moves need tens
//! to hundreds, those of six to eight up to tens of thousands. What is left after shrinking is the minimum for the symptom
//! that was seen first, which may need other steps than the script of the fault.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use elenchus_drive::{
    Finding, Knowledge,
    fuzz::{Limit, Status, Watcher},
};

use super::{
    Hidden, all,
    campaign::{fuzz, runs},
    launch, parts,
};

/// When the first finding was there.
#[derive(Default)]
struct First(Mutex<(Option<Instant>, Option<Duration>)>);

impl Watcher for First {
    fn learned(&self, _: &Knowledge) {
        self.0.lock().expect("nobody panics with it").0 = Some(Instant::now());
    }

    fn status(&self, _: &Status) {}

    fn found(&self, _: &Finding) {
        let mut first = self.0.lock().expect("nobody panics with it");
        let begun = first.0.unwrap_or_else(Instant::now);
        first.1.get_or_insert_with(|| begun.elapsed());
    }
}

/// What became of a search.
struct Found {
    /// Inputs that were performed.
    runs: u64,
    /// The time until the finding was shrunk.
    after: Duration,
    finding: Option<Finding>,
    /// What the reference shows as well.
    ours: Vec<Finding>,
}

/// Searches for a fault with at most so many inputs.
fn search(hidden: &Hidden, seed: u64, most: u64) -> Found {
    let first = First::default();
    let limit = Limit {
        findings: Some(1),
        ..runs(most)
    };
    let fuzzed = fuzz(launch(Some(hidden.fault.id)), seed, limit).run(&first);
    let after = first.0.into_inner().expect("nobody panics with it").1;
    Found {
        runs: fuzzed.status.runs,
        after: after.unwrap_or_default(),
        finding: fuzzed.findings.into_iter().next(),
        ours: fuzzed.ours,
    }
}

/// Faults of different effects that little time is enough for.
const SOON: [&str; 3] = [
    "hidden-restored-and-stopped",
    "hidden-set-while-held",
    "hidden-stopped-twice",
];

/// So many waits may be left in what was shrunk: without them it would do the same, sooner, and be judged less.
const WAITS: usize = 2;

#[test]
fn some_hidden_faults_are_found_soon_and_shrunk() {
    let soon = all().into_iter().filter(|it| SOON.contains(&it.fault.id));
    let mut searched = 0;
    for hidden in soon {
        let found = search(&hidden, 1, 4000);
        let finding = found
            .finding
            .unwrap_or_else(|| panic!("{}", hidden.fault.id));
        let least = parts(&hidden.script).1.len();
        assert!(
            finding.steps <= least + WAITS,
            "{least} steps are enough:\n{}",
            finding.script
        );
        searched += 1;
    }
    assert_eq!(searched, SOON.len());
}

/// All faults with five seeds: a table for people, and an error for each that was not found. By hand, in a release
/// build. `ELENCHUS_HIDDEN=id,id` searches for these only, `ELENCHUS_RUNS` says how long, `ELENCHUS_SEEDS` how often.
#[test]
#[ignore = "takes an hour"]
fn every_hidden_fault_is_found_with_every_seed() {
    let number = |name: &str, usual: u64| {
        let told = std::env::var(name).ok();
        told.map_or(usual, |told| told.parse().expect("a number"))
    };
    let only = std::env::var("ELENCHUS_HIDDEN").ok();
    let mut missed = Vec::new();
    for hidden in all() {
        let id = hidden.fault.id;
        if only
            .as_ref()
            .is_some_and(|only| !only.split(',').any(|one| one == id))
        {
            continue;
        }
        let least = parts(&hidden.script).1.len();
        for seed in 1..=number("ELENCHUS_SEEDS", 5) {
            let found = search(&hidden, seed, number("ELENCHUS_RUNS", 256_000));
            let told = match &found.finding {
                None => {
                    missed.push(format!("{id} with seed {seed}"));
                    "not found".to_owned()
                }
                Some(finding) => format!(
                    "{:.1} s, {} steps of {least}, {}",
                    found.after.as_secs_f64(),
                    finding.steps,
                    finding.key
                ),
            };
            println!(
                "{id} | {seed} | {} runs | {} ours | {told}",
                found.runs,
                found.ours.len()
            );
            for ours in &found.ours {
                println!("ours: {}\n{}", ours.key, ours.script);
            }
            if let Some(finding) = found.finding.filter(|finding| finding.steps > least) {
                println!("{}", finding.script);
            }
        }
    }
    assert!(missed.is_empty(), "\n{}", missed.join("\n"));
}
