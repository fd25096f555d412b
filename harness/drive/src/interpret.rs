//! The script interpreter: performs the steps of one instance on a stage.

mod agent;
#[cfg(test)]
mod tests;
mod waits;

use std::time::Duration;

use elenchus_protocol::acp::shapes::{self, Part};
use elenchus_suites::{
    Step, StepKind,
    script::{Advertise, Fill, Growth, MAX_SIZE, Template},
};
use elenchus_wire::{Mark, Side, message::write_result};

use crate::{
    answers,
    instance::{Gap, Instance, RacePlan, Stopped},
    json, params,
    stage::{FencePolicy, Stage, error_line, plan::FIRST, vars::Variable},
    wires::Exit,
};

/// Why a script goes no further.
enum Halt {
    NotStarted(String),
    Failed(String),
}

impl From<String> for Halt {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

impl From<&str> for Halt {
    fn from(reason: &str) -> Self {
        Self::Failed(reason.to_owned())
    }
}

type Outcome = Result<(), Halt>;

/// A text of so many bytes: words, so that nobody takes it for noise, and nothing that JSON has to escape.
fn filler(size: usize) -> String {
    "words and more words and "
        .chars()
        .cycle()
        .take(size)
        .collect()
}

/// Whether the script goes on behind a step that cannot be done, when so many were before it.
pub(crate) type GoesOn<'g> = &'g dyn Fn(&Step, usize) -> bool;

/// How far a script was performed.
pub(crate) struct Played {
    /// Why it stopped before its end, if it did.
    pub(crate) stopped: Option<Stopped>,
    /// The lines of steps that could not be done, and behind which it went on all the same.
    pub(crate) passed_over: Vec<u32>,
}

/// Performs all steps. Where one cannot be done the script stops, unless it `goes_on` behind such a step.
pub(crate) fn play(stage: &mut Stage<'_>, instance: &Instance<'_>, goes_on: GoesOn<'_>) -> Played {
    let mut passed_over = Vec::new();
    let stopped = play_until(stage, instance, goes_on, &mut passed_over);
    Played {
        stopped,
        passed_over,
    }
}

fn play_until(
    stage: &mut Stage<'_>,
    instance: &Instance<'_>,
    goes_on: GoesOn<'_>,
    passed_over: &mut Vec<u32>,
) -> Option<Stopped> {
    let cwd = json::quote(&stage.cwd());
    let canary = json::quote(&stage.book.canary);
    let given = [
        ("cwd", cwd),
        ("canary", canary),
        ("version", instance.version.number().to_string()),
    ];
    for (name, text) in given {
        stage.book.vars.set(name, Variable::Text(text));
    }
    if stage.book.us == Side::Server {
        let session = Variable::Text(answers::FIRST_SESSION.to_owned());
        stage.book.vars.set("session", session);
    }
    // A site that nobody visits and a folder that nobody enters cost nothing.
    let script = instance.script.to_string();
    let mentioned = |name: &str| {
        ["$", "${"]
            .iter()
            .any(|sign| script.contains(&format!("{sign}{name}")))
    };
    if mentioned("site")
        && let Some(site) = stage.site()
    {
        let site = Variable::Text(json::quote(&site));
        stage.book.vars.set("site", site);
    }
    if mentioned("elsewhere") {
        match stage.elsewhere() {
            Ok(folder) => {
                let folder = Variable::Text(json::quote(&folder));
                stage.book.vars.set("elsewhere", folder);
            }
            Err(reason) => return Some(Stopped::NotStarted(reason)),
        }
    }
    for (name, text) in &instance.bindings {
        stage.book.vars.set(name, Variable::Text(text.clone()));
    }
    let mut player = Player {
        stage,
        instance,
        name: FIRST.to_owned(),
        race: instance.race.as_ref(),
        racing: false,
    };
    for (position, step) in instance.script.steps.iter().enumerate() {
        player.stage.book.plan.position = position;
        let deadlines = player.stage.deadlines;
        if let Err(halt) = player.step(step) {
            let waited = player.stage.deadlines > deadlines;
            if player.may_go_on(step, waited) && goes_on(step, passed_over.len()) {
                passed_over.push(step.line);
                continue;
            }
            let (reason, stopped) = match halt {
                Halt::NotStarted(reason) => (reason.clone(), Stopped::NotStarted(reason)),
                Halt::Failed(reason) => (
                    reason.clone(),
                    Stopped::Step {
                        line: step.line,
                        reason,
                    },
                ),
            };
            let conn = player.conn();
            player.stage.mark(conn, Mark::Stopped { reason });
            // Nothing that the script still wanted will be done.
            player.stage.book.plan.position = usize::MAX;
            return Some(stopped);
        }
    }
    player.stage.book.plan.position = usize::MAX;
    None
}

struct Player<'p, 's> {
    stage: &'p mut Stage<'s>,
    instance: &'p Instance<'p>,
    /// The connection that steps act on.
    name: String,
    /// The plan of the script's race, until it is run.
    race: Option<&'p RacePlan>,
    /// The arms of the race are being written: nothing may wait.
    racing: bool,
}

impl Player<'_, '_> {
    fn conn(&self) -> Option<usize> {
        self.stage.book.names.get(&self.name).copied()
    }

