//! The params of our own requests, as a plain client of each version writes them.

use elenchus_protocol::Version;

use crate::json::quote;

/// `initialize`, asking for this version.
pub(crate) fn initialize(version: Version, elicitation: Option<&str>) -> String {
    initialize_asking(version.number(), version, elicitation)
}

/// `initialize`, asking for this number in the shape of that version.
pub(crate) fn initialize_asking(number: u16, shape: Version, elicitation: Option<&str>) -> String {
    let me = concat!(
        r#"{"name":"elenchus","version":""#,
        env!("CARGO_PKG_VERSION"),
        "\"}"
    );
    match shape {
        Version::AcpV1 => {
            let elicitation = elicitation
                .map(|value| format!(r#","elicitation":{value}"#))
                .unwrap_or_default();
            format!(
                r#"{{"protocolVersion":{number},"clientCapabilities":{{"fs":{{"readTextFile":false,"writeTextFile":false}},"terminal":false{elicitation}}},"clientInfo":{me}}}"#
            )
        }
        Version::AcpV2 => {
            let elicitation = elicitation
                .map(|value| format!(r#""elicitation":{value}"#))
                .unwrap_or_default();
            format!(
                r#"{{"protocolVersion":{number},"info":{me},"capabilities":{{{elicitation}}}}}"#
            )
        }
    }
}

/// `session/new`.
pub(crate) fn new_session(version: Version, cwd: &str) -> String {
    match version {
        Version::AcpV1 => format!(r#"{{"cwd":{},"mcpServers":[]}}"#, quote(cwd)),
        Version::AcpV2 => format!(r#"{{"cwd":{}}}"#, quote(cwd)),
    }
}

/// `session/prompt` with one text block. The session id is JSON text.
pub(crate) fn prompt(session: &str, text: &str) -> String {
    format!(
        r#"{{"sessionId":{session},"prompt":[{{"type":"text","text":{}}}]}}"#,
        quote(text)
    )
}

/// Params that are valid for a method that an agent announces; `None` where a call could log the operator in or out.
/// The session id is JSON text.
pub(crate) fn announced(
    version: Version,
    method: &str,
    session: &str,
    cwd: &str,
) -> Option<String> {
    Some(match (method, version) {
        ("session/list", _) => "{}".to_owned(),
        ("session/load" | "session/resume", Version::AcpV1) => {
            format!(
                r#"{{"sessionId":{session},"cwd":{},"mcpServers":[]}}"#,
                quote(cwd)
            )
        }
        ("session/load" | "session/resume", Version::AcpV2) => {
            format!(r#"{{"sessionId":{session},"cwd":{}}}"#, quote(cwd))
        }
        ("session/close" | "session/delete", _) => format!(r#"{{"sessionId":{session}}}"#),
        ("session/new", version) => new_session(version, cwd),
        ("session/prompt", _) => prompt(session, "hello"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initialize_is_what_its_version_says() {
        let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        for version in Version::ALL {
            for (value, present) in [
                (Some("null"), true),
                (Some(r#"{"form":{}}"#), true),
                (None, false),
            ] {
                let params = parsed(&initialize(version, value));
                let (capabilities, info) = match version {
                    Version::AcpV1 => ("/clientCapabilities", "/clientInfo/name"),
                    Version::AcpV2 => ("/capabilities", "/info/name"),
                };
                assert_eq!(params["protocolVersion"], version.number());
                assert_eq!(params.pointer(info).unwrap(), "elenchus");
                let found = params.pointer(capabilities).unwrap().get("elicitation");
                assert_eq!(found.is_some(), present, "{params}");
            }
        }
    }
}
