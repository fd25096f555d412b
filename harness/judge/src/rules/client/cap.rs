//! ELICIT-CAP: what a client advertises, and what it makes of a mode that it did not.

use elenchus_protocol::{Version, acp::elicitation::CapabilityShape};
use serde_json::Value;

use super::{
    asked::{self, Outcome, Question, outcome, sent, watch},
    links,
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, REQUESTS},
    rule::{Rule, Says, Still, Subject, Watch, Why},
    text,
    world::{Conn, member},
};

pub(super) const RULES: &[Rule] = &[
    PLACE_V1.at(&[ANSWERS]),
    PLACE_V2.at(&[ANSWERS]),
    SHAPE.at(&[REQUESTS]),
    UNADVERTISED.at(&[REQUESTS]),
    NO_INTERACTION.at(&[REQUESTS]),
    NO_CAPABILITY.at(&[ANSWERS, REQUESTS]),
];

/// The params of `initialize`, once we have answered it, so that the version is known.
fn initialized<'a>(m: &Moment<'a>) -> Option<&'a Value> {
    let (index, request) = m.we_answered()?;
    let first = m.conn.init.request == Some(index);
    request.params.as_ref().filter(|_| first)
}

/// What stands under `elicitation` in one place.
fn advertised<'v>(params: &'v Value, place: &str) -> Option<&'v Value> {
    member(member(params, place)?, "elicitation")
}

/// CAP-001 (v1): elicitation is advertised in clientCapabilities. A client that asked for a higher version could not
/// know. (elicitation#checking-support; schema:v1 ClientCapabilities.elicitation)
const PLACE_V1: Rule = Rule::check("ACP-ELICIT-CAP-001", |m, says| {
    let Some(params) = initialized(m).filter(|_| m.conn.version() == Version::AcpV1) else {
        return;
    };
    let (here, there) = (
        advertised(params, "clientCapabilities"),
        advertised(params, "capabilities"),
    );
    match (here, there) {
        (Some(_), _) => says.upheld(),
        (None, None) => {}
        (None, Some(_)) if m.conn.init.requested != Some(1) => {
            says.unclear("the client asked for another version, and wrote as that has it");
        }
        (None, Some(_)) => says.broken(misplaced("clientCapabilities", "capabilities")),
    }
})
.of_client();

/// CAP-002 (v2): elicitation is advertised in capabilities. (elicitation#checking-support; schema:v2
/// ClientCapabilities.elicitation)
const PLACE_V2: Rule = Rule::check("ACP-ELICIT-CAP-002", |m, says| {
    let Some(params) = initialized(m).filter(|_| m.conn.version() == Version::AcpV2) else {
        return;
    };
    if advertised(params, "capabilities").is_some() {
        says.upheld();
    } else if advertised(params, "clientCapabilities").is_some() {
        says.broken(misplaced("capabilities", "clientCapabilities"));
    }
})
.of_client();

fn misplaced(right: &str, wrong: &str) -> Why {
    Why::new(
        format!("elicitation in {right}"),
        format!("elicitation is advertised in {wrong}, where this version does not look for it"),
    )
}

/// CAP-003: elicitation is an object or null, and so are its modes. (schema:v1+v2 ElicitationCapabilities)
const SHAPE: Rule = Rule::check("ACP-ELICIT-CAP-003", |m, says| {
    let Some((_, request)) = m.requested().filter(|(_, it)| it.method == "initialize") else {
        return;
    };
    let Some(params) = &request.params else {
        return;
    };
    let readable = |value: &Value| value.is_object() || value.is_null();
    for place in ["clientCapabilities", "capabilities"] {
        let Some(elicitation) = advertised(params, place) else {
            continue;
        };
        let modes = ["form", "url"];
        let odd_mode = modes
            .into_iter()
            .find(|mode| member(elicitation, mode).is_some_and(|it| !readable(it)));
        let what = match odd_mode {
            _ if !readable(elicitation) => "elicitation".to_owned(),
            Some(mode) => format!("elicitation.{mode}"),
            None => {
                says.upheld();
                continue;
            }
        };
        says.broken(Why::new(
            format!("{what} as an object, or null"),
            format!(
                "{what} is neither: elicitation is {}",
                text::short_to(&elicitation.to_string(), 80)
            ),
        ));
    }
})
.of_client();

