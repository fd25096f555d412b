//! The interpreter against small peers, in virtual time.

use elenchus_fixtures::peer::{Out, Peer};
use elenchus_protocol::Version;
use elenchus_suites::script::{Script, parse};
use elenchus_wire::{Class, Event, EventKind, Mark, Message, Parsed, Side, Wait};
use serde_json::Value;

use crate::{
    instance::{Instance, Recording, instances},
    memory::MemoryWires,
    perform::{Terms, perform},
    stage::Patience,
    target::Settings,
};

/// What a puppet does about a message: its method (or `answer`), and the whole message.
type React = fn(&mut Puppet, &str, &Value) -> Vec<Out>;

/// A small agent: initializes, opens sessions, refuses fences, ends with its input, and does what a test wants besides.
struct Puppet {
    react: React,
    sessions: u32,
    /// For the test's own use.
    memory: Vec<String>,
}

fn line(text: &str) -> Out {
    Out::Line(text.to_owned())
}

fn result(message: &Value, result: &str) -> Out {
    line(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        message["id"]
    ))
}

impl Peer for Puppet {
    fn start(&mut self) -> Vec<Out> {
        (self.react)(self, "start", &Value::Null)
    }

    fn line(&mut self, text: &[u8]) -> Vec<Out> {
        let Ok(message) = serde_json::from_slice::<Value>(text) else {
            return (self.react)(self, "noise", &Value::Null);
        };
        let method = message["method"].as_str().unwrap_or("answer").to_owned();
        let own = (self.react)(self, &method, &message);
        if !own.is_empty() {
            return own;
        }
        match method.as_str() {
            "initialize" => {
                let version = &message["params"]["protocolVersion"];
                vec![result(
                    &message,
                    &format!(
                        r#"{{"protocolVersion":{version},"info":{{"name":"p","version":"0"}}}}"#
                    ),
                )]
            }
            "session/new" => {
                self.sessions += 1;
                vec![result(
                    &message,
                    &format!(r#"{{"sessionId":"s{}"}}"#, self.sessions),
                )]
            }
            "answer" => vec![],
            _ if message.get("id").is_none() => vec![],
            "session/prompt" => vec![result(&message, r#"{"stopReason":"end_turn"}"#)],
            _ => vec![line(&format!(
                r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32601,"message":"no"}}}}"#,
                message["id"]
            ))],
        }
    }

    fn timer(&mut self, token: u64) -> Vec<Out> {
        (self.react)(self, "timer", &Value::from(token))
    }

    fn fetched(&mut self, path: &str) -> Vec<Out> {
        (self.react)(self, "fetched", &Value::from(path))
    }

    fn eof(&mut self) -> Vec<Out> {
        match (self.react)(self, "eof", &Value::Null) {
            own if own.is_empty() => vec![Out::Exit(0)],
            own => own,
        }
    }
}

fn script(steps: &str) -> Script {
    let text = format!("# A test.\ntarget agent\nversions 1 2\n\n{steps}\n");
    parse("test", &text).unwrap_or_else(|error| panic!("{error}"))
}

fn settings() -> Settings {
    Settings {
        max_trace: 200_000,
        ..Settings::default()
    }
}

fn play_instance(instance: &Instance<'_>, react: React) -> Recording {
    let settings = settings();
    let wires = MemoryWires::new(Box::new(|_| {
        Ok(Box::new(Puppet {
            react,
            sessions: 0,
            memory: Vec::new(),
        }))
    }));
    let terms = Terms {
        settings: &settings,
        premises: &[],
        patience: Patience::default(),
        sink: None,
    };
    perform(instance, Box::new(wires), terms).recording
}

fn play(version: Version, steps: &str, react: React) -> Recording {
    let script = script(steps);
    let instances = instances(&script, version, 1);
    play_instance(&instances[0], react)
}

