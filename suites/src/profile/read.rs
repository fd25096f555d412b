//! Reads a profile, and tells what is wrong with one at its place.

use std::{num::NonZeroUsize, ops::Range, time::Duration};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
    value::Datetime,
};

use super::{ANSWERS, ARGUMENT, Attestation, Command, Own, Profile, ProfileError, Triggers};
use crate::{
    Catalogue,
    script::Target,
    script::error::{crop, did_you_mean, one_of},
    vocabulary::{self, TRIGGERS},
};

/// What may stand at the top, in the order of the template.
const KEYS: [&str; 15] = [
    "command",
    "cwd",
    "env",
    "pass-env",
    "kind",
    "direct",
    "commands",
    "protocol",
    "timeout",
    "start-timeout",
    "jobs",
    "auth-method",
    "allow-logout",
    "triggers",
    "attestation",
];

/// What a client may be told by another command: what the control run can learn that it heeds; and the values of each,
/// where they are words.
const COMMANDS: [(&str, &[&str]); 5] = [
    ("answers", &ANSWERS),
    ("permission", &["allow", "reject", "cancel", "idle"]),
    ("capabilities", &[]),
    ("cancel", &["elicitation", "permission", "update"]),
    ("turns", &[]),
];

/// What may stand in an attestation.
const ATTESTATION: [&str; 4] = ["requirement", "who", "when", "note"];

/// In place of a prompt: there is none.
const NONE: &str = "none";
/// In place of a trigger's name: all that are not named.
const OTHERS: &str = "*";

type Value<'i> = Spanned<DeValue<'i>>;

/// Reads a profile. `file` is its name in errors; `catalogue` holds the requirements that can be attested.
pub fn parse(file: &str, text: &str, catalogue: &Catalogue) -> Result<Profile, ProfileError> {
    let reader = Reader {
        file,
        text,
        catalogue,
    };
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        reader.wrong(at, format!("this is no TOML: {}", error.message()))
    })?;
    reader.profile(table.get_ref())
}

struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    catalogue: &'t Catalogue,
}

