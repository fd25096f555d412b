//! Facts: what an event means, one meaningful change each; and the moment at which a rule looks at one.

use std::cell::OnceCell;

use elenchus_protocol::acp::{
    methods,
    shapes::{self, Mismatch, Part, Strays},
};
use elenchus_wire::{Event, EventKind, FrameDefect, Side, Wait};
use serde_json::Value;

use crate::{
    rule::Subject,
    rules::{content::Place, secret::Hit},
    text,
    world::{Conn, Line, Request, Turn, World, member},
};

/// One meaningful change on a connection. Indices are into the connection's lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The connection was made.
    Opened,
    /// A frame crossed the wire; what it was stands in [`Conn::line`].
    Line(Side),
    /// Something is wrong with the frame at hand.
    Defect(Side, FrameDefect),
    /// Lines of the target that are no messages and did not add up to one: an index into [`Conn::noise`].
    Noise(usize),
    /// So many lines of the target only together formed one JSON value.
    Split {
        /// The event of the first.
        first: u64,
        /// How many lines.
        lines: u32,
    },
    /// A side sent a request.
    Requested(usize),
    /// A side sent a notification.
    Notified(usize),
    /// A request was answered, for the nth time (from 1).
    Answered {
        /// The request.
        request: usize,
        /// From 1.
        nth: u32,
    },
    /// A response that answers no request.
    Orphan(usize),
    /// A prompt of the client was sent.
    TurnStarted(usize),
    /// A turn is over.
    TurnEnded(usize),
    /// The harness is about to make the target do something: an index into [`Conn::triggers`].
    Triggered(usize),
    /// A person opens the page of this elicitation.
    Visited(usize),
    /// The page of this elicitation shows a planted credential to whoever opens it.
    Shown(usize),
    /// The target was given what was typed into the page of this elicitation.
    Typed(usize),
    /// A planted text crossed the wire: an index into [`Conn::leaks`].
    Leaked(usize),
    /// The target has said what it had to say to everything sent so far.
    Settled,
    /// The target opened a URL for a person; which one stands in the event.
    UrlOpened,
    /// A URL of the harness's own web server was fetched; which one stands in the event.
    UrlFetched,
    /// A wait ended without what it waited for.
    Deadline(Wait),
    /// A side closed its direction.
    Closed(Side),
    /// The target's process ended; how stands in [`Conn::exit`].
    Exited,
    /// The script gave up.
    Stopped,
    /// The trace is over.
    Ended,
}

/// A rule's view of one fact.
pub struct Moment<'a> {
    /// Everything so far, this event included.
    pub world: &'a World,
    /// The connection that the fact is about.
    pub conn: &'a Conn,
    /// The fact.
    pub fact: &'a Fact,
    /// The event behind it.
    pub event: &'a Event,
    /// The side that is judged.
    pub judged: Side,
    /// The session update that the agent sends at this fact: its kind, and its params.
    pub(crate) update: Option<(&'a str, &'a Value)>,
    pub(crate) checked: &'a Checked,
}

/// What a message says: params, or the result of a first answer.
#[derive(Debug, Clone, Copy)]
pub struct Payload<'a> {
    /// Who sent it.
    pub from: Side,
    /// The method, also of a result.
    pub method: &'a str,
    /// Which of the two it is.
    pub part: Part,
    /// The params or the result; null if there are none, or they were not looked into.
    pub value: &'a Value,
}

/// What the shapes, and the words of a form, say of the payload at a fact: several rules ask, and it is looked up once.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// The fields of the form at hand that ask for secrets.
    pub(crate) secrets: OnceCell<Vec<Hit>>,
    /// Where the message at hand has blocks of content.
    pub(crate) blocks: OnceCell<Vec<Place>>,
    mismatches: OnceCell<(Vec<Mismatch>, Vec<Mismatch>)>,
    strays: OnceCell<Strays>,
}

