//! What all traces of a run say of one requirement, and the findings that come of it.

use std::collections::BTreeMap;

use elenchus_judge::{Breach, Judgement, Tally};

use crate::{
    builder::Performance,
    model::{Finding, RowOutcome},
};

/// More findings than this of one row, each with its own explanation, are counted and not listed.
const MAX_FINDINGS: usize = 16;

/// More notes than this say nothing new.
const MAX_NOTES: usize = 8;

/// Sentences, each once, in the order in which they came; bounded.
#[derive(Debug, Default)]
pub(crate) struct Notes(Vec<String>);

impl Notes {
    pub(crate) fn add(&mut self, note: &str) {
        if !note.is_empty()
            && self.0.len() < MAX_NOTES
            && !self.0.iter().any(|known| shape(known) == shape(note))
        {
            self.0.push(note.to_owned());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn as_slice(&self) -> &[String] {
        &self.0
    }

    pub(crate) fn to_vec(&self) -> Vec<String> {
        self.0.clone()
    }
}

/// What all traces of a run say of one requirement.
#[derive(Debug, Default)]
pub(crate) struct Evidence<'a> {
    /// How often its situation arose in the first performances.
    exercised: u64,
    /// How often the target won the race that would have made it arise.
    pub(crate) lost: u64,
    /// The performances that broke it at least once, with what broke it each time.
    broken: Vec<Broken<'a>>,
    /// Why nothing certain could be said.
    pub(crate) unclear: Notes,
    /// Remarks that never count.
    pub(crate) remarks: Notes,
    /// Some trace says that the target lacks the capability.
    lacking: bool,
    /// Some trace says something else.
    otherwise: bool,
}

/// A performance that broke a requirement at least once.
#[derive(Debug)]
struct Broken<'a> {
    performance: &'a Performance<'a>,
    /// The breaches of the first performance and of each repeat.
    times: Vec<&'a [Breach]>,
}

/// What the traces say, by requirement. The performances are taken in their order.
pub(crate) fn gather<'a>(performances: &[&'a Performance<'a>]) -> BTreeMap<&'a str, Evidence<'a>> {
    let mut all: BTreeMap<&'a str, Evidence<'a>> = BTreeMap::new();
    // What a target announces may depend on what it is told: what it has announced once, it has.
    let announces = |id: &str| {
        let mut judged = performances.iter().map(|it| &it.judgement.not_applicable);
        judged.any(|lacking| !lacking.is_empty() && !lacking.iter().any(|other| other == id))
    };
    for &performance in performances {
        for (id, tally) in &performance.judgement.tallies {
            let evidence = all.entry(id).or_default();
            evidence.exercised += u64::from(tally.exercised());
            evidence.lost += u64::from(tally.lost);
            for reason in &tally.unclear {
                evidence.unclear.add(reason);
            }
            for remark in &tally.notes {
                evidence.remarks.add(remark);
            }
            evidence.otherwise |= !performance
                .judgement
                .not_applicable
                .iter()
                .any(|other| other == id);
        }
        for id in &performance.judgement.not_applicable {
            let evidence = all.entry(id).or_default();
            if !evidence.lacking {
                evidence.lacking = true;
                evidence.otherwise |= announces(id);
            }
        }
        for id in broken_ids(performance) {
            let times = times(performance)
                .map(|judgement| breaches(judgement, id))
                .collect();
            all.entry(id)
                .or_default()
                .broken
                .push(Broken { performance, times });
        }
    }
    all
}

/// The first performance, then its repeats.
fn times<'a>(performance: &'a Performance<'a>) -> impl Iterator<Item = &'a Judgement> {
    std::iter::once(performance.judgement).chain(performance.repeats)
}

fn breaches<'a>(judgement: &'a Judgement, id: &str) -> &'a [Breach] {
    judgement
        .tallies
        .get(id)
        .map_or(&[], |tally: &Tally| tally.breaches.as_slice())
}

fn broken_ids<'a>(performance: &'a Performance<'a>) -> std::collections::BTreeSet<&'a str> {
    times(performance)
        .flat_map(|judgement| &judgement.tallies)
        .filter(|(_, tally)| !tally.breaches.is_empty())
        .map(|(id, _)| *id)
        .collect()
}

impl Broken<'_> {
    /// It was broken every time.
    fn is_steady(&self) -> bool {
        self.times.iter().all(|breaches| !breaches.is_empty())
    }
}

