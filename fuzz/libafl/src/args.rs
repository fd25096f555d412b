//! The command line.

use std::{net::SocketAddr, num::ParseIntError, path::PathBuf, time::Duration};

use clap::Parser;

/// Fuzzes an ACP agent on many cores and hosts, which share what they find worth keeping.
#[derive(Debug, Parser)]
#[command(
    name = "elenchus-libafl",
    after_help = "Exit status: 0 nothing was found, 1 something was, 2 wrong usage, 3 not every client came to its end, \
                  4 the engine could not go on."
)]
pub(crate) struct Args {
    /// The command that starts the agent, quoted as for a shell
    #[arg(long, value_name = "CMD")]
    pub(crate) target: String,
    /// Where the corpus and the findings are; a campaign goes on with what lies there
    #[arg(long, value_name = "DIR", default_value = "elenchus-libafl")]
    pub(crate) out: PathBuf,
    /// The cores, as in 0,2-5, or all
    #[arg(long, value_name = "LIST", default_value = "all")]
    pub(crate) cores: String,
    /// So many clients on each core: a target that waits leaves room for others
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) per_core: u16,
    /// The port of the broker; the one above it is taken too
    #[arg(long, value_name = "PORT", default_value_t = 1337, value_parser = clap::value_parser!(u16).range(1..=65534))]
    pub(crate) broker_port: u16,
    /// The broker of another launcher, with which everything new is shared
    #[arg(long, value_name = "IP:PORT")]
    pub(crate) remote_broker: Option<SocketAddr>,
    /// When it ends, as in 90s, 10m or 8h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    pub(crate) time: Duration,
    /// What the random numbers begin with; from the clock if none is given
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// A variable that the target is given from this environment; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) pass_env: Vec<String>,
}

fn duration(text: &str) -> Result<Duration, String> {
    let (number, seconds) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(number) if text.ends_with('m') => (number, 60),
        Some(number) if text.ends_with('h') => (number, 60 * 60),
        Some(number) => (number, 1),
        None => (text, 1),
    };
    let number: u32 = number
        .parse()
        .map_err(|error: ParseIntError| format!("{error}; write 90s, 10m or 8h"))?;
    if number == 0 {
        return Err("it has to take some time".to_owned());
    }
    Ok(Duration::from_secs(u64::from(number) * seconds))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::CommandFactory as _;

    use super::{Args, duration};

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn times_are_read() {
        for (text, seconds) in [("90", 90), ("90s", 90), ("10m", 600), ("8h", 28_800)] {
            assert_eq!(duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "m", "0", "1d", "-1s", "1.5m", "99999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
