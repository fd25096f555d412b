//! PERM: what an agent asks permission for, and what it makes of the answer.

use std::collections::BTreeSet;

use elenchus_protocol::{Version, acp::shapes::Mismatch};
use elenchus_wire::{Side, Wait};
use serde_json::Value;

use super::{
    error::has_unlisted_code,
    state::{asks_permission, turn_of},
    told::{misfit, param, told_since},
    views::death,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, CLOSES, REQUESTS, TURN_ENDS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    SHAPE_V1.at(&[REQUESTS]),
    SHAPE_V2.at(&[REQUESTS]),
    OPTIONS.at(&[REQUESTS]),
    KINDS.at(&[REQUESTS]),
    NAMES_A_SESSION.at(&[REQUESTS]),
    COMMAND.at(&[REQUESTS]),
    REJECTED.at(&[ANSWERS]),
    NOT_APPROVED.at(&[ANSWERS, CLOSES]),
    UNKNOWN_OUTCOME.at(&[ANSWERS]),
    ENDS_THE_TURN.at(&[ANSWERS]),
    MATCHED.at(&[TURN_ENDS]),
];

const METHOD: &str = "session/request_permission";

/// The permission request of the agent at this fact.
fn asked<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request)> {
    m.requested()
        .filter(|(_, request)| request.method == METHOD)
}

/// Says of the mismatches of a permission request that are this clause's that they break it.
fn shape(
    m: &Moment<'_>,
    says: &mut Says,
    own: impl Fn(&str) -> bool,
    arises: impl Fn(&Value) -> bool,
) {
    let Some((_, request)) = asked(m) else { return };
    let params = request.params.as_ref().unwrap_or(&Value::Null);
    // Params that are no object are JSONRPC-002's.
    if !params.is_object() && !params.is_null() {
        return;
    }
    let own: Vec<&Mismatch> = m
        .mismatches()
        .iter()
        .filter(|it| own(&it.pointer))
        .collect();
    for mismatch in &own {
        says.broken(misfit("the permission request", mismatch));
    }
    if own.is_empty() && arises(params) {
        says.upheld();
    }
}

/// PERM-001 (v1): a request has sessionId, toolCall with its toolCallId, and options.
/// (v1 tool-calls#requesting-permission)
const SHAPE_V1: Rule = Rule::check("ACP-PERM-001", |m, says| {
    if m.conn.version() == Version::AcpV1 {
        let own = [
            "",
            "/sessionId",
            "/toolCall",
            "/toolCall/toolCallId",
            "/options",
        ];
        shape(m, says, |pointer| own.contains(&pointer), |_| true);
    }
});

/// PERM-002 (v2): a request has sessionId, title and options; a subject is of a known type or an extension.
/// (v2 tool-calls#requesting-permission)
const SHAPE_V2: Rule = Rule::check("ACP-PERM-002", |m, says| {
    if m.conn.version() != Version::AcpV2 {
        return;
    }
    let own = [
        "",
        "/sessionId",
        "/title",
        "/description",
        "/subject",
        "/subject/type",
        "/subject/toolCall",
        "/subject/toolCall/toolCallId",
    ];
    let options = |params: &Value| params.get("options").is_some_and(Value::is_array);
    let params = asked(m).and_then(|(_, request)| request.params.as_ref());
    let kind = params.and_then(|params| params.pointer("/subject/type")?.as_str());
    if kind.is_some_and(|kind| !matches!(kind, "tool_call" | "command") && !kind.starts_with('_')) {
        return says.broken(Why::new(
            "a subject of type tool_call or command, or one that begins with an underscore",
            format!(
                "the subject is of type {}",
                text::short_to(kind.unwrap_or_default(), 60)
            ),
        ));
    }
    if params.and_then(|params| params.get("title")?.as_str()) == Some("") {
        says.note("the title is empty");
    }
    shape(
        m,
        says,
        |pointer| {
            own.contains(&pointer)
                || (pointer == "/options" && params.is_some_and(|it| !options(it)))
        },
        |_| true,
    );
});

