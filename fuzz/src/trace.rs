//! Traces that may or may not make sense: real messages with changes in them, in any order, and recordings in disorder.

use std::sync::LazyLock;

use arbitrary::{Result, Unstructured};
use elenchus_protocol::{Version, acp::shapes::Part};
use elenchus_wire::{
    Body, Event, EventKind, Frame, LineEnd, Mark, Side, Wait,
    event::{Asked, Milestone, Planted, Premise},
    trace::{FORMAT, Header, Trace},
};
use serde_json::Value;

use crate::json::{self, seldom};

// The tables and the recordings that the crates' own tests read.
#[path = "../../harness/protocol/tests/shapes/tables.rs"]
mod tables;

static LEGAL: LazyLock<Vec<tables::Message>> = LazyLock::new(tables::legal);

static RECORDED: LazyLock<Vec<Trace>> = LazyLock::new(|| {
    [
        include_str!("../../harness/judge/tests/traces/v1-scope-two-questions.jsonl"),
        include_str!("../../harness/judge/tests/traces/v2-scope-two-questions.jsonl"),
        include_str!("../../harness/judge/tests/traces/v1-jsonrpc-broken-no-json.jsonl"),
        include_str!("../../harness/judge/tests/traces/v2-resp-consent-is-waited-for.jsonl"),
    ]
    .map(|text| elenchus_wire::trace::read(text).expect("a recorded trace"))
    .into()
});

/// Few ids and sessions, so that messages meet; ids that are alike and not the same.
const IDS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "\"1\"",
    "1.0",
    "null",
    "\"\"",
    "9007199254740993",
    "{}",
];
const SESSIONS: &[&str] = &["s", "s", "t", "sess_1"];

const METHODS: &[&str] = &["_elenchus/fence", "_x", "x", "", "rpc.discover"];

const NOISE: &[&str] = &[
    "",
    "{",
    "[",
    "}",
    "[1,",
    "null",
    "Listening on 8080",
    "{}",
    "[{}]",
    "{\"jsonrpc\":\"2.0\"}",
    "{\"id\":1e400}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"id\":2}",
    "\u{feff}{}",
    "{\"a\":\"\\ud800\"}",
    "\u{1b}]0;title\u{7}",
    "\u{2028}\u{202e}",
];

/// A trace file as it stands, or else a trace that the bytes decide.
pub fn of(bytes: &[u8]) -> Option<Trace> {
    if bytes.first() == Some(&b'{') {
        return elenchus_wire::trace::read_bytes(bytes).ok();
    }
    trace(&mut Unstructured::new(bytes)).ok()
}

fn trace(u: &mut Unstructured<'_>) -> Result<Trace> {
    if seldom(u, 4)? {
        return disorder(u);
    }
    let version = *u.choose(&Version::ALL)?;
    let judged = side(u)?;
    let mut events = Vec::new();
    while !u.is_empty() && events.len() < 60 {
        let conn = u32::from(seldom(u, 8)?);
        let kind = if !seldom(u, 4)? {
            EventKind::Frame {
                from: side(u)?,
                frame: frame(u, version)?,
            }
        } else {
            other(u)?
        };
        events.push(Event {
            seq: 0,
            at_us: 0,
            conn,
            kind,
        });
    }
    let header = Header {
        elenchus_trace: FORMAT,
        elenchus: "0.0.0".to_owned(),
        protocol: version.name().to_owned(),
        judged,
        script: json::text(u)?,
        instance: json::text(u)?,
        seed: 0,
    };
    Ok(numbered(header, events))
}

/// A recording with some events left out, some twice, some elsewhere, and some frames changed.
fn disorder(u: &mut Unstructured<'_>) -> Result<Trace> {
    let recorded = u.choose(&RECORDED)?;
    let version: Version = recorded.header.protocol.parse().expect("a version");
    let mut events = recorded.events.clone();
    while !u.is_empty() && !events.is_empty() {
        let from = u.choose_index(events.len())?;
        let event = match u.int_in_range(0..=3)? {
            0 => events.remove(from),
            1 => events[from].clone(),
            2 => {
                events.truncate(from);
                continue;
            }
            _ => Event {
                kind: EventKind::Frame {
                    from: side(u)?,
                    frame: frame(u, version)?,
                },
                ..events[from].clone()
            },
        };
        if !seldom(u, 4)? {
            let to = u.int_in_range(0..=events.len())?;
            events.insert(to, event);
        }
    }
    let judged = side(u)?;
    let header = Header {
        judged,
        ..recorded.header.clone()
    };
    Ok(numbered(header, events))
}

fn numbered(header: Header, events: Vec<Event>) -> Trace {
    let events = (0..)
        .zip(events)
        .map(|(seq, event)| Event {
            seq,
            at_us: seq * 1000,
            ..event
        })
        .collect();
    Trace {
        header,
        events,
        cut: false,
    }
}

fn side(u: &mut Unstructured<'_>) -> Result<Side> {
    Ok(*u.choose(&[Side::Client, Side::Server])?)
}

fn id(u: &mut Unstructured<'_>) -> Result<String> {
    Ok((*u.choose(IDS)?).to_owned())
}

fn frame(u: &mut Unstructured<'_>, version: Version) -> Result<Frame> {
    let body = match u.int_in_range(0..=31)? {
        0 | 1 => Body::Text((*u.choose(NOISE)?).to_owned()),
        2 => Body::Text(json::text(u)?),
        3 => Body::Bytes(u.arbitrary::<[u8; 4]>()?.into()),
        4 => Body::Oversize {
            len: u.arbitrary()?,
            sha256: String::new(),
            head: u.arbitrary::<[u8; 4]>()?.into(),
            tail: u.arbitrary::<[u8; 4]>()?.into(),
        },
        _ => Body::Text(message(u, version)?),
    };
    let end = match u.int_in_range(0..=31)? {
        0 => LineEnd::CrLf,
        1 => LineEnd::None,
        _ => LineEnd::Lf,
    };
    Ok(Frame { body, end })
}

