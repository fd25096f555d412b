//! A campaign whose loop is somebody else's: another engine decides what is tried, and everything else is as usual.

use std::collections::HashSet;

use super::{MOVES, Status, draft::Draft, mutate::mutate, stand::Stand, work::Work};
use crate::seed::Random;

/// A campaign in the hands of somebody else's loop. Inputs are scripts, as text.
pub struct Lab<'l, 's> {
    pub(super) work: &'l Work<'l, 's>,
    pub(super) stand: Stand<'l>,
    pub(super) random: Random,
}

impl Lab<'_, '_> {
    /// What the campaign would begin with.
    pub fn seeds(&self) -> Vec<String> {
        self.work.seeds.iter().map(Draft::input).collect()
    }

    /// A new input.
    pub fn generate(&mut self) -> String {
        let words = self.random.pick(&self.work.words);
        let words = words.unwrap_or(&self.work.words[0]).clone();
        let moves = 1 + self.random.below(MOVES);
        words.draft(moves, &mut self.random).input()
    }

    /// A child of an input, perhaps with parts of another one; the same text if it is no script of this campaign.
    pub fn mutate(&mut self, parent: &str, other: Option<&str>) -> String {
        let Some(draft) = self.read(parent) else {
            return parent.to_owned();
        };
        let words = self.work.words.iter();
        let Some(words) = words.clone().find(|words| words.version == draft.version) else {
            return parent.to_owned();
        };
        let other = other.and_then(|other| self.read(other));
        mutate(&draft, other.as_ref(), words, &mut self.random).input()
    }

    /// Performs an input, judges it, and looks into what it shows; its features come back, none if it is no script of this
    /// campaign.
    /// `None` if the program has to stop.
    pub fn perform(&mut self, input: &str) -> Option<HashSet<u64>> {
        if self.work.over() {
            return None;
        }
        let Some(draft) = self.read(input) else {
            return Some(HashSet::new());
        };
        let features = self.work.perform(&draft, &mut self.stand)?;
        self.work.tell();
        Some(features)
    }

    /// The draft of an input that is for this kind of target, in a version that it speaks: inputs may come from anywhere.
    fn read(&self, input: &str) -> Option<Draft> {
        let spoken = |draft: &Draft| {
            let mut words = self.work.words.iter();
            words.any(|words| words.version == draft.version)
        };
        Draft::read(input).filter(|draft| draft.target == self.work.fuzz.target() && spoken(draft))
    }

    /// How far the campaign is.
    pub fn status(&self) -> Status {
        self.work.status()
    }
}
