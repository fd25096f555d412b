//! A fuzzing campaign as the tests need it.

use std::time::Duration;

use elenchus_drive::{
    Campaign, Fuzz, Launch, Settings,
    fuzz::{Limit, Partition},
};
use elenchus_protocol::Version;

/// A campaign that begins with nothing and keeps nothing. One thread, so that the seed decides everything.
pub(crate) fn fuzz(launch: Launch, seed: u64, limit: Limit) -> Fuzz<'static> {
    Fuzz {
        campaign: Campaign {
            launch,
            scripts: Vec::new(),
            versions: Version::ALL.to_vec(),
            declared: false,
            settings: Settings::default(),
            jobs: 1,
            seed,
            thorough: false,
            repeats: 1,
            traces: None,
            fresh: false,
            memo: None,
        },
        limit,
        partition: Partition::default(),
        corpus: None,
        findings: None,
        only: None,
        shrink: Duration::from_secs(20),
    }
}

/// An end after so many inputs.
pub(crate) fn runs(runs: u64) -> Limit {
    Limit {
        runs: Some(runs),
        ..Limit::default()
    }
}
