//! What the rules about a client's answers share: which question of ours is sound, what the client was told to do with
//! it, and what has become of it.

use elenchus_protocol::{
    Weight,
    acp::elicitation::{Answer, CreateFault, Scope},
    form::SchemaFault,
};
use elenchus_wire::{Id, Side};

use crate::{
    fact::{Fact, Moment},
    rule::{Says, Still, Subject, Watch, Why},
    rules::{lifecycle::made, told::param},
    world::{ANSWERS, Conn, Elicitation, Order, Request},
};

/// An elicitation that we sent to a client.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) conn: &'a Conn,
    pub(super) index: usize,
    pub(super) request: &'a Request,
    pub(super) asked: &'a Elicitation,
}

/// The elicitation that we send at this fact.
pub(super) fn asked<'a>(m: &Moment<'a>) -> Option<Question<'a>> {
    let (index, _) = m.asked()?;
    question(m.conn, index)
}

/// The elicitation that the client answers for the first time at this fact.
pub(super) fn answered<'a>(m: &Moment<'a>) -> Option<Question<'a>> {
    let (index, _) = m.answered()?;
    question(m.conn, index)
}

/// The elicitation with this index.
pub(super) fn question(conn: &Conn, index: usize) -> Option<Question<'_>> {
    let request = conn.requests.get(index)?;
    Some(Question {
        conn,
        index,
        request,
        asked: request
            .elicitation
            .as_deref()
            .filter(|_| request.from == Side::Server)?,
    })
}

/// The elicitations of a connection, in the order sent.
pub(super) fn questions(conn: &Conn) -> impl Iterator<Item = Question<'_>> {
    (0..conn.requests.len()).filter_map(|index| question(conn, index))
}

