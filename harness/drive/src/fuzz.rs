//! Fuzzing campaigns: generated and mutated scripts against any target, judged by all rules.
//!
//! ```text
//! seeds, grammar, mutations -> Draft -> Stand (a process kept while healthy) -> trace -> judge
//!   features nobody saw before -> the corpus
//!   symptoms nobody saw before -> alone, with full times -> on the reference -> shrunk -> a saved script
//! ```
//!
//! A first try is quick and may err; nothing counts that does not show again on a process of its own with the operator's
//! times. What the reference peer shows as well is a fault of ours and no finding.

mod corpus;
mod draft;
mod investigate;
mod lab;
mod moves;
mod mutate;
mod novelty;
mod shrink;
mod stand;
mod symptom;
mod work;

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use elenchus_protocol::Version;
use elenchus_suites::{Suite, script::Target};
use elenchus_wire::{EventKind, Side, redact::Redactor};
use tokio::sync::watch;

use self::{
    draft::Draft,
    moves::Words,
    stand::{How, Rules, Stand, quick},
    work::{State, Work},
};
pub use self::{
    lab::Lab,
    symptom::{Cause, breakdown},
};
use crate::{
    campaign::{Campaign, Knowledge, plan},
    control,
    crew::Sinks,
    perform::Host,
    process::Janitor,
    seed::Random,
};

/// The name of generated scripts.
const NAME: &str = "fuzz";
/// The most moves of a new draft.
const MOVES: usize = 50;

/// A fuzzing campaign.
#[derive(Debug, Clone)]
pub struct Fuzz<'s> {
    /// The target and how it is talked to. The scripts are what the corpus begins with, `repeats` is how often a symptom
    /// is tried again, and `traces` and `thorough` mean nothing here.
    pub campaign: Campaign<'s>,
    /// When it ends.
    pub limit: Limit,
    /// Which part of a larger campaign it is.
    pub partition: Partition,
    /// The folder of the corpus: what lies there is tried first, and what reaches something new is written there.
    pub corpus: Option<PathBuf>,
    /// The folder of the findings: scripts, and their traces.
    pub findings: Option<PathBuf>,
    /// The only causes that count, by name; all if there are none.
    pub only: Option<BTreeSet<String>>,
    /// The most time that is spent on shrinking one finding.
    pub shrink: Duration,
}

/// When a campaign ends; without any limit, when it is told to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limit {
    /// After this time.
    pub time: Option<Duration>,
    /// After so many inputs.
    pub runs: Option<u64>,
    /// After so many findings.
    pub findings: Option<usize>,
}

/// A part of a campaign that several machines share: each begins with other seeds and draws other numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partition {
    /// Its number, from 0.
    pub index: u32,
    /// How many there are; at least 1.
    pub of: u32,
}

impl Default for Partition {
    fn default() -> Self {
        Self { index: 0, of: 1 }
    }
}

/// Watches a campaign; called from its threads.
pub trait Watcher: Sync {
    /// The control run is over.
    fn learned(&self, knowledge: &Knowledge);
    /// How far it is; about twice a second.
    fn status(&self, status: &Status);
    /// A finding was confirmed, shrunk and saved.
    fn found(&self, finding: &Finding);
}

/// How far a campaign is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Status {
    /// Inputs that were performed, without those of confirming and shrinking.
    pub runs: u64,
    /// Messages that crossed the wire in them, in both directions.
    pub messages: u64,
    /// Inputs in the corpus.
    pub corpus: usize,
    /// Features of the target's state that were seen.
    pub features: usize,
    /// Findings.
    pub findings: usize,
    /// Symptoms that the reference peer shows as well.
    pub ours: usize,
    /// Symptoms that did not show again.
    pub unconfirmed: u64,
    /// Processes that were started for inputs.
    pub started: u64,
    /// The time since the control run.
    pub elapsed: Duration,
}

/// Something that goes wrong, and the script that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind of wrong it is.
    pub cause: Cause,
    /// Equal for findings with the same cause, in every campaign.
    pub key: String,
    /// The version.
    pub version: Version,
    /// One sentence to the target's author.
    pub why: String,
    /// What was to be expected.
    pub expected: String,
    /// What we had sent, shortened and safe to print.
    pub sent: String,
    /// What came back.
    pub got: String,
    /// How often the script showed it.
    pub seen: u32,
    /// Of so many times that it was performed.
    pub of: u32,
    /// How many steps the script has.
    pub steps: usize,
    /// The script.
    pub script: String,
    /// Its file in the folder of findings, if it could be written.
    pub file: Option<String>,
    /// The trace that shows it, in the same folder.
    pub trace: Option<String>,
    /// The last lines of the target's standard error.
    pub stderr: Vec<String>,
}

