//! ELICIT-URL: what a client does with the URL of an elicitation, as seen from outside.

use elenchus_protocol::url_inspect;
use elenchus_wire::EventKind;
use serde_json::Value;

use super::asked::{self, Outcome, Question, outcome, question, questions, sent, watch};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Still, Subject, Watch, Why},
    text,
    world::{self, Order, member},
};

pub(super) const RULES: &[Rule] = &[
    DANGEROUS.at(&[REQUESTS]),
    NO_PREFETCH.at(&[REQUESTS]),
    NO_OPENING.at(&[REQUESTS]),
    SAME_URL.at(&[REQUESTS]),
    PROMPT_ANSWER.at(&[REQUESTS]),
    NO_CONTENT.at(&[ANSWERS]),
    NO_SHELL.at(&[REQUESTS]),
];

/// The URL that was opened or fetched at this fact.
fn gone_to<'a>(m: &Moment<'a>) -> Option<&'a str> {
    match &m.event.kind {
        EventKind::Opened { url } | EventKind::Fetched { url } => Some(url),
        _ => None,
    }
}

/// Two texts are the same URL for whoever parses them.
fn same(a: &str, b: &str) -> bool {
    let href = |text: &str| url_inspect::inspect(text).parts.map(|parts| parts.href);
    a == b || href(a).is_some_and(|a| Some(a) == href(b))
}

/// A URL without what is not sent to a server.
fn on_server(text: &str) -> Option<String> {
    let parts = url_inspect::inspect(text).parts?;
    Some(parts.href.split('#').next().unwrap_or_default().to_owned())
}

/// What was opened or fetched at this fact is the URL of this question.
pub(super) fn is_of(m: &Moment<'_>, question: &Question<'_>) -> bool {
    let (Some(url), Some(asked)) = (gone_to(m), question.asked.create.url.as_deref()) else {
        return false;
    };
    match m.fact {
        Fact::UrlFetched => on_server(url) == on_server(asked),
        _ => same(url, asked),
    }
}

/// The URL elicitation of a watch.
fn of<'a>(m: &Moment<'a>, watch: &Watch) -> Option<Question<'a>> {
    match watch.subject {
        Subject::Request(index) => question(m.conn, index),
        _ => None,
    }
}

/// Nobody has consented to this question, and nobody will: the client was told not to accept it, or it has answered
/// that nobody did.
fn without_consent(m: &Moment<'_>, question: &Question<'_>) -> bool {
    let refused = question.request.answer().is_some_and(|answer| {
        let accepted = answer
            .result
            .as_ref()
            .is_some_and(|result| result["action"] == "accept");
        answer.is_error || !accepted
    });
    let told = question
        .order(m)
        .is_some_and(|order| !matches!(order, Order::Accept(_)));
    refused || told
}

/// A ban on going to a URL before anyone has consented.
fn not_before_consent(m: &Moment<'_>, watch: &Watch, fetched: bool) -> Still {
    let Some(question) = of(m, watch) else {
        return Still::Moot;
    };
    let gone = if fetched {
        &m.conn.fetched
    } else {
        &m.conn.opened
    };
    let url = question.asked.create.url.as_deref().unwrap_or_default();
    let matches = |(seq, gone): &&(u64, String)| {
        *seq > watch.opened
            && if fetched {
                on_server(gone) == on_server(url)
            } else {
                same(gone, url)
            }
    };
    let found = gone.iter().find(matches);
    let consent = !without_consent(m, &question);
    match found {
        Some((seq, _)) if !consent => Still::Broken(
            Why::new(
                "nothing is done with a URL before the user has consented",
                format!(
                    "nobody had consented to {}, and it was {}",
                    text::short_to(url, 200),
                    if fetched { "fetched" } else { "opened" }
                ),
            )
            .sent(sent(m.conn, watch))
            .at(*seq),
        ),
        _ if !consent => Still::Watching,
        // With consent, to go there is what the answer is for.
        _ if !question.request.is_open() || question.order(m).is_some() => Still::Moot,
        _ if matches!(m.fact, Fact::Settled | Fact::Exited) => {
            Still::Unclear("whether anyone consented is not known".to_owned())
        }
        _ => Still::Watching,
    }
}

/// The question has a URL that can be opened, and the client has the mode.
fn is_usable(question: &Question<'_>) -> bool {
    question.asked.create.url.is_some() && question.sound()
}

/// URL-009: the URL is not fetched before consent. (elicitation#url-security)
const NO_PREFETCH: Rule = Rule::ban(
    "ACP-ELICIT-URL-009",
    |m, says| watch(m, says, is_usable),
    |m, watch| not_before_consent(m, watch, true),
)
.of_client();

/// URL-010: nor is it opened; decline and cancel never open it. (elicitation#url-security)
const NO_OPENING: Rule = Rule::ban(
    "ACP-ELICIT-URL-010",
    |m, says| watch(m, says, is_usable),
    |m, watch| not_before_consent(m, watch, false),
)
.of_client();

/// The URL is one that must not be opened: it runs or shows what it holds itself, or is none.
fn is_dangerous(question: &Question<'_>) -> bool {
    let Some(url) = question.asked.create.url.as_deref() else {
        return false;
    };
    let scheme = url_inspect::inspect(url).parts.map(|parts| parts.scheme);
    let runs = scheme.is_none_or(|it| matches!(it.as_str(), "javascript" | "data"));
    runs && question.asked.support.url
        && question.scope_known()
        && question.asked.create.problems.is_empty()
}

