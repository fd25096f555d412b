//! What a script still wants of the target's requests, so that our peer does not answer them on its own.

use elenchus_suites::script::{Script, Step, StepKind, TURN, Whenever};

/// The name of the connection that a script begins on.
pub(crate) const FIRST: &str = "A";

/// The script's claims, by position. The control run has none.
#[derive(Debug, Default)]
pub(crate) struct Plan<'s> {
    /// The standing replies.
    pub(crate) standing: &'s [Whenever],
    wants: Vec<Want<'s>>,
    answers: Vec<(usize, &'s str)>,
    /// The step that is performed now.
    pub(crate) position: usize,
}

/// An `expect`.
#[derive(Debug)]
pub(crate) struct Want<'s> {
    position: usize,
    connection: &'s str,
    method: &'s str,
    /// The name that it gives to what it takes.
    pub(crate) name: Option<&'s str>,
}

impl<'s> Plan<'s> {
    pub(crate) fn of(script: &'s Script) -> Self {
        let mut plan = Self {
            standing: &script.whenever,
            ..Self::default()
        };
        let mut connection = FIRST;
        for (position, step) in script.steps.iter().enumerate() {
            plan.add(position, step, &mut connection);
        }
        plan
    }

    /// The claims of one who serves the client on the first connection, and takes so many turns.
    pub(crate) fn serving(turns: usize) -> Self {
        let mut plan = Self::default();
        for method in ["initialize", "session/new"] {
            plan.want(0, FIRST, method, None);
        }
        for _ in 0..turns {
            plan.want(0, FIRST, "session/prompt", Some(TURN));
        }
        plan
    }

    fn add(&mut self, position: usize, step: &'s Step, connection: &mut &'s str) {
        match &step.kind {
            StepKind::On(name) => *connection = name,
            StepKind::Expect { method, name } => {
                self.want(position, connection, method, name.as_deref());
            }
            StepKind::Welcome { .. } => self.want(position, connection, "initialize", None),
            StepKind::Serve { .. } => {
                self.want(position, connection, "initialize", None);
                self.want(position, connection, "session/new", None);
                self.want(position, connection, "session/prompt", Some(TURN));
            }
            StepKind::NextTurn => self.want(position, connection, "session/prompt", Some(TURN)),
            StepKind::EndTurn(_) => self.answers.push((position, TURN)),
            StepKind::Answer { name, .. }
            | StepKind::Refuse { name, .. }
            | StepKind::Fill { name, .. } => {
                self.answers.push((position, name));
            }
            StepKind::Race { arms, .. } => {
                for arm in arms {
                    self.add(position, arm, connection);
                }
            }
            _ => {}
        }
    }

    fn want(
        &mut self,
        position: usize,
        connection: &'s str,
        method: &'s str,
        name: Option<&'s str>,
    ) {
        self.wants.push(Want {
            position,
            connection,
            method,
            name,
        });
    }

    /// The step from here on that will take the `nth` (from 0) of the messages with this method that no `expect` has
    /// taken yet.
    pub(crate) fn wanted(&self, connection: &str, method: &str, nth: usize) -> Option<&Want<'s>> {
        self.wants
            .iter()
            .filter(|want| {
                want.position >= self.position
                    && want.connection == connection
                    && want.method == method
            })
            .nth(nth)
    }

    /// A step from here on answers the request with this name.
    pub(crate) fn answers(&self, name: &str) -> bool {
        self.answers
            .iter()
            .any(|(position, answered)| *position >= self.position && *answered == name)
    }
}
