//! A form schema and an answer to it, as JSON or as the bytes decide: readers are total, valid answers are valid, invalid
//! ones have exactly the fault that is named, and a general JSON Schema validator says the same of every answer.

#![no_main]

use arbitrary::Unstructured;
use elenchus_fuzz::form::{answer, schema};
use elenchus_protocol::{
    Problem, Version, Weight,
    form::{self, AnswerFault, FieldKind, Form},
};
use jsonschema::Validator;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

#[path = "../../harness/protocol/tests/form/general.rs"]
mod general;

const CANARY: &str = "canary";

fuzz_target!(|bytes: &[u8]| {
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        // The file is a schema, and an answer to itself; a default in it is an answer too.
        for version in Version::ALL {
            let readers = Readers::of(&value, version);
            readers.make(&value);
            readers.judge(&value);
            readers.judge(&value["default"]);
        }
        return;
    }
    let mut u = Unstructured::new(bytes);
    let Ok(schema) = schema(&mut u) else { return };
    let both = Version::ALL.map(|version| Readers::of(&schema, version));
    for readers in &both {
        readers.make(&schema);
    }
    while !u.is_empty() {
        let Ok(answer) = answer(&mut u, &both[0].form) else {
            return;
        };
        for readers in &both {
            readers.judge(&answer);
        }
    }
});

/// A form, and the general validator of a form with which nothing is wrong, and whose every property has a meaning to it.
struct Readers {
    form: Form,
    general: Option<Validator>,
    version: Version,
    /// Two ways to compare numbers differ.
    huge: bool,
}

impl Readers {
    fn of(schema: &Value, version: Version) -> Self {
        let form = form::read(Some(schema), version);
        let known = form
            .fields
            .iter()
            .all(|field| field.kind != FieldKind::Other);
        let general = (form.problems.is_empty() && known)
            .then(|| general::schema(schema))
            .flatten()
            .map(|schema| {
                jsonschema::draft202012::new(&schema)
                    .unwrap_or_else(|error| panic!("{error}: {schema}"))
            });
        let huge = huge(schema);
        Self {
            form,
            general,
            version,
            huge,
        }
    }

    /// Holds the answers that are made for the form to what they are made for.
    fn make(&self, schema: &Value) {
        let form = &self.form;
        for answer in form.valid(CANARY).iter().chain(&form.filled(CANARY)) {
            assert_eq!(form.check(Some(answer), self.version), []);
            self.judge(answer);
        }
        for (fault, answer) in form.just_invalid(CANARY) {
            let problems = form.check(Some(&answer), self.version);
            assert_eq!(
                problems.len(),
                1,
                "{fault:?}: {problems:?} in {answer} for {schema}"
            );
            assert_eq!(problems[0].kind, fault);
            assert_eq!(problems[0].weight, Weight::Violation);
            self.judge(&answer);
        }
    }

    /// Whether an answer fits is what the general validator says, wherever the texts agree on it.
    fn judge(&self, answer: &Value) {
        let problems = self.form.check(Some(answer), self.version);
        let whole = json!({"content": answer});
        for problem in &problems {
            elenchus_fuzz::pointer::holds(&whole, &problem.pointer, &problem.got);
        }
        let unclear = problems
            .iter()
            .any(|problem| problem.weight == Weight::Unclear);
        if unclear || answer.is_null() || self.huge || huge(answer) {
            return;
        }
        if let Some(general) = &self.general {
            let fits = !problems.iter().any(is_violation);
            let form = &self.form.fields;
            assert_eq!(
                general.is_valid(&general::content(answer)),
                fits,
                "{answer} for {form:?}: {problems:?}"
            );
        }
    }
}

fn is_violation(problem: &Problem<AnswerFault>) -> bool {
    problem.weight == Weight::Violation
}

/// A number that a double does not hold exactly stands in it. Bounds are doubles to typed readers, and decimals to others.
fn huge(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_none_or(|float| float.abs() >= 9e15),
        Value::Array(members) => members.iter().any(huge),
        Value::Object(members) => members.values().any(huge),
        _ => false,
    }
}
