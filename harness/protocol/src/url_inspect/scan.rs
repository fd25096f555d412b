//! Credentials and personal data in path, query and fragment.

use std::borrow::Cow;

use url::{Url, form_urlencoded};

use super::{
    Findings, Place, UrlFault, decode,
    names::{self, Meaning},
    person, shapes, show,
};
use crate::Weight::{self, Unclear, Warning};

mod context;
mod value;

use context::Context;

/// URLs in the values of URLs are looked into so deep.
const DEPTH: usize = 2;
/// So many segments and parameters are looked at. No honest URL has more, and a hostile one shall not cost
/// more time than other messages of its length.
const PIECES: usize = 10_000;
/// Path segments after which a random one signs its holder in.
const LOGIN_SEGMENTS: [&str; 8] = [
    "magic",
    "magiclink",
    "autologin",
    "passwordless",
    "onetimelogin",
    "resetpassword",
    "passwordreset",
    "signinlink",
];

/// Reports what the URL carries.
pub(super) fn report(url: &Url, findings: &mut Findings) {
    let mut scan = Scan {
        findings,
        outer: None,
        depth: 0,
        pieces: PIECES,
    };
    scan.url(url);
}

/// Something found in a value.
struct Found<'a> {
    kind: UrlFault,
    weight: Weight,
    /// What of the value it is.
    text: &'a str,
    sentence: Cow<'static, str>,
}

impl<'a> Found<'a> {
    fn new(
        kind: UrlFault,
        weight: Weight,
        text: &'a str,
        sentence: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            kind,
            weight,
            text,
            sentence: sentence.into(),
        }
    }
}

struct Scan<'a> {
    findings: &'a mut Findings,
    /// The place of the value whose URL this is; `None` for the outermost URL.
    outer: Option<Place>,
    depth: usize,
    /// How many segments and parameters may still be looked at.
    pieces: usize,
}

impl Scan<'_> {
    fn url(&mut self, url: &Url) {
        self.path(url.path());
        self.pairs(url.query().unwrap_or_default(), Place::Query);
        self.fragment(url.fragment().unwrap_or_default());
    }

    /// Takes one piece out of what may be looked at.
    fn spend(&mut self) -> bool {
        let left = self.pieces.checked_sub(1);
        self.pieces = left.unwrap_or_default();
        left.is_some()
    }

    fn path(&mut self, path: &str) {
        let mut previous = String::new();
        let segments = path.strip_prefix('/').unwrap_or(path).split('/');
        for (segment, index) in segments.zip(1..) {
            if !self.spend() {
                return;
            }
            let mut pieces = segment.split(';');
            let text = decode::percent_text(pieces.next().unwrap_or_default());
            if LOGIN_SEGMENTS.contains(&previous.as_str()) && shapes::is_random(&text) {
                let sentence = "after such a segment stands what signs its holder in";
                let found = Found::new(UrlFault::LoginLink, Warning, &text, sentence);
                self.add(found, || Place::Path(index));
            } else {
                self.text(&text, || Place::Path(index));
            }
            // Parameters of a segment, as `;jsessionid=` is one.
            for piece in pieces {
                if !self.spend() {
                    return;
                }
                let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
                let (name, value) = (decode::percent_text(name), decode::percent_text(value));
                self.parameter(&name, &value, &Context::default(), || Place::Path(index));
            }
            previous = names::words(text.get(..text.len().min(32)).unwrap_or_default()).concat();
        }
    }

    /// Parameters as forms encode them.
    fn pairs(&mut self, pairs: &str, place: fn(String) -> Place) {
        let parse = || form_urlencoded::parse(pairs.as_bytes());
        let context = Context::of(parse().map(|(name, _)| name));
        for ((name, value), number) in parse().zip(1_usize..) {
            if !self.spend() {
                return;
            }
            self.parameter(&name, &value, &context, || {
                let shown = show::name(&name).filter(|_| !value.is_empty());
                place(shown.map_or_else(|| format!("#{number}"), str::to_owned))
            });
        }
    }

    /// A fragment is parameters, or the route of a page that may have parameters of its own.
    fn fragment(&mut self, fragment: &str) {
        let (route, pairs) = match fragment.split_once('?') {
            Some(parts) => parts,
            None if fragment.starts_with(['/', '!']) => (fragment, ""),
            None => ("", fragment),
        };
        for (segment, number) in route.split('/').zip(1_usize..) {
            if !self.spend() {
                return;
            }
            if segment.contains('=') {
                self.pairs(segment, Place::Fragment);
            } else {
                let text = decode::percent_text(segment);
                self.text(&text, || Place::Fragment(format!("#{number}")));
            }
        }
        self.pairs(pairs, Place::Fragment);
    }

    fn parameter(&mut self, name: &str, value: &str, context: &Context, place: impl Fn() -> Place) {
        if value.is_empty() {
            return self.text(name, place);
        }
        if self.depth < DEPTH && self.inner_url(value, &place) {
            return;
        }
        if let Some(found) = value::of_parameter(name, value, context) {
            self.add(found, place);
        }
    }

    /// A value that is a URL is looked into as one.
    fn inner_url(&mut self, value: &str, place: &impl Fn() -> Place) -> bool {
        let web = ["https://", "http://"].iter().any(|scheme| {
            value
                .get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        let Some(url) = web.then(|| Url::parse(value).ok()).flatten() else {
            return false;
        };
        let outer = self.outer.clone().unwrap_or_else(place);
        if let Some(password) = url.password() {
            let password = decode::percent_text(password);
            let sentence = "a URL in this value has a password before its host";
            let found = Found::new(UrlFault::Password, Warning, &password, sentence);
            self.add(found, || outer.clone());
        }
        let mut scan = Scan {
            findings: self.findings,
            outer: Some(outer),
            depth: self.depth + 1,
            pieces: self.pieces,
        };
        scan.url(&url);
        self.pieces = scan.pieces;
        true
    }

    /// Text without a name.
    fn text(&mut self, text: &str, place: impl Fn() -> Place) {
        if let Some(found) = value::of_text(text) {
            self.add(found, place);
        }
    }

    fn add(&mut self, found: Found<'_>, place: impl Fn() -> Place) {
        let place = self.outer.clone().unwrap_or_else(place);
        let excerpt = show::redacted(found.text);
        self.findings
            .add(found.kind, found.weight, place, excerpt, found.sentence);
    }
}
