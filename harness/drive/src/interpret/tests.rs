//! The interpreter against small peers, in virtual time.

mod replies;
mod waits;
mod writing;

use elenchus_fixtures::peer::{Out, Peer};
use elenchus_protocol::Version;
use elenchus_suites::script::{Script, parse};
use elenchus_wire::{Class, Event, EventKind, Mark, Message, Parsed, Side, Wait};
use serde_json::Value;

use super::GoesOn;
use crate::{
    instance::{Instance, Recording, Stopped, instances},
    memory::MemoryWires,
    perform::{Performed, Terms, perform},
    stage::Patience,
    target::Settings,
};

/// What a puppet does about a message: its method (or `answer`), and the whole message.
type React = fn(&mut Puppet, &str, &Value) -> Vec<Out>;

/// A small agent: initializes, opens sessions, refuses fences, ends with its input, and does what a test wants besides.
struct Puppet {
    react: React,
    sessions: u32,
    /// For the test's own use.
    memory: Vec<String>,
}

fn line(text: &str) -> Out {
    Out::Line(text.to_owned())
}

fn result(message: &Value, result: &str) -> Out {
    line(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        message["id"]
    ))
}

impl Peer for Puppet {
    fn start(&mut self) -> Vec<Out> {
        (self.react)(self, "start", &Value::Null)
    }

    fn line(&mut self, text: &[u8]) -> Vec<Out> {
        let Ok(message) = serde_json::from_slice::<Value>(text) else {
            return (self.react)(self, "noise", &Value::Null);
        };
        let method = message["method"].as_str().unwrap_or("answer").to_owned();
        let own = (self.react)(self, &method, &message);
        if !own.is_empty() {
            return own;
        }
        match method.as_str() {
            "initialize" => {
                let version = &message["params"]["protocolVersion"];
                vec![result(
                    &message,
                    &format!(
                        r#"{{"protocolVersion":{version},"info":{{"name":"p","version":"0"}}}}"#
                    ),
                )]
            }
            "session/new" => {
                self.sessions += 1;
                vec![result(
                    &message,
                    &format!(r#"{{"sessionId":"s{}"}}"#, self.sessions),
                )]
            }
            "answer" => vec![],
            _ if message.get("id").is_none() => vec![],
            "session/prompt" => vec![result(&message, r#"{"stopReason":"end_turn"}"#)],
            _ => vec![line(&format!(
                r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32601,"message":"no"}}}}"#,
                message["id"]
            ))],
        }
    }

    fn timer(&mut self, token: u64) -> Vec<Out> {
        (self.react)(self, "timer", &Value::from(token))
    }

    fn fetched(&mut self, path: &str) -> Vec<Out> {
        (self.react)(self, "fetched", &Value::from(path))
    }

    fn eof(&mut self) -> Vec<Out> {
        match (self.react)(self, "eof", &Value::Null) {
            own if own.is_empty() => vec![Out::Exit(0)],
            own => own,
        }
    }
}

fn script(steps: &str) -> Script {
    let text = format!("# A test.\ntarget agent\nversions 1 2\n\n{steps}\n");
    parse("test", &text).unwrap_or_else(|error| panic!("{error}"))
}

fn settings() -> Settings {
    Settings {
        max_trace: 200_000,
        ..Settings::default()
    }
}

fn play_instance(instance: &Instance<'_>, react: React) -> Recording {
    play_on(instance, react, &|_, _| false).recording
}

/// Plays an instance that goes on behind such steps.
fn play_on(instance: &Instance<'_>, react: React, goes_on: GoesOn<'_>) -> Performed {
    let settings = settings();
    let wires = MemoryWires::new(Box::new(|_| {
        Ok(Box::new(Puppet {
            react,
            sessions: 0,
            memory: Vec::new(),
        }))
    }));
    let terms = Terms {
        warm: None,
        keep: false,
        trial: false,
        goes_on,
        settings: &settings,
        premises: &[],
        patience: Patience::default(),
        sink: None,
        room: None,
    };
    perform(instance, Box::new(wires), terms)
}

fn play(version: Version, steps: &str, react: React) -> Recording {
    let script = script(steps);
    let instances = instances(&script, version, 1, true);
    play_instance(&instances[0], react)
}

