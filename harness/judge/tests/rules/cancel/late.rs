//! What comes after the end of a cancelled turn.

use crate::table::{holds, holds_in};

const ENDED: &str = "opened | prompt 2 /hold elicit form | form 1 | cancelled | withdraws 1 | stops 2 cancelled | settles \"f\"";
const PAGE: &str = "opened | prompt 2 /hold elicit url | url 1";

#[test]
fn a_late_answer_is_tolerated_and_revives_nothing() {
    holds(
        "ACP-ELICIT-CANCEL-012",
        ENDED,
        r#"
        upheld  ignored :: + accept 1 {"name":"x"} | settles "g"
        broken  a crash :: + accept 1 {"name":"x"} | exit 101 nothing
        broken  a complaint :: + accept 1 {"name":"x"} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what?"}}
        unclear a crash after more :: + accept 1 {"name":"x"} | cancelled | exit 101 nothing
        upheld  a complaint about something else :: + malformed | C { | accept 1 {"name":"x"} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}} | settles "g"
        silent  the refusal that it asked for :: + refuse 1 -32800 | settles "g"
        "#,
    );
    for id in ["ACP-ELICIT-CANCEL-013", "ACP-ELICIT-CANCEL-014"] {
        holds(
            id,
            ENDED,
            r#"
            upheld  nothing follows :: + accept 1 {"name":"x"} | settles "g"
            broken  the report :: + accept 1 {"name":"x"} | says elicited accept {"name":"x"}
            upheld  housekeeping :: + accept 1 {"name":"x"} | S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"t"}}} | settles "g"
            silent  another turn :: + accept 1 {"name":"x"} | prompt 3 /say x | says x | done 3 | settles "g"
            silent  no late answer :: + says elicited accept {"name":"x"}
            "#,
        );
    }
    for id in ["ACP-ELICIT-CANCEL-013", "ACP-ELICIT-CANCEL-014"] {
        holds(
            id,
            "opened | prompt 2 /hold | form 1 | cancelled | stops 2 cancelled | settles \"f\"",
            "unclear it was none of the turn's :: + accept 1 {\"name\":\"x\"} | says elicited accept {\"name\":\"x\"} | settles \"g\"",
        );
    }
    holds_in(
        "v1",
        "ACP-ELICIT-CANCEL-014",
        ENDED,
        "broken  talk :: + accept 1 {\"name\":\"x\"} | says well then\nbroken  a tool call :: + accept 1 {\"name\":\"x\"} | tool c More",
    );
    holds_in(
        "v2",
        "ACP-ELICIT-CANCEL-013",
        ENDED,
        "unclear work of its own :: + accept 1 {\"name\":\"x\"} | says well then | settles \"g\"",
    );
    holds(
        "ACP-ELICIT-CANCEL-014",
        "opened | prompt 2 /hold elicit form | tool c Call | form 1 | cancelled | stops 2 cancelled | accept 1 {\"name\":\"x\"}",
        "broken  its tool call :: + tool c Call",
    );
}

#[test]
fn a_late_visit_revives_nothing() {
    holds(
        "ACP-ELICIT-CANCEL-015",
        PAGE,
        r#"
        upheld  nothing follows :: + cancelled | stops 2 cancelled | visit 1 | settles "f"
        upheld  a completion :: + cancelled | stops 2 cancelled | visit 1 | S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}} | settles "f"
        broken  the report :: + cancelled | stops 2 cancelled | visit 1 | says elicited accept
        silent  visited in time :: + visit 1 | accept 1 | says elicited accept | done 2
        unclear an answer came as well :: + cancelled | stops 2 cancelled | visit 1 | accept 1 | says elicited accept
        "#,
    );
    holds(
        "ACP-ELICIT-CANCEL-028",
        PAGE,
        r#"
        upheld  nothing follows :: + cancelled | visit 1 | stops 2 cancelled | settles "f"
        upheld  visited first :: + visit 1 | cancelled | stops 2 cancelled | settles "f"
        broken  the report :: + cancelled | visit 1 | stops 2 cancelled | says elicited accept
        unclear the agent had finished :: + visit 1 | cancelled | done 2 | settles "f"
        silent  visited late is 015 :: + cancelled | stops 2 cancelled | visit 1 | says elicited accept
        "#,
    );
}

#[test]
fn nothing_new_is_asked() {
    holds(
        "ACP-ELICIT-CANCEL-023",
        "opened | prompt 2 /hold elicit form | form 1 | cancelled | withdraws 1 | stops 2 cancelled",
        r#"
        upheld  nothing :: + settles "g"
        broken  a question :: + form 9
        upheld  of another session :: + create 9 {"sessionId":"t","mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}} | settles "g"
        silent  of another turn :: + prompt 3 /elicit form | form 9 | settles "g"
        "#,
    );
    holds(
        "ACP-ELICIT-CANCEL-023",
        "opened | prompt 2 /hold elicit form | form 1 | cancelled",
        "upheld  it may have crossed :: + form 9 | stops 2 cancelled | settles \"f\"",
    );
}

#[test]
fn updates_come_before_the_end() {
    let hold = "opened | prompt 2 /hold | tool c Work | cancelled";
    holds(
        "ACP-CANCEL-028",
        hold,
        r#"
        upheld  in time :: + tool c Work | stops 2 cancelled | settles "f"
        upheld  housekeeping :: + stops 2 cancelled | S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"t"}}} | settles "f"
        silent  not cancelled :: opened | prompt 2 /hold | tool c Work | done 2 | tool c Work
        silent  the agent had finished :: + done 2 | tool c Work
        silent  another turn began :: + stops 2 cancelled | prompt 3 /hold | tool c Work
        "#,
    );
    holds_in(
        "v1",
        "ACP-CANCEL-028",
        hold,
        "broken  a tool call of it :: + stops 2 cancelled | tool c Work\nunclear a new one :: + stops 2 cancelled | tool d More",
    );
    holds_in(
        "v2",
        "ACP-CANCEL-028",
        "opened | prompt 2 /hold | tool c Work | says a | cancelled",
        r#"
        unclear it may have moved to the background :: + stops 2 cancelled | tool c Work
        broken  it had been over :: + S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"cancelled"}}} | stops 2 cancelled | tool c Work
        broken  a message of it goes on :: + stops 2 cancelled | says b
        "#,
    );
}
