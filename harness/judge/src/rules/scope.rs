//! ELICIT-SCOPE: what an elicitation belongs to, and how it is correlated.

use elenchus_protocol::{
    Version,
    Weight::{Violation, Warning},
    acp::elicitation::{Answer, CreateFault, Scope},
};
use elenchus_wire::Side;
use serde_json::Value;

use super::views::{Report, class, create, elicited, report_line};
use crate::{
    fact::{Fact, Moment},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, Turn},
};

pub(super) const RULES: &[Rule] = &[
    IS_A_REQUEST,
    // 002: `mode` is always stated. (elicitation#creating-an-elicitation)
    Rule::check("ACP-ELICIT-SCOPE-002", |m, s| {
        create(m, s, &[CreateFault::NoMode], Violation, |_| true);
    }),
    // 004: scope fields are flat. (elicitation#creating-an-elicitation)
    Rule::check("ACP-ELICIT-SCOPE-004", |m, s| {
        create(m, s, &[CreateFault::NestedScope], Violation, |_| true);
    }),
    // 005: v2 has exactly one of sessionId and requestId. (schema:v2 ElicitationScope)
    Rule::check("ACP-ELICIT-SCOPE-005", |m, s| {
        create(m, s, &[CreateFault::ScopeCount], Violation, |_| true);
    }),
    // 007: v1 should have one only. (schema:v1 ElicitationScope; derived)
    Rule::check("ACP-ELICIT-SCOPE-007", |m, s| {
        create(m, s, &[CreateFault::BothScopesV1], Warning, |_| true);
    }),
    NAMES_A_SESSION,
    // 011: toolCallId is a string and goes with sessionId only.
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
    }),
    NAMES_A_TOOL_CALL,
    // 014: a v1 requestId is a string, an integer or null. (schema:v1 RequestId)
    Rule::check("ACP-ELICIT-SCOPE-014", |m, s| {
        create(m, s, &[CreateFault::RequestIdV1], Violation, |c| {
            c.has_request_id
        });
    }),
    // 015: a v2 requestId is a string or an integer. (schema:v2 RequestId)
    Rule::check("ACP-ELICIT-SCOPE-015", |m, s| {
        create(m, s, &[CreateFault::RequestIdV2], Violation, |c| {
            c.has_request_id
        });
    }),
    NAMES_A_PENDING_REQUEST,
    NOT_THE_PROMPT,
    // 019: `message` is a string. (schema:v1+v2 CreateElicitationRequest.message)
    Rule::check("ACP-ELICIT-SCOPE-019", |m, s| {
        create(m, s, &[CreateFault::Message], Violation, |_| true);
    }),
    // 022: other modes begin with an underscore. (rfd:elicitation#elicitation-modes)
    Rule::check("ACP-ELICIT-SCOPE-022", |m, s| {
        create(m, s, &[CreateFault::ReservedMode], Violation, |c| {
            c.mode.is_some()
        });
    }),
    UNKNOWN_META,
    CORRELATES,
    ID_NOT_REUSED,
    BOUND_TO_CONNECTION,
    NOT_INHERITED,
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
        return create(m, says, &[CreateFault::Params], Violation, |_| true);
    }
    let letters: String = method.chars().filter(char::is_ascii_alphanumeric).collect();
    if letters.eq_ignore_ascii_case("elicitationcreate") && !method.starts_with('_') {
        says.broken(Why::new(
            "the method elicitation/create",
            format!("it was spelt `{}`", text::short_to(method, 60)),
        ));
    }
});

