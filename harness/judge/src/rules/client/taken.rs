//! Elicitations with something in them that means nothing, or that every client has to cope with: they are served like
//! any other.

use elenchus_protocol::{
    Version,
    acp::elicitation::{CreateFault, Scope},
    form::{FieldKind, SchemaFault},
};
use elenchus_wire::{IdKey, Wait};
use serde_json::{Map, Value};

use super::asked::{Outcome, Question, is_driven, is_taken, outcome, question, sent, watch};
use crate::{
    fact::{Fact, Moment},
    kinds::REQUESTS,
    rule::{Rule, Still, Subject, Watch, Why},
    rules::jsonrpc::custom,
    world::{Order, member},
};

pub(super) const RULES: &[Rule] = &[
    NO_TOOL_CALL.at(&[REQUESTS]),
    DURING_OWN_REQUEST.at(&[REQUESTS]),
    UNKNOWN_META,
    SEVERAL.at(&[REQUESTS]),
    PATTERN_BOUNDED.at(&[REQUESTS]),
    UNKNOWN_FORMAT.at(&[REQUESTS]),
    MALFORMED_LABELS.at(&[REQUESTS]),
    NULL_KEYWORDS.at(&[REQUESTS]),
    UNKNOWN_KEYWORDS.at(&[REQUESTS]),
    SCHEMA_META.at(&[REQUESTS]),
    OPAQUE_ID.at(&[REQUESTS]),
    WHILE_IDLE.at(&[REQUESTS]),
];

/// SCOPE-013: a toolCallId that is null is as good as none; one that is malformed is best read the same way.
/// (schema:v1+v2 ElicitationSessionScope.tool_call_id)
const NO_TOOL_CALL: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-013",
    |m, says| {
        watch(m, says, |it| {
            let create = &it.asked.create;
            let bare = matches!(
                create.scope,
                Scope::Session {
                    tool_call: None,
                    ..
                }
            );
            bare && create.has_tool_call_id && it.sound_but_for(&[CreateFault::ToolCallIdType])
        });
    },
    |m, watch| {
        let malformed = of(m, watch).is_some_and(|it| it.has(&[CreateFault::ToolCallIdType]));
        is_taken(m, watch, "an elicitation without a tool call", !malformed)
    },
)
.of_client();

/// The question of a watch.
fn of<'a>(m: &Moment<'a>, watch: &Watch) -> Option<Question<'a>> {
    match watch.subject {
        Subject::Request(index) => question(m.conn, index),
        _ => None,
    }
}

/// SCOPE-018: a question inside of a request of the client's is served while that request is pending. Of setting up a
/// session no text says that anything may be asked meanwhile. (elicitation#creating-an-elicitation; derived)
const DURING_OWN_REQUEST: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-018",
    |m, says| {
        watch(m, says, |it| {
            outer(it).is_some_and(|method| matches!(method, "authenticate" | "auth/login"))
                && (it.sound() || it.is_unadvertised())
        });
    },
    |m, watch| {
        let Some(question) = of(m, watch) else {
            return Still::Moot;
        };
        if question.request.cancel_asked.is_some() {
            return Still::Moot;
        }
        let pending = outer(&question).is_some();
        let nobody = question.is_driven(m) || question.is_unadvertised();
        match m.fact {
            _ if !question.request.is_open() && pending => Still::Upheld,
            _ if !question.request.is_open() => {
                Still::Unclear("the client's own request was answered before".to_owned())
            }
            Fact::Deadline(_) if question.request.overdue == Some(m.event.seq) && pending => {
                if nobody && !m.conn.stopped {
                    Still::Broken(
                        Why::new(
                            "an answer while the client's own request is pending",
                            "an elicitation was sent inside of a request of the client's, which is pending, and never answered",
                        )
                        .sent(sent(m.conn, watch)),
                    )
                } else {
                    Still::Unclear("a person may be looking at it".to_owned())
                }
            }
            _ => Still::Watching,
        }
    },
)
.of_client();

/// The method of the pending request of the client's that the question is inside of.
fn outer<'a>(question: &Question<'a>) -> Option<&'a str> {
    let Scope::Request(id) = &question.asked.create.scope else {
        return None;
    };
    let key = elenchus_wire::Id(id.as_str().into()).key();
    let index = question.conn.open_with(elenchus_wire::Side::Client, &key)?;
    Some(question.conn.requests[index].method.as_str())
}

/// SCOPE-024: `_meta` keys that a client does not know change nothing. (extensibility)
const UNKNOWN_META: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-024",
    |m, says| {
        watch(m, says, |it| {
            it.sound() && it.request.params.as_ref().is_some_and(has_meta)
        });
    },
    |m, watch| {
        is_taken(
            m,
            watch,
            "an elicitation with a _meta that it does not know",
            true,
        )
    },
)
.of_client();

/// There is a `_meta` with something in it.
fn has_meta(value: &Value) -> bool {
    let meta = member(value, "_meta").and_then(Value::as_object);
    meta.is_some_and(|meta| !meta.is_empty())
}

