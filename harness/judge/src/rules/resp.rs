//! ELICIT-RESP: what an agent makes of the client's answers. What it does without one stands in `effect`.

use elenchus_protocol::{Version, acp::elicitation::Answer};
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    report::{
        Report, accepted, acted_as_accepted, came_to, claims, effect_shown, quoted, report, said,
        same, upheld_as_told,
    },
    stray::Stray,
    survive::stray_without_question,
    views::{Course, answered_with, course, death, last_answered, watch_turn_of_answer},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, ORPHANS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, Elicitation, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    OMITTED_IS_NULL.at(&[ANSWERS]),
    DECLINE_CONTENT.at(&[ANSWERS]),
    CANCEL_CONTENT.at(&[ANSWERS]),
    DECLINE.at(&[ANSWERS]),
    CANCEL.at(&[ANSWERS]),
    ERROR.at(&[ANSWERS]),
    UNKNOWN_ACTION_V1.at(&[ANSWERS]),
    UNKNOWN_ACTION_V2.at(&[ANSWERS]),
    UNREADABLE.at(&[ANSWERS]),
    MISSING_REQUIRED.at(&[ANSWERS]),
    PENDING_ID_ONLY.at(&[ANSWERS, ORPHANS]),
];

/// The content of an answer, as sent.
fn content(request: &Request) -> Option<&Value> {
    request.result().and_then(|result| result.get("content"))
}

/// The answer came with content.
fn with_content(request: &Request) -> bool {
    content(request).is_some_and(|content| !content.is_null())
}

/// What any answer must lead to: an end of the turn, or another question, by an agent that lives and does not act as if
/// it was an accept. `what` is how the client answered.
fn handled_safely(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    let answered = format!("the client answered {what}");
    if let Some(dead) = death(
        m,
        watch,
        "a fallback, a retry, or an orderly failure",
        &answered,
    ) {
        return dead;
    }
    let (turn, ended) = match course(m, watch) {
        Course::Ended(turn) => (turn, true),
        Course::Asked(turn) => (turn, false),
        Course::Unclear(reason) => return Still::Unclear(reason.to_owned()),
        Course::GoesOn => return Still::Watching,
    };
    match acted_as_accepted(m.conn, turn) {
        Some(did) => Still::Broken(
            Why::new(
                format!("nothing that needs an accept, after an answer {what}"),
                format!("{answered}, and the agent {did}"),
            )
            .got(said(turn))
            .sent(answered_with(m.conn, turn)),
        ),
        None if ended && turn.cancelled.is_some() => {
            Still::Unclear("the turn was cancelled as well".to_owned())
        }
        None if ended => upheld_as_told(turn),
        None => Still::Upheld,
    }
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
        if let Some(dead) = death(
            m,
            watch,
            "null is read like omitted content",
            "content:null was sent",
        ) {
            return dead;
        }
        match course(m, watch) {
            Course::Ended(turn) | Course::Asked(turn) => like_omitted(m.conn, turn),
            Course::Unclear(reason) => Still::Unclear(reason.to_owned()),
            Course::GoesOn => Still::Watching,
        }
    },
);

/// Compares a turn that got `content:null` with the newest earlier one that got none.
fn like_omitted(conn: &Conn, turn: &Turn) -> Still {
    let omitted = |other: &&Turn| {
        let first = other.elicitations.first();
        let left_out = first.is_some_and(|&index| {
            let request = &conn.requests[index];
            let answer = request
                .elicitation
                .as_deref()
                .and_then(|e| e.answer.as_ref());
            answer == Some(&Answer::Accept(None)) && content(request).is_none()
        });
        other.request < turn.request
            && other.prompt == turn.prompt
            && other.ended.is_some()
            && other.cancelled.is_none()
            && left_out
    };
    let twin = conn.turns.iter().rev().find(omitted);
    let more = twin.is_some_and(|twin| turn.elicitations.len() > twin.elicitations.len());
    if turn.ended.is_none() && !more {
        return Still::Watching;
    }
    let Some(twin) = twin.filter(|_| turn.cancelled.is_none()) else {
        return Still::Unclear("no turn with omitted content to compare with".to_owned());
    };
    match same(turn, twin) {
        Some(true) => Still::Upheld,
        None => Still::Unclear(
            "the agent's own words do not tell whether it came to the same".to_owned(),
        ),
        Some(false) => Still::Broken(
            Why::new(
                "the same outcome for content:null as for omitted content",
                format!(
                    "with omitted content the agent {}; with content:null it {}",
                    came_to(twin),
                    came_to(turn)
                ),
            )
            .got(said(turn))
            .sent(answered_with(conn, turn)),
        ),
    }
}