/// SCOPE-009: sessionId is a string that names a session of this connection; judged at the end, since a session's
/// elicitation may overtake the answer that creates it. (elicitation#creating-an-elicitation; derived)
const NAMES_A_SESSION: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-009",
    |m, says| {
        create(m, says, &[CreateFault::SessionIdType], Violation, |_| false);
        let Some((index, _, elicitation)) = elicited(m) else {
            return;
        };
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
        if m.conn
            .sessions
            .get(session)
            .is_some_and(|session| session.known)
        {
            Still::Upheld
        } else if m.conn.init.request.is_none() {
            Still::Unclear("the recording begins in the middle".to_owned())
        } else if m
            .conn
            .open_requests(Side::Client)
            .any(|(_, r)| r.method == "session/new")
        {
            Still::Unclear(
                "a session/new was never answered, and may have been about to name it".to_owned(),
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

/// SCOPE-012: a toolCallId names a tool call of that same session. One that was reported nowhere is not judged: nothing
/// forces a report before the question. (elicitation#creating-an-elicitation; derived)
const NAMES_A_TOOL_CALL: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-012",
    |m, says| {
        let Some((index, _, elicitation)) = elicited(m) else {
            return;
        };
        if matches!(
            elicitation.create.scope,
            Scope::Session {
                tool_call: Some(_),
                ..
            }
        ) {
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
        let reported =
            |(_, session): (&String, &crate::world::Session)| session.tool_calls.contains(call);
        if m.conn
            .sessions
            .get(session)
            .is_some_and(|s| s.tool_calls.contains(call))
        {
            Still::Upheld
        } else if m.conn.sessions.iter().any(reported) {
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

/// SCOPE-016: requestId names a request of the client that awaits its answer, with the same JSON type.
/// (elicitation#creating-an-elicitation; schema:v2 ElicitationRequestScope.request_id)
const NAMES_A_PENDING_REQUEST: Rule = Rule::check("ACP-ELICIT-SCOPE-016", |m, says| {
    let Some((_, _, elicitation)) = elicited(m) else {
        return;
    };
    let Scope::Request(id) = &elicitation.create.scope else {
        return;
    };
    let id = elenchus_wire::Id(id.as_str().into());
    match m
        .conn
        .with_key(Side::Client, &id.key())
        .map(|index| &m.conn.requests[index])
    {
        Some(request) if request.is_open() => says.upheld(),
        Some(request) if m.conn.version() == Version::AcpV1 => {
            says.note(format!(
                "request {} had been answered when it was named",
                request.id.text()
            ));
        }
        Some(request) => says.broken(Why::new(
            "the id of a request that still awaits its answer",
            format!("request {} had been answered already", request.id.text()),
        )),
        None if m.conn.init.request.is_none() => says.unclear("the recording begins in the middle"),
        None => says.broken(Why::new(
            "the id of a request of the client, with the same JSON type",
            format!(
                "the client never sent a request with the id {}",
                text::short_to(id.text(), 80)
            ),
        )),
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
        Scope::Request(id) => elenchus_wire::Id(id.as_str().into()),
        Scope::Unclear => return,
    };
    let Some(request) = m
        .conn
        .with_key(Side::Client, &id.key())
        .map(|index| &m.conn.requests[index])
    else {
        return;
    };
    match request.method.as_str() {
        "session/prompt" if request.is_open() => says.broken(Why::new(
            "the session's scope, by sessionId",
            "a question of a turn was scoped to the session/prompt request",
        )),
        "session/new" | "session/load" | "session/resume" => {
            says.unclear("it was scoped to a request that sets a session up");
        }
        _ => says.upheld(),
    }
});

/// SCOPE-024: `_meta` keys that an agent does not know change nothing: two turns with the same prompt and the same
/// answers, one of them with a foreign `_meta`, come to the same. (extensibility)
const UNKNOWN_META: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-024",
    |m, says| {
        let index = match m.fact {
            Fact::TurnStarted(index) if prompt_has_meta(m.conn, &m.conn.turns[*index]) => *index,
            Fact::Answered { nth: 1, .. } => match m.we_answered() {
                Some((_, request)) if result_has_meta(request.result()) => match request.turn {
                    Some(turn) if m.conn.turns[turn].ended.is_none() => turn,
                    _ => return,
                },
                _ => return,
            },
            _ => return,
        };
        says.watch(Subject::Turn(index));
    },
    |m, watch| {
        if let Some(how) = m.died() {
            return Still::Broken(Why::new(
                "unknown _meta keys change nothing",
                format!("one was sent, and {how}"),
            ));
        }
        let Some((index, turn)) = m
            .turn_ended()
            .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
        else {
            return Still::Watching;
        };
        let twin = m.conn.turns[..index].iter().rev().find(|other| {
            other.prompt == turn.prompt
                && other.ended.is_some()
                && !prompt_has_meta(m.conn, other)
                && !other
                    .elicitations
                    .iter()
                    .any(|&e| result_has_meta(m.conn.requests[e].result()))
                && answers_of(m.conn, other) == answers_of(m.conn, turn)
        });
        match twin {
            None => Still::Unclear("no turn without the _meta to compare with".to_owned()),
            Some(twin) if class(twin) == class(turn) => Still::Upheld,
            Some(twin) => Still::Broken(
                Why::new(
                    "the same outcome as without the _meta",
                    format!(
                        "without an unknown _meta key the agent {}; with it the agent {}",
                        class(twin),
                        class(turn)
                    ),
                )
                .got(text::short(&turn.report())),
            ),
        }
    },
);

fn has_meta(value: Option<&Value>) -> bool {
    value
        .and_then(|value| value.get("_meta"))
        .and_then(Value::as_object)
        .is_some_and(|meta| !meta.is_empty())
}

fn prompt_has_meta(conn: &Conn, turn: &Turn) -> bool {
    has_meta(conn.requests[turn.request].params.as_ref())
}

fn result_has_meta(result: Option<&Value>) -> bool {
    has_meta(result)
}

/// What our side answered in a turn, without `_meta`.
fn answers_of(conn: &Conn, turn: &Turn) -> Vec<Option<Answer>> {
    turn.elicitations
        .iter()
        .filter_map(|&index| conn.requests[index].elicitation.as_deref())
        .map(|elicitation| elicitation.answer.clone())
        .collect()
}

/// SCOPE-026: each answer is correlated with its own elicitation, whatever the order of the answers. Two forms are
/// open at once, and the agent reports what each of them brought. (elicitation#foreground-state; derived)
const CORRELATES: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-026",
    |m, says| {
        let Some((_, request)) = m.we_answered() else {
            return;
        };
        let Some(turn) = request.turn.filter(|_| request.elicitation.is_some()) else {
            return;
        };
        let open = &m.conn.turns[turn];
        if open.trigger.as_deref() == Some("/elicit twice") && open.elicitations.len() == 2 {
            let answered = open
                .elicitations
                .iter()
                .filter(|&&e| !m.conn.requests[e].is_open())
                .count();
            if answered == 2 {
                says.watch(Subject::Turn(turn));
            }
        }
    },
    |m, watch| {
        let Some((_, turn)) = m
            .turn_ended()
            .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
        else {
            return Still::Watching;
        };
        correlated(m.conn, turn)
    },
);

/// Compares the lines `first: ...` and `second: ...` of a report with what was answered to the form that asks for it.
fn correlated(conn: &Conn, turn: &Turn) -> Still {
    let report = turn.report();
    let mut seen = 0;
    for &index in &turn.elicitations {
        let Some(elicitation) = conn.requests[index].elicitation.as_deref() else {
            continue;
        };
        let Some(field) = elicitation
            .create
            .form
            .as_ref()
            .and_then(|form| form.fields.first())
        else {
            continue;
        };
        let Some(Answer::Accept(Some(given))) = &elicitation.answer else {
            continue;
        };
        let Some(said) = report
            .lines()
            .find_map(|line| line.trim().strip_prefix(&format!("{}: ", field.name)))
        else {
            continue;
        };
        if !elicitation.fits {
            continue;
        }
        seen += 1;
        match report_line(said) {
            Report::Accept(Some(used)) if used == *given => {}
            Report::Accept(_) | Report::Invalid => {
                return Still::Broken(
                    Why::new(
                        format!("`{}` with {given}, which answered it", field.name),
                        format!("the question `{}` was answered with {given}, and the agent reported `{said}`", field.name),
                    )
                    .got(text::short(&report)),
                );
            }
            _ => {
                return Still::Unclear(format!(
                    "the report on `{}` is none of the vocabulary's",
                    field.name
                ));
            }
        }
    }
    if seen == 2 {
        Still::Upheld
    } else {
        Still::Unclear("the agent did not report on both questions".to_owned())
    }
}

/// SCOPE-027: the JSON-RPC id of an elicitation is not reused while it is unanswered. Exercised while another request
/// of the agent is open. (schema:v2 RequestId; derived for v1)
const ID_NOT_REUSED: Rule = Rule::check("ACP-ELICIT-SCOPE-027", |m, says| {
    let Some((index, request, _)) = elicited(m) else {
        return;
    };
    if let Some(earlier) = request.reuses {
        return says.broken(Why::new(
            "an id that no open request of the agent has",
            format!(
                "id {} is that of {}, which is unanswered",
                request.id.text(),
                m.conn.requests[earlier].method
            ),
        ));
    }
    if m.conn
        .open_requests(m.judged)
        .any(|(other, _)| other != index)
    {
        says.upheld();
    }
});

/// Opens a watch on the turn of every elicitation, on another connection, whose id our side just answered here.
fn answered_elsewhere(m: &Moment<'_>, says: &mut Says, applies: impl Fn(&Conn, &str) -> bool) {
    let Fact::Orphan(index) = m.fact else { return };
    let orphan = &m.conn.orphans[*index];
    let Some(id) = orphan.id.as_deref().filter(|_| orphan.from != m.judged) else {
        return;
    };
    let key = elenchus_wire::Id(id.into()).key();
    for (&number, other) in m
        .world
        .conns
        .iter()
        .filter(|(number, _)| **number != m.conn.id)
    {
        let pending = other
            .open_requests(m.judged)
            .find(|(_, request)| request.key == key);
        let Some((_, request)) = pending else {
            continue;
        };
        let Some(turn) = request.turn.filter(|_| request.elicitation.is_some()) else {
            continue;
        };
        if applies(m.conn, &other.turns[turn].session) {
            says.watch_on(number, Subject::Turn(turn), id);
        }
    }
}

/// The turn may end only by an answer on its own connection.
fn own_answer_only(m: &Moment<'_>, watch: &Watch) -> Still {
    let Some((_, turn)) = m
        .turn_ended()
        .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
    else {
        return if m.died().is_some() {
            Still::Unclear("the process ended".to_owned())
        } else {
            Still::Watching
        };
    };
    let open = turn
        .elicitations
        .iter()
        .any(|&index| m.conn.requests[index].is_open());
    let claims = turn
        .report()
        .lines()
        .any(|line| matches!(report_line(line), Report::Accept(_)));
    if open && claims {
        Still::Broken(
            Why::new(
                "an elicitation that only its own connection can answer",
                format!("an answer with id {} on another connection settled the elicitation of this one", watch.memo),
            )
            .got(text::short(&turn.report())),
        )
    } else if open {
        Still::Unclear("the agent ended the turn without an answer".to_owned())
    } else {
        Still::Upheld
    }
}

/// SCOPE-028: an elicitation belongs to the connection it went to; another client cannot answer it.
/// (elicitation#creating-an-elicitation)
const BOUND_TO_CONNECTION: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-028",
    |m, says| {
        answered_elsewhere(m, says, |conn, session| {
            !conn.sessions.get(session).is_some_and(|s| s.known)
        });
    },
    own_answer_only,
);

/// SCOPE-029: knowing the sessionId is no proof of ownership: a connection that loaded or resumed the session does not
/// inherit the other one's elicitation. (elicitation#creating-an-elicitation)
const NOT_INHERITED: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-029",
    |m, says| {
        answered_elsewhere(m, says, |conn, session| {
            conn.sessions.get(session).is_some_and(|s| s.known)
        });
    },
    own_answer_only,
);