/// The trace in short words. Steps and milestones are left out, and connections beyond the first show their number.
fn story(events: &[Event]) -> Vec<String> {
    let told = events.iter().filter_map(|event| {
        let text = match &event.kind {
            EventKind::Open { .. } => "open".to_owned(),
            EventKind::Frame { from, frame } => {
                let arrow = if *from == Side::Client { ">" } else { "<" };
                format!(
                    "{arrow} {}",
                    frame.text().map_or_else(|| "bytes".to_owned(), brief)
                )
            }
            EventKind::Stderr { text } => format!("stderr {text}"),
            EventKind::Eof { from } => format!("eof {}", from.name()),
            EventKind::Exit {
                code,
                signal,
                asked,
            } => {
                format!(
                    "exit {} {asked:?}",
                    code.or(signal.map(|signal| -signal)).unwrap_or(i32::MAX)
                )
            }
            EventKind::Mark(Mark::Step { .. } | Mark::Fence { .. } | Mark::Milestone { .. }) => {
                return None;
            }
            EventKind::Mark(Mark::Trigger {
                name,
                request,
                own_words,
            }) => {
                let kind = if *own_words { "own-words" } else { "trigger" };
                format!("{kind} {name} #{request}")
            }
            EventKind::Mark(Mark::Race { order, gap_us }) => format!("race {order:?} {gap_us:?}"),
            EventKind::Mark(Mark::Stopped { reason }) => format!("stopped: {reason}"),
            EventKind::Mark(other) => format!("{other:?}"),
            EventKind::Settled { .. } => "settled".to_owned(),
            EventKind::Unsettled { .. } => "unsettled".to_owned(),
            EventKind::Deadline { wait, .. } => match wait {
                Wait::Answer { id } => format!("no answer #{id}"),
                Wait::TurnEnd { id } => format!("no end #{id}"),
                Wait::Request { method } => format!("no {method}"),
                Wait::Exit => "no exit".to_owned(),
            },
            EventKind::Opened { url } => format!("opened {url}"),
            EventKind::Fetched { url } => format!("fetched {url}"),
            EventKind::Limit { .. } => "limit".to_owned(),
            EventKind::End => "end".to_owned(),
            EventKind::Unknown { name } => name.clone(),
        };
        Some(if event.conn == 0 {
            text
        } else {
            format!("{} {text}", event.conn)
        })
    });
    told.collect()
}

fn brief(text: &str) -> String {
    let Parsed::Message(message) = Message::parse(text) else {
        return text.to_owned();
    };
    let id = message.id.map(|id| {
        format!(
            "#{}",
            id.replace("\"elenchus-fence-", "fence")
                .trim_end_matches('"')
        )
    });
    let id = id.unwrap_or_default();
    match message.class {
        Class::Request | Class::Notification => {
            format!("{}{id}", message.method.unwrap_or_default())
        }
        Class::Response => match message.error {
            Some(error) => format!("{id} {}", crate::json::at(error, &["code"]).unwrap_or("?")),
            None => format!("{id} {}", message.result.unwrap_or("?")),
        },
        Class::Other => text.to_owned(),
    }
}

/// What is told after the opening, without the ending of a target that ends well.
fn middle(recording: &Recording) -> Vec<String> {
    let mut story = story(&recording.trace.events);
    assert_eq!(story.pop().as_deref(), Some("end"));
    if story.ends_with(&["settled", "eof client", "eof server", "exit 0 Close"].map(str::to_owned))
    {
        story.truncate(story.len() - 4);
        let fence = story
            .iter()
            .rposition(|told| told.starts_with("> _elenchus/fence"))
            .expect("settled by a fence");
        story.drain(fence..fence + 2);
    }
    story.split_off(5)
}

const NOTHING: React = |_, _, _| vec![];

const FORM: &str = r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"sessionId":"s1","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"boolean"}},"required":["a"]}}}"#;
const PERMISSION: &str = r#"{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{"sessionId":"s1","options":[{"optionId":"no","kind":"reject_once"},{"optionId":"yes","kind":"allow_once"}]}}"#;
