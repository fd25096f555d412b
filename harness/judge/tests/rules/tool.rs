//! TOOL: the course of tool calls.

use crate::table::{holds, holds_in, holds_with, holds_with_in};

#[test]
fn a_call_is_introduced_before_it_is_updated() {
    holds(
        "ACP-TOOL-001",
        "opened",
        r#"
        upheld  announced :: + tool c title | update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}
        upheld  by a permission request :: + S {"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[]}} | update {"sessionUpdate":"tool_call_update","toolCallId":"c"}
        broken  an update comes first :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","title":"t"}
        broken  announced in another session :: + tool @t c title | update {"sessionUpdate":"tool_call_update","toolCallId":"c"}
        silent  an id that is no text is another row's :: + update {"sessionUpdate":"tool_call_update","toolCallId":1}
        silent  a session from before :: open | init | ask 1 session/resume {"sessionId":"s","cwd":"/"} | result 1 {} | update {"sessionUpdate":"tool_call_update","toolCallId":"c"}
        "#,
    );
}

#[test]
fn the_first_update_has_a_title() {
    holds(
        "ACP-TOOL-004",
        "opened",
        r#"
        upheld  a title :: + tool c title
        broken  none :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"pending"}
        broken  an empty one :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","title":""}
        upheld  a later update needs none :: + tool c title | update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed"}
        silent  a permission request gave it :: + S {"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","title":"t","subject":{"type":"tool_call","toolCall":{"toolCallId":"c","title":"t"}},"options":[]}} | update {"sessionUpdate":"tool_call_update","toolCallId":"c"}
        silent  of another type is another row's :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","title":5}
        silent  a session from before :: open | init | ask 1 session/resume {"sessionId":"s","cwd":"/"} | result 1 {} | update {"sessionUpdate":"tool_call_update","toolCallId":"c"}
        "#,
    );
}

#[test]
fn a_tool_that_was_run_was_told_of() {
    holds(
        "ACP-TOOL-002",
        "opened | prompt 2 /tool",
        r"
        upheld  told :: + tool c title | says done | done 2
        broken  not told :: + says done | done 2
        silent  not run :: + says I have no tools. | done 2
        silent  cancelled :: + cancelled | says done | stops 2 cancelled
        ",
    );
    holds(
        "ACP-TOOL-002",
        "opened",
        r"
        silent  any prompt :: + prompt 2 hi | says done | done 2
        broken  the call of the turn before :: + prompt 2 /tool | tool c title | says done | done 2 | prompt 3 /tool | says done | done 3
        broken  an effect :: + prompt 2 /effect mail form | says effect mail done | done 2
        silent  an effect that was skipped :: + prompt 2 /effect mail form | says effect mail skipped | done 2
        ",
    );
    holds_in(
        "v2",
        "ACP-TOOL-002",
        r#"opened | prompt 2 /tool | update {"sessionUpdate":"subagent_update","sessionId":"k"}"#,
        r"
        unclear a child session told of a call :: + tool @k c title | says done | done 2
        broken  a child session did not :: + says done | done 2
        ",
    );
}

#[test]
fn names_of_version_1_are_gone() {
    for (id, gone, now) in [
        (
            "ACP-TOOL-003",
            r#""tool_call","toolCallId":"c","title":"t""#,
            r#""tool_call_update","toolCallId":"c","title":"t""#,
        ),
        (
            "ACP-PLAN-005",
            r#""plan","entries":[]"#,
            r#""plan_update","plan":{"type":"items","planId":"p","entries":[]}"#,
        ),
    ] {
        holds(
            id,
            "opened | prompt 2 hi",
            &format!(
                r#"
                upheld  its name now :: + update {{"sessionUpdate":{now}}} | done 2 | settles 9
                broken  its name in version 1 :: + update {{"sessionUpdate":{gone}}}
                "#
            ),
        );
    }
}

