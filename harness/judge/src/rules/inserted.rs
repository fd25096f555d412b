//! PROMPT, the part about version 2: a prompt is answered when its message is inserted into the conversation.

use elenchus_protocol::{
    Version,
    acp::shapes::{self, Part},
};
use elenchus_wire::{FrameDefect, Side};
use serde_json::Value;

use super::told::{
    blocks, names_live_session, param, prompt_answered, reported_since, text_of, told_since,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, TURN_ENDS},
    rule::{Rule, Still, Subject, Why},
    text,
    world::{Conn, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    ANSWERED_AT_ONCE.at(&[ANSWERS]),
    MESSAGE_ID.at(&[ANSWERS]),
    ECHOED.at(&[ANSWERS]),
    ECHO_CORRESPONDS.at(&[TURN_ENDS]),
    DISTINCT_IDS.at(&[ANSWERS]),
    REFUSED_IS_NOT_INSERTED.at(&[ANSWERS]),
    INSERTED_ONLY_SUCCEEDS.at(&[ANSWERS, TURN_ENDS]),
    RETRY.at(&[ANSWERS]),
    KEY_IS_CHECKED.at(&[ANSWERS]),
    KEY_OF_ONE_SESSION.at(&[ANSWERS]),
];

const INVALID_PARAMS: i64 = -32602;

/// The prompt of v2 that is answered at this fact.
fn answered<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request)> {
    prompt_answered(m).filter(|_| m.conn.version() == Version::AcpV2)
}

/// The prompt was answered with a result.
fn accepted(prompt: &Request) -> bool {
    prompt.answer().is_some_and(|answer| !answer.is_error)
}

/// The id of the message that a prompt inserted.
fn message_id(prompt: &Request) -> Option<&str> {
    prompt.result()?.get("messageId")?.as_str()
}

fn session(prompt: &Request) -> &str {
    param(prompt, "sessionId").unwrap_or_default()
}

/// The key under which a prompt may be sent again, if it is one.
fn key(prompt: &Request) -> Option<&str> {
    param(prompt, "idempotencyKey").filter(|key| is_key(key))
}

fn is_key(key: &str) -> bool {
    (1..=255).contains(&key.chars().count())
}

/// A prompt with this key was sent before, in whatever session.
fn is_retry(conn: &Conn, index: usize) -> bool {
    let own = key(&conn.requests[index]);
    own.is_some()
        && conn.requests[..index]
            .iter()
            .any(|earlier| key(earlier) == own)
}

/// A message of the user that the agent reported.
struct Echo<'a> {
    id: &'a str,
    text: String,
    /// It has content other than text.
    other: bool,
}

/// The messages of the user that were reported in a session after this event.
fn echoes<'a>(conn: &'a Conn, session: &'a str, seq: u64) -> Vec<Echo<'a>> {
    let mut told: Vec<_> = told_since(conn, session, seq)
        .filter_map(|(_, told)| Some((told, told.said.as_deref()?)))
        .collect();
    told.reverse();
    let mut echoes: Vec<Echo<'_>> = Vec::new();
    for (told, said) in told {
        let Some(id) = told.id.as_deref() else {
            continue;
        };
        let known = echoes.iter().position(|echo| echo.id == id);
        let at = known.unwrap_or_else(|| {
            let text = String::new();
            let other = false;
            echoes.push(Echo { id, text, other });
            echoes.len() - 1
        });
        if told.kind == "user_message" {
            echoes[at].text.clear();
            echoes[at].other = false;
        }
        echoes[at].text.push_str(said);
        echoes[at].other |= told.more;
    }
    echoes
}

/// PROMPT-007: the answer does not wait for the end of the work. Certain where the work lasted: it waited for an answer
/// of ours, and its idle came before the answer to its prompt. (v2 prompt-lifecycle#2-prompt-accepted)
const ANSWERED_AT_ONCE: Rule = Rule::check("ACP-PROMPT-007", |m, says| {
    let Some((_, prompt)) = answered(m).filter(|(_, prompt)| accepted(prompt)) else {
        return;
    };
    let Some(index) = prompt.turn else { return };
    let turn = &m.conn.turns[index];
    let Some(end) = &turn.ended else {
        return says.upheld();
    };
    let lasted = turn.elicitations.iter().any(|&index| {
        let answer = m.conn.requests[index].answer();
        answer.is_some_and(|answer| answer.seq < end.seq)
    });
    if lasted && !m.conn.overlaps(index) {
        says.broken(
            Why::new(
                "an answer when the prompt is accepted, before the work on it",
                "the prompt was answered only after the idle that ended its work",
            )
            .sent(prompt.text.clone()),
        );
    } else {
        says.note("a short turn was over before its prompt was answered");
    }
});

