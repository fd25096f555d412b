//! Makes the committed ACP JSON Schemas from the types of the schema crate.
//!
//! Only this crate depends on it: it compiles for the better part of a minute, and what Elenchus needs of it is its
//! structure. One file a version, under `harness/protocol/schemas`, holds `$defs` and, for each method, references
//! to the shapes of its params and its result. Descriptions, titles, examples, defaults and `x-` extensions are left
//! out: they are the schema crate's prose, and no message is checked against them.

use agent_client_protocol_schema::{v1, v2};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The shapes of one protocol version.
pub struct Shapes {
    /// The file's name in `harness/protocol/schemas`.
    pub file: &'static str,
    definitions: Map<String, Value>,
    methods: Map<String, Value>,
}

/// What one method carries: params, and for a request the result.
struct Method {
    name: &'static str,
    params: Value,
    result: Option<Value>,
}

/// A version's table: `"method": Params -> Result;`, without the result for a notification.
macro_rules! methods {
    ($version:ident { $($name:literal: $params:ident $(-> $result:ident)?;)* }) => {
        |generator: &mut SchemaGenerator| vec![$(Method {
            name: $name,
            params: generator.subschema_for::<$version::$params>().to_value(),
            result: None$(.or(Some(generator.subschema_for::<$version::$result>().to_value())))?,
        }),*]
    };
}

impl Shapes {
    /// The shapes of version 1.
    pub fn acp_v1() -> Self {
        Self::new(
            "acp-v1.json",
            methods!(v1 {
                "initialize": InitializeRequest -> InitializeResponse;
                "authenticate": AuthenticateRequest -> AuthenticateResponse;
                "logout": LogoutRequest -> LogoutResponse;
                "session/new": NewSessionRequest -> NewSessionResponse;
                "session/load": LoadSessionRequest -> LoadSessionResponse;
                "session/resume": ResumeSessionRequest -> ResumeSessionResponse;
                "session/list": ListSessionsRequest -> ListSessionsResponse;
                "session/close": CloseSessionRequest -> CloseSessionResponse;
                "session/delete": DeleteSessionRequest -> DeleteSessionResponse;
                "session/set_mode": SetSessionModeRequest -> SetSessionModeResponse;
                "session/set_config_option": SetSessionConfigOptionRequest -> SetSessionConfigOptionResponse;
                "session/prompt": PromptRequest -> PromptResponse;
                "session/cancel": CancelNotification;
                "session/request_permission": RequestPermissionRequest -> RequestPermissionResponse;
                "fs/read_text_file": ReadTextFileRequest -> ReadTextFileResponse;
                "fs/write_text_file": WriteTextFileRequest -> WriteTextFileResponse;
                "terminal/create": CreateTerminalRequest -> CreateTerminalResponse;
                "terminal/output": TerminalOutputRequest -> TerminalOutputResponse;
                "terminal/wait_for_exit": WaitForTerminalExitRequest -> WaitForTerminalExitResponse;
                "terminal/kill": KillTerminalRequest -> KillTerminalResponse;
                "terminal/release": ReleaseTerminalRequest -> ReleaseTerminalResponse;
                "elicitation/create": CreateElicitationRequest -> CreateElicitationResponse;
                "elicitation/complete": CompleteElicitationNotification;
                "session/update": SessionNotification;
                "$/cancel_request": CancelRequestNotification;
            }),
        )
    }

