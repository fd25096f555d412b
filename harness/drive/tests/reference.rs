//! The whole suite on the reference agent: in memory, as a process, and with traces on a disk.

use std::{fs, sync::Mutex};

use elenchus_drive::{
    Campaign, Knowledge, Launch, Observer, Outcome, Settings,
    campaign::{Findings, trace_name},
    instance::instances,
};
use elenchus_protocol::Version;
use elenchus_suites::{
    Script, Suite,
    script::{Target, parse},
};
use elenchus_wire::{EventKind, trace};

/// Counts what it is told.
#[derive(Default)]
struct Counting {
    planned: Mutex<Option<usize>>,
    performed: Mutex<usize>,
}

impl Observer for Counting {
    fn learned(&self, knowledge: &Knowledge) {
        assert_eq!(knowledge.dead, None);
    }

    fn planned(&self, instances: usize) {
        *self.planned.lock().expect("no test panics in here") = Some(instances);
    }

    fn performed(&self, _: &Outcome) {
        *self.performed.lock().expect("no test panics in here") += 1;
    }
}

fn run(launch: Launch, change: impl FnOnce(&mut Campaign<'_>)) -> Findings {
    run_scripts(&Suite::embedded().scripts, launch, change)
}

fn run_scripts<'s>(
    scripts: &'s [Script],
    launch: Launch,
    change: impl FnOnce(&mut Campaign<'s>),
) -> Findings {
    let mut campaign = Campaign {
        launch,
        scripts: scripts.iter().collect(),
        versions: Version::ALL.to_vec(),
        declared: false,
        settings: Settings {
            allow_logout: true,
            ..Settings::default()
        },
        jobs: 4,
        seed: 7,
        thorough: false,
        fresh: false,
        repeats: 0,
        traces: None,
        memo: None,
    };
    change(&mut campaign);
    let counting = Counting::default();
    let findings = campaign.run(&counting);
    // Nobody planned what the control run tells by the way.
    let outcomes = findings.outcomes.iter();
    let planned = outcomes
        .filter(|outcome| outcome.script != "control")
        .count();
    assert_eq!(
        *counting.performed.lock().expect("no test panics in here"),
        planned
    );
    assert_eq!(
        *counting.planned.lock().expect("no test panics in here"),
        Some(planned)
    );
    findings
}

fn memory(fault: Option<&str>) -> Launch {
    Launch::Memory {
        fault: fault.map(str::to_owned),
    }
}

/// The example of this crate that is the reference agent as a process. Cargo builds it with all tests of the crate.
fn process() -> Launch {
    let test = std::env::current_exe().expect("a test is a program");
    let program = test
        .parent()
        .and_then(|deps| deps.parent())
        .expect("in target/debug/deps")
        .join("examples/reference_agent");
    assert!(
        program.exists(),
        "build it with `cargo build -p elenchus-drive --examples`"
    );
    Launch::Command {
        argv: vec![program.into()],
        env: Vec::new(),
        cwd: None,
    }
}

/// What the report rests on, without what differs from run to run.
fn essence(findings: &Findings) -> Vec<String> {
    findings
        .outcomes
        .iter()
        .map(|outcome| {
            let tallies: Vec<String> = outcome
                .judgement
                .tallies
                .iter()
                .map(|(id, tally)| format!("{id} {} {}", tally.upheld, tally.breaches.len()))
                .collect();
            format!(
                "{} {} {} {:?} {tallies:?}",
                outcome.version, outcome.script, outcome.instance, outcome.stopped
            )
        })
        .collect()
}

#[test]
fn every_script_runs_to_its_end_and_breaks_nothing() {
    for launch in [memory(None), process()] {
        // Those that cost time need more room than the usual limits leave.
        let findings = run(launch, |campaign| {
            campaign.scripts.retain(|script| !script.thorough);
        });
        assert_eq!(findings.knowledge.versions, Version::ALL);
        assert_eq!(findings.knowledge.echoed, []);
        assert_eq!(findings.skipped, []);
        assert!(!findings.interrupted);
        for outcome in &findings.outcomes {
            assert_eq!(
                outcome.stopped, None,
                "{} {}",
                outcome.script, outcome.instance
            );
            let broken: Vec<_> = outcome
                .judgement
                .tallies
                .iter()
                .filter(|(_, tally)| !tally.breaches.is_empty())
                .collect();
            assert!(
                broken.is_empty(),
                "{} {}: {broken:#?}",
                outcome.script,
                outcome.instance
            );
        }
    }
}

#[test]
fn a_run_is_the_same_whatever_the_number_of_jobs() {
    let one = run(memory(None), |campaign| campaign.jobs = 1);
    let many = run(memory(None), |campaign| campaign.jobs = 7);
    assert_eq!(essence(&one), essence(&many));
    assert_eq!(one.knowledge.premises, many.knowledge.premises);
    let mut sorted: Vec<_> = one
        .outcomes
        .iter()
        .map(|outcome| (outcome.version, outcome.script.clone()))
        .collect();
    sorted.sort();
    assert!(
        one.outcomes
            .iter()
            .map(|outcome| (outcome.version, outcome.script.clone()))
            .eq(sorted)
    );
}

#[test]
fn processes_are_judged_as_the_same_peer_in_memory_is() {
    // Timing differs, and so may what could be said for certain; what was found must not.
    let broken = |findings: &Findings| -> Vec<String> {
        let outcomes = findings.outcomes.iter();
        outcomes
            .flat_map(|outcome| {
                let tallies = outcome.judgement.tallies.iter();
                let broken = tallies.filter(|(_, tally)| !tally.breaches.is_empty());
                broken.map(|(id, _)| {
                    format!(
                        "{} {} {} {id}",
                        outcome.version, outcome.script, outcome.instance
                    )
                })
            })
            .collect()
    };
    // What a race leads to differs too: of pages, only those that are opened in peace are compared.
    for (fault, area) in [
        ("form-despite-url-only", ""),
        ("echoes-the-version", ""),
        ("tells-the-form-that-was-sent", "/secret/"),
        ("page-shows-credential", "/url/"),
    ] {
        let only = |campaign: &mut Campaign<'_>| {
            campaign.scripts.retain(|script| script.name.contains(area));
        };
        let in_memory = run(memory(Some(fault)), only);
        let Launch::Command { mut argv, env, cwd } = process() else {
            unreachable!("it is a command")
        };
        argv.push(fault.into());
        let in_process = run(Launch::Command { argv, env, cwd }, only);
        assert_eq!(broken(&in_memory), broken(&in_process), "{fault}");
        assert!(!broken(&in_memory).is_empty(), "{fault}");
    }
}

