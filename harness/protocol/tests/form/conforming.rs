//! Forms and requests that conform, of every kind, with every optional keyword absent, null or present.

use elenchus_protocol::Version;
use proptest::{collection, option, prelude::*, sample};
use serde_json::{Map, Value, json};

/// What kinds of property there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Enum,
    OneOf,
    Number,
    Integer,
    Boolean,
    Untitled,
    Titled,
    Extension,
    ExtensionItems,
}

impl Kind {
    pub(crate) const ALL: [Self; 10] = [
        Self::Text,
        Self::Enum,
        Self::OneOf,
        Self::Number,
        Self::Integer,
        Self::Boolean,
        Self::Untitled,
        Self::Titled,
        Self::Extension,
        Self::ExtensionItems,
    ];
}

pub(crate) fn version() -> impl Strategy<Value = Version> {
    sample::select(Version::ALL.to_vec())
}

/// Any text: empty, with the letters that pointers escape, beyond ASCII and beyond the BMP.
pub(crate) fn text() -> BoxedStrategy<String> {
    prop_oneof![
        sample::select(vec![
            "",
            "a",
            "a.b",
            "a/b~c~1",
            "__proto__",
            "größe",
            "🜁🜂",
            "type",
            "properties",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,8}",
        "\\PC{0,6}",
    ]
    .boxed()
}

/// A member that may be absent or null.
fn optional(
    name: &'static str,
    value: impl Strategy<Value = Value> + 'static,
) -> BoxedStrategy<Option<(String, Value)>> {
    prop_oneof![Just(None), Just(Some(Value::Null)), value.prop_map(Some),]
        .prop_map(move |value| value.map(|value| (name.to_owned(), value)))
        .boxed()
}

/// A member that is there.
fn member(
    name: &'static str,
    value: impl Strategy<Value = Value> + 'static,
) -> BoxedStrategy<Option<(String, Value)>> {
    value
        .prop_map(move |value| Some((name.to_owned(), value)))
        .boxed()
}

/// An object of these members, in any order.
fn object(members: Vec<BoxedStrategy<Option<(String, Value)>>>) -> BoxedStrategy<Value> {
    members
        .prop_map(|members| members.into_iter().flatten().collect::<Vec<_>>())
        .prop_shuffle()
        .prop_map(|members| Value::Object(members.into_iter().collect()))
        .boxed()
}

fn words() -> impl Strategy<Value = Value> + 'static {
    text().prop_map(Value::from)
}

fn meta() -> BoxedStrategy<Option<(String, Value)>> {
    optional(
        "_meta",
        Just(json!({"example.org/hint": {"type": "object"}})),
    )
}

fn labels() -> Vec<BoxedStrategy<Option<(String, Value)>>> {
    vec![
        optional("title", words()),
        optional("description", words()),
        meta(),
    ]
}

/// Lower and upper bound, in order.
fn bounds<T: Into<Value> + PartialOrd + Copy + std::fmt::Debug + 'static>(
    lower: &'static str,
    upper: &'static str,
    number: impl Strategy<Value = T> + Clone + 'static,
) -> BoxedStrategy<Vec<(String, Value)>> {
    (option::of(number.clone()), option::of(number))
        .prop_map(move |(one, other)| {
            let (low, high) = match (one, other) {
                (Some(one), Some(other)) if one > other => (Some(other), Some(one)),
                pair => pair,
            };
            let low = low.map(|low| (lower.to_owned(), low.into()));
            let high = high.map(|high| (upper.to_owned(), high.into()));
            low.into_iter().chain(high).collect()
        })
        .boxed()
}

fn option_entry(value: String) -> BoxedStrategy<Value> {
    object(vec![
        member("const", Just(value.into())),
        member("title", words()),
        optional("description", words()),
        meta(),
    ])
}

fn values() -> BoxedStrategy<Vec<String>> {
    collection::hash_set(text(), 1..5)
        .prop_map(|values| {
            let mut values: Vec<_> = values.into_iter().collect();
            values.sort();
            values
        })
        .boxed()
}

