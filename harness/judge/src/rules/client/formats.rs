//! Formats and patterns of texts, as far as they can be judged beyond doubt.

use elenchus_protocol::Version;

/// The text has this format; `None` for formats that are not judged, and forms of them on which readers differ.
pub(super) fn fits(format: &str, text: &str, version: Version) -> Option<bool> {
    match format {
        "email" => Some(is_email(text)),
        "uri" => Some(is_uri(text)),
        "date" => Some(is_date(text)),
        "date-time" => date_time(text, version),
        _ => None,
    }
}

/// Something, an at sign, something; no white space.
fn is_email(text: &str) -> bool {
    text.rsplit_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && !host.is_empty() && !text.contains(char::is_whitespace)
    })
}

/// A scheme, a colon, something; no white space.
fn is_uri(text: &str) -> bool {
    let in_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    text.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(in_scheme)
            && !rest.is_empty()
            && !text.contains(char::is_whitespace)
    })
}

/// Digits in place of `d`, and of a number of two digits at most `max`.
fn two_digits(text: &str, range: std::ops::RangeInclusive<u8>) -> bool {
    text.len() == 2
        && text.bytes().all(|it| it.is_ascii_digit())
        && text.parse().is_ok_and(|number| range.contains(&number))
}

/// YYYY-MM-DD.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let is_year = |it: &str| it.len() == 4 && it.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().is_none()
        && year.is_some_and(is_year)
        && month.is_some_and(|it| two_digits(it, 1..=12))
        && day.is_some_and(|it| two_digits(it, 1..=31))
}

/// RFC 3339 in v2. ISO 8601, which v1 names, has forms without separators, by weeks and by days of the year: of a text
/// of digits and letters that is not RFC 3339 nothing is said there.
fn date_time(text: &str, version: Version) -> Option<bool> {
    let rfc = text
        .split_at_checked(10)
        .and_then(|(date, rest)| Some((date, rest.split_at_checked(1)?)))
        .is_some_and(|(date, (between, time))| {
            is_date(date) && matches!(between, "T" | "t" | " ") && is_time(time)
        });
    let iso = text
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | ':' | '.' | ',' | 'T' | 'W' | 'Z'))
        && text.starts_with(|c: char| c.is_ascii_digit());
    match version {
        _ if rfc => Some(true),
        Version::AcpV1 if iso => None,
        _ => Some(false),
    }
}

/// HH:MM:SS, perhaps with a fraction, and an offset.
fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else {
        return false;
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let is_clock = matches!(parts.as_slice(), [hour, minute, second]
        if two_digits(hour, 0..=23) && two_digits(minute, 0..=59) && two_digits(second, 0..=60));
    let after = rest.strip_prefix('.').map(|fraction| {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0, &fraction[digits..])
    });
    let (is_fraction, offset) = after.unwrap_or((true, rest));
    let is_offset = matches!(offset, "Z" | "z")
        || offset
            .strip_prefix(['+', '-'])
            .and_then(|offset| offset.split_once(':'))
            .is_some_and(|(hour, minute)| two_digits(hour, 0..=23) && two_digits(minute, 0..=59));
    is_clock && is_fraction && is_offset
}

/// The text matches the pattern, if that is one of the few that every dialect reads alike: anchored at both ends,
/// ASCII, of literals and classes with quantifiers.
pub(super) fn matches(pattern: &str, text: &str) -> Option<bool> {
    /// More repetitions than this are not judged.
    const MOST: usize = 1000;
    let mut rest = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let letters: Vec<char> = text.chars().collect();
    // The places in the text that can be reached so far.
    let mut reached = vec![false; letters.len() + 1];
    reached[0] = true;
    while !rest.is_empty() {
        let (class, after) = class(rest)?;
        let (least, most, after) = quantifier(after)?;
        if least > MOST || most.is_some_and(|most| most > MOST) {
            return None;
        }
        let mut next = vec![false; reached.len()];
        for start in (0..reached.len()).filter(|start| reached[*start]) {
            let run = letters[start..]
                .iter()
                .take(most.unwrap_or(usize::MAX))
                .take_while(|letter| class.has(**letter))
                .count();
            if run >= least {
                next[start + least..=start + run].fill(true);
            }
        }
        reached = next;
        rest = after;
    }
    reached.last().copied()
}

