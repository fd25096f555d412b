//! What a report of a campaign comes to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{FuzzFinding, Part};
use crate::exit::ExitStatus;

/// What a report comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FuzzVerdict {
    /// In one word.
    pub status: FuzzStatus,
    /// The exit status of the program.
    pub exit: u8,
    /// How many findings decide.
    pub deciding: u64,
    /// How many do not.
    pub warnings: u64,
    /// Why it is incomplete, in sentences; with another status, what kept the campaign from being whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// In one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FuzzStatus {
    /// Nothing that decides was found, and something was tried.
    NothingFound,
    /// Something was found that decides.
    Found,
    /// Nothing was found, and a part could not do its work or is missing.
    Incomplete,
}

/// The verdict over all parts.
pub(super) fn of(
    parts: &BTreeSet<Part>,
    findings: &[FuzzFinding],
    missing: Vec<String>,
) -> FuzzVerdict {
    let deciding = findings.iter().filter(|finding| finding.decides()).count() as u64;
    let mut reasons = missing;
    for part in parts {
        reasons.extend(part.incomplete.iter().map(|why| told(parts, part, why)));
        if part.incomplete.is_empty() && part.runs == 0 {
            reasons.push(told(parts, part, "Nothing was performed."));
        }
    }
    if parts.is_empty() {
        reasons.push("Nothing was performed.".to_owned());
    }
    let status = match (deciding, reasons.is_empty()) {
        (1.., _) => FuzzStatus::Found,
        (0, true) => FuzzStatus::NothingFound,
        (0, false) => FuzzStatus::Incomplete,
    };
    for part in parts {
        reasons.extend(part.troubles.iter().map(|what| told(parts, part, what)));
    }
    let exit = match status {
        FuzzStatus::NothingFound => ExitStatus::Conforming,
        FuzzStatus::Found => ExitStatus::Nonconforming,
        FuzzStatus::Incomplete => ExitStatus::Incomplete,
    };
    FuzzVerdict {
        status,
        exit: exit.code(),
        deciding,
        warnings: findings.len() as u64 - deciding,
        reasons,
    }
}

/// A sentence about a part, with its name where there are several.
fn told(parts: &BTreeSet<Part>, part: &Part, sentence: &str) -> String {
    if parts.len() < 2 {
        return sentence.to_owned();
    }
    let name = part.name;
    format!(
        "Partition {} of {}, seed {}: {sentence}",
        name.partition, name.partitions, name.seed
    )
}
