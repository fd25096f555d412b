//! DIRS: additional directories of a session.

use serde_json::Value;

use super::{
    lifecycle::{
        absolute, announces, answer_to, folder, home_of, made, ours, param, session_of, succeeded,
        wants_error,
    },
    list::entries,
    session::with_then_without,
};
use crate::{
    kinds::ANSWERS,
    rule::{Rule, Why},
    text,
    world::{Request, World},
};

pub(super) const RULES: &[Rule] = &[
    NEW.at(&[ANSWERS]),
    RESTORED.at(&[ANSWERS]),
    RELATIVE.at(&[ANSWERS]),
    PRIMARY.at(&[ANSWERS]),
];

const CAPABILITY: &str = "additionalDirectories";

/// The additional directories of a request; none if they are no list of texts.
fn listed(request: &Request) -> Option<Vec<&str>> {
    let list = param(request, CAPABILITY)?.as_array()?;
    list.iter().map(Value::as_str).collect()
}

/// All of its additional directories are absolute, and there are some.
fn are_absolute(request: &Request) -> bool {
    listed(request).is_some_and(|list| !list.is_empty() && list.iter().all(|path| absolute(path)))
}

/// The additional directories with which a session was made, loaded or resumed.
pub(super) fn roots<'a>(world: &'a World, session: &'a str) -> impl Iterator<Item = &'a str> {
    ours(world)
        .filter(move |request| {
            made(request) == Some(session) || session_of(request) == Some(session)
        })
        .filter_map(listed)
        .flatten()
}

/// DIRS-001: session/new takes additional directories. (session-setup#additional-workspace-roots)
const NEW: Rule = Rule::check("ACP-DIRS-001", |m, says| {
    if announces(m.conn, CAPABILITY) {
        with_then_without(m, says, &["session/new"], CAPABILITY, are_absolute);
    }
});

/// DIRS-002: session/load and session/resume take them too, also others than before.
/// (session-setup#additional-workspace-roots)
const RESTORED: Rule = Rule::check("ACP-DIRS-002", |m, says| {
    if announces(m.conn, CAPABILITY) {
        let methods = ["session/load", "session/resume"];
        with_then_without(m, says, &methods, CAPABILITY, are_absolute);
    }
});

/// DIRS-005: a relative directory is refused. (session-setup#additional-workspace-roots; robustness)
const RELATIVE: Rule = Rule::check("ACP-DIRS-005", |m, says| {
    let methods = ["session/new", "session/load", "session/resume"];
    let Some((_, request, answer)) = answer_to(m, &methods) else {
        return;
    };
    let relative = |path: &&str| !path.is_empty() && !absolute(path);
    let list = listed(request).unwrap_or_default();
    if let Some(path) = list.into_iter().find(relative)
        && announces(m.conn, CAPABILITY)
    {
        let what = format!("the directory {} is relative", text::short_to(path, 60));
        wants_error(says, request, answer, &what);
    }
});

/// DIRS-007: cwd stays the primary directory. What the agent lists shows it: it does not list a session under one of
/// its additional directories. (session-setup#additional-workspace-roots)
const PRIMARY: Rule = Rule::check("ACP-DIRS-007", |m, says| {
    let Some((_, request, _)) = answer_to(m, &["session/list"]) else {
        return;
    };
    for entry in entries(request) {
        let (Some(id), Some(cwd)) = (
            entry.get("sessionId").and_then(Value::as_str),
            entry.get("cwd").and_then(Value::as_str),
        ) else {
            continue;
        };
        let Some(home) = home_of(m.world, id) else {
            continue;
        };
        let with_roots =
            ours(m.world).any(|it| succeeded(it) && made(it) == Some(id) && are_absolute(it));
        if !with_roots || !announces(m.conn, CAPABILITY) {
            continue;
        }
        let is_root = roots(m.world, id).any(|root| folder(root) == folder(cwd));
        if folder(home) == folder(cwd) {
            says.upheld();
        } else if is_root {
            says.broken(Why::new(
                format!("the cwd {}", text::short_to(home, 120)),
                format!(
                    "a session in {} is listed under {}, one of its additional directories",
                    text::short_to(home, 120),
                    text::short_to(cwd, 120)
                ),
            ));
        }
    }
});
