//! The report of a fuzzing campaign: what `fuzz.json` holds. A contract, documented by `reports/fuzz.schema.json`.
//!
//! A campaign may be split into parts, on as many machines; their reports are merged, in any order, into the report of the
//! whole.

mod merge;
mod verdict;

use std::collections::BTreeSet;

use elenchus_suites::{Catalogue, Requirement};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use merge::Unlike;
pub use verdict::{FuzzStatus, FuzzVerdict};

use crate::{builder::level_name, model};

/// The format that this program writes.
pub const FORMAT: u32 = 1;

/// A whole report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FuzzReport {
    /// Always [`FORMAT`].
    pub format: u32,
    /// What was fuzzed.
    pub target: FuzzTarget,
    /// What it is made from: one entry a campaign.
    pub parts: BTreeSet<Part>,
    /// The numbers of all parts together.
    pub totals: Totals,
    /// What was found, one entry a cause, sorted by key.
    pub findings: Vec<FuzzFinding>,
    /// What the reference peer shows too: a fault in elenchus, not in the target.
    pub ours: Vec<FuzzFinding>,
    /// What it comes to.
    pub verdict: FuzzVerdict,
}

/// What was fuzzed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FuzzTarget {
    /// `agent` or `client`.
    pub kind: String,
    /// How it was started.
    pub command: Vec<String>,
    /// What it says of itself, as it said it.
    pub info: Option<Value>,
}

/// One campaign.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part {
    /// Which one.
    #[serde(flatten)]
    pub name: PartName,
    /// The version of elenchus.
    pub elenchus: String,
    /// The command line that made it.
    pub command: Vec<String>,
    /// The protocol versions that were fuzzed.
    pub protocols: Vec<String>,
    /// Inputs that were performed.
    pub runs: u64,
    /// Messages that crossed the wire.
    pub messages: u64,
    /// Inputs that reached something new, and are kept in the corpus.
    pub corpus: u64,
    /// What was seen of the target's behaviour, in different features.
    pub features: u64,
    /// How many processes of the target were started.
    pub started: u64,
    /// What went wrong once and never again, and counts for nothing.
    pub unconfirmed: u64,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
    /// Remarks on the target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why it is no ground for saying that nothing is to be found, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incomplete: Vec<String>,
    /// What else a reader has to know, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<String>,
}

/// What tells a part from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PartName {
    /// Its number, from 0.
    pub partition: u32,
    /// How many there are.
    pub partitions: u32,
    /// The seed of every random choice.
    pub seed: u64,
}

/// The numbers of all parts together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// Inputs that were performed.
    pub runs: u64,
    /// Messages that crossed the wire.
    pub messages: u64,
    /// How many processes of the target were started.
    pub started: u64,
    /// What went wrong once and never again.
    pub unconfirmed: u64,
    /// The time of all parts, in milliseconds.
    pub elapsed_ms: u64,
}

impl Totals {
    fn of(parts: &BTreeSet<Part>) -> Self {
        parts.iter().fold(Self::default(), |sum, part| Self {
            runs: sum.runs.saturating_add(part.runs),
            messages: sum.messages.saturating_add(part.messages),
            started: sum.started.saturating_add(part.started),
            unconfirmed: sum.unconfirmed.saturating_add(part.unconfirmed),
            elapsed_ms: sum.elapsed_ms.saturating_add(part.elapsed_ms),
        })
    }
}

/// One cause, with the smallest script that shows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FuzzFinding {
    /// What is the same wherever this cause is found.
    pub key: String,
    /// How many steps the script has.
    pub steps: u64,
    /// The script, as its file holds it.
    pub script: String,
    /// The requirement that is broken, or `crash`, `hang`, `memory`, `service`.
    pub cause: String,
    /// The protocol version.
    pub protocol: String,
    /// The requirement's level in this version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The requirement is inferred.
    pub derived: bool,
    /// The clause's source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// One sentence.
    pub explanation: String,
    /// What we had sent.
    pub sent: String,
    /// What came back.
    pub got: String,
    /// What the clause asks for.
    pub expected: String,
    /// In how many of how many performances on a process of its own it showed.
    pub repeats: (u64, u64),
    /// The script's file, relative to the folder of the report.
    pub file: Option<String>,
    /// The file of the trace in which it showed, relative to the folder of the report.
    pub trace: Option<String>,
    /// The last lines of the target's standard error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
    /// The command that shows it again, a word an item; `file` is one of them.
    pub replay: Vec<String>,
    /// The parts that found it.
    pub found_by: BTreeSet<PartName>,
}

impl FuzzFinding {
    /// It makes the target nonconforming: a requirement that decides is broken, or the target does not survive.
    pub fn decides(&self) -> bool {
        self.level
            .as_deref()
            .is_none_or(|level| model::decides(level, self.derived))
    }

    /// With what the catalogue says of the requirement that is its cause, if one is; `version` is the protocol version's
    /// name there.
    #[must_use]
    pub fn with_clause(mut self, catalogue: &Catalogue, version: &str) -> Self {
        if let Some(requirement) = catalogue.get(&self.cause) {
            let Requirement {
                derived, source, ..
            } = requirement;
            self.level = Some(level_name(requirement.level_in(version)).to_owned());
            self.derived = *derived;
            self.source = Some(source.clone());
        }
        self
    }
}
