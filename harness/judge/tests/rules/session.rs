//! SESSION.

use crate::announced::{holds, holds_in};

#[test]
fn a_plain_session_is_made() {
    holds(
        "ACP-SESSION-001",
        "",
        r#"
        upheld  made :: + new 1 s
        upheld  an empty id is a remark :: + ask 1 session/new {"cwd":"/a","mcpServers":[]} | result 1 {"sessionId":""}
        broken  a number :: + ask 1 session/new {"cwd":"/a","mcpServers":[]} | result 1 {"sessionId":1}
        broken  no id :: + ask 1 session/new {"cwd":"/a","mcpServers":[]} | result 1 {}
        broken  refused :: + ask 1 session/new {"cwd":"/a","mcpServers":[]} | fails 1 -32602
        broken  no such method :: + ask 1 session/new {"cwd":"/a","mcpServers":[]} | fails 1 -32601
        unclear a login first :: + ask 1 session/new {"cwd":"/a","mcpServers":[]} | fails 1 -32000
        unclear a model is missing :: + ask 1 session/new {"cwd":"/a","mcpServers":[]} | fails 1 -32603
        upheld  it holds one session only :: + new 1 s | ask 2 session/new {"cwd":"/a","mcpServers":[]} | fails 2 -32602
        silent  the folder may not be there :: + ask 1 session/new {"cwd":"/no such folder","mcpServers":[]} | fails 1 -32602
        silent  a relative folder :: + ask 1 session/new {"cwd":"a","mcpServers":[]} | fails 1 -32602
        silent  a server that it may not like :: + ask 1 session/new {"cwd":"/a","mcpServers":[{"name":"m"}]} | fails 1 -32602
        silent  no answer :: + ask 1 session/new {"cwd":"/a","mcpServers":[]}
        silent  a recording that begins late :: ask 1 session/new {"cwd":"/a","mcpServers":[]} | fails 1 -32602
        "#,
    );
}

#[test]
fn every_session_has_an_id_of_its_own() {
    holds(
        "ACP-SESSION-002",
        "new 1 s",
        r#"
        upheld  another :: + new 2 t
        broken  the same :: + new 2 s
        broken  the same after it was closed :: + ask 3 session/close {"sessionId":"s"} | result 3 {} | new 2 s
        upheld  a second one is refused, the third is another :: + ask 3 session/new {} | fails 3 -32603 | new 2 t
        silent  one session :: + settles 9
        silent  another process counts from the start :: + on 2 | open | new 1 s
        "#,
    );
}

#[test]
fn servers_may_be_left_out() {
    holds(
        "ACP-SESSION-004",
        r#"ask 1 session/new {"cwd":"/a"}"#,
        r#"
        upheld  made :: + result 1 {"sessionId":"s"} | new 2 t
        broken  refused, and made with an empty list :: + fails 1 -32602 | new 2 t
        unclear refused both ways :: + fails 1 -32603 | ask 2 session/new {"cwd":"/a","mcpServers":[]} | fails 2 -32603
        silent  refused in another folder :: + fails 1 -32602 | new 2 t /b
        upheld  one session only :: + result 1 {"sessionId":"s"} | ask 2 session/new {"cwd":"/a","mcpServers":[]} | fails 2 -32603
        silent  one session only, the other way round :: ~ new 1 s | ask 2 session/new {"cwd":"/a"} | fails 2 -32603
        "#,
    );
}

#[test]
fn missing_servers_end_nobody() {
    holds(
        "ACP-SESSION-005",
        r#"ask 1 session/new {"cwd":"/a"}"#,
        r#"
        upheld  refused :: + fails 1 -32602
        upheld  made :: + result 1 {"sessionId":"s"}
        broken  dies :: + exit 101 nothing
        broken  never answers :: + deadline 1
        unclear dies after more was sent :: + ask 2 session/list {} | exit 101 nothing
        unclear dies whatever is asked :: ~ no-session | ask 1 session/new {"cwd":"/a"} | exit 101 nothing
        unclear never answers anything :: ~ no-session | ask 1 session/new {"cwd":"/a"} | deadline 1
        unclear cut :: + stopped
        silent  nothing is missing :: ~ new 1 s
        "#,
    );
}

#[test]
fn sessions_are_listed_under_their_own_folders() {
    holds(
        "ACP-SESSION-006",
        "new 1 s /a | new 2 t /b | ask 3 session/list {}",
        r#"
        upheld  each under its own :: + result 3 {"sessions":[{"sessionId":"t","cwd":"/b/"},{"sessionId":"s","cwd":"/a"}]}
        broken  both under one :: + result 3 {"sessions":[{"sessionId":"t","cwd":"/a"},{"sessionId":"s","cwd":"/a"}]}
        silent  a link was followed :: + result 3 {"sessions":[{"sessionId":"t","cwd":"/private/b"}]}
        silent  sessions of another day :: + result 3 {"sessions":[{"sessionId":"x","cwd":"/a"}]}
        silent  moved by a resume :: + ask 4 session/resume {"sessionId":"t","cwd":"/a"} | result 4 {} | result 3 {"sessions":[{"sessionId":"t","cwd":"/a"}]}
        silent  nothing is listed :: + result 3 {"sessions":[]}
        "#,
    );
}

