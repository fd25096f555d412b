//! TRANSPORT and BATCH, the part about reading, and JSONRPC about what is no message.

use elenchus_judge::judge;

use crate::{
    common::trace,
    table::{holds, holds_in},
    talk::written,
};

/// What survival of something odd looks like, whatever it is: `$` is our odd line.
fn survives(id: &str, odd: &str, others: &str) {
    let table = r#"
        upheld  it reads on :: + settles "f"
        upheld  it says something about it :: + S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}} | settles "f"
        upheld  it reads on, and dies later :: + settles "f" | exit 1 nothing
        broken  it dies :: + exit 101 nothing
        broken  it dies with the fence on its way :: + fence "f" | ask "f" _elenchus/fence {} | eof S | exit 101 nothing
        broken  a signal ends it :: + signal 11 nothing
        broken  it closes its stdout :: + eof S | eof C | exit 0 close
        broken  it reads nothing any more :: + fence "f" | ask "f" _elenchus/fence {} | deadline "f"
        unclear something else came as well :: + prompting 5 hi | exit 101 nothing
        unclear it was ended before it read on :: + eof C | exit 0 close
        unclear we ended it :: + fence "f" | ask "f" _elenchus/fence {} | eof C | exit 0 close
        silent  nothing odd was sent :: opened | settles "f" | exit 1 nothing
        silent  it came before initialize :: open | $ | exit 1 nothing
        "#
    .replace('$', odd);
    holds(id, &format!("opened | {odd}"), &table);
    holds(id, &format!("opened | {odd}"), others);
}

const NO_JSON: &str = "malformed | C {not json";

#[test]
fn no_line_that_is_no_json_ends_it() {
    survives(
        "ACP-TRANSPORT-016",
        NO_JSON,
        r#"
        upheld  the turn that goes on says something :: opened | prompt 2 hi | C nonsense | says x | settles "f"
        unclear a turn may keep it busy :: opened | prompt 2 hi | C nonsense | fence "f" | ask "f" _elenchus/fence {} | deadline "f"
        silent  no UTF-8 is another row's :: opened | C~ \xff | exit 1 nothing
        silent  an array is another row's :: opened | C [] | exit 1 nothing
        silent  a scalar is another row's :: opened | C 5 | exit 1 nothing
        silent  an empty line is nothing :: opened | C | exit 1 nothing
        "#,
    );
}

#[test]
fn no_line_that_is_not_utf_8_ends_it() {
    survives(
        "ACP-TRANSPORT-022",
        r#"C~ {"jsonrpc":"2.0","id":"a\xffb","method":"_x"}"#,
        r#"
        broken  the id is mended :: + S {"jsonrpc":"2.0","id":"a�b","error":{"code":-32601,"message":"no"}} | settles "f"
        broken  the id is mended, escaped :: + S {"jsonrpc":"2.0","id":"a\ufffdb","error":{"code":-32601,"message":"no"}} | settles "f"
        silent  an id with such a character of our own :: opened | ask "a�b" _x {} | fails "a�b" -32601
        "#,
    );
}

#[test]
fn the_connection_goes_on_after_what_is_no_message() {
    for odd in [
        "C 42",
        r#"C "x""#,
        "C null",
        r#"C {"jsonrpc":"2.0"}"#,
        r#"C {"jsonrpc":"2.0","id":9,"method":5}"#,
    ] {
        survives("ACP-JSONRPC-015", odd, "");
    }
}

#[test]
fn no_strange_message_crashes_it() {
    let deep = format!(
        r#"C {{"jsonrpc":"2.0","id":9,"method":"_x","params":{{"_meta":{{"a":{}{}}}}}}}"#,
        "[".repeat(300),
        "]".repeat(300)
    );
    for odd in [
        r#"C {"jsonrpc":"2.0","id":9,"id":9,"method":"_x"}"#,
        r#"C {"jsonrpc":"2.0","id":9,"method":"_x","params":{"t":"\ud83e"}}"#,
        &deep,
    ] {
        holds(
            "ACP-JSONRPC-023",
            &format!("opened | {odd}"),
            r#"
            upheld  an error :: + fails 9 -32602 | settles "f"
            upheld  an answer :: + result 9 {} | settles "f"
            upheld  silence :: + settles "f"
            broken  it dies :: + signal 11 nothing
            broken  it closes its stdout :: + eof S | eof C | exit 0 close
            unclear it reads nothing any more, which is for others to say :: + fence "f" | ask "f" _elenchus/fence {} | deadline "f" | eof C | exit 0 close
            "#,
        );
    }
}

