//! Which triggers of the vocabulary work: each is tried once, with everything advertised.

use std::collections::BTreeSet;

use elenchus_protocol::Version;
use elenchus_suites::script::Advertise;
use elenchus_wire::message::{write_error, write_result};

use super::stage;
use crate::{
    campaign::{CONTROL, Campaign},
    crew::Sinks,
    instance::Reach,
    json, params,
    perform::Host,
    stage::{Ended, FencePolicy, Stage, book::Book},
    told::Told,
    vocabulary::{self, Promise},
};

/// How often the target is started again after it was lost by a trigger.
const RESTARTS: u32 = 3;

/// How an agent may ask for a secret, and how it does so all the same.
const SECRET_MODES: [&str; 2] = ["url", "form"];

/// What became of the triggers.
pub(super) struct Tried {
    /// Those that work, with the mode in which they elicit.
    pub(super) worked: Vec<(String, Option<&'static str>)>,
    /// Those that could not be tried to their end, and why.
    pub(super) untried: Vec<(String, String)>,
    /// How far the target came.
    pub(super) reach: Reach,
    /// The last lines of its standard error.
    pub(super) stderr: Vec<String>,
    /// How many bytes of memory it held after all of them, where that can be told.
    pub(super) resident: Option<u64>,
    pub(super) interrupted: bool,
}

/// What became of one trigger.
struct Attempt {
    works: bool,
    /// The mode in which it elicits.
    mode: Option<&'static str>,
    /// An ordinary session was opened for it, or none was needed.
    session: bool,
    /// The connection is good for another one.
    usable: bool,
    /// Why it could not be tried to its end, if it could not.
    lost: Option<String>,
}

/// Tries all of them, on as few connections as possible.
pub(super) fn try_all(
    campaign: &Campaign<'_>,
    host: &mut Host,
    version: Version,
    needed: &BTreeSet<String>,
    sinks: &Sinks<'_>,
) -> Tried {
    let mut tried = Tried {
        worked: Vec::new(),
        untried: Vec::new(),
        reach: Reach::default(),
        stderr: Vec::new(),
        resident: None,
        interrupted: false,
    };
    let sink = sinks.open(&format!("{CONTROL}.{version}.jsonl"));
    let Ok(mut stage) = stage(campaign, host, version, CONTROL, sink) else {
        return tried;
    };
    let mut conn = None;
    let mut starts = 0;
    // Why the last connection was lost, and why no other one is tried.
    let mut lost = String::new();
    let mut hopeless = false;
    let mut sessions = false;
    for name in needed {
        let Some(promise) = vocabulary::promise(name) else {
            continue;
        };
        let current = match conn {
            Some(conn) => conn,
            None if hopeless || starts > RESTARTS => {
                tried.untried.push((name.clone(), lost.clone()));
                continue;
            }
            None => {
                starts += 1;
                match ready(&mut stage) {
                    Ok(fresh) => fresh,
                    Err(reason) => {
                        hopeless = true;
                        stage.no_session(None, &reason);
                        tried.untried.push((name.clone(), reason.clone()));
                        lost = reason;
                        continue;
                    }
                }
            }
        };
        let attempt = attempt(&mut stage, current, name, promise);
        conn = attempt.usable.then_some(current);
        // What could open no session twice opens none.
        sessions |= attempt.session;
        hopeless |= !sessions && starts > 1;
        if attempt.works {
            tried.worked.push((name.clone(), attempt.mode));
        }
        if let Some(reason) = attempt.lost {
            if !attempt.works {
                tried.untried.push((name.clone(), reason.clone()));
            }
            lost = reason;
        }
        if stage.over() {
            break;
        }
    }
    if needed.is_empty()
        && let Err((conn, reason)) = plain_session(&mut stage)
    {
        stage.no_session(conn, &reason);
    }
    tried.resident = stage.resident();
    stage.end_all();
    tried.interrupted = stage.interrupted;
    tried.reach = stage.note_reach();
    let (recorded, _) = stage.finish();
    if let Some(error) = &recorded.error {
        sinks.failed(&error.to_string());
    }
    tried.stderr = recorded.stderr.into_values().flatten().collect();
    tried
}

/// A connection that has been initialized.
fn ready(stage: &mut Stage<'_>) -> Result<usize, String> {
    let conn = stage.connect(&Told::default())?;
    let params = stage.initialize_params(conn, &Advertise::Default)?;
    let place = stage.request(conn, "initialize", Some(&params), None);
    stage.await_answer(conn, place)?;
    stage.agreed(conn, place)?;
    Ok(conn)
}

/// Opens a session as any client does; otherwise the connection comes back, if there was one, and why.
fn plain_session(stage: &mut Stage<'_>) -> Result<(), (Option<usize>, String)> {
    let conn = ready(stage).map_err(|reason| (None, reason))?;
    let params = params::new_session(stage.book.version, &stage.cwd());
    let session = stage.new_session(conn, &params);
    session.map(|_| ()).map_err(|reason| (Some(conn), reason))
}

/// Tries a trigger.
fn attempt(stage: &mut Stage<'_>, conn: usize, name: &str, promise: Promise) -> Attempt {
    let mut from = stage.conn(conn).theirs.len();
    let cwd = stage.cwd();
    let mut new = params::new_session(stage.book.version, &cwd);
    let place = if let Some(mode) = vocabulary::elicits_at_new_session(name) {
        new = json::merge(
            &new,
            &format!(r#"{{"_meta":{{"elenchus":{{"elicit":"{mode}"}}}}}}"#),
        );
        stage.request(conn, "session/new", Some(&new), None)
    } else {
        let session = match stage.new_session(conn, &new) {
            Ok(session) => session,
            Err(reason) => {
                stage.no_session(Some(conn), &reason);
                return Attempt {
                    works: false,
                    mode: None,
                    session: false,
                    usable: false,
                    lost: Some(reason),
                };
            }
        };
        // What the target asks before it has a session is no effect of the trigger.
        from = stage.conn(conn).theirs.len();
        let canary = stage.book.canary.clone();
        let text = vocabulary::example(name, &canary);
        match stage.prompt(conn, &session, &text) {
            Ok(place) => place,
            Err(reason) => {
                return Attempt {
                    works: false,
                    mode: None,
                    session: true,
                    usable: true,
                    lost: Some(reason),
                };
            }
        }
    };
    let works = promised(stage, conn, place, from, name, promise);
    let seen = |mode: &&str| elicitations(&stage.book, conn, from, mode) > 0;
    let mode = match promise {
        Promise::NeedsSecret => SECRET_MODES.into_iter().find(seen),
        promise => promise.mode(),
    };
    let usable = clean_up(stage, conn, place);
    let sent = &stage.conn(conn).ours[place];
    let lost = if stage.conn(conn).gone() {
        // Perhaps it was about to go before that was sent.
        let answered = sent.answer.is_some() || stage.conn(conn).theirs.len() > from;
        let when = if answered {
            "after"
        } else {
            "before anything came of"
        };
        Some(format!("{} {when} {}", stage.how_gone(conn), sent.method))
    } else if !usable {
        Some(format!(
            "what {} began did not end, not even by session/cancel",
            sent.method
        ))
    } else if sent.failed && promise != Promise::Fails {
        stage.result(conn, place).err()
    } else {
        None
    };
    let mut turns = stage.conn(conn).turns.iter();
    let open = turns.any(|turn| turn.prompt == place && !turn.ended);
    if let Some(reason) = lost.as_ref().filter(|_| open) {
        stage.no_turn(conn, reason);
    }
    Attempt {
        works,
        mode,
        session: true,
        usable,
        lost,
    }
}

/// The request is over, with the turn that it started.
fn over(book: &Book<'_>, conn: usize, place: usize) -> bool {
    let conn = &book.conns[conn];
    match conn.turns.iter().find(|turn| turn.prompt == place) {
        Some(turn) => turn.ended,
        None => conn.ours[place].answer.is_some(),
    }
}

/// What the vocabulary promises was seen in what came since `from`.
fn promised(
    stage: &mut Stage<'_>,
    conn: usize,
    place: usize,
    from: usize,
    name: &str,
    promise: Promise,
) -> bool {
    // How long it takes to understand other words, nobody knows.
    let own_words = stage.settings.triggers.replaces(name);
    let time = if own_words {
        stage.settings.answer
    } else {
        stage.settings.expect
    };
    if promise == Promise::Holds {
        let goes_on = stage.settle(conn, FencePolicy::Owed) && !over(&stage.book, conn, place);
        // Who says the command again talks about it, and will have said all in a moment.
        return goes_on && !said(&stage.book, conn, from).contains(name);
    }
    // What comes after the end of the turn is waited for only where that is the promise.
    let patient = promise == Promise::ElicitsLater;
    let seen = |book: &Book<'_>| match promise {
        Promise::Elicits(mode, times) => elicitations(book, conn, from, mode) >= times,
        Promise::ElicitsLater => elicitations(book, conn, from, "form") > 0,
        Promise::NeedsSecret => {
            let asked = |mode: &str| elicitations(book, conn, from, mode) > 0;
            SECRET_MODES.into_iter().any(asked)
        }
        Promise::Asks => book.conns[conn].theirs[from..]
            .iter()
            .any(|theirs| theirs.method == "session/request_permission"),
        Promise::Says | Promise::CallsTool | Promise::Fails | Promise::Holds => {
            over(book, conn, place)
        }
    };
    let done = |book: &Book<'_>| {
        seen(book) || book.conns[conn].gone() || (!patient && over(book, conn, place))
    };
    match promise {
        Promise::Says | Promise::CallsTool | Promise::Fails | Promise::Asks => {
            stage.wait_dismissing(conn, None, time, done);
        }
        // What comes is the effect, or part of it, and answered behind it.
        _ => {
            stage.wait(time, done);
        }
    }
    match promise {
        Promise::Says => said(&stage.book, conn, from).trim() == stage.book.canary,
        Promise::CallsTool => {
            updates(&stage.book, conn, from).any(|(kind, _)| kind.starts_with("tool_call"))
        }
        Promise::Fails => failed(&stage.book, conn, place, from),
        _ => seen(&stage.book),
    }
}

