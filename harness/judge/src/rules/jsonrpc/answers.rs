//! Who answers what, and under which id.

use elenchus_wire::{IdKey, Side};

use crate::rules::cancel;
use crate::{
    fact::{Fact, Moment},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    rules::{init::while_initializing, reading::is_trial},
    text,
    world::{Conn, Notification, Orphan, Request},
};

/// Requests whose answer depends on no model, user, network or file: those that a missing answer can be held against.
/// A trigger may do anything, and a mode can only be set at once while nothing is under way.
pub(in crate::rules) fn needs_nobody(conn: &Conn, request: &Request) -> bool {
    match request.method.as_str() {
        "initialize" | "session/list" => true,
        "session/set_mode" | "session/set_config_option" => {
            conn.turns.iter().all(|turn| turn.ended.is_some())
        }
        // What no protocol has, whoever it is asked of, is refused at once.
        method => {
            let invented = method.starts_with('_') || method.starts_with("elenchus/");
            invented && request.trigger.is_none()
        }
    }
}

/// An integer that not every JSON reader keeps exactly: beyond 2^53 - 1.
fn large(key: &IdKey) -> bool {
    const MAX_SAFE: u64 = 9_007_199_254_740_991;
    let IdKey::Number(number) = key else {
        return false;
    };
    let magnitude = number.strip_prefix('-').unwrap_or(number);
    magnitude
        .parse::<u64>()
        .map_or(true, |magnitude| magnitude > MAX_SAFE)
}

/// JSONRPC-004: each request receives exactly one response. A second one breaks it, unless another message of ours may
/// have drawn it; a missing one only for requests that need nobody, after a deadline, where a later request was
/// answered, and not before the agent has closed its end. (overview#communication-model)
pub(super) const ONE_RESPONSE: Rule =
    Rule::check_later("ACP-JSONRPC-004", one_response, answered_once);

/// JSONRPC-005: the same of clients. A request that needs a person is never held against one here.
/// (overview#communication-model)
pub(super) const ONE_RESPONSE_CLIENT: Rule =
    Rule::check_later("ACP-JSONRPC-005", one_response, answered_once).of_client();

fn one_response(m: &Moment<'_>, says: &mut Says) {
    if let Some((index, request)) = m.received()
        && request.well_formed
        && request.key != IdKey::Null
        && !large(&request.key)
        && needs_nobody(m.conn, request)
        // These have rows of their own: TRANSPORT-018, 019 and 020, and INIT-037.
        && !is_trial(request.written)
        && !while_initializing(m.conn, request)
    {
        return says.watch(Subject::Request(index));
    }
    let Fact::Answered { request, nth } = m.fact else {
        return;
    };
    let request = &m.conn.requests[*request];
    if request.from == m.judged {
        return;
    }
    if *nth == 1 {
        return says.upheld();
    }
    // ELICIT-RESP-001's.
    if m.judged == Side::Client && request.method == "elicitation/create" {
        return;
    }
    // An answer under the id of another request is JSONRPC-006's, and some are those of cancellation.
    if m.conn.near(request.from, &request.key).is_some()
        || cancel::owns_second_answer(m.conn, request)
    {
        return;
    }
    if excused(m.conn) || !m.conn.from_start {
        return says.unclear(format!(
            "id {} was answered {nth} times, and another message may have had it",
            request.id.text()
        ));
    }
    says.broken(
        Why::new(
            "exactly one response",
            format!(
                "{} (id {}) was answered {nth} times",
                request.method,
                request.id.text()
            ),
        )
        .sent(request.text.clone()),
    );
}

fn answered_once(m: &Moment<'_>, watch: &Watch) -> Still {
    let Subject::Request(index) = watch.subject else {
        return Still::Moot;
    };
    // One that drops every custom request is EXT-001's.
    let custom = custom(&m.conn.requests[index]);
    if custom && m.judged_is_over() && !answers_custom_requests(m) {
        return Still::Moot;
    }
    answered_at_all(m, index, "exactly one response")
}

/// The request has a method that is no protocol's.
pub(in crate::rules) fn custom(request: &Request) -> bool {
    request.method.starts_with('_')
}

/// The judged side has answered a custom request on this connection, be it a fence.
pub(in crate::rules) fn answers_custom_requests(m: &Moment<'_>) -> bool {
    let asker = m.judged.other();
    let mut custom = m
        .conn
        .requests
        .iter()
        .filter(|it| it.from == asker && custom(it));
    custom.any(|request| !request.is_open())
}

