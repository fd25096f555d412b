//! ERROR: what error responses hold, and which code stands for what.

use elenchus_protocol::Version;
use elenchus_wire::{Class, Message, Parsed, Side, Wait, redact::MARKER};
use serde_json::Value;

use super::{
    jsonrpc::refused,
    lifecycle::{answer_to, made_up, proper, session_of, succeeded, told, wants_login},
    prompt::kind,
    report::quoted,
    told::blocks,
    views::death,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, LINES, REQUESTS, TURN_STARTS},
    rule::{Rule, Says, Still, Subject, Why},
    text,
    world::{Conn, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    SHAPE.at(&[LINES]),
    ONE_SENTENCE.at(&[LINES]),
    UNLISTED_CODE.at(&[ANSWERS]),
    OWN_CODES.at(&[LINES]),
    LOGIN_V1.at(&[ANSWERS]),
    NOT_LOGIN.at(&[ANSWERS]),
    NO_SESSION_V1.at(&[ANSWERS]),
    NO_SESSION_V2.at(&[ANSWERS]),
    NO_SUCH_SESSION.at(&[REQUESTS]),
    FAILURE_TOLD.at(&[TURN_STARTS]),
    VERSION_DATA.at(&[LINES]),
    NO_SECRETS.at(&[ANSWERS]),
    LOGIN_V2.at(&[ANSWERS]),
];

/// The error object of the response at hand, if the judged side sent it and it is JSON that can be read.
pub(super) fn error_object(m: &Moment<'_>) -> Option<Value> {
    let line = m.line()?;
    if line.class != Some(Class::Response) || !line.has_error {
        return None;
    }
    let Parsed::Message(message) = Message::parse(m.text()?) else {
        return None;
    };
    let error: Value = serde_json::from_str(message.error?).ok()?;
    // Without a result, a null error is neither of the two (JSONRPC-007).
    (!error.is_null()).then_some(error)
}

/// ERROR-001: an error has an integer code and a text as message. (overview#error-handling; Error)
const SHAPE: Rule = Rule::check("ACP-ERROR-001", |m, says| {
    let Some(error) = error_object(m) else { return };
    let code = error.get("code");
    let message = error.get("message");
    let told = |member: Option<&Value>| member.map_or_else(|| "absent".to_owned(), quoted);
    let whole = |code: &Value| code.as_f64().is_some_and(|code| code.fract() == 0.0);
    if !code.is_some_and(whole) {
        says.broken(Why::new(
            "a code that is an integer",
            format!("the code of an error is {}", told(code)),
        ));
    } else if !message.is_some_and(Value::is_string) {
        says.broken(Why::new(
            "a message that is a text",
            format!("the message of an error is {}", told(message)),
        ));
    } else {
        says.upheld();
    }
})
.of_both();

/// More than this nobody takes for a short sentence, in characters.
const SHORT: usize = 300;

/// ERROR-002: a message is a short single sentence. (Error.message)
const ONE_SENTENCE: Rule = Rule::check("ACP-ERROR-002", |m, says| {
    let error = error_object(m);
    let Some(message) = error
        .as_ref()
        .and_then(|error| error.get("message")?.as_str())
    else {
        return;
    };
    let fault = if message.trim().is_empty() {
        Some("is empty")
    } else if message.trim_end().contains(['\n', '\r']) {
        Some("has several lines")
    } else if message.chars().count() > SHORT {
        Some("has more than 300 characters")
    } else {
        None
    };
    says.holds(fault.is_none(), || {
        Why::new(
            "a short sentence; more can stand in data",
            format!(
                "the message of an error {}: {}",
                fault.unwrap_or_default(),
                text::short_to(message, 120)
            ),
        )
    });
})
.of_both();

/// The request was refused with a code that neither JSON-RPC nor ACP lists.
pub(super) fn has_unlisted_code(request: &Request) -> bool {
    request.error_code().is_some_and(|code| {
        !matches!(
            code,
            -32700 | -32603..=-32600 | -32800 | -32000 | -32002 | -32022
        )
    })
}

