//! The recorder: events in order, bounded, and on the disk before anything is waited for.

use std::{
    collections::{BTreeMap, VecDeque},
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use elenchus_wire::{
    Body, Event, EventKind, Frame, Message, Parsed, Side,
    redact::Redactor,
    trace::{self, Header, Trace},
};

use crate::plant;

/// What an event weighs besides its text: a target that floods small lines must not fill the memory either, and what a
/// small message costs is less its text than what the judge remembers of it.
const EVENT_WEIGHT: usize = 512;
/// So much memory the buffer of a trace's file may keep when it is empty.
const BUFFER_KEPT: usize = 64 * 1024;
/// The most bytes of standard error that a trace holds.
const STDERR_KEPT: usize = 16 * 1024;
/// How many last lines of standard error are kept for a message to people, and how long each may be.
const TAIL_LINES: usize = 12;
const TAIL_WIDTH: usize = 400;

/// A trace file that grows with the recording. One that cannot be written to its end is removed: half a trace in the
/// place of a whole one would be taken for it.
#[derive(Debug)]
pub(crate) struct Sink {
    file: File,
    path: PathBuf,
    redactor: Redactor,
    buffer: String,
    error: Option<io::Error>,
}

/// A new file of this name. What stands there is replaced and not written to: it may be a link to somewhere else.
fn own(path: &Path) -> io::Result<File> {
    match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            File::create_new(path)
        }
        made => made,
    }
}

impl Sink {
    /// Takes in the header.
    pub(crate) fn header(&mut self, header: &Header) {
        trace::write_header(header, &mut self.buffer);
    }

    /// Takes in an event.
    pub(crate) fn event(&mut self, event: &Event) {
        trace::write_event(event, &self.redactor, &mut self.buffer);
    }

    /// Why it could not be written, if that was so.
    pub(crate) fn into_error(mut self) -> Option<io::Error> {
        self.flush();
        self.error
    }

    pub(crate) fn create(path: PathBuf, redactor: Redactor) -> io::Result<Self> {
        Ok(Self {
            file: own(&path)?,
            path,
            redactor,
            buffer: String::new(),
            error: None,
        })
    }

    /// Brings to the disk what is not there yet.
    pub(crate) fn flush(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        if self.error.is_none() {
            self.error = self.file.write_all(self.buffer.as_bytes()).err();
            if self.error.is_some() {
                // Where not even that works, the error that is told says enough.
                let _ = fs::remove_file(&self.path);
            }
        }
        self.buffer.clear();
        self.buffer.shrink_to(BUFFER_KEPT);
    }
}

/// What a recorder leaves behind.
pub(crate) struct Recorded {
    pub(crate) trace: Trace,
    /// The last lines of standard error, by the number of the connection.
    pub(crate) stderr: BTreeMap<u32, Vec<String>>,
    pub(crate) error: Option<io::Error>,
}

/// Records one trace.
pub(crate) struct Recorder {
    header: Header,
    events: Vec<Event>,
    /// Frames as they came, where the recording hides something of them: they are never written.
    raw: BTreeMap<usize, String>,
    weight: usize,
    max: usize,
    limited: bool,
    sink: Option<Sink>,
    /// One a connection: each is a process with a standard error of its own.
    stderr: BTreeMap<u32, StderrTail>,
    stderr_kept: usize,
}

impl Recorder {
    pub(crate) fn new(header: Header, max: usize, mut sink: Option<Sink>) -> Self {
        if let Some(sink) = &mut sink {
            sink.header(&header);
        }
        Self {
            header,
            events: Vec::new(),
            raw: BTreeMap::new(),
            weight: 0,
            max,
            limited: false,
            sink,
            stderr: BTreeMap::new(),
            stderr_kept: 0,
        }
    }

    /// The side that is judged: the target's.
    pub(crate) fn judged(&self) -> Side {
        self.header.judged
    }

    /// The position that the next event will have.
    pub(crate) fn next(&self) -> usize {
        self.events.len()
    }

    /// What crossed the wire and was recorded weighs so much.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }

    /// Nothing that crosses the wire is recorded any more: the target sent too much.
    pub(crate) fn limited(&self) -> bool {
        self.limited
    }

    /// Records what is small and ours: marks, waits, ends. There are few of them, so they have no limit.
    pub(crate) fn push(&mut self, at: Duration, conn: u32, kind: EventKind) {
        let event = Event {
            seq: self.events.len() as u64,
            at_us: u64::try_from(at.as_micros()).unwrap_or(u64::MAX),
            conn,
            kind,
        };
        if let Some(sink) = &mut self.sink {
            sink.event(&event);
        }
        self.events.push(event);
    }

    /// Records a frame; false if the trace is full.
    pub(crate) fn frame(&mut self, at: Duration, conn: u32, from: Side, frame: Frame) -> bool {
        let length = match &frame.body {
            Body::Text(text) => text.len(),
            Body::Bytes(bytes) => bytes.len(),
            Body::Oversize { head, tail, .. } => head.len() + tail.len(),
        };
        if !self.afford(at, conn, length) {
            return false;
        }
        self.push(at, conn, EventKind::Frame { from, frame });
        true
    }

