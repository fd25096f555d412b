//! What cannot be done ends with status 2, says why and what to type, and leaves nothing behind.

use std::{fs, os::unix::fs::PermissionsExt as _};

use crate::{Elenchus, stderr, stdout};

fn fails(elenchus: &Elenchus, line: &str, texts: &[&str]) {
    fails_with(elenchus, line, 2, texts);
}

fn fails_with(elenchus: &Elenchus, line: &str, status: i32, texts: &[&str]) {
    let assert = elenchus.run(line).code(status);
    let errors = stderr(&assert);
    assert_eq!(stdout(&assert), "", "{line}");
    for text in texts {
        assert!(errors.contains(text), "{line}: no `{text}` in {errors}");
    }
}

#[test]
fn wrong_usage_is_told_with_what_to_type() {
    let elenchus = Elenchus::new();
    for (line, texts) in [
        ("--target x --nonsense", &["--nonsense"][..]),
        ("--targett x", &["--target"]),
        ("frobnicate", &["frobnicate"]),
        ("run", &["--target"]),
        ("--target sh --protocol acp-v9", &["acp-v9", "acp-v1"]),
        (
            "--target sh --kind server",
            &["agents and clients only", "later"],
        ),
        (
            "--target sh --kind client",
            &["told its agent", "{agent}", "{agent-path}", "--direct"],
        ),
        ("--target sh --kind agent --direct", &["concerns clients"]),
        ("--target sh --kind toaster", &["unknown kind"]),
        ("--target sh --timeout soon", &["seconds"]),
        ("list nothing", &["requirements", "scripts", "faults"]),
        (
            "explain ACP-ELICIT-CAP-04",
            &[
                "did you mean ACP-ELICIT-CAP-004",
                "elenchus list requirements",
            ],
        ),
        ("explain zebra", &["nothing is called `zebra`"]),
        (
            "reference agent --fault zebra",
            &["no fault `zebra`", "elenchus list faults"],
        ),
    ] {
        fails(&elenchus, line, texts);
    }
}

#[test]
fn patterns_that_match_nothing_are_told_with_near_ones() {
    let elenchus = Elenchus::new();
    fails(
        &elenchus,
        "--target sh --only ACP-ELICIT-CAP-04",
        &["nothing matches", "ACP-ELICIT-CAP-004", "elenchus list"],
    );
    fails(
        &elenchus,
        "--target sh --skip zebra*",
        &["--skip zebra*: nothing matches", "elenchus list scripts"],
    );
    fails(
        &elenchus,
        "--target sh --only [a",
        &["--only [a", "a pattern is"],
    );
    assert!(
        !elenchus.path("elenchus-out").exists(),
        "nothing was created"
    );
}

#[test]
fn a_target_that_cannot_be_started_is_told_with_the_cure() {
    let elenchus = Elenchus::new();
    elenchus.file("agent.py", "print()\n");
    elenchus.file("agent", "#!/bin/sh\n");
    fs::set_permissions(elenchus.path("agent"), fs::Permissions::from_mode(0o755))
        .expect("it is ours");
    for (target, status, texts) in [
        ("./missing", 3, &["./missing is not there"][..]),
        ("no-such-program-anywhere", 3, &["not on PATH"]),
        ("agent", 3, &["not on PATH", "--target ./agent"]),
        (
            "./agent.py",
            3,
            &[
                "not executable",
                "chmod +x ./agent.py",
                "python3 ./agent.py",
            ],
        ),
        ("agent.py", 3, &["not on PATH", "chmod +x agent.py"]),
        ("/", 3, &["is a folder"]),
        ("'./agent", 2, &["left open"]),
        ("reference:toaster", 2, &["reference:agent"]),
        (
            "reference:agent?fault=zebra",
            2,
            &["no fault `zebra`", "elenchus list faults"],
        ),
    ] {
        fails_with(&elenchus, &format!("--target {target}"), status, texts);
    }
    assert!(
        !elenchus.path("elenchus-out").exists(),
        "nothing was created"
    );
}

#[test]
fn an_output_folder_that_cannot_be_written_to_is_told_before_anything_runs() {
    let elenchus = Elenchus::new();
    elenchus.file("occupied", "");
    elenchus.file("agent", "#!/bin/sh\ntouch started\n");
    fs::set_permissions(elenchus.path("agent"), fs::Permissions::from_mode(0o755))
        .expect("it is ours");
    for out in ["occupied", "occupied/below"] {
        fails(
            &elenchus,
            &format!("--target ./agent --out {out}"),
            &["cannot write to the output folder", "--out DIR"],
        );
    }
    assert!(!elenchus.path("started").exists(), "nothing was started");
}

#[test]
fn what_an_operator_types_reaches_the_terminal_escaped() {
    for unprintable in [
        "explain \u{1b}[31mred\u{202e}",
        "--\u{202e}flag",
        "\u{9b}31m",
    ] {
        let errors = stderr(&Elenchus::new().run(unprintable).code(2));
        let raw = ['\u{1b}', '\u{202e}', '\u{9b}'];
        assert!(!errors.contains(raw), "{errors:?}");
        assert!(errors.contains("\\u{"), "{errors:?}");
    }
    let errors = stderr(&Elenchus::new().run("explain \u{1b}[31mred\u{202e}").code(2));
    assert!(!errors.contains(['\u{1b}', '\u{202e}']), "{errors:?}");
}

#[test]
fn a_target_that_is_not_there_is_a_report_too() {
    let elenchus = Elenchus::new();
    let assert = elenchus
        .run("--target ./none --format json --out out")
        .code(3);
    let printed: serde_json::Value =
        serde_json::from_str(&stdout(&assert)).expect("a report and nothing else");
    assert_eq!(printed["verdict"]["status"], "incomplete");
    let reasons = printed["verdict"]["reasons"].to_string();
    assert!(
        reasons.contains("The target ./none is not there."),
        "{reasons}"
    );
    assert!(!elenchus.path("out").exists(), "nothing was created");
    assert!(
        stderr(&assert).contains("check the path"),
        "{}",
        stderr(&assert)
    );
}

#[test]
fn who_names_a_program_without_a_flag_learns_how_it_is_tested() {
    let elenchus = Elenchus::new();
    let told = stderr(&elenchus.run("./my-agent").code(2));
    assert!(told.contains("--target './my-agent'"), "{told}");
    let told = stderr(&elenchus.run("runn").code(2));
    assert!(told.contains("did you mean run?"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn too_few_open_files_are_told_with_what_to_type() {
    let elenchus = Elenchus::new();
    let program = assert_cmd::cargo::cargo_bin!("elenchus");
    for limit in [8, 40] {
        let line = format!(
            "ulimit -n {limit}; exec '{}' --target reference:agent",
            program.display()
        );
        let assert = assert_cmd::Command::new("sh")
            .current_dir(elenchus.folder.path())
            .args(["-c", &line])
            .assert()
            .code(3);
        let told = stderr(&assert);
        assert!(told.contains("type `ulimit -n 1024`"), "{limit}: {told}");
        assert!(!told.contains("elenchus itself failed"), "{limit}: {told}");
    }
}
