//! What a reader of a broken script sees: where, what, what may stand there, and a caret below it.

/// Why a script could not be read: what, where, and what may stand there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct ScriptError {
    /// The script.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// What is wrong, and what may stand there.
    pub message: String,
    /// The line's text, for the caret.
    pub text: String,
}

/// Characters of the line that are shown to the left and to the right of the caret.
const WINDOW: usize = 60;

impl ScriptError {
    /// The error over several lines: the message, the script's line, and a caret below the place. Of a long line only
    /// the surroundings of the caret are shown.
    pub fn caret(&self) -> String {
        format!("{self}\n{}", caret(self.line, self.column, &self.text))
    }
}

/// A line of a file with its number, and a caret below a column; both are counted from 1, columns in characters. Of a
/// long line only the surroundings of the caret are shown.
pub(crate) fn caret(line: u32, column: u32, text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = (column as usize).saturating_sub(1).min(chars.len());
    let start = at.saturating_sub(WINDOW);
    let end = (at + WINDOW).min(chars.len());
    let more = |is_more| if is_more { "…" } else { "" };
    let shown: String = chars[start..end].iter().map(|c| visible(*c)).collect();
    // Tabs are kept, so that the caret stands below its place at any tab width.
    let indent = chars[start..at]
        .iter()
        .map(|c| if *c == '\t' { '\t' } else { ' ' });
    let indent: String = more(start > 0).chars().map(|_| ' ').chain(indent).collect();
    let text = format!("{}{shown}{}", more(start > 0), more(end < chars.len()));
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    format!(
        "{margin} |\n{number} | {}\n{margin} | {indent}^",
        text.trim_end()
    )
}

/// A character that does nothing to a terminal.
fn visible(c: char) -> char {
    match c {
        '\t' => c,
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// A word of the script as it is told in a message, which need not be as long as the word.
pub(crate) fn crop(word: &str) -> String {
    let mut shown: String = word.chars().take(WINDOW).collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    shown
}

/// What is wrong within one line, before the line and the file are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flaw {
    /// The byte offset in the line, on a character boundary.
    pub(super) at: usize,
    /// What is wrong, and what may stand there.
    pub(super) message: String,
    /// Something is missing, so that it helps to see how the step is used.
    wants_usage: bool,
}

impl Flaw {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
            wants_usage: false,
        }
    }

    /// What must stand at a place, and does not.
    pub(super) fn missing(at: usize, what: &str) -> Self {
        Self {
            at,
            message: format!("{what} must stand here"),
            wants_usage: true,
        }
    }

    /// How the step is used, where that helps.
    pub(super) fn with_usage(mut self, usage: &str) -> Self {
        if std::mem::take(&mut self.wants_usage) {
            self.message.push_str(": ");
            self.message.push_str(usage);
        }
        self
    }
}

/// The word of `known` that was probably meant.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // Longer inputs are no misspelling of our words, and the table below is quadratic.
    if word.chars().count() > 40 {
        return None;
    }
    known
        .into_iter()
        .map(|k| (distance(word, k), k))
        .filter(|(d, k)| *d <= 1 + k.chars().count() / 4)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

/// ` (did you mean ...?)`, or nothing.
pub(crate) fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(word, known)
        .map(|k| format!(" (did you mean `{k}`?)"))
        .unwrap_or_default()
}

/// `a`, `b` or `c`: the words that may stand somewhere.
pub(crate) fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [head @ .., last] => {
            let head: Vec<String> = head.iter().map(|w| format!("`{w}`")).collect();
            format!("{} or `{last}`", head.join(", "))
        }
    }
}

/// How many letters must be added, dropped, changed or swapped with their neighbour to get from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_find_their_word_and_other_words_do_not() {
        let known = ["expect", "settle", "answer", "open", "on", "turn"];
        for (word, meant) in [
            ("exepct", Some("expect")),
            ("expects", Some("expect")),
            ("setle", Some("settle")),
            ("anwser", Some("answer")),
            ("opne", Some("open")),
            ("banana", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word:?}");
        }
    }

    #[test]
    fn only_the_surroundings_of_the_caret_are_shown() {
        let error = ScriptError {
            file: "x.script".to_owned(),
            line: 12,
            column: 101,
            message: "wrong".to_owned(),
            text: format!("{}!{}", "a".repeat(100), "b".repeat(100)),
        };
        let shown = error.caret();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "x.script:12:101: wrong");
        assert_eq!(
            lines[2],
            format!("12 | …{}!{}…", "a".repeat(60), "b".repeat(59))
        );
        assert_eq!(
            lines[3].chars().position(|c| c == '^'),
            lines[2].chars().position(|c| c == '!')
        );
    }

    #[test]
    fn a_column_past_the_line_points_at_its_end() {
        let error = ScriptError {
            file: "x".to_owned(),
            line: 1,
            column: 99,
            message: "m".to_owned(),
            text: "ab".to_owned(),
        };
        assert!(error.caret().ends_with("  |   ^"), "{}", error.caret());
    }
}
