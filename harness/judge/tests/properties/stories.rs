//! Stories that may or may not make sense.

use elenchus_wire::{
    Body, EventKind, Frame, LineEnd, Mark, Side, Wait,
    event::{Asked, Planted, Premise},
    trace::Trace,
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};
use serde_json::{Value, json};

use super::{recorded, trace, with};

/// Any JSON value, with the names that ACP knows among the members.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..70_000).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(WORDS).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((select(WORDS), inner), 0..5).prop_map(|members| {
                let members = members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value));
                Value::Object(members.collect())
            }),
        ]
    })
}

const WORDS: &[&str] = &[
    "sessionId",
    "session_id",
    "update",
    "sessionUpdate",
    "state_update",
    "state",
    "idle",
    "running",
    "stopReason",
    "agent_message_chunk",
    "content",
    "type",
    "text",
    "messageId",
    "toolCallId",
    "title",
    "mode",
    "form",
    "url",
    "message",
    "requestedSchema",
    "properties",
    "object",
    "string",
    "required",
    "requestId",
    "elicitationId",
    "action",
    "accept",
    "protocolVersion",
    "agentCapabilities",
    "capabilities",
    "info",
    "authMethods",
    "_meta",
    "code",
    "data",
    "s",
    "elicited accept",
    "",
];

const METHODS: &[&str] = &[
    "initialize",
    "session/new",
    "session/prompt",
    "session/update",
    "session/cancel",
    "session/load",
    "session/request_permission",
    "elicitation/create",
    "elicitation/complete",
    "$/cancel_request",
    "_x",
    "x",
];

const IDS: &[&str] = &[
    "0",
    "1",
    "\"1\"",
    "1.0",
    "null",
    "2",
    "{}",
    "9007199254740993",
    "1.5",
];