fn entries() -> BoxedStrategy<Vec<Value>> {
    values()
        .prop_flat_map(|values| values.into_iter().map(option_entry).collect::<Vec<_>>())
        .boxed()
}

fn format(version: Version) -> BoxedStrategy<Option<(String, Value)>> {
    let known = sample::select(vec!["email", "uri", "date", "date-time"]).prop_map(Value::from);
    match version {
        Version::AcpV1 => optional("format", known),
        Version::AcpV2 => optional("format", prop_oneof![known, words()]),
    }
}

/// A property of this kind.
pub(crate) fn property(kind: Kind, version: Version) -> BoxedStrategy<Value> {
    let mut members = labels();
    let mut more = Just(Vec::new()).boxed();
    let name = match kind {
        Kind::Text => {
            members.push(optional("default", words()));
            // With a format, bounds of the length easily leave no text at all.
            let lengths = bounds("minLength", "maxLength", 0..200_u32);
            let format = format(version).prop_map(|format| format.into_iter().collect());
            more = prop_oneof![lengths, format].boxed();
            members.push(match version {
                Version::AcpV1 => optional("pattern", words()),
                Version::AcpV2 => optional("pattern", Just(Value::Null)),
            });
            "string"
        }
        Kind::Enum => {
            members.push(optional("default", words()));
            members.push(member("enum", values().prop_map(Value::from)));
            "string"
        }
        Kind::OneOf => {
            members.push(optional("default", words()));
            members.push(member("oneOf", entries().prop_map(Value::from)));
            members.push(optional("enum", Just(Value::Null)));
            "string"
        }
        Kind::Number => {
            let number = prop_oneof![
                any::<i32>().prop_map(f64::from),
                -1e9..1e9_f64,
                Just(1e300),
                Just(-1e300)
            ];
            members.push(optional("default", number.clone().prop_map(Value::from)));
            more = bounds("minimum", "maximum", number);
            "number"
        }
        Kind::Integer => {
            let number = prop_oneof![any::<i64>(), -5..5_i64, Just(i64::MIN), Just(i64::MAX)];
            members.push(optional("default", number.clone().prop_map(Value::from)));
            more = bounds("minimum", "maximum", number);
            "integer"
        }
        Kind::Boolean => {
            members.push(optional("default", any::<bool>().prop_map(Value::from)));
            "boolean"
        }
        Kind::Untitled | Kind::Titled => {
            let defaults = collection::vec(text(), 0..3).prop_map(Value::from);
            members.push(optional("default", defaults));
            more = match kind {
                Kind::Untitled => values().prop_flat_map(untitled_items).boxed(),
                _ => entries()
                    .prop_flat_map(move |entries| titled_items(entries, version))
                    .boxed(),
            };
            "array"
        }
        Kind::Extension => {
            members = vec![
                optional("title", Just(json!(5))),
                optional("required", Just(json!(true))),
                optional("properties", Just(json!({"nested": {"type": "object"}}))),
            ];
            "_colour"
        }
        Kind::ExtensionItems => {
            let items = json!({"type": "_token", "oneOf": 5, "anyOf": [{"const": 1}], "enum": []});
            members.push(member("items", Just(items)));
            "array"
        }
    };
    members.push(member("type", Just(name.into())));
    (object(members), more)
        .prop_map(|(mut property, more)| {
            if let Value::Object(members) = &mut property {
                members.extend(more);
            }
            property
        })
        .boxed()
}

/// Items, and bounds of the count that leave a selection.
fn with_counts(items: BoxedStrategy<Value>, choices: usize) -> BoxedStrategy<Vec<(String, Value)>> {
    let choices = u64::try_from(choices).unwrap_or(u64::MAX);
    (items, option::of(0..=choices), option::of(0..3_u64))
        .prop_map(|(items, min, above)| {
            let max = above.map(|above| min.unwrap_or(0) + above);
            let mut members = vec![("items".to_owned(), items)];
            members.extend(min.map(|min| ("minItems".to_owned(), min.into())));
            members.extend(max.map(|max| ("maxItems".to_owned(), max.into())));
            members
        })
        .boxed()
}

