//! ELICIT-CAP.

use crate::clients::{holds, holds_in};

#[test]
fn it_is_advertised_where_the_version_looks_for_it() {
    let init = |version: &str, capabilities: &str, answer: &str| {
        format!(
            r#"open client | C {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":{version},{capabilities}}}}} | offers {answer}"#
        )
    };
    let v1 = r#""clientCapabilities":{"elicitation":{"form":{}}}"#;
    let v2 = r#""capabilities":{"elicitation":{"form":{}}}"#;
    let both = format!("{v1},{v2}");
    for (id, version, cases) in [
        (
            "ACP-ELICIT-CAP-001",
            "v1",
            [
                ("upheld", init("1", v1, "1")),
                ("upheld", init("1", &both, "1")),
                ("broken", init("1", v2, "1")),
                ("unclear", init("2", v2, "1")),
                ("silent", init("1", r#""clientCapabilities":{}"#, "1")),
                ("silent", init("2", v2, "2")),
            ],
        ),
        (
            "ACP-ELICIT-CAP-002",
            "v2",
            [
                ("upheld", init("2", v2, "2")),
                ("upheld", init("2", &both, "2")),
                ("broken", init("2", v1, "2")),
                ("silent", init("2", r#""capabilities":{}"#, "2")),
                ("silent", init("1", v1, "1")),
                ("silent", init("2", v1, "1")),
            ],
        ),
    ] {
        for (verdict, talk) in cases {
            holds_in(version, id, "", &format!("{verdict} it :: {talk}"));
        }
    }
}

#[test]
fn it_is_an_object_or_null() {
    holds(
        "ACP-ELICIT-CAP-003",
        "",
        r#"
        upheld  both :: serves
        upheld  neither :: serves {}
        upheld  null :: serves null
        upheld  a null mode :: serves {"form":null}
        broken  true :: serves true
        broken  a mode that is true :: serves {"form":true}
        broken  a mode that is a text :: serves {"url":"yes"}
        silent  none :: serves absent
        "#,
    );
}

#[test]
fn a_mode_that_was_not_advertised_is_refused() {
    holds(
        "ACP-ELICIT-CAP-014",
        r#"serves {"url":{}} | form 7"#,
        r#"
        upheld  -32602 :: + refuse 7 -32602
        broken  -32601 :: + refuse 7 -32601
        broken  a result :: + cancel 7
        broken  never :: + deadline 7
        broken  the end :: + exit 1 nothing
        silent  taken back :: + withdraws 7
        unclear cut :: + stopped
        broken  the other way :: serves {"form":{}} | url 7 | accept 7
        silent  both are advertised :: serves | form 7 | refuse 7 -32603
        silent  none is advertised :: serves {} | form 7 | refuse 7 -32603
        silent  something else is wrong too :: serves {"url":{}} | create 7 {"mode":"form"} | refuse 7 -32600
        silent  what is advertised cannot be read :: serves {"form":true,"url":{}} | form 7 | accept 7
        "#,
    );
    holds(
        "ACP-ELICIT-CAP-016",
        "serves {} | form 7",
        r#"
        upheld  -32602 :: + refuse 7 -32602
        upheld  -32601 :: + refuse 7 -32601
        unclear another :: + refuse 7 -32603
        broken  a result :: + accept 7 {"name":"a"}
        broken  never :: + deadline 7
        broken  the end :: + signal 6 nothing
        upheld  left out :: serves absent | form 7 | refuse 7 -32602
        silent  it has one :: serves {"url":{}} | form 7 | refuse 7 -32602
        "#,
    );
    holds(
        "ACP-ELICIT-CAP-015",
        r#"serves {"form":{}} | url 7"#,
        r"
        upheld  nothing :: + refuse 7 -32602 | calm 9
        broken  opened :: + opens https://127.0.0.1/e | refuse 7 -32602
        broken  fetched :: + refuse 7 -32602 | fetches https://127.0.0.1/e
        upheld  another URL :: + refuse 7 -32602 | opens https://127.0.0.1/x | calm 9
        silent  it has the mode :: serves | url 7 | opens https://127.0.0.1/e
        ",
    );
}
