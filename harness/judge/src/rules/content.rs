//! CONTENT: the blocks that messages and tool calls are made of, whoever sends them.

use elenchus_protocol::{Version, acp::shapes::Mismatch};
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    prompt::{advertises, is_genuine, kind, survives},
    told::{at, blocks, misfit, names_live_session, param, told},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{NOTIFICATIONS, REQUESTS},
    rule::{Rule, Says, Subject, Why},
    text,
    world::Request,
};

pub(super) const RULES: &[Rule] = &[
    BLOCK_SHAPE.at(&[NOTIFICATIONS, REQUESTS]),
    BASE64.at(&[NOTIFICATIONS, REQUESTS]),
    BLOCK_TYPE_V1.at(&[NOTIFICATIONS, REQUESTS]),
    URIS.at(&[NOTIFICATIONS, REQUESTS]),
    ANNOTATIONS.at(&[NOTIFICATIONS, REQUESTS]),
    ANY_TEXT.at(&[NOTIFICATIONS, REQUESTS]),
    DAMAGED_DATA.at(&[REQUESTS]),
];

/// A message of the judged side that may have blocks: its method and its params.
fn message<'a>(m: &Moment<'a>) -> Option<(&'a str, &'a Value)> {
    let (from, method, params) = match m.fact {
        Fact::Requested(index) => {
            let request = &m.conn.requests[*index];
            (
                request.from,
                request.method.as_str(),
                request.params.as_ref(),
            )
        }
        Fact::Notified(index) => {
            let notification = &m.conn.notifications[*index];
            let params = notification.params.as_ref();
            (notification.from, notification.method.as_str(), params)
        }
        _ => return None,
    };
    let has_blocks = matches!(
        (from, method),
        (Side::Client, "session/prompt")
            | (
                Side::Server,
                "session/update" | "session/request_permission"
            )
    );
    (from == m.judged && has_blocks).then_some((method, params?))
}

/// Where a block stands in the params of a message.
#[derive(Debug)]
pub(crate) struct Place {
    pointer: String,
    /// The sender has made it. An agent that reports what the user said has not made those blocks.
    own: bool,
}

/// The blocks of a message, each with its place.
fn places<'a>(
    m: &Moment<'a>,
    method: &str,
    params: &'a Value,
) -> impl Iterator<Item = (&'a Place, &'a Value)> {
    let found = m.checked.blocks.get_or_init(|| find(m, method, params));
    let block = |place: &'a Place| Some((place, at(params, &place.pointer)?));
    found.iter().filter_map(block)
}

fn find(m: &Moment<'_>, method: &str, params: &Value) -> Vec<Place> {
    let kind = at(params, "/update/sessionUpdate").and_then(Value::as_str);
    let reports = matches!(kind, Some("user_message" | "user_message_chunk"));
    let session = at(params, "/sessionId").and_then(Value::as_str);
    let prompts = || {
        let requests = m.world.conns.values().flat_map(|conn| &conn.requests);
        requests.filter(|request| {
            request.method == "session/prompt" && param(request, "sessionId") == session
        })
    };
    // Of a prompt that came before all of this nobody knows what was in it.
    let unknown = reports && prompts().next().is_none();
    blocks_in(method, params)
        .into_iter()
        .map(|(pointer, block)| {
            let said = || prompts().any(|prompt| blocks(prompt).contains(block));
            let own = !reports || !(unknown || said());
            Place { pointer, own }
        })
        .collect()
}

/// The blocks in the params of a message, each with the pointer to it.
fn blocks_in<'a>(method: &str, params: &'a Value) -> Vec<(String, &'a Value)> {
    let mut found = Vec::new();
    match method {
        "session/prompt" => each(params, "/prompt", &mut found),
        "session/update" => {
            let kind = at(params, "/update/sessionUpdate").and_then(Value::as_str);
            match kind.unwrap_or_default() {
                "tool_call" | "tool_call_update" => in_tool_call(params, "/update", &mut found),
                "tool_call_content_chunk" => in_item(params, "/update/content", &mut found),
                "user_message" | "agent_message" | "agent_thought" | "session_message" => {
                    each(params, "/update/content", &mut found);
                }
                chunk if chunk.ends_with("_chunk") => {
                    // A terminal's output has no content, and what is no block at all is the chunk's fault.
                    let block = at(params, "/update/content").filter(|block| block.is_object());
                    found.extend(block.map(|block| ("/update/content".to_owned(), block)));
                }
                _ => {}
            }
        }
        _ => {
            in_tool_call(params, "/toolCall", &mut found);
            in_tool_call(params, "/subject/toolCall", &mut found);
        }
    }
    found
}