/// What has become of the duty to refuse a request: an error fulfils it, and a result breaks it, which `why` tells.
pub(in crate::rules) fn refused(m: &Moment<'_>, index: usize, expected: &str, why: &str) -> Still {
    let request = &m.conn.requests[index];
    match request.answer() {
        Some(answer) if answer.is_error => Still::Upheld,
        Some(_) => Still::Broken(Why::new(expected, why).sent(request.text.clone())),
        None => answered_at_all(m, index, expected),
    }
}

/// A time in seconds, with a tenth where it is no whole number of them.
fn seconds(us: u64) -> String {
    let tenths = us / 100_000;
    match tenths % 10 {
        0 => format!("{} s", tenths / 10),
        tenth => format!("{}.{tenth} s", tenths / 10),
    }
}

/// What has become of the duty to answer a request: broken only once nothing more can come, where a wait for it ended
/// in vain and a later request was answered.
pub(in crate::rules) fn answered_at_all(m: &Moment<'_>, index: usize, expected: &str) -> Still {
    let request = &m.conn.requests[index];
    if !request.is_open() {
        return Still::Moot;
    }
    if !m.judged_is_over() {
        return Still::Watching;
    }
    // One to a message that was split is TRANSPORT-024's.
    let elsewhere = m.conn.separators
        || m.conn.with_key(request.from, &request.key) != Some(index)
        || request.cancel_asked.is_some()
        || answered_under_another_id(m, index);
    if request.overdue.is_some() && m.conn.read_mark > request.seq && !elsewhere {
        return Still::Broken(
            Why::new(
                expected,
                format!(
                    "{} (id {}) was never answered, and a later request was",
                    request.method,
                    request.id.text()
                ),
            )
            .sent(request.text.clone())
            .got(format!(
                "no answer in {}, the time that --timeout gives",
                seconds(request.waited_us)
            )),
        );
    }
    Still::Unclear(format!(
        "{} had no answer when the connection ended",
        request.method
    ))
}

/// JSONRPC-006: a response echoes the request's id with the same JSON type and value. Numbers compare by value; those
/// beyond 2^53 - 1 are only remarked on. (crate rpc.rs RequestId)
pub(super) const ID_ECHOED: Rule = Rule::check("ACP-JSONRPC-006", |m, says| match m.fact {
    Fact::Answered { request, nth } if m.conn.requests[*request].from != m.judged => {
        let request = &m.conn.requests[*request];
        let Some(answer) = request.answers.last() else {
            return;
        };
        if *nth == 1 {
            says.upheld();
            if answer.id != request.id.text() && matches!(request.key, IdKey::Number(_)) {
                says.note(format!(
                    "id {} came back written {}",
                    request.id.text(),
                    text::short_to(&answer.id, 40)
                ));
            }
        } else if let Some(twin) = m.conn.near(request.from, &request.key)
            && m.conn.from_start
            && !excused(m.conn)
        {
            misnamed(&m.conn.requests[twin], &answer.id, says);
        }
    }
    Fact::Orphan(index) => {
        let orphan = &m.conn.orphans[*index];
        let Some(id) = orphan
            .id
            .as_deref()
            .filter(|_| orphan.from == m.judged && !excused(m.conn))
        else {
            return;
        };
        match meant(m.conn, orphan) {
            _ if !m.conn.from_start => {
                says.unclear("it may answer what was sent before the recording begins");
            }
            Some(_) if unreadable(orphan) => {
                says.unclear("the answer says that the request could not be read");
            }
            Some(meant) => misnamed(&m.conn.requests[meant], id, says),
            None if id == "null" => {}
            // It may answer a notification, which is JSONRPC-009's.
            None if orphan.is_error && m.conn.notified[m.judged.other() as usize] => {}
            None => says.broken(Why::new(
                "the id of the request that it answers",
                format!("no request had the id {}", text::short_to(id, 80)),
            )),
        }
    }
    _ => {}
})
.of_both();

/// An error that says that a message could not be read, and therefore has a null id.
pub(in crate::rules) fn unreadable(orphan: &Orphan) -> bool {
    matches!(orphan.error_code, Some(-32700 | -32600))
        && orphan.id.as_deref().is_none_or(|id| id == "null")
}

/// The answer to a request came under another id.
fn misnamed(meant: &Request, id: &str, says: &mut Says) {
    let id = text::short_to(id, 80);
    let wanted = text::short_to(meant.id.text(), 80);
    if large(&meant.key) {
        return says.note(format!("id {wanted} came back as {id}"));
    }
    says.broken(
        Why::new(
            format!("id {wanted}"),
            format!(
                "{} had the id {wanted}, and its answer has the id {id}",
                meant.method
            ),
        )
        .sent(meant.text.clone()),
    );
}

