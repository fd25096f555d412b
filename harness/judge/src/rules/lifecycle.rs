//! What the rules about sessions share: our calls and their answers, which sessions are active, and what has been said
//! in one of them.

use std::collections::BTreeSet;

use elenchus_protocol::acp::shapes::{self, Part};
use elenchus_wire::Side;
use serde_json::Value;

use crate::{
    fact::{Fact, Moment},
    rule::{Still, Subject, Watch, Why},
    text,
    world::{Answered, Conn, Request, Uttered, World},
};

/// The answer at hand, if it is the agent's first one to a request of this method.
pub(super) fn answer_to<'a>(
    m: &Moment<'a>,
    methods: &[&str],
) -> Option<(usize, &'a Request, &'a Answered)> {
    let (index, request) = m.answered()?;
    if !methods.contains(&request.method.as_str()) {
        return None;
    }
    Some((index, request, request.answer()?))
}

/// A member of the params; null counts as left out.
pub(super) fn param<'a>(request: &'a Request, name: &str) -> Option<&'a Value> {
    let value = request.params.as_ref()?.get(name)?;
    (!value.is_null()).then_some(value)
}

/// A text in the params.
pub(super) fn text_param<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    param(request, name)?.as_str()
}

/// The session that a request names.
pub(super) fn session_of(request: &Request) -> Option<&str> {
    text_param(request, "sessionId")
}

/// It was answered with a result.
pub(super) fn succeeded(request: &Request) -> bool {
    request.answer().is_some_and(|answer| !answer.is_error)
}

/// The session that a `session/new` or `session/fork` has made.
pub(super) fn made(request: &Request) -> Option<&str> {
    let makes = matches!(request.method.as_str(), "session/new" | "session/fork");
    request
        .result()
        .filter(|_| makes)?
        .get("sessionId")?
        .as_str()
}

/// The agent announces this method or capability.
pub(super) fn announces(conn: &Conn, what: &str) -> bool {
    let features = conn.init.features.as_ref();
    features.is_some_and(|features| features.announced.contains(&what))
}

/// The code says that the client has to log in first, whatever was asked.
pub(super) fn wants_login(answer: &Answered) -> bool {
    answer.error_code == Some(-32000)
}

/// An answer in a few words.
pub(super) fn told(answer: &Answered) -> String {
    match (answer.is_error, answer.error_code) {
        (false, _) => "a result".to_owned(),
        (true, Some(code)) => format!("error {code}"),
        (true, None) => "an error".to_owned(),
    }
}

/// An id or cursor that Elenchus made up, so that no agent has ever given it out. Any other text that a trace does not
/// explain may come from an earlier run.
pub(super) fn made_up(text: &str) -> bool {
    text.starts_with("elenchus-")
}

/// A path that is absolute on some system: POSIX, a drive letter with either slash, UNC.
pub(super) fn absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive =
        bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && slash(bytes[2]);
    path.starts_with('/') || path.starts_with("\\\\") || drive
}

fn slash(byte: u8) -> bool {
    byte == b'/' || byte == b'\\'
}

/// The same folder reads the same: one kind of slash, none at the end.
pub(super) fn folder(path: &str) -> String {
    let path = path.replace('\\', "/");
    path.trim_end_matches('/').to_owned()
}

/// The first folder lies within the second one.
pub(super) fn within(inner: &str, outer: &str) -> bool {
    folder(inner)
        .strip_prefix(&folder(outer))
        .is_some_and(|rest| rest.starts_with('/'))
}

/// The folder of a session, if this trace leaves no doubt: wherever it was made, loaded or resumed, the same.
pub(super) fn home_of<'a>(world: &'a World, session: &str) -> Option<&'a str> {
    let mut home: Option<&str> = None;
    for request in ours(world).filter(|request| succeeded(request)) {
        let named = match request.method.as_str() {
            "session/new" | "session/fork" => made(request),
            "session/load" | "session/resume" => session_of(request),
            _ => None,
        };
        if named != Some(session) {
            continue;
        }
        let cwd = text_param(request, "cwd")?;
        if home.is_some_and(|home| folder(home) != folder(cwd)) {
            return None;
        }
        home = Some(cwd);
    }
    home
}

