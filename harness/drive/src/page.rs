//! A page as a person meets it: the first form on it that takes a text, filled in and ready to be sent off.
//!
//! Enough of HTML for a page that asks for a credential. A page that draws its form with a program has none here.

use url::{Url, form_urlencoded::Serializer};

/// What came of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Seen {
    /// The page shows a planted credential to whoever opens it.
    pub(crate) shows: bool,
    /// A credential was typed into its form, and the page took it.
    pub(crate) typed: bool,
}

/// The path and query of a URL of this site.
pub(crate) fn below<'u>(site: &str, url: &'u str) -> Option<&'u str> {
    let path = url.strip_prefix(site)?.split('#').next()?;
    match path {
        "" => Some("/"),
        path => path.starts_with(['/', '?']).then_some(path),
    }
}

/// What a browser sends off.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Submission {
    /// Where to; for a form that is fetched, with the fields in it.
    pub(crate) url: String,
    /// The fields, for a form that is posted.
    pub(crate) body: Option<String>,
}

/// Fills in the first form that has a field for a text. What a page says beyond that is left as it is.
pub(crate) fn fill(page: &str, at: &str, text: &str) -> Option<Submission> {
    let base = Url::parse(at).ok()?;
    let mut form: Option<Tag<'_>> = None;
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut taken = false;
    let mut tags = tags(page);
    loop {
        let tag = tags.next();
        let ends = tag
            .as_ref()
            .is_none_or(|tag| matches!(tag.name.as_str(), "/form" | "form"));
        if ends && taken {
            break;
        }
        let tag = tag?;
        match tag.name.as_str() {
            "form" => {
                form = Some(tag);
                fields.clear();
            }
            "/form" => form = None,
            "input" | "textarea" if form.is_some() => {
                let Some(name) = tag.attribute("name").filter(|name| !name.is_empty()) else {
                    continue;
                };
                let kind = tag
                    .attribute("type")
                    .unwrap_or_default()
                    .to_ascii_lowercase();
                match kind.as_str() {
                    "" | "text" | "password" | "email" | "search" | "tel" | "url" => {
                        taken = true;
                        fields.push((name, text.to_owned()));
                    }
                    "hidden" => fields.push((name, tag.attribute("value").unwrap_or_default())),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    let form = form?;
    let action = form.attribute("action").unwrap_or_default();
    let mut url = if action.is_empty() {
        base
    } else {
        base.join(&action).ok()?
    };
    url.set_fragment(None);
    let encoded = Serializer::new(String::new()).extend_pairs(fields).finish();
    let posted = form
        .attribute("method")
        .is_some_and(|method| method.eq_ignore_ascii_case("post"));
    if !posted {
        url.set_query(Some(&encoded));
    }
    Some(Submission {
        url: url.into(),
        body: posted.then_some(encoded),
    })
}

/// A tag of a page.
struct Tag<'a> {
    /// In lower case; that of an end tag with its slash.
    name: String,
    inside: &'a str,
}

/// The tags of a page in order.
fn tags(page: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut rest = page;
    std::iter::from_fn(move || {
        let inside = &rest[rest.find('<')? + 1..];
        let mut quote = None;
        let end = inside.find(|c: char| {
            match quote {
                Some(open) if c == open => quote = None,
                None if matches!(c, '"' | '\'') => quote = Some(c),
                _ => {}
            }
            quote.is_none() && c == '>'
        })?;
        rest = &inside[end + 1..];
        let inside = &inside[..end];
        let name = inside
            .split(|c: char| c.is_ascii_whitespace())
            .next()
            .unwrap_or_default();
        Some(Tag {
            name: name.to_ascii_lowercase(),
            inside: &inside[name.len()..],
        })
    })
}

impl Tag<'_> {
    /// The value of an attribute, as it is read.
    fn attribute(&self, wanted: &str) -> Option<String> {
        let mut rest = self.inside;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            let end = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '/'));
            // A stray sign at the beginning is a name of its own.
            let end = end
                .unwrap_or(rest.len())
                .max(rest.chars().next().map_or(1, char::len_utf8));
            let (name, after) = rest.split_at(end);
            let after = after.trim_ascii_start();
            let value;
            (value, rest) = match after.strip_prefix('=').map(str::trim_ascii_start) {
                None => ("", after),
                Some(given) => {
                    if let Some(quote @ ('"' | '\'')) = given.chars().next() {
                        given[1..].split_once(quote).unwrap_or((&given[1..], ""))
                    } else {
                        let end = given.find(|c: char| c.is_ascii_whitespace());
                        given.split_at(end.unwrap_or(given.len()))
                    }
                }
            };
            if name.eq_ignore_ascii_case(wanted) {
                let text = value.replace("&quot;", "\"").replace("&#39;", "'");
                return Some(
                    text.replace("&lt;", "<")
                        .replace("&gt;", ">")
                        .replace("&amp;", "&"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: &str = "http://127.0.0.1:1/a/b?c=d#e";

    fn filled(page: &str) -> Option<(String, Option<String>)> {
        fill(page, AT, "s/x").map(|sent| (sent.url, sent.body))
    }

    #[test]
    fn the_first_form_with_a_text_is_sent_off_as_a_browser_would() {
        for (page, url, body) in [
            (
                "<form method=post><input type=password name=s></form>",
                "http://127.0.0.1:1/a/b?c=d",
                Some("s=s%2Fx"),
            ),
            (
                "<FORM METHOD='POST' ACTION=\"/go?x=1&amp;y=2\"><INPUT NAME=s><button>Go",
                "http://127.0.0.1:1/go?x=1&y=2",
                Some("s=s%2Fx"),
            ),
            (
                "<form action=go><input type=hidden name=csrf value='a b'><textarea name=t></textarea></form>",
                "http://127.0.0.1:1/a/go?csrf=a+b&t=s%2Fx",
                None,
            ),
            (
                "<form id=search><input type=submit name=q></form><form method=post><input type=text name=u><input type=password name=p></form>",
                "http://127.0.0.1:1/a/b?c=d",
                Some("u=s%2Fx&p=s%2Fx"),
            ),
            (
                "<p title='a > b'>x</p><form method=post action=https://other.example/><input required name=s /></form>",
                "https://other.example/",
                Some("s=s%2Fx"),
            ),
        ] {
            assert_eq!(
                filled(page),
                Some((url.to_owned(), body.map(str::to_owned))),
                "{page}"
            );
        }
    }

    #[test]
    fn a_page_without_such_a_form_takes_nothing() {
        for page in [
            "",
            "<p>Thank you.",
            "<input name=s>",
            "<form><input type=checkbox name=s></form>",
            "<form><input type=text></form>",
            "<form><input name=s",
            "<form action='http://['><input name=s></form>",
            "<form></form><input name=s>",
            "<<<<<",
            "<form =><input = name",
        ] {
            assert_eq!(filled(page), None, "{page}");
        }
        assert_eq!(fill("<form><input name=s></form>", "no URL", "x"), None);
    }

    #[test]
    fn hostile_pages_are_read_to_their_end() {
        for piece in [
            "<",
            "<a ",
            "<form ",
            "=",
            "/",
            "<input name=",
            "é=",
            "\"",
            "<form><input x=y ",
        ] {
            let _ = filled(&piece.repeat(5000));
            let _ = filled(&format!(
                "<form><input name=s {}></form>",
                piece.replace('<', "").repeat(500)
            ));
        }
    }
}
