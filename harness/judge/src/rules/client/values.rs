//! ELICIT-SCHEMA: the values that a client accepts a form with.

use elenchus_protocol::{
    Problem, Version, Weight,
    acp::elicitation::Answer,
    form::{AnswerFault, ChoiceOption, Field, FieldKind, Form},
};
use serde_json::{Map, Value, json};

use super::{
    asked::{self, Question},
    formats,
};
use crate::{
    fact::Moment,
    kinds::ANSWERS,
    rule::{Rule, Says, Why},
    text,
    world::{Order, member},
};

pub(super) const RULES: &[Rule] = &[
    LENGTH.at(&[ANSWERS]),
    PATTERN.at(&[ANSWERS]),
    FORMAT.at(&[ANSWERS]),
    SINGLE_SELECT.at(&[ANSWERS]),
    CONST_NOT_TITLE.at(&[ANSWERS]),
    BOUNDS.at(&[ANSWERS]),
    INTEGER.at(&[ANSWERS]),
    BOOLEAN.at(&[ANSWERS]),
    MULTI_SELECT.at(&[ANSWERS]),
    REQUIRED.at(&[ANSWERS]),
    NAMES.at(&[ANSWERS]),
];

/// A form that nothing is wrong with, at its accept.
pub(super) fn accepted<'a>(m: &Moment<'a>) -> Option<(Question<'a>, &'a Form)> {
    let question = asked::answered(m)?;
    let form = question.asked.create.form.as_ref()?;
    let sound = form
        .problems
        .iter()
        .all(|problem| problem.weight == Weight::Warning);
    let accepted = matches!(question.asked.answer, Some(Answer::Accept(_)));
    (sound && accepted).then_some((question, form))
}

/// What is wrong with the value of one field.
pub(super) fn field_problems(
    field: &Field,
    value: &Value,
    version: Version,
) -> Vec<Problem<AnswerFault>> {
    let form = Form {
        fields: vec![field.clone()],
        problems: Vec::new(),
        features: Vec::new(),
    };
    let content = Value::Object(Map::from_iter([(field.name.clone(), value.clone())]));
    form.check(Some(&content), version)
}

/// The content that the form at hand is accepted with, as members.
fn content<'a>(question: &Question<'a>) -> Option<&'a Map<String, Value>> {
    match &question.asked.answer {
        Some(Answer::Accept(Some(content))) => content.as_object(),
        _ => None,
    }
}

/// How a value fits what a row asks of it.
enum Fit {
    Fits,
    Breaks(String),
    Unclear(String),
    NotMine,
}

/// Judges every value of the accepted form at hand: `judge` is asked of each field that has one.
fn each_value(m: &Moment<'_>, says: &mut Says, judge: impl Fn(&Field, &Value) -> Fit) {
    let Some((question, form)) = accepted(m) else {
        return;
    };
    let Some(content) = content(&question) else {
        return;
    };
    let mut fits = false;
    for field in &form.fields {
        let Some(value) = content.get(&field.name).filter(|it| !it.is_null()) else {
            continue;
        };
        match judge(field, value) {
            Fit::Fits => fits = true,
            Fit::Breaks(expected) => says.broken(Why::new(
                format!("{}: {expected}", text::short_to(&field.name, 60)),
                format!(
                    "the form was accepted with {} for {}",
                    text::short_to(&value.to_string(), 80),
                    text::short_to(&field.name, 60)
                ),
            )),
            Fit::Unclear(reason) => says.unclear(reason),
            Fit::NotMine => {}
        }
    }
    if fits {
        says.upheld();
    }
}

/// Judges values by what the form says of these faults.
fn by_faults(field: &Field, value: &Value, version: Version, faults: &[AnswerFault]) -> Fit {
    let problems = field_problems(field, value, version);
    let own = problems.iter().filter(|it| faults.contains(&it.kind));
    match own.max_by_key(|it| it.weight) {
        Some(it) if it.weight == Weight::Violation => Fit::Breaks(it.expected.clone()),
        Some(it) => Fit::Unclear(format!("{} where the texts disagree", it.got)),
        None if problems.is_empty() => Fit::Fits,
        None => Fit::NotMine,
    }
}

/// SCHEMA-008: texts keep minLength and maxLength, counted in characters. (schema:v1+v2 StringPropertySchema)
const LENGTH: Rule = Rule::check("ACP-ELICIT-SCHEMA-008", |m, says| {
    each_value(m, says, |field, value| match &field.kind {
        FieldKind::Text { min, max, .. } if min.is_some() || max.is_some() => {
            by_faults(field, value, m.conn.version(), &[AnswerFault::Length])
        }
        _ => Fit::NotMine,
    });
})
.of_client();

