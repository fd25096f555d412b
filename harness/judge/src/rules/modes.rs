//! MODES: what a session tells of its modes (v1), and what becomes of a change.

use std::collections::BTreeSet;

use elenchus_protocol::Version;
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    lifecycle::{active, answer_to, made_up, session_of, succeeded, text_param, told, wants_login},
    options::{SET_MODE, SET_OPTION, disturbed, is_select, lists, offers, set_up},
    told::{misfit, update_params},
};
use crate::{
    fact::Moment,
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS},
    rule::{Rule, Says, Why},
    text,
    world::{Conn, Request},
};

pub(super) const RULES: &[Rule] = &[
    SHAPE.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    CONSISTENT.at(&[ANSWERS]),
    SWITCHES.at(&[ANSWERS]),
    UNKNOWN.at(&[ANSWERS]),
    UPDATE.at(&[NOTIFICATIONS]),
    IN_SYNC.at(&[ANSWERS]),
    GONE.of_both().at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
];

/// The modes of the result at hand, and the session (v1).
fn modes<'a>(m: &Moment<'a>) -> Option<(&'a Value, &'a str)> {
    let (request, session) = set_up(m).filter(|_| m.conn.version() == Version::AcpV1)?;
    let modes = request.result()?.get("modes")?;
    (!modes.is_null()).then_some((modes, session))
}

fn ids(modes: &Value) -> Vec<&str> {
    let list = modes.get("availableModes").and_then(Value::as_array);
    let ids = list.into_iter().flatten();
    ids.filter_map(|mode| mode.get("id")?.as_str()).collect()
}

/// MODES-001: modes have a current one and a list, and each of the list an id and a name.
/// (v1 session-modes#initial-state; SessionModeState)
const SHAPE: Rule = Rule::check("ACP-MODES-001", |m, says| {
    if modes(m).is_none() {
        return;
    }
    let mut clean = true;
    for mismatch in m.mismatches() {
        if mismatch.pointer == "/modes" || mismatch.pointer.starts_with("/modes/") {
            clean = false;
            says.broken(misfit("the result", mismatch));
        }
    }
    if clean {
        says.upheld();
    }
});

/// MODES-002: the current mode is in the list, and no id stands there twice. (v1 session-modes#sessionmodestate; derived)
const CONSISTENT: Rule = Rule::check("ACP-MODES-002", |m, says| {
    let Some((modes, _)) = modes(m) else { return };
    let ids = ids(modes);
    let Some(current) = modes.get("currentModeId").and_then(Value::as_str) else {
        return;
    };
    if ids.is_empty() {
        return says.note("there is a current mode, and no mode to choose");
    }
    let mut seen = BTreeSet::new();
    if let Some(id) = ids.iter().find(|id| !seen.insert(**id)) {
        let id = text::short_to(id, 60);
        says.broken(Why::new(
            "ids that stand once",
            format!("two modes have the id {id}"),
        ));
    } else {
        says.holds(ids.contains(&current), || {
            let current = text::short_to(current, 60);
            Why::new(
                "a currentModeId that is in the list",
                format!("the current mode {current} is none of the available ones"),
            )
        });
    }
});

/// The modes that a session has listed before this event, the newest first.
pub(super) fn listed<'a>(conn: &'a Conn, session: &str, before: u64) -> Vec<&'a str> {
    let mut requests = conn.requests.iter().rev();
    let found = requests.find_map(|request| {
        let named = super::lifecycle::made(request).or_else(|| session_of(request));
        let modes = request.result()?.get("modes")?;
        let answer = request.answer()?;
        (named == Some(session) && answer.seq < before && modes.is_object()).then_some(modes)
    });
    found.map(ids).unwrap_or_default()
}

/// The answer at hand to a `session/set_mode` of an active session that has modes: the request, the modes and the mode.
fn switched<'a>(m: &Moment<'a>) -> Option<(&'a Request, Vec<&'a str>, &'a str)> {
    let (_, request, _) = answer_to(m, &[SET_MODE])?;
    let session = session_of(request)?;
    let listed = listed(m.conn, session, request.seq);
    let fits = m.conn.version() == Version::AcpV1
        && active(m.conn, session, request.seq)
        && !listed.is_empty();
    fits.then(|| Some((request, listed, text_param(request, "modeId")?)))?
}

/// MODES-003: `session/set_mode` switches to a listed mode. An agent may have reasons not to enter one of them, but not
/// for all of them. (v1 session-modes#setting-the-current-mode; derived)
const SWITCHES: Rule = Rule::check("ACP-MODES-003", |m, says| {
    let Some((request, listed, mode)) = switched(m) else {
        return;
    };
    let Some(answer) = request.answer().filter(|_| listed.contains(&mode)) else {
        return;
    };
    if !answer.is_error {
        return says.upheld();
    }
    if answer.error_code == Some(-32601) {
        return says.broken(
            Why::new(
                "session/set_mode, since modes are listed",
                "modes are listed, and session/set_mode was answered with error -32601",
            )
            .sent(request.text.clone()),
        );
    }
    let tried = |mode: &&str| {
        m.conn.requests.iter().any(|other| {
            other.method == SET_MODE
                && session_of(other) == session_of(request)
                && text_param(other, "modeId") == Some(mode)
                && other
                    .answer()
                    .is_some_and(|it| it.is_error && !wants_login(it))
        })
    };
    if listed.iter().all(tried) {
        says.broken(
            Why::new(
                "a result for at least one of the listed modes",
                format!(
                    "every mode that is listed was refused, this one with {}",
                    told(answer)
                ),
            )
            .sent(request.text.clone()),
        );
    } else {
        says.unclear("the agent may have a reason not to enter this mode");
    }
});

