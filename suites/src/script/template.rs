//! Texts with holes, and how the holes are filled.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::scan::{is_name_part, is_name_start};

/// A text with `$name` and `${name}` holes.
///
/// In JSON, a bare `$name.path` stands for the exact JSON text of a value, and `${name.path}` inside a JSON string for
/// its text. In a prompt both stand for the text (strings by content, everything else as JSON).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Exact text.
    Text(String),
    /// The exact JSON text of a variable: `session`, or a path into one: `question`, `params`, `mode`.
    Json(Vec<String>),
    /// The variable's text, for the inside of a JSON string or of a prompt.
    Inner(Vec<String>),
}

/// Why a hole could not be filled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// Nothing has that name, or the value has no such member.
    #[error("`${}` has no value", .0.join("."))]
    Unbound(Vec<String>),
    /// The value is a JSON string that no text can hold: half of a surrogate pair.
    #[error("`${}` is a string with half of a surrogate pair and is no text", .0.join("."))]
    NotText(Vec<String>),
}

impl Template {
    /// A template without holes.
    pub fn exact(text: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Text(text.into())],
        }
    }

    /// The paths of the holes, in order.
    pub fn holes(&self) -> impl Iterator<Item = &[String]> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Json(path) | Part::Inner(path) => Some(path.as_slice()),
        })
    }

    /// The JSON text, with every hole filled. `lookup` answers the exact JSON text of a variable or of a value within
    /// one (see [`reach`]).
    pub fn render(
        &self,
        mut lookup: impl FnMut(&[String]) -> Option<String>,
    ) -> Result<String, RenderError> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Json(path) => out.push_str(&found(&mut lookup, path)?),
                Part::Inner(path) => {
                    let value = found(&mut lookup, path)?;
                    let value = value.trim();
                    match value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) {
                        // What is between the quotes has its escapes already, and keeps them as they are.
                        Some(content) => out.push_str(content),
                        None => push_escaped(&mut out, value),
                    }
                }
            }
        }
        Ok(out)
    }

    /// The text of a prompt, with every hole filled by a string's content or by any other value's JSON text. `lookup`
    /// is as in [`Self::render`].
    pub fn render_text(
        &self,
        mut lookup: impl FnMut(&[String]) -> Option<String>,
    ) -> Result<String, RenderError> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Json(path) | Part::Inner(path) => {
                    let value = found(&mut lookup, path)?;
                    let value = value.trim();
                    if value.starts_with('"') {
                        let content: String = serde_json::from_str(value)
                            .map_err(|_| RenderError::NotText(path.clone()))?;
                        out.push_str(&content);
                    } else {
                        out.push_str(value);
                    }
                }
            }
        }
        Ok(out)
    }

    /// The template as it stands in a prompt, where `$$` is a dollar sign.
    pub(super) fn prompt_source(&self) -> String {
        let mut out = String::new();
        for (n, part) in self.parts.iter().enumerate() {
            // What follows decides whether a dollar sign would begin a hole, and where a bare name would end.
            let after = match self.parts.get(n + 1) {
                None => "",
                Some(Part::Text(text)) => text,
                Some(Part::Json(_) | Part::Inner(_)) => "$",
            };
            match part {
                Part::Text(text) => push_prompt_text(&mut out, text, after),
                Part::Json(path) | Part::Inner(path) => {
                    let path = path.join(".");
                    let after = after.as_bytes();
                    let goes_on = match after.first() {
                        Some(b'.') => after.get(1).copied().is_some_and(is_name_part),
                        next => next.copied().is_some_and(is_name_part),
                    };
                    let (open, close) = if goes_on { ("${", "}") } else { ("$", "") };
                    out.extend([open, &path, close]);
                }
            }
        }
        out
    }
}

