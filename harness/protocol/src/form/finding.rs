//! Collects what is wrong with a value, with pointers, within bounds that no input can exceed.

use std::{fmt::Write as _, io};

use serde_json::Value;

use crate::{Problem, Weight};

/// More problems of one kind and weight than this tell a person nothing new.
const PER_KIND: usize = 32;
/// Member names longer than this many characters are shortened in pointers.
const NAME_LIMIT: usize = 200;
/// What stands somewhere is shown with at most this many bytes.
const GOT_LIMIT: usize = 80;

/// A place in a JSON value. Costs nothing until it is written as a pointer.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Member(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    /// The root of what a view was given.
    pub(crate) const ROOT: Path<'static> = Path {
        parent: None,
        step: Step::Root,
    };

    /// A member of the object that stands here.
    pub(crate) fn member(&'a self, name: &'a str) -> Path<'a> {
        Path {
            parent: Some(self),
            step: Step::Member(name),
        }
    }

    /// An element of the array that stands here.
    pub(crate) fn index(&'a self, index: usize) -> Path<'a> {
        Path {
            parent: Some(self),
            step: Step::Index(index),
        }
    }

    /// The JSON Pointer (RFC 6901); a very long member name is cut and ends in an ellipsis.
    pub(crate) fn pointer(&self) -> String {
        let mut pointer = self.parent.map_or_else(String::new, Path::pointer);
        match self.step {
            Step::Root => {}
            Step::Index(index) => {
                // Writing to a String cannot fail.
                let _ = write!(pointer, "/{index}");
            }
            Step::Member(name) => {
                pointer.push('/');
                let mut characters = name.chars();
                for character in characters.by_ref().take(NAME_LIMIT) {
                    match character {
                        '~' => pointer.push_str("~0"),
                        '/' => pointer.push_str("~1"),
                        other => pointer.push(other),
                    }
                }
                if characters.next().is_some() {
                    pointer.push('…');
                }
            }
        }
        pointer
    }
}

/// The problems found so far.
pub(crate) struct Findings<K> {
    problems: Vec<Problem<K>>,
}

impl<K: Copy + PartialEq> Findings<K> {
    pub(crate) fn new() -> Self {
        Self {
            problems: Vec::new(),
        }
    }

    /// Adds a problem. `got` is `None` where nothing stands.
    pub(crate) fn add(
        &mut self,
        kind: K,
        weight: Weight,
        path: &Path<'_>,
        got: Option<&Value>,
        expected: impl Into<String>,
    ) {
        let alike = self
            .problems
            .iter()
            .filter(|known| known.kind == kind && known.weight == weight);
        if alike.count() < PER_KIND {
            self.problems.push(Problem {
                kind,
                weight,
                pointer: path.pointer(),
                got: got.map_or_else(|| "absent".to_owned(), short),
                expected: expected.into(),
            });
        }
    }

    /// Adds a violation.
    pub(crate) fn violation(
        &mut self,
        kind: K,
        path: &Path<'_>,
        got: Option<&Value>,
        expected: impl Into<String>,
    ) {
        self.add(kind, Weight::Violation, path, got, expected);
    }

    /// Adds a warning.
    pub(crate) fn warning(
        &mut self,
        kind: K,
        path: &Path<'_>,
        got: Option<&Value>,
        expected: impl Into<String>,
    ) {
        self.add(kind, Weight::Warning, path, got, expected);
    }

    pub(crate) fn into_problems(self) -> Vec<Problem<K>> {
        self.problems
    }
}

/// The member, with null read as omitted: what every optional keyword and field means by null.
pub(crate) fn given<'a>(
    object: &'a serde_json::Map<String, Value>,
    name: &str,
) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

/// A value as JSON text, cut where it is long. Never serialises more than it shows.
pub(crate) fn short(value: &Value) -> String {
    let mut head = Head::default();
    // The only possible error is our own, when enough has been written.
    let cut = serde_json::to_writer(&mut head, value).is_err();
    let mut text = String::from_utf8_lossy(whole_characters(&head.0)).into_owned();
    if cut {
        text.push('…');
    }
    text
}

/// Drops a character that the cut left incomplete at the end.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes,
        Err(error) => &bytes[..error.valid_up_to()],
    }
}

/// A writer that keeps the first bytes and then refuses.
#[derive(Default)]
struct Head(Vec<u8>);

impl io::Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = GOT_LIMIT - self.0.len();
        if room == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let taken = bytes.len().min(room);
        self.0.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pointers_escape_and_shorten_names() {
        let long = "n".repeat(NAME_LIMIT + 1);
        let root = Path::ROOT;
        let slash = root.member("a/b~c");
        assert_eq!(slash.index(3).pointer(), "/a~1b~0c/3");
        assert_eq!(root.pointer(), "");
        assert_eq!(root.member("").pointer(), "/");
        assert_eq!(
            root.member(&long).pointer(),
            format!("/{}…", "n".repeat(NAME_LIMIT))
        );
    }

    #[test]
    fn values_are_shown_short_and_never_cut_inside_a_character() {
        assert_eq!(short(&json!({"a": [1, null]})), r#"{"a":[1,null]}"#);
        let long = short(&json!("é".repeat(GOT_LIMIT)));
        assert!(long.starts_with("\"éé") && long.ends_with("é…"), "{long}");
        assert!(long.len() <= GOT_LIMIT + '…'.len_utf8());
        let exact = json!("x".repeat(GOT_LIMIT - 2));
        assert_eq!(short(&exact), exact.to_string());
    }

    #[test]
    fn a_flood_of_one_kind_does_not_hide_another() {
        let mut findings = Findings::new();
        for _ in 0..10 * PER_KIND {
            findings.warning('a', &Path::ROOT, None, "");
        }
        findings.violation('a', &Path::ROOT, None, "");
        findings.warning('b', &Path::ROOT, None, "");
        assert_eq!(findings.into_problems().len(), PER_KIND + 2);
    }
}
