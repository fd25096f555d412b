//! What the trigger vocabulary promises, in a form that can be seen on the wire.

pub(crate) use elenchus_suites::vocabulary::command;
use elenchus_suites::vocabulary::{NEW_FORM, NEW_URL};

use crate::json;

/// What triggers the target in a request of ours: a vocabulary command in a prompt, or the `_meta` of a `session/new`.
pub(crate) fn trigger(method: &str, params: Option<&str>) -> Option<&'static str> {
    let params = params?;
    match method {
        // A block without a type is none, whatever it says.
        "session/prompt"
            if json::string_at(params, &["prompt", "0", "type"]).as_deref() == Some("text") =>
        {
            command(&json::string_at(params, &["prompt", "0", "text"])?).map(|command| command.name)
        }
        "session/new" => {
            match json::string_at(params, &["_meta", "elenchus", "elicit"])?.as_str() {
                "form" => Some(NEW_FORM),
                "url" => Some(NEW_URL),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What a trigger promises, in a form that can be seen on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// So many elicitations in this mode.
    Elicits(&'static str, usize),
    /// A form after the turn has ended.
    ElicitsLater,
    /// A question for a secret: about a page, if all is well.
    NeedsSecret,
    /// The text that it was given, as the agent's message.
    Says,
    /// A permission request.
    Asks,
    /// The turn goes on until it is cancelled.
    Holds,
    /// A tool call.
    CallsTool,
    /// The turn fails.
    Fails,
}

impl Promise {
    /// The mode in which it elicits, if it names one.
    pub(crate) fn mode(self) -> Option<&'static str> {
        match self {
            Self::Elicits(mode, _) => Some(mode),
            Self::ElicitsLater => Some("form"),
            _ => None,
        }
    }
}

/// What the vocabulary promises of a trigger; `None` for a name that it does not have.
pub(crate) fn promise(name: &str) -> Option<Promise> {
    Some(match name {
        "/say" => Promise::Says,
        "/elicit form" | "/elicit tool form" | "/elicit choice" | "/hold elicit form"
        | "/effect" | NEW_FORM => Promise::Elicits("form", 1),
        "/elicit twice" => Promise::Elicits("form", 2),
        "/elicit url"
        | "/elicit url-complete"
        | "/elicit url-wait"
        | "/hold elicit url"
        | NEW_URL => Promise::Elicits("url", 1),
        "/elicit secret" => Promise::NeedsSecret,
        "/elicit background" => Promise::ElicitsLater,
        "/ask permission" => Promise::Asks,
        "/hold" => Promise::Holds,
        "/tool" => Promise::CallsTool,
        "/fail" => Promise::Fails,
        _ => return None,
    })
}

/// A prompt that uses the command, with the arguments that it needs.
pub(crate) fn example(command: &str, text: &str) -> String {
    match command {
        "/say" => format!("/say {text}"),
        "/elicit secret" => "/elicit secret API_KEY".to_owned(),
        "/elicit choice" => "/elicit choice red green* blue".to_owned(),
        "/effect" => "/effect probe form".to_owned(),
        command => command.to_owned(),
    }
}

/// The mode in which a `session/new` elicits, for the triggers that are one.
pub(crate) fn elicits_at_new_session(name: &str) -> Option<&'static str> {
    match name {
        NEW_FORM => Some("form"),
        NEW_URL => Some("url"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use elenchus_suites::vocabulary::TRIGGERS;

    use super::*;

    #[test]
    fn every_command_promises_something() {
        for trigger in TRIGGERS {
            assert!(promise(trigger.name).is_some(), "{}", trigger.name);
            let example = example(trigger.name, "x");
            assert_eq!(command(&example), Some(trigger));
            assert_eq!(
                example != trigger.name,
                trigger.argument.is_some(),
                "{example}"
            );
        }
        assert!(promise(NEW_FORM).is_some() && promise(NEW_URL).is_some());
    }

    #[test]
    fn a_new_session_triggers_by_its_meta() {
        assert_eq!(
            trigger(
                "session/new",
                Some(r#"{"_meta":{"elenchus":{"elicit":"url"}}}"#)
            ),
            Some(NEW_URL)
        );
        assert_eq!(
            trigger(
                "session/new",
                Some(r#"{"_meta":{"elenchus":{"elicit":"x"}}}"#)
            ),
            None
        );
        assert_eq!(
            trigger(
                "session/prompt",
                Some(r#"{"prompt":[{"type":"text","text":"/tool"}]}"#)
            ),
            Some("/tool")
        );
        assert_eq!(trigger("session/load", Some("{}")), None);
    }
}
