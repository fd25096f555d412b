//! The judge: a fold of the trace into a world, facts about what changed, and the rules that look at them.
//!
//! Pure: the same trace gives the same judgement on any machine, for ever.
//!
//! ```text
//! event -> World::apply -> facts -> every open watch's `still`, the `look` of rules -> tallies
//! ```

mod engine;
pub mod fact;
pub mod judgement;
mod kinds;
pub mod rule;
mod rules;
pub mod text;
pub mod world;

use elenchus_protocol::Version;
use elenchus_wire::{EventKind, Side, event::Asked, redact::Redactor, trace::Trace};

pub use engine::Hearing;
pub use fact::{Fact, Moment};
pub use judgement::{Breach, Judgement, Tally};
pub use rule::{Rule, Shape};
pub use rules::rules;
pub use world::World;

/// Judges the side that the trace's header names, by all rules.
pub fn judge(trace: &Trace) -> Judgement {
    judge_side(trace, trace.header.judged)
}

/// Judges one side of a trace. With our own side, it tells what a script breaks on purpose.
pub fn judge_side(trace: &Trace, side: Side) -> Judgement {
    let version = trace.header.protocol.parse().unwrap_or(Version::AcpV1);
    let mut hearing = Hearing::new(side, version);
    if trace.header.overheard() {
        hearing = hearing.overheard();
    }
    for position in 0..trace.events.len() {
        hearing.hear(&trace.events[..=position]);
    }
    let mut judgement = hearing.close();
    for tally in judgement.tallies.values_mut() {
        for breach in &mut tally.breaches {
            breach.stderr = last_words(trace, breach.event);
        }
    }
    judgement
}

/// The most lines of standard error that are shown with a breach, and the longest of them.
const LAST_WORDS: usize = 8;
const LONGEST_WORD: usize = 200;

/// The last lines that a process wrote to its standard error, if this event is its end and nobody had ended it: they tell
/// its author why. They may be recorded behind that end.
fn last_words(trace: &Trace, seq: u64) -> Vec<String> {
    let end = trace.events.iter().rfind(|event| event.seq == seq);
    let Some(end) = end.filter(|event| {
        matches!(
            event.kind,
            EventKind::Exit {
                asked: Asked::Nothing,
                ..
            }
        )
    }) else {
        return Vec::new();
    };
    let said = trace
        .events
        .iter()
        .rev()
        .filter_map(|event| match &event.kind {
            EventKind::Stderr { text } if event.conn == end.conn => Some(text),
            _ => None,
        });
    let redactor = Redactor::default();
    let mut lines: Vec<String> = said
        .take(LAST_WORDS)
        .map(|line| text::short_to(&redactor.text(line), LONGEST_WORD))
        .collect();
    lines.reverse();
    lines
}
