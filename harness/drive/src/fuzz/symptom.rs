//! What went wrong in a performance, and how symptoms with one cause are known as the same.

use elenchus_judge::{Breach, Judgement};
use elenchus_protocol::{Version, acp::methods};
use elenchus_suites::Script;
use elenchus_wire::{Event, EventKind, Mark, Side, Wait, event::Asked, trace::Trace};

use crate::{
    campaign::Knowledge,
    instance::{Recording, Stopped},
};

/// What kind of wrong it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A requirement was broken: its id.
    Requirement(&'static str),
    /// The target's process ended by itself while it was talked to, or said that it panicked.
    Crash,
    /// The target lives and answers a fence no more.
    Hang,
    /// The target's memory grew by what no conversation of this size needs.
    Memory,
    /// The target answers, and does no more work: a fresh session cannot be opened, or a turn in it does not end.
    Service,
}

impl Cause {
    /// Its name in reports: the id of the requirement, or a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Requirement(id) => id,
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Memory => "memory",
            Self::Service => "service",
        }
    }
}

/// Something that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symptom {
    pub(super) cause: Cause,
    pub(super) why: String,
    pub(super) expected: String,
    pub(super) sent: String,
    pub(super) got: String,
}

impl Symptom {
    fn of(cause: Cause, why: impl Into<String>, expected: &str) -> Self {
        Self {
            cause,
            why: why.into(),
            expected: expected.to_owned(),
            sent: String::new(),
            got: String::new(),
        }
    }

    fn broken(id: &'static str, breach: &Breach) -> Self {
        Self {
            cause: Cause::Requirement(id),
            why: breach.why.clone(),
            expected: breach.expected.clone(),
            sent: breach.sent.clone(),
            got: breach.got.clone(),
        }
    }

    /// What symptoms of one cause have in common: the cause, and the reason without what differs from run to run.
    pub(super) fn key(&self) -> String {
        format!("{} {}", self.cause.name(), plain(&self.why))
    }
}

/// A reason without what differs from run to run: numbers, what is quoted, and words that are no words of a sentence.
/// Methods of the protocol stay: which one it was is part of the cause.
fn plain(why: &str) -> String {
    let mut quoted: Option<char> = None;
    let unquoted: String = why
        .chars()
        .map(|c| {
            let inside = quoted.is_some();
            if quoted == Some(c) {
                quoted = None;
            } else if !inside && matches!(c, '"' | '`') {
                quoted = Some(c);
            }
            if inside || quoted.is_some() { '_' } else { c }
        })
        .collect();
    let mut words: Vec<&str> = unquoted
        .split_whitespace()
        .map(|word| {
            let bare = word.trim_matches(|c: char| c.is_ascii_punctuation() && !"_/.".contains(c));
            let known = Version::ALL
                .into_iter()
                .any(|version| methods::method(version, bare).is_some());
            let letters = bare.trim_end_matches('.');
            let is_word = !letters.is_empty()
                && letters
                    .chars()
                    .all(|c| c.is_alphabetic() || "'-".contains(c));
            if known || is_word { bare } else { "_" }
        })
        .collect();
    words.dedup_by(|one, other| one == other && *one == "_");
    words.join(" ")
}

/// The name of the session that shows that a target still works; `moves` writes it.
pub(super) const ALIVE: &str = "alive";

/// So much more memory than before needs no conversation that fits into a trace.
pub(super) const GROWTH: u64 = 256 * 1024 * 1024;

/// What went wrong in a performance of this script. `growth` is by how many bytes the target has grown.
pub(super) fn symptoms(
    recording: &Recording,
    judgement: &Judgement,
    script: &Script,
    growth: u64,
) -> Vec<Symptom> {
    let crash = crash(&recording.trace, &recording.stderr);
    // What a process that ends by itself leaves undone comes of that end, and would be told once for each rule.
    let end = crash
        .is_some()
        .then(|| end_of_target(&recording.trace))
        .flatten();
    let mut found = Vec::new();
    for (id, tally) in &judgement.tallies {
        let before = |breach: &&Breach| end.is_none_or(|end| breach.event < end);
        let breaches = tally.breaches.iter().filter(before);
        found.extend(breaches.map(|breach| Symptom::broken(id, breach)));
    }
    found.extend(crash);
    found.extend(hang(&recording.trace));
    found.extend(service(recording, script));
    if growth > GROWTH {
        found.push(Symptom::of(
            Cause::Memory,
            format!("its memory grew by {} MiB", growth / (1024 * 1024)),
            "memory that does not depend on what it was sent before",
        ));
    }
    // Of the same kind one is enough: the first.
    let mut keys = Vec::new();
    found.retain(|symptom| {
        let key = symptom.key();
        let new = !keys.contains(&key);
        keys.push(key);
        new
    });
    found
}

