//! SESSION: making sessions, and keeping them apart. What is told of paths stands in `paths`.

use std::collections::BTreeSet;

use elenchus_protocol::Version;
use elenchus_wire::Side;
use serde_json::Value;

use super::lifecycle::{
    absolute, active, all_updates, announces, answer_to, answered_in_any_way, folder, home_of,
    made, param, shown, succeeded, text_param, told, updated, wants_error, wants_login,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, ENDS, NOTIFICATIONS, REQUESTS, TURN_ENDS},
    rule::{Rule, Says, Still, Subject, Why},
    text,
    world::{Conn, Request, World},
};

pub(super) const RULES: &[Rule] = &[
    MADE.at(&[ANSWERS]),
    NEW_ID.at(&[ANSWERS]),
    SERVERS_LEFT_OUT.at(&[ANSWERS]),
    SERVERS_MISSING.at(&[REQUESTS]),
    OWN_FOLDER.at(&[ANSWERS]),
    RELATIVE_FOLDER.at(&[ANSWERS]),
    INDEPENDENT.at(&[ANSWERS, NOTIFICATIONS, TURN_ENDS]),
    KNOWN.at(&[ENDS]),
    STATE_TOLD.at(&[ANSWERS]),
    LISTS_ARE_ARRAYS.at(&[ANSWERS]),
    SYSTEM_PROMPT_REFUSED.at(&[ANSWERS]),
    SYSTEM_PROMPT_APPENDED.at(&[ANSWERS]),
    ODD_FOLDER.at(&[REQUESTS]),
];

/// A `session/new` that asks for nothing in particular: an absolute folder, and no MCP servers.
fn is_plain(request: &Request) -> bool {
    let members = request.params.as_ref().and_then(Value::as_object);
    members.is_some_and(|members| {
        members
            .keys()
            .all(|name| matches!(name.as_str(), "cwd" | "mcpServers"))
    }) && text_param(request, "cwd").is_some_and(absolute)
        && param(request, "mcpServers")
            .is_none_or(|servers| servers.as_array().is_some_and(Vec::is_empty))
}

/// Nothing about the folder's name is out of the ordinary.
fn is_ordinary(cwd: &str) -> bool {
    let ordinary = |c: char| c.is_ascii_alphanumeric() || "/._-:\\~".contains(c);
    cwd.chars().all(ordinary) && (folder(cwd) == cwd || cwd == "/" || cwd.contains('\\'))
}

/// The earlier `session/new` of this connection.
fn earlier(conn: &Conn, index: usize) -> impl DoubleEndedIterator<Item = &Request> {
    conn.requests[..index]
        .iter()
        .filter(|request| request.from != conn.target && request.method == "session/new")
}

/// SESSION-001: a plain `session/new` succeeds with a text as sessionId. Whether the folder is there, and whether the
/// agent takes more sessions than one, no trace tells: a refusal counts only for the first one of a connection, in a
/// folder with an ordinary name. (session-setup#creating-a-session)
const MADE: Rule = Rule::check("ACP-SESSION-001", |m, says| {
    let Some((index, request, answer)) = answer_to(m, &["session/new"]) else {
        return;
    };
    if !answer.is_error {
        let id = answer
            .result
            .as_ref()
            .and_then(|result| result.get("sessionId"));
        if id == Some(&Value::String(String::new())) {
            says.note("the sessionId is an empty text");
        }
        return says.holds(id.is_some_and(Value::is_string), || {
            Why::new(
                "a result with a text as sessionId",
                "session/new was answered with a result that names no session",
            )
        });
    }
    let begun = m.conn.init.request.is_some();
    let ordinary = begun && text_param(request, "cwd").is_some_and(is_ordinary);
    let needs_servers =
        m.conn.version() == Version::AcpV1 && param(request, "mcpServers").is_none();
    if !is_plain(request) || !ordinary || needs_servers || earlier(m.conn, index).next().is_some() {
        return;
    }
    match answer.error_code {
        Some(-32601 | -32602) => says.broken(Why::new(
            "a result with a sessionId",
            format!(
                "a session/new that asks for nothing in particular was answered with {}",
                told(answer)
            ),
        )),
        Some(-32000) => says.unclear("the agent wants a login first"),
        _ => says.unclear("session/new failed for a reason that may lie outside the protocol"),
    }
});