/// The options of a permission request.
fn options(request: &Request) -> &[Value] {
    let options = request
        .params
        .as_ref()
        .and_then(|params| params.get("options"));
    options.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// PERM-003: there is an option, and each has an id of its own, a name and a kind.
/// (v2/client.rs RequestPermissionRequest.options; v1 tool-calls)
const OPTIONS: Rule = Rule::check("ACP-PERM-003", |m, says| {
    let Some((_, request)) = asked(m) else { return };
    let listed = request
        .params
        .as_ref()
        .and_then(|params| params.get("options"));
    if !listed.is_some_and(Value::is_array) {
        return;
    }
    let mut ids = BTreeSet::new();
    let twin = options(request)
        .iter()
        .filter_map(|option| option.get("optionId")?.as_str())
        .find(|id| !ids.insert(*id));
    if options(request).is_empty() {
        says.broken(Why::new(
            "at least one option",
            "the request has no options",
        ));
    } else if let Some(twin) = twin {
        says.broken(Why::new(
            "an optionId of its own for each option",
            format!("two options have the id {}", text::short_to(twin, 60)),
        ));
    } else {
        let own = |pointer: &str| {
            pointer.strip_prefix("/options/").is_some_and(|inner| {
                let member = inner.split_once('/').map_or("", |(_, member)| member);
                // The value of a kind that is a text is PERM-004's.
                let kind = || {
                    request
                        .params
                        .as_ref()
                        .and_then(|params| params.pointer(pointer))
                };
                matches!(member, "" | "optionId" | "name")
                    || (member == "kind" && !kind().is_some_and(Value::is_string))
            })
        };
        shape(m, says, own, |_| true);
    }
});

/// PERM-004: a kind is one of the four (v2: or an extension). (tool-calls#permission-options)
const KINDS: Rule = Rule::check("ACP-PERM-004", |m, says| {
    let Some((_, request)) = asked(m) else { return };
    for kind in options(request)
        .iter()
        .filter_map(|option| option.get("kind")?.as_str())
    {
        let defined = matches!(
            kind,
            "allow_once" | "allow_always" | "reject_once" | "reject_always"
        );
        let extension = m.conn.version() == Version::AcpV2 && kind.starts_with('_');
        // Under another spelling it is JSONRPC-022's.
        let letters: String = kind.chars().filter(char::is_ascii_alphabetic).collect();
        let misspelt = ["allowonce", "allowalways", "rejectonce", "rejectalways"]
            .iter()
            .any(|known| letters.eq_ignore_ascii_case(known));
        if defined || extension || !misspelt {
            says.holds(defined || extension, || {
                Why::new(
                    "allow_once, allow_always, reject_once or reject_always",
                    format!("an option is of the kind {}", text::short_to(kind, 60)),
                )
            });
        }
    }
});

/// PERM-005: the request names a session of this connection, or an announced child; judged at the end, since the answer
/// that creates a session may come later. (tool-calls#requesting-permission; derived)
const NAMES_A_SESSION: Rule = Rule::check_later(
    "ACP-PERM-005",
    |m, says| {
        if let Some((index, _, _)) = asks_permission(m) {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let (Fact::Ended, Subject::Request(index)) = (m.fact, watch.subject) else {
            return Still::Watching;
        };
        let request = &m.conn.requests[index];
        let session = param(request, "sessionId").unwrap_or_default();
        let known = m
            .conn
            .sessions
            .get(session)
            .is_some_and(|session| session.known);
        if known {
            return Still::Upheld;
        }
        if !m.conn.from_start {
            return Still::Unclear("the recording begins in the middle".to_owned());
        }
        if m.conn.has_named(Side::Client, &session.into()) {
            return Still::Unclear("the client was the first to name this session".to_owned());
        }
        Still::Broken(
            Why::new(
                "the sessionId of a session of this connection",
                format!(
                    "no session {} was ever seen here",
                    text::short_to(session, 60)
                ),
            )
            .got(request.text.clone()),
        )
    },
);

/// PERM-006 (v2): a command subject has a command and a cwd. That the cwd is absolute is SESSION-007.
/// (v2 tool-calls#requesting-permission; CommandPermissionSubject)
const COMMAND: Rule = Rule::check("ACP-PERM-006", |m, says| {
    let Some((_, request)) = asked(m).filter(|_| m.conn.version() == Version::AcpV2) else {
        return;
    };
    let subject = request
        .params
        .as_ref()
        .and_then(|params| params.get("subject"));
    if subject
        .and_then(|subject| subject.get("type"))
        .is_none_or(|it| it != "command")
    {
        return;
    }
    let members = ["command", "cwd", "toolCallId", "terminalId"];
    shape(
        m,
        says,
        |pointer| {
            pointer
                .strip_prefix("/subject/")
                .is_some_and(|member| members.contains(&member))
        },
        |_| true,
    );
});

/// How our side answered a permission request.
enum Answer<'a> {
    /// With an option of this kind.
    Chose(&'a str),
    /// With an option that was not offered, or an outcome that nobody knows.
    Unknown,
    /// With the outcome `cancelled`.
    Cancelled,
    Error,
    /// With something else.
    Unreadable,
}

fn answer(request: &Request) -> Option<Answer<'_>> {
    let answer = request.answer()?;
    if answer.is_error {
        return Some(Answer::Error);
    }
    let outcome = answer
        .result
        .as_ref()
        .and_then(|result| result.get("outcome"));
    let text = |member: &str| outcome.and_then(|outcome| outcome.get(member)?.as_str());
    Some(match (text("outcome"), text("optionId")) {
        (Some("cancelled"), _) => Answer::Cancelled,
        (Some("selected"), Some(_)) => chosen_kind(request).map_or(Answer::Unknown, Answer::Chose),
        (Some("selected") | None, _) => Answer::Unreadable,
        (Some(_), _) => Answer::Unknown,
    })
}

/// The kind of the option that our side chose.
pub(super) fn chosen_kind(request: &Request) -> Option<&str> {
    let outcome = request.result()?.get("outcome")?;
    let id = outcome.get("optionId")?.as_str()?;
    let option = options(request)
        .iter()
        .find(|option| option.get("optionId").and_then(Value::as_str) == Some(id))?;
    option.get("kind")?.as_str()
}

fn is_defined(kind: &str) -> bool {
    matches!(
        kind,
        "allow_once" | "allow_always" | "reject_once" | "reject_always"
    )
}

/// The tool call that a permission request is about.
fn call(request: &Request) -> Option<&str> {
    let params = request.params.as_ref()?;
    [
        "/toolCall/toolCallId",
        "/subject/toolCall/toolCallId",
        "/subject/toolCallId",
    ]
    .into_iter()
    .find_map(|place| params.pointer(place)?.as_str())
}

/// The operation was performed after this event: its tool call was completed, or the agent says so in the words of the
/// vocabulary.
fn performed(conn: &Conn, request: &Request, turn: &Turn, since: u64) -> Option<&'static str> {
    let session = param(request, "sessionId")?;
    let completed = call(request).is_some_and(|call| {
        told_since(conn, session, since).any(|(_, told)| {
            told.id.as_deref() == Some(call) && told.state.as_deref() == Some("completed")
        })
    });
    if completed {
        return Some("completed the tool call");
    }
    let approving = options(request).iter().find(|option| {
        let kind = option.get("kind").and_then(Value::as_str);
        kind.is_some_and(|kind| kind.starts_with("allow"))
    });
    let id = approving.and_then(|option| option.get("optionId")?.as_str())?;
    let claim = format!("permission {id}");
    turn.report()
        .lines()
        .any(|line| line.trim() == claim)
        .then_some("reported that it was allowed")
}

