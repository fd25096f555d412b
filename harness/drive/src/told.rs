//! What a client under test is told by the variables of its environment.

use elenchus_protocol::Version;
use elenchus_suites::script::Heed;
use elenchus_wire::Mark;
use serde_json::Value;

use crate::json;

/// The variables, in the order in which they are set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Told(pub(crate) Vec<(&'static str, String)>);

/// The member of a script's `client`, the variable, and what it is where the member is missing, as JSON text.
const VARIABLES: [(&str, &str, Option<&str>); 7] = [
    ("answers", "ELENCHUS_ANSWERS", None),
    (
        "capabilities",
        "ELENCHUS_CAPABILITIES",
        Some(r#"{"form":{},"url":{}}"#),
    ),
    ("permission", "ELENCHUS_PERMISSION", None),
    ("prompt", "ELENCHUS_PROMPT", Some(r#""hello""#)),
    ("cancel", "ELENCHUS_CANCEL_AFTER", None),
    ("turns", "ELENCHUS_TURNS", None),
    ("linger", "ELENCHUS_LINGER_MS", None),
];

impl Told {
    /// What a script tells a client of this version; `object` is JSON text. A string is told by its content, anything
    /// else as it stands.
    pub(crate) fn read(version: Version, object: Option<&str>) -> Self {
        let mut told = vec![("ELENCHUS_PROTOCOL", version.number().to_string())];
        for (member, variable, usual) in VARIABLES {
            let value = object
                .and_then(|object| json::at(object, &[member]))
                .or(usual);
            if let Some(value) = value {
                let content = serde_json::from_str::<String>(value);
                told.push((variable, content.unwrap_or_else(|_| value.to_owned())));
            }
        }
        Self(told)
    }

    /// The marks that stand in the trace of a client that was told this.
    pub(crate) fn marks(&self) -> impl Iterator<Item = Mark> + '_ {
        self.0.iter().map(|(name, value)| Mark::Told {
            name: (*name).to_owned(),
            value: value.clone(),
        })
    }

    fn value(&self, variable: &str) -> Option<&str> {
        let mut told = self.0.iter();
        let found = told.find(|(name, _)| *name == variable);
        found.map(|(_, value)| value.as_str())
    }

    /// It is to leave the elicitation open that stands behind so many others.
    pub(crate) fn leaves_open(&self, behind: usize) -> bool {
        let answers = self.value(Self::variable(Heed::Answers));
        let answer = answers.and_then(|answers| json::at(answers, &[&behind.to_string()]));
        answer == Some(r#""idle""#)
    }

    /// It is to leave permission requests open.
    pub(crate) fn decides_nothing(&self) -> bool {
        self.value(Self::variable(Heed::Permission)) == Some("idle")
    }

    /// It is to stay after its last turn.
    pub(crate) fn lingers(&self) -> bool {
        self.value("ELENCHUS_LINGER_MS").is_some()
    }

    /// What it is to answer every elicitation with, in a word, where its answers are all the same and say nothing of the
    /// content: that is what a command line can say.
    pub(crate) fn answers_all(&self) -> Option<String> {
        let answers = self.value(Self::variable(Heed::Answers))?;
        let answers: Vec<Value> = serde_json::from_str(answers).ok()?;
        let word = |answer: &Value| match answer {
            Value::Object(members) if members.len() == 1 => {
                members.get("action")?.as_str().map(str::to_owned)
            }
            Value::String(word) => Some(word.clone()),
            _ => None,
        };
        let first = word(answers.first()?)?;
        let all = answers
            .iter()
            .all(|answer| word(answer).as_ref() == Some(&first));
        all.then_some(first)
    }

    /// A member of a script's `client` line has this value, which is a word or JSON text.
    pub(crate) fn says(&self, member: &str, value: &str) -> bool {
        if member == "answers" {
            return self.answers_all().as_deref() == Some(value);
        }
        let mut variables = VARIABLES.iter();
        let variable = variables.find(|(known, ..)| *known == member);
        let said = variable.and_then(|(_, variable, _)| self.value(variable));
        let json = |text: &str| serde_json::from_str::<Value>(text).ok();
        said.is_some_and(|said| {
            said == value || json(said).is_some_and(|said| Some(said) == json(value))
        })
    }

    /// The variable that a client may heed.
    pub(crate) fn variable(heed: Heed) -> &'static str {
        match heed {
            Heed::Answers => "ELENCHUS_ANSWERS",
            Heed::Capabilities => "ELENCHUS_CAPABILITIES",
            Heed::Permission => "ELENCHUS_PERMISSION",
            Heed::Cancel => "ELENCHUS_CANCEL_AFTER",
            Heed::Turns => "ELENCHUS_TURNS",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_told_by_their_content_and_the_rest_as_it_stands() {
        let object = r#"{"answers": [ {"action":"decline"},"idle"], "capabilities": "absent", "prompt": "a \"b\"", "turns": 2}"#;
        let Told(told) = Told::read(Version::AcpV2, Some(object));
        assert_eq!(
            told,
            [
                ("ELENCHUS_PROTOCOL", "2".to_owned()),
                (
                    "ELENCHUS_ANSWERS",
                    r#"[ {"action":"decline"},"idle"]"#.to_owned()
                ),
                ("ELENCHUS_CAPABILITIES", "absent".to_owned()),
                ("ELENCHUS_PROMPT", r#"a "b""#.to_owned()),
                ("ELENCHUS_TURNS", "2".to_owned()),
            ]
        );
    }

    #[test]
    fn a_command_line_can_say_what_is_the_same_for_all() {
        for (answers, word) in [
            (
                r#"[{"action": "accept"}, {"action":"accept"}]"#,
                Some("accept"),
            ),
            (r#"[{"action":"decline"}]"#, Some("decline")),
            (r#"["idle", "idle"]"#, Some("idle")),
            (r#"["idle", {"action":"accept"}]"#, None),
            (r#"[{"action":"accept","content":{}}]"#, None),
            ("[]", None),
        ] {
            let told = Told::read(
                Version::AcpV1,
                Some(&format!(r#"{{"answers": {answers}, "turns": 2}}"#)),
            );
            assert_eq!(told.answers_all().as_deref(), word, "{answers}");
            assert!(word.is_none_or(|word| told.says("answers", word)));
            assert!(!told.says("answers", "cancel"), "{answers}");
            assert!(told.says("turns", "2") && !told.says("turns", "1"));
            assert!(told.says("capabilities", r#"{"url": {}, "form": {}}"#));
            assert!(!told.says("permission", "allow"));
        }
    }

    #[test]
    fn what_no_script_says_is_told_all_the_same() {
        let Told(told) = Told::read(Version::AcpV1, None);
        assert_eq!(
            told,
            [
                ("ELENCHUS_PROTOCOL", "1".to_owned()),
                (
                    "ELENCHUS_CAPABILITIES",
                    r#"{"form":{},"url":{}}"#.to_owned()
                ),
                ("ELENCHUS_PROMPT", "hello".to_owned()),
            ]
        );
        let Told(null) = Told::read(Version::AcpV1, Some(r#"{"capabilities": null}"#));
        assert_eq!(null[1], ("ELENCHUS_CAPABILITIES", "null".to_owned()));
    }

    #[test]
    fn every_variable_that_may_be_heeded_is_one_that_can_be_told() {
        for heed in Heed::ALL {
            let variable = Told::variable(heed);
            assert!(VARIABLES.iter().any(|(_, told, _)| *told == variable));
        }
    }
}
