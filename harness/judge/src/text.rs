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
    if text.len() <= max || text.chars().nth(max).is_none() {
        escape_into(text, &mut out);
        return out;
    }
    let keep = max / 2;
    let head = text.char_indices().nth(keep).map_or(0, |(at, _)| at);
    let tail = text.char_indices().rev().take(keep).last();
    escape_into(&text[..head], &mut out);
    out.push_str(" … ");
    escape_into(&text[tail.map_or(text.len(), |(at, _)| at)..], &mut out);
    out
}

/// Escapes what a terminal would act on or a reader could not see.
fn escape_into(text: &str, out: &mut String) {
    // Most of what crosses a wire is this.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        out.push_str(text);
        return;
    }
    for c in text.chars() {
        let invisible = c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
        if invisible {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
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
        EventKind::Opened { url } => format!("opened {}", short(url)),
        EventKind::Fetched { url } => format!("fetched {}", short(url)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stays_as_it_is_and_a_long_one_keeps_its_ends() {
        for (text, max, shown) in [
            ("", 4, ""),
            ("abcd", 4, "abcd"),
            ("abcde", 4, "ab … de"),
            ("ключ", 4, "ключ"),
            ("ключи", 4, "кл … чи"),
            ("🦀🦀🦀", 2, "🦀 … 🦀"),
            ("abc", 0, " … "),
        ] {
            assert_eq!(short_to(text, max), shown, "{text}");
        }
    }

    #[test]
    fn what_nobody_can_see_is_escaped() {
        for (text, shown) in [
            ("a\tb\u{1b}[31m", "a\\u{9}b\\u{1b}[31m"),
            ("a\u{202e}b\u{2028}c", "a\\u{202e}b\\u{2028}c"),
            ("\u{feff}é", "\\u{feff}é"),
        ] {
            assert_eq!(short(text), shown);
        }
    }
}
