//! What is known at a line of a script: variables, connections, sessions, prompts. Finds before any run what could only
//! stop one.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{Flaw, crop, did_you_mean};
use super::{FIRST_CONNECTION, SESSION, StepKind, TURN, Target};

/// How many names a message tells.
const MAX_TOLD: usize = 12;

/// What a variable stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variable {
    /// `$cwd`, `$elsewhere`, `$canary`, `$version`.
    Given,
    /// An `each` value.
    Each,
    /// A session id.
    Session,
    /// A request of ours: `id`, `result`, `error`.
    Request,
    /// A message from the target: `id`, `params`.
    Message,
    /// A text that was made to a size.
    Text,
}

impl Variable {
    fn noun(self) -> &'static str {
        match self {
            Self::Given => "a variable that every script has",
            Self::Each => "an `each` variable",
            Self::Session => "a session",
            Self::Request => "a request of ours",
            Self::Message => "a message from the target",
            Self::Text => "a text",
        }
    }
}

/// What is known at a line.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    variables: BTreeMap<String, Variable>,
    connection: String,
    connected: BTreeSet<String>,
    /// `$session` has a value on some connection.
    has_session: bool,
    /// The session variables that were prompted.
    prompted: BTreeSet<String>,
    /// A `request session/prompt` whose session we don't know.
    prompted_by_request: bool,
    /// In the head, standing replies may name the session that the steps open.
    in_head: bool,
}

impl Scope {
    pub(super) fn new() -> Self {
        let given = [
            ("cwd", Variable::Given),
            ("elsewhere", Variable::Given),
            ("canary", Variable::Given),
            ("site", Variable::Given),
            ("version", Variable::Given),
        ];
        let session = (SESSION, Variable::Session);
        Self {
            variables: given
                .into_iter()
                .chain([session])
                .map(|(n, v)| (n.to_owned(), v))
                .collect(),
            connection: FIRST_CONNECTION.to_owned(),
            connected: BTreeSet::new(),
            has_session: false,
            prompted: BTreeSet::new(),
            prompted_by_request: false,
            in_head: true,
        }
    }

    /// The first step was met.
    pub(super) fn leave_head(&mut self, target: Target) {
        self.in_head = false;
        // There the session's id is ours to give.
        self.has_session |= target == Target::Client;
    }

    /// The hole at `at` names something that will have a value.
    pub(super) fn check(&self, at: usize, path: &[String]) -> Result<(), Flaw> {
        let Some(name) = path.first() else {
            return Ok(());
        };
        let Some(variable) = self.variables.get(name) else {
            let known = || self.variables.keys().map(String::as_str);
            let hint = did_you_mean(name, known()).replace("mean `", "mean `$");
            let mut all: Vec<String> = known().map(|k| format!("`${k}`")).collect();
            if all.len() > MAX_TOLD {
                all.truncate(MAX_TOLD);
                all.push("…".to_owned());
            }
            let (name, all) = (crop(name), all.join(", "));
            return Err(Flaw::new(
                at,
                format!("no variable `${name}` is known here{hint}; known are {all}"),
            ));
        };
        let members: &[&str] = match variable {
            Variable::Request => &["id", "result", "error"],
            Variable::Message => &["id", "params"],
            Variable::Given | Variable::Session | Variable::Text if path.len() > 1 => {
                return Err(Flaw::new(
                    at,
                    format!("`${name}` is {} and has no members", variable.noun()),
                ));
            }
            Variable::Session if name == SESSION && !self.in_head && !self.has_session => {
                return Err(Flaw::new(
                    at,
                    "there is no session yet: `open` or `session` sets `$session`",
                ));
            }
            Variable::Given | Variable::Session | Variable::Each | Variable::Text => {
                return Ok(());
            }
        };
        match path.get(1) {
            Some(member) if members.contains(&member.as_str()) => Ok(()),
            _ => {
                let all = members
                    .iter()
                    .map(|m| format!("`${name}.{m}`"))
                    .collect::<Vec<_>>()
                    .join(", ");
                Err(Flaw::new(
                    at,
                    format!("`${name}` is {}: it has {all}", variable.noun()),
                ))
            }
        }
    }

    /// A step at `at` may give something this name.
    pub(super) fn check_new(&self, at: usize, name: &str, step: &StepKind) -> Result<(), Flaw> {
        let kind = bound_kind(step);
        match self.variables.get(name) {
            Some(old) if Some(*old) != kind => Err(Flaw::new(
                at,
                format!("`${name}` is {} already: choose another name", old.noun()),
            )),
            _ => Ok(()),
        }
    }

    /// A name for an `each` variable.
    pub(super) fn check_new_each(&self, at: usize, name: &str) -> Result<(), Flaw> {
        match self.variables.get(name) {
            Some(old) => Err(Flaw::new(
                at,
                format!("`${name}` is {} already: choose another name", old.noun()),
            )),
            None => Ok(()),
        }
    }

    pub(super) fn bind_each(&mut self, name: &str) {
        self.variables.insert(name.to_owned(), Variable::Each);
    }

    /// `name` is a request that an earlier step gave this name.
    pub(super) fn check_request(&self, at: usize, name: &str) -> Result<(), Flaw> {
        self.check_kind(at, name, Variable::Request, "`request METHOD as NAME`")
    }

