//! The world: what a trace adds up to. It is a fold, total over any event sequence, and symmetric: both directions
//! are folded the same way, and which side is judged is the rules' argument.

mod chosen;
mod conn;
mod echo;
mod fold;
mod lines;
mod model;
mod orders;
mod payload;
mod shown;
mod uttered;

use std::collections::BTreeMap;

use elenchus_protocol::Version;
use elenchus_wire::{Event, event::Premise};

use crate::fact::Fact;

pub use chosen::Chosen;
pub use conn::Conn;
pub use model::{
    Again, Answered, Call, Elicitation, Exit, Init, Leak, Line, Link, Notification, Odd, OddKind,
    Orphan, ParamsKind, Request, Session, Told, TraceTrigger, Turn, TurnEnd, Written,
};
pub(crate) use orders::ANSWERS;
pub use orders::{Order, Orders};
pub(crate) use payload::member;
pub(crate) use shown::MAX_LISTS;
pub use shown::{Plan, Shown, Step};
pub use uttered::Uttered;

/// Everything that a trace has shown so far.
#[derive(Debug, Clone)]
pub struct World {
    /// The connections, by number.
    pub conns: BTreeMap<u32, Conn>,
    /// What control runs established.
    pub premises: Vec<Premise>,
    /// The version that the run is about, until a connection has negotiated one.
    pub version: Version,
    /// The target sent more than a trace may hold, and what came after that was not recorded.
    pub limited: bool,
    /// It was overheard what two programs said to each other: no script asked for any of it.
    pub overheard: bool,
}

impl World {
    /// An empty world in a run of this version.
    pub fn new(version: Version) -> Self {
        Self {
            conns: BTreeMap::new(),
            premises: Vec::new(),
            version,
            limited: false,
            overheard: false,
        }
    }

    /// The control run saw this trigger elicit in this mode, with everything advertised.
    pub fn elicits(&self, trigger: &str, mode: &str) -> bool {
        self.premises.iter().any(|premise| {
            matches!(premise, Premise::Elicits { trigger: t, mode: m } if t == trigger && m == mode)
        })
    }

    /// The target speaks this version: declared by the operator, or seen in its traffic.
    pub fn speaks(&self, version: u16) -> bool {
        self.premises
            .iter()
            .any(|premise| matches!(premise, Premise::Speaks { version: v } if *v == version))
    }

    /// The control run asked for every version, so that what it does not name is not spoken.
    pub fn versions_known(&self) -> bool {
        self.premises.contains(&Premise::AllVersionsProbed)
    }

    /// The greatest version that the target is known to speak.
    pub fn greatest_version(&self) -> Option<u16> {
        self.premises
            .iter()
            .filter_map(|premise| match premise {
                Premise::Speaks { version } => Some(*version),
                _ => None,
            })
            .max()
    }

    /// The control run could not even open an ordinary session.
    pub fn opens_no_session(&self) -> bool {
        self.premises.contains(&Premise::OpensNoSession)
    }

    /// In the control run not even an ordinary turn ended.
    pub fn ends_no_turn(&self) -> bool {
        self.opens_no_session() || self.premises.contains(&Premise::EndsNoTurn)
    }

    /// The same command answers on a terminal, and not over pipes.
    pub fn answers_on_terminal_only(&self) -> bool {
        self.premises.contains(&Premise::AnswersOnTerminalOnly)
    }

    /// The control run saw the client do what this variable tells it.
    pub fn heeds(&self, variable: &str) -> bool {
        self.premises
            .iter()
            .any(|premise| matches!(premise, Premise::Heeds { variable: v } if v == variable))
    }

    /// Takes the next event and appends what changed.
    pub fn apply(&mut self, event: &Event, facts: &mut Vec<Fact>) {
        fold::apply(self, event, facts);
    }
}
