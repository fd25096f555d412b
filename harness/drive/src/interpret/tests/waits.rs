//! What is waited for, for how long, and how a script and its target end.

use super::*;

#[test]
fn an_opening_and_an_ending_are_told_in_full() {
    for version in Version::ALL {
        let recording = play(version, "open", NOTHING);
        let new = r#"< #1 {"sessionId":"s1"}"#;
        let told = story(&recording.trace.events);
        assert!(told[2].starts_with("< #0 "), "{told:?}");
        assert_eq!(told[..2], ["open", "> initialize#0"]);
        assert_eq!(
            told[3..],
            [
                "> session/new#1",
                new,
                "> _elenchus/fence#fence1",
                "< #fence1 -32601",
                "settled",
                "eof client",
                "eof server",
                "exit 0 Close",
                "end",
            ]
        );
        assert_eq!(recording.stopped, None);
        assert!(
            recording
                .trace
                .events
                .iter()
                .enumerate()
                .all(|(place, event)| event.seq == place as u64)
        );
    }
}

#[test]
fn what_a_step_waits_for_and_does_not_get_stops_the_script() {
    const MUTE: React =
        |_, method, message| match (method, message["params"]["prompt"][0]["text"].as_str()) {
            ("session/prompt", Some("ask")) => vec![line(FORM)],
            ("session/prompt", Some("exit")) => vec![Out::Exit(3)],
            // Nothing comes of it in any time that we wait.
            ("session/prompt", Some("mute")) | ("mute", _) => vec![Out::Timer {
                after: std::time::Duration::MAX / 4,
                token: 0,
            }],
            _ => vec![],
        };
    for (steps, told) in [
        (
            "request mute as r\nawait r",
            vec![
                "no answer #2",
                "stopped: the answer to mute did not come in 10 s",
            ],
        ),
        (
            "prompt mute\nturn ends",
            vec![
                "no answer #2",
                "no end #2",
                "stopped: the turn did not end in 10 s",
            ],
        ),
        (
            "prompt mute\nexpect elicitation/create",
            vec![
                "no elicitation/create",
                "stopped: no elicitation/create came in 5 s",
            ],
        ),
        (
            "prompt x\nexpect elicitation/create",
            vec![
                r#"< #2 {"stopReason":"end_turn"}"#,
                "stopped: the target was done and had sent no elicitation/create",
            ],
        ),
        (
            "prompt exit\nexpect elicitation/create",
            vec![
                "eof server",
                "exit 3 Nothing",
                "stopped: the target exited with code 3 before elicitation/create came",
            ],
        ),
        (
            "prompt exit\nturn ends",
            vec![
                "eof server",
                "exit 3 Nothing",
                "stopped: the target exited with code 3 before the turn ended",
            ],
        ),
        (
            "prompt exit\nsettle",
            vec![
                "> _elenchus/fence#fence1",
                "eof server",
                "exit 3 Nothing",
                "unsettled",
            ],
        ),
        (
            "prompt ask\nexpect elicitation/create as question\nturn ends",
            vec![
                "stopped: the target waits for an answer to elicitation/create, and this script gives none",
            ],
        ),
    ] {
        let recording = play(Version::AcpV1, &format!("open\n{steps}"), MUTE);
        let all = middle(&recording);
        let found = all.windows(told.len()).any(|window| window == told);
        assert!(found, "{steps}: {all:?}");
        let exit_was_recorded_once =
            all.iter().filter(|told| told.starts_with("exit")).count() <= 1;
        assert!(exit_was_recorded_once, "{all:?}");
    }
}

#[test]
fn a_script_may_go_on_behind_what_cannot_be_done_and_tells_what_that_was() {
    const DEAF: React = |_, method, message| match method {
        "session/prompt" if message.to_string().contains("deaf") => vec![Out::Timer {
            after: std::time::Duration::MAX / 4,
            token: 0,
        }],
        _ => vec![],
    };
    let script = script(
        "open\nprompt hello\nexpect elicitation/create as q\nanswer q {}\nturn ends\nprompt more\nprompt deaf\nturn ends\nprompt no",
    );
    let instances = instances(&script, Version::AcpV1, 1, true);
    for (most, passed_over, stopped) in [
        (0, &[][..], Some(7)),
        (1, &[7][..], Some(8)),
        // What is owed is not waited for again and again.
        (9, &[7, 8], Some(12)),
    ] {
        let played = play_on(&instances[0], DEAF, &|_, before| before < most);
        assert_eq!(played.passed_over, passed_over);
        let line = played.recording.stopped.map(|stopped| match stopped {
            Stopped::Step { line, .. } => line,
            Stopped::NotStarted(reason) => panic!("{reason}"),
        });
        assert_eq!(line, stopped);
    }
}

