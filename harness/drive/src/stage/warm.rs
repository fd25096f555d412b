//! A process that serves one script after another: what of it a later script has to know.
//!
//! A later script's trace has to be complete in itself, so it begins with a copy of how the process began: its
//! `initialize`, and the login, if there was one. Everything else of the conversations before is over and settled.

use std::time::Duration;

use elenchus_wire::{EventKind, Frame, Mark, Message, Parsed, Side};

use super::{Stage, sign_in::LOGINS};
use crate::told::Told;

const INITIALIZE: &str = "initialize";

/// What a later script takes over with the process.
#[derive(Debug)]
pub(crate) struct Warm {
    /// What crossed the wire until it was initialized, and somebody logged in.
    opening: Vec<(Side, Frame)>,
    /// The answer times of fences, by which the target's pace is known.
    fences: Vec<Duration>,
    next_id: u64,
    next_fence: u32,
    /// How many scripts the process has served.
    served: u32,
}

impl Stage<'_> {
    /// Begins on a process that has served other scripts. Its connection comes back.
    pub(crate) fn take_over(&mut self, warm: Warm) -> Result<usize, String> {
        let conn = self.connect(&Told::default())?;
        let served = warm.served;
        self.mark(Some(conn), Mark::Shared { served });
        for (from, frame) in warm.opening {
            let now = self.now();
            match from {
                Side::Server => self.book.take_frame(conn, now, frame),
                Side::Client => {
                    let text = frame.text().map(str::to_owned);
                    let number = self.book.conns[conn].number;
                    self.book.recorder.frame(now, number, from, frame);
                    self.book.conns[conn].sent += 1;
                    if let Some(text) = text {
                        self.sent_raw_message(conn, &text);
                    }
                }
            }
        }
        self.book.conns[conn].go_on(warm.next_id, warm.fences);
        self.fences = warm.next_fence;
        self.served = served;
        Ok(conn)
    }

    /// What a later script takes over, if the process has settled and nothing of this script is left in it.
    pub(crate) fn hand_over(&self) -> Option<Warm> {
        let [conn] = self.book.conns.as_slice() else {
            return None;
        };
        let clean = !self.over()
            && conn.live()
            && conn.is_settled()
            && !conn.busy()
            && !conn.waits_for_us()
            && !conn.mid_line()
            && !conn.types
            && self.book.outbox.is_empty()
            && conn
                .ours
                .first()
                .is_some_and(|ours| ours.method == INITIALIZE)
            && self.agreed(0, 0).is_ok();
        clean.then(|| Warm {
            opening: self.opening(),
            fences: conn.fences().to_vec(),
            next_id: conn.ids_given(),
            next_fence: self.fences,
            served: self.served + 1,
        })
    }

    /// The frames until the first line of ours that neither initializes the connection nor logs in.
    fn opening(&self) -> Vec<(Side, Frame)> {
        let opens = |text: &str| {
            matches!(
                Message::parse(text),
                Parsed::Message(message) if message
                    .method
                    .as_deref()
                    .is_some_and(|method| method == INITIALIZE || LOGINS.contains(&method))
            )
        };
        let frames = self.book.recorder.events().iter();
        frames
            .filter_map(|event| match &event.kind {
                EventKind::Frame { from, frame } => Some((*from, frame)),
                _ => None,
            })
            .take_while(|(from, frame)| *from == Side::Server || frame.text().is_some_and(opens))
            .map(|(from, frame)| (from, frame.clone()))
            .collect()
    }
}
