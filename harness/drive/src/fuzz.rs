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
mod moves;
mod mutate;
mod novelty;
mod shrink;
mod stand;
mod symptom;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use elenchus_protocol::Version;
use elenchus_suites::{Suite, script::Target};
use elenchus_wire::{EventKind, Side, redact::Redactor};
use tokio::sync::watch;

pub use self::symptom::Cause;
use self::{
    corpus::Corpus,
    draft::Draft,
    investigate::Investigation,
    moves::Words,
    mutate::mutate,
    novelty::{Seen, features},
    stand::{How, Rules, Stand, quick},
    symptom::{Symptom, symptoms},
};
use crate::{
    campaign::{Campaign, Knowledge, plan},
    control,
    crew::Sinks,
    instance::Stopped,
    perform::Host,
    process::Janitor,
    seed::{Mix, Random},
};

/// The name of generated scripts.
const NAME: &str = "fuzz";
/// How often a campaign tells where it is.
const TOLD_EVERY: Duration = Duration::from_millis(500);
/// So many symptoms of one cause are looked into; more would tell the same with other words.
const OF_ONE_CAUSE: usize = 3;
/// So often a symptom is looked into that did not show again, or that the reference peer shows as well: another input may
/// show it and be no accident, or show it for another reason.
const ATTEMPTS: u32 = 8;
/// The most moves of a new draft.
const MOVES: usize = 30;
/// So many inputs in a row are of one version and open their connection in one way, as they share a process.
const IN_A_ROW: u64 = 64;
/// In so many of a hundred inputs the connection is opened in a way of their own.
const OWN_OPENING: u64 = 3;

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

