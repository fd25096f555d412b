//! What the place of a secret's name in a text says of it.

use std::ops::Range;

use super::super::Kind;
use super::super::lexicon::{Grammar, LEXICON};
use super::super::table::Strength;
use super::super::words::{Gap, Script, Text, Word};
use super::marks::{Mark, Marks};
use super::{Named, Role, Style};

/// How far a word has influence, in words.
const NEAR: usize = 10;
/// The same for scripts whose words here are single characters.
const NEAR_CHARACTERS: usize = 24;
/// How far behind a name the verb that asks for it may stand.
const AFTER: usize = 4;
/// The words that a label may have before the secret's name.
const LABEL: usize = 6;
/// The same in a message, which is a label only as short as a prompt.
const PROMPT: usize = 3;
/// The words between a service and what it gives out.
const BESIDE: usize = 2;

/// A text in which places are judged.
pub(super) struct Place<'t, 'a> {
    pub(super) text: &'t Text<'a>,
    pub(super) marks: Marks,
    pub(super) style: Style,
}

impl Place<'_, '_> {
    /// Whether the words are only a part of a run of Katakana, as in the word for shopping, which ends like "PIN".
    pub(super) fn cuts_katakana(&self, words: &Range<usize>) -> bool {
        let katakana = |index: usize| {
            let word = self.text.words.get(index);
            word.is_some_and(|word| word.script == Script::Katakana)
        };
        let joined = |index: usize| {
            katakana(index)
                && index > 0
                && katakana(index - 1)
                && self.text.words[index].gap == Gap::Joint
        };
        joined(words.start) || joined(words.end)
    }

    /// The words stand in brackets, or after a comma.
    pub(super) fn is_aside(&self, words: &Range<usize>) -> bool {
        self.marks.segment[words.start] > self.marks.sentence[words.start]
    }

    /// "*GitHub* token".
    pub(super) fn has_service_beside(&self, words: &Range<usize>) -> bool {
        self.has_service(words, BESIDE, &self.marks.segment)
    }

    /// "Enter the token that *GitHub* showed you".
    pub(super) fn has_service_near(&self, words: &Range<usize>) -> bool {
        self.has_service(words, NEAR, &self.marks.sentence)
    }

    /// A service stands so near, in the same of these stretches.
    fn has_service(&self, words: &Range<usize>, near: usize, stretch: &[usize]) -> bool {
        let around = words.start.saturating_sub(near)..(words.end + near).min(stretch.len());
        let mut same = around.filter(|index| stretch[*index] == stretch[words.start]);
        same.any(|index| self.marks.has(index, Mark::SERVICE))
    }

    /// "Access token *caching*": a noun that no table holds says what the thing is.
    pub(super) fn has_stranger(&self, named: &Named) -> bool {
        const KNOWN: u32 = Mark::FUNCTION
            | Mark::FILLER
            | Mark::GENERIC
            | Mark::PART
            | Mark::ASK
            | Mark::ASKED_BEGINS
            | Mark::VERB
            | Mark::NOT
            | Mark::SECRET_BEGINS;
        let Range { start, end } = named.words;
        let given_out = matches!(named.kind, Kind::Token | Kind::ApiKey);
        let known = if given_out {
            KNOWN | Mark::SERVICE
        } else {
            KNOWN
        };
        let stranger = |index: usize| {
            let word = &self.text.words[index];
            word.script == Script::Alphabet && !word.glue && !self.marks.has(index, known)
        };
        match named.grammar {
            Grammar::Behind => {
                let next = self.text.words.get(end);
                next.is_some_and(|word| word.gap == Gap::Joint) && stranger(end)
            }
            Grammar::Genitive if start > self.marks.segment[start] => {
                let before = start - 1;
                let cyrillic = |char: char| matches!(char, '\u{400}'..='\u{4FF}');
                stranger(before)
                    && self.text.quote(&(before..start)).contains(cyrillic)
                    && !LEXICON.is_adjective(&self.text.spell(&self.text.words[before].letters))
            }
            Grammar::Genitive | Grammar::InFront | Grammar::Particle => false,
        }
    }

