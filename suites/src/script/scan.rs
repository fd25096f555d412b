//! Finds the end of a JSON value and the holes in it. The value is checked, and no byte of it is changed.

use super::error::Flaw;
use super::scope::Scope;
use super::template::{Part, Template};

/// How long a name may be.
const MAX_NAME: usize = 64;

/// Scans the JSON value that begins at `at`, where holes count as values. Answers its end and its template.
pub(super) fn json(text: &str, at: usize, scope: &Scope) -> Result<(usize, Template), Flaw> {
    let mut scan = Scan {
        text,
        at,
        kept: at,
        parts: Vec::new(),
        holes: Some(scope),
    };
    scan.value()?;
    scan.keep_until(scan.at);
    Ok((scan.at, Template { parts: scan.parts }))
}

/// Scans the JSON array that begins at `at` and has no holes. Answers its end and the exact text of its members.
pub(super) fn array(text: &str, at: usize) -> Result<(usize, Vec<&str>), Flaw> {
    let mut scan = Scan {
        text,
        at,
        kept: at,
        parts: Vec::new(),
        holes: None,
    };
    let mut members = Vec::new();
    if scan.peek() != Some(b'[') {
        return Err(Flaw::new(
            at,
            "a JSON array of values must stand here: `each NAME [1, 2]`",
        ));
    }
    scan.at += 1;
    scan.space();
    if scan.peek() == Some(b']') {
        return Ok((scan.at + 1, members));
    }
    loop {
        scan.space();
        let start = scan.at;
        scan.value()?;
        members.push(&text[start..scan.at]);
        scan.space();
        match scan.peek() {
            Some(b',') => scan.at += 1,
            Some(b']') => return Ok((scan.at + 1, members)),
            _ => return Err(Flaw::new(scan.at, "`,` or `]` must stand here")),
        }
    }
}

/// Scans a prompt, in which `$name` and `${name}` both stand for a text and `$$` is a dollar sign.
pub(super) fn prompt(text: &str, at: usize, scope: &Scope) -> Result<Template, Flaw> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut at = at;
    while let Some(dollar) = text[at..].find('$').map(|d| at + d) {
        plain.push_str(&text[at..dollar]);
        match text.as_bytes().get(dollar + 1) {
            Some(b'$') => {
                plain.push('$');
                at = dollar + 2;
            }
            Some(b) if *b == b'{' || is_name_start(*b) => {
                let (end, path) = hole(text, dollar).map_err(with_dollar_advice)?;
                scope.check(dollar, &path).map_err(with_dollar_advice)?;
                if !plain.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                }
                parts.push(Part::Inner(path));
                at = end;
            }
            _ => {
                plain.push('$');
                at = dollar + 1;
            }
        }
    }
    plain.push_str(&text[at..]);
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(Template { parts })
}

fn with_dollar_advice(mut flaw: Flaw) -> Flaw {
    flaw.message
        .push_str("; in a prompt, a dollar sign itself is written `$$`");
    flaw
}

/// A letter or `_`.
pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// A letter, a digit or `_`.
pub(super) fn is_name_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What variables and connections may be called.
pub(super) fn is_name(word: &str) -> bool {
    word.len() <= MAX_NAME
        && word.bytes().next().is_some_and(is_name_start)
        && word.bytes().all(is_name_part)
}

/// Reads `$name.path` or `${name.path}` at `dollar`. Answers its end and its path.
fn hole(text: &str, dollar: usize) -> Result<(usize, Vec<String>), Flaw> {
    let bytes = text.as_bytes();
    let braces = bytes.get(dollar + 1) == Some(&b'{');
    let mut at = dollar + 1 + usize::from(braces);
    let mut path = Vec::new();
    loop {
        let start = at;
        while bytes.get(at).copied().is_some_and(is_name_part) {
            at += 1;
        }
        if start == at || (path.is_empty() && !is_name_start(bytes[start])) {
            return Err(Flaw::new(
                start,
                "the name of a variable must stand here: a letter or `_`, then letters, digits and `_`",
            ));
        }
        path.push(text[start..at].to_owned());
        // A dot that begins no name is the text's own: `$name.` ends a sentence.
        let goes_on =
            bytes.get(at) == Some(&b'.') && bytes.get(at + 1).copied().is_some_and(is_name_part);
        if !goes_on {
            break;
        }
        at += 1;
    }
    if braces {
        if bytes.get(at) != Some(&b'}') {
            return Err(Flaw::new(
                at,
                "`}` must stand here: `${name}` or `${name.path}`",
            ));
        }
        at += 1;
    }
    Ok((at, path))
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    /// Up to here the text is in `parts`.
    kept: usize,
    parts: Vec<Part>,
    /// The variables that holes may name; `None` where there are no holes and `${` in a string is only text.
    holes: Option<&'t Scope>,
}

