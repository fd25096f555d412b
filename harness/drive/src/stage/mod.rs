//! The stage of one instance: wires and books together. Everything is recorded here, and every wait ends here.

mod agent;
pub(crate) mod book;
pub(crate) mod conn;
mod dismiss;
mod ending;
mod fence;
pub(crate) mod plan;
mod reach;
mod reply;
mod requests;
mod sign_in;
mod take;
mod tidy;
pub(crate) mod vars;
mod warm;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use elenchus_protocol::Version;
use elenchus_wire::{EventKind, Frame, Mark, Wait, frame};

use self::{book::Book, conn::Conn, plan::Plan, vars::Vars};
pub(crate) use self::{
    ending::Left,
    fence::FencePolicy,
    reply::error_line,
    requests::{shortened, spoken},
    sign_in::logins,
    warm::Warm,
};
use crate::{
    plant,
    record::{Recorded, Recorder},
    room::{Place, Room},
    target::Settings,
    told::Told,
    wires::{Incoming, Opened, Wires, Woke},
};

/// How long we wait between two pieces of a line, so that a reader sees them one by one.
const BETWEEN_PIECES: Duration = Duration::from_micros(100);

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With what was waited for.
    Met,
    /// With the time.
    Time,
    /// The instance is over: the trace is full, or the program has to stop.
    Over,
}

/// What the control run has learned about how long it is worth to wait for things that this target never does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Patience {
    /// It has never answered a fence: fences after this get a short wait, which accuses nobody.
    pub(crate) short_fence: bool,
    /// It lives on after its stdin closed: after this it is sent SIGTERM soon, which accuses nobody either.
    pub(crate) short_goodbye: bool,
    /// A client looks at its agent so often, and then starts it again for its work.
    pub(crate) probes: usize,
}

/// One performance.
pub(crate) struct Stage<'s> {
    wires: Box<dyn Wires + 's>,
    pub(crate) book: Book<'s>,
    pub(crate) settings: &'s Settings,
    pub(crate) patience: Patience,
    /// Bytes that are held back, to leave in one write.
    held: Option<BTreeMap<usize, Vec<u8>>>,
    fences: u32,
    /// How many waits ended without what they waited for.
    pub(crate) deadlines: u32,
    pub(crate) interrupted: bool,
    /// What the first connection takes over, with a process that is there already.
    pub(crate) warm: Option<Warm>,
    /// How many scripts that process has served.
    pub(crate) served: u32,
    /// Where a conversation that grows long waits for others that have, and the place that it has found.
    pub(crate) room: Option<&'s Arc<Room>>,
    place: Option<Place>,
    /// The files of this instance's own that a client was asked to write.
    files: BTreeSet<String>,
}

impl<'s> Stage<'s> {
    pub(crate) fn new(
        wires: Box<dyn Wires + 's>,
        recorder: Recorder,
        plan: Plan<'s>,
        version: Version,
        canary: String,
        settings: &'s Settings,
    ) -> Self {
        let book = Book {
            conns: Vec::new(),
            vars: Vars::default(),
            plan,
            names: BTreeMap::new(),
            outbox: Vec::new(),
            canary,
            version,
            heeded: BTreeSet::new(),
            follows: None,
            us: recorder.judged().other(),
            max_line: settings.max_line,
            recorder,
            failures: reach::Failures::default(),
        };
        Self {
            wires,
            book,
            settings,
            patience: Patience::default(),
            held: None,
            fences: 0,
            deadlines: 0,
            interrupted: false,
            warm: None,
            served: 0,
            room: None,
            place: None,
            files: BTreeSet::new(),
        }
    }

    pub(crate) fn now(&self) -> Duration {
        self.wires.now()
    }

    /// How many bytes of memory the targets hold, where that can be told.
    pub(crate) fn resident(&self) -> Option<u64> {
        self.wires.resident()
    }

    pub(crate) fn cwd(&self) -> String {
        self.wires.cwd()
    }

    pub(crate) fn elsewhere(&self) -> Result<String, String> {
        self.wires.elsewhere()
    }

    pub(crate) fn conn(&self, conn: usize) -> &Conn {
        &self.book.conns[conn]
    }

    /// Nothing more can be learned: the trace is full, or the program has to stop.
    pub(crate) fn over(&self) -> bool {
        self.interrupted || self.book.recorder.limited()
    }