    /// A later step may still be done. Who owes what this one has waited for is not asked for more: only a message that is
    /// expected may have had no reason to come.
    fn may_go_on(&self, step: &Step, waited: bool) -> bool {
        let expects = matches!(step.kind, StepKind::Expect { .. });
        (expects || !waited) && self.reachable().is_ok()
    }

    /// The current connection, with a target that can still be talked to, and no line begun.
    fn live(&self) -> Result<usize, Halt> {
        let conn = self.reachable()?;
        self.between_lines(conn)?;
        Ok(conn)
    }

    fn between_lines(&self, conn: usize) -> Outcome {
        if self.stage.conn(conn).mid_line() {
            return Err("the line that `raw` began has no end yet".into());
        }
        Ok(())
    }

    /// The current connection, with a target that can still be talked to.
    fn reachable(&self) -> Result<usize, Halt> {
        let conn = self
            .conn()
            .ok_or_else(|| format!("connection {} is not open", self.name))?;
        if self.stage.over() {
            return Err(self.stage.why_over().into());
        }
        if self.stage.conn(conn).closed {
            return Err(format!("connection {} is closed", self.name).into());
        }
        if self.stage.conn(conn).gone() {
            return Err(self.stage.how_gone(conn).into());
        }
        Ok(conn)
    }

