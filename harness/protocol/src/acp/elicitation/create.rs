//! The strict reader of `elicitation/create`.

use serde_json::{Map, Value};

use super::{Create, CreateFault, Scope, links};
use crate::{
    Version, Weight,
    form::{
        self,
        finding::{Findings, Path, given},
        number::{INT64, Integer, integer},
    },
};

type Object = Map<String, Value>;

pub(super) fn read(params: Option<&Value>, version: Version) -> Create {
    let mut create = Create {
        mode: None,
        message: None,
        scope: Scope::Unclear,
        form: None,
        url: None,
        elicitation_id: None,
        has_tool_call_id: false,
        has_request_id: false,
        problems: Vec::new(),
    };
    let mut reader = Reader {
        version,
        findings: Findings::new(),
    };
    if let Some(Value::Object(members)) = params {
        create.has_tool_call_id = members.contains_key("toolCallId");
        create.has_request_id = members.contains_key("requestId");
        create.mode = reader.mode(members);
        create.message = reader.text(members, "message", CreateFault::Message);
        create.scope = reader.scope(members);
        match create.mode.as_deref() {
            Some("form") => {
                let schema = members.get("requestedSchema");
                create.form = Some(form::read(schema, version));
                links::report(members, &mut reader.findings);
            }
            Some("url") => {
                let fault = CreateFault::ElicitationId;
                create.elicitation_id = reader.text(members, "elicitationId", fault);
                create.url = reader.text(members, "url", CreateFault::Url);
            }
            _ => {}
        }
    } else {
        reader
            .findings
            .violation(CreateFault::Params, &Path::ROOT, params, "an object");
    }
    create.problems = reader.findings.into_problems();
    create
}

struct Reader {
    version: Version,
    findings: Findings<CreateFault>,
}

impl Reader {
    /// A member that has to be a string.
    fn text(&mut self, members: &Object, name: &str, fault: CreateFault) -> Option<String> {
        let value = members.get(name);
        let text = value.and_then(Value::as_str);
        if text.is_none() {
            let at = Path::ROOT;
            self.findings
                .violation(fault, &at.member(name), value, "a string");
        }
        text.map(str::to_owned)
    }

    fn mode(&mut self, members: &Object) -> Option<String> {
        let mode = self.text(members, "mode", CreateFault::NoMode)?;
        if !matches!(mode.as_str(), "form" | "url") && !mode.starts_with('_') {
            let at = Path::ROOT;
            self.findings.violation(
                CreateFault::ReservedMode,
                &at.member("mode"),
                members.get("mode"),
                "form, url or a name that begins with an underscore",
            );
        }
        Some(mode)
    }

    /// Exactly one of `sessionId` and `requestId`, at the top of params. A null beside the other id is a
    /// twin: typed readers of v2 reject it, older texts and v1 take it, so that it is only a remark.
    fn scope(&mut self, members: &Object) -> Scope {
        let (session, request) = (members.get("sessionId"), members.get("requestId"));
        let scope = match (session, request) {
            (None, None) => {
                self.no_scope(members);
                return Scope::Unclear;
            }
            (Some(session), None) => self.session(members, session),
            (None, Some(request)) => self.request(members, request),
            (Some(session), Some(request)) => {
                let both = !session.is_null() && !request.is_null();
                let (fault, weight) = match (self.version, both) {
                    (Version::AcpV1, _) => (CreateFault::BothScopesV1, Weight::Warning),
                    (Version::AcpV2, true) => (CreateFault::ScopeCount, Weight::Violation),
                    (Version::AcpV2, false) => (CreateFault::ScopeCount, Weight::Warning),
                };
                let (name, twin) = if session.is_null() {
                    ("sessionId", session)
                } else {
                    ("requestId", request)
                };
                let at = Path::ROOT;
                let expected = "absent: only one of sessionId and requestId may stand";
                self.findings
                    .add(fault, weight, &at.member(name), Some(twin), expected);
                if both {
                    self.session(members, session);
                    self.request_id(request);
                    Scope::Unclear
                } else if session.is_null() {
                    self.request(members, request)
                } else {
                    self.session(members, session)
                }
            }
        };
        self.tool_call_type(members);
        scope
    }

    /// ELICIT-SCOPE-004 and -005: no id at the top; perhaps it stands deeper.
    fn no_scope(&mut self, members: &Object) {
        let at = Path::ROOT;
        let nested = members.iter().find(|(name, value)| {
            !matches!(name.as_str(), "requestedSchema" | "_meta")
                && ["sessionId", "requestId"]
                    .iter()
                    .any(|id| value.get(id).is_some())
        });
        if let Some((name, value)) = nested {
            let expected = "absent: sessionId or requestId stands at the top of params";
            self.findings.violation(
                CreateFault::NestedScope,
                &at.member(name),
                Some(value),
                expected,
            );
        } else {
            let fault = match self.version {
                Version::AcpV1 => CreateFault::NestedScope,
                Version::AcpV2 => CreateFault::ScopeCount,
            };
            let expected = "a string, unless there is a requestId in its place";
            self.findings
                .violation(fault, &at.member("sessionId"), None, expected);
        }
    }

    fn session(&mut self, members: &Object, session: &Value) -> Scope {
        let Value::String(session) = session else {
            let at = Path::ROOT;
            self.findings.violation(
                CreateFault::SessionIdType,
                &at.member("sessionId"),
                Some(session),
                "a string",
            );
            return Scope::Unclear;
        };
        Scope::Session {
            session: session.clone(),
            tool_call: members
                .get("toolCallId")
                .and_then(Value::as_str)
                .map(str::to_owned),
        }
    }

    fn request(&mut self, members: &Object, request: &Value) -> Scope {
        if let Some(tool_call) = members.get("toolCallId") {
            let weight = if self.version == Version::AcpV2 && !tool_call.is_null() {
                Weight::Violation
            } else {
                Weight::Warning
            };
            let at = Path::ROOT;
            self.findings.add(
                CreateFault::ToolCallWithRequest,
                weight,
                &at.member("toolCallId"),
                Some(tool_call),
                "absent beside requestId",
            );
        }
        self.request_id(request)
    }

    /// ELICIT-SCOPE-014 and -015.
    fn request_id(&mut self, request: &Value) -> Scope {
        let (fault, on_null) = match self.version {
            Version::AcpV1 => (CreateFault::RequestIdV1, Weight::Warning),
            Version::AcpV2 => (CreateFault::RequestIdV2, Weight::Violation),
        };
        let weight = match request {
            Value::String(_) => None,
            Value::Null => Some(on_null),
            other => match integer(other, &INT64) {
                Integer::Plain(_) => None,
                Integer::Odd(_) => Some(Weight::Unclear),
                Integer::No => Some(Weight::Violation),
            },
        };
        if let Some(weight) = weight {
            let at = Path::ROOT;
            let expected = "the string or integer id of a pending request of the client";
            self.findings.add(
                fault,
                weight,
                &at.member("requestId"),
                Some(request),
                expected,
            );
        }
        if weight == Some(Weight::Violation) {
            Scope::Unclear
        } else {
            Scope::Request(request.to_string())
        }
    }

    /// ELICIT-SCOPE-011, the part about the type.
    fn tool_call_type(&mut self, members: &Object) {
        let tool_call = given(members, "toolCallId").filter(|value| !value.is_string());
        if let Some(tool_call) = tool_call {
            let at = Path::ROOT;
            self.findings.violation(
                CreateFault::ToolCallIdType,
                &at.member("toolCallId"),
                Some(tool_call),
                "a string",
            );
        }
    }
}
