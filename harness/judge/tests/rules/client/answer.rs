//! ELICIT-RESP, FORM-007 and FORM-009.

use crate::clients::{holds, holds_in};

const ACCEPT: &str = r#"serves | answers [{"action":"accept"}] | form 7"#;

#[test]
fn a_question_gets_one_answer() {
    holds(
        "ACP-ELICIT-RESP-001",
        ACCEPT,
        r#"
        upheld  accepted :: + accept 7 {"name":"a"} | calm 9
        upheld  an error :: + refuse 7 -32603 | calm 9
        broken  twice :: + accept 7 {"name":"a"} | cancel 7 | calm 9
        broken  the id as a text :: + accept "7" {"name":"a"}
        broken  never :: + deadline 7
        unclear cut :: + stopped
        silent  taken back :: + withdraws 7 | accept 7 {"name":"a"} | accept 7 {"name":"a"}
        unclear no answer was told :: serves | form 7 | deadline 7
        unclear told to be idle :: serves | answers ["idle"] | form 7 | deadline 7
        broken  a mode that was not advertised :: serves {"url":{}} | form 7 | deadline 7
        "#,
    );
}

#[test]
fn a_result_has_an_action_of_the_three() {
    holds(
        "ACP-ELICIT-RESP-002",
        "serves | form 7",
        r#"
        upheld  accept :: + accept 7 {"name":"a"}
        upheld  decline :: + decline 7
        upheld  a custom one :: + answer 7 {"action":"_x"}
        upheld  another name is another row's :: + answer 7 {"action":"reject"}
        broken  capitals :: + answer 7 {"action":"Accept"}
        broken  none :: + answer 7 {}
        broken  null :: + answer 7 null
        broken  a number :: + answer 7 {"action":1}
        broken  as a permission :: + answer 7 {"outcome":{"outcome":"cancelled"}}
        silent  an error :: + refuse 7 -32602
        "#,
    );
    holds(
        "ACP-ELICIT-RESP-003",
        "serves | form 7",
        r#"
        upheld  accept :: + accept 7 {"name":"a"}
        upheld  a custom one :: + answer 7 {"action":"_x"}
        broken  a name that is reserved :: + answer 7 {"action":"reject"}
        silent  capitals are another row's :: + answer 7 {"action":"ACCEPT"}
        "#,
    );
    holds(
        "ACP-ELICIT-CANCEL-024",
        "serves | form 7",
        r#"
        upheld  accept :: + accept 7 {"name":"a"}
        broken  as a permission :: + answer 7 {"outcome":{"outcome":"cancelled"}}
        silent  nothing :: + answer 7 {}
        "#,
    );
}

