//! The books of an instance: the recording, what is known of each connection, and what has still to be written.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use elenchus_protocol::Version;
use elenchus_suites::script::Template;
use elenchus_wire::{Body, EventKind, Frame, Framer, Mark, Side};

use super::{
    conn::{Conn, Noted},
    plan::Plan,
    reach::Failures,
    vars::Vars,
};
use crate::{plant, record::Recorder, told::Told, wires::Incoming};

/// Everything that is known, apart from the wires themselves.
pub(crate) struct Book<'s> {
    pub(crate) recorder: Recorder,
    pub(crate) conns: Vec<Conn>,
    pub(crate) vars: Vars,
    pub(crate) plan: Plan<'s>,
    /// The place of the connection that a script's name stands for now.
    pub(crate) names: BTreeMap<String, usize>,
    /// Lines that our peer answers on its own, to be written as soon as the wait is over.
    pub(crate) outbox: Vec<(usize, String)>,
    /// A token that stands in all text that we make up.
    pub(crate) canary: String,
    pub(crate) version: Version,
    /// The variables that a client was seen to heed.
    pub(crate) heeded: BTreeSet<String>,
    /// What one of the next connections of a client will be.
    pub(crate) follows: Option<Follow>,
    /// Our side of the wire.
    pub(crate) us: Side,
    /// The longest line kept whole.
    pub(super) max_line: usize,
    /// What kept the target from its work.
    pub(super) failures: Failures,
}

/// A script's connection that a client has still to make.
pub(crate) struct Follow {
    /// The name that the script has for it.
    pub(crate) name: String,
    /// What the client was told when it was started.
    pub(crate) told: Told,
    /// How many other ones come before it.
    pub(crate) before: usize,
}

