//! Targets as processes, in real time. Nothing of them outlives their instance.
//!
//! All pipes of an instance are moved on by one future, which runs only while the interpreter waits; so reading goes
//! on while a write is stuck, and nothing is read that is not recorded at once. A program that is ended by SIGKILL
//! cannot clean up: its targets then see their stdin close, and what ignores that stays.

mod fetch;
mod janitor;
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
use self::{janitor::Bin, scratch::Scratch, site::Site, target::Target};
use crate::{
    page::{self, Seen},
    target::{Launch, Settings},
    wires::{Incoming, Intake, Rung, Wires, Woke},
};

/// How the reason begins where not even the scratch folder could be made.
pub(crate) const NO_SCRATCH: &str = "no scratch folder";
/// The size of one read.
const READ: usize = 64 * 1024;
/// How often the pipes are looked at while a gap of a race passes.
const PRECISION: Duration = Duration::from_micros(50);

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
    target: Result<Target, String>,
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

    fn start(&self) -> Result<Spare, String> {
        let scratch = Scratch::new(self.bin.clone())
            .map(Rc::new)
            .map_err(|error| format!("{NO_SCRATCH}: {error}"))?;
        let _inside = self.runtime.enter();
        Ok(Spare {
            target: Target::start(&self.launch, &scratch),
            scratch,
        })
    }

    /// Whether the command answers this request when it speaks on a terminal.
    pub(crate) fn answers_on_terminal(&self, request: &str, settings: &Settings) -> bool {
        terminal::answers(&self.launch, request, settings)
    }

    /// The wires of a new instance. With `more`, the process of the instance after it is started as well, so that it
    /// is awake when its turn comes. With `kept`, the instance has the process that the one before it has left.
    pub(crate) fn wires(&mut self, more: bool, kept: bool) -> Result<ProcessWires<'_>, String> {
        // What is not taken over ends here.
        let left = self.kept.take().filter(|_| kept);
        let spare = match left.or_else(|| self.spare.take()) {
            Some(spare) => spare,
            None => self.start()?,
        };
        if more {
            self.spare = self.start().ok();
        }
        Ok(ProcessWires {
            runtime: &self.runtime,
            launch: &self.launch,
            kept: &mut self.kept,
            stop: Some(self.stop.clone()),
            start: Instant::now(),
            scratch: spare.scratch,
            first: Some(spare.target),
            targets: Vec::new(),
            visits: Vec::new(),
            site: None,
            visited_last: 0,
            buffer: vec![0; READ],
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
    first: Option<Result<Target, String>>,
    targets: Vec<Target>,
    visits: Vec<(u32, Visit)>,
    /// Our own site, once it was asked for, and the connection whose page was opened last.
    site: Option<Site>,
    visited_last: u32,
    buffer: Vec<u8>,
}

type Visit = Pin<Box<dyn Future<Output = Result<Seen, String>>>>;

impl ProcessWires<'_> {
    /// Moves everything on. True if something came in.
    fn poll(&mut self, context: &mut Context<'_>, intake: Intake<'_>) -> bool {
        let mut news = false;
        let now = self.start.elapsed();
        for (conn, target) in (0..).zip(&mut self.targets) {
            news |= target.poll(context, &mut self.buffer, &mut |incoming| {
                intake(now, conn, incoming);
            });
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
        if self.site.as_mut().is_some_and(|site| site.poll(context)) {
            news = true;
            intake(now, self.visited_last, Incoming::Yielded);
        }
        news
    }

    /// When a target has to be looked at again even if nothing wakes us.
    fn look_again(&self) -> Option<Instant> {
        self.targets.iter().filter_map(Target::look_again).min()
    }

    fn target(&mut self, conn: u32) -> Option<&mut Target> {
        self.targets
            .get_mut(conn as usize)
            .filter(|target| !target.over())
    }
}

impl Wires for ProcessWires<'_> {
    fn now(&self) -> Duration {
        self.start.elapsed()
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

    fn open(&mut self) -> Result<u32, String> {
        let conn =
            u32::try_from(self.targets.len()).map_err(|_| "too many connections".to_owned())?;
        let target = if let Some(first) = self.first.take() {
            first?
        } else {
            let _inside = self.runtime.enter();
            Target::start(self.launch, &self.scratch)?
        };
        self.targets.push(target);
        Ok(conn)
    }

    fn write(&mut self, conn: u32, bytes: &[u8]) {
        let runtime = self.runtime;
        if let Some(target) = self.target(conn) {
            target.enqueue(bytes);
            runtime.block_on(poll_fn(|context| {
                target.poll_write(context);
                Poll::Ready(())
            }));
        }
    }

    fn shut(&mut self, conn: u32) {
        if let Some(target) = self.target(conn) {
            target.close();
        }
    }

    fn keep(&mut self) {
        if self.targets.len() == 1 {
            *self.kept = self.targets.pop().map(|target| Spare {
                scratch: Rc::clone(&self.scratch),
                target: Ok(target),
            });
        }
    }

    fn signal(&mut self, conn: u32, rung: Rung) {
        if let Some(target) = self.target(conn) {
            target.signal(rung);
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
                let next = poll_fn(|context| {
                    if self.poll(context, intake) {
                        return Poll::Ready(Some(Woke::News));
                    }
                    if self.look_again().is_some_and(|at| at < wake_at) {
                        return Poll::Ready(None);
                    }
                    interrupted
                        .as_mut()
                        .poll(context)
                        .map(|()| Some(Woke::Interrupted))
                });
                match timeout_at(wake_at.into(), next).await {
                    Ok(Some(woke)) => return woke,
                    // A target has begun to need a look before that time.
                    Ok(None) => continue,
                    Err(_) => {}
                }
                // The time is over, and yet nobody may have asked the system what is ready.
                yield_now().await;
                let news = poll_fn(|context| Poll::Ready(self.poll(context, intake))).await;
                if news {
                    return Woke::News;
                }
                if Instant::now() >= until {
                    return Woke::Time;
                }
            }
        });
        if woke == Woke::Interrupted {
            self.stop = None;
        }
        woke
    }

    fn wait_precisely(&mut self, until: Duration, intake: Intake<'_>) -> Woke {
        // The timers of the event loop count milliseconds, and the gaps of a race are shorter.
        loop {
            let now = self.now();
            let woke = self.wait(now.min(until), intake);
            if woke != Woke::Time || now >= until {
                return woke;
            }
            thread::sleep(until.saturating_sub(now).min(PRECISION));
        }
    }
}
