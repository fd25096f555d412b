//! Conversations with a client under test, in the words of [`crate::talk`] and:
//!
//! ```text
//! serves [ELICITATION]       the connection, initialize, the session `s` and the prompt 2 (default: both modes)
//! hails                      the connection, and initialize without its answer
//! welcomes CAPABILITIES MORE  our answer to it: the capabilities, and the text of more members
//! wants ID METHOD PARAMS     we ask the client for something; `answer` and `refuse` are its answers
//! notes METHOD PARAMS        we notify the client
//! calm ID                    a fence of ours, the client's answer to it, and quiet
//! answers JSON               the client heeds what to answer elicitations with, and was told this
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
    let table: Vec<String> = table.lines().map(|line| spelt(version, line)).collect();
    table::holds_in(version, id, &spelt(version, start), &table.join("\n"));
}

/// The conversation in the words of [`crate::talk`].
pub(crate) fn spelt(version: &str, talk: &str) -> String {
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
            "hails" => "open client | initializing".to_owned(),
            "welcomes" => {
                let (capabilities, more) = rest.split_once(' ').unwrap_or((rest, ""));
                let mine = if version == "v1" {
                    format!(r#""protocolVersion":1,"agentCapabilities":{capabilities}"#)
                } else {
                    format!(r#""protocolVersion":2,"info":{{"name":"a","version":"1"}},"capabilities":{capabilities}"#)
                };
                format!("result 0 {{{mine}{more}}}")
            }
            "wants" => {
                let (id, rest) = rest.split_once(' ').expect("wants ID METHOD PARAMS");
                let (method, params) = rest.split_once(' ').expect("wants ID METHOD PARAMS");
                format!(r#"S {{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
            }
            "notes" => {
                let (method, params) = rest.split_once(' ').expect("notes METHOD PARAMS");
                format!(r#"S {{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
            }
            "answers" => {
                format!("heeds ELENCHUS_ANSWERS | told ELENCHUS_ANSWERS {rest}")
            }
            "completes" => format!(
                r#"S {{"jsonrpc":"2.0","method":"elicitation/complete","params":{{"elicitationId":{rest}}}}}"#
            ),
            _ => step.trim().to_owned(),
        };
        format!("{head}{step}")
    });
    steps.collect::<Vec<_>>().join(" | ")
}
