//! ELICIT-STATE: what elicitations do to the foreground state of a session, which only version 2 reports.

use elenchus_protocol::{
    Version,
    acp::elicitation::{Answer, Scope},
};
use elenchus_wire::{Side, Wait};

use super::{
    complete::completed as completion,
    state::{asked_first, elicits, idled, resumed, state_value, stop_reason, watch_stuck},
    told::{
        is_output, output_since, param, reported_since, settled_since, state_is, states_since,
        told, told_since,
    },
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS, SETTLED, TURN_ENDS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    REQUIRES_ACTION.at(&[REQUESTS]),
    RUNNING_AGAIN.at(&[SETTLED]),
    LEFT.at(&[ANSWERS, NOTIFICATIONS]),
    BACKGROUND.at(&[REQUESTS]),
    OUTSIDE.at(&[REQUESTS]),
    NO_FLICKER.at(&[TURN_ENDS]),
    STILL_RUNNING.at(&[REQUESTS]),
    ONE_OF_SEVERAL.at(&[ANSWERS]),
    CONSENT_IS_NO_VISIT.at(&[ANSWERS]),
    RUNNING_AFTER_PAGE.at(&[SETTLED]),
    COMPLETE_IS_NO_STATE.at(&[SETTLED]),
    SHAPE.at(&[NOTIFICATIONS, SETTLED]),
    STARTS_BLOCKED.at(&[TURN_ENDS]),
    STOP_REASON.at(&[TURN_ENDS]),
    NOT_IDLE.at(&[ANSWERS]),
];

/// The session that an elicitation is about.
fn session(request: &Request) -> Option<&str> {
    match &request.elicitation.as_deref()?.create.scope {
        Scope::Session { session, .. } => Some(session),
        _ => None,
    }
}

fn is_url(request: &Request) -> bool {
    let create = request
        .elicitation
        .as_deref()
        .map(|elicitation| &elicitation.create);
    create.is_some_and(|create| create.mode.as_deref() == Some("url"))
}

fn accepted(request: &Request) -> bool {
    let elicitation = request.elicitation.as_deref();
    matches!(
        elicitation.and_then(|it| it.answer.as_ref()),
        Some(Answer::Accept(_))
    )
}

/// The elicitation in a turn of v2 that our side answered at this fact, and the turn.
fn we_answered<'a>(m: &Moment<'a>) -> Option<(&'a Request, usize)> {
    let (_, request) = m
        .we_answered()
        .filter(|_| m.conn.version() == Version::AcpV2)?;
    request.elicitation.as_ref()?;
    Some((request, request.turn?))
}

/// The agent's elicitation in a turn of v2, at this fact.
fn blocked<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request, usize)> {
    let (index, request) = m
        .requested()
        .filter(|_| m.conn.version() == Version::AcpV2)?;
    request.elicitation.as_ref()?;
    Some((index, request, request.turn?))
}

/// Triggers whose turn does nothing but ask, and goes on when it is answered.
fn only_asks(turn: &Turn) -> bool {
    matches!(
        turn.trigger.as_deref(),
        Some(
            "/elicit form"
                | "/elicit url"
                | "/elicit url-wait"
                | "/elicit tool form"
                | "/elicit twice"
                | "/elicit choice"
                | "/hold elicit form"
                | "/hold elicit url"
                | "/effect"
        )
    )
}

/// STATE-001: requires_action is reported while the foreground waits for the user. That nothing else can go on is
/// certain where the vocabulary says so. (elicitation#foreground-state)
const REQUIRES_ACTION: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-001",
    |m, says| {
        if let Some((index, _, _)) = blocked(m) {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        let (Some(session), Some(turn)) = (session(request), request.turn) else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[turn];
        if !request.is_open() {
            return Still::Moot;
        }
        // An idle meanwhile is STATE-019's.
        if turn.ended.is_some() {
            return Still::Moot;
        }
        if !matches!(m.fact, Fact::Settled) {
            return Still::Watching;
        }
        if state_is(m.conn, session, "requires_action") {
            return Still::Upheld;
        }
        if !settled_since(m, request.seq) {
            return Still::Watching;
        }
        if !only_asks(turn) || output_since(m.conn, session, request.seq) {
            return Still::Unclear("other work may be going on".to_owned());
        }
        if turn
            .elicitations
            .iter()
            .any(|&other| !m.conn.requests[other].is_open())
        {
            return Still::Unclear(
                "another question of the turn has just been answered".to_owned(),
            );
        }
        Still::Broken(
            Why::new(
                "requires_action, while all the work waits for the user",
                "the agent waits for the user, and the session is not reported to require action",
            )
            .got(request.text.clone()),
        )
    },
);

