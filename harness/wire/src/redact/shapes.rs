//! What looks like a secret by its shape: members with credential-like names, bearer tokens and
//! private keys.
//!
//! This reads no JSON. It finds its way from quote to quote, so it works as well on a text that was
//! cut off, and on JSON that stands as a string in JSON, to any depth of such nesting. All that it
//! finds begins and ends at whole escapes.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr};

use super::{MARKER, NO_SECRET, names::is_credential};

/// All parts that must be hidden; they may overlap.
pub(super) fn find(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    members(bytes, &mut found);
    bearer_tokens(bytes, &mut found);
    private_keys(bytes, &mut found);
    found.retain(|range| {
        let hidden = &bytes[range.clone()];
        !hidden.is_empty()
            && hidden != MARKER.as_bytes()
            && !hidden.starts_with(NO_SECRET.as_bytes())
    });
    found
}

/// The string values of members with credential-like names; also of the member `value` that comes
/// after a member `name` which holds such a name, as headers and environment variables are sent.
fn members(bytes: &[u8], found: &mut Vec<Range<usize>>) {
    let mut named = None;
    let mut end = 0;
    for colon in memchr_iter(b':', bytes) {
        if colon < end {
            continue;
        }
        let Some(member) = Member::around(bytes, colon) else {
            continue;
        };
        let name = &bytes[member.name.clone()];
        let after_name = named
            .take()
            .and_then(|end| bytes.get(end..member.start))
            .is_some_and(|between| between.trim_ascii() == b",");
        if is_credential(name) || name == b"value" && after_name {
            let value = member.value(bytes);
            end = value.end;
            found.push(value);
        } else if name == b"name" {
            let value = member.value(bytes);
            if is_credential(&bytes[value.clone()]) {
                named = Some((value.end + member.slashes + 1).min(bytes.len()));
            }
        }
    }
}

/// A member whose value is a string.
///
/// In JSON that stands as a string in JSON, each quote has one backslash before it; one level
/// deeper, three; then seven. A run of backslashes before a quote that ends in `n` one bits is the
/// quote of level `n`, after backslashes that belong to the content.
struct Member {
    /// Where the name's quote begins, with its backslashes.
    start: usize,
    name: Range<usize>,
    /// Where the value's content begins.
    value: usize,
    /// The number of backslashes before each of the member's quotes.
    slashes: usize,
}

impl Member {
    /// The member whose colon this is, if it is one.
    fn around(bytes: &[u8], colon: usize) -> Option<Self> {
        let solid = |byte: &u8| !byte.is_ascii_whitespace();
        let after = &bytes[colon + 1..];
        let quote = colon + 1 + after.iter().position(solid)?;
        let slashes = bytes[quote..].iter().position(|&byte| byte != b'\\')?;
        let value = quote + slashes + 1;
        if bytes[quote + slashes] != b'"' || !(slashes + 1).is_power_of_two() {
            return None;
        }
        let name_quote = bytes[..colon].iter().rposition(solid)?;
        if bytes[name_quote] != b'"' || backslashes(&bytes[..name_quote]) != slashes {
            return None;
        }
        let name_end = name_quote - slashes;
        let name_start = memrchr(b'"', &bytes[..name_end])? + 1;
        // What stands before the name may be content that ends in backslashes.
        if backslashes(&bytes[..name_start - 1]).trailing_ones() != slashes.trailing_ones() {
            return None;
        }
        Some(Self {
            start: name_start - 1 - slashes,
            name: name_start..name_end,
            value,
            slashes,
        })
    }

    /// The value's content: up to the first quote that is not deeper, or to the end of the text.
    fn value(&self, bytes: &[u8]) -> Range<usize> {
        let content = &bytes[self.value..];
        let level = self.slashes.trailing_ones();
        for quote in memchr_iter(b'"', content) {
            let found = backslashes(&content[..quote]).trailing_ones();
            if found <= level {
                let slashes = (1 << found) - 1;
                return self.value..self.value + quote - slashes;
            }
        }
        self.value..bytes.len()
    }
}

/// The number of backslashes at the end.
fn backslashes(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'\\')
        .count()
}

/// Tokens of the HTTP authentication scheme `Bearer` (RFC 6750 section 2.1).
fn bearer_tokens(bytes: &[u8], found: &mut Vec<Range<usize>>) {
    for at in memmem::find_iter(bytes, b"earer ") {
        if !matches!(bytes[..at].last(), Some(b'b' | b'B')) {
            continue;
        }
        let rest = &bytes[at + b"earer ".len()..];
        let spaces = rest.iter().take_while(|&&byte| byte == b' ').count();
        let token = rest[spaces..]
            .iter()
            .take_while(|byte| is_token(**byte))
            .count();
        let start = bytes.len() - rest.len() + spaces;
        if looks_random(&bytes[start..start + token]) {
            found.push(start..start + token);
        }
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}

/// Tells a token from the next word of a sentence about bearers.
fn looks_random(token: &[u8]) -> bool {
    token.len() >= 8 && (token.len() >= 20 || token.iter().any(u8::is_ascii_digit))
}

/// What stands between the two lines that enclose a private key (RFC 7468 section 10).
fn private_keys(bytes: &[u8], found: &mut Vec<Range<usize>>) {
    let mut end = 0;
    for at in memmem::find_iter(bytes, b"PRIVATE KEY") {
        if at < end {
            continue;
        }
        let before = label(bytes[..at].iter().rev());
        let after = label(bytes[at..].iter());
        let begins = bytes[..at - before].ends_with(b"-----")
            && bytes[at - before..at].starts_with(b"BEGIN ")
            && bytes[at + after..].starts_with(b"-----");
        if !begins {
            continue;
        }
        let start = at + after + b"-----".len();
        let body = &bytes[start..];
        // A quote ends the string that the key stands in.
        let quote = memchr(b'"', body).unwrap_or(body.len());
        let body = &body[..quote - backslashes(&body[..quote])];
        end = start + memmem::find(body, b"-----END").unwrap_or(body.len());
        found.push(start..end);
    }
}

/// The length of the label that starts here. Labels are short.
fn label<'a>(bytes: impl Iterator<Item = &'a u8>) -> usize {
    bytes
        .take(64)
        .take_while(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b' '))
        .count()
}
