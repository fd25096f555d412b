//! What a run is about: what the flags say, and what the profile says where they say nothing.

use std::{
    collections::BTreeSet,
    env, io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use elenchus_drive::{Launch, Settings};
use elenchus_protocol::Version;
use elenchus_reports::builder::Kind;
use elenchus_suites::{
    Profile, Suite,
    profile::{self, Attestation},
    script,
};

use crate::{
    args::Common,
    failure::{Failure, note},
    limits, read, suite,
    target::Target,
};

/// A run, as far as it is about the target.
#[derive(Debug)]
pub(crate) struct Job {
    /// What is tested.
    pub(crate) target: Target,
    /// The versions that it claims to speak, each once, oldest first; none are named where it is asked.
    pub(crate) protocol: Vec<Version>,
    /// Times, bounds and what is known of the target.
    pub(crate) settings: Settings,
    /// How many scripts run at a time.
    pub(crate) jobs: usize,
    /// What people state of it.
    pub(crate) attestations: Vec<Attestation>,
    /// The profile that was read, as the operator would name it.
    pub(crate) profile: Option<PathBuf>,
}

impl Job {
    /// Merges the flags with the profile, if there is one; with room for what only thorough runs send.
    pub(crate) fn of(args: &Common, thorough: bool) -> Result<Self, Failure> {
        let Some((path, profile)) = find(args)? else {
            let Some(target) = &args.target else {
                return Err(
                    Failure::usage("there is nothing to test: no --target was given, and there is no elenchus.toml here")
                        .hint("write --target ./my-agent, or --target reference:agent to see the program work")
                        .hint("or write a profile with `elenchus init`"),
                );
            };
            let target = Target::read(target, &args.args)?.of_kind(args.kind, args.direct)?;
            return Self::merged(args, thorough, target, Profile::default(), None);
        };
        let folder = folder(&path);
        let said = args.kind.or(profile.kind.map(|kind| match kind {
            script::Target::Client => Kind::Client,
            _ => Kind::Agent,
        }));
        let mut target = match (&args.target, &profile.command) {
            (Some(target), _) => Target::read(target, &args.args)?.of_kind(said, args.direct)?,
            (None, Some(command)) => {
                let name = path.display().to_string();
                Target::of_profile(command, &args.args, &folder)
                    .and_then(|target| target.of_kind(said, args.direct || profile.direct))
                    .map_err(|failure| failure.hint(format!("it is the `command` of {name}")))?
            }
            (None, None) => {
                return Err(Failure::usage(format!(
                    "{} does not say how the target is started",
                    path.display()
                ))
                .hint("write command = \"./my-agent\" into it, or --target ./my-agent here"));
            }
        };
        if args.target.is_none() {
            for (member, value, command) in &profile.commands {
                target
                    .add_command(member, value, command, &folder)
                    .map_err(|failure| {
                        let name = path.display();
                        failure.hint(format!(
                            "it is `{member}={value}` in the commands of {name}"
                        ))
                    })?;
            }
        }
        let passed = surround(&mut target, &profile, &folder, &path)?;
        warn_of_ruled(&profile, &path);
        let mut job = Self::merged(args, thorough, target, profile, Some(path))?;
        job.settings.secrets.extend(passed);
        Ok(job)
    }

    /// The versions to try.
    pub(crate) fn versions(&self) -> Vec<Version> {
        if self.protocol.is_empty() {
            Version::ALL.to_vec()
        } else {
            self.protocol.clone()
        }
    }

    fn merged(
        args: &Common,
        thorough: bool,
        target: Target,
        profile: Profile,
        path: Option<PathBuf>,
    ) -> Result<Self, Failure> {
        let declared = profile
            .protocol
            .iter()
            .filter_map(|&number| Version::from_number(number));
        let protocol: BTreeSet<Version> = if args.protocol.is_empty() {
            declared.collect()
        } else {
            args.protocol.iter().copied().collect()
        };
        let mut settings = args
            .timeout
            .or(profile.timeout)
            .map_or_else(Settings::default, scaled);
        if let (None, Some(start)) = (args.timeout, profile.start_timeout) {
            settings.start = start;
        }
        // The reference agent has no login that anyone could lose.
        settings.allow_logout = args.allow_logout || profile.allow_logout || target.is_reference();
        settings.auth_method = args.auth_method.clone().or(profile.auth_method);
        settings.triggers = profile.triggers;
        if thorough {
            settings.max_line = LONG_LINE;
            settings.max_trace = LONG_TRACE;
        }
        settings.secrets = target.secrets();
        let jobs = args
            .jobs
            .or(profile.jobs)
            .map_or_else(default_jobs, NonZeroUsize::get);
        Ok(Self {
            target,
            protocol: protocol.into_iter().collect(),
            settings,
            jobs: limits::fitting(jobs)?,
            attestations: profile.attestations,
            profile: path,
        })
    }
}

/// The profile that the operator named, or the one that lies in the current folder.
fn find(args: &Common) -> Result<Option<(PathBuf, Profile)>, Failure> {
    if let Some(path) = &args.profile {
        return Ok(Some((path.clone(), read(path)?)));
    }
    let path = Path::new(profile::FILE);
    // What lies here describes another target than the reference agent.
    let reference = args
        .target
        .as_deref()
        .is_some_and(|target| target.starts_with("reference:"));
    if reference || !path.exists() {
        return Ok(None);
    }
    let profile = read(path)?;
    note(&format!("{} was read", path.display()));
    Ok(Some((path.to_owned(), profile)))
}

/// What the profile in the current folder, if there is one, says that the target is, and what people state of it.
pub(crate) fn stated() -> Result<(Option<script::Target>, Vec<Attestation>), Failure> {
    let path = Path::new(profile::FILE);
    if !path.exists() {
        return Ok((None, Vec::new()));
    }
    let profile = read(path)?;
    Ok((profile.kind, profile.attestations))
}

/// The longest profile, in bytes.
const LONGEST: u64 = 1024 * 1024;

fn read(path: &Path) -> Result<Profile, Failure> {
    let name = path.display().to_string();
    let text = read::text(path, LONGEST).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::usage(format!("there is no {name}"))
            .hint(format!("write one with `elenchus init --profile {name}`")),
        io::ErrorKind::InvalidData => Failure::usage(format!("{name} is not UTF-8")),
        _ => Failure::usage(format!("cannot read {name}: {error}")),
    })?;
    profile::parse(&name, &text, &Suite::embedded().catalogue).map_err(|error| {
        let caret = error.caret();
        let (what, place) = caret.split_once('\n').unwrap_or((&caret, ""));
        place.lines().fold(Failure::usage(what), Failure::hint)
    })
}