/// An elicitation that is open, about a session; with a form or a URL.
fn open_about(request: &Request, url: bool) -> Option<&str> {
    (is_url(request) == url).then(|| session(request))?
}

/// STATE-002: after requires_action for a form, running is reported when the work goes on.
/// (elicitation#foreground-state)
const RUNNING_AGAIN: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-002",
    |m, says| watch_stuck(m, says, |request| open_about(request, false)),
    |m, watch| {
        resumed(m, watch, |request, turn| {
            accepted(request) && only_asks(turn)
        })
    },
);

/// The page of this elicitation was reported to be done with, before the turn ended.
fn completed(conn: &Conn, request: &Request) -> bool {
    // The world keeps no ids of completions, and one elicitation in a turn needs none.
    let answer = request.answer().map_or(u64::MAX, |answer| answer.seq);
    conn.notifications
        .iter()
        .rev()
        .take_while(|it| it.seq > answer)
        .any(|it| it.from == Side::Server && it.method == "elicitation/complete")
}

/// STATE-012: after requires_action for a URL, running is reported when the work goes on.
/// (elicitation#foreground-state)
const RUNNING_AFTER_PAGE: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-012",
    |m, says| watch_stuck(m, says, |request| open_about(request, true)),
    |m, watch| {
        let still = resumed(m, watch, |request, turn| {
            accepted(request) && only_asks(turn)
        });
        match (&still, watch.subject) {
            // That a completion was taken for it is STATE-013.
            (Still::Broken(_), Subject::Request(index))
                if completed(m.conn, &m.conn.requests[index]) =>
            {
                Still::Moot
            }
            _ => still,
        }
    },
);

/// STATE-013: elicitation/complete is no state_update: running is reported all the same. (elicitation#foreground-state)
const COMPLETE_IS_NO_STATE: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-013",
    |m, says| watch_stuck(m, says, |request| open_about(request, true)),
    |m, watch| {
        let still = resumed(m, watch, |request, turn| {
            accepted(request) && only_asks(turn)
        });
        let Subject::Request(index) = watch.subject else {
            return still;
        };
        let complete = completed(m.conn, &m.conn.requests[index]);
        match still {
            Still::Broken(why) if complete => Still::Broken(Why {
                why: "elicitation/complete was sent, the work went on, and the session was never reported running again".to_owned(),
                ..why
            }),
            Still::Upheld if !complete && !matches!(m.fact, Fact::TurnEnded(_)) => Still::Watching,
            Still::Broken(_) | Still::Upheld if !complete => Still::Moot,
            other => other,
        }
    },
);