/// The trace in short words. Steps are left out, and connections beyond the first show their number.
fn story(events: &[Event]) -> Vec<String> {
    let told = events.iter().filter_map(|event| {
        let text = match &event.kind {
            EventKind::Open { .. } => "open".to_owned(),
            EventKind::Frame { from, frame } => {
                let arrow = if *from == Side::Client { ">" } else { "<" };
                format!(
                    "{arrow} {}",
                    frame.text().map_or_else(|| "bytes".to_owned(), brief)
                )
            }
            EventKind::Stderr { text } => format!("stderr {text}"),
            EventKind::Eof { from } => format!("eof {}", from.name()),
            EventKind::Exit {
                code,
                signal,
                asked,
            } => {
                format!(
                    "exit {} {asked:?}",
                    code.or(signal.map(|signal| -signal)).unwrap_or(i32::MAX)
                )
            }
            EventKind::Mark(Mark::Step { .. } | Mark::Fence { .. }) => return None,
            EventKind::Mark(Mark::Trigger { name, request }) => {
                format!("trigger {name} #{request}")
            }
            EventKind::Mark(Mark::Race { order, gap_us }) => format!("race {order:?} {gap_us:?}"),
            EventKind::Mark(Mark::Stopped { reason }) => format!("stopped: {reason}"),
            EventKind::Mark(other) => format!("{other:?}"),
            EventKind::Settled { .. } => "settled".to_owned(),
            EventKind::Unsettled { .. } => "unsettled".to_owned(),
            EventKind::Deadline { wait, .. } => match wait {
                Wait::Answer { id } => format!("no answer #{id}"),
                Wait::TurnEnd { id } => format!("no end #{id}"),
                Wait::Request { method } => format!("no {method}"),
                Wait::Exit => "no exit".to_owned(),
            },
            EventKind::Limit { .. } => "limit".to_owned(),
            EventKind::End => "end".to_owned(),
            EventKind::Unknown { name } => name.clone(),
        };
        Some(if event.conn == 0 {
            text
        } else {
            format!("{} {text}", event.conn)
        })
    });
    told.collect()
}

fn brief(text: &str) -> String {
    let Parsed::Message(message) = Message::parse(text) else {
        return text.to_owned();
    };
    let id = message.id.map(|id| {
        format!(
            "#{}",
            id.replace("\"elenchus-fence-", "fence")
                .trim_end_matches('"')
        )
    });
    let id = id.unwrap_or_default();
    match message.class {
        Class::Request | Class::Notification => {
            format!("{}{id}", message.method.unwrap_or_default())
        }
        Class::Response => match message.error {
            Some(error) => format!("{id} {}", crate::json::at(error, &["code"]).unwrap_or("?")),
            None => format!("{id} {}", message.result.unwrap_or("?")),
        },
        Class::Other => text.to_owned(),
    }
}

/// What is told after the opening, without the ending of a target that ends well.
fn middle(recording: &Recording) -> Vec<String> {
    let mut story = story(&recording.trace.events);
    assert_eq!(story.pop().as_deref(), Some("end"));
    if story.ends_with(&["settled", "eof client", "eof server", "exit 0 Close"].map(str::to_owned))
    {
        story.truncate(story.len() - 4);
        let fence = story
            .iter()
            .rposition(|told| told.starts_with("> _elenchus/fence"))
            .expect("settled by a fence");
        story.drain(fence..fence + 2);
    }
    story.split_off(5)
}

const NOTHING: React = |_, _, _| vec![];

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

const FORM: &str = r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"sessionId":"s1","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"boolean"}},"required":["a"]}}}"#;
const PERMISSION: &str = r#"{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{"sessionId":"s1","options":[{"optionId":"no","kind":"reject_once"},{"optionId":"yes","kind":"allow_once"}]}}"#;

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
            "prompt ask\nturn ends",
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
    let told = story(&play(Version::AcpV1, "open", STAYS).trace.events);
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

#[test]
fn raw_bytes_are_recorded_by_lines_and_marked_where_they_are_malformed() {
    let steps = r#"open
raw {"jsonrpc":"2.0",
raw "method":"whole"}\n
raw nonsense\n\n{"jsonrpc":"2.0","method":"m"}\r\n
raw {"jsonrpc":"2.0","id":52,"method":"probe"}\n
raw the end"#;
    let told = middle(&play(Version::AcpV1, steps, NOTHING));
    assert_eq!(
        told[..6],
        [
            "> whole",
            "Malformed",
            "> nonsense",
            "Malformed",
            "> ",
            "> m"
        ]
    );
    assert_eq!(told[6..9], ["> probe#52", "< #52 -32601", "Malformed"]);
    let end = told
        .iter()
        .position(|told| told == "> the end")
        .expect("the rest is recorded");
    // A fence would have become a part of it.
    assert_eq!(told[end + 1], "eof client");

    let recording = play(Version::AcpV1, "open\nraw {\nprompt x", NOTHING);
    let told = story(&recording.trace.events);
    assert!(
        told.contains(&"stopped: the line that `raw` began has no end yet".to_owned()),
        "{told:?}"
    );
}

