//! ELICIT-FORM: what a form may ask, and what an agent does with what comes back.

use elenchus_protocol::{
    Weight,
    acp::elicitation::{Answer, CreateFault},
    form::{Feature, SchemaFault},
};

use super::views::{Report, create, last_answered, report, schema, watch_turn_of_answer};
use crate::rule::{Rule, Still, Subject, Why};

pub(super) const RULES: &[Rule] = &[
    CARRIES_SCHEMA,
    TYPE_AND_PROPERTIES,
    FLAT,
    VALIDATES_AGAIN,
    NO_CLICKABLE_URL,
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
/// it reports the very content as accepted, or dies of it. (elicitation#form-mode)
const VALIDATES_AGAIN: Rule = Rule::duty(
    "ACP-ELICIT-FORM-008",
    "another question, a fallback, or a failure",
    |m, says| {
        watch_turn_of_answer(m, says, |_, elicitation| {
            !elicitation.fits
                && matches!(&elicitation.answer, Some(Answer::Accept(Some(content))) if content.is_object())
        });
    },
    |m, watch| {
        if let Some(how) = m.died() {
            return Still::Broken(Why::new(
                "an agent that survives it",
                format!("content broke the schema, and {how}"),
            ));
        }
        let Some((turn, ended)) = m
            .turn_ended()
            .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
        else {
            // A hang after bad content is not named by this clause.
            return if matches!(m.fact, crate::fact::Fact::Deadline(_)) {
                Still::Unclear("the turn did not end".to_owned())
            } else {
                Still::Watching
            };
        };
        let _ = turn;
        match (last_answered(m.conn, ended), report(ended)) {
            (Some((request, elicitation)), Report::Accept(Some(used)))
                if !elicitation.fits && elicitation.answer == Some(Answer::Accept(Some(used.clone()))) =>
            {
                Still::Broken(
                    Why::new(
                        "content that breaks the schema is not acted on",
                        format!("{used} breaks the form's schema, and the agent took it as the user's answer"),
                    )
                    .got(crate::text::short(&ended.report()))
                    .sent(request.answer().map(|answer| answer.text.clone()).unwrap_or_default()),
                )
            }
            _ => Still::Upheld,
        }
    },
);

/// FORM-015: no field of a form request contains a URL meant to be clicked. (elicitation#url-security)
const NO_CLICKABLE_URL: Rule = Rule::check("ACP-ELICIT-FORM-015", |m, says| {
    create(
        m,
        says,
        &[CreateFault::ClickableUrl],
        Weight::Warning,
        |create| create.form.is_some(),
    );
});
