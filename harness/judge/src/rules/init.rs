//! INIT: initialize, version negotiation, and what capabilities promise.

use elenchus_protocol::{
    Version, Weight,
    acp::{
        initialize::{self, InitFault},
        methods,
    },
};
use serde_json::Value;

use super::views::tell;
use crate::{
    fact::{Fact, Moment},
    rule::{Rule, Says, Still, Subject, Why},
    text,
    world::{Answered, Request},
};

pub(super) const RULES: &[Rule] = &[
    SUCCEEDS,
    SAME_VERSION,
    UNSUPPORTED_V1,
    GREATEST_V2,
    REFUSED_V2,
    // 009: protocolVersion is an integer in 0..65535. (crate version.rs)
    Rule::check("ACP-INIT-009", |m, s| {
        result_fault(m, s, InitFault::ProtocolVersion);
    }),
    ONE_VERSION_ONLY,
    // 013: the v1 result. (v1/agent.rs InitializeResponse)
    Rule::check("ACP-INIT-013", |m, s| {
        result_fault(m, s, InitFault::ResultShapeV1);
    }),
    // 014: the v2 result. (v2/agent.rs InitializeResponse)
    Rule::check("ACP-INIT-014", |m, s| {
        result_fault(m, s, InitFault::ResultShapeV2);
    }),
    // 016: v2 info has a name and a version. (Implementation)
    Rule::check("ACP-INIT-016", |m, s| result_fault(m, s, InitFault::Info)),
    // 019: v2 capability markers are objects. (v2 migration)
    Rule::check("ACP-INIT-019", |m, s| {
        result_fault(m, s, InitFault::MarkerV2);
    }),
    // 020: v1 capability values have the type of their slot. (v1 initialization#capabilities)
    Rule::check("ACP-INIT-020", |m, s| {
        result_fault(m, s, InitFault::CapabilityV1);
    }),
    UNKNOWN_CAPABILITIES,
    ANNOUNCED_WORKS,
    SESSION_BASELINE_V2,
    SESSION_BASELINE_V1,
];

/// The first initialize of the connection and its answer, at the answer.
fn initialized<'a>(m: &Moment<'a>) -> Option<(&'a Request, &'a Answered)> {
    let (index, request) = m.answered()?;
    (m.conn.init.request == Some(index)).then_some((request, request.answer()?))
}

/// What the strict view of the result finds of this fault.
fn result_fault(m: &Moment<'_>, says: &mut Says, fault: InitFault) {
    let Some((_, answer)) = initialized(m) else {
        return;
    };
    let Some(result) = answer.result.as_ref().filter(|_| !answer.is_error) else {
        return;
    };
    let view = initialize::read_result(result, m.conn.version());
    let applies = match fault {
        InitFault::ResultShapeV1 | InitFault::CapabilityV1 => m.conn.version() == Version::AcpV1,
        InitFault::ResultShapeV2 | InitFault::Info | InitFault::MarkerV2 => {
            m.conn.version() == Version::AcpV2
        }
        InitFault::ProtocolVersion => true,
    };
    tell(
        says,
        view.problems.iter().filter(|problem| problem.kind == fault),
        Weight::Violation,
        applies,
    );
}

fn params(request: &Request) -> &Value {
    request.params.as_ref().unwrap_or(&Value::Null)
}

/// The client's capabilities, wherever they stand.
fn capabilities(request: &Request) -> Option<&Value> {
    params(request)
        .get("clientCapabilities")
        .or_else(|| params(request).get("capabilities"))
}

/// The initialize carries capability members or `_meta` keys that no protocol defines.
fn has_unknown_capabilities(request: &Request) -> bool {
    const KNOWN: &[&str] = &[
        "fs",
        "terminal",
        "elicitation",
        "auth",
        "session",
        "plan",
        "subagents",
    ];
    capabilities(request)
        .and_then(Value::as_object)
        .is_some_and(|object| {
            object.iter().any(|(key, value)| match key.as_str() {
                "_meta" => value.as_object().is_some_and(|meta| !meta.is_empty()),
                known => !KNOWN.contains(&known),
            })
        })
}

