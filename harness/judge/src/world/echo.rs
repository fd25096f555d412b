//! Whether a target says anything of its own, or sends back what was sent to it, as a terminal or `cat` does.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use elenchus_wire::{Body, Frame};

/// What is known of that on one connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Echo {
    /// Digests of the lines that were sent to the target, as long as it has said nothing of its own.
    sent: HashSet<u64>,
    /// It has sent one of them back.
    pub(crate) repeats: bool,
    /// It has said something else.
    pub(crate) own: bool,
}

impl Echo {
    /// A line was sent to the target.
    pub(super) fn sent(&mut self, frame: &Frame) {
        if !self.own
            && let Some(digest) = digest(frame)
        {
            self.sent.insert(digest);
        }
    }

    /// The target sent a line.
    pub(super) fn received(&mut self, frame: &Frame) {
        if self.own {
            return;
        }
        if digest(frame).is_some_and(|digest| self.sent.contains(&digest)) {
            self.repeats = true;
        } else {
            self.own = true;
            self.sent = HashSet::new();
        }
    }
}

/// `None` for a line of which not all was kept.
fn digest(frame: &Frame) -> Option<u64> {
    let bytes = match &frame.body {
        Body::Text(text) => text.as_bytes(),
        Body::Bytes(bytes) => bytes,
        Body::Oversize { .. } => return None,
    };
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Some(hasher.finish())
}
