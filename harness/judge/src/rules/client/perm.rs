//! PERM: what a client answers to a request for a permission.

use elenchus_protocol::{
    Version,
    acp::shapes::{self, Part},
};
use elenchus_wire::Side;
use serde_json::Value;

use crate::{
    fact::Moment,
    kinds::ANSWERS,
    rule::{Rule, Why},
    rules::{report::quoted, told::misfit},
    text,
    world::Request,
};

pub(super) const RULES: &[Rule] = &[
    DECIDED.at(&[ANSWERS]),
    SHAPE.at(&[ANSWERS]),
    GENERIC.at(&[ANSWERS]),
];

const METHOD: &str = "session/request_permission";

/// The permission that is answered at this fact.
fn answered<'a>(m: &Moment<'a>) -> Option<&'a Request> {
    let (_, request) = m.answered()?;
    (request.method == METHOD && m.judged == Side::Client).then_some(request)
}

/// The request is one that an agent may send.
fn is_sound(m: &Moment<'_>, request: &Request) -> bool {
    let params = request.params.as_ref().unwrap_or(&Value::Null);
    let session = params.get("sessionId").and_then(Value::as_str);
    let known = session.is_some_and(|it| m.conn.sessions.get(it).is_some_and(|it| it.known));
    known && shapes::check(m.conn.version(), METHOD, Part::Params, params).is_empty()
}

/// The ids of the options.
fn offered(request: &Request) -> impl Iterator<Item = &str> {
    let options = request.params.as_ref().and_then(|it| it.get("options"));
    let options = options.and_then(Value::as_array).into_iter().flatten();
    options.filter_map(|option| option.get("optionId")?.as_str())
}

/// PERM-007: a permission is decided: by one of the options, or as cancelled; in v2 also in a way of one's own. Another
/// error than -32601 is a remark. (tool-calls#requesting-permission)
const DECIDED: Rule = Rule::check("ACP-PERM-007", |m, says| {
    let Some(request) = answered(m).filter(|request| is_sound(m, request)) else {
        return;
    };
    let Some(answer) = request.answer() else {
        return;
    };
    let expected = "the outcome selected with one of the options, or cancelled";
    if answer.is_error {
        return match answer.error_code {
            Some(-32601) => says.broken(
                Why::new(
                    expected,
                    "a request for a permission was answered with -32601",
                )
                .sent(request.text.clone()),
            ),
            // A request that was cancelled.
            Some(-32800) => {}
            code => says.note(format!(
                "a request for a permission was answered with an error{}",
                code.map_or_else(String::new, |code| format!(" {code}"))
            )),
        };
    }
    let outcome = answer.result.as_ref().and_then(|it| it.get("outcome"));
    let named = |name: &str| outcome.and_then(|it| it.get(name)?.as_str());
    match (named("outcome"), named("optionId")) {
        (Some("cancelled"), _) => says.upheld(),
        (Some("selected"), Some(id)) => says.holds(offered(request).any(|it| it == id), || {
            Why::new(
                expected,
                format!(
                    "the option {} was selected, which was not offered",
                    text::short_to(id, 60)
                ),
            )
            .sent(request.text.clone())
        }),
        (Some(own), _) if own.starts_with('_') && m.conn.version() == Version::AcpV2 => {
            says.upheld();
        }
        // PERM-008's, and ENUM-001's.
        _ => {}
    }
})
.of_client();

/// PERM-008: the outcome is an object within the result, and says which option was selected. Values that do not exist are
/// ENUM-001's and ENUM-006's. (RequestPermissionResponse)
const SHAPE: Rule = Rule::check("ACP-PERM-008", |m, says| {
    let Some(request) = answered(m) else { return };
    let Some(answer) = request.answer().filter(|answer| !answer.is_error) else {
        return;
    };
    let Some(result) = answer.result.as_ref() else {
        return;
    };
    if result.get("outcome").is_some_and(Value::is_string) {
        return says.broken(
            Why::new(
                "an object as outcome, with the outcome in it",
                format!("outcome is {}", quoted(&result["outcome"])),
            )
            .sent(request.text.clone()),
        );
    }
    let value = result.pointer("/outcome/outcome");
    if value.is_some_and(|it| it.is_string() && it != "selected" && it != "cancelled") {
        return;
    }
    // JSONRPC-022's.
    if !m.misspelt().is_empty() {
        return;
    }
    let mut clean = true;
    for mismatch in m.mismatches() {
        clean = false;
        says.broken(misfit("the answer to a permission", mismatch).sent(request.text.clone()));
    }
    // The shape asks for it where the outcome is selected only in one of its variants.
    let selected = value.is_some_and(|it| it == "selected");
    let option = result.pointer("/outcome/optionId");
    if clean && selected && !option.is_some_and(Value::is_string) {
        return says.broken(
            Why::new("an optionId", "an option was selected, and none is named")
                .sent(request.text.clone()),
        );
    }
    if clean {
        says.upheld();
    }
})
.of_client();

/// PERM-014 (v2): a subject or a kind of option that nobody knows is no reason not to ask.
/// (v2 tool-calls#requesting-permission)
const GENERIC: Rule = Rule::check("ACP-PERM-014", |m, says| {
    let Some(request) = answered(m).filter(|request| is_sound(m, request)) else {
        return;
    };
    let params = request.params.as_ref().unwrap_or(&Value::Null);
    let own = |value: &Value| value.as_str().is_some_and(|text| text.starts_with('_'));
    let options = params.get("options").and_then(Value::as_array);
    let strange = params.pointer("/subject/type").is_some_and(own)
        || options
            .into_iter()
            .flatten()
            .any(|option| option.get("kind").is_some_and(own));
    if !strange || m.conn.version() != Version::AcpV2 {
        return;
    }
    match request.error_code() {
        Some(code) if (-32699..=-32600).contains(&code) => says.broken(
            Why::new(
                "a decision, as about anything else",
                format!(
                    "a permission with a subject or an option that nobody knows was answered with {code}"
                ),
            )
            .sent(request.text.clone()),
        ),
        Some(_) => says.unclear("the permission may have been refused for another reason"),
        None => says.upheld(),
    }
})
.of_client();