/// What the client advertises can be read, and stands where it belongs.
fn is_plain(conn: &Conn) -> bool {
    let initialize = conn.init.request.map(|index| &conn.requests[index]);
    let elsewhere = match conn.version() {
        Version::AcpV1 => "capabilities",
        Version::AcpV2 => "clientCapabilities",
    };
    let params = initialize.and_then(|request| request.params.as_ref());
    let misplaced = params.is_some_and(|params| advertised(params, elsewhere).is_some())
        && conn.init.shape == CapabilityShape::Absent;
    params.is_some() && !misplaced && conn.init.shape != CapabilityShape::Malformed
}

/// The client has one mode, or none, as `any` says, and not that of the question.
fn is_unadvertised(question: &Question<'_>, any: bool) -> bool {
    let support = question.asked.support;
    (support.form || support.url) == any && question.is_unadvertised() && is_plain(question.conn)
}

/// A mode that was not advertised is refused. `accepts` tells which codes are right, and which are remarked on.
fn refused(m: &Moment<'_>, watch: &Watch, judge_code: fn(Option<i64>) -> Option<bool>) -> Still {
    let broken = |did: &str| {
        Still::Broken(
            Why::new(
                "the error -32602 (invalid params)",
                format!("an elicitation was sent in a mode that was not advertised, and {did}"),
            )
            .sent(sent(m.conn, watch)),
        )
    };
    let code = |code: Option<i64>| code.map_or("no code".to_owned(), |code| code.to_string());
    match outcome(m, watch) {
        None => Still::Watching,
        Some(Outcome::Withdrawn) => Still::Moot,
        Some(Outcome::Error(it)) => match judge_code(it) {
            Some(true) => Still::Upheld,
            Some(false) => broken(&format!("it was answered with the error {}", code(it))),
            None => Still::Unclear(format!("an error, but with {}", code(it))),
        },
        Some(Outcome::Accept | Outcome::Refused | Outcome::Odd) => {
            broken("it was answered with a result")
        }
        Some(Outcome::Silence) if m.conn.stopped => Still::Moot,
        Some(Outcome::Silence) => broken("it was never answered"),
        Some(Outcome::Died(how)) => broken(&how),
    }
}

/// CAP-014: a mode that the client did not advertise is refused with -32602. (elicitation#url-completion)
const UNADVERTISED: Rule = Rule::check_later(
    "ACP-ELICIT-CAP-014",
    |m, says| watch(m, says, |it| is_unadvertised(it, true)),
    |m, watch| refused(m, watch, |code| Some(code == Some(-32602))),
)
.of_client();

/// CAP-016: so does a client without any mode, if perhaps with -32601, since it may not have the method.
/// (elicitation#url-completion; derived)
const NO_CAPABILITY: Rule = Rule::check_later(
    "ACP-ELICIT-CAP-016",
    |m, says| {
        watch(m, says, |it| is_unadvertised(it, false));
        note_missing_method(m, says);
    },
    |m, watch| {
        refused(m, watch, |code| {
            matches!(code, Some(-32602 | -32601)).then_some(true)
        })
    },
)
.of_client();

fn note_missing_method(m: &Moment<'_>, says: &mut Says) {
    let answered = asked::answered(m).filter(|it| is_unadvertised(it, false));
    if answered.is_some_and(|it| it.request.error_code() == Some(-32601)) {
        says.note("-32601 says that there is no such method; -32602 is what the page asks for");
    }
}

/// CAP-015: on the way to that error nothing is opened or fetched. (elicitation#url-completion; derived)
const NO_INTERACTION: Rule = Rule::ban(
    "ACP-ELICIT-CAP-015",
    |m, says| {
        watch(m, says, |it| {
            it.asked.create.url.is_some() && it.is_unadvertised() && is_plain(it.conn)
        });
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let Some(question) = asked::question(m.conn, index) else {
            return Still::Moot;
        };
        match m.fact {
            Fact::UrlOpened | Fact::UrlFetched if links::is_of(m, &question) => Still::Broken(
                Why::new(
                    "nothing is opened or fetched for a mode that was not advertised",
                    "a URL elicitation was sent to a client without URL mode, which went to its URL",
                )
                .sent(sent(m.conn, watch)),
            ),
            _ => Still::Watching,
        }
    },
)
.of_client();
