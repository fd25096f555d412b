//! TRANSPORT: newline-delimited JSON on stdio.

use elenchus_wire::{Class, FrameDefect, Side, event::Asked};

use super::jsonrpc::{needs_nobody, unreadable};

use crate::{
    fact::{Fact, Moment},
    kinds::{DEFECTS, LINES, NOISE, REQUESTS, SPLITS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Answered, Conn, Exit, Line, Orphan, Request},
};

pub(super) const RULES: &[Rule] = &[
    UTF8.at(&[DEFECTS, LINES]),
    UTF8.for_clients("ACP-TRANSPORT-002").at(&[DEFECTS, LINES]),
    ONLY_MESSAGES.at(&[DEFECTS, LINES, NOISE]),
    ONLY_MESSAGES
        .for_clients("ACP-TRANSPORT-004")
        .at(&[DEFECTS, LINES, NOISE]),
    ONE_LINE.at(&[LINES, SPLITS]),
    ONE_LINE
        .for_clients("ACP-TRANSPORT-006")
        .at(&[LINES, SPLITS]),
    TERMINATED_AND_FLUSHED.at(&[REQUESTS]),
    TERMINATED_CLIENT,
    ANSWERS_ON_PIPES.at(&[REQUESTS]),
    ONLY_LF_ENDS.at(&[REQUESTS]),
];

/// The judged side's frame at hand, if it ended with a line end: a last fragment may have been cut by whoever ended
/// the process.
fn terminated<'a>(m: &Moment<'a>) -> Option<&'a Line> {
    m.line().filter(|line| line.terminated)
}

/// TRANSPORT-001 (and, of clients, 002): all that the agent writes is UTF-8. Exercised by text outside of ASCII, be it escaped; a last
/// fragment without a line end is not judged. (transports)
const UTF8: Rule = Rule::check("ACP-TRANSPORT-001", |m, says| {
    let whole = m.conn.line.as_ref().is_some_and(|line| line.terminated);
    match m.fact {
        Fact::Defect(side, FrameDefect::InvalidUtf8 { at }) if *side == m.judged && whole => {
            says.broken(Why::new(
                "UTF-8",
                format!("byte {at} of the line is not UTF-8"),
            ));
        }
        Fact::Line(_) if terminated(m).is_some_and(|line| beyond_ascii(m, line)) => says.upheld(),
        _ => {}
    }
});

/// The line has text outside of ASCII, be it escaped.
fn beyond_ascii(m: &Moment<'_>, line: &Line) -> bool {
    line.non_ascii || line.class.is_some() && escapes(m).any(outside_ascii)
}

/// What follows each backslash in the frame at hand, if it is text.
fn escapes<'a>(m: &Moment<'a>) -> impl Iterator<Item = &'a str> {
    let mut rest = m.text().unwrap_or_default();
    std::iter::from_fn(move || {
        let (_, escape) = rest.split_once('\\')?;
        rest = escape.get(1..).unwrap_or_default();
        Some(escape)
    })
}

/// `u00e9`, and not `u001b`.
fn outside_ascii(escape: &str) -> bool {
    escape
        .strip_prefix('u')
        .and_then(|digits| u16::from_str_radix(digits.get(..4)?, 16).ok())
        .is_some_and(|unit| unit >= 0x80)
}

/// TRANSPORT-003 (and 004): nothing but messages on stdout. Blank lines and CR LF are remarks; lines that only together form a
/// value belong to TRANSPORT-005, arrays and responses without result and error to rows of their own, and what was not
/// read to the end is unclear. (transports#stdio)
const ONLY_MESSAGES: Rule = Rule::check("ACP-TRANSPORT-003", |m, says| {
    if let Fact::Noise(index) = m.fact {
        let (seq, line) = &m.conn.noise[*index];
        // A byte order mark at the very beginning is TRANSPORT-023's.
        if line.starts_with("\\u{feff}")
            && m.judged == Side::Server
            && m.conn.frames[m.judged as usize] == 1
            && m.conn.from_start
        {
            return;
        }
        return says.broken(
            Why::new(
                "a JSON-RPC message on every line",
                format!("a line on {} is no message", m.stream()),
            )
            .got(line.clone())
            .at(*seq),
        );
    }
    let Some(line) = terminated(m) else {
        return match m.fact {
            Fact::Defect(side, defect) if *side == m.judged => defective(m, defect, says),
            _ => {}
        };
    };
    match line.class {
        _ if line.held => {}
        Some(Class::Other) if !line.has_id => says.broken(Why::new(
            "a request, a notification or a response",
            format!("a JSON object on {} is none of these", m.stream()),
        )),
        Some(_) => says.upheld(),
        None => {}
    }
});

