//! The threads of a campaign: each takes the next instance, performs it, has it judged, and repeats what broke.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use elenchus_judge::Judgement;
use elenchus_protocol::Version;
use elenchus_suites::{Script, StepKind};
use elenchus_wire::{EventKind, redact::Redactor};
use tokio::sync::watch;

use crate::{
    campaign::{Campaign, Knowledge, Observer, Outcome, share::chains, trace_name},
    instance::{Instance, Reach, Step, Stopped},
    perform::{Host, Performed, Terms, header, perform},
    process::Janitor,
    record::Sink,
    room::Room,
    stage::{Patience, Warm},
};

/// What broke in all repeats of so many instances breaks whenever it is provoked: nobody has to try again.
const CERTAIN: u32 = 3;
/// So many instances of a campaign wait the full time for what the target is known never to do, so that it is found;
/// the rest would only find it again.
const PATIENT: usize = 2;
/// So many instances try to open a session where the control run could not, before the others are left out.
const SCOUTS: usize = 3;

/// The process that an instance is performed with.
#[derive(Default)]
struct Process {
    /// Another one may be started ahead for the instance after it.
    more: bool,
    /// What is taken over with one that is there already.
    warm: Option<Warm>,
    /// It is left to the next instance, if that can be.
    keep: bool,
}

/// Everything that the threads share.
pub(crate) struct Crew<'c, 's> {
    pub(crate) campaign: &'c Campaign<'s>,
    pub(crate) knowledge: &'c Knowledge,
    pub(crate) patience: Patience,
    pub(crate) observer: &'c dyn Observer,
    pub(crate) sinks: &'c Sinks<'c>,
    pub(crate) stop: &'c watch::Receiver<bool>,
    pub(crate) janitor: &'c Janitor,
    pub(crate) instances: &'c [Instance<'s>],
    /// So many processes run at a time, and not one more, where it is one: a target may hold what only one can hold.
    pub(crate) jobs: usize,
    pub(crate) interrupted: AtomicBool,
    /// What broke in a version whenever it was tried again, and in how many instances that was so.
    pub(crate) constant: Mutex<BTreeMap<(Version, &'static str), u32>>,
    /// For the conversations that grow long.
    pub(crate) room: Arc<Room>,
}

impl Crew<'_, '_> {
    /// Performs everything; the outcomes come back in the order of the instances. With them come the instances that were
    /// left out, as the target opens no session.
    pub(crate) fn work(&self) -> (Vec<Outcome>, Vec<&Instance<'_>>) {
        let mut scouts: BTreeMap<Version, usize> = BTreeMap::new();
        let (first, rest): (Vec<usize>, Vec<usize>) =
            (0..self.instances.len()).partition(|&place| {
                let Instance {
                    script, version, ..
                } = self.instances[place];
                if !self.doubtful(version) || !needs_session(script) {
                    return true;
                }
                let sent = scouts.entry(version).or_default();
                *sent += 1;
                *sent <= SCOUTS
            });
        let mut done = self.play(&first);
        let opened: BTreeSet<Version> = done
            .iter()
            .filter(|(_, outcome)| outcome.reach.session == Step::Done)
            .map(|(_, outcome)| outcome.version)
            .collect();
        let (rest, left): (Vec<usize>, Vec<usize>) = rest
            .into_iter()
            .partition(|&place| opened.contains(&self.instances[place].version));
        done.extend(self.play(&rest));
        done.sort_by_key(|(place, _)| *place);
        (
            done.into_iter().map(|(_, outcome)| outcome).collect(),
            left.into_iter()
                .map(|place| &self.instances[place])
                .collect(),
        )
    }

    /// The control run tried to open a session in this version, and could not.
    fn doubtful(&self, version: Version) -> bool {
        let mut reach = self.knowledge.reach.iter();
        reach.any(|(other, reach, _)| *other == version && matches!(reach.session, Step::Failed(_)))
    }

