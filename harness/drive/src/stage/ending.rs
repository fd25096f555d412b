//! The ending of every script: a fence, one deadline for what is still owed, and the target seen out.

use std::time::Duration;

use elenchus_suites::script::Heed;
use elenchus_wire::{Side, Wait, event::Asked};

use super::{
    Ended, Stage,
    book::Book,
    conn::{Conn, Ours},
    fence::FencePolicy,
};
use crate::{told::Told, wires::Rung};

/// The longest wait for the end of a target that is known to need a signal, or to have flooded us.
const SHORT_GOODBYE: Duration = Duration::from_millis(50);
/// How long a process may take to end after SIGKILL before we go on without it.
const AFTER_KILL: Duration = Duration::from_secs(5);

/// How the script itself ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// After its last step.
    Complete,
    /// A step failed. What is owed after that is not judged, and so not waited for.
    Stopped,
}

impl Stage<'_> {
    /// Lets all that was said be answered, and waits for what is owed.
    pub(crate) fn conclude(&mut self, left: Left) {
        for conn in 0..self.book.conns.len() {
            let unanswered = self
                .conn(conn)
                .ours
                .iter()
                .any(|ours| ours.fence && ours.answer.is_none());
            // A second fence behind one that got no answer would tell nothing, and one in the middle of a line would
            // not be one.
            let done = self.conn(conn).is_settled() || unanswered || self.conn(conn).mid_line();
            // A client whose last turn is over is on its way out.
            let leaving = self.book.us == Side::Server && !self.is_serving(conn);
            if !self.conn(conn).live() || self.over() || done || leaving {
                continue;
            }
            let silent = self.conn(conn).ours.iter().any(|ours| ours.late);
            let policy = if left == Left::Stopped && silent {
                FencePolicy::Courtesy
            } else {
                FencePolicy::Owed
            };
            self.settle(conn, policy);
        }
        if left == Left::Complete && !self.over() {
            self.wait_for_owed();
        }
        if self.book.us == Side::Server {
            for conn in 0..self.book.conns.len() {
                // In the middle of a line it would be a part of that.
                if !self.conn(conn).mid_line() {
                    self.end_open_turns(conn);
                }
            }
        }
    }

    /// Sees out all targets that are still there.
    pub(crate) fn end_all(&mut self) {
        let there = |stage: &Self| -> Vec<usize> {
            let conns = 0..stage.book.conns.len();
            conns
                .filter(|&conn| stage.conn(conn).exit.is_none())
                .collect()
        };
        if self.book.us == Side::Server {
            self.wait_for_leave(&there(self));
        }
        self.see_out(&there(self), false);
    }

    /// A client ends when it likes: it is given the time for it, and what it asks meanwhile is answered. One that was told
    /// to stay is not waited for.
    pub(crate) fn wait_for_leave(&mut self, conns: &[usize]) {
        let stays = |conn: &usize| self.conn(*conn).told.lingers();
        let conns: Vec<usize> = conns.iter().copied().filter(|conn| !stays(conn)).collect();
        let time = if self.patience.short_goodbye {
            SHORT_GOODBYE.min(self.settings.goodbye)
        } else {
            self.settings.goodbye
        };
        self.wait(time, |book| {
            conns.iter().all(|&conn| book.conns[conn].exit.is_some())
        });
    }

    /// One deadline for everything that the targets still owe us.
    fn wait_for_owed(&mut self) {
        let start = self.now();
        let conns: Vec<usize> = (0..self.book.conns.len()).collect();
        self.wait(self.settings.answer, |book| {
            conns.iter().all(|&conn| !owes(book, conn))
        });
        let waited = self.now().saturating_sub(start);
        for conn in conns {
            if !owes(&self.book, conn) {
                continue;
            }
            let answers = self
                .conn(conn)
                .ours
                .iter()
                .filter(|ours| ours.answer.is_none() && !ours.late);
            let waits: Vec<Wait> = answers
                .map(|ours| Wait::Answer {
                    id: ours.id.clone(),
                })
                .chain(
                    self.conn(conn)
                        .turns
                        .iter()
                        .filter(|turn| owed_end(turn))
                        .map(|turn| Wait::TurnEnd {
                            id: self.conn(conn).ours[turn.prompt].id.clone(),
                        }),
                )
                .collect();
            for wait in waits {
                self.deadline(conn, wait, waited);
            }
        }
    }

    /// The shutdown ladder: stdin is closed, then SIGTERM, then SIGKILL. Patience is for where the end is what a script
    /// is about: a target that is known to need a signal gets its time all the same, and only there it is recorded that
    /// the time has passed. Less than that holds nothing against anybody (ACP-SHUTDOWN-001).
    pub(crate) fn see_out(&mut self, conns: &[usize], patient: bool) {
        let patient = patient && !self.over();
        let hurry = self.patience.short_goodbye || self.over();
        let goodbye = match (hurry, patient) {
            (_, true) => self.patient_goodbye(),
            (true, false) => SHORT_GOODBYE.min(self.settings.goodbye),
            (false, false) => self.settings.goodbye,
        };
        for &conn in conns {
            self.close_ours(conn);
        }
        if !self.interrupted {
            self.wait_for_exits(conns, goodbye);
            if patient {
                self.note_living(conns, goodbye);
            }
            self.signal(conns, Rung::Terminate, Asked::Terminate);
            self.wait_for_exits(conns, goodbye);
            if patient {
                self.note_living(conns, goodbye);
            }
        }
        self.signal(conns, Rung::Kill, Asked::Kill);
        self.wait_for_exits(conns, AFTER_KILL);
    }

    /// SIGTERM while stdin is open, then SIGKILL.
    pub(crate) fn terminate(&mut self, conn: usize) {
        let goodbye = self.patient_goodbye();
        self.signal(&[conn], Rung::Terminate, Asked::Terminate);
        self.wait_for_exits(&[conn], goodbye);
        if !self.interrupted {
            self.note_living(&[conn], goodbye);
        }
        self.signal(&[conn], Rung::Kill, Asked::Kill);
        self.wait_for_exits(&[conn], AFTER_KILL);
    }

    fn patient_goodbye(&self) -> Duration {
        self.settings.goodbye.saturating_mul(5) / 2
    }

    /// Records of each target that is still there that it had so much time to end.
    fn note_living(&mut self, conns: &[usize], waited: Duration) {
        // Nothing says when a client has to end.
        if self.book.us == Side::Server {
            return;
        }
        for &conn in conns {
            if self.conn(conn).exit.is_none() && !self.interrupted {
                self.deadline(conn, Wait::Exit, waited);
            }
        }
    }

    fn signal(&mut self, conns: &[usize], rung: Rung, asked: Asked) {
        for &conn in conns {
            if self.conn(conn).exit.is_none() {
                self.book.conns[conn].asked = asked;
                self.wires.signal(self.book.conns[conn].number, rung);
            }
        }
    }

    /// Waits for the ends of processes; nothing stops this wait but the time.
    fn wait_for_exits(&mut self, conns: &[usize], time: Duration) {
        let until = self.now().saturating_add(time);
        while conns.iter().any(|&conn| self.conn(conn).exit.is_none()) {
            if self.turn_of_wires(until) == Ended::Time {
                return;
            }
        }
    }
}

