//! What a trace shows of the target's state, as a set of features. What shows a feature that nothing showed before has
//! reached new behaviour and is worth mutating.
//!
//! A feature is a hash of what was said in which state: the kind of a message, that of the one before it, what we said
//! last, how much is open in both directions, and what had happened before in the same session and in others, however long
//! ago. Texts and ids are not in it, so that the set stays small.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use elenchus_judge::Judgement;
use elenchus_wire::{
    Event, EventKind, Frame, Message, Parsed, Side, Wait, frame, message::Class, trace::Trace,
};

use crate::json;

/// What a performance shows.
#[derive(Debug, Default)]
pub(super) struct Features {
    /// What was said in which state.
    pub(super) states: HashSet<u64>,
    /// In which order things were done in the sessions. There are many more of these, and fewer of them matter.
    pub(super) orders: HashSet<u64>,
}

impl Features {
    pub(super) fn all(self) -> HashSet<u64> {
        let mut all = self.states;
        all.extend(self.orders);
        all
    }
}

/// What a performance has shown that none had before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Novelty {
    Nothing,
    /// Only an order.
    Order,
    State,
}

/// All features that were seen so far.
#[derive(Debug, Default)]
pub(crate) struct Seen(HashSet<u64>);

impl Seen {
    /// More features than this are not told apart. No implementation has so many states; one that makes up words without
    /// end must not fill the memory and the disk.
    const MOST: usize = 1 << 20;

