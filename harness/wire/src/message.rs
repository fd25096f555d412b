//! JSON-RPC: what a frame's text is, with ids kept as their exact JSON text.

use std::borrow::Cow;

use crate::{
    frame::{BYTE_ORDER_MARK, FrameDefect, is_blank},
    json::{Scanner, Stop, StringToken},
};

mod compose;
mod id;

pub use compose::{write_error, write_notification, write_request, write_result};
pub use id::{Id, IdKey};

/// What the envelope says a message is, by its members alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// `method` and `id`.
    Request,
    /// `method` without `id`.
    Notification,
    /// `result` or `error` or both, and no `method`.
    Response,
    /// An object that is none of these.
    Other,
}

/// The envelope of one JSON-RPC message, borrowed from the line. Members are exact JSON texts; a
/// member that is present with the value `null` is `Some("null")`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message<'a> {
    /// What it is.
    pub class: Class,
    /// The member `jsonrpc`.
    pub jsonrpc: Option<&'a str>,
    /// The member `id`.
    pub id: Option<&'a str>,
    /// The member `method`, decoded, if it is a string.
    pub method: Option<Cow<'a, str>>,
    /// The member `method` as JSON text.
    pub method_text: Option<&'a str>,
    /// The member `params`.
    pub params: Option<&'a str>,
    /// The member `result`.
    pub result: Option<&'a str>,
    /// The member `error`.
    pub error: Option<&'a str>,
    /// Envelope members that stand more than once; the last one counts.
    pub duplicates: Vec<Cow<'a, str>>,
    /// Members that JSON-RPC does not define.
    pub extra: Vec<Cow<'a, str>>,
    /// The offset in the line of the first escape that is half of a surrogate pair. The grammar
    /// allows it and many readers refuse it: read members by way of [`crate::mend_surrogates`].
    pub lone_surrogate: Option<usize>,
}

/// What a line's text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed<'a> {
    /// A JSON object: some message.
    Message(Message<'a>),
    /// Not a message: the defect says why.
    Defect(FrameDefect),
}

impl<'a> Message<'a> {
    /// Reads a line's text. Total: any text has an answer.
    ///
    /// Every member of a message that comes out is JSON that nests at most 127 levels and whose
    /// numbers are finite. Of several defects, the one that a reader would trip over first is named.
    pub fn parse(text: &'a str) -> Parsed<'a> {
        let mut scanner = Scanner::new(text);
        match read(text, &mut scanner) {
            Ok(parsed) => parsed,
            Err(Stop::TooDeep) => Parsed::Defect(FrameDefect::TooDeep),
            Err(Stop::NotJson) => Parsed::Defect(FrameDefect::NotJson {
                at: scanner.at(),
                incomplete: scanner.at() == text.len(),
            }),
        }
    }

    /// The id, owned.
    pub fn id(&self) -> Option<Id> {
        self.id.map(|text| Id(text.into()))
    }
}

fn read<'a>(text: &'a str, scanner: &mut Scanner<'a>) -> Result<Parsed<'a>, Stop> {
    scanner.space();
    let parsed = match scanner.peek() {
        Some(b'{') => Parsed::Message(envelope(scanner)?),
        Some(b'[') => Parsed::Defect(batch(scanner)?),
        _ if text.starts_with(BYTE_ORDER_MARK) => {
            return Ok(Parsed::Defect(FrameDefect::ByteOrderMark));
        }
        _ if is_blank(text) => return Ok(Parsed::Defect(FrameDefect::Blank)),
        _ => {
            scanner.value(0)?;
            Parsed::Defect(FrameDefect::Scalar)
        }
    };
    let at = scanner.at();
    scanner.space();
    if scanner.peek().is_some() {
        return Ok(Parsed::Defect(FrameDefect::TrailingGarbage { at }));
    }
    Ok(match parsed {
        Parsed::Message(_) if scanner.huge => Parsed::Defect(FrameDefect::HugeNumber),
        parsed => parsed,
    })
}

/// Reads the array that the scanner stands at.
fn batch(scanner: &mut Scanner<'_>) -> Result<FrameDefect, Stop> {
    scanner.take(b'[');
    scanner.space();
    let mut entries = 0;
    if !scanner.take(b']') {
        loop {
            scanner.value(1)?;
            entries += 1;
            scanner.space();
            if scanner.take(b']') {
                break;
            }
            scanner.expect(b',')?;
        }
    }
    Ok(FrameDefect::Batch { entries })
}

/// Reads the object that the scanner stands at.
fn envelope<'a>(scanner: &mut Scanner<'a>) -> Result<Message<'a>, Stop> {
    let mut message = Message {
        class: Class::Other,
        jsonrpc: None,
        id: None,
        method: None,
        method_text: None,
        params: None,
        result: None,
        error: None,
        duplicates: Vec::new(),
        extra: Vec::new(),
        lone_surrogate: None,
    };
    scanner.take(b'{');
    scanner.space();
    if !scanner.take(b'}') {
        loop {
            let key = scanner.key()?.decode();
            let value = scanner.value(1)?;
            message.member(key, value);
            scanner.space();
            if scanner.take(b'}') {
                break;
            }
            scanner.expect(b',')?;
        }
    }
    message.method = message.method_text.and_then(string);
    message.class = match (message.method_text, message.id) {
        (Some(_), Some(_)) => Class::Request,
        (Some(_), None) => Class::Notification,
        (None, _) if message.result.is_some() || message.error.is_some() => Class::Response,
        (None, _) => Class::Other,
    };
    message.lone_surrogate = scanner.lone_surrogate;
    Ok(message)
}

impl<'a> Message<'a> {
    fn member(&mut self, key: Cow<'a, str>, value: &'a str) {
        let slot = match &*key {
            "jsonrpc" => &mut self.jsonrpc,
            "id" => &mut self.id,
            "method" => &mut self.method_text,
            "params" => &mut self.params,
            "result" => &mut self.result,
            "error" => &mut self.error,
            _ => return self.extra.push(key),
        };
        if slot.replace(value).is_some() && !self.duplicates.contains(&key) {
            self.duplicates.push(key);
        }
    }
}

/// The content of a JSON text that is a string.
fn string(text: &str) -> Option<Cow<'_, str>> {
    Scanner::new(text).string().ok().map(StringToken::decode)
}
