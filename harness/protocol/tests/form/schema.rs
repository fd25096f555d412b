//! Reading form schemas.

use elenchus_protocol::{
    Version,
    form::{self, Feature, FieldKind, SchemaFault},
};
use proptest::prelude::*;
use serde_json::Value;

use crate::{
    always, column,
    conforming::{self, Kind, version},
    json,
    mutations::{On, SCHEMA, SchemaMutation},
    put, told,
};

/// The place of the property that is mutated; its name, `a/b~c`, has to be escaped.
const PLACE: &str = "/properties/a~1b~0c";

/// A conforming form, and a conforming property to mutate.
fn material(mutation: &SchemaMutation, version: Version) -> impl Strategy<Value = (Value, Value)> {
    let kind = match mutation.on {
        On::Property(kind) => kind,
        On::Schema | On::Root => Kind::Boolean,
    };
    (
        conforming::form(version),
        conforming::property(kind, version),
    )
}

/// The mutated schema, and the pointer that its problem should have.
fn mutate(
    mut schema: Value,
    property: Value,
    mutation: &SchemaMutation,
) -> (Option<Value>, String) {
    let (place, prefix) = match mutation.on {
        On::Schema => {
            let value = mutation.edits.first().and_then(|(_, value)| *value);
            return (value.map(json), "/requestedSchema".to_owned());
        }
        On::Root => ("", "/requestedSchema".to_owned()),
        On::Property(_) => (PLACE, format!("/requestedSchema{PLACE}")),
    };
    put(&mut schema, PLACE, Some(property));
    for (pointer, value) in mutation.edits {
        put(&mut schema, &format!("{place}{pointer}"), value.map(json));
    }
    (Some(schema), prefix + mutation.at)
}

proptest! {
    #[test]
    fn conforming_forms_have_no_problem(
        (version, schema) in version().prop_flat_map(|version| (Just(version), conforming::form(version)))
    ) {
        let form = form::read(Some(&schema), version);
        prop_assert_eq!(told(&form.problems), vec![]);
    }

    #[test]
    fn every_property_is_read_in_the_order_sent(
        (version, schema) in version().prop_flat_map(|version| (Just(version), conforming::form(version)))
    ) {
        let form = form::read(Some(&schema), version);
        let sent = schema["properties"].as_object().expect("conforming");
        let required: Vec<_> = schema["required"].as_array().cloned().unwrap_or_default();
        prop_assert_eq!(form.fields.len(), sent.len());
        for (field, (name, property)) in form.fields.iter().zip(sent) {
            prop_assert_eq!(&field.name, name);
            prop_assert_eq!(field.required, required.contains(&Value::from(&**name)));
            if field.kind != FieldKind::Other {
                prop_assert_eq!(field.title.as_deref(), property["title"].as_str());
                prop_assert_eq!(field.description.as_deref(), property["description"].as_str());
                prop_assert_eq!(field.default.as_ref().unwrap_or(&Value::Null), &property["default"]);
            }
        }
    }
}

#[test]
fn a_mutation_has_exactly_its_own_fault() {
    for (mutation, version) in SCHEMA
        .iter()
        .flat_map(|mutation| Version::ALL.map(|version| (mutation, version)))
    {
        always(&material(mutation, version), |(schema, property)| {
            let (schema, pointer) = mutate(schema, property, mutation);
            let form = form::read(schema.as_ref(), version);
            let expected: Vec<_> = mutation.weight[column(version)]
                .map(|weight| (mutation.fault, weight, pointer.as_str()))
                .into_iter()
                .collect();
            assert_eq!(told(&form.problems), expected, "{version} {mutation:?}");
        });
    }
}

#[test]
fn every_fault_of_schemas_is_made_by_some_mutation() {
    use SchemaFault as F;
    let all = [
        F::NotAnObject,
        F::Root,
        F::Nested,
        F::NoType,
        F::UnknownType,
        F::Length,
        F::PatternInV2,
        F::FormatInV1,
        F::Enum,
        F::EmptyChoice,
        F::OneOf,
        F::EnumNames,
        F::Bounds,
        F::Default,
        F::ForeignKeyword,
        F::Items,
        F::UntitledItems,
        F::TitledItems,
        F::TitledItemsWithType,
        F::ItemCount,
        F::Required,
        F::ItemType,
        F::Label,
    ];
    for fault in all {
        assert!(
            SCHEMA
                .iter()
                .any(|m| m.fault == fault && m.weight != [None, None]),
            "{fault:?}"
        );
    }
}

/// One property, read alone.
fn field(property: &str, version: Version) -> FieldKind {
    let schema = json(&format!(
        r#"{{"type":"object","properties":{{"p":{property}}}}}"#
    ));
    form::read(Some(&schema), version).fields.remove(0).kind
}

fn choices(kind: &FieldKind) -> Vec<(&str, Option<&str>)> {
    let (FieldKind::Choice(options) | FieldKind::MultiSelect { options, .. }) = kind else {
        panic!("{kind:?}");
    };
    options
        .iter()
        .map(|option| (option.value.as_str(), option.title.as_deref()))
        .collect()
}

