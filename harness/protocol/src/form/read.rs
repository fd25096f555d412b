//! The strict reader: from `requestedSchema` to a [`Form`] and all that is wrong with it.
//!
//! What no clause speaks of (a malformed `_meta`, contradicting bounds, a default outside its bounds) is
//! not reported. A constraint that cannot be read is dropped, so that a form's answers are judged by the
//! readable ones only.

use std::{
    collections::{BTreeSet, HashSet},
    ops::RangeInclusive,
};

use serde_json::{Map, Value};

use super::{
    ChoiceOption, Feature, Field, FieldKind, Form, SchemaFault,
    finding::{Findings, Path, given},
    number::{INT64, Integer, UINT32, UINT64, integer},
};
use crate::{Version, Weight};

type Object = Map<String, Value>;

/// The keywords of each node in the grammar; all else is foreign.
const ROOT: &[&str] = &[
    "type",
    "title",
    "description",
    "properties",
    "required",
    "_meta",
];
const PROPERTY: &[&str] = &["type", "title", "description", "default", "_meta"];
const STRING: &[&str] = &[
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "enum",
    "oneOf",
];
const NUMERIC: &[&str] = &["minimum", "maximum"];
const BOOLEAN: &[&str] = &[];
const ARRAY: &[&str] = &["items", "minItems", "maxItems"];
const ITEMS: &[&str] = &["type", "enum", "anyOf", "_meta"];
const OPTION: &[&str] = &["const", "title", "description", "_meta"];
/// Where an array has no `items`, these belong to that defect.
const MISPLACED_CHOICES: &[&str] = &["enum", "oneOf", "anyOf"];

/// The formats that the v1 schema lists.
const FORMATS: &[&str] = &["email", "uri", "date", "date-time"];

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

/// Choices as read: `None` where there are none, `Err` where there are some but not readable.
type Choices = Result<Option<Vec<ChoiceOption>>, Unreadable>;

