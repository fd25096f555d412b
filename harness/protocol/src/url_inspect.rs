//! What a URL of a URL-mode elicitation holds, and what of it the "URL security" section speaks against.
//!
//! Weights follow what the catalogue lets a reader of the wire decide. A *violation* is what the text
//! forbids and a parser proves: no URL, no absolute URL (ELICIT-URL-003), a password in the userinfo part
//! (ELICIT-URL-006). A *warning* is a plain breach of a "should" (ELICIT-URL-005) or something that a
//! name or a shape makes likely. *Unclear* is what may be a credential or personal data and as well may
//! not, and remarks on which no clause speaks. That a URL really gives access (ELICIT-URL-008) no text
//! shows; whether a planted secret is in it is what [`contains_canary`] tells.
//!
//! What OAuth, OpenID Connect, SAML and the device flow put into a URL by design is no finding: `state`,
//! `nonce`, `code_challenge`, `client_id`, `redirect_uri`, `request`, `user_code` and their like. Random
//! text in a path is none either, for that is how checkout and connect pages are named.

mod canary;
mod characters;
mod decode;
mod host;
mod names;
mod person;
mod scan;
mod shapes;
mod show;

use std::{borrow::Cow, cell::RefCell, fmt};

use url::{ParseError, SyntaxViolation, Url, form_urlencoded};

use crate::Weight;

pub use canary::{Encoding, SHORTEST_ENCODED, contains_canary};
pub use host::Host;

/// More findings of one kind and weight than this tell a person nothing new.
const PER_KIND: usize = 8;
/// Servers commonly refuse a request line that is longer than this many bytes.
const LONG: usize = 8 * 1024;

/// What can be wrong with a URL, or odd about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UrlFault {
    /// No URL (ELICIT-URL-003).
    NotAUrl,
    /// A relative reference (ELICIT-URL-003).
    NotAbsolute,
    /// A host and a port without a scheme, so that the host is read as the scheme.
    NoScheme,
    /// Plain HTTP (ELICIT-URL-005): a warning; unclear for hosts of a development network.
    PlainHttp,
    /// A scheme that runs or shows what the URL itself holds, or a file of the user (ELICIT-URL-004).
    DangerousScheme,
    /// Another scheme than https and http.
    OtherScheme,
    /// A password in the userinfo part (ELICIT-URL-006).
    Password,
    /// A user name in the userinfo part, which also makes a URL look like one of another host.
    UserName,
    /// A credential by its name, its format or both (ELICIT-URL-006).
    Credential,
    /// A JSON Web Token (ELICIT-URL-006).
    SignedToken,
    /// A private key (ELICIT-URL-006).
    PrivateKey,
    /// An authorization code where none belongs (ELICIT-URL-006).
    AuthorizationCode,
    /// A signature that gives access to what the URL names (ELICIT-URL-008).
    SignedUrl,
    /// A one-time token that signs its holder in (ELICIT-URL-008).
    LoginLink,
    /// An e-mail address (ELICIT-URL-007).
    Email,
    /// A telephone number (ELICIT-URL-007).
    Phone,
    /// A person's name, date of birth or identity number (ELICIT-URL-007).
    PersonalDetail,
    /// A host with letters beyond ASCII, which Punycode writes.
    Punycode,
    /// Latin, Cyrillic and Greek letters mixed in one label of the host.
    MixedScript,
    /// A label of the host made only of letters that look like Latin ones.
    LookAlike,
    /// An IP address in place of a name.
    IpHost,
    /// A host that is written otherwise than it is read.
    ObscureHost,
    /// An uncommon port.
    Port,
    /// A character that nobody sees, or that turns the direction of writing.
    Invisible,
    /// White space.
    WhiteSpace,
    /// A backslash that is read as a slash.
    Backslash,
    /// Another number of slashes after the scheme than two.
    Slashes,
    /// A bare `@` in the userinfo part.
    BareAt,
    /// Longer than many programs take.
    Long,
}

/// Where in the URL something stands. As text, a path like `/query/access_token`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// The whole text.
    Whole,
    /// The scheme.
    Scheme,
    /// User name and password.
    UserInfo,
    /// The host.
    Host,
    /// The port.
    Port,
    /// A segment of the path, counted from 1.
    Path(usize),
    /// A parameter of the query: its name, or `#` and its number where the name may not be shown.
    Query(String),
    /// A parameter of the fragment, named as in [`Self::Query`].
    Fragment(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("/"),
            Self::Scheme => f.write_str("/scheme"),
            Self::UserInfo => f.write_str("/userinfo"),
            Self::Host => f.write_str("/host"),
            Self::Port => f.write_str("/port"),
            Self::Path(index) => write!(f, "/path/{index}"),
            Self::Query(name) => write!(f, "/query/{name}"),
            Self::Fragment(name) => write!(f, "/fragment/{name}"),
        }
    }
}

/// One thing that is wrong or odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: UrlFault,
    /// How much it weighs.
    pub weight: Weight,
    /// Where it stands.
    pub place: Place,
    /// What stands there, so short that no credential can be read from it.
    pub excerpt: String,
    /// What it means, in a sentence that repeats nothing of the URL.
    pub sentence: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}: {}", self.place, self.excerpt, self.sentence)
    }
}

