//! Why nothing can be done with a target, for the person who has to repair it.

use elenchus_protocol::Version;
use elenchus_wire::{Body, Class, EventKind, Frame, FrameDefect, Message, Parsed, Side, frame};
use serde_json::Value;

use crate::{
    campaign::Dead,
    process::NO_SCRATCH,
    stage::{Stage, shortened},
};

/// How many last frames are shown.
const FRAMES: usize = 6;

/// What a target gets to see, which is the usual reason why it behaves otherwise here.
pub(super) const ENVIRONMENT: &str = "It runs in the folder that you are in, with an empty scratch folder as HOME; of your \
    environment only PATH and the locale are kept. What it needs besides stands in elenchus.toml: \
    `env`, `pass-env` and `cwd`.";

/// What a target that chatters has to hear.
const MESSAGES_ONLY: &str =
    "Nothing but messages may go to stdout: write banners and logs to stderr.";

/// The program could not be started.
pub(crate) fn not_started(reason: &str) -> Dead {
    let hint = if reason.starts_with(NO_SCRATCH) {
        "Every target gets a folder of its own below the temporary folder: set TMPDIR to a folder that exists and can be \
            written to."
    } else {
        "Check the command: it is started without a shell, the program first and then its arguments; relative paths of \
            arguments are read in the folder where the target is started."
    };
    Dead {
        what: sentence(reason),
        stderr: Vec::new(),
        frames: Vec::new(),
        hint: hint.to_owned(),
    }
}

/// Why nothing can be done with a connection.
pub(super) struct Explained {
    pub(super) dead: Dead,
    /// It is no agent that broke a rule, but something else: another protocol, or an echo.
    pub(super) no_agent: bool,
}

/// What happened, what to try, and whether it is no agent at all.
type Told = (String, String, bool);

/// What a target that answered nothing of use has done on this connection instead. `silent` says that it was still
/// there when the wait for its answer ended.
pub(super) fn explain(stage: &Stage<'_>, conn: usize, place: usize, silent: bool) -> Explained {
    let crossed = crossed(stage, conn);
    let (what, hint, no_agent) = match stage.result(conn, place) {
        _ if echoes(stage, conn) => (
            "the target repeats our own lines".to_owned(),
            "It is no agent, or it runs behind a terminal that echoes its input.".to_owned(),
            true,
        ),
        Ok(result) => answered(result),
        Err(reason) if stage.conn(conn).ours[place].answer.is_some() => (
            reason,
            "The answer says why. If it wants credentials or a configuration, name them in elenchus.toml: `env`, `pass-env` \
                and `auth-method`."
                .to_owned(),
            false,
        ),
        Err(_) => unanswered(stage, conn, place, silent, &crossed),
    };
    Explained {
        dead: Dead {
            what: sentence(&what),
            stderr: Vec::new(),
            frames: last_frames(stage, conn),
            hint,
        },
        no_agent,
    }
}

/// The last frames of a connection, ours and the target's, shortened and safe to print.
pub(super) fn last_frames(stage: &Stage<'_>, conn: usize) -> Vec<String> {
    let crossed = crossed(stage, conn);
    let skipped = crossed.len().saturating_sub(FRAMES);
    let told = crossed[skipped..].iter().map(|(from, frame)| {
        let arrow = if *from == stage.book.us { "->" } else { "<-" };
        format!("{arrow} {}", frame_text(frame))
    });
    told.collect()
}

/// What crossed a connection, in order.
fn crossed<'b>(stage: &'b Stage<'_>, conn: usize) -> Vec<(Side, &'b Frame)> {
    let number = stage.conn(conn).number;
    let events = stage.book.recorder.events().iter();
    events
        .filter(|event| event.conn == number)
        .filter_map(|event| match &event.kind {
            EventKind::Frame { from, frame } => Some((*from, frame)),
            _ => None,
        })
        .collect()
}

/// The target sends back what we send: what looks like an answer is our own answer to our own request.
pub(super) fn echoes(stage: &Stage<'_>, conn: usize) -> bool {
    let crossed = crossed(stage, conn);
    let ours = |frame: &Frame| {
        crossed
            .iter()
            .any(|(from, own)| *from == Side::Client && own.body == frame.body)
    };
    crossed
        .iter()
        .find(|(from, _)| *from == Side::Server)
        .is_some_and(|(_, frame)| ours(frame))
}

/// The target wrote a JSON-RPC message of its own.
pub(super) fn spoke(stage: &Stage<'_>, conn: usize) -> bool {
    let mut crossed = crossed(stage, conn).into_iter();
    !echoes(stage, conn) && crossed.any(|(from, frame)| from == Side::Server && is_message(frame))
}

/// There was a result.
fn answered(result: &str) -> Told {
    match serde_json::from_str(result)
        .ok()
        .and_then(|result| other_protocol(&result))
    {
        Some(protocol) => (
            format!("the target speaks {protocol}, not the Agent Client Protocol"),
            "Start it in its ACP mode, if it has one.".to_owned(),
            true,
        ),
        None => (
            format!(
                "the target negotiated none of the versions that were asked for; it answered {}",
                shortened(result)
            ),
            format!(
                "Elenchus speaks {}. If the target speaks one of them all the same, name it with --protocol.",
                Version::ALL.map(Version::name).join(" and ")
            ),
            false,
        ),
    }
}

