//! The fold: one event at a time, total over any sequence.

use elenchus_protocol::{
    Version,
    acp::{
        elicitation::{self, Answer, Scope},
        initialize,
    },
};
use elenchus_wire::{
    Body, Class, Event, EventKind, Frame, FrameDefect, Id, IdKey, LineEnd, Mark, Message, Parsed,
    Side, Wait, frame, mend_surrogates,
};
use serde_json::Value;

use super::{
    World,
    conn::{Conn, Fragment},
    model::{
        Answered, Elicitation, Exit, Line, Notification, Orphan, ParamsKind, Request, TraceTrigger,
        Turn, TurnEnd, Update,
    },
};
use crate::{fact::Fact, text};

/// The most text of one turn's messages that is kept, in bytes.
const MAX_REPORT: usize = 64 * 1024;

pub(super) fn apply(world: &mut World, event: &Event, facts: &mut Vec<Fact>) {
    if let EventKind::Mark(Mark::Premise(premise)) = &event.kind {
        world.premises.push(premise.clone());
        return;
    }
    let version = world.version;
    let conn = world
        .conns
        .entry(event.conn)
        .or_insert_with(|| Conn::new(event.conn, Side::Server, version));
    match &event.kind {
        EventKind::Open { target } => {
            conn.target = *target;
            facts.push(Fact::Opened);
        }
        EventKind::Frame { from, frame } => on_frame(conn, event.seq, *from, frame, facts),
        EventKind::Mark(Mark::Fence { id }) => conn.fence = Some(id.clone()),
        EventKind::Mark(Mark::Trigger { name, request }) => {
            conn.triggers.push(TraceTrigger {
                name: name.clone(),
                request_id: request.clone(),
                request: None,
            });
            facts.push(Fact::Triggered(conn.triggers.len() - 1));
        }
        EventKind::Mark(Mark::Stopped { .. }) => {
            conn.stopped = true;
            facts.push(Fact::Stopped);
        }
        EventKind::Eof { from } => {
            if *from == conn.target
                && let Some(fragment) = conn.fragment.take()
            {
                discard(conn, fragment, facts);
            }
            conn.closed.entry(*from).or_insert(event.seq);
            facts.push(Fact::Closed(*from));
        }
        EventKind::Exit {
            code,
            signal,
            asked,
        } => {
            conn.exit = Some(Exit {
                seq: event.seq,
                code: *code,
                signal: *signal,
                asked: *asked,
            });
            facts.push(Fact::Exited);
        }
        EventKind::Settled { .. } => facts.push(Fact::Settled),
        EventKind::Deadline { wait, .. } => {
            if let Wait::Answer { id } = wait
                && let Some(index) =
                    conn.with_key(conn.target.other(), &Id(id.as_str().into()).key())
            {
                conn.requests[index].overdue = true;
            }
            facts.push(Fact::Deadline(wait.clone()));
        }
        EventKind::Limit { .. } => world.limited = true,
        EventKind::End => facts.push(Fact::Ended),
        EventKind::Unsettled { .. }
        | EventKind::Stderr { .. }
        | EventKind::Mark(_)
        | EventKind::Unknown { .. } => {}
    }
}

fn on_frame(conn: &mut Conn, seq: u64, from: Side, frame: &Frame, facts: &mut Vec<Fact>) {
    conn.frames[from as usize] += 1;
    if from != conn.target {
        conn.last_sent = text::body(&frame.body);
    }
    let mut line = Line {
        from,
        class: None,
        version_ok: false,
        id: None,
        method: None,
        has_method: false,
        params: ParamsKind::Absent,
        has_result: false,
        has_error: false,
        non_ascii: false,
        multi_line: false,
        separators: false,
        is_json: false,
    };
    let mut defects = frame::defects(frame);
    let parsed = match &frame.body {
        Body::Text(text) => {
            line.non_ascii = !text.is_ascii();
            line.multi_line = text.contains("\\n");
            line.separators = text.contains(['\u{2028}', '\u{2029}', '\u{85}', '\r']);
            match Message::parse(text) {
                Parsed::Message(message) => Some(message),
                Parsed::Defect(defect) => {
                    line.is_json =
                        matches!(defect, FrameDefect::Batch { .. } | FrameDefect::Scalar);
                    if !defects.contains(&defect) {
                        defects.push(defect);
                    }
                    None
                }
            }
        }
        Body::Bytes(_) | Body::Oversize { .. } => None,
    };
    if from == conn.target {
        gather(conn, seq, frame, parsed.is_some() || line.is_json, facts);
        conn.heard |= parsed
            .as_ref()
            .is_some_and(|message| message.class != Class::Other);
    }
    if let Some(message) = &parsed {
        describe(message, &mut line);
        defects.extend(
            message
                .duplicates
                .iter()
                .map(|key| FrameDefect::DuplicateKey {
                    key: key.to_string(),
                }),
        );
    }
    let well_formed = line.version_ok
        && line.class.is_some_and(|class| class != Class::Other)
        && (line.method.is_some() || !line.has_method);
    conn.malformed |= from != conn.target && !well_formed;
    conn.separators |= from != conn.target && line.separators;
    conn.line = Some(line);
    facts.push(Fact::Line(from));
    facts.extend(defects.into_iter().map(|defect| Fact::Defect(from, defect)));
    if let Some(message) = parsed {
        match message.class {
            Class::Request => on_request(conn, seq, from, &message, frame, facts),
            Class::Notification => on_notification(conn, seq, from, &message, facts),
            Class::Response => on_response(conn, seq, from, &message, frame, facts),
            Class::Other => {}
        }
    }
}

