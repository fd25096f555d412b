//! Which versions a target speaks: it is asked for each that we know, and for one that nobody knows.

use elenchus_protocol::Version;
use elenchus_wire::{
    Event, EventKind,
    event::Asked,
    trace::{Header, Trace},
};
use serde_json::Value;

use super::{
    dead::{self, Explained},
    stage,
};
use crate::{
    campaign::{CONTROL, Campaign, Dead},
    crew::Sinks,
    json, params,
    perform::Host,
    stage::{Ended, FencePolicy, Patience, Stage, book::Book, shortened},
    told::Told,
};

/// A version that nobody speaks.
const NOBODYS: u16 = u16::MAX;

/// What became of one question.
pub(super) struct Probe {
    pub(super) number: u16,
    /// The exact text of the result, or why there is none.
    pub(super) answer: Result<String, String>,
    /// There was an answer, be it an error.
    pub(super) answered: bool,
    /// It said something in JSON-RPC, be it no answer.
    spoke: bool,
    /// It left us by itself.
    gone: bool,
    /// The trace was full before there was an answer, so that nobody knows whether one came.
    cut: bool,
    /// The round in which it was asked, and the number of its connection in that round's trace.
    round: usize,
    conn: u32,
    /// What to say if nothing can be done with this target.
    why: Explained,
}

/// What became of all questions.
pub(super) struct Probed {
    probes: Vec<Probe>,
    pub(super) patience: Patience,
    /// Only one process of the target can run at a time.
    pub(super) alone: bool,
    pub(super) interrupted: bool,
    /// The traces of the rounds, each with the name of its file, if it was kept.
    rounds: Vec<(Option<String>, Trace)>,
}

/// What became of questions that share a trace.
struct Round {
    probes: Vec<Probe>,
    patience: Patience,
    interrupted: bool,
    file: Option<String>,
    trace: Trace,
}

/// Asks for every version, each on a connection of its own: all at once, or one after the other where only one process
/// is to run at a time. What was lost among the others is asked again, alone.
pub(super) fn probe(
    campaign: &Campaign<'_>,
    host: &mut Host,
    sinks: &Sinks<'_>,
    overlap: bool,
) -> Result<Probed, Dead> {
    let known = Version::ALL.map(Version::number);
    let all: Vec<u16> = known.into_iter().chain([NOBODYS]).collect();
    let groups = if campaign.jobs > 1 { all.len() } else { 1 };
    let first = ask(campaign, host, all.chunks(groups), Some((sinks, CONTROL)))?;
    let mut probed = Probed {
        probes: first.probes,
        patience: first.patience,
        alone: false,
        interrupted: first.interrupted,
        rounds: vec![(first.file, first.trace)],
    };
    let mut crowded = overlap && campaign.jobs == 1 && probed.any_answer();
    for place in 0..probed.probes.len() {
        let Probe {
            number,
            answered,
            gone,
            cut,
            ..
        } = probed.probes[place];
        let lost = cut || (gone && groups > 1 && probed.any_answer());
        if answered || !lost || probed.interrupted {
            continue;
        }
        let name = format!("{CONTROL}.again.{number}");
        // What could be started once and now cannot stays as it was.
        let alone = [number];
        let Ok(again) = ask(campaign, host, alone.chunks(1), Some((sinks, &name))) else {
            continue;
        };
        probed.interrupted |= again.interrupted;
        for mut probe in again.probes {
            crowded |= gone && !cut && probe.answered;
            probe.round = probed.rounds.len();
            probed.probes[place] = probe;
        }
        probed.rounds.push((again.file, again.trace));
    }
    if crowded && !probed.interrupted {
        // Once may be chance.
        let pair = ask(campaign, host, known.chunks(known.len()), None);
        probed.alone = pair.is_ok_and(|pair| {
            pair.probes.iter().any(|probe| probe.answered)
                && pair
                    .probes
                    .iter()
                    .any(|probe| !probe.answered && probe.gone)
        });
    }
    Ok(probed)
}

