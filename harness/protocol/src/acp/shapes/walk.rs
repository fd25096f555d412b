//! What both walks along a schema share: where they are, and what they have found.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    Mismatch,
    brief::{brief, shorten},
};

/// A place in a value, as a list that grows on the stack.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    /// The root.
    Root,
    /// A member of an object.
    Member(&'a Path<'a>, &'a str),
    /// An element of an array.
    Element(&'a Path<'a>, usize),
}

impl Path<'_> {
    /// The JSON Pointer; a name that nobody could read is shortened in it.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.write(&mut pointer);
        pointer
    }

    fn write(&self, pointer: &mut String) {
        match self {
            Self::Root => {}
            Self::Member(parent, name) => {
                parent.write(pointer);
                pointer.push('/');
                pointer.push_str(&shorten(name).replace('~', "~0").replace('/', "~1"));
            }
            Self::Element(parent, index) => {
                parent.write(pointer);
                // Writing to a string never fails.
                let _ = write!(pointer, "/{index}");
            }
        }
    }
}

/// What was found, up to as many as anyone reads.
pub(super) struct Findings {
    found: Vec<Mismatch>,
    room: usize,
}

impl Findings {
    /// Room for that many.
    pub(super) fn up_to(room: usize) -> Self {
        Self {
            found: Vec::new(),
            room,
        }
    }

    /// The walk may stop.
    pub(super) fn full(&self) -> bool {
        self.found.len() >= self.room
    }

    /// Nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All that was found.
    pub(super) fn into_vec(self) -> Vec<Mismatch> {
        self.found
    }

    /// Adds one; what may stand there is worked out only where there is room.
    pub(super) fn add(
        &mut self,
        path: Path<'_>,
        got: Option<&Value>,
        expected: impl FnOnce() -> String,
    ) {
        if !self.full() {
            self.append(vec![Mismatch {
                pointer: path.pointer(),
                got: brief(got),
                expected: expected(),
            }]);
        }
    }

    /// Adds those of another walk. One place is told once, though several schemas may apply to it.
    pub(super) fn append(&mut self, others: Vec<Mismatch>) {
        for other in others {
            if !self.full() && self.found.iter().all(|told| told.pointer != other.pointer) {
                self.found.push(other);
            }
        }
    }
}
