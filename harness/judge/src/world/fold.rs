//! The fold: one event at a time, total over any sequence.

use std::borrow::Cow;

use elenchus_wire::{
    Body, Class, Event, EventKind, Frame, FrameDefect, Id, IdKey, LineEnd, Mark, Message, Parsed,
    Side, Wait, frame, mend_surrogates,
};
use serde_json::Value;

use super::{
    World, chosen,
    conn::{Conn, Ids},
    lines,
    model::{
        Answered, Elicitation, Exit, Leak, Line, Notification, Odd, OddKind, Orphan, ParamsKind,
        Request, TraceTrigger, Written,
    },
    payload::{self, str_at},
    uttered,
};
use crate::{fact::Fact, text};

/// A recording with no more microseconds than this to an event has no times: no process speaks that fast.
const COUNTED_US: u64 = 10;

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
    conn.timed |= event.at_us > event.seq.saturating_add(1).saturating_mul(COUNTED_US);
    match &event.kind {
        EventKind::Open { target } => {
            conn.target = *target;
            conn.from_start = true;
            facts.push(Fact::Opened);
        }
        EventKind::Frame { from, frame } => on_frame(conn, event, *from, frame, facts),
        EventKind::Mark(Mark::Fence { id }) => conn.fence = Some(id.clone()),
        EventKind::Mark(Mark::Malformed) => conn.malformed = true,
        EventKind::Mark(Mark::Told { name, value }) => conn.orders.tell(name, value),
        EventKind::Mark(Mark::Chunked) => conn.chunked = true,
        EventKind::Mark(Mark::Trigger {
            name,
            request,
            own_words,
        }) => {
            conn.triggers.push(TraceTrigger {
                name: name.clone(),
                request_id: request.clone(),
                own_words: *own_words,
                request: None,
            });
            facts.push(Fact::Triggered(conn.triggers.len() - 1));
        }
        EventKind::Mark(Mark::Visit { request }) => {
            if let Some(index) = page(conn, request, event.seq, |e| &mut e.visited) {
                conn.visits.push((event.seq, index));
                facts.push(Fact::Visited(index));
            }
        }
        EventKind::Mark(Mark::Typed { request }) => {
            facts.extend(page(conn, request, event.seq, |e| &mut e.typed).map(Fact::Typed));
        }
        EventKind::Mark(Mark::Shown { request }) => {
            facts.extend(asked(conn, request).map(Fact::Shown));
        }
        EventKind::Mark(Mark::Leak {
            frame,
            planted,
            encoding,
            in_url,
        }) => {
            conn.leaks.push(Leak {
                frame: *frame,
                planted: *planted,
                encoding: encoding.clone(),
                in_url: *in_url,
            });
            facts.push(Fact::Leaked(conn.leaks.len() - 1));
        }
        EventKind::Mark(Mark::Stopped { .. }) => {
            conn.stopped = true;
            facts.push(Fact::Stopped);
        }
        EventKind::Eof { from } => {
            if *from == conn.target {
                lines::give_up(conn, facts);
            }
            conn.newest[*from as usize] = Some(event.seq);
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
        EventKind::Settled { .. } => {
            facts.push(Fact::Settled);
            conn.settled = Some(event.seq);
        }
        EventKind::Deadline { wait, ms } => {
            if let Wait::Answer { id } | Wait::TurnEnd { id } = wait
                && !conn.stopped
                && let Some(index) =
                    conn.with_key(conn.target.other(), &Id(id.as_str().into()).key())
            {
                let request = &mut conn.requests[index];
                if request.overdue.is_none() {
                    request.overdue = Some(event.seq);
                    request.waited_us = ms.saturating_mul(1000);
                }
            }
            if *wait == Wait::Exit {
                conn.lingered += 1;
            }
            facts.push(Fact::Deadline(wait.clone()));
        }
        EventKind::Opened { url } => {
            keep(&mut conn.opened, event.seq, url);
            facts.push(Fact::UrlOpened);
        }
        EventKind::Fetched { url } => {
            keep(&mut conn.fetched, event.seq, url);
            facts.push(Fact::UrlFetched);
        }
        EventKind::Limit { .. } => world.limited = true,
        EventKind::End => facts.push(Fact::Ended),
        EventKind::Unsettled { .. }
        | EventKind::Stderr { .. }
        | EventKind::Mark(_)
        | EventKind::Unknown { .. } => {}
    }
}

