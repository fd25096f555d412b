//! INIT: initialize, version negotiation, and what capabilities promise.

mod announced;
mod course;

use elenchus_protocol::{
    Version, Weight,
    acp::{
        elicitation::{self, CapabilityShape},
        initialize::{InitFault, read_params},
        methods, shapes,
    },
};
use elenchus_wire::Side;
use serde_json::Value;

use super::{client::init as client, error::has_version_data, views::tell};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS, TURN_STARTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Answered, Conn, Request},
};

pub(super) const RULES: &[Rule] = &[
    SUCCEEDS.at(&[REQUESTS]),
    SAME_VERSION.at(&[ANSWERS]),
    UNSUPPORTED_V1.at(&[ANSWERS]),
    GREATEST_V2.at(&[ANSWERS]),
    REFUSED_V2.at(&[ANSWERS]),
    Rule::check("ACP-INIT-009", |m, s| {
        result_fault(m, s, InitFault::ProtocolVersion);
    })
    .at(&[ANSWERS]),
    ONE_VERSION_ONLY.at(&[NOTIFICATIONS, REQUESTS]),
    Rule::check("ACP-INIT-013", |m, s| {
        result_fault(m, s, InitFault::ResultShapeV1);
    })
    .at(&[ANSWERS]),
    Rule::check("ACP-INIT-014", |m, s| {
        result_fault(m, s, InitFault::ResultShapeV2);
    })
    .at(&[ANSWERS]),
    Rule::check("ACP-INIT-016", |m, s| own_fault(m, s, InitFault::Info))
        .of_both()
        .at(&[ANSWERS, REQUESTS]),
    Rule::check("ACP-INIT-019", |m, s| own_fault(m, s, InitFault::MarkerV2))
        .of_both()
        .at(&[ANSWERS, REQUESTS]),
    Rule::check("ACP-INIT-020", |m, s| {
        own_fault(m, s, InitFault::CapabilityV1);
    })
    .of_both()
    .at(&[ANSWERS, REQUESTS]),
    UNKNOWN_CAPABILITIES,
    announced::ANNOUNCED_WORKS.at(&[ANSWERS]),
    announced::SESSION_BASELINE_V2.at(&[ANSWERS]),
    announced::SESSION_BASELINE_V1.at(&[ANSWERS, NOTIFICATIONS]),
    course::ODD_VERSION.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    course::OWN_INFO.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    course::LACKS_MEMBERS.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    course::ANY_CAPABILITIES.at(&[ANSWERS]),
    course::ANNOUNCES_WHAT_IT_HAS.at(&[ANSWERS]),
    course::SECOND_INITIALIZE.at(&[ANSWERS, TURN_STARTS]),
    course::EARLY_V2.at(&[ANSWERS, REQUESTS]),
    course::EARLY_V1.at(&[ANSWERS, REQUESTS]),
    course::PROMPT_START.at(&[REQUESTS]),
    course::NOTHING_LOST,
];

pub(super) use course::{unannounced, while_initializing};

/// The first initialize of the connection and its answer, at the answer.
fn initialized<'a>(m: &Moment<'a>) -> Option<(&'a Request, &'a Answered)> {
    let (index, request) = m.answered()?;
    (m.conn.init.request == Some(index)).then_some((request, request.answer()?))
}

/// The version whose shape the result has to have: the one that it names, or if that can't be read the one that was
/// asked for. None for a version that Elenchus does not know or the agent does not speak: that is an echo (INIT-005).
fn shape(m: &Moment<'_>) -> Option<Version> {
    let named = m.conn.init.answered.or(m.conn.init.requested)?;
    let echo = m.world.versions_known() && !m.world.speaks(named);
    Version::from_number(named).filter(|_| !echo)
}

/// What the strict view finds of this fault in what the judged side says of itself: the result of an agent, the params
/// of a client. It is upheld where the part that it is about stands there.
fn own_fault(m: &Moment<'_>, says: &mut Says, fault: InitFault) {
    match m.judged {
        Side::Server => result_fault(m, says, fault),
        Side::Client => params_fault(m, says, fault),
    }
}

