//! RESUME: session/resume, with a replay where version 2 is asked for one.

use elenchus_protocol::Version;
use serde_json::Value;

use super::{
    lifecycle::{
        History, answer_to, busy_since, home_of, latest, made_up, param, restored_twice,
        session_of, shown, text_param, told, updates, wants_error,
    },
    load::{Late, late_history, prompted_after, whole_result},
};
use crate::{
    fact::Moment,
    kinds::ANSWERS,
    rule::{Rule, Says, Still, Subject, Why},
    text,
    world::{Answered, Request, Uttered},
};

pub(super) const RULES: &[Rule] = &[
    SUCCEEDS.at(&[ANSWERS]),
    NO_REPLAY.at(&[ANSWERS]),
    REPLAY_FIRST.at(&[ANSWERS]),
    PROMPT_IDS.at(&[ANSWERS]),
    REPLAY_COMPLETE.at(&[ANSWERS]),
    NO_COMPLETE.at(&[ANSWERS]),
    STATE.at(&[ANSWERS]),
    ODD_CURSOR.at(&[ANSWERS]),
    LIVE_HELD_BACK.at(&[ANSWERS]),
    UNKNOWN.at(&[ANSWERS]),
    PROMPTABLE.at(&[ANSWERS]),
];

/// A `session/resume` that was answered.
struct Resumed<'a> {
    index: usize,
    request: &'a Request,
    answer: &'a Answered,
    session: &'a str,
}

impl<'a> Resumed<'a> {
    fn at(m: &Moment<'a>) -> Option<Self> {
        // What was left out for lack of room may be what is looked for.
        if !m.conn.uttered_all {
            return None;
        }
        let (index, request, answer) = answer_to(m, &["session/resume"])?;
        let session = session_of(request)?;
        Some(Self {
            index,
            request,
            answer,
            session,
        })
    }

    /// The same, in version 2.
    fn at_v2(m: &Moment<'a>) -> Option<Self> {
        Self::at(m).filter(|_| m.conn.version() == Version::AcpV2)
    }

    /// A successful one of version 2 that asks for a replay from the start, or does not.
    fn successful(m: &Moment<'a>, replay: bool) -> Option<Self> {
        let it = Self::at_v2(m)?;
        let clear = !it.answer.is_error && !restored_twice(m.conn, it.request);
        (clear && it.replays_from_start() == replay).then_some(it)
    }

