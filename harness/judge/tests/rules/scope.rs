//! ELICIT-SCOPE.

use crate::table::{holds, holds_in};

#[test]
fn an_elicitation_is_a_request_of_its_name() {
    holds(
        "ACP-ELICIT-SCOPE-001",
        "opened",
        r#"
            upheld  a form :: + form 5
            upheld  a UUID for an id :: + form "9b2fbb8e-6d0a-4a53-9c7e-1e1f5d8f2d11"
            upheld  broken in another way :: + create 5 {"mode":5}
            broken  a notification :: + S {"jsonrpc":"2.0","method":"elicitation/create","params":{"sessionId":"s","mode":"form"}}
            broken  no params :: + S {"jsonrpc":"2.0","id":5,"method":"elicitation/create"}
            broken  params in an array :: + create 5 []
            broken  another spelling :: + S {"jsonrpc":"2.0","id":5,"method":"elicitation_create","params":{}}
            broken  another case :: + S {"jsonrpc":"2.0","id":5,"method":"Elicitation/Create","params":{}}
            silent  an extension of its own :: + S {"jsonrpc":"2.0","id":5,"method":"_elicitation/create","params":{}}
            silent  a completion :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}}
            silent  the client's :: + ask 5 elicitation/create []
            "#,
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
                &"broken  $broken :: + settled".replace("$broken", broken),
            );
        }
        holds(
            id,
            "opened",
            r#"
            upheld  form :: + form 5
            upheld  url :: + url 5
            upheld  an extension :: + create 5 {"sessionId":"s","mode":"_x","message":""}
            silent  no members to state it in: counted once :: + create 5 []
            silent  no elicitation :: + prompt 2 hello | done 2
            "#,
        );
    }
}

#[test]
fn modes_of_ones_own_begin_with_an_underscore() {
    holds(
        "ACP-ELICIT-SCOPE-022",
        "opened",
        r#"
            upheld  form :: + form 5
            upheld  _confirm :: + create 5 {"sessionId":"s","mode":"_confirm","message":"?"}
            broken  select :: + create 5 {"sessionId":"s","mode":"select","message":"?"}
            broken  Form :: + create 5 {"sessionId":"s","mode":"Form","message":"?"}
            broken  nothing :: + create 5 {"sessionId":"s","mode":"","message":"?"}
            silent  no mode :: + create 5 {"sessionId":"s","message":"?"}
            "#,
    );
}

#[test]
fn the_scope_stands_at_the_top() {
    holds(
        "ACP-ELICIT-SCOPE-004",
        "opened",
        r#"
            upheld  a session :: + form 5
            upheld  a request :: + create 5 {"requestId":1,"mode":"form","message":"?"}
            upheld  at the top, and again below :: + create 5 {"sessionId":"s","scope":{"sessionId":"s"},"mode":"form","message":"?"}
            upheld  _meta may hold what it likes :: + create 5 {"sessionId":"s","_meta":{"sessionId":"t"},"mode":"form","message":"?"}
            broken  below only :: + create 5 {"scope":{"sessionId":"s"},"mode":"form","message":"?"}
            broken  a request below :: + create 5 {"context":{"requestId":2},"mode":"form","message":"?"}
            silent  no members :: + create 5 null
            "#,
    );
    let none = r#"+ create 5 {"mode":"form","message":"?"}"#;
    holds_in(
        "v1",
        "ACP-ELICIT-SCOPE-004",
        "opened",
        &"broken  none at all :: $none".replace("$none", none),
    );
    // In v2 that is the next clause's.
    holds_in(
        "v2",
        "ACP-ELICIT-SCOPE-004",
        "opened",
        &"upheld  none at all :: $none".replace("$none", none),
    );
}

#[test]
fn there_is_exactly_one_scope() {
    holds(
        "ACP-ELICIT-SCOPE-005",
        "opened",
        r#"
            upheld  a session :: + form 5
            upheld  a request :: + create 5 {"requestId":"a","mode":"form","message":"?"}
            upheld  a null beside it is only a remark :: + create 5 {"sessionId":"s","requestId":null,"mode":"form","message":"?"}
            broken  both :: + create 5 {"sessionId":"s","requestId":2,"mode":"form","message":"?"}
            broken  neither :: + create 5 {"mode":"form","message":"?"}
            broken  neither at the top :: + create 5 {"scope":{"sessionId":"s"},"mode":"form","message":"?"}
            silent  no members :: + create 5 7
            "#,
    );
    holds(
        "ACP-ELICIT-SCOPE-007",
        "opened",
        r#"
            upheld  a session :: + form 5
            upheld  a request :: + create 5 {"requestId":1,"mode":"form","message":"?"}
            upheld  what typed writers make of an absent id :: + create 5 {"sessionId":"s","toolCallId":null,"requestId":null,"mode":"form","message":"?"}
            upheld  the other one is null :: + create 5 {"sessionId":null,"requestId":1,"mode":"form","message":"?"}
            broken  both :: + create 5 {"sessionId":"s","requestId":2,"mode":"form","message":"?"}
            silent  no members :: + create 5 []
            "#,
    );
}

