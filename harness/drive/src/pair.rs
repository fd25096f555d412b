//! A real client and a real agent, with us in the middle: what they say to each other is carried on and recorded, and
//! nothing of it is changed.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use elenchus_protocol::Version;
use elenchus_wire::{
    Body, Class, Event, EventKind, Frame, Framer, Message, Parsed, Side,
    event::Asked,
    trace::{FORMAT, Header, Trace},
};
use tokio::sync::watch;

use crate::{
    interrupt::Guard,
    json, plant,
    process::Starter,
    target::{Launch, Settings},
    told::Told,
    wires::{Incoming, Opened, Rung, Wires},
};

/// How often a look is taken at one side while the other one is silent.
const TURN: Duration = Duration::from_millis(1);
/// What stands in the header of such a trace in place of a script.
const PAIR: &str = "pair";
/// What an event weighs besides its text.
const EVENT_WEIGHT: usize = 512;

/// What a client and an agent said to each other.
#[derive(Debug)]
pub struct Paired {
    /// The version that they agreed upon, if they did.
    pub version: Option<Version>,
    /// The trace as it is judged for the agent.
    pub agent: Trace,
    /// And for the client.
    pub client: Trace,
    /// The last lines of the agent's standard error.
    pub agent_stderr: Vec<String>,
    /// What the client told people, its last lines.
    pub client_stderr: Vec<String>,
    /// A signal ended it early.
    pub interrupted: bool,
    /// The client was still there when its time was over.
    pub late: bool,
}

/// Lets a client talk to an agent until it ends, for so long at most. The error is why one of them could not be started.
///
/// # Errors
/// When one of them cannot be started.
pub fn pair(
    agent: &Launch,
    client: &Launch,
    settings: &Settings,
    limit: Duration,
) -> Result<Paired, String> {
    let (stopper, stop) = watch::channel(false);
    let guard = Guard::new(stopper);
    let mut agents = Starter::new(agent.clone(), stop.clone(), None)?;
    let mut clients = Starter::new(client.clone(), stop.clone(), None)?;
    let mut between = Between {
        agents: Box::new(agents.wires(false, false)?),
        clients: Box::new(clients.wires(false, false)?),
        lines: BTreeMap::new(),
        events: Vec::new(),
        start: Instant::now(),
        max_line: settings.max_line,
        max_trace: settings.max_trace,
        weight: 0,
        full: false,
        agent_stderr: Tail::default(),
        client_stderr: Tail::default(),
        client_ended: false,
        asked: Asked::Nothing,
    };
    if between.clients.open(&Told::default())?.joined {
        between.of_client(0, Came::Joined)?;
    }
    let until = Instant::now() + limit;
    while !between.client_ended && !*stop.borrow() && Instant::now() < until {
        between.turn()?;
    }
    let interrupted = *stop.borrow();
    let late = !between.client_ended && !interrupted;
    between.see_out(settings.goodbye)?;
    drop(guard);
    Ok(between.finish(interrupted, late))
}

/// The last lines of a text.
#[derive(Debug, Default)]
struct Tail {
    lines: Vec<String>,
    open: Vec<u8>,
}

impl Tail {
    /// How many are kept.
    const KEPT: usize = 12;
    /// The longest of them, in bytes.
    const WIDTH: usize = 400;

    fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte == b'\n' {
                self.end_line();
            } else if self.open.len() < Self::WIDTH {
                self.open.push(byte);
            }
        }
    }

    fn end_line(&mut self) {
        let line = String::from_utf8_lossy(&self.open).into_owned();
        self.open.clear();
        self.lines.push(plant::seal_text(line));
        let over = self.lines.len().saturating_sub(Self::KEPT);
        self.lines.drain(..over);
    }

    fn finish(mut self) -> Vec<String> {
        if !self.open.is_empty() {
            self.end_line();
        }
        self.lines
    }
}

/// One conversation.
struct Talk {
    /// The number of the agent that was started for it.
    agent: u32,
    from_client: Framer,
    from_agent: Framer,
}

/// What happened, and on which side.
enum Came {
    Joined,
    Bytes(Vec<u8>),
    Stderr(Vec<u8>),
    Eof,
    Opened(String),
    Ended(crate::wires::Exit),
}

struct Between<'w> {
    agents: Box<dyn Wires + 'w>,
    clients: Box<dyn Wires + 'w>,
    /// By the number of the client's connection.
    lines: BTreeMap<u32, Talk>,
    /// Each with the side whose process it is about, if it is about one.
    events: Vec<(Option<Side>, Event)>,
    start: Instant,
    max_line: usize,
    /// How much may be recorded, how much was, and that it was told that nothing more is.
    max_trace: usize,
    weight: usize,
    full: bool,
    agent_stderr: Tail,
    client_stderr: Tail,
    client_ended: bool,
    /// What we have done to make the client end.
    asked: Asked,
}

