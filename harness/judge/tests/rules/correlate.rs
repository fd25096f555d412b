//! ELICIT-SCOPE, the part about answers.

use crate::table::holds;

#[test]
fn unknown_meta_changes_nothing() {
    let id = "ACP-ELICIT-SCOPE-024";
    let marked = r#"prompt 3 /elicit form | form 6 | answer 6 {"action":"accept","content":{"name":"A"},"_meta":{"x.test/y":1}}"#;
    let plain = r#"opened | prompt 2 /elicit form | form 5 | accept 5 {"name":"A"}"#;
    let taken = format!(r#"{plain} | says elicited accept {{"name":"A"}} | done 2 | {marked}"#);
    holds(
        id,
        &taken,
        r#"
            upheld  the same :: + says elicited accept {"name":"A"} | done 3
            upheld  the same, in pieces and with prose :: + says Thank you.\nelicited acc | says ept {"name":"A"}\nBye. | done 3
            broken  found invalid :: + says invalid answer | done 3
            broken  the prompt fails :: + fails 3 -32602
            broken  asks again :: + form 7 | cancel 7 | says elicited cancel | done 3
            broken  crashes :: + exit 1 nothing
            unclear in words of its own :: + says Thank you. | done 3
            unclear the report comes after the end :: + done 3 | says elicited accept {"name":"A"}
            unclear cancelled by us :: + cancelled | stops 3 cancelled
            unclear something else may have ended the process :: + cancelled | exit 1 nothing
            unclear it does not end :: + turn-deadline 3
            "#,
    );
    let prose = format!("{plain} | says I will call you A. | done 2 | {marked}");
    holds(
        id,
        &prose,
        r"
            upheld  the same words of its own :: + says I will call you A. | done 3
            unclear other words of its own :: + says Hello A, nice to meet you. | done 3
            broken  the prompt fails :: + fails 3 -32602
            ",
    );
    holds(
        id,
        "opened",
        r#"
            unclear nothing to compare with :: + prompt 3 /elicit form | form 6 | answer 6 {"action":"decline","_meta":{"x.test/y":1}} | says elicited decline | done 3
            unclear another answer to compare with :: + prompt 2 /elicit form | form 5 | cancel 5 | says elicited cancel | done 2 | prompt 3 /elicit form | form 6 | answer 6 {"action":"decline","_meta":{"x.test/y":1}} | says elicited decline | done 3
            upheld  in the prompt :: + prompt 2 /say x | says x | done 2 | trigger 3 /say | ask 3 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"/say x"}],"_meta":{"x.test/y":1}} | says x | result 3 {"stopReason":"end_turn"} | done 3
            silent  an empty _meta :: + prompt 3 /elicit form | form 6 | answer 6 {"action":"decline","_meta":{}} | says elicited decline | done 3
            silent  none :: + prompt 3 /elicit form | form 6 | decline 6 | says elicited decline | done 3
            "#,
    );
}

const FIRST: &str =
    r#"{"type":"object","properties":{"first":{"type":"string"}},"required":["first"]}"#;
const SECOND: &str =
    r#"{"type":"object","properties":{"second":{"type":"string"}},"required":["second"]}"#;

