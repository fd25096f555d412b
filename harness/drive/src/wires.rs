//! The connections of one instance, as the interpreter sees them: bytes in both directions, and a clock.
//!
//! Two things are behind it: processes in real time, and the reference peers of this program in virtual time. The
//! clock belongs to the wires, so that virtual time never runs with a real process.

use std::{fmt, time::Duration};

use elenchus_suites::script::AgentExit;

use crate::{page::Seen, told::Told};

/// What came from a target.
#[derive(Debug)]
pub(crate) enum Incoming<'b> {
    /// Bytes of its stdout.
    Stdout(&'b [u8]),
    /// Bytes of its stderr.
    Stderr(&'b [u8]),
    /// Its stdout ended.
    Eof,
    /// Its process ended, and everything that it had written came before this.
    Exit(Exit),
    /// A visit to a page ended: what was seen there, or why there was nothing.
    Visited(Result<Seen, String>),
    /// A client has connected to us, by this connection or, if nobody knows its number, by one more.
    Joined,
    /// The target opened this URL for a person.
    Opened(String),
    /// Somebody who is not us fetched this URL from our own site.
    Fetched(String),
    /// The target fetched from our own site what it gives after a credential was typed in.
    Yielded,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit {
    /// The exit code, if it exited by itself.
    pub(crate) code: Option<i32>,
    /// The signal that ended it, if one did.
    pub(crate) signal: Option<i32>,
}

impl Exit {
    /// The exit code of a program that has done what it was there for.
    pub(crate) const SUCCESS: Self = Self {
        code: Some(0),
        signal: None,
    };
}

impl From<AgentExit> for Exit {
    fn from(how: AgentExit) -> Self {
        match how {
            AgentExit::Code(code) => Self {
                code: Some(code.into()),
                signal: None,
            },
            AgentExit::Signal(signal) => Self {
                code: None,
                signal: Some(signal.number),
            },
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "the target exited with code {code}"),
            (None, Some(signal)) => write!(f, "the target was ended by signal {signal}"),
            (None, None) => f.write_str("the target ended"),
        }
    }
}

/// A target that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Opened {
    /// The number of its connection.
    pub(crate) number: u32,
    /// It can be talked to. Otherwise [`Incoming::Joined`] tells when.
    pub(crate) joined: bool,
}

/// Takes what comes in, with the time and the number of the connection.
pub(crate) type Intake<'a> = &'a mut dyn FnMut(Duration, u32, Incoming<'_>);

/// Why a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Woke {
    /// Something came in.
    News,
    /// The time passed.
    Time,
    /// The person at the keyboard, or the system, wants this program to stop. Told once.
    Interrupted,
}

/// A signal of the shutdown ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rung {
    /// SIGTERM.
    Terminate,
    /// SIGKILL.
    Kill,
}

/// The connections of one instance. Numbers of connections count from 0 in the order of opening.
pub(crate) trait Wires {
    /// The time since the trace began.
    fn now(&self) -> Duration;

    /// This program kept the conversation waiting for so long: that is nobody's time. Virtual time has not passed.
    fn postpone(&mut self, _time: Duration) {}

    /// The folder that a session is told to work in.
    fn cwd(&self) -> String;

    /// Another folder that exists, with a folder `inner`. The error is a reason for people.
    fn elsewhere(&self) -> Result<String, String>;

    /// Removes a file that a client was made to write.
    fn remove_file(&mut self, _path: &str) {}

    /// Starts a target, with these variables besides its environment. The error is a reason for people.
    fn open(&mut self, told: &Told) -> Result<Opened, String>;

    /// Writes. What the target does not take at once goes out during later waits: nothing blocks here.
    fn write(&mut self, conn: u32, bytes: &[u8]);

    /// How many bytes are still to be written.
    fn queued(&self, conn: u32) -> usize;

    /// Stops reading what the target writes to its stdout, or goes on with it, until the target has ended.
    fn hold(&mut self, conn: u32, held: bool);

    /// Closes the target's stdin after everything written so far: what a client reads from its agent ends.
    fn shut(&mut self, conn: u32);

    /// The agent that a client has started ends like this, after everything written so far. A client in memory, and one
    /// that speaks on its own stdio, has none that could.
    fn end_agent(&mut self, _conn: u32, _exit: Exit) {}

    /// Leaves the only target, with all that it has written and read, to the next instance. What cannot be kept ends
    /// with these wires.
    fn keep(&mut self) {}

    /// How many bytes of memory the processes of the targets hold, where the system tells.
    fn resident(&self) -> Option<u64> {
        None
    }

    /// Sends a signal to all that the target consists of.
    fn signal(&mut self, conn: u32, rung: Rung);

    /// The address of our own site, which asks for a credential. It is there from the first call on; none if there can
    /// be no site.
    fn site(&mut self) -> Option<String>;

    /// Opens a page as a person's browser would, and perhaps types this into it; the outcome comes in as
    /// [`Incoming::Visited`].
    fn visit(&mut self, conn: u32, url: &str, typing: Option<&'static str>);

    /// Waits until something came in, or until this time. A time in the past takes what is there already.
    fn wait(&mut self, until: Duration, intake: Intake<'_>) -> Woke;
}