#[test]
fn a_new_call_has_a_new_id() {
    let over =
        r#"update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}"#;
    let start = format!(
        "opened | prompt 2 /tool | tool c title | {over} | says done | done 2 | prompt 3 /tool"
    );
    holds(
        "ACP-TOOL-005",
        &start,
        &format!(
            r"
            upheld  another id :: + tool d title | says done | done 3
            broken  the same id :: + tool c title | {over} | says \ndone | done 3
            "
        ),
    );
    holds_in(
        "v1",
        "ACP-TOOL-005",
        &format!("opened | tool c title | {over}"),
        r#"
        broken  announced under another title :: + tool c other
        silent  announced once more :: + tool c title
        unclear told once more, with a finer title :: + update {"sessionUpdate":"tool_call","toolCallId":"c","title":"title of 12 lines","status":"completed"}
        silent  updated late :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","title":"other"}
        "#,
    );
    holds_in(
        "v1",
        "ACP-TOOL-005",
        "opened | tool c title",
        "silent  it was not over :: + tool c other",
    );
}

#[test]
fn kinds_and_statuses_are_those_that_there_are() {
    let kinds =
        "opened | update {\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"kind\":$}";
    holds_with(
        "ACP-TOOL-006",
        kinds,
        r#"
        upheld "switch_mode"
        upheld "execute"
        broken "shell"
        broken 5
        silent null
        silent "Execute"
        "#,
    );
    holds_with_in("v1", "ACP-TOOL-006", kinds, r#"broken "_mine""#);
    holds_with_in("v2", "ACP-TOOL-006", kinds, r#"upheld "_mine""#);
    let statuses = kinds.replace("kind", "status");
    holds_with(
        "ACP-TOOL-007",
        &statuses,
        r#"
        upheld "in_progress"
        broken "done"
        broken {}
        silent null
        silent "inProgress"
        "#,
    );
    holds_with_in(
        "v1",
        "ACP-TOOL-007",
        &statuses,
        "broken \"cancelled\"\nbroken \"paused\"",
    );
    holds_with_in(
        "v2",
        "ACP-TOOL-007",
        &statuses,
        "upheld \"cancelled\"\nupheld \"paused\"\nupheld \"_x\"",
    );
    holds_in(
        "v1",
        "ACP-TOOL-006",
        "opened",
        r#"broken  in a permission request :: + S {"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"shell"},"options":[]}}"#,
    );
}

#[test]
fn a_subject_of_another_type_has_members_of_its_own() {
    let ask = r#"opened | S {"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","title":"t","subject":$,"options":[]}}"#;
    let call = r#""toolCall":{"toolCallId":"c","title":"t","kind":"zz","status":"zz","locations":[{"path":"a","line":0}],"content":[{"type":"image"},{"type":"diff","changes":[{"operation":"modify","path":"/a"}],"patch":{"format":"git_patch","text":"x"}}]}"#;
    for id in [
        "ACP-TOOL-006",
        "ACP-TOOL-007",
        "ACP-TOOL-011",
        "ACP-TOOL-013",
        "ACP-SESSION-007",
        "ACP-SESSION-010",
    ] {
        holds_with_in(
            "v2",
            id,
            ask,
            &format!(
                r#"
                broken {{"type":"tool_call",{call}}}
                silent {{"type":"_mine",{call},"cwd":"a","path":"a"}}
                "#
            ),
        );
    }
}

#[test]
fn a_call_is_over_by_the_end_of_the_turn() {
    let status = |status| {
        format!(
            r#"update {{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"{status}"}}"#
        )
    };
    let (running, failed, own) = (status("in_progress"), status("failed"), status("done"));
    holds(
        "ACP-TOOL-008",
        "opened | prompt 2 /tool | tool c title",
        &format!(
            r"
            upheld  over :: + {failed} | says done | done 2
            broken  running :: + {running} | says done | done 2
            broken  pending :: + says done | done 2
            unclear a status of its own is another row's :: + {own} | says done | done 2
            unclear it does not say that it is done :: + {running} | says well | done 2
            silent  cancelled :: + {running} | cancelled | says done | stops 2 cancelled
            "
        ),
    );
    holds(
        "ACP-TOOL-008",
        "opened | prompt 2 build it | tool c title",
        &format!("unclear work behind a turn :: + {running} | says done | done 2"),
    );
    holds_in(
        "v2",
        "ACP-TOOL-008",
        "opened | prompt 2 /tool | tool c title",
        &format!(
            r#"unclear in the background :: + {running} | says done | update {{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{{"type":"tool_call","toolCallId":"c"}}]}}"#
        ),
    );
}

#[test]
fn a_call_does_not_go_back_to_pending() {
    let talk = r#"opened | tool c title | update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"in_progress"} | update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":$}"#;
    holds_with(
        "ACP-TOOL-009",
        talk,
        r#"
        upheld "completed"
        upheld "in_progress"
        broken "pending"
        broken null
        "#,
    );
    holds(
        "ACP-TOOL-009",
        "opened | tool c title",
        r#"
        silent  it never left :: + update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"pending"}
        silent  a replay begins anew :: + update {"sessionUpdate":"tool_call_update","toolCallId":"d","status":"completed"} | ask 5 session/resume {"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}} | update {"sessionUpdate":"tool_call_update","toolCallId":"d","status":"pending"}
        "#,
    );
}

#[test]
fn locations_have_a_path_and_perhaps_a_line() {
    holds_with(
        "ACP-TOOL-015",
        r#"opened | update {"sessionUpdate":"tool_call_update","toolCallId":"c","locations":$}"#,
        r#"
        upheld [{"path":"/a"}]
        upheld [{"path":"/a","line":3}]
        upheld [{"path":"/a","line":null}]
        upheld [{"path":"a"}]
        upheld [{"path":"/a","line":0}]
        broken [{"path":"/a","line":"3"}]
        broken [{"path":"/a","line":-1}]
        broken [{"line":3}]
        broken ["/a"]
        broken {"path":"/a"}
        silent []
        silent null
        "#,
    );
}

#[test]
fn what_is_unknown_or_over_cannot_be_cancelled() {
    let cancel = r#"ask 5 tool_call/cancel {"sessionId":"s","toolCallId":"elenchus-x"}"#;
    holds(
        "ACP-TOOL-017",
        &format!("opened | {cancel}"),
        r"
        upheld  invalid :: + fails 5 -32602
        upheld  no such method :: + fails 5 -32601
        unclear another error of an agent that may not have it :: + fails 5 -32603
        broken  agreed :: + result 5 {}
        ",
    );
    let can = r#"opened | update {"sessionUpdate":"tool_call_update","toolCallId":"c","title":"t","status":"completed","capabilities":{"cancel":{}}}"#;
    holds(
        "ACP-TOOL-017",
        can,
        &format!(
            r#"
            broken  no such method, and it is advertised :: + {cancel} | fails 5 -32601
            broken  not found, and it is advertised :: + {cancel} | fails 5 -32002
            upheld  invalid :: + {cancel} | fails 5 -32602
            upheld  terminals have a method of their own :: + ask 5 terminal/cancel {{"sessionId":"s","terminalId":"elenchus-x"}} | fails 5 -32601
            silent  a session that is not there :: + ask 5 tool_call/cancel {{"sessionId":"z","toolCallId":"elenchus-x"}} | fails 5 -32002
            silent  a session that was closed :: + ask 4 session/close {{"sessionId":"s"}} | result 4 {{}} | ask 5 tool_call/cancel {{"sessionId":"s","toolCallId":"elenchus-x"}} | fails 5 -32002
            broken  what is over :: + ask 5 tool_call/cancel {{"sessionId":"s","toolCallId":"c"}} | result 5 {{}}
            silent  what may be another's :: + ask 5 terminal/cancel {{"sessionId":"s","terminalId":"t"}} | result 5 {{}}
            "#
        ),
    );
    holds(
        "ACP-TOOL-017",
        r#"opened | update {"sessionUpdate":"terminal_update","terminalId":"t","capabilities":{"cancel":{}}}"#,
        &format!(
            r#"
            upheld  tool calls have a method of their own :: + {cancel} | fails 5 -32601
            broken  no such method, and it is advertised :: + ask 5 terminal/cancel {{"sessionId":"s","terminalId":"elenchus-x"}} | fails 5 -32601
            "#
        ),
    );
}
