//! STATE: what an agent of version 2 reports of the foreground of a session. What elicitations do to it stands in
//! `elicit_state`, and permission requests are here.

use std::collections::BTreeSet;

use elenchus_protocol::{
    Version,
    acp::shapes::{self, Mismatch, Part},
};
use elenchus_wire::{Side, Wait};
use serde_json::Value;

use super::told::{
    at, has_reported, is_output, misfit, output_since, param, reported_since, settled_since,
    state_is, states_since, tell_shape, told, told_since, update_params,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{NOTIFICATIONS, REQUESTS, SETTLED, TURN_ENDS, TURN_STARTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    RUNNING.at(&[TURN_ENDS]),
    IDLE.at(&[TURN_STARTS]),
    STOP_REASON.at(&[TURN_ENDS]),
    VALUES.at(&[NOTIFICATIONS]),
    REQUIRES_ACTION.at(&[REQUESTS]),
    RUNNING_AGAIN.at(&[SETTLED]),
    FAILURE.at(&[TURN_ENDS]),
    ERROR_SHAPE.at(&[NOTIFICATIONS]),
    BACKGROUND.at(&[NOTIFICATIONS]),
];

/// The turn of v2 that an idle ends at this fact.
pub(super) fn idled<'a>(m: &Moment<'a>) -> Option<(usize, &'a Turn)> {
    let (index, turn) = m.turn_ended()?;
    let by_idle = turn.ended.as_ref().is_some_and(|end| end.error.is_none());
    (m.conn.version() == Version::AcpV2 && by_idle).then_some((index, turn))
}

/// When the work that an idle ends may have begun: at the idle before it.
fn since_idle(conn: &Conn, turn: &Turn) -> u64 {
    let end = turn.ended.as_ref().map_or(u64::MAX, |end| end.seq);
    let mut idles =
        states_since(conn, &turn.session, 0).filter(|(seq, state)| *seq < end && *state == "idle");
    idles.next().map_or(0, |(seq, _)| seq)
}

/// Foreground work was reported between this event and the end of the turn.
fn was_reported(conn: &Conn, turn: &Turn, since: u64) -> bool {
    states_since(conn, &turn.session, since)
        .any(|(_, state)| matches!(state, "running" | "requires_action"))
}

/// The first thing that a turn did was to ask the user.
pub(super) fn asked_first(conn: &Conn, turn: &Turn) -> bool {
    let Some(asked) = turn.elicitations.first() else {
        return false;
    };
    let asked = conn.requests[*asked].seq;
    let began = conn.requests[turn.request].seq;
    !told_since(conn, &turn.session, began).any(|(seq, told)| seq < asked && is_output(&told.kind))
}

/// STATE-001: running (or requires_action) is reported for work that an idle ends. Work whose first act is a question
/// is ELICIT-STATE-016's. (v2 prompt-lifecycle#3-agent-reports-output; StateUpdate)
const RUNNING: Rule = Rule::check("ACP-STATE-001", |m, says| {
    let Some((_, turn)) = idled(m) else { return };
    let began = m.conn.requests[turn.request].seq;
    if asked_first(m.conn, turn) || !output_since(m.conn, &turn.session, began) {
        return;
    }
    says.holds(was_reported(m.conn, turn, since_idle(m.conn, turn)), || {
        Why::new(
            "running, when the work on a prompt starts",
            "a prompt was worked on, and the session went idle without ever having been running",
        )
        .sent(m.conn.requests[turn.request].text.clone())
    });
});

