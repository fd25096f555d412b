//! Secrets do not leave: by exact text, by the name of a member and by shape.

use std::borrow::Cow;

use elenchus_wire::{
    Body, Event, EventKind, Frame, LineEnd, Mark, Side,
    redact::{MARKER, Redactor},
    trace,
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

fn knowing(secrets: &[&str]) -> Redactor {
    Redactor::new(secrets.iter().map(|&secret| secret.to_owned()))
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Each text as it is shown.
fn shown(redactor: &Redactor, table: &[(&str, &str)]) {
    for &(text, expected) in table {
        let found = redactor.text(text);
        assert_eq!(found, expected, "{text}");
        assert_eq!(redactor.text(&found), found);
        assert_eq!(matches!(found, Cow::Borrowed(_)), text == expected);
        // Bytes that are not text cannot be JSON, so nothing in them is spared for its sake.
        let bytes = redactor.bytes(text.as_bytes());
        assert!(text == expected || bytes != text.as_bytes());
    }
}

#[test]
fn values_of_members_with_credential_like_names_are_hidden() {
    shown(
        &Redactor::default(),
        &[
            (
                r#"{"password":"hunter2","user":"ada"}"#,
                r#"{"password":"[redacted]","user":"ada"}"#,
            ),
            (
                r#"{ "Access_Token" : "a\"b\\" , "x":[{"apiKey":"k"}]}"#,
                r#"{ "Access_Token" : "[redacted]" , "x":[{"apiKey":"[redacted]"}]}"#,
            ),
            // JSON as a string in JSON, and once more.
            (
                r#"{"text":"{\"token\":\"a\\\"b\",\"n\":1}"}"#,
                r#"{"text":"{\"token\":\"[redacted]\",\"n\":1}"}"#,
            ),
            (
                r#"{"text":"\"{\\\"token\\\": \\\"abc\\\", \\\"n\\\":1}\""}"#,
                r#"{"text":"\"{\\\"token\\\": \\\"[redacted]\\\", \\\"n\\\":1}\""}"#,
            ),
            // Headers and environment variables.
            (
                r#"[{"name":"Authorization","value":"x y"},{"name":"A_KEY","value":"z"}]"#,
                r#"[{"name":"Authorization","value":"[redacted]"},{"name":"A_KEY","value":"z"}]"#,
            ),
            (
                r#"{"name":"api-key", "value": "z", "value":"w"}"#,
                r#"{"name":"api-key", "value": "[redacted]", "value":"w"}"#,
            ),
            // What is nobody's secret, whatever it is named.
            (
                r#"{"name":"TOKEN","value":"nobody's secret: x","token":"nobody's"}"#,
                r#"{"name":"TOKEN","value":"nobody's secret: x","token":"[redacted]"}"#,
            ),
            // Cut off, and within noise.
            (r#"{"secret":"abc"#, r#"{"secret":"[redacted]"#),
            (
                r#"{"text":"\"secret\":\"abc"}"#,
                r#"{"text":"\"secret\":\"[redacted]"}"#,
            ),
            (
                r#"sending {"cookie": "a=b"} now"#,
                r#"sending {"cookie": "[redacted]"} now"#,
            ),
            // What is no string has no secret text; an empty one has nothing to hide.
            (
                r#"{"password":{"type":"string"},"token":7,"secret":null,"jwt":""}"#,
                r#"{"password":{"type":"string"},"token":7,"secret":null,"jwt":""}"#,
            ),
            (
                r#"{"maxTokens":"5","progressToken":"p","idempotencyKey":"i","a":"password:"}"#,
                r#"{"maxTokens":"5","progressToken":"p","idempotencyKey":"i","a":"password:"}"#,
            ),
            ("", ""),
            (":\":\":\"", ":\":\":\""),
        ],
    );
}

#[test]
fn tokens_and_private_keys_are_known_by_their_shape() {
    shown(
        &Redactor::default(),
        &[
            (
                r#"{"headers":["Authorization: Bearer abc.DEF_1~2="]}"#,
                r#"{"headers":["Authorization: Bearer [redacted]"]}"#,
            ),
            ("bearer  0123456789", "bearer  [redacted]"),
            ("the bearer of this message", "the bearer of this message"),
            (
                "Bearer authentication is needed",
                "Bearer authentication is needed",
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIB\nAA==\n-----END RSA PRIVATE KEY-----\n",
                "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\n",
            ),
            (
                r#"{"a":"-----BEGIN PRIVATE KEY-----\nMIIB\n\\","b":"-----END"}"#,
                r#"{"a":"-----BEGIN PRIVATE KEY-----[redacted]\\","b":"-----END"}"#,
            ),
            (
                "-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc",
                "-----BEGIN PGP PRIVATE KEY BLOCK-----[redacted]",
            ),
            (
                "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
                "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
            ),
            ("a PRIVATE KEY of no one", "a PRIVATE KEY of no one"),
        ],
    );
}

#[test]
fn exact_texts_are_hidden_in_every_spelling() {
    shown(
        &knowing(&["pass/wörd\"\n", "short", "123456"]),
        &[
            ("a pass/wörd\"\n!", "a [redacted]!"),
            (r#"{"a":"pass/wörd\"\n!"}"#, r#"{"a":"[redacted]!"}"#),
            (r#"{"a":"pass\/wörd\"\n"}"#, r#"{"a":"[redacted]"}"#),
            (r#"{"a":"pass/w\u00f6rd\"\n"}"#, r#"{"a":"[redacted]"}"#),
            (r#"{"a":"pass/w\u00F6rd\"\n"}"#, r#"{"a":"[redacted]"}"#),
            (
                r#"{"a":"\"pass/wörd\\\"\\n\""}"#,
                r#"{"a":"\"[redacted]\""}"#,
            ),
            ("short", "short"),
            // A number gives way to a string; a name is hidden too.
            (
                r#"{"id":1234567,"123456":[123456,-0.123456e1,12345]}"#,
                r#"{"id":"[redacted]","[redacted]":["[redacted]","[redacted]",12345]}"#,
            ),
            ("pin=123456.", "pin=[redacted]."),
        ],
    );
}

#[test]
fn json_stays_json_whatever_the_secret_is_made_of() {
    shown(
        &knowing(&["nnnnnn", "\",\"b\":\"", "}}}}}}", "u00e9x", "redacted"]),
        &[
            // The secret begins or ends within an escape.
            (
                r#"["\nnnnnnn","\\nnnnnn"]"#,
                r#"["[redacted]n","\\[redacted]"]"#,
            ),
            (r#"["\u00e9xy"]"#, r#"["[redacted]y"]"#),
            // It goes over the structure.
            (r#"{"a":"x","b":"y"}"#, r#"{"a":"x","[redacted]":"y"}"#),
            (
                r#"{"a":{"a":{"a":{"a":{"a":{}}}}}}"#,
                r#"{"a":{"a":{"a":{"a":{"a":{}}}}}}"#,
            ),
            ("[redacted] and redacted", "[redacted] and [redacted]"),
        ],
    );
}

#[test]
fn a_redactor_that_is_off_hides_nothing() {
    let text = r#"{"password":"hunter2","a":"Bearer 0123456789"}"#;
    assert_eq!(Redactor::off().text(text), text);
}

#[test]
fn a_trace_holds_no_secret_of_any_event() {
    let secret = "hunter2-hunter2";
    let redactor = knowing(&[secret]);
    let frame = |body| EventKind::Frame {
        from: Side::Server,
        frame: Frame {
            body,
            end: LineEnd::Lf,
        },
    };
    let oversize = Body::Oversize {
        len: 1 << 30,
        sha256: String::new(),
        head: secret.into(),
        tail: secret.into(),
    };
    let kinds = [
        frame(Body::Text(json!({ "a": secret }).to_string())),
        frame(Body::Text(r#"{"token":"other"}"#.to_owned())),
        frame(Body::Bytes([b"\xff", secret.as_bytes()].concat())),
        frame(oversize),
        EventKind::Stderr {
            text: format!("using {secret}"),
        },
        EventKind::Mark(Mark::Stopped {
            reason: format!("no answer to {secret}"),
        }),
    ];
    for kind in kinds {
        let event = Event {
            seq: 0,
            at_us: 0,
            conn: 0,
            kind,
        };
        let mut line = String::new();
        trace::write_event(&event, &redactor, &mut line);
        let hex: Vec<u8> = "hunter2"
            .bytes()
            .flat_map(|byte| format!("{byte:02x}").into_bytes())
            .collect();
        let hex = String::from_utf8(hex).unwrap();
        assert!(
            !line.contains("hunter2") && !line.contains("other") && !line.contains(&hex),
            "{line}"
        );
        trace::read_event(&line).unwrap();
    }
}

/// Texts around what the redactor looks for.
fn pieces() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "\"",
        "\\\"",
        "\\\\\\\"",
        "\\",
        ":",
        ",",
        " ",
        "{",
        "}",
        "[",
        "]",
        "1",
        "123456",
        "token",
        "name",
        "value",
        "progressToken",
        "\"password\":\"",
        "\\\"apiKey\\\":\\\"",
        "Bearer ",
        "abc12345",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "\\n",
        "\\u00e9",
        "\\ud83d\\ude00",
        "é",
        "n",
        "[redacted]",
        "redacted",
        "\n",
        "x",
    ]);
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// JSON whose names and strings are such texts, sometimes JSON again.
fn json_text() -> impl Strategy<Value = String> {
    let name = select(vec![
        "password",
        "name",
        "value",
        "a",
        "progressToken",
        "api_key",
    ]);
    let leaf = prop_oneof![
        pieces().prop_map(Value::from),
        select(vec!["token", "Cookie", "x"]).prop_map(Value::from),
        any::<u32>().prop_map(Value::from),
        Just(Value::from(123_456)),
    ];
    let value = leaf.prop_recursive(5, 24, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((name.clone(), inner.clone()), 0..4).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    });
    value.prop_map(|value| value.to_string())
}

#[test]
fn of_a_shortened_text_no_piece_of_a_secret_is_left() {
    let redactor = knowing(&["sk-live-0123456789"]);
    for (text, shown) in [
        ("invalid key sk-live-0123…", "invalid key [redacted]…"),
        ("invalid key sk-live-0123...", "invalid key [redacted]..."),
        (
            r#"{"key":"sk-li … 56789"}"#,
            r#"{"key":"[redacted] … [redacted]"}"#,
        ),
        ("sk-…6789", "sk-…[redacted]"),
        ("sk-live-01 and more", "sk-live-01 and more"),
        ("sk- … 789", "sk- … 789"),
    ] {
        assert_eq!(redactor.text(text), shown);
    }
    assert_eq!(*redactor.head(b"key sk-live-01234"), *b"key [redacted]");
    assert_eq!(*redactor.tail(b"456789 was it"), *b"[redacted] was it");
    assert_eq!(*redactor.head(b"456789 was it"), *b"456789 was it");
}

#[test]
fn a_secret_is_hidden_in_the_usual_encodings() {
    let redactor = knowing(&["user:s3cr+t/pässword"]);
    for text in [
        "Basic dXNlcjpzM2NyK3QvcMOkc3N3b3Jk",
        "Basic eDp1c2VyOnMzY3IrdC9ww6Rzc3dvcmQ=",
        "eDp1c2VyOnMzY3IrdC9ww6Rzc3dvcmQ",
        "?k=user%3As3cr%2Bt%2Fp%C3%A4ssword",
        "?k=user%3as3cr%2bt/p%c3%a4ssword",
        "757365723a733363722b742f70c3a47373776f7264",
    ] {
        let shown = redactor.text(text);
        assert!(shown.contains(MARKER), "{shown}");
        assert!(shown.len() < MARKER.len() + 12, "{shown}");
    }
}

#[test]
fn every_mark_is_written_without_what_it_quotes() {
    use elenchus_wire::{
        Mark,
        event::{Event, EventKind, Milestone},
        trace::write_event,
    };

    let redactor = knowing(&["sk-live-0123456789"]);
    let said = "session/new was answered with the error {\"message\":\"sk-live-0123456789\"}";
    for mark in [
        Mark::Stopped {
            reason: said.to_owned(),
        },
        Mark::Milestone {
            to: Milestone::Session,
            missed: Some(said.to_owned()),
        },
        Mark::Visit {
            request: "\"sk-live-0123456789\"".to_owned(),
        },
    ] {
        let event = Event {
            seq: 0,
            at_us: 0,
            conn: 0,
            kind: EventKind::Mark(mark),
        };
        let mut line = String::new();
        write_event(&event, &redactor, &mut line);
        assert!(!line.contains("sk-live") && line.contains(MARKER), "{line}");
        assert!(is_json(&line), "{line}");
    }
}

fn redactor() -> impl Strategy<Value = Redactor> {
    let secret = prop_oneof![
        pieces(),
        select(vec![
            "abc12345",
            "123456",
            "progress",
            "\",\"value\":\"",
            "redacted",
            "nnnnnn",
            "\\\"token\\\""
        ])
        .prop_map(str::to_owned),
    ];
    vec(secret, 0..3).prop_map(Redactor::new)
}

proptest! {
    #[test]
    fn json_stays_json_and_twice_is_once(redactor in redactor(), text in json_text()) {
        let once = redactor.text(&text);
        prop_assert!(is_json(&once), "{}", once);
        prop_assert_eq!(&redactor.text(&once), &once);
    }

    #[test]
    fn twice_is_once_for_any_text(redactor in redactor(), text in pieces()) {
        let once = redactor.text(&text);
        prop_assert_eq!(&redactor.text(&once), &once);
        let once = redactor.bytes(text.as_bytes());
        prop_assert_eq!(&redactor.bytes(&once), &once);
    }

    #[test]
    fn a_secret_in_any_string_is_hidden(secret in "[ -~é\n😀]{6,12}", before in "[a-z]{0,3}", name in "[a-z]{1,3}") {
        prop_assume!(!MARKER.contains(&secret) && !name.contains(&secret));
        let redactor = knowing(&[&secret]);
        let text = json!({ name: [format!("{before}{secret}")] }).to_string();
        let shown: Value = serde_json::from_str(&redactor.text(&text)).unwrap();
        prop_assert!(!shown.to_string().contains(&secret));
        prop_assert!(shown.to_string().contains(MARKER));
        let shown = redactor.text(&secret).into_owned();
        prop_assert!(!shown.contains(&secret));
    }

    #[test]
    fn a_password_at_any_depth_is_hidden(secret in "(?s).{1,20}", depth in 0..5_usize) {
        let mut text = json!({ "a": 1, "password": secret, "z": ["b"] }).to_string();
        let mut expected = json!({ "a": 1, "password": MARKER, "z": ["b"] }).to_string();
        for _ in 0..depth {
            text = json!({ "text": text }).to_string();
            expected = json!({ "text": expected }).to_string();
        }
        prop_assert_eq!(Redactor::default().text(&text), expected);
    }
}
