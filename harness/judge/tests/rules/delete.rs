//! DELETE.

use crate::announced::holds;

/// A session that was prompted, closed and listed, beside another one, and is deleted.
const KEPT: &str = r#"new 1 s | new 2 t | prompt 3 /say kept | says kept | done 3 | ask 4 session/close {"sessionId":"s"} | result 4 {} | ask 5 session/list {} | result 5 {"sessions":[{"sessionId":"t","cwd":"/a"},{"sessionId":"s","cwd":"/a"}]} | ask 6 session/delete {"sessionId":"s"}"#;

#[test]
fn what_is_listed_is_deleted() {
    holds(
        "ACP-DELETE-001",
        KEPT,
        r#"
        upheld  nothing to tell :: + result 6 {}
        upheld  null :: + result 6 null
        broken  a text :: + result 6 "deleted"
        broken  refused :: + fails 6 -32002
        unclear a login first :: + fails 6 -32000
        silent  no such method is another row's :: + fails 6 -32601
        "#,
    );
    holds(
        "ACP-DELETE-001",
        "new 1 s",
        r#"
        silent  active, and fresh :: + ask 6 session/delete {"sessionId":"s"} | fails 6 -32603
        silent  never listed :: + prompt 3 /say kept | says kept | done 3 | ask 4 session/close {"sessionId":"s"} | result 4 {} | ask 6 session/delete {"sessionId":"s"} | fails 6 -32603
        "#,
    );
}

#[test]
fn what_is_deleted_is_listed_no_more() {
    holds(
        "ACP-DELETE-002",
        &format!("{KEPT} | result 6 {{}} | ask 7 session/list {{}}"),
        r#"
        upheld  gone :: + result 7 {"sessions":[{"sessionId":"t","cwd":"/a"}]}
        broken  listed :: + result 7 {"sessions":[{"sessionId":"s","cwd":"/a"}]}
        silent  more to come :: + result 7 {"sessions":[],"nextCursor":"n"}
        silent  an error :: + fails 7 -32603
        "#,
    );
    holds(
        "ACP-DELETE-002",
        KEPT,
        r#"
        silent  the list was asked for before :: + ask 7 session/list {} | result 6 {} | result 7 {"sessions":[{"sessionId":"s","cwd":"/a"}]}
        silent  not deleted :: + fails 6 -32603 | ask 7 session/list {} | result 7 {"sessions":[{"sessionId":"s","cwd":"/a"}]}
        "#,
    );
    holds(
        "ACP-DELETE-006",
        &format!("{KEPT} | result 6 {{}} | ask 7 session/list {{}}"),
        r#"
        upheld  the other stays :: + result 7 {"sessions":[{"sessionId":"t","cwd":"/a"}]}
        broken  the other is gone too :: + result 7 {"sessions":[]}
        silent  more to come :: + result 7 {"sessions":[],"nextCursor":"n"}
        silent  another folder :: + result 7 {"sessions":[{"sessionId":"t","cwd":"/a"}],"nextCursor":"n"} | ask 8 session/list {"cwd":"/b"} | result 8 {"sessions":[]}
        "#,
    );
    holds(
        "ACP-DELETE-006",
        &format!("{KEPT} | result 6 {{}}"),
        r#"silent  something else was asked :: + ask 8 session/close {"sessionId":"t"} | result 8 {} | ask 7 session/list {} | result 7 {"sessions":[]}"#,
    );
}

#[test]
fn nothing_is_deleted_with_success() {
    holds(
        "ACP-DELETE-003",
        r#"ask 1 session/delete {"sessionId":"elenchus-nobody"}"#,
        r#"
        upheld  a result :: + result 1 {}
        broken  not found :: + fails 1 -32002
        broken  a second time :: + new 2 s | ask 3 session/delete {"sessionId":"s"} | result 3 {} | ask 4 session/delete {"sessionId":"s"} | fails 4 -32002
        silent  no such method is another row's :: + fails 1 -32601
        silent  one of another day :: ~ ask 2 session/delete {"sessionId":"old"} | fails 2 -32002
        "#,
    );
}

#[test]
fn any_answer_will_do() {
    holds(
        "ACP-DELETE-005",
        r#"new 1 s | ask 2 session/delete {"sessionId":"s"}"#,
        r#"
        upheld  an active one is deleted :: + result 2 {}
        upheld  or is not :: + fails 2 -32603
        broken  dies :: + exit 101 nothing
        broken  hangs :: + deadline 2
        broken  dies when it is resumed :: + result 2 {} | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | exit 101 nothing
        unclear cut :: + stopped
        silent  one of another day :: ~ new 1 s | ask 2 session/delete {"sessionId":"old"} | deadline 2
        "#,
    );
}
