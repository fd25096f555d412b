//! INIT.

use crate::table::{holds, holds_in, holds_with_in};

#[test]
fn initialize_succeeds_for_a_version_that_the_agent_speaks() {
    holds(
        "ACP-INIT-002",
        "speaks 1 | speaks 2 | probed | open | asks 2",
        r#"
        upheld  a result :: + offers 2
        upheld  the least that a client may send :: speaks 1 | open | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}} | offers 1
        upheld  null for an elicitation :: speaks 1 | open | asks 1 {"elicitation":null} | offers 1
        upheld  late :: + deadline 0 | offers 2
        broken  refused :: + refuses -32603
        broken  credentials are no matter of initialize :: + refuses -32000
        broken  it wants a capability :: speaks 1 | open | asks 1 {"elicitation":{"url":{}}} | refuses -32602
        broken  it ends without a word :: + exit 1 nothing
        unclear it says something and ends :: + S Cannot find module 'x' | exit 1 nothing
        unclear it ends after more was sent :: + ask 1 session/new {} | exit 1 nothing
        unclear it is slow :: + deadline 0 | eof C | exit - kill
        unclear the recording was cut :: + end
        silent  the version was not supported after all :: + refuses -32022 {"requested":2,"supported":[1]}
        silent  another version came back :: + offers 1
        silent  a version that it does not speak :: speaks 1 | probed | open | asks 2 | refuses -32602
        silent  a version that it may not speak :: open | asks 2 | refuses -32602
        silent  an unknown capability is another row's :: speaks 1 | open | asks 1 {"mine":{}} | refuses -32602
        silent  a malformed capability is another row's :: speaks 1 | open | asks 1 {"elicitation":5} | refuses -32602
        silent  a capability of the wrong type :: speaks 1 | open | asks 1 {"terminal":5} | refuses -32602
        silent  no version at all :: speaks 1 | open | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}} | refuses -32602
        silent  a version in a string :: speaks 1 | open | asks "1" | refuses -32602
        silent  a client that names itself badly :: speaks 2 | open | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"e"}}} | refuses -32602
        silent  an envelope that not everyone reads :: speaks 1 | open | C {"id":0,"method":"initialize","params":{"protocolVersion":1}} | refuses -32600
        silent  asked again :: speaks 1 | open | ask 7 _x {} | fails 7 -32601
        "#,
    );
    // What is wrong is told only once for the first initialize.
    holds(
        "ACP-INIT-002",
        "speaks 1 | open | asks 1 | offers 1",
        r#"upheld  a second one is refused :: + ask 9 initialize {"protocolVersion":1} | fails 9 -32600"#,
    );
}

#[test]
fn a_version_that_is_spoken_comes_back() {
    holds(
        "ACP-INIT-004",
        "speaks 1 | speaks 2 | probed | open",
        r#"
        upheld  1 for 1 :: + asks 1 | offers 1
        upheld  2 for 2 :: + asks 2 | offers 2
        broken  the latest for 1 :: + asks 1 | offers 2
        broken  the oldest for 2 :: + asks 2 | offers 1
        broken  another one :: + asks 2 | offers 3
        upheld  something came before :: + C {"jsonrpc":"2.0","method":"_x"} | asks 2 | offers 2
        unclear something came before, and it chose by that :: + C {"jsonrpc":"2.0","method":"_x"} | asks 2 | offers 1
        unclear it was a request :: + C {"jsonrpc":"2.0","id":9,"method":"_x"} | asks 2 | offers 1
        unclear it was nothing :: + C nonsense | asks 2 | offers 1
        silent  refused :: + asks 2 | refuses -32022
        silent  an unreadable version is another row's :: + asks 2 | offers "2"
        silent  a version beyond :: + asks 65535 | offers 2
        silent  below :: + asks 0 | offers 1
        silent  a v1-only agent asked for 2 :: speaks 1 | probed | open | asks 2 | offers 1
        silent  a v2-only agent asked for 1 :: speaks 2 | probed | open | asks 1 | refuses -32022
        silent  it echoes what it does not speak :: speaks 1 | probed | open | asks 2 | offers 2
        silent  nothing is known :: open | asks 1 | offers 2
        silent  no answer :: + asks 1 | exit 1 nothing
        "#,
    );
}