/// The most URLs that are kept of each kind; a target can open one again and again.
const MAX_URLS: usize = 64;

fn keep(urls: &mut Vec<(u64, String)>, seq: u64, url: &str) {
    if urls.len() < MAX_URLS {
        urls.push((seq, url.to_owned()));
    }
}

/// The elicitation of the target with this id.
fn asked(conn: &Conn, request: &str) -> Option<usize> {
    let index = conn.with_key(conn.target, &Id(request.into()).key())?;
    conn.requests[index].elicitation.as_ref().map(|_| index)
}

/// Notes when something first happened to the page of an elicitation.
fn page(
    conn: &mut Conn,
    request: &str,
    seq: u64,
    member: fn(&mut Elicitation) -> &mut Option<u64>,
) -> Option<usize> {
    let index = asked(conn, request)?;
    let elicitation = conn.requests[index].elicitation.as_deref_mut()?;
    member(elicitation).get_or_insert(seq);
    Some(index)
}

fn on_frame(conn: &mut Conn, event: &Event, from: Side, frame: &Frame, facts: &mut Vec<Fact>) {
    let seq = event.seq;
    forget(conn);
    conn.frames[from as usize] += 1;
    conn.newest[from as usize] = Some(seq);
    if from == conn.target {
        conn.echo.received(frame);
    } else {
        conn.echo.sent(frame);
    }
    let text = frame.text();
    let parsed = text.map(Message::parse);
    let held = from == conn.target && lines::gather(conn, seq, frame, parsed.as_ref(), facts);
    let mut line = Line {
        from,
        class: None,
        version_ok: false,
        has_id: false,
        method: None,
        has_method: false,
        params: ParamsKind::Absent,
        has_result: false,
        has_error: false,
        terminated: frame.end != LineEnd::None,
        held,
        non_ascii: false,
        separators: false,
        well_formed: false,
    };
    if let Some(text) = text {
        line.non_ascii = !text.is_ascii();
        line.separators = text.contains('\r')
            || (line.non_ascii && text.contains(['\u{2028}', '\u{2029}', '\u{85}']));
    }
    let mut defects = frame::defects(frame);
    let message = match parsed {
        Some(Parsed::Message(message)) => {
            describe(&message, &mut line);
            let twice = |key: &Cow<'_, str>| FrameDefect::DuplicateKey {
                key: key.to_string(),
            };
            defects.extend(message.duplicates.iter().map(twice));
            Some(message)
        }
        Some(Parsed::Defect(defect)) => {
            if !defects.contains(&defect) {
                defects.push(defect);
            }
            None
        }
        None => None,
    };
    if from == conn.target {
        conn.heard |= match line.class {
            Some(class) => class != Class::Other,
            None => !conn.heard && resembles(frame),
        };
        let response = line.class == Some(Class::Response);
        conn.cut = (!line.terminated).then_some((seq, response));
    } else {
        conn.malformed |= !line.well_formed;
        conn.separators |= line.separators;
        if let Some(kind) = odd(frame, &line, message.as_ref(), &defects) {
            let alone = conn.unsound.is_none_or(|seq| conn.settled > Some(seq));
            conn.odd = Some(Odd {
                seq,
                kind,
                id: message
                    .as_ref()
                    .and_then(|message| message.id)
                    .filter(|id| id.len() <= LONGEST_ID)
                    .map(str::to_owned),
                alone,
                answers: 0,
            });
        }
        if !line.well_formed {
            conn.unsound = Some(seq);
        }
    }
    let blank = defects.contains(&FrameDefect::Blank);
    conn.line = Some(line);
    facts.push(Fact::Line(from));
    facts.extend(defects.into_iter().map(|defect| Fact::Defect(from, defect)));
    if let Some(message) = message {
        match message.class {
            Class::Request => on_request(conn, event, from, &message, frame, facts),
            Class::Notification => on_notification(conn, seq, from, &message, facts),
            Class::Response => on_response(conn, seq, from, &message, frame, facts),
            Class::Other => {}
        }
    }
    if from != conn.target {
        conn.blank = blank;
        conn.chunked = false;
    }
}

