//! A campaign: the control run that learns what the target can do, then all instances in parallel, each judged,
//! and what broke repeated.

pub(crate) mod plan;
pub(crate) mod share;
mod words;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use elenchus_judge::Judgement;
use elenchus_protocol::Version;
use elenchus_suites::{Script, script::Heed};
use elenchus_wire::{
    Event, EventKind, Frame, Mark, Side, Wait,
    event::Premise,
    trace::{FORMAT, Header, Trace},
};
use tokio::sync::watch;

use self::plan::{plan, without_session};
use crate::{
    control,
    crew::{Crew, Sinks},
    instance::{Instance, Reach, Step, Stopped},
    interrupt::Guard,
    memo::Memo,
    perform::Host,
    process::Janitor,
    room::Room,
    seed::Mix,
    target::{Launch, Settings},
};

/// The name that outcomes and traces of the control run have in place of a script's.
pub const CONTROL: &str = "control";

/// What the control run learned of a target.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    /// The versions that it negotiates, or that the operator declared.
    pub versions: Vec<Version>,
    /// Versions that it echoes without speaking their shapes, with what it answered; for people.
    pub echoed: Vec<(u16, String)>,
    /// `agentInfo` (v1) or `info` (v2) as compact JSON text, if it gave one.
    pub info: Option<String>,
    /// What goes to the head of every trace, a list a version.
    pub premises: Vec<(Version, Vec<Premise>)>,
    /// The triggers that were seen to work, in each version.
    pub triggers: BTreeSet<(Version, String)>,
    /// Why a trigger could not even be tried to its end, where the target was lost or let nothing be tried.
    pub untried: BTreeMap<(Version, String), String>,
    /// How far it came in each version when the triggers were tried, and the last lines of its standard error.
    pub reach: Vec<(Version, Reach, Vec<String>)>,
    /// What a client was seen to heed of its environment, in each version.
    pub heeds: BTreeSet<(Version, Heed)>,
    /// What a client was seen to answer elicitations with when it was started by the command that its profile has for
    /// that, in each version.
    pub answers: BTreeSet<(Version, String)>,
    /// The methods that it announces, in each version.
    pub methods: BTreeSet<(Version, String)>,
    /// The ids of the ways to sign in that it offers, each once.
    pub logins: Vec<String>,
    /// Only one process of it can run at a time: no instance was performed beside another.
    pub alone: bool,
    /// It has never answered a request with a method that it does not know: that one stays without an answer tells nothing
    /// of it.
    pub ignores_unknown: bool,
    /// How many bytes of memory it held when its triggers had been tried; the least of all versions, where that can be told.
    pub resident: Option<u64>,
    /// It says nothing over pipes, and answers `initialize` on a terminal.
    pub terminal_only: bool,
    /// Why nothing can be run, if so: it could not be started, died, never answered `initialize`.
    pub dead: Option<Dead>,
}

/// A target with which nothing can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dead {
    /// What happened, as a sentence: exit code or signal, silence, closed stdout, a banner, another protocol.
    pub what: String,
    /// The last lines of its standard error.
    pub stderr: Vec<String>,
    /// The last frames, ours and its, shortened and safe to print.
    pub frames: Vec<String>,
    /// What to try next.
    pub hint: String,
}

/// What is to be run.
#[derive(Debug, Clone)]
pub struct Campaign<'s> {
    /// How the target is started.
    pub launch: Launch,
    /// The scripts that were selected.
    pub scripts: Vec<&'s Script>,
    /// The versions to try; those declared by the operator are run even where the target negotiates another.
    pub versions: Vec<Version>,
    /// The operator named `versions`: the target claims to speak them.
    pub declared: bool,
    /// Times and bounds.
    pub settings: Settings,
    /// How many instances run at a time.
    pub jobs: usize,
    /// Decides every random choice.
    pub seed: u64,
    /// Races are run with all gaps in all orders.
    pub thorough: bool,
    /// How often an instance that broke something is performed again.
    pub repeats: u32,
    /// Where traces are streamed to, if anywhere: a folder that exists.
    pub traces: Option<PathBuf>,
    /// Every instance has a process of its own.
    pub fresh: bool,
    /// What other campaigns found in equal traces. Only for targets of which nothing but the trace is of interest.
    pub memo: Option<&'s Memo>,
}