#[test]
fn a_session_exists_on_the_connection() {
    const T: &str = r#"{"sessionId":"t","mode":"form","message":"?"}"#;
    holds(
        "ACP-ELICIT-SCOPE-009",
        &format!("opened | create 5 {T}"),
        r#"
            upheld  its creation is answered later :: + session 3 t
            upheld  an announced child :: + S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"t"}}}
            broken  it never was :: + settled
            broken  an update alone makes no session :: + tool @t c1 work
            broken  a session of another connection :: + on 1 | opened | session 3 t
            broken  created afterwards, and failed :: + ask 3 session/new {} | fails 3 -32603
            "#,
    );
    holds(
        "ACP-ELICIT-SCOPE-009",
        "opened",
        r#"
            upheld  the session :: + form 5
            upheld  a loaded one :: + ask 3 session/load {"sessionId":"t"} | create 5 {"sessionId":"t","mode":"form","message":"?"}
            upheld  a resumed one :: + ask 3 session/resume {"sessionId":"t"} | create 5 {"sessionId":"t","mode":"form","message":"?"}
            upheld  a fork :: + ask 3 session/fork {"sessionId":"s"} | result 3 {"sessionId":"t"} | create 5 {"sessionId":"t","mode":"form","message":"?"}
            broken  null :: + create 5 {"sessionId":null,"mode":"form","message":"?"}
            broken  a number :: + create 5 {"sessionId":7,"mode":"form","message":"?"}
            silent  a number that was the client's :: + ask 3 session/prompt {"sessionId":7,"prompt":[]} | create 5 {"sessionId":7,"mode":"form","message":"?"}
            unclear the client made it up :: + ask 3 session/prompt {"sessionId":"t","prompt":[]} | create 5 {"sessionId":"t","mode":"form","message":"?"}
            broken  it told the client that there is none :: + ask 3 session/prompt {"sessionId":"t","prompt":[]} | fails 3 -32002 | create 5 {"sessionId":"t","mode":"form","message":"?"}
            unclear its creation asked, was declined, and failed :: + ask 3 session/new {} | create 5 {"sessionId":"t","mode":"form","message":"?"} | decline 5 | fails 3 -32603
            unclear its creation is still open :: + ask 3 session/new {} | create 5 {"sessionId":"t","mode":"form","message":"?"}
            unclear a recording that begins in the middle :: form 5
            silent  a request :: + create 5 {"requestId":1,"mode":"form","message":"?"}
            "#,
    );
}

#[test]
fn a_tool_call_id_is_a_string_beside_a_session() {
    let id = "ACP-ELICIT-SCOPE-011";
    holds(
        id,
        "opened",
        r#"
            upheld  a string :: + create 5 {"sessionId":"s","toolCallId":"c","mode":"form","message":"?"}
            upheld  null means none :: + create 5 {"sessionId":"s","toolCallId":null,"mode":"form","message":"?"}
            upheld  null beside a request is only a remark :: + create 5 {"requestId":1,"toolCallId":null,"mode":"form","message":"?"}
            broken  a number :: + create 5 {"sessionId":"s","toolCallId":1,"mode":"form","message":"?"}
            broken  an object :: + create 5 {"sessionId":"s","toolCallId":{"id":"c"},"mode":"form","message":"?"}
            silent  none :: + form 5
            "#,
    );
    let beside = r#"+ create 5 {"requestId":1,"toolCallId":"c","mode":"form","message":"?"}"#;
    holds_in(
        "v1",
        id,
        "opened",
        &"upheld  beside a request: readers drop it :: $beside".replace("$beside", beside),
    );
    holds_in(
        "v2",
        id,
        "opened",
        &"broken  beside a request :: $beside".replace("$beside", beside),
    );
}

#[test]
fn a_tool_call_is_one_of_the_session() {
    let asks = r#"create 5 {"sessionId":"s","toolCallId":"c1","mode":"form","message":"?"}"#;
    holds(
        "ACP-ELICIT-SCOPE-012",
        "opened | session 3 t",
        r#"
            silent  no tool call :: + form 5
            silent  null is none :: + create 5 {"sessionId":"s","toolCallId":null,"mode":"form","message":"?"}
            silent  scoped to a request :: + create 5 {"requestId":1,"toolCallId":"c1","mode":"form","message":"?"}
            "#,
    );
    holds(
        "ACP-ELICIT-SCOPE-012",
        &format!("opened | session 3 t | tool @t c1 other | {asks}"),
        r#"
            broken  only of the other session :: + settled
            upheld  both sessions count from 1, and the report comes later :: + tool c1 work
            upheld  told by a permission request (v1) :: + S {"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"}}}
            upheld  told by a permission request (v2) :: + S {"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
            "#,
    );
    holds(
        "ACP-ELICIT-SCOPE-012",
        &format!("opened | tool c0 other | {asks}"),
        r"
            unclear reported nowhere :: + settled
            upheld  of the session :: + tool c1 work
            ",
    );
}

