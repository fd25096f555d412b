//! Builds a report from what the rules found. Its input is plain data: it knows nothing of how traces are made.

use std::collections::{BTreeMap, BTreeSet};

use elenchus_judge::Judgement;
use elenchus_suites::{Catalogue, Level, Party, Requirement, Script, profile::Attestation};

use crate::{
    evidence::{self, Evidence},
    model::{Attested, FORMAT, Report, Row, RowOutcome, Run, SkippedScript, TargetInfo},
    reasons,
    verdict::verdict,
};

/// What kind of thing was tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An ACP agent.
    Agent,
    /// An ACP client.
    Client,
}

impl Kind {
    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Client => "client",
        }
    }

    /// A clause that binds this party binds a target of this kind.
    pub fn is_bound_by(self, party: Party) -> bool {
        match self {
            Self::Agent => matches!(party, Party::Agent | Party::Both),
            Self::Client => matches!(party, Party::Client | Party::Both),
        }
    }
}

/// A protocol version, by its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protocol {
    /// The name in reports: `acp-v1`.
    pub name: String,
    /// The edition of its texts.
    pub edition: String,
    /// The name in the catalogue's `versions` lists: `v1`.
    pub catalogue: String,
}

/// One instance of a script that was performed and judged, or one recording that was judged.
#[derive(Debug, Clone)]
pub struct Performance<'a> {
    /// The script's name, or how the trace came to be.
    pub script: String,
    /// What tells the instance from its siblings.
    pub instance: String,
    /// The [`Protocol::name`] that it ran in.
    pub protocol: String,
    /// The trace of the first performance, relative to the output folder, if it was kept.
    pub trace: Option<String>,
    /// What the rules found the first time.
    pub judgement: &'a Judgement,
    /// What they found in each repeat.
    pub repeats: &'a [Judgement],
    /// Why the script stopped before its end, if it did.
    pub stopped: Option<String>,
    /// The command that performs it again.
    pub replay: String,
}

/// A script that was not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its name.
    pub script: String,
    /// The [`Protocol::name`] in which it was not run.
    pub protocol: String,
    /// Why, and what to configure.
    pub reason: String,
}

/// A target with which nothing, or nothing more, could be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dead {
    /// What happened, as a sentence.
    pub what: String,
    /// The last lines of its standard error.
    pub stderr: Vec<String>,
    /// The last frames, ours and its.
    pub frames: Vec<String>,
    /// What to try next.
    pub hint: String,
}

/// All that a report is built from.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    /// The version of elenchus.
    pub elenchus: String,
    /// The command line.
    pub command: Vec<String>,
    /// The seed of every random choice.
    pub seed: u64,
    /// What kind of thing was tested.
    pub kind: Kind,
    /// What was tested; the kind is filled in.
    pub target: TargetInfo,
    /// All requirements.
    pub catalogue: &'a Catalogue,
    /// The requirements that have a rule of their own.
    pub rules: BTreeSet<&'a str>,
    /// All scripts, for what they cover.
    pub scripts: &'a [Script],
    /// What was performed are scripts of the suite. Where it is something else, nobody has to have tried every row.
    pub of_suite: bool,
    /// The versions that were run.
    pub protocols: Vec<Protocol>,
    /// What was performed, in any order.
    pub performances: Vec<Performance<'a>>,
    /// What was not.
    pub skipped: Vec<Skipped>,
    /// Requirements that the operator left out: their rows say so and are not judged.
    pub left_out: BTreeSet<String>,
    /// What people state. It counts where no rule judges the requirement.
    pub attestations: Vec<Attestation>,
    /// Why nothing could be run, if so.
    pub dead: Option<Dead>,
    /// What no rule is about and no target may do, in sentences: that it crashed, say. It is nonconforming then.
    pub broke_down: Vec<String>,
    /// Why what was run is no ground for a verdict that nothing failed, in sentences.
    pub incomplete: Vec<String>,
    /// What else a reader of the verdict has to know, in sentences: it changes no verdict.
    pub troubles: Vec<String>,
}

/// Builds the report. The same input, in whatever order, gives the same report.
pub fn build(input: &Input<'_>) -> Report {
    let runs: Vec<Run> = input
        .protocols
        .iter()
        .map(|protocol| run(input, protocol))
        .collect();
    let mut target = input.target.clone();
    input.kind.name().clone_into(&mut target.kind);
    if let Some(dead) = &input.dead {
        let stderr = dead
            .stderr
            .iter()
            .map(|line| format!("standard error: {line}"));
        for note in stderr.chain(dead.frames.iter().map(|frame| format!("frame: {frame}"))) {
            // A target that was started several times said the same several times.
            if !target.notes.contains(&note) {
                target.notes.push(note);
            }
        }
    }
    let verdict = verdict(&runs, input);
    Report {
        format: FORMAT,
        elenchus: input.elenchus.clone(),
        command: input.command.clone(),
        seed: input.seed,
        target,
        runs,
        verdict,
    }
}

/// What the rows of one run are made from.
pub(crate) struct Context<'a> {
    pub(crate) input: &'a Input<'a>,
    pub(crate) protocol: &'a Protocol,
    /// The performances in this version, in the order of script and instance.
    pub(crate) performances: Vec<&'a Performance<'a>>,
    /// The scripts that were not run in this version.
    pub(crate) skipped: Vec<&'a Skipped>,
    /// What all traces say, by the requirement's id.
    evidence: BTreeMap<&'a str, Evidence<'a>>,
}

