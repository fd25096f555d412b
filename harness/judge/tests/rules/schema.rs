//! ELICIT-SCHEMA.

use crate::{
    common::Verdict::{self, Broken, Silent, Unclear, Upheld},
    talk::{holds, holds_in},
};

/// Holds a clause to what it says of forms with one property, in all versions of the requirement.
fn property(id: &str, rows: &[(Verdict, &str)]) {
    for (verdict, property) in rows {
        let schema = format!(r#"{{"type":"object","properties":{{"a":{property}}}}}"#);
        holds(id, &format!("opened | form 5 {schema}"), &[(*verdict, property, "+ settled")]);
    }
}

/// The same in one version.
fn property_in(version: &str, id: &str, rows: &[(Verdict, &str)]) {
    for (verdict, property) in rows {
        let schema = format!(r#"{{"type":"object","properties":{{"a":{property}}}}}"#);
        holds_in(version, id, &format!("opened | form 5 {schema}"), &[(*verdict, property, "+ settled")]);
    }
}

#[test]
fn every_property_has_a_type_of_the_grammar() {
    property("ACP-ELICIT-SCHEMA-001", &[
        (Upheld, r#"{"type":"string"}"#),
        (Upheld, r#"{"type":"password"}"#),
        (Broken, r#"{"enum":["a"]}"#),
        (Broken, r#"{"type":null}"#),
        (Broken, r#"{"type":["string","null"]}"#),
        (Broken, r#"{"type":5}"#),
        (Broken, "true"),
    ]);
    property("ACP-ELICIT-SCHEMA-003", &[
        (Upheld, r#"{"type":"boolean"}"#),
        (Upheld, r#"{"type":"_colour","anything":[{}]}"#),
        (Upheld, r#"{"type":"object"}"#),
        (Upheld, r#"{"enum":["a"]}"#),
        (Broken, r#"{"type":"password"}"#),
        (Broken, r#"{"type":"null"}"#),
        (Broken, r#"{"type":"String"}"#),
        (Broken, r#"{"type":""}"#),
    ]);
    for id in ["ACP-ELICIT-SCHEMA-001", "ACP-ELICIT-SCHEMA-003"] {
        holds(id, "opened", &[
            (Silent, "no properties", r#"+ form 5 {"type":"object","properties":{}}"#),
            (Silent, "url mode", "+ url 5"),
        ]);
    }
}

#[test]
fn lengths_and_counts_are_whole_and_not_negative() {
    let bounds = |id: &str, low: &str, high: &str, rest: &str| {
        for (verdict, value) in [
            (Upheld, "0"),
            (Upheld, "3"),
            (Silent, "null"),
            (Unclear, "3.0"),
            (Unclear, "1e1"),
            (Broken, "-1"),
            (Broken, "1.5"),
            (Broken, r#""3""#),
            (Broken, "true"),
        ] {
            property(id, &[
                (verdict, &format!(r#"{{{rest},"{low}":{value}}}"#)),
                (verdict, &format!(r#"{{{rest},"{high}":{value}}}"#)),
            ]);
        }
        property(id, &[(Silent, &format!("{{{rest}}}")), (Upheld, &format!(r#"{{{rest},"{low}":9,"{high}":2}}"#))]);
    };
    bounds("ACP-ELICIT-SCHEMA-007", "minLength", "maxLength", r#""type":"string""#);
    bounds("ACP-ELICIT-SCHEMA-037", "minItems", "maxItems", r#""type":"array","items":{"type":"string","enum":["a"]}"#);
    property("ACP-ELICIT-SCHEMA-007", &[
        (Upheld, r#"{"type":"string","maxLength":4294967295}"#),
        (Unclear, r#"{"type":"string","maxLength":4294967296}"#),
        (Silent, r#"{"type":"integer","minLength":"3"}"#),
    ]);
}

#[test]
fn keywords_of_other_versions_and_schemas_are_warned_of() {
    property("ACP-ELICIT-SCHEMA-011", &[
        (Upheld, r#"{"type":"string"}"#),
        (Upheld, r#"{"type":"string","pattern":null}"#),
        (Broken, r#"{"type":"string","pattern":"^a"}"#),
        (Silent, r#"{"type":"boolean"}"#),
    ]);
    property("ACP-ELICIT-SCHEMA-013", &[
        (Upheld, r#"{"type":"string","format":"email"}"#),
        (Upheld, r#"{"type":"string","format":"date-time"}"#),
        (Broken, r#"{"type":"string","format":"hostname"}"#),
        (Broken, r#"{"type":"string","format":"Email"}"#),
        (Silent, r#"{"type":"string","format":null}"#),
        (Silent, r#"{"type":"string"}"#),
    ]);
    property("ACP-ELICIT-SCHEMA-021", &[
        (Upheld, r#"{"type":"string","enum":["a"]}"#),
        (Broken, r#"{"type":"string","enum":["a"],"enumNames":["A"]}"#),
        (Broken, r#"{"type":"array","items":{"type":"string","enum":["a"],"enumNames":["A"]}}"#),
        (Silent, r#"{"type":"string"}"#),
    ]);
    property("ACP-ELICIT-SCHEMA-030", &[
        (Upheld, r#"{"type":"string","title":"A","_meta":{"x":1},"enumNames":["A"]}"#),
        (Upheld, r#"{"type":"string","pattern":null,"const":null}"#),
        (Upheld, r#"{"type":"_mine","const":1}"#),
        (Broken, r#"{"type":"number","exclusiveMinimum":0}"#),
        (Broken, r#"{"type":"integer","multipleOf":2}"#),
        (Broken, r#"{"type":"string","allOf":[{"minLength":1}]}"#),
        (Broken, r#"{"type":"array","items":{"type":"string","enum":["a"]},"uniqueItems":true}"#),
    ]);
    holds("ACP-ELICIT-SCHEMA-030", "opened", &[
        (Broken, "a dialect at the root", r#"+ form 5 {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"string"}}}"#),
        (Broken, "what model libraries add", r#"+ form 5 {"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}"#),
    ]);
}

#[test]
fn single_choices_are_lists_of_strings_or_of_titled_ones() {
    property("ACP-ELICIT-SCHEMA-016", &[
        (Upheld, r#"{"type":"string","enum":["a","a"]}"#),
        (Broken, r#"{"type":"string","enum":[1,2,3]}"#),
        (Broken, r#"{"type":"string","enum":["a",null]}"#),
        (Broken, r#"{"type":"string","enum":"a"}"#),
        (Broken, r#"{"type":"string","enum":{"a":"A"}}"#),
        (Silent, r#"{"type":"string","enum":null}"#),
        (Silent, r#"{"type":"string"}"#),
    ]);
    property("ACP-ELICIT-SCHEMA-019", &[
        (Upheld, r#"{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"","description":null}]}"#),
        (Broken, r#"{"type":"string","oneOf":[{"const":"a"}]}"#),
        (Broken, r#"{"type":"string","oneOf":[{"title":"A"}]}"#),
        (Broken, r#"{"type":"string","oneOf":[{"const":1,"title":"A"}]}"#),
        (Broken, r#"{"type":"string","oneOf":[{"const":"a","title":null}]}"#),
        (Broken, r#"{"type":"string","oneOf":["a"]}"#),
        (Broken, r#"{"type":"string","oneOf":{"a":"A"}}"#),
        (Silent, r#"{"type":"string","oneOf":null}"#),
    ]);
    let empty = [
        r#"{"type":"string","enum":[]}"#,
        r#"{"type":"string","oneOf":[]}"#,
        r#"{"type":"array","items":{"type":"string","enum":[]}}"#,
        r#"{"type":"array","items":{"anyOf":[]}}"#,
    ];
    let id = "ACP-ELICIT-SCHEMA-017";
    property(id, &empty.map(|property| (Broken, property)));
    property(id, &[
        (Upheld, r#"{"type":"string","enum":["a"]}"#),
        (Upheld, r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#),
        (Silent, r#"{"type":"string"}"#),
    ]);
    // In v1 an empty list is legal, and worth a remark.
    property_in("v1", id, &empty.map(|property| (Upheld, property)));
}

#[test]
fn multi_selects_say_what_may_be_selected() {
    const UNTITLED: &str = r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#;
    const TITLED: &str = r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#;
    property("ACP-ELICIT-SCHEMA-032", &[
        (Upheld, UNTITLED),
        (Upheld, TITLED),
        (Upheld, r#"{"type":"array","items":{}}"#),
        (Broken, r#"{"type":"array","enum":["a"]}"#),
        (Broken, r#"{"type":"array","items":null}"#),
        (Broken, r#"{"type":"array","items":[{"type":"string"}]}"#),
        (Broken, r#"{"type":"array","items":true}"#),
        (Silent, r#"{"type":"string","items":true}"#),
    ]);
    property("ACP-ELICIT-SCHEMA-033", &[
        (Upheld, UNTITLED),
        (Broken, r#"{"type":"array","items":{"type":"string"}}"#),
        (Broken, r#"{"type":"array","items":{"type":"string","enum":null}}"#),
        (Broken, r#"{"type":"array","items":{"enum":["a"]}}"#),
        (Broken, r#"{"type":"array","items":{"type":"string","enum":[1]}}"#),
        (Silent, TITLED),
        (Silent, r#"{"type":"array","items":{"type":"_mine"}}"#),
        (Silent, r#"{"type":"array","items":{"type":"object"}}"#),
    ]);
    property("ACP-ELICIT-SCHEMA-034", &[
        (Upheld, TITLED),
        (Broken, r#"{"type":"array","items":{"oneOf":[{"const":"a","title":"A"}]}}"#),
        (Broken, r#"{"type":"array","items":{"type":"string","oneOf":[{"const":"a","title":"A"}]}}"#),
        (Broken, r#"{"type":"array","items":{"anyOf":[{"const":"a"}]}}"#),
        (Broken, r#"{"type":"array","items":{"anyOf":["a"]}}"#),
        (Silent, UNTITLED),
        (Silent, r#"{"type":"array","items":{"type":"_mine","oneOf":[]}}"#),
    ]);
    property("ACP-ELICIT-SCHEMA-035", &[
        (Upheld, TITLED),
        (Broken, r#"{"type":"array","items":{"type":"string","anyOf":[{"const":"a","title":"A"}]}}"#),
        (Unclear, r#"{"type":"array","items":{"type":null,"anyOf":[{"const":"a","title":"A"}]}}"#),
        (Silent, UNTITLED),
    ]);
    property("ACP-ELICIT-SCHEMA-046", &[
        (Upheld, UNTITLED),
        (Upheld, TITLED),
        (Upheld, r#"{"type":"array","items":{"type":"_mine"}}"#),
        (Upheld, r#"{"type":"array","items":{"type":"object"}}"#),
        (Broken, r#"{"type":"array","items":{"type":"integer","enum":[1,2]}}"#),
        (Broken, r#"{"type":"array","items":{"type":"file"}}"#),
        (Silent, r#"{"type":"string"}"#),
    ]);
}

#[test]
fn bounds_and_defaults_have_the_type_of_their_property() {
    property("ACP-ELICIT-SCHEMA-022", &[
        (Upheld, r#"{"type":"number","minimum":1.5,"maximum":-1e3}"#),
        (Upheld, r#"{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}"#),
        (Broken, r#"{"type":"integer","minimum":1.5}"#),
        (Broken, r#"{"type":"integer","maximum":"5"}"#),
        (Broken, r#"{"type":"number","minimum":"0"}"#),
        (Broken, r#"{"type":"number","maximum":true}"#),
        (Unclear, r#"{"type":"integer","minimum":1.0}"#),
        (Unclear, r#"{"type":"integer","maximum":9223372036854775808}"#),
        (Silent, r#"{"type":"integer","minimum":null}"#),
        (Silent, r#"{"type":"string","minimum":"0"}"#),
    ]);
    property("ACP-ELICIT-SCHEMA-026", &[
        (Upheld, r#"{"type":"string","default":""}"#),
        (Upheld, r#"{"type":"string","enum":["a"],"default":"b"}"#),
        (Upheld, r#"{"type":"number","maximum":1,"default":3}"#),
        (Upheld, r#"{"type":"integer","default":-3}"#),
        (Upheld, r#"{"type":"boolean","default":false}"#),
        (Upheld, r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":[]}"#),
        (Broken, r#"{"type":"string","default":5}"#),
        (Broken, r#"{"type":"number","default":"5"}"#),
        (Broken, r#"{"type":"integer","default":1.5}"#),
        (Broken, r#"{"type":"boolean","default":"true"}"#),
        (Broken, r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":"a"}"#),
        (Broken, r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":[1]}"#),
        (Unclear, r#"{"type":"integer","default":3.0}"#),
        (Silent, r#"{"type":"boolean","default":null}"#),
        (Silent, r#"{"type":"_mine","default":{}}"#),
    ]);
}

#[test]
fn required_lists_names() {
    let id = "ACP-ELICIT-SCHEMA-039";
    let schema = |required: &str| {
        format!(r#"opened | form 5 {{"type":"object","properties":{{"a":{{"type":"string"}}}},"required":{required}}}"#)
    };
    for (verdict, required) in [
        (Upheld, r#"["a"]"#),
        (Upheld, "[]"),
        (Upheld, r#"["b"]"#),
        (Silent, "null"),
        (Broken, "true"),
        (Broken, r#""a""#),
        (Broken, r#"["a",1]"#),
        (Broken, r#"{"a":true}"#),
    ] {
        holds(id, &schema(required), &[(verdict, required, "+ settled")]);
    }
    property(id, &[
        (Broken, r#"{"type":"string","required":true}"#),
        (Silent, r#"{"type":"string"}"#),
    ]);
}

#[test]
fn an_optional_value_may_be_absent() {
    const SCHEMA: &str = r#"{"type":"object","properties":{"name":{"type":"string"},"note":{"type":"string","default":"none"},"more":{"type":"boolean"}},"required":["name"]}"#;
    let id = "ACP-ELICIT-SCHEMA-041";
    let asked = format!("opened | prompt 2 /elicit form | form 5 {SCHEMA}");
    holds(id, &format!(r#"{asked} | accept 5 {{"name":"A"}}"#), &[
        (Upheld, "what was given", r#"+ says elicited accept {"name":"A"} | done 2"#),
        (Upheld, "null for what was not", r#"+ says elicited accept {"name":"A","note":null,"more":null} | done 2"#),
        (Upheld, "found invalid all the same", "+ says invalid answer | done 2"),
        (Upheld, "asked again", "+ form 6"),
        (Upheld, "the turn fails cleanly", "+ fails 2 -32603"),
        (Upheld, "in words of its own", "+ says Hello A, I note none. | done 2"),
        (Broken, "made up", r#"+ says elicited accept {"name":"A","note":"all well"} | done 2"#),
        (Broken, "the second one made up", r#"+ says elicited accept {"name":"A","more":true} | done 2"#),
        (Broken, "a default, and one made up", r#"+ says elicited accept {"name":"A","note":"none","more":false} | done 2"#),
        (Broken, "crashes", "+ exit 1 nothing"),
        (Unclear, "the schema's default, as typed readers fill it in", r#"+ says elicited accept {"name":"A","note":"none"} | done 2"#),
        (Unclear, "it hangs, of which the clause does not speak", "+ turn-deadline 2"),
        (Unclear, "something else may have ended the process", "+ cancelled | exit 1 nothing"),
    ]);
    holds(id, &asked, &[
        (Silent, "all were given", r#"+ accept 5 {"name":"A","note":"","more":false} | says elicited accept {} | done 2"#),
        (Silent, "a required one is missing too", "+ accept 5 {} | exit 1 nothing"),
        (Silent, "declined", "+ decline 5 | exit 1 nothing"),
    ]);
    holds(id, r#"opened | prompt 2 /elicit form | form 5 {"type":"object","properties":{"note":{"type":"string"}}}"#, &[
        (Upheld, "no content, where all is optional", "+ accept 5 | says elicited accept {} | done 2"),
        (Broken, "made up from no content", r#"+ accept 5 null | says elicited accept {"note":"x"} | done 2"#),
    ]);
    holds(id, r#"opened | prompt 2 /elicit form | form 5 {"type":"object","properties":{"x":{"type":"_mine"}}}"#, &[
        (Silent, "only a field that clients may not understand", "+ accept 5 {} | exit 1 nothing"),
    ]);
}
