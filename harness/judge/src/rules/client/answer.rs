//! ELICIT-RESP, and FORM-007 and FORM-009: how a client answers an elicitation.

use elenchus_protocol::{
    Version, Weight,
    acp::elicitation::Answer,
    form::{AnswerFault, FieldKind},
};
use elenchus_wire::IdKey;
use serde_json::Value;

use super::{
    asked::{self, Outcome, Question, outcome, question},
    values::{accepted, field_problems},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Why},
    rules::jsonrpc::{answered_under_another_id, excused},
    text,
    world::{Order, member},
};

pub(super) const RULES: &[Rule] = &[
    ONE_ANSWER.at(&[REQUESTS]),
    SHAPE.at(&[ANSWERS]),
    CUSTOM_ACTION.at(&[ANSWERS]),
    DECLINE_IS_NOT_CANCEL.at(&[ANSWERS]),
    REFUSAL_IS_NO_ERROR.at(&[ANSWERS]),
    CONTENT_TYPE.at(&[ANSWERS]),
    VALUES_V1.at(&[ANSWERS]),
    VALUES_V2.at(&[ANSWERS]),
    CONFORMS.at(&[ANSWERS]),
    NOT_WITHOUT_CONSENT.at(&[REQUESTS]),
    NO_PERMISSION_OUTCOME.at(&[ANSWERS]),
    VALIDATED.at(&[ANSWERS]),
    DEFAULTS.at(&[ANSWERS]),
];

/// The known actions.
const ACTIONS: [&str; 3] = ["accept", "decline", "cancel"];

/// The client need not wait for any user: it was told what to answer, or has to refuse the mode.
fn needs_nobody(m: &Moment<'_>, question: &Question<'_>) -> bool {
    question.is_driven(m) || question.is_unadvertised()
}

/// RESP-001: every elicitation gets exactly one answer, with its id as sent. A missing one is held against a client only
/// where no user had to act. What was cancelled is CANCEL-008's. (elicitation#responses)
const ONE_ANSWER: Rule = Rule::check_later(
    "ACP-ELICIT-RESP-001",
    |m, says| {
        asked::watch(m, says, |question| {
            question.request.well_formed && question.request.key != IdKey::Null
        });
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let Some(question) = question(m.conn, index) else {
            return Still::Moot;
        };
        let request = question.request;
        let broken = |why: String| {
            Still::Broken(
                Why::new("exactly one answer, with the id as it was sent", why)
                    .sent(request.text.clone()),
            )
        };
        let id = || text::short_to(request.id.text(), 60);
        match m.fact {
            _ if request.cancel_asked.is_some() || request.reuses.is_some() => Still::Moot,
            Fact::Answered { request: at, nth } if *at == index && *nth > 1 => {
                if excused(m.conn) || m.conn.near(request.from, &request.key).is_some() {
                    Still::Unclear("another message may have drawn the second answer".to_owned())
                } else {
                    broken(format!(
                        "the elicitation with the id {} was answered {nth} times",
                        id()
                    ))
                }
            }
            Fact::Orphan(at) if m.conn.orphans[*at].near == Some(index) => broken(format!(
                "the elicitation has the id {}, and its answer the id {}",
                id(),
                text::short_to(m.conn.orphans[*at].id.as_deref().unwrap_or("none"), 60)
            )),
            Fact::Deadline(_) if request.is_open() && request.overdue == Some(m.event.seq) => {
                if answered_under_another_id(m, index) {
                    Still::Moot
                } else if needs_nobody(m, &question) && !m.conn.stopped {
                    broken("the elicitation was never answered".to_owned())
                } else {
                    Still::Unclear("nothing came, and a person may be asked".to_owned())
                }
            }
            Fact::Settled | Fact::Closed(_) | Fact::Exited if !request.is_open() => Still::Upheld,
            _ => Still::Watching,
        }
    },
)
.of_client();

/// The result of an answer to an elicitation at this fact: null where it is null or missing.
fn result<'a>(m: &Moment<'a>) -> Option<&'a Value> {
    let question = asked::answered(m)?;
    let answer = question.request.answer().filter(|it| !it.is_error)?;
    Some(answer.result.as_ref().unwrap_or(&Value::Null))
}

