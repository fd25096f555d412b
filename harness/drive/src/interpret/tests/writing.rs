//! What leaves us: variables, raw bytes, races, marks.

use super::*;
use crate::instance::Gap;

#[test]
fn raw_bytes_are_recorded_by_lines_and_marked_where_they_are_malformed() {
    let steps = r#"open
raw {"jsonrpc":"2.0",
raw "method":"whole"}\n
raw nonsense\n\n{"jsonrpc":"2.0","method":"m"}\r\n
raw {"jsonrpc":"2.0","id":52,"method":"probe"}\n
raw the end"#;
    let mut told = middle(&play(Version::AcpV1, steps, NOTHING));
    // Which frames shared a write is told by tests of their own.
    told.retain(|told| told != "Chunked");
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
    let instances = instances(&script, Version::AcpV1, 1, true);
    // One write, back to back, three delays around the latency, and the one that the script names.
    assert_eq!(instances.len(), 6 * 6);
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
        let gap_us = match plan.gap {
            Gap::OneWrite => None,
            Gap::BackToBack => Some(0),
            // In virtual time an answer takes none.
            Gap::Latency(_) => Some(1),
            Gap::Micros(gap) => Some(gap),
        };
        assert_eq!(gaps, vec![gap_us.unwrap_or(0); 2], "{plan}");
        let told = story(&recording.trace.events);
        assert!(
            told.contains(&format!("race {:?} {gap_us:?}", plan.order)),
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
