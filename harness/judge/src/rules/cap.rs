//! ELICIT-CAP: what a client's capabilities allow an agent to ask.

use elenchus_protocol::{
    Version,
    acp::elicitation::{CapabilityShape, Scope},
};
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    lifecycle::proper,
    report::failed,
    views::{Course, advertised, course, death, elicited, modes_of},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, ENDS, OPENINGS, REQUESTS, TURN_ENDS, TURN_STARTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Answered, Conn, Turn, World},
};

pub(super) const RULES: &[Rule] = &[
    OMITTED.at(&[TURN_STARTS]),
    NULL.at(&[TURN_STARTS]),
    EMPTY.at(&[TURN_STARTS]),
    ALL_NULL.at(&[TURN_STARTS]),
    FORM_NOT_ADVERTISED.at(&[TURN_STARTS]),
    URL_NOT_ADVERTISED.at(&[TURN_STARTS]),
    EMPTY_MODE_COUNTS.at(&[ENDS]),
    OUTSIDE_ADVERTISED.at(&[REQUESTS]),
    FALLS_BACK.at(&[TURN_STARTS]),
    WORKS_WITHOUT.at(&[ANSWERS, TURN_ENDS]),
    MALFORMED.at(&[REQUESTS, TURN_STARTS]),
    OTHER_MEMBERS.at(&[TURN_STARTS]),
    STRAY_V1_FIELD.at(&[TURN_STARTS]),
    BEFORE_INITIALIZE.at(&[OPENINGS]),
];

/// Opens the ban where a trigger that elicits in control runs, by whatever words, meets a capability of this shape.
fn ban(m: &Moment<'_>, says: &mut Says, applies: impl Fn(&Conn, &[&str]) -> bool) {
    let Fact::TurnStarted(index) = *m.fact else {
        return;
    };
    let turn = &m.conn.turns[index];
    if let Some(trigger) = turn.trigger.as_ref().or(turn.stands_for.as_ref()) {
        let modes = modes_of(m.world, trigger);
        if !modes.is_empty() && applies(m.conn, &modes) {
            says.watch(Subject::Turn(index));
        }
    }
}

/// Any elicitation breaks it. `wrote` says what the client did.
fn none_at_all(m: &Moment<'_>, wrote: &str) -> Still {
    match elicited(m) {
        Some(_) => Still::Broken(Why::new(
            "no elicitation/create in any mode",
            format!("the client {wrote}, which advertises no mode, and was sent an elicitation"),
        )),
        None => Still::Watching,
    }
}

/// An elicitation in this mode breaks it; the client advertised the other one.
fn none_in(m: &Moment<'_>, mode: &str, other: &str) -> Still {
    match elicited(m) {
        Some((_, _, elicitation)) if elicitation.create.mode.as_deref() == Some(mode) => {
            Still::Broken(Why::new(
                format!("no elicitation in mode {mode}"),
                format!(
                    "the client advertised {other} mode only, and was sent an elicitation in mode {mode}"
                ),
            ))
        }
        _ => Still::Watching,
    }
}

/// The `elicitation` capability as the client wrote it, in the place of the connection's version.
fn capability(conn: &Conn) -> Option<&Value> {
    let params = conn.requests[conn.init.request?].params.as_ref()?;
    let place = match conn.version() {
        Version::AcpV1 => "clientCapabilities",
        Version::AcpV2 => "capabilities",
    };
    params.get(place)?.get("elicitation")
}

/// A v2 client wrote the v1 member, and no elicitation in the right place.
fn stray(conn: &Conn) -> bool {
    conn.version() == Version::AcpV2
        && conn.init.shape == CapabilityShape::Absent
        && conn
            .init
            .request
            .and_then(|request| conn.requests[request].params.as_ref())
            .and_then(|params| params.get("clientCapabilities"))
            .and_then(|capabilities| capabilities.get("elicitation"))
            .is_some_and(|value| !value.is_null())
}