/// The action has the letters of a known one, in other cases.
fn miscased(action: &str) -> bool {
    ACTIONS
        .iter()
        .any(|known| known.eq_ignore_ascii_case(action))
        && !ACTIONS.contains(&action)
}

/// RESP-002: a result is an object with an action, spelt as the schema has it. (schema:v1+v2 CreateElicitationResponse)
const SHAPE: Rule = Rule::check("ACP-ELICIT-RESP-002", |m, says| {
    let Some(result) = result(m) else { return };
    let fault = match member(result, "action") {
        _ if !result.is_object() => "the result is no object".to_owned(),
        None => "the result has no action".to_owned(),
        Some(Value::String(action)) if miscased(action) => {
            format!("the action is spelt `{}`", text::short_to(action, 60))
        }
        Some(Value::String(_)) => return says.upheld(),
        Some(_) => "the action is no string".to_owned(),
    };
    says.broken(Why::new(
        "an object with the action accept, decline or cancel",
        fault,
    ));
})
.of_client();

/// RESP-003: an action of the implementation's own begins with an underscore; other names are reserved.
/// (schema:v1+v2 ElicitationAction)
const CUSTOM_ACTION: Rule = Rule::check("ACP-ELICIT-RESP-003", |m, says| {
    let action = result(m).and_then(|result| member(result, "action")?.as_str());
    let Some(action) = action.filter(|action| !miscased(action)) else {
        return;
    };
    says.holds(ACTIONS.contains(&action) || action.starts_with('_'), || {
        Why::new(
            "accept, decline, cancel, or a name that begins with an underscore",
            format!("the action is `{}`", text::short_to(action, 60)),
        )
    });
})
.of_client();

/// The answer to a question whose order is known.
fn ordered<'a>(m: &Moment<'a>) -> Option<(Question<'a>, &'a Order)> {
    let question = asked::answered(m)?;
    let taken_back = question.request.cancel_asked.is_some();
    let order = question.order(m).filter(|_| !taken_back)?;
    Some((question, order))
}

/// RESP-004: decline reports a refusal, and cancel that the user made no choice; neither stands for the other. Judged
/// of a client that was told which of them to give. (elicitation#user-response)
const DECLINE_IS_NOT_CANCEL: Rule = Rule::check("ACP-ELICIT-RESP-004", |m, says| {
    let Some((question, order)) = ordered(m) else {
        return;
    };
    let wanted = match order {
        Order::Decline => "decline",
        Order::Cancel => "cancel",
        _ => return,
    };
    let given = match &question.asked.answer {
        Some(Answer::Decline) => "decline",
        Some(Answer::Cancel) => "cancel",
        _ => return,
    };
    says.holds(wanted == given, || {
        Why::new(
            format!("the action {wanted}"),
            format!("the user's part was to {wanted}, and the client answered {given}"),
        )
    });
})
.of_client();

/// RESP-005: a refusal or a dismissal is no error. (elicitation#user-response; derived)
const REFUSAL_IS_NO_ERROR: Rule = Rule::check("ACP-ELICIT-RESP-005", |m, says| {
    let Some((question, Order::Decline | Order::Cancel)) = ordered(m) else {
        return;
    };
    let error = question.request.answer().is_some_and(|it| it.is_error);
    says.holds(!error, || {
        Why::new(
            "a result with the action decline or cancel",
            "the user refused or dismissed the question, and the client answered with an error",
        )
    });
})
.of_client();

/// RESP-006: content on accept is an object, null or left out. (schema:v1+v2 ElicitationAcceptAction.content)
const CONTENT_TYPE: Rule = Rule::check("ACP-ELICIT-RESP-006", |m, says| {
    let Some(result) = result(m).filter(|it| it["action"] == "accept") else {
        return;
    };
    let content = result.get("content");
    let fits = content.is_none_or(|content| content.is_object() || content.is_null());
    says.holds(fits, || {
        Why::new(
            "content that is an object, null or left out",
            "content is neither an object nor null",
        )
    });
})
.of_client();

