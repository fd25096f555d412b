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

pub(super) fn runs(text: &str) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|runs| *runs > 0)
        .ok_or_else(|| "a number of scripts, from 1 on".to_owned())
}

/// A time with its unit.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    const USAGE: &str = "a time has a unit: 90s, 10m, 8h";
    /// A month.
    const LONGEST: u64 = 31 * 24 * 3600;
    let (number, unit) = text.split_at(text.trim_end_matches(char::is_alphabetic).len());
    let unit = match unit {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 24 * 3600,
        _ => return Err(USAGE.to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| USAGE)?;
    match number.checked_mul(unit) {
        Some(seconds @ 1..=LONGEST) => Ok(Duration::from_secs(seconds)),
        _ => Err("from 1s to 31d".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, time};

    #[test]
    fn times_have_units() {
        for (text, seconds) in [
            ("90s", Some(90)),
            ("10m", Some(600)),
            ("10min", Some(600)),
            ("8h", Some(28_800)),
            ("2d", Some(172_800)),
            ("0s", None),
            ("32d", None),
            ("10", None),
            ("m", None),
            ("-1s", None),
            ("1.5h", None),
            ("1 h", None),
            ("18446744073709551615h", None),
            ("10ß", None),
        ] {
            assert_eq!(time(text).ok(), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
