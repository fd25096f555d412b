//! Bytes to frames: the same frames however the bytes are chunked, in bounded memory.

use elenchus_wire::{
    Body, Frame, FrameDefect, Framer, LineEnd,
    frame::{OVERSIZE_KEPT, defects},
};
use proptest::{collection::vec, prelude::*};

/// All frames of a stream that arrives in these chunks, in no more memory than the cap allows.
fn frames<'a>(cap: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
    let mut framer = Framer::new(cap);
    let mut frames = Vec::new();
    for chunk in chunks {
        framer.push(chunk, |frame| frames.push(frame));
        assert!(framer.held() <= (cap + 1).max(2 * OVERSIZE_KEPT));
    }
    frames.extend(framer.finish());
    assert_eq!(framer.pending(), 0);
    assert_eq!(framer.finish(), None);
    frames
}

/// What the frames of a stream are, said in the plainest way.
fn expected(cap: usize, stream: &[u8]) -> Vec<Frame> {
    let mut lines: Vec<&[u8]> = stream.split(|&byte| byte == b'\n').collect();
    let rest = lines.pop().unwrap_or_default();
    let mut frames: Vec<Frame> = lines
        .into_iter()
        .map(|line| match line.strip_suffix(b"\r") {
            Some(line) => frame(cap, line, LineEnd::CrLf),
            None => frame(cap, line, LineEnd::Lf),
        })
        .collect();
    if !rest.is_empty() {
        frames.push(frame(cap, rest, LineEnd::None));
    }
    frames
}

fn frame(cap: usize, line: &[u8], end: LineEnd) -> Frame {
    use sha2::Digest as _;
    use std::fmt::Write as _;

    let body = if line.len() > cap {
        let mut sha256 = String::new();
        for byte in sha2::Sha256::digest(line) {
            write!(sha256, "{byte:02x}").unwrap();
        }
        Body::Oversize {
            len: line.len() as u64,
            sha256,
            head: line[..line.len().min(OVERSIZE_KEPT)].to_vec(),
            tail: line[line.len().saturating_sub(OVERSIZE_KEPT)..].to_vec(),
        }
    } else {
        match String::from_utf8(line.to_vec()) {
            Ok(text) => Body::Text(text),
            Err(error) => Body::Bytes(error.into_bytes()),
        }
    };
    Frame { body, end }
}

/// Streams with many line ends, some long lines and some that are not UTF-8.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[a-z\r]{0,12}".prop_map(String::into_bytes),
        2 => Just(b"\n".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        1 => Just("\u{feff}é\u{2028}".as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..6),
        1 => (any::<u8>(), 0..900_usize).prop_map(|(byte, count)| vec![byte; count]),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_frames(
        stream in stream(),
        cap in prop_oneof![0..20_usize, 250..270_usize, Just(4096)],
        cuts in vec(any::<prop::sample::Index>(), 0..9),
    ) {
        let expected = expected(cap, &stream);
        prop_assert_eq!(&frames(cap, [&stream[..]]), &expected);
        prop_assert_eq!(&frames(cap, stream.chunks(1)), &expected);

        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let chunks = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]);
        prop_assert_eq!(&frames(cap, chunks), &expected);
    }

    #[test]
    fn defects_of_any_frame_are_named(stream in stream()) {
        for frame in frames(64, [&stream[..]]) {
            let found = defects(&frame);
            let named = |defect: &FrameDefect| found.contains(defect);
            prop_assert_eq!(named(&FrameDefect::CarriageReturn), frame.end == LineEnd::CrLf);
            prop_assert_eq!(named(&FrameDefect::Unterminated), frame.end == LineEnd::None);
            prop_assert_eq!(
                found.iter().any(|defect| matches!(defect, FrameDefect::InvalidUtf8 { .. })),
                matches!(frame.body, Body::Bytes(_))
            );
            prop_assert_eq!(named(&FrameDefect::Oversize), matches!(frame.body, Body::Oversize { .. }));
        }
    }
}

