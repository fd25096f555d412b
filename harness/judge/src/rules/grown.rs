//! Requests of ours with more in them than they have to say: an agent takes them as it takes the same without.
//!
//! The cause has to be certain: another request that differs in nothing else succeeded on the connection, and the error
//! is one that refuses a request, not one that its work may come to.

use elenchus_protocol::acp::shapes::{self, Part};
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    client::updates,
    lifecycle::{session_of, succeeded},
    views::death,
};
use crate::{
    fact::Moment,
    rule::{Rule, Says, Still, Subject, Watch, Why},
    world::{Conn, Request},
};

pub(super) const RULES: &[Rule] = &[UNKNOWN_MEMBERS, UNKNOWN_META, META_THAT_IS_NONE, NULLS];

/// What more a request has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum More {
    /// Members that no schema has.
    Members,
    /// Keys in a `_meta` that nobody knows.
    Meta,
    /// A `_meta` that is no object.
    NoMeta,
    /// Nulls.
    Nulls,
}

/// What our side adds begins with this.
const ADDED: &str = "elenchusUnknown";
/// And the keys that it adds to a `_meta` with this.
const ADDED_KEY: &str = "elenchus.test/";

/// The value without what was added; what that was is noted.
fn reduced(value: &Value, found: &mut Vec<More>) -> Value {
    match value {
        Value::Array(elements) => {
            let elements = elements.iter().map(|element| reduced(element, found));
            Value::Array(elements.collect())
        }
        Value::Object(members) => {
            let mut kept = serde_json::Map::new();
            for (name, member) in members {
                let more = match (name.as_str(), member) {
                    (_, Value::Null) => Some(More::Nulls),
                    (name, _) if name.starts_with(ADDED) => Some(More::Members),
                    ("_meta", Value::Object(meta)) => meta
                        .keys()
                        .all(|key| key.starts_with(ADDED_KEY))
                        .then_some(More::Meta),
                    ("_meta", _) => Some(More::NoMeta),
                    _ => None,
                };
                match more {
                    Some(more) if found.contains(&more) => {}
                    Some(more) => found.push(more),
                    None => {
                        kept.insert(name.clone(), reduced(member, found));
                    }
                }
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

/// The params without what was added, if that is of this one kind.
fn without(request: &Request, more: More) -> Option<Value> {
    let mut found = Vec::new();
    let rest = reduced(request.params.as_ref()?, &mut found);
    (found == [more]).then_some(rest)
}

/// The nulls of a request stand where the schema lets them.
fn fits(conn: &Conn, request: &Request) -> bool {
    let params = request.params.as_ref().unwrap_or(&Value::Null);
    shapes::check(conn.version(), &request.method, Part::Params, params).is_empty()
}

fn watch(m: &Moment<'_>, says: &mut Says, more: More) {
    if m.judged == Side::Client {
        updates::watch_grown(m, says, |update| {
            let mut found = Vec::new();
            reduced(update, &mut found);
            found == [more]
        });
    }
    if let Some((index, request)) = m.asked()
        && request.method != "initialize"
        && m.conn.initialized()
        && without(request, more).is_some()
        && (more == More::NoMeta || fits(m.conn, request))
    {
        says.watch(Subject::Request(index));
    }
}

fn taken(m: &Moment<'_>, watch: &Watch, more: More, what: &str) -> Still {
    let Subject::Request(index) = watch.subject else {
        return updates::grown(m, watch, what);
    };
    let request = &m.conn.requests[index];
    let expected = "what comes of the same request without it";
    if let Some(dead) = death(
        m,
        watch,
        expected,
        &format!("{} with {what} was sent", request.method),
    ) {
        return dead;
    }
    let Some(answer) = request.answer() else {
        return Still::Watching;
    };
    if !answer.is_error || more == More::NoMeta {
        return Still::Upheld;
    }
    let plain = without(request, more);
    let twin = |other: &Request| {
        other.from == request.from
            && other.method == request.method
            && other.params == plain
            && succeeded(other)
            // What was cancelled might have failed as well.
            && other.turn.is_none_or(|turn| m.conn.turns[turn].cancelled.is_none())
    };
    if !m.conn.requests.iter().any(twin) {
        return Still::Unclear("the same without it has not succeeded".to_owned());
    }
    if !meets_the_same(m.conn, request) {
        return Still::Unclear("what came before may have made the difference".to_owned());
    }
    match answer.error_code {
        Some(code @ (-32600 | -32602 | -32603)) => Still::Broken(
            Why::new(
                expected,
                format!(
                    "{} with {what} was refused with {code}, and without it succeeded",
                    request.method
                ),
            )
            .sent(request.text.clone()),
        ),
        _ => Still::Unclear(format!(
            "{} failed in a way that may have another reason",
            request.method
        )),
    }
}

/// A request of this kind meets what its twin met, whatever came before: a session more does not change the next one,
/// and a prompt meets a session that is at rest.
fn meets_the_same(conn: &Conn, request: &Request) -> bool {
    match request.method.as_str() {
        // A person or a setting decides the same of the same.
        "session/new" | "session/list" | "session/request_permission" | "elicitation/create" => {
            true
        }
        "session/prompt" => {
            let session = session_of(request);
            let mut turns = conn.turns.iter().filter(|turn| {
                conn.requests[turn.request].seq != request.seq
                    && Some(turn.session.as_str()) == session
            });
            turns.all(|turn| turn.ended.as_ref().is_some_and(|end| end.seq < request.seq))
        }
        _ => false,
    }
}

/// EXT-008: unknown members of what comes in are ignored. (extensibility; robustness)
const UNKNOWN_MEMBERS: Rule = Rule::check_later(
    "ACP-EXT-008",
    |m, says| watch(m, says, More::Members),
    |m, watch| taken(m, watch, More::Members, "a member that no schema has"),
)
.of_both();

/// META-002: a `_meta` with keys that nobody knows changes nothing. (extensibility#the-_meta-field; derived)
const UNKNOWN_META: Rule = Rule::check_later(
    "ACP-META-002",
    |m, says| watch(m, says, More::Meta),
    |m, watch| taken(m, watch, More::Meta, "a _meta key that nobody knows"),
)
.of_both();

/// META-005: a `_meta` that is no object ends nobody. (serde DefaultOnError; robustness)
const META_THAT_IS_NONE: Rule = Rule::check_later(
    "ACP-META-005",
    |m, says| watch(m, says, More::NoMeta),
    |m, watch| taken(m, watch, More::NoMeta, "a _meta that is no object"),
)
.of_both();

/// JSONRPC-029: null stands for a member that is left out, where the schema has it. (schema; derived)
const NULLS: Rule = Rule::check_later(
    "ACP-JSONRPC-029",
    |m, says| watch(m, says, More::Nulls),
    |m, watch| taken(m, watch, More::Nulls, "null for what may be left out"),
);
