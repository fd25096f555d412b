//! Shrinking: the smallest draft that still shows a symptom. Lines go first, then what is in them.

use std::collections::HashSet;

use super::{
    NAME,
    draft::{ARM, Draft},
    mutate::with_name,
};
use crate::instance::Gap;

/// Makes a draft smaller for as long as `shows` says that it still does. `shows` answers false as well where no time is
/// left, so that this comes to an end.
///
/// What is no script shows nothing, and what has not shown the symptom once is not tried again.
pub(super) fn shrink(mut draft: Draft, shows: &mut dyn FnMut(&Draft) -> bool) -> Draft {
    let mut failed = HashSet::new();
    let shows = &mut |draft: &Draft| {
        if failed.contains(draft) {
            return false;
        }
        let shown = draft.script(NAME).is_ok() && shows(draft);
        if !shown {
            failed.insert(draft.clone());
        }
        shown
    };
    loop {
        let before = draft.clone();
        while {
            let longer = draft.body.len();
            lines(&mut draft, shows);
            named(&mut draft, shows);
            sessions(&mut draft, shows);
            draft.body.len() < longer
        } {}
        prompts(&mut draft, shows);
        head(&mut draft, shows);
        race(&mut draft, shows);
        payloads(&mut draft, shows);
        simpler(&mut draft, shows);
        if draft == before {
            pairs(&mut draft, shows);
        }
        if draft == before {
            return draft;
        }
    }
}

/// Keeps a change if the symptom is still there.
fn try_with(draft: &mut Draft, changed: Draft, shows: &mut dyn FnMut(&Draft) -> bool) -> bool {
    let better = changed != *draft && shows(&changed);
    if better {
        *draft = changed;
    }
    better
}

/// Takes out runs of lines, from long ones to single ones.
fn lines(draft: &mut Draft, shows: &mut dyn FnMut(&Draft) -> bool) {
    let mut size = draft.body.len() / 2;
    while size > 0 {
        // From the end: what stands there needs what stands before it, and not the other way round.
        let mut end = draft.body.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            let mut changed = draft.clone();
            changed.body.drain(start..end);
            // A race without arms is none.
            let orphaned = |place: usize, body: &[String]| {
                body[place].starts_with("race")
                    && !body
                        .get(place + 1)
                        .is_some_and(|next| next.starts_with(ARM))
            };
            let mut place = 0;
            while place < changed.body.len() {
                if orphaned(place, &changed.body) {
                    changed.body.remove(place);
                } else {
                    place += 1;
                }
            }
            try_with(draft, changed, shows);
            end = start.min(draft.body.len());
        }
        size /= 2;
    }
}

/// The name that a step gives to what comes of it.
pub(super) fn given(line: &str) -> Option<&str> {
    let (_, name) = line.rsplit_once(" as ")?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (!name.is_empty() && name.bytes().all(is_name)).then_some(name)
}

/// A step speaks of what has this name.
fn speaks_of(line: &str, name: &str) -> bool {
    let step = line.strip_prefix(ARM).unwrap_or(line);
    let words = step.split(|c: char| !c.is_ascii_alphanumeric() && !"$@_-/".contains(c));
    words.into_iter().any(|word| {
        let word = word.trim_start_matches(['$', '@']);
        word == name
    })
}

/// Takes a step out, and all that speak of the name that it gives.
fn without(draft: &Draft, place: usize) -> Draft {
    let mut changed = draft.clone();
    let line = changed.body.remove(place);
    if let Some(name) = given(&line) {
        let behind = changed.body.split_off(place);
        let stay = behind.into_iter().filter(|line| !speaks_of(line, name));
        changed.body.extend(stay);
    }
    changed
}

/// Takes out what gives a name together with all that speaks of it: one by one they are missed.
fn named(draft: &mut Draft, shows: &mut dyn FnMut(&Draft) -> bool) {
    for place in (0..draft.body.len()).rev() {
        // Several lines may have gone.
        if draft
            .body
            .get(place)
            .is_some_and(|line| given(line).is_some())
        {
            let changed = without(draft, place);
            try_with(draft, changed, shows);
        }
    }
}

/// One session in place of two.
fn sessions(draft: &mut Draft, shows: &mut dyn FnMut(&Draft) -> bool) {
    const FIRST: &str = "session";
    let opens = |line: &str| {
        let is_session = line.split(' ').next() == Some(FIRST);
        given(line).filter(|_| is_session).map(str::to_owned)
    };
    for place in (0..draft.body.len()).rev() {
        let Some(name) = draft.body.get(place).and_then(|line| opens(line)) else {
            continue;
        };
        let mut others = vec![FIRST.to_owned()];
        others.extend(draft.body[..place].iter().filter_map(|line| opens(line)));
        for other in others {
            let mut changed = draft.clone();
            changed.body.remove(place);
            for line in &mut changed.body[place..] {
                *line = with_name(line, &name, &other);
                if let Some(at) = line.find(" @session").filter(|_| other == FIRST) {
                    line.replace_range(at..at + " @session".len(), "");
                }
            }
            if try_with(draft, changed, shows) {
                break;
            }
        }
    }
}

