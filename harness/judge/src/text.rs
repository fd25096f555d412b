//! Texts for people: shortened, and safe to print whatever came from the wire.

use std::fmt::Write;

use elenchus_wire::{Body, Event, EventKind};

/// The longest excerpt of a frame, in characters.
const MAX: usize = 400;

/// The text shortened in its middle, with control and formatting characters escaped.
pub fn short(text: &str) -> String {
    short_to(text, MAX)
}

/// The same with a bound of one's own, in characters.
pub fn short_to(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max + 16));
    let count = text.chars().take(max + 1).count();
    if count <= max {
        text.chars().for_each(|c| push(c, &mut out));
        return out;
    }
    let keep = max / 2;
    text.chars().take(keep).for_each(|c| push(c, &mut out));
    out.push_str(" … ");
    let tail: Vec<char> = text.chars().rev().take(keep).collect();
    tail.into_iter().rev().for_each(|c| push(c, &mut out));
    out
}

/// Escapes what a terminal would act on or a reader could not see.
fn push(c: char, out: &mut String) {
    let invisible = c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    if invisible {
        out.extend(c.escape_unicode());
    } else {
        out.push(c);
    }
}

/// The frame behind an event, shortened and safe to print; what else the event was, otherwise.
pub fn frame_of(event: &Event) -> String {
    match &event.kind {
        EventKind::Frame { frame, .. } => body(&frame.body),
        EventKind::Exit {
            code: Some(code), ..
        } => format!("the process exited with code {code}"),
        EventKind::Exit {
            signal: Some(signal),
            ..
        } => format!("the process was ended by signal {signal}"),
        EventKind::Exit { .. } => "the process ended".to_owned(),
        EventKind::Eof { .. } => "the end of the stream".to_owned(),
        EventKind::Deadline { ms, .. } => format!("nothing within {ms} ms"),
        _ => "nothing".to_owned(),
    }
}

/// A frame's content, shortened and safe to print.
pub fn body(body: &Body) -> String {
    match body {
        Body::Text(text) => short(text),
        Body::Bytes(bytes) => short(&escape(bytes)),
        Body::Oversize { len, head, .. } => {
            format!("{} … (a line of {len} bytes)", short_to(&escape(head), 120))
        }
    }
}

/// Bytes with everything that is not printable ASCII or valid UTF-8 as `\xNN`.
fn escape(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}
