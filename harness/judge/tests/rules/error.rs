//! ERROR.

use crate::table::{holds, holds_in, holds_with};

/// A request, and an error with these members for an answer.
const ERROR: &str = r#"opened | ask 5 session/list {} | S {"jsonrpc":"2.0","id":5,"error":$}"#;

#[test]
fn an_error_has_a_code_and_a_message() {
    holds_with(
        "ACP-ERROR-001",
        ERROR,
        r#"
        upheld  {"code":-32603,"message":"no"}
        upheld  {"code":-32603.0,"message":""}
        upheld  {"code":7,"message":"no","data":null}
        broken  {"code":"-32603","message":"no"}
        broken  {"code":-32603.5,"message":"no"}
        broken  {"message":"no"}
        broken  {"code":-32603}
        broken  {"code":-32603,"message":5}
        broken  "no"
        silent  null
        "#,
    );
}

#[test]
fn a_message_is_a_short_sentence() {
    let long = "x".repeat(301);
    let fits = "é".repeat(300);
    holds_with(
        "ACP-ERROR-002",
        ERROR,
        &format!(
            r#"
            upheld  {{"code":1,"message":"No such file."}}
            upheld  {{"code":1,"message":"No such file.\n"}}
            upheld  {{"code":1,"message":"{fits}"}}
            broken  {{"code":1,"message":"{long}"}}
            broken  {{"code":1,"message":"Error\n  at main"}}
            broken  {{"code":1,"message":" "}}
            silent  {{"code":1,"message":5}}
            "#
        ),
    );
}

#[test]
fn ones_own_codes_lie_outside_of_what_is_reserved() {
    holds_with(
        "ACP-ERROR-005",
        ERROR,
        r#"
        upheld  {"code":-32700,"message":"no"}
        upheld  {"code":-32603,"message":"no"}
        upheld  {"code":-32800,"message":"no"}
        upheld  {"code":-32022,"message":"no"}
        upheld  {"code":-32050,"message":"no"}
        upheld  {"code":12,"message":"no"}
        broken  {"code":-32150,"message":"no"}
        broken  {"code":-32604,"message":"no"}
        broken  {"code":-32768,"message":"no"}
        broken  {"code":-32801,"message":"no"}
        upheld  {"code":-32769,"message":"no"}
        silent  {"code":"x","message":"no"}
        "#,
    );
}