fn each<'a>(params: &'a Value, list: &str, found: &mut Vec<(String, &'a Value)>) {
    let blocks = at(params, list).and_then(Value::as_array);
    for (index, block) in blocks.into_iter().flatten().enumerate() {
        found.push((format!("{list}/{index}"), block));
    }
}

fn in_tool_call<'a>(params: &'a Value, call: &str, found: &mut Vec<(String, &'a Value)>) {
    let list = format!("{call}/content");
    let items = at(params, &list).and_then(Value::as_array);
    for index in 0..items.map_or(0, Vec::len) {
        in_item(params, &format!("{list}/{index}"), found);
    }
}

/// The block of one item of a tool call's content.
fn in_item<'a>(params: &'a Value, item: &str, found: &mut Vec<(String, &'a Value)>) {
    let content = at(params, item);
    if content.is_some_and(|item| kind(item) == "content")
        && let Some(block) = at(params, &format!("{item}/content"))
    {
        found.push((format!("{item}/content"), block));
    }
}

const DEFINED: [&str; 5] = ["text", "image", "audio", "resource_link", "resource"];

/// A block has the members that its type needs, or is of a type that nobody knows.
pub(super) fn has_its_members(block: &Value) -> bool {
    let text = |name: &str| block.get(name).is_some_and(Value::is_string);
    match kind(block) {
        "text" => text("text"),
        "image" | "audio" => text("data") && text("mimeType"),
        "resource_link" => text("name") && text("uri"),
        "resource" => block.get("resource").is_some_and(Value::is_object),
        _ => true,
    }
}

/// What a place within a block is about.
#[derive(PartialEq, Eq)]
enum About {
    Type,
    Annotations,
    Shape,
}

fn about(block: &str, mismatch: &Mismatch) -> Option<About> {
    let inner = mismatch.pointer.strip_prefix(block)?;
    if !(inner.is_empty() || inner.starts_with('/')) {
        return None;
    }
    Some(match inner {
        "/type" => About::Type,
        _ if inner.starts_with("/annotations") => About::Annotations,
        _ => About::Shape,
    })
}

/// Says of the mismatches in blocks that are about this that they break the clause at hand.
fn judge(m: &Moment<'_>, says: &mut Says, wanted: &About, arises: fn(&Value) -> bool) {
    let Some((method, params)) = message(m) else {
        return;
    };
    let found = || places(m, method, params);
    let mut clean = true;
    for mismatch in m.mismatches() {
        // The value of a type that is there is a clause of its own; that one is there at all belongs to the shape.
        let is = |(Place { pointer, own }, block): (&Place, &Value)| {
            *own && about(pointer, mismatch).is_some_and(|about| match about {
                About::Type if block.get("type").is_some_and(Value::is_string) => {
                    *wanted == About::Type
                }
                About::Type => *wanted == About::Shape,
                about => about == *wanted,
            })
        };
        if found().any(is) {
            clean = false;
            says.broken(misfit(method, mismatch));
        }
    }
    if clean && found().any(|(_, block)| arises(block)) {
        says.upheld();
    }
}

/// CONTENT-001: a block has the members of its type. (content; ContentBlock)
const BLOCK_SHAPE: Rule = Rule::check("ACP-CONTENT-001", |m, says| {
    judge(m, says, &About::Shape, |block| {
        DEFINED.contains(&kind(block))
    });
})
.of_both();

/// CONTENT-003 (v1): a block is of one of the five types. (v1 content)
const BLOCK_TYPE_V1: Rule = Rule::check("ACP-CONTENT-003", |m, says| {
    if m.conn.version() == Version::AcpV1 {
        judge(m, says, &About::Type, |_| true);
    }
})
.of_both();