/// SESSION-002: every `session/new` gives another id. (session-setup#session-id)
const NEW_ID: Rule = Rule::check("ACP-SESSION-002", |m, says| {
    let Some((index, request, _)) = answer_to(m, &["session/new"]) else {
        return;
    };
    let Some(id) = made(request) else { return };
    let mut before = m
        .conn
        .requests
        .iter()
        .enumerate()
        .filter(|(other, it)| *other != index && it.from != m.judged)
        .filter_map(|(_, it)| made(it))
        .peekable();
    if before.peek().is_none() {
        return;
    }
    says.holds(!before.any(|other| other == id), || {
        Why::new(
            "an id that no other session has",
            format!(
                "two session/new of one connection were answered with the sessionId {}",
                text::short_to(id, 60)
            ),
        )
    });
});

/// SESSION-004 (v2): mcpServers may be left out, as if it was empty. Judged on a request without it, and the same one
/// with an empty list after that: an agent that takes one session only has its chance with the first.
/// (v2 migration#consistent-lifecycle-requests)
const SERVERS_LEFT_OUT: Rule = Rule::check("ACP-SESSION-004", |m, says| {
    let Some((index, request, answer)) = answer_to(m, &["session/new"]) else {
        return;
    };
    if m.conn.version() != Version::AcpV2 || !is_plain(request) {
        return;
    }
    if param(request, "mcpServers").is_none() {
        if !answer.is_error {
            says.upheld();
        }
        return;
    }
    let same = |it: &&Request| {
        is_plain(it)
            && param(it, "mcpServers").is_none()
            && param(it, "cwd") == param(request, "cwd")
    };
    let Some(without) = earlier(m.conn, index).rev().find(same) else {
        return;
    };
    let Some(refused) = without.answer().filter(|answer| answer.is_error) else {
        return;
    };
    if answer.is_error || wants_login(refused) {
        return says.unclear("session/new without mcpServers failed, and not only that");
    }
    says.broken(
        Why::new(
            "a session, as with an empty list",
            format!(
                "session/new without mcpServers was answered with {}, and with an empty list it succeeds",
                told(refused)
            ),
        )
        .sent(without.text.clone())
        .got(refused.text.clone()),
    );
});

/// SESSION-005 (v1): `session/new` without mcpServers is answered in some way. (v1/agent.rs NewSessionRequest)
const SERVERS_MISSING: Rule = Rule::duty(
    "ACP-SESSION-005",
    "an answer, be it an error",
    |m, says| {
        if let Some((index, request)) = new_session(m)
            && m.conn.version() == Version::AcpV1
            && param(request, "mcpServers").is_none()
        {
            watch_extraordinary(m, index, says);
        }
    },
    |m, watch| answered_in_any_way(m, watch, "a session/new without mcpServers was sent"),
);

/// Watches for the answer to a request for a session that is out of the ordinary, if an ordinary one is answered.
fn watch_extraordinary(m: &Moment<'_>, index: usize, says: &mut Says) {
    if m.world.opens_no_session() {
        says.unclear("an ordinary session/new opens no session either");
    } else {
        says.watch(Subject::Request(index));
    }
}

fn new_session<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request)> {
    m.asked()
        .filter(|(_, request)| request.method == "session/new")
}

/// SESSION-006: a session works in the folder that it was made for. What the agent lists shows it: it does not list a
/// session under the folder of another one. (session-setup#working-directory)
const OWN_FOLDER: Rule = Rule::check("ACP-SESSION-006", |m, says| {
    let Some((_, request, _)) = answer_to(m, &["session/list"]) else {
        return;
    };
    for entry in super::list::entries(request) {
        let (Some(id), Some(listed)) = (
            entry.get("sessionId").and_then(Value::as_str),
            entry.get("cwd").and_then(Value::as_str),
        ) else {
            continue;
        };
        let Some(home) = home_of(m.world, id) else {
            continue;
        };
        let same = folder(home) == folder(listed);
        let foreign = || {
            let mut homes = super::lifecycle::ours(m.world)
                .filter(|it| it.method == "session/new" && succeeded(it))
                .filter_map(|it| text_param(it, "cwd"));
            homes.any(|other| folder(other) == folder(listed))
        };
        if same {
            says.upheld();
        } else if absolute(listed) && foreign() && !is_extra_root(m.world, id, listed) {
            says.broken(Why::new(
                format!("the cwd {}", text::short_to(home, 120)),
                format!(
                    "the session {} was made for the folder {}, and is listed under {}, the folder of another one",
                    text::short_to(id, 60),
                    text::short_to(home, 120),
                    text::short_to(listed, 120)
                ),
            ));
        }
    }
});

