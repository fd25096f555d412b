//! What becomes of a symptom: it is tried again, tried on the reference, shrunk, and saved as a script.

use std::{
    io,
    sync::atomic::AtomicU64,
    time::{Duration, Instant},
};

use elenchus_suites::Suite;
use elenchus_wire::redact::Redactor;
use tokio::sync::watch;

use super::{
    Cause, Finding, Fuzz, NAME,
    corpus::write,
    draft::Draft,
    shrink::shrink,
    stand::{How, Play, Rules, Stand, quick},
    symptom::{Symptom, symptoms},
};
use crate::{
    campaign::Campaign,
    control::{self, Learned},
    crew::Sinks,
    perform::Host,
    record::Sink,
    seed::Mix,
    target::{Launch, Settings},
};

/// What became of a symptom.
pub(super) enum Found {
    /// It did not show again.
    Nothing,
    /// The reference peer shows it as well; the finding, if it is new.
    Ours(Option<Finding>),
    /// A finding, and why it could not be saved, if so.
    Finding(Finding, Option<String>),
}

/// Looks into symptoms.
pub(super) struct Investigation<'i, 's> {
    pub(super) fuzz: &'i Fuzz<'s>,
    pub(super) redactor: &'i Redactor,
    pub(super) stop: &'i watch::Receiver<bool>,
    /// Nothing if it cannot be started.
    pub(super) reference: Option<&'i Reference>,
}

/// What is known of the reference peer, which is talked to as the target is.
pub(super) struct Reference {
    launch: Launch,
    learned: Learned,
    quick: Settings,
}

impl Reference {
    /// Learns what it can do. `None` if it cannot be started.
    pub(super) fn learn(campaign: &Campaign<'_>, stop: &watch::Receiver<bool>) -> Option<Self> {
        let launch = if campaign.launch.is_client() {
            Launch::MemoryClient { fault: None }
        } else {
            Launch::Memory { fault: None }
        };
        let campaign = Campaign {
            launch: launch.clone(),
            scripts: Suite::embedded().scripts.iter().collect(),
            traces: None,
            ..campaign.clone()
        };
        let mut host = Host::new(&launch, stop.clone(), None).ok()?;
        Some(Self {
            launch,
            learned: control::learn(&campaign, &mut host, &Sinks::new(&campaign)),
            quick: quick(&campaign.settings, Duration::ZERO),
        })
    }
}

/// How often a draft showed a symptom, and what it showed with the operator's times; nothing if it does not count.
struct Confirmed {
    seen: u32,
    of: u32,
    shown: Option<(Symptom, Vec<String>)>,
}

impl Investigation<'_, '_> {
    /// `None` if the program has to stop. `known` says that the reference peer has shown it before.
    pub(super) fn look_into(
        &self,
        draft: &Draft,
        symptom: &Symptom,
        known: bool,
        stand: &mut Stand<'_>,
    ) -> Option<Found> {
        // The reference answers in no time, so it is asked first.
        if self.reference_shows(draft, symptom.cause) {
            if known {
                return Some(Found::Ours(None));
            }
            let key = symptom.key();
            let small = self.on_reference(|stand| self.shrink(draft, &key, stand));
            let small = small.flatten().unwrap_or_else(|| draft.clone());
            let once = Confirmed {
                seen: 1,
                of: 1,
                shown: None,
            };
            let finding = self.finding(&small, symptom, &once, &[]);
            return Some(Found::Ours(Some(finding)));
        }
        let confirmed = self.confirm(draft, symptom.cause, stand)?;
        let Some((symptom, stderr)) = confirmed.shown.clone() else {
            return Some(Found::Nothing);
        };
        let key = symptom.key();
        let small = self.shrink(draft, &key, stand)?;
        // Smaller scripts may show what the reference shows as well, or show it only now and then.
        let again = self.confirm(&small, symptom.cause, stand)?;
        let (draft, confirmed) = match &again.shown {
            Some((again_symptom, _))
                if again_symptom.key() == key
                    && again.seen >= confirmed.seen
                    && !self.reference_shows(&small, symptom.cause) =>
            {
                (&small, again)
            }
            _ => (draft, confirmed),
        };
        let (symptom, stderr) = confirmed.shown.clone().unwrap_or((symptom, stderr));
        let mut finding = self.finding(draft, &symptom, &confirmed, &stderr);
        let error = self.save(draft, &mut finding, stand).err();
        Some(Found::Finding(finding, error))
    }

    /// Performs a draft by itself: at once, then with the operator's times, and if it shows the symptom both times as often
    /// again as was asked for.
    fn confirm(&self, draft: &Draft, cause: Cause, stand: &mut Stand<'_>) -> Option<Confirmed> {
        let mut confirmed = Confirmed {
            seen: 0,
            of: 0,
            shown: None,
        };
        // What the quick times alone have led to must not count.
        let mut full = None;
        for turn in 0..=self.fuzz.campaign.repeats.max(1) {
            let how = if turn == 1 {
                How::Full(None)
            } else {
                How::Alone
            };
            let (shown, play) = show(draft, cause, how, stand)?;
            confirmed.of += 1;
            let Some(symptom) = shown else {
                if turn < 2 {
                    return Some(Confirmed {
                        shown: None,
                        ..confirmed
                    });
                }
                continue;
            };
            confirmed.seen += 1;
            if turn == 1 {
                full = Some((symptom, play.recording.stderr));
            }
        }
        Some(Confirmed {
            shown: full,
            ..confirmed
        })
    }

