//! What holds for every trace, and for every good one.

mod stories;

use std::{fs, path::Path};

use elenchus_judge::{Judgement, World, judge, judge_side};
use elenchus_protocol::Version;
use elenchus_wire::{
    Event, EventKind, Frame, Mark, Side,
    event::Asked,
    redact::Redactor,
    trace::{FORMAT, Header, Trace, read_bytes, write_event},
};
use proptest::{prelude::*, sample::Index};
use stories::{disorder, frame, other, story};

/// Conversations of the harness with the reference agent, by file name.
fn recorded() -> Vec<(String, Trace)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let mut traces: Vec<(String, Trace)> = fs::read_dir(folder)
        .expect("the folder of recorded traces")
        .map(|entry| {
            let path = entry.expect("a file").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let bytes = fs::read(&path).expect("a readable file");
            (name.into_owned(), read_bytes(&bytes).expect("a trace"))
        })
        .collect();
    traces.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert!(traces.len() > 20, "the recorded traces are not there");
    traces
}

fn trace(protocol: &str, events: Vec<EventKind>) -> Trace {
    let events = (0..).zip(events).map(|(seq, kind)| Event {
        seq,
        at_us: seq,
        conn: 0,
        kind,
    });
    Trace {
        header: Header {
            elenchus_trace: FORMAT,
            elenchus: "test".to_owned(),
            protocol: protocol.to_owned(),
            judged: Side::Server,
            script: "test".to_owned(),
            instance: String::new(),
            seed: 0,
        },
        events: events.collect(),
        cut: false,
    }
}

/// The same trace with other events, numbered anew.
fn with(trace: &Trace, events: impl IntoIterator<Item = Event>) -> Trace {
    let numbered = (0..).zip(events).map(|(seq, event)| Event { seq, ..event });
    Trace {
        header: trace.header.clone(),
        events: numbered.collect(),
        cut: false,
    }
}

fn end() -> Event {
    Event {
        seq: 0,
        at_us: 0,
        conn: 0,
        kind: EventKind::End,
    }
}

/// What was broken, and why.
fn breaches(judgement: &Judgement) -> Vec<String> {
    judgement
        .tallies
        .iter()
        .filter_map(|(id, tally)| Some(format!("{id}: {}", tally.breaches.first()?.why)))
        .collect()
}

fn upheld(judgement: &Judgement) -> Vec<&str> {
    let tallies = judgement.tallies.iter();
    tallies
        .filter(|(_, tally)| tally.upheld > 0)
        .map(|(id, _)| *id)
        .collect()
}

#[test]
fn a_good_conversation_breaks_nothing() {
    for (name, trace) in recorded() {
        let judgement = judge(&trace);
        assert_eq!(breaches(&judgement), [""; 0], "{name}");
        assert!(judgement.heard, "{name}");
        assert!(upheld(&judgement).len() > 5, "{name}");
    }
}

#[test]
fn a_good_conversation_that_is_cut_anywhere_breaks_nothing() {
    for (name, trace) in recorded() {
        for length in 0..trace.events.len() {
            let cut = trace.events[..length].iter().cloned();
            let ends = [Vec::new(), vec![end()], killed()];
            for ending in ends {
                let judgement = judge(&with(&trace, cut.clone().chain(ending)));
                assert_eq!(breaches(&judgement), [""; 0], "{name} up to {length}");
            }
        }
    }
}

/// The recording is cut by the end of the harness, which takes the target with it.
fn killed() -> Vec<Event> {
    let kinds = [
        EventKind::Eof { from: Side::Client },
        EventKind::Exit {
            code: None,
            signal: Some(9),
            asked: Asked::Kill,
        },
        EventKind::End,
    ];
    let event = |kind| Event { kind, ..end() };
    kinds.map(event).into()
}

