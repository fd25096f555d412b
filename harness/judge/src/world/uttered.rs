//! What the agent has told of its sessions, update by update: as much of each as it takes to know it again.

use serde_json::Value;

use super::{
    conn::Conn,
    payload::{member, str_at},
};

/// The most that is kept of all updates of a connection, in bytes.
const MAX_KEPT: usize = 1024 * 1024;
/// The most text that is kept of one.
const MAX_TEXT: usize = 4096;
/// What an update counts besides its texts.
const UPDATE: usize = 128;

/// A `session/update`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uttered {
    /// The event.
    pub seq: u64,
    /// The session.
    pub session: String,
    /// `sessionUpdate`.
    pub kind: String,
    /// The id of the message or tool call, if it is a text.
    pub id: Option<String>,
    /// A messageId stands there and is no text.
    pub odd_id: bool,
    /// A tool call's title stands there.
    pub titled: bool,
    /// The text of a message: of its block, or of all of them. Its beginning, if it is long.
    pub text: String,
}

impl Uttered {
    /// It tells a message, whole or in part.
    pub fn is_message(&self) -> bool {
        let message = self.kind.strip_suffix("_chunk").unwrap_or(&self.kind);
        matches!(message, "user_message" | "agent_message" | "agent_thought")
    }

    /// It tells a message of the user.
    pub fn is_users(&self) -> bool {
        self.is_message() && self.kind.starts_with("user_message")
    }

    /// It tells a tool call.
    pub fn is_tool(&self) -> bool {
        self.kind.starts_with("tool_call")
    }

    /// It ends a replay.
    pub fn is_complete(&self) -> bool {
        self.kind == "replay_complete"
    }
}

/// Takes down an update, if there is room.
pub(super) fn take_down(conn: &mut Conn, seq: u64, params: Option<&Value>) {
    let (Some(session), Some(update)) = (
        str_at(params, "sessionId"),
        params.and_then(|params| member(params, "update")),
    ) else {
        return;
    };
    let of = |name| str_at(Some(update), name);
    let mut text = String::new();
    let mut add = |block: &Value| {
        let more = str_at(Some(block), "text").unwrap_or_default();
        let room = MAX_TEXT - text.len();
        let end = (0..=room.min(more.len())).rfind(|&end| more.is_char_boundary(end));
        text.push_str(&more[..end.unwrap_or_default()]);
    };
    match member(update, "content") {
        Some(Value::Array(blocks)) => blocks.iter().for_each(&mut add),
        Some(block) => add(block),
        None => {}
    }
    let message = member(update, "messageId").filter(|id| !id.is_null());
    let told = Uttered {
        seq,
        session: session.to_owned(),
        kind: of("sessionUpdate").unwrap_or_default().to_owned(),
        id: of("messageId")
            .or_else(|| of("toolCallId"))
            .map(str::to_owned),
        odd_id: message.is_some_and(|id| !id.is_string()),
        titled: member(update, "title").is_some(),
        text,
    };
    let weight = UPDATE
        + told.session.len()
        + told.kind.len()
        + told.text.len()
        + told.id.as_ref().map_or(0, String::len);
    if conn.uttered_weight + weight > MAX_KEPT {
        conn.uttered_all = false;
    } else {
        conn.uttered_weight += weight;
        conn.uttered.push(told);
    }
}