#[test]
fn what_broke_is_repeated_and_only_that() {
    let findings = run(memory(Some("form-despite-url-only")), |campaign| {
        campaign.repeats = 2;
    });
    let broken = |outcome: &&Outcome| {
        outcome
            .judgement
            .tallies
            .values()
            .any(|tally| !tally.breaches.is_empty())
    };
    assert!(findings.outcomes.iter().any(|outcome| broken(&outcome)));
    for outcome in &findings.outcomes {
        assert_eq!(outcome.repeats.len(), if broken(&outcome) { 2 } else { 0 });
        assert!(
            outcome
                .repeats
                .iter()
                .all(|repeat| *repeat == outcome.judgement)
        );
    }
}

#[test]
fn traces_on_the_disk_are_what_was_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let findings = run(memory(None), |campaign| {
        campaign.traces = Some(folder.path().to_owned());
        campaign
            .scripts
            .retain(|script| script.name.contains("/resp/"));
    });
    assert_eq!(findings.trace_error, None);
    assert!(!findings.outcomes.is_empty());
    for outcome in &findings.outcomes {
        let name = outcome.trace.as_deref().expect("traces are kept");
        let text = fs::read_to_string(folder.path().join(name)).expect("a trace");
        let trace = trace::read(&text).expect("a whole trace");
        assert_eq!(trace.header.script, outcome.script);
        assert_eq!(trace.header.instance, outcome.instance);
        assert!(!trace.cut);
        assert_eq!(
            trace.events.last().map(|event| &event.kind),
            Some(&EventKind::End)
        );
        // The control run asks for all versions in one trace, and each outcome is about one of them.
        if outcome.script != "control" {
            assert_eq!(elenchus_judge::judge(&trace), outcome.judgement);
        }
    }
}

