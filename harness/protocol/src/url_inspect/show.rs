//! How much of a URL may be shown.

use super::shapes;

/// So many characters of a text may be shown.
const SHOWN: usize = 2;
/// A shorter text shows nothing of itself.
const SHORTEST: usize = 3 * SHOWN;
/// Names and schemes that are longer are no names.
const LONGEST_NAME: usize = 32;
/// A host is shown up to here.
const LONGEST_HOST: usize = 80;

/// The first two characters and the length; of a short text only the length.
pub(super) fn redacted(text: &str) -> String {
    let count = text.chars().count();
    let noun = if count == 1 {
        "character"
    } else {
        "characters"
    };
    if count < SHORTEST {
        return format!("({count} {noun})");
    }
    let start: String = text.chars().take(SHOWN).map(visible).collect();
    format!("{start}… ({count} {noun})")
}

/// A name that a person knows again, or `None` if it may be more than a name.
pub(super) fn name(text: &str) -> Option<&str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.+[]".contains(&byte);
    let known = (1..=LONGEST_NAME).contains(&text.len())
        && text.bytes().all(plain)
        && !shapes::is_random(text)
        && shapes::known_format(text).is_none();
    known.then_some(text)
}

/// A host, cut where it is long.
pub(super) fn host(text: &str) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters
        .by_ref()
        .take(LONGEST_HOST)
        .map(visible)
        .collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// A character's number, for one that cannot be shown itself.
pub(super) fn code_point(character: char, at: usize) -> String {
    format!("U+{:04X} at byte {at}", u32::from(character))
}

fn visible(character: char) -> char {
    if character.is_alphanumeric() || character.is_ascii_graphic() {
        character
    } else {
        '·'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_shown_of_long_texts_and_nothing_of_short_ones() {
        for (text, shown) in [
            ("", "(0 characters)"),
            ("a", "(1 character)"),
            ("abcde", "(5 characters)"),
            ("abcdef", "ab… (6 characters)"),
            ("\u{202e}\nabcdef", "··… (8 characters)"),
            ("äöüßäöü", "äö… (7 characters)"),
        ] {
            assert_eq!(redacted(text), shown);
        }
    }

    #[test]
    fn names_are_shown_unless_they_may_hold_a_secret() {
        assert_eq!(name("user[access_token]"), Some("user[access_token]"));
        for text in ["", "a b", "k\u{e9}y", "9f86d081884c7d65", &"n".repeat(33)] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}
