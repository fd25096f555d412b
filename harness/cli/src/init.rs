//! `elenchus init`: a profile to begin with.

use std::{
    collections::BTreeSet,
    fs::OpenOptions,
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
};

use elenchus_drive::{Campaign, Knowledge, Settings};
use elenchus_protocol::Version;
use elenchus_reports::{ExitStatus, builder::Kind};
use elenchus_suites::{
    Suite,
    profile::{self, Command, Learned, template},
    vocabulary::TRIGGERS,
};

use crate::{
    again,
    args::InitArgs,
    failure::{Failure, note},
    limits,
    progress::Progress,
    run::heeds,
    target::Target,
};

/// Tries the target, if one is named, and writes the profile. A profile that is there is left alone.
pub(crate) fn init(args: &InitArgs) -> Result<ExitCode, Failure> {
    let path = args.profile.as_path();
    if path.exists() {
        return Err(already_there(path));
    }
    let mut learned = Learned::default();
    let mut status = ExitCode::SUCCESS;
    if let Some(line) = &args.target {
        let target = Target::read(line, &[])?.of_kind(None, false)?;
        limits::fitting(1)?;
        if target.has_secrets() {
            note(&format!(
                "the command holds a secret, and {} will hold it too: better have the target take it from its environment, \
                 and name the variable in `pass-env`",
                path.display()
            ));
        }
        learned.command = Some(Command::Line(line.clone()));
        learned.client = target.kind == Kind::Client;
        let Some(knowledge) = tried(&target) else {
            return Err(
                Failure::target("the trial was stopped by a signal").hint("nothing was written")
            );
        };
        if !note_learned(&mut learned, &knowledge) {
            status = ExitStatus::Incomplete.code().into();
        }
    }
    write(path, &template(&learned))?;
    let mut run = vec![again::program(), "run".to_owned()];
    if path != Path::new(profile::FILE) {
        run.extend(["--profile".to_owned(), path.display().to_string()]);
    }
    note(&format!(
        "{} was written; read it, then test with `{}`",
        path.display(),
        again::joined(&run)
    ));
    Ok(status)
}

/// What the target can do, as a run would learn it.
fn tried(target: &Target) -> Option<Knowledge> {
    let nothing = BTreeSet::new();
    let progress = Progress::begin(&nothing);
    let knowledge = Campaign {
        launch: target.launch.clone(),
        scripts: Suite::embedded().scripts.iter().collect(),
        versions: Version::ALL.to_vec(),
        declared: false,
        settings: Settings::default(),
        jobs: 1,
        seed: 0,
        thorough: false,
        fresh: false,
        memo: None,
        repeats: 0,
        traces: None,
    }
    .learn();
    progress.end();
    knowledge
}

/// Notes what a profile says of it, and tells the rest; false if nothing could be done with the target.
fn note_learned(learned: &mut Learned, knowledge: &Knowledge) -> bool {
    if let Some(dead) = &knowledge.dead {
        note(&dead.what);
        note(&dead.hint);
        return false;
    }
    learned.protocol = knowledge
        .versions
        .iter()
        .map(|version| version.number())
        .collect();
    learned.auth_methods.clone_from(&knowledge.logins);
    let spoken: Vec<&str> = knowledge.versions.iter().map(|it| it.name()).collect();
    note(&format!("it speaks {}", spoken.join(" and ")));
    if learned.client {
        note(&heeds(knowledge));
        return true;
    }
    // Without a session nothing was tried.
    let tried = |name: &str| {
        let untried = |version: &Version| {
            let key = (*version, name.to_owned());
            knowledge.untried.contains_key(&key)
        };
        !knowledge.versions.iter().all(untried)
    };
    if TRIGGERS.iter().any(|trigger| tried(trigger.name)) {
        let worked: BTreeSet<String> = knowledge
            .triggers
            .iter()
            .map(|(_, name)| name.clone())
            .collect();
        let all = TRIGGERS.len();
        note(&if worked.len() == all {
            format!("it does what all {all} triggers of the vocabulary stand for")
        } else {
            format!(
                "it does what {} of the {all} triggers of the vocabulary stand for; the others wait in [triggers] for \
                 prompts of your own",
                worked.len()
            )
        });
        learned.triggers = Some(worked.into_iter().collect());
    } else if let Some(reason) = knowledge.untried.values().next() {
        note(&format!("no trigger could be tried: {reason}"));
    }
    true
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => already_there(path),
        _ => Failure::usage(format!("cannot write {}: {error}", path.display())),
    };
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}

fn already_there(path: &Path) -> Failure {
    Failure::usage(format!("{} is there already", path.display()))
        .hint("remove it first, or write another file with --profile FILE")
}
