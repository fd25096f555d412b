//! Reference peers inside this process, in virtual time: a wait jumps to the next thing that happens.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    time::Duration,
};

use elenchus_fixtures::peer::{Host, MemoryStore, Out, Peer};

use crate::{
    page::{self, Seen, Submission, below},
    plant,
    told::Told,
    wires::{Exit, Incoming, Intake, Opened, Rung, Wires, Woke},
};

/// Makes a peer for a host. The error is a reason for people.
pub(crate) type MakePeer<'a> = Box<dyn FnMut(Host) -> Result<Box<dyn Peer>, String> + 'a>;

/// The address of our own site. Nothing listens there.
const SITE: &str = "http://127.0.0.1:46999";

/// When a conversation begins: nothing in it takes time by itself, and a recording whose times are next to nothing looks
/// as if it had none.
const BEGIN: Duration = Duration::from_millis(100);

/// The peers of one instance. They share one store, as processes share a home.
pub(crate) struct MemoryWires<'a> {
    make: MakePeer<'a>,
    store: MemoryStore,
    seats: Vec<Seat>,
    timers: BinaryHeap<Reverse<(Duration, u64, u32, u64)>>,
    timers_set: u64,
    now: Duration,
}

/// A peer and what is on its pipes.
struct Seat {
    peer: Box<dyn Peer>,
    site: String,
    input: Vec<u8>,
    shut: bool,
    /// The peer was told that its input ended.
    told: bool,
    output: VecDeque<Output>,
    over: bool,
}

enum Output {
    Bytes(Vec<u8>),
    Log(String),
    Visited(Result<Seen, String>),
    Opened(String),
    Fetched(String),
    Exit(Exit),
}

impl<'a> MemoryWires<'a> {
    pub(crate) fn new(make: MakePeer<'a>) -> Self {
        Self {
            make,
            store: MemoryStore::default(),
            seats: Vec::new(),
            timers: BinaryHeap::new(),
            timers_set: 0,
            now: BEGIN,
        }
    }

    fn seat(&mut self, conn: u32) -> Option<&mut Seat> {
        self.seats.get_mut(conn as usize).filter(|seat| !seat.over)
    }

    /// Carries out what a peer wants done.
    fn carry_out(&mut self, conn: u32, wanted: Vec<Out>) {
        for out in wanted {
            let Some(seat) = self.seat(conn) else { return };
            match out {
                Out::Line(mut line) => {
                    line.push('\n');
                    seat.output.push_back(Output::Bytes(line.into_bytes()));
                }
                Out::Bytes(bytes) => seat.output.push_back(Output::Bytes(bytes)),
                Out::Log(mut line) => {
                    line.push('\n');
                    seat.output.push_back(Output::Log(line));
                }
                Out::Timer { after, token } => {
                    // Time has to pass, or a peer that restarts its timer at once would stop the clock.
                    let at = self.now + after.max(Duration::from_micros(1));
                    self.timers_set += 1;
                    self.timers
                        .push(Reverse((at, self.timers_set, conn, token)));
                }
                Out::Open(url) => seat.output.push_back(Output::Opened(url)),
                Out::Fetch(url) => seat.output.push_back(Output::Fetched(url)),
                Out::Exit(code) => seat.end(Exit {
                    code: Some(code),
                    signal: None,
                }),
            }
        }
    }

    /// Gives a peer all lines that have come in whole, and the end of its input.
    fn feed(&mut self, conn: u32) {
        loop {
            let Some(seat) = self.seat(conn) else { return };
            let wanted = if let Some(lf) = seat.input.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = seat.input.drain(..=lf).collect();
                seat.peer.line(&line[..lf])
            } else if seat.shut && !seat.told {
                // A last line without its end never became a message.
                seat.told = true;
                seat.peer.eof()
            } else {
                return;
            };
            self.carry_out(conn, wanted);
        }
    }

    fn visit_peer(
        &mut self,
        conn: u32,
        url: &str,
        typing: Option<&'static str>,
    ) -> Result<Seen, String> {
        let none = || "no page of the peer's own".to_owned();
        let seat = self.seat(conn).ok_or_else(none)?;
        let path = below(&seat.site, url).ok_or_else(none)?;
        let page = seat.peer.page(path);
        let fetched = seat.peer.fetched(path);
        let mut seen = Seen {
            shows: plant::shows_credential(page.as_bytes()),
            typed: false,
        };
        let site = seat.site.clone();
        self.carry_out(conn, fetched);
        let submission = typing.and_then(|typing| page::fill(&page, url, typing));
        if let Some(Submission {
            url,
            body: Some(form),
        }) = submission
            && let (Some(path), Some(seat)) = (below(&site, &url), self.seat(conn))
        {
            let typed = seat.peer.typed(path, &form);
            seen.typed = true;
            self.carry_out(conn, typed);
        }
        Ok(seen)
    }

    fn deliver(&mut self, intake: Intake<'_>) -> bool {
        let mut any = false;
        let now = self.now;
        for (conn, seat) in (0..).zip(&mut self.seats) {
            for output in seat.output.drain(..) {
                any = true;
                match output {
                    Output::Bytes(bytes) => intake(now, conn, Incoming::Stdout(&bytes)),
                    Output::Log(line) => intake(now, conn, Incoming::Stderr(line.as_bytes())),
                    Output::Visited(outcome) => intake(now, conn, Incoming::Visited(outcome)),
                    Output::Opened(url) => intake(now, conn, Incoming::Opened(url)),
                    Output::Fetched(url) => intake(now, conn, Incoming::Fetched(url)),
                    Output::Exit(exit) => {
                        intake(now, conn, Incoming::Eof);
                        intake(now, conn, Incoming::Exit(exit));
                    }
                }
            }
        }
        any
    }
}

