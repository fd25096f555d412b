//! CONFIG: what a list of config options holds, that lists are complete, and what becomes of a change.

use std::collections::BTreeSet;

use elenchus_protocol::{Version, acp::shapes::Mismatch};
use serde_json::Value;

use super::{
    lifecycle::{answer_to, param, session_of, text_param, told, wants_login},
    options::{
        How, List, Place, SET_OPTION, Wish, disturbed, id_of, is_select, lists, offers, option,
        place, values, wish,
    },
    report::quoted,
    told::{client_says, misfit},
};
use crate::{
    fact::Moment,
    kinds::{ANSWERS, NOTIFICATIONS},
    rule::{Rule, Says, Why},
    text,
    world::{Answered, Request},
};

pub(super) const RULES: &[Rule] = &[
    FIELDS.at(&[ANSWERS, NOTIFICATIONS]),
    CURRENT_IS_OFFERED.at(&[ANSWERS, NOTIFICATIONS]),
    UNIQUE.at(&[ANSWERS, NOTIFICATIONS]),
    OFFERS.at(&[ANSWERS, NOTIFICATIONS]),
    COMPLETE_ANSWER.at(&[ANSWERS, NOTIFICATIONS]),
    IN_FORCE.at(&[ANSWERS, NOTIFICATIONS]),
    REFUSED.at(&[ANSWERS, NOTIFICATIONS]),
    ODD_TYPE.at(&[ANSWERS]),
    BOOLEANS.at(&[ANSWERS, NOTIFICATIONS]),
    COMPLETE_UPDATE.at(&[ANSWERS, NOTIFICATIONS]),
    WHILE_BUSY.at(&[ANSWERS]),
    SUPPORTED.at(&[ANSWERS]),
    REJECTED.at(&[ANSWERS, NOTIFICATIONS]),
];

/// The options at hand, if there are any.
fn options<'a>(m: &Moment<'a>) -> Option<(Place<'a>, &'a [Value])> {
    let place = place(m)?;
    let list = place.list?.as_array()?;
    (!list.is_empty()).then_some((place, list.as_slice()))
}

