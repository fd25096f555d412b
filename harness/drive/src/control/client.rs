//! The control run of a client: which versions it asks for, and what it heeds of what its environment tells it.
//!
//! It is started twice in each version. The first time it is told to decline, to accept and to reject, the second time to
//! advertise nothing, to allow, to cancel and to take two turns: what it does both times as it was told, it heeds. Each
//! command that its profile has for an answer to elicitations is tried once in each version.

use std::collections::BTreeSet;

use elenchus_protocol::{
    Version,
    acp::elicitation::{self, Support},
};
use elenchus_suites::script::Heed;
use elenchus_wire::{event::Premise, trace::Trace};
use serde_json::Value;

use super::{Learned, dead, distinct, stage};
use crate::{
    answers,
    campaign::{CONTROL, Campaign, Dead, Knowledge, Outcome},
    crew::Sinks,
    instance::Reach,
    json,
    perform::Host,
    stage::{
        FencePolicy, Patience, Stage,
        book::Book,
        plan::{FIRST, Plan},
    },
    told::Told,
};

/// The word for no answer.
const IDLE: &str = "idle";
const PERMISSION: &str = "session/request_permission";

/// What the client did in one run.
#[derive(Default)]
struct Run {
    /// It started its agent.
    launched: bool,
    /// The params of its `initialize`.
    introduction: Option<Value>,
    /// It went on to a session after we had agreed to the version.
    went_on: bool,
    /// What it advertised.
    support: Support,
    /// It answered elicitations as it was told.
    answered: bool,
    /// The option that it chose when it was asked for permission.
    chosen: Option<String>,
    cancelled: bool,
    turns: usize,
    /// It answered the fence, or none was sent.
    answers_fences: bool,
    /// It had to be sent a signal.
    overstays: bool,
    /// So many times it started its agent before it did so for its work.
    probes: usize,
    interrupted: bool,
    reach: Reach,
    stderr: Vec<String>,
    /// Why it came no further than this.
    stopped: Option<String>,
    frames: Vec<String>,
    file: Option<String>,
    trace: Option<Trace>,
}

/// Which run it is, and how often the client is known to start its agent before it works with it.
struct Round {
    second: bool,
    probes: usize,
}

