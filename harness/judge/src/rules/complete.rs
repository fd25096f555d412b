//! ELICIT-COMPLETE: what an agent says of the end of an external interaction, to whom, and when.

use elenchus_wire::Side;
use serde_json::Value;

use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, NOTIFICATIONS, REQUESTS},
    rule::{Rule, Still, Subject, Why},
    text,
    world::{Conn, Elicitation, Request},
};

pub(super) const RULES: &[Rule] = &[
    IS_A_NOTIFICATION.at(&[ANSWERS, NOTIFICATIONS, REQUESTS]),
    NAMES_A_REQUEST.at(&[NOTIFICATIONS]),
    ONLY_TO_WHOM_IT_WAS_ASKED.at(&[NOTIFICATIONS]),
    NOT_BEFORE_THE_END.at(&[ANSWERS, NOTIFICATIONS]),
];

const COMPLETE: &str = "elicitation/complete";

/// The params of the completion at this fact.
fn params<'a>(m: &Moment<'a>) -> Option<&'a Value> {
    static NOTHING: Value = Value::Null;
    let Fact::Notified(index) = m.fact else {
        return None;
    };
    let notification = &m.conn.notifications[*index];
    let ours = notification.from == m.judged && notification.method == COMPLETE;
    ours.then(|| notification.params.as_ref().unwrap_or(&NOTHING))
}

/// The elicitationId of the completion at this fact.
pub(super) fn completed<'a>(m: &Moment<'a>) -> Option<&'a str> {
    params(m)?.get("elicitationId")?.as_str()
}

/// COMPLETE-002: elicitation/complete is a notification with a string elicitationId. (elicitation#url-completion)
const IS_A_NOTIFICATION: Rule = Rule::check("ACP-ELICIT-COMPLETE-002", |m, says| {
    if m.requested()
        .is_some_and(|(_, request)| request.method == COMPLETE)
    {
        return says.broken(Why::new(
            "a notification, without an id",
            "elicitation/complete was sent with an id, as a request that wants an answer",
        ));
    }
    let Some(params) = params(m) else { return };
    let id = params.get("elicitationId");
    if id.is_some_and(Value::is_string) {
        says.upheld();
    } else if m.misspelt().is_empty() {
        let got = id.map_or_else(
            || "missing".to_owned(),
            |id| text::short_to(&id.to_string(), 80),
        );
        says.broken(Why::new(
            "params.elicitationId as a string",
            format!("elicitationId is {got}"),
        ));
    }
});

/// A URL elicitation with this id was sent on a connection.
fn issued(conn: &Conn, id: &str) -> bool {
    conn.issued.contains_key(id)
}

/// The most requests in which the id of a form is looked for.
const FORMS: usize = 256;

/// A form that carries this elicitationId, which only a URL elicitation has.
fn form_with<'a>(conn: &'a Conn, id: &str) -> Option<&'a Request> {
    conn.requests.iter().rev().take(FORMS).find(|request| {
        let form = |e: &Elicitation| e.create.mode.as_deref() == Some("form");
        let named = request
            .params
            .as_ref()
            .and_then(|params| params.get("elicitationId"));
        request.elicitation.as_deref().is_some_and(form)
            && named.and_then(Value::as_str) == Some(id)
    })
}

/// COMPLETE-003: it carries the elicitationId of a url request that this client received, unchanged.
/// (elicitation#url-completion)
const NAMES_A_REQUEST: Rule = Rule::check("ACP-ELICIT-COMPLETE-003", |m, says| {
    let Some(id) = completed(m) else { return };
    if issued(m.conn, id) {
        return says.upheld();
    }
    let elsewhere = m.world.conns.values().any(|conn| issued(conn, id));
    if elsewhere || form_with(m.conn, id).is_some() {
        // To whom it was asked, and that it was no form, are clauses of their own.
        return says.unclear("this elicitationId was given out elsewhere");
    }
    if m.conn.init.request.is_none() {
        return says.unclear("the recording begins in the middle");
    }
    let close = m.conn.issued.keys().find(|known| resembles(known, id));
    let why = match close {
        Some(known) => format!(
            "the elicitationId `{}` was given out as `{}`",
            text::short_to(id, 80),
            text::short_to(known, 80)
        ),
        None => format!(
            "no URL elicitation on this connection ever had the elicitationId `{}`",
            text::short_to(id, 80)
        ),
    };
    says.broken(Why::new(
        "the elicitationId of a URL elicitation, unchanged",
        why,
    ));
});

