//! ELICIT-FORM.

use crate::table::{holds, holds_in, holds_with};

/// A form with one property.
const PROPERTY: &str = r#"opened | form 5 {"type":"object","properties":{"a/b":$}}"#;

#[test]
fn a_form_has_a_schema() {
    let id = "ACP-ELICIT-FORM-001";
    holds_with(
        id,
        "opened | form 5 $",
        r#"
            broken  null
            broken  []
            broken  true
            broken  "string"
            "#,
    );
    holds(
        id,
        "opened",
        r#"
            upheld  a schema :: + form 5
            upheld  a broken one is one :: + form 5 {}
            broken  by another name :: + create 5 {"sessionId":"s","mode":"form","message":"?","schema":{"type":"object","properties":{}}}
            silent  url mode :: + url 5
            silent  a mode of its own :: + create 5 {"sessionId":"s","mode":"_x","message":"?"}
            silent  no mode :: + create 5 {"sessionId":"s","message":"?"}
            "#,
    );
}

#[test]
fn the_root_states_type_and_properties() {
    let id = "ACP-ELICIT-FORM-003";
    holds_with(
        id,
        "opened | form 5 $",
        r#"
            upheld  {"type":"object","properties":{}}
            upheld  {"type":"object","properties":{"a":5},"required":null,"title":null}
            broken  {"properties":{}}
            broken  {"type":null,"properties":{}}
            broken  {"type":["object"],"properties":{}}
            broken  {"type":"string","properties":{}}
            broken  {"type":"object"}
            broken  {"type":"object","properties":null}
            broken  {"type":"object","properties":[]}
            silent  []
            silent  null
            "#,
    );
    holds(id, "opened", "silent  url mode :: + url 5");
}

#[test]
fn a_form_is_flat() {
    let id = "ACP-ELICIT-FORM-006";
    holds_with(
        id,
        PROPERTY,
        r#"
            upheld  {"type":"string"}
            upheld  {"type":"_address","properties":{"street":{"type":"object"}}}
            upheld  {"type":"array","items":{"type":"string","enum":["a"]}}
            upheld  {"type":"array","items":{"type":"_pair"}}
            upheld  {"type":"array","items":{"type":"integer"}}
            upheld  {"type":"string","allOf":[{"minLength":1}],"properties":{}}
            upheld  {"properties":{"street":{"type":"string"}}}
            broken  {"type":"object","properties":{"street":{"type":"string"}}}
            broken  {"type":"object"}
            broken  {"type":"array","items":{"type":"object"}}
            broken  {"type":"array","items":{"type":"array","items":{"type":"string","enum":["a"]}}}
            "#,
    );
    holds(
        id,
        "opened",
        r#"silent  no property :: + form 5 {"type":"object","properties":{}}"#,
    );
}

#[test]
fn content_that_breaks_the_schema_is_not_acted_on() {
    const SCHEMA: &str = r#"{"type":"object","properties":{"pick":{"type":"string","enum":["a","b"]},"count":{"type":"integer","maximum":3}},"required":["pick"]}"#;
    let id = "ACP-ELICIT-FORM-008";
    let answered = |content: &str| {
        format!("opened | prompt 2 /elicit form {SCHEMA} | form 5 {SCHEMA} | accept 5 {content}")
    };
    holds(
        id,
        &answered(r#"{"pick":"z","count":2}"#),
        r#"
            upheld  found invalid :: + says invalid answer | done 2
            upheld  found invalid, in words of its own :: + says z is none of my options, so I stop here. | done 2
            upheld  taken for a decline :: + says elicited decline | done 2
            upheld  the turn fails :: + fails 2 -32602
            upheld  asked again :: + form 6
            upheld  asked again, and answered well :: + form 6 | accept 6 {"name":"A"} | says elicited accept {"name":"A"} | done 2
            upheld  asked again in another session's question meanwhile :: + session 3 t | create 9 {"sessionId":"t","mode":"form","message":"?"} | says invalid answer | done 2
            broken  taken whole :: + says elicited accept {"pick":"z","count":2} | done 2
            broken  taken in another order, in pieces :: + says elicited accept {"count":2, | says "pick":"z"} | done 2
            broken  taken, and more beside it :: + says Thank you!\nelicited accept {"pick":"z","note":""}\nBye. | done 2
            broken  taken for the choice :: + says chose z | done 2
            broken  crashes :: + exit 101 nothing
            unclear the bad value replaced by a good one :: + says elicited accept {"pick":"a","count":2} | done 2
            unclear the bad value dropped :: + says elicited accept {"count":2} | done 2
            unclear a fallback that looks like a choice :: + says chose a | done 2
            unclear it hangs, of which the clause does not speak :: + turn-deadline 2
            unclear another wait ended in vain :: + deadline 7
            unclear the trace was cut :: + settled
            unclear something else may have ended the process :: + cancelled | exit 1 nothing
            "#,
    );
    for content in [
        "{}",
        r#"{"pick":null}"#,
        r#"{"pick":"a","count":"2"}"#,
        r#"{"pick":"a","count":4}"#,
    ] {
        holds_with(
            id,
            &format!("{} | says $ | done 2", answered(content)),
            &format!("broken elicited accept {content} \n upheld invalid answer"),
        );
    }
    holds(
        id,
        &answered(""),
        r"
            broken  nothing taken for all that is required :: + says elicited accept | done 2
            upheld  nothing found invalid :: + says invalid answer | done 2
            ",
    );
    holds_with(
        id,
        &format!("{} | says elicited accept $ | done 2", answered("$")),
        r#"
            silent  {"pick":"a"}
            silent  {"pick":"b","count":3.0}
            silent  {"pick":"b","count":null,"more":1}
            silent  "text"
            "#,
    );
    holds(
        id,
        "opened | prompt 2 /elicit form | form 5",
        r#"
            silent  declined :: + decline 5 {"name":7} | says elicited accept {"name":7} | done 2
            silent  the turn was over :: + done 2 | accept 5 {"name":7}
            "#,
    );
}

#[test]
fn a_whole_message_replaces_its_pieces() {
    holds_in(
        "v2",
        "ACP-ELICIT-FORM-008",
        r#"opened | prompt 2 /elicit form | form 5 | accept 5 {"name":7} | says elicited accept {"name":7}"#,
        r#"
            upheld  what it said first no longer stands :: + S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"invalid answer"}]}}} | done 2
            broken  what it said first still stands :: + done 2
            "#,
    );
}

#[test]
fn a_form_holds_no_link_to_click() {
    let id = "ACP-ELICIT-FORM-015";
    holds_with(
        id,
        PROPERTY,
        r#"
            upheld  {"type":"string","description":"must begin with https://"}
            upheld  {"type":"string","enum":["https://a.example"]}
            upheld  {"type":"string","format":"uri","default":"https://a.example"}
            upheld  {"type":"string","format":"uri","description":"such as https://a.example/hook"}
            broken  {"type":"string","description":"see https://a.example/hook"}
            broken  {"type":"string","title":"HTTP://127.0.0.1/"}
            broken  {"type":"string","default":"https://a.example"}
            broken  {"type":"string","oneOf":[{"const":"a","title":"https://a.example"}]}
            "#,
    );
    holds(
        id,
        "opened",
        r#"
            upheld  none :: + form 5
            broken  in the message :: + create 5 {"sessionId":"s","mode":"form","message":"Open https://a.example and paste the code","requestedSchema":{"type":"object","properties":{"code":{"type":"string","format":"uri"}}}}
            silent  url mode :: + url 5
            "#,
    );
}