#[test]
fn a_version_beyond_is_answered_with_the_latest() {
    for id in ["ACP-INIT-005", "ACP-INIT-007"] {
        holds(
            id,
            "speaks 1 | speaks 2 | probed | open | asks 65535",
            r#"
            upheld  the greatest :: + offers 2
            upheld  a lesser one is a remark :: + offers 1
            upheld  an agent of version 2 only :: speaks 2 | probed | open | asks 65535 | offers 2
            broken  refused :: + refuses -32602
            broken  refused as unsupported :: + refuses -32022 {"requested":65535,"supported":[1,2]}
            broken  echoed :: + offers 65535
            broken  zero :: + offers 0
            unclear a version that nobody knows :: + offers 3
            unclear it could not be read :: speaks 2 | probed | open | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":65535}} | refuses -32602
            silent  no readable version is another row's :: + offers "2"
            silent  no answer :: + exit 1 nothing
            silent  nobody asked for every version :: speaks 2 | open | asks 65535 | refuses -32602
            silent  it speaks nothing that is known :: probed | open | asks 65535 | refuses -32602
            silent  70000 is no version :: speaks 2 | probed | open | asks 70000 | refuses -32602
            "#,
        );
    }
    holds(
        "ACP-INIT-005",
        "speaks 1 | probed | open",
        r"
        upheld  a v1-only agent asked for 2 :: + asks 2 | offers 1
        broken  it echoes 2 :: + asks 2 | offers 2
        broken  it refuses 2 :: + asks 2 | refuses -32022
        silent  it is asked for 1 :: + asks 1 | offers 1
        silent  it is asked for 0 :: + asks 0 | refuses -32022
        ",
    );
}

#[test]
fn no_version_above_the_one_asked_for_comes_back() {
    holds(
        "ACP-INIT-007",
        "speaks 1 | speaks 2 | probed | open",
        r"
        upheld  1 for 1 :: + asks 1 | offers 1
        upheld  2 for 2 :: + asks 2 | offers 2
        broken  2 for 1 :: + asks 1 | offers 2
        broken  2 for 1, from an agent that speaks only 2 :: speaks 2 | probed | open | asks 1 | offers 2
        broken  0 for 1 :: + asks 1 | offers 0
        silent  a lesser one is INIT-004's :: + asks 2 | offers 1
        silent  1 echoed by an agent that speaks only 2 :: speaks 2 | probed | open | asks 1 | offers 1
        silent  0 falls under the text of v1 too :: + asks 0 | offers 1
        silent  refused :: + asks 1 | refuses -32602
        silent  an agent of version 1 :: speaks 1 | probed | open | asks 1 | offers 1
        ",
    );
}

