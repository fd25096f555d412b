//! A process under test, and the door by which it comes to us where it is a client that starts its agent itself.

use std::{
    rc::Rc,
    task::Context,
    time::{Duration, Instant},
};

use tokio::net::UnixStream;

use super::{link::Door, scratch::Scratch, target::Target};
use crate::{
    target::Launch,
    told::Told,
    wires::{Exit, Incoming, Rung},
};

/// How long the relays of a client that has ended are listened to, should something that we cannot find hold them open.
const AFTER_END: Duration = Duration::from_millis(200);

/// A process, and how we are connected to it.
pub(super) struct Party {
    target: Target,
    door: Option<Door>,
    /// It has to come to us before it can be talked to.
    pub(super) comes_to_us: bool,
    /// The number of its first connection.
    pub(super) number: u32,
    /// How it ended, and since when that waits for the ends of its connections.
    exit: Option<(Exit, Instant)>,
    exit_told: bool,
}

impl Party {
    /// Starts it. Has to be called within a runtime. The error is a reason for people.
    pub(super) fn start(
        launch: &Launch,
        scratch: &Rc<Scratch>,
        number: u32,
        told: &Told,
    ) -> Result<Self, String> {
        let start = launch
            .start()
            .ok_or("a reference peer in memory has no process")?
            .told(told);
        let door = start
            .relay
            .map(|relay| Door::new(relay, &scratch.client(number)))
            .transpose()?;
        Ok(Self {
            target: Target::start(start, scratch, door.as_ref(), told)?,
            door,
            comes_to_us: !start.direct,
            number,
            exit: None,
            exit_told: false,
        })
    }

    /// How many bytes of memory its process holds.
    pub(super) fn resident(&self) -> Option<u64> {
        self.target.resident()
    }

    /// Everything about its process has been told.
    pub(super) fn over(&self) -> bool {
        self.target.over()
    }

    pub(super) fn enqueue(&mut self, bytes: &[u8]) {
        self.target.enqueue(bytes);
    }

    /// How many bytes are still to be written to it.
    pub(super) fn queued(&self) -> usize {
        self.target.queued()
    }

    /// Stops or goes on reading its stdout.
    pub(super) fn hold(&mut self, held: bool) {
        self.target.hold(held);
    }

    /// Its process was seen to have ended.
    pub(super) fn ended(&self) -> bool {
        self.target.ended()
    }

    pub(super) fn poll_write(&mut self, context: &mut Context<'_>) {
        self.target.poll_write(context);
    }

    pub(super) fn close(&mut self) {
        self.target.close();
    }

    pub(super) fn signal(&mut self, rung: Rung) {
        self.target.signal(rung);
    }

    /// Moves the process on. What a client that comes to us writes to its stdout is for people, as its stderr.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
        linked: bool,
        intake: &mut dyn FnMut(Incoming<'_>),
    ) -> bool {
        let Self {
            target,
            comes_to_us,
            exit,
            ..
        } = self;
        target.poll(context, buffer, linked, &mut |incoming| match incoming {
            Incoming::Stdout(bytes) if *comes_to_us => intake(Incoming::Stderr(bytes)),
            Incoming::Eof if *comes_to_us => {}
            Incoming::Exit(how) => *exit = Some((how, Instant::now())),
            incoming => intake(incoming),
        })
    }

    /// How it ended, once, when nothing more can come from its connections.
    pub(super) fn take_exit(&mut self, linked: bool) -> Option<Exit> {
        let (exit, at) = self.exit.filter(|_| !self.exit_told)?;
        if linked && at.elapsed() < AFTER_END {
            return None;
        }
        self.exit_told = true;
        Some(exit)
    }

    /// A connection that has come, if there is one.
    pub(super) fn poll_accept(&mut self, context: &mut Context<'_>) -> Option<UnixStream> {
        self.door.as_mut()?.poll_accept(context)
    }

    /// The URLs that it has opened since the last time.
    pub(super) fn poll_opened(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Vec<String> {
        let door = self.door.as_mut();
        door.map(|door| door.poll_opened(context, buffer))
            .unwrap_or_default()
    }

    /// When to look again even if nothing wakes us.
    pub(super) fn look_again(&self) -> Option<Instant> {
        let exit = self.exit.filter(|_| !self.exit_told);
        let exit = exit.map(|(_, at)| at + AFTER_END);
        [self.target.look_again(), exit].into_iter().flatten().min()
    }
}
