//! LIST: session/list, its filter and its pages, and what it tells of a session.

use elenchus_protocol::{
    Version,
    acp::shapes::{self, Mismatch, Part},
};
use serde_json::Value;

use super::{
    lifecycle::{
        absolute, announces, answer_to, folder, home_of, made_up, ours, param, succeeded,
        text_param, told, updated, wants_error, wants_login, within,
    },
    moment::{Instant, any_iso},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS},
    rule::{Rule, Says, Still, Subject, Why},
    text,
    world::{Answered, Conn, Request, World},
};

pub(super) const RULES: &[Rule] = &[
    SUCCEEDS.at(&[ANSWERS]),
    NOTHING_MATCHES.at(&[ANSWERS]),
    FILTERED.at(&[ANSWERS]),
    ENTRY.at(&[ANSWERS]),
    UPDATED_AT.at(&[ANSWERS]),
    UNIQUE.at(&[ANSWERS]),
    NEXT_PAGE.at(&[ANSWERS]),
    FOREIGN_CURSOR.at(&[ANSWERS]),
    ONLY_DISCOVERS.at(&[ANSWERS]),
    LATEST_FIRST.at(&[ANSWERS]),
    INFO_UPDATE.at(&[NOTIFICATIONS]),
];

/// The answer at hand, if it is to a list that the agent announces.
fn listed<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request, &'a Answered)> {
    answer_to(m, &["session/list"]).filter(|_| announces(m.conn, "session/list"))
}