/// What a defect of a line means for TRANSPORT-003.
fn defective(m: &Moment<'_>, defect: &FrameDefect, says: &mut Says) {
    match defect {
        FrameDefect::Blank => says.note(format!("there are blank lines on {}", m.stream())),
        FrameDefect::CarriageReturn => says.note(format!("lines on {} end with CR LF", m.stream())),
        FrameDefect::Scalar
            if m.conn
                .line
                .as_ref()
                .is_some_and(|line| line.terminated && !line.held) =>
        {
            says.broken(Why::new(
                "a JSON-RPC message on every line",
                format!("a line on {} is a bare JSON value", m.stream()),
            ));
        }
        FrameDefect::Oversize => says.unclear("a line was too long to be kept"),
        FrameDefect::TooDeep => says.unclear("a line is nested too deep to be read"),
        FrameDefect::HugeNumber => says.unclear("a line has a number that no reader can hold"),
        _ => {}
    }
}

/// TRANSPORT-005 (and 006): one message is exactly one line. Exercised by messages whose text has line breaks in it.
/// (transports#stdio)
const ONE_LINE: Rule = Rule::check("ACP-TRANSPORT-005", |m, says| match m.fact {
    Fact::Split { first, lines } => says.broken(
        Why::new(
            "one message on one line",
            format!(
                "{lines} lines on {} only together form one JSON value",
                m.stream()
            ),
        )
        .at(*first),
    ),
    Fact::Line(_) if terminated(m).is_some_and(|line| line.class.is_some()) && breaks_lines(m) => {
        says.upheld();
    }
    _ => {}
});

/// Some text in the frame at hand has a line break in it.
fn breaks_lines(m: &Moment<'_>) -> bool {
    escapes(m).any(|escape| escape.starts_with('n'))
}

/// TRANSPORT-007: each message ends with LF and is flushed, so that it can be read without more input and without the
/// end of the stream. Upheld by an answer to the newest thing that we had sent. Broken by an answer without a line end
/// from an agent that ended in order, and by one that came after a deadline, though nothing but its request was open,
/// and then together with the answer to a later request, at once: more input had pushed it out. What came after more
/// input, or after the end of stdin, in some other way may be no more than late. (transports#stdio; derived)
const TERMINATED_AND_FLUSHED: Rule = Rule::check_later(
    "ACP-TRANSPORT-007",
    |m, says| {
        if let Some((index, request)) = m.received()
            && request.well_formed
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Some((index, request)) = of(m.conn, watch) else {
            return Still::Moot;
        };
        let newest = m.conn.newest[request.from as usize];
        let why = |what: &str| Why::new("an LF after every message, and at once", what);
        match (m.fact, request.answer()) {
            (
                Fact::Answered {
                    request: answered,
                    nth: 1,
                },
                Some(_),
            ) if *answered == index => {
                if !m.conn.line.as_ref().is_some_and(|line| line.terminated) {
                    // Whether it was cut, the end of the process tells.
                    Still::Watching
                } else if newest == Some(request.seq) {
                    Still::Upheld
                } else if request.overdue.is_some_and(|late| newest > Some(late)) {
                    // What comes with it tells.
                    Still::Watching
                } else {
                    Still::Moot
                }
            }
            (Fact::Answered { request: other, .. }, Some(answer)) if answer.terminated => {
                let later = &m.conn.requests[*other];
                if pushed_out(m, request, answer, later) {
                    Still::Broken(
                        why("the answer came only with the answer to a later request")
                            .sent(request.text.clone())
                            .got(answer.text.clone())
                            .at(answer.seq),
                    )
                } else {
                    Still::Unclear(LATE.to_owned())
                }
            }
            (Fact::Requested(_) | Fact::Notified(_) | Fact::Exited | Fact::Ended, Some(answer))
                if answer.terminated =>
            {
                Still::Unclear(LATE.to_owned())
            }
            (Fact::Exited, Some(answer)) => match &m.conn.exit {
                Some(exit) if in_order(exit) => Still::Broken(
                    why("the answer came without a line end")
                        .sent(request.text.clone())
                        .got(answer.text.clone())
                        .at(answer.seq),
                ),
                _ => Still::Unclear("the last answer may have been cut".to_owned()),
            },
            (Fact::Deadline(_), None) if request.overdue == Some(m.event.seq) => {
                if needs_nobody(m.conn, request) && alone(m.conn, index) {
                    Still::Watching
                } else {
                    Still::Moot
                }
            }
            (Fact::Exited | Fact::Ended, None) => Still::Moot,
            _ => Still::Watching,
        }
    },
);

