//! A client: the process that works on one core.

use std::{ffi::OsString, num::NonZero, path::PathBuf, time::Duration};

use elenchus_drive::{
    Campaign, Finding, Fuzz, Knowledge, Launch, Settings,
    fuzz::{Lab, Limit, Partition, Status, Watcher},
};
use elenchus_protocol::Version;
use elenchus_suites::{Suite, script::Target};
use libafl::{
    Error, Evaluator as _, EventProcessor as _, Fuzzer as _, StdFuzzer,
    corpus::{Corpus as _, InMemoryCorpus},
    events::{EventFirer, EventReceiver, ProgressReporter, SendExiting},
    feedbacks::{CrashFeedback, MaxMapFeedback},
    observers::StdMapObserver,
    schedulers::RandScheduler,
    stages::StdMutationalStage,
    state::{HasCorpus as _, HasImported as _, StdState},
};
use libafl_bolts::{rands::StdRand, tuples::tuple_list};

use crate::{
    engine::{Bench, Breeder, ENTRIES, Performer, Script},
    folders::Folder,
    words::{End, Speaker, Word, tell},
};

/// The state of a client.
pub(crate) type State = StdState<InMemoryCorpus<Script>, Script, StdRand, InMemoryCorpus<Script>>;

/// The most children of an input before others have their turn, and what other clients sent.
const CHILDREN: NonZero<usize> = NonZero::new(16).expect("it is not 0");
/// How often a client tells the broker where it is.
const TOLD_EVERY: Duration = Duration::from_secs(5);
/// How often a symptom is tried again.
const REPEATS: u32 = 2;
/// The most time that is spent on making one finding smaller.
const SHRINK: Duration = Duration::from_secs(30);

/// What all clients are told.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) argv: Vec<OsString>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) cwd: PathBuf,
    pub(crate) out: PathBuf,
    pub(crate) time: Duration,
    pub(crate) seed: u64,
    /// How many clients there are.
    pub(crate) clients: usize,
}

/// Works until the time is over. It is called in a process of its own, in which nothing of a lab existed before.
pub(crate) fn work<EM>(order: &Order, number: usize, speaker: &Speaker, manager: &mut EM) -> End
where
    EM: EventFirer<Script, State>
        + EventReceiver<Script, State>
        + ProgressReporter<State>
        + SendExiting,
{
    let folders = Folder::create(&order.out).and_then(|whole| {
        let seeds = whole.share(number - 1, order.clients)?;
        Ok((seeds, Folder::of_client(&order.out, number)?))
    });
    let (seeds, folder) = match folders {
        Ok(folders) => folders,
        Err(error) => return End::because(&format!("{}: {error}", order.out.display())),
    };
    let told = Told { number, speaker };
    let fuzz = fuzz(order, number, folder);
    let (fuzzed, done) = fuzz.lab(&told, |lab| {
        let mut end = End::default();
        let error = drive(lab, seeds, fuzz.campaign.seed, manager, &mut end).err();
        (end, error)
    });
    let stopped = || "it was stopped".to_owned();
    let Some((end, error)) = done else {
        let why = fuzzed.knowledge.dead.map(|dead| dead.what);
        return End::because(&why.or(fuzzed.error).unwrap_or_else(stopped));
    };
    let status = fuzzed.status;
    let incomplete = match (fuzzed.error, error) {
        (Some(error), _) => Some(error),
        // The broker is gone: everything ends.
        (_, Some(Error::ShuttingDown)) => Some(stopped()),
        (_, Some(error)) => Some(error.to_string()),
        _ if fuzzed.interrupted => Some(stopped()),
        _ if status.runs == 0 => Some("nothing was performed".to_owned()),
        _ => None,
    };
    End {
        runs: status.runs,
        features: status.features,
        findings: status.findings,
        incomplete: incomplete.and_then(|why| End::because(&why).incomplete),
        ..end
    }
}

