//! The binary `elenchus`: arguments, progress, exit status. Nothing else.

mod again;
mod args;
mod check;
mod checklist;
mod explain;
mod failure;
mod fuzz;
mod hidden;
mod init;
mod job;
mod limits;
mod list;
mod near;
mod output;
mod pair;
mod progress;
mod read;
mod replay;
mod run;
mod select;
mod suite;
mod target;

use std::{
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
};

use clap::{CommandFactory as _, Parser};
use elenchus_reports::ExitStatus;
use elenchus_suites::profile;

use args::{Cli, Command, Peer};

fn main() -> ExitCode {
    failure::guard(|| {
        let cli = match Cli::try_parse() {
            Ok(cli) => cli,
            Err(error) => return args::refused(&error),
        };
        let ended = match cli.command {
            // Where nothing at all is said, and nothing lies here that says it, the help does.
            None if std::env::args_os().len() < 2 && !Path::new(profile::FILE).exists() => {
                let _ = write!(io::stderr(), "{}", Cli::command().render_help());
                Ok(ExitStatus::Usage.code().into())
            }
            None => run::run(&cli.run),
            Some(Command::Run(args)) => run::run(&args),
            Some(Command::Replay(args)) => replay::replay(&args),
            Some(Command::Fuzz(args)) => fuzz::fuzz(&args),
            Some(Command::Init(args)) => init::init(&args),
            Some(Command::List(args)) => list::list(&args),
            Some(Command::Explain(args)) => explain::explain(&args),
            Some(Command::Check(args)) => check::check(&args),
            Some(Command::Pair(args)) => pair::pair(&args),
            Some(Command::Relay(args)) => target::relay(&args),
            Some(Command::Reference {
                peer: Peer::Agent { fault },
            }) => target::reference_agent(fault.as_deref()),
            Some(Command::Reference {
                peer: Peer::Client { fault, agent },
            }) => target::reference_client(fault.as_deref(), &agent),
        };
        tell_left_behind();
        ended
    })
}

/// A target can make folders that nobody can remove, or not in time.
fn tell_left_behind() {
    let (folders, more) = elenchus_drive::left_behind();
    for folder in &folders {
        failure::note(&format!(
            "the scratch folder {} could not be removed; look into it, and remove it by hand",
            folder.display()
        ));
    }
    if more > 0 {
        failure::note(&format!("and {more} more beside it"));
    }
}
