//! What a target sends cannot fill the memory. Alone in its file: the peak of the whole program is measured.

use std::{fs, time::Duration};

use elenchus_drive::{Campaign, Knowledge, Launch, Observer, Outcome, Settings};
use elenchus_protocol::Version;
use elenchus_suites::{Script, script::parse};

struct Nobody;

impl Observer for Nobody {
    fn learned(&self, _: &Knowledge) {}
    fn planned(&self, _: usize) {}
    fn performed(&self, _: &Outcome) {}
}

/// Answers `initialize` and `session/new`, and floods when it is prompted.
fn flooding(flood: &str) -> Launch {
    let agent = format!(
        r#"while read line; do
            id=$(echo "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
            case "$line" in
                *initialize*) echo '{{"jsonrpc":"2.0","id":'"$id"',"result":{{"protocolVersion":1}}}}' ;;
                *session/new*) echo '{{"jsonrpc":"2.0","id":'"$id"',"result":{{"sessionId":"s"}}}}' ;;
                *session/prompt*) {flood} ;;
            esac
        done"#
    );
    Launch::Command {
        argv: vec!["/bin/sh".into(), "-c".into(), agent.into()],
        env: Vec::new(),
        cwd: None,
    }
}

/// As many conversations at a time, and all of them flooded.
const JOBS: usize = 16;

#[cfg(target_os = "linux")]
#[test]
fn no_flood_takes_more_than_64_mib() {
    let scripts: Vec<Script> = (0..JOBS)
        .map(|n| {
            parse(
                &format!("flood-{n}"),
                "# A test.\ntarget agent\nversions 1\n\nopen\nprompt x\nturn ends\n",
            )
            .expect("a script")
        })
        .collect();
    for flood in [
        // Blank lines, small messages, one endless line, requests that our peer answers, long lines.
        "yes ''",
        r#"yes '{"jsonrpc":"2.0","method":"m"}'"#,
        "tr '\\0' x </dev/zero",
        r#"yes '{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{}}'"#,
        r#"while :; do printf '{"jsonrpc":"2.0","method":"m","params":["'; head -c 1900000 /dev/zero | tr '\0' x; echo '"]}'; done"#,
        r"while :; do head -c 1900000 /dev/zero | tr '\0' '['; echo; done",
    ] {
        let findings = Campaign {
            launch: flooding(flood),
            scripts: scripts.iter().collect(),
            versions: vec![Version::AcpV1],
            declared: false,
            // What is waited for never comes: how long does not matter.
            settings: Settings {
                answer: Duration::from_millis(500),
                goodbye: Duration::from_millis(200),
                ..Settings::default()
            },
            jobs: JOBS,
            seed: 0,
            thorough: false,
            fresh: false,
            repeats: 1,
            traces: None,
            memo: None,
        }
        .run(&Nobody);
        let stopped: Vec<bool> = findings
            .outcomes
            .iter()
            .filter(|outcome| outcome.script != "control")
            .map(|outcome| outcome.stopped.is_some())
            .collect();
        assert_eq!(
            stopped, [true; JOBS],
            "{flood}: {:?}",
            findings.knowledge.dead
        );
        let peak = peak_kib();
        assert!(peak < 64 * 1024, "{flood}: {peak} KiB");
    }
}

fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the system tells");
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("it tells this too");
    peak.trim()
        .trim_end_matches(" kB")
        .parse()
        .expect("a number")
}