#[test]
fn a_refusal_is_told_as_such() {
    let decline = r#"serves | answers [{"action":"decline"},{"action":"cancel"}] | form 7"#;
    holds(
        "ACP-ELICIT-RESP-004",
        decline,
        r#"
        upheld  declined :: + decline 7
        broken  cancelled :: + cancel 7
        silent  accepted is another row's :: + accept 7 {"name":"a"}
        broken  the other way :: + decline 7 | form 8 | decline 8
        upheld  used up means cancel :: + decline 7 | form 8 | cancel 8 | form 10 | cancel 10
        silent  what an odd question used up is not known :: + create 8 {"sessionId":"nope","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}} | cancel 8 | form 10 | decline 10
        silent  nothing was told :: serves | form 7 | decline 7
        silent  it was taken back :: + withdraws 7 | cancel 7
        "#,
    );
    holds(
        "ACP-ELICIT-RESP-005",
        decline,
        r#"
        upheld  declined :: + decline 7
        broken  an error :: + refuse 7 -32603
        silent  taken back :: + withdraws 7 | refuse 7 -32800
        silent  its session is not told yet :: open client | init | answers [{"action":"decline"}] | ask 1 session/new {"cwd":"/","mcpServers":[]} | form 7 | result 1 {"sessionId":"s"} | refuse 7 -32002
        broken  it was :: open client | init | answers [{"action":"decline"}] | ask 1 session/new {"cwd":"/","mcpServers":[]} | result 1 {"sessionId":"s"} | form 7 | refuse 7 -32002
        "#,
    );
}

#[test]
fn content_is_an_object_of_plain_values() {
    holds(
        "ACP-ELICIT-RESP-006",
        "serves | form 7",
        r#"
        upheld  an object :: + accept 7 {"name":"a"}
        upheld  null :: + accept 7 null
        upheld  none :: + accept 7
        broken  an array :: + accept 7 ["a"]
        broken  a text :: + accept 7 "a"
        silent  declined :: + decline 7 ["a"]
        "#,
    );
    holds(
        "ACP-ELICIT-RESP-007",
        "serves | form 7",
        r#"
        upheld  a text :: + accept 7 {"name":"a"}
        upheld  a list :: + accept 7 {"name":["a"]}
        broken  null :: + accept 7 {"name":null}
        broken  an object :: + accept 7 {"name":{}}
        broken  mixed :: + accept 7 {"name":["a",1]}
        silent  nothing :: + accept 7 {}
        "#,
    );
    holds(
        "ACP-ELICIT-RESP-008",
        "serves | form 7",
        r#"
        upheld  a text :: + accept 7 {"name":"a"}
        broken  null :: + accept 7 {"name":null}
        broken  an object :: + accept 7 {"name":{}}
        silent  of a type of its own :: serves | form 7 {"type":"object","properties":{"name":{"type":"_x"}}} | accept 7 {"name":{}}
        silent  none :: + accept 7 {}
        "#,
    );
    holds(
        "ACP-ELICIT-RESP-009",
        "serves | form 7",
        r#"
        upheld  a text :: + accept 7 {"name":"a"}
        upheld  one more is only remarked on :: + accept 7 {"name":"a","x":1}
        broken  a number :: + accept 7 {"name":1}
        broken  nothing :: + accept 7
        silent  declined :: + decline 7
        "#,
    );
}

#[test]
fn nothing_is_accepted_without_the_user() {
    holds(
        "ACP-ELICIT-RESP-024",
        r#"serves | answers ["idle",{"action":"decline"}] | form 7"#,
        r#"
        upheld  left open :: + calm 9
        broken  accepted :: + accept 7 {"name":"a"}
        upheld  declined :: + form 8 | decline 8
        broken  accepted instead of declined :: + form 8 | accept 8 {"name":"a"}
        silent  an error :: + refuse 7 -32603
        silent  whether a broken form used up an answer is not known :: serves | answers ["idle",{"action":"accept"}] | form 6 {"type":"object","properties":{},"required":["e"]} | withdraws 6 | refuse 6 -32800 | form 7 | accept 7 {"name":"a"}
        silent  told to accept :: serves | answers [{"action":"accept"}] | form 7 | accept 7 {"name":"a"}
        silent  nothing was told :: serves | form 7 | accept 7 {"name":"a"}
        "#,
    );
}

#[test]
fn values_are_validated_first() {
    let given = |content: &str| {
        format!(r#"serves | answers [{{"action":"accept","content":{content}}}] | form 7"#)
    };
    holds(
        "ACP-ELICIT-FORM-007",
        &given(r#"{"name":1}"#),
        r#"
        upheld  withheld :: + cancel 7
        upheld  corrected :: + accept 7 {"name":"1"}
        broken  passed on :: + accept 7 {"name":1}
        broken  without it :: + accept 7 {}
        silent  nothing was told :: serves | form 7 | accept 7 {"name":1}
        "#,
    );
    holds(
        "ACP-ELICIT-FORM-007",
        &given(r#"{"name":"a"}"#),
        r#"silent  they fit :: + accept 7 {"name":1}"#,
    );
}

#[test]
fn defaults_are_submitted() {
    let form = r#"serves | answers [{"action":"accept"}] | form 7 {"type":"object","properties":{"a":{"type":"boolean","default":false},"b":{"type":"integer","default":0},"c":{"type":"string","default":""},"d":{"type":"string"}}}"#;
    holds(
        "ACP-ELICIT-FORM-009",
        form,
        r#"
        upheld  all :: + accept 7 {"a":false,"b":0,"c":""}
        upheld  written otherwise :: + accept 7 {"a":false,"b":0.0,"c":""}
        broken  one is lost :: + accept 7 {"b":0,"c":""}
        broken  one is changed :: + accept 7 {"a":true,"b":0,"c":""}
        unclear none :: + accept 7 {"d":"x"}
        silent  no accept :: + cancel 7
        "#,
    );
    holds_in(
        "v2",
        "ACP-ELICIT-FORM-009",
        r#"serves | answers [{"action":"accept"}] | form 7"#,
        r#"silent  no defaults :: + accept 7 {"name":"a"}"#,
    );
}
