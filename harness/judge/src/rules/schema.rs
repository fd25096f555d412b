//! ELICIT-SCHEMA: the grammar of the restricted form schema, clause by clause. The strict view in
//! `elenchus_protocol::form` finds the faults; here each goes to its requirement.

use elenchus_protocol::{
    Weight::{Violation, Warning},
    acp::elicitation::Answer,
    form::{Feature, Field, FieldKind, SchemaFault},
};

use super::{
    report::{Report, quoted, report, said, upheld_as_told},
    views::{Course, course, death, last_answered, schema, watch_turn_of_answer},
};
use crate::{
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Still, Why},
    text,
    world::Elicitation,
};

pub(super) const RULES: &[Rule] = &[
    Rule::check("ACP-ELICIT-SCHEMA-001", |m, s| {
        schema(m, s, SchemaFault::NoType, Violation, &[Feature::Property]);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-003", |m, s| {
        schema(
            m,
            s,
            SchemaFault::UnknownType,
            Violation,
            &[Feature::Property],
        );
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-007", |m, s| {
        schema(m, s, SchemaFault::Length, Violation, &[Feature::Length]);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-011", |m, s| {
        schema(
            m,
            s,
            SchemaFault::PatternInV2,
            Warning,
            &[Feature::StringProperty],
        );
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-013", |m, s| {
        schema(m, s, SchemaFault::FormatInV1, Warning, &[Feature::Format]);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-016", |m, s| {
        schema(m, s, SchemaFault::Enum, Violation, &[Feature::Enum]);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-017", |m, s| {
        schema(
            m,
            s,
            SchemaFault::EmptyChoice,
            Violation,
            &[Feature::Choice],
        );
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-019", |m, s| {
        schema(m, s, SchemaFault::OneOf, Violation, &[Feature::OneOf]);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-021", |m, s| {
        schema(m, s, SchemaFault::EnumNames, Warning, &[Feature::Choice]);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-022", |m, s| {
        schema(m, s, SchemaFault::Bounds, Violation, &[Feature::Bounds]);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-026", |m, s| {
        schema(m, s, SchemaFault::Default, Violation, &[Feature::Default]);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-030", |m, s| {
        schema(
            m,
            s,
            SchemaFault::ForeignKeyword,
            Warning,
            &[Feature::Property],
        );
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-032", |m, s| {
        schema(m, s, SchemaFault::Items, Violation, &[Feature::MultiSelect]);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-033", |m, s| {
        schema(
            m,
            s,
            SchemaFault::UntitledItems,
            Violation,
            &[Feature::UntitledItems],
        );
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-034", |m, s| {
        schema(
            m,
            s,
            SchemaFault::TitledItems,
            Violation,
            &[Feature::TitledItems],
        );
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-035", |m, s| {
        schema(
            m,
            s,
            SchemaFault::TitledItemsWithType,
            Violation,
            &[Feature::TitledItems],
        );
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-037", |m, s| {
        schema(
            m,
            s,
            SchemaFault::ItemCount,
            Violation,
            &[Feature::ItemCount],
        );
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SCHEMA-039", |m, s| {
        schema(m, s, SchemaFault::Required, Violation, &[Feature::Required]);
    })
    .at(&[REQUESTS]),
    ABSENT_OPTIONAL.at(&[ANSWERS]),
    Rule::check("ACP-ELICIT-SCHEMA-046", |m, s| {
        schema(
            m,
            s,
            SchemaFault::ItemType,
            Violation,
            &[Feature::MultiSelect],
        );
    })
    .at(&[REQUESTS]),
];

/// SCHEMA-041: an agent does not fail because an optional property is absent from accepted content: it neither dies of
/// it nor claims the absent value. That it reports the schema's own default may be a fallback, which it has no words
/// for. (elicitation#responses; derived)
const ABSENT_OPTIONAL: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-041",
    |m, says| {
        watch_turn_of_answer(m, says, |_, elicitation| {
            elicitation.fits && absent_optional(elicitation).next().is_some()
        });
    },
    |m, watch| {
        let expected = "an agent that goes on without an optional value";
        if let Some(dead) = death(m, watch, expected, "the user left an optional field empty") {
            return dead;
        }
        let turn = match course(m, watch) {
            Course::Ended(turn) => turn,
            Course::Asked(_) => return Still::Upheld,
            Course::Unclear(reason) => return Still::Unclear(reason.to_owned()),
            Course::GoesOn => return Still::Watching,
        };
        let (Some((_, elicitation)), Report::Accept(Some(used))) =
            (last_answered(m.conn, turn), report(turn))
        else {
            return upheld_as_told(turn);
        };
        let claimed = |field: &&Field| used.get(&field.name).is_some_and(|value| !value.is_null());
        let mut claimed = absent_optional(elicitation).filter(claimed).peekable();
        let Some(first) = claimed.peek().copied() else {
            return Still::Upheld;
        };
        match claimed.find(|field| used.get(&field.name) != field.default.as_ref()) {
            None => Still::Unclear(format!(
                "the agent reports the schema's default for `{}`, which the user left empty",
                text::short_to(&first.name, 60)
            )),
            Some(Field { name, .. }) => {
                let name = text::short_to(name, 60);
                Still::Broken(
                    Why::new(
                        format!("no value for `{name}`, which the user left empty"),
                        format!(
                            "the user left the optional `{name}` empty, and the agent reported {}",
                            quoted(&used)
                        ),
                    )
                    .got(said(turn)),
                )
            }
        }
    },
);

/// The optional fields of the form that the accepted content does not have.
fn absent_optional(elicitation: &Elicitation) -> impl Iterator<Item = &Field> {
    let content = match &elicitation.answer {
        Some(Answer::Accept(content)) => Some(content.as_ref()),
        _ => None,
    };
    let form = elicitation.create.form.as_ref();
    let fields = form.zip(content).into_iter().flat_map(|(form, content)| {
        let absent =
            move |field: &&Field| content.is_none_or(|content| content.get(&field.name).is_none());
        form.fields.iter().filter(absent)
    });
    fields.filter(|field| !field.required && field.kind != FieldKind::Other)
}
