//! The judge: a fold of the trace into a world, facts about what changed, and the rules that look at them.
//!
//! Pure: the same trace gives the same judgement on any machine, for ever.

pub mod judgement;

pub use judgement::{Breach, Judgement, Tally};
