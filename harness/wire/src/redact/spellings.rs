//! The ways in which a named secret may stand in a text.

use std::{collections::BTreeSet, fmt::Write as _};

use crate::{hex, json};

/// Shorter pieces stand everywhere by chance.
const SHORTEST_PIECE: usize = 6;

/// All spellings that are hidden: those of JSON, of URLs, base64 and hexadecimal, each also with escaped slashes.
pub(super) fn spellings(secret: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::from([secret.to_owned()]);
    all.extend(in_json(secret));
    all.extend(in_urls(secret));
    all.extend(in_base64(secret.as_bytes()));
    let mut digits = String::new();
    hex::push(&mut digits, secret.as_bytes());
    all.insert(digits.to_ascii_uppercase());
    all.insert(digits);
    let slashed: Vec<_> = all
        .iter()
        .filter(|spelling| spelling.contains('/') && !spelling.contains('\\'))
        .map(|spelling| spelling.replace('/', "\\/"))
        .collect();
    all.extend(slashed);
    all
}

/// Escaped as little as JSON allows, with slashes escaped, in ASCII only, and in JSON that is itself a string in JSON.
fn in_json(secret: &str) -> [String; 5] {
    let mut escaped = String::new();
    json::push_escaped(&mut escaped, secret);
    let mut twice = String::new();
    json::push_escaped(&mut twice, &escaped);
    let ascii = |digits: fn(u16) -> String| -> String {
        let spell = |c: char| match c {
            ' '..='~' => c.to_string(),
            _ => c
                .encode_utf16(&mut [0; 2])
                .iter()
                .copied()
                .map(digits)
                .collect(),
        };
        escaped.chars().map(spell).collect()
    };
    [
        escaped.replace('/', "\\/"),
        ascii(|unit| format!("\\u{unit:04x}")),
        ascii(|unit| format!("\\u{unit:04X}")),
        twice,
        escaped,
    ]
}

/// Percent-encoded as the usual libraries do it: each leaves other signs as they are.
fn in_urls(secret: &str) -> Vec<String> {
    let mut all = Vec::new();
    for kept in ["-_.~", "-_.~/", "-_.!~*'()", "-_.*", ""] {
        let alphanumeric = !kept.is_empty();
        let mut encoded = String::new();
        for byte in secret.bytes() {
            if byte.is_ascii_alphanumeric() && alphanumeric || kept.as_bytes().contains(&byte) {
                encoded.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
        all.push(encoded.replace("%20", "+"));
        all.push(lower_escapes(&encoded));
        all.push(encoded);
    }
    all
}

/// With small letters as the digits of its escapes.
fn lower_escapes(encoded: &str) -> String {
    let mut digits = 0;
    encoded
        .chars()
        .map(|c| {
            if c == '%' {
                digits = 2;
            } else if digits > 0 {
                digits -= 1;
                return c.to_ascii_lowercase();
            }
            c
        })
        .collect()
}

/// What every base64 text that holds these bytes has in common, wherever in it they begin, in both alphabets. The
/// character at either end that holds bits of something else as well is left out.
fn in_base64(bytes: &[u8]) -> Vec<String> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut all = Vec::new();
    for before in 0..3 {
        let bits = |bit: usize| {
            (bit / 8)
                .checked_sub(before)
                .map(|at| bytes[at] >> (7 - bit % 8) & 1)
        };
        let whole = (before * 8).div_ceil(6)..(before + bytes.len()) * 8 / 6;
        let piece: String = whole
            .map(|place| {
                let six = (place * 6..place * 6 + 6)
                    .fold(0, |six, bit| six << 1 | bits(bit).unwrap_or_default());
                char::from(ALPHABET[usize::from(six)])
            })
            .collect();
        if piece.len() >= SHORTEST_PIECE {
            all.push(piece.replace('+', "-").replace('/', "_"));
            all.push(piece);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_encodings_are_among_them() {
        let all = spellings("quince credential/8d0f+51=c7");
        for spelling in [
            "quince%20credential%2F8d0f%2B51%3Dc7",
            "quince%20credential%2f8d0f%2b51%3dc7",
            "quince+credential%2F8d0f%2B51%3Dc7",
            "quince%20credential/8d0f%2B51%3Dc7",
            "cXVpbmNlIGNyZWRlbnRpYWwvOGQwZis1MT1jN",
            "F1aW5jZSBjcmVkZW50aWFsLzhkMGYrNTE9Yz",
            "xdWluY2UgY3JlZGVudGlhbC84ZDBmKzUxPWM3",
            "7175696e63652063726564656e7469616c2f386430662b35313d6337",
        ] {
            assert!(all.contains(spelling), "{spelling} in {all:#?}");
        }
    }
}
