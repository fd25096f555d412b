//! The walk along a schema agrees with a general JSON Schema validator on what is legal.
//!
//! Two differences are meant, and are written into the schemas before the validator reads them: null may stand for an
//! optional member, and a value whose discriminator names a branch must fit that branch.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex},
};

use elenchus_protocol::{
    Version,
    acp::shapes::{Part, check, misspelt},
};
use jsonschema::Validator;
use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value, json};

use crate::tables::{Message, legal, places};

fn schemas(version: Version) -> Value {
    let text = match version {
        Version::AcpV1 => include_str!("../../schemas/acp-v1.json"),
        Version::AcpV2 => include_str!("../../schemas/acp-v2.json"),
    };
    serde_json::from_str(text).expect("JSON")
}

/// The schema with the two differences written in.
fn meant(schema: &Value) -> Value {
    match schema {
        Value::Array(schemas) => schemas.iter().map(meant).collect(),
        Value::Object(keywords) => {
            // Under `properties` the keys are names of members, whatever they look like.
            let inside = |keyword: &str, value: &Value| match (keyword, value) {
                ("const" | "enum" | "required", value) => value.clone(),
                ("properties", Value::Object(members)) => members
                    .iter()
                    .map(|(name, member)| (name.clone(), meant(member)))
                    .collect(),
                (_, value) => meant(value),
            };
            let mut keywords: Map<_, _> = keywords
                .iter()
                .map(|(keyword, value)| (keyword.clone(), inside(keyword, value)))
                .collect();
            let required = keywords
                .get("required")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default();
            if let Some(Value::Object(members)) = keywords.get_mut("properties") {
                for (name, member) in members {
                    if !required.contains(&json!(name)) {
                        *member = json!({"anyOf": [member.take(), {"type": "null"}]});
                    }
                }
            }
            for union in ["anyOf", "oneOf"] {
                if let Some(Value::Array(branches)) = keywords.get_mut(union) {
                    close_open_branches(branches);
                }
            }
            Value::Object(keywords)
        }
        scalar => scalar.clone(),
    }
}

/// A branch without a discriminator takes no value whose discriminator names another branch.
fn close_open_branches(branches: &mut [Value]) {
    let constant = |branch: &Value| {
        let members = branch.get("properties")?.as_object()?;
        members
            .iter()
            .find_map(|(name, member)| Some((name.clone(), member.get("const")?.clone())))
    };
    let constants: Vec<_> = branches.iter().filter_map(constant).collect();
    let Some((name, _)) = constants.first().cloned() else {
        return;
    };
    let constants: Vec<_> = constants
        .into_iter()
        .map(|(_, constant)| constant)
        .collect();
    for branch in branches
        .iter_mut()
        .filter(|branch| constant(branch).is_none())
    {
        if let Value::Object(keywords) = branch {
            let taken = json!({"properties": {&name: {"enum": constants}}, "required": [&name]});
            keywords.entry("not").or_insert(taken);
        }
    }
}

/// A validator of the general kind, made once for each shape.
fn validator(message: &Message) -> Option<Arc<Validator>> {
    type Made = HashMap<(Version, &'static str, Part), Option<Arc<Validator>>>;
    static MADE: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock().expect("no test panics while it holds the lock");
    let key = (message.version, message.method, message.part);
    let validator = made.entry(key).or_insert_with(|| {
        let schemas = schemas(message.version);
        let part = if message.part == Part::Params {
            "params"
        } else {
            "result"
        };
        let root = schemas["methods"][message.method].get(part)?;
        let definitions = schemas["$defs"].as_object().expect("definitions");
        let definitions: Map<_, _> = definitions
            .iter()
            .map(|(name, schema)| (name.clone(), meant(schema)))
            .collect();
        let whole = json!({"allOf": [root], "$defs": definitions});
        Some(Arc::new(
            jsonschema::draft202012::new(&whole).expect("a schema"),
        ))
    });
    validator.clone()
}

/// What the mutations put into a message: scalars of every kind, and everything that stands in legal messages.
static PARTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let scalars = json!([null, true, 0, -1, 1, 1.0, 1.5, 65536, "", "_own", "x", [], {}, [null], {"type": "_own"}]);
    let mut parts = scalars.as_array().cloned().unwrap_or_default();
    for message in legal() {
        parts.extend(
            places(&message.value)
                .iter()
                .filter_map(|place| message.value.pointer(place))
                .cloned(),
        );
    }
    parts
});

/// Something that is done to one place of a message.
#[derive(Debug, Clone)]
enum Mutation {
    Replace(Value),
    Remove(prop::sample::Index),
    RenameType(&'static str),
    Append(Value),
}

impl Mutation {
    fn apply(self, place: &mut Value) {
        match (self, place) {
            (Self::Replace(part), place) => *place = part,
            (Self::Remove(which), Value::Object(members)) if !members.is_empty() => {
                let victim = members.keys().nth(which.index(members.len())).cloned();
                victim.and_then(|name| members.shift_remove(&name));
            }
            (Self::Remove(_), Value::Array(elements)) => {
                elements.pop();
            }
            (Self::RenameType(name), Value::Object(members)) => {
                if let Some(member) = members.shift_remove("type") {
                    members.insert(name.to_owned(), member);
                }
            }
            (Self::Append(part), Value::Array(elements)) => elements.push(part),
            _ => {}
        }
    }
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let part = || select(PARTS.clone());
    prop_oneof![
        4 => part().prop_map(Mutation::Replace),
        3 => any::<prop::sample::Index>().prop_map(Mutation::Remove),
        1 => select(vec!["Type", "kind", "mode"]).prop_map(Mutation::RenameType),
        1 => part().prop_map(Mutation::Append),
    ]
}

/// Mutated messages are cheap, and their space is large.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 4096,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_legal_is_what_a_general_validator_says(
        message in select(legal()),
        mutations in prop::collection::vec((any::<prop::sample::Index>(), mutation()), 0..4),
    ) {
        let mut message = message;
        for (at, mutation) in mutations {
            let places = places(&message.value);
            let place = &places[at.index(places.len())];
            mutation.apply(message.value.pointer_mut(place).expect("a place of the message"));
        }
        let Message { version, method, part, value } = &message;
        prop_assert!(misspelt(*version, method, *part, value).len() <= 16);
        // A result without required members may be null, which no schema says.
        if !value.is_null() {
            let validator = validator(&message).expect("every legal message has a shape");
            let found = check(*version, method, *part, value);
            prop_assert_eq!(validator.is_valid(value), found.is_empty(), "{:?}\n{}", found, value);
        }
    }
}