/// Learns what the client does.
pub(super) fn learn(campaign: &Campaign<'_>, host: &mut Host, sinks: &Sinks<'_>) -> Learned {
    let mut learned = Learned {
        knowledge: Knowledge::default(),
        patience: Patience::default(),
        interrupted: false,
        first: Vec::new(),
    };
    let mut runs: Vec<(Version, Run, Run)> = Vec::new();
    for version in distinct(&campaign.versions) {
        let mut run = |second: bool, probes: usize| {
            run(campaign, host, sinks, version, Round { second, probes })
        };
        // One that looks at its agent before it works with it is known by what it does then.
        let first = match run(false, 0) {
            Ok(first) if first.probes > 0 => run(false, first.probes),
            first => first,
        };
        let first = match first {
            Ok(first) => first,
            Err(reason) => {
                learned.knowledge.dead = Some(dead::not_started(&reason));
                return learned;
            }
        };
        // What did not come to a prompt when nothing was made hard for it does not come to one now.
        let second = if first.turns > 0 && !first.interrupted {
            run(true, first.probes).unwrap_or_default()
        } else {
            Run::default()
        };
        learned.interrupted |= first.interrupted || second.interrupted;
        runs.push((version, first, second));
        if learned.interrupted {
            return learned;
        }
    }
    let firsts = || runs.iter().map(|(version, first, _)| (*version, first));
    learned.patience = Patience {
        short_fence: firsts().any(|(_, run)| run.turns > 0)
            && firsts().all(|(_, run)| run.turns == 0 || !run.answers_fences),
        short_goodbye: firsts().any(|(_, run)| run.overstays),
        probes: firsts()
            .map(|(_, run)| run.probes)
            .max()
            .unwrap_or_default(),
    };
    let spoken: BTreeSet<Version> = firsts()
        .filter(|(version, run)| run.speaks(*version))
        .map(|(version, _)| version)
        .collect();
    let knowledge = &mut learned.knowledge;
    knowledge.ignores_unknown = learned.patience.short_fence;
    knowledge.versions = firsts()
        .filter(|(version, run)| {
            spoken.contains(version) || (campaign.declared && run.introduction.is_some())
        })
        .map(|(version, _)| version)
        .collect();
    if knowledge.versions.is_empty() {
        // It asks for none that we know, or for none in a way that can be read: what is wrong with that is for rules.
        let introduced = firsts().find(|(_, run)| run.introduction.is_some());
        knowledge
            .versions
            .extend(introduced.map(|(version, _)| version));
    }
    if knowledge.versions.is_empty() {
        knowledge.dead = firsts().next().map(|(_, run)| explain(campaign, run));
        return learned;
    }
    for version in knowledge.versions.clone() {
        for word in campaign.launch.answers() {
            let trial = answers_so(
                campaign,
                host,
                sinks,
                version,
                word,
                learned.patience.probes,
            );
            learned.interrupted |= trial.interrupted;
            if trial.answered {
                knowledge.answers.insert((version, word.to_owned()));
            }
            if learned.interrupted {
                return learned;
            }
        }
    }
    let probed = runs.len() == Version::ALL.len();
    for (version, first, second) in runs {
        if !knowledge.versions.contains(&version) {
            continue;
        }
        let speaks = spoken.iter().map(|version| Premise::Speaks {
            version: version.number(),
        });
        let mut premises: Vec<Premise> = speaks.collect();
        premises.extend(probed.then_some(Premise::AllVersionsProbed));
        for heed in heeded(&first, &second) {
            knowledge.heeds.insert((version, heed));
            premises.push(Premise::Heeds {
                variable: Told::variable(heed).to_owned(),
            });
        }
        knowledge.premises.push((version, premises));
        if let Some(introduction) = &first.introduction {
            note_introduction(knowledge, version, introduction);
        }
        for run in [first, second] {
            let outcome = run.trace.map(|trace| Outcome {
                script: trace.header.script.clone(),
                instance: trace.header.instance.clone(),
                version,
                trace: run.file,
                judgement: elenchus_judge::judge(&trace),
                repeats: Vec::new(),
                stopped: None,
                stderr: Vec::new(),
                reach: Reach::default(),
                resident: None,
                disturbed: BTreeSet::new(),
            });
            learned
                .first
                .extend(outcome.filter(|outcome| outcome.judgement.heard));
            if run.reach != Reach::default() {
                knowledge.reach.push((version, run.reach, run.stderr));
            }
        }
    }
    learned
}

impl Run {
    /// The version that it asked for.
    fn asked(&self) -> Option<u64> {
        self.introduction.as_ref()?.get("protocolVersion")?.as_u64()
    }

    /// It asked for this version, or asked for a later one and went on with this one.
    fn speaks(&self, version: Version) -> bool {
        let number = u64::from(version.number());
        self.asked()
            .is_some_and(|asked| asked == number || (asked > number && self.went_on))
    }
}

/// What both runs together show it to heed.
fn heeded(first: &Run, second: &Run) -> Vec<Heed> {
    let silent = !second.support.form && !second.support.url;
    let chose = |run: &Run, kind: &str| {
        let chosen = run.chosen.as_deref();
        chosen.is_some_and(|chosen| chosen.starts_with(kind))
    };
    [
        (Heed::Answers, first.answered),
        (
            Heed::Capabilities,
            first.support.form && first.support.url && second.introduction.is_some() && silent,
        ),
        (
            Heed::Permission,
            chose(first, "reject") && chose(second, "allow"),
        ),
        (Heed::Cancel, !first.cancelled && second.cancelled),
        (Heed::Turns, first.turns == 1 && second.turns == 2),
    ]
    .into_iter()
    .filter(|(_, heeds)| *heeds)
    .map(|(heed, _)| heed)
    .collect()
}

