//! The judge: a fold of the trace into a world, facts about what changed, and the rules that look at them.
//!
//! Pure: the same trace gives the same judgement on any machine, for ever.
//!
//! ```text
//! event -> World::apply -> facts -> every open watch's `still`, every rule's `look` -> tallies
//! ```

mod engine;
pub mod fact;
pub mod judgement;
pub mod rule;
mod rules;
pub mod text;
pub mod world;

use elenchus_suites::{Catalogue, Suite};
use elenchus_wire::{Side, trace::Trace};

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
    judge_with(trace, side, rules(), &Suite::embedded().catalogue)
}

/// Judges one side of a trace by these rules.
pub fn judge_with(
    trace: &Trace,
    side: Side,
    rules: &'static [Rule],
    catalogue: &Catalogue,
) -> Judgement {
    engine::run(trace, side, rules, catalogue)
}