/// SCHEMA-009 (v1): texts match their pattern. Only patterns that any dialect reads alike are judged.
/// (schema:v1 StringPropertySchema.pattern)
const PATTERN: Rule = Rule::check("ACP-ELICIT-SCHEMA-009", |m, says| {
    if m.conn.version() != Version::AcpV1 {
        return;
    }
    each_value(m, says, |field, value| {
        let (
            FieldKind::Text {
                pattern: Some(pattern),
                ..
            },
            Some(text),
        ) = (&field.kind, value.as_str())
        else {
            return Fit::NotMine;
        };
        match formats::matches(pattern, text) {
            Some(true) => Fit::Fits,
            Some(false) => Fit::Breaks(format!("a text that matches {pattern}")),
            None => Fit::Unclear("the pattern is not one that is judged here".to_owned()),
        }
    });
})
.of_client();

/// SCHEMA-012: texts have their format: email, uri, date or date-time. (schema:v1+v2 StringFormat)
const FORMAT: Rule = Rule::check("ACP-ELICIT-SCHEMA-012", |m, says| {
    each_value(m, says, |field, value| {
        let (
            FieldKind::Text {
                format: Some(format),
                ..
            },
            Some(text),
        ) = (&field.kind, value.as_str())
        else {
            return Fit::NotMine;
        };
        match formats::fits(format, text, m.conn.version()) {
            Some(true) => Fit::Fits,
            Some(false) => Fit::Breaks(format!("a text of the format {format}")),
            None => Fit::NotMine,
        }
    });
})
.of_client();

/// The value is the title of an option, and no option's value.
fn is_title(options: &[ChoiceOption], value: &str) -> bool {
    let titled = |option: &ChoiceOption| option.title.as_deref() == Some(value);
    options.iter().any(titled) && !options.iter().any(|option| option.value == value)
}

/// SCHEMA-018: a single-select is answered with one of the constants. A title is SCHEMA-020's.
/// (schema:v1+v2 StringPropertySchema.enum, oneOf)
const SINGLE_SELECT: Rule = Rule::check("ACP-ELICIT-SCHEMA-018", |m, says| {
    each_value(m, says, |field, value| match &field.kind {
        FieldKind::Choice(options) if value.as_str().is_some_and(|it| is_title(options, it)) => {
            Fit::NotMine
        }
        FieldKind::Choice(_) => by_faults(
            field,
            value,
            m.conn.version(),
            &[AnswerFault::NotAChoice, AnswerFault::Type],
        ),
        _ => Fit::NotMine,
    });
})
.of_client();

/// SCHEMA-020: of a titled option the const is returned, never the title. (schema:v1+v2 EnumOption)
const CONST_NOT_TITLE: Rule = Rule::check("ACP-ELICIT-SCHEMA-020", |m, says| {
    each_value(m, says, |field, value| {
        let (FieldKind::Choice(options) | FieldKind::MultiSelect { options, .. }) = &field.kind
        else {
            return Fit::NotMine;
        };
        let titled = |option: &&ChoiceOption| option.title.is_some();
        let picked: Vec<&str> = match value {
            Value::Array(members) => members.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect(),
        };
        if picked.iter().any(|it| is_title(options, it)) {
            Fit::Breaks("the const of the option, not its title".to_owned())
        } else if options
            .iter()
            .filter(titled)
            .any(|option| picked.contains(&option.value.as_str()))
        {
            Fit::Fits
        } else {
            Fit::NotMine
        }
    });
})
.of_client();

/// SCHEMA-023: minimum and maximum are inclusive: what lies beyond is not returned, and what lies on a bound is not
/// refused. (schema:v1+v2 NumberPropertySchema, IntegerPropertySchema)
const BOUNDS: Rule = Rule::check("ACP-ELICIT-SCHEMA-023", |m, says| {
    each_value(m, says, |field, value| match &field.kind {
        FieldKind::Number { min, max } if min.is_some() || max.is_some() => {
            by_faults(field, value, m.conn.version(), &[AnswerFault::Bounds])
        }
        FieldKind::Integer { min, max } if min.is_some() || max.is_some() => {
            by_faults(field, value, m.conn.version(), &[AnswerFault::Bounds])
        }
        _ => Fit::NotMine,
    });
    let refused = asked::answered(m)
        .filter(|it| matches!(it.asked.answer, Some(Answer::Decline | Answer::Cancel)));
    let Some(question) = refused.filter(|it| it.request.cancel_asked.is_none()) else {
        return;
    };
    let (Some(form), Some(Order::Accept(Some(given)))) =
        (&question.asked.create.form, question.order(m))
    else {
        return;
    };
    let on_bound = |field: &&Field| {
        let Some(value) = member(given, &field.name).and_then(Value::as_f64) else {
            return false;
        };
        let on = |bound: Option<f64>| bound.is_some_and(|it| it.total_cmp(&value).is_eq());
        match &field.kind {
            FieldKind::Number { min, max } => on(*min) || on(*max),
            #[expect(clippy::cast_precision_loss, reason = "bounds of forms are small")]
            FieldKind::Integer { min, max } => {
                on(min.map(|it| it as f64)) || on(max.map(|it| it as f64))
            }
            _ => false,
        }
    };
    let fits = form.check(Some(given), m.conn.version()).is_empty();
    if let Some(field) = form.fields.iter().find(on_bound).filter(|_| fits) {
        says.broken(Why::new(
            "a value that lies on a bound is accepted",
            format!(
                "{} was filled with a value on its bound, and the client did not accept",
                text::short_to(&field.name, 60)
            ),
        ));
    }
})
.of_client();