/// STATE-002: idle is reported when the work is over. That it is over is certain only of an agent that has said what the
/// vocabulary makes it say at the end. (v2 prompt-lifecycle#4-report-completion)
const IDLE: Rule = Rule::check_later(
    "ACP-STATE-002",
    |m, says| {
        if let Fact::TurnStarted(turn) = m.fact
            && m.conn.version() == Version::AcpV2
        {
            says.watch(Subject::Turn(*turn));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        if let Some(end) = &turn.ended {
            return if end.error.is_none() {
                Still::Upheld
            } else {
                Still::Moot
            };
        }
        let prompt = &m.conn.requests[turn.request];
        let waited =
            matches!(m.fact, Fact::Deadline(Wait::TurnEnd { id }) if prompt.id.text() == id);
        if !waited {
            return Still::Watching;
        }
        let certain = has_reported(turn)
            && turn.cancelled.is_none()
            && !m.conn.target_waits_for_us()
            && state_is(m.conn, &turn.session, "running");
        if !certain {
            return Still::Unclear("the agent may still be working".to_owned());
        }
        Still::Broken(
            Why::new(
                "idle, when the work is over",
                "the agent said all that it had to say, and the session stays running",
            )
            .sent(prompt.text.clone())
            .got(text::short(&turn.report())),
        )
    },
);

/// STATE-003: the idle that ends a prompted turn says why. After an elicitation it is ELICIT-STATE-017's.
/// (v2/client.rs IdleStateUpdate)
const STOP_REASON: Rule = Rule::check("ACP-STATE-003", |m, says| {
    if let Some((index, turn)) = idled(m).filter(|(_, turn)| turn.elicitations.is_empty()) {
        stop_reason(m, says, index, turn);
    }
});

/// Says whether the idle that ends this turn has a stop reason.
pub(super) fn stop_reason(m: &Moment<'_>, says: &mut Says, index: usize, turn: &Turn) {
    let given = turn
        .ended
        .as_ref()
        .is_some_and(|end| end.stop_reason.is_some());
    // The idle that ends a turn is the frame at hand. Under another spelling the reason is JSONRPC-022's.
    let params = m
        .conn
        .notifications
        .last()
        .and_then(|it| it.params.as_ref());
    let odd = params.is_some_and(|params| {
        let reason = at(params, "/update/stopReason");
        let misspelt = || shapes::misspelt(Version::AcpV2, "session/update", Part::Params, params);
        reason.is_some_and(|reason| !reason.is_null()) || !misspelt().is_empty()
    });
    if !given && odd {
        return;
    }
    if m.conn.overlaps(index) {
        says.unclear("another turn ran in the same session");
    } else {
        says.holds(given, || {
            Why::new(
                "a stopReason on the idle that ends the work",
                "the session went idle at the end of a prompted turn without a stopReason",
            )
        });
    }
}

/// The params of a state_update at this fact, and its mismatches.
fn state_update<'a>(m: &Moment<'a>) -> Option<(&'a Value, &'a [Mismatch])> {
    let params = update_params(m).filter(|_| m.conn.version() == Version::AcpV2)?;
    let kind = at(params, "/update/sessionUpdate").and_then(Value::as_str);
    if kind != Some("state_update") {
        return None;
    }
    Some((params, m.mismatches()))
}

/// What is wrong with the value of a state, if anything is.
pub(super) fn state_value(m: &Moment<'_>) -> Option<Result<(), Why>> {
    let (params, _) = state_update(m)?;
    let state = at(params, "/update/state");
    let known = state.and_then(Value::as_str).is_some_and(|state| {
        matches!(state, "running" | "idle" | "requires_action" | "unknown")
            || state.starts_with('_')
    });
    if !known {
        let got = state.map_or("absent".to_owned(), |state| {
            text::short_to(&state.to_string(), 80)
        });
        return Some(Err(Why::new(
            "running, idle, requires_action, unknown, or a name that begins with an underscore",
            format!("the state is {got}"),
        )));
    }
    let reason = at(params, "/update/stopReason").filter(|reason| !reason.is_null());
    let idle = state.is_some_and(|state| state == "idle");
    let defined = state
        .and_then(Value::as_str)
        .is_some_and(|state| !state.starts_with('_'));
    if reason.is_some() && !idle && defined {
        return Some(Err(Why::new(
            "a stopReason on idle only",
            format!(
                "a stopReason was given with the state {}",
                state.and_then(Value::as_str).unwrap_or_default()
            ),
        )));
    }
    Some(Ok(()))
}

/// Some session has an elicitation open.
pub(super) fn elicits(conn: &Conn) -> bool {
    conn.open_requests(Side::Server)
        .any(|(_, request)| request.method == "elicitation/create")
}

/// STATE-005: a state is one of the four, or an extension; a stopReason goes with idle. While an elicitation is open it
/// is ELICIT-STATE-015's. (v2 prompt-lifecycle#session-states; StateUpdate)
const VALUES: Rule = Rule::check("ACP-STATE-005", |m, says| {
    if elicits(m.conn) {
        return;
    }
    match state_value(m) {
        Some(Ok(())) => says.upheld(),
        Some(Err(why)) => says.broken(why),
        None => {}
    }
});

/// The permission request of the agent at this fact, with its session.
pub(super) fn asks_permission<'a>(m: &Moment<'a>) -> Option<(usize, &'a Request, &'a str)> {
    let (index, request) = m.requested()?;
    (request.method == "session/request_permission").then_some(())?;
    Some((index, request, param(request, "sessionId")?))
}

