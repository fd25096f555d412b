//! What is answered to frames that are no requests, and what they must not do.

use elenchus_protocol::Version;
use elenchus_wire::IdKey;

use crate::{
    fact::Fact,
    rule::{Rule, Still, Subject, Why},
    rules::survive::{self, OddAnswer, answer_to_odd, odd, silent, survives},
    text,
    world::OddKind,
};

/// JSONRPC-013: a line that is no JSON is answered, if at all, by one error -32700 with a null id. In v1 anything else
/// is a remark. A missing id is JSONRPC-028's. (JSON-RPC 2.0 section 5.1)
pub(super) const PARSE_ERROR: Rule = Rule::check_later(
    "ACP-JSONRPC-013",
    |m, says| {
        if odd(m, OddKind::NotJson).is_some() {
            return says.watch(Subject::Connection);
        }
        let Some(answer) = answer_to_odd(m, OddKind::NotJson).filter(|answer| answer.id.is_some())
        else {
            return;
        };
        let Some(wrong) = wrong_parse_error(&answer) else {
            return says.upheld();
        };
        if m.conn.version() == Version::AcpV1 {
            says.note(wrong);
        } else {
            says.broken(Why::new(
                "one error -32700 with a null id, or silence",
                wrong,
            ));
        }
    },
    silent,
)
.of_both();

/// What is wrong with an answer to what is no JSON.
fn wrong_parse_error(answer: &OddAnswer<'_>) -> Option<String> {
    if answer.odd.answers > 1 {
        Some("a line that is no JSON was answered more than once".to_owned())
    } else if !answer.nameless() {
        let id = text::short_to(answer.id.unwrap_or_default(), 60);
        Some(format!(
            "a line that is no JSON was answered under the id {id}"
        ))
    } else if answer.result {
        Some("a line that is no JSON was answered with a result".to_owned())
    } else if answer.code != Some(-32700) {
        Some("a line that is no JSON was answered with another code than -32700".to_owned())
    } else {
        None
    }
}

/// JSONRPC-014: JSON that is no message is answered, if at all, with -32600 and a null id, or the id that can be read.
/// -32700 is a remark. (JSON-RPC 2.0 section 5.1)
pub(super) const INVALID_REQUEST: Rule = Rule::check_later(
    "ACP-JSONRPC-014",
    |m, says| {
        if odd(m, OddKind::NoMessage).is_some() {
            return says.watch(Subject::Connection);
        }
        let Some(answer) =
            answer_to_odd(m, OddKind::NoMessage).filter(|answer| answer.id.is_some())
        else {
            return;
        };
        let expected = "an error -32600 with a null id or the one that can be read, or silence";
        let recovered = answer.nameless() || answer.id == answer.odd.id.as_deref();
        match answer.code {
            _ if !recovered => says.broken(Why::new(
                expected,
                format!(
                    "JSON that is no message was answered under the id {}",
                    text::short_to(answer.id.unwrap_or_default(), 60)
                ),
            )),
            Some(-32600) => says.upheld(),
            Some(-32700) => says.note("JSON that is no message was answered with -32700"),
            code => says.broken(Why::new(
                expected,
                code.map_or_else(
                    || "JSON that is no message was answered with no such code".to_owned(),
                    |code| format!("JSON that is no message was answered with {code}"),
                ),
            )),
        }
    },
    silent,
)
.of_both();

/// JSONRPC-015: the connection goes on after any one wrong message. Lines that are no JSON, no UTF-8 or arrays have rows
/// of their own. (overview#error-handling)
pub(super) const GOES_ON: Rule = Rule::check_later(
    "ACP-JSONRPC-015",
    |m, says| survive::watch(m, says, OddKind::NoMessage),
    |m, watch| survives(m, watch, "JSON that is no message was sent"),
)
.of_both();

/// JSONRPC-016: a response that answers nothing does no harm. An error in return is a remark. What it does to a question
/// is judged by the rows on elicitation. (JSON-RPC 2.0 section 5; derived)
pub(super) const STRAY_IGNORED: Rule = Rule::check_later(
    "ACP-JSONRPC-016",
    |m, says| {
        if survive::stray_without_question(m) {
            says.watch(Subject::Connection);
        }
    },
    |m, watch| match m.fact {
        // It stands among our own orphans, so that the event that opened the watch is not one after it.
        Fact::Orphan(_) => Still::Watching,
        _ => survives(m, watch, "a response that answers nothing was sent"),
    },
)
.of_both();

/// JSONRPC-019 (v2): a request with a null id is not carried out. An error or silence is right.
/// (crate v2/rpc.rs RequestId)
pub(super) const NULL_ID_REFUSED: Rule = Rule::check_later(
    "ACP-JSONRPC-019",
    |m, says| {
        let Some((index, request)) = m.asked() else {
            return;
        };
        if request.key == IdKey::Null && m.conn.version() == Version::AcpV2 && m.conn.initialized()
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        match (request.answer(), m.fact) {
            (Some(answer), _) if !answer.is_error => Still::Broken(
                Why::new(
                    "an error -32600 with a null id, or silence",
                    format!("{} with a null id was carried out", request.method),
                )
                .sent(request.text.clone()),
            ),
            (Some(_), _) | (None, Fact::Settled) => Still::Upheld,
            (None, Fact::Exited | Fact::Ended) => Still::Unclear("the connection ended".to_owned()),
            (None, _) => Still::Watching,
        }
    },
)
.of_both();

/// JSONRPC-023: members that stand twice, deep nesting and text that is no Unicode do not crash the reader. That it
/// answers is for other rows to ask. (RFC 8259)
pub(super) const STRANGE_IS_HARMLESS: Rule = Rule::check_later(
    "ACP-JSONRPC-023",
    |m, says| survive::watch(m, says, OddKind::Strange),
    |m, watch| match m.fact {
        Fact::Deadline(_) => Still::Watching,
        _ => survives(
            m,
            watch,
            "a message that is deeply nested, has a member twice or text that is no Unicode was sent",
        ),
    },
)
.of_both();

/// The codes of JSON-RPC for a message that could not be read.
pub(in crate::rules) fn unreadable_code(code: i64) -> bool {
    matches!(code, -32700 | -32600)
}