#[test]
fn what_was_planted_is_on_no_disk_and_yet_judged_alike() {
    for (fault, id) in [
        ("tells-what-was-typed", "ACP-ELICIT-SECRET-008"),
        ("tells-what-was-typed-in-base64", "ACP-ELICIT-SECRET-008"),
        ("tells-the-form-that-was-sent", "ACP-ELICIT-SECRET-008"),
        ("tells-the-request-as-json", "ACP-ELICIT-SECRET-008"),
        ("credential-in-url", "ACP-ELICIT-URL-006"),
        ("encoded-credential-in-url", "ACP-ELICIT-URL-006"),
        ("address-in-url", "ACP-ELICIT-URL-007"),
        ("page-shows-credential", "ACP-ELICIT-URL-008"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let findings = run(memory(Some(fault)), |campaign| {
            campaign.traces = Some(folder.path().to_owned());
            let about = ["/secret/", "/url/own"];
            let about = |script: &&Script| about.iter().any(|name| script.name.contains(name));
            campaign.scripts.retain(about);
        });
        let mut broken = 0;
        for outcome in &findings.outcomes {
            let name = outcome.trace.as_deref().expect("traces are kept");
            let text = fs::read_to_string(folder.path().join(name)).expect("a trace");
            // How the planted texts begin: as they are, percent-encoded, and in base64 at the place where one is sent.
            for sign in [
                "kestrel",
                "quince",
                "quibble",
                "%71%75",
                "OmtlOmtlc3",
                "a2VzdHJlbA",
            ] {
                assert!(!text.contains(sign), "{fault}: {sign} in {name}");
            }
            let trace = trace::read(&text).expect("a whole trace");
            let tally = outcome.judgement.tallies.get(id);
            broken += tally.map_or(0, |tally| tally.breaches.len());
            if outcome.script != "control" {
                assert_eq!(elenchus_judge::judge(&trace), outcome.judgement, "{fault}");
            }
        }
        assert!(broken > 0, "{fault}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_told_and_loses_nothing() {
    let folder = tempfile::tempdir()
        .expect("a folder")
        .path()
        .join("missing");
    let findings = run(memory(None), |campaign| {
        campaign.traces = Some(folder);
        campaign
            .scripts
            .retain(|script| script.name.contains("/init/"));
    });
    assert!(findings.trace_error.is_some());
    assert!(!findings.outcomes.is_empty());
    assert!(
        findings
            .outcomes
            .iter()
            .all(|outcome| outcome.trace.is_none())
    );
}

#[test]
fn names_of_traces_are_plain_and_all_different() {
    let mut names = Vec::new();
    for script in Suite::embedded()
        .scripts
        .iter()
        .filter(|script| script.target == Target::Agent)
    {
        for version in Version::ALL {
            names.extend(instances(script, version, 1, true).iter().map(trace_name));
        }
    }
    for name in &names {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
        assert!(name.len() < 200 && name.chars().all(plain), "{name}");
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn a_script_whose_needs_are_not_met_is_skipped_with_the_reason() {
    let scripts = ["session/fly", "/elicit form"].map(|need| {
        let text = format!("# A test.\ntarget agent\nversions 1 2\nneeds {need}\n\nopen\n");
        parse(need, &text).expect("a script")
    });
    let findings = run_scripts(&scripts, memory(None), |_| {});
    let reasons: Vec<_> = findings
        .skipped
        .iter()
        .map(|skipped| (skipped.version, skipped.reason.as_str()))
        .collect();
    let reason = "the target does not announce session/fly";
    assert_eq!(
        reasons,
        [(Version::AcpV1, reason), (Version::AcpV2, reason)]
    );
    let scripts: Vec<_> = findings
        .outcomes
        .iter()
        .map(|outcome| outcome.script.as_str())
        .collect();
    assert_eq!(scripts, ["/elicit form", "control"].repeat(2));
}

#[test]
fn an_unknown_fault_is_no_target() {
    let campaign = Campaign {
        launch: memory(Some("no-such-fault")),
        scripts: Vec::new(),
        versions: Version::ALL.to_vec(),
        declared: true,
        settings: Settings::default(),
        jobs: 1,
        seed: 0,
        thorough: false,
        fresh: false,
        repeats: 0,
        traces: None,
        memo: None,
    };
    let dead = campaign
        .run(&Nobody)
        .knowledge
        .dead
        .expect("there is no such agent");
    assert_eq!(
        dead.what,
        "The reference agent has no fault `no-such-fault`."
    );
}

struct Nobody;

impl Observer for Nobody {
    fn learned(&self, _: &Knowledge) {}
    fn planned(&self, _: usize) {}
    fn performed(&self, _: &Outcome) {}
}

#[test]
fn whatever_is_run_the_reference_gets_to_its_work() {
    for script in &Suite::embedded().scripts {
        let findings = run(memory(None), |campaign| {
            campaign.scripts.retain(|other| other.name == script.name);
        });
        assert_eq!(findings.blocked, [], "{}", script.name);
    }
}
