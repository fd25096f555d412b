//! SHUTDOWN: what becomes of an agent whose client goes away.
//!
//! Time is in the trace as waits that ended in vain: one for the end after stdin was closed, one after SIGTERM. A
//! campaign that is in a hurry records neither, and then nothing is held against the agent.

use elenchus_wire::event::Asked;

use crate::{
    fact::{Fact, Moment},
    kinds::{EXITS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Why},
    world::{Conn, Exit, Request},
};

pub(super) const RULES: &[Rule] = &[
    EXITS_WHEN_IDLE.at(&[EXITS]),
    EXITS_WHEN_BUSY.at(&[EXITS]),
    HEEDS_SIGTERM.at(&[EXITS]),
    CLEAN_EXIT.at(&[EXITS]),
    NO_HALF_ANSWER.at(&[EXITS]),
    SIDE_BY_SIDE.at(&[REQUESTS]),
];

/// The end of the judged process; of one that is known to be an agent, since it has spoken on some connection.
fn exited<'a>(m: &Moment<'a>) -> Option<&'a Exit> {
    let ended = matches!(m.fact, Fact::Exited) && m.judged == m.conn.target;
    let heard = || m.world.conns.values().any(|conn| conn.heard);
    m.conn
        .exit
        .as_ref()
        .filter(|_| ended && !m.world.limited && heard())
}

/// When our side closed the agent's stdin.
fn closed(m: &Moment<'_>) -> Option<u64> {
    m.conn.closed.get(&m.judged.other()).copied()
}

/// It was sent before this event, and had no answer then.
fn open_at(request: &Request, seq: u64) -> bool {
    request.seq < seq && request.answer().is_none_or(|answer| answer.seq > seq)
}

/// A turn was under way at this event, or the agent waited for an answer of ours.
fn busy_at(conn: &Conn, seq: u64) -> bool {
    let turns = conn.turns.iter().any(|turn| {
        conn.requests[turn.request].seq < seq && turn.ended.as_ref().is_none_or(|end| end.seq > seq)
    });
    turns
        || conn
            .requests
            .iter()
            .any(|request| request.from == conn.target && open_at(request, seq))
}

/// SIGKILL ended it. On a machine that is short of time SIGTERM may end a process only after SIGKILL was sent as well, and
/// then it is SIGTERM that the process heeded.
fn killed(exit: &Exit) -> bool {
    exit.signal == Some(9)
}

/// The agent ends by itself once its stdin is closed. That it needed SIGTERM is a remark.
fn exits(m: &Moment<'_>, says: &mut Says, busy: bool) {
    let (Some(exit), Some(closed)) = (exited(m), closed(m)) else {
        return;
    };
    if busy_at(m.conn, closed) != busy {
        return;
    }
    let state = if busy {
        "while it was at work"
    } else {
        "while it was idle"
    };
    match exit.asked {
        Asked::Close => says.upheld(),
        Asked::Terminate if m.conn.lingered > 0 => says.note(format!(
            "its stdin was closed {state}, and it ended only when it was sent SIGTERM"
        )),
        Asked::Kill if killed(exit) && m.conn.lingered > 1 => says.broken(
            Why::new(
                "an end of the process soon after the end of stdin",
                format!("its stdin was closed {state}, then it was sent SIGTERM, and it had to be killed"),
            )
            .sent("the end of stdin, then SIGTERM"),
        ),
        Asked::Nothing | Asked::Terminate | Asked::Kill => {}
    }
}

/// SHUTDOWN-001: an idle agent ends when its stdin does. (transports#stdio)
const EXITS_WHEN_IDLE: Rule = Rule::check("ACP-SHUTDOWN-001", |m, says| exits(m, says, false));

/// SHUTDOWN-002: so does one in the middle of a turn, or one that waits for an answer. What it leaves running below
/// itself is ended with it and stands in no trace. (transports#stdio)
const EXITS_WHEN_BUSY: Rule = Rule::check("ACP-SHUTDOWN-002", |m, says| exits(m, says, true));

/// SHUTDOWN-003: SIGTERM ends the agent, idle or busy, its stdin open or closed. (transports#stdio)
const HEEDS_SIGTERM: Rule = Rule::check("ACP-SHUTDOWN-003", |m, says| {
    let Some(exit) = exited(m) else { return };
    // The first wait was for the end of stdin to have its effect, if that was closed at all.
    let waits = if closed(m).is_some() { 2 } else { 1 };
    match exit.asked {
        Asked::Terminate => says.upheld(),
        Asked::Kill if killed(exit) && m.conn.lingered >= waits => says.broken(
            Why::new(
                "an end of the process soon after SIGTERM",
                "it was sent SIGTERM, and had to be killed",
            )
            .sent("SIGTERM"),
        ),
        Asked::Nothing | Asked::Close | Asked::Kill => {}
    }
});

