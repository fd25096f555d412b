//! `replay`: scripts of the operator's own.

use std::fs;

use serde_json::Value;

use crate::{Elenchus, stderr, stdout};

/// Breaks ACP-ELICIT-RESP-016 where the agent has the fault `crashes-on-error`, and nothing in one that has none.
const ERROR: &str = "\
# The question is answered with an error.
target agent
versions 1 2

open
prompt /elicit form
expect elicitation/create as question
refuse question {\"code\":-32603,\"message\":\"no\"}
turn ends
";

fn report(elenchus: &Elenchus, line: &str, exit: i32) -> Value {
    let assert = elenchus
        .run(&format!("replay {line} --format json --seed 1"))
        .code(exit);
    serde_json::from_str(&stdout(&assert)).expect("a report")
}

/// What failed, with the scripts that show it.
fn failed(report: &Value) -> Vec<(&str, &str)> {
    let mut failed = Vec::new();
    for run in report["runs"].as_array().expect("runs") {
        for row in run["requirements"].as_array().expect("rows") {
            for finding in row["findings"].as_array().expect("findings") {
                let script = finding["script"].as_str().expect("a script");
                failed.push((row["id"].as_str().expect("an id"), script));
            }
        }
    }
    failed
}

#[test]
fn that_a_trigger_works_is_learned_though_no_script_says_that_it_needs_it() {
    let elenchus = Elenchus::new();
    let found = "target agent\nversions 1 2\n\nopen {\"form\":\"yes\"}\nprompt /elicit form\n";
    elenchus.file("found.script", found);
    // Derived, so that it does not decide.
    let line = "--target reference:agent?fault=malformed-capability-is-support found.script";
    let shown = report(&elenchus, line, 0);
    let shown = failed(&shown);
    assert!(
        shown.contains(&("ACP-ELICIT-CAP-017", "found.script")),
        "{shown:?}"
    );
}

#[test]
fn scripts_of_a_folder_are_judged_and_named_by_their_files() {
    let elenchus = Elenchus::new();
    // Where it lies says nothing: the suite has scripts in folders of this name.
    fs::create_dir_all(elenchus.path("acp/agent/.hidden")).expect("a folder");
    elenchus.file("acp/agent/error.script", ERROR);
    elenchus.file("acp/agent/notes.txt", "no script");
    elenchus.file("acp/agent/.hidden/broken.script", "no script either");
    let faulty = "--target reference:agent?fault=crashes-on-error";
    let bad = report(&elenchus, &format!("{faulty} acp"), 1);
    let failed = failed(&bad);
    assert!(
        failed.contains(&("ACP-ELICIT-RESP-016", "acp/agent/error.script")),
        "{failed:?}"
    );
    assert!(elenchus.path("elenchus-replay/report.json").exists());
    // No rule has to be about it: what is replayed is to be survived.
    let reasons = bad["verdict"]["reasons"].to_string();
    assert!(
        reasons
            .contains("acp/agent/error.script in acp-v1: crash: its process exited with code 101"),
        "{reasons}"
    );

    let found = bad.to_string();
    let (_, again) = found
        .split_once("elenchus replay --target")
        .expect("a command");
    let (again, _) = again.split_once('"').expect("the end of a text");
    let again = format!("replay --target{}", again.replace('\'', ""));
    assert!(again.ends_with(" acp/agent/error.script"), "{again}");
    let shown = stdout(&elenchus.run(&again).code(1));
    assert!(shown.contains("ACP-ELICIT-RESP-016"), "{shown}");
    assert!(elenchus.path("elenchus-again/report.json").exists());

    // A file that is named twice is performed once.
    let good = report(
        &elenchus,
        "--target reference:agent acp acp/agent/error.script ./acp",
        0,
    );
    assert_eq!(good["verdict"]["status"], "conforming");
    let traces = elenchus.files("elenchus-replay/traces");
    let own = traces.iter().filter(|name| name.contains("error"));
    assert_eq!(own.count(), 2, "one a version: {traces:?}");
}

/// Ends turns, and gives no answer to what it does not know. The prompt `/deaf` makes it answer nothing any more.
const QUIET: &str = r#"#!/bin/sh
result() { echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while read -r line; do
    id=${line#*\"id\":}
    id=${id%%,*}
    case "$line" in
    *'"initialize"'*) result '{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"session/new"'*) result '{"sessionId":"s"}' ;;
    *'"session/prompt"'*) result '{"stopReason":"end_turn"}' ;;
    esac
done
"#;

