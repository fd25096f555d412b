//! MCP and FS.

use crate::{
    announced,
    table::{holds, holds_in},
};

const V1: &str = r#"{"name":"m","command":"/bin/sh","args":[],"env":[{"name":"A","value":"elenchus-given-canary-1"}]}"#;
const V2: &str = r#"{"type":"stdio","name":"m","command":"/bin/sh"}"#;

fn new(id: u32, servers: &str) -> String {
    format!(r#"ask {id} session/new {{"cwd":"/a","mcpServers":{servers}}}"#)
}

/// `initialize` of version 2 by an agent with these transports.
fn hello(mcp: &str) -> String {
    format!(
        r#"open | C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":2,"info":{{"name":"e","version":"0"}}}}}} | S {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":2,"info":{{"name":"a","version":"1"}},"capabilities":{{"session":{{"mcp":{mcp}}}}}}}}}"#
    )
}

#[test]
fn version_1_takes_servers_that_it_starts() {
    let with = new(1, &format!("[{V1}]"));
    let without = new(2, "[]");
    announced::holds_in(
        "v1",
        "ACP-MCP-001",
        &with,
        &format!(
            r#"
        upheld  taken :: + result 1 {{"sessionId":"s"}}
        broken  refused, and taken without :: + fails 1 -32602 | {without} | result 2 {{"sessionId":"s"}}
        unclear it did not work :: + fails 1 -32603 | {without} | result 2 {{"sessionId":"s"}}
        silent  refused both ways :: + fails 1 -32602 | {without} | fails 2 -32602
        silent  refused, and nothing to compare with :: + fails 1 -32602
        silent  a server over HTTP :: ~ {} | fails 1 -32602 | {without} | result 2 {{"sessionId":"s"}}
        silent  a relative command :: ~ {} | fails 1 -32602 | {without} | result 2 {{"sessionId":"s"}}
        "#,
            new(
                1,
                r#"[{"type":"http","name":"m","url":"http://a/","headers":[]}]"#
            ),
            new(1, r#"[{"name":"m","command":"sh","args":[],"env":[]}]"#),
        ),
    );
}

#[test]
fn odd_transports_are_refused() {
    let odd = new(1, r#"[{"type":"_elenchus","name":"m"}]"#);
    let http = new(
        1,
        r#"[{"type":"http","name":"m","url":"http://127.0.0.1:9/"}]"#,
    );
    let start = hello("{}");
    holds_in(
        "v2",
        "ACP-MCP-006",
        &start,
        &format!(
            r#"
        upheld  -32602 :: + {odd} | fails 1 -32602
        broken  another code :: + {odd} | fails 1 -32603
        broken  taken :: + {odd} | result 1 {{"sessionId":"s"}}
        unclear a login first :: + {odd} | fails 1 -32000
        upheld  HTTP, which is not announced :: + {http} | fails 1 -32602
        silent  HTTP, which it may know all the same :: + {http} | result 1 {{"sessionId":"s"}}
        silent  HTTP, which is announced :: {} | {http} | fails 1 -32602
        silent  two of them :: + {} | result 1 {{"sessionId":"s"}}
        "#,
            hello(r#"{"http":{}}"#),
            new(1, &format!(r#"[{V2},{{"type":"_elenchus","name":"n"}}]"#)),
        ),
    );
}

#[test]
fn twins_and_relative_commands_are_refused() {
    let start = hello(r#"{"stdio":{}}"#);
    let none = hello("{}");
    for (id, servers, fine) in [
        (
            "ACP-MCP-007",
            format!("[{V2},{V2}]"),
            format!("[{V2},{}]", V2.replace(r#""m""#, r#""n""#)),
        ),
        (
            "ACP-MCP-008",
            format!("[{}]", V2.replace("/bin/sh", "sh")),
            format!("[{V2}]"),
        ),
    ] {
        let (bad, fine) = (new(1, &servers), new(1, &fine));
        holds_in(
            "v2",
            id,
            &start,
            &format!(
                r#"
            upheld  -32602 :: + {bad} | fails 1 -32602
            broken  taken :: + {bad} | result 1 {{"sessionId":"s"}}
            silent  another code is a remark :: + {bad} | fails 1 -32603
            unclear a login first :: + {bad} | fails 1 -32000
            silent  as it should be :: + {fine} | result 1 {{"sessionId":"s"}}
            silent  it announces no such transport :: {none} | {bad} | result 1 {{"sessionId":"s"}}
            "#
            ),
        );
    }
}

#[test]
fn a_broken_server_is_no_reason_not_to_answer() {
    for version in ["v1", "v2"] {
        let broken = new(
            1,
            r#"[{"type":"stdio","name":"m","command":"/nonexistent/m","args":[],"env":[]}]"#,
        );
        let silent = new(1, &format!("[{V2}]"));
        announced::holds_in(
            version,
            "ACP-MCP-011",
            &broken,
            &format!(
                r#"
            upheld  a session :: + result 1 {{"sessionId":"s"}}
            upheld  an error :: + fails 1 -32603
            broken  never answered :: + deadline 1
            unclear it asks for something before :: + create 1 {{"requestId":1,"mode":"form","message":"?","requestedSchema":{{"type":"object","properties":{{}}}}}} | deadline 1
            broken  dies :: + exit 101 nothing
            unclear waits for one that may answer yet :: ~ {silent} | deadline 1
            broken  dies of that :: ~ {silent} | exit 1 nothing
            silent  no servers :: ~ new 1 s
            "#
            ),
        );
    }
}

#[test]
fn what_a_server_is_given_stays_with_it() {
    let with = new(1, &format!("[{V1}]"));
    announced::holds(
        "ACP-MCP-012",
        &with,
        r#"
        upheld  it does :: + result 1 {"sessionId":"s"} | settles 9
        broken  told with the session :: + result 1 {"sessionId":"s","_meta":{"env":["elenchus-given-canary-1"]}}
        broken  told in an error :: + S {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"A=elenchus-given-canary-1 m"}}
        broken  told later :: + result 1 {"sessionId":"s"} | update s {"sessionUpdate":"x","text":"elenchus-given-canary-1"}
        upheld  sent again by the client :: + result 1 {"sessionId":"s"} | tells _x {"text":"elenchus-given-canary-1"} | settles 9
        unclear cut :: + result 1 {"sessionId":"s"}
        "#,
    );
    let plain = new(
        1,
        &format!(
            "[{}]",
            V1.replace("elenchus-given-canary-1", "production-environment")
        ),
    );
    announced::holds(
        "ACP-MCP-012",
        &plain,
        r#"silent  a word that may stand anywhere :: + result 1 {"sessionId":"s","_meta":{"env":"production-environment"}} | settles 9"#,
    );
}

/// `initialize` of version 1 by a client with this capability.
fn files(fs: &str) -> String {
    format!(r#"open | asks 1 {{"fs":{fs}}} | offers 1 | session | prompt 2 hello"#)
}

const READ: &str = r#"S {"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a/b"}}"#;
const WRITE: &str = r#"S {"jsonrpc":"2.0","id":8,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/a/b","content":""}}"#;

#[test]
fn files_are_for_clients_that_offer_them() {
    let both = files(r#"{"readTextFile":true,"writeTextFile":true}"#);
    let read = files(r#"{"readTextFile":true,"writeTextFile":false}"#);
    let null = files(r#"{"readTextFile":null}"#);
    let none = files("null");
    holds_in(
        "v1",
        "ACP-FS-001",
        "",
        &format!(
            r"
        upheld  both :: {both} | {READ} | {WRITE}
        upheld  one of two :: {read} | {READ}
        broken  the other one :: {read} | {WRITE}
        broken  null offers nothing :: {null} | {READ}
        broken  nor does its absence :: {none} | {READ}
        silent  nothing is asked for :: {none} | done 2
        silent  a recording that begins late :: {READ}
        "
        ),
    );
    holds_in(
        "v1",
        "ACP-FS-002",
        &both,
        &format!(
            r"
        upheld  read :: + {READ}
        upheld  write :: + {WRITE}
        upheld  with lines :: + {}
        broken  lines in words :: + {}
        broken  no path :: + {}
        broken  no content :: + {}
        upheld  a relative path is another row's :: + {}
        ",
            READ.replace(r#""path""#, r#""line":1,"limit":null,"path""#),
            READ.replace(r#""path""#, r#""line":"1","path""#),
            READ.replace(r#""path":"/a/b""#, r#""file":"/a/b""#),
            WRITE.replace(r#","content":"""#, ""),
            READ.replace("/a/b", "b"),
        ),
    );
    holds_in(
        "v1",
        "ACP-FS-009",
        &format!("{both} | {READ}"),
        r#"
        upheld  the turn ends :: + refuse 7 -32603 | says It cannot be read. | done 2
        upheld  the turn fails :: + refuse 7 -32603 | fails 2 -32603
        broken  hangs :: + refuse 7 -32603 | turn-deadline 2
        broken  dies :: + refuse 7 -32603 | exit 101 nothing
        unclear cancelled :: + refuse 7 -32603 | cancelled | turn-deadline 2
        silent  the file is there :: + answer 7 {"content":""} | turn-deadline 2
        "#,
    );
}

#[test]
fn version_2_knows_no_files() {
    holds_in(
        "v2",
        "ACP-FS-010",
        "opened",
        &format!(
            r"
        upheld  none :: + prompt 2 hello | done 2 | settles 9
        broken  one is asked for :: + prompt 2 hello | {READ}
        unclear cut :: + prompt 2 hello
        "
        ),
    );
    holds(
        "ACP-FS-010",
        "open",
        "silent  nothing was said :: + settles 9",
    );
}
