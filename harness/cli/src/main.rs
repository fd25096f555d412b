//! The binary `elenchus`: arguments, progress, exit status. Nothing else.

mod args;
mod check;
mod explain;
mod failure;
mod list;
mod near;
mod output;
mod progress;
mod run;
mod select;
mod suite;
mod target;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command, Peer};

fn main() -> ExitCode {
    failure::guard(|| {
        let cli = match Cli::try_parse() {
            Ok(cli) => cli,
            Err(error) => return args::refused(&error),
        };
        match cli.command {
            None => run::run(&cli.run),
            Some(Command::Run(args)) => run::run(&args),
            Some(Command::List(args)) => list::list(&args),
            Some(Command::Explain(args)) => explain::explain(&args),
            Some(Command::Check(args)) => check::check(&args),
            Some(Command::Reference {
                peer: Peer::Agent { fault },
            }) => target::reference_agent(fault.as_deref()),
        }
    })
}
