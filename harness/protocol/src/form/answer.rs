//! Makes answers to a form: valid ones, and ones that are wrong in exactly one way. Deterministic.
//!
//! A hostile form cannot make us write much: texts, whole answers and lists of answers are bounded.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{AnswerFault, ChoiceOption, Field, FieldKind, Form};

/// The longest text that is made up for one field, in code points.
const TEXT_LIMIT: u64 = 4096;
/// The most bytes of text that are made up for one answer.
const ANSWER_LIMIT: usize = 256 * 1024;
/// No further invalid answers are made when those made so far have more bytes than this.
const TOTAL_LIMIT: usize = 4 * 1024 * 1024;
/// Beyond these, adding one half is no longer exact.
const EXACT: i64 = 1 << 50;

/// What a text of each known format is made of, the friendliest first: what stands before and after the
/// part that may be anything, and how long that part is at least and at most.
const EMAILS: &[Template] = &[
    ("", "@example.com", 1, TEXT_LIMIT),
    ("", "@x.y", 1, TEXT_LIMIT),
];
const URIS: &[Template] = &[
    ("https://example.com/", "", 0, TEXT_LIMIT),
    ("x:", "", 1, TEXT_LIMIT),
];
const DATES: &[Template] = &[("2026-01-31", "", 0, 0)];
const DATE_TIMES: &[Template] = &[("2026-01-31T12:00:00Z", "", 0, 0)];
const FREE: &[Template] = &[("", "", 0, TEXT_LIMIT)];

type Template = (&'static str, &'static str, u64, u64);

pub(super) fn valid(form: &Form, canary: &str) -> Option<Value> {
    Maker::new(canary).required(form).map(Value::Object)
}

pub(super) fn filled(form: &Form, canary: &str) -> Option<Value> {
    let mut maker = Maker::new(canary);
    let mut answer = maker.required(form)?;
    for field in form.fields.iter().filter(|field| !field.required) {
        if let Some(value) = maker.value(field) {
            answer.insert(field.name.clone(), value);
        }
    }
    Some(Value::Object(answer))
}

pub(super) fn just_invalid(form: &Form, canary: &str) -> Vec<(AnswerFault, Value)> {
    let not_an_object = Value::Array(vec![canary.into()]);
    let mut answers = vec![(AnswerFault::NotAnObject, not_an_object)];
    let Some(base) = Maker::new(canary).required(form) else {
        return answers;
    };
    let base_size: usize = base.iter().map(|(name, value)| weight(name, value)).sum();
    let mut made = 0;
    for field in &form.fields {
        if made > TOTAL_LIMIT {
            break;
        }
        if field.required && field.kind != FieldKind::Other {
            let mut answer = base.clone();
            answer.shift_remove(&field.name);
            answers.push((AnswerFault::Missing, Value::Object(answer)));
            made += base_size;
        }
        for (fault, value) in Maker::new(canary).wrong(field) {
            made += base_size + weight(&field.name, &value);
            let mut answer = base.clone();
            answer.insert(field.name.clone(), value);
            answers.push((fault, Value::Object(answer)));
        }
    }
    answers
}

/// About how many bytes a member takes.
fn weight(name: &str, value: &Value) -> usize {
    const EACH: usize = 64;
    let value = match value {
        Value::String(text) => text.len(),
        Value::Array(members) => members
            .iter()
            .map(|member| EACH + member.as_str().map_or(0, str::len))
            .sum(),
        _ => 0,
    };
    EACH + name.len() + value
}

struct Maker<'a> {
    canary: &'a str,
    /// How many bytes of text may still be made up.
    left: usize,
}

impl<'a> Maker<'a> {
    fn new(canary: &'a str) -> Self {
        Self {
            canary,
            left: ANSWER_LIMIT,
        }
    }

    fn required(&mut self, form: &Form) -> Option<Map<String, Value>> {
        let required = form.fields.iter().filter(|field| field.required);
        required
            .map(|field| Some((field.name.clone(), self.value(field)?)))
            .collect()
    }

