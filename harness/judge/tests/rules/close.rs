//! CLOSE.

use crate::announced::{holds, holds_in};

const CLOSE: &str = r#"ask 3 session/close {"sessionId":"s"}"#;

#[test]
fn an_active_session_is_closed() {
    holds(
        "ACP-CLOSE-001",
        &format!("new 1 s | {CLOSE}"),
        r#"
        upheld  nothing to tell :: + result 3 {}
        upheld  null :: + result 3 null
        upheld  more members are another row's :: + result 3 {"closed":true}
        broken  a text :: + result 3 "closed"
        broken  refused :: + fails 3 -32603
        unclear a login first :: + fails 3 -32000
        silent  no such method is another row's :: + fails 3 -32601
        upheld  closed twice at once :: + ask 4 session/close {"sessionId":"s"} | result 3 {}
        upheld  closed twice, and refused then :: + ask 4 session/close {"sessionId":"s"} | result 3 {} | fails 4 -32002
        "#,
    );
    holds(
        "ACP-CLOSE-001",
        "",
        r#"silent  one of another day :: + ask 3 session/close {"sessionId":"x"} | fails 3 -32002"#,
    );
}

#[test]
fn work_ends_as_cancelled() {
    holds(
        "ACP-CLOSE-003",
        &format!("new 1 s | prompt 2 /hold | {CLOSE}"),
        r"
        upheld  before the answer :: + stops 2 cancelled | result 3 {}
        upheld  after it :: + result 3 {} | stops 2 cancelled
        broken  as finished :: + done 2 | result 3 {}
        broken  never :: + result 3 {} | turn-deadline 2
        unclear cancelled as well :: + cancelled | stops 2 cancelled
        silent  the close was refused :: + fails 3 -32603 | turn-deadline 2
        unclear cut :: + result 3 {}
        ",
    );
    holds(
        "ACP-CLOSE-003",
        "new 1 s",
        &format!(
            r#"
            silent  work that may have ended by itself :: + prompt 2 /say done | {CLOSE} | done 2 | result 3 {{}}
            silent  a question is open :: + prompt 2 /hold | form 5 | {CLOSE} | done 2
            silent  idle :: + {CLOSE} | result 3 {{}}
            silent  it was closed before the prompt :: + ask 9 session/close {{"sessionId":"s"}} | prompting 2 /hold | {CLOSE} | fails 2 -32002
            silent  taking it up had failed :: + ask 9 session/delete {{"sessionId":"s"}} | result 9 {{}} | ask 8 session/load {{"sessionId":"s"}} | fails 8 -32602 | prompting 2 /hold | {CLOSE} | fails 2 -32002
            unclear it was deleted as well :: + prompt 2 /hold | {CLOSE} | ask 4 session/delete {{"sessionId":"s"}} | done 2
            silent  another turn ran there :: + prompt 9 hello | prompt 2 /hold | {CLOSE} | done 2
            "#
        ),
    );
    holds_in(
        "v1",
        "ACP-CLOSE-003",
        &format!("new 1 s | prompt 2 /hold | {CLOSE}"),
        "broken  as an error :: + fails 2 -32800",
    );
}

#[test]
fn the_end_comes_before_the_answer_and_nothing_after() {
    let start = format!("new 1 s | prompt 2 /hold | {CLOSE}");
    holds(
        "ACP-CLOSE-004",
        &start,
        r#"
        upheld  before :: + stops 2 cancelled | result 3 {}
        broken  after :: + result 3 {} | stops 2 cancelled
        silent  refused :: + fails 3 -32603 | stops 2 cancelled
        silent  taken up at once, and idle :: + ask 4 session/resume {"sessionId":"s","cwd":"/a"} | result 3 {} | state idle | result 4 {}
        unclear never, which is another row's :: + result 3 {} | turn-deadline 2
        silent  it had ended before :: ~ new 1 s | prompt 2 hello | done 2 | ask 3 session/close {"sessionId":"s"} | result 3 {}
        "#,
    );
    holds(
        "ACP-CLOSE-005",
        &format!("{start} | stops 2 cancelled | result 3 {{}}"),
        r#"
        upheld  silence :: + settles 9
        upheld  another session :: + new 4 t | update t {"sessionUpdate":"session_info_update","title":"t"} | settles 9
        upheld  a request is taken back :: + S {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}} | settles 9
        upheld  resumed, and heard :: + ask 4 session/resume {"sessionId":"s","cwd":"/a"} | update s {"sessionUpdate":"state_update","state":"idle"} | result 4 {}
        broken  a title :: + update s {"sessionUpdate":"session_info_update","title":"t"}
        broken  a question :: + form 5
        unclear cut :: + stopped
        "#,
    );
    holds(
        "ACP-CLOSE-005",
        &start,
        "upheld  the end of its work is another row's :: + result 3 {} | stops 2 cancelled | settles 9",
    );
}

