//! Traces as a few lines of text, and what a rule makes of them.
//!
//! ```text
//! elicits /elicit form in form      a premise; also: speaks 1, probed, terminal-only
//! on 1                              the lines after this are on connection 1
//! open                              the connection is made
//! C {"jsonrpc":...}                 the client sends a line; `C!` without a line end
//! S {"jsonrpc":...}                 the agent sends a line; `S!` without a line end
//! trigger 2 /elicit form            the request with id 2 is a trigger
//! fence "f"                         the request with id "f" is a fence
//! settled                           the fence was answered, and quiet followed
//! deadline 2                        the answer to 2 did not come
//! turn-deadline 2                   the turn of prompt 2 did not end
//! eof C                             the client closed its direction
//! exit 0 close                      the process ended: code, then nothing|close|terminate|kill
//! stopped                           the script gave up
//! end
//! ```

use elenchus_judge::{Judgement, judge};
use elenchus_wire::{
    Body, Event, EventKind, Frame, LineEnd, Mark, Side, Wait,
    event::{Asked, Premise},
    trace::{FORMAT, Header, Trace},
};

/// Reads a trace of this protocol (`acp-v1`) out of its text.
pub(crate) fn trace(protocol: &str, text: &str) -> Trace {
    let mut events: Vec<Event> = Vec::new();
    let mut conn = 0;
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let frame = |from, end| EventKind::Frame {
            from,
            frame: Frame {
                body: Body::Text(rest.to_owned()),
                end,
            },
        };
        let kind = match word {
            "on" => {
                conn = rest.parse().expect("a connection's number");
                continue;
            }
            "open" => EventKind::Open {
                target: Side::Server,
            },
            "C" => frame(Side::Client, LineEnd::Lf),
            "C!" => frame(Side::Client, LineEnd::None),
            "S" => frame(Side::Server, LineEnd::Lf),
            "S!" => frame(Side::Server, LineEnd::None),
            "elicits" => {
                let (trigger, mode) = rest.split_once(" in ").expect("elicits TRIGGER in MODE");
                EventKind::Mark(Mark::Premise(Premise::Elicits {
                    trigger: trigger.to_owned(),
                    mode: mode.to_owned(),
                }))
            }
            "speaks" => EventKind::Mark(Mark::Premise(Premise::Speaks {
                version: rest.parse().expect("a version"),
            })),
            "probed" => EventKind::Mark(Mark::Premise(Premise::AllVersionsProbed)),
            "terminal-only" => EventKind::Mark(Mark::Premise(Premise::AnswersOnTerminalOnly)),
            "trigger" => {
                let (request, name) = rest.split_once(' ').expect("trigger ID NAME");
                EventKind::Mark(Mark::Trigger {
                    name: name.to_owned(),
                    request: request.to_owned(),
                })
            }
            "fence" => EventKind::Mark(Mark::Fence {
                id: rest.to_owned(),
            }),
            "settled" => EventKind::Settled {
                fence: "\"f\"".to_owned(),
            },
            "deadline" => EventKind::Deadline {
                wait: Wait::Answer {
                    id: rest.to_owned(),
                },
                ms: 10_000,
            },
            "turn-deadline" => EventKind::Deadline {
                wait: Wait::TurnEnd {
                    id: rest.to_owned(),
                },
                ms: 10_000,
            },
            "eof" => EventKind::Eof {
                from: if rest == "C" {
                    Side::Client
                } else {
                    Side::Server
                },
            },
            "exit" => {
                let (code, asked) = rest.split_once(' ').expect("exit CODE ASKED");
                let asked = match asked {
                    "close" => Asked::Close,
                    "terminate" => Asked::Terminate,
                    "kill" => Asked::Kill,
                    _ => Asked::Nothing,
                };
                EventKind::Exit {
                    code: code.parse().ok(),
                    signal: None,
                    asked,
                }
            }
            "stopped" => EventKind::Mark(Mark::Stopped {
                reason: "a step failed".to_owned(),
            }),
            "end" => EventKind::End,
            other => panic!("no such word in a trace: {other}"),
        };
        let seq = events.len() as u64;
        events.push(Event {
            seq,
            at_us: seq,
            conn,
            kind,
        });
    }
    Trace {
        header: Header {
            elenchus_trace: FORMAT,
            elenchus: "test".to_owned(),
            protocol: protocol.to_owned(),
            judged: Side::Server,
            script: "test".to_owned(),
            instance: String::new(),
            seed: 0,
        },
        events,
        cut: false,
    }
}

/// What a rule makes of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Its situation arose and was met.
    Upheld,
    /// It was broken.
    Broken,
    /// Its situation arose, and nothing certain can be said.
    Unclear,
    /// Its situation did not arise.
    Silent,
}

/// What the rule of this requirement makes of a trace.
pub(crate) fn verdict(judgement: &Judgement, id: &str) -> Verdict {
    match judgement.tallies.get(id) {
        Some(tally) if !tally.breaches.is_empty() => Verdict::Broken,
        Some(tally) if tally.upheld > 0 => Verdict::Upheld,
        Some(tally) if !tally.unclear.is_empty() => Verdict::Unclear,
        _ => Verdict::Silent,
    }
}

/// One row of a table: requirement, protocol, what the rule has to say, the trace.
pub(crate) type Row = (&'static str, &'static str, Verdict, &'static str);

/// The head of most traces: a connection that was initialized with both modes, and the session `s`.
pub(crate) const OPENED_V1: &str = r#"
speaks 1
speaks 2
probed
open
C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"elenchus","version":"0"}}}
S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}}
C {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}
S {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
"#;

/// The same in v2.
pub(crate) const OPENED_V2: &str = r#"
speaks 1
speaks 2
probed
open
C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"elenchus","version":"0"},"capabilities":{"elicitation":{"form":{},"url":{}}}}}
S {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}},"authMethods":[]}}
C {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/"}}
S {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
"#;

/// Holds every row of a table to what it says. A text that begins with a `+` follows the opened connection of its
/// protocol.
pub(crate) fn check(rows: &[Row]) {
    let mut wrong = Vec::new();
    for (number, (id, protocol, expected, text)) in rows.iter().enumerate() {
        let text = match text.trim_start().strip_prefix('+') {
            Some(rest) if *protocol == "acp-v1" => format!("{OPENED_V1}{rest}"),
            Some(rest) => format!("{OPENED_V2}{rest}"),
            None => (*text).to_owned(),
        };
        let judgement = judge(&trace(protocol, &text));
        let found = verdict(&judgement, id);
        if found != *expected {
            wrong.push(format!(
                "row {number}: {id} in {protocol} is {found:?}, expected {expected:?}\n{:#?}\n{text}",
                judgement.tallies.get(id)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