/// The most text of a value spread over several lines that is kept, in bytes.
const MAX_FRAGMENT: usize = 256 * 1024;

/// Tells a pretty-printed message (TRANSPORT-005) from noise (TRANSPORT-003): lines that begin a JSON value are held
/// back until they complete it, or cannot any more.
fn gather(conn: &mut Conn, seq: u64, frame: &Frame, whole: bool, facts: &mut Vec<Fact>) {
    let text = match &frame.body {
        Body::Text(text) if frame.end != LineEnd::None => text.as_str(),
        // An unterminated rest and bytes that are not UTF-8 have rules of their own.
        _ => return,
    };
    if let Some(mut fragment) = conn.fragment.take() {
        fragment.text.push('\n');
        fragment.text.push_str(text);
        fragment.lines.push((seq, text::short(text)));
        let state = if fragment.text.len() > MAX_FRAGMENT {
            Parsed::Defect(FrameDefect::Oversize)
        } else {
            Message::parse(&fragment.text)
        };
        match state {
            Parsed::Message(message) => {
                conn.heard |= message.class != Class::Other;
                let lines = u32::try_from(fragment.lines.len()).unwrap_or(u32::MAX);
                facts.push(Fact::Split {
                    first: fragment.first,
                    lines,
                });
                return;
            }
            Parsed::Defect(FrameDefect::NotJson {
                incomplete: true, ..
            }) => {
                conn.fragment = Some(fragment);
                return;
            }
            Parsed::Defect(_) => {
                fragment.lines.pop();
                discard(conn, fragment, facts);
            }
        }
    }
    if whole {
        return;
    }
    match Message::parse(text) {
        Parsed::Defect(FrameDefect::NotJson {
            incomplete: true, ..
        }) => {
            conn.fragment = Some(Fragment {
                first: seq,
                text: text.to_owned(),
                lines: vec![(seq, text::short(text))],
            });
        }
        Parsed::Defect(FrameDefect::Blank) | Parsed::Message(_) => {}
        Parsed::Defect(_) => {
            conn.noise.push((seq, text::short(text)));
            facts.push(Fact::Noise(conn.noise.len() - 1));
        }
    }
}

/// Lines that began a JSON value and did not complete it are noise after all.
fn discard(conn: &mut Conn, fragment: Fragment, facts: &mut Vec<Fact>) {
    for line in fragment.lines {
        conn.noise.push(line);
        facts.push(Fact::Noise(conn.noise.len() - 1));
    }
}

fn describe(message: &Message<'_>, line: &mut Line) {
    line.is_json = true;
    line.class = Some(message.class);
    line.version_ok = message
        .jsonrpc
        .is_some_and(|text| text == "\"2.0\"" || parse(text) == "2.0");
    line.id = message.id.map(str::to_owned);
    line.method = message.method.as_deref().map(str::to_owned);
    line.has_method = message.method_text.is_some();
    line.params = match message.params.map(|text| text.as_bytes()[0]) {
        None => ParamsKind::Absent,
        Some(b'{') => ParamsKind::Object,
        Some(b'[') => ParamsKind::Array,
        Some(b'n') => ParamsKind::Null,
        Some(_) => ParamsKind::Scalar,
    };
    line.has_result = message.result.is_some();
    line.has_error = message.error.is_some();
}

/// A member's value. The envelope has been read, so that this is JSON; numbers out of range read as null.
fn parse(text: &str) -> Value {
    serde_json::from_str(&mend_surrogates(text)).unwrap_or(Value::Null)
}

