//! What a frame that is hard to read, or no message at all, must not do to a connection.
//!
//! The cause has to be certain: our side behaved on the connection before, and since the frame has sent nothing but
//! fences and probes. An answer to any of them shows that the agent reads on.

use elenchus_wire::{Class, Side, event::Asked};

use super::{jsonrpc::needs_nobody, stray::Stray};
use crate::{
    fact::{Fact, Moment},
    rule::{Says, Still, Subject, Watch, Why},
    world::{Conn, Odd, OddKind},
};

/// The odd frame of our side at this fact, if it is of this kind and can be held apart from others.
pub(super) fn odd<'a>(m: &Moment<'a>, kind: OddKind) -> Option<&'a Odd> {
    let here = matches!(m.fact, Fact::Line(side) if *side != m.judged);
    let odd = m.conn.odd.as_ref()?;
    (here && odd.seq == m.event.seq && odd.kind == kind && odd.alone && m.conn.initialized())
        .then_some(odd)
}

/// Opens a watch on what becomes of the connection after an odd frame.
pub(super) fn watch(m: &Moment<'_>, says: &mut Says, kind: OddKind) {
    if odd(m, kind).is_some() {
        says.watch(Subject::Connection);
    }
}

/// What has become of a connection on which something odd was sent; `what` says what, as the begin of a sentence. A
/// client that ends in order may have chosen to leave.
pub(super) fn survives(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    goes_on(m, watch, what, true)
}

/// The same where the judged side has no reason to leave: all that was sent was in order. Where nobody performs a script,
/// a client may have reasons that no wire shows: its user, or a limit of time.
pub(super) fn stays(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    goes_on(m, watch, what, m.world.overheard)
}

fn goes_on(m: &Moment<'_>, watch: &Watch, what: &str, may_leave: bool) -> Still {
    let since = watch.opened;
    let broken = |how: &str| {
        Still::Broken(
            Why::new("a connection that goes on", format!("{what}, and {how}")).got(how.to_owned()),
        )
    };
    match m.fact {
        Fact::Answered { request, nth: 1 } => {
            let request = &m.conn.requests[*request];
            if request.from != m.judged && request.seq > since && request.well_formed {
                Still::Upheld
            } else {
                Still::Watching
            }
        }
        Fact::Exited if !only_probes_since(m.conn, since) => Still::Unclear(format!(
            "{what}, then other messages were sent, and the connection ended"
        )),
        Fact::Exited => match m.died() {
            Some(how) => broken(&how),
            None if closed_first(m) && m.judged == Side::Server => {
                broken("the agent closed its stdout")
            }
            None if closed_first(m) && !may_leave && m.under_test() && m.conn.client_is_busy() => {
                broken("the client left in the middle of its turn")
            }
            None => Still::Unclear(format!(
                "the connection was ended before {} read on",
                m.who()
            )),
        },
        Fact::Deadline(_) => {
            let late = m.conn.open_requests(m.judged.other()).find(|(_, request)| {
                request.seq > since
                    && request.overdue == Some(m.event.seq)
                    && needs_nobody(m.conn, request)
            });
            match late {
                Some(_) if certain(m.conn, since) => broken("nothing was answered any more"),
                Some(_) => Still::Unclear(format!("{what}, and {} may be at work", m.who())),
                None => Still::Watching,
            }
        }
        _ => Still::Watching,
    }
}

/// The judged side closed its direction before we closed ours. Where we never did, a signal of ours may be the reason.
fn closed_first(m: &Moment<'_>) -> bool {
    let closed = |side| m.conn.closed.get(&side).copied();
    let exit = m.conn.exit.as_ref();
    let signalled = exit.is_some_and(|exit| matches!(exit.asked, Asked::Terminate | Asked::Kill));
    closed(m.judged).is_some_and(|at| closed(m.judged.other()).map_or(!signalled, |ours| at < ours))
}

