//! What the rules about session updates share: the tool call in a message, the items that it shows, and whose a
//! mismatch in them is.

use elenchus_protocol::{
    Version,
    acp::shapes::{Mismatch, Part},
};
use elenchus_wire::Side;
use serde_json::Value;

use super::told::{at, misfit, param};
use crate::{
    fact::{Moment, Payload},
    rule::{Says, Why},
    text,
    world::{Call, Conn},
};

/// The params of a message that the agent sends at this fact, with its method.
pub(super) fn sent<'a>(m: &Moment<'a>) -> Option<(&'a str, &'a Value)> {
    let Payload {
        from,
        method,
        part,
        value,
    } = m.payload()?;
    (from == Side::Server && part == Part::Params).then_some((method, value))
}

/// The session update that the agent sends at this fact: its kind, and its params.
pub(super) fn update<'a>(m: &Moment<'a>) -> Option<(&'a str, &'a Value)> {
    m.update
}

/// Where in a message a tool call stands.
pub(super) struct Told<'a> {
    /// What the message is.
    pub(super) what: &'a str,
    /// The pointer to the call.
    pub(super) place: &'static str,
    /// The call.
    pub(super) call: &'a Value,
}

/// The tool call that a message of the agent tells of at this fact: an update, or a request for a permission.
pub(super) fn told_call<'a>(m: &Moment<'a>) -> Option<Told<'a>> {
    let (method, params) = sent(m)?;
    let version = m.conn.version();
    let (what, place) = match (method, version) {
        ("session/update", _) => {
            let (kind, _) = m.update?;
            let is_call =
                kind == "tool_call_update" || (kind == "tool_call" && version == Version::AcpV1);
            (is_call.then_some(kind)?, "/update")
        }
        ("session/request_permission", Version::AcpV1) => (method, "/toolCall"),
        // A subject of another type has members of its own.
        ("session/request_permission", Version::AcpV2)
            if at(params, "/subject/type").is_some_and(|kind| kind == "tool_call") =>
        {
            (method, "/subject/toolCall")
        }
        _ => return None,
    };
    let call = at(params, place).filter(|call| call.is_object())?;
    Some(Told { what, place, call })
}

/// An update of a tool call at this fact: the session, the update, and what is known of the call.
pub(super) fn call_update<'a>(m: &Moment<'a>) -> Option<(&'a str, &'a Value, &'a Call)> {
    let Told { place, call, .. } = told_call(m)?;
    let (_, params) = sent(m).filter(|_| place == "/update")?;
    let session = params.get("sessionId")?.as_str()?;
    let id = call.get("toolCallId")?.as_str()?;
    let known = m.conn.sessions.get(session)?.calls.get(id)?;
    Some((session, call, known))
}

/// The items that a message shows as the content of a tool call, each with its pointer.
pub(super) fn items<'a>(m: &Moment<'a>) -> Vec<(String, &'a Value)> {
    if let Some(("tool_call_content_chunk", params)) = update(m)
        && m.conn.version() == Version::AcpV2
    {
        let place = "/update/content";
        let item = at(params, place).filter(|item| item.is_object());
        return item
            .map(|item| (place.to_owned(), item))
            .into_iter()
            .collect();
    }
    let Some(Told { place, call, .. }) = told_call(m) else {
        return Vec::new();
    };
    let listed = call.get("content").and_then(Value::as_array);
    let listed = listed.into_iter().flatten().enumerate();
    listed
        .map(|(index, item)| (format!("{place}/content/{index}"), item))
        .collect()
}

/// The `type` of an item.
pub(super) fn kind_of(item: &Value) -> Option<&str> {
    item.get("type")?.as_str()
}

/// What of a tool call's content a mismatch is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// The items: their list, their types, and what no other clause is about.
    Items,
    /// What a diff changes.
    Diff,
    /// The patch of a diff.
    Patch,
}