/// Methods whose payloads the world looks into: all but extensions.
fn defined(method: &str) -> bool {
    !method.starts_with('_')
}

fn on_request(
    conn: &mut Conn,
    seq: u64,
    from: Side,
    message: &Message<'_>,
    frame: &Frame,
    facts: &mut Vec<Fact>,
) {
    let (Some(id), Some(method)) = (message.id(), message.method.as_deref()) else {
        return;
    };
    let key = id.key();
    let fence = from != conn.target && conn.fence.as_deref() == Some(id.text());
    if fence {
        conn.fence = None;
    }
    let index = conn.requests.len();
    let reuses = conn.by_key.get(&(from, key.clone())).and_then(|list| {
        list.iter()
            .copied()
            .find(|&earlier| conn.requests[earlier].is_open())
    });
    let trigger = (from != conn.target)
        .then(|| {
            conn.triggers
                .iter()
                .rposition(|t| t.request.is_none() && t.request_id == id.text())
        })
        .flatten();
    if let Some(trigger) = trigger {
        conn.triggers[trigger].request = Some(index);
    }
    conn.by_key
        .entry((from, key.clone()))
        .or_default()
        .push(index);
    conn.requests.push(Request {
        from,
        seq,
        id,
        key,
        method: method.to_owned(),
        params: message.params.filter(|_| defined(method)).map(parse),
        text: text::body(&frame.body),
        answers: Vec::new(),
        fence,
        reuses,
        cancel_asked: None,
        elicitation: None,
        turn: None,
        trigger,
        overdue: false,
        ordinal: conn.frames[from as usize],
    });
    match (from, method) {
        (Side::Client, "initialize") => on_initialize(conn, index),
        (Side::Client, "session/load" | "session/resume" | "session/fork") => {
            if let Some(session) = str_at(conn.requests[index].params.as_ref(), "sessionId") {
                conn.sessions.entry(session).or_default().known = true;
            }
        }
        (Side::Client, "session/prompt") => on_prompt(conn, index),
        (Side::Server, "elicitation/create") => on_elicitation(conn, index),
        _ => {}
    }
    facts.push(Fact::Requested(index));
    if method == "session/prompt"
        && let Some(turn) = conn.requests[index].turn
    {
        facts.push(Fact::TurnStarted(turn));
    }
}

fn str_at(value: Option<&Value>, member: &str) -> Option<String> {
    value?.get(member)?.as_str().map(str::to_owned)
}

fn on_initialize(conn: &mut Conn, index: usize) {
    if conn.init.request.is_some() {
        return;
    }
    let params = conn.requests[index].params.clone().unwrap_or(Value::Null);
    conn.init.request = Some(index);
    conn.init.requested = params
        .get("protocolVersion")
        .and_then(Value::as_u64)
        .and_then(|v| u16::try_from(v).ok());
    let version = conn.version();
    (conn.init.support, conn.init.shape) = elicitation::support(&params, version);
}

fn on_prompt(conn: &mut Conn, index: usize) {
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
    let trigger = conn.requests[index]
        .trigger
        .map(|trigger| conn.triggers[trigger].name.clone());
    conn.requests[index].turn = Some(conn.turns.len());
    conn.turns.push(Turn {
        request: index,
        session,
        prompt,
        trigger,
        messages: Vec::new(),
        elicitations: Vec::new(),
        cancelled: None,
        running: false,
        ended: None,
    });
}

fn on_elicitation(conn: &mut Conn, index: usize) {
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
    let elicitation = Elicitation {
        create,
        support: conn.init.support,
        initialized: conn.initialized(),
        answer: None,
        fits: true,
    };
    conn.requests[index].turn = turn;
    conn.requests[index].elicitation = Some(Box::new(elicitation));
}

fn on_notification(
    conn: &mut Conn,
    seq: u64,
    from: Side,
    message: &Message<'_>,
    facts: &mut Vec<Fact>,
) {
    let Some(method) = message.method.as_deref() else {
        return;
    };
    let params = message.params.filter(|_| defined(method)).map(parse);
    let mut after = Vec::new();
    match (from, method) {
        (_, "$/cancel_request") => {
            // The id's exact text: a Value would forget whether it was written 1 or 1.0.
            let id = params
                .as_ref()
                .and_then(|params| params.get("requestId"))
                .map(ToString::to_string);
            if let Some(index) = id.and_then(|id| conn.with_key(from, &Id(id.into()).key())) {
                conn.requests[index].cancel_asked.get_or_insert(seq);
            }
        }
        (Side::Client, "session/cancel") => {
            if let Some(turn) =
                str_at(params.as_ref(), "sessionId").and_then(|session| conn.open_turn(&session))
            {
                conn.turns[turn].cancelled.get_or_insert(seq);
            }
        }
        (Side::Server, "session/update") => on_update(conn, seq, params.as_ref(), &mut after),
        _ => {}
    }
    conn.notifications.push(Notification {
        from,
        seq,
        method: method.to_owned(),
        params,
    });
    facts.push(Fact::Notified(conn.notifications.len() - 1));
    facts.append(&mut after);
}

