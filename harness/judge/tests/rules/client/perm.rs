//! PERM: what a client answers to a request for a permission.

use crate::clients::{holds, holds_in};

/// A permission that is asked for in the shape of its version.
fn asked(version: &str, subject: &str) -> String {
    let about = if version == "v1" {
        r#""toolCall":{"toolCallId":"c"}"#.to_owned()
    } else {
        format!(r#""title":"May I?"{subject}"#)
    };
    format!(
        r#"serves | wants 5 session/request_permission {{"sessionId":"s",{about},"options":[{{"optionId":"yes","name":"Yes","kind":"allow_once"}},{{"optionId":"no","name":"No","kind":"reject_once"}}]}}"#
    )
}

#[test]
fn a_permission_is_decided_by_what_was_offered() {
    for version in ["v1", "v2"] {
        holds_in(
            version,
            "ACP-PERM-007",
            &asked(version, ""),
            r#"
            upheld  allowed :: + answer 5 {"outcome":{"outcome":"selected","optionId":"yes"}}
            upheld  cancelled :: + answer 5 {"outcome":{"outcome":"cancelled"}}
            broken  an option of its own :: + answer 5 {"outcome":{"outcome":"selected","optionId":"allow"}}
            broken  in another case :: + answer 5 {"outcome":{"outcome":"selected","optionId":"Yes"}}
            broken  no such method :: + refuse 5 -32601
            silent  another error is a remark :: + refuse 5 -32603
            silent  the request was cancelled :: + withdraws 5 | refuse 5 -32800
            silent  no option is PERM-008's :: + answer 5 {"outcome":{"outcome":"selected"}}
            silent  it waits :: + calm 8
            "#,
        );
        holds_in(
            version,
            "ACP-PERM-008",
            &asked(version, ""),
            r#"
            upheld  selected :: + answer 5 {"outcome":{"outcome":"selected","optionId":"yes"}}
            upheld  cancelled :: + answer 5 {"outcome":{"outcome":"cancelled"}}
            broken  not nested :: + answer 5 {"outcome":"selected","optionId":"yes"}
            broken  no outcome :: + answer 5 {}
            broken  the option alone :: + answer 5 {"optionId":"yes"}
            broken  no option :: + answer 5 {"outcome":{"outcome":"selected"}}
            broken  an option that is a number :: + answer 5 {"outcome":{"outcome":"selected","optionId":1}}
            broken  an outcome that is none :: + answer 5 {"outcome":{}}
            silent  a value that does not exist is for other clauses :: + answer 5 {"outcome":{"outcome":"approved"}}
            silent  an error :: + refuse 5 -32603
            "#,
        );
    }
    holds_in(
        "v2",
        "ACP-PERM-007",
        &asked("v2", ""),
        r#"upheld a way of its own :: + answer 5 {"outcome":{"outcome":"_later"}}"#,
    );
    holds(
        "ACP-PERM-007",
        r#"serves | wants 5 session/request_permission {"sessionId":"s"}"#,
        "silent a request that is none :: + refuse 5 -32601",
    );
    for (version, id) in [("v1", "ACP-ENUM-006"), ("v2", "ACP-ENUM-001")] {
        holds_in(
            version,
            id,
            &asked(version, ""),
            r#"
            broken  a value that does not exist :: + answer 5 {"outcome":{"outcome":"approved"}}
            upheld  one that does :: + answer 5 {"outcome":{"outcome":"cancelled"}}
            "#,
        );
    }
}

#[test]
fn an_unknown_subject_is_asked_about_all_the_same() {
    let start = asked("v2", r#","subject":{"type":"_elenchus","x":1}"#);
    holds_in(
        "v2",
        "ACP-PERM-014",
        &start,
        r#"
        upheld  decided :: + answer 5 {"outcome":{"outcome":"cancelled"}}
        broken  bad params :: + refuse 5 -32602
        broken  no such method :: + refuse 5 -32601
        unclear by a policy :: + refuse 5 -1
        "#,
    );
    holds_in(
        "v2",
        "ACP-PERM-014",
        &asked("v2", ""),
        "silent nothing unknown :: + refuse 5 -32602",
    );
}
