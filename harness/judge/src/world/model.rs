//! The things that a world is made of.

use std::collections::{BTreeMap, BTreeSet};

use elenchus_protocol::{
    Problem, Version,
    acp::{
        elicitation::{Answer, CapabilityShape, Create, Support},
        initialize::{AgentFeatures, InitFault},
    },
    url_inspect::Finding,
};
use elenchus_wire::{
    Class, Id, IdKey, Side,
    event::{Asked, Planted},
};
use serde_json::Value;

use super::shown::Shown;

/// The envelope of the newest frame on a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Who sent it.
    pub from: Side,
    /// What it is, if it is a JSON object at all.
    pub class: Option<Class>,
    /// `jsonrpc` stands there with the exact value "2.0".
    pub version_ok: bool,
    /// A member `id` stands there, whatever its type.
    pub has_id: bool,
    /// The method, if it is a string.
    pub method: Option<String>,
    /// A member `method` stands there, whatever its type.
    pub has_method: bool,
    /// What kind of value params is.
    pub params: ParamsKind,
    /// A member `result` stands there.
    pub has_result: bool,
    /// A member `error` stands there.
    pub has_error: bool,
    /// The frame holds a character outside ASCII.
    pub non_ascii: bool,
    /// The frame holds a raw U+2028, U+2029, U+0085, or a lone CR between tokens.
    pub separators: bool,
    /// It ended with a line end.
    pub terminated: bool,
    /// It may be a part of a value over several lines; whether it is, or noise, is told when that is known.
    pub held: bool,
    /// Every reader takes it for a message.
    pub well_formed: bool,
}

/// What kind of value `params` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamsKind {
    /// No such member.
    Absent,
    /// `null`.
    Null,
    /// An object.
    Object,
    /// An array.
    Array,
    /// A scalar.
    Scalar,
}

/// A request in either direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Who sent it.
    pub from: Side,
    /// The event that carried it.
    pub seq: u64,
    /// When, in microseconds.
    pub at_us: u64,
    /// The id, as exact text.
    pub id: Id,
    /// What the id means.
    pub key: IdKey,
    /// The method.
    pub method: String,
    /// The params, parsed, for methods that a protocol defines. Where those of a connection add up to too much, the
    /// newest are gone with the next frame.
    pub params: Option<Value>,
    /// The line, shortened and safe to print.
    pub text: String,
    /// The answers, in order.
    pub answers: Vec<Answered>,
    /// It is a fence of the harness.
    pub fence: bool,
    /// An outstanding request of the same side had the same id when this one was sent: its index.
    pub reuses: Option<usize>,
    /// When the sender asked to cancel it with `$/cancel_request`.
    pub cancel_asked: Option<u64>,
    /// How often it did.
    pub cancels: u32,
    /// For `elicitation/create`: what it asks.
    pub elicitation: Option<Box<Elicitation>>,
    /// The turn that it belongs to: the one a prompt starts, or the one that was open when an elicitation came.
    pub turn: Option<usize>,
    /// The trigger that was announced for it.
    pub trigger: Option<usize>,
    /// When a wait for its answer ended in vain.
    pub overdue: Option<u64>,
    /// How long that wait was, in microseconds.
    pub waited_us: u64,
    /// Every reader takes it for a request.
    pub well_formed: bool,
    /// A careless line splitter takes it for several.
    pub separators: bool,
    /// How its bytes were written, where that is a trial for readers.
    pub written: Written,
    /// The number of frames that its sender had sent when it was sent, itself included.
    pub ordinal: u64,
}

impl Request {
    /// It has no answer yet.
    pub fn is_open(&self) -> bool {
        self.answers.is_empty()
    }

    /// Its first answer.
    pub fn answer(&self) -> Option<&Answered> {
        self.answers.first()
    }

    /// The result of its first answer.
    pub fn result(&self) -> Option<&Value> {
        self.answer().and_then(|answer| answer.result.as_ref())
    }

    /// The error code of its first answer.
    pub fn error_code(&self) -> Option<i64> {
        self.answer().and_then(|answer| answer.error_code)
    }
}

/// How the bytes of a message were written, apart from what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// With CR LF, after an empty line, or with white space around it.
    pub padded: bool,
    /// Not in a write of its own.
    pub chunked: bool,
    /// The length of the line in bytes.
    pub length: usize,
}

/// A frame of our side that is no message as the protocol has them, or one that is hard to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Odd {
    /// The event that carried it.
    pub seq: u64,
    /// What is odd about it.
    pub kind: OddKind,
    /// Its id as exact text, if one can be read.
    pub id: Option<String>,
    /// Nothing before it that not every reader takes for a message may still have an effect: the target had settled since.
    pub alone: bool,
    /// How many responses that answer no request the target has sent since, or answers to what was answered already.
    pub answers: u32,
}

