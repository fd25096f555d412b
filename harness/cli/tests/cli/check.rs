//! `check`: recordings, good and bad.

use serde_json::Value;

use crate::{Elenchus, stderr, stdout};

const HEADER: &str = r#"{"elenchus_trace":1,"elenchus":"0.1.0","protocol":"acp-v1","judged":"server","script":"recorded","seed":7}"#;

#[test]
fn what_is_no_trace_is_told_by_name() {
    let elenchus = Elenchus::new();
    elenchus.file("empty.jsonl", "");
    elenchus.file("prose.jsonl", "It was a dark and stormy night.\n");
    elenchus.file("binary.jsonl", b"\xff\xfe\x00\x01");
    elenchus.file(
        "newer.jsonl",
        HEADER.replace("\"elenchus_trace\":1", "\"elenchus_trace\":99"),
    );
    elenchus.file("other.jsonl", HEADER.replace("acp-v1", "gopher") + "\n");
    for (trace, text) in [
        ("missing.jsonl", "cannot read the trace missing.jsonl"),
        (
            "empty.jsonl",
            "empty.jsonl: the trace is cut before its header",
        ),
        ("prose.jsonl", "prose.jsonl: line 1"),
        ("binary.jsonl", "binary.jsonl: not a trace"),
        ("newer.jsonl", "format 99"),
        ("other.jsonl", "unknown protocol `gopher`"),
        (".", "cannot read the trace"),
    ] {
        let assert = elenchus.run(&format!("check {trace}")).code(2);
        assert!(
            stderr(&assert).contains(text),
            "{trace}: {}",
            stderr(&assert)
        );
        assert_eq!(stdout(&assert), "", "{trace}");
    }
}

#[test]
fn the_trace_that_the_documentation_shows_is_judged_as_it_says() {
    let readme = include_str!("../../../README.md");
    let block = readme.split("```trace\n").nth(1);
    let trace = block.and_then(|block| block.split("```").next());
    let elenchus = Elenchus::new();
    elenchus.file("mine.jsonl", trace.expect("there is a sample"));
    let assert = elenchus.run("check mine.jsonl --format json").code(1);
    let report: Value = serde_json::from_str(&stdout(&assert)).expect("a report");
    let rows = report["runs"][0]["requirements"].as_array().expect("rows");
    let failed = rows.iter().filter(|row| row["outcome"] == "fail");
    let failed: Vec<_> = failed.filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(failed, ["ACP-JSONRPC-006"]);
}

#[test]
fn traces_of_two_kinds_of_target_are_not_one_report() {
    let elenchus = Elenchus::new();
    elenchus.file("agent.jsonl", format!("{HEADER}\n"));
    elenchus.file(
        "client.jsonl",
        HEADER.replace("\"server\"", "\"client\"") + "\n",
    );
    let assert = elenchus.run("check agent.jsonl client.jsonl").code(2);
    assert!(stderr(&assert).contains("apart"), "{}", stderr(&assert));
}

#[test]
fn a_trace_that_shows_nothing_is_incomplete() {
    let elenchus = Elenchus::new();
    elenchus.file("nothing.jsonl", format!("{HEADER}\n"));
    let shown = stdout(&elenchus.run("check nothing.jsonl").code(3));
    assert!(
        shown.contains("Incomplete") && shown.contains("acp-v1: 0 passed"),
        "{shown}"
    );
}

#[test]
fn traces_of_an_agent_that_never_got_to_its_work_are_incomplete() {
    let elenchus = Elenchus::new();
    let agent = r#"#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
  [ -n "$id" ] || continue
  case $line in
  *'"initialize"'*) answer='"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}' ;;
  *) answer='"error":{"code":-32000,"message":"sign in"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$answer"
done
"#;
    elenchus.program("agent", agent);
    elenchus
        .run("--target ./agent --protocol acp-v1 --only ELICIT-SCOPE --out out --repeats 0")
        .code(3);
    let traces = elenchus.files("out/traces");
    let assert = elenchus.run(&format!("check {}", traces.join(" "))).code(3);
    let shown = stdout(&assert);
    assert!(
        shown.contains("acp-v1: no session could be opened") && shown.contains("-32000"),
        "{shown}"
    );
}