/// The folder is one of the additional directories that the session was made with, which is judged under DIRS-007.
fn is_extra_root(world: &World, session: &str, path: &str) -> bool {
    super::dirs::roots(world, session).any(|root| folder(root) == folder(path))
}

/// SESSION-009: a relative cwd is refused. (session-setup#working-directory; robustness)
const RELATIVE_FOLDER: Rule = Rule::check("ACP-SESSION-009", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &["session/new"]) else {
        return;
    };
    let Some(cwd) = text_param(request, "cwd").filter(|cwd| !cwd.is_empty() && !absolute(cwd))
    else {
        return;
    };
    if answer.is_error && !matches!(answer.error_code, Some(-32602 | -32000)) {
        says.note(format!("{} refuses it; -32602 would say why", told(answer)));
    }
    let what = format!("the cwd {} is relative", text::short_to(cwd, 60));
    wants_error(says, request, answer, &what);
});

/// A shorter text may come up in any session.
const TELLING: usize = 8;

/// SESSION-011: sessions of one connection have nothing to do with each other. Judged on prompts that make the agent
/// say a text which stands in no other session. (session-setup)
const INDEPENDENT: Rule = Rule::check("ACP-SESSION-011", |m, says| {
    if let Some(told) = updated(m).filter(|told| told.is_message() && !told.is_users()) {
        let session = told.session.as_str();
        if let Some(owner) = only_prompted_in(m.conn, &told.text)
            && owner != session
        {
            says.broken(Why::new(
                format!("an update of the session {}", text::short_to(owner, 60)),
                format!(
                    "the session {} tells what was asked for in {}",
                    text::short_to(session, 60),
                    text::short_to(owner, 60)
                ),
            ));
        }
    }
    if let Some((index, turn)) = m.turn_ended() {
        let own = |turn: &crate::world::Turn| {
            only_prompted_in(m.conn, &turn.report()) == Some(turn.session.as_str())
        };
        let other = |other: &crate::world::Turn| {
            other.session != turn.session && other.ended.is_some() && own(other)
        };
        if own(turn)
            && m.conn.turns[..]
                .iter()
                .enumerate()
                .any(|(at, it)| at != index && other(it))
        {
            says.upheld();
        }
    }
    second_session(m, says);
});

/// The one session of the connection in which the agent was told to say this.
fn only_prompted_in<'a>(conn: &'a Conn, text: &str) -> Option<&'a str> {
    let text = text.trim();
    if text.len() < TELLING {
        return None;
    }
    let mut asked = conn.turns.iter().filter(|turn| {
        let wanted = turn.prompt.strip_prefix("/say ").map(str::trim);
        wanted.is_some_and(|wanted| wanted == text)
    });
    let first = asked.next()?.session.as_str();
    asked.all(|turn| turn.session == first).then_some(first)
}

/// An agent that refuses a second session, although the first was asked for in the same words.
fn second_session(m: &Moment<'_>, says: &mut Says) {
    let Some((index, request, answer)) = answer_to(m, &["session/new"]) else {
        return;
    };
    if !answer.is_error || wants_login(answer) || !is_plain(request) {
        return;
    }
    let logged_out = |since: &Request| {
        let mut later = m.conn.requests[..index]
            .iter()
            .rev()
            .take_while(|it| it.seq > since.seq);
        later.any(|it| matches!(it.method.as_str(), "logout" | "auth/logout"))
    };
    // What fails for lack of a login is ERROR-006's and ERROR-016's.
    let twin = |it: &&Request| {
        it.params == request.params
            && !logged_out(it)
            && made(it).is_some_and(|id| active(m.conn, id, answer.seq))
            && succeeded(it)
    };
    // -32601 says that there is no such method, which INIT judges.
    if earlier(m.conn, index).any(|it| twin(&it)) && answer.error_code != Some(-32601) {
        says.broken(Why::new(
            "another session",
            format!(
                "a second session/new, the same as the first, was answered with {}",
                told(answer)
            ),
        ));
    }
}