struct Unreadable;

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
        self.foreign(schema, &[ROOT], &[], path);
        if !properties.is_empty() {
            self.features.insert(Feature::Property);
        }
        properties
            .iter()
            .map(|(name, property)| {
                let required = required.contains(name.as_str());
                self.property(name, property, required, &at.member(name))
            })
            .collect()
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
                STRING
            }
            "number" => {
                field.kind = self.number(members, path);
                NUMERIC
            }
            "integer" => {
                field.kind = self.integer(members, path);
                NUMERIC
            }
            "boolean" => {
                field.kind = FieldKind::Boolean;
                BOOLEAN
            }
            "array" => {
                field.kind = self.array(members, path);
                ARRAY
            }
            extension if extension.starts_with('_') => return field,
            "object" => {
                self.findings.violation(
                    SchemaFault::Nested,
                    &at,
                    members.get("type"),
                    "a flat form: string, number, integer, boolean or array",
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
        let excused = if kind == "array" && !members.get("items").is_some_and(Value::is_object) {
            MISPLACED_CHOICES
        } else {
            &[]
        };
        self.foreign_of_property(members, own, excused, path);
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
                "no pattern: v2 has no such keyword, and readers ignore it",
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

    /// ELICIT-SCHEMA-016 and -017.
    fn enumeration(&mut self, members: &Object, path: &Path<'_>) -> Choices {
        if given(members, "enum").is_some() {
            self.features.insert(Feature::Enum);
        }
        self.values(members, SchemaFault::Enum, path)
    }

    /// An `enum`, of a property or of items.
    fn values(&mut self, members: &Object, fault: SchemaFault, path: &Path<'_>) -> Choices {
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
    fn options(
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
        self.foreign(members, &[OPTION], &[], path);
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
            let expected = "at least one choice";
            self.findings.add(
                SchemaFault::EmptyChoice,
                weight,
                path,
                Some(value),
                expected,
            );
        }
    }

    fn number(&mut self, members: &Object, path: &Path<'_>) -> FieldKind {
        let mut bound = |name| {
            let value = given(members, name)?;
            self.features.insert(Feature::Bounds);
            if !value.is_number() {
                let at = path.member(name);
                self.findings
                    .violation(SchemaFault::Bounds, &at, Some(value), "a number");
            }
            value.as_f64()
        };
        FieldKind::Number {
            min: bound("minimum"),
            max: bound("maximum"),
        }
    }

    fn integer(&mut self, members: &Object, path: &Path<'_>) -> FieldKind {
        if given(members, "default").is_some() {
            self.features.insert(Feature::Bounds);
        }
        let mut bound = |name| {
            let value = given(members, name)?;
            self.features.insert(Feature::Bounds);
            let read = integer(value, &INT64);
            let fault = SchemaFault::Bounds;
            let expected = "an integer of 64 bits";
            self.odd_integer(read, value, fault, &path.member(name), expected)
                .and_then(|bound| i64::try_from(bound).ok())
        };
        FieldKind::Integer {
            min: bound("minimum"),
            max: bound("maximum"),
        }
    }

    /// A length or count.
    fn count(
        &mut self,
        members: &Object,
        name: &str,
        range: &RangeInclusive<i128>,
        fault: SchemaFault,
        path: &Path<'_>,
    ) -> Option<u64> {
        let value = given(members, name)?;
        let expected = if range == &UINT32 {
            "a non-negative integer of 32 bits"
        } else {
            "a non-negative integer"
        };
        let read = integer(value, range);
        self.odd_integer(read, value, fault, &path.member(name), expected)
            .and_then(|count| u64::try_from(count).ok())
    }

    /// Reports a value that is no proper integer; the integer, where it can be told.
    fn odd_integer(
        &mut self,
        read: Integer,
        value: &Value,
        fault: SchemaFault,
        path: &Path<'_>,
        expected: &str,
    ) -> Option<i128> {
        let (weight, read) = match read {
            Integer::Plain(integer) => return Some(integer),
            Integer::Odd(integer) => (Weight::Unclear, Some(integer)),
            Integer::No => (Weight::Violation, None),
        };
        self.findings
            .add(fault, weight, path, Some(value), expected);
        read
    }

    fn array(&mut self, members: &Object, path: &Path<'_>) -> FieldKind {
        self.features.insert(Feature::MultiSelect);
        for bound in ["minItems", "maxItems"] {
            if given(members, bound).is_some() {
                self.features.insert(Feature::ItemCount);
            }
        }
        let fault = SchemaFault::ItemCount;
        let min = self.count(members, "minItems", &UINT64, fault, path);
        let max = self.count(members, "maxItems", &UINT64, fault, path);
        let at = path.member("items");
        let items = match members.get("items") {
            Some(value @ Value::Object(items)) => self.items(value, items, &at),
            other => {
                let got = other.filter(|items| !items.is_null());
                self.findings
                    .violation(SchemaFault::Items, &at, got, "an object");
                None
            }
        };
        match items {
            Some(options) => FieldKind::MultiSelect { options, min, max },
            None => FieldKind::Other,
        }
    }

    /// The items of a multi-select: untitled, titled, or an extension; `None` if it is no readable list of choices.
    fn items(
        &mut self,
        value: &Value,
        items: &Object,
        path: &Path<'_>,
    ) -> Option<Vec<ChoiceOption>> {
        let kind = given(items, "type");
        let titled = given(items, "anyOf").is_some();
        let at = path.member("type");
        match kind.map(|kind| kind.as_str()) {
            None | Some(Some("string")) => {}
            Some(Some(extension)) if extension.starts_with('_') => return None,
            Some(Some("object" | "array")) => {
                let expected = "a flat form: items of type string, or titled choices";
                self.findings
                    .violation(SchemaFault::Nested, &at, kind, expected);
                return None;
            }
            // v1: the published schema and the typed reader take titled choices whatever stands as `type`.
            Some(None) if titled && self.version == Version::AcpV1 => {
                let expected = "no type beside anyOf";
                self.findings
                    .add(SchemaFault::ItemType, Weight::Unclear, &at, kind, expected);
                return None;
            }
            Some(_) => {
                let expected = "string or a name that begins with an underscore";
                self.findings
                    .violation(SchemaFault::ItemType, &at, kind, expected);
                return None;
            }
        }
        if titled && (kind.is_none() || given(items, "enum").is_none()) {
            self.titled_items(items, path)
        } else {
            self.untitled_items(value, items, path)
        }
    }

    /// ELICIT-SCHEMA-034 and -035: choices by `anyOf`, with `type` absent or (v1) "string".
    fn titled_items(&mut self, items: &Object, path: &Path<'_>) -> Option<Vec<ChoiceOption>> {
        self.features.insert(Feature::TitledItems);
        if let (Some(kind), Version::AcpV2) = (items.get("type"), self.version) {
            // A null type is rejected by the typed reader, while null elsewhere means omitted.
            let weight = if kind.is_null() {
                Weight::Unclear
            } else {
                Weight::Violation
            };
            self.findings.add(
                SchemaFault::TitledItemsWithType,
                weight,
                &path.member("type"),
                Some(kind),
                "no type beside anyOf",
            );
        }
        self.foreign_or_enum_names(items, &["type", "anyOf", "_meta"], &[], path);
        let fault = SchemaFault::TitledItems;
        self.options(items, "anyOf", fault, path).ok().flatten()
    }

    /// ELICIT-SCHEMA-033: choices by `enum`, with `type` "string".
    fn untitled_items(
        &mut self,
        value: &Value,
        items: &Object,
        path: &Path<'_>,
    ) -> Option<Vec<ChoiceOption>> {
        let has_type = given(items, "type").is_some();
        let has_enum = given(items, "enum").is_some();
        let one_of = given(items, "oneOf");
        if let (false, Some(one_of)) = (has_enum, one_of) {
            self.features.insert(Feature::TitledItems);
            self.findings.violation(
                SchemaFault::TitledItems,
                &path.member("oneOf"),
                Some(one_of),
                "anyOf for titled choices of a multi-select",
            );
            self.foreign_or_enum_names(items, ITEMS, &["oneOf"], path);
            return None;
        }
        self.features.insert(Feature::UntitledItems);
        if has_enum && given(items, "anyOf").is_some() && self.version == Version::AcpV2 {
            // The clause forbids `anyOf` beside a known type; the typed reader takes the enum and ignores it.
            self.findings.add(
                SchemaFault::TitledItemsWithType,
                Weight::Unclear,
                &path.member("anyOf"),
                given(items, "anyOf"),
                "no anyOf beside type",
            );
        }
        self.foreign_or_enum_names(items, ITEMS, &[], path);
        let fault = SchemaFault::UntitledItems;
        match (has_type, has_enum) {
            (true, true) => self.values(items, fault, path).ok().flatten(),
            (true, false) => {
                let expected = "an array of strings: free lists are not in the grammar";
                self.findings
                    .violation(fault, &path.member("enum"), None, expected);
                None
            }
            (false, true) => {
                self.findings
                    .violation(fault, &path.member("type"), None, "\"string\"");
                if given(items, "enum").is_some_and(Value::is_array) {
                    self.features.insert(Feature::Choice);
                }
                None
            }
            (false, false) => {
                let expected = "either type and enum, or anyOf";
                self.findings.violation(fault, path, Some(value), expected);
                None
            }
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

    fn label(&mut self, members: &Object, name: &str, path: &Path<'_>) {
        if let Some(value) = given(members, name).filter(|value| !value.is_string()) {
            let at = path.member(name);
            self.findings
                .violation(SchemaFault::Label, &at, Some(value), "a string");
        }
    }

    fn foreign_of_property(
        &mut self,
        members: &Object,
        own: &[&str],
        excused: &[&str],
        path: &Path<'_>,
    ) {
        // The boolean `required` of an old JSON Schema draft is the one foreign keyword that a clause forbids.
        let required = given(members, "required").filter(|value| value.is_boolean());
        if let Some(required) = required {
            self.features.insert(Feature::Required);
            self.findings.violation(
                SchemaFault::Required,
                &path.member("required"),
                Some(required),
                "the property's name in the form's own required",
            );
        }
        let excused = [
            excused,
            if required.is_some() {
                &["required"]
            } else {
                &[]
            },
        ]
        .concat();
        self.foreign_or_enum_names(members, &[PROPERTY, own].concat(), &excused, path);
    }

    /// As [`Self::foreign`], in nodes where titles for choices could stand (ELICIT-SCHEMA-021).
    fn foreign_or_enum_names(
        &mut self,
        members: &Object,
        own: &[&str],
        excused: &[&str],
        path: &Path<'_>,
    ) {
        if let Some(names) = given(members, "enumNames") {
            self.findings.warning(
                SchemaFault::EnumNames,
                &path.member("enumNames"),
                Some(names),
                "titles by oneOf (single-select) or anyOf (multi-select)",
            );
        }
        self.foreign(members, &[own, &["enumNames"]], excused, path);
    }

    /// ELICIT-SCHEMA-030. A foreign keyword that is null expresses nothing.
    fn foreign(&mut self, members: &Object, own: &[&[&str]], excused: &[&str], path: &Path<'_>) {
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let known = own.iter().any(|own| own.contains(&name.as_str()));
            if !known && !excused.contains(&name.as_str()) {
                self.findings.warning(
                    SchemaFault::ForeignKeyword,
                    &path.member(name),
                    Some(value),
                    "a keyword of the restricted schema",
                );
            }
        }
    }
}

/// The member, if it is a string.
fn text(object: &Value, name: &str) -> Option<String> {
    object.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// `enum` beside `oneOf`: no text says which counts, so an answer may come from either. Those in both stand first.
fn either(plain: Vec<ChoiceOption>, titled: Vec<ChoiceOption>) -> Vec<ChoiceOption> {
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
