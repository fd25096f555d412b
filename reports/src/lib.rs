//! The report model (`report.json`, format 1) and its renderers. Pure: no I/O, no clock.
//!
//! [`build`] turns what the rules found in all traces into a [`Report`]; [`human::render`] shows it to a person.

pub mod builder;
mod evidence;
pub mod exit;
pub mod fuzz;
pub mod human;
pub mod model;
mod reasons;
pub mod text;
mod verdict;

pub use builder::{Input, build};
pub use exit::ExitStatus;
pub use fuzz::FuzzReport;
pub use model::Report;
