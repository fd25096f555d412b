//! Reads one step.

use super::client::{ask, check_target, end_turn, exit};
use super::error::{Flaw, crop, did_you_mean, one_of};
use super::line::Line;
use super::scope::Scope;
use super::template::{Part, Template};
use super::{Advertise, Fill, Growth, HEAD_WORDS, SESSION, StepKind, Target, raw, scan};

/// The step words, each with how it is used.
const STEPS: [(&str, &str); 32] = [
    ("open", "`open [ELICITATION|absent]`"),
    ("connect", "`connect`"),
    (
        "initialize",
        "`initialize [ELICITATION|absent] [with PATCH]`",
    ),
    ("session", "`session [with PATCH] [as NAME]`"),
    ("prompt", "`prompt [@SESSION] TEXT`"),
    ("request", "`request METHOD [PARAMS] [id ID] [as NAME]`"),
    ("await", "`await NAME`"),
    ("notify", "`notify METHOD [PARAMS]`"),
    ("expect", "`expect METHOD [as NAME]`"),
    ("answer", "`answer NAME RESULT`"),
    ("refuse", "`refuse NAME ERROR`"),
    ("respond", "`respond ID RESULT`"),
    ("fill", "`fill NAME [valid|required|invalid KIND]`"),
    ("visit", "`visit NAME [typing]`"),
    ("raw", "`raw BYTES`"),
    ("turn", "`turn ends [@SESSION]`"),
    ("settle", "`settle`"),
    ("call", "`call announced`"),
    ("race", "`race [GAP...]` with `- STEP` lines below"),
    ("on", "`on NAME`"),
    ("close", "`close`"),
    ("terminate", "`terminate`"),
    ("text", "`text SIZE as NAME`"),
    ("pieces", "`pieces SIZE`"),
    ("grow", "`grow members|meta|no-meta|nulls [at PLACE]`"),
    ("welcome", "`welcome [with PATCH]`"),
    ("serve", "`serve [with PATCH]`"),
    ("update", "`update JSON`"),
    (
        "ask",
        "`ask form [SCHEMA] [with PATCH] [as NAME]`, `ask url [URL] ...` or `ask permission ...`",
    ),
    ("end", "`end turn [STOPREASON]`"),
    ("next", "`next turn`"),
    ("exit", "`exit CODE|SIGNAL`"),
];

/// The ways in which `fill NAME invalid KIND` can be wrong.
pub const ANSWER_FAULTS: [&str; 6] = [
    "missing",
    "type",
    "not-a-choice",
    "length",
    "bounds",
    "count",
];

/// The longest gap of a race, in microseconds.
const MAX_GAP_US: u64 = 10_000_000;

/// The longest text that a script may make, in bytes.
pub const MAX_SIZE: u64 = 64 * 1024 * 1024;

/// How many gaps a race may name.
const MAX_GAPS: usize = 16;

pub(super) fn is_step_word(word: &str) -> bool {
    STEPS.iter().any(|(w, _)| *w == word)
}

/// How a step is used.
fn usage(word: &str) -> &'static str {
    STEPS
        .iter()
        .find(|(w, _)| *w == word)
        .map_or("", |(_, usage)| usage)
}

/// What may stand at the beginning of a line, for an unknown `word`.
pub(super) fn unknown_word(at: usize, word: &str, in_head: bool) -> Flaw {
    let mut steps: Vec<&str> = STEPS.iter().map(|(w, _)| *w).collect();
    let all = one_of(&steps);
    if in_head {
        steps.extend(HEAD_WORDS);
    }
    let hint = did_you_mean(word, steps);
    let head = if in_head {
        format!("; the head has {}", one_of(&HEAD_WORDS))
    } else {
        String::new()
    };
    Flaw::new(
        at,
        format!(
            "`{}` is no step{hint}; a step begins with {all}{head}",
            crop(word)
        ),
    )
}

