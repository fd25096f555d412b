//! The tables of messages.

use elenchus_protocol::{Version, acp::shapes::Part};
use serde_json::Value;

/// One message of a table.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) version: Version,
    pub(crate) method: &'static str,
    pub(crate) part: Part,
    pub(crate) value: Value,
}

/// All legal messages.
pub(crate) fn legal() -> Vec<Message> {
    let v1 = lines(include_str!("legal-v1.txt")).map(|line| message(Version::AcpV1, line));
    let v2 = lines(include_str!("legal-v2.txt")).map(|line| message(Version::AcpV2, line));
    v1.chain(v2).collect()
}

/// Lines with content.
pub(crate) fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// `method part value`.
pub(crate) fn message(version: Version, line: &'static str) -> Message {
    let [method, part, value] = line
        .splitn(3, ' ')
        .collect::<Vec<_>>()
        .try_into()
        .expect("method, part and value");
    let part = match part {
        "params" => Part::Params,
        "result" => Part::Result,
        other => panic!("{other} is no part: {line}"),
    };
    let value = serde_json::from_str(value).unwrap_or_else(|error| panic!("{error}: {line}"));
    Message {
        version,
        method,
        part,
        value,
    }
}

/// All pointers into a value, the root first.
pub(crate) fn places(value: &Value) -> Vec<String> {
    let mut places = vec![String::new()];
    let mut add = |step: &str, child: &Value| {
        places.extend(
            self::places(child)
                .into_iter()
                .map(|place| format!("/{step}{place}")),
        );
    };
    match value {
        Value::Object(members) => {
            for (name, child) in members {
                add(&name.replace('~', "~0").replace('/', "~1"), child);
            }
        }
        Value::Array(elements) => {
            for (index, child) in elements.iter().enumerate() {
                add(&index.to_string(), child);
            }
        }
        _ => {}
    }
    places
}