/// ERROR-004: an error with a code that nobody lists is a failure like any other: the turn comes to the end that it comes
/// to after a listed one. (ErrorCode::Other; derived)
const UNLISTED_CODE: Rule = Rule::check_later(
    "ACP-ERROR-004",
    |m, says| {
        let Some((index, request)) = m.we_answered() else {
            return;
        };
        if m.judged == Side::Client {
            if request.method == "session/prompt" && has_unlisted_code(request) {
                says.watch(Subject::Connection);
            }
            return;
        }
        let turn = m.conn.open_turn(session_of(request).unwrap_or_default());
        let copes = |other: &Request| {
            let refused = other.answer().is_some_and(|answer| answer.is_error);
            refused && turn_after(m.conn, other).is_some() && !has_unlisted_code(other)
        };
        let mut earlier = m.conn.requests[..index]
            .iter()
            .filter(|other| other.from == m.judged && other.method == "session/request_permission");
        if request.method == "session/request_permission"
            && has_unlisted_code(request)
            && let Some(turn) = turn
            && earlier.any(copes)
        {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return fails_as_ever(m);
        };
        let turn = &m.conn.turns[index];
        let expected = "the end that the turn comes to after any other error";
        let what = "a permission was refused with a code that nobody lists";
        if let Some(dead) = death(m, watch, expected, what) {
            return dead;
        }
        let prompt = &m.conn.requests[turn.request];
        match m.fact {
            _ if turn.ended.is_some() => Still::Upheld,
            Fact::Deadline(Wait::TurnEnd { id }) if prompt.id.text() == id => {
                if turn.trigger.as_deref() == Some("/ask permission")
                    && !m.conn.target_waits_for_us()
                {
                    Still::Broken(
                        Why::new(expected, format!("{what}, and the turn never ended"))
                            .got("nothing"),
                    )
                } else {
                    Still::Unclear("the agent may still be working".to_owned())
                }
            }
            _ => Still::Watching,
        }
    },
)
.of_both();

/// What becomes of a client whose prompt was refused with a code that nobody lists. How it ends tells only beside how it
/// ended on another connection, after a code that is listed.
fn fails_as_ever(m: &Moment<'_>) -> Still {
    let refused = |request: &Request| {
        request.method == "session/prompt"
            && request.answer().is_some_and(|answer| answer.is_error)
            && !has_unlisted_code(request)
    };
    let mut others = m
        .world
        .conns
        .values()
        .filter(|conn| conn.id != m.conn.id && conn.requests.iter().any(refused));
    let other = others.find_map(|conn| conn.exit.as_ref());
    let broken = |how: &str| {
        Still::Broken(
            Why::new(
                "the end that the client comes to after any other error",
                format!("a prompt was refused with a code that nobody lists, and {how}"),
            )
            .got(how.to_owned()),
        )
    };
    match (m.fact, &m.conn.exit, other) {
        (Fact::Exited, Some(exit), Some(other)) if exit.asked == other.asked => {
            if (exit.code, exit.signal) == (other.code, other.signal) {
                return Still::Upheld;
            }
            match (exit.signal, exit.code) {
                (Some(signal), _) => broken(&format!("the client was ended by signal {signal}")),
                (None, Some(PANIC)) => broken("the client panicked"),
                _ => Still::Unclear("the exit code may tell the error".to_owned()),
            }
        }
        (Fact::Exited | Fact::Ended, _, _) => {
            Still::Unclear("how the client ends after a listed code is not known".to_owned())
        }
        _ => Still::Watching,
    }
}

/// The exit code of a program in Rust that panicked.
const PANIC: i32 = 101;

/// A turn of the session of this request of the agent that has ended after its answer.
fn turn_after<'a>(conn: &'a Conn, request: &Request) -> Option<&'a Turn> {
    let answer = request.answer()?;
    let session = session_of(request)?;
    conn.turns.iter().find(|turn| {
        turn.session == session && turn.ended.as_ref().is_some_and(|end| end.seq > answer.seq)
    })
}

