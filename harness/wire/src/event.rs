//! The event model: all that crossed the wire, and all that the harness intended and waited for.

use serde::{Deserialize, Serialize};

use crate::frame::Frame;

/// A side of the wire. The wire knows no more of who speaks than this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The side that sends `initialize`.
    Client,
    /// The side that answers it: an ACP agent, an MCP server.
    Server,
}

impl Side {
    /// The other end of the same wire.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    /// Its name in a trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

/// One entry of a trace.
///
/// Sent frames are recorded *before* the write and received frames at the read. So "received
/// before sent" proves that the target had not seen ours; the reverse proves nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Position in the trace, from 0, without gaps.
    pub seq: u64,
    /// Microseconds since the trace began. For people; no rule reads it.
    pub at_us: u64,
    /// The connection that this belongs to, from 0.
    pub conn: u32,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A connection to the target was made; for stdio, the target's process was started.
    Open {
        /// Which side the target is on.
        target: Side,
    },
    /// A frame crossed the wire.
    Frame {
        /// Who sent it.
        from: Side,
        /// The frame.
        frame: Frame,
    },
    /// The target wrote this to its standard error (bounded; for people, no rule reads it).
    Stderr {
        /// The text, lossily decoded.
        text: String,
    },
    /// A side closed its direction: our side closed the target's stdin, or the target its stdout.
    Eof {
        /// Who closed.
        from: Side,
    },
    /// The target's process ended.
    Exit {
        /// The exit code, if it exited by itself.
        code: Option<i32>,
        /// The signal that ended it, if one did.
        signal: Option<i32>,
        /// What we had done to make it end.
        asked: Asked,
    },
    /// What the harness intended at this point.
    Mark(Mark),
    /// The fence was answered and the quiet window after it passed: what the target had to say
    /// to everything before the fence, it has said.
    Settled {
        /// The id text of the fence request.
        fence: String,
    },
    /// The fence was not answered, or the target never fell quiet.
    Unsettled {
        /// The id text of the fence request.
        fence: String,
    },
    /// A wait of the harness ended without what it waited for.
    Deadline {
        /// For what.
        wait: Wait,
        /// How long it had waited, in milliseconds.
        ms: u64,
    },
    /// The target opened this URL for a person: a browser that the harness put in its place was started with it, or a
    /// reference client said so.
    Opened {
        /// The URL, as it was given to the browser.
        url: String,
    },
    /// Somebody fetched this URL from the harness's own web server.
    Fetched {
        /// The whole URL.
        url: String,
    },
    /// The harness stopped recording, because the target sent more than a trace may hold.
    Limit {
        /// Bytes recorded so far.
        bytes: u64,
    },
    /// The script is over; nothing follows on this or any connection.
    End,
    /// An event of a kind that this version does not know; read from a newer trace and kept out of judgement.
    Unknown {
        /// The kind's name; for a mark, a premise or a wait of an unknown kind, both names.
        name: String,
    },
}

/// What we had done when the target's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// Nothing: it ended on its own while we were talking to it.
    Nothing,
    /// Its stdin was closed.
    Close,
    /// It was sent SIGTERM after it ignored the close.
    Terminate,
    /// It was sent SIGKILL after it ignored SIGTERM.
    Kill,
}

