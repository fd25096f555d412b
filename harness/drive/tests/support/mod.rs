//! Targets that are a few lines of shell, and what they leave in a trace and on the machine.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use elenchus_drive::{Instance, Launch, Recording, Settings, instance::instances, perform_once};
use elenchus_protocol::Version;
use elenchus_suites::{Script, script::parse};
use elenchus_wire::{Event, EventKind, event::Asked};
use tempfile::TempDir;

/// A target that is these commands, with these paths in its environment.
pub(crate) fn shell_with(commands: &str, env: &[(&str, &Path)]) -> Launch {
    Launch::Command {
        argv: vec!["/bin/sh".into(), "-c".into(), commands.into()],
        env: env
            .iter()
            .map(|(name, path)| ((*name).to_owned(), path.display().to_string()))
            .collect(),
        cwd: None,
    }
}

/// Waits for what never comes are short; for what does come they are long.
pub(crate) fn settings() -> Settings {
    Settings {
        answer: Duration::from_millis(200),
        start: Duration::from_millis(400),
        expect: Duration::from_millis(200),
        goodbye: Duration::from_millis(200),
        max_trace: 100_000,
        ..Settings::default()
    }
}

/// A script of these steps.
pub(crate) fn script(steps: &str) -> Script {
    parse(
        "test",
        &format!("# A test.\ntarget agent\nversions 1\n\n{steps}\n"),
    )
    .unwrap_or_else(|error| panic!("{error}"))
}

/// What these steps record of a target.
pub(crate) fn perform(steps: &str, launch: &Launch, settings: &Settings) -> Recording {
    let script = script(steps);
    let instances: Vec<Instance<'_>> = instances(&script, Version::AcpV1, 1, true);
    perform_once(&instances[0], launch, settings, &[])
}

/// How the target ended: code, signal, and what had been done to make it.
pub(crate) fn exit(events: &[Event]) -> Option<(Option<i32>, Option<i32>, Asked)> {
    events.iter().find_map(|event| match event.kind {
        EventKind::Exit {
            code,
            signal,
            asked,
        } => Some((code, signal, asked)),
        _ => None,
    })
}

pub(crate) fn lives(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// The processes whose numbers a target wrote down.
pub(crate) fn written_down(file: &Path) -> Vec<u32> {
    let text = fs::read_to_string(file).expect("the target wrote numbers down");
    text.split_whitespace()
        .map(|pid| pid.parse().expect("a number"))
        .collect()
}

/// A file for the numbers of processes, and the folder that it vanishes with.
pub(crate) fn notebook() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pids");
    (folder, file)
}
