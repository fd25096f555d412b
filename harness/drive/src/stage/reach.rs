//! How far a target came on the way to its work: to a session, and to the end of a turn.

use elenchus_wire::{
    EventKind, Mark, Side,
    event::{Asked, Milestone},
};

use super::Stage;
use crate::{
    instance::{Reach, Step},
    json,
};

/// The first failure of each kind: the connection, and why. What worked is in the books.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    session: Option<Failure>,
    turn: Option<Failure>,
}

#[derive(Debug)]
struct Failure {
    conn: Option<usize>,
    reason: String,
}

impl Stage<'_> {
    /// That this `initialize` came to an agreement on the version; otherwise nothing may follow it.
    pub(crate) fn agreed(&self, conn: usize, place: usize) -> Result<(), String> {
        let asked = self.book.version.number().to_string();
        let answered =
            json::at(self.result(conn, place)?, &["protocolVersion"]).unwrap_or("nothing");
        if answered == asked {
            Ok(())
        } else {
            Err(format!(
                "the target was asked for protocol version {asked} and answered {answered}"
            ))
        }
    }

    /// The target has refused to open a session, or to take a prompt.
    pub(crate) fn was_refused(&self) -> bool {
        let mut ours = self.book.conns.iter().flat_map(|conn| &conn.ours);
        ours.any(|ours| {
            let works = matches!(ours.method.as_str(), "session/new" | "session/prompt");
            works && ours.answer.is_some() && ours.failed
        })
    }

    /// Notes that a session which any target has to open was not opened.
    pub(crate) fn no_session(&mut self, conn: Option<usize>, reason: &str) {
        let reason = reason.to_owned();
        let first = &mut self.book.failures.session;
        first.get_or_insert(Failure { conn, reason });
    }

    /// Notes that a turn did not end as turns do.
    pub(crate) fn no_turn(&mut self, conn: usize, reason: &str) {
        let reason = reason.to_owned();
        let conn = Some(conn);
        let first = &mut self.book.failures.turn;
        first.get_or_insert(Failure { conn, reason });
    }

    /// Notes the turns that the target left open by going away. To be called before it is seen out.
    pub(crate) fn note_lost_turns(&mut self) {
        for conn in 0..self.book.conns.len() {
            let book = self.conn(conn);
            if book.gone() && !book.closed && book.turns.iter().any(|turn| !turn.ended) {
                let reason = format!("{} before the turn ended", self.how_gone(conn));
                self.no_turn(conn, &reason);
            }
        }
    }

    /// How far the target came, which is noted in the trace too. To be called after it was seen out.
    pub(crate) fn note_reach(&mut self) -> Reach {
        let reach = self.reach();
        for (to, step) in [
            (Milestone::Session, &reach.session),
            (Milestone::Turn, &reach.turn),
        ] {
            let missed = match step {
                Step::Untried => continue,
                Step::Failed(reason) => Some(reason.clone()),
                Step::Done => None,
            };
            self.record(EventKind::Mark(Mark::Milestone { to, missed }));
        }
        reach
    }

    fn reach(&self) -> Reach {
        let conns = || self.book.conns.iter();
        if self.book.us == Side::Server {
            let sent = |methods: &[&str]| {
                let mut theirs = conns().flat_map(|conn| &conn.theirs);
                theirs.any(|theirs| methods.contains(&theirs.method.as_str()))
            };
            let session = sent(&["session/new", "session/load", "session/resume"]);
            let turn = sent(&["session/prompt"]);
            return Reach {
                session: self.step(session, self.book.failures.session.as_ref()),
                turn: self.step(turn, self.book.failures.turn.as_ref()),
            };
        }
        let session = conns()
            .flat_map(|conn| &conn.ours)
            .filter(|ours| ours.method == "session/new" && !ours.failed)
            .any(|ours| {
                let message = ours
                    .answer
                    .and_then(|event| self.book.recorder.message(event));
                message
                    .and_then(|message| json::string_at(message.result?, &["sessionId"]))
                    .is_some()
            });
        let turn = conns().any(|conn| {
            let mut turns = conn.turns.iter();
            turns.any(|turn| turn.ended && !conn.ours[turn.prompt].failed)
        });
        Reach {
            session: self.step(session, self.book.failures.session.as_ref()),
            turn: self.step(turn, self.book.failures.turn.as_ref()),
        }
    }

    fn step(&self, worked: bool, failure: Option<&Failure>) -> Step {
        match failure {
            _ if worked => Step::Done,
            None => Step::Untried,
            Some(Failure { conn, reason }) => {
                let ended = conn.and_then(|conn| self.ended_by_itself(conn));
                Step::Failed(match ended {
                    // Its stdout closed first, and why was seen only later.
                    Some(ended) if !reason.contains(&ended) => format!("{reason} ({ended})"),
                    _ => reason.clone(),
                })
            }
        }
    }

    /// How a process ended, if no signal of ours ended it, and not as one does whose work is over.
    fn ended_by_itself(&self, conn: usize) -> Option<String> {
        let conn = self.conn(conn);
        let exit = conn.exit.filter(|exit| exit.code != Some(0))?;
        matches!(conn.asked, Asked::Nothing | Asked::Close).then(|| exit.to_string())
    }
}
