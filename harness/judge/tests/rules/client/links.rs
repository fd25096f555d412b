//! ELICIT-URL.

use crate::clients::holds;

const URL: &str = "https://127.0.0.1/e";

#[test]
fn nothing_is_opened_or_fetched_before_consent() {
    for (id, gone) in [
        ("ACP-ELICIT-URL-010", "opens"),
        ("ACP-ELICIT-URL-009", "fetches"),
    ] {
        holds(
            id,
            r#"serves | answers ["idle",{"action":"decline"},{"action":"accept"}] | url 7"#,
            &format!(
                r#"
                upheld  nothing :: + calm 9
                broken  at once :: + {gone} {URL}
                upheld  another URL :: + {gone} {URL}x | calm 9
                upheld  declined :: serves | url 7 | decline 7 | calm 9
                broken  declined, and gone to :: serves | url 7 | {gone} {URL} | decline 7
                silent  accepted :: serves | url 7 | {gone} {URL} | accept 7
                silent  told to accept :: serves | answers [{{"action":"accept"}}] | url 7 | {gone} {URL} | accept 7
                unclear nobody knows :: serves | url 7 | {gone} {URL} | calm 9
                "#
            ),
        );
    }
}

#[test]
fn what_runs_is_not_opened() {
    let start = |url: &str| {
        format!(
            r#"serves | answers [{{"action":"accept"}}] | create 7 {{"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"{url}"}}"#
        )
    };
    holds(
        "ACP-ELICIT-URL-004",
        &start("javascript:alert(1)"),
        r"
        upheld  an error :: + refuse 7 -32602 | calm 9
        upheld  accepted, and not opened :: + accept 7 | calm 9
        broken  opened :: + opens javascript:alert(1)
        ",
    );
    holds(
        "ACP-ELICIT-URL-004",
        &start("no url"),
        "broken  opened :: + opens no url",
    );
    holds(
        "ACP-ELICIT-URL-004",
        &start("file:///etc/passwd"),
        "silent  of files nothing is said :: + opens file:///etc/passwd | calm 9",
    );
}

#[test]
fn what_is_opened_is_what_was_sent() {
    let start = |url: &str| {
        format!(
            r#"serves | answers [{{"action":"accept"}}] | create 7 {{"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"{url}"}}"#
        )
    };
    holds(
        "ACP-ELICIT-URL-016",
        &start("https://127.0.0.1/a?x=%26#f"),
        r"
        upheld  as it is :: + opens https://127.0.0.1/a?x=%26#f
        broken  without its fragment :: + opens https://127.0.0.1/a?x=%26
        broken  decoded :: + opens https://127.0.0.1/a?x=&#f
        unclear never :: + accept 7
        ",
    );
    holds(
        "ACP-ELICIT-URL-016",
        &start("https://127.0.0.1"),
        "upheld  as a parser writes it :: + opens https://127.0.0.1/",
    );
    holds(
        "ACP-ELICIT-URL-023",
        &start("https://127.0.0.1/a?x=$(touch%20x);y"),
        r"
        upheld  as it is :: + opens https://127.0.0.1/a?x=$(touch%20x);y
        broken  cut :: + opens https://127.0.0.1/a?x=
        silent  a plain one :: serves | url 7 | opens https://127.0.0.1/e
        ",
    );
}

#[test]
fn accept_waits_for_nothing_and_has_no_content() {
    holds(
        "ACP-ELICIT-URL-018",
        r#"serves | answers [{"action":"accept"}] | url 7"#,
        r#"
        upheld  accepted :: + accept 7
        broken  never :: + deadline 7
        unclear completed first :: + completes "e" | accept 7
        silent  nobody was told :: serves | url 7 | deadline 7
        "#,
    );
    holds(
        "ACP-ELICIT-URL-020",
        "serves | url 7",
        r#"
        upheld  none :: + accept 7
        upheld  empty :: + accept 7 {}
        broken  some :: + accept 7 {"url":"x"}
        silent  declined :: + decline 7 {"url":"x"}
        silent  a form :: + form 8 | accept 8 {"name":"a"}
        "#,
    );
}
