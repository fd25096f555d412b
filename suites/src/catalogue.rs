//! The requirement catalogue: one table a clause, `suites/requirements/*.toml`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How strong a clause is, in the words of the specification or, for the last two, in ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Decides.
    Must,
    /// Decides.
    MustNot,
    /// Comes from the types, not the prose. Decides.
    Schema,
    /// Warns.
    Should,
    /// Warns.
    ShouldNot,
    /// No clause, but users expect it. Shown apart.
    Robustness,
    /// Informs.
    May,
}

impl Level {
    /// A failure at this level decides the verdict, unless the row is derived.
    pub fn decides(self) -> bool {
        matches!(self, Self::Must | Self::MustNot | Self::Schema)
    }
}

/// Whom a clause binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Party {
    /// An ACP agent.
    Agent,
    /// An ACP or MCP client.
    Client,
    /// Both ends.
    Both,
    /// An MCP server.
    Server,
    /// An MCP gateway.
    Gateway,
}

/// How a clause can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observable {
    /// On any traffic.
    Wire,
    /// With provoking input.
    Probe,
    /// On the machine: a loopback site, an opener shim, a process.
    Host,
    /// Only by a person or in the code.
    Attest,
}

/// One clause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Never changes meaning.
    pub id: String,
    /// `v1`, `v2`.
    pub versions: Vec<String>,
    /// Whom it binds.
    pub party: Party,
    /// The level that is safe for every version of the row.
    pub level: Level,
    /// The stricter level of v1, where the versions differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level_v1: Option<Level>,
    /// The stricter level of v2, where the versions differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level_v2: Option<Level>,
    /// We infer it and the text does not state it: reported apart, never decides.
    #[serde(default)]
    pub derived: bool,
    /// The clause in our words.
    pub text: String,
    /// Where it stands.
    pub source: String,
    /// How it can be seen.
    pub observable: Observable,
    /// How it is judged.
    pub how: String,
    /// A defect that breaks it.
    #[serde(default)]
    pub mutant: String,
    /// Answers that all pass.
    #[serde(default)]
    pub accepts: Vec<String>,
    /// The row whose rule serves this one too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// Why this id is never judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired: Option<String>,
    /// Which edition of the text it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// The capability that makes it applicable, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// The capabilities that make it applicable, as methods that the target announces (`session/load`): where one
    /// is missing the row is not applicable. Evaluated on the world at the end of a trace.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Why no rule judges it (for now or for ever), where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_rule: Option<String>,
    /// 1 = strict and on the wire, 2 = should or robustness, 3 = the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
}

impl Requirement {
    /// The id without its last number: `ACP-ELICIT-CAP`. The area's short name is what stands after `ACP-` or `MCP-`.
    pub fn area(&self) -> &str {
        todo!()
    }

    /// The row applies to this version (`v1`, `v2`) and is not retired.
    pub fn applies_to(&self, version: &str) -> bool {
        self.retired.is_none() && self.versions.iter().any(|v| v == version)
    }

    /// The level in this version (`v1`, `v2`).
    pub fn level_in(&self, version: &str) -> Level {
        let _ = version;
        todo!()
    }

    /// A failure in this version makes the target nonconforming.
    pub fn decides_in(&self, version: &str) -> bool {
        !self.derived && self.level_in(version).decides()
    }
}

/// All requirements, by id.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    /// By id.
    pub requirements: BTreeMap<String, Requirement>,
}

impl Catalogue {
    /// The requirement with this id.
    pub fn get(&self, id: &str) -> Option<&Requirement> {
        self.requirements.get(id)
    }
}

/// Why a catalogue file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// Not TOML, or not of the catalogue's shape.
    #[error("{file}: {source}")]
    Toml {
        /// The file.
        file: String,
        /// What is wrong.
        source: Box<toml::de::Error>,
    },
    /// An id stands twice, or `same_as` names nothing.
    #[error("{file}: {reason}")]
    Row {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
}
