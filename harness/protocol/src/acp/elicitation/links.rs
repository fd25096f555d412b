//! Clickable links in the texts of a form (ELICIT-FORM-015): a form asks, it does not send people elsewhere.

use serde_json::{Map, Value};

use super::CreateFault;
use crate::form::finding::{Findings, Path};

/// Warns of each text that a person reads and that holds a link.
pub(super) fn report(params: &Map<String, Value>, findings: &mut Findings<CreateFault>) {
    let mut scan = Scan { findings };
    let root = Path::ROOT;
    scan.text(params.get("message"), &root.member("message"));
    let Some(Value::Object(schema)) = params.get("requestedSchema") else {
        return;
    };
    let path = root.member("requestedSchema");
    scan.labels(schema, &path);
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return;
    };
    let path = path.member("properties");
    for (name, property) in properties {
        if let Value::Object(property) = property {
            scan.property(property, &path.member(name));
        }
    }
}

struct Scan<'a> {
    findings: &'a mut Findings<CreateFault>,
}

impl Scan<'_> {
    fn property(&mut self, property: &Map<String, Value>, path: &Path<'_>) {
        self.labels(property, path);
        // In a field that asks for a URI, the URI is data.
        if property.get("format").and_then(Value::as_str) != Some("uri") {
            self.text(property.get("default"), &path.member("default"));
        }
        self.options(property.get("oneOf"), &path.member("oneOf"));
        if let Some(Value::Object(items)) = property.get("items") {
            let path = path.member("items");
            self.options(items.get("anyOf"), &path.member("anyOf"));
        }
    }

    fn options(&mut self, options: Option<&Value>, path: &Path<'_>) {
        let Some(Value::Array(options)) = options else {
            return;
        };
        for (index, option) in options.iter().enumerate() {
            if let Value::Object(option) = option {
                self.labels(option, &path.index(index));
            }
        }
    }

    fn labels(&mut self, object: &Map<String, Value>, path: &Path<'_>) {
        for name in ["title", "description"] {
            self.text(object.get(name), &path.member(name));
        }
    }

    fn text(&mut self, value: Option<&Value>, path: &Path<'_>) {
        if value.and_then(Value::as_str).is_some_and(has_link) {
            let fault = CreateFault::ClickableUrl;
            let expected = "a text without a link; a URL to open belongs in url mode";
            self.findings.warning(fault, path, value, expected);
        }
    }
}

/// Is there something that a terminal or a view would make clickable: `http://` or `https://` and a host?
/// A text that only speaks of such links ("must begin with https://") has none.
fn has_link(text: &str) -> bool {
    text.match_indices("://").any(|(at, separator)| {
        let (before, after) = (&text[..at], &text[at + separator.len()..]);
        let scheme = ["http", "https"].iter().any(|scheme| {
            let start = before.len().checked_sub(scheme.len());
            start
                .and_then(|start| before.get(start..))
                .is_some_and(|end| end.eq_ignore_ascii_case(scheme))
        });
        let host = after
            .chars()
            .next()
            .is_some_and(|first| first.is_alphanumeric() || first == '[');
        scheme && host
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_a_scheme_and_a_host() {
        for text in [
            "https://example.com",
            "open HTTP://127.0.0.1:80/x and come back",
            "(https://[::1]/)",
            "ftp://x and then http://y",
            "über https://ünder.example",
        ] {
            assert!(has_link(text), "{text}");
        }
        for text in [
            "",
            "://",
            "https",
            "https://",
            "must begin with https:// or http://",
            "https://<host>/",
            "file://localhost/etc",
            "www.example.com",
            "é://example.com",
        ] {
            assert!(!has_link(text), "{text}");
        }
    }
}