/// Something of ours may have drawn a response that answers no request: a malformed frame, a response to nothing, or a
/// message that a careless line splitter takes for several (TRANSPORT-024 judges that).
pub(in crate::rules) fn excused(conn: &Conn) -> bool {
    conn.malformed || conn.separators || conn.strayed
}

/// The request that a response with a wrong id must have meant: the one whose id it resembles, or the only one that is
/// open. An error may instead answer a notification (JSONRPC-009), and anything a request that was sent before the
/// recording begins.
fn meant(conn: &Conn, orphan: &Orphan) -> Option<usize> {
    let notified = conn.notified[orphan.from.other() as usize];
    let named = orphan.id.as_deref() != Some("null");
    let elsewhere = !conn.from_start || notified && (orphan.is_error || !named);
    orphan.near.or(orphan.only.filter(|_| !elsewhere))
}

/// The judged side answered this request under a wrong id, which is JSONRPC-006's.
pub(in crate::rules) fn answered_under_another_id(m: &Moment<'_>, request: usize) -> bool {
    let mut orphans = m.conn.orphans.iter();
    orphans.any(|orphan| orphan.from == m.judged && meant(m.conn, orphan) == Some(request))
}

/// Why it is not known whether a notification was answered.
pub(in crate::rules) const NAMES_NO_REQUEST: &str =
    "a response that names no request came, and it may belong to one";

/// Whether a notification was answered.
pub(in crate::rules) enum Told {
    /// Not that it was seen.
    Nothing,
    /// A response came that may belong to a notification, or to something else.
    Unclear,
    /// It was, or the newest before the answer.
    Answered {
        /// The event of the notification.
        notification: u64,
        /// That of the response.
        answer: u64,
    },
}

/// Whether the judged side has answered a notification since this event. Certain only where every request that was open
/// when the answer came has one of its own.
pub(in crate::rules) fn answered_notification(m: &Moment<'_>, since: u64) -> Told {
    let answers = |orphan: &&Orphan| {
        let nameless = orphan.id.as_deref().is_none_or(|id| id == "null");
        // An answer under a twin of a pending id belongs to JSONRPC-006.
        orphan.from == m.judged && orphan.near.is_none() && (nameless || orphan.is_error)
    };
    let later = || {
        let orphans = m.conn.orphans.iter().rev();
        orphans.take_while(|orphan| orphan.seq > since)
    };
    let answer = match m.fact {
        Fact::Orphan(index) => Some(&m.conn.orphans[*index]).filter(answers),
        Fact::Answered { .. } if m.answered().is_some() => later().find(answers),
        Fact::Settled | Fact::Exited => later().find(answers),
        _ => None,
    };
    let Some(answer) = answer else {
        return Told::Nothing;
    };
    let asker = m.judged.other();
    let mut open = m.conn.open_requests(asker);
    let certain = m.conn.from_start && open.all(|(_, request)| request.seq > answer.seq);
    let mut told = m.conn.notifications.iter().rev();
    let told = told.find(|told| told.from == asker && told.seq < answer.seq);
    match told {
        Some(told) if certain => Told::Answered {
            notification: told.seq,
            answer: answer.seq,
        },
        _ if matches!(m.fact, Fact::Settled | Fact::Exited) => Told::Unclear,
        _ => Told::Nothing,
    }
}

/// JSONRPC-009: a notification is never answered. Judged only where no malformed frame may have drawn the answer, and
/// where every request that was open when it came has an answer of its own. (overview#error-handling)
pub(super) const NOTIFICATION_UNANSWERED: Rule = Rule::ban(
    "ACP-JSONRPC-009",
    |m, says| {
        let Fact::Notified(index) = m.fact else {
            return;
        };
        let theirs = |notification: &&Notification| notification.from != m.judged;
        if !theirs(&&m.conn.notifications[*index]) || excused(m.conn) {
            return;
        }
        // One watch stands for all notifications until the target settles.
        let earlier = m.conn.notifications[..*index].iter().rev().find(theirs);
        if earlier.is_none_or(|earlier| Some(earlier.seq) < m.conn.settled) {
            says.watch(Subject::Connection);
        }
    },
    |m, watch| {
        if excused(m.conn) {
            return Still::Moot;
        }
        match answered_notification(m, watch.opened) {
            // The silence of an agent that answers no strange request either says nothing of notifications.
            Told::Nothing
                if matches!(m.fact, Fact::Settled | Fact::Closed(_) | Fact::Exited)
                    && !answers_custom_requests(m) =>
            {
                Still::Unclear(format!(
                    "{} answers no request that it does not know",
                    m.who()
                ))
            }
            Told::Nothing => Still::Watching,
            Told::Unclear => Still::Unclear(NAMES_NO_REQUEST.to_owned()),
            Told::Answered {
                notification,
                answer,
            } => {
                let mut told = m.conn.notifications.iter().rev();
                let told = told.find(|told| told.seq == notification);
                let method = told.map_or("", |told| &told.method);
                // Those of cancellation and of completion have rows of their own.
                if matches!(
                    method,
                    cancel::METHOD | "session/cancel" | "elicitation/complete"
                ) {
                    return Still::Moot;
                }
                Still::Broken(
                    Why::new(
                        "no answer to a notification",
                        format!(
                            "the notification {} was answered",
                            text::short_to(method, 60)
                        ),
                    )
                    .at(answer),
                )
            }
        }
    },
)
.of_both();