/// CAP-004: an omitted elicitation capability means that nothing is elicited. What a recording that begins later does
/// not show was not omitted. (elicitation#checking-support)
const OMITTED: Rule = Rule::ban(
    "ACP-ELICIT-CAP-004",
    |m, says| {
        ban(m, says, |conn, _| {
            conn.init.request.is_some()
                && conn.init.shape == CapabilityShape::Absent
                && !stray(conn)
        });
    },
    |m, _| none_at_all(m, "left the elicitation capability out"),
);

/// CAP-005: null means the same as omitted. (elicitation#checking-support)
const NULL: Rule = Rule::ban(
    "ACP-ELICIT-CAP-005",
    |m, says| ban(m, says, |conn, _| conn.init.shape == CapabilityShape::Null),
    |m, _| none_at_all(m, "wrote \"elicitation\": null"),
);

/// CAP-006: `{}` advertises no mode; MCP's reading does not apply. (elicitation#checking-support)
const EMPTY: Rule = Rule::ban(
    "ACP-ELICIT-CAP-006",
    |m, says| ban(m, says, |conn, _| conn.init.shape == CapabilityShape::Empty),
    |m, _| none_at_all(m, "wrote \"elicitation\": {}"),
);

/// CAP-007: `{"form":null,"url":null}` advertises no mode. (elicitation#checking-support)
const ALL_NULL: Rule = Rule::ban(
    "ACP-ELICIT-CAP-007",
    |m, says| {
        ban(m, says, |conn, _| {
            conn.init.shape == CapabilityShape::AllNull
        });
    },
    |m, _| none_at_all(m, "wrote \"elicitation\": {\"form\": null, \"url\": null}"),
);

/// CAP-008: form mode needs a non-null `form`, whatever `url` says. (elicitation#checking-support)
const FORM_NOT_ADVERTISED: Rule = Rule::ban(
    "ACP-ELICIT-CAP-008",
    |m, says| {
        ban(m, says, |conn, modes| {
            conn.init.shape == CapabilityShape::Object
                && modes.contains(&"form")
                && conn.init.support.url
                && !conn.init.support.form
        });
    },
    |m, _| none_in(m, "form", "url"),
);

/// CAP-009: URL mode needs a non-null `url`, whatever `form` says. (elicitation#checking-support)
const URL_NOT_ADVERTISED: Rule = Rule::ban(
    "ACP-ELICIT-CAP-009",
    |m, says| {
        ban(m, says, |conn, modes| {
            conn.init.shape == CapabilityShape::Object
                && modes.contains(&"url")
                && conn.init.support.form
                && !conn.init.support.url
        });
    },
    |m, _| none_in(m, "url", "form"),
);

/// CAP-010: a mode object counts as support even when it is empty: `{"form":{}}` and `{"form":{"_meta":{}}}` lead to
/// the same, on two connections of one trace. Connections of the same kind that differ show an agent that varies.
/// (elicitation#checking-support; derived)
const EMPTY_MODE_COUNTS: Rule = Rule::check("ACP-ELICIT-CAP-010", |m, says| {
    if !matches!(m.fact, Fact::Ended) {
        return;
    }
    for mode in ["form", "url"] {
        let asked = |wanted: &Value| -> Vec<Option<bool>> {
            let written =
                |conn: &&Conn| capability(conn).and_then(|value| value.get(mode)) == Some(wanted);
            let conns = m.world.conns.values().filter(written);
            conns.map(|conn| asked_in(m.world, conn, mode)).collect()
        };
        let empty = asked(&serde_json::json!({}));
        let full = asked(&serde_json::json!({"_meta": {}}));
        if empty.is_empty() || full.is_empty() {
            continue;
        }
        let all =
            |asked: &[Option<bool>], what: bool| asked.iter().all(|asked| *asked == Some(what));
        let (did, did_not) = match (&empty, &full) {
            (a, b) if all(a, true) && all(b, true) => {
                says.upheld();
                continue;
            }
            (a, b) if all(a, true) && all(b, false) => ("{}", "{\"_meta\":{}}"),
            (a, b) if all(a, false) && all(b, true) => ("{\"_meta\":{}}", "{}"),
            (a, b) if all(a, false) && all(b, false) => {
                says.unclear("nothing was elicited on either connection");
                continue;
            }
            _ => {
                says.unclear("a turn did not end, or equal connections differ");
                continue;
            }
        };
        says.broken(
            Why::new(
                format!("the same with \"{mode}\":{{}} as with \"{mode}\":{{\"_meta\":{{}}}}: both advertise the mode"),
                format!("the agent elicited in mode {mode} with \"{mode}\":{did}, and not with \"{mode}\":{did_not}"),
            )
            .sent(format!(
                "\"{mode}\":{{}} on one connection, \"{mode}\":{{\"_meta\":{{}}}} on another"
            ))
            .got(format!("an elicitation with \"{mode}\":{did} only")),
        );
    }
});

