//! Profiles: `init`, what is read where, what wins, and what is told of mistakes.

use std::fs;

use serde_json::Value;

use crate::{Elenchus, stderr, stdout};

/// Few scripts, so that a test is quick.
const FEW: &str = "--only INIT-002,ELICIT-CAP-008 --protocol acp-v1 --seed 1 --format json";

fn report(elenchus: &Elenchus, line: &str) -> (Value, String) {
    let assert = elenchus.run(line).code(0);
    let report = serde_json::from_str(&stdout(&assert)).expect("a report");
    (report, stderr(&assert))
}

fn row<'r>(report: &'r Value, id: &str) -> &'r Value {
    let rows = report["runs"][0]["requirements"].as_array();
    let mut rows = rows.expect("rows").iter();
    rows.find(|row| row["id"] == id).expect("the row is there")
}

#[test]
fn init_writes_what_run_reads() {
    let elenchus = Elenchus::new();
    let assert = elenchus.run("init --target reference:agent").code(0);
    assert_eq!(stdout(&assert), "");
    assert!(stderr(&assert).contains("elenchus.toml was written"));
    let text = fs::read_to_string(elenchus.path("elenchus.toml")).expect("it is there");
    for line in [
        "command = \"reference:agent\"",
        "protocol = [\"acp-v1\", \"acp-v2\"]",
        "# auth-method = \"login\"",
        "# `/elicit form`: asks the user by a form; it does.",
    ] {
        assert!(text.contains(&format!("{line}\n")), "{line}: {text}");
    }
    let (report, errors) = report(&elenchus, &format!("run {FEW}"));
    assert!(errors.contains("note: elenchus.toml was read"), "{errors}");
    assert_eq!(report["target"]["command"][0], "reference:agent");
    assert_eq!(row(&report, "ACP-ELICIT-CAP-008")["outcome"], "pass");
}

#[test]
fn init_does_not_overwrite() {
    let elenchus = Elenchus::new();
    elenchus.file("elenchus.toml", "# mine\n");
    let errors = stderr(&elenchus.run("init").code(2));
    assert!(errors.contains("is there already"), "{errors}");
    let text = fs::read_to_string(elenchus.path("elenchus.toml")).expect("it is there");
    assert_eq!(text, "# mine\n");
    elenchus.run("init --profile other.toml").code(0);
    assert!(elenchus.path("other.toml").exists());
}

#[test]
fn init_says_why_a_target_could_not_be_tried() {
    let elenchus = Elenchus::new();
    let errors = stderr(&elenchus.run("init --target false").code(3));
    assert!(errors.contains("before it answered initialize"), "{errors}");
    let text = fs::read_to_string(elenchus.path("elenchus.toml")).expect("it is there");
    assert!(text.contains("command = \"false\"\n"), "{text}");
    let errors = stderr(
        &elenchus
            .run("init --target ./no-such-agent --profile b.toml")
            .code(3),
    );
    assert!(errors.contains("is not there"), "{errors}");
    assert!(!elenchus.path("b.toml").exists());
}

#[test]
fn flags_win_over_the_profile() {
    let elenchus = Elenchus::new();
    elenchus.file(
        "elenchus.toml",
        "command = \"reference:agent?fault=form-despite-url-only\"\nprotocol = [\"acp-v2\"]\njobs = 1\n",
    );
    let line = format!("run --target reference:agent --profile elenchus.toml {FEW} --out there");
    let (report, _) = report(&elenchus, &line);
    assert_eq!(report["runs"][0]["protocol"], "acp-v1");
    assert_eq!(report["target"]["command"][0], "reference:agent");
    let again = elenchus
        .run("--only ELICIT-CAP-008 --seed 1 --format json")
        .code(1);
    let report: Value = serde_json::from_str(&stdout(&again)).expect("a report");
    assert_eq!(report["runs"][0]["protocol"], "acp-v2");
    let replay = &row(&report, "ACP-ELICIT-CAP-008")["findings"][0]["replay"];
    let replay = replay.as_str().expect("a command");
    assert!(replay.contains("--profile elenchus.toml"), "{replay}");
    assert!(!replay.contains("--target"), "{replay}");
}

#[test]
fn the_reference_agent_is_not_described_by_what_lies_here() {
    let elenchus = Elenchus::new();
    elenchus.file("elenchus.toml", "[triggers]\n\"*\" = \"none\"\n");
    let (report, errors) = report(&elenchus, &format!("--target reference:agent {FEW}"));
    assert_eq!(errors, "");
    assert_eq!(row(&report, "ACP-ELICIT-CAP-008")["outcome"], "pass");
}