/// ERROR-005: an error of one's own has a code outside of what JSON-RPC and ACP keep to themselves. Those from -32099 to
/// -32000 JSON-RPC leaves to implementations, so that one is a remark at most. (JSON-RPC 2.0 section 5.1; derived)
const OWN_CODES: Rule = Rule::check("ACP-ERROR-005", |m, says| {
    let error = error_object(m);
    let Some(code) = error.as_ref().and_then(|error| error.get("code")?.as_i64()) else {
        return;
    };
    let reserved = match code {
        -32700 | -32603..=-32600 | -32800 => None,
        -32768..=-32100 => Some("JSON-RPC reserves"),
        -32899..=-32801 => Some("ACP has beside its own for a cancelled request"),
        _ => None,
    };
    if let (None, -32099..=-32000) = (reserved, code)
        && !matches!(code, -32000 | -32002 | -32022)
    {
        says.note(format!("{code} is a code that ACP does not have"));
    }
    says.holds(reserved.is_none(), || {
        Why::new(
            "a code of JSON-RPC or ACP, or one outside of their ranges",
            format!(
                "{code} is none of theirs, and lies in a range that {}",
                reserved.unwrap_or_default()
            ),
        )
    });
})
.of_both();

/// ERROR-007: -32000 says that a login is missing, and nothing else. Certain where what was asked for does not exist, and
/// there is no way to log in, or sessions can be had without one. That session/new asks for a login which nobody offers is
/// AUTH-014's. (ErrorCode::AuthRequired)
const NOT_LOGIN: Rule = Rule::check("ACP-ERROR-007", |m, says| {
    let Some((_, request)) = m.answered().filter(|(_, request)| !request.fence) else {
        return;
    };
    let Some(answer) = request.answer().filter(|answer| answer.is_error) else {
        return;
    };
    if !m.conn.initialized() || request.method == "session/new" {
        return;
    }
    if m.judged == Side::Client {
        // Agents log in nowhere.
        if asks_for_nothing(request) {
            says.holds(answer.error_code != Some(-32000), || {
                Why::new(
                    "another code than -32000",
                    format!(
                        "{} was refused for lack of a login, and an agent has none to do",
                        request.method
                    ),
                )
                .sent(request.text.clone())
            });
        }
        return;
    }
    let offers = super::told::agent_says(m.conn, "/authMethods");
    let no_way = offers.and_then(Value::as_array).is_none_or(Vec::is_empty);
    if !asks_for_nothing(request) || !(no_way || lets_in(m.conn)) {
        return;
    }
    says.holds(answer.error_code != Some(-32000), || {
        let why = if no_way {
            "the agent offers no way to log in"
        } else {
            "the agent has just given out a session"
        };
        Why::new(
            "another code than -32000",
            format!(
                "{} was refused for lack of a login, and {why}",
                request.method
            ),
        )
        .sent(request.text.clone())
    });
})
.of_both();

/// The newest request for a session was granted, and nobody has logged out since.
fn lets_in(conn: &Conn) -> bool {
    let newest = conn.requests.iter().rev().find(|request| {
        !request.is_open()
            && matches!(
                request.method.as_str(),
                "session/new" | "logout" | "auth/logout" | "authenticate" | "auth/login"
            )
    });
    newest.is_some_and(|request| request.method == "session/new" && succeeded(request))
}

/// What the request asks for does not exist, so that no login would help.
fn asks_for_nothing(request: &Request) -> bool {
    request.method.starts_with("elenchus/")
        || request.method.starts_with("_elenchus/")
        || session_of(request).is_some_and(made_up)
}

/// ERROR-014: -32022 tells which version was requested, and which are supported. (UnsupportedProtocolVersionErrorData)
const VERSION_DATA: Rule = Rule::check("ACP-ERROR-014", |m, says| {
    let error = error_object(m);
    let Some(error) = error.as_ref().filter(|error| error["code"] == -32022) else {
        return;
    };
    says.holds(has_version_data(error.get("data")), || {
        Why::new(
            "data with requested, an integer, and supported, a list of integers",
            format!("the data of error -32022 is {}", quoted(&error["data"])),
        )
    });
});

/// The data of an error -32022 has its shape.
pub(super) fn has_version_data(data: Option<&Value>) -> bool {
    let is_version = |value: &Value| value.as_u64().is_some_and(|version| version <= 0xffff);
    let member = |name: &str| data.and_then(|data| data.get(name));
    member("requested").is_some_and(is_version)
        && member("supported")
            .and_then(Value::as_array)
            .is_some_and(|list| list.iter().all(is_version))
}

