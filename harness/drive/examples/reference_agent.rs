//! The reference agent as a process, for the tests and benchmarks of this crate. The argument, if any, is a fault.

use std::process::ExitCode;

fn main() -> ExitCode {
    let fault = std::env::args().nth(1);
    elenchus_fixtures::stdio::run_agent(fault.as_deref()).unwrap_or_else(|unknown| {
        eprintln!("{unknown}");
        ExitCode::from(2)
    })
}
