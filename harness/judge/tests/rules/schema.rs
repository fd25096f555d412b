//! ELICIT-SCHEMA.

use crate::table::{holds, holds_with, holds_with_in};

/// A form with one property.
const PROPERTY: &str = r#"opened | form 5 {"type":"object","properties":{"a":$}}"#;

#[test]
fn every_property_has_a_type_of_the_grammar() {
    holds_with(
        "ACP-ELICIT-SCHEMA-001",
        PROPERTY,
        r#"
            upheld  {"type":"string"}
            upheld  {"type":"password"}
            broken  {"enum":["a"]}
            broken  {"type":null}
            broken  {"type":["string","null"]}
            broken  {"type":5}
            broken  true
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-003",
        PROPERTY,
        r#"
            upheld  {"type":"boolean"}
            upheld  {"type":"_colour","anything":[{}]}
            upheld  {"type":"object"}
            upheld  {"enum":["a"]}
            broken  {"type":"password"}
            broken  {"type":"null"}
            broken  {"type":"String"}
            broken  {"type":""}
            "#,
    );
    for id in ["ACP-ELICIT-SCHEMA-001", "ACP-ELICIT-SCHEMA-003"] {
        holds(
            id,
            "opened",
            r#"
            silent  no properties :: + form 5 {"type":"object","properties":{}}
            silent  url mode :: + url 5
            "#,
        );
    }
}

#[test]
fn lengths_and_counts_are_whole_and_not_negative() {
    for (id, property) in [
        (
            "ACP-ELICIT-SCHEMA-007",
            r#"{"type":"string","minLength":$}"#,
        ),
        (
            "ACP-ELICIT-SCHEMA-007",
            r#"{"type":"string","maxLength":$}"#,
        ),
        (
            "ACP-ELICIT-SCHEMA-037",
            r#"{"type":"array","items":{"type":"string","enum":["a"]},"minItems":$}"#,
        ),
        (
            "ACP-ELICIT-SCHEMA-037",
            r#"{"type":"array","items":{"type":"string","enum":["a"]},"maxItems":$}"#,
        ),
    ] {
        holds_with(
            id,
            &PROPERTY.replace('$', property),
            r#"
                upheld  0
                upheld  3
                silent  null
                unclear 3.0
                unclear 1e1
                broken  -1
                broken  1.5
                broken  "3"
                broken  true
                "#,
        );
    }
    holds_with(
        "ACP-ELICIT-SCHEMA-037",
        PROPERTY,
        r#"
            silent  {"type":"array","items":{"type":"string","enum":["a"]}}
            upheld  {"type":"array","items":{"type":"string","enum":["a"]},"minItems":9,"maxItems":2}
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-007",
        PROPERTY,
        r#"
            upheld  {"type":"string","maxLength":4294967295}
            unclear {"type":"string","maxLength":4294967296}
            upheld  {"type":"string","minLength":9,"maxLength":2}
            silent  {"type":"integer","minLength":"3"}
            silent  {"type":"string"}
            "#,
    );
}

#[test]
fn keywords_of_other_versions_and_schemas_are_warned_of() {
    holds_with(
        "ACP-ELICIT-SCHEMA-011",
        PROPERTY,
        r#"
            upheld  {"type":"string"}
            upheld  {"type":"string","pattern":null}
            broken  {"type":"string","pattern":"^a"}
            silent  {"type":"boolean"}
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-013",
        PROPERTY,
        r#"
            upheld  {"type":"string","format":"email"}
            upheld  {"type":"string","format":"date-time"}
            broken  {"type":"string","format":"hostname"}
            broken  {"type":"string","format":"Email"}
            silent  {"type":"string","format":null}
            silent  {"type":"string"}
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-021",
        PROPERTY,
        r#"
            upheld  {"type":"string","enum":["a"]}
            broken  {"type":"string","enum":["a"],"enumNames":["A"]}
            broken  {"type":"array","items":{"type":"string","enum":["a"],"enumNames":["A"]}}
            silent  {"type":"string"}
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-030",
        PROPERTY,
        r#"
            upheld  {"type":"string","title":"A","_meta":{"x":1},"enumNames":["A"]}
            upheld  {"type":"string","pattern":null,"const":null}
            upheld  {"type":"_mine","const":1}
            broken  {"type":"number","exclusiveMinimum":0}
            broken  {"type":"integer","multipleOf":2}
            broken  {"type":"string","allOf":[{"minLength":1}]}
            broken  {"type":"array","items":{"type":"string","enum":["a"]},"uniqueItems":true}
            "#,
    );
    holds(
        "ACP-ELICIT-SCHEMA-030",
        "opened",
        r#"
            broken  a dialect at the root :: + form 5 {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"string"}}}
            broken  what model libraries add :: + form 5 {"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}
            "#,
    );
}

