//! CONFIG and MODES: what a client chooses of what a session offers.

use elenchus_protocol::Version;
use serde_json::Value;

use super::session::asks;
use crate::{
    fact::Moment,
    kinds::REQUESTS,
    rule::{Rule, Says, Why},
    rules::{
        lifecycle::{param, session_of, text_param},
        modes::listed,
        options::{List, SET_MODE, SET_OPTION, is_select, lists, offers, option},
        report::quoted,
    },
    text,
    world::Request,
};

pub(super) const RULES: &[Rule] = &[
    TYPED_V2.at(&[REQUESTS]),
    TYPED_V1.at(&[REQUESTS]),
    OFFERED.at(&[REQUESTS]),
    MODE.at(&[REQUESTS]),
];

/// What is wrong with the type of a value that is to be set, if anything.
fn wrong_type(request: &Request, version: Version) -> Option<String> {
    let value = request
        .params
        .as_ref()
        .and_then(|params| params.get("value"));
    let shown = value.map_or_else(|| "absent".to_owned(), quoted);
    let is = |right: fn(&Value) -> bool| value.is_some_and(right);
    let named = text_param(request, "type");
    let wrong = |kind: &str| Some(format!("its type is {kind}, and its value {shown}"));
    match (named, version) {
        (None, Version::AcpV2) => Some("it has no type".to_owned()),
        (Some("boolean"), _) if !is(Value::is_boolean) => wrong("boolean"),
        (Some("id"), Version::AcpV2) if !is(Value::is_string) => wrong("id"),
        (None | Some("id"), Version::AcpV1) if !is(Value::is_string) => {
            Some(format!("its value is {shown}"))
        }
        // A type that does not exist is ENUM-001's.
        _ => None,
    }
}

fn typed(m: &Moment<'_>, says: &mut Says, version: Version, expected: &str) {
    let Some(request) = asks(m, &[SET_OPTION]).filter(|_| m.conn.version() == version) else {
        return;
    };
    let wrong = wrong_type(request, version);
    says.holds(wrong.is_none(), || {
        let what = wrong.unwrap_or_default();
        Why::new(expected, format!("an option was to be set, and {what}"))
    });
}

/// CONFIG-009 (v2): a value that is to be set says its type. (v2 session-config-options#setting-a-config-option)
const TYPED_V2: Rule = Rule::check("ACP-CONFIG-009", |m, says| {
    let expected = "the type id with a text, or boolean with true or false";
    typed(m, says, Version::AcpV2, expected);
})
.of_client();

/// CONFIG-011 (v1): a value that is to be set is a text, or is of the type boolean, and then true or false. An option that
/// is one of the latter takes no text. (v1 session-config-options; SetSessionConfigOptionRequest)
const TYPED_V1: Rule = Rule::check("ACP-CONFIG-011", |m, says| {
    let expected = "a text as value, or the type boolean with true or false";
    if let Some(request) = asks(m, &[SET_OPTION])
        && m.conn.version() == Version::AcpV1
        && let Some((option, _)) = known(m, request)
        && option.get("type").is_some_and(|kind| kind == "boolean")
        && param(request, "value").is_some_and(Value::is_string)
    {
        return says.broken(Why::new(
            "the type boolean with true or false",
            "an option that is true or false was to be set to a text",
        ));
    }
    typed(m, says, Version::AcpV1, expected);
})
.of_client();

/// The option that a request is about, in the newest list that has it, and when that came.
fn known<'a>(m: &Moment<'a>, request: &Request) -> Option<(&'a Value, u64)> {
    let session = session_of(request)?;
    let id = text_param(request, "configId")?;
    let given = given(m, session);
    given
        .iter()
        .rev()
        .find_map(|list| Some((option(list.options, id, m.conn.version())?, list.seq)))
}

/// The lists that the client was given for a session before now.
fn given<'a>(m: &Moment<'a>, session: &str) -> Vec<List<'a>> {
    let mut given = lists(m.conn, session);
    given.retain(|list| list.seq < m.event.seq);
    given
}

/// CONFIG-016: an option and a value are chosen from those that are listed. One that a list has taken away may still have
/// been there when it was chosen, unless the client has provably read that list.
/// (session-config-options#setting-a-config-option)
const OFFERED: Rule = Rule::check("ACP-CONFIG-016", |m, says| {
    let Some(request) = asks(m, &[SET_OPTION]).filter(|_| m.conn.from_start) else {
        return;
    };
    let (Some(session), Some(id)) = (session_of(request), text_param(request, "configId")) else {
        return;
    };
    if !m.conn.chosen_all {
        return;
    }
    let version = m.conn.version();
    let value = param(request, "value");
    let offered = |list: &List<'_>| {
        option(list.options, id, version).is_some_and(|option| match value {
            Some(Value::String(value)) if is_select(option) => offers(option, value),
            _ => true,
        })
    };
    let given = given(m, session);
    let Some(newest) = given.last() else {
        return says.broken(Why::new(
            "no session/set_config_option where nothing is listed",
            "an option was to be set, and the agent has listed none for the session",
        ));
    };
    if offered(newest) {
        return says.upheld();
    }
    if given.iter().any(offered) && m.conn.read_mark < newest.seq {
        return says.unclear("the newest list may have crossed the request");
    }
    let value = value.map_or_else(|| "absent".to_owned(), quoted);
    says.broken(Why::new(
        "an option and a value that the agent lists",
        format!(
            "the option {} was to be set to {value}, and the agent does not list that",
            text::short_to(id, 60)
        ),
    ));
})
.of_client();

/// MODES-005 (v1): a mode is chosen from those that are listed. (v1 session-modes#from-the-client)
const MODE: Rule = Rule::check("ACP-MODES-005", |m, says| {
    let Some(request) = asks(m, &[SET_MODE]).filter(|_| m.conn.from_start) else {
        return;
    };
    let (Some(session), Some(mode)) = (session_of(request), text_param(request, "modeId")) else {
        return;
    };
    if m.conn.version() != Version::AcpV1 {
        return;
    }
    says.holds(listed(m.conn, session, m.event.seq).contains(&mode), || {
        Why::new(
            "one of the availableModes",
            format!(
                "the mode {} was to be set, and the agent does not list it",
                text::short_to(mode, 60)
            ),
        )
    });
})
.of_client();
