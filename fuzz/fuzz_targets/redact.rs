//! Any text and any JSON with secrets in it: JSON stays JSON, twice is once, no password remains.
//!
//! The input's first line is a secret that the redactor knows; the rest is the text. The same bytes
//! also decide a JSON document, with JSON inside of strings.

#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use elenchus_wire::redact::{MARKER, Redactor};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (secret, rest) = text.split_once('\n').unwrap_or(("", &text));
    let redactor = Redactor::new([secret.to_owned()]);
    check(&redactor, rest);
    check(&Redactor::default(), &text);

    let once = redactor.bytes(bytes);
    assert_eq!(redactor.bytes(&once), once);

    if let Ok(json) = Json::arbitrary(&mut Unstructured::new(bytes)) {
        let text = json.value(4).to_string();
        check(&redactor, &text);
        let shown = Redactor::default().text(&text).into_owned();
        no_password(&serde_json::from_str(&shown).expect("JSON stays JSON"));
    }
});

fn check(redactor: &Redactor, text: &str) {
    let once = redactor.text(text);
    assert_eq!(redactor.text(&once), once);
    if is_json(text) {
        assert!(is_json(&once), "{once}");
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// No member `password` holds a text, at any depth, in strings that are JSON too.
fn no_password(value: &Value) {
    match value {
        Value::Array(values) => values.iter().for_each(no_password),
        Value::Object(members) => {
            for (name, value) in members {
                if let ("password", Value::String(text)) = (&**name, value) {
                    assert!(text.is_empty() || text == MARKER, "{text}");
                }
                no_password(value);
            }
        }
        Value::String(text) => {
            if let Ok(value) = serde_json::from_str(text) {
                no_password(&value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[derive(Debug, Arbitrary)]
enum Json {
    Number(i64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(Name, Json)>),
    /// JSON as a string.
    Nested(Box<Json>),
}

#[derive(Debug, Arbitrary)]
enum Name {
    Password,
    Name,
    Value,
    ApiKey,
    ProgressToken,
}

impl Json {
    /// `strings` is how many more levels of strings there may be: each doubles the backslashes.
    fn value(&self, strings: u32) -> Value {
        match self {
            Self::Number(number) => Value::from(*number),
            Self::Text(text) => Value::from(&**text),
            Self::Array(values) => values.iter().map(|value| value.value(strings)).collect(),
            Self::Object(members) => {
                let member =
                    |(name, value): &(Name, Self)| (name.text().to_owned(), value.value(strings));
                Value::from(members.iter().map(member).collect::<Map<_, _>>())
            }
            Self::Nested(value) if strings > 0 => Value::from(value.value(strings - 1).to_string()),
            Self::Nested(value) => value.value(0),
        }
    }
}

impl Name {
    fn text(&self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Name => "name",
            Self::Value => "value",
            Self::ApiKey => "api_key",
            Self::ProgressToken => "progressToken",
        }
    }
}
