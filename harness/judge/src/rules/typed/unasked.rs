//! What an agent does where a choice cannot be asked, and that it is asked where it can.

use elenchus_wire::Side;
use serde_json::Value;

use super::{
    super::report::{OWN_WORDS, Report, failed},
    Offer, chosen, is_sound, outcome, why,
};
use crate::{
    fact::{Fact, Moment},
    kinds::TURN_STARTS,
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::Request,
};

pub(in crate::rules) const RULES: &[Rule] = &[
    ONE_DEFAULT.at(&[TURN_STARTS]),
    SUPPORT_FIRST.at(&[TURN_STARTS]),
    UNSUPPORTED.at(&[TURN_STARTS]),
    NO_PERMISSION.at(&[TURN_STARTS]),
    FALLBACK_PASSED_ON.at(&[TURN_STARTS]),
    FALLBACK_OFFERED.at(&[TURN_STARTS]),
    NO_SWITCH.at(&[TURN_STARTS]),
];

/// The turn that begins at this fact, if it is told to offer a choice.
fn begun<'a>(m: &Moment<'a>) -> Option<(usize, Offer<'a>)> {
    let Fact::TurnStarted(index) = m.fact else {
        return None;
    };
    let offer = Offer::read(&m.conn.turns[*index])?;
    (m.judged == Side::Server).then_some((*index, offer))
}

/// The turn of a watch asks for the first time at this fact.
fn asks(m: &Moment<'_>, watch: &Watch) -> bool {
    match (m.fact, watch.subject) {
        (Fact::Requested(request), Subject::Turn(turn)) => {
            m.conn.turns[turn].elicitations.contains(request)
        }
        _ => false,
    }
}

