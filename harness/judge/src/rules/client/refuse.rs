//! Elicitations that are no valid ones: an error is right, an accept is not, and what else comes proves nothing.

use elenchus_protocol::{
    Version, Weight,
    acp::elicitation::{Answer, CreateFault, Scope},
    form::{FieldKind, Form, SchemaFault},
};
use elenchus_wire::EventKind;
use serde_json::Value;

use super::asked::{
    self, Outcome, Question, asked, is_refused, outcome, question, questions, sent, watch,
};
use crate::{
    fact::{Fact, Moment},
    kinds::REQUESTS,
    rule::{Rule, Still, Subject, Watch, Why},
    text,
    world::{Order, member},
};

pub(super) const RULES: &[Rule] = &[
    NO_MODE.at(&[REQUESTS]),
    SCOPE_V2.at(&[REQUESTS]),
    SCOPE_V1.at(&[REQUESTS]),
    UNKNOWN_SESSION.at(&[REQUESTS]),
    MESSAGE.at(&[REQUESTS]),
    UNKNOWN_MODE.at(&[REQUESTS]),
    NO_SCHEMA.at(&[REQUESTS]),
    ROOT_V2.at(&[REQUESTS]),
    ROOT_V1.at(&[REQUESTS]),
    NO_TYPE.at(&[REQUESTS]),
    UNKNOWN_TYPE.at(&[REQUESTS]),
    BROKEN_BODY.at(&[REQUESTS]),
    BROKEN_CONSTRAINT.at(&[REQUESTS]),
    UNKNOWN_ITEMS.at(&[REQUESTS]),
    CONTRADICTION.at(&[REQUESTS]),
    URL_MEMBERS.at(&[REQUESTS]),
];

/// SCOPE-003: a request without a mode, or with one that is no string, is not handled as a form.
/// (elicitation#creating-an-elicitation)
const NO_MODE: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-003",
    |m, says| watch(m, says, |it| it.only(&[CreateFault::NoMode])),
    |m, watch| is_refused(m, watch, "an elicitation without a mode"),
)
.of_client();

/// SCOPE-006 (v2): both ids, neither, or a toolCallId without a sessionId is invalid. (schema:v2 ElicitationScope;
/// derived)
const SCOPE_V2: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-006",
    |m, says| {
        let faults = [
            CreateFault::ScopeCount,
            CreateFault::ToolCallWithRequest,
            CreateFault::NestedScope,
        ];
        if m.conn.version() == Version::AcpV2 {
            watch(m, says, |it| it.only(&faults));
        }
    },
    |m, watch| is_refused(m, watch, "an elicitation with both scopes, or none"),
)
.of_client();

/// SCOPE-008 (v1): no id at all is invalid; with both, the client still answers once. (schema:v1 ElicitationScope;
/// derived)
const SCOPE_V1: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-008",
    |m, says| {
        let faults = [CreateFault::NestedScope, CreateFault::BothScopesV1];
        if m.conn.version() == Version::AcpV1 {
            watch(m, says, |it| it.only(&faults));
        }
    },
    |m, watch| {
        let both = of(m, watch, |it| it.has(&[CreateFault::BothScopesV1]));
        match outcome(m, watch) {
            Some(Outcome::Died(how)) => died(m, watch, &how),
            Some(Outcome::Error(_) | Outcome::Accept | Outcome::Refused) if both => Still::Upheld,
            Some(Outcome::Silence) if both && asked::is_driven(m, watch) => silent(m, watch),
            Some(Outcome::Odd | Outcome::Silence) if both => {
                Still::Unclear("no answer that can be read".to_owned())
            }
            _ => is_refused(m, watch, "an elicitation without any scope"),
        }
    },
)
.of_client();

/// SCOPE-010: a question about a session that the client does not know is refused. (schema:v2 SessionNotFoundErrorData;
/// derived)
const UNKNOWN_SESSION: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-010",
    |m, says| {
        watch(m, says, |it| {
            matches!(it.asked.create.scope, Scope::Session { .. })
                && !it.scope_known()
                && it.sound_but_for_scope()
        });
    },
    |m, watch| {
        is_refused(
            m,
            watch,
            "an elicitation for a session that it does not know",
        )
    },
)
.of_client();

/// SCOPE-020: a message that is missing or no string is invalid. (schema:v1+v2 CreateElicitationRequest.message;
/// derived)
const MESSAGE: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-020",
    |m, says| watch(m, says, |it| it.only(&[CreateFault::Message])),
    |m, watch| is_refused(m, watch, "an elicitation without a message"),
)
.of_client();