    /// Records what concerns the whole instance.
    pub(crate) fn record(&mut self, kind: EventKind) {
        let now = self.now();
        self.book.recorder.push(now, 0, kind);
    }

    /// Records what concerns a connection.
    pub(crate) fn record_on(&mut self, conn: usize, kind: EventKind) {
        let now = self.now();
        let number = self.book.conns[conn].number;
        self.book.recorder.push(now, number, kind);
    }

    pub(crate) fn mark(&mut self, conn: Option<usize>, mark: Mark) {
        match conn {
            Some(conn) => self.record_on(conn, EventKind::Mark(mark)),
            None => self.record(EventKind::Mark(mark)),
        }
    }

    /// Records that a wait ended without what it waited for.
    pub(crate) fn deadline(&mut self, conn: usize, wait: Wait, waited: Duration) {
        let ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        self.deadlines += 1;
        self.record_on(conn, EventKind::Deadline { wait, ms });
    }

    /// Starts a target, and a client with what it is told. The error is a reason for people.
    pub(crate) fn connect(&mut self, told: &Told) -> Result<usize, String> {
        let Opened { number, joined } = self.wires.open(told)?;
        let mut opened = Conn::new(number, self.book.version, self.settings.max_line);
        opened.joined = joined;
        opened.told = told.clone();
        self.book.conns.push(opened);
        let conn = self.book.conns.len() - 1;
        let target = self.book.us.other();
        self.record_on(conn, EventKind::Open { target });
        for mark in told.marks() {
            self.mark(Some(conn), mark);
        }
        Ok(conn)
    }

    /// Sends a line: recorded first, then written. No line may be begun.
    pub(crate) fn send(&mut self, conn: usize, line: &str) {
        if self.held.is_some() || self.book.conns[conn].longest_write.is_some() {
            self.mark(Some(conn), Mark::Chunked);
        }
        let now = self.now();
        let number = self.book.conns[conn].number;
        if self
            .book
            .recorder
            .frame(now, number, self.book.us, Frame::line(line))
        {
            self.book.conns[conn].sent += 1;
            let mut bytes = line.as_bytes().to_vec();
            bytes.push(b'\n');
            self.put(conn, &bytes);
        }
    }

    /// Sends exactly these bytes. Each line that they complete is recorded before any of them leaves.
    pub(crate) fn send_raw(&mut self, conn: usize, bytes: &[u8]) {
        let mut frames = Vec::new();
        let begun = self.book.conns[conn].mid_line();
        self.book.conns[conn]
            .writing
            .push(bytes, |frame| frames.push(frame));
        let cut = begun || frames.len() > 1 || self.book.conns[conn].longest_write.is_some();
        for frame in frames {
            if cut {
                self.mark(Some(conn), Mark::Chunked);
            }
            self.sent_raw_frame(conn, frame);
        }
        self.put(conn, bytes);
    }

    fn sent_raw_frame(&mut self, conn: usize, frame: Frame) {
        let text = frame.text().map(str::to_owned);
        let defects = frame::defects(&frame);
        let well_formed = text.as_deref().is_some_and(requests::well_formed)
            && defects.iter().all(|defect| {
                matches!(
                    defect,
                    frame::FrameDefect::CarriageReturn | frame::FrameDefect::LineSeparator
                )
            });
        if !well_formed {
            self.mark(Some(conn), Mark::Malformed);
        }
        let now = self.now();
        let number = self.book.conns[conn].number;
        if !self.book.recorder.frame(now, number, self.book.us, frame) {
            return;
        }
        self.book.conns[conn].sent += 1;
        if let (true, Some(text)) = (well_formed, text) {
            self.sent_raw_message(conn, &text);
        }
    }

    fn put(&mut self, conn: usize, bytes: &[u8]) {
        if let Some(held) = &mut self.held {
            return held.entry(conn).or_default().extend_from_slice(bytes);
        }
        let number = self.book.conns[conn].number;
        let size = self.book.conns[conn]
            .longest_write
            .unwrap_or(bytes.len())
            .max(1);
        for (turn, piece) in bytes.chunks(size).enumerate() {
            if turn > 0 {
                // What comes meanwhile is taken in, and answered after the line.
                let until = self.now().saturating_add(BETWEEN_PIECES);
                while self.turn_of_wires(until) == Ended::Met {}
            }
            self.wires.write(number, piece);
        }
    }

    /// Holds back what is sent from here on.
    pub(crate) fn hold(&mut self) {
        self.held = Some(BTreeMap::new());
    }