    /// Performs the instances at these places.
    fn play(&self, places: &[usize]) -> Vec<(usize, Outcome)> {
        // A peer in memory starts in no time.
        let alone = self.campaign.fresh || self.campaign.launch.in_memory();
        let chains = if alone {
            places.iter().map(|&place| vec![place]).collect()
        } else {
            chains(self.instances, places)
        };
        let jobs = self.jobs.clamp(1, chains.len().max(1));
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let hands: Vec<_> = (0..jobs)
                .map(|_| scope.spawn(|| self.hand(&chains, &next)))
                .collect();
            hands
                .into_iter()
                .flat_map(|hand| match hand.join() {
                    Ok(done) => done,
                    // A fault of ours: everything has been cleaned up on the way, and nobody may think that all is well.
                    Err(panic) => std::panic::resume_unwind(panic),
                })
                .collect()
        })
    }

    fn hand(&self, chains: &[Vec<usize>], next: &AtomicUsize) -> Vec<(usize, Outcome)> {
        let mut done = Vec::new();
        let mut host = Host::new(&self.campaign.launch, self.stop.clone(), Some(self.janitor));
        while !*self.stop.borrow() {
            let Some(chain) = chains.get(next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            let mut warm = None;
            for (turn, &place) in chain.iter().enumerate() {
                if *self.stop.borrow() {
                    break;
                }
                let last = turn + 1 == chain.len();
                let more = || last && self.jobs > 1 && next.load(Ordering::Relaxed) < chains.len();
                let outcome = match &mut host {
                    Ok(host) => self.outcome(place, &more, host, &mut warm, !last),
                    Err(reason) => Some(not_started(&self.instances[place], reason)),
                };
                match outcome {
                    Some(outcome) => {
                        self.observer.performed(&outcome);
                        done.push((place, outcome));
                    }
                    None => self.interrupted.store(true, Ordering::Relaxed),
                }
            }
        }
        if *self.stop.borrow() {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        done
    }

    /// `None` if the program was told to stop. The instance takes over the `warm` process, if there is one, and leaves
    /// its own there, if it is to `keep` it.
    fn outcome(
        &self,
        place: usize,
        more: &dyn Fn() -> bool,
        host: &mut Host,
        warm: &mut Option<Warm>,
        keep: bool,
    ) -> Option<Outcome> {
        let instance = &self.instances[place];
        let patience = if place < PATIENT {
            Patience {
                probes: self.patience.probes,
                ..Patience::default()
            }
        } else {
            self.patience
        };
        let name = trace_name(instance);
        let play = |begun: Option<Warm>, host: &mut Host| {
            let sink = self.sinks.open(&name);
            let traced = sink.is_some();
            let process = Process {
                more: more(),
                warm: begun,
                keep,
            };
            let performed = self.perform(instance, process, host, patience, sink)?;
            let judgement = match self.campaign.memo {
                Some(memo) => memo.judge(&name, &performed.recording.trace, || judge(&performed)),
                None => judge(&performed),
            };
            let traced = traced && performed.error.is_none();
            Some((performed, judgement, traced))
        };
        let begun = warm.take();
        let shared = begun.is_some();
        let mut played = play(begun, host)?;
        let mut disturbed = BTreeSet::new();
        if shared {
            let (performed, judgement, _) = &played;
            let on_shared = broken(judgement);
            let certain = self.confirmed(instance.version, &on_shared, CERTAIN);
            // What is refused for another reason than the script's leaves it without what it was to show.
            let missed = performed.refused && !exercises(judgement, instance.script);
            if performed.recording.stopped.is_some() || !certain || missed {
                // Another script may have left something behind that did this. What was recorded is let go of first: if
                // it is long, the next recording would wait for its place.
                drop(played);
                played = play(None, host)?;
                let alone = broken(&played.1);
                disturbed.extend(on_shared.difference(&alone));
            }
        }
        let (performed, judgement, traced) = played;
        let Performed {
            recording,
            warm: left,
            place,
            resident,
            ..
        } = performed;
        let stopped = recording.stopped;
        let reach = recording.reach;
        // Only what explains something is kept: there are many instances.
        let failed = [&reach.session, &reach.turn]
            .into_iter()
            .any(|step| matches!(step, Step::Failed(_)));
        let stderr = if stopped.is_some() || failed {
            recording.stderr
        } else {
            Vec::new()
        };
        let waited = recording
            .trace
            .events
            .iter()
            .any(|event| matches!(event.kind, EventKind::Deadline { .. }));
        drop(recording.trace);
        drop(place);
        let mut repeats = Vec::new();
        let broken = broken(&judgement);
        let certain = self.confirmed(instance.version, &broken, CERTAIN);
        // What comes after a breach may come of it, unless the target does nothing else.
        *warm = left.filter(|_| certain);
        // Where each time costs a wait, one such instance has to do.
        let known = certain || waited && self.confirmed(instance.version, &broken, 1);
        if !broken.is_empty() && !known {
            for _ in 0..self.campaign.repeats {
                let process = Process {
                    more: more(),
                    ..Process::default()
                };
                let again = self.perform(instance, process, host, patience, None)?;
                repeats.push(judge(&again));
            }
            self.confirm(instance.version, &broken, &repeats);
        }
        Some(Outcome {
            script: instance.script.name.clone(),
            instance: instance.describe(),
            version: instance.version,
            trace: traced.then_some(name),
            judgement,
            repeats,
            stopped,
            stderr,
            reach,
            resident,
            disturbed,
        })
    }

    /// Each of these is known from so many instances to break whenever it is provoked.
    fn confirmed(&self, version: Version, broken: &BTreeSet<&'static str>, times: u32) -> bool {
        let confirmed = self.constant.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = |id: &&'static str| confirmed.get(&(version, *id)).copied().unwrap_or(0);
        broken.iter().all(|id| seen(id) >= times)
    }

    /// Notes what broke in all repeats.
    fn confirm(&self, version: Version, broken: &BTreeSet<&'static str>, repeats: &[Judgement]) {
        let again: Vec<_> = repeats.iter().map(self::broken).collect();
        let constant = broken
            .iter()
            .filter(|id| !again.is_empty() && again.iter().all(|again| again.contains(*id)));
        let mut confirmed = self.constant.lock().unwrap_or_else(PoisonError::into_inner);
        for id in constant {
            *confirmed.entry((version, *id)).or_default() += 1;
        }
    }

    fn perform(
        &self,
        instance: &Instance<'_>,
        process: Process,
        host: &mut Host,
        patience: Patience,
        sink: Option<Sink>,
    ) -> Option<Performed> {
        let premises = self
            .knowledge
            .premises
            .iter()
            .find(|(version, _)| *version == instance.version);
        let premises = premises.map_or(&[][..], |(_, premises)| premises);
        let settings = &self.campaign.settings;
        let performed = match host.wires(process.more, process.warm.is_some()) {
            Ok(wires) => perform(
                instance,
                wires,
                Terms {
                    settings,
                    premises,
                    patience,
                    sink,
                    room: Some(&self.room),
                    warm: process.warm,
                    keep: process.keep,
                    trial: false,
                    goes_on: &|_, _| false,
                },
            ),
            Err(reason) => Performed::not_started(instance, reason),
        };
        if let Some(error) = &performed.error {
            self.sinks.failed(&error.to_string());
        }
        (!performed.interrupted).then_some(performed)
    }
}

fn judge(performed: &Performed) -> Judgement {
    let trace = &performed.recording.trace;
    if performed.place.is_none() {
        return elenchus_judge::judge(trace);
    }
    // A thread of its own: what it frees goes back at its end, where a long-lived thread's heap would keep it.
    thread::scope(
        |scope| match scope.spawn(|| elenchus_judge::judge(trace)).join() {
            Ok(judgement) => judgement,
            Err(panic) => std::panic::resume_unwind(panic),
        },
    )
}

fn broken(judgement: &Judgement) -> BTreeSet<&'static str> {
    let tallies = judgement.tallies.iter();
    tallies
        .filter(|(_, tally)| !tally.breaches.is_empty())
        .map(|(id, _)| *id)
        .collect()
}

