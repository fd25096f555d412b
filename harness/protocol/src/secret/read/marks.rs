//! What is known of each word of a text.

use std::cmp::Ordering;
use std::ops::Range;

use super::super::lexicon::{Grammar, Match};
use super::super::table::Meaning;
use super::super::words::{Gap, Text, Word};

/// A set of what is true of a word.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark(u32);

impl Mark {
    pub(super) const ASPECT: u32 = 1;
    pub(super) const ASPECT_BEGINS: u32 = 1 << 1;
    pub(super) const ACT_ENDS: u32 = 1 << 2;
    pub(super) const ASK: u32 = 1 << 3;
    pub(super) const ASKED_BEGINS: u32 = 1 << 4;
    pub(super) const NOT: u32 = 1 << 5;
    pub(super) const QUESTION: u32 = 1 << 6;
    pub(super) const FUNCTION: u32 = 1 << 7;
    pub(super) const FILLER: u32 = 1 << 8;
    pub(super) const TAIL_BEGINS: u32 = 1 << 9;
    pub(super) const GENERIC: u32 = 1 << 10;
    pub(super) const SERVICE: u32 = 1 << 11;
    pub(super) const FOR: u32 = 1 << 12;
    pub(super) const CONTENT: u32 = 1 << 13;
    pub(super) const VERB: u32 = 1 << 14;
    pub(super) const SECRET_BEGINS: u32 = 1 << 15;
    pub(super) const PART: u32 = 1 << 16;
    pub(super) const RELATIVE: u32 = 1 << 17;

    fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }
}

/// The marks of all words, and where their sentences begin.
pub(super) struct Marks {
    of_words: Vec<Mark>,
    /// For each word, the first word of what stands between two pauses.
    pub(super) segment: Vec<usize>,
    /// For each word, the first word of its sentence.
    pub(super) sentence: Vec<usize>,
    /// For each word, how far a harmless thing reaches that began at it or before.
    pub(super) harmless: Vec<usize>,
}

impl Marks {
    pub(super) fn new(text: &Text<'_>, matches: &[Match]) -> Self {
        let count = text.words.len();
        let mut all = Self {
            of_words: vec![Mark::default(); count],
            segment: begins(&text.words, Gap::Pause),
            sentence: begins(&text.words, Gap::Stop),
            harmless: vec![0; count],
        };
        let foreign = foreign(matches, count);
        for Match {
            meaning,
            words,
            grammar,
        } in matches
        {
            if Some(*grammar) == foreign && is_of_sentences(*meaning) {
                continue;
            }
            let first = words.start..words.start + 1;
            let last = words.end - 1..words.end;
            match meaning {
                Meaning::Aspect => {
                    all.set(first, Mark::ASPECT_BEGINS);
                    all.set(words.clone(), Mark::ASPECT);
                }
                Meaning::Act => all.set(last, Mark::ACT_ENDS),
                Meaning::Ask => all.set(words.clone(), Mark::ASK),
                Meaning::Content => {
                    all.set(words.clone(), Mark::CONTENT | Mark::ASK | Mark::FILLER);
                }
                Meaning::Verb => all.set(first, Mark::VERB),
                Meaning::Asked => all.set(first, Mark::ASKED_BEGINS),
                Meaning::Not => all.set(words.clone(), Mark::NOT),
                Meaning::Relative => all.set(words.clone(), Mark::RELATIVE),
                Meaning::Question => all.set(first, Mark::QUESTION),
                Meaning::Function => all.set(words.clone(), Mark::FUNCTION),
                Meaning::For => all.set(words.clone(), Mark::FUNCTION | Mark::FOR),
                Meaning::Filler => all.set(words.clone(), Mark::FILLER),
                Meaning::Tail => all.set(first, Mark::TAIL_BEGINS),
                Meaning::Generic => all.set(words.clone(), Mark::GENERIC),
                Meaning::Part => all.set(words.clone(), Mark::PART),
                Meaning::Service => all.set(words.clone(), Mark::SERVICE),
                Meaning::Harmless => {
                    let reach = &mut all.harmless[words.start];
                    *reach = words.end.max(*reach);
                }
                Meaning::Secret(..) => all.set(first, Mark::SECRET_BEGINS),
                Meaning::Other | Meaning::AskIt | Meaning::Context(_) | Meaning::Elsewhere(_) => {}
            }
        }
        for index in 1..count {
            all.harmless[index] = all.harmless[index].max(all.harmless[index - 1]);
        }
        all
    }

    fn set(&mut self, words: Range<usize>, bits: u32) {
        for mark in &mut self.of_words[words] {
            mark.0 |= bits;
        }
    }

    pub(super) fn has(&self, word: usize, bits: u32) -> bool {
        self.of_words.get(word).is_some_and(|mark| mark.has(bits))
    }

    /// The word ends what is named before it.
    pub(super) fn ends_a_name(&self, word: usize) -> bool {
        self.has(word, Mark::FUNCTION) && !self.has(word, Mark::FILLER | Mark::ASK)
    }
}

/// Meanings of short words, that are other words in other languages.
fn is_of_sentences(meaning: Meaning) -> bool {
    use Meaning::{Act, For, Function, Not, Question, Relative, Verb};
    matches!(
        meaning,
        Act | For | Function | Not | Question | Relative | Verb
    )
}

/// Of the two groups of languages that share an alphabet, the one that fewer words are of.
fn foreign(matches: &[Match], count: usize) -> Option<Grammar> {
    let weight = |meaning: Meaning| match meaning {
        Meaning::Secret(..) => 2,
        Meaning::Ask | Meaning::Asked | Meaning::Aspect | Meaning::Content | Meaning::Filler => 1,
        other => u32::from(is_of_sentences(other)),
    };
    let words_of = |group: Grammar| {
        let mut weights = vec![0; count];
        for found in matches.iter().filter(|found| found.grammar == group) {
            for word in &mut weights[found.words.clone()] {
                *word = weight(found.meaning).max(*word);
            }
        }
        weights.iter().sum::<u32>()
    };
    let (behind, in_front) = (words_of(Grammar::Behind), words_of(Grammar::InFront));
    match behind.cmp(&in_front) {
        Ordering::Less => Some(Grammar::Behind),
        Ordering::Equal => None,
        Ordering::Greater => Some(Grammar::InFront),
    }
}

/// For each word, where the stretch begins that such a gap opened.
fn begins(words: &[Word], gap: Gap) -> Vec<usize> {
    let mut start = 0;
    let place = |(index, word): (usize, &Word)| {
        if word.gap >= gap {
            start = index;
        }
        start
    };
    words.iter().enumerate().map(place).collect()
}
