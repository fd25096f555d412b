//! LIST, LOAD, RESUME, CLOSE and DELETE: what a client asks of sessions that are there already.

use elenchus_protocol::Version;
use serde_json::Value;

use super::session::{asks, capabilities_known};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Why},
    rules::{
        lifecycle::{absolute, announces, folder, home_of, session_of, text_param},
        list::next_cursor,
    },
    text,
};

pub(super) const RULES: &[Rule] = &[
    Rule::check("ACP-LIST-002", |m, s| gated_v1(m, s, "session/list"))
        .of_client()
        .at(&[REQUESTS]),
    CURSORS.at(&[REQUESTS]),
    Rule::check("ACP-RESUME-002", |m, s| gated_v1(m, s, "session/resume"))
        .of_client()
        .at(&[REQUESTS]),
    RESUME_PARAMS.at(&[REQUESTS]),
    NO_LOAD_V2.at(&[REQUESTS]),
    Rule::check("ACP-LOAD-003", |m, s| gated_v1(m, s, "session/load"))
        .of_client()
        .at(&[REQUESTS]),
    LOAD_PARAMS.at(&[REQUESTS]),
    Rule::check("ACP-CLOSE-002", |m, s| gated_v1(m, s, "session/close"))
        .of_client()
        .at(&[REQUESTS]),
    CLOSED_ALREADY.at(&[ANSWERS]),
    Rule::check("ACP-DELETE-004", |m, s| gated(m, s, "session/delete"))
        .of_client()
        .at(&[REQUESTS]),
];

/// The method is called only where the agent announces it.
fn gated(m: &Moment<'_>, says: &mut Says, method: &str) {
    if asks(m, &[method]).is_none() || !capabilities_known(m) {
        return;
    }
    says.holds(announces(m.conn, method), || {
        Why::new(
            format!("no {method}"),
            format!("{method} was called, and the agent does not announce it"),
        )
    });
}

fn gated_v1(m: &Moment<'_>, says: &mut Says, method: &str) {
    if m.conn.version() == Version::AcpV1 {
        gated(m, says, method);
    }
}

/// LIST-010: a cursor is one that the agent gave, as it came, and with the cwd that it was given for (v2). After the last
/// page none follows. (session-list#pagination)
const CURSORS: Rule = Rule::check("ACP-LIST-010", |m, says| {
    let Some(request) = asks(m, &["session/list"]).filter(|_| m.conn.from_start) else {
        return;
    };
    let Some(cursor) = text_param(request, "cursor") else {
        return;
    };
    let pages = || {
        let lists = m.conn.requests.iter().rev();
        lists.filter(|it| it.from == m.judged && it.method == "session/list" && !it.is_open())
    };
    let page = pages().find(|page| next_cursor(page) == Some(cursor));
    let broken = |says: &mut Says, expected: &str, what: String| {
        says.broken(Why::new(expected, what));
    };
    let Some(page) = page else {
        let last = pages()
            .next()
            .is_some_and(|page| page.result().is_some() && next_cursor(page).is_none());
        return broken(
            says,
            "a cursor as the agent gave it, or none",
            if last {
                "a page was asked for behind the last one".to_owned()
            } else {
                format!(
                    "session/list has the cursor {}, which the agent has not given",
                    text::short_to(cursor, 80)
                )
            },
        );
    };
    if m.conn.version() == Version::AcpV2 && text_param(page, "cwd") != text_param(request, "cwd") {
        return broken(
            says,
            "the same cwd for all pages",
            "a further page was asked for with another cwd than the one before".to_owned(),
        );
    }
    says.upheld();
})
.of_client();

/// RESUME-003: session/resume names the session and its own cwd. (session-setup#resuming-sessions)
const RESUME_PARAMS: Rule = Rule::check("ACP-RESUME-003", |m, says| {
    let Some(request) = asks(m, &["session/resume"]) else {
        return;
    };
    let (Some(session), Some(cwd)) = (session_of(request), text_param(request, "cwd")) else {
        return says.broken(Why::new(
            "sessionId and cwd",
            "session/resume lacks its sessionId or its cwd",
        ));
    };
    // A relative one is SESSION-008's.
    let home = home_of(m.world, session).filter(|_| absolute(cwd));
    match home {
        Some(home) if m.conn.version() == Version::AcpV2 && folder(home) != folder(cwd) => {
            says.broken(Why::new(
                format!("the cwd of the session, {}", text::short_to(home, 120)),
                format!(
                    "a session was resumed with the cwd {}, and was opened with another",
                    text::short_to(cwd, 120)
                ),
            ));
        }
        _ => says.upheld(),
    }
})
.of_client();

/// RESUME-017 (v2): session/load is gone; what was said comes back by session/resume with replayFrom.
/// (v2 migration#session-load)
const NO_LOAD_V2: Rule = Rule::check("ACP-RESUME-017", |m, says| {
    if m.conn.version() != Version::AcpV2 {
        return;
    }
    if asks(m, &["session/load"]).is_some() {
        says.broken(Why::new(
            "session/resume with replayFrom",
            "session/load was called, which version 2 does not have",
        ));
    } else if asks(m, &["session/resume"]).is_some() {
        says.upheld();
    }
})
.of_client();

/// LOAD-004 (v1): session/load has a sessionId, a cwd and a list of servers. (v1 session-setup#loading-sessions)
const LOAD_PARAMS: Rule = Rule::check("ACP-LOAD-004", |m, says| {
    let Some(request) = asks(m, &["session/load"]) else {
        return;
    };
    if m.conn.version() != Version::AcpV1 {
        return;
    }
    let member = |name: &str| request.params.as_ref().and_then(|params| params.get(name));
    let text = |name: &str| member(name).is_some_and(Value::is_string);
    let missing = [
        ("sessionId", text("sessionId")),
        ("cwd", text("cwd")),
        (
            "mcpServers",
            member("mcpServers").is_some_and(Value::is_array),
        ),
    ]
    .into_iter()
    .find(|(_, there)| !there);
    says.holds(missing.is_none(), || {
        let (name, _) = missing.unwrap_or_default();
        Why::new(
            "sessionId, cwd and mcpServers",
            format!("session/load has no proper {name}"),
        )
    });
})
.of_client();

/// CLOSE-009 (v2): a session that the agent no longer knows is closed. The client does not try again.
/// (v2/agent.rs CloseSessionRequest)
const CLOSED_ALREADY: Rule = Rule::ban(
    "ACP-CLOSE-009",
    |m, says| {
        if let Some((index, request)) = m.we_answered()
            && request.method == "session/close"
            && request.error_code() == Some(-32002)
            && m.conn.version() == Version::AcpV2
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let (Some(again), Subject::Request(index)) = (asks(m, &["session/close"]), watch.subject)
        else {
            return match m.fact {
                // It is a client that is through, whatever it makes of its own exit code.
                Fact::Closed(side) if *side == m.judged => Still::Upheld,
                _ => Still::Watching,
            };
        };
        if session_of(again) == session_of(&m.conn.requests[index]) {
            Still::Broken(Why::new(
                "a session that counts as closed",
                "a session was not found, and session/close was sent for it once more",
            ))
        } else {
            Still::Watching
        }
    },
)
.of_client();
