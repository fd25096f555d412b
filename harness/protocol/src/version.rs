//! Protocol versions. A version carries an edition, so that the next draft of v2 is a change of data.

use std::{fmt, str::FromStr};

/// A protocol version that Elenchus speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// ACP protocol version 1.
    AcpV1,
    /// ACP protocol version 2, a draft.
    AcpV2,
}

impl Version {
    /// All versions, oldest first.
    pub const ALL: [Self; 2] = [Self::AcpV1, Self::AcpV2];

    /// The number in `initialize`.
    pub fn number(self) -> u16 {
        match self {
            Self::AcpV1 => 1,
            Self::AcpV2 => 2,
        }
    }

    /// The version with this number in `initialize`.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|version| version.number() == number)
    }

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::AcpV1 => "acp-v1",
            Self::AcpV2 => "acp-v2",
        }
    }

    /// The edition of the texts that this version means.
    pub fn edition(self) -> &'static str {
        "schema-1.20"
    }

    /// The name in the catalogue's `versions` lists: `v1`, `v2`.
    pub fn catalogue_name(self) -> &'static str {
        match self {
            Self::AcpV1 => "v1",
            Self::AcpV2 => "v2",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no protocol version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown protocol `{0}`; known are acp-v1 and acp-v2")]
pub struct UnknownVersion(String);

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(name: &str) -> Result<Self, UnknownVersion> {
        Self::ALL
            .into_iter()
            .find(|version| version.name() == name)
            .ok_or_else(|| UnknownVersion(name.to_owned()))
    }
}
