//! Traces as a few lines of text, and what a rule makes of them.
//!
//! ```text
//! elicits /elicit form in form      a premise; also: speaks 1, probed, terminal-only
//! on 1                              the lines after this are on connection 1
//! open [client]                     the connection is made; to a client, if it says so, which is then judged
//! C {"jsonrpc":...}                 the client sends a line
//! S {"jsonrpc":...}                 the agent sends a line
//! S! · S^ · S~ · S+                 without a line end · with CR LF · with bytes as \xNN · too long to be kept
//! trigger 2 /elicit form            the request with id 2 is a trigger
//! own-words 2 /elicit form          the same, by another prompt than the vocabulary's
//! fence "f"                         the request with id "f" is a fence
//! settled                           the fence was answered, and quiet followed
//! deadline 2                        the answer to 2 did not come
//! request-deadline METHOD           a request of the target that was waited for did not come
//! turn-deadline 2                   the turn of prompt 2 did not end
//! stderr TEXT                       the target writes a line to its standard error
//! eof C                             the client closed its direction
//! exit 0 close                      the process ended: code, then nothing|close|terminate|kill
//! later 2000                        so many milliseconds pass
//! visit 7                           a person opens the page of the elicitation with id 7
//! shown 7 · typed 7                 it shows what was planted · takes what was typed
//! leak typed raw                    the agent's newest line holds what was typed; also: credential, person
//! leak-in-url credential raw        the same, in the URL of an elicitation
//! signal 11 close                   the process was ended by this signal
//! exit-deadline                     the end of the process did not come
//! chunked                           the client's next line does not leave in a write of its own
//! opens URL · fetches URL            the target opens a URL for a person · a URL of ours is fetched
//! told NAME VALUE                   the client was started with this variable · heeds NAME: and does what it says
//! malformed                         the client's next line is malformed on purpose
//! stopped                           the script gave up
//! overheard                         no script was performed: two programs talked to each other
//! limit                             nothing more was recorded
//! end
//! ```

use elenchus_judge::Judgement;
use elenchus_wire::{
    Body, Event, EventKind, Frame, LineEnd, Mark, Side, Wait,
    event::{Asked, Planted, Premise},
    trace::{FORMAT, Header, PAIR, Trace},
};

/// When a trace begins, so that its times are none of a counter.
const BEGIN: u64 = 1_000_000;

