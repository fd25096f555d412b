//! Redaction: what leaves the program is shown without the secrets that it is known to hold.
//!
//! Two passes. The first hides the exact texts that the operator named, wherever they stand. The
//! second hides what has the shape of a secret: the values of members with credential-like names,
//! bearer tokens and private keys. Both leave JSON as JSON, and neither touches its own marker, so
//! that redacting twice is redacting once.

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use memchr::memmem::Finder;

use crate::json;

mod names;
mod shapes;

/// What stands where a secret stood.
pub const MARKER: &str = "[redacted]";

/// The shortest text that is hidden wherever it stands: shorter ones stand everywhere by chance.
pub const SHORTEST_SECRET: usize = 6;

/// Knows which texts and which JSON members must not be written down.
#[derive(Debug, Clone)]
pub struct Redactor {
    /// The named secrets, in each spelling that JSON may give them.
    exact: Vec<Finder<'static>>,
    shapes: bool,
}

impl Default for Redactor {
    /// A redactor that knows of no exact texts.
    fn default() -> Self {
        Self::new([])
    }
}

impl Redactor {
    /// A redactor that hides the values of members with credential-like names, and these exact texts.
    ///
    /// Texts of fewer than [`SHORTEST_SECRET`] characters are left out.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let spellings: BTreeSet<String> = secrets
            .into_iter()
            .filter(|secret| secret.chars().count() >= SHORTEST_SECRET)
            .flat_map(spellings)
            .collect();
        Self {
            exact: spellings
                .iter()
                .map(|spelling| Finder::new(spelling).into_owned())
                .collect(),
            shapes: true,
        }
    }

    /// A redactor that hides these exact texts, and nothing else.
    pub fn exact_only(secrets: impl IntoIterator<Item = String>) -> Self {
        Self {
            shapes: false,
            ..Self::new(secrets)
        }
    }

    /// A redactor that hides nothing, for texts that hold no one's secrets.
    pub fn off() -> Self {
        Self {
            exact: Vec::new(),
            shapes: false,
        }
    }

    /// The text with every secret replaced by [`MARKER`]. A text that is JSON stays JSON.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        // Again while something is found: the quotes of a marker that takes a number's place can
        // complete a secret which is made of JSON itself.
        loop {
            let exact = fit(&text, self.exact(text.as_bytes()));
            if exact.is_empty() {
                break;
            }
            text = Cow::Owned(hide_text(&text, &exact));
        }
        let shaped = self.shaped(text.as_bytes());
        if shaped.is_empty() {
            text
        } else {
            Cow::Owned(hide_text(&text, &shaped))
        }
    }

    /// As [`Self::text`], for bytes that are not text.
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let exact = self.exact(bytes);
        let bytes = if exact.is_empty() {
            Cow::Borrowed(bytes)
        } else {
            Cow::Owned(hide_bytes(bytes, &exact))
        };
        let shaped = self.shaped(&bytes);
        if shaped.is_empty() {
            bytes
        } else {
            Cow::Owned(hide_bytes(&bytes, &shaped))
        }
    }

    /// Where the named secrets stand, in order and apart from each other.
    fn exact(&self, bytes: &[u8]) -> Vec<Hidden> {
        let mut found = Vec::new();
        for finder in &self.exact {
            let mut from = 0;
            while let Some(at) = finder.find(&bytes[from..]) {
                let range = from + at..from + at + finder.needle().len();
                if touches_marker(bytes, &range) {
                    from = range.start + 1;
                } else {
                    from = range.end;
                    found.push(range);
                }
            }
        }
        found.sort_by_key(|range| range.start);
        let mut apart: Vec<Hidden> = Vec::with_capacity(found.len());
        for range in found {
            match apart.last_mut() {
                Some(last) if range.start <= last.range.end => {
                    last.range.end = last.range.end.max(range.end);
                }
                _ => apart.push(Hidden::part(range)),
            }
        }
        apart
    }

    /// Where something stands that has the shape of a secret, in order and apart from each other.
    fn shaped(&self, bytes: &[u8]) -> Vec<Hidden> {
        if !self.shapes {
            return Vec::new();
        }
        let mut found = shapes::find(bytes);
        found.sort_by_key(|range| range.start);
        let mut end = 0;
        found.retain(|range| {
            let apart = range.start >= end;
            if apart {
                end = range.end;
            }
            apart
        });
        found.into_iter().map(Hidden::part).collect()
    }
}

