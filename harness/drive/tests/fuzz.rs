//! Campaigns on the reference peers, in memory.

use std::{collections::BTreeSet, fs, path::Path, time::Duration};

use elenchus_drive::{
    Campaign, Finding, Fuzz, Fuzzed, Knowledge, Launch, Settings,
    fuzz::{Cause, Limit, Partition, Status, Watcher},
};
use elenchus_protocol::Version;
use elenchus_suites::Suite;

struct Silent;

impl Watcher for Silent {
    fn learned(&self, _: &Knowledge) {}
    fn status(&self, _: &Status) {}
    fn found(&self, _: &Finding) {}
}

fn fuzz(launch: Launch, seed: u64, runs: u64) -> Fuzz<'static> {
    Fuzz {
        campaign: Campaign {
            launch,
            scripts: Vec::new(),
            versions: Version::ALL.to_vec(),
            declared: false,
            settings: Settings::default(),
            jobs: 1,
            seed,
            thorough: false,
            repeats: 1,
            traces: None,
            fresh: false,
            memo: None,
        },
        limit: Limit {
            time: None,
            runs: Some(runs),
        },
        partition: Partition::default(),
        corpus: None,
        findings: None,
        only: None,
        shrink: Duration::from_secs(20),
    }
}

fn agent(fault: Option<&str>) -> Launch {
    Launch::Memory {
        fault: fault.map(str::to_owned),
    }
}

fn client(fault: Option<&str>) -> Launch {
    Launch::MemoryClient {
        fault: fault.map(str::to_owned),
    }
}

fn causes(fuzzed: &Fuzzed) -> BTreeSet<&'static str> {
    fuzzed
        .findings
        .iter()
        .map(|finding| finding.cause.name())
        .collect()
}

fn told(findings: &[Finding]) -> String {
    findings
        .iter()
        .map(|finding| format!("{}\n  {}\n{}", finding.key, finding.got, finding.script))
        .collect()
}

fn files(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

/// What is wrong with a reference peer is wrong with a rule or a script: nothing may be found, and nothing be excused.
#[test]
fn the_reference_peers_break_nothing() {
    for launch in [agent(None), client(None)] {
        let fuzzed = fuzz(launch, 1, 1500).run(&Silent);
        assert_eq!(fuzzed.status.runs, 1500);
        assert!(fuzzed.status.features > 100, "{:?}", fuzzed.status);
        assert!(fuzzed.status.corpus > 50, "{:?}", fuzzed.status);
        let all: Vec<Finding> = fuzzed
            .findings
            .iter()
            .chain(&fuzzed.ours)
            .cloned()
            .collect();
        assert!(all.is_empty(), "{}", told(&all));
    }
}
