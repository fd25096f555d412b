//! Requests with more in them than they have to say: EXT-008, META-002, META-005, JSONRPC-029.

use crate::table::{holds, holds_in};

/// A session/new with this beside the folder.
fn new(id: u32, more: &str) -> String {
    format!(r#"ask {id} session/new {{"cwd":"/w","mcpServers":[]{more}}}"#)
}

fn takes(id: &str, more: &str) {
    let (plain, more) = (new(5, ""), new(6, more));
    let made = r#"result 5 {"sessionId":"t"}"#;
    holds(
        id,
        &format!("opened | {plain} | {made} | {more}"),
        &format!(
            r#"
            upheld  taken as without :: + result 6 {{"sessionId":"u"}}
            broken  refused :: + fails 6 -32602
            broken  the agent dies of it :: + exit 101 nothing
            unclear it may be full :: + fails 6 -32000
            unclear refused, as the same without may be :: opened | {plain} | fails 5 -32602 | {more} | fails 6 -32602
            unclear nothing to compare with :: opened | {more} | fails 6 -32602
            silent  nothing more :: opened | {plain} | fails 5 -32602
            silent  more of two kinds :: opened | {plain} | {made} | ask 6 session/new {{"cwd":"/w","mcpServers":[],"elenchusUnknown":1,"_meta":{{"elenchus.test/x":1}},"additionalDirectories":null}} | fails 6 -32602
            "#
        ),
    );
}

#[test]
fn more_than_is_needed_changes_nothing() {
    takes("ACP-EXT-008", r#","elenchusUnknown":{"deep":[1,null]}"#);
    takes(
        "ACP-META-002",
        r#","_meta":{"elenchus.test/unknown":{"deep":[1]}}"#,
    );
    takes("ACP-JSONRPC-029", r#","_meta":null"#);
}

#[test]
fn what_may_have_a_meaning_is_not_tried() {
    holds(
        "ACP-META-002",
        &format!("opened | {} | result 5 {{\"sessionId\":\"t\"}}", new(5, "")),
        &format!(
            "
            silent  a key that an agent may know :: + {} | fails 6 -32602
            ",
            new(6, r#","_meta":{"elenchus":{"elicit":"form"}}"#)
        ),
    );
    holds(
        "ACP-JSONRPC-029",
        &format!("opened | {} | result 5 {{\"sessionId\":\"t\"}}", new(5, "")),
        &format!(
            "
            silent  null where the schema has none :: + {} | fails 6 -32602
            ",
            r#"ask 6 session/new {"cwd":null}"#
        ),
    );
    holds_in(
        "v1",
        "ACP-JSONRPC-029",
        "opened | prompt 2 /fail",
        &r"
        broken  what succeeded fails :: + done 2 | $nulls | fails 6 -32603
        unclear what was cancelled might have failed :: + cancelled | stops 2 cancelled | $nulls | fails 6 -32603
        "
        .replace(
            "$nulls",
            r#"ask 6 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"/fail"}],"_meta":null}"#,
        ),
    );
}

#[test]
fn what_came_before_may_make_the_difference() {
    let prompt = |id: u32, more: &str| {
        format!(
            r#"ask {id} session/prompt {{"sessionId":"s","prompt":[{{"type":"text","text":"hi"}}]{more}}}"#
        )
    };
    let grown = prompt(7, r#","elenchusUnknown":1"#);
    let load = r#"ask 5 session/load {"sessionId":"s","cwd":"/w","mcpServers":[]}"#;
    let again =
        r#"ask 6 session/load {"sessionId":"s","cwd":"/w","mcpServers":[],"elenchusUnknown":1}"#;
    let end = r#"{"stopReason":"end_turn"}"#;
    holds_in(
        "v1",
        "ACP-EXT-008",
        &format!("opened | {} | result 5 {end}", prompt(5, "")),
        &format!(
            "
            broken  the session was at rest :: + {grown} | fails 7 -32602
            unclear another turn was running :: + {} | {grown} | fails 7 -32600
            unclear a session is loaded once :: opened | {load} | result 5 {{}} | {again} | fails 6 -32602
            ",
            prompt(6, r#","_meta":{}"#)
        ),
    );
}

#[test]
fn a_meta_that_is_none_ends_nobody() {
    holds(
        "ACP-META-005",
        &format!("opened | {}", new(6, r#","_meta":42"#)),
        "
        upheld  refused :: + fails 6 -32602
        upheld  taken :: + result 6 {\"sessionId\":\"t\"}
        broken  the agent dies of it :: + exit 101 nothing
        ",
    );
}
