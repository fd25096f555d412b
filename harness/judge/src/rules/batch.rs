//! BATCH: arrays of messages, which version 1 does not describe and version 2 has not.

use elenchus_protocol::Version;
use elenchus_wire::FrameDefect;

use super::{
    jsonrpc::unreadable_code,
    survive::{self, OddAnswer, answer_to_odd},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, DEFECTS, LINES, ORPHANS},
    rule::{Rule, Says, Why},
    world::OddKind,
};

pub(super) const RULES: &[Rule] = &[
    SURVIVES_V1.at(&[ANSWERS, LINES, ORPHANS]),
    NO_ARRAYS_V1.at(&[DEFECTS, LINES]),
    ONE_OBJECT_V2.at(&[DEFECTS, LINES]),
    REFUSED_V2.at(&[ANSWERS, DEFECTS, LINES, ORPHANS]),
];

/// A line of the judged side is an array.
fn array(m: &Moment<'_>) -> bool {
    let whole = m.conn.line.as_ref().is_some_and(|line| line.terminated);
    matches!(m.fact, Fact::Defect(side, FrameDefect::Batch { .. }) if *side == m.judged) && whole
}

/// Our newest array may still be answered.
fn may_answer_ours(m: &Moment<'_>) -> bool {
    let odd = m.conn.odd.as_ref().filter(|odd| odd.kind == OddKind::Batch);
    odd.is_some_and(|odd| m.conn.settled < Some(odd.seq))
}

/// What BATCH-014 and 015 have in common: no line is an array. One that may answer an array of ours is left to BATCH-013
/// and 016.
fn no_arrays(m: &Moment<'_>, says: &mut Says, version: Version) {
    if m.conn.version() != version {
        return;
    }
    if array(m) && !may_answer_ours(m) {
        says.broken(Why::new(
            "one JSON object a line",
            format!("a line on {} is an array of messages", m.stream()),
        ));
    } else if m.line().is_some_and(|line| line.class.is_some()) {
        says.upheld();
    }
}

/// BATCH-014 (v1): no batches are sent. (v1 transports#stdio; derived, since JSON-RPC has them)
const NO_ARRAYS_V1: Rule = Rule::check("ACP-BATCH-014", |m, says| {
    no_arrays(m, says, Version::AcpV1);
})
.of_both();

/// BATCH-015 (v2): there is no batch envelope. (crate v2/mod.rs; derived)
const ONE_OBJECT_V2: Rule = Rule::check("ACP-BATCH-015", |m, says| {
    no_arrays(m, says, Version::AcpV2);
})
.of_both();

/// What may be the answer to an array of ours. One without an id is JSONRPC-028's.
fn named<'a>(m: &Moment<'a>) -> Option<OddAnswer<'a>> {
    answer_to_odd(m, OddKind::Batch).filter(|answer| answer.id.is_some())
}

const SENT: &str = "an array of messages was sent";

/// BATCH-013 (v1): an array of ours does no harm to the connection. Silence, an error with a null id and an array of
/// answers are all right, and anything else a remark. (v1 transports#stdio)
const SURVIVES_V1: Rule = Rule::check_later(
    "ACP-BATCH-013",
    |m, says| {
        if m.conn.version() != Version::AcpV1 {
            return;
        }
        survive::watch(m, says, OddKind::Batch);
        if let Some(answer) = named(m)
            && !(answer.nameless() && answer.code.is_some_and(unreadable_code))
        {
            says.note(
                "an array was answered, and neither with an error about it nor with an array",
            );
        }
    },
    |m, watch| survive::survives(m, watch, SENT),
)
.of_both();

/// BATCH-016 (v2): an array of ours is one invalid message. An error -32600 with a null id or silence
/// are right; an array in return, a second answer, or an answer to an entry is not.
/// (agent-client-protocol 5.2.0 transport_actor.rs)
const REFUSED_V2: Rule = Rule::check_later(
    "ACP-BATCH-016",
    |m, says| {
        if m.conn.version() != Version::AcpV2 {
            return;
        }
        survive::watch(m, says, OddKind::Batch);
        let expected = "one error -32600 with a null id, or silence";
        if array(m) && may_answer_ours(m) && m.under_test() {
            return says.broken(Why::new(
                expected,
                "an array of ours was answered with an array",
            ));
        }
        let Some(answer) = named(m) else {
            return;
        };
        if answer.result || !answer.nameless() {
            says.broken(Why::new(
                expected,
                "an entry of an array was answered, as if it were a message",
            ));
        } else if answer.odd.answers > 1 {
            says.broken(Why::new(expected, "an array was answered more than once"));
        } else if answer.code != Some(-32600) {
            says.note("an array was refused with another code than -32600");
        }
    },
    |m, watch| survive::survives(m, watch, SENT),
)
.of_both();
