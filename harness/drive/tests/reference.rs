//! The whole suite on the reference agent in memory.

use elenchus_drive::{Campaign, Knowledge, Launch, Observer, Outcome, Settings};
use elenchus_protocol::Version;
use elenchus_suites::Suite;

struct Quiet;

impl Observer for Quiet {
    fn learned(&self, _: &Knowledge) {}
    fn planned(&self, _: usize) {}
    fn performed(&self, _: &Outcome) {}
}

fn campaign(launch: Launch) -> Campaign<'static> {
    Campaign {
        launch,
        scripts: Suite::embedded().scripts.iter().collect(),
        versions: Version::ALL.to_vec(),
        declared: false,
        settings: Settings::default(),
        jobs: 2,
        seed: 7,
        repeats: 0,
        traces: std::env::var_os("TRACES").map(Into::into),
    }
}

#[test]
fn every_script_runs_to_its_end_on_the_reference_agent() {
    let start = std::time::Instant::now();
    let findings = campaign(Launch::Memory { fault: None }).run(&Quiet);
    eprintln!("{:?} {:#?}", start.elapsed(), findings.knowledge);
    assert_eq!(findings.skipped, []);
    for outcome in &findings.outcomes {
        if outcome.stopped.is_some() {
            eprintln!(
                "{} {} {} {:?}",
                outcome.script, outcome.version, outcome.instance, outcome.stopped
            );
        }
        for (id, tally) in &outcome.judgement.tallies {
            if !tally.breaches.is_empty() {
                eprintln!(
                    "BREACH {id} {} {} {} {:#?}",
                    outcome.script, outcome.version, outcome.instance, tally.breaches
                );
            }
        }
    }
    eprintln!("{} outcomes", findings.outcomes.len());
}

fn agent() -> Launch {
    let tests = std::env::current_exe().unwrap();
    let program = tests
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/reference_agent");
    Launch::Command {
        argv: vec![program.into()],
        env: Vec::new(),
        cwd: None,
    }
}

#[test]
fn proc() {
    let start = std::time::Instant::now();
    let mut c = campaign(agent());
    c.jobs = std::env::var("JOBS")
        .ok()
        .and_then(|j| j.parse().ok())
        .unwrap_or(4);
    let findings = c.run(&Quiet);
    eprintln!("{:?} ", start.elapsed());
    assert_eq!(findings.skipped, []);
    for outcome in &findings.outcomes {
        if outcome.stopped.is_some() {
            eprintln!(
                "{} {} {} {:?}",
                outcome.script, outcome.version, outcome.instance, outcome.stopped
            );
        }
        for (id, tally) in &outcome.judgement.tallies {
            if !tally.breaches.is_empty() {
                eprintln!(
                    "BREACH {id} {} {} {} {:#?}",
                    outcome.script, outcome.version, outcome.instance, tally.breaches
                );
            }
        }
    }
    eprintln!(
        "{} outcomes {:?}",
        findings.outcomes.len(),
        findings.knowledge.dead
    );
}