/// Where a mismatch lies within the list at hand: `/0/currentValue`, or nothing for the list itself.
fn within<'p>(place: &Place<'_>, mismatch: &'p Mismatch) -> Option<&'p str> {
    let rest = mismatch.pointer.strip_prefix(place.pointer)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// The mismatch is about what a select offers.
fn is_about_offers(within: &str, mismatch: &Mismatch) -> bool {
    let mut names = within.split('/').skip(2);
    names.next() == Some("options") && (names.next().is_some() || !mismatch.is_missing())
}

/// CONFIG-001: an option has an id, a name, a type, and what its type needs. A list that is none is judged by
/// SESSION-015, CONFIG-006 and CONFIG-013; what a select offers by CONFIG-005. A type that v1 does not have is a remark.
/// (session-config-options#configoption; SessionConfigOption)
const FIELDS: Rule = Rule::check("ACP-CONFIG-001", |m, says| {
    let Some(place) = place(m) else { return };
    let v1 = m.conn.version() == Version::AcpV1;
    let list = place.list.and_then(Value::as_array);
    let mut clean = list.is_some_and(|list| !list.is_empty());
    for mismatch in m.mismatches() {
        let Some(within) = within(&place, mismatch) else {
            continue;
        };
        if is_about_offers(within, mismatch) {
            continue;
        }
        if within.is_empty() && !(v1 && matches!(place.how, How::SetUp)) {
            continue;
        }
        clean = false;
        if v1 && within.ends_with("/type") && mismatch.got.starts_with('"') {
            says.note(format!("version 1 has no option type {}", mismatch.got));
        } else {
            says.broken(misfit("a config option", mismatch));
        }
    }
    if clean {
        says.upheld();
    }
});

/// CONFIG-003: the current value of a select is one that it offers. (v2/agent.rs SessionConfigSelect; derived)
const CURRENT_IS_OFFERED: Rule = Rule::check("ACP-CONFIG-003", |m, says| {
    let Some((_, list)) = options(m) else { return };
    for option in list.iter().filter(|option| is_select(option)) {
        let Some(current) = option.get("currentValue").and_then(Value::as_str) else {
            continue;
        };
        if values(option).is_empty() {
            continue;
        }
        says.holds(offers(option, current), || {
            Why::new(
                "a currentValue that the option offers",
                format!(
                    "the current value {} of the option {} is none of those that it offers",
                    text::short_to(current, 60),
                    name_of(m, option)
                ),
            )
        });
    }
});

fn name_of(m: &Moment<'_>, option: &Value) -> String {
    text::short_to(
        id_of(option, m.conn.version()).unwrap_or("without an id"),
        60,
    )
}

/// The first of these that stands there twice.
fn twice<T: Ord + Copy>(all: impl Iterator<Item = T>) -> Option<T> {
    let mut seen = BTreeSet::new();
    all.into_iter().find(|one| !seen.insert(*one))
}

/// CONFIG-004: ids of options are unique in a list; ids of groups and values in a select. In v1 a value may stand in
/// two groups. (v2/agent.rs SessionConfigOption, SessionConfigSelect)
const UNIQUE: Rule = Rule::check("ACP-CONFIG-004", |m, says| {
    let Some((_, list)) = options(m) else { return };
    let version = m.conn.version();
    let mut clean = true;
    let mut broken = |what: String| {
        clean = false;
        says.broken(Why::new("ids and values that stand once", what));
    };
    if let Some(id) = twice(list.iter().filter_map(|option| id_of(option, version))) {
        broken(format!(
            "two options have the id {}",
            text::short_to(id, 60)
        ));
    }
    let mut remarks = Vec::new();
    for option in list.iter().filter(|option| is_select(option)) {
        let name = name_of(m, option);
        let group_id = match version {
            Version::AcpV1 => "group",
            Version::AcpV2 => "groupId",
        };
        let entries = option.get("options").and_then(Value::as_array);
        let groups = entries.into_iter().flatten();
        if let Some(id) = twice(groups.filter_map(|entry| entry.get(group_id)?.as_str())) {
            let id = text::short_to(id, 60);
            broken(format!("two groups of the option {name} have the id {id}"));
        }
        let values = values(option);
        let value = |value: &str| text::short_to(value, 60);
        if let Some((_, same)) = twice(values.iter().copied()) {
            let same = value(same);
            broken(format!("the option {name} offers the value {same} twice"));
        } else if let Some(same) = twice(values.iter().map(|(_, value)| *value)) {
            let same = value(same);
            let what = format!("the option {name} offers the value {same} in two groups");
            match version {
                Version::AcpV1 => remarks.push(what),
                Version::AcpV2 => broken(what),
            }
        }
    }
    for remark in remarks {
        says.note(remark);
    }
    if clean {
        says.upheld();
    }
});

/// CONFIG-005: what a select offers is a list of values or a list of groups, not both; in v2 neither a list nor a group
/// is empty. (SessionConfigSelectOptions; SessionConfigSelectGroup)
const OFFERS: Rule = Rule::check("ACP-CONFIG-005", |m, says| {
    let Some((place, list)) = options(m) else {
        return;
    };
    let mut clean = list.iter().any(is_select);
    for mismatch in m.mismatches() {
        if within(&place, mismatch).is_some_and(|within| is_about_offers(within, mismatch)) {
            clean = false;
            says.broken(misfit("a config option", mismatch));
        }
    }
    if clean {
        says.upheld();
    }
});

/// The options of the list before that this one lacks.
fn lacking<'a>(m: &Moment<'_>, before: &List<'a>, list: &[Value]) -> Vec<&'a str> {
    let version = m.conn.version();
    let ids = before.options.iter().filter_map(|it| id_of(it, version));
    ids.filter(|id| option(list, id, version).is_none())
        .collect()
}

/// A list that lacked options is complete or was changed: nobody can tell, until what it lacked is there again, unchanged
/// although nothing happened. Says so where the list before the one at hand was told in this way.
fn back_again(m: &Moment<'_>, says: &mut Says, lists: &[List<'_>], kind: fn(How<'_>) -> bool) {
    let [.., first, second, third] = lists else {
        return;
    };
    let nothing_since = matches!(
        (second.how, third.how),
        (How::Set(_), How::SetUp | How::Update) | (How::Update, How::SetUp)
    );
    if !kind(second.how) || !nothing_since || third.seq != m.event.seq {
        return;
    }
    let Some(session) = place(m).map(|place| place.session) else {
        return;
    };
    let but = match second.how {
        How::Set(request) => Some(request),
        _ => None,
    };
    if disturbed(m.conn, session, first.seq, third.seq, but) {
        return;
    }
    let version = m.conn.version();
    let unchanged =
        |id: &&str| option(first.options, id, version) == option(third.options, id, version);
    if let Some(id) = lacking(m, first, second.options)
        .into_iter()
        .find(unchanged)
    {
        let id = text::short_to(id, 60);
        says.broken(
            Why::new(
                "a list of all options",
                format!("a list of options lacked {id}, which stood in the one before and stands, unchanged, in the one after"),
            )
            .at(second.seq),
        );
    }
}

/// Says whether the list at hand has all options of the one before.
fn has_all(m: &Moment<'_>, says: &mut Says, lists: &[List<'_>]) {
    let [.., before, list] = lists else {
        return says.upheld();
    };
    if lacking(m, before, list.options).is_empty() {
        says.upheld();
    } else {
        says.unclear("the list lacks options of the one before, which the change may have removed");
    }
}