/// Takes out two lines at once, of which each alone is needed by the other: a prompt and the end of its turn, say.
fn pairs(draft: &mut Draft, shows: &mut dyn FnMut(&Draft) -> bool) {
    /// In longer drafts there are too many.
    const LONGEST: usize = 24;
    if draft.body.len() > LONGEST {
        return;
    }
    let mut second = draft.body.len();
    while second > 1 {
        second -= 1;
        for first in (1..second).rev() {
            let mut changed = draft.clone();
            changed.body.remove(second);
            changed.body.remove(first);
            if try_with(draft, changed, shows) {
                second = second.saturating_sub(1).min(draft.body.len());
                break;
            }
        }
    }
}

/// Prompts of plain words, or for work that goes on, in place of those that ask; what they would have asked is expected
/// no more.
fn prompts(draft: &mut Draft, shows: &mut dyn FnMut(&Draft) -> bool) {
    const PLAIN: [&str; 2] = ["hello", "/hold"];
    for place in 0..draft.body.len() {
        let Some(text) = draft
            .body
            .get(place)
            .and_then(|it| it.strip_prefix("prompt "))
        else {
            continue;
        };
        let (session, text) = match text.split_once(' ') {
            Some((session, text)) if session.starts_with('@') => (format!("{session} "), text),
            _ => (String::new(), text),
        };
        if PLAIN.contains(&text) {
            continue;
        }
        let mut silent = draft.clone();
        while silent
            .body
            .get(place + 1)
            .is_some_and(|next| next.starts_with("expect "))
        {
            silent = without(&silent, place + 1);
        }
        for text in PLAIN {
            let mut changed = silent.clone();
            changed.body[place] = format!("prompt {session}{text}");
            if try_with(draft, changed, shows) {
                break;
            }
        }
    }
}

fn head(draft: &mut Draft, shows: &mut dyn FnMut(&Draft) -> bool) {
    for place in (0..draft.head.len()).rev() {
        let mut changed = draft.clone();
        let line = changed.head.remove(place);
        if try_with(draft, changed.clone(), shows) {
            continue;
        }
        if let Some((name, value)) = each(&line) {
            for line in changed.body.iter_mut().chain(&mut changed.head) {
                *line = filled(line, name, value);
            }
            try_with(draft, changed, shows);
        }
    }
}

/// The variable of an `each` line and its only value.
fn each(line: &str) -> Option<(&str, &str)> {
    let (name, values) = line.strip_prefix("each ")?.split_once(' ')?;
    Some((name, values.strip_prefix('[')?.strip_suffix(']')?))
}

/// A line with the value in place of the variable.
fn filled(line: &str, name: &str, value: &str) -> String {
    let text = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    let text = text.unwrap_or(value);
    let in_prompt = line.trim_start_matches(ARM).starts_with("prompt ");
    let bare = if in_prompt { text } else { value };
    let line = line.replace(&format!("${{{name}}}"), text);
    let hole = format!("${name}");
    let mut out = String::new();
    let mut rest = line.as_str();
    while let Some((before, after)) = rest.split_once(&hole) {
        out.push_str(before);
        let longer =
            after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        out.push_str(if longer { &hole } else { bare });
        rest = after;
    }
    out + rest
}

/// Arms one after the other are simpler than a race, and a race in one write is simpler than one with a gap.
fn race(draft: &mut Draft, shows: &mut dyn FnMut(&Draft) -> bool) {
    let Some(at) = draft.body.iter().position(|line| line.starts_with("race")) else {
        if draft.gap != Gap::BackToBack {
            // Nothing that the gap could be between.
            draft.gap = Gap::BackToBack;
        }
        return;
    };
    let mut plain = draft.clone();
    plain.body.remove(at);
    for line in &mut plain.body[at..] {
        if let Some(step) = line.strip_prefix(ARM) {
            *line = step.to_owned();
        }
    }
    if try_with(draft, plain, shows) {
        return;
    }
    let mut changed = draft.clone();
    changed.gap = Gap::OneWrite;
    try_with(draft, changed, shows);
}

