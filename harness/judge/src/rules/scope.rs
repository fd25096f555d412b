//! ELICIT-SCOPE: what an elicitation is and belongs to. How answers find it stands in `correlate`.

use elenchus_protocol::{
    Version,
    Weight::{Violation, Warning},
    acp::elicitation::{CreateFault, Scope},
};
use elenchus_wire::{Id, IdKey, Side};
use serde_json::Value;

use super::views::{create, elicited, has_members, tell};
use crate::{
    fact::Fact,
    kinds::{NOTIFICATIONS, REQUESTS},
    rule::{Rule, Still, Subject, Why},
    text,
    world::{Conn, Session},
};

pub(super) const RULES: &[Rule] = &[
    IS_A_REQUEST.at(&[NOTIFICATIONS, REQUESTS]),
    Rule::check("ACP-ELICIT-SCOPE-002", |m, s| {
        create(m, s, &[CreateFault::NoMode], Violation, has_members);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCOPE-004", |m, s| {
        create(m, s, &[CreateFault::NestedScope], Violation, has_members);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCOPE-005", |m, s| {
        let faults = [CreateFault::ScopeCount, CreateFault::NestedScope];
        create(m, s, &faults, Violation, has_members);
    })
    .at(&[REQUESTS]),
    ONE_SCOPE_V1.at(&[REQUESTS]),
    NAMES_A_SESSION.at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCOPE-011", |m, s| {
        create(
            m,
            s,
            &[
                CreateFault::ToolCallIdType,
                CreateFault::ToolCallWithRequest,
            ],
            Violation,
            |c| c.has_tool_call_id,
        );
    })
    .at(&[REQUESTS]),
    NAMES_A_TOOL_CALL.at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCOPE-014", |m, s| {
        create(m, s, &[CreateFault::RequestIdV1], Violation, |c| {
            matches!(c.scope, Scope::Request(_))
        });
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCOPE-015", |m, s| {
        create(m, s, &[CreateFault::RequestIdV2], Violation, |c| {
            matches!(c.scope, Scope::Request(_))
        });
    })
    .at(&[REQUESTS]),
    NAMES_A_PENDING_REQUEST.at(&[REQUESTS]),
    NOT_THE_PROMPT.at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCOPE-019", |m, s| {
        create(m, s, &[CreateFault::Message], Violation, has_members);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCOPE-022", |m, s| {
        create(m, s, &[CreateFault::ReservedMode], Violation, |c| {
            c.mode.is_some()
        });
    })
    .at(&[REQUESTS]),
];

/// SCOPE-001: an elicitation is a request named elicitation/create, with an id and object params.
/// (elicitation#creating-an-elicitation)
const IS_A_REQUEST: Rule = Rule::check("ACP-ELICIT-SCOPE-001", |m, says| {
    let method = match m.fact {
        Fact::Requested(index) => m.requested().map(|_| &m.conn.requests[*index].method),
        Fact::Notified(index) => {
            let notification = &m.conn.notifications[*index];
            (notification.from == m.judged).then_some(&notification.method)
        }
        _ => None,
    };
    let Some(method) = method else { return };
    if method == "elicitation/create" {
        if matches!(m.fact, Fact::Notified(_)) {
            return says.broken(Why::new(
                "a request, with an id",
                "elicitation/create was sent without an id",
            ));
        }
        return create(m, says, &[CreateFault::Params], Violation, has_members);
    }
    let letters: String = method.chars().filter(char::is_ascii_alphanumeric).collect();
    if letters.eq_ignore_ascii_case("elicitationcreate") && !method.starts_with('_') {
        says.broken(Why::new(
            "the method elicitation/create",
            format!(
                "an elicitation was requested by the name `{}`",
                text::short_to(method, 60)
            ),
        ));
    }
});

