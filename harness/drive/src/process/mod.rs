//! Targets as processes, in real time. Nothing of them outlives their instance.
//!
//! All pipes of an instance are moved on by one future, which runs only while the interpreter waits; so reading goes
//! on while a write is stuck, and nothing is read that is not recorded at once. A program that is ended by SIGKILL
//! cannot clean up: its targets then see their stdin close, and what ignores that stays.

mod fetch;
mod janitor;
mod link;
mod outgoing;
mod party;
mod remove;
mod scratch;
mod site;
mod target;
mod terminal;
mod tree;

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll},
    thread,
    time::{Duration, Instant},
};

use tokio::{runtime::Runtime, sync::watch, task::yield_now, time::timeout_at};

pub(crate) use self::janitor::Janitor;
pub use self::remove::left_behind;
use self::{
    janitor::Bin,
    link::Link,
    party::Party,
    scratch::Scratch,
    site::{Guests, Site},
};
use crate::{
    page::{self, Seen},
    target::{Launch, Settings},
    told::Told,
    wires::{Exit, Incoming, Intake, Opened, Rung, Wires, Woke},
};

/// How the reason begins where not even the scratch folder could be made.
pub(crate) const NO_SCRATCH: &str = "no scratch folder";
/// The size of one read.
const READ: usize = 64 * 1024;
/// By how much the timers of the event loop may be late: they count milliseconds.
const TICK: Duration = Duration::from_millis(1);
/// How often the pipes are looked at where such a timer is too coarse: for the quiet window of a native target, or the
/// gap of a race.
const NAP: Duration = Duration::from_micros(100);

/// Starts processes; one for each thread that performs instances.
pub(crate) struct Starter {
    runtime: Runtime,
    launch: Launch,
    stop: watch::Receiver<bool>,
    spare: Option<Spare>,
    /// What an instance has left to the next one.
    kept: Option<Spare>,
    bin: Option<Bin>,
}

/// A process that is there ahead of its instance.
struct Spare {
    scratch: Rc<Scratch>,
    party: Result<Party, String>,
}

impl Starter {
    pub(crate) fn new(
        launch: Launch,
        stop: watch::Receiver<bool>,
        janitor: Option<&Janitor>,
    ) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("no event loop: {error}"))?;
        Ok(Self {
            runtime,
            launch,
            stop,
            spare: None,
            kept: None,
            bin: janitor.and_then(Janitor::bin),
        })
    }

    fn scratch(&self) -> Result<Rc<Scratch>, String> {
        Scratch::new(self.bin.clone())
            .map(Rc::new)
            .map_err(|error| format!("{NO_SCRATCH}: {error}"))
    }

    fn start(&self) -> Result<Spare, String> {
        let scratch = self.scratch()?;
        let _inside = self.runtime.enter();
        Ok(Spare {
            party: Party::start(&self.launch, &scratch, 0, &Told::default()),
            scratch,
        })
    }

    /// Whether the command answers this request when it speaks on a terminal.
    pub(crate) fn answers_on_terminal(&self, request: &str, settings: &Settings) -> bool {
        terminal::answers(&self.launch, request, settings)
    }

    /// The wires of a new instance. With `more`, the process of an instance after it is started as well, so that it
    /// is awake when its turn comes. With `kept`, the instance has the process that the one before it has left.
    pub(crate) fn wires(&mut self, more: bool, kept: bool) -> Result<ProcessWires<'_>, String> {
        // What is not taken over ends here.
        let left = self.kept.take().filter(|_| kept);
        // A client cannot be started ahead: what it is told is not known before its instance.
        let ahead = !self.launch.is_client();
        let spare = match left.or_else(|| self.spare.take()) {
            None if ahead => Some(self.start()?),
            spare => spare,
        };
        if more && ahead && self.spare.is_none() {
            self.spare = self.start().ok();
        }
        let (scratch, first) = match spare {
            Some(Spare { scratch, party }) => (scratch, Some(party)),
            None => (self.scratch()?, None),
        };
        Ok(ProcessWires {
            runtime: &self.runtime,
            launch: &self.launch,
            kept: &mut self.kept,
            stop: Some(self.stop.clone()),
            start: Instant::now(),
            scratch,
            first,
            parties: Vec::new(),
            seats: Vec::new(),
            visits: Vec::new(),
            site: None,
            visited_last: 0,
            buffer: vec![0; READ],
            agents_live_on: false,
        })
    }
}

