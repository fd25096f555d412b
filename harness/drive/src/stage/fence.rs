//! The fence: a request that nobody knows, to learn that the target has read everything before it, and a short quiet
//! window, to let it say what it had to say.

use std::time::Duration;

use elenchus_wire::{EventKind, Mark, Wait, message::write_request};

use super::{
    Ended, Stage,
    conn::{Conn, Ours, Theirs},
};
use crate::json::quote;

/// The method that nobody knows.
const METHOD: &str = "_elenchus/fence";
/// The quiet window in answer times of the target.
const PACES: u32 = 3;
/// How many windows long a target may go on talking before we stop waiting for quiet.
const WINDOWS: u32 = 8;

/// What becomes of a fence that nobody answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FencePolicy {
    /// It is owed an answer: the full deadline, and a record if it passes.
    Owed,
    /// Nothing rests on it any more: a short wait, and no record.
    Courtesy,
}

impl Stage<'_> {
    /// Sets a fence and waits for quiet. True if the target settled.
    ///
    /// Before `initialize` a client sends nothing, and an agent nothing before it has answered it, so neither do we: then
    /// only the longest quiet window passes.
    pub(crate) fn settle(&mut self, conn: usize, policy: FencePolicy) -> bool {
        let sent = |ours: &Ours| ours.method == "initialize";
        let answered = |theirs: &Theirs| theirs.method == "initialize" && theirs.settled;
        let Conn { ours, theirs, .. } = self.conn(conn);
        if !ours.iter().any(sent) && !theirs.iter().any(answered) {
            return self.quiet_for(conn, self.settings.quiet.1);
        }
        let policy = if self.patience.short_fence {
            FencePolicy::Courtesy
        } else {
            policy
        };
        self.fences += 1;
        let id = quote(&format!("elenchus-fence-{}", self.fences));
        self.mark(Some(conn), Mark::Fence { id: id.clone() });
        let place = self.note_request(conn, &id, METHOD, Some("{}"), true);
        self.send(conn, &write_request(&id, METHOD, Some("{}")));
        let time = match policy {
            FencePolicy::Owed => self.patience_for_answer(conn),
            FencePolicy::Courtesy => self
                .settings
                .quiet
                .1
                .saturating_mul(WINDOWS)
                .min(self.settings.answer),
        };
        let start = self.now();
        let ended = self.wait(time, |book| {
            book.conns[conn].ours[place].answer.is_some() || book.conns[conn].gone()
        });
        let answered = self.conn(conn).ours[place].answer.is_some();
        if !answered && ended == Ended::Time {
            self.book.conns[conn].ours[place].late = true;
            if policy == FencePolicy::Owed {
                let waited = self.now().saturating_sub(start);
                self.deadline(conn, Wait::Answer { id: id.clone() }, waited);
            }
        }
        let settled = answered && self.quiet(conn);
        if settled {
            self.book.conns[conn].set_settled();
            self.record_on(conn, EventKind::Settled { fence: id });
        } else {
            self.record_on(conn, EventKind::Unsettled { fence: id });
        }
        settled
    }

    /// Waits until nothing has come for a window. A target that never stops talking is not waited for.
    fn quiet(&mut self, conn: usize) -> bool {
        let (shortest, longest) = self.settings.quiet;
        let window = self
            .conn(conn)
            .pace()
            .saturating_mul(PACES)
            .clamp(shortest, longest.max(shortest));
        self.quiet_for(conn, window)
    }

    /// Waits until nothing has come for this window.
    fn quiet_for(&mut self, conn: usize, window: Duration) -> bool {
        let cap = self.now() + window * WINDOWS;
        loop {
            let received = self.conn(conn).received;
            match self.wait(window, |book| {
                book.conns[conn].received != received || book.conns[conn].gone()
            }) {
                Ended::Time => return true,
                Ended::Over => return false,
                Ended::Met if self.conn(conn).gone() => return false,
                Ended::Met if self.now() >= cap => return false,
                Ended::Met => {}
            }
        }
    }
}