impl<'a> Context<'a> {
    /// What all traces say of a requirement, if any says anything.
    fn evidence(&self, id: &str) -> Option<&Evidence<'a>> {
        self.evidence.get(id)
    }

    /// What a person states of a requirement that no rule judges.
    fn attestation(
        &self,
        requirement: &Requirement,
        judged_as: &Requirement,
    ) -> Option<&Attestation> {
        let ruled = self.input.rules.contains(judged_as.id.as_str())
            || self.evidence(&judged_as.id).is_some();
        self.input
            .attestations
            .iter()
            .find(|attestation| !ruled && attestation.requirement == requirement.id)
    }

    /// The requirement has a row in this run.
    fn is_listed(&self, requirement: &Requirement) -> bool {
        requirement.applies_to(&self.protocol.catalogue)
            && self.input.kind.is_bound_by(requirement.party)
    }

    /// The requirement whose rule serves this one: itself, or the end of its `same_as` chain.
    fn judged_as(&self, requirement: &'a Requirement) -> &'a Requirement {
        let mut seen = BTreeSet::from([requirement.id.as_str()]);
        let mut at = requirement;
        while let Some(next) = at
            .same_as
            .as_deref()
            .and_then(|id| self.input.catalogue.get(id))
        {
            if !seen.insert(&next.id) {
                break;
            }
            at = next;
        }
        at
    }
}

fn run(input: &Input<'_>, protocol: &Protocol) -> Run {
    let mut performances: Vec<_> = input
        .performances
        .iter()
        .filter(|performance| performance.protocol == protocol.name)
        .collect();
    performances.sort_by(|a, b| {
        (&a.script, &a.instance, &a.trace).cmp(&(&b.script, &b.instance, &b.trace))
    });
    let mut skipped: Vec<_> = input
        .skipped
        .iter()
        .filter(|skipped| skipped.protocol == protocol.name)
        .collect();
    skipped.sort_by(|a, b| (&a.script, &a.reason).cmp(&(&b.script, &b.reason)));
    let evidence = evidence::gather(&performances);
    let context = Context {
        input,
        protocol,
        performances,
        skipped,
        evidence,
    };
    Run {
        protocol: protocol.name.clone(),
        edition: protocol.edition.clone(),
        requirements: input
            .catalogue
            .requirements
            .values()
            .filter(|requirement| context.is_listed(requirement))
            .map(|requirement| row(&context, requirement))
            .collect(),
        skipped: context
            .skipped
            .iter()
            .map(|skipped| SkippedScript {
                script: skipped.script.clone(),
                reason: skipped.reason.clone(),
            })
            .collect(),
    }
}

fn row<'a>(context: &Context<'a>, requirement: &'a Requirement) -> Row {
    let mut row = Row {
        id: requirement.id.clone(),
        level: level_name(requirement.level_in(&context.protocol.catalogue)).to_owned(),
        derived: requirement.derived,
        outcome: RowOutcome::NotExercised,
        exercised: 0,
        lost: 0,
        attested: None,
        notes: Vec::new(),
        findings: Vec::new(),
    };
    let judged_as = context.judged_as(requirement);
    if context.input.left_out.contains(&requirement.id) {
        row.notes.push(reasons::LEFT_OUT.to_owned());
        return row;
    }
    if let Some(attestation) = context.attestation(requirement, judged_as) {
        row.outcome = RowOutcome::Attested;
        row.attested = Some(Attested {
            who: attestation.who.clone(),
            when: attestation.when.clone(),
            note: attestation.note.clone(),
        });
        return row;
    }
    let Some(evidence) = context.evidence(&judged_as.id) else {
        row.notes = reasons::not_exercised(context, requirement, judged_as, &[]);
        return row;
    };
    row.outcome = evidence.outcome();
    row.exercised = evidence.exercised();
    if judged_as.id == requirement.id {
        row.lost = evidence.lost;
    }
    match row.outcome {
        RowOutcome::Fail | RowOutcome::Flaky => {
            let elsewhere = judged_as.id != requirement.id
                && context.is_listed(judged_as)
                && !context.input.left_out.contains(&judged_as.id);
            if elsewhere {
                row.notes.push(format!(
                    "the same as {}: its findings stand there",
                    judged_as.id
                ));
            } else {
                let (findings, left) = evidence.findings(&requirement.source);
                row.findings = findings;
                row.notes = evidence.remarks.to_vec();
                if left > 0 {
                    row.notes.push(format!(
                        "{left} more findings, each with another explanation, are not listed"
                    ));
                }
            }
        }
        RowOutcome::NotApplicable => row.notes.push(reasons::not_applicable(judged_as)),
        RowOutcome::NotExercised => {
            row.notes = reasons::not_exercised(
                context,
                requirement,
                judged_as,
                evidence.unclear.as_slice(),
            );
        }
        // The remarks of another row's rule stand there.
        _ if judged_as.id != requirement.id => {}
        _ => row.notes = evidence.remarks.to_vec(),
    }
    row
}

/// A level's name in reports.
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Must => "must",
        Level::MustNot => "must-not",
        Level::Schema => "schema",
        Level::Should => "should",
        Level::ShouldNot => "should-not",
        Level::Robustness => "robustness",
        Level::May => "may",
    }
}