/// Content that came with another action than accept is used.
fn content_used(m: &Moment<'_>, watch: &Watch, action: &str) -> Still {
    let (turn, ended) = match course(m, watch) {
        Course::Ended(turn) => (turn, true),
        Course::Asked(turn) => (turn, false),
        Course::Unclear(reason) => return Still::Unclear(reason.to_owned()),
        Course::GoesOn => return Still::Watching,
    };
    let words = turn.report();
    let repeated = || {
        let (request, _) = last_answered(m.conn, turn)?;
        let values = content(request)?.as_object()?.values();
        values
            .filter_map(Value::as_str)
            .find(|value| words.contains(value))
    };
    match acted_as_accepted(m.conn, turn) {
        Some(did) => Still::Broken(
            Why::new(
                format!("content on {action} is ignored"),
                format!("the client answered {action} with content beside it, and the agent {did}"),
            )
            .got(said(turn))
            .sent(answered_with(m.conn, turn)),
        ),
        None if ended && report(turn) == Report::Other && repeated().is_some() => Still::Unclear(
            "the agent's own words repeat the content, and may or may not take it for the user's"
                .to_owned(),
        ),
        None if ended => upheld_as_told(turn),
        None => Still::Upheld,
    }
}

/// RESP-011: content on decline is ignored. (elicitation#responses)
const DECLINE_CONTENT: Rule = Rule::check_later(
    "ACP-ELICIT-RESP-011",
    |m, says| {
        watch_turn_of_answer(m, says, |request, elicitation| {
            elicitation.answer == Some(Answer::Decline) && with_content(request)
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
            elicitation.answer == Some(Answer::Cancel) && with_content(request)
        });
    },
    |m, watch| {
        death(
            m,
            watch,
            "content on cancel is ignored",
            "cancel was sent with content",
        )
        .unwrap_or_else(|| content_used(m, watch, "cancel"))
    },
);

/// RESP-014: decline is handled safely. Use of content that came with it is counted under RESP-011.
/// (elicitation#responses)
const DECLINE: Rule = Rule::duty(
    "ACP-ELICIT-RESP-014",
    "a fallback, a retry, or the end of the turn after a decline",
    |m, says| {
        watch_turn_of_answer(m, says, |_, elicitation| {
            elicitation.answer == Some(Answer::Decline)
        });
    },
    |m, watch| match handled_safely(m, watch, "with decline") {
        Still::Broken(_) if m.died().is_none() && last_has_content(m, watch) => Still::Moot,
        decided => decided,
    },
);

/// Our newest answer in the watched turn came with content.
fn last_has_content(m: &Moment<'_>, watch: &Watch) -> bool {
    let Subject::Turn(turn) = watch.subject else {
        return false;
    };
    last_answered(m.conn, &m.conn.turns[turn]).is_some_and(|(request, _)| with_content(request))
}

/// RESP-015: cancel is handled safely. A cancel with content is counted under RESP-012. (elicitation#responses)
const CANCEL: Rule = Rule::duty(
    "ACP-ELICIT-RESP-015",
    "a fallback, a retry, or the end of the turn after a cancel",
    |m, says| {
        watch_turn_of_answer(m, says, |request, elicitation| {
            elicitation.answer == Some(Answer::Cancel) && !with_content(request)
        });
    },
    |m, watch| handled_safely(m, watch, "with cancel"),
);

