//! DIRS.

use crate::announced::holds;

#[test]
fn directories_are_taken() {
    holds(
        "ACP-DIRS-001",
        r#"ask 1 session/new {"cwd":"/a","mcpServers":[],"additionalDirectories":["/b","/c"]}"#,
        r#"
        upheld  made :: + result 1 {"sessionId":"s"}
        broken  refused, and made without :: + fails 1 -32602 | new 2 s
        unclear refused both ways :: + fails 1 -32603 | ask 2 session/new {"cwd":"/a","mcpServers":[]} | fails 2 -32603
        silent  made without in another folder :: + fails 1 -32602 | new 2 s /x
        silent  one session only, the other way round :: ~ new 1 s | ask 2 session/new {"cwd":"/a","additionalDirectories":["/b"]} | fails 2 -32603
        silent  relative ones :: ~ ask 1 session/new {"cwd":"/a","additionalDirectories":["b"]} | fails 1 -32602 | new 2 s
        "#,
    );
    holds(
        "ACP-DIRS-002",
        r#"new 1 s | ask 2 session/resume {"sessionId":"s","cwd":"/a","additionalDirectories":["/b"]}"#,
        r#"
        upheld  taken :: + result 2 {}
        broken  refused, and taken without :: + fails 2 -32602 | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | result 3 {}
        unclear refused both ways :: + fails 2 -32002 | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | fails 3 -32002
        silent  another session :: + fails 2 -32602 | ask 3 session/resume {"sessionId":"t","cwd":"/a"} | result 3 {}
        "#,
    );
    holds(
        "ACP-DIRS-005",
        r#"ask 1 session/new {"cwd":"/a","mcpServers":[],"additionalDirectories":["/b","lib"]}"#,
        r#"
        upheld  refused :: + fails 1 -32602
        broken  taken :: + result 1 {"sessionId":"s"}
        silent  absolute ones :: ~ ask 1 session/new {"cwd":"/a","additionalDirectories":["/b","C:\\x"]} | result 1 {"sessionId":"s"}
        "#,
    );
}

#[test]
fn the_folder_of_a_session_stays_its_first() {
    holds(
        "ACP-DIRS-007",
        r#"ask 1 session/new {"cwd":"/a","mcpServers":[],"additionalDirectories":["/b"]} | result 1 {"sessionId":"s"} | ask 2 session/list {}"#,
        r#"
        upheld  its folder :: + result 2 {"sessions":[{"sessionId":"s","cwd":"/a","additionalDirectories":["/b"]}]}
        broken  another one :: + result 2 {"sessions":[{"sessionId":"s","cwd":"/b"}]}
        silent  a link was followed :: + result 2 {"sessions":[{"sessionId":"s","cwd":"/private/a"}]}
        silent  not listed :: + result 2 {"sessions":[]}
        "#,
    );
}