/// What the client is told in a run.
fn told(version: Version, second: bool, canary: &str) -> Told {
    let text = if second {
        r#"{"capabilities":"absent","permission":"allow","cancel":"permission","turns":2}"#
            .to_owned()
    } else {
        let name = json::quote(canary);
        format!(
            r#"{{"answers":[{{"action":"decline"}},{{"action":"accept","content":{{"name":{name}}}}}],"permission":"reject"}}"#
        )
    };
    Told::read(version, Some(&text))
}

/// One run. The error is why the client could not even be started.
fn run(
    campaign: &Campaign<'_>,
    host: &mut Host,
    sinks: &Sinks<'_>,
    version: Version,
    Round { second, probes }: Round,
) -> Result<Run, String> {
    let round = if second { 2 } else { 1 };
    let file = format!("{CONTROL}.{version}.{round}.jsonl");
    let sink = sinks.open(&file);
    let kept = sink.is_some();
    let mut stage = stage(campaign, host, version, CONTROL, sink)?;
    let told = told(version, second, &stage.book.canary);
    stage.book.plan = Plan::serving(round);
    stage.patience.probes = probes;
    let first = stage.connect(&told)?;
    let mut run = Run::default();
    let joined = stage.await_client(first, FIRST, &told);
    let conn = *joined.as_ref().unwrap_or(&first);
    run.launched = stage.conn(conn).joined;
    run.stopped = match joined {
        Ok(conn) => talk(&mut stage, conn, second, &mut run).err(),
        Err(reason) => Some(reason),
    };
    run.probes = stage.probes(first);
    stage.end_open_turns(conn);
    stage.end_all();
    let asked = stage.conn(conn).asked;
    run.overstays =
        stage.conn(conn).exit.is_some() && asked != elenchus_wire::event::Asked::Nothing;
    run.interrupted = stage.interrupted;
    run.frames = dead::last_frames(&stage, conn);
    run.reach = stage.note_reach();
    let (recorded, _) = stage.finish();
    if let Some(error) = &recorded.error {
        sinks.failed(&error.to_string());
    }
    run.file = (kept && recorded.error.is_none()).then_some(file);
    run.stderr = recorded.stderr.into_values().flatten().collect();
    run.trace = Some(recorded.trace);
    Ok(run)
}

