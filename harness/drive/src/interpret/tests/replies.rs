//! What our peer says when it is asked something.

use super::*;

/// Sends the request that stands in the prompt, and ends the turn with the answer.
const ASKS: React = |puppet, method, message| match method {
    "session/prompt" => {
        puppet.memory.push(message["id"].to_string());
        vec![Out::Line(
            message["params"]["prompt"][0]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )]
    }
    "answer" => {
        let prompt = puppet.memory.pop().unwrap_or_default();
        vec![line(&format!(
            r#"{{"jsonrpc":"2.0","id":{prompt},"result":{{"stopReason":"end_turn"}}}}"#
        ))]
    }
    _ => vec![],
};

#[test]
fn our_peer_answers_as_a_conforming_client_does() {
    for (opening, request, reply) in [
        (
            "open",
            r#"{"jsonrpc":"2.0","id":1e3,"method":"fs/read_text_file","params":{}}"#,
            "> #1e3 -32601",
        ),
        (
            "open",
            r#"{"jsonrpc":"2.0","id":"a","method":"terminal/create","params":{}}"#,
            "> #\"a -32601",
        ),
        (
            "open",
            r#"{"jsonrpc":"2.0","id":null,"method":"_x/y"}"#,
            "> #null -32601",
        ),
        (
            "open absent",
            r#"{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"mode":"form"}}"#,
            "> #5 -32602",
        ),
        (
            "open null",
            r#"{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"mode":"url"}}"#,
            "> #5 -32602",
        ),
        (
            r#"open {"form":{}}"#,
            r#"{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"mode":"url"}}"#,
            "> #5 -32602",
        ),
        (
            "open",
            r#"{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"mode":"voice"}}"#,
            "> #5 -32602",
        ),
        (
            "open",
            r#"{"jsonrpc":"2.0","id":5,"method":"elicitation/create"}"#,
            "> #5 -32602",
        ),
    ] {
        let recording = play(
            Version::AcpV1,
            &format!("{opening}\nprompt {request}\nturn ends"),
            ASKS,
        );
        let told = middle(&recording);
        assert_eq!(
            told.get(2).map(String::as_str),
            Some(reply),
            "{request}: {told:?}"
        );
        assert_eq!(recording.stopped, None, "{request}");
    }
}

#[test]
fn standing_replies_come_before_the_usual_ones() {
    for (standing, request, reply) in [
        (
            r#"elicitation/create answer {"action":"decline"}"#,
            FORM,
            r#"> #7 {"action":"decline"}"#,
        ),
        (
            "elicitation/create fill",
            FORM,
            r#"> #7 {"action":"accept","content":{"a":"x"}}"#,
        ),
        (
            r#"elicitation/create refuse {"code":-5,"message":"m"}"#,
            FORM,
            "> #7 -5",
        ),
        (
            "session/request_permission fill",
            PERMISSION,
            r#"> #8 {"outcome":{"outcome":"selected","optionId":"yes"}}"#,
        ),
        (
            r#"fs/read_text_file answer {"content":$session}"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file"}"#,
            r#"> #9 {"content":"s1"}"#,
        ),
    ] {
        let steps = format!("whenever {standing}\n\nopen\nprompt {request}\nturn ends");
        let told = middle(&play(Version::AcpV1, &steps, ASKS));
        assert_eq!(
            told.get(2).map(String::as_str),
            Some(reply),
            "{standing}: {told:?}"
        );
    }
}

#[test]
fn a_request_that_a_step_wants_is_left_to_it() {
    let steps = format!(
        "open\nprompt {FORM}\nsettle\nexpect elicitation/create as q\nfill q valid\nturn ends"
    );
    assert_eq!(
        middle(&play(Version::AcpV1, &steps, ASKS)),
        [
            "> session/prompt#2",
            "> _elenchus/fence#fence1",
            "< elicitation/create#7",
            "< #fence1 -32601",
            "settled",
            r#"> #7 {"action":"accept","content":{"a":"x","b":true}}"#,
            r#"< #2 {"stopReason":"end_turn"}"#,
        ]
    );
}

#[test]
fn a_question_that_no_step_wants_is_dismissed_while_the_script_waits() {
    let told = middle(&play(
        Version::AcpV1,
        &format!("open\nprompt {FORM}\nturn ends"),
        ASKS,
    ));
    assert_eq!(
        told[1..4],
        [
            "< elicitation/create#7",
            r#"> #7 {"action":"cancel"}"#,
            r#"< #2 {"stopReason":"end_turn"}"#,
        ]
    );
}

