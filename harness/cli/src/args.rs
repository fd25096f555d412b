//! The command line.

mod share;
mod values;

use std::{
    ffi::OsString, io::Write as _, num::NonZeroUsize, path::PathBuf, process::ExitCode,
    time::Duration,
};

use clap::{
    ArgAction, Args, CommandFactory as _, Parser, Subcommand, ValueEnum,
    error::{ContextKind, ContextValue, ErrorKind},
};
use elenchus_protocol::Version;
use elenchus_reports::{
    ExitStatus,
    builder::Kind,
    text::{is_printable, printable},
};
use elenchus_suites::profile;

pub(crate) use self::share::Share;
use self::{
    share::share,
    values::{jobs, kind, runs, seconds, seed, time},
};
use crate::{failure::Failure, near::near};

/// Tells why the arguments are none, or shows the help that was asked for.
pub(crate) fn refused(error: &clap::Error) -> Result<ExitCode, Failure> {
    if error.kind() == ErrorKind::InvalidUtf8 {
        return Err(Failure::usage("an argument is not UTF-8").hint(
            "arguments of the target may be anything: write them behind `--`, as in elenchus --target ./my-agent -- ARGS",
        ));
    }
    if let Some(failure) = no_command(error) {
        return Err(failure);
    }
    // What an argument says is repeated, and may be anything; help is our own text.
    let plain = |text: &str| text.chars().all(|c| c == '\n' || is_printable(c));
    let text = error.render().to_string();
    if !error.use_stderr() || plain(&text) {
        // Where it cannot be printed nothing more can be done.
        let _ = error.print();
    } else {
        let lines: Vec<_> = text.split('\n').map(printable).collect();
        let _ = write!(std::io::stderr(), "{}", lines.join("\n"));
    }
    let status = if error.use_stderr() {
        ExitStatus::Usage
    } else {
        ExitStatus::Conforming
    };
    Ok(status.code().into())
}

/// The first word is neither a command nor a flag: mostly the program that is to be tested.
fn no_command(error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let first = std::env::args_os().nth(1);
    if first.is_none_or(|first| first != word.as_str()) || word.starts_with('-') {
        return None;
    }
    let program = Cli::command();
    let commands = program.get_subcommands().filter(|it| !it.is_hide_set());
    let commands: Vec<&str> = commands.map(clap::Command::get_name).collect();
    let failure = Failure::usage(format!("there is no command `{word}`"))
        .did_you_mean(&near(word, commands))
        .hint(format!(
            "a program is tested with elenchus --target '{word}'"
        ));
    Some(failure)
}

/// Cross-examines an implementation of the Agent Client Protocol: plays the other side of the wire, asks awkward
/// questions, and reports, clause by clause, what the implementation did.
#[derive(Debug, Parser)]
#[command(
    name = "elenchus",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  elenchus --target reference:agent            see it work, with nothing else installed
  elenchus --target ./my-agent                 test an agent; the same as `elenchus run --target ./my-agent`
  elenchus --target 'node agent.mjs --acp'     a command with arguments
  elenchus                                     test the target that elenchus.toml here describes; `elenchus init` writes one
  elenchus explain ACP-ELICIT-CAP-004          what a requirement asks for and how it is judged

Exit status: 0 conforming, 1 a deciding requirement failed, 2 wrong usage or configuration,
3 incomplete (the target could not be run or never got to its work, the run was stopped, or nothing was
exercised), 4 a fault in elenchus itself."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Test a target (the default)
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Perform scripts of your own, such as findings that were saved, and nothing else
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArgs),
    /// Try generated and mutated scripts on a target, and shrink what goes wrong to a script of its own
    #[command(after_help = FUZZ_EXAMPLES)]
    Fuzz(FuzzArgs),
    /// Write a profile, elenchus.toml, that describes your target once
    #[command(after_help = "\
Examples:
  elenchus init
  elenchus init --target './my-agent --acp'    tries the target, and says what it saw")]
    Init(InitArgs),
    /// List what there is: requirements, scripts, faults, what people can attest
    #[command(after_help = "\
Examples:
  elenchus list requirements
  elenchus list requirements --format json
  elenchus list checklist
  elenchus list faults")]
    List(ListArgs),
    /// Tell all about a requirement, a script or a fault
    #[command(after_help = "\
