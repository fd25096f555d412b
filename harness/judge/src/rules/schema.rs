//! ELICIT-SCHEMA: the grammar of the restricted form schema, clause by clause. The strict view in
//! `elenchus_protocol::form` finds the faults; here each goes to its requirement.

use elenchus_protocol::{
    Weight::{Violation, Warning},
    acp::elicitation::Answer,
    form::{Feature, FieldKind, SchemaFault},
};

use super::views::{Report, last_answered, report, schema, watch_turn_of_answer};
use crate::rule::{Rule, Still, Subject, Why};

pub(super) const RULES: &[Rule] = &[
    // 001: every property has a string `type`.
    Rule::check("ACP-ELICIT-SCHEMA-001", |m, s| {
        schema(m, s, SchemaFault::NoType, Violation, &[Feature::Property]);
    }),
    // 003: a type is one of the five, or begins with an underscore.
    Rule::check("ACP-ELICIT-SCHEMA-003", |m, s| {
        schema(
            m,
            s,
            SchemaFault::UnknownType,
            Violation,
            &[Feature::Property],
        );
    }),
    // 007: minLength and maxLength are non-negative 32-bit integers.
    Rule::check("ACP-ELICIT-SCHEMA-007", |m, s| {
        schema(m, s, SchemaFault::Length, Violation, &[Feature::Length]);
    }),
    // 011: v2 has no `pattern` (never more than a warning).
    Rule::check("ACP-ELICIT-SCHEMA-011", |m, s| {
        schema(
            m,
            s,
            SchemaFault::PatternInV2,
            Warning,
            &[Feature::StringProperty],
        );
    }),
    // 013: v1 lists four formats (never more than a warning).
    Rule::check("ACP-ELICIT-SCHEMA-013", |m, s| {
        schema(m, s, SchemaFault::FormatInV1, Warning, &[Feature::Format]);
    }),
    // 016: `enum` is an array of strings.
    Rule::check("ACP-ELICIT-SCHEMA-016", |m, s| {
        schema(m, s, SchemaFault::Enum, Violation, &[Feature::Enum]);
    }),
    // 017: in v2 a list of choices is not empty.
    Rule::check("ACP-ELICIT-SCHEMA-017", |m, s| {
        schema(
            m,
            s,
            SchemaFault::EmptyChoice,
            Violation,
            &[Feature::Choice],
        );
    }),
    // 019: a `oneOf` entry has a string const and a string title.
    Rule::check("ACP-ELICIT-SCHEMA-019", |m, s| {
        schema(m, s, SchemaFault::OneOf, Violation, &[Feature::OneOf]);
    }),
    // 021: `enumNames` is not part of ACP (a warning).
    Rule::check("ACP-ELICIT-SCHEMA-021", |m, s| {
        schema(m, s, SchemaFault::EnumNames, Warning, &[Feature::Choice]);
    }),
    // 022: bounds are numbers; those of integers whole and within 64 bits.
    Rule::check("ACP-ELICIT-SCHEMA-022", |m, s| {
        schema(m, s, SchemaFault::Bounds, Violation, &[Feature::Bounds]);
    }),
    // 026: a default has its property's type.
    Rule::check("ACP-ELICIT-SCHEMA-026", |m, s| {
        schema(m, s, SchemaFault::Default, Violation, &[Feature::Default]);
    }),
    // 030: no keywords from outside the grammar (a warning).
    Rule::check("ACP-ELICIT-SCHEMA-030", |m, s| {
        schema(
            m,
            s,
            SchemaFault::ForeignKeyword,
            Warning,
            &[Feature::Property],
        );
    }),
    // 032: a multi-select has `items`.
    Rule::check("ACP-ELICIT-SCHEMA-032", |m, s| {
        schema(m, s, SchemaFault::Items, Violation, &[Feature::MultiSelect]);
    }),
    // 033: untitled items have type "string" and `enum`.
    Rule::check("ACP-ELICIT-SCHEMA-033", |m, s| {
        schema(
            m,
            s,
            SchemaFault::UntitledItems,
            Violation,
            &[Feature::UntitledItems],
        );
    }),
    // 034: titled items are `anyOf` of {const, title}.
    Rule::check("ACP-ELICIT-SCHEMA-034", |m, s| {
        schema(
            m,
            s,
            SchemaFault::TitledItems,
            Violation,
            &[Feature::TitledItems],
        );
    }),
    // 035: in v2 titled items have no `type`.
    Rule::check("ACP-ELICIT-SCHEMA-035", |m, s| {
        schema(
            m,
            s,
            SchemaFault::TitledItemsWithType,
            Violation,
            &[Feature::TitledItems],
        );
    }),
    // 037: minItems and maxItems are non-negative integers.
    Rule::check("ACP-ELICIT-SCHEMA-037", |m, s| {
        schema(
            m,
            s,
            SchemaFault::ItemCount,
            Violation,
            &[Feature::ItemCount],
        );
    }),
    // 039: `required` is an array of strings.
    Rule::check("ACP-ELICIT-SCHEMA-039", |m, s| {
        schema(m, s, SchemaFault::Required, Violation, &[Feature::Required]);
    }),
    ABSENT_OPTIONAL,
    // 046: an item type is string, or begins with an underscore.
    Rule::check("ACP-ELICIT-SCHEMA-046", |m, s| {
        schema(
            m,
            s,
            SchemaFault::ItemType,
            Violation,
            &[Feature::MultiSelect],
        );
    }),
];

/// SCHEMA-041: an agent does not fail because an optional property is absent from accepted content: it neither dies of
/// it nor claims the absent value. (elicitation#responses; derived)
const ABSENT_OPTIONAL: Rule = Rule::duty(
    "ACP-ELICIT-SCHEMA-041",
    "the end of the turn",
    |m, says| {
        watch_turn_of_answer(m, says, |request, elicitation| {
            elicitation.fits && absent_optional(elicitation).is_some() && request.answer().is_some()
        });
    },
    |m, watch| {
        if let Some(how) = m.died() {
            return Still::Broken(Why::new(
                "an agent that goes on without an optional value",
                format!("the user left an optional field empty, and {how}"),
            ));
        }
        let Some((_, ended)) = m
            .turn_ended()
            .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
        else {
            return Still::Watching;
        };
        let Some((_, elicitation)) = last_answered(m.conn, ended) else {
            return Still::Moot;
        };
        match (absent_optional(elicitation), report(ended)) {
            (Some(name), Report::Accept(Some(used))) if used.get(name).is_some_and(|value| !value.is_null()) => {
                Still::Broken(
                    Why::new(
                        format!("no value for `{name}`, which the user left empty"),
                        format!("the user left the optional `{name}` empty, and the agent reported {used}"),
                    )
                    .got(crate::text::short(&ended.report())),
                )
            }
            _ => Still::Upheld,
        }
    },
);

/// An optional field of the form that the accepted content does not have.
fn absent_optional(elicitation: &crate::world::Elicitation) -> Option<&str> {
    let (Some(form), Some(Answer::Accept(Some(content)))) =
        (&elicitation.create.form, &elicitation.answer)
    else {
        return None;
    };
    form.fields
        .iter()
        .filter(|field| !field.required && field.kind != FieldKind::Other)
        .map(|field| field.name.as_str())
        .find(|name| content.get(name).is_none())
}
