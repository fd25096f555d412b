//! Clients under test.

use serde_json::Value;

use crate::{Elenchus, stderr, stdout};

#[test]
fn the_reference_client_conforms_in_every_version() {
    let elenchus = Elenchus::new();
    let run = elenchus.run("--target reference:client --seed 1 --format json");
    let report: Value = serde_json::from_str(&stdout(&run.code(0))).expect("a report");
    assert_eq!(report["target"]["kind"], "client");
    let runs = report["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 2);
    for run in runs {
        let rows = run["requirements"].as_array().expect("rows");
        let failed: Vec<&Value> = rows
            .iter()
            .filter(|row| row["outcome"] == "fail" || row["outcome"] == "flaky")
            .collect();
        assert!(failed.is_empty(), "{failed:#?}");
        // Left out where nothing was skipped.
        assert_eq!(run["skipped"], Value::Null);
    }
}

#[test]
fn a_client_that_starts_no_agent_leaves_the_run_incomplete() {
    let elenchus = Elenchus::new();
    elenchus.program("client", "#!/bin/sh\necho where is my agent >&2\nexit 5\n");
    let run = elenchus
        .run("--target ./client --timeout 1 -- {agent}")
        .code(3);
    let told = stdout(&run);
    for part in [
        "exited with code 5 before it started its agent",
        "where is my agent",
        "{agent-path}",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_relay_without_a_run_says_so() {
    let elenchus = Elenchus::new();
    let run = elenchus.run("relay --to no-such-socket").code(2);
    assert!(stderr(&run).contains("no-such-socket"), "{}", stderr(&run));
}
