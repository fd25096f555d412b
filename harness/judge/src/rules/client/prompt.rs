//! PROMPT and CMD: what a client prompts with, and when.

use elenchus_protocol::Version;
use elenchus_wire::{Side, event::Asked};
use serde_json::Value;

use super::session::{asks, capabilities_known};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Still, Subject, Why},
    rules::{
        prompt::{kind, takes},
        told::blocks,
    },
    text,
    world::Request,
};

pub(super) const RULES: &[Rule] = &[
    ONE_AT_A_TIME.at(&[REQUESTS]),
    NOT_EMPTY.at(&[REQUESTS]),
    BLOCKS.at(&[REQUESTS]),
    NOT_THE_END.at(&[ANSWERS]),
    COMMAND.at(&[REQUESTS]),
];

/// The prompt at hand.
fn prompted<'a>(m: &Moment<'a>) -> Option<&'a Request> {
    asks(m, &["session/prompt"])
}

/// PROMPT-005 (v1): one prompt at a time. (v1 prompt-turn; robustness)
const ONE_AT_A_TIME: Rule = Rule::check("ACP-PROMPT-005", |m, says| {
    let Some(turn) = prompted(m).and_then(|prompt| prompt.turn) else {
        return;
    };
    if m.conn.version() != Version::AcpV1 {
        return;
    }
    let session = &m.conn.turns[turn].session;
    let before = || {
        m.conn.turns[..turn]
            .iter()
            .filter(|it| it.session == *session)
    };
    if before().any(|it| it.ended.is_none()) {
        says.broken(Why::new(
            "a prompt once the one before is answered",
            "a prompt was sent while another one of the session was not answered",
        ));
    } else if before().next().is_some() {
        says.upheld();
    }
})
.of_client();

/// PROMPT-019: a prompt has a block, also where the user has said nothing. In v1 it is a remark.
/// (v2/agent.rs PromptRequest.prompt)
const NOT_EMPTY: Rule = Rule::check("ACP-PROMPT-019", |m, says| {
    let Some(prompt) = prompted(m) else { return };
    let listed = prompt.params.as_ref().and_then(|it| it.get("prompt"));
    let Some(listed) = listed.and_then(Value::as_array) else {
        return;
    };
    let says_nothing = |block: &Value| block.get("text").is_some_and(|text| text == "");
    match (listed.is_empty(), m.conn.version()) {
        (true, Version::AcpV2) => says.broken(Why::new(
            "a block, or no prompt",
            "a prompt was sent that has no blocks",
        )),
        (true, Version::AcpV1) => says.note("a prompt was sent that has no blocks"),
        (false, _) if listed.iter().all(says_nothing) => says.upheld(),
        (false, _) => {}
    }
})
.of_client();

/// PROMPT-020: a block beyond text and links is of a type that the agent advertises.
/// (initialization#prompt-capabilities)
const BLOCKS: Rule = Rule::check("ACP-PROMPT-020", |m, says| {
    let Some(prompt) = prompted(m).filter(|_| capabilities_known(m)) else {
        return;
    };
    for block in blocks(prompt) {
        let kind = kind(block);
        match takes(m.conn, kind) {
            Some(true) if kind != "text" => says.upheld(),
            Some(false) => says.broken(Why::new(
                "text and resource_link, and what the agent advertises",
                format!(
                    "a prompt has a block of the type {kind}, which the agent does not advertise"
                ),
            )),
            _ => {}
        }
    }
})
.of_client();

/// The client ended by itself, and not as one that is content.
fn gives_up(m: &Moment<'_>) -> bool {
    let exit = m.conn.exit.as_ref();
    exit.is_some_and(|exit| exit.code != Some(0) && exit.unasked().is_some())
}

/// STATE-011 (v2): the answer to a prompt is not the end of its work: the client neither leaves nor closes the session
/// before that. That there was work is certain when the agent had reported it. (v2 prompt-lifecycle; derived)
const NOT_THE_END: Rule = Rule::check_later(
    "ACP-STATE-011",
    |m, says| {
        if let Some((_, request)) = m.we_answered()
            && request.method == "session/prompt"
            && request.answer().is_some_and(|answer| !answer.is_error)
            && m.conn.version() == Version::AcpV2
            && m.under_test()
            && let Some(turn) = request.turn
        {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let state = m
            .conn
            .sessions
            .get(&turn.session)
            .and_then(|session| session.state.as_deref());
        let broken = |how: &str| {
            if !matches!(state, Some("running" | "requires_action")) {
                return Still::Unclear("the agent had not said that it was at work".to_owned());
            }
            Still::Broken(Why::new(
                "to wait for the session to become idle",
                format!("a prompt was answered, the work on it went on, and {how}"),
            ))
        };
        if turn.ended.is_some() {
            return Still::Upheld;
        }
        // Whoever gives up its work, or hears no more of it, may leave.
        let closed = |side| m.conn.closed.get(&side).copied();
        let let_go = closed(Side::Server)
            .is_some_and(|ours| closed(Side::Client).is_none_or(|theirs| ours < theirs));
        let forced = m
            .conn
            .exit
            .as_ref()
            .is_some_and(|exit| exit.asked != Asked::Nothing)
            && closed(Side::Server).is_none();
        if turn.cancelled.is_some() || let_go || forced {
            return Still::Moot;
        }
        match m.fact {
            Fact::Requested(_) => match asks(m, &["session/close"]) {
                Some(close)
                    if crate::rules::lifecycle::session_of(close) == Some(&turn.session) =>
                {
                    broken("the session was closed")
                }
                _ => Still::Watching,
            },
            Fact::Exited if gives_up(m) => {
                Still::Unclear("the client ended before the turn did".to_owned())
            }
            Fact::Exited | Fact::Ended if m.conn.closed.contains_key(&Side::Client) => {
                broken("the client left")
            }
            Fact::Exited | Fact::Ended => {
                Still::Unclear("the connection ended before the turn did".to_owned())
            }
            _ => Still::Watching,
        }
    },
)
.of_client();

/// CMD-006: a command is run by a prompt whose text begins with its name. What Elenchus makes up for one has a name that
/// nobody else uses; it does not stand in a request of the client's own. (slash-commands; derived)
const COMMAND: Rule = Rule::check("ACP-CMD-006", |m, says| {
    let Some((_, request)) = m.requested().filter(|_| m.judged == Side::Client) else {
        return;
    };
    let mut sessions = m.conn.sessions.values();
    let commands = || sessions.find_map(|it| (!it.shown.commands.is_empty()).then_some(&it.shown));
    let mut commands = commands;
    let Some(shown) = commands() else { return };
    let made_up = |name: &&String| name.starts_with("elenchus-");
    let Some(name) = shown.commands.iter().find(made_up) else {
        return;
    };
    if request.method == "session/prompt" {
        let run = |block: &Value| {
            let text = block.get("text").and_then(Value::as_str);
            text.is_some_and(|text| text.starts_with(&format!("/{name}")))
        };
        if blocks(request).iter().any(run) {
            says.upheld();
        }
    } else if request.method.starts_with('_') && request.text.contains(name.as_str()) {
        says.broken(Why::new(
            format!("a prompt with the text /{name}"),
            format!(
                "the command {name} was run by {}",
                text::short_to(&request.method, 60)
            ),
        ));
    }
})
.of_client();