/// One instance, performed and judged.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The script's name.
    pub script: String,
    /// What tells the instance from its siblings, as in the trace's header.
    pub instance: String,
    /// The version.
    pub version: Version,
    /// The trace's file below the traces folder, if it was kept.
    pub trace: Option<String>,
    /// What the rules found the first time.
    pub judgement: Judgement,
    /// What they found in each repeat; empty where nothing broke.
    pub repeats: Vec<Judgement>,
    /// Why the script stopped before its end, if it did.
    pub stopped: Option<Stopped>,
    /// The last lines of its standard error, where the script stopped or the target came to nothing.
    pub stderr: Vec<String>,
    /// How far the target came.
    pub reach: Reach,
    /// How many bytes of memory it held at the end of the script, where that can be told: on a process of its own.
    pub resident: Option<u64>,
    /// What broke only on a process that had served other scripts, and not on one of its own. Nothing is judged by it.
    pub disturbed: BTreeSet<&'static str>,
}

/// What a target never did in a whole version, so that what passed there says little.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The version.
    pub version: Version,
    /// It opened no session; otherwise no turn of it ended.
    pub session: bool,
    /// What happened instead, the first time.
    pub reason: String,
    /// The script that shows it.
    pub script: String,
    /// The line in which the script stopped, if it did.
    pub line: Option<u32>,
    /// The trace's file below the traces folder, if it was kept.
    pub trace: Option<String>,
    /// The last lines of standard error.
    pub stderr: Vec<String>,
}

/// A script that was not run, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The script's name.
    pub script: String,
    /// The version.
    pub version: Version,
    /// Which need was not met, and what to configure.
    pub reason: String,
}

/// Watches a campaign; called from its threads.
pub trait Observer: Sync {
    /// The control run is over.
    fn learned(&self, knowledge: &Knowledge);
    /// So many instances will run.
    fn planned(&self, instances: usize);
    /// An instance was performed and judged.
    fn performed(&self, outcome: &Outcome);
}

/// What a campaign found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// What the control run learned.
    pub knowledge: Knowledge,
    /// All outcomes, sorted by version, script and instance.
    pub outcomes: Vec<Outcome>,
    /// Scripts that were not run.
    pub skipped: Vec<Skipped>,
    /// How many instances of each script were to be performed.
    pub planned: BTreeMap<(Version, String), usize>,
    /// Versions in which the target never got to its work.
    pub blocked: Vec<Blocked>,
    /// A signal ended the run early: the outcomes are those of the instances that were complete by then.
    pub interrupted: bool,
    /// The first error in writing traces, if there was one. What was found is not affected.
    pub trace_error: Option<String>,
}

