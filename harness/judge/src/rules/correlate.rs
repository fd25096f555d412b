//! ELICIT-SCOPE, the part about answers: which question an answer is for, and whose question it is.

use elenchus_protocol::acp::elicitation::{Answer, Scope};
use elenchus_wire::Side;
use serde_json::Value;

use super::{
    cancel,
    lifecycle::proper,
    report::{
        Report, accepted, came_to, claims, failed, quoted, report_line, said, same, upheld_as_told,
    },
    stray::Stray,
    told::names_live_session,
    views::{Course, course, death, elicited},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, Request, Turn},
};

pub(super) const RULES: &[Rule] = &[
    UNKNOWN_META,
    CORRELATES.at(&[ANSWERS]),
    ID_NOT_REUSED.at(&[REQUESTS]),
    BOUND_TO_CONNECTION,
    NOT_INHERITED,
];

/// SCOPE-024: `_meta` keys that an agent does not know change nothing: two turns with the same prompt and the same
/// answers, one of them with a foreign `_meta`, come to the same. (extensibility)
const UNKNOWN_META: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-024",
    |m, says| {
        let index = match m.fact {
            Fact::TurnStarted(index) if prompt_has_meta(m.conn, &m.conn.turns[*index]) => *index,
            Fact::Answered { nth: 1, .. } => match m.we_answered() {
                Some((_, request)) if has_meta(request.result()) => match request.turn {
                    Some(turn) if m.conn.turns[turn].ended.is_none() => turn,
                    _ => return,
                },
                _ => return,
            },
            _ => return,
        };
        says.watch(Subject::Turn(index));
    },
    |m, watch| {
        if let Some(dead) = death(
            m,
            watch,
            "unknown _meta keys change nothing",
            "an unknown _meta key was sent",
        ) {
            return dead;
        }
        match course(m, watch) {
            Course::Ended(turn) | Course::Asked(turn) => like_without_meta(m.conn, turn),
            Course::Unclear(reason) => Still::Unclear(reason.to_owned()),
            Course::GoesOn => Still::Watching,
        }
    },
);

/// Compares a turn with the newest earlier one that lacks the `_meta` and is otherwise alike.
fn like_without_meta(conn: &Conn, turn: &Turn) -> Still {
    let plain = |other: &&Turn| {
        let answers = &other.elicitations;
        let index = conn.requests[other.request].turn;
        let clear = index.is_some_and(|index| !conn.overlaps(index) && !conn.was_left(index));
        let prompt = &conn.requests[other.request];
        // What is said to no session, or in a wrong way, is refused for that.
        let clear = clear && proper(conn, prompt) && names_live_session(conn, prompt);
        other.request < turn.request
            && clear
            && other.prompt == turn.prompt
            && other.ended.is_some()
            && other.cancelled.is_none()
            && !prompt_has_meta(conn, other)
            && !answers.iter().any(|&e| has_meta(conn.requests[e].result()))
            && answers_of(conn, other).starts_with(&answers_of(conn, turn))
    };
    let twin = conn.turns.iter().rev().find(plain);
    let more = twin.is_some_and(|twin| turn.elicitations.len() > twin.elicitations.len());
    if turn.ended.is_none() && !more {
        return Still::Watching;
    }
    let comparable =
        turn.cancelled.is_none() && names_live_session(conn, &conn.requests[turn.request]);
    let Some(twin) = twin.filter(|_| comparable) else {
        return Still::Unclear("no turn without the _meta to compare with".to_owned());
    };
    match same(turn, twin) {
        Some(true) => Still::Upheld,
        None if turn.stands_for.is_some() || failed(turn) == failed(twin) => Still::Unclear(
            "the agent's own words do not tell whether it came to the same".to_owned(),
        ),
        _ => Still::Broken(
            Why::new(
                "the same outcome as without the _meta",
                format!(
                    "with an unknown _meta key the agent {}; without it the agent {}",
                    came_to(turn),
                    came_to(twin)
                ),
            )
            .got(said(turn)),
        ),
    }
}

fn has_meta(value: Option<&Value>) -> bool {
    value
        .and_then(|value| value.get("_meta"))
        .and_then(Value::as_object)
        .is_some_and(|meta| !meta.is_empty())
}

fn prompt_has_meta(conn: &Conn, turn: &Turn) -> bool {
    has_meta(conn.requests[turn.request].params.as_ref())
}

/// What our side answered in a turn, without `_meta`.
fn answers_of(conn: &Conn, turn: &Turn) -> Vec<Option<Answer>> {
    turn.elicitations
        .iter()
        .map(|&index| &conn.requests[index])
        .filter(|request| !request.is_open())
        .filter_map(|request| Some(request.elicitation.as_deref()?.answer.clone()))
        .collect()
}