    /// How the text speaks of the secret. Its name leads the segment if nothing before it ends another name.
    pub(super) fn role(&self, named: &Named) -> Role {
        let words = &named.words;
        let segment = self.marks.segment[words.start];
        let mut before = words.start.saturating_sub(NEAR_CHARACTERS).max(segment)..words.start;
        let led = !before.any(|index| self.marks.ends_a_name(index));
        if self.marks.harmless[words.start] >= words.end {
            return if led { Role::About } else { Role::Mention };
        }
        let prose = matches!(self.style, Style::Prose | Style::Message);
        if prose && self.is_negated(words) {
            return Role::Mention;
        }
        if prose && self.is_led_by(Mark::CONTENT, words) {
            return Role::Ask;
        }
        if self.has_aspect_after(words) {
            return if led { Role::About } else { Role::Mention };
        }
        if self.has_act_before(named) {
            return if prose { Role::Mention } else { Role::About };
        }
        if self.has_aspect_before(named) {
            return Role::About;
        }
        if self.style != Style::Name {
            if self.is_questioned(named) {
                return Role::Mention;
            }
            if self.is_asked_for(named) {
                return Role::Ask;
            }
        }
        if led && self.is_label(words, named.strength) {
            Role::Label
        } else {
            Role::Mention
        }
    }

    /// How many words before this one have influence on it.
    fn window(&self, word: usize) -> Range<usize> {
        let before = word.saturating_sub(1);
        let near = match self.text.words[before].script {
            Script::Ideograph | Script::Katakana => NEAR_CHARACTERS,
            Script::Alphabet | Script::Digit => NEAR,
        };
        word.saturating_sub(near).max(self.marks.sentence[word])..word
    }

    /// Such a word stands before, speaks to the user, and what it is about reaches to here.
    fn is_led_by(&self, bits: u32, words: &Range<usize>) -> bool {
        let before = self.window(words.start).rev();
        let mut near = before
            .take_while(|index| self.marks.has(*index, bits) || !self.marks.ends_a_name(*index));
        let Some(leader) = near.find(|index| self.marks.has(*index, bits)) else {
            return false;
        };
        let segment = self.marks.segment[leader];
        let told =
            |index| self.marks.has(index, Mark::RELATIVE) && !self.marks.has(index, Mark::ASK);
        !(leader.saturating_sub(NEAR).max(segment)..leader).any(told)
    }

    /// "*Never* enter your password".
    pub(super) fn is_negated(&self, words: &Range<usize>) -> bool {
        self.window(words.start)
            .any(|index| self.marks.has(index, Mark::NOT))
    }

    /// It makes what stands before it belong to what stands after it.
    pub(super) fn is_link(&self, word: usize) -> bool {
        let spelling = self.text.spell(&self.text.words[word].letters);
        matches!(spelling.as_str(), "の" | "的" | "s")
    }

    /// "API key *name*".
    fn has_aspect_after(&self, words: &Range<usize>) -> bool {
        let joint = |index: usize| {
            self.text
                .words
                .get(index)
                .is_some_and(|word| word.gap == Gap::Joint)
        };
        let next = words.end + usize::from(joint(words.end) && self.is_link(words.end));
        joint(next) && self.marks.has(next, Mark::ASPECT_BEGINS)
    }

    /// "*Rotate* the API key".
    fn has_act_before(&self, named: &Named) -> bool {
        let close = self.style == Style::Name || named.grammar == Grammar::Particle;
        let mut strangers = if close { 0 } else { 2 };
        for index in self.window(named.words.start).rev() {
            if self.marks.has(index, Mark::ASK) {
                return false;
            }
            if self.marks.has(index, Mark::ACT_ENDS) {
                return true;
            }
            let particle = self.text.words[index].script == Script::Ideograph;
            if particle && self.is_link(index) {
                return false;
            }
            if self.text.words[index].glue || self.marks.has(index, Mark::FILLER) {
                continue;
            }
            if strangers == 0 || self.marks.has(index, Mark::FUNCTION) {
                return false;
            }
            strangers -= 1;
        }
        false
    }

    /// "*Path of* the private key".
    fn has_aspect_before(&self, named: &Named) -> bool {
        let words = &named.words;
        if named.grammar == Grammar::Particle {
            return false;
        }
        let segment = self.marks.segment[words.start];
        let mut function = false;
        let mut glue = false;
        let mut near = true;
        for index in self
            .window(words.start)
            .filter(|index| *index >= segment)
            .rev()
        {
            let aspect = self.marks.has(index, Mark::ASPECT) && !self.marks.has(index, Mark::ASK);
            if aspect && (function || near && (glue || named.grammar == Grammar::Genitive)) {
                return true;
            }
            if self.marks.has(index, Mark::ASK) && !aspect {
                return false;
            }
            function |= self.marks.ends_a_name(index);
            glue |= self.text.words[index].glue;
            near &= self.text.words[index].glue;
        }
        false
    }

