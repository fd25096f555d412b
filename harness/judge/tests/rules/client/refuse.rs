//! Elicitations that are no valid ones.

use crate::clients::{holds, holds_in};

const FORM: &str = r#""requestedSchema":{"type":"object","properties":{}}"#;

/// What any malformed question comes to.
fn refused(id: &str, params: &str) {
    refused_in(&["v1", "v2"], id, params);
}

fn refused_in(versions: &[&str], id: &str, params: &str) {
    let start = format!("serves | create 7 {params}");
    for version in versions {
        holds_in(
            version,
            id,
            &start,
            r"
            upheld  an error :: + refuse 7 -32602
            upheld  any error :: + refuse 7 -32603
            broken  accepted :: + accept 7
            unclear declined :: + decline 7
            unclear cancelled :: + cancel 7
            unclear nothing :: + deadline 7
            silent  taken back :: + withdraws 7 | refuse 7 -32800
            ",
        );
    }
}

#[test]
fn without_its_members() {
    refused(
        "ACP-ELICIT-SCOPE-003",
        &format!(r#"{{"sessionId":"s","message":"m",{FORM}}}"#),
    );
    refused(
        "ACP-ELICIT-SCOPE-003",
        &format!(r#"{{"sessionId":"s","mode":1,"message":"m",{FORM}}}"#),
    );
    refused(
        "ACP-ELICIT-SCOPE-020",
        &format!(r#"{{"sessionId":"s","mode":"form",{FORM}}}"#),
    );
    refused(
        "ACP-ELICIT-FORM-002",
        r#"{"sessionId":"s","mode":"form","message":"m"}"#,
    );
    refused(
        "ACP-ELICIT-URL-002",
        r#"{"sessionId":"s","mode":"url","message":"m","elicitationId":"e"}"#,
    );
    holds(
        "ACP-ELICIT-URL-002",
        r#"serves | create 7 {"sessionId":"s","mode":"url","message":"m","url":"http://127.0.0.1/x"}"#,
        "broken  opened :: + opens http://127.0.0.1/x",
    );
    holds(
        "ACP-ELICIT-SCOPE-003",
        "serves",
        r"
        silent  a plain one :: + form 7 | accept 7
        silent  two faults :: + create 7 {} | refuse 7 -32602
        ",
    );
}

#[test]
fn of_a_scope_that_is_none() {
    for ids in [
        r#""sessionId":"s","requestId":2,"#,
        r#""sessionId":"s","requestId":null,"#,
        "",
        r#""requestId":2,"toolCallId":"t","#,
    ] {
        refused_in(
            &["v2"],
            "ACP-ELICIT-SCOPE-006",
            &format!(r#"{{{ids}"mode":"form","message":"m",{FORM}}}"#),
        );
    }
    refused_in(
        &["v1"],
        "ACP-ELICIT-SCOPE-008",
        &format!(r#"{{"mode":"form","message":"m",{FORM}}}"#),
    );
    holds(
        "ACP-ELICIT-SCOPE-008",
        &format!(
            r#"serves | answers [] | create 7 {{"sessionId":"s","requestId":2,"mode":"form","message":"m",{FORM}}}"#
        ),
        r"
        upheld  accepted :: + accept 7
        upheld  an error :: + refuse 7 -32602
        broken  never :: + deadline 7
        broken  the end :: + exit 1 nothing
        ",
    );
    refused(
        "ACP-ELICIT-SCOPE-010",
        &format!(r#"{{"sessionId":"nope","mode":"form","message":"m",{FORM}}}"#),
    );
    refused(
        "ACP-ELICIT-SCOPE-021",
        &format!(
            r#"{{"sessionId":"s","mode":"voice","url":"http://127.0.0.1/x","message":"m",{FORM}}}"#
        ),
    );
    holds(
        "ACP-ELICIT-SCOPE-021",
        &format!(r#"serves | create 7 {{"sessionId":"s","mode":"_x","message":"m",{FORM}}}"#),
        r#"
        upheld  an error :: + refuse 7 -32602
        broken  opened :: + opens http://127.0.0.1/x
        unclear the page of another question :: serves | url 6 | create 7 {"sessionId":"s","mode":"_x","message":"m"} | opens https://127.0.0.1/e
        "#,
    );
}

#[test]
fn of_a_schema_that_is_none() {
    let form = |schema: &str| {
        format!(r#"{{"sessionId":"s","mode":"form","message":"m","requestedSchema":{schema}}}"#)
    };
    for property in ["{}", r#"{"type":["string","null"]}"#, r#"{"type":1}"#] {
        refused(
            "ACP-ELICIT-SCHEMA-002",
            &form(&format!(
                r#"{{"type":"object","properties":{{"p":{property}}}}}"#
            )),
        );
    }
    for property in [r#"{"type":"array"}"#, r#"{"type":"string","enum":7}"#] {
        refused(
            "ACP-ELICIT-SCHEMA-006",
            &form(&format!(
                r#"{{"type":"object","properties":{{"p":{property}}}}}"#
            )),
        );
    }
    refused_in(
        &["v2"],
        "ACP-ELICIT-FORM-004",
        &form(r#"{"type":"object","properties":null}"#),
    );
    holds(
        "ACP-ELICIT-FORM-004",
        &format!(
            "serves | answers [] | create 7 {}",
            form(r#"{"properties":{}}"#)
        ),
        r"
        upheld  an error :: + refuse 7 -32602
        upheld  accepted :: + accept 7
        broken  the end :: + exit 1 nothing
        broken  never :: + deadline 7
        unclear nothing, and nobody was told :: serves | create 7 {} | deadline 7
        "
        .replace(
            "create 7 {}",
            &format!("create 7 {}", form(r#"{"properties":{}}"#)),
        )
        .as_str(),
    );
    holds(
        "ACP-ELICIT-FORM-005",
        &format!(
            "serves | answers [] | create 7 {}",
            form(r#"{"properties":{}}"#)
        ),
        r"
        unclear an error :: + refuse 7 -32602
        upheld  accepted :: + accept 7
        upheld  cancelled :: + cancel 7
        broken  the end :: + exit 1 nothing
        broken  never :: + deadline 7
        ",
    );
}

#[test]
fn of_constraints_that_cannot_be_met() {
    holds(
        "ACP-ELICIT-SCHEMA-028",
        r#"serves | form 7 {"type":"object","properties":{"p":{"type":"string","minLength":"3"}}}"#,
        r#"
        upheld  an error :: + refuse 7 -32602
        broken  what was meant is broken :: + accept 7 {"p":"ab"}
        unclear what was meant is kept :: + accept 7 {"p":"abc"}
        unclear declined :: + decline 7
        "#,
    );
    holds(
        "ACP-ELICIT-SCHEMA-028",
        r#"serves | form 7 {"type":"object","properties":{"p":{"type":"string"}},"required":"p"}"#,
        "broken  what was meant is broken :: + accept 7 {}",
    );
    holds(
        "ACP-ELICIT-SCHEMA-042",
        r#"serves | answers [] | form 7 {"type":"object","properties":{"p":{"type":"string","minLength":3,"maxLength":2}},"required":["p"]}"#,
        r#"
        upheld  an error :: + refuse 7 -32602
        upheld  cancelled :: + cancel 7
        broken  accepted :: + accept 7 {"p":"abc"}
        broken  never :: + deadline 7
        broken  the end :: + signal 11 nothing
        silent  a plain one :: serves | form 7 | cancel 7
        "#,
    );
}

#[test]
fn of_types_that_nobody_knows() {
    for (id, property) in [
        ("ACP-ELICIT-SCHEMA-004", r#"{"type":"_x"}"#),
        (
            "ACP-ELICIT-SCHEMA-036",
            r#"{"type":"array","items":{"type":"_x","anyOf":[{"const":"a","title":"A"}]}}"#,
        ),
    ] {
        let form = format!(
            r#"form 7 {{"type":"object","properties":{{"p":{property},"q":{{"type":"string"}}}}}}"#
        );
        holds(
            id,
            &format!(r#"serves | answers [{{"action":"accept"}}] | {form}"#),
            &format!(
                r#"
                upheld  left out :: + accept 7 {{"q":"x"}}
                upheld  an error :: + refuse 7 -32602
                upheld  cancelled :: + cancel 7
                broken  made up :: + accept 7 {{"p":"a","q":"x"}}
                unclear entered, perhaps :: serves | {form} | accept 7 {{"p":"a"}}
                unclear entered :: serves | answers [{{"action":"accept","content":{{"p":"a"}}}}] | {form} | accept 7 {{"p":"a"}}
                silent  a plain one :: serves | form 7 | accept 7 {{"name":"a"}}
                "#
            ),
        );
    }
}
