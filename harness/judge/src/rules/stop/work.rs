//! The work of a turn, of its session and of others, after it was cancelled.

use elenchus_protocol::Version;
use elenchus_wire::Side;

use super::{cancelled_session, just_cancelled, permissions};
use crate::{
    fact::Fact,
    kinds::{NOTIFICATIONS, TURN_STARTS},
    rule::{Rule, Still, Subject, Why},
    rules::{cancel::ignored, lifecycle::proper, told::told_since, whose::in_background},
    text,
    world::{Conn, Request, Turn},
};

pub(in crate::rules) const RULES: &[Rule] = &[
    SESSION_CANCEL_UNANSWERED.at(&[NOTIFICATIONS]),
    STOPS.at(&[NOTIFICATIONS]),
    NO_NEW_WORK.at(&[TURN_STARTS]),
    QUEUED_PROMPTS.at(&[NOTIFICATIONS]),
    BACKGROUND_LIVES.at(&[NOTIFICATIONS]),
    PERMISSION_TAKEN_BACK.at(&[NOTIFICATIONS]),
    NEXT_TURN.at(&[TURN_STARTS]),
];

/// CANCEL-024: session/cancel is never answered and ends no process, also for a session that is unknown or idle.
/// (JSON-RPC 2.0; schema:v2 ClientNotification; derived)
const SESSION_CANCEL_UNANSWERED: Rule = Rule::ban(
    "ACP-CANCEL-024",
    |m, says| {
        let Fact::Notified(index) = m.fact else {
            return;
        };
        let told = &m.conn.notifications[*index];
        if told.from == m.judged || told.method != "session/cancel" {
            return;
        }
        let session = cancelled_session(m);
        let turns = || {
            m.conn
                .turns
                .iter()
                .filter(|turn| Some(turn.session.as_str()) == session)
        };
        // A second one is ELICIT-CANCEL-022's where a question was asked.
        let again = turns()
            .next_back()
            .is_some_and(|turn| turn.cancelled.is_some_and(|at| at < m.event.seq));
        let exit_breaks = session.is_some() && !again;
        says.watch_for(Subject::Connection, if exit_breaks { "plain" } else { "" });
    },
    |m, watch| ignored(m, watch, "session/cancel", watch.memo == "plain"),
);