impl Seat {
    fn end(&mut self, exit: Exit) {
        self.over = true;
        self.output.push_back(Output::Exit(exit));
    }
}

impl Wires for MemoryWires<'_> {
    fn now(&self) -> Duration {
        self.now
    }

    fn cwd(&self) -> String {
        "/work".to_owned()
    }

    fn elsewhere(&self) -> Result<String, String> {
        Ok("/elsewhere".to_owned())
    }

    fn open(&mut self, told: &Told) -> Result<Opened, String> {
        let conn =
            u32::try_from(self.seats.len()).map_err(|_| "too many connections".to_owned())?;
        // Nothing listens there: visits are handed to the peer directly.
        let site = format!("http://127.0.0.1:{}", 47_000 + conn % 1000);
        let mut host = Host::new(site.clone(), self.store.clone());
        let told = told.clone();
        host.variable = Box::new(move |name| {
            let planted = plant::ENVIRONMENT.into_iter();
            let told = told.0.iter().map(|(name, value)| (*name, value.as_str()));
            let mut all = told.chain(planted);
            let found = all.find(|(known, _)| *known == name);
            found.map(|(_, value)| value.to_owned())
        });
        let peer = (self.make)(host)?;
        self.seats.push(Seat {
            peer,
            site,
            input: Vec::new(),
            shut: false,
            told: false,
            output: VecDeque::new(),
            over: false,
        });
        let wanted = self.seats[conn as usize].peer.start();
        self.carry_out(conn, wanted);
        Ok(Opened {
            number: conn,
            joined: true,
        })
    }

    fn write(&mut self, conn: u32, bytes: &[u8]) {
        let Some(seat) = self.seat(conn) else { return };
        if seat.peer.reads_lines() {
            seat.input.extend_from_slice(bytes);
        } else {
            let mut wanted = Vec::new();
            for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                wanted.extend(seat.peer.line(line.strip_suffix(b"\n").unwrap_or(line)));
            }
            self.carry_out(conn, wanted);
        }
    }

    fn queued(&self, _conn: u32) -> usize {
        // A peer in memory takes all at once.
        0
    }

    fn hold(&mut self, _conn: u32, _held: bool) {}

    fn shut(&mut self, conn: u32) {
        if let Some(seat) = self.seat(conn) {
            seat.shut = true;
        }
    }

    fn signal(&mut self, conn: u32, rung: Rung) {
        let signal = match rung {
            Rung::Terminate => 15,
            Rung::Kill => 9,
        };
        if let Some(seat) = self.seat(conn)
            && (rung == Rung::Kill || seat.peer.heeds_sigterm())
        {
            seat.end(Exit {
                code: None,
                signal: Some(signal),
            });
        }
    }

    fn site(&mut self) -> Option<String> {
        Some(SITE.to_owned())
    }

    fn visit(&mut self, conn: u32, url: &str, typing: Option<&'static str>) {
        self.feed(conn);
        let outcome = if below(SITE, url).is_some() {
            // Peers in memory fetch nothing: what the site would give them they never see.
            Ok(Seen::default())
        } else {
            self.visit_peer(conn, url, typing)
        };
        if let Some(seat) = self.seats.get_mut(conn as usize) {
            seat.output.push_back(Output::Visited(outcome));
        }
    }

    fn wait(&mut self, until: Duration, intake: Intake<'_>) -> Woke {
        loop {
            for conn in (0..).take(self.seats.len()) {
                self.feed(conn);
            }
            if self.deliver(intake) {
                return Woke::News;
            }
            match self.timers.peek() {
                Some(&Reverse((at, _, conn, token))) if at <= until => {
                    self.timers.pop();
                    self.now = self.now.max(at);
                    if let Some(seat) = self.seat(conn) {
                        let wanted = seat.peer.timer(token);
                        self.carry_out(conn, wanted);
                    }
                }
                _ => {
                    self.now = self.now.max(until);
                    return Woke::Time;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers a line with itself after a while, and ends with its input.
    struct Echo {
        lines: Vec<String>,
    }

    impl Peer for Echo {
        fn start(&mut self) -> Vec<Out> {
            vec![Out::Line("hello".into())]
        }

        fn line(&mut self, line: &[u8]) -> Vec<Out> {
            self.lines.push(String::from_utf8_lossy(line).into_owned());
            vec![Out::Timer {
                after: Duration::from_secs(3600),
                token: self.lines.len() as u64 - 1,
            }]
        }

        fn timer(&mut self, token: u64) -> Vec<Out> {
            vec![Out::Line(
                self.lines[usize::try_from(token).unwrap_or(usize::MAX)].clone(),
            )]
        }

        fn fetched(&mut self, path: &str) -> Vec<Out> {
            vec![Out::Bytes(path.as_bytes().to_vec())]
        }

        fn typed(&mut self, path: &str, form: &str) -> Vec<Out> {
            vec![Out::Line(format!("typed {path} {form}"))]
        }

        fn eof(&mut self) -> Vec<Out> {
            vec![Out::Exit(7), Out::Line("never".into())]
        }
    }

    fn wires() -> MemoryWires<'static> {
        MemoryWires::new(Box::new(|_| Ok(Box::new(Echo { lines: Vec::new() }))))
    }

    fn told(wires: &mut MemoryWires<'_>, until: Duration) -> (Vec<String>, Woke) {
        let mut told = Vec::new();
        let woke = wires.wait(until, &mut |_, conn, incoming| {
            told.push(match incoming {
                Incoming::Stdout(bytes) => {
                    format!("{conn} {}", String::from_utf8_lossy(bytes).trim())
                }
                other => format!("{conn} {other:?}"),
            });
        });
        (told, woke)
    }

    #[test]
    fn a_wait_jumps_to_the_next_event() {
        let mut wires = wires();
        let conn = wires.open(&Told::default()).unwrap().number;
        assert_eq!(
            told(&mut wires, Duration::ZERO),
            (vec!["0 hello".to_owned()], Woke::News)
        );
        wires.write(conn, b"a");
        wires.write(conn, b"b\nc\n");
        assert_eq!(
            told(&mut wires, Duration::from_secs(5)),
            (vec![], Woke::Time)
        );
        assert_eq!(wires.now(), Duration::from_secs(5));
        assert_eq!(
            told(&mut wires, Duration::from_secs(4000)),
            (vec!["0 ab".to_owned()], Woke::News)
        );
        assert_eq!(
            told(&mut wires, Duration::from_secs(4000)),
            (vec!["0 c".to_owned()], Woke::News)
        );
        assert_eq!(wires.now(), BEGIN + Duration::from_secs(3600));
    }

    #[test]
    fn an_exit_ends_all_that_the_peer_says() {
        let mut wires = wires();
        let conn = wires.open(&Told::default()).unwrap().number;
        wires.shut(conn);
        let (told, _) = told(&mut wires, Duration::ZERO);
        assert_eq!(
            told,
            [
                "0 hello",
                "0 Eof",
                "0 Exit(Exit { code: Some(7), signal: None })"
            ]
        );
    }

    #[test]
    fn a_visit_reaches_the_peers_own_site_only() {
        let mut wires = wires();
        let conn = wires.open(&Told::default()).unwrap().number;
        let site = wires.seats[0].site.clone();
        told(&mut wires, Duration::ZERO);
        wires.visit(conn, &format!("{site}/page?x=1#top"), None);
        wires.visit(conn, &site, Some("x"));
        wires.visit(conn, "https://example.com/page", None);
        let (told, _) = told(&mut wires, Duration::ZERO);
        assert_eq!(told[0], "0 /page?x=1");
        assert_eq!(
            told[1],
            "0 Visited(Ok(Seen { shows: false, typed: false }))"
        );
        assert_eq!(told[2..4], ["0 /", "0 typed / secret=x"]);
        assert!(told[4].contains("typed: true"), "{told:?}");
        assert!(told[5].starts_with("0 Visited(Err"), "{told:?}");
    }
}