#[test]
fn a_version_below_all_is_refused_in_words() {
    let fine = r#"{"requested":1,"supported":[2]}"#;
    holds(
        "ACP-INIT-008",
        "speaks 2 | probed | open | asks 1",
        &r#"
        upheld  refused with the numbers :: + refuses -32022 <fine>
        upheld  more may stand there :: + refuses -32022 {"requested":1,"supported":[2,3],"hint":"new"}
        upheld  both, asked for 0: refused :: speaks 1 | speaks 2 | probed | open | asks 0 | refuses -32022 {"requested":0,"supported":[1,2]}
        upheld  both, asked for 0: a result, by the text of v1 :: speaks 1 | speaks 2 | probed | open | asks 0 | offers 2
        upheld  0 from an agent that speaks only 2 :: speaks 2 | probed | open | asks 0 | refuses -32022 {"requested":0,"supported":[2]}
        broken  a result :: + offers 2
        broken  an echo :: + offers 1
        broken  another code :: + refuses -32602 <fine>
        silent  no data is ERROR-014's :: + refuses -32022
        broken  another number was asked for :: + refuses -32022 {"requested":0,"supported":[2]}
        broken  nothing supported :: + refuses -32022 {"requested":1,"supported":[]}
        broken  the one asked for supported :: + refuses -32022 {"requested":1,"supported":[1,2]}
        silent  words instead of numbers are ERROR-014's :: + refuses -32022 {"requested":"1","supported":["2"]}
        broken  both, asked for 0: an echo :: speaks 1 | speaks 2 | probed | open | asks 0 | offers 0
        broken  both, asked for 0: another code :: speaks 1 | speaks 2 | probed | open | asks 0 | refuses -32602
        silent  an agent of version 1 :: speaks 1 | probed | open | asks 0 | offers 1
        silent  a version that it speaks :: speaks 2 | probed | open | asks 2 | refuses -32602
        silent  both, asked for 1 :: speaks 1 | speaks 2 | probed | open | asks 1 | offers 1
        silent  nobody asked for every version :: speaks 2 | open | asks 1 | offers 2
        silent  no answer :: + exit 1 nothing
        silent  -1 is no version :: speaks 2 | probed | open | asks -1 | refuses -32602
        "#
        .replace("<fine>", fine),
    );
}

#[test]
fn the_version_is_an_integer_of_16_bits() {
    for version in ["v1", "v2"] {
        holds_with_in(
            version,
            "ACP-INIT-009",
            r#"open | asks 1 | S {"jsonrpc":"2.0","id":0,"result":{"authMethods":[]$}}"#,
            r#"
            upheld  ,"protocolVersion":1
            upheld  ,"protocolVersion":0
            upheld  ,"protocolVersion":65535
            upheld  ,"protocolVersion":1.0
            broken  ,"protocolVersion":"1"
            broken  ,"protocolVersion":65536
            broken  ,"protocolVersion":-1
            broken  ,"protocolVersion":1.5
            broken  ,"protocolVersion":null
            broken  ,"protocolVersion":"2025-06-18"
            broken  ,"protocol_version":1
            "#,
        );
    }
    holds(
        "ACP-INIT-009",
        "open | asks 1",
        r#"
        silent  refused :: + refuses -32603
        silent  a result that is no object is another row's :: + result 0 []
        silent  an answer to something else :: + ask 7 session/list {} | result 7 {}
        silent  a second answer :: + refuses -32603 | offers "1"
        "#,
    );
}

#[test]
fn only_names_of_the_negotiated_version_are_used() {
    holds(
        "ACP-INIT-011",
        "speaks 1 | speaks 2 | probed | opened",
        r#"
        upheld  names of both :: + prompt 2 hi | says hello | done 2
        upheld  an update that nobody knows :: + S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"mine"}}}
        upheld  an unstable method :: + S {"jsonrpc":"2.0","id":5,"method":"mcp/message","params":{}}
        silent  an extension :: + S {"jsonrpc":"2.0","method":"_tool_call"}
        silent  before initialize :: open | asks 1 | S {"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"user_message"}}}
        silent  it echoed a version that it does not speak :: speaks 1 | probed | open | asks 2 | offers 2 | S {"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"user_message_chunk"}}}
        "#,
    );
    let said = |kind: &str| {
        format!(
            r#"S {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"{kind}"}}}}}}"#
        )
    };
    for (version, verdict, kind) in [
        ("v1", "broken", "user_message"),
        ("v1", "broken", "replay_complete"),
        ("v1", "broken", "terminal_update"),
        ("v1", "upheld", "plan_removed"),
        ("v1", "upheld", "tool_call"),
        // Rows of their own.
        ("v1", "silent", "state_update"),
        ("v2", "silent", "tool_call"),
        ("v2", "silent", "plan"),
        ("v2", "silent", "current_mode_update"),
        ("v2", "upheld", "state_update"),
    ] {
        holds_in(
            version,
            "ACP-INIT-011",
            "opened",
            &format!("{verdict} {kind} :: + {}", said(kind)),
        );
    }
    // The agent chose the version, whatever was asked for.
    holds_in(
        "v2",
        "ACP-INIT-011",
        "speaks 1 | probed | open | asks 2 | offers 1",
        &format!(
            "upheld a v1 agent that was asked for 2 :: + {}",
            said("tool_call")
        ),
    );
    holds_in(
        "v2",
        "ACP-INIT-011",
        "opened",
        r#"
        silent  a v1 request with a row of its own :: + S {"jsonrpc":"2.0","id":5,"method":"fs/read_text_file","params":{}}
        broken  a v1 request :: + S {"jsonrpc":"2.0","id":5,"method":"authenticate","params":{}}
        "#,
    );
}

