//! Sending requests, notifications and whatever a script writes by hand, and noting what that means.

use std::{ffi::OsStr, path::Path, time::Duration};

use elenchus_protocol::acp::{
    elicitation,
    shapes::{self, Part},
};
use elenchus_suites::{
    profile::{ARGUMENT, Spoken, Triggers},
    script::Advertise,
};
use elenchus_wire::{
    Class, EventKind, Id, Mark, Message, Parsed, Side, Wait,
    event::Asked,
    message::{write_notification, write_request},
};
use serde_json::Value;

use super::{Ended, Stage, vars::Variable};
use crate::{json, params, vocabulary, wires::Exit};

/// What a request of ours makes the target do.
#[derive(Debug, Clone, Copy)]
struct Cause {
    /// The name that the vocabulary has for it.
    name: &'static str,
    /// The prompt is another one of the same effect.
    own_words: bool,
}

/// The prompt that a profile has in place of one of the vocabulary, with the name of what it triggers; `None` where the
/// prompt is sent as it is. The error is a reason for people.
pub(crate) fn spoken(
    triggers: &Triggers,
    prompt: &str,
) -> Result<Option<(&'static str, String)>, String> {
    let Some(command) = vocabulary::command(prompt) else {
        return Ok(None);
    };
    match triggers.spoken(command.name, prompt) {
        Spoken::AsItIs => Ok(None),
        Spoken::Otherwise(own) => Ok(Some((command.name, own))),
        Spoken::NoRoom => Err(format!(
            "the script says more than `{}`, and the prompt that the profile has for it has no {ARGUMENT}",
            command.name
        )),
    }
}

/// What both modes of elicitation look like as a capability.
const BOTH_MODES: &str = r#"{"form":{},"url":{}}"#;