/// Something on this connection has still to come, and nothing of ours has to come first. A client always waits for the
/// end of its turn, and answers meanwhile.
fn owes(book: &Book<'_>, conn: usize) -> bool {
    let serves = book.us == Side::Server;
    let conn = &book.conns[conn];
    conn.live()
        && (serves || !conn.waits_for_us())
        && (conn.ours.iter().any(|ours| {
            let waits = ours.late || held(conn, &ours.id);
            let persons = serves && is_a_persons(book, conn, ours);
            ours.answer.is_none() && !waits && !persons
        }) || conn.turns.iter().any(owed_end))
}

/// The answer is given by a person, and nobody here plays one: the client heeds nothing that it is told, or was told to
/// leave the question open, and nothing has come that would close it.
fn is_a_persons(book: &Book<'_>, conn: &Conn, ours: &Ours) -> bool {
    let heeds = |heed| book.heeded.contains(Told::variable(heed));
    match ours.method.as_str() {
        "elicitation/create" => {
            // What the client finds invalid it refuses, and that takes no answer from its list.
            let refused = |earlier: &&Ours| !earlier.failed || earlier.taken_back;
            let earlier = conn
                .ours
                .iter()
                .take_while(|other| !std::ptr::eq(*other, ours));
            let asked = earlier.filter(|other| other.method == ours.method);
            let idle = conn.told.leaves_open(asked.filter(refused).count());
            !heeds(Heed::Answers) || idle && !ours.taken_back
        }
        // A client that cancels the turn answers its permission requests.
        "session/request_permission" => {
            let mut theirs = conn.theirs.iter();
            let cancelled = theirs.any(|theirs| theirs.method == "session/cancel");
            let idle = conn.told.decides_nothing() && !cancelled;
            !heeds(Heed::Permission) || idle && !ours.taken_back
        }
        _ => false,
    }
}

/// A turn whose end is owed. One that is held until we cancel it is not.
fn owed_end(turn: &super::conn::Turn) -> bool {
    !turn.ended && !turn.late && (turn.cancelled || turn.trigger != Some("/hold"))
}

/// The request is the prompt of a turn that is held until we cancel it.
fn held(conn: &Conn, id: &str) -> bool {
    conn.turns
        .iter()
        .any(|turn| conn.ours[turn.prompt].id == id && !turn.ended && !owed_end(turn) && !turn.late)
}
