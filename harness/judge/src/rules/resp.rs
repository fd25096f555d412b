//! ELICIT-RESP: what an agent makes of the client's answers.

use elenchus_protocol::{Version, acp::elicitation::Answer};
use elenchus_wire::Side;
use serde_json::Value;

use super::views::{
    Report, acted_as_accepted, class, consent, effect_name, effect_shown, last_answered, report,
    watch_turn_of_answer,
};
use crate::{
    fact::{Fact, Moment},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, Elicitation, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    OMITTED_IS_NULL,
    DECLINE_CONTENT,
    CANCEL_CONTENT,
    NOTHING_BEFORE_ACCEPT,
    DECLINE,
    CANCEL,
    ERROR,
    UNKNOWN_ACTION_V1,
    UNKNOWN_ACTION_V2,
    UNREADABLE,
    MISSING_REQUIRED,
    PENDING_ID_ONLY,
    LOSS_OF_CLIENT,
];

/// The content of an answer, as sent.
fn content(request: &Request) -> Option<&Value> {
    request.result().and_then(|result| result.get("content"))
}

/// What any answer must lead to: an end of the turn, by an agent that lives and does not act as if it was an accept.
/// Asking again is legal, and leaves the duty open while the agent waits.
fn handled_safely(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    if let Some(how) = m.died() {
        return Still::Broken(Why::new(
            "a fallback, a retry, or an orderly failure",
            format!("the client answered {what}, and {how}"),
        ));
    }
    let Some((_, turn)) = m
        .turn_ended()
        .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
    else {
        return Still::Watching;
    };
    match acted_as_accepted(m.conn, turn) {
        Some(did) => Still::Broken(
            Why::new(
                format!("{what} is not taken for an accept"),
                format!("the client answered {what}, and the agent {did}"),
            )
            .got(text::short(&turn.report()))
            .sent(answered_with(m.conn, turn)),
        ),
        None => Still::Upheld,
    }
}

/// Our newest answer in a turn, as sent.
fn answered_with(conn: &Conn, turn: &Turn) -> String {
    last_answered(conn, turn)
        .and_then(|(request, _)| request.answer())
        .map(|answer| answer.text.clone())
        .unwrap_or_default()
}

/// RESP-010: on accept, omitted content and null are the same: two turns with the same prompt come to the same.
/// (elicitation#responses)
const OMITTED_IS_NULL: Rule = Rule::check_later(
    "ACP-ELICIT-RESP-010",
    |m, says| {
        watch_turn_of_answer(m, says, |request, elicitation| {
            elicitation.answer == Some(Answer::Accept(None)) && content(request).is_some()
        });
    },
    |m, watch| {
        if let Some(how) = m.died() {
            return Still::Broken(Why::new(
                "null is read like omitted content",
                format!("it was sent, and {how}"),
            ));
        }
        let Some((index, turn)) = m
            .turn_ended()
            .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
        else {
            return Still::Watching;
        };
        let omitted = |other: &&Turn| {
            other.prompt == turn.prompt
                && other.ended.is_some()
                && last_answered(m.conn, other).is_some_and(|(request, elicitation)| {
                    elicitation.answer == Some(Answer::Accept(None)) && content(request).is_none()
                })
        };
        match m.conn.turns[..index].iter().rev().find(omitted) {
            None => Still::Unclear("no turn with omitted content to compare with".to_owned()),
            Some(twin) if class(twin) == class(turn) => Still::Upheld,
            Some(twin) => Still::Broken(
                Why::new(
                    "the same outcome for content:null as for omitted content",
                    format!(
                        "with omitted content the agent {}; with content:null it {}",
                        class(twin),
                        class(turn)
                    ),
                )
                .got(text::short(&turn.report()))
                .sent(answered_with(m.conn, turn)),
            ),
        }
    },
);

/// Content that came with another action than accept is used.
fn content_used(m: &Moment<'_>, watch: &Watch, action: &str) -> Still {
    if let Some(how) = m.died() {
        return Still::Broken(Why::new(
            format!("content on {action} is ignored"),
            format!("{action} was sent with content, and {how}"),
        ));
    }
    let Some((_, turn)) = m
        .turn_ended()
        .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
    else {
        return Still::Watching;
    };
    match acted_as_accepted(m.conn, turn) {
        Some(did) => Still::Broken(
            Why::new(
                format!("content on {action} is ignored"),
                format!("the client answered {action} with content beside it, and the agent {did}"),
            )
            .got(text::short(&turn.report()))
            .sent(answered_with(m.conn, turn)),
        ),
        None => Still::Upheld,
    }
}