#[test]
fn a_race_is_written_in_the_order_and_with_the_gap_of_its_plan() {
    let script = script("open\nrace 300us\n  - notify one\n  - notify two\n  - request three");
    let instances = instances(&script, Version::AcpV1, 1);
    assert_eq!(instances.len(), 6 * 3);
    for instance in &instances {
        let plan = instance.race.as_ref().expect("a plan");
        let recording = play_instance(instance, NOTHING);
        let sent: Vec<&Event> = recording
            .trace
            .events
            .iter()
            .filter(|event| match &event.kind {
                EventKind::Frame {
                    from: Side::Client,
                    frame,
                } => frame.text().is_some_and(|text| {
                    ["one", "two", "three"]
                        .iter()
                        .any(|name| text.contains(name))
                }),
                _ => false,
            })
            .collect();
        let order: Vec<u32> = sent
            .iter()
            .map(
                |event| match story(std::slice::from_ref(event))[0].as_str() {
                    "> one" => 0,
                    "> two" => 1,
                    _ => 2,
                },
            )
            .collect();
        assert_eq!(order, plan.order);
        let gaps: Vec<u64> = sent
            .windows(2)
            .map(|pair| pair[1].at_us - pair[0].at_us)
            .collect();
        assert_eq!(gaps, vec![plan.gap_us.unwrap_or(0); 2], "{plan}");
        let told = story(&recording.trace.events);
        assert!(
            told.contains(&format!("race {:?} {:?}", plan.order, plan.gap_us)),
            "{told:?}"
        );
    }
}

#[test]
fn variables_hold_exact_texts_and_each_connection_has_its_session() {
    const ECHO: React = |_, method, message| match method {
        "echo" => vec![result(message, &message["params"].to_string())],
        _ => vec![],
    };
    let steps = r#"each n [1.50]

open
request echo {"n":$n,"s":[$session,"${session}/$version"]} id "x" as first
await first
on B
open
session as other
notify seen {"here":$session,"other":$other,"was":$first.result.s.1,"id":$first.id}
on A
notify seen {"here":$session}"#;
    let recording = play(Version::AcpV2, steps, ECHO);
    let texts: Vec<&str> = recording
        .trace
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Frame {
                from: Side::Client,
                frame,
            } => frame.text(),
            _ => None,
        })
        .filter(|text| text.contains("echo") || text.contains("seen"))
        .collect();
    assert_eq!(
        texts,
        [
            r#"{"jsonrpc":"2.0","id":"x","method":"echo","params":{"n":1.50,"s":["s1","s1/$version"]}}"#,
            r#"{"jsonrpc":"2.0","method":"seen","params":{"here":"s1","other":"s2","was":"s1/$version","id":"x"}}"#,
            r#"{"jsonrpc":"2.0","method":"seen","params":{"here":"s1"}}"#,
        ]
    );
}

#[test]
fn a_visited_page_is_the_targets_own() {
    const PAGE: React = |puppet, method, message| match method {
        "session/prompt" => {
            puppet.memory.push(message["id"].to_string());
            let url = message["params"]["prompt"][0]["text"]
                .as_str()
                .unwrap_or_default();
            vec![line(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{{"mode":"url","url":"{url}","elicitationId":"e"}}}}"#
            ))]
        }
        "fetched" => vec![line(
            r#"{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}}"#,
        )],
        _ => vec![],
    };
    let steps = "open\nprompt http://127.0.0.1:47000/p\nexpect elicitation/create as q\nvisit q\nexpect elicitation/complete";
    assert_eq!(play(Version::AcpV1, steps, PAGE).stopped, None);
    let steps = "open\nprompt https://example.com/p\nexpect elicitation/create as q\nvisit q";
    assert!(play(Version::AcpV1, steps, PAGE).stopped.is_some());
}

#[test]
fn a_trigger_is_marked_before_the_request_that_carries_it() {
    let steps = r#"open
prompt /elicit form {"type":"object"}
request session/new {"cwd":"/","_meta":{"elenchus":{"elicit":"url"}}} id 90
prompt nothing"#;
    let told = middle(&play(Version::AcpV1, steps, NOTHING));
    let triggers: Vec<_> = told
        .iter()
        .filter(|told| told.starts_with("trigger"))
        .collect();
    assert_eq!(
        triggers,
        [
            "trigger /elicit form #2",
            "trigger session/new elicit url #90"
        ]
    );
    for (place, told_here) in told
        .iter()
        .enumerate()
        .filter(|(_, told)| told.starts_with("trigger"))
    {
        let id = told_here.rsplit('#').next().expect("an id");
        assert!(told[place + 1].ends_with(&format!("#{id}")), "{told:?}");
    }
}

#[test]
fn every_announced_method_is_called_with_a_session_of_its_own_where_that_ends() {
    const ANNOUNCES: React = |_, method, message| match method {
        "initialize" => vec![result(
            message,
            r#"{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"close":{},"delete":{}},"auth":{"logout":{}}},"authMethods":[{"id":"a","name":"A"}]}"#,
        )],
        _ => vec![],
    };
    let recording = play(Version::AcpV1, "open\ncall announced", ANNOUNCES);
    let called: Vec<String> = middle(&recording)
        .into_iter()
        .filter(|told| told.starts_with("> session/") && !told.contains("new"))
        .collect();
    assert_eq!(called.len(), 4, "{called:?}");
    assert!(
        !story(&recording.trace.events)
            .iter()
            .any(|told| told.starts_with("> logout") || told.starts_with("> authenticate"))
    );
}
