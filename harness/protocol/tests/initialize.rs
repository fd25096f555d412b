//! What the views of `initialize` find, and what they let pass.

use elenchus_protocol::{
    Version, Weight,
    acp::initialize::{InitFault, agent_features, read_params, read_result},
};
use serde_json::{Value, json};

use Version::{AcpV1, AcpV2};

fn full_result(version: Version) -> Value {
    match version {
        AcpV1 => json!({
            "protocolVersion": 1,
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": {"image": true, "audio": false, "embeddedContext": true},
                "mcpCapabilities": {"http": true, "sse": false},
                "sessionCapabilities": {
                    "list": {}, "delete": {}, "additionalDirectories": {}, "resume": {}, "close": {},
                    "systemPrompt": {"mode": {"override": {}}},
                },
                "auth": {"logout": {}},
            },
            "agentInfo": {"name": "agent", "title": "Agent", "version": "1.0"},
            "authMethods": [{"id": "key", "name": "Key"}],
        }),
        AcpV2 => json!({
            "protocolVersion": 2,
            "info": {"name": "agent", "title": null, "version": "1.0"},
            "capabilities": {
                "session": {
                    "prompt": {"image": {}, "audio": {}, "embeddedContext": {}},
                    "mcp": {"stdio": {}, "http": {}},
                    "delete": {}, "additionalDirectories": {},
                    "systemPrompt": {"mode": {"override": {}}},
                },
                "auth": {},
            },
            "authMethods": [{"methodId": "key", "name": "Key", "type": "agent"}],
        }),
    }
}

fn full_params(version: Version) -> Value {
    match version {
        AcpV1 => json!({
            "protocolVersion": 1,
            "clientInfo": {"name": "client", "version": "1.0"},
            "clientCapabilities": {
                "fs": {"readTextFile": true, "writeTextFile": false},
                "terminal": true,
                "session": {"compaction": {}, "configOptions": {"boolean": {}}, "notices": {}},
                "subagents": {}, "plan": {},
                "auth": {"terminal": true},
                "elicitation": {"form": {}, "url": {}},
            },
        }),
        AcpV2 => json!({
            "protocolVersion": 2,
            "info": {"name": "client", "version": "1.0"},
            "capabilities": {"auth": {"terminal": {}}, "elicitation": {"form": {}, "url": {}}},
        }),
    }
}

/// The value with the member at the pointer set, or with it removed (`None`).
fn changed(mut value: Value, pointer: &str, to: Option<Value>) -> Value {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer to a member");
    let members = value
        .pointer_mut(parent)
        .and_then(Value::as_object_mut)
        .expect("the parent is an object");
    match to {
        Some(to) => members.insert(name.to_owned(), to),
        None => members.shift_remove(name),
    };
    value
}

type Found = Vec<(InitFault, Weight, String)>;

fn in_result(result: &Value, version: Version) -> Found {
    read_result(result, version)
        .problems
        .into_iter()
        .map(|p| (p.kind, p.weight, p.pointer))
        .collect()
}

fn in_params(params: &Value, version: Version) -> Found {
    read_params(params, version)
        .into_iter()
        .map(|p| (p.kind, p.weight, p.pointer))
        .collect()
}

