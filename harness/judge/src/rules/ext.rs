//! EXT: methods and members that ACP does not define, on both sides.

use elenchus_protocol::{
    Version,
    acp::{
        methods::{self, Sender},
        shapes::Mismatch,
    },
};
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    error::error_object,
    jsonrpc::{
        answered_at_all, answers_custom_requests, call, custom, excused, needs_nobody, refused,
    },
    survive::{stays, survives},
    told::{at, is_echoed},
};
use crate::{
    fact::{Fact, Moment, Payload},
    kinds::{ANSWERS, LINES, NOTIFICATIONS, REQUESTS},
    rule::{Rule, Still, Subject, Why},
    text,
    world::{Conn, ParamsKind},
};

pub(super) const RULES: &[Rule] = &[
    CUSTOM_ANSWERED.at(&[REQUESTS]),
    NOT_FOUND.at(&[ANSWERS]),
    UNKNOWN_IGNORED.at(&[NOTIFICATIONS]),
    KNOWN_METHODS.at(&[NOTIFICATIONS, REQUESTS]),
    ANNOUNCED.at(&[REQUESTS]),
    NO_OWN_MEMBERS.at(&[ANSWERS, LINES, NOTIFICATIONS, REQUESTS]),
    PROTOCOL_LEVEL.at(&[REQUESTS]),
    ANY_PARAMS.at(&[REQUESTS]),
];

/// EXT-001: a custom request is answered. Told here only of an agent that answers none; one that is lost among others is
/// JSONRPC-004's. (extensibility#custom-requests)
const CUSTOM_ANSWERED: Rule = Rule::check_later(
    "ACP-EXT-001",
    |m, says| {
        if let Some((index, request)) = m.received()
            && custom(request)
            && request.well_formed
            && needs_nobody(m.conn, request)
            && m.conn.initialized()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        if !request.is_open() {
            // Of fences there are many.
            return if request.fence {
                Still::Moot
            } else {
                Still::Upheld
            };
        }
        if m.judged_is_over() && answers_custom_requests(m) {
            return Still::Moot;
        }
        answered_at_all(m, index, "a response, be it error -32601")
    },
)
.of_both();

/// EXT-002: a custom request that nobody knows is answered with -32601. Params that an agent cannot take may be refused
/// first. (extensibility#custom-requests)
const NOT_FOUND: Rule = Rule::check("ACP-EXT-002", |m, says| {
    let Some(request) = call(m).filter(|request| !request.fence) else {
        return;
    };
    let Some(answer) = request
        .answer()
        .filter(|_| request.method.starts_with("_elenchus/"))
    else {
        return;
    };
    match answer.error_code {
        Some(-32601) => says.upheld(),
        Some(-32800) => says.unclear(format!("{} was cancelled", request.method)),
        Some(code @ (-32000 | -32600 | -32602)) => says.unclear(format!(
            "{} was answered with {code}, which may be said of what it came with",
            request.method
        )),
        // A code that is no integer is ERROR-001's.
        None if answer.is_error => {}
        code => says.broken(
            Why::new(
                "error -32601",
                format!(
                    "{}, which nobody has, was answered with {}",
                    request.method,
                    code.map_or_else(|| "a result".to_owned(), |code| format!("error {code}"))
                ),
            )
            .sent(request.text.clone()),
        ),
    }
})
.of_both();

/// What our side has sent on the connection so far is in order, so that the frame at hand alone decides.
fn orderly(conn: &Conn) -> bool {
    conn.initialized() && !excused(conn) && conn.odd.is_none()
}

/// Our side has sent a notification since the agent last settled, and that one may be what does harm.
fn told_of_late(m: &Moment<'_>) -> bool {
    let newest = m
        .conn
        .notifications
        .iter()
        .rev()
        .find(|it| it.from != m.judged);
    newest.is_some_and(|newest| Some(newest.seq) > m.conn.settled)
}

/// EXT-003: a notification that nobody knows does no harm. That it is not answered is JSONRPC-009.
/// (extensibility#custom-notifications)
const UNKNOWN_IGNORED: Rule = Rule::check_later(
    "ACP-EXT-003",
    |m, says| {
        let Fact::Notified(index) = m.fact else {
            return;
        };
        let notification = &m.conn.notifications[*index];
        let method = notification.method.as_str();
        let unknown = methods::method(m.conn.version(), method).is_none()
            && methods::only_in_other_version(m.conn.version(), method, None).is_none();
        if notification.from != m.judged && unknown && orderly(m.conn) {
            says.watch(Subject::Connection);
        }
    },
    |m, watch| stays(m, watch, "a notification that nobody knows was sent"),
)
.of_both();

/// EXT-011: a request with an unknown `$/` method is answered with an error. (overview#communication-model)
const PROTOCOL_LEVEL: Rule = Rule::check_later(
    "ACP-EXT-011",
    |m, says| {
        if let Some((index, request)) = m.asked()
            && request.method.starts_with("$/")
            && methods::method(m.conn.version(), &request.method).is_none()
            && request.well_formed
            && m.conn.initialized()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let why = format!(
            "{}, which no protocol has, was answered with a result",
            m.conn.requests[index].method
        );
        refused(m, index, "an error, such as -32601", &why)
    },
)
.of_both();

