//! Redaction: what leaves the program is shown without the secrets that it is known to hold.
//!
//! Two passes. The first hides the exact texts that the operator named, wherever they stand. The
//! second hides what has the shape of a secret: the values of members with credential-like names,
//! bearer tokens and private keys. Both leave JSON as JSON, and neither touches its own marker, so
//! that redacting twice is redacting once.

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use memchr::memmem::Finder;
use serde_json::Value;

use crate::json;

mod cut;
mod names;
mod shapes;
mod spellings;

/// What stands where a secret stood.
pub const MARKER: &str = "[redacted]";

/// How a text begins that is handed out as if it were a secret, to see whether it is kept, and is nobody's. What it is
/// named does not hide it: a recording would not show what became of it.
pub const NO_SECRET: &str = "nobody's secret: ";

/// The shortest text that is hidden wherever it stands: shorter ones stand everywhere by chance.
pub const SHORTEST_SECRET: usize = 6;

/// Knows which texts and which JSON members must not be written down.
#[derive(Debug, Clone)]
pub struct Redactor {
    /// The named secrets, in each spelling that is hidden.
    exact: Vec<Finder<'static>>,
    shapes: bool,
}

/// Whether what has this name is a credential, as far as names tell: `OPENAI_API_KEY` and `--password` do.
pub fn names_credential(name: &str) -> bool {
    names::is_credential(name.as_bytes())
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
            .flat_map(|secret| spellings::spellings(&secret))
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

    /// Hides the secrets in all strings of a JSON value; false if there was nothing to hide.
    pub fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => match self.text(text) {
                Cow::Owned(hidden) => {
                    *text = hidden;
                    true
                }
                Cow::Borrowed(_) => false,
            },
            Value::Array(elements) => elements
                .iter_mut()
                .fold(false, |hid, element| self.value(element) | hid),
            Value::Object(members) => members
                .values_mut()
                .fold(false, |hid, member| self.value(member) | hid),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// As [`Self::text`], for bytes that are not text.
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.hidden(bytes, &self.exact(bytes))
    }

    /// As [`Self::bytes`], for bytes after which something was cut off, perhaps in the middle of a secret.
    pub fn head<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut found = self.places(bytes);
        found.extend(self.begun(bytes));
        self.hidden(bytes, &apart(found))
    }

    /// As [`Self::bytes`], for bytes before which something was cut off.
    pub fn tail<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut found = self.places(bytes);
        found.extend(self.ended(bytes));
        self.hidden(bytes, &apart(found))
    }

    fn hidden<'a>(&self, bytes: &'a [u8], exact: &[Hidden]) -> Cow<'a, [u8]> {
        let bytes = if exact.is_empty() {
            Cow::Borrowed(bytes)
        } else {
            Cow::Owned(hide_bytes(bytes, exact))
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
        apart(self.places(bytes))
    }

    /// Where they stand, whole or up to where somebody shortened the text.
    fn places(&self, bytes: &[u8]) -> Vec<Range<usize>> {
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
        if !self.exact.is_empty() {
            for cut in cut::marks(bytes) {
                for end in cut.ends {
                    found.extend(self.begun(&bytes[..end]));
                }
                for start in cut.starts {
                    let ended = self.ended(&bytes[start..]);
                    found.extend(ended.map(|range| start + range.start..start + range.end));
                }
            }
            found.retain(|range| !touches_marker(bytes, range));
        }
        found
    }

    /// The beginning of a secret, at the end of these bytes.
    fn begun(&self, bytes: &[u8]) -> Option<Range<usize>> {
        let needles = self.exact.iter().map(Finder::needle);
        let longest = needles
            .filter_map(|needle| cut::begun(bytes, needle))
            .max()?;
        Some(bytes.len() - longest..bytes.len())
    }

    /// The end of a secret, at the start of these bytes.
    fn ended(&self, bytes: &[u8]) -> Option<Range<usize>> {
        let needles = self.exact.iter().map(Finder::needle);
        let longest = needles
            .filter_map(|needle| cut::ended(bytes, needle))
            .max()?;
        Some(0..longest)
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

/// These parts in order, joined where they touch.
fn apart(mut found: Vec<Range<usize>>) -> Vec<Hidden> {
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