/// The longest id of an odd frame that is kept.
const LONGEST_ID: usize = 1024;

/// What is odd about a frame of our side, if anything.
fn odd(
    frame: &Frame,
    line: &Line,
    message: Option<&Message<'_>>,
    defects: &[FrameDefect],
) -> Option<OddKind> {
    if !line.terminated {
        return None;
    }
    if matches!(frame.body, Body::Bytes(_)) {
        return Some(OddKind::NotUtf8);
    }
    if let Some(message) = message {
        let none = message.class == Class::Other || (line.has_method && line.method.is_none());
        let strange = !message.duplicates.is_empty() || message.lone_surrogate.is_some();
        return match (none, strange) {
            (true, _) => Some(OddKind::NoMessage),
            (_, true) => Some(OddKind::Strange),
            _ => None,
        };
    }
    defects.iter().find_map(|defect| match defect {
        FrameDefect::NotJson { .. } | FrameDefect::TrailingGarbage { .. } | FrameDefect::Nul => {
            Some(OddKind::NotJson)
        }
        FrameDefect::Scalar => Some(OddKind::NoMessage),
        FrameDefect::Batch { .. } => Some(OddKind::Batch),
        // A reader may ignore a byte order mark.
        FrameDefect::TooDeep | FrameDefect::HugeNumber | FrameDefect::ByteOrderMark => {
            Some(OddKind::Strange)
        }
        _ => None,
    })
}

/// How the bytes of our frame were written.
fn written(conn: &Conn, from: Side, frame: &Frame) -> Written {
    let text = frame.text().unwrap_or_default();
    let ours = from != conn.target;
    Written {
        padded: frame.end == LineEnd::CrLf
            || text.trim_ascii().len() != text.len()
            || (ours && conn.blank),
        chunked: ours && conn.chunked,
        length: text.len(),
    }
}