/// SCOPE-025: several questions that are open at once are told apart, and each gets its own answer. Too many answers are
/// RESP-001's. (elicitation#foreground-state; JSON-RPC 2.0; derived)
const SEVERAL: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-025",
    |m, says| {
        let Some(new) = super::asked::asked(m).filter(|it| it.request.key != IdKey::Null) else {
            return;
        };
        let served = |it: &Question<'_>| it.sound() || it.is_unadvertised();
        let open = super::asked::questions(m.conn)
            .filter(|it| it.index < new.index && it.request.is_open() && served(it));
        let mut any = false;
        for other in open {
            any = true;
            says.watch(Subject::Request(other.index));
        }
        if any && served(&new) {
            says.watch(Subject::Request(new.index));
        }
    },
    |m, watch| {
        let Some(question) = of(m, watch) else {
            return Still::Moot;
        };
        let broken = |why: &str| {
            Still::Broken(
                Why::new("each question its own answer", why).sent(question.request.text.clone()),
            )
        };
        match outcome(m, watch) {
            None => Still::Watching,
            Some(Outcome::Withdrawn | Outcome::Died(_) | Outcome::Odd) => Still::Moot,
            Some(Outcome::Accept) if !question.asked.fits && fits_another(&question) => {
                broken("several elicitations were open, and one got the answer to another")
            }
            Some(Outcome::Accept | Outcome::Refused | Outcome::Error(_)) => Still::Upheld,
            Some(Outcome::Silence) if m.conn.stopped => Still::Moot,
            Some(Outcome::Silence) if is_driven(m, watch) || question.is_unadvertised() => {
                broken("several elicitations were open, and one was never answered")
            }
            Some(Outcome::Silence) => Still::Unclear("a person may be looking at it".to_owned()),
        }
    },
)
.of_client();

/// The content that this question was accepted with is what another form asks for.
fn fits_another(question: &Question<'_>) -> bool {
    let content = question.request.result().and_then(|it| it.get("content"));
    content.is_some()
        && super::asked::questions(question.conn).any(|other| {
            let form = other.asked.create.form.as_ref();
            other.index != question.index
                && form.is_some_and(|form| form.check(content, question.conn.version()).is_empty())
        })
}

/// A pattern over which a backtracking engine loses its way: a repetition of something that repeats.
fn is_catastrophic(pattern: &str) -> bool {
    [")+", ")*"].iter().any(|end| {
        let inner = pattern
            .split(end)
            .next()
            .filter(|inner| inner.len() < pattern.len());
        inner.is_some_and(|inner| inner.ends_with(['+', '*']))
    })
}

/// SCHEMA-010 (v1): the evaluation of a pattern never blocks the client: it answers other requests. Judged of one that
/// answered such a request before. (rfd:elicitation#restricted-json-schema)
const PATTERN_BOUNDED: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-010",
    |m, says| {
        let hostile = |it: Question<'_>| {
            let form = it.asked.create.form.as_ref();
            form.is_some_and(|form| {
                form.fields.iter().any(|field| {
                    matches!(&field.kind, FieldKind::Text { pattern: Some(pattern), .. }
                        if is_catastrophic(pattern))
                })
            })
        };
        let Some((index, request)) = m.asked().filter(|(_, it)| custom(it)) else {
            return;
        };
        let mut before = m.conn.requests[..index].iter();
        let answers_such = before.any(|it| {
            it.from == request.from && custom(it) && !it.is_open()
        });
        let met = super::asked::questions(m.conn).any(|it| it.index < index && hostile(it));
        if answers_such && met {
            says.watch(Subject::Request(index));
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let request = &m.conn.requests[index];
        match m.fact {
            _ if !request.is_open() => Still::Upheld,
            Fact::Deadline(Wait::Answer { .. }) if request.overdue == Some(m.event.seq) => {
                Still::Broken(
                    Why::new(
                        "an answer to a request that needs no user",
                        "a form with a hostile pattern was sent, and the client answered nothing any more",
                    )
                    .sent(request.text.clone()),
                )
            }
            _ => Still::Watching,
        }
    },
)
.of_client();

/// SCHEMA-014 (v2): a format that nobody knows is an annotation. (schema:v2 StringFormat)
const UNKNOWN_FORMAT: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-014",
    |m, says| {
        let known = ["email", "uri", "date", "date-time"];
        let odd = |kind: &FieldKind| {
            matches!(kind, FieldKind::Text { format: Some(format), .. } if !known.contains(&format.as_str()))
        };
        if m.conn.version() == Version::AcpV2 {
            watch(m, says, |it| {
                let form = it.asked.create.form.as_ref();
                it.sound() && form.is_some_and(|form| form.fields.iter().any(|it| odd(&it.kind)))
            });
        }
    },
    |m, watch| is_taken(m, watch, "a form with a format that nobody knows", true),
)
.of_client();

