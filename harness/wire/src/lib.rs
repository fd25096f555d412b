//! Bytes to frames, frames to JSON-RPC messages, and the trace that records them.
//!
//! Pure: no I/O, no clock, and no knowledge of ACP or MCP. Every byte that comes in is hostile:
//! memory is bounded, nothing panics, and what is wrong with a frame is named, never dropped.

mod digest;
pub mod event;
pub mod frame;
mod hex;
mod json;
pub mod message;
pub mod redact;
pub mod trace;

pub use event::{Event, EventKind, Mark, Side, Wait};
pub use frame::{Body, Frame, FrameDefect, Framer, LineEnd};
pub use json::mend_surrogates;
pub use message::{Class, Id, IdKey, Message, Parsed};