/// What is odd about a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OddKind {
    /// It is no JSON.
    NotJson,
    /// It is not UTF-8.
    NotUtf8,
    /// JSON, and no message.
    NoMessage,
    /// An array.
    Batch,
    /// A message with members that stand twice, nested deep, with text that is no Unicode, or behind a byte order mark.
    Strange,
}

/// An answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The event that carried it.
    pub seq: u64,
    /// The id as exact text.
    pub id: String,
    /// `result`, parsed for methods that a protocol defines (absent for an error). Kept as long as params are.
    pub result: Option<Value>,
    /// It has a member `error` that is not null.
    pub is_error: bool,
    /// `error.code`, if it is an integer.
    pub error_code: Option<i64>,
    /// `error` is one as JSON-RPC has it: an object with an integer for a code and a text for a message.
    pub error_whole: bool,
    /// `error.data`. Kept as long as params are.
    pub error_data: Option<Value>,
    /// The line, shortened and safe to print.
    pub text: String,
    /// Its line has an end.
    pub terminated: bool,
}

/// What an `elicitation/create` asks, and what our side made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Elicitation {
    /// The request as read.
    pub create: Create,
    /// What our side had advertised when it came.
    pub support: Support,
    /// `initialize` had been answered when it came.
    pub initialized: bool,
    /// Our answer, if it is a result.
    pub answer: Option<Answer>,
    /// Whether an accepted form's content fits the form: false if some violation stands in it.
    pub fits: bool,
    /// What its URL is, in URL mode.
    pub link: Option<Link>,
    /// When our side first opened its page.
    pub visited: Option<u64>,
    /// When the target was given what was typed into its page.
    pub typed: Option<u64>,
}

/// The URL of a URL elicitation, as inspected.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// What is wrong with it, or odd.
    pub findings: Vec<Finding>,
    /// Its scheme is `https`.
    pub https: bool,
    /// It leads to a page on this machine.
    pub loopback: bool,
    /// The recording has nothing but a marker in its place.
    pub hidden: bool,
}

/// A planted text that crossed the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// The event of the frame that held it.
    pub frame: u64,
    /// What was planted.
    pub planted: Planted,
    /// How it was wrapped, in a word.
    pub encoding: String,
    /// It stood in the URL of a URL elicitation.
    pub in_url: bool,
}

/// A notification in either direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// Who sent it.
    pub from: Side,
    /// The event that carried it.
    pub seq: u64,
    /// The method.
    pub method: String,
    /// The params, parsed, for methods that a protocol defines; until the next frame.
    pub params: Option<Value>,
    /// For `session/update`: what is remembered of it.
    pub told: Option<Box<Told>>,
}

/// What is remembered of a `session/update`; all texts are bounded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// The session.
    pub session: String,
    /// `sessionUpdate`.
    pub kind: String,
    /// The id of the message, tool call or terminal that it is about.
    pub id: Option<String>,
    /// The state of a `state_update`, the status of a tool call.
    pub state: Option<String>,
    /// The background work that a `state_update` lists.
    pub background: Option<Vec<String>>,
    /// The text of a message of the user.
    pub said: Option<String>,
    /// That message has more than this text.
    pub more: bool,
}

/// A response that answers nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Orphan {
    /// Who sent it.
    pub from: Side,
    /// The event that carried it.
    pub seq: u64,
    /// The id as exact text, if there is one.
    pub id: Option<String>,
    /// It is an error.
    pub is_error: bool,
    /// `error.code`, if it is an integer.
    pub error_code: Option<i64>,
    /// The open request of the other side whose id it resembles: the same text in another JSON type, or the same
    /// number rounded.
    pub near: Option<usize>,
    /// The only request of the other side that was open, if it was one.
    pub only: Option<usize>,
    /// The requests of the other side that were open, up to [`Orphan::MAX_OPEN`]; until the next frame.
    pub open: Vec<usize>,
}

impl Orphan {
    /// The most open requests that are listed.
    pub const MAX_OPEN: usize = 64;
}