impl Between<'_> {
    /// Carries on what has come. The error is why an agent could not be started.
    fn turn(&mut self) -> Result<(), String> {
        for side in [Side::Client, Side::Server] {
            let wires = match side {
                Side::Client => &mut self.clients,
                Side::Server => &mut self.agents,
            };
            let mut came = Vec::new();
            let until = wires.now() + TURN;
            // An interruption is seen by who called us.
            wires.wait(until, &mut |_, number, incoming| {
                came.extend(taken(incoming).map(|what| (number, what)));
            });
            for (number, what) in came {
                match side {
                    Side::Client => self.of_client(number, what)?,
                    Side::Server => self.of_agent(number, what),
                }
            }
        }
        Ok(())
    }

    fn of_client(&mut self, conn: u32, came: Came) -> Result<(), String> {
        match came {
            Came::Joined => {
                let Opened { number, .. } = self.agents.open(&Told::default())?;
                let talk = Talk {
                    agent: number,
                    from_client: Framer::new(self.max_line),
                    from_agent: Framer::new(self.max_line),
                };
                self.lines.insert(conn, talk);
                for target in [Side::Server, Side::Client] {
                    self.record(Some(target), conn, EventKind::Open { target });
                }
            }
            Came::Bytes(bytes) => {
                let Some(talk) = self.lines.get_mut(&conn) else {
                    return Ok(());
                };
                let (agent, mut frames) = (talk.agent, Vec::new());
                talk.from_client.push(&bytes, |frame| frames.push(frame));
                self.record_frames(conn, Side::Client, frames);
                self.agents.write(agent, &bytes);
            }
            Came::Eof => {
                let Some(talk) = self.lines.get_mut(&conn) else {
                    return Ok(());
                };
                let (agent, rest) = (talk.agent, talk.from_client.finish());
                self.record_frames(conn, Side::Client, rest);
                self.record(None, conn, EventKind::Eof { from: Side::Client });
                self.agents.shut(agent);
            }
            Came::Stderr(bytes) => self.client_stderr.push(&bytes),
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
        Ok(())
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
            Came::Stderr(bytes) => self.agent_stderr.push(&bytes),
            Came::Ended(exit) => {
                // The client closes the agent's input before it goes, or has been asked to.
                let closed = self.events.iter().any(|(_, event)| {
                    event.conn == conn && event.kind == EventKind::Eof { from: Side::Client }
                });
                let kind = EventKind::Exit {
                    code: exit.code,
                    signal: exit.signal,
                    asked: match (self.asked, closed) {
                        (Asked::Nothing, true) => Asked::Close,
                        (asked, _) => asked,
                    },
                };
                self.record(Some(Side::Server), conn, kind);
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
                self.push(None, conn, EventKind::Limit { bytes });
            }
            return;
        }
        self.push(about, conn, kind);
    }

    fn push(&mut self, about: Option<Side>, conn: u32, kind: EventKind) {
        let event = Event {
            seq: 0,
            at_us: u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX),
            conn,
            kind,
        };
        self.events.push((about, event));
    }

    /// Ends what is still there: the agents when their clients are gone, or both.
    fn see_out(&mut self, goodbye: Duration) -> Result<(), String> {
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
                self.turn()?;
            }
        }
        Ok(())
    }

    fn numbers(&self) -> Vec<(u32, u32)> {
        let lines = self.lines.iter();
        lines.map(|(conn, talk)| (*conn, talk.agent)).collect()
    }

    fn all_ended(&self) -> bool {
        let ended = self.events.iter().filter(|(about, event)| {
            *about == Some(Side::Server) && matches!(event.kind, EventKind::Exit { .. })
        });
        self.client_ended && ended.count() >= self.lines.len()
    }

    fn finish(self, interrupted: bool, late: bool) -> Paired {
        let version = agreed(&self.events);
        Paired {
            version,
            agent: trace(&self.events, Side::Server, version),
            client: trace(&self.events, Side::Client, version),
            agent_stderr: self.agent_stderr.finish(),
            client_stderr: self.client_stderr.finish(),
            interrupted,
            late,
        }
    }
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

/// The version of the first answer to `initialize`.
fn agreed(events: &[(Option<Side>, Event)]) -> Option<Version> {
    let number = events.iter().find_map(|(_, event)| {
        let EventKind::Frame {
            from: Side::Server,
            frame,
        } = &event.kind
        else {
            return None;
        };
        match Message::parse(frame.text()?) {
            Parsed::Message(message) if message.class == Class::Response => {
                json::at(message.result?, &["protocolVersion"])?
                    .parse()
                    .ok()
            }
            _ => None,
        }
    });
    number.and_then(Version::from_number)
}

/// The trace in which this side is judged: what is about the other one's process is left out.
fn trace(events: &[(Option<Side>, Event)], judged: Side, version: Option<Version>) -> Trace {
    let events = events
        .iter()
        .filter(|(about, _)| about.is_none_or(|about| about == judged))
        .map(|(_, event)| event.clone());
    let end = Event {
        seq: 0,
        at_us: 0,
        conn: 0,
        kind: EventKind::End,
    };
    let mut events: Vec<Event> = events.chain([end]).collect();
    let last = events.iter().map(|event| event.at_us).max();
    for (seq, event) in (0..).zip(&mut events) {
        event.seq = seq;
        if event.kind == EventKind::End {
            event.at_us = last.unwrap_or_default();
        }
    }
    Trace {
        header: Header {
            elenchus_trace: FORMAT,
            elenchus: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: version.unwrap_or(Version::AcpV1).name().to_owned(),
            judged,
            script: PAIR.to_owned(),
            instance: String::new(),
            seed: 0,
        },
        events,
        cut: false,
    }
}
