//! INIT: how a client begins, and what it makes of the agent's answer.

use crate::clients::{holds, holds_in};

#[test]
fn initialize_comes_first() {
    holds(
        "ACP-INIT-001",
        "hails",
        r#"
        upheld  the usual way :: + welcomes {} | session
        upheld  once more, before anything else :: + welcomes {} | initializing
        upheld  a login, which is a remark :: + ask 5 authenticate {"methodId":"m"}
        upheld  it was refused, and that is INIT-034's :: + refuses -32603 | session
        broken  a session before it :: open client | session
        broken  a session right behind it :: + session
        broken  a list right behind it :: + ask 1 session/list {}
        silent  the recording begins in the middle :: session
        "#,
    );
}

#[test]
fn the_version_is_an_integer() {
    let with = |version: &str| {
        format!(
            r#"C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{{version}"clientCapabilities":{{}},"info":{{"name":"c","version":"1"}}}}}}"#
        )
    };
    let table: Vec<String> = [
        ("upheld", "1", r#""protocolVersion":1,"#),
        (
            "upheld",
            "one that nobody speaks",
            r#""protocolVersion":65535,"#,
        ),
        ("silent", "1.0 is a remark", r#""protocolVersion":1.0,"#),
        ("broken", "a text", r#""protocolVersion":"1","#),
        ("broken", "a date", r#""protocolVersion":"2026-01-01","#),
        ("broken", "a fraction", r#""protocolVersion":1.5,"#),
        ("broken", "too large", r#""protocolVersion":65536.5,"#),
        ("broken", "null", r#""protocolVersion":null,"#),
        ("broken", "none", ""),
    ]
    .iter()
    .map(|(verdict, about, version)| format!("{verdict} {about} :: + {}", with(version)))
    .collect();
    holds("ACP-INIT-003", "open client", &table.join("\n"));
}

#[test]
fn a_version_that_does_not_exist_ends_the_connection() {
    holds(
        "ACP-INIT-012",
        "hails",
        "
        upheld  it leaves :: + offers 9 | eof C | exit 0 nothing
        upheld  it leaves, and says so with its exit code :: + offers 9 | eof C | exit 1 nothing
        broken  a session all the same :: + offers 9 | session
        broken  a list :: + offers 9 | ask 1 session/list {}
        unclear it waits :: + offers 9 | calm 8 | eof S | eof C | exit 0 close
        silent  another try :: + offers 9 | initializing
        silent  one that exists :: + offers 1 | eof C | exit 0 nothing
        silent  an error :: + refuses -32022 | eof C | exit 0 nothing
        silent  the version that it had asked for :: open client | asks 9 | offers 9 | session
        ",
    );
}

#[test]
fn version_2_says_who_asks() {
    let with = |members: &str| {
        format!(
            r#"C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":2{members}}}}}"#
        )
    };
    let table: Vec<String> = [
        (
            "upheld",
            "all",
            r#","info":{"name":"c","version":"1"},"capabilities":{}"#,
        ),
        (
            "upheld",
            "no capabilities",
            r#","info":{"name":"c","version":"1"}"#,
        ),
        ("upheld", "wrong info is INIT-016's", r#","info":7"#),
        (
            "broken",
            "the names of version 1",
            r#","clientInfo":{"name":"c","version":"1"},"clientCapabilities":{}"#,
        ),
        ("broken", "nothing", ""),
    ]
    .iter()
    .map(|(verdict, about, members)| format!("{verdict} {about} :: + {}", with(members)))
    .collect();
    holds("ACP-INIT-015", "open client", &table.join("\n"));
    holds(
        "ACP-INIT-015",
        "open client",
        "silent version 1 :: + asks 1",
    );
}

#[test]
fn an_agent_without_sessions_is_asked_for_none() {
    holds(
        "ACP-INIT-028",
        "hails",
        r#"
        upheld  it leaves :: + welcomes {} | eof C | exit 0 nothing
        upheld  it waits :: + welcomes {} | calm 8
        upheld  with null :: + welcomes {"session":null} | calm 8
        broken  a session :: + welcomes {} | session
        broken  a list :: + welcomes {"session":null} | ask 1 session/list {}
        silent  an agent that has them :: + welcomes {"session":{}} | session | calm 8
        silent  a marker of a wrong type :: + welcomes {"session":true} | session
        silent  version 1 :: + offers 1 | session
        "#,
    );
}

#[test]
fn after_an_initialize_that_failed_comes_no_session() {
    holds(
        "ACP-INIT-034",
        "hails",
        "
        upheld  it leaves :: + refuses -32603 | eof C | exit 0 nothing
        upheld  it waits :: + refuses -32603 | calm 8
        broken  a session :: + refuses -32603 | session
        silent  another try :: + refuses -32603 | initializing
        silent  it did not fail :: + welcomes {} | session
        ",
    );
}

const ODD: &str = r#","elenchusNews":{"a":1}"#;

#[test]
fn what_nobody_knows_in_the_answer_is_no_reason_to_stop() {
    let odd = format!("hails | welcomes {{\"session\":{{}}}} {ODD}");
    let table = r#"
        upheld  it goes on :: + session
        unclear it goes nowhere, here or elsewhere :: + eof C | exit 0 nothing
        unclear another connection has another version :: + on 1 | open client | asks 9 | offers 9 | session | on 0 | eof C | exit 0 nothing
        broken  it leaves, and elsewhere it did not :: + on 1 | hails | welcomes {"session":{}} | session | on 0 | eof C | exit 0 nothing
        broken  it hangs :: + on 1 | hails | welcomes {"session":{}} | session | on 0 | request-deadline session/new
        broken  it dies :: + on 1 | hails | welcomes {"session":{}} | session | on 0 | ask 5 _x {} | exit 101 nothing
        unclear it was let go :: + on 1 | hails | welcomes {"session":{}} | session | on 0 | eof S | eof C | exit 0 close
        "#;
    holds("ACP-INIT-033", &odd, table);
    holds(
        "ACP-INIT-033",
        "hails",
        r#"
        silent  nothing odd :: + welcomes {"session":{}} | eof C | exit 0 nothing
        upheld  a null :: + welcomes {"session":{}} ,"agentInfo":null | session
        upheld  a way to log in of a kind of its own :: + welcomes {"session":{}} ,"authMethods":[{"id":"x","methodId":"x","name":"X","type":"_elenchus"}] | session
        silent  the usual ways to log in :: + welcomes {"session":{}} ,"authMethods":[{"id":"x","methodId":"x","name":"X","type":"agent"}] | session
        "#,
    );
    let unknown = r#"hails | welcomes {"session":{},"elenchusNews":{}}"#;
    holds("ACP-INIT-023", unknown, table);
    holds(
        "ACP-INIT-023",
        "hails",
        r#"
        upheld  in a _meta :: + welcomes {"session":{},"_meta":{"x":1}} | session
        silent  known ones :: + welcomes {"session":{},"auth":{}} | session
        "#,
    );
    let early = r#"hails | notes _elenchus/early {} | welcomes {"session":{}}"#;
    holds("ACP-INIT-037", early, table);
    holds(
        "ACP-INIT-037",
        "hails",
        r#"silent after the answer :: + welcomes {"session":{}} | notes _elenchus/late {} | session"#,
    );
}

#[test]
fn the_capabilities_of_the_agent_make_no_difference() {
    let plain = r#"on 1 | hails | welcomes {"session":{}} | session | on 0 | hails"#;
    holds_in(
        "v2",
        "ACP-INIT-022",
        plain,
        r#"
        upheld  a session here too :: + welcomes {"session":{},"auth":{}} | session
        broken  none here :: + welcomes {"session":{},"auth":{}} | eof C | exit 0 nothing
        silent  the same capabilities :: + welcomes {"session":{}} | eof C | exit 0 nothing
        silent  malformed ones :: + welcomes {"session":7} | eof C | exit 0 nothing
        "#,
    );
    holds_in(
        "v1",
        "ACP-INIT-022",
        plain,
        r#"
        upheld  a session here too :: + welcomes {"loadSession":true} | session
        broken  none here :: + welcomes {"loadSession":true} | eof C | exit 0 nothing
        "#,
    );
}

#[test]
fn what_a_client_says_of_itself_has_its_shape() {
    let v1 = |capabilities: &str| {
        format!(
            r#"open client | C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":1,"clientCapabilities":{capabilities}}}}}"#
        )
    };
    for (verdict, capabilities) in [
        (
            "upheld",
            r#"{"fs":{"readTextFile":true,"writeTextFile":false},"terminal":true}"#,
        ),
        ("upheld", r#"{"terminal":null}"#),
        ("upheld", r#"{"elicitation":7}"#),
        ("silent", "{}"),
        ("broken", r#"{"terminal":{}}"#),
        ("broken", r#"{"fs":{"readTextFile":"yes"}}"#),
        ("broken", r#"{"fs":true}"#),
    ] {
        holds_in(
            "v1",
            "ACP-INIT-020",
            "open client",
            &format!("{verdict} {capabilities} :: {}", v1(capabilities)),
        );
    }
    holds(
        "ACP-INIT-017",
        "open client",
        &format!("broken nobody :: {}\nupheld somebody :: hails", v1("{}")),
    );
    let v2 = |members: &str| {
        format!(
            r#"open client | C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":2,{members}}}}}"#
        )
    };
    for (id, verdict, members) in [
        (
            "ACP-INIT-016",
            "upheld",
            r#""info":{"name":"c","version":"1","title":null}"#,
        ),
        ("ACP-INIT-016", "broken", r#""info":{"name":"c"}"#),
        (
            "ACP-INIT-016",
            "broken",
            r#""info":{"name":"c","version":"1","title":7}"#,
        ),
        ("ACP-INIT-016", "broken", r#""info":"c 1""#),
        ("ACP-INIT-016", "silent", r#""capabilities":{}"#),
        (
            "ACP-INIT-019",
            "upheld",
            r#""capabilities":{"auth":{"terminal":{}}}"#,
        ),
        (
            "ACP-INIT-019",
            "broken",
            r#""capabilities":{"auth":{"terminal":true}}"#,
        ),
        ("ACP-INIT-019", "broken", r#""capabilities":{"auth":true}"#),
    ] {
        holds_in(
            "v2",
            id,
            "open client",
            &format!("{verdict} {members} :: {}", v2(members)),
        );
    }
}
