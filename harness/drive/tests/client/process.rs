//! Clients that are processes of a few lines of shell.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use elenchus_drive::{Campaign, Launch, Recording, Settings, instance::Step};
use elenchus_protocol::Version;
use elenchus_suites::script::{Heed, parse};
use elenchus_wire::EventKind;

use super::{Silent, campaign, learn, perform, story};

/// How a client begins whose agent is `$1`, or the command line in `$1`: two pipes, and a way to say and to hear a line.
const BEGIN: &str = r#"
start() { rm -f "$HOME/up" "$HOME/down"; mkfifo "$HOME/up" "$HOME/down"; eval "$1" < "$HOME/up" > "$HOME/down" & exec 3> "$HOME/up" 4< "$HOME/down"; }
say() { printf '%s\n' "$1" >&3; }
hear() { read -r line <&4 && printf '%s\n' "$line" >&2; }
begin() {
    say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}'; hear
    say '{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}'; hear
    say '{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"sess-1","prompt":[{"type":"text","text":"hello"}]}}'
}
finish() {
    while hear; do
        case "$line" in
            *fence*) say '{"jsonrpc":"2.0","id":"elenchus-fence-1","error":{"code":-32601,"message":"no"}}' ;;
            *stopReason*) return ;;
        esac
    done
}
"#;

/// The example of this crate that is the relay. Cargo builds it with all tests of the crate.
fn relay() -> PathBuf {
    let test = std::env::current_exe().expect("a test is a program");
    let folder = test.parent().and_then(Path::parent);
    let program = folder.expect("in target/debug/deps").join("examples/relay");
    assert!(
        program.exists(),
        "build it with `cargo build -p elenchus-drive --examples`"
    );
    program
}

/// A client of these lines, with its agent's command line as `$1`.
fn client(lines: &str) -> Launch {
    started(&format!("{BEGIN}{lines}"), "{agent}", false)
}

fn started(lines: &str, agent: &str, direct: bool) -> Launch {
    Launch::Client {
        argv: ["/bin/sh", "-c", lines, "client", agent]
            .map(Into::into)
            .to_vec(),
        env: Vec::new(),
        cwd: None,
        relay: relay(),
        direct,
        others: Vec::new(),
    }
}

fn settings() -> Settings {
    Settings {
        answer: Duration::from_secs(2),
        start: Duration::from_secs(4),
        expect: Duration::from_millis(500),
        goodbye: Duration::from_millis(300),
        ..Settings::default()
    }
}

fn performed(steps: &str, launch: &Launch) -> Recording {
    perform(&format!("\n{steps}"), Version::AcpV1, launch, &settings())
}

/// The process numbers that a recording's standard error tells, each on a line that begins with `pid`.
fn pids(recording: &Recording) -> Vec<u32> {
    let lines = recording.stderr.iter();
    lines
        .filter_map(|line| line.strip_prefix("pid ")?.trim().parse().ok())
        .collect()
}

fn lives(pid: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

#[test]
fn a_client_talks_to_us_through_the_relay() {
    let launch = client(r#"start "$1"; begin; finish; exec 3>&-; wait"#);
    let recording = performed("serve\nend turn", &launch);
    assert_eq!(recording.stopped, None, "{:#?}", story(&recording));
    assert_eq!(
        story(&recording),
        [
            "open 0",
            "< initialize",
            r#"> {"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"elenchus","version":"0.1.0"},"authMethods":[]}"#,
            "< session/new",
            r#"> {"sessionId":"sess-1"}"#,
            "< session/prompt",
            "settled",
            r#"> {"stopReason":"end_turn"}"#,
            "eof client",
            "exit Some(0) Nothing",
        ]
    );
}

#[test]
fn what_a_client_wrote_before_it_ended_arrives() {
    let answer = r#"{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}"#;
    let launch = client(&format!(
        r#"start "$1"; begin; hear; say '{answer}'; exit 0"#
    ));
    for _ in 0..5 {
        let recording = performed("serve\nask permission as question\nawait question", &launch);
        assert_eq!(recording.stopped, None, "{:#?}", story(&recording));
    }
}

#[test]
fn what_a_client_wrote_for_us_is_removed_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = client(
        r#"start "$1"; begin
        for id in 0 1; do
            hear
            path=$(printf '%s' "$line" | sed 's/.*"path": *"\([^"]*\)".*/\1/')
            : > "$path" && echo "made $path" >&2
            say '{"jsonrpc":"2.0","id":'$id',"result":{}}'
        done
        finish; exec 3>&-; wait"#,
    );
    let write = |name: &str, file: &str| {
        let path = folder.path().join(file);
        format!(
            "request fs/write_text_file {{\"sessionId\": $session, \"path\": \"{}\", \"content\": \"\"}} as {name}\nawait {name}\n",
            path.display()
        )
    };
    let (own, other) = (
        write("own", "elenchus-new-${canary}.txt"),
        write("other", "other.txt"),
    );
    let recording = performed(&format!("serve\n{own}{other}end turn"), &launch);
    assert_eq!(recording.stopped, None, "{:#?}", story(&recording));
    let made = recording
        .stderr
        .iter()
        .filter(|line| line.starts_with("made "));
    assert_eq!(made.count(), 2, "{:?}", recording.stderr);
    let left: Vec<_> = fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("a file").file_name())
        .collect();
    assert_eq!(left, ["other.txt"]);
}