#[test]
fn a_good_conversation_whose_beginning_is_missing_breaks_nothing() {
    for (name, trace) in recorded() {
        for start in 0..trace.events.len() {
            // Of every connection that was made before, only the rest is known; and what the control run had shown.
            let premise = |event: &&Event| matches!(event.kind, EventKind::Mark(Mark::Premise(_)));
            let known = trace.events[..start].iter().filter(premise);
            let later = known.chain(&trace.events[start..]).cloned();
            let judgement = judge(&with(&trace, later));
            assert_eq!(breaches(&judgement), [""; 0], "{name} from {start}");
        }
    }
}

#[test]
fn nothing_passes_where_nothing_was_said() {
    for version in Version::ALL {
        let protocol = version.name();
        assert_eq!(judge(&trace(protocol, Vec::new())), Judgement::default());
        let ended = judge(&trace(protocol, vec![EventKind::End]));
        assert_eq!(ended, Judgement::default());
    }
}

#[test]
fn an_unknown_protocol_is_judged_like_any() {
    let judgement = judge(&trace("what-ever", vec![line(Side::Server, "{}")]));
    assert!(!breaches(&judgement).is_empty());
}

fn line(from: Side, text: &str) -> EventKind {
    EventKind::Frame {
        from,
        frame: Frame::line(text),
    }
}

/// Bytes of the trace as it would stand in a file.
fn size(trace: &Trace) -> usize {
    let mut text = String::new();
    for event in &trace.events {
        write_event(event, &Redactor::default(), &mut text);
    }
    text.len()
}

/// How much of a trace the world keeps, as the length of its description over that of the trace.
fn kept(trace: &Trace) -> f64 {
    let mut world = World::new(Version::AcpV1);
    let mut facts = Vec::new();
    for event in &trace.events {
        world.apply(event, &mut facts);
        facts.clear();
    }
    let described = format!("{world:?}").len();
    // Lengths of a few megabytes are exact in a float.
    #[expect(clippy::cast_precision_loss)]
    let ratio = described as f64 / (size(trace) as f64 + 4096.0);
    ratio
}

/// What a hostile target sends again and again, with a counter where it says `<N>`.
const FLOODS: &[&str] = &[
    r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"<N>"}}}}"#,
    r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"<N>","content":{"type":"text","text":""}}}}"#,
    r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"<N>","update":{"sessionUpdate":"tool_call","toolCallId":"<N>","title":"<N>"}}}"#,
    r#"{"jsonrpc":"2.0","method":"session/update","params":<DENSE>}"#,
    r#"{"jsonrpc":"2.0","id":<N>,"method":"session/request_permission","params":{"sessionId":"s"}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"_x"}"#,
    r#"{"jsonrpc":"2.0","id":<N>,"method":"fs/read_text_file","params":<DENSE>}"#,
    r#"{"jsonrpc":"2.0","id":<N>,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}"#,
    r#"{"jsonrpc":"2.0","id":<N>,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":<FIELDS>}}}"#,
    r#"{"jsonrpc":"2.0","id":<N>,"result":{}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":<DENSE>}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":<DENSE>}}"#,
    "no message at all, number <N>",
    "{",
    "[",
    "[1,",
    "\u{7f}\u{7f}\u{7f}\u{7f}",
    "",
];

#[test]
fn what_a_target_floods_us_with_does_not_pile_up() {
    let dense = format!("[{}0]", "0,".repeat(2_000));
    let fields: Vec<String> = (0..500).map(|n| format!(r#""{n}":{{}}"#)).collect();
    let fields = format!("{{{}}}", fields.join(","));
    for flood in FLOODS {
        let flood = flood
            .replace("<DENSE>", &dense)
            .replace("<FIELDS>", &fields);
        let mut events = vec![
            EventKind::Open {
                target: Side::Server,
            },
            line(
                Side::Client,
                r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}"#,
            ),
        ];
        let count = 400_000 / (flood.len() + 40);
        events
            .extend((0..count).map(|n| line(Side::Server, &flood.replace("<N>", &n.to_string()))));
        let ratio = kept(&trace("acp-v1", events));
        assert!(ratio < 16.0, "{ratio:.1} times as much as {flood:.120}");
    }
}

#[test]
fn more_open_obligations_than_any_conversation_has_are_not_followed() {
    let asked = (0..1_000).map(|id| {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"_x"}}"#);
        self::line(Side::Client, &line)
    });
    let judgement = judge(&trace("acp-v1", asked.collect()));
    let unclear = &judgement.tallies["ACP-JSONRPC-004"].unclear;
    assert_eq!(unclear.len(), 2, "{unclear:?}");
    assert!(unclear[0].contains("at once"), "{unclear:?}");
}