    /// The reference peer shows the symptom as well: then the script or the rule is wrong, not the target.
    fn reference_shows(&self, draft: &Draft, cause: Cause) -> bool {
        let shown = self.on_reference(|stand| show(draft, cause, How::Full(None), stand));
        matches!(shown.flatten(), Some((Some(_), _)))
    }

    /// Does something with the reference peer in place of the target. `None` if that cannot be.
    fn on_reference<T>(&self, work: impl FnOnce(&mut Stand<'_>) -> T) -> Option<T> {
        let Reference {
            launch,
            learned,
            quick,
        } = self.reference?;
        let rules = Rules {
            knowledge: &learned.knowledge,
            patience: learned.patience,
            full: &self.fuzz.campaign.settings,
            quick: quick.clone(),
            fresh: true,
            ahead: false,
            seed: self.fuzz.campaign.seed,
            least: AtomicU64::new(u64::MAX),
        };
        let host = Host::new(launch, self.stop.clone(), None).ok()?;
        Some(work(&mut Stand::new(&rules, host)))
    }

    /// The smallest draft that shows the symptom with this key.
    fn shrink(&self, draft: &Draft, key: &str, stand: &mut Stand<'_>) -> Option<Draft> {
        let begun = Instant::now();
        let mut stopped = false;
        let small = shrink(draft.clone(), &mut |draft| {
            if stopped || begun.elapsed() >= self.fuzz.shrink {
                return false;
            }
            let Some(found) = all(draft, How::Alone, stand) else {
                stopped = true;
                return false;
            };
            found.0.iter().any(|symptom| symptom.key() == key)
        });
        (!stopped).then_some(small)
    }

    fn finding(
        &self,
        draft: &Draft,
        symptom: &Symptom,
        confirmed: &Confirmed,
        stderr: &[String],
    ) -> Finding {
        let redacted = |text: &str| self.redactor.text(text).into_owned();
        let covers = match symptom.cause {
            Cause::Requirement(id) => Some(id),
            _ => None,
        };
        let why = redacted(&symptom.why);
        // A remark is one line, whatever the target has said.
        let about = why.replace(['\n', '\r'], " ");
        let about = format!(
            "{about}\nSeen {} of {} times; found with seed {}.",
            confirmed.seen, confirmed.of, self.fuzz.campaign.seed
        );
        Finding {
            cause: symptom.cause,
            key: format!("{} {}", draft.version, symptom.key()),
            version: draft.version,
            why,
            expected: symptom.expected.clone(),
            sent: redacted(&symptom.sent),
            got: redacted(&symptom.got),
            seen: confirmed.seen,
            of: confirmed.of,
            steps: draft.steps(),
            script: draft.text(&about, covers),
            file: None,
            trace: None,
            stderr: stderr.iter().map(|line| redacted(line)).collect(),
        }
    }

    /// Writes the script and a trace that shows it. The error says why something could not be written.
    fn save(
        &self,
        draft: &Draft,
        finding: &mut Finding,
        stand: &mut Stand<'_>,
    ) -> Result<(), String> {
        let Some(folder) = &self.fuzz.findings else {
            return Ok(());
        };
        let name = file_name(finding);
        let script = format!("{name}.script");
        let failed = |error: io::Error| format!("{}: {error}", folder.display());
        write(&folder.join(&script), &finding.script).map_err(failed)?;
        finding.file = Some(script);
        let trace = format!("{name}.jsonl");
        // The one that is kept has to show it; one that comes and goes is given some tries.
        for _ in 0..=self.fuzz.campaign.repeats {
            let sink = Sink::create(folder.join(&trace), self.redactor.clone()).map_err(failed)?;
            let Some((shown, _)) = show(draft, finding.cause, How::Full(Some(sink)), stand) else {
                // The program has to stop, and the script is there.
                return Ok(());
            };
            if shown.is_some() {
                finding.trace = Some(trace);
                break;
            }
        }
        Ok(())
    }
}

/// All that a draft shows; nothing if it is no script. `None` if the program has to stop.
fn all(draft: &Draft, how: How, stand: &mut Stand<'_>) -> Option<(Vec<Symptom>, Option<Play>)> {
    let Ok(script) = draft.script(NAME) else {
        return Some((Vec::new(), None));
    };
    let play = stand.perform(draft, &script, how)?;
    let judgement = elenchus_judge::judge(&play.recording.trace);
    let found = symptoms(&play.recording, &judgement, &script, play.growth);
    Some((found, Some(play)))
}

/// Whether a draft, which is a script, shows something of this cause.
fn show(
    draft: &Draft,
    cause: Cause,
    how: How,
    stand: &mut Stand<'_>,
) -> Option<(Option<Symptom>, Play)> {
    let (found, play) = all(draft, how, stand)?;
    let shown = found.into_iter().find(|symptom| symptom.cause == cause);
    Some((shown, play?))
}

/// The name of a finding's files, without an ending: the same in every campaign.
fn file_name(finding: &Finding) -> String {
    let mut mix = Mix::new(0);
    mix.add(finding.key.as_bytes());
    format!(
        "{}.{}.{:08x}",
        finding.version.name(),
        finding.cause.name().to_ascii_lowercase(),
        mix.value() & 0xffff_ffff
    )
}