#[test]
fn who_ignores_what_it_does_not_know_does_not_hang() {
    let elenchus = Elenchus::new();
    elenchus.program("quiet", QUIET);
    elenchus.program(
        "polite",
        &QUIET.replace("esac", r#"*'"_elenchus/fence"'*) result '{}' ;; esac"#),
    );
    let lost = r#"*deaf*) while read -r line; do :; done ;; *'"session/prompt"'*)"#;
    elenchus.program(
        "lost",
        &QUIET
            .replace(r#"*'"session/prompt"'*)"#, lost)
            .replace("esac", r#"*'"_elenchus/fence"'*) result '{}' ;; esac"#),
    );
    elenchus.file(
        "turn.script",
        "# A turn.\ntarget agent\nversions 1\n\nopen\nprompt hello\nturn ends\n",
    );
    elenchus.file(
        "deaf.script",
        "# The end of all answers.\ntarget agent\nversions 1\n\nopen\nprompt deaf\n",
    );
    for (agent, script, exit) in [
        ("quiet", "turn", 0),
        ("polite", "turn", 0),
        ("lost", "turn", 0),
        ("lost", "deaf", 1),
    ] {
        let line = format!("--target ./{agent} {script}.script --timeout 0.5");
        let report = report(&elenchus, &line, exit);
        let hang = report["verdict"]["reasons"].to_string().contains("hang");
        assert_eq!(hang, exit == 1, "{agent} {script}: {report}");
    }
}

#[test]
fn what_is_no_matter_of_the_script_is_counted() {
    let elenchus = Elenchus::new();
    elenchus.file("error.script", ERROR);
    let assert = elenchus
        .run("replay --target reference:agent error.script")
        .code(0);
    let shown = stdout(&assert);
    assert!(
        shown.contains("its situation did not arise in what was performed: ")
            && !shown.contains("no script that covers it was run"),
        "{shown}"
    );
}

#[test]
fn what_was_not_performed_is_no_pass() {
    let elenchus = Elenchus::new();
    elenchus.file("error.script", ERROR);
    let newer = ERROR.replace("versions 1 2", "versions 2");
    elenchus.file("newer.script", &newer);
    elenchus.file(
        "needs.script",
        ERROR.replace("versions 1 2", "versions 1\nneeds no/such/method"),
    );
    for (files, exit, reason) in [
        ("error.script", 0, ""),
        (
            "error.script newer.script",
            3,
            "newer.script was not performed: it is for no version that was run.",
        ),
        (
            "error.script needs.script",
            3,
            "needs.script was not performed: the target does not announce no/such/method.",
        ),
    ] {
        let line = format!("--target reference:agent --protocol acp-v1 {files}");
        let report = report(&elenchus, &line, exit);
        let reasons = report["verdict"]["reasons"].to_string();
        assert!(reasons.contains(reason), "{files}: {reasons}");
    }
}

#[test]
fn scripts_for_another_kind_of_target_are_left_out_and_told_of() {
    let elenchus = Elenchus::new();
    elenchus.file("agent.script", ERROR);
    elenchus.file(
        "client.script",
        "# A turn.\ntarget client\nversions 1 2\n\nserve\nend turn\n",
    );
    let assert = elenchus
        .run("replay --target reference:agent . --protocol acp-v1")
        .code(0);
    assert!(
        stderr(&assert).contains("./client.script") && !stderr(&assert).contains("./agent.script"),
        "{}",
        stderr(&assert)
    );
    elenchus
        .run("replay --target reference:client client.script")
        .code(0);
}

#[test]
fn what_cannot_be_replayed_is_told_before_anything_runs() {
    let elenchus = Elenchus::new();
    elenchus.file("good.script", ERROR);
    elenchus.file("bad.script", ERROR.replace("expect", "exepct"));
    elenchus.file("worse.script", "target agent\nversions one\n");
    elenchus.file("latin.script", b"# \xe9\n");
    elenchus.file("trace.jsonl", "{}\n");
    fs::create_dir(elenchus.path("empty")).expect("a folder");
    for (files, texts) in [
        ("", &["<FILE>"][..]),
        (
            "good.script bad.script worse.script",
            &[
                "bad.script:7:1: ",
                "did you mean `expect`",
                "7 | exepct elicitation/create as question\n",
                "| ^\n",
                "worse.script:2:",
            ],
        ),
        ("missing.script", &["there is no missing.script"]),
        ("empty", &["no script in the folder empty", ".script"]),
        ("trace.jsonl", &["elenchus check trace.jsonl"]),
        ("latin.script", &["latin.script is not UTF-8"]),
        (
            "good.script --kind client --direct",
            &["reference:agent is no client"],
        ),
    ] {
        let assert = elenchus
            .run(&format!("replay --target reference:agent {files}"))
            .code(2);
        for text in texts {
            let errors = stderr(&assert);
            assert!(errors.contains(text), "{files}: no `{text}` in {errors}");
        }
        assert_eq!(stdout(&assert), "", "{files}");
    }
    let assert = elenchus
        .run("replay --target reference:client good.script")
        .code(2);
    assert!(
        stderr(&assert).contains("good.script: the script is for a target of kind agent"),
        "{}",
        stderr(&assert)
    );
    assert!(
        !elenchus.path("elenchus-replay").exists(),
        "nothing was created"
    );
}