/// CONFIG-006: the answer to `session/set_config_option` lists all options, the one just set among them.
/// (session-config-options#setting-a-config-option)
const COMPLETE_ANSWER: Rule = Rule::check("ACP-CONFIG-006", |m, says| {
    let Some(place) = place(m) else { return };
    let lists = lists(m.conn, place.session);
    back_again(m, says, &lists, |how| matches!(how, How::Set(_)));
    let How::Set(request) = place.how else {
        return;
    };
    let Some(list) = place.list.and_then(Value::as_array) else {
        return says.broken(Why::new(
            "configOptions: an array of all options",
            "session/set_config_option was answered with a result without a list of options",
        ));
    };
    let id = text_param(request, "configId").unwrap_or_default();
    let is_there = option(list, id, m.conn.version()).is_some();
    // Where an option is accepted that was never listed, that is the fault.
    match wish(m.conn, request) {
        Some(Wish::Listed) if !is_there => says.broken(Why::new(
            "a list with the option that was set",
            format!(
                "the option {} was set, and the list in the answer lacks it",
                text::short_to(id, 60)
            ),
        )),
        Some(Wish::Listed) => has_all(m, says, &lists),
        _ => {}
    }
});

/// CONFIG-013: a `config_option_update` lists all options. (session-config-options#from-the-agent)
const COMPLETE_UPDATE: Rule = Rule::check("ACP-CONFIG-013", |m, says| {
    let Some(place) = place(m) else { return };
    let lists = lists(m.conn, place.session);
    back_again(m, says, &lists, |how| matches!(how, How::Update));
    if matches!(place.how, How::Update) {
        if place.list.is_some_and(Value::is_array) {
            has_all(m, says, &lists);
        } else {
            says.broken(Why::new(
                "configOptions: an array of all options",
                "a config_option_update has no list of options",
            ));
        }
    }
});

/// CONFIG-007: what was set is in force: the answer shows it, and so does what sets up the session next.
/// (session-config-options#from-the-client; derived)
const IN_FORCE: Rule = Rule::check("ACP-CONFIG-007", |m, says| {
    let Some((place, list)) = options(m) else {
        return;
    };
    let version = m.conn.version();
    let (request, when) = match place.how {
        How::Set(request) => (request, "the answer"),
        How::SetUp => {
            let Some(newest) = newest_set(m, place.session) else {
                return;
            };
            (newest, "the next list")
        }
        How::Update => return,
    };
    if wish(m.conn, request) != Some(Wish::Listed) {
        return;
    }
    let current = text_param(request, "configId")
        .and_then(|id| option(list, id, version)?.get("currentValue"));
    let (Some(wanted), Some(current)) = (param(request, "value"), current) else {
        return;
    };
    if wanted == current {
        return says.upheld();
    }
    if disturbed(
        m.conn,
        place.session,
        request.seq,
        m.event.seq,
        Some(request),
    ) {
        return says.unclear("something else may have changed the option meanwhile");
    }
    says.broken(
        Why::new(
            format!("the value {}", quoted(wanted)),
            format!(
                "the option {} was set to {}, and in {when} it is {}",
                quoted(param(request, "configId").unwrap_or(&Value::Null)),
                quoted(wanted),
                quoted(current)
            ),
        )
        .sent(request.text.clone()),
    );
});

