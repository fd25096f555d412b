//! INIT, the part about the course of a connection, and JSONRPC about requests that cannot be carried out.

use crate::table::{holds, holds_in, holds_with};

#[test]
fn an_unknown_method_is_not_found() {
    holds(
        "ACP-JSONRPC-010",
        "opened | ask 2 elenchus/undefined {}",
        r"
        upheld  -32601 :: + fails 2 -32601
        broken  another code :: + fails 2 -32603
        broken  invalid request :: + fails 2 -32600
        unclear a login first :: + fails 2 -32000
        silent  no answer :: + exit 0 close
        silent  a result is no error :: + result 2 {}
        silent  before initialize :: open | ask 2 elenchus/undefined {} | fails 2 -32600
        silent  with an underscore it is another row's :: opened | ask 2 _elenchus/x {} | fails 2 -32603
        silent  a known method may fail :: opened | ask 2 session/prompt {} | fails 2 -32603
        silent  a method that we do not know may be its own :: opened | ask 2 vendor/x {} | fails 2 -32603
        ",
    );
    holds_in(
        "v1",
        "ACP-JSONRPC-010",
        "opened",
        r#"
        upheld  not announced :: + ask 2 session/delete {"sessionId":"x"} | fails 2 -32601
        broken  not announced, and refused otherwise :: + ask 2 session/delete {"sessionId":"x"} | fails 2 -32002
        broken  not announced, and its params are called invalid :: + ask 2 session/delete {"sessionId":"x"} | fails 2 -32602
        unclear not announced, and its params are invalid besides :: + ask 2 session/delete {"sessionId":5} | fails 2 -32602
        silent  not announced, and it works :: + ask 2 session/delete {"sessionId":"x"} | result 2 {}
        "#,
    );
}

#[test]
fn bad_params_are_told() {
    holds_with(
        "ACP-JSONRPC-012",
        r"opened | ask 2 session/new $",
        r#"
        upheld {"cwd":5,"mcpServers":[]} | fails 2 -32602
        upheld {"mcpServers":[]} | fails 2 -32602
        upheld {"cwd":null,"mcpServers":[]} | fails 2 -32602
        broken {"cwd":5,"mcpServers":[]} | result 2 {"sessionId":"t"}
        broken {"mcpServers":[]} | result 2 {"sessionId":"t"}
        silent {"cwd":5,"mcpServers":[]} | fails 2 -32603
        silent {"cwd":5,"mcpServers":[]} | fails 2 -32000
        silent {"cwd":"/","mcpServers":5} | result 2 {"sessionId":"t"}
        silent {"cwd":"relative","mcpServers":[]} | result 2 {"sessionId":"t"}
        silent {"cwd":"/","mcpServers":[]} | fails 2 -32602
        silent {"cwd":5} | exit 1 nothing
        "#,
    );
    holds(
        "ACP-JSONRPC-012",
        "opened",
        r#"
        upheld  a prompt of text :: + ask 2 session/prompt {"sessionId":"s","prompt":"hi"} | fails 2 -32602
        upheld  no session :: + ask 2 session/prompt {"prompt":[]} | fails 2 -32602
        silent  an unknown session :: + ask 2 session/prompt {"sessionId":"x","prompt":[]} | fails 2 -32602
        silent  it has no such method :: + ask 2 session/delete {"sessionId":5} | fails 2 -32601
        silent  params by position :: + ask 2 session/new ["/"] | fails 2 -32602
        silent  before initialize :: open | ask 2 session/new {} | result 2 {"sessionId":"t"}
        "#,
    );
}

#[test]
fn ids_are_plain_in_v1() {
    holds_with(
        "ACP-JSONRPC-017",
        r#"opened | S {"jsonrpc":"2.0","id":$,"method":"session/request_permission","params":{"sessionId":"s"}}"#,
        r#"
        upheld 7
        upheld 0
        upheld -1
        upheld "a"
        upheld ""
        upheld 7.0
        upheld 1e3
        broken null
        broken 1.5
        broken true
        broken {}
        "#,
    );
}

#[test]
fn a_turn_keeps_nothing_else_waiting() {
    holds(
        "ACP-JSONRPC-025",
        "opened | prompt 2 /hold",
        r#"
        upheld  a custom method :: + ask 3 _x {} | fails 3 -32601 | stops 2 cancelled
        upheld  a fence :: + settles "f" | stops 2 cancelled
        upheld  a list, late but during the turn :: + ask 3 session/list {} | deadline 3 | result 3 {"sessions":[]} | stops 2 cancelled
        broken  it waits for the end :: + ask 3 _x {} | deadline 3 | cancelled | stops 2 cancelled | fails 3 -32601
        broken  a fence waits for the end :: + fence "f" | ask "f" _elenchus/fence {} | deadline "f" | stops 2 cancelled | fails "f" -32601
        silent  the end came at once :: + ask 3 _x {} | stops 2 cancelled | fails 3 -32601
        silent  the deadline was after the end :: + ask 3 _x {} | stops 2 cancelled | deadline 3 | fails 3 -32601
        unclear it is never answered, which is another row's :: + ask 3 _x {} | deadline 3 | stops 2 cancelled | exit 0 close
        silent  a second prompt may wait :: + ask 3 session/prompt {"sessionId":"s","prompt":[]} | deadline 3 | stops 2 cancelled | result 3 {}
        silent  a new session may take its time :: + ask 3 session/new {"cwd":"/","mcpServers":[]} | deadline 3 | stops 2 cancelled | result 3 {"sessionId":"t"}
        silent  a mode may have to wait :: + ask 3 session/set_mode {"sessionId":"s","modeId":"m"} | deadline 3 | stops 2 cancelled | result 3 {}
        silent  no turn is under way :: opened | ask 3 _x {} | fails 3 -32601
        "#,
    );
}

