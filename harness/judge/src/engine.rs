//! The engine: folds the trace, asks at every fact the rules that look at such facts, and keeps the watches.
//!
//! Exercised counts, pending obligations and evidence come from here, not from rules.

use std::sync::OnceLock;

use elenchus_protocol::Version;
use elenchus_suites::{Requirement, Suite};
use elenchus_wire::{Event, EventKind, Side, event::Asked};

use crate::{
    fact::{Checked, Fact, Moment},
    judgement::{Breach, Judgement, Tally},
    kinds::{self, Kind},
    rule::{Rule, Says, Shape, Still, Subject, Watch, Why},
    rules, text,
    world::{Conn, World},
};

/// The rules that bind a side, and which of them look at each kind of fact.
struct Docket {
    rules: Vec<&'static Rule>,
    at: [Vec<usize>; kinds::COUNT],
}

impl Docket {
    fn of(side: Side) -> &'static Self {
        static DOCKETS: OnceLock<[Docket; 2]> = OnceLock::new();
        let dockets = DOCKETS.get_or_init(|| [Side::Client, Side::Server].map(Self::new));
        &dockets[side as usize]
    }

    fn new(side: Side) -> Self {
        let mut docket = Self {
            rules: rules().iter().collect(),
            at: [const { Vec::new() }; kinds::COUNT],
        };
        docket.rules.retain(|rule| rule.binds.contains(&side));
        for (number, rule) in docket.rules.iter().enumerate() {
            for kind in Kind::all().filter(|kind| rule.at.has(*kind)) {
                docket.at[kind.place()].push(number);
            }
        }
        docket
    }
}

/// A conversation that is judged while it goes on.
pub struct Hearing {
    side: Side,
    docket: &'static Docket,
    /// How many watches each rule has open, and what it has found, if anything.
    open: Vec<usize>,
    tallies: Vec<Option<Box<Tally>>>,
    world: World,
    watches: Vec<Watch>,
    facts: Vec<Fact>,
    broken: bool,
}

/// The most watches that a rule has open at a time. No conversation comes near; a flood would make each of its facts
/// dearer than the one before.
const MAX_OPEN: usize = 256;

impl Hearing {
    /// Judges this side of a conversation in this version, by all rules.
    pub fn new(side: Side, version: Version) -> Self {
        let docket = Docket::of(side);
        Self {
            side,
            docket,
            open: vec![0; docket.rules.len()],
            tallies: vec![None; docket.rules.len()],
            world: World::new(version),
            watches: Vec::new(),
            facts: Vec::new(),
            broken: false,
        }
    }

    /// The conversation is one that was overheard: neither side is in our hands.
    #[must_use]
    pub fn overheard(mut self) -> Self {
        self.world.overheard = true;
        self
    }

    /// Takes the next event: the last of `story`, which is all of the conversation so far.
    pub fn hear(&mut self, story: &[Event]) {
        let Some(event) = story.last() else { return };
        let mut facts = std::mem::take(&mut self.facts);
        self.world.apply(event, &mut facts);
        for fact in facts.drain(..) {
            self.weigh(story, event, &fact);
        }
        self.facts = facts;
    }

    /// Some rule was broken up to here.
    pub fn broken(&self) -> bool {
        self.broken
    }

    /// What comes of it. What is still open when a conversation stops was never decided: a cut trace, a foreign one, a
    /// race that was lost.
    pub fn close(mut self) -> Judgement {
        let judged = self
            .world
            .conns
            .values()
            .filter(|conn| conn.target == self.side);
        if is_echo(&judged.collect::<Vec<_>>()) {
            return Judgement {
                echoed: true,
                ..Judgement::default()
            };
        }
        for watch in &self.watches {
            let tally = self.tallies[watch.rule].get_or_insert_default();
            once(
                &mut tally.unclear,
                "the trace ended before it could be decided".to_owned(),
            );
        }
        let rules = self.docket.rules.iter();
        let tallies = rules.zip(self.tallies);
        Judgement {
            tallies: tallies
                .filter_map(|(rule, tally)| Some((rule.id, *tally?)))
                .collect(),
            not_applicable: not_applicable(&self.world),
            heard: self.world.conns.values().any(|conn| conn.heard),
            echoed: false,
        }
    }