/// Other permission requests were open together with this one.
fn has_company(conn: &Conn, index: usize) -> bool {
    let request = &conn.requests[index];
    let span = |request: &Request| {
        (
            request.seq,
            request.answer().map_or(u64::MAX, |answer| answer.seq),
        )
    };
    let (began, ended) = span(request);
    conn.requests.iter().enumerate().any(|(other, another)| {
        let (start, end) = span(another);
        other != index && another.method == METHOD && start < ended && end > began
    })
}

/// Opens a watch on a permission request of a prepared turn, after an answer that is no approval.
fn watch_refused(m: &Moment<'_>, says: &mut Says, applies: impl Fn(&Answer<'_>) -> bool) {
    let Some((index, request)) = m
        .we_answered()
        .filter(|(_, request)| request.method == METHOD)
    else {
        return;
    };
    if let Some(turn) = asked_in(m.conn, request)
        && answer(request).is_some_and(|it| applies(&it))
    {
        says.watch_for(Subject::Request(index), turn.to_string());
    }
}

/// The turn in which our side was asked; none where several were open. Another one may have begun before the answer.
fn asked_in(conn: &Conn, request: &Request) -> Option<usize> {
    let session = param(request, "sessionId")?;
    let was_open = |turn: &Turn| {
        let ended = turn.ended.as_ref();
        turn.session == session
            && conn.requests[turn.request].seq < request.seq
            && ended.is_none_or(|end| end.seq > request.seq)
    };
    let mut open = (0..conn.turns.len()).filter(|&turn| was_open(&conn.turns[turn]));
    let first = open.next()?;
    open.next().is_none().then_some(first)
}