fn fuzz(order: &Order, number: usize, folder: Folder) -> Fuzz<'static> {
    let scripts = Suite::embedded().scripts.iter();
    let index = u32::try_from(number - 1).unwrap_or(u32::MAX);
    Fuzz {
        campaign: Campaign {
            launch: Launch::Command {
                argv: order.argv.clone(),
                env: order.env.clone(),
                cwd: Some(order.cwd.clone()),
            },
            scripts: scripts
                .filter(|script| script.target == Target::Agent && !script.thorough)
                .collect(),
            versions: Version::ALL.to_vec(),
            declared: false,
            settings: Settings::default(),
            jobs: 1,
            // Each client draws other numbers.
            seed: order.seed.wrapping_add(u64::from(index)),
            thorough: false,
            repeats: REPEATS,
            traces: None,
            fresh: false,
            memo: None,
        },
        limit: Limit {
            time: Some(order.time),
            ..Limit::default()
        },
        partition: Partition {
            index,
            of: u32::try_from(order.clients).unwrap_or(u32::MAX),
        },
        corpus: Some(folder.corpus),
        findings: Some(folder.findings),
        only: None,
        shrink: SHRINK,
    }
}

/// LibAFL's loop, on the lab.
fn drive<EM>(
    lab: &mut Lab<'_, '_>,
    mut seeds: Vec<Script>,
    seed: u64,
    manager: &mut EM,
    end: &mut End,
) -> Result<(), Error>
where
    EM: EventFirer<Script, State>
        + EventReceiver<Script, State>
        + ProgressReporter<State>
        + SendExiting,
{
    let bench = Bench::new(lab);
    seeds.extend(bench.seeds());
    let observer = StdMapObserver::owned("features", vec![0; ENTRIES]);
    let mut feedback = MaxMapFeedback::new(&observer);
    let mut objective = CrashFeedback::new();
    let mut state = State::new(
        StdRand::with_seed(seed),
        InMemoryCorpus::new(),
        InMemoryCorpus::new(),
        &mut feedback,
        &mut objective,
    )?;
    let mut fuzzer = StdFuzzer::new(RandScheduler::new(), feedback, objective);
    let mut executor = Performer::new(&bench, observer);
    let breeder = Breeder::new(&bench);
    let mut stages = tuple_list!(StdMutationalStage::with_max_iterations(breeder, CHILDREN));

    let mut seeds = seeds.into_iter();
    let result = loop {
        if bench.is_over() {
            break Ok(());
        }
        manager.maybe_report_progress(&mut state, TOLD_EVERY)?;
        // LibAFL needs something to begin with, whatever the seeds reach.
        let first = seeds.next().or_else(|| {
            let empty = state.corpus().count() == 0;
            empty.then(|| bench.generate())
        });
        let step = match first {
            // Others have sent something meanwhile; beside children that is looked at by itself.
            Some(input) => fuzzer
                .evaluate_input(&mut state, &mut executor, manager, &input)
                .and_then(|_| fuzzer.process_events(&mut state, &mut executor, manager)),
            None => fuzzer
                .fuzz_one(&mut stages, &mut executor, &mut state, manager)
                .map(drop),
        };
        if let Err(error) = step {
            break Err(error);
        }
    };
    end.corpus = state.corpus().count();
    end.imported = *state.imported();
    manager.report_progress(&mut state)?;
    result
}

/// Tells the launcher how far it is, and the operator of findings.
struct Told<'t> {
    number: usize,
    speaker: &'t Speaker,
}

impl Watcher for Told<'_> {
    fn learned(&self, _: &Knowledge) {}

    fn status(&self, status: &Status) {
        // A launcher that is gone needs no word.
        let _ = self.speaker.say(&Word::At {
            client: self.number,
            runs: status.runs,
            features: status.features,
            findings: status.findings,
        });
    }

    fn found(&self, finding: &Finding) {
        tell(&format!(
            "client {} found {} in {}: {}",
            self.number,
            finding.cause.name(),
            finding.version.name(),
            finding.why
        ));
    }
}
