//! Scheme, userinfo, host and port.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host as UrlHost, Url, quirks};

use super::{Findings, Place, UrlFault, shapes, show};
use crate::Weight;

/// Ports that are everyday for HTTP beside the schemes' own.
const COMMON_PORTS: [u16; 4] = [80, 443, 8080, 8443];
/// Schemes that run or show what the URL holds, or open what lies on the user's disk.
const DANGEROUS: [&str; 6] = [
    "javascript",
    "vbscript",
    "data",
    "blob",
    "file",
    "view-source",
];
/// Top-level domains that no one can own, so that a host in them is one of a development network.
const DEVELOPMENT: [&str; 4] = [".test", ".local", ".internal", ".home.arpa"];
/// Top-level domains in which a label of Cyrillic or Greek letters is to be expected.
const AT_HOME: [&str; 17] = [
    "bg", "by", "cy", "eu", "gr", "kg", "kz", "md", "me", "mk", "mn", "rs", "ru", "su", "tj", "ua",
    "uz",
];
/// Cyrillic and Greek letters that look like Latin ones.
const LOOK_ALIKE: &str = "асԁеһіјӏорԛѕԝхуονραικυ";

/// Whom a URL points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// A name.
    Name {
        /// As it goes over the network, with Punycode.
        ascii: String,
        /// As it may be shown.
        unicode: String,
    },
    /// An address.
    Ip(IpAddr),
}

impl Host {
    pub(super) fn of(url: &Url) -> Option<Self> {
        Some(match url.host()? {
            UrlHost::Ipv4(address) => Self::Ip(IpAddr::V4(address)),
            UrlHost::Ipv6(address) => Self::Ip(address.to_canonical()),
            UrlHost::Domain(ascii) => Self::Name {
                ascii: ascii.to_owned(),
                unicode: if is_web(url) && ascii.contains("xn--") {
                    quirks::domain_to_unicode(ascii)
                } else {
                    ascii.to_owned()
                },
            },
        })
    }

    /// This machine itself: `localhost`, a name below it, `127.0.0.0/8` or `::1`.
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Name { ascii, .. } => {
                let name = ascii.strip_suffix('.').unwrap_or(ascii);
                // A scheme of its own keeps the case of its host.
                name.eq_ignore_ascii_case("localhost")
                    || name.to_ascii_lowercase().ends_with(".localhost")
            }
            Self::Ip(address) => address.is_loopback(),
        }
    }

    /// A machine of a development network: a private, link-local or unspecified address, a name without
    /// a dot, or one in a domain that no one can own.
    fn is_development(&self) -> bool {
        match self {
            Self::Name { ascii, .. } => {
                let name = ascii.strip_suffix('.').unwrap_or(ascii);
                !name.contains('.') || DEVELOPMENT.iter().any(|domain| name.ends_with(domain))
            }
            Self::Ip(IpAddr::V4(address)) => is_private(*address),
            Self::Ip(IpAddr::V6(address)) => is_private_v6(*address),
        }
    }
}

fn is_private(address: Ipv4Addr) -> bool {
    address.is_private() || address.is_link_local() || address.is_unspecified()
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    address.is_unique_local() || address.is_unicast_link_local() || address.is_unspecified()
}

/// Its scheme is one that web browsers fetch over the network.
fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "https" | "http")
}

/// Reports all that stands before the path.
pub(super) fn report(text: &str, url: &Url, findings: &mut Findings) {
    let host = Host::of(url);
    scheme(url, host.as_ref(), findings);
    user_info(url, findings);
    if !is_web(url) {
        return;
    }
    match &host {
        Some(Host::Name { ascii, unicode }) => name(ascii, unicode, findings),
        Some(Host::Ip(address)) if !address.is_loopback() => findings.add(
            UrlFault::IpHost,
            Weight::Unclear,
            Place::Host,
            address.to_string(),
            "an address tells a person nothing about whose page it is",
        ),
        _ => {}
    }
    let loopback = host.as_ref().is_some_and(Host::is_loopback);
    if !loopback && let Some(host) = &host {
        obscured(text, host, findings);
    }
    if let Some(port) = url.port()
        && !loopback
        && !COMMON_PORTS.contains(&port)
    {
        findings.add(
            UrlFault::Port,
            Weight::Unclear,
            Place::Port,
            port.to_string(),
            "public pages rarely live on such a port",
        );
    }
}

fn scheme(url: &Url, host: Option<&Host>, findings: &mut Findings) {
    let scheme = url.scheme();
    let excerpt = show::name(scheme).map_or_else(|| show::redacted(scheme), str::to_owned);
    let (kind, weight, sentence) = match scheme {
        "https" => return,
        "http" => match host {
            Some(host) if host.is_loopback() => return,
            Some(host) if host.is_development() => (
                UrlFault::PlainHttp,
                Weight::Unclear,
                "outside of development it should be https; this may be development",
            ),
            _ => (
                UrlFault::PlainHttp,
                Weight::Warning,
                "outside of development it should be https",
            ),
        },
        scheme if DANGEROUS.contains(&scheme) => (
            UrlFault::DangerousScheme,
            Weight::Warning,
            "it leads to no page of anyone, and clients should refuse to open it",
        ),
        scheme if is_host(scheme, url.path()) => (
            UrlFault::NoScheme,
            Weight::Warning,
            "this looks like a host with a port and is read as a scheme; the scheme is missing",
        ),
        _ => (
            UrlFault::OtherScheme,
            Weight::Unclear,
            "which program opens it depends on the user's machine",
        ),
    };
    findings.add(kind, weight, Place::Scheme, excerpt, sentence);
}