/// EXT-012: params of a custom request may be of any type, and do no harm. Certain where the agent took a custom request
/// with ordinary ones before. (ExtRequest)
const ANY_PARAMS: Rule = Rule::check_later(
    "ACP-EXT-012",
    |m, says| {
        let kind = m.conn.line.as_ref().map(|line| line.params);
        // JSON-RPC does not let params be null or a scalar, so that this alone makes the line malformed.
        if let Some((index, request)) = m.asked()
            && custom(request)
            && kind.is_some_and(|kind| kind != ParamsKind::Object)
            && m.conn.initialized()
            && m.conn.odd.is_none()
            && answers_custom_requests(m)
            && !told_of_late(m)
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| match watch.subject {
        Subject::Request(index) if !m.conn.requests[index].is_open() => Still::Upheld,
        _ => survives(
            m,
            watch,
            "a custom request with other params than an object was sent",
        ),
    },
)
.of_both();

/// The method at hand, if the judged side sent it.
fn sent<'a>(m: &Moment<'a>) -> Option<&'a str> {
    let (from, method) = match m.fact {
        Fact::Requested(index) => {
            let request = &m.conn.requests[*index];
            (request.from, request.method.as_str())
        }
        Fact::Notified(index) => {
            let notification = &m.conn.notifications[*index];
            (notification.from, notification.method.as_str())
        }
        _ => return None,
    };
    (from == m.judged).then_some(method)
}

/// Methods of features that the schema crate holds to be unstable, and of withdrawn drafts.
fn is_unstable(method: &str) -> bool {
    let unstable = matches!(
        method,
        "auth/status"
            | "auth/status_update"
            | "session/fork"
            | "session/archive"
            | "session/unarchive"
            | "session/status"
            | "session/options"
            | "session/set_title"
            | "session/set_model"
            | "session/elicitation"
    );
    let families = ["providers/", "proxy/", "mcp/", "nes/", "document/"];
    unstable || families.iter().any(|family| method.starts_with(family))
}

/// EXT-004 (and EXT-009): a method is one that the schema has for its direction and version, or its name begins with an
/// underscore. Names that only the other version has are INIT-011's. (extensibility#extension-methods; ExtRequest.method)
const KNOWN_METHODS: Rule = Rule::check("ACP-EXT-004", |m, says| {
    let Some(method) = sent(m) else { return };
    if method.starts_with('_') {
        return says.upheld();
    }
    let version = m.conn.version();
    let own = match m.judged {
        Side::Client => Sender::Client,
        Side::Server => Sender::Agent,
    };
    match methods::method(version, method) {
        Some(known) if known.sender == own || known.sender == Sender::Both => says.upheld(),
        Some(_) => says.broken(Why::new(
            "a method that this side may call",
            format!("{method} is a method that only the other side calls"),
        )),
        None if methods::only_in_other_version(version, method, None).is_some() => {}
        None if is_unstable(method) => {
            says.note(format!("{method} belongs to an unstable feature or a draft"));
        }
        None => says.broken(Why::new(
            "a method of the schema, or a name that begins with an underscore",
            format!(
                "the method {} is none of the protocol's, and its name does not begin with an underscore",
                text::short_to(method, 80)
            ),
        )),
    }
})
.of_both();

/// EXT-006: an extension that the client has to support is announced in the `_meta` of a capability object. Only a
/// request needs that support; and which key stands for it nobody says, so that any may.
/// (extensibility#advertising-custom-capabilities)
const ANNOUNCED: Rule = Rule::check("ACP-EXT-006", |m, says| {
    let Some((_, request)) = m.requested() else {
        return;
    };
    let method = request.method.as_str();
    let Some(namespace) = method.strip_prefix('_').filter(|_| m.conn.initialized()) else {
        return;
    };
    let namespace = namespace.split(['/', '.']).next().unwrap_or_default();
    let keys = announced(m);
    if keys.is_empty() {
        says.broken(Why::new(
            "the extension in the _meta of a capability",
            format!(
                "{} was called, and no capability has a _meta that could announce it",
                text::short_to(method, 80)
            ),
        ));
    } else if keys.iter().any(|key| key.contains(namespace)) {
        says.upheld();
    } else {
        says.unclear("the _meta of a capability may announce it under another name");
    }
})
.of_both();

/// The keys in the `_meta` of what either side announces.
fn announced<'a>(m: &Moment<'a>) -> Vec<&'a str> {
    fn keys<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        for (name, member) in value.as_object().into_iter().flatten() {
            if name == "_meta" {
                let meta = member.as_object().into_iter().flatten();
                found.extend(meta.map(|(key, _)| key.as_str()));
            } else {
                keys(member, found);
            }
        }
    }
    let mut found = Vec::new();
    if let Some(initialize) = m.conn.init.request.map(|index| &m.conn.requests[index]) {
        for value in [initialize.params.as_ref(), initialize.result()] {
            keys(value.unwrap_or(&Value::Null), &mut found);
        }
    }
    found
}