#[test]
fn the_result_has_the_shape_of_its_version() {
    let v1 = r#"open | asks 1 | S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1$}}"#;
    holds_with_in(
        "v1",
        "ACP-INIT-013",
        v1,
        r#"
        upheld  ,"authMethods":[]
        upheld  ,"agentCapabilities":{}
        upheld  ,"agentCapabilities":null,"authMethods":null
        upheld  ,"unknown":1
        upheld  ,"agentInfo":{"name":"a","version":"1"}
        upheld  ,"agentInfo":null
        broken  ,"agentCapabilities":[]
        broken  ,"agentCapabilities":true
        broken  ,"authMethods":{}
        broken  ,"agentInfo":"a"
        "#,
    );
    holds(
        "ACP-INIT-013",
        "open | asks 1",
        r#"
        broken  no object :: + result 0 null
        broken  an array :: + result 0 [1]
        broken  the version can't be read, and 1 was asked for :: + S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1","agentCapabilities":[]}}
        silent  refused :: + refuses -32603
        silent  version 2 came back :: + offers 2
        silent  a version that nobody knows :: + S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":65535,"agentCapabilities":[]}}
        "#,
    );
    let v2 = r#"open | asks 2 | S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2$}}"#;
    holds_with_in(
        "v2",
        "ACP-INIT-014",
        v2,
        r#"
        upheld  ,"info":{"name":"a","version":"1"},"capabilities":{},"authMethods":[]
        upheld  ,"info":{"name":"a","version":"1"}
        upheld  ,"info":{"name":"a","version":"1"},"agentInfo":{},"agentCapabilities":[]
        upheld  ,"info":{"name":"a"}
        broken  ,"capabilities":{}
        broken  ,"agentInfo":{"name":"a","version":"1"}
        broken  ,"info":{"name":"a","version":"1"},"authMethods":{}
        broken  ,"info":{"name":"a","version":"1"},"capabilities":[]
        "#,
    );
    holds(
        "ACP-INIT-014",
        "speaks 1 | probed | open | asks 2",
        r"
        silent  a v1-only agent answers 1 :: + offers 1
        silent  a v1-only agent echoes 2, which is INIT-005's :: + result 0 {}
        silent  refused :: + refuses -32022
        ",
    );
    holds_in(
        "v2",
        "ACP-INIT-014",
        "speaks 1 | probed | open | asks 2",
        r#"silent  an echo has no shape of version 2 :: + result 0 {"protocolVersion":2,"agentCapabilities":{}}"#,
    );
    holds_with_in(
        "v2",
        "ACP-INIT-016",
        v2,
        r#"
        upheld  ,"info":{"name":"a","version":"1"}
        upheld  ,"info":{"name":"a","version":"1","title":null}
        upheld  ,"info":{"name":"a","version":"1","title":"A"}
        upheld  ,"info":{"name":"","version":""}
        broken  ,"info":{"name":"a"}
        broken  ,"info":{"name":"a","version":1}
        broken  ,"info":{"name":"a","version":"1","title":5}
        broken  ,"info":"a"
        silent  ,"capabilities":{}
        silent  ,"agentInfo":{"name":"a"}
        "#,
    );
}

