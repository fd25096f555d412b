//! The trace: a versioned header, then one JSON object a line. A trace that was cut off reads up to the cut.

use serde::{Deserialize, Serialize};

use crate::event::Event;

mod read;
mod write;

pub use read::{read, read_bytes, read_event, read_header};
pub use write::{write_event, write_header};

/// The version of the trace format that this program writes.
pub const FORMAT: u32 = 1;

/// The first line of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The format's version.
    pub elenchus_trace: u32,
    /// The version of the program that wrote it.
    pub elenchus: String,
    /// The protocol, as `acp-v1`.
    pub protocol: String,
    /// Which side is judged.
    pub judged: crate::Side,
    /// The script's name, or how the trace came to be.
    pub script: String,
    /// What tells this instance of the script from others: bindings, race plan, dialect.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// The seed of the run.
    #[serde(default)]
    pub seed: u64,
}

/// What stands in a header in place of a script where two programs talked to each other, and neither was in our hands.
pub const PAIR: &str = "pair";

impl Header {
    /// No script was performed: it was overheard what two programs said to each other.
    pub fn overheard(&self) -> bool {
        self.script == PAIR
    }
}

/// Why a trace could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The first line is not a trace header.
    #[error("line 1 is not a trace header: {0}")]
    NotATrace(String),
    /// The format is newer than this program.
    #[error("the trace has format {0}, and this version of elenchus reads up to {FORMAT}")]
    NewerFormat(u32),
    /// A line in the middle is not an event.
    #[error("line {line} is not a trace event: {reason}")]
    BadLine {
        /// From 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// A trace in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The header.
    pub header: Header,
    /// The events, in order.
    pub events: Vec<Event>,
    /// The last line was cut off and is not among the events.
    pub cut: bool,
}
