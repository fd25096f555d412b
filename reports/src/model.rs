//! The report as data: what `report.json` holds. A contract, documented by `reports/report.schema.json`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The format that this program writes.
pub const FORMAT: u32 = 1;

/// A whole report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Always [`FORMAT`].
    pub format: u32,
    /// The version of elenchus.
    pub elenchus: String,
    /// The command line that made it.
    pub command: Vec<String>,
    /// The seed of every random choice.
    pub seed: u64,
    /// What was tested.
    pub target: TargetInfo,
    /// One entry a protocol version that was run.
    pub runs: Vec<Run>,
    /// What it comes to.
    pub verdict: Verdict,
}

/// What was tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetInfo {
    /// `agent`, `client`, ...
    pub kind: String,
    /// How it was started.
    pub command: Vec<String>,
    /// What it says of itself, as it said it.
    pub info: Option<Value>,
    /// Remarks on the target as a whole: a version that it echoes without speaking it, why it could not be run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// All requirements in one protocol version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// `acp-v1`, ...
    pub protocol: String,
    /// The edition of its texts.
    pub edition: String,
    /// Every requirement that binds this kind of target in this version, sorted by id.
    pub requirements: Vec<Row>,
    /// Scripts that were not run, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedScript>,
}

/// A script that was not run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SkippedScript {
    /// Its name.
    pub script: String,
    /// Why, and what to configure.
    pub reason: String,
}

/// The outcome of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowOutcome {
    /// Its situation arose, and no trace broke it.
    Pass,
    /// Some trace broke it, in every repeat.
    Fail,
    /// Some trace broke it, but not in every repeat.
    Flaky,
    /// Its situation never arose, or never clearly.
    NotExercised,
    /// The target lacks the capability that the clause needs.
    NotApplicable,
    /// A person stated it in the profile.
    Attested,
    /// It fails, and the baseline says so.
    Known,
}

/// One requirement in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The requirement.
    pub id: String,
    /// Its level in this version.
    pub level: String,
    /// It is inferred.
    pub derived: bool,
    /// The outcome.
    pub outcome: RowOutcome,
    /// How often its situation arose.
    pub exercised: u64,
    /// How often the target was quicker than what raced it, so that its situation did not arise: neither pass nor fail.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
    /// Who stated it, where a person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attested: Option<Attested>,
    /// Why it is not exercised, not applicable or unclear; remarks that never count. Each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The violations; those of the same kind (same explanation) once, with a count.
    pub findings: Vec<Finding>,
}

/// A person's statement, from the profile.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Attested {
    /// Who made it.
    pub who: String,
    /// The day, as `2026-11-30`.
    pub when: String,
    /// What was looked at, or what else a reader should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One violation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The script that made the trace, with its instance.
    pub script: String,
    /// The trace file, relative to the output folder, if traces were kept.
    pub trace: Option<String>,
    /// The event's number in the trace (its line is two more: the header, and events count from 0).
    pub event: u64,
    /// What we had sent.
    pub sent: String,
    /// What came back.
    pub got: String,
    /// What the clause asks for.
    pub expected: String,
    /// One sentence.
    pub explanation: String,
    /// Where the end of the process is what broke it: the last lines of its standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
    /// The clause's source.
    pub source: String,
    /// The command that shows it again.
    pub replay: String,
    /// How many instances showed the same.
    pub instances: u64,
    /// In how many of how many performances of this instance it showed.
    pub repeats: (u64, u64),
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over a reference
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A broken requirement of this level decides the verdict.
pub(crate) fn decides(level: &str, derived: bool) -> bool {
    !derived && matches!(level, "must" | "must-not" | "schema")
}

impl Row {
    /// A failure of this row makes the target nonconforming.
    pub fn decides(&self) -> bool {
        decides(&self.level, self.derived)
    }

    /// It was broken at least once.
    pub fn broke(&self) -> bool {
        matches!(self.outcome, RowOutcome::Fail | RowOutcome::Flaky)
    }
}

/// What a report comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// In one word.
    pub status: Status,
    /// The exit status of the program.
    pub exit: u8,
    /// Rows by outcome, over all runs; deciding failures and others apart.
    pub counts: Counts,
    /// Why it is incomplete or an error, in sentences; with another status, what kept the run from being whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// In one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// No deciding requirement failed, and something was exercised.
    Conforming,
    /// A deciding requirement failed.
    Nonconforming,
    /// None failed, and the target could not be run or got nowhere, or the run was stopped.
    Incomplete,
    /// A fault in elenchus itself.
    Error,
}

/// Rows by outcome, over all runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "each member is an outcome's own name")]
pub struct Counts {
    pub pass: u64,
    /// Failed and deciding.
    pub fail: u64,
    /// Broken at least once, but only a warning: should, robustness or derived.
    pub warn: u64,
    /// Broken in some repeats and deciding.
    pub flaky: u64,
    pub not_exercised: u64,
    pub not_applicable: u64,
    pub attested: u64,
    pub known: u64,
}
