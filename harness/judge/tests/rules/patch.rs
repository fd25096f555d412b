//! PATCH.

use crate::table::{holds, holds_with};

#[test]
fn every_message_has_an_id() {
    for kind in ["agent_message", "user_message", "agent_thought"] {
        holds_with(
            "ACP-PATCH-001",
            &format!(r#"opened | update {{"sessionUpdate":"{kind}","content":[]$}}"#),
            r#"
            upheld ,"messageId":"m"
            upheld ,"messageId":""
            broken ,"messageId":null
            broken ,"messageId":5
            broken ,"more":1
            silent ,"message_id":"m"
            "#,
        );
    }
    holds(
        "ACP-PATCH-001",
        "opened",
        r#"
        broken  a piece :: + update {"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"x"}}
        silent  no message :: + tool c title
        "#,
    );
}

#[test]
fn a_message_has_blocks_and_a_piece_has_one() {
    holds_with(
        "ACP-PATCH-002",
        r#"opened | update {"sessionUpdate":"agent_message","messageId":"m"$}"#,
        r#"
        upheld ,"content":[{"type":"text","text":"x"}]
        upheld ,"content":[]
        upheld ,"content":null
        upheld ,"more":1
        upheld ,"content":["x"]
        broken ,"content":{"type":"text","text":"x"}
        broken ,"content":"x"
        "#,
    );
    holds_with(
        "ACP-PATCH-002",
        r#"opened | update {"sessionUpdate":"agent_message_chunk","messageId":"m"$}"#,
        r#"
        upheld ,"content":{"type":"text","text":"x"}
        upheld ,"content":{"type":"text"}
        broken ,"content":[{"type":"text","text":"x"}]
        broken ,"content":null
        broken ,"more":1
        "#,
    );
    // What is within a block is CONTENT's, and what is none is not.
    holds_with(
        "ACP-CONTENT-001",
        r#"opened | update {"sessionUpdate":"agent_message_chunk","messageId":"m","content":$}"#,
        r#"
        broken {"type":"text"}
        silent [{"type":"text","text":"x"}]
        "#,
    );
    holds(
        "ACP-PROMPT-023",
        "opened",
        r#"upheld  a piece without content :: + update {"sessionUpdate":"session_info_update","title":"t"}"#,
    );
    crate::table::holds_in(
        "v1",
        "ACP-PROMPT-023",
        "opened",
        r#"
        broken  a piece without content :: + update {"sessionUpdate":"agent_message_chunk"}
        broken  a piece of a list :: + update {"sessionUpdate":"agent_message_chunk","content":[]}
        upheld  what is within a block is another row's :: + update {"sessionUpdate":"agent_message_chunk","content":{"type":"text"}}
        "#,
    );
}

#[test]
fn an_update_of_a_call_names_it_and_a_piece_has_one_item() {
    holds(
        "ACP-PATCH-007",
        "opened",
        r#"
        upheld  named :: + tool c title
        broken  a number :: + update {"sessionUpdate":"tool_call_update","toolCallId":5}
        broken  not named :: + update {"sessionUpdate":"tool_call_update","title":"t"}
        upheld  an item, whatever it is :: + update {"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"log"}}
        broken  a list :: + update {"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":[]}
        broken  no item :: + update {"sessionUpdate":"tool_call_content_chunk","toolCallId":"c"}
        broken  a piece of nothing :: + update {"sessionUpdate":"tool_call_content_chunk","content":{"type":"_x"}}
        "#,
    );
}

#[test]
fn terminals_have_their_members() {
    holds(
        "ACP-PATCH-008",
        "opened",
        r#"
        upheld  named :: + update {"sessionUpdate":"terminal_update","terminalId":"t","cwd":"relative"}
        upheld  cleared :: + update {"sessionUpdate":"terminal_update","terminalId":"t","cwd":null,"command":null}
        broken  not named :: + update {"sessionUpdate":"terminal_update","command":"c"}
        broken  a command of words :: + update {"sessionUpdate":"terminal_update","terminalId":"t","command":["c"]}
        broken  output of nothing :: + update {"sessionUpdate":"terminal_output_chunk","data":""}
        "#,
    );
    let chunk =
        r#"opened | update {"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":$}"#;
    let data = r#"
        upheld "ZG9uZQo="
        upheld ""
        broken "ZG9uZQo"
        broken "ZG9uZ"
        broken "do-_"
        broken "ZG9u\nZQo="
        broken 5
        "#;
    holds_with("ACP-PATCH-009", chunk, data);
    holds_with(
        "ACP-PATCH-009",
        r#"opened | update {"sessionUpdate":"terminal_update","terminalId":"t","output":$}"#,
        r#"
        upheld {"data":"ZG9uZQo="}
        broken {"data":"%"}
        broken {}
        broken "ZG9uZQo="
        silent null
        "#,
    );
    holds_with(
        "ACP-PATCH-010",
        r#"opened | update {"sessionUpdate":"terminal_update","terminalId":"t",$}"#,
        r#"
        upheld "exitStatus":{}
        upheld "exitStatus":{"exitCode":-1}
        upheld "exitStatus":{"exitCode":null,"signal":"SIGTERM"}
        upheld "size":{"cols":80,"rows":24}
        broken "exitStatus":0
        broken "exitStatus":{"exitCode":"0"}
        broken "size":{"cols":0,"rows":24}
        broken "size":{"cols":80}
        silent "exitStatus":null
        "#,
    );
}

#[test]
fn notices_and_compactions_have_their_members() {
    holds_with(
        "ACP-PATCH-014",
        r#"opened | update {"sessionUpdate":$}"#,
        r#"
        upheld "notice","severity":"info","title":"t"
        upheld "notice","severity":"_mine","title":"t","description":null
        broken "notice","severity":"info"
        broken "notice","severity":"info","title":""
        broken "notice","title":"t"
        upheld "compaction_update","compactionId":"c"
        upheld "compaction_update","compactionId":"c","status":"cancelled"
        upheld "compaction_update","compactionId":"c","status":null
        broken "compaction_update","compactionId":"c","status":"done"
        broken "compaction_update","status":"completed"
        upheld "compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x"}
        broken "compaction_summary_chunk","compactionId":"c"
        broken "compaction_summary_chunk","content":{"type":"text","text":"x"}
        upheld "subagent_update","sessionId":"t"
        broken "subagent_update","title":"t"
        silent "session_info_update","title":"t"
        "#,
    );
}

#[test]
fn a_child_is_announced_before_it_speaks() {
    let announced = r#"update {"sessionUpdate":"subagent_update","sessionId":"t"}"#;
    let speaks = r#"update @t {"sessionUpdate":"agent_message","messageId":"m","content":[]}"#;
    holds(
        "ACP-PATCH-015",
        "opened",
        &format!(
            r#"
            upheld  announced :: + {announced} | {speaks}
            broken  announced later :: + {speaks} | {announced}
            silent  never announced is another row's :: + {speaks}
            silent  a session of the client's :: + session 5 t | {speaks} | {announced}
            silent  it says nothing :: + {announced}
            silent  a session from before :: open | init | ask 1 session/resume {{"sessionId":"s","cwd":"/"}} | result 1 {{}} | {speaks} | {announced}
            "#
        ),
    );
}