    /// Records what somebody did with a URL; nothing if the trace is full.
    pub(crate) fn of_url(&mut self, at: Duration, conn: u32, url: String, opened: bool) {
        if self.afford(at, conn, url.len()) {
            let kind = if opened {
                EventKind::Opened { url }
            } else {
                EventKind::Fetched { url }
            };
            self.push(at, conn, kind);
        }
    }

    fn afford(&mut self, at: Duration, conn: u32, length: usize) -> bool {
        if self.limited {
            return false;
        }
        let weight = self
            .weight
            .saturating_add(length)
            .saturating_add(EVENT_WEIGHT);
        if weight > self.max {
            self.limited = true;
            self.push(
                at,
                conn,
                EventKind::Limit {
                    bytes: self.weight as u64,
                },
            );
            return false;
        }
        self.weight = weight;
        true
    }

    /// Takes in what the target wrote to its standard error.
    pub(crate) fn stderr(&mut self, at: Duration, conn: u32, bytes: &[u8]) {
        for line in self.stderr.entry(conn).or_default().take(bytes) {
            self.stderr_line(at, conn, line);
        }
    }

    /// The target's standard error ended, perhaps in the middle of a line.
    pub(crate) fn stderr_end(&mut self, at: Duration, conn: u32) {
        if let Some(line) = self.stderr.entry(conn).or_default().finish() {
            self.stderr_line(at, conn, line);
        }
    }

    fn stderr_line(&mut self, at: Duration, conn: u32, text: String) {
        self.stderr_kept += text.len() + 1;
        if self.stderr_kept <= STDERR_KEPT && self.afford(at, conn, text.len()) {
            self.push(at, conn, EventKind::Stderr { text });
        }
    }

    /// Keeps a frame as it came, beside what is recorded of it.
    pub(crate) fn keep(&mut self, index: usize, text: String) {
        self.raw.insert(index, text);
    }

    /// The text of a recorded frame, as it came.
    pub(crate) fn text(&self, index: usize) -> Option<&str> {
        let EventKind::Frame { frame, .. } = &self.events.get(index)?.kind else {
            return None;
        };
        let raw = self.raw.get(&index).map(String::as_str);
        raw.or(frame.text())
    }

    /// The message of a recorded frame, as it came.
    pub(crate) fn message(&self, index: usize) -> Option<Message<'_>> {
        match Message::parse(self.text(index)?) {
            Parsed::Message(message) => Some(message),
            Parsed::Defect(_) => None,
        }
    }

    /// All events so far.
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// Brings to the disk what is not there yet.
    pub(crate) fn flush(&mut self) {
        if let Some(sink) = &mut self.sink {
            sink.flush();
        }
    }

    pub(crate) fn finish(mut self) -> Recorded {
        self.flush();
        Recorded {
            trace: Trace {
                header: self.header,
                events: self.events,
                cut: false,
            },
            stderr: self
                .stderr
                .into_iter()
                .map(|(conn, stderr)| (conn, stderr.lines()))
                .collect(),
            error: self.sink.and_then(|sink| sink.error),
        }
    }
}

/// Splits standard error into lines and keeps the last ones.
#[derive(Debug, Default)]
pub(crate) struct StderrTail {
    open: Vec<u8>,
    /// Something of the open line was left out.
    cut: bool,
    tail: VecDeque<String>,
}

