//! What the rules about modes and config options share: the lists that the agent gave for a session, in order, and how a
//! request to change something relates to them.

use elenchus_protocol::Version;
use elenchus_wire::Side;
use serde_json::Value;

use super::lifecycle::{active, made, made_up, param, session_of, succeeded, text_param};
use crate::{
    fact::{Fact, Moment},
    world::{Conn, Request},
};

/// The methods whose results set up a session.
const SET_UP: [&str; 4] = [
    "session/new",
    "session/load",
    "session/resume",
    "session/fork",
];
pub(super) const SET_OPTION: &str = "session/set_config_option";
pub(super) const SET_MODE: &str = "session/set_mode";

/// How a list was told.
#[derive(Clone, Copy)]
pub(super) enum How<'a> {
    /// In the result that set up the session.
    SetUp,
    /// In the answer to this request.
    Set(&'a Request),
    /// In an update.
    Update,
}

/// A list of options that the agent has told for a session.
pub(super) struct List<'a> {
    pub(super) seq: u64,
    pub(super) how: How<'a>,
    pub(super) options: &'a [Value],
}

/// The place at hand where a list of options belongs.
pub(super) struct Place<'a> {
    pub(super) session: &'a str,
    pub(super) how: How<'a>,
    /// Where it stands in the payload.
    pub(super) pointer: &'static str,
    /// What stands there; null is nothing.
    pub(super) list: Option<&'a Value>,
}

/// The result at hand that sets up a session, and the session.
pub(super) fn set_up<'a>(m: &Moment<'a>) -> Option<(&'a Request, &'a str)> {
    let (_, request) = m.answered()?;
    let sets_up = SET_UP.contains(&request.method.as_str());
    let session = made(request).or_else(|| session_of(request))?;
    (sets_up && succeeded(request)).then_some((request, session))
}

/// The place at hand where a list of options belongs, if the agent may have put one there.
pub(super) fn place<'a>(m: &Moment<'a>) -> Option<Place<'a>> {
    if let Fact::Notified(_) = m.fact {
        let last = m.conn.chosen.last()?;
        let at_hand = last.seq == m.event.seq && !last.mode && m.judged == Side::Server;
        return at_hand.then_some(Place {
            session: &last.session,
            how: How::Update,
            pointer: "/update/configOptions",
            list: Some(&last.value).filter(|value| !value.is_null()),
        });
    }
    let (session, how, request) = if let Some((request, session)) = set_up(m) {
        (session, How::SetUp, request)
    } else {
        let (_, request) = m.answered()?;
        if request.method != SET_OPTION || !succeeded(request) {
            return None;
        }
        (session_of(request)?, How::Set(request), request)
    };
    let list = request
        .result()
        .and_then(|result| result.get("configOptions"));
    Some(Place {
        session,
        how,
        pointer: "/configOptions",
        list: list.filter(|value| !value.is_null()),
    })
}

/// The lists that the agent gave for a session up to now, in order.
pub(super) fn lists<'a>(conn: &'a Conn, session: &str) -> Vec<List<'a>> {
    let in_answers = conn
        .requests
        .iter()
        .filter(|request| request.from == Side::Client);
    let in_answers = in_answers.filter_map(|request| {
        let how = if SET_UP.contains(&request.method.as_str()) {
            How::SetUp
        } else if request.method == SET_OPTION {
            How::Set(request)
        } else {
            return None;
        };
        let named = made(request).or_else(|| session_of(request))?;
        let options = request.result()?.get("configOptions")?.as_array()?;
        (named == session).then_some(List {
            seq: request.answer()?.seq,
            how,
            options,
        })
    });
    let told = conn
        .chosen
        .iter()
        .filter(|told| !told.mode && told.session == session);
    let told = told.filter_map(|told| {
        Some(List {
            seq: told.seq,
            how: How::Update,
            options: told.value.as_array()?,
        })
    });
    let mut lists: Vec<List<'_>> = in_answers.chain(told).collect();
    lists.sort_by_key(|list| list.seq);
    lists
}

/// The id of an option, as its version names it.
pub(super) fn id_of(option: &Value, version: Version) -> Option<&str> {
    let name = match version {
        Version::AcpV1 => "id",
        Version::AcpV2 => "configId",
    };
    option.get(name)?.as_str()
}

