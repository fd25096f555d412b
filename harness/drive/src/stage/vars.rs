//! A script's variables: exact JSON texts, and messages that were recorded.

use std::{borrow::Cow, collections::BTreeMap};

use crate::{json, record::Recorder, stage::conn::Conn};

/// What a name stands for.
#[derive(Debug, Clone)]
pub(crate) enum Variable {
    /// This JSON text.
    Text(String),
    /// A request of ours: connection and place.
    Ours(usize, usize),
    /// A message of the target: connection and place.
    Theirs(usize, usize),
}

/// All variables of an instance.
#[derive(Debug, Default)]
pub(crate) struct Vars {
    named: BTreeMap<String, Variable>,
}

impl Vars {
    pub(crate) fn set(&mut self, name: &str, variable: Variable) {
        self.named.insert(name.to_owned(), variable);
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Variable> {
        self.named.get(name)
    }

    /// The exact JSON text that a path leads to. `$session` is that of the connection, if it has one.
    pub(crate) fn look_up(
        &self,
        path: &[String],
        conn: Option<usize>,
        conns: &[Conn],
        recorder: &Recorder,
    ) -> Option<String> {
        let (name, rest) = path.split_first()?;
        if name == "session"
            && let Some(session) = conn.and_then(|conn| conns.get(conn)?.session.as_deref())
        {
            return json::at(session, rest).map(str::to_owned);
        }
        match self.named.get(name)? {
            Variable::Text(text) => json::at(text, rest).map(str::to_owned),
            Variable::Ours(conn, place) => {
                let ours = conns.get(*conn)?.ours.get(*place)?;
                let (member, rest) = rest.split_first()?;
                let text = match (member.as_str(), ours.answer) {
                    ("id", _) => Cow::from(ours.id.as_str()),
                    ("result", Some(event)) => recorder.message(event)?.result?.into(),
                    ("error", Some(event)) => recorder.message(event)?.error?.into(),
                    _ => return None,
                };
                json::at(&text, rest).map(str::to_owned)
            }
            Variable::Theirs(conn, place) => {
                let theirs = conns.get(*conn)?.theirs.get(*place)?;
                let message = recorder.message(theirs.event)?;
                let (member, rest) = rest.split_first()?;
                let text = match member.as_str() {
                    "id" => message.id?,
                    "params" => message.params?,
                    _ => return None,
                };
                json::at(text, rest).map(str::to_owned)
            }
        }
    }
}