#[test]
fn a_response_to_nothing_does_no_harm() {
    holds(
        "ACP-JSONRPC-016",
        "opened",
        r#"
        upheld  a result :: + answer 77 {} | settles "f"
        upheld  an error :: + refuse 77 -32603 | settles "f"
        upheld  null for an id :: + C {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}} | settles "f"
        upheld  an error in return :: + answer 77 {} | fails 77 -32600 | settles "f"
        broken  it dies :: + answer 77 {} | exit 1 nothing
        broken  it reads nothing any more :: + answer 77 {} | fence "f" | ask "f" _elenchus/fence {} | deadline "f"
        unclear something else came as well :: + answer 77 {} | prompting 2 hi | exit 1 nothing
        silent  a question was open, which is another row's :: + prompt 2 /elicit form | form 9 | answer 77 {} | exit 1 nothing
        silent  a question had been open :: + prompt 2 /elicit form | form 9 | accept 9 | done 2 | answer 9 {} | exit 1 nothing
        silent  before initialize :: open | answer 77 {} | exit 1 nothing
        "#,
    );
}

#[test]
fn a_parse_error_has_its_code_and_no_id() {
    let start = "opened | malformed | C {not json";
    let table = r#"
        upheld  as it should be :: + S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}} | settles "f"
        upheld  silence :: + settles "f"
        upheld  an unrelated update :: + says x | settles "f"
        silent  a missing id is another row's :: + S {"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}} | settles "f"
        silent  an error after it had settled :: opened | fails 77 -32603
        silent  a reader may ignore a byte order mark :: opened | malformed | C ﻿{"jsonrpc":"2.0","id":9,"method":"_x"} | fails 9 -32601
        silent  it dies, which is another row's :: + exit 1 nothing
        "#;
    holds("ACP-JSONRPC-013", start, table);
    for wrong in [
        r#"S {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}}"#,
        r#"S {"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"?"}}"#,
        // The id of our initialize, which was answered long ago.
        r#"S {"jsonrpc":"2.0","id":0,"error":{"code":-32700,"message":"?"}}"#,
        r#"S {"jsonrpc":"2.0","id":null,"result":{}}"#,
    ] {
        holds_in(
            "v1",
            "ACP-JSONRPC-013",
            start,
            &format!("silent a remark :: + {wrong} | settles \"f\""),
        );
        holds_in(
            "v2",
            "ACP-JSONRPC-013",
            start,
            &format!("broken {wrong} :: + {wrong} | settles \"f\""),
        );
    }
    holds_in(
        "v2",
        "ACP-JSONRPC-013",
        start,
        r#"broken two of them :: + S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#,
    );
}

#[test]
fn what_is_no_message_is_an_invalid_request() {
    holds(
        "ACP-JSONRPC-014",
        r#"opened | C {"jsonrpc":"2.0","id":9,"method":5}"#,
        r#"
        upheld  null :: + S {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}} | settles "f"
        upheld  the id that can be read :: + fails 9 -32600 | settles "f"
        upheld  silence :: + settles "f"
        broken  another code :: + fails 9 -32601 | settles "f"
        broken  another id :: + fails 8 -32600 | settles "f"
        broken  a result :: + result 9 {} | settles "f"
        silent  a parse error is a remark :: + S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}} | settles "f"
        silent  a missing id is another row's :: + S {"jsonrpc":"2.0","error":{"code":-32600,"message":"?"}} | settles "f"
        silent  a request may be meant :: opened | C 5 | answer 77 {} | fails 77 -32601 | exit 1 nothing
        "#,
    );
}

#[test]
fn a_null_id_is_no_request_in_v2() {
    holds(
        "ACP-JSONRPC-019",
        r"opened | ask null session/list {}",
        r#"
        upheld  refused :: + fails null -32600
        upheld  refused otherwise :: + fails null -32602
        upheld  silence :: + settles "f"
        broken  carried out :: + result null {"sessions":[]}
        unclear the end :: + exit 1 nothing
        silent  another id :: opened | ask 2 session/list {} | result 2 {"sessions":[]}
        "#,
    );
}

#[test]
fn no_array_is_sent() {
    for (id, version) in [("ACP-BATCH-014", "v1"), ("ACP-BATCH-015", "v2")] {
        holds_in(
            version,
            id,
            "opened",
            r#"
            upheld  one message a line :: + says x
            broken  notifications in an array :: + S [{"jsonrpc":"2.0","method":"_x"},{"jsonrpc":"2.0","method":"_x"}]
            broken  an empty array :: + S []
            broken  an answer in an array :: + ask 2 _x {} | S [{"jsonrpc":"2.0","id":2,"result":{}}]
            broken  an array of ours was long ago :: + C [] | settles "f" | S []
            upheld  an answer to an array of ours is another row's :: + C [{"jsonrpc":"2.0","id":2,"method":"_x"}] | S [{"jsonrpc":"2.0","id":2,"result":{}}]
            upheld  cut off :: + S! [{"jsonrpc" | exit - kill
            silent  it says nothing :: open | initializing
            "#,
        );
    }
}

#[test]
fn an_array_of_ours_is_one_invalid_message() {
    let odd = r#"C [{"jsonrpc":"2.0","id":9,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}]"#;
    survives(
        "ACP-BATCH-013",
        odd,
        r#"
        upheld  answered with an array :: + S [{"jsonrpc":"2.0","id":9,"result":{"sessionId":"t"}}] | settles "f"
        upheld  an entry carried out, which is a remark :: + result 9 {"sessionId":"t"} | settles "f"
        "#,
    );
    survives(
        "ACP-BATCH-016",
        odd,
        r#"
        upheld  refused :: + S {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}} | settles "f"
        broken  answered with an array :: + S [{"jsonrpc":"2.0","id":9,"result":{"sessionId":"t"}}] | settles "f"
        broken  an entry carried out :: + result 9 {"sessionId":"t"} | settles "f"
        broken  an entry refused :: + fails 9 -32600 | settles "f"
        broken  refused twice :: + S {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}}
        "#,
    );
}

