//! `session/cancel`, and what it does to a turn and its questions.

use crate::table::{holds, holds_in};

const HOLD: &str = "opened | prompt 2 /hold | settles \"f\"";
const FORM: &str = "opened | prompt 2 /hold elicit form | form 1";
const LISTED: &str = r#"opened | S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Work","status":"in_progress"}}} | S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","background":[{"type":"tool_call","toolCallId":"c"}]}}}"#;

#[test]
fn a_busy_turn_ends_as_cancelled() {
    for id in ["ACP-CANCEL-026", "ACP-CANCEL-027"] {
        holds(
            id,
            HOLD,
            r"
            upheld  cancelled :: + cancelled | stops 2 cancelled
            broken  as if it had finished :: + cancelled | stops 2 end_turn
            broken  an error :: + cancelled | fails 2 -32603
            broken  silence :: + cancelled | turn-deadline 2
            broken  its request is cancelled when it is too late :: + cancelled | fails 2 -32603 | cancels 2
            unclear no reason is PROMPT-002's :: + cancelled | exit 0 close
            silent  nothing was cancelled :: + done 2
            silent  cancelled after its end :: + done 2 | cancelled
            silent  another session :: + cancelled t | done 2
            ",
        );
        holds(
            id,
            "opened",
            r#"
            unclear a race that the agent won :: + prompt 2 /say x | cancelled | says x | done 2
            upheld  a race that it lost :: + prompt 2 /say x | cancelled | stops 2 cancelled
            unclear not seen to be busy :: + prompt 2 /hold | cancelled | done 2
            unclear its prompt is cancelled as a request besides :: + prompting 2 /hold | settles "f" | cancels 2 | cancelled | fails 2 -32800
            unclear a model may have finished :: + prompt 2 hello | settles "f" | cancelled | done 2
            unclear a model may have failed :: + prompt 2 hello | settles "f" | cancelled | fails 2 -32603
            unclear a permission was given at the same time :: + prompt 2 /ask permission | permission 1 | cancelled | answer 1 {"outcome":{"outcome":"selected","optionId":"allow"}} | done 2
            broken  a permission was open :: + prompt 2 /ask permission | permission 1 | cancelled | done 2
            broken  the permission was given when it was too late :: + prompt 2 /ask permission | permission 1 | cancelled | settles "f" | answer 1 {"outcome":{"outcome":"selected","optionId":"allow"}} | done 2
            "#,
        );
    }
    for id in ["ACP-ELICIT-CANCEL-018", "ACP-ELICIT-CANCEL-019"] {
        holds(
            id,
            FORM,
            r#"
            upheld  cancelled :: + cancelled | withdraws 1 | stops 2 cancelled
            upheld  cancelled after our refusal :: + cancelled | withdraws 1 | refuse 1 -32800 | stops 2 cancelled
            broken  as if it had finished :: + cancelled | stops 2 end_turn
            broken  an error :: + cancelled | withdraws 1 | fails 2 -32603
            broken  it read the cancel, and took the answer :: + cancelled | settles "f" | accept 1 {"name":"x"} | stops 2 end_turn
            broken  its own cancellation ended it otherwise :: + cancelled | withdraws 1 | refuse 1 -32800 | stops 2 end_turn
            unclear the answer may have come first :: + cancelled | accept 1 {"name":"x"} | stops 2 end_turn
            unclear the dismissal may have come first :: + cancelled | cancel 1 | stops 2 end_turn
            unclear it still waits for us :: + cancelled | turn-deadline 2 | exit 0 close
            broken  silence, though the question is settled :: + cancelled | settles "f" | cancel 1 | turn-deadline 2
            silent  answered before :: + accept 1 {"name":"x"} | cancelled | done 2
            "#,
        );
        holds(
            id,
            &format!("{FORM} | form 7"),
            r#"
            unclear one of the questions is none of the turn's :: + accept 1 {"name":"x"} | cancelled | stops 2 end_turn
            unclear whichever it is :: + cancelled | stops 2 end_turn
            upheld  cancelled :: + cancelled | withdraws 1 | stops 2 cancelled
            "#,
        );
        holds(
            id,
            FORM,
            "unclear a question of something else came later :: + cancelled | form 7 | stops 2 end_turn",
        );
        holds(
            id,
            "opened | prompt 2 /elicit twice | form 1 | form 7",
            "broken  two of its own :: + cancelled | stops 2 end_turn",
        );
        holds(
            id,
            "opened | prompt 2 hello | form 1",
            "unclear a model may go on without the answer :: + cancelled | stops 2 end_turn\nupheld  cancelled :: + cancelled | stops 2 cancelled",
        );
    }
}

