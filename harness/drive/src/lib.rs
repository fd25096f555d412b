//! Drives a target: processes and pipes, the peer that plays the other side, the script interpreter, races, campaigns.
//!
//! All the I/O and all the clocks are here. Nothing here decides pass or fail: it makes traces.

pub mod campaign;
pub mod fuzz;
pub mod instance;
pub mod pair;
pub mod target;

mod answers;
mod control;
mod crew;
mod interpret;
mod interrupt;
mod json;
mod memo;
mod memory;
mod page;
mod params;
mod perform;
mod plant;
mod process;
mod record;
pub mod relay;
mod room;
mod seed;
mod stage;
mod told;
mod vocabulary;
mod wires;

pub use campaign::{Campaign, Knowledge, Observer, Outcome};
pub use fuzz::{Finding, Fuzz, Fuzzed};
pub use instance::{Instance, RacePlan, Recording};
pub use memo::Memo;
pub use perform::perform_once;
pub use process::left_behind;
pub use target::{Launch, Settings};
