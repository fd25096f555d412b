//! A real client and a real agent, with us in the middle: what they say to each other is carried on and recorded, and
//! nothing of it is changed.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use elenchus_protocol::Version;
use elenchus_wire::{
    Body, Class, Event, EventKind, Frame, Framer, Message, Parsed, Side,
    event::Asked,
    redact::Redactor,
    trace::{FORMAT, Header, PAIR, Trace},
};
use tokio::sync::watch;

use crate::{
    interrupt::Guard,
    json, plant,
    process::Starter,
    record::{Sink, StderrTail},
    target::{Launch, Settings},
    told::Told,
    wires::{Exit, Incoming, Opened, Rung, Wires},
};

/// How often a look is taken at one side while the other one is silent.
const TURN: Duration = Duration::from_millis(1);
/// What an event weighs besides its text.
const EVENT_WEIGHT: usize = 512;
/// So much may be on its way to one side before the other one has to wait with what it says.
const MAX_QUEUED: usize = 1024 * 1024;

/// How an agent ends, for its client, that could not be started: as a shell has it.
const NOT_STARTED: Exit = Exit {
    code: Some(127),
    signal: None,
};

/// What a client and an agent said to each other.
#[derive(Debug)]
pub struct Paired {
    /// The version that they agreed upon, if they did.
    pub version: Option<Version>,
    /// What was said, as the agent is judged by it.
    pub agent: Said,
    /// And as the client is.
    pub client: Said,
    /// The last lines of the agent's standard error.
    pub agent_stderr: Vec<String>,
    /// What the client told people, its last lines.
    pub client_stderr: Vec<String>,
    /// Why an agent that the client asked for could not be started.
    pub failure: Option<String>,
    /// The first error in writing the traces.
    pub trace_error: Option<String>,
    /// A signal ended it early.
    pub interrupted: bool,
    /// The client was still there when its time was over.
    pub late: bool,
}

/// A conversation as one of the two is judged by it.
#[derive(Debug)]
pub struct Said {
    /// Its file, in which secrets are hidden.
    pub path: PathBuf,
    /// All of it as it came: what is hidden may be a word of the protocol, and the text around it would say something else.
    pub trace: Trace,
}

/// Lets a client talk to an agent until it ends, for so long at most. What they say is written into this folder as it
/// comes. The error is why one of them could not be started.
///
/// # Errors
/// When one of them cannot be started.
pub fn pair(
    agent: &Launch,
    client: &Launch,
    settings: &Settings,
    limit: Duration,
    traces: &Path,
) -> Result<Paired, String> {
    let (stopper, stop) = watch::channel(false);
    let guard = Guard::new(stopper);
    let mut agents = Starter::new(agent.clone(), stop.clone(), None)?;
    let mut clients = Starter::new(client.clone(), stop.clone(), None)?;
    let mut between = Between {
        agents: Box::new(agents.wires(false, false)?),
        clients: Box::new(clients.wires(false, false)?.with_agents_of_their_own()),
        lines: BTreeMap::new(),
        book: Book::new(traces, Redactor::new(settings.secrets.clone())),
        max_line: settings.max_line,
        max_trace: settings.max_trace,
        weight: 0,
        full: false,
        agent_stderr: StderrTail::default(),
        client_stderr: StderrTail::default(),
        client_ended: false,
        asked: Asked::Nothing,
        failure: None,
    };
    if between.clients.open(&Told::default())?.joined {
        between.of_client(0, Came::Joined);
    }
    let until = Instant::now() + limit;
    let over = |between: &Between<'_>| between.client_ended || between.failure.is_some();
    while !over(&between) && !*stop.borrow() && Instant::now() < until {
        between.turn();
    }
    let interrupted = *stop.borrow();
    let late = !over(&between) && !interrupted;
    between.see_out(settings.goodbye);
    drop(guard);
    Ok(between.finish(interrupted, late))
}

/// One conversation.
struct Talk {
    /// The number of the agent that was started for it.
    agent: u32,
    from_client: Framer,
    from_agent: Framer,
    /// The client has closed its side.
    closed: bool,
    /// The agent has ended.
    ended: bool,
}

/// What happened, and on which side.
enum Came {
    Joined,
    Bytes(Vec<u8>),
    Stderr(Vec<u8>),
    Eof,
    Opened(String),
    Ended(Exit),
}