#[test]
fn params_that_are_all_optional_may_be_left_out() {
    let bare = r#"C {"jsonrpc":"2.0","id":3,"method":"session/list"}"#;
    let start =
        format!(r#"opened | ask 2 session/list {{}} | result 2 {{"sessions":[]}} | {bare}"#);
    holds(
        "ACP-JSONRPC-026",
        &start,
        &format!(
            r#"
            upheld  a list :: + result 3 {{"sessions":[]}}
            broken  refused :: + fails 3 -32602
            upheld  a list, first of all :: opened | {bare} | result 3 {{"sessions":[]}}
            unclear a list does not come otherwise either :: opened | ask 2 session/list {{}} | fails 2 -32601 | {bare} | fails 3 -32601
            unclear a list may not come otherwise either :: opened | {bare} | fails 3 -32601
            silent  null is information only :: opened | ask 2 session/list {{}} | result 2 {{"sessions":[]}} | ask 3 session/list null | fails 3 -32602
            "#
        ),
    );
}

#[test]
fn an_odd_version_is_no_reason_to_die() {
    let asks = |version: &str| format!("open | asks {version}");
    for version in [r#""1""#, "-1", "70000", "1.5", "null", "[1]"] {
        holds(
            "ACP-INIT-010",
            &asks(version),
            r"
            upheld  refused :: + refuses -32602
            upheld  refused otherwise, which is a remark :: + refuses -32603
            upheld  lenient, which is a remark :: + offers 1
            broken  it dies :: + exit 101 nothing
            broken  it says nothing :: + deadline 0
            unclear we ended it :: + eof C | exit 0 close
            ",
        );
    }
    holds(
        "ACP-INIT-010",
        &asks("65535"),
        "silent a version in range is another row's :: + exit 101 nothing",
    );
}

#[test]
fn the_agent_says_who_it_is() {
    holds_with(
        "ACP-INIT-017",
        r#"open | initializing | S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1$}}"#,
        r#"
        upheld ,"agentInfo":{"name":"a","version":"1"}
        upheld ,"agentInfo":{"name":5}
        broken ,"agentInfo":null
        broken ,"agentCapabilities":{}
        "#,
    );
    holds(
        "ACP-INIT-017",
        "open | initializing",
        r#"
        silent  an error :: + refuses -32603
        silent  a result of another version :: + S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}
        silent  no object :: + S {"jsonrpc":"2.0","id":0,"result":null}
        "#,
    );
}

#[test]
fn a_client_that_does_not_say_who_it_is_is_refused_in_v2() {
    holds(
        "ACP-INIT-018",
        r#"speaks 2 | open | ask 0 initialize {"protocolVersion":2,"capabilities":{}}"#,
        r#"
        upheld  refused :: + refuses -32602
        upheld  lenient, which is a remark :: + offers 2
        broken  it dies :: + exit 101 nothing
        broken  it says nothing :: + deadline 0
        silent  it does not speak version 2 :: open | ask 0 initialize {"protocolVersion":2} | exit 101 nothing
        silent  another version :: speaks 2 | open | ask 0 initialize {"protocolVersion":1} | exit 101 nothing
        silent  it says who it is :: speaks 2 | open | asks 2 | exit 101 nothing
        "#,
    );
}

#[test]
fn any_client_gets_a_session() {
    let new = r#"ask 1 session/new {"cwd":"/","mcpServers":[]}"#;
    holds(
        "ACP-INIT-022",
        &format!("opened | on 1 | open | init absent | {new}"),
        &format!(
            r#"
            upheld  it does :: + result 1 {{"sessionId":"t"}}
            broken  it does not :: + fails 1 -32603
            unclear a login first :: + fails 1 -32000
            silent  no answer :: + exit 1 nothing
            silent  with the same capabilities it is another row's :: opened | on 1 | open | init | {new} | fails 1 -32603
            silent  with other params :: opened | on 1 | open | init absent | ask 1 session/new {{"cwd":"/x","mcpServers":[]}} | fails 1 -32603
            silent  capabilities that are none :: opened | on 1 | open | init 5 | {new} | fails 1 -32603
            silent  nobody gets one :: open | init | {new} | fails 1 -32603 | on 1 | open | init absent | {new} | fails 1 -32603
            "#
        ),
    );
}

