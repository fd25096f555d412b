//! Any text as the URL of an elicitation: the parts are those of the `url` crate, findings are few, short and safe to print,
//! none shows a planted credential, and encoding more of a URL than has to be hides nothing.

#![no_main]

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use elenchus_protocol::{
    Weight,
    url_inspect::{Finding, Inspection, UrlFault, inspect},
};
use libfuzzer_sys::fuzz_target;
use url::{ParseError, Url};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        check(text);
    }
    let mut u = Unstructured::new(bytes);
    if let Ok(text) = url(&mut u) {
        check(&text);
    }
    if let Ok((holder, credential, encoded)) = planted(&mut u) {
        hidden(&holder, &credential, &encoded);
    }
});

fn check(text: &str) {
    let found = inspect(text);
    assert_eq!(found, inspect(text));
    bounded(&found);
    let parsed = Url::parse(text);
    match (&found.parts, &parsed) {
        (Some(parts), Ok(url)) => {
            assert_eq!(parts.href, url.as_str());
            assert_eq!(parts.scheme, url.scheme());
            assert_eq!(parts.port, url.port());
            assert_eq!(parts.path, url.path());
            assert_eq!(
                (parts.query.as_deref(), parts.fragment.as_deref()),
                (url.query(), url.fragment())
            );
            assert_eq!(parts.host.is_some(), url.has_host());
            let pairs: Vec<_> = parts.parameters().collect();
            assert_eq!(pairs, url.query_pairs().collect::<Vec<_>>());
            // The text that a parser writes says no more than the one that it read.
            let again = inspect(&parts.href);
            assert_eq!(again.parts.as_ref(), Some(parts));
            // Where a character stands may have changed with the encoding.
            let kinds = |found: &Inspection| -> BTreeSet<_> {
                found
                    .findings
                    .iter()
                    .map(|found| (found.kind, found.weight))
                    .collect()
            };
            assert!(
                kinds(&again).is_subset(&kinds(&found)),
                "{:?} of {text:?}",
                again.findings
            );
        }
        (None, Err(error)) => {
            let relative = *error == ParseError::RelativeUrlWithoutBase;
            let kind = if relative {
                UrlFault::NotAbsolute
            } else {
                UrlFault::NotAUrl
            };
            let kinds: Vec<_> = found
                .findings
                .iter()
                .map(|found| (found.kind, found.weight))
                .collect();
            assert_eq!(kinds, [(kind, Weight::Violation)]);
        }
        _ => panic!("{text:?} is read otherwise than by {parsed:?}"),
    }
}

fn bounded(found: &Inspection) {
    assert!(found.parts.is_some() || !found.findings.is_empty());
    assert!(found.findings.len() < 8 * 30 * 3);
    for finding in &found.findings {
        let shown = finding.to_string();
        assert!(shown.chars().count() < 400, "{shown}");
        assert!(!shown.contains(char::is_control), "{shown:?}");
    }
}

/// Places for a credential, each of which is reported.
const HOLDERS: &[&str] = &[
    "https://user:{}@example.com/",
    "https://example.com/?access_token={}",
    "https://example.com/a?b=1&password={}&c=2",
    "https://example.com/?otp={}",
    "https://example.com/?sig={}&sv=1&se=2",
    "https://example.com/?x=https%3A%2F%2Fexample.com%2F%3Fapi_key%3D{}",
    "https://example.com/#access_token={}",
    "https://example.com/#/route?access_token={}",
    "https://example.com/magic/{}",
    "https://example.com/a;jsessionid={}",
    "https://example.com/?x=ghp_{}{}",
    "https://example.com/ghp_{}{}",
];

/// Letters that no sentence of ours writes in upper case, so that any part of a credential shows.
const LETTERS: &[u8] = b"BDFGKMNQVXZ";

