//! The suite as data: the requirement catalogue and the scripts, parsed and embedded in the binary.
//!
//! This crate parses; it runs nothing and judges nothing.

pub mod catalogue;
pub mod script;

pub use catalogue::{Catalogue, Level, Observable, Party, Requirement};
pub use script::{Script, Step, StepKind};

/// The catalogue and all scripts that are built into this binary.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The requirements.
    pub catalogue: Catalogue,
    /// The scripts, sorted by name.
    pub scripts: Vec<Script>,
}

impl Suite {
    /// The suite that is built in. A test holds every file of it to parse.
    pub fn embedded() -> &'static Self {
        todo!()
    }
}
