//! PROMPT: what becomes of prompts in both versions, and of their blocks. What version 2 says of the insertion of a
//! prompt stands in `inserted`.

use elenchus_protocol::{
    Version,
    acp::shapes::{self, Part},
};
use elenchus_wire::Wait;
use serde_json::Value;

use super::{
    told::{
        agent_says, at, blocks, client_says, is_replayed, misfit, names_live_session, param,
        prompt_answered, tell_shape, told, told_since, update_params,
    },
    views::death,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS, TURN_ENDS, TURN_STARTS},
    rule::{Rule, Still, Subject, Watch, Why},
    text,
    world::{Conn, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    BASELINE.at(&[ANSWERS]),
    STOP_REASON.at(&[ANSWERS]),
    STOP_REASON_V1.at(&[ANSWERS]),
    UPDATES_BEFORE_ANSWER.at(&[TURN_ENDS]),
    SECOND_PROMPT.at(&[REQUESTS]),
    EMPTY_PROMPT.at(&[REQUESTS]),
    ADVERTISED_BLOCK.at(&[ANSWERS]),
    OTHER_BLOCK.at(&[REQUESTS]),
    UPDATE_SHAPE.at(&[NOTIFICATIONS]),
    MESSAGE_ID_V1.at(&[NOTIFICATIONS]),
    USAGE.at(&[NOTIFICATIONS]),
    GATED_UPDATES.at(&[NOTIFICATIONS, TURN_STARTS]),
];

const INVALID_PARAMS: i64 = -32602;
const AUTH_REQUIRED: i64 = -32000;

/// Whether the agent takes blocks of this type: always, by a capability, or as nobody knows.
pub(super) fn takes(conn: &Conn, kind: &str) -> Option<bool> {
    let capability = match kind {
        "text" | "resource_link" => return Some(true),
        "image" | "audio" => kind,
        "resource" => "embeddedContext",
        _ => return None,
    };
    let prompt = match conn.version() {
        Version::AcpV1 => "/agentCapabilities/promptCapabilities/",
        Version::AcpV2 => "/capabilities/session/prompt/",
    };
    let says = agent_says(conn, &format!("{prompt}{capability}"));
    Some(match conn.version() {
        Version::AcpV1 => says == Some(&Value::Bool(true)),
        Version::AcpV2 => says.is_some_and(Value::is_object),
    })
}

/// The agent has advertised that it takes blocks of this type, beyond those that every agent takes.
pub(super) fn advertises(conn: &Conn, kind: &str) -> bool {
    !matches!(kind, "text" | "resource_link") && takes(conn, kind) == Some(true)
}