/// Reads the step that begins at the line's next word. The arms of a race stand on lines of their own and are not read.
pub(super) fn step(line: &mut Line<'_>, scope: &Scope, target: Target) -> Result<StepKind, Flaw> {
    let (at, word) = line.word();
    let kind = body(line, scope, word).unwrap_or_else(|| Err(unknown_word(at, word, false)));
    let kind = kind.map_err(|flaw| flaw.with_usage(usage(word)))?;
    line.end(usage(word))?;
    check_target(at, &kind, target)?;
    scope.check_connection(at, &kind)?;
    Ok(kind)
}

fn body(line: &mut Line<'_>, scope: &Scope, word: &str) -> Option<Result<StepKind, Flaw>> {
    Some(match word {
        "open" => advertise(line, scope).map(StepKind::Open),
        "connect" => Ok(StepKind::Connect),
        "initialize" => initialize(line, scope),
        "session" => session(line, scope),
        "prompt" => prompt(line, scope),
        "request" => request(line, scope),
        "await" => await_answer(line, scope),
        "notify" => notify(line, scope),
        "expect" => expect(line, scope),
        "answer" => message(line, scope).and_then(|name| {
            Ok(StepKind::Answer {
                name,
                result: line.json("the result", scope)?,
            })
        }),
        "refuse" => message(line, scope).and_then(|name| {
            Ok(StepKind::Refuse {
                name,
                error: object(line, "the error", scope)?,
            })
        }),
        "respond" => line.json("the id", scope).and_then(|id| {
            Ok(StepKind::Respond {
                id,
                result: line.json("the result", scope)?,
            })
        }),
        "fill" => message(line, scope).and_then(|name| {
            Ok(StepKind::Fill {
                name,
                how: fill(line)?,
            })
        }),
        "visit" => message(line, scope).map(|name| StepKind::Visit {
            name,
            typing: line.take("typing"),
        }),
        "raw" => raw_bytes(line),
        "turn" => turn_ends(line, scope),
        "settle" => Ok(StepKind::Settle),
        "call" => second_word(line, "announced").map(|()| StepKind::CallAnnounced),
        "race" => gaps(line).map(|gaps_us| StepKind::Race {
            gaps_us,
            arms: Vec::new(),
        }),
        "on" => line
            .name("the name of a connection")
            .map(|(_, name)| StepKind::On(name.to_owned())),
        "close" => Ok(StepKind::Close),
        "terminate" => Ok(StepKind::Terminate),
        "text" => text_of_size(line, scope),
        "pieces" => size(line, scope).map(StepKind::Pieces),
        "grow" => grow(line, scope),
        "welcome" => patch(line, scope).map(|patch| StepKind::Welcome { patch }),
        "serve" => patch(line, scope).map(|patch| StepKind::Serve { patch }),
        "update" => line.json("the update", scope).map(StepKind::Update),
        "ask" => ask(line, scope),
        "end" => end_turn(line, scope),
        "next" => second_word(line, "turn").map(|()| StepKind::NextTurn),
        "exit" => exit(line),
        _ => return None,
    })
}

pub(super) fn second_word(line: &mut Line<'_>, word: &str) -> Result<(), Flaw> {
    let (at, found) = line.word();
    if found == word {
        Ok(())
    } else {
        Err(Flaw::missing(at, &format!("`{word}`")))
    }
}

fn advertise(line: &mut Line<'_>, scope: &Scope) -> Result<Advertise, Flaw> {
    if line.is_at_end() || line.peek() == "with" {
        return Ok(Advertise::Default);
    }
    if line.take("absent") {
        return Ok(Advertise::Absent);
    }
    line.json("the elicitation capability", scope)
        .map(Advertise::Value)
}

/// An object, or a variable that will hold one.
pub(super) fn object(line: &mut Line<'_>, what: &str, scope: &Scope) -> Result<Template, Flaw> {
    let at = line.at;
    let template = line.json(what, scope)?;
    let may_be = match template.parts.first() {
        Some(Part::Text(text)) => text.starts_with('{'),
        Some(Part::Json(_)) => true,
        Some(Part::Inner(_)) | None => false,
    };
    if may_be {
        Ok(template)
    } else {
        Err(Flaw::new(at, format!("{what} must be a JSON object")))
    }
}

