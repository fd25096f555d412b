//! Conversations with a client under test, in the words of [`crate::talk`] and:
//!
//! ```text
//! serves [ELICITATION]       the connection, initialize, the session `s` and the prompt 2 (default: both modes)
//! calm ID                    a fence of ours, the client's answer to it, and quiet
//! completes ID               we complete an elicitation
//! ```

use crate::table;

/// Holds a rule to a table, in every version that its requirement applies to.
pub(crate) fn holds(id: &str, start: &str, table: &str) {
    for version in table::versions(id) {
        holds_in(version, id, start, table);
    }
}

/// The same in one version.
pub(crate) fn holds_in(version: &str, id: &str, start: &str, table: &str) {
    let table: Vec<String> = table.lines().map(spelt).collect();
    table::holds_in(version, id, &spelt(start), &table.join("\n"));
}

/// The conversation in the words of [`crate::talk`].
fn spelt(talk: &str) -> String {
    let steps = talk.split(" | ").map(|step| {
        let start = [" :: + ", " :: "].iter().find_map(|start| {
            let (about, first) = step.split_once(start)?;
            Some((format!("{about}{start}"), first))
        });
        let (head, step) = start.unwrap_or((String::new(), step));
        let (word, rest) = step.trim().split_once(' ').unwrap_or((step.trim(), ""));
        let step = match word {
            "serves" => format!("open client | init {rest} | session | prompt 2 hello"),
            "calm" => format!(
                r#"fence {rest} | S {{"jsonrpc":"2.0","id":{rest},"method":"_elenchus/fence","params":{{}}}} | C {{"jsonrpc":"2.0","id":{rest},"error":{{"code":-32601,"message":"no"}}}} | settled"#
            ),
            "completes" => format!(
                r#"S {{"jsonrpc":"2.0","method":"elicitation/complete","params":{{"elicitationId":{rest}}}}}"#
            ),
            _ => step.trim().to_owned(),
        };
        format!("{head}{step}")
    });
    steps.collect::<Vec<_>>().join(" | ")
}
