//! TRANSPORT, JSONRPC, BATCH, EXT, META and ERROR: what both sides keep, of a client.

use crate::clients::{holds, holds_in};

#[test]
fn a_client_writes_messages_and_nothing_else() {
    holds(
        "ACP-TRANSPORT-002",
        "serves",
        r#"
        upheld  text in UTF-8 :: + prompting 3 é
        broken  text in Latin-1 :: + C~ {"jsonrpc":"2.0","method":"_x","params":{"a":"\xe9"}}
        silent  ASCII :: + prompting 3 e
        silent  ours :: + S~ {"jsonrpc":"2.0","method":"_x","params":{"a":"\xe9"}}
        "#,
    );
    holds(
        "ACP-TRANSPORT-004",
        "serves",
        r#"
        upheld  messages :: + prompting 3 hi
        broken  a word :: + C exit | calm 8
        broken  an object :: + C {"level":"info"}
        upheld  ours :: + S hello
        "#,
    );
    holds(
        "ACP-TRANSPORT-006",
        "serves",
        r#"
        upheld  a line break in a text :: + C {"jsonrpc":"2.0","method":"_x","params":{"a":"b\nc"}}
        broken  over several lines :: + C { | C "jsonrpc":"2.0","method":"_x" | C } | calm 8
        silent  none :: + prompting 3 hi
        "#,
    );
    holds(
        "ACP-TRANSPORT-008",
        "open client",
        r#"
        broken  all that came, and too late :: + request-deadline initialize | C! {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}} | eof C
        silent  late, and whole :: + request-deadline initialize | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
        silent  nothing ever came :: + request-deadline initialize | eof C | exit 0 close
        "#,
    );
    holds(
        "ACP-TRANSPORT-008",
        "serves",
        "upheld an answer :: + calm 8",
    );
    for (version, id) in [("v1", "ACP-BATCH-014"), ("v2", "ACP-BATCH-015")] {
        holds_in(
            version,
            id,
            "serves",
            r#"
            upheld  objects :: + prompting 3 hi
            broken  an array :: + C [{"jsonrpc":"2.0","method":"_x"}]
            "#,
        );
    }
}

/// What becomes of a client after something odd of ours.
fn survives(id: &str, odd: &str) {
    holds(
        id,
        &format!("serves | calm 6 | {odd}"),
        "
        upheld  it answers :: + calm 8
        broken  it dies in the middle of its turn :: + exit 1 nothing
        broken  it is killed by itself :: + signal 11 nothing
        unclear it leaves in order :: + eof C | exit 0 nothing
        unclear it was let go :: + eof S | eof C | exit 0 close
        ",
    );
}

#[test]
fn a_client_survives_what_is_no_message() {
    survives("ACP-TRANSPORT-017", "S Listening on port 7");
    survives(
        "ACP-TRANSPORT-022",
        r#"S~ {"jsonrpc":"2.0","method":"_\xff"}"#,
    );
    survives("ACP-JSONRPC-015", r#"S {"jsonrpc":"2.0"}"#);
    survives(
        "ACP-JSONRPC-016",
        r#"S {"jsonrpc":"2.0","id":"stray","result":{}}"#,
    );
    survives(
        "ACP-JSONRPC-023",
        r#"S {"jsonrpc":"2.0","method":"_x","method":"_x"}"#,
    );
    holds(
        "ACP-JSONRPC-016",
        "serves | ask 9 session/list {}",
        r#"
        silent  one that looks like an open one :: + S {"jsonrpc":"2.0","id":"9","result":{}} | exit 1 nothing
        "#,
    );
    holds(
        "ACP-TRANSPORT-017",
        "serves | calm 6 | S Listening",
        r#"
        broken  it hangs :: + fence "f" | wants "f" _elenchus/fence {} | deadline "f"
        unclear its turn was over, and it may be through :: + fails 2 -32603 | exit 1 nothing
        "#,
    );
    let extra = "serves | calm 6 | notes _elenchus/event {}";
    holds(
        "ACP-EXT-003",
        extra,
        "
        upheld  it answers :: + calm 8
        broken  it dies :: + exit 1 nothing
        broken  it leaves in the middle of its turn :: + eof C | exit 0 nothing
        ",
    );
}

#[test]
fn a_client_answers_what_needs_nobody() {
    holds(
        "ACP-JSONRPC-005",
        "serves | calm 6",
        r#"
        upheld  once :: + wants 7 elenchus/undefined {} | refuse 7 -32601
        broken  twice :: + wants 7 session/request_permission {} | answer 7 {} | answer 7 {}
        broken  never, and a later one was :: + wants 7 _elenchus/x {} | deadline 7 | calm 8 | eof C
        upheld  a person may take long :: + permission 7 | deadline 7 | calm 8 | eof C
        upheld  it has left :: + wants 7 _elenchus/x {} | eof C | exit 0 nothing
        upheld  an elicitation is ELICIT-RESP-001's :: + form 7 | accept 7 {"name":"x"} | decline 7
        "#,
    );
    holds(
        "ACP-JSONRPC-006",
        "serves",
        r#"
        upheld  as it was :: + wants "7" _x {} | refuse "7" -32601
        broken  another type :: + wants "7" _x {} | refuse 7 -32601
        "#,
    );
    holds(
        "ACP-JSONRPC-009",
        "serves | calm 6",
        r#"
        upheld  ignored :: + notes _elenchus/event {} | calm 8
        broken  answered :: + notes _elenchus/event {} | C {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}} | calm 8
        "#,
    );
    holds(
        "ACP-JSONRPC-011",
        "serves",
        "
        upheld  not found :: + wants 7 elenchus/undefined {} | refuse 7 -32601
        broken  another code :: + wants 7 elenchus/undefined {} | refuse 7 -32603
        broken  a result :: + wants 7 elenchus/undefined {} | answer 7 {}
        silent  a name with an underscore is EXT-002's :: + wants 7 _elenchus/undefined {} | answer 7 {}
        ",
    );
    holds(
        "ACP-JSONRPC-012",
        "serves",
        r#"
        upheld  bad params :: + wants 7 session/request_permission {"sessionId":"s"} | refuse 7 -32602
        silent  another error is a remark :: + wants 7 session/request_permission {"sessionId":"s"} | refuse 7 -32603
        unclear cancelled :: + wants 7 session/request_permission {"sessionId":"s"} | answer 7 {"outcome":{"outcome":"cancelled"}}
        broken  decided :: + wants 7 session/request_permission {"sessionId":"s"} | answer 7 {"outcome":{"outcome":"selected","optionId":"yes"}}
        silent  a method that is not offered :: + wants 7 fs/read_text_file {"sessionId":"s"} | answer 7 {}
        "#,
    );
    holds(
        "ACP-JSONRPC-021",
        "serves | ask 9 session/list {}",
        "
        upheld  its own id :: + wants 9 _elenchus/x {} | refuse 9 -32601
        silent  another id :: + wants 7 _elenchus/x {} | refuse 7 -32601
        ",
    );
    for id in ["ACP-EXT-001", "ACP-EXT-002"] {
        holds(
            id,
            "serves",
            "upheld refused :: + wants 7 _elenchus/ping {} | refuse 7 -32601",
        );
    }
    holds(
        "ACP-EXT-002",
        "serves",
        "broken done :: + wants 7 _elenchus/ping {} | answer 7 {}",
    );
    holds(
        "ACP-EXT-001",
        "serves",
        r#"broken never :: + wants 7 _elenchus/ping {} | deadline 7 | permission 8 | answer 8 {"outcome":{"outcome":"cancelled"}} | eof C"#,
    );
    holds(
        "ACP-EXT-011",
        "serves",
        "
        upheld  refused :: + wants 7 $/elenchus {} | refuse 7 -32601
        broken  done :: + wants 7 $/elenchus {} | answer 7 {}
        ",
    );
}

