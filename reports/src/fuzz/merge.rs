//! The report of a whole, from those of its parts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{FORMAT, FuzzFinding, FuzzReport, FuzzTarget, Part, Totals, verdict};

/// Two reports that are not about the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlike {
    /// What one of them is about.
    pub one: FuzzTarget,
    /// What the other one is about.
    pub other: FuzzTarget,
}

impl FuzzReport {
    /// The report of these parts.
    pub fn new(
        target: FuzzTarget,
        parts: BTreeSet<Part>,
        findings: Vec<FuzzFinding>,
        ours: Vec<FuzzFinding>,
    ) -> Self {
        let findings = one_a_cause(findings);
        let verdict = verdict::of(&parts, &findings, Vec::new());
        Self {
            format: FORMAT,
            target,
            totals: Totals::of(&parts),
            parts,
            findings,
            ours: one_a_cause(ours),
            verdict,
        }
    }

    /// Both together. The order in which reports are merged does not matter, nor does it that one is merged twice.
    pub fn merge(self, other: Self) -> Result<Self, Box<Unlike>> {
        let Some(target) = same(&self.target, &other.target) else {
            return Err(Box::new(Unlike {
                one: self.target,
                other: other.target,
            }));
        };
        Ok(Self::new(
            target,
            self.parts.into_iter().chain(other.parts).collect(),
            self.findings.into_iter().chain(other.findings).collect(),
            self.ours.into_iter().chain(other.ours).collect(),
        ))
    }

    /// As the report of a whole: where a part is missing, it cannot say that nothing is to be found.
    #[must_use]
    pub fn whole(self) -> Self {
        let missing = missing(&self.parts);
        Self {
            verdict: verdict::of(&self.parts, &self.findings, missing),
            ..self
        }
    }
}

/// The target of both, if it is the same. One that is built anew may say something else of itself.
fn same(one: &FuzzTarget, other: &FuzzTarget) -> Option<FuzzTarget> {
    let alike = one.kind == other.kind && one.command == other.command;
    let info = [&one.info, &other.info].into_iter().flatten();
    alike.then(|| FuzzTarget {
        info: info.min_by_key(|info| Value::to_string(info)).cloned(),
        ..one.clone()
    })
}

/// Of the findings with the same cause the smallest, found by all parts that found one of them.
fn one_a_cause(findings: Vec<FuzzFinding>) -> Vec<FuzzFinding> {
    let mut smallest: BTreeMap<String, FuzzFinding> = BTreeMap::new();
    for finding in findings {
        match smallest.get_mut(&finding.key) {
            None => {
                smallest.insert(finding.key.clone(), finding);
            }
            Some(known) => {
                let found_by: BTreeSet<_> =
                    known.found_by.union(&finding.found_by).copied().collect();
                let size = |it: &FuzzFinding| (it.steps, it.script.len());
                // Where both are of a size, anything will do that does not depend on the order.
                if (size(&finding), &finding) < (size(known), &*known) {
                    *known = finding;
                }
                known.found_by = found_by;
            }
        }
    }
    smallest.into_values().collect()
}

/// The parts that are not there, in sentences.
fn missing(parts: &BTreeSet<Part>) -> Vec<String> {
    let mut there: BTreeMap<u32, BTreeSet<u32>> = parts
        .iter()
        .map(|part| (part.name.partitions, BTreeSet::new()))
        .collect();
    // A number that is out of bounds is nobody's.
    let named = parts.iter().map(|part| part.name);
    for name in named.filter(|name| name.partition < name.partitions) {
        there
            .entry(name.partitions)
            .or_default()
            .insert(name.partition);
    }
    let missing = there.iter().filter_map(|(&of, there)| {
        // There may be any number of them, whatever a report says.
        let first = (0..of).find(|part| !there.contains(part));
        let number = (of as usize).saturating_sub(there.len());
        first.map(|first| match number {
            1 => format!("Of {of} partitions, {first} is missing."),
            _ => format!("Of {of} partitions, {number} are missing: {first} is the first."),
        })
    });
    missing.collect()
}
