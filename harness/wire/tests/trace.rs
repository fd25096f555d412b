//! What is written to a trace is what is read from it.

use elenchus_wire::{
    Body, Event, EventKind, Frame, LineEnd, Mark, Side, Wait,
    event::{Asked, Milestone, Planted, Premise},
    redact::Redactor,
    trace::{self, FORMAT, Header, Trace, TraceError},
};
use proptest::{collection::vec, option, prelude::*};

fn header() -> Header {
    Header {
        elenchus_trace: FORMAT,
        elenchus: "0.1.0".to_owned(),
        protocol: "acp-v1".to_owned(),
        judged: Side::Server,
        script: "one \"quoted\" name".to_owned(),
        instance: String::new(),
        seed: u64::MAX,
    }
}

fn write(events: &[Event]) -> String {
    let mut out = String::new();
    trace::write_header(&header(), &mut out);
    for event in events {
        trace::write_event(event, &Redactor::off(), &mut out);
    }
    out
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Client), Just(Side::Server)]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~]{0,40}",
        "\\{\"id\":[0-9]{1,3},\"method\":\"[\\\\\"\n\t\u{0}-\u{1f}é\u{2028}😀]{0,9}\"\\}",
    ]
}

fn frame() -> impl Strategy<Value = Frame> {
    let body = prop_oneof![
        4 => text().prop_map(Body::Text),
        1 => vec(any::<u8>(), 0..40).prop_map(Body::Bytes),
        1 => (any::<u64>(), "[0-9a-f]{64}", vec(any::<u8>(), 0..9), vec(any::<u8>(), 0..9)).prop_map(
            |(len, sha256, head, tail)| Body::Oversize { len, sha256, head, tail }
        ),
    ];
    let end = prop_oneof![Just(LineEnd::Lf), Just(LineEnd::CrLf), Just(LineEnd::None)];
    (body, end).prop_map(|(body, end)| Frame { body, end })
}

fn mark() -> impl Strategy<Value = Mark> {
    prop_oneof![
        any::<u32>().prop_map(|line| Mark::Step { line }),
        (text(), text(), any::<bool>()).prop_map(|(name, request, own_words)| Mark::Trigger {
            name,
            request,
            own_words
        }),
        (text(), text())
            .prop_map(|(trigger, mode)| Mark::Premise(Premise::Elicits { trigger, mode })),
        any::<u16>().prop_map(|version| Mark::Premise(Premise::Speaks { version })),
        Just(Mark::Premise(Premise::AllVersionsProbed)),
        Just(Mark::Premise(Premise::OpensNoSession)),
        Just(Mark::Premise(Premise::EndsNoTurn)),
        text().prop_map(|variable| Mark::Premise(Premise::Heeds { variable })),
        (text(), text()).prop_map(|(name, value)| Mark::Told { name, value }),
        text().prop_map(|id| Mark::Fence { id }),
        (vec(any::<u32>(), 0..4), option::of(any::<u64>()))
            .prop_map(|(order, gap_us)| Mark::Race { order, gap_us }),
        Just(Mark::Malformed),
        text().prop_map(|request| Mark::Visit { request }),
        text().prop_map(|request| Mark::Shown { request }),
        text().prop_map(|request| Mark::Typed { request }),
        (any::<u64>(), planted(), text(), any::<bool>()).prop_map(
            |(frame, planted, encoding, in_url)| Mark::Leak {
                frame,
                planted,
                encoding,
                in_url,
            }
        ),
        text().prop_map(|reason| Mark::Stopped { reason }),
        (
            prop_oneof![Just(Milestone::Session), Just(Milestone::Turn)],
            option::of(text()),
        )
            .prop_map(|(to, missed)| Mark::Milestone { to, missed }),
    ]
}

fn planted() -> impl Strategy<Value = Planted> {
    prop_oneof![
        Just(Planted::Typed),
        Just(Planted::Credential),
        Just(Planted::Person),
    ]
}

fn wait() -> impl Strategy<Value = Wait> {
    prop_oneof![
        text().prop_map(|id| Wait::Answer { id }),
        text().prop_map(|id| Wait::TurnEnd { id }),
        text().prop_map(|method| Wait::Request { method }),
        Just(Wait::Exit),
    ]
}

fn asked() -> impl Strategy<Value = Asked> {
    prop_oneof![
        Just(Asked::Nothing),
        Just(Asked::Close),
        Just(Asked::Terminate),
        Just(Asked::Kill)
    ]
}

