//! Mutations of drafts: of their lines, of the payloads in them, of bytes, of timing and of chunks.
//!
//! A mutation may make something that is no script; whoever asked for it tries again then.

use super::{
    draft::{ARM, Draft},
    moves::{self, IDS, Words},
    shrink::given,
};
use crate::seed::Random;

/// No draft grows beyond so many lines: what takes longer to perform finds less in its time.
const LONGEST: usize = 80;
/// At most so many mutations on top of each other.
const STACKED: usize = 5;

/// A child of a draft, perhaps with parts of another one.
pub(super) fn mutate(
    parent: &Draft,
    other: Option<&Draft>,
    words: &Words,
    random: &mut Random,
) -> Draft {
    let mut child = parent.clone();
    for _ in 0..=random.below(STACKED) {
        one(&mut child, other, words, random);
    }
    if child.body.len() > LONGEST {
        child.body.truncate(LONGEST);
    }
    child
}

fn one(draft: &mut Draft, other: Option<&Draft>, words: &Words, random: &mut Random) {
    match random.below(20) {
        0..=5 => insert(draft, words, random),
        6 | 7 => append(draft, words, random),
        8 | 9 => delete(draft, random),
        10 => repeat(draft, random),
        11 => swap(draft, random),
        12 | 13 => splice(draft, other, random),
        14..=16 => value(draft, random),
        17 => bytes(draft, random),
        18 => race(draft, random),
        _ => shape(draft, random),
    }
}

/// A place behind the first step, which opens the connection.
fn place(draft: &Draft, random: &mut Random) -> usize {
    1 + random.below(draft.body.len())
}

/// More moves in the middle, as what stands before them allows.
fn insert(draft: &mut Draft, words: &Words, random: &mut Random) {
    let mut at = place(draft, random).min(draft.body.len());
    // The arms of a race stay together.
    while draft.body.get(at).is_some_and(|line| line.starts_with(ARM)) {
        at += 1;
    }
    let lines = words.more(draft, at, 1 + random.below(2), random);
    draft.body.splice(at..at, lines);
}

/// Goes on from where the draft ends.
fn append(draft: &mut Draft, words: &Words, random: &mut Random) {
    while draft.body.len() > 1 && draft.body.last().is_some_and(|line| line == "close") {
        draft.body.pop();
    }
    let lines = words.more(draft, draft.body.len(), 1 + random.below(6), random);
    draft.body.extend(lines);
}

fn delete(draft: &mut Draft, random: &mut Random) {
    if draft.body.len() < 3 {
        return;
    }
    let at = 1 + random.below(draft.body.len() - 1);
    let count = 1 + random.below(3);
    let end = (at + count).min(draft.body.len());
    draft.body.drain(at..end);
}

/// The same again, at once or at the end: twice is where much breaks, and what did nothing the first time may do something
/// after all that came since.
fn repeat(draft: &mut Draft, random: &mut Random) {
    if draft.body.len() < 2 {
        return;
    }
    let at = 1 + random.below(draft.body.len() - 1);
    let count = 1 + random.below(8);
    let end = (at + count).min(draft.body.len());
    let again = renamed(&draft.body[at..end], draft, random);
    let to = if random.percent(50) {
        end
    } else {
        draft.body.len()
    };
    draft.body.splice(to..to, again);
}

fn swap(draft: &mut Draft, random: &mut Random) {
    if draft.body.len() < 3 {
        return;
    }
    let one = 1 + random.below(draft.body.len() - 1);
    let two = 1 + random.below(draft.body.len() - 1);
    draft.body.swap(one, two);
}

/// The end of another draft behind the beginning of this one.
fn splice(draft: &mut Draft, other: Option<&Draft>, random: &mut Random) {
    let Some(other) = other.filter(|other| other.body.len() > 1) else {
        return;
    };
    let from = 1 + random.below(other.body.len() - 1);
    let at = place(draft, random).min(draft.body.len());
    if random.percent(50) {
        draft.body.truncate(at);
    }
    let at = at.min(draft.body.len());
    let rest = renamed(&other.body[from..], draft, random);
    draft.body.splice(at..at, rest);
}

/// These lines with other names for what comes of them, where the draft has given those already.
fn renamed(lines: &[String], draft: &Draft, random: &mut Random) -> Vec<String> {
    let mut lines = lines.to_vec();
    let taken: Vec<&str> = draft.body.iter().filter_map(|line| given(line)).collect();
    for place in 0..lines.len() {
        let Some(name) = given(&lines[place]).map(str::to_owned) else {
            continue;
        };
        if taken.contains(&name.as_str()) {
            let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
            let new = moves::fresh(kind, random);
            for line in &mut lines[place..] {
                *line = with_name(line, &name, &new);
            }
        }
    }
    lines
}

