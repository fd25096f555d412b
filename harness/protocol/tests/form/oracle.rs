//! A general JSON Schema validator says the same of an answer to a form that conforms.

use elenchus_protocol::{Version, Weight, form};
use proptest::{collection, prelude::*, sample};
use serde_json::{Map, Value, json};

use crate::{
    answers::answerable,
    conforming::text,
    general::{content, schema},
};

/// What someone might answer: of every type, at the edges of what forms bound.
fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-6..6_i64).prop_map(Value::from),
        sample::select(vec![json!(0.5), json!(1e300), json!(-1e300)]),
        text().prop_map(Value::from),
        "x{0,200}".prop_map(Value::from),
        collection::vec(text(), 0..4).prop_map(Value::from),
    ]
}

/// An integer beyond what a double holds exactly: to typed readers bounds are doubles, to others decimals.
fn huge(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_none_or(|float| float.abs() >= 9e15),
        Value::Array(members) => members.iter().any(huge),
        Value::Object(members) => members.values().any(huge),
        _ => false,
    }
}

/// Both of them on an answer, where the texts agree on it at all.
fn agree(version: Version, asked: &Value, answer: &Value) -> Result<bool, TestCaseError> {
    let form = form::read(Some(asked), version);
    prop_assert_eq!(&form.problems, &[]);
    let Some(general) = schema(asked) else {
        return Ok(false);
    };
    let general = jsonschema::draft202012::new(&general)
        .map_err(|error| TestCaseError::fail(format!("{error}: {general}")))?;
    let problems = form.check(Some(answer), version);
    let of = |weight| problems.iter().any(|problem| problem.weight == weight);
    if of(Weight::Unclear) || huge(answer) || huge(asked) {
        return Ok(false);
    }
    let fits = general.is_valid(&content(answer));
    prop_assert_eq!(
        fits,
        !of(Weight::Violation),
        "{} for {}: {:?}",
        answer,
        asked,
        problems
    );
    Ok(true)
}

proptest! {
    #[test]
    fn answers_that_are_made_fit_or_do_not_to_another_reader_too((version, asked) in answerable()) {
        let form = form::read(Some(&asked), version);
        let made = form.valid("canary").into_iter().chain(form.filled("canary"));
        let wrong = form.just_invalid("canary").into_iter().map(|(_, answer)| answer);
        for answer in made.chain(wrong) {
            agree(version, &asked, &answer)?;
        }
    }

    #[test]
    fn answers_that_anyone_gives_fit_or_do_not_to_another_reader_too(
        (version, asked) in answerable(),
        values in collection::vec(value(), 6),
        left_out in any::<u8>(),
    ) {
        let form = form::read(Some(&asked), version);
        let made = form.filled("canary").unwrap_or_else(|| json!({}));
        for (index, field) in form.fields.iter().enumerate() {
            // All right but for one value.
            let mut answer = made.clone();
            answer[&field.name] = values[index % values.len()].clone();
            agree(version, &asked, &answer)?;
        }
        let anything = form.fields.iter().zip(&values).enumerate();
        let kept = anything.filter(|(index, _)| left_out >> index & 1 == 0);
        let answer: Map<String, Value> = kept
            .map(|(_, (field, value))| (field.name.clone(), value.clone()))
            .collect();
        agree(version, &asked, &answer.into())?;
    }
}

/// The comparison says something: of a usual form, both answers that fit and answers that do not are compared.
#[test]
fn usual_forms_are_compared() {
    let asked = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string", "oneOf": [{"const": "x", "title": "X"}, {"const": "x", "title": "Y"}]},
        "b": {"type": "array", "items": {"type": "string", "enum": ["x"]}, "minItems": 1},
        "c": {"type": "integer", "minimum": 1, "maximum": null},
    }});
    for version in Version::ALL {
        for answer in [
            json!({"a": "x", "b": ["x"], "c": 1}),
            json!({"a": "x", "b": null}),
            json!({}),
            json!({"a": "y"}),
            json!({"a": "x", "b": []}),
            json!({"a": "x", "c": 0}),
            json!([]),
        ] {
            let compared = agree(version, &asked, &answer);
            assert!(matches!(compared, Ok(true)), "{answer}: {compared:?}");
        }
    }
}