fn kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        side().prop_map(|target| EventKind::Open { target }),
        (side(), frame()).prop_map(|(from, frame)| EventKind::Frame { from, frame }),
        text().prop_map(|text| EventKind::Stderr { text }),
        side().prop_map(|from| EventKind::Eof { from }),
        (option::of(any::<i32>()), option::of(any::<i32>()), asked()).prop_map(
            |(code, signal, asked)| EventKind::Exit {
                code,
                signal,
                asked
            }
        ),
        mark().prop_map(EventKind::Mark),
        text().prop_map(|fence| EventKind::Settled { fence }),
        text().prop_map(|fence| EventKind::Unsettled { fence }),
        (wait(), any::<u64>()).prop_map(|(wait, ms)| EventKind::Deadline { wait, ms }),
        any::<u64>().prop_map(|bytes| EventKind::Limit { bytes }),
        text().prop_map(|url| EventKind::Opened { url }),
        text().prop_map(|url| EventKind::Fetched { url }),
        Just(EventKind::End),
        "newer-[a-z\"é ]{0,9}".prop_map(|name| EventKind::Unknown { name }),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    (any::<u64>(), any::<u64>(), any::<u32>(), kind()).prop_map(|(seq, at_us, conn, kind)| Event {
        seq,
        at_us,
        conn,
        kind,
    })
}

proptest! {
    #[test]
    fn what_was_written_is_read_back(events in vec(event(), 0..8)) {
        let written = write(&events);
        prop_assert_eq!(written.lines().count(), events.len() + 1);
        let expected = Trace { header: header(), events, cut: false };
        prop_assert_eq!(&trace::read(&written).unwrap(), &expected);
        prop_assert_eq!(&trace::read(&written.replace('\n', "\r\n\r\n")).unwrap(), &expected);
    }

    #[test]
    fn a_trace_that_was_cut_anywhere_reads_up_to_the_cut(
        events in vec(event(), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let written = write(&events);
        let header_len = written.find('\n').unwrap();
        let cut = header_len + cut.index(written.len() - header_len + 1);
        let kept = &written.as_bytes()[..cut];
        let read = trace::read_bytes(kept).unwrap();
        prop_assert_eq!(&read.events[..], &events[..read.events.len()]);
        // A line that lacks nothing but its line end is whole.
        let lines: Vec<&[u8]> = kept.split(|&byte| byte == b'\n').skip(1).collect();
        let whole = lines.iter().filter(|line| line.ends_with(b"}") && event_ends(line)).count();
        prop_assert_eq!(read.events.len(), whole);
        prop_assert_eq!(read.cut, lines.last().is_some_and(|line| !line.is_empty()) && whole < lines.len());
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), lines in vec("[ -~]{0,60}", 0..4)) {
        let _ = trace::read(&text);
        let _ = trace::read_bytes(text.as_bytes());
        let _ = trace::read(&format!("{}{}", write(&[]), lines.join("\n")));
    }
}