#[test]
fn a_permission_that_no_step_wants_is_given_while_the_script_waits() {
    const NO_OPTIONS: &str = r#"{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{"sessionId":"s1"}}"#;
    for (asks, reply) in [
        (
            PERMISSION,
            r#"> #8 {"outcome":{"outcome":"selected","optionId":"yes"}}"#,
        ),
        (NO_OPTIONS, r#"> #8 {"outcome":{"outcome":"cancelled"}}"#),
    ] {
        let steps = format!("open\nprompt {asks}\nturn ends");
        let told = middle(&play(Version::AcpV1, &steps, ASKS));
        assert_eq!(
            told[1..],
            [
                "< session/request_permission#8",
                reply,
                r#"< #2 {"stopReason":"end_turn"}"#,
            ]
        );
    }
}

#[test]
fn a_question_before_there_is_a_session_is_dismissed() {
    const ASKS_FIRST: React = |puppet, method, message| match method {
        "session/new" => {
            let id = message["id"].to_string();
            let form = FORM.replace(r#""sessionId":"s1""#, &format!(r#""requestId":{id}"#));
            puppet.memory.push(id);
            vec![line(&form)]
        }
        "answer" => {
            let opening = puppet.memory.pop();
            opening.map_or_else(Vec::new, |id| {
                vec![line(&format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"sessionId":"s1"}}}}"#
                ))]
            })
        }
        "session/prompt" => vec![line(FORM)],
        _ => vec![],
    };
    for steps in [
        "open\nsettle",
        // The script wants a question, but not that one.
        "open\nprompt x\nexpect elicitation/create as q\nanswer q {}",
    ] {
        let recording = play(Version::AcpV1, steps, ASKS_FIRST);
        assert_eq!(recording.stopped, None, "{steps}");
        let told = story(&recording.trace.events);
        let count = |what: &str| told.iter().filter(|told| *told == what).count();
        assert_eq!(count(r#"> #7 {"action":"cancel"}"#), 1, "{told:?}");
        assert_eq!(
            count("> #7 {}"),
            steps.matches("answer").count(),
            "{told:?}"
        );
    }
}

#[test]
fn answers_are_exact_and_go_out_as_often_as_written() {
    let steps = format!(
        "open\nprompt {FORM}\nexpect elicitation/create as q\nanswer q {{\"action\":\"accept\", \"n\":1e3}}\nrefuse q {{\"code\":1,\"message\":\"\"}}\nrespond \"${{q.id}}\" 5\nturn ends"
    );
    let told = middle(&play(Version::AcpV1, &steps, ASKS));
    assert_eq!(
        told[2..5],
        [r#"> #7 {"action":"accept", "n":1e3}"#, "> #7 1", "> #\"7 5"]
    );
}

/// Asks in the turn, and cancels its question when a `poke` comes.
const CANCELS: React = |_, method, _| match method {
    "session/prompt" => vec![line(FORM)],
    "poke" => vec![line(
        r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}"#,
    )],
    _ => vec![],
};

#[test]
fn a_cancelled_question_is_refused_once_unless_a_step_will_answer_it() {
    let told = middle(&play(
        Version::AcpV1,
        "open\nprompt x\nnotify poke\nnotify poke\nsettle",
        CANCELS,
    ));
    assert_eq!(
        told.iter().filter(|told| *told == "> #7 -32800").count(),
        1,
        "{told:?}"
    );
    let steps = "open\nprompt x\nexpect elicitation/create as q\nnotify poke\nsettle\nanswer q {}";
    let told = middle(&play(Version::AcpV1, steps, CANCELS));
    assert!(!told.contains(&"> #7 -32800".to_owned()), "{told:?}");
    let steps = "open\nprompt x\nexpect elicitation/create as q\nnotify poke\nsettle";
    let told = middle(&play(Version::AcpV1, steps, CANCELS));
    assert!(told.contains(&"> #7 -32800".to_owned()), "{told:?}");
    let steps = "whenever elicitation/create ignore\n\nopen\nprompt x\nnotify poke\nsettle";
    let told = middle(&play(Version::AcpV1, steps, CANCELS));
    assert!(!told.contains(&"> #7 -32800".to_owned()), "{told:?}");
}

#[test]
fn a_permission_is_cancelled_with_its_turn() {
    const PERMITS: React = |_, method, _| match method {
        "session/prompt" => vec![line(PERMISSION)],
        // A second one after the cancellation gets the same answer.
        "session/cancel" => vec![line(&PERMISSION.replace("\"id\":8", "\"id\":9"))],
        _ => vec![],
    };
    let told = middle(&play(
        Version::AcpV1,
        "open\nprompt x\nsettle\nnotify session/cancel {\"sessionId\":$session}\nsettle",
        PERMITS,
    ));
    let cancelled = r#"{"outcome":{"outcome":"cancelled"}}"#;
    for id in [8, 9] {
        assert!(told.contains(&format!("> #{id} {cancelled}")), "{told:?}");
    }
    let before = told.iter().position(|told| told == "> session/cancel");
    assert!(
        before < told.iter().position(|told| told.starts_with("> #8")),
        "{told:?}"
    );
}
