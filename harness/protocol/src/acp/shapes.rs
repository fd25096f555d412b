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

/// Short JSON text of a value for a person to read; `absent` where there is none.
pub(crate) fn brief(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "absent".to_owned();
    };
    let mut cut = Cut(Vec::new());
    if serde_json::to_writer(&mut cut, value).is_ok() && cut.0.len() <= BRIEF {
        return String::from_utf8_lossy(&cut.0).into_owned();
    }
    let mut end = BRIEF.min(cut.0.len());
    while end > 0
        && cut
            .0
            .get(end)
            .is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000)
    {
        end -= 1;
    }
    format!("{}…", String::from_utf8_lossy(&cut.0[..end]))
}

/// So many bytes of a value are shown.
const BRIEF: usize = 80;

/// Takes what is written until there is more than enough, so that a huge value is not rendered to be cut.
struct Cut(Vec<u8>);

impl std::io::Write for Cut {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() > BRIEF {
            return Err(std::io::ErrorKind::WriteZero.into());
        }
        // One write is at most a run of characters without escapes, which borrows from the value.
        let room = BRIEF + 4 - self.0.len().min(BRIEF);
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
