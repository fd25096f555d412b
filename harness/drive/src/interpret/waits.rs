//! The steps that wait for the target: each ends with what it waits for, or with a reason for people.

use elenchus_protocol::{Version, acp::initialize::agent_features};
use elenchus_wire::Wait;

use super::{Halt, Outcome, Player};
use crate::{
    params,
    stage::{Ended, Stage, book::Book, vars::Variable},
};

impl Player<'_, '_> {
    /// Takes a message of the target that no `expect` has taken yet; waits for it.
    pub(super) fn expect(&mut self, method: &str, name: Option<&str>) -> Outcome {
        // What has come may be taken even if the target is gone.
        let conn = self
            .conn()
            .ok_or_else(|| format!("connection {} is not open", self.name))?;
        let time = self.stage.settings.expect;
        let place = self.stage.take_message(conn, method, name, time)?;
        if let Some(name) = name {
            self.stage
                .book
                .vars
                .set(name, Variable::Theirs(conn, place));
        }
        Ok(())
    }

    /// Waits for the end of the newest turn of a session.
    pub(super) fn turn_ends(&mut self, session: &str) -> Outcome {
        let outcome = self.await_turn(session);
        if let Err(Halt::Failed(reason)) = &outcome
            && let Some(conn) = self.conn()
            && !self.stage.conn(conn).waits_for_us()
        {
            self.stage.no_turn(conn, reason);
        }
        outcome
    }

    fn await_turn(&mut self, session: &str) -> Outcome {
        let conn = self
            .conn()
            .ok_or_else(|| format!("connection {} is not open", self.name))?;
        let id = self.session_id(session, conn)?;
        let id: String = serde_json::from_str(&id).unwrap_or(id);
        let turn = self
            .stage
            .conn(conn)
            .turn(&id)
            .ok_or_else(|| format!("nothing was prompted in ${session}"))?;
        let start = self.stage.now();
        let time = self.stage.settings.answer;
        let version = self.instance.version;
        let mut ended = self.stage.wait_dismissing(conn, None, time, |book| {
            let conn = &book.conns[conn];
            // Nobody owes the end of a turn in which the target rightly waits for us.
            let stuck = conn.waits_for_us() && !conn.turns[turn].cancelled;
            conn.turns[turn].ended || conn.gone() || stuck
        });
        let over =
            |stage: &Stage<'_>| stage.conn(conn).turns[turn].ended || stage.conn(conn).gone();
        let stuck = ended == Ended::Met && !over(self.stage);
        if stuck {
            let time = self.stage.settings.expect;
            let over =
                |book: &Book<'_>| book.conns[conn].turns[turn].ended || book.conns[conn].gone();
            ended = self.stage.wait(time, over);
            if ended == Ended::Time && self.stage.dismiss_untaken(conn) {
                ended = self.stage.wait_dismissing(conn, None, time, over);
            }
        }
        if self.stage.conn(conn).turns[turn].ended {
            let prompt = self.stage.conn(conn).turns[turn].prompt;
            if self.stage.conn(conn).ours[prompt].failed
                && let Err(reason) = self.stage.result(conn, prompt)
            {
                self.stage.no_turn(conn, &reason);
            }
            return Ok(());
        }
        Err(match ended {
            Ended::Over => self.stage.why_over(),
            Ended::Met => format!("{} before the turn ended", self.stage.how_gone(conn)),
            Ended::Time if stuck => {
                let open = self
                    .stage
                    .conn(conn)
                    .theirs
                    .iter()
                    .find(|theirs| theirs.open());
                let method = open.map_or("a request", |theirs| theirs.method.as_str());
                format!("the target waits for an answer to {method}, and this script gives none")
            }
            Ended::Time => {
                let prompt = self.stage.conn(conn).turns[turn].prompt;
                let id = self.stage.conn(conn).ours[prompt].id.clone();
                let waited = self.stage.now().saturating_sub(start);
                self.stage.book.conns[conn].turns[turn].late = true;
                if version == Version::AcpV1 {
                    // There the answer to the prompt is the end of the turn.
                    self.stage.book.conns[conn].ours[prompt].late = true;
                    self.stage
                        .deadline(conn, Wait::Answer { id: id.clone() }, waited);
                }
                self.stage.deadline(conn, Wait::TurnEnd { id }, waited);
                format!("the turn did not end in {} s", time.as_secs_f32())
            }
        }
        .into())
    }

    /// Calls what the target announces. What could end a session gets one of its own.
    pub(super) fn call_announced(&mut self) -> Outcome {
        let conn = self.live()?;
        let version = self.instance.version;
        let announced = self.announced(conn, version)?;
        let cwd = self.stage.cwd();
        for method in announced {
            let session = match method {
                "session/close" | "session/delete" | "session/prompt" => {
                    let params = params::new_session(version, &cwd);
                    self.stage.new_session(conn, &params)?
                }
                _ => self.session_id("session", conn)?,
            };
            if let Some(params) = params::announced(version, method, &session, &cwd) {
                let place = self.stage.request(conn, method, Some(&params), None);
                self.stage.await_answer(conn, place)?;
            }
        }
        Ok(())
    }

    fn announced(&self, conn: usize, version: Version) -> Result<Vec<&'static str>, Halt> {
        let ours = &self.stage.conn(conn).ours;
        let place = ours
            .iter()
            .position(|ours| ours.method == "initialize")
            .ok_or("nothing was initialized")?;
        let result = serde_json::from_str(self.stage.result(conn, place)?)
            .map_err(|error| error.to_string())?;
        Ok(agent_features(&result, version).announced)
    }
}
