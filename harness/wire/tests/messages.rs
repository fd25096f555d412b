//! Lines to messages: members are exact texts, and what is no message is named.

use std::borrow::Cow;

use elenchus_wire::{
    Class, FrameDefect, Id, IdKey, Message, Parsed, mend_surrogates,
    message::{write_error, write_notification, write_request, write_result},
};
use proptest::{collection::vec, option, prelude::*};
use serde::de::IgnoredAny;
use serde_json::Value;

fn message(text: &str) -> Message<'_> {
    match Message::parse(text) {
        Parsed::Message(message) => message,
        Parsed::Defect(defect) => panic!("{text}: {defect:?}"),
    }
}

fn not_json(at: usize) -> FrameDefect {
    FrameDefect::NotJson {
        at,
        incomplete: false,
    }
}

fn incomplete(at: usize) -> FrameDefect {
    FrameDefect::NotJson {
        at,
        incomplete: true,
    }
}

#[test]
fn members_decide_the_class() {
    for (text, class) in [
        (r#"{"method":"m","id":1}"#, Class::Request),
        (r#"{"method":"m","id":null}"#, Class::Request),
        (r#"{"method":7,"id":1,"result":1}"#, Class::Request),
        (r#"{"method":"m"}"#, Class::Notification),
        (r#"{"method":"m","error":{}}"#, Class::Notification),
        (r#"{"id":1,"result":null}"#, Class::Response),
        (r#"{"id":1,"error":{},"result":1}"#, Class::Response),
        (r#"{"error":null}"#, Class::Response),
        (r#"{"id":1}"#, Class::Other),
        (r#" { "jsonrpc" : "2.0" } "#, Class::Other),
        ("{}", Class::Other),
    ] {
        assert_eq!(message(text).class, class, "{text}");
    }
}

#[test]
fn members_are_exact_texts_and_null_is_present() {
    let found = message(
        "{\"jsonrpc\" : \"2.0\", \"id\":\t1e3 ,\"method\":\"a\\/b\",\"params\": {\"x\" : 1.0} }",
    );
    assert_eq!(found.jsonrpc, Some("\"2.0\""));
    assert_eq!(found.id, Some("1e3"));
    assert_eq!(found.method.as_deref(), Some("a/b"));
    assert_eq!(found.method_text, Some("\"a\\/b\""));
    assert_eq!(found.params, Some("{\"x\" : 1.0}"));
    assert_eq!((found.result, found.error), (None, None));

    let found = message(
        r#"{"id":null,"result":null,"error":null,"params":null,"method":null,"jsonrpc":null}"#,
    );
    for member in [
        found.id,
        found.result,
        found.error,
        found.params,
        found.method_text,
        found.jsonrpc,
    ] {
        assert_eq!(member, Some("null"));
    }
    assert_eq!(found.method, None);
}

#[test]
fn duplicates_are_named_once_and_the_last_one_counts() {
    let found = message(r#"{"id":1,"\u0069d":2,"id":3,"x":1,"x":2,"method":"a","method":"b"}"#);
    assert_eq!(found.id, Some("3"));
    assert_eq!(found.method.as_deref(), Some("b"));
    assert_eq!(found.duplicates, ["id", "method"]);
    assert_eq!(found.extra, ["x", "x"]);
}

#[test]
fn what_is_no_message_is_named() {
    let deepest = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    let in_message = |value: &str| format!("{{\"params\":{value}}}");
    for (text, defect) in [
        (String::new(), FrameDefect::Blank),
        (" \t \r".to_owned(), FrameDefect::Blank),
        (" \u{3000}".to_owned(), FrameDefect::Blank),
        ("\u{feff}{}".to_owned(), FrameDefect::ByteOrderMark),
        ("Listening".to_owned(), not_json(0)),
        ("[INFO] up".to_owned(), not_json(1)),
        ("{'id':1}".to_owned(), not_json(1)),
        ("{\"id\":1,}".to_owned(), not_json(8)),
        ("[1,]".to_owned(), not_json(3)),
        ("{\"id\":01}".to_owned(), not_json(7)),
        ("{\"id\":.5}".to_owned(), not_json(6)),
        ("{\"id\":+1}".to_owned(), not_json(6)),
        ("{\"id\":1.}".to_owned(), not_json(8)),
        ("{\"id\":NaN}".to_owned(), not_json(6)),
        ("{\"id\":nul}".to_owned(), not_json(9)),
        ("{\"a\":\"\t\"}".to_owned(), not_json(6)),
        ("{\"a\":\"\\x\"}".to_owned(), not_json(7)),
        ("{\"a\":\"\\u12g4\"}".to_owned(), not_json(10)),
        ("}".to_owned(), not_json(0)),
        ("{".to_owned(), incomplete(1)),
        ("[ {".to_owned(), incomplete(3)),
        ("{\"a".to_owned(), incomplete(3)),
        ("{\"a\\".to_owned(), incomplete(4)),
        ("{\"a\":-".to_owned(), incomplete(6)),
        ("{\"a\":1e".to_owned(), incomplete(7)),
        ("tru".to_owned(), incomplete(3)),
        ("{} {}".to_owned(), FrameDefect::TrailingGarbage { at: 2 }),
        ("[1]]".to_owned(), FrameDefect::TrailingGarbage { at: 3 }),
        (
            "2026-01-01".to_owned(),
            FrameDefect::TrailingGarbage { at: 4 },
        ),
        ("null".to_owned(), FrameDefect::Scalar),
        (" 1e400 ".to_owned(), FrameDefect::Scalar),
        ("\"text\"".to_owned(), FrameDefect::Scalar),
        ("[ ]".to_owned(), FrameDefect::Batch { entries: 0 }),
        (
            "[{}, [1, 2] ,{\"a\":[]}]".to_owned(),
            FrameDefect::Batch { entries: 3 },
        ),
        (deepest(128), FrameDefect::Batch { entries: 1 }),
        (deepest(129), FrameDefect::TooDeep),
        (in_message(&deepest(128)), FrameDefect::TooDeep),
        ("[".repeat(1 << 20), FrameDefect::TooDeep),
        ("{\"a\":".repeat(1 << 18), FrameDefect::TooDeep),
        (in_message("1e309"), FrameDefect::HugeNumber),
        (in_message("[-1E+999999999]"), FrameDefect::HugeNumber),
        (in_message(&"9".repeat(400)), FrameDefect::HugeNumber),
    ] {
        assert_eq!(Message::parse(&text), Parsed::Defect(defect), "{text:.60}");
    }
    for fine in [
        in_message(&deepest(127)),
        in_message("1.7976931348623157e308"),
        in_message("1e-999999999"),
        in_message(&format!("0.{}", "3".repeat(400))),
        in_message(&"9".repeat(308)),
    ] {
        let params = message(&fine).params.unwrap();
        serde_json::from_str::<Value>(params).unwrap();
    }
}

#[test]
fn half_a_surrogate_pair_is_found_and_can_be_mended() {
    for (text, at, mended) in [
        (r#"{"a":"\ud83d\ude00"}"#, None, r#"{"a":"\ud83d\ude00"}"#),
        (r#"{"a":"\\ud83d"}"#, None, r#"{"a":"\\ud83d"}"#),
        (r#"{"a":"\ud83d"}"#, Some(6), r#"{"a":"\ufffd"}"#),
        (
            r#"{"a":"\uDE00\ud83d"}"#,
            Some(6),
            r#"{"a":"\ufffd\ufffd"}"#,
        ),
        (
            r#"{"a":"\ud83d\ud83d\ude00\\"}"#,
            Some(6),
            r#"{"a":"\ufffd\ud83d\ude00\\"}"#,
        ),
        (
            r#"{"a":"\ud83d\n","b":"\udc00"}"#,
            Some(6),
            r#"{"a":"\ufffd\n","b":"\ufffd"}"#,
        ),
    ] {
        assert_eq!(message(text).lone_surrogate, at, "{text}");
        assert_eq!(mend_surrogates(text), mended);
        assert_eq!(
            matches!(mend_surrogates(text), Cow::Borrowed(_)),
            at.is_none()
        );
        serde_json::from_str::<Value>(mended).unwrap();
    }
    assert_eq!(
        message(r#"{"method":"a\ud800b"}"#).method.as_deref(),
        Some("a\u{fffd}b")
    );
}

/// Whether another reader takes the text as one JSON value. It knows no limit of depth or size.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// JSON values as text, with spaces and escapes in all places.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,4})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        string(),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|values| format!("[{}]", values.join(" , "))),
            vec((string(), inner), 0..4).prop_map(|members| {
                let members: Vec<_> = members
                    .iter()
                    .map(|(name, value)| format!("{name} :\t{value}"))
                    .collect();
                format!("{{ {} }}", members.join(","))
            }),
        ]
    })
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[ !#-\\[\\]-~é😀\u{2028}]{0,12}",
        1 => r#"\\["\\/bfnrt]"#,
        1 => "\\\\u[0-9a-fA-F]{4}",
    ];
    vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// Text that is close to JSON.
fn near_json() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[\\[\\]{}:,\"\\\\u0-9eE.+\\- \ttruefalsn\u{0}é]{0,24}",
        (json(), any::<prop::sample::Index>(), "[ -~]{0,2}").prop_map(|(mut text, at, put)| {
            let mut at = at.index(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.insert_str(at, &put);
            text
        }),
    ]
}

proptest! {
    #[test]
    fn json_is_told_from_the_rest_as_another_reader_tells_it(text in near_json()) {
        match Message::parse(&text) {
            Parsed::Defect(FrameDefect::NotJson { at, incomplete }) => {
                prop_assert!(!is_json(&text));
                prop_assert_eq!(incomplete, at == text.len());
            }
            Parsed::Defect(FrameDefect::TrailingGarbage { at }) => {
                prop_assert!(!is_json(&text));
                prop_assert!(is_json(&text[..at]));
            }
            Parsed::Defect(FrameDefect::Blank | FrameDefect::ByteOrderMark) => {
                prop_assert!(!is_json(&text));
            }
            _ => prop_assert!(is_json(&text)),
        }
    }

    #[test]
    fn every_prefix_of_a_message_is_incomplete(value in json(), cut in any::<prop::sample::Index>()) {
        let text = format!("{{\"params\":{value}}}");
        let mut cut = 1 + cut.index(text.len() - 1);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        prop_assert_eq!(Message::parse(&text[..cut]), Parsed::Defect(incomplete(cut)));
    }

    #[test]
    fn what_was_written_is_read_exactly(
        id in json(),
        method in any::<String>(),
        params in option::of(json()),
        code in any::<i64>(),
    ) {
        let line = write_request(&id, &method, params.as_deref());
        let found = message(&line);
        prop_assert_eq!(found.class, Class::Request);
        prop_assert_eq!(found.jsonrpc, Some("\"2.0\""));
        prop_assert_eq!(found.id, Some(&*id));
        prop_assert_eq!(found.method.as_deref(), Some(&*method));
        prop_assert_eq!(found.params, params.as_deref());

        let line = write_notification(&method, params.as_deref());
        let found = message(&line);
        prop_assert_eq!(found.class, Class::Notification);
        prop_assert_eq!(found.method.as_deref(), Some(&*method));
        prop_assert_eq!(found.params, params.as_deref());

        let line = write_result(&id, params.as_deref().unwrap_or("null"));
        let found = message(&line);
        prop_assert_eq!(found.class, Class::Response);
        prop_assert_eq!(found.id, Some(&*id));
        prop_assert_eq!(found.result, Some(params.as_deref().unwrap_or("null")));

        let line = write_error(&id, code, &method, params.as_deref());
        prop_assert!(!line.contains('\n'));
        let found = message(&line);
        prop_assert_eq!(found.class, Class::Response);
        let error: Value = serde_json::from_str(&mend_surrogates(found.error.unwrap())).unwrap();
        prop_assert_eq!(&error["code"], &Value::from(code));
        prop_assert_eq!(&error["message"], &Value::from(method));
        prop_assert_eq!(error.get("data").is_some(), params.is_some());
    }

    #[test]
    fn every_member_of_a_message_is_a_value_when_mended(text in near_json()) {
        if let Parsed::Message(found) = Message::parse(&text) {
            for member in [found.id, found.params, found.result, found.error].into_iter().flatten() {
                prop_assert!(serde_json::from_str::<Value>(&mend_surrogates(member)).is_ok());
            }
        }
    }

    #[test]
    fn strings_are_decoded_as_another_reader_decodes_them(text in string()) {
        let line = format!("{{\"method\":{text}}}");
        let expected: String = serde_json::from_str(&mend_surrogates(&text)).unwrap();
        let found = message(&line);
        prop_assert_eq!(found.method.as_deref(), Some(&*expected));
    }

    #[test]
    fn numeric_ids_are_equal_when_their_values_are(
        left in any::<i64>(),
        right in any::<i64>(),
        zeros in 0..50_usize,
        point in 1..18_usize,
    ) {
        let key = |text: String| Id(text.into()).key();
        let padding = "0".repeat(zeros);
        let plain = key(left.to_string());
        prop_assert_eq!(&key(format!("{left}.0{padding}")), &plain);
        prop_assert_eq!(&key(format!("{left}{padding}e-{zeros}")), &plain);
        let digits = format!("{:019}", left.unsigned_abs());
        let sign = if left < 0 { "-" } else { "" };
        let (whole, fraction) = digits.split_at(19 - point);
        let whole = match whole.trim_start_matches('0') {
            "" => "0",
            whole => whole,
        };
        prop_assert_eq!(&key(format!("{sign}{whole}.{fraction}{padding}E+{point}")), &plain);
        prop_assert_eq!(key(right.to_string()) == plain, left == right);
        prop_assert_ne!(key(format!("\"{left}\"")), plain);
    }

    #[test]
    fn any_text_has_a_key(text in near_json()) {
        let id = Id(text.clone().into());
        match id.key() {
            IdKey::Null => prop_assert_eq!(text, "null"),
            IdKey::Number(_) | IdKey::String(_) => prop_assert!(is_json(&text)),
            IdKey::Other(other) => prop_assert_eq!(text, other),
        }
    }
}
