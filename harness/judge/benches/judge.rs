//! What judging costs: megabytes of trace a second, where the trace stands in memory and counts as its JSON Lines.

use divan::{Bencher, counter::BytesCount};
use elenchus_judge::judge;
use elenchus_wire::{
    Event, EventKind, Frame, Side,
    redact::Redactor,
    trace::{Trace, read, write_event},
};

fn main() {
    divan::main();
}

/// Elicitations in a working turn, in both versions, as the harness recorded them.
const CONVERSATIONS: [&str; 2] = [
    include_str!("../tests/traces/v1-jsonrpc-envelopes.jsonl"),
    include_str!("../tests/traces/v2-scope-two-questions.jsonl"),
];

#[divan::bench]
fn elicitation(bencher: Bencher) {
    let traces: Vec<Trace> = CONVERSATIONS
        .iter()
        .map(|text| read(text).expect("a recorded trace"))
        .collect();
    bencher
        .counter(BytesCount::new(
            CONVERSATIONS.iter().map(|text| text.len()).sum::<usize>(),
        ))
        .bench_local(|| traces.iter().map(judge).collect::<Vec<_>>());
}

/// One turn whose agent says much: the events of a conversation in this version, and ten thousand updates of 250 bytes.
fn stream(conversation: &str, update: &str) -> Trace {
    let mut trace = read(conversation).expect("a recorded trace");
    let prompt = trace
        .events
        .iter()
        .position(|event| {
            matches!(&event.kind, EventKind::Frame { frame, .. }
                if frame.text().is_some_and(|text| text.contains("session/prompt")))
        })
        .expect("a prompt");
    trace.events.truncate(prompt + 1);
    let filler = "x".repeat(250 - update.len());
    let line = update.replace("TEXT", &format!("TEXT{filler}"));
    assert_eq!(line.len(), 250);
    for _ in 0..10_000 {
        let seq = trace.events.len() as u64;
        trace.events.push(Event {
            seq,
            at_us: seq * 100,
            conn: 0,
            kind: EventKind::Frame {
                from: Side::Server,
                frame: Frame::line(line.clone()),
            },
        });
    }
    trace
}

fn size(trace: &Trace) -> usize {
    let mut text = String::new();
    for event in &trace.events {
        write_event(event, &Redactor::default(), &mut text);
    }
    text.len()
}

#[divan::bench(args = ["v1", "v2"])]
fn updates(bencher: Bencher, version: &str) {
    let trace = match version {
        "v1" => stream(
            CONVERSATIONS[0],
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"TEXT"}}}}"#,
        ),
        _ => stream(
            CONVERSATIONS[1],
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_1","update":{"sessionUpdate":"agent_message_chunk","messageId":"msg_1","content":{"type":"text","text":"TEXT"}}}}"#,
        ),
    };
    bencher
        .counter(BytesCount::new(size(&trace)))
        .bench_local(|| judge(&trace));
}
