//! The agent's side, towards a client under test: what a plain agent answers by itself, and what a script has it do.

use elenchus_protocol::{Version, acp::shapes::Part};
use elenchus_wire::{
    Side,
    message::{write_notification, write_result},
};

use super::{
    Ended, Stage,
    book::{Book, Follow},
    conn::Conn,
    vars::Variable,
};
use crate::{answers, json, told::Told};

/// The method of a prompt.
const PROMPT: &str = "session/prompt";
/// The reason with which a turn usually ends.
const END_TURN: &str = r#""end_turn""#;
const CANCELLED: &str = r#""cancelled""#;

impl Book<'_> {
    /// The result that a plain agent gives to a request of its client, if it knows the method.
    pub(super) fn plain_result(&self, conn: usize, place: usize) -> Option<String> {
        let conn = &self.conns[conn];
        let method = conn.theirs[place].method.as_str();
        Some(match method {
            "initialize" => answers::initialize(conn.version),
            "session/new" => format!(r#"{{"sessionId":{}}}"#, new_session_id(conn, place)),
            PROMPT => answers::prompt(conn.version, turns_before(conn, place), END_TURN),
            _ => answers::trivial(method)?.to_owned(),
        })
    }

    /// The session that a request names, as JSON text.
    fn named_session(&self, conn: usize, place: usize) -> Option<&str> {
        let event = self.conns[conn].theirs[place].event;
        json::at(self.recorder.message(event)?.params?, &["sessionId"])
    }

    /// The update by which v2 tells that a prompt was taken in.
    fn inserted(&self, conn: usize, place: usize) -> Option<String> {
        let event = self.conns[conn].theirs[place].event;
        let blocks = json::at(self.recorder.message(event)?.params?, &["prompt"])?;
        let turn = turns_before(&self.conns[conn], place);
        Some(answers::inserted(turn, blocks))
    }

    /// What else a plain agent says after it has answered.
    pub(super) fn after_plain_result(&mut self, conn: usize, place: usize) {
        match self.conns[conn].theirs[place].method.as_str() {
            "session/load" | "session/resume" => {
                let session = self.named_session(conn, place).map(str::to_owned);
                self.conns[conn].session = session.or(self.conns[conn].session.take());
            }
            // Nobody has a use for this turn, so it is over at once.
            PROMPT => {
                self.conns[conn].theirs[place].turn_over = true;
                if self.conns[conn].version != Version::AcpV1
                    && let Some(session) = self.named_session(conn, place).map(str::to_owned)
                {
                    let inserted = self.inserted(conn, place);
                    let states = [answers::RUNNING.to_owned(), answers::idle(END_TURN)];
                    for update in inserted.into_iter().chain(states) {
                        let params = answers::update(&session, &update);
                        let line = write_notification("session/update", Some(&params));
                        self.outbox.push((conn, line));
                    }
                }
            }
            _ => {}
        }
    }

    /// The client has cancelled the turn that this prompt began.
    fn was_cancelled(&self, conn: usize, place: usize) -> bool {
        let session = self.named_session(conn, place);
        let named = |event: usize| {
            let message = self.recorder.message(event)?;
            json::at(message.params?, &["sessionId"])
        };
        session.is_some()
            && self.conns[conn].theirs[place..]
                .iter()
                .any(|theirs| theirs.method == "session/cancel" && named(theirs.event) == session)
    }
}

/// The id that a plain agent gives to the session that this request opens.
fn new_session_id(conn: &Conn, place: usize) -> String {
    let before = &conn.theirs[..place];
    answers::session_id(
        before
            .iter()
            .filter(|theirs| theirs.method == "session/new")
            .count(),
    )
}

fn turns_before(conn: &Conn, place: usize) -> usize {
    let before = &conn.theirs[..place];
    before
        .iter()
        .filter(|theirs| theirs.method == PROMPT)
        .count()
}