    fn step(&mut self, step: &Step) -> Outcome {
        let conn = self.conn();
        self.stage.mark(conn, Mark::Step { line: step.line });
        match &step.kind {
            StepKind::On(name) => self.name.clone_from(name),
            StepKind::Connect => {
                if self.take_over()?.is_none() {
                    self.connect()?;
                }
            }
            StepKind::Open(advertise) => self.open(advertise)?,
            // The trace has a copy of what another script said.
            StepKind::Initialize { .. } if self.taken_over() => {}
            StepKind::Initialize { advertise, patch } => {
                let conn = if self.conn().is_none() {
                    self.connect()?
                } else {
                    self.live()?
                };
                self.initialize(conn, advertise, patch.as_ref())?;
            }
            StepKind::Session { patch, name } => self.session(patch.as_ref(), name)?,
            StepKind::Prompt { session, text } => {
                let conn = self.live()?;
                let text = self.stage.book.render_text(text, Some(conn))?;
                let session = self.session_id(session, conn)?;
                self.stage.prompt(conn, &session, &text)?;
            }
            StepKind::Request {
                method,
                params,
                id,
                name,
            } => {
                let conn = self.live()?;
                let params = self.rendered(params.as_ref(), conn)?;
                let id = self.rendered(id.as_ref(), conn)?;
                // Arms of a race do not wait.
                if self.stage.book.us == Side::Client
                    && method.starts_with("session/")
                    && !self.racing
                    && self.stage.initialized(conn)
                {
                    self.stage.sign_in(conn)?;
                }
                let place = self.stage.request(conn, method, params.as_deref(), id);
                if let Some(name) = name {
                    self.stage.book.vars.set(name, Variable::Ours(conn, place));
                }
            }
            StepKind::Await(name) => match self.stage.book.vars.get(name) {
                Some(&Variable::Ours(conn, place)) => self.stage.await_answer(conn, place)?,
                _ => return Err(format!("no request of ours is named {name}").into()),
            },
            StepKind::Notify { method, params } => {
                let conn = self.live()?;
                let params = self.rendered(params.as_ref(), conn)?;
                self.stage.notify(conn, method, params.as_deref());
            }
            StepKind::Expect { method, name } => self.expect(method, name.as_deref())?,
            StepKind::Answer { name, result } => {
                let (conn, place, id) = self.question(name)?;
                let result = self.stage.book.render(result, Some(conn))?;
                let method = self.stage.conn(conn).theirs[place].method.clone();
                let grown = self.stage.grown(conn, &method, Part::Result, &result);
                let result = grown.unwrap_or(result);
                self.stage.answer(conn, place, &write_result(&id, &result));
            }
            StepKind::Refuse { name, error } => {
                let (conn, place, id) = self.question(name)?;
                let error = self.stage.book.render(error, Some(conn))?;
                self.stage.answer(conn, place, &error_line(&id, &error));
            }
            StepKind::Respond { id, result } => {
                let conn = self.live()?;
                let id = self.stage.book.render(id, Some(conn))?;
                let result = self.stage.book.render(result, Some(conn))?;
                self.stage.respond(conn, &id, &write_result(&id, &result));
            }
            StepKind::Fill { name, how } => self.fill(name, how)?,
            StepKind::Visit { name, typing } => self.visit(name, *typing)?,
            StepKind::Raw(bytes) => {
                let conn = self.reachable()?;
                self.stage.send_raw(conn, bytes);
            }
            StepKind::TurnEnds { session } => self.turn_ends(session)?,
            StepKind::Settle => {
                let conn = self.live()?;
                self.stage.settle(conn, FencePolicy::Owed);
            }
            StepKind::CallAnnounced => self.call_announced()?,
            StepKind::Race { arms, .. } => self.race(arms)?,
            StepKind::Close => {
                let conn = self
                    .conn()
                    .ok_or_else(|| format!("connection {} is not open", self.name))?;
                if self.racing {
                    self.stage.close_ours(conn);
                } else {
                    self.stage.see_out(&[conn], self.is_last());
                }
            }
            StepKind::Exit(how) => {
                let conn = self.reachable()?;
                self.stage.end_ours(conn, Exit::from(*how));
                self.stage.see_out(&[conn], self.is_last());
            }
            StepKind::Terminate => {
                let conn = self.reachable()?;
                self.stage.terminate(conn);
            }
            StepKind::Text { size, name } => {
                let size = self.size(size)?;
                let text = json::quote(&filler(size));
                self.stage.book.vars.set(name, Variable::Text(text));
            }
            StepKind::Pieces(size) => {
                let conn = self.reachable()?;
                self.stage.book.conns[conn].longest_write = Some(self.size(size)?);
            }
            StepKind::Grow { with, place } => {
                let conn = self.reachable()?;
                let with = match with {
                    Growth::Members => shapes::Growth::Members,
                    Growth::Meta => shapes::Growth::Meta,
                    Growth::NoMeta => shapes::Growth::NoMeta,
                    Growth::Nulls => shapes::Growth::Nulls,
                };
                let place = place.as_ref().map(|place| self.size(place)).transpose()?;
                self.stage.book.conns[conn].growth = Some((with, place));
            }
            StepKind::Welcome { patch } => self.welcome(patch.as_ref())?,
            StepKind::Serve { patch } => self.serve(patch.as_ref())?,
            StepKind::Update(update) => self.update(update)?,
            StepKind::Ask {
                question,
                patch,
                name,
            } => self.ask(question, patch.as_ref(), name.as_deref())?,
            StepKind::EndTurn(reason) => self.end_turn(reason.as_ref())?,
            StepKind::NextTurn => {
                let conn = self.live()?;
                self.stage.next_turn(conn)?;
            }
        }
        if self.stage.over() {
            Err(self.stage.why_over().into())
        } else {
            Ok(())
        }
    }

