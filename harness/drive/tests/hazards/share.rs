//! One process that serves several scripts.

use std::{collections::BTreeMap, fs, path::Path};

use elenchus_drive::{Campaign, Launch, Outcome, campaign::Findings};
use elenchus_protocol::Version;
use elenchus_suites::{Script, script::parse};

use crate::{
    Nobody,
    support::{lives, notebook, settings, shell_with, written_down},
};

/// An agent that writes down each start, answers what it does not know with an error, and gives its `spoilt`th session
/// an id that is no string.
fn agent(pids: &Path, spoilt: u32) -> Launch {
    let commands = format!(
        r#"echo $$ >>"$PIDS"
        sessions=0
        while read line; do
            id=$(echo "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
            session='"s"'
            case "$line" in
                *'"initialize"'*) answer='"result":{{"protocolVersion":1,"agentInfo":{{"name":"a","version":"1"}}}}' ;;
                *session/new*)
                    sessions=$((sessions + 1))
                    [ $sessions = {spoilt} ] && session=5
                    answer="\"result\":{{\"sessionId\":$session}}"
                    ;;
                *) answer='"error":{{"code":-32601,"message":"There is no such method."}}' ;;
            esac
            echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,$answer}}"
        done"#
    );
    shell_with(&commands, &[("PIDS", pids)])
}

fn scripts(number: usize) -> Vec<Script> {
    let script = |name: usize| {
        let text = "# A test.\ntarget agent\nversions 1\n\nopen\nsettle\n";
        parse(&format!("test/{name}"), text).unwrap_or_else(|error| panic!("{error}"))
    };
    (0..number).map(script).collect()
}

/// Runs the scripts; with them comes how often each trace says that the process had served others.
fn run(launch: Launch, scripts: &[Script], fresh: bool) -> (Findings, BTreeMap<String, bool>) {
    let traces = tempfile::tempdir().expect("a folder for traces");
    let campaign = Campaign {
        launch,
        scripts: scripts.iter().collect(),
        versions: vec![Version::AcpV1],
        declared: true,
        settings: settings(),
        jobs: 1,
        seed: 0,
        thorough: false,
        fresh,
        repeats: 1,
        traces: Some(traces.path().to_owned()),
        memo: None,
    };
    let findings = campaign.run(&Nobody);
    let shared = |outcome: &Outcome| {
        let trace = outcome.trace.as_ref().expect("traces are kept");
        let text = fs::read_to_string(traces.path().join(trace)).expect("a trace");
        text.contains(r#""mark":"shared""#)
    };
    let performed = findings.outcomes.iter();
    let performed = performed.filter(|outcome| outcome.script.starts_with("test/"));
    let marks = performed
        .map(|outcome| (outcome.script.clone(), shared(outcome)))
        .collect();
    (findings, marks)
}

fn broken(findings: &Findings) -> Vec<(&str, &'static str)> {
    let outcomes = findings.outcomes.iter();
    outcomes
        .flat_map(|outcome| {
            let tallies = outcome.judgement.tallies.iter();
            let broken = tallies.filter(|(_, tally)| !tally.breaches.is_empty());
            broken.map(|(id, _)| (outcome.script.as_str(), *id))
        })
        .collect()
}

fn starts(pids: &Path) -> usize {
    let pids = written_down(pids);
    let number = pids.len();
    assert!(!pids.into_iter().any(lives));
    number
}

#[test]
fn a_process_serves_several_scripts_and_their_traces_say_so() {
    let scripts = scripts(3);
    let mut began = Vec::new();
    for fresh in [true, false] {
        let (_folder, pids) = notebook();
        let (findings, shared) = run(agent(&pids, 0), &scripts, fresh);
        assert_eq!(broken(&findings), []);
        let shared: Vec<bool> = shared.into_values().collect();
        assert_eq!(shared, [false, !fresh, !fresh]);
        began.push(starts(&pids));
    }
    assert_eq!(began[0], began[1] + 2);
}

#[test]
fn what_only_a_process_that_served_others_does_accuses_nobody() {
    let (_folder, pids) = notebook();
    let (findings, shared) = run(agent(&pids, 2), &scripts(2), false);
    assert_eq!(broken(&findings), []);
    let disturbed: Vec<_> = findings
        .outcomes
        .iter()
        .flat_map(|outcome| &outcome.disturbed)
        .collect();
    assert_eq!(disturbed, [&"ACP-SESSION-001"]);
    // The second was performed again, on a process of its own.
    let shared: Vec<bool> = shared.into_values().collect();
    assert_eq!(shared, [false, false]);
}

#[test]
fn what_breaks_on_every_process_is_found_on_each() {
    let (_folder, pids) = notebook();
    let scripts = scripts(2);
    let (findings, _) = run(agent(&pids, 1), &scripts, false);
    let found = broken(&findings);
    for script in ["test/0", "test/1"] {
        assert!(found.contains(&(script, "ACP-SESSION-001")), "{found:?}");
    }
}
