//! Any trace, judged for both sides: always alike, and what was decided at an event stays decided, whatever follows.
//!
//! The input is a trace file, or else decides a trace of real messages in any order and form.

#![no_main]

use std::collections::BTreeSet;

use elenchus_fuzz::trace;
use elenchus_judge::{Judgement, Tally, judge_side, rules};
use elenchus_suites::Suite;
use elenchus_wire::{EventKind, Side, trace::Trace};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(trace) = trace::of(bytes) else {
        return;
    };
    for side in [Side::Client, Side::Server] {
        let whole = judge_side(&trace, side);
        if side == trace.header.judged {
            assert_eq!(whole, judge_side(&trace, side));
        }
        told(&trace, side, &whole);
        if trace
            .events
            .iter()
            .all(|event| !matches!(event.kind, EventKind::Frame { .. }))
        {
            assert!(!whole.heard);
            assert!(whole.tallies.values().all(|tally| tally.upheld == 0));
        }

        // The part up to an event that the input decides.
        let cut = bytes.iter().fold(0, |sum: usize, byte| {
            (sum * 31 + usize::from(*byte)) % 65_521
        }) % (trace.events.len() + 1);
        let part = judge_side(&beginning(&trace, cut), side);
        assert!(whole.heard || !part.heard);
        for (id, before) in &part.tallies {
            kept(id, before, whole.tallies.get(id));
        }
    }
});

fn beginning(trace: &Trace, length: usize) -> Trace {
    Trace {
        header: trace.header.clone(),
        events: trace.events[..length].to_vec(),
        cut: true,
    }
}

/// What stood in the part stands in the whole: a watch that was open when the part ended is all that may become clear.
fn kept(id: &str, before: &Tally, after: Option<&Tally>) {
    const OPEN: &str = "the trace ended before it could be decided";
    let decided = before.upheld > 0
        || before.lost > 0
        || !before.breaches.is_empty()
        || !before.notes.is_empty()
        || before.unclear.iter().any(|reason| reason != OPEN);
    let Some(after) = after else {
        assert!(!decided, "{id} was decided and is gone");
        return;
    };
    assert!(after.upheld >= before.upheld, "{id}");
    assert!(after.lost >= before.lost, "{id}");
    assert!(
        after.breaches.starts_with(&before.breaches),
        "{id}: {:?} then {:?}",
        before.breaches,
        after.breaches
    );
    assert!(after.notes.starts_with(&before.notes), "{id}");
    for reason in before.unclear.iter().filter(|reason| *reason != OPEN) {
        assert!(after.unclear.contains(reason), "{id}: {reason}");
    }
}

/// Every tally is of a rule that binds the side, and its evidence is there, safe to print and short.
fn told(trace: &Trace, side: Side, judgement: &Judgement) {
    let bound: BTreeSet<&str> = rules()
        .iter()
        .filter(|rule| rule.binds.contains(&side))
        .map(|rule| rule.id)
        .collect();
    for (id, tally) in &judgement.tallies {
        assert!(bound.contains(id), "{id} does not bind {}", side.name());
        assert!(tally.breaches.len() <= Tally::MAX_BREACHES);
        for breach in &tally.breaches {
            let seqs = [Some(breach.event), breach.opened];
            for seq in seqs.into_iter().flatten() {
                assert!(
                    trace.events.iter().any(|event| event.seq == seq),
                    "{id}: {seq}"
                );
            }
            for text in [&breach.sent, &breach.got, &breach.expected, &breach.why] {
                assert!(text.len() < 16 * 1024, "{id}: {text}");
            }
            assert!(
                !breach.why.is_empty() && !breach.expected.is_empty(),
                "{id}"
            );
        }
    }
    let catalogue = &Suite::embedded().catalogue;
    for id in &judgement.not_applicable {
        assert!(catalogue.get(id).is_some(), "{id}");
    }
}
