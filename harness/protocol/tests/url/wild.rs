//! What hostile agents send: any text, and URLs put together from dangerous parts.

use std::fmt::Write as _;

use elenchus_protocol::url_inspect::{Inspection, inspect};
use proptest::{collection, prelude::*, sample};

/// What parsers trip over, and what detectors look for.
const PARTS: &[&str] = &[
    "https:",
    "http:",
    "javascript:",
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
    "::1",
    "localhost",
    "127.0.0.1",
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
];

fn check_bounds(text: &str, inspection: &Inspection) {
    assert!(inspection.findings.len() < 8 * 30 * 3, "{text:?}");
    assert!(
        inspection.parts.is_some() || !inspection.findings.is_empty(),
        "{text:?}"
    );
    for finding in &inspection.findings {
        let shown = finding.to_string();
        assert!(shown.chars().count() < 400, "{shown}");
        assert!(!shown.contains(char::is_control), "{shown:?}");
    }
}

/// Consonants that no sentence of ours writes in upper case, so that any part of a credential shows.
const LETTERS: &str = "BDFGKMNQVXZ";

/// A credential: long enough to be one under any name, with digits that make it random.
fn credential() -> impl Strategy<Value = String> {
    let letter = sample::select(LETTERS.chars().collect::<Vec<_>>());
    collection::vec((letter.clone(), 0..10_u8, letter), 7..20).prop_map(|triples| {
        triples
            .into_iter()
            .fold(String::new(), |mut text, (one, digit, other)| {
                // Writing to a String cannot fail.
                let _ = write!(text, "{one}{digit}{other}");
                text
            })
    })
}

/// Places for a credential; each is reported.
const HOLDERS: &[&str] = &[
    "https://user:{}@example.com/",
    "https://{}@example.com/",
    "https://example.com/?access_token={}",
    "https://example.com/?password={}",
    "https://example.com/?otp={}",
    "https://example.com/?token={}",
    "https://example.com/?sig={}&sv=1&se=2",
    "https://example.com/?x=https%3A%2F%2Fuser%3A{}%40example.com",
    "https://example.com/?x=https%3A%2F%2Fexample.com%2F%3Fapi_key%3D{}",
    "https://example.com/#access_token={}",
    "https://example.com/#/route?access_token={}",
    "https://example.com/magic/{}",
    "https://example.com/a;jsessionid={}",
    "https://example.com/?x=ghp_{}{}",
    "https://example.com/?ghp_{}{}",
    "https://example.com/ghp_{}{}",
    "https://example.com/?{}ghp=ada@example.org&password={}",
    "https://example.com/?{}@example.org",
    "https://example.com/{}@example.org",
    "https://example.com/?k=-----BEGIN+PRIVATE+KEY-----{}",
    "https://{}:{}@example.com:port/",
    "/connect?access_token={}",
    "{}",
    "localhost:3000/?password={}",
    "https://example.com:9000/?password={} ",
    "http://203.0.113.7\\?password={}",
    "javascript:?password={}",
    "{}:x",
];

proptest! {
    #[test]
    fn every_text_has_an_answer(text in any::<String>()) {
        check_bounds(&text, &inspect(&text));
    }

    #[test]
    fn every_mix_of_dangerous_parts_has_an_answer(parts in collection::vec(sample::select(PARTS), 0..24)) {
        let text = parts.concat();
        check_bounds(&text, &inspect(&text));
        let web = format!("https://example.com/{text}");
        check_bounds(&web, &inspect(&web));
    }

    #[test]
    fn no_finding_shows_more_than_two_characters_of_a_credential(
        credential in credential(),
        holder in sample::select(HOLDERS),
    ) {
        let url = holder.replace("{}", &credential);
        let inspection = inspect(&url);
        prop_assert!(!inspection.findings.is_empty(), "{}", url);
        for finding in &inspection.findings {
            let shown = finding.to_string().to_uppercase();
            for part in credential.as_bytes().windows(3) {
                let part = String::from_utf8_lossy(part).into_owned();
                prop_assert!(!shown.contains(&part), "{} of {} in {}", part, url, finding);
            }
        }
        let parts = format!("{:?}", inspection.parts);
        prop_assert!(!parts.contains(&credential), "{}", parts);
    }

    #[test]
    fn what_a_parser_reads_keeps_its_findings_when_written_again(parts in collection::vec(sample::select(PARTS), 0..16)) {
        // A normal form says all that can be said without looking at the original's spelling.
        let text = format!("https://example.com/{}", parts.concat());
        let first = inspect(&text);
        if let Some(parts) = &first.parts {
            let again = inspect(&parts.href);
            prop_assert_eq!(Some(parts), again.parts.as_ref());
            for finding in &again.findings {
                prop_assert!(first.findings.contains(finding), "{} of {}", finding, text);
            }
        }
    }
}