pub(super) fn patch(line: &mut Line<'_>, scope: &Scope) -> Result<Option<Template>, Flaw> {
    if line.take("with") {
        object(line, "the patch", scope).map(Some)
    } else {
        Ok(None)
    }
}

fn initialize(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    Ok(StepKind::Initialize {
        advertise: advertise(line, scope)?,
        patch: patch(line, scope)?,
    })
}

/// `as NAME`, if it stands here.
fn as_name(line: &mut Line<'_>) -> Result<Option<(usize, String)>, Flaw> {
    if !line.take("as") {
        return Ok(None);
    }
    line.name("a name")
        .map(|(at, name)| Some((at, name.to_owned())))
}

/// Gives a step the name that follows `as`.
pub(super) fn named(
    line: &mut Line<'_>,
    scope: &Scope,
    step: impl FnOnce(Option<String>) -> StepKind,
) -> Result<StepKind, Flaw> {
    let Some((at, name)) = as_name(line)? else {
        return Ok(step(None));
    };
    let step = step(Some(name.clone()));
    scope.check_new(at, &name, &step)?;
    Ok(step)
}

fn session(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    let patch = patch(line, scope)?;
    named(line, scope, |name| StepKind::Session {
        patch,
        name: name.unwrap_or_else(|| SESSION.to_owned()),
    })
}

/// `@SESSION`, or the default.
fn at_session(line: &mut Line<'_>, scope: &Scope) -> Result<(usize, String), Flaw> {
    let (mut at, mut name) = (line.at, SESSION);
    if let Some(named) = line.peek().strip_prefix('@') {
        at += 1;
        name = named;
        if !scan::is_name(name) {
            return Err(Flaw::new(at, "the name of a session must stand after `@`"));
        }
        line.word();
    }
    scope.check_session(at, name)?;
    Ok((at, name.to_owned()))
}

fn prompt(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    let (_, session) = at_session(line, scope)?;
    if line.is_at_end() {
        return Err(Flaw::missing(line.at, "the text of the prompt"));
    }
    let end = line.text.trim_end_matches([' ', '\t']).len();
    let text = scan::prompt(&line.text[..end], line.at, scope)?;
    line.at = end;
    Ok(StepKind::Prompt { session, text })
}

/// Params, if they stand here: anything but `id`, `as` and the end.
fn params(line: &mut Line<'_>, scope: &Scope) -> Result<Option<Template>, Flaw> {
    if line.is_at_end() || matches!(line.peek(), "id" | "as") {
        return Ok(None);
    }
    line.json("the params", scope).map(Some)
}

fn request(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    let method = line.method()?.to_owned();
    let params = params(line, scope)?;
    let id = if line.take("id") {
        Some(line.json("the id", scope)?)
    } else {
        None
    };
    named(line, scope, |name| StepKind::Request {
        method,
        params,
        id,
        name,
    })
}

fn await_answer(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    let (at, name) = line.name("the name of a request")?;
    scope.check_request(at, name)?;
    Ok(StepKind::Await(name.to_owned()))
}

fn notify(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    let method = line.method()?.to_owned();
    let params = if line.is_at_end() {
        None
    } else {
        Some(line.json("the params", scope)?)
    };
    Ok(StepKind::Notify { method, params })
}

fn expect(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    let method = line.method()?.to_owned();
    named(line, scope, |name| StepKind::Expect { method, name })
}

/// The name of a message that an earlier `expect` took.
fn message(line: &mut Line<'_>, scope: &Scope) -> Result<String, Flaw> {
    let (at, name) = line.name("the name of an expected message")?;
    scope.check_message(at, name)?;
    Ok(name.to_owned())
}

