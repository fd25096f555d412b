//! LOAD.

use crate::announced::holds;

/// A conversation in another process, which is loaded in this one.
const KEPT: &str = r#"new 1 s | prompt 2 /say kept | says kept | done 2 | on 2 | open | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}} | S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}} | ask 3 session/load {"sessionId":"s","cwd":"/a","mcpServers":[]}"#;
const USER: &str = r#"update s {"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"/say kept"}}"#;
const AGENT: &str =
    r#"update s {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"kept"}}"#;

fn filled(table: &str) -> String {
    table.replace("$user", USER).replace("$agent", AGENT)
}

#[test]
fn a_conversation_is_replayed_before_the_answer() {
    holds(
        "ACP-LOAD-001",
        KEPT,
        &filled(
            r#"
            upheld  both sides :: + $user | $agent | result 3 {}
            upheld  with other words of the agent :: + $user | update s {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"in short: kept"}} | result 3 null
            upheld  a tool call is something of the agent :: + $user | update s {"sessionUpdate":"tool_call","toolCallId":"c","title":"t"} | result 3 {}
            broken  nothing :: + result 3 {} | settles 9
            broken  the agent alone :: + $agent | result 3 {} | settles 9
            silent  it comes too late, which is another row's :: + result 3 {} | $user | $agent | settles 9
            unclear not kept :: + fails 3 -32002
            unclear prompted at once :: + result 3 {} | prompt 4 hello
            unclear cut :: + result 3 {}
            silent  no answer :: + $user
            "#,
        ),
    );
    holds(
        "ACP-LOAD-001",
        "new 1 s",
        r#"
        silent  nothing was said :: + on 2 | open | ask 3 session/load {"sessionId":"s","cwd":"/a"} | result 3 {} | settles 9
        silent  active already :: + prompt 2 /say kept | says kept | done 2 | ask 3 session/load {"sessionId":"s","cwd":"/a"} | result 3 {} | settles 9
        silent  the turn was refused :: + prompt 2 /say kept | says kept | stops 2 refusal | on 2 | open | ask 3 session/load {"sessionId":"s","cwd":"/a"} | result 3 {} | settles 9
        "#,
    );
    holds(
        "ACP-LOAD-002",
        KEPT,
        &filled(
            r#"
            upheld  all before :: + $user | $agent | result 3 {} | settles 9
            upheld  a mode after :: + $user | $agent | result 3 {} | update s {"sessionUpdate":"current_mode_update","currentModeId":"m"} | settles 9
            upheld  something new after :: + $user | result 3 {} | update s {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Welcome back!"}} | settles 9
            broken  after :: + $user | result 3 {} | $agent
            unclear prompted at once :: + $user | result 3 {} | prompt 4 hello
            unclear loaded again :: + result 3 {} | ask 4 session/load {"sessionId":"s","cwd":"/a"}
            silent  loaded twice at once :: + ask 4 session/load {"sessionId":"s","cwd":"/a"} | $user | $agent | result 3 {} | $user
            silent  refused :: + fails 3 -32002 | settles 9
            "#,
        ),
    );
}

#[test]
fn results_and_ids_of_a_replay() {
    holds(
        "ACP-LOAD-005",
        KEPT,
        r#"
        upheld  null :: + result 3 null
        upheld  nothing :: + result 3 {}
        upheld  modes :: + result 3 {"modes":null,"configOptions":[]}
        broken  messages :: + result 3 []
        broken  a text :: + result 3 "loaded"
        silent  an error :: + fails 3 -32002
        "#,
    );
    holds(
        "ACP-LOAD-006",
        KEPT,
        &filled(
            r#"
            upheld  under its id :: + $user | result 3 {}
            upheld  another session is at work :: + ask 4 session/new {"cwd":"/a"} | result 4 {"sessionId":"t"} | $user | update t {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}} | result 3 {}
            upheld  a title of another one :: + $user | update x {"sessionUpdate":"session_info_update","title":"t"} | result 3 {}
            broken  under another :: + update x {"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"/say kept"}} | result 3 {}
            broken  a number for a messageId :: + update s {"sessionUpdate":"user_message_chunk","messageId":5,"content":{"type":"text","text":"/say kept"}} | result 3 {}
            silent  refused :: + update x {"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"a"}} | fails 3 -32002
            silent  nothing came :: + result 3 {}
            "#,
        ),
    );
}

#[test]
fn unknown_and_loaded_sessions() {
    holds(
        "ACP-LOAD-007",
        r#"ask 1 session/load {"sessionId":"elenchus-nobody","cwd":"/a"}"#,
        r#"
        upheld  refused :: + fails 1 -32002
        upheld  with another code :: + fails 1 -32603
        broken  loaded :: + result 1 {}
        silent  one of another day :: + ask 2 session/load {"sessionId":"old","cwd":"/a"} | result 2 {}
        "#,
    );
    holds(
        "ACP-LOAD-008",
        &format!("{KEPT} | result 3 {{}} | prompting 4 /say again"),
        r#"
        upheld  a turn :: + done 4
        upheld  refused by the model :: + stops 4 refusal
        broken  not found :: + fails 4 -32002
        broken  no such method :: + fails 4 -32601
        unclear the model is gone :: + fails 4 -32603
        silent  no answer :: + settles 9
        silent  closed again :: ~ new 1 s | ask 2 session/load {"sessionId":"s","cwd":"/a"} | result 2 {} | ask 3 session/close {"sessionId":"s"} | result 3 {} | prompting 4 hello | fails 4 -32002
        "#,
    );
}