/// TYPED-008: two defaults are no question. (typed-elicitation#single-choice-questions; derived)
const ONE_DEFAULT: Rule = Rule::check_later(
    "ACP-TYPED-008",
    |m, says| {
        if let Some((turn, offer)) = begun(m)
            && offer.defaults.len() > 1
            && m.conn.init.support.form
        {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| {
        if asks(m, watch) {
            return Still::Broken(Why::new(
                "nothing is sent",
                "two choices are marked as default, and the question was asked all the same",
            ));
        }
        match outcome(m, watch) {
            Ok((_, Report::Unavailable | Report::Invalid | Report::Error)) => Still::Upheld,
            Ok((turn, _)) if failed(turn) => Still::Upheld,
            Ok(_) => Still::Unclear(OWN_WORDS.to_owned()),
            Err(still) => still,
        }
    },
);

/// TYPED-013: where forms are not advertised, nothing is sent. (typed-elicitation#capability-negotiation-and-fallbacks)
const SUPPORT_FIRST: Rule = Rule::check_later(
    "ACP-TYPED-013",
    |m, says| watch_without_forms(m, says, |_| true),
    |m, watch| {
        if asks(m, watch) {
            return Still::Broken(Why::new(
                "no elicitation",
                "the client does not advertise forms, and was asked for a choice",
            ));
        }
        match outcome(m, watch) {
            Ok((_, Report::Other)) => Still::Unclear(OWN_WORDS.to_owned()),
            Ok(_) => Still::Upheld,
            Err(still) => still,
        }
    },
);

fn watch_without_forms(m: &Moment<'_>, says: &mut Says, such: fn(&Offer<'_>) -> bool) {
    if let Some((turn, offer)) = begun(m)
        && m.conn.initialized()
        && !m.conn.init.support.form
        && such(&offer)
    {
        says.watch(Subject::Turn(turn));
    }
}

/// TYPED-014: without forms and without a fallback, the agent says that it cannot ask.
/// (typed-elicitation#capability-negotiation-and-fallbacks)
const UNSUPPORTED: Rule = Rule::duty(
    "ACP-TYPED-014",
    "the end of the turn, since nobody can be asked",
    |m, says| {
        watch_without_forms(m, says, |offer| is_sound(offer) && offer.fallback.is_none());
    },
    |m, watch| {
        if asks(m, watch) {
            return Still::Moot;
        }
        let (turn, report) = match outcome(m, watch) {
            Ok(ended) => ended,
            Err(still) => return still,
        };
        match report {
            Report::Accept(_) | Report::Decline | Report::Cancel => why(
                m,
                turn,
                "unavailable",
                "nobody could be asked, and the agent reports an answer",
            ),
            Report::Other if !failed(turn) => Still::Unclear(OWN_WORDS.to_owned()),
            _ => Still::Upheld,
        }
    },
);

/// TYPED-015: a permission request is no substitute for a question.
/// (typed-elicitation#capability-negotiation-and-fallbacks)
const NO_PERMISSION: Rule = Rule::check_later(
    "ACP-TYPED-015",
    |m, says| watch_without_forms(m, says, is_sound),
    |m, watch| {
        if let (Some((_, request)), Subject::Turn(turn)) = (m.requested(), watch.subject)
            && request.method == "session/request_permission"
            && let Some(offer) = Offer::read(&m.conn.turns[turn])
            && carries(request, &offer)
        {
            return Still::Broken(Why::new(
                "no permission request",
                "the client does not advertise forms, and was asked for the choice as for a permission",
            ));
        }
        match outcome(m, watch) {
            Ok(_) => Still::Upheld,
            Err(still) => still,
        }
    },
);

/// The options of a permission request are the choices.
fn carries(request: &Request, offer: &Offer<'_>) -> bool {
    let options = request
        .params
        .as_ref()
        .and_then(|params| params.get("options")?.as_array());
    options.into_iter().flatten().any(|option| {
        let says = |name: &str| option.get(name).and_then(Value::as_str);
        [says("name"), says("optionId")]
            .into_iter()
            .flatten()
            .any(|text| offer.has(text))
    })
}

/// TYPED-017: what the fallback says is passed on. (typed-elicitation#capability-negotiation-and-fallbacks)
const FALLBACK_PASSED_ON: Rule = Rule::check_later(
    "ACP-TYPED-017",
    |m, says| {
        watch_without_forms(m, says, |offer| is_sound(offer) && offer.fallback.is_some());
    },
    |m, watch| {
        let (turn, report) = match outcome(m, watch) {
            Ok(ended) => ended,
            Err(still) => return still,
        };
        let fallback = Offer::read(turn)
            .and_then(|offer| offer.fallback)
            .unwrap_or_default();
        match (chosen(&report), &report) {
            (Some(chosen), _) if chosen == fallback => Still::Upheld,
            (Some(_), _) | (_, Report::Decline | Report::Cancel) => {
                let fallback = text::short_to(fallback, 60);
                let expected = format!("chose {fallback}");
                why(
                    m,
                    turn,
                    &expected,
                    format!("the fallback chose {fallback}, and the agent reports something else"),
                )
            }
            _ => Still::Unclear("the agent may have no fallback".to_owned()),
        }
    },
);

/// TYPED-018: a fallback that is not offered is no choice. (typed-elicitation#capability-negotiation-and-fallbacks)
const FALLBACK_OFFERED: Rule = Rule::check_later(
    "ACP-TYPED-018",
    |m, says| {
        watch_without_forms(m, says, |offer| {
            offer.fallback.is_some_and(|fallback| !offer.has(fallback))
        });
    },
    |m, watch| {
        let (turn, report) = match outcome(m, watch) {
            Ok(ended) => ended,
            Err(still) => return still,
        };
        match (chosen(&report), &report) {
            (Some(_), _) => why(
                m,
                turn,
                "unavailable",
                "the fallback is none of the choices, and the agent reports a choice",
            ),
            (None, Report::Other) if !failed(turn) => Still::Unclear(OWN_WORDS.to_owned()),
            _ => Still::Upheld,
        }
    },
);

/// TYPED-026: a client that knows forms is enough: no switch of the agent's own keeps it from asking.
/// (typed-elicitation#remote-transport)
const NO_SWITCH: Rule = Rule::check_later(
    "ACP-TYPED-026",
    |m, says| {
        if let Some((turn, offer)) = begun(m)
            && is_sound(&offer)
            && m.conn.init.support.form
        {
            says.watch(Subject::Turn(turn));
        }
    },
    |m, watch| {
        if asks(m, watch) {
            return Still::Upheld;
        }
        match outcome(m, watch) {
            Ok((turn, Report::Unavailable)) => why(
                m,
                turn,
                "a question",
                "the client advertises forms, and the agent says that nobody can be asked",
            ),
            Ok(_) => Still::Unclear(OWN_WORDS.to_owned()),
            Err(still) => still,
        }
    },
);