/// Our requests on all connections.
pub(super) fn ours(world: &World) -> impl Iterator<Item = &Request> {
    world
        .conns
        .values()
        .flat_map(|conn| conn.requests.iter())
        .filter(|request| request.from == Side::Client)
}

/// A request to close or delete the session was under way at this event.
pub(super) fn closing(conn: &Conn, session: &str, at: u64) -> bool {
    conn.requests.iter().any(|request| {
        request.from != conn.target
            && matches!(request.method.as_str(), "session/close" | "session/delete")
            && request.seq < at
            && request.answer().is_none_or(|answer| answer.seq >= at)
            && session_of(request) == Some(session)
    })
}

/// Another request to load or resume the session was under way while this one was: what is told may be told for that.
pub(super) fn restored_twice(conn: &Conn, request: &Request) -> bool {
    let until = request.answer().map_or(u64::MAX, |answer| answer.seq);
    conn.requests.iter().any(|other| {
        other.from == request.from
            && matches!(other.method.as_str(), "session/load" | "session/resume")
            && other.seq != request.seq
            && other.seq < until
            && other.answer().is_none_or(|answer| answer.seq > request.seq)
            && session_of(other) == session_of(request)
    })
}

/// A request that has all that its shape asks for: where it is refused, its form is not the reason.
pub(super) fn proper(conn: &Conn, request: &Request) -> bool {
    let params = request.params.as_ref().unwrap_or(&Value::Null);
    shapes::check(conn.version(), &request.method, Part::Params, params).is_empty()
}

/// The session is active on the connection just before this event, as far as answers tell.
pub(super) fn active(conn: &Conn, session: &str, before: u64) -> bool {
    if closing(conn, session, before) {
        return false;
    }
    let mut last = (0, false);
    for request in &conn.requests {
        let Some(answer) = request.answer() else {
            continue;
        };
        if request.from == conn.target || answer.is_error || answer.seq >= before {
            continue;
        }
        let (named, opens) = match request.method.as_str() {
            "session/new" | "session/fork" => (made(request), true),
            "session/load" | "session/resume" => (session_of(request), true),
            "session/close" | "session/delete" => (session_of(request), false),
            _ => continue,
        };
        if named == Some(session) && answer.seq >= last.0 {
            last = (answer.seq, opens);
        }
    }
    last.1
}

/// The latest successful request of this method for a session, sent on this connection before an event.
pub(super) fn latest<'a>(
    conn: &'a Conn,
    methods: &[&str],
    session: &str,
    before: u64,
) -> Option<&'a Request> {
    conn.requests.iter().rev().find(|request| {
        request.from != conn.target
            && methods.contains(&request.method.as_str())
            && session_of(request) == Some(session)
            && request
                .answer()
                .is_some_and(|answer| !answer.is_error && answer.seq < before)
    })
}

/// The agent's updates of a session between two events, these excluded.
pub(super) fn updates<'a>(
    conn: &'a Conn,
    session: &'a str,
    from: u64,
    to: u64,
) -> impl Iterator<Item = &'a Uttered> {
    all_updates(conn, from, to).filter(move |told| told.session == session)
}

/// The same for all sessions.
pub(super) fn all_updates(conn: &Conn, from: u64, to: u64) -> impl Iterator<Item = &Uttered> {
    let start = conn.uttered.partition_point(|told| told.seq <= from);
    conn.uttered[start..]
        .iter()
        .take_while(move |told| told.seq < to)
}

/// The update at hand.
pub(super) fn updated<'a>(m: &Moment<'a>) -> Option<&'a Uttered> {
    let at_hand = matches!(m.fact, Fact::Notified(_)) && m.judged == Side::Server;
    let last = m.conn.uttered.last().filter(|_| at_hand)?;
    (last.seq == m.event.seq).then_some(last)
}

