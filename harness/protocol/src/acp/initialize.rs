//! Strict views of `initialize`: version, capabilities, implementation information.
//!
//! A null in place of an absent optional member is at most a warning, since readers take it as the default.
//! What stands under a client's `elicitation` capability is [`super::elicitation`]'s business, and unstable
//! capabilities are nobody's: a defect is reported once, by the view whose clause names it.

use serde_json::{Map, Value};

use super::shapes::brief;
use crate::{Problem, Version, Weight};

/// The faults of an `initialize` result (or params, where a clause binds both sides).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InitFault {
    /// `protocolVersion` missing or not an integer in 0..=65535 (INIT-009).
    ProtocolVersion,
    /// v1 result: a known member of the wrong type (INIT-013).
    ResultShapeV1,
    /// v2 result: `info` missing, or `capabilities` or `authMethods` of the wrong type (INIT-014).
    ResultShapeV2,
    /// v2: `info` without string name and version (INIT-016).
    Info,
    /// v2: a capability marker that is no object: a boolean, string, number or array (INIT-019).
    MarkerV2,
    /// v1: a capability value of the wrong type (INIT-020).
    CapabilityV1,
}

/// An `initialize` result as read.
#[derive(Debug, Clone, PartialEq)]
pub struct InitializeResult {
    /// `protocolVersion`, if it is an integer in range.
    pub protocol_version: Option<u16>,
    /// What is wrong, by the shape of the *negotiated* version. Pointers start at the result's root.
    pub problems: Vec<Problem<InitFault>>,
}

/// Reads the result of `initialize`. `version` is the version whose shape the connection follows.
pub fn read_result(result: &Value, version: Version) -> InitializeResult {
    let mut reader = Reader::default();
    let shape = match version {
        Version::AcpV1 => InitFault::ResultShapeV1,
        Version::AcpV2 => InitFault::ResultShapeV2,
    };
    let Some(members) = result.as_object() else {
        reader.violation(shape, "", Some(result), "an object");
        return InitializeResult {
            protocol_version: None,
            problems: reader.problems,
        };
    };
    let protocol_version = reader.protocol_version(members);
    match version {
        Version::AcpV1 => {
            if let Some(capabilities) = reader.object(shape, members, "agentCapabilities") {
                reader.slots(
                    InitFault::CapabilityV1,
                    "/agentCapabilities",
                    capabilities,
                    AGENT_V1,
                );
            }
            if let Some(info) = members.get("agentInfo").filter(|info| !info.is_null()) {
                reader.implementation(shape, "/agentInfo", info);
            }
        }
        Version::AcpV2 => {
            match members.get("info") {
                Some(info) => reader.implementation(InitFault::Info, "/info", info),
                None => reader.violation(shape, "/info", None, IMPLEMENTATION),
            }
            if !members.contains_key("capabilities") {
                // The schema lets them out; the older prose wants them.
                reader.warning(shape, "/capabilities", None, "an object");
            }
            if let Some(capabilities) = reader.object(shape, members, "capabilities") {
                reader.slots(InitFault::MarkerV2, "/capabilities", capabilities, AGENT_V2);
            }
        }
    }
    match members.get("authMethods") {
        None | Some(Value::Array(_)) => {}
        Some(null @ Value::Null) => reader.warning(shape, "/authMethods", Some(null), "an array"),
        Some(other) => reader.violation(shape, "/authMethods", Some(other), "an array"),
    }
    InitializeResult {
        protocol_version,
        problems: reader.problems,
    }
}

/// What is wrong with the params of `initialize` by the clauses that bind both sides: `info` (INIT-016) and
/// capabilities (INIT-019, INIT-020). `version` is the version whose shape the params follow, which is the one that
/// they request. Pointers start at the root of params.
pub fn read_params(params: &Value, version: Version) -> Vec<Problem<InitFault>> {
    let mut reader = Reader::default();
    if let Some(members) = params.as_object() {
        match version {
            Version::AcpV1 => reader.slots(InitFault::CapabilityV1, "", members, PARAMS_V1),
            Version::AcpV2 => {
                if let Some(info) = members.get("info") {
                    reader.implementation(InitFault::Info, "/info", info);
                }
                reader.slots(InitFault::MarkerV2, "", members, PARAMS_V2);
            }
        }
    }
    reader.problems
}

/// What may stand at a capability's place.
enum Slot {
    /// A boolean.
    Flag,
    /// An object that the schema does not let be null, with its own slots.
    Group(Slots),
    /// An object or null, with its own slots.
    Marker(Slots),
}

type Slots = &'static [(&'static str, Slot)];

const SYSTEM_PROMPT: Slots = &[("mode", Slot::Marker(&[("override", Slot::Marker(&[]))]))];

