//! Lines of the target that are no messages: noise (TRANSPORT-003), or a message written over several lines
//! (TRANSPORT-005).

use elenchus_wire::{Body, Class, Frame, FrameDefect, LineEnd, Message, Parsed};

use super::conn::Conn;
use crate::{fact::Fact, text};

/// Lines of the target that begin a JSON value and have not completed it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fragment {
    text: String,
    /// The event of each line, and the line itself, shortened and safe to print.
    lines: Vec<(u64, String)>,
    /// How many brackets are open.
    depth: i64,
}

/// The most text of a value spread over several lines that is kept, in bytes.
const MAX_FRAGMENT: usize = 256 * 1024;

/// Tells noise from a value over several lines: lines that begin a JSON value are held back until they complete it, or
/// cannot any more. True if this line is one of them, or noise at once.
pub(super) fn gather(
    conn: &mut Conn,
    seq: u64,
    frame: &Frame,
    parsed: Option<&Parsed<'_>>,
    facts: &mut Vec<Fact>,
) -> bool {
    // An unterminated rest, bytes that are not UTF-8 and a line over the cap have rules of their own.
    let (Body::Text(text), Some(parsed)) = (&frame.body, parsed) else {
        return false;
    };
    if frame.end == LineEnd::None {
        return false;
    }
    if let Parsed::Message(message) = parsed
        && message.jsonrpc.is_some()
        && message.class != Class::Other
    {
        // Whatever the lines before began, this is a line of its own.
        give_up(conn, facts);
        return false;
    }
    let depth = opened(text);
    let part = (seq, text::short(text));
    if let Some(fragment) = &mut conn.fragment {
        fragment.text.push('\n');
        fragment.text.push_str(text);
        fragment.lines.push(part);
        fragment.depth += depth.unwrap_or_default();
        // No string goes over a line end.
        if depth.is_none() || fragment.text.len() > MAX_FRAGMENT {
            give_up(conn, facts);
        } else if fragment.depth <= 0 {
            complete(conn, facts);
        }
        return true;
    }
    match parsed {
        Parsed::Defect(FrameDefect::NotJson {
            incomplete: true, ..
        }) if depth > Some(0) => {
            conn.fragment = Some(Fragment {
                text: text.clone(),
                lines: vec![part],
                depth: depth.unwrap_or_default(),
            });
            true
        }
        Parsed::Defect(
            FrameDefect::NotJson { .. }
            | FrameDefect::TrailingGarbage { .. }
            | FrameDefect::ByteOrderMark,
        ) => {
            noise(conn, part, facts);
            true
        }
        Parsed::Defect(_) | Parsed::Message(_) => false,
    }
}

/// The brackets of the lines that were held back are closed: they are one value, or noise.
fn complete(conn: &mut Conn, facts: &mut Vec<Fact>) {
    let Some(fragment) = conn.fragment.take() else {
        return;
    };
    let whole = match Message::parse(&fragment.text) {
        Parsed::Message(message) => {
            conn.heard |= message.class != Class::Other;
            true
        }
        Parsed::Defect(defect) => matches!(
            defect,
            FrameDefect::Batch { .. } | FrameDefect::HugeNumber | FrameDefect::TooDeep
        ),
    };
    if whole {
        facts.push(Fact::Split {
            first: fragment.lines.first().map_or(0, |(seq, _)| *seq),
            lines: u32::try_from(fragment.lines.len()).unwrap_or(u32::MAX),
        });
    } else {
        conn.fragment = Some(fragment);
        give_up(conn, facts);
    }
}

/// Lines that began a JSON value and did not complete it are noise after all.
pub(super) fn give_up(conn: &mut Conn, facts: &mut Vec<Fact>) {
    for line in conn.fragment.take().into_iter().flat_map(|f| f.lines) {
        noise(conn, line, facts);
    }
}

fn noise(conn: &mut Conn, line: (u64, String), facts: &mut Vec<Fact>) {
    // A blank line between others says nothing.
    if !line.1.trim().is_empty() {
        conn.noise.push(line);
        facts.push(Fact::Noise(conn.noise.len() - 1));
    }
}

/// How many more brackets a text opens than it closes; `None` if it ends inside a string.
fn opened(text: &str) -> Option<i64> {
    let mut depth = 0;
    let mut string = false;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => string = !string,
            b'\\' if string => {
                bytes.next();
            }
            b'{' | b'[' if !string => depth += 1,
            b'}' | b']' if !string => depth -= 1,
            _ => {}
        }
    }
    (!string).then_some(depth)
}
