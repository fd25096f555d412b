//! ELICIT-SCOPE.

use crate::{
    common::Verdict::{Broken, Silent, Unclear, Upheld},
    talk::{holds, holds_in},
};

#[test]
fn an_elicitation_is_a_request_of_its_name() {
    holds(
        "ACP-ELICIT-SCOPE-001",
        "opened",
        &[
            (Upheld, "a form", "+ form 5"),
            (
                Upheld,
                "a UUID for an id",
                r#"+ form "9b2fbb8e-6d0a-4a53-9c7e-1e1f5d8f2d11""#,
            ),
            (Upheld, "broken in another way", r#"+ create 5 {"mode":5}"#),
            (
                Broken,
                "a notification",
                r#"+ S {"jsonrpc":"2.0","method":"elicitation/create","params":{"sessionId":"s","mode":"form"}}"#,
            ),
            (
                Broken,
                "no params",
                r#"+ S {"jsonrpc":"2.0","id":5,"method":"elicitation/create"}"#,
            ),
            (Broken, "params in an array", "+ create 5 []"),
            (
                Broken,
                "another spelling",
                r#"+ S {"jsonrpc":"2.0","id":5,"method":"elicitation_create","params":{}}"#,
            ),
            (
                Broken,
                "another case",
                r#"+ S {"jsonrpc":"2.0","id":5,"method":"Elicitation/Create","params":{}}"#,
            ),
            (
                Silent,
                "an extension of its own",
                r#"+ S {"jsonrpc":"2.0","id":5,"method":"_elicitation/create","params":{}}"#,
            ),
            (
                Silent,
                "a completion",
                r#"+ S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}}"#,
            ),
            (Silent, "the client's", r#"+ ask 5 elicitation/create []"#),
        ],
    );
}

#[test]
fn mode_and_message_are_always_stated() {
    for (id, without, null, number) in [
        (
            "ACP-ELICIT-SCOPE-002",
            r#"{"sessionId":"s","message":"?"}"#,
            r#"{"sessionId":"s","message":"?","mode":null}"#,
            r#"{"sessionId":"s","message":"?","mode":1}"#,
        ),
        (
            "ACP-ELICIT-SCOPE-019",
            r#"{"sessionId":"s","mode":"form","prompt":"?"}"#,
            r#"{"sessionId":"s","mode":"form","message":null}"#,
            r#"{"sessionId":"s","mode":"url","message":["?"]}"#,
        ),
    ] {
        for broken in [without, null, number] {
            holds(
                id,
                &format!("opened | create 5 {broken}"),
                &[(Broken, broken, "+ settled")],
            );
        }
        holds(
            id,
            "opened",
            &[
                (Upheld, "form", "+ form 5"),
                (Upheld, "url", "+ url 5"),
                (
                    Upheld,
                    "an extension",
                    r#"+ create 5 {"sessionId":"s","mode":"_x","message":""}"#,
                ),
                (
                    Silent,
                    "no members to state it in: counted once",
                    "+ create 5 []",
                ),
                (Silent, "no elicitation", "+ prompt 2 hello | done 2"),
            ],
        );
    }
}

#[test]
fn modes_of_ones_own_begin_with_an_underscore() {
    holds(
        "ACP-ELICIT-SCOPE-022",
        "opened",
        &[
            (Upheld, "form", "+ form 5"),
            (
                Upheld,
                "_confirm",
                r#"+ create 5 {"sessionId":"s","mode":"_confirm","message":"?"}"#,
            ),
            (
                Broken,
                "select",
                r#"+ create 5 {"sessionId":"s","mode":"select","message":"?"}"#,
            ),
            (
                Broken,
                "Form",
                r#"+ create 5 {"sessionId":"s","mode":"Form","message":"?"}"#,
            ),
            (
                Broken,
                "nothing",
                r#"+ create 5 {"sessionId":"s","mode":"","message":"?"}"#,
            ),
            (
                Silent,
                "no mode",
                r#"+ create 5 {"sessionId":"s","message":"?"}"#,
            ),
        ],
    );
}

#[test]
fn the_scope_stands_at_the_top() {
    holds(
        "ACP-ELICIT-SCOPE-004",
        "opened",
        &[
            (Upheld, "a session", "+ form 5"),
            (
                Upheld,
                "a request",
                r#"+ create 5 {"requestId":1,"mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "at the top, and again below",
                r#"+ create 5 {"sessionId":"s","scope":{"sessionId":"s"},"mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "_meta may hold what it likes",
                r#"+ create 5 {"sessionId":"s","_meta":{"sessionId":"t"},"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "below only",
                r#"+ create 5 {"scope":{"sessionId":"s"},"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "a request below",
                r#"+ create 5 {"context":{"requestId":2},"mode":"form","message":"?"}"#,
            ),
            (Silent, "no members", "+ create 5 null"),
        ],
    );
    let none = r#"+ create 5 {"mode":"form","message":"?"}"#;
    holds_in(
        "v1",
        "ACP-ELICIT-SCOPE-004",
        "opened",
        &[(Broken, "none at all", none)],
    );
    // In v2 that is the next clause's.
    holds_in(
        "v2",
        "ACP-ELICIT-SCOPE-004",
        "opened",
        &[(Upheld, "none at all", none)],
    );
}

#[test]
fn there_is_exactly_one_scope() {
    holds(
        "ACP-ELICIT-SCOPE-005",
        "opened",
        &[
            (Upheld, "a session", "+ form 5"),
            (
                Upheld,
                "a request",
                r#"+ create 5 {"requestId":"a","mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "a null beside it is only a remark",
                r#"+ create 5 {"sessionId":"s","requestId":null,"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "both",
                r#"+ create 5 {"sessionId":"s","requestId":2,"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "neither",
                r#"+ create 5 {"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "neither at the top",
                r#"+ create 5 {"scope":{"sessionId":"s"},"mode":"form","message":"?"}"#,
            ),
            (Silent, "no members", "+ create 5 7"),
        ],
    );
    holds(
        "ACP-ELICIT-SCOPE-007",
        "opened",
        &[
            (Upheld, "a session", "+ form 5"),
            (
                Upheld,
                "a request",
                r#"+ create 5 {"requestId":1,"mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "what typed writers make of an absent id",
                r#"+ create 5 {"sessionId":"s","toolCallId":null,"requestId":null,"mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "the other one is null",
                r#"+ create 5 {"sessionId":null,"requestId":1,"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "both",
                r#"+ create 5 {"sessionId":"s","requestId":2,"mode":"form","message":"?"}"#,
            ),
            (Silent, "no members", "+ create 5 []"),
        ],
    );
}

#[test]
fn a_session_exists_on_the_connection() {
    const T: &str = r#"{"sessionId":"t","mode":"form","message":"?"}"#;
    holds(
        "ACP-ELICIT-SCOPE-009",
        &format!("opened | create 5 {T}"),
        &[
            (Upheld, "its creation is answered later", "+ session 3 t"),
            (
                Upheld,
                "an announced child",
                r#"+ S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"t"}}}"#,
            ),
            (Broken, "it never was", "+ settled"),
            (
                Broken,
                "an update alone makes no session",
                r#"+ tool @t c1 work"#,
            ),
            (
                Broken,
                "a session of another connection",
                "+ on 1 | opened | session 3 t",
            ),
            (
                Broken,
                "created afterwards, and failed",
                "+ ask 3 session/new {} | fails 3 -32603",
            ),
        ],
    );
    holds(
        "ACP-ELICIT-SCOPE-009",
        "opened",
        &[
            (Upheld, "the session", "+ form 5"),
            (
                Upheld,
                "a loaded one",
                r#"+ ask 3 session/load {"sessionId":"t"} | create 5 {"sessionId":"t","mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "a resumed one",
                r#"+ ask 3 session/resume {"sessionId":"t"} | create 5 {"sessionId":"t","mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "a fork",
                r#"+ ask 3 session/fork {"sessionId":"s"} | result 3 {"sessionId":"t"} | create 5 {"sessionId":"t","mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "null",
                r#"+ create 5 {"sessionId":null,"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "a number",
                r#"+ create 5 {"sessionId":7,"mode":"form","message":"?"}"#,
            ),
            (
                Unclear,
                "its creation asked, was declined, and failed",
                r#"+ ask 3 session/new {} | create 5 {"sessionId":"t","mode":"form","message":"?"} | decline 5 | fails 3 -32603"#,
            ),
            (
                Unclear,
                "its creation is still open",
                r#"+ ask 3 session/new {} | create 5 {"sessionId":"t","mode":"form","message":"?"}"#,
            ),
            (Unclear, "a recording that begins in the middle", "form 5"),
            (
                Silent,
                "a request",
                r#"+ create 5 {"requestId":1,"mode":"form","message":"?"}"#,
            ),
        ],
    );
}

#[test]
fn a_tool_call_id_is_a_string_beside_a_session() {
    let id = "ACP-ELICIT-SCOPE-011";
    holds(
        id,
        "opened",
        &[
            (
                Upheld,
                "a string",
                r#"+ create 5 {"sessionId":"s","toolCallId":"c","mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "null means none",
                r#"+ create 5 {"sessionId":"s","toolCallId":null,"mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "null beside a request is only a remark",
                r#"+ create 5 {"requestId":1,"toolCallId":null,"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "a number",
                r#"+ create 5 {"sessionId":"s","toolCallId":1,"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "an object",
                r#"+ create 5 {"sessionId":"s","toolCallId":{"id":"c"},"mode":"form","message":"?"}"#,
            ),
            (Silent, "none", "+ form 5"),
        ],
    );
    let beside = r#"+ create 5 {"requestId":1,"toolCallId":"c","mode":"form","message":"?"}"#;
    holds_in(
        "v1",
        id,
        "opened",
        &[(Upheld, "beside a request: readers drop it", beside)],
    );
    holds_in("v2", id, "opened", &[(Broken, "beside a request", beside)]);
}

#[test]
fn a_tool_call_is_one_of_the_session() {
    let asks = r#"create 5 {"sessionId":"s","toolCallId":"c1","mode":"form","message":"?"}"#;
    holds(
        "ACP-ELICIT-SCOPE-012",
        "opened | session 3 t",
        &[
            (Silent, "no tool call", "+ form 5"),
            (
                Silent,
                "null is none",
                r#"+ create 5 {"sessionId":"s","toolCallId":null,"mode":"form","message":"?"}"#,
            ),
            (
                Silent,
                "scoped to a request",
                r#"+ create 5 {"requestId":1,"toolCallId":"c1","mode":"form","message":"?"}"#,
            ),
        ],
    );
    holds(
        "ACP-ELICIT-SCOPE-012",
        &format!("opened | session 3 t | tool @t c1 other | {asks}"),
        &[
            (Broken, "only of the other session", "+ settled"),
            (
                Upheld,
                "both sessions count from 1, and the report comes later",
                "+ tool c1 work",
            ),
            (
                Upheld,
                "told by a permission request (v1)",
                r#"+ S {"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"}}}"#,
            ),
            (
                Upheld,
                "told by a permission request (v2)",
                r#"+ S {"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}"#,
            ),
        ],
    );
    holds(
        "ACP-ELICIT-SCOPE-012",
        &format!("opened | tool c0 other | {asks}"),
        &[
            (Unclear, "reported nowhere", "+ settled"),
            (Upheld, "of the session", "+ tool c1 work"),
        ],
    );
}

#[test]
fn a_request_id_has_the_type_of_ids() {
    for id in ["ACP-ELICIT-SCOPE-014", "ACP-ELICIT-SCOPE-015"] {
        holds(
            id,
            "opened",
            &[
                (
                    Upheld,
                    "an integer",
                    r#"+ create 5 {"requestId":1,"mode":"form","message":"?"}"#,
                ),
                (
                    Upheld,
                    "a negative one",
                    r#"+ create 5 {"requestId":-7,"mode":"form","message":"?"}"#,
                ),
                (
                    Upheld,
                    "a string",
                    r#"+ create 5 {"requestId":"","mode":"form","message":"?"}"#,
                ),
                (
                    Broken,
                    "a fraction",
                    r#"+ create 5 {"requestId":1.5,"mode":"form","message":"?"}"#,
                ),
                (
                    Broken,
                    "a boolean",
                    r#"+ create 5 {"requestId":true,"mode":"form","message":"?"}"#,
                ),
                (
                    Broken,
                    "an object",
                    r#"+ create 5 {"requestId":{"id":3},"mode":"form","message":"?"}"#,
                ),
                (
                    Unclear,
                    "an integer in the clothes of a fraction",
                    r#"+ create 5 {"requestId":1.0,"mode":"form","message":"?"}"#,
                ),
                (Silent, "none", "+ form 5"),
                (
                    Silent,
                    "null beside a session is the business of the scope",
                    r#"+ create 5 {"sessionId":"s","requestId":null,"mode":"form","message":"?"}"#,
                ),
            ],
        );
    }
    let null = r#"+ create 5 {"requestId":null,"mode":"form","message":"?"}"#;
    holds(
        "ACP-ELICIT-SCOPE-014",
        "opened",
        &[(Upheld, "null: discouraged", null)],
    );
    holds("ACP-ELICIT-SCOPE-015", "opened", &[(Broken, "null", null)]);
}

#[test]
fn a_request_scope_names_a_request_that_is_open() {
    let id = "ACP-ELICIT-SCOPE-016";
    holds(
        id,
        "opened",
        &[
            (
                Upheld,
                "an integer",
                r#"+ ask 41 session/new {} | create 5 {"requestId":41,"mode":"form","message":"?"} | result 41 {}"#,
            ),
            (
                Upheld,
                "a string",
                r#"+ ask "41" session/new {} | create 5 {"requestId":"41","mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "the same string, otherwise escaped",
                r#"+ ask "\u0061" session/new {} | create 5 {"requestId":"a","mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "the same id was used and answered before",
                r#"+ ask 1 session/new {} | create 5 {"requestId":1,"mode":"form","message":"?"}"#,
            ),
            (
                Upheld,
                "we have asked to cancel it",
                r#"+ ask 41 session/new {} | C {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":41}} | create 5 {"requestId":41,"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "an id of its own",
                r#"+ create 5 {"requestId":"elicitation-1","mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "its own request's id",
                r#"+ create 77 {"requestId":77,"mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "another type: a string for a number",
                r#"+ ask 41 session/new {} | create 5 {"requestId":"41","mode":"form","message":"?"}"#,
            ),
            (
                Broken,
                "another type: a number for a string",
                r#"+ ask "41" session/new {} | create 5 {"requestId":41,"mode":"form","message":"?"}"#,
            ),
            (
                Unclear,
                "a recording that begins in the middle",
                r#"create 5 {"requestId":41,"mode":"form","message":"?"}"#,
            ),
            (Silent, "a session", "+ form 5"),
            (
                Silent,
                "an id of no type has a clause of its own",
                r#"+ create 5 {"requestId":{"id":3},"mode":"form","message":"?"}"#,
            ),
        ],
    );
    let answered = r#"+ create 5 {"requestId":1,"mode":"form","message":"?"}"#;
    holds_in(
        "v1",
        id,
        "opened",
        &[
            (Silent, "answered already: only a remark", answered),
            (
                Unclear,
                "null is legal, and names nothing",
                r#"+ create 5 {"requestId":null,"mode":"form","message":"?"}"#,
            ),
        ],
    );
    holds_in(
        "v2",
        id,
        "opened",
        &[
            (Broken, "answered already", answered),
            (
                Silent,
                "null has a clause of its own",
                r#"+ create 5 {"requestId":null,"mode":"form","message":"?"}"#,
            ),
        ],
    );
}

#[test]
fn work_in_a_session_has_the_sessions_scope() {
    let of = r#"create 5 {"requestId":2,"mode":"form","message":"?"}"#;
    holds(
        "ACP-ELICIT-SCOPE-017",
        "opened",
        &[
            (Upheld, "a session", "+ prompt 2 hello | form 5"),
            (
                Silent,
                "an id that is nobody's",
                r#"+ create 5 {"requestId":"x","mode":"form","message":"?"}"#,
            ),
            (
                Silent,
                "both scopes",
                r#"+ prompting 2 hello | create 5 {"sessionId":"s","requestId":2,"mode":"form","message":"?"}"#,
            ),
            (
                Silent,
                "a prompt that was answered",
                r#"+ prompt 2 hello | done 2 | result 2 {} | create 5 {"requestId":2,"mode":"form","message":"?"}"#,
            ),
        ],
    );
    holds(
        "ACP-ELICIT-SCOPE-017",
        &format!("opened | prompting 2 hello | {of}"),
        &[(Broken, "the prompt's request", "+ settled")],
    );
    for method in [
        "session/new",
        "session/load",
        "session/resume",
        "session/fork",
    ] {
        holds(
            "ACP-ELICIT-SCOPE-017",
            &format!(r#"opened | ask 2 {method} {{"sessionId":"t"}} | {of}"#),
            &[(Unclear, method, "+ settled")],
        );
    }
    for method in ["authenticate", "auth/login", "session/list"] {
        holds(
            "ACP-ELICIT-SCOPE-017",
            &format!("opened | ask 2 {method} {{}} | {of}"),
            &[(Upheld, method, "+ settled")],
        );
    }
}
