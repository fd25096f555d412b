//! The threads of a campaign: each takes the next instance, performs it, has it judged, and repeats what broke.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use elenchus_judge::Judgement;
use elenchus_wire::{redact::Redactor, trace::Trace};
use tokio::sync::watch;

use crate::{
    campaign::{Campaign, Knowledge, Observer, Outcome, trace_name},
    instance::{Instance, Reach, Step, Stopped},
    perform::{Host, Performed, Terms, header, perform},
    process::Janitor,
    record::Sink,
    stage::Patience,
    target::Launch,
};

/// So many instances of a campaign wait the full time for what the target is known never to do, so that it is found;
/// the rest would only find it again.
const PATIENT: usize = 2;
/// A trace of more events than this is judged alone. The judge remembers some kilobytes of each message, so that the
/// traces of a target that floods would fill the memory if all threads judged them at once.
const LONG: usize = 1024;

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
    pub(crate) next: AtomicUsize,
    pub(crate) interrupted: AtomicBool,
    /// Held while a long trace is judged.
    pub(crate) bench: Mutex<()>,
}

impl Crew<'_, '_> {
    /// Performs everything; the outcomes come back in the order of the instances.
    pub(crate) fn work(&self) -> Vec<Outcome> {
        let jobs = self.jobs.clamp(1, self.instances.len().max(1));
        let mut done: Vec<(usize, Outcome)> = thread::scope(|scope| {
            let hands: Vec<_> = (0..jobs).map(|_| scope.spawn(|| self.hand())).collect();
            hands
                .into_iter()
                .flat_map(|hand| match hand.join() {
                    Ok(done) => done,
                    // A fault of ours: everything has been cleaned up on the way, and nobody may think that all is well.
                    Err(panic) => std::panic::resume_unwind(panic),
                })
                .collect()
        });
        done.sort_by_key(|(place, _)| *place);
        done.into_iter().map(|(_, outcome)| outcome).collect()
    }

    fn hand(&self) -> Vec<(usize, Outcome)> {
        let mut done = Vec::new();
        let mut host = Host::new(&self.campaign.launch, self.stop.clone(), Some(self.janitor));
        while !*self.stop.borrow() {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(instance) = self.instances.get(place) else {
                break;
            };
            let outcome = match &mut host {
                Ok(host) => self.outcome(place, instance, host),
                Err(reason) => Some(not_started(instance, reason)),
            };
            match outcome {
                Some(outcome) => {
                    self.observer.performed(&outcome);
                    done.push((place, outcome));
                }
                None => self.interrupted.store(true, Ordering::Relaxed),
            }
        }
        if *self.stop.borrow() {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        done
    }

    /// `None` if the program was told to stop.
    fn outcome(&self, place: usize, instance: &Instance<'_>, host: &mut Host) -> Option<Outcome> {
        let patience = if place < PATIENT {
            Patience::default()
        } else {
            self.patience
        };
        let name = trace_name(instance);
        let sink = self.sinks.open(&name);
        let traced = sink.is_some();
        let performed = self.perform(place, instance, host, patience, sink)?;
        let traced = traced && performed.error.is_none();
        let Performed { recording, .. } = performed;
        let judgement = self.judge(&recording.trace);
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
        drop(recording.trace);
        let mut repeats = Vec::new();
        if broken(&judgement) {
            for _ in 0..self.campaign.repeats {
                let again = self.perform(place, instance, host, patience, None)?;
                repeats.push(self.judge(&again.recording.trace));
            }
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
        })
    }

    fn judge(&self, trace: &Trace) -> Judgement {
        if trace.events.len() <= LONG {
            return elenchus_judge::judge(trace);
        }
        let _alone = self.bench.lock().unwrap_or_else(PoisonError::into_inner);
        // A thread of its own: what it frees goes back at its end, where a long-lived thread's heap would keep it.
        thread::scope(
            |scope| match scope.spawn(|| elenchus_judge::judge(trace)).join() {
                Ok(judgement) => judgement,
                Err(panic) => std::panic::resume_unwind(panic),
            },
        )
    }

    fn perform(
        &self,
        place: usize,
        instance: &Instance<'_>,
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
        let more = self.jobs > 1
            && place + 1 < self.instances.len()
            && self.next.load(Ordering::Relaxed) < self.instances.len();
        let settings = &self.campaign.settings;
        let performed = match host.wires(more) {
            Ok(wires) => perform(
                instance,
                wires,
                Terms {
                    settings,
                    premises,
                    patience,
                    sink,
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

fn broken(judgement: &Judgement) -> bool {
    judgement
        .tallies
        .values()
        .any(|tally| !tally.breaches.is_empty())
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
            redactor: Redactor::new(secrets(&campaign.launch)),
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

/// What the operator hands to the target and nobody else may read: values of variables with such names.
fn secrets(launch: &Launch) -> Vec<String> {
    const NAMES: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "AUTH"];
    /// Shorter values stand everywhere by chance.
    const SHORTEST: usize = 6;
    let Launch::Command { env, .. } = launch else {
        return Vec::new();
    };
    env.iter()
        .filter(|(name, value)| {
            let name = name.to_ascii_uppercase();
            value.len() >= SHORTEST && NAMES.iter().any(|secret| name.contains(secret))
        })
        .map(|(_, value)| value.clone())
        .collect()
}
