//! Elicitations that are served like any other.

use crate::clients::{holds, holds_in};

const PLAIN: &str = r#"serves | form 3 | accept 3 {"name":"a"}"#;
const FORM: &str = r#""message":"m","requestedSchema":{"type":"object","properties":{}}"#;

/// What any question with something harmless in it comes to, when a plain one was accepted before.
fn taken(id: &str, question: &str) {
    holds(
        id,
        &format!("{PLAIN} | {question}"),
        &format!(
            r#"
            upheld  accepted :: + accept 7
            upheld  declined :: + decline 7
            broken  an error :: + refuse 7 -32602
            broken  the end :: + exit 1 nothing
            unclear nothing :: + deadline 7
            unclear an error, and nothing else was served :: serves | {question} | refuse 7 -32602
            broken  told to accept :: serves | answers [{{"action":"accept"}},{{"action":"accept"}}] | form 3 | accept 3 {{"name":"a"}} | {question} | cancel 7
            broken  told to answer :: serves | answers [{{"action":"accept"}},{{"action":"accept"}}] | form 3 | accept 3 {{"name":"a"}} | {question} | deadline 7
            silent  a plain one :: serves | form 3 | refuse 3 -32602
            "#
        ),
    );
}

#[test]
fn with_a_tool_call_that_is_none() {
    taken(
        "ACP-ELICIT-SCOPE-013",
        &format!(r#"create 7 {{"sessionId":"s","toolCallId":null,"mode":"form",{FORM}}}"#),
    );
    holds(
        "ACP-ELICIT-SCOPE-013",
        &format!(r#"{PLAIN} | create 7 {{"sessionId":"s","toolCallId":7,"mode":"form",{FORM}}}"#),
        r"
        upheld  accepted :: + accept 7
        unclear an error :: + refuse 7 -32602
        broken  the end :: + exit 1 nothing
        ",
    );
}

#[test]
fn with_what_means_nothing() {
    taken(
        "ACP-ELICIT-SCOPE-024",
        &format!(r#"create 7 {{"sessionId":"s","_meta":{{"x/y":1}},"mode":"form",{FORM}}}"#),
    );
    taken(
        "ACP-ELICIT-SCHEMA-044",
        r#"form 7 {"type":"object","_meta":{"x/y":1},"properties":{}}"#,
    );
    taken(
        "ACP-ELICIT-SCHEMA-029",
        r#"form 7 {"type":"object","properties":{"p":{"type":"string","maxLength":null}}}"#,
    );
    taken(
        "ACP-ELICIT-SCHEMA-031",
        r#"form 7 {"type":"object","x-hint":1,"properties":{}}"#,
    );
    taken(
        "ACP-ELICIT-SCHEMA-014",
        r#"form 7 {"type":"object","properties":{"p":{"type":"string","format":"x-color"}}}"#,
    );
    holds(
        "ACP-ELICIT-SCHEMA-027",
        &format!(r#"{PLAIN} | form 7 {{"type":"object","title":5,"properties":{{}}}}"#),
        r"
        upheld  accepted :: + accept 7
        unclear an error :: + refuse 7 -32602
        broken  the end :: + exit 1 nothing
        ",
    );
    let url = |id: &str, elicitation: &str| {
        format!(
            r#"create {id} {{"sessionId":"s","mode":"url","message":"m","elicitationId":"{elicitation}","url":"https://127.0.0.1/{id}"}}"#
        )
    };
    holds(
        "ACP-ELICIT-URL-022",
        &format!(
            "serves | {} | accept 3 | {}",
            url("3", "e"),
            url("7", " E ")
        ),
        r"
        upheld  accepted :: + accept 7
        broken  an error :: + refuse 7 -32602
        ",
    );
}

#[test]
fn while_a_request_of_its_own_is_pending() {
    let start = format!(
        r#"serves {{"form":{{}}}} | answers [{{"action":"accept"}}] | ask 5 authenticate {{"methodId":"m"}} | create 7 {{"requestId":5,"mode":"form",{FORM}}}"#
    );
    holds_in(
        "v1",
        "ACP-ELICIT-SCOPE-018",
        &start,
        r"
        upheld  meanwhile :: + accept 7
        broken  never :: + deadline 7
        unclear behind it :: + result 5 {} | accept 7
        silent  another request :: serves | answers [] | create 7 {}
        ",
    );
}

#[test]
fn several_at_once() {
    holds(
        "ACP-ELICIT-SCOPE-025",
        r#"serves | answers [{"action":"accept"},{"action":"accept"}] | form 7 {"type":"object","properties":{"a":{"type":"string"}},"required":["a"]} | form 8 {"type":"object","properties":{"b":{"type":"integer"}},"required":["b"]}"#,
        r#"
        upheld  each its own :: + accept 8 {"b":1} | accept 7 {"a":"x"}
        upheld  cancelled, since only one fits on the screen :: + cancel 7 | cancel 8
        broken  swapped :: + accept 7 {"b":1} | accept 8 {"a":"x"}
        broken  one is lost :: + accept 8 {"b":1} | deadline 7
        silent  one behind the other :: serves | form 7 | cancel 7 | form 8 | cancel 8
        unclear nobody was told :: serves | form 7 | form 8 | deadline 7
        "#,
    );
}

#[test]
fn with_a_hostile_pattern() {
    holds(
        "ACP-ELICIT-SCHEMA-010",
        r#"serves | S {"jsonrpc":"2.0","id":3,"method":"_x"} | C {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}} | form 7 {"type":"object","properties":{"p":{"type":"string","pattern":"^(a+)+$","default":"aaaaaaaa!"}}} | S {"jsonrpc":"2.0","id":8,"method":"_x"}"#,
        r#"
        upheld  alive :: + C {"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"no"}}
        broken  lost in it :: + deadline 8
        unclear cut :: + stopped
        silent  it never answers such requests :: serves | form 7 {"type":"object","properties":{"p":{"type":"string","pattern":"^(a+)+$"}}} | S {"jsonrpc":"2.0","id":8,"method":"_x"} | deadline 8
        silent  a plain pattern :: serves | S {"jsonrpc":"2.0","id":3,"method":"_x"} | C {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}} | form 7 {"type":"object","properties":{"p":{"type":"string","pattern":"^a+$"}}} | S {"jsonrpc":"2.0","id":8,"method":"_x"} | deadline 8
        "#,
    );
}

#[test]
fn while_the_session_is_idle() {
    holds(
        "ACP-ELICIT-STATE-005",
        r#"serves | answers [{"action":"accept"},{"action":"accept"},"idle"] | form 3 | accept 3 {"name":"a"} | done 2 | form 7"#,
        r#"
        upheld  accepted :: + accept 7 {"name":"a"}
        broken  an error :: + refuse 7 -32603
        broken  without the user :: + accept 7 {"name":"a"} | form 8 | cancel 8
        silent  during a turn :: serves | form 7 | refuse 7 -32603
        "#,
    );
}
