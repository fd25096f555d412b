//! URLs with something wrong.

use elenchus_protocol::{
    Weight,
    url_inspect::{Place, UrlFault, inspect},
};

use crate::{base64url, lines, told};

#[test]
fn each_bad_url_has_exactly_its_findings() {
    let mut wrong = Vec::new();
    for line in lines(include_str!("bad.txt")) {
        let (expected, url) = line.split_once(" | ").expect("a table's line"); // as all lines of the file
        let mut expected: Vec<&str> = expected.split(", ").collect();
        expected.sort_unstable();
        let inspection = inspect(url);
        if told(&inspection) != expected {
            wrong.push(format!("{url}\n  {:?}", inspection.findings));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn characters_that_nobody_sees_are_named_by_number() {
    for (url, kind, excerpt) in [
        (
            "https://example.com/\u{202e}gnp.exe",
            UrlFault::Invisible,
            "U+202E at byte 20",
        ),
        (
            "https://example.com/a\u{200b}b",
            UrlFault::Invisible,
            "U+200B at byte 21",
        ),
        (
            "https://exam\u{ad}ple.com/",
            UrlFault::Invisible,
            "U+00AD at byte 12",
        ),
        (
            "https://example.com/\u{7}",
            UrlFault::Invisible,
            "U+0007 at byte 20",
        ),
        (
            "https://example.com/\u{0}",
            UrlFault::Invisible,
            "U+0000 at byte 20",
        ),
        (
            "https://example.com/a\tb",
            UrlFault::WhiteSpace,
            "U+0009 at byte 21",
        ),
        (
            "https://exa\nmple.com/",
            UrlFault::WhiteSpace,
            "U+000A at byte 11",
        ),
        (
            " https://example.com/",
            UrlFault::WhiteSpace,
            "U+0020 at byte 0",
        ),
        (
            "https://example.com/\u{a0}",
            UrlFault::WhiteSpace,
            "U+00A0 at byte 20",
        ),
    ] {
        let findings = inspect(url).findings;
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(
            (findings[0].kind, findings[0].weight),
            (kind, Weight::Warning),
            "{url:?}"
        );
        assert_eq!(findings[0].excerpt, excerpt);
    }
}

#[test]
fn a_scheme_split_by_a_line_end_is_still_dangerous() {
    let inspection = inspect("java\nscript:alert(1)");
    assert_eq!(
        told(&inspection),
        ["Warning DangerousScheme /scheme", "Warning WhiteSpace /"]
    );
}

/// Made here and not in a table, so that no scanner of secrets takes them for real.
#[test]
fn tokens_of_known_issuers_are_told_in_every_place() {
    for (prefix, length) in [
        ("ghp_", 36),
        ("github_pat_", 60),
        ("glpat-", 20),
        ("xoxb-", 40),
        ("sk-ant-", 60),
        ("sk-proj-", 60),
        ("sk_live_", 24),
        ("npm_", 36),
        ("hf_", 34),
    ] {
        let token = format!("{prefix}{}", "a1B2".repeat(length / 4));
        for (url, place) in [
            (format!("https://{token}@example.com/"), "/userinfo"),
            (format!("https://example.com/a/{token}"), "/path/2"),
            (format!("https://example.com/?x={token}"), "/query/x"),
            (
                format!("https://example.com/?state={token}"),
                "/query/state",
            ),
            (format!("https://example.com/?{token}"), "/query/#1"),
            (format!("https://example.com/#{token}"), "/fragment/#1"),
        ] {
            let expected = format!("Warning Credential {place}");
            assert_eq!(told(&inspect(&url)), [expected], "{url}");
        }
        let short = format!("https://example.com/?x={prefix}a1B2");
        assert_eq!(told(&inspect(&short)), [""; 0], "{short}");
    }
}

#[test]
fn tokens_are_told_by_their_header_and_weighed_by_their_subject() {
    let url = |header: &str, claims: &str| {
        let (header, claims) = (base64url(header.as_bytes()), base64url(claims.as_bytes()));
        format!("https://example.com/?ctx={header}.{claims}.c2lnbmF0dXJl")
    };
    for (header, claims, expected) in [
        (r#"{"alg":"RS256"}"#, r#"{"sub":"42"}"#, Some("Warning")),
        (r#"{ "alg": "none" }"#, r#"{"sub":"42"}"#, Some("Warning")),
        (r#"{"alg":"RS256"}"#, r#"{"aud":"42"}"#, Some("Unclear")),
        (r#"{"alg":"dir","enc":"A128GCM"}"#, "", Some("Unclear")),
        (r#"{"alg":"dir"}"#, "", None),
        (r#"{"typ":"JWT"}"#, r#"{"sub":"42"}"#, None),
        (r#"["alg"]"#, r#"{"sub":"42"}"#, None),
    ] {
        let expected: Vec<String> = expected
            .into_iter()
            .map(|weight| format!("{weight} SignedToken /query/ctx"))
            .collect();
        assert_eq!(
            told(&inspect(&url(header, claims))),
            expected,
            "{header}.{claims}"
        );
    }
}

#[test]
fn a_long_url_is_remarked_on() {
    let url = format!("https://example.com/{}", "a".repeat(8 * 1024));
    assert_eq!(told(&inspect(&url)), ["Unclear Long /"]);
}

#[test]
fn a_flood_of_one_kind_does_not_hide_another() {
    let flood = "password=hunter2&".repeat(1000);
    let inspection = inspect(&format!(
        "https://example.com/?{flood}email=ada@example.org"
    ));
    assert_eq!(inspection.of(&[UrlFault::Credential]).count(), 8);
    assert_eq!(inspection.of(&[UrlFault::Email]).count(), 1);
}

#[test]
fn a_finding_reads_as_a_sentence() {
    let inspection = inspect("https://example.com/?access_token=a1b2c3d4e5");
    let [finding] = &inspection.findings[..] else {
        panic!("{inspection:?}");
    };
    assert_eq!(finding.place, Place::Query("access_token".to_owned()));
    assert_eq!(
        finding.to_string(),
        "/query/access_token is a1… (10 characters): by its name it is an access token"
    );
    let unreadable = inspect("https://example.com:port/").findings;
    assert_eq!(
        unreadable[0].to_string(),
        "/ is ht… (25 characters): no URL can be read: invalid port number"
    );
}