/// Whether this connection brought an elicitation in this mode; `None` if no turn that should have brought one came to
/// its own end. A refused `initialize` brings none.
fn asked_in(world: &World, conn: &Conn, mode: &str) -> Option<bool> {
    let asked = conn.requests.iter().any(|request| {
        request
            .elicitation
            .as_deref()
            .is_some_and(|elicitation| elicitation.create.mode.as_deref() == Some(mode))
    });
    let refused = conn
        .init
        .request
        .and_then(|request| conn.requests[request].answer())
        .is_some_and(|answer| answer.is_error);
    let elicits = |turn: &Turn| {
        let trigger = turn.trigger.as_deref();
        trigger.is_some_and(|trigger| world.elicits(trigger, mode))
    };
    let over = |turn: &Turn| turn.ended.is_some() && turn.cancelled.is_none() && elicits(turn);
    (asked || refused || conn.turns.iter().any(over)).then_some(asked)
}

/// CAP-011: an agent requests no mode outside the advertised set; underscore modes that nobody announced are no
/// exception. In recordings of other clients a private agreement about such a mode is possible.
/// (elicitation#checking-support)
const OUTSIDE_ADVERTISED: Rule = Rule::check("ACP-ELICIT-CAP-011", |m, says| {
    let Some((_, _, elicitation)) = elicited(m) else {
        return;
    };
    let Some(mode) = elicitation
        .create
        .mode
        .as_deref()
        .filter(|_| m.conn.init.request.is_some())
    else {
        return;
    };
    if m.conn.init.shape == CapabilityShape::Malformed {
        return says
            .unclear("the capability is malformed, and what it advertises is CAP-017's to say");
    }
    let allowed = match mode {
        "form" => elicitation.support.form,
        "url" => elicitation.support.url,
        _ if !ours(m.conn) => {
            return says.unclear(format!(
                "mode `{}` may be a private agreement with this client",
                text::short_to(mode, 40)
            ));
        }
        _ => false,
    };
    says.holds(allowed, || {
        Why::new(
            "only modes that the client advertised",
            format!(
                "mode `{}` was requested, and the client has not advertised it",
                text::short_to(mode, 40)
            ),
        )
    });
});

/// The client on this connection is our own peer, of which all agreements are known.
fn ours(conn: &Conn) -> bool {
    conn.init
        .request
        .and_then(|request| conn.requests[request].params.as_ref())
        .and_then(|params| params.get("clientInfo").or_else(|| params.get("info")))
        .and_then(|info| info.get("name"))
        .is_some_and(|name| name == "elenchus")
}

/// CAP-012: where the needed mode is unavailable the agent falls back instead of stalling, crashing, or failing with
/// an internal error. An end without a word is neither a fallback nor a failure that shows.
/// (elicitation#checking-support)
const FALLS_BACK: Rule = Rule::duty(
    "ACP-ELICIT-CAP-012",
    "an end of the turn, with a message or a failure",
    |m, says| {
        ban(m, says, |conn, modes| {
            conn.init.shape != CapabilityShape::Malformed
                && modes.iter().all(|mode| !advertised(conn, mode))
        });
    },
    |m, watch| {
        if let Some(dead) = death(m, watch, "a graceful fallback", "no mode was available") {
            return dead;
        }
        let turn = match course(m, watch) {
            Course::Ended(turn) => turn,
            Course::Unclear(reason) => return Still::Unclear(reason.to_owned()),
            Course::GoesOn | Course::Asked(_) => return Still::Watching,
        };
        let end = turn.ended.as_ref();
        let stopped = end.and_then(|end| end.stop_reason.as_deref());
        if end.and_then(|end| end.error) == Some(-32603) {
            if turn.stands_for.is_some() {
                return Still::Unclear(
                    "the turn failed, for a reason that may be another".to_owned(),
                );
            }
            return Still::Broken(Why::new(
                "a fallback, or a failure that says what is missing",
                "the prompt was answered with an internal error (-32603) where no mode was available",
            ));
        }
        if turn.cancelled.is_some() {
            Still::Unclear("the turn was cancelled".to_owned())
        } else if failed(turn) || stopped.is_some_and(|reason| reason != "end_turn") {
            Still::Upheld
        } else if turn.report().is_empty() {
            Still::Unclear("the turn ended without a word".to_owned())
        } else {
            Still::Upheld
        }
    },
);