/// STATE-003: requires_action is left when the work ends without going on: by running, idle, or another question.
/// (elicitation#foreground-state)
const LEFT: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-003",
    |m, says| {
        if m.conn.version() != Version::AcpV2 {
            return;
        }
        let stuck = |turn: usize| {
            let turn = &m.conn.turns[turn];
            turn.ended.is_none() && state_is(m.conn, &turn.session, "requires_action")
        };
        if let Some((_, request)) = m.we_answered()
            && !accepted(request)
            && request.elicitation.is_some()
            && let Some(turn) = request.turn.filter(|turn| stuck(*turn))
        {
            says.watch(Subject::Turn(turn));
        }
        if let Fact::Notified(index) = m.fact
            && m.conn.notifications[*index].method == "session/cancel"
        {
            let newest = m
                .conn
                .turns
                .iter()
                .rposition(|turn| turn.cancelled == Some(m.event.seq));
            let asks = |turn: &usize| {
                let questions = &m.conn.turns[*turn].elicitations;
                questions
                    .iter()
                    .any(|&index| m.conn.requests[index].is_open())
            };
            if let Some(turn) = newest.filter(|turn| stuck(*turn) && asks(turn)) {
                says.watch(Subject::Turn(turn));
            }
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let left = states_since(m.conn, &turn.session, watch.opened)
            .any(|(_, state)| state != "requires_action");
        let asked = turn
            .elicitations
            .iter()
            .any(|&it| m.conn.requests[it].seq > watch.opened);
        if left || asked || turn.ended.is_some() {
            return Still::Upheld;
        }
        let prompt = &m.conn.requests[turn.request];
        let waited =
            matches!(m.fact, Fact::Deadline(Wait::TurnEnd { id }) if prompt.id.text() == id);
        if !waited {
            return Still::Watching;
        }
        if m.conn.target_waits_for_us() {
            return Still::Unclear("the agent still waits for an answer".to_owned());
        }
        Still::Broken(
            Why::new(
                "running, idle, or another question",
                "the user refused or the work was cancelled, and the session is still reported to require action",
            )
            .got("nothing"),
        )
    },
);

/// STATE-006: a question of background work leaves the state of an idle session alone. That it is background work is
/// certain where the vocabulary or the agent's own list says so. (elicitation#foreground-state)
const BACKGROUND: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-006",
    |m, says| {
        let Some((index, request)) = m.requested().filter(|_| m.conn.version() == Version::AcpV2)
        else {
            return;
        };
        let Some(session) = session(request).filter(|_| request.turn.is_none()) else {
            return;
        };
        if !state_is(m.conn, session, "idle") {
            return;
        }
        let scripted = m
            .conn
            .turns
            .iter()
            .rev()
            .find(|turn| turn.session == session);
        let scripted =
            scripted.is_some_and(|turn| turn.trigger.as_deref() == Some("/elicit background"));
        let listed = told_since(m.conn, session, 0)
            .find_map(|(_, told)| told.background.as_ref())
            .is_some_and(|items| !items.is_empty());
        if scripted || listed {
            says.watch_for(Subject::Request(index), session);
        } else {
            says.unclear("whether this is background work is not said");
        }
    },
    |m, watch| idle_stays(m, watch, |session| session == watch.memo),
);

/// A session that is idle, and has nothing to do, stays so while a question is open that is none of its foreground.
fn idle_stays(m: &Moment<'_>, watch: &Watch, concerns: impl Fn(&str) -> bool) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    match m.fact {
        Fact::TurnStarted(turn) if concerns(&m.conn.turns[*turn].session) => return Still::Moot,
        Fact::Settled if !m.conn.requests[index].is_open() => return Still::Upheld,
        _ => {}
    }
    let Some((told, _)) = told(m).filter(|(told, _)| concerns(&told.session)) else {
        return Still::Watching;
    };
    if told.kind != "state_update" || told.state.as_deref() != Some("requires_action") {
        return Still::Watching;
    }
    Still::Broken(Why::new(
        "an idle session that stays idle",
        format!(
            "session {} had no foreground work, and was reported to require action",
            text::short_to(&told.session, 60)
        ),
    ))
}