const AGENT_V1: Slots = &[
    ("loadSession", Slot::Flag),
    (
        "promptCapabilities",
        Slot::Group(&[
            ("image", Slot::Flag),
            ("audio", Slot::Flag),
            ("embeddedContext", Slot::Flag),
        ]),
    ),
    (
        "mcpCapabilities",
        Slot::Group(&[("http", Slot::Flag), ("sse", Slot::Flag)]),
    ),
    (
        "sessionCapabilities",
        Slot::Group(&[
            ("list", Slot::Marker(&[])),
            ("delete", Slot::Marker(&[])),
            ("additionalDirectories", Slot::Marker(&[])),
            ("systemPrompt", Slot::Marker(SYSTEM_PROMPT)),
            ("resume", Slot::Marker(&[])),
            ("close", Slot::Marker(&[])),
        ]),
    ),
    ("auth", Slot::Group(&[("logout", Slot::Marker(&[]))])),
];

const PARAMS_V1: Slots = &[(
    "clientCapabilities",
    Slot::Group(&[
        (
            "fs",
            Slot::Group(&[("readTextFile", Slot::Flag), ("writeTextFile", Slot::Flag)]),
        ),
        ("terminal", Slot::Flag),
        (
            "session",
            Slot::Marker(&[
                ("compaction", Slot::Marker(&[])),
                (
                    "configOptions",
                    Slot::Marker(&[("boolean", Slot::Marker(&[]))]),
                ),
                ("notices", Slot::Marker(&[])),
            ]),
        ),
        ("subagents", Slot::Marker(&[])),
        ("plan", Slot::Marker(&[])),
        ("auth", Slot::Group(&[("terminal", Slot::Flag)])),
    ]),
)];

const AGENT_V2: Slots = &[
    (
        "session",
        Slot::Marker(&[
            (
                "prompt",
                Slot::Marker(&[
                    ("image", Slot::Marker(&[])),
                    ("audio", Slot::Marker(&[])),
                    ("embeddedContext", Slot::Marker(&[])),
                ]),
            ),
            (
                "mcp",
                Slot::Marker(&[("stdio", Slot::Marker(&[])), ("http", Slot::Marker(&[]))]),
            ),
            ("delete", Slot::Marker(&[])),
            ("additionalDirectories", Slot::Marker(&[])),
            ("systemPrompt", Slot::Marker(SYSTEM_PROMPT)),
        ]),
    ),
    ("auth", Slot::Marker(&[])),
];

const PARAMS_V2: Slots = &[(
    "capabilities",
    Slot::Group(&[("auth", Slot::Marker(&[("terminal", Slot::Marker(&[]))]))]),
)];

const IMPLEMENTATION: &str = "an object with name and version";

#[derive(Default)]
struct Reader {
    problems: Vec<Problem<InitFault>>,
}

impl Reader {
    fn note(
        &mut self,
        kind: InitFault,
        weight: Weight,
        pointer: &str,
        got: Option<&Value>,
        expected: &str,
    ) {
        self.problems.push(Problem {
            kind,
            weight,
            pointer: pointer.to_owned(),
            got: brief(got),
            expected: expected.to_owned(),
        });
    }

    fn violation(&mut self, kind: InitFault, pointer: &str, got: Option<&Value>, expected: &str) {
        self.note(kind, Weight::Violation, pointer, got, expected);
    }

    fn warning(&mut self, kind: InitFault, pointer: &str, got: Option<&Value>, expected: &str) {
        self.note(kind, Weight::Warning, pointer, got, expected);
    }

    /// ACP-INIT-009: `protocolVersion` is an integer of 16 bits. An integer written as `1.0` is one to JSON Schema
    /// and none to many readers.
    fn protocol_version(&mut self, members: &Map<String, Value>) -> Option<u16> {
        const EXPECTED: &str = "an integer from 0 to 65535";
        let got = members.get("protocolVersion");
        let exact = got
            .and_then(Value::as_u64)
            .and_then(|number| u16::try_from(number).ok());
        if exact.is_some() {
            return exact;
        }
        let whole = got
            .and_then(Value::as_f64)
            .filter(|number| number.fract() == 0.0);
        let rounded = whole.and_then(|number| format!("{number:.0}").parse().ok());
        let weight = if rounded.is_some() {
            Weight::Warning
        } else {
            Weight::Violation
        };
        self.note(
            InitFault::ProtocolVersion,
            weight,
            "/protocolVersion",
            got,
            EXPECTED,
        );
        rounded
    }

