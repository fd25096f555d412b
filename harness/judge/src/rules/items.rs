//! TOOL, the part about content: what a tool call shows, and the diffs and terminals in it.

use std::collections::BTreeSet;

use elenchus_protocol::{Version, acp::git_patch::GitPatch};
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    calls::{About, call_update, content_mismatches, defined, items, kind_of, tell_all, witnessed},
    lifecycle::absolute,
    told::{client_says, is_replayed, param},
};
use crate::{
    fact::Moment,
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS},
    rule::{Rule, Says, Why},
    text,
    world::{Conn, Request},
};

pub(super) const RULES: &[Rule] = &[
    ITEMS_V1.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    ITEMS_V2.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    DIFF.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    PATCH.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    LIVE_TERMINAL.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
];

/// Says of the mismatches about this that they break the clause at hand; whether it cannot be said to be met.
fn shape(m: &Moment<'_>, says: &mut Says, about: About) -> bool {
    tell_all(
        m,
        says,
        "the tool call",
        content_mismatches(m, about).into_iter(),
    )
}

/// TOOL-010 (v1): an item is content, a diff with a path and a new text, or a terminal; for clients that advertise
/// subagents a session too. (v1 tool-calls#content; v1/tool_call.rs ToolCallContent)
const ITEMS_V1: Rule = Rule::check("ACP-TOOL-010", |m, says| {
    if m.conn.version() != Version::AcpV1 || shape(m, says, About::Items) {
        return;
    }
    for (place, item) in items(m) {
        let session = kind_of(item) == Some("session");
        let gated = session && client_says(m.conn, "/clientCapabilities/subagents").is_none();
        says.holds(!gated, || {
            Why::new(
                "no session in a tool call, for a client that does not advertise subagents",
                format!("{place} is a session, and the client did not advertise subagents"),
            )
        });
    }
});

/// TOOL-011 (v2): an item is content, a diff, a terminal, a session, or an extension. (v2 tool-calls#content)
const ITEMS_V2: Rule = Rule::check("ACP-TOOL-011", |m, says| {
    if m.conn.version() != Version::AcpV2 || shape(m, says, About::Items) {
        return;
    }
    for (place, item) in items(m) {
        if let Some(kind) = kind_of(item) {
            let known = ["content", "diff", "terminal", "session"];
            defined(m, says, &format!("{place}/type"), kind, &known);
        }
    }
});

/// The diffs that a message of version 2 shows.
fn diffs<'a>(m: &Moment<'a>) -> Vec<(String, &'a Value)> {
    let mut items = items(m);
    items.retain(|(_, item)| m.conn.version() == Version::AcpV2 && kind_of(item) == Some("diff"));
    items
}

/// TOOL-012 (v2): a diff has changes, each with the paths of its operation. (v2 tool-calls#diffs; Diff)
const DIFF: Rule = Rule::check("ACP-TOOL-012", |m, says| {
    let diffs = diffs(m);
    if !diffs.is_empty() && !shape(m, says, About::Diff) {
        says.upheld();
    }
});

/// TOOL-013 (v2): a patch has a format and a text; a git_patch has sections, names the files of the diff's changes by
/// absolute paths, and comes without the mail or the commit. (v2 tool-calls#diffs; DiffPatchFormat)
const PATCH: Rule = Rule::check("ACP-TOOL-013", |m, says| {
    let diffs = diffs(m);
    if diffs.is_empty() || shape(m, says, About::Patch) {
        return;
    }
    // Changes that are no changes, and relative paths in them, are other clauses'.
    if !content_mismatches(m, About::Diff).is_empty() {
        return;
    }
    for (place, diff) in diffs {
        let patch = diff.get("patch").filter(|patch| patch.is_object());
        let member = |name| patch.and_then(|patch| patch.get(name)?.as_str());
        let (Some("git_patch"), Some(text)) = (member("format"), member("text")) else {
            if member("format").is_some_and(|format| format.starts_with('_')) {
                says.upheld();
            }
            continue;
        };
        let Some(changed) = changed(diff) else {
            continue;
        };
        match fault_of(text, &changed) {
            None => says.upheld(),
            Some((expected, why)) => {
                says.broken(Why::new(expected, format!("{place}/patch/text: {why}")));
            }
        }
    }
});

/// The files that the changes of a diff name; none if that cannot be told.
fn changed(diff: &Value) -> Option<BTreeSet<&str>> {
    let mut files = BTreeSet::new();
    for change in diff.get("changes")?.as_array()? {
        let operation = change.get("operation")?.as_str()?;
        if !matches!(operation, "add" | "delete" | "modify" | "move" | "copy") {
            return None;
        }
        let named = ["path", "oldPath"].map(|name| change.get(name).and_then(Value::as_str));
        files.extend(named.into_iter().flatten());
    }
    files.iter().all(|file| absolute(file)).then_some(files)
}

