//! URLs of URL-mode elicitations: everyday ones are clean, bad ones have exactly the finding they were
//! written for, and nothing that a finding says gives a credential away.

mod bad;
mod canary;
mod legal;
mod wild;

use elenchus_protocol::url_inspect::Inspection;

/// The findings as the tables write them.
fn told(inspection: &Inspection) -> Vec<String> {
    let mut told: Vec<String> = inspection
        .findings
        .iter()
        .map(|finding| format!("{:?} {:?} {}", finding.weight, finding.kind, finding.place))
        .collect();
    told.sort();
    told
}

/// The lines of a table, without comments and empty ones.
fn lines(table: &str) -> impl Iterator<Item = &str> {
    table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// JSON in base64url, as tokens have it.
fn base64url(bytes: &[u8]) -> String {
    canary::base64(bytes, canary::URL_SAFE)
}