impl<'a> Moment<'a> {
    /// What [`Moment::update`] is at a fact: many rules ask, and it is looked up once.
    pub(crate) fn update_in(conn: &'a Conn, fact: &Fact) -> Option<(&'a str, &'a Value)> {
        let Fact::Notified(index) = fact else {
            return None;
        };
        let notification = &conn.notifications[*index];
        if notification.from != Side::Server || notification.method != methods::SESSION_UPDATE {
            return None;
        }
        let params = notification.params.as_ref()?;
        let kind = member(member(params, "update")?, "sessionUpdate")?;
        Some((kind.as_str()?, params))
    }

    /// The request, if this is the judged side sending one (fences excluded).
    pub fn requested(&self) -> Option<(usize, &'a Request)> {
        match self.fact {
            Fact::Requested(index) => {
                let request = &self.conn.requests[*index];
                (request.from == self.judged && !request.fence).then_some((*index, request))
            }
            _ => None,
        }
    }

    /// The request, if this is the other side sending one to the judged side (fences excluded).
    pub fn asked(&self) -> Option<(usize, &'a Request)> {
        self.received().filter(|(_, request)| !request.fence)
    }

    /// The request, if this is the other side sending one to the judged side (fences included).
    pub fn received(&self) -> Option<(usize, &'a Request)> {
        match self.fact {
            Fact::Requested(index) => {
                let request = &self.conn.requests[*index];
                (request.from != self.judged).then_some((*index, request))
            }
            _ => None,
        }
    }

    /// The request, if this is the judged side's first answer to it (fences included).
    pub fn answered(&self) -> Option<(usize, &'a Request)> {
        match self.fact {
            Fact::Answered { request, nth: 1 } => {
                let index = *request;
                let request = &self.conn.requests[index];
                (request.from != self.judged).then_some((index, request))
            }
            _ => None,
        }
    }

    /// The request, if this is our first answer to a request of the judged side.
    pub fn we_answered(&self) -> Option<(usize, &'a Request)> {
        match self.fact {
            Fact::Answered { request, nth: 1 } => {
                let index = *request;
                let request = &self.conn.requests[index];
                (request.from == self.judged).then_some((index, request))
            }
            _ => None,
        }
    }

    /// The turn, if it ended at this fact.
    pub fn turn_ended(&self) -> Option<(usize, &'a Turn)> {
        match self.fact {
            Fact::TurnEnded(index) => Some((*index, &self.conn.turns[*index])),
            _ => None,
        }
    }

    /// A frame of the judged side stands behind this fact.
    pub fn is_line(&self) -> bool {
        matches!(self.fact, Fact::Line(side) if *side == self.judged)
    }