/// The folder in which a file lies.
fn folder(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.parent().map(Path::to_owned).unwrap_or_default()
}

/// Gives the target the folder and the variables that the profile has for it. The values that it takes over from our own
/// environment come back: nothing that is written may hold them, whatever their names.
fn surround(
    target: &mut Target,
    profile: &Profile,
    folder: &Path,
    path: &Path,
) -> Result<Vec<String>, Failure> {
    let (Launch::Command { env, cwd, .. } | Launch::Client { env, cwd, .. }) = &mut target.launch
    else {
        return Ok(Vec::new());
    };
    let mut passed = Vec::new();
    if let Some(named) = &profile.cwd {
        let named = folder.join(named);
        if !named.is_dir() {
            return Err(Failure::usage(format!(
                "{}: the folder {} to start the target in is not there",
                path.display(),
                named.display()
            ))
            .hint("`cwd` is relative to the folder of the profile"));
        }
        *cwd = Some(named);
    }
    for name in &profile.pass_env {
        let value = env::var(name).map_err(|_| {
            Failure::usage(format!(
                "{} passes on the variable {name}, which is not set",
                path.display()
            ))
            .hint(format!(
                "write {name}=... before the command, or take it out of `pass-env`"
            ))
        })?;
        if !is_public(name) {
            passed.push(value.clone());
        }
        env.push((name.clone(), value));
    }
    env.extend(profile.env.iter().cloned());
    Ok(passed)
}

/// A variable of this name tells where and how a program runs, and opens no door. Its value stands in what is said of
/// files and folders, which no rule could judge without it.
pub(crate) fn is_public(name: &str) -> bool {
    const PUBLIC: [&str; 15] = [
        "PWD", "OLDPWD", "HOME", "PATH", "TMPDIR", "SHELL", "TERM", "TZ", "LANG", "LANGUAGE",
        "USER", "LOGNAME", "DISPLAY", "EDITOR", "PAGER",
    ];
    PUBLIC.contains(&name) || name.starts_with("LC_") || name.starts_with("XDG_")
}

/// A statement does not count where a rule looks.
fn warn_of_ruled(profile: &Profile, path: &Path) {
    let catalogue = &Suite::embedded().catalogue;
    for attestation in &profile.attestations {
        if catalogue
            .get(&attestation.requirement)
            .is_some_and(suite::has_rule)
        {
            note(&format!(
                "{}:{}: a rule judges {}, so what a person states of it does not count",
                path.display(),
                attestation.line,
                attestation.requirement
            ));
        }
    }
}

/// Conversations wait more than they compute; but each job may be two processes of a target that needs much.
fn default_jobs() -> usize {
    thread::available_parallelism().map_or(2, |cores| cores.get() * 2)
}

/// What a thorough run takes in: its longest message has 16 MiB, and comes back twice.
const LONG_LINE: usize = 20 * 1024 * 1024;
const LONG_TRACE: usize = 128 * 1024 * 1024;

/// Settings for a target that may take this long to answer. Windows grow with it and never shrink: they follow what is
/// measured.
fn scaled(answer: Duration) -> Settings {
    let usual = Settings::default();
    let factor = answer.as_secs_f64() / usual.answer.as_secs_f64();
    Settings {
        answer,
        start: usual.start.mul_f64(factor),
        expect: usual.expect.mul_f64(factor),
        quiet: (usual.quiet.0, usual.quiet.1.mul_f64(factor.max(1.0))),
        goodbye: usual.goodbye.mul_f64(factor.max(1.0)),
        ..usual
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_scaled_with_the_timeout_and_windows_never_shrink() {
        let usual = Settings::default();
        let slow = scaled(usual.answer * 3);
        assert_eq!(
            (slow.start, slow.expect, slow.quiet.1),
            (usual.start * 3, usual.expect * 3, usual.quiet.1 * 3)
        );
        let fast = scaled(Duration::from_secs(1));
        assert_eq!(
            (fast.answer, fast.quiet, fast.goodbye),
            (Duration::from_secs(1), usual.quiet, usual.goodbye)
        );
    }
}