struct Between<'w> {
    agents: Box<dyn Wires + 'w>,
    clients: Box<dyn Wires + 'w>,
    /// By the number of the client's connection.
    lines: BTreeMap<u32, Talk>,
    book: Book,
    max_line: usize,
    /// How much may be recorded, how much was, and that it was told that nothing more is.
    max_trace: usize,
    weight: usize,
    full: bool,
    agent_stderr: StderrTail,
    client_stderr: StderrTail,
    client_ended: bool,
    /// What we have done to make the client end.
    asked: Asked,
    /// Why an agent could not be started.
    failure: Option<String>,
}

impl Between<'_> {
    /// Carries on what has come. Who talks faster than the other one reads is not listened to meanwhile.
    fn turn(&mut self) {
        for side in [Side::Client, Side::Server] {
            let (wires, other) = match side {
                Side::Client => (&mut self.clients, &self.agents),
                Side::Server => (&mut self.agents, &self.clients),
            };
            for (&conn, talk) in &self.lines {
                let (here, there) = match side {
                    Side::Client => (conn, talk.agent),
                    Side::Server => (talk.agent, conn),
                };
                wires.hold(here, other.queued(there) > MAX_QUEUED);
            }
            let mut came = Vec::new();
            let until = wires.now() + TURN;
            // An interruption is seen by who called us.
            wires.wait(until, &mut |_, number, incoming| {
                came.extend(taken(incoming).map(|what| (number, what)));
            });
            for (number, what) in came {
                match side {
                    Side::Client => self.of_client(number, what),
                    Side::Server => self.of_agent(number, what),
                }
            }
        }
        self.book.flush();
    }

    fn of_client(&mut self, conn: u32, came: Came) {
        match came {
            Came::Joined => self.of_join(conn),
            Came::Bytes(bytes) => {
                let Some(talk) = self.lines.get_mut(&conn) else {
                    return;
                };
                let (agent, mut frames) = (talk.agent, Vec::new());
                talk.from_client.push(&bytes, |frame| frames.push(frame));
                self.record_frames(conn, Side::Client, frames);
                self.agents.write(agent, &bytes);
            }
            Came::Eof => {
                let Some(talk) = self.lines.get_mut(&conn) else {
                    return;
                };
                talk.closed = true;
                let (agent, rest) = (talk.agent, talk.from_client.finish());
                self.record_frames(conn, Side::Client, rest);
                self.record(None, conn, EventKind::Eof { from: Side::Client });
                self.agents.shut(agent);
            }
            Came::Stderr(bytes) => {
                self.client_stderr.take(&bytes);
            }
            Came::Opened(url) => self.record(Some(Side::Client), conn, EventKind::Opened { url }),
            Came::Ended(exit) => {
                self.client_ended = true;
                let kind = EventKind::Exit {
                    code: exit.code,
                    signal: exit.signal,
                    asked: self.asked,
                };
                self.record(Some(Side::Client), conn, kind);
            }
        }
    }

    /// The client asks for an agent, perhaps for one more.
    fn of_join(&mut self, conn: u32) {
        let agent = match self.agents.open(&Told::default()) {
            Ok(Opened { number, .. }) => number,
            Err(reason) => {
                self.failure.get_or_insert(reason);
                return self.clients.end_agent(conn, NOT_STARTED);
            }
        };
        let talk = Talk {
            agent,
            from_client: Framer::new(self.max_line),
            from_agent: Framer::new(self.max_line),
            closed: false,
            ended: false,
        };
        self.lines.insert(conn, talk);
        for target in [Side::Server, Side::Client] {
            self.record(Some(target), conn, EventKind::Open { target });
        }
    }

    fn of_agent(&mut self, number: u32, came: Came) {
        let conn = self
            .lines
            .iter()
            .find(|(_, talk)| talk.agent == number)
            .map(|(conn, _)| *conn);
        let Some(conn) = conn else { return };
        match came {
            Came::Bytes(bytes) => {
                let Some(talk) = self.lines.get_mut(&conn) else {
                    return;
                };
                let mut frames = Vec::new();
                talk.from_agent.push(&bytes, |frame| frames.push(frame));
                self.record_frames(conn, Side::Server, frames);
                self.clients.write(conn, &bytes);
            }
            Came::Eof => {
                let rest = self
                    .lines
                    .get_mut(&conn)
                    .and_then(|talk| talk.from_agent.finish());
                self.record_frames(conn, Side::Server, rest);
                self.record(None, conn, EventKind::Eof { from: Side::Server });
                self.clients.shut(conn);
            }
            Came::Stderr(bytes) => {
                self.agent_stderr.take(&bytes);
            }
            Came::Ended(exit) => {
                let Some(talk) = self.lines.get_mut(&conn) else {
                    return;
                };
                talk.ended = true;
                // The client closes the agent's input before it goes, or has been asked to.
                let closed = talk.closed;
                let kind = EventKind::Exit {
                    code: exit.code,
                    signal: exit.signal,
                    asked: match (self.asked, closed) {
                        (Asked::Nothing, true) => Asked::Close,
                        (asked, _) => asked,
                    },
                };
                self.record(Some(Side::Server), conn, kind);
                self.clients.end_agent(conn, exit);
            }
            Came::Joined | Came::Opened(_) => {}
        }
    }

    fn record_frames(&mut self, conn: u32, from: Side, frames: impl IntoIterator<Item = Frame>) {
        for frame in frames {
            let hidden = plant::seal(&frame, false).map(|(hidden, _)| hidden);
            let frame = hidden.unwrap_or(frame);
            self.record(None, conn, EventKind::Frame { from, frame });
        }
    }

    fn record(&mut self, about: Option<Side>, conn: u32, kind: EventKind) {
        // What comes after the trace is full is carried on, and the ends of processes are still told.
        let small = matches!(kind, EventKind::Exit { .. } | EventKind::Eof { .. });
        let length = match &kind {
            EventKind::Frame { frame, .. } => match &frame.body {
                Body::Text(text) => text.len(),
                Body::Bytes(bytes) => bytes.len(),
                Body::Oversize { head, tail, .. } => head.len() + tail.len(),
            },
            EventKind::Opened { url } => url.len(),
            _ => 0,
        };
        self.weight = self.weight.saturating_add(length + EVENT_WEIGHT);
        if self.weight > self.max_trace && !small {
            if !std::mem::replace(&mut self.full, true) {
                let bytes = self.weight as u64;
                self.book.push(None, conn, EventKind::Limit { bytes });
            }
            return;
        }
        self.book.push(about, conn, kind);
    }

    /// Ends what is still there: the agents when their clients are gone, or both.
    fn see_out(&mut self, goodbye: Duration) {
        let rungs = [
            (None, goodbye),
            (Some((Rung::Terminate, Asked::Terminate)), goodbye),
            (Some((Rung::Kill, Asked::Kill)), Duration::from_secs(5)),
        ];
        for (rung, time) in rungs {
            for (conn, agent) in self.numbers() {
                match rung {
                    None => {
                        self.agents.shut(agent);
                        self.clients.shut(conn);
                    }
                    Some((rung, asked)) => {
                        self.asked = asked;
                        self.agents.signal(agent, rung);
                        self.clients.signal(conn, rung);
                    }
                }
            }
            if let Some((rung, _)) = rung
                && self.lines.is_empty()
            {
                self.clients.signal(0, rung);
            }
            let until = Instant::now() + time;
            while !self.all_ended() && Instant::now() < until {
                self.turn();
            }
        }
    }

    fn numbers(&self) -> Vec<(u32, u32)> {
        let lines = self.lines.iter();
        lines.map(|(conn, talk)| (*conn, talk.agent)).collect()
    }

    fn all_ended(&self) -> bool {
        self.client_ended && self.lines.values().all(|talk| talk.ended)
    }

    fn finish(self, interrupted: bool, late: bool) -> Paired {
        let Self { mut book, .. } = self;
        book.push(None, 0, EventKind::End);
        let version = book.version;
        let told = |lines: StderrTail| -> Vec<String> {
            let lines = lines.lines().into_iter();
            lines
                .map(|line| book.redactor.text(&line).into_owned())
                .collect()
        };
        let [agent_stderr, client_stderr] = [self.agent_stderr, self.client_stderr].map(told);
        let trace_error = book.close();
        let [agent, client] = [Side::Server, Side::Client].map(|side| book.said(side));
        Paired {
            version,
            agent,
            client,
            agent_stderr,
            client_stderr,
            failure: self.failure,
            trace_error,
            interrupted,
            late,
        }
    }
}