/// The first initialize of a client under test, and the version whose shape it has to have: the one that it asks for.
fn opening<'a>(m: &Moment<'a>) -> Option<(&'a Value, Version)> {
    let (index, request) = m.requested()?;
    let asked = m.conn.init.request == Some(index) && m.judged == Side::Client;
    let version = m.conn.init.requested.and_then(Version::from_number)?;
    asked.then(|| (params(request), version))
}

fn params_fault(m: &Moment<'_>, says: &mut Says, fault: InitFault) {
    let Some((params, version)) = opening(m) else {
        return;
    };
    let filled = |member: &str| {
        let object = params.get(member).and_then(Value::as_object);
        object.is_some_and(|object| !object.is_empty())
    };
    let (shape, arises) = match fault {
        InitFault::CapabilityV1 => (Version::AcpV1, filled("clientCapabilities")),
        InitFault::MarkerV2 => (Version::AcpV2, filled("capabilities")),
        InitFault::Info => (Version::AcpV2, filled("info")),
        InitFault::ProtocolVersion | InitFault::ResultShapeV1 | InitFault::ResultShapeV2 => return,
    };
    if shape == version {
        let problems = read_params(params, version);
        let problems = problems.iter().filter(|problem| problem.kind == fault);
        tell(says, problems, Weight::Violation, arises);
    }
}

/// What the strict view of the result finds of this fault. It is upheld where the part that it is about stands there.
fn result_fault(m: &Moment<'_>, says: &mut Says, fault: InitFault) {
    let Some((_, answer)) = initialized(m) else {
        return;
    };
    let Some(result) = answer.result.as_ref().filter(|_| !answer.is_error) else {
        return;
    };
    let has = |member: &str| result.get(member).is_some_and(|value| !value.is_null());
    let capabilities = |member: &str| {
        let object = result.get(member).and_then(Value::as_object);
        object.is_some_and(|object| !object.is_empty())
    };
    let (version, arises) = match fault {
        InitFault::ProtocolVersion => (None, result.is_object()),
        InitFault::ResultShapeV1 => (Some(Version::AcpV1), true),
        InitFault::CapabilityV1 => (Some(Version::AcpV1), capabilities("agentCapabilities")),
        InitFault::ResultShapeV2 => (Some(Version::AcpV2), true),
        InitFault::Info => (Some(Version::AcpV2), has("info")),
        InitFault::MarkerV2 => (Some(Version::AcpV2), capabilities("capabilities")),
    };
    if version.is_none() || version == shape(m) {
        let problems = m.conn.init.problems.iter();
        let problems = problems.filter(|problem| problem.kind == fault);
        tell(says, problems, Weight::Violation, arises);
    }
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

/// The params are such as a conforming client may send in this version.
fn conforming(request: &Request, version: u16) -> bool {
    Version::from_number(version).is_some_and(|version| {
        let params = params(request);
        shapes::check(version, "initialize", shapes::Part::Params, params).is_empty()
            && elicitation::support(params, version).1 != CapabilityShape::Malformed
    })
}

/// Opens a watch on the first initialize, if it asks in a conforming way for a version that the agent speaks, with
/// unknown capabilities or without.
fn watch_initialize(m: &Moment<'_>, says: &mut Says, unknown: bool) {
    let (Some((index, request)), Some(version)) = (m.asked(), m.conn.init.requested) else {
        return;
    };
    if m.conn.init.request == Some(index)
        && request.well_formed
        && has_unknown_capabilities(request) == unknown
        && m.world.speaks(version)
        && conforming(request, version)
    {
        says.watch(Subject::Request(index));
    }
}

/// The answer to the request that a watch is about.
fn the_answer<'a>(m: &Moment<'a>, watch: &Watch) -> Option<&'a Answered> {
    match watch.subject {
        Subject::Request(index) => m.conn.requests[index].answer(),
        Subject::Turn(_) | Subject::Connection => None,
    }
}