/// What becomes of a request that was written in some way: `$` is how.
fn tried(id: &str, written: &str) {
    let table = r#"
        upheld  answered :: + fails 9 -32601
        upheld  answered late :: + deadline 9 | fails 9 -32601
        broken  never answered :: + settles "f" | deadline 9 | eof C | exit 0 close
        broken  it dies :: + exit 101 nothing
        broken  nothing is answered any more :: opened | settles 8 | $ | fence "f" | ask "f" _elenchus/fence {} | deadline "f" | deadline 9 | eof C | exit 0 close
        unclear no custom request was ever answered :: + fence "f" | ask "f" _elenchus/fence {} | deadline "f" | deadline 9 | eof C | exit 0 close
        unclear we were in a hurry :: + eof C | exit 0 close
        unclear something else came as well :: + prompting 5 hi | exit 101 nothing
        silent  it may be what it never understands :: open | $ | exit 1 nothing
        silent  a request that needs a model :: opened | ask 9 session/new {} | deadline 9 | eof C | exit 0 close
        "#
    .replace('$', written);
    holds(id, &format!("opened | {written}"), &table);
}

const PROBE: &str = r#"{"jsonrpc":"2.0","id":9,"method":"_elenchus/probe","params":{}}"#;

#[test]
fn white_space_around_a_message_is_nothing_to_stumble_over() {
    tried("ACP-TRANSPORT-018", &format!("C^ {PROBE}"));
    tried("ACP-TRANSPORT-018", &format!("malformed | C | C {PROBE}"));
}

#[test]
fn how_it_is_written_decides_nothing() {
    tried("ACP-TRANSPORT-019", &format!("chunked | C {PROBE}"));
    holds(
        "ACP-TRANSPORT-019",
        "opened",
        &format!(
            "silent with CR LF it is another row's :: + chunked | C^ {PROBE} | exit 1 nothing"
        ),
    );
}

#[test]
fn long_lines_are_read() {
    let long = format!(
        r#"C {{"jsonrpc":"2.0","id":9,"method":"_elenchus/probe","params":{{"t":"{}"}}}}"#,
        "x".repeat(1024 * 1024)
    );
    tried("ACP-TRANSPORT-020", &long);
    holds(
        "ACP-TRANSPORT-020",
        &format!("opened | {long}"),
        r#"
        upheld  refused in order :: + S {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too long"}} | deadline 9 | exit 0 close
        silent  a shorter one :: opened | ask 9 _x {} | exit 1 nothing
        "#,
    );
}

#[test]
fn stdout_does_not_begin_with_a_byte_order_mark() {
    let mark = '\u{feff}';
    holds(
        "ACP-TRANSPORT-023",
        "open",
        &format!(
            r#"
            upheld  it does not :: + init
            broken  on the first message :: + S {mark}{{"jsonrpc":"2.0","method":"_x"}}
            broken  on a line of its own :: + S {mark} | init
            silent  later, which is another row's :: + S x | S {mark}{{"jsonrpc":"2.0","method":"_x"}}
            silent  the recording begins later :: S {mark}{{"jsonrpc":"2.0","method":"_x"}}
            "#
        ),
    );
    holds(
        "ACP-TRANSPORT-003",
        "open",
        &format!("silent at the very beginning it is another row's :: + S {mark} | initializing"),
    );
}

#[test]
fn the_evidence_of_what_we_sent_is_no_fence() {
    let talk = r#"opened | C [{"jsonrpc":"2.0","id":5,"method":"session/list"}] | fence "f" | ask "f" _elenchus/fence {} | eof S | exit 101 nothing"#;
    let judgement = judge(&trace("acp-v1", &written("v1", talk)));
    let breach = &judgement.tallies["ACP-BATCH-013"].breaches[0];
    assert!(breach.sent.starts_with('['), "{}", breach.sent);
}