    /// Lets go of what was held back on a connection.
    pub(crate) fn release_on(&mut self, conn: usize) {
        if let Some(bytes) = self.held.as_mut().and_then(|held| held.remove(&conn)) {
            self.wires.write(self.book.conns[conn].number, &bytes);
        }
    }

    /// Lets go of what was held back, in one write for each connection.
    pub(crate) fn release(&mut self) {
        for (conn, bytes) in self.held.take().unwrap_or_default() {
            self.wires.write(self.book.conns[conn].number, &bytes);
        }
    }

    /// The address of our own site, if there can be one.
    pub(crate) fn site(&mut self) -> Option<String> {
        self.wires.site()
    }

    /// Opens the page of an elicitation as a person would, and perhaps types into it.
    pub(crate) fn visit(&mut self, conn: usize, request: &str, url: &str, typing: bool) {
        self.mark(
            Some(conn),
            Mark::Visit {
                request: request.to_owned(),
            },
        );
        let visitor = &mut self.book.conns[conn];
        visitor.visited = None;
        visitor.visiting = Some(request.to_owned());
        visitor.types |= typing;
        let typing = typing.then_some(plant::TYPED);
        self.wires.visit(visitor.number, url, typing);
    }

    /// Waits until the page has come. The error is a reason for people.
    pub(crate) fn await_page(&mut self, conn: usize) -> Result<(), String> {
        match self.wait(self.settings.answer, |book| {
            book.conns[conn].visited.is_some()
        }) {
            Ended::Met => match self.book.conns[conn].visited.take() {
                Some(Err(reason)) => Err(reason),
                _ => Ok(()),
            },
            Ended::Time => Err("the page did not come".to_owned()),
            Ended::Over => Err(self.why_over()),
        }
    }

    /// Waits until the books show what is waited for, for so long.
    pub(crate) fn wait(&mut self, time: Duration, met: impl Fn(&Book<'_>) -> bool) -> Ended {
        let until = self.now().saturating_add(time);
        self.release();
        loop {
            for (conn, line) in std::mem::take(&mut self.book.outbox) {
                if self.book.conns[conn].mid_line() {
                    // Here it would be the end of another line. It can wait for that.
                    self.book.outbox.push((conn, line));
                } else if self.book.conns[conn].live() {
                    self.send(conn, &line);
                }
            }
            if met(&self.book) {
                return Ended::Met;
            }
            if self.over() {
                return Ended::Over;
            }
            if self.now() > until {
                return Ended::Time;
            }
            if self.turn_of_wires(until) == Ended::Time {
                return Ended::Time;
            }
        }
    }

    /// A conversation that has grown long goes on when no other one is. Nothing is read meanwhile, and no clock runs.
    fn find_place(&mut self) {
        let long = |room: &&Arc<Room>| self.place.is_none() && room.is_long(self.book.held());
        let Some(room) = self.room.filter(long) else {
            return;
        };
        let start = self.now();
        self.place = room.enter();
        let waited = self.now().saturating_sub(start);
        self.wires.postpone(waited);
    }

    /// One wait on the wires, with everything that we know already on the disk.
    fn turn_of_wires(&mut self, until: Duration) -> Ended {
        self.book.recorder.flush();
        self.find_place();
        let Self { wires, book, .. } = self;
        let intake = &mut |at, conn, incoming: Incoming<'_>| book.take(at, conn, incoming);
        match wires.wait(until, intake) {
            Woke::News => Ended::Met,
            Woke::Time => Ended::Time,
            Woke::Interrupted => {
                self.interrupted = true;
                Ended::Over
            }
        }
    }

    /// Why an instance that is over is over.
    pub(crate) fn why_over(&self) -> String {
        if self.interrupted {
            "the run was interrupted".to_owned()
        } else {
            "the target sent more than a trace may hold".to_owned()
        }
    }

    /// Leaves the process of the only connection to a later script.
    pub(crate) fn keep(&mut self) {
        self.wires.keep();
    }

    /// Ends the recording. What the target has made for us goes with it. The place of a long conversation is its own until
    /// nobody needs the recording any more.
    pub(crate) fn finish(mut self) -> (Recorded, Option<Place>) {
        for path in std::mem::take(&mut self.files) {
            self.wires.remove_file(&path);
        }
        self.record(EventKind::End);
        (self.book.recorder.finish(), self.place)
    }
}