/// The mismatches in the content of the tool call at this fact that are about this. What is wrong within a block is
/// CONTENT's, and that a chunk of version 2 has an item is PATCH-007's.
pub(super) fn content_mismatches<'a>(m: &Moment<'a>, about: About) -> Vec<&'a Mismatch> {
    let items = items(m);
    let list = told_call(m).map(|told| format!("{}/content", told.place));
    let found = m.mismatches().iter().filter(|mismatch| {
        let pointer = mismatch.pointer.as_str();
        let within = items.iter().find_map(|(place, item)| {
            let rest = pointer.strip_prefix(place.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then_some((rest, *item))
        });
        let whose = match within {
            Some((rest, item)) => whose(rest, item, m.conn.version()),
            None => (list.as_deref() == Some(pointer)).then_some(About::Items),
        };
        whose == Some(about)
    });
    found.collect()
}

fn whose(rest: &str, item: &Value, version: Version) -> Option<About> {
    match kind_of(item) {
        Some("content") if rest.starts_with("/content") && item.get("content").is_some() => None,
        Some("diff") if version == Version::AcpV2 && rest.starts_with("/patch") => {
            Some(About::Patch)
        }
        Some("diff") if version == Version::AcpV2 => Some(About::Diff),
        _ => Some(About::Items),
    }
}

/// Says of mismatches at these places that they break the clause at hand. Whether it cannot be said to
/// be met: there were some, or the message has other spellings, which are JSONRPC-022's, and is not what it was meant to be.
pub(super) fn tell_places(
    m: &Moment<'_>,
    says: &mut Says,
    what: &str,
    own: impl Fn(&str) -> bool,
) -> bool {
    let found = m.mismatches().iter().filter(|it| own(&it.pointer));
    tell_all(m, says, what, found)
}

/// The same of these mismatches.
pub(super) fn tell_all<'p>(
    m: &Moment<'_>,
    says: &mut Says,
    what: &str,
    found: impl Iterator<Item = &'p Mismatch>,
) -> bool {
    let mut any = false;
    for mismatch in found {
        any = true;
        says.broken(misfit(what, mismatch));
    }
    any || !m.misspelt().is_empty()
}

/// Says whether the text at a place is one of these, or in version 2 an extension. What is no text is left to the
/// mismatches; what is merely spelt in another way is JSONRPC-022's.
pub(super) fn defined(m: &Moment<'_>, says: &mut Says, place: &str, value: &str, known: &[&str]) {
    let v2 = m.conn.version() == Version::AcpV2;
    let is_known = known.contains(&value) || (v2 && value.starts_with('_'));
    if !is_known && m.misspelt().iter().any(|other| other.pointer == place) {
        return;
    }
    says.holds(is_known, || {
        let extension = if v2 {
            ", or a name that begins with an underscore"
        } else {
            ""
        };
        Why::new(
            format!("{place}: one of {}{extension}", known.join(", ")),
            format!("{place} is {}", text::short_to(value, 60)),
        )
    });
}

/// The session was made on this connection and never loaded or resumed: all that was told in it was seen.
pub(super) fn witnessed(conn: &Conn, session: &str) -> bool {
    let mut made = false;
    for request in conn.requests.iter().filter(|it| it.from == Side::Client) {
        match request.method.as_str() {
            "session/new" => {
                let id = request.result().and_then(|result| result.get("sessionId"));
                made |= id.and_then(Value::as_str) == Some(session);
            }
            "session/load" | "session/resume" if param(request, "sessionId") == Some(session) => {
                return false;
            }
            _ => {}
        }
    }
    made
}

/// Updates were sent as requests, which tell as well and are another clause's.
pub(super) fn misplaces_updates(conn: &Conn) -> bool {
    let mut requests = conn.requests.iter();
    requests.any(|it| it.from == Side::Server && it.method == "session/update")
}

/// The permission request about this tool call that came before an event.
pub(super) fn asked_about<'a>(
    conn: &'a Conn,
    session: &str,
    id: &str,
    before: u64,
) -> Option<&'a Value> {
    conn.requests.iter().find_map(|request| {
        let params = request.params.as_ref().filter(|_| {
            request.from == Side::Server
                && request.method == "session/request_permission"
                && request.seq < before
                && param(request, "sessionId") == Some(session)
        })?;
        let calls = ["/toolCall", "/subject/toolCall"];
        let call = calls.into_iter().find_map(|place| params.pointer(place))?;
        (call.get("toolCallId").and_then(Value::as_str) == Some(id)).then_some(call)
    })
}