/// RESP-016: an error answer, with whatever code, is handled safely as a failure. One without a code or a message is no
/// answer, and an agent may go on waiting for one. (elicitation#responses)
const ERROR: Rule = Rule::duty(
    "ACP-ELICIT-RESP-016",
    "a fallback, a retry, or the end of the turn after an error",
    |m, says| {
        watch_turn_of_answer(m, says, |request, elicitation| {
            elicitation.answer.is_none()
                && request.answer().is_some_and(|answer| answer.error_whole)
        });
    },
    |m, watch| handled_safely(m, watch, "with an error"),
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
        let turn = match course(m, watch) {
            Course::Ended(turn) => turn,
            Course::Asked(_) => return Still::Upheld,
            Course::Unclear(reason) => return Still::Unclear(reason.to_owned()),
            Course::GoesOn => return Still::Watching,
        };
        // Where the turn was cancelled or the question taken back, a cancel is no reading of the action.
        let withdrawn = turn.cancelled.is_some()
            || last_answered(m.conn, turn)
                .is_some_and(|(request, _)| request.cancel_asked.is_some());
        let taken = match report(turn) {
            _ if acted_as_accepted(m.conn, turn).is_some() => "accept",
            Report::Decline if !withdrawn => "decline",
            Report::Cancel if !withdrawn => "cancel",
            Report::Invalid | Report::Error => return Still::Upheld,
            _ => {
                return Still::Unclear(
                    "failing and handling it like a cancel look alike".to_owned(),
                );
            }
        };
        Still::Broken(
            Why::new(
                "an action that is not understood is taken for none of the three",
                format!(
                    "the client answered with an unknown action, and the agent took it for {taken}"
                ),
            )
            .got(said(turn))
            .sent(answered_with(m.conn, turn)),
        )
    },
);

/// RESP-018 (v2): an unknown action is handled as cancel. Failing the operation is not judged, since the older texts ask
/// for it. (schema:v2 ElicitationAction::Other)
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
            _ => Still::Unclear("the agent did not say that it took it for a cancel".to_owned()),
        },
        other => other,
    },
);

/// RESP-020: without a readable action nothing is accepted, and an accept with unreadable content yields no value.
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
    |m, watch| match handled_safely(m, watch, "with something that cannot be read") {
        // The accept itself was readable.
        Still::Broken(_) if m.died().is_none() && accepted_nothing(m, watch) => Still::Upheld,
        decided => decided,
    },
);

/// The watched turn was told accept, and reports one without any value; nor did it do what it asked consent for.
fn accepted_nothing(m: &Moment<'_>, watch: &Watch) -> bool {
    let Subject::Turn(turn) = watch.subject else {
        return false;
    };
    let turn = &m.conn.turns[turn];
    let told_accept = last_answered(m.conn, turn)
        .is_some_and(|(_, elicitation)| matches!(elicitation.answer, Some(Answer::Accept(_))));
    let valueless = |claim: &Option<Value>| {
        let members = claim.as_ref().map(Value::as_object);
        members.is_none_or(|members| members.is_some_and(serde_json::Map::is_empty))
    };
    told_accept && !effect_shown(m.conn, turn) && claims(turn).iter().all(valueless)
}

/// RESP-021: required values that are missing from accepted content are not passed off as chosen by the user.
/// (elicitation#responses; derived)
const MISSING_REQUIRED: Rule = Rule::check_later(
    "ACP-ELICIT-RESP-021",
    |m, says| {
        watch_turn_of_answer(m, says, |_, elicitation| {
            matches!(&elicitation.answer, Some(Answer::Accept(content))
                if content.as_ref().is_none_or(Value::is_object))
                && missing_required(elicitation).next().is_some()
        });
    },
    |m, watch| {
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
        let claimed =
            |name: &&str| used.is_string() || used.get(name).is_some_and(|value| !value.is_null());
        let Some(name) = missing_required(elicitation).find(claimed) else {
            return Still::Upheld;
        };
        let name = text::short_to(name, 60);
        Still::Broken(
            Why::new(
                format!("no claim that the user chose a value for `{name}`"),
                format!(
                    "the accepted content has no `{name}`, and the agent reported {}",
                    quoted(&used)
                ),
            )
            .got(said(turn))
            .sent(answered_with(m.conn, turn)),
        )
    },
);

