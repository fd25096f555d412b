//! From `--target` to something that can be started, checked as far as it can be before anything runs.

use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use elenchus_drive::{Launch, relay};
use elenchus_fixtures::stdio::{self, NoClient};
use elenchus_reports::builder::Kind;
use elenchus_suites::profile::Command;

use crate::{args::RelayArgs, failure::Failure, hidden, near::near, suite};

/// A target that can be started.
#[derive(Debug)]
pub(crate) struct Target {
    /// What it is.
    pub(crate) kind: Kind,
    /// How it is started.
    pub(crate) launch: Launch,
    /// How it is started, as the operator wrote it.
    pub(crate) command: Vec<String>,
}

/// Where a command was written, for what is said of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Flag,
    Profile,
}

impl Written {
    fn name(self) -> &'static str {
        match self {
            Self::Flag => "--target",
            Self::Profile => "command",
        }
    }

    /// How a command is written there.
    fn example(self, command: &str) -> String {
        match self {
            Self::Flag if command.contains(' ') => format!("--target '{command}'"),
            Self::Flag => format!("--target {command}"),
            Self::Profile => format!("command = \"{command}\""),
        }
    }
}

impl Target {
    /// It is a reference peer of this program.
    pub(crate) fn is_reference(&self) -> bool {
        self.command
            .first()
            .is_some_and(|first| first.starts_with("reference:"))
    }

