//! JSON text without values: where it stops being JSON, where its values begin and end.
//!
//! One pass, no recursion and no allocation. It sees what a value parser cannot tell: whether a
//! text is a prefix of JSON or noise, how deep it nests, and which numbers would become infinite.

use std::borrow::Cow;

use crate::hex;

/// The deepest nesting that is followed.
pub(crate) const MAX_DEPTH: u32 = 128;

/// Why a scan ended early. The scanner stands at the byte that stopped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// This byte cannot continue a JSON text. At the end of the text: more bytes are needed.
    NotJson,
    /// One more level than [`MAX_DEPTH`].
    TooDeep,
}

/// A string as it stands in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StringToken<'a> {
    /// What is between the quotes.
    pub(crate) content: &'a str,
    /// Whether there is an escape in it.
    pub(crate) escaped: bool,
}

impl<'a> StringToken<'a> {
    /// The content with its escapes resolved; a lone surrogate becomes U+FFFD.
    pub(crate) fn decode(self) -> Cow<'a, str> {
        if self.escaped {
            let mut out = String::with_capacity(self.content.len());
            unescape(self.content, &mut out);
            Cow::Owned(out)
        } else {
            Cow::Borrowed(self.content)
        }
    }
}

/// Walks over a JSON text.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// A number was passed that a 64-bit float cannot hold without becoming infinite.
    pub(crate) huge: bool,
    /// The offset of the first escape that is half of a surrogate pair.
    pub(crate) lone_surrogate: Option<usize>,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            huge: false,
            lone_surrogate: None,
        }
    }

    /// The offset of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next byte.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes over JSON's white space.
    pub(crate) fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Passes over this byte if it comes next.
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let next = self.peek() == Some(byte);
        self.at += usize::from(next);
        next
    }

    /// Passes over this byte, which must come next.
    pub(crate) fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(Stop::NotJson)
        }
    }

    /// Passes over one member's name, its colon and the space around.
    pub(crate) fn key(&mut self) -> Result<StringToken<'a>, Stop> {
        self.space();
        let key = self.string()?;
        self.space();
        self.expect(b':')?;
        self.space();
        Ok(key)
    }

    /// Passes over one value that stands below `outer` open containers, and gives its text.
    pub(crate) fn value(&mut self, outer: u32) -> Result<&'a str, Stop> {
        self.tokens(outer, |_| {})
    }

    /// As [`Self::value`], and hands every string (names too) and number in it to `token`.
    pub(crate) fn tokens(
        &mut self,
        outer: u32,
        mut token: impl FnMut(Token),
    ) -> Result<&'a str, Stop> {
        self.space();
        let start = self.at;
        let mut depth = outer;
        // One bit for each open container: an object or an array. MAX_DEPTH bits fit.
        let mut objects: u128 = 0;
        loop {
            self.space();
            let from = self.at;
            let mut opened = false;
            match self.peek() {
                Some(open @ (b'{' | b'[')) => {
                    if depth == MAX_DEPTH {
                        return Err(Stop::TooDeep);
                    }
                    self.at += 1;
                    depth += 1;
                    objects = objects << 1 | u128::from(open == b'{');
                    opened = true;
                }
                Some(b'"') => {
                    self.string()?;
                    token(Token::string(from, self.at));
                }
                Some(b'-' | b'0'..=b'9') => {
                    self.number()?;
                    token(Token::number(from, self.at));
                }
                Some(b't') => self.literal("true")?,
                Some(b'f') => self.literal("false")?,
                Some(b'n') => self.literal("null")?,
                _ => return Err(Stop::NotJson),
            }
            // What may follow: the ends of containers, and then a comma before the next value.
            loop {
                if depth == outer {
                    return Ok(&self.text[start..self.at]);
                }
                self.space();
                let object = objects & 1 == 1;
                if self.take(if object { b'}' } else { b']' }) {
                    objects >>= 1;
                    depth -= 1;
                    opened = false;
                    continue;
                }
                if !opened {
                    self.expect(b',')?;
                }
                if object {
                    self.space();
                    let from = self.at;
                    let key = self.string()?;
                    token(Token::string(from, from + key.content.len() + 2));
                    self.space();
                    self.expect(b':')?;
                }
                break;
            }
        }
    }

    /// Passes over a string.
    pub(crate) fn string(&mut self) -> Result<StringToken<'a>, Stop> {
        self.expect(b'"')?;
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at += plain_prefix(&self.text.as_bytes()[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    let content = &self.text[start..self.at];
                    self.at += 1;
                    return Ok(StringToken { content, escaped });
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return Err(Stop::NotJson),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Stop> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    match self.peek().and_then(hex::digit) {
                        Some(_) => self.at += 1,
                        None => return Err(Stop::NotJson),
                    }
                }
                match surrogate(self.text.as_bytes(), start) {
                    Surrogate::Pair => self.at = start + 12,
                    Surrogate::Lone => {
                        self.lone_surrogate.get_or_insert(start);
                    }
                    Surrogate::No => {}
                }
            }
            _ => return Err(Stop::NotJson),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Stop> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        let mut exponent = false;
        if let Some(b'e' | b'E') = self.peek() {
            exponent = true;
            self.at += 1;
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        // The greatest double has 309 digits, so a shorter number without exponent is finite.
        if (exponent || text.len() > 308) && text.parse::<f64>().is_ok_and(f64::is_infinite) {
            self.huge = true;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Stop> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start {
            Err(Stop::NotJson)
        } else {
            Ok(())
        }
    }

    fn literal(&mut self, word: &str) -> Result<(), Stop> {
        word.bytes().try_for_each(|byte| self.expect(byte))
    }
}

