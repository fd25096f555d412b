//! A whole run: what a script costs, with real processes and over in-memory pipes.

use std::process::{Command, Stdio};

use divan::{Bencher, counter::ItemsCount};
use elenchus_drive::{
    Campaign, Knowledge, Launch, Observer, Outcome, Settings, campaign::Findings,
};
use elenchus_protocol::Version;
use elenchus_suites::Suite;

fn main() {
    divan::main();
}

struct Silent;

impl Observer for Silent {
    fn learned(&self, _: &Knowledge) {}
    fn planned(&self, _: usize) {}
    fn performed(&self, _: &Outcome) {}
}

/// The default run on the reference agent in memory, on one thread.
fn in_memory() -> Findings {
    Campaign {
        launch: Launch::Memory { fault: None },
        scripts: Suite::embedded().scripts.iter().collect(),
        versions: Version::ALL.to_vec(),
        declared: true,
        settings: Settings::default(),
        jobs: 1,
        seed: 1,
        thorough: false,
        fresh: false,
        repeats: 0,
        traces: None,
        memo: None,
    }
    .run(&Silent)
}

/// Scripts a second over in-memory pipes, in virtual time, judged.
#[divan::bench(sample_count = 10)]
fn scripts_in_memory(bencher: Bencher) {
    let instances = in_memory().outcomes.len();
    bencher.counter(ItemsCount::new(instances)).bench(in_memory);
}

/// Scripts a second with real processes: the default run of the binary itself, start-up and report included.
#[divan::bench(sample_count = 10)]
fn scripts_with_processes(bencher: Bencher) {
    let instances = in_memory().outcomes.len();
    let out = tempfile::tempdir().expect("a folder");
    bencher.counter(ItemsCount::new(instances)).bench(|| {
        let status = Command::new(env!("CARGO_BIN_EXE_elenchus"))
            .args([
                "run",
                "--target",
                "reference:agent",
                "--seed",
                "1",
                "--format",
                "json",
                "--out",
            ])
            .arg(out.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("the binary runs");
        assert!(status.success(), "the reference agent conforms");
    });
}
