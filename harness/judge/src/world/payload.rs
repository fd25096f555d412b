//! What payloads add to the world: initialize, turns, elicitations and what the agent says.

use elenchus_protocol::{
    Version, Weight,
    acp::{
        elicitation::{self, Answer, Scope},
        initialize,
    },
    members,
    url_inspect::{self, Parts},
};
use elenchus_wire::{Side, redact::MARKER};
use serde_json::Value;

use super::{
    conn::Conn,
    model::{Again, Call, Elicitation, Link, Request, Session, Told, TraceTrigger, Turn, TurnEnd},
};
/// The most text of one turn's messages that is kept, in bytes.
const MAX_REPORT: usize = 64 * 1024;
/// What a message counts besides its text.
const MESSAGE: usize = 16;

/// A member, if the value is an object that has it.
pub(crate) fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    members::member(value.as_object()?, name)
}

/// A member that is a string.
pub(super) fn str_at<'v>(value: Option<&'v Value>, name: &str) -> Option<&'v str> {
    member(value?, name)?.as_str()
}

pub(super) fn on_initialize(conn: &mut Conn, index: usize) {
    if conn.init.request.is_some() {
        return;
    }
    conn.init.request = Some(index);
    conn.init.requested = version_in(conn.requests[index].params.as_ref());
    read_support(conn, index);
}

/// `protocolVersion`, if it is a number in range.
fn version_in(value: Option<&Value>) -> Option<u16> {
    u16::try_from(value?.get("protocolVersion")?.as_u64()?).ok()
}

/// What the client advertises stands where the version that the connection follows says.
fn read_support(conn: &mut Conn, initialize: usize) {
    let params = conn.requests[initialize].params.as_ref();
    (conn.init.support, conn.init.shape) =
        elicitation::support(params.unwrap_or(&Value::Null), conn.version());
}

pub(super) fn on_prompt(conn: &mut Conn, index: usize) {
    let params = conn.requests[index].params.as_ref();
    let Some(session) = str_at(params, "sessionId") else {
        return;
    };
    let prompt = params
        .and_then(|params| params.get("prompt"))
        .and_then(Value::as_array)
        .and_then(|blocks| {
            blocks
                .iter()
                .find_map(|block| block.get("text").and_then(Value::as_str))
        })
        .unwrap_or_default()
        .to_owned();
    let session = session.to_owned();
    let trigger = conn.requests[index]
        .trigger
        .map(|trigger| conn.triggers[trigger].name.clone());
    let own_words = |trigger: &&TraceTrigger| trigger.own_words && trigger.request == Some(index);
    let stands_for = conn.triggers.iter().rfind(own_words);
    let stands_for = stands_for.map(|trigger| trigger.name.clone());
    conn.requests[index].turn = Some(conn.turns.len());
    conn.open_turns.push(conn.turns.len());
    conn.turns.push(Turn {
        request: index,
        session,
        prompt,
        trigger,
        stands_for,
        messages: Vec::new(),
        weight: 0,
        elicitations: Vec::new(),
        cancelled: None,
        cancels: 0,
        running: false,
        ended: None,
    });
}

pub(super) fn on_elicitation(conn: &mut Conn, index: usize) {
    let create = elicitation::read_create(conn.requests[index].params.as_ref(), conn.version());
    let turn = match &create.scope {
        Scope::Session { session, .. } => conn.open_turn(session),
        Scope::Request(_) => None,
        // A broken scope is a finding of its own; whose turn it is stays clear if only one is open.
        Scope::Unclear => {
            let mut open = conn
                .turns
                .iter()
                .enumerate()
                .filter(|(_, turn)| turn.ended.is_none());
            match (open.next(), open.next()) {
                (Some((only, _)), None) => Some(only),
                _ => None,
            }
        }
    };
    if let Some(turn) = turn {
        conn.turns[turn].elicitations.push(index);
    }
    if let Some(id) = &create.elicitation_id {
        conn.issued.entry(id.clone()).or_default().push(index);
    }
    let elicitation = Elicitation {
        link: create.url.as_deref().map(link),
        create,
        support: conn.init.support,
        initialized: conn.initialized(),
        answer: None,
        fits: true,
        visited: None,
        typed: None,
    };
    conn.requests[index].turn = turn;
    conn.requests[index].elicitation = Some(Box::new(elicitation));
}

