//! One line of a script, read word by word.

use super::error::Flaw;
use super::scan;
use super::scope::Scope;
use super::template::Template;

/// A line and how far it was read.
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Line<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut line = Self { text, at: 0 };
        line.skip_space();
        line
    }

    pub(super) fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    /// What was not read yet.
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().trim_end_matches([' ', '\t']).is_empty()
    }

    /// The next word, which stays unread. Empty at the end of the line.
    pub(super) fn peek(&self) -> &'t str {
        let rest = self.rest();
        &rest[..rest.find([' ', '\t']).unwrap_or(rest.len())]
    }

    /// The next word and where it stands. Empty at the end of the line.
    pub(super) fn word(&mut self) -> (usize, &'t str) {
        let (at, word) = (self.at, self.peek());
        self.at += word.len();
        self.skip_space();
        (at, word)
    }

    /// Reads the next word if it is this one.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        if found {
            self.word();
        }
        found
    }

    /// A word that must be there: `what` says what it is.
    pub(super) fn needed(&mut self, what: &str) -> Result<(usize, &'t str), Flaw> {
        match self.word() {
            (at, "") => Err(Flaw::missing(at, what)),
            found => Ok(found),
        }
    }

    /// The name of a variable or of a connection.
    pub(super) fn name(&mut self, what: &str) -> Result<(usize, &'t str), Flaw> {
        let (at, word) = self.needed(what)?;
        if scan::is_name(word) {
            Ok((at, word))
        } else {
            Err(Flaw::new(
                at,
                format!("{what} must stand here: a letter or `_`, then letters, digits and `_`"),
            ))
        }
    }

    /// A method name: any word that is not the beginning of JSON.
    pub(super) fn method(&mut self) -> Result<&'t str, Flaw> {
        let (at, word) = self.needed("a method")?;
        match word.find(['{', '[', '"']) {
            Some(0) => Err(Flaw::new(at, "a method must stand here, before the JSON")),
            Some(inside) => Err(Flaw::new(
                at + inside,
                "a space must stand between the method and the JSON",
            )),
            None => Ok(word),
        }
    }

    /// A JSON value with holes. `what` says what it is.
    pub(super) fn json(&mut self, what: &str, scope: &Scope) -> Result<Template, Flaw> {
        if self.is_at_end() {
            return Err(Flaw::missing(self.at, &format!("{what}, as JSON,")));
        }
        let (end, template) = scan::json(self.text, self.at, scope)?;
        self.at = end;
        self.skip_space();
        Ok(template)
    }

    /// Nothing may follow. `expected` says what might have stood here.
    pub(super) fn end(&self, expected: &str) -> Result<(), Flaw> {
        if self.is_at_end() {
            return Ok(());
        }
        Err(Flaw::new(
            self.at,
            format!("nothing more may stand here: {expected}"),
        ))
    }
}