#[test]
fn a_cut_trace_is_judged_up_to_the_cut_and_says_so() {
    let elenchus = Elenchus::new();
    // The cut goes through a character of two bytes.
    let mut bytes = format!("{HEADER}\n{{\"seq\":0,\"text\":\"é").into_bytes();
    bytes.pop();
    elenchus.file("cut.jsonl", bytes);
    let text = stdout(&elenchus.run("check cut.jsonl --format json").code(3));
    let report: Value = serde_json::from_str(&text).expect("a report");
    assert_eq!(
        report["target"]["notes"][0],
        "cut.jsonl is cut off: it was judged up to the cut"
    );
    assert_eq!(report["seed"], 7);
}

#[test]
fn the_traces_of_a_run_give_the_findings_of_the_run() {
    let elenchus = Elenchus::new();
    let fault = "form-despite-url-only";
    elenchus
        .run(&format!(
            "--target reference:agent?fault={fault} --repeats 0 --out out --format json"
        ))
        .code(1);
    let traces = elenchus.files("out/traces");
    let failed = |report: &Value| {
        let mut failed = Vec::new();
        for run in report["runs"].as_array().expect("runs") {
            for row in run["requirements"].as_array().expect("rows") {
                if row["outcome"] == "fail" {
                    failed.push((run["protocol"].to_string(), row["id"].to_string()));
                }
            }
        }
        failed
    };
    let run =
        std::fs::read_to_string(elenchus.path("out/report.json")).expect("the report is there");
    let checked = stdout(
        &elenchus
            .run(&format!("check --format json {}", traces.join(" ")))
            .code(1),
    );
    let [run, checked] =
        [run, checked].map(|text| serde_json::from_str::<Value>(&text).expect("a report"));
    assert!(!failed(&run).is_empty());
    assert_eq!(failed(&run), failed(&checked));
}

#[test]
fn what_cannot_be_read_does_not_keep_the_others_from_being_judged() {
    let elenchus = Elenchus::new();
    elenchus.file("good.jsonl", format!("{HEADER}\n"));
    elenchus.file("empty.jsonl", "");
    let assert = elenchus
        .run("check missing.jsonl good.jsonl empty.jsonl --format json")
        .code(2);
    let report: Value = serde_json::from_str(&stdout(&assert)).expect("a report");
    assert_eq!(report["runs"][0]["protocol"], "acp-v1");
    assert_eq!(
        report["target"]["command"].as_array().map(Vec::len),
        Some(1)
    );
    for name in ["missing.jsonl", "empty.jsonl"] {
        assert!(stderr(&assert).contains(name), "{}", stderr(&assert));
        let reasons = report["verdict"]["reasons"].to_string();
        assert!(reasons.contains(name), "{reasons}");
    }
}

#[test]
fn a_program_that_repeats_what_it_is_told_is_no_agent() {
    let elenchus = Elenchus::new();
    let assert = elenchus.run("--target cat").code(3);
    assert!(
        stdout(&assert).contains("repeats our own lines"),
        "{}",
        stdout(&assert)
    );
    let traces = elenchus.files("elenchus-out/traces").join(" ");
    let assert = elenchus.run(&format!("check {traces}")).code(3);
    let shown = stdout(&assert);
    assert!(shown.contains("repeated what was sent to it"), "{shown}");
    assert!(!shown.contains("FAIL"), "{shown}");
    assert!(shown.contains(" 0 passed, 0 failed"), "{shown}");
}

#[test]
fn an_error_that_repeats_what_is_given_in_confidence_is_seen_in_the_recording_too() {
    let elenchus = Elenchus::new();
    let row = |report: &Value| {
        let rows = report["runs"][0]["requirements"]
            .as_array()
            .expect("rows")
            .clone();
        let row = rows.into_iter().find(|row| row["id"] == "ACP-ERROR-015");
        row.expect("the row")["outcome"].clone()
    };
    for (fault, outcome) in [("?fault=repeats-the-request", "fail"), ("", "pass")] {
        let line = format!(
            "--target reference:agent{fault} --protocol acp-v1 --only acp/agent/error/secret --format json"
        );
        let live: Value = serde_json::from_str(&stdout(&elenchus.run(&line))).expect("a report");
        let traces = elenchus.files("elenchus-out/traces");
        let trace = traces
            .iter()
            .find(|file| file.contains("secret"))
            .expect("its trace");
        let again = elenchus.run(&format!("check {trace} --format json"));
        let again: Value = serde_json::from_str(&stdout(&again)).expect("a report");
        assert_eq!(
            (row(&live), row(&again)),
            (outcome.into(), outcome.into()),
            "{fault}"
        );
    }
}
