//! CANCEL: how a client cancels.

use crate::clients::holds;

#[test]
fn session_cancel_is_a_notification_about_a_session() {
    holds(
        "ACP-CANCEL-023",
        "serves",
        r#"
        upheld  the usual one :: + cancelled
        upheld  a session that nobody knows :: + cancelled nope
        silent  none at all :: + calm 9
        broken  as a request :: + ask 7 session/cancel {"sessionId":"s"}
        broken  no session :: + tells session/cancel {}
        broken  no params :: + tells session/cancel
        broken  a number :: + tells session/cancel {"sessionId":7}
        broken  null :: + tells session/cancel {"sessionId":null}
        silent  the agent's own :: + S {"jsonrpc":"2.0","method":"session/cancel","params":{}}
        silent  another method :: + tells session/cancelled {}
        "#,
    );
}