/// RESP-011: content on decline is ignored. (elicitation#responses)
const DECLINE_CONTENT: Rule = Rule::check_later(
    "ACP-ELICIT-RESP-011",
    |m, says| {
        watch_turn_of_answer(m, says, |request, elicitation| {
            elicitation.answer == Some(Answer::Decline)
                && content(request).is_some_and(|content| !content.is_null())
        });
    },
    |m, watch| content_used(m, watch, "decline"),
);

/// RESP-012: content on cancel is ignored, even when malformed: no use of it, no crash, no hang.
/// (elicitation#responses)
const CANCEL_CONTENT: Rule = Rule::duty(
    "ACP-ELICIT-RESP-012",
    "the end of the turn, after a cancel with content",
    |m, says| {
        watch_turn_of_answer(m, says, |request, elicitation| {
            elicitation.answer == Some(Answer::Cancel)
                && content(request).is_some_and(|content| !content.is_null())
        });
    },
    |m, watch| content_used(m, watch, "cancel"),
);

/// RESP-013: nothing that depends on the answer happens before or without an accept that consents.
/// (elicitation#responses)
const NOTHING_BEFORE_ACCEPT: Rule = Rule::check_later(
    "ACP-ELICIT-RESP-013",
    |m, says| {
        let Some((_, request)) = m
            .requested()
            .filter(|(_, request)| request.elicitation.is_some())
        else {
            return;
        };
        let Some(turn) = request.turn else { return };
        if effect_name(&m.conn.turns[turn]).is_some() {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let name = effect_name(turn).unwrap_or_default();
        match (effect_shown(m.conn, turn), consent(m.conn, turn)) {
            // Received before ours was sent: the agent had not seen any consent.
            (Some(shown), Some(consent)) if shown > consent => Still::Upheld,
            (Some(_), _) => Still::Broken(
                Why::new(
                    format!("no effect `{name}` before the user has accepted with confirm:true"),
                    format!(
                        "the effect `{name}` began without the consent that the question asked for"
                    ),
                )
                .sent(answered_with(m.conn, turn)),
            ),
            _ => match m.turn_ended() {
                Some((ended, _)) if ended == index => Still::Upheld,
                _ if matches!(m.fact, Fact::Exited) => Still::Moot,
                _ => Still::Watching,
            },
        }
    },
);

/// RESP-014: decline is handled safely. (elicitation#responses)
const DECLINE: Rule = Rule::duty(
    "ACP-ELICIT-RESP-014",
    "a fallback, a retry, or the end of the turn after a decline",
    |m, says| {
        watch_turn_of_answer(m, says, |request, elicitation| {
            elicitation.answer == Some(Answer::Decline)
                && content(request).is_none_or(Value::is_null)
        });
    },
    |m, watch| handled_safely(m, watch, "decline"),
);

/// RESP-015: cancel is handled safely. (elicitation#responses)
const CANCEL: Rule = Rule::duty(
    "ACP-ELICIT-RESP-015",
    "a fallback, a retry, or the end of the turn after a cancel",
    |m, says| {
        watch_turn_of_answer(m, says, |request, elicitation| {
            elicitation.answer == Some(Answer::Cancel)
                && content(request).is_none_or(Value::is_null)
        });
    },
    |m, watch| handled_safely(m, watch, "cancel"),
);

/// RESP-016: an error answer, with whatever code, is handled safely as a failure. (elicitation#responses)
const ERROR: Rule = Rule::duty(
    "ACP-ELICIT-RESP-016",
    "a fallback, a retry, or the end of the turn after an error",
    |m, says| {
        watch_turn_of_answer(m, says, |request, elicitation| {
            elicitation.answer.is_none() && request.answer().is_some_and(|answer| answer.is_error)
        });
    },
    |m, watch| handled_safely(m, watch, "an error"),
);

fn unknown_action(_: &Request, elicitation: &Elicitation) -> bool {
    matches!(elicitation.answer, Some(Answer::Unknown(_)))
}

/// RESP-017 (v1): an action that the agent does not understand is none of accept, decline and cancel.
/// (schema:v1 ElicitationAction::Other)
const UNKNOWN_ACTION_V1: Rule = Rule::check_later(
    "ACP-ELICIT-RESP-017",
    |m, says| {
        if m.conn.version() == Version::AcpV1 {
            watch_turn_of_answer(m, says, unknown_action);
        }
    },
    |m, watch| {
        let Some((_, turn)) = m
            .turn_ended()
            .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
        else {
            return Still::Watching;
        };
        let taken = match report(turn) {
            Report::Accept(_) => "accept",
            Report::Decline => "decline",
            Report::Cancel => "cancel",
            Report::Invalid | Report::Error => return Still::Upheld,
            _ if acted_as_accepted(m.conn, turn).is_some() => "accept",
            Report::Unavailable | Report::Other(_) => {
                return Still::Unclear(
                    "failing and handling it like a cancel look alike".to_owned(),
                );
            }
        };
        Still::Broken(
            Why::new(
                "an action that is not understood is taken for none of the three",
                format!("the answer had an unknown action, and the agent took it for {taken}"),
            )
            .got(text::short(&turn.report()))
            .sent(answered_with(m.conn, turn)),
        )
    },
);

/// RESP-018 (v2): an unknown action is handled as cancel. Failing the operation is not judged.
/// (schema:v2 ElicitationAction::Other)
const UNKNOWN_ACTION_V2: Rule = Rule::duty(
    "ACP-ELICIT-RESP-018",
    "the end of the turn, as after a cancel",
    |m, says| {
        if m.conn.version() == Version::AcpV2 {
            watch_turn_of_answer(m, says, unknown_action);
        }
    },
    |m, watch| match handled_safely(m, watch, "with an unknown action") {
        Still::Upheld => match m.turn_ended().map(|(_, turn)| report(turn)) {
            Some(Report::Cancel) => Still::Upheld,
            _ => Still::Unclear(
                "the agent failed the operation, which the older texts ask for".to_owned(),
            ),
        },
        other => other,
    },
);

/// RESP-020: without a readable action nothing is accepted, and unreadable content yields no value.
/// (schema:v1+v2 CreateElicitationResponse; derived)
const UNREADABLE: Rule = Rule::duty(
    "ACP-ELICIT-RESP-020",
    "the end of the turn, after an answer that cannot be read",
    |m, says| {
        watch_turn_of_answer(m, says, |_, elicitation| match &elicitation.answer {
            Some(Answer::Unreadable) => true,
            Some(Answer::Accept(Some(content))) => !content.is_object(),
            _ => false,
        });
    },
    |m, watch| handled_safely(m, watch, "something that cannot be read"),
);

/// RESP-021: required values that are missing from accepted content are not passed off as chosen by the user.
/// (elicitation#responses; derived)
const MISSING_REQUIRED: Rule = Rule::check_later(
    "ACP-ELICIT-RESP-021",
    |m, says| {
        watch_turn_of_answer(m, says, |_, elicitation| {
            matches!(&elicitation.answer, Some(Answer::Accept(content))
                if content.as_ref().is_none_or(Value::is_object) && missing_required(elicitation).is_some())
        });
    },
    |m, watch| {
        let Some((_, turn)) = m
            .turn_ended()
            .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
        else {
            return Still::Watching;
        };
        let Some((_, elicitation)) = last_answered(m.conn, turn) else {
            return Still::Moot;
        };
        let Some(name) = missing_required(elicitation) else {
            return Still::Moot;
        };
        match report(turn) {
            Report::Accept(Some(Value::String(chosen))) => claimed(m, turn, name, &chosen),
            Report::Accept(Some(used)) if used.get(name).is_some_and(|value| !value.is_null()) => {
                claimed(m, turn, name, &used.to_string())
            }
            _ => Still::Upheld,
        }
    },
);

fn claimed(m: &Moment<'_>, turn: &Turn, name: &str, value: &str) -> Still {
    Still::Broken(
        Why::new(
            format!("no claim that the user chose a value for `{name}`"),
            format!(
                "the accepted content has no `{name}`, and the agent reported {}",
                text::short_to(value, 120)
            ),
        )
        .got(text::short(&turn.report()))
        .sent(answered_with(m.conn, turn)),
    )
}

/// A required field that the accepted content does not have.
fn missing_required(elicitation: &Elicitation) -> Option<&str> {
    let form = elicitation.create.form.as_ref()?;
    let Some(Answer::Accept(content)) = &elicitation.answer else {
        return None;
    };
    let given = |name: &str| {
        content
            .as_ref()
            .and_then(|c| c.get(name))
            .is_some_and(|value| !value.is_null())
    };
    form.fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.name.as_str())
        .find(|name| !given(name))
}

