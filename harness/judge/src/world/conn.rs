//! One connection: its requests in both directions, its sessions and turns, and what is known of their order.

use std::collections::{BTreeMap, HashMap};

use elenchus_protocol::Version;
use elenchus_wire::{IdKey, Side};

use super::model::{
    Exit, Init, Line, Notification, Orphan, Request, Session, TraceTrigger, Turn, Update,
};

/// A connection to the target.
#[derive(Debug, Clone)]
pub struct Conn {
    /// Its number.
    pub id: u32,
    /// The side that the target is on.
    pub target: Side,
    /// What `initialize` established.
    pub init: Init,
    /// All requests, in both directions, in the order seen.
    pub requests: Vec<Request>,
    /// All notifications, likewise.
    pub notifications: Vec<Notification>,
    /// Responses that answer nothing.
    pub orphans: Vec<Orphan>,
    /// Sessions by id.
    pub sessions: BTreeMap<String, Session>,
    /// Turns, in the order begun.
    pub turns: Vec<Turn>,
    /// The agent's session updates.
    pub updates: Vec<Update>,
    /// The triggers that were announced.
    pub triggers: Vec<TraceTrigger>,
    /// The envelope of the frame at hand.
    pub line: Option<Line>,
    /// Our newest frame, shortened and safe to print.
    pub last_sent: String,
    /// Everything of ours up to this event has been read by the target: its newest answered request.
    pub read_mark: u64,
    /// A frame that is no JSON-RPC message was sent to the target: an error with a null id may answer it.
    pub malformed: bool,
    /// A frame was sent to the target that a careless line splitter would take for several.
    pub separators: bool,
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
    pub(crate) fragment: Option<Fragment>,
    pub(crate) by_key: HashMap<(Side, IdKey), Vec<usize>>,
    pub(crate) fence: Option<String>,
    pub(crate) frames: [u64; 2],
    pub(crate) version: Version,
}

/// Lines of the target that begin a JSON value and have not completed it.
#[derive(Debug, Clone)]
pub(crate) struct Fragment {
    pub(crate) first: u64,
    pub(crate) text: String,
    pub(crate) lines: Vec<(u64, String)>,
}

impl Conn {
    pub(crate) fn new(id: u32, target: Side, version: Version) -> Self {
        Self {
            id,
            target,
            init: Init {
                request: None,
                requested: None,
                answered: None,
                negotiated: None,
                support: elenchus_protocol::acp::elicitation::Support::default(),
                shape: elenchus_protocol::acp::elicitation::CapabilityShape::Absent,
                features: None,
            },
            requests: Vec::new(),
            notifications: Vec::new(),
            orphans: Vec::new(),
            sessions: BTreeMap::new(),
            turns: Vec::new(),
            updates: Vec::new(),
            triggers: Vec::new(),
            line: None,
            last_sent: String::new(),
            read_mark: 0,
            malformed: false,
            separators: false,
            closed: BTreeMap::new(),
            exit: None,
            stopped: false,
            noise: Vec::new(),
            heard: false,
            fragment: None,
            by_key: HashMap::new(),
            fence: None,
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

    /// The target has a request open to us (a fence does not count): it may rightly be waiting.
    pub fn target_waits_for_us(&self) -> bool {
        self.requests
            .iter()
            .any(|request| request.from == self.target && request.is_open() && !request.fence)
    }

    /// The newest turn of a session that has not ended.
    pub fn open_turn(&self, session: &str) -> Option<usize> {
        self.turns
            .iter()
            .rposition(|turn| turn.session == session && turn.ended.is_none())
    }

    /// The requests of a side that have no answer.
    pub fn open_requests(&self, from: Side) -> impl Iterator<Item = (usize, &Request)> {
        self.requests
            .iter()
            .enumerate()
            .filter(move |(_, request)| request.from == from && request.is_open())
    }

    /// The newest request of a side with this id, by what the id means.
    pub fn with_key(&self, from: Side, key: &IdKey) -> Option<usize> {
        self.by_key
            .get(&(from, key.clone()))
            .and_then(|list| list.last().copied())
    }

    /// The first request of a side with this id that has no answer; else the newest answered one.
    pub(crate) fn addressee(&self, from: Side, key: &IdKey) -> Option<usize> {
        let list = self.by_key.get(&(from, key.clone()))?;
        list.iter()
            .copied()
            .find(|&index| self.requests[index].is_open())
            .or_else(|| list.last().copied())
    }
}
