//! Real processes that misbehave: each run ends, says what happened, and leaves nothing behind.

mod share;
#[path = "../support/mod.rs"]
mod support;

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use elenchus_drive::{
    Campaign, Knowledge, Launch, Observer, Outcome, Settings,
    campaign::{Dead, Findings},
    instance::Stopped,
};
use elenchus_protocol::Version;
use elenchus_suites::{Script, script::parse};
use elenchus_wire::{
    Event, EventKind, Side, Wait,
    event::{Asked, Premise},
};

use support::{exit, lives, notebook, perform, script, settings, shell_with, written_down};

struct Nobody;

impl Observer for Nobody {
    fn learned(&self, _: &Knowledge) {}
    fn planned(&self, _: usize) {}
    fn performed(&self, _: &Outcome) {}
}

fn shell(commands: &str) -> Launch {
    shell_with(commands, &[])
}

fn patient() -> Settings {
    Settings {
        answer: Duration::from_secs(60),
        start: Duration::from_secs(60),
        goodbye: Duration::from_secs(60),
        ..settings()
    }
}

/// A script that needs a trigger.
fn needy(trigger: &str, steps: &str) -> Script {
    parse(
        "test",
        &format!("# A test.\ntarget agent\nversions 1\nneeds {trigger}\n\n{steps}\n"),
    )
    .unwrap_or_else(|error| panic!("{error}"))
}

fn run(launch: Launch, settings: Settings) -> Findings {
    let script = script("open");
    campaign(launch, &script, settings).run(&Nobody)
}

fn campaign(launch: Launch, script: &Script, settings: Settings) -> Campaign<'_> {
    Campaign {
        launch,
        scripts: vec![script],
        versions: Version::ALL.to_vec(),
        declared: false,
        settings,
        jobs: 1,
        seed: 0,
        thorough: false,
        fresh: false,
        repeats: 0,
        traces: None,
        memo: None,
    }
}

fn broken(findings: &Findings) -> BTreeSet<(Version, &'static str)> {
    let outcomes = findings.outcomes.iter();
    outcomes
        .flat_map(|outcome| {
            let tallies = outcome.judgement.tallies.iter();
            let broken = tallies.filter(|(_, tally)| !tally.breaches.is_empty());
            broken.map(|(id, _)| (outcome.version, *id))
        })
        .collect()
}

fn dead(launch: Launch, settings: Settings) -> Dead {
    let findings = run(launch, settings);
    assert_eq!(broken(&findings), BTreeSet::new());
    findings
        .knowledge
        .dead
        .expect("nothing can be done with it")
}

#[test]
fn a_target_with_which_nothing_can_be_done_is_explained() {
    const MCP: &str = r#"read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"x"}}}'; cat >/dev/null"#;
    const LSP: &str = r"read line; printf 'Content-Length: 2\r\n\r\n{}'; cat >/dev/null";
    const ERROR: &str = r#"read line; echo '{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"log in"}}'; cat >/dev/null"#;
    for (commands, settings, what) in [
        (
            "echo no config >&2; exit 3",
            patient(),
            "The target exited with code 3 before it answered initialize.",
        ),
        (
            "kill -9 $$",
            patient(),
            "The target was ended by signal 9 before it answered initialize.",
        ),
        (
            "exec 1>&-; cat >/dev/null",
            patient(),
            "The target closed its stdout before it answered initialize.",
        ),
        (
            "cat >/dev/null",
            settings(),
            "The target answered nothing to initialize in 0.4 s.",
        ),
        (
            "echo Welcome; cat >/dev/null",
            settings(),
            r#"The target wrote "Welcome" to its stdout, which is no JSON-RPC message, and no answer to initialize."#,
        ),
        (
            "echo Usage: x; exit 1",
            patient(),
            r#"The target wrote "Usage: x" to its stdout, which is no JSON-RPC message, and no answer to initialize; the target exited with code 1."#,
        ),
        (
            MCP,
            settings(),
            "The target speaks the Model Context Protocol, not the Agent Client Protocol.",
        ),
        (
            LSP,
            settings(),
            "The target speaks with Content-Length headers, as language servers do, and ACP has a message a line.",
        ),
        ("exec cat", settings(), "The target repeats our own lines."),
        (
            ERROR,
            settings(),
            r#"Initialize was answered with the error {"code":-32000,"message":"log in"}."#,
        ),
    ] {
        let begun = std::time::Instant::now();
        let dead = dead(shell(commands), settings);
        eprintln!("{:?} {commands}", begun.elapsed());
        assert_eq!(dead.what, what, "{commands}");
        assert!(!dead.hint.is_empty());
        assert!(
            dead.frames[0]
                .starts_with("-> {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\""),
            "{dead:?}"
        );
        if commands.contains(">&2") {
            assert!(dead.stderr.contains(&"no config".to_owned()), "{dead:?}");
        }
    }
}