/// STATE-007: a question in the scope of a request, outside of any session, changes no session's state.
/// (elicitation#foreground-state)
const OUTSIDE: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-007",
    |m, says| {
        let Some((index, request)) = m.requested().filter(|_| m.conn.version() == Version::AcpV2)
        else {
            return;
        };
        let outside = request
            .elicitation
            .as_deref()
            .is_some_and(|it| matches!(it.create.scope, Scope::Request(_)));
        let busy = m.conn.turns.iter().any(|turn| turn.ended.is_none());
        if outside && !busy && m.conn.sessions.values().any(|session| session.known) {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| idle_stays(m, watch, |_| true),
);

/// Whether all questions of a turn were open at once, with the events of the first and of the last answer.
fn several(conn: &Conn, turn: &Turn) -> Option<(u64, u64)> {
    let requests = || turn.elicitations.iter().map(|&index| &conn.requests[index]);
    let answers = || requests().map(|request| request.answer().map_or(u64::MAX, |it| it.seq));
    let together = requests().map(|it| it.seq).max()? < answers().min()?;
    (turn.elicitations.len() > 1 && together)
        .then_some((requests().map(|it| it.seq).min()?, answers().max()?))
}

/// STATE-008: with several questions open, the state is not reported anew for each one that is asked or answered.
/// (elicitation#foreground-state)
const NO_FLICKER: Rule = Rule::check("ACP-ELICIT-STATE-008", |m, says| {
    let Some((_, turn)) = idled(m) else { return };
    let Some((first, last)) = several(m.conn, turn) else {
        return;
    };
    if last == u64::MAX || m.conn.overlaps(turn_index(m)) {
        return;
    }
    let mut states: Vec<&str> = states_since(m.conn, &turn.session, first)
        .filter(|(seq, _)| *seq < last)
        .map(|(_, state)| state)
        .collect();
    // Snapshots that say nothing new are fine.
    states.dedup();
    let stuck = states
        .iter()
        .filter(|state| **state == "requires_action")
        .count();
    let worked = told_since(m.conn, &turn.session, first)
        .any(|(seq, told)| seq < last && is_output(&told.kind));
    if stuck < turn.elicitations.len() {
        says.upheld();
    } else if worked {
        says.unclear("the agent worked between the answers");
    } else {
        says.broken(Why::new(
            "one requires_action for all that the session waits for",
            format!(
                "{} questions were open at once, and requires_action was reported {stuck} times in turn with another state",
                turn.elicitations.len()
            ),
        ));
    }
});

/// The turn that ends at this fact.
fn turn_index(m: &Moment<'_>) -> usize {
    m.turn_ended().map_or(0, |(index, _)| index)
}

/// How many updates may still have been on their way when requires_action was reported.
const BUFFERED: usize = 3;

/// STATE-009: as long as some of the foreground can advance, the state stays running. Updates of a tool call that the
/// agent's own list of background work does not have are foreground, so that it is told apart what they belong to.
/// (elicitation#foreground-state)
const STILL_RUNNING: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-009",
    |m, says| {
        if let Some((index, request, _)) = blocked(m)
            && let Some(session) = session(request)
            && m.conn
                .sessions
                .get(session)
                .is_some_and(|session| session.background.is_some())
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        let Some(session) = session(request) else {
            return Still::Moot;
        };
        let stuck = states_since(m.conn, session, request.seq).next();
        let stuck = stuck.filter(|(_, state)| *state == "requires_action");
        if let Some((since, _)) = stuck
            && told(m).is_some_and(|(told, _)| told.session == session)
        {
            let own = match &request.elicitation.as_deref().map(|it| &it.create.scope) {
                Some(Scope::Session { tool_call, .. }) => tool_call.as_deref(),
                _ => None,
            };
            let listed: Vec<&String> = told_since(m.conn, session, 0)
                .find_map(|(_, told)| told.background.as_ref())
                .into_iter()
                .flatten()
                .collect();
            let advances = told_since(m.conn, session, since).filter(|(_, told)| {
                told.kind == "tool_call_update"
                    && told.state.as_deref() == Some("in_progress")
                    && told.id.as_deref() != own
                    && told.id.as_ref().is_some_and(|id| !listed.contains(&id))
            });
            if advances.count() > BUFFERED {
                return Still::Broken(Why::new(
                    "running, as long as some of the foreground can advance",
                    "the session was reported to require action, and a tool call that is no background work kept advancing",
                ));
            }
        }
        if !request.is_open() {
            return match stuck {
                Some(_) => Still::Upheld,
                None => Still::Moot,
            };
        }
        Still::Watching
    },
)
.of_tangles();