/// What `initialize` established.
#[derive(Debug, Clone, PartialEq)]
pub struct Init {
    /// The request.
    pub request: Option<usize>,
    /// The version that the client asked for, if it is a number in range.
    pub requested: Option<u16>,
    /// The version number in the result, if it is one in range.
    pub answered: Option<u16>,
    /// The version that both follow now, if Elenchus speaks it.
    pub negotiated: Option<Version>,
    /// The elicitation modes that the client advertised.
    pub support: Support,
    /// The shape in which it did.
    pub shape: CapabilityShape,
    /// What the agent announced.
    pub features: Option<AgentFeatures>,
    /// What is wrong with the result, by the shape of the version that the connection follows.
    pub problems: Vec<Problem<InitFault>>,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// It was created, loaded, resumed or announced on this connection (or asked for, and not yet answered).
    pub known: bool,
    /// Ids of tool calls reported in it.
    pub tool_calls: BTreeSet<String>,
    /// The title of each tool call, and the event that first gave it.
    pub titles: BTreeMap<String, u64>,
    /// The newest foreground state (v2).
    pub state: Option<String>,
    /// What is known of each tool call.
    pub calls: BTreeMap<String, Call>,
    /// The tool calls that the newest list of background work names (v2); none if there never was such a list.
    pub background: Option<Vec<String>>,
    /// The event that first named background work of it (v2).
    pub background_since: Option<u64>,
    /// What was shown in it beside words.
    pub shown: Shown,
    /// The event that first announced it as the child of another session (v2).
    pub announced: Option<u64>,
}

/// What updates have told of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The event that first told of it.
    pub first: u64,
    /// The newest that did.
    pub newest: u64,
    /// The newest turn that was open when it was told of.
    pub turn: Option<usize>,
    /// Its newest status.
    pub status: Option<String>,
    /// The status that it had before the newest update.
    pub before: Option<String>,
    /// Its newest title, or the beginning of it.
    pub title: Option<String>,
    /// How it was begun once more after it was over, the last time that this happened.
    pub again: Option<Again>,
}

/// A tool call that was over began once more: it was told as a new one, or with a status that is not final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Again {
    /// The event.
    pub seq: u64,
    /// It was given another title than it had.
    pub retitled: bool,
    /// Its status said that it was still to be done.
    pub open: bool,
}

impl Call {
    /// Nothing goes on in it any more.
    pub fn is_over(&self) -> bool {
        is_final(self.status.as_deref())
    }

    /// Nothing went on in it any more before the newest update.
    pub fn was_over(&self) -> bool {
        is_final(self.before.as_deref())
    }
}

fn is_final(status: Option<&str>) -> bool {
    matches!(status, Some("completed" | "failed" | "cancelled"))
}

/// One prompt turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The prompt.
    pub request: usize,
    /// The session.
    pub session: String,
    /// The text of the first text block.
    pub prompt: String,
    /// The trigger's name, if the prompt is one.
    pub trigger: Option<String>,
    /// The trigger that the prompt stands for in words of the target's author: it has the effect, and nothing else that
    /// the vocabulary says holds for it.
    pub stands_for: Option<String>,
    /// Agent messages by message id (v1: one without), in order of their first piece; bounded.
    pub messages: Vec<(Option<String>, String)>,
    /// How much of the bound on messages is used up.
    pub(crate) weight: usize,
    /// The elicitations that belong to it.
    pub elicitations: Vec<usize>,
    /// Our first `session/cancel` for it.
    pub cancelled: Option<u64>,
    /// How many of those there were before its end.
    pub cancels: u32,
    /// `running` was reported since it began (v2).
    pub running: bool,
    /// How it ended.
    pub ended: Option<TurnEnd>,
}

impl Turn {
    /// By the words of the vocabulary it goes on until it is cancelled, or its page visited, whatever is answered.
    pub fn outlasts_answers(&self) -> bool {
        matches!(self.trigger.as_deref(), Some("/hold" | "/elicit url-wait"))
    }

    /// What the agent said in it.
    pub fn report(&self) -> String {
        let texts: Vec<&str> = self
            .messages
            .iter()
            .map(|(_, text)| text.trim())
            .filter(|text| !text.is_empty())
            .collect();
        texts.join("\n")
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEnd {
    /// The event.
    pub seq: u64,
    /// The stop reason, if one was given.
    pub stop_reason: Option<String>,
    /// The prompt was answered with this error.
    pub error: Option<i64>,
}

/// A trigger that the harness announced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceTrigger {
    /// The vocabulary's command.
    pub name: String,
    /// The id text of the request that carries it.
    pub request_id: String,
    /// The prompt is another one of the same effect.
    pub own_words: bool,
    /// The request, once it was sent.
    pub request: Option<usize>,
}

/// How the target's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// The event.
    pub seq: u64,
    /// The exit code.
    pub code: Option<i32>,
    /// The signal.
    pub signal: Option<i32>,
    /// What we had done to make it end.
    pub asked: Asked,
}

impl Exit {
    /// How it ended, if we had done nothing to make it end.
    pub fn unasked(&self) -> Option<String> {
        if self.asked != Asked::Nothing {
            return None;
        }
        Some(match (self.code, self.signal) {
            (Some(code), _) => format!("the process exited with code {code}"),
            (None, Some(signal)) => format!("the process was ended by signal {signal}"),
            (None, None) => "the process ended".to_owned(),
        })
    }
}
