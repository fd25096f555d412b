//! Drives a target: processes and pipes, the peer that plays the other side, the script interpreter, races, campaigns.
//!
//! All the I/O and all the clocks are here. Nothing here decides pass or fail: it makes traces.

pub mod campaign;
pub mod instance;
pub mod target;

pub use campaign::{Campaign, Knowledge, Observer, Outcome};
pub use instance::{Instance, RacePlan, Recording};
pub use target::{Launch, Settings};