/// The turn that is open in the session of a permission request; the one that the request belongs to, unless several are.
pub(super) fn turn_of(conn: &Conn, request: &Request) -> Option<usize> {
    conn.open_turn(param(request, "sessionId")?)
}

/// STATE-006: requires_action is reported while all the work waits for a permission. That nothing else can go on is
/// certain where the vocabulary says so. (v2 prompt-lifecycle#5; RequiresActionStateUpdate)
const REQUIRES_ACTION: Rule = Rule::check_later(
    "ACP-STATE-006",
    |m, says| {
        if let Some((index, request, _)) = asks_permission(m)
            && m.conn.version() == Version::AcpV2
            && turn_of(m.conn, request).is_some()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        let session = param(request, "sessionId").unwrap_or_default();
        if !request.is_open() {
            return Still::Unclear("the answer came at once".to_owned());
        }
        if !matches!(m.fact, Fact::Settled) {
            return Still::Watching;
        }
        let Some(turn) = turn_of(m.conn, request) else {
            return Still::Moot;
        };
        if state_is(m.conn, session, "requires_action") {
            return Still::Upheld;
        }
        if !settled_since(m, request.seq) {
            return Still::Watching;
        }
        if m.conn.turns[turn].trigger.as_deref() != Some("/ask permission")
            || output_since(m.conn, session, request.seq)
        {
            return Still::Unclear("other work may be going on".to_owned());
        }
        Still::Broken(
            Why::new(
                "requires_action, while all the work waits for a permission",
                "the agent waits for a permission, and the session is not reported to require action",
            )
            .got(request.text.clone()),
        )
    },
);

/// What has become of work that was reported to require action, and whose only request was then answered.
pub(super) fn resumed(
    m: &Moment<'_>,
    watch: &Watch,
    strict: impl Fn(&Request, &Turn) -> bool,
) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let request = &m.conn.requests[index];
    let Some(answer) = request.answer() else {
        return if matches!(m.fact, Fact::TurnEnded(_)) {
            Still::Moot
        } else {
            Still::Watching
        };
    };
    // The turn was open when the watch was opened; its index stands in the memo.
    let Some((turn, number)) = watch
        .memo
        .parse()
        .ok()
        .and_then(|number: usize| Some((m.conn.turns.get(number)?, number)))
    else {
        return Still::Moot;
    };
    let session = turn.session.as_str();
    if reported_since(m.conn, session, answer.seq, "running") {
        return Still::Upheld;
    }
    match m.turn_ended() {
        Some((ended, _)) if ended == number => {}
        _ => return Still::Watching,
    }
    let others = turn.elicitations.iter().any(|&other| other != index)
        || m.conn.open_requests(Side::Server).next().is_some();
    if !output_since(m.conn, session, answer.seq) {
        return Still::Upheld;
    }
    if others || m.conn.overlaps(number) || turn.cancelled.is_some() || !strict(request, turn) {
        return Still::Unclear("what came before the idle may have been no work".to_owned());
    }
    Still::Broken(
        Why::new(
            "running, when the work goes on after requires_action",
            "the request was answered, the work went on, and the session was never reported running again",
        )
        .sent(answer.text.clone()),
    )
}

/// Opens a watch on each request of this kind that is open while its session requires action, at quiet: what was sent
/// before is out of the way then.
pub(super) fn watch_stuck(m: &Moment<'_>, says: &mut Says, is: impl Fn(&Request) -> Option<&str>) {
    if !matches!(m.fact, Fact::Settled) || m.conn.version() != Version::AcpV2 {
        return;
    }
    for (index, request) in m.conn.open_requests(Side::Server) {
        let Some(session) = is(request) else { continue };
        if let Some(turn) = m.conn.open_turn(session)
            && state_is(m.conn, session, "requires_action")
        {
            says.watch_for(Subject::Request(index), turn.to_string());
        }
    }
}

/// STATE-007: after requires_action for a permission, running is reported when the work goes on; an immediate idle ends
/// it as well. (v2/client.rs StateUpdate)
const RUNNING_AGAIN: Rule = Rule::check_later(
    "ACP-STATE-007",
    |m, says| {
        watch_stuck(m, says, |request| {
            (request.method == "session/request_permission").then_some(())?;
            param(request, "sessionId")
        });
    },
    |m, watch| {
        resumed(m, watch, |request, turn| {
            let scripted = turn.trigger.as_deref() == Some("/ask permission");
            let allowed =
                super::perm::chosen_kind(request).is_some_and(|kind| kind.starts_with("allow"));
            scripted && allowed
        })
    },
);

