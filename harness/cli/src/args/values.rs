//! The values of options: how they are read, and what is said of those that cannot be.

use std::{num::NonZeroUsize, time::Duration};

use elenchus_reports::builder::Kind;

/// Kinds of target that later versions test.
const LATER: [&str; 4] = ["server", "mcp-client", "proxy", "gateway"];

pub(super) fn kind(name: &str) -> Result<Kind, String> {
    match name {
        "agent" => Ok(Kind::Agent),
        "client" => Ok(Kind::Client),
        later if LATER.contains(&later) => Err(format!(
            "this version tests agents and clients only; testing a {later} comes in a later one"
        )),
        _ => Err(format!(
            "unknown kind; known are agent and client, and in later versions {}",
            LATER.join(", ")
        )),
    }
}

pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("a seed is a number from 0 to {}", u64::MAX))
}

pub(super) fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "a number of scripts at a time, from 1 on".to_owned())
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    if (0.1..=3600.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("from 0.1 to 3600 seconds".to_owned())
    }
}