    /// No step follows the one at hand.
    fn is_last(&self) -> bool {
        self.stage.book.plan.position + 1 == self.instance.script.steps.len()
    }

    fn rendered(&self, template: Option<&Template>, conn: usize) -> Result<Option<String>, Halt> {
        Ok(template
            .map(|template| self.stage.book.render(template, Some(conn)))
            .transpose()?)
    }

    fn size(&self, template: &Template) -> Result<usize, Halt> {
        let text = self.stage.book.render(template, self.conn())?;
        let size = text.parse::<u64>().ok().filter(|&size| size <= MAX_SIZE);
        let size = size.and_then(|size| usize::try_from(size).ok());
        Ok(size.ok_or_else(|| format!("{text} is no number of bytes"))?)
    }

    fn session_id(&self, name: &str, conn: usize) -> Result<String, Halt> {
        Ok(self
            .stage
            .book
            .variable(name, Some(conn))
            .ok_or_else(|| format!("there is no session ${name}"))?)
    }

    fn connect(&mut self) -> Result<usize, Halt> {
        if self.conn().is_some_and(|conn| self.stage.conn(conn).live()) {
            return Err(format!("connection {} is open already", self.name).into());
        }
        let told = self.told()?;
        let conn = self.stage.connect(&told).map_err(Halt::NotStarted)?;
        if self.stage.book.us == Side::Server {
            return Ok(self.stage.await_client(conn, &self.name, &told)?);
        }
        self.stage.book.names.insert(self.name.clone(), conn);
        Ok(conn)
    }

    /// Goes on with a process that other scripts have left, if there is one; the connection comes back.
    fn take_over(&mut self) -> Result<Option<usize>, Halt> {
        let Some(warm) = self.stage.warm.take() else {
            return Ok(None);
        };
        let conn = self.stage.take_over(warm).map_err(Halt::NotStarted)?;
        self.stage.book.names.insert(self.name.clone(), conn);
        Ok(Some(conn))
    }

    /// The step at hand ends the opening of a connection that has been taken over, and so is open.
    fn taken_over(&self) -> bool {
        self.stage.served > 0
            && self.stage.book.plan.position == 1
            && self.instance.script.steps[0].kind == StepKind::Connect
    }

    fn open(&mut self, advertise: &Advertise) -> Outcome {
        let (conn, opened) = if let Some(conn) = self.take_over()? {
            (conn, self.new_session(None, "session"))
        } else {
            let conn = self.connect()?;
            (conn, self.open_on(conn, advertise))
        };
        self.note_session(Some(conn), &opened);
        opened
    }

    /// Notes why there is no session where there has to be one.
    fn note_session(&mut self, conn: Option<usize>, outcome: &Outcome) {
        if let Err(Halt::Failed(reason) | Halt::NotStarted(reason)) = outcome {
            self.stage.no_session(conn, reason);
        }
    }

    fn open_on(&mut self, conn: usize, advertise: &Advertise) -> Outcome {
        let place = self.initialize(conn, advertise, None)?;
        self.stage.agreed(conn, place)?;
        self.new_session(None, "session")
    }