#[test]
fn a_missing_login_has_a_code_of_its_own() {
    for (version, id, logout, login) in [
        ("v1", "ACP-ERROR-006", "logout", "authenticate"),
        ("v2", "ACP-ERROR-016", "auth/logout", "auth/login"),
    ] {
        let new = |at: u32| format!(r#"ask {at} session/new {{"cwd":"/","mcpServers":[]}}"#);
        let out = format!("opened | ask 2 {logout} {{}} | result 2 {{}}");
        let in_again = format!(r#"ask 4 {login} {{"methodId":"a"}} | result 4 {{}}"#);
        let (locked, open) = (new(3), new(5));
        holds_in(
            version,
            id,
            &out,
            &format!(
                r#"
                upheld  the code for it :: + {locked} | fails 3 -32000 | {in_again} | {open} | result 5 {{"sessionId":"t"}}
                broken  an internal error :: + {locked} | fails 3 -32603 | {in_again} | {open} | result 5 {{"sessionId":"t"}}
                silent  it fails after the login as well :: + {locked} | fails 3 -32603 | {in_again} | {open} | fails 5 -32603
                silent  nobody was locked out :: + {locked} | result 3 {{"sessionId":"t"}} | {in_again} | {open} | result 5 {{"sessionId":"u"}}
                silent  another request :: + ask 3 session/new {{"cwd":"/x"}} | fails 3 -32603 | {in_again} | {open} | result 5 {{"sessionId":"t"}}
                silent  something else lies between :: + {locked} | fails 3 -32603 | {in_again} | ask 7 session/list {{}} | result 7 {{"sessions":[]}} | {open} | result 5 {{"sessionId":"t"}}
                "#
            ),
        );
    }
}

#[test]
fn a_login_is_asked_for_only_where_it_helps() {
    holds(
        "ACP-ERROR-007",
        "opened",
        r"
        broken  there is no way to log in :: + ask 5 _elenchus/ping {} | fails 5 -32000
        upheld  another code :: + ask 5 _elenchus/ping {} | fails 5 -32601
        silent  a result :: + ask 5 _elenchus/ping {} | result 5 {}
        silent  what the agent itself is logged in with may have run out :: + ask 5 session/list {} | fails 5 -32000
        silent  AUTH-014 is about new sessions :: + ask 5 session/new {} | fails 5 -32000
        ",
    );
    let offers = |rest: &str| {
        format!(
            r#"open | C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":1}}}} | S {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":1,"authMethods":[{{"id":"a","name":"A"}}]}}}}{rest}"#
        )
    };
    let unknown = r#"ask 5 session/prompt {"sessionId":"elenchus-nobody","prompt":[]}"#;
    holds_in(
        "v1",
        "ACP-ERROR-007",
        &offers(" | session 1 s"),
        &format!(
            r#"
            broken  a session that does not exist :: + {unknown} | fails 5 -32000
            broken  a method that does not exist :: + ask 5 _elenchus/ping {{}} | fails 5 -32000
            silent  prompts may want a login :: + ask 5 session/prompt {{"sessionId":"s","prompt":[]}} | fails 5 -32000
            silent  after a logout :: + ask 4 logout {{}} | result 4 {{}} | {unknown} | fails 5 -32000
            silent  no session was given out :: {} | {unknown} | fails 5 -32000
            "#,
            offers("")
        ),
    );
}

#[test]
fn a_session_that_nobody_knows_is_not_found() {
    let prompt =
        r#"ask 5 session/prompt {"sessionId":"elenchus-x","prompt":[{"type":"text","text":"hi"}]}"#;
    let error = |data: &str| {
        format!(
            r#"S {{"jsonrpc":"2.0","id":5,"error":{{"code":-32002,"message":"no","data":{data}}}}}"#
        )
    };
    let (named, other) = (
        error(r#"{"sessionId":"elenchus-x"}"#),
        error(r#"{"sessionId":"s"}"#),
    );
    for (version, id, nameless, empty) in [
        ("v1", "ACP-ERROR-008", "upheld", "unclear"),
        ("v2", "ACP-ERROR-009", "broken", "silent"),
    ] {
        holds_in(
            version,
            id,
            &format!("opened | {prompt}"),
            &format!(
                r#"
                upheld  with its name :: + {named}
                {nameless}  without :: + fails 5 -32002
                {nameless}  with another :: + {other}
                broken  an internal error :: + fails 5 -32603
                broken  invalid params :: + fails 5 -32602
                broken  of a load :: opened | ask 5 session/resume {{"sessionId":"elenchus-x","cwd":"/a","mcpServers":[]}} | fails 5 -32602
                unclear  its folder is none :: opened | ask 5 session/resume {{"sessionId":"elenchus-x","cwd":"a","mcpServers":[]}} | fails 5 -32602
                unclear  it may take no pictures :: opened | ask 5 session/prompt {{"sessionId":"elenchus-x","prompt":[{{"type":"image","data":"AAEC","mimeType":"image/png"}}]}} | fails 5 -32602
                {empty}  it may take no empty prompts :: opened | ask 5 session/prompt {{"sessionId":"elenchus-x","prompt":[]}} | fails 5 -32602
                unclear  a login is missing :: + fails 5 -32000
                silent  there is no such method :: + fails 5 -32601
                silent  a code that is none :: + fails 5 "x"
                silent  a result is ERROR-010's :: + result 5 {{}}
                silent  a session that may exist :: opened | ask 5 session/prompt {{"sessionId":"t","prompt":[]}} | fails 5 -32603
                silent  closing is CLOSE's :: opened | ask 5 session/close {{"sessionId":"elenchus-x"}} | fails 5 -32603
                "#
            ),
        );
    }
    holds(
        "ACP-ERROR-010",
        &format!("opened | {prompt}"),
        "
        upheld  refused :: + fails 5 -32602
        broken  answered :: + result 5 {\"stopReason\":\"end_turn\",\"messageId\":\"m\"}
        broken  the agent dies of it :: + exit 101 nothing
        broken  dropped :: + settles 9 | deadline 5 | eof C | exit 0 close
        unclear  nothing later is answered :: + deadline 5 | eof C | exit 0 close
        silent  a session that may exist :: opened | ask 5 session/prompt {\"sessionId\":\"t\",\"prompt\":[]} | result 5 {}
        ",
    );
}

#[test]
fn work_that_fails_ends_no_process() {
    holds(
        "ACP-ERROR-013",
        "opened | prompting 2 /fail",
        "
        upheld  an internal error :: + fails 2 -32603
        unclear  another one :: + fails 2 -32002
        broken  the agent dies :: + exit 101 nothing
        unclear  it goes on :: + turn-deadline 2 | eof C | exit 0 close
        silent  an ordinary prompt :: opened | prompting 2 hello | exit 101 nothing
        ",
    );
    holds_in(
        "v2",
        "ACP-ERROR-013",
        "opened | prompt 2 /fail",
        "
        upheld  as the end of the turn :: + state idle error
        unclear  as if nothing had been :: + done 2
        ",
    );
}

#[test]
fn a_refused_version_tells_which_there_are() {
    holds_with(
        "ACP-ERROR-014",
        r#"open | asks 0 | S {"jsonrpc":"2.0","id":0,"error":$}"#,
        r#"
        upheld  {"code":-32022,"message":"no","data":{"requested":0,"supported":[2]}}
        upheld  {"code":-32022,"message":"no","data":{"requested":0,"supported":[]}}
        broken  {"code":-32022,"message":"no","data":{"requested":0,"supported":2}}
        broken  {"code":-32022,"message":"no","data":{"requested":"0","supported":[2]}}
        broken  {"code":-32022,"message":"no","data":{"supported":[2]}}
        broken  {"code":-32022,"message":"no"}
        silent  {"code":-32602,"message":"no"}
        "#,
    );
}

#[test]
fn an_error_keeps_what_was_given_in_confidence() {
    let new = r#"opened | ask 5 session/new {"cwd":5,"mcpServers":[{"type":"stdio","name":"a","command":"/a","env":[{"name":"TOKEN","value":"a secret of some length"},{"name":"SHORT","value":"yes"}]}]}"#;
    let error = |data: &str| {
        format!(
            r#"S {{"jsonrpc":"2.0","id":5,"error":{{"code":-32602,"message":"yes","data":{data}}}}}"#
        )
    };
    let (quiet, loud) = (
        error(r#"{"cwd":5}"#),
        error(r#""env: a secret of some length""#),
    );
    holds(
        "ACP-ERROR-015",
        new,
        &format!(
            r#"
            upheld  it names what is wrong :: + {quiet}
            broken  it repeats everything :: + {loud}
            silent  no error :: + result 5 {{"sessionId":"t"}}
            silent  nothing was given :: opened | ask 5 session/new {{"cwd":5}} | {loud}
            "#
        ),
    );
    let hidden = new.replace("a secret of some length", "[redacted]");
    holds(
        "ACP-ERROR-015",
        &hidden,
        &format!("unclear the recording does not show it :: + {quiet}"),
    );
}

#[test]
fn a_code_that_nobody_lists_is_an_error_like_any_other() {
    let ask = |turn: u32, id: u32, code: i64| {
        format!("prompt {turn} /ask permission | permission {id} | refuse {id} {code}")
    };
    let (known, unlisted) = (ask(2, 71, -32603), ask(3, 72, 12345));
    holds(
        "ACP-ERROR-004",
        &format!("opened | {known} | done 2 | {unlisted}"),
        &format!(
            "
            upheld  the turn ends :: + done 3
            broken  the agent dies :: + exit 101 nothing
            broken  the turn never ends :: + turn-deadline 3
            silent  it does not cope with a listed one either :: opened | {known} | {unlisted} | exit 101 nothing
            silent  a listed code :: opened | {known} | done 2 | {} | exit 101 nothing
            ",
            ask(3, 72, -32601)
        ),
    );
}
