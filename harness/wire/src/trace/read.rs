//! Reading a trace: what this version wrote, what a newer one might, and what a cut left.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{FORMAT, Header, Trace, TraceError};
use crate::{
    event::{Asked, Event, EventKind, MARKS, PREMISES, Side, WAITS},
    frame::{Body, Frame, LineEnd},
    hex, json,
};

/// Reads a whole trace.
///
/// # Errors
/// When it is not a trace, is too new, or has a bad line that is not its last.
pub fn read(text: &str) -> Result<Trace, TraceError> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut trace = Trace {
        header: read_header(first)?,
        events: Vec::new(),
        cut: false,
    };
    let mut lines = (2..)
        .zip(rest.split('\n'))
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .peekable();
    while let Some((line, text)) = lines.next() {
        match read_event(text) {
            Ok(event) => trace.events.push(event),
            Err(_) if lines.peek().is_none() => trace.cut = true,
            Err(reason) => return Err(TraceError::BadLine { line, reason }),
        }
    }
    Ok(trace)
}

/// Reads a whole trace from a file's bytes; the cut may have gone through a character.
///
/// # Errors
/// As [`read`], and when a line that is not the last is not UTF-8.
pub fn read_bytes(bytes: &[u8]) -> Result<Trace, TraceError> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return read(text),
        Err(error) => error,
    };
    let (text, rest) = bytes.split_at(error.valid_up_to());
    let reason = "not valid UTF-8".to_owned();
    let line = memchr::memchr_iter(b'\n', text).count() + 1;
    if line == 1 {
        return Err(TraceError::NotATrace(reason));
    }
    let trace = read(&String::from_utf8_lossy(text))?;
    if memchr::memchr(b'\n', rest).is_some() {
        return Err(TraceError::BadLine { line, reason });
    }
    Ok(Trace { cut: true, ..trace })
}

/// Reads a trace's first line.
///
/// # Errors
/// When it is not a header, or one of a format that is too new.
pub fn read_header(line: &str) -> Result<Header, TraceError> {
    #[derive(Deserialize)]
    struct Version {
        elenchus_trace: u32,
    }

    // The version first: a newer header may have other members.
    match serde_json::from_str(line) {
        Ok(Version { elenchus_trace }) if elenchus_trace > FORMAT => {
            Err(TraceError::NewerFormat(elenchus_trace))
        }
        Ok(_) => serde_json::from_str(line).map_err(|error| not_a_trace(&error)),
        Err(error) => Err(not_a_trace(&error)),
    }
}

fn not_a_trace(error: &serde_json::Error) -> TraceError {
    TraceError::NotATrace(error.to_string())
}

/// Reads one line after the header, so that a caller can stream a trace.
///
/// # Errors
/// A sentence that says what is wrong with the line.
pub fn read_event(line: &str) -> Result<Event, String> {
    let error = match serde_json::from_str::<Line>(line) {
        Ok(members) => return members.event(line),
        Err(error) => error.to_string(),
    };
    // A kind that we do not know may use a name that we know for something else.
    match serde_json::from_str::<Start>(line) {
        Ok(start) => match Line::from(start).event(line) {
            Ok(event) if matches!(event.kind, EventKind::Unknown { .. }) => Ok(event),
            _ => Err(error),
        },
        Err(_) => Err(error),
    }
}

/// The members of every kind of event.
#[derive(Deserialize)]
struct Start<'a> {
    seq: u64,
    #[serde(default)]
    at_us: u64,
    #[serde(default)]
    conn: u32,
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

/// The members of all kinds of events. Those of marks are read again, as a [`crate::Mark`].
#[derive(Deserialize, Default)]
struct Line<'a> {
    seq: u64,
    #[serde(default)]
    at_us: u64,
    #[serde(default)]
    conn: u32,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    from: Option<Side>,
    target: Option<Side>,
    text: Option<Text>,
    bytes: Option<Bytes>,
    #[serde(borrow)]
    oversize: Option<Oversize<'a>>,
    end: Option<End>,
    code: Option<i32>,
    signal: Option<i32>,
    asked: Option<Asked>,
    fence: Option<Text>,
    #[serde(borrow)]
    wait: Option<&'a RawValue>,
    ms: Option<u64>,
    recorded: Option<u64>,
    url: Option<Text>,
    mark: Option<Text>,
    premise: Option<Text>,
}

#[derive(Deserialize)]
struct Oversize<'a> {
    len: u64,
    #[serde(borrow)]
    sha256: Cow<'a, str>,
    head: Bytes,
    tail: Bytes,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum End {
    CrLf,
    None,
}

