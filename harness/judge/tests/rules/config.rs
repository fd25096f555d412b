//! CONFIG and MODES.

use crate::announced::holds_in;

/// Holds a rule to a table in one version, with its names: `@id` for the member that names an option, `@set` for what
/// a change of one says besides.
fn holds(version: &str, id: &str, start: &str, table: &str) {
    let (name, kind) = match version {
        "v1" => ("\"id\"", ""),
        _ => ("\"configId\"", "\"type\":\"id\","),
    };
    let spelt = |text: &str| text.replace("@id", name).replace("@set", kind);
    holds_in(version, id, &spelt(start), &spelt(table));
}

fn holds_both(id: &str, start: &str, table: &str) {
    for version in ["v1", "v2"] {
        holds(version, id, start, table);
    }
}

const NEW: &str = r#"ask 1 session/new {"cwd":"/a","mcpServers":[]}"#;
const MODE: &str = r#"{@id:"mode","name":"Mode","category":"mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"work","name":"Work"}]}"#;
const LENGTH: &str = r#"{@id:"length","name":"Length","type":"select","currentValue":"short","options":[{"value":"short","name":"Short"},{"value":"long","name":"Long"}]}"#;

/// A table in which `MODE`, `WORK` (the same, set to work) and `LENGTH` stand for options.
fn options(text: &str) -> String {
    let work = MODE.replace(r#""currentValue":"ask""#, r#""currentValue":"work""#);
    text.replace("WORK", &work)
        .replace("MODE", MODE)
        .replace("LENGTH", LENGTH)
}

/// A session with both options.
fn made() -> String {
    options(&format!(
        r#"{NEW} | result 1 {{"sessionId":"s","configOptions":[MODE,LENGTH]}}"#
    ))
}

#[test]
fn an_option_has_what_its_type_needs() {
    holds_both(
        "ACP-CONFIG-001",
        NEW,
        &options(
            r#"
        upheld  two selects :: + result 1 {"sessionId":"s","configOptions":[MODE,LENGTH]}
        silent  no options :: + result 1 {"sessionId":"s","configOptions":[]}
        silent  no list :: + result 1 {"sessionId":"s"}
        silent  null :: + result 1 {"sessionId":"s","configOptions":null}
        upheld  a boolean :: + result 1 {"sessionId":"s","configOptions":[{@id:"b","name":"B","type":"boolean","currentValue":false}]}
        upheld  unknown members and null descriptions :: + result 1 {"sessionId":"s","configOptions":[{@id:"b","name":"B","description":null,"extra":1,"type":"boolean","currentValue":false}]}
        broken  no current value :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","options":[{"value":"a","name":"A"}]}]}
        broken  null for it :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":null,"options":[{"value":"a","name":"A"}]}]}
        broken  a text for a boolean :: + result 1 {"sessionId":"s","configOptions":[{@id:"b","name":"B","type":"boolean","currentValue":"false"}]}
        broken  no options to select :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"a"}]}
        broken  no name :: + result 1 {"sessionId":"s","configOptions":[{@id:"b","type":"boolean","currentValue":false}]}
        broken  no id :: + result 1 {"sessionId":"s","configOptions":[{"name":"B","type":"boolean","currentValue":false}]}
        broken  no type :: + result 1 {"sessionId":"s","configOptions":[{@id:"b","name":"B","currentValue":false}]}
        silent  what it offers is another row's :: + result 1 {"sessionId":"s"} | update s {"sessionUpdate":"agent_message_chunk"}
        broken  in an update :: + result 1 {"sessionId":"s"} | update s {"sessionUpdate":"config_option_update","configOptions":[{@id:"b","name":"B","type":"boolean"}]}
        "#,
        ),
    );
    holds(
        "v2",
        "ACP-CONFIG-001",
        NEW,
        r#"
        upheld  a type of its own :: + result 1 {"sessionId":"s","configOptions":[{"configId":"b","name":"B","type":"_slider","at":5}]}
        "#,
    );
    holds(
        "v1",
        "ACP-CONFIG-001",
        NEW,
        r#"
        broken  no list at all :: + result 1 {"sessionId":"s","configOptions":{}}
        silent  a type of its own is a remark :: + result 1 {"sessionId":"s","configOptions":[{"id":"b","name":"B","type":"_slider","at":5}]}
        "#,
    );
}

