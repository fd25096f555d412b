//! `$/cancel_request`.

use crate::table::{holds, holds_in, holds_with, holds_with_in};

/// A `session/new` that asks the user, under the id 7, and its question.
const ASKING: &str = r#"opened | trigger 7 session/new elicit form | ask 7 session/new {"cwd":"/","mcpServers":[]} | create 1 {"requestId":7,"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}"#;

#[test]
fn a_cancellation_is_a_notification_that_names_a_request() {
    holds(
        "ACP-CANCEL-001",
        "opened | prompt 2 /hold elicit form | form 1",
        r#"
        upheld  as it is written :: + withdraws 1
        broken  with an id :: + S {"jsonrpc":"2.0","id":5,"method":"$/cancel_request","params":{"requestId":1}}
        broken  the name of language servers :: + S {"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}
        broken  no requestId :: + S {"jsonrpc":"2.0","method":"$/cancel_request","params":{"id":1}}
        broken  no params :: + S {"jsonrpc":"2.0","method":"$/cancel_request"}
        silent  a misspelt member is JSONRPC-022 :: + S {"jsonrpc":"2.0","method":"$/cancel_request","params":{"request_id":1}}
        silent  another extension :: + S {"jsonrpc":"2.0","method":"_cancel_request","params":{}}
        silent  the client's own :: + cancels 2
        "#,
    );
    let talk = "opened | prompt 2 /hold elicit form | form 1 | withdraws $";
    holds_with(
        "ACP-CANCEL-002",
        talk,
        "upheld 1\nupheld \"1\"\nupheld 1.0\nbroken 1.5\nbroken {}\nbroken true\nsilent null",
    );
    holds_with(
        "ACP-CANCEL-003",
        talk,
        "upheld 1\nupheld \"1\"\nupheld 1.0\nbroken 1.5\nbroken {}\nbroken null",
    );
}

#[test]
fn an_id_is_repeated_with_its_type() {
    holds(
        "ACP-CANCEL-004",
        "opened | prompt 2 /hold elicit form | form 1",
        r#"
        upheld  the id itself :: + withdraws 1
        upheld  after it was answered :: + accept 1 {"name":"x"} | withdraws 1
        broken  its twin :: + withdraws "1"
        silent  an id that nothing has is CANCEL-005 :: + withdraws 9
        silent  an id of the other direction :: + withdraws 2
        "#,
    );
    holds(
        "ACP-CANCEL-004",
        ASKING,
        r#"
        upheld  our twin is ignored :: + cancels "7" | settles "f"
        unclear our twin is taken for it :: + cancels "7" | fails 7 -32800
        upheld  it is answered in its own time :: + cancels "7" | accept 1 {} | result 7 {"sessionId":"t"}
        silent  the id itself follows :: + cancels "7" | cancels 7 | fails 7 -32800
        "#,
    );
}

#[test]
fn only_the_sender_cancels_its_requests() {
    holds(
        "ACP-CANCEL-005",
        "opened | prompt 2 /hold elicit form | form 1",
        r#"
        upheld  its own :: + withdraws 1
        broken  one that it never sent :: + withdraws 9
        broken  one of the client :: + withdraws 2
        silent  the twin is CANCEL-004 :: + withdraws "1"
        silent  null is CANCEL-003 :: + withdraws null
        "#,
    );
    holds(
        "ACP-CANCEL-005",
        r#"opened | prompt 2 /elicit form | form 1 | ask 1 session/new {"cwd":"/"} | cancels 1"#,
        r#"
        upheld  the question lives :: + settles "f" | accept 1 {"name":"x"} | says elicited accept {"name":"x"} | done 2
        broken  the question is taken back :: + withdraws 1
        broken  the turn ends without its answer :: + done 2
        upheld  it takes it back later, by a limit of its own :: + settles "f" | withdraws 1
        unclear it gives up later, by a limit of its own :: + settles "f" | done 2
        broken  the question counts as cancelled :: + accept 1 {"name":"x"} | says elicited cancel | done 2
        unclear own words :: + accept 1 {"name":"x"} | says Thank you | done 2
        unclear the question is declined :: + decline 1 | says elicited decline | done 2
        silent  the turn is cancelled as well :: + cancelled | done 2
        "#,
    );
}

#[test]
fn a_cancelled_request_is_answered_once() {
    holds(
        "ACP-CANCEL-007",
        ASKING,
        r#"
        upheld  the error :: + cancels 7 | withdraws 1 | fails 7 -32800
        upheld  a result :: + cancels 7 | accept 1 {} | result 7 {"sessionId":"t"}
        upheld  another error :: + cancels 7 | fails 7 -32603
        broken  silence, though the question was answered :: + cancels 7 | accept 1 {} | deadline 7
        unclear the question is still open :: + cancels 7 | deadline 7 | exit 0 close
        unclear the process ended :: + cancels 7 | exit 1 nothing
        silent  nothing was cancelled :: + accept 1 {} | deadline 7
        "#,
    );
    holds_in(
        "v1",
        "ACP-CANCEL-007",
        r"opened | prompt 2 /hold elicit form | form 1 | cancels 2",
        r#"
        upheld  stopped :: + withdraws 1 | stops 2 cancelled
        broken  silence after the answer :: + accept 1 {"name":"x"} | deadline 2
        "#,
    );
    holds_in(
        "v1",
        "ACP-CANCEL-007",
        "opened | prompt 2 hello | cancels 2",
        r"
        unclear a model may take its time :: + deadline 2
        broken  the session was cancelled too :: + cancelled | deadline 2
        ",
    );
    holds(
        "ACP-CANCEL-008",
        ASKING,
        r#"
        upheld  once :: + cancels 7 | withdraws 1 | fails 7 -32800 | settled
        broken  twice :: + cancels 7 | fails 7 -32800 | result 7 {"sessionId":"t"}
        broken  the result first :: + cancels 7 | result 7 {"sessionId":"t"} | fails 7 -32800
        unclear a malformed frame may have drawn one :: + cancels 7 | fails 7 -32800 | malformed | C {"id":7} | fails 7 -32600
        silent  cancelled after its answer :: + result 7 {"sessionId":"t"} | cancels 7 | fails 7 -32800
        silent  cancelled twice is CANCEL-013 :: + cancels 7 | cancels 7 | fails 7 -32800 | fails 7 -32800
        "#,
    );
    holds(
        "ACP-JSONRPC-004",
        ASKING,
        "upheld  a second answer is CANCEL-008 :: + cancels 7 | fails 7 -32800 | fails 7 -32800",
    );
}

#[test]
fn what_cannot_be_cancelled_is_ignored() {
    holds(
        "ACP-CANCEL-009",
        "opened | settles \"f\"",
        r#"
        upheld  ignored :: + cancels 999 | settles "g"
        upheld  ignored, a string :: + cancels "nobody" | settles "g"
        broken  a complaint :: + cancels 999 | S {"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}
        broken  an answer under that id :: + cancels 999 | fails 999 -32800
        broken  a crash :: + cancels 999 | exit 101 nothing
        unclear a crash after more :: + cancels 999 | cancelled | exit 101 nothing
        silent  the agent's own id is CANCEL-005 :: + prompt 2 /elicit form | form 9 | cancels 9 | settles "g"
        silent  the twin is CANCEL-004 :: + ask 9 session/new {"cwd":"/"} | cancels "9" | settles "g"
        "#,
    );
    holds(
        "ACP-CANCEL-010",
        "opened | ask 7 session/new {\"cwd\":\"/\"} | result 7 {\"sessionId\":\"t\"}",
        r#"
        upheld  ignored :: + cancels 7 | settles "g"
        broken  answered again :: + cancels 7 | fails 7 -32800
        broken  a complaint :: + cancels 7 | S {"jsonrpc":"2.0","error":{"code":-32602,"message":"no"}}
        broken  a crash :: + cancels 7 | exit 101 nothing
        silent  nothing cancelled :: + settles "g"
        "#,
    );
    holds(
        "ACP-CANCEL-014",
        ASKING,
        r#"
        upheld  no answer of its own :: + cancels 7 | fails 7 -32800 | settled
        broken  an answer without an id :: + tells $/cancel_request {} | accept 1 {} | result 7 {"sessionId":"t"} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}
        broken  a crash on a valid one :: + cancels 7 | exit 101 nothing
        unclear the request may have ended it :: opened | ask 7 session/new {"cwd":"/"} | cancels 7 | exit 1 nothing
        broken  the request was read before :: opened | ask 7 session/new {"cwd":"/"} | settles "f" | cancels 7 | exit 1 nothing
        unclear a crash on a malformed one :: + tells $/cancel_request {"requestId":{}} | exit 101 nothing
        silent  of an unknown id is CANCEL-009 :: + cancels 999 | settles "g"
        "#,
    );
    holds(
        "ACP-JSONRPC-009",
        "opened | tells _note",
        r#"
        broken  another notification :: + S {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}
        silent  a cancellation has a row of its own :: opened | cancels 999 | S {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}
        silent  so has that of a session :: opened | cancelled | S {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}
        "#,
    );
}

#[test]
fn finished_work_is_not_cancelled() {
    holds_in(
        "v1",
        "ACP-CANCEL-011",
        "opened | prompt 2 /hold elicit form | form 1 | cancels 2",
        r#"
        upheld  the normal answer :: + settles "f" | accept 1 {"name":"x"} | says elicited accept {"name":"x"} | done 2
        upheld  stopped at once :: + withdraws 1 | fails 2 -32800
        broken  it went on, told all, and calls it cancelled :: + settles "f" | accept 1 {"name":"x"} | says elicited accept {"name":"x"} | fails 2 -32800
        unclear a race :: + accept 1 {"name":"x"} | says elicited accept {"name":"x"} | fails 2 -32800
        "#,
    );
    holds(
        "ACP-CANCEL-011",
        ASKING,
        "upheld  cancelled :: + cancels 7 | fails 7 -32800\nsilent  not cancelled :: + fails 7 -32800",
    );
}

#[test]
fn every_id_can_be_cancelled() {
    let ask = |id: &str, question: &str| {
        format!(
            r#"ask {id} session/new {{"cwd":"/"}} | create {question} {{"requestId":{id},"mode":"form","message":"?","requestedSchema":{{"type":"object","properties":{{}}}}}} | cancels {id} | settles "f{question}""#
        )
    };
    let usual = format!(r"opened | {} | withdraws 1 | fails 7 -32800", ask("7", "1"));
    for id in ["0", "-1", "\"\"", &format!("\"{}\"", "x".repeat(300))] {
        let second = ask(id, "2");
        holds(
            "ACP-CANCEL-012",
            &usual,
            &format!(
                r#"
                upheld  honoured as well :: + {second} | withdraws 2 | fails {id} -32800
                broken  ignored :: + {second} | accept 2 {{}} | result {id} {{"sessionId":"t"}}
                unclear too late :: + {second} | result {id} {{"sessionId":"t"}}
                silent  never seen to cancel :: opened | {second} | accept 2 {{}} | result {id} {{"sessionId":"t"}}
                "#
            ),
        );
    }
}

#[test]
fn a_second_cancellation_changes_nothing() {
    holds(
        "ACP-CANCEL-013",
        ASKING,
        r#"
        upheld  one answer :: + cancels 7 | cancels 7 | fails 7 -32800 | settled
        broken  two answers :: + cancels 7 | cancels 7 | fails 7 -32800 | fails 7 -32800
        broken  a crash :: + cancels 7 | cancels 7 | exit 101 nothing
        unclear the request may have ended it :: opened | ask 7 session/new {"cwd":"/"} | cancels 7 | cancels 7 | exit 1 nothing
        upheld  the id is free again :: + cancels 7 | fails 7 -32800 | ask 7 session/new {"cwd":"/"} | result 7 {"sessionId":"t"}
        broken  the id is cancelled for ever :: + cancels 7 | fails 7 -32800 | ask 7 session/new {"cwd":"/"} | fails 7 -32800
        silent  once :: + cancels 7 | fails 7 -32800
        "#,
    );
}

#[test]
fn the_error_has_its_shape() {
    holds_with(
        "ACP-CANCEL-015",
        &format!(r#"{ASKING} | cancels 7 | S {{"jsonrpc":"2.0","id":7,"error":$}}"#),
        r#"
        upheld {"code":-32800,"message":"cancelled"}
        upheld {"code":-32800,"message":""}
        broken {"code":"-32800","message":"cancelled"}
        broken {"code":-32800}
        broken {"code":-32800,"message":5}
        silent {"code":-32603,"message":"no"}
        silent null
        "#,
    );
}

#[test]
fn others_go_on() {
    holds(
        "ACP-CANCEL-016",
        &format!(r#"{ASKING} | ask 8 session/new {{"cwd":"/"}} | cancels 7"#),
        r#"
        upheld  the other is answered :: + fails 7 -32800 | result 8 {"sessionId":"t"}
        upheld  the other fails for a reason of its own :: + fails 8 -32603
        broken  the other is cancelled :: + fails 7 -32800 | fails 8 -32800
        silent  the other was cancelled too :: + cancels 8 | fails 8 -32800
        silent  nothing came :: + exit 0 close
        "#
        .replace("silent  nothing came", "unclear nothing came")
        .as_str(),
    );
    holds(
        "ACP-CANCEL-016",
        "opened | session 3 t | prompt 4 /hold elicit form | prompt 5 @t /hold elicit form | create 1 {\"sessionId\":\"t\",\"mode\":\"form\",\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}} | cancelled",
        r#"
        upheld  the other session goes on :: + accept 1 {} | done 5 @t
        broken  its question is taken back :: + withdraws 1
        silent  it is cancelled as well :: + cancelled t | withdraws 1
        unclear it is closed as well :: + ask 9 session/close {"sessionId":"t"} | withdraws 1
        "#,
    );
}

#[test]
fn the_question_goes_with_its_request() {
    holds(
        "ACP-CANCEL-018",
        ASKING,
        r#"
        upheld  taken back :: + cancels 7 | withdraws 1 | fails 7 -32800
        broken  left open :: + cancels 7 | fails 7 -32800 | settles "f"
        silent  answered first :: + cancels 7 | accept 1 {} | fails 7 -32800 | settles "f"
        unclear nothing was cancelled :: + cancels 7 | settles "f"
        "#,
    );
}

#[test]
fn a_cancelled_id_is_not_used_again() {
    holds_with_in(
        "v2",
        "ACP-CANCEL-035",
        "opened | prompt 2 /hold elicit form | form 1 | cancelled | withdraws 1 | stops 2 cancelled | prompt 3 /elicit form | form $",
        "broken 1\nupheld 9\nupheld \"1\"",
    );
    holds(
        "ACP-CANCEL-035",
        "opened | prompt 2 /hold elicit form | form 1 | cancelled | withdraws 1 | refuse 1 -32800 | stops 2 cancelled",
        "silent  it was answered :: + prompt 3 /elicit form | form 1",
    );
    holds_in(
        "v2",
        "ACP-ELICIT-SCOPE-027",
        "opened | prompt 2 /hold elicit form | form 1",
        "silent  that is CANCEL-035 :: + withdraws 1 | form 1\nbroken  not cancelled :: + form 1",
    );
}
