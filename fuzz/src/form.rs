//! Form schemas that mostly conform, and answers that mostly fit.

use arbitrary::{Result, Unstructured};
use elenchus_protocol::form::{Field, FieldKind, Form};
use serde_json::{Map, Value, json};

use crate::json::{self, member, optional, seldom};

type Members = Map<String, Value>;

/// A `requestedSchema`.
pub fn schema(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut root = Members::new();
    member(u, &mut root, "type", |_| Ok("object".into()))?;
    let count = u.int_in_range(0..=4)?;
    let mut names = Vec::new();
    let mut properties = Members::new();
    for _ in 0..count {
        let name = json::text(u)?;
        properties.insert(name.clone(), property(u)?);
        names.push(name);
    }
    member(u, &mut root, "properties", |_| Ok(properties.into()))?;
    optional(u, &mut root, "required", |u| {
        names.retain(|_| u.arbitrary().unwrap_or(false));
        Ok(names.into())
    })?;
    labels(u, &mut root)?;
    stranger(u, &mut root)?;
    Ok(root.into())
}

fn labels(u: &mut Unstructured<'_>, members: &mut Members) -> Result<()> {
    optional(u, members, "title", |u| Ok(json::text(u)?.into()))?;
    optional(u, members, "description", |u| Ok(json::text(u)?.into()))?;
    optional(u, members, "_meta", |u| json::value(u, 1))
}

/// Now and then, a member that may or may not have a place here.
fn stranger(u: &mut Unstructured<'_>, members: &mut Members) -> Result<()> {
    if seldom(u, 32)? {
        members.insert(json::text(u)?, json::value(u, 2)?);
    }
    Ok(())
}

fn property(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut members = Members::new();
    let kind = *u.choose(&[
        "string", "number", "integer", "boolean", "array", "string", "array", "_x",
    ])?;
    member(u, &mut members, "type", |_| Ok(kind.into()))?;
    match kind {
        "string" => string(u, &mut members)?,
        "array" => array(u, &mut members)?,
        "number" | "integer" => {
            let bound = |u: &mut Unstructured<'_>| {
                if kind == "integer" {
                    Ok(Value::from(u.int_in_range(-3..=6)?))
                } else {
                    json::number(u)
                }
            };
            optional(u, &mut members, "minimum", bound)?;
            optional(u, &mut members, "maximum", bound)?;
            optional(u, &mut members, "default", bound)?;
        }
        _ => optional(u, &mut members, "default", |u| {
            Ok(u.arbitrary::<bool>()?.into())
        })?,
    }
    labels(u, &mut members)?;
    stranger(u, &mut members)?;
    Ok(members.into())
}

fn string(u: &mut Unstructured<'_>, members: &mut Members) -> Result<()> {
    match u.int_in_range(0..=3)? {
        0 => member(u, members, "enum", texts)?,
        1 => member(u, members, "oneOf", entries)?,
        2 => {
            let length = |u: &mut Unstructured<'_>| Ok(u.int_in_range(0..=6)?.into());
            optional(u, members, "minLength", length)?;
            optional(u, members, "maxLength", length)?;
        }
        _ => {
            optional(u, members, "format", |u| {
                Ok((*u.choose(&["email", "uri", "date", "date-time", "_x"])?).into())
            })?;
            optional(u, members, "pattern", |u| Ok(json::text(u)?.into()))?;
        }
    }
    optional(u, members, "default", |u| Ok(json::text(u)?.into()))
}

fn array(u: &mut Unstructured<'_>, members: &mut Members) -> Result<()> {
    let mut items = Members::new();
    if u.arbitrary()? {
        member(u, &mut items, "type", |u| {
            Ok((*u.choose(&["string", "string", "_x"])?).into())
        })?;
        member(u, &mut items, "enum", texts)?;
    } else {
        optional(u, &mut items, "type", |_| Ok("string".into()))?;
        member(u, &mut items, "anyOf", entries)?;
    }
    stranger(u, &mut items)?;
    member(u, members, "items", |_| Ok(items.into()))?;
    let count = |u: &mut Unstructured<'_>| Ok(u.int_in_range(0..=3)?.into());
    optional(u, members, "minItems", count)?;
    optional(u, members, "maxItems", count)?;
    optional(u, members, "default", texts)
}

fn texts(u: &mut Unstructured<'_>) -> Result<Value> {
    let count = u.int_in_range(0..=3)?;
    (0..count)
        .map(|_| Ok(Value::from(json::text(u)?)))
        .collect()
}

fn entries(u: &mut Unstructured<'_>) -> Result<Value> {
    let count = u.int_in_range(0..=3)?;
    (0..count)
        .map(|_| {
            let mut entry = Members::new();
            member(u, &mut entry, "const", |u| Ok(json::text(u)?.into()))?;
            member(u, &mut entry, "title", |u| Ok(json::text(u)?.into()))?;
            optional(u, &mut entry, "description", |u| Ok(json::text(u)?.into()))?;
            stranger(u, &mut entry)?;
            Ok(Value::Object(entry))
        })
        .collect()
}

/// The content of an answer to a form.
pub fn answer(u: &mut Unstructured<'_>, form: &Form) -> Result<Value> {
    let mut content = Members::new();
    for field in &form.fields {
        member(u, &mut content, &field.name, |u| fitting(u, field))?;
    }
    stranger(u, &mut content)?;
    Ok(content.into())
}

/// A value of the field's type, within its bounds or near to them.
fn fitting(u: &mut Unstructured<'_>, field: &Field) -> Result<Value> {
    Ok(match &field.kind {
        FieldKind::Text { min, max, .. } => {
            let around = min.or(*max).unwrap_or(2).min(64);
            let length = u.int_in_range(around.saturating_sub(2)..=around + 2)?;
            let letter = *u.choose(&['a', 'é', '\u{1f701}'])?;
            (0..length).map(|_| letter).collect::<String>().into()
        }
        FieldKind::Choice(options) if !options.is_empty() && !seldom(u, 8)? => {
            u.choose(options)?.value.clone().into()
        }
        FieldKind::Choice(_) => json::text(u)?.into(),
        FieldKind::Number { .. } | FieldKind::Integer { .. } => json::number(u)?,
        FieldKind::Boolean => u.arbitrary::<bool>()?.into(),
        FieldKind::MultiSelect { options, .. } => {
            let count = u.int_in_range(0..=4)?;
            let pick = |_| {
                if options.is_empty() || seldom(u, 16)? {
                    Ok(Value::from(json::text(u)?))
                } else {
                    Ok(json!(u.choose(options)?.value))
                }
            };
            (0..count).map(pick).collect::<Result<_>>()?
        }
        FieldKind::Other => json::value(u, 1)?,
    })
}
