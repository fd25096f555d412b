//! CMD.

use crate::table::{holds, holds_in, holds_with, holds_with_in};

#[test]
fn commands_have_their_members() {
    let listed =
        r#"opened | update {"sessionUpdate":"available_commands_update","availableCommands":$}"#;
    holds_with_in(
        "v1",
        "ACP-CMD-001",
        listed,
        r#"
        upheld [{"name":"web","description":"d"}]
        upheld [{"name":"web","description":"d","input":null}]
        upheld [{"name":"web","description":"d","input":{"hint":"h"}}]
        broken [{"name":"web"}]
        broken [{"name":"web","description":"d","input":{}}]
        broken [{"name":"web","description":"d","input":"h"}]
        broken {}
        silent []
        "#,
    );
    holds_with_in(
        "v2",
        "ACP-CMD-001",
        listed,
        r#"
        upheld [{"type":"command","name":"web","description":"d"}]
        upheld [{"type":"command","name":"web","description":"d","input":{"type":"text","hint":"h"}}]
        upheld [{"type":"command","name":"web","description":"d","input":{"type":"_form"}}]
        upheld [{"name":"web","description":"d"}]
        silent [{"type":"_mine","name":"a web","description":"d","input":{"type":"choice"}}]
        broken [{"type":"command","name":"web"}]
        broken [{"type":"command","name":"web","description":"d","input":{"hint":"h"}}]
        broken [{"type":"command","name":"web","description":"d","input":{"type":"text"}}]
        broken [{"type":"command","name":"web","description":"d","input":{"type":"form"}}]
        "#,
    );
    holds_with(
        "ACP-CMD-002",
        listed,
        r#"
        upheld [{"type":"command","name":"web","description":"d"}]
        upheld [{"type":"_mine","name":"web","description":"d"}]
        broken [{"name":"web","description":"d"}]
        broken [{"type":"prompt","name":"web","description":"d"}]
        silent [{"type":"skill","name":"web","description":"d"}]
        silent []
        "#,
    );
    holds_with(
        "ACP-CMD-003",
        listed,
        r#"
        upheld [{"type":"command","name":"web","description":"d"},{"type":"command","name":"Web","description":"d"}]
        broken [{"type":"command","name":"/web","description":"d"}]
        broken [{"type":"command","name":"a web","description":"d"}]
        broken [{"type":"command","name":"web","description":"d"},{"type":"command","name":"web","description":"e"}]
        silent [{"type":"_mine","name":"/a web","description":"d"}]
        "#,
    );
    holds_in(
        "v2",
        "ACP-CMD-002",
        "open | init",
        r#"broken  in the answer that makes a session :: + ask 1 session/new {"cwd":"/"} | result 1 {"sessionId":"s","availableCommands":[{"name":"web","description":"d"}]}"#,
    );
}

#[test]
fn commands_come_for_a_session_that_is_known() {
    let told = r#"update {"sessionUpdate":"available_commands_update","availableCommands":[]}"#;
    holds_in(
        "v1",
        "ACP-CMD-004",
        "open | init",
        &format!(
            r#"
            upheld  after the answer :: + session | {told}
            broken  before it :: + ask 1 session/new {{"cwd":"/","mcpServers":[]}} | {told} | result 1 {{"sessionId":"s"}}
            upheld  while it is loaded :: + ask 1 session/load {{"sessionId":"s","cwd":"/","mcpServers":[]}} | {told}
            unclear never known is another row's :: + {told}
            "#
        ),
    );
    holds_in(
        "v2",
        "ACP-CMD-004",
        "open | init",
        &format!(
            r#"
            upheld  after the answer :: + session | {told}
            silent  before it :: + ask 1 session/new {{"cwd":"/"}} | {told} | result 1 {{"sessionId":"s"}}
            "#
        ),
    );
}

#[test]
fn a_prompt_with_a_slash_is_a_prompt() {
    holds(
        "ACP-CMD-007",
        "opened | prompting 2 /elenchus-no-such now",
        r"
        broken  refused as invalid :: + fails 2 -32602
        broken  refused as unknown :: + fails 2 -32601
        unclear failed :: + fails 2 -32603
        broken  it crashes :: + exit 101 nothing
        ",
    );
    holds(
        "ACP-CMD-007",
        "opened",
        "upheld  answered :: + prompt 2 /elenchus-no-such | says What do you mean? | done 2",
    );
    let listed = r#"opened | update {"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"web","description":"d"}]}"#;
    holds(
        "ACP-CMD-007",
        listed,
        r"
        upheld  advertised, and done :: + prompt 2 /web it | done 2
        broken  advertised, and refused :: + prompting 2 /web it | fails 2 -32602
        silent  neither advertised nor ours :: + prompting 2 /webs it | fails 2 -32602
        ",
    );
    holds_with(
        "ACP-CMD-007",
        r#"opened | ask 2 session/prompt {"sessionId":"s","prompt":[$} | fails 2 -32602"#,
        r#"
        broken {"type":"text","text":"/elenchus-x"}]
        silent {"type":"text","text":"/elenchus-x"}],"idempotencyKey":""
        silent {"type":"text","text":"/elenchus-x"},{"type":"_mine"}]
        silent {"type":"text","text":"/elenchus-x","annotations":5}]
        silent {"type":"text","text":"/elenchus-x"}],"_meta":5
        "#,
    );
}