fn on_update(conn: &mut Conn, seq: u64, params: Option<&Value>, facts: &mut Vec<Fact>) {
    let Some(session_id) = str_at(params, "sessionId") else {
        return;
    };
    let update = params.and_then(|params| params.get("update"));
    let kind = str_at(update, "sessionUpdate");
    let turn = conn.open_turn(&session_id);
    let tool_call = str_at(update, "toolCallId");
    let title = str_at(update, "title");
    if kind.as_deref() == Some("subagent_update")
        && let Some(child) = str_at(update, "sessionId")
    {
        conn.sessions.entry(child).or_default().known = true;
    }
    let session = conn.sessions.entry(session_id.clone()).or_default();
    if let Some(id) = &tool_call {
        session.tool_calls.insert(id.clone());
        if let Some(title) = &title {
            session.titles.entry(title.clone()).or_insert(seq);
        }
    }
    let state = (kind.as_deref() == Some("state_update"))
        .then(|| str_at(update, "state"))
        .flatten();
    if let Some(state) = &state {
        session.state = Some(state.clone());
    }
    if let (Some(turn), Some(update)) = (turn, update) {
        match kind.as_deref() {
            Some("agent_message_chunk") => {
                let piece = update
                    .get("content")
                    .and_then(|content| str_at(Some(content), "text"));
                say(
                    &mut conn.turns[turn],
                    str_at(Some(update), "messageId"),
                    piece.unwrap_or_default(),
                    false,
                );
            }
            Some("agent_message") => {
                let whole = update
                    .get("content")
                    .and_then(Value::as_array)
                    .map(|blocks| {
                        blocks
                            .iter()
                            .filter_map(|block| str_at(Some(block), "text"))
                            .collect::<String>()
                    });
                if let Some(whole) = whole {
                    say(
                        &mut conn.turns[turn],
                        str_at(Some(update), "messageId"),
                        whole,
                        true,
                    );
                }
            }
            _ => {}
        }
    }
    conn.updates.push(Update {
        seq,
        session: session_id,
        kind,
        turn,
        tool_call,
        title,
    });
    facts.push(Fact::Update(conn.updates.len() - 1));
    if let (Some(turn), Some(state), Version::AcpV2) = (turn, state, conn.version()) {
        let answered = !conn.requests[conn.turns[turn].request].is_open();
        match state.as_str() {
            "running" | "requires_action" => conn.turns[turn].running = true,
            "idle" if answered || conn.turns[turn].running => {
                let stop_reason = str_at(update, "stopReason");
                conn.turns[turn].ended = Some(TurnEnd {
                    seq,
                    stop_reason,
                    error: None,
                });
                facts.push(Fact::TurnEnded(turn));
            }
            _ => {}
        }
    }
}

/// Adds a piece to a message of the turn, or replaces the whole of it.
fn say(turn: &mut Turn, id: Option<String>, text: String, replace: bool) {
    let total: usize = turn.messages.iter().map(|(_, text)| text.len()).sum();
    if total + text.len() > MAX_REPORT {
        return;
    }
    match turn.messages.iter_mut().find(|(known, _)| *known == id) {
        Some((_, known)) if replace => *known = text,
        Some((_, known)) => known.push_str(&text),
        None => turn.messages.push((id, text)),
    }
}