/// Asks for these versions, each group at once and the groups one after the other. The trace is kept under that name.
fn ask<'n>(
    campaign: &Campaign<'_>,
    host: &mut Host,
    groups: impl Iterator<Item = &'n [u16]>,
    kept: Option<(&Sinks<'_>, &str)>,
) -> Result<Round, Dead> {
    let file = kept.map(|(sinks, name)| (sinks, format!("{name}.jsonl")));
    let sink = file.as_ref().and_then(|(sinks, file)| sinks.open(file));
    let mut file = file.filter(|_| sink.is_some());
    let mut stage = stage(campaign, host, Version::AcpV1, CONTROL, sink)
        .map_err(|reason| dead::not_started(&reason))?;
    let mut asked = Vec::new();
    let mut short_fence = None;
    // Silence is told as silence only to those who were still there when we gave up.
    let mut silent = Vec::new();
    for group in groups {
        let begun = asked.len();
        for &number in group {
            let conn = stage
                .connect(&Told::default())
                .map_err(|reason| dead::not_started(&reason))?;
            let params = question(number);
            let place = stage.request(conn, "initialize", Some(&params), None);
            asked.push((number, conn, place));
        }
        let answered = |stage: &Stage<'_>| {
            let mut asked = asked.iter();
            asked.any(|&(_, conn, place)| stage.conn(conn).ours[place].answer.is_some())
        };
        // Once one has answered, the start was not the reason why others have not; and once one was silent for so long,
        // another will be.
        let fresh = &asked[begun..];
        if begun == 0 {
            first_answer(&mut stage, fresh);
        }
        if begun > 0 || answered(&stage) {
            stage.wait(stage.settings.answer, |book| {
                fresh.iter().all(|question| done(book, question))
            });
        }
        short_fence = short_fence.or_else(|| learn_fence(&mut stage, fresh));
        silent.extend(fresh.iter().map(|&(_, conn, _)| !stage.conn(conn).gone()));
        stage.end_all();
    }
    let asked_to_exit =
        |conn: usize| matches!(stage.conn(conn).asked, Asked::Terminate | Asked::Kill);
    let patience = Patience {
        probes: 0,
        short_fence: short_fence.unwrap_or_default(),
        short_goodbye: asked
            .iter()
            .any(|&(_, conn, _)| stage.conn(conn).exit.is_some() && asked_to_exit(conn)),
    };
    let interrupted = stage.interrupted;
    let full = stage.book.recorder.limited();
    let mut probes: Vec<_> = asked
        .iter()
        .zip(silent)
        .map(|(&(number, conn, place), silent)| {
            let answered =
                stage.conn(conn).ours[place].answer.is_some() && !dead::echoes(&stage, conn);
            Probe {
                number,
                answered,
                answer: stage.result(conn, place).map(str::to_owned),
                spoke: dead::spoke(&stage, conn),
                gone: !silent,
                cut: full && !answered,
                round: 0,
                conn: stage.conn(conn).number,
                why: dead::explain(&stage, conn, place, silent),
            }
        })
        .collect();
    let (mut recorded, _) = stage.finish();
    for probe in &mut probes {
        probe.why.dead.stderr = recorded.stderr.remove(&probe.conn).unwrap_or_default();
    }
    if let Some(error) = recorded.error
        && let Some((sinks, _)) = file.take()
    {
        sinks.failed(&error.to_string());
    }
    Ok(Round {
        probes,
        patience,
        interrupted,
        file: file.map(|(_, file)| file),
        trace: recorded.trace,
    })
}

