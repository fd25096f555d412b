//! ELICIT-FORM: what a form may ask, and what an agent does with what comes back.

use elenchus_protocol::{
    Version, Weight,
    acp::elicitation::{Answer, CreateFault},
    form::{AnswerFault, Feature, Field, FieldKind, SchemaFault},
};
use serde_json::{Map, Value};

use super::{
    report::{Report, quoted, report, said, upheld_as_told},
    views::{
        Course, answered_with, course, death, elicited, last_answered, schema, tell,
        watch_turn_of_answer,
    },
};
use crate::{
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Still, Why},
    world::Elicitation,
};

pub(super) const RULES: &[Rule] = &[
    CARRIES_SCHEMA.at(&[REQUESTS]),
    TYPE_AND_PROPERTIES.at(&[REQUESTS]),
    FLAT.at(&[REQUESTS]),
    VALIDATES_AGAIN.at(&[ANSWERS]),
    NO_CLICKABLE_URL.at(&[REQUESTS]),
];

/// FORM-001: a form request carries `requestedSchema` as an object. (elicitation#form-mode)
const CARRIES_SCHEMA: Rule = Rule::check("ACP-ELICIT-FORM-001", |m, says| {
    schema(m, says, SchemaFault::NotAnObject, Weight::Violation, &[]);
});

/// FORM-003: the root always states type "object" and properties. (rfd:elicitation#restricted-json-schema)
const TYPE_AND_PROPERTIES: Rule = Rule::check("ACP-ELICIT-FORM-003", |m, says| {
    schema(m, says, SchemaFault::Root, Weight::Violation, &[]);
});

/// FORM-006: the schema is flat: no objects, no arrays of objects. (elicitation#form-mode)
const FLAT: Rule = Rule::check("ACP-ELICIT-FORM-006", |m, says| {
    schema(
        m,
        says,
        SchemaFault::Nested,
        Weight::Violation,
        &[Feature::Property],
    );
});

/// FORM-008: the agent validates received content again, and does not act on what does not conform. Broken only where
/// it reports the very content, or a value that breaks the schema, as accepted, or dies of it. (elicitation#form-mode)
const VALIDATES_AGAIN: Rule = Rule::check_later(
    "ACP-ELICIT-FORM-008",
    |m, says| {
        watch_turn_of_answer(m, says, |_, elicitation| {
            !elicitation.fits
                && matches!(&elicitation.answer, Some(Answer::Accept(content)) if content.as_ref().is_none_or(Value::is_object))
        });
    },
    |m, watch| {
        let expected = "another question, a fallback, or a failure";
        if let Some(dead) = death(m, watch, expected, "content broke the form's schema") {
            return dead;
        }
        let turn = match course(m, watch) {
            Course::Ended(turn) => turn,
            Course::Asked(_) => return Still::Upheld,
            Course::Unclear(reason) => return Still::Unclear(reason.to_owned()),
            Course::GoesOn => return Still::Watching,
        };
        let (Some((_, elicitation)), Report::Accept(used)) =
            (last_answered(m.conn, turn), report(turn))
        else {
            return upheld_as_told(turn);
        };
        match (&elicitation.answer, used) {
            _ if elicitation.fits => Still::Upheld,
            (Some(Answer::Accept(given)), used) if takes(elicitation, m.conn.version(), given.as_ref(), used.as_ref()) => {
                Still::Broken(
                    Why::new(
                        "content that breaks the schema is not acted on",
                        format!(
                            "the content breaks the form's schema, and the agent took {} for the user's answer",
                            used.as_ref().map_or_else(|| "it".to_owned(), quoted)
                        ),
                    )
                    .got(said(turn))
                    .sent(answered_with(m.conn, turn)),
                )
            }
            _ => Still::Unclear("the agent reports an answer other than the one that it got".to_owned()),
        }
    },
);

/// What the agent used is the content as given, or has a value of it (or is one) that breaks the schema.
fn takes(
    elicitation: &Elicitation,
    version: Version,
    given: Option<&Value>,
    used: Option<&Value>,
) -> bool {
    let nothing = Value::Object(Map::new());
    let (given, used) = (given.unwrap_or(&nothing), used.unwrap_or(&nothing));
    let breaks = |name: &String, value: &Value| {
        let alone = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        let problems = elicitation
            .create
            .form
            .as_ref()
            .map(|form| form.check(Some(&alone), version));
        problems.into_iter().flatten().any(|problem| {
            problem.weight == Weight::Violation && problem.kind != AnswerFault::Missing
        })
    };
    let taken = |name: &String, value: &Value| used == value || used.get(name) == Some(value);
    let mut members = given.as_object().into_iter().flatten();
    given == used || members.any(|(name, value)| taken(name, value) && breaks(name, value))
}

/// FORM-015: no field of a form request contains a URL meant to be clicked. In a field that asks for a URI, an example
/// is data. (elicitation#url-security)
const NO_CLICKABLE_URL: Rule = Rule::check("ACP-ELICIT-FORM-015", |m, says| {
    let Some((_, _, elicitation)) = elicited(m) else {
        return;
    };
    let Some(form) = &elicitation.create.form else {
        return;
    };
    let asks_for_uri = |field: &&Field| matches!(&field.kind, FieldKind::Text { format: Some(format), .. } if format == "uri");
    let data: Vec<String> = form
        .fields
        .iter()
        .filter(asks_for_uri)
        .map(|field| {
            let name = field.name.replace('~', "~0").replace('/', "~1");
            format!("/requestedSchema/properties/{name}/")
        })
        .collect();
    let links = elicitation.create.problems.iter().filter(|problem| {
        problem.kind == CreateFault::ClickableUrl
            && !data.iter().any(|place| problem.pointer.starts_with(place))
    });
    tell(says, links, Weight::Warning, true);
});
