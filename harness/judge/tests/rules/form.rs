//! ELICIT-FORM.

use crate::{
    common::Verdict::{Broken, Silent, Unclear, Upheld},
    talk::{holds, holds_in},
};

/// A form with this schema.
fn with(schema: &str) -> String {
    format!("opened | form 5 {schema}")
}

#[test]
fn a_form_has_a_schema() {
    let id = "ACP-ELICIT-FORM-001";
    for schema in ["null", "[]", "true", r#""string""#] {
        holds(id, &with(schema), &[(Broken, schema, "+ settled")]);
    }
    holds(id, "opened", &[
        (Upheld, "a schema", "+ form 5"),
        (Upheld, "a broken one is one", "+ form 5 {}"),
        (Broken, "by another name", r#"+ create 5 {"sessionId":"s","mode":"form","message":"?","schema":{"type":"object","properties":{}}}"#),
        (Silent, "url mode", "+ url 5"),
        (Silent, "a mode of its own", r#"+ create 5 {"sessionId":"s","mode":"_x","message":"?"}"#),
        (Silent, "no mode", r#"+ create 5 {"sessionId":"s","message":"?"}"#),
    ]);
}

#[test]
fn the_root_states_type_and_properties() {
    let id = "ACP-ELICIT-FORM-003";
    for (verdict, schema) in [
        (Upheld, r#"{"type":"object","properties":{}}"#),
        (Upheld, r#"{"type":"object","properties":{"a":5},"required":null,"title":null}"#),
        (Broken, r#"{"properties":{}}"#),
        (Broken, r#"{"type":null,"properties":{}}"#),
        (Broken, r#"{"type":["object"],"properties":{}}"#),
        (Broken, r#"{"type":"string","properties":{}}"#),
        (Broken, r#"{"type":"object"}"#),
        (Broken, r#"{"type":"object","properties":null}"#),
        (Broken, r#"{"type":"object","properties":[]}"#),
        (Silent, "[]"),
        (Silent, "null"),
    ] {
        holds(id, &with(schema), &[(verdict, schema, "+ settled")]);
    }
    holds(id, "opened", &[(Silent, "url mode", "+ url 5")]);
}

#[test]
fn a_form_is_flat() {
    let id = "ACP-ELICIT-FORM-006";
    for (verdict, property) in [
        (Upheld, r#"{"type":"string"}"#),
        (Upheld, r#"{"type":"_address","properties":{"street":{"type":"object"}}}"#),
        (Upheld, r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#),
        (Upheld, r#"{"type":"array","items":{"type":"_pair"}}"#),
        (Upheld, r#"{"type":"array","items":{"type":"integer"}}"#),
        (Upheld, r#"{"type":"string","allOf":[{"minLength":1}],"properties":{}}"#),
        (Upheld, r#"{"properties":{"street":{"type":"string"}}}"#),
        (Broken, r#"{"type":"object","properties":{"street":{"type":"string"}}}"#),
        (Broken, r#"{"type":"object"}"#),
        (Broken, r#"{"type":"array","items":{"type":"object"}}"#),
        (Broken, r#"{"type":"array","items":{"type":"array","items":{"type":"string","enum":["a"]}}}"#),
    ] {
        let schema = format!(r#"{{"type":"object","properties":{{"a":{property}}}}}"#);
        holds(id, &with(&schema), &[(verdict, property, "+ settled")]);
    }
    holds(id, &with(r#"{"type":"object","properties":{}}"#), &[(Silent, "no property", "+ settled")]);
}

#[test]
fn content_that_breaks_the_schema_is_not_acted_on() {
    const SCHEMA: &str = r#"{"type":"object","properties":{"pick":{"type":"string","enum":["a","b"]},"count":{"type":"integer","maximum":3}},"required":["pick"]}"#;
    let id = "ACP-ELICIT-FORM-008";
    let answered = |content: &str| {
        format!("opened | prompt 2 /elicit form {SCHEMA} | form 5 {SCHEMA} | accept 5 {content}")
    };
    holds(id, &answered(r#"{"pick":"z","count":2}"#), &[
        (Upheld, "found invalid", "+ says invalid answer | done 2"),
        (Upheld, "found invalid, in words of its own", "+ says z is none of my options, so I stop here. | done 2"),
        (Upheld, "taken for a decline", "+ says elicited decline | done 2"),
        (Upheld, "the turn fails", "+ fails 2 -32602"),
        (Upheld, "asked again", "+ form 6"),
        (Upheld, "asked again, and answered well", r#"+ form 6 | accept 6 {"name":"A"} | says elicited accept {"name":"A"} | done 2"#),
        (Upheld, "asked again in another session's question meanwhile", r#"+ session 3 t | create 9 {"sessionId":"t","mode":"form","message":"?"} | says invalid answer | done 2"#),
        (Broken, "taken whole", r#"+ says elicited accept {"pick":"z","count":2} | done 2"#),
        (Broken, "taken in another order, in pieces", r#"+ says elicited accept {"count":2, | says "pick":"z"} | done 2"#),
        (Broken, "taken, and more beside it", r#"+ says Thank you!\nelicited accept {"pick":"z","note":""}\nBye. | done 2"#),
        (Broken, "taken for the choice", "+ says chose z | done 2"),
        (Broken, "crashes", "+ exit 101 nothing"),
        (Unclear, "the bad value replaced by a good one", r#"+ says elicited accept {"pick":"a","count":2} | done 2"#),
        (Unclear, "the bad value dropped", r#"+ says elicited accept {"count":2} | done 2"#),
        (Unclear, "a fallback that looks like a choice", "+ says chose a | done 2"),
        (Unclear, "it hangs, of which the clause does not speak", "+ turn-deadline 2"),
        (Unclear, "another wait ended in vain", "+ deadline 7"),
        (Unclear, "the trace was cut", "+ settled"),
        (Unclear, "something else may have ended the process", "+ cancelled | exit 1 nothing"),
    ]);
    for content in ["{}", r#"{"pick":null}"#, r#"{"pick":"a","count":"2"}"#, r#"{"pick":"a","count":4}"#] {
        holds(id, &answered(content), &[
            (Broken, content, &format!("+ says elicited accept {content} | done 2")),
            (Upheld, content, "+ says invalid answer | done 2"),
        ]);
    }
    holds(id, &answered(""), &[
        (Broken, "nothing taken for all that is required", "+ says elicited accept | done 2"),
        (Upheld, "nothing found invalid", "+ says invalid answer | done 2"),
    ]);
    for content in [r#"{"pick":"a"}"#, r#"{"pick":"b","count":3.0}"#, r#"{"pick":"b","count":null,"more":1}"#, r#""text""#] {
        holds(id, &answered(content), &[(Silent, content, "+ says elicited accept {} | done 2")]);
    }
    holds(id, "opened | prompt 2 /elicit form | form 5", &[
        (Silent, "declined", r#"+ decline 5 {"name":7} | says elicited accept {"name":7} | done 2"#),
        (Silent, "the turn was over", r#"+ done 2 | accept 5 {"name":7}"#),
    ]);
}

#[test]
fn a_whole_message_replaces_its_pieces() {
    let chunk = |text: &str| {
        format!(
            r#"S {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"agent_message","messageId":"m","content":[{{"type":"text","text":"{text}"}}]}}}}}}"#
        )
    };
    let start = r#"opened | prompt 2 /elicit form | form 5 | accept 5 {"name":7} | says elicited accept {"name":7}"#;
    holds_in("v2", "ACP-ELICIT-FORM-008", start, &[
        (Upheld, "what it said first no longer stands", &format!("+ {} | done 2", chunk("invalid answer"))),
        (Broken, "what it said first still stands", "+ done 2"),
    ]);
}

#[test]
fn a_form_holds_no_link_to_click() {
    let id = "ACP-ELICIT-FORM-015";
    let field = |property: &str| {
        with(&format!(r#"{{"type":"object","properties":{{"a/b":{property}}}}}"#))
    };
    for (verdict, property) in [
        (Upheld, r#"{"type":"string","description":"must begin with https://"}"#),
        (Upheld, r#"{"type":"string","enum":["https://a.example"]}"#),
        (Upheld, r#"{"type":"string","format":"uri","default":"https://a.example"}"#),
        (Upheld, r#"{"type":"string","format":"uri","description":"such as https://a.example/hook"}"#),
        (Broken, r#"{"type":"string","description":"see https://a.example/hook"}"#),
        (Broken, r#"{"type":"string","title":"HTTP://127.0.0.1/"}"#),
        (Broken, r#"{"type":"string","default":"https://a.example"}"#),
        (Broken, r#"{"type":"string","oneOf":[{"const":"a","title":"https://a.example"}]}"#),
    ] {
        holds(id, &field(property), &[(verdict, property, "+ settled")]);
    }
    holds(id, "opened", &[
        (Upheld, "none", "+ form 5"),
        (Broken, "in the message", r#"+ create 5 {"sessionId":"s","mode":"form","message":"Open https://a.example and paste the code","requestedSchema":{"type":"object","properties":{"code":{"type":"string","format":"uri"}}}}"#),
        (Silent, "url mode", "+ url 5"),
    ]);
}