/// An object with some of the members of an envelope.
fn envelope() -> impl Strategy<Value = String> {
    let member = prop_oneof![
        5 => Just(r#""jsonrpc":"2.0""#.to_owned()),
        3 => select(IDS).prop_map(|id| format!(r#""id":{id}"#)),
        3 => select(METHODS).prop_map(|method| format!(r#""method":"{method}""#)),
        3 => value().prop_map(|params| format!(r#""params":{params}"#)),
        2 => value().prop_map(|result| format!(r#""result":{result}"#)),
        1 => value().prop_map(|error| format!(r#""error":{error}"#)),
    ];
    vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(",")))
}

/// A message of the right form with any payload.
fn message() -> impl Strategy<Value = String> {
    let envelope = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"#);
    prop_oneof![
        (select(METHODS), value()).prop_map(|(method, params)| {
            json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
        }),
        (select(IDS), select(METHODS), value()).prop_map(move |(id, method, params)| {
            format!(r#"{}"method":"{method}","params":{params}}}"#, envelope(id))
        }),
        (select(IDS), value())
            .prop_map(move |(id, result)| { format!(r#"{}"result":{result}}}"#, envelope(id)) }),
        (select(IDS), value())
            .prop_map(move |(id, error)| { format!(r#"{}"error":{error}}}"#, envelope(id)) }),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        6 => message().prop_map(Body::Text),
        3 => envelope().prop_map(Body::Text),
        1 => value().prop_map(|value| Body::Text(value.to_string())),
        1 => "[\\[\\]{}\":,0-9a-z\\\\ ]{0,20}".prop_map(Body::Text),
        1 => "\\PC{0,20}".prop_map(Body::Text),
        1 => vec(any::<u8>(), 0..20).prop_map(Body::Bytes),
        1 => (any::<u64>(), vec(any::<u8>(), 0..20)).prop_map(|(len, bytes)| Body::Oversize {
            len,
            sha256: String::new(),
            head: bytes.clone(),
            tail: bytes,
        }),
    ]
}

fn side() -> impl Strategy<Value = Side> {
    select(&[Side::Client, Side::Server][..])
}

pub(crate) fn frame() -> impl Strategy<Value = EventKind> {
    let ends = &[
        LineEnd::Lf,
        LineEnd::Lf,
        LineEnd::Lf,
        LineEnd::CrLf,
        LineEnd::None,
    ][..];
    (side(), body(), select(ends)).prop_map(|(from, body, end)| EventKind::Frame {
        from,
        frame: Frame { body, end },
    })
}

/// Everything that is no frame.
pub(crate) fn other() -> impl Strategy<Value = EventKind> {
    let id = || select(IDS).prop_map(str::to_owned);
    let premises = [
        Premise::Speaks { version: 1 },
        Premise::Speaks { version: 2 },
        Premise::AllVersionsProbed,
        Premise::OpensNoSession,
        Premise::EndsNoTurn,
        Premise::AnswersOnTerminalOnly,
        Premise::Elicits {
            trigger: "/elicit form".to_owned(),
            mode: "form".to_owned(),
        },
    ];
    let asked = &[Asked::Nothing, Asked::Close, Asked::Terminate, Asked::Kill][..];
    prop_oneof![
        side().prop_map(|target| EventKind::Open { target }),
        side().prop_map(|from| EventKind::Eof { from }),
        (proptest::option::of(any::<i32>()), select(asked)).prop_map(|(code, asked)| {
            EventKind::Exit {
                code,
                signal: None,
                asked,
            }
        }),
        select(premises.to_vec()).prop_map(|premise| EventKind::Mark(Mark::Premise(premise))),
        id().prop_map(|id| EventKind::Mark(Mark::Fence { id })),
        (id(), any::<bool>()).prop_map(|(request, own_words)| EventKind::Mark(Mark::Trigger {
            name: "/elicit form".to_owned(),
            request,
            own_words,
        })),
        Just(EventKind::Mark(Mark::Malformed)),
        id().prop_map(|request| EventKind::Mark(Mark::Visit { request })),
        id().prop_map(|request| EventKind::Mark(Mark::Shown { request })),
        id().prop_map(|request| EventKind::Mark(Mark::Typed { request })),
        (any::<u64>(), any::<bool>()).prop_map(|(frame, in_url)| {
            EventKind::Mark(Mark::Leak {
                frame,
                planted: Planted::Credential,
                encoding: "raw".to_owned(),
                in_url,
            })
        }),
        Just(EventKind::Mark(Mark::Stopped {
            reason: String::new(),
        })),
        id().prop_map(|fence| EventKind::Settled { fence }),
        id().prop_map(|fence| EventKind::Unsettled { fence }),
        id().prop_map(|id| EventKind::Deadline {
            wait: Wait::Answer { id },
            ms: 1,
        }),
        id().prop_map(|id| EventKind::Deadline {
            wait: Wait::TurnEnd { id },
            ms: 1,
        }),
        Just(EventKind::Limit { bytes: 1 }),
        Just(EventKind::End),
    ]
}

/// Any story, on two connections.
pub(crate) fn story(kind: impl Strategy<Value = EventKind>) -> impl Strategy<Value = Trace> {
    let protocol = select(&["acp-v1", "acp-v2"][..]);
    (protocol, vec((0..2u32, kind), 0..40)).prop_map(|(protocol, kinds)| {
        let (conns, kinds): (Vec<u32>, Vec<EventKind>) = kinds.into_iter().unzip();
        let mut trace = trace(protocol, kinds);
        for (event, conn) in trace.events.iter_mut().zip(conns) {
            event.conn = conn;
        }
        trace
    })
}

/// The events of a recorded trace in some disorder: some left out, some twice, some elsewhere.
pub(crate) fn disorder() -> impl Strategy<Value = Trace> {
    let all = recorded().into_iter().map(|(_, trace)| trace);
    let some = select(all.collect::<Vec<_>>());
    let step = (any::<Index>(), any::<Index>(), 0..3u8);
    (some, vec(step, 1..40)).prop_map(|(trace, steps)| {
        let mut events = trace.events.clone();
        for (from, to, how) in steps {
            if events.is_empty() {
                break;
            }
            let event = events[from.index(events.len())].clone();
            if how != 1 {
                events.remove(from.index(events.len()));
            }
            if how != 0 {
                events.insert(to.index(events.len() + 1), event);
            }
        }
        with(&trace, events)
    })
}