/// JSONRPC-020: within one direction an id is not used again before its request is answered. Elicitations have
/// ELICIT-SCOPE-027. (crate v2/rpc.rs RequestId; derived)
pub(super) const ID_NOT_REUSED: Rule = Rule::check("ACP-JSONRPC-020", |m, says| {
    let Some((index, request)) = m.requested() else {
        return;
    };
    if request.method == "elicitation/create" || cancel::reuses_cancelled(m.conn, request) {
        return;
    }
    if let Some(earlier) = request.reuses {
        says.broken(Why::new(
            "an id that no open request of the same side has",
            format!(
                "id {} is that of {}, which is unanswered",
                request.id.text(),
                m.conn.requests[earlier].method
            ),
        ));
    } else if m
        .conn
        .open_requests(m.judged)
        .any(|(other, _)| other != index)
    {
        says.upheld();
    }
})
.of_both();

/// JSONRPC-021: ids are scoped per direction: a request of ours with the id of an open request of the agent's is
/// answered, and the agent's own request stays what it was. (crate v2/rpc.rs RequestId; derived)
pub(super) const IDS_PER_DIRECTION: Rule = Rule::duty(
    "ACP-JSONRPC-021",
    "both requests are answered, though they have the same id",
    |m, says| {
        let Some((index, request)) = m.asked() else {
            return;
        };
        let twin = m
            .conn
            .open_with(m.judged, &request.key)
            .map(|own| (own, &m.conn.requests[own]));
        let Some((own, twin)) = twin.filter(|(_, twin)| !twin.fence) else {
            return;
        };
        says.watch(Subject::Request(index));
        // The turn of an agent shows what became of its own question; that of a client we end ourselves.
        if let Some(turn) = twin.turn.filter(|_| m.judged == Side::Server) {
            says.watch_for(Subject::Turn(turn), own.to_string());
        }
    },
    |m, watch| match watch.subject {
        Subject::Request(index) => {
            let request = &m.conn.requests[index];
            match m.fact {
                _ if !request.is_open() => Still::Upheld,
                Fact::Deadline(_)
                    if request.overdue == Some(m.event.seq) && !needs_nobody(m.conn, request) =>
                {
                    Still::Unclear(format!("{} may need longer", request.method))
                }
                Fact::Deadline(_)
                    if request.overdue == Some(m.event.seq) && !answers_custom_requests(m) =>
                {
                    Still::Unclear(
                        "no request that nobody knows is answered, under any id".to_owned(),
                    )
                }
                Fact::Exited => match m.died() {
                    Some(how) if m.newest_is(request.seq) => Still::Broken(
                        Why::new(
                            "both requests are answered",
                            format!("a request with the id of an open one was sent, and {how}"),
                        )
                        .sent(request.text.clone()),
                    ),
                    _ => Still::Watching,
                },
                _ => Still::Watching,
            }
        }
        Subject::Turn(index) => {
            let turn = &m.conn.turns[index];
            let own = watch
                .memo
                .parse()
                .ok()
                .and_then(|own: usize| m.conn.requests.get(own));
            let unanswered = own.is_some_and(Request::is_open) && turn.cancelled.is_none();
            match m.fact {
                _ if turn.ended.is_some() && unanswered => {
                    Still::Unclear("the turn ended before the agent had its answer".to_owned())
                }
                _ if turn.ended.is_some() => Still::Upheld,
                Fact::Deadline(_) if turn.trigger.is_none() || turn.outlasts_answers() => {
                    Still::Unclear("the turn may need longer".to_owned())
                }
                _ => Still::Watching,
            }
        }
        Subject::Connection => Still::Moot,
    },
)
.of_both();