#[test]
fn the_current_value_is_offered() {
    holds_both(
        "ACP-CONFIG-003",
        NEW,
        &options(
            r#"
        upheld  it is :: + result 1 {"sessionId":"s","configOptions":[MODE]}
        broken  it is not :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"x","options":[{"value":"a","name":"A"}]}]}
        upheld  it is, in a group :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"b","options":[{"group":"g","groupId":"g","name":"G","options":[{"value":"b","name":"B"}]}]}]}
        silent  nothing is offered :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"x","options":[]}]}
        silent  a boolean :: + result 1 {"sessionId":"s","configOptions":[{@id:"b","name":"B","type":"boolean","currentValue":true}]}
        "#,
        ),
    );
}

#[test]
fn ids_and_values_stand_once() {
    let two = r#"[{@id:"m","name":"M","type":"select","currentValue":"a","options":[{"group":"g","groupId":"g","name":"G","options":[{"value":"a","name":"A"}]},{"group":"h","groupId":"h","name":"H","options":[{"value":"a","name":"A"}]}]}]"#;
    holds_both(
        "ACP-CONFIG-004",
        NEW,
        &options(
            r#"
        upheld  they do :: + result 1 {"sessionId":"s","configOptions":[MODE,LENGTH]}
        upheld  two options offer the same :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]},{@id:"n","name":"N","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]}]}
        broken  two options with an id :: + result 1 {"sessionId":"s","configOptions":[MODE,MODE]}
        broken  a value twice :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"a","name":"B"}]}]}
        broken  two groups with an id :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"a","options":[{"group":"g","groupId":"g","name":"G","options":[{"value":"a","name":"A"}]},{"group":"g","groupId":"g","name":"H","options":[{"value":"b","name":"B"}]}]}]}
        "#,
        ),
    );
    let in_two =
        format!(r#"in two groups :: + result 1 {{"sessionId":"s","configOptions":{two}}}"#);
    holds("v1", "ACP-CONFIG-004", NEW, &format!("upheld  {in_two}"));
    holds("v2", "ACP-CONFIG-004", NEW, &format!("broken  {in_two}"));
}

#[test]
fn values_or_groups_are_offered() {
    let empty = r#"none :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"a","options":[]}]}"#;
    holds("v1", "ACP-CONFIG-005", NEW, &format!("upheld  {empty}"));
    holds("v2", "ACP-CONFIG-005", NEW, &format!("broken  {empty}"));
    holds_both(
        "ACP-CONFIG-005",
        NEW,
        &options(
            r#"
        upheld  values :: + result 1 {"sessionId":"s","configOptions":[MODE]}
        upheld  groups :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"b","options":[{"group":"g","groupId":"g","name":"G","options":[{"value":"b","name":"B"}]}]}]}
        broken  both :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"b","options":[{"value":"a","name":"A"},{"group":"g","groupId":"g","name":"G","options":[{"value":"b","name":"B"}]}]}]}
        broken  a text :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"b","options":"a"}]}
        broken  a value without a name :: + result 1 {"sessionId":"s","configOptions":[{@id:"m","name":"M","type":"select","currentValue":"a","options":[{"value":"a"}]}]}
        silent  none at all is another row's :: + result 1 {"sessionId":"s"}
        silent  a boolean :: + result 1 {"sessionId":"s","configOptions":[{@id:"b","name":"B","type":"boolean","currentValue":true}]}
        "#,
        ),
    );
}

