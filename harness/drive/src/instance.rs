//! One performance of a script, with all its choices fixed, and what it leaves behind.

use elenchus_protocol::Version;
use elenchus_suites::Script;
use elenchus_wire::trace::Trace;

/// A script with its bindings, version, race plan and seed fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance<'s> {
    /// The script.
    pub script: &'s Script,
    /// The protocol version that `open` asks for.
    pub version: Version,
    /// The value of each `each` variable, as exact JSON text.
    pub bindings: Vec<(String, String)>,
    /// The order and gap of the script's race, if it has one.
    pub race: Option<RacePlan>,
    /// Decides every random choice.
    pub seed: u64,
}

/// How the arms of a race are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RacePlan {
    /// Indices of the arms, in the order of writing.
    pub order: Vec<u32>,
    /// Microseconds between them: `None` for one write, `Some(0)` for back to back.
    pub gap_us: Option<u64>,
}

/// What a performance left behind.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The trace.
    pub trace: Trace,
    /// The last lines that the target wrote to standard error.
    pub stderr: Vec<String>,
    /// Why the script stopped before its end, if it did.
    pub stopped: Option<Stopped>,
}

/// Why a script stopped before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// The target could not be started: the operating system's reason.
    NotStarted(String),
    /// A step's precondition failed: what and in which line.
    Step {
        /// The script's line.
        line: u32,
        /// Why, for people.
        reason: String,
    },
}

/// Every instance of a script for one version: the product of its `each` values and its race plans.
pub fn instances(script: &Script, version: Version, seed: u64) -> Vec<Instance<'_>> {
    let _ = (script, version, seed);
    todo!()
}