/// SCOPE-026: each answer is correlated with its own elicitation, whatever the order of the answers. Two forms are
/// open at once, and the agent reports what each of them brought. (elicitation#foreground-state; derived)
const CORRELATES: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-026",
    |m, says| {
        let Some((_, request)) = m.we_answered() else {
            return;
        };
        let Some(turn) = request.turn.filter(|_| request.elicitation.is_some()) else {
            return;
        };
        let open = &m.conn.turns[turn];
        if open.trigger.as_deref() == Some("/elicit twice")
            && open.ended.is_none()
            && overlapped(m.conn, open).is_some()
        {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| match course(m, watch) {
        Course::Ended(turn) => correlated(m.conn, turn),
        Course::Unclear(reason) => Still::Unclear(reason.to_owned()),
        Course::GoesOn | Course::Asked(_) => Still::Watching,
    },
);

/// The two questions of a turn that were open at once and have both been answered, in the order asked.
fn overlapped<'a>(conn: &'a Conn, turn: &Turn) -> Option<[&'a Request; 2]> {
    let [first, second] = turn.elicitations[..] else {
        return None;
    };
    let [first, second] = [&conn.requests[first], &conn.requests[second]];
    let answered = second.answer().and(first.answer())?.seq;
    (second.seq < answered).then_some([first, second])
}

/// What was given to a question that asks for one field, and what the agent reports of it, by the field's name.
fn told(request: &Request, report: &str) -> Option<(Value, Report)> {
    let elicitation = request.elicitation.as_deref()?;
    let name = &elicitation.create.form.as_ref()?.fields.first()?.name;
    let Some(Answer::Accept(Some(content))) =
        elicitation.answer.as_ref().filter(|_| elicitation.fits)
    else {
        return None;
    };
    let said = report.lines().find_map(|line| {
        let rest = line.trim().strip_prefix(name.as_str())?;
        rest.strip_prefix(": ")
    })?;
    Some((content.clone(), report_line(said)))
}

/// What was given to both questions of a turn, and what was reported of it.
fn both_told(conn: &Conn, turn: &Turn) -> Option<[(Value, Report); 2]> {
    let [first, second] = overlapped(conn, turn)?;
    let report = turn.report();
    Some([told(first, &report)?, told(second, &report)?])
}

/// The report tells of each question what was given to it.
fn each_its_own(told: &[(Value, Report); 2]) -> bool {
    told.iter()
        .all(|(given, report)| *report == Report::Accept(Some(given.clone())))
}

fn correlated(conn: &Conn, turn: &Turn) -> Still {
    let Some(told) = both_told(conn, turn) else {
        return Still::Unclear("the agent did not report on both questions".to_owned());
    };
    if each_its_own(&told) {
        return Still::Upheld;
    }
    let [(first, of_first), (second, of_second)] = &told;
    // The value of one, reported under the other.
    let taken = |report: &Report, own: &Value, other: &Value| match report {
        Report::Accept(Some(used)) => values(used).any(|value| {
            values(other).any(|theirs| theirs == value) && !values(own).any(|ours| ours == value)
        }),
        _ => false,
    };
    let crossed = taken(of_first, first, second) || taken(of_second, second, first);
    // Values that fit only their own form are invalid in the other one. That the agent can read such answers at all, an
    // earlier turn shows.
    let both_invalid = [of_first, of_second] == [&Report::Invalid, &Report::Invalid];
    let reads_them = || {
        let alike = |other: &&Turn| other.prompt == turn.prompt && other.request < turn.request;
        let mut earlier = conn.turns.iter().filter(alike);
        earlier.any(|other| both_told(conn, other).is_some_and(|told| each_its_own(&told)))
    };
    if crossed || (both_invalid && reads_them()) {
        Still::Broken(
            Why::new(
                "each answer with the question that it answers, by its id",
                format!(
                    "two questions were open and got {} and {}, and the agent gave one the other's answer",
                    quoted(first),
                    quoted(second)
                ),
            )
            .got(said(turn)),
        )
    } else {
        Still::Unclear(
            "the report is neither what was given nor what was given to the other".to_owned(),
        )
    }
}

/// The values of a content.
fn values(content: &Value) -> impl Iterator<Item = &Value> {
    content
        .as_object()
        .into_iter()
        .flat_map(|object| object.values())
}