/// The type of a block.
pub(super) fn kind(block: &Value) -> &str {
    block
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The prompt is what a client may send: of the right shape, for a session that is there, without a key.
pub(super) fn is_sound(conn: &Conn, prompt: &Request) -> bool {
    let params = prompt.params.as_ref().unwrap_or(&Value::Null);
    names_live_session(conn, prompt)
        && params.get("idempotencyKey").is_none()
        && shapes::check(conn.version(), "session/prompt", Part::Params, params).is_empty()
}

/// PROMPT-001: a prompt of text and resource links is accepted without any capability. Only -32602 says that it was
/// not; other errors may have any cause. (initialization#prompt-capabilities)
const BASELINE: Rule = Rule::check("ACP-PROMPT-001", |m, says| {
    let Some((_, prompt)) = prompt_answered(m) else {
        return;
    };
    let kinds = || blocks(prompt).iter().map(kind);
    let baseline = kinds().all(|kind| matches!(kind, "text" | "resource_link"));
    if !baseline || !kinds().any(|kind| kind == "resource_link") || !is_sound(m.conn, prompt) {
        return;
    }
    match prompt.error_code() {
        Some(INVALID_PARAMS) => says.broken(
            Why::new(
                "text and resource_link blocks, which every agent accepts",
                "a prompt of text and a resource link was refused as invalid",
            )
            .sent(prompt.text.clone()),
        ),
        Some(code) => says.unclear(format!("the prompt failed with {code}")),
        None => says.upheld(),
    }
});

/// PROMPT-002 (v1): a success result of a prompt has a stopReason. (v1 prompt-turn#4-check-for-completion)
const STOP_REASON: Rule = Rule::check("ACP-PROMPT-002", |m, says| {
    let Some(result) = success_v1(m) else { return };
    let missing = result.get("stopReason").is_none_or(Value::is_null);
    // Under another spelling it is JSONRPC-022's.
    let misspelt = || shapes::misspelt(Version::AcpV1, "session/prompt", Part::Result, result);
    if missing && !misspelt().is_empty() {
        return;
    }
    says.holds(!missing, || {
        Why::new(
            "a result with a stopReason, at the end of the turn",
            "the prompt was answered without a stopReason",
        )
    });
});

/// PROMPT-003 (v1): the stopReason is one of the five. (v1 prompt-turn#stop-reasons)
const STOP_REASON_V1: Rule = Rule::check("ACP-PROMPT-003", |m, says| {
    const DEFINED: [&str; 5] = [
        "end_turn",
        "max_tokens",
        "max_turn_requests",
        "refusal",
        "cancelled",
    ];
    let reason = success_v1(m).and_then(|result| result.get("stopReason"));
    let Some(reason) = reason.filter(|reason| !reason.is_null()) else {
        return;
    };
    let defined = reason
        .as_str()
        .is_some_and(|reason| DEFINED.contains(&reason));
    says.holds(defined, || {
        Why::new(
            "end_turn, max_tokens, max_turn_requests, refusal or cancelled",
            format!(
                "the stopReason is {}",
                text::short_to(&reason.to_string(), 80)
            ),
        )
    });
});

/// The result of a v1 prompt that is answered at this fact without an error.
fn success_v1<'a>(m: &Moment<'a>) -> Option<&'a Value> {
    static NOTHING: Value = Value::Null;
    let (_, prompt) = prompt_answered(m).filter(|_| m.conn.version() == Version::AcpV1)?;
    let answer = prompt.answer().filter(|answer| !answer.is_error)?;
    Some(answer.result.as_ref().unwrap_or(&NOTHING))
}

