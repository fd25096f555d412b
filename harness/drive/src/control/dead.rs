//! Why nothing can be done with a target, for the person who has to repair it.

use elenchus_wire::{Body, EventKind, Frame, Message, Parsed, Side};
use serde_json::Value;

use crate::{
    campaign::Dead,
    stage::{Stage, shortened},
};

/// How many last frames are shown.
const FRAMES: usize = 6;

/// What a target gets to see, which is the usual reason why it behaves otherwise here.
const ENVIRONMENT: &str = "It runs with an empty scratch folder as HOME and, unless a folder is given, as working \
    folder; of the environment only PATH and the locale are kept. What it needs besides has to be set in the profile.";

/// The program could not be started.
pub(crate) fn not_started(reason: &str) -> Dead {
    Dead {
        what: sentence(reason),
        stderr: Vec::new(),
        frames: Vec::new(),
        hint: "Check the command: it is started without a shell, the program first and then its arguments; relative \
            paths of arguments are read in the folder where the target is started."
            .to_owned(),
    }
}

/// What a target that answered nothing of use has done on this connection instead. `silent` says that it was still
/// there when the wait for its answer ended.
pub(super) fn explain(stage: &Stage<'_>, conn: usize, place: usize, silent: bool) -> Dead {
    let number = stage.conn(conn).number;
    let crossed: Vec<(Side, &Frame)> = stage
        .book
        .recorder
        .events()
        .iter()
        .filter(|event| event.conn == number)
        .filter_map(|event| match &event.kind {
            EventKind::Frame { from, frame } => Some((*from, frame)),
            _ => None,
        })
        .collect();
    let stray = crossed
        .iter()
        .find(|(from, frame)| *from == Side::Server && !is_message(frame));
    let (what, hint) = match (stage.result(conn, place), stray) {
        (Ok(result), _) => match serde_json::from_str(result).ok().and_then(|result| other_protocol(&result)) {
            Some(protocol) => (
                format!("the target speaks {protocol}, not the Agent Client Protocol"),
                "Start it in its ACP mode, if it has one.".to_owned(),
            ),
            None => (
                format!("the target negotiated none of the versions that were asked for; it answered {}", shortened(result)),
                "Name the versions that it speaks with --protocol to run their scripts all the same.".to_owned(),
            ),
        },
        (Err(reason), _) if stage.conn(conn).ours[place].answer.is_some() => (
            reason,
            "The answer says why. If it wants credentials or a configuration, set them in the profile.".to_owned(),
        ),
        (Err(_), Some((_, frame))) => {
            let text = frame_text(frame);
            let framed = text.to_ascii_lowercase().starts_with("content-length:");
            let what = if framed {
                "the target speaks with Content-Length headers, as language servers do, and ACP has a message a line".to_owned()
            } else {
                format!("the target wrote {text:?} to its stdout, which is no JSON-RPC message, and no answer to initialize")
            };
            let how = if silent { String::new() } else { format!("; {}", gone(stage, conn)) };
            (what + &how, "Nothing but messages may go to stdout: write banners and logs to stderr.".to_owned())
        }
        (Err(_), None) if silent => (
            format!("the target answered nothing to initialize in {} s", stage.settings.start.as_secs_f32()),
            format!("If it only needs longer to start, raise --timeout. {ENVIRONMENT}"),
        ),
        (Err(_), None) => (format!("{} before it answered initialize", gone(stage, conn)), format!(
            "Run the command by hand and see what it says. {ENVIRONMENT}"
        )),
    };
    let frames = crossed
        .iter()
        .rev()
        .take(FRAMES)
        .rev()
        .map(|(from, frame)| {
            let arrow = if *from == Side::Client { "->" } else { "<-" };
            format!("{arrow} {}", frame_text(frame))
        });
    Dead {
        what: sentence(&what),
        stderr: Vec::new(),
        frames: frames.collect(),
        hint,
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

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars
        .next()
        .map(|first| first.to_uppercase().collect())
        .unwrap_or_default();
    format!("{start}{}.", chars.as_str().trim_end_matches('.'))
}
