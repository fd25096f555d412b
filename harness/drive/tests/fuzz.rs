//! Campaigns on the reference peers, in memory.

#[path = "support/campaign.rs"]
mod campaign;

use std::{collections::BTreeSet, fs, path::Path};

use campaign::{fuzz, runs};
use elenchus_drive::{
    Finding, Fuzz, Fuzzed, Knowledge, Launch,
    fuzz::{Cause, Partition, Status, Watcher},
};

struct Silent;

impl Watcher for Silent {
    fn learned(&self, _: &Knowledge) {}
    fn status(&self, _: &Status) {}
    fn found(&self, _: &Finding) {}
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
    let told: Vec<String> = findings
        .iter()
        .map(|finding| format!("{}\n  {}\n{}", finding.key, finding.got, finding.script))
        .collect();
    told.join("\n")
}

fn files(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

/// The reference peer is tried on every symptom, so that it can have none of its own.
#[test]
fn the_reference_peers_break_nothing() {
    for launch in [agent(None), client(None)] {
        let fuzzed = fuzz(launch, 1, runs(1500)).run(&Silent);
        assert_eq!(fuzzed.status.runs, 1500);
        assert!(fuzzed.status.features > 100, "{:?}", fuzzed.status);
        assert!(fuzzed.status.corpus > 50, "{:?}", fuzzed.status);
        assert!(fuzzed.findings.is_empty(), "{}", told(&fuzzed.findings));
        // What the reference shows itself is a rule that is wrong.
        assert!(fuzzed.ours.is_empty(), "{}", told(&fuzzed.ours));
    }
}

#[test]
fn a_fault_is_found_shrunk_saved_and_found_again_in_what_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, findings) = (folder.path().join("corpus"), folder.path().join("findings"));
    fs::create_dir(&corpus).unwrap();
    fs::create_dir(&findings).unwrap();
    let faulty = || Fuzz {
        corpus: Some(corpus.clone()),
        findings: Some(findings.clone()),
        ..fuzz(agent(Some("crashes-on-error")), 3, runs(400))
    };
    let fuzzed = faulty().run(&Silent);
    let crash = fuzzed
        .findings
        .iter()
        .find(|finding| finding.cause == Cause::Crash);
    let crash = crash.unwrap_or_else(|| panic!("{}", told(&fuzzed.findings)));
    assert_eq!((crash.seen, crash.of), (2, 2));
    assert!(crash.steps <= 4, "{}", crash.script);
    // One cause, one finding: what the crash leaves undone is not told for each rule.
    let versions: BTreeSet<_> = fuzzed
        .findings
        .iter()
        .map(|finding| finding.version)
        .collect();
    assert!(
        fuzzed.findings.len() <= 2 * versions.len(),
        "{}",
        told(&fuzzed.findings)
    );
    let file = crash.file.clone().unwrap();
    let names = files(&findings);
    assert!(
        names.contains(&file) && names.contains(crash.trace.as_ref().unwrap()),
        "{names:?}"
    );
    assert_eq!(
        fs::read_to_string(findings.join(&file)).unwrap(),
        crash.script
    );
    let kept = files(&corpus).len();
    assert!(kept > 50, "{kept}");

    // Only what lies in the folders: the finding is among the first inputs.
    let found = fuzzed.findings.len();
    let again = Fuzz {
        limit: runs(u64::try_from(kept + found).unwrap()),
        ..faulty()
    };
    let again = again.run(&Silent);
    assert!(
        causes(&again).contains("crash"),
        "{}",
        told(&again.findings)
    );
    assert!(files(&findings).contains(&file));
}

#[test]
fn the_same_seed_leads_to_the_same_campaign() {
    let of = |seed| {
        let fuzzed = fuzz(agent(None), seed, runs(200)).run(&Silent);
        let status = fuzzed.status;
        (status.runs, status.messages, status.corpus, status.features)
    };
    assert_eq!(of(5), of(5));
    assert_ne!(of(5), of(6));
}

#[test]
fn parts_of_a_campaign_share_the_seeds_and_draw_other_numbers() {
    let of = |index| {
        let mut fuzz = fuzz(agent(None), 5, runs(100));
        fuzz.partition = Partition { index, of: 2 };
        let fuzzed = fuzz.run(&Silent);
        (fuzzed.status.messages, fuzzed.status.features)
    };
    assert_ne!(of(0), of(1));
}

/// Another engine decides what is tried; what it finds is confirmed, shrunk and saved as ever.
#[test]
fn a_lab_tries_what_it_is_told_and_finds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let faulty = Fuzz {
        findings: Some(folder.path().to_owned()),
        ..fuzz(agent(Some("crashes-on-error")), 3, runs(1000))
    };
    let (fuzzed, tried) = faulty.lab(&Silent, |lab| {
        let mut tried = 0;
        let mut parent = lab.generate();
        let of_clients = "target client\nversions 1\n\nserve\nask form\nend turn\n";
        assert!(elenchus_suites::script::parse("input", of_clients).is_ok());
        for no_input in ["nonsense", of_clients] {
            let features = lab.perform(no_input);
            assert!(
                features.is_some_and(|features| features.is_empty()),
                "{no_input}"
            );
            assert_eq!(lab.mutate(no_input, Some(&parent)), no_input);
        }
        assert_eq!(lab.status().runs, 0);
        while lab.status().findings == 0 && tried < 500 {
            let child = lab.mutate(&parent, None);
            let features = lab.perform(&child).expect("nobody has stopped it");
            tried += 1;
            parent = if features.is_empty() || tried % 7 == 0 {
                lab.generate()
            } else {
                child
            };
        }
        tried
    });
    assert!(tried.is_some_and(|tried| tried < 500), "{tried:?}");
    let crash = causes(&fuzzed);
    assert!(crash.contains("crash"), "{}", told(&fuzzed.findings));
    assert!(files(folder.path()).len() >= 2);
}