/// An update in a few words.
pub(super) fn shown(told: &Uttered) -> String {
    let id = told.id.as_deref().unwrap_or_default();
    let text = format!("{} {id} {}", told.kind, told.text);
    text::short(text.trim_end())
}

/// What this trace has seen said and done in a session.
#[derive(Debug, Default)]
pub(super) struct History<'a> {
    /// Texts of the user: the prompts of turns that came to an orderly end, and what their answers say the id is.
    pub(super) prompts: Vec<(&'a str, Option<&'a str>)>,
    /// Texts of the agent, with their ids.
    pub(super) messages: Vec<(&'a str, Option<&'a str>)>,
    /// Tool calls, by id.
    pub(super) tools: BTreeSet<&'a str>,
    /// All ids of messages and tool calls that were seen.
    pub(super) ids: BTreeSet<&'a str>,
}

/// A shorter text may stand in any message.
const TELLING: usize = 12;

impl<'a> History<'a> {
    /// Of a session, before an event.
    pub(super) fn of(world: &'a World, session: &'a str, before: u64) -> Self {
        let mut history = Self::default();
        for conn in world.conns.values() {
            for turn in conn.turns.iter().filter(|turn| turn.session == session) {
                let prompt = &conn.requests[turn.request];
                let orderly = turn
                    .ended
                    .as_ref()
                    .is_some_and(|end| end.seq < before && end.error.is_none());
                if !orderly {
                    continue;
                }
                let id = prompt
                    .result()
                    .and_then(|result| result.get("messageId")?.as_str());
                history.prompts.push((turn.prompt.trim(), id));
                history.ids.extend(id);
                for (id, text) in &turn.messages {
                    history.messages.push((text.trim(), id.as_deref()));
                }
            }
            for told in updates(conn, session, 0, before) {
                history.ids.extend(told.id.as_deref());
                if told.is_tool() {
                    history.tools.extend(told.id.as_deref());
                }
            }
        }
        history
    }

    /// Something was said that a replay would show.
    pub(super) fn is_empty(&self) -> bool {
        self.messages.iter().all(|(text, _)| text.is_empty())
    }

    /// The update tells again what was said or done.
    pub(super) fn has(&self, told: &Uttered) -> bool {
        if told.is_tool() {
            let id = told.id.as_deref();
            return told.titled && id.is_some_and(|id| self.tools.contains(id));
        }
        told.is_message() && self.has_text(&told.text, told.is_users())
    }

    /// This was said before.
    pub(super) fn has_text(&self, text: &str, by_user: bool) -> bool {
        let text = text.trim();
        let among = if by_user {
            &self.prompts
        } else {
            &self.messages
        };
        !text.is_empty()
            && among
                .iter()
                .any(|(known, _)| *known == text || (text.len() >= TELLING && known.contains(text)))
    }
}

/// A turn of the session has been open on some connection since this event.
pub(super) fn busy_since(world: &World, session: &str, seq: u64) -> bool {
    let mut turns = world.conns.values().flat_map(|conn| &conn.turns);
    turns.any(|turn| {
        let ended = turn.ended.as_ref();
        turn.session == session && ended.is_none_or(|end| end.seq > seq)
    })
}

/// Has the request that a watch is about been answered, or can it not be any more? For duties to answer in any way.
pub(super) fn answered_in_any_way(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    if let Some(dead) = super::views::death(m, watch, "an answer, be it an error", what) {
        return dead;
    }
    match m.answered() {
        Some((index, _)) if watch.subject == Subject::Request(index) => Still::Upheld,
        _ => Still::Watching,
    }
}

/// Says that a request was to be answered with an error, or that it was.
pub(super) fn wants_error(
    says: &mut crate::rule::Says,
    request: &Request,
    answer: &Answered,
    what: &str,
) {
    says.holds(answer.is_error, || {
        Why::new("an error", format!("{what}, and the answer was a result"))
            .sent(request.text.clone())
    });
}