/// STATE-010: one answer of several does not end requires_action when the work needs them all, as that of
/// `/elicit twice` does. (elicitation#foreground-state)
const ONE_OF_SEVERAL: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-010",
    |m, says| {
        let Some((_, index)) = we_answered(m) else {
            return;
        };
        let turn = &m.conn.turns[index];
        let open = turn
            .elicitations
            .iter()
            .filter(|&&it| m.conn.requests[it].is_open())
            .count();
        if turn.trigger.as_deref() == Some("/elicit twice")
            && turn.elicitations.len() == 2
            && open == 1
            && state_is(m.conn, &turn.session, "requires_action")
        {
            says.watch(Subject::Turn(index));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let answered = m
            .we_answered()
            .is_some_and(|(_, request)| request.turn == Some(index));
        if turn.ended.is_some() {
            return Still::Moot;
        }
        if !answered {
            return Still::Watching;
        }
        // What the target said before the other answer is known only if it had fallen quiet.
        if m.conn.settled.is_none_or(|settled| settled < watch.opened) {
            return Still::Unclear("the other answer came at once".to_owned());
        }
        let mut states = states_since(m.conn, &turn.session, watch.opened);
        if output_since(m.conn, &turn.session, watch.opened) {
            Still::Unclear("the agent went on with the first answer".to_owned())
        } else if state_is(m.conn, &turn.session, "running")
            && !states.any(|(_, state)| state == "requires_action")
        {
            Still::Broken(Why::new(
                "requires_action, as long as the work waits for the other answer",
                "one of two questions was answered, and the session was reported running though nothing went on",
            ))
        } else {
            Still::Upheld
        }
    },
);

/// STATE-011: consent to a URL does not end requires_action while the work waits for the page. That it waits is certain
/// where the vocabulary says so, and it waited when elicitation/complete comes before any output. Any other agent may go on
/// without a word while the page is open. (elicitation#foreground-state)
const CONSENT_IS_NO_VISIT: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-011",
    |m, says| {
        let Some((request, index)) = we_answered(m) else {
            return;
        };
        let turn = &m.conn.turns[index];
        if is_url(request)
            && accepted(request)
            && turn.elicitations.len() == 1
            && state_is(m.conn, &turn.session, "requires_action")
        {
            says.watch(Subject::Turn(index));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        if turn.ended.is_some() || output_since(m.conn, &turn.session, watch.opened) {
            return Still::Moot;
        }
        let its_own = |id: &str| {
            let issued = m.conn.issued.get(id);
            issued.is_some_and(|issued| turn.elicitations.iter().any(|it| issued.contains(it)))
        };
        if !completion(m).is_some_and(its_own) {
            return Still::Watching;
        }
        let waited = m.conn.settled.is_some_and(|settled| settled > watch.opened);
        let running = reported_since(m.conn, &turn.session, watch.opened, "running");
        match (waited, running) {
            (_, false) => Still::Upheld,
            (false, true) => Still::Unclear("the page was done with at once".to_owned()),
            (true, true) if turn.trigger.as_deref() != Some("/elicit url-wait") => {
                Still::Unclear("the work may have gone on without a word".to_owned())
            }
            (true, true) => Still::Broken(Why::new(
                "requires_action, as long as the work waits for the page",
                "the user agreed to visit a page, and the session was reported running though it waited for the visit",
            )),
        }
    },
);

