//! The same form and the same answer for a general JSON Schema validator, which is another reader of both.
//!
//! Where the restricted schema means something else than JSON Schema does, that is written in here: an optional keyword
//! and a value that are null are omitted; `oneOf` and `anyOf` list choices, so that one that stands twice is one; what
//! an answer is not held to (patterns, and lengths beside choices, of which no text says what they mean) is left out.

use serde_json::{Map, Value};

/// The schema of a form, as a general validator reads it. `None` if it lists choices in two ways at once: no text says
/// which of them count.
pub(crate) fn schema(form: &Value) -> Option<Value> {
    let mut form = without_nulls(form);
    if let Some(Value::Array(required)) = form.get_mut("required") {
        let mut seen = Vec::new();
        required.retain(|name| !seen.contains(name) && (seen.push(name.clone()), true).1);
    }
    let properties = form.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        let Value::Object(property) = property else {
            continue;
        };
        property.shift_remove("pattern");
        choices(property, "oneOf")?;
        if let Some(Value::Object(items)) = property.get_mut("items") {
            choices(items, "anyOf")?;
        }
    }
    Some(form)
}

/// Leaves the choices of a property or of items, and what they are, alone.
fn choices(members: &mut Map<String, Value>, titled: &str) -> Option<()> {
    let plain = members.contains_key("enum");
    let Some(entries) = members.shift_remove(titled) else {
        if plain {
            without_lengths(members);
        }
        return Some(());
    };
    if plain {
        return None;
    }
    without_lengths(members);
    members.insert("anyOf".to_owned(), entries);
    Some(())
}

fn without_lengths(members: &mut Map<String, Value>) {
    members.shift_remove("minLength");
    members.shift_remove("maxLength");
}

/// The content of an answer, as a general validator reads it: a value that is null is omitted.
pub(crate) fn content(content: &Value) -> Value {
    match content {
        Value::Object(values) => values
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        other => other.clone(),
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(_, member)| !member.is_null())
            .map(|(name, member)| (name.clone(), without_nulls(member)))
            .collect(),
        Value::Array(members) => members.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}