/// STATE-008: a failure of inserted work ends with idle and stopReason error. An idle that explains itself as a message
/// may be a failure that was handled. (v2/agent.rs StopReason::Error)
const FAILURE: Rule = Rule::check("ACP-STATE-008", |m, says| {
    let Some((_, turn)) = idled(m).filter(|(_, turn)| turn.trigger.as_deref() == Some("/fail"))
    else {
        return;
    };
    let reason = turn
        .ended
        .as_ref()
        .and_then(|end| end.stop_reason.as_deref());
    match reason {
        Some("error") => says.upheld(),
        Some("end_turn") if turn.report().is_empty() => says.broken(
            Why::new(
                "idle with stopReason error, when the work has failed",
                "the work failed, and the session went idle with end_turn, without a word",
            )
            .sent(m.conn.requests[turn.request].text.clone()),
        ),
        Some("end_turn") => {
            says.note("the failure was explained in a message, and the turn ended with end_turn");
        }
        _ => says.unclear("the turn ended for another reason"),
    }
});

/// STATE-009: the error that goes with stopReason error is a JSON-RPC error object, or absent.
/// (v2/agent.rs ErrorStopReason)
const ERROR_SHAPE: Rule = Rule::check("ACP-STATE-009", |m, says| {
    let Some((params, found)) = state_update(m) else {
        return;
    };
    let error = at(params, "/update/error").filter(|error| !error.is_null());
    let reason = at(params, "/update/stopReason").and_then(Value::as_str);
    let own = found
        .iter()
        .filter(|mismatch| mismatch.pointer.starts_with("/update/error"));
    tell_shape(
        says,
        "the idle",
        own,
        error.is_some() && reason == Some("error"),
    );
});

/// STATE-013: a list of background work has its shape, stands on every state_update from then on, and names what was
/// announced before. (v2/client.rs BackgroundWork)
const BACKGROUND: Rule = Rule::check("ACP-STATE-013", |m, says| {
    let (Some((_, found)), Some((told, update))) = (state_update(m), told(m)) else {
        return;
    };
    let own: Vec<_> = found
        .iter()
        .filter(|mismatch| mismatch.pointer.starts_with("/update/background"))
        .collect();
    for mismatch in &own {
        says.broken(misfit("the state_update", mismatch));
    }
    if !own.is_empty() {
        return;
    }
    let listed = update.get("background").filter(|listed| !listed.is_null());
    let known = m.conn.sessions.get(&told.session);
    let before = known.is_some_and(|session| session.background.is_some());
    match listed.and_then(Value::as_array) {
        // Whoever takes it up once more may be told of it anew.
        None if before && m.conn.moved_since(&told.session, 0) => {
            says.unclear("the session was let go or taken up once more");
        }
        None if before => says.broken(Why::new(
            "the list of background work on every state_update, once it was reported",
            "a state_update came without it, after one that had it",
        )),
        None => {}
        Some(items) => {
            let unknown = items
                .iter()
                .find(|item| is_unknown(m.conn, &told.session, item));
            says.holds(unknown.is_none(), || {
                let item = unknown.map(Value::to_string).unwrap_or_default();
                Why::new(
                    "background work that was announced before",
                    format!(
                        "the list names what nobody has heard of: {}",
                        text::short_to(&item, 120)
                    ),
                )
            });
        }
    }
});

/// The item names something that this connection would have heard of, and has not: the session was created on it.
fn is_unknown(conn: &Conn, session: &str, item: &Value) -> bool {
    let created = conn.requests.iter().any(|request| {
        let id = request.result().and_then(|result| result.get("sessionId"));
        request.method == "session/new" && id.and_then(Value::as_str) == Some(session)
    });
    let of = |member: &str| item.get(member).and_then(Value::as_str);
    let told: BTreeSet<&str> = conn
        .sessions
        .get(session)
        .map(|known| known.tool_calls.iter().map(String::as_str).collect())
        .unwrap_or_default();
    let unknown = match item.get("type").and_then(Value::as_str) {
        Some("tool_call") => of("toolCallId").is_some_and(|id| !told.contains(id)),
        Some("subagent") => of("sessionId").is_some_and(|id| !conn.sessions.contains_key(id)),
        Some("terminal") => of("terminalId").is_some_and(|id| {
            !told_since(conn, session, 0)
                .any(|(_, told)| told.kind == "terminal_update" && told.id.as_deref() == Some(id))
        }),
        _ => false,
    };
    // Updates that were sent as requests have told of it too.
    let misplaced = || {
        let mut requests = conn.requests.iter();
        requests.any(|it| it.from == Side::Server && it.method == "session/update")
    };
    created && unknown && !misplaced()
}
