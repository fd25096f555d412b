//! A fuzzing campaign on LibAFL: many cores and hosts share a corpus live.
//!
//! ```text
//! launcher (broker) -- forks --> a client for each core: a lab of Elenchus in the hands of LibAFL's loop
//!   what reaches new features -> the main client, the other clients, the brokers of other hosts
//!   what breaks               -> confirmed, shrunk and saved by the lab, as in `elenchus fuzz`
//! ```

mod args;
mod client;
mod engine;
mod folders;
mod launch;
mod words;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Args;

fn main() -> ExitCode {
    launch::campaign(&Args::parse())
}