/// Whether the braces of an event's line are balanced, told without the reader under test.
fn event_ends(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

fn read_one(line: &str) -> EventKind {
    trace::read_event(line).unwrap().kind
}

#[test]
fn lines_have_the_documented_form() {
    let kinds = [
        (
            EventKind::Frame {
                from: Side::Server,
                frame: Frame::line("{\"id\":1}"),
            },
            r#""kind":"frame","from":"server","text":"{\"id\":1}""#,
        ),
        (
            EventKind::Frame {
                from: Side::Client,
                frame: Frame {
                    body: Body::Bytes(vec![0, 0xff]),
                    end: LineEnd::CrLf,
                },
            },
            r#""kind":"frame","from":"client","bytes":"00ff","end":"crlf""#,
        ),
        (
            EventKind::Frame {
                from: Side::Client,
                frame: Frame {
                    body: Body::Oversize {
                        len: 3,
                        sha256: "ab".to_owned(),
                        head: vec![1],
                        tail: vec![2],
                    },
                    end: LineEnd::None,
                },
            },
            r#""kind":"frame","from":"client","oversize":{"len":3,"sha256":"ab","head":"01","tail":"02"},"end":"none""#,
        ),
        (
            EventKind::Mark(Mark::Premise(Premise::Elicits {
                trigger: "/elicit form".to_owned(),
                mode: "form".to_owned(),
            })),
            r#""kind":"mark","mark":"premise","premise":"elicits","trigger":"/elicit form","mode":"form""#,
        ),
        (
            EventKind::Deadline {
                wait: Wait::TurnEnd { id: "1".to_owned() },
                ms: 9,
            },
            r#""kind":"deadline","wait":{"for":"turn-end","id":"1"},"ms":9"#,
        ),
        (
            EventKind::Exit {
                code: Some(-1),
                signal: None,
                asked: Asked::Nothing,
            },
            r#""kind":"exit","code":-1,"asked":"nothing""#,
        ),
        (
            EventKind::Opened {
                url: "http://127.0.0.1:1/?a=\"b\"".to_owned(),
            },
            r#""kind":"opened","url":"http://127.0.0.1:1/?a=\"b\"""#,
        ),
        (
            EventKind::Fetched {
                url: "http://127.0.0.1:1/".to_owned(),
            },
            r#""kind":"fetched","url":"http://127.0.0.1:1/""#,
        ),
        (
            EventKind::Limit { bytes: 7 },
            r#""kind":"limit","recorded":7"#,
        ),
        (EventKind::End, r#""kind":"end""#),
    ];
    for (kind, expected) in kinds {
        let event = Event {
            seq: 3,
            at_us: 120,
            conn: 0,
            kind,
        };
        let mut line = String::new();
        trace::write_event(&event, &Redactor::off(), &mut line);
        assert_eq!(
            line,
            format!("{{\"seq\":3,\"at_us\":120,\"conn\":0,{expected}}}\n")
        );
    }
}

#[test]
fn what_a_newer_version_wrote_is_kept_out_of_judgement() {
    for (line, name) in [
        (r#"{"seq":1,"kind":"http","status":200}"#, "http"),
        (
            r#"{"seq":1,"kind":"http","from":"browser","bytes":5,"text":[]}"#,
            "http",
        ),
        (
            r#"{"seq":1,"kind":"mark","mark":"weather","line":"x"}"#,
            "mark weather",
        ),
        (
            r#"{"seq":1,"kind":"mark","mark":"premise","premise":"sings"}"#,
            "mark premise sings",
        ),
        (
            r#"{"seq":1,"kind":"deadline","wait":{"for":"godot"},"ms":1}"#,
            "deadline godot",
        ),
    ] {
        let name = name.to_owned();
        assert_eq!(read_one(line), EventKind::Unknown { name }, "{line}");
    }
    assert_eq!(
        read_one(r#"{"seq":1,"kind":"end","weather":"fine"}"#),
        EventKind::End
    );
}

#[test]
fn a_broken_line_is_named_by_its_number() {
    let good = r#"{"seq":0,"kind":"end"}"#;
    for bad in [
        "{}",
        "noise",
        r#"{"seq":0}"#,
        r#"{"seq":-1,"kind":"end"}"#,
        r#"{"seq":0,"kind":"open"}"#,
        r#"{"seq":0,"kind":"open","target":"agent"}"#,
        r#"{"seq":0,"kind":"frame","from":"client"}"#,
        r#"{"seq":0,"kind":"frame","from":"client","text":"","bytes":""}"#,
        r#"{"seq":0,"kind":"frame","from":"client","bytes":"0"}"#,
        r#"{"seq":0,"kind":"frame","from":"client","bytes":"0g"}"#,
        r#"{"seq":0,"kind":"frame","from":"client","text":7}"#,
        r#"{"seq":0,"kind":"mark"}"#,
        r#"{"seq":0,"kind":"mark","mark":"step","line":-1}"#,
        r#"{"seq":0,"kind":"mark","mark":"premise"}"#,
        r#"{"seq":0,"kind":"mark","mark":"premise","premise":"speaks"}"#,
        r#"{"seq":0,"kind":"deadline","wait":{"for":"answer"},"ms":1}"#,
        r#"{"seq":0,"kind":"deadline","wait":{},"ms":1}"#,
        r#"{"seq":0,"kind":"deadline","ms":1}"#,
    ] {
        let text = write(&[]) + good + "\n" + bad + "\n" + good + "\n";
        match trace::read(&text) {
            Err(TraceError::BadLine { line: 3, .. }) => {}
            other => panic!("{bad}: {other:?}"),
        }
        let cut = trace::read(&(write(&[]) + good + "\n" + bad + "\n")).unwrap();
        assert!(cut.cut && cut.events.len() == 1, "{bad}");
    }
    let text = (write(&[]) + "x\n" + good).replace('x', "\u{e9}");
    let latin: Vec<u8> = text
        .chars()
        .map(|c| u32::from(c).to_le_bytes()[0])
        .collect();
    assert!(matches!(
        trace::read_bytes(&latin),
        Err(TraceError::BadLine { line: 2, .. })
    ));
}

#[test]
fn a_file_that_is_no_trace_or_too_new_is_refused() {
    for text in ["", "\n", "{}", "noise\n", "{\"elenchus_trace\":1}", "[1]"] {
        assert!(
            matches!(trace::read(text), Err(TraceError::NotATrace(_))),
            "{text}"
        );
    }
    let header = write(&[]);
    let torn = [header.trim_end().as_bytes(), b"\xff\n"].concat();
    assert!(matches!(
        trace::read_bytes(&torn),
        Err(TraceError::NotATrace(_))
    ));
    assert!(matches!(
        trace::read("{\"elenchus_trace\":2,\"all\":\"new\"}\n?"),
        Err(TraceError::NewerFormat(2))
    ));
}

#[test]
fn every_name_of_a_mark_and_a_wait_is_known_to_the_reader() {
    // A known name whose members are wrong is an error; only an unknown name is tolerated.
    for line in [
        r#""kind":"mark","mark":"step""#,
        r#""kind":"mark","mark":"trigger""#,
        r#""kind":"mark","mark":"fence""#,
        r#""kind":"mark","mark":"race""#,
        r#""kind":"mark","mark":"stopped""#,
        r#""kind":"mark","mark":"premise","premise":"elicits""#,
        r#""kind":"mark","mark":"premise","premise":"speaks""#,
        r#""kind":"deadline","wait":{"for":"answer"},"ms":0"#,
        r#""kind":"deadline","wait":{"for":"turn-end"},"ms":0"#,
        r#""kind":"deadline","wait":{"for":"request"},"ms":0"#,
    ] {
        let line = format!("{{\"seq\":0,{line}}}");
        assert!(trace::read_event(&line).is_err(), "{line}");
    }
}
