//! TERM and SHUTDOWN: the terminals of a client, and what becomes of it without its agent.

use elenchus_judge::judge;

use crate::{
    clients::{holds, spelt},
    common::{Verdict, trace, verdict},
    talk::written,
};

const OFFERED: &str = r#"open client | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"terminal":true}}} | welcomes {} | session | prompt 2 hi"#;

/// A terminal `t` in which this runs.
fn runs(command: &str) -> String {
    format!(
        r#"{OFFERED} | wants 5 terminal/create {{"sessionId":"s",{command}}} | answer 5 {{"terminalId":"t"}}"#
    )
}

const SLEEP: &str = r#""command":"sleep","args":["5"]"#;

#[test]
fn a_terminal_is_there_at_once() {
    let asks = r#"wants 6 terminal/output {"sessionId":"s","terminalId":"t"}"#;
    let running = r#"answer 6 {"output":"","truncated":false}"#;
    let ended = r#"answer 6 {"output":"","truncated":false,"exitStatus":{"exitCode":0}}"#;
    holds(
        "ACP-TERM-005",
        &runs(SLEEP),
        &format!(
            r#"
            upheld  it runs :: + {asks} | {running}
            unclear it has ended too early, which is for 006 :: + {asks} | {ended}
            unclear it may have ended :: + later 3000 | {asks} | {ended}
            silent  it was killed :: + wants 7 terminal/kill {{"sessionId":"s","terminalId":"t"}} | answer 7 {{}} | {asks} | {ended}
            unclear nobody asked :: + calm 8
            "#
        ),
    );
    let wait = r#"wants 7 terminal/wait_for_exit {"sessionId":"s","terminalId":"t"} | answer 7 {"exitCode":0}"#;
    let slow = |ms: u32| runs(SLEEP).replace(" | answer 5", &format!(" | later {ms} | answer 5"));
    holds(
        "ACP-TERM-005",
        &slow(5000),
        &format!(
            r"
            broken  it is told when it has ended :: + {asks} | {ended}
            upheld  a person had to permit it :: + {asks} | {running}
            unclear it was permitted late :: + later 3000 | {asks} | {ended}
            unclear its end was waited for :: + {wait} | {asks} | {ended}
            "
        ),
    );
    holds(
        "ACP-TERM-005",
        &slow(3000),
        &format!(
            "unclear the client is slow :: + {wait} | {asks} | {ended}\nunclear and slower :: + later 2400 | {asks} | {ended}"
        ),
    );
    holds(
        "ACP-TERM-006",
        &runs(SLEEP),
        &format!(
            r#"
            upheld  it runs :: + {asks} | {running}
            upheld  null for nothing :: + {asks} | answer 6 {{"output":"","truncated":false,"exitStatus":null}}
            upheld  it has ended :: + later 6000 | {asks} | {ended}
            broken  it waits for the end :: + {asks} | later 6000 | {ended}
            broken  it has ended too early :: + {asks} | {ended}
            unclear it failed :: + {asks} | answer 6 {{"output":"","truncated":false,"exitStatus":{{"exitCode":127}}}}
            broken  no output :: + {asks} | answer 6 {{"truncated":false}}
            broken  not whether it is cut :: + {asks} | answer 6 {{"output":""}}
            silent  an error :: + {asks} | refuse 6 -32603
            "#
        ),
    );
    holds(
        "ACP-TERM-006",
        &runs(r#""command":"true""#),
        &format!(
            r#"
            broken  the end is not told :: + wants 7 terminal/wait_for_exit {{"sessionId":"s","terminalId":"t"}} | answer 7 {{"exitCode":0}} | {asks} | {running}
            upheld  it is :: + wants 7 terminal/wait_for_exit {{"sessionId":"s","terminalId":"t"}} | answer 7 {{"exitCode":0}} | {asks} | {ended}
            "#
        ),
    );
}

#[test]
fn a_recording_without_times_accuses_nobody_by_them() {
    let asks = r#"wants 6 terminal/output {"sessionId":"s","terminalId":"t"} | answer 6 {"output":"","truncated":false,"exitStatus":{"exitCode":0}}"#;
    let wait = r#"wants 7 terminal/wait_for_exit {"sessionId":"s","terminalId":"t"} | answer 7 {"exitCode":0}"#;
    let text = written(
        "v1",
        &spelt("v1", &format!("{} | {asks} | {wait} | {asks}", runs(SLEEP))),
    );
    let broken = |at: fn(u64) -> u64| {
        let mut trace = trace("acp-v1", &text);
        for event in &mut trace.events {
            event.at_us = at(event.seq);
        }
        let judgement = judge(&trace);
        let rules = ["ACP-TERM-005", "ACP-TERM-006", "ACP-TERM-007"];
        rules.map(|id| verdict(&judgement, id) == Verdict::Broken)
    };
    for none in [|_| 0, |seq| seq, |seq| 10 * seq] as [fn(u64) -> u64; 3] {
        assert_eq!(broken(none), [false; 3]);
    }
    assert_eq!(broken(|seq| 1_000 * (seq + 1)), [false, true, true]);
}

#[test]
fn the_end_of_a_command_is_told() {
    let wait = r#"wants 7 terminal/wait_for_exit {"sessionId":"s","terminalId":"t"}"#;
    holds(
        "ACP-TERM-007",
        &format!("{} | {wait}", runs(r#""command":"false""#)),
        r#"
        upheld  its code :: + answer 7 {"exitCode":1,"signal":null}
        broken  another code :: + answer 7 {"exitCode":0}
        broken  a code that is none :: + answer 7 {"exitCode":"1"}
        silent  nothing is a remark :: + answer 7 {}
        silent  refused :: + refuse 7 -32603
        "#,
    );
    holds(
        "ACP-TERM-007",
        &format!("{} | {wait}", runs(SLEEP)),
        r#"
        broken  too early :: + answer 7 {"exitCode":0}
        upheld  in time :: + later 5000 | answer 7 {"exitCode":0}
        upheld  killed :: + wants 8 terminal/kill {"sessionId":"s","terminalId":"t"} | answer 7 {"exitCode":null,"signal":"SIGKILL"}
        unclear it failed :: + answer 7 {"exitCode":127}
        unclear it may have ended before it was killed :: + later 5000 | wants 8 terminal/kill {"sessionId":"s","terminalId":"t"} | answer 7 {"exitCode":0}
        broken  killed, and well :: + wants 8 terminal/kill {"sessionId":"s","terminalId":"t"} | answer 7 {"exitCode":0}
        "#,
    );
    let killed = format!(
        r#"{} | wants 6 terminal/kill {{"sessionId":"s","terminalId":"t"}} | answer 6 {{}}"#,
        runs(SLEEP)
    );
    holds(
        "ACP-TERM-008",
        &format!("{killed} | {wait}"),
        r#"
        upheld  it is there :: + answer 7 {"signal":"SIGKILL"}
        broken  it is gone :: + refuse 7 -32002
        "#,
    );
    let released = killed.replace("terminal/kill", "terminal/release");
    holds(
        "ACP-TERM-009",
        &format!("{released} | {wait}"),
        r#"
        upheld  it is gone :: + refuse 7 -32002
        broken  it is there :: + answer 7 {"signal":"SIGKILL"}
        "#,
    );
    holds(
        "ACP-TERM-008",
        &format!("{released} | {wait}"),
        "silent released :: + refuse 7 -32002",
    );
}

#[test]
fn a_command_runs_as_it_was_given() {
    let asks = r#"wants 6 terminal/output {"sessionId":"s","terminalId":"t"}"#;
    let output = |text: &str, cut: bool| {
        format!(r#"answer 6 {{"output":"{text}","truncated":{cut},"exitStatus":{{"exitCode":0}}}}"#)
    };
    let echo = runs(r#""command":"echo","args":["a b","$HOME"]"#);
    holds(
        "ACP-TERM-011",
        &format!("{echo} | {asks}"),
        &format!(
            "upheld as it was :: + {}\nbroken by a shell :: + {}",
            output("a b $HOME\\n", false),
            output("a b /root\\n", false)
        ),
    );
    let env = runs(r#""command":"printenv","args":["A"],"env":[{"name":"A","value":"b"}]"#);
    holds(
        "ACP-TERM-011",
        &format!("{env} | {asks}"),
        &format!(
            "upheld set :: + {}\nbroken not set :: + {}",
            output("b\\n", false),
            output("", false)
        ),
    );
    let pwd = runs(r#""command":"pwd","cwd":"/tmp/x""#);
    holds(
        "ACP-TERM-011",
        &format!("{pwd} | {asks}"),
        &format!(
            "upheld there :: + {}\nupheld by another name :: + {}\nbroken elsewhere :: + {}",
            output("/tmp/x\\n", false),
            output("/private/tmp/x\\n", false),
            output("/home\\n", false)
        ),
    );
    let cut = runs(r#""command":"echo","args":["éééé"],"outputByteLimit":4"#);
    holds(
        "ACP-TERM-010",
        &format!("{cut} | {asks}"),
        &format!(
            "upheld the end :: + {}\nbroken the beginning :: + {}\nbroken not told :: + {}\nbroken too much :: + {}",
            output("é\\n", true),
            output("éé", true),
            output("é\\n", false),
            output("éé\\n", true)
        ),
    );
}

#[test]
fn a_client_does_not_wait_for_an_agent_that_is_gone() {
    holds(
        "ACP-SHUTDOWN-007",
        "on 1 | serves | done 2 | eof C | exit 0 nothing | on 0 | serves",
        "
        upheld  it fails :: + eof S | eof C | exit 1 close
        broken  it waits :: + eof S | exit-deadline
        broken  it is killed by it :: + eof S | signal 13 close
        silent  its turn was over :: + done 2 | eof S | exit-deadline
        ",
    );
    holds(
        "ACP-SHUTDOWN-007",
        "serves",
        "unclear one that may stay :: + eof S | exit-deadline",
    );
}
