//! The work of a campaign: what its threads do, and what they share.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use elenchus_protocol::Version;
use elenchus_wire::redact::Redactor;
use tokio::sync::watch;

use super::{
    Cause, Finding, Fuzz, Limit, MOVES, NAME, Status, Watcher,
    corpus::{self, Corpus},
    draft::Draft,
    investigate::{Found, Investigation, Reference},
    moves::{self, Words},
    mutate::mutate,
    novelty::{Novelty, Seen, features},
    stand::{How, Play, Rules, Stand},
    symptom::{Symptom, symptoms},
};
use crate::{
    instance::Stopped,
    perform::Host,
    process::Janitor,
    seed::{Mix, Random},
};

/// How often a campaign tells where it is.
const TOLD_EVERY: Duration = Duration::from_millis(500);
/// So many symptoms of one cause are looked into; more would tell the same with other words.
const OF_ONE_CAUSE: usize = 3;
/// So often a symptom is looked into that did not show again, or that the reference peer shows as well: another input may
/// show it and be no accident, or show it for another reason.
const ATTEMPTS: u32 = 8;
/// So many inputs in a row are of one version and open their connection in one way, as they share a process.
const IN_A_ROW: u64 = 64;
/// In so many of a hundred inputs the connection is opened in a way of their own.
const OWN_OPENING: u64 = 3;

/// What all threads add to.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) corpus: Corpus,
    pub(super) seen: Seen,
    /// How often each symptom was looked into, by key.
    pub(super) looked_into: BTreeMap<String, u32>,
    /// The keys of those that a thread is looking into.
    pub(super) busy: BTreeSet<String>,
    /// How many keys of each cause and version were looked into.
    pub(super) of_cause: BTreeMap<(Cause, Version), usize>,
    pub(super) findings: BTreeMap<String, Finding>,
    pub(super) ours: BTreeMap<String, Finding>,
    pub(super) runs: u64,
    pub(super) messages: u64,
    pub(super) started: u64,
    pub(super) unconfirmed: u64,
    pub(super) told: Option<Instant>,
    pub(super) error: Option<String>,
}

/// Everything that the threads share.
pub(super) struct Work<'w, 's> {
    pub(super) fuzz: &'w Fuzz<'s>,
    pub(super) rules: &'w Rules<'w>,
    /// One for each version.
    pub(super) words: Vec<Words>,
    pub(super) seeds: Vec<Draft>,
    /// The next of the seeds.
    pub(super) next: AtomicUsize,
    pub(super) state: Mutex<State>,
    pub(super) begun: Instant,
    pub(super) watcher: &'w dyn Watcher,
    pub(super) stop: &'w watch::Receiver<bool>,
    pub(super) janitor: &'w Janitor,
    pub(super) interrupted: AtomicBool,
    pub(super) redactor: Redactor,
    /// The reference peer in place of the target, once a symptom is tried on it.
    pub(super) reference: OnceLock<Option<Reference>>,
}

impl Work<'_, '_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn status(&self) -> Status {
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

    pub(super) fn failed(&self, reason: String) {
        self.state().error.get_or_insert(reason);
    }

    pub(super) fn over(&self) -> bool {
        if *self.stop.borrow() {
            self.interrupted.store(true, Ordering::Relaxed);
            return true;
        }
        let Limit {
            time,
            runs,
            findings,
        } = self.fuzz.limit;
        time.is_some_and(|time| self.begun.elapsed() >= time)
            || runs.is_some_and(|runs| self.state().runs >= runs)
            || findings.is_some_and(|findings| self.state().findings.len() >= findings)
    }

