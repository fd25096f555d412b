//! The grammar of moves: writes the steps of a script one move after another, with names for what replies will bring.
//!
//! It knows roughly what is open, so that most of what it writes comes to something; what a client may do at any time
//! it does at any time.

mod agent;
mod client;

use elenchus_protocol::Version;
use elenchus_suites::script::Target;

use super::draft::Draft;
use crate::{campaign::Knowledge, instance::Gap, seed::Random};

/// What the grammar may speak of.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    pub(super) target: Target,
    pub(super) version: Version,
    /// The triggers that work, as prompts. Any target takes a prompt of plain words.
    pub(super) triggers: Vec<String>,
    /// The methods that it announces besides those that it has to have.
    pub(super) methods: Vec<String>,
    /// What a client was seen to heed of its environment.
    pub(super) heeds: Vec<&'static str>,
    /// The answer to `session/new` tells of modes, and of options that can be set.
    pub(super) modes: bool,
    pub(super) options: bool,
}

impl Words {
    /// What was learned of a target, in one version.
    pub(super) fn of(knowledge: &Knowledge, target: Target, version: Version) -> Self {
        let triggers = knowledge.triggers.iter();
        let methods = knowledge.methods.iter();
        let heeds = knowledge.heeds.iter();
        Self {
            target,
            version,
            triggers: triggers
                .filter(|(other, name)| *other == version && name.starts_with('/'))
                .map(|(_, name)| name.clone())
                .collect(),
            methods: methods
                .filter(|(other, _)| *other == version)
                .map(|(_, name)| name.clone())
                .collect(),
            heeds: heeds
                .filter(|(other, _)| *other == version)
                .map(|(_, heed)| heed.word())
                .collect(),
            modes: false,
            options: false,
        }
    }

    /// A draft whose trace tells what can be set in a session of an agent.
    pub(super) fn settings(&self) -> Draft {
        Draft {
            target: self.target,
            version: self.version,
            head: Vec::new(),
            body: vec!["open".to_owned()],
            gap: Gap::BackToBack,
        }
    }

    /// A new draft of about so many moves.
    pub(super) fn draft(&self, moves: usize, random: &mut Random) -> Draft {
        let mut draft = Draft {
            target: self.target,
            version: self.version,
            head: Vec::new(),
            body: Vec::new(),
            gap: gap(random),
        };
        match self.target {
            Target::Client => client::write(self, &mut draft, moves, random),
            _ => agent::write(self, &mut draft, moves, random),
        }
        draft
    }

    /// The lines of one move, for a place in the middle of a draft: it may speak of what is not there.
    pub(super) fn one(&self, draft: &Draft, random: &mut Random) -> Vec<String> {
        match self.target {
            Target::Client => client::one(self, draft, random),
            _ => agent::one(self, draft, random),
        }
    }
}

/// How the connection to an agent is opened: what is advertised.
pub(super) fn opening(random: &mut Random) -> String {
    agent::opening(random).to_owned()
}

/// What lies between the arms of a race.
pub(super) fn gap(random: &mut Random) -> Gap {
    match random.below(5) {
        0 | 1 => Gap::OneWrite,
        2 => Gap::BackToBack,
        3 => Gap::Micros([50, 200, 1000][random.below(3)]),
        _ => Gap::Latency([50, 100, 200][random.below(3)]),
    }
}

/// Ids of requests: both types of JSON, and numbers that get lost. None is one that a script's requests have by themselves,
/// as those count from 0: two open requests with one id are a fault of ours. None is beyond what a double holds exactly:
/// what such an id does, one script of the suite shows, and here it would show as anything.
pub(super) const IDS: [&str; 9] = [
    "100000",
    "-1",
    "\"0\"",
    "\"7\"",
    "\"\"",
    "\"a\"",
    "\"ü\"",
    "4294967296",
    "\"elenchus-twin\"",
];

/// Lines that are no messages, or none that anybody has to answer.
pub(super) const RAWS: [&str; 10] = [
    r"\n",
    r"nonsense\n",
    r#"{"jsonrpc":"2.0",\n"#,
    r"[]\n",
    r"{}\n",
    r"null\n",
    r#"{"jsonrpc":"2.0","method":"_elenchus/notice"}\r\n"#,
    r#"{"jsonrpc":"2.0","id":424243,"result":{}}\n"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}\n"#,
    r#"{"jsonrpc":"2.0","method":"_elenchus/notice","params":{"t":"\xFF"}}\n"#,
];

/// What is chosen with this weight.
pub(super) fn weighted<T: Copy>(choices: &[(u32, T)], random: &mut Random) -> Option<T> {
    let total: u32 = choices.iter().map(|(weight, _)| weight).sum();
    let mut left = u32::try_from(random.below(total as usize)).unwrap_or(0);
    for (weight, choice) in choices {
        if left < *weight {
            return Some(*choice);
        }
        left -= weight;
    }
    None
}

/// A name that nothing else in the draft has, most likely.
pub(super) fn fresh(prefix: &str, random: &mut Random) -> String {
    format!("{prefix}{}", random.below(1000))
}

/// The names that lines of the draft give, by the word that the steps begin with.
pub(super) fn named(draft: &Draft, words: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for line in &draft.body {
        let step = line.strip_prefix(super::draft::ARM).unwrap_or(line);
        let word = step.split(' ').next().unwrap_or_default();
        if !words.contains(&word) {
            continue;
        }
        if let Some((_, name)) = step.rsplit_once(" as ")
            && !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(target: Target, version: Version) -> Words {
        Words {
            target,
            version,
            triggers: elenchus_suites::vocabulary::TRIGGERS
                .iter()
                .map(|trigger| trigger.name.to_owned())
                .collect(),
            methods: [
                "session/load",
                "session/resume",
                "session/close",
                "session/list",
            ]
            .map(str::to_owned)
            .to_vec(),
            heeds: vec!["answers", "permission", "cancel", "turns"],
            modes: true,
            options: true,
        }
    }

    #[test]
    fn nearly_all_that_the_grammar_writes_is_a_script() {
        for target in [Target::Agent, Target::Client] {
            for version in Version::ALL {
                let words = words(target, version);
                let mut random = Random::new(1);
                let mut flaws = Vec::new();
                for round in 0..500 {
                    let draft = words.draft(1 + round % 30, &mut random);
                    if let Err(error) = draft.script("s") {
                        flaws.push(format!("{error}\n{}", draft.text("", None)));
                    }
                }
                assert!(
                    flaws.len() < 10,
                    "{} of 500 for {target:?} {version}: {}",
                    flaws.len(),
                    flaws[0]
                );
            }
        }
    }

    #[test]
    fn single_moves_fit_into_most_places() {
        for target in [Target::Agent, Target::Client] {
            let words = words(target, Version::AcpV1);
            let mut random = Random::new(2);
            let mut good = 0;
            for _ in 0..500 {
                let mut draft = words.draft(12, &mut random);
                let lines = words.one(&draft, &mut random);
                assert!(!lines.is_empty());
                draft.body.extend(lines);
                good += usize::from(draft.script("s").is_ok());
            }
            assert!(good > 400, "{target:?}: {good} of 500");
        }
    }

    #[test]
    fn a_seed_decides_everything() {
        let words = words(Target::Agent, Version::AcpV1);
        let of = |seed| words.draft(20, &mut Random::new(seed));
        assert_eq!(of(3), of(3));
        assert_ne!(of(3), of(4));
    }
}
