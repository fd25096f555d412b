//! ELICIT-COMPLETE.

use crate::table::{holds, holds_in};

#[test]
fn a_completion_is_a_notification_with_an_id_as_text() {
    holds(
        "ACP-ELICIT-COMPLETE-002",
        "opened | url 5 | accept 5",
        r#"
            upheld  as it should be :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e","_meta":{}}}
            upheld  of nothing known :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":""}}
            broken  a request :: + S {"jsonrpc":"2.0","id":9,"method":"elicitation/complete","params":{"elicitationId":"e"}}
            broken  a null id :: + S {"jsonrpc":"2.0","id":null,"method":"elicitation/complete","params":{"elicitationId":"e"}}
            broken  a number :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":5}}
            broken  nothing :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{}}
            broken  no params :: + S {"jsonrpc":"2.0","method":"elicitation/complete"}
            silent  another spelling has a clause of its own :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitation_id":"e"}}
            silent  none :: + settles "f"
            silent  ours :: + tells elicitation/complete {"elicitationId":5}
            "#,
    );
}

#[test]
fn a_completion_names_what_was_asked() {
    holds(
        "ACP-ELICIT-COMPLETE-003",
        r#"opened | create 5 {"sessionId":"s","mode":"url","message":"m","elicitationId":"El-1","url":"https://a.example/"} | accept 5"#,
        r#"
            upheld  it does :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"El-1"}}
            upheld  twice is no harm :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"El-1"}} | S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"El-1"}}
            broken  in lower case :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"el-1"}}
            broken  encoded :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"El%2D1"}}
            broken  the id of the request :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"5"}}
            unclear that of another connection :: + on 1 | opened | S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"El-1"}}
            unclear the recording begins in the middle :: S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"x"}}
            silent  no text :: + S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":5}}
            "#,
    );
}

const COMPLETE: &str =
    r#"S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}}"#;

#[test]
fn only_the_client_that_was_asked_hears_of_the_end() {
    let id = "ACP-ELICIT-COMPLETE-004";
    let other = |member: &str, number: u32| {
        let hello = format!(
            r#"C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":{number},"{member}":{{"name":"other","version":"1"}}}}}}"#
        );
        let welcome = format!(
            r#"S {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":{number},"info":{{"name":"a","version":"1"}},"capabilities":{{}},"agentCapabilities":{{}},"authMethods":[]}}}}"#
        );
        format!("{hello} | {welcome}")
    };
    for (version, member, number) in [("v1", "clientInfo", 1), ("v2", "info", 2)] {
        let other = other(member, number);
        let start = format!(
            "opened | on 1 | open | {other} | session 1 t | on 0 | url 5 | accept 5 | visit 5"
        );
        holds_in(
            version,
            id,
            &start,
            &format!(
                r#"
            upheld  nobody else :: + {COMPLETE} | on 1 | settles "f"
            broken  everyone :: + {COMPLETE} | on 1 | {COMPLETE} | settles "f"
            broken  the other one first :: + on 1 | {COMPLETE} | on 0 | {COMPLETE}
            silent  no completion :: + on 1 | settles "f"
            unclear the same client again :: opened | url 5 | accept 5 | on 1 | opened | {COMPLETE}
            unclear a session in common :: opened | url 5 | accept 5 | on 1 | open | {other} | session 1 s | {COMPLETE}
            unclear the first one is gone :: opened | url 5 | accept 5 | exit 0 close | on 1 | open | {other} | session 1 t | {COMPLETE}
            silent  one connection :: opened | url 5 | accept 5 | {COMPLETE} | settles "f"
            silent  each has its own of that name :: opened | url 5 | on 1 | open | {other} | url 5 | {COMPLETE}
            silent  nobody was asked :: opened | on 1 | opened | {COMPLETE}
            "#
            ),
        );
    }
}

#[test]
fn nothing_is_complete_before_its_end() {
    let id = "ACP-ELICIT-COMPLETE-005";
    holds(
        id,
        "opened | prompt 2 /elicit url-complete | url 5",
        &format!(
            r#"
            upheld  after the visit :: + accept 5 | done 2 | visit 5 | {COMPLETE}
            upheld  visited before the answer :: + visit 5 | accept 5 | {COMPLETE} | done 2
            upheld  never visited, never complete :: + accept 5 | done 2 | settles "f"
            upheld  declined :: + decline 5 | done 2 | settles "f"
            broken  at the accept :: + accept 5 | {COMPLETE} | done 2
            broken  before the answer :: + {COMPLETE} | accept 5 | done 2
            broken  after the decline :: + decline 5 | done 2 | settles "f" | {COMPLETE}
            silent  a page that may end otherwise :: opened | prompt 2 /elicit url | url 5 | accept 5 | {COMPLETE}
            silent  a page elsewhere :: opened | prompt 2 /elicit url-complete | create 5 {{"sessionId":"s","mode":"url","message":"m","elicitationId":"e","url":"https://a.example/"}} | accept 5 | {COMPLETE}
            unclear two requests under one id, of which one was visited :: opened | prompt 2 /elicit url-complete | url 5 | accept 5 | form 5 | visit 5 | {COMPLETE}
            silent  of nothing known :: opened | prompt 2 /elicit url-complete | {COMPLETE}
            broken  a form :: opened | create 5 {{"sessionId":"s","mode":"form","message":"m","elicitationId":"e","requestedSchema":{{"type":"object","properties":{{}}}}}} | accept 5 {{}} | {COMPLETE}
            "#
        ),
    );
}