/// STATE-015: around an elicitation, a state has a name that is defined, and is that of the session that waits.
/// (prompt-lifecycle#session-states; schema:v2 StateUpdate)
const SHAPE: Rule = Rule::check("ACP-ELICIT-STATE-015", |m, says| {
    if elicits(m.conn) {
        match state_value(m) {
            Some(Ok(())) => says.upheld(),
            Some(Err(why)) => says.broken(why),
            None => {}
        }
    }
    if !matches!(m.fact, Fact::Settled) || m.conn.version() != Version::AcpV2 {
        return;
    }
    for (_, request) in m.conn.open_requests(Side::Server) {
        let Some(session) = session(request).filter(|_| request.turn.is_some()) else {
            continue;
        };
        if !settled_since(m, request.seq) {
            continue;
        }
        let began = request
            .turn
            .map_or(0, |turn| m.conn.requests[m.conn.turns[turn].request].seq);
        if reported_since(m.conn, session, began, "requires_action") {
            continue;
        }
        let waits = |other: &str| {
            m.conn.open_requests(Side::Server).any(|(_, request)| {
                let named = request
                    .params
                    .as_ref()
                    .and_then(|params| params.get("sessionId"));
                named.and_then(serde_json::Value::as_str) == Some(other)
            })
        };
        let other = m.conn.sessions.keys().find(|other| {
            *other != session
                && m.conn.open_turn(other).is_none()
                && !waits(other)
                && reported_since(m.conn, other, began, "requires_action")
        });
        if let Some(other) = other {
            says.broken(Why::new(
                format!("requires_action for session {}", text::short_to(session, 60)),
                format!(
                    "the work in session {} waits for the user, and session {} was reported to require action",
                    text::short_to(session, 60),
                    text::short_to(other, 60)
                ),
            ));
        }
    }
});

/// STATE-016: work that begins by asking the user is reported when it starts, as running or as requires_action.
/// (schema:v2 StateUpdate)
const STARTS_BLOCKED: Rule = Rule::check("ACP-ELICIT-STATE-016", |m, says| {
    let Some((index, turn)) = idled(m) else {
        return;
    };
    if !asked_first(m.conn, turn) || m.conn.overlaps(index) {
        return;
    }
    let end = turn.ended.as_ref().map_or(u64::MAX, |end| end.seq);
    let last_idle = states_since(m.conn, &turn.session, 0)
        .find(|(seq, state)| *seq < end && *state == "idle")
        .map_or(0, |(seq, _)| seq);
    let reported = states_since(m.conn, &turn.session, last_idle)
        .any(|(_, state)| matches!(state, "running" | "requires_action"));
    says.holds(reported, || {
        Why::new(
            "running or requires_action, when the work starts",
            "the work began with a question and ended, and no state but idle was reported for it",
        )
        .sent(m.conn.requests[turn.request].text.clone())
    });
});

/// STATE-017: the idle that ends work after an elicitation says why. (v2 IdleStateUpdate)
const STOP_REASON: Rule = Rule::check("ACP-ELICIT-STATE-017", |m, says| {
    if let Some((index, turn)) = idled(m).filter(|(_, turn)| !turn.elicitations.is_empty()) {
        stop_reason(m, says, index, turn);
    }
});

/// STATE-019: work that waits for the user has not ended, and its session is not reported idle. That it had not ended is
/// seen when it goes on after the answer. (elicitation#foreground-state)
const NOT_IDLE: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-019",
    |m, says: &mut Says| {
        let Some((request, index)) = we_answered(m) else {
            return;
        };
        if m.conn.turns[index].trigger.as_deref() == Some("/hold elicit form") && accepted(request)
        {
            says.watch_for(Subject::Turn(index), request.seq.to_string());
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let asked: u64 = watch.memo.parse().unwrap_or(u64::MAX);
        let closed = || {
            let mut later = m.conn.requests.iter().rev().take_while(|it| it.seq > asked);
            later.any(|it| {
                matches!(it.method.as_str(), "session/close" | "session/delete")
                    && param(it, "sessionId") == Some(&turn.session)
            })
        };
        // What a late answer does to cancelled work is ELICIT-CANCEL-013's, and CLOSE-005's after a close.
        if matches!(m.fact, Fact::TurnStarted(_)) || turn.cancelled.is_some() || closed() {
            return Still::Moot;
        }
        let idle = states_since(m.conn, &turn.session, asked)
            .any(|(seq, state)| seq < watch.opened && state == "idle");
        match (idle, output_since(m.conn, &turn.session, watch.opened)) {
            (true, true) => Still::Broken(Why::new(
                "no idle while the work waits for the user",
                "the session was reported idle while its work waited for an answer, and the work went on after it",
            )),
            (false, true) => Still::Upheld,
            (_, false) if matches!(m.fact, Fact::Settled) => Still::Moot,
            _ => Still::Watching,
        }
    },
);