/// SCOPE-007 (v1): one scope only. A null beside the other id names nothing, and is only a remark.
/// (schema:v1 ElicitationScope; derived)
const ONE_SCOPE_V1: Rule = Rule::check("ACP-ELICIT-SCOPE-007", |m, says| {
    let Some((_, request, elicitation)) = elicited(m) else {
        return;
    };
    let is_null = |name: &str| {
        let id = request.params.as_ref().and_then(|params| params.get(name));
        id.is_some_and(Value::is_null)
    };
    let names_nothing = is_null("sessionId") || is_null("requestId");
    let least = if names_nothing { Violation } else { Warning };
    let create = &elicitation.create;
    let both = create
        .problems
        .iter()
        .filter(|problem| problem.kind == CreateFault::BothScopesV1);
    tell(says, both, least, has_members(create));
});

/// SCOPE-009: sessionId is a string that names a session of this connection; judged at the end, since a session's
/// elicitation may overtake the answer that creates it, and the session may then fail.
/// (elicitation#creating-an-elicitation; derived)
const NAMES_A_SESSION: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-009",
    |m, says| {
        let Some((index, request, elicitation)) = elicited(m) else {
            return;
        };
        let named = request.params.as_ref().and_then(|it| it.get("sessionId"));
        if !named.is_some_and(|session| m.conn.has_named(Side::Client, session)) {
            create(m, says, &[CreateFault::SessionIdType], Violation, |_| false);
        }
        if matches!(elicitation.create.scope, Scope::Session { .. }) {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let (Fact::Ended, Subject::Request(index)) = (m.fact, watch.subject) else {
            return Still::Watching;
        };
        let request = &m.conn.requests[index];
        let Some(Scope::Session { session, .. }) =
            request.elicitation.as_deref().map(|e| &e.create.scope)
        else {
            return Still::Moot;
        };
        let known = m.conn.sessions.get(session).is_some_and(|s| s.known);
        if known {
            Still::Upheld
        } else if m.conn.init.request.is_none() {
            Still::Unclear("the recording begins in the middle".to_owned())
        } else if m.conn.has_named(Side::Client, &session.as_str().into()) {
            Still::Unclear("the client was the first to name this session".to_owned())
        } else if nameless_session(m.conn, watch.opened) {
            Still::Unclear(
                "a session was being set up, and its id was never told: it may have been this one"
                    .to_owned(),
            )
        } else {
            Still::Broken(
                Why::new(
                    "the id of a session that exists on this connection",
                    format!(
                        "no session on this connection ever had the id `{}`",
                        text::short_to(session, 80)
                    ),
                )
                .got(request.text.clone()),
            )
        }
    },
);

/// A request for a new session that was open at this event never told the session's id.
fn nameless_session(conn: &Conn, at: u64) -> bool {
    conn.requests.iter().any(|request| {
        let makes = request.from == Side::Client
            && matches!(request.method.as_str(), "session/new" | "session/fork");
        let open = request.seq < at && request.answer().is_none_or(|answer| answer.seq > at);
        let told = request
            .result()
            .is_some_and(|result| result["sessionId"].is_string());
        makes && open && !told
    })
}

/// SCOPE-012: a toolCallId names a tool call of that same session. One that was reported nowhere is not judged: nothing
/// forces a report before the question. (elicitation#creating-an-elicitation; derived)
const NAMES_A_TOOL_CALL: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-012",
    |m, says| {
        let Some((index, _, elicitation)) = elicited(m) else {
            return;
        };
        if let Scope::Session {
            tool_call: Some(_), ..
        } = elicitation.create.scope
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let (Fact::Ended, Subject::Request(index)) = (m.fact, watch.subject) else {
            return Still::Watching;
        };
        let request = &m.conn.requests[index];
        let Some(Scope::Session {
            session,
            tool_call: Some(call),
        }) = request.elicitation.as_deref().map(|e| &e.create.scope)
        else {
            return Still::Moot;
        };
        let reported = |session: &Session| session.tool_calls.contains(call);
        if m.conn.sessions.get(session).is_some_and(reported)
            || in_permission(m.conn, session, call)
        {
            Still::Upheld
        } else if m.conn.sessions.values().any(reported) {
            Still::Broken(
                Why::new(
                    "a tool call of the elicitation's own session",
                    format!(
                        "tool call `{}` was reported in another session, and never in this one",
                        text::short_to(call, 80)
                    ),
                )
                .got(request.text.clone()),
            )
        } else {
            Still::Unclear("the tool call was never reported".to_owned())
        }
    },
);

