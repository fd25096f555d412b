//! What our peer answers when no step does: the script's standing replies, and else what a conforming client or a plain
//! agent says.

use elenchus_protocol::acp::elicitation;
use elenchus_suites::script::{Fill, Reply};
use elenchus_wire::{
    IdKey, Side,
    message::{write_error, write_result},
};
use serde_json::{Value, json};

use super::{book::Book, plan::Want};
use crate::json as text;

/// JSON-RPC: there is no such method.
const NO_METHOD: i64 = -32601;
/// JSON-RPC: the params are wrong; here, a mode that was not advertised.
const WRONG_PARAMS: i64 = -32602;
/// ACP: the request was cancelled.
const CANCELLED: i64 = -32800;

/// The method by which an agent asks for permission.
pub(super) const PERMISSION: &str = "session/request_permission";

/// What is done about a request.
enum Decision {
    /// It stays open: a step will answer it, or a person takes their time.
    Wait,
    /// It stays open for ever.
    Never,
    /// This line.
    Line(String),
    /// This result, and whatever a plain agent says after it.
    Plain(String),
}

impl Book<'_> {
    /// A request came in.
    pub(super) fn on_request(&mut self, conn: usize, place: usize) {
        match self.decide(conn, place) {
            Decision::Wait => {}
            Decision::Never => self.conns[conn].theirs[place].cancelled = true,
            Decision::Line(line) => self.reply(conn, place, line),
            Decision::Plain(line) => {
                self.reply(conn, place, line);
                self.after_plain_result(conn, place);
            }
        }
    }

    fn reply(&mut self, conn: usize, place: usize, line: String) {
        self.conns[conn].theirs[place].settled = true;
        self.outbox.push((conn, line));
    }

    fn decide(&self, conn: usize, place: usize) -> Decision {
        let theirs = &self.conns[conn].theirs[place];
        let (Some(id), method) = (theirs.id.as_deref(), theirs.method.as_str()) else {
            return Decision::Wait;
        };
        let standing = self
            .plan
            .standing
            .iter()
            .find(|standing| standing.method == method);
        match standing.map(|standing| &standing.reply) {
            Some(Reply::Ignore) => return Decision::Never,
            Some(Reply::Answer(result)) => {
                if let Ok(result) = self.render(result, Some(conn)) {
                    return Decision::Line(write_result(id, &result));
                }
            }
            Some(Reply::Refuse(error)) => {
                if let Ok(error) = self.render(error, Some(conn)) {
                    return Decision::Line(error_line(id, &error));
                }
            }
            Some(Reply::Fill) => {
                let result = match method {
                    "elicitation/create" => self.filled(conn, place, &Fill::Required).ok(),
                    PERMISSION => self.allowed(conn, place),
                    _ => None,
                };
                if let Some(result) = result {
                    return Decision::Line(write_result(id, &result));
                }
            }
            None => {
                if self.wanted(conn, place).is_some() {
                    return Decision::Wait;
                }
            }
        }
        if self.us == Side::Client {
            return self.conforming(conn, place, id);
        }
        match self.plain_result(conn, place) {
            Some(result) => Decision::Plain(write_result(id, &result)),
            None => Decision::Line(write_error(id, NO_METHOD, "method not found", None)),
        }
    }

    /// What a client says that has advertised what we have advertised, and whose user does nothing.
    fn conforming(&self, conn: usize, place: usize, id: &str) -> Decision {
        let conn = &self.conns[conn];
        let theirs = &conn.theirs[place];
        let params = self
            .recorder
            .message(theirs.event)
            .and_then(|message| message.params);
        match theirs.method.as_str() {
            "elicitation/create" => {
                let mode = params.and_then(|params| text::string_at(params, &["mode"]));
                let offered = match mode.as_deref() {
                    Some("form") => conn.support.form,
                    Some("url") => conn.support.url,
                    _ => false,
                };
                if offered {
                    Decision::Wait
                } else {
                    Decision::Line(write_error(
                        id,
                        WRONG_PARAMS,
                        "this mode is not supported",
                        None,
                    ))
                }
            }
            PERMISSION => {
                let session = params.and_then(|params| text::string_at(params, &["sessionId"]));
                let turn = session.and_then(|session| conn.turn(&session));
                if turn.is_some_and(|turn| conn.turns[turn].cancelled && !conn.turns[turn].ended) {
                    Decision::Line(write_result(id, PERMISSION_CANCELLED))
                } else {
                    Decision::Wait
                }
            }
            _ => Decision::Line(write_error(id, NO_METHOD, "method not found", None)),
        }
    }

    /// The step that will take a request which no step has taken yet.
    fn wanted(&self, conn: usize, place: usize) -> Option<&Want<'_>> {
        let name = self.connection_name(conn)?;
        let theirs = &self.conns[conn].theirs;
        let method = &theirs[place].method;
        let before = theirs[..place]
            .iter()
            .filter(|earlier| earlier.waits_for_expect(method))
            .count();
        self.plan.wanted(name, method, before)
    }

    /// A step of the script will take this request, which none has taken yet.
    pub(super) fn is_wanted(&self, conn: usize, place: usize) -> bool {
        self.wanted(conn, place).is_some()
    }

    /// A step of the script will answer this request.
    fn will_be_answered(&self, conn: usize, place: usize) -> bool {
        let theirs = &self.conns[conn].theirs[place];
        let name = if theirs.taken {
            theirs.name.as_deref()
        } else {
            self.wanted(conn, place).and_then(|want| want.name)
        };
        name.is_some_and(|name| self.plan.answers(name))
    }

    /// The target cancelled a request of its own.
    pub(super) fn on_cancel(&mut self, conn: usize, key: &IdKey) {
        let open = self.conns[conn].theirs.iter().position(|theirs| {
            theirs.open()
                && !theirs.cancelled
                && theirs.id.as_deref().is_some_and(|id| same_id(id, key))
        });
        let Some(place) = open else { return };
        self.conns[conn].theirs[place].cancelled = true;
        if !self.will_be_answered(conn, place)
            && let Some(id) = self.conns[conn].theirs[place].id.clone()
        {
            self.reply(
                conn,
                place,
                write_error(&id, CANCELLED, "request cancelled", None),
            );
        }
    }

    /// We have cancelled the work of a session: a client answers what it was asked to permit with `cancelled`.
    pub(super) fn on_our_cancel(&mut self, conn: usize, session: &str) {
        self.conns[conn].sent_cancel(session);
        for place in 0..self.conns[conn].theirs.len() {
            let theirs = &self.conns[conn].theirs[place];
            if !theirs.open()
                || theirs.cancelled
                || theirs.method != PERMISSION
                || self.will_be_answered(conn, place)
            {
                continue;
            }
            let message = self.recorder.message(theirs.event);
            let asked =
                message.and_then(|message| text::string_at(message.params?, &["sessionId"]));
            if asked.as_deref() == Some(session)
                && let Some(id) = theirs.id.clone()
            {
                self.reply(conn, place, write_result(&id, PERMISSION_CANCELLED));
            }
        }
    }

    /// The result that accepts an elicitation, with content of this kind; the error is a reason for people.
    pub(crate) fn filled(&self, conn: usize, place: usize, how: &Fill) -> Result<String, String> {
        let conn = &self.conns[conn];
        let message = conn
            .theirs
            .get(place)
            .and_then(|theirs| self.recorder.message(theirs.event));
        let params: Option<Value> = message
            .and_then(|message| message.params)
            .and_then(|params| serde_json::from_str(&elenchus_wire::mend_surrogates(params)).ok());
        let create = elicitation::read_create(params.as_ref(), conn.version);
        if create.mode.as_deref() == Some("url") {
            return match how {
                Fill::Invalid(kind) => Err(format!(
                    "a URL elicitation cannot be answered wrong by `{kind}`"
                )),
                Fill::Valid | Fill::Required => Ok(r#"{"action":"accept"}"#.to_owned()),
            };
        }
        let form = create.form.ok_or("what came is no form")?;
        let content = match how {
            Fill::Valid => form.filled(&self.canary),
            Fill::Required => form.valid(&self.canary),
            Fill::Invalid(kind) => {
                let faults = form.just_invalid(&self.canary);
                let wrong = faults
                    .into_iter()
                    .find(|(fault, _)| fault_name(*fault) == kind);
                return match wrong {
                    Some((_, content)) => {
                        Ok(json!({"action": "accept", "content": content}).to_string())
                    }
                    None => Err(format!("no answer to this form can be wrong by `{kind}`")),
                };
            }
        };
        let content = content.ok_or("this form cannot be filled in")?;
        Ok(json!({"action": "accept", "content": content}).to_string())
    }

    /// The result that permits what was asked, if an option does.
    pub(super) fn allowed(&self, conn: usize, place: usize) -> Option<String> {
        let message = self
            .recorder
            .message(self.conns[conn].theirs[place].event)?;
        let params: Value = serde_json::from_str(message.params?).ok()?;
        let options = params.get("options")?.as_array()?;
        let kind = |option: &&Value| {
            option
                .get("kind")
                .and_then(Value::as_str)
                .is_some_and(|kind| kind.starts_with("allow"))
        };
        let option = options
            .iter()
            .find(kind)
            .or(options.first())?
            .get("optionId")?
            .clone();
        Some(json!({"outcome": {"outcome": "selected", "optionId": option}}).to_string())
    }
}

/// The answer to a permission request whose turn was cancelled.
pub(super) const PERMISSION_CANCELLED: &str = r#"{"outcome":{"outcome":"cancelled"}}"#;

/// A response with this exact error.
pub(crate) fn error_line(id: &str, error: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

fn same_id(id: &str, key: &IdKey) -> bool {
    elenchus_wire::Id(id.into()).key() == *key
}

/// The name of an answer fault in a script.
fn fault_name(fault: elenchus_protocol::form::AnswerFault) -> &'static str {
    use elenchus_protocol::form::AnswerFault;
    match fault {
        AnswerFault::NotAnObject => "not-an-object",
        AnswerFault::Missing => "missing",
        AnswerFault::Type => "type",
        AnswerFault::NotAChoice => "not-a-choice",
        AnswerFault::Length => "length",
        AnswerFault::Bounds => "bounds",
        AnswerFault::Count => "count",
        AnswerFault::Extra => "extra",
    }
}
