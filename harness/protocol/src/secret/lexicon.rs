//! The tables, made ready for finding their phrases in a text.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use super::fold::fold;
use super::table::{ADJECTIVES, AROUND, CODES, CONTEXT, GLUE, HARMLESS, Meaning, SECRETS};
use super::words::{Gap, Text};

/// A phrase found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) meaning: Meaning,
    /// The words that it covers.
    pub(super) words: Range<usize>,
    pub(super) grammar: Grammar,
}

/// How a language names a thing that belongs to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    /// "password manager": what it is stands behind (English, German).
    Behind,
    /// "nom de la clé": what it is stands in front, with a preposition (French, Spanish, Portuguese).
    InFront,
    /// Behind, and with nothing or a particle between (Japanese, Chinese).
    Particle,
    /// In front, with nothing between (Russian).
    Genitive,
}

impl Grammar {
    /// That of the language whose phrases stand in this line of a table.
    fn of_line(line: usize) -> Self {
        match line {
            0 | 1 => Self::Behind,
            2..=4 => Self::InFront,
            5 | 6 => Self::Particle,
            _ => Self::Genitive,
        }
    }
}

/// The phrases as a tree of letters, with a [`SPACE`] between words and [`MORE`] for an ending.
pub(super) struct Lexicon {
    edges: HashMap<(u32, char), u32>,
    meanings: Vec<Vec<(Meaning, Grammar)>>,
    words: HashSet<String>,
    glue: HashSet<String>,
    adjectives: Vec<String>,
}

const SPACE: char = ' ';
const MORE: char = '*';
/// How many letters an ending has at most.
const ENDING: usize = 3;
/// How many words of glue may stand between two words of a phrase.
const GLUED: usize = 3;
/// Far more than a walk takes on any text that a person wrote.
const STEPS: usize = 1000;
/// Shorter words are not looked for inside other words, apart from those of [`Meaning::Part`].
const SHORT: usize = 3;
/// The lexicon of the tables.
pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::of_tables);

impl Lexicon {
    fn of_tables() -> Self {
        let mut lexicon = Self {
            edges: HashMap::new(),
            meanings: vec![Vec::new()],
            words: HashSet::new(),
            glue: GLUE
                .iter()
                .flat_map(|line| line.split(' '))
                .map(folded)
                .collect(),
            adjectives: ADJECTIVES.split(' ').map(folded).collect(),
        };
        for (meaning, grammar, phrase) in phrases() {
            lexicon.add(phrase, meaning, grammar);
        }
        lexicon
    }

    fn add(&mut self, phrase: &str, meaning: Meaning, grammar: Grammar) {
        let phrase = folded(phrase);
        let mut node = 0;
        for letter in phrase.chars() {
            node = self.grow(node, letter);
        }
        let meanings = &mut self.meanings[node as usize];
        if !meanings.contains(&(meaning, grammar)) {
            meanings.push((meaning, grammar));
        }
        if meaning.is_of_identifiers() {
            let least = if meaning == Meaning::Part { 1 } else { SHORT };
            let long = |word: &&str| word.len() >= least && !word.contains(MORE);
            self.words
                .extend(phrase.split(SPACE).filter(long).map(str::to_owned));
        }
    }

    fn grow(&mut self, node: u32, letter: char) -> u32 {
        let next = u32::try_from(self.meanings.len()).unwrap_or(u32::MAX);
        *self.edges.entry((node, letter)).or_insert_with(|| {
            self.meanings.push(Vec::new());
            next
        })
    }

    pub(super) fn is_word(&self, spelling: &str) -> bool {
        self.words.contains(spelling)
    }

    /// Whether it ends like a Russian adjective.
    pub(super) fn is_adjective(&self, spelling: &str) -> bool {
        self.adjectives
            .iter()
            .any(|ending| spelling.ends_with(ending))
    }

    pub(super) fn is_glue(&self, spelling: &str) -> bool {
        self.glue.contains(spelling)
    }

    /// All phrases in the text, by where they begin.
    pub(super) fn find(&self, text: &Text<'_>) -> Vec<Match> {
        let mut found = Vec::new();
        for start in 0..text.words.len() {
            let mut walk = Walk {
                lexicon: self,
                text,
                start,
                steps: STEPS,
                found: &mut found,
            };
            walk.step(0, start, text.words[start].letters.start);
        }
        found
    }
}

/// All phrases of the tables.
fn phrases() -> impl Iterator<Item = (Meaning, Grammar, &'static str)> {
    let tables = [SECRETS, CODES, HARMLESS, AROUND, CONTEXT]
        .into_iter()
        .flatten();
    tables.flat_map(|(meaning, lines)| {
        lines.iter().enumerate().flat_map(move |(number, line)| {
            let phrases = line
                .split(',')
                .map(str::trim)
                .filter(|phrase| !phrase.is_empty());
            phrases.map(move |phrase| (*meaning, Grammar::of_line(number), phrase))
        })
    })
}