    /// One fact: first the open watches, then every rule that looks at such facts.
    fn weigh(&mut self, story: &[Event], event: &Event, fact: &Fact) {
        let Self {
            side,
            docket,
            open,
            tallies,
            world,
            watches,
            broken,
            ..
        } = self;
        let Some(conn) = world.conns.get(&event.conn) else {
            return;
        };
        let checked = Checked::default();
        let moment = Moment {
            world,
            conn,
            fact,
            event,
            judged: *side,
            update: Moment::update_in(conn, fact),
            checked: &checked,
        };
        let kind = Kind::of(fact);
        watches.retain(|watch| {
            if kind.is_line() {
                return true;
            }
            // Premises and ends concern all connections; everything else only its own.
            if watch.conn != event.conn && !matches!(fact, Fact::Ended) {
                return true;
            }
            let Some(conn) = moment.world.conns.get(&watch.conn) else {
                return true;
            };
            let moment = Moment { conn, ..moment };
            let rule = docket.rules[watch.rule];
            let still = match (rule.still)(&moment, watch) {
                Still::Watching => by_shape(rule, &moment, watch),
                decided => decided,
            };
            if still == Still::Watching {
                return true;
            }
            open[watch.rule] -= 1;
            let tally = tallies[watch.rule].get_or_insert_default();
            match still {
                Still::Upheld => tally.upheld += 1,
                Still::Unclear(reason) => once(&mut tally.unclear, reason),
                Still::Lost(reason) => {
                    tally.lost += 1;
                    once(&mut tally.unclear, reason);
                }
                Still::Broken(why) => {
                    if let Some(reason) = doubt(rule, &moment, Some(watch.subject)) {
                        once(&mut tally.unclear, reason.to_owned());
                    } else {
                        *broken = true;
                        breach(tally, story, conn, Some(watch.opened), why);
                    }
                }
                Still::Watching | Still::Moot => {}
            }
            false
        });
        let mut says = Says::default();
        for &number in &docket.at[kind.place()] {
            (docket.rules[number].look)(&moment, &mut says);
            if !says.anything {
                continue;
            }
            let said = std::mem::take(&mut says);
            let room = MAX_OPEN - open[number];
            let refused = said.watches.len() > room;
            let opened = said.watches.into_iter().take(room);
            let before = watches.len();
            watches.extend(opened.map(|(conn, subject, memo)| Watch {
                rule: number,
                conn: conn.unwrap_or(event.conn),
                opened: event.seq,
                subject,
                memo,
            }));
            open[number] += watches.len() - before;
            let tally = tallies[number].get_or_insert_default();
            tally.upheld += said.upheld;
            if refused {
                once(
                    &mut tally.unclear,
                    "too much was open at once to follow all of it".to_owned(),
                );
            }
            for reason in said.unclear {
                once(&mut tally.unclear, reason);
            }
            for note in said.notes {
                once(&mut tally.notes, note);
            }
            for mut why in said.broken {
                // An answer is told with what it answers.
                if let Some((_, request)) = moment.answered() {
                    why.sent.get_or_insert_with(|| request.text.clone());
                }
                if let Some(reason) = doubt(docket.rules[number], &moment, None) {
                    once(&mut tally.unclear, reason.to_owned());
                } else {
                    *broken = true;
                    breach(tally, story, conn, None, why);
                }
            }
        }
        if cfg!(debug_assertions) {
            docket.check(&moment, kind);
        }
    }
}

impl Docket {
    /// A rule has nothing to say at facts of a kind at which it does not look.
    fn check(&self, moment: &Moment<'_>, kind: Kind) {
        if kind.is_line() {
            return;
        }
        for rule in self.rules.iter().filter(|rule| !rule.at.has(kind)) {
            let mut says = Says::default();
            (rule.look)(moment, &mut says);
            assert!(
                !says.anything,
                "{} has something to say at {:?}, and its `at` does not name that kind",
                rule.id, moment.fact
            );
        }
    }
}

/// What the shape of a rule makes of a fact about which the rule itself says nothing.
fn by_shape(rule: &Rule, moment: &Moment<'_>, watch: &Watch) -> Still {
    let decides = matches!(
        moment.fact,
        Fact::Settled | Fact::Exited | Fact::Deadline(_)
    );
    match rule.shape {
        Shape::Check => Still::Watching,
        _ if decides && moment.world.limited => {
            Still::Unclear("not all that came was recorded".to_owned())
        }
        Shape::Ban => match moment.fact {
            Fact::Settled if subject_over(moment.conn, watch.subject) => Still::Upheld,
            Fact::Exited
                if moment.conn.client_is_done()
                    || moment
                        .conn
                        .exit
                        .as_ref()
                        .is_some_and(|exit| exit.asked == Asked::Close) =>
            {
                Still::Upheld
            }
            Fact::Exited => Still::Unclear(
                "the process had to be ended by force, or ended by itself".to_owned(),
            ),
            _ => Still::Watching,
        },
        Shape::Duty { overdue } => match moment.fact {
            Fact::Deadline(wait) if names(moment.conn, wait, watch.subject) => {
                if moment.conn.stopped {
                    Still::Unclear("the script had given up before".to_owned())
                } else if moment.conn.target_waits_for_us() {
                    Still::Watching
                } else {
                    Still::Broken(
                        Why::new(overdue, format!("it never came: {}", moment.frame()))
                            .got("nothing"),
                    )
                }
            }
            Fact::Exited => Still::Unclear(match moment.died() {
                Some(how) => format!("{how} before it was due"),
                None => "the connection was closed before it was due".to_owned(),
            }),
            _ => Still::Watching,
        },
    }
}

