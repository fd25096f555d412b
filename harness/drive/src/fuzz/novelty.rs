//! What a trace shows of the target's state, as a set of features. What shows a feature that nothing showed before has
//! reached new behaviour and is worth mutating.
//!
//! A feature is a hash of what was said in which state: the kind of a message, that of the one before it, what we said
//! last, how much is open in both directions. Texts and ids are not in it, so that the set stays small.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use elenchus_judge::Judgement;
use elenchus_wire::{
    Event, EventKind, Frame, Message, Parsed, Side, Wait, frame, message::Class, trace::Trace,
};

use crate::json;

/// All features that were seen so far.
#[derive(Debug, Default)]
pub(crate) struct Seen(HashSet<u64>);

impl Seen {
    /// More features than this are not told apart. No implementation has so many states; one that makes up words without
    /// end must not fill the memory and the disk.
    const MOST: usize = 1 << 20;

    /// Takes in the features of a performance; how many of them are new.
    pub(super) fn add(&mut self, features: &HashSet<u64>) -> usize {
        let before = self.0.len();
        if before < Self::MOST {
            self.0.extend(features);
        }
        self.0.len() - before
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
pub(super) fn features(trace: &Trace, judgement: &Judgement) -> HashSet<u64> {
    let mut found = HashSet::new();
    let mut conns: BTreeMap<u32, Conn> = BTreeMap::new();
    for event in &trace.events {
        let conn = conns.entry(event.conn).or_default();
        conn.hear(event, trace.header.judged, &mut found);
    }
    for conn in conns.values() {
        for (kind, count) in &conn.counts {
            found.insert(hash(("count", kind, count.ilog2())));
        }
    }
    for (id, tally) in &judgement.tallies {
        let outcome = (
            tally.upheld > 0,
            !tally.unclear.is_empty(),
            tally.lost > 0,
            !tally.breaches.is_empty(),
        );
        found.insert(hash((*id, outcome)));
    }
    found
}

#[derive(Debug, Default)]
struct Conn {
    /// The methods of open requests, by the side that asked and the exact id.
    open: HashMap<(bool, String), u64>,
    /// The kind of the target's last message, and of our last three.
    theirs: u64,
    ours: [u64; 3],
    counts: HashMap<u64, u32>,
}

/// No more open requests than this are told apart.
const FEW: usize = 3;

impl Conn {
    fn hear(&mut self, event: &Event, target: Side, found: &mut HashSet<u64>) {
        match &event.kind {
            EventKind::Frame { from, frame } => self.frame(*from == target, frame, found),
            EventKind::Exit { code, signal, .. } => {
                found.insert(hash(("exit", code, signal, self.theirs)));
            }
            EventKind::Eof { from } if *from == target => {
                found.insert(hash(("eof", self.theirs)));
            }
            EventKind::Deadline { wait, .. } => {
                let wait = match wait {
                    Wait::Answer { .. } => "answer",
                    Wait::TurnEnd { .. } => "turn",
                    Wait::Request { .. } => "request",
                    Wait::Exit => "exit",
                };
                found.insert(hash(("deadline", wait, self.ours)));
            }
            _ => {}
        }
    }

    fn frame(&mut self, theirs: bool, frame: &Frame, found: &mut HashSet<u64>) {
        let kind = self.kind(theirs, frame);
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
            found.insert(hash(("said", kind)));
            found.insert(hash(("after", kind, self.theirs)));
            found.insert(hash(("to", kind, self.ours[2])));
            found.insert(hash(("to two", kind, self.ours[1], self.ours[2])));
            found.insert(hash(("while", kind, state)));
            self.theirs = kind;
        } else {
            self.ours = [self.ours[1], self.ours[2], kind];
        }
    }

    /// What kind of message a frame is; keeps book of what is open.
    fn kind(&mut self, theirs: bool, frame: &Frame) -> u64 {
        let Some(Parsed::Message(message)) = frame.text().map(Message::parse) else {
            return hash(("defect", frame::defects(frame).len()));
        };
        let defects = message.duplicates.len() + message.extra.len();
        let id = message.id.map(str::to_owned);
        match message.class {
            Class::Response => {
                let asked = id.and_then(|id| self.open.remove(&(!theirs, id)));
                let code = message.error.and_then(|error| json::at(error, &["code"]));
                let words = message.result.map(|result| words(result, &RESULT_WORDS));
                hash(("response", asked, code, words, defects))
            }
            Class::Request | Class::Notification => {
                let method = message.method.as_deref().unwrap_or_default();
                let words = message.params.map(|params| words(params, &PARAM_WORDS));
                let kind = hash((method, words, defects));
                if let Some(id) = id {
                    self.open.insert((theirs, id), hash(method));
                }
                kind
            }
            Class::Other => hash(("other", defects)),
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

    fn new_in(first: &[(Side, &str)], second: &[(Side, &str)]) -> usize {
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
        assert_eq!(new_in(&one, &same), 0);
        assert!(new_in(&one, &other) > 0);
        assert!(new_in(&one, &stray) > 0);
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
        assert!(new_in(&plain, &after) > 0);
        assert_eq!(new_in(&after, &after), 0);
    }
}
