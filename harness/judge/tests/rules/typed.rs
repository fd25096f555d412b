//! TYPED.

use crate::table::{holds, holds_in};

const PROMPT: &str = "opened | prompt 2 /elicit choice red* green green";

/// The question with this property, and more of the schema.
fn form(property: &str) -> String {
    format!(r#"form 5 {{"type":"object","properties":{{"pick":{property}}},"required":["pick"]}}"#)
}

const CHOICES: &str = r#"[{"const":"t1","title":"red"},{"const":"t2","title":"green"},{"const":"t3","title":"green"}]"#;

fn property() -> String {
    format!(r#"{{"type":"string","oneOf":{CHOICES},"default":"t1"}}"#)
}

fn asked() -> String {
    format!("{PROMPT} | {}", form(&property()))
}

#[test]
fn a_choice_is_an_ordinary_form() {
    holds(
        "ACP-TYPED-001",
        PROMPT,
        &format!(
            r#"
        upheld  a form :: + {}
        broken  a type of its own :: + {}
        broken  a mode of its own :: + create 5 {{"sessionId":"s","mode":"_choice","message":"?"}}
        upheld  an array is another row's :: + {}
        silent  another prompt :: opened | prompt 2 /elicit form | {}
        "#,
            form(&property()),
            form(r#"{"type":"_choice"}"#),
            form(r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#),
            form(r#"{"type":"_choice"}"#),
        ),
    );
    holds(
        "ACP-TYPED-027",
        PROMPT,
        &format!(
            "upheld  a string :: + {}\nbroken  an array :: + {}",
            form(&property()),
            form(r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#),
        ),
    );
}

#[test]
fn tokens_are_opaque_and_one_each() {
    let prompt = "opened | prompt 2 /elicit choice red-canary-1 green-canary-1";
    let of = |one: &str, two: &str| {
        form(&format!(
            r#"{{"type":"string","oneOf":[{{"const":"{one}","title":"red-canary-1"}},{{"const":"{two}","title":"green-canary-1"}}]}}"#
        ))
    };
    holds(
        "ACP-TYPED-002",
        prompt,
        &format!(
            r"
        upheld  tokens :: + {}
        broken  the value itself :: + {}
        silent  values that any token may be :: {} | {}
        ",
            of("a", "b"),
            of("a", "green-canary-1"),
            "opened | prompt 2 /elicit choice 1 2",
            of("1", "2"),
        ),
    );
    holds(
        "ACP-TYPED-003",
        prompt,
        &format!(
            "upheld  two :: + {}\nbroken  one for both :: + {}",
            of("a", "b"),
            of("a", "a")
        ),
    );
}

#[test]
fn the_default_is_a_token() {
    let with = |default: &str| {
        form(&format!(
            r#"{{"type":"string","oneOf":{CHOICES}{default}}}"#
        ))
    };
    holds(
        "ACP-TYPED-009",
        PROMPT,
        &format!(
            r"
        upheld  its token :: + {}
        broken  none :: + {}
        broken  null :: + {}
        broken  the label :: + {}
        broken  the token of another :: + {}
        silent  a number is another row's :: + {}
        silent  an earlier prompt may have it asked :: opened | prompt 2 /elicit choice red green blue | prompt 3 /elicit choice red* green | {}
        silent  none is marked :: opened | prompt 2 /elicit choice red green green | {}
        ",
            with(r#","default":"t1""#),
            with(""),
            with(r#","default":null"#),
            with(r#","default":"red""#),
            with(r#","default":"t2""#),
            with(r#","default":1"#),
            with(""),
            with(r#","default":"t2""#),
        ),
    );
}

#[test]
fn every_label_goes_out() {
    let of = |choices: &str| form(&format!(r#"{{"type":"string",{choices}}}"#));
    holds(
        "ACP-TYPED-022",
        PROMPT,
        &format!(
            r"
        upheld  in order :: + {}
        upheld  in another order :: + {}
        broken  one is missing :: + {}
        broken  numbered :: + {}
        upheld  plain values :: + {}
        silent  without titles, which is another row's :: + {}
        ",
            of(&format!(r#""oneOf":{CHOICES}"#)),
            of(
                r#""oneOf":[{"const":"t2","title":"green"},{"const":"t1","title":"red"},{"const":"t3","title":"green"}]"#
            ),
            of(r#""oneOf":[{"const":"t2","title":"green"},{"const":"t1","title":"red"}]"#),
            of(r#""oneOf":[{"const":"t2","title":"1"},{"const":"t1","title":"2"}]"#),
            of(r#""enum":["red","green","green"]"#),
            of(r#""oneOf":[{"const":"t2"},{"const":"t1"}]"#),
        ),
    );
    holds_in(
        "v2",
        "ACP-TYPED-022",
        PROMPT,
        &format!(
            r"
        broken  another question :: + state running | {other}
        silent  a later prompt asks, which came before the end :: + state running | prompt 3 /elicit form | state running | state idle end_turn | {other}
        ",
            other = of(r#""oneOf":[{"const":"t2","title":"other"}]"#),
        ),
    );
}

#[test]
fn a_token_leads_back_to_its_value() {
    holds(
        "ACP-TYPED-004",
        &asked(),
        r#"
        upheld  its own :: + accept 5 {"pick":"t2"} | says chose green | done 2
        upheld  the other of the same name :: + accept 5 {"pick":"t3"} | says chose green | done 2
        broken  another :: + accept 5 {"pick":"t2"} | says chose red | done 2
        unclear in its own words :: + accept 5 {"pick":"t2"} | says Green it is. | done 2
        unclear refused :: + accept 5 {"pick":"t2"} | says invalid answer | done 2
        unclear cancelled as well :: + accept 5 {"pick":"t2"} | cancelled | says chose red | done 2
        silent  an unknown token :: + accept 5 {"pick":"t9"} | says chose red | done 2
        "#,
    );
}

#[test]
fn nothing_but_a_token_is_a_choice() {
    let table = r"
        upheld  an invalid answer :: + ANSWER | says invalid answer | done 2
        upheld  an error of the turn :: + ANSWER | fails 2 -32603
        broken  a choice :: + ANSWER | says chose green | done 2
        silent  the default is another row's :: + ANSWER | says chose red | done 2
        silent  asked again :: + ANSWER | form 6
        unclear in its own words :: + ANSWER | says Hm. | done 2
        ";
    holds(
        "ACP-TYPED-005",
        &asked(),
        &table.replace("ANSWER", r#"accept 5 {"pick":"red"}"#),
    );
    holds(
        "ACP-TYPED-005",
        &asked(),
        r#"upheld  a refusal is no choice :: + accept 5 {"pick":"t9"} | says elicited cancel | done 2"#,
    );
    for answer in [
        "accept 5",
        "accept 5 null",
        "accept 5 {}",
        r#"accept 5 {"other":"t1"}"#,
        r#"accept 5 {"pick":1}"#,
        r#"accept 5 {"pick":["t1"]}"#,
        r#"accept 5 "t1""#,
    ] {
        holds("ACP-TYPED-006", &asked(), &table.replace("ANSWER", answer));
        holds(
            "ACP-TYPED-006",
            &asked(),
            &r"
            broken  a cancel :: + ANSWER | says elicited cancel | done 2
            broken  a decline :: + ANSWER | says elicited decline | done 2
            "
            .replace("ANSWER", answer),
        );
        holds(
            "ACP-TYPED-007",
            &asked(),
            &r"
            broken  the default :: + ANSWER | says chose red | done 2
            silent  another choice is another row's :: + ANSWER | says chose green | done 2
            upheld  an invalid answer :: + ANSWER | says invalid answer | done 2
            "
            .replace("ANSWER", answer),
        );
    }
    holds(
        "ACP-TYPED-007",
        &asked(),
        r#"
        broken  for an unknown token :: + accept 5 {"pick":"t9"} | says chose red | done 2
        silent  its token came :: + accept 5 {"pick":"t1"} | says chose red | done 2
        "#,
    );
}

#[test]
fn the_outcomes_are_told_apart() {
    for (id, refusal, right, wrong) in [
        (
            "ACP-TYPED-010",
            "decline 5",
            "elicited decline",
            "elicited cancel",
        ),
        (
            "ACP-TYPED-011",
            "cancel 5",
            "elicited cancel",
            "elicited decline",
        ),
    ] {
        holds(
            id,
            &format!("{} | {refusal}", asked()),
            &format!(
                r"
            upheld  as it is :: + says {right} | done 2
            broken  as the other one :: + says {wrong} | done 2
            broken  as an error :: + says invalid answer | done 2
            broken  the turn fails :: + fails 2 -32603
            silent  as a choice, which is another row's :: + says chose red | done 2
            unclear in its own words :: + says Never mind. | done 2
            silent  asked again :: + form 6
            unclear the turn was cancelled :: + cancelled | says {wrong} | done 2
            "
            ),
        );
    }
}

#[test]
fn no_refusal_is_a_choice() {
    let prompt = "opened | prompt 2 /elicit choice red* green green fallback=green";
    let asked = format!("{prompt} | {}", form(&property()));
    for refusal in ["decline 5", "cancel 5", "refuse 5 -32800"] {
        let start = format!("{asked} | {refusal}");
        holds(
            "ACP-TYPED-016",
            &start,
            r"
            upheld  told :: + says elicited decline | done 2
            broken  the fallback :: + says chose green | done 2
            upheld  another choice is another row's :: + says chose red | done 2
            unclear in its own words :: + says Well then. | done 2
            ",
        );
        holds(
            "ACP-TYPED-019",
            &start,
            r"
            upheld  told :: + says elicited error -32800 | done 2
            broken  a choice :: + says chose red | done 2
            silent  the fallback is another row's :: + says chose green | done 2
            ",
        );
    }
    holds(
        "ACP-TYPED-016",
        &asked,
        r#"
        silent  it was chosen :: + accept 5 {"pick":"t2"} | says chose green | done 2
        broken  after an accept of nothing :: + accept 5 {} | says chose green | done 2
        "#,
    );
    holds(
        "ACP-TYPED-025",
        &asked,
        r"
        upheld  the turn ends :: + refuse 5 -32601 | says elicited error -32601 | done 2
        broken  hangs :: + refuse 5 -32601 | turn-deadline 2
        broken  dies :: + refuse 5 -32601 | exit 101 nothing
        silent  another error :: + refuse 5 -32602 | turn-deadline 2
        ",
    );
}

#[test]
fn two_defaults_are_no_question() {
    holds(
        "ACP-TYPED-008",
        "opened | prompt 2 /elicit choice red* green*",
        &format!(
            r"
        upheld  unavailable :: + says unavailable | done 2
        broken  asked :: + {}
        unclear a command that it does not know :: + says Pardon? | done 2
        silent  one default :: opened | prompt 2 /elicit choice red* green | {}
        silent  without forms :: opened absent | prompt 2 /elicit choice red* green* | says unavailable | done 2
        ",
            form(&property()),
            form(&property()),
        ),
    );
}

#[test]
fn without_forms_nothing_is_asked() {
    let ask = form(&property());
    let permission = r#"S {"jsonrpc":"2.0","id":6,"method":"session/request_permission","params":{"sessionId":"s","title":"Which?","options":[{"optionId":"NAME","name":"NAME","kind":"allow_once"}]}}"#;
    for capability in ["absent", "null", "{}", r#"{"url":{}}"#] {
        let start = format!("opened {capability} | prompt 2 /elicit choice red* green");
        holds(
            "ACP-TYPED-013",
            &start,
            &format!(
                r"
            upheld  unavailable :: + says unavailable | done 2
            broken  asked :: + {ask}
            unclear a command that it does not know :: + says Pardon? | done 2
            "
            ),
        );
        holds(
            "ACP-TYPED-014",
            &start,
            r"
            upheld  unavailable :: + says unavailable | done 2
            upheld  the turn fails :: + fails 2 -32603
            broken  a cancel :: + says elicited cancel | done 2
            broken  a choice :: + says chose red | done 2
            broken  hangs :: + turn-deadline 2
            unclear in its own words :: + says I cannot ask you. | done 2
            ",
        );
        holds(
            "ACP-TYPED-015",
            &start,
            &format!(
                r"
            upheld  none :: + says unavailable | done 2
            broken  the choices as options :: + {}
            upheld  a permission for something else :: + {} | done 2
            ",
                permission.replace("NAME", "green"),
                permission.replace("NAME", "allow"),
            ),
        );
        let with =
            format!("opened {capability} | prompt 2 /elicit choice red green fallback=green");
        holds(
            "ACP-TYPED-017",
            &with,
            r"
            upheld  passed on :: + says chose green | done 2
            broken  another choice :: + says chose red | done 2
            broken  a decline :: + says elicited decline | done 2
            unclear it has none :: + says unavailable | done 2
            ",
        );
        let foreign =
            format!("opened {capability} | prompt 2 /elicit choice red green fallback=blue");
        holds(
            "ACP-TYPED-018",
            &foreign,
            r"
            upheld  unavailable :: + says unavailable | done 2
            broken  taken :: + says chose blue | done 2
            unclear in its own words :: + says Pardon? | done 2
            ",
        );
    }
    holds_in(
        "v1",
        "ACP-TYPED-013",
        PROMPT,
        &format!("silent  with forms :: + {ask}"),
    );
}

#[test]
fn with_forms_it_is_asked() {
    holds(
        "ACP-TYPED-026",
        PROMPT,
        &format!(
            r"
        upheld  asked :: + {}
        broken  unavailable :: + says unavailable | done 2
        unclear a command that it does not know :: + says Pardon? | done 2
        silent  a question that is none :: opened | prompt 2 /elicit choice a* b* | says unavailable | done 2
        silent  without forms :: opened absent | prompt 2 /elicit choice a b | says unavailable | done 2
        ",
            form(&property()),
        ),
    );
}