/// What has become of an initialize that has to succeed. An agent that ends without a word has failed it.
fn success(m: &Moment<'_>, watch: &Watch, refused: impl FnOnce(&Request) -> String) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let request = &m.conn.requests[index];
    let Some(answer) = request.answer() else {
        return match m.died() {
            Some(how) if m.conn.frames[m.judged as usize] == 0 && m.newest_is(request.seq) => {
                Still::Broken(
                    Why::new("a result", format!("initialize was sent, and {how}"))
                        .sent(request.text.clone()),
                )
            }
            Some(how) => Still::Unclear(format!("{how} before it answered initialize")),
            None if matches!(m.fact, Fact::Exited) => {
                Still::Unclear("initialize was not answered".to_owned())
            }
            None => Still::Watching,
        };
    };
    if answer.is_error {
        Still::Broken(Why::new("a result", refused(request)))
    } else {
        Still::Upheld
    }
}

/// INIT-002: initialize with a supported version and any valid capabilities succeeds. An answer that says that the
/// version is not supported is another row's. (initialization)
const SUCCEEDS: Rule = Rule::check_later(
    "ACP-INIT-002",
    |m, says| watch_initialize(m, says, false),
    |m, watch| {
        let another = |answer: &Answered| {
            answer.error_code == Some(-32022)
                || !answer.is_error && m.conn.init.answered != m.conn.init.requested
        };
        if the_answer(m, watch).is_some_and(another) {
            return Still::Moot;
        }
        success(m, watch, |request| {
            let capabilities = capabilities(request).unwrap_or(&Value::Null).to_string();
            format!(
                "initialize for a version that the agent speaks, with the capabilities {}, was refused",
                text::short_to(&capabilities, 160)
            )
        })
    },
);

/// Our side sent something on the connection before this request, by which the agent may have made up its mind.
fn spoken_before(conn: &Conn, request: &Request) -> bool {
    let requests = conn.requests.iter().map(|it| (it.from, it.seq));
    let notifications = conn.notifications.iter().map(|it| (it.from, it.seq));
    let orphans = conn.orphans.iter().map(|it| (it.from, it.seq));
    let odd = conn.odd.iter().map(|it| (request.from, it.seq));
    requests
        .chain(notifications)
        .chain(orphans)
        .chain(odd)
        .any(|(from, seq)| from == request.from && seq < request.seq)
}

/// INIT-004: a supported version is answered with exactly that version. A client begins with initialize; what comes of one
/// that does not is another matter. (initialization#version-negotiation)
const SAME_VERSION: Rule = Rule::check("ACP-INIT-004", |m, says| {
    let Some((request, answer)) = initialized(m) else {
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
    if answered != requested && spoken_before(m.conn, request) {
        return says.unclear("the connection did not begin with initialize");
    }
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
    let (Some((request, answer)), Some((requested, greatest))) = (initialized(m), asked_above(m))
    else {
        return;
    };
    if answer.is_error && !conforming(request, greatest) {
        return says.unclear(format!(
            "what asked for version {requested} is no initialize of version {greatest}"
        ));
    }
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
    match answered {
        _ if answered > requested => says.broken(Why::new(
            format!("a version of at most {requested}"),
            format!("version {requested} was asked for, and the agent answered {answered}"),
        )),
        0 => says.broken(Why::new(
            format!("a version from 1 to {requested}"),
            "the agent answered version 0",
        )),
        _ if answered == requested && m.world.speaks(requested) => says.upheld(),
        // Whether it speaks the one asked for decides, and that is INIT-004's to judge.
        _ => says.note(format!(
            "version {requested} was asked for, and the agent answered {answered}"
        )),
    }
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
    if answer.error_code == Some(-32022) && !has_version_data(data) {
        // ERROR-014's.
        return;
    }
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
    if m.conn.init.negotiated.is_none() || shape(m).is_none() {
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
    |m, says| match m.judged {
        Side::Server => watch_initialize(m, says, true),
        Side::Client => client::watch_unknown_capabilities(m, says),
    },
    |m, watch| {
        if m.judged == Side::Client {
            let what = "the agent has capabilities that nobody knows";
            return client::goes_on_to_a_session(m, watch, what);
        }
        let answer = the_answer(m, watch);
        if answer.is_some_and(|answer| answer.error_code == Some(-32022)) {
            return Still::Unclear("the version was refused, not the capability".to_owned());
        }
        success(m, watch, |_| {
            "initialize with an unknown capability was refused".to_owned()
        })
    },
)
.of_both();