/// When a campaign ends; without either limit, when it is told to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limit {
    /// After this time.
    pub time: Option<Duration>,
    /// After so many inputs.
    pub runs: Option<u64>,
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

    fn run_until(&self, watcher: &dyn Watcher, stop: &watch::Receiver<bool>) -> Fuzzed {
        let mut fuzzed = Fuzzed::default();
        let janitor = Janitor::new();
        let mut host = match Host::new(&self.campaign.launch, stop.clone(), Some(&janitor)) {
            Ok(host) => host,
            Err(reason) => {
                fuzzed.knowledge.dead = Some(control::not_started(&reason));
                watcher.learned(&fuzzed.knowledge);
                return fuzzed;
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
            return fuzzed;
        }
        let mut rules = Rules {
            knowledge: &fuzzed.knowledge,
            patience: learned.patience,
            full: &self.campaign.settings,
            quick: self.campaign.settings.clone(),
            // A peer in memory starts in no time.
            fresh: self.campaign.fresh || self.campaign.launch.in_memory(),
            seed: self.campaign.seed,
            least: AtomicU64::new(u64::MAX),
        };
        let seeds = self.seeds(&fuzzed.knowledge);
        let (words, pace) = self.words(&rules, stop, &janitor);
        rules.quick = quick(&self.campaign.settings, pace);
        let jobs = if fuzzed.knowledge.alone {
            1
        } else {
            self.campaign.jobs.max(1)
        };
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
        };
        let panicked = thread::scope(|scope| {
            let hands: Vec<_> = (0..jobs)
                .map(|number| {
                    let work = &work;
                    scope.spawn(move || work.hand(number))
                })
                .collect();
            hands.into_iter().find_map(|hand| hand.join().err())
        });
        if let Some(panic) = panicked {
            // A fault of ours: everything has been cleaned up on the way, and nobody may think that all is well.
            std::panic::resume_unwind(panic);
        }
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
        fuzzed
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
        let mut pace = Duration::ZERO;
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

/// What all threads add to.
#[derive(Debug, Default)]
struct State {
    corpus: Corpus,
    seen: Seen,
    /// How often each symptom was looked into, by key.
    looked_into: BTreeMap<String, u32>,
    /// How many keys of each cause and version were looked into.
    of_cause: BTreeMap<(Cause, Version), usize>,
    findings: BTreeMap<String, Finding>,
    ours: BTreeMap<String, Finding>,
    runs: u64,
    messages: u64,
    started: u64,
    unconfirmed: u64,
    told: Option<Instant>,
    error: Option<String>,
}

/// Everything that the threads share.
struct Work<'w, 's> {
    fuzz: &'w Fuzz<'s>,
    rules: &'w Rules<'w>,
    /// One for each version.
    words: Vec<Words>,
    seeds: Vec<Draft>,
    /// The next of the seeds.
    next: AtomicUsize,
    state: Mutex<State>,
    begun: Instant,
    watcher: &'w dyn Watcher,
    stop: &'w watch::Receiver<bool>,
    janitor: &'w Janitor,
    interrupted: AtomicBool,
    redactor: Redactor,
}

impl Work<'_, '_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn status(&self) -> Status {
        let state = self.state();
        Status {
            runs: state.runs,
            messages: state.messages,
            corpus: state.corpus.len(),
            features: state.seen.len(),
            findings: state.findings.len(),
            ours: state.ours.len(),
            unconfirmed: state.unconfirmed,
            started: state.started,
            elapsed: self.begun.elapsed(),
        }
    }

    fn failed(&self, reason: String) {
        self.state().error.get_or_insert(reason);
    }

    fn over(&self) -> bool {
        if *self.stop.borrow() {
            self.interrupted.store(true, Ordering::Relaxed);
            return true;
        }
        let Limit { time, runs } = self.fuzz.limit;
        time.is_some_and(|time| self.begun.elapsed() >= time)
            || runs.is_some_and(|runs| self.state().runs >= runs)
    }

    /// One thread of the campaign.
    fn hand(&self, number: usize) {
        let host = Host::new(
            &self.fuzz.campaign.launch,
            self.stop.clone(),
            Some(self.janitor),
        );
        let host = match host {
            Ok(host) => host,
            Err(reason) => {
                return self.failed(format!("the target could not be started: {reason}"));
            }
        };
        let mut mix = Mix::new(self.fuzz.campaign.seed);
        mix.add(&self.fuzz.partition.index.to_le_bytes());
        mix.add(&number.to_le_bytes());
        let mut random = Random::new(mix.value());
        let mut stand = Stand::new(self.rules, host);
        let mut words = &self.words[0];
        let mut open = String::new();
        for turn in 0_u64.. {
            if self.over() {
                break;
            }
            if turn % IN_A_ROW == 0 {
                words = random.pick(&self.words).unwrap_or(words);
                open = moves::opening(&mut random);
            }
            let mut draft = self.draft(words, &mut random);
            if let Some(first) = draft
                .body
                .first_mut()
                .filter(|_| !random.percent(OWN_OPENING))
                && first.starts_with("open")
            {
                first.clone_from(&open);
            }
            if self.perform(&draft, &mut stand).is_none() {
                self.interrupted.store(true, Ordering::Relaxed);
                return;
            }
            self.tell();
        }
    }

    /// The next input: a seed, something new, or a child of what was worth keeping.
    fn draft(&self, words: &Words, random: &mut Random) -> Draft {
        if let Some(seed) = self.seeds.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            return seed.clone();
        }
        if random.percent(70) {
            let (parent, other) = {
                let state = self.state();
                let mut pick = || state.corpus.pick(words.version, random).cloned();
                (pick(), pick())
            };
            if let Some(parent) = parent {
                return mutate(&parent, other.as_ref(), words, random);
            }
        }
        words.draft(1 + random.below(MOVES), random)
    }

    /// Performs a draft and looks at what it shows. `None` if the program has to stop.
    fn perform(&self, draft: &Draft, stand: &mut Stand<'_>) -> Option<()> {
        // What is no script was worth the try.
        let Ok(script) = draft.script(NAME) else {
            return Some(());
        };
        let play = stand.perform(draft, &script, How::Quick)?;
        if let Some(Stopped::NotStarted(reason)) = &play.recording.stopped {
            self.failed(format!("the target could not be started: {reason}"));
        }
        let judgement = elenchus_judge::judge(&play.recording.trace);
        let features = features(&play.recording.trace, &judgement);
        let symptoms = symptoms(&play.recording, &judgement, &script, play.growth);
        let new = {
            let mut state = self.state();
            state.runs += 1;
            state.messages += play.messages;
            state.started += u64::from(play.started);
            state.seen.add(&features)
        };
        if new > 0 {
            self.keep(draft, play.recording.stopped.as_ref());
        }
        let symptoms: Vec<Symptom> = symptoms
            .into_iter()
            .filter(|symptom| self.is_new(symptom, draft.version))
            .collect();
        if !symptoms.is_empty() {
            stand.renew();
        }
        for symptom in symptoms {
            self.investigate(draft, &symptom, stand)?;
        }
        Some(())
    }

    /// Keeps a draft, up to where it came.
    fn keep(&self, draft: &Draft, stopped: Option<&Stopped>) {
        let mut draft = draft.clone();
        if let Some(Stopped::Step { line, .. }) = stopped {
            let first = draft.first_line();
            let done = usize::try_from(*line)
                .unwrap_or(usize::MAX)
                .saturating_sub(first);
            draft.body.truncate(done);
        }
        if draft.body.is_empty() || draft.script(NAME).is_err() {
            return;
        }
        if let Some(folder) = &self.fuzz.corpus
            && let Err(error) = corpus::save(folder, &draft)
        {
            self.failed(format!("{}: {error}", folder.display()));
        }
        self.state().corpus.add(draft);
    }

    /// The symptom counts, and nobody has looked into it enough.
    fn is_new(&self, symptom: &Symptom, version: Version) -> bool {
        if let Some(only) = &self.fuzz.only
            && !only.contains(symptom.cause.name())
        {
            return false;
        }
        let key = format!("{version} {}", symptom.key());
        let mut state = self.state();
        let State {
            looked_into,
            of_cause,
            findings,
            ..
        } = &mut *state;
        if findings.contains_key(&key) {
            return false;
        }
        match looked_into.get_mut(&key) {
            Some(times) if *times >= ATTEMPTS => false,
            Some(times) => {
                *times += 1;
                true
            }
            None => {
                let keys = of_cause.entry((symptom.cause, version)).or_default();
                let room = *keys < OF_ONE_CAUSE;
                if room {
                    *keys += 1;
                    looked_into.insert(key, 1);
                }
                room
            }
        }
    }

    /// Confirms, shrinks and saves. `None` if the program has to stop.
    fn investigate(&self, draft: &Draft, symptom: &Symptom, stand: &mut Stand<'_>) -> Option<()> {
        let investigation = Investigation {
            fuzz: self.fuzz,
            redactor: &self.redactor,
            stop: self.stop,
        };
        let key = format!("{} {}", draft.version, symptom.key());
        let known = self.state().ours.contains_key(&key);
        let found = investigation.look_into(draft, symptom, known, stand)?;
        let mut state = self.state();
        match found {
            investigate::Found::Nothing => state.unconfirmed += 1,
            investigate::Found::Ours(finding) => {
                state
                    .ours
                    .extend(finding.map(|finding| (finding.key.clone(), finding)));
            }
            investigate::Found::Finding(finding, error) => {
                if let Some(error) = error {
                    state.error.get_or_insert(error);
                }
                state.findings.insert(finding.key.clone(), finding.clone());
                drop(state);
                self.watcher.found(&finding);
            }
        }
        Some(())
    }

    /// Tells where the campaign is, if it is time.
    fn tell(&self) {
        {
            let mut state = self.state();
            let due = state.told.is_none_or(|told| told.elapsed() >= TOLD_EVERY);
            if !due {
                return;
            }
            state.told = Some(Instant::now());
        }
        self.watcher.status(&self.status());
    }
}
