//! The world against a small model of it: any conversation of requests, answers, cancellations and turns adds up to the
//! same in both, after every event.

mod model;

use elenchus_judge::{Fact, World, world::Conn};
use elenchus_protocol::Version;
use elenchus_wire::{Event, EventKind, Frame, Id, Side};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::json;

use model::{IDS, Model, Move, SESSIONS, State};

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let side = || select(&[Side::Client, Side::Server][..]);
    let id = || 0..IDS.len();
    let session = || 0..SESSIONS.len();
    let states = &[State::Running, State::Idle, State::IdleCancelled][..];
    let action = prop_oneof![
        3 => (side(), id()).prop_map(|(from, id)| Move::Ask { from, id }),
        3 => (id(), session()).prop_map(|(id, session)| Move::Prompt { id, session }),
        6 => (side(), id(), any::<bool>())
            .prop_map(|(from, id, error)| Move::Answer { from, id, error }),
        1 => (side(), id()).prop_map(|(from, id)| Move::CancelRequest { from, id }),
        2 => session().prop_map(|session| Move::CancelTurns { session }),
        4 => (session(), select(states)).prop_map(|(session, state)| Move::State { session, state }),
        1 => Just(Move::Settle),
    ];
    vec(action, 0..60)
}

/// The event that a move is.
fn event(seq: u64, action: &Move) -> Event {
    let (from, text) = match *action {
        Move::Ask { from, id } => (from, request(id, "_x", &json!({}))),
        Move::Prompt { id, session } => {
            let params = json!({"sessionId": SESSIONS[session], "prompt": []});
            (Side::Client, request(id, "session/prompt", &params))
        }
        Move::Answer { from, id, error } => {
            let body = if error {
                r#""error":{"code":-32603,"message":"m"}"#
            } else {
                r#""result":{}"#
            };
            let id = IDS[id].0;
            (from, format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#))
        }
        Move::CancelRequest { from, id } => {
            let id = IDS[id].0;
            let params = format!(r#"{{"requestId":{id}}}"#);
            (from, notification("$/cancel_request", &params))
        }
        Move::CancelTurns { session } => {
            let params = json!({"sessionId": SESSIONS[session]});
            let line = notification("session/cancel", &params.to_string());
            (Side::Client, line)
        }
        Move::State { session, state } => {
            let mut update = json!({"sessionUpdate": "state_update", "state": "idle"});
            match state {
                State::Running => update["state"] = json!("running"),
                State::Idle => update["stopReason"] = json!("end_turn"),
                State::IdleCancelled => update["stopReason"] = json!("cancelled"),
            }
            let params = json!({"sessionId": SESSIONS[session], "update": update});
            let line = notification("session/update", &params.to_string());
            (Side::Server, line)
        }
        Move::Settle => {
            let kind = EventKind::Settled {
                fence: "0".to_owned(),
            };
            return at(seq, kind);
        }
    };
    let frame = Frame::line(&text);
    at(seq, EventKind::Frame { from, frame })
}

fn at(seq: u64, kind: EventKind) -> Event {
    Event {
        seq,
        at_us: seq,
        conn: 0,
        kind,
    }
}

fn request(id: usize, method: &str, params: &serde_json::Value) -> String {
    let id = IDS[id].0;
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

/// Everything that the model knows is what the world says.
fn agree(conn: &Conn, model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(conn.requests.len(), model.asked.len());
    for (request, asked) in conn.requests.iter().zip(&model.asked) {
        prop_assert_eq!(request.from, asked.from);
        prop_assert_eq!(request.id.text(), IDS[asked.id].0);
        let answers: Vec<u64> = request.answers.iter().map(|answer| answer.seq).collect();
        prop_assert_eq!(&answers, &asked.answers);
        prop_assert_eq!(request.cancels, asked.cancels);
        prop_assert_eq!(request.cancel_asked.is_some(), asked.cancels > 0);
    }
    let orphans: Vec<_> = conn
        .orphans
        .iter()
        .map(|orphan| (orphan.from, orphan.id.as_deref()))
        .collect();
    let expected: Vec<_> = model
        .orphans
        .iter()
        .map(|(from, id)| (*from, Some(IDS[*id].0)))
        .collect();
    prop_assert_eq!(orphans, expected);

    prop_assert_eq!(conn.turns.len(), model.turns.len());
    for (turn, known) in conn.turns.iter().zip(&model.turns) {
        prop_assert_eq!(turn.request, known.request);
        prop_assert_eq!(turn.session.as_str(), SESSIONS[known.session]);
        prop_assert_eq!(turn.cancels, known.cancels);
        prop_assert_eq!(turn.ended.as_ref().map(|end| end.seq), known.ended);
    }
    for side in [Side::Client, Side::Server] {
        let open: Vec<usize> = conn.open_requests(side).map(|(index, _)| index).collect();
        let expected: Vec<usize> = (0..model.asked.len())
            .filter(|index| model.asked[*index].from == side)
            .filter(|index| model.asked[*index].answers.is_empty())
            .collect();
        prop_assert_eq!(open, expected);
        for (text, meaning) in IDS {
            let same = |index: &usize| {
                model.asked[*index].from == side && IDS[model.asked[*index].id].1 == *meaning
            };
            let alike: Vec<usize> = (0..model.asked.len()).filter(same).collect();
            let key = Id((*text).into()).key();
            prop_assert_eq!(conn.with_key(side, &key), alike.last().copied());
            let open = alike
                .iter()
                .find(|index| model.asked[**index].answers.is_empty());
            prop_assert_eq!(conn.open_with(side, &key), open.copied());
        }
    }
    for (index, session) in SESSIONS.iter().enumerate() {
        prop_assert_eq!(conn.open_turn(session), model.working(index));
    }
    Ok(())
}

/// What the world says has changed is what has changed in the model.
fn told(facts: &[Fact], before: &Model, after: &Model) -> Result<(), TestCaseError> {
    let ended = |model: &Model| {
        let over = model.turns.iter().filter(|turn| turn.ended.is_some());
        over.count()
    };
    let answers = |model: &Model| -> usize { model.asked.iter().map(|a| a.answers.len()).sum() };
    let count = |kind: fn(&Fact) -> bool| facts.iter().filter(|fact| kind(fact)).count();
    for (told, changed) in [
        (
            count(|fact| matches!(fact, Fact::Requested(_))),
            after.asked.len() - before.asked.len(),
        ),
        (
            count(|fact| matches!(fact, Fact::Answered { .. })),
            answers(after) - answers(before),
        ),
        (
            count(|fact| matches!(fact, Fact::Orphan(_))),
            after.orphans.len() - before.orphans.len(),
        ),
        (
            count(|fact| matches!(fact, Fact::TurnStarted(_))),
            after.turns.len() - before.turns.len(),
        ),
        (
            count(|fact| matches!(fact, Fact::TurnEnded(_))),
            ended(after) - ended(before),
        ),
    ] {
        prop_assert_eq!(told, changed, "{:?}", facts);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_conversation_adds_up_to_the_same_in_the_world_and_in_its_model(
        version in select(&Version::ALL[..]),
        moves in moves(),
    ) {
        let mut world = World::new(version);
        let mut model = Model::new(version);
        for (seq, action) in (0..).zip(&moves) {
            let before = model.clone();
            model.apply(seq, action);
            let mut facts = Vec::new();
            world.apply(&event(seq, action), &mut facts);
            agree(&world.conns[&0], &model)?;
            told(&facts, &before, &model)?;
        }
    }

    /// Connections have nothing to do with each other.
    #[test]
    fn two_conversations_add_up_to_the_same_together_and_apart(
        version in select(&Version::ALL[..]),
        one in moves(),
        other in moves(),
        turns in vec(any::<bool>(), 0..120),
    ) {
        let mut world = World::new(version);
        let mut models = [Model::new(version), Model::new(version)];
        let mut left = [one.iter(), other.iter()];
        for (seq, turn) in (0..).zip(&turns) {
            let conn = u32::from(*turn);
            let Some(action) = left[usize::from(*turn)].next() else { continue };
            models[usize::from(*turn)].apply(seq, action);
            world.apply(&Event { conn, ..event(seq, action) }, &mut Vec::new());
            agree(&world.conns[&conn], &models[usize::from(*turn)])?;
        }
    }
}