/// The values of accepted content, with their names.
fn values<'a>(m: &Moment<'a>) -> Vec<(&'a String, &'a Value)> {
    let accepted = result(m).filter(|it| it["action"] == "accept");
    let content = accepted.and_then(|it| it.get("content")?.as_object());
    content.map_or_else(Vec::new, |content| content.iter().collect())
}

/// RESP-007 (v1): values are strings, numbers, booleans or arrays of strings. (schema:v1 ElicitationContentValue)
const VALUES_V1: Rule = Rule::check("ACP-ELICIT-RESP-007", |m, says| {
    let values = values(m);
    if m.conn.version() != Version::AcpV1 || values.is_empty() {
        return;
    }
    let odd = values.iter().find(|(_, value)| match value {
        Value::Null | Value::Object(_) => true,
        Value::Array(members) => !members.iter().all(Value::is_string),
        _ => false,
    });
    match odd {
        None => says.upheld(),
        Some((name, value)) => says.broken(Why::new(
            "strings, numbers, booleans and arrays of strings",
            format!(
                "the value of {} is {}",
                text::short_to(name, 60),
                text::short_to(&value.to_string(), 80)
            ),
        )),
    }
})
.of_client();

/// RESP-008 (v2): a value matches its property: null and objects match none of the known types.
/// (schema:v2 ElicitationContentValue)
const VALUES_V2: Rule = Rule::check("ACP-ELICIT-RESP-008", |m, says| {
    if m.conn.version() != Version::AcpV2 {
        return;
    }
    let Some((_, form)) = accepted(m) else { return };
    let known = form.fields.iter().filter(|it| it.kind != FieldKind::Other);
    let mut met = false;
    for field in known {
        let Some((_, value)) = values(m).into_iter().find(|(name, _)| **name == field.name) else {
            continue;
        };
        let misfits = value.is_null()
            || field_problems(field, value, Version::AcpV2)
                .iter()
                .any(|it| it.kind == AnswerFault::Type && it.weight == Weight::Violation);
        met |= !misfits;
        if misfits {
            says.broken(Why::new(
                "a value of the type of its property, or none",
                format!(
                    "the value of {} is {}",
                    text::short_to(&field.name, 60),
                    text::short_to(&value.to_string(), 80)
                ),
            ));
        }
    }
    if met {
        says.upheld();
    }
})
.of_client();

/// RESP-009: accepted content conforms to the schema as a whole. Members that the form does not have are remarked on.
/// (elicitation#form-mode)
const CONFORMS: Rule = Rule::check("ACP-ELICIT-RESP-009", |m, says| {
    let Some((question, form)) = accepted(m) else {
        return;
    };
    let Some(Answer::Accept(content)) = &question.asked.answer else {
        return;
    };
    let problems = form.check(content.as_ref(), m.conn.version());
    let worst = problems.iter().max_by_key(|problem| problem.weight);
    match worst {
        Some(problem) if problem.weight == Weight::Violation => says.broken(Why::new(
            format!("{}: {}", text::short(&problem.pointer), problem.expected),
            format!(
                "{} is {}; it has to be {}",
                text::short(&problem.pointer),
                text::short(&problem.got),
                problem.expected
            ),
        )),
        Some(problem) if problem.weight == Weight::Unclear => {
            says.unclear(format!(
                "{} is {}: the texts disagree whether it may be",
                text::short(&problem.pointer),
                text::short(&problem.got)
            ));
        }
        other => {
            if let Some(extra) = other {
                says.note(format!(
                    "{} is no property of the form",
                    text::short(&extra.pointer)
                ));
            }
            says.upheld();
        }
    }
})
.of_client();

