//! What the wire costs: framing, envelopes, ids, redaction and traces.

use std::hint::black_box;

use divan::{
    Bencher,
    counter::{BytesCount, ItemsCount},
};
use elenchus_wire::{
    Event, EventKind, Frame, Framer, Id, Message, Side,
    frame::DEFAULT_MAX_LINE,
    message::{write_notification, write_result},
    redact::Redactor,
    trace::{self, FORMAT, Header},
};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

fn main() {
    divan::main();
}

/// What one read of a pipe gives.
const CHUNK: usize = 64 * 1024;

/// A message of about 100 bytes.
fn small() -> String {
    write_result(
        "17",
        r#"{"sessionId":"sess_0123456789abcdef","modes":null}"#,
    )
}

/// A message of about 2.5 KB: text with escapes, and structure.
fn large() -> String {
    let text = r#"The agent said \"hello\" and wrote a line.\n"#.repeat(40);
    let locations = r#"{"path":"/src/lib.rs","line":12},"#.repeat(15);
    let params = format!(
        r#"{{"sessionId":"sess_01","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}},"locations":[{locations}null]}}}}"#
    );
    write_notification("session/update", Some(&params))
}

/// Lines of these texts, at least this many bytes.
fn stream(lines: &[String], bytes: usize) -> Vec<u8> {
    let mut stream = Vec::new();
    for line in lines.iter().cycle() {
        if stream.len() >= bytes {
            break;
        }
        stream.extend_from_slice(line.as_bytes());
        stream.push(b'\n');
    }
    stream
}

fn framing(bencher: Bencher, lines: &[String]) {
    let stream = stream(lines, 8 << 20);
    bencher
        .counter(BytesCount::new(stream.len()))
        .bench_local(|| {
            let mut framer = Framer::new(DEFAULT_MAX_LINE);
            for chunk in stream.chunks(CHUNK) {
                framer.push(black_box(chunk), |frame| drop(black_box(frame)));
            }
            framer.finish()
        });
}

#[divan::bench]
fn framing_small(bencher: Bencher) {
    framing(bencher, &[small()]);
}

#[divan::bench]
fn framing_large(bencher: Bencher) {
    framing(bencher, &[large()]);
}

#[divan::bench]
fn framing_mixed(bencher: Bencher) {
    framing(bencher, &[small(), large(), small(), small()]);
}

#[divan::bench]
fn framing_megabyte_lines(bencher: Bencher) {
    framing(bencher, &["x".repeat(1 << 20)]);
}

#[divan::bench]
fn framing_one_oversize_line(bencher: Bencher) {
    framing(bencher, &["x".repeat(8 << 20)]);
}

fn envelope(bencher: Bencher, line: &str) {
    bencher
        .counter(ItemsCount::new(1_usize))
        .counter(BytesCount::of_str(line))
        .bench_local(|| black_box(Message::parse(black_box(line))));
}

#[divan::bench]
fn envelope_small(bencher: Bencher) {
    envelope(bencher, &small());
}

#[divan::bench]
fn envelope_large(bencher: Bencher) {
    envelope(bencher, &large());
}

/// What another reader takes for the same line, as a measure: to make a value of it, and only to read it.
fn bare_parse<T: DeserializeOwned>(bencher: Bencher, line: &str) {
    bencher
        .counter(ItemsCount::new(1_usize))
        .counter(BytesCount::of_str(line))
        .bench_local(|| black_box(serde_json::from_str::<T>(black_box(line))).is_ok());
}

#[divan::bench(types = [Value, IgnoredAny])]
fn bare_parse_small<T: DeserializeOwned>(bencher: Bencher) {
    bare_parse::<T>(bencher, &small());
}

#[divan::bench(types = [Value, IgnoredAny])]
fn bare_parse_large<T: DeserializeOwned>(bencher: Bencher) {
    bare_parse::<T>(bencher, &large());
}

#[divan::bench(args = ["17", "\"0198c5f2-6c6e-7\"", "1e3"])]
fn id_key(bencher: Bencher, text: &str) {
    let id = Id(text.into());
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench_local(|| black_box(&id).key());
}

fn redaction(bencher: Bencher, line: &str) {
    let redactor = Redactor::new(["correct horse battery staple".to_owned()]);
    bencher
        .counter(BytesCount::of_str(line))
        .bench_local(|| redactor.text(black_box(line)).len());
}

#[divan::bench]
fn redaction_of_nothing(bencher: Bencher) {
    redaction(bencher, &large());
}

#[divan::bench]
fn redaction_of_a_password(bencher: Bencher) {
    redaction(bencher, &large().replacen("\"path\"", "\"password\"", 1));
}

fn header() -> Header {
    Header {
        elenchus_trace: FORMAT,
        elenchus: String::new(),
        protocol: "acp-v1".to_owned(),
        judged: Side::Server,
        script: String::new(),
        instance: String::new(),
        seed: 0,
    }
}

fn events() -> Vec<Event> {
    let lines = [small(), large(), small(), small()];
    (0..1000)
        .zip(lines.iter().cycle())
        .map(|(seq, line)| Event {
            seq,
            at_us: seq * 120,
            conn: 0,
            kind: EventKind::Frame {
                from: Side::Server,
                frame: Frame::line(line.clone()),
            },
        })
        .collect()
}

fn written(events: &[Event], redactor: &Redactor) -> String {
    let mut out = String::new();
    trace::write_header(&header(), &mut out);
    for event in events {
        trace::write_event(event, redactor, &mut out);
    }
    out
}

#[divan::bench]
fn trace_write(bencher: Bencher) {
    let (events, redactor) = (events(), Redactor::default());
    let bytes = written(&events, &redactor).len();
    bencher
        .counter(BytesCount::new(bytes))
        .bench_local(|| written(black_box(&events), &redactor));
}

#[divan::bench]
fn trace_read(bencher: Bencher) {
    let text = written(&events(), &Redactor::default());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| trace::read(black_box(&text)));
}
