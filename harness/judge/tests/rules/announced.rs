//! Conversations with an agent that announces all that it can do for sessions.

use crate::{table, talk};

const INIT_V1: &str = r#"open | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}} | S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{},"additionalDirectories":{},"systemPrompt":{}}}}}"#;
const INIT_V2: &str = r#"open | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"e","version":"0"}}} | S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"delete":{},"additionalDirectories":{},"systemPrompt":{}}}}}"#;

/// Holds a rule to a table, in every version that its requirement applies to. `start` follows `initialize`. Besides the
/// words of [`talk`], and of conversations that begin with a `~` and follow `initialize` alone:
///
/// ```text
/// new ID SESSION [CWD]       session/new and its answer (default: /a)
/// update SESSION JSON        the agent tells an update
/// ```
pub(crate) fn holds(id: &str, start: &str, table: &str) {
    for version in table::versions(id) {
        holds_in(version, id, start, table);
    }
}

/// The same in one version.
pub(crate) fn holds_in(version: &str, id: &str, start: &str, table: &str) {
    let init = if version == "v1" { INIT_V1 } else { INIT_V2 };
    let start = if start.is_empty() {
        init.to_owned()
    } else {
        format!("{init} | {}", spelt(start))
    };
    let anew = format!(" :: {init} | ");
    let table: Vec<String> = table
        .lines()
        .map(|line| spelt(line).replace(" :: ~ ", &anew))
        .collect();
    table::holds_in(version, id, &start, &table.join("\n"));
}

/// The conversation in the words of [`talk`].
fn spelt(talk: &str) -> String {
    let steps = talk.split(" | ").map(|step| {
        let start = [" :: + ", " :: ~ "].iter().find_map(|start| {
            let (about, first) = step.split_once(start)?;
            Some((format!("{about}{start}"), first))
        });
        let (head, step) = start.unwrap_or((String::new(), step));
        let mut words = step.trim().splitn(3, ' ');
        let (word, first, more) = (words.next(), words.next(), words.next());
        let step = match (word, first, more) {
            (Some("new"), Some(id), Some(more)) => {
                let (session, cwd) = more.split_once(' ').unwrap_or((more, "/a"));
                format!(
                    r#"ask {id} session/new {{"cwd":"{cwd}","mcpServers":[]}} | result {id} {{"sessionId":"{session}"}}"#
                )
            }
            (Some("update"), Some(session), Some(update)) => format!(
                r#"S {{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{update}}}}}"#
            ),
            _ => step.trim().to_owned(),
        };
        format!("{head}{step}")
    });
    steps.collect::<Vec<_>>().join(" | ")
}

#[test]
fn words_are_spelt_out() {
    let spelt = spelt("upheld  it :: + new 1 s | update s {}");
    assert!(spelt.starts_with("upheld  it :: + ask 1 session/new "));
    assert!(!talk::written("v1", spelt.split_once("+ ").expect("a start").1).is_empty());
}
