//! Secrets that stand in command lines: they are shown nowhere, and what is shown says where one has to be put in again.

use std::{iter, ops::Range};

use elenchus_wire::redact::{MARKER, Redactor, names_credential};

use crate::failure::Failure;

/// How tokens begin that tell by that what they are.
const TOKENS: [&str; 11] = [
    "sk-",
    "sk_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
];

/// Shorter ones are none.
const SHORTEST_TOKEN: usize = 16;

/// What is to be told with a command that had one.
pub(crate) const NOTE: &str = "`[redacted]` in a command stands for a secret: write it there once more before you run it, or have \
    it handed over by `pass-env` of elenchus.toml";

/// The words of a command, without the secrets among them. A word may be a command line of its own.
pub(crate) fn words(words: &[String]) -> Vec<String> {
    let mut shown = words.to_vec();
    let mut named = false;
    for word in &mut shown {
        let value = std::mem::take(&mut named);
        let secrets = secrets_in(word, value);
        if !secrets.is_empty() {
            for secret in secrets.into_iter().rev() {
                word.replace_range(secret, MARKER);
            }
        } else if let Some(inner) = line(word) {
            *word = inner;
        } else {
            *word = Redactor::default().text(word).into_owned();
        }
        named = names_value(word);
    }
    shown
}

/// A command line, without the secrets in it.
pub(crate) fn command(text: &str) -> String {
    let mut shown = words(&[text.to_owned()]);
    shown.swap_remove(0)
}

/// A command line of several words in which something had to be hidden.
fn line(text: &str) -> Option<String> {
    let inner = shlex::split(text).filter(|inner| inner.len() > 1)?;
    let shown = words(&inner);
    (shown != inner).then(|| shlex::try_join(shown.iter().map(String::as_str)).unwrap_or_default())
}

/// The secrets among the words of a command.
pub(crate) fn secrets(words: &[String]) -> Vec<String> {
    let mut named = false;
    let mut found = Vec::new();
    for word in words {
        let value = std::mem::take(&mut named);
        let secrets = secrets_in(word, value).into_iter();
        found.extend(secrets.map(|secret| word[secret].to_owned()));
        named = names_value(word);
    }
    found
}

/// A command that holds what stands for a secret was copied, and does not work as it is.
pub(crate) fn complete(command: &str) -> Result<(), Failure> {
    if command.contains(MARKER) {
        return Err(Failure::usage(format!(
            "the command holds {MARKER}, which stands for a secret that was not written down"
        ))
        .hint("write the secret in its place")
        .hint("or have the target take it from its environment: `pass-env` in elenchus.toml names the variable"));
    }
    Ok(())
}

/// The next word is the value of this flag, which is a credential.
fn names_value(word: &str) -> bool {
    word.starts_with('-') && !word.contains(['=', ' ']) && is_credential(word)
}

fn is_credential(name: &str) -> bool {
    let name = name.trim_start_matches('-');
    names_credential(name) || matches!(name, "key" | "auth" | "pass" | "pwd")
}

/// Where in a word secrets stand, in order; `named`: the word is the value of a flag that says so. What is hidden already
/// is none.
fn secrets_in(word: &str, named: bool) -> Vec<Range<usize>> {
    let mut found = all_in(word, named);
    found.retain(|secret| !secret.is_empty() && word[secret.clone()] != *MARKER);
    found
}

fn all_in(word: &str, named: bool) -> Vec<Range<usize>> {
    if named && !word.starts_with('-') {
        return iter::once(0..word.len()).collect();
    }
    if let Some((name, _)) = word.split_once('=')
        && !name.contains(char::is_whitespace)
        && !name.contains("://")
        && is_credential(name)
    {
        return iter::once(name.len() + 1..word.len()).collect();
    }
    let mut found: Vec<Range<usize>> = in_url(word).into_iter().chain(in_query(word)).collect();
    let value = word.rfind('=').map_or(0, |at| at + 1);
    let token = &word[value..];
    let is_token = token.len() >= SHORTEST_TOKEN
        && !token.contains(char::is_whitespace)
        && TOKENS.iter().any(|start| token.starts_with(start));
    if is_token && found.last().is_none_or(|last| last.end <= value) {
        found.push(value..word.len());
    }
    found
}