impl Stage<'_> {
    /// Waits for the client's `initialize`, and answers it. The error is a reason for people.
    pub(crate) fn welcome(&mut self, conn: usize, patch: Option<&str>) -> Result<(), String> {
        let time = self.settings.start;
        let place = self.take_message(conn, "initialize", None, time)?;
        self.answer_with(conn, place, patch)
    }

    /// Answers a request as a plain agent does, with a patch merged into its result.
    fn answer_with(
        &mut self,
        conn: usize,
        place: usize,
        patch: Option<&str>,
    ) -> Result<(), String> {
        let theirs = &self.conn(conn).theirs[place];
        let method = theirs.method.clone();
        let id = theirs
            .id
            .clone()
            .ok_or_else(|| format!("{method} came as a notification"))?;
        let mut result = self
            .book
            .plain_result(conn, place)
            .ok_or_else(|| format!("{method} has no usual answer"))?;
        if let Some(patch) = patch {
            result = json::merge(&result, patch);
        }
        let result = self
            .grown(conn, &method, Part::Result, &result)
            .unwrap_or(result);
        self.answer(conn, place, &write_result(&id, &result));
        Ok(())
    }

    /// Welcomes the client, opens its session, and waits for its prompt. The error is a reason for people.
    pub(crate) fn serve(&mut self, conn: usize, patch: Option<&str>) -> Result<(), String> {
        if let Err(reason) = self.open_session(conn, patch) {
            self.no_session(Some(conn), &reason);
            return Err(reason);
        }
        let turn = self.next_turn(conn);
        if let Err(reason) = &turn {
            self.no_turn(conn, reason);
        }
        turn
    }

    fn open_session(&mut self, conn: usize, patch: Option<&str>) -> Result<(), String> {
        let mut introductions = self.theirs_with(conn, "initialize");
        let welcomed = introductions.any(|place| self.conn(conn).theirs[place].settled);
        drop(introductions);
        if !welcomed {
            self.welcome(conn, patch)?;
        }
        let time = self.settings.answer;
        let opening = self.take_message(conn, "session/new", None, time)?;
        self.answer_with(conn, opening, None)
    }

    /// We are the agent of a client.
    pub(crate) fn serves(&self) -> bool {
        self.book.us == Side::Server
    }

    /// The places of the target's messages with this method.
    pub(crate) fn theirs_with(&self, conn: usize, method: &str) -> impl Iterator<Item = usize> {
        let theirs = self.conn(conn).theirs.iter().enumerate();
        theirs
            .filter(move |(_, theirs)| theirs.method == method)
            .map(|(place, _)| place)
    }

    /// The params of a message of the target.
    pub(crate) fn params_of(&self, conn: usize, place: usize) -> Option<&str> {
        let event = self.conn(conn).theirs[place].event;
        self.book.recorder.message(event)?.params
    }

    /// Waits for the next prompt, which is `$turn` from then on. The error is a reason for people.
    pub(crate) fn next_turn(&mut self, conn: usize) -> Result<(), String> {
        let time = self.settings.answer;
        let place = self.take_message(conn, PROMPT, Some("turn"), time)?;
        self.book.vars.set("turn", Variable::Theirs(conn, place));
        if self.conn(conn).version == Version::AcpV1 {
            return Ok(());
        }
        self.answer_with(conn, place, None)?;
        let session = self.book.named_session(conn, place).map(str::to_owned);
        let session = session.ok_or("the prompt names no session")?;
        self.begin_turn(conn, place, &session);
        Ok(())
    }

    /// Says in v2 that the message of a prompt is in, and that the session works on it: without that, an idle state would
    /// not be the end of its turn.
    fn begin_turn(&mut self, conn: usize, place: usize, session: &str) {
        if let Some(inserted) = self.book.inserted(conn, place) {
            self.update(conn, session, &inserted);
        }
        self.update(conn, session, answers::RUNNING);
    }

    /// The session that a connection is about, as JSON text.
    pub(crate) fn session_of(&self, conn: usize) -> String {
        let session = self.book.variable("session", Some(conn));
        session.unwrap_or_else(|| answers::FIRST_SESSION.to_owned())
    }

    /// Sends an update of a session. Both are JSON text.
    pub(crate) fn update(&mut self, conn: usize, session: &str, update: &str) {
        let params = answers::update(session, update);
        let params = self
            .grown(conn, "session/update", Part::Params, &params)
            .unwrap_or(params);
        self.notify(conn, "session/update", Some(&params));
        let says = |path: &str, word: &str| {
            json::string_at(update, &[path]).is_some_and(|said| said == word)
        };
        if says("sessionUpdate", "state_update") && says("state", "idle") {
            self.note_idle(conn, session);
        }
    }

    /// The turns of this session are over.
    fn note_idle(&mut self, conn: usize, session: &str) {
        for place in 0..self.conn(conn).theirs.len() {
            if self.conn(conn).theirs[place].method == PROMPT
                && self.book.named_session(conn, place) == Some(session)
            {
                self.book.conns[conn].theirs[place].turn_over = true;
            }
        }
    }

    /// Ends the turn that a prompt began, with this reason, which is JSON text. The error is a reason for people.
    pub(crate) fn end_turn(
        &mut self,
        conn: usize,
        place: usize,
        reason: Option<&str>,
    ) -> Result<(), String> {
        let reason = reason.unwrap_or(END_TURN);
        let theirs = &self.conn(conn).theirs[place];
        let id = theirs
            .id
            .clone()
            .ok_or("the prompt came as a notification")?;
        if theirs.turn_over || (self.conn(conn).version == Version::AcpV1 && theirs.settled) {
            return Err("the turn is over".to_owned());
        }
        let answered = theirs.settled;
        self.book.conns[conn].theirs[place].turn_over = true;
        let turn = turns_before(self.conn(conn), place);
        let version = self.conn(conn).version;
        if !answered {
            let result = answers::prompt(version, turn, reason);
            let result = self
                .grown(conn, PROMPT, Part::Result, &result)
                .unwrap_or(result);
            self.answer(conn, place, &write_result(&id, &result));
        }
        if version != Version::AcpV1 {
            let session = self.book.named_session(conn, place).map(str::to_owned);
            let session = session.ok_or("the prompt names no session")?;
            if !answered {
                self.begin_turn(conn, place, &session);
            }
            self.update(conn, &session, &answers::idle(reason));
        }
        Ok(())
    }

    /// Ends all turns that are still open, as the client wishes it.
    pub(crate) fn end_open_turns(&mut self, conn: usize) {
        for place in 0..self.conn(conn).theirs.len() {
            let theirs = &self.conn(conn).theirs[place];
            // A prompt that the script lets wait for ever waits for ever.
            let open = theirs.method == PROMPT && !theirs.turn_over && !theirs.cancelled;
            if !open || !self.conn(conn).live() {
                continue;
            }
            let cancelled = self.book.was_cancelled(conn, place);
            let reason = cancelled.then_some(CANCELLED);
            // What is no turn has no end.
            let _ = self.end_turn(conn, place, reason);
        }
    }

    /// A turn of the client is open, or none has begun yet: there is something to wait for.
    pub(super) fn is_serving(&self, conn: usize) -> bool {
        let mut prompts = self
            .conn(conn)
            .theirs
            .iter()
            .filter(|theirs| theirs.method == PROMPT)
            .peekable();
        let over = |theirs: &super::conn::Theirs| {
            theirs.turn_over || (theirs.settled && self.conn(conn).version == Version::AcpV1)
        };
        prompts.peek().is_none() || !prompts.all(over)
    }

    /// Waits until the client has connected to us, and gives the connection that it works on its name in the script. The
    /// error is a reason for people.
    pub(crate) fn await_client(
        &mut self,
        first: usize,
        name: &str,
        told: &Told,
    ) -> Result<usize, String> {
        let Some(before) = self.patience.probes.checked_sub(1) else {
            self.book.names.insert(name.to_owned(), first);
            self.await_joined(first)?;
            return Ok(first);
        };
        self.book.follows = Some(Follow {
            name: name.to_owned(),
            told: told.clone(),
            before,
        });
        self.await_joined(first)?;
        self.wait(self.settings.start, |book| {
            let works = || {
                let conns = book.conns.iter();
                conns
                    .clone()
                    .any(|conn| conn.exit.is_some() || conn.works())
            };
            book.follows.is_none() || works()
        });
        if self.book.follows.take().is_some() {
            return Err("the target did not start its agent again".to_owned());
        }
        Ok(self.book.names.get(name).copied().unwrap_or(first))
    }

    /// How many connections a client has made before the first one on which it works. One that has only looked at its
    /// agent may be about to start it again.
    pub(crate) fn probes(&mut self, first: usize) -> usize {
        if self.conn(first).eof && !self.conn(first).works() {
            self.wait(self.settings.answer, |book| {
                let mut conns = book.conns.iter();
                conns.any(|conn| conn.exit.is_some() || conn.works())
            });
        }
        let works = self.book.conns.iter().position(Conn::works);
        works.unwrap_or_default()
    }

    fn await_joined(&mut self, conn: usize) -> Result<(), String> {
        let time = self.settings.start;
        let ended = self.wait(time, |book| {
            let conn = &book.conns[conn];
            conn.joined || conn.gone()
        });
        if self.conn(conn).joined {
            return Ok(());
        }
        Err(match ended {
            Ended::Over => self.why_over(),
            Ended::Met => format!("{} before it started its agent", self.how_gone(conn)),
            Ended::Time => format!(
                "the target did not start its agent in {} s",
                time.as_secs_f32()
            ),
        })
    }
}