/// CONTENT-006: a priority is a number (v2: from 0 to 1), an audience an array of roles. (content; Annotations)
const ANNOTATIONS: Rule = Rule::check("ACP-CONTENT-006", |m, says| {
    judge(m, says, &About::Annotations, |block| {
        block.get("annotations").is_some_and(Value::is_object)
    });
})
.of_both();

/// How well a text can be read as base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base64 {
    /// As RFC 4648 has it.
    Strict,
    /// A lenient reader can: without padding, with line breaks, of the URL-safe alphabet.
    Lenient,
    Not,
}

fn base64(text: &str) -> Base64 {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    let strict = body
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'));
    if strict && text.len().is_multiple_of(4) && padding <= 2 {
        return Base64::Strict;
    }
    let digits = body.bytes().filter(|b| !b.is_ascii_whitespace());
    let readable = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_');
    let count = digits.clone().count();
    // A single digit left over is no byte.
    if digits.clone().all(readable) && count % 4 != 1 && count > 0 {
        Base64::Lenient
    } else {
        Base64::Not
    }
}

/// The text is base64 as RFC 4648 has it.
pub(super) fn is_base64(text: &str) -> bool {
    base64(text) == Base64::Strict
}

/// CONTENT-002: the data of pictures and sounds, and blobs, are base64. What only a lenient reader can read breaks it in
/// v2, and is a remark in v1. (content; v2 contentEncoding)
const BASE64: Rule = Rule::check("ACP-CONTENT-002", |m, says| {
    let Some((method, params)) = message(m) else {
        return;
    };
    for (Place { pointer, own }, block) in places(m, method, params) {
        let place = match kind(block) {
            "image" | "audio" => "/data",
            "resource" => "/resource/blob",
            _ => continue,
        };
        let Some(data) = at(block, place).and_then(Value::as_str) else {
            continue;
        };
        match (base64(data), m.conn.version()) {
            (Base64::Strict, _) => says.upheld(),
            (Base64::Lenient, Version::AcpV1) => {
                says.note(format!(
                    "{pointer}{place} is base64 only for a lenient reader"
                ));
                says.upheld();
            }
            _ if !*own => {}
            (read, _) => says.broken(Why::new(
                format!("{pointer}{place}: base64, with its padding"),
                match read {
                    Base64::Lenient => {
                        format!("{pointer}{place} is base64 only for a lenient reader")
                    }
                    _ => format!(
                        "{pointer}{place} is no base64: {}",
                        text::short_to(data, 60)
                    ),
                },
            )),
        }
    }
})
.of_both();

/// CONTENT-005: what is called a uri is one: it has a scheme. (content; v2 format uri)
const URIS: Rule = Rule::check("ACP-CONTENT-005", |m, says| {
    let Some((method, params)) = message(m) else {
        return;
    };
    for (Place { pointer, own }, block) in places(m, method, params) {
        let place = match kind(block) {
            "image" | "resource_link" => "/uri",
            "resource" => "/resource/uri",
            _ => continue,
        };
        let uri = at(block, place).and_then(Value::as_str);
        if let Some(uri) = uri.filter(|uri| *own || has_scheme(uri)) {
            says.holds(has_scheme(uri), || {
                Why::new(
                    format!("{pointer}{place}: a URI with a scheme"),
                    format!("{pointer}{place} is {}", text::short_to(uri, 80)),
                )
            });
        }
    }
})
.of_both();

fn has_scheme(uri: &str) -> bool {
    let Some((scheme, _)) = uri.split_once(':') else {
        return false;
    };
    // A single letter is a drive.
    scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// The prompt at this fact, if it has a block of this type for which the agent has advertised that it takes it, and
/// nothing that it does not take.
fn prompted<'a>(m: &Moment<'a>, wanted: impl Fn(&Value) -> bool) -> Option<(usize, &'a Request)> {
    let (index, prompt) = m.asked().filter(|(_, r)| r.method == "session/prompt")?;
    let taken = |block: &Value| {
        matches!(kind(block), "text" | "resource_link") || advertises(m.conn, kind(block))
    };
    let blocks = blocks(prompt);
    let fits = blocks.iter().all(taken) && blocks.iter().any(wanted);
    (fits && names_live_session(m.conn, prompt)).then_some((index, prompt))
}