/// A text in a prompt, before `after`.
fn push_prompt_text(out: &mut String, text: &str, after: &str) {
    for (at, c) in text.char_indices() {
        out.push(c);
        if c == '$' {
            let next = text.as_bytes().get(at + 1).or(after.as_bytes().first());
            if next.is_some_and(|next| matches!(next, b'$' | b'{') || is_name_start(*next)) {
                out.push('$');
            }
        }
    }
}

fn found(
    lookup: &mut impl FnMut(&[String]) -> Option<String>,
    path: &[String],
) -> Result<String, RenderError> {
    lookup(path).ok_or_else(|| RenderError::Unbound(path.to_vec()))
}

/// JSON text as the content of a JSON string.
fn push_escaped(out: &mut String, json: &str) {
    for c in json.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // The only control characters that JSON text can have are these.
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
}

/// The exact text of the value that a path leads to within a JSON text: member names, and positions in arrays.
/// Of members with the same name the last one counts.
pub fn reach<'j>(json: &'j str, path: &[String]) -> Option<&'j str> {
    let mut json = json.trim();
    for step in path {
        let value: &RawValue = if json.starts_with('[') {
            let index: usize = step.parse().ok()?;
            serde_json::from_str::<Vec<&RawValue>>(json)
                .ok()?
                .get(index)
                .copied()?
        } else {
            serde_json::from_str::<HashMap<std::borrow::Cow<'j, str>, &RawValue>>(json)
                .ok()?
                .get(step.as_str())
                .copied()?
        };
        json = value.get();
    }
    Some(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(dotted: &str) -> Vec<String> {
        dotted.split('.').map(str::to_owned).collect()
    }

    fn lookup(path: &[String]) -> Option<String> {
        let json = match path.first()?.as_str() {
            "id" => "1e3",
            "name" => r#""say \"hi\" \u00e9""#,
            "half" => r#""\ud800""#,
            "form" => "{\"a\": [1, \"x\"],\n\"b\\\"\": null}",
            _ => return None,
        };
        reach(json, &path[1..]).map(str::to_owned)
    }

    #[test]
    fn holes_in_json_take_exact_texts() {
        for (part, expected) in [
            (Part::Json(path("id")), "1e3"),
            (Part::Json(path("name")), r#""say \"hi\" \u00e9""#),
            (Part::Json(path("form.a")), r#"[1, "x"]"#),
            (Part::Json(path("form.a.1")), r#""x""#),
            (Part::Inner(path("id")), "1e3"),
            (Part::Inner(path("name")), r#"say \"hi\" \u00e9"#),
            (Part::Inner(path("half")), r"\ud800"),
            (
                Part::Inner(path("form")),
                r#"{\"a\": [1, \"x\"],\n\"b\\\"\": null}"#,
            ),
        ] {
            let template = Template {
                parts: vec![part.clone()],
            };
            assert_eq!(template.render(lookup).as_deref(), Ok(expected), "{part:?}");
        }
    }

    #[test]
    fn holes_in_a_prompt_take_a_strings_content() {
        let template = Template {
            parts: vec![
                Part::Text("/say ".to_owned()),
                Part::Inner(path("name")),
                Part::Json(path("form.a")),
            ],
        };
        assert_eq!(
            template.render_text(lookup).as_deref(),
            Ok("/say say \"hi\" é[1, \"x\"]")
        );
    }

    #[test]
    fn what_has_no_value_is_named() {
        for missing in ["nobody", "form.c", "form.a.2", "form.a.b", "id.x", "name.x"] {
            let template = Template {
                parts: vec![Part::Json(path(missing))],
            };
            let error = template.render(lookup).unwrap_err();
            assert_eq!(error.to_string(), format!("`${missing}` has no value"));
        }
        let half = Template {
            parts: vec![Part::Inner(path("half"))],
        };
        assert_eq!(
            half.render_text(lookup),
            Err(RenderError::NotText(path("half")))
        );
    }

    #[test]
    fn the_last_of_two_members_with_one_name_is_reached() {
        assert_eq!(reach(r#"{"a":1,"\u0061":2}"#, &path("a")), Some("2"));
    }
}
