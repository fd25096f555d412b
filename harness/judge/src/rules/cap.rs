//! ELICIT-CAP: what a client's capabilities allow an agent to ask.

use elenchus_protocol::{
    Version,
    acp::elicitation::{CapabilityShape, Scope},
};
use elenchus_wire::Side;
use serde_json::Value;

use super::views::{advertised, elicited, modes_of, triggered};
use crate::{
    fact::{Fact, Moment},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    world::Conn,
};

pub(super) const RULES: &[Rule] = &[
    OMITTED,
    NULL,
    EMPTY,
    ALL_NULL,
    FORM_NOT_ADVERTISED,
    URL_NOT_ADVERTISED,
    EMPTY_MODE_COUNTS,
    OUTSIDE_ADVERTISED,
    FALLS_BACK,
    WORKS_WITHOUT,
    MALFORMED,
    OTHER_MEMBERS,
    STRAY_V1_FIELD,
    BEFORE_INITIALIZE,
];

/// Opens the ban where a trigger that elicits in control runs meets a capability of this shape.
fn ban(m: &Moment<'_>, says: &mut Says, applies: impl Fn(&Conn, &[&str]) -> bool) {
    if let Some((turn, _, trigger)) = triggered(m) {
        let modes = modes_of(m.world, trigger);
        if !modes.is_empty() && applies(m.conn, &modes) {
            says.watch(Subject::Turn(turn));
        }
    }
}

/// Any elicitation breaks it.
fn none_at_all(m: &Moment<'_>, advertised: &str) -> Still {
    match elicited(m) {
        Some(_) => Still::Broken(Why::new(
            "no elicitation/create in any mode",
            format!(
                "the client advertised elicitation as {advertised}, which means no mode, and was sent an elicitation"
            ),
        )),
        None => Still::Watching,
    }
}