/// CAP-013: what needs no elicitation works for clients without it. (rfd:elicitation#backward-compatibility)
const WORKS_WITHOUT: Rule = Rule::check("ACP-ELICIT-CAP-013", |m, says| {
    use CapabilityShape::{Absent, AllNull, Empty, Null};
    let spoken = m
        .conn
        .init
        .requested
        .is_some_and(|version| m.world.speaks(version));
    if !spoken || !matches!(m.conn.init.shape, Absent | Null | Empty | AllNull) {
        return;
    }
    if let Some((_, turn)) = m.turn_ended() {
        let prompt = &m.conn.requests[turn.request];
        if turn.trigger.as_deref() == Some("/say") {
            match prompt.answer().filter(|answer| answer.is_error) {
                Some(error) => refused(says, "the prompt", error),
                None if failed(turn) => {
                    says.unclear("the turn failed, for a reason that may be another");
                }
                None => says.upheld(),
            }
        }
    } else if let Some((_, request)) = m.answered()
        && matches!(request.method.as_str(), "initialize" | "session/new")
        && proper(m.conn, request)
        && let Some(answer) = request.answer()
    {
        if answer.is_error {
            refused(says, &request.method, answer);
        } else {
            says.upheld();
        }
    }
});

/// An error may have many reasons; only one that names elicitation is certain.
fn refused(says: &mut Says, what: &str, error: &Answered) {
    if error.text.to_ascii_lowercase().contains("elicit") {
        says.broken(Why::new(
            "a result, as for clients with elicitation",
            format!("{what} was refused because the client has no elicitation"),
        ));
    } else {
        says.unclear(format!("{what} failed, for a reason that may be another"));
    }
}

/// CAP-017: a malformed capability value advertises nothing, and does not end the agent. Refusing to initialize is
/// not judged: the published schema calls the value invalid. (schema, default-on-error; derived)
const MALFORMED: Rule = Rule::ban(
    "ACP-ELICIT-CAP-017",
    |m, says| {
        if m.conn.init.shape != CapabilityShape::Malformed {
            return;
        }
        if m.asked()
            .is_some_and(|(_, request)| request.method == "initialize")
        {
            says.watch(Subject::Connection);
        }
        ban(m, says, |_, _| true);
    },
    |m, watch| {
        let expected = "a malformed capability is read as absent";
        if let Some(dead) = death(
            m,
            watch,
            expected,
            "the client's elicitation capability was malformed",
        ) {
            return dead;
        }
        if watch.subject == Subject::Connection {
            return match (m.answered(), m.fact) {
                (Some((_, request)), _) if request.method == "initialize" => match request.result()
                {
                    Some(_) => Still::Moot,
                    None => Still::Unclear(
                        "initialize was refused, which the published schema allows".to_owned(),
                    ),
                },
                (_, Fact::Settled) => Still::Unclear("initialize was not answered".to_owned()),
                _ => Still::Watching,
            };
        }
        let advertises = |mode: Option<&str>| mode.is_some_and(|mode| advertised(m.conn, mode));
        match elicited(m) {
            Some((_, _, elicitation)) if !advertises(elicitation.create.mode.as_deref()) => {
                Still::Broken(Why::new(
                    "no elicitation: a malformed capability advertises nothing",
                    "the client's elicitation capability was malformed, and it was sent an elicitation",
                ))
            }
            _ => Still::Watching,
        }
    },
);