/// A message of the version with changes in it. Whether it is a request, a notification or a response is up to the id.
fn message(u: &mut Unstructured<'_>, version: Version) -> Result<String> {
    let known: Vec<&tables::Message> = LEGAL
        .iter()
        .filter(|known| known.version == version)
        .collect();
    let known = u.choose(&known)?;
    let mut payload = known.value.clone();
    edit(u, &mut payload)?;
    let jsonrpc = if seldom(u, 64)? {
        ""
    } else {
        "\"jsonrpc\":\"2.0\","
    };
    let id = if seldom(u, 4)? {
        String::new()
    } else {
        format!("\"id\":{},", id(u)?)
    };
    let body = if known.part == Part::Params {
        let method = if seldom(u, 16)? {
            *u.choose(METHODS)?
        } else {
            known.method
        };
        format!("\"method\":\"{method}\",\"params\":{payload}")
    } else if seldom(u, 4)? {
        let code = *u.choose(&["-32601", "-32800", "-32603", "-32042", "1.5", "\"1\""])?;
        format!("\"error\":{{\"code\":{code},\"message\":\"m\",\"data\":{payload}}}")
    } else {
        format!("\"result\":{payload}")
    };
    Ok(format!("{{{jsonrpc}{id}{body}}}"))
}

/// Sets the session to one of the few, and now and then anything anywhere.
fn edit(u: &mut Unstructured<'_>, payload: &mut Value) -> Result<()> {
    if let Some(session) = payload.get_mut("sessionId") {
        *session = Value::from(*u.choose(SESSIONS)?);
    }
    while seldom(u, 4)? {
        let places = tables::places(payload);
        let place = u.choose(&places)?.clone();
        let value = json::value(u, 2)?;
        match (payload.pointer_mut(&place), u.arbitrary()?) {
            (Some(Value::Object(members)), true) => {
                members.insert(json::text(u)?, value);
            }
            (Some(Value::Object(members)), false) if !members.is_empty() => {
                let names: Vec<String> = members.keys().cloned().collect();
                members.shift_remove(u.choose(&names)?);
            }
            (Some(found), _) => *found = value,
            (None, _) => {}
        }
    }
    Ok(())
}

/// Everything that is no frame.
fn other(u: &mut Unstructured<'_>) -> Result<EventKind> {
    let asked = [Asked::Nothing, Asked::Close, Asked::Terminate, Asked::Kill];
    Ok(match u.int_in_range(0..=22)? {
        0 | 1 => EventKind::Open { target: side(u)? },
        2 => EventKind::Eof { from: side(u)? },
        3 => EventKind::Exit {
            code: u.arbitrary()?,
            signal: u.arbitrary()?,
            asked: *u.choose(&asked)?,
        },
        4 => EventKind::Mark(Mark::Premise(premise(u)?)),
        5 | 6 => EventKind::Mark(Mark::Fence { id: id(u)? }),
        7 => EventKind::Mark(Mark::Trigger {
            name: (*u.choose(&[
                "/elicit form",
                "/elicit url",
                "/hold elicit form",
                "/effect a form",
            ])?)
            .to_owned(),
            request: id(u)?,
            own_words: u.arbitrary()?,
        }),
        8 => EventKind::Mark(Mark::Malformed),
        9 => EventKind::Mark(Mark::Visit { request: id(u)? }),
        10 => EventKind::Mark(Mark::Shown { request: id(u)? }),
        11 => EventKind::Mark(Mark::Typed { request: id(u)? }),
        12 => EventKind::Mark(Mark::Leak {
            frame: u.int_in_range(0..=60)?,
            planted: *u.choose(&[Planted::Typed, Planted::Credential, Planted::Person])?,
            encoding: "raw".to_owned(),
            in_url: u.arbitrary()?,
        }),
        13 => EventKind::Mark(Mark::Stopped {
            reason: json::text(u)?,
        }),
        14 => EventKind::Mark(Mark::Milestone {
            to: *u.choose(&[Milestone::Session, Milestone::Turn])?,
            missed: None,
        }),
        15 => EventKind::Mark(Mark::Chunked),
        16 => EventKind::Mark(Mark::Told {
            name: (*u.choose(&[
                "ELENCHUS_CAPABILITIES",
                "ELENCHUS_ANSWERS",
                "ELENCHUS_PERMISSION",
                "ELENCHUS_TURNS",
            ])?)
            .to_owned(),
            value: json::value(u, 2)?.to_string(),
        }),
        17 | 18 => EventKind::Settled { fence: id(u)? },
        19 => EventKind::Unsettled { fence: id(u)? },
        20 => EventKind::Deadline {
            wait: match u.int_in_range(0..=3)? {
                0 => Wait::Answer { id: id(u)? },
                1 => Wait::TurnEnd { id: id(u)? },
                2 => Wait::Request {
                    method: "elicitation/create".to_owned(),
                },
                _ => Wait::Exit,
            },
            ms: u.arbitrary()?,
        },
        21 => EventKind::Limit {
            bytes: u.arbitrary()?,
        },
        _ => EventKind::End,
    })
}

fn premise(u: &mut Unstructured<'_>) -> Result<Premise> {
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
        Premise::Elicits {
            trigger: "/elicit url".to_owned(),
            mode: "url".to_owned(),
        },
        Premise::Heeds {
            variable: "ELENCHUS_ANSWERS".to_owned(),
        },
    ];
    u.choose(&premises).cloned()
}
