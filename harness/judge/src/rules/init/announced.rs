//! What an agent announces, it has.

use elenchus_protocol::Version;
use serde_json::Value;

use super::params;
use crate::{
    fact::Moment,
    rule::{Rule, Says, Why},
    world::Request,
};

/// A method was called after initialize and did not answer that it does not exist.
fn exists(m: &Moment<'_>, says: &mut Says, applies: impl Fn(&Request) -> bool) {
    let Some((_, request)) = m.answered() else {
        return;
    };
    let initialize = m.conn.init.request.map(|index| &m.conn.requests[index]);
    let after = initialize
        .and_then(Request::answer)
        .is_some_and(|answer| answer.seq < request.seq);
    if !after || !applies(request) {
        return;
    }
    let missing = request.error_code() == Some(-32601);
    says.holds(!missing, || {
        Why::new(
            "any answer but -32601",
            format!(
                "{} belongs to what the agent announces, and answered that it does not exist",
                request.method
            ),
        )
        .sent(request.text.clone())
    });
}

/// The requests that `capabilities.session` of v2 stands for.
const V2_SESSION: &[&str] = &[
    "session/new",
    "session/list",
    "session/resume",
    "session/close",
    "session/prompt",
];

/// INIT-025: an announced method exists. (initialization#capabilities)
pub(super) const ANNOUNCED_WORKS: Rule = Rule::check("ACP-INIT-025", |m, says| {
    exists(m, says, |request| {
        let method = request.method.as_str();
        let by_session = m.conn.version() == Version::AcpV2 && V2_SESSION.contains(&method);
        let features = m.conn.init.features.as_ref();
        !by_session && features.is_some_and(|features| features.announced.contains(&method))
    });
});

/// INIT-026 (v2): `capabilities.session` stands for the whole session baseline. (v2 initialization#session-capabilities)
pub(super) const SESSION_BASELINE_V2: Rule = Rule::check("ACP-INIT-026", |m, says| {
    exists(m, says, |request| {
        let features = m.conn.init.features.as_ref();
        m.conn.version() == Version::AcpV2
            && V2_SESSION.contains(&request.method.as_str())
            && features.is_some_and(|features| features.sessions)
    });
});

/// INIT-027 (v1): session/new always exists, and so does session/prompt in a session that does.
/// (v1 initialization#session-capabilities)
pub(super) const SESSION_BASELINE_V1: Rule = Rule::check("ACP-INIT-027", |m, says| {
    exists(m, says, |request| {
        let live = || {
            let session = params(request).get("sessionId").and_then(Value::as_str);
            session
                .and_then(|session| m.conn.sessions.get(session))
                .is_some_and(|session| session.known)
        };
        m.conn.init.negotiated == Some(Version::AcpV1)
            && match request.method.as_str() {
                "session/new" => true,
                "session/prompt" => live(),
                _ => false,
            }
    });
});
