//! The suite as data: the requirement catalogue and the scripts, parsed and embedded in the binary; and how a target is
//! described to it.
//!
//! This crate parses; it runs nothing and judges nothing.

pub mod catalogue;
pub mod profile;
pub mod script;
pub mod vocabulary;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

use std::sync::OnceLock;

pub use catalogue::{Catalogue, Level, Observable, Party, Requirement};
pub use profile::Profile;
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
        static SUITE: OnceLock<Suite> = OnceLock::new();
        SUITE.get_or_init(|| {
            // What is embedded is no input: the tests of this crate read all of it, so that neither panic is ever met.
            let catalogue = Catalogue::from_json(embedded::REQUIREMENTS)
                .unwrap_or_else(|error| panic!("{error}"));
            let read = |(name, text): &(&str, &str)| {
                script::parse(name, text).unwrap_or_else(|error| panic!("{}", error.caret()))
            };
            Self {
                catalogue,
                scripts: embedded::SCRIPTS.iter().map(read).collect(),
            }
        })
    }
}