/// RESP-022: only an answer with the pending id, in value and JSON type, settles a request, and only the first one.
/// (schema:v1+v2 RequestId; derived)
const PENDING_ID_ONLY: Rule =
    Rule::check_later("ACP-ELICIT-RESP-022", wrong_answers, |m, watch| {
        if let Some(how) = m.died() {
            return Still::Broken(Why::new(
                "an agent that ignores an answer to nothing",
                format!("an answer with {} was sent, and {how}", watch.memo),
            ));
        }
        if watch.subject == Subject::Connection {
            return if matches!(m.fact, Fact::Settled) {
                Still::Upheld
            } else {
                Still::Watching
            };
        }
        let Some((_, turn)) = m
            .turn_ended()
            .filter(|(turn, _)| watch.subject == Subject::Turn(*turn))
        else {
            return Still::Watching;
        };
        let open = turn
            .elicitations
            .iter()
            .any(|&index| m.conn.requests[index].is_open());
        let own =
            last_answered(m.conn, turn).and_then(|(_, elicitation)| elicitation.answer.clone());
        let settled_by_it = match report(turn) {
            Report::Accept(Some(used)) => match own {
                Some(Answer::Accept(Some(given))) => used.is_object() && used != given,
                _ => true,
            },
            Report::Accept(None) => open,
            Report::Decline | Report::Cancel => open && turn.cancelled.is_none(),
            _ => false,
        };
        if settled_by_it {
            Still::Broken(
                Why::new(
                    "only the first answer with the pending id settles the request",
                    format!("an answer with {} settled it", watch.memo),
                )
                .got(text::short(&turn.report())),
            )
        } else {
            Still::Upheld
        }
    });