/// What became of a target that no rule is about, in words: that it crashed, hung, did no more work, or took memory.
/// `resident` is how many bytes of memory it held at the end of the script, where that is known.
pub fn breakdown(
    recording: &Recording,
    script: &Script,
    resident: Option<u64>,
    knowledge: &Knowledge,
) -> Vec<(Cause, String)> {
    let growth = resident.zip(knowledge.resident);
    let growth = growth.map_or(0, |(now, before)| now.saturating_sub(before));
    symptoms(recording, &Judgement::default(), script, growth)
        .into_iter()
        // Who ignores all that it does not know has not begun to hang.
        .filter(|symptom| !(knowledge.ignores_unknown && symptom.cause == Cause::Hang))
        .map(|symptom| (symptom.cause, symptom.why))
        .collect()
}

/// The first event that tells of the end of the target: of its output, or of its process.
fn end_of_target(trace: &Trace) -> Option<u64> {
    let ends = trace.events.iter().filter(|event| match &event.kind {
        EventKind::Exit { .. } => true,
        EventKind::Eof { from } => *from == trace.header.judged,
        _ => false,
    });
    ends.map(|event| event.seq).next()
}

/// The process ended by itself, or its standard error says that something broke.
fn crash(trace: &Trace, stderr: &[String]) -> Option<Symptom> {
    const EXPECTED: &str = "a target that goes on until its client leaves";
    let said = stderr.iter().find(|line| is_panic(line));
    // A client may leave when it likes, and say by its code that it did not like its agent.
    let may_leave = trace.header.judged == Side::Client;
    let ended = trace.events.iter().find_map(|event| match event.kind {
        EventKind::Exit {
            code,
            signal,
            asked: Asked::Nothing,
        } if signal.is_some() || !may_leave => Some((code, signal)),
        _ => None,
    });
    let signalled = trace.events.iter().find_map(|event| match event.kind {
        // SIGTERM and SIGKILL are ours.
        EventKind::Exit {
            signal: Some(signal),
            asked: Asked::Close | Asked::Terminate,
            ..
        } if ![9, 15].contains(&signal) => Some(signal),
        _ => None,
    });
    let how = match (ended, signalled) {
        (Some((Some(code), _)), _) => Some(format!("exited with code {code}")),
        (Some((None, Some(signal))), _) | (None, Some(signal)) => {
            Some(format!("was ended by signal {signal}"))
        }
        (Some((None, None)), _) => Some("ended".to_owned()),
        (None, None) => None,
    };
    let why = match (how, said) {
        (Some(how), _) if ended.is_some() => {
            format!("its process {how} while it was talked to")
        }
        (Some(how), _) => format!("its process {how} when its client left"),
        (None, Some(_)) => "its standard error tells of a panic".to_owned(),
        (None, None) => return None,
    };
    let mut symptom = Symptom::of(Cause::Crash, why, EXPECTED);
    if let Some(line) = said.or(stderr.last()) {
        symptom.got.clone_from(line);
    }
    Some(symptom)
}

/// What is printed when a part of a program has broken, even where the process lives on. What languages with exceptions
/// print is none of it: the program may have caught it.
fn is_panic(line: &str) -> bool {
    const SIGNS: [&str; 5] = [
        "panicked at",
        "panic: ",
        "fatal error: ",
        "AddressSanitizer",
        "Segmentation fault",
    ];
    SIGNS.iter().any(|sign| line.contains(sign))
}

/// A fence has got no answer, though the process lives.
fn hang(trace: &Trace) -> Option<Symptom> {
    let fences: Vec<&str> = trace
        .events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Mark(Mark::Fence { id }) => Some(id.as_str()),
            _ => None,
        })
        .collect();
    let unanswered = |event: &&Event| match &event.kind {
        EventKind::Deadline {
            wait: Wait::Answer { id },
            ..
        } => fences.contains(&id.as_str()),
        _ => false,
    };
    trace.events.iter().find(unanswered).map(|_| {
        Symptom::of(
            Cause::Hang,
            "it answers no request any more",
            "an answer to every request, at least an error for a method that it does not know",
        )
    })
}

