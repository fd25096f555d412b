//! CONFIG and MODES: what a client chooses of what a session offers.

use crate::clients::{holds, holds_in};

/// A session with the option `o`, which is `a` or `b`, and, where the version has them unasked, the switch `w`.
fn start(version: &str) -> String {
    let id = if version == "v1" { "id" } else { "configId" };
    format!(
        r#"hails | welcomes {{"session":{{}}}} | ask 1 session/new {{"cwd":"/","mcpServers":[]}} | result 1 {{"sessionId":"s","configOptions":[{{"{id}":"o","name":"O","type":"select","currentValue":"a","options":[{{"value":"a","name":"A"}},{{"value":"b","name":"B"}}]}},{{"{id}":"w","name":"W","type":"boolean","currentValue":true}}]}}"#
    )
}

#[test]
fn a_value_has_the_type_that_its_version_wants() {
    holds_in(
        "v2",
        "ACP-CONFIG-009",
        &start("v2"),
        r#"
        upheld  an id :: + ask 2 session/set_config_option {"sessionId":"s","configId":"o","type":"id","value":"b"}
        upheld  a truth value :: + ask 2 session/set_config_option {"sessionId":"s","configId":"w","type":"boolean","value":false}
        upheld  a type of one's own :: + ask 2 session/set_config_option {"sessionId":"s","configId":"o","type":"_x","value":7}
        broken  no type :: + ask 2 session/set_config_option {"sessionId":"s","configId":"o","value":"b"}
        broken  no type, and a truth value :: + ask 2 session/set_config_option {"sessionId":"s","configId":"w","value":false}
        broken  an id that is true :: + ask 2 session/set_config_option {"sessionId":"s","configId":"w","type":"id","value":true}
        broken  a truth value as text :: + ask 2 session/set_config_option {"sessionId":"s","configId":"w","type":"boolean","value":"true"}
        "#,
    );
    holds_in(
        "v1",
        "ACP-CONFIG-011",
        &start("v1"),
        r#"
        upheld  a text :: + ask 2 session/set_config_option {"sessionId":"s","configId":"o","value":"b"}
        upheld  a truth value :: + ask 2 session/set_config_option {"sessionId":"s","configId":"w","type":"boolean","value":false}
        broken  a truth value as text :: + ask 2 session/set_config_option {"sessionId":"s","configId":"w","value":"true"}
        broken  a truth value without its type :: + ask 2 session/set_config_option {"sessionId":"s","configId":"w","value":true}
        broken  a number :: + ask 2 session/set_config_option {"sessionId":"s","configId":"o","value":7}
        broken  nothing :: + ask 2 session/set_config_option {"sessionId":"s","configId":"o"}
        "#,
    );
}

#[test]
fn only_what_is_offered_is_chosen() {
    for version in ["v1", "v2"] {
        let id = if version == "v1" { "id" } else { "configId" };
        let kind = if version == "v1" {
            ""
        } else {
            r#""type":"id","#
        };
        let fewer = format!(
            r#"update {{"sessionUpdate":"config_option_update","configOptions":[{{"{id}":"o","name":"O","type":"select","currentValue":"a","options":[{{"value":"a","name":"A"}}]}}]}}"#
        );
        let set = |option: &str, value: &str| {
            format!(
                r#"ask 2 session/set_config_option {{"sessionId":"s","configId":"{option}",{kind}"value":"{value}"}}"#
            )
        };
        let table = [
            format!("upheld offered :: + {}", set("o", "b")),
            format!("broken a value of its own :: + {}", set("o", "gpt")),
            format!("broken an option of its own :: + {}", set("model", "b")),
            format!(
                "unclear the list has just changed :: + {fewer} | {}",
                set("o", "b")
            ),
            format!(
                "broken the list had changed long ago :: + {fewer} | calm 8 | {}",
                set("o", "b")
            ),
            format!(
                "broken nothing is listed :: hails | welcomes {{\"session\":{{}}}} | session | {}",
                set("o", "b")
            ),
        ];
        holds_in(
            version,
            "ACP-CONFIG-016",
            &start(version),
            &table.join("\n"),
        );
    }
    holds(
        "ACP-MODES-005",
        r#"hails | welcomes {} | ask 1 session/new {"cwd":"/","mcpServers":[]} | result 1 {"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}}"#,
        r#"
        upheld  offered :: + ask 2 session/set_mode {"sessionId":"s","modeId":"b"}
        broken  one of its own :: + ask 2 session/set_mode {"sessionId":"s","modeId":"yolo"}
        broken  none is listed :: hails | welcomes {} | session | ask 2 session/set_mode {"sessionId":"s","modeId":"b"}
        "#,
    );
}