impl Book<'_> {
    /// Takes in what came from a target.
    pub(super) fn take(&mut self, at: Duration, number: u32, incoming: Incoming<'_>) {
        let Some(conn) = self.conns.iter().position(|conn| conn.number == number) else {
            if let Incoming::Joined = incoming {
                self.join(at, number);
            }
            return;
        };
        match incoming {
            Incoming::Joined => self.conns[conn].joined = true,
            Incoming::Opened(url) => self.recorder.of_url(at, number, url, true),
            Incoming::Fetched(url) => self.recorder.of_url(at, number, url, false),
            Incoming::Stdout(bytes) => {
                // Taken out, so that each frame is dealt with before the next one is made: a flood must not pile up.
                let mut framer = std::mem::replace(&mut self.conns[conn].reading, Framer::new(0));
                framer.push(bytes, |frame| self.take_frame(conn, at, frame));
                self.conns[conn].reading = framer;
            }
            Incoming::Stderr(bytes) => self.recorder.stderr(at, number, bytes),
            Incoming::Eof => {
                if let Some(rest) = self.conns[conn].reading.finish() {
                    self.take_frame(conn, at, rest);
                }
                self.conns[conn].eof = true;
                let from = self.us.other();
                self.recorder.push(at, number, EventKind::Eof { from });
            }
            Incoming::Exit(exit) => {
                self.recorder.stderr_end(at, number);
                let conn = &mut self.conns[conn];
                conn.exit = Some(exit);
                let kind = EventKind::Exit {
                    code: exit.code,
                    signal: exit.signal,
                    asked: conn.asked,
                };
                self.recorder.push(at, number, kind);
            }
            Incoming::Visited(outcome) => {
                let request = self.conns[conn].visiting.clone().unwrap_or_default();
                if let Ok(seen) = &outcome {
                    let shown = seen.shows.then(|| Mark::Shown {
                        request: request.clone(),
                    });
                    let typed = seen.typed.then_some(Mark::Typed { request });
                    for mark in shown.into_iter().chain(typed) {
                        self.recorder.push(at, number, EventKind::Mark(mark));
                    }
                }
                self.conns[conn].visited = Some(outcome);
            }
            Incoming::Yielded => {
                let request = self.conns[conn].visiting.clone().unwrap_or_default();
                let mark = Mark::Typed { request };
                self.recorder.push(at, number, EventKind::Mark(mark));
            }
        }
    }

    /// What of the conversation is held in memory, in bytes: all that was recorded, and the lines that have not ended.
    pub(super) fn held(&self) -> usize {
        let open = self.conns.iter().map(|conn| conn.reading.held());
        self.recorder.weight() + open.sum::<usize>()
    }

    /// One more connection of a client: what it asks there, a plain agent answers, if it is not the one that the script
    /// is about.
    fn join(&mut self, at: Duration, number: u32) {
        let target = self.us.other();
        self.conns
            .push(Conn::new(number, self.version, self.max_line));
        self.recorder.push(at, number, EventKind::Open { target });
        let Some(mut follow) = self.follows.take() else {
            return;
        };
        if follow.before > 0 {
            follow.before -= 1;
            self.follows = Some(follow);
            return;
        }
        for mark in follow.told.marks() {
            self.recorder.push(at, number, EventKind::Mark(mark));
        }
        let conn = self.conns.len() - 1;
        self.conns[conn].told = follow.told;
        self.names.insert(follow.name, conn);
    }

    /// Takes in a frame of a target.
    pub(super) fn take_frame(&mut self, conn: usize, at: Duration, frame: Frame) {
        let number = self.conns[conn].number;
        // What is not recorded has not happened: nothing may rest on it.
        if self.recorder.limited() {
            return;
        }
        let event = self.recorder.next();
        let types = self.conns[conn].types;
        let (frame, came, planted) = match plant::seal(&frame, types) {
            None => (frame, None, None),
            Some((hidden, found)) => (hidden, Some(frame), Some(found)),
        };
        if !self.recorder.frame(at, number, self.us.other(), frame) {
            return;
        }
        if let Some(Body::Text(text)) = came.map(|came| came.body) {
            self.recorder.keep(event, text);
        }
        let whole = planted.is_some();
        let piece = self.recorder.text(event).filter(|_| types && !whole);
        let piece = piece.and_then(|text| self.conns[conn].pieces.take(text));
        if let Some(found) = planted.or_else(|| piece.map(|found| vec![found])) {
            for found in found {
                let mark = Mark::Leak {
                    frame: event as u64,
                    planted: found.planted,
                    encoding: found.encoding.to_owned(),
                    in_url: found.in_url,
                };
                self.recorder.push(at, number, EventKind::Mark(mark));
            }
        }
        self.conns[conn].received += 1;
        let Some(text) = self.recorder.text(event) else {
            return;
        };
        match self.conns[conn].note(text, event, at) {
            Noted::Nothing => {}
            Noted::Request(place) => self.on_request(conn, place),
            Noted::Cancel(key) => self.on_cancel(conn, &key),
        }
    }

    /// The name that the script has for a connection.
    pub(super) fn connection_name(&self, conn: usize) -> Option<&str> {
        self.names
            .iter()
            .find(|(_, place)| **place == conn)
            .map(|(name, _)| name.as_str())
    }

    fn look_up(&self, path: &[String], conn: Option<usize>) -> Option<String> {
        self.vars.look_up(path, conn, &self.conns, &self.recorder)
    }

    /// A template's JSON text; the error is a reason for people.
    pub(crate) fn render(
        &self,
        template: &Template,
        conn: Option<usize>,
    ) -> Result<String, String> {
        template
            .render(|path| self.look_up(path, conn))
            .map_err(|error| error.to_string())
    }

    /// A template's text in a prompt; the error is a reason for people.
    pub(crate) fn render_text(
        &self,
        template: &Template,
        conn: Option<usize>,
    ) -> Result<String, String> {
        template
            .render_text(|path| self.look_up(path, conn))
            .map_err(|error| error.to_string())
    }

    /// The exact text of a variable.
    pub(crate) fn variable(&self, name: &str, conn: Option<usize>) -> Option<String> {
        self.look_up(&[name.to_owned()], conn)
    }
}