/// Looks what its agent is, and starts it again for its work.
const LOOKS_FIRST: &str = r#"start "$1"; say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}'; hear
    exec 3>&- 4<&-; start "$1"; begin; "#;

#[test]
fn a_client_that_looks_at_its_agent_first_is_followed_to_its_work() {
    let answer = r#"{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}}"#;
    let launch = client(&format!(
        r"{LOOKS_FIRST} hear; say '{answer}'; finish; exec 3>&-; wait"
    ));
    let script = parse(
        "test",
        "# A test.\ntarget client\nversions 1\ncovers ACP-PERM-001\n\nserve\nask permission as question\nawait question\nend turn\n",
    )
    .expect("a script");
    let campaign = Campaign {
        versions: vec![Version::AcpV1],
        ..campaign(&launch, settings(), vec![&script])
    };
    let run = campaign.run(&Silent);
    let outcome = run.outcomes.iter().find(|outcome| outcome.script == "test");
    let outcome = outcome.expect("the script was run");
    assert_eq!(outcome.stopped, None);
    let (_, reach, _) = &run.knowledge.reach[0];
    assert_eq!((&reach.session, &reach.turn), (&Step::Done, &Step::Done));
}

#[test]
fn a_client_that_takes_a_path_gets_one() {
    let lines = format!(r#"{BEGIN}start "$1"; begin; finish; exec 3>&-; wait"#);
    let launch = started(&lines, "{agent-path}", false);
    let recording = performed("serve\nend turn", &launch);
    assert_eq!(recording.stopped, None, "{:#?}", story(&recording));
}

/// A client that becomes its agent, so that the end of the one is the end of the other. It has said all beforehand.
const BECOMES_ITS_AGENT: &str = r#"
mkfifo "$HOME/up"; exec 3<>"$HOME/up"
say() { printf '%s\n' "$1" >&3; }
say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}'
say '{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}'
say '{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"sess-1","prompt":[{"type":"text","text":"hello"}]}}'
exec "$1" <&3
"#;

#[test]
fn what_a_client_has_started_ends_as_its_agent_does() {
    let launch = started(BECOMES_ITS_AGENT, "{agent-path}", false);
    for (step, ended) in [
        ("exit 0", (Some(0), None)),
        ("exit 7", (Some(7), None)),
        ("exit SIGKILL", (None, Some(9))),
        ("exit SIGSEGV", (None, Some(11))),
        ("close", (Some(0), None)),
    ] {
        let recording = performed(&format!("serve\n{step}"), &launch);
        assert_eq!(recording.stopped, None, "{step}: {:#?}", story(&recording));
        let exits = recording.trace.events.iter().filter_map(|event| {
            let EventKind::Exit { code, signal, .. } = event.kind else {
                return None;
            };
            Some((code, signal))
        });
        assert_eq!(exits.collect::<Vec<_>>(), [ended], "{step}");
    }
}