Examples:
  elenchus explain ACP-ELICIT-CAP-004
  elenchus explain form-despite-url-only")]
    Explain(ExplainArgs),
    /// Judge recorded traces by the same rules
    #[command(after_help = "\
Examples:
  elenchus check elenchus-out/traces/*.jsonl
  elenchus check recorded.jsonl --format json")]
    Check(CheckArgs),
    /// Let a real client talk to a real agent, and judge both by what they said
    #[command(after_help = "\
Examples:
  elenchus pair --agent reference:agent --client reference:client
  elenchus pair --agent ./my-agent --client 'my-client --agent {agent} hello'")]
    Pair(PairArgs),
    /// Be a reference peer on standard input and output
    #[command(after_help = "\
Examples:
  elenchus reference agent
  elenchus reference agent --fault form-despite-url-only
  elenchus reference client -- ./my-agent --acp")]
    Reference {
        #[command(subcommand)]
        peer: Peer,
    },
    /// Stand in for the agent that a client under test starts: carries its bytes to a run
    #[command(hide = true)]
    Relay(RelayArgs),
}

const RUN_EXAMPLES: &str = "\
Examples:
  elenchus run --target reference:agent
  elenchus run --target 'reference:agent?fault=form-despite-url-only'
  elenchus run --target ./my-agent -- --stdio --quiet
  elenchus run --target 'my-client --agent {agent}'
  elenchus run --target ./my-client --direct
  elenchus run --target ./my-agent --protocol acp-v1 --only 'ELICIT-*' --skip ACP-ELICIT-URL-003
  elenchus run --target ./my-agent --format json > report.json
  elenchus run                                 the target that elenchus.toml in the current folder describes
  elenchus run --profile agents/slow.toml --timeout 60";

const REPLAY_EXAMPLES: &str = "\
Examples:
  elenchus replay --target ./my-agent conformance/
  elenchus replay --target ./my-agent elenchus-fuzz/findings/*.script
  elenchus replay --target 'my-client --agent {agent}' mine.script -- --verbose

Every script must be performed in at least one version, else the exit status is 3: what was not tried is no pass.";

const FUZZ_EXAMPLES: &str = "\
Examples:
  elenchus fuzz --target ./my-agent
  elenchus fuzz --target ./my-agent --time 8h --jobs 16 --out night
  elenchus fuzz --target 'my-client --agent {agent}' --runs 20000 --seed 1
  elenchus fuzz --target ./my-agent --partition 0/4 --out fuzz-0       one of four machines
  elenchus fuzz --target ./my-agent --partition auto/4                 a pod of an Indexed Job of Kubernetes
  elenchus fuzz merge --out fuzz-all fuzz-0 fuzz-1 fuzz-2 fuzz-3       all of them together
  elenchus replay --target ./my-agent elenchus-fuzz/findings           what was found, again

The same --out goes on where an earlier campaign was, however that ended. Ctrl-C ends it with all saved.

Exit status: 0 nothing was found that decides, 1 something was, 2 wrong usage or configuration, 3 incomplete
(the target could not be run or never got to its work, or the campaign was stopped), 4 a fault in elenchus itself.";

/// What is fuzzed, and for how long.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct FuzzArgs {
    #[command(subcommand)]
    pub(crate) command: Option<FuzzCommand>,
    #[command(flatten)]
    pub(crate) common: Common,
    /// How long it takes, as `90s`, `10m` or `8h` [default: 10m, unless --runs is given]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) time: Option<Duration>,
    /// How many scripts it tries; with --time, what comes first ends it
    #[arg(long, value_name = "N", value_parser = runs)]
    pub(crate) runs: Option<u64>,
    /// The folder of the corpus: what lies there is tried first, and what reaches something new is added; created if it
    /// is not there [default: `corpus` in the output folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) corpus: Option<PathBuf>,
    /// Which part of a larger campaign it is, as `0/4` to `3/4`; `auto/4` takes the number from JOB_COMPLETION_INDEX, as
    /// Kubernetes sets it
    #[arg(long, value_name = "K/N", value_parser = share)]
    pub(crate) partition: Option<Share>,
    /// Begin with nothing of the suite
    #[arg(long)]
    pub(crate) no_seeds: bool,
    /// Start the target anew for every script, where otherwise a process that is none the worse serves several
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Only these requirements count, besides what the target does not survive: patterns for ids and areas
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) only: Vec<String>,
    /// These requirements do not count: patterns as for --only
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) skip: Vec<String>,
    /// Where fuzz.json, the findings and the corpus go; created if it is not there
    #[arg(long, value_name = "DIR", default_value = "elenchus-fuzz")]
    pub(crate) out: PathBuf,
    /// How often what went wrong is tried again, each time on a process of its own
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) repeats: u32,
}

/// What else is done with campaigns.
#[derive(Debug, Subcommand)]
pub(crate) enum FuzzCommand {
    /// Make one report, one corpus and one set of findings of those of several campaigns
    #[command(after_help = "\
Examples:
  elenchus fuzz merge --out fuzz-all fuzz-0 fuzz-1 fuzz-2 fuzz-3

The exit status is that of a campaign; a partition that is missing makes it incomplete.")]
    Merge(MergeArgs),
}

/// What is merged.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Output folders of campaigns about one target
    #[arg(required = true, value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// Where it goes; created if it is not there, and no folder that holds a campaign
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// What is tested, and how it is started and shown.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// The command that starts the target, quoted as for a shell; or `reference:agent`, `reference:client`, and either with
    /// `?fault=ID`. In the command of a client `{agent}` becomes the command line of its agent, `{agent-path}` a program
    /// that is its agent without arguments
    #[arg(long, value_name = "CMD")]
    pub(crate) target: Option<String>,
    /// What describes the target; flags win over it [default: elenchus.toml in the current folder, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// What the target is: agent or client [default: client where the command names its agent, else agent]
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub(crate) kind: Option<Kind>,
    /// The target is a client that starts no agent: it speaks on its own standard input and output
    #[arg(long)]
    pub(crate) direct: bool,
    /// The protocol versions that the target claims to speak, as `acp-v1,acp-v2` [default: each that it negotiates]
    #[arg(long, value_name = "VERSIONS", value_delimiter = ',')]
    pub(crate) protocol: Vec<Version>,
    /// Decides every random choice [default: random, and shown]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub(crate) seed: Option<u64>,
    /// How many scripts run at a time [default: 2 a core]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// How long an answer that is owed may take, in seconds; other times are scaled with it [default: 10]
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// How the target is signed in before its first session: the id of a way that it offers
    #[arg(long, value_name = "ID")]
    pub(crate) auth_method: Option<String>,
    /// Also run what logs the target in and out
    #[arg(long)]
    pub(crate) allow_logout: bool,
    #[command(flatten)]
    pub(crate) show: Show,
    /// More arguments for the target's command
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<OsString>,
}

/// How a target is tested.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    /// Only these: patterns (`*`, `?`, `[..]`) for requirement ids, areas and script names
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) only: Vec<String>,
    /// Not these: patterns as for --only
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) skip: Vec<String>,
    /// Start the target anew for every script, where otherwise a process that is none the worse serves several
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Also run what costs time: messages of many MiB, whole turns byte by byte, every gap of every race
    #[arg(long)]
    pub(crate) thorough: bool,
    /// Where report.json and the traces go; created if it is not there
    #[arg(long, value_name = "DIR", default_value = "elenchus-out")]
    pub(crate) out: PathBuf,
    /// How often an instance that broke something is performed again
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) repeats: u32,
}

/// What is performed again.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Scripts, or folders that are searched for files whose names end in `.script`; what begins with a dot is passed
    /// over there
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
    /// Try every gap of every race
    #[arg(long)]
    pub(crate) thorough: bool,
    /// Where report.json and the traces go; created if it is not there
    #[arg(long, value_name = "DIR", default_value = "elenchus-replay")]
    pub(crate) out: PathBuf,
    /// How often an instance that broke something is performed again
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) repeats: u32,
}

/// What a profile is written from.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The command that starts the target, quoted as for a shell: it is tried, and the profile says what was seen
    #[arg(long, value_name = "CMD")]
    pub(crate) target: Option<String>,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = profile::FILE)]
    pub(crate) profile: PathBuf,
}

/// How results are shown.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Show {
    /// For a person or for a program
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

/// The form of what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal
    Auto,
    Always,
    Never,
}

/// What is listed, and how.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// What to list
    #[arg(value_enum)]
    pub(crate) what: What,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// What can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// The clauses, and how each is covered
    Requirements,
    /// What is performed with a target
    Scripts,
    /// The defects that the reference peers can be given
    Faults,
    /// What no wire shows and a person can attest; ticked off where the elenchus.toml in the current folder says so
    Checklist,
}

/// What is explained.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A requirement's id, a script's name or a fault's id
    pub(crate) id: String,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

/// What is judged.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Trace files, as `elenchus run` writes them; one that was cut off is judged up to the cut
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// Who talks to whom.
#[derive(Debug, Args)]
pub(crate) struct PairArgs {
    /// The command that starts the agent, or `reference:agent`
    #[arg(long, value_name = "CMD")]
    pub(crate) agent: String,
    /// The command that starts the client, with `{agent}` or `{agent-path}` where it takes its agent; or `reference:client`
    #[arg(long, value_name = "CMD")]
    pub(crate) client: String,
    /// Variables that both take over from the environment of elenchus
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) pass_env: Vec<String>,
    /// How long the client may take, in seconds
    #[arg(long, value_name = "SECS", default_value = "600", value_parser = seconds)]
    pub(crate) limit: Duration,
    /// Where the traces go; created if it is not there
    #[arg(long, value_name = "DIR", default_value = "elenchus-pair")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) show: Show,
}

/// Whom the bytes are carried to.
#[derive(Debug, Args)]
pub(crate) struct RelayArgs {
    /// The socket of the run
    #[arg(long, value_name = "SOCKET")]
    pub(crate) to: PathBuf,
    /// A browser was called, under this name and with these arguments; nothing else is carried
    #[arg(long, value_name = "CALL", num_args = 1.., allow_hyphen_values = true)]
    pub(crate) opened: Vec<OsString>,
    /// What a client says to its agent by arguments means nothing here
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) ignored: Vec<OsString>,
}

/// A reference peer.
#[derive(Debug, Subcommand)]
pub(crate) enum Peer {
    /// An ACP agent that speaks both versions and the whole trigger vocabulary
    Agent {
        /// The defect to seed in it; `elenchus list faults` shows them
        #[arg(long, value_name = "ID")]
        fault: Option<String>,
    },
    /// An ACP client that speaks both versions, starts an agent and takes one turn with it, as `ELENCHUS_*` says
    Client {
        /// The defect to seed in it
        #[arg(long, value_name = "ID")]
        fault: Option<String>,
        /// The command that starts its agent [default: the agent is on standard input and output]
        #[arg(last = true, value_name = "AGENT")]
        agent: Vec<OsString>,
    },
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::{Cli, Command};

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn run_is_the_default_command() {
        for line in [
            &["elenchus", "--target", "x"][..],
            &["elenchus", "run", "--target", "x"],
        ] {
            let cli = Cli::try_parse_from(line).expect("it parses");
            let args = match cli.command {
                Some(Command::Run(args)) => args,
                None => cli.run,
                other => panic!("{other:?}"),
            };
            assert_eq!(args.common.target.as_deref(), Some("x"));
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for line in [
            "elenchus run --target x --kind server",
            "elenchus run --target x --kind toaster",
            "elenchus run --target x --protocol acp-v9",
            "elenchus run --target x --timeout 0",
            "elenchus run --target x --timeout NaN",
            "elenchus run --target x --jobs 0",
            "elenchus run --target x --repeats 101",
            "elenchus run --target x --nonsense",
            "elenchus check",
            "elenchus list everything",
            "elenchus fuzz --target x --time 0",
            "elenchus fuzz --target x --time soon",
            "elenchus fuzz --target x --runs 0",
            "elenchus fuzz --target x --partition 4/4",
            "elenchus fuzz --target x --partition 1",
            "elenchus fuzz merge --out x",
            "elenchus fuzz merge x",
            "elenchus fuzz --target x merge --out x y",
            "elenchus replay --target x",
            "elenchus reference server",
            "elenchus --target x list faults",
        ] {
            assert!(Cli::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
    }

    #[test]
    fn lists_are_repeatable_and_comma_separated() {
        let line = "elenchus --target x --only a,b --only c --protocol acp-v1,acp-v2 -- --flag y";
        let cli = Cli::try_parse_from(line.split(' ')).expect("it parses");
        assert_eq!(cli.run.only, ["a", "b", "c"]);
        assert_eq!(cli.run.common.protocol.len(), 2);
        assert_eq!(cli.run.common.args, ["--flag", "y"]);
    }
}