#[test]
fn an_answer_lists_all_options() {
    let set =
        r#"ask 2 session/set_config_option {"sessionId":"s","configId":"mode",@set"value":"work"}"#;
    let start = format!("{} | {set}", made());
    let table = options(
        r#"
        upheld  all :: + result 2 {"configOptions":[WORK,LENGTH]}
        upheld  more :: + result 2 {"configOptions":[WORK,LENGTH,{@id:"b","name":"B","type":"boolean","currentValue":true}]}
        broken  no list :: + result 2 {}
        broken  null :: + result 2 {"configOptions":null}
        broken  without what was set :: + result 2 {"configOptions":[LENGTH]}
        unclear without another :: + result 2 {"configOptions":[WORK]}
        unclear without another, which stays away :: + result 2 {"configOptions":[WORK]} | update s {"sessionUpdate":"config_option_update","configOptions":[WORK]}
        broken  without another, which is back at once :: + result 2 {"configOptions":[WORK]} | update s {"sessionUpdate":"config_option_update","configOptions":[WORK,LENGTH]}
        broken  without another, which is back on a resume :: + result 2 {"configOptions":[WORK]} | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | result 3 {"configOptions":[WORK,LENGTH]}
        unclear it is back after another change :: + result 2 {"configOptions":[WORK]} | ask 3 session/set_config_option {"sessionId":"s","configId":"mode",@set"value":"ask"} | fails 3 -32603 | ask 4 session/resume {"sessionId":"s","cwd":"/a"} | result 4 {"configOptions":[WORK,LENGTH]}
        unclear it is back after a turn :: + result 2 {"configOptions":[WORK]} | prompt 3 /say x | done 3 | ask 4 session/resume {"sessionId":"s","cwd":"/a"} | result 4 {"configOptions":[WORK,LENGTH]}
        silent  refused :: + fails 2 -32603
        "#,
    );
    holds_both("ACP-CONFIG-006", &start, &table);
}

#[test]
fn an_update_lists_all_options() {
    let table = options(
        r#"
        upheld  all :: + update s {"sessionUpdate":"config_option_update","configOptions":[WORK,LENGTH]}
        broken  no list :: + update s {"sessionUpdate":"config_option_update","configId":"mode","value":"work"}
        unclear without one :: + update s {"sessionUpdate":"config_option_update","configOptions":[WORK]}
        broken  without one, which is back on a resume :: + update s {"sessionUpdate":"config_option_update","configOptions":[WORK]} | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | result 3 {"configOptions":[WORK,LENGTH]}
        upheld  without one, which another update brings back :: + update s {"sessionUpdate":"config_option_update","configOptions":[WORK]} | update s {"sessionUpdate":"config_option_update","configOptions":[WORK,LENGTH]}
        unclear within a turn :: + prompt 3 /say x | update s {"sessionUpdate":"config_option_update","configOptions":[WORK]} | done 3 | ask 4 session/resume {"sessionId":"s","cwd":"/a"} | result 4 {"configOptions":[WORK,LENGTH]}
        upheld  of another session :: + new 2 t | update t {"sessionUpdate":"config_option_update","configOptions":[MODE]}
        "#,
    );
    holds_both("ACP-CONFIG-013", &made(), &table);
}

#[test]
fn what_was_set_is_in_force() {
    let set =
        r#"ask 2 session/set_config_option {"sessionId":"s","configId":"mode",@set"value":"work"}"#;
    let start = format!("{} | {set}", made());
    let table = options(
        r#"
        upheld  it is :: + result 2 {"configOptions":[WORK,LENGTH]}
        broken  it is not :: + result 2 {"configOptions":[MODE,LENGTH]}
        unclear set twice at once :: + ask 3 session/set_config_option {"sessionId":"s","configId":"mode",@set"value":"ask"} | result 2 {"configOptions":[MODE,LENGTH]}
        unclear a turn runs :: + prompt 3 /say x | result 2 {"configOptions":[MODE,LENGTH]}
        silent  the option is gone :: + result 2 {"configOptions":[LENGTH]}
        broken  forgotten by the next resume :: + result 2 {"configOptions":[WORK,LENGTH]} | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | result 3 {"configOptions":[MODE,LENGTH]}
        upheld  changed by the agent in between :: + result 2 {"configOptions":[WORK,LENGTH]} | update s {"sessionUpdate":"config_option_update","configOptions":[MODE,LENGTH]} | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | result 3 {"configOptions":[MODE,LENGTH]}
        upheld  after a turn :: + result 2 {"configOptions":[WORK,LENGTH]} | prompt 4 /say x | done 4 | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | result 3 {"configOptions":[MODE,LENGTH]}
        silent  refused :: + fails 2 -32603
        "#,
    );
    holds_both("ACP-CONFIG-007", &start, &table);
}

const NO_VALUE: &str = r#"ask 2 session/set_config_option {"sessionId":"s","configId":"mode",@set"value":"elenchus-no-value"}"#;
const NO_OPTION: &str = r#"ask 2 session/set_config_option {"sessionId":"s","configId":"elenchus-no-option",@set"value":"work"}"#;