impl Evidence<'_> {
    /// The outcome of the requirement.
    pub(crate) fn outcome(&self) -> RowOutcome {
        if self.broken.iter().any(Broken::is_steady) {
            RowOutcome::Fail
        } else if !self.broken.is_empty() {
            RowOutcome::Flaky
        } else if self.exercised > 0 {
            RowOutcome::Pass
        } else if self.lacking && !self.otherwise {
            RowOutcome::NotApplicable
        } else {
            RowOutcome::NotExercised
        }
    }

    /// How often its situation arose. What a repeat alone broke did arise.
    pub(crate) fn exercised(&self) -> u64 {
        self.exercised.max(u64::from(!self.broken.is_empty()))
    }

    /// The findings: those of the same kind once, with the first evidence (of an instance that breaks every time, if
    /// there is one); and how many there were beyond the bound.
    pub(crate) fn findings(&self, source: &str) -> (Vec<Finding>, usize) {
        let mut findings: Vec<(String, Finding)> = Vec::new();
        let mut left: std::collections::BTreeSet<String> = std::collections::BTreeSet::new();
        for broken in &self.broken {
            for (shape, finding) in broken.findings(source) {
                if let Some((_, known)) = findings.iter_mut().find(|(known, _)| *known == shape) {
                    let instances = known.instances + 1;
                    if !is_steady(known) && is_steady(&finding) {
                        *known = finding;
                    }
                    known.instances = instances;
                } else if findings.len() < MAX_FINDINGS {
                    findings.push((shape, finding));
                } else {
                    left.insert(shape);
                }
            }
        }
        (
            findings.into_iter().map(|(_, finding)| finding).collect(),
            left.len(),
        )
    }
}

fn is_steady(finding: &Finding) -> bool {
    finding.repeats.0 == finding.repeats.1
}

impl Broken<'_> {
    /// The findings of this instance, by the shape of their explanation, in the order in which they first showed.
    fn findings(&self, source: &str) -> Vec<(String, Finding)> {
        let mut findings: Vec<(String, Finding)> = Vec::new();
        for (time, breaches) in self.times.iter().enumerate() {
            let mut counted: Vec<String> = Vec::new();
            for breach in *breaches {
                let shape = shape(&breach.why);
                if counted.contains(&shape) {
                    continue;
                }
                counted.push(shape.clone());
                if let Some((_, known)) = findings.iter_mut().find(|(known, _)| *known == shape) {
                    known.repeats.0 += 1;
                } else {
                    findings.push((shape, self.finding(breach, time, source)));
                }
            }
        }
        findings
    }

    fn finding(&self, breach: &Breach, time: usize, source: &str) -> Finding {
        let Performance {
            script,
            instance,
            trace,
            replay,
            ..
        } = self.performance;
        Finding {
            script: if instance.is_empty() {
                script.clone()
            } else {
                format!("{script} [{instance}]")
            },
            // Only the first performance's trace is kept.
            trace: if time == 0 { trace.clone() } else { None },
            event: breach.event,
            sent: breach.sent.clone(),
            got: breach.got.clone(),
            expected: breach.expected.clone(),
            explanation: breach.why.clone(),
            stderr: breach.stderr.clone(),
            source: source.to_owned(),
            replay: replay.clone(),
            instances: 1,
            repeats: (1, self.times.len() as u64),
        }
    }
}

/// An explanation without what differs from one performance to the next by chance: runs of eight or more hexadecimal
/// digits and dashes with a digit among them (UUIDs and such) count as the same, and so do measured times.
fn shape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = rest
            .find(|c: char| !(c.is_ascii_hexdigit() || c == '-'))
            .unwrap_or(rest.len());
        let (token, after) = rest.split_at(run);
        if token.len() >= 8 && token.contains(|c: char| c.is_ascii_digit()) {
            out.push('#');
        } else if is_number(token) && begins_with_unit(after) {
            // What stands before the point is a part of it.
            if let Some(whole) = out.strip_suffix('.') {
                let whole = whole.trim_end_matches(|c: char| c.is_ascii_digit());
                out.truncate(whole.len());
            }
            out.push('#');
        } else {
            out.push_str(token);
        }
        rest = after;
        if run == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

fn is_number(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit())
}

/// A unit of time follows.
fn begins_with_unit(text: &str) -> bool {
    let text = text.strip_prefix(' ').unwrap_or(text);
    let end = text
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(text.len());
    matches!(
        &text[..end],
        "us" | "µs" | "ms" | "s" | "milliseconds" | "seconds"
    )
}

#[cfg(test)]
mod tests {
    use super::{MAX_NOTES, Notes, shape};

    #[test]
    fn explanations_that_differ_only_in_a_random_id_have_the_same_shape() {
        for (a, b, same) in [
            (
                "session `6f1c2d3e-0a1b-4c2d-8e3f-001122334455` is unknown",
                "session `00000000-1111-2222-3333-444444444444` is unknown",
                true,
            ),
            ("é 12345678 ü", "é 87654321 ü", true),
            ("it came after 312 ms", "it came after 4815 ms", true),
            ("1.5 s later", "12.25 s later", true),
            ("it took 7ms, then more", "it took 9ms, then more", true),
            ("312 messages", "313 messages", false),
            ("version 1.5 spoke", "version 2.5 spoke", false),
            ("step 3 said", "step 4 said", false),
            ("answered with -32601", "answered with -32603", false),
            (
                "request 3 was answered twice",
                "request 4 was answered twice",
                false,
            ),
            (
                "`deadface` is not a method",
                "`facedead` is not a method",
                false,
            ),
        ] {
            assert_eq!(shape(a) == shape(b), same, "{a} / {b}");
        }
    }

    #[test]
    fn notes_stand_once_and_are_bounded() {
        let mut notes = Notes::default();
        for n in 0..100 {
            notes.add("the same");
            notes.add(&format!("another, {n}"));
        }
        assert_eq!(notes.as_slice().len(), MAX_NOTES);
        assert_eq!(notes.as_slice()[..2], ["the same", "another, 0"]);
    }
}
