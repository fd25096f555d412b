//! AUTH.

use crate::{
    announced,
    table::{holds, holds_in},
};

/// `initialize` of a version with these capabilities of the client, and these ways to log in.
fn hello(version: &str, client: &str, methods: &str) -> String {
    if version == "v1" {
        format!(
            r#"open | C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":1,"clientCapabilities":{client}}}}} | S {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":1,"agentCapabilities":{{"auth":{{"logout":{{}}}}}},"authMethods":{methods}}}}}"#
        )
    } else {
        format!(
            r#"open | C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":2,"info":{{"name":"e","version":"0"}},"capabilities":{client}}}}} | S {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":2,"info":{{"name":"a","version":"1"}},"capabilities":{{"session":{{}}}},"authMethods":{methods}}}}}"#
        )
    }
}

/// Holds a rule to values of authMethods in one version.
fn methods(version: &str, id: &str, client: &str, table: &[(&str, &str)]) {
    let table: Vec<String> = table
        .iter()
        .map(|(verdict, methods)| {
            format!("{verdict} {methods} :: {}", hello(version, client, methods))
        })
        .collect();
    holds_in(version, id, "", &table.join("\n"));
}

#[test]
fn ways_to_log_in_have_their_members() {
    methods(
        "v1",
        "ACP-AUTH-001",
        "{}",
        &[
            ("upheld", r#"[{"id":"a","name":"A"}]"#),
            (
                "upheld",
                r#"[{"id":"a","name":"A","description":null,"type":"agent"}]"#,
            ),
            (
                "upheld",
                r#"[{"id":"a","name":"A","type":"terminal","args":["x"],"env":{"A":"1"}}]"#,
            ),
            ("silent", "[]"),
            (
                "upheld",
                r#"[{"id":"a","name":"A","type":"env_var","vars":[]}]"#,
            ),
            (
                "broken",
                r#"[{"id":"a","name":"A","type":"terminal","args":"x"}]"#,
            ),
            (
                "broken",
                r#"[{"id":"a","name":"A","type":"terminal","env":[{"name":"A","value":"1"}]}]"#,
            ),
            ("broken", r#"[{"methodId":"a","name":"A"}]"#),
            ("broken", r#"[{"id":"a"}]"#),
            ("broken", r#"["a"]"#),
            ("silent", r#"{"id":"a"}"#),
        ],
    );
    methods(
        "v2",
        "ACP-AUTH-002",
        "{}",
        &[
            ("upheld", r#"[{"methodId":"a","name":"A","type":"agent"}]"#),
            (
                "upheld",
                r#"[{"methodId":"a","name":"A","type":"_sso","page":1}]"#,
            ),
            (
                "upheld",
                r#"[{"methodId":"a","name":"A","type":"terminal","args":[],"env":[{"name":"A","value":"1"}]}]"#,
            ),
            ("silent", "[]"),
            ("broken", r#"[{"methodId":"a","name":"A"}]"#),
            ("broken", r#"[{"id":"a","name":"A","type":"agent"}]"#),
            (
                "broken",
                r#"[{"methodId":"a","name":"A","type":"terminal","env":{"A":"1"}}]"#,
            ),
        ],
    );
}

#[test]
fn their_ids_are_unique() {
    for (version, name) in [("v1", "id"), ("v2", "methodId")] {
        let one = |id: &str| format!(r#"{{"{name}":"{id}","name":"A","type":"agent"}}"#);
        methods(
            version,
            "ACP-AUTH-003",
            "{}",
            &[
                ("upheld", &format!("[{},{}]", one("a"), one("b"))),
                ("broken", &format!("[{},{}]", one("a"), one("a"))),
                ("silent", "[]"),
            ],
        );
    }
}

#[test]
fn terminals_are_for_those_who_have_them() {
    let terminal = |name: &str| format!(r#"[{{"{name}":"a","name":"A","type":"terminal"}}]"#);
    let agent = |name: &str| format!(r#"[{{"{name}":"a","name":"A","type":"agent"}}]"#);
    for (version, name, has, lacks) in [
        (
            "v1",
            "id",
            r#"{"auth":{"terminal":true}}"#,
            r#"{"auth":{"terminal":false}}"#,
        ),
        (
            "v2",
            "methodId",
            r#"{"auth":{"terminal":{}}}"#,
            r#"{"auth":{"terminal":null}}"#,
        ),
    ] {
        for lacks in [lacks, "{}"] {
            let table = [
                ("broken", &*terminal(name)),
                ("upheld", &*agent(name)),
                ("silent", "[]"),
            ];
            methods(version, "ACP-AUTH-004", lacks, &table);
        }
        methods(version, "ACP-AUTH-004", has, &[("silent", &terminal(name))]);
    }
    let env = |names: &str| {
        let entries: Vec<String> = names
            .chars()
            .map(|name| format!(r#"{{"name":"{name}","value":"1"}}"#))
            .collect();
        format!(
            r#"[{{"methodId":"a","name":"A","type":"terminal","env":[{}]}}]"#,
            entries.join(",")
        )
    };
    let table = [
        ("upheld", &*env("AB")),
        ("broken", &*env("ABA")),
        ("silent", &*agent("methodId")),
    ];
    methods("v2", "ACP-AUTH-005", r#"{"auth":{"terminal":{}}}"#, &table);
}

const AGENT: [(&str, &str, &str, &str); 2] = [
    ("v1", r#"[{"id":"a","name":"A"}]"#, "authenticate", "logout"),
    (
        "v2",
        r#"[{"methodId":"a","name":"A","type":"agent"}]"#,
        "auth/login",
        "auth/logout",
    ),
];

#[test]
fn what_is_offered_is_there() {
    let (v1, methods_v1, ..) = AGENT[0];
    let (v2, methods_v2, ..) = AGENT[1];
    let start = hello(v2, "{}", methods_v2);
    holds_in(
        v2,
        "ACP-AUTH-009",
        &start,
        &format!(
            r#"
        upheld  a bad id is refused :: + ask 1 auth/login {{"methodId":"x"}} | fails 1 -32602
        broken  no login :: + ask 1 auth/login {{"methodId":"x"}} | fails 1 -32601
        broken  no logout :: + ask 1 auth/logout {{}} | fails 1 -32601
        upheld  nobody is logged in :: + ask 1 auth/logout {{}} | fails 1 -32603
        silent  nothing is offered :: {} | ask 1 auth/login {{"methodId":"x"}} | fails 1 -32601
        "#,
            hello(v2, "{}", "[]")
        ),
    );
    holds_in(
        v1,
        "ACP-AUTH-010",
        &hello(v1, "{}", methods_v1),
        r"
        upheld  it works :: + ask 1 logout {} | result 1 {}
        upheld  null :: + ask 1 logout {} | result 1 null
        broken  it is not there :: + ask 1 logout {} | fails 1 -32601
        unclear nobody is logged in :: + ask 1 logout {} | fails 1 -32603
        silent  it is not announced :: open | init | ask 1 logout {} | fails 1 -32601
        ",
    );
    for (version, methods, login, _) in AGENT {
        let missing = if version == "v1" { "broken" } else { "silent" };
        holds_in(
            version,
            "ACP-AUTH-011",
            &hello(version, "{}", methods),
            &format!(
                r#"
            upheld  refused :: + ask 1 {login} {{"methodId":"elenchus-none"}} | fails 1 -32602
            upheld  with another code :: + ask 1 {login} {{"methodId":"elenchus-none"}} | fails 1 -32000
            broken  taken :: + ask 1 {login} {{"methodId":"elenchus-none"}} | result 1 {{}}
            {missing} no such method :: + ask 1 {login} {{"methodId":"elenchus-none"}} | fails 1 -32601
            silent  an id that may be right :: + ask 1 {login} {{"methodId":"a"}} | result 1 {{}}
            silent  nothing is offered :: {} | ask 1 {login} {{"methodId":"elenchus-none"}} | fails 1 -32601
            "#,
                hello(version, "{}", "[]")
            ),
        );
    }
}

#[test]
fn logins_and_logouts_count() {
    for (version, methods, login, logout) in AGENT {
        let new = |id: u32| format!(r#"ask {id} session/new {{"cwd":"/a","mcpServers":[]}}"#);
        let start = format!(
            r#"{} | {} | fails 1 -32000 | ask 2 {login} {{"methodId":"a"}}"#,
            hello(version, "{}", methods),
            new(1),
        );
        let third = new(3);
        holds_in(
            version,
            "ACP-AUTH-012",
            &start,
            &format!(
                r#"
            upheld  a session :: + result 2 {{}} | {third} | result 3 {{"sessionId":"s"}}
            upheld  another failure :: + result 2 {{}} | {third} | fails 3 -32603
            broken  a login is wanted again :: + result 2 {{}} | {third} | fails 3 -32000
            silent  the login failed :: + fails 2 -32603 | {third} | fails 3 -32000
            silent  the login is not through yet :: + {third} | result 2 {{}} | fails 3 -32000
            silent  logged out in between :: + result 2 {{}} | ask 4 {logout} {{}} | result 4 {{}} | {third} | fails 3 -32000
            "#
            ),
        );
        let out = format!(r"{start} | result 2 {{}} | ask 4 {logout} {{}}");
        holds_in(
            version,
            "ACP-AUTH-013",
            &out,
            &format!(
                r#"
            upheld  a login is wanted :: + result 4 {{}} | {third} | fails 3 -32000
            broken  a session all the same :: + result 4 {{}} | {third} | result 3 {{"sessionId":"s"}}
            unclear another failure :: + result 4 {{}} | {third} | fails 3 -32603
            silent  the logout failed :: + fails 4 -32603 | {third} | result 3 {{"sessionId":"s"}}
            silent  logged in again :: + result 4 {{}} | ask 5 {login} {{"methodId":"a"}} | result 5 {{}} | {third} | result 3 {{"sessionId":"s"}}
            "#
            ),
        );
        let free = hello(version, "{}", methods);
        holds_in(
            version,
            "ACP-AUTH-013",
            &free,
            &format!(
                r#"silent  it never wanted one :: + ask 2 {login} {{"methodId":"a"}} | result 2 {{}} | ask 4 {logout} {{}} | result 4 {{}} | {third} | result 3 {{"sessionId":"s"}}"#
            ),
        );
    }
}

#[test]
fn who_wants_a_login_offers_a_way() {
    for (version, methods, ..) in AGENT {
        let terminals = match version {
            "v1" => r#"{"auth":{"terminal":true}}"#,
            _ => r#"{"auth":{"terminal":{}}}"#,
        };
        let new = r#"ask 1 session/new {"cwd":"/a","mcpServers":[]} | fails 1 -32000"#;
        holds_in(
            version,
            "ACP-AUTH-014",
            "",
            &format!(
                r"
            upheld  a way is offered :: {} | {new}
            broken  none, to a client with terminals :: {} | {new}
            unclear none, to a client without :: {} | {new}
            ",
                hello(version, "{}", methods),
                hello(version, terminals, "[]"),
                hello(version, "{}", "[]"),
            ),
        );
    }
    announced::holds("ACP-AUTH-014", "", "silent  none is wanted :: + new 1 s");
    holds(
        "ACP-AUTH-014",
        "opened",
        "silent  none is wanted :: + settles 9",
    );
}