/// The newest successful change of an option of the session, if the agent has told no other value since.
fn newest_set<'a>(m: &Moment<'a>, session: &str) -> Option<&'a Request> {
    let mut requests = m.conn.requests.iter().rev();
    let newest = requests.find(|request| {
        request.method == SET_OPTION && session_of(request) == Some(session) && !request.is_open()
    })?;
    let answer = newest.answer().filter(|answer| !answer.is_error)?;
    let id = text_param(newest, "configId")?;
    let other = |list: &List<'_>| {
        let option = option(list.options, id, m.conn.version());
        option.and_then(|option| option.get("currentValue")) != param(newest, "value")
    };
    let since = |list: &List<'_>| list.seq >= answer.seq && list.seq < m.event.seq;
    let lists = lists(m.conn, session);
    (!lists.iter().any(|list| since(list) && other(list))).then_some(newest)
}

/// The answer at hand to a wish that is none of those that the agent lists.
fn odd_wish<'a>(m: &Moment<'a>) -> Option<(&'a Request, &'a Answered, Wish)> {
    let (_, request, answer) = answer_to(m, &[SET_OPTION])?;
    let wish = wish(m.conn, request).filter(|wish| *wish != Wish::Listed)?;
    Some((request, answer, wish))
}

/// A value that was refused and stands in the list at hand all the same.
fn stored(m: &Moment<'_>, says: &mut Says) {
    let Some((place, list)) = options(m) else {
        return;
    };
    let lists = lists(m.conn, place.session);
    let since = match lists.as_slice() {
        [.., before, _] => before.seq,
        _ => return,
    };
    for request in m.conn.requests.iter().rev().take_while(|it| it.seq > since) {
        let refused = request.answer().is_some_and(|answer| answer.is_error);
        if !refused
            || session_of(request) != Some(place.session)
            || wish(m.conn, request) != Some(Wish::UnknownValue)
        {
            continue;
        }
        let id = text_param(request, "configId").unwrap_or_default();
        let current = option(list, id, m.conn.version()).and_then(|it| it.get("currentValue"));
        if current == param(request, "value") {
            says.broken(
                Why::new(
                    "an unchanged configuration after a refusal",
                    format!(
                        "a value for the option {} was refused, and is its current value now",
                        text::short_to(id, 60)
                    ),
                )
                .sent(request.text.clone()),
            );
        } else {
            says.upheld();
        }
    }
}

/// CONFIG-008: an option or a value that does not exist is refused, and nothing is changed. In v2 what is wrong counts
/// under CONFIG-020. (v1 session-config-options#from-the-client; derived)
const REFUSED: Rule = Rule::check("ACP-CONFIG-008", |m, says| {
    let v1 = m.conn.version() == Version::AcpV1;
    if v1 {
        stored(m, says);
    }
    let Some((request, answer, wish)) = odd_wish(m) else {
        return;
    };
    let what = match wish {
        Wish::UnknownOption => "an option that does not exist",
        Wish::UnknownValue => "a value that does not exist",
        _ => return,
    };
    if answer.is_error {
        if v1 && answer.error_code != Some(-32602) {
            says.note(format!("{} refuses it; -32602 would say why", told(answer)));
        }
        says.upheld();
    } else if v1 {
        says.broken(
            Why::new(
                "an error",
                format!("{what} was set, and the answer was a result"),
            )
            .sent(request.text.clone()),
        );
    }
});

/// Says whether an answer is the error -32602, and no other one.
fn invalid_params(says: &mut Says, request: &Request, answer: &Answered, what: &str) {
    if wants_login(answer) {
        return says.unclear("the agent wants a login first");
    }
    says.holds(answer.error_code == Some(-32602), || {
        Why::new(
            "error -32602",
            format!("{what} was to be set, and the answer was {}", told(answer)),
        )
        .sent(request.text.clone())
    });
}