impl StderrTail {
    /// Takes in what came; the lines that it ends come back.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut pieces = bytes.split(|&byte| byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            let room = TAIL_WIDTH.saturating_sub(self.open.len());
            self.open.extend_from_slice(&piece[..piece.len().min(room)]);
            self.cut |= piece.len() > room;
            if pieces.peek().is_some() {
                lines.extend(self.finish());
            }
        }
        lines
    }

    /// Ends the open line.
    fn finish(&mut self) -> Option<String> {
        let mut line = String::from_utf8_lossy(self.open.trim_ascii_end()).into_owned();
        self.open.clear();
        if std::mem::take(&mut self.cut) {
            // A piece of a secret at the cut is known by what stands behind it; half a character would hide it.
            line.truncate(line.trim_end_matches(char::REPLACEMENT_CHARACTER).len());
            line.push('…');
        }
        if line.is_empty() {
            return None;
        }
        let line = plant::seal_text(line);
        if self.tail.len() == TAIL_LINES {
            self.tail.pop_front();
        }
        self.tail.push_back(line.clone());
        Some(line)
    }

    /// The last lines.
    pub(crate) fn lines(mut self) -> Vec<String> {
        self.finish();
        self.tail.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorder(max: usize) -> Recorder {
        let header = Header {
            elenchus_trace: trace::FORMAT,
            elenchus: "0".into(),
            protocol: "acp-v1".into(),
            judged: Side::Server,
            script: "s".into(),
            instance: String::new(),
            seed: 0,
        };
        Recorder::new(header, max, None)
    }

    #[test]
    fn a_full_trace_says_so_once_and_takes_no_more_frames() {
        let mut recorder = recorder(2000);
        let taken = (0..10)
            .filter(|_| recorder.frame(Duration::ZERO, 0, Side::Server, Frame::line("x")))
            .count();
        assert_eq!(taken, 3);
        assert!(recorder.limited());
        recorder.push(Duration::ZERO, 0, EventKind::End);
        let kinds: Vec<_> = recorder.events().iter().map(|event| &event.kind).collect();
        assert!(matches!(
            kinds[3..],
            [EventKind::Limit { bytes: 1539 }, EventKind::End]
        ));
    }

    #[test]
    fn what_is_flushed_is_on_the_disk_while_the_recording_goes_on() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let sink = Sink::create(file.path().to_owned(), Redactor::off()).expect("a file");
        let mut recorder = Recorder::new(recorder(1000).header, 1000, Some(sink));
        recorder.push(
            Duration::ZERO,
            0,
            EventKind::Open {
                target: Side::Server,
            },
        );
        recorder.flush();
        recorder.push(Duration::ZERO, 0, EventKind::End);
        let text = fs::read_to_string(file.path()).expect("a trace");
        let trace = trace::read(&text).expect("a trace up to here");
        assert_eq!(trace.events, recorder.events()[..1]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_cannot_be_written_to_its_end_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trace");
        let mut sink = Sink::create(path.clone(), Redactor::off()).expect("it can be made");
        sink.file = File::options()
            .write(true)
            .open("/dev/full")
            .expect("the file that is always full");
        let mut recorder = Recorder::new(recorder(1000).header, 1000, Some(sink));
        recorder.push(Duration::ZERO, 0, EventKind::End);
        let recorded = recorder.finish();
        assert!(recorded.error.is_some());
        assert!(path.symlink_metadata().is_err());
    }

    #[test]
    fn a_link_in_the_place_of_a_trace_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let [path, other] = ["trace", "other"].map(|name| folder.path().join(name));
        fs::write(&other, "mine").expect("it is written");
        std::os::unix::fs::symlink(&other, &path).expect("a link");
        let sink = Sink::create(path.clone(), Redactor::off()).expect("it can be made");
        drop(Recorder::new(recorder(1000).header, 1000, Some(sink)).finish());
        assert_eq!(fs::read_to_string(&other).expect("it is there"), "mine");
        assert!(path.symlink_metadata().expect("it is there").is_file());
    }

    #[test]
    fn standard_error_is_kept_by_lines_and_the_last_ones_for_people() {
        let mut recorder = recorder(1 << 20);
        recorder.stderr(Duration::ZERO, 0, b"one\ntw");
        recorder.stderr(Duration::ZERO, 0, b"o\r\n\n\xff");
        recorder.stderr_end(Duration::ZERO, 0);
        for _ in 0..10_000 {
            recorder.stderr(Duration::ZERO, 0, b"flood\n");
        }
        let texts: Vec<_> = recorder
            .events()
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::Stderr { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(texts[..3], ["one", "two", "\u{fffd}"]);
        assert!(texts.len() < 3000, "{}", texts.len());
        let tail = recorder.finish().stderr;
        assert_eq!(tail[&0], vec!["flood"; TAIL_LINES]);
    }

    #[test]
    fn of_a_long_line_no_piece_of_a_secret_is_left() {
        let redactor = Redactor::new(["sk-live-é0123456789".to_owned()]);
        for shown in 0..20 {
            let mut tail = StderrTail::default();
            let line = format!(
                "{}sk-live-é0123456789 is bad\n",
                "x".repeat(TAIL_WIDTH - shown)
            );
            let lines = tail.take(line.as_bytes());
            let [line] = &lines[..] else {
                panic!("one line")
            };
            let line = redactor.text(line);
            assert!(!line.contains("sk-l") && line.ends_with('…'), "{line}");
        }
    }

    #[test]
    fn standard_error_of_two_processes_is_not_mixed() {
        let mut recorder = recorder(1 << 20);
        recorder.stderr(Duration::ZERO, 0, b"no con");
        recorder.stderr(Duration::ZERO, 1, b"no con");
        recorder.stderr(Duration::ZERO, 0, b"fig\nbye");
        recorder.stderr_end(Duration::ZERO, 1);
        recorder.stderr_end(Duration::ZERO, 0);
        let told: Vec<_> = recorder
            .events()
            .iter()
            .map(|event| (event.conn, &event.kind))
            .collect();
        let text = |text: &str| EventKind::Stderr { text: text.into() };
        assert_eq!(
            told,
            [
                (0, &text("no config")),
                (1, &text("no con")),
                (0, &text("bye"))
            ]
        );
        let tails = recorder.finish().stderr;
        assert_eq!(tails[&0], ["no config", "bye"]);
        assert_eq!(tails[&1], ["no con"]);
    }
}