#[test]
fn payloads_with_more_parts_than_anyone_needs_are_not_kept() {
    let dense = format!("[{}0]", "0,".repeat(200_000));
    for message in [
        format!(r#"{{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{dense}}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{dense}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{dense}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"error":{dense}}}"#),
    ] {
        let asked = r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}"#;
        let events = vec![line(Side::Client, asked), line(Side::Server, &message)];
        let ratio = kept(&trace("acp-v1", events));
        assert!(ratio < 0.1, "{ratio:.2} of {message:.60}");
    }
}

/// Judges both sides, twice: no panic, and the same each time.
fn judged_alike(trace: &Trace) -> Result<(), TestCaseError> {
    for side in [Side::Client, Side::Server] {
        prop_assert_eq!(judge_side(trace, side), judge_side(trace, side));
    }
    Ok(())
}

/// What was decided up to an event, for both sides, is decided the same whatever follows: the judge goes by what was
/// there, and takes nothing back. Only what was open may become clear.
fn stays_decided(trace: &Trace, length: usize) -> Result<(), TestCaseError> {
    const OPEN: &str = "the trace ended before it could be decided";
    for side in [Side::Client, Side::Server] {
        let whole = judge_side(trace, side);
        let part = with(trace, trace.events[..length].iter().cloned());
        let part = judge_side(&part, side);
        prop_assert!(whole.heard || !part.heard);
        for (id, before) in &part.tallies {
            let after = whole.tallies.get(id).cloned().unwrap_or_default();
            prop_assert!(
                after.upheld >= before.upheld && after.lost >= before.lost,
                "{}",
                id
            );
            prop_assert!(after.breaches.starts_with(&before.breaches), "{}", id);
            prop_assert!(after.notes.starts_with(&before.notes), "{}", id);
            for reason in before.unclear.iter().filter(|reason| *reason != OPEN) {
                prop_assert!(after.unclear.contains(reason), "{}: {}", id, reason);
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn what_is_decided_in_a_story_stays_decided(
        trace in story(prop_oneof![3 => frame(), 1 => other()]),
        cut in any::<Index>(),
    ) {
        stays_decided(&trace, cut.index(trace.events.len() + 1))?;
    }

    #[test]
    fn what_is_decided_in_disorder_stays_decided(trace in disorder(), cut in any::<Index>()) {
        stays_decided(&trace, cut.index(trace.events.len() + 1))?;
    }

    #[test]
    fn any_story_is_judged_and_always_alike(trace in story(prop_oneof![3 => frame(), 1 => other()])) {
        judged_alike(&trace)?;
    }

    #[test]
    fn a_conversation_in_disorder_is_judged_and_always_alike(trace in disorder()) {
        judged_alike(&trace)?;
    }

    #[test]
    fn nothing_passes_without_a_frame(trace in story(other())) {
        let judgement = judge(&trace);
        prop_assert_eq!(upheld(&judgement), [""; 0]);
    }

    #[test]
    fn the_world_keeps_no_more_than_there_was(trace in story(prop_oneof![3 => frame(), 1 => other()])) {
        let ratio = kept(&trace);
        prop_assert!(ratio < 16.0, "{ratio}");
    }
}
