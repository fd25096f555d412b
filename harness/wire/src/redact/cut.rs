//! What is left of a secret in a text that was shortened: its beginning before the cut, or its end behind it.

use std::ops::Range;

use memchr::memmem::Finder;

/// How shortened texts show where something is left out.
const MARKS: [&str; 2] = ["…", "..."];
/// A shorter piece of a secret tells little, and stands everywhere by chance.
const SHORTEST: usize = 4;

/// One place where something was left out.
pub(super) struct Cut {
    /// Where a text before it may end: at the mark, and at the space before it.
    pub(super) ends: Range<usize>,
    /// Where a text behind it may start.
    pub(super) starts: Range<usize>,
}

/// All such places.
pub(super) fn marks(bytes: &[u8]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for mark in MARKS {
        for at in Finder::new(mark).find_iter(bytes) {
            let (start, end) = (at, at + mark.len());
            let spaced = start > 0 && bytes[start - 1] == b' ';
            let space = bytes.get(end) == Some(&b' ');
            cuts.push(Cut {
                ends: start - usize::from(spaced)..start + 1,
                starts: end..end + 1 + usize::from(space),
            });
        }
    }
    cuts
}

/// How long the beginning of the secret is with which these bytes end.
pub(super) fn begun(bytes: &[u8], secret: &[u8]) -> Option<usize> {
    let from = bytes.len().saturating_sub(secret.len().saturating_sub(1));
    memchr::memchr_iter(*secret.first()?, &bytes[from..])
        .map(|at| &bytes[from + at..])
        .find(|end| secret.starts_with(end))
        .map(<[u8]>::len)
        .filter(|&length| length >= SHORTEST)
}

/// How long the end of the secret is with which these bytes start.
pub(super) fn ended(bytes: &[u8], secret: &[u8]) -> Option<usize> {
    let to = bytes.len().min(secret.len().saturating_sub(1));
    memchr::memrchr_iter(*secret.last()?, &bytes[..to])
        .map(|at| &bytes[..=at])
        .find(|start| secret.ends_with(start))
        .map(<[u8]>::len)
        .filter(|&length| length >= SHORTEST)
}