fn elicitations(book: &Book<'_>, conn: usize, from: usize, mode: &str) -> usize {
    let theirs = &book.conns[conn].theirs[from..];
    theirs
        .iter()
        .filter(|theirs| theirs.method == "elicitation/create" && theirs.id.is_some())
        .filter_map(|theirs| {
            json::string_at(book.recorder.message(theirs.event)?.params?, &["mode"])
        })
        .filter(|found| found == mode)
        .count()
}

/// The session updates: kind and the exact text of `update`.
fn updates<'b>(
    book: &'b Book<'_>,
    conn: usize,
    from: usize,
) -> impl Iterator<Item = (String, &'b str)> {
    book.conns[conn].theirs[from..]
        .iter()
        .filter(|theirs| theirs.method == "session/update")
        .filter_map(|theirs| {
            let update = json::at(book.recorder.message(theirs.event)?.params?, &["update"])?;
            Some((json::string_at(update, &["sessionUpdate"])?, update))
        })
}

/// What the agent said, chunks put together.
fn said(book: &Book<'_>, conn: usize, from: usize) -> String {
    let mut said = String::new();
    for (kind, update) in updates(book, conn, from) {
        match kind.as_str() {
            "agent_message_chunk" => {
                said.push_str(&json::string_at(update, &["content", "text"]).unwrap_or_default());
            }
            // A whole message replaces its chunks.
            "agent_message" => {
                if let Some(text) = json::string_at(update, &["content", "0", "text"]) {
                    said = text;
                }
            }
            _ => {}
        }
    }
    said
}