/// The same letters and digits, in another case or another wrapping.
fn resembles(a: &str, b: &str) -> bool {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).take(200).collect()
    };
    let a = letters(a);
    !a.is_empty() && a == letters(b)
}

/// COMPLETE-004: completion is never sent to a client other than the one that received the request.
/// (elicitation#url-completion)
const ONLY_TO_WHOM_IT_WAS_ASKED: Rule = Rule::ban(
    "ACP-ELICIT-COMPLETE-004",
    |m, says| {
        let Some(id) = completed(m) else { return };
        let others = m.world.conns.values().filter(|other| other.id != m.conn.id);
        if issued(m.conn, id) {
            let could_be_told = |other: &&Conn| {
                strangers(m.conn, other) && other.exit.is_none() && !issued(other, id)
            };
            for other in others.filter(could_be_told) {
                says.watch_on(other.id, Subject::Connection, id);
            }
            return;
        }
        let mut asked = others.filter(|other| issued(other, id)).peekable();
        if asked.peek().is_none() {
            return;
        }
        if asked.all(|other| strangers(m.conn, other) && other.exit.is_none()) {
            says.broken(Why::new(
                "completion is told to the client that was asked, and to no other",
                format!(
                    "this client was told that `{}` is complete, which only another client was asked",
                    text::short_to(id, 80)
                ),
            ));
        } else {
            says.unclear("the other connection may be one of the same client");
        }
    },
    // What is told to the wrong client is seen when it is told.
    |_, _| Still::Watching,
);

/// Two connections are visibly those of different clients: by the names that they gave, and without a session in common.
fn strangers(a: &Conn, b: &Conn) -> bool {
    let shares = a
        .sessions
        .iter()
        .any(|(id, session)| session.known && b.sessions.get(id).is_some_and(|other| other.known));
    match (client_name(a), client_name(b)) {
        (Some(a), Some(b)) => a != b && !shares,
        _ => false,
    }
}

fn client_name(conn: &Conn) -> Option<&str> {
    let params = conn.requests[conn.init.request?].params.as_ref()?;
    let info = params.get("clientInfo").or_else(|| params.get("info"))?;
    info.get("name")?.as_str()
}

/// The triggers whose pages are over when they were opened, and by nothing else.
fn ends_by_visit(conn: &Conn, request: &Request) -> bool {
    let turn = request.turn.and_then(|turn| conn.turns.get(turn));
    let trigger = turn.and_then(|turn| turn.trigger.as_deref());
    let own = matches!(trigger, Some("/elicit url-complete" | "/elicit url-wait"));
    let link = request.elicitation.as_deref().and_then(|e| e.link.as_ref());
    own && link.is_some_and(|link| link.loopback)
}

/// COMPLETE-005: it is not sent before the external interaction has finished, nor for a form.
/// (elicitation#url-completion; derived)
const NOT_BEFORE_THE_END: Rule = Rule::ban(
    "ACP-ELICIT-COMPLETE-005",
    |m, says| {
        if let Some((index, request)) = m.we_answered() {
            let unvisited = |e: &Elicitation| e.visited.is_none();
            let waits = request.elicitation.as_deref().is_some_and(unvisited);
            if m.judged == Side::Server && waits && ends_by_visit(m.conn, request) {
                says.watch(Subject::Request(index));
            }
            return;
        }
        let Some(id) = completed(m) else { return };
        if let Some(form) = form_with(m.conn, id).filter(|_| !issued(m.conn, id)) {
            let sent = form.text.clone();
            return says.broken(
                Why::new(
                    "no completion for a form",
                    "the agent told the completion of a form, which has no page to complete",
                )
                .sent(sent),
            );
        }
        let newest = m.conn.issued.get(id).and_then(|known| known.last());
        let Some(&index) = newest else { return };
        let request = &m.conn.requests[index];
        if !ends_by_visit(m.conn, request) {
            return;
        }
        if m.conn.with_key(m.judged, &request.key) != Some(index) {
            return says.unclear("two requests have one id: nobody knows whose page was visited");
        }
        let visited = request.elicitation.as_deref().and_then(|e| e.visited);
        says.holds(visited.is_some(), || {
            Why::new(
                "no completion before the page was visited",
                format!(
                    "nobody has opened the page of `{}`, and the agent told that it is complete",
                    text::short_to(id, 80)
                ),
            )
        });
    },
    |m, watch| match m.fact {
        Fact::Visited(index) if Moment::about_request(watch.subject, *index) => Still::Moot,
        _ => Still::Watching,
    },
);