/// The client's capabilities are such as a conforming client may send.
fn plain(m: &Moment<'_>, request: &Request) -> bool {
    use elenchus_protocol::acp::elicitation::CapabilityShape::Malformed;
    m.conn.init.shape != Malformed && !has_unknown_capabilities(request)
}

/// INIT-002: initialize with a supported version and any valid capabilities succeeds. (initialization)
const SUCCEEDS: Rule = Rule::check_later(
    "ACP-INIT-002",
    |m, says| {
        if let Some((index, request)) = m.asked()
            && m.conn.init.request == Some(index)
            && m.conn
                .init
                .requested
                .is_some_and(|version| m.world.speaks(version))
            && plain(m, request)
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        if let Some(how) = m.died() {
            return Still::Broken(Why::new(
                "a result",
                format!("initialize was sent, and {how}"),
            ));
        }
        let Some((index, request)) = m
            .answered()
            .filter(|(index, _)| watch.subject == Subject::Request(*index))
        else {
            return Still::Watching;
        };
        let _ = index;
        match request.error_code() {
            Some(-32022) => Still::Moot,
            _ if request.answer().is_some_and(|answer| answer.is_error) => Still::Broken(Why::new(
                "a result",
                format!(
                    "initialize for a version that the agent speaks, with the capabilities {}, was refused",
                    text::short_to(
                        &capabilities(request).unwrap_or(&Value::Null).to_string(),
                        160
                    )
                ),
            )),
            _ => Still::Upheld,
        }
    },
);

/// INIT-004: a supported version is answered with exactly that version. (initialization#version-negotiation)
const SAME_VERSION: Rule = Rule::check("ACP-INIT-004", |m, says| {
    let Some((_, answer)) = initialized(m) else {
        return;
    };
    let Some(requested) = m
        .conn
        .init
        .requested
        .filter(|version| m.world.speaks(*version))
    else {
        return;
    };
    // A result that carries no readable version is INIT-009's, an error INIT-002's.
    let Some(answered) = m.conn.init.answered.filter(|_| !answer.is_error) else {
        return;
    };
    says.holds(answered == requested, || {
        Why::new(
            format!("protocolVersion {requested}"),
            format!(
                "the agent speaks version {requested}, was asked for it, and answered {answered}"
            ),
        )
    });
});

/// The version asked for is greater than any that the agent speaks, and that is known.
fn asked_above(m: &Moment<'_>) -> Option<(u16, u16)> {
    let requested = m.conn.init.requested?;
    let greatest = m
        .world
        .greatest_version()
        .filter(|_| m.world.versions_known())?;
    (requested > greatest).then_some((requested, greatest))
}

/// What an answer to a too great version says; shared by the texts of v1 and v2.
fn judge_above(m: &Moment<'_>, says: &mut Says) {
    let (Some((_, answer)), Some((requested, greatest))) = (initialized(m), asked_above(m)) else {
        return;
    };
    if answer.is_error {
        return says.broken(Why::new(
            format!("a result with protocolVersion {greatest}"),
            format!(
                "version {requested}, which the agent does not speak, was answered with an error"
            ),
        ));
    }
    match m.conn.init.answered {
        Some(answered) if answered == greatest => says.upheld(),
        Some(answered) if m.world.speaks(answered) => {
            says.upheld();
            says.note(format!(
                "the agent answered version {answered}, and speaks {greatest}"
            ));
        }
        Some(answered) if answered == requested => says.broken(Why::new(
            format!("the latest version that the agent speaks: {greatest}"),
            format!("the agent echoed version {requested}, which it does not speak"),
        )),
        Some(0) => says.broken(Why::new(
            format!("protocolVersion {greatest}"),
            "the agent answered version 0",
        )),
        Some(answered) => says.unclear(format!(
            "the agent answered version {answered}, which Elenchus does not know"
        )),
        None => {}
    }
}