/// The fresh session at the end of the script was refused, or its turn did not end, and the target is still there.
fn service(recording: &Recording, script: &Script) -> Option<Symptom> {
    let Some(Stopped::Step { line, reason }) = &recording.stopped else {
        return None;
    };
    let step = script.steps.iter().find(|step| step.line == *line)?;
    let step = step.to_string();
    let is_alive = step.ends_with(&format!(" as {ALIVE}")) || step.contains(&format!("@{ALIVE}"));
    let events = &recording.trace.events;
    let begun = events.iter().rposition(
        |event| matches!(&event.kind, EventKind::Mark(Mark::Step { line: at }) if at == line),
    )?;
    // A target that wants a sign-in says so, and one that is gone is another matter.
    let gated = reason.contains("-32000");
    let came = events[begun..].iter().any(|event| match &event.kind {
        EventKind::Frame { from, .. } => *from == recording.trace.header.judged,
        EventKind::Deadline { .. } => true,
        _ => false,
    });
    let gone = events.iter().any(|event| match &event.kind {
        EventKind::Exit { .. } => true,
        EventKind::Eof { from } => *from == recording.trace.header.judged,
        _ => false,
    });
    let lost = is_alive && came && !gated && !gone;
    lost.then(|| {
        let mut symptom = Symptom::of(
            Cause::Service,
            format!("`{step}` at the end came to nothing"),
            "a fresh session opens, and a plain turn in it ends",
        );
        symptom.got.clone_from(reason);
        symptom
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_known_again_by_what_stays_the_same() {
        for (one, two, same) in [
            ("id 7 had 2 answers", "id 19 had 3 answers", true),
            ("`\"a\"` was answered", "`4` was answered", true),
            ("it was answered twice", "it was not answered", false),
            ("an id \"x\" of a form", "an id \"y z\" of a form", true),
            ("the cwd . is relative", "the cwd ../up is relative", true),
            (
                "session/list was answered",
                "session/load was answered",
                false,
            ),
            ("_x/a was answered", "_x/b was answered", true),
        ] {
            assert_eq!(plain(one) == plain(two), same, "{one} / {two}");
        }
    }

    #[test]
    fn memory_counts_where_both_ends_are_known_and_silence_where_it_means_something() {
        use elenchus_wire::trace::{FORMAT, Header};

        let kinds = [
            EventKind::Mark(Mark::Fence {
                id: "\"f\"".to_owned(),
            }),
            EventKind::Deadline {
                wait: Wait::Answer {
                    id: "\"f\"".to_owned(),
                },
                ms: 10,
            },
        ];
        let events = (0..).zip(kinds).map(|(seq, kind)| Event {
            seq,
            at_us: 0,
            conn: 0,
            kind,
        });
        let recording = Recording {
            trace: Trace {
                header: Header {
                    elenchus_trace: FORMAT,
                    elenchus: String::new(),
                    protocol: "acp-v1".to_owned(),
                    judged: Side::Server,
                    script: String::new(),
                    instance: String::new(),
                    seed: 0,
                },
                events: events.collect(),
                cut: false,
            },
            stderr: Vec::new(),
            stopped: None,
            reach: crate::instance::Reach::default(),
        };
        let script = "# A test.\ntarget agent\nversions 1\n\nopen\n";
        let script =
            elenchus_suites::script::parse("s", script).unwrap_or_else(|error| panic!("{error}"));
        let small = Some(1 << 20);
        let large = Some((1 << 20) + GROWTH + 1);
        for (before, now, ignores_unknown, causes) in [
            (small, large, false, &[Cause::Hang, Cause::Memory][..]),
            (small, large, true, &[Cause::Memory]),
            (large, small, true, &[]),
            (None, large, true, &[]),
            (small, None, false, &[Cause::Hang]),
        ] {
            let knowledge = Knowledge {
                resident: before,
                ignores_unknown,
                ..Knowledge::default()
            };
            let told = breakdown(&recording, &script, now, &knowledge);
            let told: Vec<Cause> = told.into_iter().map(|(cause, _)| cause).collect();
            assert_eq!(told, causes);
        }
    }

    #[test]
    fn panics_are_known_by_what_languages_print() {
        assert!(is_panic("thread 'main' panicked at src/main.rs:1:2:"));
        assert!(!is_panic("Traceback (most recent call last):"));
        assert!(!is_panic("warning: no panic here"));
    }
}
