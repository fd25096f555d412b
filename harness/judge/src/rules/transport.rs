//! TRANSPORT: newline-delimited JSON on stdio.

use elenchus_wire::{Class, EventKind, FrameDefect, LineEnd};

use crate::{
    fact::{Fact, Moment},
    rule::{Rule, Still, Subject, Why},
    text,
    world::Line,
};

pub(super) const RULES: &[Rule] = &[
    UTF8,
    ONLY_MESSAGES,
    ONE_LINE,
    TERMINATED_AND_FLUSHED,
    ANSWERS_ON_PIPES,
    ONLY_LF_ENDS,
];

/// The frame at hand had no line end.
fn unterminated(m: &Moment<'_>) -> bool {
    matches!(&m.event.kind, EventKind::Frame { frame, .. } if frame.end == LineEnd::None)
}

/// TRANSPORT-001: all that the agent writes is UTF-8. Exercised by text outside of ASCII; a last fragment without a
/// line end is not judged. (transports)
const UTF8: Rule = Rule::check("ACP-TRANSPORT-001", |m, says| match m.fact {
    Fact::Defect(side, FrameDefect::InvalidUtf8 { at })
        if *side == m.judged && !unterminated(m) =>
    {
        says.broken(Why::new(
            "UTF-8",
            format!("byte {at} of the line is not UTF-8"),
        ));
    }
    Fact::Line(side)
        if *side == m.judged && m.conn.line.as_ref().is_some_and(|line| line.non_ascii) =>
    {
        says.upheld();
    }
    _ => {}
});

/// TRANSPORT-003: nothing but messages on stdout. Blank lines are a remark; lines that only together form a value
/// belong to TRANSPORT-005, arrays and a missing result to rows of their own. (transports#stdio)
const ONLY_MESSAGES: Rule = Rule::check("ACP-TRANSPORT-003", |m, says| match m.fact {
    Fact::Noise(index) => {
        let (_, line) = &m.conn.noise[*index];
        says.broken(
            Why::new(
                "a JSON-RPC message on every line",
                "a line on stdout is no message",
            )
            .got(line.clone()),
        );
    }
    Fact::Defect(side, FrameDefect::Blank) if *side == m.judged => {
        says.note("there are blank lines on stdout");
    }
    Fact::Line(side) if *side == m.judged => match &m.conn.line {
        Some(Line {
            class: Some(Class::Other),
            id: None,
            ..
        }) => says.broken(Why::new(
            "a request, a notification or a response",
            "a JSON object on stdout is none of these",
        )),
        Some(Line { class: Some(_), .. }) => says.upheld(),
        Some(Line {
            class: None,
            is_json: true,
            ..
        }) if !is_array(m) => {
            says.broken(Why::new(
                "a JSON-RPC message on every line",
                "a line on stdout is a bare JSON value",
            ));
        }
        _ => {}
    },
    _ => {}
});

fn is_array(m: &Moment<'_>) -> bool {
    m.frame().trim_start().starts_with('[')
}

/// TRANSPORT-005: one message is exactly one line. Exercised by messages whose text has line breaks in it.
/// (transports#stdio)
const ONE_LINE: Rule = Rule::check("ACP-TRANSPORT-005", |m, says| match m.fact {
    Fact::Split { lines, .. } => says.broken(Why::new(
        "one message on one line",
        format!("{lines} lines on stdout only together form one JSON value"),
    )),
    Fact::Line(side)
        if *side == m.judged
            && m.conn
                .line
                .as_ref()
                .is_some_and(|line| line.multi_line && line.class.is_some()) =>
    {
        says.upheld();
    }
    _ => {}
});

/// TRANSPORT-007: each message ends with LF and is flushed, so that it can be read without more input and without the
/// end of the stream. (transports#stdio; derived)
const TERMINATED_AND_FLUSHED: Rule = Rule::check_later(
    "ACP-TRANSPORT-007",
    |m, says| {
        if let Fact::Requested(index) = m.fact
            && m.conn.requests[*index].from != m.judged
        {
            says.watch(Subject::Request(*index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        if matches!(m.fact, Fact::Exited | Fact::Ended) {
            return Still::Moot;
        }
        if !matches!(m.fact, Fact::Answered { request, nth: 1 } if *request == index) {
            return Still::Watching;
        }
        if unterminated(m) {
            Still::Broken(
                Why::new(
                    "an LF after every message",
                    "the answer came without a line end",
                )
                .sent(request.text.clone()),
            )
        } else if request.overdue {
            Still::Broken(
                Why::new(
                    "an answer that is flushed when it is written",
                    "the answer came only after more input or the end of stdin",
                )
                .sent(request.text.clone()),
            )
        } else {
            Still::Upheld
        }
    },
);

/// TRANSPORT-009: the agent speaks over pipes and needs no terminal. Silence fails only where the same command was
/// seen to answer on a terminal. (transports#stdio; derived)
const ANSWERS_ON_PIPES: Rule = Rule::check("ACP-TRANSPORT-009", |m, says| {
    let Some((_, request)) = m.answered() else {
        if let (Fact::Opened, true) = (m.fact, m.world.answers_on_terminal_only()) {
            says.broken(
                Why::new(
                    "an answer to initialize over pipes",
                    "the same command answers on a terminal, and not when its stdin and stdout are pipes",
                )
                .sent("initialize")
                .got("no answer"),
            );
        }
        return;
    };
    if request.method == "initialize" {
        says.upheld();
    }
});

/// TRANSPORT-024: only LF ends a message: U+2028, U+2029, U+0085 and a lone CR neither split nor end it, and text
/// that is echoed keeps them. (transports#stdio)
const ONLY_LF_ENDS: Rule = Rule::duty(
    "ACP-TRANSPORT-024",
    "one answer to a message that holds raw U+2028, U+2029, U+0085 or a lone CR",
    |m, says| {
        let Some((index, _)) = m.asked() else { return };
        if m.conn.line.as_ref().is_some_and(|line| line.separators) && !m.conn.malformed {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        if let Some(how) = m.died() {
            return Still::Broken(Why::new(
                "the message is read as one",
                format!("it was sent, and {how}"),
            ));
        }
        if let Fact::Orphan(orphan) = m.fact {
            let orphan = &m.conn.orphans[*orphan];
            let unreadable = orphan.from == m.judged
                && orphan.is_error
                && orphan.id.as_deref().is_none_or(|id| id == "null")
                && orphan.open.contains(&index);
            if unreadable {
                return Still::Broken(
                    Why::new(
                        "one answer to one message",
                        "the message was split, and a piece of it was refused",
                    )
                    .sent(request.text.clone()),
                );
            }
        }
        if !matches!(m.fact, Fact::Answered { request, nth: 1 } if *request == index) {
            // In v2 a prompt is answered before its turn says anything.
            return match m.turn_ended() {
                Some((turn, ended)) if request.turn == Some(turn) => {
                    echoed(&ended.prompt, &ended.report())
                }
                _ => Still::Watching,
            };
        }
        match request.turn.map(|turn| &m.conn.turns[turn]) {
            Some(turn) if turn.trigger.as_deref() == Some("/say") => match &turn.ended {
                None => Still::Watching,
                Some(_) => echoed(&turn.prompt, &turn.report()),
            },
            _ => Still::Upheld,
        }
    },
);

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
    if report.contains(said.trim()) {
        Still::Upheld
    } else if pieces.all(|piece| report.contains(piece)) {
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