/// The capability object holds members besides `form`, `url` and `_meta`.
fn has_other_members(conn: &Conn) -> bool {
    capability(conn)
        .and_then(Value::as_object)
        .is_some_and(|object| {
            object
                .keys()
                .any(|key| !matches!(key.as_str(), "form" | "url" | "_meta"))
        })
}

/// CAP-018: other members of the capability advertise no mode, and do not hide the ones that stand beside them.
/// (elicitation#checking-support; derived)
const OTHER_MEMBERS: Rule = Rule::check_later(
    "ACP-ELICIT-CAP-018",
    |m, says| {
        ban(m, says, |conn, modes| {
            conn.init.support.form && modes.contains(&"form") && has_other_members(conn)
        });
    },
    |m, watch| {
        if let Some((_, _, elicitation)) = elicited(m) {
            let mode = elicitation.create.mode.as_deref().unwrap_or_default();
            let listed = || {
                capability(m.conn)
                    .and_then(|value| value.get(mode))
                    .is_some()
            };
            return match mode {
                "form" => Still::Upheld,
                "url" => Still::Watching,
                _ if listed() => Still::Broken(Why::new(
                    "mode form or url",
                    format!(
                        "`{}`, a member of the capability object that is no mode, was used as one",
                        text::short_to(mode, 40)
                    ),
                )),
                _ => Still::Watching,
            };
        }
        match course(m, watch) {
            Course::Ended(turn) if turn.cancelled.is_some() || failed(turn) => {
                Still::Unclear("the turn failed or was cancelled before it asked".to_owned())
            }
            Course::Ended(_) => Still::Broken(
                Why::new(
                    "an elicitation in mode form, as in the control run",
                    "an unknown member beside `form` made the agent treat form mode as unsupported",
                )
                .got("the turn ended without an elicitation"),
            ),
            Course::Unclear(reason) => Still::Unclear(reason.to_owned()),
            Course::GoesOn | Course::Asked(_) => Still::Watching,
        }
    },
);

/// CAP-019: in v2 only `capabilities.elicitation` counts; a stray `clientCapabilities.elicitation` advertises nothing.
/// (initialization#capabilities; derived)
const STRAY_V1_FIELD: Rule = Rule::ban(
    "ACP-ELICIT-CAP-019",
    |m, says| {
        ban(m, says, |conn, _| {
            stray(conn) && conn.init.negotiated == Some(Version::AcpV2)
        });
    },
    |m, _| match elicited(m) {
        Some(_) => Still::Broken(Why::new(
            "no elicitation: the v1 member means nothing in v2",
            "the client wrote clientCapabilities.elicitation on a v2 connection, and was sent an elicitation",
        )),
        None => Still::Watching,
    },
);

/// CAP-020: nothing is elicited before the initialize exchange. During it, an elicitation that is scoped to the
/// initialize request is not judged, and neither is one that crossed with the request. (initialization; derived)
const BEFORE_INITIALIZE: Rule = Rule::check_later(
    "ACP-ELICIT-CAP-020",
    |m, says| {
        if matches!(m.fact, Fact::Opened) && m.conn.target == Side::Server {
            says.watch(Subject::Connection);
        }
    },
    before_initialize,
);

fn before_initialize(m: &Moment<'_>, _: &Watch) -> Still {
    let initialize = m.conn.init.request;
    if let Some((_, _, elicitation)) = elicited(m) {
        return match (initialize, &elicitation.create.scope) {
            (None, _) => Still::Broken(
                Why::new(
                    "silence until initialize has told what the client can do",
                    "an elicitation was sent before initialize",
                )
                .sent("nothing yet"),
            ),
            (Some(initialize), Scope::Request(id))
                if id == m.conn.requests[initialize].id.text() =>
            {
                Still::Unclear("an elicitation came during initialize, scoped to it".to_owned())
            }
            _ => Still::Unclear("an elicitation crossed with initialize".to_owned()),
        };
    }
    match m.answered() {
        Some((index, _)) if initialize == Some(index) => Still::Upheld,
        _ if matches!(m.fact, Fact::Exited) => Still::Moot,
        _ => Still::Watching,
    }
}
