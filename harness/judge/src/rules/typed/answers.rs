//! What an agent makes of the answer to a choice.

use elenchus_wire::Side;
use serde_json::Value;

use super::{
    super::{
        report::{OWN_WORDS, Report, failed, report},
        views::{last_answered, survives},
    },
    Offer, Question, chosen, outcome, why,
};
use crate::{
    fact::{Fact, Moment},
    kinds::ANSWERS,
    rule::{Rule, Says, Still, Subject, Watch},
    text,
    world::{Request, Turn},
};

pub(in crate::rules) const RULES: &[Rule] = &[
    MAPPED_BACK.at(&[ANSWERS]),
    UNKNOWN_TOKEN.at(&[ANSWERS]),
    NO_TOKEN.at(&[ANSWERS]),
    NO_DEFAULT.at(&[ANSWERS]),
    DECLINED.at(&[ANSWERS]),
    CANCELLED.at(&[ANSWERS]),
    NO_FALLBACK.at(&[ANSWERS]),
    NOT_MADE_UP.at(&[ANSWERS]),
    SURVIVES.at(&[ANSWERS]),
];

/// Our answer to the question of a choice.
struct Given<'a> {
    action: &'a str,
    /// What stands in the content under the question's name.
    token: Option<&'a Value>,
    is_error: bool,
    code: Option<i64>,
}

impl<'a> Given<'a> {
    fn read(request: &'a Request) -> Option<Self> {
        let answer = request.answer()?;
        let result = answer.result.as_ref();
        let question = Question::read(request)?;
        Some(Self {
            action: result
                .and_then(|it| it.get("action")?.as_str())
                .unwrap_or_default(),
            token: result.and_then(|it| it.get("content")?.get(question.key)),
            is_error: answer.is_error,
            code: answer.error_code,
        })
    }

    fn accepts(&self) -> bool {
        !self.is_error && self.action == "accept"
    }

    /// A text stands where the token belongs.
    fn text(&self) -> Option<&'a str> {
        self.token?.as_str().filter(|_| self.accepts())
    }
}

/// Opens a watch on the turn whose question we have just answered, where the answer is such a one.
fn after(m: &Moment<'_>, says: &mut Says, such: fn(&Given<'_>, &Question<'_>, &Offer<'_>) -> bool) {
    let Some((_, request)) = m.we_answered() else {
        return;
    };
    let (Some(turn), Some(given)) = (request.turn, Given::read(request)) else {
        return;
    };
    let (Some(offer), Some(question)) = (Offer::read(&m.conn.turns[turn]), Question::read(request))
    else {
        return;
    };
    let open = m.conn.turns[turn].ended.is_none() && m.judged == Side::Server;
    if open && such(&given, &question, &offer) {
        says.watch(Subject::Turn(turn));
    }
}

/// TYPED-004: an accepted token leads back to the value that it was issued for.
/// (typed-elicitation#single-choice-questions)
const MAPPED_BACK: Rule = Rule::check_later(
    "ACP-TYPED-004",
    |m, says| {
        after(m, says, |given, question, offer| {
            let label = given.text().and_then(|token| question.label(token));
            label.is_some_and(|label| offer.has(label))
        });
    },
    |m, watch| {
        let (turn, report) = match outcome(m, watch) {
            Ok(ended) => ended,
            Err(still) => return still,
        };
        let label = last_answered(m.conn, turn).and_then(|(request, _)| {
            let token = Given::read(request)?.text()?;
            Question::read(request)?.label(token)
        });
        match (chosen(&report), label) {
            (Some(chosen), Some(label)) if chosen == label => Still::Upheld,
            (Some(chosen), Some(label)) => {
                let (label, chosen) = (text::short_to(label, 60), text::short_to(chosen, 60));
                let expected = format!("chose {label}");
                why(
                    m,
                    turn,
                    &expected,
                    format!(
                        "the token of {label} was accepted, and the agent takes it for {chosen}"
                    ),
                )
            }
            _ => Still::Unclear("the agent did not say what was chosen".to_owned()),
        }
    },
);

/// What a turn comes to that reported no choice.
fn nothing_chosen(turn: &Turn, report: &Report) -> Still {
    if *report == Report::Other && !failed(turn) {
        Still::Unclear(OWN_WORDS.to_owned())
    } else {
        Still::Upheld
    }
}

/// What a turn that must not end in a choice came to. `default` says whether that it chose the default counts here, or
/// is another clause's business.
fn not_chosen(m: &Moment<'_>, watch: &Watch, what: &str, default: bool) -> Still {
    let (turn, report) = match outcome(m, watch) {
        Ok(ended) => ended,
        Err(still) => return still,
    };
    let Some(offer) = Offer::read(turn) else {
        return Still::Moot;
    };
    match chosen(&report) {
        Some(chosen) if offer.fallback == Some(chosen) => Still::Moot,
        Some(chosen) if offer.defaults.contains(&chosen) != default => Still::Moot,
        Some(chosen) => {
            let chosen = text::short_to(chosen, 60);
            why(
                m,
                turn,
                "no choice",
                format!("{what}, and the agent says that the user chose {chosen}"),
            )
        }
        None => nothing_chosen(turn, &report),
    }
}