/// The two traces: what is about the process of one side stands in the trace in which that side is judged.
struct Book {
    folder: PathBuf,
    redactor: Redactor,
    start: Instant,
    version: Option<Version>,
    /// What was recorded, each with the side whose process it is about, if it is about one. It is written once a version
    /// was agreed upon, which the header of a trace names.
    said: Vec<(Option<Side>, Event)>,
    files: Vec<File>,
    error: Option<String>,
}

/// The trace in which one side is judged.
struct File {
    judged: Side,
    sink: Sink,
    /// The number of the next event.
    next: u64,
}

impl Book {
    fn new(folder: &Path, redactor: Redactor) -> Self {
        Self {
            folder: folder.to_owned(),
            redactor,
            start: Instant::now(),
            version: None,
            said: Vec::new(),
            files: Vec::new(),
            error: None,
        }
    }

    fn path(&self, judged: Side) -> PathBuf {
        let name = match judged {
            Side::Server => "agent",
            Side::Client => "client",
        };
        self.folder.join(format!("{PAIR}.{name}.jsonl"))
    }

    fn push(&mut self, about: Option<Side>, conn: u32, kind: EventKind) {
        let event = Event {
            seq: 0,
            at_us: u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX),
            conn,
            kind,
        };
        self.said.push((about, event));
        if self.version.is_some() {
            return self.write(self.said.len() - 1);
        }
        self.version = self.said.last().and_then(|(_, event)| agreed(event));
        if self.version.is_some() {
            self.begin();
        }
    }

    /// Makes the files, with what was recorded so far.
    fn begin(&mut self) {
        for judged in [Side::Server, Side::Client] {
            let path = self.path(judged);
            match Sink::create(path.clone(), self.redactor.clone()) {
                Ok(mut sink) => {
                    sink.header(&header(judged, self.version));
                    self.files.push(File {
                        judged,
                        sink,
                        next: 0,
                    });
                }
                Err(error) => {
                    let error = format!("{}: {error}", path.display());
                    self.error.get_or_insert(error);
                }
            }
        }
        self.write(0);
    }

    /// Writes what was recorded from this position on.
    fn write(&mut self, from: usize) {
        for file in &mut self.files {
            for (_, event) in self.said[from..]
                .iter()
                .filter(|it| concerns(it, file.judged))
            {
                let event = Event {
                    seq: file.next,
                    ..event.clone()
                };
                file.next += 1;
                file.sink.event(&event);
            }
        }
    }

    /// What one side is judged by.
    fn said(&self, judged: Side) -> Said {
        let events = self.said.iter().filter(|it| concerns(it, judged));
        Said {
            path: self.path(judged),
            trace: Trace {
                header: header(judged, self.version),
                events: events
                    .zip(0..)
                    .map(|((_, event), seq)| Event {
                        seq,
                        ..event.clone()
                    })
                    .collect(),
                cut: false,
            },
        }
    }

    fn flush(&mut self) {
        for file in &mut self.files {
            file.sink.flush();
        }
    }

    /// Ends the files. The first error, if there was one.
    fn close(&mut self) -> Option<String> {
        if self.version.is_none() {
            self.begin();
        }
        for File { judged, sink, .. } in std::mem::take(&mut self.files) {
            if let Some(error) = sink.into_error() {
                let error = format!("{}: {error}", self.path(judged).display());
                self.error.get_or_insert(error);
            }
        }
        self.error.take()
    }
}