impl Campaign<'_> {
    /// What the operator hands to the target and nobody else may read: what was said to be secret, and the values of
    /// variables with such names. Nothing that is written may hold them.
    pub fn secrets(&self) -> Vec<String> {
        const NAMES: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "AUTH"];
        /// Shorter values stand everywhere by chance.
        const SHORTEST: usize = 6;
        let env = self.launch.start().map_or(&[][..], |start| start.env);
        let named = env.iter().filter(|(name, _)| {
            let name = name.to_ascii_uppercase();
            NAMES.iter().any(|secret| name.contains(secret))
        });
        named
            .map(|(_, value)| value)
            .chain(&self.settings.secrets)
            .filter(|value| value.len() >= SHORTEST)
            .cloned()
            .collect()
    }

    /// Runs it. Blocks until everything has ended and every process that it started is gone.
    ///
    /// SIGINT, SIGTERM and SIGHUP end it early: whatever runs is killed at once, and what was found so far comes back.
    pub fn run(&self, observer: &dyn Observer) -> Findings {
        self.guarded(|stop| self.run_until(observer, stop))
    }

    /// Only learns what the target can do, as every run does first: what the needs of the scripts are about, and nothing
    /// is judged. `None` if a signal ended it.
    pub fn learn(&self) -> Option<Knowledge> {
        self.guarded(|stop| {
            let janitor = Janitor::new();
            let mut host = match Host::new(&self.launch, stop.clone(), Some(&janitor)) {
                Ok(host) => host,
                Err(reason) => {
                    return Some(Knowledge {
                        dead: Some(control::not_started(&reason)),
                        ..Knowledge::default()
                    });
                }
            };
            let learned = control::learn(self, &mut host, &Sinks::new(self));
            (!learned.interrupted).then_some(learned.knowledge)
        })
    }

    pub(crate) fn guarded<T>(&self, work: impl FnOnce(&watch::Receiver<bool>) -> T) -> T {
        let (stopper, stop) = watch::channel(false);
        // Nothing has to be cleaned up after a peer in memory.
        let guard = (!self.launch.in_memory())
            .then(|| Guard::new(stopper.clone()))
            .flatten();
        let done = work(&stop);
        drop(guard);
        done
    }

    fn run_until(&self, observer: &dyn Observer, stop: &watch::Receiver<bool>) -> Findings {
        let mut findings = Findings::default();
        let janitor = Janitor::new();
        let mut host = match Host::new(&self.launch, stop.clone(), Some(&janitor)) {
            Ok(host) => host,
            Err(reason) => {
                findings.knowledge.dead = Some(control::not_started(&reason));
                observer.learned(&findings.knowledge);
                return findings;
            }
        };
        let sinks = Sinks::new(self);
        let learned = control::learn(self, &mut host, &sinks);
        drop(host);
        observer.learned(&learned.knowledge);
        let (instances, skipped) = plan(self, &learned.knowledge);
        findings.skipped = skipped;
        for instance in &instances {
            let key = (instance.version, instance.script.name.clone());
            *findings.planned.entry(key).or_default() += 1;
        }
        findings.interrupted = learned.interrupted;
        if learned.knowledge.dead.is_none() && !learned.interrupted {
            observer.planned(instances.len());
            let jobs = if learned.knowledge.alone {
                1
            } else {
                self.jobs
            };
            let crew = Crew {
                campaign: self,
                knowledge: &learned.knowledge,
                patience: learned.patience,
                observer,
                sinks: &sinks,
                stop,
                janitor: &janitor,
                instances: &instances,
                jobs,
                interrupted: AtomicBool::new(false),
                constant: Mutex::new(BTreeMap::new()),
                room: Room::new(jobs, stop.clone()),
            };
            let (outcomes, left) = crew.work();
            findings
                .skipped
                .extend(without_session(&learned.knowledge, &outcomes, &left));
            findings.outcomes = outcomes;
            findings.interrupted = crew.interrupted.load(Ordering::Relaxed);
        }
        if learned.knowledge.terminal_only {
            findings.outcomes = control::judged_dead(self)
                .into_iter()
                .map(|version| self.terminal_only(version))
                .collect();
        }
        findings.outcomes.extend(learned.first);
        // Stable: the instances of a script stay in their order.
        findings
            .outcomes
            .sort_by(|a, b| (a.version, &a.script).cmp(&(b.version, &b.script)));
        findings.knowledge = learned.knowledge;
        if !findings.interrupted {
            findings.blocked = blocked(&findings.knowledge, &findings.outcomes);
        }
        findings.trace_error = sinks.error();
        findings
    }
}

