//! ELICIT-RESP.

use crate::table::{holds, holds_in};

const OPENED: &str = "opened | prompt 2 /elicit form | form 5";
const EFFECT: &str = r#"opened | prompt 2 /effect one form | form 5 {"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}"#;

#[test]
fn an_error_without_a_code_or_a_message_is_no_answer() {
    for error in [
        r#"{"elenchus":-32603}"#,
        r#"{"code":-32603}"#,
        r#"{"message":"no"}"#,
    ] {
        holds(
            "ACP-ELICIT-RESP-016",
            &format!(r#"{OPENED} | C {{"jsonrpc":"2.0","id":5,"error":{error}}}"#),
            "silent  the agent waits on :: + turn-deadline 2",
        );
    }
}

#[test]
fn a_refusal_is_handled_safely() {
    for (id, refusal) in [
        ("ACP-ELICIT-RESP-014", "decline 5"),
        ("ACP-ELICIT-RESP-014", "decline 5 null"),
        ("ACP-ELICIT-RESP-015", "cancel 5"),
        ("ACP-ELICIT-RESP-016", "refuse 5 -32601"),
        ("ACP-ELICIT-RESP-016", "refuse 5 -32800"),
        ("ACP-ELICIT-RESP-016", "refuse 5 4711"),
    ] {
        holds(
            id,
            &format!("{OPENED} | {refusal}"),
            r#"
            upheld  told as it is :: + says elicited decline | done 2
            upheld  told as another refusal :: + says elicited error -32601 | done 2
            upheld  a fallback, with a stated default :: + says You gave no name, so I take the default, Bob. | done 2
            upheld  without a word :: + done 2
            upheld  a word after the end :: + done 2 | says elicited decline
            upheld  a word that quotes the vocabulary :: + says I never say elicited accept {} without reason. | done 2
            upheld  the turn fails :: + fails 2 -32000
            upheld  the turn is refused :: + stops 2 refusal
            upheld  asked again :: + form 6
            upheld  asked again and accepted :: + form 6 | accept 6 {"name":"A"} | says elicited accept {"name":"A"} | done 2
            upheld  asked again, accepted, and hung on that :: + form 6 | accept 6 {"name":"A"} | turn-deadline 2
            broken  taken for an accept :: + says elicited accept | done 2
            broken  with a value :: + says elicited accept {"name":"Bob"} | done 2
            broken  taken for a choice :: + says chose red | done 2
            broken  with prose around it :: + says Fine.\nelicited accept {"name":"Bob"}\nBye. | done 2
            broken  claimed, and the turn fails :: + says elicited accept | fails 2 -32603
            broken  claimed, and asked again :: + says elicited accept | form 6
            broken  crashes :: + exit 101 nothing
            broken  crashes, after a fence was sent :: + fence "f" | C {"jsonrpc":"2.0","id":"f","method":"_elenchus/fence"} | exit 101 nothing
            broken  hangs :: + turn-deadline 2
            unclear waits for a permission :: + permission 9 | turn-deadline 2
            unclear another wait ended in vain :: + deadline 7
            unclear the script had given up :: + stopped | turn-deadline 2
            unclear cancelled by us as well :: + cancelled | stops 2 cancelled
            unclear cancelled by us, and hangs :: + cancelled | turn-deadline 2
            unclear cancelled by us, and the process ends :: + cancelled | exit 1 nothing
            unclear ended by us :: + eof C | exit 0 close
            unclear the trace was cut :: + settled
            unclear two turns in one session :: + prompt 3 hello | says elicited accept | done 3
            "#,
        );
        let again = |id: u32| format!("form {id} | {}", refusal.replace('5', &id.to_string()));
        let again = [again(6), again(7), again(8)].join(" | ");
        holds(
            id,
            &format!("{OPENED} | {refusal} | {again}"),
            "upheld  asked again and again; each time is a retry :: + turn-deadline 2",
        );
        holds(
            id,
            &format!("{EFFECT} | {refusal}"),
            r"
            upheld  skipped :: + says effect one skipped | done 2
            upheld  another tool call :: + tool c1 effect two | says effect one skipped | done 2
            broken  performed :: + tool c1 effect one | says effect one skipped | done 2
            broken  told to be done :: + says effect one done | done 2
            ",
        );
        holds(
            id,
            OPENED,
            &r#"
            silent  accepted :: + accept 5 {"name":"A"} | exit 1 nothing
            silent  the turn was over :: + done 2 | $refusal | says elicited accept | exit 1 nothing
            silent  a question outside of turns :: opened | ask 3 session/new {} | create 5 {"requestId":3,"mode":"form","message":"?"} | $refusal | exit 1 nothing
            silent  a second answer is none :: + accept 5 {"name":"A"} | $refusal | says elicited accept {"name":"A"} | done 2
            "#.replace("$refusal", refusal),
        );
        holds(
            id,
            "opened | prompt 2 /elicit twice | form 5 | form 6",
            &r#"
            upheld  one refused, one accepted :: + $refusal | accept 6 {"name":"A"} | says first: elicited decline\nsecond: elicited accept {"name":"A"} | done 2
            broken  both refused, one claimed :: + $refusal | refuse 6 -32603 | says first: elicited decline\nsecond: elicited accept {} | done 2
            "#.replace("$refusal", refusal),
        );
        holds(
            id,
            &format!(
                "opened | session 3 t | prompt 2 /elicit form | prompt 4 @t /elicit form | form 5 | {refusal}"
            ),
            r"
            upheld  another session's turn is another's :: + done 4 @t | says elicited decline | done 2
            unclear another session's end is not this one's :: + done 4 @t
            ",
        );
    }
}

#[test]
fn content_beside_a_refusal_is_ignored() {
    for (id, refusal) in [
        ("ACP-ELICIT-RESP-011", "decline"),
        ("ACP-ELICIT-RESP-012", "cancel"),
    ] {
        holds(
            id,
            &format!(r#"{OPENED} | {refusal} 5 {{"name":"canary"}}"#),
            &r#"
            upheld  told as it is :: + says elicited $refusal | done 2
            upheld  in words of its own :: + says As you wish. | done 2
            upheld  fails :: + fails 2 -32000
            upheld  asked again :: + form 6
            upheld  asked again and accepted :: + form 6 | accept 6 {"name":"canary"} | says elicited accept {"name":"canary"} | done 2
            broken  used :: + says elicited accept {"name":"canary"} | done 2
            broken  taken for a choice :: + says chose canary | done 2
            unclear repeated in words of its own :: + says Not using canary, then. | done 2
            unclear the trace was cut :: + settled
            "#.replace("$refusal", refusal),
        );
        holds(
            id,
            &format!(r#"{EFFECT} | {refusal} 5 {{"confirm":true}}"#),
            r"
            upheld  skipped :: + says effect one skipped | done 2
            broken  taken for a consent :: + tool c1 effect one | says effect one done | done 2
            ",
        );
        holds(
            id,
            OPENED,
            &r"
            silent  no content :: + $refusal 5 | says elicited accept | done 2
            silent  null is none :: + $refusal 5 null | says elicited accept | done 2
            "
            .replace("$refusal", refusal),
        );
    }
    for junk in [r#""junk""#, "5", "[null]"] {
        holds(
            "ACP-ELICIT-RESP-012",
            &format!("{OPENED} | cancel 5 {junk}"),
            r"
            upheld  told as it is :: + says elicited cancel | done 2
            broken  crashes :: + exit 1 nothing
            broken  hangs :: + turn-deadline 2
            unclear hangs, and was cancelled :: + cancelled | turn-deadline 2
            ",
        );
    }
    // A decline is a decline: the crash and the hang belong to its own clause, the use of the content does not.
    let declined = format!(r#"{OPENED} | decline 5 {{"name":"canary"}}"#);
    holds(
        "ACP-ELICIT-RESP-011",
        &declined,
        r"
            unclear crashes :: + exit 1 nothing
            unclear hangs :: + turn-deadline 2
            ",
    );
    holds(
        "ACP-ELICIT-RESP-014",
        &declined,
        r#"
            broken  crashes :: + exit 1 nothing
            broken  hangs :: + turn-deadline 2
            silent  used :: + says elicited accept {"name":"canary"} | done 2
            upheld  told as it is :: + says elicited decline | done 2
            "#,
    );
    // What a load replays was said before.
    holds(
        "ACP-ELICIT-RESP-014",
        r#"opened | ask 9 session/load {"sessionId":"s","cwd":"/a","mcpServers":[]} | prompt 2 /elicit url | says elicited accept {"name":"x"} | result 9 {} | url 5 | decline 5"#,
        r"
            upheld  told as it is :: + says elicited decline | done 2
            broken  told otherwise :: + says elicited accept | done 2
            ",
    );
    holds(
        "ACP-ELICIT-RESP-015",
        &format!("{OPENED} | cancel 5 5"),
        "silent  counted there :: + exit 1 nothing",
    );
}

#[test]
fn omitted_content_and_null_are_the_same() {
    let id = "ACP-ELICIT-RESP-010";
    let after = |omitted: &str| {
        format!(
            "{OPENED} | accept 5 | {omitted} | done 2 | prompt 3 /elicit form | form 6 | accept 6 null"
        )
    };
    holds(
        id,
        &after("says invalid answer"),
        r"
            upheld  both invalid :: + says invalid answer | done 3
            upheld  an error by another name :: + fails 3 -32602
            upheld  both invalid, with prose :: + says Sorry.\ninvalid answer\nBye. | done 3
            broken  null is an accept :: + says elicited accept | done 3
            broken  null is a decline :: + says elicited decline | done 3
            broken  null is asked about again :: + form 7
            broken  null ends the process :: + exit 1 nothing
            unclear in words of its own :: + says I need a name. | done 3
            unclear the report comes after the end :: + done 3 | says invalid answer
            unclear it hangs :: + turn-deadline 3
            unclear cancelled by us :: + cancelled | stops 3 cancelled
            unclear something else may have ended the process :: + cancelled | exit 1 nothing
            ",
    );
    holds(
        id,
        &after("says elicited accept {}"),
        r"
            upheld  with and without braces :: + says elicited accept | done 3
            broken  null fails :: + fails 3 -32602
            ",
    );
    holds(
        id,
        &after("says Hello, nobody."),
        r"
            upheld  the same words :: + says Hello, nobody. | done 3
            unclear other words :: + says Welcome, nobody. | done 3
            ",
    );
    holds(
        id,
        &format!(
            "{OPENED} | accept 5 | form 6 | cancel 6 | says elicited cancel | done 2 | prompt 3 /elicit form | form 7 | accept 7 null"
        ),
        r"
            upheld  both asked again :: + form 8 | cancel 8 | says elicited cancel | done 3
            broken  only omitted content was asked about again :: + says elicited cancel | done 3
            ",
    );
    holds(
        id,
        OPENED,
        r"
            unclear nothing to compare with :: + accept 5 null | says invalid answer | done 2
            unclear another prompt to compare with :: + accept 5 | says invalid answer | done 2 | prompt 3 /elicit url | url 6 | accept 6 null | says elicited accept | done 3
            silent  no null :: + accept 5 | says invalid answer | done 2
            silent  null beside a decline :: + decline 5 null | says elicited decline | done 2
            ",
    );
}

#[test]
fn nothing_happens_before_or_without_consent() {
    let id = "ACP-ELICIT-RESP-013";
    holds(
        id,
        EFFECT,
        r#"
            upheld  consented, then performed :: + accept 5 {"confirm":true} | tool c1 effect one | says effect one done | done 2
            upheld  consented, and only told :: + accept 5 {"confirm":true} | says effect one done | done 2
            upheld  other work meanwhile :: + tool c1 reading | settled | accept 5 {"confirm":true} | tool c2 effect one | done 2
            upheld  declined and skipped :: + decline 5 | says effect one skipped | done 2
            upheld  consent is withheld :: + accept 5 {"confirm":false} | says effect one skipped | done 2
            upheld  asked again, and consented then :: + decline 5 | form 6 | accept 6 {"confirm":true} | tool c1 effect one | done 2
            upheld  ended by itself without an answer :: + says effect one skipped | done 2
            upheld  another effect :: + tool c1 effect oneness | says effect two done | decline 5 | done 2
            broken  before the answer :: + tool c1 effect one | accept 5 {"confirm":true} | says effect one done | done 2
            broken  told before the answer :: + says effect one done | accept 5 {"confirm":true} | done 2
            broken  declined and performed :: + decline 5 | tool c1 effect one | done 2
            broken  cancelled and performed :: + cancel 5 | tool c1 effect one | done 2
            broken  an error, and performed :: + refuse 5 -32603 | tool c1 effect one | done 2
            broken  consent is withheld, and it is performed :: + accept 5 {"confirm":false} | tool c1 effect one | done 2
            broken  consent in another type :: + accept 5 {"confirm":"true"} | tool c1 effect one | done 2
            broken  accepted without an answer to the question :: + accept 5 | says effect one done | done 2
            unclear the trace was cut :: + settled
            silent  the process ended :: + exit 1 nothing
            "#,
    );
    holds(
        id,
        r"opened | prompt 2 /effect one form | tool c1 effect one | form 5",
        r#"broken  before the question :: + accept 5 {"confirm":true} | done 2"#,
    );
    // Each turn asks for itself.
    holds(
        id,
        &format!(
            r#"{EFFECT} | accept 5 {{"confirm":true}} | tool c1 effect one | says effect one done | done 2 | prompt 3 /effect two form | form 6"#
        ),
        "upheld  skipped :: + decline 6 | says effect two skipped | done 3",
    );
    holds_in(
        "v1",
        id,
        &format!(
            r#"{EFFECT} | accept 5 {{"confirm":true}} | tool c1 effect one | done 2 | prompt 3 /effect two form | form 6 | decline 6 | tool c2 effect two"#
        ),
        r"
            upheld  the first one's consent is upheld, and does not serve the second :: opened | prompt 2 /effect one form | form 5 | decline 5 | done 2
            broken  the second one was declined :: + done 3
            ",
    );
    holds(
        id,
        "opened",
        r"
            silent  no effect :: + prompt 2 /elicit form | form 5 | tool c1 effect one | decline 5 | done 2
            silent  no question :: + prompt 2 /effect one form | says unavailable | done 2
            ",
    );
}

#[test]
fn the_loss_of_the_client_is_no_consent() {
    let id = "ACP-ELICIT-RESP-023";
    holds(
        id,
        EFFECT,
        r#"
            upheld  it ends :: + eof C | exit 0 close
            upheld  it idles until it is terminated :: + eof C | exit 0 terminate
            upheld  it has to be killed :: + eof C | exit 0 kill
            upheld  it skips the effect and ends :: + eof C | says effect one skipped | done 2 | exit 0 close
            upheld  it ends with an error :: + eof C | exit 101 close
            broken  performed :: + eof C | tool c1 effect one | exit 0 close
            broken  told to be done :: + eof C | says effect one done | exit 0 close
            unclear nobody knows what became of it :: + eof C
            silent  performed before: another clause's :: + tool c1 effect one | eof C | exit 0 close
            silent  answered before :: + decline 5 | eof C | exit 0 close
            silent  consented before, and asked more :: + accept 5 {"confirm":true} | form 6 | eof C | tool c1 effect one | exit 0 close
            silent  the agent closed :: + eof S | exit 0 nothing
            "#,
    );
    holds(
        id,
        OPENED,
        "silent  no effect :: + eof C | says elicited accept | exit 0 close",
    );
}

#[test]
fn an_unknown_action_is_none_of_the_three_in_v1() {
    let id = "ACP-ELICIT-RESP-017";
    for action in ["_later", "later", "ACCEPT", ""] {
        let start =
            format!(r#"{OPENED} | answer 5 {{"action":"{action}","content":{{"name":"canary"}}}}"#);
        holds(
            id,
            &start,
            r#"
            upheld  invalid :: + says invalid answer | done 2
            upheld  an error :: + says elicited error -32602 | done 2
            upheld  asked again :: + form 6
            upheld  asked again and declined :: + form 6 | decline 6 | says elicited decline | done 2
            broken  an accept :: + says elicited accept {"name":"canary"} | done 2
            broken  a decline :: + says elicited decline | done 2
            broken  a cancel :: + says elicited cancel | done 2
            unclear the turn fails :: + fails 2 -32602
            unclear in words of its own :: + says I do not know what you mean. | done 2
            unclear unavailable :: + says unavailable | done 2
            unclear the question was taken back :: + S {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}} | says elicited cancel | done 2
            unclear cancelled by us :: + cancelled | says elicited cancel | stops 2 cancelled
            unclear crashes, of which the clause does not speak :: + exit 1 nothing
            unclear hangs, of which the clause does not speak :: + turn-deadline 2
            "#,
        );
    }
    holds(
        id,
        &format!(r#"{EFFECT} | answer 5 {{"action":"_later","content":{{"confirm":true}}}}"#),
        r"
            broken  taken for a consent :: + tool c1 effect one | says effect one done | done 2
            unclear skipped :: + says effect one skipped | done 2
            ",
    );
    holds(
        id,
        OPENED,
        "silent  a known one :: + cancel 5 | says elicited cancel | done 2",
    );
}

#[test]
fn an_unknown_action_is_a_cancel_in_v2() {
    let id = "ACP-ELICIT-RESP-018";
    for action in ["_later", "later"] {
        let start =
            format!(r#"{OPENED} | answer 5 {{"action":"{action}","content":{{"name":"canary"}}}}"#);
        holds(
            id,
            &start,
            r#"
            upheld  a cancel :: + says elicited cancel | done 2
            broken  an accept :: + says elicited accept {"name":"canary"} | done 2
            broken  crashes :: + exit 1 nothing
            broken  hangs :: + turn-deadline 2
            unclear invalid :: + says invalid answer | done 2
            unclear a decline :: + says elicited decline | done 2
            unclear asked again :: + form 6
            unclear the turn fails :: + fails 2 -32602
            unclear in words of its own :: + says As you wish. | done 2
            unclear cancelled by us :: + cancelled | says elicited cancel | stops 2 cancelled
            "#,
        );
    }
    holds(
        id,
        OPENED,
        "silent  a known one :: + cancel 5 | says elicited cancel | done 2",
    );
}

#[test]
fn what_cannot_be_read_is_no_accept() {
    let id = "ACP-ELICIT-RESP-020";
    let answers = [
        "null",
        "{}",
        "5",
        "[]",
        r#""accept""#,
        r#"{"action":5}"#,
        r#"{"action":null,"content":{"name":"x"}}"#,
        r#"{"content":{"name":"x"}}"#,
    ];
    for answer in answers {
        holds(
            id,
            &format!("{OPENED} | answer 5 {answer}"),
            r#"
            upheld  invalid :: + says invalid answer | done 2
            upheld  an error :: + says elicited error -32602 | done 2
            upheld  the turn fails :: + fails 2 -32603
            upheld  taken for a cancel :: + says elicited cancel | done 2
            upheld  asked again :: + form 6
            broken  an accept :: + says elicited accept | done 2
            broken  an accept of nothing :: + says elicited accept {} | done 2
            broken  an accept of what it would have liked :: + says elicited accept {"name":"x"} | done 2
            broken  crashes :: + exit 1 nothing
            broken  hangs :: + turn-deadline 2
            "#,
        );
        holds(
            id,
            &format!("{EFFECT} | answer 5 {answer}"),
            "broken  taken for a consent :: + tool c1 effect one | done 2",
        );
    }
    for content in [r#""text""#, r#"["x"]"#, "true", "0"] {
        holds(
            id,
            &format!("{OPENED} | accept 5 {content}"),
            &r#"
            upheld  invalid :: + says invalid answer | done 2
            upheld  an accept without a value :: + says elicited accept | done 2
            upheld  an accept of nothing :: + says elicited accept {} | done 2
            broken  a value :: + says elicited accept {"name":"x"} | done 2
            broken  the very thing :: + says elicited accept $content | done 2
            broken  a choice :: + says chose x | done 2
            broken  crashes :: + exit 1 nothing
            broken  hangs :: + turn-deadline 2
            "#
            .replace("$content", content),
        );
        holds(
            id,
            &format!("{EFFECT} | accept 5 {content}"),
            r"
            upheld  skipped :: + says effect one skipped | done 2
            broken  taken for a consent :: + says effect one done | done 2
            ",
        );
    }
    holds(
        id,
        OPENED,
        r#"
            silent  readable :: + accept 5 {} | says elicited accept {} | done 2
            silent  an error is readable :: + refuse 5 -32603 | exit 1 nothing
            upheld  a URL has no use for content :: opened | prompt 2 /elicit url | url 5 | accept 5 "x" | says elicited accept | done 2
            "#,
    );
}

#[test]
fn missing_values_are_not_made_up() {
    const SCHEMA: &str = r#"{"type":"object","properties":{"name":{"type":"string","default":"Bob"},"age":{"type":"integer"},"note":{"type":"string"}},"required":["name","age"]}"#;
    let id = "ACP-ELICIT-RESP-021";
    for accept in [
        "accept 5",
        "accept 5 null",
        "accept 5 {}",
        r#"accept 5 {"name":null}"#,
        r#"accept 5 {"note":"x"}"#,
    ] {
        holds(
            id,
            &format!("opened | prompt 2 /elicit form | form 5 {SCHEMA} | {accept}"),
            r#"
            upheld  invalid :: + says invalid answer | done 2
            upheld  nothing claimed :: + says elicited accept | done 2
            upheld  what was given :: + says elicited accept {"note":"x","name":null} | done 2
            upheld  a fallback named as such :: + says No name given, so I take Bob. | done 2
            upheld  asked again :: + form 6
            upheld  the turn fails :: + fails 2 -32602
            broken  the schema's default for the user's :: + says elicited accept {"name":"Bob"} | done 2
            broken  the other one made up :: + says elicited accept {"age":1} | done 2
            broken  a choice :: + says chose Bob | done 2
            unclear the trace was cut :: + settled
            unclear hangs, of which the clause does not speak :: + turn-deadline 2
            unclear crashes, of which the clause does not speak :: + exit 1 nothing
            "#,
        );
    }
    holds(
        id,
        &format!("opened | prompt 2 /elicit form | form 5 {SCHEMA}"),
        r#"
            silent  nothing is missing :: + accept 5 {"name":"A","age":1} | says elicited accept {"name":"B"} | done 2
            silent  declined :: + decline 5 | says elicited accept {"name":"Bob"} | done 2
            silent  unreadable content :: + accept 5 "x" | says elicited accept {"name":"Bob"} | done 2
            upheld  only one of two is missing, and the other was given :: + accept 5 {"name":"A"} | says elicited accept {"name":"A"} | done 2
            "#,
    );
    holds(
        id,
        r"opened | prompt 2 /elicit url | url 5",
        "silent  a URL requires nothing :: + accept 5 | says elicited accept | done 2",
    );
}

#[test]
fn only_the_first_answer_with_the_pending_id_settles() {
    let id = "ACP-ELICIT-RESP-022";
    for stray in [
        r#"accept "5" {"name":"B"}"#,
        r#"accept 987654 {"name":"B"}"#,
        r#"accept null {"name":"B"}"#,
        r#"C {"jsonrpc":"2.0","result":{"action":"accept","content":{"name":"B"}}}"#,
    ] {
        holds(
            id,
            &format!("{OPENED} | {stray}"),
            r#"
            upheld  the proper answer counts :: + settled | accept 5 {"name":"A"} | says elicited accept {"name":"A"} | done 2
            upheld  with defaults filled in :: + accept 5 {"name":"A"} | says elicited accept {"name":"A","note":"none"} | done 2
            upheld  the proper answer is a decline :: + decline 5 | says elicited decline | done 2
            upheld  the same was given properly :: + accept 5 {"name":"B"} | says elicited accept {"name":"B"} | done 2
            upheld  no content, told as an empty one :: + accept 5 | says elicited accept {} | done 2
            upheld  the proper answer was found invalid :: + accept 5 {} | says invalid answer | done 2
            broken  the stray one settled it :: + says elicited accept {"name":"B"} | done 2
            broken  the stray one's value, in spite of the proper answer :: + accept 5 {"name":"A"} | says elicited accept {"name":"B"} | done 2
            broken  an accept, where only a decline was proper :: + decline 5 | says elicited accept {"name":"B"} | done 2
            broken  the process ends :: + exit 1 nothing
            unclear the turn ends without an answer :: + says I ran out of time. | done 2
            unclear the question stays open :: + settled
            unclear something else may have ended the process :: + accept 5 {} | exit 1 nothing
            "#,
        );
    }
    holds(
        id,
        &format!(r#"{OPENED} | accept 5 {{"name":"A"}} | decline 5"#),
        r#"
            upheld  the first counts :: + says elicited accept {"name":"A"} | done 2
            broken  the second counts :: + says elicited decline | done 2
            broken  the process ends :: + exit 1 nothing
            "#,
    );
    holds(
        id,
        &format!(r#"{OPENED} | decline 5 | accept 5 {{"name":"B"}}"#),
        r#"
            upheld  the first counts :: + says elicited decline | done 2
            broken  the second counts :: + says elicited accept {"name":"B"} | done 2
            "#,
    );
    holds(
        id,
        &format!(r#"{OPENED} | accept 5 {{"name":"A"}} | accept 5 {{"name":"B"}}"#),
        r#"
            upheld  the first counts :: + says elicited accept {"name":"A"} | done 2
            broken  the second counts :: + says elicited accept {"name":"B"} | done 2
            "#,
    );
    holds(
        id,
        OPENED,
        r#"
            unclear a stray cancel, and the turn was cancelled :: + cancelled | cancel "5" | says elicited cancel | stops 2 cancelled
            unclear a stray cancel, and the agent took its question back :: + cancel "5" | S {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}} | says elicited cancel | done 2
            upheld  a stray decline, and an error that means one :: + decline "5" | refuse 5 -32603 | says elicited decline | done 2
            broken  a stray decline settles it :: + decline "5" | says elicited decline | done 2
            broken  a stray decline counts more than the accept :: + decline "5" | accept 5 {"name":"A"} | says elicited decline | done 2
            broken  a stray cancel counts more than the accept :: + cancel "5" | accept 5 {"name":"A"} | says elicited cancel | done 2
            "#,
    );
    holds(
        id,
        "opened",
        r#"
            silent  no question was ever open, and it lives, which is another row's :: + accept 5 {} | settled
            upheld  a second answer after the end :: + prompt 2 /elicit form | form 5 | decline 5 | says elicited decline | done 2 | decline 5 | settled
            silent  no question was ever open, and the process ends :: + accept 5 {} | exit 1 nothing
            silent  a second answer to something else :: + permission 9 | C {"jsonrpc":"2.0","id":9,"result":{}} | C {"jsonrpc":"2.0","id":9,"result":{}} | settled
            silent  the agent's own :: + result 99 {} | settled
            "#,
    );
}