/// It stands in the trace in which this side is judged.
fn concerns((about, _): &(Option<Side>, Event), judged: Side) -> bool {
    about.is_none_or(|about| about == judged)
}

fn taken(incoming: Incoming<'_>) -> Option<Came> {
    Some(match incoming {
        Incoming::Joined => Came::Joined,
        Incoming::Stdout(bytes) => Came::Bytes(bytes.to_vec()),
        Incoming::Stderr(bytes) => Came::Stderr(bytes.to_vec()),
        Incoming::Eof => Came::Eof,
        Incoming::Exit(exit) => Came::Ended(exit),
        Incoming::Opened(url) => Came::Opened(url),
        Incoming::Fetched(_) | Incoming::Visited(_) | Incoming::Yielded => return None,
    })
}

/// The version that is agreed upon, if this is an answer to `initialize`.
fn agreed(event: &Event) -> Option<Version> {
    let EventKind::Frame {
        from: Side::Server,
        frame,
    } = &event.kind
    else {
        return None;
    };
    match Message::parse(frame.text()?) {
        Parsed::Message(message) if message.class == Class::Response => {
            let number = json::at(message.result?, &["protocolVersion"])?;
            Version::from_number(number.parse().ok()?)
        }
        _ => None,
    }
}

fn header(judged: Side, version: Option<Version>) -> Header {
    Header {
        elenchus_trace: FORMAT,
        elenchus: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: version.unwrap_or(Version::AcpV1).name().to_owned(),
        judged,
        script: PAIR.to_owned(),
        instance: String::new(),
        seed: 0,
    }
}
