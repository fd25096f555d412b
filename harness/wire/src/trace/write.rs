//! Writing a trace: one flat JSON object a line, by hand, since a run writes megabytes of them.

use std::fmt::Write as _;

use serde::Serialize;

use super::Header;
use crate::{
    event::{Event, EventKind, Mark, Side},
    frame::{Body, Frame, LineEnd},
    hex, json,
    redact::Redactor,
};

/// Writes the header line, with its line end.
pub fn write_header(header: &Header, out: &mut String) {
    out.push_str(&serialized(header));
    out.push('\n');
}

/// Writes one event as a line, with its line end; secrets are hidden by the redactor.
pub fn write_event(event: &Event, redactor: &Redactor, out: &mut String) {
    let mut line = Line { out, redactor };
    line.out.push_str("{\"seq\":");
    line.digits(event.seq);
    line.number("at_us", event.at_us);
    line.number("conn", event.conn);
    match &event.kind {
        EventKind::Open { target } => {
            line.kind("open");
            line.side("target", *target);
        }
        EventKind::Frame { from, frame } => {
            line.kind("frame");
            line.side("from", *from);
            line.frame(frame);
        }
        EventKind::Stderr { text } => {
            line.kind("stderr");
            line.text("text", text);
        }
        EventKind::Eof { from } => {
            line.kind("eof");
            line.side("from", *from);
        }
        EventKind::Exit {
            code,
            signal,
            asked,
        } => {
            line.kind("exit");
            if let Some(code) = code {
                line.number("code", *code);
            }
            if let Some(signal) = signal {
                line.number("signal", *signal);
            }
            line.json("asked", &serialized(asked));
        }
        EventKind::Mark(mark) => {
            line.kind("mark");
            let mark = marked(mark, redactor);
            // The mark's members stand among the event's.
            line.out.push(',');
            line.out
                .push_str(mark.get(1..mark.len() - 1).unwrap_or_default());
        }
        EventKind::Settled { fence } => {
            line.kind("settled");
            line.own("fence", fence);
        }
        EventKind::Unsettled { fence } => {
            line.kind("unsettled");
            line.own("fence", fence);
        }
        EventKind::Deadline { wait, ms } => {
            line.kind("deadline");
            line.json("wait", &serialized(wait));
            line.number("ms", *ms);
        }
        EventKind::Opened { url } => {
            line.kind("opened");
            line.text("url", url);
        }
        EventKind::Fetched { url } => {
            line.kind("fetched");
            line.text("url", url);
        }
        EventKind::Limit { bytes } => {
            line.kind("limit");
            line.number("recorded", *bytes);
        }
        EventKind::End => line.kind("end"),
        EventKind::Unknown { name } => line.own("kind", name),
    }
    out.push_str("}\n");
}

/// The line of one event while it is written: members are appended.
struct Line<'a> {
    out: &'a mut String,
    redactor: &'a Redactor,
}

impl Line<'_> {
    fn name(&mut self, name: &str) {
        self.out.push_str(",\"");
        self.out.push_str(name);
        self.out.push_str("\":");
    }

    fn kind(&mut self, kind: &str) {
        self.plain("kind", kind);
    }

    fn side(&mut self, name: &str, side: Side) {
        self.plain(name, side.name());
    }

    /// A text that needs no escapes.
    fn plain(&mut self, name: &str, text: &str) {
        self.name(name);
        self.out.push('"');
        self.out.push_str(text);
        self.out.push('"');
    }

    /// A text that we made: an id that other events name too, and no secret.
    fn own(&mut self, name: &str, text: &str) {
        self.name(name);
        json::push_string(self.out, text);
    }

    fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        json::push_string(self.out, &self.redactor.text(text));
    }

    fn bytes(&mut self, name: &str, bytes: &[u8]) {
        self.name(name);
        self.out.push('"');
        hex::push(self.out, bytes);
        self.out.push('"');
    }

    fn json(&mut self, name: &str, text: &str) {
        self.name(name);
        self.out.push_str(text);
    }

    fn number(&mut self, name: &str, number: impl Into<i128>) {
        self.name(name);
        self.digits(number);
    }

    fn digits(&mut self, number: impl Into<i128>) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{}", number.into());
    }

    fn frame(&mut self, frame: &Frame) {
        match &frame.body {
            Body::Text(text) => self.text("text", text),
            Body::Bytes(bytes) => self.bytes("bytes", &self.redactor.bytes(bytes)),
            Body::Oversize {
                len,
                sha256,
                head,
                tail,
            } => {
                self.json("oversize", "{\"len\":");
                self.digits(*len);
                self.name("sha256");
                json::push_string(self.out, sha256);
                self.bytes("head", &self.redactor.head(head));
                self.bytes("tail", &self.redactor.tail(tail));
                self.out.push('}');
            }
        }
        match frame.end {
            LineEnd::Lf => {}
            LineEnd::CrLf => self.plain("end", "crlf"),
            LineEnd::None => self.plain("end", "none"),
        }
    }
}

/// A mark as JSON. It may quote what the target said, as a reason or as the id of a request of its own.
fn marked(mark: &Mark, redactor: &Redactor) -> String {
    let plain = serialized(mark);
    let mut value = serde_json::from_str(&plain).unwrap_or_default();
    if redactor.value(&mut value) {
        value.to_string()
    } else {
        plain
    }
}

fn serialized(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("names and numbers only") // no maps, no foreign types
}