    /// "*Where* is the API key?", unless the question is for the secret itself.
    fn is_questioned(&self, named: &Named) -> bool {
        let asks = |index: usize| {
            self.marks.has(index, Mark::QUESTION) && !self.marks.has(index, Mark::ASK)
        };
        match named.grammar {
            // There the word that asks stands where the answer would.
            Grammar::Particle => self.window(named.words.start).any(asks),
            _ => asks(self.marks.sentence[named.words.start]),
        }
    }

    /// "*Enter* your API key", or the verb after it.
    fn is_asked_for(&self, named: &Named) -> bool {
        let words = &named.words;
        if self.is_led_by(Mark::ASK, words) && !self.is_told_of(words) {
            return true;
        }
        // "What password does it have?"
        let before = words
            .start
            .checked_sub(1)
            .filter(|before| self.marks.has(*before, Mark::QUESTION));
        if before.is_some_and(|before| {
            self.marks.has(before, Mark::ASK) && self.marks.has(words.start, Mark::ASK)
        }) {
            return true;
        }
        let segment = self.marks.segment[words.start];
        let led = !(segment.max(words.start.saturating_sub(NEAR))..words.start)
            .any(|index| self.marks.ends_a_name(index));
        let reach = if named.grammar == Grammar::Particle {
            1
        } else {
            AFTER
        };
        for index in words.end..(words.end + reach).min(self.text.words.len()) {
            if !led || self.text.words[index].gap > Gap::Joint {
                return false;
            }
            if self.marks.has(index, Mark::ASKED_BEGINS) {
                return true;
            }
            if self.marks.ends_a_name(index) {
                return false;
            }
        }
        false
    }

    /// "The password *has* changed", or something that belongs to it.
    fn is_told_of(&self, words: &Range<usize>) -> bool {
        let next = self.text.words.get(words.end);
        next.is_some_and(|word| word.gap == Gap::Joint)
            && (self.marks.has(words.end, Mark::VERB) || self.is_link(words.end))
            && !self
                .marks
                .has(words.end, Mark::ASKED_BEGINS | Mark::TAIL_BEGINS)
    }

    /// The words are what the segment names.
    fn is_label(&self, words: &Range<usize>, strength: Strength) -> bool {
        if self.style == Style::Name {
            return true;
        }
        let segment = self.marks.segment[words.start];
        let first = segment == self.marks.sentence[words.start];
        let next = self
            .text
            .words
            .get(words.end)
            .filter(|word| word.gap == Gap::Joint);
        let ideographs = |word: &Word| matches!(word.script, Script::Ideograph | Script::Katakana);
        let last = &self.text.words[words.end - 1];
        let ended = match next {
            None => true,
            Some(word) if ideographs(last) || ideographs(word) => {
                self.marks.has(words.end, Mark::TAIL_BEGINS) || !ideographs(word)
            }
            Some(_) => self.style != Style::Message || self.marks.has(words.end, Mark::FOR),
        };
        let limit = match self.style {
            Style::Message if ideographs(last) => NEAR,
            Style::Message => PROMPT,
            _ if ideographs(last) && strength > Strength::Bare => NEAR_CHARACTERS,
            Style::Name | Style::Title | Style::Prose => LABEL,
        };
        let placed = first || self.style == Style::Title;
        ended
            && placed
            && !self.is_told_of(words)
            && words.start - segment <= limit
            && !(segment..words.start).any(|index| self.marks.has(index, Mark::RELATIVE))
            && (self.style != Style::Message || self.is_prompt(segment..words.start))
    }

    /// What stands before a name in a prompt: at most one word more than what names always have before them.
    fn is_prompt(&self, before: Range<usize>) -> bool {
        const USUAL: u32 = Mark::FILLER | Mark::SERVICE | Mark::PART | Mark::GENERIC;
        let stranger = |index: &usize| {
            let word = &self.text.words[*index];
            word.script == Script::Alphabet && !word.glue && !self.marks.has(*index, USUAL)
        };
        before.filter(stranger).count() <= 1
    }

    /// "*Name of* the environment variable".
    pub(super) fn begins_with_an_aspect(&self) -> bool {
        let skipped = |index: &usize| {
            (self.text.words[*index].glue || self.marks.has(*index, Mark::ASK | Mark::FILLER))
                && !self.marks.has(*index, Mark::ASPECT)
        };
        let first = (0..self.text.words.len().min(NEAR)).find(|index| !skipped(index));
        let Some(first) = first.filter(|first| self.marks.has(*first, Mark::ASPECT_BEGINS)) else {
            return false;
        };
        let end =
            (first..self.text.words.len()).find(|index| !self.marks.has(*index, Mark::ASPECT));
        end.is_some_and(|end| self.text.words[end].gap == Gap::Joint && self.marks.ends_a_name(end))
    }
}