/// SESSION-012: an update names a session that this connection has to do with. Judged when all is over, since an update
/// may come before the answer that names the session. (session-setup#session-id; derived)
const KNOWN: Rule = Rule::check("ACP-SESSION-012", |m, says| {
    if !matches!(m.fact, Fact::Ended) {
        return;
    }
    // A recording that begins in the middle has not heard of all sessions.
    let whole = |conn: &&Conn| conn.init.request.is_some();
    for conn in m.world.conns.values().filter(whole) {
        let known = named(conn, m.world);
        let unheard = conn.stopped
            || m.world.limited
            || conn.requests.iter().any(|request| {
                let forgotten = succeeded(request) && request.result().is_none();
                request.from == Side::Client
                    && request.method.starts_with("session/")
                    && (request.is_open() || forgotten)
            });
        for told in all_updates(conn, 0, u64::MAX) {
            let session = told.session.as_str();
            if known.contains(session) {
                says.upheld();
            } else if unheard {
                says.unclear("an update names a session that an answer may still have named");
            } else if !loading(conn, told.seq) {
                says.broken(
                    Why::new(
                        "the id of a session that was made, loaded, resumed, listed or announced here",
                        format!(
                            "a {} names the session {}, which nothing on this connection has named",
                            text::short_to(&told.kind, 60),
                            text::short_to(session, 60)
                        ),
                    )
                    .got(shown(told)),
                );
            }
        }
    }
});

/// All session ids that requests, results, lists and announcements of subagents have named.
fn named<'a>(conn: &'a Conn, world: &'a World) -> BTreeSet<&'a str> {
    let mut known = BTreeSet::new();
    for request in world.conns.values().flat_map(|conn| &conn.requests) {
        if request.from != conn.target {
            known.extend(text_param(request, "sessionId"));
        }
        if let Some(result) = request.result() {
            known.extend(result.get("sessionId").and_then(Value::as_str));
            let list = result.get("sessions").and_then(Value::as_array);
            for entry in list.into_iter().flatten() {
                known.extend(entry.get("sessionId").and_then(Value::as_str));
            }
        }
    }
    let announced = conn.sessions.iter().filter(|(_, session)| session.known);
    known.extend(announced.map(|(id, _)| id.as_str()));
    known
}

/// A `session/load` or `session/resume` was open at this event: LOAD-006 judges the ids in a replay.
fn loading(conn: &Conn, seq: u64) -> bool {
    conn.requests.iter().any(|request| {
        matches!(request.method.as_str(), "session/load" | "session/resume")
            && request.seq < seq
            && request.answer().is_none_or(|answer| answer.seq > seq)
    })
}

/// SESSION-013 (v2): a new session counts as idle; where it is not, its state is told once the answer is out.
/// (v2/agent.rs NewSessionResponse)
const STATE_TOLD: Rule = Rule::check_later(
    "ACP-SESSION-013",
    |m, says| {
        let Some((_, request, _)) = answer_to(m, &["session/new"]) else {
            return;
        };
        let Some(id) = made(request).filter(|_| m.conn.version() == Version::AcpV2) else {
            return;
        };
        let state = m.conn.sessions.get(id).and_then(|it| it.state.as_deref());
        match state {
            None | Some("idle") => says.upheld(),
            Some(_) => says.watch_for(Subject::Connection, id),
        }
    },
    |m, watch| {
        let mine = |session: &str| session == watch.memo;
        match m.fact {
            Fact::TurnStarted(turn) if mine(&m.conn.turns[*turn].session) => {
                Still::Unclear("the session was prompted before it told its state".to_owned())
            }
            Fact::Settled => Still::Broken(
                Why::new(
                    "a state_update after the answer to session/new",
                    "the session was reported as busy before session/new was answered, and its state was not told after",
                )
                .got("no state_update"),
            ),
            _ => match updated(m) {
                Some(told) if mine(&told.session) && told.kind == "state_update" => Still::Upheld,
                _ => Still::Watching,
            },
        }
    },
);

/// SESSION-015 (v2): configOptions and availableCommands of a result are arrays or left out.
/// (v2/agent.rs NewSessionResponse, ResumeSessionResponse)
const LISTS_ARE_ARRAYS: Rule = Rule::check("ACP-SESSION-015", |m, says| {
    let Some((_, request, _)) = answer_to(m, &["session/new", "session/resume"]) else {
        return;
    };
    let Some(result) = request
        .result()
        .filter(|_| m.conn.version() == Version::AcpV2)
    else {
        return;
    };
    for name in ["configOptions", "availableCommands"] {
        if let Some(value) = result.get(name) {
            says.holds(value.is_array(), || {
                Why::new(
                    format!("{name}: an array, or no such member"),
                    format!(
                        "{name} is {} in the result of {}",
                        text::short_to(&value.to_string(), 60),
                        request.method
                    ),
                )
            });
        }
    }
});

