//! JSON values whose names and texts are mostly words of the protocol.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// Names of members, and texts that mean something to a reader.
const WORDS: &[&str] = &[
    "",
    "a",
    "s",
    "type",
    "object",
    "string",
    "number",
    "integer",
    "boolean",
    "array",
    "title",
    "description",
    "default",
    "properties",
    "required",
    "items",
    "enum",
    "oneOf",
    "anyOf",
    "const",
    "pattern",
    "format",
    "email",
    "uri",
    "date",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "enumNames",
    "_meta",
    "_x",
    "sessionId",
    "requestId",
    "toolCallId",
    "mode",
    "form",
    "url",
    "message",
    "requestedSchema",
    "elicitationId",
    "action",
    "accept",
    "decline",
    "cancel",
    "content",
    "protocolVersion",
    "clientCapabilities",
    "agentCapabilities",
    "capabilities",
    "elicitation",
    "sessionUpdate",
    "agent_message_chunk",
    "state_update",
    "text",
    "stopReason",
    "end_turn",
    "cancelled",
    "code",
    "data",
    "password",
    "token",
    "https://example.com/",
    "größe",
    "\u{1f701}",
    "\u{1b}[31m",
    "a/b~c",
];

/// Numbers at which something changes.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "1.0",
    "0.5",
    "-0.0",
    "1e3",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e300",
    "-1e300",
    "1e-300",
];

/// Once in so many times; never when the bytes are used up.
pub fn seldom(u: &mut Unstructured<'_>, times: u32) -> Result<bool> {
    Ok(u.int_in_range(1..=times)? == times)
}

/// One of the words.
pub fn word(u: &mut Unstructured<'_>) -> Result<&'static str> {
    u.choose(WORDS).copied()
}

/// A word, or any short text.
pub fn text(u: &mut Unstructured<'_>) -> Result<String> {
    if !seldom(u, 4)? {
        return Ok(word(u)?.to_owned());
    }
    let length = u.int_in_range(0..=12)?;
    (0..length).map(|_| u.arbitrary::<char>()).collect()
}

/// A number: one at which something changes, or any.
pub fn number(u: &mut Unstructured<'_>) -> Result<Value> {
    if !seldom(u, 2)? {
        return Ok(Value::from(u.int_in_range(-3..=6)?));
    }
    if !seldom(u, 4)? {
        let text = *u.choose(NUMBERS)?;
        return Ok(serde_json::from_str(text).expect("the list holds numbers"));
    }
    let float: f64 = u.arbitrary()?;
    Ok(json!(float))
}

/// Any value, this many levels deep at most.
pub fn value(u: &mut Unstructured<'_>, depth: u32) -> Result<Value> {
    let kinds = if depth == 0 { 3 } else { 5 };
    Ok(match u.int_in_range(0..=kinds)? {
        0 => Value::Null,
        1 => Value::Bool(u.arbitrary()?),
        2 => number(u)?,
        3 => text(u)?.into(),
        4 => {
            let length = u.int_in_range(0..=3)?;
            let members: Result<Vec<_>> = (0..length).map(|_| value(u, depth - 1)).collect();
            members?.into()
        }
        _ => {
            let length = u.int_in_range(0..=4)?;
            let members: Result<Map<_, _>> = (0..length)
                .map(|_| Ok((text(u)?, value(u, depth - 1)?)))
                .collect();
            members?.into()
        }
    })
}

/// Adds a member that is mostly as it should be; sometimes it is absent, null or anything.
pub fn member(
    u: &mut Unstructured<'_>,
    object: &mut Map<String, Value>,
    name: &str,
    good: impl FnOnce(&mut Unstructured<'_>) -> Result<Value>,
) -> Result<()> {
    let value = match u.int_in_range(0..=31)? {
        28 | 29 => return Ok(()),
        30 => Value::Null,
        31 => value(u, 2)?,
        _ => good(u)?,
    };
    object.insert(name.to_owned(), value);
    Ok(())
}

/// As [`member`], for what need not be there and mostly is not.
pub fn optional(
    u: &mut Unstructured<'_>,
    object: &mut Map<String, Value>,
    name: &str,
    good: impl FnOnce(&mut Unstructured<'_>) -> Result<Value>,
) -> Result<()> {
    let value = match u.int_in_range(0..=63)? {
        0..=43 => return Ok(()),
        44..=46 => Value::Null,
        47 => value(u, 2)?,
        _ => good(u)?,
    };
    object.insert(name.to_owned(), value);
    Ok(())
}
