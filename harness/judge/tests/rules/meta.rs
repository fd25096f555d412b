//! META.

use crate::table::{holds, holds_with};

#[test]
fn a_meta_is_an_object() {
    holds_with(
        "ACP-META-001",
        r#"opened | ask 5 session/list {} | result 5 {"sessions":[{"sessionId":"s","cwd":"/","_meta":$}],"_meta":{}}"#,
        r#"
        upheld  {"elenchus.test":[1]}
        upheld  {}
        upheld  null
        broken  []
        broken  "x"
        broken  5
        broken  false
        "#,
    );
    holds_with(
        "ACP-META-001",
        r#"opened | update {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x","_meta":$}}"#,
        "
        upheld  {}
        broken  []
        ",
    );
    holds(
        "ACP-META-001",
        "opened",
        r#"
        broken  written with an escape :: + S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"t","\u005fmeta":5}}}
        upheld  an object, written with an escape :: + S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"t","\u005fmeta":{}}}}
        silent  none :: + update {"sessionUpdate":"session_info_update","title":"_meta"}
        silent  an extension may have what it likes :: + S {"jsonrpc":"2.0","method":"_vendor/x","params":{"_meta":5}}
        silent  what a tool takes is its own :: + update {"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":{"_meta":5}}
        "#,
    );
}

#[test]
fn a_meta_that_is_none_is_told_nowhere_else() {
    for id in ["ACP-PROMPT-023", "ACP-EXT-007"] {
        holds(
            id,
            "opened",
            r#"
            upheld  in an update :: + update {"sessionUpdate":"session_info_update","title":"x","_meta":5}
            "#,
        );
    }
}

#[test]
fn trace_context_is_that_of_w3c() {
    holds_with(
        "ACP-META-004",
        r#"opened | update {"sessionUpdate":"session_info_update","_meta":{$}}"#,
        r#"
        silent  "other":5
        silent  "traceparent":null
        upheld  "traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        upheld  "traceparent":"01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"
        broken  "traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"
        broken  "traceparent":"00-00000000000000000000000000000000-00f067aa0ba902b7-01"
        broken  "traceparent":"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"
        broken  "traceparent":"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        broken  "traceparent":"turn-1"
        broken  "traceparent":{"id":1}
        upheld  "tracestate":"a=1, b@c=2,,"
        upheld  "tracestate":""
        broken  "tracestate":"words"
        upheld  "baggage":"a=1;p=q , b=2"
        broken  "baggage":["a=1"]
        "#,
    );
}
