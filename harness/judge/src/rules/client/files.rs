//! FS: the files of a client (v1). What it refuses by a setting or by what a person decides is unclear.

use elenchus_protocol::Version;
use elenchus_wire::Side;

use crate::{
    fact::Moment,
    kinds::ANSWERS,
    rule::{Rule, Why},
    rules::{jsonrpc::offered, lifecycle::text_param, report::quoted, told::misfit},
    text,
    world::{Answered, Conn, Request},
};

pub(super) const RULES: &[Rule] = &[
    IMPLEMENTED.at(&[ANSWERS]),
    LINES.at(&[ANSWERS]),
    CREATES.at(&[ANSWERS]),
    ROUND_TRIP.at(&[ANSWERS]),
    MISSING.at(&[ANSWERS]),
    NOT_FOUND.at(&[ANSWERS]),
];

const READ: &str = "fs/read_text_file";
const WRITE: &str = "fs/write_text_file";

/// A path that Elenchus makes up, and never lets be made.
fn is_missing(path: &str) -> bool {
    path.contains("elenchus-missing")
}

/// The answer at hand to a request for a file that the client offers.
fn answered<'a>(m: &Moment<'a>, methods: &[&str]) -> Option<(&'a Request, &'a Answered)> {
    let (_, request) = m.answered()?;
    let asked = methods.contains(&request.method.as_str())
        && m.judged == Side::Client
        && m.conn.version() == Version::AcpV1;
    (asked && request.well_formed && offered(m.conn, &request.method))
        .then_some((request, request.answer()?))
}

/// FS-003: a method that is offered is there, and answers in its shape. (v1 file-system)
const IMPLEMENTED: Rule = Rule::check("ACP-FS-003", |m, says| {
    let Some((request, answer)) = answered(m, &[READ, WRITE]) else {
        return;
    };
    match answer.error_code {
        Some(-32601) => says.broken(
            Why::new(
                "what the client offers",
                format!(
                    "{} is offered, and was answered with -32601",
                    request.method
                ),
            )
            .sent(request.text.clone()),
        ),
        _ if answer.is_error => says.unclear("the client refused the file, which it may"),
        _ => {
            let mut clean = true;
            for mismatch in m.mismatches() {
                clean = false;
                says.broken(misfit(&request.method, mismatch).sent(request.text.clone()));
            }
            if clean {
                says.upheld();
            }
        }
    }
})
.of_client();

/// What was written to a file last, before another request: a write that succeeded, with nothing of the same file open
/// between the two.
fn written<'a>(conn: &'a Conn, read: &Request) -> Option<&'a str> {
    let path = text_param(read, "path")?;
    let mut writes = conn.requests.iter().rev().filter(|it| {
        it.from == Side::Server
            && it.method == WRITE
            && it.seq < read.seq
            && text_param(it, "path") == Some(path)
    });
    let write = writes.next()?;
    let done = write
        .answer()
        .is_some_and(|answer| !answer.is_error && answer.seq < read.seq);
    done.then(|| write.params.as_ref()?.get("content")?.as_str())?
}

/// The content that a read brought.
fn content(answer: &Answered) -> Option<&str> {
    answer.result.as_ref()?.get("content")?.as_str()
}

fn number(request: &Request, name: &str) -> Option<usize> {
    let value = request.params.as_ref()?.get(name)?.as_u64()?;
    usize::try_from(value).ok()
}

/// FS-004: lines are counted from 1, and limit bounds how many come. A line end behind the last one may be there or not.
/// (v1 file-system#reading-files)
const LINES: Rule = Rule::check("ACP-FS-004", |m, says| {
    let Some((request, answer)) = answered(m, &[READ]) else {
        return;
    };
    let (line, limit) = (number(request, "line"), number(request, "limit"));
    let (Some(whole), Some(got)) = (written(m.conn, request), content(answer)) else {
        return;
    };
    if line.is_none() && limit.is_none() || line == Some(0) {
        return;
    }
    let from = line.unwrap_or(1) - 1;
    let wanted: Vec<&str> = whole
        .lines()
        .skip(from)
        .take(limit.unwrap_or(usize::MAX))
        .collect();
    says.holds(got.lines().eq(wanted.iter().copied()), || {
        Why::new(
            text::short_to(&format!("{:?}", wanted.join("\n")), 160),
            format!(
                "lines {} and on, at most {}, of a file came as {}",
                from + 1,
                limit.map_or_else(|| "all".to_owned(), |it| it.to_string()),
                text::short_to(&format!("{got:?}"), 160)
            ),
        )
        .sent(request.text.clone())
    });
})
.of_client();