/// SCOPE-021: a mode that the client does not understand is neither rendered as a form nor opened as a URL.
/// (schema:v1+v2 ElicitationMode::Other; rfd:elicitation#elicitation-modes)
const UNKNOWN_MODE: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-021",
    |m, says| {
        watch(m, says, |it| {
            let mode = it.asked.create.mode.as_deref();
            mode.is_some_and(|mode| !matches!(mode, "form" | "url"))
                && it.sound_but_for(&[CreateFault::ReservedMode])
        });
    },
    |m, watch| {
        if opened_for(m, watch) {
            return Still::Broken(
                Why::new(
                    "no URL is opened for a mode that the client does not know",
                    "an elicitation of an unknown mode was sent, and a URL was opened",
                )
                .sent(sent(m.conn, watch)),
            );
        }
        is_refused(m, watch, "an elicitation of a mode that nobody knows")
    },
)
.of_client();

/// A URL is opened, and it is of no other question.
fn opened_for(m: &Moment<'_>, watch: &Watch) -> bool {
    let EventKind::Opened { url } = &m.event.kind else {
        return false;
    };
    let mut others =
        questions(m.conn).filter(|other| watch.subject != Subject::Request(other.index));
    matches!(m.fact, Fact::UrlOpened)
        && !others.any(|other| other.asked.create.url.as_ref() == Some(url))
}

/// FORM-002: a form without a usable schema is invalid. (schema:v1+v2 ElicitationFormMode.requested_schema; derived)
const NO_SCHEMA: Rule = Rule::check_later(
    "ACP-ELICIT-FORM-002",
    |m, says| watch(m, says, |it| it.only_form(&[SchemaFault::NotAnObject])),
    |m, watch| is_refused(m, watch, "a form without a schema"),
)
.of_client();

/// The schema of a question, as sent.
fn schema<'a>(question: &Question<'a>) -> Option<&'a Value> {
    member(question.request.params.as_ref()?, "requestedSchema")
}

/// The properties of the form are null, which no text lets them be.
fn null_properties(question: &Question<'_>) -> bool {
    schema(question).is_some_and(|schema| schema.get("properties").is_some_and(Value::is_null))
}

/// The question of a watch is one of these.
fn of(m: &Moment<'_>, watch: &Watch, is: impl Fn(&Question<'_>) -> bool) -> bool {
    match watch.subject {
        Subject::Request(index) => question(m.conn, index).is_some_and(|question| is(&question)),
        _ => false,
    }
}

/// The client ended over a question.
fn died(m: &Moment<'_>, watch: &Watch, how: &str) -> Still {
    Still::Broken(
        Why::new(
            "an answer, be it an error",
            format!("an elicitation that is no valid one was sent, and {how}"),
        )
        .sent(sent(m.conn, watch)),
    )
}

/// The client did not answer a question, and no user had to.
fn silent(m: &Moment<'_>, watch: &Watch) -> Still {
    Still::Broken(
        Why::new(
            "an answer, be it an error",
            "an elicitation that is no valid one was sent, and never answered",
        )
        .sent(sent(m.conn, watch))
        .got("nothing"),
    )
}

/// A question that may be taken or refused, as the client likes, as long as it is answered. `taken` is what a result
/// comes to, `refused` what an error does.
fn either(m: &Moment<'_>, watch: &Watch, taken: Still, refused: Still) -> Still {
    match outcome(m, watch) {
        None => Still::Watching,
        Some(Outcome::Withdrawn) => Still::Moot,
        Some(Outcome::Error(_)) => refused,
        Some(Outcome::Accept | Outcome::Refused) => taken,
        Some(Outcome::Silence) if asked::is_driven(m, watch) => silent(m, watch),
        Some(Outcome::Odd | Outcome::Silence) => {
            Still::Unclear("no answer that can be read, and a person may be asked".to_owned())
        }
        Some(Outcome::Died(how)) => died(m, watch, &how),
    }
}

/// FORM-004 (v2): a malformed root may be rejected or tolerated, but null properties may not be taken for a form.
/// (schema:v2 ElicitationSchema; rfd:elicitation#restricted-json-schema; derived)
const ROOT_V2: Rule = Rule::check_later(
    "ACP-ELICIT-FORM-004",
    |m, says| {
        if m.conn.version() == Version::AcpV2 {
            watch(m, says, |it| it.only_form(&[SchemaFault::Root]));
        }
    },
    |m, watch| {
        if of(m, watch, null_properties) && !matches!(m.fact, Fact::Exited) {
            return is_refused(m, watch, "a form whose properties are null");
        }
        either(m, watch, Still::Upheld, Still::Upheld)
    },
)
.of_client();

