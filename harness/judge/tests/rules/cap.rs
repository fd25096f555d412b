//! ELICIT-CAP.

use crate::{
    common::Verdict::{Broken, Silent, Unclear, Upheld},
    talk::{holds, holds_in},
};

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
            &[
                (
                    Upheld,
                    "unavailable",
                    "+ prompt 2 /elicit form | says unavailable | done 2 | settled",
                ),
                (
                    Upheld,
                    "a failed turn is no question",
                    "+ prompt 2 /elicit form | fails 2 -32000 | settled",
                ),
                (
                    Upheld,
                    "the client closed, and the agent ended",
                    "+ prompt 2 /elicit form | done 2 | eof C | exit 0 close",
                ),
                (Broken, "a form", "+ prompt 2 /elicit form | form 5"),
                (
                    Broken,
                    "a URL, the other mode",
                    "+ prompt 2 /elicit form | url 5",
                ),
                (
                    Broken,
                    "a form in the next turn",
                    "+ prompt 2 /elicit form | done 2 | prompt 3 hello | form 5",
                ),
                (
                    Unclear,
                    "the turn goes on",
                    "+ prompt 2 /elicit form | settled",
                ),
                (Unclear, "the trace was cut", "+ prompt 2 /elicit form"),
                (
                    Unclear,
                    "the process had to be killed",
                    "+ prompt 2 /elicit form | done 2 | eof C | exit 1 kill",
                ),
                (
                    Silent,
                    "a prompt that does not elicit",
                    "+ prompt 2 /say hello | says hello | done 2 | settled",
                ),
                (
                    Silent,
                    "another shape",
                    "elicits /elicit form in form | opened | prompt 2 /elicit form | form 5 | settled",
                ),
            ],
        );
        holds(
            id,
            &format!("opened {capability}"),
            &[(
                Silent,
                "the control run did not elicit",
                "+ prompt 2 /elicit form | done 2 | settled",
            )],
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
            &[
                (
                    Upheld,
                    "unavailable",
                    "+ says unavailable | done 2 | settled",
                ),
                (Unclear, "the turn goes on", "+ settled"),
                (
                    Broken,
                    "both modes, one after the other",
                    "+ form 5 | decline 5 | url 6",
                ),
            ],
        );
        holds(
            id,
            &format!("{premises} | opened | prompt 2 {trigger}"),
            &[(
                Silent,
                "both are advertised",
                "+ form 5 | cancel 5 | url 6 | cancel 6 | done 2 | settled",
            )],
        );
        holds(
            id,
            &format!(r#"{premises} | opened {{"form":"yes","url":5}} | prompt 2 {trigger}"#),
            &[(
                Silent,
                "a malformed capability has a clause of its own",
                "+ form 5 | cancel 5 | done 2 | settled",
            )],
        );
    }
    holds(
        "ACP-ELICIT-CAP-008",
        r#"elicits /elicit form in form | opened {"url":{}} | prompt 2 /elicit form"#,
        &[
            (
                Upheld,
                "a URL in place of the form",
                "+ url 5 | cancel 5 | done 2 | settled",
            ),
            (Broken, "the form all the same", "+ form 5"),
        ],
    );
    holds(
        "ACP-ELICIT-CAP-009",
        r#"elicits /elicit url in url | opened {"form":{}} | prompt 2 /elicit url"#,
        &[
            (
                Upheld,
                "a form in place of the URL",
                "+ form 5 | cancel 5 | done 2 | settled",
            ),
            (Broken, "the URL all the same", "+ url 5"),
        ],
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
        &[
            (
                Upheld,
                "both ask",
                "+ prompt 2 /elicit form | form 5 | cancel 5 | done 2",
            ),
            (
                Broken,
                "only the empty one asks",
                "+ prompt 2 /elicit form | says unavailable | done 2",
            ),
            (Unclear, "a turn did not end", "+ prompt 2 /elicit form"),
            (
                Unclear,
                "we cancelled the turn",
                "+ prompt 2 /elicit form | cancelled | stops 2 cancelled",
            ),
            (
                Unclear,
                "another prompt than the one that asks",
                "+ prompt 2 /say hello | says hello | done 2",
            ),
            (
                Unclear,
                "equal connections differ",
                r#"+ prompt 2 /elicit form | form 5 | on 2 | opened {"form":{"_meta":{}}} | prompt 2 /elicit form | done 2"#,
            ),
        ],
    );
    holds(
        id,
        &format!("{premise} | prompt 2 /elicit form | says unavailable | done 2 | {full}"),
        &[
            (
                Broken,
                "only the other asks",
                "+ prompt 2 /elicit form | form 5 | cancel 5 | done 2",
            ),
            (
                Unclear,
                "neither asks",
                "+ prompt 2 /elicit form | says unavailable | done 2",
            ),
        ],
    );
    holds(
        id,
        &format!("{premise} | prompt 2 /elicit form | form 5"),
        &[
            (
                Broken,
                "initialize is refused on one",
                r#"+ on 1 | open | initializing {"form":{"_meta":{}}} | fails 0 -32602"#,
            ),
            (Silent, "one of the two only", "+ cancel 5 | done 2"),
        ],
    );
}

