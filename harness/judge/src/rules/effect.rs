//! ELICIT-RESP, the part about consent: an effect that a question asks consent for does not happen without it.

use super::{
    report::{consented, effect_name, effect_shown},
    views::answered_with,
};
use crate::{
    fact::Fact,
    kinds::{CLOSES, REQUESTS},
    rule::{Rule, Still, Subject, Why},
    text,
    world::{Conn, Turn},
};

pub(super) const RULES: &[Rule] = &[
    NOTHING_BEFORE_ACCEPT.at(&[REQUESTS]),
    LOSS_OF_CLIENT.at(&[CLOSES]),
];

/// RESP-013: nothing that depends on the answer happens before or without an accept that consents. What is seen before
/// our consent was sent, the agent did without it; what is seen later may have crossed. (elicitation#responses)
const NOTHING_BEFORE_ACCEPT: Rule = Rule::check_later(
    "ACP-ELICIT-RESP-013",
    |m, says| {
        let Some((_, request)) = m
            .requested()
            .filter(|(_, request)| request.elicitation.is_some())
        else {
            return;
        };
        let Some(index) = request.turn else { return };
        let turn = &m.conn.turns[index];
        if effect_name(turn).is_none() {
            return;
        }
        match without_consent(m.conn, turn) {
            Some(_) if m.conn.overlaps(index) => {
                says.unclear("another turn ran in the same session");
            }
            Some(why) => says.broken(why),
            None => says.watch(Subject::Turn(index)),
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        if let Some(why) = without_consent(m.conn, turn) {
            return Still::Broken(why);
        }
        match m.turn_ended() {
            _ if effect_shown(m.conn, turn) => Still::Upheld,
            Some((ended, _)) if ended == index => Still::Upheld,
            _ if matches!(m.fact, Fact::Exited) => Still::Moot,
            _ => Still::Watching,
        }
    },
);

/// The effect of a turn was performed, and nobody has consented to it yet.
fn without_consent(conn: &Conn, turn: &Turn) -> Option<Why> {
    let name = effect_name(turn).filter(|_| effect_shown(conn, turn) && !consented(conn, turn))?;
    let name = text::short_to(name, 60);
    Some(
        Why::new(
            format!("no effect `{name}` before the user has accepted with confirm:true"),
            format!(
                "the effect `{name}` was performed without the consent that the question asked for"
            ),
        )
        .sent(answered_with(conn, turn)),
    )
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
                && !effect_shown(m.conn, turn)
                && !consented(m.conn, turn)
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
        if effect_shown(m.conn, turn) {
            let name = text::short_to(effect_name(turn).unwrap_or_default(), 60);
            return Still::Broken(
                Why::new(
                    format!("no effect `{name}` after the client is gone"),
                    format!("the client's end closed while the question was open, and the effect `{name}` was performed"),
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