/// How the agent takes system prompts, if it does at all: whether it can override its own.
fn takes_system_prompts(conn: &Conn) -> Option<bool> {
    if !announces(conn, "systemPrompt") {
        return None;
    }
    let result = conn.requests[conn.init.request?].result()?;
    let override_marker = [
        "/agentCapabilities/sessionCapabilities/systemPrompt/mode/override",
        "/capabilities/session/systemPrompt/mode/override",
    ];
    let overrides = override_marker
        .iter()
        .any(|pointer| result.pointer(pointer).is_some_and(Value::is_object));
    Some(overrides)
}

/// SESSION-018: an agent that cannot apply a system prompt refuses the request. (SystemPrompt, SystemPromptMode)
const SYSTEM_PROMPT_REFUSED: Rule = Rule::check("ACP-SESSION-018", |m, says| {
    let methods = ["session/new", "session/load", "session/resume"];
    let Some((_, request, answer)) = answer_to(m, &methods) else {
        return;
    };
    let (Some(overrides), Some(prompt)) =
        (takes_system_prompts(m.conn), param(request, "systemPrompt"))
    else {
        return;
    };
    let reason = match prompt.get("mode").and_then(Value::as_str) {
        Some("override") if !overrides => "mode override is not announced",
        Some("append" | "override") => {
            let blocks = prompt.get("content").and_then(Value::as_array);
            let odd = |block: &Value| block.get("type").is_some_and(|kind| kind != "text");
            if blocks.is_some_and(|blocks| blocks.iter().any(odd)) {
                "it holds a block that is no text"
            } else {
                return;
            }
        }
        Some(_) => "its mode does not exist",
        None => return,
    };
    let what = format!("the systemPrompt cannot be applied: {reason}");
    wants_error(says, request, answer, &what);
});

/// A system prompt to append, of text blocks.
fn appends(request: &Request) -> bool {
    let is_text = |block: &Value| {
        block.get("type").is_some_and(|kind| kind == "text")
            && block.get("text").is_some_and(Value::is_string)
    };
    param(request, "systemPrompt").is_some_and(|prompt| {
        prompt.get("mode").is_some_and(|mode| mode == "append")
            && prompt
                .get("content")
                .and_then(Value::as_array)
                .is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(is_text))
    })
}

/// SESSION-019: an agent that announces systemPrompt takes text blocks to append. Judged like SESSION-004: first with
/// it, then without. (SystemPromptMode::Append)
const SYSTEM_PROMPT_APPENDED: Rule = Rule::check("ACP-SESSION-019", |m, says| {
    if m.answered().is_some() && takes_system_prompts(m.conn).is_some() {
        with_then_without(m, says, &["session/new"], "systemPrompt", appends);
    }
});

/// A request with a member that the agent announces succeeds if the same one without it does. Judged on the first one,
/// and on one without the member after that.
pub(super) fn with_then_without(
    m: &Moment<'_>,
    says: &mut Says,
    methods: &[&str],
    member: &str,
    valid: fn(&Request) -> bool,
) {
    let Some((index, request, answer)) = answer_to(m, methods) else {
        return;
    };
    if param(request, member).is_some() {
        if !answer.is_error && valid(request) {
            says.upheld();
        }
        return;
    }
    let same = |it: &&Request| {
        it.from != m.judged
            && it.method == request.method
            && valid(it)
            && param(it, "cwd") == param(request, "cwd")
            && param(it, "sessionId") == param(request, "sessionId")
    };
    let with = m.conn.requests[..index].iter().rev().find(same);
    let Some((with, refused)) = with.and_then(|it| Some((it, it.answer()?))) else {
        return;
    };
    if !refused.is_error {
        return;
    }
    if answer.is_error || wants_login(refused) {
        return says.unclear(format!(
            "{} failed with {member}, and not only with that",
            request.method
        ));
    }
    says.broken(
        Why::new(
            format!("a result, as without {member}"),
            format!(
                "{member} is announced; {} was answered with {} where it stands, and succeeds without it",
                request.method,
                told(refused)
            ),
        )
        .sent(with.text.clone())
        .got(refused.text.clone()),
    );
}

/// SESSION-020: a folder with an odd name is taken or refused, and nothing worse. (session-setup#working-directory;
/// robustness)
const ODD_FOLDER: Rule = Rule::duty(
    "ACP-SESSION-020",
    "an answer, be it an error",
    |m, says| {
        if let Some((index, request)) = new_session(m)
            && text_param(request, "cwd").is_some_and(|cwd| absolute(cwd) && !is_ordinary(cwd))
        {
            watch_extraordinary(m, index, says);
        }
    },
    |m, watch| answered_in_any_way(m, watch, "a session/new in an unusual folder was sent"),
);
