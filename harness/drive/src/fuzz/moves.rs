//! The grammar of moves: writes the steps of a script one move after another, with names for what replies will bring.
//!
//! It knows roughly what is open, so that most of what it writes comes to something; what a client may do at any time
//! it does at any time.

mod agent;
mod client;

use elenchus_protocol::Version;
use elenchus_suites::script::Target;

use super::draft::{ARM, Draft};
use crate::{
    campaign::Knowledge,
    instance::Gap,
    seed::{Mix, Random},
};

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

    /// The lines of so many moves that go on from a place in a draft.
    pub(super) fn more(
        &self,
        draft: &Draft,
        place: usize,
        moves: usize,
        random: &mut Random,
    ) -> Vec<String> {
        match self.target {
            Target::Client => client::more(self, draft, place, moves, random),
            _ => agent::more(self, draft, place, moves, random),
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

/// Writes the lines of moves, one move after another.
trait Writer {
    /// A kind of move.
    type Move: Copy + PartialEq + 'static;
    /// How often each is made, in relation to the others.
    const MOVES: &'static [(u32, Self::Move)];

    fn random(&mut self) -> &mut Random;
    fn lines(&mut self) -> &mut Vec<String>;
    /// Writes the lines of a move; none where it cannot be made.
    fn write(&mut self, chosen: Self::Move);

    /// What this draft is made of.
    fn focus(&self) -> Focus;
    /// The kind of move without which one of this kind comes to nothing.
    fn after(chosen: Self::Move) -> Option<Self::Move>;

    /// A kind of move that this draft has: of a few, any; of all, by their weights.
    fn kind(&mut self) -> Option<Self::Move> {
        /// A draft of so many kinds at least, and of so many at most.
        const KINDS: (usize, usize) = (2, 7);
        let Some(mut few) = self.focus().few("kinds") else {
            let place = weighted(Self::MOVES, self.random())?;
            return Some(Self::MOVES[place].1);
        };
        let mut kinds: Vec<(u32, Self::Move)> = Vec::new();
        let count = KINDS.0 + few.below(KINDS.1 + 1 - KINDS.0);
        while kinds.len() < count {
            let (_, chosen) = Self::MOVES[weighted(Self::MOVES, &mut few)?];
            for kind in Self::after(chosen).into_iter().chain([chosen]) {
                // One may be most of a draft.
                let weight = 1 << few.below(4);
                if kinds.iter().all(|(_, other)| *other != kind) {
                    kinds.push((weight, kind));
                }
            }
        }
        let place = weighted(&kinds, self.random())?;
        Some(kinds[place].1)
    }

    /// Makes any move; now and then several times, as much shows only when a store is full or a count is wrong.
    fn make_any(&mut self) {
        let Some(chosen) = self.kind() else {
            return;
        };
        self.write(chosen);
        if !self.random().percent(8) {
            return;
        }
        for _ in 0..=self.random().below(3) {
            // What only sends can be sent again as it is; the name alone has to be another one.
            let last = self.lines().last().cloned();
            match last.filter(|line| line.starts_with("request ") || line.starts_with("notify ")) {
                Some(line) => {
                    let again = match (line.contains(" id "), line.rsplit_once(" as ")) {
                        (false, Some((step, _))) => {
                            format!("{step} as {}", fresh("r", self.random()))
                        }
                        (false, None) => line,
                        // Two open requests with one id are a fault of ours.
                        (true, _) => return,
                    };
                    self.lines().push(again);
                }
                None => self.write(chosen),
            }
        }
    }

    /// The lines of so many moves, behind those that are there.
    fn more(&mut self, moves: usize) -> Vec<String> {
        /// Not every move can be made at any time.
        const TRIES: usize = 20;
        let there = self.lines().len();
        for _ in 0..moves {
            let before = self.lines().len();
            for _ in 0..TRIES {
                self.make_any();
                if self.lines().len() > before {
                    break;
                }
            }
        }
        let mut lines = self.lines().split_off(there);
        if lines.is_empty() {
            lines.push("settle".to_owned());
        }
        lines
    }
}

/// What a draft is made of: everything, or few kinds of moves and few things to choose from in each, the same throughout,
/// which this number decides. What needs a few moves often, or in one order, is seldom found where all are equally likely.
#[derive(Debug, Clone, Copy)]
struct Focus(Option<u64>);

impl Focus {
    /// In so many of a hundred drafts everything may be.
    const EVERYTHING: u64 = 30;

    fn some(random: &mut Random) -> Self {
        let few = !random.percent(Self::EVERYTHING);
        Self(few.then(|| random.next()))
    }

    /// The numbers that decide what is left of the choice with this name; none if all of it.
    fn few(self, choice: &str) -> Option<Random> {
        let mut mix = Mix::new(self.0?);
        mix.add(choice.as_bytes());
        Some(Random::new(mix.value()))
    }

    /// One of these, out of those that are left.
    fn pick<'t, T>(self, choice: &str, all: &'t [T], random: &mut Random) -> Option<&'t T> {
        /// So many at most are left of a choice of which not all is left.
        const LEFT: usize = 3;
        let few = self.few(choice);
        let Some(mut few) = few.and_then(|mut few| few.percent(60).then_some(few)) else {
            return random.pick(all);
        };
        let count = 1 + few.below(LEFT);
        let mut places: Vec<usize> = (0..all.len()).collect();
        few.shuffle(&mut places);
        places.truncate(count);
        all.get(*random.pick(&places)?)
    }
}

