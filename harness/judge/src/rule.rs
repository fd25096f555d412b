//! What a rule is, and what it can say.

use elenchus_wire::Side;

use crate::{
    fact::Moment,
    kinds::{Kind, Kinds},
};

/// How the engine treats the watches that a rule opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Judged at once; opens no watch.
    Check,
    /// Its watches must be fulfilled: a deadline on the watch's subject breaks them.
    Duty {
        /// What the clause asks for, shown when the deadline passes.
        overdue: &'static str,
    },
    /// Its watches must not see the forbidden thing: they are upheld when the conversation settles or closes cleanly.
    Ban,
}

/// The code that judges one requirement.
#[derive(Clone, Copy)]
pub struct Rule {
    /// The requirement.
    pub id: &'static str,
    /// The sides that it binds.
    pub binds: &'static [Side],
    /// How its watches end.
    pub shape: Shape,
    /// The kinds of facts that it looks at.
    pub at: Kinds,
    /// It judges itself what is certain of turns that overlap, and of sessions that are let go or taken up once more.
    /// Of all others the engine takes nothing for broken there.
    pub tangles: bool,
    /// Looks at a fact: says what is upheld, broken or unclear at once, and opens watches.
    pub look: fn(&Moment<'_>, &mut Says),
    /// Looks at a fact on behalf of an open watch. Lines and their defects are no such facts.
    pub still: fn(&Moment<'_>, &Watch) -> Still,
}

const SERVER: &[Side] = &[Side::Server];
const CLIENT: &[Side] = &[Side::Client];
const BOTH: &[Side] = &[Side::Client, Side::Server];

impl Rule {
    /// A check on what an agent does.
    pub(crate) const fn check(id: &'static str, look: fn(&Moment<'_>, &mut Says)) -> Self {
        Self {
            id,
            binds: SERVER,
            shape: Shape::Check,
            at: Kinds::MEANT,
            tangles: false,
            look,
            still: |_, _| Still::Moot,
        }
    }

    /// A check whose verdict needs what comes later: its watches are decided by `still` alone.
    pub(crate) const fn check_later(
        id: &'static str,
        look: fn(&Moment<'_>, &mut Says),
        still: fn(&Moment<'_>, &Watch) -> Still,
    ) -> Self {
        Self {
            id,
            binds: SERVER,
            shape: Shape::Check,
            at: Kinds::MEANT,
            tangles: false,
            look,
            still,
        }
    }

    /// A ban on what an agent does.
    pub(crate) const fn ban(
        id: &'static str,
        look: fn(&Moment<'_>, &mut Says),
        still: fn(&Moment<'_>, &Watch) -> Still,
    ) -> Self {
        Self {
            id,
            binds: SERVER,
            shape: Shape::Ban,
            at: Kinds::MEANT,
            tangles: false,
            look,
            still,
        }
    }

    /// A duty of an agent.
    pub(crate) const fn duty(
        id: &'static str,
        overdue: &'static str,
        look: fn(&Moment<'_>, &mut Says),
        still: fn(&Moment<'_>, &Watch) -> Still,
    ) -> Self {
        Self {
            id,
            binds: SERVER,
            shape: Shape::Duty { overdue },
            at: Kinds::MEANT,
            tangles: false,
            look,
            still,
        }
    }

    /// The same rule, which looks at facts of these kinds only. Where nothing is said, it looks at all but lines and their
    /// defects.
    pub(crate) const fn at(self, kinds: &[Kind]) -> Self {
        Self {
            at: Kinds::list(kinds),
            ..self
        }
    }

    /// The same rule, which is about turns that overlap, or sessions that are let go.
    pub(crate) const fn of_tangles(self) -> Self {
        Self {
            tangles: true,
            ..self
        }
    }

    /// What the same rule is for clients, where the catalogue has a row of its own for them.
    pub(crate) const fn for_clients(self, id: &'static str) -> Self {
        Self {
            id,
            binds: CLIENT,
            ..self
        }
    }

    /// The same rule, binding clients alone.
    pub(crate) const fn of_client(self) -> Self {
        Self {
            binds: CLIENT,
            ..self
        }
    }

    /// The same rule, binding both sides.
    pub(crate) const fn of_both(self) -> Self {
        Self {
            binds: BOTH,
            ..self
        }
    }
}

/// Where a rule says what it sees at a fact.
#[derive(Debug, Default)]
pub struct Says {
    /// Something was said.
    pub(crate) anything: bool,
    pub(crate) upheld: u32,
    pub(crate) unclear: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) broken: Vec<Why>,
    pub(crate) watches: Vec<(Option<u32>, Subject, String)>,
}

impl Says {
    /// The situation arose and was met.
    pub fn upheld(&mut self) {
        self.anything = true;
        self.upheld += 1;
    }

    /// The situation arose, and nothing certain can be said.
    pub fn unclear(&mut self, reason: impl Into<String>) {
        self.anything = true;
        self.unclear.push(reason.into());
    }

    /// A remark that never counts.
    pub fn note(&mut self, note: impl Into<String>) {
        self.anything = true;
        self.notes.push(note.into());
    }

    /// The clause was broken.
    pub fn broken(&mut self, why: Why) {
        self.anything = true;
        self.broken.push(why);
    }

    /// Upheld if the condition holds, broken otherwise.
    pub fn holds(&mut self, condition: bool, why: impl FnOnce() -> Why) {
        if condition {
            self.upheld();
        } else {
            self.broken(why());
        }
    }

    /// An obligation or a ban begins here.
    pub fn watch(&mut self, subject: Subject) {
        self.anything = true;
        self.watches.push((None, subject, String::new()));
    }

    /// The same, remembering a text for `still`.
    pub fn watch_for(&mut self, subject: Subject, memo: impl Into<String>) {
        self.anything = true;
        self.watches.push((None, subject, memo.into()));
    }

    /// The same, about another connection.
    pub fn watch_on(&mut self, conn: u32, subject: Subject, memo: impl Into<String>) {
        self.anything = true;
        self.watches.push((Some(conn), subject, memo.into()));
    }
}

/// Why a clause was broken, told to the target's author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// What the clause asks for here.
    pub expected: String,
    /// One sentence.
    pub why: String,
    /// What came back; the frame at hand if none is given.
    pub got: Option<String>,
    /// What we had sent; the newest frame of ours if none is given.
    pub sent: Option<String>,
    /// The event that broke it; the one at hand if none is given.
    pub at: Option<u64>,
}

impl Why {
    /// What was expected, and one sentence about what happened instead.
    pub fn new(expected: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            why: why.into(),
            got: None,
            sent: None,
            at: None,
        }
    }

    /// With this as what came back.
    #[must_use]
    pub fn got(mut self, got: impl Into<String>) -> Self {
        self.got = Some(got.into());
        self
    }

    /// With this as what we had sent.
    #[must_use]
    pub fn sent(mut self, sent: impl Into<String>) -> Self {
        self.sent = Some(sent.into());
        self
    }

    /// With an earlier event as the one that broke it: what came back is the frame behind that.
    #[must_use]
    pub fn at(mut self, seq: u64) -> Self {
        self.at = Some(seq);
        self
    }
}

/// What a watch is about. A deadline breaks a duty only if it names the same subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A request, by its index in its connection.
    Request(usize),
    /// A turn, by its index in its connection.
    Turn(usize),
    /// The whole connection.
    Connection,
}

/// An open obligation or ban.
#[derive(Debug, Clone)]
pub struct Watch {
    pub(crate) rule: usize,
    pub(crate) conn: u32,
    /// The event that opened it.
    pub opened: u64,
    /// What it is about.
    pub subject: Subject,
    /// What the rule wanted remembered.
    pub memo: String,
}

/// What has become of a watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Still {
    /// Nothing yet.
    Watching,
    /// The clause was met.
    Upheld,
    /// The clause was broken.
    Broken(Why),
    /// Nothing certain can be said.
    Unclear(String),
    /// The target was quicker than what raced it, so that nothing can be said: counted, and neither pass nor fail.
    Lost(String),
    /// The situation went away.
    Moot,
}