#[test]
fn the_end_waits_for_nobody() {
    holds(
        "ACP-ELICIT-CANCEL-029",
        FORM,
        r"
        upheld  ended :: + cancelled | withdraws 1 | stops 2 cancelled
        broken  not ended :: + cancelled | withdraws 1 | turn-deadline 2
        silent  answered :: + cancelled | withdraws 1 | refuse 1 -32800 | turn-deadline 2
        silent  another end is for 018 and 019 :: + cancelled | stops 2 end_turn
        unclear nobody waited :: + cancelled | exit 0 close
        ",
    );
}

#[test]
fn questions_are_taken_back() {
    for id in ["ACP-ELICIT-CANCEL-004", "ACP-ELICIT-CANCEL-005"] {
        holds(
            id,
            FORM,
            r#"
            upheld  taken back :: + cancelled | withdraws 1 | stops 2 cancelled
            upheld  taken back after the end :: + cancelled | stops 2 cancelled | withdraws 1 | settles "f"
            broken  left open :: + cancelled | stops 2 cancelled | settles "f"
            silent  answered in time :: + cancelled | accept 1 {"name":"x"} | stops 2 cancelled | settles "f"
            silent  the agent had finished :: + cancelled | done 2 | settles "f"
            silent  not cancelled :: + settles "f"
            unclear not ended yet :: + cancelled | settles "f"
            upheld  one of two is none of the turn's, and only one is taken back :: + form 7 | cancelled | withdraws 1 | stops 2 cancelled | settles "f"
            "#,
        );
        holds(
            id,
            "opened | prompt 2 /hold | form 1",
            "unclear the turn asks nothing :: + cancelled | stops 2 cancelled | settles \"f\"",
        );
    }
    let tool = r#"opened | prompt 2 /elicit tool form | tool c Call | create 1 {"sessionId":"s","toolCallId":"c","mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}} | cancelled | withdraws 1 | refuse 1 -32800 | stops 2 cancelled | prompt 3 /hold elicit form | form 4 | cancelled"#;
    holds(
        "ACP-ELICIT-CANCEL-006",
        tool,
        r#"
        upheld  both :: + withdraws 4 | stops 3 cancelled
        broken  only that of the tool call :: + stops 3 cancelled | settles "f"
        silent  answered in time :: + accept 4 {"name":"x"} | stops 3 cancelled | settles "f"
        "#,
    );
    holds(
        "ACP-ELICIT-CANCEL-006",
        FORM,
        "silent  none is ever taken back :: + cancelled | stops 2 cancelled | settles \"f\"",
    );
    holds_in(
        "v2",
        "ACP-ELICIT-CANCEL-004",
        tool,
        "upheld  that is for 006 :: + stops 3 cancelled | settles \"f\"",
    );
}

#[test]
fn background_work_goes_on() {
    let asks = format!(
        r#"{LISTED} | create 1 {{"sessionId":"s","toolCallId":"c","mode":"form","message":"?","requestedSchema":{{"type":"object","properties":{{}}}}}}"#
    );
    holds(
        "ACP-ELICIT-CANCEL-003",
        &asks,
        r#"
        upheld  still open :: + cancelled | settles "f"
        upheld  answered :: + cancelled | accept 1 {}
        broken  taken back :: + cancelled | withdraws 1
        unclear the session is closed as well :: + cancelled | ask 9 session/close {"sessionId":"s"} | withdraws 1
        silent  taken back before :: + withdraws 1 | cancelled
        silent  another session :: + cancelled t | withdraws 1
        "#,
    );
    holds(
        "ACP-ELICIT-CANCEL-003",
        &format!("{LISTED} | form 1"),
        "unclear whose question is it :: + cancelled | withdraws 1",
    );
    holds(
        "ACP-ELICIT-CANCEL-003",
        "opened | form 1",
        "silent  nothing is listed :: + cancelled | withdraws 1",
    );
    let status = |status: &str| {
        format!(
            r#"S {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"{status}"}}}}}}"#
        )
    };
    holds(
        "ACP-CANCEL-031",
        LISTED,
        &format!(
            r#"
            upheld  it goes on :: + cancelled | settles "f"
            upheld  it completes :: + cancelled | {}
            broken  it is cancelled :: + cancelled | {}
            silent  it had been over :: + {} | cancelled | settles "f"
            "#,
            status("completed"),
            status("cancelled"),
            status("failed")
        ),
    );
}

