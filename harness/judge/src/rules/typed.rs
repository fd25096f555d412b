//! TYPED: a single choice among values (`/elicit choice`): opaque tokens go out, and only they lead back to a value.
//!
//! The contract holds for agents that claim it; to speak the command is to claim it.

pub(super) mod answers;
pub(super) mod unasked;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    report::{Report, quoted, report, said},
    views::{Course, answered_with, course, elicited},
    whose::is_of_turn,
};
use crate::{
    fact::Moment,
    kinds::REQUESTS,
    rule::{Rule, Still, Watch, Why},
    text,
    world::{Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    ORDINARY_FORM.at(&[REQUESTS]),
    OPAQUE.at(&[REQUESTS]),
    OWN_TOKENS.at(&[REQUESTS]),
    DEFAULT_SENT.at(&[REQUESTS]),
    LABELS.at(&[REQUESTS]),
    SINGLE.at(&[REQUESTS]),
];

const COMMAND: &str = "/elicit choice";

/// What a prompt offers to choose from.
struct Offer<'a> {
    values: Vec<&'a str>,
    /// Those that are marked as default.
    defaults: Vec<&'a str>,
    fallback: Option<&'a str>,
}

impl<'a> Offer<'a> {
    fn read(turn: &'a Turn) -> Option<Self> {
        if turn.trigger.as_deref() != Some(COMMAND) {
            return None;
        }
        let mut offer = Self {
            values: Vec::new(),
            defaults: Vec::new(),
            fallback: None,
        };
        for word in turn.prompt.strip_prefix(COMMAND)?.split_whitespace() {
            if let Some(fallback) = word.strip_prefix("fallback=") {
                offer.fallback = Some(fallback);
            } else if let Some(value) = word.strip_suffix('*') {
                offer.values.push(value);
                offer.defaults.push(value);
            } else {
                offer.values.push(word);
            }
        }
        Some(offer)
    }

    fn has(&self, value: &str) -> bool {
        self.values.contains(&value)
    }
}

/// It can be asked: at most one default, and a fallback that is offered.
fn is_sound(offer: &Offer<'_>) -> bool {
    let fallback = offer.fallback.is_none_or(|fallback| offer.has(fallback));
    !offer.values.is_empty() && offer.defaults.len() <= 1 && fallback
}

/// The question of a choice, as it went over the wire.
struct Question<'a> {
    key: &'a str,
    property: &'a Value,
    /// Tokens, each with its label if it has one.
    choices: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> Question<'a> {
    /// The first property that offers a choice.
    fn read(request: &'a Request) -> Option<Self> {
        let schema = request.params.as_ref()?.get("requestedSchema")?;
        let properties = schema.get("properties")?.as_object()?;
        properties.iter().find_map(|(key, property)| {
            let choices = choices(property);
            (!choices.is_empty()).then_some(Self {
                key,
                property,
                choices,
            })
        })
    }

    fn label(&self, token: &str) -> Option<&'a str> {
        let mut choices = self.choices.iter();
        choices.find(|(known, _)| *known == token)?.1
    }

    fn has(&self, token: &str) -> bool {
        self.choices.iter().any(|(known, _)| *known == token)
    }
}

fn choices(property: &Value) -> Vec<(&str, Option<&str>)> {
    let list = |name: &str| property.get(name).and_then(Value::as_array);
    let titled = list("oneOf").into_iter().flatten().filter_map(|entry| {
        let label = entry.get("title").and_then(Value::as_str);
        Some((entry.get("const")?.as_str()?, label))
    });
    let plain = list("enum").into_iter().flatten();
    titled
        .chain(plain.filter_map(|entry| Some((entry.as_str()?, None))))
        .collect()
}

/// The elicitation at hand, if a turn asks it that is told to offer a choice.
fn asked<'a>(m: &Moment<'a>) -> Option<(&'a Request, Offer<'a>)> {
    let (_, request, _) = elicited(m)?;
    let turn = request.turn?;
    let offer = Offer::read(&m.conn.turns[turn])?;
    // Another prompt of the session may have it asked as well.
    let alone = !m.conn.overlaps(turn);
    (alone && is_of_turn(m.conn, turn, request)).then_some((request, offer))
}

/// The same with its question.
fn question<'a>(m: &Moment<'a>) -> Option<(Offer<'a>, Question<'a>)> {
    let (request, offer) = asked(m)?;
    Some((offer, Question::read(request)?))
}

/// TYPED-001: a choice is an ordinary form: no mode and no type of property of its own. Other modes and types are judged
/// by SCOPE-022 and SCHEMA-003, the scope by SCOPE, arrays by TYPED-027. (typed-elicitation)
const ORDINARY_FORM: Rule = Rule::check("ACP-TYPED-001", |m, says| {
    let Some((request, _)) = asked(m) else { return };
    let params = request.params.as_ref();
    let at = |pointer: &str| params.and_then(|params| params.pointer(pointer));
    let own = |value: Option<&Value>| {
        value
            .and_then(Value::as_str)
            .is_some_and(|text| text.starts_with('_'))
    };
    let properties = at("/requestedSchema/properties").and_then(Value::as_object);
    let mut types = properties
        .into_iter()
        .flatten()
        .map(|(_, property)| property.get("type"));
    let what = if own(at("/mode")) {
        format!(
            "its mode is {}",
            quoted(at("/mode").unwrap_or(&Value::Null))
        )
    } else if let Some(kind) = types.find(|kind| own(*kind)) {
        format!(
            "a property has the type {}",
            quoted(kind.unwrap_or(&Value::Null))
        )
    } else {
        return says.upheld();
    };
    says.broken(Why::new(
        "a form with a string property",
        format!("the question of a choice is no ordinary form: {what}"),
    ));
});