/// CONFIG-010 (v2): a type of value that is not supported gets -32602. (v2/agent.rs SessionConfigOptionValue::Other)
const ODD_TYPE: Rule = Rule::check("ACP-CONFIG-010", |m, says| {
    if let Some((request, answer, Wish::OddType)) = odd_wish(m) {
        invalid_params(
            says,
            request,
            answer,
            "a value of a type that does not exist",
        );
    }
});

/// CONFIG-020 (v2): an unknown option and an invalid value get -32602, and nothing is changed.
/// (v2/agent.rs SetSessionConfigOptionRequest)
const REJECTED: Rule = Rule::check("ACP-CONFIG-020", |m, says| {
    if m.conn.version() != Version::AcpV2 {
        return;
    }
    stored(m, says);
    let Some((request, answer, wish)) = odd_wish(m) else {
        return;
    };
    let what = match wish {
        Wish::UnknownOption => "an option that does not exist",
        Wish::UnknownValue => "a value that does not exist",
        Wish::WrongType => "a truth value, for a select,",
        Wish::OddType | Wish::Listed => return,
    };
    invalid_params(says, request, answer, what);
});

/// CONFIG-012 (v1): options that are true or false come only to clients that advertised them.
/// (v1 session-config-options#boolean-config-options)
const BOOLEANS: Rule = Rule::check("ACP-CONFIG-012", |m, says| {
    let Some((_, list)) = options(m) else { return };
    let advertised = client_says(m.conn, "/clientCapabilities/session/configOptions/boolean");
    if m.conn.version() != Version::AcpV1 || m.conn.init.request.is_none() || advertised.is_some() {
        return;
    }
    let boolean = |option: &&Value| option.get("type").is_some_and(|kind| kind == "boolean");
    let found = list.iter().find(boolean);
    says.holds(found.is_none(), || {
        let name = found.map(|option| name_of(m, option)).unwrap_or_default();
        Why::new(
            "no option of the type boolean",
            format!("the client did not advertise boolean options, and the option {name} is one"),
        )
    });
});

/// CONFIG-018: options can be changed while a prompt is being worked on. A refusal counts where the same change
/// succeeded while nothing ran. (session-config-options#setting-a-config-option)
const WHILE_BUSY: Rule = Rule::check("ACP-CONFIG-018", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &[SET_OPTION]) else {
        return;
    };
    let Some(session) = session_of(request) else {
        return;
    };
    if wish(m.conn, request) != Some(Wish::Listed) || !turn_at(m, session, request.seq) {
        return;
    }
    let still = turn_at(m, session, answer.seq);
    if !answer.is_error {
        if !still {
            says.note("an option could be changed only once the turn was over");
        }
        return says.upheld();
    }
    let same = |other: &&Request| {
        other.method == SET_OPTION
            && other.params == request.params
            && other.answer().is_some_and(|answer| !answer.is_error)
            && !turn_at(m, session, other.seq)
    };
    if !still || !m.conn.requests.iter().any(|other| same(&other)) || wants_login(answer) {
        return says.unclear("the option may have been refused for another reason than the turn");
    }
    says.broken(
        Why::new(
            "a result, as while nothing runs",
            format!(
                "a change of an option was answered with {} while a turn was running; before it succeeded",
                told(answer)
            ),
        )
        .sent(request.text.clone()),
    );
});

/// A turn of the session was open at this event.
fn turn_at(m: &Moment<'_>, session: &str, seq: u64) -> bool {
    m.conn.turns.iter().any(|turn| {
        turn.session == session
            && m.conn.requests[turn.request].seq < seq
            && turn.ended.as_ref().is_none_or(|end| end.seq > seq)
    })
}

/// CONFIG-019 (v2): where options are listed, `session/set_config_option` is there.
/// (v2/agent.rs SetSessionConfigOptionRequest)
const SUPPORTED: Rule = Rule::check("ACP-CONFIG-019", |m, says| {
    let Some((_, request, answer)) = answer_to(m, &[SET_OPTION]) else {
        return;
    };
    if m.conn.version() == Version::AcpV2 && wish(m.conn, request) == Some(Wish::Listed) {
        says.holds(answer.error_code != Some(-32601), || {
            Why::new(
                "session/set_config_option, since options are listed",
                "options are listed, and session/set_config_option was answered with error -32601",
            )
            .sent(request.text.clone())
        });
    }
});