/// The option with this id.
pub(super) fn option<'a>(options: &'a [Value], id: &str, version: Version) -> Option<&'a Value> {
    options
        .iter()
        .find(|option| id_of(option, version) == Some(id))
}

pub(super) fn is_select(option: &Value) -> bool {
    option.get("type").is_some_and(|kind| kind == "select")
}

/// The values that a select offers, each with the position of its group, if it stands in one.
pub(super) fn values(option: &Value) -> Vec<(Option<usize>, &str)> {
    let mut values = Vec::new();
    let entries = option.get("options").and_then(Value::as_array);
    for (at, entry) in entries.into_iter().flatten().enumerate() {
        if let Some(inner) = entry.get("options").and_then(Value::as_array) {
            let inner = inner
                .iter()
                .filter_map(|entry| entry.get("value")?.as_str());
            values.extend(inner.map(|value| (Some(at), value)));
        } else if let Some(value) = entry.get("value").and_then(Value::as_str) {
            values.push((None, value));
        }
    }
    values
}

/// A select offers this value.
pub(super) fn offers(option: &Value, value: &str) -> bool {
    values(option).iter().any(|(_, offered)| *offered == value)
}

/// What a `session/set_config_option` asks for, held against what the agent had listed until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// A value that is listed, for an option that is.
    Listed,
    /// An option that was never listed.
    UnknownOption,
    /// A value that was never listed.
    UnknownValue,
    /// A truth value, for a select.
    WrongType,
    /// A type of value that does not exist (v2).
    OddType,
}

/// What a request wishes for; nothing if that is not certain. Only what Elenchus made up is certain to be unknown.
pub(super) fn wish(conn: &Conn, request: &Request) -> Option<Wish> {
    let version = conn.version();
    let session = session_of(request)?;
    if request.method != SET_OPTION || !active(conn, session, request.seq) {
        return None;
    }
    let mut lists = lists(conn, session);
    lists.retain(|list| list.seq < request.seq);
    let newest = lists.last()?;
    if newest.options.is_empty() {
        return None;
    }
    let id = text_param(request, "configId")?;
    let Some(known) = option(newest.options, id, version) else {
        return made_up(id).then_some(Wish::UnknownOption);
    };
    let value = param(request, "value")?;
    let kind = text_param(request, "type");
    let listed = |value: &str| is_select(known) && offers(known, value);
    match (value, kind, version) {
        (Value::String(value), Some(kind), Version::AcpV2) if kind.starts_with("_elenchus") => {
            listed(value).then_some(Wish::OddType)
        }
        (Value::String(value), Some("id"), _) | (Value::String(value), None, Version::AcpV1) => {
            if listed(value) {
                Some(Wish::Listed)
            } else {
                (is_select(known) && made_up(value)).then_some(Wish::UnknownValue)
            }
        }
        (Value::Bool(_), Some("boolean"), _) => {
            let is_boolean = known.get("type").is_some_and(|kind| kind == "boolean");
            if is_boolean {
                Some(Wish::Listed)
            } else {
                is_select(known).then_some(Wish::WrongType)
            }
        }
        _ => None,
    }
}

/// Something else may have changed what is set for the session between two events: another request, or a turn.
pub(super) fn disturbed(
    conn: &Conn,
    session: &str,
    from: u64,
    to: u64,
    but: Option<&Request>,
) -> bool {
    let changes = |request: &&Request| {
        request.from != conn.target
            && session_of(request) == Some(session)
            && matches!(
                request.method.as_str(),
                SET_OPTION | SET_MODE | "session/prompt" | "session/close"
            )
    };
    let overlaps = |request: &Request| {
        request.seq < to && request.answer().is_none_or(|answer| answer.seq > from)
    };
    let other = |request: &Request| but.is_none_or(|but| but.seq != request.seq);
    let turn = |turn: &crate::world::Turn| {
        let began = conn.requests[turn.request].seq;
        let ended = turn.ended.as_ref().map_or(u64::MAX, |end| end.seq);
        turn.session == session && began < to && ended > from
    };
    conn.requests
        .iter()
        .filter(changes)
        .any(|request| other(request) && overlaps(request))
        || conn.turns.iter().any(turn)
}
