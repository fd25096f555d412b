//! TRANSPORT, the part about reading: lines that are hard to read, and lines that only look so.

use elenchus_wire::FrameDefect;

use super::{
    jsonrpc::{answers_custom_requests, custom, needs_nobody, unreadable},
    survive::{odd, survives, watch},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{DEFECTS, LINES, REQUESTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{OddKind, Request, Written},
};

pub(super) const RULES: &[Rule] = &[
    SURVIVES_NO_JSON.at(&[LINES]),
    SURVIVES_NO_JSON
        .for_clients("ACP-TRANSPORT-017")
        .at(&[LINES]),
    READS_PADDED_LINES.at(&[REQUESTS]),
    READS_CHUNKS.at(&[REQUESTS]),
    READS_LONG_LINES.at(&[REQUESTS]),
    SURVIVES_NO_UTF8.at(&[LINES]),
    NO_BYTE_ORDER_MARK.at(&[DEFECTS, LINES]),
];

/// How long a line is that every agent should read, in bytes.
const LONG: usize = 1024 * 1024;

/// The request was written in a way that has a row of its own: what becomes of it is judged there.
pub(super) fn is_trial(written: Written) -> bool {
    written.padded || written.chunked || written.length >= LONG
}

/// TRANSPORT-016 (and, of clients, 017): a line that is no JSON does not end the connection. (JSON-RPC 2.0 section 5.1)
const SURVIVES_NO_JSON: Rule = Rule::check_later(
    "ACP-TRANSPORT-016",
    |m, says| watch(m, says, OddKind::NotJson),
    |m, watch| survives(m, watch, "a line that is no JSON was sent"),
);

/// Opens a watch on a request of ours whose bytes were written in this way, once others were understood.
fn trial(m: &Moment<'_>, says: &mut Says, way: fn(Written) -> bool) {
    let Some((index, request)) = m.received() else {
        return;
    };
    if way(request.written) && request.well_formed && understood(m) && needs_nobody(m.conn, request)
    {
        says.watch(Subject::Request(index));
    }
}

/// The agent has answered something that was written plainly.
fn understood(m: &Moment<'_>) -> bool {
    let plain = |request: &Request| {
        request.from != m.judged && !is_trial(request.written) && !request.is_open()
    };
    m.conn.requests.iter().any(plain)
}

/// What has become of such a request.
fn tried(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let request = &m.conn.requests[index];
    let broken = |how: &str| {
        Still::Broken(
            Why::new("an answer", format!("{what}, and {how}"))
                .sent(request.text.clone())
                .got("no answer"),
        )
    };
    if !request.is_open() {
        return Still::Upheld;
    }
    match m.fact {
        Fact::Exited => match m.died() {
            Some(how) if alone(m, request) => broken(&how),
            _ if custom(request) && !answers_custom_requests(m) => {
                Still::Unclear(format!("{} answers no custom request", m.who()))
            }
            _ if request.overdue.is_some() => broken("it was never answered"),
            _ => Still::Unclear("the connection ended before it was answered".to_owned()),
        },
        _ => Still::Watching,
    }
}

/// Nothing of ours came after this request but fences.
fn alone(m: &Moment<'_>, request: &Request) -> bool {
    let since = |other: &&Request| other.from != m.judged && other.seq > request.seq;
    m.conn
        .requests
        .iter()
        .filter(since)
        .all(|other| other.fence)
        && m.conn.odd.as_ref().is_none_or(|odd| odd.seq < request.seq)
}

/// TRANSPORT-018: CR LF, empty lines and white space around a message are nothing to stumble over. (transports#stdio)
const READS_PADDED_LINES: Rule = Rule::check_later(
    "ACP-TRANSPORT-018",
    |m, says| trial(m, says, |written| written.padded),
    |m, watch| {
        tried(
            m,
            watch,
            "a request came with CR LF, after an empty line, or with white space around it",
        )
    },
)
.of_both();

/// TRANSPORT-019: what is a message, LF alone decides, and not how it was written: in pieces, or with others in one
/// write. (transports#stdio)
const READS_CHUNKS: Rule = Rule::check_later(
    "ACP-TRANSPORT-019",
    |m, says| {
        trial(m, says, |written| {
            written.chunked && !written.padded && written.length < LONG
        });
    },
    |m, watch| {
        tried(
            m,
            watch,
            "a request was written in pieces, or in one write with others",
        )
    },
)
.of_both();

/// TRANSPORT-020: a line of 1 MiB is accepted. An error says so in order, also one that names no request. (no text
/// sets a limit)
const READS_LONG_LINES: Rule = Rule::check_later(
    "ACP-TRANSPORT-020",
    |m, says| trial(m, says, |written| written.length >= LONG),
    |m, watch| match m.fact {
        Fact::Orphan(orphan)
            if m.conn.orphans[*orphan].from == m.judged && unreadable(&m.conn.orphans[*orphan]) =>
        {
            Still::Upheld
        }
        _ => tried(m, watch, "a request of 1 MiB or more was sent"),
    },
)
.of_both();

/// TRANSPORT-022: a line that is not UTF-8 is answered or dropped. It does not end the connection, and no id is mended.
/// (transports)
const SURVIVES_NO_UTF8: Rule = Rule::check_later(
    "ACP-TRANSPORT-022",
    |m, says| {
        if odd(m, OddKind::NotUtf8).is_some() {
            says.watch(Subject::Connection);
        }
    },
    |m, watch| match m.fact {
        Fact::Orphan(index) => {
            let orphan = &m.conn.orphans[*index];
            let id = orphan.id.as_deref().unwrap_or_default();
            let mended = id.contains('\u{fffd}') || id.to_ascii_lowercase().contains("\\ufffd");
            if orphan.from == m.judged && mended {
                Still::Broken(Why::new(
                    "no answer under an id that nobody had sent",
                    format!(
                        "an id that is not UTF-8 came back as {}",
                        text::short_to(id, 80)
                    ),
                ))
            } else {
                Still::Watching
            }
        }
        _ => survives(m, watch, "a line that is not UTF-8 was sent"),
    },
)
.of_both();

/// TRANSPORT-023: stdout does not begin with a byte order mark. (RFC 8259 section 8.1)
const NO_BYTE_ORDER_MARK: Rule = Rule::check("ACP-TRANSPORT-023", |m, says| {
    if m.conn.frames[m.judged as usize] != 1 || !m.conn.from_start {
        return;
    }
    match m.fact {
        Fact::Defect(side, FrameDefect::ByteOrderMark) if *side == m.judged => {
            says.broken(Why::new(
                "a message from the first byte on",
                "the first bytes on stdout are a byte order mark",
            ));
        }
        Fact::Line(side)
            if *side == m.judged && m.line().is_some_and(|line| line.class.is_some()) =>
        {
            says.upheld();
        }
        _ => {}
    }
});
