//! Text that is safe and readable on a terminal: escaping and wrapping.

use std::borrow::Cow;

/// Characters that do something to a terminal or hide something from a reader, besides the control characters:
/// those that are invisible, that reorder text, or that break lines. First and last of each range.
const UNSAFE: &[(u32, u32)] = &[
    (0x00ad, 0x00ad),   // soft hyphen
    (0x034f, 0x034f),   // combining grapheme joiner
    (0x0600, 0x0605),   // Arabic number signs
    (0x061c, 0x061c),   // Arabic letter mark
    (0x06dd, 0x06dd),   // Arabic end of ayah
    (0x070f, 0x070f),   // Syriac abbreviation mark
    (0x0890, 0x0891),   // Arabic currency marks
    (0x08e2, 0x08e2),   // Arabic disputed end of ayah
    (0x115f, 0x1160),   // Hangul fillers
    (0x17b4, 0x17b5),   // Khmer inherent vowels
    (0x180b, 0x180f),   // Mongolian selectors
    (0x200b, 0x200f),   // zero width characters, left-to-right and right-to-left marks
    (0x2028, 0x202e),   // line and paragraph separators, bidi embeddings and overrides
    (0x2060, 0x206f),   // invisible operators, bidi isolates
    (0x3164, 0x3164),   // Hangul filler
    (0xfe00, 0xfe0f),   // variation selectors
    (0xfeff, 0xfeff),   // byte order mark
    (0xffa0, 0xffa0),   // halfwidth Hangul filler
    (0xfff0, 0xfffb),   // interlinear annotation and unassigned invisibles
    (0x110bd, 0x110bd), // Kaithi number sign
    (0x110cd, 0x110cd), // Kaithi number sign above
    (0x13430, 0x1343f), // Egyptian format controls
    (0x1bca0, 0x1bca3), // shorthand format controls
    (0x1d173, 0x1d17a), // musical format controls
    (0xe0000, 0xe0fff), // tags and further variation selectors
];

/// Characters that take two columns: first and last of each range. Near enough for wrapping.
const WIDE: &[(u32, u32)] = &[
    (0x1100, 0x115f),
    (0x2e80, 0xa4cf),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xfe30, 0xfe6f),
    (0xff00, 0xff60),
    (0xffe0, 0xffe6),
    (0x1f300, 0x1faff),
    (0x20000, 0x3fffd),
];

fn within(ranges: &[(u32, u32)], c: char) -> bool {
    ranges
        .iter()
        .any(|&(first, last)| (first..=last).contains(&u32::from(c)))
}

/// The character can go to a terminal as it is.
pub fn is_printable(c: char) -> bool {
    !c.is_control() && (c.is_ascii() || !within(UNSAFE, c))
}

/// The text with every character that could act on a terminal or mislead a reader written as an escape: one line,
/// without control characters, ANSI sequences, bidi overrides or invisible characters.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_printable(c) {
            out.push(c);
        } else {
            out.extend(c.escape_default());
        }
    }
    Cow::Owned(out)
}

/// The columns that a printable text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

fn columns(c: char) -> usize {
    if !c.is_ascii() && within(WIDE, c) {
        2
    } else {
        1
    }
}

/// Breaks a printable text into lines of at most `width` columns: at spaces where it can; in a word that is longer than
/// a line (JSON, say) after a comma, or anywhere where there is none.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let needs = self::width(word);
        if used > 0 && used + 1 + needs <= width {
            line.push(' ');
            line.push_str(word);
            used += 1 + needs;
            continue;
        }
        if used > 0 && needs > width && used < width / 2 {
            // The word is broken in any case.
            line.push(' ');
            used += 1;
        } else if used > 0 {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        for c in word.chars() {
            if used + columns(c) > width {
                let comma = line
                    .rfind(',')
                    .map(|at| at + 1)
                    .filter(|&at| at > line.len() / 2);
                let rest = comma.map(|at| line.split_off(at)).unwrap_or_default();
                lines.push(std::mem::replace(&mut line, rest));
                used = self::width(&line);
            }
            line.push(c);
            used += columns(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_printable, printable, width, wrap};

    #[test]
    fn what_acts_on_a_terminal_is_shown_as_an_escape() {
        for (raw, shown) in [
            ("plain \"text\" é ü 日本 \\n", "plain \"text\" é ü 日本 \\n"),
            ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("\u{9b}31m\0\u{7f}", "\\u{9b}31m\\u{0}\\u{7f}"),
            ("abc\u{202e}txt.exe", "abc\\u{202e}txt.exe"),
            (
                "a\u{2066}b\u{2069}\u{200f}\u{61c}",
                "a\\u{2066}b\\u{2069}\\u{200f}\\u{61c}",
            ),
            (
                "a\u{2028}b\u{2029}\u{feff}\u{200b}",
                "a\\u{2028}b\\u{2029}\\u{feff}\\u{200b}",
            ),
            ("hidden\u{e0041}", "hidden\\u{e0041}"),
        ] {
            assert_eq!(printable(raw), shown);
        }
    }

    #[test]
    fn lines_break_at_spaces_where_they_can_and_anywhere_where_they_must() {
        for (text, columns, lines) in [
            ("", 10, &[][..]),
            ("one two three", 7, &["one two", "three"]),
            ("abcdefghij", 4, &["abcd", "efgh", "ij"]),
            ("a bcdefgh", 4, &["a bc", "defg", "h"]),
            ("abc defghijk", 4, &["abc", "defg", "hijk"]),
            ("日本語", 4, &["日本", "語"]),
            ("{\"a\":1,\"b\":2}", 10, &["{\"a\":1,", "\"b\":2}"]),
        ] {
            assert_eq!(wrap(text, columns), lines, "{text:?} in {columns}");
        }
    }

    proptest! {
        #[test]
        fn nothing_unprintable_passes(text in any::<String>()) {
            let shown = printable(&text);
            prop_assert!(shown.chars().all(is_printable));
            prop_assert!(!shown.chars().any(char::is_control));
        }

        #[test]
        fn escaping_twice_changes_nothing_more(text in any::<String>()) {
            let once = printable(&text).into_owned();
            prop_assert_eq!(printable(&once), once.as_str());
        }

        #[test]
        fn wrapped_lines_fit_and_lose_no_word(text in "[a-z日 ]{0,80}", columns in 2_usize..30) {
            let lines = wrap(&text, columns);
            prop_assert!(lines.iter().all(|line| width(line) <= columns));
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