/// The params that ask for a version.
fn question(number: u16) -> String {
    let both = Some(r#"{"form":{},"url":{}}"#);
    let known = Version::ALL
        .into_iter()
        .find(|version| version.number() == number);
    match known {
        Some(version) => params::initialize_asking(number, version, both),
        // What any version needs, so that only the number can be refused.
        None => Version::ALL
            .iter()
            .fold("{}".to_owned(), |params, &version| {
                json::merge(&params, &params::initialize_asking(number, version, both))
            }),
    }
}

/// A question: the version, the connection, and the place of the request.
type Question = (u16, usize, usize);

/// There is an answer, or none can come any more.
fn done(book: &Book<'_>, &(_, conn, place): &Question) -> bool {
    book.conns[conn].ours[place].answer.is_some() || book.conns[conn].gone()
}

/// Waits for the first answer: as long as a cold start may take, or, once the target has begun to write, for as long as
/// an answer may take after what it wrote last. A banner may come before the answer, and does not take its place.
fn first_answer(stage: &mut Stage<'_>, asked: &[Question]) {
    let settings = stage.settings;
    let until = stage.now().saturating_add(settings.start);
    let met = |book: &Book<'_>| {
        let answered = |&(_, conn, place): &Question| book.conns[conn].ours[place].answer.is_some();
        asked.iter().any(answered) || asked.iter().all(|question| done(book, question))
    };
    let written = |book: &Book<'_>| -> u64 {
        let written = asked.iter().map(|&(_, conn, _)| book.conns[conn].received);
        written.sum()
    };
    loop {
        let so_far = written(&stage.book);
        let left = until.saturating_sub(stage.now());
        let time = if so_far == 0 {
            left
        } else {
            left.min(settings.answer)
        };
        let ended = stage.wait(time, |book| met(book) || written(book) != so_far);
        if ended != Ended::Met || met(&stage.book) {
            return;
        }
    }
}

/// True if a target that answers otherwise lets a fence go unanswered; none if there is nobody to ask.
fn learn_fence(stage: &mut Stage<'_>, asked: &[Question]) -> Option<bool> {
    let &(_, conn, _) = asked
        .iter()
        .find(|&&(_, conn, place)| stage.conn(conn).live() && stage.result(conn, place).is_ok())?;
    stage.settle(conn, FencePolicy::Owed);
    let unanswered = stage
        .conn(conn)
        .ours
        .iter()
        .any(|ours| ours.fence && ours.answer.is_none());
    Some(unanswered && stage.conn(conn).live())
}

impl Probe {
    fn value(&self) -> Option<Value> {
        serde_json::from_str(self.answer.as_deref().ok()?).ok()
    }

    /// The version that it answered, if it is one.
    fn version(&self) -> Option<u64> {
        self.value()?.get("protocolVersion")?.as_u64()
    }

    /// It answered with the very number that it was asked for.
    fn echoed(&self) -> bool {
        self.version() == Some(self.number.into())
    }
}

impl Probed {
    fn of(&self, number: u16) -> Option<&Probe> {
        self.probes.iter().find(|probe| probe.number == number)
    }

    /// There was an answer to some question, be it an error.
    pub(super) fn any_answer(&self) -> bool {
        self.probes.iter().any(|probe| probe.answered)
    }

    /// It said something in JSON-RPC over pipes, be it no answer.
    pub(super) fn spoke(&self) -> bool {
        self.probes.iter().any(|probe| probe.spoke)
    }

    /// Every version was asked for, and what became of it is known: what it does not speak now, it does not speak.
    pub(super) fn complete(&self) -> bool {
        self.probes
            .iter()
            .all(|probe| probe.answered || (probe.number == NOBODYS && !probe.cut))
    }

    /// It says yes to any number, or may.
    fn echoes_all(&self) -> bool {
        self.of(NOBODYS)
            .is_some_and(|probe| probe.cut || probe.echoed())
    }

    /// The versions that it negotiates and answers in the shape of.
    pub(super) fn spoken(&self) -> Vec<Version> {
        Version::ALL
            .into_iter()
            .filter(|version| {
                self.of(version.number())
                    .is_some_and(|probe| self.speaks(*version, probe))
            })
            .collect()
    }

