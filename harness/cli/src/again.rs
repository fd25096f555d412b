//! The commands that show something again, as they stand in reports.

use elenchus_drive::campaign::CONTROL;
use elenchus_protocol::Version;

use crate::{
    args::{Common, ReplayArgs, RunArgs},
    hidden,
    job::Job,
};

/// The command that performs a script of a run again.
pub(crate) fn of_run(
    args: &RunArgs,
    job: &Job,
    version: Version,
    script: &str,
    seed: u64,
) -> String {
    // Every run begins with the control run, and no script has its name.
    let only = (script != CONTROL).then(|| ["--only", script].map(str::to_owned));
    let mut words = vec![program()];
    words.extend(target(&args.common, job));
    words.extend(version_of(version));
    words.extend(only.into_iter().flatten());
    words.extend(rest(&args.common, seed, args.thorough, args.fresh));
    words.extend(target_args(&args.common));
    joined(&words)
}

/// The command that performs a script of a replay again.
pub(crate) fn of_replay(
    args: &ReplayArgs,
    job: &Job,
    version: Version,
    script: &str,
    seed: u64,
) -> String {
    let mut words = vec![program(), "replay".to_owned()];
    words.extend(target(&args.common, job));
    words.extend(version_of(version));
    words.extend(rest(&args.common, seed, args.thorough, false));
    if script == CONTROL {
        let files = args.files.iter();
        words.extend(files.map(|file| file.to_string_lossy().into_owned()));
    } else {
        // A script of a replay is named as its file.
        words.push(script.to_owned());
    }
    words.extend(target_args(&args.common));
    joined(&words)
}

/// The command that shows a finding of a campaign again, a word an item; its script is in this file.
pub(crate) fn of_finding(common: &Common, job: &Job, file: &str, seed: u64) -> Vec<String> {
    let mut words = vec![program(), "replay".to_owned()];
    words.extend(target(common, job));
    words.extend(rest(common, seed, false, false));
    words.push(file.to_owned());
    words.extend(target_args(common));
    hidden::words(&words)
}

/// This program, as it was called.
pub(crate) fn program() -> String {
    std::env::args()
        .next()
        .unwrap_or_else(|| "elenchus".to_owned())
}

/// How the target is started.
fn target(args: &Common, job: &Job) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(profile) = &job.profile {
        words.extend(["--profile".to_owned(), profile.display().to_string()]);
    }
    if let Some(target) = &args.target {
        words.extend(["--target".to_owned(), target.clone()]);
    }
    if let Some(kind) = args.kind {
        words.extend(["--kind", kind.name()].map(str::to_owned));
    }
    words
}

fn version_of(version: Version) -> [String; 2] {
    ["--protocol", version.name()].map(str::to_owned)
}

/// How it is tested.
fn rest(args: &Common, seed: u64, thorough: bool, fresh: bool) -> Vec<String> {
    let mut words = vec!["--seed".to_owned(), seed.to_string()];
    // The report that names this command stays as it is.
    words.extend(["--out", "elenchus-again"].map(str::to_owned));
    let flags = [
        (args.direct, "--direct"),
        (thorough, "--thorough"),
        (fresh, "--fresh"),
        (args.allow_logout, "--allow-logout"),
    ];
    words.extend(
        flags
            .into_iter()
            .filter(|(set, _)| *set)
            .map(|(_, flag)| flag.to_owned()),
    );
    if let Some(timeout) = args.timeout {
        words.extend(["--timeout".to_owned(), timeout.as_secs_f64().to_string()]);
    }
    if let Some(method) = &args.auth_method {
        words.extend(["--auth-method".to_owned(), method.clone()]);
    }
    words
}

fn target_args(args: &Common) -> Vec<String> {
    if args.args.is_empty() {
        return Vec::new();
    }
    let own = args
        .args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once("--".to_owned()).chain(own).collect()
}

/// A command as a shell takes it, without the secrets in it.
pub(crate) fn joined(words: &[String]) -> String {
    // An argument of a command line holds no NUL, the one character that cannot be quoted.
    let words = hidden::words(words);
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}