#[test]
fn full_and_smallest_legal_messages_have_no_problem() {
    for version in Version::ALL {
        assert_eq!(in_result(&full_result(version), version), []);
        assert_eq!(
            read_result(&full_result(version), version).protocol_version,
            Some(version.number())
        );
        assert_eq!(in_params(&full_params(version), version), []);
        assert_eq!(
            in_params(&json!({"protocolVersion": version.number()}), version),
            []
        );
    }
    assert_eq!(in_result(&json!({"protocolVersion": 1}), AcpV1), []);
    let smallest =
        json!({"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {}});
    assert_eq!(in_result(&smallest, AcpV2), []);
}

#[test]
fn every_version_number_of_sixteen_bits_is_read() {
    for number in [0, 1, 2, 3, u16::MAX] {
        let result = changed(full_result(AcpV1), "/protocolVersion", Some(json!(number)));
        let read = read_result(&result, AcpV1);
        assert_eq!(
            (read.protocol_version, read.problems),
            (Some(number), vec![])
        );
    }
}

/// Each line: version, fault, weight, pointer, and what stands there instead (JSON text, or `absent`).
fn each_line_is_one_problem(
    table: &str,
    legal: fn(Version) -> Value,
    find: fn(&Value, Version) -> Found,
) {
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let [version, fault, weight, pointer, text] = line
            .splitn(5, ' ')
            .collect::<Vec<_>>()
            .try_into()
            .expect("five words");
        let version = Version::ALL
            .into_iter()
            .find(|v| v.catalogue_name() == version)
            .expect("v1 or v2");
        let to = (text != "absent").then(|| serde_json::from_str(text).expect("JSON"));
        let found = find(&changed(legal(version), pointer, to), version);
        let found: Vec<_> = found
            .iter()
            .map(|(kind, weight, pointer)| format!("{kind:?} {weight:?} {pointer}"))
            .collect();
        assert_eq!(found, [format!("{fault} {weight} {pointer}")], "{line}");
    }
}

#[test]
fn each_defect_of_a_result_is_one_problem_at_its_place() {
    const TABLE: &str = r#"
        v1 ProtocolVersion Violation /protocolVersion absent
        v1 ProtocolVersion Violation /protocolVersion "1"
        v1 ProtocolVersion Violation /protocolVersion null
        v1 ProtocolVersion Violation /protocolVersion -1
        v1 ProtocolVersion Violation /protocolVersion 65536
        v1 ProtocolVersion Violation /protocolVersion 1.5
        v1 ProtocolVersion Violation /protocolVersion 1e300
        v1 ProtocolVersion Violation /protocolVersion [1]
        v1 ProtocolVersion Warning /protocolVersion 1.0
        v2 ProtocolVersion Violation /protocolVersion absent
        v2 ProtocolVersion Violation /protocolVersion "2"

        v1 ResultShapeV1 Violation /agentCapabilities []
        v1 ResultShapeV1 Violation /agentCapabilities true
        v1 ResultShapeV1 Warning /agentCapabilities null
        v1 ResultShapeV1 Violation /authMethods {}
        v1 ResultShapeV1 Warning /authMethods null
        v1 ResultShapeV1 Violation /agentInfo "agent"
        v1 ResultShapeV1 Violation /agentInfo/name absent
        v1 ResultShapeV1 Warning /agentInfo/name ""
        v1 ResultShapeV1 Violation /agentInfo/version 1
        v1 ResultShapeV1 Violation /agentInfo/title []

        v1 CapabilityV1 Violation /agentCapabilities/loadSession {}
        v1 CapabilityV1 Warning /agentCapabilities/loadSession null
        v1 CapabilityV1 Violation /agentCapabilities/promptCapabilities true
        v1 CapabilityV1 Warning /agentCapabilities/promptCapabilities null
        v1 CapabilityV1 Violation /agentCapabilities/promptCapabilities/image "yes"
        v1 CapabilityV1 Violation /agentCapabilities/promptCapabilities/audio {}
        v1 CapabilityV1 Violation /agentCapabilities/promptCapabilities/embeddedContext 1
        v1 CapabilityV1 Violation /agentCapabilities/mcpCapabilities/http {}
        v1 CapabilityV1 Violation /agentCapabilities/mcpCapabilities/sse 0
        v1 CapabilityV1 Violation /agentCapabilities/sessionCapabilities []
        v1 CapabilityV1 Violation /agentCapabilities/sessionCapabilities/list true
        v1 CapabilityV1 Violation /agentCapabilities/sessionCapabilities/delete false
        v1 CapabilityV1 Violation /agentCapabilities/sessionCapabilities/resume []
        v1 CapabilityV1 Violation /agentCapabilities/sessionCapabilities/close ""
        v1 CapabilityV1 Violation /agentCapabilities/sessionCapabilities/additionalDirectories 1
        v1 CapabilityV1 Violation /agentCapabilities/sessionCapabilities/systemPrompt/mode/override true
        v1 CapabilityV1 Violation /agentCapabilities/auth true
        v1 CapabilityV1 Violation /agentCapabilities/auth/logout true

        v2 ResultShapeV2 Violation /info absent
        v2 ResultShapeV2 Warning /capabilities absent
        v2 ResultShapeV2 Warning /capabilities null
        v2 ResultShapeV2 Violation /capabilities true
        v2 ResultShapeV2 Violation /authMethods "key"
        v2 ResultShapeV2 Warning /authMethods null

        v2 Info Violation /info null
        v2 Info Violation /info []
        v2 Info Violation /info/name absent
        v2 Info Warning /info/name ""
        v2 Info Violation /info/version absent
        v2 Info Violation /info/version 2
        v2 Info Violation /info/title false

        v2 MarkerV2 Violation /capabilities/session true
        v2 MarkerV2 Violation /capabilities/session []
        v2 MarkerV2 Violation /capabilities/session/prompt 1
        v2 MarkerV2 Violation /capabilities/session/prompt/image true
        v2 MarkerV2 Violation /capabilities/session/mcp/stdio "yes"
        v2 MarkerV2 Violation /capabilities/session/delete false
        v2 MarkerV2 Violation /capabilities/session/systemPrompt/mode true
        v2 MarkerV2 Violation /capabilities/auth true
    "#;
    each_line_is_one_problem(TABLE, full_result, in_result);
}

#[test]
fn each_defect_of_params_is_one_problem_at_its_place() {
    const TABLE: &str = r#"
        v1 CapabilityV1 Violation /clientCapabilities []
        v1 CapabilityV1 Warning /clientCapabilities null
        v1 CapabilityV1 Violation /clientCapabilities/fs true
        v1 CapabilityV1 Violation /clientCapabilities/fs/readTextFile {}
        v1 CapabilityV1 Warning /clientCapabilities/fs/writeTextFile null
        v1 CapabilityV1 Violation /clientCapabilities/terminal {}
        v1 CapabilityV1 Violation /clientCapabilities/auth/terminal {}
        v1 CapabilityV1 Violation /clientCapabilities/session/configOptions/boolean true
        v1 CapabilityV1 Violation /clientCapabilities/session/notices true
        v1 CapabilityV1 Violation /clientCapabilities/session/compaction []
        v1 CapabilityV1 Violation /clientCapabilities/plan true
        v1 CapabilityV1 Violation /clientCapabilities/subagents true
        v2 Info Violation /info "client"
        v2 Info Violation /info/version null
        v2 MarkerV2 Violation /capabilities true
        v2 MarkerV2 Warning /capabilities null
        v2 MarkerV2 Violation /capabilities/auth true
        v2 MarkerV2 Violation /capabilities/auth/terminal true
    "#;
    each_line_is_one_problem(TABLE, full_params, in_params);
}

#[test]
fn a_null_capability_marker_counts_as_absent() {
    let cases = [
        (AcpV1, "/agentCapabilities/sessionCapabilities/list"),
        (AcpV1, "/agentCapabilities/auth/logout"),
        (AcpV1, "/agentInfo"),
        (AcpV1, "/agentInfo/title"),
        (AcpV2, "/capabilities/session"),
        (AcpV2, "/capabilities/session/prompt/image"),
        (AcpV2, "/capabilities/auth"),
    ];
    for (version, pointer) in cases {
        let result = changed(full_result(version), pointer, Some(json!(null)));
        assert_eq!(in_result(&result, version), [], "{pointer}");
    }
}

#[test]
fn what_other_clauses_judge_is_silent_here() {
    let result = json!({
        "protocolVersion": 1,
        "_meta": 5,
        "agentCapabilities": {"providers": true, "sessionCapabilities": {"fork": true}, "_vendor": true},
        "authMethods": [7],
        "info": 3,
    });
    assert_eq!(in_result(&result, AcpV1), []);
    let params = changed(
        full_params(AcpV1),
        "/clientCapabilities/elicitation",
        Some(json!(true)),
    );
    assert_eq!(in_params(&params, AcpV1), []);
    assert_eq!(in_params(&json!({"protocolVersion": 2}), AcpV2), []);
}

#[test]
fn a_result_that_is_no_object_is_one_problem_at_the_root() {
    for (version, kind) in [
        (AcpV1, InitFault::ResultShapeV1),
        (AcpV2, InitFault::ResultShapeV2),
    ] {
        for result in [json!(null), json!([]), json!("1"), json!(1)] {
            assert_eq!(
                in_result(&result, version),
                [(kind, Weight::Violation, String::new())]
            );
            assert_eq!(read_result(&result, version).protocol_version, None);
        }
    }
}

#[test]
fn a_problem_tells_what_stands_there_and_what_may() {
    let result = changed(
        full_result(AcpV2),
        "/capabilities/session/prompt/image",
        Some(json!(true)),
    );
    let problem = read_result(&result, AcpV2).problems.remove(0);
    assert_eq!(
        (problem.got.as_str(), problem.expected.as_str()),
        ("true", "an object or null")
    );

    let result = changed(
        full_result(AcpV2),
        "/info/name",
        Some(json!(["ü".repeat(500)])),
    );
    let problem = read_result(&result, AcpV2).problems.remove(0);
    assert!(
        problem.got.ends_with('…') && problem.got.len() < 100,
        "{}",
        problem.got
    );
}

#[test]
fn capabilities_announce_methods() {
    let cases: &[(Version, Value, &[&str], bool)] = &[
        (AcpV1, json!({"protocolVersion": 1}), &[], true),
        (
            AcpV1,
            full_result(AcpV1),
            &[
                "session/load",
                "session/list",
                "session/resume",
                "session/close",
                "session/delete",
                "additionalDirectories",
                "systemPrompt",
                "logout",
                "authenticate",
            ],
            true,
        ),
        (
            AcpV1,
            json!({"agentCapabilities": {"loadSession": "true", "sessionCapabilities": {"list": true}}}),
            &[],
            true,
        ),
        (
            AcpV1,
            json!({"authMethods": [{"id": "t", "name": "T", "type": "terminal"}]}),
            &[],
            true,
        ),
        (
            AcpV1,
            json!({"authMethods": [{"id": "a", "name": "A", "type": "agent"}]}),
            &["authenticate"],
            true,
        ),
        (AcpV2, json!({"protocolVersion": 2}), &[], false),
        (
            AcpV2,
            full_result(AcpV2),
            &[
                "session/new",
                "session/list",
                "session/resume",
                "session/close",
                "session/prompt",
                "session/delete",
                "additionalDirectories",
                "systemPrompt",
                "mcp.stdio",
                "mcp.http",
                "auth/login",
                "auth/logout",
            ],
            true,
        ),
        (
            AcpV2,
            json!({"capabilities": {"session": null}, "authMethods": []}),
            &[],
            false,
        ),
        (
            AcpV2,
            json!({"capabilities": {"session": true}}),
            &[],
            false,
        ),
        (AcpV2, json!([1]), &[], false),
    ];
    for (version, result, announced, sessions) in cases {
        let features = agent_features(result, *version);
        assert_eq!(
            (features.announced.as_slice(), features.sessions),
            (*announced, *sessions),
            "{result}"
        );
    }
}

/// The paths of all members below a definition of the committed schemas, but for `_meta`.
fn capability_paths(definitions: &Value, schema: &Value) -> Vec<String> {
    let nullable = schema["anyOf"][0]["$ref"].as_str();
    let Some(name) = schema["$ref"].as_str().or(nullable) else {
        return Vec::new();
    };
    let name = name.strip_prefix("#/$defs/").expect("a local reference");
    let Some(members) = definitions[name]["properties"].as_object() else {
        return Vec::new();
    };
    let mut paths = Vec::new();
    for (member, schema) in members.iter().filter(|(member, _)| *member != "_meta") {
        paths.push(format!("/{member}"));
        let below = capability_paths(definitions, schema);
        paths.extend(below.into_iter().map(|path| format!("/{member}{path}")));
    }
    paths
}

/// An object with the value at the end of the path and nothing else.
fn nested(path: &str, value: Value) -> Value {
    path.split('/')
        .skip(1)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .fold(value, |inner, name| json!({name: inner}))
}

#[test]
fn every_capability_that_the_schema_has_is_looked_at() {
    let cases = [
        (
            AcpV1,
            include_str!("../schemas/acp-v1.json"),
            "agentCapabilities",
            "clientCapabilities",
        ),
        (
            AcpV2,
            include_str!("../schemas/acp-v2.json"),
            "capabilities",
            "capabilities",
        ),
    ];
    for (version, schemas, agent, client) in cases {
        let schemas: Value = serde_json::from_str(schemas).expect("JSON");
        let paths = |name: &str| {
            capability_paths(
                &schemas["$defs"],
                &json!({"$ref": format!("#/$defs/{name}")}),
            )
        };
        let kind = if version == AcpV1 {
            InitFault::CapabilityV1
        } else {
            InitFault::MarkerV2
        };

        let announced = paths("AgentCapabilities");
        assert!(announced.len() > 10, "{announced:?}");
        for path in announced {
            let path = format!("/{agent}{path}");
            let result = changed(
                full_result(version),
                &format!("/{agent}"),
                nested(&path, json!("x")).get(agent).cloned(),
            );
            assert_eq!(
                in_result(&result, version),
                [(kind, Weight::Violation, path)]
            );
        }
        let announced = paths("ClientCapabilities");
        for path in announced
            .into_iter()
            .filter(|path| !path.starts_with("/elicitation"))
        {
            let path = format!("/{client}{path}");
            let params = nested(&path, json!("x"));
            assert_eq!(
                in_params(&params, version),
                [(kind, Weight::Violation, path)]
            );
        }
    }
}