#[test]
fn what_is_outside_of_the_session_goes_on() {
    for id in ["ACP-ELICIT-CANCEL-007", "ACP-ELICIT-CANCEL-031"] {
        holds(
            id,
            r#"opened | ask 7 session/new {"cwd":"/"} | create 1 {"requestId":7,"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}"#,
            r#"
            upheld  still open :: + cancelled | settles "f"
            upheld  answered :: + cancelled | accept 1 {}
            broken  taken back :: + cancelled | withdraws 1
            silent  its request was cancelled too :: + cancelled | cancels 7 | withdraws 1
            silent  its request has its answer :: + cancelled | fails 7 -32603 | withdraws 1
            silent  no session was cancelled :: + withdraws 1
            "#,
        );
    }
}

#[test]
fn a_turn_ends_once() {
    holds(
        "ACP-ELICIT-CANCEL-020",
        FORM,
        r#"
        upheld  cancelled :: + cancelled | accept 1 {"name":"x"} | stops 2 cancelled | settles "f"
        upheld  the answer won :: + accept 1 {"name":"x"} | cancelled | done 2 | settles "f"
        upheld  the answer came late :: + cancelled | stops 2 cancelled | accept 1 {"name":"x"} | settles "f"
        broken  no end :: + cancelled | accept 1 {"name":"x"} | turn-deadline 2
        broken  a crash :: + cancelled | accept 1 {"name":"x"} | exit 101 nothing
        unclear a crash after more :: + cancelled | accept 1 {"name":"x"} | cancels 99 | exit 101 nothing
        silent  a dismissal is 021 :: + cancelled | cancel 1 | stops 2 cancelled
        silent  not cancelled :: + accept 1 {"name":"x"} | done 2 | settles "f"
        "#,
    );
    holds_in(
        "v1",
        "ACP-ELICIT-CANCEL-020",
        FORM,
        "broken  two answers :: + accept 1 {\"name\":\"x\"} | cancelled | done 2 | stops 2 cancelled",
    );
    holds_in(
        "v2",
        "ACP-ELICIT-CANCEL-020",
        FORM,
        "upheld  equal snapshots are one ending :: + accept 1 {\"name\":\"x\"} | cancelled | stops 2 cancelled | stops 2 cancelled | settles \"f\"",
    );
    holds(
        "ACP-ELICIT-CANCEL-021",
        FORM,
        r#"
        upheld  cancelled :: + cancel 1 | cancelled | stops 2 cancelled | settles "f"
        upheld  its own ending :: + cancel 1 | cancelled | done 2 | settles "f"
        upheld  the refusal of a question that was taken back :: + cancelled | withdraws 1 | refuse 1 -32800 | stops 2 cancelled | settles "f"
        broken  a crash :: + cancelled | cancel 1 | exit 101 nothing
        silent  an accept is 020 :: + accept 1 {"name":"x"} | cancelled | done 2 | settles "f"
        "#,
    );
    holds_in(
        "v1",
        "ACP-ELICIT-CANCEL-021",
        FORM,
        "broken  two answers :: + cancel 1 | cancelled | done 2 | stops 2 cancelled",
    );
    holds(
        "ACP-ELICIT-CANCEL-022",
        FORM,
        r#"
        upheld  twice at once :: + cancelled | cancelled | stops 2 cancelled | settles "f"
        upheld  once more after the end :: + cancelled | stops 2 cancelled | cancelled | settles "f"
        broken  a crash :: + cancelled | stops 2 cancelled | cancelled | exit 101 nothing
        silent  once :: + cancelled | stops 2 cancelled | settles "f"
        silent  a fresh turn is cancelled for the first time :: + cancelled | stops 2 cancelled | prompt 3 /hold | cancelled | stops 3 cancelled | settles "f"
        "#,
    );
    holds_in(
        "v1",
        "ACP-ELICIT-CANCEL-022",
        FORM,
        "broken  two answers :: + cancelled | stops 2 cancelled | cancelled | stops 2 cancelled",
    );
    holds_in(
        "v1",
        "ACP-JSONRPC-004",
        FORM,
        "upheld  a second answer after two cancels is for 022 :: + cancelled | stops 2 cancelled | cancelled | stops 2 cancelled\nbroken  any other second answer :: + cancelled | stops 2 cancelled | stops 2 cancelled",
    );
}

