//! Credentials that tell by their shape what they are.

use serde_json::{Map, Value};

use super::decode;

/// Random text is at least so long.
const SHORTEST_RANDOM: usize = 16;
/// A token that a name announces is at least so long.
const SHORTEST_TOKEN: usize = 8;

/// Prefixes that only credentials of one issuer have, with how much has to follow.
const FORMATS: [(&str, usize, &str); 19] = [
    ("ghp_", 36, "a GitHub token"),
    ("gho_", 36, "a GitHub token"),
    ("ghu_", 36, "a GitHub token"),
    ("ghs_", 36, "a GitHub token"),
    ("ghr_", 36, "a GitHub token"),
    ("github_pat_", 40, "a GitHub token"),
    ("glpat-", 20, "a GitLab token"),
    ("xoxb-", 20, "a Slack token"),
    ("xoxp-", 20, "a Slack token"),
    ("xoxa-", 20, "a Slack token"),
    ("xoxs-", 20, "a Slack token"),
    ("xapp-", 20, "a Slack token"),
    ("sk-ant-", 20, "an Anthropic key"),
    ("sk-proj-", 20, "an OpenAI key"),
    ("sk_live_", 16, "a Stripe secret key"),
    ("rk_live_", 16, "a Stripe secret key"),
    ("npm_", 36, "an npm token"),
    ("hf_", 30, "a Hugging Face token"),
    ("dop_v1_", 40, "a DigitalOcean token"),
];

/// A credential that its prefix gives away, anywhere in a text: whose it is.
pub(super) fn known_format(text: &str) -> Option<&'static str> {
    text.split(|character| !is_token_character(character))
        .find_map(|run| {
            FORMATS.iter().find_map(|(prefix, length, whose)| {
                let rest = run.strip_prefix(prefix)?;
                (rest.len() >= *length).then_some(*whose)
            })
        })
}

fn is_token_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

/// A key that its issuer means to be seen: a publishable Stripe key, a browser key of Google.
pub(super) fn is_public_key(text: &str) -> bool {
    ["pk_live_", "pk_test_", "AIza"]
        .iter()
        .any(|prefix| text.starts_with(prefix))
}

/// The head line of a private key in PEM.
pub(super) fn is_private_key(text: &str) -> bool {
    text.split_once("-----BEGIN ")
        .is_some_and(|(_, rest)| rest.contains("PRIVATE KEY-----"))
}

/// A JSON Web Token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Jwt<'a> {
    /// The token.
    pub(super) text: &'a str,
    /// It says whom it is about, as tokens do that let someone in.
    pub(super) has_subject: bool,
}

/// The first JSON Web Token in a text: a header with `alg`, a dot, claims or a ciphertext, and more.
pub(super) fn jwt(text: &str) -> Option<Jwt<'_>> {
    text.split(|character| !is_token_character(character) && character != '.')
        .find_map(jwt_in_run)
}

fn jwt_in_run(run: &str) -> Option<Jwt<'_>> {
    let mut at = 0;
    let parts = || run.split('.');
    for ((header, claims), signature) in parts().zip(parts().skip(1)).zip(parts().skip(2)) {
        let length = header.len() + claims.len() + signature.len() + 2;
        if is_jwt_header(header, claims) {
            return Some(Jwt {
                text: &run[at..at + length],
                has_subject: json_object(claims).is_some_and(|claims| claims.contains_key("sub")),
            });
        }
        at += header.len() + 1;
    }
    None
}

fn is_jwt_header(header: &str, claims: &str) -> bool {
    // Base64 of an opening brace.
    header.starts_with('e')
        && json_object(header).is_some_and(|header| {
            header.contains_key("alg") && (!claims.is_empty() || header.contains_key("enc"))
        })
}

fn json_object(base64: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&decode::base64(base64)?).ok()
}

/// Text that no one made up: long, letters and digits mixed without separators, or a UUID.
pub(super) fn is_random(text: &str) -> bool {
    text.len() >= SHORTEST_RANDOM
        && !text.contains(char::is_whitespace)
        && (has_uuid(text)
            || text
                .split(|character: char| !character.is_ascii_alphanumeric())
                .any(is_random_run))
}

fn is_random_run(run: &str) -> bool {
    let count = |kind: fn(&u8) -> bool| run.bytes().filter(kind).count();
    let digits = count(u8::is_ascii_digit);
    let (upper, lower) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let mixed = digits >= 2 && upper + lower >= 2 && run.len() >= 10;
    // Camel case changes case at each word; random letters do at every other one.
    let jagged = run.len() >= SHORTEST_RANDOM && upper.min(lower) * 3 >= run.len();
    (mixed || jagged) && entropy(run) >= 2.8
}

fn has_uuid(text: &str) -> bool {
    const LENGTH: usize = 36;
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    text.as_bytes().windows(LENGTH).any(|window| {
        window.iter().enumerate().all(|(index, byte)| {
            if DASHES.contains(&index) {
                *byte == b'-'
            } else {
                byte.is_ascii_hexdigit()
            }
        })
    })
}

