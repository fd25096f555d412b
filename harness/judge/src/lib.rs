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
use elenchus_wire::{Side, trace::Trace};

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
    for position in 0..trace.events.len() {
        hearing.hear(&trace.events[..=position]);
    }
    hearing.close()
}
