//! The engine: folds the trace, asks every rule at every fact, and keeps the watches.
//!
//! Exercised counts, pending obligations and evidence come from here, not from rules.

use elenchus_protocol::Version;
use elenchus_suites::Catalogue;
use elenchus_wire::{Event, EventKind, Side, event::Asked, trace::Trace};

use crate::{
    fact::{Checked, Fact, Moment},
    judgement::{Breach, Judgement, Tally},
    rule::{Rule, Says, Shape, Still, Subject, Watch, Why},
    text,
    world::{Conn, World},
};

pub(crate) fn run(
    trace: &Trace,
    side: Side,
    rules: &'static [Rule],
    catalogue: &Catalogue,
) -> Judgement {
    let version = trace.header.protocol.parse().unwrap_or(Version::AcpV1);
    let mut bench = Bench {
        side,
        rules: rules
            .iter()
            .filter(|rule| rule.binds.contains(&side))
            .collect(),
        open: Vec::new(),
        world: World::new(version),
        watches: Vec::new(),
        judgement: Judgement::default(),
    };
    bench.open = vec![0; bench.rules.len()];
    let mut facts = Vec::new();
    for (position, event) in trace.events.iter().enumerate() {
        bench.world.apply(event, &mut facts);
        for fact in facts.drain(..) {
            bench.hear(&trace.events[..=position], event, &fact);
        }
    }
    bench.adjourn();
    bench.judgement.heard = bench.world.conns.values().any(|conn| conn.heard);
    bench.judgement.not_applicable = not_applicable(&bench.world, catalogue);
    bench.judgement
}

struct Bench {
    side: Side,
    /// The rules that bind this side, and how many watches each has open.
    rules: Vec<&'static Rule>,
    open: Vec<usize>,
    world: World,
    watches: Vec<Watch>,
    judgement: Judgement,
}

/// The most watches that a rule has open at a time. No conversation comes near; a flood would make each of its facts
/// dearer than the one before.
const MAX_OPEN: usize = 256;

impl Bench {
    /// One fact: first the open watches, then every rule. `story` is the trace up to the event behind it.
    fn hear(&mut self, story: &[Event], event: &Event, fact: &Fact) {
        let Self {
            side,
            rules,
            open,
            world,
            watches,
            judgement,
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
            checked: &checked,
        };
        let is_line = matches!(fact, Fact::Line(_) | Fact::Defect(..));
        watches.retain(|watch| {
            if is_line {
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
            let rule = rules[watch.rule];
            let still = match (rule.still)(&moment, watch) {
                Still::Watching => by_shape(rule, &moment, watch),
                decided => decided,
            };
            if still == Still::Watching {
                return true;
            }
            open[watch.rule] -= 1;
            let tally = judgement.tallies.entry(rule.id).or_default();
            match still {
                Still::Upheld => tally.upheld += 1,
                Still::Unclear(reason) => once(&mut tally.unclear, reason),
                Still::Lost(reason) => {
                    tally.lost += 1;
                    once(&mut tally.unclear, reason);
                }
                Still::Broken(why) => breach(tally, story, conn, Some(watch.opened), why),
                Still::Watching | Still::Moot => {}
            }
            false
        });
        let mut says = Says::default();
        for (number, rule) in rules.iter().enumerate() {
            if is_line && !rule.lines {
                continue;
            }
            (rule.look)(&moment, &mut says);
            if says.is_silent() {
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
            let tally = judgement.tallies.entry(rule.id).or_default();
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
            for why in said.broken {
                breach(tally, story, conn, None, why);
            }
        }
    }

    /// What is still open when the trace stops was never decided: a cut trace, a foreign one, a race that was lost.
    fn adjourn(&mut self) {
        for watch in self.watches.drain(..) {
            let tally = self
                .judgement
                .tallies
                .entry(self.rules[watch.rule].id)
                .or_default();
            once(
                &mut tally.unclear,
                "the trace ended before it could be decided".to_owned(),
            );
        }
    }
}

impl Says {
    fn is_silent(&self) -> bool {
        self.upheld == 0
            && self.unclear.is_empty()
            && self.notes.is_empty()
            && self.broken.is_empty()
            && self.watches.is_empty()
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

/// The rows whose needed methods no connection of the target announced, though one was initialized.
fn not_applicable(world: &World, catalogue: &Catalogue) -> Vec<String> {
    let announced: Vec<&str> = world
        .conns
        .values()
        .filter_map(|conn| conn.init.features.as_ref())
        .flat_map(|features| features.announced.iter().copied())
        .collect();
    if world
        .conns
        .values()
        .all(|conn| conn.init.features.is_none())
    {
        return Vec::new();
    }
    catalogue
        .requirements
        .values()
        .filter(|row| {
            row.needs
                .iter()
                .any(|need| !announced.contains(&need.as_str()))
        })
        .map(|row| row.id.clone())
        .collect()
}
