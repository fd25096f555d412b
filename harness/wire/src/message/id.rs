//! Ids: their exact text, and what they mean.

use crate::json::Scanner;

/// The id of a request or response, as its exact JSON text: `0`, `"0"`, `0.0`, `1e3` and `null` all differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub Box<str>);

/// What an id means, for correlation: numbers compare by value and strings by content, and the two never mix.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IdKey {
    /// A number, in a canonical decimal form.
    Number(String),
    /// A string, decoded.
    String(String),
    /// `null`.
    Null,
    /// Anything else, which no id may be: its JSON text.
    Other(String),
}

impl Id {
    /// The exact JSON text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What the id means.
    pub fn key(&self) -> IdKey {
        let text = self.text();
        let mut scanner = Scanner::new(text);
        let whole = scanner.value(0) == Ok(text);
        match text.as_bytes().first() {
            _ if !whole => None,
            Some(b'n') => Some(IdKey::Null),
            Some(b'"') if scanner.lone_surrogate.is_none() => {
                super::string(text).map(|content| IdKey::String(content.into_owned()))
            }
            Some(b'-' | b'0'..=b'9') => Some(IdKey::Number(canonical(text))),
            _ => None,
        }
        .unwrap_or_else(|| IdKey::Other(text.to_owned()))
    }
}

/// One spelling for all JSON numbers of the same value: an integer where the digits are few, else
/// the significant digits and a power of ten. The value itself is never computed, so `1e999999999`
/// costs no more than its text.
fn canonical(number: &str) -> String {
    let (sign, magnitude) = match number.strip_prefix('-') {
        Some(magnitude) => ("-", magnitude),
        None => ("", number),
    };
    let (mantissa, exponent) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    let zeros = digits.len() - significant.len();
    let power = exponent.parse::<i128>().ok().and_then(|power| {
        power
            .checked_sub(i128::try_from(fraction.len()).ok()?)?
            .checked_add(i128::try_from(zeros).ok()?)
    });
    match power {
        // An exponent of forty digits: nobody spells it in two ways.
        None => number.to_owned(),
        Some(power) => match usize::try_from(power) {
            Ok(power @ ..=PLAIN_ZEROS) => format!("{sign}{significant}{}", "0".repeat(power)),
            _ => format!("{sign}{significant}e{power}"),
        },
    }
}

/// The most zeros that are written out rather than counted.
const PLAIN_ZEROS: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> IdKey {
        Id(text.into()).key()
    }

    #[test]
    fn numbers_compare_by_value() {
        for equal in [
            &[
                "0",
                "0.0",
                "0e5",
                "-0",
                "-0.0e-7",
                "0e99999999999999999999999999999999999999999999",
            ][..],
            &[
                "1000",
                "1e3",
                "1E+3",
                "1000.0",
                "10e2",
                "0.1e4",
                "1000000e-3",
            ],
            &["-1.5", "-15e-1", "-1.50", "-0.15E1"],
            &[
                "9007199254740993",
                "9007199254740993.0",
                "9.007199254740993e15",
            ],
            &["1e400", "10e399", "0.1e401"],
            &["1e-400", "0.1e-399"],
            &["1e999999999999", "10e999999999998"],
        ] {
            for text in equal {
                assert!(matches!(key(text), IdKey::Number(_)), "{text}");
                assert_eq!(key(text), key(equal[0]), "{text}");
            }
        }
    }

    #[test]
    fn near_numbers_differ() {
        for (left, right) in [
            ("9007199254740992", "9007199254740993"),
            ("1", "-1"),
            ("1", "10"),
            ("1e400", "1e401"),
            ("1e-400", "0"),
            ("0.1", "0.10000000000000000001"),
            (
                "1e99999999999999999999999999999999999999999999",
                "1e99999999999999999999999999999999999999999998",
            ),
        ] {
            assert_ne!(key(left), key(right), "{left} {right}");
        }
    }

    #[test]
    fn strings_compare_by_content_and_never_with_numbers() {
        assert_eq!(key(r#""a/b""#), key(r#""\u0061\/b""#));
        assert_eq!(key(r#""1""#), IdKey::String("1".to_owned()));
        assert_eq!(key("1"), IdKey::Number("1".to_owned()));
        assert_eq!(key(r#""null""#), IdKey::String("null".to_owned()));
        assert_ne!(key(r#""\ud800""#), key(r#""\ud801""#));
    }

    #[test]
    fn what_is_no_id_keeps_its_text() {
        assert_eq!(key("null"), IdKey::Null);
        for text in [
            "true", "{}", "[1]", "", " 1", "1 ", "01", "nul", "+1", "\"a", "1e",
        ] {
            assert_eq!(key(text), IdKey::Other(text.to_owned()));
        }
    }
}
