//! FS: the files that a client of version 1 reads and writes for an agent.

use elenchus_protocol::Version;
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    told::{client_says, param, tell_shape},
    views::survives,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Still, Subject, Why},
    world::Request,
};

pub(super) const RULES: &[Rule] = &[
    ADVERTISED.at(&[REQUESTS]),
    SHAPE.at(&[REQUESTS]),
    FAILED.at(&[ANSWERS]),
    GONE.of_both().at(&[ANSWERS, REQUESTS]),
];

/// The agent's request at hand, if it is about files.
fn asked_for_files<'a>(m: &Moment<'a>) -> Option<&'a Request> {
    let (_, request) = m.requested()?;
    let files = matches!(
        request.method.as_str(),
        "fs/read_text_file" | "fs/write_text_file"
    );
    (files && m.judged == Side::Server).then_some(request)
}

/// FS-001: a file is asked for only where the client offers that very method. (v1 file-system#checking-support)
const ADVERTISED: Rule = Rule::check("ACP-FS-001", |m, says| {
    let Some(request) = asked_for_files(m).filter(|_| m.conn.version() == Version::AcpV1) else {
        return;
    };
    if m.conn.init.request.is_none() {
        return;
    }
    let name = match request.method.as_str() {
        "fs/read_text_file" => "readTextFile",
        _ => "writeTextFile",
    };
    let offered = client_says(m.conn, &format!("/clientCapabilities/fs/{name}"));
    says.holds(offered == Some(&Value::Bool(true)), || {
        Why::new(
            format!("no {}", request.method),
            format!(
                "the client does not offer fs.{name}, and was sent {}",
                request.method
            ),
        )
    });
});

/// FS-002: the params. Relative paths are SESSION-007, the line 0 is SESSION-010. (v1 file-system; v1/client.rs)
const SHAPE: Rule = Rule::check("ACP-FS-002", |m, says| {
    if asked_for_files(m).is_some() && m.conn.version() == Version::AcpV1 {
        tell_shape(says, "the request", m.mismatches().iter(), true);
    }
});

/// FS-009: a file that cannot be read or written ends the turn, not the agent. (v1 file-system; robustness)
const FAILED: Rule = Rule::duty(
    "ACP-FS-009",
    "the end of the turn, after a file could not be read or written",
    |m, says| {
        let Some((_, request)) = m.we_answered() else {
            return;
        };
        let failed = request.answer().is_some_and(|answer| answer.is_error);
        if !failed || !request.method.starts_with("fs/") || m.judged != Side::Server {
            return;
        }
        let turn = param(request, "sessionId").and_then(|session| m.conn.open_turn(session));
        if let Some(turn) = turn {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| survives(m, watch, "the client could not read or write a file"),
);

/// FS-010 (v2): files are nobody's business any more: no method, no capability.
/// (v2 migration#client-file-system-and-terminal-execution-removed)
const GONE: Rule = Rule::ban(
    "ACP-FS-010",
    |m, says| {
        if m.conn.version() != Version::AcpV2 {
            return;
        }
        if m.judged == Side::Client {
            let opens = m
                .requested()
                .is_some_and(|(_, it)| it.method == "initialize");
            if opens {
                let offered = client_says(m.conn, "/capabilities/fs").is_some();
                says.holds(!offered, || {
                    Why::new(
                        "no capability fs",
                        "the client advertises fs, which version 2 does not have",
                    )
                });
            }
        } else if let Some((index, _)) = m.answered()
            && m.conn.init.request == Some(index)
            && m.conn.initialized()
        {
            says.watch(Subject::Connection);
        }
    },
    |m, _| match m.fact {
        Fact::Requested(index) => {
            let request = &m.conn.requests[*index];
            if request.from == m.judged && request.method.starts_with("fs/") {
                return Still::Broken(Why::new(
                    "no request for files",
                    "the agent asks the client for files, which version 2 does not have",
                ));
            }
            Still::Watching
        }
        _ => Still::Watching,
    },
);
