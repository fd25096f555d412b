//! One process under test: its pipes, its group, and its end.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    pin::{Pin, pin},
    process::{ExitStatus, Stdio},
    rc::Rc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use std::os::unix::process::ExitStatusExt;

use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process_group},
};
use tokio::{
    io::{AsyncRead, ReadBuf},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

use super::{
    link::Door,
    outgoing::Outgoing,
    scratch::Scratch,
    tree::{self, Living, Seen},
};
use crate::{
    target::Start,
    told::Told,
    wires::{Exit, Incoming, Rung},
};

/// The variable by which what a target leaves behind is known again.
const MARK: &str = "ELENCHUS_TARGET";
/// So many reads of one pipe in a row, before others have their turn.
const READS: usize = 4;
/// How long the pipes of a process that has ended are listened to, should something that we cannot find hold them open.
const AFTER_END: Duration = Duration::from_millis(200);
/// How long the relays of a client that has ended may take to pass on what it wrote last. They end by themselves then, in
/// no time, but on a machine that is busy; only what the client has left behind with their pipes makes them stay.
const AFTER_RELAYS: Duration = Duration::from_secs(2);
/// How long the end of stdout is kept back for the end of the process, which mostly comes with it: so that a target
/// that died is not taken for one that closed its stdout.
const AFTER_EOF: Duration = Duration::from_millis(100);

/// A running process, with all that is below it. Dropping it ends everything.
pub(super) struct Target {
    child: Child,
    leader: Pid,
    /// Until it has ended.
    living: Option<Living>,
    /// Keeps the folder for as long as anything lives in it.
    _scratch: Rc<Scratch>,
    mark: OsString,
    stdin: Outgoing<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// Its stdout is not read for now.
    held: bool,
    seen: Vec<Seen>,
    eof: Option<Instant>,
    eof_told: bool,
    /// Its status, if the system still knows it, and when it was seen to have ended.
    ended: Option<(Option<ExitStatus>, Instant)>,
    /// What it has left behind was ended.
    swept: bool,
    last_look: bool,
    over: bool,
}

impl Target {
    /// Starts it. Has to be called within a runtime. A client that starts its agent is not talked to on its stdin. The
    /// error is a reason for people.
    pub(super) fn start(
        start: Start<'_>,
        scratch: &Rc<Scratch>,
        door: Option<&Door>,
        told: &Told,
    ) -> Result<Self, String> {
        let Start {
            argv,
            env,
            cwd,
            direct,
            ..
        } = start;
        let [program, arguments @ ..] = argv else {
            return Err("the command is empty".to_owned());
        };
        let cwd = cwd.cloned().unwrap_or_else(|| scratch.work());
        if !cwd.is_dir() {
            return Err(format!(
                "the folder {} to start in does not exist",
                cwd.display()
            ));
        }
        tree::become_reaper();
        let mark = scratch.mark();
        let mut command = Command::new(resolved(Path::new(program)));
        command
            .args(arguments.iter().map(|argument| match door {
                Some(door) => door.argument(argument),
                None => argument.clone(),
            }))
            .env_clear()
            .envs(scratch.environment())
            .env(MARK, &mark)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .envs(told.0.iter().map(|(name, value)| (name, value)))
            .current_dir(&cwd)
            .process_group(0)
            .stdin(if direct {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(door) = door {
            let named = env.iter().rfind(|(name, _)| name == "PATH");
            let path = named.map(|(_, path)| OsString::from(path));
            let path = path
                .or_else(|| std::env::var_os("PATH"))
                .unwrap_or_default();
            command.envs(door.environment(&path));
        }
        let start = || {
            let started = command.spawn();
            started.map_err(|error| explained(Path::new(program), env, &error))
        };
        let (mut child, leader, living) =
            Living::start(start, |child| Pid::from_raw(child.id()?.try_into().ok()?))?;
        Ok(Self {
            stdin: Outgoing::new(child.stdin.take()),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child,
            leader,
            living: Some(living),
            _scratch: Rc::clone(scratch),
            mark,
            swept: false,
            held: false,
            seen: Vec::new(),
            eof: None,
            eof_told: false,
            ended: None,
            last_look: false,
            over: false,
        })
    }

    /// Everything about it has been told.
    pub(super) fn over(&self) -> bool {
        self.over
    }

    /// Appends to what is to be written.
    pub(super) fn enqueue(&mut self, bytes: &[u8]) {
        self.stdin.enqueue(bytes);
    }

    /// How many bytes are still to be written.
    pub(super) fn queued(&self) -> usize {
        self.stdin.len()
    }

    /// Stops or goes on reading its stdout. What it has left behind at its end is read in any case: a pipe holds little.
    pub(super) fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Its process was seen to have ended.
    pub(super) fn ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Closes its stdin once everything is written.
    pub(super) fn close(&mut self) {
        self.stdin.close();
        self.look_below();
    }

    /// Notes who is below it, while that can still be seen.
    fn look_below(&mut self) {
        if self.ended.is_none() {
            for seen in tree::below(self.leader) {
                if !self.seen.contains(&seen) {
                    self.seen.push(seen);
                }
            }
        }
    }

    /// Ends what it has left behind, once it has ended itself.
    fn sweep(&mut self) {
        self.swept = true;
        tree::sweep(self.leader, &self.seen, &self.mark);
        self.living = None;
        tree::sweep_strangers();
    }

    /// How many bytes of memory the process holds, without those below it.
    pub(super) fn resident(&self) -> Option<u64> {
        self.ended
            .is_none()
            .then(|| tree::resident(self.leader))
            .flatten()
    }

    /// Sends a signal to the whole group.
    pub(super) fn signal(&mut self, rung: Rung) {
        self.look_below();
        // Once the leader is reaped, its number may belong to someone else.
        if self.ended.is_none() {
            let signal = match rung {
                Rung::Terminate => Signal::TERM,
                Rung::Kill => Signal::KILL,
            };
            // An error means that it is ending right now.
            let _ = kill_process_group(self.leader, signal);
        }
        if rung == Rung::Kill {
            self.stdin.drop_pipe();
        }
    }

    /// Writes what the pipe takes.
    pub(super) fn poll_write(&mut self, context: &mut Context<'_>) {
        self.stdin.poll(context);
    }

    /// Moves everything on. True if something came in; otherwise the context is woken when something does. `linked` says
    /// that its relays are still connected: then they are given the time to pass on what it wrote last.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
        linked: bool,
        intake: &mut dyn FnMut(Incoming<'_>),
    ) -> bool {
        if self.over {
            return false;
        }
        self.poll_write(context);
        let mut news = false;
        let held = self.held && !self.ended();
        if !held
            && read(&mut self.stdout, context, buffer, &mut |bytes| {
                news = true;
                intake(Incoming::Stdout(bytes));
            })
        {
            self.eof = Some(Instant::now());
        }
        read(&mut self.stderr, context, buffer, &mut |bytes| {
            news = true;
            intake(Incoming::Stderr(bytes));
        });
        let status = match self.ended {
            Some(_) => Poll::Pending,
            None => pin!(self.child.wait()).poll(context),
        };
        if let Poll::Ready(status) = status {
            // An error means that somebody else has reaped it: it has ended all the same.
            self.ended = Some((status.ok(), Instant::now()));
        }
        let waits = |at: Instant| linked && at.elapsed() < AFTER_RELAYS;
        if !self.swept && self.ended.is_some_and(|(_, at)| !waits(at)) {
            // What is left below it would hold the pipes open. Nobody is there any more to speak for.
            self.sweep();
            // The end of the pipes may have come while we looked: ask again.
            context.waker().wake_by_ref();
        }
        let ended = self.ended.is_some();
        if !self.eof_told
            && self
                .eof
                .is_some_and(|at| ended || at.elapsed() >= AFTER_EOF)
        {
            self.eof_told = true;
            news = true;
            intake(Incoming::Eof);
        }
        if let Some((status, at)) = self.ended.filter(|_| self.swept) {
            let drained = self.stdout.is_none() && self.stderr.is_none();
            if drained || self.last_look {
                self.over = true;
                self.stdin.drop_pipe();
                self.stdout = None;
                self.stderr = None;
                news = true;
                intake(Incoming::Exit(Exit {
                    code: status.and_then(|status| status.code()),
                    signal: status.and_then(|status| status.signal()),
                }));
            } else if at.elapsed() >= AFTER_END {
                // We may have been away for so long ourselves: the system is asked once more.
                self.last_look = true;
                context.waker().wake_by_ref();
            }
        }
        news
    }

    /// When to look again even if nothing wakes us.
    pub(super) fn look_again(&self) -> Option<Instant> {
        let after_end = self
            .ended
            .filter(|_| !self.over)
            .map(|(_, at)| at + if self.swept { AFTER_END } else { AFTER_RELAYS });
        let after_eof = self.eof.filter(|_| !self.eof_told).map(|at| at + AFTER_EOF);
        [after_end, after_eof].into_iter().flatten().min()
    }
}

/// Reads what is there. True if the pipe ended.
pub(super) fn read<R: AsyncRead + Unpin>(
    pipe: &mut Option<R>,
    context: &mut Context<'_>,
    buffer: &mut [u8],
    take: &mut dyn FnMut(&[u8]),
) -> bool {
    for turn in 0..READS {
        let Some(open) = pipe else { return false };
        let mut piece = ReadBuf::new(buffer);
        match Pin::new(open).poll_read(context, &mut piece) {
            Poll::Ready(Ok(())) if !piece.filled().is_empty() => take(piece.filled()),
            // An error on reading a pipe is its end.
            Poll::Ready(_) => {
                *pipe = None;
                return true;
            }
            Poll::Pending => return false,
        }
        if turn + 1 == READS {
            context.waker().wake_by_ref();
        }
    }
    false
}

/// The target is started in another folder: a path has to mean the same there.
pub(super) fn resolved(program: &Path) -> PathBuf {
    if program.components().count() > 1 {
        std::path::absolute(program).unwrap_or_else(|_| program.to_owned())
    } else {
        program.to_owned()
    }
}

fn explained(program: &Path, env: &[(String, String)], error: &io::Error) -> String {
    let name = program.display();
    if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) {
        return format!(
            "`{name}` cannot be executed: it lacks a `#!` line, or it is built for another machine"
        );
    }
    match error.kind() {
        // The system says the same of a program that is not there and of one whose interpreter is not.
        io::ErrorKind::NotFound => match located(program, env) {
            None => format!("there is no program `{name}`"),
            Some(found) => match interpreter(&found) {
                Some(interpreter) => format!(
                    "the interpreter of `{name}` is missing: its first line names `{interpreter}`"
                ),
                None => format!(
                    "the loader that `{name}` needs is missing: it is built for another system"
                ),
            },
        },
        io::ErrorKind::PermissionDenied => format!("`{name}` is not executable"),
        _ => format!("`{name}` could not be started: {error}"),
    }
}

/// Where the program is, if it is a file: by itself, or in a folder of the path that the target gets.
fn located(program: &Path, env: &[(String, String)]) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return Some(resolved(program)).filter(|program| program.is_file());
    }
    let path = env
        .iter()
        .rfind(|(name, _)| name == "PATH")
        .map(|(_, path)| OsString::from(path))
        .or_else(|| std::env::var_os("PATH"))?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|program| program.is_file())
}

/// What the `#!` line of a script names, safe to print.
fn interpreter(program: &Path) -> Option<String> {
    /// No system reads more of such a line.
    const LONGEST: u64 = 256;
    let mut head = Vec::new();
    File::open(program)
        .ok()?
        .take(LONGEST)
        .read_to_end(&mut head)
        .ok()?;
    let line = head
        .strip_prefix(b"#!")?
        .split(|&byte| byte == b'\n')
        .next()?;
    let line = String::from_utf8_lossy(line);
    // Not white space of every kind: a carriage return belongs to the name, and is why it is not found.
    let name = line.trim_matches([' ', '\t']).split([' ', '\t']).next()?;
    Some(name.escape_debug().to_string())
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.swept {
            return;
        }
        if self.ended.is_none() {
            self.signal(Rung::Kill);
            tree::wait_for_end(self.leader);
            // Reaps it; what could not be reaped now, the runtime's queue of orphans takes.
            let _ = self.child.try_wait();
        }
        self.sweep();
    }
}