/// A permission request tells of a tool call too: v1 in `toolCall`, v2 in `subject.toolCall`.
fn in_permission(conn: &Conn, session: &str, call: &str) -> bool {
    conn.requests.iter().any(|request| {
        request.method == "session/request_permission"
            && request.params.as_ref().is_some_and(|params| {
                params["sessionId"] == session
                    && [&params["toolCall"], &params["subject"]["toolCall"]]
                        .iter()
                        .any(|told| told["toolCallId"] == call)
            })
    })
}

/// SCOPE-016: requestId names a request of the client that awaits its answer, with the same JSON type. In v1 null is
/// legal, and names none. (elicitation#creating-an-elicitation; schema:v2 ElicitationRequestScope.request_id)
const NAMES_A_PENDING_REQUEST: Rule = Rule::check("ACP-ELICIT-SCOPE-016", |m, says| {
    let Some((_, _, elicitation)) = elicited(m) else {
        return;
    };
    let Scope::Request(id) = &elicitation.create.scope else {
        return;
    };
    let id = Id(id.as_str().into());
    let key = id.key();
    let named = |key: &IdKey| {
        let index = m.conn.with_key(Side::Client, key)?;
        Some(&m.conn.requests[index])
    };
    match named(&key) {
        Some(request) if request.is_open() => says.upheld(),
        Some(request) if m.conn.version() == Version::AcpV1 => {
            says.note(format!(
                "request {} had been answered when it was named",
                text::short_to(request.id.text(), 80)
            ));
        }
        Some(request) => says.broken(Why::new(
            "the id of a request that still awaits its answer",
            format!(
                "the elicitation is scoped to request {}, which had been answered already",
                text::short_to(request.id.text(), 80)
            ),
        )),
        None if key == IdKey::Null => says.unclear("null is legal in v1, and names no request"),
        None if m.conn.init.request.is_none() => says.unclear("the recording begins in the middle"),
        None => {
            let twin = match &key {
                IdKey::String(text) => named(&Id(text.as_str().into()).key()),
                IdKey::Number(number) => named(&IdKey::String(number.clone())),
                _ => None,
            };
            let id = text::short_to(id.text(), 80);
            says.broken(Why::new(
                "the id of a request of the client, with the same JSON type",
                match twin {
                    Some(twin) => format!(
                        "the client's request has the id {}, not {id}",
                        twin.id.text()
                    ),
                    None => format!("the client never sent a request with the id {id}"),
                },
            ));
        }
    }
});

/// SCOPE-017: request scope is for interactions outside a session; work in a session has the session's scope. Requests
/// that set a session up are not judged. (elicitation#creating-an-elicitation)
const NOT_THE_PROMPT: Rule = Rule::check("ACP-ELICIT-SCOPE-017", |m, says| {
    let Some((_, _, elicitation)) = elicited(m) else {
        return;
    };
    let id = match &elicitation.create.scope {
        Scope::Session { .. } => return says.upheld(),
        Scope::Request(id) => Id(id.as_str().into()),
        Scope::Unclear => return,
    };
    let named = m.conn.with_key(Side::Client, &id.key());
    // What is wrong with one that was answered, SCOPE-016 says.
    let Some(request) = named
        .map(|index| &m.conn.requests[index])
        .filter(|request| request.is_open())
    else {
        return;
    };
    match request.method.as_str() {
        "session/prompt" => says.broken(Why::new(
            "the session's scope, by sessionId",
            "a question of a turn was scoped to the session/prompt request",
        )),
        "session/new" | "session/load" | "session/resume" | "session/fork" => {
            says.unclear("it was scoped to a request that sets a session up");
        }
        _ => says.upheld(),
    }
});