/// CANCEL-025: after session/cancel no new tool calls begin. Judged where the agent has read it and had fallen quiet, and
/// where its work had begun before: who takes messages in their order begins what was prompted, and then stops.
/// (prompt-turn#cancellation; prompt-lifecycle#cancellation)
const STOPS: Rule = Rule::check_later(
    "ACP-CANCEL-025",
    |m, says| {
        for (index, turn) in just_cancelled(m) {
            let prompted = m.conn.requests[turn.request].seq;
            let begun = told_since(m.conn, &turn.session, prompted).next().is_some();
            match turn.trigger {
                Some(_) if begun => says.watch(Subject::Turn(index)),
                Some(_) => says.unclear("the work may not have begun when it was cancelled"),
                None => {}
            }
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let session = m.conn.sessions.get(&turn.session);
        let calls = session.into_iter().flat_map(|session| &session.calls);
        let begun = calls
            .into_iter()
            .find(|(_, call)| call.first == m.event.seq && call.turn == Some(index));
        match m.fact {
            Fact::Notified(_) if begun.is_some() && m.conn.settled > Some(watch.opened) => {
                let background = session.is_some_and(|session| session.background.is_some());
                if background {
                    return Still::Unclear("it may belong to background work".to_owned());
                }
                Still::Broken(
                    Why::new(
                        "no new tool call after session/cancel",
                        "the turn was cancelled, the agent had read that, and then began another tool call",
                    )
                    .sent("session/cancel"),
                )
            }
            Fact::TurnEnded(at) if *at == index => Still::Upheld,
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
);

/// The text of a `/say` prompt.
fn said_text(turn: &Turn) -> Option<&str> {
    (turn.trigger.as_deref() == Some("/say"))
        .then(|| turn.prompt.strip_prefix("/say "))
        .flatten()
        .filter(|text| !text.is_empty())
}

/// CANCEL-029 (v2): between session/cancel and its idle no new foreground work starts: what answers a prompt behind it
/// comes after the old work has ended. (schema:v2 ClientNotification::CancelSessionNotification)
const NO_NEW_WORK: Rule = Rule::check_later(
    "ACP-CANCEL-029",
    |m, says| {
        let Fact::TurnStarted(index) = m.fact else {
            return;
        };
        let turn = &m.conn.turns[*index];
        if m.conn.version() != Version::AcpV2 || said_text(turn).is_none() {
            return;
        }
        let mut earlier = m.conn.turns[..*index]
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, earlier)| earlier.session == turn.session);
        let Some((old, work)) = earlier.next() else {
            return;
        };
        // What is said by one of several, or by one that says something itself, is not certain to be an answer.
        let began = m.conn.requests[work.request].seq;
        let alone = earlier.all(|(_, other)| other.ended.as_ref().is_some_and(|end| end.seq < began));
        if alone && work.ended.is_none() && work.cancelled.is_some() && said_text(work).is_none() {
            says.watch_for(Subject::Turn(old), format!("{index} {}", work.report().len()));
        }
    },
    |m, watch| {
        let memo = watch.memo.split_once(' ');
        let memo = memo.and_then(|(new, said)| Some((new.parse().ok()?, said.parse().ok()?)));
        let (Subject::Turn(old), Some::<(usize, usize)>((new, said))) = (watch.subject, memo) else {
            return Still::Moot;
        };
        if m.conn.was_left(old) {
            return Still::Unclear("the session was let go or taken up once more".to_owned());
        }
        let more = m.conn.turns[new + 1..]
            .iter()
            .any(|other| other.session == m.conn.turns[new].session);
        let (old, new) = (&m.conn.turns[old], &m.conn.turns[new]);
        if more || (new.ended.is_some() && old.ended.is_none()) {
            return Still::Unclear("whose end an idle tells is not certain".to_owned());
        }
        let text = said_text(new).unwrap_or_default();
        // What is told while both are open may have been put down to either.
        let told = |turn: &Turn, from: usize| {
            let report = turn.report();
            report.get(from..).is_some_and(|since| since.contains(text))
        };
        match (m.fact, &old.ended) {
            (_, Some(end)) if end.stop_reason.as_deref() == Some("cancelled") => Still::Upheld,
            (_, Some(_)) => Still::Unclear("the old work ended otherwise".to_owned()),
            (Fact::Notified(_), None) if told(new, 0) || told(old, said) => Still::Broken(Why::new(
                "idle with stopReason cancelled before the answer to the next prompt",
                "a prompt was sent behind session/cancel, and was answered before the cancelled work had ended",
            )),
            (Fact::Exited, None) => Still::Moot,
            _ => Still::Watching,
        }
    },
)
.of_tangles();

/// CANCEL-030 (v2): a prompt that was sent before session/cancel is answered with success where it was taken in, and with
/// -32800 where it was not. Judged where the agent is seen to speak of messages by id; one that refuses a second prompt
/// while it is busy holds none. (schema:v2 ClientNotification::CancelSessionNotification)
const QUEUED_PROMPTS: Rule = Rule::duty(
    "ACP-CANCEL-030",
    "a result, or the error -32800, for a prompt that was held when the session was cancelled",
    |m, says| {
        if m.conn.version() != Version::AcpV2 {
            return;
        }
        for (_, turn) in just_cancelled(m) {
            let prompt = &m.conn.requests[turn.request];
            if prompt.is_open() && turn.trigger.is_some() && proper(m.conn, prompt) {
                says.watch(Subject::Request(turn.request));
            }
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let prompt = &m.conn.requests[index];
        if prompt.turn.is_some_and(|turn| m.conn.was_left(turn)) {
            return Still::Unclear("the session was let go or taken up once more".to_owned());
        }
        let dialect = m.conn.requests.iter().any(|prompt| {
            prompt.method == "session/prompt"
                && prompt
                    .result()
                    .is_some_and(|result| result["messageId"].is_string())
        });
        if let Fact::Deadline(_) = m.fact
            && prompt.overdue == Some(m.event.seq)
            && !dialect
        {
            return Still::Unclear("the agent follows the older lifecycle".to_owned());
        }
        let Some(answer) = prompt.answer() else {
            return Still::Watching;
        };
        if !answer.is_error || answer.error_code == Some(-32800) {
            Still::Upheld
        } else if !dialect {
            Still::Unclear("the agent follows the older lifecycle".to_owned())
        } else if m.conn.fenced(prompt.seq, watch.opened) {
            Still::Broken(
                Why::new(
                    "a result, or the error -32800",
                    "a prompt that was held when the session was cancelled got another error",
                )
                .sent(prompt.text.clone()),
            )
        } else {
            Still::Unclear("the prompt may have been refused before it was held".to_owned())
        }
    },
)
.of_tangles();

/// CANCEL-031 (v2): tasks that the newest background list names survive session/cancel.
/// (schema:v2 CancelSessionNotification)
const BACKGROUND_LIVES: Rule = Rule::ban(
    "ACP-CANCEL-031",
    |m, says| {
        let Some(session) = cancelled_session(m).filter(|_| m.conn.version() == Version::AcpV2)
        else {
            return;
        };
        let known = m.conn.sessions.get(session);
        for call in in_background(known) {
            let over = known
                .and_then(|known| known.calls.get(call))
                .is_some_and(crate::world::Call::is_over);
            if !over {
                says.watch_for(
                    Subject::Connection,
                    serde_json::json!([session, call]).to_string(),
                );
            }
        }
    },
    |m, watch| {
        let Ok([session, call]) = serde_json::from_str::<[String; 2]>(&watch.memo) else {
            return Still::Moot;
        };
        let call = m
            .conn
            .sessions
            .get(&session)
            .and_then(|session| session.calls.get(&call));
        match call.and_then(|call| call.status.as_deref()) {
            Some("cancelled") => Still::Broken(
                Why::new(
                    "listed background work that goes on after session/cancel",
                    "session/cancel was sent, and listed background work was reported cancelled",
                )
                .sent("session/cancel"),
            ),
            Some("completed" | "failed") => Still::Upheld,
            _ => Still::Watching,
        }
    },
);

/// CANCEL-033 (v2): on session/cancel the agent takes back each permission request of the work, and takes it for not
/// approved. Where it speaks of no message ids, a request that is left open is only remarked on.
/// (schema:v2 ClientNotification::CancelSessionNotification)
const PERMISSION_TAKEN_BACK: Rule = Rule::check_later(
    "ACP-CANCEL-033",
    |m, says| {
        if m.conn.version() != Version::AcpV2 {
            return;
        }
        for (_, turn) in just_cancelled(m) {
            let began = m.conn.requests[turn.request].seq;
            for (index, request) in permissions(m.conn, &turn.session) {
                if request.is_open() && request.seq > began {
                    says.watch_for(Subject::Request(index), turn.request.to_string());
                }
            }
        }
    },
    |m, watch| {
        let (Subject::Request(index), Ok(prompt)) = (watch.subject, watch.memo.parse::<usize>())
        else {
            return Still::Moot;
        };
        let (permission, prompt) = (&m.conn.requests[index], &m.conn.requests[prompt]);
        // What was answered before the cancellation is sure to have been read, may have been taken first.
        let raced = permission
            .answer()
            .is_some_and(|answer| !m.conn.fenced(watch.opened, answer.seq));
        if let Some(status) = guarded(m.conn, permission, watch.opened)
            && matches!(status, "in_progress" | "completed")
            && !raced
        {
            return Still::Broken(
                Why::new(
                    "a tool call that does not run, since nobody has permitted it",
                    format!(
                        "the turn was cancelled while its permission was asked, and the tool call is {status}"
                    ),
                )
                .sent("session/cancel"),
            );
        }
        let ended = prompt
            .turn
            .and_then(|turn| m.conn.turns[turn].ended.as_ref());
        let dialect = prompt
            .result()
            .is_some_and(|result| result["messageId"].is_string());
        match m.fact {
            Fact::Settled if ended.is_none() => Still::Watching,
            Fact::Settled if permission.cancel_asked.is_some() => Still::Upheld,
            Fact::Settled if raced => {
                Still::Unclear("the permission was answered before it could be taken back".to_owned())
            }
            Fact::Settled if dialect => Still::Broken(
                Why::new(
                    "$/cancel_request for the permission request of the cancelled work",
                    format!(
                        "the turn was cancelled and has ended, and its permission request (id {}) was left open",
                        text::short_to(permission.id.text(), 60)
                    ),
                )
                .got(permission.text.clone()),
            ),
            Fact::Settled => Still::Unclear("the texts disagree whose duty it is".to_owned()),
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
);

/// The status of the tool call that a permission request asks about, if it was told at this event or later.
fn guarded<'a>(conn: &'a Conn, permission: &Request, since: u64) -> Option<&'a str> {
    let params = permission.params.as_ref()?;
    let call = [&params["toolCall"], &params["subject"]["toolCall"]]
        .into_iter()
        .find_map(|call| call["toolCallId"].as_str())?;
    let session = conn.sessions.get(params["sessionId"].as_str()?)?;
    let call = session.calls.get(call)?;
    (call.newest > since)
        .then_some(call.status.as_deref())
        .flatten()
}

/// CANCEL-036: after a cancelled turn has ended, the session takes and finishes another prompt.
/// (prompt-turn#cancellation; prompt-lifecycle#cancellation; derived)
const NEXT_TURN: Rule = Rule::duty(
    "ACP-CANCEL-036",
    "the end of the turn after a cancelled one",
    |m, says| {
        let Fact::TurnStarted(index) = m.fact else {
            return;
        };
        let turn = &m.conn.turns[*index];
        let before = m.conn.turns[..*index]
            .iter()
            .rfind(|before| before.session == turn.session);
        let stopped = before.is_some_and(|before| {
            let end = before.ended.as_ref();
            before.cancelled.is_some()
                && end.is_some_and(|end| end.stop_reason.as_deref() == Some("cancelled"))
        });
        let proper = proper(m.conn, &m.conn.requests[turn.request]);
        if stopped && m.judged == Side::Server && said_text(turn).is_some() && proper {
            says.watch(Subject::Turn(*index));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        let Some(end) = turn.ended.as_ref() else {
            return Still::Watching;
        };
        let prompt = &m.conn.requests[turn.request];
        // By session/cancel, or by $/cancel_request of the prompt.
        if turn.cancelled.is_some() || prompt.cancel_asked.is_some() {
            return Still::Unclear("the next turn was cancelled as well".to_owned());
        }
        let broken = |what: String| {
            Still::Broken(
                Why::new(
                    "a turn like any other",
                    format!("the turn after a cancelled one {what}"),
                )
                .sent(prompt.text.clone()),
            )
        };
        match (&end.stop_reason, end.error) {
            (_, Some(code)) => broken(format!("was refused with the error {code}")),
            (Some(reason), _) if reason == "cancelled" => {
                broken("ended cancelled, and nobody had cancelled it".to_owned())
            }
            _ => Still::Upheld,
        }
    },
);