/// FORM-005 (v1): a missing or malformed root type is read as object, and missing properties as none; null properties
/// are invalid. (rfd:elicitation#restricted-json-schema; schema:v1 ElicitationSchema)
const ROOT_V1: Rule = Rule::check_later(
    "ACP-ELICIT-FORM-005",
    |m, says| {
        if m.conn.version() == Version::AcpV1 {
            watch(m, says, |it| it.only_form(&[SchemaFault::Root]));
        }
    },
    |m, watch| {
        let unclear = |why: &str| Still::Unclear(why.to_owned());
        if of(m, watch, null_properties) {
            let taken = unclear("null properties are invalid, and no text says what to do");
            return either(m, watch, taken, Still::Upheld);
        }
        let refused = unclear("an error, which no text forbids");
        either(m, watch, Still::Upheld, refused)
    },
)
.of_client();

/// SCHEMA-002: a property without a string type is invalid. (schema:v1+v2 ElicitationPropertySchema; derived)
const NO_TYPE: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-002",
    |m, says| watch(m, says, |it| it.only_form(&[SchemaFault::NoType])),
    |m, watch| is_refused(m, watch, "a form with a property that has no type"),
)
.of_client();

/// SCHEMA-006: a known type with a malformed body is no unknown type. (schema:v1+v2 ElicitationPropertySchema; derived)
const BROKEN_BODY: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-006",
    |m, says| {
        let faults = [
            SchemaFault::Items,
            SchemaFault::UntitledItems,
            SchemaFault::Enum,
            SchemaFault::OneOf,
        ];
        watch(m, says, |it| it.only_form(&faults));
    },
    |m, watch| is_refused(m, watch, "a form with a property that cannot be read"),
)
.of_client();

/// The properties of a form that have a type, or items of a type, that nobody knows.
fn unknown(form: &Form, schema: &Value, items: bool) -> Vec<String> {
    let extension = |kind: Option<&Value>| {
        let name = kind.and_then(Value::as_str);
        name.is_some_and(|name| name.starts_with('_'))
    };
    let other = form
        .fields
        .iter()
        .filter(|field| field.kind == FieldKind::Other && field.default.is_none());
    let own = other.filter(|field| {
        let property = &schema["properties"][field.name.as_str()];
        if items {
            property["type"] == "array" && extension(property["items"].get("type"))
        } else {
            extension(property.get("type"))
        }
    });
    own.map(|field| field.name.clone()).collect()
}

/// The question has such a property, and is fair.
fn asks_unknown(question: &Question<'_>, items: bool) -> bool {
    let form = question.asked.create.form.as_ref();
    let names = form
        .zip(schema(question))
        .map(|(form, schema)| unknown(form, schema, items));
    names.is_some_and(|names| !names.is_empty()) && question.sound()
}

/// Whether the client made up a value for a property that it cannot know.
fn made_up(m: &Moment<'_>, watch: &Watch, items: bool) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    let Some(question) = question(m.conn, index) else {
        return Still::Moot;
    };
    match outcome(m, watch) {
        None => return Still::Watching,
        Some(Outcome::Withdrawn) => return Still::Moot,
        Some(Outcome::Error(_) | Outcome::Refused) => return Still::Upheld,
        Some(Outcome::Odd) => return Still::Unclear("the answer cannot be read".to_owned()),
        Some(Outcome::Silence) => return Still::Unclear("nothing came".to_owned()),
        Some(Outcome::Died(how)) => return Still::Unclear(how),
        Some(Outcome::Accept) => {}
    }
    let (Some(form), Some(schema), Some(Answer::Accept(content))) = (
        &question.asked.create.form,
        schema(&question),
        &question.asked.answer,
    ) else {
        return Still::Moot;
    };
    let value = |content: &Value, name: &str| member(content, name).is_some_and(|it| !it.is_null());
    let names = unknown(form, schema, items);
    let given = names
        .iter()
        .find(|name| content.as_ref().is_some_and(|it| value(it, name)));
    match (given, question.order(m)) {
        (None, _) => Still::Upheld,
        (Some(name), Some(Order::Accept(told)))
            if !told.as_ref().is_some_and(|it| value(it, name)) =>
        {
            Still::Broken(
                Why::new(
                    "no value for a property that the client cannot know",
                    format!(
                        "{} is of a type that nobody knows, and the client answered it with a value that no user entered",
                        text::short_to(name, 60)
                    ),
                )
                .sent(sent(m.conn, watch)),
            )
        }
        _ => Still::Unclear("a user may have entered the value".to_owned()),
    }
}

/// SCHEMA-004: a property of a type that the client does not understand is not rendered as a known control.
/// (schema:v1+v2 ElicitationPropertySchema::Other)
const UNKNOWN_TYPE: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-004",
    |m, says| watch(m, says, |it| asks_unknown(it, false)),
    |m, watch| made_up(m, watch, false),
)
.of_client();

/// SCHEMA-036: neither are items of such a type rendered as a list of strings. (schema:v1+v2
/// MultiSelectItems::Other)
const UNKNOWN_ITEMS: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-036",
    |m, says| watch(m, says, |it| asks_unknown(it, true)),
    |m, watch| made_up(m, watch, true),
)
.of_client();

