//! The exit status of the program: a contract with every script and every CI job that runs it.

use crate::model::Status;

/// How the program ends. The numbers never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitStatus {
    /// No deciding requirement failed, and at least one was exercised; or what was asked for was shown.
    Conforming = 0,
    /// A deciding requirement failed, or fails now and then.
    Nonconforming = 1,
    /// Wrong usage or configuration, or something that could not be written or read.
    Usage = 2,
    /// The target could not be run or never got to its work, the run was stopped, or nothing that decides was exercised.
    Incomplete = 3,
    /// A fault in elenchus itself.
    Fault = 4,
}

impl ExitStatus {
    /// The number that the program ends with.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Status> for ExitStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Conforming => Self::Conforming,
            Status::Nonconforming => Self::Nonconforming,
            Status::Incomplete => Self::Incomplete,
            Status::Error => Self::Fault,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ExitStatus;

    #[test]
    fn the_numbers_are_the_published_ones() {
        let all = [
            ExitStatus::Conforming,
            ExitStatus::Nonconforming,
            ExitStatus::Usage,
            ExitStatus::Incomplete,
            ExitStatus::Fault,
        ];
        assert_eq!(all.map(ExitStatus::code), [0, 1, 2, 3, 4]);
    }
}