impl Stage<'_> {
    /// Sends a request; its place among ours comes back. Without an id it takes the connection's next one.
    pub(crate) fn request(
        &mut self,
        conn: usize,
        method: &str,
        params: Option<&str>,
        id: Option<String>,
    ) -> usize {
        self.request_for(conn, method, params, id, self.trigger(method, params))
    }

    /// What a request of ours triggers by the words of the vocabulary, as far as the target is said to know them.
    fn trigger(&self, method: &str, params: Option<&str>) -> Option<Cause> {
        vocabulary::trigger(method, params)
            .filter(|name| !self.settings.triggers.replaces(name))
            .map(|name| Cause {
                name,
                own_words: false,
            })
    }

    /// Sends a prompt of the vocabulary, in the words that the target understands; the request's place comes back. The
    /// session id is JSON text. The error is a reason for people.
    pub(crate) fn prompt(
        &mut self,
        conn: usize,
        session: &str,
        text: &str,
    ) -> Result<usize, String> {
        let spoken = spoken(&self.settings.triggers, text)?;
        let (text, cause) = match spoken {
            Some((name, own)) => {
                let own_words = true;
                (own, Some(Cause { name, own_words }))
            }
            None => (text.to_owned(), None),
        };
        let params = params::prompt(session, &text);
        let cause = cause.or_else(|| self.trigger("session/prompt", Some(&params)));
        Ok(self.request_for(conn, "session/prompt", Some(&params), None, cause))
    }

    fn request_for(
        &mut self,
        conn: usize,
        method: &str,
        params: Option<&str>,
        id: Option<String>,
        cause: Option<Cause>,
    ) -> usize {
        let grown = params.and_then(|params| self.grown(conn, method, Part::Params, params));
        let params = grown.as_deref().or(params);
        let id = id.unwrap_or_else(|| self.book.conns[conn].next_id());
        if let Some(Cause { name, own_words }) = cause {
            self.mark(
                Some(conn),
                Mark::Trigger {
                    name: name.to_owned(),
                    request: id.clone(),
                    own_words,
                },
            );
        }
        let place = self.note_request(conn, &id, method, params, false);
        self.note_cause(conn, place, cause);
        self.note_login(conn, method);
        self.send(conn, &write_request(&id, method, params));
        place
    }

    /// Params or a result with what `grow` adds to them, if it does.
    pub(crate) fn grown(
        &self,
        conn: usize,
        method: &str,
        part: Part,
        text: &str,
    ) -> Option<String> {
        let conn = &self.book.conns[conn];
        let (with, place) = conn.growth?;
        let mut value = serde_json::from_str(text).ok()?;
        shapes::grow(conn.version, method, part, &mut value, with, place);
        Some(value.to_string())
    }

    fn note_cause(&mut self, conn: usize, place: usize, cause: Option<Cause>) {
        if let Some(turn) = self.book.conns[conn].turns.last_mut()
            && turn.prompt == place
        {
            turn.trigger = cause.map(|cause| cause.name);
        }
    }

    pub(super) fn note_request(
        &mut self,
        conn: usize,
        id: &str,
        method: &str,
        params: Option<&str>,
        fence: bool,
    ) -> usize {
        if method == "fs/write_text_file" {
            self.note_file(params.unwrap_or_default());
        }
        let now = self.now();
        let conn = &mut self.book.conns[conn];
        let version = conn.version;
        if method == "initialize"
            && let Some(params) =
                params.and_then(|params| serde_json::from_str::<Value>(params).ok())
        {
            (conn.support, _) = elicitation::support(&params, version);
        }
        conn.sent_request(id, method, params, now, fence)
    }

    /// Notes a file that a client is asked to write, if its name says that it is this instance's own. It lies where the
    /// client works, which is the operator's place.
    fn note_file(&mut self, params: &str) {
        let path = json::string_at(params, &["path"]);
        let own = |path: &String| {
            let name = Path::new(path).file_name().and_then(OsStr::to_str);
            name.is_some_and(|name| name.contains(&self.book.canary))
        };
        self.files.extend(path.filter(own));
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, conn: usize, method: &str, params: Option<&str>) {
        self.send(conn, &write_notification(method, params));
        self.note_notification(conn, method, params);
    }

    fn note_notification(&mut self, conn: usize, method: &str, params: Option<&str>) {
        if method == "session/cancel"
            && let Some(session) = params.and_then(|params| json::string_at(params, &["sessionId"]))
        {
            self.book.on_our_cancel(conn, &session);
        }
        if method == "$/cancel_request"
            && let Some(id) = params.and_then(|params| json::at(params, &["requestId"]))
        {
            self.book.conns[conn].sent_cancel_request(&Id(id.into()).key());
        }
    }

    /// Sends an answer to a request of the target.
    pub(crate) fn answer(&mut self, conn: usize, place: usize, line: &str) {
        self.book.conns[conn].theirs[place].settled = true;
        self.send(conn, line);
    }

    /// Sends a response under an id that may be anyone's.
    pub(crate) fn respond(&mut self, conn: usize, id: &str, line: &str) {
        self.book.conns[conn].sent_answer(&Id(id.into()).key());
        self.send(conn, line);
    }

    /// Notes what a well-formed message means that was written as raw bytes.
    pub(super) fn sent_raw_message(&mut self, conn: usize, text: &str) {
        let Parsed::Message(message) = Message::parse(text) else {
            return;
        };
        match (message.class, message.method.as_deref(), message.id) {
            (Class::Request, Some(method), Some(id)) => {
                let place = self.note_request(conn, id, method, message.params, false);
                let cause = self.trigger(method, message.params);
                self.note_cause(conn, place, cause);
                self.note_login(conn, method);
            }
            (Class::Notification, Some(method), _) => {
                self.note_notification(conn, method, message.params);
            }
            (Class::Response, _, Some(_)) => {
                if let Some(id) = message.id() {
                    self.book.conns[conn].sent_answer(&id.key());
                }
            }
            _ => {}
        }
    }

    /// Waits for the answer to a request of ours; records it if it does not come. `None` says that there is none, and
    /// why, for people.
    pub(crate) fn await_answer(&mut self, conn: usize, place: usize) -> Result<(), String> {
        let time = self.patience_for_answer(conn);
        let start = self.now();
        let ended = self.wait_dismissing(conn, Some(place), time, |book| {
            book.conns[conn].ours[place].answer.is_some() || book.conns[conn].gone()
        });
        let ours = &self.book.conns[conn].ours[place];
        if ours.answer.is_some() {
            return Ok(());
        }
        let what = format!("the answer to {}", ours.method);
        match ended {
            Ended::Over => Err(self.why_over()),
            Ended::Met => Err(format!("{} before {what} came", self.how_gone(conn))),
            Ended::Time => {
                let id = ours.id.clone();
                let waited = self.now().saturating_sub(start);
                self.book.conns[conn].ours[place].late = true;
                self.deadline(conn, Wait::Answer { id }, waited);
                Err(format!("{what} did not come in {} s", time.as_secs_f32()))
            }
        }
    }

    /// How long an answer may take that is owed. Until the first one, the target may still be starting.
    pub(super) fn patience_for_answer(&self, conn: usize) -> Duration {
        // A client that asks us anything has started.
        let awake = self.book.us == Side::Server
            || self
                .conn(conn)
                .ours
                .iter()
                .any(|ours| ours.answer.is_some());
        if awake {
            self.settings.answer
        } else {
            self.settings.start.max(self.settings.answer)
        }
    }

    /// How a target left us, as the beginning of a sentence.
    pub(crate) fn how_gone(&self, conn: usize) -> String {
        match self.conn(conn).exit {
            Some(exit) => exit.to_string(),
            None if self.serves() => "the target took leave of its agent".to_owned(),
            None => "the target closed its stdout".to_owned(),
        }
    }

    /// The exact text of the result of a request of ours; the error is the answer's own, or a reason for people.
    pub(crate) fn result(&self, conn: usize, place: usize) -> Result<&str, String> {
        let ours = &self.conn(conn).ours[place];
        let message = ours
            .answer
            .and_then(|event| self.book.recorder.message(event))
            .ok_or_else(|| format!("{} was not answered", ours.method))?;
        match (message.result, message.error) {
            (Some(result), None) => Ok(result),
            (_, Some(error)) => Err(format!(
                "{} was answered with the error {}",
                ours.method,
                shortened(error)
            )),
            (None, None) => Err(format!("{} was answered with nothing", ours.method)),
        }
    }

    /// The usual params of `initialize`.
    pub(crate) fn initialize_params(
        &self,
        conn: usize,
        advertise: &Advertise,
    ) -> Result<String, String> {
        let elicitation = match advertise {
            Advertise::Default => Some(BOTH_MODES.to_owned()),
            Advertise::Absent => None,
            Advertise::Value(value) => Some(self.book.render(value, Some(conn))?),
        };
        Ok(params::initialize(
            self.book.version,
            elicitation.as_deref(),
        ))
    }

    /// Opens a session: sends `session/new` and waits; the session id's JSON text comes back.
    pub(crate) fn new_session(&mut self, conn: usize, params: &str) -> Result<String, String> {
        self.sign_in(conn)?;
        let place = self.request(conn, "session/new", Some(params), None);
        self.await_answer(conn, place)?;
        let result = self.result(conn, place)?;
        let id = json::at(result, &["sessionId"])
            .filter(|id| id.starts_with('"'))
            .map(str::to_owned);
        id.ok_or_else(|| "session/new was answered without a sessionId".to_owned())
    }

    /// Gives a session a name.
    pub(crate) fn name_session(&mut self, conn: usize, name: &str, id: String) {
        if name == "session" {
            self.book.conns[conn].session = Some(id.clone());
        }
        self.book.vars.set(name, Variable::Text(id));
    }

    /// Closes our side, after the rest of a line that has no end. An agent is done then.
    pub(crate) fn close_ours(&mut self, conn: usize) {
        self.end_ours(conn, Exit::SUCCESS);
    }

    /// The same, and where we are an agent, it ends like this.
    pub(crate) fn end_ours(&mut self, conn: usize, exit: Exit) {
        if self.book.conns[conn].closed {
            return;
        }
        if let Some(rest) = self.book.conns[conn].writing.finish() {
            self.sent_raw_frame(conn, rest);
        }
        // What was held back for one write has to leave before the end.
        self.release_on(conn);
        self.book.conns[conn].closed = true;
        self.book.conns[conn].asked = Asked::Close;
        self.record_on(conn, EventKind::Eof { from: self.book.us });
        let number = self.book.conns[conn].number;
        self.wires.shut(number);
        self.wires.end_agent(number, exit);
    }
}

/// A line that is a conforming JSON-RPC message, as far as its envelope shows.
pub(super) fn well_formed(line: &str) -> bool {
    let Parsed::Message(message) = Message::parse(line) else {
        return false;
    };
    message.jsonrpc == Some("\"2.0\"")
        && message.duplicates.is_empty()
        && match message.class {
            Class::Request => message.method.is_some() && message.id.is_some_and(good_id),
            Class::Notification => message.method.is_some(),
            Class::Response => {
                message.id.is_some() && (message.result.is_some() != message.error.is_some())
            }
            Class::Other => false,
        }
}

fn good_id(id: &str) -> bool {
    !id.starts_with(['{', '[', 't', 'f'])
}

/// A text that fits into a sentence.
pub(crate) fn shortened(text: &str) -> String {
    const WIDTH: usize = 200;
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(WIDTH + 1)
        .collect();
    match clean.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}...", &clean[..end]),
        None => clean,
    }
}