impl Reader<'_> {
    /// An error at a byte of the text.
    fn wrong(&self, at: usize, message: impl Into<String>) -> ProfileError {
        let (number, line, column) = self.place(at);
        ProfileError {
            file: self.file.to_owned(),
            line: number,
            column,
            message: message.into(),
            text: line.to_owned(),
        }
    }

    /// The number of the line in which a byte stands, its text, and the column.
    fn place(&self, at: usize) -> (u32, &str, u32) {
        let at = (0..=at.min(self.text.len()))
            .rfind(|&at| self.text.is_char_boundary(at))
            .unwrap_or_default();
        let before = &self.text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_add(1);
        (
            count(before.matches('\n').count()),
            line,
            count(before[start..].chars().count()),
        )
    }

    fn profile(&self, table: &DeTable<'_>) -> Result<Profile, ProfileError> {
        let mut profile = Profile::default();
        for (key, value) in table {
            let at = value.span();
            match key.get_ref().as_ref() {
                "command" => profile.command = Some(self.command(value)?),
                "cwd" => profile.cwd = Some(self.filled(value, "a folder")?.to_owned()),
                "env" => profile.env = self.env(value)?,
                "pass-env" => {
                    for name in self.list(value, "a list of names must stand here: [\"HOME\"]")? {
                        let text = self.filled(name, "the name of a variable")?;
                        self.check_variable(text, name.span())?;
                        profile.pass_env.push(text.to_owned());
                    }
                }
                "kind" => profile.kind = Some(self.kind(value)?),
                "direct" => profile.direct = self.flag(value)?,
                "commands" => profile.commands = self.commands(value)?,
                "protocol" => profile.protocol = self.protocol(value)?,
                "timeout" => profile.timeout = Some(self.seconds(value)?),
                "start-timeout" => profile.start_timeout = Some(self.seconds(value)?),
                "jobs" => {
                    let jobs = value.get_ref().as_integer();
                    let jobs = jobs.and_then(|jobs| jobs.as_str().parse::<NonZeroUsize>().ok());
                    profile.jobs = Some(jobs.ok_or_else(|| {
                        self.wrong(at.start, "a whole number from 1 must stand here")
                    })?);
                }
                "auth-method" => {
                    profile.auth_method =
                        Some(self.filled(value, "the id of a way to sign in")?.to_owned());
                }
                "allow-logout" => profile.allow_logout = self.flag(value)?,
                "triggers" => profile.triggers = self.triggers(value)?,
                "attestation" => profile.attestations = self.attestations(value)?,
                other => return Err(self.unknown(other, key.span(), &KEYS)),
            }
        }
        Ok(profile)
    }

    fn unknown(&self, key: &str, at: Range<usize>, known: &[&str]) -> ProfileError {
        let hint = match did_you_mean(key, known.iter().copied()) {
            none if none.is_empty() => {
                format!("; there are {}", one_of(known).replace(" or ", " and "))
            }
            hint => hint,
        };
        self.wrong(at.start, format!("there is no key `{}`{hint}", crop(key)))
    }

    /// A text that is not empty.
    fn filled<'v>(&self, value: &'v Value<'_>, what: &str) -> Result<&'v str, ProfileError> {
        let text = value.get_ref().as_str();
        text.filter(|text| !text.trim().is_empty()).ok_or_else(|| {
            self.wrong(
                value.span().start,
                format!("{what} must stand here, in quotes"),
            )
        })
    }

    fn list<'v, 'i>(
        &self,
        value: &'v Value<'i>,
        what: &str,
    ) -> Result<&'v [Value<'i>], ProfileError> {
        match value.get_ref() {
            DeValue::Array(list) => Ok(list),
            _ => Err(self.wrong(value.span().start, what)),
        }
    }

    fn table<'v, 'i>(
        &self,
        value: &'v Value<'i>,
        what: &str,
    ) -> Result<&'v DeTable<'i>, ProfileError> {
        value.get_ref().as_table().ok_or_else(|| {
            self.wrong(
                value.span().start,
                format!("a table must stand here: {what}"),
            )
        })
    }

    fn command(&self, value: &Value<'_>) -> Result<Command, ProfileError> {
        const WHAT: &str = "a command must stand here: \"node agent.mjs --acp\", or [\"node\", \"agent.mjs\", \"--acp\"]";
        let wrong = || self.wrong(value.span().start, WHAT);
        match value.get_ref() {
            DeValue::String(line) if !line.trim().is_empty() => {
                Ok(Command::Line(line.as_ref().to_owned()))
            }
            DeValue::Array(words) => {
                let words: Option<Vec<String>> = words
                    .iter()
                    .map(|word| word.get_ref().as_str().map(str::to_owned))
                    .collect();
                let words =
                    words.filter(|words| words.first().is_some_and(|program| !program.is_empty()));
                Ok(Command::Words(words.ok_or_else(wrong)?))
            }
            _ => Err(wrong()),
        }
    }

    fn env(&self, value: &Value<'_>) -> Result<Vec<(String, String)>, ProfileError> {
        let mut env = Vec::new();
        for (name, value) in self.table(value, "`[env]`, and below it lines of NAME = \"value\"")? {
            self.check_variable(name.get_ref(), name.span())?;
            let text = value.get_ref().as_str().filter(|text| !text.contains('\0'));
            let text = text.ok_or_else(|| {
                self.wrong(
                    value.span().start,
                    "the value of a variable must stand here, in quotes",
                )
            })?;
            env.push((name.get_ref().as_ref().to_owned(), text.to_owned()));
        }
        Ok(env)
    }

    fn check_variable(&self, name: &str, at: Range<usize>) -> Result<(), ProfileError> {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(self.wrong(at.start, "no variable can have this name"));
        }
        Ok(())
    }

    /// `"permission=reject" = "my-client --deny-all --agent {agent}"`.
    fn commands(&self, value: &Value<'_>) -> Result<Vec<(String, String, Command)>, ProfileError> {
        const WHAT: &str = "`[commands]`, and below it lines of \"permission=reject\" = \"...\"";
        let mut commands = Vec::new();
        for (key, value) in self.table(value, WHAT)? {
            let (told, word) = self.told(key.get_ref(), key.span())?;
            commands.push((told.to_owned(), word.to_owned(), self.command(value)?));
        }
        Ok(commands)
    }

    /// What a client is told, and the value: `permission=reject`.
    fn told<'k>(&self, key: &'k str, at: Range<usize>) -> Result<(&'k str, &'k str), ProfileError> {
        let (told, word) = key.split_once('=').unwrap_or((key, ""));
        let names = COMMANDS.map(|(name, _)| name);
        let Some((_, words)) = COMMANDS.into_iter().find(|(name, _)| *name == told) else {
            let hint = did_you_mean(told, names);
            let names = one_of(&names);
            return Err(self.wrong(
                at.start,
                format!("{names} must stand here, then `=` and a value{hint}"),
            ));
        };
        let fits = match told {
            "turns" => word.parse::<NonZeroUsize>().is_ok(),
            "capabilities" => {
                word == "absent" || serde_json::from_str::<serde_json::Value>(word).is_ok()
            }
            _ => words.contains(&word),
        };
        if fits {
            return Ok((told, word));
        }
        let what = match told {
            "turns" => "a whole number from 1".to_owned(),
            "capabilities" => "the elicitation capability as JSON, or `absent`,".to_owned(),
            _ => one_of(words),
        };
        let hint = did_you_mean(word, words.iter().copied());
        Err(self.wrong(
            at.start,
            format!("{what} must stand behind `{told}=`{hint}"),
        ))
    }

    fn flag(&self, value: &Value<'_>) -> Result<bool, ProfileError> {
        let flag = value.get_ref().as_bool();
        flag.ok_or_else(|| self.wrong(value.span().start, "`true` or `false` must stand here"))
    }

    fn kind(&self, value: &Value<'_>) -> Result<Target, ProfileError> {
        let word = value.get_ref().as_str();
        let kinds = [Target::Agent, Target::Client];
        let kind = kinds.into_iter().find(|kind| Some(kind.word()) == word);
        kind.ok_or_else(|| {
            self.wrong(
                value.span().start,
                "this version tests agents and clients: \"agent\" or \"client\" must stand here",
            )
        })
    }

    fn protocol(&self, value: &Value<'_>) -> Result<Vec<u16>, ProfileError> {
        const WHAT: &str = "a list of versions must stand here: [\"acp-v1\", \"acp-v2\"]";
        let mut versions = Vec::new();
        for version in self.list(value, WHAT)? {
            let number = match version.get_ref().as_str() {
                Some("acp-v1") => 1,
                Some("acp-v2") => 2,
                _ => {
                    return Err(self.wrong(
                        version.span().start,
                        "there are the versions \"acp-v1\" and \"acp-v2\"",
                    ));
                }
            };
            if !versions.contains(&number) {
                versions.push(number);
            }
        }
        if versions.is_empty() {
            return Err(self.wrong(value.span().start, WHAT));
        }
        Ok(versions)
    }

    fn seconds(&self, value: &Value<'_>) -> Result<Duration, ProfileError> {
        let number: Option<f64> = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        match number {
            Some(seconds) if (0.1..=3600.0).contains(&seconds) => {
                Ok(Duration::from_secs_f64(seconds))
            }
            _ => Err(self.wrong(
                value.span().start,
                "a number of seconds must stand here, from 0.1 to 3600",
            )),
        }
    }

    fn triggers(&self, value: &Value<'_>) -> Result<Triggers, ProfileError> {
        let mut triggers = Triggers::default();
        let what = "`[triggers]`, and below it lines of \"/elicit form\" = \"a prompt\"";
        for (name, value) in self.table(value, what)? {
            let prompt = self.filled(value, "a prompt, or \"none\",")?;
            let at = value.span().start;
            if name.get_ref() == OTHERS {
                if prompt != NONE {
                    return Err(
                        self.wrong(at, "no prompt has every effect: \"none\" must stand here")
                    );
                }
                triggers.no_others = true;
                continue;
            }
            let Some(trigger) = vocabulary::named(name.get_ref()) else {
                let names = || TRIGGERS.iter().map(|trigger| trigger.name);
                let hint = match did_you_mean(name.get_ref(), names()) {
                    none if none.is_empty() => {
                        let names: Vec<&str> = names().collect();
                        format!("; there are {}", one_of(&names).replace(" or ", " and "))
                    }
                    hint => hint,
                };
                let told = format!(
                    "the trigger vocabulary has no `{}`{hint}",
                    crop(name.get_ref())
                );
                return Err(self.wrong(name.span().start, told));
            };
            let own = match (prompt, trigger.argument) {
                (NONE, _) => Own::None,
                (prompt, Some(argument)) if !prompt.contains(ARGUMENT) => {
                    let told = format!(
                        "the scripts say `{} {argument}`: write {ARGUMENT} where {argument} stands in this prompt: {:?}",
                        trigger.name,
                        format!("{} {ARGUMENT}", crop(prompt)),
                    );
                    return Err(self.wrong(at, told));
                }
                (prompt, _) => Own::Prompt(prompt.to_owned()),
            };
            triggers.named.insert(trigger.name.to_owned(), own);
        }
        Ok(triggers)
    }

    fn attestations(&self, value: &Value<'_>) -> Result<Vec<Attestation>, ProfileError> {
        let what = "`[[attestation]]`, and below it requirement, who and when, must stand here";
        let DeValue::Array(list) = value.get_ref() else {
            return Err(self.wrong(value.span().start, what));
        };
        let mut attestations: Vec<Attestation> = Vec::new();
        for entry in list {
            let table = entry
                .get_ref()
                .as_table()
                .ok_or_else(|| self.wrong(entry.span().start, what))?;
            let at = entry.span().start;
            let attestation = self.attestation(table, at)?;
            if let Some(other) = attestations
                .iter()
                .find(|other| other.requirement == attestation.requirement)
            {
                let told = format!(
                    "{} is attested in line {} already",
                    other.requirement, other.line
                );
                return Err(self.wrong(at, told));
            }
            attestations.push(attestation);
        }
        Ok(attestations)
    }

    fn attestation(&self, table: &DeTable<'_>, at: usize) -> Result<Attestation, ProfileError> {
        let (mut requirement, mut who, mut when, mut note) = (None, None, None, None);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "requirement" => requirement = Some(self.requirement(value)?),
                "who" => who = Some(self.filled(value, "a name")?.to_owned()),
                "when" => when = Some(self.day(value)?),
                "note" => note = Some(self.filled(value, "a note")?.to_owned()),
                other => return Err(self.unknown(other, key.span(), &ATTESTATION)),
            }
        }
        let missing =
            |what: &str| self.wrong(at, format!("this attestation says nothing of {what}"));
        Ok(Attestation {
            requirement: requirement
                .ok_or_else(|| missing("the requirement: requirement = \"ACP-...\""))?,
            who: who.ok_or_else(|| missing("the person who makes it: who = \"...\""))?,
            when: when.ok_or_else(|| missing("the day: when = 2026-11-30"))?,
            note,
            line: self.place(at).0,
        })
    }

    fn requirement(&self, value: &Value<'_>) -> Result<String, ProfileError> {
        let id = self.filled(value, "the id of a requirement")?;
        let known = &self.catalogue.requirements;
        match known.get(id) {
            Some(row) if row.retired.is_none() => Ok(id.to_owned()),
            Some(_) => Err(self.wrong(
                value.span().start,
                format!("{id} is retired: there is nothing to attest"),
            )),
            None => {
                let hint = did_you_mean(id, known.keys().map(String::as_str));
                Err(self.wrong(
                    value.span().start,
                    format!("no requirement has the id `{}`{hint}", crop(id)),
                ))
            }
        }
    }

    /// A date, with or without quotes.
    fn day(&self, value: &Value<'_>) -> Result<String, ProfileError> {
        let date = match value.get_ref() {
            DeValue::Datetime(date) => Some(*date),
            DeValue::String(text) => text.parse::<Datetime>().ok(),
            _ => None,
        };
        date.and_then(|date| date.date)
            .map(|date| date.to_string())
            .ok_or_else(|| self.wrong(value.span().start, "a day must stand here: 2026-11-30"))
    }
}