/// The values in a URL's query and fragment whose names say that they are credentials.
fn in_query(word: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let Some(mut at) = word
        .find("://")
        .and_then(|url| Some(url + word[url..].find(['?', '#'])? + 1))
    else {
        return found;
    };
    for pair in word[at..].split(['&', '#', ' ']) {
        if let Some((name, value)) = pair.split_once('=')
            && is_credential(name)
        {
            let start = at + name.len() + 1;
            found.push(start..start + value.len());
        }
        at += pair.len() + 1;
    }
    found
}

/// The password in a URL.
fn in_url(word: &str) -> Option<Range<usize>> {
    let authority = word.find("://")? + "://".len();
    let end = word[authority..]
        .find(['/', '?', '#', ' '])
        .map_or(word.len(), |at| authority + at);
    let at = authority + word[authority..end].rfind('@')?;
    let password = authority + word[authority..at].find(':')? + 1;
    (password < at).then_some(password..at)
}

#[cfg(test)]
mod tests {
    use super::{complete, secrets, words};

    fn split(line: &str) -> Vec<String> {
        shlex::split(line).expect("it is quoted")
    }

    #[test]
    fn what_a_command_line_says_in_confidence_is_shown_nowhere() {
        for (line, shown, secret) in [
            ("agent --api-key abc", "agent --api-key [redacted]", "abc"),
            (
                "agent --api-key=abc -v",
                "agent --api-key=[redacted] -v",
                "abc",
            ),
            (
                "env OPENAI_API_KEY=abc agent",
                "env OPENAI_API_KEY=[redacted] agent",
                "abc",
            ),
            (
                "agent --key sk-live-0123456789abc",
                "agent --key [redacted]",
                "sk-live-0123456789abc",
            ),
            (
                "agent -c auth.file=sk-live-0123456789abc",
                "agent -c auth.file=[redacted]",
                "sk-live-0123456789abc",
            ),
            (
                "agent ghp_0123456789abcdef",
                "agent [redacted]",
                "ghp_0123456789abcdef",
            ),
            (
                "agent https://me:pa55@host/x",
                "agent https://me:[redacted]@host/x",
                "pa55",
            ),
        ] {
            let line = split(line);
            assert_eq!(words(&line), split(shown), "{line:?}");
            assert_eq!(secrets(&line), [secret], "{line:?}");
            assert_eq!(words(&split(shown)), split(shown), "twice is once");
        }
        for (line, shown, hidden) in [
            (
                "agent https://u:pa55@h/?access_token=abc",
                "agent https://u:[redacted]@h/?access_token=[redacted]",
                ["pa55", "abc"],
            ),
            (
                "agent --url=postgres://u:pa55@h/db?sslmode=x&password=abc#top",
                "agent --url=postgres://u:[redacted]@h/db?sslmode=x&password=[redacted]#top",
                ["pa55", "abc"],
            ),
        ] {
            let line = split(line);
            assert_eq!(words(&line), split(shown), "{line:?}");
            assert_eq!(secrets(&line), hidden, "{line:?}");
            assert_eq!(words(&split(shown)), split(shown), "twice is once");
        }
        for line in [
            "agent --keyboard us --max-tokens 50 --token-budget 5",
            "agent --token",
            "agent --token -v",
            "agent --auth-method browser",
            "agent https://host:8080/a@b",
            "agent sk-short",
            "agent --model=x",
        ] {
            assert_eq!(words(&split(line)), split(line), "{line}");
            assert!(secrets(&split(line)).is_empty(), "{line}");
        }
    }

    #[test]
    fn a_command_line_within_a_command_line_is_read() {
        let run = [
            "elenchus",
            "--target",
            "agent --api-key 'a b' x",
            "--seed",
            "1",
        ];
        assert_eq!(
            words(&run.map(str::to_owned)),
            [
                "elenchus",
                "--target",
                "agent --api-key '[redacted]' x",
                "--seed",
                "1"
            ]
        );
        let header = ["agent", "-H", "Authorization: Bearer 0123456789abcdef"];
        assert_eq!(
            words(&header.map(str::to_owned)),
            ["agent", "-H", "Authorization: Bearer [redacted]"]
        );
    }

    #[test]
    fn what_stands_for_a_secret_is_no_command() {
        assert!(complete("agent --api-key abc").is_ok());
        let failure = complete("agent --api-key '[redacted]'").expect_err("it is not whole");
        assert!(failure.to_string().contains("pass-env"), "{failure}");
    }
}
