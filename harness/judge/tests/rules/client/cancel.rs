//! CANCEL and ELICIT-CANCEL: how a client cancels, and what it makes of cancellations.

use crate::clients::{holds, holds_in};

#[test]
fn session_cancel_is_a_notification_about_a_session() {
    holds(
        "ACP-CANCEL-023",
        "serves",
        r#"
        upheld  the usual one :: + cancelled
        upheld  a session that nobody knows :: + cancelled nope
        silent  none at all :: + calm 9
        broken  as a request :: + ask 7 session/cancel {"sessionId":"s"}
        broken  no session :: + tells session/cancel {}
        broken  no params :: + tells session/cancel
        broken  a number :: + tells session/cancel {"sessionId":7}
        broken  null :: + tells session/cancel {"sessionId":null}
        silent  the agent's own :: + S {"jsonrpc":"2.0","method":"session/cancel","params":{}}
        silent  another method :: + tells session/cancelled {}
        "#,
    );
}

#[test]
fn permissions_are_answered_as_cancelled() {
    let table = r#"
        upheld  cancelled :: + answer 7 {"outcome":{"outcome":"cancelled"}}
        unclear chosen before, perhaps :: + answer 7 {"outcome":{"outcome":"selected","optionId":"allow"}}
        unclear -32800 :: + refuse 7 -32800
        broken  an error :: + refuse 7 -32603
        broken  another answer :: + answer 7 {"action":"cancel"}
        broken  never :: + withdraws 7 | deadline 7
        silent  not cancelled :: serves | permission 7 | answer 7 {}
        silent  another session :: serves | permission 7 | cancelled t | answer 7 {}
        "#;
    holds("ACP-CANCEL-032", "serves | permission 7 | cancelled", table);
    holds_in(
        "v1",
        "ACP-CANCEL-032",
        "serves | permission 7 | cancelled",
        "broken  never :: + deadline 7",
    );
    holds_in(
        "v2",
        "ACP-CANCEL-032",
        "serves | permission 7 | cancelled",
        "unclear it may wait :: + deadline 7",
    );
}

#[test]
fn a_cancelled_session_takes_no_unrelated_question_with_it() {
    for id in ["ACP-ELICIT-CANCEL-001", "ACP-ELICIT-CANCEL-030"] {
        holds(
            id,
            r#"serves | answers ["idle"] | form 7 | done 2 | prompt 4 more | cancelled"#,
            r#"
            upheld  left open :: + calm 9
            broken  cancelled :: + cancel 7
            broken  an error :: + refuse 7 -32800
            silent  taken back :: + withdraws 7 | cancel 7
            silent  of the work that was cancelled :: serves | answers ["idle"] | form 7 | cancelled | cancel 7
            silent  nobody was told :: serves | form 7 | done 2 | prompt 4 more | cancelled | cancel 7
            "#,
        );
    }
    for id in ["ACP-ELICIT-CANCEL-007", "ACP-ELICIT-CANCEL-031"] {
        holds(
            id,
            r#"serves | answers ["idle"] | create 7 {"requestId":1,"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}} | cancelled"#,
            r#"
            upheld  left open :: + calm 9
            broken  cancelled :: + cancel 7
            silent  of the session :: serves | answers ["idle"] | form 7 | cancelled | cancel 7
            "#,
        );
    }
    holds(
        "ACP-ELICIT-CANCEL-002",
        r#"serves | answers ["idle"] | create 7 {"sessionId":"s","toolCallId":"t","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}} | update {"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}"#,
        r"
        upheld  left open :: + calm 9
        broken  cancelled :: + cancel 7
        ",
    );
}

#[test]
fn a_question_that_is_taken_back_gets_one_answer() {
    holds(
        "ACP-ELICIT-CANCEL-008",
        r#"serves | answers [{"action":"accept"}] | form 7 | calm 3 | withdraws 7"#,
        r#"
        upheld  cancelled :: + refuse 7 -32800 | calm 9
        upheld  accepted :: + accept 7 {"name":"a"} | calm 9
        unclear another error :: + refuse 7 -32603
        broken  twice :: + refuse 7 -32800 | accept 7 {"name":"a"}
        broken  never :: + deadline 7
        broken  the end :: + exit 1 nothing
        unclear it may be ignored :: serves | answers ["idle"] | form 7 | withdraws 7 | deadline 7
        silent  not taken back :: serves | form 7 | cancel 7
        "#,
    );
}

#[test]
fn a_cancellation_hits_what_it_names() {
    holds(
        "ACP-CANCEL-016",
        r#"serves | answers ["idle","idle"] | form 7 | form 8 | withdraws 7"#,
        r"
        upheld  the other is open :: + refuse 7 -32800 | calm 9
        broken  the other too :: + refuse 7 -32800 | refuse 8 -32800
        silent  the other is taken back as well :: + withdraws 8 | refuse 8 -32800
        ",
    );
    holds(
        "ACP-CANCEL-012",
        r#"serves | answers ["idle","idle"] | form 7 | withdraws 7 | refuse 7 -32800 | form 0 | withdraws 0"#,
        r#"
        upheld  honoured :: + refuse 0 -32800
        broken  ignored :: + calm 9
        unclear answered :: + accept 0 {"name":"a"}
        silent  none is honoured :: serves | answers ["idle","idle"] | form 7 | withdraws 7 | calm 9 | form 0 | withdraws 0 | calm 10
        "#,
    );
    holds(
        "ACP-CANCEL-005",
        r#"serves | answers ["idle"] | ask 7 session/load {"sessionId":"s"} | form 7 | withdraws 7"#,
        r"
        upheld  the other is the other :: + refuse 7 -32800 | calm 9
        broken  the client cancels its own :: + cancels 7
        ",
    );
    holds(
        "ACP-CANCEL-005",
        "serves",
        r"
        upheld  its own :: + cancels 2
        broken  one that it never sent :: + cancels 99
        ",
    );
}

#[test]
fn cancellations_in_either_direction_are_judged_alike() {
    let answered = "serves | form 7 | cancel 7 | calm 8 | withdraws 7";
    holds(
        "ACP-CANCEL-010",
        answered,
        r"
        upheld  ignored :: + calm 9
        broken  answered again :: + refuse 7 -32800
        ",
    );
    holds(
        "ACP-CANCEL-009",
        "serves | calm 3 | withdraws 99",
        r#"
        upheld  ignored :: + calm 9
        broken  answered :: + C {"jsonrpc":"2.0","id":99,"error":{"code":-32800,"message":"x"}}
        broken  answered with null :: + C {"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"x"}}
        "#,
    );
    holds(
        "ACP-CANCEL-014",
        "serves | calm 3 | withdraws {}",
        r#"
        upheld  ignored :: + calm 9
        broken  answered with null :: + C {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"x"}}
        "#,
    );
    holds(
        "ACP-CANCEL-008",
        "serves | form 7 | withdraws 7 | refuse 7 -32800",
        r#"
        upheld  once :: + calm 9
        broken  twice :: + accept 7 {"name":"a"}
        "#,
    );
    holds(
        "ACP-CANCEL-013",
        "serves | form 7 | withdraws 7 | withdraws 7 | refuse 7 -32800",
        r"
        upheld  once :: + calm 9
        broken  twice :: + refuse 7 -32800
        upheld  the id may be used again :: + form 7 | cancel 7
        broken  the id is burnt :: + form 7 | refuse 7 -32800
        ",
    );
}