    /// What the message at this fact says, whoever sent it.
    pub fn payload(&self) -> Option<Payload<'a>> {
        static NOTHING: Value = Value::Null;
        let (from, method, part, value) = match self.fact {
            Fact::Requested(index) => {
                let request = &self.conn.requests[*index];
                let params = request.params.as_ref();
                (request.from, &request.method, Part::Params, params)
            }
            Fact::Notified(index) => {
                let notification = &self.conn.notifications[*index];
                let params = notification.params.as_ref();
                (
                    notification.from,
                    &notification.method,
                    Part::Params,
                    params,
                )
            }
            Fact::Answered { request, nth: 1 } => {
                let request = &self.conn.requests[*request];
                let result = request.result();
                (request.from.other(), &request.method, Part::Result, result)
            }
            _ => return None,
        };
        Some(Payload {
            from,
            method,
            part,
            value: value.unwrap_or(&NOTHING),
        })
    }

    /// The names in the payload at this fact that its shape does not know.
    pub fn strays(&self) -> &'a Strays {
        self.checked.strays.get_or_init(|| {
            self.payload().map_or_else(Strays::default, |payload| {
                let Payload {
                    method,
                    part,
                    value,
                    ..
                } = payload;
                shapes::strays(self.conn.version(), method, part, value)
            })
        })
    }

    /// Where the payload at this fact is spelt otherwise than its shape (JSONRPC-022).
    pub fn misspelt(&self) -> &'a [Mismatch] {
        &self.strays().misspelt
    }

    /// Where the payload at this fact is not as its shape, without what only a wrong spelling makes, without what lies in
    /// a `_meta`, and without a session's id that the other side has made up.
    pub fn mismatches(&self) -> &'a [Mismatch] {
        &self.checked_shape().0
    }

    /// Where the payload at this fact has a `_meta` that is none (META-001).
    pub fn meta_mismatches(&self) -> &'a [Mismatch] {
        &self.checked_shape().1
    }

    fn checked_shape(&self) -> &'a (Vec<Mismatch>, Vec<Mismatch>) {
        self.checked.mismatches.get_or_init(|| {
            let Some(payload) = self.payload() else {
                return (Vec::new(), Vec::new());
            };
            let version = self.conn.version();
            let mut found = shapes::check(version, payload.method, payload.part, payload.value);
            let session = payload.value.get("sessionId");
            let repeated = |mismatch: &Mismatch| {
                let other = payload.from.other();
                mismatch.pointer == "/sessionId"
                    && session.is_some_and(|session| self.conn.has_named(other, session))
            };
            found.retain(|mismatch| !repeated(mismatch));
            found.retain(|mismatch| {
                let (parent, name) = mismatch.pointer.rsplit_once('/').unwrap_or_default();
                !self.misspelt().iter().any(|other| {
                    let meant = other.pointer.rsplit_once('/').unwrap_or_default().0 == parent
                        && other.expected.contains(&format!("\"{name}\""));
                    other.pointer == mismatch.pointer || (mismatch.is_missing() && meant)
                })
            });
            found
                .into_iter()
                .partition(|mismatch| !mismatch.pointer.ends_with("/_meta"))
        })
    }

    /// The envelope of the frame at hand, if the judged side sent it.
    pub fn line(&self) -> Option<&'a Line> {
        self.conn.line.as_ref().filter(|_| self.is_line())
    }

    /// The text of the frame at hand.
    pub fn text(&self) -> Option<&'a str> {
        match &self.event.kind {
            EventKind::Frame { frame, .. } => frame.text(),
            _ => None,
        }
    }

    /// How many microseconds went by since an earlier time of this connection, if the recording has times.
    pub fn since(&self, at_us: u64) -> Option<u64> {
        self.conn
            .timed
            .then(|| self.event.at_us.saturating_sub(at_us))
    }

    /// The judged side was given nothing more to read after this event.
    pub fn newest_is(&self, seq: u64) -> bool {
        self.conn.newest[self.judged.other() as usize] == Some(seq)
    }

    /// Nothing more will come from the judged side, and all that came was recorded. Where its output has only just ended,
    /// how its process ends is still to come.
    pub fn judged_is_over(&self) -> bool {
        if matches!(self.fact, Fact::Closed(_)) {
            return false;
        }
        let ended = self.conn.exit.is_some() && self.judged == self.conn.target;
        (ended || self.conn.closed.contains_key(&self.judged)) && !self.world.limited
    }

    /// The watch's subject is this request.
    pub fn about_request(subject: Subject, index: usize) -> bool {
        subject == Subject::Request(index)
    }

    /// The frame at hand, shortened and safe to print.
    pub fn frame(&self) -> String {
        text::frame_of(self.event)
    }

    /// How the judged process ended by itself, if this fact is that. A client ends when it has nothing more to ask: one
    /// that does so in order, or while nothing of it is under way, has not died. Nor has one that exits with a code of its
    /// own where nobody but its user says when it has waited long enough.
    pub fn died(&self) -> Option<String> {
        if !matches!(self.fact, Fact::Exited) || self.judged != self.conn.target {
            return None;
        }
        let exit = self.conn.exit.as_ref()?;
        let left = exit.code == Some(0) || self.world.overheard && exit.code.is_some();
        let done = left || !self.conn.client_is_busy();
        if self.judged == Side::Client && done {
            return None;
        }
        exit.unasked()
    }

    /// The judged side is the target, rather than our own.
    pub fn under_test(&self) -> bool {
        self.judged == self.conn.target
    }

    /// What the judged side is.
    pub fn who(&self) -> &'static str {
        match self.judged {
            Side::Client => "the client",
            Side::Server => "the agent",
        }
    }

    /// Where the judged side writes to.
    pub fn stream(&self) -> &'static str {
        match self.judged {
            Side::Client => "the stdin of the agent",
            Side::Server => "stdout",
        }
    }
}