    /// The secrets that its commands hold.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let mut secrets = hidden::secrets(&self.command);
        if let Launch::Client { others, .. } = &self.launch {
            for (_, _, argv) in others {
                let words: Vec<String> = argv
                    .iter()
                    .map(|word| word.to_string_lossy().into_owned())
                    .collect();
                secrets.extend(hidden::secrets(&words));
            }
        }
        secrets
    }

    /// Something in what is shown of its command stands for a secret.
    pub(crate) fn has_secrets(&self) -> bool {
        hidden::words(&self.command) != self.command
    }

    /// Reads `--target` and the arguments after `--`.
    pub(crate) fn read(target: &str, args: &[OsString]) -> Result<Self, Failure> {
        hidden::complete(target)?;
        let here = env::current_dir().unwrap_or_default();
        Self::of_line(target, args, &here, Written::Flag)
    }

    /// Reads the `command` of a profile; paths are relative to its folder.
    pub(crate) fn of_profile(
        command: &Command,
        args: &[OsString],
        folder: &Path,
    ) -> Result<Self, Failure> {
        match command {
            Command::Line(line) => Self::of_line(line, args, folder, Written::Profile),
            Command::Words(words) => {
                Self::command(words, &words.join(" "), args, folder, Written::Profile)
            }
        }
    }

    fn of_line(
        line: &str,
        args: &[OsString],
        folder: &Path,
        written: Written,
    ) -> Result<Self, Failure> {
        if let Some(("reference", peer)) = line.split_once(':') {
            return Self::reference(line, peer, args);
        }
        let name = written.name();
        let words = shlex::split(line).ok_or_else(|| {
            Failure::usage(format!(
                "{name} {line}: a quote or a backslash is left open"
            ))
            .hint(match written {
                Written::Flag => {
                    "quote the command as for a shell, as in --target \"node 'my agent.mjs'\""
                }
                Written::Profile => {
                    "quote the command as for a shell, as in command = \"node 'my agent.mjs'\""
                }
            })
        })?;
        Self::command(&words, line, args, folder, written)
    }

    fn reference(target: &str, peer: &str, args: &[OsString]) -> Result<Self, Failure> {
        let (peer, query) = peer
            .split_once('?')
            .map_or((peer, None), |(peer, query)| (peer, Some(query)));
        let kinds = [Kind::Agent, Kind::Client];
        let Some(kind) = kinds.into_iter().find(|kind| kind.name() == peer) else {
            return Err(
                Failure::usage(format!("there is no reference peer `{peer}`")).hint(
                    "there are reference:agent and reference:client, and either with ?fault=ID",
                ),
            );
        };
        if !args.is_empty() {
            return Err(Failure::usage(format!(
                "the reference {peer} takes no arguments after `--`"
            )));
        }
        let exe = this_program()?;
        let mut argv = vec![
            exe.clone().into_os_string(),
            "reference".into(),
            peer.into(),
        ];
        if let Some(query) = query {
            let Some(fault) = query.strip_prefix("fault=") else {
                return Err(Failure::usage(format!(
                    "`{query}` says nothing to the reference {peer}"
                ))
                .hint(format!("write reference:{peer}?fault=ID")));
            };
            known_fault(kind, fault)?;
            argv.extend(["--fault".into(), fault.into()]);
        }
        let (env, cwd) = (Vec::new(), None);
        Ok(Self {
            kind,
            launch: match kind {
                Kind::Agent => Launch::Command { argv, env, cwd },
                Kind::Client => Launch::Client {
                    argv,
                    env,
                    cwd,
                    relay: exe,
                    direct: true,
                    others: Vec::new(),
                },
            },
            command: vec![target.to_owned()],
        })
    }

    /// The target as what the operator says that it is, or as what its command says.
    pub(crate) fn of_kind(self, said: Option<Kind>, direct: bool) -> Result<Self, Failure> {
        if self.is_reference() {
            return match said.filter(|said| *said != self.kind) {
                Some(said) => Err(Failure::usage(format!(
                    "{} is no {}",
                    self.command.join(" "),
                    said.name()
                ))),
                None => Ok(self),
            };
        }
        let named = self
            .command
            .iter()
            .skip(1)
            .any(|word| word.contains("{agent}") || word.contains("{agent-path}"));
        let kind = said.unwrap_or(if named || direct {
            Kind::Client
        } else {
            Kind::Agent
        });
        match kind {
            Kind::Agent if named => Err(Failure::usage(
                "the command names an agent, and the target is said to be one",
            )
            .hint("a command with {agent} or {agent-path} starts a client: --kind client")),
            Kind::Agent if direct => Err(Failure::usage(
                "--direct concerns clients, and the target is said to be an agent",
            )),
            Kind::Client if named && direct => Err(Failure::usage(
                "the command names an agent, and --direct says that the client starts none",
            )),
            Kind::Client if !named && !direct => Err(Failure::usage(
                "the command does not say where the client is told its agent",
            )
            .hint("{agent} becomes the command line of one: --target 'my-client --agent {agent}'")
            .hint("{agent-path} becomes a program that is one without arguments")
            .hint("--direct is for a client that speaks on its own standard input and output")),
            Kind::Agent => Ok(self),
            Kind::Client => self.into_client(direct),
        }
    }

    /// Has it started by another command where this member of a script's `client` line has that value.
    pub(crate) fn add_command(
        &mut self,
        member: &str,
        value: &str,
        command: &Command,
        folder: &Path,
    ) -> Result<(), Failure> {
        let Launch::Client { direct, others, .. } = &mut self.launch else {
            return Err(Failure::usage("other commands are for clients"));
        };
        let other = Self::of_profile(command, &[], folder)?.of_kind(Some(Kind::Client), *direct)?;
        if let Launch::Client { argv, .. } = other.launch {
            others.push((member.to_owned(), value.to_owned(), argv));
        }
        Ok(())
    }

    fn into_client(self, direct: bool) -> Result<Self, Failure> {
        let launch = match self.launch {
            Launch::Command { argv, env, cwd } => Launch::Client {
                argv,
                env,
                cwd,
                relay: this_program()?,
                direct,
                others: Vec::new(),
            },
            other => other,
        };
        Ok(Self {
            kind: Kind::Client,
            launch,
            command: self.command,
        })
    }

    fn command(
        words: &[String],
        line: &str,
        args: &[OsString],
        folder: &Path,
        written: Written,
    ) -> Result<Self, Failure> {
        let Some((program, rest)) = words.split_first() else {
            return Err(
                Failure::usage(format!("{} is empty", written.name())).hint(format!(
                    "write {}, or {}",
                    written.example("./my-agent"),
                    written.example("reference:agent")
                )),
            );
        };
        let mut argv = vec![find(program, line, folder, written)?.into_os_string()];
        argv.extend(rest.iter().map(OsString::from));
        argv.extend(args.iter().cloned());
        let mut command = words.to_vec();
        command.extend(args.iter().map(|arg| arg.to_string_lossy().into_owned()));
        // Arguments may name files relative to where the command was written.
        Ok(Self {
            kind: Kind::Agent,
            launch: Launch::Command {
                argv,
                env: Vec::new(),
                cwd: Some(folder.to_owned()),
            },
            command,
        })
    }
}