/// A part of a text that is replaced by the marker.
#[derive(Debug, Clone)]
struct Hidden {
    range: Range<usize>,
    /// A JSON number, whose place a string takes.
    number: bool,
}

impl Hidden {
    fn part(range: Range<usize>) -> Self {
        Self {
            range,
            number: false,
        }
    }

    fn number(range: Range<usize>) -> Self {
        Self {
            range,
            number: true,
        }
    }

    fn marker(&self) -> &'static str {
        if self.number {
            r#""[redacted]""#
        } else {
            MARKER
        }
    }
}

/// The ways in which a text stands in JSON: as it is, escaped as little as JSON allows, with
/// slashes escaped, in ASCII only, and in JSON that is itself a string in JSON.
fn spellings(secret: String) -> Vec<String> {
    let mut escaped = String::new();
    json::push_escaped(&mut escaped, &secret);
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
    vec![
        escaped.replace('/', "\\/"),
        ascii(|unit| format!("\\u{unit:04x}")),
        ascii(|unit| format!("\\u{unit:04X}")),
        twice,
        escaped,
        secret,
    ]
}

/// Whether some of these bytes belong to a marker.
fn touches_marker(bytes: &[u8], range: &Range<usize>) -> bool {
    let start = range.start.saturating_sub(MARKER.len() - 1);
    let end = bytes.len().min(range.end + MARKER.len() - 1);
    memchr::memmem::find(&bytes[start..end], MARKER.as_bytes()).is_some()
}

/// What of these parts can be hidden in a JSON text so that it stays JSON: the insides of strings,
/// to whole escapes, and whole numbers. In a text that is not JSON, all.
fn fit(text: &str, parts: Vec<Hidden>) -> Vec<Hidden> {
    if parts.is_empty() {
        return parts;
    }
    let mut fitting: Vec<Hidden> = Vec::with_capacity(parts.len());
    let mut next = 0;
    let whole = json::is_whole(text, |token| {
        while parts
            .get(next)
            .is_some_and(|part| part.range.end <= token.start)
        {
            next += 1;
        }
        let touching = parts[next..]
            .iter()
            .map(|part| &part.range)
            .take_while(|range| range.start < token.end);
        if !token.string {
            if touching.count() > 0 {
                fitting.push(Hidden::number(token.start..token.end));
            }
            return;
        }
        let content = token.start + 1..token.end - 1;
        let mut free = content.start;
        for range in touching {
            let start = range.start.max(free);
            let end = range.end.min(content.end);
            if start < end {
                let range = whole_escapes(text.as_bytes(), free, start..end);
                free = range.end;
                fitting.push(Hidden::part(range));
            }
        }
    });
    if whole { fitting } else { parts }
}

/// The range, widened so that no escape is torn. No escape goes over `from`.
fn whole_escapes(bytes: &[u8], from: usize, mut range: Range<usize>) -> Range<usize> {
    let mut at = from;
    while let Some(slash) = memchr::memchr(b'\\', &bytes[at..range.end]) {
        let escape = at + slash;
        at = escape
            + if bytes.get(escape + 1) == Some(&b'u') {
                6
            } else {
                2
            };
        if (escape..at).contains(&range.start) {
            range.start = escape;
        }
        if at >= range.end {
            range.end = at;
            break;
        }
    }
    range
}

/// The text with these parts replaced.
fn hide_text(text: &str, parts: &[Hidden]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for part in parts {
        out.push_str(&text[kept..part.range.start]);
        out.push_str(part.marker());
        kept = part.range.end;
    }
    out.push_str(&text[kept..]);
    out
}

/// The bytes with these parts replaced.
fn hide_bytes(bytes: &[u8], parts: &[Hidden]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut kept = 0;
    for part in parts {
        out.extend_from_slice(&bytes[kept..part.range.start]);
        out.extend_from_slice(part.marker().as_bytes());
        kept = part.range.end;
    }
    out.extend_from_slice(&bytes[kept..]);
    out
}