fn folded(words: &str) -> String {
    words.chars().filter_map(fold).collect()
}

/// One walk along the tree and the text at once. It ends with the longest phrase of the tree, and after [`STEPS`] at
/// the latest, so that all walks together take time in proportion to the text.
struct Walk<'a> {
    lexicon: &'a Lexicon,
    text: &'a Text<'a>,
    start: usize,
    steps: usize,
    found: &'a mut Vec<Match>,
}

impl Walk<'_> {
    fn step(&mut self, node: u32, word: usize, letter: usize) {
        let Range { start, end } = self.text.words[word].letters;
        let Some(steps) = self.steps.checked_sub(1) else {
            return;
        };
        self.steps = steps;
        if letter == end {
            return self.word_ended(node, word, letter);
        }
        if let Some(next) = self.edge(node, self.text.letter(letter)) {
            self.step(next, word, letter + 1);
        }
        if letter == start {
            return;
        }
        // Words of a phrase may be written together.
        if let Some(next) = self.edge(node, SPACE) {
            self.step(next, word, letter);
        }
        if end - letter <= ENDING
            && let Some(next) = self.edge(node, MORE)
        {
            self.word_ended(next, word, end);
        }
    }

    fn word_ended(&mut self, node: u32, word: usize, letter: usize) {
        for &(meaning, grammar) in &self.lexicon.meanings[node as usize] {
            let words = self.start..word + 1;
            self.found.push(Match {
                meaning,
                words,
                grammar,
            });
        }
        if letter > self.text.words[word].letters.start
            && let Some(next) = self.edge(node, MORE)
        {
            self.word_ended(next, word, letter);
        }
        let Some(following) = self.following(word) else {
            return;
        };
        self.step(node, following, self.text.words[following].letters.start);
        let Some(next) = self.edge(node, SPACE) else {
            return;
        };
        let mut following = following;
        for _ in 0..=GLUED {
            self.step(next, following, self.text.words[following].letters.start);
            let Some(beyond) = self
                .following(following)
                .filter(|_| self.text.words[following].glue)
            else {
                return;
            };
            following = beyond;
        }
    }

    /// The next word, unless there is a pause before it.
    fn following(&self, word: usize) -> Option<usize> {
        let next = self.text.words.get(word + 1)?;
        (next.gap == Gap::Joint).then_some(word + 1)
    }

    fn edge(&self, node: u32, letter: char) -> Option<u32> {
        self.lexicon.edges.get(&(node, letter)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Strength;
    use super::*;

    #[test]
    fn every_phrase_is_found_however_its_words_are_joined() {
        for (meaning, _, phrase) in phrases() {
            let spaced = phrase.replace(MORE, "");
            let camel: String = spaced.split(SPACE).map(capitalised).collect();
            // The capital of `ß` is two letters, so words with it stand in both spellings.
            let capitals = if phrase.contains('ß') {
                spaced.clone()
            } else {
                spaced.to_uppercase()
            };
            for written in [
                spaced.replace(SPACE, "_"),
                spaced.replace(SPACE, "-"),
                capitals,
                camel,
                spaced,
            ] {
                let text = Text::read(&written, &LEXICON);
                let whole = |found: &Match| {
                    found.meaning == meaning && found.words == (0..text.words.len())
                };
                assert!(
                    LEXICON.find(&text).iter().any(whole),
                    "{meaning:?}: {written}"
                );
            }
        }
    }

    fn capitalised(word: &str) -> String {
        let mut chars = word.chars();
        let first = chars.next().into_iter().flat_map(char::to_uppercase);
        first.chain(chars).collect()
    }

    #[test]
    fn no_phrase_stands_twice_with_the_same_meaning_in_a_language() {
        let mut known = Vec::new();
        for (meaning, grammar, phrase) in phrases() {
            let entry = (meaning, grammar, folded(phrase));
            assert!(!known.contains(&entry), "twice: {meaning:?} {phrase}");
            known.push(entry);
        }
    }

    #[test]
    fn words_stand_apart_joined_or_with_glue_between() {
        let secrets = |written| {
            let text = Text::read(written, &LEXICON);
            let found = LEXICON.find(&text);
            let secret =
                |found: &&Match| matches!(found.meaning, Meaning::Secret(_, Strength::Strong));
            found
                .iter()
                .find(secret)
                .map(|found| text.quote(&found.words))
        };
        let table = [
            ("api key", Some("api key")),
            ("my_apiKey2", Some("apiKey")),
            ("acmeapikey", Some("apikey")),
            ("APIKeys", Some("APIKeys")),
            ("clé d'API", Some("clé d'API")),
            ("número de la tarjeta", Some("número de la tarjeta")),
            ("Datenbankpasswort", Some("passwort")),
            ("паролем", Some("паролем")),
            ("カードの番号", Some("カードの番号")),
            ("api, key", None),
            ("api. key", None),
            ("monkey", None),
            ("пароход", None),
        ];
        for (written, expected) in table {
            assert_eq!(secrets(written), expected, "{written}");
        }
    }
}
