//! How a target is started, and how long we wait for it.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use elenchus_suites::profile::Triggers;
use elenchus_wire::Side;

use crate::told::Told;

/// How the program under test is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// A process that speaks on its stdio.
    Command {
        /// The program and its arguments.
        argv: Vec<OsString>,
        /// Variables set besides the scrubbed environment.
        env: Vec<(String, String)>,
        /// The folder to start in; a scratch folder if none is given.
        cwd: Option<PathBuf>,
    },
    /// A process that is a client: it starts its agent itself, which is a relay to us, or speaks on its own stdio.
    Client {
        /// The program and its arguments. `{agent}` in them becomes the command line of its agent, and `{agent-path}` the
        /// path of a program that is its agent without arguments.
        argv: Vec<OsString>,
        /// Variables set besides the scrubbed environment.
        env: Vec<(String, String)>,
        /// The folder to start in; a scratch folder if none is given.
        cwd: Option<PathBuf>,
        /// What is started as `PROGRAM relay --to SOCKET`.
        relay: PathBuf,
        /// It starts no agent: it speaks on its own stdio.
        direct: bool,
        /// What is started in place of `argv` where this member of a script's `client` line has that value; of `answers`
        /// the value is a word for what all elicitations are answered with.
        others: Vec<(String, String, Vec<OsString>)>,
    },
    /// The reference agent inside this process, over in-memory pipes in virtual time.
    Memory {
        /// The fault seeded in it.
        fault: Option<String>,
    },
    /// The reference client, in the same way.
    MemoryClient {
        /// The fault seeded in it.
        fault: Option<String>,
    },
}

/// What a process is started with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<'l> {
    pub(crate) argv: &'l [OsString],
    pub(crate) env: &'l [(String, String)],
    pub(crate) cwd: Option<&'l PathBuf>,
    /// The program by which a client reaches us, or the browsers that it calls.
    pub(crate) relay: Option<&'l PathBuf>,
    /// It is talked to on its stdio.
    pub(crate) direct: bool,
    others: &'l [(String, String, Vec<OsString>)],
}

impl Start<'_> {
    /// The program and its arguments, for a client that is told this.
    pub(crate) fn told(mut self, told: &Told) -> Self {
        let mut others = self.others.iter();
        if let Some((.., argv)) = others.find(|(member, value, _)| told.says(member, value)) {
            self.argv = argv;
        }
        self
    }
}

impl Launch {
    /// The words for what all elicitations are answered with that there are commands for.
    pub(crate) fn answers(&self) -> impl Iterator<Item = &str> {
        let others = match self {
            Self::Client { others, .. } => others.as_slice(),
            _ => &[],
        };
        let answers = others.iter().filter(|(member, ..)| member == "answers");
        answers.map(|(_, value, _)| value.as_str())
    }

    /// The target is a client, and we are its agent.
    pub fn is_client(&self) -> bool {
        matches!(self, Self::Client { .. } | Self::MemoryClient { .. })
    }

    /// Which side of the wire the target is on.
    pub(crate) fn target(&self) -> Side {
        if self.is_client() {
            Side::Client
        } else {
            Side::Server
        }
    }

    /// The target is a peer of this program, inside this process.
    pub(crate) fn in_memory(&self) -> bool {
        matches!(self, Self::Memory { .. } | Self::MemoryClient { .. })
    }

    /// How the process of the target is started, if it has one.
    pub(crate) fn start(&self) -> Option<Start<'_>> {
        match self {
            Self::Command { argv, env, cwd } => Some(Start {
                argv,
                env,
                cwd: cwd.as_ref(),
                relay: None,
                direct: true,
                others: &[],
            }),
            Self::Client {
                argv,
                env,
                cwd,
                relay,
                direct,
                others,
            } => Some(Start {
                argv,
                env,
                cwd: cwd.as_ref(),
                relay: Some(relay),
                direct: *direct,
                others,
            }),
            Self::Memory { .. } | Self::MemoryClient { .. } => None,
        }
    }
}

/// Times and bounds. Windows are short (they can only miss findings), deadlines long (short ones invent them).
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long an answer that is owed may take.
    pub answer: Duration,
    /// How long the answer to the first `initialize` may take: a cold start.
    pub start: Duration,
    /// How long a request that a script expects, but that nobody owes, is waited for.
    pub expect: Duration,
    /// The shortest and longest quiet window after a fence.
    pub quiet: (Duration, Duration),
    /// How long the target may take to end after its stdin closed, and again after SIGTERM.
    pub goodbye: Duration,
    /// The longest line kept whole, in bytes.
    pub max_line: usize,
    /// The most bytes that one trace may hold.
    pub max_trace: usize,
    /// The target may be logged in and out.
    pub allow_logout: bool,
    /// Texts that nothing which is written may hold, besides what the names of variables tell.
    pub secrets: Vec<String>,
    /// How it is signed in before its first session: the id of a way that it offers.
    pub auth_method: Option<String>,
    /// What has the effect of the triggers of the vocabulary.
    pub triggers: Triggers,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(10),
            start: Duration::from_secs(60),
            expect: Duration::from_secs(5),
            quiet: (Duration::from_millis(1), Duration::from_millis(150)),
            goodbye: Duration::from_secs(2),
            max_line: elenchus_wire::frame::DEFAULT_MAX_LINE,
            max_trace: 4 * 1024 * 1024,
            allow_logout: false,
            auth_method: None,
            secrets: Vec::new(),
            triggers: Triggers::default(),
        }
    }
}
