//! CMD: the commands that an agent advertises, and prompts that look like one.

use std::collections::BTreeSet;

use elenchus_protocol::{Version, acp::shapes::Part};
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    calls::{defined, tell_places, update},
    prompt,
    told::{at, blocks, param},
};
use crate::{
    fact::{Moment, Payload},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::Request,
};

pub(super) const RULES: &[Rule] = &[
    SHAPE.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    TYPE.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    NAMES.at(&[ANSWERS, NOTIFICATIONS]),
    AFTER_SESSION.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    PROMPTS.at(&[REQUESTS]),
];

/// The list of commands in a message of the agent.
struct Listed<'a> {
    /// What the message is.
    what: &'a str,
    /// The pointer to the list.
    place: &'static str,
    params: &'a Value,
}

impl<'a> Listed<'a> {
    fn at(m: &Moment<'a>) -> Option<Self> {
        if let Some(("available_commands_update", params)) = update(m) {
            let what = "available_commands_update";
            let place = "/update/availableCommands";
            return Some(Self {
                what,
                place,
                params,
            });
        }
        let Payload {
            from,
            method,
            part,
            value,
        } = m.payload()?;
        let set_up = from == Side::Server
            && part == Part::Result
            && m.conn.version() == Version::AcpV2
            && matches!(method, "session/new" | "session/resume");
        (set_up && value.get("availableCommands").is_some()).then_some(Self {
            what: method,
            place: "/availableCommands",
            params: value,
        })
    }

    fn commands(&self) -> impl Iterator<Item = (String, &'a Value)> {
        let listed = at(self.params, self.place).and_then(Value::as_array);
        let listed = listed.into_iter().flatten().enumerate();
        let place = self.place;
        listed.map(move |(index, command)| (format!("{place}/{index}"), command))
    }

    /// The pointer is to the type of a command.
    fn is_type(&self, pointer: &str) -> bool {
        let rest = pointer.strip_prefix(self.place);
        let mut names = rest.unwrap_or_default().split('/').skip(2);
        names.next() == Some("type") && names.next().is_none()
    }
}

/// CMD-001: a command has a name and a description; its input, if it takes any, a hint. (slash-commands)
const SHAPE: Rule = Rule::check("ACP-CMD-001", |m, says| {
    let Some(listed) = Listed::at(m) else { return };
    let broken = tell_places(m, says, listed.what, |pointer| {
        pointer.starts_with(listed.place) && !listed.is_type(pointer)
    });
    if broken {
        return;
    }
    let v2 = m.conn.version() == Version::AcpV2;
    for (place, command) in listed.commands() {
        // An entry of another type has members of its own.
        if v2 && command.get("type").is_some_and(|kind| kind != "command") {
            continue;
        }
        let kind = command.pointer("/input/type").and_then(Value::as_str);
        match kind.filter(|_| v2) {
            Some(kind) => defined(m, says, &format!("{place}/input/type"), kind, &["text"]),
            None => says.upheld(),
        }
    }
});

/// CMD-002 (v2): a command has a type, which is command or an extension. (v2/client.rs AvailableCommand)
const TYPE: Rule = Rule::check("ACP-CMD-002", |m, says| {
    let Some(listed) = Listed::at(m).filter(|_| m.conn.version() == Version::AcpV2) else {
        return;
    };
    if tell_places(m, says, listed.what, |pointer| listed.is_type(pointer)) {
        return;
    }
    for (place, command) in listed.commands() {
        match command.get("type").and_then(Value::as_str) {
            // A draft that is not part of the protocol yet has these.
            Some("skill") => says.note(format!("{place} is a skill, which is a draft")),
            Some(kind) => defined(m, says, &format!("{place}/type"), kind, &["command"]),
            None => {}
        }
    }
});