/// The place of what is chosen with this weight.
fn weighted<T>(choices: &[(u32, T)], random: &mut Random) -> Option<usize> {
    let total: u32 = choices.iter().map(|(weight, _)| weight).sum();
    let mut left = u32::try_from(random.below(total as usize)).unwrap_or(0);
    for (place, (weight, _)) in choices.iter().enumerate() {
        if left < *weight {
            return Some(place);
        }
        left -= weight;
    }
    None
}

/// A name that nothing else in the draft has, most likely.
pub(super) fn fresh(prefix: &str, random: &mut Random) -> String {
    format!("{prefix}{}", random.below(1000))
}

/// A step in its parts: the word that it begins with, what follows, and the name that it gives to what comes of it.
fn parts(line: &str) -> (&str, &str, Option<&str>) {
    let step = line.strip_prefix(ARM).unwrap_or(line);
    let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
    let name = rest.rsplit_once("as ").map(|(_, name)| name);
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let name = name.filter(|name| !name.is_empty() && name.bytes().all(is_name));
    (word, rest, name)
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
                let end = draft.body.len();
                let lines = words.more(&draft, end, 1, &mut random);
                assert!(!lines.is_empty());
                draft.body.extend(lines);
                good += usize::from(draft.script("s").is_ok());
            }
            assert!(good > 450, "{target:?}: {good} of 500");
        }
    }

    #[test]
    fn most_drafts_are_made_of_few_things() {
        let mut random = Random::new(1);
        let all: Vec<usize> = (0..10).collect();
        let (mut few, mut everything) = (0, 0);
        for _ in 0..200 {
            let focus = Focus::some(&mut random);
            let mut picked: Vec<usize> = (0..100)
                .filter_map(|_| focus.pick("a", &all, &mut random).copied())
                .collect();
            picked.sort_unstable();
            picked.dedup();
            few += usize::from(picked.len() <= 3);
            everything += usize::from(picked.len() == all.len());
        }
        assert_eq!(few + everything, 200);
        assert!(few > 60 && everything > 60, "{few}");
        assert_eq!(
            Focus::some(&mut random).pick("a", &[0; 0], &mut random),
            None
        );
    }

    #[test]
    fn a_seed_decides_everything() {
        let words = words(Target::Agent, Version::AcpV1);
        let of = |seed| words.draft(20, &mut Random::new(seed));
        assert_eq!(of(3), of(3));
        assert_ne!(of(3), of(4));
    }
}
