//! One connection: its requests in both directions, its sessions and turns, and what is known of their order.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use elenchus_protocol::Version;
use elenchus_wire::{IdKey, Side, event::Asked};
use serde_json::Value;

use super::model::{
    Exit, Init, Leak, Line, Notification, Odd, Orphan, Request, Session, TraceTrigger, Turn,
    TurnEnd,
};
use super::{chosen::Chosen, echo::Echo, lines::Fragment, orders::Orders, uttered::Uttered};

/// A connection to the target.
#[derive(Debug, Clone)]
pub struct Conn {
    /// Its number.
    pub id: u32,
    /// The side that the target is on.
    pub target: Side,
    /// What the client was told by its environment.
    pub orders: Orders,
    /// What `initialize` established.
    pub init: Init,
    /// All requests, in both directions, in the order seen.
    pub requests: Vec<Request>,
    /// All notifications, likewise.
    pub notifications: Vec<Notification>,
    /// The agent's session updates, in the order seen.
    pub uttered: Vec<Uttered>,
    /// Its events have times. Those of a recorder without a clock stand still, or count the events.
    pub timed: bool,
    /// None was left out for lack of room.
    pub uttered_all: bool,
    pub(crate) uttered_weight: usize,
    /// What the agent has told, outside of answers, of modes and options that are chosen.
    pub chosen: Vec<Chosen>,
    /// None was left out for lack of room.
    pub chosen_all: bool,
    pub(crate) chosen_weight: usize,
    /// Responses that answer nothing.
    pub orphans: Vec<Orphan>,
    /// The URL elicitations that have each `elicitationId`, in the order seen.
    pub issued: HashMap<String, Vec<usize>>,
    /// The first `elicitation/complete` of the agent for each id.
    pub completed: HashMap<String, u64>,
    /// The planted texts that crossed the wire.
    pub leaks: Vec<Leak>,
    /// Sessions by id.
    pub sessions: BTreeMap<String, Session>,
    /// Turns, in the order begun.
    pub turns: Vec<Turn>,
    /// Those that have not ended, in order: a long conversation has many turns, and few at a time.
    pub(super) open_turns: Vec<usize>,
    /// The triggers that were announced.
    pub triggers: Vec<TraceTrigger>,
    /// The envelope of the frame at hand.
    pub line: Option<Line>,
    /// Everything of ours up to this event has been read by the target: its newest answered request.
    pub read_mark: u64,
    /// A frame that not every reader takes for a JSON-RPC message was sent to the target, or is about to be: an error
    /// with a null id may answer it.
    pub malformed: bool,
    /// The newest frame of that kind.
    pub odd: Option<Odd>,
    /// The event of our newest frame that not every reader takes for a message.
    pub unsound: Option<u64>,
    /// How often the target's end was waited for in vain.
    pub lingered: u32,
    /// The target's newest frame had no line end: its event, and whether it is a whole response.
    pub cut: Option<(u64, bool)>,
    /// A response that answers nothing was sent to the target.
    pub strayed: bool,
    /// Two requests to the target were open with one id: which of them its answers are for can no longer be told.
    pub twins: bool,
    /// A frame was sent to the target that a careless line splitter would take for several.
    pub separators: bool,
    /// Which sides have sent a notification.
    pub notified: [bool; 2],
    /// The newest event at which each side gave the other something to read: a frame, or the end.
    pub newest: [Option<u64>; 2],
    /// When the page of a URL elicitation was opened, and whose.
    pub visits: Vec<(u64, usize)>,
    /// The URLs that the target opened for a person, with their events; the first few.
    pub opened: Vec<(u64, String)>,
    /// The URLs of the harness's own web server that were fetched, with their events; the first few.
    pub fetched: Vec<(u64, String)>,
    /// When the target was last settled.
    pub settled: Option<u64>,
    /// The connection was seen being made; otherwise the recording begins in its middle.
    pub from_start: bool,
    /// Which sides have closed their direction, and when.
    pub closed: BTreeMap<Side, u64>,
    /// How the target's process ended.
    pub exit: Option<Exit>,
    /// The script gave up: nothing that is owed after this is judged.
    pub stopped: bool,
    /// Lines of the target that are no messages: the event, and the text, shortened and safe to print.
    pub noise: Vec<(u64, String)>,
    /// A JSON-RPC message of the target has been seen, be it spread over several lines.
    pub heard: bool,
    pub(crate) echo: Echo,
    pub(crate) fragment: Option<Fragment>,
    pub(crate) by_key: HashMap<(Side, IdKey), Ids>,
    /// The requests of each side that have no answer.
    pub(crate) open: [BTreeSet<usize>; 2],
    pub(crate) fence: Option<String>,
    /// Our newest frame is an empty line.
    pub(crate) blank: bool,
    /// Our next frame does not leave in a write of its own.
    pub(crate) chunked: bool,
    /// The request that the frame at hand answers.
    pub(crate) answered: Option<usize>,
    /// How many parts the payloads of requests and answers have.
    pub(crate) kept: usize,
    pub(crate) frames: [u64; 2],
    pub(crate) version: Version,
}

