//! What the agent has told, outside of answers, of what is chosen for a session: its mode and its options.

use serde_json::Value;

use super::{
    conn::Conn,
    payload::{member, str_at},
};

/// The most that is kept of all of it on a connection, in bytes of its frames.
const MAX_KEPT: usize = 1024 * 1024;

/// A `current_mode_update` or a `config_option_update`.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The event.
    pub seq: u64,
    /// The session.
    pub session: String,
    /// It is about the mode.
    pub mode: bool,
    /// `currentModeId`, or `configOptions`.
    pub value: Value,
}

/// Takes down an update, if it is one of these and there is room. `size` is that of its params.
pub(super) fn take_down(conn: &mut Conn, seq: u64, params: Option<&Value>, size: usize) {
    let (Some(session), Some(update)) = (
        str_at(params, "sessionId"),
        params.and_then(|params| member(params, "update")),
    ) else {
        return;
    };
    let (mode, member) = match str_at(Some(update), "sessionUpdate") {
        Some("current_mode_update") => (true, "currentModeId"),
        Some("config_option_update") => (false, "configOptions"),
        _ => return,
    };
    if conn.chosen_weight + size > MAX_KEPT {
        conn.chosen_all = false;
        return;
    }
    conn.chosen_weight += size;
    conn.chosen.push(Chosen {
        seq,
        session: session.to_owned(),
        mode,
        value: update.get(member).cloned().unwrap_or_default(),
    });
}
