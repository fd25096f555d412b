//! Strict views of `initialize`: version, capabilities, implementation information.

use serde_json::Value;

use crate::{Problem, Version};

/// The faults of an `initialize` result (or params, where a clause binds both sides).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InitFault {
    /// `protocolVersion` missing or not an integer in 0..=65535 (INIT-009).
    ProtocolVersion,
    /// v1 result: a known member of the wrong type (INIT-013).
    ResultShapeV1,
    /// v2 result: `info` missing, or `authMethods` no array (INIT-014).
    ResultShapeV2,
    /// v2: `info` without string name and version (INIT-016).
    Info,
    /// v2: a capability marker that is a boolean, string or number (INIT-019).
    MarkerV2,
    /// v1: a capability value of the wrong type (INIT-020).
    CapabilityV1,
}

/// An `initialize` result as read.
#[derive(Debug, Clone, PartialEq)]
pub struct InitializeResult {
    /// `protocolVersion`, if it is an integer in range.
    pub protocol_version: Option<u16>,
    /// What is wrong, by the shape of the *negotiated* version. Pointers start at the result's root.
    pub problems: Vec<Problem<InitFault>>,
}

/// Reads the result of `initialize`. `version` is the version whose shape the connection follows.
pub fn read_result(result: &Value, version: Version) -> InitializeResult {
    let _ = (result, version);
    todo!()
}

/// What an agent announces: which methods must not answer -32601.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentFeatures {
    /// Names of methods that the capabilities announce (`session/load`, `session/list`, ...), besides the baseline.
    pub announced: Vec<&'static str>,
    /// v2: `capabilities.session` is an object. v1: always true.
    pub sessions: bool,
}

/// Reads the agent's capabilities out of an `initialize` result.
pub fn agent_features(result: &Value, version: Version) -> AgentFeatures {
    let _ = (result, version);
    todo!()
}