#[test]
fn paths_are_absolute() {
    holds(
        "ACP-SESSION-007",
        "new 1 s",
        r#"
        upheld  POSIX :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"/a/b"}]}
        upheld  a drive :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"C:\\a"}]}
        upheld  a drive with the other slash :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"c:/a"}]}
        upheld  a share :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"\\\\host\\a"}]}
        silent  a file URI is a remark :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"file:///a"}]}
        broken  relative :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"src/main.rs"}]}
        broken  in a diff :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","path":"a","newText":"","changes":[{"path":"a"}]}]}
        broken  in a list :: + ask 3 session/list {} | result 3 {"sessions":[{"sessionId":"s","cwd":"a"}]}
        broken  an additional directory :: + ask 3 session/list {} | result 3 {"sessions":[{"sessionId":"s","cwd":"/a","additionalDirectories":["lib"]}]}
        broken  of a plan :: + update s {"sessionUpdate":"plan_update","plan":{"type":"markdown","path":"plan.md"}}
        silent  a title that looks like one :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","title":"src/main.rs"}
        silent  raw input :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{"path":"a"}}
        silent  of another type :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":5}]}
        "#,
    );
    holds_in(
        "v1",
        "ACP-SESSION-007",
        "new 1 s",
        r#"
        broken  a file to read :: + S {"jsonrpc":"2.0","id":5,"method":"fs/read_text_file","params":{"sessionId":"s","path":"a"}}
        upheld  a terminal's folder :: + S {"jsonrpc":"2.0","id":5,"method":"terminal/create","params":{"sessionId":"s","command":"ls","cwd":"/a"}}
        "#,
    );
}

#[test]
fn lines_are_counted_from_one() {
    holds(
        "ACP-SESSION-010",
        "new 1 s",
        r#"
        upheld  the first :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"/a","line":1}]}
        broken  zero :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"/a","line":1},{"path":"/a","line":0}]}
        broken  of a permission request :: + S {"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"toolCall":{"locations":[{"line":0}]},"subject":{"toolCall":{"locations":[{"line":0}]}}}}
        silent  none :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"/a","line":null}]}
        silent  of another type is for the shapes :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"/a","line":"0"}]}
        "#,
    );
}

#[test]
fn relative_folders_are_refused() {
    holds(
        "ACP-SESSION-009",
        r#"ask 1 session/new {"cwd":".","mcpServers":[]}"#,
        r#"
        upheld  refused :: + fails 1 -32602
        upheld  with another code :: + fails 1 -32603
        broken  made :: + result 1 {"sessionId":"s"}
        silent  no answer :: + settles 9
        silent  absolute :: ~ new 1 s
        silent  absolute elsewhere :: ~ new 1 s C:\\a
        silent  empty :: ~ ask 1 session/new {"cwd":"","mcpServers":[]} | result 1 {"sessionId":"s"}
        "#,
    );
}

#[test]
fn sessions_are_independent() {
    holds(
        "ACP-SESSION-011",
        "new 1 s | new 2 t | prompt 3 /say for the first | prompt 4 @t /say for the second",
        r#"
        upheld  each says its own :: + says for the first | update t {"sessionUpdate":"agent_message_chunk","messageId":"n","content":{"type":"text","text":"for the second"}} | done 3 | done 4 @t
        broken  one speaks in the other :: + says for the second
        silent  one says what nobody asked for :: + says for the third | done 3 | done 4 @t
        silent  in pieces :: + says for the | done 3
        silent  what the user said :: + update s {"sessionUpdate":"user_message_chunk","messageId":"u","content":{"type":"text","text":"for the second"}}
        "#,
    );
    holds(
        "ACP-SESSION-011",
        "new 1 s",
        r#"
        broken  a second session is refused :: + ask 2 session/new {"cwd":"/a","mcpServers":[]} | fails 2 -32603
        silent  in another folder :: + ask 2 session/new {"cwd":"/b","mcpServers":[]} | fails 2 -32603
        silent  a login first :: + ask 2 session/new {"cwd":"/a","mcpServers":[]} | fails 2 -32000
        silent  no such method is another row's :: + ask 2 session/new {"cwd":"/a","mcpServers":[]} | fails 2 -32601
        silent  both were told the same :: + new 2 t | prompt 3 /say the same words | prompt 4 @t /say the same words | says the same words
        "#,
    );
}