impl Question<'_> {
    /// Nothing is wrong with it but these faults, of which there is one at least; the client has everything that it
    /// needs to serve it.
    pub(super) fn only(&self, faults: &[CreateFault]) -> bool {
        self.has(faults) && self.sound_but_for(faults)
    }

    /// The same for violations of its form.
    pub(super) fn only_form(&self, faults: &[SchemaFault]) -> bool {
        let form = self.asked.create.form.as_ref();
        let found = form.is_some_and(|form| {
            let mut problems = form.problems.iter();
            problems.any(|it| it.weight == Weight::Violation && faults.contains(&it.kind))
        });
        found && self.sound_but_for_form(faults)
    }

    /// It has one of these faults.
    pub(super) fn has(&self, faults: &[CreateFault]) -> bool {
        let mut problems = self.asked.create.problems.iter();
        problems.any(|problem| faults.contains(&problem.kind))
    }

    /// Any conforming client can serve it: of an advertised mode, about a session or a request that the client knows,
    /// with a form or a URL that nothing is wrong with.
    pub(super) fn sound(&self) -> bool {
        self.sound_but_for(&[])
    }

    /// Any conforming client could serve it, if it were not for these faults.
    pub(super) fn sound_but_for(&self, faults: &[CreateFault]) -> bool {
        let scope =
            self.scope_known() || (self.asked.create.scope == Scope::Unclear && !faults.is_empty());
        scope && self.fair(faults, &[])
    }

    /// The same for faults of its form.
    pub(super) fn sound_but_for_form(&self, faults: &[SchemaFault]) -> bool {
        self.scope_known() && self.fair(&[], faults)
    }

    /// The same, if the session or the request were known.
    pub(super) fn sound_but_for_scope(&self) -> bool {
        self.fair(&[], &[])
    }

    /// Nothing is wrong with it but perhaps these, whatever it is about.
    fn fair(&self, faults: &[CreateFault], form_faults: &[SchemaFault]) -> bool {
        let create = &self.asked.create;
        let form = create.form.as_ref().map_or(&[][..], |form| &form.problems);
        let link = self.asked.link.as_ref();
        self.served()
            && self.request.well_formed
            && create.problems.iter().all(|problem| {
                problem.kind == CreateFault::ClickableUrl || faults.contains(&problem.kind)
            })
            && form
                .iter()
                .all(|problem| form_faults.contains(&problem.kind))
            && link.is_none_or(|link| link.findings.is_empty() || link.loopback)
    }

    /// The client had advertised its mode, or it has none that could be advertised.
    fn served(&self) -> bool {
        let support = self.asked.support;
        self.asked.initialized
            && self.conn.from_start
            && match self.asked.create.mode.as_deref() {
                Some("form") => support.form,
                Some("url") => support.url,
                _ => support.form || support.url,
            }
    }

    /// Its mode was not advertised, and nothing else is wrong with it.
    pub(super) fn is_unadvertised(&self) -> bool {
        let create = &self.asked.create;
        let known = matches!(create.mode.as_deref(), Some("form" | "url"));
        let form = create.form.as_ref().map_or(&[][..], |form| &form.problems);
        known
            && !self.served()
            && self.asked.initialized
            && self.conn.from_start
            && self.request.well_formed
            && create.problems.is_empty()
            && form.is_empty()
            && self.scope_known()
    }

    /// What the client had asked for when the question was sent.
    fn before(&self) -> impl Iterator<Item = &Request> {
        let earlier = self.conn.requests.iter().take(self.index);
        earlier.filter(|request| request.from == Side::Client)
    }

    /// It is about a session that is known on this connection, or a request of the client.
    pub(super) fn scope_known(&self) -> bool {
        match &self.asked.create.scope {
            Scope::Session { session, .. } => {
                let known = self.conn.sessions.get(session);
                // An agent that asks before it has told the client of the session asks too early.
                known.is_some_and(|session| session.known)
                    && self.before().any(|request| {
                        let told = request.answer().is_some_and(|it| it.seq < self.request.seq);
                        param(request, "sessionId") == Some(session)
                            || told && made(request) == Some(session)
                    })
            }
            Scope::Request(id) => {
                let key = Id(id.as_str().into()).key();
                self.before().any(|request| request.key == key)
            }
            Scope::Unclear => false,
        }
    }

    /// What the client was told to do with it, where that is certain: it heeds what it is told, the question is sound,
    /// and of all before it is known whether they used up an answer.
    pub(super) fn order<'m>(&self, m: &Moment<'m>) -> Option<&'m Order> {
        let conn = m.conn;
        let others = m.world.conns.values().filter(|other| other.id != conn.id);
        let elsewhere = others.flat_map(questions).next().is_some();
        let sound = self.sound() || self.sound_but_for_form(&[SchemaFault::ForeignKeyword]);
        if !m.world.heeds(ANSWERS) || elsewhere || !sound {
            return None;
        }
        let mut used = 0;
        for earlier in questions(conn).take_while(|earlier| earlier.index < self.index) {
            match (earlier.request.answer(), earlier.sound()) {
                (Some(answer), false)
                    if answer.is_error && earlier.request.cancel_asked.is_none() => {}
                (Some(answer), true)
                    if !answer.is_error || earlier.request.cancel_asked.is_some() =>
                {
                    used += 1;
                }
                (None, true) => used += 1,
                _ => return None,
            }
        }
        Some(conn.orders.answer(used)).filter(|order| **order != Order::Unreadable)
    }

    /// The client has to answer it without any user: it heeds what it is told, and was told to answer.
    pub(super) fn is_driven(&self, m: &Moment<'_>) -> bool {
        match self.order(m) {
            Some(order) => *order != Order::Idle,
            None => m.world.heeds(ANSWERS) && m.conn.orders.never_idle(),
        }
    }

    /// Another sound question of the same mode was answered with a result on this connection: where this one is
    /// refused, something about it is the reason.
    pub(super) fn like_is_served(&self) -> bool {
        questions(self.conn).any(|other| {
            other.index != self.index
                && other.sound()
                && other.asked.create.mode == self.asked.create.mode
                && other
                    .request
                    .answer()
                    .is_some_and(|answer| !answer.is_error)
        })
    }
}

/// What has become of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// An error, with this code.
    Error(Option<i64>),
    /// The action accept.
    Accept,
    /// Decline or cancel.
    Refused,
    /// A result that is none of these.
    Odd,
    /// No answer when it was due.
    Silence,
    /// The process ended by itself, so.
    Died(String),
    /// We took it back, so that anything is right.
    Withdrawn,
}

/// What has become of the question that a watch is about, if this fact decides it.
pub(super) fn outcome(m: &Moment<'_>, watch: &Watch) -> Option<Outcome> {
    let Subject::Request(index) = watch.subject else {
        return None;
    };
    let question = question(m.conn, index)?;
    let request = question.request;
    match m.fact {
        _ if request.cancel_asked.is_some() => Some(Outcome::Withdrawn),
        Fact::Answered {
            request: at,
            nth: 1,
        } if *at == index => Some(match (request.answer(), &question.asked.answer) {
            (Some(answer), _) if answer.is_error => Outcome::Error(answer.error_code),
            (_, Some(Answer::Accept(_))) => Outcome::Accept,
            (_, Some(Answer::Decline | Answer::Cancel)) => Outcome::Refused,
            _ => Outcome::Odd,
        }),
        Fact::Deadline(_) if request.is_open() && request.overdue == Some(m.event.seq) => {
            Some(Outcome::Silence)
        }
        Fact::Exited if m.newest_is(request.seq) => m.died().map(Outcome::Died),
        _ => None,
    }
}