    /// What it asks to be replayed.
    fn cursor(&self, m: &Moment<'_>) -> Option<&'a Value> {
        param(self.request, "replayFrom").filter(|_| m.conn.version() == Version::AcpV2)
    }

    fn replays_from_start(&self) -> bool {
        param(self.request, "replayFrom")
            .and_then(|cursor| cursor.get("type"))
            .is_some_and(|kind| kind == "start")
    }

    /// The updates of the session between request and answer.
    fn told(&self, m: &Moment<'a>) -> impl Iterator<Item = &'a Uttered> + use<'a> {
        updates(m.conn, self.session, self.request.seq, self.answer.seq)
    }

    /// No work of the session, and no other request to take it up, can be what something was told for.
    fn is_quiet(&self, m: &Moment<'_>) -> bool {
        !busy_since(m.world, self.session, self.request.seq)
            && !restored_twice(m.conn, self.request)
    }

    fn history(&self, m: &Moment<'a>) -> History<'a> {
        History::of(m.world, self.session, self.request.seq)
    }
}

/// RESUME-001: a session that the agent knows is resumed in its folder. No agent has to keep one, so that only an answer
/// that there is no such method counts. (session-setup#resuming-sessions)
const SUCCEEDS: Rule = Rule::check("ACP-RESUME-001", |m, says| {
    let Some(it) = Resumed::at(m) else { return };
    let home = home_of(m.world, it.session);
    let plain = it.request.params.as_ref().and_then(Value::as_object);
    let plain = plain.is_some_and(|params| {
        let known = ["sessionId", "cwd", "mcpServers"];
        params.keys().all(|name| known.contains(&name.as_str()))
    });
    if !super::lifecycle::announces(m.conn, "session/resume")
        || !plain
        || home.is_none()
        || home != text_param(it.request, "cwd")
    {
        return;
    }
    match (it.answer.is_error, it.answer.error_code) {
        (false, _) => whole_result(m, says, it.request),
        (true, Some(-32601)) => says.broken(Why::new(
            "a result",
            "session/resume is announced, and answered that it does not exist",
        )),
        _ => says.unclear("the session was not resumed, and no agent has to keep one"),
    }
});

/// RESUME-004: without replayFrom nothing of the history is told before the answer. Judged on an idle session, by
/// what this trace has seen of it. (session-setup#resuming-sessions)
const NO_REPLAY: Rule = Rule::check("ACP-RESUME-004", |m, says| {
    let Some(it) = Resumed::at(m).filter(|it| !it.answer.is_error) else {
        return;
    };
    let history = it.history(m);
    if it.cursor(m).is_some() || !it.is_quiet(m) || history.is_empty() {
        return;
    }
    // A message under an id that was never told is a new one: work in the background may say the same as before.
    let is_new = |update: &Uttered| {
        let mut told = m.conn.uttered.iter();
        let known = |other: &Uttered| other.seq < it.request.seq && other.id == update.id;
        let words = update.id.is_some() && !update.is_users();
        m.conn.version() == Version::AcpV2 && words && !told.any(known)
    };
    let again = it
        .told(m)
        .find(|update| history.has(update) && !is_new(update));
    match again {
        None => says.upheld(),
        Some(update) => says.broken(
            Why::new(
                "no history before the answer to session/resume",
                "the session was resumed without replayFrom, and its history was told again",
            )
            .sent(it.request.text.clone())
            .got(shown(update)),
        ),
    }
});

/// RESUME-005 (v2): with replayFrom the history comes before the answer. An agent that keeps none tells none.
/// (v2 session-setup#replay)
const REPLAY_FIRST: Rule = Rule::check_later(
    "ACP-RESUME-005",
    |m, says| {
        if let Some(it) = Resumed::successful(m, true)
            && it.is_quiet(m)
        {
            let history = it.history(m);
            if !history.is_empty() {
                let told = it.told(m).any(|update| history.has(update));
                says.watch_for(Subject::Request(it.index), if told { "told" } else { "" });
            }
        }
    },
    |m, watch| match late_history(m, watch) {
        Late::Waiting => Still::Watching,
        Late::Settled(_) if watch.memo.is_empty() => {
            Still::Unclear("nothing was replayed; the agent may keep nothing".to_owned())
        }
        Late::Settled(_) => Still::Upheld,
        Late::Prompted => Still::Unclear("the client went on with the session at once".to_owned()),
        Late::Uttered => Still::Broken(Why::new(
            "the whole replay before the answer to session/resume",
            "session/resume was answered, and then a part of the history came",
        )),
    },
);

/// RESUME-007 (v2): a replayed prompt has the messageId that the answer to the prompt gave. Judged on texts that were
/// prompted once, and where no turn is running whose prompt may be told as well. (v2 session-setup#replay)
const PROMPT_IDS: Rule = Rule::check("ACP-RESUME-007", |m, says| {
    let Some(it) = Resumed::successful(m, true).filter(|it| it.is_quiet(m)) else {
        return;
    };
    let history = it.history(m);
    for update in it.told(m).filter(|update| update.is_users()) {
        let text = &update.text;
        let mut same = history
            .prompts
            .iter()
            .filter(|(prompt, _)| !prompt.is_empty() && *prompt == text.trim());
        let (Some((_, Some(id))), None) = (same.next(), same.next()) else {
            continue;
        };
        let Some(replayed) = update.id.as_deref() else {
            continue;
        };
        says.holds(replayed == *id, || {
            Why::new(
                format!("messageId {}", text::short_to(id, 60)),
                format!(
                    "a prompt was inserted as {}, and is replayed as {}",
                    text::short_to(id, 60),
                    text::short_to(replayed, 60)
                ),
            )
            .sent(it.request.text.clone())
            .got(shown(update))
        });
    }
});

/// RESUME-008 (v2): one replay_complete ends a replay, behind all of it and before the answer, also where there was
/// nothing to replay. (v2 ReplayComplete)
const REPLAY_COMPLETE: Rule = Rule::check("ACP-RESUME-008", |m, says| {
    let Some(it) = Resumed::successful(m, true) else {
        return;
    };
    let marks = it.told(m).filter(|update| update.is_complete()).count();
    let history = it.history(m);
    let behind = it
        .told(m)
        .skip_while(|update| !update.is_complete())
        .find(|update| it.is_quiet(m) && history.has(update));
    let expected = "one replay_complete between the last replayed update and the answer";
    match (marks, behind) {
        (1, None) => says.upheld(),
        (1, Some(update)) => says.broken(
            Why::new(expected, "history came after replay_complete")
                .sent(it.request.text.clone())
                .got(shown(update)),
        ),
        (0, _) => says.broken(
            Why::new(
                expected,
                "a replay was asked for, and no replay_complete came before the answer",
            )
            .sent(it.request.text.clone()),
        ),
        _ => says.broken(
            Why::new(
                expected,
                format!("replay_complete came {marks} times before the answer"),
            )
            .sent(it.request.text.clone()),
        ),
    }
});

/// RESUME-009 (v2): no replay_complete without a replay, or where it failed. (v2 ReplayComplete)
const NO_COMPLETE: Rule = Rule::check("ACP-RESUME-009", |m, says| {
    let Some(it) = Resumed::at_v2(m) else { return };
    let plain = it.cursor(m).is_none();
    // It may be the end of another replay of the session.
    if (!plain && !it.answer.is_error) || restored_twice(m.conn, it.request) {
        return;
    }
    let mark = it.told(m).find(|update| update.is_complete());
    says.holds(mark.is_none(), || {
        let what = if plain {
            "no replay was asked for"
        } else {
            "the replay failed"
        };
        Why::new(
            "no replay_complete",
            format!("{what}, and replay_complete came before the answer"),
        )
        .sent(it.request.text.clone())
    });
});

/// RESUME-010 (v2): the state is told behind the replay and before the answer. (v2 ResumeSessionRequest)
const STATE: Rule = Rule::check("ACP-RESUME-010", |m, says| {
    let Some(it) = Resumed::at_v2(m).filter(|it| !it.answer.is_error) else {
        return;
    };
    let is_state = |update: &Uttered| update.kind == "state_update";
    let mut told: Vec<&Uttered> = it.told(m).collect();
    if let Some(at) = told.iter().rposition(|update| update.is_complete()) {
        told.drain(..=at);
    }
    says.holds(told.into_iter().any(is_state), || {
        Why::new(
            "a state_update before the answer, behind the replay",
            "session/resume was answered, and the state of the session was not told before",
        )
        .sent(it.request.text.clone())
    });
});

/// RESUME-011 (v2): a cursor that the agent cannot follow is refused with -32602. Whether a session can be resumed at
/// all, a resume without a cursor tells. (v2 ReplayFrom)
const ODD_CURSOR: Rule = Rule::check("ACP-RESUME-011", |m, says| {
    let Some(it) = Resumed::at_v2(m) else { return };
    let Some(cursor) = it.cursor(m) else { return };
    let odd = cursor
        .get("type")
        .and_then(Value::as_str)
        .is_none_or(|kind| kind.starts_with('_'));
    if !odd {
        return;
    }
    let shown = text::short_to(&cursor.to_string(), 60);
    if !it.answer.is_error {
        return says.broken(
            Why::new(
                "error -32602",
                format!("the cursor {shown} leads nowhere, and the session was resumed with it"),
            )
            .sent(it.request.text.clone()),
        );
    }
    let plain = latest(m.conn, &["session/resume"], it.session, it.request.seq);
    match it.answer.error_code {
        Some(-32602) => says.upheld(),
        _ if plain.is_none() => says.unclear("the session may not be one that can be resumed"),
        _ => says.broken(
            Why::new(
                "error -32602",
                format!("the cursor {shown} was answered with {}", told(it.answer)),
            )
            .sent(it.request.text.clone()),
        ),
    }
});

/// RESUME-012 (v2): what the running turn tells waits for the end of the replay. Only what is new by its id and by
/// its words is certain to be no replay. (v2 session-setup#replay)
const LIVE_HELD_BACK: Rule = Rule::check("ACP-RESUME-012", |m, says| {
    let Some(it) = Resumed::successful(m, true) else {
        return;
    };
    let running = m.conn.turns.iter().any(|turn| {
        turn.session == it.session
            && m.conn.requests[turn.request].seq < it.request.seq
            && turn
                .ended
                .as_ref()
                .is_none_or(|end| end.seq > it.answer.seq)
    });
    // All of the history was seen only where the session was made on this connection.
    let made_here = m
        .conn
        .requests
        .iter()
        .any(|request| super::lifecycle::made(request) == Some(it.session));
    if !running || !made_here {
        return;
    }
    let history = it.history(m);
    let seen = |update: &Uttered| {
        let id = update.id.as_deref();
        id.is_none_or(|id| history.ids.contains(id))
    };
    let live = it
        .told(m)
        .take_while(|update| !update.is_complete())
        .find(|update| {
            let text = update.text.trim();
            let new_words = update.is_message()
                && !update.is_users()
                && !text.is_empty()
                && !history.has_text(text, false)
                && !text_was_told(m, &it, text);
            !seen(update) && (update.is_tool() || new_words)
        });
    match live {
        None => says.upheld(),
        Some(update) => says.broken(
            Why::new(
                "updates of the running turn after replay_complete",
                "before replay_complete an update came that was no replay: its id and its words are new",
            )
            .sent(it.request.text.clone())
            .got(shown(update)),
        ),
    }
});

/// The agent had said this in the session before.
fn text_was_told(m: &Moment<'_>, it: &Resumed<'_>, text: &str) -> bool {
    let before: String = updates(m.conn, it.session, 0, it.request.seq)
        .filter(|update| update.is_message())
        .map(|update| update.text.as_str())
        .collect();
    before.contains(text)
}

/// RESUME-014: an unknown session is answered with an error; which one is ERROR-008's and -009's. (derived)
const UNKNOWN: Rule = Rule::check("ACP-RESUME-014", |m, says| {
    if let Some(it) = Resumed::at(m)
        && made_up(it.session)
    {
        wants_error(says, it.request, it.answer, "there is no such session");
    }
});

/// RESUME-016 (v2): a resumed session takes prompts. (v2 session-setup#resuming-sessions; derived)
const PROMPTABLE: Rule = Rule::check("ACP-RESUME-016", |m, says: &mut Says| {
    if m.conn.version() == Version::AcpV2 {
        prompted_after(m, says, "session/resume");
    }
});
