//! Checking answers, and making valid and just-invalid ones.

use std::collections::BTreeSet;

use elenchus_protocol::{
    Version,
    Weight::{self, Unclear, Violation, Warning},
    form::{self, AnswerFault, FieldKind, Form},
};
use proptest::{prelude::*, sample};
use serde_json::Value;

use crate::{
    conforming::{self, Kind, version},
    json, told,
};

/// A property, a value, and what is wrong with it.
type Row<'a> = (&'a str, &'a str, &'a [(AnswerFault, Weight, &'a str)]);

fn read(schema: &str) -> Form {
    form::read(Some(&json(schema)), Version::AcpV1)
}

/// A form of one optional field `f`.
fn one(property: &str) -> Form {
    read(&format!(
        r#"{{"type":"object","properties":{{"f":{property}}}}}"#
    ))
}

const TEXT: &str = r#"{"type":"string","minLength":2,"maxLength":3}"#;
const CHOICE: &str = r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#;
const NUMBER: &str = r#"{"type":"number","minimum":0.5,"maximum":2}"#;
const INTEGER: &str = r#"{"type":"integer","minimum":-2,"maximum":9007199254740993}"#;
const BOOLEAN: &str = r#"{"type":"boolean"}"#;
const SELECT: &str =
    r#"{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":1,"maxItems":2}"#;
const EXTENSION: &str = r#"{"type":"_colour"}"#;

#[test]
fn a_value_is_checked_by_the_kind_of_its_field() {
    use AnswerFault::{Bounds, Count, Length, NotAChoice, Type};
    let table: &[Row] = &[
        (TEXT, "\"ab\"", &[]),
        (TEXT, "\"abc\"", &[]),
        (TEXT, "\"a\"", &[(Length, Violation, "/content/f")]),
        (TEXT, "\"abcd\"", &[(Length, Violation, "/content/f")]),
        // Code points, not UTF-16 and not bytes; too short by one way of counting only is no clear fault.
        (TEXT, "\"🜁🜂🜃\"", &[]),
        (TEXT, "\"🜁🜂🜃🜄\"", &[(Length, Violation, "/content/f")]),
        (TEXT, "\"🜁\"", &[(Length, Unclear, "/content/f")]),
        (TEXT, "5", &[(Type, Violation, "/content/f")]),
        (TEXT, "[\"ab\"]", &[(Type, Violation, "/content/f")]),
        (CHOICE, "\"a\"", &[]),
        (CHOICE, "\"A\"", &[(NotAChoice, Violation, "/content/f")]),
        (CHOICE, "0", &[(Type, Violation, "/content/f")]),
        (NUMBER, "0.5", &[]),
        (NUMBER, "2", &[]),
        (NUMBER, "1e0", &[]),
        (NUMBER, "0.49", &[(Bounds, Violation, "/content/f")]),
        (NUMBER, "3", &[(Bounds, Violation, "/content/f")]),
        (NUMBER, "\"1\"", &[(Type, Violation, "/content/f")]),
        (INTEGER, "-2", &[]),
        (INTEGER, "9007199254740993", &[]),
        (INTEGER, "-3", &[(Bounds, Violation, "/content/f")]),
        (
            INTEGER,
            "9007199254740994",
            &[(Bounds, Violation, "/content/f")],
        ),
        (INTEGER, "-3.0", &[(Bounds, Violation, "/content/f")]),
        (
            INTEGER,
            "18446744073709551615",
            &[(Bounds, Violation, "/content/f")],
        ),
        (INTEGER, "3.0", &[(Type, Unclear, "/content/f")]),
        (INTEGER, "1e2", &[(Type, Unclear, "/content/f")]),
        (INTEGER, "1.5", &[(Type, Violation, "/content/f")]),
        (INTEGER, "\"3\"", &[(Type, Violation, "/content/f")]),
        (
            r#"{"type":"integer"}"#,
            "9223372036854775808",
            &[(Type, Unclear, "/content/f")],
        ),
        (BOOLEAN, "false", &[]),
        (BOOLEAN, "\"true\"", &[(Type, Violation, "/content/f")]),
        (BOOLEAN, "1", &[(Type, Violation, "/content/f")]),
        (SELECT, "[\"c\"]", &[]),
        (SELECT, "[\"a\",\"a\"]", &[]),
        (SELECT, "[]", &[(Count, Violation, "/content/f")]),
        (
            SELECT,
            "[\"a\",\"b\",\"c\"]",
            &[(Count, Violation, "/content/f")],
        ),
        (SELECT, "\"a\"", &[(Type, Violation, "/content/f")]),
        (
            SELECT,
            "[\"a\",\"d\"]",
            &[(NotAChoice, Violation, "/content/f/1")],
        ),
        (SELECT, "[1]", &[(Type, Violation, "/content/f/0")]),
        (EXTENSION, "\"red\"", &[]),
        (EXTENSION, "[\"red\"]", &[]),
    ];
    for (property, value, expected) in table {
        let content = json(&format!(r#"{{"f":{value}}}"#));
        for version in Version::ALL {
            let problems = one(property).check(Some(&content), version);
            assert_eq!(told(&problems), *expected, "{version} {property} {value}");
        }
    }
}

#[test]
fn v1_closes_the_values_of_extension_fields_and_v2_does_not() {
    for value in ["{}", "[1]", "[\"a\",null]"] {
        let content = json(&format!(r#"{{"f":{value}}}"#));
        let form = one(EXTENSION);
        let v1 = form.check(Some(&content), Version::AcpV1);
        assert_eq!(told(&v1), [(AnswerFault::Type, Violation, "/content/f")]);
        assert_eq!(form.check(Some(&content), Version::AcpV2), []);
    }
}

#[test]
fn null_and_omitted_mean_the_same_of_content_and_of_values() {
    let form = read(
        r#"{"type":"object","required":["a","x"],
            "properties":{"a":{"type":"string"},"b":{"type":"string"},"x":{"type":"_x"}}}"#,
    );
    let missing = [
        (AnswerFault::Missing, Violation, "/content/a"),
        // Nobody has to fill a field that they do not understand.
        (AnswerFault::Missing, Unclear, "/content/x"),
    ];
    for content in ["null", "{}", r#"{"a":null,"b":null,"x":null}"#] {
        let problems = form.check(Some(&json(content)), Version::AcpV1);
        assert_eq!(told(&problems), missing, "{content}");
    }
    assert_eq!(told(&form.check(None, Version::AcpV2)), missing);
}

#[test]
fn content_is_an_object_with_the_members_that_were_asked_for() {
    let form = one(TEXT);
    for content in ["[]", "\"ab\"", "5", "true"] {
        let problems = form.check(Some(&json(content)), Version::AcpV1);
        let expected = [(AnswerFault::NotAnObject, Violation, "/content")];
        assert_eq!(told(&problems), expected, "{content}");
    }
    let problems = form.check(Some(&json(r#"{"g/h":{}}"#)), Version::AcpV1);
    assert_eq!(
        told(&problems),
        [(AnswerFault::Extra, Warning, "/content/g~1h")]
    );
}

#[test]
fn answers_are_as_small_and_as_natural_as_the_form_allows() {
    let table = [
        ("{\"type\":\"string\"}", Some("\"canary\"")),
        (r#"{"type":"string","minLength":8}"#, Some("\"canaryxx\"")),
        (r#"{"type":"string","maxLength":2}"#, Some("\"x\"")),
        (r#"{"type":"string","maxLength":0}"#, Some("\"\"")),
        (
            r#"{"type":"string","format":"email"}"#,
            Some("\"canary@example.com\""),
        ),
        (
            r#"{"type":"string","format":"email","maxLength":9}"#,
            Some("\"x@x.y\""),
        ),
        (r#"{"type":"string","format":"email","maxLength":3}"#, None),
        (
            r#"{"type":"string","format":"uri"}"#,
            Some("\"https://example.com/canary\""),
        ),
        (
            r#"{"type":"string","format":"date"}"#,
            Some("\"2026-01-31\""),
        ),
        (r#"{"type":"string","format":"date","minLength":11}"#, None),
        (
            r#"{"type":"string","format":"date-time"}"#,
            Some("\"2026-01-31T12:00:00Z\""),
        ),
        (
            r#"{"type":"string","format":"hostname"}"#,
            Some("\"canary\""),
        ),
        (
            r#"{"type":"string","pattern":"^x","default":"x1"}"#,
            Some("\"x1\""),
        ),
        (r#"{"type":"string","pattern":"^x"}"#, Some("\"canary\"")),
        (r#"{"type":"string","minLength":3,"maxLength":2}"#, None),
        (r#"{"type":"string","enum":["b","a"]}"#, Some("\"b\"")),
        (r#"{"type":"string","enum":[]}"#, None),
        (r#"{"type":"number"}"#, Some("1")),
        (r#"{"type":"number","minimum":2.5}"#, Some("2.5")),
        (r#"{"type":"number","maximum":0}"#, Some("0")),
        (r#"{"type":"number","minimum":1,"maximum":0}"#, None),
        (r#"{"type":"integer","minimum":7}"#, Some("7")),
        (r#"{"type":"integer","maximum":-7}"#, Some("-7")),
        (r#"{"type":"boolean"}"#, Some("true")),
        (SELECT, Some("[\"a\"]")),
        (
            r#"{"type":"array","items":{"type":"string","enum":["a","a","b"]},"minItems":2}"#,
            Some("[\"a\",\"b\"]"),
        ),
        (
            r#"{"type":"array","items":{"type":"string","enum":["a","a"]},"minItems":2}"#,
            None,
        ),
        (
            r#"{"type":"array","items":{"type":"string","enum":["a"]},"maxItems":0}"#,
            Some("[]"),
        ),
        (EXTENSION, None),
    ];
    for (property, value) in table {
        let optional = one(property);
        assert_eq!(optional.valid("canary"), Some(json("{}")), "{property}");
        let value = value.map(|value| json(&format!(r#"{{"f":{value}}}"#)));
        let filled = value.clone().or_else(|| Some(json("{}")));
        assert_eq!(optional.filled("canary"), filled, "{property}");
        let required = read(&format!(
            r#"{{"type":"object","properties":{{"f":{property}}},"required":["f"]}}"#
        ));
        assert_eq!(required.valid("canary"), value, "{property}");
    }
}

#[test]
fn there_is_an_invalid_answer_for_every_constraint() {
    use AnswerFault::{Bounds, Count, Length, Missing, NotAChoice, NotAnObject, Type};
    let table = [
        (
            TEXT,
            vec![(Type, "7"), (Length, "\"x\""), (Length, "\"canary\"")],
        ),
        (
            r#"{"type":"string","maxLength":7}"#,
            vec![(Type, "7"), (Length, "\"canaryxx\"")],
        ),
        (
            r#"{"type":"string","format":"email","maxLength":20}"#,
            vec![(Type, "7"), (Length, "\"canaryxxx@example.com\"")],
        ),
        (
            r#"{"type":"string","format":"date","maxLength":10}"#,
            vec![(Type, "7")],
        ),
        (
            r#"{"type":"string","pattern":"^a","minLength":3}"#,
            vec![(Type, "7")],
        ),
        (CHOICE, vec![(Type, "7"), (NotAChoice, "\"canary\"")]),
        (
            r#"{"type":"string","enum":["canary"]}"#,
            vec![(Type, "7"), (NotAChoice, "\"canary-\"")],
        ),
        (
            NUMBER,
            vec![(Type, "\"canary\""), (Bounds, "-0.5"), (Bounds, "3")],
        ),
        (
            INTEGER,
            vec![
                (Type, "\"canary\""),
                (Type, "1.5"),
                (Bounds, "-3"),
                (Bounds, "9007199254740994"),
            ],
        ),
        (
            r#"{"type":"integer","minimum":-9223372036854775808,"maximum":0}"#,
            vec![(Type, "\"canary\""), (Bounds, "1")],
        ),
        (BOOLEAN, vec![(Type, "\"true\"")]),
        (
            SELECT,
            vec![
                (Type, "\"a\""),
                (NotAChoice, "[\"canary\"]"),
                (Count, "[]"),
                (Count, "[\"a\",\"b\",\"c\"]"),
            ],
        ),
        (
            r#"{"type":"array","items":{"type":"string","enum":["a"]},"maxItems":1}"#,
            vec![(Type, "\"a\""), (NotAChoice, "[\"canary\"]")],
        ),
        (EXTENSION, vec![]),
    ];
    for (property, wrong) in table {
        let mut expected = vec![(NotAnObject, json("[\"canary\"]"))];
        for (fault, value) in &wrong {
            expected.push((*fault, json(&format!(r#"{{"f":{value}}}"#))));
        }
        assert_eq!(one(property).just_invalid("canary"), expected, "{property}");
        if property == EXTENSION {
            continue;
        }
        expected.insert(1, (Missing, json("{}")));
        let required = read(&format!(
            r#"{{"type":"object","properties":{{"f":{property}}},"required":["f"]}}"#
        ));
        assert_eq!(required.just_invalid("canary"), expected, "{property}");
    }
}

/// A conforming form without what no client has to understand.
pub(crate) fn answerable() -> impl Strategy<Value = (Version, Value)> {
    let kinds: Vec<Kind> = Kind::ALL
        .into_iter()
        .filter(|kind| !matches!(kind, Kind::Extension | Kind::ExtensionItems))
        .collect();
    version()
        .prop_flat_map(move |version| (Just(version), conforming::form_of(kinds.clone(), version)))
}

proptest! {
    #[test]
    fn conforming_forms_can_be_answered((version, schema) in answerable()) {
        let form = form::read(Some(&schema), version);
        let (valid, filled) = (form.valid("canary"), form.filled("canary"));
        prop_assert!(valid.is_some());
        for answer in [&valid, &filled] {
            prop_assert_eq!(form.check(answer.as_ref(), version), vec![]);
        }
        let filled = filled.expect("since there is a valid one"); // of which it is an extension
        for field in &form.fields {
            prop_assert!(filled.get(&field.name).is_some(), "{}", field.name);
        }
    }

    #[test]
    fn the_canary_stands_wherever_there_is_room((version, schema) in answerable()) {
        let form = form::read(Some(&schema), version);
        let filled = form.filled("canary").expect("answerable");
        for field in &form.fields {
            let FieldKind::Text { max, pattern, format, .. } = &field.kind else { continue };
            let fixed = matches!(format.as_deref(), Some("date" | "date-time")) || pattern.is_some();
            if !fixed && max.is_none_or(|max| max >= 6) {
                let text = filled[&field.name].as_str().unwrap_or_default();
                prop_assert!(text.contains("canary"), "{}", text);
            }
        }
    }

    #[test]
    fn making_answers_is_deterministic((version, schema) in answerable()) {
        let make = || {
            let form = form::read(Some(&schema), version);
            (form.valid("c"), form.filled("c"), form.just_invalid("c"))
        };
        prop_assert_eq!(make(), make());
    }

    #[test]
    fn a_form_with_every_kind_can_be_answered_wrongly_in_every_way(
        properties in Kind::ALL.map(|kind| conforming::property(kind, Version::AcpV1)),
        version in sample::select(Version::ALL.to_vec()),
    ) {
        use AnswerFault::{Bounds, Count, Length, Missing, NotAChoice, NotAnObject, Type};
        let mut schema = json(
            r#"{"type":"object","required":["short"],"properties":{
                "short":{"type":"string","maxLength":3},"low":{"type":"number","maximum":3},
                "few":{"type":"array","items":{"type":"string","enum":["a"]},"minItems":1}}}"#,
        );
        for (index, property) in properties.into_iter().enumerate() {
            schema["properties"][format!("p{index}")] = property;
        }
        let form = form::read(Some(&schema), version);
        let faults: BTreeSet<AnswerFault> = form
            .just_invalid("canary")
            .into_iter()
            .map(|(fault, _)| fault)
            .collect();
        let all = [NotAnObject, Missing, Type, NotAChoice, Length, Bounds, Count];
        prop_assert_eq!(faults, BTreeSet::from(all));
    }
}
