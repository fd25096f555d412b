//! Bytes in any chunks: the same frames as from the whole stream, nothing lost, bounded memory.
//!
//! The input's first line is the plan: its first byte is the line cap, and the others are the sizes
//! of the chunks, in turn. The rest is the stream. So a seed can be written by hand: `` `!&\n`` is a
//! cap of 96 bytes and chunks of 1 and 6 bytes.

#![no_main]

use elenchus_wire::{
    Body, Frame, FrameDefect, Framer, LineEnd,
    frame::{OVERSIZE_KEPT, defects},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(split) = input.iter().position(|&byte| byte == b'\n') else {
        return;
    };
    let (plan, stream) = (&input[..split], &input[split + 1..]);
    let (cap, sizes) = plan.split_first().unwrap_or((&b'`', &[]));
    let cap = usize::from(*cap);

    let whole = frames(cap, [stream]);
    assert_eq!(frames(cap, chunks(stream, sizes)), whole);
    assert_eq!(said_of(&whole), sent(stream));
    for frame in &whole {
        let found = defects(frame);
        let named = |defect| found.contains(&defect);
        assert_eq!(
            named(FrameDefect::Oversize),
            matches!(frame.body, Body::Oversize { .. })
        );
        assert_eq!(named(FrameDefect::Unterminated), frame.end == LineEnd::None);
        if let Body::Oversize {
            len, head, tail, ..
        } = &frame.body
        {
            assert!(*len > cap as u64);
            assert_eq!(head.len() as u64, OVERSIZE_KEPT.min(*len as usize) as u64);
            assert_eq!(head.len(), tail.len());
        }
    }
});

fn frames<'a>(cap: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
    let mut framer = Framer::new(cap);
    let mut frames = Vec::new();
    for chunk in chunks {
        framer.push(chunk, |frame| frames.push(frame));
        assert!(framer.held() <= (cap + 1).max(2 * OVERSIZE_KEPT));
    }
    frames.extend(framer.finish());
    assert_eq!(framer.pending(), 0);
    frames
}

/// The stream in chunks of these sizes in turn; a space is an empty chunk.
fn chunks<'a>(stream: &'a [u8], sizes: &[u8]) -> Vec<&'a [u8]> {
    let mut chunks = Vec::new();
    let mut rest = stream;
    let mut sizes = sizes.iter().cycle();
    let mut empty = 0;
    while !rest.is_empty() {
        let size = match sizes.next() {
            Some(&size) if empty < 64 => usize::from(size.saturating_sub(b' ')),
            _ => rest.len(),
        };
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        empty += usize::from(chunk.is_empty());
        chunks.push(chunk);
        rest = after;
    }
    chunks
}

/// How long each line is and how it ended, as the frames say.
fn said_of(frames: &[Frame]) -> Vec<(usize, LineEnd)> {
    let length = |frame: &Frame| match &frame.body {
        Body::Text(text) => text.len(),
        Body::Bytes(bytes) => bytes.len(),
        Body::Oversize { len, .. } => *len as usize,
    };
    frames
        .iter()
        .map(|frame| (length(frame), frame.end))
        .collect()
}

/// How long each line is and how it ended, told in the plainest way.
fn sent(stream: &[u8]) -> Vec<(usize, LineEnd)> {
    stream
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| match line {
            [content @ .., b'\r', b'\n'] => (content.len(), LineEnd::CrLf),
            [content @ .., b'\n'] => (content.len(), LineEnd::Lf),
            content => (content.len(), LineEnd::None),
        })
        .collect()
}