#[test]
fn a_line_of_any_length_is_told_by_what_is_kept_of_it() {
    const CAP: usize = 1000;
    let chunk = [b'x'; 777];
    let chunks = 4000;
    let mut framer = Framer::new(CAP);
    let mut seen = Vec::new();
    for _ in 0..chunks {
        framer.push(&chunk, |frame| seen.push(frame));
        assert!(framer.held() <= CAP + 1);
    }
    framer.push(b"end\r\nnext\n", |frame| seen.push(frame));
    let [oversize, next] = &seen[..] else {
        panic!("{seen:?}");
    };
    let whole = [chunk.repeat(chunks), b"end".to_vec()].concat();
    assert_eq!(oversize, &frame(CAP, &whole, LineEnd::CrLf));
    assert_eq!(next, &Frame::line("next"));
}

#[test]
fn the_cap_counts_the_line_and_not_its_end() {
    for (stream, kept) in [
        (&b"abcd\n"[..], true),
        (b"abcd\r\n", true),
        (b"abcd", true),
        (b"abcde\n", false),
        (b"abcde\r\n", false),
        (b"abcd\r", false),
        (b"abcd\rx\n", false),
        (b"abcd\r\r\n", false),
    ] {
        for size in 1..=stream.len() {
            let found = frames(4, stream.chunks(size));
            assert_eq!(found.len(), 1, "{stream:?}");
            assert_eq!(found[0].text().is_some(), kept, "{stream:?} by {size}");
        }
    }
}

#[test]
fn each_defect_is_named_alone_where_it_stands_alone() {
    for (stream, expected) in [
        (&b"{}\n"[..], vec![]),
        (b"{}\r\n", vec![FrameDefect::CarriageReturn]),
        (b"{}", vec![FrameDefect::Unterminated]),
        (b"\n", vec![FrameDefect::Blank]),
        (b" \t\n", vec![FrameDefect::Blank]),
        ("\u{a0}\n".as_bytes(), vec![FrameDefect::Blank]),
        (
            b"\r\n",
            vec![FrameDefect::Blank, FrameDefect::CarriageReturn],
        ),
        ("\u{feff}{}\n".as_bytes(), vec![FrameDefect::ByteOrderMark]),
        ("{}\u{feff}\n".as_bytes(), vec![]),
        (b"\"\0\"\n", vec![FrameDefect::Nul]),
        (b"\"\\u0000\"\n", vec![]),
        (
            b"{\"a\":\"\xe9\"}\n",
            vec![FrameDefect::InvalidUtf8 { at: 6 }],
        ),
        (
            "\"a\u{2028}\"\n".as_bytes(),
            vec![FrameDefect::LineSeparator],
        ),
        (
            "\"\u{2029}\"\n".as_bytes(),
            vec![FrameDefect::LineSeparator],
        ),
        ("\"\u{85}\"\n".as_bytes(), vec![FrameDefect::LineSeparator]),
        ("\"\u{2026}\u{a9}\"\n".as_bytes(), vec![]),
        (b"0123456789abcdef0\n", vec![FrameDefect::Oversize]),
        (
            "\u{feff}0123456789abcdef\n".as_bytes(),
            vec![FrameDefect::ByteOrderMark, FrameDefect::Oversize],
        ),
    ] {
        let found = frames(16, [stream]);
        assert_eq!(found.len(), 1);
        assert_eq!(defects(&found[0]), expected, "{stream:?}");
    }
}

#[test]
fn pending_counts_what_came_since_the_last_line_end() {
    let mut framer = Framer::new(4);
    for (chunk, pending) in [
        (&b"ab"[..], 2),
        (b"cd\r", 5),
        (b"e", 6),
        (b"\r", 7),
        (b"\n", 0),
        (b"x\ny", 1),
    ] {
        framer.push(chunk, drop);
        assert_eq!(framer.pending(), pending);
    }
}
