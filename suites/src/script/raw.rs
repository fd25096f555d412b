//! The bytes of a `raw` step, and the escapes that they are written with.

use super::error::Flaw;

/// Reads the text after `raw`. `offset` is where it stands in the line.
pub(super) fn decode(text: &str, offset: usize) -> Result<Vec<u8>, Flaw> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(backslash) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..backslash]);
        let at = offset + text.len() - rest.len() + backslash;
        let after = &rest[backslash + 1..];
        let unknown = || {
            Flaw::new(
                at,
                "an escape is `\\n`, `\\r`, `\\t`, `\\0`, `\\\\`, `\\xHH` or `\\u{H..}`; a backslash itself is `\\\\`",
            )
        };
        let taken = match after.as_bytes().first() {
            Some(b'n') => push(&mut bytes, b'\n'),
            Some(b'r') => push(&mut bytes, b'\r'),
            Some(b't') => push(&mut bytes, b'\t'),
            Some(b'0') => push(&mut bytes, 0),
            Some(b'\\') => push(&mut bytes, b'\\'),
            Some(b'x') => {
                let digits = after
                    .get(1..3)
                    .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
                let byte = digits
                    .and_then(|d| u8::from_str_radix(d, 16).ok())
                    .ok_or_else(unknown)?;
                bytes.push(byte);
                3
            }
            Some(b'u') => {
                let inside = after
                    .get(1..)
                    .and_then(|a| a.strip_prefix('{'))
                    .ok_or_else(unknown)?;
                let close = inside.find('}').ok_or_else(unknown)?;
                let digits = &inside[..close];
                if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return Err(unknown());
                }
                let scalar = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).ok_or_else(|| {
                    Flaw::new(at, "no such character; bytes that are not UTF-8, a surrogate say, are written `\\xHH`")
                })?;
                bytes.extend_from_slice(scalar.encode_utf8(&mut [0; 4]).as_bytes());
                3 + close
            }
            _ => return Err(unknown()),
        };
        rest = &after[taken..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Pushes a byte whose escape is one letter long.
fn push(bytes: &mut Vec<u8>, byte: u8) -> usize {
    bytes.push(byte);
    1
}

/// Writes bytes so that [`decode`] gives them back and a person can see each of them: what is no visible character is
/// escaped, and so is a space at either end, which editors like to drop.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut done = 0;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let at_edge = done == 0 || done + c.len_utf8() == bytes.len();
            done += c.len_utf8();
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\0' => out.push_str("\\0"),
                ' ' if at_edge => out.push_str("\\x20"),
                c if c.is_ascii_control() => push_byte(&mut out, c as u8),
                c if is_invisible(c) => out.extend(c.escape_unicode()),
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            done += 1;
            push_byte(&mut out, *byte);
        }
    }
    out
}

/// `\xHH`.
fn push_byte(out: &mut String, byte: u8) {
    out.push_str("\\x");
    out.extend(
        [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])),
    );
}

/// Characters that show nothing, or that move what is around them.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_stand_for_their_bytes() {
        for (text, bytes) in [
            (r#"{"a": 1}\n"#, b"{\"a\": 1}\n".as_slice()),
            (r"\r\t\0\\", b"\r\t\0\\"),
            (r"\xff\x00A", b"\xff\0A"),
            (r"\u{e9}\u{1F600}", "é😀".as_bytes()),
            ("é", "é".as_bytes()),
            (" a ", b" a "),
        ] {
            assert_eq!(decode(text, 0).as_deref(), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn a_wrong_escape_is_shown_where_it_stands() {
        for text in [
            r"ab\q",
            r"ab\x4",
            r"ab\x+1",
            r"ab\u00e9",
            r"ab\u{}",
            r"ab\u{d800}",
            r"ab\u{+1}",
            r"ab\u{41",
            r"ab\",
            r#"ab\""#,
            r"ab\xé",
        ] {
            assert_eq!(decode(text, 4).map_err(|f| f.at), Err(6), "{text}");
        }
    }

    #[test]
    fn spaces_at_the_ends_and_invisible_characters_are_escaped() {
        assert_eq!(encode(b" a b "), r"\x20a b\x20");
        assert_eq!(
            encode("\u{feff}{\u{2028}}\u{7f}".as_bytes()),
            r"\u{feff}{\u{2028}}\x7f"
        );
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes_to_the_same_bytes(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let text = encode(&bytes);
            prop_assert!(!text.chars().any(char::is_control));
            prop_assert_eq!(decode(&text, 0), Ok(bytes));
        }
    }
}