fn link(url: &str) -> Link {
    let inspection = url_inspect::inspect(url);
    let parts = inspection.parts.as_ref();
    Link {
        https: parts.is_some_and(|parts| parts.scheme == "https"),
        loopback: parts.is_some_and(Parts::is_loopback),
        hidden: url == MARKER,
        findings: inspection.findings,
    }
}

/// The most of an id or a name that is remembered, in characters.
const MAX_NAME: usize = 200;
/// The most of a message of the user.
const MAX_SAID: usize = 4096;
/// The most background work of one list.
const MAX_BACKGROUND: usize = 64;

/// What is remembered of a `session/update`, if it is about a session.
pub(super) fn told(params: &Value) -> Option<Box<Told>> {
    let session = name(str_at(Some(params), "sessionId")?);
    let update = member(params, "update")?;
    let of = |member| str_at(Some(update), member).map(name);
    let kind = of("sessionUpdate")?;
    let mut told = Told {
        session,
        id: of("messageId")
            .or_else(|| of("toolCallId"))
            .or_else(|| of("terminalId")),
        state: of("state").or_else(|| of("status")),
        kind,
        ..Told::default()
    };
    if told.kind == "state_update" {
        let items = update.get("background").and_then(Value::as_array);
        told.background = items.map(|items| {
            let ids = items.iter().filter_map(|item| {
                ["toolCallId", "terminalId", "sessionId"]
                    .into_iter()
                    .find_map(|id| str_at(Some(item), id))
            });
            ids.take(MAX_BACKGROUND).map(name).collect()
        });
    }
    if matches!(told.kind.as_str(), "user_message" | "user_message_chunk") {
        let blocks = match member(update, "content") {
            Some(Value::Array(blocks)) => blocks.as_slice(),
            Some(block) => std::slice::from_ref(block),
            None => &[],
        };
        let texts = blocks
            .iter()
            .filter_map(|block| str_at(Some(block), "text"));
        let said: String = texts.flat_map(str::chars).take(MAX_SAID).collect();
        let kept = said.chars().count() < MAX_SAID;
        told.more = !kept || blocks.iter().any(|block| block.get("text").is_none());
        told.said = Some(said);
    }
    Some(Box::new(told))
}

pub(super) fn name(text: &str) -> String {
    let end = text.char_indices().nth(MAX_NAME);
    text[..end.map_or(text.len(), |(end, _)| end)].to_owned()
}