/// What has become of an operation that was not approved. That a tool call is the operation itself is certain where the
/// vocabulary says so.
fn not_performed(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let request = &m.conn.requests[index];
    let Some((number, turn)) = watch
        .memo
        .parse()
        .ok()
        .and_then(|number: usize| Some((number, m.conn.turns.get(number)?)))
    else {
        return Still::Moot;
    };
    let since = request.answer().map_or(watch.opened, |answer| answer.seq);
    let over = m.turn_ended().is_some_and(|(ended, _)| ended == number)
        || matches!(m.fact, Fact::Settled | Fact::Exited);
    match performed(m.conn, request, turn, since) {
        Some(_) if has_company(m.conn, index) => {
            Still::Unclear("several permissions were asked for at once".to_owned())
        }
        Some(_) if turn.trigger.as_deref() != Some("/ask permission") => {
            Still::Unclear("the tool call may have ended without the operation".to_owned())
        }
        Some(did) => Still::Broken(
            Why::new(
                "no operation without an approval",
                format!("{what}, and the agent {did}"),
            )
            .sent(
                request
                    .answer()
                    .map_or("the end of the stream".to_owned(), |answer| {
                        answer.text.clone()
                    }),
            ),
        ),
        None if over => Still::Upheld,
        None => Still::Watching,
    }
}

/// PERM-009: after a rejecting option the operation is not performed. (v2/client.rs PermissionOptionKind; derived)
const REJECTED: Rule = Rule::check_later(
    "ACP-PERM-009",
    |m, says| {
        watch_refused(m, says, |answer| {
            matches!(answer, Answer::Chose("reject_once" | "reject_always"))
        });
    },
    |m, watch| not_performed(m, watch, "the user rejected it"),
);

/// PERM-010: a cancelled outcome, an error or the loss of the client is no approval.
/// (v2/client.rs RequestPermissionOutcome; derived)
const NOT_APPROVED: Rule = Rule::check_later(
    "ACP-PERM-010",
    |m, says| {
        watch_refused(m, says, |answer| {
            matches!(answer, Answer::Cancelled | Answer::Error)
        });
        if !matches!(m.fact, Fact::Closed(side) if *side != m.judged) {
            return;
        }
        for (index, request) in m.conn.open_requests(Side::Server) {
            if request.method == METHOD
                && let Some(turn) = turn_of(m.conn, request)
            {
                says.watch_for(Subject::Request(index), turn.to_string());
            }
        }
    },
    |m, watch| {
        not_performed(
            m,
            watch,
            "the permission was not given, but cancelled or lost",
        )
    },
);