#[test]
fn what_does_not_exist_is_refused() {
    for wish in [NO_VALUE, NO_OPTION] {
        let start = format!("{} | {wish}", made());
        holds_both(
            "ACP-CONFIG-008",
            &start,
            r"
            upheld  -32602 :: + fails 2 -32602
            upheld  another code :: + fails 2 -32603
            silent  no answer :: + settles 9
            ",
        );
        let table = options(
            r#"
            broken  a result :: + result 2 {"configOptions":[MODE,LENGTH]}
            "#,
        );
        holds("v1", "ACP-CONFIG-008", &start, &table);
        holds("v2", "ACP-CONFIG-020", &start, &table);
        holds(
            "v2",
            "ACP-CONFIG-020",
            &start,
            r"
            upheld  -32602 :: + fails 2 -32602
            broken  another code :: + fails 2 -32603
            unclear a login first :: + fails 2 -32000
            ",
        );
    }
    let same = r#"fails 2 -32602 | ask 3 session/set_config_option {"sessionId":"s","configId":"length",@set"value":"short"}"#;
    let table = options(&format!(
        r#"
        upheld  nothing has changed :: + {same} | result 3 {{"configOptions":[MODE,LENGTH]}}
        broken  it was stored :: + {same} | result 3 {{"configOptions":[{},LENGTH]}}
        "#,
        MODE.replace(
            r#""currentValue":"ask""#,
            r#""currentValue":"elenchus-no-value""#
        ),
    ));
    let start = format!("{} | {NO_VALUE}", made());
    holds("v1", "ACP-CONFIG-008", &start, &table);
    holds("v2", "ACP-CONFIG-020", &start, &table);
    holds(
        "v1",
        "ACP-CONFIG-008",
        &made(),
        r#"
        silent  a value that may come from elsewhere :: + ask 2 session/set_config_option {"sessionId":"s","configId":"mode","value":"custom"} | result 2 {"configOptions":[]}
        silent  a session that is gone :: + ask 3 session/close {"sessionId":"s"} | result 3 {} | ask 2 session/set_config_option {"sessionId":"s","configId":"mode","value":"elenchus-no-value"} | result 2 {"configOptions":[]}
        "#,
    );
    holds(
        "v2",
        "ACP-CONFIG-020",
        &made(),
        r#"
        broken  a truth value for a select :: + ask 2 session/set_config_option {"sessionId":"s","configId":"mode","type":"boolean","value":true} | result 2 {"configOptions":[]}
        upheld  refused :: + ask 2 session/set_config_option {"sessionId":"s","configId":"mode","type":"boolean","value":true} | fails 2 -32602
        "#,
    );
}

#[test]
fn an_odd_type_of_value_is_refused() {
    let start = format!(
        r#"{} | ask 2 session/set_config_option {{"sessionId":"s","configId":"mode","type":"_elenchus","value":"work"}}"#,
        made()
    );
    holds(
        "v2",
        "ACP-CONFIG-010",
        &start,
        &options(
            r#"
        upheld  -32602 :: + fails 2 -32602
        broken  another code :: + fails 2 -32601
        broken  taken :: + result 2 {"configOptions":[WORK,LENGTH]}
        unclear a login first :: + fails 2 -32000
        "#,
        ),
    );
}