fn fill(line: &mut Line<'_>) -> Result<Fill, Flaw> {
    const HOW: [&str; 3] = ["valid", "required", "invalid"];
    let (at, how) = line.word();
    match how {
        "" | "valid" => Ok(Fill::Valid),
        "required" => Ok(Fill::Required),
        "invalid" => {
            let (at, kind) = line.word();
            if ANSWER_FAULTS.contains(&kind) {
                return Ok(Fill::Invalid(kind.to_owned()));
            }
            let hint = did_you_mean(kind, ANSWER_FAULTS);
            Err(Flaw::new(
                at,
                format!("{} must stand here{hint}", one_of(&ANSWER_FAULTS)),
            ))
        }
        _ => Err(Flaw::new(
            at,
            format!("{} must stand here{}", one_of(&HOW), did_you_mean(how, HOW)),
        )),
    }
}

/// A number of bytes, or a variable that will hold one.
fn grow(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    let (at, word) = line.word();
    let with = Growth::ALL.into_iter().find(|growth| growth.word() == word);
    let with = with.ok_or_else(|| Flaw::missing(at, "`members`, `meta`, `no-meta` or `nulls`"))?;
    let place = line.take("at").then(|| size(line, scope)).transpose()?;
    Ok(StepKind::Grow { with, place })
}

fn size(line: &mut Line<'_>, scope: &Scope) -> Result<Template, Flaw> {
    let at = line.at;
    let template = line.json("the number of bytes", scope)?;
    let may_be = match template.parts.as_slice() {
        [Part::Text(text)] => text.parse::<u64>().is_ok_and(|size| size <= MAX_SIZE),
        [Part::Json(_)] => true,
        _ => false,
    };
    if may_be {
        Ok(template)
    } else {
        Err(Flaw::new(
            at,
            format!("the size must be a whole number of bytes, at most {MAX_SIZE}"),
        ))
    }
}

fn text_of_size(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    let size = size(line, scope)?;
    let at = line.at;
    let Some((at_name, name)) = as_name(line)? else {
        return Err(Flaw::missing(at, "`as NAME`"));
    };
    let step = StepKind::Text { size, name };
    if let StepKind::Text { name, .. } = &step {
        scope.check_new(at_name, name, &step)?;
    }
    Ok(step)
}

fn raw_bytes(line: &mut Line<'_>) -> Result<StepKind, Flaw> {
    // One space ends the word `raw`; more of them, and those at the end of the line, are part of the bytes.
    let before = line.text[..line.at].trim_end_matches([' ', '\t']).len();
    let start = before + usize::from(before < line.text.len());
    let bytes = raw::decode(&line.text[start..], start)?;
    if bytes.is_empty() {
        return Err(Flaw::missing(start, "bytes, up to the end of the line,"));
    }
    line.at = line.text.len();
    Ok(StepKind::Raw(bytes))
}

fn turn_ends(line: &mut Line<'_>, scope: &Scope) -> Result<StepKind, Flaw> {
    second_word(line, "ends")?;
    let (at, session) = at_session(line, scope)?;
    scope.check_prompted(at, &session)?;
    Ok(StepKind::TurnEnds { session })
}

fn gaps(line: &mut Line<'_>) -> Result<Vec<u64>, Flaw> {
    let mut gaps = Vec::new();
    while !line.is_at_end() {
        let (at, word) = line.word();
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let factor = match unit {
            "us" => 1,
            "ms" => 1_000,
            "s" => 1_000_000,
            _ => {
                return Err(Flaw::new(
                    at,
                    "a gap is a whole number with `us`, `ms` or `s`: `200us 2ms`",
                ));
            }
        };
        let gap = word[..word.len() - unit.len()]
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(factor));
        match gap {
            Some(gap @ 1..=MAX_GAP_US) => gaps.push(gap),
            _ => {
                return Err(Flaw::new(
                    at,
                    "a gap is between `1us` and `10s`; one write and back to back are always tried",
                ));
            }
        }
        if gaps.len() > MAX_GAPS {
            return Err(Flaw::new(at, format!("a race has at most {MAX_GAPS} gaps")));
        }
    }
    Ok(gaps)
}
