//! ELICIT-SCHEMA: values.

use crate::{clients::holds, table::versions};

/// A form with one property, accepted with each of these values.
fn values(id: &str, property: &str, table: &str) {
    assert!(versions(id).next().is_some());
    let start = format!(r#"serves | form 7 {{"type":"object","properties":{{"p":{property}}}}}"#);
    let table: Vec<String> = table
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (verdict, value) = line.split_once(' ').expect("VERDICT VALUE");
            let value = value.trim();
            format!(r#"{verdict} {value} :: + accept 7 {{"p":{value}}}"#)
        })
        .collect();
    holds(id, &start, &table.join("\n"));
}

#[test]
fn texts_keep_their_length() {
    values(
        "ACP-ELICIT-SCHEMA-008",
        r#"{"type":"string","minLength":2,"maxLength":3}"#,
        r#"
        upheld "ab"
        upheld "🦀🦀🦀"
        broken "abcd"
        broken "a"
        unclear "é"
        silent 7
        silent null
        "#,
    );
    values(
        "ACP-ELICIT-SCHEMA-008",
        r#"{"type":"string"}"#,
        r#"silent "a""#,
    );
}

#[test]
fn texts_match_their_pattern() {
    values(
        "ACP-ELICIT-SCHEMA-009",
        r#"{"type":"string","pattern":"^[a-z]+$"}"#,
        r#"
        upheld "abc"
        broken "aBc"
        broken ""
        "#,
    );
    values(
        "ACP-ELICIT-SCHEMA-009",
        r#"{"type":"string","pattern":"a|b"}"#,
        r#"unclear "c""#,
    );
}

#[test]
fn texts_have_their_format() {
    values(
        "ACP-ELICIT-SCHEMA-012",
        r#"{"type":"string","format":"date"}"#,
        r#"
        upheld "2026-11-29"
        broken "29/11/2026"
        silent 7
        "#,
    );
    values(
        "ACP-ELICIT-SCHEMA-012",
        r#"{"type":"string","format":"color"}"#,
        r#"silent "x""#,
    );
}

const TITLED: &str =
    r#"{"type":"string","oneOf":[{"const":"a","title":"First"},{"const":"b","title":"Second"}]}"#;

#[test]
fn a_choice_is_one_of_the_constants() {
    values(
        "ACP-ELICIT-SCHEMA-018",
        TITLED,
        r#"
        upheld "a"
        broken "c"
        broken 0
        broken ["a"]
        silent "First"
        "#,
    );
    values(
        "ACP-ELICIT-SCHEMA-020",
        TITLED,
        r#"
        upheld "a"
        broken "First"
        silent "c"
        "#,
    );
    let several = r#"{"type":"array","maxItems":1,"items":{"anyOf":[{"const":"a","title":"First"},{"const":"b","title":"Second"}]}}"#;
    values("ACP-ELICIT-SCHEMA-020", several, r#"broken ["Second"]"#);
    values(
        "ACP-ELICIT-SCHEMA-038",
        several,
        r#"
        upheld ["a"]
        upheld []
        broken "a"
        broken ["c"]
        broken ["a","b"]
        silent ["First"]
        "#,
    );
}

#[test]
fn numbers_keep_their_bounds_and_kinds() {
    values(
        "ACP-ELICIT-SCHEMA-023",
        r#"{"type":"integer","minimum":1,"maximum":3}"#,
        r#"
        upheld 1
        upheld 3
        broken 0
        broken 4
        silent "x"
        "#,
    );
    values(
        "ACP-ELICIT-SCHEMA-024",
        r#"{"type":"integer"}"#,
        r#"
        upheld 9007199254740991
        broken "3"
        broken 1.5
        unclear 3.0
        "#,
    );
    values(
        "ACP-ELICIT-SCHEMA-025",
        r#"{"type":"boolean"}"#,
        r#"
        upheld false
        broken "true"
        broken 1
        "#,
    );
    let entered = r#"serves | answers [{"action":"accept","content":{"p":3}}] | form 7 {"type":"object","properties":{"p":{"type":"integer","maximum":3}}}"#;
    holds(
        "ACP-ELICIT-SCHEMA-023",
        entered,
        r#"
        upheld  on the bound :: + accept 7 {"p":3}
        broken  refused :: + cancel 7
        silent  taken back :: + withdraws 7 | cancel 7
        "#,
    );
    holds(
        "ACP-ELICIT-SCHEMA-024",
        entered,
        r#"
        upheld  as entered :: + accept 7 {"p":3}
        broken  another :: + accept 7 {"p":2}
        "#,
    );
}

#[test]
fn what_is_required_is_there_under_its_name() {
    holds(
        "ACP-ELICIT-SCHEMA-040",
        "serves | form 7",
        r#"
        upheld  there :: + accept 7 {"name":"a"}
        broken  not there :: + accept 7 {}
        broken  no content :: + accept 7
        broken  null :: + accept 7 {"name":null}
        silent  nothing is required :: serves | form 7 {"type":"object","properties":{}} | accept 7
        "#,
    );
    holds(
        "ACP-ELICIT-SCHEMA-043",
        r#"serves | form 7 {"type":"object","properties":{"a.b":{"type":"string"}},"required":["a.b"]}"#,
        r#"
        upheld  as it is :: + accept 7 {"a.b":"x"}
        broken  taken apart :: + accept 7 {"a":{"b":"x"}}
        silent  plain names :: serves | form 7 | accept 7 {}
        "#,
    );
}
