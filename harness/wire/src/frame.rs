//! Framing of newline-delimited JSON: incremental, bounded, and lossless about defects.

use memchr::{memchr, memchr_iter, memchr2_iter};

use crate::digest::Digest;

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

/// How many bytes of an oversize line are kept at each of its ends.
pub const OVERSIZE_KEPT: usize = 256;

impl Frame {
    /// A text line that ends as it should.
    pub fn line(text: impl Into<String>) -> Self {
        Self {
            body: Body::Text(text.into()),
            end: LineEnd::Lf,
        }
    }

    /// The text, if the line is valid UTF-8 and was kept whole.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            Body::Text(text) => Some(text),
            Body::Bytes(_) | Body::Oversize { .. } => None,
        }
    }
}

/// Splits a byte stream into frames. Memory is bounded by the line cap, whatever comes in.
#[derive(Debug)]
pub struct Framer {
    max_line: usize,
    open: OpenLine,
}

/// What is known of a line that has not ended yet.
#[derive(Debug)]
enum OpenLine {
    /// All of it: at most the cap, and one CR that may turn out to belong to the line end.
    Whole(Vec<u8>),
    /// It is over the cap.
    Oversize(Box<Digest>),
}

impl Framer {
    /// A framer that keeps lines of up to `max_line` bytes whole.
    pub fn new(max_line: usize) -> Self {
        Self {
            max_line,
            open: OpenLine::Whole(Vec::new()),
        }
    }

    /// Takes the next bytes of the stream and hands every line that they complete to `frame`.
    pub fn push(&mut self, bytes: &[u8], mut frame: impl FnMut(Frame)) {
        let mut start = 0;
        for lf in memchr_iter(b'\n', bytes) {
            let piece = &bytes[start..lf];
            start = lf + 1;
            frame(if self.pending() == 0 {
                self.whole(piece)
            } else {
                self.keep(piece);
                self.end(true)
            });
        }
        self.keep(&bytes[start..]);
    }

    /// The stream ended: an unterminated rest comes out as a frame with [`LineEnd::None`].
    pub fn finish(&mut self) -> Option<Frame> {
        (self.pending() > 0).then(|| self.end(false))
    }

    /// The bytes of a line that has not ended yet.
    pub fn pending(&self) -> usize {
        match &self.open {
            OpenLine::Whole(line) => line.len(),
            OpenLine::Oversize(digest) => digest.pending(),
        }
    }

    /// The bytes of memory that the open line holds, however long it is: never more than the cap
    /// and one CR, or the two kept ends.
    pub fn held(&self) -> usize {
        match &self.open {
            OpenLine::Whole(line) => line.capacity(),
            OpenLine::Oversize(digest) => digest.held(),
        }
    }

    /// A line that stands in one piece, copied once.
    fn whole(&self, line: &[u8]) -> Frame {
        let (line, end) = match line {
            [line @ .., b'\r'] => (line, LineEnd::CrLf),
            line => (line, LineEnd::Lf),
        };
        let body = if line.len() > self.max_line {
            Digest::of(line).body()
        } else {
            match std::str::from_utf8(line) {
                Ok(text) => Body::Text(text.to_owned()),
                Err(_) => Body::Bytes(line.to_vec()),
            }
        };
        Frame { body, end }
    }

    /// Takes in bytes of a line that goes on.
    fn keep(&mut self, piece: &[u8]) {
        if piece.is_empty() {
            return;
        }
        let line = match &mut self.open {
            OpenLine::Oversize(digest) => return digest.add(piece),
            OpenLine::Whole(line) => line,
        };
        let length = line.len() + piece.len();
        if length - usize::from(piece.ends_with(b"\r")) > self.max_line {
            let mut digest = Digest::of(line);
            digest.add(piece);
            self.open = OpenLine::Oversize(Box::new(digest));
            return;
        }
        if length > line.capacity() {
            // Doubling keeps the copying linear, and the cap keeps the doubling bounded.
            let capacity = length.max((line.capacity() * 2).min(self.max_line));
            line.reserve_exact(capacity - line.len());
        }
        line.extend_from_slice(piece);
    }

    /// Ends the open line, by a line feed or by the end of the stream.
    fn end(&mut self, line_feed: bool) -> Frame {
        let open = std::mem::replace(&mut self.open, OpenLine::Whole(Vec::new()));
        let mut line = match open {
            OpenLine::Oversize(digest) => return digest.end(line_feed),
            OpenLine::Whole(line) => line,
        };
        let mut end = LineEnd::None;
        if line_feed {
            end = LineEnd::Lf;
            if line.ends_with(b"\r") {
                line.pop();
                end = LineEnd::CrLf;
            }
        }
        // Without a line feed, the CR that was let in above the cap is content after all.
        if line.len() > self.max_line {
            return Digest::of(&line).end(line_feed);
        }
        line.shrink_to_fit();
        let body = match String::from_utf8(line) {
            Ok(text) => Body::Text(text),
            Err(error) => Body::Bytes(error.into_bytes()),
        };
        Frame { body, end }
    }
}

/// Byte-level defects of a frame (not the JSON-level ones, which [`crate::Message::parse`] names).
///
/// A blank line and a byte order mark are named by both: they leave nothing to parse.
pub fn defects(frame: &Frame) -> Vec<FrameDefect> {
    let mut found = Vec::new();
    match &frame.body {
        Body::Text(text) => {
            if is_blank(text) {
                found.push(FrameDefect::Blank);
            }
            content_defects(text.as_bytes(), &mut found);
        }
        Body::Bytes(bytes) => {
            content_defects(bytes, &mut found);
            if let Err(error) = std::str::from_utf8(bytes) {
                found.push(FrameDefect::InvalidUtf8 {
                    at: error.valid_up_to(),
                });
            }
        }
        // Only the two ends of the line are known, so of its content only how it begins.
        Body::Oversize { head, .. } => {
            if head.starts_with(BYTE_ORDER_MARK.as_bytes()) {
                found.push(FrameDefect::ByteOrderMark);
            }
            found.push(FrameDefect::Oversize);
        }
    }
    match frame.end {
        LineEnd::Lf => {}
        LineEnd::CrLf => found.push(FrameDefect::CarriageReturn),
        LineEnd::None => found.push(FrameDefect::Unterminated),
    }
    found
}

/// U+FEFF, as it stands at the start of a text.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Nothing, or nothing but white space of any kind.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim_start().is_empty()
}

fn content_defects(bytes: &[u8], found: &mut Vec<FrameDefect>) {
    if bytes.starts_with(BYTE_ORDER_MARK.as_bytes()) {
        found.push(FrameDefect::ByteOrderMark);
    }
    if memchr(0, bytes).is_some() {
        found.push(FrameDefect::Nul);
    }
    let separator = |at: usize| {
        let rest = &bytes[at..];
        ["\u{2028}", "\u{2029}", "\u{85}"]
            .iter()
            .any(|separator| rest.starts_with(separator.as_bytes()))
    };
    // The first bytes of the three separators.
    if memchr2_iter(0xe2, 0xc2, bytes).any(separator) {
        found.push(FrameDefect::LineSeparator);
    }
}
