//! Shapes of all other messages, by the JSON Schemas that are made from the schema crate and committed.
//!
//! The schemas say what a sender may write only in part: every unknown member is fine here (another clause judges
//! those), null may stand for an optional member, and a result without required members may be null.

mod brief;
mod check;
mod grow;
mod schema;
mod spelling;
mod walk;

use std::{fmt, sync::LazyLock};

use serde_json::Value;

use crate::Version;

pub(crate) use brief::brief;
use schema::{NodeId, Schemas};

/// What part of a message a shape describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// Params of a request or notification.
    Params,
    /// The result of a request.
    Result,
}

/// One disagreement with a shape, told as a person would: the member and what may stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON Pointer into the value. Of a missing member, where it would stand.
    pub pointer: String,
    /// What stands there, shortened; `absent` for a missing member.
    pub got: String,
    /// What may stand there.
    pub expected: String,
}

impl Mismatch {
    /// The member is missing.
    pub fn is_missing(&self) -> bool {
        // What stands there is JSON text, which no bare word is.
        self.got == "absent"
    }

    /// The last name in the pointer.
    fn member(&self) -> &str {
        self.pointer.rsplit('/').next().unwrap_or_default()
    }
}

/// `/update: "messageId" is required`, or `/line: expected an integer, got "1"`.
impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.is_missing() {
            self.pointer
                .rsplit_once('/')
                .map_or("", |(parent, _)| parent)
        } else {
            &self.pointer
        };
        if !place.is_empty() {
            write!(f, "{place}: ")?;
        }
        if self.is_missing() {
            write!(f, "\"{}\" is required", self.member())
        } else {
            write!(f, "expected {}, got {}", self.expected, self.got)
        }
    }
}

/// Checks a value against the shape of a method's params or result. Unknown methods have no shape and no mismatch.
pub fn check(version: Version, method: &str, part: Part, value: &Value) -> Vec<Mismatch> {
    let schemas = schemas(version);
    match schemas.shape(method, part) {
        Some(shape)
            if !(value.is_null() && part == Part::Result && may_be_null(schemas, shape)) =>
        {
            schemas.mismatches(shape, value)
        }
        _ => Vec::new(),
    }
}

/// The names in a message that its shape does not know. Never looks inside `_meta`, `rawInput`, `rawOutput`, `error.data`,
/// environment maps, `requestedSchema.properties`, elicitation `content`, extension payloads or unknown variants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strays {
    /// Members and discriminator values that the schema knows under another spelling (JSONRPC-022): `session_id`,
    /// `SessionId`, `stop_reason`, `AgentMessageChunk`.
    pub misspelt: Vec<Mismatch>,
    /// Members that the schema does not have (EXT-007).
    pub members: Vec<Mismatch>,
    /// Values that an enum or a discriminator does not list (ENUM-006), without an underscore where one with it might
    /// stand there (ENUM-001).
    pub values: Vec<Mismatch>,
}

/// The names in a method's params or result that its shape does not know. Of unknown methods nothing is known.
pub fn strays(version: Version, method: &str, part: Part, value: &Value) -> Strays {
    let schemas = schemas(version);
    let open = version == Version::AcpV2;
    schemas
        .shape(method, part)
        .map_or_else(Strays::default, |shape| schemas.strays(shape, value, open))
}

/// The misspelt ones among them.
pub fn misspelt(version: Version, method: &str, part: Part, value: &Value) -> Vec<Mismatch> {
    strays(version, method, part, value).misspelt
}

/// What may be added to the objects of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// A member that no schema has.
    Members,
    /// A `_meta` with a key that nobody knows.
    Meta,
    /// A `_meta` that is a number.
    NoMeta,
    /// Null for each member that is left out and that the schema lets be null.
    Nulls,
}

/// Adds to the objects of a method's params or result: to all of them, or to the one at this place, counted from 0.
pub fn grow(
    version: Version,
    method: &str,
    part: Part,
    value: &mut Value,
    with: Growth,
    place: Option<usize>,
) {
    let schemas = schemas(version);
    if let Some(shape) = schemas.shape(method, part) {
        schemas.grow(shape, value, with, place);
    }
}

/// A result that needs no member may as well be null, which older texts show in their examples.
fn may_be_null(schemas: &Schemas, shape: NodeId) -> bool {
    let node = schemas.resolved(shape);
    node.required.is_empty() && node.union.is_none()
}

fn schemas(version: Version) -> &'static Schemas {
    static V1: LazyLock<Schemas> =
        LazyLock::new(|| read(include_str!("../../schemas/acp-v1.json")));
    static V2: LazyLock<Schemas> =
        LazyLock::new(|| read(include_str!("../../schemas/acp-v2.json")));
    match version {
        Version::AcpV1 => &V1,
        Version::AcpV2 => &V2,
    }
}

fn read(text: &str) -> Schemas {
    Schemas::read(text).expect("the committed schemas are readable") // a test reads both
}