#[test]
fn the_folder_and_the_variables_of_a_profile_reach_the_target() {
    let elenchus = Elenchus::new();
    fs::create_dir_all(elenchus.path("agents/work")).expect("the folder is ours");
    elenchus.file(
        "agents/look.sh",
        "pwd >&2; echo \"$GIVEN ${PASSED:+passed} $HOME\" >&2; exit 7\n",
    );
    elenchus.file(
        "agents/agent.toml",
        "command = [\"sh\", \"../look.sh\"]\ncwd = \"work\"\npass-env = [\"PASSED\"]\nenv = { GIVEN = \"given\" }\n",
    );
    let run = |passed: Option<&str>| {
        let mut command = assert_cmd::cargo::cargo_bin_cmd!("elenchus");
        command
            .current_dir(elenchus.folder.path())
            .args(["run", "--profile", "agents/agent.toml"]);
        if let Some(passed) = passed {
            command.env("PASSED", passed);
        }
        command.assert()
    };
    let shown = stdout(&run(Some("value")).code(3));
    assert!(shown.contains("agents/work"), "{shown}");
    assert!(shown.contains("given passed"), "{shown}");
    let errors = stderr(&run(None).code(2));
    assert!(errors.contains("PASSED, which is not set"), "{errors}");
}

#[test]
fn what_is_passed_on_is_written_nowhere() {
    let secret = "hunter2-0451";
    let elenchus = Elenchus::new();
    elenchus.file(
        "elenchus.toml",
        "command = [\"sh\", \"-c\", \"echo bad $HARMLESS_NAME >&2; echo so $HARMLESS_NAME; exit 7\"]\n\
         pass-env = [\"HARMLESS_NAME\"]\n",
    );
    for format in ["human", "json"] {
        let mut command = assert_cmd::cargo::cargo_bin_cmd!("elenchus");
        let assert = command
            .current_dir(elenchus.folder.path())
            .env("HARMLESS_NAME", secret)
            .args(["--format", format])
            .assert()
            .code(3);
        let shown = stdout(&assert) + &stderr(&assert);
        assert!(shown.contains("bad [redacted]"), "{shown}");
        assert!(!shown.contains(secret), "{shown}");
    }
    let mut files = elenchus.files("elenchus-out/traces");
    files.push("elenchus-out/report.json".to_owned());
    for file in files {
        let text = fs::read_to_string(elenchus.path(&file)).expect("it is there");
        assert!(!text.contains(secret), "{file}: {text}");
    }
}

#[test]
fn what_a_command_line_says_in_confidence_is_written_nowhere() {
    const SECRETS: [&str; 2] = ["sk-live-0123456789abcdef", "pa5"];
    let elenchus = Elenchus::new();
    elenchus.program(
        "agent.sh",
        "#!/bin/sh\necho \"bad key $2\" >&2\necho \"so $2\"\nexit 7\n",
    );
    let target = format!(
        "./agent.sh --api-key {} --password={}",
        SECRETS[0], SECRETS[1]
    );
    for format in ["human", "json"] {
        let mut command = assert_cmd::cargo::cargo_bin_cmd!("elenchus");
        let assert = command
            .current_dir(elenchus.folder.path())
            .args(["--target", &target, "--format", format])
            .assert()
            .code(3);
        let shown = stdout(&assert) + &stderr(&assert);
        assert!(
            shown.contains("./agent.sh --api-key '[redacted]'") || format == "json",
            "{shown}"
        );
        assert!(shown.contains("bad key [redacted]"), "{shown}");
        assert!(shown.contains("stands for a secret"), "{shown}");
        assert!(
            SECRETS.iter().all(|secret| !shown.contains(secret)),
            "{shown}"
        );
    }
    let mut files = elenchus.files("elenchus-out/traces");
    files.push("elenchus-out/report.json".to_owned());
    for file in files {
        let text = fs::read_to_string(elenchus.path(&file)).expect("it is there");
        assert!(
            SECRETS.iter().all(|secret| !text.contains(secret)),
            "{file}: {text}"
        );
    }
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("elenchus");
    let copied = command
        .current_dir(elenchus.folder.path())
        .args(["--target", "./agent.sh --api-key [redacted]"])
        .assert()
        .code(2);
    assert!(
        stderr(&copied).contains("write the secret in its place"),
        "{}",
        stderr(&copied)
    );
}

#[test]
fn where_a_target_runs_is_no_secret() {
    let elenchus = Elenchus::new();
    elenchus.file(
        "elenchus.toml",
        "command = [\"sh\", \"-c\", \"echo in $PWD >&2; exit 7\"]\npass-env = [\"PWD\"]\n",
    );
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("elenchus");
    let here = elenchus.folder.path().canonicalize().expect("it is there");
    let assert = command
        .current_dir(&here)
        .env("PWD", &here)
        .assert()
        .code(3);
    let shown = stdout(&assert);
    assert!(!shown.contains("[redacted]"), "{shown}");
}