/// All that the script covers was judged.
fn exercises(judgement: &Judgement, script: &Script) -> bool {
    script.covers.iter().all(|id| {
        let tally = judgement.tallies.get(id.as_str());
        tally.is_some_and(|tally| tally.upheld > 0 || !tally.breaches.is_empty())
    })
}

/// The script comes to nothing on a target that opens no session.
fn needs_session(script: &Script) -> bool {
    let steps = script.steps.iter();
    steps.map(|step| &step.kind).any(|kind| {
        matches!(
            kind,
            StepKind::Open(_)
                | StepKind::Session { patch: None, .. }
                | StepKind::Serve { patch: None }
        )
    })
}

fn not_started(instance: &Instance<'_>, reason: &str) -> Outcome {
    Outcome {
        script: instance.script.name.clone(),
        instance: header(instance).instance,
        version: instance.version,
        trace: None,
        judgement: Judgement::default(),
        repeats: Vec::new(),
        stopped: Some(Stopped::NotStarted(reason.to_owned())),
        stderr: Vec::new(),
        reach: Reach::default(),
        resident: None,
        disturbed: BTreeSet::new(),
    }
}

/// Makes the files of traces.
pub(crate) struct Sinks<'c> {
    campaign: &'c Campaign<'c>,
    redactor: Redactor,
    error: Mutex<Option<String>>,
}

impl<'c> Sinks<'c> {
    pub(crate) fn new(campaign: &'c Campaign<'c>) -> Self {
        Self {
            campaign,
            redactor: Redactor::new(campaign.secrets()),
            error: Mutex::new(None),
        }
    }

    /// The file of a trace, if traces are kept and it can be written.
    pub(crate) fn open(&self, name: &str) -> Option<Sink> {
        let folder = self.campaign.traces.as_ref()?;
        match Sink::create(folder.join(name), self.redactor.clone()) {
            Ok(sink) => Some(sink),
            Err(error) => {
                self.failed(&format!("{name}: {error}"));
                None
            }
        }
    }

    /// Notes an error; the first one counts.
    pub(crate) fn failed(&self, reason: &str) {
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        error.get_or_insert_with(|| reason.to_owned());
    }

    pub(crate) fn error(&self) -> Option<String> {
        self.error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
