//! A profile to begin with: every key with what it means, and what a trial of the target has shown.

use std::fmt::Write as _;

use super::Command;
use crate::{
    script::Target,
    vocabulary::{TRIGGERS, Trigger},
};

/// What is known of a target before its profile is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learned {
    /// How it is started.
    pub command: Option<Command>,
    /// It is a client.
    pub client: bool,
    /// The versions that it was seen to speak.
    pub protocol: Vec<u16>,
    /// The triggers that were seen to work; nothing is known of the others if there is no list.
    pub triggers: Option<Vec<String>>,
    /// The ids of the ways to sign in that it offers.
    pub auth_methods: Vec<String>,
}

/// The text of a profile that says what was learned, and explains the rest in comments. It can be read back.
pub fn template(learned: &Learned) -> String {
    let mut text = String::new();
    // Writing to a String never fails.
    let _ = write(&mut text, learned);
    text
}

fn write(out: &mut String, learned: &Learned) -> std::fmt::Result {
    out.push_str(
        "# How Elenchus tests this target. `elenchus` without arguments reads this file in the current folder; flags win\n\
         # over it. Paths are relative to this file.\n\n\
         # What starts the target, quoted as for a shell, or as a list of words.\n",
    );
    match &learned.command {
        Some(Command::Line(line)) => writeln!(out, "command = {}", quoted(line))?,
        Some(Command::Words(words)) => writeln!(out, "command = {}", list(words))?,
        None => out.push_str("command = \"./my-agent\"\n"),
    }
    out.push_str(
        "\n# The folder that it is started in.\n\
         # cwd = \".\"\n\n\
         # It gets PATH, the locale and an empty folder as HOME; what else it needs stands in [env] below, or is taken over\n\
         # from the environment of Elenchus, where a secret belongs.\n\
         # pass-env = [\"MY_API_KEY\"]\n\n\
         # What the target is: \"agent\" or \"client\".\n\
         kind = ",
    );
    let kind = if learned.client {
        Target::Client
    } else {
        Target::Agent
    };
    writeln!(out, "\"{kind}\"")?;
    out.push_str(
        "\n# A client that starts its agent itself names it as {agent} in its command; one that does not speaks directly.\n\
         # direct = true\n\n\
         # The versions that it claims to speak; without this line, each that it negotiates.\n",
    );
    let versions: Vec<String> = learned
        .protocol
        .iter()
        .map(|version| format!("acp-v{version}"))
        .collect();
    if versions.is_empty() {
        out.push_str("# protocol = [\"acp-v1\", \"acp-v2\"]\n");
    } else {
        writeln!(out, "protocol = {}", list(&versions))?;
    }
    out.push_str(
        "\n# How long an answer that is owed may take, in seconds (other times are scaled with it), and how long the first one,\n\
         # while it starts. An agent with a model behind it needs more than the usual 10.\n\
         # timeout = 10\n\
         # start-timeout = 60\n\n\
         # How many processes of it run at a time.\n\
         # jobs = 1\n\n\
         # The way in which it is signed in before its first session, by its id",
    );
    if learned.auth_methods.is_empty() {
        out.push_str(".\n# auth-method = \"...\"\n");
    } else {
        out.push_str("; it offers these.\n");
        for method in &learned.auth_methods {
            writeln!(out, "# auth-method = {}", quoted(method))?;
        }
    }
    out.push_str(
        "\n# It may be logged out, and in again: a test account, nobody's own.\n\
         # allow-logout = true\n\n\
         # [env]\n\
         # MY_AGENT_LOG = \"debug\"\n",
    );
    if learned.client {
        out.push_str(
            "\n# What starts it where it is to do what its environment tells, if it does not heed that but a command line has the\n\
             # same effect: how all elicitations are answered, and permission requests.\n\
             # [commands]\n\
             # \"answers=accept\" = \"... --fill-forms --agent {agent}\"\n\
             # \"answers=decline\" = \"...\"\n\
             # \"answers=cancel\" = \"...\"\n\
             # \"answers=idle\" = \"...\"\n\
             # \"permission=allow\" = \"...\"\n\
             # \"permission=reject\" = \"...\"\n",
        );
    } else {
        write_triggers(out, learned)?;
    }
    out.push_str(
        "\n# What no wire shows and a person has looked at: `elenchus list checklist` has all that there is to see.\n\
         # [[attestation]]\n\
         # requirement = \"ACP-...\"\n\
         # who = \"...\"\n\
         # when = 2026-11-30\n\
         # note = \"...\"\n",
    );
    Ok(())
}

/// A client is prompted by nobody, so this is for agents.
fn write_triggers(out: &mut String, learned: &Learned) -> std::fmt::Result {
    out.push_str(
        "\n# What makes the target do what each trigger stands for, if it does not understand the trigger itself: a prompt, or\n\
         # \"none\". {argument} is what follows the trigger in a script.\n\
         [triggers]\n\
         # \"*\" = \"none\"   # all that are not named below\n",
    );
    for trigger in TRIGGERS {
        write_trigger(out, trigger, learned)?;
    }
    Ok(())
}

fn write_trigger(out: &mut String, trigger: Trigger, learned: &Learned) -> std::fmt::Result {
    let seen = match &learned.triggers {
        None => "",
        Some(worked) if worked.iter().any(|name| name == trigger.name) => "; it does",
        Some(_) => "; not seen",
    };
    let called = match trigger.argument {
        Some(argument) => format!("{} {argument}", trigger.name),
        None => trigger.name.to_owned(),
    };
    writeln!(out, "\n# `{called}`: {}{seen}.", trigger.does)?;
    let example = match trigger.argument {
        Some(_) => "... {argument} ...",
        None => "...",
    };
    writeln!(out, "# {} = \"{example}\"", quoted(trigger.name))
}

fn list(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("[{}]", words.join(", "))
}

/// A text as a TOML string on one line, as a JSON string is: only DEL, which JSON leaves as it is, TOML has escaped.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}
