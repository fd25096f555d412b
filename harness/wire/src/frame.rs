//! Framing of newline-delimited JSON: incremental, bounded, and lossless about defects.

use std::ops::Range;

/// The longest line that is kept whole, in bytes. Longer lines are recorded as [`Body::Oversize`].
pub const DEFAULT_MAX_LINE: usize = 2 * 1024 * 1024;

/// One line as it crossed the wire, without its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The content.
    pub body: Body,
    /// How the line ended.
    pub end: LineEnd,
}

/// The content of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Valid UTF-8.
    Text(String),
    /// Not valid UTF-8.
    Bytes(Vec<u8>),
    /// Longer than the cap.
    Oversize {
        /// The line's length in bytes.
        len: u64,
        /// SHA-256 of the whole line, in hex.
        sha256: String,
        /// Its first bytes.
        head: Vec<u8>,
        /// Its last bytes.
        tail: Vec<u8>,
    },
}

/// How a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// LF, as the transports page asks.
    Lf,
    /// CR LF.
    CrLf,
    /// The stream ended, or the harness stopped reading, before any line end.
    None,
}

/// What is wrong with a frame's bytes, before or while they are read as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameDefect {
    /// No content at all, or white space only.
    Blank,
    /// A byte order mark before the content.
    ByteOrderMark,
    /// A NUL byte outside of any escape.
    Nul,
    /// The bytes at this offset are not UTF-8.
    InvalidUtf8 {
        /// Offset of the first bad byte.
        at: usize,
    },
    /// A raw U+2028, U+2029 or U+0085: legal in JSON, and a trap for line splitters.
    LineSeparator,
    /// The line ended with CR LF.
    CarriageReturn,
    /// The line had no end.
    Unterminated,
    /// The line is longer than the cap.
    Oversize,
    /// Not JSON.
    NotJson {
        /// Byte offset at which it stops being JSON.
        at: usize,
        /// It is a proper prefix of a JSON text: more lines might complete it.
        incomplete: bool,
    },
    /// A whole JSON value, and then something else.
    TrailingGarbage {
        /// Offset of the first byte after the value.
        at: usize,
    },
    /// JSON, but neither an object nor an array.
    Scalar,
    /// An array of messages.
    Batch {
        /// The number of its entries.
        entries: usize,
    },
    /// An envelope member stands twice.
    DuplicateKey {
        /// The member.
        key: String,
    },
    /// Nested deeper than a reader can be expected to follow (128 levels).
    TooDeep,
    /// A number that a 64-bit float cannot hold without becoming infinite.
    HugeNumber,
}

/// Splits a byte stream into frames. Memory is bounded by the line cap, whatever comes in.
#[derive(Debug)]
pub struct Framer {
    _private: (),
}

impl Framer {
    /// A framer that keeps lines of up to `max_line` bytes whole.
    pub fn new(max_line: usize) -> Self {
        let _ = max_line;
        todo!()
    }

    /// Takes the next bytes of the stream and hands every line that they complete to `frame`.
    pub fn push(&mut self, bytes: &[u8], frame: impl FnMut(Frame)) {
        let _ = (bytes, frame);
        todo!()
    }

    /// The stream ended: an unterminated rest comes out as a frame with [`LineEnd::None`].
    pub fn finish(&mut self) -> Option<Frame> {
        todo!()
    }

    /// The bytes of a line that has not ended yet.
    pub fn pending(&self) -> usize {
        todo!()
    }
}

/// Byte-level defects of a frame (not the JSON-level ones, which [`crate::Message::parse`] names).
pub fn defects(frame: &Frame) -> Vec<FrameDefect> {
    let _ = frame;
    todo!()
}

#[allow(dead_code)]
type Offset = Range<usize>;