/// What is wrong with the text of a git_patch: what was expected, and what stands there.
fn fault_of(text: &str, changed: &BTreeSet<&str>) -> Option<(&'static str, String)> {
    let patch = GitPatch::read(text);
    if let Some(line) = &patch.envelope {
        let line = text::short_to(line, 80);
        return Some((
            "a patch without the mail or the commit around it",
            format!("`{line}` is no part of the patch"),
        ));
    }
    if patch.sections == 0 {
        return Some((
            "one or more `diff --git` sections",
            "the git_patch has no `diff --git` section".to_owned(),
        ));
    }
    if let Some(path) = patch.paths.iter().find(|path| !absolute(path)) {
        return Some((
            "absolute paths, without a prefix",
            format!("the git_patch names {}", text::short_to(path, 120)),
        ));
    }
    let foreign = |path: &&String| !changed.contains(path.as_str());
    let path = patch.paths.iter().find(foreign)?;
    Some((
        "the paths that stand in changes, and no others",
        format!(
            "the git_patch names {}, which no entry of changes has",
            text::short_to(path, 120)
        ),
    ))
}

/// TOOL-018 (v1): a terminal that a tool call shows was created by the client, and was shown before its release, be it
/// in a request for a permission. Clients that show terminals of the agent's own say so in their `_meta`. (v1 tool-calls#terminals; derived)
const LIVE_TERMINAL: Rule = Rule::check("ACP-TOOL-018", |m, says| {
    let Some((session, _, _)) = call_update(m).filter(|_| m.conn.version() == Version::AcpV1)
    else {
        return;
    };
    let extension = client_says(m.conn, "/clientCapabilities/_meta")
        .and_then(Value::as_object)
        .is_some_and(|meta| meta.keys().any(|key| key.contains("terminal")));
    if extension || is_replayed(m.conn, session) {
        return;
    }
    let shown = m
        .conn
        .sessions
        .get(session)
        .map(|session| &session.shown.terminals);
    for (_, item) in items(m) {
        let id = item.get("terminalId").and_then(Value::as_str);
        let Some(id) = id.filter(|_| kind_of(item) == Some("terminal")) else {
            continue;
        };
        // Only the first time counts: what was shown before its release may stay.
        if shown.and_then(|shown| shown.get(id)) != Some(&m.event.seq) {
            continue;
        }
        let name = text::short_to(id, 60);
        match created(m.conn, id) {
            None if witnessed(m.conn, session) => says.broken(Why::new(
                "a terminal that was created with terminal/create",
                format!("a tool call shows the terminal {name}, which was never created"),
            )),
            None => {}
            Some(seq) => {
                let released = released(m.conn, id, seq);
                let late = released.is_some_and(|end| !asked_with(m.conn, session, id, end));
                says.holds(!late, || {
                    Why::new(
                        "a terminal that is shown before its release",
                        format!("a tool call shows the terminal {name}, which had been released"),
                    )
                });
            }
        }
    }
});

/// When our side created this terminal.
fn created(conn: &Conn, terminal: &str) -> Option<u64> {
    let ours = |request: &&Request| {
        let id = request.result().and_then(|result| result.get("terminalId"));
        request.method == "terminal/create" && id.and_then(Value::as_str) == Some(terminal)
    };
    let request = conn.requests.iter().rev().find(ours)?;
    Some(request.answer()?.seq)
}

/// When the agent released this terminal, if it has since.
fn released(conn: &Conn, terminal: &str, since: u64) -> Option<u64> {
    let release = |request: &&Request| {
        request.from == Side::Server
            && request.seq > since
            && request.method == "terminal/release"
            && param(request, "terminalId") == Some(terminal)
    };
    Some(conn.requests.iter().find(release)?.seq)
}

/// A request for a permission showed this terminal before an event.
fn asked_with(conn: &Conn, session: &str, terminal: &str, before: u64) -> bool {
    conn.requests.iter().any(|request| {
        let asks = request.from == Side::Server
            && request.seq < before
            && request.method == "session/request_permission"
            && param(request, "sessionId") == Some(session);
        let params = request.params.as_ref().filter(|_| asks);
        let items = params.and_then(|params| params.pointer("/toolCall/content")?.as_array());
        let mut items = items.into_iter().flatten();
        items.any(|item| kind_of(item) == Some("terminal") && item["terminalId"] == terminal)
    })
}
