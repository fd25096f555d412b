//! `fuzz`: whole campaigns, short ones.

use std::{
    collections::BTreeSet,
    fs,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{Elenchus, stderr, stdout};

/// The reference agent with a fault, and the requirement that it breaks.
const FAULTY: &str = "--target reference:agent?fault=omits-jsonrpc --only ACP-JSONRPC-001";

fn report(elenchus: &Elenchus, line: &str, out: &str, exit: i32) -> Value {
    let assert = elenchus
        .run(&format!("fuzz {line} --format json --out {out}"))
        .code(exit);
    let printed = stdout(&assert);
    let written =
        fs::read_to_string(elenchus.path(out).join("fuzz.json")).expect("the report is there");
    assert_eq!(printed, written, "what is printed is what is written");
    serde_json::from_str(&printed).expect("a report")
}

fn scripts(elenchus: &Elenchus, folder: &str) -> BTreeSet<String> {
    let files = elenchus.files(folder).into_iter();
    let names = files.map(|file| file[folder.len() + 1..].to_owned());
    names.filter(|name| name.ends_with(".script")).collect()
}

/// The finding that the fault leads to.
fn finding(report: &Value) -> &Value {
    let mut findings = report["findings"].as_array().expect("findings").iter();
    findings
        .find(|finding| finding["cause"] == "ACP-JSONRPC-001")
        .unwrap_or_else(|| panic!("it was found: {report}"))
}

#[test]
fn nothing_is_found_in_the_reference_agent() {
    let elenchus = Elenchus::new();
    let report = report(
        &elenchus,
        "--target reference:agent --runs 50 --seed 1 --jobs 2",
        "out",
        0,
    );
    assert_eq!(report["verdict"]["status"], "nothing-found");
    assert_eq!(report["parts"][0]["seed"], 1);
    assert!(report["totals"]["runs"].as_u64() >= Some(50), "{report}");
    assert_eq!(report["ours"], Value::Array(Vec::new()));
    assert!(!scripts(&elenchus, "out/corpus").is_empty());
}

#[test]
fn what_is_found_is_saved_as_a_script_that_shows_it_again() {
    let elenchus = Elenchus::new();
    let report = report(
        &elenchus,
        &format!("{FAULTY} --runs 60 --seed 1 --jobs 2"),
        "out",
        1,
    );
    let finding = finding(&report);
    assert_eq!(
        (&finding["level"], &finding["derived"]),
        (&"schema".into(), &false.into())
    );
    let file = finding["file"].as_str().expect("a file");
    let saved = fs::read_to_string(elenchus.path("out").join(file)).expect("the script");
    assert_eq!(finding["script"], *saved);
    let trace = finding["trace"].as_str().expect("a trace");
    elenchus.run(&format!("check out/{trace}")).code(1);

    let words = finding["replay"].as_array().expect("words").iter();
    let words: Vec<&str> = words.filter_map(Value::as_str).collect();
    let again = words[1..].join(" ").replace(file, &format!("out/{file}"));
    let shown = stdout(&elenchus.run(&again).code(1));
    assert!(shown.contains("FAIL ACP-JSONRPC-001"), "{shown}");
    elenchus
        .run(&format!(
            "replay --target reference:agent out/{file} --out clean"
        ))
        .code(0);

    let assert = elenchus.run(&format!("fuzz {FAULTY} --runs 20 --seed 1 --out out"));
    let shown = stdout(&assert.code(1));
    for text in [
        "\nFOUND\n",
        "FAIL ACP-JSONRPC-001 (schema) in acp-v",
        &format!("script    out/{file}\n"),
        "again     ",
        "Found: ",
    ] {
        assert!(shown.contains(text), "no `{text}` in {shown}");
    }
}

#[test]
fn partitions_are_merged_into_a_whole() {
    let elenchus = Elenchus::new();
    for part in [0, 1] {
        let line = format!("{FAULTY} --runs 30 --seed 5 --jobs 2 --partition {part}/2 --no-seeds");
        elenchus.run(&format!("fuzz {line} --format json --out part-{part}"));
    }
    let merge = |line: &str, exit: i32| {
        let assert = elenchus
            .run(&format!("fuzz merge --format json {line}"))
            .code(exit);
        serde_json::from_str::<Value>(&stdout(&assert)).expect("a report")
    };
    let read = |folder: &str| -> Value {
        let text = fs::read_to_string(elenchus.path(folder).join("fuzz.json")).expect("a report");
        serde_json::from_str(&text).expect("JSON")
    };
    let parts = [read("part-0"), read("part-1")];
    let found = parts.iter().any(|part| part["verdict"]["exit"] == 1);
    let whole = merge("--out whole part-0 part-1", i32::from(found));
    assert_eq!(whole["parts"].as_array().map(Vec::len), Some(2));
    let runs = |report: &Value| report["totals"]["runs"].as_u64().expect("a number");
    assert_eq!(runs(&whole), runs(&parts[0]) + runs(&parts[1]));
    let corpus = |folder: &str| scripts(&elenchus, &format!("{folder}/corpus"));
    let both = &corpus("part-0") | &corpus("part-1");
    assert_eq!(corpus("whole"), both);
    for finding in whole["findings"].as_array().expect("findings") {
        let file = finding["file"].as_str().expect("a file");
        let saved = fs::read_to_string(elenchus.path("whole").join(file)).expect("it was copied");
        assert_eq!(finding["script"], *saved);
    }
    // The order does not matter, nor does it that a part is named twice.
    assert_eq!(
        merge("--out other part-1 part-0 part-1", i32::from(found)),
        whole
    );

    // What is there already would be taken for a part of the result; it is left as it is.
    let before = read("whole");
    let again = elenchus.run("fuzz merge --out whole part-0").code(2);
    assert!(
        stderr(&again).contains("whole holds a campaign"),
        "{}",
        stderr(&again)
    );
    assert_eq!(read("whole"), before);
    fs::remove_file(elenchus.path("whole/fuzz.json")).expect("the report was there");
    elenchus.run("fuzz merge --out whole part-0").code(2);

    let half = merge(
        "--out half part-1",
        if parts[1]["verdict"]["exit"] == 1 {
            1
        } else {
            3
        },
    );
    let reasons = half["verdict"]["reasons"].to_string();
    assert!(
        reasons.contains("Of 2 partitions, 0 is missing."),
        "{reasons}"
    );
}

#[test]
fn what_cannot_be_merged_is_told() {
    let elenchus = Elenchus::new();
    for (folder, target) in [
        ("one", "reference:agent"),
        ("two", "reference:agent?fault=omits-jsonrpc"),
    ] {
        let line = format!("fuzz --target {target} --runs 1 --only ACP-JSONRPC-001 --out {folder}");
        elenchus.run(&line);
    }
    fs::create_dir_all(elenchus.path("odd")).expect("a folder");
    elenchus.file("odd/fuzz.json", "{\"format\":9}");
    fs::create_dir_all(elenchus.path("hostile")).expect("a folder");
    let report = fs::read_to_string(elenchus.path("one/fuzz.json")).expect("a report");
    elenchus.file(
        "hostile/fuzz.json",
        report.replace("\"totals\"", "\"sums\""),
    );
    for (line, text) in [
        ("--out out", "<DIR>"),
        ("one", "--out"),
        ("--out out none", "there is no none/fuzz.json"),
        ("--out out one two", "two is about another target"),
        ("--out out odd", "its format is 9"),
        ("--out out hostile", "totals"),
        ("--out one one two", "cannot be where the result goes"),
    ] {
        let assert = elenchus.run(&format!("fuzz merge {line}")).code(2);
        assert!(
            stderr(&assert).contains(text),
            "{line}: {}",
            stderr(&assert)
        );
        assert!(
            !elenchus.path("out").exists(),
            "{line}: nothing was created"
        );
    }
}

#[test]
fn wrong_usage_is_told_before_anything_runs() {
    let elenchus = Elenchus::new();
    for (line, texts) in [
        ("", &["--target"][..]),
        (
            "--target reference:agent --time soon",
            &["a time has a unit: 90s"],
        ),
        (
            "--target reference:agent --time 10",
            &["a time has a unit: 90s"],
        ),
        ("--target reference:agent --time 0s", &["from 1s to 31d"]),
        ("--target reference:agent --runs 0", &["from 1 on"]),
        ("--target reference:agent --time 0m --runs 0", &["from 1"]),
        (
            "--target reference:agent --partition 4/4",
            &["counted from 0", "3/4"],
        ),
        (
            "--target reference:agent --partition four",
            &["0/4 to 3/4", "auto/4"],
        ),
        (
            "--target reference:agent --partition auto/4",
            &[
                "JOB_COMPLETION_INDEX is not set",
                "Indexed",
                "--partition K/N",
            ],
        ),
        (
            "--target reference:agent --only zebra",
            &["nothing matches"],
        ),
        ("--target reference:toaster", &["reference:agent"]),
    ] {
        let assert = elenchus.run(&format!("fuzz {line}")).code(2);
        for text in texts {
            assert!(
                stderr(&assert).contains(text),
                "{line}: no `{text}` in {}",
                stderr(&assert)
            );
        }
        assert_eq!(stdout(&assert), "", "{line}");
    }
    assert!(
        !elenchus.path("elenchus-fuzz").exists(),
        "nothing was created"
    );
}

#[test]
fn a_target_that_cannot_be_run_is_a_report_too() {
    let elenchus = Elenchus::new();
    let assert = elenchus
        .run("fuzz --target ./none --format json --seed 3")
        .code(3);
    let printed: Value = serde_json::from_str(&stdout(&assert)).expect("a report and nothing else");
    assert_eq!(printed["verdict"]["status"], "incomplete");
    elenchus.program("dead", "#!/bin/sh\necho 'no licence' >&2\nexit 7\n");
    let dead = report(&elenchus, "--target ./dead --runs 10 --jobs 1", "out", 3);
    let told = dead.to_string();
    assert!(
        told.contains("code 7") && told.contains("no licence"),
        "{told}"
    );
}

/// A campaign that goes on until it is ended.
fn endless(elenchus: &Elenchus, target: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("elenchus"))
        .current_dir(elenchus.path("."))
        .args("fuzz --jobs 2 --seed 1 --time 10m --out out --format json".split(' '))
        .args(target.split(' '))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

/// Something was saved in a folder.
fn saved(elenchus: &Elenchus, folder: &str) -> bool {
    elenchus.path(folder).exists() && !scripts(elenchus, folder).is_empty()
}

#[test]
fn a_signal_ends_a_campaign_with_all_saved() {
    let elenchus = Elenchus::new();
    let running = endless(&elenchus, "--target reference:agent");
    let begun = Instant::now();
    while !saved(&elenchus, "out/corpus") {
        assert!(
            begun.elapsed() < Duration::from_secs(300),
            "it gets to its work"
        );
        thread::sleep(Duration::from_millis(50));
    }
    let killed = Command::new("kill")
        .args(["-INT", &running.id().to_string()])
        .status()
        .expect("there is a program for it");
    assert!(killed.success());
    let ended = running.wait_with_output().expect("it was ours");
    assert_eq!(ended.status.code(), Some(3));
    let written = fs::read(elenchus.path("out/fuzz.json")).expect("a report");
    assert!(
        ended.stdout == written,
        "what is printed is what is written"
    );
    let report: Value = serde_json::from_slice(&written).expect("JSON");
    let reasons = report["verdict"]["reasons"].to_string();
    assert!(reasons.contains("stopped by a signal after"), "{reasons}");
}

#[test]
fn a_campaign_that_was_killed_goes_on_where_it_was() {
    let elenchus = Elenchus::new();
    let mut first = endless(&elenchus, FAULTY);
    let begun = Instant::now();
    while !(saved(&elenchus, "out/findings") && saved(&elenchus, "out/corpus")) {
        assert!(
            begun.elapsed() < Duration::from_secs(300),
            "something is found"
        );
        thread::sleep(Duration::from_millis(50));
    }
    // SIGKILL: nothing can be cleaned up.
    first.kill().expect("it is there");
    first.wait().expect("it was ours");
    assert!(
        !elenchus.path("out/fuzz.json").exists(),
        "it came to no report"
    );
    let before = scripts(&elenchus, "out/corpus");
    let known = scripts(&elenchus, "out/findings");

    // Without the suite: what is found again is found by what was saved.
    let runs = 2 * (before.len() + known.len());
    let line = format!("{FAULTY} --jobs 2 --seed 2 --no-seeds --runs {runs}");
    let report = report(&elenchus, &line, "out", 1);
    finding(&report);
    assert!(scripts(&elenchus, "out/corpus").is_superset(&before));
    assert!(scripts(&elenchus, "out/findings").is_superset(&known));
}

#[test]
fn the_manifest_for_kubernetes_is_one_that_the_program_understands() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fuzz/kubernetes/job.yaml"
    );
    let manifest = fs::read_to_string(path).expect("the manifest");
    let completions = manifest
        .lines()
        .find_map(|line| line.trim().strip_prefix("completions: "))
        .expect("a number of pods");
    assert!(
        manifest.contains(&format!("- auto/{completions}\n")),
        "as many parts as pods"
    );
    let args = manifest
        .lines()
        .skip_while(|line| line.trim() != "args:")
        .skip(1)
        .map_while(|line| line.trim().strip_prefix("- "));
    let elenchus = Elenchus::new();
    let out = elenchus.path("part");
    let args: Vec<&str> = args
        .map(|arg| match arg {
            "my-agent --acp" => "reference:agent",
            "2h" => "2s",
            arg if arg.ends_with("$(JOB_COMPLETION_INDEX)") => out.to_str().expect("UTF-8"),
            arg => arg,
        })
        .collect();
    let assert = assert_cmd::cargo::cargo_bin_cmd!("elenchus")
        .current_dir(elenchus.path("."))
        .env("JOB_COMPLETION_INDEX", "3")
        .args(&args)
        .args(["--format", "json"])
        .assert()
        .code(0);
    let report: Value = serde_json::from_str(&stdout(&assert)).expect("a report");
    let part = &report["parts"][0];
    assert_eq!(
        (&part["partition"], &part["partitions"]),
        (&3.into(), &4.into())
    );
}