impl<'a> From<Start<'a>> for Line<'a> {
    fn from(start: Start<'a>) -> Self {
        Self {
            seq: start.seq,
            at_us: start.at_us,
            conn: start.conn,
            kind: start.kind,
            ..Self::default()
        }
    }
}

impl Line<'_> {
    fn event(self, line: &str) -> Result<Event, String> {
        Ok(Event {
            seq: self.seq,
            at_us: self.at_us,
            conn: self.conn,
            kind: self.kind(line)?,
        })
    }

    fn kind(self, line: &str) -> Result<EventKind, String> {
        Ok(match &*self.kind {
            "open" => EventKind::Open {
                target: needed("target", self.target)?,
            },
            "frame" => EventKind::Frame {
                from: needed("from", self.from)?,
                frame: self.frame()?,
            },
            "stderr" => EventKind::Stderr {
                text: needed("text", self.text)?.0,
            },
            "eof" => EventKind::Eof {
                from: needed("from", self.from)?,
            },
            "exit" => EventKind::Exit {
                code: self.code,
                signal: self.signal,
                asked: needed("asked", self.asked)?,
            },
            "mark" => {
                let Text(mark) = needed("mark", self.mark)?;
                let (known, names) = match (&*mark, self.premise) {
                    ("premise", Some(Text(premise))) => (&PREMISES[..], vec![mark, premise]),
                    _ => (&MARKS[..], vec![mark]),
                };
                match tagged(line, known, &names)? {
                    Some(mark) => EventKind::Mark(mark),
                    None => unknown("mark", &names),
                }
            }
            "settled" => EventKind::Settled {
                fence: needed("fence", self.fence)?.0,
            },
            "unsettled" => EventKind::Unsettled {
                fence: needed("fence", self.fence)?.0,
            },
            "deadline" => {
                let wait = needed("wait", self.wait)?.get();
                let names = [wait_name(wait)?];
                match tagged(wait, &WAITS, &names)? {
                    Some(wait) => EventKind::Deadline {
                        wait,
                        ms: needed("ms", self.ms)?,
                    },
                    None => unknown("deadline", &names),
                }
            }
            "opened" => EventKind::Opened {
                url: needed("url", self.url)?.0,
            },
            "fetched" => EventKind::Fetched {
                url: needed("url", self.url)?.0,
            },
            "limit" => EventKind::Limit {
                bytes: needed("recorded", self.recorded)?,
            },
            "end" => EventKind::End,
            _ => EventKind::Unknown {
                name: self.kind.into_owned(),
            },
        })
    }

    fn frame(self) -> Result<Frame, String> {
        let body = match (self.text, self.bytes, self.oversize) {
            (Some(Text(text)), None, None) => Body::Text(text),
            (None, Some(Bytes(bytes)), None) => Body::Bytes(bytes),
            (None, None, Some(oversize)) => Body::Oversize {
                len: oversize.len,
                sha256: oversize.sha256.into_owned(),
                head: oversize.head.0,
                tail: oversize.tail.0,
            },
            _ => return Err("a frame has one of text, bytes and oversize".to_owned()),
        };
        let end = match self.end {
            None => LineEnd::Lf,
            Some(End::CrLf) => LineEnd::CrLf,
            Some(End::None) => LineEnd::None,
        };
        Ok(Frame { body, end })
    }
}

fn needed<T>(name: &str, member: Option<T>) -> Result<T, String> {
    member.ok_or_else(|| format!("the member {name} is missing"))
}

/// Reads a mark or a wait; `None` if the innermost of its names is none of those that we know.
fn tagged<T: DeserializeOwned>(
    text: &str,
    known: &[&str],
    names: &[String],
) -> Result<Option<T>, String> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(Some(value)),
        Err(_) if names.last().is_some_and(|name| !known.contains(&&**name)) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

fn wait_name(wait: &str) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Tag {
        r#for: String,
    }

    match serde_json::from_str(wait) {
        Ok(Tag { r#for }) => Ok(r#for),
        Err(error) => Err(error.to_string()),
    }
}

fn unknown(kind: &str, names: &[String]) -> EventKind {
    EventKind::Unknown {
        name: format!("{kind} {}", names.join(" ")),
    }
}

/// A text, unescaped straight into its place: frames are full of escaped quotes.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let content = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        let content = content.ok_or_else(|| serde::de::Error::custom("expected a string"))?;
        let mut text = String::with_capacity(content.len());
        json::unescape(content, &mut text);
        Ok(Self(text))
    }
}

/// Bytes, in hexadecimal digits.
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Text(digits) = Text::deserialize(deserializer)?;
        match hex::read(&digits) {
            Some(bytes) => Ok(Self(bytes)),
            None => Err(serde::de::Error::custom("expected hexadecimal digits")),
        }
    }
}
