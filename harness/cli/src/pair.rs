//! `elenchus pair`: a real client and a real agent, with a relay between them; both are judged by what they said.

use std::{env, process::ExitCode};

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
use elenchus_wire::redact::Redactor;

use crate::{
    args::{Format, PairArgs},
    check,
    failure::Failure,
    hidden,
    job::is_public,
    limits,
    output::{self, Folder},
    target::Target,
};

/// Lets them talk, and judges both.
pub(crate) fn pair(args: &PairArgs) -> Result<ExitCode, Failure> {
    let mut agent = Target::read(&args.agent, &[])?.of_kind(Some(Kind::Agent), false)?;
    let mut client = Target::read(&args.client, &[])?.of_kind(Some(Kind::Client), false)?;
    limits::fitting(1)?;
    let mut settings = Settings::default();
    settings.secrets.extend(agent.secrets());
    settings.secrets.extend(client.secrets());
    for name in &args.pass_env {
        let value = env::var(name)
            .map_err(|_| Failure::usage(format!("--pass-env {name}: the variable is not set")))?;
        for target in [&mut agent, &mut client] {
            if let Launch::Command { env, .. } | Launch::Client { env, .. } = &mut target.launch {
                env.push((name.clone(), value.clone()));
            }
        }
        if !is_public(name) {
            settings.secrets.push(value);
        }
    }
    let folder = Folder::prepare(&args.out)?;
    let paired = run_pair(
        &agent.launch,
        &client.launch,
        &settings,
        args.limit,
        &folder.traces(),
    )
    .map_err(|reason| unpaired(&reason))?;
    if let Some(error) = &paired.trace_error {
        return Err(Failure::usage(format!("cannot write {error}")));
    }
    let incomplete = shortcomings(&paired, args.limit.as_secs_f32());
    if paired.version.is_none() {
        return Err(never_agreed(&paired, &incomplete));
    }
    let mut statuses = Vec::new();
    let mut documents = serde_json::Map::new();
    // As in the traces, since two programs that are somebody's may say to each other what nobody else may read.
    let redactor = Redactor::new(settings.secrets);
    let parties = [
        (Kind::Agent, &args.agent, paired.agent),
        (Kind::Client, &args.client, paired.client),
    ];
    for (kind, command, said) in parties {
        let report = check::report(&said.path, said.trace, &incomplete)?;
        let report = output::hidden(&report, &redactor)?;
        statuses.push(report.verdict.status.into());
        match args.show.format {
            Format::Human => {
                let command = redactor.text(&hidden::command(command)).into_owned();
                let view = View {
                    catalogue: &Suite::embedded().catalogue,
                    folder: None,
                    target: Some(&command),
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
    Ok(worst(&statuses).code().into())
}

fn unpaired(reason: &str) -> Failure {
    Failure::target(format!("nothing could be paired: {reason}"))
}

/// What fails outweighs what is not whole.
fn worst(statuses: &[ExitStatus]) -> ExitStatus {
    let failed = statuses.contains(&ExitStatus::Nonconforming);
    let worst = statuses.iter().copied().max();
    match worst {
        Some(ExitStatus::Incomplete) if failed => ExitStatus::Nonconforming,
        worst => worst.unwrap_or(ExitStatus::Incomplete),
    }
}

/// Why the conversation is not all that it was to be, in sentences.
fn shortcomings(paired: &Paired, limit: f32) -> Vec<String> {
    let failure = paired.failure.as_ref();
    let failure =
        failure.map(|reason| format!("The client asked for one more agent, and {reason}."));
    let late = paired
        .late
        .then(|| format!("The client was ended after {limit} s; --limit SECS gives it more."));
    let interrupted = paired.interrupted.then(|| {
        "The conversation was stopped by a signal; what was said until then is judged.".to_owned()
    });
    [failure, late, interrupted].into_iter().flatten().collect()
}

fn never_agreed(paired: &Paired, incomplete: &[String]) -> Failure {
    if let Some(reason) = &paired.failure {
        return unpaired(reason);
    }
    let told: Vec<String> = [
        ("agent", &paired.agent_stderr),
        ("client", &paired.client_stderr),
    ]
    .into_iter()
    .flat_map(|(name, lines)| lines.iter().map(move |line| format!("{name}: {line}")))
    .collect();
    let stand = "what they said stands in the traces";
    let failure = Failure::target("the client and the agent agreed on no version of the protocol");
    let failure = incomplete.iter().fold(failure, Failure::hint);
    let failure = failure.hint(if told.is_empty() {
        format!("{stand}; neither wrote to standard error")
    } else {
        format!("{stand}; what they wrote to standard error:")
    });
    told.into_iter().fold(failure, Failure::hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_outweighs_what_is_not_whole() {
        use ExitStatus::{Conforming, Incomplete, Nonconforming};

        for (statuses, status) in [
            ([Conforming, Conforming], Conforming),
            ([Conforming, Incomplete], Incomplete),
            ([Incomplete, Nonconforming], Nonconforming),
            ([Nonconforming, Conforming], Nonconforming),
        ] {
            assert_eq!(worst(&statuses), status);
        }
    }
}