/// FS-005: to write a file that is not there makes it. Broken only where the client writes files that are there: it has
/// written one, or read it before. (v1 file-system#writing-files)
const CREATES: Rule = Rule::check("ACP-FS-005", |m, says| {
    let Some((request, answer)) = answered(m, &[WRITE]) else {
        return;
    };
    let Some(path) = text_param(request, "path").filter(|path| path.contains("elenchus-new"))
    else {
        return;
    };
    let about = |it: &&Request| {
        it.from == Side::Server && it.seq < request.seq && text_param(it, "path") == Some(path)
    };
    if m.conn.requests.iter().any(|it| about(&it)) {
        return;
    }
    if !answer.is_error {
        return says.upheld();
    }
    let writes = m.conn.requests.iter().any(|it| {
        it.from == Side::Server
            && it.method == WRITE
            && text_param(it, "path") != Some(path)
            && it.answer().is_some_and(|answer| !answer.is_error)
    });
    if writes && answer.error_code != Some(-32601) {
        says.broken(
            Why::new(
                "a new file",
                "a file that was not there was to be written, and was not; another one was written",
            )
            .sent(request.text.clone()),
        );
    } else {
        says.unclear("the client writes no files for this agent");
    }
})
.of_client();

/// FS-007: what was written comes back byte for byte. (v1 file-system; robustness)
const ROUND_TRIP: Rule = Rule::check("ACP-FS-007", |m, says| {
    let Some((request, answer)) = answered(m, &[READ]) else {
        return;
    };
    if number(request, "line").is_some() || number(request, "limit").is_some() {
        return;
    }
    if let (Some(wrote), Some(got)) = (written(m.conn, request), content(answer)) {
        says.holds(wrote == got, || {
            Why::new(
                text::short_to(&format!("{wrote:?}"), 160),
                format!(
                    "a file was written, and came back as {}",
                    text::short_to(&format!("{got:?}"), 160)
                ),
            )
            .sent(request.text.clone())
        });
    }
})
.of_client();

/// FS-008: a file that is not there cannot be read. (v1 file-system; derived)
const MISSING: Rule = Rule::check("ACP-FS-008", |m, says| {
    let Some((request, answer)) = answered(m, &[READ]) else {
        return;
    };
    if !text_param(request, "path").is_some_and(is_missing) {
        return;
    }
    if answer.error_code == Some(-32601) {
        return;
    }
    says.holds(answer.is_error, || {
        let content = answer.result.as_ref().map(quoted).unwrap_or_default();
        Why::new(
            "an error, -32002 best of all",
            format!("a file that is not there was read, and the answer was {content}"),
        )
        .sent(request.text.clone())
    });
})
.of_client();

/// ERROR-011: what is not there, a file or a terminal, is not found: -32002. That it is found all the same is FS-008's and
/// TERM-009's. (v1/error.rs ErrorCode::ResourceNotFound; derived)
const NOT_FOUND: Rule = Rule::check("ACP-ERROR-011", |m, says| {
    let methods = [READ, "terminal/output", "terminal/wait_for_exit"];
    let Some((request, answer)) = answered(m, &methods) else {
        return;
    };
    let file = text_param(request, "path").is_some_and(is_missing);
    let terminal = text_param(request, "terminalId").is_some_and(|it| it.starts_with("elenchus-"));
    if !(file || terminal) || !answer.is_error || answer.error_code == Some(-32601) {
        return;
    }
    says.holds(answer.error_code == Some(-32002), || {
        Why::new(
            "error -32002",
            format!(
                "{} of what is not there was answered with {}",
                request.method,
                answer.error_code.map_or_else(
                    || "another error".to_owned(),
                    |code| format!("error {code}")
                )
            ),
        )
        .sent(request.text.clone())
    });
})
.of_client();