/// Why nothing that looks broken here is certain to be, if so: what the target says may be about something else. A line
/// is what it is, whatever it answers.
fn doubt(rule: &Rule, moment: &Moment<'_>, subject: Option<Subject>) -> Option<&'static str> {
    let conn = moment.conn;
    let of_line = matches!(
        moment.fact,
        Fact::Line(_) | Fact::Defect(..) | Fact::Noise(_) | Fact::Split { .. }
    );
    if of_line || !moment.under_test() {
        return None;
    }
    if conn.twins {
        return Some(
            "two requests were open with one id, so that no answer is certain to be for either",
        );
    }
    let turn = match (subject, moment.fact) {
        (Some(Subject::Turn(turn)), _) => Some(turn),
        (Some(Subject::Request(request)), _) => conn.requests[request].turn,
        (_, Fact::TurnEnded(turn)) => Some(*turn),
        _ => None,
    };
    // A client knows what it does with its own sessions.
    let turn = turn.filter(|_| !rule.tangles && moment.judged == Side::Server)?;
    if conn.overlaps(turn) {
        Some("another turn ran in the same session, and whose work it is, is not told")
    } else if conn.has_background(turn) {
        Some("work in the background may have told it")
    } else if conn.was_left(turn) {
        Some("the session was closed, deleted or taken up once more")
    } else {
        None
    }
}

/// A ban is upheld by a settled conversation only if what it is about is over.
fn subject_over(conn: &Conn, subject: Subject) -> bool {
    match subject {
        Subject::Turn(turn) => conn
            .turns
            .get(turn)
            .is_some_and(|turn| turn.ended.is_some()),
        Subject::Request(_) | Subject::Connection => true,
    }
}

/// The wait that ran out was for this subject.
fn names(conn: &Conn, wait: &elenchus_wire::Wait, subject: Subject) -> bool {
    use elenchus_wire::Wait;
    match (wait, subject) {
        // A wait is always for the target, so a request of the target is never meant.
        (Wait::Answer { id }, Subject::Request(request)) => {
            conn.requests.get(request).is_some_and(|request| {
                request.from != conn.target && request.id.text() == id && request.is_open()
            })
        }
        (Wait::TurnEnd { id }, Subject::Turn(turn)) => conn
            .turns
            .get(turn)
            .is_some_and(|turn| conn.requests[turn.request].id.text() == id),
        _ => false,
    }
}

/// Adds a text that is not there yet.
fn once(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) && list.len() < Tally::MAX_BREACHES {
        list.push(text);
    }
}

/// Adds a breach; unless it names another, the last event of the story is its evidence.
fn breach(tally: &mut Tally, story: &[Event], conn: &Conn, opened: Option<u64>, why: Why) {
    let Some(last) = story.last() else { return };
    if tally.breaches.len() >= Tally::MAX_BREACHES {
        return;
    }
    let event = why
        .at
        .and_then(|seq| story.iter().rev().find(|event| event.seq == seq))
        .unwrap_or(last);
    tally.breaches.push(Breach {
        event: event.seq,
        opened,
        sent: why.sent.unwrap_or_else(|| newest_of_ours(story, conn)),
        got: why.got.unwrap_or_else(|| text::frame_of(event)),
        expected: why.expected,
        why: why.why,
        stderr: Vec::new(),
    });
}

/// Our newest frame on a connection, fences passed over if there is another; empty if there is none.
fn newest_of_ours(story: &[Event], conn: &Conn) -> String {
    let ours = || {
        story.iter().rev().filter(|event| {
            event.conn == conn.id
                && matches!(event.kind, EventKind::Frame { from, .. } if from != conn.target)
        })
    };
    let is_fence = |event: &&Event| {
        let mut requests = conn.requests.iter().rev();
        requests.any(|request| request.fence && request.seq == event.seq)
    };
    ours()
        .find(|event| !is_fence(event))
        .or_else(|| ours().next())
        .map(text::frame_of)
        .unwrap_or_default()
}

/// Something came back on these connections, and nothing else came. What was sent to such a program is not its own doing.
fn is_echo(conns: &[&Conn]) -> bool {
    conns.iter().any(|conn| conn.echo.repeats) && conns.iter().all(|conn| !conn.echo.own)
}

/// The rows that apply only where the target announces a method.
fn needing() -> &'static [&'static Requirement] {
    static NEEDING: OnceLock<Vec<&'static Requirement>> = OnceLock::new();
    NEEDING.get_or_init(|| {
        let all = Suite::embedded().catalogue.requirements.values();
        all.filter(|row| !row.needs.is_empty()).collect()
    })
}

/// The rows whose needed methods no connection of the target announced, though one was initialized.
fn not_applicable(world: &World) -> Vec<String> {
    let features = || {
        let conns = world.conns.values();
        conns.filter_map(|conn| conn.init.features.as_ref())
    };
    if features().next().is_none() {
        return Vec::new();
    }
    let announced: Vec<&str> = features()
        .flat_map(|features| features.announced.iter().copied())
        .collect();
    let lacks = |need: &String| !announced.contains(&need.as_str());
    needing()
        .iter()
        .filter(|row| row.needs.iter().any(lacks))
        .map(|row| row.id.clone())
        .collect()
}