/// MODES-004: a mode that is not listed is refused. (v1 session-modes#from-the-client; derived)
const UNKNOWN: Rule = Rule::check("ACP-MODES-004", |m, says| {
    let Some((request, listed, mode)) = switched(m) else {
        return;
    };
    let Some(answer) = request.answer() else {
        return;
    };
    if !made_up(mode) || listed.contains(&mode) {
        return;
    }
    if answer.is_error && answer.error_code != Some(-32602) {
        says.note(format!("{} refuses it; -32602 would say why", told(answer)));
    }
    says.holds(answer.is_error, || {
        Why::new(
            "an error",
            "session/set_mode was sent with a mode that is not listed, and the answer was a result",
        )
        .sent(request.text.clone())
    });
});

/// MODES-006: a `current_mode_update` has a currentModeId. (v1 session-modes#from-the-agent; CurrentModeUpdate)
const UPDATE: Rule = Rule::check("ACP-MODES-006", |m, says| {
    let Some(update) = mode_update(m).filter(|_| m.conn.version() == Version::AcpV1) else {
        return;
    };
    let mut clean = true;
    for mismatch in m.mismatches() {
        if mismatch.pointer == "/update/currentModeId" {
            clean = false;
            says.broken(misfit("a current_mode_update", mismatch));
            if update.get("modeId").is_some() {
                says.note(
                    "an example of the documentation has modeId, which the schema does not have",
                );
            }
        }
    }
    let session = update_params(m).and_then(|params| params.get("sessionId")?.as_str());
    if let (Some(session), Some(mode)) = (session, update["currentModeId"].as_str()) {
        let listed = listed(m.conn, session, m.event.seq);
        if !listed.is_empty() && !listed.contains(&mode) {
            let mode = text::short_to(mode, 60);
            says.note(format!("the mode {mode} is none of the listed ones"));
        }
    }
    if clean && update.get("currentModeId").is_some() {
        says.upheld();
    }
});

/// The `current_mode_update` at hand.
fn mode_update<'a>(m: &Moment<'a>) -> Option<&'a Value> {
    let update = update_params(m)?.get("update")?;
    let kind = update.get("sessionUpdate")?;
    (kind == "current_mode_update").then_some(update)
}

fn is_mode_option(option: &Value) -> bool {
    is_select(option)
        && option
            .get("category")
            .is_some_and(|category| category == "mode")
}

/// MODES-007: modes and an option of the category mode say the same. Judged on results that tell both, after one of the
/// two was changed and nothing else was going on. (v1 session-config-options#relationship-to-session-modes)
const IN_SYNC: Rule = Rule::check("ACP-MODES-007", |m, says| {
    let Some((modes, session)) = modes(m) else {
        return;
    };
    let lists = lists(m.conn, session);
    let Some(list) = lists.last().filter(|list| list.seq == m.event.seq) else {
        return;
    };
    let mut options = list.options.iter().filter(|it| is_mode_option(it));
    let (Some(option), None) = (options.next(), options.next()) else {
        return;
    };
    // Only where both have the same names for the same things can they be compared.
    let ids = ids(modes);
    if ids.is_empty() || !ids.iter().all(|id| offers(option, id)) {
        return;
    }
    let (Some(mode), Some(value)) = (
        modes.get("currentModeId").and_then(Value::as_str),
        option.get("currentValue").and_then(Value::as_str),
    ) else {
        return;
    };
    let changed = m.conn.requests.iter().rev().find(|request| {
        matches!(request.method.as_str(), SET_MODE | SET_OPTION)
            && session_of(request) == Some(session)
            && succeeded(request)
    });
    let Some(changed) = changed else { return };
    if mode == value {
        return says.upheld();
    }
    if disturbed(m.conn, session, changed.seq, m.event.seq, Some(changed)) {
        return says.unclear("something else may have changed the mode meanwhile");
    }
    let (mode, value) = (text::short_to(mode, 60), text::short_to(value, 60));
    says.broken(
        Why::new(
            "the same mode in modes and in the option of the category mode",
            format!("the mode is {mode} by modes, and {value} by the option of the category mode"),
        )
        .sent(changed.text.clone()),
    );
});

/// MODES-008 (v2): there are no modes any more: no method, no update, no member of a result.
/// (v2 migration#session-modes-become-config-options)
const GONE: Rule = Rule::check("ACP-MODES-008", |m, says| {
    if m.conn.version() != Version::AcpV2 {
        return;
    }
    let found = match m.judged {
        Side::Client => match m.requested().map(|(_, request)| request.method.as_str()) {
            Some(SET_MODE) => Some("session/set_mode"),
            Some(SET_OPTION) => return says.upheld(),
            _ => None,
        },
        Side::Server => {
            if let Some((request, _)) = set_up(m) {
                let modes = request.result().and_then(|result| result.get("modes"));
                if modes.is_none_or(Value::is_null) {
                    return says.upheld();
                }
                Some("modes in a result")
            } else {
                mode_update(m).map(|_| "a current_mode_update")
            }
        }
    };
    if let Some(what) = found {
        gone(says, what);
    }
});

fn gone(says: &mut Says, what: &str) {
    says.broken(Why::new(
        "modes as an option of the category mode",
        format!("there is {what}, and version 2 has none"),
    ));
}