#[test]
fn constraints_are_read_and_unreadable_ones_dropped() {
    let text = |min, max, pattern: Option<&str>, format: Option<&str>| FieldKind::Text {
        min,
        max,
        pattern: pattern.map(str::to_owned),
        format: format.map(str::to_owned),
    };
    let table = [
        (r#"{"type":"string"}"#, text(None, None, None, None)),
        (
            r#"{"type":"string","minLength":1,"maxLength":2.0,"pattern":"^a","format":"email"}"#,
            text(Some(1), Some(2), Some("^a"), Some("email")),
        ),
        (
            r#"{"type":"string","minLength":"1","maxLength":-2,"pattern":5,"format":[]}"#,
            text(None, None, None, None),
        ),
        (
            r#"{"type":"number","minimum":-1,"maximum":2.5}"#,
            FieldKind::Number {
                min: Some(-1.0),
                max: Some(2.5),
            },
        ),
        (
            r#"{"type":"integer","minimum":1e2,"maximum":9223372036854775807}"#,
            FieldKind::Integer {
                min: Some(100),
                max: Some(i64::MAX),
            },
        ),
        (
            r#"{"type":"integer","minimum":1.5,"maximum":1e30}"#,
            FieldKind::Integer {
                min: None,
                max: None,
            },
        ),
        (r#"{"type":"boolean"}"#, FieldKind::Boolean),
        (r#"{"type":"_colour"}"#, FieldKind::Other),
        (r#"{"type":"object"}"#, FieldKind::Other),
        (r#"{"type":"string","enum":[1]}"#, FieldKind::Other),
        (
            r#"{"type":"array","items":{"type":"string"}}"#,
            FieldKind::Other,
        ),
        ("5", FieldKind::Other),
    ];
    for (property, kind) in table {
        assert_eq!(field(property, Version::AcpV1), kind, "{property}");
    }
    let patterned = field(r#"{"type":"string","pattern":"^a"}"#, Version::AcpV2);
    assert_eq!(patterned, text(None, None, None, None));
}

#[test]
fn choices_are_read_from_every_place_they_may_stand() {
    for (property, expected) in [
        (
            r#"{"type":"string","enum":["a","b"]}"#,
            vec![("a", None), ("b", None)],
        ),
        (
            r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#,
            vec![("a", Some("A"))],
        ),
        (
            r#"{"type":"string","enum":["x","a"],"oneOf":[{"const":"b","title":"B"},{"const":"a","title":"A"}]}"#,
            vec![("a", Some("A")), ("x", None), ("b", Some("B"))],
        ),
        (
            r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#,
            vec![("a", None)],
        ),
        (
            r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#,
            vec![("a", Some("A"))],
        ),
        (
            r#"{"type":"array","items":{"type":"string","anyOf":[{"const":"a","title":"A"}]}}"#,
            vec![("a", Some("A"))],
        ),
    ] {
        for version in Version::ALL {
            assert_eq!(choices(&field(property, version)), expected, "{property}");
        }
    }
}

#[test]
fn features_tell_which_clauses_a_form_can_break() {
    use Feature as F;
    for (property, expected) in [
        (r#"{"type":"boolean"}"#, vec![]),
        (r#"{"type":"boolean","default":false}"#, vec![F::Default]),
        (r#"{"type":"boolean","default":null}"#, vec![]),
        (r#"{"type":"string"}"#, vec![F::StringProperty]),
        (
            r#"{"type":"string","maxLength":"3"}"#,
            vec![F::Length, F::StringProperty],
        ),
        (
            r#"{"type":"string","format":"date"}"#,
            vec![F::StringProperty, F::Format],
        ),
        (
            r#"{"type":"string","enum":[1]}"#,
            vec![F::StringProperty, F::Enum, F::Choice],
        ),
        (
            r#"{"type":"string","oneOf":[]}"#,
            vec![F::StringProperty, F::OneOf, F::Choice],
        ),
        (r#"{"type":"number"}"#, vec![]),
        (r#"{"type":"number","default":1}"#, vec![F::Default]),
        (r#"{"type":"number","minimum":"1"}"#, vec![F::Bounds]),
        (
            r#"{"type":"integer","default":1}"#,
            vec![F::Bounds, F::Default],
        ),
        (r#"{"type":"array"}"#, vec![F::MultiSelect]),
        (
            r#"{"type":"array","items":{"type":"string","enum":["a"]},"minItems":0}"#,
            vec![F::Choice, F::MultiSelect, F::UntitledItems, F::ItemCount],
        ),
        (
            r#"{"type":"array","items":{"anyOf":[]}}"#,
            vec![F::Choice, F::MultiSelect, F::TitledItems],
        ),
        (r#"{"type":"_x","enum":["a"],"default":1}"#, vec![]),
    ] {
        let schema = json(&format!(
            r#"{{"type":"object","properties":{{"p":{property}}}}}"#
        ));
        let mut all = vec![F::Property];
        all.extend(expected);
        for version in Version::ALL {
            let form = form::read(Some(&schema), version);
            assert_eq!(form.features, all, "{property}");
        }
    }
    let bare = json(r#"{"type":"object","properties":{},"required":[]}"#);
    let form = form::read(Some(&bare), Version::AcpV1);
    assert_eq!(form.features, [F::Required]);
}

#[test]
fn a_problem_shows_what_stands_and_what_may() {
    let schema =
        json(r#"{"type":"object","properties":{"a":{"type":"string","minLength":"3"},"b":{}}}"#);
    let problems = form::read(Some(&schema), Version::AcpV1).problems;
    let shown: Vec<_> = problems
        .iter()
        .map(|problem| (&*problem.got, &*problem.expected))
        .collect();
    assert_eq!(shown[0], ("\"3\"", "a non-negative integer of 32 bits"));
    assert_eq!(shown[1].0, "absent");
}
