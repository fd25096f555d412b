//! Shapes of all other messages, by the JSON Schemas that are made from the schema crate and committed.

use serde_json::Value;

use crate::Version;

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
    /// JSON Pointer into the value.
    pub pointer: String,
    /// What stands there, shortened.
    pub got: String,
    /// What may stand there.
    pub expected: String,
}

/// Checks a value against the shape of a method's params or result. Unknown methods have no shape and no mismatch.
pub fn check(version: Version, method: &str, part: Part, value: &Value) -> Vec<Mismatch> {
    let _ = (version, method, part, value);
    todo!()
}

/// Members and discriminator values that the schema knows under another spelling (JSONRPC-022): `session_id`,
/// `SessionId`, `stop_reason`, `AgentMessageChunk`. Never looks inside `_meta`, `rawInput`, `rawOutput`, `error.data`,
/// environment maps, `requestedSchema.properties`, elicitation `content`, extension payloads or unknown variants.
pub fn misspelt(version: Version, method: &str, part: Part, value: &Value) -> Vec<Mismatch> {
    let _ = (version, method, part, value);
    todo!()
}
