//! ELICIT-STATE and ELICIT-CANCEL-011: what a client makes of the states that an agent reports again.

use elenchus_protocol::Version;
use elenchus_wire::Side;

use super::asked::{question, questions};
use crate::{
    fact::{Fact, Moment},
    kinds::NOTIFICATIONS,
    rule::{Rule, Says, Still, Subject, Watch, Why},
    world::Order,
};

pub(super) const RULES: &[Rule] = &[
    REPEATED.at(&[NOTIFICATIONS]),
    OLD_CANCELLATION.at(&[NOTIFICATIONS]),
];

/// The session whose state is reported at this fact, and which.
fn reported<'a>(m: &Moment<'a>) -> Option<(&'a str, &'a str, Option<&'a str>)> {
    let Fact::Notified(index) = m.fact else {
        return None;
    };
    let told = &m.conn.notifications[*index];
    let ours = told.from == Side::Server && m.conn.version() == Version::AcpV2;
    let params = told
        .params
        .as_ref()
        .filter(|_| ours && told.method == "session/update")?;
    let update = params.get("update")?;
    let state = update.get("state")?.as_str()?;
    let reason = update.get("stopReason").and_then(|it| it.as_str());
    let kind = update.get("sessionUpdate")?.as_str()?;
    (kind == "state_update").then_some((params.get("sessionId")?.as_str()?, state, reason))
}

/// This fact reports the state that the session had before, and the client had said all that it had to say to that.
fn repeats<'a>(m: &Moment<'a>) -> Option<(&'a str, &'a str, Option<&'a str>)> {
    let Fact::Notified(index) = m.fact else {
        return None;
    };
    let now = reported(m)?;
    let mut before = m.conn.notifications[..*index].iter().rev();
    let earlier = before.find_map(|it| {
        let told = it.told.as_deref()?;
        let own = told.kind == "state_update" && told.session == now.0;
        own.then_some((it.seq, told.state.as_deref()?))
    });
    let (seq, state) = earlier?;
    let quiet = m.conn.settled.is_some_and(|settled| settled > seq);
    (state == now.1 && quiet).then_some(now)
}

/// What the client did that only the repetition can have drawn.
fn reaction(m: &Moment<'_>) -> Option<&'static str> {
    match m.fact {
        Fact::Requested(index) => {
            let request = &m.conn.requests[*index];
            let prompt = request.from == Side::Client && request.method == "session/prompt";
            prompt.then_some("sent a prompt")
        }
        Fact::Notified(index) => {
            let told = &m.conn.notifications[*index];
            let cancels = matches!(told.method.as_str(), "session/cancel" | "$/cancel_request");
            (told.from == Side::Client && cancels).then_some("cancelled something")
        }
        Fact::Answered { request, nth: 1 } => {
            let question = question(m.conn, *request)?;
            let unasked =
                question.order(m) == Some(&Order::Idle) && question.request.cancel_asked.is_none();
            unasked.then_some("answered an elicitation that no user had answered")
        }
        _ => None,
    }
}

/// A repetition changes nothing, until something else is sent.
fn changes_nothing(m: &Moment<'_>, watch: &Watch, what: &str) -> Still {
    let spoke = |seq: u64| seq > watch.opened;
    let more = m
        .conn
        .notifications
        .iter()
        .any(|it| it.from == Side::Server && spoke(it.seq))
        || m.conn
            .requests
            .iter()
            .any(|it| it.from == Side::Server && !it.fence && spoke(it.seq))
        || m.conn.requests.iter().any(|it| {
            it.from == Side::Client && it.answer().is_some_and(|answer| spoke(answer.seq))
        });
    match reaction(m) {
        _ if more => Still::Unclear("something else was sent as well".to_owned()),
        Some(did) => Still::Broken(Why::new(
            "nothing, since nothing has changed",
            format!("{what}, and the client {did}"),
        )),
        None => Still::Watching,
    }
}

/// STATE-018 (v2): a state that is reported again is neither new work nor a new end. (prompt-lifecycle#state-updates)
const REPEATED: Rule = Rule::ban(
    "ACP-ELICIT-STATE-018",
    |m, says| {
        if repeats(m).is_some() {
            says.watch(Subject::Connection);
        }
    },
    |m, watch| changes_nothing(m, watch, "a state was reported once more"),
)
.of_client();

/// ELICIT-CANCEL-011 (v2): an idle that is only repeated, with an old cancellation as its reason, cancels nothing that is
/// open. (elicitation#session-cancellation)
const OLD_CANCELLATION: Rule = Rule::ban("ACP-ELICIT-CANCEL-011", watch_old, |m, watch| {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    match m.fact {
        Fact::Answered { request, nth: 1 } if *request != index => Still::Watching,
        // What else the client does is STATE-018's.
        Fact::Requested(_) => Still::Watching,
        _ => changes_nothing(m, watch, "an old cancellation was reported once more"),
    }
})
.of_client();

fn watch_old(m: &Moment<'_>, says: &mut Says) {
    let Some(("idle", Some("cancelled"))) = repeats(m).map(|(_, state, reason)| (state, reason))
    else {
        return;
    };
    for question in questions(m.conn).filter(|it| it.request.is_open()) {
        let idle = question.order(m) == Some(&Order::Idle);
        let asked_before = m.conn.settled > Some(question.request.seq);
        if idle && asked_before && question.request.cancel_asked.is_none() {
            says.watch(Subject::Request(question.index));
        }
    }
}
