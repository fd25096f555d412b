//! EXT.

use crate::table::{holds, holds_in, holds_with, holds_with_in};

const PING: &str = "ask 5 _elenchus/ping {}";

#[test]
fn custom_requests_are_answered() {
    let later = "ask 6 session/list {} | result 6 {\"sessions\":[]}";
    holds(
        "ACP-EXT-001",
        &format!("opened | {PING}"),
        &format!(
            "
            upheld  refused :: + fails 5 -32601
            upheld  with a result :: + result 5 null
            broken  dropped, and a later one is answered :: + {later} | deadline 5 | eof C | exit 0 close
            unclear  nothing later is answered :: + deadline 5 | eof C | exit 0 close
            unclear  nobody waited for it :: + {later} | eof C | exit 0 close
            upheld  another is answered, so that this is JSONRPC-004's :: + ask 7 _elenchus/ping {{}} | fails 7 -32601 | deadline 5 | eof C | exit 0 close
            silent  a fence :: opened | settles 9
            "
        ),
    );
    holds(
        "ACP-JSONRPC-004",
        &format!("opened | {PING} | {later} | deadline 5"),
        "
        upheld  an agent that answers none is EXT-001's :: + eof C | exit 0 close
        broken  one among others :: + settles 9 | eof C | exit 0 close
        ",
    );
}

#[test]
fn what_nobody_knows_is_not_found() {
    holds(
        "ACP-EXT-002",
        &format!("opened | {PING}"),
        "
        upheld  refused :: + fails 5 -32601
        broken  an internal error :: + fails 5 -32603
        broken  a result :: + result 5 {}
        unclear  the params may be what is refused :: + fails 5 -32602
        unclear  a login is missing :: + fails 5 -32000
        unclear  it was cancelled :: + fails 5 -32800
        silent  a code that is none is ERROR-001's :: + fails 5 \"x\"
        silent  a method of the protocol :: opened | ask 5 session/list {} | fails 5 -32603
        silent  an extension that an agent may have :: opened | ask 5 _vendor/x {} | result 5 {}
        silent  before initialize :: open | ask 5 _elenchus/ping {} | fails 5 -32600
        ",
    );
}

#[test]
fn unknown_notifications_do_no_harm() {
    holds_with(
        "ACP-EXT-003",
        "opened | tells $ {} | settles 9",
        "
        upheld  _elenchus/event
        upheld  elenchus/event
        upheld  $/elenchus
        silent  session/cancel
        silent  $/cancel_request
        ",
    );
    holds(
        "ACP-EXT-003",
        "opened | tells _elenchus/event {}",
        "
        broken  the agent ends :: + exit 0 nothing
        broken  it closes its output :: + eof S | eof C | exit 0 close
        unclear  something else came :: + ask 5 session/prompt {} | exit 0 nothing
        unclear  the client ended it first :: + eof C | exit 0 close
        unclear  we sent it a signal :: + eof S | exit 0 terminate
        broken  it closed its output long before the signal :: + eof S | eof C | exit 0 terminate
        silent  something odd came before :: opened | C not JSON | tells _elenchus/event {} | exit 0 nothing
        ",
    );
}

#[test]
fn methods_are_the_protocols_or_have_an_underscore() {
    holds_with(
        "ACP-EXT-004",
        r#"opened | S {"jsonrpc":"2.0","method":"$","params":{}}"#,
        "
        upheld  session/update
        upheld  _vendor/progress
        upheld  $/cancel_request
        broken  vendor/progress
        broken  $/progress
        broken  session/cancel
        silent  auth/status_update
        silent  mcp/message
        silent  session/elicitation
        ",
    );
    for (version, other) in [("v1", "auth/login"), ("v2", "fs/read_text_file")] {
        holds_in(
            version,
            "ACP-EXT-004",
            "opened",
            &format!(
                r#"
                silent  the other version's are INIT-011's :: + S {{"jsonrpc":"2.0","id":7,"method":"{other}","params":{{}}}}
                broken  what only a client may ask :: + S {{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{{}}}}
                "#
            ),
        );
    }
}