/// The file of a program, as a shell would find it that was started in the folder.
fn find(program: &str, target: &str, folder: &Path, written: Written) -> Result<PathBuf, Failure> {
    if program.contains('/') {
        let path = folder.join(program);
        return match executable(&path) {
            Found::Yes => Ok(std::path::absolute(&path).unwrap_or(path)),
            Found::NotExecutable => Err(not_executable(program, written)),
            Found::Folder => Err(Failure::target(format!("the target {program} is a folder"))
                .hint("name the program in it that is to be tested")),
            Found::No if executable(&folder.join(target)) == Found::Yes => {
                let failure = Failure::target(format!(
                    "the target {program} is not there, but `{target}` is"
                ));
                Err(match written {
                    Written::Flag => {
                        failure.hint(format!("quote it twice: --target \"'{target}'\""))
                    }
                    Written::Profile => failure.hint(format!("write command = [\"{target}\"]")),
                })
            }
            Found::No => Err(
                Failure::target(format!("the target {program} is not there")).hint(match written {
                    Written::Flag => "check the path; it is taken from the current folder",
                    Written::Profile => {
                        "check the path; it is taken from the folder of the profile"
                    }
                }),
            ),
        };
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut inexecutable = None;
    for folder in env::split_paths(&path) {
        let file = folder.join(program);
        match executable(&file) {
            Found::Yes => return Ok(std::path::absolute(&file).unwrap_or(file)),
            Found::NotExecutable => inexecutable = Some(file),
            Found::Folder | Found::No => {}
        }
    }
    if let Some(file) = inexecutable {
        return Err(not_executable(&file.to_string_lossy(), written));
    }
    let failure = Failure::target(format!("the target `{program}` is not on PATH"));
    let near = written.example(&format!("./{program}"));
    Err(match executable(&folder.join(program)) {
        Found::Yes => failure.hint(format!("there is one in the current folder: write {near}")),
        Found::NotExecutable => failure.hint(format!(
            "there is a file of that name in the current folder: write `chmod +x {program}`, then {near}"
        )),
        Found::Folder | Found::No => failure.hint(format!(
            "write a path, as in {}, or install the program",
            written.example("./my-agent")
        )),
    })
}

fn not_executable(program: &str, written: Written) -> Failure {
    let failure = Failure::target(format!("the target {program} is not executable"));
    let interpreter = match Path::new(program)
        .extension()
        .and_then(|ending| ending.to_str())
    {
        Some("py") => Some("python3"),
        Some("js" | "mjs" | "cjs") => Some("node"),
        Some("sh") => Some("sh"),
        _ => None,
    };
    let failure = failure.hint(format!("if it is a program, write `chmod +x {program}`"));
    match interpreter {
        Some(interpreter) => failure.hint(format!(
            "or name what runs it: {}",
            written.example(&format!("{interpreter} {program}"))
        )),
        None => failure,
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Found {
    Yes,
    NotExecutable,
    Folder,
    No,
}

fn executable(path: &Path) -> Found {
    match fs::metadata(path) {
        Err(_) => Found::No,
        Ok(data) if data.is_dir() => Found::Folder,
        Ok(data) if data.permissions().mode() & 0o111 == 0 => Found::NotExecutable,
        Ok(_) => Found::Yes,
    }
}

/// The file of this program, which is also what stands in for a client's agent.
fn this_program() -> Result<PathBuf, Failure> {
    env::current_exe()
        .map_err(|error| Failure::usage(format!("cannot find the file of this program: {error}")))
}

fn known_fault(kind: Kind, id: &str) -> Result<(), Failure> {
    if suite::faults_of(kind).any(|fault| fault.id == id) {
        return Ok(());
    }
    Err(
        Failure::usage(format!("the reference {} has no fault `{id}`", kind.name()))
            .did_you_mean(&near(id, suite::faults_of(kind).map(|fault| fault.id)))
            .hint("`elenchus list faults` shows all"),
    )
}

/// Stands in for the agent of a client, until either of them ends, and ends as the agent does.
pub(crate) fn relay(args: &RelayArgs) -> Result<ExitCode, Failure> {
    let done = if args.opened.is_empty() {
        relay::relay(&args.to)
    } else {
        relay::tell_opened(&args.to, &args.opened).map(|()| ExitCode::SUCCESS)
    };
    match done {
        Ok(code) => Ok(code),
        Err(error) => Err(Failure::usage(format!("{}: {error}", args.to.display()))
            .hint("a run starts this command; its socket ends with it")),
    }
}

/// Is the reference agent, until it exits.
pub(crate) fn reference_agent(fault: Option<&str>) -> Result<ExitCode, Failure> {
    if let Some(id) = fault {
        known_fault(Kind::Agent, id)?;
    }
    stdio::run_agent(fault).map_err(|unknown| Failure::usage(unknown.to_string()))
}

/// Is the reference client, until it exits.
pub(crate) fn reference_client(
    fault: Option<&str>,
    agent: &[OsString],
) -> Result<ExitCode, Failure> {
    if let Some(id) = fault {
        known_fault(Kind::Client, id)?;
    }
    stdio::run_client(fault, agent).map_err(|error| match &error {
        NoClient::Fault(_) => Failure::usage(error.to_string()),
        NoClient::Agent { source, .. } => Failure::usage(format!("{error}: {source}")),
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::Target;
    use elenchus_drive::Launch;
    use elenchus_reports::builder::Kind;

    #[test]
    fn a_command_is_read_as_a_shell_reads_it() {
        let target =
            Target::read("/bin/sh -c 'exit 3'", &[OsString::from("last")]).expect("sh is there");
        assert_eq!(target.command, ["/bin/sh", "-c", "exit 3", "last"]);
        let Launch::Command { argv, .. } = target.launch else {
            panic!("a command")
        };
        assert_eq!(argv, ["/bin/sh", "-c", "exit 3", "last"]);
    }

    #[test]
    fn a_program_without_a_slash_is_found_on_the_path() {
        let target = Target::read("sh", &[]).expect("sh is there");
        let Launch::Command { argv, .. } = target.launch else {
            panic!("a command")
        };
        assert!(std::path::Path::new(&argv[0]).is_absolute());
        assert_eq!(target.command, ["sh"]);
    }

    #[test]
    fn what_cannot_be_started_is_told_before_anything_runs() {
        for (target, what, hint) in [
            ("", "is empty", "reference:agent"),
            ("'open", "left open", "quote the command"),
            ("./no-such-thing", "is not there", "check the path"),
            ("no-such-thing-anywhere", "is not on PATH", "write a path"),
            ("/", "is a folder", "name the program"),
            ("reference:toaster", "no reference peer", "reference:agent"),
            ("reference:agent?colour=red", "says nothing", "fault=ID"),
            ("reference:client?colour=red", "says nothing", "fault=ID"),
        ] {
            let failure = Target::read(target, &[]).expect_err(target).to_string();
            assert!(
                failure.contains(what) && failure.contains(hint),
                "{target}: {failure}"
            );
        }
    }

    #[test]
    fn a_command_that_names_its_agent_is_that_of_a_client() {
        let read = |line: &str| Target::read(line, &[]).expect("sh is there");
        for (line, said, direct, kind) in [
            ("sh x", None, false, Kind::Agent),
            ("sh {agent}", None, false, Kind::Client),
            ("sh --agent={agent-path}", None, false, Kind::Client),
            ("sh x", None, true, Kind::Client),
            ("sh x", Some(Kind::Client), true, Kind::Client),
            ("reference:client", None, false, Kind::Client),
            ("reference:client", Some(Kind::Client), true, Kind::Client),
        ] {
            let target = read(line).of_kind(said, direct).expect(line);
            assert_eq!(target.kind, kind, "{line}");
            assert_eq!(target.launch.is_client(), kind == Kind::Client, "{line}");
        }
        for (line, said, direct, what) in [
            ("sh x", Some(Kind::Client), false, "--direct"),
            ("sh {agent}", Some(Kind::Agent), false, "--kind client"),
            ("sh {agent}", None, true, "starts none"),
            ("sh x", Some(Kind::Agent), true, "concerns clients"),
            ("reference:agent", Some(Kind::Client), false, "is no client"),
        ] {
            let failure = read(line).of_kind(said, direct).expect_err(line);
            assert!(failure.to_string().contains(what), "{line}: {failure}");
        }
    }
}