/// SCHEMA-024: integers are JSON integers, and those that were entered. (schema:v1+v2 IntegerPropertySchema)
const INTEGER: Rule = Rule::check("ACP-ELICIT-SCHEMA-024", |m, says| {
    let order = asked::answered(m).and_then(|question| question.order(m));
    each_value(m, says, |field, value| {
        if !matches!(field.kind, FieldKind::Integer { .. }) {
            return Fit::NotMine;
        }
        let entered = match order {
            Some(Order::Accept(Some(given))) => member(given, &field.name).and_then(Value::as_i64),
            _ => None,
        };
        match (entered, value.as_i64()) {
            (Some(entered), Some(value)) if entered != value => {
                Fit::Breaks(format!("{entered}, as it was entered"))
            }
            _ => by_faults(field, value, m.conn.version(), &[AnswerFault::Type]),
        }
    });
})
.of_client();

/// SCHEMA-025: booleans are true or false. (schema:v1+v2 BooleanPropertySchema)
const BOOLEAN: Rule = Rule::check("ACP-ELICIT-SCHEMA-025", |m, says| {
    each_value(m, says, |field, value| match field.kind {
        FieldKind::Boolean => by_faults(field, value, m.conn.version(), &[AnswerFault::Type]),
        _ => Fit::NotMine,
    });
})
.of_client();

/// SCHEMA-038: a multi-select is answered with an array of constants, as many as minItems and maxItems allow. A title is
/// SCHEMA-020's. (schema:v1+v2 MultiSelectPropertySchema)
const MULTI_SELECT: Rule = Rule::check("ACP-ELICIT-SCHEMA-038", |m, says| {
    each_value(m, says, |field, value| {
        let FieldKind::MultiSelect { options, .. } = &field.kind else {
            return Fit::NotMine;
        };
        let titles = value.as_array().is_some_and(|members| {
            let mut texts = members.iter().filter_map(Value::as_str);
            texts.any(|it| is_title(options, it))
        });
        if titles {
            return Fit::NotMine;
        }
        let faults = [
            AnswerFault::Type,
            AnswerFault::NotAChoice,
            AnswerFault::Count,
        ];
        by_faults(field, value, m.conn.version(), &faults)
    });
})
.of_client();

/// SCHEMA-040: content has every required property. (schema:v1+v2 ElicitationSchema.required)
const REQUIRED: Rule = Rule::check("ACP-ELICIT-SCHEMA-040", |m, says| {
    let Some((question, form)) = accepted(m) else {
        return;
    };
    let Some(Answer::Accept(content)) = &question.asked.answer else {
        return;
    };
    let known = |field: &&Field| field.required && field.kind != FieldKind::Other;
    let mut required = form.fields.iter().filter(known).peekable();
    if required.peek().is_none() || !content.as_ref().is_none_or(Value::is_object) {
        return;
    }
    let given = |field: &&Field| {
        let value = content.as_ref().and_then(|it| member(it, &field.name));
        value.is_some_and(|it| !it.is_null())
    };
    let missing = required.find(|field| !given(field));
    says.holds(missing.is_none(), || {
        let name = missing.map_or("", |field| field.name.as_str());
        Why::new(
            "a value for every required property",
            format!(
                "the form was accepted without its required {}",
                text::short_to(name, 60)
            ),
        )
    });
})
.of_client();

/// A name that a careless program takes apart, or for something else.
fn is_odd(name: &str) -> bool {
    name.is_empty()
        || name == "__proto__"
        || name.contains(['.', '/', '[', ' '])
        || !name.is_ascii()
}

/// SCHEMA-043: names of properties come back as they are. (schema:v1+v2 ElicitationSchema.properties; derived)
const NAMES: Rule = Rule::check("ACP-ELICIT-SCHEMA-043", |m, says| {
    let Some((question, form)) = accepted(m) else {
        return;
    };
    let required = |field: &&Field| field.required && field.kind != FieldKind::Other;
    let mut odd = form
        .fields
        .iter()
        .filter(required)
        .filter(|it| is_odd(&it.name))
        .peekable();
    if odd.peek().is_none() {
        return;
    }
    let none = Map::new();
    let content = content(&question).unwrap_or(&none);
    let lost = odd.find(|field| !content.contains_key(&field.name));
    says.holds(lost.is_none(), || {
        let name = lost.map_or("", |field| field.name.as_str());
        Why::new(
            "every property under its own name",
            format!(
                "the form was accepted without {}, which it requires",
                text::short_to(&json!(name).to_string(), 60)
            ),
        )
    });
})
.of_client();