    /// A valid value; `None` if there is none, or none that is known.
    fn value(&mut self, field: &Field) -> Option<Value> {
        match &field.kind {
            FieldKind::Text {
                min,
                max,
                pattern,
                format,
            } => {
                let (low, high) = (min.unwrap_or(0), max.unwrap_or(u64::MAX));
                let told = match (pattern, &field.default) {
                    // The sender's own default most likely fits what cannot be evaluated here.
                    (Some(_), Some(Value::String(default))) => Some(default),
                    _ => None,
                };
                if let Some(told) = told.filter(|told| (low..=high).contains(&length(told))) {
                    return Some(Value::String(told.clone()));
                }
                self.text(format.as_deref(), low, high).map(Value::String)
            }
            FieldKind::Choice(options) => options.first().map(|option| Value::from(&*option.value)),
            FieldKind::Number { min, max } => number(nearest_to_one(*min, *max, 1.0)?),
            FieldKind::Integer { min, max } => nearest_to_one(*min, *max, 1).map(Value::from),
            FieldKind::Boolean => Some(Value::Bool(true)),
            FieldKind::MultiSelect { options, min, max } => {
                let wanted = min.unwrap_or(0).max(1).min(max.unwrap_or(u64::MAX));
                let picks = pick(options, wanted);
                let enough = size(picks.len()) >= min.unwrap_or(0)
                    && size(picks.len()) <= max.unwrap_or(u64::MAX);
                enough.then(|| picks.into())
            }
            FieldKind::Other => None,
        }
    }

    /// Values that break one constraint each, and no other.
    fn wrong(&mut self, field: &Field) -> Vec<(AnswerFault, Value)> {
        let canary = || Value::from(self.canary);
        let mut wrong = match &field.kind {
            FieldKind::Text { .. } | FieldKind::Choice(_) => vec![(AnswerFault::Type, 7.into())],
            FieldKind::Number { .. } | FieldKind::Integer { .. } => {
                vec![(AnswerFault::Type, canary())]
            }
            FieldKind::Boolean => vec![(AnswerFault::Type, "true".into())],
            FieldKind::MultiSelect { options, .. } => {
                let bare = options.first().map_or(self.canary, |option| &option.value);
                vec![(AnswerFault::Type, bare.into())]
            }
            FieldKind::Other => Vec::new(),
        };
        // What has no valid value at all cannot be wrong in only one way.
        let Some(good) = self.value(field) else {
            return wrong;
        };
        match &field.kind {
            FieldKind::Text {
                min,
                max,
                pattern: None,
                format,
            } => {
                let format = format.as_deref();
                let short = min.and_then(|min| self.too_short(format, min));
                let long = max.and_then(|max| self.text(format, max.saturating_add(1), u64::MAX));
                let texts = short.into_iter().chain(long);
                wrong.extend(texts.map(|text| (AnswerFault::Length, text.into())));
            }
            FieldKind::Choice(options) => {
                wrong.push((AnswerFault::NotAChoice, self.stranger(options).into()));
            }
            FieldKind::Number { min, max } => {
                // Of huge bounds, rounding leaves nothing near that is beyond.
                let below = min.and_then(|min| Some(min - 1.0).filter(|below| *below < min));
                let above = max.and_then(|max| Some(max + 1.0).filter(|above| *above > max));
                let outside = below.into_iter().chain(above).filter_map(number);
                wrong.extend(outside.map(|value| (AnswerFault::Bounds, value)));
            }
            FieldKind::Integer { min, max } => {
                if let Some(half) = good.as_i64().and_then(|good| half_above(good, *max)) {
                    wrong.push((AnswerFault::Type, half));
                }
                let below = min.and_then(|min| min.checked_sub(1));
                let above = max.and_then(|max| max.checked_add(1));
                let outside = below.into_iter().chain(above);
                wrong.extend(outside.map(|value| (AnswerFault::Bounds, value.into())));
            }
            FieldKind::MultiSelect { options, min, max } => {
                let mut picks = good.as_array().cloned().unwrap_or_default();
                picks.pop();
                if *max != Some(0) {
                    picks.push(self.stranger(options).into());
                    wrong.push((AnswerFault::NotAChoice, picks.into()));
                }
                if let Some(fewer) = min.and_then(|min| min.checked_sub(1)) {
                    wrong.push((AnswerFault::Count, pick(options, fewer).into()));
                }
                if let Some(max) = max {
                    let picks = pick(options, max.saturating_add(1));
                    if size(picks.len()) > *max {
                        wrong.push((AnswerFault::Count, picks.into()));
                    }
                }
            }
            FieldKind::Text { .. } | FieldKind::Boolean | FieldKind::Other => {}
        }
        wrong
    }

