//! Finds a planted text again, whatever it was wrapped in.

use memchr::memmem::Finder;

use super::decode::{self, Sextets, sextet};

/// Canaries of fewer bytes are not looked for in base64 and hexadecimal: short ones stand there by chance.
pub const SHORTEST_ENCODED: usize = 8;
/// So many layers of percent-encoding and JSON strings are taken off.
const LAYERS: usize = 2;
/// Never part of UTF-8, so no canary reaches over it.
const GAP: u8 = 0xff;

/// The last wrapping in which a canary was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Encoding {
    /// As it was planted.
    Raw,
    /// With some or all characters percent-encoded; a space may be a plus sign.
    Percent,
    /// With some or all characters escaped as in a JSON string.
    JsonEscaped,
    /// In base64 of either alphabet, at any alignment, alone or inside of something longer.
    Base64,
    /// In hexadecimal digits of either case.
    Hex,
}

/// Whether a canary stands in what crossed the wire, raw or encoded.
///
/// Up to two layers of percent-encoding and JSON strings are taken off, in any order; base64 and
/// hexadecimal are looked for in each. Takes time linear in the haystack. No canary is the empty text.
pub fn contains_canary(haystack: impl AsRef<[u8]>, canary: &str) -> Option<Encoding> {
    let canary = canary.as_bytes();
    if canary.is_empty() {
        return None;
    }
    let search = Search {
        raw: Finder::new(canary),
        hex: hex(canary),
        plus: canary.contains(&b' '),
        encoded: canary.len() >= SHORTEST_ENCODED,
    };
    search.layer(haystack.as_ref(), Encoding::Raw, LAYERS)
}

struct Search<'a> {
    raw: Finder<'a>,
    /// The canary in lower-case hexadecimal.
    hex: Vec<u8>,
    /// The canary has a space.
    plus: bool,
    /// It is long enough to be looked for in base64 and hexadecimal.
    encoded: bool,
}

impl Search<'_> {
    /// Looks into a text that came out of `outer`, and into what it wraps.
    fn layer(&self, text: &[u8], outer: Encoding, below: usize) -> Option<Encoding> {
        if self.raw.find(text).is_some() {
            return Some(outer);
        }
        if self.encoded && self.in_base64(text) {
            return Some(Encoding::Base64);
        }
        if self.encoded && self.in_hex(text) {
            return Some(Encoding::Hex);
        }
        let below = below.checked_sub(1)?;
        let inner = |text: Option<Vec<u8>>, encoding| self.layer(&text?, encoding, below);
        inner(decode::percent(text, false), Encoding::Percent)
            .or_else(|| {
                let text = self.plus.then(|| decode::percent(text, true)).flatten();
                inner(text, Encoding::Percent)
            })
            .or_else(|| inner(decode::json(text), Encoding::JsonEscaped))
    }

    /// Decodes every run of base64 characters at each of the four offsets at which a group may begin,
    /// and so needs no case for alignments, padding or neighbours. Line ends inside of a run are skipped.
    fn in_base64(&self, text: &[u8]) -> bool {
        let mut decoded: [Vec<u8>; 4] = Default::default();
        let mut groups: [Sextets; 4] = Default::default();
        let mut length = 0;
        for &byte in text {
            if let Some(sextet) = sextet(byte) {
                length += 1;
                for (decoded, group) in decoded.iter_mut().zip(&mut groups).take(length) {
                    decoded.extend(group.push(sextet));
                }
            } else if length > 0 && byte != b'\n' && byte != b'\r' {
                length = 0;
                groups = Default::default();
                for decoded in &mut decoded {
                    decoded.push(GAP);
                }
            }
        }
        decoded
            .iter()
            .any(|decoded| self.raw.find(decoded).is_some())
    }

    fn in_hex(&self, text: &[u8]) -> bool {
        Finder::new(&self.hex)
            .find(&text.to_ascii_lowercase())
            .is_some()
    }
}

/// Lower-case hexadecimal digits.
fn hex(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 0xf])
        .map(|digit| DIGITS[usize::from(digit)])
        .collect()
}
