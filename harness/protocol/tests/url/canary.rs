//! Canaries are found in every wrapping, and nowhere else.

use std::fmt::Write as _;

use elenchus_protocol::url_inspect::{Encoding, SHORTEST_ENCODED, contains_canary};
use proptest::{collection, prelude::*, sample::select};
use serde_json::{Value, json};

pub(crate) type Alphabet = &'static [u8; 64];
const STANDARD: Alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub(crate) const URL_SAFE: Alphabet =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64 without padding.
pub(crate) fn base64(bytes: &[u8], alphabet: Alphabet) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group
            .iter()
            .fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for index in 0..=group.len() {
            text.push(char::from(alphabet[bits >> (18 - 6 * index) & 0x3f]));
        }
    }
    text
}

fn padded(mut text: String) -> String {
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

/// Encodes the bytes at which `choose` says so; the others only if they would not stand by themselves.
fn percent(text: &str, choose: &[bool]) -> String {
    let mut encoded = String::new();
    for (byte, choice) in text.bytes().zip(choose.iter().cycle()) {
        if !choice && byte.is_ascii_graphic() && byte != b'%' {
            encoded.push(char::from(byte));
        } else if byte.is_multiple_of(2) {
            // Writing to a String cannot fail, here and below.
            let _ = write!(encoded, "%{byte:02x}");
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

fn json_escaped(text: &str, choose: &[bool]) -> String {
    let mut encoded = String::new();
    for (character, choice) in text.chars().zip(choose.iter().cycle()) {
        if *choice {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(encoded, "\\u{unit:04X}");
            }
        } else {
            let quoted = Value::from(character.to_string()).to_string();
            encoded.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    encoded
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Canaries as the harness plants them, and some that nobody would.
fn canary() -> impl Strategy<Value = String> {
    let plain = collection::vec(
        select(b"abcdefghijklmnopqrstuvwxyz0123456789-".as_slice()),
        SHORTEST_ENCODED..40,
    )
    .prop_map(|bytes| bytes.into_iter().map(char::from).collect());
    prop_oneof![
        plain,
        "[ -~]{8,24}",
        "\\PC{8,16}",
        any::<[char; 8]>().prop_map(String::from_iter)
    ]
}

/// What stands around it: bytes that are no part of any encoding.
fn around() -> impl Strategy<Value = Vec<u8>> {
    collection::vec(
        select([b' ', b'"', b'&', b'{', b',', 0x80, 0xff, 0].as_slice()),
        0..20,
    )
}

fn wrapped(before: &[u8], text: &str, after: &[u8]) -> Vec<u8> {
    [before, text.as_bytes(), after].concat()
}

proptest! {
    #[test]
    fn a_canary_is_found_raw(canary in canary(), before in any::<Vec<u8>>(), after in any::<Vec<u8>>()) {
        let haystack = wrapped(&before, &canary, &after);
        prop_assert_eq!(contains_canary(haystack, &canary), Some(Encoding::Raw));
    }

    #[test]
    fn a_canary_is_found_percent_encoded_in_part_or_whole(
        canary in canary(), choose in any::<[bool; 7]>(), twice in any::<bool>(), before in around(), after in around(),
    ) {
        let mut text = percent(&canary, &choose);
        if twice {
            text = percent(&text, &choose);
        }
        prop_assert!(contains_canary(wrapped(&before, &text, &after), &canary).is_some(), "{}", text);
    }

    #[test]
    fn a_canary_is_found_in_a_form_with_plus_signs(canary in "[a-z]{4} [a-z ]{4,9}") {
        let text = format!("a=1&b={}&c=2", canary.replace(' ', "+"));
        prop_assert_eq!(contains_canary(text, &canary), Some(Encoding::Percent));
    }

    #[test]
    fn a_canary_is_found_json_escaped_in_part_or_whole(
        canary in canary(), choose in any::<[bool; 7]>(), nested in any::<bool>(), before in around(), after in around(),
    ) {
        let mut text = json_escaped(&canary, &choose);
        if nested {
            text = json!({ "text": format!("\"{text}\"") }).to_string();
        }
        prop_assert!(contains_canary(wrapped(&before, &text, &after), &canary).is_some(), "{}", text);
    }

    #[test]
    fn a_canary_is_found_in_base64_at_every_alignment(
        canary in canary(), inside in any::<Vec<u8>>(), behind in any::<Vec<u8>>(), junk in "[A-Za-z0-9+/_-]{0,5}",
        url_safe in any::<bool>(), pad in any::<bool>(), before in around(), after in around(),
    ) {
        let bytes = wrapped(&inside, &canary, &behind);
        let mut text = base64(&bytes, if url_safe { URL_SAFE } else { STANDARD });
        if pad {
            text = padded(text);
        }
        let text = junk + &text;
        let found = contains_canary(wrapped(&before, &text, &after), &canary);
        prop_assert_eq!(found, Some(Encoding::Base64), "{}", text);
        // On its way through a URL and through JSON.
        let percent = percent(&text, &[true, false, false]);
        prop_assert_eq!(contains_canary(&percent, &canary), Some(Encoding::Base64), "{}", percent);
        let lines: Vec<String> = text.as_bytes().chunks(76).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        let json = json!(lines.join("\r\n")).to_string();
        prop_assert_eq!(contains_canary(&json, &canary), Some(Encoding::Base64), "{}", json);
    }

    #[test]
    fn a_canary_is_found_in_hexadecimal_of_either_case(
        canary in canary(), upper in any::<bool>(), junk in "[0-9a-f]{0,3}", before in around(), after in around(),
    ) {
        let text = junk + &hex(canary.as_bytes());
        let text = if upper { text.to_uppercase() } else { text };
        let found = contains_canary(wrapped(&before, &text, &after), &canary);
        // A run of digits may also be base64, but hardly of the canary.
        prop_assert_eq!(found, Some(Encoding::Hex), "{}", text);
    }

    #[test]
    fn a_canary_is_not_found_where_it_is_not(haystack in any::<Vec<u8>>(), text in any::<String>(), canary in "[a-z0-9]{16}") {
        prop_assert_eq!(contains_canary(haystack, &canary), None);
        prop_assert_eq!(contains_canary(text, &canary), None);
    }

    #[test]
    fn a_canary_but_for_one_character_is_none(canary in "[a-z0-9]{16}", at in 0..16_usize) {
        let mut other = canary.clone();
        other.replace_range(at..=at, "X");
        for text in [
            other.clone(),
            percent(&other, &[true]),
            json_escaped(&other, &[true]),
            base64(other.as_bytes(), STANDARD),
            hex(other.as_bytes()),
        ] {
            prop_assert_eq!(contains_canary(&text, &canary), None, "{}", text);
        }
    }
}

#[test]
fn the_wrapping_is_named() {
    let canary = "canary-1f2e3d";
    for (haystack, encoding) in [
        (r#"{"message":"canary-1f2e3d"}"#, Encoding::Raw),
        ("https://a.example/?x=%63anary%2D1f2e3d", Encoding::Percent),
        ("https://a.example/?x=canary%252D1f2e3d", Encoding::Percent),
        (r#"{"message":"canary\u002d1f2e3d"}"#, Encoding::JsonEscaped),
        (
            r#"{"text":"{\"m\":\"canary\\u002D1f2e3d\"}"}"#,
            Encoding::JsonEscaped,
        ),
        (
            r#"{"url":"https:\/\/a.example\/?x=canary\u00252d1f2e3d"}"#,
            Encoding::Percent,
        ),
        ("Basic dXNlcjpjYW5hcnktMWYyZTNk", Encoding::Base64),
        ("63616e6172792d316632653364", Encoding::Hex),
    ] {
        assert_eq!(
            contains_canary(haystack, canary),
            Some(encoding),
            "{haystack}"
        );
    }
    for haystack in [
        "",
        "canary",
        "canary-1f2e3",
        "CANARY-1F2E3D",
        "canary-%1f2e3d",
        "dXNlcjpjYW5hcnk",
    ] {
        assert_eq!(contains_canary(haystack, canary), None, "{haystack}");
    }
}

#[test]
fn short_canaries_are_found_only_as_text_and_empty_ones_never() {
    assert_eq!(contains_canary("x=%61b", "ab"), Some(Encoding::Percent));
    assert_eq!(contains_canary("6162 YWI", "ab"), None);
    assert_eq!(contains_canary("anything", ""), None);
}