/// Nothing of ours came after this event but what any agent answers or ignores.
fn only_probes_since(conn: &Conn, since: u64) -> bool {
    let ours = conn.target.other();
    let odd_since = conn.odd.as_ref().is_some_and(|odd| odd.seq > since);
    let requests = conn
        .requests
        .iter()
        .rev()
        .take_while(|request| request.seq > since);
    !odd_since
        && requests
            .filter(|request| request.from == ours)
            .all(|request| request.fence || request.method.starts_with('_'))
        && !conn
            .notifications
            .iter()
            .any(|notification| notification.from == ours && notification.seq > since)
        && !conn
            .orphans
            .iter()
            .any(|orphan| orphan.from == ours && orphan.seq > since)
}

/// The target has nothing to do but to answer what was sent after this event. A client answers while its turn goes on.
fn certain(conn: &Conn, since: u64) -> bool {
    only_probes_since(conn, since)
        && !conn.target_waits_for_us()
        && (conn.target == Side::Client || conn.turns.iter().all(|turn| turn.ended.is_some()))
        && conn
            .open_requests(conn.target.other())
            .all(|(_, request)| request.seq >= since)
}

/// The newest odd frame, if a response of the judged side at this fact answers nothing else and so may be for it: the
/// id of that response, its error code, and whether it is a result.
pub(super) fn answer_to_odd<'a>(m: &Moment<'a>, kind: OddKind) -> Option<OddAnswer<'a>> {
    let odd = m
        .conn
        .odd
        .as_ref()
        .filter(|odd| odd.kind == kind && odd.alone && m.conn.unsound == Some(odd.seq))?;
    // Once the agent has settled, nothing is for it any more; and a stray response may have drawn this one.
    let over = m.conn.settled > Some(odd.seq);
    if over || m.conn.strayed || !m.conn.initialized() {
        return None;
    }
    match m.fact {
        Fact::Orphan(index) => {
            let orphan = &m.conn.orphans[*index];
            (orphan.from == m.judged && orphan.near.is_none()).then_some(OddAnswer {
                odd,
                id: orphan.id.as_deref(),
                code: orphan.error_code.filter(|_| orphan.is_error),
                result: !orphan.is_error,
            })
        }
        Fact::Answered { request, nth } if *nth > 1 => {
            let request = &m.conn.requests[*request];
            let answer = request.answers.last()?;
            (request.from != m.judged).then_some(OddAnswer {
                odd,
                id: Some(&answer.id),
                code: answer.error_code,
                result: !answer.is_error,
            })
        }
        _ => None,
    }
}

/// A response that may be for an odd frame.
pub(super) struct OddAnswer<'a> {
    /// The frame.
    pub(super) odd: &'a Odd,
    /// The response's id as exact text.
    pub(super) id: Option<&'a str>,
    /// Its error code.
    pub(super) code: Option<i64>,
    /// It is a result.
    pub(super) result: bool,
}

impl OddAnswer<'_> {
    /// Its id is null.
    pub(super) fn nameless(&self) -> bool {
        self.id == Some("null")
    }
}

/// Upheld by silence: the agent settled, and has answered nothing to the odd frame that opened the watch.
pub(super) fn silent(m: &Moment<'_>, watch: &Watch) -> Still {
    let odd = m.conn.odd.as_ref().filter(|odd| odd.seq == watch.opened);
    match (m.fact, odd) {
        (Fact::Settled, Some(odd)) if odd.answers == 0 => Still::Upheld,
        (Fact::Settled | Fact::Exited, _) | (_, None) => Still::Moot,
        _ => Still::Watching,
    }
}

/// A response of ours that answers nothing. To an agent it counts on a connection on which that has never asked anything:
/// what it does to a question is judged by the rows on elicitation. A client always asks; there it must resemble nothing
/// that is open.
pub(super) fn stray_without_question(m: &Moment<'_>) -> bool {
    let mistakable = match (m.judged, m.fact) {
        (Side::Server, _) => m
            .conn
            .requests
            .iter()
            .any(|request| request.from == m.judged),
        (Side::Client, Fact::Orphan(index)) => m.conn.orphans[*index].near.is_some(),
        (Side::Client, _) => false,
    };
    Stray::here(m).is_some()
        && !mistakable
        && m.conn.initialized()
        && m.conn
            .line
            .as_ref()
            .is_some_and(|line| line.class == Some(Class::Response))
}