fn on_response(
    conn: &mut Conn,
    seq: u64,
    from: Side,
    message: &Message<'_>,
    frame: &Frame,
    facts: &mut Vec<Fact>,
) {
    let asker = from.other();
    let addressee = message.id().and_then(|id| conn.addressee(asker, &id.key()));
    let error = message.error.map(parse).filter(|error| !error.is_null());
    let Some(index) = addressee else {
        let open: Vec<usize> = conn.open_requests(asker).map(|(index, _)| index).collect();
        let near = message.id().and_then(|id| {
            let key = id.key();
            open.iter()
                .copied()
                .find(|&index| resembles(&key, &conn.requests[index].key))
        });
        conn.orphans.push(Orphan {
            from,
            seq,
            id: message.id.map(str::to_owned),
            is_error: message.error.is_some(),
            near,
            open,
        });
        facts.push(Fact::Orphan(conn.orphans.len() - 1));
        return;
    };
    let method = conn.requests[index].method.clone();
    let result = if error.is_some() {
        None
    } else {
        message.result.filter(|_| defined(&method)).map(parse)
    };
    let nth = u32::try_from(conn.requests[index].answers.len() + 1).unwrap_or(u32::MAX);
    if from == conn.target {
        conn.read_mark = conn.read_mark.max(conn.requests[index].seq);
    }
    conn.requests[index].answers.push(Answered {
        seq,
        id: message.id.unwrap_or_default().to_owned(),
        result,
        is_error: error.is_some(),
        error_code: error
            .as_ref()
            .and_then(|error| error.get("code"))
            .and_then(Value::as_i64),
        error_data: error.as_ref().and_then(|error| error.get("data")).cloned(),
        text: text::body(&frame.body),
    });
    let mut after = Vec::new();
    if nth == 1 {
        on_first_answer(conn, index, seq, &mut after);
    }
    facts.push(Fact::Answered {
        request: index,
        nth,
    });
    facts.append(&mut after);
}

fn on_first_answer(conn: &mut Conn, index: usize, seq: u64, facts: &mut Vec<Fact>) {
    let request = &conn.requests[index];
    let result = request.result().cloned();
    match (request.from, request.method.as_str()) {
        (Side::Client, "initialize") if conn.init.request == Some(index) => {
            let Some(result) = result else { return };
            let version = result
                .get("protocolVersion")
                .and_then(Value::as_u64)
                .and_then(|v| u16::try_from(v).ok());
            conn.init.answered = version;
            conn.init.negotiated = version.and_then(Version::from_number);
            // The client's capabilities stand where the version that both follow says.
            if let Some(negotiated) = conn.init.negotiated {
                let params = conn.requests[index].params.clone().unwrap_or(Value::Null);
                (conn.init.support, conn.init.shape) = elicitation::support(&params, negotiated);
            }
            conn.init.features = Some(initialize::agent_features(&result, conn.version()));
        }
        (Side::Client, "session/new" | "session/fork") => {
            if let Some(session) = str_at(result.as_ref(), "sessionId") {
                conn.sessions.entry(session).or_default().known = true;
            }
        }
        (Side::Client, "session/prompt") => {
            let Some(turn) = request.turn else { return };
            let error = request
                .answer()
                .filter(|answer| answer.is_error)
                .map(|answer| answer.error_code.unwrap_or(0));
            if (conn.version() == Version::AcpV1 || error.is_some())
                && conn.turns[turn].ended.is_none()
            {
                let stop_reason = str_at(result.as_ref(), "stopReason");
                conn.turns[turn].ended = Some(TurnEnd {
                    seq,
                    stop_reason,
                    error,
                });
                facts.push(Fact::TurnEnded(turn));
            }
        }
        (Side::Server, "elicitation/create") => {
            let answer = result.as_ref().map(elicitation::read_answer);
            let version = conn.version();
            let answered_with_result = conn.requests[index]
                .answer()
                .is_some_and(|answer| !answer.is_error);
            if let Some(elicitation) = conn.requests[index].elicitation.as_mut() {
                elicitation.fits = match (&answer, &elicitation.create.form) {
                    (Some(Answer::Accept(content)), Some(form)) => form
                        .check(content.as_ref(), version)
                        .iter()
                        .all(|problem| problem.weight != elenchus_protocol::Weight::Violation),
                    _ => true,
                };
                elicitation.answer =
                    answered_with_result.then(|| answer.unwrap_or(Answer::Unreadable));
            }
        }
        _ => {}
    }
}

/// The id is not this one, but looks like it: the same text in another JSON type, or the same number rounded to
/// what a 64-bit float can hold.
fn resembles(got: &IdKey, wanted: &IdKey) -> bool {
    match (got, wanted) {
        (IdKey::String(a), IdKey::Number(b)) | (IdKey::Number(b), IdKey::String(a)) => a == b,
        (IdKey::Number(a), IdKey::Number(b)) => {
            matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if f64::total_cmp(&a, &b).is_eq())
        }
        (IdKey::String(a), IdKey::Null) | (IdKey::Null, IdKey::String(a)) => a == "null",
        _ => false,
    }
}