#[test]
fn capabilities_have_the_type_of_their_slot() {
    holds_with_in(
        "v2",
        "ACP-INIT-019",
        r#"open | asks 2 | S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":$}}"#,
        r#"
        upheld  {"session":{"prompt":{"image":{}},"delete":null}}
        upheld  {"session":null}
        upheld  {"mine":true}
        upheld  {"session":{"prompt":{"mine":true}}}
        broken  {"session":true}
        broken  {"session":{"prompt":{"image":true}}}
        broken  {"session":{"delete":false}}
        broken  {"session":{"mcp":{"http":"yes"}}}
        broken  {"auth":[]}
        silent  {}
        silent  null
        silent  []
        "#,
    );
    holds_with_in(
        "v1",
        "ACP-INIT-020",
        r#"open | asks 1 | S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":$}}"#,
        r#"
        upheld  {"loadSession":true,"sessionCapabilities":{"list":{}}}
        upheld  {"loadSession":null}
        upheld  {"sessionCapabilities":{"list":null}}
        upheld  {"mine":5}
        broken  {"loadSession":{}}
        broken  {"loadSession":"true"}
        broken  {"sessionCapabilities":{"list":true}}
        broken  {"promptCapabilities":{"image":{}}}
        broken  {"auth":{"logout":true}}
        silent  {}
        silent  null
        silent  []
        "#,
    );
    holds_in(
        "v2",
        "ACP-INIT-019",
        "speaks 1 | probed | open | asks 2",
        r#"silent  the markers of an agent that only echoes 2 :: + result 0 {"protocolVersion":2,"capabilities":{"session":true}}"#,
    );
}

#[test]
fn unknown_capabilities_are_ignored() {
    holds(
        "ACP-INIT-023",
        r#"speaks 1 | speaks 2 | probed | open | asks 2 {"mine":{"deep":[1]}}"#,
        r#"
        upheld  a result :: + offers 2
        upheld  in _meta :: speaks 1 | open | asks 1 {"_meta":{"mine/x":true}} | offers 1
        upheld  another version is another row's :: + offers 1
        broken  refused :: + refuses -32602
        broken  it ends without a word :: + exit 101 nothing
        broken  _meta refused :: speaks 1 | open | asks 1 {"_meta":{"mine/x":true}} | refuses -32602
        unclear the version was refused :: + refuses -32022
        unclear it says something and ends :: + S panicked | exit 101 nothing
        unclear the recording was cut :: + end
        silent  an empty _meta :: speaks 1 | open | asks 1 {"_meta":{}} | refuses -32602
        silent  nothing unknown :: speaks 1 | open | asks 1 | refuses -32602
        silent  something else is wrong as well :: speaks 1 | open | asks 1 {"mine":{},"terminal":5} | refuses -32602
        silent  a version that it does not speak :: speaks 1 | probed | open | asks 2 {"mine":{}} | refuses -32602
        "#,
    );
}

