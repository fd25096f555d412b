//! Exact JSON texts: reaching into them, merging them, quoting. No number is ever read and written again.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Value, value::RawValue};

/// The members of an object in the order written, each value as its exact text; `None` if it is no object.
pub(crate) fn members(text: &str) -> Option<Vec<(String, &str)>> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, &'de str)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                members.push((key, value.get()));
            }
            Ok(members)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let members = reader.deserialize_map(Members).ok()?;
    reader.end().ok()?;
    Some(members)
}

/// The exact text of the value that a path of member names and array positions leads to. Of members with the same
/// name the last one counts.
pub(crate) fn at<'j, S: AsRef<str>>(text: &'j str, path: &[S]) -> Option<&'j str> {
    let mut text = text.trim_ascii();
    for step in path {
        let step = step.as_ref();
        text = if text.starts_with('[') {
            let index: usize = step.parse().ok()?;
            serde_json::from_str::<Vec<&RawValue>>(text)
                .ok()?
                .get(index)
                .copied()?
                .get()
        } else {
            members(text)?
                .into_iter()
                .rev()
                .find(|(name, _)| name == step)?
                .1
        };
    }
    Some(text)
}

/// A quick look: without this, no string of the text is or holds the word. Any letter may be written as an escape.
pub(crate) fn may_say(text: &str, word: &str) -> bool {
    text.contains(word) || text.contains("\\u")
}

/// The content of a JSON string that a path leads to.
pub(crate) fn string_at<S: AsRef<str>>(text: &str, path: &[S]) -> Option<String> {
    serde_json::from_str(at(text, path)?).ok()
}

/// A text as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

/// `patch` laid over `base`: objects member by member, everything else replaced.
pub(crate) fn merge(base: &str, patch: &str) -> String {
    let (Some(base_members), Some(patch_members)) = (members(base), members(patch)) else {
        return patch.to_owned();
    };
    let mut merged: Vec<(String, String)> = base_members
        .into_iter()
        .map(|(name, value)| (name, value.to_owned()))
        .collect();
    let known = merged.len();
    for (name, value) in patch_members {
        // Only what the base had is replaced: a patch may hold the same new member twice on purpose.
        match merged[..known]
            .iter_mut()
            .find(|(present, _)| *present == name)
        {
            Some((_, present)) => *present = merge(present, value),
            None => merged.push((name, value.to_owned())),
        }
    }
    let members: Vec<String> = merged
        .iter()
        .map(|(name, value)| format!("{}:{value}", quote(name)))
        .collect();
    format!("{{{}}}", members.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_keeps_exact_texts() {
        for (base, patch, merged) in [
            (
                r#"{"a":1,"b":{"c":2}}"#,
                r#"{"b":{"d":1e3}}"#,
                r#"{"a":1,"b":{"c":2,"d":1e3}}"#,
            ),
            (r#"{"a":1}"#, r#"{"a":1.0}"#, r#"{"a":1.0}"#),
            (r#"{"a":{"b":1}}"#, r#"{"a":null}"#, r#"{"a":null}"#),
            (r#"{"a":1}"#, "{}", r#"{"a":1}"#),
            (r#"{"a":1}"#, r#"{"x":1,"x":2}"#, r#"{"a":1,"x":1,"x":2}"#),
            (r#"{"a":1}"#, "[]", "[]"),
        ] {
            assert_eq!(merge(base, patch), merged, "{base} with {patch}");
        }
    }

    #[test]
    fn a_path_reaches_exact_texts() {
        let text = r#"{"a":[1,{"b":1e3}],"c":"x","c":"y"}"#;
        assert_eq!(at(text, &["a", "1", "b"]), Some("1e3"));
        assert_eq!(at(text, &["c"]), Some("\"y\""));
        assert_eq!(at(text, &["a", "2"]), None);
        assert_eq!(at(text, &["c", "d"]), None);
        assert_eq!(string_at(text, &["c"]).as_deref(), Some("y"));
        assert_eq!(string_at(text, &["a"]), None);
    }
}
