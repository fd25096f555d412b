//! Reports built from small, made-up judgements.

mod builder;
mod fixture;
mod fuzz;
mod human;
mod schema;
