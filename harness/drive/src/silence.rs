//! What a target never does, however long it is waited for: it is not waited for at full length again and again.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use elenchus_protocol::{Version, acp::methods};

/// So often a wait has to have ended in vain, and none otherwise, before the next ones are short. What broke by that is
/// known by then, and was tried again.
const ENOUGH: u32 = 3;

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Awaited {
    /// The answer to a method, by its name; all that no version defines are one.
    Answer(&'static str),
    /// The end of a turn.
    Turn,
}

impl Awaited {
    /// The answer to a request with this method.
    pub(crate) fn answer(version: Version, method: &str) -> Self {
        Self::Answer(methods::method(version, method).map_or("", |method| method.name))
    }
}

/// What became of all waits of a run so far; `None` for what has come.
#[derive(Debug, Default)]
pub(crate) struct Silence(Mutex<BTreeMap<(Version, Awaited), Option<u32>>>);

impl Silence {
    /// It has never come, and was waited for at full length often enough.
    pub(crate) fn is_known(&self, version: Version, awaited: &Awaited) -> bool {
        let waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let vain = waits.get(&(version, awaited.clone())).copied().flatten();
        vain.is_some_and(|vain| vain >= ENOUGH)
    }

    /// It came, or a full wait for it ended in vain.
    pub(crate) fn note(&self, version: Version, awaited: Awaited, came: bool) {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let vain = waits.entry((version, awaited)).or_insert(Some(0));
        *vain = match *vain {
            Some(vain) if !came => Some(vain + 1),
            _ => None,
        };
    }
}

#[cfg(test)]
mod tests {
    use elenchus_protocol::Version;

    use super::{Awaited, ENOUGH, Silence};

    #[test]
    fn silence_is_known_when_nothing_ever_came() {
        let silence = Silence::default();
        let version = Version::AcpV1;
        let new = || Awaited::answer(version, "session/new");
        for _ in 0..ENOUGH {
            assert!(!silence.is_known(version, &new()));
            silence.note(version, new(), false);
        }
        assert!(silence.is_known(version, &new()));
        assert!(!silence.is_known(Version::AcpV2, &new()));
        assert!(!silence.is_known(version, &Awaited::answer(version, "_acme/x")));
        silence.note(version, new(), true);
        for _ in 0..2 * ENOUGH {
            silence.note(version, new(), false);
        }
        assert!(!silence.is_known(version, &new()), "it came once");
    }

    #[test]
    fn methods_that_nobody_defines_are_one() {
        let of = |method| Awaited::answer(Version::AcpV1, method);
        assert_eq!(of("_acme/x"), of("nobody/knows"));
        assert_ne!(of("session/new"), of("initialize"));
    }
}