    /// The object under an optional member of the root.
    fn object<'v>(
        &mut self,
        kind: InitFault,
        members: &'v Map<String, Value>,
        name: &str,
    ) -> Option<&'v Map<String, Value>> {
        let pointer = format!("/{name}");
        match members.get(name)? {
            Value::Object(object) => return Some(object),
            Value::Null => self.warning(kind, &pointer, Some(&Value::Null), "an object"),
            other => self.violation(kind, &pointer, Some(other), "an object"),
        }
        None
    }

    /// ACP-INIT-016, and v1's twin of it: string `name` and `version`, neither empty; `title` a string or null.
    fn implementation(&mut self, kind: InitFault, pointer: &str, info: &Value) {
        let Some(members) = info.as_object() else {
            self.violation(kind, pointer, Some(info), IMPLEMENTATION);
            return;
        };
        for name in ["name", "version"] {
            let pointer = format!("{pointer}/{name}");
            match members.get(name) {
                Some(Value::String(text)) if !text.is_empty() => {}
                Some(empty @ Value::String(_)) => {
                    self.warning(kind, &pointer, Some(empty), "a string that is not empty");
                }
                got => self.violation(kind, &pointer, got, "a string"),
            }
        }
        match members.get("title") {
            None | Some(Value::Null | Value::String(_)) => {}
            got => self.violation(kind, &format!("{pointer}/title"), got, "a string or null"),
        }
    }

    /// ACP-INIT-019 and ACP-INIT-020: walks the known capability slots.
    fn slots(
        &mut self,
        kind: InitFault,
        pointer: &str,
        members: &Map<String, Value>,
        slots: Slots,
    ) {
        for (name, slot) in slots {
            let Some(value) = members.get(*name) else {
                continue;
            };
            let pointer = format!("{pointer}/{name}");
            match (slot, value) {
                (Slot::Flag, Value::Bool(_)) | (Slot::Marker(_), Value::Null) => {}
                (Slot::Group(inner) | Slot::Marker(inner), Value::Object(members)) => {
                    self.slots(kind, &pointer, members, inner);
                }
                (Slot::Flag, _) => {
                    let weight = if value.is_null() {
                        Weight::Warning
                    } else {
                        Weight::Violation
                    };
                    self.note(kind, weight, &pointer, Some(value), "true or false");
                }
                (Slot::Group(_), Value::Null) => {
                    self.warning(kind, &pointer, Some(value), "an object");
                }
                (Slot::Group(_), _) => self.violation(kind, &pointer, Some(value), "an object"),
                (Slot::Marker(_), _) => {
                    self.violation(kind, &pointer, Some(value), "an object or null");
                }
            }
        }
    }
}

/// What an agent announces: which methods must not answer -32601.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentFeatures {
    /// Names of methods that the capabilities announce (`session/load`, `session/list`, ...), besides the baseline; and
    /// of members that a session takes (`additionalDirectories`, `systemPrompt`), and of transports (`mcp.stdio`).
    pub announced: Vec<&'static str>,
    /// v2: `capabilities.session` is an object. v1: always true.
    pub sessions: bool,
}

/// Reads the agent's capabilities out of an `initialize` result (ACP-INIT-025, ACP-INIT-026). A value of the wrong
/// type announces nothing. What a session result announces (`session/set_mode`, `session/set_config_option`) is not
/// in here.
pub fn agent_features(result: &Value, version: Version) -> AgentFeatures {
    let announces = |pointer: &str| result.pointer(pointer).is_some_and(Value::is_object);
    let login = result
        .get("authMethods")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let mut announced = Vec::new();
    match version {
        Version::AcpV1 => {
            if result.pointer("/agentCapabilities/loadSession") == Some(&Value::Bool(true)) {
                announced.push("session/load");
            }
            let markers = [
                (
                    "/agentCapabilities/sessionCapabilities/list",
                    "session/list",
                ),
                (
                    "/agentCapabilities/sessionCapabilities/resume",
                    "session/resume",
                ),
                (
                    "/agentCapabilities/sessionCapabilities/close",
                    "session/close",
                ),
                (
                    "/agentCapabilities/sessionCapabilities/delete",
                    "session/delete",
                ),
                (
                    "/agentCapabilities/sessionCapabilities/additionalDirectories",
                    "additionalDirectories",
                ),
                (
                    "/agentCapabilities/sessionCapabilities/systemPrompt",
                    "systemPrompt",
                ),
                ("/agentCapabilities/auth/logout", "logout"),
            ];
            announced.extend(
                markers
                    .iter()
                    .filter(|(pointer, _)| announces(pointer))
                    .map(|(_, name)| *name),
            );
            if login.iter().any(is_agent_login) {
                announced.push("authenticate");
            }
            AgentFeatures {
                announced,
                sessions: true,
            }
        }
        Version::AcpV2 => {
            let sessions = announces("/capabilities/session");
            if sessions {
                announced.extend([
                    "session/new",
                    "session/list",
                    "session/resume",
                    "session/close",
                    "session/prompt",
                ]);
            }
            if announces("/capabilities/session/delete") {
                announced.push("session/delete");
            }
            if announces("/capabilities/session/additionalDirectories") {
                announced.push("additionalDirectories");
            }
            if announces("/capabilities/session/systemPrompt") {
                announced.push("systemPrompt");
            }
            if announces("/capabilities/session/mcp/stdio") {
                announced.push("mcp.stdio");
            }
            if announces("/capabilities/session/mcp/http") {
                announced.push("mcp.http");
            }
            // One method of any type already promises both.
            if login.iter().any(Value::is_object) {
                announced.extend(["auth/login", "auth/logout"]);
            }
            AgentFeatures {
                announced,
                sessions,
            }
        }
    }
}

/// A v1 login that goes through `authenticate`: an entry without a type is of type agent.
fn is_agent_login(entry: &Value) -> bool {
    entry.is_object()
        && matches!(
            entry.get("type").map(Value::as_str),
            None | Some(Some("agent"))
        )
}