/// URL-004: what is no URL, or runs what it holds, is not opened. Of files and schemes of other programs nothing is
/// said. (rfd:elicitation#url-mode; derived)
const DANGEROUS: Rule = Rule::ban(
    "ACP-ELICIT-URL-004",
    |m, says| watch(m, says, is_dangerous),
    |m, watch| {
        let Some(question) = of(m, watch) else {
            return Still::Moot;
        };
        match m.fact {
            Fact::UrlOpened if is_of(m, &question) => Still::Broken(
                Why::new(
                    "an error, a refusal, or an accept that opens nothing",
                    "the URL is none that may be opened, and it was",
                )
                .sent(sent(m.conn, watch)),
            ),
            Fact::Settled if question.request.is_open() && !m.world.heeds(world::ANSWERS) => {
                Still::Unclear("a person may be looking at it".to_owned())
            }
            _ => Still::Watching,
        }
    },
)
.of_client();

/// The only URL elicitation of a connection, so that whatever is opened is opened for it.
fn is_alone(question: &Question<'_>) -> bool {
    let with_url = |it: &Question<'_>| it.asked.create.url.is_some();
    questions(question.conn).filter(with_url).count() == 1
}

/// Someone has consented to the question.
fn consented(m: &Moment<'_>, question: &Question<'_>) -> bool {
    let accepted = question
        .request
        .result()
        .is_some_and(|result| result["action"] == "accept");
    accepted || matches!(question.order(m), Some(Order::Accept(_)))
}

/// The URL that was opened at this fact was opened no more often than somebody has consented to it: so it may be for that.
pub(super) fn is_for_a_consent(m: &Moment<'_>) -> bool {
    let Some(url) = gone_to(m) else {
        return false;
    };
    let consents = questions(m.conn).filter(|it| is_of(m, it) && consented(m, it));
    let openings = m.conn.opened.iter().filter(|(_, gone)| same(gone, url));
    openings.count() <= consents.count()
}

/// What a client opens is the URL that it was sent.
fn opened_as_sent(m: &Moment<'_>, watch: &Watch) -> Still {
    let Some(question) = of(m, watch) else {
        return Still::Moot;
    };
    match m.fact {
        Fact::UrlOpened if is_of(m, &question) => Still::Upheld,
        Fact::UrlOpened if is_alone(&question) && consented(m, &question) => Still::Broken(
            Why::new(
                "the URL as it was sent",
                "the user agreed to one URL, and another was opened",
            )
            .sent(sent(m.conn, watch)),
        ),
        Fact::Exited => Still::Moot,
        _ => Still::Watching,
    }
}

/// URL-016: what is opened is the URL that was received. As its parser writes it, it is the same.
/// (elicitation#url-security; derived)
const SAME_URL: Rule = Rule::check_later(
    "ACP-ELICIT-URL-016",
    |m, says| watch(m, says, |it| is_usable(it) && !has_shell(it)),
    opened_as_sent,
)
.of_client();

/// The URL holds what a shell would act on.
fn has_shell(question: &Question<'_>) -> bool {
    let url = question.asked.create.url.as_deref().unwrap_or_default();
    url.contains(['`', ';', '|']) || url.contains("$(")
}

/// URL-023: a URL reaches the opener in one piece, through no shell that would interpret it.
/// (elicitation#url-security, in spirit)
const NO_SHELL: Rule = Rule::check_later(
    "ACP-ELICIT-URL-023",
    |m, says| {
        watch(m, says, |it| {
            has_shell(it) && it.asked.support.url && it.scope_known() && it.request.well_formed
        });
    },
    opened_as_sent,
)
.of_client();

/// URL-018: accept is sent when the user consents, and waits for nothing that happens on the page.
/// (elicitation#url-mode; derived)
const PROMPT_ANSWER: Rule = Rule::check_later(
    "ACP-ELICIT-URL-018",
    |m, says| {
        watch(m, says, |it| {
            is_usable(it) && matches!(it.order(m), Some(Order::Accept(_)))
        });
    },
    |m, watch| {
        let Some(question) = of(m, watch) else {
            return Still::Moot;
        };
        let id = question.asked.create.elicitation_id.as_deref();
        let completed = id.is_some_and(|id| m.conn.completed.contains_key(id));
        match outcome(m, watch) {
            None => Still::Watching,
            Some(_) if completed => {
                Still::Unclear("the elicitation had been completed before".to_owned())
            }
            Some(Outcome::Accept) => Still::Upheld,
            Some(Outcome::Silence) if asked::is_driven(m, watch) && !m.conn.stopped => {
                Still::Broken(
                    Why::new(
                        "accept as soon as the user has consented",
                        "the user agreed to open the URL, nothing happened there, and no answer came",
                    )
                    .sent(sent(m.conn, watch)),
                )
            }
            Some(_) => Still::Moot,
        }
    },
)
.of_client();

/// URL-020: accept on a URL normally carries no content. (elicitation#responses; derived)
const NO_CONTENT: Rule = Rule::check("ACP-ELICIT-URL-020", |m, says| {
    let Some(question) = asked::answered(m).filter(|it| it.asked.create.url.is_some()) else {
        return;
    };
    let Some(result) = question
        .request
        .result()
        .filter(|result| result["action"] == "accept")
    else {
        return;
    };
    let empty = match member(result, "content") {
        None | Some(Value::Null) => true,
        Some(content) => content.as_object().is_some_and(serde_json::Map::is_empty),
    };
    says.holds(empty, || {
        Why::new(
            "no content",
            "a URL was accepted with content, which nobody was asked for",
        )
    });
})
.of_client();