    /// `name` is a message from the target that an earlier step gave this name.
    pub(super) fn check_message(&self, at: usize, name: &str) -> Result<(), Flaw> {
        self.check_kind(at, name, Variable::Message, "`expect METHOD as NAME`")
    }

    /// `name` is a session that an earlier step opened.
    pub(super) fn check_session(&self, at: usize, name: &str) -> Result<(), Flaw> {
        if name == SESSION && !self.has_session {
            return Err(Flaw::new(
                at,
                "there is no session yet: `open` must come earlier, or `connect`, `initialize`, `session`",
            ));
        }
        self.check_kind(at, name, Variable::Session, "`session as NAME`")
    }

    fn check_kind(&self, at: usize, name: &str, kind: Variable, how: &str) -> Result<(), Flaw> {
        match self.variables.get(name) {
            Some(found) if *found == kind => Ok(()),
            Some(found) => Err(Flaw::new(
                at,
                format!(
                    "`{name}` is {}; here the name of {} must stand ({how})",
                    found.noun(),
                    kind.noun()
                ),
            )),
            None => {
                let known = self
                    .variables
                    .iter()
                    .filter(|(_, v)| **v == kind)
                    .map(|(k, _)| k.as_str());
                let hint = did_you_mean(name, known);
                Err(Flaw::new(
                    at,
                    format!("no earlier step named `{name}`{hint}; {how} must come first"),
                ))
            }
        }
    }

    /// A turn of the client can end here.
    pub(super) fn check_turn(&self, at: usize) -> Result<(), Flaw> {
        if self.variables.contains_key(TURN) {
            return Ok(());
        }
        Err(Flaw::new(
            at,
            "no turn can end here: `serve` or `next turn` must come earlier",
        ))
    }

    /// The turn of `name` can end, since it was prompted.
    pub(super) fn check_prompted(&self, at: usize, name: &str) -> Result<(), Flaw> {
        if self.prompted_by_request || self.prompted.contains(name) {
            return Ok(());
        }
        Err(Flaw::new(
            at,
            if name == SESSION {
                "no turn can end here: a `prompt` must come earlier".to_owned()
            } else {
                format!("no turn can end here: a `prompt @{name} TEXT` must come earlier")
            },
        ))
    }

    /// The step that begins at `at` has the connection that it needs.
    pub(super) fn check_connection(&self, at: usize, step: &StepKind) -> Result<(), Flaw> {
        let connected = self.connected.contains(&self.connection);
        let name = &self.connection;
        match step {
            StepKind::Open(_) | StepKind::Connect if connected => Err(Flaw::new(
                at,
                format!(
                    "connection {name} is open already: go on with `initialize` or `session`, or `close` it first"
                ),
            )),
            StepKind::On(_)
            | StepKind::Open(_)
            | StepKind::Connect
            | StepKind::Serve { .. }
            | StepKind::Text { .. } => Ok(()),
            _ if !connected => Err(Flaw::new(
                at,
                format!(
                    "connection {name} is not open: `open`, `serve` or `connect` must come first"
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Takes in what a step makes known.
    pub(super) fn apply(&mut self, step: &StepKind) {
        match step {
            StepKind::Open(_) => {
                self.connected.insert(self.connection.clone());
                self.has_session = true;
            }
            StepKind::Connect => {
                self.connected.insert(self.connection.clone());
            }
            StepKind::Serve { .. } => {
                self.connected.insert(self.connection.clone());
                self.variables.insert(TURN.to_owned(), Variable::Message);
            }
            StepKind::NextTurn => {
                self.variables.insert(TURN.to_owned(), Variable::Message);
            }
            StepKind::Close | StepKind::Terminate | StepKind::Exit(_) => {
                self.connected.remove(&self.connection);
            }
            StepKind::On(name) => self.connection.clone_from(name),
            StepKind::Session { name, .. } => {
                self.has_session |= name == SESSION;
                self.variables.insert(name.clone(), Variable::Session);
            }
            StepKind::Prompt { session, .. } => {
                self.prompted.insert(session.clone());
            }
            StepKind::Ask {
                name: Some(name), ..
            } => {
                self.variables.insert(name.clone(), Variable::Request);
            }
            StepKind::Request { method, name, .. } => {
                self.prompted_by_request |= method == "session/prompt";
                if let Some(name) = name {
                    self.variables.insert(name.clone(), Variable::Request);
                }
            }
            StepKind::Expect {
                name: Some(name), ..
            } => {
                self.variables.insert(name.clone(), Variable::Message);
            }
            StepKind::Text { name, .. } => {
                self.variables.insert(name.clone(), Variable::Text);
            }
            StepKind::Race { arms, .. } => arms.iter().for_each(|arm| self.apply(&arm.kind)),
            _ => {}
        }
    }
}

/// What the name that a step gives stands for.
fn bound_kind(step: &StepKind) -> Option<Variable> {
    match step {
        StepKind::Session { .. } => Some(Variable::Session),
        StepKind::Request { .. } | StepKind::Ask { .. } => Some(Variable::Request),
        StepKind::Expect { .. } => Some(Variable::Message),
        StepKind::Text { .. } => Some(Variable::Text),
        _ => None,
    }
}