/// A URL as a browser reads it.
#[derive(Clone, PartialEq, Eq)]
pub struct Parts {
    /// The scheme, in lower case.
    pub scheme: String,
    /// The host, if there is one.
    pub host: Option<Host>,
    /// The port, if it is given and not the scheme's own.
    pub port: Option<u16>,
    /// The path, as encoded.
    pub path: String,
    /// The query, as encoded.
    pub query: Option<String>,
    /// The fragment, as encoded.
    pub fragment: Option<String>,
    /// The URL serialised: two texts are the same URL when these are equal (ELICIT-URL-016).
    pub href: String,
}

impl Parts {
    fn of(url: &Url) -> Self {
        Self {
            scheme: url.scheme().to_owned(),
            host: Host::of(url),
            port: url.port(),
            path: url.path().to_owned(),
            query: url.query().map(str::to_owned),
            fragment: url.fragment().map(str::to_owned),
            href: url.as_str().to_owned(),
        }
    }

    /// The names and values of the query, decoded.
    pub fn parameters(&self) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
        form_urlencoded::parse(self.query.as_deref().unwrap_or_default().as_bytes())
    }

    /// The host is this machine itself.
    pub fn is_loopback(&self) -> bool {
        self.host.as_ref().is_some_and(Host::is_loopback)
    }
}

/// Leaves out what may hold a credential.
impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("scheme", &self.scheme)
            .field("host", &self.host)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

/// A URL's parts and what there is to say of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// The parts; `None` if it is no absolute URL.
    pub parts: Option<Parts>,
    /// What is wrong or odd, in the order of the URL's parts; of each kind and weight the first few.
    pub findings: Vec<Finding>,
}

impl Inspection {
    /// The findings of these kinds.
    pub fn of<'a>(&'a self, kinds: &'a [UrlFault]) -> impl Iterator<Item = &'a Finding> {
        self.findings
            .iter()
            .filter(move |finding| kinds.contains(&finding.kind))
    }
}

/// Inspects a URL. Every text is an answer: what is no URL is a finding.
pub fn inspect(text: &str) -> Inspection {
    let mut findings = Findings::default();
    let slips = RefCell::new(Vec::new());
    let note = |slip| {
        let mut slips = slips.borrow_mut();
        // One of each is enough; a long text may have millions.
        if !slips.contains(&slip) {
            slips.push(slip);
        }
    };
    let parsed = Url::options()
        .syntax_violation_callback(Some(&note))
        .parse(text);
    let url = match parsed {
        Ok(url) => url,
        Err(error) => {
            findings.unreadable(text, error);
            return Inspection {
                parts: None,
                findings: findings.list,
            };
        }
    };
    characters::report(text, &mut findings);
    findings.slips(&slips.into_inner());
    host::report(text, &url, &mut findings);
    scan::report(&url, &mut findings);
    Inspection {
        parts: Some(Parts::of(&url)),
        findings: findings.list,
    }
}

/// The findings so far.
#[derive(Default)]
struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    fn add(
        &mut self,
        kind: UrlFault,
        weight: Weight,
        place: Place,
        excerpt: impl Into<String>,
        sentence: impl Into<String>,
    ) {
        let alike = self
            .list
            .iter()
            .filter(|known| known.kind == kind && known.weight == weight);
        if alike.count() < PER_KIND {
            self.list.push(Finding {
                kind,
                weight,
                place,
                excerpt: excerpt.into(),
                sentence: sentence.into(),
            });
        }
    }

    fn has(&self, kinds: &[UrlFault]) -> bool {
        self.list.iter().any(|known| kinds.contains(&known.kind))
    }

    fn unreadable(&mut self, text: &str, error: ParseError) {
        let (kind, sentence) = if error == ParseError::RelativeUrlWithoutBase {
            (
                UrlFault::NotAbsolute,
                "it has no scheme; a URL to open has to be absolute".to_owned(),
            )
        } else {
            (UrlFault::NotAUrl, format!("no URL can be read: {error}"))
        };
        let excerpt = show::redacted(text);
        self.add(kind, Weight::Violation, Place::Whole, excerpt, sentence);
    }

    /// What the parser forgave.
    fn slips(&mut self, slips: &[SyntaxViolation]) {
        for slip in slips {
            let (kind, place, got, sentence) = match slip {
                SyntaxViolation::Backslash => (
                    UrlFault::Backslash,
                    Place::Whole,
                    "a backslash",
                    "browsers read it as a slash, people and other programs do not",
                ),
                SyntaxViolation::ExpectedDoubleSlash | SyntaxViolation::ExpectedFileDoubleSlash => {
                    (
                        UrlFault::Slashes,
                        Place::Scheme,
                        "not followed by two slashes",
                        "browsers forgive it, other programs open something else",
                    )
                }
                SyntaxViolation::UnencodedAtSign => (
                    UrlFault::BareAt,
                    Place::UserInfo,
                    "written with a bare @",
                    "programs disagree on where the host begins",
                ),
                // The others are told by `characters`, or are everyday and harmless.
                _ => continue,
            };
            self.add(kind, Weight::Warning, place, got, sentence);
        }
    }
}