/// Answers of ours that settle nothing: an id that no open request has, or a second answer.
fn wrong_answers(m: &Moment<'_>, says: &mut Says) {
    if m.judged != Side::Server {
        return;
    }
    match m.fact {
        Fact::Orphan(index) if m.conn.orphans[*index].from != m.judged => {
            let orphan = &m.conn.orphans[*index];
            let turn = orphan
                .open
                .iter()
                .map(|&index| &m.conn.requests[index])
                .filter(|request| request.elicitation.is_some())
                .find_map(|request| request.turn);
            let memo = format!(
                "id {}",
                text::short_to(orphan.id.as_deref().unwrap_or("absent"), 60)
            );
            says.watch_for(turn.map_or(Subject::Connection, Subject::Turn), memo);
        }
        Fact::Answered { request, nth } if *nth > 1 => {
            let request = &m.conn.requests[*request];
            if request.from == m.judged && request.elicitation.is_some() {
                let open = request
                    .turn
                    .filter(|&turn| m.conn.turns[turn].ended.is_none());
                says.watch_for(
                    open.map_or(Subject::Connection, Subject::Turn),
                    "an id that had been answered",
                );
            }
        }
        _ => {}
    }
}

/// RESP-023: the loss of the client while a question is pending is not taken for an accept.
/// (elicitation#responses; transports#stdio; derived)
const LOSS_OF_CLIENT: Rule = Rule::check_later(
    "ACP-ELICIT-RESP-023",
    |m, says| {
        if !matches!(m.fact, Fact::Closed(side) if *side != m.judged) {
            return;
        }
        for (index, turn) in m.conn.turns.iter().enumerate() {
            let pending = turn
                .elicitations
                .iter()
                .any(|&index| m.conn.requests[index].is_open());
            if pending
                && turn.ended.is_none()
                && effect_name(turn).is_some()
                && effect_shown(m.conn, turn).is_none()
            {
                says.watch(Subject::Turn(index));
            }
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let name = effect_name(turn).unwrap_or_default();
        if effect_shown(m.conn, turn).is_some() {
            return Still::Broken(
                Why::new(
                    format!("no effect `{name}` after the client is gone"),
                    format!("the client's end closed while the question was open, and the effect `{name}` began"),
                )
                .sent("the end of the stream"),
            );
        }
        // However it ended, by itself or by force, it has not acted.
        if matches!(m.fact, Fact::Exited) {
            Still::Upheld
        } else {
            Still::Watching
        }
    },
);