/// The required fields that the accepted content does not have.
fn missing_required(elicitation: &Elicitation) -> impl Iterator<Item = &str> {
    let content = match &elicitation.answer {
        Some(Answer::Accept(content)) => content.as_ref(),
        _ => None,
    };
    let form = elicitation.create.form.as_ref();
    form.into_iter()
        .flat_map(|form| &form.fields)
        .filter(|field| field.required)
        .map(|field| field.name.as_str())
        .filter(move |name| content.and_then(|c| c.get(name)).is_none_or(Value::is_null))
}

/// RESP-022: only an answer with the pending id, in value and JSON type, settles a request, and only the first one.
/// (schema:v1+v2 RequestId; derived)
const PENDING_ID_ONLY: Rule =
    Rule::check_later("ACP-ELICIT-RESP-022", wrong_answers, |m, watch| {
        let stray = Stray::remembered(&watch.memo);
        let sent = format!("an answer with {stray}, which settles nothing, was sent");
        if let Some(dead) = death(
            m,
            watch,
            "an agent that ignores an answer to nothing",
            &sent,
        ) {
            return dead;
        }
        let turn = match course(m, watch) {
            Course::Ended(turn) => turn,
            Course::Unclear(reason) => return Still::Unclear(reason.to_owned()),
            // Where no question was open, surviving it is all that can be asked.
            Course::GoesOn
                if watch.subject == Subject::Connection && matches!(m.fact, Fact::Settled) =>
            {
                return Still::Upheld;
            }
            Course::GoesOn | Course::Asked(_) => return Still::Watching,
        };
        let unanswered = turn
            .elicitations
            .iter()
            .any(|&index| m.conn.requests[index].is_open());
        let claimed = unanswered && !accepted(m.conn, turn) && !claims(turn).is_empty();
        if claimed || stray.settled(m.conn, turn) {
            Still::Broken(
                Why::new(
                    "only the first answer with the pending id settles a request",
                    format!("an answer with {stray} settled the question"),
                )
                .sent(stray.text())
                .got(said(turn)),
            )
        } else if unanswered {
            Still::Unclear("the turn ended without an answer of its own".to_owned())
        } else {
            upheld_as_told(turn)
        }
    });

/// Answers of ours that settle nothing: an id that no open request has, or a second answer.
fn wrong_answers(m: &Moment<'_>, says: &mut Says) {
    let Some(stray) = Stray::here(m).filter(|_| m.judged == Side::Server) else {
        return;
    };
    let mut turns: Vec<usize> = match m.fact {
        Fact::Orphan(orphan) => {
            let open = m.conn.orphans[*orphan].open.iter();
            let questions = open.map(|&index| &m.conn.requests[index]);
            questions
                .filter(|request| request.elicitation.is_some())
                .filter_map(|request| request.turn)
                .collect()
        }
        Fact::Answered { request, .. } => {
            let request = &m.conn.requests[*request];
            if request.elicitation.is_none() {
                return;
            }
            request.turn.into_iter().collect()
        }
        _ => return,
    };
    turns.retain(|&turn| m.conn.turns[turn].ended.is_none());
    turns.dedup();
    // Where the agent has asked nothing yet, it is JSONRPC-016's.
    if turns.is_empty() && !stray_without_question(m) {
        says.watch_for(Subject::Connection, stray.memo());
    }
    for turn in turns {
        says.watch_for(Subject::Turn(turn), stray.memo());
    }
}