/// A `session/update`; the turns that it ends come back.
pub(super) fn on_update(conn: &mut Conn, seq: u64, params: Option<&Value>) -> Vec<usize> {
    let Some(session_id) = str_at(params, "sessionId") else {
        return Vec::new();
    };
    let update = params.and_then(|params| member(params, "update"));
    let kind = str_at(update, "sessionUpdate").unwrap_or_default();
    let turn = conn.open_turn(session_id);
    let version = conn.version();
    // What is told while a session is brought back may be its history, and is no word of a turn.
    let told_again = kind.starts_with("agent_message") && conn.is_restoring(session_id);
    if kind == "subagent_update"
        && let Some(child) = str_at(update, "sessionId")
    {
        let child = conn.sessions.entry(child.to_owned()).or_default();
        child.known = true;
        child.announced.get_or_insert(seq);
    }
    // Looked up first: most updates are about a session that is there.
    if !conn.sessions.contains_key(session_id) {
        conn.sessions
            .insert(session_id.to_owned(), Session::default());
    }
    let Some(session) = conn.sessions.get_mut(session_id) else {
        return Vec::new();
    };
    if kind == "state_update"
        && let Some(list) = update.and_then(|update| update.get("background"))
        && !list.is_null()
    {
        if list.as_array().is_some_and(|tasks| !tasks.is_empty()) {
            session.background_since.get_or_insert(seq);
        }
        let tasks = list.as_array().into_iter().flatten();
        let calls = tasks.filter_map(|task| str_at(Some(task), "toolCallId"));
        session.background = Some(calls.map(str::to_owned).collect());
    }
    if let Some(id) = str_at(update, "toolCallId") {
        let call = session.calls.entry(id.to_owned()).or_insert(Call {
            first: seq,
            newest: seq,
            turn: None,
            status: None,
            before: None,
            title: None,
            again: None,
        });
        call.turn = turn.or(call.turn);
        on_call(call, seq, version, update);
        session.tool_calls.insert(id.to_owned());
        if let Some(title) = str_at(update, "title") {
            session.titles.entry(title.to_owned()).or_insert(seq);
        }
    }
    if let Some(update) = update {
        session.shown.take_down(seq, kind, update);
    }
    let state = str_at(update, "state").filter(|_| kind == "state_update");
    if let Some(state) = state {
        session.state = Some(state.to_owned());
    }
    let Some(turn_index) = turn.filter(|_| !told_again) else {
        return Vec::new();
    };
    let turn = &mut conn.turns[turn_index];
    let id = str_at(update, "messageId");
    let content = update.and_then(|update| member(update, "content"));
    match kind {
        "agent_message_chunk" => {
            say(turn, id, str_at(content, "text").unwrap_or_default(), false);
        }
        "agent_message" => {
            if let Some(blocks) = content.and_then(Value::as_array) {
                let texts = blocks
                    .iter()
                    .filter_map(|block| str_at(Some(block), "text"));
                say(turn, id, &texts.collect::<String>(), true);
            }
        }
        _ => {}
    }
    match state.filter(|_| version == Version::AcpV2) {
        Some("running" | "requires_action") => turn.running = true,
        Some("idle") => {
            let stop_reason = str_at(update, "stopReason");
            let over = ended_by_idle(conn, session_id, turn_index, stop_reason);
            for &turn in &over {
                let end = TurnEnd {
                    seq,
                    stop_reason: stop_reason.map(str::to_owned),
                    error: None,
                };
                conn.end_turn(turn, end);
            }
            return over;
        }
        _ => {}
    }
    Vec::new()
}

/// The turns that end as their session, where this turn is at work, is idle: that one, and others that were taken into
/// its work.
fn ended_by_idle(
    conn: &Conn,
    session: &str,
    working: usize,
    stop_reason: Option<&str>,
) -> Vec<usize> {
    let oldest = conn.open_turns_of(session).next();
    // A prompt that was sent behind a cancellation starts new work: what ends as cancelled is the old.
    let cancelled = oldest.filter(|&oldest| {
        stop_reason == Some("cancelled") && conn.turns[oldest].cancelled.is_some()
    });
    let meant = cancelled.unwrap_or(working);
    let turn = &conn.turns[meant];
    // A session that is idle before the work began is not at its end.
    if !turn.running && conn.requests[turn.request].is_open() {
        return Vec::new();
    }
    let mut over = vec![meant];
    over.extend(
        conn.open_turns_of(session)
            .filter(|&turn| turn != meant && is_inserted(conn, turn)),
    );
    over
}

/// The agent has told the user's message of this turn, by the id that it gave it: it is part of the conversation.
fn is_inserted(conn: &Conn, turn: usize) -> bool {
    let turn = &conn.turns[turn];
    let id = str_at(conn.requests[turn.request].result(), "messageId");
    id.is_some_and(|id| {
        let mut uttered = conn.uttered.iter().rev();
        uttered
            .any(|it| it.is_users() && it.session == turn.session && it.id.as_deref() == Some(id))
    })
}

