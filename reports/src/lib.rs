//! The report model (`report.json`, format 1) and its renderers. Pure: no I/O, no clock.

pub mod human;
pub mod model;

pub use model::Report;