/// TRANSPORT-008: the same of a client. It speaks first: what it had written when a wait for that ended in vain, and has
/// no line end, breaks it too. (transports#stdio; derived)
const TERMINATED_CLIENT: Rule = Rule::check_later(
    "ACP-TRANSPORT-008",
    |m, says| {
        (TERMINATED_AND_FLUSHED.look)(m, says);
        let silent = m.conn.frames[m.judged as usize] == 0 && m.conn.from_start;
        if matches!(m.fact, Fact::Deadline(_)) && silent {
            says.watch(Subject::Connection);
        }
    },
    |m, watch| {
        let Subject::Connection = watch.subject else {
            return (TERMINATED_AND_FLUSHED.still)(m, watch);
        };
        match m.fact {
            Fact::Requested(index) if m.conn.requests[*index].from == m.judged => {
                if m.conn.line.as_ref().is_some_and(|line| line.terminated) {
                    return Still::Moot;
                }
                Still::Broken(Why::new(
                    "an LF after every message, and at once",
                    "a request without a line end was all that the client had written when it was waited for",
                ))
            }
            Fact::Exited | Fact::Ended => Still::Moot,
            _ => Still::Watching,
        }
    },
)
.of_client();

/// Why nothing is said of an answer that came after a deadline, and not at once with the answer to more input.
const LATE: &str =
    "an answer came after more input or the end of stdin, and may only have been late";

/// An overdue answer came between a later request and that request's own answer, and all of this took no more than a
/// hundredth of the time that the overdue one had been waited for.
fn pushed_out(m: &Moment<'_>, overdue: &Request, answer: &Answered, later: &Request) -> bool {
    let quick = |took: u64| took.saturating_mul(100) <= overdue.waited_us;
    later.from == overdue.from
        && overdue.overdue.is_some_and(|deadline| later.seq > deadline)
        && later.seq < answer.seq
        && m.since(later.at_us).is_some_and(quick)
}

/// Nothing but this request is open, on either side, and no turn is under way: the agent has nothing else to do. What a
/// client has asked for keeps nobody but the agent at work.
fn alone(conn: &Conn, index: usize) -> bool {
    let asker = conn.requests[index].from;
    let client = conn.target == Side::Client;
    conn.open_requests(asker).all(|(other, _)| other == index)
        && (client || conn.open_requests(asker.other()).all(|(_, own)| own.fence))
        && (client || conn.turns.iter().all(|turn| turn.ended.is_some()))
}

/// The process was not ended by force, so that it wrote all that it wanted to write.
fn in_order(exit: &Exit) -> bool {
    match exit.asked {
        Asked::Nothing => exit.code.is_some(),
        Asked::Close => true,
        Asked::Terminate | Asked::Kill => false,
    }
}

/// The request that a watch is about.
fn of<'a>(conn: &'a Conn, watch: &Watch) -> Option<(usize, &'a Request)> {
    match watch.subject {
        Subject::Request(index) => Some((index, conn.requests.get(index)?)),
        Subject::Turn(_) | Subject::Connection => None,
    }
}