#[test]
fn a_client_reads_all_that_its_agent_said_before_it_was_killed() {
    let launch = client(
        r#"start "$1"; begin; while hear; do :; done; wait $!; echo "its agent ended with $?" >&2"#,
    );
    let recording = performed("serve\nupdate {\"last\": \"words\"}\nexit SIGKILL", &launch);
    let told = |what: &str| recording.stderr.iter().any(|line| line.contains(what));
    assert!(told(r#""last": "words""#), "{:#?}", recording.stderr);
    assert!(told("its agent ended with 137"), "{:#?}", recording.stderr);
}

#[test]
fn a_client_may_speak_on_its_own_stdio() {
    let lines = BEGIN.replace("<&4", "").replace(" >&3", "");
    let launch = started(&format!("{lines}begin; finish"), "none", true);
    let recording = performed("serve\nend turn", &launch);
    assert_eq!(recording.stopped, None, "{:#?}", story(&recording));
    let ended = "exit Some(0) Nothing".to_owned();
    assert_eq!(story(&recording).last(), Some(&ended));
}

#[test]
fn a_client_that_starts_no_agent_is_told_of() {
    for (lines, what) in [
        (
            "echo no agent here >&2; exit 3",
            "The target exited with code 3 before it started its agent.",
        ),
        (
            "echo no agent here; sleep 60",
            "The target did not start its agent in 1 s.",
        ),
    ] {
        let settings = Settings {
            start: Duration::from_secs(1),
            ..settings()
        };
        let knowledge = learn(&client(lines), settings);
        let dead = knowledge.dead.expect("nothing can be done with it");
        assert_eq!(dead.what, what);
        assert!(dead.hint.contains("{agent-path}"), "{}", dead.hint);
        assert!(
            dead.stderr.contains(&"no agent here".to_owned()),
            "{:?}",
            dead.stderr
        );
    }
}

#[test]
fn a_client_that_restarts_its_agent_is_served_again() {
    let launch = client(
        r#"start "$1"; say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}'; hear
        exec 3>&- 4<&-; start "$1"; begin; finish; exec 3>&-; wait"#,
    );
    let recording = performed("connect\nwelcome\nsettle", &launch);
    let story = story(&recording);
    assert_eq!(
        story
            .iter()
            .filter(|line| line.starts_with("open "))
            .count(),
        2,
        "{story:#?}"
    );
    assert!(
        story.contains(&r#"> {"stopReason":"end_turn"}"#.to_owned()),
        "{story:#?}"
    );
    assert_eq!(
        story.iter().filter(|line| line.starts_with("exit")).count(),
        2,
        "{story:#?}"
    );
}

#[test]
fn what_a_client_opens_is_recorded() {
    let url = "http://127.0.0.1:1/page?a=b&c=%20d";
    for browser in [
        "xdg-open",
        "open",
        "gio open",
        "sensible-browser",
        "$BROWSER",
    ] {
        let launch = client(&format!(
            r#"start "$1"; begin; {browser} '{url}'; finish; exec 3>&-; wait"#
        ));
        let recording = performed("serve\nend turn", &launch);
        let told = story(&recording);
        assert!(
            told.contains(&format!("opened {url}")),
            "{browser}: {told:#?}"
        );
    }
}

#[test]
fn nothing_of_a_client_outlives_its_instance() {
    for lines in [
        // Hangs, and heeds no signal that can be ignored; so do its children, in a session of their own.
        r#"trap '' TERM HUP INT; setsid sh -c 'trap "" TERM HUP; echo pid $$ >&2; while :; do sleep 1; done' &
        echo pid $$ >&2; start "$1"; begin; while :; do sleep 1; done"#,
        // Leaves an orphan with its agent's pipes behind, and is gone.
        r#"start "$1"; begin; (sleep 300 & echo pid $! >&2); hear; exit 0"#,
        // Ignores that its agent has ended.
        r#"echo pid $$ >&2; start "$1"; begin; while :; do hear || sleep 1; done"#,
        // Never starts one.
        "echo pid $$ >&2; sleep 300 & echo pid $! >&2; wait",
    ] {
        let begun = Instant::now();
        let recording = performed("serve\nend turn", &client(lines));
        let pids = pids(&recording);
        assert!(!pids.is_empty(), "{lines}: {:?}", recording.stderr);
        for pid in pids {
            assert!(!lives(pid), "{lines}: {pid} lives");
        }
        assert!(begun.elapsed() < Duration::from_secs(15), "{lines}");
    }
}

#[test]
fn a_client_that_floods_is_cut_off() {
    for flood in [
        r#"yes '{"jsonrpc":"2.0","method":"m"}' >&3"#,
        "while :; do xdg-open http://127.0.0.1:1/; done",
        r#"while :; do start "$1"; done"#,
    ] {
        let settings = Settings {
            max_trace: 20_000,
            ..settings()
        };
        let launch = client(&format!(r#"start "$1"; begin; {flood}"#));
        let begun = Instant::now();
        let recording = perform(
            "\nserve\nsettle\nend turn",
            Version::AcpV1,
            &launch,
            &settings,
        );
        assert!(begun.elapsed() < Duration::from_secs(15), "{flood}");
        let events = recording.trace.events.len();
        assert!(events < 500, "{flood}: {events}");
    }
}

#[test]
fn a_command_line_may_say_what_the_environment_would() {
    let answering = |option: &str| {
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":0,"result":{{"outcome":{{"outcome":"selected","optionId":"{option}"}}}}}}"#
        );
        format!(r#"{BEGIN}start "$1"; begin; hear; say '{answer}'; finish; exec 3>&-; wait"#)
    };
    let argv_of = |launch: Launch| match launch {
        Launch::Client { argv, .. } => argv,
        other => panic!("{other:?}"),
    };
    let mut launch = started(&answering("allow-once"), "{agent}", false);
    let rejecting = argv_of(started(&answering("reject-once"), "{agent}", false));
    if let Launch::Client { others, .. } = &mut launch {
        others.push(("permission".to_owned(), "reject".to_owned(), rejecting));
    }
    for (permission, option) in [("allow", "allow-once"), ("reject", "reject-once")] {
        let text = format!(
            "client {{\"permission\": \"{permission}\"}}\n\nserve\nask permission as question\nawait question\nend turn"
        );
        let recording = perform(&text, Version::AcpV1, &launch, &settings());
        let told = story(&recording);
        assert!(told.iter().any(|line| line.contains(option)), "{told:#?}");
    }
    let knowledge = learn(&launch, settings());
    assert!(
        knowledge
            .heeds
            .contains(&(Version::AcpV1, Heed::Permission))
    );
}

#[test]
fn what_elicitations_are_answered_with_may_be_a_command_line() {
    let begin = BEGIN.replace(
        r#""clientCapabilities":{}"#,
        r#""clientCapabilities":{"elicitation":{"form":{}}}"#,
    );
    let answering = |action: &str| {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":0,"result":{{"action":{action}}}}}"#);
        format!(r#"{begin}start "$1"; begin; hear; say '{answer}'; finish; exec 3>&-; wait"#)
    };
    let silent = format!(r#"{begin}start "$1"; begin; finish; exec 3>&-; wait"#);
    let argv_of = |lines: &str| match started(lines, "{agent}", false) {
        Launch::Client { argv, .. } => argv,
        other => panic!("{other:?}"),
    };
    let mut launch = started(&silent, "{agent}", false);
    if let Launch::Client { others, .. } = &mut launch {
        let accepting = answering(r#""accept","content":{"name":"x"}"#);
        for (word, lines) in [
            ("accept", &accepting),
            // This one does not do as it says.
            ("decline", &accepting),
            ("idle", &silent),
        ] {
            others.push(("answers".to_owned(), word.to_owned(), argv_of(lines)));
        }
    }
    let answering = |name: &str, answers: &str| {
        let text = format!(
            "# A test.\ntarget client\nversions 1\ncovers ACP-ELICIT-RESP-001\nneeds answers\nclient {{\"answers\": {answers}}}\n\n\
             serve\nask form as question\nsettle\nend turn\n"
        );
        parse(name, &text).expect("a script")
    };
    let scripts = [
        answering("accepts", r#"[{"action": "accept"}]"#),
        answering(
            "accepts-this",
            r#"[{"action": "accept", "content": {"name": "Ada"}}]"#,
        ),
        answering("declines", r#"[{"action": "decline"}]"#),
        answering("idles", r#"["idle", "idle"]"#),
    ];
    let campaign = Campaign {
        versions: vec![Version::AcpV1],
        ..campaign(&launch, settings(), scripts.iter().collect())
    };
    let run = campaign.run(&Silent);
    let seen = ["accept", "idle"].map(|word| (Version::AcpV1, word.to_owned()));
    assert_eq!(run.knowledge.answers, seen.into());
    assert_eq!(run.knowledge.heeds, [].into());
    let performed = run.outcomes.iter().map(|outcome| outcome.script.as_str());
    let performed: Vec<&str> = performed.filter(|name| *name != "control").collect();
    assert_eq!(performed, ["accepts", "idles"]);
    for outcome in &run.outcomes {
        let mut tallies = outcome.judgement.tallies.iter();
        let broken =
            tallies.find(|(id, tally)| id.starts_with("ACP-ELICIT-") && !tally.breaches.is_empty());
        assert!(broken.is_none(), "{}: {broken:?}", outcome.script);
    }
    let skipped = run.skipped.iter().map(|skipped| skipped.script.as_str());
    assert_eq!(skipped.collect::<Vec<_>>(), ["accepts-this", "declines"]);
}