/// A step that speaks of what has this name, with another name for it.
pub(super) fn with_name(line: &str, name: &str, new: &str) -> String {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let refers = before.ends_with(['$', '@']) && !after.starts_with(in_name);
        let word = before.ends_with(' ') && (after.is_empty() || after.starts_with(' '));
        out.push_str(before);
        out.push_str(if refers || word { new } else { name });
        rest = after;
    }
    out + rest
}

/// Values that readers trip over.
const VALUES: [&str; 16] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1.5",
    "1e3",
    "9007199254740993",
    "18446744073709551616",
    "\"\"",
    "\"0\"",
    "\"\\u0000\"",
    "\"ü🦀\"",
    "[]",
    "{}",
    "[null]",
];

/// Changes one token of a payload.
fn value(draft: &mut Draft, random: &mut Random) {
    let lines: Vec<usize> = (1..draft.body.len())
        .filter(|&place| draft.body[place].contains('{') && !draft.body[place].contains("raw "))
        .collect();
    let Some(&line) = random.pick(&lines) else {
        return;
    };
    let text = &draft.body[line];
    let tokens = tokens(text);
    let Some(token) = random.pick(&tokens).cloned() else {
        return;
    };
    let new = match token.kind {
        Kind::Open => {
            let members = [
                "\"_meta\":{\"elenchus\":1},",
                "\"elenchus\":null,",
                "\"\":0,",
            ];
            let member = members[random.below(members.len())];
            let empty = text[token.end..].trim_start().starts_with('}');
            let member = if empty {
                member.trim_end_matches(',')
            } else {
                member
            };
            format!("{{{member}")
        }
        Kind::Name => {
            let names = [
                "\"elenchus\"",
                "\"sessionId\"",
                "\"SessionId\"",
                "\"_meta\"",
                "\"mode\"",
            ];
            names[random.below(names.len())].to_owned()
        }
        Kind::Value => {
            let all: &[&str] = if random.percent(30) { &IDS } else { &VALUES };
            random.pick(all).copied().unwrap_or("null").to_owned()
        }
    };
    let mut changed = text.clone();
    changed.replace_range(token.start..token.end, &new);
    draft.body[line] = changed;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The brace that opens an object.
    Open,
    /// The name of a member.
    Name,
    /// A string, a number, a literal or a variable.
    Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

/// The tokens of the payload in a line, from its first brace on.
fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let Some(mut at) = line.find('{') else {
        return tokens;
    };
    let bytes = line.as_bytes();
    let mut depth = 0_i32;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b'{' => {
                depth += 1;
                at += 1;
                Kind::Open
            }
            b'}' => {
                depth -= 1;
                at += 1;
                if depth == 0 {
                    break;
                }
                continue;
            }
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
                let named = line
                    .get(at..)
                    .is_some_and(|rest| rest.trim_start().starts_with(':'));
                if named { Kind::Name } else { Kind::Value }
            }
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'$' | b'-') => {
                while at < bytes.len()
                    && (bytes[at].is_ascii_alphanumeric() || b"$-+._".contains(&bytes[at]))
                {
                    at += 1;
                }
                Kind::Value
            }
            _ => {
                at += 1;
                continue;
            }
        };
        if line.is_char_boundary(start) && line.is_char_boundary(at) {
            tokens.push(Token {
                kind,
                start,
                end: at,
            });
        }
    }
    tokens
}

/// A line of our own with broken bytes in it.
fn bytes(draft: &mut Draft, random: &mut Random) {
    const BROKEN: [&str; 10] = [
        r"\xFF",
        r"\xC3",
        r"\0",
        r"\r",
        r"\t",
        r"\u{2028}",
        r"\u{FEFF}",
        "}",
        "\"",
        "[",
    ];
    let mut line =
        r#"{"jsonrpc":"2.0","id":"bytes","method":"_elenchus/probe","params":{}}\n"#.to_owned();
    for _ in 0..=random.below(2) {
        let broken = BROKEN[random.below(BROKEN.len())];
        let at = random.below(line.len());
        if random.percent(70) {
            line.insert_str(at, broken);
        } else {
            line.remove(at);
        }
    }
    if !line.ends_with(r"\n") {
        line.push_str(r"\n");
    }
    let at = place(draft, random).min(draft.body.len());
    draft.body.insert(at, format!("raw {line}"));
}