#[test]
fn each_answer_finds_its_question() {
    let id = "ACP-ELICIT-SCOPE-026";
    let asked = format!("prompt 2 /elicit twice | form 5 {FIRST} | form 6 {SECOND}");
    let reversed =
        format!(r#"opened | {asked} | accept 6 {{"second":"B"}} | accept 5 {{"first":"A"}}"#);
    let own = r#"says second: elicited accept {"second":"B"}\nfirst: elicited accept {"first":"A"} | done 2"#;
    holds(
        id,
        &reversed,
        &r#"
            upheld  each its own :: + $own
            upheld  in the order asked, with prose :: + says Here you are.\nfirst: elicited accept {"first":"A"}\nsecond: elicited accept {"second":"B"} | done 2
            broken  swapped by value :: + says first: elicited accept {"first":"B"}\nsecond: elicited accept {"second":"A"} | done 2
            broken  swapped whole :: + says first: elicited accept {"second":"B"}\nsecond: elicited accept {"first":"A"} | done 2
            broken  one for both :: + says first: elicited accept {"first":"A"}\nsecond: elicited accept {"second":"A"} | done 2
            unclear both invalid, for whatever reason :: + says first: invalid answer\nsecond: invalid answer | done 2
            unclear one only :: + says first: elicited accept {"first":"A"} | done 2
            unclear more than was given :: + says first: elicited accept {"first":"A","note":""}\nsecond: elicited accept {"second":"B"} | done 2
            unclear in words of its own :: + says A and B | done 2
            unclear the turn does not end :: + turn-deadline 2
            "#.replace("$own", own),
    );
    let again = format!(
        r#"prompt 3 /elicit twice | form 7 {FIRST} | form 8 {SECOND} | accept 8 {{"second":"D"}} | accept 7 {{"first":"C"}}"#
    );
    holds(
        id,
        &format!(
            r#"opened | {asked} | accept 5 {{"first":"A"}} | accept 6 {{"second":"B"}} | {own} | {again}"#
        ),
        r"broken  both invalid, where such answers were read before :: + says second: invalid answer\nfirst: invalid answer | done 3",
    );
    holds(
        id,
        &format!("opened | prompt 2 /elicit twice | form 5 {FIRST}"),
        &r#"
            silent  one after the other :: + accept 5 {"first":"A"} | form 6 $SECOND | accept 6 {"second":"B"} | says first: elicited accept {"first":"B"} | done 2
            silent  one of two answered :: + form 6 $SECOND | accept 6 {"second":"B"} | turn-deadline 2
            unclear one declined :: + form 6 $SECOND | accept 6 {"second":"B"} | decline 5 | says first: elicited decline\nsecond: elicited accept {"second":"B"} | done 2
            "#.replace("$SECOND", SECOND),
    );
}

#[test]
fn an_open_id_is_not_used_again() {
    holds(
        "ACP-ELICIT-SCOPE-027",
        "opened | prompt 2 hello",
        r#"
            upheld  two ids :: + form 5 | form 6
            upheld  a number and the string of it :: + form 5 | form "5"
            upheld  the client's ids are its own :: + ask 6 session/new {} | form 5 | form 6
            upheld  a permission is open :: + permission 5 | form 6
            broken  twice the same :: + form 5 | form 5
            broken  in two spellings :: + form 50 | form 5e1
            broken  that of an open permission request :: + permission 5 | form 5
            silent  a constant id, one after the other :: + form 5 | decline 5 | form 5 | refuse 5 -32603
            silent  one question :: + form 5
            "#,
    );
}

#[test]
fn a_question_is_answered_on_its_own_connection_only() {
    for (id, taken_over) in [
        ("ACP-ELICIT-SCOPE-028", "session 1 t"),
        ("ACP-ELICIT-SCOPE-028", "session 1 s"),
        (
            "ACP-ELICIT-SCOPE-029",
            r#"ask 1 session/load {"sessionId":"s"} | result 1 {}"#,
        ),
        (
            "ACP-ELICIT-SCOPE-029",
            r#"ask 1 session/resume {"sessionId":"s"} | result 1 {}"#,
        ),
    ] {
        let start = format!(
            r#"on 0 | opened | prompt 2 /elicit form | form 5 | on 1 | open | init | {taken_over} | accept 5 {{"name":"B"}} | settled | on 0"#
        );
        holds(
            id,
            &start,
            r#"
            upheld  its own answer counts :: + accept 5 {"name":"A"} | says elicited accept {"name":"A"} | done 2
            upheld  its own decline counts :: + decline 5 | says elicited decline | done 2
            upheld  the same was given to both :: + accept 5 {"name":"B"} | says elicited accept {"name":"B"} | done 2
            broken  the other one settled it :: + says elicited accept {"name":"B"} | done 2
            broken  whatever it says, nobody has accepted :: + says elicited accept | done 2
            broken  the other one's value, in spite of its own :: + accept 5 {"name":"A"} | says elicited accept {"name":"B"} | done 2
            unclear it ended the turn without an answer :: + says I could not ask. | done 2
            unclear it never ended :: + settled
            unclear the process ended :: + exit 1 nothing
            unclear it took its question back :: + S {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}} | says elicited cancel | done 2
            "#,
        );
        let other = if id.ends_with('8') {
            "ACP-ELICIT-SCOPE-029"
        } else {
            "ACP-ELICIT-SCOPE-028"
        };
        holds(
            other,
            &start,
            "silent  the other clause's business :: + settled",
        );
        holds(
            id,
            "on 0 | opened | prompt 2 /elicit form | form 5",
            &r#"
            silent  one connection :: + accept 6 {} | accept 5 {} | done 2
            silent  another id on the other one :: + on 1 | open | init | $taken_over | accept 6 {"name":"B"}
            silent  a question of its own there, with the same id :: + on 1 | open | init | $taken_over | prompt 2 /elicit form | form 5 | accept 5 {"name":"B"} | done 2
            silent  an accepted question's turn went on alone before :: + accept 5 {"name":"A"} | on 1 | open | init | $taken_over | accept 5 {"name":"B"}
            "#.replace("$taken_over", taken_over),
        );
    }
}

#[test]
fn a_question_is_not_shown_to_another_client() {
    holds(
        "ACP-ELICIT-SCOPE-028",
        "on 0 | opened | prompt 2 /elicit form | form 5 | on 1 | open | init",
        r#"
            broken  the very same request :: + session 1 t | form 5
            silent  its own session has the same name :: + session 1 s | form 5
            silent  a fresh question for the session that it resumed :: + ask 1 session/resume {"sessionId":"s"} | result 1 {} | form 5
            silent  another question :: + session 1 t | create 5 {"sessionId":"t","mode":"form","message":"?"}
            "#,
    );
}