/// The requests of a side that have the same id.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ids {
    /// Those that have no answer, oldest first.
    open: VecDeque<usize>,
    /// The newest of all.
    newest: usize,
    /// The newest that has an answer.
    answered: Option<usize>,
}

impl Ids {
    /// The first that has no answer.
    pub(crate) fn open(&self) -> Option<usize> {
        self.open.front().copied()
    }
}

impl Conn {
    pub(crate) fn new(id: u32, target: Side, version: Version) -> Self {
        Self {
            id,
            target,
            orders: Orders::default(),
            init: Init {
                request: None,
                requested: None,
                answered: None,
                negotiated: None,
                support: elenchus_protocol::acp::elicitation::Support::default(),
                shape: elenchus_protocol::acp::elicitation::CapabilityShape::Absent,
                features: None,
                problems: Vec::new(),
            },
            requests: Vec::new(),
            notifications: Vec::new(),
            uttered: Vec::new(),
            timed: false,
            uttered_all: true,
            uttered_weight: 0,
            chosen: Vec::new(),
            chosen_all: true,
            chosen_weight: 0,
            orphans: Vec::new(),
            issued: HashMap::new(),
            completed: HashMap::new(),
            leaks: Vec::new(),
            sessions: BTreeMap::new(),
            turns: Vec::new(),
            open_turns: Vec::new(),
            triggers: Vec::new(),
            line: None,
            read_mark: 0,
            malformed: false,
            odd: None,
            unsound: None,
            lingered: 0,
            cut: None,
            blank: false,
            chunked: false,
            strayed: false,
            twins: false,
            separators: false,
            notified: [false; 2],
            newest: [None; 2],
            visits: Vec::new(),
            opened: Vec::new(),
            fetched: Vec::new(),
            settled: None,
            from_start: false,
            closed: BTreeMap::new(),
            exit: None,
            stopped: false,
            noise: Vec::new(),
            heard: false,
            echo: Echo::default(),
            fragment: None,
            by_key: HashMap::new(),
            open: [BTreeSet::new(), BTreeSet::new()],
            fence: None,
            answered: None,
            kept: 0,
            frames: [0; 2],
            version,
        }
    }

    /// The version that the connection follows: the negotiated one, before that the requested one, and where neither
    /// is known the run's.
    pub fn version(&self) -> Version {
        self.init
            .negotiated
            .or_else(|| self.init.requested.and_then(Version::from_number))
            .unwrap_or(self.version)
    }

    /// `initialize` was answered with a result.
    pub fn initialized(&self) -> bool {
        self.init.request.is_some_and(|index| {
            self.requests[index]
                .answer()
                .is_some_and(|answer| !answer.is_error)
        })
    }

    /// The target has a request open to us (a fence does not count), or has an answer that it may take for none, as its
    /// `error` is not what JSON-RPC says: it may rightly be waiting. A client has its prompt open while it serves the
    /// agent: only a connection that is not set up yet is a reason to wait.
    pub fn target_waits_for_us(&self) -> bool {
        let waits = |request: &Request| match self.target {
            Side::Client => request.method == "initialize",
            Side::Server => !request.fence,
        };
        let unreadable = |request: &Request| {
            let answer = request.answer();
            request.from == self.target && answer.is_some_and(|it| it.is_error && !it.error_whole)
        };
        self.open_requests(self.target)
            .any(|(_, request)| waits(request))
            || self.requests.iter().any(unreadable)
    }