/// What the scanner stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Array,
    Object,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn keep_until(&mut self, end: usize) {
        if self.kept < end {
            self.parts
                .push(Part::Text(self.text[self.kept..end].to_owned()));
            self.kept = end;
        }
    }

    fn hole(&mut self, scope: &Scope, part: fn(Vec<String>) -> Part) -> Result<(), Flaw> {
        let (end, path) = hole(self.text, self.at)?;
        scope.check(self.at, &path)?;
        self.keep_until(self.at);
        self.parts.push(part(path));
        self.at = end;
        self.kept = end;
        Ok(())
    }

    /// One value with all that is in it. The stack is on the heap: a line may be nothing but opening brackets.
    fn value(&mut self) -> Result<(), Flaw> {
        let mut stack: Vec<Inside> = Vec::new();
        'value: loop {
            self.space();
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    self.space();
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                    } else {
                        self.key()?;
                        stack.push(Inside::Object);
                        continue 'value;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    self.space();
                    if self.peek() == Some(b']') {
                        self.at += 1;
                    } else {
                        stack.push(Inside::Array);
                        continue 'value;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b'$') => match self.holes {
                    Some(scope) => self.hole(scope, Part::Json)?,
                    None => {
                        return Err(Flaw::new(self.at, "no variable may stand here, only JSON"));
                    }
                },
                _ => self.literal()?,
            }
            loop {
                let Some(inside) = stack.last() else {
                    return self.boundary();
                };
                self.space();
                match (self.peek(), inside) {
                    (Some(b','), Inside::Array) => {
                        self.at += 1;
                        continue 'value;
                    }
                    (Some(b','), Inside::Object) => {
                        self.at += 1;
                        self.space();
                        self.key()?;
                        continue 'value;
                    }
                    (Some(b']'), Inside::Array) | (Some(b'}'), Inside::Object) => {
                        self.at += 1;
                        stack.pop();
                    }
                    (_, Inside::Array) => {
                        return Err(Flaw::new(self.at, "`,` or `]` must stand here"));
                    }
                    (_, Inside::Object) => {
                        return Err(Flaw::new(self.at, "`,` or `}` must stand here"));
                    }
                }
            }
        }
    }

    /// A value ends where a space, the end of the line or (in an `each` array) a comma or bracket stands.
    fn boundary(&self) -> Result<(), Flaw> {
        match self.peek() {
            None | Some(b' ' | b'\t') => Ok(()),
            Some(b',' | b']') if self.holes.is_none() => Ok(()),
            Some(_) => Err(Flaw::new(
                self.at,
                "the JSON value ends here; a space must stand before what follows",
            )),
        }
    }

    fn key(&mut self) -> Result<(), Flaw> {
        if self.peek() != Some(b'"') {
            return Err(Flaw::new(
                self.at,
                "a member name in double quotes must stand here",
            ));
        }
        self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(Flaw::new(self.at, "`:` must stand here"));
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Flaw> {
        let opening = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(Flaw::new(opening, "this string has no closing `\"`")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(b'$') if self.text.as_bytes().get(self.at + 1) == Some(&b'{') => {
                    match self.holes {
                        Some(scope) => self.hole(scope, Part::Inner).map_err(|mut flaw| {
                            flaw.message
                                .push_str("; in a JSON string, `${` itself is written `\\u0024{`");
                            flaw
                        })?,
                        None => self.at += 1,
                    }
                }
                Some(b) if b < 0x20 => {
                    return Err(Flaw::new(
                        self.at,
                        "a control character in a JSON string is written as an escape, `\\t` say",
                    ));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), Flaw> {
        let bytes = self.text.as_bytes();
        let length = match bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u')
                if bytes
                    .get(self.at + 2..self.at + 6)
                    .is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit)) =>
            {
                6
            }
            _ => {
                return Err(Flaw::new(
                    self.at,
                    "an escape in a JSON string is one of `\\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r`, `\\t` and `\\uHHHH`",
                ));
            }
        };
        self.at += length;
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Flaw> {
        if !self.peek().is_some_and(|b| b.is_ascii_digit()) {
            return Err(Flaw::new(self.at, "a digit must stand here"));
        }
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Flaw> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let start = self.at;
        self.digits()?;
        if leading_zero && self.at > start + 1 {
            return Err(Flaw::new(
                start,
                "a JSON number has no leading zeros; bytes that are not JSON are sent with `raw`",
            ));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn literal(&mut self) -> Result<(), Flaw> {
        for word in ["null", "true", "false"] {
            let after = self.text[self.at..]
                .strip_prefix(word)
                .map(|rest| rest.bytes().next());
            if after.is_some_and(|next| !next.is_some_and(is_name_part)) {
                self.at += word.len();
                return Ok(());
            }
        }
        Err(Flaw::new(
            self.at,
            if self.holes.is_some() {
                "a JSON value must stand here: an object, an array, a string in double quotes, a number, `true`, `false`, `null`, or a variable (`$name`)"
            } else {
                "a JSON value must stand here: an object, an array, a string in double quotes, a number, `true`, `false` or `null`"
            },
        ))
    }
}
