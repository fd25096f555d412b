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
    json, params,
    perform::Host,
    record::Sink,
    stage::{FencePolicy, Patience, Stage, shortened},
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
    /// The number of its connection in the trace.
    conn: u32,
    /// What to say if nothing can be done with this target.
    why: Explained,
}

/// What became of all questions.
pub(super) struct Probed {
    probes: Vec<Probe>,
    pub(super) patience: Patience,
    pub(super) interrupted: bool,
    trace: Trace,
}

/// Asks for every version, each on a connection of its own, all at once.
pub(super) fn probe(
    campaign: &Campaign<'_>,
    host: &mut Host,
    sink: Option<Sink>,
) -> Result<Probed, Dead> {
    let mut stage = stage(campaign, host, Version::AcpV1, CONTROL, sink)
        .map_err(|reason| dead::not_started(&reason))?;
    let settings = stage.settings;
    let mut asked = Vec::new();
    for (number, shape) in Version::ALL
        .map(|version| (version.number(), Some(version)))
        .into_iter()
        .chain([(NOBODYS, None)])
    {
        let conn = stage
            .connect()
            .map_err(|reason| dead::not_started(&reason))?;
        let both = Some(r#"{"form":{},"url":{}}"#);
        let params = match shape {
            Some(version) => params::initialize_asking(number, version, both),
            // What any version needs, so that only the number can be refused.
            None => Version::ALL
                .iter()
                .fold("{}".to_owned(), |params, &version| {
                    json::merge(&params, &params::initialize_asking(number, version, both))
                }),
        };
        let place = stage.request(conn, "initialize", Some(&params), None);
        asked.push((number, conn, place));
    }
    // Once one has answered, the start was not the reason why others have not.
    let done = |stage: &crate::stage::book::Book<'_>, (_, conn, place): &(u16, usize, usize)| {
        stage.conns[*conn].ours[*place].answer.is_some() || stage.conns[*conn].gone()
    };
    stage.wait(settings.start, |book| {
        asked
            .iter()
            .any(|&(_, conn, place)| book.conns[conn].ours[place].answer.is_some())
            || asked.iter().all(|probe| done(book, probe))
    });
    if asked
        .iter()
        .any(|&(_, conn, place)| stage.conn(conn).ours[place].answer.is_some())
    {
        stage.wait(settings.answer, |book| {
            asked.iter().all(|probe| done(book, probe))
        });
    }
    let short_fence = learn_fence(&mut stage, &asked);
    // Silence is told as silence only to those who were still there when we gave up.
    let silent: Vec<bool> = asked
        .iter()
        .map(|&(_, conn, _)| !stage.conn(conn).gone())
        .collect();
    stage.end_all();
    let asked_to_exit =
        |conn: usize| matches!(stage.conn(conn).asked, Asked::Terminate | Asked::Kill);
    let patience = Patience {
        short_fence,
        short_goodbye: asked
            .iter()
            .any(|&(_, conn, _)| stage.conn(conn).exit.is_some() && asked_to_exit(conn)),
    };
    let interrupted = stage.interrupted;
    let mut probes: Vec<_> = asked
        .iter()
        .zip(silent)
        .map(|(&(number, conn, place), silent)| Probe {
            number,
            answered: stage.conn(conn).ours[place].answer.is_some() && !dead::echoes(&stage, conn),
            answer: stage.result(conn, place).map(str::to_owned),
            conn: stage.conn(conn).number,
            why: dead::explain(&stage, conn, place, silent),
        })
        .collect();
    let mut recorded = stage.finish();
    for probe in &mut probes {
        probe.why.dead.stderr = recorded.stderr.remove(&probe.conn).unwrap_or_default();
    }
    Ok(Probed {
        probes,
        patience,
        interrupted,
        trace: recorded.trace,
    })
}

/// True if a target that answers otherwise lets a fence go unanswered.
fn learn_fence(stage: &mut Stage<'_>, asked: &[(u16, usize, usize)]) -> bool {
    let Some(&(_, conn, _)) = asked
        .iter()
        .find(|&&(_, conn, place)| stage.conn(conn).live() && stage.result(conn, place).is_ok())
    else {
        return false;
    };
    stage.settle(conn, FencePolicy::Owed);
    let unanswered = stage
        .conn(conn)
        .ours
        .iter()
        .any(|ours| ours.fence && ours.answer.is_none());
    unanswered && stage.conn(conn).live()
}

impl Probe {
    fn value(&self) -> Option<Value> {
        serde_json::from_str(self.answer.as_deref().ok()?).ok()
    }

    /// It answered with the very number that it was asked for.
    fn echoed(&self) -> bool {
        self.value().is_some_and(|result| {
            result.get("protocolVersion").and_then(Value::as_u64) == Some(self.number.into())
        })
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

    /// It says yes to any number.
    fn echoes_all(&self) -> bool {
        self.of(NOBODYS).is_some_and(Probe::echoed)
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

    /// The versions for which there was some result that is not another protocol's.
    pub(super) fn answered(&self) -> Vec<Version> {
        Version::ALL
            .into_iter()
            .filter(|version| {
                self.result(*version)
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
        // The one that answered says most.
        self.probes
            .iter()
            .filter(|probe| probe.answered)
            .min_by_key(|probe| probe.number)
            .or_else(|| asked.next())
    }

    /// There is no version to run because it is no agent at all.
    pub(super) fn no_agent(&self, versions: &[Version]) -> bool {
        self.worst(versions).is_some_and(|probe| probe.why.no_agent)
    }

    /// What was said when these versions were asked for, each as a trace of its own, with the places of the whole.
    pub(super) fn traces(self, versions: &[Version]) -> Vec<(Version, Trace)> {
        let Self { probes, trace, .. } = self;
        let mut left = trace.events;
        versions
            .iter()
            .filter_map(|&version| {
                let conn = probes
                    .iter()
                    .find(|probe| probe.number == version.number())?
                    .conn;
                let shared =
                    |event: &Event| matches!(event.kind, EventKind::Limit { .. } | EventKind::End);
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
                Some((version, trace))
            })
            .collect()
    }
}