/// A URL's text around its credential, the credential, and the same with some characters encoded.
fn planted(u: &mut Unstructured<'_>) -> Result<(&'static str, String, String)> {
    let holder = *u.choose(HOLDERS)?;
    // What is no random text is no credential in every place, so the bytes only decide where the random ones begin.
    let mut random: u64 = u.arbitrary()?;
    let mut below = |count: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).expect("31 bits") % count
    };
    let count = u.int_in_range(7..=19)?;
    let mut credential = String::new();
    let mut encoded = String::new();
    for place in 0..3 * count {
        let letter = if place % 3 == 1 {
            b"0123456789"[below(10)]
        } else {
            LETTERS[below(LETTERS.len())]
        };
        credential.push(char::from(letter));
        if u.arbitrary()? {
            encoded.push_str(&percent(letter, u.arbitrary()?));
        } else {
            encoded.push(char::from(letter));
        }
    }
    Ok((holder, credential, encoded))
}

fn percent(byte: u8, upper: bool) -> String {
    if upper {
        format!("%{byte:02X}")
    } else {
        format!("%{byte:02x}")
    }
}

fn hidden(holder: &str, credential: &str, encoded: &str) {
    let told = |text: &str| -> BTreeSet<(UrlFault, Weight, String)> {
        let url = holder.replace("{}", text);
        let found = inspect(&url);
        for finding in &found.findings {
            let shown = finding.to_string().to_uppercase();
            for part in credential.as_bytes().windows(3) {
                let part = String::from_utf8_lossy(part).into_owned();
                assert!(!shown.contains(&part), "{part} of {url} in {finding}");
            }
        }
        let parts = format!("{:?}", found.parts);
        assert!(
            !parts.contains(credential) && !parts.contains(text),
            "{parts}"
        );
        let key = |found: &Finding| (found.kind, found.weight, found.place.to_string());
        found.findings.iter().map(key).collect()
    };
    let plain = told(credential);
    assert!(!plain.is_empty(), "{}", holder.replace("{}", credential));
    assert_eq!(told(encoded), plain, "{}", holder.replace("{}", encoded));
}

/// What parsers trip over and what the inspector looks for.
const PARTS: &[&str] = &[
    "https:",
    "http:",
    "javascript:",
    "data:",
    "//",
    "/",
    "\\",
    "?",
    "#",
    "&",
    "=",
    ";",
    "@",
    ":",
    "%",
    "%4",
    "%00",
    "%C3%A9",
    "[",
    "]",
    "[::1]",
    "localhost",
    "127.0.0.1",
    "0x7f.1",
    "example.com",
    "xn--",
    "xn--80ak6aa92e",
    "аpple",
    "access_token",
    "password",
    "code",
    "state",
    "response_type",
    "X-Amz-Signature",
    "sig",
    "sv",
    "se",
    "eyJhbGciOiJIUzI1NiJ9",
    ".",
    "..",
    "eyJzdWIiOiI0MiJ9",
    "ada@example.org",
    "-----BEGIN ",
    "PRIVATE KEY-----",
    "4242424242424242",
    "9f86d081884c7d659a2f",
    "550e8400-e29b-41d4-a716-446655440000",
    "magic",
    "-",
    "_",
    "+",
    "\u{202e}",
    "\u{0}",
    "\n",
    " ",
    "é",
    "\u{1f600}",
    ":99999",
    "https%3A%2F%2F",
    "first_name",
    "Ada",
];

/// A text of such parts, most often with a beginning that parses.
fn url(u: &mut Unstructured<'_>) -> Result<String> {
    let mut text = String::new();
    if !u.is_empty() && u.ratio(3, 4)? {
        text.push_str("https://example.com/");
    }
    let count = u.int_in_range(0..=12)?;
    for _ in 0..count {
        if u.ratio(7, 8)? {
            text.push_str(u.choose(PARTS)?);
        } else {
            text.push(u.arbitrary()?);
        }
    }
    Ok(text)
}