/// Letters: ranges of them, or all others.
struct Class {
    ranges: Vec<(char, char)>,
    negated: bool,
}

impl Class {
    fn has(&self, letter: char) -> bool {
        let within = |(from, to): &(char, char)| (*from..=*to).contains(&letter);
        self.ranges.iter().any(within) != self.negated
    }
}

/// The class or the literal at the beginning, and what follows.
fn class(pattern: &str) -> Option<(Class, &str)> {
    let plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ' ' | '@' | ':' | '/' | ',' | '#')
    };
    let Some(inner) = pattern.strip_prefix('[') else {
        let letter = pattern.chars().next().filter(|letter| plain(*letter))?;
        let ranges = vec![(letter, letter)];
        let negated = false;
        return Some((Class { ranges, negated }, &pattern[1..]));
    };
    let (inner, after) = inner.split_once(']')?;
    let (negated, inner) = match inner.strip_prefix('^') {
        Some(inner) => (true, inner),
        None => (false, inner),
    };
    let letters: Vec<char> = inner.chars().collect();
    if letters.is_empty() || !letters.iter().all(|letter| plain(*letter)) {
        return None;
    }
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        match letters[at..] {
            [from, '-', to, ..] if from <= to => {
                ranges.push((from, to));
                at += 3;
            }
            _ => {
                ranges.push((letters[at], letters[at]));
                at += 1;
            }
        }
    }
    Some((Class { ranges, negated }, after))
}

/// The quantifier at the beginning, if there is one, and what follows.
fn quantifier(pattern: &str) -> Option<(usize, Option<usize>, &str)> {
    if let Some(inner) = pattern.strip_prefix('{') {
        let (inner, after) = inner.split_once('}')?;
        let (least, most) = match inner.split_once(',') {
            None => (inner.parse().ok()?, Some(inner.parse().ok()?)),
            Some((least, "")) => (least.parse().ok()?, None),
            Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
        };
        return Some((least, most, after)).filter(|_| most.is_none_or(|most| most >= least));
    }
    Some(match pattern.chars().next() {
        Some('*') => (0, None, &pattern[1..]),
        Some('+') => (1, None, &pattern[1..]),
        Some('?') => (0, Some(1), &pattern[1..]),
        _ => (1, Some(1), pattern),
    })
    .filter(|(_, _, after)| !after.starts_with(['*', '+', '?', '{']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart() {
        use Version::{AcpV1, AcpV2};
        for (format, text, version, expected) in [
            ("email", "a@b", AcpV1, Some(true)),
            ("email", "a b@c", AcpV1, Some(false)),
            ("email", "nobody", AcpV2, Some(false)),
            ("uri", "mailto:a@b", AcpV1, Some(true)),
            ("uri", "example.com/a", AcpV1, Some(false)),
            ("date", "2026-11-29", AcpV2, Some(true)),
            ("date", "29/11/2026", AcpV2, Some(false)),
            ("date", "2026-13-01", AcpV2, Some(false)),
            ("date-time", "2026-11-29T10:00:00Z", AcpV2, Some(true)),
            (
                "date-time",
                "2026-11-29t10:00:00.5+01:00",
                AcpV2,
                Some(true),
            ),
            ("date-time", "2026-11-29T10:00", AcpV2, Some(false)),
            ("date-time", "2026-11-29T10:00", AcpV1, None),
            ("date-time", "tomorrow", AcpV1, Some(false)),
            ("color", "red", AcpV1, None),
        ] {
            assert_eq!(fits(format, text, version), expected, "{format} {text}");
        }
    }

    #[test]
    fn plain_patterns_are_matched_and_others_left_alone() {
        for (pattern, text, expected) in [
            ("^[a-z]+$", "abc", Some(true)),
            ("^[a-z]+$", "", Some(false)),
            ("^[a-z]+$", "aBc", Some(false)),
            ("^[^0-9]*$", "ab", Some(true)),
            ("^a?b{2,3}$", "bbb", Some(true)),
            ("^a?b{2,3}$", "abbbb", Some(false)),
            ("^[a-z]*a$", "banana", Some(true)),
            ("[a-z]+", "abc", None),
            ("^(a+)+$", "a", None),
            ("^a+?$", "a", None),
            ("^a{3,1}$", "a", None),
            (r"^\d$", "1", None),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