#[test]
fn a_target_that_could_not_open_a_session_is_not_talked_to_as_if_it_had() {
    const REFUSES: React = |_, method, message| match method {
        "session/new" => vec![line(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32000,"message":"login"}}}}"#,
            message["id"]
        ))],
        _ => vec![],
    };
    const OTHER: React = |_, method, message| match method {
        "initialize" => vec![result(message, r#"{"protocolVersion":9}"#)],
        _ => vec![],
    };
    let recording = play(Version::AcpV1, "open\nprompt hello", REFUSES);
    let told = story(&recording.trace.events);
    assert!(
        told.iter()
            .any(|told| told.starts_with("stopped: session/new was answered with the error")),
        "{told:?}"
    );
    assert!(
        !told.iter().any(|told| told.contains("session/prompt")),
        "{told:?}"
    );

    let recording = play(Version::AcpV2, "open", OTHER);
    let told = story(&recording.trace.events);
    let reason = "stopped: the target was asked for protocol version 2 and answered 9";
    assert!(told.contains(&reason.to_owned()), "{told:?}");
}

#[test]
fn one_deadline_covers_all_that_is_still_owed() {
    const SILENT: React =
        |_, method, message| match (method, message["params"]["prompt"][0]["text"].as_str()) {
            ("session/prompt", Some("ask")) => vec![line(FORM)],
            ("session/prompt" | "mute", _) => vec![Out::Timer {
                after: std::time::Duration::MAX / 4,
                token: 0,
            }],
            _ => vec![],
        };
    for (steps, owed) in [
        (
            "request mute\nrequest mute",
            vec!["no answer #2", "no answer #3"],
        ),
        ("prompt mute", vec!["no answer #2", "no end #2"]),
        // Nobody owes anything while we owe an answer, or while we hold the turn ourselves.
        ("prompt ask", vec![]),
        ("prompt /hold", vec![]),
        (
            "prompt /hold\nnotify session/cancel {\"sessionId\":$session}",
            vec!["no answer #2", "no end #2"],
        ),
    ] {
        let recording = play(Version::AcpV1, &format!("open\n{steps}"), SILENT);
        let told = story(&recording.trace.events);
        let missing: Vec<_> = told.iter().filter(|told| told.starts_with("no ")).collect();
        assert_eq!(missing, owed, "{steps}: {told:?}");
        let at = recording.trace.events.last().map(|event| event.at_us);
        assert!(at < Some(12_000_000), "{steps}: {at:?}");
    }
}

#[test]
fn a_target_that_never_falls_quiet_is_unsettled_and_one_that_floods_is_cut_off() {
    const CHATTY: React = |_, method, message| match method {
        "session/prompt" => vec![Out::Timer {
            after: std::time::Duration::from_millis(1),
            token: 1,
        }],
        "timer" => vec![
            line(r#"{"jsonrpc":"2.0","method":"_chat"}"#),
            Out::Timer {
                after: std::time::Duration::from_millis(1),
                token: 1,
            },
        ],
        "flood" => {
            assert!(message.get("id").is_none());
            vec![Out::Bytes(b"\n".repeat(10_000_000))]
        }
        _ => vec![],
    };
    let told = story(
        &play(Version::AcpV1, "open\nprompt x\nsettle\nsettle", CHATTY)
            .trace
            .events,
    );
    assert_eq!(
        told.iter().filter(|told| *told == "unsettled").count(),
        3,
        "{told:?}"
    );

    let recording = play(
        Version::AcpV1,
        "open\nnotify flood\nsettle\nprompt x",
        CHATTY,
    );
    let told = story(&recording.trace.events);
    assert_eq!(told.iter().filter(|told| *told == "limit").count(), 1);
    assert!(recording.trace.events.len() < 1000);
    assert!(
        told.contains(&"stopped: the target sent more than a trace may hold".to_owned()),
        "{told:?}"
    );
    assert!(
        told.ends_with(&["eof server", "exit 0 Close", "end"].map(str::to_owned)),
        "{told:?}"
    );
}

#[test]
fn a_target_that_ignores_the_end_of_its_input_is_terminated() {
    const STAYS: React = |_, method, _| match method {
        "eof" => vec![Out::Timer {
            after: std::time::Duration::from_secs(3600),
            token: 0,
        }],
        _ => vec![],
    };
    let told = story(&play(Version::AcpV1, "open\nclose", STAYS).trace.events);
    assert!(
        told.ends_with(
            &[
                "eof client",
                "no exit",
                "eof server",
                "exit -15 Terminate",
                "end"
            ]
            .map(str::to_owned)
        ),
        "{told:?}"
    );
}