#[test]
fn what_works_is_announced() {
    holds(
        "ACP-INIT-024",
        "opened | ask 2 session/delete {\"sessionId\":\"x\"}",
        r#"
        upheld  it does not exist :: + fails 2 -32601
        broken  it works :: + result 2 {}
        silent  another error is another row's :: + fails 2 -32002
        silent  what every agent has :: opened | ask 2 session/new {"cwd":"/","mcpServers":[]} | result 2 {"sessionId":"t"}
        silent  a login, which version 1 counts among the first methods :: opened | ask 2 authenticate {"methodId":"x"} | result 2 {}
        silent  a method of its own :: opened | ask 2 vendor/x {} | result 2 {}
        silent  logging out is not for us to try :: opened | ask 2 logout {} | result 2 {}
        "#,
    );
    holds_in(
        "v1",
        "ACP-INIT-024",
        r#"open | initializing | result 0 {"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"delete":{}}}}"#,
        "upheld it is announced :: + ask 2 session/delete {\"sessionId\":\"x\"} | result 2 {}",
    );
}

#[test]
fn a_second_initialize_disturbs_nothing() {
    let again = |answer: &str| format!("opened | asks 1 | {answer} | prompt 5 hi");
    let start = again("refuses -32600");
    holds(
        "ACP-INIT-030",
        &start,
        r#"
        upheld  the session goes on :: + says x | done 5
        silent  its prompt is no prompt :: opened | asks 1 | refuses -32600 | ask 5 session/prompt {"sessionId":"s"} | fails 5 -32602
        broken  it is gone :: opened | asks 1 | refuses -32600 | prompting 5 hi | fails 5 -32002
        broken  it dies :: opened | asks 1 | refuses -32600 | prompting 5 hi | exit 1 nothing
        unclear the model fails :: opened | asks 1 | refuses -32600 | prompting 5 hi | fails 5 -32603
        unclear it was ended :: + eof C | exit 0 close
        silent  it was never asked again :: opened | prompt 5 hi | done 5
        silent  a session from after it :: open | init | asks 1 | refuses -32600 | session 1 s | prompt 5 hi | done 5
        "#,
    );
    holds_in(
        "v1",
        "ACP-INIT-030",
        &again("offers 1"),
        r"
        upheld  it is answered as before :: + done 5
        broken  with another version :: opened | asks 2 | offers 2 | prompt 5 hi
        ",
    );
}

#[test]
fn nothing_is_served_before_initialize() {
    let early = r#"open | ask 1 session/new {"cwd":"/","mcpServers":[]}"#;
    holds(
        "ACP-INIT-031",
        early,
        r#"
        upheld  refused :: + fails 1 -32600
        upheld  refused otherwise, which is a remark :: + fails 1 -32002
        broken  a session :: + result 1 {"sessionId":"t"}
        broken  it dies :: + exit 1 nothing
        silent  it says nothing :: + eof C | exit 0 close
        silent  after initialize :: opened | ask 2 session/new {} | result 2 {"sessionId":"t"}
        silent  it was not the first line :: open | C nonsense | ask 1 session/new {} | exit 1 nothing
        silent  the recording begins later :: ask 1 session/new {} | result 1 {"sessionId":"t"}
        "#,
    );
    holds(
        "ACP-INIT-036",
        early,
        r#"
        upheld  refused :: + fails 1 -32600
        upheld  a session, which is a remark :: + result 1 {"sessionId":"t"}
        broken  it dies :: + exit 1 nothing
        silent  it says nothing :: + eof C | exit 0 close
        "#,
    );
}

#[test]
fn initialize_waits_for_nobody() {
    holds(
        "ACP-INIT-032",
        "speaks 1 | speaks 2 | open | initializing",
        r"
        upheld  a result :: + offers 1
        silent  under another id it is another row's :: + fails 77 -32603 | deadline 0
        upheld  an error :: + refuses -32603
        broken  nothing :: + deadline 0
        silent  it dies :: + exit 1 nothing
        silent  a version that it may not speak :: open | initializing | deadline 0
        ",
    );
}

#[test]
fn what_comes_while_it_starts_is_not_lost() {
    holds(
        "ACP-INIT-037",
        "open | initializing | ask 1 session/list {}",
        r#"
        upheld  answered :: + offers 1 | result 1 {"sessions":[]}
        upheld  refused, before initialize is answered :: + fails 1 -32600 | offers 1
        broken  lost :: + offers 1 | settles "f" | deadline 1 | eof C | exit 0 close
        broken  it dies :: + exit 1 nothing
        unclear nothing later was answered either :: + offers 1 | deadline 1 | eof C | exit 0 close
        unclear we were in a hurry :: + offers 1 | settles "f" | eof C | exit 0 close
        silent  after the answer :: opened | ask 2 session/list {} | settles "f" | deadline 2 | exit 0 close
        silent  a session may take its time :: open | initializing | ask 1 session/new {} | offers 1 | settles "f" | deadline 1 | exit 0 close
        "#,
    );
}