#[test]
fn a_bad_profile_is_wrong_usage_and_told_at_its_place() {
    let elenchus = Elenchus::new();
    for (text, told) in [
        (
            "comand = \"x\"\n",
            &[
                "elenchus.toml:1:1",
                "did you mean `command`?",
                "1 | comand",
                "^",
            ][..],
        ),
        (
            "timeout = 3\n",
            &["does not say how the target is started", "--target"],
        ),
        (
            "command = \"sh -c 'open\"\n",
            &["command", "left open", "quote the command"],
        ),
        (
            "command = \"sh\"\ncwd = \"nowhere\"\n",
            &["nowhere", "is not there"],
        ),
        ("command = \"reference:toaster\"\n", &["no reference peer"]),
        (
            "command = \"\\u0000\"\n[triggers]\n\"x\" = \"y\"\n",
            &["no `x`"],
        ),
    ] {
        elenchus.file("elenchus.toml", text);
        let assert = elenchus.run("run").code(2);
        let errors = stderr(&assert);
        assert_eq!(stdout(&assert), "", "{text}");
        for part in told {
            assert!(errors.contains(part), "{text}: no `{part}` in {errors}");
        }
    }
    elenchus.file("elenchus.toml", "command = \"./my-agent\"\n");
    let errors = stderr(&elenchus.run("run").code(3));
    assert!(errors.contains("`command` of elenchus.toml"), "{errors}");
    elenchus.file("latin.toml", b"command = \"\xe9\"\n");
    let errors = stderr(&elenchus.run("run --profile latin.toml").code(2));
    assert!(errors.contains("is not UTF-8"), "{errors}");
    let errors = stderr(&elenchus.run("run --profile absent.toml").code(2));
    assert!(
        errors.contains("elenchus init --profile absent.toml"),
        "{errors}"
    );
}

#[test]
fn what_a_person_states_stands_in_the_report_and_never_over_a_rule() {
    let elenchus = Elenchus::new();
    let attestation = |id: &str| {
        format!(
            "[[attestation]]\nrequirement = \"{id}\"\nwho = \"Ada\"\nwhen = 2026-11-30\nnote = \"by hand\"\n"
        )
    };
    let profile = format!(
        "command = \"reference:agent\"\n{}{}",
        attestation("ACP-PLAN-007"),
        attestation("ACP-INIT-002")
    );
    elenchus.file("elenchus.toml", profile);
    let (report, errors) = report(
        &elenchus,
        "run --protocol acp-v1 --only INIT,PLAN --format json",
    );
    assert!(errors.contains("a rule judges ACP-INIT-002"), "{errors}");
    assert_eq!(row(&report, "ACP-INIT-002")["outcome"], "pass");
    let attested = row(&report, "ACP-PLAN-007");
    assert_eq!(attested["outcome"], "attested");
    assert_eq!(attested["attested"]["who"], "Ada");
    let shown = stdout(
        &elenchus
            .run("run --protocol acp-v1 --only INIT,PLAN")
            .code(0),
    );
    assert!(shown.contains("Ada, 2026-11-30: by hand"), "{shown}");
}

#[test]
fn a_gated_target_is_told_how_it_can_be_signed_in() {
    let elenchus = Elenchus::new();
    elenchus.file(
        "gated.sh",
        r#"while read -r line; do
            id=$(echo "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([^,]*\),.*/\1/p')
            result() { echo '{"jsonrpc":"2.0","id":'"$id"',"result":'"$1"'}'; }
            case "$line" in
                *'"method":"initialize"'*) result '{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"gate","version":"1"},"authMethods":[{"id":"key","name":"Key"}]}' ;;
                *'"method":"authenticate"'*key*) signed=yes; result '{}' ;;
                *'"method":"session/new"'*)
                    if [ "$signed" ]; then result '{"sessionId":"s'"$id"'"}'
                    else echo '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32000,"message":"sign in"}}'; fi ;;
                *'"method":"session/prompt"'*) result '{"stopReason":"end_turn"}' ;;
                *'"id"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"no"}}' ;;
            esac
        done"#,
    );
    elenchus.file("elenchus.toml", "command = [\"sh\", \"gated.sh\"]\n");
    let line = "run --only acp/agent/session/* --protocol acp-v1 --seed 1";
    let shown = stdout(&elenchus.run(line));
    assert!(shown.contains("offers to sign in by key"), "{shown}");
    assert!(shown.contains("--auth-method key"), "{shown}");
    let shown = stdout(&elenchus.run(&format!("{line} --auth-method key")));
    assert!(!shown.contains("gated by authentication"), "{shown}");
    assert!(shown.contains("Conforming"), "{shown}");
}