#[test]
fn updates_name_known_sessions() {
    let title = r#"{"sessionUpdate":"session_info_update","title":"t"}"#;
    let table = r#"
        upheld  made here :: + new 1 s | update s $
        upheld  before the answer that names it :: + ask 1 session/new {"cwd":"/a"} | update s $ | result 1 {"sessionId":"s"}
        upheld  loaded :: + ask 1 session/load {"sessionId":"x","cwd":"/a"} | update x $ | result 1 {}
        upheld  listed :: + ask 1 session/list {} | result 1 {"sessions":[{"sessionId":"x","cwd":"/a"}]} | update x $
        upheld  a subagent :: + new 1 s | update s {"sessionUpdate":"subagent_update","sessionId":"x"} | update x $
        broken  nobody named it :: + new 1 s | update x $
        unclear an answer is due :: + ask 1 session/new {"cwd":"/a"} | update x $
        unclear the script gave up :: + update x $ | stopped
        silent  begun late :: on 1 | update x $
        silent  the replay of another one is LOAD-006's :: + ask 1 session/load {"sessionId":"y","cwd":"/a"} | update x $ | result 1 {}
        "#;
    holds("ACP-SESSION-012", "", &table.replace('$', title));
}

#[test]
fn a_busy_new_session_tells_its_state() {
    let running = r#"update s {"sessionUpdate":"state_update","state":"running"}"#;
    let idle = r#"update s {"sessionUpdate":"state_update","state":"idle"}"#;
    let table = r#"
        upheld  nothing was told :: + new 1 s
        upheld  idle :: + ask 1 session/new {"cwd":"/a"} | $idle | result 1 {"sessionId":"s"}
        upheld  running, and told again :: + ask 1 session/new {"cwd":"/a"} | $running | result 1 {"sessionId":"s"} | $running | settles 9
        broken  running, and silence :: + ask 1 session/new {"cwd":"/a"} | $running | result 1 {"sessionId":"s"} | settles 9
        unclear running, and prompted :: + ask 1 session/new {"cwd":"/a"} | $running | result 1 {"sessionId":"s"} | prompt 2 hello
        unclear cut :: + ask 1 session/new {"cwd":"/a"} | $running | result 1 {"sessionId":"s"}
        "#;
    let table = table.replace("$running", running).replace("$idle", idle);
    holds("ACP-SESSION-013", "", &table);
}

#[test]
fn lists_in_results_are_arrays() {
    holds(
        "ACP-SESSION-015",
        r#"ask 1 session/new {"cwd":"/a"}"#,
        r#"
        upheld  arrays :: + result 1 {"sessionId":"s","configOptions":[],"availableCommands":[]}
        broken  null :: + result 1 {"sessionId":"s","configOptions":null}
        broken  an object :: + result 1 {"sessionId":"s","availableCommands":{}}
        silent  left out :: + result 1 {"sessionId":"s"}
        silent  refused :: + fails 1 -32603
        "#,
    );
}

#[test]
fn system_prompts() {
    let prompt = |mode: &str, kind: &str| {
        format!(
            r#"ask 1 session/new {{"cwd":"/a","mcpServers":[],"systemPrompt":{{"mode":"{mode}","content":[{{"type":"{kind}","text":"t"}}]}}}}"#
        )
    };
    for (mode, kind) in [("_x", "text"), ("override", "text"), ("append", "image")] {
        holds(
            "ACP-SESSION-018",
            &prompt(mode, kind),
            r#"
            upheld  refused :: + fails 1 -32602
            upheld  with another code :: + fails 1 -32603
            broken  made :: + result 1 {"sessionId":"s"}
            "#,
        );
    }
    holds(
        "ACP-SESSION-018",
        &prompt("append", "text"),
        r#"silent  one that it takes :: + result 1 {"sessionId":"s"}"#,
    );
    holds(
        "ACP-SESSION-019",
        &prompt("append", "text"),
        r#"
        upheld  taken :: + result 1 {"sessionId":"s"}
        broken  refused, and made without :: + fails 1 -32602 | new 2 s
        unclear refused both ways :: + fails 1 -32602 | ask 2 session/new {"cwd":"/a","mcpServers":[]} | fails 2 -32602
        unclear a login first :: + fails 1 -32000 | new 2 s
        silent  refused, and nothing to compare :: + fails 1 -32602
        silent  it announces nothing :: opened | ask 7 session/new {"cwd":"/","systemPrompt":{"mode":"append","content":[{"type":"text","text":"t"}]}} | fails 7 -32602 | ask 8 session/new {"cwd":"/"} | result 8 {"sessionId":"x"}
        "#,
    );
}

#[test]
fn odd_folders_end_nobody() {
    for folder in ["/a b", "/ä", "/a/"] {
        holds(
            "ACP-SESSION-020",
            &format!(r#"ask 1 session/new {{"cwd":"{folder}","mcpServers":[]}}"#),
            r#"
            upheld  refused :: + fails 1 -32603
            upheld  made :: + result 1 {"sessionId":"s"}
            broken  dies :: + exit 101 nothing
            broken  never answers :: + deadline 1
            unclear ended by us :: + eof C | exit 0 close
            silent  an ordinary one :: ~ new 1 s /a-b_c.d/e
            "#,
        );
    }
}
