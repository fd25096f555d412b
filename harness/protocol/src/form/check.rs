//! The validator of answers: does accepted content conform to the form that was asked?

use std::collections::HashSet;

use serde_json::Value;

use super::{
    AnswerFault, ChoiceOption, Field, FieldKind, Form,
    finding::{Findings, Path},
    number::{INT64, Integer, integer},
};
use crate::{Problem, Version, Weight};

pub(super) fn check(
    form: &Form,
    content: Option<&Value>,
    version: Version,
) -> Vec<Problem<AnswerFault>> {
    let mut checker = Checker {
        version,
        findings: Findings::new(),
    };
    let root = Path::ROOT;
    let path = root.member("content");
    let none = serde_json::Map::new();
    let values = match content {
        None | Some(Value::Null) => &none,
        Some(Value::Object(values)) => values,
        Some(other) => {
            let expected = "an object with the form's values";
            checker
                .findings
                .violation(AnswerFault::NotAnObject, &path, Some(other), expected);
            return checker.findings.into_problems();
        }
    };
    for field in &form.fields {
        let at = path.member(&field.name);
        match values.get(&field.name) {
            None | Some(Value::Null) => {
                checker.missing(field, values.get(&field.name), &at);
            }
            Some(value) => checker.value(field, value, &at),
        }
    }
    let known: HashSet<&str> = form
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    for (name, value) in values {
        if !known.contains(name.as_str()) {
            checker.findings.warning(
                AnswerFault::Extra,
                &path.member(name),
                Some(value),
                "absent: the form does not ask for it",
            );
        }
    }
    checker.findings.into_problems()
}

struct Checker {
    version: Version,
    findings: Findings<AnswerFault>,
}

impl Checker {
    fn missing(&mut self, field: &Field, got: Option<&Value>, path: &Path<'_>) {
        if field.required {
            // A client may leave out a field that it does not understand.
            let weight = if field.kind == FieldKind::Other {
                Weight::Unclear
            } else {
                Weight::Violation
            };
            let expected = "a value: the field is required";
            self.findings
                .add(AnswerFault::Missing, weight, path, got, expected);
        }
    }

    fn value(&mut self, field: &Field, value: &Value, path: &Path<'_>) {
        match &field.kind {
            FieldKind::Text { min, max, .. } => match value {
                Value::String(text) => self.length(text, *min, *max, value, path),
                _ => self.wrong(AnswerFault::Type, value, path, "a string"),
            },
            FieldKind::Choice(options) => match value {
                Value::String(text) if options.iter().any(|option| option.value == *text) => {}
                Value::String(_) => {
                    self.wrong(AnswerFault::NotAChoice, value, path, listed(options));
                }
                _ => self.wrong(AnswerFault::Type, value, path, "a string"),
            },
            FieldKind::Number { min, max } => match value.as_f64() {
                Some(number) => {
                    if min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max) {
                        self.wrong(AnswerFault::Bounds, value, path, between(*min, *max));
                    }
                }
                None => self.wrong(AnswerFault::Type, value, path, "a number"),
            },
            FieldKind::Integer { min, max } => self.integer(*min, *max, value, path),
            FieldKind::Boolean => {
                if !value.is_boolean() {
                    self.wrong(AnswerFault::Type, value, path, "true or false");
                }
            }
            FieldKind::MultiSelect { options, min, max } => {
                self.selection(options, *min, *max, value, path);
            }
            // v1 closes the set of content values, whatever the field (ELICIT-RESP-007).
            FieldKind::Other => {
                let fits = match value {
                    Value::Object(_) => false,
                    Value::Array(members) => members.iter().all(Value::is_string),
                    _ => true,
                };
                if self.version == Version::AcpV1 && !fits {
                    let expected = "a string, number, boolean or array of strings";
                    self.wrong(AnswerFault::Type, value, path, expected);
                }
            }
        }
    }

    fn wrong(
        &mut self,
        fault: AnswerFault,
        value: &Value,
        path: &Path<'_>,
        expected: impl Into<String>,
    ) {
        self.findings.violation(fault, path, Some(value), expected);
    }

    /// Lengths are code points; whoever counts bytes or UTF-16 may find a text long enough that is not
    /// (ELICIT-SCHEMA-008).
    fn length(
        &mut self,
        text: &str,
        min: Option<u64>,
        max: Option<u64>,
        value: &Value,
        path: &Path<'_>,
    ) {
        let length = size(text.chars().count());
        let too_short = min.is_some_and(|min| length < min);
        if too_short || max.is_some_and(|max| length > max) {
            let long_in_bytes = min.is_some_and(|min| size(text.len()) >= min);
            let weight = if too_short && long_in_bytes {
                Weight::Unclear
            } else {
                Weight::Violation
            };
            let expected = format!("a text of {} code points", between(min, max));
            self.findings
                .add(AnswerFault::Length, weight, path, Some(value), expected);
        }
    }

    fn integer(&mut self, min: Option<i64>, max: Option<i64>, value: &Value, path: &Path<'_>) {
        let read = integer(value, &INT64);
        let (Integer::Plain(number) | Integer::Odd(number)) = read else {
            self.wrong(AnswerFault::Type, value, path, "an integer");
            return;
        };
        if min.is_some_and(|min| number < min.into()) || max.is_some_and(|max| number > max.into())
        {
            self.wrong(AnswerFault::Bounds, value, path, between(min, max));
        } else if matches!(read, Integer::Odd(_)) {
            self.findings.add(
                AnswerFault::Type,
                Weight::Unclear,
                path,
                Some(value),
                "an integer of 64 bits, written without fraction and exponent",
            );
        }
    }

    fn selection(
        &mut self,
        options: &[ChoiceOption],
        min: Option<u64>,
        max: Option<u64>,
        value: &Value,
        path: &Path<'_>,
    ) {
        let Value::Array(members) = value else {
            self.wrong(AnswerFault::Type, value, path, "an array of strings");
            return;
        };
        let known: HashSet<&str> = options.iter().map(|option| option.value.as_str()).collect();
        for (index, member) in members.iter().enumerate() {
            let at = path.index(index);
            match member.as_str() {
                Some(text) if known.contains(text) => {}
                Some(_) => self.wrong(AnswerFault::NotAChoice, member, &at, listed(options)),
                None => self.wrong(AnswerFault::Type, member, &at, "a string"),
            }
        }
        let count = size(members.len());
        if min.is_some_and(|min| count < min) || max.is_some_and(|max| count > max) {
            let expected = format!("an array of {} values", between(min, max));
            self.wrong(AnswerFault::Count, value, path, expected);
        }
    }
}

/// A size as the number that constraints are compared with.
fn size(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

/// A range in words.
fn between<T: std::fmt::Display>(min: Option<T>, max: Option<T>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "any".to_owned(),
    }
}

/// The first few choices, for the reader of a finding.
fn listed(options: &[ChoiceOption]) -> String {
    const SHOWN: usize = 5;
    const LETTERS: usize = 40;
    let mut shown: Vec<String> = options
        .iter()
        .take(SHOWN)
        .map(|option| option.value.chars().take(LETTERS).collect())
        .collect();
    if options.len() > SHOWN {
        shown.push("…".to_owned());
    }
    if shown.is_empty() {
        return "nothing: the form lists no choice".to_owned();
    }
    format!("one of {}", shown.join(", "))
}