/// The turn ended as no turn does in which all went well.
fn failed(book: &Book<'_>, conn: usize, place: usize, from: usize) -> bool {
    let ours = &book.conns[conn].ours[place];
    let stopped_by = |text: &str| {
        json::string_at(text, &["stopReason"]).is_some_and(|reason| reason != "end_turn")
    };
    let result = ours
        .answer
        .and_then(|event| book.recorder.message(event)?.result);
    ours.failed
        || result.is_some_and(stopped_by)
        || updates(book, conn, from)
            .any(|(kind, update)| kind == "state_update" && stopped_by(update))
}

/// Leaves nothing open: questions are answered with cancel, and what still runs is cancelled. False if the connection
/// is of no more use.
fn clean_up(stage: &mut Stage<'_>, conn: usize, place: usize) -> bool {
    answer_all(stage, conn);
    let turn = stage
        .conn(conn)
        .turns
        .iter()
        .find(|turn| turn.prompt == place && !turn.ended);
    if let Some(session) = turn.map(|turn| json::quote(&turn.session))
        && stage.conn(conn).live()
    {
        let time = stage.settings.expect;
        let open = |book: &Book<'_>| book.conns[conn].waits_for_us();
        let ended = stage.wait(std::time::Duration::ZERO, |book| over(book, conn, place));
        if ended != Ended::Met {
            stage.notify(
                conn,
                "session/cancel",
                Some(&format!(r#"{{"sessionId":{session}}}"#)),
            );
            // What it asks on its way out is answered too.
            stage.wait(time, |book| {
                over(book, conn, place) || book.conns[conn].gone() || open(book)
            });
            answer_all(stage, conn);
        }
    }
    let time = stage.settings.expect;
    stage.wait(time, |book| {
        over(book, conn, place) || book.conns[conn].gone()
    });
    stage.conn(conn).live() && over(&stage.book, conn, place)
}

fn answer_all(stage: &mut Stage<'_>, conn: usize) {
    for place in 0..stage.conn(conn).theirs.len() {
        let theirs = &stage.conn(conn).theirs[place];
        let (true, Some(id)) = (theirs.open() && stage.conn(conn).live(), theirs.id.clone()) else {
            continue;
        };
        let line = match theirs.method.as_str() {
            "elicitation/create" => write_result(&id, r#"{"action":"cancel"}"#),
            "session/request_permission" => {
                write_result(&id, r#"{"outcome":{"outcome":"cancelled"}}"#)
            }
            _ => write_error(&id, -32601, "method not found", None),
        };
        stage.answer(conn, place, &line);
    }
}
