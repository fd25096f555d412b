//! TOOL: what tool calls show.

use crate::table::{holds, holds_with, holds_with_in};

const SHOWS: &str =
    r#"opened | update {"sessionUpdate":"tool_call_update","toolCallId":"c","content":[$]}"#;

#[test]
fn items_are_of_a_type_that_there_is() {
    holds_with(
        "ACP-TOOL-010",
        SHOWS,
        r#"
        upheld {"type":"content","content":{"type":"text","text":"x"}}
        upheld {"type":"content","content":{"type":"text"}}
        upheld {"type":"diff","path":"/a","newText":"x"}
        upheld {"type":"diff","path":"/a","oldText":null,"newText":"x"}
        upheld {"type":"terminal","terminalId":"t"}
        broken {"type":"text","text":"x"}
        broken {"type":"content"}
        broken {"type":"diff","path":"/a"}
        broken {"type":"diff","path":"/a","newText":5}
        broken {"type":"terminal"}
        broken {"type":"session","sessionId":"t"}
        broken {"type":"_mine"}
        broken {"text":"x"}
        broken "x"
        silent {"Type":"terminal"}
        "#,
    );
    holds_with(
        "ACP-TOOL-011",
        SHOWS,
        r#"
        upheld {"type":"content","content":{"type":"text","text":"x"}}
        upheld {"type":"terminal","terminalId":"t"}
        upheld {"type":"session","sessionId":"t"}
        upheld {"type":"_mine"}
        upheld {"type":"diff"}
        broken {"type":"log"}
        broken {"type":"text","text":"x"}
        broken {"type":"terminal"}
        broken {}
        broken 5
        silent {"type":"Terminal","terminalId":"t"}
        "#,
    );
    holds(
        "ACP-TOOL-011",
        "opened",
        r#"
        broken  in a piece :: + update {"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"log"}}
        silent  a piece that is none is another row's :: + update {"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":[{"type":"log"}]}
        broken  no list :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","content":{"type":"terminal","terminalId":"t"}}
        silent  no content :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","content":null}
        "#,
    );
}

#[test]
fn a_client_may_advertise_that_it_shows_sessions() {
    holds(
        "ACP-TOOL-010",
        r#"open | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"subagents":{}}}} | S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}"#,
        r#"upheld  a session :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"session","sessionId":"t"}]}"#,
    );
}

#[test]
fn a_diff_has_changes_and_their_paths() {
    holds_with_in(
        "v2",
        "ACP-TOOL-012",
        &SHOWS.replace('$', r#"{"type":"diff","changes":$}"#),
        r#"
        upheld [{"operation":"add","path":"/a"}]
        upheld [{"operation":"move","oldPath":"/a","path":"/b","fileType":null}]
        upheld [{"operation":"_mine"}]
        upheld [{"operation":"modify","path":"a"}]
        broken [{"operation":"move","path":"/b"}]
        broken [{"operation":"add"}]
        broken [{"path":"/a"}]
        broken []
        broken {}
        "#,
    );
    holds_with_in(
        "v2",
        "ACP-TOOL-012",
        SHOWS,
        r#"
        broken {"type":"diff","path":"/a","oldText":"x","newText":"y"}
        upheld {"type":"diff","changes":[{"operation":"add","path":"/a"}],"patch":5}
        silent {"type":"content","content":{"type":"text","text":"x"}}
        "#,
    );
}

#[test]
fn a_diff_of_version_1_is_told_once() {
    holds_with_in(
        "v2",
        "ACP-EXT-007",
        SHOWS,
        r#"
        upheld {"type":"diff","path":"/a","oldText":"x","newText":"y"}
        broken {"type":"diff","changes":[{"operation":"add","path":"/a"}],"newText":"y"}
        "#,
    );
}

#[test]
fn a_patch_names_the_files_of_the_changes() {
    let diff = |changes: &str| {
        SHOWS.replace(
            '$',
            &format!(r#"{{"type":"diff","changes":{changes},"patch":$}}"#),
        )
    };
    let talk = diff(
        r#"[{"operation":"modify","path":"/w/a"},{"operation":"move","oldPath":"/w/b","path":"/w/c"}]"#,
    );
    holds_with_in(
        "v2",
        "ACP-TOOL-013",
        &talk,
        r#"
        upheld {"format":"git_patch","text":"diff --git /w/a /w/a\n--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-x\n+y\n"}
        upheld {"format":"git_patch","text":"diff --git /w/b /w/c\nrename from /w/b\nrename to /w/c\n"}
        upheld {"format":"git_patch","text":"diff --git /w/a /w/a\n--- /dev/null\n+++ /w/a\n@@ -0,0 +1,2 @@\n+--- a/x\n++++ b/x\n"}
        upheld {"format":"_mine","text":"any"}
        silent {"format":"later","text":"any"}
        silent null
        broken {"format":"git_patch","text":"diff --git a/w/a b/w/a\n--- a/w/a\n+++ b/w/a\n@@ -1 +1 @@\n-x\n+y\n"}
        broken {"format":"git_patch","text":"diff --git /w/a /w/a\n--- w/a\n+++ /w/a\n"}
        broken {"format":"git_patch","text":"diff --git /w/z /w/z\n"}
        broken {"format":"git_patch","text":"--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-x\n+y\n"}
        broken {"format":"git_patch","text":"From: me\nSubject: x\n\ndiff --git /w/a /w/a\n"}
        broken {"format":"git_patch"}
        broken {"text":"x"}
        broken "diff --git /w/a /w/a"
        "#,
    );
    for (changes, why) in [
        (
            r#"[{"operation":"modify","path":"w/a"}]"#,
            "a relative path is another row's",
        ),
        (
            r#"[{"operation":"_mine","file":"/w/z"}]"#,
            "what an extension names is not known",
        ),
        (
            r#"[{"operation":"modify"}]"#,
            "changes that are none are another row's",
        ),
    ] {
        let talk = diff(changes).replace(
            '$',
            r#"{"format":"git_patch","text":"diff --git /w/z /w/z\n"}"#,
        );
        crate::table::holds_in("v2", "ACP-TOOL-013", "", &format!("silent {why} :: {talk}"));
    }
}

#[test]
fn a_terminal_is_live_when_it_is_first_shown() {
    let create = r#"S {"jsonrpc":"2.0","id":7,"method":"terminal/create","params":{"sessionId":"s","command":"c"}} | answer 7 {"terminalId":"t"}"#;
    let show = r#"update {"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"terminal","terminalId":"t"}]}"#;
    let ask = r#"S {"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","content":[{"type":"terminal","terminalId":"t"}]},"options":[]}}"#;
    let release = r#"S {"jsonrpc":"2.0","id":8,"method":"terminal/release","params":{"sessionId":"s","terminalId":"t"}}"#;
    holds(
        "ACP-TOOL-018",
        "opened | tool c title",
        &format!(
            r#"
            upheld  while it lives :: + {create} | {show} | {release}
            upheld  and again after its release :: + {create} | {show} | {release} | {show}
            upheld  first in a request for a permission :: + {create} | {ask} | {release} | {show}
            broken  after its release :: + {create} | {release} | {show}
            broken  in a request after its release :: + {create} | {release} | {ask} | {show}
            broken  never created :: + {show}
            silent  a replay :: + ask 9 session/load {{"sessionId":"s","cwd":"/","mcpServers":[]}} | {show}
            silent  a session from before :: open | init | ask 1 session/resume {{"sessionId":"s","cwd":"/"}} | result 1 {{}} | {show}
            silent  a client that shows the agent's own :: open | C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":1,"clientCapabilities":{{"_meta":{{"terminal_output":true}}}}}}}} | S {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":1}}}} | session | {show}
            "#
        ),
    );
}
