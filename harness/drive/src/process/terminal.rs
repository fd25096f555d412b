//! A second try on a pseudo-terminal, for a target that says nothing over pipes: if it answers there, it is the pipes
//! that it does not like (TRANSPORT-009).

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read, Write},
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt, process::CommandExt},
    },
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use elenchus_wire::{Class, Framer, Message, Parsed};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, kill_process_group},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{OptionalActions, tcgetattr, tcsetattr},
};

use super::{
    scratch::Scratch,
    tree::{self, Living},
};
use crate::target::{Launch, Settings, Start};

/// The longest wait for its answer: it was given the full time over pipes before.
const LONGEST: Duration = Duration::from_secs(2);
/// A response is looked for in lines up to this length.
const MAX_LINE: usize = 64 * 1024;

/// Whether the command answers this request when its stdin and stdout are a terminal. Anything that goes wrong is a no.
pub(crate) fn answers(launch: &Launch, request: &str, settings: &Settings) -> bool {
    let Some(Start { argv, env, cwd, .. }) = launch.start() else {
        return false;
    };
    let [program, arguments @ ..] = argv else {
        return false;
    };
    let Ok(scratch) = Scratch::new(None) else {
        return false;
    };
    let mut command = Command::new(super::target::resolved(Path::new(program)));
    command
        .args(arguments)
        .env_clear()
        .envs(scratch.environment())
        .envs(env.iter().map(|(name, value)| (name, value)))
        .current_dir(cwd.cloned().unwrap_or_else(|| scratch.work()))
        .process_group(0)
        .stderr(Stdio::null());
    tree::become_reaper();
    let started = Living::start(
        || start(&mut command).map_err(|error| error.to_string()),
        |(_, child)| Pid::from_raw(child.id().try_into().ok()?),
    );
    let Ok(((mut ours, mut child), group, living)) = started else {
        return false;
    };
    let answered = ask(&mut ours, request, settings.answer.min(LONGEST)).unwrap_or(false);
    // An error means that it has ended by itself.
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
    drop(living);
    tree::sweep_orphans();
    answered
}

/// Starts the command on a terminal of its own that changes no byte on the way.
fn start(command: &mut Command) -> io::Result<(File, Child)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let theirs = OwnedFd::from(
        File::options()
            .read(true)
            .write(true)
            .open(OsStr::from_bytes(name.as_bytes()))?,
    );
    let mut attributes = tcgetattr(&theirs)?;
    attributes.make_raw();
    tcsetattr(&theirs, OptionalActions::Now, &attributes)?;
    let child = command.stdin(theirs.try_clone()?).stdout(theirs).spawn()?;
    Ok((File::from(ours), child))
}

/// Sends the request and looks for a response to it.
fn ask(terminal: &mut File, request: &str, time: Duration) -> io::Result<bool> {
    let until = Instant::now() + time;
    terminal.write_all(format!("{request}\n").as_bytes())?;
    let mut framer = Framer::new(MAX_LINE);
    let mut buffer = [0; 4096];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(1),
            tv_nsec: left.subsec_nanos().into(),
        };
        if left.is_zero()
            || poll(
                &mut [PollFd::new(&*terminal, PollFlags::IN)],
                Some(&timeout),
            )? == 0
        {
            return Ok(false);
        }
        let read = terminal.read(&mut buffer)?;
        if read == 0 {
            return Ok(false);
        }
        let mut answered = false;
        framer.push(&buffer[..read], |frame| {
            answered |= frame.text().is_some_and(
                |text| matches!(Message::parse(text), Parsed::Message(message) if message.class == Class::Response),
            );
        });
        if answered {
            return Ok(true);
        }
    }
}
