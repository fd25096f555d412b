//! `elicitation/create`, its answer, and what a client's capabilities allow.

mod create;
mod links;

use serde_json::Value;

use crate::{Problem, Version, form::Form};

/// Which modes a client has advertised. An unreadable value advertises nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Support {
    /// `form` is present and not null.
    pub form: bool,
    /// `url` is present and not null.
    pub url: bool,
}

/// The shape of what a client wrote under `elicitation`, which several clauses name one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapabilityShape {
    /// No `elicitation` member (or no capabilities at all).
    Absent,
    /// `null`.
    Null,
    /// `{}` .
    Empty,
    /// `{"form": null, "url": null}` and nothing else.
    AllNull,
    /// An object with at least one readable mode object, or other members.
    Object,
    /// Not an object, or a mode that is neither object nor null.
    Malformed,
}

/// What `initialize` params say about elicitation, in the place that the *requested* version names.
///
/// v1 reads `clientCapabilities.elicitation` (ELICIT-CAP-001), v2 `capabilities.elicitation`
/// (ELICIT-CAP-002, -019). A mode is advertised by an object, whatever it holds (ELICIT-CAP-010).
pub fn support(initialize_params: &Value, version: Version) -> (Support, CapabilityShape) {
    let place = match version {
        Version::AcpV1 => "clientCapabilities",
        Version::AcpV2 => "capabilities",
    };
    let capability = initialize_params
        .get(place)
        .and_then(|capabilities| capabilities.get("elicitation"));
    let members = match capability {
        None => return (Support::default(), CapabilityShape::Absent),
        Some(Value::Null) => return (Support::default(), CapabilityShape::Null),
        Some(Value::Object(members)) => members,
        Some(_) => return (Support::default(), CapabilityShape::Malformed),
    };
    let (form, url) = (members.get("form"), members.get("url"));
    let support = Support {
        form: form.is_some_and(Value::is_object),
        url: url.is_some_and(Value::is_object),
    };
    let readable =
        |mode: Option<&Value>| mode.is_none_or(|mode| mode.is_null() || mode.is_object());
    let shape = if members.is_empty() {
        CapabilityShape::Empty
    } else if !readable(form) || !readable(url) {
        CapabilityShape::Malformed
    } else if members.len() == 2
        && form.is_some_and(Value::is_null)
        && url.is_some_and(Value::is_null)
    {
        CapabilityShape::AllNull
    } else {
        CapabilityShape::Object
    };
    (support, shape)
}

/// What an elicitation belongs to.
#[derive(Debug, Clone, PartialEq)]
pub enum Scope {
    /// `sessionId`, perhaps with `toolCallId`.
    Session {
        /// The session.
        session: String,
        /// The tool call in it.
        tool_call: Option<String>,
    },
    /// `requestId`: exact JSON text.
    Request(String),
    /// Neither, both, or unreadable.
    Unclear,
}

/// The faults that an `elicitation/create` can have besides its form schema. Named by clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CreateFault {
    /// params is absent or not an object (ELICIT-SCOPE-001).
    Params,
    /// No string `mode` (ELICIT-SCOPE-002).
    NoMode,
    /// The ids are nested, or v1 has no top-level id at all (ELICIT-SCOPE-004).
    NestedScope,
    /// v2: both ids or neither (ELICIT-SCOPE-005; a null twin is a warning).
    ScopeCount,
    /// v1: both ids (ELICIT-SCOPE-007; a warning).
    BothScopesV1,
    /// `sessionId` null or not a string (ELICIT-SCOPE-009, the part about its type).
    SessionIdType,
    /// `toolCallId` not a string or null (ELICIT-SCOPE-011).
    ToolCallIdType,
    /// `toolCallId` with `requestId` (ELICIT-SCOPE-011; violation in v2 when not null, else a warning).
    ToolCallWithRequest,
    /// v1 `requestId` fractional, boolean, array or object; null is a warning (ELICIT-SCOPE-014).
    RequestIdV1,
    /// v2 `requestId` null or not string or integer (ELICIT-SCOPE-015).
    RequestIdV2,
    /// `message` missing or not a string (ELICIT-SCOPE-019).
    Message,
    /// A mode that is neither form, url nor an underscore extension (ELICIT-SCOPE-022).
    ReservedMode,
    /// URL mode: `elicitationId` missing or not a string.
    ElicitationId,
    /// URL mode: `url` missing or not a string.
    Url,
    /// Form mode: a clickable http(s) URL in a text a person reads (ELICIT-FORM-015; a warning). Defaults of
    /// fields with format uri are data.
    ClickableUrl,
}

/// An `elicitation/create` as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Create {
    /// `mode`, if a string.
    pub mode: Option<String>,
    /// `message`, if a string.
    pub message: Option<String>,
    /// The scope.
    pub scope: Scope,
    /// Form mode: the form, with problems of its own.
    pub form: Option<Form>,
    /// URL mode: `url`.
    pub url: Option<String>,
    /// URL mode: `elicitationId`.
    pub elicitation_id: Option<String>,
    /// `toolCallId` stands in the request, whatever its value.
    pub has_tool_call_id: bool,
    /// `requestId` stands in the request, whatever its value.
    pub has_request_id: bool,
    /// What is wrong with it. Pointers start at the root of params.
    pub problems: Vec<Problem<CreateFault>>,
}

/// Reads the params of an `elicitation/create`; `None` if it has no params.
pub fn read_create(params: Option<&Value>, version: Version) -> Create {
    create::read(params, version)
}

/// A client's answer as an agent has to take it.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// `accept`, with its content; `None` for omitted or null.
    Accept(Option<Value>),
    /// `decline`.
    Decline,
    /// `cancel`.
    Cancel,
    /// A string that is none of these.
    Unknown(String),
    /// No readable action: null result, missing or non-string action.
    Unreadable,
}

/// Reads the result of an `elicitation/create`.
pub fn read_answer(result: &Value) -> Answer {
    match result.get("action") {
        Some(Value::String(action)) => match action.as_str() {
            "accept" => {
                let content = result.get("content").filter(|content| !content.is_null());
                Answer::Accept(content.cloned())
            }
            "decline" => Answer::Decline,
            "cancel" => Answer::Cancel,
            other => Answer::Unknown(other.to_owned()),
        },
        _ => Answer::Unreadable,
    }
}
