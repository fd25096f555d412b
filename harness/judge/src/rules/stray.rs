//! Answers of ours that answer nothing: under an id that is not pending, or a second time.

use std::fmt;

use elenchus_protocol::acp::elicitation::{Answer, read_answer};
use elenchus_wire::{Body, EventKind, Id, Message, Parsed};
use serde_json::Value;

use super::{
    report::{Report, report},
    views::last_answered,
};
use crate::{
    fact::{Fact, Moment},
    text,
    world::{Conn, Turn},
};

/// A response of ours that no request of the target was waiting for, by the line that carried it.
#[derive(Clone, Copy)]
pub(super) struct Stray<'a>(&'a str);

impl<'a> Stray<'a> {
    /// The stray answer at this fact, if our side just gave one.
    pub(super) fn here(m: &Moment<'a>) -> Option<Self> {
        let ours = match m.fact {
            Fact::Orphan(index) => m.conn.orphans[*index].from != m.judged,
            Fact::Answered { request, nth } => {
                *nth > 1 && m.conn.requests[*request].from == m.judged
            }
            _ => false,
        };
        match &m.event.kind {
            EventKind::Frame { frame, .. } if ours => match &frame.body {
                Body::Text(text) => Some(Self(text)),
                Body::Bytes(_) | Body::Oversize { .. } => None,
            },
            _ => None,
        }
    }

    /// The stray answer that a watch remembers by its [`Self::memo`].
    pub(super) fn remembered(memo: &'a str) -> Self {
        Self(memo)
    }

    /// What a watch has to remember.
    pub(super) fn memo(self) -> &'a str {
        self.0
    }

    /// The line, shortened and safe to print.
    pub(super) fn text(self) -> String {
        text::short(self.0)
    }

    fn message(self) -> Option<Message<'a>> {
        match Message::parse(self.0) {
            Parsed::Message(message) => Some(message),
            Parsed::Defect(_) => None,
        }
    }

    /// Its id.
    pub(super) fn id(self) -> Option<Id> {
        self.message()?.id()
    }

    fn answer(self) -> Option<Answer> {
        let result = self.message()?.result?;
        Some(read_answer(&serde_json::from_str(result).ok()?))
    }

    /// A turn reports what this answer said, and what our proper answer in the turn, if there is one, did not say.
    pub(super) fn settled(self, conn: &Conn, turn: &Turn) -> bool {
        let answered = last_answered(conn, turn);
        let proper = answered.and_then(|(_, elicitation)| elicitation.answer.as_ref());
        match (report(turn), self.answer()) {
            (Report::Accept(Some(used)), Some(Answer::Accept(Some(given)))) => {
                let proper = match proper {
                    Some(Answer::Accept(Some(content))) => content,
                    _ => &Value::Null,
                };
                let members = given.as_object().into_iter().flatten();
                members
                    .filter(|(name, value)| proper.get(name) != Some(value))
                    .any(|(name, value)| used.get(name) == Some(value))
            }
            (Report::Accept(_), Some(Answer::Accept(_))) => {
                !matches!(proper, Some(Answer::Accept(_)))
            }
            // An agent may take an error for a decline, and may cancel a question itself.
            (Report::Decline, Some(Answer::Decline)) => {
                answered.is_none() || matches!(proper, Some(Answer::Accept(_)))
            }
            (Report::Cancel, Some(Answer::Cancel)) => {
                turn.cancelled.is_none() && matches!(proper, Some(Answer::Accept(_)))
            }
            _ => false,
        }
    }
}

impl fmt::Display for Stray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.id() {
            Some(id) => write!(f, "the id {}", text::short_to(id.text(), 60)),
            None => f.write_str("no id"),
        }
    }
}
