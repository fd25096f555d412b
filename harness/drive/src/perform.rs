//! One performance: an instance on wires, from the premises to the end of the trace.

use std::{io, sync::Arc};

use elenchus_fixtures::{
    agent::agent,
    peer::{self, MemoryStore, Peer},
};
use elenchus_suites::script::Target;
use elenchus_wire::{
    EventKind, Mark, Side,
    event::Premise,
    trace::{FORMAT, Header, Trace},
};
use tokio::sync::watch;

use crate::{
    instance::{Instance, Reach, Recording, Stopped},
    interpret::{self, Played},
    memory::MemoryWires,
    process::{Janitor, Starter},
    record::{Recorder, Sink},
    room::{Place, Room},
    stage::{Left, Patience, Stage, Warm, plan::Plan},
    target::{Launch, Settings},
    wires::Wires,
};

/// Where targets come from; one for each thread that performs.
pub(crate) enum Host {
    /// Processes in real time.
    Process(Box<Starter>),
    /// Reference peers in virtual time.
    Memory {
        /// They are clients.
        client: bool,
        /// The fault seeded in them.
        fault: Option<String>,
    },
}

/// Makes a reference peer. The error is a reason for people.
fn reference(client: bool, host: peer::Host, fault: Option<&str>) -> Result<Box<dyn Peer>, String> {
    let made = if client {
        elenchus_fixtures::client::client(host, fault)
    } else {
        agent(host, fault)
    };
    made.map_err(|unknown| unknown.to_string())
}

impl Host {
    /// The error is a reason for people.
    /// Without a janitor, scratch folders are removed on the spot.
    pub(crate) fn new(
        launch: &Launch,
        stop: watch::Receiver<bool>,
        janitor: Option<&Janitor>,
    ) -> Result<Self, String> {
        match launch {
            Launch::Command { .. } | Launch::Client { .. } => Ok(Self::Process(Box::new(
                Starter::new(launch.clone(), stop, janitor)?,
            ))),
            Launch::Memory { fault } | Launch::MemoryClient { fault } => Ok(Self::Memory {
                client: launch.is_client(),
                fault: fault.clone(),
            }),
        }
    }

    /// The wires of a new instance. `more` says that another instance will follow, whose process may be started ahead;
    /// `kept`, that this one has the process that the one before it has left. The error is a reason for people.
    pub(crate) fn wires(&mut self, more: bool, kept: bool) -> Result<Box<dyn Wires + '_>, String> {
        match self {
            Self::Process(starter) => Ok(Box::new(starter.wires(more, kept)?)),
            Self::Memory { client, fault } => Ok(Box::new(MemoryWires::new(Box::new(|host| {
                reference(*client, host, fault.as_deref())
            })))),
        }
    }
}

impl Host {
    /// Whether a target that says nothing over pipes answers this request on a terminal.
    pub(crate) fn answers_on_terminal(&self, request: &str, settings: &Settings) -> bool {
        match self {
            Self::Process(starter) => starter.answers_on_terminal(request, settings),
            Self::Memory { client, fault } => {
                let mut host = peer::Host::new("", MemoryStore::default());
                host.terminal = true;
                let Ok(mut peer) = reference(*client, host, fault.as_deref()) else {
                    return false;
                };
                peer.start();
                !peer.line(request.as_bytes()).is_empty()
            }
        }
    }
}

/// What a performance needs besides the instance and its wires.
pub(crate) struct Terms<'s> {
    pub(crate) settings: &'s Settings,
    pub(crate) premises: &'s [Premise],
    pub(crate) patience: Patience,
    pub(crate) sink: Option<Sink>,
    /// Where it waits if it grows long while another one is.
    pub(crate) room: Option<&'s Arc<Room>>,
    /// What the instance takes over, with wires that have a process kept for it.
    pub(crate) warm: Option<Warm>,
    /// The process is left to the next instance, if it can be.
    pub(crate) keep: bool,
    /// A first try of a fuzzing campaign: what the script leaves open is ended, unrecorded, so that the process can be left
    /// to the next one.
    pub(crate) trial: bool,
    /// Behind which steps that cannot be done the script goes on.
    pub(crate) goes_on: interpret::GoesOn<'s>,
}

