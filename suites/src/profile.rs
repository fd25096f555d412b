//! A profile, `elenchus.toml`: what a target's author says of it once, so that nobody has to say it on every command
//! line. `suites/README.md` has a page on it.

mod read;
mod template;

use std::{collections::BTreeMap, num::NonZeroUsize, time::Duration};

use crate::script::{Target, error::caret};

pub use read::parse;
pub use template::{Learned, template};

/// The name under which a profile is looked for.
pub const FILE: &str = "elenchus.toml";

/// Where the argument of a trigger stands in a profile's own prompt.
pub const ARGUMENT: &str = "{argument}";

/// What elicitations can be answered with by a command of a client's own.
pub const ANSWERS: [&str; 4] = ["accept", "decline", "cancel", "idle"];

/// What a profile says. What it leaves out is as it is without a profile.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// How the target is started.
    pub command: Option<Command>,
    /// The folder that it is started in, relative to the profile's own.
    pub cwd: Option<String>,
    /// What it is, if the profile says so.
    pub kind: Option<Target>,
    /// A client that speaks on its own standard input and output.
    pub direct: bool,
    /// What starts a client in place of `command` where it is to be told something by its environment: the member of a
    /// script's `client` line, its value, and the command.
    pub commands: Vec<(String, String, Command)>,
    /// Variables that are set for it.
    pub env: Vec<(String, String)>,
    /// Variables that it takes over from the environment of Elenchus.
    pub pass_env: Vec<String>,
    /// The protocol versions that it claims to speak, by their numbers.
    pub protocol: Vec<u16>,
    /// How long an answer that is owed may take.
    pub timeout: Option<Duration>,
    /// How long the first answer may take.
    pub start_timeout: Option<Duration>,
    /// How many scripts run at a time.
    pub jobs: Option<NonZeroUsize>,
    /// How it is signed in before its first session: the id of a way that it offers.
    pub auth_method: Option<String>,
    /// It may be logged in and out.
    pub allow_logout: bool,
    /// What has the effect of each trigger of the vocabulary.
    pub triggers: Triggers,
    /// What people state, where nothing on a wire can show it.
    pub attestations: Vec<Attestation>,
}

/// How a target is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// One text, quoted as for a shell.
    Line(String),
    /// The program and its arguments.
    Words(Vec<String>),
}

/// What has the effect of the triggers of the vocabulary, with a target that does not speak all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Triggers {
    /// By name; the others are as the vocabulary has them, or as `others` says.
    pub named: BTreeMap<String, Own>,
    /// Nothing has the effect of any other trigger.
    pub no_others: bool,
}

/// What has the effect of a trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Own {
    /// This prompt, in which [`ARGUMENT`] stands for what follows the command.
    Prompt(String),
    /// Nothing.
    None,
}

/// What a prompt of the vocabulary is with a certain target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spoken {
    /// The prompt as it is.
    AsItIs,
    /// Another one of the same effect.
    Otherwise(String),
    /// The prompt that has its effect has no room for its argument.
    NoRoom,
}

impl Triggers {
    /// The target is not expected to understand this command as the vocabulary has it.
    pub fn replaces(&self, name: &str) -> bool {
        self.no_others || self.named.contains_key(name)
    }

    /// Nothing has the effect of this trigger.
    pub fn excludes(&self, name: &str) -> bool {
        match self.named.get(name) {
            Some(own) => *own == Own::None,
            None => self.no_others,
        }
    }

    /// What is sent for a prompt that begins with the command `name`.
    pub fn spoken(&self, name: &str, prompt: &str) -> Spoken {
        let Some(Own::Prompt(own)) = self.named.get(name) else {
            return Spoken::AsItIs;
        };
        let argument = prompt.strip_prefix(name).unwrap_or_default().trim();
        if own.contains(ARGUMENT) {
            Spoken::Otherwise(own.replace(ARGUMENT, argument))
        } else if argument.is_empty() {
            Spoken::Otherwise(own.clone())
        } else {
            Spoken::NoRoom
        }
    }
}

/// A person's statement that a requirement is met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attestation {
    /// The requirement.
    pub requirement: String,
    /// Who states it.
    pub who: String,
    /// The day, as `2026-11-30`.
    pub when: String,
    /// What was looked at, or what else a reader should know.
    pub note: Option<String>,
    /// The line in which it begins, from 1.
    pub line: u32,
}

/// Why a profile could not be read: where, what, and what to type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct ProfileError {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// What is wrong, and what may stand there.
    pub message: String,
    /// The line's text, for the caret.
    pub text: String,
}

impl ProfileError {
    /// The error over several lines: the message, the line, and a caret below the place.
    pub fn caret(&self) -> String {
        format!("{self}\n{}", caret(self.line, self.column, &self.text))
    }
}