/// PERM-011 (v2): an outcome, an option or a kind that nobody knows is no approval.
/// (v2 tool-calls#requesting-permission)
const UNKNOWN_OUTCOME: Rule = Rule::check_later(
    "ACP-PERM-011",
    |m, says| {
        if m.conn.version() == Version::AcpV2 {
            watch_refused(m, says, |answer| match answer {
                Answer::Unknown => true,
                Answer::Chose(kind) => !is_defined(kind),
                _ => false,
            });
        }
    },
    |m, watch| not_performed(m, watch, "the outcome is one that nobody knows"),
);

/// PERM-012: a turn comes to an orderly end after any answer. One with an error code that nobody lists is ERROR-004's, and
/// an error without a code or a message is no answer. That it hangs is certain only of an agent that does nothing but ask.
/// (tool-calls#requesting-permission)
const ENDS_THE_TURN: Rule = Rule::check_later(
    "ACP-PERM-012",
    |m, says| {
        let Some((_, request)) = m
            .we_answered()
            .filter(|(_, request)| request.method == METHOD && !has_unlisted_code(request))
        else {
            return;
        };
        let answer = request.answer();
        if answer.is_some_and(|answer| answer.is_error && !answer.error_whole) {
            return;
        }
        if let Some(turn) = turn_of(m.conn, request) {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let expected = "an orderly end of the turn after any answer";
        if let Some(dead) = death(m, watch, expected, "a permission request was answered") {
            return dead;
        }
        if turn.ended.is_some() {
            return Still::Upheld;
        }
        let prompt = &m.conn.requests[turn.request];
        let waited =
            matches!(m.fact, Fact::Deadline(Wait::TurnEnd { id }) if prompt.id.text() == id);
        if !waited {
            return Still::Watching;
        }
        if turn.trigger.as_deref() != Some("/ask permission")
            || turn.cancelled.is_some()
            || m.conn.target_waits_for_us()
        {
            return Still::Unclear("the agent may still be working".to_owned());
        }
        Still::Broken(
            Why::new(
                expected,
                "a permission request was answered, and the turn never ended",
            )
            .got("nothing"),
        )
    },
);

/// PERM-016: of several permissions that are asked for at once, each answer goes to its own operation.
/// (tool-calls#requesting-permission)
const MATCHED: Rule = Rule::check("ACP-PERM-016", |m, says| {
    let Some((_, turn)) = m.turn_ended() else {
        return;
    };
    if turn.trigger.as_deref() != Some("/ask permission") {
        return;
    }
    let began = m.conn.requests[turn.request].seq;
    let mut own = m.conn.requests.iter().enumerate().filter(|(_, request)| {
        request.method == METHOD
            && request.seq > began
            && param(request, "sessionId") == Some(turn.session.as_str())
    });
    let (Some((index, request)), None) = (own.next(), own.next()) else {
        return;
    };
    if !has_company(m.conn, index) || turn.cancelled.is_some() {
        return;
    }
    let chosen = request
        .result()
        .and_then(|result| result.pointer("/outcome/optionId")?.as_str());
    let (Some(kind), Some(chosen)) = (chosen_kind(request), chosen) else {
        return;
    };
    let since = request.answer().map_or(0, |answer| answer.seq);
    let did = performed(m.conn, request, turn, since);
    let told = turn.report();
    let own_report = told
        .lines()
        .any(|line| line.trim() == format!("permission {chosen}"));
    if kind.starts_with("allow") == did.is_some() && own_report {
        says.upheld();
    } else if kind.starts_with("reject") && did.is_some() {
        says.broken(
            Why::new(
                "each answer for its own operation",
                "two permissions were asked for at once, and the operation that was rejected was performed",
            )
            .sent(request.answer().map_or(String::new(), |answer| answer.text.clone())),
        );
    } else {
        says.unclear("the agent's own words do not tell which answer it took");
    }
});
