//! ELICIT-CAP.

use crate::table::{holds, holds_in};

#[test]
fn a_capability_without_a_mode_advertises_nothing() {
    for (id, capability) in [
        ("ACP-ELICIT-CAP-004", "absent"),
        ("ACP-ELICIT-CAP-005", "null"),
        ("ACP-ELICIT-CAP-006", "{}"),
        ("ACP-ELICIT-CAP-007", r#"{"form":null,"url":null}"#),
    ] {
        holds(
            id,
            &format!("elicits /elicit form in form | opened {capability}"),
            r"
            upheld  unavailable :: + prompt 2 /elicit form | says unavailable | done 2 | settled
            upheld  a failed turn is no question :: + prompt 2 /elicit form | fails 2 -32000 | settled
            upheld  the client closed, and the agent ended :: + prompt 2 /elicit form | done 2 | eof C | exit 0 close
            broken  a form :: + prompt 2 /elicit form | form 5
            broken  a URL, the other mode :: + prompt 2 /elicit form | url 5
            broken  a form in the next turn :: + prompt 2 /elicit form | done 2 | prompt 3 hello | form 5
            unclear the turn goes on :: + prompt 2 /elicit form | settled
            unclear the trace was cut :: + prompt 2 /elicit form
            unclear the process had to be killed :: + prompt 2 /elicit form | done 2 | eof C | exit 1 kill
            upheld  own words, and no question :: + own-words 2 /elicit form | prompt 2 Ask me. | says I cannot. | done 2 | settled
            broken  own words, and a form :: + own-words 2 /elicit form | prompt 2 Ask me. | form 5
            unclear own words, and the turn goes on :: + own-words 2 /elicit form | prompt 2 Ask me. | settled
            silent  own words of another effect :: + own-words 2 /tool | prompt 2 Look. | form 5
            silent  a prompt that does not elicit :: + prompt 2 /say hello | says hello | done 2 | settled
            silent  another shape :: elicits /elicit form in form | opened | prompt 2 /elicit form | form 5 | settled
            ",
        );
        holds(
            id,
            &format!("opened {capability}"),
            "silent  the control run did not elicit :: + prompt 2 /elicit form | done 2 | settled",
        );
    }
}

#[test]
fn a_mode_is_not_used_where_only_the_other_is_advertised() {
    for (id, trigger, capability) in [
        ("ACP-ELICIT-CAP-008", "/elicit form", r#"{"url":{}}"#),
        (
            "ACP-ELICIT-CAP-008",
            "/elicit form",
            r#"{"form":null,"url":{}}"#,
        ),
        ("ACP-ELICIT-CAP-009", "/elicit url", r#"{"form":{}}"#),
        (
            "ACP-ELICIT-CAP-009",
            "/elicit url",
            r#"{"form":{},"url":null}"#,
        ),
    ] {
        let premises = "elicits /elicit form in form | elicits /elicit url in url";
        holds(
            id,
            &format!("{premises} | opened {capability} | prompt 2 {trigger}"),
            r"
            upheld  unavailable :: + says unavailable | done 2 | settled
            unclear the turn goes on :: + settled
            broken  both modes, one after the other :: + form 5 | decline 5 | url 6
            ",
        );
        holds(
            id,
            &format!("{premises} | opened | prompt 2 {trigger}"),
            "silent  both are advertised :: + form 5 | cancel 5 | url 6 | cancel 6 | done 2 | settled",
        );
        holds(
            id,
            &format!(r#"{premises} | opened {{"form":"yes","url":5}} | prompt 2 {trigger}"#),
            "silent  a malformed capability has a clause of its own :: + form 5 | cancel 5 | done 2 | settled",
        );
    }
    holds(
        "ACP-ELICIT-CAP-008",
        r#"elicits /elicit form in form | opened {"url":{}} | prompt 2 /elicit form"#,
        r"
            upheld  a URL in place of the form :: + url 5 | cancel 5 | done 2 | settled
            broken  the form all the same :: + form 5
            ",
    );
    holds(
        "ACP-ELICIT-CAP-009",
        r#"elicits /elicit url in url | opened {"form":{}} | prompt 2 /elicit url"#,
        r"
            upheld  a form in place of the URL :: + form 5 | cancel 5 | done 2 | settled
            broken  the URL all the same :: + url 5
            ",
    );
}

#[test]
fn an_empty_mode_object_counts_like_one_that_holds_something() {
    let id = "ACP-ELICIT-CAP-010";
    let full = r#"on 1 | opened {"form":{"_meta":{}}}"#;
    let premise = r#"elicits /elicit form in form | opened {"form":{}}"#;
    holds(
        id,
        &format!("{premise} | prompt 2 /elicit form | form 5 | cancel 5 | done 2 | {full}"),
        r#"
            upheld  both ask :: + prompt 2 /elicit form | form 5 | cancel 5 | done 2
            broken  only the empty one asks :: + prompt 2 /elicit form | says unavailable | done 2
            unclear a turn did not end :: + prompt 2 /elicit form
            unclear own words may have another effect each time :: + own-words 2 /elicit form | prompt 2 Ask me. | done 2
            unclear we cancelled the turn :: + prompt 2 /elicit form | cancelled | stops 2 cancelled
            unclear another prompt than the one that asks :: + prompt 2 /say hello | says hello | done 2
            unclear equal connections differ :: + prompt 2 /elicit form | form 5 | on 2 | opened {"form":{"_meta":{}}} | prompt 2 /elicit form | done 2
            "#,
    );
    holds(
        id,
        &format!("{premise} | prompt 2 /elicit form | says unavailable | done 2 | {full}"),
        r"
            broken  only the other asks :: + prompt 2 /elicit form | form 5 | cancel 5 | done 2
            unclear neither asks :: + prompt 2 /elicit form | says unavailable | done 2
            ",
    );
    holds(
        id,
        &format!("{premise} | prompt 2 /elicit form | form 5"),
        r#"
            broken  initialize is refused on one :: + on 1 | open | initializing {"form":{"_meta":{}}} | fails 0 -32602
            silent  one of the two only :: + cancel 5 | done 2
            "#,
    );
}

#[test]
fn only_advertised_modes_are_requested() {
    const OTHER: &str =
        r#"open | ask 0 initialize {"protocolVersion":1,"clientInfo":{"name":"editor"}}"#;
    holds(
        "ACP-ELICIT-CAP-011",
        "opened",
        r#"
            upheld  form :: + form 5
            upheld  url :: + url 5
            upheld  form alone :: opened {"form":{}} | form 5
            upheld  during initialize, with what it says :: open | initializing | create 5 {"requestId":0,"mode":"form","message":"?"}
            broken  form without it :: opened {"url":{}} | form 5
            broken  url without it :: opened {"form":{}} | url 5
            broken  nothing advertised :: opened absent | form 5
            unclear a malformed capability has a clause of its own :: opened {"form":true} | form 5
            broken  an extension that nobody announced :: + create 5 {"sessionId":"s","mode":"_confirm","message":"?"}
            broken  a reserved mode :: + create 5 {"sessionId":"s","mode":"select","message":"?"}
            silent  no mode at all :: + create 5 {"sessionId":"s","message":"?"}
            silent  a recording that begins in the middle :: form 5
            silent  the client's own request :: + ask 5 elicitation/create {"mode":"form"}
            "#,
    );
    holds(
        "ACP-ELICIT-CAP-011",
        OTHER,
        r#"
            unclear perhaps agreed with another client :: + create 5 {"sessionId":"s","mode":"_confirm","message":"?"}
            broken  a form that another client has not advertised :: + form 5
            "#,
    );
}

#[test]
fn an_agent_falls_back_where_its_mode_is_unavailable() {
    let id = "ACP-ELICIT-CAP-012";
    holds(
        id,
        "elicits /elicit form in form | opened {} | prompt 2 /elicit form",
        r"
            upheld  says so :: + says unavailable | done 2
            upheld  in words of its own :: + says I would have asked, so I take Ada. | done 2
            upheld  fails the turn :: + fails 2 -32000
            upheld  refuses the turn :: + stops 2 refusal
            broken  hangs :: + turn-deadline 2
            broken  crashes :: + exit 101 nothing
            unclear ends without a word :: + done 2
            unclear waits for a permission :: + permission 9 | turn-deadline 2
            unclear the script had given up :: + stopped | turn-deadline 2
            unclear we cancelled it :: + cancelled | stops 2 cancelled
            unclear something else may have ended the process :: + cancelled | exit 1 nothing
            unclear two turns in one session :: + prompt 3 hello | says hello | done 3 | says unavailable | done 2
            unclear ended by us :: + eof C | exit 0 close
            ",
    );
    holds(
        id,
        "elicits /elicit form in form | elicits /elicit form in url",
        r#"
            upheld  a trigger of both modes, and none is there :: + opened null | prompt 2 /elicit form | says unavailable | done 2
            silent  one of the two is there :: + opened {"url":{}} | prompt 2 /elicit form | turn-deadline 2
            silent  a malformed capability has a clause of its own :: + opened false | prompt 2 /elicit form | turn-deadline 2
            broken  an internal error :: + opened {} | prompting 2 /elicit form | fails 2 -32603
            upheld  an error of another kind :: + opened {} | prompting 2 /elicit form | fails 2 -32600
            silent  all is there :: + opened | prompt 2 /elicit form | form 5 | turn-deadline 2
            "#,
    );
}

#[test]
fn what_needs_no_elicitation_works_without_it() {
    let id = "ACP-ELICIT-CAP-013";
    holds(
        id,
        "speaks 1 | speaks 2 | open | initializing null",
        r"
            broken  initialize is refused :: + fails 0 -32600 This agent needs elicitation
            unclear initialize is refused for another reason :: + fails 0 -32000 no API key
            ",
    );
    holds(
        id,
        "speaks 1 | speaks 2 | opened null",
        r#"
            upheld  a session and no prompt :: + settled
            upheld  the prompt too :: + prompt 2 /say hello | says hello | done 2
            broken  the prompt is refused :: + prompting 2 /say hello | fails 2 -32600 Elicitation required
            broken  a session is refused :: + ask 3 session/new {"cwd":"/","mcpServers":[]} | fails 3 -32600 client lacks elicitation
            upheld  a request that is none is refused :: + ask 3 session/new {"_meta":{"elicit":1}} | fails 3 -32602 {"_meta":{"elicit":1}}
            silent  a version that it does not speak :: opened null | prompt 2 /say hello | done 2
            silent  elicitation is advertised :: speaks 1 | speaks 2 | opened | prompt 2 /say hello | done 2
            silent  one mode is advertised :: speaks 1 | speaks 2 | opened {"url":{}} | fails 1 -32000 elicit
            "#,
    );
}

#[test]
fn a_malformed_capability_advertises_nothing_and_ends_nobody() {
    let id = "ACP-ELICIT-CAP-017";
    for capability in [
        "false",
        "true",
        "5",
        "[]",
        r#"{"form":true}"#,
        r#"{"form":1,"url":"yes"}"#,
    ] {
        let premise = "elicits /elicit form in form";
        holds(
            id,
            &format!("{premise} | opened {capability} | prompt 2 /elicit form"),
            r"
            upheld  nothing is elicited :: + says unavailable | done 2 | settled
            broken  a form :: + form 5
            broken  the process ends :: + exit 1 nothing
            ",
        );
        holds(
            id,
            &format!("open | initializing {capability}"),
            r"
            broken  the process ends at initialize :: + exit 1 nothing
            unclear initialize is refused :: + fails 0 -32602
            unclear initialize is not answered :: + settled
            ",
        );
        holds(
            id,
            &format!("opened {capability}"),
            "silent  a prompt of which nothing is known :: + prompt 2 /elicit form | form 5",
        );
    }
    holds(
        id,
        "",
        r#"
            upheld  the readable one of two :: elicits /elicit url in url | opened {"form":"yes","url":{}} | prompt 2 /elicit url | url 5 | cancel 5 | done 2 | settled
            silent  a sound capability :: elicits /elicit form in form | opened | prompt 2 /elicit form | form 5 | done 2 | settled
            "#,
    );
}

#[test]
fn other_members_neither_are_modes_nor_hide_them() {
    let id = "ACP-ELICIT-CAP-018";
    let start =
        r#"elicits /elicit form in form | opened {"voice":{},"form":{}} | prompt 2 /elicit form"#;
    holds(
        id,
        start,
        r#"
            upheld  a form :: + form 5 | cancel 5 | done 2
            broken  the member as a mode :: + create 5 {"sessionId":"s","mode":"voice","message":"?"}
            broken  form is taken for unsupported :: + says unavailable | done 2
            unclear the turn failed :: + fails 2 -32000
            unclear the turn was cancelled :: + cancelled | stops 2 cancelled
            unclear it hangs :: + turn-deadline 2
            "#,
    );
    holds(
        id,
        "elicits /elicit form in form",
        r#"
            silent  initialize is refused :: + open | initializing {"voice":{},"form":{}} | fails 0 -32602
            silent  _meta is a member of every object :: + opened {"_meta":{},"form":{}} | prompt 2 /elicit form | done 2
            silent  form is not advertised :: + opened {"voice":{}} | prompt 2 /elicit form | done 2
            "#,
    );
}

#[test]
fn the_v1_capability_means_nothing_on_a_v2_connection() {
    const ASKED: &str = r#"elicits /elicit form in form | open | ask 0 initialize {"protocolVersion":2,"info":{"name":"elenchus","version":"0"},"clientCapabilities":{"elicitation":{"form":{}}}}"#;
    const TABLE: &str = r#"
            upheld  unavailable :: + result 0 {"protocolVersion":2} | session | prompt 2 /elicit form | says unavailable | done 2 | settled
            broken  a form :: + result 0 {"protocolVersion":2} | session | prompt 2 /elicit form | form 5
            silent  the agent answered 1, where it is the right place :: + result 0 {"protocolVersion":1} | session | prompt 2 /elicit form | form 5
            silent  the right place :: elicits /elicit form in form | opened | prompt 2 /elicit form | form 5
            "#;
    holds("ACP-ELICIT-CAP-019", ASKED, TABLE);
    // It is counted there, and not as an omitted capability too.
    let silent = TABLE
        .replace("upheld", "silent")
        .replace("broken", "silent");
    holds_in("v2", "ACP-ELICIT-CAP-004", ASKED, &silent);
}

#[test]
fn nothing_is_elicited_before_initialize() {
    holds(
        "ACP-ELICIT-CAP-020",
        "open",
        r#"
            upheld  silence :: + settled | init
            upheld  an error is an answer too :: + initializing | fails 0 -32022
            upheld  a question afterwards :: + init | session | form 5
            broken  at the start :: + form 5 | init
            broken  after a while :: + settled | form 5 | init
            unclear it crossed with initialize :: + initializing | form 5
            unclear during initialize, scoped to it :: + initializing | create 5 {"requestId":0,"mode":"form","message":"?"} | accept 5 {}
            unclear initialize never came :: + settled
            silent  the process ended :: + exit 1 nothing
            silent  a recording that begins in the middle :: form 5
            "#,
    );
}