/// Takes out members of payloads, and makes long texts short.
fn payloads(draft: &mut Draft, shows: &mut dyn FnMut(&Draft) -> bool) {
    for line in 0..draft.body.len() {
        let mut from = 0;
        while let Some((start, end)) = next_member(&draft.body[line], from) {
            let mut changed = draft.clone();
            let text = &mut changed.body[line];
            text.replace_range(start..end, "");
            if !try_with(draft, changed, shows) {
                from = start + 1;
            }
        }
    }
}

/// Simpler words for the same: the usual way to open, fewer bytes.
fn simpler(draft: &mut Draft, shows: &mut dyn FnMut(&Draft) -> bool) {
    for line in 0..draft.body.len() {
        let step = draft.body[line].clone();
        let mut smaller = Vec::new();
        if step.starts_with("open ") {
            smaller.push("open".to_owned());
        }
        if let Some((before, _)) = step.split_once(" with ")
            && ["session", "initialize", "serve", "welcome"].contains(&before)
        {
            smaller.push(before.to_owned());
        }
        if let Some(at) = step.find('/').filter(|_| step.starts_with("prompt ")) {
            let (before, trigger) = step.split_at(at);
            let shorter = ["/elicit url", "/elicit form"].into_iter();
            let shorter = shorter.filter(|other| other.len() < trigger.len());
            smaller.extend(shorter.map(|other| format!("{before}{other}")));
        }
        if let Some(name) = given(&step).filter(|_| step.starts_with("request ")) {
            let nameless = step
                .strip_suffix(name)
                .and_then(|it| it.strip_suffix(" as "));
            let nameless = nameless.unwrap_or_default();
            smaller.push(nameless.to_owned());
            if let Some((before, _)) = nameless.rsplit_once(" id ") {
                smaller.push(format!("{before} as {name}"));
            }
        } else if let Some((before, id)) = step.rsplit_once(" id ")
            && step.starts_with("request ")
            && !id.contains(' ')
        {
            smaller.push(before.to_owned());
        }
        if let Some(bytes) = step.strip_prefix("raw ") {
            let half = bytes.chars().count() / 2;
            let first: String = bytes.chars().take(half).collect();
            smaller.push(format!("raw {first}\\n"));
        }
        for text in smaller {
            let mut changed = draft.clone();
            changed.body[line] = text;
            if try_with(draft, changed, shows) {
                break;
            }
        }
    }
}

