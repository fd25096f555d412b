//! A campaign: the control run that learns what the target can do, then all instances in parallel, each judged,
//! and what broke repeated.

use std::{collections::BTreeSet, path::PathBuf};

use elenchus_judge::Judgement;
use elenchus_protocol::Version;
use elenchus_suites::Script;
use elenchus_wire::event::Premise;

use crate::{
    instance::{Instance, Stopped},
    target::{Launch, Settings},
};

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
    /// The methods that it announces, in each version.
    pub methods: BTreeSet<(Version, String)>,
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
    /// How often an instance that broke something is performed again.
    pub repeats: u32,
    /// Where traces are streamed to, if anywhere: a folder that exists.
    pub traces: Option<PathBuf>,
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
}

impl Campaign<'_> {
    /// Runs it. Blocks until everything has ended and every process that it started is gone.
    pub fn run(&self, observer: &dyn Observer) -> Findings {
        let _ = observer;
        todo!()
    }
}

/// The name of an instance's trace file, without a folder: safe on every file system, the same in every run.
pub fn trace_name(instance: &Instance<'_>) -> String {
    let _ = instance;
    todo!()
}