/// Tries the command by which a client is said to answer all elicitations with this.
fn answers_so(
    campaign: &Campaign<'_>,
    host: &mut Host,
    sinks: &Sinks<'_>,
    version: Version,
    word: &str,
    probes: usize,
) -> Run {
    let sink = sinks.open(&format!("{CONTROL}.{version}.answers-{word}.jsonl"));
    let Ok(mut stage) = stage(campaign, host, version, CONTROL, sink) else {
        return Run::default();
    };
    let answer = if word == IDLE {
        json::quote(IDLE)
    } else {
        format!(r#"{{"action":{}}}"#, json::quote(word))
    };
    let told = Told::read(version, Some(&format!(r#"{{"answers":[{answer}]}}"#)));
    stage.book.plan = Plan::serving(1);
    stage.patience.probes = probes;
    let mut run = Run::default();
    let joined = stage
        .connect(&told)
        .and_then(|first| stage.await_client(first, FIRST, &told));
    if let Ok(conn) = joined
        && stage.serve(conn, None).is_ok()
    {
        let introduction = introduction(&stage, conn);
        let support = introduction.map(|it| elicitation::support(&it, version).0);
        run.answered = support.is_some_and(|it| it.form) && gives(&mut stage, conn, word);
        stage.end_open_turns(conn);
    }
    stage.end_all();
    run.interrupted = stage.interrupted;
    let (recorded, _) = stage.finish();
    if let Some(error) = &recorded.error {
        sinks.failed(&error.to_string());
    }
    run
}

/// It answers a form with this.
fn gives(stage: &mut Stage<'_>, conn: usize, word: &str) -> bool {
    let form = answers::form(&stage.session_of(conn), None);
    let result = ask(stage, conn, "elicitation/create", &form);
    if let Some(result) = result {
        return json::string_at(&result, &["action"]).as_deref() == Some(word);
    }
    // Where a person says nothing, the client is there all the same, and has not refused.
    let open = stage.conn(conn).live() && stage.conn(conn).busy();
    word == IDLE && open && stage.settle(conn, FencePolicy::Courtesy)
}

/// The conversation of a run. The error is why it came to no end.
fn talk(stage: &mut Stage<'_>, conn: usize, second: bool, run: &mut Run) -> Result<(), String> {
    let outcome = stage.serve(conn, None);
    run.introduction = introduction(stage, conn);
    if let Some(introduction) = &run.introduction {
        (run.support, _) = elicitation::support(introduction, stage.conn(conn).version);
    }
    run.went_on = stage
        .conn(conn)
        .theirs
        .iter()
        .any(|theirs| theirs.method.starts_with("session/"));
    outcome?;
    run.turns = 1;
    let session = stage.session_of(conn);
    let version = stage.conn(conn).version;
    if run.support.form && !second {
        run.answered = accepts_as_told(stage, conn, &session);
    }
    run.chosen = chosen(stage, conn, &session);
    if stage.conn(conn).live() {
        let said = answers::message(version, "Working on it.");
        stage.update(conn, &session, &said);
    }
    // Whoever heeds it does so at once: nobody has to act.
    let time = stage.settings.expect / 5;
    let cancelled = |book: &Book<'_>| {
        let mut theirs = book.conns[conn].theirs.iter();
        theirs.any(|theirs| theirs.method == "session/cancel")
    };
    if second {
        stage.wait(time, |book| cancelled(book) || book.conns[conn].gone());
    }
    if stage.conn(conn).live() {
        stage.settle(conn, FencePolicy::Courtesy);
    }
    let mut ours = stage.conn(conn).ours.iter();
    run.answers_fences = ours.any(|ours| ours.fence && ours.answer.is_some());
    run.cancelled = cancelled(&stage.book);
    let reason = run.cancelled.then_some(r#""cancelled""#);
    end_newest_turn(stage, conn, reason)?;
    if second {
        let prompts = |book: &Book<'_>| {
            let theirs = book.conns[conn].theirs.iter();
            theirs
                .filter(|theirs| theirs.method == "session/prompt")
                .count()
        };
        stage.wait(time, |book| prompts(book) > 1 || book.conns[conn].gone());
        if prompts(&stage.book) > 1 {
            stage.next_turn(conn)?;
            // The turn that was cancelled took the answer with it.
            run.chosen = chosen(stage, conn, &session).or(run.chosen.take());
            end_newest_turn(stage, conn, None)?;
        }
    }
    // A client that is told nothing of it takes one turn, and goes.
    stage.wait_for_leave(&[conn]);
    run.turns = stage.theirs_with(conn, "session/prompt").count();
    Ok(())
}

/// The params of the client's `initialize`.
fn introduction(stage: &Stage<'_>, conn: usize) -> Option<Value> {
    let place = stage.theirs_with(conn, "initialize").next()?;
    serde_json::from_str(stage.params_of(conn, place)?).ok()
}

fn end_newest_turn(stage: &mut Stage<'_>, conn: usize, reason: Option<&str>) -> Result<(), String> {
    let prompt = stage.theirs_with(conn, "session/prompt").last();
    match prompt.filter(|_| stage.conn(conn).live()) {
        Some(prompt) => stage.end_turn(conn, prompt, reason),
        None => Ok(()),
    }
}

/// The option that it chooses when it is asked for a permission.
fn chosen(stage: &mut Stage<'_>, conn: usize, session: &str) -> Option<String> {
    let version = stage.conn(conn).version;
    let ours = stage.conn(conn).ours.iter();
    let before = ours.filter(|ours| ours.method == PERMISSION).count();
    let params = answers::permission(version, session, before);
    let result = ask(stage, conn, PERMISSION, &params)?;
    json::string_at(&result, &["outcome", "optionId"])
}

/// It declines the first form and fills in the second, as it was told.
fn accepts_as_told(stage: &mut Stage<'_>, conn: usize, session: &str) -> bool {
    let form = answers::form(session, None);
    // What it makes of a refusal is for the rules. That the second answer is the one that was given as the second shows
    // that it takes them one by one.
    let _ = ask(stage, conn, "elicitation/create", &form);
    let accepted = ask(stage, conn, "elicitation/create", &form);
    let action = |result: &Option<String>| json::string_at(result.as_deref()?, &["action"]);
    let name = accepted
        .as_deref()
        .and_then(|result| json::string_at(result, &["content", "name"]));
    action(&accepted).as_deref() == Some("accept")
        && name.as_deref() == Some(stage.book.canary.as_str())
}

/// The result of a request, if it comes in time. Nobody says that it is owed: a person may have to act.
fn ask(stage: &mut Stage<'_>, conn: usize, method: &str, params: &str) -> Option<String> {
    if !stage.conn(conn).live() {
        return None;
    }
    let place = stage.request(conn, method, Some(params), None);
    stage.wait(stage.settings.expect, |book| {
        book.conns[conn].ours[place].answer.is_some() || book.conns[conn].gone()
    });
    stage.result(conn, place).ok().map(str::to_owned)
}

fn note_introduction(knowledge: &mut Knowledge, version: Version, params: &Value) {
    let (capabilities, info) = match version {
        Version::AcpV1 => ("clientCapabilities", "clientInfo"),
        Version::AcpV2 => ("capabilities", "info"),
    };
    if knowledge.info.is_none() {
        let info = params.get(info).filter(|info| info.is_object());
        knowledge.info = info.map(Value::to_string);
    }
    let offers = |path: &str| {
        let offered = params.get(capabilities).and_then(|all| all.pointer(path));
        offered == Some(&Value::Bool(true))
    };
    let mut add = |methods: &[&str]| {
        for method in methods {
            knowledge.methods.insert((version, (*method).to_owned()));
        }
    };
    if version == Version::AcpV1 {
        if offers("/fs/readTextFile") {
            add(&["fs/read_text_file"]);
        }
        if offers("/fs/writeTextFile") {
            add(&["fs/write_text_file"]);
        }
        if offers("/terminal") {
            add(&[
                "terminal/create",
                "terminal/output",
                "terminal/wait_for_exit",
                "terminal/kill",
                "terminal/release",
            ]);
        }
    }
    let (support, _) = elicitation::support(params, version);
    if support.form {
        add(&["elicitation/create", "form"]);
    }
    if support.url {
        add(&["elicitation/create", "url"]);
    }
}

/// Why nothing can be done with a client.
fn explain(campaign: &Campaign<'_>, run: &Run) -> Dead {
    let what = run.stopped.clone().unwrap_or_default();
    let hint = if run.launched {
        "An ACP client begins with `initialize`. Run the command by hand, with an agent that is known to work, and see what it \
            says."
            .to_owned()
    } else if campaign.launch.start().is_none_or(|start| start.direct) {
        dead::ENVIRONMENT.to_owned()
    } else {
        format!(
            "`{{agent}}` in the command becomes the command line of an agent, as one argument; `{{agent-path}}` becomes the path \
             of a program without arguments. Check that the client takes it in this place, and that it starts its agent without \
             being asked by a person. {}",
            dead::ENVIRONMENT
        )
    };
    Dead {
        what: dead::sentence(&what),
        stderr: run.stderr.clone(),
        frames: run.frames.clone(),
        hint,
    }
}