#[test]
fn a_first_answer_that_breaks_a_rule_is_named_and_judged() {
    const RESULT: &str =
        r#""result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}}"#;
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let text = "to its stdout, which";
    for (answer, what, id) in [
        (
            format!(r#"{{"jsonrpc":"2.0","id":"0",{RESULT}"#),
            r#"Initialize was answered under another id: it was asked as 0, and answered as "0"."#
                .to_owned(),
            "ACP-JSONRPC-",
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":0,"_meta":"\377",{RESULT}"#),
            format!("{text} is not UTF-8 (byte 33), and no answer to initialize."),
            "ACP-TRANSPORT-001",
        ),
        (
            format!(r#"\357\273\277{{"jsonrpc":"2.0","id":0,{RESULT}"#),
            format!("{text} begins with a byte order mark, and no answer to initialize."),
            "ACP-TRANSPORT-023",
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":0,{RESULT}\000"#),
            format!("{text} holds a NUL byte, and no answer to initialize."),
            "ACP-TRANSPORT-003",
        ),
        (
            format!(r#"[{{"jsonrpc":"2.0","id":0,{RESULT}]"#),
            format!(
                "{text} is a batch of messages, which ACP does not have, and no answer to initialize."
            ),
            "",
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":0,"_meta":{deep},{RESULT}"#),
            format!("{text} is nested too deep to be read, and no answer to initialize."),
            "",
        ),
    ] {
        let launch = shell(&format!("read line; printf '{answer}\\n'; cat >/dev/null"));
        let findings = run(launch, settings());
        let dead = findings
            .knowledge
            .dead
            .as_ref()
            .expect("there is no answer");
        assert!(dead.what.ends_with(&what), "{what}: {dead:?}");
        // Nothing is negotiated, so that it is judged in the oldest version alone: nobody knows whether it speaks more.
        let broken = broken(&findings);
        assert!(
            id.is_empty() || broken.iter().any(|(_, name)| name.starts_with(id)),
            "{what}: {broken:?}"
        );
        assert!(
            broken.iter().all(|(version, _)| *version == Version::AcpV1),
            "{what}: {broken:?}"
        );
        assert!(
            findings
                .outcomes
                .iter()
                .all(|outcome| outcome.script == "control")
        );
    }
}

#[test]
fn a_target_that_fills_the_trace_is_not_called_silent() {
    let flood = r#"while :; do echo '{"jsonrpc":"2.0","method":"_x"}'; done"#;
    let dead = run(shell(flood), patient())
        .knowledge
        .dead
        .expect("no answer");
    let sent = dead.what.strip_prefix("The target sent ");
    let sent = sent.and_then(|what| {
        what.strip_suffix(" messages and filled the trace, and never answered initialize.")
    });
    assert!(
        sent.is_some_and(|sent| sent.parse::<u32>().is_ok_and(|sent| sent > 100)),
        "{dead:?}"
    );
}

/// An agent that answers every request as the commands say for the first one; `$id` and `$version` are set.
fn agent_that(begins: &str, initializes: &str, env: &[(&str, &Path)]) -> Launch {
    shell_with(
        &format!(
            r#"{begins}
            while read line; do
                id=$(echo "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
                case "$line" in
                    *'"initialize"'*)
                        version=$(echo "$line" | sed -n 's/.*"protocolVersion":\([0-9]*\).*/\1/p')
                        {initializes} ;;
                    *) echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"sessionId\":\"s\"}}}}" ;;
                esac
            done"#
        ),
        env,
    )
}

/// Answers `initialize` with this version.
fn agrees(version: &str) -> String {
    format!(
        r#"echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"protocolVersion\":{version}}}}}""#
    )
}

#[test]
fn a_question_that_was_lost_in_a_flood_is_asked_again_or_counts_as_not_asked() {
    // More than the trace and the pipe hold, so that the trace is full once it is written.
    let flood = r#"yes '{"jsonrpc":"2.0","method":"_x"}' | head -c 1000000"#;
    let known = |first: &str, second: &str| {
        let (_folder, flooded) = notebook();
        let initializes = format!("case $version in 1) {first} ;; *) {second} ;; esac");
        let agent = agent_that("", &initializes, &[("FLOODED", &flooded)]);
        let script = script("open");
        let findings = Campaign {
            jobs: 2,
            ..campaign(agent, &script, patient())
        }
        .run(&Nobody);
        let knowledge = findings.knowledge;
        let complete = knowledge
            .premises
            .iter()
            .all(|(_, premises)| premises.contains(&Premise::AllVersionsProbed));
        (knowledge.versions, complete)
    };
    let late = format!(r#"until [ -e "$FLOODED" ]; do :; done; {}"#, agrees("1"));
    let floods = format!(r#"{}; {flood}; : >"$FLOODED""#, agrees("2"));
    assert_eq!(known(&late, &floods), (Version::ALL.to_vec(), true));

    let buried = format!("{flood}; {}", agrees("1"));
    assert_eq!(known(&buried, &agrees("2")), (vec![Version::AcpV2], false));
}

#[test]
fn without_a_common_version_nothing_is_run() {
    let agent = || agent_that("", &agrees("3"), &[]);
    let dead = run(agent(), patient()).knowledge.dead.expect("no version");
    assert!(
        dead.what.contains(r#"it answered {"protocolVersion":3}"#),
        "{dead:?}"
    );

    // Not even where the operator names a version does anything follow an initialize that came to nothing.
    let script = needy("/say", "open\nprompt /say x\nturn ends");
    let findings = Campaign {
        declared: true,
        versions: vec![Version::AcpV1],
        ..campaign(agent(), &script, patient())
    }
    .run(&Nobody);
    let reasons: Vec<_> = findings.knowledge.untried.into_values().collect();
    assert_eq!(
        reasons,
        ["the target was asked for protocol version 1 and answered 3"]
    );
    assert_eq!(findings.blocked.len(), 1, "{:?}", findings.blocked);
}

#[test]
fn a_target_that_can_run_only_once_at_a_time_is_not_accused_of_it() {
    let script = script("open");
    for (jobs, alone) in [(1, false), (4, true)] {
        let (_folder, lock) = notebook();
        let locks =
            r#"exec 9>"$LOCK"; flock -n 9 || { echo another instance is running >&2; exit 1; }"#;
        let agent = agent_that(locks, &agrees("$version"), &[("LOCK", &lock)]);
        let findings = Campaign {
            scripts: vec![&script; 5],
            jobs,
            ..campaign(agent, &script, patient())
        }
        .run(&Nobody);
        assert_eq!(findings.knowledge.alone, alone, "{jobs} jobs");
        let outcomes = findings.outcomes.iter();
        let stopped: Vec<_> = outcomes
            .filter_map(|outcome| outcome.stopped.as_ref())
            .collect();
        assert!(stopped.is_empty(), "{jobs} jobs: {stopped:?}");
        assert!(
            !broken(&findings)
                .iter()
                .any(|(_, id)| *id == "ACP-INIT-002")
        );
        assert_eq!(findings.outcomes.len(), 6, "{jobs} jobs");
    }
}

#[test]
fn a_target_that_goes_whatever_it_is_asked_is_known_to_end_no_turn() {
    // It answers session/new, and is gone.
    let agent = agent_that("", &agrees("$version"), &[]);
    let Launch::Command { mut argv, env, cwd } = agent else {
        panic!("a command")
    };
    let text = argv[2].to_string_lossy().replace(
        "esac",
        r#"esac; case "$line" in *session/new*) exit 42 ;; esac"#,
    );
    argv[2] = text.into();
    let script = needy("/say", "open\nprompt /say x\nturn ends");
    let findings = campaign(Launch::Command { argv, env, cwd }, &script, patient()).run(&Nobody);
    let reasons: Vec<_> = findings.knowledge.untried.into_values().collect();
    let when = "the target exited with code 42 before anything came of session/prompt";
    assert_eq!(reasons, [when]);
    let premises = &findings.knowledge.premises[0].1;
    assert!(premises.contains(&Premise::EndsNoTurn), "{premises:?}");
    assert!(!premises.contains(&Premise::OpensNoSession), "{premises:?}");
}

#[test]
fn where_no_session_can_be_opened_only_a_few_scripts_try() {
    // Everything but the first question meets silence; and the answer to that one breaks a rule.
    let silent = r#"echo "$line" | grep -q '"initialize"' || continue"#;
    let mut agent = agent_that("", &agrees(r#"$version,\"agentCapabilities\":5"#), &[]);
    if let Launch::Command { argv, .. } = &mut agent {
        let text = argv[2].to_string_lossy().replace(
            "while read line; do",
            &format!("while read line; do {silent};"),
        );
        argv[2] = text.into();
    }
    let needy = needy("/say", "open\nprompt /say x\nturn ends");
    let mut scripts: Vec<Script> = (0..20)
        .map(|n| {
            let mut script = script("open");
            script.name = format!("open-{n:02}");
            script
        })
        .collect();
    scripts.extend((0..4).map(|n| {
        let mut script = script(
            "connect\ninitialize\nrequest session/new {\"cwd\":$cwd,\"mcpServers\":[]} as made\nawait made",
        );
        script.name = format!("plain-{n}");
        script
    }));
    let findings = Campaign {
        scripts: scripts.iter().chain([&needy]).collect(),
        versions: vec![Version::AcpV1],
        thorough: false,
        fresh: false,
        repeats: 2,
        ..campaign(agent, &needy, settings())
    }
    .run(&Nobody);
    let played = |name: &str| {
        let outcomes = findings.outcomes.iter();
        outcomes
            .filter(|outcome| outcome.script.starts_with(name))
            .count()
    };
    assert_eq!((played("open-"), played("plain-")), (3, 4));
    let reason = "no session could be opened: the answer to session/new did not come in 0.2 s";
    let skipped = findings.skipped.iter();
    assert_eq!(
        skipped.filter(|skipped| skipped.reason == reason).count(),
        17,
        "{:?}",
        findings.skipped
    );
    let premises = &findings.knowledge.premises[0].1;
    assert!(premises.contains(&Premise::OpensNoSession), "{premises:?}");
    // What is known to break whenever it is tried is not waited for again and again.
    let repeats: Vec<usize> = findings
        .outcomes
        .iter()
        .filter(|outcome| outcome.script != "control")
        .map(|outcome| outcome.repeats.len())
        .collect();
    assert_eq!(repeats, [2, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn a_target_that_writes_is_awake_and_is_waited_for_no_longer_than_for_an_answer() {
    let settings = Settings {
        start: Duration::from_secs(100_000),
        ..settings()
    };
    for line in ["Welcome", "\\377", r#"{"jsonrpc":"2.0","method":"_log"}"#] {
        let dead = dead(
            shell(&format!("printf '{line}\\n'; cat >/dev/null")),
            settings.clone(),
        );
        assert!(!dead.what.is_empty());
    }
}

#[test]
fn an_agent_is_told_to_work_in_a_scratch_folder_wherever_it_was_started() {
    let (folder, told) = notebook();
    let operators = tempfile::tempdir().expect("a folder");
    let launch = Launch::Command {
        argv: [
            "/bin/sh",
            "-c",
            r#"pwd > "$TOLD"; read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'; read line; echo "$line" >> "$TOLD""#,
        ]
        .map(Into::into)
        .to_vec(),
        env: vec![("TOLD".into(), told.display().to_string())],
        cwd: Some(operators.path().to_owned()),
    };
    perform("open", &launch, &settings());
    let told = fs::read_to_string(told).expect("it was told");
    let (started, asked) = told.split_once('\n').expect("two lines");
    let operators = operators.path().canonicalize().expect("a folder");
    assert_eq!(Path::new(started), operators);
    assert!(asked.contains(r#""method":"session/new""#), "{asked}");
    assert!(asked.contains("/work\""), "{asked}");
    assert!(!asked.contains(&operators.display().to_string()), "{asked}");
    drop(folder);
}

#[test]
fn a_target_that_answers_on_a_terminal_only_is_told_from_a_silent_one() {
    const ANSWERS: &str = r#"read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'; cat >/dev/null"#;
    let fussy = run(shell(&format!("[ -t 0 ] || exit 1; {ANSWERS}")), patient());
    assert!(fussy.knowledge.terminal_only);
    assert!(fussy.knowledge.dead.is_some());
    let broken = |outcome: &Outcome| {
        let tally = outcome.judgement.tallies.get("ACP-TRANSPORT-009");
        tally.is_some_and(|tally| tally.breaches.len() == 1)
    };
    assert!(!fussy.outcomes.is_empty() && fussy.outcomes.iter().all(broken));

    // What echoes its input, or says nothing there either, is no agent on a terminal.
    for commands in ["exec cat", "[ -t 0 ] || exit 1; cat >/dev/null"] {
        let silent = run(shell(commands), settings());
        assert!(!silent.knowledge.terminal_only, "{commands}");
        assert!(silent.outcomes.is_empty(), "{commands}");
    }

    // What speaks over pipes, if under wrong ids, does not lack a terminal.
    let confused = run(
        shell(&ANSWERS.replace("\"id\":0", "\"id\":1000")),
        settings(),
    );
    assert!(!confused.knowledge.terminal_only);
    let dead = confused.knowledge.dead.expect("nothing bears its id");
    assert!(dead.what.contains("answered as 1000"), "{dead:?}");
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    fs::write(&data, "no program").expect("a file");
    let executable = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        path
    };
    let orphan = executable("orphan", "#! /no/such/interpreter -x\nhello\n");
    let dos = executable("dos", "#!/bin/sh\r\nexit 0\r\n");
    let plain = executable("plain", "exit 0\n");
    let missing = folder.path().join("missing");
    for (program, what) in [
        (
            missing.clone(),
            format!("There is no program `{}`.", missing.display()),
        ),
        (
            data.clone(),
            format!("`{}` is not executable.", data.display()),
        ),
        (
            orphan.clone(),
            format!(
                "The interpreter of `{}` is missing: its first line names `/no/such/interpreter`.",
                orphan.display()
            ),
        ),
        (
            dos.clone(),
            format!(
                "The interpreter of `{}` is missing: its first line names `/bin/sh\\r`.",
                dos.display()
            ),
        ),
        (
            plain.clone(),
            format!(
                "`{}` cannot be executed: it lacks a `#!` line, or it is built for another machine.",
                plain.display()
            ),
        ),
        (
            "elenchus-no-such-program".into(),
            "There is no program `elenchus-no-such-program`.".to_owned(),
        ),
    ] {
        let launch = Launch::Command {
            argv: vec![program.into()],
            env: Vec::new(),
            cwd: None,
        };
        assert_eq!(dead(launch.clone(), patient()).what, what);
        let recording = perform("open", &launch, &patient());
        assert!(
            matches!(recording.stopped, Some(Stopped::NotStarted(_))),
            "{:?}",
            recording.stopped
        );
    }
    let cwd = Launch::Command {
        argv: vec!["/bin/sh".into()],
        env: Vec::new(),
        cwd: Some(missing),
    };
    assert!(dead(cwd, patient()).what.contains("does not exist"));
    let nothing = Launch::Command {
        argv: Vec::new(),
        env: Vec::new(),
        cwd: None,
    };
    assert_eq!(dead(nothing, patient()).what, "The command is empty.");
}

#[test]
fn a_target_that_dies_half_way_is_recorded_as_having_died_on_its_own() {
    let dies = shell(
        r#"read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'; read line; echo bye >&2; exit 7"#,
    );
    let recording = perform("open\nprompt x", &dies, &patient());
    assert_eq!(
        exit(&recording.trace.events),
        Some((Some(7), None, Asked::Nothing))
    );
    assert_eq!(recording.stderr, ["bye"]);
    let Some(Stopped::Step { line, reason }) = recording.stopped else {
        panic!("it went on")
    };
    assert_eq!(
        (line, reason.as_str()),
        (
            5,
            "the target exited with code 7 before the answer to session/new came"
        )
    );
    let deadline = recording
        .trace
        .events
        .iter()
        .any(|event| matches!(event.kind, EventKind::Deadline { .. }));
    assert!(
        !deadline,
        "nothing was waited for that could not come any more"
    );
}

#[test]
fn a_target_that_ignores_its_end_is_killed_with_all_below_it() {
    let (_folder, pids) = notebook();
    let stubborn = shell_with(
        r#"trap '' TERM; echo $$ >>"$PIDS"; sleep 1000 & echo $! >>"$PIDS"; while :; do wait; sleep 1000; done"#,
        &[("PIDS", &pids)],
    );
    let recording = perform("connect\nsettle\nclose", &stubborn, &settings());
    assert_eq!(
        exit(&recording.trace.events),
        Some((None, Some(9), Asked::Kill))
    );
    let waited = recording.trace.events.iter().any(|event| {
        matches!(
            event.kind,
            EventKind::Deadline {
                wait: Wait::Exit,
                ..
            }
        )
    });
    assert!(waited);
    let pids = written_down(&pids);
    assert_eq!(pids.len(), 2);
    assert!(!pids.into_iter().any(lives));
}

#[test]
fn a_target_that_only_heeds_sigterm_is_recorded_so() {
    let recording = perform("connect", &shell("exec sleep 1000"), &settings());
    assert_eq!(
        exit(&recording.trace.events),
        Some((None, Some(15), Asked::Terminate))
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_that_others_have_started_is_left_alone() {
    let mut other = std::process::Command::new("sleep")
        .arg("1000")
        .spawn()
        .expect("a process");
    perform("connect", &shell("setsid sleep 1000 & exit 0"), &patient());
    assert!(lives(other.id()));
    assert!(other.try_wait().expect("it is ours to wait for").is_none());
    other.kill().expect("it can be killed");
    other.wait().expect("it can be waited for");
}

#[test]
fn floods_are_cut_off_and_drained() {
    let shouts = r#"while :; do echo '{"jsonrpc":"2.0","method":"x"}'; done"#;
    let recording = perform("connect\nsettle", &shell(shouts), &settings());
    let limits = recording
        .trace
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Limit { .. }))
        .count();
    assert_eq!(limits, 1);
    assert!(recording.trace.events.len() < 1000);
    assert!(exit(&recording.trace.events).is_some());

    let endless_line = "exec tr '\\0' x </dev/zero";
    let recording = perform("connect\nsettle", &shell(endless_line), &settings());
    assert!(exit(&recording.trace.events).is_some());

    let recording = perform(
        "connect\nsettle",
        &shell("exec yes complaint >&2"),
        &settings(),
    );
    assert!(recording.trace.events.len() < 5000);
    assert!(recording.stderr.iter().all(|line| line == "complaint"));
    assert!(exit(&recording.trace.events).is_some());
}

#[test]
fn a_target_that_never_reads_cannot_block_us() {
    let big = "x".repeat(60_000);
    let steps = format!(
        "connect\n{}settle",
        format!("notify big {{\"x\":\"{big}\"}}\n").repeat(20)
    );
    let settings = Settings {
        max_trace: 4_000_000,
        ..settings()
    };
    let recording = perform(&steps, &shell("exec sleep 1000"), &settings);
    let sent = |event: &&Event| {
        matches!(
            event.kind,
            EventKind::Frame {
                from: Side::Client,
                ..
            }
        )
    };
    assert_eq!(recording.trace.events.iter().filter(sent).count(), 20);
    assert!(exit(&recording.trace.events).is_some());

    // Nor one that writes more than a pipe holds before it reads.
    let writes_first = shell("head -c 300000 /dev/zero | tr '\\0' '\\n'; exec cat >/dev/null");
    let recording = perform(
        &steps,
        &writes_first,
        &Settings {
            max_trace: 400_000_000,
            ..settings
        },
    );
    assert_eq!(recording.trace.events.iter().filter(sent).count(), 20);
    let blank = |event: &&Event| {
        matches!(
            event.kind,
            EventKind::Frame {
                from: Side::Server,
                ..
            }
        )
    };
    assert_eq!(recording.trace.events.iter().filter(blank).count(), 300_000);
}

#[test]
fn a_target_gets_a_clean_environment_and_a_scratch_home() {
    let recording = perform(
        "connect\nsettle",
        &shell("pwd; env; cat >/dev/null"),
        &settings(),
    );
    let lines: Vec<&str> = recording
        .trace
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Frame {
                from: Side::Server,
                frame,
            } => frame.text(),
            _ => None,
        })
        .collect();
    let value = |name: &str| {
        lines
            .iter()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
    };
    let scratch = PathBuf::from(value("HOME").expect("a home"));
    assert!(Path::new(lines[0]).starts_with(&scratch));
    assert!(value("TMPDIR").is_some_and(|tmp| Path::new(tmp).starts_with(&scratch)));
    assert_eq!(
        (value("TERM"), value("CI"), value("NO_COLOR")),
        (Some("dumb"), Some("1"), Some("1"))
    );
    assert!(value("PATH").is_some());
    for name in ["CARGO", "USER", "CARGO_MANIFEST_DIR"] {
        assert_eq!(value(name), None);
    }
    assert!(
        !scratch.exists(),
        "the scratch folder goes with the instance"
    );
}

/// An agent of a few lines, which leaves a process behind and answers every request with the same result.
fn simple_agent(pids: &Path) -> Launch {
    shell_with(
        r#"setsid sleep 1000 >&- 2>&- & echo $! >>"$PIDS"
        while read line; do
            id=$(echo "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
            version=$(echo "$line" | sed -n 's/.*"protocolVersion":\([0-9]*\).*/\1/p')
            echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":${version:-0},\"sessionId\":\"s\"}}"
        done"#,
        &[("PIDS", pids)],
    )
}

#[test]
fn a_campaign_ends_with_everything_gone() {
    let (_folder, pids) = notebook();
    let findings = run(simple_agent(&pids), patient());
    assert_eq!(findings.knowledge.versions, [Version::AcpV1]);
    let echoed: Vec<u16> = findings
        .knowledge
        .echoed
        .iter()
        .map(|(number, _)| *number)
        .collect();
    assert_eq!(echoed, [2, u16::MAX]);
    let stopped: Vec<_> = findings
        .outcomes
        .iter()
        .map(|outcome| (outcome.script.as_str(), &outcome.stopped))
        .collect();
    assert_eq!(stopped, [("control", &None), ("test", &None)]);
    let pids = written_down(&pids);
    assert!(pids.len() >= 4, "three probes and an instance: {pids:?}");
    assert!(!pids.into_iter().any(lives));
}

/// Fails where nobody expects it.
struct Panicking;

impl Observer for Panicking {
    fn learned(&self, _: &Knowledge) {}
    fn planned(&self, _: usize) {}
    fn performed(&self, outcome: &Outcome) {
        panic!("{} was performed", outcome.script);
    }
}

#[test]
fn a_panic_leaves_nothing_behind() {
    let (_folder, pids) = notebook();
    let script = script("open");
    let campaign = Campaign {
        launch: simple_agent(&pids),
        // Enough for a process that was started ahead.
        scripts: vec![&script, &script, &script, &script, &script],
        versions: vec![Version::AcpV1],
        declared: false,
        settings: patient(),
        jobs: 2,
        seed: 0,
        thorough: false,
        fresh: false,
        repeats: 0,
        traces: None,
        memo: None,
    };
    let outcome =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| campaign.run(&Panicking)));
    assert!(outcome.is_err());
    assert!(!written_down(&pids).into_iter().any(lives));
}
