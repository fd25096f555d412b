//! What the rules found in one trace.

use std::collections::BTreeMap;

/// What all rules found in one trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judgement {
    /// By requirement id. Rules that saw nothing are absent.
    pub tallies: BTreeMap<&'static str, Tally>,
    /// Requirements whose needed capabilities the target did not announce in this trace (and did announce
    /// something: an `initialize` result was seen).
    pub not_applicable: Vec<String>,
    /// The judged side was heard to speak JSON-RPC at all.
    pub heard: bool,
    /// All that it said were lines that had been sent to it: it is no peer, but an echo, and no rule says anything of it.
    pub echoed: bool,
}

/// What one rule found in one trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How often its situation arose and was met.
    pub upheld: u32,
    /// How often its situation arose and nothing certain could be said, with the reasons, each once.
    pub unclear: Vec<String>,
    /// How often the target won the race that would have made it arise. Neither pass nor fail.
    pub lost: u32,
    /// How often it was broken: the first few breaches (see [`Tally::MAX_BREACHES`]).
    pub breaches: Vec<Breach>,
    /// Remarks that never count: warnings by the row's own text. Each once.
    pub notes: Vec<String>,
}

impl Tally {
    /// More breaches than this in one trace are not kept: they say nothing new.
    pub const MAX_BREACHES: usize = 8;

    /// How often the rule's situation arose.
    pub fn exercised(&self) -> u32 {
        self.upheld + u32::try_from(self.breaches.len()).unwrap_or(u32::MAX)
    }
}

/// One violation, with its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The event that broke it.
    pub event: u64,
    /// The event that opened the obligation, if there was one.
    pub opened: Option<u64>,
    /// What we had sent, shortened and safe to print; empty where nothing of ours led to it.
    pub sent: String,
    /// What came back, shortened and safe to print.
    pub got: String,
    /// What the clause asks for here.
    pub expected: String,
    /// One sentence to the target's author.
    pub why: String,
    /// Where the end of the process broke it: the last lines that it had written to its standard error, without what looks
    /// like a secret, shortened and safe to print.
    pub stderr: Vec<String>,
}
