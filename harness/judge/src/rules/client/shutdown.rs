//! SHUTDOWN: what becomes of a client whose agent goes away.

use elenchus_wire::{Side, Wait, event::Asked};

use crate::{
    fact::{Fact, Moment},
    kinds::CLOSES,
    rule::{Rule, Still, Subject, Why},
};

pub(super) const RULES: &[Rule] = &[AGENT_GONE.at(&[CLOSES])];

/// On another connection a turn came to its end, and the client ended by itself behind it: it is not one that stays.
fn ends_by_itself(m: &Moment<'_>) -> bool {
    m.world.conns.values().any(|conn| {
        conn.id != m.conn.id
            && conn.client_is_done()
            && conn.turns.iter().any(|turn| turn.ended.is_some())
    })
}

/// So long, in microseconds, a client has had to end by itself before it was ended by force.
const PATIENCE: u64 = 4_000_000;

/// SHUTDOWN-007: an agent that goes away in the middle of a turn leaves no client that waits for ever. Broken only where
/// the client ended by itself on another connection, after a turn that came to its end. (robustness)
const AGENT_GONE: Rule = Rule::check_later(
    "ACP-SHUTDOWN-007",
    |m, says| {
        let gone = matches!(m.fact, Fact::Closed(Side::Server)) && m.judged == Side::Client;
        let left = m.conn.closed.contains_key(&Side::Client) || m.conn.exit.is_some();
        if gone && !left && m.conn.turns.iter().any(|turn| turn.ended.is_none()) {
            says.watch_for(Subject::Connection, m.event.at_us.to_string());
        }
    },
    |m, watch| {
        let broken = |how: &str| {
            Still::Broken(
                Why::new(
                    "a turn that has failed",
                    format!("the agent went away in the middle of a turn, and {how}"),
                )
                .sent("the end of the stream")
                .got(how.to_owned()),
            )
        };
        let hangs = |m: &Moment<'_>| {
            if ends_by_itself(m) {
                broken("the client went on waiting")
            } else {
                Still::Unclear("the client may be one that stays".to_owned())
            }
        };
        match (m.fact, &m.conn.exit) {
            (Fact::Deadline(Wait::Exit), _) => hangs(m),
            (Fact::Exited, Some(exit)) => match (exit.asked, exit.signal) {
                (Asked::Close | Asked::Nothing, Some(signal)) => {
                    broken(&format!("the client was ended by signal {signal}"))
                }
                (Asked::Close | Asked::Nothing, None) => Still::Upheld,
                (Asked::Terminate | Asked::Kill, _) => {
                    let since: u64 = watch.memo.parse().unwrap_or_default();
                    if m.since(since).is_some_and(|waited| waited >= PATIENCE) {
                        hangs(m)
                    } else {
                        Still::Unclear("the client was ended by force".to_owned())
                    }
                }
            },
            _ => Still::Watching,
        }
    },
)
.of_client();