    /// Initializes and waits for any answer; the request's place comes back.
    fn initialize(
        &mut self,
        conn: usize,
        advertise: &Advertise,
        patch: Option<&Template>,
    ) -> Result<usize, Halt> {
        let mut params = self.stage.initialize_params(conn, advertise)?;
        if let Some(patch) = self.rendered(patch, conn)? {
            params = json::merge(&params, &patch);
        }
        let place = self.stage.request(conn, "initialize", Some(&params), None);
        self.stage.await_answer(conn, place)?;
        Ok(place)
    }

    fn session(&mut self, patch: Option<&Template>, name: &str) -> Outcome {
        let outcome = self.new_session(patch, name);
        // What a patch makes of the request, a target may refuse.
        if patch.is_none() {
            self.note_session(self.conn(), &outcome);
        }
        outcome
    }

    fn new_session(&mut self, patch: Option<&Template>, name: &str) -> Outcome {
        let conn = self.live()?;
        let mut params = params::new_session(self.instance.version, &self.stage.cwd());
        if let Some(patch) = self.rendered(patch, conn)? {
            params = json::merge(&params, &patch);
        }
        let id = self.stage.new_session(conn, &params)?;
        self.stage.name_session(conn, name, id);
        Ok(())
    }

    /// The message of the target with this name: connection, place, id.
    fn question(&self, name: &str) -> Result<(usize, usize, String), Halt> {
        let Some(&Variable::Theirs(conn, place)) = self.stage.book.vars.get(name) else {
            return Err(format!("no message of the target is named {name}").into());
        };
        if !self.stage.conn(conn).live() {
            return Err("the target that asked is gone".into());
        }
        self.between_lines(conn)?;
        let id = self.stage.conn(conn).theirs[place].id.clone();
        Ok((
            conn,
            place,
            id.ok_or_else(|| format!("{name} is a notification and has no answer"))?,
        ))
    }

    fn fill(&mut self, name: &str, how: &Fill) -> Outcome {
        let (conn, place, id) = self.question(name)?;
        let result = self.stage.book.filled(conn, place, how)?;
        self.stage.answer(conn, place, &write_result(&id, &result));
        Ok(())
    }

    fn visit(&mut self, name: &str, typing: bool) -> Outcome {
        let (conn, place, request) = self.question(name)?;
        let event = self.stage.conn(conn).theirs[place].event;
        let message = self.stage.book.recorder.message(event);
        let url = message.and_then(|message| json::string_at(message.params?, &["url"]));
        let url = url.ok_or_else(|| format!("{name} has no url"))?;
        // A page is no part of a write: what stands before the visit in a race leaves before it.
        self.stage.release_on(conn);
        self.stage.visit(conn, &request, &url, typing);
        if self.racing {
            Ok(())
        } else {
            Ok(self.stage.await_page(conn)?)
        }
    }

    fn race(&mut self, arms: &[Step]) -> Outcome {
        // A race that no plan is for is run as written.
        let (order, gap) = match self.race.take() {
            Some(plan) => (plan.order.clone(), plan.gap),
            None => ((0..).take(arms.len()).collect(), Gap::BackToBack),
        };
        let conn = self.conn();
        let latency = conn.map_or(Duration::ZERO, |conn| self.stage.conn(conn).latency());
        let gap = gap.time(latency);
        let micros = |gap: Duration| u64::try_from(gap.as_micros()).unwrap_or(u64::MAX);
        self.stage.mark(
            conn,
            Mark::Race {
                order: order.clone(),
                gap_us: gap.map(micros),
            },
        );
        if gap.is_none() {
            self.stage.hold();
        }
        self.racing = true;
        let mut outcome = Ok(());
        for (turn, &arm) in order.iter().enumerate() {
            if let Some(gap) = gap.filter(|gap| turn > 0 && !gap.is_zero()) {
                self.stage.wait(gap, |_| false);
            }
            if let Some(arm) = arms.get(arm as usize) {
                outcome = self.step(arm);
            }
            if outcome.is_err() {
                break;
            }
        }
        self.racing = false;
        self.stage.release();
        outcome
    }
}