    /// Something that the client asked for is under way.
    pub fn client_is_busy(&self) -> bool {
        self.open_requests(Side::Client).next().is_some() || !self.open_turns.is_empty()
    }

    /// The client has ended by itself, in order and with nothing under way: it had no more to ask.
    pub fn client_is_done(&self) -> bool {
        self.target == Side::Client
            && !self.client_is_busy()
            && self
                .exit
                .as_ref()
                .is_some_and(|exit| exit.asked == Asked::Nothing && exit.code == Some(0))
    }

    /// The turns of a session that have not ended, oldest first.
    pub(super) fn open_turns_of<'a>(
        &'a self,
        session: &'a str,
    ) -> impl Iterator<Item = usize> + 'a {
        let open = self.open_turns.iter().copied();
        open.filter(move |&turn| self.turns[turn].session == session)
    }

    /// The turn of a session that has not ended; where there are several, the one whose work it is likely to be that is
    /// told. Version 2 answers a prompt when it is accepted, and works on one after the other: the oldest that was
    /// accepted. In version 1 nothing tells them apart: the newest.
    pub fn open_turn(&self, session: &str) -> Option<usize> {
        let mut open = self.open_turns_of(session);
        if self.version() == Version::AcpV1 {
            return open.last();
        }
        let oldest = open.next()?;
        let accepted = |turn: &usize| !self.requests[self.turns[*turn].request].is_open();
        Some(
            std::iter::once(oldest)
                .chain(open)
                .find(accepted)
                .unwrap_or(oldest),
        )
    }

    /// The agent was asked to load or resume this session, and has not answered yet.
    pub(super) fn is_restoring(&self, session: &str) -> bool {
        /// No client has more requests under way.
        const NEWEST: usize = 64;
        let asks = |request: &&Request| {
            let params = request.params.as_ref();
            request.is_open()
                && matches!(request.method.as_str(), "session/load" | "session/resume")
                && params.and_then(|it| it.get("sessionId")?.as_str()) == Some(session)
        };
        self.requests.iter().rev().take(NEWEST).any(|it| asks(&it))
    }

    /// A turn has ended.
    pub(super) fn end_turn(&mut self, turn: usize, end: TurnEnd) {
        self.open_turns.retain(|&open| open != turn);
        self.turns[turn].ended = Some(end);
    }

    /// Another turn of the same session was open while this one was.
    pub fn overlaps(&self, index: usize) -> bool {
        let span = |turn: &Turn| {
            let end = turn.ended.as_ref().map_or(u64::MAX, |end| end.seq);
            (self.requests[turn.request].seq, end)
        };
        let turn = &self.turns[index];
        let (began, ended) = span(turn);
        self.turns.iter().enumerate().any(|(other, another)| {
            let (start, end) = span(another);
            other != index && another.session == turn.session && start < ended && end > began
        })
    }

    /// Background work of the session was named before this turn ended: what is told may be told of that (v2).
    pub fn has_background(&self, index: usize) -> bool {
        let turn = &self.turns[index];
        let session = self.sessions.get(&turn.session);
        let since = session.and_then(|session| session.background_since);
        let end = turn.ended.as_ref().map_or(u64::MAX, |end| end.seq);
        since.is_some_and(|since| since < end)
    }

    /// Where the client asked for a session to be let go (true) or to be taken up once more, by request.
    fn moves(&self, session: &str) -> impl Iterator<Item = (usize, bool)> {
        let requests = self.requests.iter().enumerate();
        requests.filter_map(move |(index, request)| {
            let lets_go = match request.method.as_str() {
                "session/close" | "session/delete" => true,
                "session/load" | "session/resume" => false,
                _ => return None,
            };
            let named = request.params.as_ref()?.get("sessionId")?.as_str()?;
            (request.from == Side::Client && named == session).then_some((index, lets_go))
        })
    }

    /// Before its request with this index, the client had asked to close or delete a session, and not taken it up since.
    pub fn let_go(&self, session: &str, before: usize) -> bool {
        let moves = self.moves(session).take_while(|(index, _)| *index < before);
        let taken_up = |index: usize| {
            let answer = self.requests[index].answer();
            answer.is_some_and(|answer| !answer.is_error)
        };
        let moves = moves.filter(|&(index, lets_go)| lets_go || taken_up(index));
        moves.last().is_some_and(|(_, lets_go)| lets_go)
    }

    /// The client has asked to close, delete, load or resume a session since this event.
    pub fn moved_since(&self, session: &str, seq: u64) -> bool {
        self.moves(session)
            .any(|(index, _)| self.requests[index].seq > seq)
    }

    /// The session of a turn was let go before its prompt, or let go or taken up once more since then.
    pub fn was_left(&self, index: usize) -> bool {
        let turn = &self.turns[index];
        self.let_go(&turn.session, turn.request)
            || self.moved_since(&turn.session, self.requests[turn.request].seq)
    }

    /// The target has read, before the second of these events, what was sent up to the first: a fence between them was
    /// answered.
    pub fn fenced(&self, after: u64, before: u64) -> bool {
        self.requests.iter().any(|request| {
            request.fence
                && request.seq > after
                && request.answer().is_some_and(|answer| answer.seq < before)
        })
    }

    /// This side has named this as a session, and was not told that it is none: who takes it for one only repeats it.
    pub fn has_named(&self, side: Side, session: &Value) -> bool {
        let names = |params: Option<&Value>| {
            params.and_then(|params| params.get("sessionId")) == Some(session)
        };
        let refused = |request: &Request| request.answer().is_some_and(|answer| answer.is_error);
        let mut requests = self.requests.iter().filter(|request| request.from == side);
        requests.any(|request| names(request.params.as_ref()) && !refused(request))
    }

    /// The requests of a side that have no answer.
    pub fn open_requests(&self, from: Side) -> impl Iterator<Item = (usize, &Request)> {
        self.open[from as usize]
            .iter()
            .map(|&index| (index, &self.requests[index]))
    }

    /// The newest request of a side with this id, by what the id means.
    pub fn with_key(&self, from: Side, key: &IdKey) -> Option<usize> {
        self.by_key.get(&(from, key.clone())).map(|ids| ids.newest)
    }

    /// The first request of a side with this id that has no answer; else the newest answered one.
    pub(crate) fn addressee(&self, from: Side, key: &IdKey) -> Option<usize> {
        let ids = self.by_key.get(&(from, key.clone()))?;
        ids.open().or(ids.answered)
    }

    /// The first open request of a side with this id.
    pub fn open_with(&self, from: Side, key: &IdKey) -> Option<usize> {
        self.by_key.get(&(from, key.clone()))?.open()
    }

    /// The first open request of a side whose id resembles this one without being it.
    pub fn near(&self, from: Side, key: &IdKey) -> Option<usize> {
        self.open_requests(from)
            .take(Orphan::MAX_OPEN)
            .find(|(_, request)| resembles(key, &request.key))
            .map(|(index, _)| index)
    }

    /// A request of a side, which is about to be added, waits for its answer.
    pub(crate) fn begin(&mut self, from: Side, key: &IdKey, index: usize) {
        let ids = self.by_key.entry((from, key.clone())).or_default();
        ids.open.push_back(index);
        ids.newest = index;
        self.open[from as usize].insert(index);
    }

    /// A request has its first answer: it is the oldest open one with its id.
    pub(crate) fn finish(&mut self, index: usize) {
        let Request { from, key, .. } = &self.requests[index];
        self.open[*from as usize].remove(&index);
        if let Some(ids) = self.by_key.get_mut(&(*from, key.clone())) {
            ids.answered = ids.open.pop_front();
        }
    }
}

/// The id is not this one, but looks like it: the same text in another JSON type, or the same number rounded to
/// what a 64-bit float can hold.
fn resembles(got: &IdKey, wanted: &IdKey) -> bool {
    match (got, wanted) {
        (IdKey::String(a), IdKey::Number(b)) | (IdKey::Number(b), IdKey::String(a)) => a == b,
        (IdKey::Number(a), IdKey::Number(b)) => {
            a != b
                && matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a.total_cmp(&b).is_eq())
        }
        (IdKey::String(a), IdKey::Null) | (IdKey::Null, IdKey::String(a)) => a == "null",
        _ => false,
    }
}