/// An elicitation in this mode breaks it.
fn none_in(m: &Moment<'_>, mode: &str) -> Still {
    match elicited(m) {
        Some((_, _, elicitation)) if elicitation.create.mode.as_deref() == Some(mode) => {
            Still::Broken(Why::new(
                format!("no elicitation in mode {mode}"),
                format!(
                    "the client advertised only the other mode, and was sent a question in mode {mode}"
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

/// CAP-004: an omitted elicitation capability means that nothing is elicited. (elicitation#checking-support)
const OMITTED: Rule = Rule::ban(
    "ACP-ELICIT-CAP-004",
    |m, says| {
        ban(m, says, |conn, _| {
            conn.init.shape == CapabilityShape::Absent && !stray(conn)
        });
    },
    |m, _| none_at_all(m, "absent"),
);

/// CAP-005: null means the same as omitted. (elicitation#checking-support)
const NULL: Rule = Rule::ban(
    "ACP-ELICIT-CAP-005",
    |m, says| ban(m, says, |conn, _| conn.init.shape == CapabilityShape::Null),
    |m, _| none_at_all(m, "null"),
);

/// CAP-006: `{}` advertises no mode; MCP's reading does not apply. (elicitation#checking-support)
const EMPTY: Rule = Rule::ban(
    "ACP-ELICIT-CAP-006",
    |m, says| ban(m, says, |conn, _| conn.init.shape == CapabilityShape::Empty),
    |m, _| none_at_all(m, "{}"),
);

/// CAP-007: `{"form":null,"url":null}` advertises no mode. (elicitation#checking-support)
const ALL_NULL: Rule = Rule::ban(
    "ACP-ELICIT-CAP-007",
    |m, says| {
        ban(m, says, |conn, _| {
            conn.init.shape == CapabilityShape::AllNull
        });
    },
    |m, _| none_at_all(m, "{\"form\":null,\"url\":null}"),
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
    |m, _| none_in(m, "form"),
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
    |m, _| none_in(m, "url"),
);

/// CAP-010: a mode object counts as support even when it is empty: `{"form":{}}` and `{"form":{"_meta":{}}}` lead to
/// the same, on two connections of one trace. (elicitation#checking-support; derived)
const EMPTY_MODE_COUNTS: Rule = Rule::check("ACP-ELICIT-CAP-010", |m, says| {
    if !matches!(m.fact, Fact::Ended) {
        return;
    }
    for mode in ["form", "url"] {
        let with = |wanted: &Value| {
            m.world
                .conns
                .values()
                .find(|conn| capability(conn).and_then(|value| value.get(mode)) == Some(wanted))
        };
        let (Some(empty), Some(full)) = (
            with(&serde_json::json!({})),
            with(&serde_json::json!({"_meta": {}})),
        ) else {
            continue;
        };
        match (asked_in(empty, mode), asked_in(full, mode)) {
            (Some(true), Some(true)) => says.upheld(),
            (Some(false), Some(false)) => says.unclear("nothing was elicited on either connection"),
            (Some(one), Some(_)) => {
                let (did, did_not) = if one {
                    ("{}", "{\"_meta\":{}}")
                } else {
                    ("{\"_meta\":{}}", "{}")
                };
                says.broken(
                    Why::new(
                        format!("\"{mode}\":{{}} counts as support like \"{mode}\":{{\"_meta\":{{}}}}"),
                        format!(
                            "the agent elicited in mode {mode} with \"{mode}\":{did}, and not with \"{mode}\":{did_not}"
                        ),
                    )
                    .got(format!("an elicitation with {did} only")),
                );
            }
            _ => says.unclear("one of the two connections came to no end of its turn"),
        }
    }
});

/// Whether a finished turn of this connection brought an elicitation in this mode; `None` if no turn finished.
fn asked_in(conn: &Conn, mode: &str) -> Option<bool> {
    let asked = conn.requests.iter().any(|request| {
        request
            .elicitation
            .as_deref()
            .is_some_and(|elicitation| elicitation.create.mode.as_deref() == Some(mode))
    });
    let refused = conn
        .init
        .request
        .is_some_and(|request| conn.requests[request].error_code().is_some());
    (asked || refused || conn.turns.iter().any(|turn| turn.ended.is_some())).then_some(asked)
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
    let allowed = match mode {
        "form" => elicitation.support.form,
        "url" => elicitation.support.url,
        _ if !ours(m.conn) => {
            return says.unclear(format!(
                "mode {mode} may be a private agreement with this client"
            ));
        }
        _ => false,
    };
    says.holds(allowed, || {
        Why::new(
            "only modes that the client advertised",
            format!(
                "mode `{}` was requested, and the client has not advertised it",
                crate::text::short_to(mode, 40)
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
/// an internal error. (elicitation#checking-support)
const FALLS_BACK: Rule = Rule::duty(
    "ACP-ELICIT-CAP-012",
    "the turn ends, with a message or a failure",
    |m, says| {
        ban(m, says, |conn, modes| {
            conn.init.shape != CapabilityShape::Malformed
                && modes.iter().all(|mode| !advertised(conn, mode))
        });
    },
    |m, watch| match m.turn_ended() {
        Some((turn, ended)) if watch.subject == Subject::Turn(turn) => {
            match ended.ended.as_ref().and_then(|end| end.error) {
                Some(-32603) => Still::Broken(Why::new(
                    "a fallback, or a failure that says what is missing",
                    "the prompt was answered with an internal error (-32603) because no mode was available",
                )),
                _ => Still::Upheld,
            }
        }
        _ => match m.died() {
            Some(how) => Still::Broken(Why::new(
                "a graceful fallback",
                format!("no mode was available, and {how}"),
            )),
            None => Still::Watching,
        },
    },
);

/// CAP-013: what needs no elicitation works for clients without it. (rfd:elicitation#backward-compatibility)
const WORKS_WITHOUT: Rule = Rule::check("ACP-ELICIT-CAP-013", |m, says| {
    use CapabilityShape::{Absent, AllNull, Empty, Null};
    let Some((_, request)) = m.answered() else {
        return;
    };
    let spoken = m
        .conn
        .init
        .requested
        .is_some_and(|version| m.world.speaks(version));
    if !spoken || !matches!(m.conn.init.shape, Absent | Null | Empty | AllNull) {
        return;
    }
    let plain_prompt = request
        .turn
        .is_some_and(|turn| m.conn.turns[turn].trigger.as_deref() == Some("/say"));
    if !(plain_prompt || matches!(request.method.as_str(), "initialize" | "session/new")) {
        return;
    }
    let Some(answer) = request.answer() else {
        return;
    };
    if !answer.is_error {
        return says.upheld();
    }
    // An error may have other reasons; only one that names elicitation is certain.
    if answer.text.to_ascii_lowercase().contains("elicit") {
        says.broken(Why::new(
            "a result, as for clients with elicitation",
            format!(
                "{} was refused because the client has no elicitation",
                request.method
            ),
        ));
    } else {
        says.unclear(format!(
            "{} failed, for a reason that may be another",
            request.method
        ));
    }
});

/// CAP-017: a malformed capability value advertises nothing, and does not end the agent. Refusing to initialize is
/// not judged: the published schema calls the value invalid. (schema, default-on-error; derived)
const MALFORMED: Rule = Rule::ban(
    "ACP-ELICIT-CAP-017",
    |m, says| {
        let Some((_, request)) = m.asked() else {
            if let (Fact::TurnStarted(turn), CapabilityShape::Malformed) =
                (m.fact, m.conn.init.shape)
                && triggered(m)
                    .is_some_and(|(_, _, trigger)| !modes_of(m.world, trigger).is_empty())
            {
                says.watch(Subject::Turn(*turn));
            }
            return;
        };
        if request.method == "initialize" && m.conn.init.shape == CapabilityShape::Malformed {
            says.watch_for(Subject::Connection, "initialize");
        }
    },
    |m, watch| {
        if let Some(how) = m.died() {
            return Still::Broken(Why::new(
                "a malformed capability is read as absent",
                format!("it was sent, and {how}"),
            ));
        }
        if watch.memo == "initialize" {
            return match m.answered() {
                Some((_, request)) if request.method == "initialize" => {
                    match request.error_code() {
                        Some(_) => Still::Unclear(
                            "initialize was refused, which the published schema allows".to_owned(),
                        ),
                        None => Still::Moot,
                    }
                }
                _ => Still::Watching,
            };
        }
        match elicited(m) {
            Some((_, _, elicitation))
                if !elicitation
                    .create
                    .mode
                    .as_deref()
                    .is_some_and(|mode| advertised(m.conn, mode)) =>
            {
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
const OTHER_MEMBERS: Rule = Rule::duty(
    "ACP-ELICIT-CAP-018",
    "the form that the capability advertises beside an unknown member",
    |m, says| {
        ban(m, says, |conn, modes| {
            conn.init.support.form && modes.contains(&"form") && has_other_members(conn)
        });
    },
    |m, watch| {
        if let Some((_, _, elicitation)) = elicited(m) {
            let mode = elicitation.create.mode.as_deref().unwrap_or_default();
            let listed = capability(m.conn)
                .and_then(|value| value.get(mode))
                .is_some();
            return match mode {
                "form" => Still::Upheld,
                "url" => Still::Watching,
                _ if listed => Still::Broken(Why::new(
                    "mode form or url",
                    format!(
                        "a member of the capability object that is no mode was used as mode `{mode}`"
                    ),
                )),
                _ => Still::Watching,
            };
        }
        match m.turn_ended() {
            Some((turn, _)) if watch.subject == Subject::Turn(turn) => Still::Broken(
                Why::new(
                    "an elicitation in mode form, as in the control run",
                    "an unknown member beside `form` made the agent treat form mode as unsupported",
                )
                .got("the turn ended without an elicitation"),
            ),
            _ => Still::Watching,
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
/// initialize request is not judged. (initialization; derived)
const BEFORE_INITIALIZE: Rule = Rule::ban(
    "ACP-ELICIT-CAP-020",
    |m, says| {
        if matches!(m.fact, Fact::Opened) && m.conn.target == Side::Server {
            says.watch(Subject::Connection);
        }
    },
    before_initialize,
);

fn before_initialize(m: &Moment<'_>, _: &Watch) -> Still {
    if let Some((_, _, elicitation)) = elicited(m) {
        let Some(initialize) = m.conn.init.request else {
            return Still::Broken(
                Why::new(
                    "silence until initialize has told what the client can do",
                    "an elicitation was sent before initialize",
                )
                .sent("nothing yet"),
            );
        };
        return match &elicitation.create.scope {
            Scope::Request(id) if id == m.conn.requests[initialize].id.text() => {
                Still::Unclear("an elicitation came during initialize, scoped to it".to_owned())
            }
            _ => Still::Unclear("an elicitation crossed with initialize".to_owned()),
        };
    }
    match m.answered() {
        Some((index, _)) if m.conn.init.request == Some(index) => Still::Upheld,
        _ if matches!(m.fact, Fact::Exited) => Still::Moot,
        _ => Still::Watching,
    }
}