/// What a constraint that is written wrong was meant to be.
fn intended(schema: &Value) -> Value {
    let number = |value: &Value| {
        let text = value.as_str()?;
        let integer = text.parse::<i64>().map(Value::from);
        integer
            .or_else(|_| text.parse::<f64>().map(Value::from))
            .ok()
    };
    let mut schema = schema.clone();
    if let Some(name) = schema["required"].as_str().map(str::to_owned) {
        schema["required"] = vec![name].into();
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, property) in properties.into_iter().flatten() {
        for bound in [
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "minItems",
            "maxItems",
        ] {
            if let Some(meant) = property.get(bound).and_then(number) {
                property[bound] = meant;
            }
        }
    }
    schema
}

/// SCHEMA-028: a constraint that cannot be read is not dropped. (schema:v1+v2 StringPropertySchema; derived)
const BROKEN_CONSTRAINT: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-028",
    |m, says| {
        let faults = [
            SchemaFault::Length,
            SchemaFault::Bounds,
            SchemaFault::ItemCount,
            SchemaFault::Required,
        ];
        watch(m, says, |it| it.only_form(&faults));
    },
    |m, watch| {
        let Some(Outcome::Accept) = outcome(m, watch) else {
            return is_refused(m, watch, "a form with a constraint that cannot be read");
        };
        let meant_for = |question: &Question<'_>| {
            let meant = elenchus_protocol::form::read(
                schema(question).map(intended).as_ref(),
                m.conn.version(),
            );
            let Some(Answer::Accept(content)) = &question.asked.answer else {
                return false;
            };
            let problems = meant.check(content.as_ref(), m.conn.version());
            problems.iter().any(|it| it.weight == Weight::Violation)
        };
        if of(m, watch, meant_for) {
            is_refused(m, watch, "a form with a constraint that cannot be read")
        } else {
            Still::Unclear("the values fit what was meant".to_owned())
        }
    },
)
.of_client();

/// A form that nothing fits, or that contradicts itself.
fn contradicts(form: &Form) -> bool {
    let apart = |field: &FieldKind| match field {
        FieldKind::Text { min, max, .. } | FieldKind::MultiSelect { min, max, .. } => {
            min.zip(*max).is_some_and(|(min, max)| min > max)
        }
        FieldKind::Number { min, max } => min.zip(*max).is_some_and(|(min, max)| min > max),
        FieldKind::Integer { min, max } => min.zip(*max).is_some_and(|(min, max)| min > max),
        FieldKind::Choice(options) => options.is_empty(),
        FieldKind::Boolean | FieldKind::Other => false,
    };
    let names_nothing = |kind: SchemaFault, weight: Weight| {
        kind == SchemaFault::Required && weight == Weight::Warning
    };
    form.fields.iter().any(|field| apart(&field.kind))
        || form
            .problems
            .iter()
            .any(|it| names_nothing(it.kind, it.weight))
}

/// SCHEMA-042: a schema that contradicts itself still gets an answer, and no accept with values that break it.
/// (schema:v1+v2 ElicitationSchema; derived)
const CONTRADICTION: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-042",
    |m, says| {
        watch(m, says, |it| {
            let form = it.asked.create.form.as_ref();
            form.is_some_and(contradicts)
                && it.sound_but_for_form(&[SchemaFault::Required, SchemaFault::EmptyChoice])
        });
    },
    |m, watch| match outcome(m, watch) {
        Some(Outcome::Accept) => {
            let breaks = of(m, watch, |question| !question.asked.fits);
            if breaks {
                is_refused(m, watch, "a form that no values fit")
            } else {
                Still::Unclear("the values break nothing".to_owned())
            }
        }
        Some(Outcome::Refused) => Still::Upheld,
        _ => either(m, watch, Still::Upheld, Still::Upheld),
    },
)
.of_client();

/// URL-002: without a url or an elicitationId that is a string, nothing can be opened.
/// (schema:v1+v2 ElicitationUrlMode; derived)
const URL_MEMBERS: Rule = Rule::check_later(
    "ACP-ELICIT-URL-002",
    |m, says| {
        let faults = [CreateFault::Url, CreateFault::ElicitationId];
        watch(m, says, |it| it.only(&faults));
    },
    |m, watch| {
        let own = asked(m).is_none() && of(m, watch, |question| question.request.is_open());
        if opened_for(m, watch) && own {
            return Still::Broken(
                Why::new(
                    "nothing is opened for an elicitation without a url or an id",
                    "an elicitation without a url or an elicitationId was sent, and a URL was opened",
                )
                .sent(sent(m.conn, watch)),
            );
        }
        is_refused(m, watch, "a URL elicitation without a url or an elicitationId")
    },
)
.of_client();