/// What a campaign found.
#[derive(Debug, Clone, Default)]
pub struct Fuzzed {
    /// What the control run learned.
    pub knowledge: Knowledge,
    /// The findings, by key.
    pub findings: Vec<Finding>,
    /// What the reference peer shows as well, by key: rules or scripts that are wrong.
    pub ours: Vec<Finding>,
    /// How far it came.
    pub status: Status,
    /// A signal ended it.
    pub interrupted: bool,
    /// The first error in writing or reading files, if there was one.
    pub error: Option<String>,
}

impl Fuzz<'_> {
    /// Runs it. Blocks until it has ended and every process that it started is gone.
    ///
    /// SIGINT, SIGTERM and SIGHUP end it early; what was found so far is saved and comes back.
    pub fn run(&self, watcher: &dyn Watcher) -> Fuzzed {
        self.campaign.guarded(|stop| self.run_until(watcher, stop))
    }

    fn target(&self) -> Target {
        if self.campaign.launch.is_client() {
            Target::Client
        } else {
            Target::Agent
        }
    }

    /// Hands the campaign to somebody else's loop, which decides what is tried: everything is as in [`Self::run`] but that.
    ///
    /// What the job returns comes back with what was found; nothing if the target can do nothing.
    pub fn lab<T>(
        &self,
        watcher: &dyn Watcher,
        job: impl FnOnce(&mut Lab<'_, '_>) -> T,
    ) -> (Fuzzed, Option<T>) {
        let (fuzzed, done) = self.campaign.guarded(|stop| {
            self.work_on(watcher, stop, |work| {
                let host = Host::new(&self.campaign.launch, stop.clone(), Some(work.janitor));
                let stand = match host {
                    Ok(host) => Stand::new(work.rules, host),
                    Err(reason) => {
                        work.failed(format!("the target could not be started: {reason}"));
                        return None;
                    }
                };
                let random = Random::new(self.campaign.seed);
                Some(job(&mut Lab {
                    work,
                    stand,
                    random,
                }))
            })
        });
        (fuzzed, done.flatten())
    }

    fn run_until(&self, watcher: &dyn Watcher, stop: &watch::Receiver<bool>) -> Fuzzed {
        let (fuzzed, _) = self.work_on(watcher, stop, |work| {
            let jobs = if work.rules.knowledge.alone {
                1
            } else {
                self.campaign.jobs.max(1)
            };
            let panicked = thread::scope(|scope| {
                let hands: Vec<_> = (0..jobs)
                    .map(|number| scope.spawn(move || work.hand(number)))
                    .collect();
                hands.into_iter().find_map(|hand| hand.join().err())
            });
            if let Some(panic) = panicked {
                // A fault of ours: everything has been cleaned up on the way, and nobody may think that all is well.
                std::panic::resume_unwind(panic);
            }
        });
        fuzzed
    }

    /// Learns what the target can do, and does the job with it, if that is anything.
    fn work_on<T>(
        &self,
        watcher: &dyn Watcher,
        stop: &watch::Receiver<bool>,
        job: impl FnOnce(&Work<'_, '_>) -> T,
    ) -> (Fuzzed, Option<T>) {
        let mut fuzzed = Fuzzed::default();
        let janitor = Janitor::new();
        let mut host = match Host::new(&self.campaign.launch, stop.clone(), Some(&janitor)) {
            Ok(host) => host,
            Err(reason) => {
                fuzzed.knowledge.dead = Some(control::not_started(&reason));
                watcher.learned(&fuzzed.knowledge);
                return (fuzzed, None);
            }
        };
        // What works is asked of all that the suite knows, whatever the corpus begins with.
        let campaign = Campaign {
            scripts: Suite::embedded().scripts.iter().collect(),
            traces: None,
            thorough: false,
            ..self.campaign.clone()
        };
        let learned = control::learn(&campaign, &mut host, &Sinks::new(&campaign));
        drop(host);
        fuzzed.knowledge = learned.knowledge;
        fuzzed.interrupted = learned.interrupted;
        watcher.learned(&fuzzed.knowledge);
        let nothing = fuzzed.knowledge.versions.is_empty();
        if fuzzed.interrupted || nothing || fuzzed.knowledge.dead.is_some() {
            return (fuzzed, None);
        }
        let mut rules = Rules {
            knowledge: &fuzzed.knowledge,
            patience: learned.patience,
            full: &self.campaign.settings,
            quick: self.campaign.settings.clone(),
            // A peer in memory starts in no time.
            fresh: self.campaign.fresh || self.campaign.launch.in_memory(),
            ahead: self.campaign.jobs > 1 && !fuzzed.knowledge.alone,
            seed: self.campaign.seed,
            least: AtomicU64::new(u64::MAX),
        };
        let seeds = self.seeds(&fuzzed.knowledge);
        let (words, pace) = self.words(&rules, stop, &janitor);
        rules.quick = quick(&self.campaign.settings, pace);
        let work = Work {
            fuzz: self,
            rules: &rules,
            words,
            seeds,
            next: AtomicUsize::new(0),
            state: Mutex::new(State::default()),
            begun: Instant::now(),
            watcher,
            stop,
            janitor: &janitor,
            interrupted: AtomicBool::new(false),
            redactor: Redactor::new(self.campaign.secrets()),
            reference: OnceLock::new(),
        };
        let done = job(&work);
        fuzzed.interrupted = work.interrupted.load(Ordering::Relaxed);
        fuzzed.status = work.status();
        watcher.status(&fuzzed.status);
        let state = work
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        fuzzed.findings = state.findings.into_values().collect();
        fuzzed.ours = state.ours.into_values().collect();
        fuzzed.error = state.error;
        (fuzzed, Some(done))
    }

    /// What the grammar may speak of, in each version, and the time in which the target opens a session.
    fn words(
        &self,
        rules: &Rules<'_>,
        stop: &watch::Receiver<bool>,
        janitor: &Janitor,
    ) -> (Vec<Words>, Duration) {
        let versions = rules.knowledge.versions.iter();
        let mut all: Vec<Words> = versions
            .map(|&version| Words::of(rules.knowledge, self.target(), version))
            .collect();
        // A client takes its time to start its agent, and is not asked how long.
        let mut pace = if self.target() == Target::Client {
            Duration::from_millis(100)
        } else {
            Duration::ZERO
        };
        let host = Host::new(&self.campaign.launch, stop.clone(), Some(janitor));
        let (Ok(host), Target::Agent) = (host, self.target()) else {
            return (all, pace);
        };
        let mut stand = Stand::new(rules, host);
        for words in &mut all {
            let draft = words.settings();
            let script = draft.script(NAME).ok();
            let Some(play) = script.and_then(|script| stand.perform(&draft, &script, How::Alone))
            else {
                continue;
            };
            let mut asked = 0;
            for event in &play.recording.trace.events {
                let EventKind::Frame { from, frame } = &event.kind else {
                    continue;
                };
                let text = frame.text().unwrap_or_default();
                if *from == Side::Client && text.contains("\"session/new\"") {
                    asked = event.at_us;
                }
                if *from == Side::Server && text.contains("\"sessionId\"") && asked > 0 {
                    pace = pace.max(Duration::from_micros(event.at_us.saturating_sub(asked)));
                    asked = 0;
                }
                words.modes |= text.contains("\"availableModes\"");
                words.options |= text.contains("\"configOptions\"");
            }
        }
        (all, pace)
    }

    /// What is tried first: this part's share of the suite, and all that lies in the folders.
    fn seeds(&self, knowledge: &Knowledge) -> Vec<Draft> {
        let (instances, _) = plan::plan(&self.campaign, knowledge);
        let share = |(place, _): &(usize, _)| {
            place % self.partition.of.max(1) as usize == self.partition.index as usize
        };
        let suite = instances.iter().enumerate().filter(share);
        let mut seeds: Vec<Draft> = suite.map(|(_, instance)| Draft::of(instance)).collect();
        for folder in [&self.corpus, &self.findings].into_iter().flatten() {
            // A folder that cannot be read cannot be written either, and that is told.
            if let Ok(drafts) = corpus::load(folder, self.target(), &knowledge.versions) {
                seeds.extend(drafts);
            }
        }
        seeds
    }
}
