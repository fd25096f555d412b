//! The keywords of each node in the grammar; all else is foreign.

use serde_json::Value;

use super::{Object, Reader};
use crate::form::{
    Feature, SchemaFault,
    finding::{Path, given},
};

/// The root.
pub(super) const ROOT: &[&str] = &[
    "type",
    "title",
    "description",
    "properties",
    "required",
    "_meta",
];
/// Every property of a known type; what each type adds follows. `enumNames` has a clause of its own.
pub(super) const PROPERTY: &[&str] = &[
    "type",
    "title",
    "description",
    "default",
    "_meta",
    "enumNames",
];
pub(super) const STRING: &[&str] = &[
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "enum",
    "oneOf",
];
pub(super) const NUMERIC: &[&str] = &["minimum", "maximum"];
pub(super) const BOOLEAN: &[&str] = &[];
pub(super) const ARRAY: &[&str] = &["items", "minItems", "maxItems"];
/// Items that list their choices by `enum`.
pub(super) const UNTITLED_ITEMS: &[&str] = &["type", "enum", "anyOf", "_meta", "enumNames"];
/// Items that list their choices by `anyOf`; whether `type` may stand there, a clause says.
pub(super) const TITLED_ITEMS: &[&str] = &["type", "anyOf", "_meta", "enumNames"];
/// An entry of `oneOf` or `anyOf`.
pub(super) const OPTION: &[&str] = &["const", "title", "description", "_meta"];

impl Reader {
    /// A text for people, at the root, a property or an option.
    pub(super) fn label(&mut self, members: &Object, name: &str, path: &Path<'_>) {
        if let Some(value) = given(members, name).filter(|value| !value.is_string()) {
            let at = path.member(name);
            self.findings
                .violation(SchemaFault::Label, &at, Some(value), "a string");
        }
    }

    /// ELICIT-SCHEMA-021, at a property or its items.
    pub(super) fn enum_names(&mut self, members: &Object, path: &Path<'_>) {
        if let Some(names) = given(members, "enumNames") {
            let at = path.member("enumNames");
            let expected = "absent: titles stand in oneOf (single-select) or anyOf (multi-select)";
            self.findings
                .warning(SchemaFault::EnumNames, &at, Some(names), expected);
        }
    }

    /// ELICIT-SCHEMA-039: the boolean `required` of an old JSON Schema draft is the one keyword out of its
    /// place that a clause forbids. Returns whether it stands here.
    pub(super) fn boolean_required(&mut self, members: &Object, path: &Path<'_>) -> bool {
        let required = given(members, "required").filter(|value| value.is_boolean());
        if required.is_some() {
            self.features.insert(Feature::Required);
            let at = path.member("required");
            let expected = "absent: the form's own required lists the names";
            self.findings
                .violation(SchemaFault::Required, &at, required, expected);
        }
        required.is_some()
    }

    /// ELICIT-SCHEMA-030. A foreign keyword that is null expresses nothing.
    pub(super) fn foreign(&mut self, members: &Object, known: &[&[&str]], path: &Path<'_>) {
        let foreign = members.iter().filter(|(name, value)| {
            !value.is_null() && !known.iter().any(|known| known.contains(&name.as_str()))
        });
        for (name, value) in foreign {
            let (at, got) = (path.member(name), Some::<&Value>(value));
            let expected = "absent: the restricted schema has no such keyword here";
            self.findings
                .warning(SchemaFault::ForeignKeyword, &at, got, expected);
        }
    }
}
