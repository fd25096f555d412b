//! Tidying up behind a script of a fuzzing campaign, so that its process can go on with another one.

use std::time::Duration;

use super::{FencePolicy, Stage, reply::error_line};
use crate::json;

/// How long the target may take to end what was open.
const TIME: Duration = Duration::from_millis(50);
/// What is cancelled may ask once more; not for ever.
const ROUNDS: usize = 3;

impl Stage<'_> {
    /// Ends all that the script has left open on its only connection: lines, questions, turns.
    pub(crate) fn tidy(&mut self) {
        if self.book.conns.len() != 1 || !self.conn(0).live() || self.over() {
            return;
        }
        if self.conn(0).mid_line() {
            self.send_raw(0, b"\n");
        }
        for _ in 0..ROUNDS {
            if !self.conn(0).busy() && !self.conn(0).waits_for_us() {
                break;
            }
            self.cancel_turns();
            self.refuse_questions();
            self.wait(TIME, |book| {
                let conn = &book.conns[0];
                conn.gone() || conn.waits_for_us() || !conn.busy()
            });
        }
        // One that has left a fence without an answer is not asked again.
        let mut ours = self.conn(0).ours.iter();
        let silent = ours.any(|ours| ours.fence && ours.late && ours.answer.is_none());
        if self.conn(0).live() && !silent && !self.conn(0).is_settled() {
            self.settle(0, FencePolicy::Owed);
        }
    }

    fn cancel_turns(&mut self) {
        let turns = self.conn(0).turns.iter().filter(|turn| !turn.ended);
        let mut sessions: Vec<String> = turns.map(|turn| turn.session.clone()).collect();
        sessions.sort();
        sessions.dedup();
        for session in sessions {
            let params = format!("{{\"sessionId\":{}}}", json::quote(&session));
            self.notify(0, "session/cancel", Some(&params));
        }
    }

    fn refuse_questions(&mut self) {
        let theirs = self.conn(0).theirs.iter().enumerate();
        let open: Vec<(usize, String)> = theirs
            .filter(|(_, theirs)| theirs.open())
            .filter_map(|(place, theirs)| Some((place, theirs.id.clone()?)))
            .collect();
        for (place, id) in open {
            let line = error_line(&id, r#"{"code":-32800,"message":"Request cancelled"}"#);
            self.answer(0, place, &line);
        }
    }
}