/// Shannon's entropy, in bits a character.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    let mut total = 0_u32;
    for byte in text.bytes() {
        let count = &mut counts[usize::from(byte)];
        *count = count.saturating_add(1);
        total = total.saturating_add(1);
    }
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / f64::from(total);
            -share * share.log2()
        })
        .sum()
}

/// A value that stands for another one in examples and templates, or says nothing.
pub(super) fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 24] = [
        "true",
        "false",
        "none",
        "null",
        "undefined",
        "required",
        "optional",
        "forgot",
        "forgotten",
        "reset",
        "change",
        "show",
        "hide",
        "update",
        "create",
        "manage",
        "disabled",
        "enabled",
        "expired",
        "incorrect",
        "invalid",
        "missing",
        "redacted",
        "help",
    ];
    let mut characters = value.chars();
    let first = characters.next();
    let lower = value.trim_matches(['[', ']']).to_ascii_lowercase();
    value.starts_with(['{', '<', '…', '*', ':'])
        || value.starts_with("${")
        || value.starts_with("...")
        || lower.starts_with("your")
        || WORDS.contains(&lower.as_str())
        || characters.all(|character| Some(character) == first)
}

/// May be a password that someone chose.
pub(super) fn is_password(value: &str) -> bool {
    value.chars().count() >= 4 && !value.starts_with('/') && !is_placeholder(value)
}

/// May be a token or a key: one that a machine made, or at least a long one.
pub(super) fn is_token(value: &str) -> bool {
    let has = |kind: fn(char) -> bool| value.contains(kind);
    let mixed = has(|character| character.is_ascii_digit())
        || has(char::is_uppercase) && has(char::is_lowercase);
    let bare = value.split_once(' ').map_or(value, |(scheme, rest)| {
        let known = ["bearer", "basic", "token"].map(|known| known.eq_ignore_ascii_case(scheme));
        if known.contains(&true) { rest } else { value }
    });
    !bare.contains(char::is_whitespace)
        && bare.len() >= SHORTEST_TOKEN
        && (mixed || bare.len() >= SHORTEST_RANDOM)
        && !is_placeholder(bare)
}

/// A code that is typed once: four to eight digits.
pub(super) fn is_one_time_code(value: &str) -> bool {
    (4..=8).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// A card's verification value.
pub(super) fn is_card_check(value: &str) -> bool {
    (3..=4).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// A card number: 13 to 19 digits, perhaps grouped, whose check digit is right.
pub(super) fn is_card_number(value: &str) -> bool {
    let Some(digits) = digits(value, &[' ', '-']) else {
        return false;
    };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, &digit)| match (index % 2, digit) {
            (0, digit) => digit,
            (_, digit @ 0..5) => 2 * digit,
            (_, digit) => 2 * digit - 9,
        })
        .sum();
    (13..=19).contains(&digits.len()) && sum.is_multiple_of(10)
}

/// The digits of a short text that has nothing else but these separators.
pub(super) fn digits(value: &str, separators: &[char]) -> Option<Vec<u32>> {
    if value.len() > 40 {
        return None;
    }
    value
        .chars()
        .filter(|character| !separators.contains(character))
        .map(|character| character.to_digit(10))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_text_is_told_from_names_that_people_give() {
        for text in [
            "9f86d081884c7d659a2f",
            "550e8400-e29b-41d4-a716-446655440000",
            "flow-550e8400-e29b-41d4-a716-446655440000",
            "EC-4AB12345CD678901E",
            "dGhpcyBpcyBub3QgYSBzZWNyZXQ",
            "link-sandbox-33792986-2b9c-4b80-b1f2-518caaac6183",
        ] {
            assert!(is_random(text), "{text}");
        }
        for text in [
            "",
            "short1a2b",
            "release-notes-2026-11-29-final",
            "a-very-long-project-name",
            "thisIsAVeryLongCamelCaseName",
            "1234567890123456",
            "aaaaaaaaaaaaaaaaa1",
            "INTERNATIONALIZATION",
        ] {
            assert!(!is_random(text), "{text}");
        }
    }

    #[test]
    fn tokens_are_told_from_placeholders_and_words() {
        for text in [
            "s3cr3t-value",
            "AbCdEfGh",
            "not-a-real-token",
            "Bearer a1b2c3d4e5",
        ] {
            assert!(is_token(text), "{text}");
        }
        for text in [
            "",
            "manage",
            "rotate-it",
            "{access_token}",
            "<token>",
            "${TOKEN}",
            "YOUR_API_KEY_HERE_1",
            "xxxxxxxxxxxxxxxxxxxx",
            "how to get one 2",
            "...1234567890",
            "[redacted]",
            "Bearer <token>",
        ] {
            assert!(!is_token(text), "{text}");
        }
    }

    #[test]
    fn numbers_are_what_their_digits_say() {
        assert!(is_card_number("4242 4242 4242 4242"));
        assert!(!is_card_number("4242 4242 4242 4241"));
        assert!(!is_card_number("42"));
        assert!(is_card_check("123"));
        assert!(!is_card_check("visa"));
        assert!(is_one_time_code("123456"));
        assert!(!is_one_time_code("12a456"));
    }
}
