//! Any text as a line: it is read as another JSON reader reads it, and members are exact texts.

#![no_main]

use elenchus_wire::{Class, FrameDefect, Id, IdKey, Message, Parsed, mend_surrogates, message};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;
use serde_json::Value;

fuzz_target!(|text: &str| {
    match Message::parse(text) {
        Parsed::Message(found) => {
            assert!(is_json(text));
            check(text, &found);
        }
        Parsed::Defect(FrameDefect::NotJson { at, incomplete }) => {
            assert!(!is_json(text));
            assert_eq!(incomplete, at == text.len());
            if text.is_char_boundary(at) {
                let prefix = Message::parse(&text[..at]);
                let again = FrameDefect::NotJson {
                    at,
                    incomplete: true,
                };
                // All before the offset is the beginning of some JSON, if there is anything.
                assert!(
                    prefix == Parsed::Defect(again)
                        || is_json(&text[..at])
                        || at == 0
                        || blank(&text[..at])
                );
            }
        }
        Parsed::Defect(FrameDefect::TrailingGarbage { at }) => {
            assert!(!is_json(text) && is_json(&text[..at]));
        }
        Parsed::Defect(FrameDefect::Blank | FrameDefect::ByteOrderMark) => assert!(!is_json(text)),
        // Told early, so that nothing is known of the rest.
        Parsed::Defect(FrameDefect::TooDeep) => assert!(text.len() > 128),
        Parsed::Defect(FrameDefect::HugeNumber) => {
            assert!(is_json(text));
            assert!(serde_json::from_str::<Value>(&mend_surrogates(text)).is_err());
        }
        Parsed::Defect(FrameDefect::Scalar | FrameDefect::Batch { .. }) => assert!(is_json(text)),
        Parsed::Defect(other) => panic!("{other:?} is not for a parser to find"),
    }
    match Id(text.into()).key() {
        IdKey::Null => assert_eq!(text, "null"),
        IdKey::Number(_) | IdKey::String(_) => assert!(is_json(text)),
        IdKey::Other(other) => assert_eq!(other, text),
    }
});

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Holds a message to what a value of the same text says, and to what it is when written again.
fn check(text: &str, found: &Message<'_>) {
    let Ok(value) = serde_json::from_str::<Value>(&mend_surrogates(text)) else {
        // The other reader stops one level before us, so that members are within its limit.
        assert!(text.matches(['{', '[']).count() >= 128);
        return;
    };
    let object = value.as_object().expect("a message is an object");
    let members = [
        ("jsonrpc", found.jsonrpc),
        ("id", found.id),
        ("method", found.method_text),
        ("params", found.params),
        ("result", found.result),
        ("error", found.error),
    ];
    for (name, member) in members {
        let member = member.map(|text| {
            assert_eq!(text.trim(), text);
            serde_json::from_str::<Value>(&mend_surrogates(text)).expect("a member is JSON")
        });
        assert_eq!(member.as_ref(), object.get(name), "{name}");
    }
    assert_eq!(
        found.method.as_deref(),
        object.get("method").and_then(Value::as_str)
    );
    for name in &found.extra {
        assert!(object.contains_key(&**name));
        assert!(!members.iter().any(|(member, _)| member == name));
    }
    let class = match (object.contains_key("method"), object.contains_key("id")) {
        (true, true) => Class::Request,
        (true, false) => Class::Notification,
        _ if object.contains_key("result") || object.contains_key("error") => Class::Response,
        _ => Class::Other,
    };
    assert_eq!(found.class, class);

    let Some(id) = found.id else { return };
    let line = message::write_request(id, found.method.as_deref().unwrap_or(""), found.params);
    match Message::parse(&line) {
        Parsed::Message(again) => {
            assert_eq!(again.id, found.id);
            assert_eq!(again.params, found.params);
            assert_eq!(
                again.method.as_deref(),
                Some(found.method.as_deref().unwrap_or(""))
            );
            assert_eq!(again.id().map(|id| id.key()), found.id().map(|id| id.key()));
        }
        Parsed::Defect(defect) => panic!("{line}: {defect:?}"),
    }
}