/// The next member of an object in a line's payload, with the comma that goes with it, that begins at or behind `from`.
fn next_member(line: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = line.as_bytes();
    let mut at = line.find('{')?;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                let colon = skip_space(bytes, end);
                if at >= from && bytes.get(colon) == Some(&b':') {
                    let stop = value_end(bytes, colon + 1);
                    let member = if bytes.get(stop) == Some(&b',') {
                        (at, stop + 1)
                    } else {
                        let before = line[..at].trim_end();
                        let start = if before.ends_with(',') {
                            before.len() - 1
                        } else {
                            at
                        };
                        (start, stop)
                    };
                    let whole = line.is_char_boundary(member.0) && line.is_char_boundary(member.1);
                    if whole && member.0 >= from {
                        return Some(member);
                    }
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    None
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    at
}

/// Behind the string that begins here.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The comma or bracket behind the value that begins here.
fn value_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_u32;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use elenchus_protocol::Version;
    use elenchus_suites::script::Target;

    use super::*;

    fn draft(body: &[&str]) -> Draft {
        Draft {
            target: Target::Agent,
            version: Version::AcpV1,
            head: vec!["whenever elicitation/create fill".to_owned()],
            body: body.iter().map(|&line| line.to_owned()).collect(),
            gap: Gap::Micros(200),
        }
    }

    #[test]
    fn what_the_symptom_does_not_need_goes() {
        let mut body = vec!["open".to_owned()];
        for number in 0..40 {
            body.push(format!(
                "notify _elenchus/n {{\"n\":{number},\"x\":{{\"y\":[1,\"a,b\"]}}}}"
            ));
        }
        let mut big = draft(&[]);
        big.body = body;
        let mut tries = 0;
        let small = shrink(big, &mut |draft| {
            tries += 1;
            let has = |n: &str| draft.body.iter().any(|line| line.contains(n));
            draft.script("s").is_ok() && has("\"n\":7") && has("\"n\":31")
        });
        assert_eq!(
            small.body,
            [
                "open",
                "notify _elenchus/n {\"n\":7}",
                "notify _elenchus/n {\"n\":31}"
            ]
        );
        assert_eq!(small.head, [""; 0]);
        assert!(tries < 150, "{tries}");
    }

    #[test]
    fn a_race_becomes_a_sequence_if_that_is_enough_and_one_write_if_not() {
        let body = [
            "open",
            "race 200us",
            "  - prompt hello",
            "  - prompt /say x",
            "settle",
        ];
        let enough = shrink(draft(&body), &mut |draft| {
            draft.script("s").is_ok() && draft.body.iter().any(|line| line.contains("hello"))
        });
        assert_eq!(enough.body, ["open", "prompt hello"]);
        let needed = shrink(draft(&body), &mut |draft| {
            let arms = draft.body.iter().filter(|line| line.starts_with(ARM));
            draft.script("s").is_ok() && arms.count() == 2
        });
        assert_eq!(needed.body.len(), 4);
        assert_eq!(needed.gap, Gap::OneWrite);
    }

    #[test]
    fn a_question_goes_with_its_answer_and_its_prompt_becomes_plain() {
        let body = [
            "open",
            "session as s1",
            "prompt @s1 /elicit form",
            "expect elicitation/create as q1",
            "notify session/cancel {\"sessionId\":$session}",
            "fill q1",
            "prompt @s1 /elicit form",
        ];
        let small = shrink(draft(&body), &mut |draft| {
            let count = |word: &str| draft.body.iter().filter(|it| it.contains(word)).count();
            let answered = count("expect") == 1 && count("fill") == 1;
            let asks = draft
                .body
                .get(2)
                .is_some_and(|line| line.contains("elicit"));
            draft.script("s").is_ok()
                && count("session/cancel") == 1
                && count("prompt @s1") == 2
                && (answered || (!asks && count("q1") == 0))
        });
        let plain = [
            "open",
            "session as s1",
            "prompt @s1 hello",
            "notify session/cancel {}",
            "prompt @s1 hello",
        ];
        assert_eq!(small.body, plain);
        assert!(speaks_of("fill q1 valid", "q1") && speaks_of("answer x {\"a\":$q1.id}", "q1"));
        assert!(!speaks_of("fill q12", "q1") && !speaks_of("prompt q1-a", "q1"));
    }

    #[test]
    fn sessions_become_one_and_what_stands_in_pairs_goes_in_pairs() {
        let body = [
            "open",
            "session as s1",
            "session as s2",
            "prompt @s1 hello",
            "turn ends @s1",
            "prompt @s2 /hold",
            "notify session/cancel {\"sessionId\":$s2}",
            "turn ends @s2",
        ];
        let small = shrink(draft(&body), &mut |draft| {
            let count = |word: &str| draft.body.iter().filter(|it| it.starts_with(word)).count();
            let held = draft.body.iter().find_map(|line| {
                let words = line.strip_prefix("prompt ")?.strip_suffix("/hold")?;
                Some(words.trim().trim_start_matches('@').to_owned())
            });
            let held = held.map(|held| {
                if held.is_empty() {
                    "session".to_owned()
                } else {
                    held
                }
            });
            draft.script("s").is_ok()
                && count("prompt") == count("turn ends")
                && held.is_some_and(|held| {
                    let line = format!("notify session/cancel {{\"sessionId\":${held}}}");
                    draft.body.contains(&line)
                })
        });
        assert_eq!(
            small.body,
            [
                "open",
                "prompt /hold",
                "notify session/cancel {\"sessionId\":$session}",
                "turn ends"
            ]
        );
    }

    #[test]
    fn a_variable_with_one_value_is_written_out() {
        for (line, filled_in) in [
            ("request m {} id $id as r", "request m {} id \"a b\" as r"),
            ("prompt $id", "prompt a b"),
            ("  - prompt @s $id", "  - prompt @s a b"),
            (
                "notify n {\"x\":\"<${id}>\",\"y\":$id,\"z\":$ids}",
                "notify n {\"x\":\"<a b>\",\"y\":\"a b\",\"z\":$ids}",
            ),
        ] {
            assert_eq!(filled(line, "id", "\"a b\""), filled_in);
        }
        assert_eq!(each("each id [\"a, b\"]"), Some(("id", "\"a, b\"")));
        assert_eq!(each("whenever x fill"), None);
    }

    #[test]
    fn members_are_found_with_their_commas() {
        let line = r#"answer q {"a":1,"b":{"c":"x,\"}","d":[{}]},"e":$q.id}"#;
        let mut told = Vec::new();
        let mut from = 0;
        while let Some((start, end)) = next_member(line, from) {
            told.push(&line[start..end]);
            from = start + 1;
        }
        assert_eq!(
            told,
            [
                r#""a":1,"#,
                r#""b":{"c":"x,\"}","d":[{}]},"#,
                r#""c":"x,\"}","#,
                r#","d":[{}]"#,
                r#","e":$q.id"#
            ]
        );
    }
}