/// PROMPT-004 (v1): what a turn says and calls comes before the answer to its prompt. What follows a cancelled turn has
/// clauses of its own, and a replay tells old things. (v1 prompt-turn#3-agent-reports-output)
const UPDATES_BEFORE_ANSWER: Rule = Rule::ban(
    "ACP-PROMPT-004",
    |m, says| {
        let Some((index, turn)) = m.turn_ended() else {
            return;
        };
        let in_order = turn.ended.as_ref().is_some_and(|end| {
            end.error.is_none() && end.stop_reason.as_deref() != Some("cancelled")
        });
        if m.conn.version() == Version::AcpV1
            && in_order
            && turn.cancelled.is_none()
            && m.conn.open_turn(&turn.session).is_none()
        {
            says.watch(Subject::Turn(index));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let session = &m.conn.turns[index].session;
        if m.conn.open_turn(session).is_some() {
            return Still::Moot;
        }
        let Some((update, _)) = told(m).filter(|(update, _)| update.session == *session) else {
            return Still::Watching;
        };
        let kind = update.kind.as_str();
        let of_a_turn = matches!(
            kind,
            "agent_message_chunk" | "agent_thought_chunk" | "tool_call" | "tool_call_update"
        );
        if !of_a_turn || is_replayed(m.conn, session) {
            return Still::Watching;
        }
        Still::Broken(Why::new(
            "all messages and tool updates of a turn before the answer to its prompt",
            format!("{kind} came after the prompt had been answered, while no turn was running"),
        ))
    },
);

/// PROMPT-006: a second prompt during a turn and the first one are both answered, somehow. That one was forgotten is
/// certain where a later prompt of the session was answered, or where the agent does as the vocabulary says.
/// (v1 prompt-turn; rfds/v2/prompt)
const SECOND_PROMPT: Rule = Rule::check_later(
    "ACP-PROMPT-006",
    |m, says| {
        let Some((index, prompt)) = m.asked().filter(|(_, r)| r.method == "session/prompt") else {
            return;
        };
        let session = param(prompt, "sessionId");
        let busy = m.conn.turns.iter().rev().find(|turn| {
            Some(turn.session.as_str()) == session && turn.request != index && turn.ended.is_none()
        });
        if let Some(busy) = busy {
            says.watch(Subject::Request(index));
            says.watch(Subject::Request(busy.request));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let prompt = &m.conn.requests[index];
        if !prompt.is_open() {
            return Still::Upheld;
        }
        if no_turn_ends(m, prompt) {
            return Still::Unclear(NO_TURN.to_owned());
        }
        let expected = "an answer to each of two prompts: queued, accepted or refused";
        if let Some(dead) = death(m, watch, expected, "a second prompt was sent during a turn") {
            return dead;
        }
        if !waited_in_vain(m, prompt) {
            return Still::Watching;
        }
        let later = m.conn.requests[index + 1..].iter().any(|later| {
            later.method == "session/prompt"
                && later.answer().is_some_and(|answer| !answer.is_error)
                && param(later, "sessionId") == param(prompt, "sessionId")
        });
        let turn = prompt.turn.map(|turn| (turn, &m.conn.turns[turn]));
        // What waits behind a turn that goes on until it is cancelled waits as long. In v2 an end that came before the
        // answer to its prompt is that of the turn before.
        let goes_on = |turn: &Turn| {
            let answer = m.conn.requests[turn.request].answer();
            let end = turn.ended.as_ref();
            end.is_none_or(|end| {
                answer.is_some_and(|answer| !answer.is_error && end.seq < answer.seq)
            })
        };
        let behind = m.conn.turns.iter().any(|turn| {
            param(prompt, "sessionId") == Some(turn.session.as_str())
                && goes_on(turn)
                && turn.cancelled.is_none()
                && turn.outlasts_answers()
        });
        let endless = behind || turn.is_some_and(|(_, turn)| turn.outlasts_answers());
        let left = turn.is_some_and(|(turn, _)| m.conn.was_left(turn));
        if endless || left || m.conn.target_waits_for_us() || !(later || prompt.trigger.is_some()) {
            return Still::Unclear("the agent may still be working".to_owned());
        }
        Still::Broken(
            Why::new(
                expected,
                "two prompts were sent in one session, and one of them was never answered",
            )
            .sent(prompt.text.clone())
            .got("no answer"),
        )
    },
)
.of_tangles();

/// A wait for the answer to this prompt has just ended.
fn waited_in_vain(m: &Moment<'_>, prompt: &Request) -> bool {
    matches!(m.fact, Fact::Deadline(Wait::Answer { id }) if prompt.id.text() == id)
}

/// Why a prompt cannot be blamed for what became of it.
const NO_TURN: &str = "not even an ordinary turn of this agent ends";

/// The prompt came to nothing, on an agent whose ordinary turns come to nothing as well.
fn no_turn_ends(m: &Moment<'_>, prompt: &Request) -> bool {
    m.world.ends_no_turn() && (m.died().is_some() || waited_in_vain(m, prompt))
}

/// What must become of a prompt that an agent may find strange: an answer by an agent that lives. It hangs if nothing at
/// all came of it, though it was read.
pub(super) fn survives(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let prompt = &m.conn.requests[index];
    if no_turn_ends(m, prompt) {
        return Still::Unclear(NO_TURN.to_owned());
    }
    let expected = "an answer: an error, or the end of an orderly turn";
    if let Some(dead) = death(m, watch, expected, &format!("{what} was sent")) {
        return dead;
    }
    if let Some(answer) = prompt.answer() {
        // In v2 the work only begins with the answer.
        let over = answer.is_error
            || m.conn.version() == Version::AcpV1
            || matches!(m.fact, Fact::Settled | Fact::TurnEnded(_));
        return if over { Still::Upheld } else { Still::Watching };
    }
    if !waited_in_vain(m, prompt) {
        return Still::Watching;
    }
    let session = param(prompt, "sessionId").unwrap_or_default();
    let read = m.conn.read_mark > prompt.seq;
    if !read || told_since(m.conn, session, prompt.seq).next().is_some() {
        return Still::Unclear("the agent may still be working".to_owned());
    }
    Still::Broken(
        Why::new(
            expected,
            format!("{what} was sent, and nothing came of it, though later requests were answered"),
        )
        .sent(prompt.text.clone())
        .got("no answer"),
    )
}

/// PROMPT-018: an empty prompt is refused, or is a turn without work. (v2/agent.rs PromptRequest.prompt)
const EMPTY_PROMPT: Rule = Rule::check_later(
    "ACP-PROMPT-018",
    |m, says| {
        let Some((index, prompt)) = m.asked().filter(|(_, r)| r.method == "session/prompt") else {
            return;
        };
        let sent = prompt
            .params
            .as_ref()
            .and_then(|params| params.get("prompt"));
        // What comes of a session that nobody knows is ERROR-010's.
        let empty = sent.and_then(Value::as_array).is_some_and(Vec::is_empty);
        if empty && names_live_session(m.conn, prompt) {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| survives(m, watch, "an empty prompt"),
);

/// PROMPT-021: a block of a type that the agent advertised is accepted. Judged for a picture, a sound or a resource that
/// is what it claims to be. (initialization#prompt-capabilities)
const ADVERTISED_BLOCK: Rule = Rule::check("ACP-PROMPT-021", |m, says| {
    let Some((_, prompt)) = prompt_answered(m) else {
        return;
    };
    let all = blocks(prompt);
    let Some(block) = all.iter().find(|block| advertises(m.conn, kind(block))) else {
        return;
    };
    let taken = |block: &Value| takes(m.conn, kind(block)) == Some(true) && is_genuine(block);
    if !all.iter().all(taken) || !is_sound(m.conn, prompt) {
        return;
    }
    match prompt.error_code() {
        Some(INVALID_PARAMS) => says.broken(
            Why::new(
                format!("a block of type {}, as advertised", kind(block)),
                format!(
                    "the agent advertises that it takes {} blocks, and refused one as invalid",
                    kind(block)
                ),
            )
            .sent(prompt.text.clone()),
        ),
        Some(code) => says.unclear(format!("the prompt failed with {code}")),
        None => says.upheld(),
    }
});

/// The data of a block is what its type says, as far as its first bytes tell.
pub(super) fn is_genuine(block: &Value) -> bool {
    let data = block
        .get("data")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mime = block
        .get("mimeType")
        .and_then(Value::as_str)
        .unwrap_or_default();
    // The base64 of a file begins like the file.
    match (kind(block), mime) {
        ("image", "image/png") => data.starts_with("iVBORw0KGgo"),
        ("audio", "audio/wav") => data.starts_with("UklGR"),
        ("image" | "audio", _) => false,
        _ => true,
    }
}

/// PROMPT-022: a block of a type that the agent did not advertise is refused or processed; in v2 one of a type that
/// nobody knows is refused with -32602. (v2/content.rs ContentBlock::Other)
const OTHER_BLOCK: Rule = Rule::check_later(
    "ACP-PROMPT-022",
    |m, says| {
        let Some((index, prompt)) = m.asked().filter(|(_, r)| r.method == "session/prompt") else {
            return;
        };
        let strange = |block: &Value| takes(m.conn, kind(block)) != Some(true);
        if m.conn.initialized()
            && blocks(prompt).iter().any(strange)
            && names_live_session(m.conn, prompt)
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let still = survives(
            m,
            watch,
            "a block of a type that the agent did not advertise",
        );
        let Subject::Request(index) = watch.subject else {
            return still;
        };
        let prompt = &m.conn.requests[index];
        let unknown = blocks(prompt)
            .iter()
            .any(|block| takes(m.conn, kind(block)).is_none());
        if still != Still::Upheld || !unknown || m.conn.version() == Version::AcpV1 {
            return still;
        }
        let why = |what: String| {
            Still::Broken(
                Why::new(
                    "-32602 for a block of a type that it does not support",
                    what,
                )
                .sent(prompt.text.clone()),
            )
        };
        match prompt.error_code() {
            Some(INVALID_PARAMS) => still,
            Some(AUTH_REQUIRED) => Still::Unclear("the agent wants a login first".to_owned()),
            Some(code) => why(format!(
                "a block of an unknown type was refused with {code}"
            )),
            None => why("a block of an unknown type was accepted".to_owned()),
        }
    },
);

/// PROMPT-023: a session/update has a sessionId and an update that fits its schema. The members of most kinds have
/// clauses of their own; here are the others. (SessionNotification, UpdateSessionNotification)
const UPDATE_SHAPE: Rule = Rule::check("ACP-PROMPT-023", |m, says| {
    let Some(params) = update_params(m) else {
        return;
    };
    let kind = at(params, "/update/sessionUpdate");
    let mut clean = true;
    for mismatch in m.mismatches() {
        let here = match mismatch.pointer.as_str() {
            "" | "/sessionId" | "/update" => true,
            // Values that are not defined are ENUM's.
            "/update/sessionUpdate" => !kind.is_some_and(Value::is_string),
            pointer => has_no_other_clause(
                m.conn.version(),
                kind.and_then(Value::as_str).unwrap_or_default(),
                pointer.strip_prefix("/update/").unwrap_or_default(),
            ),
        };
        if here {
            clean = false;
            says.broken(misfit("session/update", mismatch));
        }
    }
    if clean {
        says.upheld();
    }
});

/// No other clause is about this member of this kind of update.
fn has_no_other_clause(version: Version, kind: &str, member: &str) -> bool {
    let first = member.split('/').next().unwrap_or_default();
    // What stands within a block is CONTENT's, and so is the rest of a block's place.
    let in_content = first == "content";
    match (version, kind) {
        (
            Version::AcpV1,
            "user_message_chunk"
            | "agent_message_chunk"
            | "agent_thought_chunk"
            | "compaction_summary_chunk"
            | "session_message_chunk",
        ) if in_content => member == "content",
        _ if in_content => false,
        (Version::AcpV1, "tool_call" | "tool_call_update") => {
            matches!(first, "toolCallId" | "title" | "name")
        }
        (Version::AcpV2, "tool_call_update") => {
            matches!(first, "title" | "name" | "capabilities")
        }
        (Version::AcpV2, "session_message" | "session_message_chunk") => first != "messageId",
        (_, "session_info_update")
        | (
            Version::AcpV1,
            "plan_update"
            | "plan_removed"
            | "notice"
            | "compaction_update"
            | "compaction_summary_chunk"
            | "subagent_update"
            | "session_message"
            | "session_message_chunk",
        )
        | (Version::AcpV2, "plan_removed") => true,
        _ => false,
    }
}

/// PROMPT-025 (v1): a chunk's messageId, if there is one, is a string. (v1 prompt-turn#message-ids)
const MESSAGE_ID_V1: Rule = Rule::check("ACP-PROMPT-025", |m, says| {
    let Some((update, value)) = told(m).filter(|_| m.conn.version() == Version::AcpV1) else {
        return;
    };
    let kind = update.kind.as_str();
    let chunk = matches!(
        kind,
        "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk"
    );
    let id = value.get("messageId").filter(|id| chunk && !id.is_null());
    let Some(id) = id else { return };
    says.holds(id.is_string(), || {
        Why::new(
            "a string, null, or no messageId",
            format!(
                "the messageId of {kind} is {}",
                text::short_to(&id.to_string(), 80)
            ),
        )
    });
});

/// PROMPT-026: a usage_update has whole numbers for used and size, and a concrete cost has amount and currency.
/// (prompt#session-usage-updates; UsageUpdate, Cost)
const USAGE: Rule = Rule::check("ACP-PROMPT-026", |m, says| {
    let Some(params) = update_params(m) else {
        return;
    };
    if at(params, "/update/sessionUpdate").and_then(Value::as_str) != Some("usage_update") {
        return;
    }
    let own = m.mismatches().iter().filter(|mismatch| {
        ["/update/used", "/update/size", "/update/cost"]
            .iter()
            .any(|place| mismatch.pointer.starts_with(place))
    });
    tell_shape(says, "usage_update", own, true);
});

/// PROMPT-027 (v1): updates that a client has to advertise are not sent to one that did not. (v1/client.rs SessionUpdate)
const GATED_UPDATES: Rule = Rule::ban(
    "ACP-PROMPT-027",
    |m, says| {
        if m.conn.version() != Version::AcpV1 {
            return;
        }
        if let Fact::TurnStarted(turn) = m.fact {
            says.watch(Subject::Turn(*turn));
        }
        let Some((update, _)) = told(m) else { return };
        let kind = update.kind.as_str();
        let Some(capability) = gate(kind) else { return };
        let advertised = client_says(m.conn, &format!("/clientCapabilities/{capability}"));
        says.holds(advertised.is_some(), || {
            Why::new(
                format!(
                    "no {kind} for a client that does not advertise {}",
                    capability.replace('/', ".")
                ),
                format!("{kind} was sent to a client that did not advertise it"),
            )
        });
    },
    |_, _| Still::Watching,
);

/// The client capability that an update of v1 needs.
fn gate(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "plan_update" | "plan_removed" => "plan",
        "notice" => "session/notices",
        "compaction_update" | "compaction_summary_chunk" => "session/compaction",
        "subagent_update" | "session_message" | "session_message_chunk" => "subagents",
        _ => return None,
    })
}
