//! The engine: folds the trace, asks every rule at every fact, and keeps the watches.
//!
//! Exercised counts, pending obligations and evidence come from here, not from rules.

use elenchus_protocol::Version;
use elenchus_suites::Catalogue;
use elenchus_wire::{Event, Side, event::Asked, trace::Trace};

use crate::{
    fact::{Fact, Moment},
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
        rules,
        world: World::new(version),
        watches: Vec::new(),
        judgement: Judgement::default(),
    };
    let mut facts = Vec::new();
    for event in &trace.events {
        bench.world.apply(event, &mut facts);
        for fact in facts.drain(..) {
            bench.hear(event, &fact);
        }
    }
    bench.adjourn();
    bench.judgement.heard = bench.world.conns.values().any(|conn| conn.heard);
    bench.judgement.not_applicable = not_applicable(&bench.world, catalogue);
    bench.judgement
}

struct Bench {
    side: Side,
    rules: &'static [Rule],
    world: World,
    watches: Vec<Watch>,
    judgement: Judgement,
}

impl Bench {
    /// One fact: first the open watches, then every rule.
    fn hear(&mut self, event: &Event, fact: &Fact) {
        let Some(conn) = self.world.conns.get(&event.conn) else {
            return;
        };
        let moment = Moment {
            world: &self.world,
            conn,
            fact,
            event,
            judged: self.side,
        };
        let mut closed = Vec::new();
        self.watches.retain(|watch| {
            // Premises and ends concern all connections; everything else only its own.
            if watch.conn != event.conn && !matches!(fact, Fact::Ended) {
                return true;
            }
            let Some(conn) = moment.world.conns.get(&watch.conn) else {
                return true;
            };
            let moment = Moment { conn, ..moment };
            let rule = &self.rules[watch.rule];
            let still = match (rule.still)(&moment, watch) {
                Still::Watching => by_shape(rule, &moment, watch),
                decided => decided,
            };
            if still == Still::Watching {
                return true;
            }
            closed.push((watch.rule, watch.opened, still));
            false
        });
        let mut opened = Vec::new();
        let mut said = Vec::new();
        for (number, rule) in self.rules.iter().enumerate() {
            if !rule.binds.contains(&self.side) {
                continue;
            }
            let mut says = Says::default();
            (rule.look)(&moment, &mut says);
            if !says.is_silent() {
                opened.extend(says.watches.drain(..).map(|(conn, subject, memo)| Watch {
                    rule: number,
                    conn: conn.unwrap_or(event.conn),
                    opened: event.seq,
                    subject,
                    memo,
                }));
                said.push((number, says));
            }
        }
        let sent = conn.last_sent.clone();
        let got = text::frame_of(event);
        for (number, opened, still) in closed {
            let tally = self
                .judgement
                .tallies
                .entry(self.rules[number].id)
                .or_default();
            match still {
                Still::Upheld => tally.upheld += 1,
                Still::Unclear(reason) => once(&mut tally.unclear, reason),
                Still::Broken(why) => breach(tally, event.seq, Some(opened), why, &sent, &got),
                Still::Watching | Still::Moot => {}
            }
        }
        for (number, says) in said {
            let tally = self
                .judgement
                .tallies
                .entry(self.rules[number].id)
                .or_default();
            tally.upheld += says.upheld;
            says.unclear
                .into_iter()
                .for_each(|reason| once(&mut tally.unclear, reason));
            says.notes
                .into_iter()
                .for_each(|note| once(&mut tally.notes, note));
            for why in says.broken {
                breach(tally, event.seq, None, why, &sent, &got);
            }
        }
        self.watches.append(&mut opened);
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
    match rule.shape {
        Shape::Check => Still::Watching,
        Shape::Ban => match moment.fact {
            Fact::Settled if subject_over(moment.conn, watch.subject) => Still::Upheld,
            Fact::Exited
                if moment
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
        (Wait::Answer { id }, Subject::Request(request)) => conn
            .requests
            .get(request)
            .is_some_and(|request| request.id.text() == id && request.is_open()),
        (Wait::TurnEnd { id }, Subject::Turn(turn)) => conn
            .turns
            .get(turn)
            .is_some_and(|turn| conn.requests[turn.request].id.text() == id),
        _ => false,
    }
}

fn once(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) && list.len() < Tally::MAX_BREACHES {
        list.push(text);
    }
}

fn breach(tally: &mut Tally, event: u64, opened: Option<u64>, why: Why, sent: &str, got: &str) {
    if tally.breaches.len() < Tally::MAX_BREACHES {
        tally.breaches.push(Breach {
            event,
            opened,
            sent: why.sent.unwrap_or_else(|| sent.to_owned()),
            got: why.got.unwrap_or_else(|| got.to_owned()),
            expected: why.expected,
            why: why.why,
        });
    }
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
