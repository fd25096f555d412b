//! MCP: the servers that a client lists for a session.

use crate::clients::holds_in;

fn table(lines: &[(&str, &str)]) -> String {
    let lines = lines.iter().map(|(verdict, servers)| {
        format!(
            r#"{verdict} {servers} :: + ask 1 session/new {{"cwd":"/","mcpServers":{servers}}}"#
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

const NONE: &str = "hails | welcomes {}";
const V1: &str = r#"hails | welcomes {"mcpCapabilities":{"http":true,"sse":false}}"#;
const V2: &str = r#"hails | welcomes {"session":{"mcp":{"stdio":{}}}}"#;

#[test]
fn servers_have_the_shape_of_their_version() {
    let v1 = table(&[
        (
            "upheld",
            r#"[{"name":"a","command":"/a","args":[],"env":[{"name":"A","value":"b"}]}]"#,
        ),
        (
            "upheld",
            r#"[{"type":"stdio","name":"a","command":"/a","args":[],"env":[]}]"#,
        ),
        (
            "upheld",
            r#"[{"type":"http","name":"a","url":"http://a","headers":[]}]"#,
        ),
        ("broken", r#"[{"name":"a","command":"/a","env":[]}]"#),
        ("broken", r#"[{"name":"a","command":"/a","args":[]}]"#),
        ("broken", r#"[{"command":"/a","args":[],"env":[]}]"#),
        (
            "broken",
            r#"[{"name":"a","command":"/a","args":[],"env":{"A":"b"}}]"#,
        ),
        ("broken", r#"[{"type":"http","name":"a","headers":[]}]"#),
        ("silent", "[]"),
    ]);
    holds_in("v1", "ACP-MCP-002", NONE, &v1);
    let v2 = table(&[
        ("upheld", r#"[{"type":"stdio","name":"a","command":"/a"}]"#),
        (
            "upheld",
            r#"[{"type":"stdio","name":"a","command":"/a","args":["x"],"env":[{"name":"A","value":"b"}]}]"#,
        ),
        ("upheld", r#"[{"type":"http","name":"a","url":"http://a"}]"#),
        ("upheld", r#"[{"type":"_own","x":1}]"#),
        (
            "broken",
            r#"[{"name":"a","command":"/a","args":[],"env":[]}]"#,
        ),
        ("broken", r#"[{"type":"stdio","name":"a"}]"#),
        ("broken", r#"[{"type":"http","name":"a"}]"#),
        (
            "broken",
            r#"[{"type":"stdio","name":"a","command":"/a","args":"x"}]"#,
        ),
        ("silent", "[]"),
    ]);
    holds_in("v2", "ACP-MCP-003", NONE, &v2);
}

#[test]
fn transports_are_those_that_the_agent_announces() {
    let v1 = table(&[
        (
            "upheld",
            r#"[{"type":"http","name":"a","url":"http://a","headers":[]}]"#,
        ),
        (
            "broken",
            r#"[{"type":"sse","name":"a","url":"http://a","headers":[]}]"#,
        ),
        (
            "silent",
            r#"[{"name":"a","command":"/a","args":[],"env":[]}]"#,
        ),
        ("silent", "[]"),
    ]);
    holds_in("v1", "ACP-MCP-004", V1, &v1);
    let none = table(&[(
        "broken",
        r#"[{"type":"http","name":"a","url":"http://a","headers":[]}]"#,
    )]);
    holds_in("v1", "ACP-MCP-004", NONE, &none);
    let v2 = table(&[
        ("upheld", r#"[{"type":"stdio","name":"a","command":"/a"}]"#),
        ("broken", r#"[{"type":"http","name":"a","url":"http://a"}]"#),
        ("silent", r#"[{"type":"sse","name":"a","url":"http://a"}]"#),
        ("silent", r#"[{"type":"_own"}]"#),
    ]);
    holds_in("v2", "ACP-MCP-004", V2, &v2);
    let sse = table(&[
        ("upheld", r#"[{"type":"http","name":"a","url":"http://a"}]"#),
        ("broken", r#"[{"type":"sse","name":"a","url":"http://a"}]"#),
        ("silent", "[]"),
    ]);
    holds_in("v2", "ACP-MCP-005", V2, &sse);
}

#[test]
fn a_command_is_an_absolute_path() {
    for (version, kind) in [("v1", ""), ("v2", r#""type":"stdio","#)] {
        let with = |command: &str| {
            format!(r#"[{{{kind}"name":"a","command":{command},"args":[],"env":[]}}]"#)
        };
        let lines = table(&[
            ("upheld", &with(r#""/usr/bin/npx""#)),
            ("upheld", &with(r#""C:\\npx.exe""#)),
            ("upheld", &with(r#""\\\\server\\npx""#)),
            ("broken", &with(r#""npx""#)),
            ("broken", &with(r#""./npx""#)),
            (
                "silent",
                r#"[{"type":"http","name":"a","url":"http://a","headers":[]}]"#,
            ),
        ]);
        holds_in(version, "ACP-MCP-009", NONE, &lines);
    }
}
