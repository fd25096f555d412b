//! The strict reader: from `requestedSchema` to a [`Form`] and all that is wrong with it.
//!
//! What no clause speaks of (a malformed `_meta`, contradicting bounds, a default outside its bounds) is
//! not reported. A constraint that cannot be read is dropped, so that a form's answers are judged by the
//! readable ones only.

mod choices;
mod keywords;
mod multi_select;
mod numbers;

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use self::choices::{Unreadable, either};
use super::{
    Feature, Field, FieldKind, Form, SchemaFault,
    finding::{Findings, Path, given},
    number::{INT64, Integer, UINT32, integer},
};
use crate::Version;

type Object = Map<String, Value>;

/// The formats that the v1 schema lists.
const FORMATS: &[&str] = &["email", "uri", "date", "date-time"];
/// Where an array has no `items`, these belong to that defect.
const MISPLACED_CHOICES: &[&str] = &["enum", "oneOf", "anyOf"];

pub(super) fn read(schema: Option<&Value>, version: Version) -> Form {
    let mut reader = Reader {
        version,
        findings: Findings::new(),
        features: BTreeSet::new(),
    };
    let root = Path::ROOT;
    let path = root.member("requestedSchema");
    let fields = match schema {
        Some(Value::Object(schema)) => reader.root(schema, &path),
        other => {
            reader
                .findings
                .violation(SchemaFault::NotAnObject, &path, other, "an object");
            Vec::new()
        }
    };
    Form {
        fields,
        problems: reader.findings.into_problems(),
        features: reader.features.into_iter().collect(),
    }
}

struct Reader {
    version: Version,
    findings: Findings<SchemaFault>,
    features: BTreeSet<Feature>,
}

impl Reader {
    fn root(&mut self, schema: &Object, path: &Path<'_>) -> Vec<Field> {
        let kind = schema.get("type");
        if kind.and_then(Value::as_str) != Some("object") {
            self.findings
                .violation(SchemaFault::Root, &path.member("type"), kind, "\"object\"");
        }
        let none = Object::new();
        let at = path.member("properties");
        let properties = match schema.get("properties") {
            Some(Value::Object(properties)) => properties,
            other => {
                self.findings.violation(
                    SchemaFault::Root,
                    &at,
                    other,
                    "an object, empty for a form that only asks to confirm",
                );
                &none
            }
        };
        self.label(schema, "title", path);
        self.label(schema, "description", path);
        let required = self.required(schema, properties, path);
        self.foreign(schema, &[keywords::ROOT], path);
        if !properties.is_empty() {
            self.features.insert(Feature::Property);
        }
        // With room for these and no more: a field is large, forms are small, and a hostile agent sends thousands.
        let mut fields = Vec::with_capacity(properties.len());
        for (name, property) in properties {
            let required = required.contains(name.as_str());
            fields.push(self.property(name, property, required, &at.member(name)));
        }
        fields
    }