/// A value that no token is by chance.
const TELLING: usize = 8;

/// TYPED-002: the values themselves do not go over the wire as constants. (typed-elicitation#single-choice-questions)
const OPAQUE: Rule = Rule::check("ACP-TYPED-002", |m, says| {
    let Some((offer, question)) = question(m) else {
        return;
    };
    let mut telling = offer
        .values
        .iter()
        .filter(|value| value.len() >= TELLING)
        .peekable();
    if telling.peek().is_none() {
        return;
    }
    let leaked = telling.find(|value| question.has(value));
    says.holds(leaked.is_none(), || {
        let value = text::short_to(leaked.copied().unwrap_or_default(), 60);
        Why::new(
            "an opaque token as the constant",
            format!("the value {value} is itself a constant of the form"),
        )
    });
});

/// TYPED-003: each choice has a token of its own. (typed-elicitation#single-choice-questions; derived)
const OWN_TOKENS: Rule = Rule::check("ACP-TYPED-003", |m, says| {
    let Some((_, question)) = question(m) else {
        return;
    };
    let mut seen = BTreeSet::new();
    let mut tokens = question.choices.iter().map(|(token, _)| *token);
    let twice = tokens.find(|token| !seen.insert(*token));
    says.holds(twice.is_none(), || {
        let token = text::short_to(twice.unwrap_or_default(), 60);
        Why::new(
            "a token for each choice",
            format!("two choices have the token {token}"),
        )
    });
});

/// TYPED-009: the default goes out as the schema's default, and is one of the tokens.
/// (typed-elicitation#single-choice-questions)
const DEFAULT_SENT: Rule = Rule::check("ACP-TYPED-009", |m, says| {
    let Some((offer, question)) = question(m) else {
        return;
    };
    let [marked] = offer.defaults[..] else { return };
    let default = question.property.get("default").filter(|it| !it.is_null());
    // A default of another type is judged by SCHEMA-026.
    if default.is_some_and(|default| !default.is_string()) {
        return;
    }
    let token = default.and_then(Value::as_str);
    let label = token.and_then(|token| question.label(token));
    let right = token.is_some_and(|token| question.has(token))
        && label.is_none_or(|label| label == marked || !offer.has(label));
    says.holds(right, || {
        let marked = text::short_to(marked, 60);
        Why::new(
            format!("a default that is the token of {marked}"),
            match default {
                None => format!("the choice {marked} is marked as default, and the property has none"),
                Some(default) => format!(
                    "the choice {marked} is marked as default, and the default is {}, which is not its token",
                    quoted(default)
                ),
            },
        )
    });
});

/// TYPED-022: every label goes out with its choice; that it does in the given order is a remark.
/// (typed-elicitation#presentation-contract; derived)
const LABELS: Rule = Rule::check("ACP-TYPED-022", |m, says| {
    let Some((offer, question)) = question(m) else {
        return;
    };
    // A choice without a title is judged by SCHEMA-019.
    let titled = question.property.get("oneOf").is_some();
    if titled && question.choices.iter().any(|(_, label)| label.is_none()) {
        return;
    }
    let mut shown: Vec<&str> = Vec::new();
    for (token, label) in &question.choices {
        shown.push(label.unwrap_or(token));
    }
    let mut left = shown.clone();
    let missing = offer.values.iter().find(|value| {
        let at = left.iter().position(|label| label == *value);
        at.map(|at| left.swap_remove(at)).is_none()
    });
    if missing.is_none() && shown != offer.values {
        says.note("the choices stand in another order than they were given in");
    }
    says.holds(missing.is_none(), || {
        let value = text::short_to(missing.copied().unwrap_or_default(), 60);
        Why::new(
            format!("a choice with the label {value}"),
            format!("no choice of the form has the label {value}"),
        )
    });
});

/// TYPED-027: a single choice is no multi-select. (typed-elicitation#low-level-elicitation)
const SINGLE: Rule = Rule::check("ACP-TYPED-027", |m, says| {
    let Some((request, _)) = asked(m) else { return };
    let schema = request
        .params
        .as_ref()
        .and_then(|params| params.get("requestedSchema"));
    let Some(properties) = schema.and_then(|it| it.get("properties")?.as_object()) else {
        return;
    };
    let array = |property: &Value| property.get("type").is_some_and(|kind| kind == "array");
    says.holds(!properties.values().any(array), || {
        Why::new(
            "a string property",
            "the question of a single choice is a multi-select",
        )
    });
});

/// What the turn of a watch reported once it had ended. An agent that asks again, and one whose turn was cancelled, have
/// done nothing that these clauses speak of.
fn outcome<'a>(m: &Moment<'a>, watch: &Watch) -> Result<(&'a Turn, Report), Still> {
    match course(m, watch) {
        Course::Ended(turn) if turn.cancelled.is_some() => {
            Err(Still::Unclear("the turn was cancelled as well".to_owned()))
        }
        Course::Ended(turn) => Ok((turn, report(turn))),
        Course::Asked(_) => Err(Still::Moot),
        Course::Unclear(reason) => Err(Still::Unclear(reason.to_owned())),
        Course::GoesOn => Err(Still::Watching),
    }
}

/// What the agent says the user chose.
fn chosen(report: &Report) -> Option<&str> {
    match report {
        Report::Accept(Some(Value::String(chosen))) => Some(chosen),
        Report::Accept(_) => Some(""),
        _ => None,
    }
}

fn why(m: &Moment<'_>, turn: &Turn, expected: &str, what: impl Into<String>) -> Still {
    Still::Broken(
        Why::new(expected, what)
            .got(said(turn))
            .sent(answered_with(m.conn, turn)),
    )
}