/// TYPED-005: an unknown token is never a choice. (typed-elicitation#result-contract)
const UNKNOWN_TOKEN: Rule = Rule::check_later(
    "ACP-TYPED-005",
    |m, says| {
        after(m, says, |given, question, _| {
            given.text().is_some_and(|token| !question.has(token))
        });
    },
    |m, watch| {
        not_chosen(
            m,
            watch,
            "a token was accepted that was never issued",
            false,
        )
    },
);

/// TYPED-006: an accept without a token is an error: not a choice, not a decline, not a cancel.
/// (typed-elicitation#result-contract)
const NO_TOKEN: Rule = Rule::check_later(
    "ACP-TYPED-006",
    |m, says| {
        after(m, says, |given, _, _| {
            given.accepts() && given.text().is_none()
        });
    },
    |m, watch| {
        let what = "an accept came without a token";
        let still = not_chosen(m, watch, what, false);
        let (Still::Upheld, Fact::TurnEnded(turn)) = (&still, m.fact) else {
            return still;
        };
        let turn = &m.conn.turns[*turn];
        match report(turn) {
            Report::Decline | Report::Cancel => {
                let expected = "an invalid answer";
                why(
                    m,
                    turn,
                    expected,
                    format!("{what}, and the agent takes it for a refusal by the user"),
                )
            }
            _ => still,
        }
    },
);

/// TYPED-007: a default does not make up for a token that is missing or wrong.
/// (typed-elicitation#single-choice-questions)
const NO_DEFAULT: Rule = Rule::check_later(
    "ACP-TYPED-007",
    |m, says| {
        after(m, says, |given, question, offer| {
            let token = given.text().filter(|token| question.has(token));
            given.accepts() && token.is_none() && !offer.defaults.is_empty()
        });
    },
    |m, watch| {
        not_chosen(
            m,
            watch,
            "an accept came without a token that was issued",
            true,
        )
    },
);

/// TYPED-010: a decline is a decline. That it is no accept is judged by TYPED-019.
/// (typed-elicitation#result-contract)
const DECLINED: Rule = Rule::check_later(
    "ACP-TYPED-010",
    |m, says| {
        after(m, says, |given, _, _| {
            !given.is_error && given.action == "decline"
        });
    },
    |m, watch| told_apart(m, watch, &Report::Decline, "elicited decline", "declined"),
);

/// TYPED-011: a cancel is a cancel. (typed-elicitation#result-contract)
const CANCELLED: Rule = Rule::check_later(
    "ACP-TYPED-011",
    |m, says| {
        after(m, says, |given, _, _| {
            !given.is_error && given.action == "cancel"
        });
    },
    |m, watch| told_apart(m, watch, &Report::Cancel, "elicited cancel", "cancelled"),
);

fn told_apart(m: &Moment<'_>, watch: &Watch, right: &Report, words: &str, did: &str) -> Still {
    let (turn, report) = match outcome(m, watch) {
        Ok(ended) => ended,
        Err(still) => return still,
    };
    match report {
        report if report == *right => Still::Upheld,
        Report::Accept(_) => Still::Moot,
        Report::Other if !failed(turn) => Still::Unclear(OWN_WORDS.to_owned()),
        _ => why(
            m,
            turn,
            words,
            format!("the user {did}, and the agent reports something else"),
        ),
    }
}

/// TYPED-016: the fallback is for clients without forms, never for answers. (typed-elicitation#capability-negotiation-and-fallbacks)
const NO_FALLBACK: Rule = Rule::check_later(
    "ACP-TYPED-016",
    |m, says| {
        after(m, says, |given, question, offer| {
            let label = given.text().and_then(|token| question.label(token));
            offer.fallback.is_some() && label.is_none()
        });
    },
    |m, watch| {
        let (turn, report) = match outcome(m, watch) {
            Ok(ended) => ended,
            Err(still) => return still,
        };
        let fallback = Offer::read(turn).and_then(|offer| offer.fallback);
        match chosen(&report) {
            Some(chosen) if fallback == Some(chosen) => why(
                m,
                turn,
                "no fallback",
                "the client knows forms and gave no choice, and the agent fell back to a choice of its own",
            ),
            Some(_) => Still::Upheld,
            None => nothing_chosen(turn, &report),
        }
    },
);

/// TYPED-019: no refusal and no error becomes an accept. (typed-elicitation#capability-negotiation-and-fallbacks)
const NOT_MADE_UP: Rule = Rule::check_later(
    "ACP-TYPED-019",
    |m, says| {
        after(m, says, |given, _, _| {
            given.is_error || matches!(given.action, "decline" | "cancel")
        });
    },
    |m, watch| {
        let (turn, report) = match outcome(m, watch) {
            Ok(ended) => ended,
            Err(still) => return still,
        };
        let fallback = Offer::read(turn).and_then(|offer| offer.fallback);
        match chosen(&report) {
            Some(chosen) if fallback == Some(chosen) => Still::Moot,
            Some(_) => why(
                m,
                turn,
                "no choice",
                "the user chose nothing, and the agent reports a choice",
            ),
            None => nothing_chosen(turn, &report),
        }
    },
);

/// TYPED-025: a client that advertises forms and does not know the method gives an error, which the agent survives. That
/// nothing is asked of a client that advertises none is TYPED-013. (typed-elicitation#remote-transport; derived)
const SURVIVES: Rule = Rule::duty(
    "ACP-TYPED-025",
    "the end of the turn, after an error",
    |m, says| after(m, says, |given, _, _| given.code == Some(-32601)),
    |m, watch| survives(m, watch, "the client does not know elicitation/create"),
);