/// What the harness intended. Marks stand in the trace before the frames that they are about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mark", rename_all = "kebab-case")]
pub enum Mark {
    /// The script reached a step; for people and for evidence.
    Step {
        /// Its line in the script, from 1.
        line: u32,
    },
    /// The next frame of ours makes the target do something that the vocabulary names.
    Trigger {
        /// The vocabulary's command without its arguments: `/elicit form`.
        name: String,
        /// The id text of the request that carries it.
        request: String,
        /// The prompt is another one, which its author says has the same effect: how the target answers, and when, the
        /// vocabulary does not say.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        own_words: bool,
    },
    /// Known from a control run before this trace.
    Premise(Premise),
    /// The process on this connection has served other scripts before. The frames from here to the first request for a
    /// session are a copy of how it began.
    Shared {
        /// How many scripts.
        served: u32,
    },
    /// The next frame of ours is a fence: no rule but the JSON-RPC ones looks at it or its answer.
    Fence {
        /// The id text of the request.
        id: String,
    },
    /// The arms of a race are written now, in this order.
    Race {
        /// Indices of the script's arms, in the order of writing.
        order: Vec<u32>,
        /// Microseconds between them; `None` for one write.
        gap_us: Option<u64>,
    },
    /// The next frame of ours is malformed on purpose.
    Malformed,
    /// A person opens the page of a URL elicitation now.
    Visit {
        /// The id text of the elicitation's request.
        request: String,
    },
    /// The next frame of ours does not leave in a write of its own: it is cut into several, or shares one with others.
    Chunked,
    /// The target was started with this variable in its environment, which tells a client what to do. Stands behind the
    /// event that opened the connection.
    Told {
        /// The variable's name.
        name: String,
        /// Its value.
        value: String,
    },
    /// The script gave up here: a step's precondition failed. What is owed after this is not judged.
    Stopped {
        /// Why, for people.
        reason: String,
    },
    /// A target that the script wanted there did or did not come so far. Once for each, behind all else.
    Milestone {
        /// How far.
        to: Milestone,
        /// What happened instead, for people; `None` if it came there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missed: Option<String>,
    },
    /// The page that was opened shows a planted credential to whoever opens it.
    Shown {
        /// The id text of the elicitation.
        request: String,
    },
    /// A credential was typed into the page of a URL elicitation, and the target was given what the page took.
    Typed {
        /// The id text of the elicitation.
        request: String,
    },
    /// A frame of the target holds a planted text. The text itself is hidden in the recording.
    Leak {
        /// The frame's event.
        frame: u64,
        /// What was planted.
        planted: Planted,
        /// How it was wrapped, in a word or two: `raw`, `in base64`.
        encoding: String,
        /// It stands in the URL of a URL elicitation.
        in_url: bool,
    },
}

/// What any target has to do before it can be tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Milestone {
    /// It opened a session.
    Session,
    /// It ended a turn, and not with an error.
    Turn,
}

/// What the harness planted to see whether it crosses the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Planted {
    /// A credential that was typed into a page, or that the page gave for it.
    Typed,
    /// A credential in the target's environment.
    Credential,
    /// The name or the e-mail address of the user, in the target's environment and settings.
    Person,
}

/// A thing known from a control run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "premise", rename_all = "kebab-case")]
pub enum Premise {
    /// With everything advertised, this trigger makes the target elicit in this mode.
    Elicits {
        /// The trigger's name.
        trigger: String,
        /// `form` or `url`.
        mode: String,
    },
    /// The target speaks this protocol version: declared by the operator or seen in its traffic.
    Speaks {
        /// The version number of `initialize`.
        version: u16,
    },
    /// The target was asked for every version that the harness knows; those not named by `Speaks` it does not speak.
    AllVersionsProbed,
    /// With everything advertised and nothing made hard, it opened no session.
    OpensNoSession,
    /// With everything advertised and nothing made hard, no turn of it ended.
    EndsNoTurn,
    /// The same command answers `initialize` when it is given a terminal, and not over pipes.
    AnswersOnTerminalOnly,
    /// The client was seen to do what this variable of its environment tells it.
    Heeds {
        /// The variable's name.
        variable: String,
    },
}

/// The subject of a wait.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "kebab-case")]
pub enum Wait {
    /// The answer to a request of ours.
    Answer {
        /// The id text of the request.
        id: String,
    },
    /// The end of the turn that a prompt of ours started.
    TurnEnd {
        /// The id text of the prompt.
        id: String,
    },
    /// A request from the target that the script expected; the target does not owe it.
    Request {
        /// Its method.
        method: String,
    },
    /// The end of the target's process.
    Exit,
}

/// The names of all [`Mark`]s. A reader tells by them a mark that is newer than it from a broken one.
pub(crate) const MARKS: [&str; 15] = [
    "step",
    "trigger",
    "premise",
    "shared",
    "fence",
    "race",
    "malformed",
    "visit",
    "chunked",
    "told",
    "stopped",
    "milestone",
    "shown",
    "typed",
    "leak",
];

/// The names of all [`Premise`]s.
pub(crate) const PREMISES: [&str; 7] = [
    "elicits",
    "speaks",
    "all-versions-probed",
    "opens-no-session",
    "ends-no-turn",
    "answers-on-terminal-only",
    "heeds",
];

/// The names of all [`Wait`]s.
pub(crate) const WAITS: [&str; 4] = ["answer", "turn-end", "request", "exit"];