/// Watches the question of this fact, if it is one of these.
pub(super) fn watch(m: &Moment<'_>, says: &mut Says, of: impl Fn(&Question<'_>) -> bool) {
    if let Some(question) = asked(m).filter(of) {
        says.watch(Subject::Request(question.index));
    }
}

/// A question that is no valid one: any error is right, an accept is not, and whatever else comes proves nothing.
/// `what` completes "the client was sent".
pub(super) fn is_refused(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    match outcome(m, watch) {
        None => Still::Watching,
        Some(Outcome::Withdrawn) => Still::Moot,
        Some(Outcome::Error(_)) => Still::Upheld,
        Some(Outcome::Accept) => Still::Broken(
            Why::new(
                "an error, as -32602 (invalid params)",
                format!("the client was sent {what}, and accepted it"),
            )
            .sent(sent(m.conn, watch)),
        ),
        Some(Outcome::Refused | Outcome::Odd) => Still::Unclear(
            "a refusal does not tell whether the client took it for valid".to_owned(),
        ),
        Some(Outcome::Silence) => {
            Still::Unclear("nothing came, and a person may be looking at it".to_owned())
        }
        Some(Outcome::Died(how)) => Still::Unclear(how),
    }
}

/// A question that any client has to take: an error is wrong, if a plain one of its kind was served. `error_breaks` is
/// false where texts disagree. `what` completes "the client was sent".
pub(super) fn is_taken(m: &Moment<'_>, watch: &Watch, what: &str, error_breaks: bool) -> Still {
    let broken = |did: &str| {
        Still::Broken(
            Why::new(
                "the answer that any form or URL of that mode gets",
                format!("the client was sent {what}, and {did}"),
            )
            .sent(sent(m.conn, watch)),
        )
    };
    let served = match watch.subject {
        Subject::Request(index) => {
            question(m.conn, index).is_some_and(|question| question.like_is_served())
        }
        _ => false,
    };
    match outcome(m, watch) {
        None => Still::Watching,
        Some(Outcome::Withdrawn) => Still::Moot,
        Some(Outcome::Refused) if error_breaks && disobeys(m, watch) => {
            broken("did not accept it, as it accepts plain ones")
        }
        Some(Outcome::Accept | Outcome::Refused) => Still::Upheld,
        Some(Outcome::Error(_)) if error_breaks && served => {
            broken("refused it with an error, though it serves plain ones")
        }
        Some(Outcome::Error(_)) => {
            Still::Unclear("an error, and no text says that it is wrong".to_owned())
        }
        Some(Outcome::Odd) => Still::Unclear("the answer cannot be read".to_owned()),
        Some(Outcome::Silence) if is_driven(m, watch) && served => broken("never answered it"),
        Some(Outcome::Silence) => {
            Still::Unclear("nothing came, and a person may be looking at it".to_owned())
        }
        Some(Outcome::Died(how)) => broken(&how),
    }
}

/// The client was told to accept the question of a watch, with values that fit, and accepted a plain one.
fn disobeys(m: &Moment<'_>, watch: &Watch) -> bool {
    let Subject::Request(index) = watch.subject else {
        return false;
    };
    let Some(question) = question(m.conn, index) else {
        return false;
    };
    let form = question.asked.create.form.as_ref();
    let can_accept = match question.order(m) {
        Some(Order::Accept(Some(content))) => {
            form.is_none_or(|form| form.check(Some(content), m.conn.version()).is_empty())
        }
        Some(Order::Accept(None)) => form.is_none_or(|form| form.valid("x").is_some()),
        _ => false,
    };
    let plain = questions(m.conn).any(|other| {
        other.index != index
            && other.sound()
            && other.asked.create.mode == question.asked.create.mode
            && matches!(other.asked.answer, Some(Answer::Accept(_)))
    });
    can_accept && plain
}

/// The client has to answer the question of a watch without any user.
pub(super) fn is_driven(m: &Moment<'_>, watch: &Watch) -> bool {
    match watch.subject {
        Subject::Request(index) => {
            question(m.conn, index).is_some_and(|question| question.is_driven(m))
        }
        _ => false,
    }
}

/// The question of a watch, as sent.
pub(super) fn sent(conn: &Conn, watch: &Watch) -> String {
    match watch.subject {
        Subject::Request(index) => conn.requests[index].text.clone(),
        _ => String::new(),
    }
}