/// A recording, and what went wrong with its file.
pub(crate) struct Performed {
    pub(crate) recording: Recording,
    pub(crate) error: Option<io::Error>,
    /// The lines of steps that could not be done, and behind which the script went on.
    pub(crate) passed_over: Vec<u32>,
    pub(crate) interrupted: bool,
    /// The target refused to open a session, or to take a prompt.
    pub(crate) refused: bool,
    /// What the next instance takes over, if a process was left to it.
    pub(crate) warm: Option<Warm>,
    /// How many bytes of memory the target held at the end of the script, where that can be told: in a first try, and on a
    /// process of its own.
    pub(crate) resident: Option<u64>,
    /// The place of a long recording, to be kept as long as that.
    pub(crate) place: Option<Place>,
}

/// The header of an instance's trace.
pub(crate) fn header(instance: &Instance<'_>) -> Header {
    Header {
        elenchus_trace: FORMAT,
        elenchus: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: instance.version.name().to_owned(),
        judged: if instance.script.target == Target::Client {
            Side::Client
        } else {
            Side::Server
        },
        script: instance.script.name.clone(),
        instance: instance.describe(),
        seed: instance.seed,
    }
}

/// Performs an instance.
pub(crate) fn perform<'s>(
    instance: &'s Instance<'s>,
    wires: Box<dyn Wires + 's>,
    terms: Terms<'s>,
) -> Performed {
    let recorder = Recorder::new(header(instance), terms.settings.max_trace, terms.sink);
    let plan = Plan::of(instance.script);
    let mut stage = Stage::new(
        wires,
        recorder,
        plan,
        instance.version,
        instance.canary(),
        terms.settings,
    );
    stage.patience = terms.patience;
    stage.warm = terms.warm;
    stage.room = terms.room;
    for premise in terms.premises {
        if let Premise::Heeds { variable } = premise {
            stage.book.heeded.insert(variable.clone());
        }
        stage.record(EventKind::Mark(Mark::Premise(premise.clone())));
    }
    let Played {
        stopped,
        passed_over,
    } = interpret::play(&mut stage, instance, terms.goes_on);
    let left = if stopped.is_some() {
        Left::Stopped
    } else {
        Left::Complete
    };
    stage.note_lost_turns();
    stage.conclude(left);
    // What scripts before it have left in a process is nothing of this one, and is not asked for.
    let shared = terms.keep || stage.served > 0;
    let resident = (terms.trial || !shared).then(|| stage.resident()).flatten();
    let judged = stage.book.recorder.next();
    let tidied = terms.trial && terms.keep;
    if tidied {
        stage.tidy();
    }
    let warm = if terms.keep && (left == Left::Complete || tidied) {
        stage.hand_over()
    } else {
        None
    };
    match warm {
        Some(_) => stage.keep(),
        None => stage.end_all(),
    }
    let interrupted = stage.interrupted;
    let refused = stage.was_refused();
    let reach = stage.note_reach();
    let (mut recorded, place) = stage.finish();
    if tidied {
        // The script has nothing to do with what came after it.
        recorded.trace.events.truncate(judged);
    }
    Performed {
        recording: Recording {
            trace: recorded.trace,
            stderr: recorded.stderr.into_values().flatten().collect(),
            stopped,
            reach,
        },
        error: recorded.error,
        passed_over,
        interrupted,
        refused,
        warm,
        resident,
        place,
    }
}

impl Performed {
    /// Nothing could be performed.
    pub(crate) fn not_started(instance: &Instance<'_>, reason: String) -> Self {
        Self {
            recording: Recording {
                trace: Trace {
                    header: header(instance),
                    events: Vec::new(),
                    cut: false,
                },
                stderr: Vec::new(),
                stopped: Some(Stopped::NotStarted(reason)),
                reach: Reach::default(),
            },
            error: None,
            passed_over: Vec::new(),
            interrupted: false,
            refused: false,
            warm: None,
            resident: None,
            place: None,
        }
    }
}

/// Performs an instance by itself: starts what it needs, and leaves nothing behind.
pub fn perform_once(
    instance: &Instance<'_>,
    launch: &Launch,
    settings: &Settings,
    premises: &[Premise],
) -> Recording {
    // Dropping the sender leaves the receiver without anyone who could interrupt it.
    let (_, stop) = watch::channel(false);
    let mut host = match Host::new(launch, stop, None) {
        Ok(host) => host,
        Err(reason) => return Performed::not_started(instance, reason).recording,
    };
    let performed = match host.wires(false, false) {
        Ok(wires) => perform(
            instance,
            wires,
            Terms {
                settings,
                premises,
                patience: Patience::default(),
                sink: None,
                room: None,
                warm: None,
                keep: false,
                trial: false,
                goes_on: &|_, _| false,
            },
        ),
        Err(reason) => Performed::not_started(instance, reason),
    };
    performed.recording
}
