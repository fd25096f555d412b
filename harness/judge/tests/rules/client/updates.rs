//! Updates that a client may not understand, and lives on after.

use crate::clients::{holds, holds_in};

/// What becomes of a client after the update.
fn lives_on(version: &str, id: &str, update: &str) {
    holds_in(
        version,
        id,
        &format!("serves | update {update}"),
        r#"
        upheld  it answers :: + calm 8
        broken  it dies :: + exit 101 nothing
        broken  it leaves :: + eof C | exit 0 nothing
        broken  it answers nothing more :: + fence "f" | wants "f" _elenchus/fence {} | deadline "f"
        unclear something else came :: + notes _x {} | exit 101 nothing
        unclear its turn was over :: + done 2 | exit 0 nothing
        unclear it was let go :: + eof S | eof C | exit 0 close
        broken  a signal ends it, whoever talks :: + overheard | signal 11 nothing
        unclear its user has waited long enough :: + overheard | eof C | exit 3 nothing
        unclear or stops it :: + overheard | eof C | exit 0 nothing
        "#,
    );
}

#[test]
fn updates_of_all_kinds_are_lived_with() {
    lives_on(
        "v1",
        "ACP-PROMPT-024",
        r#"{"sessionUpdate":"elenchus_news","x":1}"#,
    );
    lives_on(
        "v1",
        "ACP-PROMPT-024",
        r#"{"sessionUpdate":"plan","entries":[]}"#,
    );
    lives_on(
        "v2",
        "ACP-PROMPT-024",
        r#"{"sessionUpdate":"usage_update","used":1,"size":2}"#,
    );
    holds(
        "ACP-PROMPT-024",
        "serves | says hi",
        "silent what every turn has :: + calm 8",
    );
    holds(
        "ACP-PROMPT-024",
        r#"serves | update {"sessionUpdate":"tool_call_update"}"#,
        "silent a broken one :: + exit 1 nothing",
    );
    for update in [
        r#"{"sessionUpdate":"_elenchus_news","x":1}"#,
        r#"{"sessionUpdate":"elenchus_future","x":1}"#,
        r#"{"sessionUpdate":"state_update","state":"_elenchus"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"c","kind":"_elenchus","status":"_elenchus"}"#,
        r#"{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"_elenchus","x":1}}"#,
    ] {
        lives_on("v2", "ACP-ENUM-003", update);
    }
    holds(
        "ACP-ENUM-003",
        "serves | says hi",
        "silent nothing unknown :: + calm 8",
    );
    lives_on(
        "v2",
        "ACP-TOOL-014",
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","changes":[],"patch":null}]}"#,
    );
    lives_on(
        "v2",
        "ACP-PLAN-006",
        r#"{"sessionUpdate":"plan_removed","planId":"elenchus-none"}"#,
    );
    for version in ["v1", "v2"] {
        lives_on(
            version,
            "ACP-CONFIG-015",
            r#"{"sessionUpdate":"config_option_update","configOptions":[{"id":"o","configId":"o","name":"O","type":"select","category":"_elenchus","currentValue":"a","options":[{"value":"a","name":"A"}]}]}"#,
        );
        lives_on(
            version,
            "ACP-EXT-008",
            r#"{"sessionUpdate":"session_info_update","title":"x","elenchusUnknown":1}"#,
        );
        lives_on(
            version,
            "ACP-META-002",
            r#"{"sessionUpdate":"session_info_update","title":"x","_meta":{"elenchus.test/x":1}}"#,
        );
        lives_on(
            version,
            "ACP-META-005",
            r#"{"sessionUpdate":"session_info_update","title":"x","_meta":42}"#,
        );
    }
}

#[test]
fn what_cannot_be_cancelled_is_not() {
    holds(
        "ACP-TOOL-016",
        "serves",
        r#"
        broken  a tool call :: + ask 5 tool_call/cancel {"sessionId":"s","toolCallId":"c"}
        upheld  one that can :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","capabilities":{"cancel":{}}} | ask 5 tool_call/cancel {"sessionId":"s","toolCallId":"c"}
        broken  a terminal instead :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","capabilities":{"cancel":{}}} | ask 5 terminal/cancel {"sessionId":"s","terminalId":"t"}
        silent  the turn :: + cancelled
        "#,
    );
}
