//! What is not certain of a turn, a session or an answer breaks nothing: ids that two requests of ours share, turns that
//! overlap, sessions that are let go or taken up once more, and lines of ours that anything may be an answer to.

use crate::table::{holds, holds_in};

#[test]
fn which_of_two_requests_with_one_id_is_answered_is_unclear() {
    holds_in(
        "v1",
        "ACP-PROMPT-002",
        "opened | prompt 7 hello",
        r#"
        broken  no stop reason :: + result 7 {"sessions":[]}
        unclear it may be for the other request :: + ask 7 session/list {} | result 7 {"sessions":[]}
        upheld  and from then on :: + ask 7 session/list {} | done 7 | result 7 {"sessions":[]} | prompt 8 hello | result 8 {}
        broken  one after the other :: + done 7 | prompt 7 hello | result 7 {}
        "#,
    );
    holds(
        "ACP-JSONRPC-001",
        "opened | prompt 7 hello | ask 7 session/list {}",
        r#"broken  a line is what it is :: + S {"id":7,"result":{}}"#,
    );
}

#[test]
fn whose_work_it_is_in_two_turns_at_once_is_unclear() {
    holds(
        "ACP-STATE-008",
        "opened | prompt 2 hello",
        r"
        broken  the other had ended :: + done 2 | prompt 3 /fail | state idle end_turn
        silent  the other has ended :: + prompt 3 /fail | state idle end_turn
        unclear both have ended, if not more :: + prompt 3 /fail | echo p3 /fail | state idle end_turn
        ",
    );
    holds_in(
        "v1",
        "ACP-ELICIT-CANCEL-005",
        "opened | prompt 2 /elicit form | form 1",
        r#"
        broken  left open :: + cancelled | stops 2 cancelled | settles "g"
        unclear of another turn :: + prompt 3 hello | cancelled | stops 3 cancelled | stops 2 cancelled | settles "g"
        "#,
    );
    holds(
        "ACP-ELICIT-RESP-013",
        "opened | prompt 2 /effect x form | form 5",
        r"
        broken  declined :: + decline 5 | tool t effect x | form 6
        unclear of the turn before :: + prompt 3 /effect x form | tool t effect x | form 6
        ",
    );
    holds(
        "ACP-TYPED-013",
        r#"opened {"url":{}} | prompt 2 /elicit choice A B"#,
        r"
        broken  asked :: + url 5
        unclear of another turn :: + prompt 3 /elicit url | url 5
        ",
    );
}

#[test]
fn what_work_in_the_background_says_is_nothing_of_a_turn() {
    let listed = r#"tool c Work | update {"sessionUpdate":"state_update","state":"idle","background":[{"type":"tool_call","toolCallId":"c"}]}"#;
    let turn =
        r#"prompt 2 /elicit form | form 5 | cancel 5 | says elicited accept {"name":"x"} | done 2"#;
    holds_in(
        "v2",
        "ACP-ELICIT-RESP-015",
        "opened",
        &format!(
            r"
            broken  a cancel is taken for an accept :: + {turn}
            unclear it may be of other work :: + {listed} | {turn}
            "
        ),
    );
}

#[test]
fn what_is_told_when_a_session_is_taken_up_belongs_to_no_turn() {
    let load = r#"ask 9 session/load {"sessionId":"s","cwd":"/a"}"#;
    let ended =
        "opened | prompt 2 /elicit url | tool t Work | url 1 | cancelled | stops 2 cancelled";
    holds_in(
        "v1",
        "ACP-CANCEL-028",
        ended,
        &format!(
            r"
            broken  it goes on :: + tool t Work
            unclear it is told again :: + {load} | tool t Work
            "
        ),
    );
    holds_in(
        "v1",
        "ACP-ELICIT-CANCEL-014",
        ended,
        &format!(
            r"
            broken  revived :: + accept 1 | says hello
            unclear it is told again :: + accept 1 | {load} | says hello
            "
        ),
    );
    holds_in(
        "v1",
        "ACP-ELICIT-CANCEL-015",
        ended,
        &format!(
            r"
            broken  revived :: + visit 1 | says hello
            unclear it is told again :: + visit 1 | {load} | says hello
            "
        ),
    );
}

#[test]
fn a_twin_without_the_meta_has_to_be_a_turn_of_its_own() {
    let meta = r#"trigger 4 /say | ask 4 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"/say a"}],"_meta":{"x/y":1}}"#;
    holds_in(
        "v1",
        "ACP-ELICIT-SCOPE-024",
        "opened",
        &format!(
            r#"
            broken  it failed with the key :: + prompt 2 /say a | says a | done 2 | {meta} | fails 4 -32603
            unclear its twin ran beside another turn :: + prompt 2 /say a | prompt 3 hello | says a | done 2 | done 3 | {meta} | fails 4 -32603
            unclear its twin was said to no session :: + trigger 2 /say | ask 2 session/prompt {{"sessionId":"a","prompt":[{{"type":"text","text":"/say a"}}]}} | fails 2 -32602 | {meta} | says a | done 4
            unclear its twin was no prompt :: + trigger 2 /say | ask 2 session/prompt {{"sessionId":"s","prompt":[{{"text":"/say a"}}]}} | fails 2 -32602 | {meta} | says a | done 4
            "#
        ),
    );
}

#[test]
fn a_request_that_lacks_something_is_refused_for_that() {
    for (version, id) in [("v1", "ACP-ERROR-008"), ("v2", "ACP-ERROR-009")] {
        holds_in(
            version,
            id,
            "opened",
            r#"
            broken  a folder is given :: + ask 5 session/resume {"sessionId":"elenchus-x","cwd":"/a"} | fails 5 -32602
            silent  none is :: + ask 5 session/resume {"sessionId":"elenchus-x"} | fails 5 -32602
            "#,
        );
    }
}

#[test]
fn which_of_two_broken_lines_is_answered_is_unclear() {
    let error = |code: i64| {
        format!(r#"S {{"jsonrpc":"2.0","id":null,"error":{{"code":{code},"message":"no"}}}}"#)
    };
    let (no_json, no_message) = (error(-32700), error(-32600));
    holds_in(
        "v2",
        "ACP-JSONRPC-013",
        "opened | settles 8",
        &format!(
            r#"
            upheld  no JSON :: + malformed | C {{ | {no_json} | settles 9
            broken  no JSON, and another code :: + malformed | C {{ | {no_message} | settles 9
            silent  no message before it :: + malformed | C {{"method":"_x"}} | malformed | C {{ | {no_message} | {no_json}
            unclear no message behind it :: + malformed | C {{ | malformed | C {{"method":"_x"}} | {no_json} | {no_message}
            "#
        ),
    );
}
