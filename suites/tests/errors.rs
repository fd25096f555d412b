//! The mistakes that are likeliest, and what their authors are told.

use std::fmt::Write as _;

use elenchus_suites::script::parse;

/// Every script's error, with its caret, one after the other.
fn told(scripts: &[&str]) -> String {
    let mut all = String::new();
    for script in scripts {
        let error = parse("acp/x", script).expect_err("there is a mistake in it");
        writeln!(all, "{}\n", error.caret()).expect("a String takes everything");
    }
    all
}

/// The error of steps after a head that is right.
fn told_of_steps(steps: &[&str]) -> String {
    let scripts: Vec<String> = steps
        .iter()
        .map(|steps| format!("target agent\nversions 1 2\n\n{steps}\n"))
        .collect();
    told(&scripts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A snapshot without the expression, which would repeat the scripts.
macro_rules! snapshot {
    ($told:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($told) })
    };
}

#[test]
fn misspelt_and_misplaced_words() {
    snapshot!(told_of_steps(&[
        "open\nexepct elicitation/create as question",
        "open\nprompt /elicit form\nturn end",
        "open\neach mode [1]",
        "open\ncall",
        "open now",
        "open\nsettle 200ms",
        "open\n- notify x",
    ]));
}

#[test]
fn what_the_head_lacks_or_has_wrong() {
    snapshot!(told(&[
        "versions 1 2\nopen\n",
        "target agent\nopen\n",
        "target agnet\nversions 1\nopen\n",
        "target agent\nversions 1 3\nopen\n",
        "target server\nversions 1\nopen\n",
        "target agent\ntarget agent\n",
        "target agent\nversion 1\nopen\n",
        "target agent\nversions 1\ncovers elicit-cap-4\nopen\n",
        "target agent\nversions 1\nneeds\nopen\n",
        "target agent\nversions 1\neach mode {}\nopen\n",
        "target agent\nversions 1\neach mode []\nopen\n",
        "target agent\nversions 1\neach session [1]\nopen\n",
        "target agent\nversions 1\neach a [$b]\nopen\n",
        "target agent\nversions 1\nwhenever elicitation/create anwser {}\nopen\n",
        "target agent\nversions 1\n",
        "",
    ]));
}

#[test]
fn json_that_is_none() {
    snapshot!(told_of_steps(&[
        "open\nnotify session/cancel {\"sessionId\": $session",
        "open\nnotify session/cancel {sessionId: 1}",
        "open\nnotify session/cancel {\"a\": 1,}",
        "open\nnotify session/cancel {\"a\" 1}",
        "open\nnotify session/cancel [1 2]",
        "open\nnotify session/cancel {\"a\": 'x'}",
        "open\nnotify session/cancel \"no end",
        "open\nnotify session/cancel {\"a\": 007}",
        "open\nnotify session/cancel {\"a\": \"\\q\"}",
        "open\nnotify session/cancel {\"ä\": tru}",
        "open\nnotify session/cancel {}}",
        "open\nnotify session/cancel{}",
        "open\nnotify {}",
        "open\nrequest session/list id",
        "open\nsession with [1]",
    ]));
}

#[test]
fn names_that_nothing_has() {
    snapshot!(told_of_steps(&[
        "open\nnotify x {\"sessionId\": $sesion}",
        "open\nprompt /elicit form {\"$ref\": \"x\"}",
        "open\nexpect x as question\nanswer qestion {}",
        "open\nrequest x as r\nanswer r {}",
        "open\nawait r",
        "open\nexpect x as q\nnotify x $q.parms",
        "open\nexpect x as q\nnotify x $q",
        "open\nnotify x $session.id",
        "open\nnotify x \"${session\"",
        "open\nnotify x \"${5}\"",
        "open\nrequest x as session",
        "open\nexpect x as a-b",
        "open\nrace\n  - request x as r\n  - notify y $r.id",
    ]));
}

#[test]
fn steps_that_come_too_early() {
    snapshot!(told_of_steps(&[
        "prompt /say x",
        "connect\nprompt /say x",
        "connect\nnotify x {\"sessionId\": $session}",
        "settle",
        "open\nopen",
        "open\non B\nsettle",
        "open\nclose\nsettle",
        "open\nturn ends",
        "open\nsession as other\nprompt x\nturn ends @other",
        "open\nprompt @other x",
    ]));
}

#[test]
fn what_only_one_side_does() {
    let client = |steps: &str| format!("target client\nversions 1 2\n\n{steps}\n");
    snapshot!(told(&[
        &client("open"),
        &client("connect\nprompt x"),
        "target agent\nversions 1\n\nserve\n",
        "target agent\nversions 1\nclient {}\n\nopen\n",
        "target agent\nversions 1\nneeds answers\n\nopen\n",
        "target client\nversions 1\nclient {\"answer\": []}\n\nserve\n",
        "target client\nversions 1\nclient []\n\nserve\n",
        "target client\nversions 1\nclient {}\nclient {}\n\nserve\n",
        "target client\nversions 1\nwhenever session/new fill\n\nserve\n",
        &client("connect\nend turn"),
        &client("serve\nask from"),
        &client("serve\nask form 5"),
        &client("serve\nupdate"),
        &client("serve\nnext trun"),
        &client("serve\nexit"),
        &client("serve\nexit 256"),
        &client("serve\nexit SIGKIL"),
        &client("serve\nexit 1\nend turn"),
        "target agent\nversions 1\n\nopen\nexit 1\n",
    ]));
}

#[test]
fn races_and_fills_and_bytes() {
    snapshot!(told_of_steps(&[
        "open\nrace 5\n  - notify x\n  - notify y",
        "open\nrace 11s\n  - notify x\n  - notify y",
        "open\nrace\n  - notify x\nsettle",
        "open\nrace\n  - notify x\n  - settle",
        "open\nrace\n  -notify x\n  - notify y",
        "open\nrace\n- close\n- close\n- close\n- close\n- close\n- close",
        "open\nrace\n- raw x\n- raw y\nrace\n- raw x\n- raw y",
        "open\nexpect x as q\nfill q invalid lenght",
        "open\nexpect x as q\nfill q vald",
        "open\nraw",
        "open\nraw {\"a\": \"\\u00e9\"}",
        "open\nprompt",
    ]));
}

#[test]
fn limits_are_told() {
    let long = format!("prompt {}", "x".repeat(70_000));
    let values = vec!["1"; 65].join(",");
    let scripts = [
        format!("target agent\nversions 1\nopen\n{long}\n"),
        format!(
            "target agent\nversions 1\nopen\n{}",
            "settle\n".repeat(2_000)
        ),
        format!("target agent\nversions 1\neach a [{values}]\neach b [{values}]\nopen\n"),
        "target agent\nversions 1\nopen\nprompt a\u{7}b\n".to_owned(),
        format!(
            "target agent\nversions 1\nopen\nprompt {} $nobody {}\n",
            "a".repeat(90),
            "b".repeat(90)
        ),
    ];
    snapshot!(told(
        &scripts.iter().map(String::as_str).collect::<Vec<_>>()
    ));
}
