//! A signal to this program in the middle of a run. Alone in its file: the signal reaches the whole test program.

use std::{fs, path::Path, time::Duration};

use elenchus_drive::{Campaign, Knowledge, Launch, Observer, Outcome, Settings};
use elenchus_protocol::Version;
use elenchus_suites::script::parse;
use rustix::process::{Signal, getpid, kill_process};

/// Sends the signal as soon as instances are about to run.
struct Terminating;

impl Observer for Terminating {
    fn learned(&self, knowledge: &Knowledge) {
        assert_eq!(knowledge.dead, None);
    }

    fn planned(&self, _: usize) {
        kill_process(getpid(), Signal::TERM).expect("a signal to ourselves");
    }

    fn performed(&self, _: &Outcome) {
        panic!("nothing can be performed to its end");
    }
}

#[test]
fn a_signal_ends_the_run_and_all_targets_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let pids = folder.path().join("pids");
    let agent = r#"trap '' TERM; echo $$ >>"$PIDS"
        while read line; do
            case "$line" in *initialize*)
                id=$(echo "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
                version=$(echo "$line" | sed -n 's/.*"protocolVersion":\([0-9]*\).*/\1/p')
                echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":$version}}"
            esac
        done"#;
    // Without the signal, this would wait for ever.
    let script = parse("mute", "# A test.\ntarget agent\nversions 1\n\nopen\n").expect("a script");
    let forever = Duration::from_secs(3600);
    let findings = Campaign {
        launch: Launch::Command {
            argv: vec!["/bin/sh".into(), "-c".into(), agent.into()],
            env: vec![("PIDS".to_owned(), pids.display().to_string())],
            cwd: None,
        },
        scripts: vec![&script; 8],
        versions: vec![Version::AcpV1],
        declared: false,
        settings: Settings {
            start: forever,
            answer: Duration::from_secs(2),
            goodbye: forever,
            ..Settings::default()
        },
        jobs: 3,
        seed: 0,
        thorough: false,
        fresh: false,
        repeats: 0,
        traces: Some(folder.path().to_owned()),
        memo: None,
    }
    .run(&Terminating);
    assert!(findings.interrupted);
    let complete: Vec<_> = findings
        .outcomes
        .iter()
        .map(|outcome| outcome.script.as_str())
        .collect();
    assert_eq!(complete, ["control"]);
    let pids = fs::read_to_string(&pids).expect("targets were started");
    for pid in pids.split_whitespace() {
        assert!(!Path::new("/proc").join(pid).exists(), "{pid} lives on");
    }
}
