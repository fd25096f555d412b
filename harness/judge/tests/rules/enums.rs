//! ENUM.

use crate::table::{holds, holds_with, holds_with_in};

#[test]
fn values_of_version_2_are_defined_or_extensions() {
    holds_with(
        "ACP-ENUM-001",
        r"opened | update $",
        r#"
        upheld  {"sessionUpdate":"session_info_update","title":"x"}
        upheld  {"sessionUpdate":"_thinking","text":"x"}
        broken  {"sessionUpdate":"thinking","text":"x"}
        broken  {"sessionUpdate":"state_update","state":"idle","stopReason":"done"}
        upheld  {"sessionUpdate":"state_update","state":"idle","stopReason":"_done"}
        broken  {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"video","data":"x"}}
        broken  {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x","annotations":{"audience":["all"]}}}
        broken  {"sessionUpdate":"notice","severity":"fatal","title":"x"}
        broken  {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"diff","changes":[{"operation":"rename","path":"/a"}]}]}
        broken  {"sessionUpdate":"config_option_update","configOptions":[{"configId":"a","name":"A","type":"number","currentValue":1}]}
        broken  {"sessionUpdate":"config_option_update","configOptions":[{"configId":"a","name":"A","type":"boolean","currentValue":true,"category":"reasoning"}]}
        silent  {"sessionUpdate":"config_option_update","configOptions":[{"configId":"a","name":"A","type":"boolean","currentValue":true,"category":"speed"}]}
        "#,
    );
}

#[test]
fn what_has_a_clause_of_its_own_is_told_there() {
    holds_with(
        "ACP-ENUM-001",
        r"opened | update $",
        r#"
        silent  {"sessionUpdate":"tool_call","toolCallId":"t","title":"x"}
        silent  {"sessionUpdate":"state_update","state":"waiting"}
        silent  {"sessionUpdate":"tool_call_update","toolCallId":"t","status":"stuck","kind":"magic"}
        silent  {"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"picture"}]}
        silent  {"sessionUpdate":"plan_update","plan":{"type":"tree","planId":"p"}}
        silent  {"sessionUpdate":"available_commands_update","availableCommands":[{"type":"macro","name":"a"}]}
        silent  {"sessionUpdate":"compaction_update","compactionId":"c","status":"odd"}
        upheld  {"sessionUpdate":"AgentMessageChunk","messageId":"m","content":{"type":"text","text":"x"}}
        "#,
    );
}

#[test]
fn the_enums_of_version_1_are_closed() {
    holds_with(
        "ACP-ENUM-006",
        r"opened | update $",
        r#"
        upheld  {"sessionUpdate":"session_info_update","title":"x"}
        broken  {"sessionUpdate":"thinking","text":"x"}
        broken  {"sessionUpdate":"_thinking","text":"x"}
        broken  {"sessionUpdate":"state_update","state":"idle"}
        broken  {"sessionUpdate":"config_option_update","configOptions":[{"id":"a","name":"A","type":"number","currentValue":1}]}
        upheld  {"sessionUpdate":"config_option_update","configOptions":[{"id":"a","name":"A","type":"boolean","currentValue":true,"category":"reasoning"}]}
        upheld  {"sessionUpdate":"notice","severity":"fatal","title":"x"}
        silent  {"sessionUpdate":"user_message","messageId":"m","content":[]}
        silent  {"sessionUpdate":"plan","entries":[{"content":"x","priority":"urgent","status":"pending"}]}
        silent  {"sessionUpdate":"agent_message_chunk","content":{"type":"video","data":"x"}}
        silent  {"sessionUpdate":"cursor_update"}
        "#,
    );
    holds_with_in(
        "v1",
        "ACP-ENUM-006",
        "opened | ask 5 session/prompt {\"sessionId\":\"s\",\"prompt\":[]} | result 5 $",
        r#"
        silent  {"stopReason":"done"}
        silent  {"stopReason":"end_turn"}
        "#,
    );
}

#[test]
fn an_unknown_variant_ends_nobody() {
    let resume =
        r#"ask 5 session/resume {"sessionId":"s","cwd":"/","replayFrom":{"type":"_elenchus"}}"#;
    holds(
        "ACP-ENUM-004",
        &format!("opened | {resume}"),
        r#"
        upheld  it is refused :: + fails 5 -32602
        upheld  it is taken :: + result 5 {}
        broken  the agent dies of it :: + exit 101 nothing
        unclear  it dies of what came behind :: + ask 6 session/list {} | exit 101 nothing
        unclear  the client ends it :: + eof C | exit 0 close
        silent  an ordinary request :: opened | ask 5 session/resume {"sessionId":"s","cwd":"/","_meta":{"type":"elenchus"}} | exit 101 nothing
        "#,
    );
}

#[test]
fn a_broken_variant_is_no_unknown_one() {
    let prompt = r#"ask 5 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"x"},{"type":"text"}]}"#;
    let report = |blocks: &str| {
        format!(
            r#"result 5 {{"messageId":"m"}} | update {{"sessionUpdate":"user_message","messageId":"m","content":[{blocks}]}}"#
        )
    };
    let kept = report(r#"{"type":"text","text":"x"},{"type":"text"}"#);
    let dropped = report(r#"{"type":"text","text":"x"}"#);
    holds(
        "ACP-ENUM-005",
        &format!("opened | {prompt}"),
        &format!(
            r#"
            upheld  refused :: + fails 5 -32602
            upheld  refused in another way :: + fails 5 -32603
            unclear  a login is missing :: + fails 5 -32000
            broken  kept as it is :: + {kept} | settles 9
            unclear  dropped, as it seems :: + {dropped} | settles 9
            unclear  nothing is reported :: + result 5 {{"messageId":"m"}} | settles 9
            silent  a block of an unknown type :: opened | ask 5 session/prompt {{"sessionId":"s","prompt":[{{"type":"_x"}}]}} | result 5 {{"messageId":"m"}}
            silent  a whole block :: opened | ask 5 session/prompt {{"sessionId":"s","prompt":[{{"type":"text","text":""}}]}} | result 5 {{"messageId":"m"}}
            "#
        ),
    );
}