#[test]
fn closing_ends_what_was_asked() {
    holds(
        "ACP-ELICIT-CANCEL-025",
        &format!(r#"{FORM} | ask 3 session/close {{"sessionId":"s"}}"#),
        r#"
        upheld  all is answered :: + withdraws 1 | stops 2 cancelled | result 3 {} | settles "f"
        broken  another question :: + withdraws 1 | stops 2 cancelled | result 3 {} | form 9
        broken  the close is not answered :: + withdraws 1 | refuse 1 -32800 | stops 2 cancelled | deadline 3
        unclear it still waits for us :: + deadline 3 | exit 0 close
        unclear it was not closed :: + fails 3 -32603
        unclear the question was answered at the same time :: + accept 1 {"name":"x"} | result 3 {} | form 9 | exit 0 close
        "#,
    );
    holds_in(
        "v1",
        "ACP-ELICIT-CANCEL-025",
        &format!(r#"{FORM} | ask 3 session/close {{"sessionId":"s"}}"#),
        "broken  the prompt is not answered :: + withdraws 1 | refuse 1 -32800 | result 3 {} | turn-deadline 2",
    );
    holds_in(
        "v2",
        "ACP-ELICIT-CANCEL-025",
        &format!(r#"{FORM} | ask 3 session/close {{"sessionId":"s"}}"#),
        r#"
        broken  an update follows :: + withdraws 1 | result 3 {} | stops 2 cancelled
        silent  taken up before the answer :: + ask 4 session/resume {"sessionId":"s","cwd":"/a"} | result 3 {} | form 9
        "#,
    );
}

#[test]
fn session_cancel_is_harmless() {
    holds(
        "ACP-CANCEL-024",
        "opened | settles \"f\"",
        r#"
        upheld  nothing to cancel :: + cancelled | settles "g"
        upheld  an unknown session :: + cancelled nobody | settles "g"
        broken  answered :: + cancelled | S {"jsonrpc":"2.0","id":null,"error":{"code":-32002,"message":"no"}}
        broken  a crash :: + cancelled nobody | exit 101 nothing
        unclear a crash on a malformed one :: + tells session/cancel {"sessionId":5} | exit 101 nothing
        broken  a malformed one is answered :: + tells session/cancel {} | S {"jsonrpc":"2.0","error":{"code":-32602,"message":"no"}}
        silent  another notification :: + tells _note | S {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}
        "#,
    );
}

#[test]
fn cancelled_work_begins_nothing() {
    holds(
        "ACP-CANCEL-025",
        &format!("{HOLD} | tool a Work"),
        r#"
        upheld  it stops :: + cancelled | stops 2 cancelled
        broken  another tool call :: + cancelled | settles "g" | tool c More
        upheld  one that may have crossed :: + cancelled | tool c More | stops 2 cancelled
        upheld  a known one goes on :: + tool c Known | cancelled | settles "g" | tool c Known | stops 2 cancelled
        unclear it takes one message after the other :: opened | prompting 2 /hold | cancelled | settles "f" | tool c Work | stops 2 cancelled
        "#,
    );
    holds(
        "ACP-CANCEL-029",
        "opened | prompt 2 /hold | cancelled | prompting 3 /say next",
        r#"
        upheld  the old work first :: + stops 2 cancelled | says next | done 3
        broken  the new work first :: + says next | stops 2 cancelled
        broken  taken in at once, and the new work first :: + result 3 {"messageId":"m"} | says next | stops 2 cancelled
        upheld  the prompt may be taken in :: + result 3 {"messageId":"m"} | stops 2 cancelled
        unclear another prompt behind it :: + prompting 4 hello | says next
        unclear the session is closed :: + ask 4 session/close {"sessionId":"s"} | says next
        silent  the old work may say the same :: opened | prompt 2 /say next | cancelled | prompting 3 /say next | says next
        silent  several were at work :: opened | prompt 2 hello | prompt 4 /hold | cancelled | prompting 3 /say next | says next
        unclear the old work ended otherwise :: + stops 2 end_turn | exit 0 close
        "#
        .replace(
            "unclear the old work ended otherwise :: + stops 2 end_turn | exit 0 close",
            "",
        )
        .as_str(),
    );
    holds(
        "ACP-CANCEL-030",
        "opened | prompt 9 /say warm | done 9 | prompting 2 /hold",
        r#"
        upheld  taken in :: + cancelled | result 2 {"messageId":"m"}
        upheld  not taken in :: + cancelled | fails 2 -32800
        broken  held, then refused otherwise :: + settles "f" | cancelled | fails 2 -32603
        broken  forgotten :: + cancelled | deadline 2
        unclear refused in a race :: + cancelled | fails 2 -32600
        unclear deleted as well :: + settles "f" | cancelled | ask 4 session/delete {"sessionId":"s"} | fails 2 -32002
        silent  answered before :: + result 2 {"messageId":"m"} | cancelled
        "#,
    );
    holds(
        "ACP-CANCEL-030",
        "opened | prompting 2 /hold | cancelled",
        "unclear the older lifecycle :: + deadline 2\nupheld  its empty answer :: + result 2 {}",
    );
}

#[test]
fn permissions_are_taken_back() {
    let asks = r#"opened | prompt 2 /ask permission | S {"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","title":"t","subject":{"type":"tool_call","toolCall":{"toolCallId":"c"}},"options":[]}}"#;
    let runs = r#"S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress"}}}"#;
    let allow = r#"answer 1 {"outcome":{"outcome":"selected","optionId":"allow"}}"#;
    holds(
        "ACP-CANCEL-033",
        asks,
        &format!(
            r#"
            upheld  taken back :: + cancelled | withdraws 1 | stops 2 cancelled | settles "f"
            broken  left open :: + cancelled | stops 2 cancelled | settles "f"
            broken  the tool runs :: + cancelled | withdraws 1 | {runs}
            broken  the tool runs by a late permission :: + cancelled | withdraws 1 | stops 2 cancelled | settles "f" | cancels 99 | {runs}
            unclear the permission may have come first :: + cancelled | {allow} | {runs} | stops 2 cancelled | settles "f"
            unclear the client was quicker :: + cancelled | answer 1 {{"outcome":{{"outcome":"cancelled"}}}} | stops 2 cancelled | settles "f"
            silent  answered before :: + {allow} | cancelled | {runs} | stops 2 cancelled | settles "f"
            "#
        )
        .replace("            broken  the tool runs by a late permission :: + cancelled | withdraws 1 | stops 2 cancelled | settles \"f\" | cancels 99 | ", "            silent  nothing asked :: opened | prompt 2 /hold | cancelled | "),
    );
}

#[test]
fn the_session_lives_on() {
    holds(
        "ACP-CANCEL-036",
        "opened | prompt 2 /hold | cancelled | stops 2 cancelled",
        r#"
        upheld  another turn :: + prompt 3 /say x | says x | done 3
        broken  refused :: + prompting 3 /say x | fails 3 -32002
        broken  cancelled at once :: + prompt 3 /say x | stops 3 cancelled
        broken  no end :: + prompt 3 /say x | turn-deadline 3
        unclear cancelled by us :: + prompt 3 /say x | cancelled | stops 3 cancelled
        unclear its prompt was cancelled by us :: + prompt 3 /say x | C {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}} | stops 3 cancelled
        silent  a turn that may do anything :: + prompt 3 hello | fails 3 -32603
        silent  a prompt that is none :: + trigger 3 /say | ask 3 session/prompt {"sessionId":"s","prompt":[{"text":"/say x"}]} | fails 3 -32602
        unclear closed before :: + ask 4 session/close {"sessionId":"s"} | prompting 3 /say x | fails 3 -32002
        silent  the first was not cancelled :: opened | prompt 2 /hold | cancelled | done 2 | prompting 3 /say x | fails 3 -32603
        "#,
    );
}