/// CMD-003 (v2): the name of a command has no whitespace and no slash before it, and stands once in the list.
/// (v2/client.rs Command.name)
const NAMES: Rule = Rule::check("ACP-CMD-003", |m, says| {
    let Some(listed) = Listed::at(m) else { return };
    let mut seen = BTreeSet::new();
    for (place, command) in listed.commands() {
        let kind = command.get("type").and_then(Value::as_str);
        let name = command.get("name").and_then(Value::as_str);
        let Some(name) = name.filter(|_| kind.is_none_or(|kind| kind == "command")) else {
            continue;
        };
        let shown = text::short_to(name, 60);
        let fault = if name.contains(char::is_whitespace) {
            Some("has whitespace in it")
        } else if name.starts_with('/') {
            Some("begins with the slash")
        } else if !seen.insert(name) {
            Some("stands in the list twice")
        } else {
            None
        };
        match (fault, m.conn.version()) {
            (None, Version::AcpV2) => says.upheld(),
            (Some(fault), Version::AcpV2) => says.broken(Why::new(
                format!("{place}/name: without whitespace, without the slash, once in the list"),
                format!("the command name `{shown}` {fault}"),
            )),
            (Some(fault), Version::AcpV1) => {
                says.note(format!("the command name `{shown}` {fault}"));
            }
            (None, Version::AcpV1) => {}
        }
    }
});

/// CMD-004: commands are told for a session that the client knows of. Version 2 lets them come before the answer that
/// makes it known. A session that is never known is SESSION-012's. (slash-commands#advertising-commands; robustness)
const AFTER_SESSION: Rule = Rule::check_later(
    "ACP-CMD-004",
    |m, says| {
        let Some(("available_commands_update", params)) = update(m) else {
            return;
        };
        let session = params.get("sessionId").and_then(Value::as_str);
        let Some(session) = session.filter(|_| m.conn.init.request.is_some()) else {
            return;
        };
        let known = m.conn.sessions.get(session);
        if known.is_some_and(|session| session.known) {
            says.upheld();
        } else if m.conn.version() == Version::AcpV1 {
            says.watch_for(Subject::Connection, session);
        }
    },
    |m, watch| {
        let made = m.answered().is_some_and(|(_, request)| {
            let id = request.result().and_then(|result| result.get("sessionId"));
            id.and_then(Value::as_str) == Some(watch.memo.as_str())
        });
        if !made {
            return Still::Watching;
        }
        Still::Broken(
            Why::new(
                "commands after the answer that makes the session known",
                format!(
                    "commands were told for the session {} before the client had heard of it",
                    text::short_to(&watch.memo, 60)
                ),
            )
            .at(watch.opened),
        )
    },
);

/// What a prompt that begins with a slash is.
fn is_command(m: &Moment<'_>, prompt: &Request) -> Option<&'static str> {
    let [block] = blocks(prompt) else { return None };
    let text = block.get("text").filter(|_| block["type"] == "text")?;
    let word = text
        .as_str()?
        .strip_prefix('/')?
        .split_whitespace()
        .next()?;
    if super::lifecycle::made_up(word) {
        return Some(UNKNOWN);
    }
    let session = m.conn.sessions.get(param(prompt, "sessionId")?)?;
    let advertised = session.shown.commands.iter().any(|name| name == word);
    advertised.then_some(ADVERTISED)
}

const UNKNOWN: &str = "a prompt that begins like a command, which there is not,";
const ADVERTISED: &str = "a prompt with a command that the agent advertises";

/// CMD-007: a prompt that begins with a slash is taken like any other, be it a command or not. Of the errors, only those
/// that refuse it as what it is count, and only where nothing else of the prompt is odd. (slash-commands#running-commands; robustness)
const PROMPTS: Rule = Rule::check_later(
    "ACP-CMD-007",
    |m: &Moment<'_>, says: &mut Says| {
        let Some((index, prompt)) = m.asked().filter(|(_, it)| it.method == "session/prompt")
        else {
            return;
        };
        let what = is_command(m, prompt).filter(|_| prompt::is_sound(m.conn, prompt));
        if let Some(what) = what {
            says.watch_for(Subject::Request(index), what);
        }
    },
    |m: &Moment<'_>, watch: &Watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let prompt = &m.conn.requests[index];
        match prompt.error_code() {
            Some(code @ (-32601 | -32602)) => Still::Broken(
                Why::new(
                    "the turn of an ordinary prompt",
                    format!("{} was refused with {code}", watch.memo),
                )
                .sent(prompt.text.clone()),
            ),
            Some(code) => Still::Unclear(format!("the prompt failed with {code}")),
            None if watch.memo == UNKNOWN => prompt::survives(m, watch, UNKNOWN),
            None if !prompt.is_open() => Still::Upheld,
            None => Still::Watching,
        }
    },
);