/// SCOPE-027: the JSON-RPC id of an elicitation is not reused while it is unanswered. Exercised while another request
/// of the agent is open. (schema:v2 RequestId; derived for v1)
const ID_NOT_REUSED: Rule = Rule::check("ACP-ELICIT-SCOPE-027", |m, says| {
    let Some((index, request, _)) = elicited(m) else {
        return;
    };
    if let Some(earlier) = request.reuses {
        if cancel::reuses_cancelled(m.conn, request) {
            return;
        }
        return says.broken(Why::new(
            "an id that no open request of the agent has",
            format!(
                "the id {} is that of an earlier {}, which is still unanswered",
                text::short_to(request.id.text(), 80),
                text::short_to(&m.conn.requests[earlier].method, 80)
            ),
        ));
    }
    if m.conn
        .open_requests(m.judged)
        .any(|(other, _)| other != index)
    {
        says.upheld();
    }
});

/// Opens a watch on the turn of every elicitation, on another connection, whose id our side just answered here.
fn answered_elsewhere(m: &Moment<'_>, says: &mut Says, applies: impl Fn(&Conn, &str) -> bool) {
    let Some((stray, id)) = Stray::here(m).and_then(|stray| Some((stray, stray.id()?.key())))
    else {
        return;
    };
    for (&number, other) in &m.world.conns {
        let pending = other
            .open_requests(m.judged)
            .filter(|(_, request)| request.key == id && request.elicitation.is_some())
            .find_map(|(_, request)| request.turn);
        if let Some(turn) = pending.filter(|_| number != m.conn.id)
            && applies(m.conn, &other.turns[turn].session)
        {
            says.watch_on(number, Subject::Turn(turn), stray.memo());
        }
    }
}

/// The turn may end only by an answer on its own connection.
fn own_answer_only(m: &Moment<'_>, watch: &Watch) -> Still {
    let stray = Stray::remembered(&watch.memo);
    let turn = match course(m, watch) {
        Course::Ended(turn) => turn,
        Course::Unclear(reason) => return Still::Unclear(reason.to_owned()),
        Course::GoesOn | Course::Asked(_) => {
            return match m.died() {
                Some(how) => Still::Unclear(how),
                None => Still::Watching,
            };
        }
    };
    let unanswered = turn
        .elicitations
        .iter()
        .any(|&index| m.conn.requests[index].is_open());
    let claimed = unanswered && !accepted(m.conn, turn) && !claims(turn).is_empty();
    if claimed || stray.settled(m.conn, turn) {
        Still::Broken(
            Why::new(
                "an elicitation that only its own connection can answer",
                format!("an answer with {stray} on another connection settled the elicitation of this one"),
            )
            .sent(stray.text())
            .got(said(turn)),
        )
    } else if unanswered {
        Still::Unclear("the agent ended the turn without an answer".to_owned())
    } else {
        upheld_as_told(turn)
    }
}

/// The client of this connection has loaded or resumed this session.
fn took_over(conn: &Conn, session: &str) -> bool {
    conn.requests.iter().any(|request| {
        request.from == Side::Client
            && matches!(request.method.as_str(), "session/load" | "session/resume")
            && request
                .params
                .as_ref()
                .is_some_and(|params| params["sessionId"] == session)
    })
}

/// SCOPE-028: an elicitation belongs to the connection it went to: another client can neither answer it nor is it sent
/// there. (elicitation#creating-an-elicitation)
const BOUND_TO_CONNECTION: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-028",
    |m, says| {
        answered_elsewhere(m, says, |conn, session| !took_over(conn, session));
        if let Some((_, request, elicitation)) = elicited(m)
            && let Scope::Session { session, .. } = &elicitation.create.scope
            && !m.conn.sessions.get(session).is_some_and(|s| s.known)
            && !m.conn.turns.iter().any(|turn| turn.session == *session)
            && shown_elsewhere(m, request)
        {
            says.broken(Why::new(
                "an elicitation only on the connection that its session belongs to",
                "an elicitation that is open on another connection was sent to this one as well",
            ));
        }
    },
    own_answer_only,
);

/// The very same request is open on another connection.
fn shown_elsewhere(m: &Moment<'_>, request: &Request) -> bool {
    m.world
        .conns
        .values()
        .filter(|conn| conn.id != m.conn.id)
        .flat_map(|conn| conn.open_requests(m.judged))
        .any(|(_, other)| other.key == request.key && other.params == request.params)
}

/// SCOPE-029: knowing the sessionId is no proof of ownership: a connection that loaded or resumed the session does not
/// inherit the other one's elicitation. (elicitation#creating-an-elicitation)
const NOT_INHERITED: Rule = Rule::check_later(
    "ACP-ELICIT-SCOPE-029",
    |m, says| answered_elsewhere(m, says, took_over),
    own_answer_only,
);