#[test]
fn single_choices_are_lists_of_strings_or_of_titled_ones() {
    holds_with(
        "ACP-ELICIT-SCHEMA-016",
        PROPERTY,
        r#"
            upheld  {"type":"string","enum":["a","a"]}
            broken  {"type":"string","enum":[1,2,3]}
            broken  {"type":"string","enum":["a",null]}
            broken  {"type":"string","enum":"a"}
            broken  {"type":"string","enum":{"a":"A"}}
            silent  {"type":"string","enum":null}
            silent  {"type":"string"}
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-019",
        PROPERTY,
        r#"
            upheld  {"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"","description":null}]}
            broken  {"type":"string","oneOf":[{"const":"a"}]}
            broken  {"type":"string","oneOf":[{"title":"A"}]}
            broken  {"type":"string","oneOf":[{"const":1,"title":"A"}]}
            broken  {"type":"string","oneOf":[{"const":"a","title":null}]}
            broken  {"type":"string","oneOf":["a"]}
            broken  {"type":"string","oneOf":{"a":"A"}}
            silent  {"type":"string","oneOf":null}
            "#,
    );
    let empty = r#"
            broken  {"type":"string","enum":[]}
            broken  {"type":"string","oneOf":[]}
            broken  {"type":"array","items":{"type":"string","enum":[]}}
            broken  {"type":"array","items":{"anyOf":[]}}
            "#;
    let id = "ACP-ELICIT-SCHEMA-017";
    holds_with(id, PROPERTY, empty);
    // In v1 an empty list is legal, and worth a remark.
    holds_with_in("v1", id, PROPERTY, &empty.replace("broken", "upheld"));
    holds_with(
        id,
        PROPERTY,
        r#"
            upheld  {"type":"string","enum":["a"]}
            upheld  {"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}
            silent  {"type":"string"}
            "#,
    );
}

#[test]
fn multi_selects_say_what_may_be_selected() {
    holds_with(
        "ACP-ELICIT-SCHEMA-032",
        PROPERTY,
        r#"
            upheld  {"type":"array","items":{"type":"string","enum":["a"]}}
            upheld  {"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}
            upheld  {"type":"array","items":{}}
            broken  {"type":"array","enum":["a"]}
            broken  {"type":"array","items":null}
            broken  {"type":"array","items":[{"type":"string"}]}
            broken  {"type":"array","items":true}
            silent  {"type":"string","items":true}
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-033",
        PROPERTY,
        r#"
            upheld  {"type":"array","items":{"type":"string","enum":["a"]}}
            broken  {"type":"array","items":{"type":"string"}}
            broken  {"type":"array","items":{"type":"string","enum":null}}
            broken  {"type":"array","items":{"enum":["a"]}}
            broken  {"type":"array","items":{"type":"string","enum":[1]}}
            silent  {"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}
            silent  {"type":"array","items":{"type":"_mine"}}
            silent  {"type":"array","items":{"type":"object"}}
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-034",
        PROPERTY,
        r#"
            upheld  {"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}
            broken  {"type":"array","items":{"oneOf":[{"const":"a","title":"A"}]}}
            broken  {"type":"array","items":{"type":"string","oneOf":[{"const":"a","title":"A"}]}}
            broken  {"type":"array","items":{"anyOf":[{"const":"a"}]}}
            broken  {"type":"array","items":{"anyOf":["a"]}}
            silent  {"type":"array","items":{"type":"string","enum":["a"]}}
            silent  {"type":"array","items":{"type":"_mine","oneOf":[]}}
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-035",
        PROPERTY,
        r#"
            upheld  {"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}
            broken  {"type":"array","items":{"type":"string","anyOf":[{"const":"a","title":"A"}]}}
            unclear {"type":"array","items":{"type":null,"anyOf":[{"const":"a","title":"A"}]}}
            silent  {"type":"array","items":{"type":"string","enum":["a"]}}
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-046",
        PROPERTY,
        r#"
            upheld  {"type":"array","items":{"type":"string","enum":["a"]}}
            upheld  {"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}
            upheld  {"type":"array","items":{"type":"_mine"}}
            upheld  {"type":"array","items":{"type":"object"}}
            broken  {"type":"array","items":{"type":"integer","enum":[1,2]}}
            broken  {"type":"array","items":{"type":"file"}}
            silent  {"type":"string"}
            "#,
    );
}

#[test]
fn bounds_and_defaults_have_the_type_of_their_property() {
    holds_with(
        "ACP-ELICIT-SCHEMA-022",
        PROPERTY,
        r#"
            upheld  {"type":"number","minimum":1.5,"maximum":-1e3}
            upheld  {"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}
            broken  {"type":"integer","minimum":1.5}
            broken  {"type":"integer","maximum":"5"}
            broken  {"type":"number","minimum":"0"}
            broken  {"type":"number","maximum":true}
            unclear {"type":"integer","minimum":1.0}
            unclear {"type":"integer","maximum":9223372036854775808}
            silent  {"type":"integer","minimum":null}
            silent  {"type":"string","minimum":"0"}
            "#,
    );
    holds_with(
        "ACP-ELICIT-SCHEMA-026",
        PROPERTY,
        r#"
            upheld  {"type":"string","default":""}
            upheld  {"type":"string","enum":["a"],"default":"b"}
            upheld  {"type":"number","maximum":1,"default":3}
            upheld  {"type":"integer","default":-3}
            upheld  {"type":"boolean","default":false}
            upheld  {"type":"array","items":{"type":"string","enum":["a"]},"default":[]}
            broken  {"type":"string","default":5}
            broken  {"type":"number","default":"5"}
            broken  {"type":"integer","default":1.5}
            broken  {"type":"boolean","default":"true"}
            broken  {"type":"array","items":{"type":"string","enum":["a"]},"default":"a"}
            broken  {"type":"array","items":{"type":"string","enum":["a"]},"default":[1]}
            unclear {"type":"integer","default":3.0}
            silent  {"type":"boolean","default":null}
            silent  {"type":"_mine","default":{}}
            "#,
    );
}

#[test]
fn required_lists_names() {
    let id = "ACP-ELICIT-SCHEMA-039";
    holds_with(
        id,
        r#"opened | form 5 {"type":"object","properties":{"a":{"type":"string"}},"required":$}"#,
        r#"
            upheld  ["a"]
            upheld  []
            upheld  ["b"]
            silent  null
            broken  true
            broken  "a"
            broken  ["a",1]
            broken  {"a":true}
            "#,
    );
    holds_with(
        id,
        PROPERTY,
        r#"
            broken  {"type":"string","required":true}
            silent  {"type":"string"}
            "#,
    );
}

#[test]
fn an_optional_value_may_be_absent() {
    const SCHEMA: &str = r#"{"type":"object","properties":{"name":{"type":"string"},"note":{"type":"string","default":"none"},"more":{"type":"boolean"}},"required":["name"]}"#;
    let id = "ACP-ELICIT-SCHEMA-041";
    let asked = format!("opened | prompt 2 /elicit form | form 5 {SCHEMA}");
    holds(
        id,
        &format!(r#"{asked} | accept 5 {{"name":"A"}}"#),
        r#"
            upheld  what was given :: + says elicited accept {"name":"A"} | done 2
            upheld  null for what was not :: + says elicited accept {"name":"A","note":null,"more":null} | done 2
            upheld  found invalid all the same :: + says invalid answer | done 2
            upheld  asked again :: + form 6
            upheld  the turn fails cleanly :: + fails 2 -32603
            upheld  in words of its own :: + says Hello A, I note none. | done 2
            broken  made up :: + says elicited accept {"name":"A","note":"all well"} | done 2
            broken  the second one made up :: + says elicited accept {"name":"A","more":true} | done 2
            broken  a default, and one made up :: + says elicited accept {"name":"A","note":"none","more":false} | done 2
            broken  crashes :: + exit 1 nothing
            unclear the schema's default, as typed readers fill it in :: + says elicited accept {"name":"A","note":"none"} | done 2
            unclear it hangs, of which the clause does not speak :: + turn-deadline 2
            unclear something else may have ended the process :: + cancelled | exit 1 nothing
            "#,
    );
    holds(
        id,
        &asked,
        r#"
            silent  all were given :: + accept 5 {"name":"A","note":"","more":false} | says elicited accept {} | done 2
            silent  a required one is missing too :: + accept 5 {} | exit 1 nothing
            silent  declined :: + decline 5 | exit 1 nothing
            "#,
    );
    holds(
        id,
        r#"opened | prompt 2 /elicit form | form 5 {"type":"object","properties":{"note":{"type":"string"}}}"#,
        r#"
            upheld  no content, where all is optional :: + accept 5 | says elicited accept {} | done 2
            broken  made up from no content :: + accept 5 null | says elicited accept {"note":"x"} | done 2
            "#,
    );
    holds(
        id,
        r#"opened | prompt 2 /elicit form | form 5 {"type":"object","properties":{"x":{"type":"_mine"}}}"#,
        "silent  only a field that clients may not understand :: + accept 5 {} | exit 1 nothing",
    );
}