/// Reads a trace of this protocol (`acp-v1`) out of its text.
pub(crate) fn trace(protocol: &str, text: &str) -> Trace {
    let mut events: Vec<Event> = Vec::new();
    let mut conn = 0;
    let mut later = 0;
    let mut script = "test";
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let kind = match word {
            "on" => {
                conn = rest.parse().expect("a connection's number");
                continue;
            }
            "stderr" => EventKind::Stderr {
                text: rest.to_owned(),
            },
            "open" => EventKind::Open {
                target: if rest == "client" {
                    Side::Client
                } else {
                    Side::Server
                },
            },
            "opens" => EventKind::Opened {
                url: rest.to_owned(),
            },
            "fetches" => EventKind::Fetched {
                url: rest.to_owned(),
            },
            _ if word.starts_with('C') => frame(Side::Client, &word[1..], rest),
            _ if word.starts_with('S') => frame(Side::Server, &word[1..], rest),
            "elicits" => {
                let (trigger, mode) = rest.split_once(" in ").expect("elicits TRIGGER in MODE");
                EventKind::Mark(Mark::Premise(Premise::Elicits {
                    trigger: trigger.to_owned(),
                    mode: mode.to_owned(),
                }))
            }
            "heeds" => EventKind::Mark(Mark::Premise(Premise::Heeds {
                variable: rest.to_owned(),
            })),
            "told" => {
                let (name, value) = rest.split_once(' ').expect("told NAME VALUE");
                EventKind::Mark(Mark::Told {
                    name: name.to_owned(),
                    value: value.to_owned(),
                })
            }
            "speaks" => EventKind::Mark(Mark::Premise(Premise::Speaks {
                version: rest.parse().expect("a version"),
            })),
            "probed" => EventKind::Mark(Mark::Premise(Premise::AllVersionsProbed)),
            "no-session" => EventKind::Mark(Mark::Premise(Premise::OpensNoSession)),
            "no-turn" => EventKind::Mark(Mark::Premise(Premise::EndsNoTurn)),
            "terminal-only" => EventKind::Mark(Mark::Premise(Premise::AnswersOnTerminalOnly)),
            "trigger" | "own-words" => {
                let (request, name) = rest.split_once(' ').expect("trigger ID NAME");
                EventKind::Mark(Mark::Trigger {
                    name: name.to_owned(),
                    request: request.to_owned(),
                    own_words: word == "own-words",
                })
            }
            "fence" => EventKind::Mark(Mark::Fence {
                id: rest.to_owned(),
            }),
            "settled" => EventKind::Settled {
                fence: "\"f\"".to_owned(),
            },
            "overheard" => {
                script = PAIR;
                continue;
            }
            "later" => {
                let ms: u64 = rest.parse().expect("later MS");
                later += ms * 1000;
                continue;
            }
            "deadline" => EventKind::Deadline {
                wait: Wait::Answer {
                    id: rest.to_owned(),
                },
                ms: 10_000,
            },
            "request-deadline" => EventKind::Deadline {
                wait: Wait::Request {
                    method: rest.to_owned(),
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
                EventKind::Exit {
                    code: code.parse().ok(),
                    signal: None,
                    asked: how_asked(asked),
                }
            }
            "shown" => EventKind::Mark(Mark::Shown {
                request: rest.to_owned(),
            }),
            "typed" => EventKind::Mark(Mark::Typed {
                request: rest.to_owned(),
            }),
            "leak" | "leak-in-url" => {
                let (planted, encoding) = rest.split_once(' ').expect("leak PLANTED ENCODING");
                let ours = |event: &&Event| {
                    matches!(
                        event.kind,
                        EventKind::Frame {
                            from: Side::Server,
                            ..
                        }
                    )
                };
                EventKind::Mark(Mark::Leak {
                    frame: events
                        .iter()
                        .rev()
                        .find(ours)
                        .expect("a line of the agent")
                        .seq,
                    planted: match planted {
                        "typed" => Planted::Typed,
                        "credential" => Planted::Credential,
                        _ => Planted::Person,
                    },
                    encoding: encoding.to_owned(),
                    in_url: word == "leak-in-url",
                })
            }
            "visit" => EventKind::Mark(Mark::Visit {
                request: rest.to_owned(),
            }),
            "signal" => {
                let (signal, asked) = rest.split_once(' ').expect("signal NUMBER ASKED");
                EventKind::Exit {
                    code: None,
                    signal: signal.parse().ok(),
                    asked: how_asked(asked),
                }
            }
            "exit-deadline" => EventKind::Deadline {
                wait: Wait::Exit,
                ms: 5_000,
            },
            "chunked" => EventKind::Mark(Mark::Chunked),
            "malformed" => EventKind::Mark(Mark::Malformed),
            "limit" => EventKind::Limit { bytes: 1 },
            "stopped" => EventKind::Mark(Mark::Stopped {
                reason: "a step failed".to_owned(),
            }),
            "end" => EventKind::End,
            other => panic!("no such word in a trace: {other}"),
        };
        let seq = events.len() as u64;
        events.push(Event {
            seq,
            at_us: BEGIN + seq + later,
            conn,
            kind,
        });
    }
    let opened = events.iter().find_map(|event| match event.kind {
        EventKind::Open { target } => Some(target),
        _ => None,
    });
    Trace {
        header: Header {
            elenchus_trace: FORMAT,
            elenchus: "test".to_owned(),
            protocol: protocol.to_owned(),
            judged: opened.unwrap_or(Side::Server),
            script: script.to_owned(),
            instance: String::new(),
            seed: 0,
        },
        events,
        cut: false,
    }
}

fn how_asked(word: &str) -> Asked {
    match word {
        "close" => Asked::Close,
        "terminate" => Asked::Terminate,
        "kill" => Asked::Kill,
        _ => Asked::Nothing,
    }
}

/// A line of a side, written in one of the ways.
fn frame(from: Side, way: &str, text: &str) -> EventKind {
    let body = if way.contains('~') {
        Body::Bytes(bytes(text))
    } else if way.contains('+') {
        Body::Oversize {
            len: 3_000_000,
            sha256: String::new(),
            head: text.into(),
            tail: text.into(),
        }
    } else {
        Body::Text(text.to_owned())
    };
    let end = if way.contains('!') {
        LineEnd::None
    } else if way.contains('^') {
        LineEnd::CrLf
    } else {
        LineEnd::Lf
    };
    EventKind::Frame {
        from,
        frame: Frame { body, end },
    }
}

/// A text with bytes written as `\xNN`.
fn bytes(text: &str) -> Vec<u8> {
    let mut pieces = text.split("\\x");
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(&piece[..2], 16).expect("two hex digits"));
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    bytes
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