/// What an update tells of the tool call that it names.
fn on_call(call: &mut Call, seq: u64, version: Version, update: Option<&Value>) {
    call.newest = seq;
    call.before.clone_from(&call.status);
    let status = match update.and_then(|update| update.get("status")) {
        // In version 1 it means no change.
        Some(Value::Null) if version == Version::AcpV2 && call.status.is_some() => Some("pending"),
        status => status.and_then(Value::as_str),
    };
    let title = str_at(update, "title").map(name);
    let is_new = str_at(update, "sessionUpdate") == Some("tool_call");
    let open = matches!(status, Some("pending" | "in_progress"));
    if call.is_over() && (is_new || open) {
        let retitled = title.is_some() && call.title.is_some() && title != call.title;
        call.again = Some(Again {
            seq,
            retitled,
            open,
        });
    }
    if let Some(status) = status {
        call.status = Some(name(status));
    }
    call.title = title.or(call.title.take());
}

/// Adds a piece to a message of the turn, or replaces the whole of it.
fn say(turn: &mut Turn, id: Option<&str>, text: &str, replace: bool) {
    let weight = text.len() + MESSAGE;
    if turn.weight + weight > MAX_REPORT {
        return;
    }
    turn.weight += weight;
    match turn
        .messages
        .iter_mut()
        .rev()
        .find(|(known, _)| known.as_deref() == id)
    {
        Some((_, known)) if replace => text.clone_into(known),
        Some((_, known)) => known.push_str(text),
        None => turn.messages.push((id.map(str::to_owned), text.to_owned())),
    }
}

/// What the first answer to a request establishes; the turn that it ends comes back.
pub(super) fn on_first_answer(conn: &mut Conn, index: usize, seq: u64) -> Option<usize> {
    let request = &conn.requests[index];
    match (request.from, request.method.as_str()) {
        (Side::Client, "initialize") if conn.init.request == Some(index) => {
            let result = request.result()?;
            conn.init.answered = version_in(Some(result));
            conn.init.negotiated = conn.init.answered.and_then(Version::from_number);
            let version = conn.version();
            let features = initialize::agent_features(result, version);
            let problems = initialize::read_result(result, version).problems;
            conn.init.features = Some(features);
            conn.init.problems = problems;
            read_support(conn, index);
        }
        (Side::Client, "session/new" | "session/fork") => {
            let session = str_at(request.result(), "sessionId")?.to_owned();
            conn.sessions.entry(session).or_default().known = true;
        }
        (Side::Client, "session/prompt") => {
            let turn = request.turn?;
            let answer = request.answer()?;
            let error = answer
                .is_error
                .then(|| answer.error_code.unwrap_or_default());
            let stop_reason = str_at(answer.result.as_ref(), "stopReason").map(str::to_owned);
            let over = conn.version() == Version::AcpV1 || error.is_some();
            if over && conn.turns[turn].ended.is_none() {
                let end = TurnEnd {
                    seq,
                    stop_reason,
                    error,
                };
                conn.end_turn(turn, end);
                return Some(turn);
            }
        }
        (Side::Server, "elicitation/create") => on_elicitation_answered(conn, index),
        _ => {}
    }
    None
}

fn on_elicitation_answered(conn: &mut Conn, index: usize) {
    let version = conn.version();
    let Request {
        answers,
        elicitation: Some(elicitation),
        ..
    } = &mut conn.requests[index]
    else {
        return;
    };
    let Some(answer) = answers.first().filter(|answer| !answer.is_error) else {
        return;
    };
    let answer = answer
        .result
        .as_ref()
        .map_or(Answer::Unreadable, elicitation::read_answer);
    elicitation.fits = match (&answer, &elicitation.create.form) {
        (Answer::Accept(content), Some(form)) => form
            .check(content.as_ref(), version)
            .iter()
            .all(|problem| problem.weight != Weight::Violation),
        _ => true,
    };
    elicitation.answer = Some(answer);
}