/// What was read as a scheme and a path is a host and a port: `localhost:3000/connect`.
fn is_host(scheme: &str, path: &str) -> bool {
    let port = path.split('/').next().unwrap_or_default();
    (scheme == "localhost" || scheme.contains('.'))
        && (1..=5).contains(&port.len())
        && port.bytes().all(|byte| byte.is_ascii_digit())
}

fn user_info(url: &Url, findings: &mut Findings) {
    if let Some(password) = url.password() {
        findings.add(
            UrlFault::Password,
            Weight::Violation,
            Place::UserInfo,
            show::redacted(&super::decode::percent_text(password)),
            "a password stands in the URL",
        );
    } else if !url.username().is_empty() {
        let user = super::decode::percent_text(url.username());
        if let Some(what) = shapes::known_format(&user) {
            findings.add(
                UrlFault::Credential,
                Weight::Warning,
                Place::UserInfo,
                show::redacted(&user),
                format!("in place of the user name stands {what}"),
            );
        } else if is_web(url) {
            findings.add(
                UrlFault::UserName,
                Weight::Warning,
                Place::UserInfo,
                show::redacted(&user),
                "a user name before the host is personal, or makes the URL look like one of another host",
            );
        }
    }
}

/// Letters beyond ASCII in a name.
fn name(ascii: &str, unicode: &str, findings: &mut Findings) {
    if !ascii.contains("xn--") {
        return;
    }
    let top = unicode.trim_end_matches('.').rsplit('.').next();
    let at_home = top.is_some_and(|top| !top.is_ascii() || AT_HOME.contains(&top));
    let labels = || unicode.split('.');
    let (kind, weight, sentence) = if labels().any(is_mixed) {
        (
            UrlFault::MixedScript,
            Weight::Warning,
            "letters of different scripts in one word are how look-alike hosts are made",
        )
    } else if !at_home && labels().any(is_look_alike) {
        (
            UrlFault::LookAlike,
            Weight::Warning,
            "all its letters look like Latin ones and are not",
        )
    } else {
        (
            UrlFault::Punycode,
            Weight::Unclear,
            "it has letters beyond ASCII; clients should show how it is really written",
        )
    };
    findings.add(kind, weight, Place::Host, show::host(ascii), sentence);
}

/// Two of the scripts that share letter shapes stand in one label.
fn is_mixed(label: &str) -> bool {
    let mut scripts = label.chars().filter_map(Script::of);
    scripts
        .next()
        .is_some_and(|first| scripts.any(|script| script != first))
}

/// The label has letters, and each is a foreign one that looks Latin.
fn is_look_alike(label: &str) -> bool {
    let mut letters = label
        .chars()
        .filter(|letter| letter.is_alphabetic())
        .peekable();
    letters.peek().is_some() && letters.all(|letter| LOOK_ALIKE.contains(letter))
}

/// The scripts that share letter shapes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
}

impl Script {
    fn of(letter: char) -> Option<Self> {
        match letter {
            'a'..='z'
            | 'A'..='Z'
            | '\u{c0}'..='\u{d6}'
            | '\u{d8}'..='\u{f6}'
            | '\u{f8}'..='\u{2af}'
            | '\u{1e00}'..='\u{1eff}' => Some(Self::Latin),
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(Self::Greek),
            '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a69f}' => {
                Some(Self::Cyrillic)
            }
            _ => None,
        }
    }
}

/// A host that a person reads as something else than a browser does: an address in another notation,
/// a name with encoded letters or letters of full width.
fn obscured(text: &str, host: &Host, findings: &mut Findings) {
    // These change how the host is written too, and say so themselves.
    let explained = [
        UrlFault::Backslash,
        UrlFault::Slashes,
        UrlFault::WhiteSpace,
        UrlFault::Invisible,
    ];
    if findings.has(&explained) {
        return;
    }
    let Some(written) = written_host(text) else {
        return;
    };
    let written = written.to_lowercase();
    let (read, same) = match host {
        Host::Ip(IpAddr::V4(address)) => (address.to_string(), written == address.to_string()),
        // There are many fair notations of these, and all look like what they are.
        Host::Ip(IpAddr::V6(_)) => return,
        Host::Name { ascii, unicode } => {
            (show::host(ascii), written == *ascii || written == *unicode)
        }
    };
    // An address of the newer kind may hold one of the older.
    if !same && !written.starts_with('[') {
        findings.add(
            UrlFault::ObscureHost,
            Weight::Warning,
            Place::Host,
            read,
            "it is written in other characters, so a person reads another host than a browser",
        );
    }
}

/// The host as it is written, without userinfo and port.
fn written_host(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    Some(match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host,
    })
}