fn embedded(block: &Value) -> Option<(&str, &str)> {
    let member = |name: &str| at(block, name).and_then(Value::as_str);
    Some((member("/resource/uri")?, member("/resource/text")?))
}

/// CONTENT-007: whatever characters an embedded text has, the agent goes on, and what it reports of it is the same text.
/// (content#embedded-resource)
const ANY_TEXT: Rule = Rule::check_later(
    "ACP-CONTENT-007",
    |m, says| {
        if let Some((text, prompt)) = corrupted(m) {
            says.broken(
                Why::new(
                    "the text of the resource as it was sent",
                    format!(
                        "the message of the user was reported with another text in its resource: {}",
                        text::short_to(text, 120)
                    ),
                )
                .sent(prompt.text.clone()),
            );
        }
        let unusual = |block: &Value| {
            let text = embedded(block).map(|(_, text)| text);
            text.is_some_and(|text| !text.is_ascii() || text.contains(char::is_control))
        };
        if let Some((index, _)) = prompted(m, unusual) {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| survives(m, watch, "a resource with unusual characters"),
);

/// The text that the agent reports at this fact for an embedded resource of a prompt, if it is another one.
fn corrupted<'a>(m: &Moment<'a>) -> Option<(&'a str, &'a Request)> {
    let (told, update) = told(m).filter(|(told, _)| told.kind == "user_message")?;
    let prompts = || {
        let requests = m.conn.requests.iter().rev();
        requests.filter(|request| param(request, "sessionId") == Some(told.session.as_str()))
    };
    let reported = update
        .get("content")?
        .as_array()?
        .iter()
        .filter_map(embedded);
    reported.into_iter().find_map(|(uri, text)| {
        let of_it = |prompt: &&Request| {
            let mut sent = blocks(prompt).iter().filter_map(embedded);
            sent.any(|(known, _)| known == uri)
        };
        let prompt = prompts().find(of_it)?;
        let same = |prompt: &Request| {
            let mut sent = blocks(prompt).iter().filter_map(embedded);
            sent.any(|(known, sent)| known == uri && sent == text)
        };
        (!prompts().any(same)).then_some((text, prompt))
    })
}

/// CONTENT-008: data that is no base64, or not of its type, is refused or handled, by an agent that takes the type.
/// (content)
const DAMAGED_DATA: Rule = Rule::check_later(
    "ACP-CONTENT-008",
    |m, says| {
        let damaged = |block: &Value| match kind(block) {
            "image" | "audio" => !is_genuine(block),
            "resource" => {
                let blob = at(block, "/resource/blob").and_then(Value::as_str);
                blob.is_some_and(|blob| base64(blob) == Base64::Not)
            }
            _ => false,
        };
        if let Some((index, _)) = prompted(m, damaged) {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| survives(m, watch, "a block whose data is not what it says"),
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_told_from_what_only_looks_like_it() {
        for (text, read) in [
            ("", Base64::Strict),
            ("AAECAw==", Base64::Strict),
            ("AAEC", Base64::Strict),
            ("AAECAw", Base64::Lenient),
            ("AA-_", Base64::Lenient),
            ("AAEC\nAAEC", Base64::Lenient),
            ("A", Base64::Not),
            ("====", Base64::Not),
            ("data:image/png;base64,AAEC", Base64::Not),
            ("\u{89}PNG", Base64::Not),
        ] {
            assert_eq!(base64(text), read, "{text:?}");
        }
    }

    #[test]
    fn a_scheme_is_no_drive() {
        for (uri, has) in [
            ("file:///a", true),
            ("https://example.com/", true),
            ("zed+x:1", true),
            ("main.py", false),
            ("/main.py", false),
            ("C:\\main.py", false),
            ("1a:b", false),
            ("a b:c", false),
        ] {
            assert_eq!(has_scheme(uri), has, "{uri}");
        }
    }
}
