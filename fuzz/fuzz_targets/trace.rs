//! Any file as a trace, and any stream as frames in one: what was read is written and read the same.

#![no_main]

use elenchus_wire::{
    Event, EventKind, Framer, Side,
    redact::Redactor,
    trace::{self, FORMAT, Header, Trace, TraceError},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match trace::read_bytes(bytes) {
        Ok(found) => {
            let again = trace::read(&written(&found)).expect("what was written is a trace");
            assert_eq!(
                again,
                Trace {
                    cut: false,
                    ..found
                }
            );
        }
        Err(TraceError::BadLine { line, .. }) => assert!(line > 1),
        Err(TraceError::NewerFormat(format)) => assert!(format > FORMAT),
        Err(TraceError::NotATrace(_)) => {}
    }

    let recorded = recorded(bytes);
    let text = written(&recorded);
    assert_eq!(trace::read(&text).expect("a trace"), recorded);

    // A cut anywhere, decided by the input, reads as the beginning.
    let header = text.find('\n').expect("a header line");
    let at = bytes
        .iter()
        .fold(0, |sum: usize, byte| sum * 31 % 65_521 + usize::from(*byte));
    let cut = &text.as_bytes()[..header + at % (text.len() - header + 1)];
    let found = trace::read_bytes(cut).expect("a cut trace is read");
    assert_eq!(found.events, recorded.events[..found.events.len()]);
});

/// The stream as a target's frames, and its last piece as what it wrote to its standard error.
fn recorded(bytes: &[u8]) -> Trace {
    let mut framer = Framer::new(600);
    let mut kinds = Vec::new();
    let from = Side::Server;
    framer.push(bytes, |frame| kinds.push(EventKind::Frame { from, frame }));
    kinds.extend(
        framer
            .finish()
            .map(|frame| EventKind::Frame { from, frame }),
    );
    kinds.push(EventKind::Stderr {
        text: String::from_utf8_lossy(bytes).into_owned(),
    });
    kinds.push(EventKind::End);
    let events = (0..)
        .zip(kinds)
        .map(|(seq, kind)| Event {
            seq,
            at_us: seq * 7,
            conn: 0,
            kind,
        })
        .collect();
    Trace {
        header: Header {
            elenchus_trace: FORMAT,
            elenchus: "0.0.0".to_owned(),
            protocol: "acp-v1".to_owned(),
            judged: from,
            script: String::new(),
            instance: String::new(),
            seed: 0,
        },
        events,
        cut: false,
    }
}

fn written(trace: &Trace) -> String {
    let mut out = String::new();
    trace::write_header(&trace.header, &mut out);
    for event in &trace.events {
        trace::write_event(event, &Redactor::off(), &mut out);
    }
    out
}
