//! JSON-RPC: what a frame's text is, with ids kept as their exact JSON text.

use std::borrow::Cow;

use crate::frame::FrameDefect;

/// The id of a request or response, as its exact JSON text: `0`, `"0"`, `0.0`, `1e3` and `null` all differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub Box<str>);

/// What an id means, for correlation: numbers compare by value and strings by content, and the two never mix.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IdKey {
    /// A number, in a canonical decimal form.
    Number(String),
    /// A string, decoded.
    String(String),
    /// `null`.
    Null,
    /// Anything else, which no id may be: its JSON text.
    Other(String),
}

impl Id {
    /// The exact JSON text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What the id means.
    pub fn key(&self) -> IdKey {
        todo!()
    }
}

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
    pub fn parse(text: &'a str) -> Parsed<'a> {
        let _ = text;
        todo!()
    }

    /// The id, owned.
    pub fn id(&self) -> Option<Id> {
        self.id.map(|text| Id(text.into()))
    }
}