    /// The shapes of version 2.
    pub fn acp_v2() -> Self {
        Self::new(
            "acp-v2.json",
            methods!(v2 {
                "initialize": InitializeRequest -> InitializeResponse;
                "auth/login": LoginAuthRequest -> LoginAuthResponse;
                "auth/logout": LogoutAuthRequest -> LogoutAuthResponse;
                "session/new": NewSessionRequest -> NewSessionResponse;
                "session/resume": ResumeSessionRequest -> ResumeSessionResponse;
                "session/list": ListSessionsRequest -> ListSessionsResponse;
                "session/close": CloseSessionRequest -> CloseSessionResponse;
                "session/delete": DeleteSessionRequest -> DeleteSessionResponse;
                "session/set_config_option": SetSessionConfigOptionRequest -> SetSessionConfigOptionResponse;
                "session/prompt": PromptRequest -> PromptResponse;
                "session/cancel": CancelSessionNotification;
                "tool_call/cancel": CancelToolCallRequest -> CancelToolCallResponse;
                "terminal/cancel": CancelTerminalRequest -> CancelTerminalResponse;
                "session/request_permission": RequestPermissionRequest -> RequestPermissionResponse;
                "elicitation/create": CreateElicitationRequest -> CreateElicitationResponse;
                "elicitation/complete": CompleteElicitationNotification;
                "session/update": UpdateSessionNotification;
                "$/cancel_request": CancelRequestNotification;
            }),
        )
    }

    fn new(file: &'static str, methods: impl FnOnce(&mut SchemaGenerator) -> Vec<Method>) -> Self {
        let mut generator = SchemaGenerator::new(SchemaSettings::draft2020_12());
        let methods = methods(&mut generator);
        let definitions = generator.take_definitions(false);
        let methods = methods.into_iter().map(|method| {
            let mut shapes = json!({"params": method.params});
            if let Some(result) = method.result {
                shapes["result"] = result;
            }
            (method.name.to_owned(), shapes)
        });
        Self {
            file,
            definitions,
            methods: methods.collect(),
        }
    }

    /// The places in the tables above whose type, by its own annotation and name, belongs elsewhere. Empty unless
    /// the tables are wrong.
    pub fn misplaced(&self) -> Vec<String> {
        let belongs = |name: &str, part: &str, reference: &Value| {
            let path = reference["$ref"].as_str().unwrap_or_default();
            let type_name = path.rsplit('/').next().unwrap_or_default();
            self.definitions.get(type_name).is_some_and(|definition| {
                definition["x-method"] == *name
                    && type_name.ends_with("Response") == (part == "result")
            })
        };
        let misplaced = self.methods.iter().flat_map(|(name, shapes)| {
            let parts = shapes.as_object().into_iter().flatten();
            parts
                .filter(|(part, reference)| !belongs(name, part, reference))
                .map(move |(part, _)| format!("{name} {part}"))
        });
        misplaced.collect()
    }

    /// The text of the file: one definition a line, everything in alphabetical order, so that what a new version of
    /// the schema crate changes is what a diff shows.
    pub fn text(&self) -> String {
        let block = |entries: &Map<String, Value>| {
            let mut lines: Vec<_> = entries
                .iter()
                .map(|(name, schema)| {
                    let mut schema = structure(schema);
                    schema.sort_all_objects();
                    format!("{}: {schema}", Value::from(name.as_str()))
                })
                .collect();
            lines.sort_unstable();
            lines.join(",\n")
        };
        format!(
            "{{\n\"$defs\": {{\n{}\n}},\n\"methods\": {{\n{}\n}}\n}}\n",
            block(&self.definitions),
            block(&self.methods)
        )
    }
}

/// A schema without what only explains it. Under `properties` the keys are names of members, not keywords.
fn structure(schema: &Value) -> Value {
    const PROSE: [&str; 5] = [
        "description",
        "title",
        "default",
        "examples",
        "discriminator",
    ];
    match schema {
        Value::Array(schemas) => schemas.iter().map(structure).collect(),
        Value::Object(keywords) => keywords
            .iter()
            .filter(|(keyword, _)| !PROSE.contains(&keyword.as_str()) && !keyword.starts_with("x-"))
            .map(|(keyword, value)| {
                let value = match (keyword.as_str(), value) {
                    ("properties", Value::Object(members)) => members
                        .iter()
                        .map(|(name, member)| (name.clone(), structure(member)))
                        .collect(),
                    ("const" | "enum" | "required", value) => value.clone(),
                    (_, value) => structure(value),
                };
                (keyword.clone(), value)
            })
            .collect(),
        scalar => scalar.clone(),
    }
}