impl Drop for Starter {
    fn drop(&mut self) {
        // The last one that goes leaves no target, and then everything is known to be left behind.
        self.spare = None;
        self.kept = None;
        tree::sweep_orphans();
    }
}

/// The processes of one instance. They share one scratch folder.
pub(crate) struct ProcessWires<'s> {
    runtime: &'s Runtime,
    launch: &'s Launch,
    kept: &'s mut Option<Spare>,
    /// `None` once an interruption was told.
    stop: Option<watch::Receiver<bool>>,
    start: Instant,
    scratch: Rc<Scratch>,
    first: Option<Result<Party, String>>,
    parties: Vec<Party>,
    /// By the number of the connection.
    seats: Vec<Seat>,
    visits: Vec<(u32, Visit)>,
    /// Our own site, once it was asked for, and the connection whose page was opened last.
    site: Option<Site>,
    visited_last: u32,
    buffer: Vec<u8>,
    /// The agents of clients are programs of their own, whose ends are told by [`Wires::end_agent`].
    agents_live_on: bool,
}

/// One connection.
struct Seat {
    /// The place of the process behind it.
    party: usize,
    /// The way to a client that has started its agent; others are talked to on their stdio.
    link: Option<Link>,
}

/// The most connections of one instance: a client that goes on starting agents is not followed for ever.
const SEATS: usize = 64;

type Visit = Pin<Box<dyn Future<Output = Result<Seen, String>>>>;

impl ProcessWires<'_> {
    /// The agents of clients are other programs than this one: they do not end because a client has closed their stdin.
    pub(crate) fn with_agents_of_their_own(mut self) -> Self {
        self.agents_live_on = true;
        self
    }

    /// Moves everything on. True if something came in.
    fn poll(&mut self, context: &mut Context<'_>, intake: Intake<'_>) -> bool {
        let mut news = false;
        let now = self.start.elapsed();
        for place in 0..self.parties.len() {
            news |= self.poll_party(place, now, context, intake);
        }
        self.visits
            .retain_mut(|(conn, visit)| match visit.as_mut().poll(context) {
                Poll::Ready(outcome) => {
                    news = true;
                    intake(now, *conn, Incoming::Visited(outcome));
                    false
                }
                Poll::Pending => true,
            });
        if let Some(site) = &mut self.site {
            let Guests { yielded, fetched } = site.poll(context);
            if yielded {
                news = true;
                intake(now, self.visited_last, Incoming::Yielded);
            }
            // Who fetches it matters where the target is the one that must not; of two clients nobody knows which it was.
            if self.launch.is_client() && self.parties.len() == 1 {
                for url in fetched {
                    news = true;
                    intake(now, self.visited_last, Incoming::Fetched(url));
                }
            }
        }
        news
    }

    /// Moves a process and its connections on. True if something came in.
    fn poll_party(
        &mut self,
        place: usize,
        now: Duration,
        context: &mut Context<'_>,
        intake: Intake<'_>,
    ) -> bool {
        let Self {
            parties,
            seats,
            buffer,
            agents_live_on,
            ..
        } = self;
        let agents_live_on = *agents_live_on;
        let party = &mut parties[place];
        let number = party.number;
        let mut links = seats.iter().filter(|seat| seat.party == place);
        let linked = links.any(|seat| seat.link.as_ref().is_some_and(|link| !link.ended()));
        let mut news = party.poll(context, buffer, linked, &mut |incoming| {
            intake(now, number, incoming);
        });
        for turn in 0..SEATS {
            let Some(stream) = party.poll_accept(context) else {
                break;
            };
            let link = Link::new(stream, agents_live_on);
            if turn + 1 == SEATS {
                // Whoever goes on connecting keeps nobody else waiting.
                context.waker().wake_by_ref();
            }
            let first = &mut seats[number as usize];
            let joined = if first.link.is_none() {
                first.link = Some(link);
                number
            } else if let (true, Ok(joined)) = (seats.len() < SEATS, u32::try_from(seats.len())) {
                let link = Some(link);
                seats.push(Seat { party: place, link });
                joined
            } else {
                continue;
            };
            news = true;
            intake(now, joined, Incoming::Joined);
        }
        for url in party.poll_opened(context, buffer) {
            news = true;
            intake(now, number, Incoming::Opened(url));
        }
        let mut linked = false;
        for (conn, seat) in (0..).zip(seats.iter_mut()) {
            let link = seat.link.as_mut().filter(|_| seat.party == place);
            let Some(link) = link else { continue };
            if link.ended() {
                link.poll_write(context);
                continue;
            }
            news |= link.poll(context, buffer, party.ended(), &mut |incoming| {
                intake(now, conn, incoming);
            });
            linked |= !link.ended();
        }
        if let Some(exit) = party.take_exit(linked) {
            news = true;
            for (conn, seat) in (0..).zip(seats.iter_mut()) {
                if seat.party != place {
                    continue;
                }
                if let Some(link) = &mut seat.link {
                    link.end(&mut |incoming| intake(now, conn, incoming));
                }
                intake(now, conn, Incoming::Exit(exit));
            }
        }
        news
    }

    /// When a target has to be looked at again even if nothing wakes us.
    fn look_again(&self) -> Option<Instant> {
        self.parties.iter().filter_map(Party::look_again).min()
    }

    fn party(&mut self, conn: u32) -> Option<&mut Party> {
        let seat = self.seats.get(conn as usize)?;
        Some(&mut self.parties[seat.party]).filter(|party| !party.over())
    }
}