/// TRANSPORT-009: the agent speaks over pipes and needs no terminal. Silence fails only where the same command was
/// seen to answer on a terminal; otherwise it is INIT-002's. (transports#stdio; derived)
const ANSWERS_ON_PIPES: Rule = Rule::check_later(
    "ACP-TRANSPORT-009",
    |m, says| {
        if let Some((index, _)) = m.received()
            && m.conn.init.request == Some(index)
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Some((_, request)) = of(m.conn, watch) else {
            return Still::Moot;
        };
        let silent = match m.fact {
            Fact::Deadline(_) => request.overdue == Some(m.event.seq),
            Fact::Exited => m.died().is_some(),
            _ => false,
        };
        if !request.is_open() {
            Still::Upheld
        } else if silent && m.world.answers_on_terminal_only() {
            Still::Broken(
                Why::new(
                    "an answer to initialize over pipes",
                    "the same command answers on a terminal, and not when its stdin and stdout are pipes",
                )
                .sent(request.text.clone())
                .got("no answer"),
            )
        } else if matches!(m.fact, Fact::Exited) {
            Still::Moot
        } else {
            Still::Watching
        }
    },
);

/// TRANSPORT-024: only LF ends a message: U+2028, U+2029, U+0085 and a lone CR neither split nor end it, and text
/// that is echoed keeps them. A missing answer counts where none of a model or a user was needed, a later request was
/// answered, and every request without such characters was. (transports#stdio)
const ONLY_LF_ENDS: Rule = Rule::check_later(
    "ACP-TRANSPORT-024",
    |m, says| {
        if let Some((index, request)) = m.asked()
            && request.separators
            && request.well_formed
            && !m.conn.malformed
        {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Some((_, request)) = of(m.conn, watch) else {
            return Still::Moot;
        };
        let broken = |what: &str| {
            Still::Broken(Why::new("one answer to one message", what).sent(request.text.clone()))
        };
        if request.is_open() {
            return match m.fact {
                Fact::Orphan(orphan) if refuses_a_piece(m, &m.conn.orphans[*orphan]) => {
                    broken("the message was split, and a piece of it was refused")
                }
                Fact::Exited | Fact::Closed(_) if unanswered(m, request) => {
                    broken("it was never answered, and a later request was")
                }
                Fact::Exited => match m.died() {
                    Some(how) if m.newest_is(request.seq) => {
                        broken(&format!("it was sent, and {how}"))
                    }
                    _ => Still::Unclear("the connection ended before it was answered".to_owned()),
                },
                _ => Still::Watching,
            };
        }
        // In v2 a prompt is answered before its turn says anything.
        match request.turn.map(|turn| &m.conn.turns[turn]) {
            Some(turn) if turn.trigger.as_deref() == Some("/say") => match (&turn.ended, m.fact) {
                (Some(_), _) => echoed(&turn.prompt, &turn.report()),
                (None, Fact::Exited) => {
                    Still::Unclear("the connection ended before its turn did".to_owned())
                }
                (None, _) => Still::Watching,
            },
            _ => Still::Upheld,
        }
    },
)
.of_both();

/// An error about a message that nobody could read, though all of ours can be. A notification may have been refused.
fn refuses_a_piece(m: &Moment<'_>, orphan: &Orphan) -> bool {
    let notified = m.conn.notified[m.judged.other() as usize];
    orphan.from == m.judged
        && unreadable(orphan)
        && (orphan.error_code == Some(-32700) || !notified)
        && !m.conn.malformed
}

/// The agent closed its end and never answered, though it read on, and this is what tells the request from others.
fn unanswered(m: &Moment<'_>, request: &Request) -> bool {
    let vocabulary = request
        .turn
        .is_some_and(|turn| m.conn.turns[turn].trigger.is_some());
    let others_as_well = m
        .conn
        .open_requests(request.from)
        .any(|(_, other)| other.overdue.is_some() && !other.separators);
    m.judged_is_over()
        && request.overdue.is_some()
        && (vocabulary || needs_nobody(m.conn, request))
        && m.conn.read_mark > request.seq
        && !others_as_well
}

/// What `/say TEXT` brought back, compared with TEXT: broken only where the words came back and the separators did not.
fn echoed(prompt: &str, report: &str) -> Still {
    let Some(said) = prompt.strip_prefix("/say ") else {
        return Still::Upheld;
    };
    let separators = ['\u{2028}', '\u{2029}', '\u{85}', '\r'];
    let mut pieces = said
        .split(separators)
        .map(str::trim)
        .filter(|piece| !piece.is_empty());
    if !report.contains(said.trim()) && pieces.all(|piece| report.contains(piece)) {
        Still::Broken(
            Why::new(
                "the text as it was sent",
                "the separators inside the text were lost",
            )
            .got(text::short(report)),
        )
    } else {
        Still::Upheld
    }
}