#[test]
fn a_pending_prompt_is_answered() {
    holds(
        "ACP-CLOSE-006",
        &format!("new 1 s | prompting 2 /hold | {CLOSE}"),
        r#"
        upheld  cancelled :: + fails 2 -32800 | result 3 {}
        upheld  inserted :: + result 2 {"messageId":"m"} | result 3 {}
        broken  not found :: + fails 2 -32002
        broken  never :: + result 3 {} | deadline 2
        broken  cancelled, and inserted :: + update s {"sessionUpdate":"user_message","messageId":"m","content":[]} | fails 2 -32800
        upheld  the message is that of a prompt before :: ~ new 1 s | prompting 9 hi | result 9 {"messageId":"m"} | prompting 2 /hold | ask 3 session/close {"sessionId":"s"} | update s {"sessionUpdate":"user_message","messageId":"m","content":[]} | fails 2 -32800 | result 3 {}
        unclear the message may be that of a prompt before :: ~ new 1 s | prompting 9 hi | prompting 2 /hold | ask 3 session/close {"sessionId":"s"} | update s {"sessionUpdate":"user_message","messageId":"m","content":[]} | fails 2 -32800 | result 3 {}
        unclear under no id :: + result 2 {}
        unclear failed otherwise :: + fails 2 -32603
        silent  answered before :: ~ new 1 s | prompt 2 /hold | ask 3 session/close {"sessionId":"s"} | result 3 {}
        silent  it was closed before the prompt :: ~ new 1 s | ask 9 session/close {"sessionId":"s"} | prompting 2 /hold | ask 3 session/close {"sessionId":"s"} | fails 2 -32002
        silent  the prompt is none :: ~ new 1 s | ask 2 session/prompt {"sessionId":"s"} | ask 3 session/close {"sessionId":"s"} | fails 2 -32002
        "#,
    );
}

#[test]
fn inactive_and_closed_sessions() {
    holds(
        "ACP-CLOSE-007",
        r#"ask 1 session/close {"sessionId":"elenchus-nobody"}"#,
        r#"
        upheld  a result :: + result 1 {}
        broken  not found :: + fails 1 -32002
        silent  no such method is another row's :: + fails 1 -32601
        broken  closed again :: + new 2 s | ask 3 session/close {"sessionId":"s"} | result 3 {} | ask 4 session/close {"sessionId":"s"} | fails 4 -32002
        silent  one of another day :: ~ ask 2 session/close {"sessionId":"old"} | fails 2 -32002
        "#,
    );
    holds(
        "ACP-CLOSE-010",
        &format!("new 1 s | {CLOSE} | result 3 {{}}"),
        r#"
        upheld  refused :: + prompting 4 hello | fails 4 -32002
        broken  taken :: + prompting 4 hello | result 4 {"messageId":"m","stopReason":"end_turn"}
        silent  resumed before :: + ask 5 session/resume {"sessionId":"s","cwd":"/a"} | result 5 {} | prompting 4 hello | result 4 {"messageId":"m","stopReason":"end_turn"}
        silent  it was resumed while it was closed :: ~ new 1 s | ask 3 session/close {"sessionId":"s"} | ask 5 session/resume {"sessionId":"s","cwd":"/a"} | result 5 {} | result 3 {} | prompting 4 hello | result 4 {"messageId":"m","stopReason":"end_turn"}
        silent  being resumed :: + ask 5 session/resume {"sessionId":"s","cwd":"/a"} | prompting 4 hello | result 4 {"messageId":"m","stopReason":"end_turn"}
        silent  resumed, and being closed again :: + ask 5 session/resume {"sessionId":"s","cwd":"/a"} | result 5 {} | ask 6 session/close {"sessionId":"s"} | prompting 4 hello | result 4 {"messageId":"m","stopReason":"end_turn"}
        "#,
    );
}

#[test]
fn others_go_on() {
    holds(
        "ACP-CLOSE-011",
        &format!("new 1 s | new 2 t | prompt 4 /hold | prompt 5 @t hello | {CLOSE}"),
        r"
        upheld  it ends normally :: + stops 4 cancelled | result 3 {} | done 5 @t
        unclear cut :: + result 3 {}
        ",
    );
    holds_in(
        "v1",
        "ACP-CLOSE-011",
        &format!("new 1 s | new 2 t | prompt 4 /hold | prompt 5 @t hello | {CLOSE}"),
        r#"
        broken  it was cancelled :: + result 3 {} | result 5 {"stopReason":"cancelled"}
        unclear it failed :: + result 3 {} | fails 5 -32603
        unclear it was closed as well :: + ask 6 session/close {"sessionId":"t"} | result 5 {"stopReason":"cancelled"}
        "#,
    );
}