/// RESP-024: accept is not sent unless the user submitted the form, or agreed to open the URL. Judged of a client that
/// was told not to accept. (elicitation#user-response)
const NOT_WITHOUT_CONSENT: Rule = Rule::ban(
    "ACP-ELICIT-RESP-024",
    |m, says| {
        asked::watch(m, says, |question| {
            question
                .order(m)
                .is_some_and(|order| !matches!(order, Order::Accept(_)))
        });
    },
    |m, watch| match outcome(m, watch) {
        Some(Outcome::Accept) => Still::Broken(
            Why::new(
                "no accept without the user's consent",
                "nobody agreed to it, and the client answered accept",
            )
            .sent(asked::sent(m.conn, watch)),
        ),
        Some(Outcome::Refused) => Still::Upheld,
        Some(Outcome::Error(_) | Outcome::Odd | Outcome::Withdrawn) => Still::Moot,
        Some(Outcome::Silence | Outcome::Died(_)) | None => Still::Watching,
    },
)
.of_client();

/// ELICIT-CANCEL-024: an elicitation is not answered with the outcome of a permission. (schema:v1+v2
/// CreateElicitationResponse; derived)
const NO_PERMISSION_OUTCOME: Rule = Rule::check("ACP-ELICIT-CANCEL-024", |m, says| {
    let Some(result) = result(m) else { return };
    if result.get("action").is_some_and(Value::is_string) {
        says.upheld();
    } else if result.get("outcome").is_some() {
        says.broken(Why::new(
            "an action",
            "the elicitation was answered with an outcome, as a permission is",
        ));
    }
})
.of_client();

/// FORM-007: values are validated before the client answers accept. Judged of a client that was given values that do
/// not fit. (elicitation#form-mode)
const VALIDATED: Rule = Rule::check("ACP-ELICIT-FORM-007", |m, says| {
    let Some((question, Order::Accept(Some(given)))) = ordered(m) else {
        return;
    };
    let Some(form) = &question.asked.create.form else {
        return;
    };
    let violates = |content: Option<&Value>| {
        let problems = form.check(content, m.conn.version());
        problems.iter().any(|it| it.weight == Weight::Violation)
    };
    if !violates(Some(given)) {
        return;
    }
    let passed_on = matches!(&question.asked.answer,
        Some(Answer::Accept(content)) if violates(content.as_ref()));
    says.holds(!passed_on, || {
        Why::new(
            "no accept before the values fit the form",
            "the user submitted values that do not fit the form, and the client accepted with such",
        )
    });
})
.of_client();

/// FORM-009: a client that supports defaults fills fields with them. Judged of a client that was told to submit forms
/// as they stand, and by which one default at least was submitted. (elicitation#form-mode)
const DEFAULTS: Rule = Rule::check("ACP-ELICIT-FORM-009", |m, says| {
    let Some((question, Order::Accept(None))) = ordered(m) else {
        return;
    };
    let (Some(form), Some(Answer::Accept(Some(content)))) =
        (&question.asked.create.form, &question.asked.answer)
    else {
        return;
    };
    defaults(m, says, form, content);
})
.of_client();

fn defaults(
    m: &Moment<'_>,
    says: &mut Says,
    form: &elenchus_protocol::form::Form,
    content: &Value,
) {
    let fitting = form.fields.iter().filter_map(|field| {
        let default = field.default.as_ref()?;
        let fits = field.kind != FieldKind::Other
            && field_problems(field, default, m.conn.version()).is_empty();
        fits.then_some((field, default))
    });
    let (kept, lost): (Vec<_>, Vec<_>) = fitting.partition(|(field, default)| {
        let value = member(content, &field.name);
        value == Some(*default)
            || matches!((value.and_then(Value::as_f64), default.as_f64()),
                (Some(value), Some(default)) if value.total_cmp(&default).is_eq())
    });
    match (kept.is_empty(), lost.first()) {
        (_, None) if kept.is_empty() => {}
        (_, None) => says.upheld(),
        (true, Some(_)) => says.unclear("the client submitted no default at all"),
        (false, Some((field, default))) => says.broken(Why::new(
            "every default, as it stands in the form",
            format!(
                "the default of {} is {}, and the form was submitted with {}",
                text::short_to(&field.name, 60),
                text::short_to(&default.to_string(), 80),
                member(content, &field.name).map_or_else(
                    || "nothing".to_owned(),
                    |it| text::short_to(&it.to_string(), 80)
                )
            ),
        )),
    }
}
