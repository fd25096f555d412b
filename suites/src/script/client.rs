//! What only scripts for clients have: how the client is told what to do, and the steps of an agent.

use std::fmt;

use super::error::{Flaw, did_you_mean, one_of};
use super::line::Line;
use super::scope::Scope;
use super::steps::{named, object, patch, second_word};
use super::template::Template;
use super::{Question, StepKind, Target};

/// What a script can tell a client by its environment.
pub const TOLD: [&str; 7] = [
    "answers",
    "capabilities",
    "permission",
    "prompt",
    "cancel",
    "turns",
    "linger",
];

/// How an agent ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentExit {
    /// By itself, with this exit code.
    Code(u8),
    /// By a signal.
    Signal(Signal),
}

/// A signal that ends a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal {
    /// The name that the system has for it.
    pub name: &'static str,
    /// Its number, the same on every system that we run on.
    pub number: i32,
}

impl Signal {
    /// Those by which agents come to their ends.
    pub const ALL: [Self; 4] = [
        Self {
            name: "SIGABRT",
            number: 6,
        },
        Self {
            name: "SIGKILL",
            number: 9,
        },
        Self {
            name: "SIGSEGV",
            number: 11,
        },
        Self {
            name: "SIGTERM",
            number: 15,
        },
    ];
}

impl fmt::Display for AgentExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "{code}"),
            Self::Signal(signal) => f.write_str(signal.name),
        }
    }
}

/// `exit CODE|SIGNAL`
pub(super) fn exit(line: &mut Line<'_>) -> Result<StepKind, Flaw> {
    let (at, word) = line.word();
    let mut signals = Signal::ALL.into_iter();
    let signal = signals.find(|signal| signal.name == word);
    let how = match (word.parse(), signal) {
        (Ok(code), _) => AgentExit::Code(code),
        (_, Some(signal)) => AgentExit::Signal(signal),
        (Err(_), None) => {
            let names = Signal::ALL.map(|signal| signal.name);
            let hint = did_you_mean(word, names);
            let names = one_of(&names);
            return Err(Flaw::new(
                at,
                format!("an exit code from 0 to 255, or {names}, must stand here{hint}"),
            ));
        }
    };
    Ok(StepKind::Exit(how))
}

/// `client JSON`: an object with the members of [`TOLD`].
pub(super) fn told(line: &mut Line<'_>, scope: &Scope) -> Result<Template, Flaw> {
    let at = line.at;
    let template = object(line, "what the client is told", scope)?;
    // Whatever a variable will stand for, the names around it are known.
    let text = template.render(|_| Some("0".to_owned()));
    let read = text
        .ok()
        .and_then(|text| serde_json::from_str::<serde_json::Map<_, _>>(&text).ok());
    let unknown = read
        .iter()
        .flat_map(serde_json::Map::keys)
        .find(|name| !TOLD.contains(&name.as_str()));
    match unknown {
        Some(name) => Err(Flaw::new(
            at,
            format!(
                "a client can't be told `{name}`{}; its members are {}",
                did_you_mean(name, TOLD),
                one_of(&TOLD)
            ),
        )),
        None => Ok(template),
    }
}

/// The step is one for this kind of target.
pub(super) fn check_target(at: usize, kind: &StepKind, target: Target) -> Result<(), Flaw> {
    let wrong = match kind {
        StepKind::Open(_)
        | StepKind::Initialize { .. }
        | StepKind::Session { .. }
        | StepKind::Prompt { .. }
        | StepKind::TurnEnds { .. }
        | StepKind::CallAnnounced
        | StepKind::Fill { .. }
        | StepKind::Visit { .. } => target == Target::Client,
        StepKind::Welcome { .. }
        | StepKind::Serve { .. }
        | StepKind::Update(_)
        | StepKind::Ask { .. }
        | StepKind::EndTurn(_)
        | StepKind::NextTurn
        | StepKind::Exit(_) => target != Target::Client,
        _ => false,
    };
    if !wrong {
        return Ok(());
    }
    Err(Flaw::new(
        at,
        if target == Target::Client {
            "this is what a client does, and the target is one: here we are the agent"
        } else {
            "this is what an agent does: it stands in scripts with `target client`"
        },
    ))
}

pub(super) fn ask(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    const WHAT: [&str; 3] = ["form", "url", "permission"];
    let (at, word) = line.word();
    let question = match word {
        "form" => Question::Form(optional(line, |line| object(line, "the schema", scope))?),
        "url" => Question::Url(optional(line, |line| line.json("the URL", scope))?),
        "permission" => Question::Permission,
        _ => {
            let hint = did_you_mean(word, WHAT);
            return Err(Flaw::new(
                at,
                format!("{} must stand here{hint}", one_of(&WHAT)),
            ));
        }
    };
    let patch = patch(line, scope)?;
    named(line, scope, |name| StepKind::Ask {
        question,
        patch,
        name,
    })
}

/// What may stand here, before `with`, `as` and the end.
fn optional(
    line: &mut Line<'_>,
    read: impl FnOnce(&mut Line<'_>) -> Result<Template, Flaw>,
) -> Result<Option<Template>, Flaw> {
    if line.is_at_end() || matches!(line.peek(), "with" | "as") {
        Ok(None)
    } else {
        read(line).map(Some)
    }
}

/// `end turn [STOPREASON]`: a word, or any JSON.
pub(super) fn end_turn(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    let at = line.at;
    second_word(line, "turn")?;
    scope.check_turn(at)?;
    if line.is_at_end() {
        return Ok(StepKind::EndTurn(None));
    }
    let word = line.peek();
    let reason = if word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        && !matches!(word, "true" | "false" | "null")
    {
        line.word();
        Template::exact(format!("\"{word}\""))
    } else {
        line.json("the stop reason", scope)?
    };
    Ok(StepKind::EndTurn(Some(reason)))
}