    /// A text that is one code point too short, by any way of counting.
    fn too_short(&mut self, format: Option<&str>, min: u64) -> Option<String> {
        let most = min.checked_sub(1)?;
        if self.canary.is_ascii() {
            self.text(format, most, most)
        } else {
            Maker {
                canary: "",
                left: self.left,
            }
            .text(format, most, most)
        }
    }

    /// A text of a length from `low` to `high`, with the canary in it if there is room.
    fn text(&mut self, format: Option<&str>, low: u64, high: u64) -> Option<String> {
        let templates = match format {
            Some("email") => EMAILS,
            Some("uri") => URIS,
            Some("date") => DATES,
            Some("date-time") => DATE_TIMES,
            _ => FREE,
        };
        let simple = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let canary = if templates == FREE || self.canary.chars().all(simple) {
            self.canary
        } else {
            ""
        };
        let text = templates.iter().find_map(|(before, after, least, most)| {
            let fixed = length(before) + length(after);
            let least = low.saturating_sub(fixed).max(*least);
            let most = high.checked_sub(fixed)?.min(*most);
            if least > most {
                return None;
            }
            let canary = if length(canary) <= most { canary } else { "" };
            // An empty text is seldom what a form wants.
            let wanted = least.max(1).min(most);
            let missing = wanted.saturating_sub(length(canary));
            let filler: String = (0..missing).map(|_| 'x').collect();
            Some([before, canary, &filler, after].concat())
        })?;
        self.left = self.left.checked_sub(text.len())?;
        Some(text)
    }

    /// A text that is no choice: the canary, or one that begins with it.
    fn stranger(&self, options: &[ChoiceOption]) -> String {
        let known: HashSet<&str> = options.iter().map(|option| option.value.as_str()).collect();
        let mut stranger = self.canary.to_owned();
        // One of the first n + 1 such texts is not among n choices.
        while known.contains(stranger.as_str()) {
            stranger.push('-');
        }
        stranger
    }
}

/// Length as forms count it.
fn length(text: &str) -> u64 {
    size(text.chars().count())
}

fn size(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

/// The first so many different choices, or all of them.
fn pick(options: &[ChoiceOption], count: u64) -> Vec<Value> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut seen = HashSet::new();
    options
        .iter()
        .map(|option| option.value.as_str())
        .filter(|value| seen.insert(*value))
        .take(count)
        .map(Value::from)
        .collect()
}

/// One, or the bound that is nearest to it; `None` between contradicting bounds.
fn nearest_to_one<T: Copy + PartialOrd>(min: Option<T>, max: Option<T>, one: T) -> Option<T> {
    match (min, max) {
        (Some(min), Some(max)) if min > max => None,
        (Some(min), _) if min > one => Some(min),
        (_, Some(max)) if max < one => Some(max),
        _ => Some(one),
    }
}

/// A number as people write it: without a fraction where it has none. `None` beyond all numbers.
fn number(float: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if float.fract() == 0.0 && float.abs() < EXACT {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole and small enough to be exact"
        )]
        return Some(Value::from(float as i64));
    }
    serde_json::Number::from_f64(float).map(Value::Number)
}

/// An integer and a half, where that stays within the bounds.
fn half_above(integer: i64, max: Option<i64>) -> Option<Value> {
    let exact = integer.abs_diff(0) < EXACT.unsigned_abs();
    let room = max.is_none_or(|max| integer < max);
    #[expect(clippy::cast_precision_loss, reason = "checked to be small enough")]
    let half = integer as f64 + 0.5;
    (exact && room).then(|| half.into())
}