/// A string or a number, by where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// The first byte; a string's quote.
    pub(crate) start: usize,
    /// The byte after the last.
    pub(crate) end: usize,
    /// A string, and not a number.
    pub(crate) string: bool,
}

impl Token {
    fn string(start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            string: true,
        }
    }

    fn number(start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            string: false,
        }
    }
}

/// Whether the text is one whole JSON value, not nested too deep, with only white space around.
pub(crate) fn is_whole(text: &str, token: impl FnMut(Token)) -> bool {
    let mut scanner = Scanner::new(text);
    let value = scanner.tokens(0, token);
    scanner.space();
    value.is_ok() && scanner.at == text.len()
}

/// The number of bytes before the first that a JSON string must escape, or that ends it. Eight
/// at a time: the high bit of a byte is set where it is special.
pub(crate) fn plain_prefix(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    const QUOTES: u64 = u64::from_ne_bytes([b'"'; 8]);
    const SLASHES: u64 = u64::from_ne_bytes([b'\\'; 8]);
    const SPACES: u64 = u64::from_ne_bytes([0x20; 8]);

    let (words, rest) = bytes.as_chunks::<8>();
    let mut at = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let quote = word ^ QUOTES;
        let slash = word ^ SLASHES;
        // A borrow can mark a byte above a special one wrongly, and never one below it, so the
        // lowest mark is right.
        let special = (quote.wrapping_sub(ONES) & !quote
            | slash.wrapping_sub(ONES) & !slash
            | word.wrapping_sub(SPACES) & !word)
            & HIGH;
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    at + rest.iter().position(special).unwrap_or(rest.len())
}

/// Appends the text as a JSON string.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.reserve(text.len() + text.len() / 8 + 2);
    out.push('"');
    push_escaped(out, text);
    out.push('"');
}

/// Appends the text with everything escaped that a JSON string must escape.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    let mut rest = text;
    loop {
        let plain = plain_prefix(rest.as_bytes());
        out.push_str(&rest[..plain]);
        let Some(byte) = rest.as_bytes().get(plain) else {
            return;
        };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            other => {
                out.push_str("\\u00");
                hex::push(out, &[*other]);
            }
        }
        rest = &rest[plain + 1..];
    }
}

/// Appends a JSON string's content with its escapes resolved. A lone surrogate becomes U+FFFD,
/// and a backslash that begins no escape stays.
pub(crate) fn unescape(content: &str, out: &mut String) {
    let bytes = content.as_bytes();
    let mut at = 0;
    while let Some(slash) = memchr::memchr(b'\\', &bytes[at..]) {
        out.push_str(&content[at..at + slash]);
        at += slash;
        let mut length = 2;
        out.push(match (bytes.get(at + 1), code_unit(bytes, at)) {
            (Some(b'b'), _) => '\u{8}',
            (Some(b'f'), _) => '\u{c}',
            (Some(b'n'), _) => '\n',
            (Some(b'r'), _) => '\r',
            (Some(b't'), _) => '\t',
            (Some(&itself @ (b'"' | b'\\' | b'/')), _) => char::from(itself),
            (_, Some(high)) => {
                length = 6;
                let mut point = u32::from(high);
                if surrogate(bytes, at) == Surrogate::Pair {
                    length = 12;
                    let low = code_unit(bytes, at + 6).unwrap_or_default();
                    point = 0x10000 + ((point & 0x3ff) << 10) + u32::from(low & 0x3ff);
                }
                char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => {
                length = 1;
                '\\'
            }
        });
        at += length;
    }
    out.push_str(&content[at..]);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Surrogate {
    No,
    Lone,
    Pair,
}

/// What the escape at this offset is among surrogates.
fn surrogate(bytes: &[u8], at: usize) -> Surrogate {
    match code_unit(bytes, at) {
        Some(0xd800..=0xdbff) => match code_unit(bytes, at + 6) {
            Some(0xdc00..=0xdfff) => Surrogate::Pair,
            _ => Surrogate::Lone,
        },
        Some(0xdc00..=0xdfff) => Surrogate::Lone,
        _ => Surrogate::No,
    }
}

/// The value of the escape `\uXXXX` at this offset.
fn code_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let [b'\\', b'u', digits @ ..] = bytes.get(at..at + 6)? else {
        return None;
    };
    digits.iter().try_fold(0, |unit, &byte| {
        Some(unit << 4 | u16::from(hex::digit(byte)?))
    })
}

/// The JSON text with every lone surrogate escape replaced by `\ufffd`, so that readers that
/// insist on whole characters accept it.
///
/// RFC 8259 section 8.2 lets the grammar pass such a text and warns that readers differ on it.
pub fn mend_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut mended: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(slash) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        at += slash;
        at += match surrogate(bytes, at) {
            Surrogate::Pair => 12,
            Surrogate::No => 2,
            Surrogate::Lone => {
                let out = mended.get_or_insert_with(|| String::with_capacity(text.len()));
                out.push_str(&text[copied..at]);
                out.push_str("\\ufffd");
                copied = at + 6;
                6
            }
        };
    }
    match mended {
        Some(mut out) => {
            out.push_str(&text[copied..]);
            Cow::Owned(out)
        }
        None => Cow::Borrowed(text),
    }
}
