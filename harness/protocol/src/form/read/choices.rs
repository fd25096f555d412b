//! Lists of choices: `enum`, `oneOf` and `anyOf`, wherever they stand.

use std::collections::HashSet;

use serde_json::Value;

use super::{Object, Reader, keywords, text};
use crate::{
    Version, Weight,
    form::{
        ChoiceOption, Feature, SchemaFault,
        finding::{Path, given},
    },
};

/// Choices as read: `None` where there are none, `Err` where there are some but not readable.
pub(super) type Choices = Result<Option<Vec<ChoiceOption>>, Unreadable>;

pub(super) struct Unreadable;

impl Reader {
    /// ELICIT-SCHEMA-016 and -017.
    pub(super) fn enumeration(&mut self, members: &Object, path: &Path<'_>) -> Choices {
        if given(members, "enum").is_some() {
            self.features.insert(Feature::Enum);
        }
        self.values(members, SchemaFault::Enum, path)
    }

    /// An `enum`, of a property or of items.
    pub(super) fn values(
        &mut self,
        members: &Object,
        fault: SchemaFault,
        path: &Path<'_>,
    ) -> Choices {
        let Some(value) = given(members, "enum") else {
            return Ok(None);
        };
        let at = path.member("enum");
        let Value::Array(values) = value else {
            self.findings
                .violation(fault, &at, Some(value), "an array of strings");
            return Err(Unreadable);
        };
        self.choice(values, value, &at);
        let stranger = values.iter().position(|value| !value.is_string());
        if let Some(index) = stranger {
            self.findings
                .violation(fault, &at.index(index), values.get(index), "a string");
            return Err(Unreadable);
        }
        let options = values.iter().filter_map(Value::as_str);
        Ok(Some(
            options
                .map(|value| ChoiceOption {
                    value: value.to_owned(),
                    title: None,
                })
                .collect(),
        ))
    }

    /// A list of {const, title}: `oneOf` of a property or `anyOf` of items.
    pub(super) fn options(
        &mut self,
        members: &Object,
        keyword: &str,
        fault: SchemaFault,
        path: &Path<'_>,
    ) -> Choices {
        let Some(value) = given(members, keyword) else {
            return Ok(None);
        };
        let at = path.member(keyword);
        let Value::Array(entries) = value else {
            let expected = "an array of {const, title}";
            self.findings.violation(fault, &at, Some(value), expected);
            return Err(Unreadable);
        };
        self.choice(entries, value, &at);
        let read: Vec<_> = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| self.option(entry, fault, &at.index(index)))
            .collect();
        read.into_iter()
            .collect::<Option<_>>()
            .map_or(Err(Unreadable), |options| Ok(Some(options)))
    }

    fn option(
        &mut self,
        entry: &Value,
        fault: SchemaFault,
        path: &Path<'_>,
    ) -> Option<ChoiceOption> {
        let Value::Object(members) = entry else {
            let expected = "an object with const and title";
            self.findings.violation(fault, path, Some(entry), expected);
            return None;
        };
        self.label(members, "description", path);
        self.foreign(members, &[keywords::OPTION], path);
        let (value, title) = (text(entry, "const"), text(entry, "title"));
        if let (Some(value), Some(title)) = (value.as_ref(), title) {
            return Some(ChoiceOption {
                value: value.clone(),
                title: Some(title),
            });
        }
        let broken = if value.is_none() { "const" } else { "title" };
        let got = members.get(broken);
        self.findings
            .violation(fault, &path.member(broken), got, "a string");
        None
    }

    /// ELICIT-SCHEMA-017: a list of choices is present, and in v2 not empty.
    fn choice(&mut self, entries: &[Value], value: &Value, path: &Path<'_>) {
        self.features.insert(Feature::Choice);
        if entries.is_empty() {
            let weight = match self.version {
                Version::AcpV1 => Weight::Warning,
                Version::AcpV2 => Weight::Violation,
            };
            let expected = "a list of at least one choice";
            self.findings.add(
                SchemaFault::EmptyChoice,
                weight,
                path,
                Some(value),
                expected,
            );
        }
    }
}

/// `enum` beside `oneOf`: no text says which counts, so an answer may come from either. Those in both stand first.
pub(super) fn either(plain: Vec<ChoiceOption>, titled: Vec<ChoiceOption>) -> Vec<ChoiceOption> {
    let values: HashSet<String> = plain.iter().map(|option| option.value.clone()).collect();
    let titles: HashSet<String> = titled.iter().map(|option| option.value.clone()).collect();
    let (mut both, only_titled): (Vec<_>, Vec<_>) = titled
        .into_iter()
        .partition(|option| values.contains(&option.value));
    both.extend(
        plain
            .into_iter()
            .filter(|option| !titles.contains(&option.value)),
    );
    both.extend(only_titled);
    both
}