#[test]
fn booleans_are_for_those_who_know_them() {
    let boolean = r#"{"id":"b","name":"B","type":"boolean","currentValue":true}"#;
    let init = |capabilities: &str| {
        format!(
            r#"open | asks 1 {capabilities} | offers 1 | {NEW} | result 1 {{"sessionId":"s","configOptions":[{boolean}]}}"#
        )
    };
    holds(
        "v1",
        "ACP-CONFIG-012",
        NEW,
        &options(&format!(
            r#"
        upheld  a select :: + result 1 {{"sessionId":"s","configOptions":[MODE]}}
        broken  a boolean :: + result 1 {{"sessionId":"s","configOptions":[MODE,{boolean}]}}
        silent  nothing :: + result 1 {{"sessionId":"s","configOptions":[]}}
        silent  it is advertised :: {}
        broken  null advertises nothing :: {}
        "#,
            init(r#"{"session":{"configOptions":{"boolean":{}}}}"#),
            init(r#"{"session":{"configOptions":{"boolean":null}}}"#),
        )),
    );
}

#[test]
fn options_change_while_a_turn_runs() {
    let set = |id: u32| {
        format!(
            r#"ask {id} session/set_config_option {{"sessionId":"s","configId":"mode",@set"value":"ask"}}"#
        )
    };
    let list = r#"{"configOptions":[MODE,LENGTH]}"#;
    let start = format!(
        "{} | {} | result 2 {list} | prompt 3 /hold | {}",
        made(),
        set(2),
        set(4)
    );
    let table = options(&format!(
        r"
        upheld  at once :: + result 4 {list}
        upheld  only after the turn, which is a remark :: + done 3 | result 4 {list}
        broken  refused :: + fails 4 -32600
        unclear refused after the turn :: + done 3 | fails 4 -32600
        unclear a login first :: + fails 4 -32000
        "
    ));
    holds_both("ACP-CONFIG-018", &options(&start), &table);
    let only = format!("{} | prompt 3 /hold | {}", made(), set(4));
    holds_both(
        "ACP-CONFIG-018",
        &only,
        "unclear refused, maybe as ever :: + fails 4 -32600",
    );
}

#[test]
fn listed_options_can_be_set() {
    let start = format!(
        r#"{} | ask 2 session/set_config_option {{"sessionId":"s","configId":"mode","type":"id","value":"work"}}"#,
        made()
    );
    holds(
        "v2",
        "ACP-CONFIG-019",
        &start,
        &options(
            r#"
        upheld  set :: + result 2 {"configOptions":[WORK,LENGTH]}
        upheld  refused for a reason :: + fails 2 -32603
        broken  no such method :: + fails 2 -32601
        silent  of a session that lists none :: ~ new 1 s | ask 2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"work"} | fails 2 -32601
        "#,
        ),
    );
}

const MODES: &str = r#""modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"work","name":"Work"}]}"#;

fn with_modes() -> String {
    format!(r#"{NEW} | result 1 {{"sessionId":"s",{MODES}}}"#)
}

#[test]
fn modes_have_a_current_one_and_a_list() {
    holds(
        "v1",
        "ACP-MODES-001",
        NEW,
        &format!(
            r#"
        upheld  both :: + result 1 {{"sessionId":"s",{MODES}}}
        silent  no modes :: + result 1 {{"sessionId":"s"}}
        silent  null :: + result 1 {{"sessionId":"s","modes":null}}
        broken  no current one :: + result 1 {{"sessionId":"s","modes":{{"availableModes":[]}}}}
        broken  no list :: + result 1 {{"sessionId":"s","modes":{{"currentModeId":"ask"}}}}
        broken  a mode without a name :: + result 1 {{"sessionId":"s","modes":{{"currentModeId":"ask","availableModes":[{{"id":"ask"}}]}}}}
        broken  texts :: + result 1 {{"sessionId":"s","modes":["ask"]}}
        broken  of a loaded session :: + result 1 {{"sessionId":"s"}} | ask 2 session/load {{"sessionId":"s","cwd":"/a","mcpServers":[]}} | result 2 {{"modes":{{}}}}
        "#
        ),
    );
    holds(
        "v1",
        "ACP-MODES-002",
        NEW,
        &format!(
            r#"
        upheld  in the list :: + result 1 {{"sessionId":"s",{MODES}}}
        broken  not in the list :: + result 1 {{"sessionId":"s","modes":{{"currentModeId":"x","availableModes":[{{"id":"ask","name":"Ask"}}]}}}}
        broken  an id twice :: + result 1 {{"sessionId":"s","modes":{{"currentModeId":"ask","availableModes":[{{"id":"ask","name":"Ask"}},{{"id":"ask","name":"Work"}}]}}}}
        silent  an empty list is a remark :: + result 1 {{"sessionId":"s","modes":{{"currentModeId":"","availableModes":[]}}}}
        "#
        ),
    );
}

#[test]
fn modes_are_entered() {
    let set = |id: u32, mode: &str| {
        format!(r#"ask {id} session/set_mode {{"sessionId":"s","modeId":"{mode}"}}"#)
    };
    let (ask, work, odd) = (set(2, "ask"), set(3, "work"), set(4, "elenchus-no-mode"));
    holds(
        "v1",
        "ACP-MODES-003",
        &with_modes(),
        &format!(
            r#"
        upheld  entered :: + {ask} | result 2 {{}}
        upheld  null is fine :: + {ask} | result 2 null
        broken  no such method :: + {ask} | fails 2 -32601
        unclear one is refused :: + {work} | fails 3 -32603
        upheld  one of two is refused :: + {ask} | result 2 {{}} | {work} | fails 3 -32603
        broken  all are refused :: + {ask} | fails 2 -32603 | {work} | fails 3 -32603
        unclear a login first :: + {ask} | fails 2 -32000 | {work} | fails 3 -32000
        silent  not listed :: + {odd} | fails 4 -32601
        silent  the session is gone :: + ask 5 session/close {{"sessionId":"s"}} | result 5 {{}} | {ask} | fails 2 -32601
        "#
        ),
    );
    holds(
        "v1",
        "ACP-MODES-004",
        &with_modes(),
        &format!(
            r#"
        upheld  refused :: + {odd} | fails 4 -32602
        upheld  with another code :: + {odd} | fails 4 -32603
        broken  taken :: + {odd} | result 4 {{}}
        silent  a mode that may come from elsewhere :: + ask 2 session/set_mode {{"sessionId":"s","modeId":"plan"}} | result 2 {{}}
        silent  there are no modes :: ~ new 1 s | {odd} | result 4 {{}}
        "#
        ),
    );
}

#[test]
fn an_update_of_the_mode_names_it() {
    holds(
        "v1",
        "ACP-MODES-006",
        &with_modes(),
        r#"
        upheld  named :: + update s {"sessionUpdate":"current_mode_update","currentModeId":"work"}
        upheld  unlisted, which is a remark :: + update s {"sessionUpdate":"current_mode_update","currentModeId":"plan"}
        broken  by another name :: + update s {"sessionUpdate":"current_mode_update","modeId":"work"}
        broken  a number :: + update s {"sessionUpdate":"current_mode_update","currentModeId":1}
        silent  another update :: + update s {"sessionUpdate":"plan","entries":[]}
        "#,
    );
}

#[test]
fn modes_and_options_say_the_same() {
    let both = |mode: &str, option: &str| {
        let modes = MODES.replace(r#"Id":"ask","#, &format!(r#"Id":"{mode}","#));
        let option = MODE.replace(r#"Value":"ask""#, &format!(r#"Value":"{option}""#));
        format!(r#"{{"sessionId":"s",{modes},"configOptions":[{option}]}}"#)
    };
    let start = format!("{NEW} | result 1 {}", both("ask", "ask"));
    let set = r#"ask 2 session/set_mode {"sessionId":"s","modeId":"work"} | result 2 {}"#;
    let resume = r#"ask 3 session/resume {"sessionId":"s","cwd":"/a"} | result 3"#;
    holds(
        "v1",
        "ACP-MODES-007",
        &start,
        &format!(
            r"
        upheld  both :: + {set} | {resume} {}
        broken  the modes only :: + {set} | {resume} {}
        silent  nothing was changed :: + {resume} {}
        unclear a turn ran :: + {set} | prompt 5 /say x | done 5 | {resume} {}
        silent  no such option :: + {set} | {resume} {{{MODES}}}
        silent  the option has other names :: + {set} | {resume} {}
        ",
            both("work", "work"),
            both("work", "ask"),
            both("work", "ask"),
            both("work", "ask"),
            both("work", "ask").replace(r#""value":"work""#, r#""value":"busy""#),
        ),
    );
}

#[test]
fn version_2_has_no_modes() {
    holds(
        "v2",
        "ACP-MODES-008",
        NEW,
        &format!(
            r#"
        upheld  none :: + result 1 {{"sessionId":"s"}}
        upheld  null :: + result 1 {{"sessionId":"s","modes":null}}
        broken  in a result :: + result 1 {{"sessionId":"s",{MODES}}}
        broken  an update :: + result 1 {{"sessionId":"s"}} | update s {{"sessionUpdate":"current_mode_update","currentModeId":"a"}}
        silent  a mode of its own :: + update s {{"sessionUpdate":"_current_mode_update","currentModeId":"a"}}
        "#
        ),
    );
}