/// INIT-005 (v1): an unsupported version is answered with the latest one that the agent supports, not echoed and not
/// refused. (v1 initialization#version-negotiation)
const UNSUPPORTED_V1: Rule = Rule::check("ACP-INIT-005", judge_above);

/// INIT-007 (v2): the result's version is the greatest that the agent supports and that does not exceed the request.
/// (crate v2/agent.rs InitializeResponse.protocol_version)
const GREATEST_V2: Rule = Rule::check("ACP-INIT-007", |m, says| {
    if !m.world.speaks(2) {
        return;
    }
    if asked_above(m).is_some() {
        return judge_above(m, says);
    }
    let (Some((_, answer)), Some(requested)) = (initialized(m), m.conn.init.requested) else {
        return;
    };
    let Some(answered) = m.conn.init.answered.filter(|_| !answer.is_error) else {
        return;
    };
    // Version 0 falls under the v1 text as well, which wants a result above the request.
    if requested == 0 {
        return;
    }
    says.holds(answered <= requested, || {
        Why::new(
            format!("a version of at most {requested}"),
            format!("version {requested} was asked for, and the agent answered {answered}"),
        )
    });
});

/// INIT-008 (v2): where every supported version exceeds the requested one, initialize fails with -32022 and data that
/// names both. An agent that also speaks v1 may answer version 0 by the v1 text, with a result.
/// (crate v2/error.rs UnsupportedProtocolVersionErrorData)
const REFUSED_V2: Rule = Rule::check("ACP-INIT-008", |m, says| {
    let (Some((_, answer)), Some(requested)) = (initialized(m), m.conn.init.requested) else {
        return;
    };
    let least = [1, 2].into_iter().find(|version| m.world.speaks(*version));
    if !m.world.speaks(2)
        || !m.world.versions_known()
        || least.is_none_or(|least| requested >= least)
    {
        return;
    }
    let expected = "error -32022 with data {requested, supported}";
    if !answer.is_error {
        let by_v1 = requested == 0
            && m.world.speaks(1)
            && m.conn
                .init
                .answered
                .is_some_and(|answered| m.world.speaks(answered));
        return says.holds(by_v1, || {
            Why::new(
                expected,
                format!(
                    "version {requested} is below all that the agent speaks, and it gave a result"
                ),
            )
        });
    }
    let data = answer.error_data.as_ref();
    let names_requested = data
        .and_then(|data| data.get("requested"))
        .and_then(Value::as_u64)
        == Some(requested.into());
    let names_supported = data
        .and_then(|data| data.get("supported"))
        .and_then(Value::as_array)
        .is_some_and(|list| {
            !list.is_empty()
                && list
                    .iter()
                    .all(|entry| entry.as_u64().is_some_and(|v| v > requested.into()))
        });
    says.holds(
        answer.error_code == Some(-32022) && names_requested && names_supported,
        || {
            Why::new(
                expected,
                format!("version {requested} was refused in another way"),
            )
        },
    );
});

/// INIT-011: after initialize only the negotiated version's names are used. Names with a row of their own are left to
/// it. (initialization#protocol-version)
const ONE_VERSION_ONLY: Rule = Rule::check("ACP-INIT-011", |m, says| {
    if m.conn.init.negotiated.is_none() {
        return;
    }
    let (method, params) = match m.fact {
        Fact::Requested(index) if m.conn.requests[*index].from == m.judged => {
            let request = &m.conn.requests[*index];
            (request.method.as_str(), request.params.as_ref())
        }
        Fact::Notified(index) if m.conn.notifications[*index].from == m.judged => {
            let notification = &m.conn.notifications[*index];
            (notification.method.as_str(), notification.params.as_ref())
        }
        _ => return,
    };
    if method.starts_with('_') {
        return;
    }
    match methods::only_in_other_version(m.conn.version(), method, params) {
        None => says.upheld(),
        Some(name) if has_own_row(&name) => {}
        Some(name) => says.broken(Why::new(
            format!("names of {} only", m.conn.version()),
            format!("`{name}` exists only in the other version of the protocol"),
        )),
    }
})
.of_both();

