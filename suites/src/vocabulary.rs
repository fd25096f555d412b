//! The trigger vocabulary: the names of what a target can be made to do.
//!
//! `suites/README.md` tells what each promises. A prepared target understands them as prompts; for another one a
//! [profile](crate::profile) says which prompt has the same effect.

/// A name of the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trigger {
    /// What a prompt begins with: `/elicit form`.
    pub name: &'static str,
    /// What the target does, for the person who looks for a prompt of that effect.
    pub does: &'static str,
    /// What stands after it, if it needs something: `TEXT`.
    pub argument: Option<&'static str>,
}

/// The name of the trigger that a `session/new` with `_meta.elenchus.elicit` set to `form` is.
pub const NEW_FORM: &str = "session/new elicit form";
/// The same for `url`.
pub const NEW_URL: &str = "session/new elicit url";

const fn trigger(name: &'static str, does: &'static str) -> Trigger {
    Trigger {
        name,
        does,
        argument: None,
    }
}

const fn with(name: &'static str, argument: &'static str, does: &'static str) -> Trigger {
    Trigger {
        name,
        does,
        argument: Some(argument),
    }
}

/// Those that are prompts.
pub const TRIGGERS: [Trigger; 17] = [
    with("/say", "TEXT", "answers with TEXT, and nothing else"),
    trigger("/elicit form", "asks the user by a form"),
    trigger("/elicit url", "asks the user to open a URL"),
    trigger(
        "/elicit url-complete",
        "asks the user to open a URL, ends its turn at the accept, and sends elicitation/complete after the visit",
    ),
    trigger(
        "/elicit url-wait",
        "asks the user to open a URL, and ends its turn only after the visit",
    ),
    trigger(
        "/elicit tool form",
        "asks by a form from within a tool call",
    ),
    trigger("/elicit twice", "asks by two forms at once"),
    with("/elicit secret", "NAME", "needs a secret of that name"),
    with(
        "/elicit choice",
        "A B* C",
        "asks the user to choose one of the values; the one with the star is the default",
    ),
    trigger(
        "/elicit background",
        "ends its turn, and asks by a form afterwards (ACP v2)",
    ),
    trigger("/ask permission", "asks for permission for a tool call"),
    trigger("/hold", "works until it is cancelled"),
    trigger(
        "/hold elicit form",
        "asks by a form, and does nothing else until it is answered",
    ),
    trigger(
        "/hold elicit url",
        "asks to open a URL, and does nothing else until it is answered",
    ),
    trigger("/tool", "makes one tool call"),
    with(
        "/effect",
        "NAME form",
        "asks for confirmation by a form, then does what it asked about",
    ),
    trigger("/fail", "fails its turn"),
];

/// The trigger that has this name.
pub fn named(name: &str) -> Option<Trigger> {
    TRIGGERS.into_iter().find(|trigger| trigger.name == name)
}

/// The command that a prompt begins with; of two that fit, the longer is meant.
pub fn command(prompt: &str) -> Option<Trigger> {
    TRIGGERS
        .into_iter()
        .filter(|trigger| {
            prompt
                .strip_prefix(trigger.name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\n', '\t']))
        })
        .max_by_key(|trigger| trigger.name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_command_counts_and_only_whole_words() {
        for (prompt, expected) in [
            ("/hold", Some("/hold")),
            ("/hold elicit form", Some("/hold elicit form")),
            ("/hold elicit nothing", Some("/hold")),
            ("/holding", None),
            ("/elicit url", Some("/elicit url")),
            ("/elicit url-complete", Some("/elicit url-complete")),
            ("/elicit form {\"type\":\"object\"}", Some("/elicit form")),
            ("/elicit", None),
            ("say", None),
            (" /say x", None),
            ("session/new elicit form", None),
        ] {
            let found = command(prompt).map(|trigger| trigger.name);
            assert_eq!(found, expected, "{prompt}");
        }
    }
}