#[test]
fn what_a_client_adds_stands_where_it_may() {
    holds(
        "ACP-EXT-004",
        "serves",
        "
        upheld  one of its own :: + ask 3 _acme/x {}
        broken  without an underscore :: + ask 3 acme/x {}
        broken  a method of agents :: + ask 3 session/request_permission {}
        ",
    );
    holds(
        "ACP-EXT-006",
        "serves",
        "
        broken  announced nowhere :: + ask 3 _acme/x {}
        silent  a notification :: + tells _acme/x {}
        ",
    );
    holds(
        "ACP-EXT-007",
        "serves",
        r#"
        silent  introduced in the names of both versions :: open client | asks 1
        broken  at the root :: + ask 3 session/new {"cwd":"/","mcpServers":[],"acme":1}
        upheld  in a _meta :: + ask 3 session/new {"cwd":"/","mcpServers":[],"_meta":{"acme":1}}
        "#,
    );
    holds(
        "ACP-META-001",
        "serves",
        r#"
        upheld  an object :: + ask 3 session/new {"cwd":"/","mcpServers":[],"_meta":{"acme":1}}
        broken  a list :: + ask 3 session/new {"cwd":"/","mcpServers":[],"_meta":[]}
        "#,
    );
    holds(
        "ACP-META-004",
        "serves",
        r#"
        upheld  a traceparent :: + ask 3 session/new {"cwd":"/","mcpServers":[],"_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}
        broken  none :: + ask 3 session/new {"cwd":"/","mcpServers":[],"_meta":{"traceparent":{}}}
        "#,
    );
    holds(
        "ACP-ERROR-002",
        "serves | wants 7 _x {}",
        r#"
        upheld  short :: + refuse 7 -32601
        broken  a stack trace :: + C {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"Error\n  at x"}}
        "#,
    );
    holds(
        "ACP-ERROR-005",
        "serves | wants 7 _x {}",
        "
        upheld  its own :: + refuse 7 17
        broken  one that is reserved :: + refuse 7 -32650
        ",
    );
    holds(
        "ACP-ERROR-007",
        "serves | wants 7 _elenchus/x {}",
        "
        upheld  not found :: + refuse 7 -32601
        broken  a login :: + refuse 7 -32000
        ",
    );
}

#[test]
fn a_code_that_nobody_lists_is_a_failure_like_any_other() {
    let other = "on 1 | hails | welcomes {} | session | prompting 2 hi | fails 2 -32603 | eof C | exit 1 nothing | on 0 | hails | welcomes {} | session | prompting 2 hi";
    holds(
        "ACP-ERROR-004",
        other,
        "
        upheld  it ends as ever :: + fails 2 12345 | eof C | exit 1 nothing
        broken  it panics :: + fails 2 12345 | eof C | exit 101 nothing
        broken  it is killed by it :: + fails 2 12345 | signal 6 nothing
        unclear its exit code tells :: + fails 2 12345 | eof C | exit 57 nothing
        silent  a code that is listed :: + fails 2 -32603 | eof C | exit 101 nothing
        ",
    );
    holds(
        "ACP-ERROR-004",
        "hails | welcomes {} | session | prompting 2 hi",
        "unclear nothing to compare with :: + fails 2 12345 | eof C | exit 101 nothing",
    );
}