impl Campaign<'_> {
    /// What the rules say of a target that needs a terminal. Its trace tells what the control run saw, and nothing else.
    fn terminal_only(&self, version: Version) -> Outcome {
        let kinds = [
            EventKind::Mark(Mark::Premise(Premise::AnswersOnTerminalOnly)),
            EventKind::Open {
                target: Side::Server,
            },
            EventKind::Frame {
                from: Side::Client,
                frame: Frame::line(control::initialize(version)),
            },
            EventKind::Deadline {
                wait: Wait::Answer {
                    id: control::INITIALIZE_ID.to_owned(),
                },
                ms: self
                    .settings
                    .answer
                    .as_millis()
                    .try_into()
                    .unwrap_or(u64::MAX),
            },
            EventKind::End,
        ];
        let events = (0..)
            .zip(kinds)
            .map(|(seq, kind)| Event {
                seq,
                at_us: 0,
                conn: 0,
                kind,
            })
            .collect();
        let trace = Trace {
            header: Header {
                elenchus_trace: FORMAT,
                elenchus: env!("CARGO_PKG_VERSION").to_owned(),
                protocol: version.name().to_owned(),
                judged: Side::Server,
                script: CONTROL.to_owned(),
                instance: String::new(),
                seed: self.seed,
            },
            events,
            cut: false,
        };
        Outcome {
            script: CONTROL.to_owned(),
            instance: String::new(),
            version,
            trace: None,
            judgement: elenchus_judge::judge(&trace),
            repeats: Vec::new(),
            stopped: None,
            stderr: Vec::new(),
            reach: Reach::default(),
            resident: None,
            disturbed: BTreeSet::new(),
        }
    }
}

/// The versions in which a target never got to its work, and what shows it.
fn blocked(knowledge: &Knowledge, outcomes: &[Outcome]) -> Vec<Blocked> {
    let of = |version: Version| {
        let control = knowledge.reach.iter();
        let control = control
            .filter(move |(other, ..)| *other == version)
            .map(|(_, reach, stderr)| (reach, stderr, None));
        outcomes
            .iter()
            .filter(move |outcome| outcome.version == version)
            .map(|outcome| (&outcome.reach, &outcome.stderr, Some(outcome)))
            .chain(control)
    };
    let mut found = Vec::new();
    for &version in &knowledge.versions {
        for session in [true, false] {
            let step = |reach: &Reach| {
                if session {
                    reach.session.clone()
                } else {
                    reach.turn.clone()
                }
            };
            if of(version).any(|(reach, ..)| step(reach) == Step::Done) {
                continue;
            }
            let failed = of(version).find_map(|(reach, stderr, outcome)| match step(reach) {
                Step::Failed(reason) => Some((reason, stderr, outcome)),
                _ => None,
            });
            if let Some((reason, stderr, outcome)) = failed {
                let control = format!("control.{version}.jsonl");
                found.push(Blocked {
                    version,
                    session,
                    reason,
                    script: outcome
                        .map_or_else(|| "control".to_owned(), |outcome| outcome.script.clone()),
                    line: outcome.and_then(|outcome| match outcome.stopped {
                        Some(Stopped::Step { line, .. }) => Some(line),
                        _ => None,
                    }),
                    trace: outcome.map_or(Some(control), |outcome| outcome.trace.clone()),
                    stderr: stderr.clone(),
                });
                // Without a session there is no turn.
                break;
            }
        }
    }
    found
}

/// The name of an instance's trace file, without a folder: safe on every file system, the same in every run.
pub fn trace_name(instance: &Instance<'_>) -> String {
    /// File systems allow 255 bytes.
    const LONGEST: usize = 160;
    let readable: String = instance
        .script
        .name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
                c.to_ascii_lowercase()
            } else {
                '.'
            }
        })
        .take(LONGEST)
        .collect();
    // Names that differ only in what was replaced, and instances of one script, are told apart by this.
    let mut mix = Mix::new(0);
    mix.add(instance.script.name.as_bytes());
    mix.add(instance.describe().as_bytes());
    format!(
        "{}.{readable}.{:08x}.jsonl",
        instance.version.name(),
        mix.value() & 0xffff_ffff
    )
}
