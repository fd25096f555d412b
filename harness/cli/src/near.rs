//! Names that were perhaps meant.

use std::collections::BTreeSet;

/// How many are told.
const MOST: usize = 5;

/// No name is as long. Comparing takes as long as both are long together.
const LONGEST: usize = 200;

/// The names most like the wanted one, the likeliest first; none where nothing is like it.
pub(crate) fn near<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let wanted = wanted.to_lowercase();
    let tolerance = (wanted.chars().count() / 3).max(1);
    let mut scored: BTreeSet<(usize, &str)> = BTreeSet::new();
    for name in names {
        let lower = name.to_lowercase();
        let last = lower.rsplit('/').next().unwrap_or(&lower);
        // Reports name areas without the protocol, and so do people.
        let bare = lower.strip_prefix("acp-").unwrap_or(&lower);
        let likeness = [&lower, last, bare].map(|name| distance(&wanted, name));
        let score = likeness.into_iter().min().unwrap_or_default();
        if score <= tolerance {
            scored.insert((score, name));
        } else if wanted.len() >= 3 && lower.contains(&wanted) {
            scored.insert((tolerance + 1, name));
        }
    }
    scored
        .into_iter()
        .take(MOST)
        .map(|(_, name)| name)
        .collect()
}

/// The number of characters to insert, remove or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, near};

    #[test]
    fn the_distance_counts_edits() {
        for (a, b, edits) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "abc", 0),
            ("kitten", "sitting", 3),
            ("ab", "ba", 2),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (edits, edits), "{a} {b}");
        }
    }

    #[test]
    fn the_likeliest_names_come_first_and_unlike_ones_not_at_all() {
        let names = [
            "ACP-INIT-001",
            "ACP-INIT-010",
            "ACP-JSONRPC-001",
            "acp/agent/cap/mode-must-be-advertised",
        ];
        for (wanted, likely) in [
            ("acp-init-01", &["ACP-INIT-001", "ACP-INIT-010"][..]),
            ("ACP-INIT-001", &["ACP-INIT-001", "ACP-INIT-010"]),
            ("init-1", &["ACP-INIT-001", "ACP-INIT-010"]),
            (
                "mode-must-be-advertized",
                &["acp/agent/cap/mode-must-be-advertised"],
            ),
            ("jsonrpc", &["ACP-JSONRPC-001"]),
            ("zebra", &[]),
            ("ACP-INIT-001".repeat(100_000).as_str(), &[]),
        ] {
            assert_eq!(near(wanted, names), likely, "{wanted}");
        }
    }
}
