//! A client and an agent that are tried on each other.

use serde_json::Value;

use crate::{Elenchus, stderr, stdout};

/// Tries the programs `agent` and `client` on each other.
fn pair(elenchus: &Elenchus, more: &[&str], key: &str) -> assert_cmd::assert::Assert {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("elenchus");
    command
        .current_dir(elenchus.path(""))
        .env("MY_KEY", key)
        .args(["pair", "--agent", "./agent", "--client"])
        .args(["./client {agent-path}", "--out", "out"])
        .args(more);
    command.assert()
}

/// An agent that does no more than to agree on the protocol, and ends with its client.
const AGENT: &str = r#"
while read -r line; do
    case "$line" in
        *initialize*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}}' ;;
    esac
done
"#;

/// A client that begins to talk to the agent at `$1`, and then does this.
fn client(then: &str) -> String {
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#;
    format!("#!/bin/sh\nbegin() {{ echo '{initialize}'; }}\n{then}\n")
}

#[test]
fn a_client_and_an_agent_are_judged_by_what_they_said_to_each_other() {
    let elenchus = Elenchus::new();
    let line = "pair --agent reference:agent --client reference:client --format json --out out";
    let printed = stdout(&elenchus.run(line).code(0));
    let reports: Value = serde_json::from_str(&printed).expect("two reports");
    for kind in ["agent", "client"] {
        assert_eq!(reports[kind]["target"]["kind"], kind);
        assert_eq!(reports[kind]["verdict"]["status"], "conforming");
        // What was recorded can be judged again.
        elenchus
            .run(&format!("check out/traces/pair.{kind}.jsonl"))
            .code(0);
    }
}

#[test]
fn a_pair_that_agrees_on_nothing_is_incomplete() {
    let elenchus = Elenchus::new();
    elenchus.program("agent", "#!/bin/sh\necho no agent today >&2\nexit 7\n");
    let run = elenchus
        .run("pair --agent ./agent --client reference:client --out out")
        .code(3);
    let told = stderr(&run);
    assert!(told.contains("no agent today"), "{told}");
}

#[test]
fn the_client_sees_what_its_agent_said_last_and_how_it_ended() {
    let elenchus = Elenchus::new();
    let (heard, status) = (elenchus.path("heard"), elenchus.path("status"));
    elenchus.program(
        "client",
        &client(&format!(
            r#"begin | "$1" > {}; echo $? > {}"#,
            heard.display(),
            status.display()
        )),
    );
    for (end, expected) in [("exit 7", "7\n"), ("kill -9 $$", "137\n")] {
        elenchus.program(
            "agent",
            &format!("#!/bin/sh{AGENT}echo '\"last words\"'\n{end}\n"),
        );
        pair(&elenchus, &[], "");
        let heard = std::fs::read_to_string(&heard).expect("what was heard");
        assert!(heard.ends_with("\"last words\"\n"), "{end}: {heard}");
        let status = std::fs::read_to_string(&status).expect("a status");
        assert_eq!(status, expected, "{end}");
    }
}

#[test]
fn a_conversation_that_was_cut_short_is_incomplete() {
    let elenchus = Elenchus::new();
    elenchus.program("agent", &format!("#!/bin/sh{AGENT}"));
    elenchus.program("client", &client(r#"{ begin; sleep 60; } | "$1""#));
    let run = pair(&elenchus, &["--limit", "2"], "").code(3);
    let told = stdout(&run);
    assert!(told.contains("--limit SECS"), "{told}");
    assert!(!told.contains("Conforming"), "{told}");
}

#[test]
fn what_was_said_before_an_agent_could_not_be_started_is_kept() {
    let elenchus = Elenchus::new();
    elenchus.program("agent", &format!("#!/bin/sh\nrm -f \"$0\"{AGENT}"));
    elenchus.program("client", &client("begin | \"$1\"\nbegin | \"$1\""));
    let run = pair(&elenchus, &[], "").code(3);
    let told = stdout(&run);
    assert!(told.contains("one more agent"), "{told}");
    let trace = std::fs::read_to_string(elenchus.path("out/traces/pair.agent.jsonl"));
    let trace = trace.expect("a trace");
    assert!(trace.contains("protocolVersion") && trace.contains(r#""end""#));
}

#[test]
fn what_is_said_is_on_the_disk_at_once_and_in_files_of_our_own() {
    let elenchus = Elenchus::new();
    elenchus.file("victim", "mine");
    let trace = elenchus.path("out/traces/pair.agent.jsonl");
    // Once the agent has answered, the trace is there: the client sees to it that it is read.
    elenchus.program(
        "agent",
        &format!(
            "#!/bin/sh\nln -s {} {}{AGENT}",
            elenchus.path("victim").display(),
            trace.display()
        ),
    );
    elenchus.program(
        "client",
        &client(&format!(
            r#"{{ begin; sleep 2; cp {} {}; }} | "$1""#,
            trace.display(),
            elenchus.path("early").display()
        )),
    );
    pair(&elenchus, &[], "");
    let early = std::fs::read_to_string(elenchus.path("early")).expect("a copy");
    assert!(early.contains("protocolVersion"), "{early}");
    let victim = std::fs::read_to_string(elenchus.path("victim")).expect("it is there");
    assert_eq!(victim, "mine");
    assert!(trace.symlink_metadata().expect("a trace").is_file());
}

#[test]
fn no_secret_of_a_pair_is_printed() {
    const SECRET: &str = "sk-live-0123456789abcdef";
    let elenchus = Elenchus::new();
    let agent =
        "#!/bin/sh\necho \"bad key $MY_KEY\" >&2\nprintf '%0390d%s\\n' 0 \"$MY_KEY\" >&2\nexit 7\n";
    elenchus.program("agent", agent);
    elenchus.program("client", &client(r#"begin | "$1""#));
    let run = pair(&elenchus, &["--pass-env", "MY_KEY"], SECRET).code(3);
    let told = stderr(&run);
    assert!(told.contains("bad key [redacted]"), "{told}");
    assert!(!told.contains("sk-live"), "{told}");
}

#[test]
fn what_is_hidden_in_the_traces_is_judged_as_it_came() {
    let elenchus = Elenchus::new();
    elenchus.program("agent", &format!("#!/bin/sh{AGENT}"));
    elenchus.program("client", &client(r#"begin | "$1""#));
    // What a variable holds may be a word of the protocol.
    pair(&elenchus, &["--pass-env", "MY_KEY"], "initialize").code(0);
    let trace = std::fs::read_to_string(elenchus.path("out/traces/pair.client.jsonl"));
    let trace = trace.expect("a trace");
    assert!(trace.contains(r#"\"method\":\"[redacted]\""#), "{trace}");
}

#[cfg(target_os = "linux")]
#[test]
fn who_is_not_read_has_to_wait() {
    use std::process::{Command, Stdio};

    let elenchus = Elenchus::new();
    let flood = "tr '\\0' x </dev/zero";
    elenchus.program(
        "agent",
        &format!(
            "#!/bin/sh{}{flood}\n",
            AGENT.replace(";;\n    esac\ndone", "; break ;;\n    esac\ndone")
        ),
    );
    elenchus.program(
        "client",
        &client(r#"{ begin; sleep 60; } | "$1" | sleep 60"#),
    );
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("elenchus"))
        .current_dir(elenchus.path(""))
        .args("pair --agent ./agent --limit 4 --out out --client".split(' '))
        .arg("./client {agent-path}")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("it is ours").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let held = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let held = held.and_then(|held| held.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(held.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!((1..64 * 1024).contains(&most), "{most} KiB");
}