    fn speaks(&self, version: Version, probe: &Probe) -> bool {
        let shaped = match version {
            Version::AcpV1 => true,
            Version::AcpV2 => {
                !self.echoes_all()
                    || probe
                        .value()
                        .is_some_and(|result| result.get("info").is_some_and(Value::is_object))
            }
        };
        probe.echoed() && shaped
    }

    /// The numbers that it echoes without more, with what it answered.
    pub(super) fn echoed(&self) -> Vec<(u16, String)> {
        let spoken = self.spoken();
        self.probes
            .iter()
            .filter(|probe| {
                probe.echoed()
                    && !spoken
                        .iter()
                        .any(|version| version.number() == probe.number)
            })
            .filter_map(|probe| Some((probe.number, shortened(probe.answer.as_deref().ok()?))))
            .collect()
    }

    /// The result for a version.
    pub(super) fn result(&self, version: Version) -> Option<Value> {
        self.of(version.number())?.value()
    }

    /// The versions for which there was some result that is not another protocol's, and does not choose another version:
    /// one that is not as it should be.
    pub(super) fn answered(&self) -> Vec<Version> {
        Version::ALL
            .into_iter()
            .filter(|version| {
                let chosen = self.of(version.number()).and_then(Probe::version);
                let other = chosen.is_some_and(|chosen| chosen != u64::from(version.number()));
                !other
                    && self
                        .result(*version)
                        .is_some_and(|result| dead::other_protocol(&result).is_none())
            })
            .collect()
    }

    /// What to say if there is no version to run.
    pub(super) fn dead(&self, versions: &[Version]) -> Dead {
        self.worst(versions).map_or_else(
            || dead::not_started("no version was asked for"),
            |probe| probe.why.dead.clone(),
        )
    }

    /// The question whose answer says most of why there is no version to run.
    fn worst(&self, versions: &[Version]) -> Option<&Probe> {
        let mut asked = self.probes.iter().filter(|probe| {
            versions
                .iter()
                .any(|version| version.number() == probe.number)
        });
        // The one that answered says most, unless it chose what was asked for and then not answered.
        let chose = |probe: &Probe| {
            let chosen = probe.version();
            versions
                .iter()
                .any(|version| chosen == Some(version.number().into()))
        };
        self.probes
            .iter()
            .filter(|probe| probe.answered && !chose(probe))
            .min_by_key(|probe| probe.number)
            .or_else(|| asked.next())
    }

    /// There is no version to run because it is no agent at all.
    pub(super) fn no_agent(&self, versions: &[Version]) -> bool {
        self.worst(versions).is_some_and(|probe| probe.why.no_agent)
    }

    /// What was said when these versions were asked for, each as a trace of its own with the places of the whole, and the
    /// file of the whole.
    pub(super) fn traces(self, versions: &[Version]) -> Vec<(Version, Option<String>, Trace)> {
        let Self {
            probes, mut rounds, ..
        } = self;
        versions
            .iter()
            .filter_map(|&version| {
                let Probe { conn, round, .. } = *probes
                    .iter()
                    .find(|probe| probe.number == version.number())?;
                let (name, trace) = rounds.get_mut(round)?;
                let shared =
                    |event: &Event| matches!(event.kind, EventKind::Limit { .. } | EventKind::End);
                let left = &mut trace.events;
                let mut events: Vec<Event> =
                    left.iter().filter(|event| shared(event)).cloned().collect();
                events.extend(left.extract_if(.., |event| event.conn == conn && !shared(event)));
                events.sort_by_key(|event| event.seq);
                let trace = Trace {
                    header: Header {
                        protocol: version.name().to_owned(),
                        ..trace.header.clone()
                    },
                    events,
                    cut: trace.cut,
                };
                Some((version, name.clone(), trace))
            })
            .collect()
    }
}
