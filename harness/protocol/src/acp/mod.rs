//! The Agent Client Protocol, v1 and v2 (edition `schema-1.20`).

pub mod elicitation;
pub mod git_patch;
pub mod initialize;
pub mod methods;
pub mod shapes;