/// There was no answer under our id.
fn unanswered(
    stage: &Stage<'_>,
    conn: usize,
    place: usize,
    silent: bool,
    crossed: &[(Side, &Frame)],
) -> Told {
    let ours = &stage.conn(conn).ours[place];
    let theirs = || {
        crossed
            .iter()
            .filter(|(from, _)| *from == Side::Server)
            .map(|(_, frame)| *frame)
    };
    let how = if stage.book.recorder.limited() {
        Some(filled(stage))
    } else {
        (!silent).then(|| gone(stage, conn))
    };
    let then = how
        .as_ref()
        .map(|how| format!("; {how}"))
        .unwrap_or_default();
    if let Some(id) = theirs().find_map(foreign_id) {
        return (
            format!(
                "initialize was answered under another id: it was asked as {}, and answered as {id}",
                ours.id
            ),
            "An answer carries the id of its request as it was sent, of the same type and value."
                .to_owned(),
            false,
        );
    }
    if let Some(frame) = theirs().find(|frame| !is_message(frame)) {
        let text = frame_text(frame);
        if text.to_ascii_lowercase().starts_with("content-length:") {
            return (
                format!(
                    "the target speaks with Content-Length headers, as language servers do, and ACP has a message a line{then}"
                ),
                MESSAGES_ONLY.to_owned(),
                true,
            );
        }
        let (fault, hint) = match named(frame, stage.settings.max_line) {
            Some(fault) => (
                fault,
                "A message is one line of JSON in UTF-8, with nothing before it and nothing after it.",
            ),
            None => ("is no JSON-RPC message".to_owned(), MESSAGES_ONLY),
        };
        return (
            format!(
                "the target wrote {text:?} to its stdout, which {fault}, and no answer to initialize{then}"
            ),
            hint.to_owned(),
            false,
        );
    }
    if stage.book.recorder.limited() {
        return (
            format!("{}, and never answered initialize", filled(stage)),
            "Before the answer to initialize an agent has nothing to say.".to_owned(),
            false,
        );
    }
    match how {
        None => (
            format!(
                "the target answered nothing to initialize in {} s",
                stage.settings.start.as_secs_f32()
            ),
            format!("If it only needs longer to start, raise --timeout. {ENVIRONMENT}"),
            false,
        ),
        Some(how) => (
            format!("{how} before it answered initialize"),
            format!("Run the command by hand and see what it says. {ENVIRONMENT}"),
            false,
        ),
    }
}

/// What it did instead of answering, where the wait ended for that.
fn filled(stage: &Stage<'_>) -> String {
    let sent: u64 = stage.book.conns.iter().map(|conn| conn.received).sum();
    format!("the target sent {sent} messages and filled the trace")
}

/// The defect of a line that its author should know by name, as the end of "which ...".
fn named(frame: &Frame, longest: usize) -> Option<String> {
    let mut defects = frame::defects(frame);
    if let Some(Parsed::Defect(defect)) = frame.text().map(Message::parse) {
        defects.push(defect);
    }
    defects.iter().find_map(|defect| {
        Some(match defect {
            FrameDefect::InvalidUtf8 { at } => format!("is not UTF-8 (byte {at})"),
            FrameDefect::ByteOrderMark => "begins with a byte order mark".to_owned(),
            FrameDefect::Nul => "holds a NUL byte".to_owned(),
            FrameDefect::Batch { .. } => {
                "is a batch of messages, which ACP does not have".to_owned()
            }
            FrameDefect::TooDeep => "is nested too deep to be read".to_owned(),
            FrameDefect::Oversize => format!("is longer than {longest} bytes"),
            FrameDefect::HugeNumber => "holds a number that no reader can hold".to_owned(),
            _ => return None,
        })
    })
}

/// The id of an answer; as no answer bears the id of the one request that was sent, it is another.
fn foreign_id(frame: &Frame) -> Option<String> {
    match Message::parse(frame.text()?) {
        Parsed::Message(message) if message.class == Class::Response => {
            Some(shortened(message.id.unwrap_or("none")))
        }
        _ => None,
    }
}

fn gone(stage: &Stage<'_>, conn: usize) -> String {
    // A process that we had to end has only closed its stdout by itself.
    match stage.conn(conn).asked {
        elenchus_wire::event::Asked::Nothing => stage.how_gone(conn),
        _ => "the target closed its stdout".to_owned(),
    }
}

/// The protocol that a result of `initialize` shows, if it is not ACP.
pub(super) fn other_protocol(result: &Value) -> Option<&'static str> {
    let has = |member: &str| result.get(member).is_some();
    if has("serverInfo") && result.get("protocolVersion").is_some_and(Value::is_string) {
        Some("the Model Context Protocol")
    } else if has("capabilities") && !has("protocolVersion") && !has("info") {
        Some("the Language Server Protocol")
    } else {
        None
    }
}

fn is_message(frame: &Frame) -> bool {
    frame.text().is_some_and(|text| matches!(Message::parse(text), Parsed::Message(message) if message.jsonrpc.is_some()))
}

/// A frame's text, shortened and safe to print.
fn frame_text(frame: &Frame) -> String {
    match &frame.body {
        Body::Text(text) => shortened(text),
        Body::Bytes(bytes) => shortened(&String::from_utf8_lossy(bytes)),
        Body::Oversize { len, head, .. } => format!(
            "{}... ({len} bytes)",
            shortened(&String::from_utf8_lossy(head))
        ),
    }
}

pub(super) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars
        .next()
        .map(|first| first.to_uppercase().collect())
        .unwrap_or_default();
    format!("{start}{}.", chars.as_str().trim_end_matches('.'))
}
