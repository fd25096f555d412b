//! `elenchus check`: the same rules, over recorded traces.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use elenchus_judge::{Judgement, judge};
use elenchus_protocol::Version;
use elenchus_reports::{
    Input, Report, build,
    builder::{Kind, Performance},
    human::{View, render},
    model::TargetInfo,
};
use elenchus_suites::Suite;
use elenchus_wire::{
    EventKind, Mark, Side,
    event::Milestone,
    trace::{self, Header, Trace},
};

use crate::{
    again,
    args::{CheckArgs, Format},
    failure::Failure,
    output,
    run::{self, protocol},
    suite::ruled,
};

/// The longest trace that is read, in bytes.
const MAX_TRACE: u64 = 256 * 1024 * 1024;

/// A recording, judged.
struct Judged {
    path: String,
    header: Header,
    version: Version,
    cut: bool,
    judgement: Judgement,
    /// How far the target came, as the harness noted it; why not, where it did not.
    milestones: Vec<(Milestone, Option<String>)>,
}

/// Checks them.
pub(crate) fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let mut traces = Vec::new();
    let mut unread = Vec::new();
    for path in &args.traces {
        match judged(path) {
            Ok(trace) => traces.push(trace),
            Err(failure) => unread.push((path, failure)),
        }
    }
    if traces.is_empty() {
        return told(unread);
    }
    let report = reported(&traces, unread.iter().map(|(path, _)| path.as_path()), &[])?;
    let shown = match args.show.format {
        Format::Json => output::json(&report)?,
        Format::Human => {
            let number = match traces.len() {
                1 => "a recording".to_owned(),
                number => format!("{number} recordings"),
            };
            let view = View {
                catalogue: &Suite::embedded().catalogue,
                folder: None,
                target: Some(&number),
            };
            render(&report, view, output::style(args.show.color))
        }
    };
    output::print(&shown)?;
    if unread.is_empty() {
        Ok(output::exit(&report))
    } else {
        told(unread)
    }
}

/// What is to be said of this trace, which stands in this file; and why it is not all that was to be, if so.
pub(crate) fn report(path: &Path, trace: Trace, incomplete: &[String]) -> Result<Report, Failure> {
    let name = path.to_string_lossy().into_owned();
    reported(&[heard(name, trace)?], [].into_iter(), incomplete)
}

fn reported<'p>(
    traces: &[Judged],
    unread: impl Iterator<Item = &'p Path>,
    incomplete: &[String],
) -> Result<Report, Failure> {
    let kind = kind(traces)?;
    let suite = Suite::embedded();
    let performances = traces
        .iter()
        .map(|trace| Performance {
            script: trace.header.script.clone(),
            instance: trace.header.instance.clone(),
            protocol: trace.version.name().to_owned(),
            trace: Some(trace.path.clone()),
            judgement: &trace.judgement,
            repeats: &[],
            stopped: None,
            replay: replay(&trace.path),
        })
        .collect();
    let cut = traces.iter().filter(|trace| trace.cut);
    Ok(build(&Input {
        elenchus: env!("CARGO_PKG_VERSION").to_owned(),
        command: run::command_line(),
        seed: traces.first().map_or(0, |trace| trace.header.seed),
        kind,
        target: TargetInfo {
            kind: String::new(),
            command: traces.iter().map(|trace| trace.path.clone()).collect(),
            info: None,
            notes: cut
                .map(|trace| format!("{} is cut off: it was judged up to the cut", trace.path))
                .collect(),
        },
        catalogue: &suite.catalogue,
        rules: ruled(kind),
        scripts: &suite.scripts,
        of_suite: false,
        protocols: traces
            .iter()
            .map(|trace| trace.version)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(protocol)
            .collect(),
        performances,
        skipped: Vec::new(),
        left_out: BTreeSet::new(),
        attestations: Vec::new(),
        dead: None,
        broke_down: Vec::new(),
        incomplete: [incomplete, &never_at_work(kind, traces)].concat(),
        troubles: unread
            .map(|path| format!("{} could not be read and was not judged.", path.display()))
            .collect(),
    }))
}

/// Tells of all traces that could not be judged; the last one by way of the result.
fn told(mut unread: Vec<(&PathBuf, Failure)>) -> Result<ExitCode, Failure> {
    let last = unread.pop();
    for (_, failure) in unread {
        // Nothing more can be done where even standard error is gone.
        let _ = write!(io::stderr(), "{failure}");
    }
    last.map_or(Ok(ExitCode::SUCCESS), |(_, failure)| Err(failure))
}

