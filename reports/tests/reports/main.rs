//! Reports built from small, made-up judgements.

mod builder;
mod fixture;
mod human;
mod schema;