    /// Takes in the features of a performance; what of them is new.
    pub(super) fn add(&mut self, features: &Features) -> Novelty {
        let before = self.0.len();
        if before >= Self::MOST {
            return Novelty::Nothing;
        }
        self.0.extend(&features.states);
        let states = self.0.len();
        self.0.extend(&features.orders);
        if states > before {
            Novelty::State
        } else if self.0.len() > states {
            Novelty::Order
        } else {
            Novelty::Nothing
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The features of a performance.
pub(super) fn features(trace: &Trace, judgement: &Judgement) -> Features {
    let mut found = Features::default();
    let mut conns: BTreeMap<u32, Conn> = BTreeMap::new();
    for event in &trace.events {
        let conn = conns.entry(event.conn).or_default();
        conn.hear(event, trace.header.judged, &mut found);
    }
    for conn in conns.values() {
        for (kind, count) in &conn.counts {
            found.states.insert(hash(("count", kind, count.ilog2())));
        }
    }
    for (id, tally) in &judgement.tallies {
        let outcome = (
            tally.upheld > 0,
            !tally.unclear.is_empty(),
            tally.lost > 0,
            !tally.breaches.is_empty(),
        );
        found.states.insert(hash((*id, outcome)));
    }
    found
}

#[derive(Debug, Default)]
struct Conn {
    /// Open requests, by the side that asked and the exact id.
    open: HashMap<(bool, String), Open>,
    /// The kind of the target's last message, and of our last three.
    theirs: u64,
    ours: [u64; 3],
    counts: HashMap<u64, u32>,
    /// What has happened in each session.
    sessions: BTreeMap<String, History>,
}

/// An open request.
#[derive(Debug)]
struct Open {
    method: u64,
    session: Option<String>,
}

/// What has happened in a session: kinds of messages.
#[derive(Debug, Default)]
struct History {
    theirs: BTreeSet<u64>,
    ours: BTreeSet<u64>,
    /// Of ours, one kind before another.
    pairs: BTreeSet<(u64, u64)>,
}

/// The histories of no more sessions than this are kept, and of each no more than so many pairs: a conversation that has
/// more is no clearer for them.
const SESSIONS: usize = 8;
const PAIRS: usize = 256;

/// No more open requests than this are told apart.
const FEW: usize = 3;

impl Conn {
    fn hear(&mut self, event: &Event, target: Side, found: &mut Features) {
        match &event.kind {
            EventKind::Frame { from, frame } => self.frame(*from == target, frame, found),
            EventKind::Exit { code, signal, .. } => {
                found
                    .states
                    .insert(hash(("exit", code, signal, self.theirs)));
            }
            EventKind::Eof { from } if *from == target => {
                found.states.insert(hash(("eof", self.theirs)));
            }
            EventKind::Deadline { wait, .. } => {
                let wait = match wait {
                    Wait::Answer { .. } => "answer",
                    Wait::TurnEnd { .. } => "turn",
                    Wait::Request { .. } => "request",
                    Wait::Exit => "exit",
                };
                found.states.insert(hash(("deadline", wait, self.ours)));
            }
            _ => {}
        }
    }

    fn frame(&mut self, theirs: bool, frame: &Frame, found: &mut Features) {
        let (kind, session) = self.kind(theirs, frame);
        if let Some(session) = session {
            self.remember(session, theirs, kind, found);
        }
        if theirs {
            *self.counts.entry(kind).or_default() += 1;
            let open = |of: bool| {
                self.open
                    .keys()
                    .filter(|(side, _)| *side == of)
                    .count()
                    .min(FEW)
            };
            let state = (open(true), open(false));
            found.states.insert(hash(("said", kind)));
            found.states.insert(hash(("after", kind, self.theirs)));
            found.states.insert(hash(("to", kind, self.ours[2])));
            found
                .states
                .insert(hash(("to two", kind, self.ours[1], self.ours[2])));
            found.states.insert(hash(("while", kind, state)));
            self.theirs = kind;
        } else {
            self.ours = [self.ours[1], self.ours[2], kind];
        }
    }

    /// What is done in a session may go wrong for what was done in it, or in another one, long before.
    fn remember(&mut self, session: String, theirs: bool, kind: u64, found: &mut Features) {
        if !theirs {
            let others = self.sessions.iter().filter(|(other, _)| **other != session);
            for before in others.flat_map(|(_, other)| &other.ours) {
                found.orders.insert(hash(("elsewhere", before, kind)));
            }
        }
        if self.sessions.len() >= SESSIONS && !self.sessions.contains_key(&session) {
            return;
        }
        let History {
            theirs: said,
            ours,
            pairs,
        } = self.sessions.entry(session).or_default();
        for before in said.iter().chain(&*ours) {
            found.orders.insert(hash(("then", before, kind)));
        }
        if theirs {
            said.insert(kind);
            return;
        }
        for pair in &*pairs {
            found.orders.insert(hash(("then", pair, kind)));
        }
        if pairs.len() < PAIRS {
            pairs.extend(ours.iter().map(|before| (*before, kind)));
        }
        ours.insert(kind);
    }

    /// What kind of message a frame is, and its session; keeps book of what is open.
    fn kind(&mut self, theirs: bool, frame: &Frame) -> (u64, Option<String>) {
        let Some(Parsed::Message(message)) = frame.text().map(Message::parse) else {
            return (hash(("defect", frame::defects(frame).len())), None);
        };
        let defects = message.duplicates.len() + message.extra.len();
        let id = message.id.map(str::to_owned);
        match message.class {
            Class::Response => {
                let asked = id.and_then(|id| self.open.remove(&(!theirs, id)));
                let (asked, session) = asked.map(|it| (it.method, it.session)).unzip();
                let code = message.error.and_then(|error| json::at(error, &["code"]));
                let words = message.result.map(|result| words(result, &RESULT_WORDS));
                (
                    hash(("response", asked, code, words, defects)),
                    session.flatten(),
                )
            }
            Class::Request | Class::Notification => {
                let method = message.method.as_deref().unwrap_or_default();
                let words = message.params.map(|params| words(params, &PARAM_WORDS));
                let kind = hash((method, words, defects));
                let session = message
                    .params
                    .and_then(|params| json::string_at(params, &["sessionId"]));
                if let Some(id) = id {
                    let open = Open {
                        method: hash(method),
                        session: session.clone(),
                    };
                    self.open.insert((theirs, id), open);
                }
                (kind, session)
            }
            Class::Other => (hash(("other", defects)), None),
        }
    }
}

/// Members of results and params whose values are words of the protocol.
const RESULT_WORDS: [&[&str]; 4] = [
    &["stopReason"],
    &["action"],
    &["outcome", "outcome"],
    &["outcome", "optionId"],
];
const PARAM_WORDS: [&[&str]; 5] = [
    &["update", "sessionUpdate"],
    &["update", "status"],
    &["update", "state"],
    &["update", "stopReason"],
    &["mode"],
];

fn words(text: &str, paths: &[&[&str]]) -> Vec<Option<String>> {
    /// Longer ones are none.
    const LONGEST: usize = 40;
    let word = |path: &&[&str]| {
        // A quick look first: this is asked of every message.
        let name = path.first().copied().unwrap_or_default();
        text.contains(name)
            .then(|| json::string_at(text, path))
            .flatten()
            .filter(|word| word.len() <= LONGEST)
    };
    paths.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use elenchus_wire::trace::{FORMAT, Header};

    use super::*;

    fn trace(lines: &[(Side, &str)]) -> Trace {
        let events = (0..).zip(lines).map(|(seq, (from, line))| Event {
            seq,
            at_us: 0,
            conn: 0,
            kind: EventKind::Frame {
                from: *from,
                frame: Frame::line(*line),
            },
        });
        Trace {
            header: Header {
                elenchus_trace: FORMAT,
                elenchus: String::new(),
                protocol: "acp-v1".to_owned(),
                judged: Side::Server,
                script: String::new(),
                instance: String::new(),
                seed: 0,
            },
            events: events.collect(),
            cut: false,
        }
    }

    fn new_in(first: &[(Side, &str)], second: &[(Side, &str)]) -> Novelty {
        let mut seen = Seen::default();
        seen.add(&features(&trace(first), &Judgement::default()));
        seen.add(&features(&trace(second), &Judgement::default()))
    }

    #[test]
    fn ids_and_texts_are_nothing_new() {
        let ask = |id| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"session/prompt","params":{{}}}}"#)
        };
        let end = |id, reason| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"stopReason":"{reason}"}}}}"#)
        };
        let one = [
            (Side::Client, &*ask(1)),
            (Side::Server, &*end(1, "end_turn")),
        ];
        let same = [
            (Side::Client, &*ask(9)),
            (Side::Server, &*end(9, "end_turn")),
        ];
        let other = [
            (Side::Client, &*ask(9)),
            (Side::Server, &*end(9, "cancelled")),
        ];
        let stray = [
            (Side::Client, &*ask(9)),
            (Side::Server, &*end(8, "end_turn")),
        ];
        assert_eq!(new_in(&one, &same), Novelty::Nothing);
        assert_eq!(new_in(&one, &other), Novelty::State);
        assert_eq!(new_in(&one, &stray), Novelty::State);
    }

    #[test]
    fn what_went_before_makes_the_same_answer_new() {
        let fence = r#"{"jsonrpc":"2.0","id":1,"method":"_x","params":{}}"#;
        let cancel = r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#;
        let answer = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#;
        let plain = [(Side::Client, fence), (Side::Server, answer)];
        let after = [
            (Side::Client, cancel),
            (Side::Client, fence),
            (Side::Server, answer),
        ];
        assert_eq!(new_in(&plain, &after), Novelty::State);
        assert_eq!(new_in(&after, &after), Novelty::Nothing);
    }

    #[test]
    fn what_was_done_long_before_is_an_order() {
        let line = |method: &str, session: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"sessionId":"{session}"}}}}"#
            )
        };
        let said = line("session/update", "a");
        let of = |lines: &[(&str, &str)]| -> Vec<String> {
            lines
                .iter()
                .map(|(method, session)| line(method, session))
                .collect()
        };
        let steps = |lines: &[String]| -> Novelty {
            let usual = ["_a", "_b", "_c", "_d"].map(|method| line(method, "a"));
            let mut seen = Seen::default();
            let mut last = Novelty::Nothing;
            // All steps of up to four lines are known; only what lies further apart can be new.
            for lines in [&usual[..], lines] {
                let lines: Vec<(Side, &str)> = lines
                    .iter()
                    .flat_map(|line| {
                        [(Side::Client, &**line); 4]
                            .into_iter()
                            .chain([(Side::Server, &*said)])
                    })
                    .collect();
                last = seen.add(&features(&trace(&lines), &Judgement::default()));
            }
            last
        };
        assert_eq!(
            steps(&of(&[("_a", "a"), ("_b", "a"), ("_c", "a"), ("_d", "a")])),
            Novelty::Nothing
        );
        assert_eq!(
            steps(&of(&[("_a", "a"), ("_c", "a"), ("_b", "a"), ("_d", "a")])),
            Novelty::Order
        );
        assert_eq!(
            steps(&of(&[("_a", "b"), ("_b", "a"), ("_c", "a"), ("_d", "a")])),
            Novelty::Order
        );
    }
}
