//! `run`: whole runs.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::Value;

use crate::{Elenchus, stderr, stdout};

fn report(elenchus: &Elenchus, line: &str, exit: i32) -> Value {
    let printed = stdout(
        &elenchus
            .run(&format!("{line} --format json --out out"))
            .code(exit),
    );
    let written =
        fs::read_to_string(elenchus.path("out/report.json")).expect("the report is there");
    assert_eq!(printed, written, "what is printed is what is written");
    serde_json::from_str(&printed).expect("a report")
}

fn failed(report: &Value) -> Vec<&str> {
    let runs = report["runs"].as_array().expect("runs");
    let rows = runs
        .iter()
        .flat_map(|run| run["requirements"].as_array().expect("rows"));
    rows.filter(|row| row["outcome"] == "fail")
        .filter_map(|row| row["id"].as_str())
        .collect()
}

#[test]
fn the_reference_agent_conforms_in_every_version() {
    let elenchus = Elenchus::new();
    let report = report(&elenchus, "--target reference:agent --seed 1", 0);
    assert_eq!(report["verdict"]["status"], "conforming");
    assert_eq!(failed(&report), Vec::<&str>::new());
    let protocols: Vec<&str> = report["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .filter_map(|run| run["protocol"].as_str())
        .collect();
    assert_eq!(protocols, ["acp-v1", "acp-v2"]);
}

#[test]
fn a_fault_is_found_and_shown_with_a_trace_and_a_command_that_shows_it_again() {
    let elenchus = Elenchus::new();
    let line = "--target reference:agent?fault=form-despite-url-only --protocol acp-v1 --only ELICIT-CAP --seed 1";
    let report = report(&elenchus, line, 1);
    let runs = report["runs"].as_array().expect("runs");
    let row = runs[0]["requirements"]
        .as_array()
        .expect("rows")
        .iter()
        .find(|row| row["outcome"] == "fail")
        .expect("something failed");
    let finding = &row["findings"][0];
    let trace = finding["trace"].as_str().expect("a trace");
    let line = finding["event"].as_u64().expect("an event") + 1;
    let text = fs::read_to_string(elenchus.path("out").join(trace)).expect("the trace is there");
    assert!(
        text.lines()
            .nth(usize::try_from(line).expect("small"))
            .is_some(),
        "the trace has line {}",
        line + 1
    );

    let replay = finding["replay"].as_str().expect("a command");
    let again = replay
        .split_once(' ')
        .expect("a program and its arguments")
        .1
        .replace('\'', "");
    let shown = stdout(&elenchus.run(&again).code(1));
    assert!(elenchus.path("elenchus-again/report.json").exists());
    assert!(
        shown.contains(row["id"].as_str().expect("an id")),
        "{shown}"
    );
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let elenchus = Elenchus::new();
    let line = "--target reference:agent --only ELICIT-CAP --seed 5";
    assert_eq!(report(&elenchus, line, 0), report(&elenchus, line, 0));
}

#[test]
fn a_target_that_ends_or_stays_silent_is_incomplete_and_says_what_happened() {
    let elenchus = Elenchus::new();
    for (name, script, text) in [
        (
            "exits",
            "#!/bin/sh\necho 'no such option' >&2\nexit 7\n",
            "7",
        ),
        (
            "banner",
            "#!/bin/sh\necho 'Welcome!'\ncat >/dev/null\n",
            "Welcome!",
        ),
        ("silent", "#!/bin/sh\nexec cat >/dev/null\n", "initialize"),
    ] {
        elenchus.file(name, script);
        fs::set_permissions(elenchus.path(name), fs::Permissions::from_mode(0o755))
            .expect("it is ours");
        let assert = elenchus.run(&format!("--target ./{name} --timeout 0.2 --out out-{name}"));
        let shown = stdout(&assert) + &stderr(&assert);
        assert!(
            matches!(assert.get_output().status.code(), Some(1 | 3)),
            "{name}: {shown}"
        );
        assert!(shown.contains(text), "{name}: {shown}");
        assert!(
            elenchus.path(&format!("out-{name}/report.json")).exists(),
            "{name}"
        );
    }
}

#[test]
fn the_report_for_a_person_has_no_colours_where_there_is_no_terminal() {
    let elenchus = Elenchus::new();
    let shown = stdout(
        &elenchus
            .run("run --target reference:agent --only ELICIT-CAP --protocol acp-v1")
            .code(0),
    );
    assert!(!shown.contains('\u{1b}'));
    assert!(
        shown.contains("acp-v1: ") && shown.contains("Conforming: "),
        "{shown}"
    );
    assert!(elenchus.path("elenchus-out/report.json").exists());
}

/// An agent that does this at each start and is the reference agent then. `starts` counts its starts.
fn agent(elenchus: &Elenchus, name: &str, at_start: &str) {
    let binary = assert_cmd::cargo::cargo_bin!("elenchus");
    elenchus.file(
        name,
        format!(
            "#!/bin/sh\necho x >>starts\n{at_start}\nexec '{}' reference agent\n",
            binary.display()
        ),
    );
    fs::set_permissions(elenchus.path(name), fs::Permissions::from_mode(0o755))
        .expect("it is ours");
}

#[test]
fn a_run_that_a_signal_stops_gives_no_verdict_that_nothing_failed() {
    let elenchus = Elenchus::new();
    agent(
        &elenchus,
        "agent",
        "[ $(wc -l <starts) -eq 9 ] && kill -TERM $PPID",
    );
    let line = "--target ./agent --protocol acp-v1 --only TRANSPORT --jobs 1 --seed 1";
    let report = report(&elenchus, line, 3);
    assert_eq!(report["verdict"]["status"], "incomplete");
    assert_ne!(report["verdict"]["counts"]["pass"], 0);
    let reason = report["verdict"]["reasons"][0].as_str().expect("a reason");
    assert!(
        reason.contains("stopped by a signal after") && !reason.contains("after 0 of"),
        "{reason}"
    );
    fs::remove_file(elenchus.path("starts")).expect("it is there");
    let shown = stdout(&elenchus.run(line).code(3));
    assert!(
        shown.contains("Incomplete") && shown.contains("stopped by a signal after"),
        "{shown}"
    );
}

#[test]
fn traces_that_cannot_be_written_are_told_and_the_report_is_shown() {
    let elenchus = Elenchus::new();
    agent(&elenchus, "agent", "rm -rf out/traces");
    let line =
        "--target ./agent --protocol acp-v1 --only TRANSPORT --seed 1 --out out --format json";
    let assert = elenchus.run(line).code(2);
    assert!(
        stderr(&assert).contains("trace could not be written"),
        "{}",
        stderr(&assert)
    );
    let report: Value = serde_json::from_str(&stdout(&assert)).expect("a report");
    assert_eq!(report["verdict"]["status"], "conforming");
    let reason = report["verdict"]["reasons"][0].as_str().expect("a reason");
    assert!(reason.contains("traces could be written"), "{reason}");
}

/// A small agent: what it does with `session/new` and with `session/prompt`, as lines of a shell.
fn small_agent(elenchus: &Elenchus, on_session: &str, on_prompt: &str) {
    elenchus.file(
        "small",
        format!(
            r#"#!/bin/sh
result() {{ echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}}"; }}
error() {{ echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{{\"code\":$1,\"message\":\"$2\"}}}}"; }}
while read -r line; do
    id=${{line#*\"id\":}}
    id=${{id%%,*}}
    case "$line" in
    *'"initialize"'*) result '{{"protocolVersion":1,"agentCapabilities":{{}}}}' ;;
    *'"session/new"'*) {on_session} ;;
    *'"session/prompt"'*) {on_prompt} ;;
    *'"id":'*) error -32601 'method not found' ;;
    esac
done
"#
        ),
    );
    fs::set_permissions(elenchus.path("small"), fs::Permissions::from_mode(0o755))
        .expect("it is ours");
}

#[test]
fn a_target_that_never_gets_to_its_work_is_not_conforming() {
    const SESSION: &str = r#"result '{"sessionId":"s"}'"#;
    const ENDED: &str = r#"result '{"stopReason":"end_turn"}'"#;
    for (on_session, on_prompt, exit, texts) in [
        (SESSION, ENDED, 0, &["Conforming"][..]),
        (
            "echo 'panicked: oh no' >&2; exit 42",
            ENDED,
            3,
            &[
                "acp-v1: no session could be opened",
                "code 42",
                "panicked: oh no",
                "plain-turn, line ",
                "out/traces/acp-v1.acp.agent.init.plain-turn.",
            ],
        ),
        (
            "error -32000 'sign in'",
            ENDED,
            3,
            &[
                "no session could be opened",
                "sign in",
                "gated by authentication",
            ],
        ),
        (
            ":",
            ENDED,
            3,
            &["no session could be opened", "did not come"],
        ),
        (SESSION, "kill -9 $$", 3, &["no turn ended", "signal 9"]),
        (SESSION, ":", 3, &["no turn ended"]),
        (
            SESSION,
            "error -32603 'no model'",
            3,
            &["no turn ended", "no model"],
        ),
    ] {
        let elenchus = Elenchus::new();
        small_agent(&elenchus, on_session, on_prompt);
        let line = "--target ./small --only plain-turn --timeout 0.5 --out out";
        let assert = elenchus.run(line);
        let shown = stdout(&assert)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(assert.get_output().status.code(), Some(exit), "{shown}");
        for text in texts {
            assert!(shown.contains(text), "no `{text}` in {shown}");
        }
    }
}

#[test]
fn a_trigger_that_could_not_be_tried_says_why() {
    let elenchus = Elenchus::new();
    small_agent(&elenchus, "exit 42", ":");
    let report = report(
        &elenchus,
        "--target ./small --only plain-turn,ACP-ELICIT-CAP-004 --timeout 0.5",
        3,
    );
    let skipped = report["runs"][0]["skipped"].as_array().expect("scripts");
    assert!(!skipped.is_empty());
    for script in skipped {
        let reason = script["reason"].as_str().expect("a reason");
        assert!(
            reason.contains("could not be tried") && !reason.contains("teach"),
            "{reason}"
        );
    }
}

#[test]
fn the_traces_of_an_earlier_run_are_cleared_and_nothing_else() {
    let elenchus = Elenchus::new();
    fs::create_dir_all(elenchus.path("out/traces")).expect("a folder");
    for (name, content) in [
        ("out/traces/old.jsonl", r#"{"elenchus_trace":1,"x":2}"#),
        ("out/traces/cut.jsonl", ""),
        ("out/traces/mine.jsonl", "{\"mine\":1}\n"),
        ("out/traces/old.txt", r#"{"elenchus_trace":1}"#),
        ("out/old.jsonl", r#"{"elenchus_trace":1}"#),
    ] {
        elenchus.file(name, content);
    }
    report(&elenchus, "--target reference:agent --only plain-turn", 0);
    for (name, stays) in [
        ("out/traces/old.jsonl", false),
        ("out/traces/cut.jsonl", false),
        ("out/traces/mine.jsonl", true),
        ("out/traces/old.txt", true),
        ("out/old.jsonl", true),
        ("out/traces/control.jsonl", true),
    ] {
        assert_eq!(elenchus.path(name).exists(), stays, "{name}");
    }
}

#[test]
fn two_runs_at_once_do_not_share_a_folder() {
    let elenchus = Elenchus::new();
    let binary = assert_cmd::cargo::cargo_bin!("elenchus");
    // The first start runs the same thing again, while the outer run is there.
    agent(
        &elenchus,
        "agent",
        &format!(
            "[ $(wc -l <starts) -eq 1 ] && {{ '{}' --target reference:agent --out out >inner 2>&1 </dev/null; \
             echo $? >>inner; }}",
            binary.display()
        ),
    );
    // What a process leaves behind that is gone holds nobody up.
    fs::create_dir(elenchus.path("out")).expect("a folder");
    elenchus.file("out/.lock", "4000000");
    report(
        &elenchus,
        "--target ./agent --only plain-turn --timeout 60 --jobs 1",
        0,
    );
    let inner = fs::read_to_string(elenchus.path("inner")).expect("it ran");
    assert!(
        inner.contains("another run is writing to the output folder out (process ")
            && inner.ends_with("2\n"),
        "{inner}"
    );
}