/// EXT-007: what the schema does not have stands under `_meta`, or in a variant that is an extension.
/// (extensibility#the-_meta-field)
const NO_OWN_MEMBERS: Rule = Rule::check("ACP-EXT-007", |m, says| {
    if let Some(error) = error_object(m) {
        let known = ["code", "message", "data"];
        let stray = error.as_object().into_iter().flatten();
        for (name, value) in stray.filter(|(name, _)| !known.contains(&name.as_str())) {
            let what = format!("an error has the member {}", text::short_to(name, 80));
            // One's own stands under _meta wherever there is an object, though the schema has none here; and readers
            // take null as left out.
            if name == "_meta" || value.is_null() {
                says.note(what);
            } else {
                says.broken(Why::new("code, message and data, and nothing else", what));
            }
        }
        return;
    }
    let Some(payload) = m.payload().filter(|payload| payload.from == m.judged) else {
        return;
    };
    let version = m.conn.version();
    if methods::method(version, payload.method).is_none() || !payload.value.is_object() {
        return;
    }
    let mut clean = true;
    for member in &m.strays().members {
        clean = false;
        if is_echoed(m, &member.pointer)
            || stands_for_another(m, member)
            || has_its_own_clause(version, &payload, member)
        {
            continue;
        }
        let (name, place) = (&member.pointer, payload.method);
        // Readers take null as left out.
        if member.got == "null" {
            says.note(format!(
                "{name} of {place}, which is not in the schema, is null"
            ));
        } else if is_of_an_unstable_feature(&member.pointer) {
            says.note(format!(
                "{name} of {place} belongs to an unstable feature or a draft"
            ));
        } else {
            says.broken(Why::new(
                format!("no {name}; what is one's own stands under _meta"),
                format!(
                    "{name} of {place} is a member that the schema does not have: {}",
                    text::short_to(&member.got, 80)
                ),
            ));
        }
    }
    if clean {
        says.upheld();
    }
})
.of_both();

/// Members of features that the schema crate holds to be unstable, of withdrawn drafts, and of drafts that have become
/// something else.
fn is_of_an_unstable_feature(pointer: &str) -> bool {
    let name = pointer.rsplit('/').next().unwrap_or_default();
    let capability = pointer.starts_with("/agentCapabilities/")
        || pointer.starts_with("/capabilities/")
        || pointer.starts_with("/clientCapabilities/");
    matches!(
        name,
        "usage" | "archived" | "cursorId" | "models" | "userMessageId"
    ) || capability
        && matches!(
            name,
            "acp"
                | "archive"
                | "commands"
                | "cursors"
                | "fork"
                | "model"
                | "nes"
                | "options"
                | "positionEncoding"
                | "positionEncodings"
                | "promptSuggestions"
                | "providers"
                | "skill"
                | "status"
                | "title"
        )
}

/// The object lacks a member that it has to have, so that this one may be that one under another name: the clause on the
/// shape tells of it.
fn stands_for_another(m: &Moment<'_>, member: &Mismatch) -> bool {
    let parent = |pointer: &str| {
        pointer
            .rsplit_once('/')
            .map(|(parent, _)| parent.to_owned())
    };
    let place = parent(&member.pointer);
    let mut missing = m
        .mismatches()
        .iter()
        .filter(|mismatch| mismatch.is_missing());
    missing.any(|mismatch| parent(&mismatch.pointer) == place)
}

/// Another clause judges that this member stands here.
fn has_its_own_clause(version: Version, payload: &Payload<'_>, member: &Mismatch) -> bool {
    let pointer = member.pointer.as_str();
    let name = pointer.rsplit('/').next().unwrap_or_default();
    let v2 = version == Version::AcpV2;
    if v2 && is_in_a_v1_diff(payload.value, pointer) {
        return true;
    }
    match payload.method {
        // ELICIT-SCOPE, ELICIT-FORM and ELICIT-SCHEMA.
        "elicitation/create" => true,
        // INIT-015: a client may introduce itself in the names of both versions, since it cannot know which is read.
        "initialize" => matches!(
            pointer,
            "/info" | "/capabilities" | "/clientInfo" | "/clientCapabilities"
        ),
        methods::SESSION_UPDATE => {
            let kind = at(payload.value, "/update/sessionUpdate").and_then(Value::as_str);
            match kind.unwrap_or_default() {
                // STATE-005.
                "state_update" => pointer == "/update/stopReason",
                // LIST-013.
                "session_info_update" => {
                    matches!(name, "sessionId" | "cwd" | "additionalDirectories")
                }
                _ => false,
            }
        }
        // MODES-008.
        _ => v2 && pointer == "/modes",
    }
}

/// The member stands in a diff as version 1 has them, which has no changes (TOOL-012).
fn is_in_a_v1_diff(message: &Value, pointer: &str) -> bool {
    let place = pointer.rsplit_once('/').map(|(place, _)| place);
    let item = place.and_then(|place| at(message, place));
    item.is_some_and(|item| item.get("changes").is_none() && item["type"] == "diff")
}