/// PROMPT-009: the result has the string messageId of the inserted message. (v2/agent.rs PromptResponse)
const MESSAGE_ID: Rule = Rule::check("ACP-PROMPT-009", |m, says| {
    let Some((_, prompt)) = answered(m).filter(|(_, prompt)| accepted(prompt)) else {
        return;
    };
    match prompt.result().and_then(|result| result.get("messageId")) {
        Some(Value::String(id)) => {
            if id.is_empty() {
                says.note("the messageId is empty");
            }
            says.upheld();
        }
        Some(other) => says.broken(Why::new(
            "a string messageId",
            format!(
                "the messageId is {}",
                text::short_to(&other.to_string(), 80)
            ),
        )),
        None => {
            let result = prompt.result().unwrap_or(&Value::Null);
            // Under another spelling it is JSONRPC-022's.
            if shapes::misspelt(Version::AcpV2, "session/prompt", Part::Result, result).is_empty() {
                says.broken(Why::new(
                    "a string messageId",
                    "the prompt was accepted without a messageId",
                ));
            }
        }
    }
});

/// PROMPT-010: the inserted message is reported under the id of the answer, by the idle that ends the work.
/// (v2/agent.rs PromptResponse.message_id)
const ECHOED: Rule = Rule::check_later(
    "ACP-PROMPT-010",
    |m, says| {
        let Some((index, prompt)) = answered(m) else {
            return;
        };
        let (Some(id), Some(turn)) = (message_id(prompt), prompt.turn) else {
            return;
        };
        if is_retry(m.conn, index) {
            return;
        }
        if is_echoed(m.conn, prompt, id) {
            says.upheld();
        } else {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let prompt = &m.conn.requests[turn.request];
        let Some(id) = message_id(prompt) else {
            return Still::Moot;
        };
        match m.fact {
            Fact::Notified(_) if is_echoed(m.conn, prompt, id) => match turn.ended {
                None => Still::Upheld,
                Some(_) => Still::Unclear(
                    "the message was reported only after the idle that ended its work".to_owned(),
                ),
            },
            Fact::Split { .. } | Fact::Defect(Side::Server, FrameDefect::InvalidUtf8 { .. }) => {
                Still::Unclear("what the agent sent could not all be read".to_owned())
            }
            Fact::Settled if turn.ended.is_some() => {
                if m.conn.overlaps(index) {
                    return Still::Unclear("another turn ran in the same session".to_owned());
                }
                let others = echoes(m.conn, &turn.session, prompt.seq);
                let under = others.first().map(|echo| text::short_to(echo.id, 60));
                Still::Broken(
                    Why::new(
                        format!(
                            "a user_message with the messageId {}",
                            text::short_to(id, 60)
                        ),
                        match under {
                            Some(other) => format!(
                                "the message was reported under {other}, and the answer says {}",
                                text::short_to(id, 60)
                            ),
                            None => "the work ended, and the inserted message was never reported"
                                .to_owned(),
                        },
                    )
                    .sent(prompt.text.clone())
                    .got(
                        prompt
                            .answer()
                            .map_or(String::new(), |answer| answer.text.clone()),
                    ),
                )
            }
            _ => Still::Watching,
        }
    },
);

fn is_echoed(conn: &Conn, prompt: &Request, id: &str) -> bool {
    told_since(conn, session(prompt), prompt.seq)
        .any(|(_, told)| told.said.is_some() && told.id.as_deref() == Some(id))
}

/// PROMPT-011: the reported message corresponds to the prompt: it is not empty. What else an agent makes of the text is
/// its own affair. (v2 prompt-lifecycle#2-prompt-accepted; derived)
const ECHO_CORRESPONDS: Rule = Rule::check("ACP-PROMPT-011", |m, says| {
    let Some((_, turn)) = m
        .turn_ended()
        .filter(|_| m.conn.version() == Version::AcpV2)
    else {
        return;
    };
    let prompt = &m.conn.requests[turn.request];
    let sent = text_of(blocks(prompt));
    let Some(id) = message_id(prompt).filter(|_| !sent.trim().is_empty()) else {
        return;
    };
    let echoes = echoes(m.conn, &turn.session, prompt.seq);
    let Some(echo) = echoes.iter().find(|echo| echo.id == id) else {
        return;
    };
    if echo.text.trim() == sent.trim() {
        says.upheld();
    } else if echo.text.trim().is_empty() && !echo.other {
        says.broken(
            Why::new(
                "a message with the content of the prompt",
                "the message of the user was reported without any content",
            )
            .sent(prompt.text.clone()),
        );
    } else {
        says.unclear("the reported message has another text than the prompt");
    }
});

/// PROMPT-012: different prompts of a session get different ids. (v2 prompt-lifecycle#message-ids)
const DISTINCT_IDS: Rule = Rule::check("ACP-PROMPT-012", |m, says| {
    let Some((index, prompt)) = answered(m) else {
        return;
    };
    let Some(id) = message_id(prompt) else { return };
    let mut others = m
        .conn
        .requests
        .iter()
        .enumerate()
        .filter(|(other, request)| {
            *other != index
                && request.method == "session/prompt"
                && session(request) == session(prompt)
                && message_id(request).is_some()
                && (key(request).is_none() || key(request) != key(prompt))
        });
    let Some((_, first)) = others.next() else {
        return;
    };
    let twin = std::iter::once(first)
        .chain(others.map(|(_, request)| request))
        .find(|other| message_id(other) == Some(id));
    says.holds(twin.is_none(), || {
        Why::new(
            "a messageId of its own for each prompt",
            format!(
                "two prompts were given the messageId {}",
                text::short_to(id, 80)
            ),
        )
        .sent(prompt.text.clone())
    });
});

/// Whether the agent reported the message of this prompt, after it was sent. None if it cannot be told from another
/// prompt's.
fn reported(conn: &Conn, prompt: &Request) -> Option<bool> {
    let sent = text_of(blocks(prompt));
    let same = |other: &&Request| {
        other.method == "session/prompt"
            && session(other) == session(prompt)
            && text_of(blocks(other)) == sent
    };
    if sent.trim().is_empty() || conn.requests.iter().filter(same).count() > 1 {
        return None;
    }
    let echoes = echoes(conn, session(prompt), prompt.seq);
    Some(echoes.iter().any(|echo| echo.text == sent))
}

/// An error that refuses a prompt: before any work, and whatever else the agent did.
fn is_refusal(code: i64) -> bool {
    matches!(code, INVALID_PARAMS | -32601 | -32600 | -32002 | -32000)
}

/// PROMPT-013: a prompt that was refused is not inserted: no message of the user is reported for it.
/// (v2/agent.rs PromptRequest)
const REFUSED_IS_NOT_INSERTED: Rule = Rule::check_later(
    "ACP-PROMPT-013",
    |m, says| {
        let Some((index, prompt)) = answered(m).filter(|(_, prompt)| !accepted(prompt)) else {
            return;
        };
        let refused = prompt.error_code().is_some_and(is_refusal);
        match reported(m.conn, prompt) {
            // One that failed at work is PROMPT-014.
            Some(true) if refused && !worked(m.conn, prompt) => says.broken(inserted(prompt)),
            Some(false) => says.watch(Subject::Request(index)),
            _ => {}
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let prompt = &m.conn.requests[index];
        match m.fact {
            Fact::Notified(_) if reported(m.conn, prompt) == Some(true) => {
                Still::Broken(inserted(prompt))
            }
            Fact::Settled => Still::Upheld,
            _ => Still::Watching,
        }
    },
);

fn inserted(prompt: &Request) -> Why {
    Why::new(
        "no user_message for a prompt that is answered with an error",
        "the prompt was refused, and its message was reported all the same",
    )
    .sent(prompt.text.clone())
}

/// The agent has worked since this prompt was sent.
fn worked(conn: &Conn, prompt: &Request) -> bool {
    reported_since(conn, session(prompt), prompt.seq, "running")
        || super::told::output_since(conn, session(prompt), prompt.seq)
}

/// PROMPT-014: once its message is inserted, a prompt succeeds; a failure of the work is an idle with stopReason error.
/// (v2/agent.rs PromptRequest; StopReason::Error)
const INSERTED_ONLY_SUCCEEDS: Rule = Rule::check("ACP-PROMPT-014", |m, says| {
    if let Some((_, turn)) = m.turn_ended() {
        let failed = |turn: &Turn| {
            let end = turn.ended.as_ref();
            end.is_some_and(|end| {
                end.error.is_none() && end.stop_reason.as_deref() == Some("error")
            })
        };
        if m.conn.version() == Version::AcpV2 && failed(turn) {
            says.upheld();
        }
        return;
    }
    let Some((_, prompt)) = answered(m) else {
        return;
    };
    // A cancellation has clauses of its own.
    let Some(code) = prompt.error_code().filter(|code| *code != -32800) else {
        return;
    };
    let failed = !is_refusal(code) || worked(m.conn, prompt);
    if failed && reported(m.conn, prompt) == Some(true) {
        says.broken(
            Why::new(
                "a result for an inserted prompt, and the failure as idle with stopReason error",
                format!("the message was inserted, and then the prompt failed with {code}"),
            )
            .sent(prompt.text.clone()),
        );
    }
});

/// PROMPT-015: a prompt that is sent again under its key inserts nothing, and is answered with the first message's id.
/// (v2/agent.rs PromptRequest.idempotency_key)
const RETRY: Rule = Rule::check_later(
    "ACP-PROMPT-015",
    |m, says| {
        let Some((index, prompt)) = answered(m) else {
            return;
        };
        let Some(first) = original(m.conn, index) else {
            return;
        };
        match message_id(prompt) {
            Some(id) if Some(id) == message_id(first) => says.watch(Subject::Request(index)),
            Some(id) => says.broken(
                Why::new(
                    format!(
                        "the messageId {}, as the first time",
                        text::short_to(message_id(first).unwrap_or_default(), 60)
                    ),
                    format!(
                        "the same prompt under the same idempotencyKey was given the messageId {}",
                        text::short_to(id, 60)
                    ),
                )
                .sent(prompt.text.clone()),
            ),
            None => says.unclear("the repeated prompt was not accepted"),
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let prompt = &m.conn.requests[index];
        if m.conn.moved_since(session(prompt), prompt.seq) {
            return Still::Moot;
        }
        let sent = text_of(blocks(prompt));
        let echoes = echoes(m.conn, session(prompt), prompt.seq);
        let again = echoes
            .iter()
            .any(|echo| Some(echo.id) != message_id(prompt) && echo.text == sent);
        match m.fact {
            Fact::TurnStarted(_) => Still::Moot,
            Fact::Notified(_) if again => Still::Broken(
                Why::new(
                    "nothing inserted for a prompt that was sent before under the same key",
                    "the repeated prompt was inserted a second time",
                )
                .sent(prompt.text.clone()),
            ),
            Fact::Settled => Still::Upheld,
            _ => Still::Watching,
        }
    },
)
.of_tangles();

/// The prompt that this one repeats: the same session and key, answered before this one was sent.
fn original(conn: &Conn, index: usize) -> Option<&Request> {
    let prompt = &conn.requests[index];
    let own = key(prompt)?;
    conn.requests[..index].iter().find(|earlier| {
        earlier.method == "session/prompt"
            && session(earlier) == session(prompt)
            && key(earlier) == Some(own)
            && message_id(earlier).is_some()
            && earlier
                .answer()
                .is_some_and(|answer| answer.seq < prompt.seq)
    })
}

/// PROMPT-016: a key that is no string of 1 to 255 characters is refused with -32602; null is none.
/// (v2/agent.rs IdempotencyKey)
const KEY_IS_CHECKED: Rule = Rule::check("ACP-PROMPT-016", |m, says| {
    let Some((_, prompt)) = answered(m) else {
        return;
    };
    let given = prompt
        .params
        .as_ref()
        .and_then(|params| params.get("idempotencyKey"));
    let given = given.filter(|given| !given.is_null() && key(prompt).is_none());
    if given.is_none() || !names_live_session(m.conn, prompt) {
        return;
    }
    match prompt.error_code() {
        Some(INVALID_PARAMS) => says.upheld(),
        Some(-32000) => says.unclear("the agent wants a login first"),
        other => says.broken(
            Why::new(
                "-32602 for an idempotencyKey that is no string of 1 to 255 characters",
                match other {
                    Some(code) => format!("the key was refused with {code}"),
                    None => "the prompt was accepted".to_owned(),
                },
            )
            .sent(prompt.text.clone()),
        ),
    }
});

/// PROMPT-017: a key counts in its own session only. (v2/agent.rs IdempotencyKey; derived)
const KEY_OF_ONE_SESSION: Rule = Rule::check_later(
    "ACP-PROMPT-017",
    |m, says| {
        let Some((index, prompt)) = answered(m) else {
            return;
        };
        let elsewhere = m.conn.requests[..index].iter().any(|earlier| {
            earlier.from == Side::Client
                && key(earlier).is_some()
                && key(earlier) == key(prompt)
                && session(earlier) != session(prompt)
                && message_id(earlier).is_some()
        });
        if !elsewhere || original(m.conn, index).is_some() || !names_live_session(m.conn, prompt) {
            return;
        }
        match (message_id(prompt), prompt.error_code()) {
            (Some(_), _) => says.watch(Subject::Request(index)),
            (None, Some(INVALID_PARAMS)) => says.broken(
                Why::new(
                    "a prompt of its own, though another session has used the key",
                    "a key that another session had used was refused",
                )
                .sent(prompt.text.clone()),
            ),
            _ => says.unclear("the prompt in the second session was not accepted"),
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let prompt = &m.conn.requests[index];
        let Some(id) = message_id(prompt) else {
            return Still::Moot;
        };
        if is_echoed(m.conn, prompt, id) {
            return Still::Upheld;
        }
        let twin = m.conn.requests[..index]
            .iter()
            .any(|earlier| session(earlier) != session(prompt) && message_id(earlier) == Some(id));
        match m.fact {
            Fact::Settled if twin => Still::Broken(
                Why::new(
                    "an insertion of its own in each session",
                    "the agent gave the message of another session, and inserted nothing in this one",
                )
                .sent(prompt.text.clone()),
            ),
            Fact::Settled => Still::Moot,
            _ => Still::Watching,
        }
    },
);
