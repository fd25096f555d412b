//! From text to words.
//!
//! Identifiers are taken apart where their case or script changes, and where known words were written together. A
//! word of Japanese or Chinese is one character, since nothing stands between their words.

use std::ops::Range;

use super::fold::fold;
use super::lexicon::Lexicon;

/// What stands before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// Nothing, a space, or what binds words: `_`, `-`, an apostrophe.
    Joint,
    /// A comma, a bracket or a quote.
    Pause,
    /// The end of a sentence or of a line.
    Stop,
}

/// The scripts that are split in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Alphabet,
    Digit,
    Katakana,
    /// Han and Hiragana.
    Ideograph,
}

/// A word: some of the text's letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) letters: Range<usize>,
    pub(super) gap: Gap,
    pub(super) script: Script,
    /// It is glue: a phrase may have it between its words.
    pub(super) glue: bool,
}

/// A letter as it is read, and where it stands in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Letter {
    read: char,
    at: usize,
    capital: bool,
}

/// A text in words.
#[derive(Debug, Default)]
pub(super) struct Text<'a> {
    source: &'a str,
    letters: Vec<Letter>,
    pub(super) words: Vec<Word>,
}

/// No more of a text is read, so that memory stays bounded; nobody reads longer labels.
const READ: usize = 64 * 1024;
/// Longer words are no words.
const WORD: usize = 64;
/// The longest word that is looked for in another.
const PIECE: usize = 24;
/// A word that is cut off a longer unknown one has at least so many letters.
const TAIL: usize = 6;

impl<'a> Text<'a> {
    pub(super) fn read(source: &'a str, lexicon: &Lexicon) -> Self {
        let end = (0..=source.len().min(READ))
            .rev()
            .find(|end| source.is_char_boundary(*end));
        let source = &source[..end.unwrap_or(0)];
        let mut text = Self {
            source,
            ..Self::default()
        };
        text.split();
        let rough = std::mem::take(&mut text.words);
        for word in rough {
            text.part(word, lexicon);
        }
        for index in 0..text.words.len() {
            text.words[index].glue = lexicon.is_glue(&text.spell(&text.words[index].letters));
        }
        text
    }

    pub(super) fn letter(&self, index: usize) -> char {
        self.letters[index].read
    }

    /// The letters as they are read.
    pub(super) fn spell(&self, letters: &Range<usize>) -> String {
        self.letters[letters.clone()]
            .iter()
            .map(|letter| letter.read)
            .collect()
    }

    /// The source of these words.
    pub(super) fn quote(&self, words: &Range<usize>) -> &'a str {
        let first = self.words[words.start].letters.start;
        let last = self.words[words.end - 1].letters.end - 1;
        let start = self.letters[first].at;
        let end = self.letters[last].at;
        let last = self.source[end..].chars().next().map_or(0, char::len_utf8);
        &self.source[start..end + last]
    }

    /// Splits at everything that is no letter, and where case or script changes.
    fn split(&mut self) {
        let mut gap = Gap::Stop;
        let mut open: Option<Script> = None;
        let seen = |(at, char)| Some((at, char, fold(char)?));
        let mut chars = self.source.char_indices().filter_map(seen).peekable();
        while let Some((at, char, letter)) = chars.next() {
            let next = chars.peek().map(|(_, next, _)| *next);
            let Some(script) = script(letter) else {
                open = None;
                let solid = next.is_some_and(|next| !next.is_whitespace());
                gap = gap.max(separates(char, letter, solid));
                continue;
            };
            let letter = Letter {
                read: letter,
                at,
                capital: char.is_uppercase(),
            };
            let index = self.letters.len();
            let begins = open != Some(script) || self.begins_at_capital(letter, next);
            self.letters.push(letter);
            match self.words.last_mut() {
                Some(word) if !begins && matches!(script, Script::Alphabet | Script::Digit) => {
                    word.letters.end = index + 1;
                }
                _ => self.words.push(Word {
                    letters: index..index + 1,
                    gap,
                    script,
                    glue: false,
                }),
            }
            open = Some(script);
            gap = Gap::Joint;
        }
    }

    /// Whether a word begins in the middle of letters: at `K` of `apiKey` and of `APIKey`.
    fn begins_at_capital(&self, letter: Letter, next: Option<char>) -> bool {
        let before_capital = self.letters.last().is_some_and(|before| before.capital);
        letter.capital && (!before_capital || next.is_some_and(char::is_lowercase))
    }

    /// Takes words apart that were written together: `dbpassword`, `Datenbankpasswort`.
    fn part(&mut self, word: Word, lexicon: &Lexicon) {
        let Range { start, end } = word.letters.clone();
        let spelling = self.spell(&word.letters);
        let plain = word.script == Script::Alphabet && spelling.is_ascii();
        if !plain || spelling.len() > WORD || lexicon.is_word(&spelling) {
            self.words.push(word);
            return;
        }
        // From where on the rest of the spelling is known words, and the length of the first of them.
        let length = spelling.len();
        let mut known = vec![0; length];
        for from in (0..length).rev() {
            let fits = |size: &usize| {
                let piece = from..from + size;
                let inside = from > 0 && piece.end < length;
                let word = &spelling[piece.clone()];
                (piece.end == length || known[piece.end] > 0)
                    && (lexicon.is_word(word) || inside && lexicon.is_glue(word))
            };
            known[from] = (2..=(length - from).min(PIECE))
                .rev()
                .find(fits)
                .unwrap_or(0);
        }
        let Some(first) =
            (0..length).find(|&from| known[from] > 0 && (from == 0 || length - from >= TAIL))
        else {
            self.words.push(word);
            return;
        };
        let mut from = first;
        if first > 0 {
            self.words.push(Word {
                letters: start..start + first,
                ..word.clone()
            });
        }
        while from < length {
            let to = from + known[from];
            let gap = if from == 0 { word.gap } else { Gap::Joint };
            self.words.push(Word {
                letters: start + from..start + to,
                gap,
                ..word.clone()
            });
            from = to;
        }
        debug_assert_eq!(start + from, end);
    }
}

fn script(letter: char) -> Option<Script> {
    match letter {
        '0'..='9' => Some(Script::Digit),
        'a'..='z' => Some(Script::Alphabet),
        '\u{30A1}'..='\u{30FA}' | 'ー' => Some(Script::Katakana),
        '\u{3041}'..='\u{309F}'
        | '々'
        | '\u{3400}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}' => Some(Script::Ideograph),
        letter if letter.is_alphabetic() => Some(Script::Alphabet),
        letter if letter.is_numeric() => Some(Script::Digit),
        _ => None,
    }
}

/// The gap that a character makes which is read as this sign; `solid` when more text follows without a space.
fn separates(char: char, sign: char, solid: bool) -> Gap {
    match sign {
        // Chinese and Japanese put no space behind.
        _ if matches!(char, '：' | '；' | '？' | '！') => Gap::Stop,
        '.' | ':' | '?' | '!' if solid => Gap::Joint,
        '.' | ':' | ';' | '?' | '!' | '\n' | '\r' | '。' | '：' | '；' | '？' | '！' | '¿'
        | '¡' | '…' | '•' => Gap::Stop,
        ',' | '(' | ')' | '{' | '}' | '"' | '/' | '|' | '–' | '—' | '、' | '，' | '（' | '）'
        | '「' | '」' | '『' | '』' | '“' | '”' | '„' | '«' | '»' | '=' | '`' | '<' | '>'
        | '【' | '】' | '《' | '》' => Gap::Pause,
        _ => Gap::Joint,
    }
}
