//! Undoes the encodings that text wears on its way: percent, JSON escapes, base64.
//!
//! All are total and forgiving: what is no escape stays as it is.

use std::borrow::Cow;

/// Percent-decodes; with `plus`, a plus sign is a space. `None` if nothing was encoded.
pub(super) fn percent(bytes: &[u8], plus: bool) -> Option<Vec<u8>> {
    let first = bytes
        .iter()
        .position(|&byte| byte == b'%' || (plus && byte == b'+'))?;
    let mut decoded = bytes[..first].to_vec();
    let mut rest = &bytes[first..];
    let mut changed = false;
    while let [byte, tail @ ..] = rest {
        let pair = match (byte, tail) {
            (b'%', [high, low, ..]) => hex_digit(*high).zip(hex_digit(*low)),
            _ => None,
        };
        if let Some((high, low)) = pair {
            decoded.push(high << 4 | low);
            rest = &tail[2..];
            changed = true;
        } else {
            let space = plus && *byte == b'+';
            decoded.push(if space { b' ' } else { *byte });
            rest = tail;
            changed |= space;
        }
    }
    changed.then_some(decoded)
}

/// A part of a URL as text.
pub(super) fn percent_text(text: &str) -> Cow<'_, str> {
    match percent(text.as_bytes(), false) {
        Some(decoded) => Cow::Owned(String::from_utf8_lossy(&decoded).into_owned()),
        None => Cow::Borrowed(text),
    }
}

/// Undoes the escapes of JSON strings. `None` if there are none.
pub(super) fn json(bytes: &[u8]) -> Option<Vec<u8>> {
    let first = bytes.iter().position(|&byte| byte == b'\\')?;
    let mut decoded = bytes[..first].to_vec();
    let mut rest = &bytes[first..];
    let mut changed = false;
    while let [byte, tail @ ..] = rest {
        if *byte == b'\\'
            && let Some((character, length)) = json_escape(tail)
        {
            decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            rest = &tail[length..];
            changed = true;
        } else {
            decoded.push(*byte);
            rest = tail;
        }
    }
    changed.then_some(decoded)
}

/// The character that an escape stands for, and the escape's length after its backslash.
fn json_escape(bytes: &[u8]) -> Option<(char, usize)> {
    let character = match bytes.first()? {
        b'u' => {
            return unicode_escape(&bytes[1..]).map(|(character, length)| (character, length + 1));
        }
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        other @ (b'"' | b'\\' | b'/') => char::from(*other),
        _ => return None,
    };
    Some((character, 1))
}

fn unicode_escape(bytes: &[u8]) -> Option<(char, usize)> {
    let high = four_digits(bytes)?;
    if let Some(character) = char::from_u32(high) {
        return Some((character, 4));
    }
    let low = match bytes.get(4..)? {
        [b'\\', b'u', low @ ..] => four_digits(low)?,
        _ => return None,
    };
    let pair = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    let code = pair.then(|| 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?;
    char::from_u32(code).map(|character| (character, 10))
}

fn four_digits(bytes: &[u8]) -> Option<u32> {
    bytes.get(..4)?.iter().try_fold(0, |value, &digit| {
        hex_digit(digit).map(|digit| value << 4 | u32::from(digit))
    })
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// The six bits of a character of either base64 alphabet.
pub(super) fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

/// Puts sextets together to bytes. Bits that make no whole byte are dropped.
#[derive(Default)]
pub(super) struct Sextets {
    bits: u32,
    count: u32,
}

impl Sextets {
    /// Takes a sextet; gives a byte when there is one.
    pub(super) fn push(&mut self, sextet: u8) -> Option<u8> {
        self.bits = (self.bits << 6 | u32::from(sextet)) & 0xfff;
        self.count += 6;
        if self.count < 8 {
            return None;
        }
        self.count -= 8;
        // The mask leaves one byte.
        u8::try_from(self.bits >> self.count & 0xff).ok()
    }
}

/// Decodes base64 of either alphabet, with or without padding. `None` if another character stands in it.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut sextets = Sextets::default();
    let mut decoded = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for byte in text.trim_end_matches('=').bytes() {
        decoded.extend(sextets.push(sextet(byte)?));
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_escape_stays() {
        for (text, decoded) in [
            ("", None),
            ("plain", None),
            ("100%", None),
            ("%4", None),
            ("%zz", None),
            ("%%41", Some("%A")),
            ("a%2fB%2F%", Some("a/B/%")),
        ] {
            assert_eq!(
                percent(text.as_bytes(), false).as_deref(),
                decoded.map(str::as_bytes),
                "{text}"
            );
        }
        assert_eq!(percent(b"a+b", true).as_deref(), Some(&b"a b"[..]));
        for (text, decoded) in [
            (r"", None),
            (r"\", None),
            (r"C:\dir", None),
            (r"\u12", None),
            (r"\ud800\u0041", Some(r"\ud800A")),
            (r"\udc00", None),
            (r"a\/b\n", Some("a/b\n")),
            (r#"\\\"x"#, Some("\\\"x")),
            (r"\u0041\u00e9", Some("A\u{e9}")),
            (r"\uD83D\uDE00", Some("\u{1f600}")),
            (r"\ud83d\u0041\u0042", Some(r"\ud83dAB")),
        ] {
            assert_eq!(
                json(text.as_bytes()).as_deref(),
                decoded.map(str::as_bytes),
                "{text}"
            );
        }
    }

    #[test]
    fn base64_reads_both_alphabets() {
        for (text, decoded) in [
            ("", Some(&b""[..])),
            ("QQ", Some(b"A")),
            ("QQ==", Some(b"A")),
            ("QUI=", Some(b"AB")),
            ("QUJD", Some(b"ABC")),
            ("-_-_", Some(&[0xfb, 0xff, 0xbf])),
            ("+/+/", Some(&[0xfb, 0xff, 0xbf])),
            ("Q Q", None),
        ] {
            assert_eq!(base64(text).as_deref(), decoded, "{text}");
        }
    }
}