/// Lets neighbours that only send leave at once, or in another order.
fn race(draft: &mut Draft, random: &mut Random) {
    draft.gap = moves::gap(random);
    let arms = |line: &&String| line.starts_with(ARM);
    let first = draft.body.iter().position(|line| line.starts_with(ARM));
    if let Some(first) = first {
        let count = draft.body[first..].iter().take_while(arms).count();
        random.shuffle(&mut draft.body[first..first + count]);
        return;
    }
    let sends = |line: &String| {
        let word = line.split(' ').next().unwrap_or_default();
        matches!(
            word,
            "prompt"
                | "request"
                | "notify"
                | "answer"
                | "refuse"
                | "respond"
                | "fill"
                | "update"
                | "ask"
        )
    };
    let pairs: Vec<usize> = (1..draft.body.len().saturating_sub(1))
        .filter(|&place| sends(&draft.body[place]) && sends(&draft.body[place + 1]))
        .collect();
    let Some(&first) = random.pick(&pairs) else {
        return;
    };
    let count = draft.body[first..]
        .iter()
        .take(2 + random.below(2))
        .take_while(|line| sends(line))
        .count();
    for line in &mut draft.body[first..first + count] {
        line.insert_str(0, ARM);
    }
    draft.body.insert(first, "race".to_owned());
}

/// How what we send leaves: in pieces, with more members, from another beginning.
fn shape(draft: &mut Draft, random: &mut Random) {
    let at = place(draft, random).min(draft.body.len());
    let line = match random.below(6) {
        0 => "pieces 1",
        1 => "pieces 7",
        2 => "grow members",
        3 => "grow meta",
        4 => "grow nulls",
        _ => "settle",
    };
    draft.body.insert(at, line.to_owned());
}

#[cfg(test)]
mod tests {
    use elenchus_protocol::Version;
    use elenchus_suites::script::Target;

    use super::*;

    fn words() -> Words {
        Words {
            target: Target::Agent,
            version: Version::AcpV1,
            triggers: ["/say", "/elicit form", "/hold"]
                .map(str::to_owned)
                .to_vec(),
            methods: vec!["session/close".to_owned()],
            heeds: Vec::new(),
            modes: false,
            options: false,
        }
    }

    #[test]
    fn half_of_all_children_are_scripts() {
        let words = words();
        let mut random = Random::new(7);
        let parents: Vec<Draft> = (0..40).map(|_| words.draft(10, &mut random)).collect();
        let mut good = 0;
        for round in 0..1000 {
            let parent = &parents[round % 40];
            let other = &parents[(round * 7 + 3) % 40];
            let child = mutate(parent, Some(other), &words, &mut random);
            assert!(child.body.len() <= LONGEST);
            good += usize::from(child.script("s").is_ok());
        }
        assert!(good > 500, "{good} of 1000");
    }

    #[test]
    fn what_is_there_already_comes_again_under_another_name() {
        let draft = words().draft(5, &mut Random::new(1));
        let body = [
            "open",
            "session as s1",
            "request session/prompt {\"sessionId\":$s1,\"s1\":\"s1\"} as r",
            "prompt @s1 s1x",
            "await r",
            "turn ends @s1",
            "settle",
        ];
        let body: Vec<String> = body.map(str::to_owned).to_vec();
        let draft = Draft { body, ..draft };
        let again = renamed(&draft.body[1..], &draft, &mut Random::new(3));
        let session = given(&again[0]).unwrap();
        let request = given(&again[1]).unwrap();
        assert!(session.starts_with('s') && session != "s1" && request != "r");
        assert_eq!(
            again[1..],
            [
                &*format!(
                    "request session/prompt {{\"sessionId\":${session},\"s1\":\"s1\"}} as {request}"
                ),
                &format!("prompt @{session} s1x"),
                &format!("await {request}"),
                &format!("turn ends @{session}"),
                "settle",
            ]
        );
        assert_eq!(
            renamed(&draft.body[3..], &draft, &mut Random::new(3)),
            draft.body[3..]
        );
    }

    #[test]
    fn tokens_are_those_of_the_payload() {
        let line =
            r#"answer q {"action":"accept","content":{"n":$q.id,"x":[1.5,"a\"b",null]}} more"#;
        let told: Vec<&str> = tokens(line)
            .iter()
            .map(|token| &line[token.start..token.end])
            .collect();
        assert_eq!(
            told,
            [
                "{",
                "\"action\"",
                "\"accept\"",
                "\"content\"",
                "{",
                "\"n\"",
                "$q.id",
                "\"x\"",
                "1.5",
                r#""a\"b""#,
                "null"
            ]
        );
        assert_eq!(tokens("prompt hello"), []);
        assert_eq!(tokens("x {\"ü").len(), 2);
    }
}
