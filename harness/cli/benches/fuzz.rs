//! Campaigns: what crosses the wire in a second, and how soon a failure is as small as it gets.

use std::time::Duration;

use divan::{Bencher, counter::ItemsCount};
use elenchus_drive::{
    Campaign, Finding, Fuzz, Fuzzed, Knowledge, Launch, Settings,
    fuzz::{Limit, Partition, Status, Watcher},
};
use elenchus_protocol::Version;
use elenchus_suites::{Script, script::parse};

fn main() {
    divan::main();
}

struct Silent;

impl Watcher for Silent {
    fn learned(&self, _: &Knowledge) {}
    fn status(&self, _: &Status) {}
    fn found(&self, _: &Finding) {}
}

fn campaign(launch: Launch, scripts: Vec<&Script>, fresh: bool, runs: u64) -> Fuzzed {
    Fuzz {
        campaign: Campaign {
            launch,
            scripts,
            versions: vec![Version::AcpV1],
            declared: true,
            settings: Settings::default(),
            jobs: 1,
            seed: 1,
            thorough: false,
            repeats: 1,
            traces: None,
            fresh,
            memo: None,
        },
        limit: Limit {
            runs: Some(runs),
            ..Limit::default()
        },
        partition: Partition::default(),
        corpus: None,
        findings: None,
        only: None,
        shrink: Duration::from_secs(60),
    }
    .run(&Silent)
}

fn native() -> Launch {
    Launch::Command {
        argv: vec![
            env!("CARGO_BIN_EXE_elenchus").into(),
            "reference".into(),
            "agent".into(),
        ],
        env: Vec::new(),
        cwd: None,
    }
}

const RUNS: u64 = 500;

/// Messages a second in processes that are kept: generated, performed, judged.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn messages_in_kept_processes(bencher: Bencher) {
    let messages = campaign(native(), Vec::new(), false, RUNS).status.messages;
    bencher
        .counter(ItemsCount::new(messages))
        .bench(|| campaign(native(), Vec::new(), false, RUNS));
}

/// Sequences a second, each in a process of its own.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn sequences_in_fresh_processes(bencher: Bencher) {
    bencher
        .counter(ItemsCount::new(RUNS))
        .bench(|| campaign(native(), Vec::new(), true, RUNS));
}

/// Messages a second over in-memory pipes.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn messages_in_memory(bencher: Bencher) {
    let memory = || Launch::Memory { fault: None };
    let messages = campaign(memory(), Vec::new(), true, RUNS).status.messages;
    bencher
        .counter(ItemsCount::new(messages))
        .bench(|| campaign(memory(), Vec::new(), true, RUNS));
}

/// A failure of 40 steps: confirmed, tried on the reference, made as small as it gets.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn shrinking_forty_steps(bencher: Bencher) {
    let mut text = "# A long way to a crash.\ntarget agent\nversions 1\n\nopen\n".to_owned();
    for _ in 0..12 {
        text.push_str("prompt /say hello\nturn ends\nnotify _elenchus/notice {}\n");
    }
    text.push_str(
        "prompt /elicit form\nexpect elicitation/create as q\nrefuse q {\"code\":-32603,\"message\":\"no\"}\n",
    );
    let script = parse("long", &text).expect("a script");
    bencher.bench_local(|| {
        let launch = Launch::Memory {
            fault: Some("crashes-on-error".to_owned()),
        };
        let fuzzed = campaign(launch, vec![&script], true, 1);
        let least = fuzzed.findings.iter().map(|finding| finding.steps).min();
        assert_eq!(least, Some(4));
    });
}
