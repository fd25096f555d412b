//! The requirement catalogue: one table a clause, `suites/requirements/*.toml`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

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
    /// Why no rule judges it (for now or for ever), where none does; for a row of both parties with a rule for
    /// clients, why agents have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_rule: Option<String>,
    /// Why the rule that judges agents by it does not judge clients, where it binds both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_rule_client: Option<String>,
    /// 1 = strict and on the wire, 2 = should or robustness, 3 = the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
}

impl Requirement {
    /// What the types don't see.
    fn check(&self) -> Result<(), String> {
        let id = &self.id;
        let number = id.rsplit_once('-').map_or("", |(_, number)| number);
        let well_formed = id
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-')
            && number.len() == 3
            && number.bytes().all(|b| b.is_ascii_digit());
        if !well_formed {
            return Err(format!(
                "{id:?} is no id: capitals and hyphens, then a number of three digits"
            ));
        }
        if self.versions.is_empty() {
            return Err(format!("{id} applies to no version"));
        }
        if let Some(need) = self
            .needs
            .iter()
            .find(|need| need.is_empty() || need.contains(char::is_whitespace))
        {
            return Err(format!("{id} needs {need:?}, which is no method"));
        }
        Ok(())
    }

    /// The id without its last number: `ACP-ELICIT-CAP`. The area's short name is what stands after `ACP-` or `MCP-`.
    pub fn area(&self) -> &str {
        self.id
            .rsplit_once('-')
            .map_or(self.id.as_str(), |(area, _)| area)
    }

    /// The row applies to this version (`v1`, `v2`) and is not retired.
    pub fn applies_to(&self, version: &str) -> bool {
        self.retired.is_none() && self.versions.iter().any(|v| v == version)
    }

    /// The level in this version (`v1`, `v2`).
    pub fn level_in(&self, version: &str) -> Level {
        let stricter = match version {
            "v1" => self.level_v1,
            "v2" => self.level_v2,
            _ => None,
        };
        stricter.unwrap_or(self.level)
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

/// A catalogue file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    requirement: Vec<Requirement>,
}

impl Catalogue {
    /// Reads catalogue files: pairs of a name (for errors) and a text.
    pub fn from_toml<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
    ) -> Result<Self, CatalogueError> {
        Self::collect(files, |file, text| {
            toml::from_str::<File>(text)
                .map(|read| read.requirement)
                .map_err(|source| CatalogueError::Toml {
                    file: file.to_owned(),
                    source: Box::new(source),
                })
        })
    }

    /// Reads catalogue files in the form that they are embedded in: an array of rows as JSON.
    pub(crate) fn from_json(files: &[(&str, &str)]) -> Result<Self, CatalogueError> {
        Self::collect(files.iter().copied(), |file, text| {
            serde_json::from_str(text).map_err(|source| CatalogueError::Json {
                file: file.to_owned(),
                source,
            })
        })
    }

    fn collect<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
        read: impl Fn(&str, &str) -> Result<Vec<Requirement>, CatalogueError>,
    ) -> Result<Self, CatalogueError> {
        let mut requirements = BTreeMap::new();
        let mut references = Vec::new();
        for (file, text) in files {
            let wrong = |reason| CatalogueError::Row {
                file: file.to_owned(),
                reason,
            };
            for row in read(file, text)? {
                row.check().map_err(wrong)?;
                if let Some(other) = &row.same_as {
                    references.push((file, row.id.clone(), other.clone()));
                }
                match requirements.entry(row.id.clone()) {
                    Entry::Vacant(entry) => entry.insert(row),
                    Entry::Occupied(entry) => {
                        return Err(wrong(format!("{} stands twice", entry.key())));
                    }
                };
            }
        }
        for (file, id, other) in references {
            let reason = match requirements.get(&other) {
                Some(row) if row.same_as.is_none() && row.retired.is_none() => continue,
                Some(_) => format!(
                    "{id} is the same as {other}, whose rule is not its own: name the row that has it"
                ),
                None => format!("{id} is the same as {other}, which no row is"),
            };
            return Err(CatalogueError::Row {
                file: file.to_owned(),
                reason,
            });
        }
        Ok(Self { requirements })
    }

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
    /// The embedded form is not of the catalogue's shape.
    #[error("{file}: {source}")]
    Json {
        /// The file.
        file: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// An id stands twice or is malformed, a row applies to no version, or `same_as` names nothing.
    #[error("{file}: {reason}")]
    Row {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
}