#[test]
fn only_advertised_modes_are_requested() {
    const OTHER: &str =
        r#"open | ask 0 initialize {"protocolVersion":1,"clientInfo":{"name":"editor"}}"#;
    holds(
        "ACP-ELICIT-CAP-011",
        "opened",
        &[
            (Upheld, "form", "+ form 5"),
            (Upheld, "url", "+ url 5"),
            (Upheld, "form alone", r#"opened {"form":{}} | form 5"#),
            (
                Upheld,
                "during initialize, with what it says",
                r#"open | initializing | create 5 {"requestId":0,"mode":"form","message":"?"}"#,
            ),
            (Broken, "form without it", r#"opened {"url":{}} | form 5"#),
            (Broken, "url without it", r#"opened {"form":{}} | url 5"#),
            (Broken, "nothing advertised", "opened absent | form 5"),
            (
                Broken,
                "a malformed capability",
                r#"opened {"form":true} | form 5"#,
            ),
            (
                Broken,
                "an extension that nobody announced",
                r#"+ create 5 {"sessionId":"s","mode":"_confirm","message":"?"}"#,
            ),
            (
                Broken,
                "a reserved mode",
                r#"+ create 5 {"sessionId":"s","mode":"select","message":"?"}"#,
            ),
            (
                Silent,
                "no mode at all",
                r#"+ create 5 {"sessionId":"s","message":"?"}"#,
            ),
            (Silent, "a recording that begins in the middle", "form 5"),
            (
                Silent,
                "the client's own request",
                r#"+ ask 5 elicitation/create {"mode":"form"}"#,
            ),
        ],
    );
    holds(
        "ACP-ELICIT-CAP-011",
        OTHER,
        &[
            (
                Unclear,
                "perhaps agreed with another client",
                r#"+ create 5 {"sessionId":"s","mode":"_confirm","message":"?"}"#,
            ),
            (
                Broken,
                "a form that another client has not advertised",
                "+ form 5",
            ),
        ],
    );
}

#[test]
fn an_agent_falls_back_where_its_mode_is_unavailable() {
    let id = "ACP-ELICIT-CAP-012";
    holds(
        id,
        "elicits /elicit form in form | opened {} | prompt 2 /elicit form",
        &[
            (Upheld, "says so", "+ says unavailable | done 2"),
            (
                Upheld,
                "in words of its own",
                "+ says I would have asked, so I take Ada. | done 2",
            ),
            (Upheld, "fails the turn", "+ fails 2 -32000"),
            (Upheld, "refuses the turn", "+ stops 2 refusal"),
            (Broken, "hangs", "+ turn-deadline 2"),
            (Broken, "crashes", "+ exit 101 nothing"),
            (Unclear, "ends without a word", "+ done 2"),
            (
                Unclear,
                "waits for a permission",
                r#"+ S {"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s"}} | turn-deadline 2"#,
            ),
            (
                Unclear,
                "the script had given up",
                "+ stopped | turn-deadline 2",
            ),
            (
                Unclear,
                "we cancelled it",
                "+ cancelled | stops 2 cancelled",
            ),
            (
                Unclear,
                "something else may have ended the process",
                "+ cancelled | exit 1 nothing",
            ),
            (
                Unclear,
                "two turns in one session",
                "+ prompt 3 hello | says hello | done 3 | says unavailable | done 2",
            ),
            (Unclear, "ended by us", "+ eof C | exit 0 close"),
        ],
    );
    holds(
        id,
        "elicits /elicit form in form | elicits /elicit form in url",
        &[
            (
                Upheld,
                "a trigger of both modes, and none is there",
                "+ opened null | prompt 2 /elicit form | says unavailable | done 2",
            ),
            (
                Silent,
                "one of the two is there",
                r#"+ opened {"url":{}} | prompt 2 /elicit form | turn-deadline 2"#,
            ),
            (
                Silent,
                "a malformed capability has a clause of its own",
                "+ opened false | prompt 2 /elicit form | turn-deadline 2",
            ),
            (
                Broken,
                "an internal error",
                "+ opened {} | prompting 2 /elicit form | fails 2 -32603",
            ),
            (
                Upheld,
                "an error of another kind",
                "+ opened {} | prompting 2 /elicit form | fails 2 -32600",
            ),
            (
                Silent,
                "all is there",
                "+ opened | prompt 2 /elicit form | form 5 | turn-deadline 2",
            ),
        ],
    );
}

#[test]
fn what_needs_no_elicitation_works_without_it() {
    let id = "ACP-ELICIT-CAP-013";
    holds(
        id,
        "speaks 1 | speaks 2 | open | initializing null",
        &[
            (
                Broken,
                "initialize is refused",
                "+ fails 0 -32600 This agent needs elicitation",
            ),
            (
                Unclear,
                "initialize is refused for another reason",
                "+ fails 0 -32000 no API key",
            ),
        ],
    );
    holds(
        id,
        "speaks 1 | speaks 2 | opened null",
        &[
            (Upheld, "a session and no prompt", "+ settled"),
            (
                Upheld,
                "the prompt too",
                "+ prompt 2 /say hello | says hello | done 2",
            ),
            (
                Broken,
                "the prompt is refused",
                "+ prompting 2 /say hello | fails 2 -32600 Elicitation required",
            ),
            (
                Broken,
                "a session is refused",
                "+ ask 3 session/new {} | fails 3 -32600 client lacks elicitation",
            ),
            (
                Silent,
                "a version that it does not speak",
                "opened null | prompt 2 /say hello | done 2",
            ),
            (
                Silent,
                "elicitation is advertised",
                "speaks 1 | speaks 2 | opened | prompt 2 /say hello | done 2",
            ),
            (
                Silent,
                "one mode is advertised",
                r#"speaks 1 | speaks 2 | opened {"url":{}} | fails 1 -32000 elicit"#,
            ),
        ],
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
            &[
                (
                    Upheld,
                    "nothing is elicited",
                    "+ says unavailable | done 2 | settled",
                ),
                (Broken, "a form", "+ form 5"),
                (Broken, "the process ends", "+ exit 1 nothing"),
            ],
        );
        holds(
            id,
            &format!("open | initializing {capability}"),
            &[
                (Broken, "the process ends at initialize", "+ exit 1 nothing"),
                (Unclear, "initialize is refused", "+ fails 0 -32602"),
                (Unclear, "initialize is not answered", "+ settled"),
            ],
        );
        holds(
            id,
            &format!("opened {capability}"),
            &[(
                Silent,
                "a prompt of which nothing is known",
                "+ prompt 2 /elicit form | form 5",
            )],
        );
    }
    holds(
        id,
        "",
        &[
            (
                Upheld,
                "the readable one of two",
                r#"elicits /elicit url in url | opened {"form":"yes","url":{}} | prompt 2 /elicit url | url 5 | cancel 5 | done 2 | settled"#,
            ),
            (
                Silent,
                "a sound capability",
                "elicits /elicit form in form | opened | prompt 2 /elicit form | form 5 | done 2 | settled",
            ),
        ],
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
        &[
            (Upheld, "a form", "+ form 5 | cancel 5 | done 2"),
            (
                Broken,
                "the member as a mode",
                r#"+ create 5 {"sessionId":"s","mode":"voice","message":"?"}"#,
            ),
            (
                Broken,
                "form is taken for unsupported",
                "+ says unavailable | done 2",
            ),
            (Unclear, "the turn failed", "+ fails 2 -32000"),
            (
                Unclear,
                "the turn was cancelled",
                "+ cancelled | stops 2 cancelled",
            ),
            (Unclear, "it hangs", "+ turn-deadline 2"),
        ],
    );
    holds(
        id,
        "elicits /elicit form in form",
        &[
            (
                Silent,
                "initialize is refused",
                r#"+ open | initializing {"voice":{},"form":{}} | fails 0 -32602"#,
            ),
            (
                Silent,
                "_meta is a member of every object",
                r#"+ opened {"_meta":{},"form":{}} | prompt 2 /elicit form | done 2"#,
            ),
            (
                Silent,
                "form is not advertised",
                r#"+ opened {"voice":{}} | prompt 2 /elicit form | done 2"#,
            ),
        ],
    );
}

#[test]
fn the_v1_capability_means_nothing_on_a_v2_connection() {
    const ASKED: &str = r#"elicits /elicit form in form | open | ask 0 initialize {"protocolVersion":2,"info":{"name":"elenchus","version":"0"},"clientCapabilities":{"elicitation":{"form":{}}}}"#;
    let rows = [
        (
            Upheld,
            "unavailable",
            "+ result 0 {\"protocolVersion\":2} | session | prompt 2 /elicit form | says unavailable | done 2 | settled",
        ),
        (
            Broken,
            "a form",
            "+ result 0 {\"protocolVersion\":2} | session | prompt 2 /elicit form | form 5",
        ),
        (
            Silent,
            "the agent answered 1, where it is the right place",
            "+ result 0 {\"protocolVersion\":1} | session | prompt 2 /elicit form | form 5",
        ),
        (
            Silent,
            "the right place",
            "elicits /elicit form in form | opened | prompt 2 /elicit form | form 5",
        ),
    ];
    holds("ACP-ELICIT-CAP-019", ASKED, &rows);
    // It is counted there, and not as an omitted capability too.
    holds_in(
        "v2",
        "ACP-ELICIT-CAP-004",
        ASKED,
        &rows.map(|(_, about, talk)| (Silent, about, talk)),
    );
}

#[test]
fn nothing_is_elicited_before_initialize() {
    holds(
        "ACP-ELICIT-CAP-020",
        "open",
        &[
            (Upheld, "silence", "+ settled | init"),
            (
                Upheld,
                "an error is an answer too",
                r#"+ initializing | fails 0 -32022"#,
            ),
            (Upheld, "a question afterwards", "+ init | session | form 5"),
            (Broken, "at the start", "+ form 5 | init"),
            (Broken, "after a while", "+ settled | form 5 | init"),
            (
                Unclear,
                "it crossed with initialize",
                "+ initializing | form 5",
            ),
            (
                Unclear,
                "during initialize, scoped to it",
                r#"+ initializing | create 5 {"requestId":0,"mode":"form","message":"?"} | accept 5 {}"#,
            ),
            (Unclear, "initialize never came", "+ settled"),
            (Silent, "the process ended", "+ exit 1 nothing"),
            (Silent, "a recording that begins in the middle", "form 5"),
        ],
    );
}
