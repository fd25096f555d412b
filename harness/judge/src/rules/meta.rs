//! META: what stands under `_meta`.

use elenchus_protocol::acp::methods;
use serde_json::Value;

use super::{
    report::quoted,
    told::{is_echoed, misfit},
};
use crate::{
    fact::Moment,
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS},
    rule::{Rule, Why},
};

pub(super) const RULES: &[Rule] = &[
    SHAPE.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    TRACE_CONTEXT.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
];

/// META-001: a `_meta` is an object, or null. (extensibility#the-_meta-field)
const SHAPE: Rule = Rule::check("ACP-META-001", |m, says| {
    let Some(payload) = m.payload().filter(|payload| payload.from == m.judged) else {
        return;
    };
    if methods::method(m.conn.version(), payload.method).is_none() {
        return;
    }
    let wrong: Vec<_> = m
        .meta_mismatches()
        .iter()
        .filter(|mismatch| !is_echoed(m, &mismatch.pointer))
        .collect();
    for mismatch in &wrong {
        says.broken(misfit(payload.method, mismatch));
    }
    if wrong.is_empty() && !metas(m, payload.value).is_empty() {
        says.upheld();
    }
})
.of_both();

/// The `_meta` of a payload with the place of each, wherever it stands outside of another one and of what a tool takes
/// and gives.
fn metas<'v>(m: &Moment<'_>, value: &'v Value) -> Vec<(String, &'v Value)> {
    let mut found = Vec::new();
    // Most messages have none, and a look at the text costs little. Any letter may be written as an escape.
    let may = |text: &str| text.contains("\"_meta\"") || text.contains("\\u");
    if m.text().is_some_and(may) {
        collect(value, &mut String::new(), &mut found);
    }
    found
}

fn collect<'v>(value: &'v Value, place: &mut String, found: &mut Vec<(String, &'v Value)>) {
    let before = place.len();
    let mut inside = |name: &str, member: &'v Value| {
        place.push('/');
        place.push_str(name);
        match name {
            "_meta" => found.push((place.clone(), member)),
            "rawInput" | "rawOutput" => {}
            _ => collect(member, place, found),
        }
        place.truncate(before);
    };
    match value {
        Value::Array(elements) => {
            for (number, element) in elements.iter().enumerate() {
                inside(&number.to_string(), element);
            }
        }
        Value::Object(members) => members
            .iter()
            .for_each(|(name, member)| inside(name, member)),
        _ => {}
    }
}

/// META-004: traceparent, tracestate and baggage are those of W3C. (extensibility#the-_meta-field)
const TRACE_CONTEXT: Rule = Rule::check("ACP-META-004", |m, says| {
    let Some(payload) = m.payload().filter(|payload| payload.from == m.judged) else {
        return;
    };
    let own = metas(m, payload.value).into_iter();
    for (_, meta) in own.filter(|(place, _)| !is_echoed(m, place)) {
        for name in ["traceparent", "tracestate", "baggage"] {
            // Null deletes a key (META-006).
            let Some(value) = meta.get(name).filter(|value| !value.is_null()) else {
                continue;
            };
            let fits = |text: &str| match name {
                "traceparent" => is_traceparent(text),
                _ => is_list(text),
            };
            says.holds(value.as_str().is_some_and(fits), || {
                Why::new(
                    format!("a {name} as W3C has it"),
                    format!(
                        "{name} in a _meta of {} is {}",
                        payload.method,
                        quoted(value)
                    ),
                )
            });
        }
    }
})
.of_both();

/// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`; a later version than 00 may have more behind that.
/// (W3C Trace Context, section 3.2)
fn is_traceparent(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let hex = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let some = |part: &str| part.bytes().any(|b| b != b'0');
    match parts[..] {
        [version, trace, parent, flags, ref rest @ ..] => {
            hex(version, 2)
                && version != "ff"
                && hex(trace, 32)
                && some(trace)
                && hex(parent, 16)
                && some(parent)
                && hex(flags, 2)
                && (rest.is_empty() || version != "00")
        }
        _ => false,
    }
}

/// `a=1, b=2;c`: members of a name and a value; an empty one counts for nothing. Which characters may stand in them is
/// not looked into. (W3C Trace Context, section 3.3; W3C Baggage, section 3.3)
fn is_list(text: &str) -> bool {
    text.split(',').map(str::trim).all(|member| {
        let name = member.split_once('=').map(|(name, _)| name.trim());
        member.is_empty() || name.is_some_and(|name| !name.is_empty() && !name.contains(' '))
    })
}
