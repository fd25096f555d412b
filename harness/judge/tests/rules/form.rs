//! ELICIT-FORM.

use crate::common::{
    Verdict::{Broken, Silent, Unclear, Upheld},
    check,
};

#[test]
fn content_that_breaks_the_schema_is_not_acted_on() {
    check(&[
        (
            "ACP-ELICIT-FORM-008",
            "acp-v1",
            Broken,
            r#"+
trigger 2 /elicit form
C {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"/elicit form"}]}}
S {"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}
C {"jsonrpc":"2.0","id":5,"result":{"action":"accept","content":{"name":5}}}
S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"elicited accept {\"name\":5}"}}}}
S {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
end"#,
        ),
        // Asking again, and taking the second, conforming answer.
        (
            "ACP-ELICIT-FORM-008",
            "acp-v1",
            Upheld,
            r#"+
trigger 2 /elicit form
C {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"/elicit form"}]}}
S {"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}
C {"jsonrpc":"2.0","id":5,"result":{"action":"accept","content":{"name":5}}}
S {"jsonrpc":"2.0","id":6,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}
C {"jsonrpc":"2.0","id":6,"result":{"action":"accept","content":{"name":"Ada"}}}
S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"elicited accept {\"name\":\"Ada\"}"}}}}
S {"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
end"#,
        ),
        // The trace was cut before the turn ended.
        (
            "ACP-ELICIT-FORM-008",
            "acp-v1",
            Unclear,
            r#"+
trigger 2 /elicit form
C {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"/elicit form"}]}}
S {"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}
C {"jsonrpc":"2.0","id":5,"result":{"action":"accept","content":{"name":5}}}
end"#,
        ),
        ("ACP-ELICIT-FORM-008", "acp-v1", Silent, "+\nend"),
    ]);
}