    /// One thread of the campaign.
    pub(super) fn hand(&self, number: usize) {
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
            let draft = self.draft(words, &open, &mut random);
            if self.perform(&draft, &mut stand).is_none() {
                self.interrupted.store(true, Ordering::Relaxed);
                return;
            }
            self.tell();
        }
    }

    /// The next input: a seed as it is, or else what is mostly opened in this way.
    fn draft(&self, words: &Words, open: &str, random: &mut Random) -> Draft {
        if let Some(seed) = self.seeds.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            return seed.clone();
        }
        let mut draft = self.invent(words, random);
        if let Some(first) = draft
            .body
            .first_mut()
            .filter(|_| !random.percent(OWN_OPENING))
            && first.starts_with("open")
        {
            open.clone_into(first);
        }
        draft
    }

    /// Something new, or a child of what was worth keeping.
    fn invent(&self, words: &Words, random: &mut Random) -> Draft {
        if random.percent(70) {
            let (parent, other) = {
                let mut state = self.state();
                let mut pick = || state.corpus.pick(words.version, random).cloned();
                (pick(), pick())
            };
            if let Some(parent) = parent {
                return mutate(&parent, other.as_ref(), words, random);
            }
        }
        words.draft(1 + random.below(MOVES), random)
    }

    /// Performs a draft and looks at what it shows; its features come back. `None` if the program has to stop.
    pub(super) fn perform(&self, draft: &Draft, stand: &mut Stand<'_>) -> Option<HashSet<u64>> {
        // What is no script was worth the try.
        let Ok(script) = draft.script(NAME) else {
            return Some(HashSet::new());
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
        if new != Novelty::Nothing {
            self.keep(draft, new, &play);
        }
        let draft = &done(draft, &play.passed_over);
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
        Some(features.all())
    }

    /// Keeps a draft, up to where it came.
    fn keep(&self, draft: &Draft, novelty: Novelty, play: &Play) {
        let mut draft = draft.clone();
        if let Some(Stopped::Step { line, .. }) = &play.recording.stopped {
            let first = draft.first_line();
            let done = usize::try_from(*line)
                .unwrap_or(usize::MAX)
                .saturating_sub(first);
            draft.body.truncate(done);
        }
        let draft = done(&draft, &play.passed_over);
        if draft.body.is_empty() || draft.script(NAME).is_err() {
            return;
        }
        if let Some(folder) = &self.fuzz.corpus
            && let Err(error) = corpus::save(folder, &draft)
        {
            self.failed(format!("{}: {error}", folder.display()));
        }
        self.state().corpus.add(draft, novelty);
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
            busy,
            of_cause,
            findings,
            ..
        } = &mut *state;
        if findings.contains_key(&key) || busy.contains(&key) {
            return false;
        }
        let new = match looked_into.get_mut(&key) {
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
                    looked_into.insert(key.clone(), 1);
                }
                room
            }
        };
        if new {
            busy.insert(key);
        }
        new
    }

    /// Confirms, shrinks and saves. `None` if the program has to stop.
    fn investigate(&self, draft: &Draft, symptom: &Symptom, stand: &mut Stand<'_>) -> Option<()> {
        let investigation = Investigation {
            fuzz: self.fuzz,
            redactor: &self.redactor,
            stop: self.stop,
            reference: self
                .reference
                .get_or_init(|| Reference::learn(&self.fuzz.campaign, self.stop))
                .as_ref(),
        };
        let key = format!("{} {}", draft.version, symptom.key());
        let known = self.state().ours.contains_key(&key);
        let found = investigation.look_into(draft, symptom, known, stand)?;
        let mut state = self.state();
        state.busy.remove(&key);
        match found {
            Found::Nothing => state.unconfirmed += 1,
            Found::Ours(finding) => {
                state
                    .ours
                    .extend(finding.map(|finding| (finding.key.clone(), finding)));
            }
            Found::Finding(finding, error) => {
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
    pub(super) fn tell(&self) {
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

/// A draft without the steps that could not be done; as it is where it is no script without them.
fn done(draft: &Draft, passed_over: &[u32]) -> Draft {
    let without = draft.without(passed_over);
    if without.script(NAME).is_ok() {
        without
    } else {
        draft.clone()
    }
}