#[test]
fn a_request_id_has_the_type_of_ids() {
    for id in ["ACP-ELICIT-SCOPE-014", "ACP-ELICIT-SCOPE-015"] {
        holds(
            id,
            "opened",
            r#"
            upheld  an integer :: + create 5 {"requestId":1,"mode":"form","message":"?"}
            upheld  a negative one :: + create 5 {"requestId":-7,"mode":"form","message":"?"}
            upheld  a string :: + create 5 {"requestId":"","mode":"form","message":"?"}
            broken  a fraction :: + create 5 {"requestId":1.5,"mode":"form","message":"?"}
            broken  a boolean :: + create 5 {"requestId":true,"mode":"form","message":"?"}
            broken  an object :: + create 5 {"requestId":{"id":3},"mode":"form","message":"?"}
            unclear an integer in the clothes of a fraction :: + create 5 {"requestId":1.0,"mode":"form","message":"?"}
            silent  none :: + form 5
            silent  null beside a session is the business of the scope :: + create 5 {"sessionId":"s","requestId":null,"mode":"form","message":"?"}
            "#,
        );
    }
    let null = r#"+ create 5 {"requestId":null,"mode":"form","message":"?"}"#;
    holds(
        "ACP-ELICIT-SCOPE-014",
        "opened",
        &"upheld  null: discouraged :: $null".replace("$null", null),
    );
    holds(
        "ACP-ELICIT-SCOPE-015",
        "opened",
        &"broken  null :: $null".replace("$null", null),
    );
}

#[test]
fn a_request_scope_names_a_request_that_is_open() {
    let id = "ACP-ELICIT-SCOPE-016";
    holds(
        id,
        "opened",
        r#"
            upheld  an integer :: + ask 41 session/new {} | create 5 {"requestId":41,"mode":"form","message":"?"} | result 41 {}
            upheld  a string :: + ask "41" session/new {} | create 5 {"requestId":"41","mode":"form","message":"?"}
            upheld  the same string, otherwise escaped :: + ask "\u0061" session/new {} | create 5 {"requestId":"a","mode":"form","message":"?"}
            upheld  the same id was used and answered before :: + ask 1 session/new {} | create 5 {"requestId":1,"mode":"form","message":"?"}
            upheld  we have asked to cancel it :: + ask 41 session/new {} | C {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":41}} | create 5 {"requestId":41,"mode":"form","message":"?"}
            broken  an id of its own :: + create 5 {"requestId":"elicitation-1","mode":"form","message":"?"}
            broken  its own request's id :: + create 77 {"requestId":77,"mode":"form","message":"?"}
            broken  another type: a string for a number :: + ask 41 session/new {} | create 5 {"requestId":"41","mode":"form","message":"?"}
            broken  another type: a number for a string :: + ask "41" session/new {} | create 5 {"requestId":41,"mode":"form","message":"?"}
            unclear a recording that begins in the middle :: create 5 {"requestId":41,"mode":"form","message":"?"}
            silent  a session :: + form 5
            silent  an id of no type has a clause of its own :: + create 5 {"requestId":{"id":3},"mode":"form","message":"?"}
            "#,
    );
    let answered = r#"+ create 5 {"requestId":1,"mode":"form","message":"?"}"#;
    holds_in(
        "v1",
        id,
        "opened",
        &r#"
            silent  answered already: only a remark :: $answered
            unclear null is legal, and names nothing :: + create 5 {"requestId":null,"mode":"form","message":"?"}
            "#.replace("$answered", answered),
    );
    holds_in(
        "v2",
        id,
        "opened",
        &r#"
            broken  answered already :: $answered
            silent  null has a clause of its own :: + create 5 {"requestId":null,"mode":"form","message":"?"}
            "#.replace("$answered", answered),
    );
}

#[test]
fn work_in_a_session_has_the_sessions_scope() {
    let of = r#"create 5 {"requestId":2,"mode":"form","message":"?"}"#;
    holds(
        "ACP-ELICIT-SCOPE-017",
        "opened",
        r#"
            upheld  a session :: + prompt 2 hello | form 5
            silent  an id that is nobody's :: + create 5 {"requestId":"x","mode":"form","message":"?"}
            silent  both scopes :: + prompting 2 hello | create 5 {"sessionId":"s","requestId":2,"mode":"form","message":"?"}
            silent  a prompt that was answered :: + prompt 2 hello | done 2 | result 2 {} | create 5 {"requestId":2,"mode":"form","message":"?"}
            "#,
    );
    holds(
        "ACP-ELICIT-SCOPE-017",
        &format!("opened | prompting 2 hello | {of}"),
        "broken  the prompt's request :: + settled",
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
            &"unclear $method :: + settled".replace("$method", method),
        );
    }
    for method in ["authenticate", "auth/login", "session/list"] {
        holds(
            "ACP-ELICIT-SCOPE-017",
            &format!("opened | ask 2 {method} {{}} | {of}"),
            &"upheld  $method :: + settled".replace("$method", method),
        );
    }
}
