//! `elenchus pair`: a real client and a real agent, with a relay between them; both are judged by what they said.

use std::{env, fs, path::PathBuf, process::ExitCode};

use elenchus_drive::{
    Launch, Settings,
    pair::{Paired, pair as run_pair},
};
use elenchus_reports::{
    ExitStatus,
    builder::Kind,
    human::{View, render},
};
use elenchus_suites::Suite;
use elenchus_wire::{
    redact::Redactor,
    trace::{Trace, write_event, write_header},
};

use crate::{
    args::{Format, PairArgs},
    check,
    failure::{Failure, note},
    output::{self, Folder},
    target::Target,
};

/// Lets them talk, and judges both.
pub(crate) fn pair(args: &PairArgs) -> Result<ExitCode, Failure> {
    let mut agent = Target::read(&args.agent, &[])?.of_kind(Some(Kind::Agent), false)?;
    let mut client = Target::read(&args.client, &[])?.of_kind(Some(Kind::Client), false)?;
    let mut secrets = Vec::new();
    for name in &args.pass_env {
        let value = env::var(name)
            .map_err(|_| Failure::usage(format!("--pass-env {name}: the variable is not set")))?;
        for target in [&mut agent, &mut client] {
            if let Launch::Command { env, .. } | Launch::Client { env, .. } = &mut target.launch {
                env.push((name.clone(), value.clone()));
            }
        }
        secrets.push(value);
    }
    let folder = Folder::prepare(&args.out)?;
    let settings = Settings::default();
    let paired = run_pair(&agent.launch, &client.launch, &settings, args.limit)
        .map_err(|reason| Failure::target(format!("nothing could be paired: {reason}")))?;
    if paired.late {
        note(&format!(
            "the client was ended after {} s; --limit SECS gives it more",
            args.limit.as_secs_f32()
        ));
    }
    if paired.interrupted {
        note("the conversation was stopped by a signal; what was said until then is judged");
    }
    let redactor = Redactor::new(secrets);
    let traces = [("agent", &paired.agent), ("client", &paired.client)]
        .map(|(name, trace)| written(&folder, name, trace, &redactor));
    if paired.version.is_none() {
        return Err(never_agreed(&paired));
    }
    let mut status = ExitStatus::Conforming;
    let mut documents = serde_json::Map::new();
    for (kind, path) in [Kind::Agent, Kind::Client].into_iter().zip(traces) {
        let report = check::report(&[path?])?;
        status = status.max(report.verdict.status.into());
        match args.show.format {
            Format::Human => {
                let view = View {
                    catalogue: &Suite::embedded().catalogue,
                    folder: None,
                };
                output::print(&render(&report, view, output::style(args.show.color)))?;
            }
            Format::Json => {
                let report = serde_json::to_value(&report).map_err(|error| {
                    Failure::usage(format!("the report could not be written: {error}"))
                })?;
                documents.insert(kind.name().to_owned(), report);
            }
        }
    }
    if args.show.format == Format::Json {
        output::print(&output::json(&documents)?)?;
    }
    Ok(status.code().into())
}

/// Writes a trace into the output folder; its path comes back.
fn written(
    folder: &Folder,
    name: &str,
    trace: &Trace,
    redactor: &Redactor,
) -> Result<PathBuf, Failure> {
    let path = folder.traces().join(format!("pair.{name}.jsonl"));
    let mut text = String::new();
    write_header(&trace.header, &mut text);
    for event in &trace.events {
        write_event(event, redactor, &mut text);
    }
    fs::write(&path, text)
        .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))?;
    Ok(path)
}

fn never_agreed(paired: &Paired) -> Failure {
    let failure = Failure::target("the client and the agent agreed on no version of the protocol")
        .hint("what they said stands in the traces; what they wrote to standard error:");
    let told = [
        ("agent", &paired.agent_stderr),
        ("client", &paired.client_stderr),
    ];
    told.into_iter()
        .flat_map(|(name, lines)| lines.iter().map(move |line| format!("{name}: {line}")))
        .fold(failure, Failure::hint)
}
