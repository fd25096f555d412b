//! The rules that bind clients alone, one file an area.

use elenchus_wire::{Side, event::Asked};

use crate::{
    fact::{Fact, Moment},
    rule::Rule,
};

mod answer;
mod asked;
mod auth;
mod cancel;
mod cap;
mod chosen;
mod complete;
mod files;
mod formats;
pub(super) mod init;
mod links;
mod perm;
mod prompt;
mod refuse;
mod servers;
mod session;
mod shutdown;
mod state;
mod stored;
mod taken;
mod terminals;
pub(super) mod updates;
mod values;

/// All of them, an array an area.
pub(super) const RULES: &[&[Rule]] = &[
    cap::RULES,
    refuse::RULES,
    taken::RULES,
    answer::RULES,
    values::RULES,
    links::RULES,
    complete::RULES,
    cancel::RULES,
    state::RULES,
    init::RULES,
    session::RULES,
    stored::RULES,
    servers::RULES,
    prompt::RULES,
    perm::RULES,
    updates::RULES,
    chosen::RULES,
    files::RULES,
    terminals::RULES,
    shutdown::RULES,
    auth::RULES,
];

/// The client has left by itself at this fact: it closed its end before we closed ours, or ended.
fn leaves(m: &Moment<'_>) -> bool {
    let unasked = || {
        let exit = m.conn.exit.as_ref();
        exit.is_some_and(|exit| exit.asked == Asked::Nothing)
    };
    match m.fact {
        Fact::Closed(Side::Client) => !m.conn.closed.contains_key(&Side::Server),
        Fact::Exited => unasked() && !m.conn.closed.contains_key(&Side::Server),
        _ => false,
    }
}

/// The method needs an agent that has sessions.
fn opens_session(method: &str) -> bool {
    method.starts_with("session/")
}