impl Wires for ProcessWires<'_> {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn postpone(&mut self, time: Duration) {
        self.start += time;
    }

    fn cwd(&self) -> String {
        // Never the folder that it was started in, which may be the operator's: an agent works in what it is told here.
        self.scratch.work().to_string_lossy().into_owned()
    }

    fn elsewhere(&self) -> Result<String, String> {
        let folder = self.scratch.elsewhere();
        let folder = folder.map_err(|error| format!("no second folder: {error}"))?;
        Ok(folder.to_string_lossy().into_owned())
    }

    fn remove_file(&mut self, path: &str) {
        // It may never have been written.
        let _ = std::fs::remove_file(path);
    }

    fn open(&mut self, told: &Told) -> Result<Opened, String> {
        let number =
            u32::try_from(self.seats.len()).map_err(|_| "too many connections".to_owned())?;
        let mut party = if let Some(first) = self.first.take() {
            first?
        } else {
            let _inside = self.runtime.enter();
            Party::start(self.launch, &self.scratch, number, told)?
        };
        party.number = number;
        let joined = !party.comes_to_us;
        self.parties.push(party);
        self.seats.push(Seat {
            party: self.parties.len() - 1,
            link: None,
        });
        Ok(Opened { number, joined })
    }

    fn write(&mut self, conn: u32, bytes: &[u8]) {
        let Some(seat) = self.seats.get_mut(conn as usize) else {
            return;
        };
        let party = &mut self.parties[seat.party];
        match &mut seat.link {
            Some(link) => link.enqueue(bytes),
            None => party.enqueue(bytes),
        }
        self.runtime.block_on(poll_fn(|context| {
            match &mut seat.link {
                Some(link) => link.poll_write(context),
                None => party.poll_write(context),
            }
            Poll::Ready(())
        }));
    }

    fn queued(&self, conn: u32) -> usize {
        self.seats
            .get(conn as usize)
            .map_or(0, |seat| match &seat.link {
                Some(link) => link.queued(),
                None => self.parties[seat.party].queued(),
            })
    }

    fn hold(&mut self, conn: u32, held: bool) {
        let Some(seat) = self.seats.get_mut(conn as usize) else {
            return;
        };
        match &mut seat.link {
            Some(link) => link.hold(held),
            None => self.parties[seat.party].hold(held),
        }
    }

    fn shut(&mut self, conn: u32) {
        let Some(seat) = self.seats.get_mut(conn as usize) else {
            return;
        };
        match &mut seat.link {
            Some(link) => link.end_output(),
            None => self.parties[seat.party].close(),
        }
    }

    fn end_agent(&mut self, conn: u32, exit: Exit) {
        let seat = self.seats.get_mut(conn as usize);
        if let Some(link) = seat.and_then(|seat| seat.link.as_mut()) {
            link.end_agent(exit);
        }
    }

    fn keep(&mut self) {
        if self.parties.len() == 1 {
            *self.kept = self.parties.pop().map(|party| Spare {
                scratch: Rc::clone(&self.scratch),
                party: Ok(party),
            });
        }
    }

    fn resident(&self) -> Option<u64> {
        self.parties.iter().filter_map(Party::resident).max()
    }

    fn signal(&mut self, conn: u32, rung: Rung) {
        if let Some(party) = self.party(conn) {
            party.signal(rung);
        }
    }

    fn site(&mut self) -> Option<String> {
        if self.site.is_none() {
            let _inside = self.runtime.enter();
            self.site = Site::new().ok();
        }
        self.site.as_ref().map(|site| site.address().to_owned())
    }

    fn visit(&mut self, conn: u32, url: &str, typing: Option<&'static str>) {
        self.visited_last = conn;
        // What was typed into our own page the target does not know by that.
        let own = self.site.as_ref().map(Site::address);
        let own = own.is_some_and(|site| page::below(site, url).is_some());
        let visit = fetch::visit(url.to_owned(), typing);
        let visit = async move {
            let seen = visit.await?;
            Ok(Seen {
                typed: seen.typed && !own,
                ..seen
            })
        };
        self.visits.push((conn, Box::pin(visit)));
    }

    fn wait(&mut self, until: Duration, intake: Intake<'_>) -> Woke {
        let until = self.start + until;
        let mut stop = self.stop.clone();
        let runtime = self.runtime;
        let woke = runtime.block_on(async {
            let mut interrupted = pin!(async {
                // A closed channel means that nobody can interrupt us.
                let told = match &mut stop {
                    Some(stop) => stop.wait_for(|stop| *stop).await.is_ok(),
                    None => false,
                };
                if !told {
                    std::future::pending::<()>().await;
                }
            });
            loop {
                let wake_at = self.look_again().map_or(until, |at| at.min(until));
                let now = Instant::now();
                let coarse = wake_at.checked_sub(TICK).filter(|at| *at > now);
                let next = poll_fn(|context| {
                    if self.poll(context, intake) {
                        return Poll::Ready(Some(Woke::News));
                    }
                    if interrupted.as_mut().poll(context).is_ready() {
                        return Poll::Ready(Some(Woke::Interrupted));
                    }
                    // A target may have begun to need a look before that time.
                    let sooner = self.look_again().is_some_and(|at| at < wake_at);
                    if coarse.is_none() || sooner {
                        return Poll::Ready(None);
                    }
                    Poll::Pending
                });
                let woke = if let Some(at) = coarse {
                    timeout_at(at.into(), next).await.ok().flatten()
                } else {
                    // Nobody may have asked the system yet what is ready.
                    yield_now().await;
                    next.await
                };
                if let Some(woke) = woke {
                    return woke;
                }
                if coarse.is_none() {
                    if now >= until {
                        return Woke::Time;
                    }
                    thread::sleep(NAP.min(wake_at.saturating_duration_since(now)));
                }
            }
        });
        if woke == Woke::Interrupted {
            self.stop = None;
        }
        woke
    }
}