fn untitled_items(values: Vec<String>) -> BoxedStrategy<Vec<(String, Value)>> {
    let choices = values.len();
    let items = object(vec![
        member("type", Just("string".into())),
        member("enum", Just(values.into())),
        meta(),
    ]);
    with_counts(items, choices)
}

fn titled_items(entries: Vec<Value>, version: Version) -> BoxedStrategy<Vec<(String, Value)>> {
    let choices = entries.len();
    let mut members = vec![member("anyOf", Just(entries.into())), meta()];
    if version == Version::AcpV1 {
        // v1 tolerates the type here.
        members.push(optional("type", Just("string".into())));
    }
    with_counts(object(members), choices)
}

/// A form with these kinds of property.
pub(crate) fn form_of(kinds: Vec<Kind>, version: Version) -> BoxedStrategy<Value> {
    let named = (text(), sample::select(kinds))
        .prop_flat_map(move |(name, kind)| (Just(name), property(kind, version), any::<bool>()));
    collection::vec(named, 0..6)
        .prop_flat_map(|properties| {
            let required: Vec<&str> = properties
                .iter()
                .filter(|(_, _, required)| *required)
                .map(|(name, _, _)| name.as_str())
                .collect();
            let required = Value::from(required);
            let properties: Map<String, Value> = properties
                .into_iter()
                .map(|(name, property, _)| (name, property))
                .collect();
            let mut members = labels();
            members.push(member("type", Just("object".into())));
            members.push(member("properties", Just(properties.into())));
            members.push(optional("required", Just(required)));
            object(members)
        })
        .boxed()
}

/// A form with any kinds of property.
pub(crate) fn form(version: Version) -> BoxedStrategy<Value> {
    form_of(Kind::ALL.to_vec(), version)
}

/// What a scope is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Session,
    ToolCall,
    Request,
}

/// What an elicitation asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModeKind {
    Form,
    Url,
    Extension,
}

/// The params of an `elicitation/create`.
pub(crate) fn create_of(
    scope: ScopeKind,
    mode: ModeKind,
    version: Version,
) -> BoxedStrategy<Value> {
    // No link stands in these texts.
    let mut members = vec![member("message", words()), meta()];
    match scope {
        ScopeKind::Session => {
            members.push(member("sessionId", words()));
            members.push(optional("toolCallId", Just(Value::Null)));
        }
        ScopeKind::ToolCall => {
            members.push(member("sessionId", words()));
            members.push(member("toolCallId", words()));
        }
        ScopeKind::Request => {
            let number = any::<i64>().prop_map(Value::from);
            members.push(member("requestId", prop_oneof![words(), number]));
        }
    }
    match mode {
        ModeKind::Form => {
            members.push(member("mode", Just("form".into())));
            members.push(member("requestedSchema", form(version)));
        }
        ModeKind::Url => {
            members.push(member("mode", Just("url".into())));
            members.push(member("elicitationId", words()));
            members.push(member("url", Just("https://example.com/?e=1".into())));
        }
        ModeKind::Extension => {
            members.push(member("mode", Just("_voice".into())));
            members.push(optional("requestedSchema", Just(json!(5))));
            members.push(optional("url", Just(json!(5))));
        }
    }
    object(members)
}

/// The params of an `elicitation/create` of any kind.
pub(crate) fn create(version: Version) -> BoxedStrategy<Value> {
    let scopes = vec![ScopeKind::Session, ScopeKind::ToolCall, ScopeKind::Request];
    let modes = vec![ModeKind::Form, ModeKind::Url, ModeKind::Extension];
    (sample::select(scopes), sample::select(modes))
        .prop_flat_map(move |(scope, mode)| create_of(scope, mode, version))
        .boxed()
}