const NEW: &str = "session/new";

/// ERROR-006 (v1): what fails for lack of a login fails with -32000. (v1/agent.rs NewSessionRequest; derived)
const LOGIN_V1: Rule = Rule::check("ACP-ERROR-006", |m, says| {
    if m.conn.version() == Version::AcpV1 {
        for_lack_of_a_login(m, says, "authenticate", "logout");
    }
});

/// ERROR-016 (v2): the same. (v2/agent.rs NewSessionRequest)
const LOGIN_V2: Rule = Rule::check("ACP-ERROR-016", |m, says| {
    if m.conn.version() == Version::AcpV2 {
        for_lack_of_a_login(m, says, "auth/login", "auth/logout");
    }
});

/// Says which code a session/new failed with that would have needed a login: it followed a logout, and after a login, and
/// nothing else, the same request succeeded.
fn for_lack_of_a_login(m: &Moment<'_>, says: &mut Says, login: &str, logout: &str) {
    let Some((index, request, answer)) = answer_to(m, &[NEW]) else {
        return;
    };
    if answer.is_error {
        return;
    }
    let requests = m.conn.requests[..index].iter().rev();
    let mut before = requests.filter(|it| it.from != m.judged && !it.fence);
    let (Some(between), Some(locked), Some(out)) = (before.next(), before.next(), before.next())
    else {
        return;
    };
    let certain = out.method == logout
        && between.method == login
        && succeeded(between)
        && locked.method == NEW
        && locked.params == request.params
        && locked
            .answer()
            .is_some_and(|answer| answer.seq < between.seq);
    let Some(refused) = locked.answer().filter(|answer| certain && answer.is_error) else {
        return;
    };
    says.holds(wants_login(refused), || {
        Why::new(
            "error -32000",
            format!(
                "session/new was answered with {} between {logout} and {login}, and with a session behind it",
                told(refused)
            ),
        )
        .at(refused.seq)
        .sent(locked.text.clone())
    });
}

/// ERROR-008 (v1): a session that nobody knows is not found: -32002. (v1/error.rs Error::session_not_found; derived)
const NO_SESSION_V1: Rule = Rule::check("ACP-ERROR-008", |m, says| {
    if m.conn.version() == Version::AcpV1 {
        session_not_found(m, says);
    }
});

/// ERROR-009 (v2): the same, with the id in the data. (v2/error.rs SessionNotFoundErrorData; derived)
const NO_SESSION_V2: Rule = Rule::check("ACP-ERROR-009", |m, says| {
    if m.conn.version() == Version::AcpV2 {
        session_not_found(m, says);
    }
});

/// Says with which code a request about a made-up session was refused. That one is not refused at all is the business of
/// other clauses, and so is closing or deleting one.
fn session_not_found(m: &Moment<'_>, says: &mut Says) {
    let methods = [
        "session/prompt",
        "session/load",
        "session/resume",
        "session/set_mode",
        "session/set_config_option",
    ];
    let Some((_, request, answer)) = answer_to(m, &methods) else {
        return;
    };
    let session = session_of(request).filter(|session| made_up(session));
    let refused = answer.is_error && m.conn.initialized() && proper(m.conn, request);
    let Some(session) = session.filter(|_| refused) else {
        return;
    };
    let named = answer
        .error_data
        .as_ref()
        .and_then(|data| data.get("sessionId")?.as_str());
    let why = |what: String| {
        Why::new("error -32002 with the sessionId in its data", what).sent(request.text.clone())
    };
    match answer.error_code {
        // The method is missing, or the code is ERROR-001's.
        Some(-32601) | None => {}
        _ if wants_login(answer) => says.unclear("the agent wants a login first"),
        Some(-32002) if named == Some(session) => says.upheld(),
        Some(-32002) if m.conn.version() == Version::AcpV1 => {
            says.note("error -32002 does not name the session in its data");
            says.upheld();
        }
        Some(-32002) => says.broken(why(format!(
            "the data of the error does not name the session {} that nobody knows",
            text::short_to(session, 60)
        ))),
        Some(-32602) if !all_else_is_plain(request) => {
            says.unclear("something else in the request may be refused");
        }
        Some(code) => says.broken(why(format!(
            "{} of a session that nobody knows was answered with error {code}",
            request.method
        ))),
    }
}

