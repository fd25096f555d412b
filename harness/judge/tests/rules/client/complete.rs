//! ELICIT-COMPLETE.

use crate::clients::holds;

const IDLE: &str = r#"serves | answers ["idle"] | url 7 | calm 3"#;
const DEAD: &str = "broken  the end :: + exit 1 nothing";

#[test]
fn what_is_unknown_is_ignored() {
    holds(
        "ACP-ELICIT-COMPLETE-006",
        &format!(r#"{IDLE} | completes "nope""#),
        &format!(
            r#"
            upheld  nothing :: + calm 9
            broken  it settles what is open :: + accept 7
            broken  a URL is opened :: + opens https://127.0.0.1/e
            {DEAD}
            silent  a known one :: {IDLE} | completes "e" | calm 9
            "#
        ),
    );
    holds(
        "ACP-ELICIT-COMPLETE-006",
        r#"serves | calm 3 | completes "nope""#,
        r#"
        upheld  nothing :: + calm 9
        broken  an error :: + C {"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}
        "#,
    );
}

#[test]
fn what_is_completed_is_ignored() {
    let accepted = r#"serves | url 7 | accept 7 | completes "e" | calm 8 | completes "e""#;
    holds(
        "ACP-ELICIT-COMPLETE-007",
        accepted,
        &format!(
            r#"
            upheld  nothing :: + calm 9
            upheld  the browser of the accept starts late :: + opens https://127.0.0.1/e | calm 9
            broken  the page is opened again :: + opens https://127.0.0.1/e | opens https://127.0.0.1/e
            broken  another page is opened :: + opens https://127.0.0.1/other
            broken  another prompt :: + ask 5 session/prompt {{"sessionId":"s","prompt":[]}}
            broken  an answer :: + C {{"jsonrpc":"2.0","id":null,"error":{{"code":-32602,"message":"no"}}}}
            {DEAD}
            silent  once :: serves | url 7 | accept 7 | completes "e" | calm 9
            "#
        ),
    );
}

#[test]
fn what_was_refused_stays_so() {
    holds(
        "ACP-ELICIT-COMPLETE-008",
        r#"serves | calm 3 | url 7 | decline 7 | completes "e""#,
        &format!(
            r#"
            upheld  nothing :: + calm 9
            broken  opened :: + opens https://127.0.0.1/e
            broken  answered again :: + accept 7
            {DEAD}
            silent  accepted :: serves | url 7 | accept 7 | completes "e" | calm 9
            "#
        ),
    );
}

#[test]
fn what_is_open_still_gets_one_answer() {
    let driven = r#"serves | answers [{"action":"accept"}] | url 7 | calm 3"#;
    holds(
        "ACP-ELICIT-COMPLETE-009",
        &format!(r#"{driven} | completes "e""#),
        &format!(
            r#"
            upheld  one :: + accept 7 | calm 9
            broken  two :: + accept 7 | accept 7
            broken  none :: + deadline 7
            {DEAD}
            unclear nobody was told :: serves | url 7 | completes "e" | deadline 7
            silent  it had one :: {driven} | accept 7 | completes "e" | calm 9
            "#
        ),
    );
    for race in [
        r#"completes "e" | withdraws 7"#,
        r#"withdraws 7 | completes "e""#,
    ] {
        holds(
            "ACP-ELICIT-CANCEL-027",
            &format!("{driven} | {race}"),
            r"
            upheld  cancelled :: + refuse 7 -32800 | calm 9
            upheld  accepted :: + accept 7 | calm 9
            broken  both :: + accept 7 | refuse 7 -32800
            broken  none :: + deadline 7
            ",
        );
    }
}

#[test]
fn it_is_never_answered() {
    let error = r#"C {"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}"#;
    holds(
        "ACP-ELICIT-COMPLETE-010",
        r#"serves | calm 3 | url 7 | accept 7 | completes "e""#,
        &format!(
            r"
            upheld  nothing :: + calm 9
            broken  an error :: + {error}
            {DEAD}
            "
        ),
    );
    holds(
        "ACP-ELICIT-COMPLETE-010",
        "serves | calm 3 | completes 7",
        &format!(
            r#"
            upheld  nothing :: + calm 9
            broken  an error :: + {error}
            silent  the end, over what is malformed :: + exit 1 nothing
            silent  an unknown one :: serves | completes "nope" | calm 9
            "#
        ),
    );
}
