//! The stand of one thread: performs drafts on a process that is kept while it is healthy.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use elenchus_protocol::Version;
use elenchus_suites::{Script, Step};
use elenchus_wire::{EventKind, event::Premise};

use super::{draft::Draft, symptom::ALIVE};
use crate::{
    campaign::{Knowledge, share::opening},
    instance::Recording,
    interpret::GoesOn,
    perform::{Host, Performed, Terms, perform},
    record::Sink,
    stage::{Patience, Warm},
    target::Settings,
};

/// So many drafts are performed with one process at most: with more, what is left behind in it could hide what follows.
const SERVED: u32 = 500;

/// What all stands of a campaign have in common.
pub(super) struct Rules<'c> {
    pub(super) knowledge: &'c Knowledge,
    pub(super) patience: Patience,
    /// The times and bounds of the operator.
    pub(super) full: &'c Settings,
    /// Those of a first try: nothing that they lead to counts before it was tried with the full ones.
    pub(super) quick: Settings,
    pub(super) fresh: bool,
    /// The next process is started ahead of its draft, where a target may have more than one.
    pub(super) ahead: bool,
    pub(super) seed: u64,
    /// The least that a target was seen to hold after its first draft, in bytes of memory; `u64::MAX` before that.
    pub(super) least: AtomicU64,
}

/// Settings for a first try on a target that opens a session in this time. No window for what comes unasked, and short
/// waits: too short ones find what is not there, but then the full ones do not confirm it.
pub(super) fn quick(full: &Settings, pace: Duration) -> Settings {
    /// The longest first waits: what takes longer is seldom worth it.
    const ANSWER: Duration = Duration::from_secs(2);
    const EXPECT: Duration = Duration::from_millis(500);
    let answer = pace.saturating_mul(50).max(Duration::from_millis(100));
    let expect = pace.saturating_mul(5).max(Duration::from_millis(10));
    Settings {
        answer: answer.min(ANSWER).min(full.answer),
        expect: expect.min(EXPECT).min(full.expect),
        quiet: (Duration::ZERO, Duration::ZERO),
        goodbye: full.goodbye.min(Duration::from_millis(200)),
        ..full.clone()
    }
}

/// How a draft is performed.
pub(super) enum How {
    /// With quick settings, on a process that others were performed on, if there is one.
    Quick,
    /// With quick settings, on a process of its own.
    Alone,
    /// With the operator's settings, on a process of its own.
    Full(Option<Sink>),
}

/// What a stand did with a draft.
pub(super) struct Play {
    pub(super) recording: Recording,
    /// The lines of steps that could not be done.
    pub(super) passed_over: Vec<u32>,
    /// How many bytes of memory the target held more than the smallest one of this campaign, as far as that is known.
    pub(super) growth: u64,
    /// A process was started for it.
    pub(super) started: bool,
    pub(super) messages: u64,
}

/// Where drafts are performed.
pub(super) struct Stand<'c> {
    rules: &'c Rules<'c>,
    host: Host,
    /// A process that waits for the next draft, and how it was opened.
    kept: Option<(Version, String, Warm)>,
    served: u32,
}

impl<'c> Stand<'c> {
    pub(super) fn new(rules: &'c Rules<'c>, host: Host) -> Self {
        Self {
            rules,
            host,
            kept: None,
            served: 0,
        }
    }

    /// Performs a draft, whose script this is. `None` if the program has to stop.
    pub(super) fn perform(&mut self, draft: &Draft, script: &Script, how: How) -> Option<Play> {
        let rules = self.rules;
        let instance = draft.instance(script, rules.seed);
        let opened = opening(&instance).map(|(by, _)| by);
        let shares = matches!(how, How::Quick) && !rules.fresh;
        let kept = self.kept.take().filter(|(version, by, _)| {
            shares
                && self.served < SERVED
                && *version == draft.version
                && Some(by) == opened.as_ref()
        });
        let warm = kept.map(|(.., warm)| warm);
        let started = warm.is_none();
        if started {
            self.served = 0;
        }
        // What a quick try passes over is taken out before anything else is done with the draft.
        let goes_on: GoesOn<'_> = match how {
            How::Quick => &is_no_end,
            How::Alone | How::Full(_) => &|_, _| false,
        };
        let (settings, sink) = match how {
            How::Quick | How::Alone => (&rules.quick, None),
            How::Full(sink) => (rules.full, sink),
        };
        let keep = shares && opened.is_some();
        let performed = match self.host.wires(rules.ahead, !started) {
            Ok(wires) => perform(
                &instance,
                wires,
                Terms {
                    settings,
                    premises: premises(rules.knowledge, draft.version),
                    patience: rules.patience,
                    sink,
                    room: None,
                    warm,
                    keep,
                    trial: true,
                    goes_on,
                },
            ),
            Err(reason) => Performed::not_started(&instance, reason),
        };
        if performed.interrupted {
            return None;
        }
        self.served += 1;
        let growth = performed.resident.map_or(0, |now| {
            let least = rules.least.fetch_min(now, Ordering::Relaxed);
            now.saturating_sub(least)
        });
        if let (Some(warm), Some(by)) = (performed.warm, opened) {
            self.kept = Some((draft.version, by, warm));
        }
        let events = performed.recording.trace.events.iter();
        let messages = events.filter(|event| matches!(event.kind, EventKind::Frame { .. }));
        Some(Play {
            messages: messages.count() as u64,
            recording: performed.recording,
            passed_over: performed.passed_over,
            growth,
            started,
        })
    }

    /// Lets go of the kept process: what happened with it may not touch what comes.
    pub(super) fn renew(&mut self) {
        self.kept = None;
    }
}

/// The step does not belong to the end of a script by which a target shows that it still works, and few could not be done
/// before it: each may have cost a wait.
fn is_no_end(step: &Step, before: usize) -> bool {
    const FEW: usize = 8;
    let step = step.to_string();
    before < FEW && !step.split([' ', '@']).any(|word| word == ALIVE)
}

fn premises(knowledge: &Knowledge, version: Version) -> &[Premise] {
    let of = knowledge
        .premises
        .iter()
        .find(|(other, _)| *other == version);
    of.map_or(&[][..], |(_, premises)| premises)
}