/// Besides the session, a request names nothing that an agent could refuse: what it checks first is its own affair.
fn all_else_is_plain(request: &Request) -> bool {
    let members = request.params.as_ref().and_then(Value::as_object);
    let plain = |name: &str, value: &Value| match name {
        "sessionId" => true,
        "cwd" => value.as_str().is_some_and(|cwd| cwd.starts_with('/')),
        "mcpServers" => value.as_array().is_some_and(Vec::is_empty),
        "prompt" => {
            let blocks = blocks(request);
            !blocks.is_empty() && blocks.iter().all(|block| kind(block) == "text")
        }
        _ => false,
    };
    members.is_some_and(|members| members.iter().all(|(name, value)| plain(name, value)))
}

/// ERROR-010: a prompt to a session that nobody knows is refused. (session-setup#session-id)
const NO_SUCH_SESSION: Rule = Rule::check_later(
    "ACP-ERROR-010",
    |m, says| {
        if let Some((index, request)) = m.asked()
            && request.method == "session/prompt"
            && session_of(request).is_some_and(made_up)
            && m.conn.initialized()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let what = "a session that nobody knows was prompted";
        if let Some(dead) = death(m, watch, "an error", what) {
            return dead;
        }
        let why = format!("{what}, and the answer was a result");
        refused(m, index, "an error", &why)
    },
);

/// ERROR-013: work that fails is reported as failed, by -32603 or as the end of a turn, and ends no process. (ErrorCode::InternalError)
const FAILURE_TOLD: Rule = Rule::check_later(
    "ACP-ERROR-013",
    |m, says| {
        if let Fact::TurnStarted(turn) = m.fact
            && m.conn.turns[*turn].trigger.as_deref() == Some("/fail")
        {
            says.watch(Subject::Turn(*turn));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let expected = "the failure of the work, as error -32603 or as the end of the turn";
        if let Some(dead) = death(m, watch, expected, "the work was made to fail") {
            return dead;
        }
        let turn = &m.conn.turns[index];
        let Some(end) = &turn.ended else {
            return match m.fact {
                Fact::Exited | Fact::Ended => Still::Unclear("the work went on".to_owned()),
                _ => Still::Watching,
            };
        };
        match (end.error, end.stop_reason.as_deref()) {
            (Some(-32603), _) | (None, Some("error")) => Still::Upheld,
            (Some(code), _) => {
                Still::Unclear(format!("the work failed with {code}, which may be its own"))
            }
            (None, _) => Still::Unclear("the turn ended as if nothing had failed".to_owned()),
        }
    },
);

/// So long a text is found by no accident.
const TELLING: usize = 16;

/// ERROR-015: an error does not repeat what a server was to be given in its environment or headers.
/// (dispatch.rs: errors can hold values of what they are about)
const NO_SECRETS: Rule = Rule::check("ACP-ERROR-015", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &[NEW, "session/load", "session/resume"]) else {
        return;
    };
    let params = request.params.as_ref().filter(|_| answer.is_error);
    let servers = params.and_then(|params| params.get("mcpServers")?.as_array());
    let given = servers.into_iter().flatten().flat_map(|server| {
        ["env", "headers"]
            .into_iter()
            .filter_map(|list| server.get(list)?.as_array())
            .flatten()
            .filter_map(|entry| entry.get("value")?.as_str())
    });
    // What stands elsewhere in the request as well is no secret of the environment.
    let only_there = |value: &&str| request.text.matches(*value).count() == 1;
    let hidden = given.clone().any(|value| value == MARKER);
    let mut given = given
        .filter(|value| value.len() >= TELLING)
        .filter(only_there)
        .peekable();
    let Some(text) = m.text().filter(|_| given.peek().is_some()) else {
        if hidden {
            says.unclear("the recording hides what a server was given");
        }
        return;
    };
    says.holds(!given.any(|value| text.contains(value)), || {
        Why::new(
            "an error without what servers are given in confidence",
            "the error repeats a value out of the environment or the headers of a server",
        )
        .sent(request.text.clone())
    });
});
