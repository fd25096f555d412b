//! Questions that no step of a script will answer. An agent may ask at any moment, and wait for the answer before it goes
//! on: they are closed, as a person closes a dialog that comes out of the blue. Some agents ask before each tool call: what
//! they want to do is permitted, so that they get to the work that the script is about.

use std::time::Duration;

use elenchus_wire::{Id, Side, message::write_result};

use super::{
    Ended, Stage,
    book::Book,
    reply::{PERMISSION, PERMISSION_CANCELLED},
};
use crate::json;

const QUESTION: &str = "elicitation/create";
const DISMISSED: &str = r#"{"action":"cancel"}"#;

impl Stage<'_> {
    /// Waits as [`Self::wait`] does, and dismisses what nobody answers meanwhile. Where the wait is for the answer to a
    /// request of ours, that is also what the target asks within that request.
    pub(crate) fn wait_dismissing(
        &mut self,
        conn: usize,
        request: Option<usize>,
        time: Duration,
        met: impl Fn(&Book<'_>) -> bool,
    ) -> Ended {
        let until = self.now().saturating_add(time);
        loop {
            let left = until.saturating_sub(self.now());
            let ended = self.wait(left, |book| {
                book.unclaimed(conn, request).is_some() || met(book)
            });
            match self.book.unclaimed(conn, request) {
                Some(place) if self.conn(conn).live() && !self.over() && self.now() <= until => {
                    self.dismiss(conn, place);
                }
                _ => return ended,
            }
        }
    }

    /// Dismisses all questions that no step has taken: while it waits, the script takes none. True if there was one.
    pub(crate) fn dismiss_untaken(&mut self, conn: usize) -> bool {
        let mut any = false;
        for place in 0..self.conn(conn).theirs.len() {
            if self.conn(conn).live() && self.book.is_untaken(conn, place) {
                self.dismiss(conn, place);
                any = true;
            }
        }
        any
    }

    fn dismiss(&mut self, conn: usize, place: usize) {
        let theirs = &mut self.book.conns[conn].theirs[place];
        theirs.taken = true;
        if let Some(id) = theirs.id.clone() {
            let result = if theirs.method == PERMISSION {
                let allowed = self.book.allowed(conn, place);
                allowed.unwrap_or_else(|| PERMISSION_CANCELLED.to_owned())
            } else {
                DISMISSED.to_owned()
            };
            self.answer(conn, place, &write_result(&id, &result));
        }
    }
}

impl Book<'_> {
    /// A question that is open, and that no `expect` has taken.
    fn is_untaken(&self, conn: usize, place: usize) -> bool {
        let theirs = &self.conns[conn].theirs[place];
        let asks = theirs.waits_for_expect(QUESTION) || theirs.waits_for_expect(PERMISSION);
        theirs.open() && !theirs.cancelled && asks
    }

    /// A question that no step will take, or that the target asks within this request of ours. One that a cancellation
    /// may end is left to that.
    fn unclaimed(&self, conn: usize, request: Option<usize>) -> Option<usize> {
        let turns = &self.conns[conn].turns;
        if self.us == Side::Server || turns.iter().any(|turn| turn.cancelled && !turn.ended) {
            return None;
        }
        (0..self.conns[conn].theirs.len()).find(|&place| {
            let within = |ours| self.asks_within(conn, place, ours);
            self.is_untaken(conn, place)
                && (!self.is_wanted(conn, place) || request.is_some_and(within))
        })
    }

    /// The question has the scope of this request of ours.
    fn asks_within(&self, conn: usize, place: usize, request: usize) -> bool {
        let conn = &self.conns[conn];
        let message = self.recorder.message(conn.theirs[place].event);
        let scope = message.and_then(|message| json::at(message.params?, &["requestId"]));
        scope.is_some_and(|id| Id(id.into()).key() == conn.ours[request].key)
    }
}