/// The entries of a list that came.
pub(super) fn entries(request: &Request) -> &[Value] {
    request
        .result()
        .and_then(|result| result.get("sessions"))
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The ids of the entries.
pub(super) fn ids(request: &Request) -> impl Iterator<Item = &str> {
    entries(request)
        .iter()
        .filter_map(|entry| entry.get("sessionId")?.as_str())
}

pub(super) fn next_cursor(request: &Request) -> Option<&str> {
    request.result()?.get("nextCursor")?.as_str()
}

/// The requests of one walk through the pages, up to this one; none if its cursor came from no page seen here.
pub(super) fn walk(conn: &Conn, index: usize) -> Option<Vec<&Request>> {
    let mut walk = vec![&conn.requests[index]];
    let mut at = index;
    while let Some(cursor) = text_param(&conn.requests[at], "cursor") {
        let from = conn.requests[..at].iter().rposition(|request| {
            request.method == "session/list"
                && next_cursor(request) == Some(cursor)
                && param(request, "cwd") == param(&conn.requests[index], "cwd")
        })?;
        walk.push(&conn.requests[from]);
        at = from;
    }
    walk.reverse();
    Some(walk)
}

/// What the shapes find wrong with a result, at these places.
fn mismatches(m: &Moment<'_>, request: &Request, at: fn(&str) -> bool) -> Vec<Mismatch> {
    let Some(result) = request.result() else {
        return Vec::new();
    };
    let version = m.conn.version();
    let mut found = shapes::check(version, "session/list", Part::Result, result);
    found.retain(|mismatch| at(&mismatch.pointer));
    found
}

/// Says what the shapes came to.
pub(super) fn tell_shape(says: &mut Says, found: &[Mismatch]) {
    if found.is_empty() {
        says.upheld();
    }
    for mismatch in found {
        says.broken(Why::new(
            mismatch.expected.clone(),
            format!("the result does not fit: {mismatch}"),
        ));
    }
}

/// Whether a place is about the list itself rather than about an entry.
fn of_the_list(pointer: &str) -> bool {
    matches!(pointer, "" | "/sessions" | "/nextCursor")
}

/// A list without a cursor, in a folder that no session of this trace has, nor any folder above or below it.
fn matches_nothing(world: &World, request: &Request) -> bool {
    let Some(wanted) = text_param(request, "cwd").filter(|cwd| absolute(cwd)) else {
        return false;
    };
    param(request, "cursor").is_none()
        && !ours(world)
            .filter(|it| it.method != "session/list")
            .filter_map(|it| text_param(it, "cwd"))
            .any(|cwd| folder(cwd) == folder(wanted) || within(cwd, wanted) || within(wanted, cwd))
}

/// LIST-001: session/list succeeds with an array of sessions. (session-list#listing-sessions)
const SUCCEEDS: Rule = Rule::check("ACP-LIST-001", |m, says| {
    let Some((_, request, answer)) = listed(m) else {
        return;
    };
    if !answer.is_error {
        let found = mismatches(m, request, of_the_list);
        // What comes for a folder without sessions is LIST-003's.
        if found.is_empty() || !matches_nothing(m.world, request) {
            tell_shape(says, &found);
        }
        return;
    }
    // Params that are left out are JSONRPC-026's.
    let left_out = request.params.is_none();
    if left_out || param(request, "cursor").is_some() || param(request, "cwd").is_some() {
        return;
    }
    match answer.error_code {
        Some(-32601 | -32602) => says.broken(Why::new(
            "a result with an array of sessions",
            format!(
                "a session/list without any params was answered with {}",
                told(answer)
            ),
        )),
        Some(-32000) => says.unclear("the agent wants a login first"),
        _ => says.unclear("session/list failed for a reason that may lie outside the protocol"),
    }
});

/// LIST-003: where nothing matches, the list is empty: no null, no error. An error counts only where the list without
/// the filter came. (session-list#listing-sessions)
const NOTHING_MATCHES: Rule = Rule::check("ACP-LIST-003", |m, says| {
    let Some((index, request, answer)) = listed(m) else {
        return;
    };
    if !matches_nothing(m.world, request) {
        return;
    }
    if !answer.is_error {
        let list = request.result().and_then(|result| result.get("sessions"));
        return says.holds(list.is_some_and(Value::is_array), || {
            Why::new(
                "an empty array of sessions",
                "where no session is in the folder, the result has no array of sessions",
            )
        });
    }
    let works = m.conn.requests[..index]
        .iter()
        .any(|it| it.method == "session/list" && param(it, "cwd").is_none() && succeeded(it));
    if wants_login(answer) || !works {
        says.unclear("session/list failed, perhaps not for the filter");
    } else {
        says.broken(Why::new(
            "an empty array of sessions",
            format!(
                "a list of a folder without sessions was answered with {}, and the list of all comes",
                told(answer)
            ),
        ));
    }
});

/// LIST-004: a filter for a folder leaves no session of another one. Folders below it are none of it in v2; v1 only
/// says that they match. (session-list#listing-sessions, ListSessionsRequest.cwd)
const FILTERED: Rule = Rule::check("ACP-LIST-004", |m, says| {
    let Some((_, request, _)) = listed(m) else {
        return;
    };
    let Some(wanted) = text_param(request, "cwd").filter(|cwd| absolute(cwd)) else {
        return;
    };
    let mut clean = true;
    for id in ids(request) {
        let Some(home) = home_of(m.world, id).filter(|home| folder(home) != folder(wanted)) else {
            continue;
        };
        if within(home, wanted) && m.conn.version() == Version::AcpV1 {
            says.note("sessions of folders below the one that was asked for are listed too");
            continue;
        }
        clean = false;
        says.broken(Why::new(
            format!("only sessions of {}", text::short_to(wanted, 120)),
            format!(
                "the session {} is in {} and is listed for {}",
                text::short_to(id, 60),
                text::short_to(home, 120),
                text::short_to(wanted, 120)
            ),
        ));
    }
    // Something was there to be left out.
    let others = ours(m.world)
        .filter(|it| it.method == "session/new" && succeeded(it))
        .filter_map(|it| text_param(it, "cwd"))
        .any(|cwd| folder(cwd) != folder(wanted));
    if clean && others && succeeded(request) {
        says.upheld();
    }
});

/// LIST-005: an entry has a sessionId and a cwd; title and updatedAt are texts. (SessionInfo)
const ENTRY: Rule = Rule::check("ACP-LIST-005", |m, says| {
    if let Some((_, request, _)) = listed(m)
        && !entries(request).is_empty()
    {
        tell_shape(
            says,
            &mismatches(m, request, |at| at.starts_with("/sessions/")),
        );
    }
});

/// LIST-006: updatedAt is a point in time: RFC 3339 in v2, any form of ISO 8601 in v1. (SessionInfo.updated_at)
const UPDATED_AT: Rule = Rule::check("ACP-LIST-006", |m, says| {
    let Some((_, request, _)) = listed(m) else {
        return;
    };
    let v2 = m.conn.version() == Version::AcpV2;
    for entry in entries(request) {
        let Some(at) = entry.get("updatedAt").and_then(Value::as_str) else {
            continue;
        };
        let readable = if v2 {
            Instant::read(at).is_some()
        } else {
            any_iso(at)
        };
        says.holds(readable, || {
            Why::new(
                if v2 {
                    "a time as RFC 3339 has it"
                } else {
                    "a time as ISO 8601 has it"
                },
                format!("updatedAt is {}", text::short_to(at, 60)),
            )
        });
    }
});

/// LIST-007: no session stands twice in one walk through the pages. (SessionInfo.session_id; robustness)
const UNIQUE: Rule = Rule::check("ACP-LIST-007", |m, says| {
    let Some((index, request, answer)) = listed(m) else {
        return;
    };
    if answer.is_error || next_cursor(request).is_some() {
        return;
    }
    let Some(walk) = walk(m.conn, index) else {
        return;
    };
    let mut seen: Vec<&str> = walk.iter().flat_map(|page| ids(page)).collect();
    if seen.is_empty() {
        return;
    }
    seen.sort_unstable();
    let Some(twice) = seen.windows(2).find(|pair| pair[0] == pair[1]) else {
        return says.upheld();
    };
    let begun = walk[0].seq;
    if ours(m.world)
        .any(|it| it.seq > begun && it.method != "session/list" && it.seq < answer.seq && !it.fence)
    {
        return says.unclear("a session is listed twice, and something else was asked meanwhile");
    }
    says.broken(Why::new(
        "every session once",
        format!(
            "the session {} is listed twice in one walk through the pages",
            text::short_to(twice[0], 60)
        ),
    ));
});

/// LIST-008: a cursor leads to the next page, and the pages come to an end. (session-list#pagination; derived)
const NEXT_PAGE: Rule = Rule::check("ACP-LIST-008", |m, says| {
    let Some((index, request, answer)) = listed(m) else {
        return;
    };
    let Some(cursor) = text_param(request, "cursor") else {
        return;
    };
    let Some(walk) = walk(m.conn, index).filter(|walk| walk.len() > 1) else {
        return;
    };
    if answer.is_error {
        if wants_login(answer) {
            return;
        }
        return says.broken(Why::new(
            "the next page",
            format!(
                "a cursor that came with the last page was answered with {}",
                told(answer)
            ),
        ));
    }
    let before = walk[walk.len() - 2];
    let stands_still = next_cursor(request) == Some(cursor) && ids(before).eq(ids(request));
    says.holds(!stands_still, || {
        Why::new(
            "the next page",
            "a cursor leads to the page that it came with, and to itself",
        )
    });
});

/// LIST-009: a cursor that was never given out is refused. (session-list#pagination)
const FOREIGN_CURSOR: Rule = Rule::check("ACP-LIST-009", |m, says| {
    let Some((_, request, answer)) = listed(m) else {
        return;
    };
    if text_param(request, "cursor").is_some_and(made_up) {
        wants_error(
            says,
            request,
            answer,
            "the agent has never given this cursor out",
        );
    }
});

/// LIST-011: a list only tells: no session that is not active here begins to tell anything for it. Its title may.
/// (session-list; derived)
const ONLY_DISCOVERS: Rule = Rule::ban(
    "ACP-LIST-011",
    |m, says| {
        if let Some((_, request, _)) = listed(m)
            && ids(request).any(|id| !is_known(m.conn, id))
        {
            says.watch(Subject::Connection);
        }
    },
    |m, _| {
        let Some(update) = updated(m) else {
            return Still::Watching;
        };
        let session = update.session.as_str();
        let tells = update.is_message() || update.is_tool() || update.kind == "state_update";
        let was_listed = || {
            let lists = m.conn.requests.iter();
            let lists = lists.filter(|it| it.method == "session/list");
            lists.flat_map(ids).any(|id| id == session)
        };
        if !tells || is_known(m.conn, session) || !was_listed() {
            return Still::Watching;
        }
        Still::Broken(Why::new(
            "nothing of a session that was only listed",
            format!(
                "the session {} was listed, and neither loaded nor resumed, and tells a {}",
                text::short_to(session, 60),
                text::short_to(&update.kind, 60)
            ),
        ))
    },
);

/// The connection has made, loaded or resumed the session, or was told of it by another.
fn is_known(conn: &Conn, session: &str) -> bool {
    conn.sessions
        .get(session)
        .is_some_and(|session| session.known)
}

/// LIST-012 (v2): the most recently active session comes first. (v2 session-list)
const LATEST_FIRST: Rule = Rule::check("ACP-LIST-012", |m, says| {
    let Some((_, request, _)) = listed(m) else {
        return;
    };
    if m.conn.version() != Version::AcpV2 || entries(request).len() < 2 {
        return;
    }
    let at = |entry: &Value| Instant::read(entry.get("updatedAt")?.as_str()?);
    let Some(times) = entries(request).iter().map(at).collect::<Option<Vec<_>>>() else {
        return;
    };
    says.holds(times.is_sorted_by(|one, next| one >= next), || {
        Why::new(
            "the most recently active session first",
            "a session is listed before one with a later updatedAt",
        )
    });
});

/// LIST-013: session_info_update repeats nothing that a session is known by. Other unknown members are EXT-007's.
/// (SessionInfoUpdate)
const INFO_UPDATE: Rule = Rule::check("ACP-LIST-013", |m, says| {
    let Fact::Notified(index) = m.fact else {
        return;
    };
    let notification = &m.conn.notifications[*index];
    let update = notification
        .params
        .as_ref()
        .and_then(|params| params.get("update"));
    let Some(update) = update.filter(|update| {
        notification.from == m.judged
            && notification.method == "session/update"
            && update
                .get("sessionUpdate")
                .is_some_and(|kind| kind == "session_info_update")
    }) else {
        return;
    };
    let stray = ["sessionId", "cwd", "additionalDirectories"]
        .into_iter()
        .find(|name| update.get(name).is_some());
    says.holds(stray.is_none(), || {
        Why::new(
            "title and updatedAt, and nothing else",
            format!(
                "a session_info_update holds {}, which it does not have",
                stray.unwrap_or_default()
            ),
        )
    });
});