/// A line that no reader takes for a message, and that was meant for one.
fn resembles(frame: &Frame) -> bool {
    let bytes = match &frame.body {
        Body::Text(text) => text.as_bytes(),
        Body::Bytes(bytes) => bytes,
        Body::Oversize { head, .. } => head,
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let member = b"\"jsonrpc\"";
    matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
        && bytes.windows(member.len()).any(|window| window == member)
}

/// Lets go of what the frame before weighs: rules look at a notification when it comes, and at what a request asked and
/// how it was answered also later, as long as that does not add up to too much.
fn forget(conn: &mut Conn) {
    if let Some(notification) = conn.notifications.last_mut() {
        notification.params = None;
    }
    if let Some(orphan) = conn.orphans.last_mut() {
        orphan.open = Vec::new();
    }
    let answered = conn.answered.take();
    if conn.kept <= MAX_KEPT {
        return;
    }
    if let Some(request) = conn.requests.last_mut() {
        request.params = None;
    }
    if let Some(index) = answered
        && let Some(answer) = conn.requests[index].answers.last_mut()
    {
        answer.result = None;
        answer.error_data = None;
    }
}

fn describe(message: &Message<'_>, line: &mut Line) {
    line.class = Some(message.class);
    line.version_ok = message
        .jsonrpc
        .is_some_and(|text| text == "\"2.0\"" || parse(text) == "2.0");
    line.has_id = message.id.is_some();
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
    line.well_formed = line.version_ok
        && line.terminated
        && message.duplicates.is_empty()
        && message.lone_surrogate.is_none()
        && match message.class {
            Class::Request => {
                line.method.is_some() && structured(line.params) && message.id.is_some_and(fit)
            }
            Class::Notification => line.method.is_some() && structured(line.params),
            Class::Response => line.has_result != line.has_error,
            Class::Other => false,
        };
}

/// What JSON-RPC lets params be.
fn structured(params: ParamsKind) -> bool {
    !matches!(params, ParamsKind::Null | ParamsKind::Scalar)
}

/// An id that every reader takes: null, a string, or an integer of 64 bits, however it is written.
fn fit(id: &str) -> bool {
    id.starts_with('"')
        || id.parse::<i64>().is_ok()
        || match Id(id.into()).key() {
            IdKey::Null => true,
            IdKey::Number(number) => number.parse::<i64>().is_ok(),
            IdKey::String(_) | IdKey::Other(_) => false,
        }
}

/// A member's value. The envelope has been read, so that this is JSON; numbers out of range read as null.
fn parse(text: &str) -> Value {
    serde_json::from_str(&mend_surrogates(text)).unwrap_or(Value::Null)
}

/// The most parts that a payload may have: each takes some seventy bytes once it is parsed, and two on the wire.
const MAX_PARTS: usize = 64 * 1024;
/// The most parts that the payloads of a connection may have in all and still be kept.
const MAX_KEPT: usize = 4 * MAX_PARTS;

/// At least as many parts as the payload has; `None` if that is so many that no rule looks into it.
fn parts(text: Option<&str>) -> Option<usize> {
    let part = |byte: &u8| matches!(byte, b',' | b'[' | b'{');
    let parts = text.map_or(0, |text| text.as_bytes().iter().filter(|b| part(b)).count());
    (parts <= MAX_PARTS).then_some(parts)
}

/// The payload, if the world looks into those of this method: all but extensions.
fn payload(method: &str, text: Option<&str>) -> Option<Value> {
    text.filter(|_| !method.starts_with('_')).map(parse)
}

fn on_request(
    conn: &mut Conn,
    event: &Event,
    from: Side,
    message: &Message<'_>,
    frame: &Frame,
    facts: &mut Vec<Fact>,
) {
    let (Some(id), Some(method)) = (message.id(), message.method.as_deref()) else {
        return;
    };
    let question = method == "elicitation/create" && conn.kept > MAX_KEPT;
    let Some(parts) = parts(message.params).filter(|_| !question) else {
        conn.malformed |= from != conn.target;
        return;
    };
    conn.kept += parts;
    let key = id.key();
    let fence = from != conn.target && conn.fence.as_deref() == Some(id.text());
    if fence {
        conn.fence = None;
    }
    let index = conn.requests.len();
    let reuses = conn.by_key.get(&(from, key.clone())).and_then(Ids::open);
    conn.twins |= from != conn.target && reuses.is_some();
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
    conn.begin(from, &key, index);
    conn.requests.push(Request {
        from,
        seq: event.seq,
        at_us: event.at_us,
        id,
        key,
        method: method.to_owned(),
        params: payload(method, message.params),
        text: text::body(&frame.body),
        answers: Vec::new(),
        fence,
        reuses,
        cancel_asked: None,
        cancels: 0,
        elicitation: None,
        turn: None,
        trigger: trigger.filter(|&trigger| !conn.triggers[trigger].own_words),
        overdue: None,
        waited_us: 0,
        well_formed: conn.line.as_ref().is_some_and(|line| line.well_formed),
        separators: conn.line.as_ref().is_some_and(|line| line.separators),
        written: written(conn, from, frame),
        ordinal: conn.frames[from as usize],
    });
    match (from, method) {
        (Side::Client, "initialize") => payload::on_initialize(conn, index),
        (Side::Client, "session/load" | "session/resume" | "session/fork") => {
            if let Some(session) = str_at(conn.requests[index].params.as_ref(), "sessionId") {
                let session = session.to_owned();
                conn.sessions.entry(session).or_default().known = true;
            }
        }
        (Side::Client, "session/prompt") => payload::on_prompt(conn, index),
        (Side::Server, "elicitation/create") => payload::on_elicitation(conn, index),
        _ => {}
    }
    facts.push(Fact::Requested(index));
    if method == "session/prompt"
        && let Some(turn) = conn.requests[index].turn
    {
        facts.push(Fact::TurnStarted(turn));
    }
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
    if parts(message.params).is_none() {
        return;
    }
    let params = payload(method, message.params);
    let ended = match (from, method) {
        (_, "$/cancel_request") => {
            // The id's exact text: a Value would forget whether it was written 1 or 1.0.
            let id = params
                .as_ref()
                .and_then(|params| params.get("requestId"))
                .map(ToString::to_string);
            if let Some(index) = id.and_then(|id| conn.with_key(from, &Id(id.into()).key())) {
                let request = &mut conn.requests[index];
                request.cancel_asked.get_or_insert(seq);
                request.cancels = request.cancels.saturating_add(1);
            }
            Vec::new()
        }
        (Side::Client, "session/cancel") => {
            let session = str_at(params.as_ref(), "sessionId");
            for turn in conn
                .turns
                .iter_mut()
                .filter(|turn| turn.ended.is_none() && Some(turn.session.as_str()) == session)
            {
                turn.cancelled.get_or_insert(seq);
                turn.cancels = turn.cancels.saturating_add(1);
            }
            Vec::new()
        }
        (Side::Server, "elicitation/complete") => {
            if let Some(id) = str_at(params.as_ref(), "elicitationId") {
                conn.completed.entry(id.to_owned()).or_insert(seq);
            }
            Vec::new()
        }
        (Side::Server, "session/update") => {
            uttered::take_down(conn, seq, params.as_ref());
            let size = message.params.map_or(0, str::len);
            chosen::take_down(conn, seq, params.as_ref(), size);
            payload::on_update(conn, seq, params.as_ref())
        }
        _ => Vec::new(),
    };
    let update = from == Side::Server && method == "session/update";
    let told = params.as_ref().filter(|_| update).and_then(payload::told);
    conn.notified[from as usize] = true;
    conn.notifications.push(Notification {
        from,
        seq,
        method: method.to_owned(),
        params,
        told,
    });
    facts.push(Fact::Notified(conn.notifications.len() - 1));
    facts.extend(ended.into_iter().map(Fact::TurnEnded));
}

/// A response of the target that answers nothing may be for what was odd.
fn count_odd_answer(conn: &mut Conn, from: Side) {
    if let Some(odd) = conn.odd.as_mut().filter(|_| from == conn.target) {
        odd.answers = odd.answers.saturating_add(1);
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
    let error = message.error.filter(|error| *error != "null");
    let is_error = error.is_some();
    let parts = parts(error.or(message.result));
    let error = error.filter(|_| parts.is_some()).map(parse);
    let code = error.as_ref().and_then(|error| error.get("code"));
    let error_code = code.and_then(Value::as_i64);
    let Some(index) = addressee else {
        let open: Vec<usize> = conn
            .open_requests(asker)
            .map(|(index, _)| index)
            .take(Orphan::MAX_OPEN)
            .collect();
        let near = message.id().and_then(|id| conn.near(asker, &id.key()));
        conn.strayed |= from != conn.target;
        count_odd_answer(conn, from);
        conn.orphans.push(Orphan {
            from,
            seq,
            id: message.id.map(str::to_owned),
            is_error,
            error_code,
            near,
            only: match open.as_slice() {
                [only] => Some(*only),
                _ => None,
            },
            open,
        });
        facts.push(Fact::Orphan(conn.orphans.len() - 1));
        return;
    };
    let error_message = error.as_ref().and_then(|error| error.get("message"));
    let error_whole = error_code.is_some() && error_message.is_some_and(Value::is_string);
    let error_data = error.as_ref().and_then(|error| error.get("data")).cloned();
    conn.kept += parts.unwrap_or_default();
    let result = message.result.filter(|_| !is_error && parts.is_some());
    let result = payload(&conn.requests[index].method, result);
    let nth = u32::try_from(conn.requests[index].answers.len() + 1).unwrap_or(u32::MAX);
    conn.strayed |= from != conn.target && nth > 1;
    if nth > 1 {
        count_odd_answer(conn, from);
    }
    if from == conn.target {
        conn.read_mark = conn.read_mark.max(conn.requests[index].seq);
    }
    conn.requests[index].answers.push(Answered {
        seq,
        id: message.id.unwrap_or_default().to_owned(),
        result,
        is_error,
        error_code,
        error_whole,
        error_data,
        text: text::body(&frame.body),
        terminated: frame.end != LineEnd::None,
    });
    conn.answered = Some(index);
    facts.push(Fact::Answered {
        request: index,
        nth,
    });
    if nth == 1 {
        conn.finish(index);
        let ended = payload::on_first_answer(conn, index, seq);
        facts.extend(ended.into_iter().map(Fact::TurnEnded));
    }
}