/// SCHEMA-027: a malformed default, title or description is as good as none. (schema:v1+v2, default on error; derived)
const MALFORMED_LABELS: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-027",
    |m, says| {
        watch(m, says, |it| {
            it.only_form(&[SchemaFault::Default, SchemaFault::Label])
        });
    },
    |m, watch| {
        is_taken(
            m,
            watch,
            "a form with a default or title of another type",
            false,
        )
    },
)
.of_client();

/// Some object of the schema's tree is so: the schema itself, its properties, their items and options.
fn any_node(schema: &Value, is: &dyn Fn(&Map<String, Value>) -> bool) -> bool {
    match schema {
        Value::Object(members) => {
            is(members)
                || members
                    .iter()
                    .filter(|(name, _)| *name != "_meta")
                    .any(|(_, value)| any_node(value, is))
        }
        Value::Array(members) => members.iter().any(|it| any_node(it, is)),
        _ => false,
    }
}

/// The schema of a question has such a node.
fn schema_has(question: &Question<'_>, is: &dyn Fn(&Map<String, Value>) -> bool) -> bool {
    let params = question.request.params.as_ref();
    let schema = params.and_then(|params| member(params, "requestedSchema"));
    schema.is_some_and(|schema| any_node(schema, is))
}

/// SCHEMA-029: null for a keyword that may be left out means the same. (schema:v1+v2, optional keywords)
const NULL_KEYWORDS: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-029",
    |m, says| {
        watch(m, says, |it| {
            it.sound() && schema_has(it, &|node| node.values().any(Value::is_null))
        });
    },
    |m, watch| is_taken(m, watch, "a form with keywords that are null", true),
)
.of_client();

/// SCHEMA-031: keywords that nobody knows are ignored. (schema:v1+v2, open objects; derived)
const UNKNOWN_KEYWORDS: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-031",
    |m, says| {
        watch(m, says, |it| {
            let form = it.asked.create.form.as_ref();
            let foreign = |form: &elenchus_protocol::form::Form| {
                let mut problems = form.problems.iter();
                problems.any(|problem| problem.kind == SchemaFault::ForeignKeyword)
            };
            form.is_some_and(foreign) && it.sound_but_for_form(&[SchemaFault::ForeignKeyword])
        });
    },
    |m, watch| is_taken(m, watch, "a form with keywords that nobody knows", true),
)
.of_client();

/// SCHEMA-044: anywhere in a schema, a `_meta` that is not known means nothing. (schema:v1+v2 *.meta)
const SCHEMA_META: Rule = Rule::check_later(
    "ACP-ELICIT-SCHEMA-044",
    |m, says| {
        let meta = |node: &Map<String, Value>| {
            let meta = node.get("_meta").and_then(Value::as_object);
            meta.is_some_and(|meta| !meta.is_empty())
        };
        watch(m, says, |it| it.sound() && schema_has(it, &meta));
    },
    |m, watch| is_taken(m, watch, "a form with a _meta in its schema", true),
)
.of_client();

/// An id that a careless program takes for something else, trims or folds.
fn is_odd(id: &str) -> bool {
    id.trim() != id
        || id.parse::<f64>().is_ok()
        || id.contains("://")
        || !id.is_ascii()
        || id.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// URL-022: an elicitationId is opaque, whatever it looks like. That ids which only look alike are told apart is
/// visible where completing one settles the other. (elicitation#url-mode)
const OPAQUE_ID: Rule = Rule::check_later(
    "ACP-ELICIT-URL-022",
    |m, says| {
        watch(m, says, |it| {
            it.sound()
                && it
                    .asked
                    .create
                    .elicitation_id
                    .as_deref()
                    .is_some_and(is_odd)
        });
    },
    |m, watch| is_taken(m, watch, "a URL with an unusual elicitationId", true),
)
.of_client();

/// STATE-005 (v2): a question about a session that is idle is served like any other. (elicitation#foreground-state;
/// derived)
const WHILE_IDLE: Rule = Rule::check_later(
    "ACP-ELICIT-STATE-005",
    |m, says| {
        if m.conn.version() == Version::AcpV2 {
            watch(m, says, |it| {
                let Scope::Session { session, .. } = &it.asked.create.scope else {
                    return false;
                };
                let session = m.conn.sessions.get(session);
                it.sound() && session.is_some_and(|it| it.state.as_deref() == Some("idle"))
            });
        }
    },
    |m, watch| {
        let idle = of(m, watch).is_some_and(|it| it.order(m) == Some(&Order::Idle));
        match outcome(m, watch) {
            Some(Outcome::Refused | Outcome::Accept) if idle => Still::Broken(
                Why::new(
                    "no answer before the user has given one",
                    "an elicitation was sent while the session is idle, and answered without the user",
                )
                .sent(sent(m.conn, watch)),
            ),
            _ => is_taken(m, watch, "an elicitation while the session is idle", true),
        }
    },
)
.of_client();
