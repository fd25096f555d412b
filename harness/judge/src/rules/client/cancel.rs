//! CANCEL: how a client cancels.

use elenchus_wire::Side;
use serde_json::Value;

use crate::{
    fact::Fact,
    rule::{Rule, Why},
};

pub(super) const RULES: &[Rule] = &[SESSION_CANCEL];

/// CANCEL-023: `session/cancel` is a notification, with the id of a session. (schema:v1 CancelNotification, v2
/// CancelSessionNotification; prompt-turn#cancellation)
const SESSION_CANCEL: Rule = Rule::check("ACP-CANCEL-023", |m, says| {
    let cancels = |method: &str| method == "session/cancel";
    if let Some((_, request)) = m.requested().filter(|(_, it)| cancels(&it.method)) {
        return says.broken(Why::new(
            "session/cancel as a notification, which has no id",
            format!(
                "session/cancel was sent as a request, with the id {}",
                request.id.text()
            ),
        ));
    }
    let Fact::Notified(index) = m.fact else {
        return;
    };
    let told = &m.conn.notifications[*index];
    if told.from != Side::Client || !cancels(&told.method) {
        return;
    }
    let session = told
        .params
        .as_ref()
        .and_then(|params| params.get("sessionId"));
    says.holds(session.is_some_and(Value::is_string), || {
        Why::new(
            "a sessionId that is a string",
            match session {
                None => "session/cancel names no session".to_owned(),
                Some(_) => "the sessionId of session/cancel is no string".to_owned(),
            },
        )
    });
})
.of_client();