    /// ELICIT-SCHEMA-039.
    fn required<'a>(
        &mut self,
        schema: &'a Object,
        properties: &Object,
        path: &Path<'_>,
    ) -> HashSet<&'a str> {
        let Some(required) = given(schema, "required") else {
            return HashSet::new();
        };
        self.features.insert(Feature::Required);
        let at = path.member("required");
        let Value::Array(names) = required else {
            self.findings.violation(
                SchemaFault::Required,
                &at,
                Some(required),
                "an array of property names",
            );
            return HashSet::new();
        };
        let mut read = HashSet::new();
        for (index, name) in names.iter().enumerate() {
            match name.as_str() {
                Some(name) if properties.contains_key(name) => {
                    read.insert(name);
                }
                Some(_) => self.findings.warning(
                    SchemaFault::Required,
                    &at.index(index),
                    Some(name),
                    "the name of a property of this form",
                ),
                None => self.findings.violation(
                    SchemaFault::Required,
                    &at.index(index),
                    Some(name),
                    "a string",
                ),
            }
        }
        read
    }

    fn property(&mut self, name: &str, property: &Value, required: bool, path: &Path<'_>) -> Field {
        let mut field = Field {
            name: name.to_owned(),
            required,
            title: text(property, "title"),
            description: text(property, "description"),
            kind: FieldKind::Other,
            default: None,
        };
        let Value::Object(members) = property else {
            self.findings.violation(
                SchemaFault::NoType,
                path,
                Some(property),
                "an object with a type",
            );
            return field;
        };
        let at = path.member("type");
        let Some(kind) = members.get("type").and_then(Value::as_str) else {
            self.findings.violation(
                SchemaFault::NoType,
                &at,
                members.get("type"),
                "a string: string, number, integer, boolean, array or a name that begins with an underscore",
            );
            return field;
        };
        let own = match kind {
            "string" => {
                field.kind = self.string(members, path);
                keywords::STRING
            }
            "number" => {
                field.kind = self.number(members, path);
                keywords::NUMERIC
            }
            "integer" => {
                field.kind = self.integer(members, path);
                keywords::NUMERIC
            }
            "boolean" => {
                field.kind = FieldKind::Boolean;
                keywords::BOOLEAN
            }
            "array" => {
                field.kind = self.array(members, path);
                keywords::ARRAY
            }
            extension if extension.starts_with('_') => return field,
            "object" => {
                self.findings.violation(
                    SchemaFault::Nested,
                    &at,
                    members.get("type"),
                    "string, number, integer, boolean or array: forms are flat",
                );
                return field;
            }
            _ => {
                self.findings.violation(
                    SchemaFault::UnknownType,
                    &at,
                    members.get("type"),
                    "string, number, integer, boolean, array or a name that begins with an underscore",
                );
                return field;
            }
        };
        self.label(members, "title", path);
        self.label(members, "description", path);
        field.default = self.default(members, kind, path);
        self.enum_names(members, path);
        let in_vain: &[&str] = if self.boolean_required(members, path) {
            &["required"]
        } else if kind == "array" && !members.get("items").is_some_and(Value::is_object) {
            MISPLACED_CHOICES
        } else {
            &[]
        };
        self.foreign(members, &[keywords::PROPERTY, own, in_vain], path);
        field
    }

    fn string(&mut self, members: &Object, path: &Path<'_>) -> FieldKind {
        self.features.insert(Feature::StringProperty);
        for bound in ["minLength", "maxLength"] {
            if given(members, bound).is_some() {
                self.features.insert(Feature::Length);
            }
        }
        let fault = SchemaFault::Length;
        let min = self.count(members, "minLength", &UINT32, fault, path);
        let max = self.count(members, "maxLength", &UINT32, fault, path);
        let pattern = given(members, "pattern");
        if let (Some(pattern), Version::AcpV2) = (pattern, self.version) {
            self.findings.warning(
                SchemaFault::PatternInV2,
                &path.member("pattern"),
                Some(pattern),
                "absent: v2 has no such keyword, and readers ignore it",
            );
        }
        let format = given(members, "format");
        if let Some(format) = format {
            self.features.insert(Feature::Format);
            let listed = format.as_str().is_some_and(|name| FORMATS.contains(&name));
            if self.version == Version::AcpV1 && !listed {
                self.findings.warning(
                    SchemaFault::FormatInV1,
                    &path.member("format"),
                    Some(format),
                    "email, uri, date or date-time: readers of v1 know no other",
                );
            }
        }
        let plain = self.enumeration(members, path);
        let titled = self.options(members, "oneOf", SchemaFault::OneOf, path);
        if given(members, "oneOf").is_some() {
            self.features.insert(Feature::OneOf);
        }
        match (plain, titled) {
            (Ok(None), Ok(None)) => FieldKind::Text {
                min,
                max,
                pattern: (self.version == Version::AcpV1)
                    .then(|| pattern.and_then(Value::as_str).map(str::to_owned))
                    .flatten(),
                format: format.and_then(Value::as_str).map(str::to_owned),
            },
            (Ok(Some(options)), Ok(None)) | (Ok(None), Ok(Some(options))) => {
                FieldKind::Choice(options)
            }
            (Ok(Some(plain)), Ok(Some(titled))) => FieldKind::Choice(either(plain, titled)),
            (Err(Unreadable), _) | (_, Err(Unreadable)) => FieldKind::Other,
        }
    }

    /// ELICIT-SCHEMA-026. The default, if it has exactly the right type.
    fn default(&mut self, members: &Object, kind: &str, path: &Path<'_>) -> Option<Value> {
        let value = given(members, "default")?;
        self.features.insert(Feature::Default);
        let at = path.member("default");
        let (fits, expected) = match kind {
            "string" => (value.is_string(), "a string"),
            "number" => (value.is_number(), "a number"),
            "boolean" => (value.is_boolean(), "true or false"),
            "array" => (
                value
                    .as_array()
                    .is_some_and(|values| values.iter().all(Value::is_string)),
                "an array of strings",
            ),
            _ => {
                let expected = "an integer of 64 bits";
                let read = integer(value, &INT64);
                self.odd_integer(read, value, SchemaFault::Default, &at, expected);
                return matches!(read, Integer::Plain(_)).then(|| value.clone());
            }
        };
        if !fits {
            self.findings
                .violation(SchemaFault::Default, &at, Some(value), expected);
        }
        fits.then(|| value.clone())
    }
}

/// The member, if it is a string.
fn text(object: &Value, name: &str) -> Option<String> {
    object.get(name).and_then(Value::as_str).map(str::to_owned)
}
