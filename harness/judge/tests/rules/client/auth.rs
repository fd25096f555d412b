//! AUTH: how a client logs in and out.

use crate::clients::{holds, holds_in};

const OFFERED: &str = r#","authMethods":[{"id":"key","methodId":"key","name":"K","type":"agent"},{"id":"tty","methodId":"tty","name":"T","type":"terminal"}]"#;

#[test]
fn a_client_logs_in_by_a_way_that_is_offered() {
    for (version, method) in [("v1", "authenticate"), ("v2", "auth/login")] {
        let offered = format!("hails | welcomes {{\"session\":{{}}}} {OFFERED}");
        let table = format!(
            r#"
            upheld  offered :: + ask 1 {method} {{"methodId":"key"}}
            broken  one of a terminal :: + ask 1 {method} {{"methodId":"tty"}}
            broken  one of its own :: + ask 1 {method} {{"methodId":"oauth"}}
            silent  none :: + session
            "#
        );
        holds_in(version, "ACP-AUTH-006", &offered, &table);
        holds_in(
            version,
            "ACP-AUTH-015",
            &format!(r#"{offered} | ask 1 session/new {{"cwd":"/","mcpServers":[]}}"#),
            &format!(
                r#"
                upheld  it logs in :: + fails 1 -32000 | ask 2 {method} {{"methodId":"key"}}
                broken  it leaves :: + fails 1 -32000 | eof C | exit 1 nothing
                unclear it waits :: + fails 1 -32000 | calm 8 | eof S | eof C | exit 0 close
                silent  another error :: + fails 1 -32603 | eof C
                "#
            ),
        );
    }
    holds_in(
        "v1",
        "ACP-AUTH-006",
        "hails | welcomes {}",
        r#"broken none is offered :: + ask 1 authenticate {"methodId":"key"}"#,
    );
    holds(
        "ACP-AUTH-007",
        r#"hails | welcomes {"session":{}}"#,
        r#"
        broken  a login :: + ask 1 auth/login {"methodId":"key"}
        broken  a logout :: + ask 1 auth/logout {}
        silent  neither :: + session
        "#,
    );
    holds(
        "ACP-AUTH-007",
        &format!("hails | welcomes {{\"session\":{{}}}} {OFFERED}"),
        "upheld there is one :: + ask 1 auth/logout {}",
    );
    holds(
        "ACP-AUTH-008",
        "hails | welcomes {}",
        "broken not announced :: + ask 1 logout {}",
    );
    holds(
        "ACP-AUTH-008",
        r#"hails | welcomes {"auth":{"logout":{}}}"#,
        "upheld announced :: + ask 1 logout {}\nsilent not called :: + session",
    );
}
