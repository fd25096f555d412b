//! Kinds of facts: a rule says at which it has something to say, and is not asked at others.

use crate::fact::Fact;

/// A kind of fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind(u8);

/// How many there are.
pub(crate) const COUNT: usize = 23;

pub(crate) const OPENINGS: Kind = Kind(0);
pub(crate) const LINES: Kind = Kind(1);
pub(crate) const DEFECTS: Kind = Kind(2);
pub(crate) const NOISE: Kind = Kind(3);
pub(crate) const SPLITS: Kind = Kind(4);
pub(crate) const REQUESTS: Kind = Kind(5);
pub(crate) const NOTIFICATIONS: Kind = Kind(6);
/// All answers to a request, not only the first.
pub(crate) const ANSWERS: Kind = Kind(7);
pub(crate) const ORPHANS: Kind = Kind(8);
pub(crate) const TURN_STARTS: Kind = Kind(9);
pub(crate) const TURN_ENDS: Kind = Kind(10);
pub(crate) const TRIGGERS: Kind = Kind(11);
pub(crate) const VISITS: Kind = Kind(12);
pub(crate) const SHOWN: Kind = Kind(13);
pub(crate) const TYPED: Kind = Kind(14);
pub(crate) const LEAKS: Kind = Kind(15);
pub(crate) const SETTLED: Kind = Kind(16);
pub(crate) const URLS: Kind = Kind(17);
pub(crate) const DEADLINES: Kind = Kind(18);
pub(crate) const CLOSES: Kind = Kind(19);
pub(crate) const EXITS: Kind = Kind(20);
pub(crate) const STOPS: Kind = Kind(21);
pub(crate) const ENDS: Kind = Kind(22);

impl Kind {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(COUNT)
    }

    pub(crate) const fn of(fact: &Fact) -> Self {
        match fact {
            Fact::Opened => OPENINGS,
            Fact::Line(_) => LINES,
            Fact::Defect(..) => DEFECTS,
            Fact::Noise(_) => NOISE,
            Fact::Split { .. } => SPLITS,
            Fact::Requested(_) => REQUESTS,
            Fact::Notified(_) => NOTIFICATIONS,
            Fact::Answered { .. } => ANSWERS,
            Fact::Orphan(_) => ORPHANS,
            Fact::TurnStarted(_) => TURN_STARTS,
            Fact::TurnEnded(_) => TURN_ENDS,
            Fact::Triggered(_) => TRIGGERS,
            Fact::Visited(_) => VISITS,
            Fact::Shown(_) => SHOWN,
            Fact::Typed(_) => TYPED,
            Fact::Leaked(_) => LEAKS,
            Fact::Settled => SETTLED,
            Fact::UrlOpened | Fact::UrlFetched => URLS,
            Fact::Deadline(_) => DEADLINES,
            Fact::Closed(_) => CLOSES,
            Fact::Exited => EXITS,
            Fact::Stopped => STOPS,
            Fact::Ended => ENDS,
        }
    }

    pub(crate) const fn place(self) -> usize {
        self.0 as usize
    }

    /// A frame as it crossed the wire, and what is wrong with it, rather than what it means.
    pub(crate) const fn is_line(self) -> bool {
        matches!(self, LINES | DEFECTS)
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u32);

impl Kinds {
    /// All but lines and their defects.
    pub(crate) const MEANT: Self = Self(((1 << COUNT) - 1) & !(1 << LINES.0) & !(1 << DEFECTS.0));

    pub(crate) const fn list(kinds: &[Kind]) -> Self {
        let mut set = 0;
        let mut rest = kinds;
        while let [first, others @ ..] = rest {
            set |= 1 << first.0;
            rest = others;
        }
        Self(set)
    }

    pub(crate) const fn has(self, kind: Kind) -> bool {
        self.0 & 1 << kind.0 != 0
    }
}
