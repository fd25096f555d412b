//! URLs of the real world.

use elenchus_protocol::{
    Weight,
    url_inspect::{Host, inspect},
};

use crate::lines;

#[test]
fn everyday_urls_have_neither_violation_nor_warning() {
    let mut wrong = Vec::new();
    for line in lines(include_str!("legal.txt")) {
        let (url, remarks) = line.split_once(" # ").unwrap_or((line, ""));
        let inspection = inspect(url);
        let mut expected: Vec<&str> = remarks
            .split(", ")
            .filter(|kind| !kind.is_empty())
            .collect();
        let mut kinds: Vec<String> = inspection
            .findings
            .iter()
            .filter(|finding| finding.weight == Weight::Unclear)
            .map(|finding| format!("{:?}", finding.kind))
            .collect();
        expected.sort_unstable();
        kinds.sort_unstable();
        let remarks_only = kinds.len() == inspection.findings.len();
        if !remarks_only || kinds != expected || inspection.parts.is_none() {
            wrong.push(format!("{url}\n  {:?}", inspection.findings));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn parts_are_read_as_a_browser_reads_them() {
    let parts = inspect("HTTPS://Bücher.example:443/a/../b?x=1%202&y=3+4&#f")
        .parts
        .expect("it is a URL"); // the test's own
    assert_eq!(parts.scheme, "https");
    assert_eq!(
        parts.host,
        Some(Host::Name {
            ascii: "xn--bcher-kva.example".to_owned(),
            unicode: "bücher.example".to_owned(),
        })
    );
    assert_eq!((parts.port, parts.path.as_str()), (None, "/b"));
    assert_eq!(parts.fragment.as_deref(), Some("f"));
    let parameters: Vec<_> = parts.parameters().collect();
    assert_eq!(
        parameters,
        [("x".into(), "1 2".into()), ("y".into(), "3 4".into())]
    );
    assert_eq!(
        parts.href,
        "https://xn--bcher-kva.example/b?x=1%202&y=3+4&#f"
    );
    assert!(!parts.is_loopback());
}

#[test]
fn the_same_url_written_otherwise_has_the_same_href() {
    let href = |url| inspect(url).parts.map(|parts| parts.href);
    for (one, other) in [
        ("https://example.com", "https://EXAMPLE.com:443/"),
        ("https://example.com/a b", "https://example.com/a%20b"),
    ] {
        assert!(href(one).is_some());
        assert_eq!(href(one), href(other));
    }
    assert_ne!(
        href("https://example.com/?a=%26"),
        href("https://example.com/?a=&")
    );
}

#[test]
fn loopback_is_this_machine_only() {
    let loopback = |url| inspect(url).parts.is_some_and(|parts| parts.is_loopback());
    for url in [
        "http://localhost/",
        "http://LOCALHOST:1/",
        "http://a.localhost/",
        "http://127.0.0.1/",
        "http://127.255.0.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "app://Localhost/",
    ] {
        assert!(loopback(url), "{url}");
    }
    for url in [
        "http://localhost.example.com/",
        "http://notlocalhost/",
        "http://128.0.0.1/",
        "http://0.0.0.0/",
        "http://[::2]/",
        "mailto:localhost",
    ] {
        assert!(!loopback(url), "{url}");
    }
}