#[test]
fn extensions_that_a_client_has_to_have_are_announced() {
    let hello = |meta: &str| {
        format!(
            r#"open | C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":1,"clientCapabilities":{{"_meta":{meta}}}}}}} | S {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":1}}}}"#
        )
    };
    let calls = r#"S {"jsonrpc":"2.0","id":7,"method":"_vendor/ask","params":{}}"#;
    let table = format!(
        r#"
        upheld  announced :: {} | {calls}
        unclear  under a name that nobody can know :: {} | {calls}
        broken  not at all :: {} | {calls}
        silent  a notification needs no support :: {} | S {{"jsonrpc":"2.0","method":"_vendor/tell"}}
        "#,
        hello(r#"{"vendor.example":{}}"#),
        hello(r#"{"other":{}}"#),
        hello("null"),
        hello("null"),
    );
    holds_in("v1", "ACP-EXT-006", "", &table);
}

#[test]
fn what_is_ones_own_stands_under_meta() {
    holds_with(
        "ACP-EXT-007",
        "opened | update $",
        r#"
        upheld  {"sessionUpdate":"session_info_update","title":"x","_meta":{"cost":1}}
        broken  {"sessionUpdate":"session_info_update","title":"x","cost":1}
        broken  {"sessionUpdate":"session_info_update","title":"x","_cost":1}
        upheld  {"sessionUpdate":"session_info_update","title":"x","cost":null}
        upheld  {"sessionUpdate":"session_info_update","cwd":"/"}
        upheld  {"sessionUpdate":"session_info_update","updated_at":"x"}
        upheld  {"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":{"any":1}}
        broken  {"sessionUpdate":"tool_call_update","toolCallId":"t","locations":[{"path":"/a","column":1}]}
        upheld  {"sessionUpdate":"thinking","any":1}
        upheld  {"sessionUpdate":"user_message_chunk","messageId":"m","content":{"type":"text","text":"x","own":1}}
        "#,
    );
    holds_with_in(
        "v2",
        "ACP-EXT-007",
        "opened | update $",
        r#"
        upheld  {"sessionUpdate":"_thinking","any":1}
        upheld  {"sessionUpdate":"state_update","state":"running","stopReason":"end_turn"}
        broken  {"sessionUpdate":"state_update","state":"running","since":1}
        "#,
    );
    holds_with(
        "ACP-EXT-007",
        r#"opened | ask 5 session/list {} | S {"jsonrpc":"2.0","id":5,"error":$}"#,
        r#"
        upheld  {"code":-32603,"message":"no","data":{"any":1}}
        broken  {"code":-32603,"message":"no","stack":"at main"}
        upheld  {"code":-32603,"message":"no","hint":null}
        upheld  {"code":-32603,"message":"no","_meta":{"trace":1}}
        "#,
    );
    holds(
        "ACP-EXT-007",
        "opened | ask 5 session/prompt {\"sessionId\":\"s\",\"prompt\":[]}",
        r#"
        broken  a cost beside the result :: + result 5 {"stopReason":"end_turn","messageId":"m","cost":1}
        upheld  it may stand for what is missing :: + result 5 {"id":"m","reason":"end_turn"}
        upheld  a usage is of an unstable feature :: + result 5 {"usage":{"totalTokens":1}}
        upheld  extensions may have any result :: opened | ask 5 _vendor/x {} | result 5 {"any":1}
        "#,
    );
}

#[test]
fn unknown_requests_of_the_protocol_level_are_refused() {
    holds(
        "ACP-EXT-011",
        "opened | ask 5 $/elenchus {}",
        "
        upheld  refused :: + fails 5 -32601
        upheld  refused in another way :: + fails 5 -32600
        broken  a result :: + result 5 null
        broken  dropped :: + settles 9 | deadline 5 | eof C | exit 0 close
        unclear  nothing later is answered :: + deadline 5 | eof C | exit 0 close
        ",
    );
}

#[test]
fn params_of_custom_requests_may_be_anything() {
    holds_with(
        "ACP-EXT-012",
        r#"opened | settles 9 | C {"jsonrpc":"2.0","id":5,"method":"_elenchus/ping"$} | fails 5 -32601"#,
        r#"
        upheld  ,"params":[1,null]
        upheld  ,"params":"text"
        silent  ,"params":{}
        "#,
    );
    let list = "ask 5 _elenchus/ping [1]";
    holds(
        "ACP-EXT-012",
        &format!("opened | settles 9 | {list}"),
        &format!(
            "
            broken  the agent dies of them :: + exit 101 nothing
            silent  it answers no custom request at all :: opened | {list} | exit 101 nothing
            silent  a notification may be why :: opened | settles 9 | tells _elenchus/event {{}} | {list} | exit 101 nothing
            "
        ),
    );
}