/// The last thing on stdout is no whole line. A whole response without its line end is TRANSPORT-007's.
fn half_line(m: &Moment<'_>) -> Option<u64> {
    let (seq, response) = m.conn.cut?;
    (!response).then_some(seq)
}

/// A request of ours that had no answer when we closed.
fn owed_at_close<'a>(m: &Moment<'a>, closed: u64) -> Option<&'a Request> {
    let ours = |request: &&Request| request.from != m.judged && open_at(request, closed);
    m.conn.requests.iter().rev().find(ours)
}

/// SHUTDOWN-004: an agent that ends with its stdin does so cleanly: no signal ends it, and its last line is whole. A
/// code other than 0 is a remark. (transports#stdio)
const CLEAN_EXIT: Rule = Rule::check("ACP-SHUTDOWN-004", |m, says| {
    let (Some(exit), Some(closed)) = (exited(m), closed(m)) else {
        return;
    };
    if exit.asked != Asked::Close {
        return;
    }
    let half = half_line(m).filter(|_| owed_at_close(m, closed).is_none());
    if let Some(signal) = exit.signal {
        return says.broken(
            Why::new(
                "status 0",
                format!("its stdin was closed, and the process was ended by signal {signal}, which nobody had sent"),
            )
            .sent("the end of stdin"),
        );
    }
    if let Some(code) = exit.code.filter(|code| *code != 0) {
        says.note(format!(
            "its stdin was closed, and it exited with code {code}"
        ));
    }
    match half {
        Some(half) => says.broken(
            Why::new(
                "whole lines up to the end",
                "the last line on stdout is cut off",
            )
            .sent("the end of stdin")
            .at(half),
        ),
        None => says.upheld(),
    }
});

/// SHUTDOWN-008: a request that is open when stdin ends is answered or dropped, and no line is cut. (transports#stdio)
const NO_HALF_ANSWER: Rule = Rule::check("ACP-SHUTDOWN-008", |m, says| {
    let (Some(exit), Some(closed)) = (exited(m), closed(m)) else {
        return;
    };
    let Some(request) = owed_at_close(m, closed).filter(|_| exit.asked == Asked::Close) else {
        return;
    };
    match half_line(m) {
        Some(half) => says.broken(
            Why::new(
                "a whole answer, or none",
                format!(
                    "stdin was closed behind {}, and the last line on stdout is cut off",
                    request.method
                ),
            )
            .sent(request.text.clone())
            .at(half),
        ),
        None => says.upheld(),
    }
});

/// SHUTDOWN-009: two processes of the same agent run side by side: the second opens a session as the first one did.
/// An error that asks for a login is no lock. What initialize answers is INIT-002's. (transports#stdio)
const SIDE_BY_SIDE: Rule = Rule::check_later(
    "ACP-SHUTDOWN-009",
    |m, says| {
        let Some((index, request)) = m.asked() else {
            return;
        };
        if request.method == "session/new" && request.params.is_some() && has_twin(m, request) {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        let broken = |what: &str| {
            Still::Broken(
                Why::new("a session in each of two processes", what).sent(request.text.clone()),
            )
        };
        match (request.answer(), m.fact) {
            (Some(answer), _) if answer.error_code == Some(-32000) => {
                Still::Unclear("it asks for a login".to_owned())
            }
            (Some(answer), _) if answer.is_error => broken(
                "another process of the agent opened a session with the same params, and this one refused",
            ),
            (Some(_), _) => Still::Upheld,
            (None, Fact::Exited | Fact::Ended) => {
                Still::Unclear("session/new was not answered".to_owned())
            }
            (None, Fact::Deadline(_)) if request.overdue == Some(m.event.seq) => broken(
                "another process of the agent opened a session with the same params, and this one did not answer",
            ),
            (None, _) => Still::Watching,
        }
    },
);

/// Another process that still runs was initialized with the same params, and opened a session with the same.
fn has_twin(m: &Moment<'_>, request: &Request) -> bool {
    let initialize = |conn: &Conn| {
        let index = conn.init.request?;
        conn.requests[index].params.clone()
    };
    let same = |conn: &&Conn| {
        conn.id != m.conn.id
            && conn.exit.is_none()
            && !conn.closed.contains_key(&m.judged)
            && !conn.closed.contains_key(&m.judged.other())
            && initialize(conn).is_some()
            && initialize(conn) == initialize(m.conn)
    };
    let opened = |other: &Request| {
        other.from == request.from
            && other.method == "session/new"
            && other.params == request.params
            && other.answer().is_some_and(|answer| !answer.is_error)
    };
    m.world
        .conns
        .values()
        .filter(same)
        .any(|conn| conn.requests.iter().any(opened))
}
