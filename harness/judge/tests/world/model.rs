//! The model: plain lists, in which everything is looked for from the beginning.

use elenchus_protocol::Version;
use elenchus_wire::Side;

/// Ids as they are written, and what each means: those of one meaning are one id to a reader.
pub(crate) const IDS: &[(&str, u8)] = &[
    ("0", 0),
    ("-0.0", 0),
    ("1", 1),
    ("1.0", 1),
    ("10e-1", 1),
    ("\"1\"", 2),
    ("\"\\u0031\"", 2),
    ("null", 3),
    ("\"null\"", 4),
    ("9007199254740993", 5),
    ("9007199254740992", 6),
];

pub(crate) const SESSIONS: &[&str] = &["s", "t"];

/// What a side does.
#[derive(Debug, Clone)]
pub(crate) enum Move {
    /// Asks for something that no protocol has.
    Ask { from: Side, id: usize },
    /// The client prompts a session.
    Prompt { id: usize, session: usize },
    /// Answers the request of the other side with this id, if there is one.
    Answer { from: Side, id: usize, error: bool },
    /// Asks to cancel its own request.
    CancelRequest { from: Side, id: usize },
    /// The client cancels the work of a session.
    CancelTurns { session: usize },
    /// The agent says how a session is (v2).
    State { session: usize, state: State },
    /// The target has said all that it had to say.
    Settle,
}

/// The states of a session, with the reason where it stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Idle,
    IdleCancelled,
}

/// A request, by the number of the event that carried it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) from: Side,
    pub(crate) id: usize,
    /// The events that answered it.
    pub(crate) answers: Vec<u64>,
    /// How often its sender asked to cancel it.
    pub(crate) cancels: u32,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) request: usize,
    pub(crate) session: usize,
    pub(crate) cancels: u32,
    pub(crate) running: bool,
    pub(crate) ended: Option<u64>,
}

/// What a conversation on one connection adds up to.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    version: Version,
    pub(crate) asked: Vec<Asked>,
    pub(crate) turns: Vec<Turn>,
    /// Responses that answer nothing, by side.
    pub(crate) orphans: Vec<(Side, usize)>,
}

impl Model {
    pub(crate) fn new(version: Version) -> Self {
        Self {
            version,
            asked: Vec::new(),
            turns: Vec::new(),
            orphans: Vec::new(),
        }
    }

    /// What the event with this number changes.
    pub(crate) fn apply(&mut self, seq: u64, action: &Move) {
        match *action {
            Move::Ask { from, id } => self.ask(from, id),
            Move::Prompt { id, session } => {
                self.turns.push(Turn {
                    request: self.asked.len(),
                    session,
                    cancels: 0,
                    running: false,
                    ended: None,
                });
                self.ask(Side::Client, id);
            }
            Move::Answer { from, id, error } => self.answer(seq, from, id, error),
            Move::CancelRequest { from, id } => {
                let newest = self.alike(from, id).last();
                if let Some(request) = newest {
                    self.asked[request].cancels += 1;
                }
            }
            Move::CancelTurns { session } => {
                let open = self.turns.iter_mut().filter(|turn| turn.ended.is_none());
                for turn in open.filter(|turn| turn.session == session) {
                    turn.cancels += 1;
                }
            }
            Move::State { session, state } if self.version == Version::AcpV2 => {
                self.state(seq, session, state);
            }
            Move::State { .. } | Move::Settle => {}
        }
    }

    fn ask(&mut self, from: Side, id: usize) {
        self.asked.push(Asked {
            from,
            id,
            answers: Vec::new(),
            cancels: 0,
        });
    }

    /// The requests of a side whose id means the same, oldest first.
    fn alike(&self, from: Side, id: usize) -> impl Iterator<Item = usize> {
        let same = move |asked: &&Asked| asked.from == from && IDS[asked.id].1 == IDS[id].1;
        let alike: Vec<usize> = (0..self.asked.len())
            .filter(|index| same(&&self.asked[*index]))
            .collect();
        alike.into_iter()
    }

    /// An answer is for the oldest request with its id that has none; where all have one, it is one too many for the
    /// request that was answered last.
    fn answer(&mut self, seq: u64, from: Side, id: usize, error: bool) {
        let alike: Vec<usize> = self.alike(from.other(), id).collect();
        let open = alike
            .iter()
            .find(|index| self.asked[**index].answers.is_empty());
        let latest = alike
            .iter()
            .max_by_key(|index| self.asked[**index].answers.first());
        let Some(&request) = open.or(latest) else {
            self.orphans.push((from, id));
            return;
        };
        self.asked[request].answers.push(seq);
        let first = self.asked[request].answers.len() == 1;
        // In version 1 the answer to the prompt is the end of its turn; in version 2 only an error is.
        let over = first && (error || self.version == Version::AcpV1);
        if let Some(turn) = self.turns.iter_mut().find(|turn| turn.request == request)
            && over
            && turn.ended.is_none()
        {
            turn.ended = Some(seq);
        }
    }

    /// The turn of a session that an update is about, if one is open: of several, in version 1 the last, in version 2
    /// the first whose prompt has an answer, or else the first.
    pub(crate) fn working(&self, session: usize) -> Option<usize> {
        let is_open = |turn: &usize| {
            self.turns[*turn].session == session && self.turns[*turn].ended.is_none()
        };
        let open: Vec<usize> = (0..self.turns.len()).filter(is_open).collect();
        let accepted = |turn: &&usize| !self.asked[self.turns[**turn].request].answers.is_empty();
        match self.version {
            Version::AcpV1 => open.last().copied(),
            Version::AcpV2 => open.iter().find(accepted).or(open.first()).copied(),
        }
    }

    fn state(&mut self, seq: u64, session: usize, state: State) {
        let Some(working) = self.working(session) else {
            return;
        };
        if state == State::Running {
            self.turns[working].running = true;
            return;
        }
        // What ends as cancelled is the work that was cancelled, though a prompt was sent behind the cancellation.
        let mut open = self.turns.iter();
        let oldest = open.position(|turn| turn.session == session && turn.ended.is_none());
        let meant = oldest
            .filter(|oldest| state == State::IdleCancelled && self.turns[*oldest].cancels > 0)
            .unwrap_or(working);
        let turn = &self.turns[meant];
        // A session that is idle before the work began is not at its end.
        if turn.running || !self.asked[turn.request].answers.is_empty() {
            self.turns[meant].ended = Some(seq);
        }
    }
}