#[test]
fn what_is_announced_exists() {
    let v1 = r#"open | asks 1 | result 0 {"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"close":null}},"authMethods":[{"id":"a","name":"A"}]}"#;
    holds_in(
        "v1",
        "ACP-INIT-025",
        v1,
        r#"
        upheld  listed :: + ask 7 session/list {} | result 7 {"sessions":[]}
        upheld  any error but one :: + ask 7 session/load {} | fails 7 -32602
        upheld  it wants credentials :: + ask 7 session/list {} | fails 7 -32000
        upheld  a login :: + ask 7 authenticate {} | fails 7 -32602
        broken  no such method :: + ask 7 session/list {} | fails 7 -32601
        broken  no such method to load :: + ask 7 session/load {} | fails 7 -32601
        silent  what is null is not announced :: + ask 7 session/close {} | fails 7 -32601
        silent  what is not there is not announced :: + ask 7 session/resume {} | fails 7 -32601
        silent  an extension :: + ask 7 _x {} | fails 7 -32601
        silent  no answer :: + ask 7 session/list {} | deadline 7
        silent  the baseline is another row's :: + ask 7 session/new {} | fails 7 -32601
        silent  asked before initialize was answered :: open | asks 1 | ask 7 session/list {} | result 0 {"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}}} | fails 7 -32601
        silent  asked before initialize :: open | ask 7 session/list {} | fails 7 -32601 | asks 1 | offers 1
        silent  initialize failed :: open | asks 1 | refuses -32000 | ask 7 session/list {} | fails 7 -32601
        silent  the recording begins in the middle :: ask 7 session/list {} | fails 7 -32601
        "#,
    );
    holds_in(
        "v2",
        "ACP-INIT-025",
        r#"open | asks 2 | result 0 {"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"delete":{}}},"authMethods":[{"methodId":"a","type":"agent","name":"A"}]}"#,
        r"
        upheld  deleted :: + ask 7 session/delete {} | fails 7 -32002
        broken  no such method :: + ask 7 session/delete {} | fails 7 -32601
        broken  no login :: + ask 7 auth/login {} | fails 7 -32601
        silent  the session baseline is another row's :: + ask 7 session/list {} | fails 7 -32601
        ",
    );
}

#[test]
fn a_v2_session_capability_stands_for_the_baseline() {
    holds(
        "ACP-INIT-026",
        "open | asks 2 | offers 2",
        r#"
        upheld  each :: + ask 7 session/list {} | result 7 {"sessions":[]} | ask 8 session/close {} | fails 8 -32002
        broken  no session/close :: + ask 7 session/close {} | fails 7 -32601
        broken  no session/new :: + ask 7 session/new {} | fails 7 -32601
        broken  no session/prompt :: + ask 7 session/prompt {} | fails 7 -32601
        silent  session/delete is announced by itself :: + ask 7 session/delete {} | fails 7 -32601
        silent  no sessions :: open | asks 2 | result 0 {"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{}} | ask 7 session/new {} | fails 7 -32601
        silent  null is no sessions :: open | asks 2 | result 0 {"protocolVersion":2,"capabilities":{"session":null}} | ask 7 session/new {} | fails 7 -32601
        silent  an agent that answers 1 :: open | asks 2 | offers 1 | ask 7 session/close {} | fails 7 -32601
        silent  no answer :: + ask 7 session/list {} | exit 1 nothing
        silent  before initialize :: open | ask 7 session/list {} | asks 2 | offers 2 | fails 7 -32601
        "#,
    );
}

#[test]
fn a_v1_agent_has_sessions_and_prompts() {
    holds(
        "ACP-INIT-027",
        "open | asks 1 | offers 1",
        r"
        upheld  a session :: + session
        upheld  it wants credentials :: + ask 7 session/new {} | fails 7 -32000
        upheld  a prompt that fails :: + session | prompting 2 hi | fails 2 -32603
        broken  no session/new :: + ask 7 session/new {} | fails 7 -32601
        broken  no session/prompt :: + session | prompting 2 hi | fails 2 -32601
        silent  a prompt in no session :: + prompting 2 hi | fails 2 -32601
        silent  a prompt without a session :: + ask 2 session/prompt {} | fails 2 -32601
        silent  session/list is no baseline :: + ask 7 session/list {} | fails 7 -32601
        silent  an agent that answers 2 :: open | asks 1 | offers 2 | ask 7 session/new {} | fails 7 -32601
        silent  before initialize :: open | ask 7 session/new {} | fails 7 -32601 | asks 1 | offers 1
        silent  no answer :: + ask 7 session/new {} | deadline 7 | exit 1 nothing
        ",
    );
}