/// Findings on these names belong to MODES-008, FS-010, TERM-013, TOOL-003, PLAN-005, STATE-014 and RESUME-017.
fn has_own_row(name: &str) -> bool {
    name.starts_with("fs/")
        || name.starts_with("terminal/")
        || matches!(
            name,
            "current_mode_update"
                | "session/set_mode"
                | "tool_call"
                | "plan"
                | "state_update"
                | "session/load"
        )
}

/// INIT-023: unknown capabilities and unknown `_meta` in them are no error. (initialization#capabilities; derived)
const UNKNOWN_CAPABILITIES: Rule = Rule::check_later(
    "ACP-INIT-023",
    |m, says| {
        if let Some((index, request)) = m.asked()
            && m.conn.init.request == Some(index)
            && m.conn
                .init
                .requested
                .is_some_and(|version| m.world.speaks(version))
            && has_unknown_capabilities(request)
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        if let Some(how) = m.died() {
            return Still::Broken(Why::new(
                "a result",
                format!("an unknown capability was sent, and {how}"),
            ));
        }
        match m.answered() {
            Some((index, request)) if watch.subject == Subject::Request(index) => {
                if request.answer().is_some_and(|answer| answer.is_error) {
                    Still::Broken(Why::new(
                        "a result",
                        "initialize with an unknown capability was refused",
                    ))
                } else {
                    Still::Upheld
                }
            }
            _ => Still::Watching,
        }
    },
);

/// A method was called and did not answer that it does not exist.
fn exists(m: &Moment<'_>, says: &mut Says, applies: impl Fn(&Moment<'_>, &str) -> bool) {
    let Some((_, request)) = m.answered() else {
        return;
    };
    if !applies(m, &request.method) {
        return;
    }
    let missing = request.error_code() == Some(-32601);
    says.holds(!missing, || {
        Why::new(
            "any answer but -32601",
            format!(
                "{} is announced by the agent's capabilities, and answered that it does not exist",
                request.method
            ),
        )
        .sent(request.text.clone())
    });
}

/// The methods that `capabilities.session` of v2 stands for.
const V2_SESSION: &[&str] = &[
    "session/new",
    "session/list",
    "session/resume",
    "session/close",
    "session/prompt",
    "session/cancel",
];

/// INIT-025: an announced method exists. (initialization#capabilities)
const ANNOUNCED_WORKS: Rule = Rule::check("ACP-INIT-025", |m, says| {
    exists(m, says, |m, method| {
        let by_session = m.conn.version() == Version::AcpV2 && V2_SESSION.contains(&method);
        let features = m.conn.init.features.as_ref();
        !by_session && features.is_some_and(|features| features.announced.contains(&method))
    });
});

/// INIT-026 (v2): `capabilities.session` stands for the whole session baseline. (v2 initialization#session-capabilities)
const SESSION_BASELINE_V2: Rule = Rule::check("ACP-INIT-026", |m, says| {
    exists(m, says, |m, method| {
        m.conn.version() == Version::AcpV2
            && V2_SESSION.contains(&method)
            && m.conn
                .init
                .features
                .as_ref()
                .is_some_and(|features| features.sessions)
    });
});

/// INIT-027 (v1): session/new and session/prompt always exist. (v1 initialization#session-capabilities)
const SESSION_BASELINE_V1: Rule = Rule::check("ACP-INIT-027", |m, says| {
    exists(m, says, |m, method| {
        m.conn.init.negotiated == Some(Version::AcpV1)
            && matches!(method, "session/new" | "session/prompt")
    });
});