fn judged(path: &Path) -> Result<Judged, Failure> {
    let name = path.to_string_lossy().into_owned();
    let text = text(path)?;
    if text.trim().is_empty() {
        return Err(Failure::usage(format!(
            "{name}: the trace is cut before its header: the file is empty"
        ))
        .hint("a run that is killed leaves such files: there is nothing in them to judge"));
    }
    let trace = trace::read(&text).map_err(|error| {
        Failure::usage(format!("{name}: {error}"))
            .hint("a trace is what `elenchus run` writes to its output folder, as traces/*.jsonl")
    })?;
    heard(name, trace)
}

fn heard(name: String, trace: Trace) -> Result<Judged, Failure> {
    let version: Version = trace
        .header
        .protocol
        .parse()
        .map_err(|error| Failure::usage(format!("{name}: {error}")))?;
    let judgement = judge(&trace);
    let marks = trace.events.iter().filter_map(|event| match &event.kind {
        EventKind::Mark(Mark::Milestone { to, missed }) => Some((*to, missed.clone())),
        _ => None,
    });
    let milestones = marks.collect();
    Ok(Judged {
        path: name,
        header: trace.header,
        version,
        cut: trace.cut,
        judgement,
        milestones,
    })
}

/// The text of a file. A character that was cut off at its end is left away, like the line that it was cut off from.
fn text(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_TRACE + 1).read_to_end(&mut bytes));
    read.map_err(|error| {
        Failure::usage(format!("cannot read the trace {}: {error}", path.display()))
    })?;
    if bytes.len() as u64 > MAX_TRACE {
        return Err(
            Failure::usage(format!("{}: longer than {MAX_TRACE} bytes", path.display()))
                .hint("cut the recording into several"),
        );
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if error.utf8_error().error_len().is_none() => {
            let whole = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(whole);
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        Err(error) => Err(Failure::usage(format!(
            "{}: not a trace: {}",
            path.display(),
            error.utf8_error()
        ))),
    }
}

/// What kind of target the traces judge: all the same.
fn kind(traces: &[Judged]) -> Result<Kind, Failure> {
    let agents = traces
        .iter()
        .any(|trace| trace.header.judged == Side::Server);
    let clients = traces
        .iter()
        .any(|trace| trace.header.judged == Side::Client);
    match (agents, clients) {
        (true, true) => Err(Failure::usage(
            "some of these traces judge an agent, and others a client",
        )
        .hint("check them apart: a report is about one target")),
        (false, true) => Ok(Kind::Client),
        _ => Ok(Kind::Agent),
    }
}

/// What a target never did in any trace of a version, though it was wanted: what passed there says little.
fn never_at_work(kind: Kind, traces: &[Judged]) -> Vec<String> {
    let versions: BTreeSet<Version> = traces.iter().map(|trace| trace.version).collect();
    let heard: BTreeSet<Version> = traces
        .iter()
        .filter(|trace| trace.judgement.heard)
        .map(|trace| trace.version)
        .collect();
    let echoed = |version: &Version| {
        let mut traces = traces.iter();
        traces.any(|trace| trace.version == *version && trace.judgement.echoed)
    };
    let mut told: Vec<String> = versions
        .difference(&heard)
        .map(|version| {
            let did = if echoed(version) {
                "repeated what was sent to it, and said nothing else in these traces"
            } else {
                "said nothing in these traces that is JSON-RPC"
            };
            format!("{}: the target {did}.", version.name())
        })
        .collect();
    told.extend(missed_milestones(kind, traces, &heard));
    told
}

/// The first milestone that nothing in a version ever reached, with the first reason.
fn missed_milestones(kind: Kind, traces: &[Judged], heard: &BTreeSet<Version>) -> Vec<String> {
    let mut missed: BTreeMap<(Version, Milestone), (&str, &str)> = BTreeMap::new();
    let mut reached = BTreeSet::new();
    for trace in traces {
        for (to, reason) in &trace.milestones {
            match reason {
                Some(reason) => {
                    let first = missed.entry((trace.version, *to));
                    first.or_insert((reason, &trace.path));
                }
                None => {
                    reached.insert((trace.version, *to));
                }
            }
        }
    }
    let mut told = BTreeSet::new();
    let never = missed.into_iter().filter(|(place, _)| {
        // Without a session there is no turn: one sentence will do.
        heard.contains(&place.0) && !reached.contains(place) && told.insert(place.0)
    });
    never
        .map(|((version, to), (reason, path))| {
            let what = run::missed(kind, to);
            format!("{}: {what}: {reason} (trace {path}).", version.name())
        })
        .collect()
}

fn replay(path: &str) -> String {
    again::joined(&[again::program(), "check".to_owned(), path.to_owned()])
}
