//! What traces were judged to be, for campaigns that see the same ones again.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use elenchus_judge::Judgement;
use elenchus_wire::{Event, trace::Trace};

/// The judgements of one campaign over a deterministic target, for others that follow it. Most conversations with a
/// seeded fault are to the last byte those of the reference agent, and the same trace has the same judgement.
#[derive(Debug, Default)]
pub struct Memo(Mutex<BTreeMap<String, Arc<Known>>>);

#[derive(Debug)]
struct Known {
    events: Vec<Event>,
    judgement: Judgement,
}

impl Memo {
    /// What `judge` says of the trace, or said of an equal one of this name. The first trace of a name is kept.
    pub(crate) fn judge(
        &self,
        name: &str,
        trace: &Trace,
        judge: impl FnOnce() -> Judgement,
    ) -> Judgement {
        let known = self.lock().get(name).cloned();
        match known {
            Some(known) if equal(&known.events, &trace.events) => known.judgement.clone(),
            Some(_) => judge(),
            None => {
                let judgement = judge();
                let known = Known {
                    events: trace.events.clone(),
                    judgement: judgement.clone(),
                };
                self.lock().insert(name.to_owned(), Arc::new(known));
                judgement
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Known>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Equal but for the time, which no rule reads.
fn equal(some: &[Event], others: &[Event]) -> bool {
    let same = |(a, b): (&Event, &Event)| (a.seq, a.conn, &a.kind) == (b.seq, b.conn, &b.kind);
    some.len() == others.len() && some.iter().zip(others).all(same)
}

#[cfg(test)]
mod tests {
    use elenchus_wire::{
        Side,
        trace::{FORMAT, Header},
    };

    use super::*;

    fn trace(events: usize) -> Trace {
        let event = Event {
            seq: 1,
            at_us: events as u64,
            conn: 0,
            kind: elenchus_wire::EventKind::End,
        };
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
            events: vec![event; events],
            cut: false,
        }
    }

    #[test]
    fn only_an_equal_trace_of_that_name_is_not_judged_again() {
        let memo = Memo::default();
        let judged = |name, events| {
            let mut judged = false;
            memo.judge(name, &trace(events), || {
                judged = true;
                Judgement::default()
            });
            judged
        };
        assert!(judged("a", 1));
        assert!(!judged("a", 1));
        assert!(judged("a", 2));
        assert!(judged("b", 1));
        assert!(!judged("a", 1), "the first one is kept");
    }
}
