//! What is kept of a line over the cap: its length, its SHA-256, its first and its last bytes.

use sha2::{Digest as _, Sha256};

use crate::{
    frame::{Body, Frame, LineEnd, OVERSIZE_KEPT},
    hex,
};

/// Takes in a line piece by piece, in constant memory.
#[derive(Debug)]
pub(crate) struct Digest {
    len: u64,
    hash: Sha256,
    head: Vec<u8>,
    tail: Vec<u8>,
    /// The newest byte was a CR, not counted yet: it may belong to the line end.
    carriage_return: bool,
}

impl Digest {
    /// The digest of these bytes, all of which are content.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut digest = Self {
            len: 0,
            hash: Sha256::new(),
            head: Vec::with_capacity(OVERSIZE_KEPT),
            tail: Vec::with_capacity(OVERSIZE_KEPT),
            carriage_return: false,
        };
        digest.absorb(bytes);
        digest
    }

    /// The next bytes of the stream.
    pub(crate) fn add(&mut self, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        self.settle();
        let content = piece.strip_suffix(b"\r").unwrap_or(piece);
        self.carriage_return = content.len() < piece.len();
        self.absorb(content);
    }

    /// The bytes taken in so far.
    pub(crate) fn pending(&self) -> usize {
        usize::try_from(self.len)
            .unwrap_or(usize::MAX)
            .saturating_add(usize::from(self.carriage_return))
    }

    /// The bytes of memory that grow with the line.
    pub(crate) fn held(&self) -> usize {
        self.head.capacity() + self.tail.capacity()
    }

    /// The line is over, by a line feed or by the end of the stream.
    pub(crate) fn end(mut self, line_feed: bool) -> Frame {
        let end = match (line_feed, self.carriage_return) {
            (true, true) => LineEnd::CrLf,
            (true, false) => LineEnd::Lf,
            (false, _) => {
                self.settle();
                LineEnd::None
            }
        };
        Frame {
            body: self.body(),
            end,
        }
    }

    /// What a frame says of the line.
    pub(crate) fn body(self) -> Body {
        let mut sha256 = String::new();
        hex::push(&mut sha256, &self.hash.finalize());
        Body::Oversize {
            len: self.len,
            sha256,
            head: self.head,
            tail: self.tail,
        }
    }

    /// A CR that was held back is content, since something other than LF follows.
    fn settle(&mut self) {
        if std::mem::take(&mut self.carriage_return) {
            self.absorb(b"\r");
        }
    }

    fn absorb(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        self.hash.update(bytes);
        let room = OVERSIZE_KEPT - self.head.len();
        self.head.extend(bytes.iter().take(room));
        let newest = &bytes[bytes.len().saturating_sub(OVERSIZE_KEPT)..];
        let excess = (self.tail.len() + newest.len()).saturating_sub(OVERSIZE_KEPT);
        self.tail.drain(..excess);
        self.tail.extend_from_slice(newest);
    }
}
