//! What the views of `initialize` find, and what they let pass.

use elenchus_protocol::{
    Version, Weight,
    acp::initialize::{InitFault, agent_features, read_params, read_result},
};
use serde_json::{Value, json};

use InitFault::{CapabilityV1, Info, MarkerV2, ProtocolVersion, ResultShapeV1, ResultShapeV2};
use Version::{AcpV1, AcpV2};
use Weight::{Violation, Warning};

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

#[test]
fn each_defect_of_a_result_is_one_problem_at_its_place() {
    let absent = None::<Value>;
    let cases = [
        (
            AcpV1,
            "/protocolVersion",
            absent.clone(),
            ProtocolVersion,
            Violation,
        ),
        (
            AcpV1,
            "/protocolVersion",
            Some(json!("1")),
            ProtocolVersion,
            Violation,
        ),
        (
            AcpV1,
            "/protocolVersion",
            Some(json!(null)),
            ProtocolVersion,
            Violation,
        ),
        (
            AcpV1,
            "/protocolVersion",
            Some(json!(-1)),
            ProtocolVersion,
            Violation,
        ),
        (
            AcpV1,
            "/protocolVersion",
            Some(json!(65536)),
            ProtocolVersion,
            Violation,
        ),
        (
            AcpV1,
            "/protocolVersion",
            Some(json!(1.5)),
            ProtocolVersion,
            Violation,
        ),
        (
            AcpV1,
            "/protocolVersion",
            Some(json!(1.0)),
            ProtocolVersion,
            Warning,
        ),
        (
            AcpV2,
            "/protocolVersion",
            absent.clone(),
            ProtocolVersion,
            Violation,
        ),
        (
            AcpV2,
            "/protocolVersion",
            Some(json!("2")),
            ProtocolVersion,
            Violation,
        ),
        // v1: the root's members.
        (
            AcpV1,
            "/agentCapabilities",
            Some(json!([])),
            ResultShapeV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities",
            Some(json!(true)),
            ResultShapeV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities",
            Some(json!(null)),
            ResultShapeV1,
            Warning,
        ),
        (
            AcpV1,
            "/authMethods",
            Some(json!({})),
            ResultShapeV1,
            Violation,
        ),
        (
            AcpV1,
            "/authMethods",
            Some(json!(null)),
            ResultShapeV1,
            Warning,
        ),
        (
            AcpV1,
            "/agentInfo",
            Some(json!("agent")),
            ResultShapeV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentInfo/name",
            absent.clone(),
            ResultShapeV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentInfo/version",
            Some(json!(1)),
            ResultShapeV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentInfo/title",
            Some(json!([])),
            ResultShapeV1,
            Violation,
        ),
        // v1: capabilities.
        (
            AcpV1,
            "/agentCapabilities/loadSession",
            Some(json!({})),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/loadSession",
            Some(json!(null)),
            CapabilityV1,
            Warning,
        ),
        (
            AcpV1,
            "/agentCapabilities/promptCapabilities",
            Some(json!(true)),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/promptCapabilities",
            Some(json!(null)),
            CapabilityV1,
            Warning,
        ),
        (
            AcpV1,
            "/agentCapabilities/promptCapabilities/image",
            Some(json!("yes")),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/promptCapabilities/audio",
            Some(json!({})),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/promptCapabilities/embeddedContext",
            Some(json!(1)),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/mcpCapabilities/http",
            Some(json!({})),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/mcpCapabilities/sse",
            Some(json!(0)),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/sessionCapabilities",
            Some(json!([])),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/sessionCapabilities/list",
            Some(json!(true)),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/sessionCapabilities/delete",
            Some(json!(false)),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/sessionCapabilities/resume",
            Some(json!([])),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/sessionCapabilities/close",
            Some(json!("")),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/sessionCapabilities/systemPrompt/mode/override",
            Some(json!(true)),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/auth",
            Some(json!(true)),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/agentCapabilities/auth/logout",
            Some(json!(true)),
            CapabilityV1,
            Violation,
        ),
        // v2: the root's members.
        (AcpV2, "/info", absent.clone(), ResultShapeV2, Violation),
        (
            AcpV2,
            "/capabilities",
            absent.clone(),
            ResultShapeV2,
            Warning,
        ),
        (
            AcpV2,
            "/capabilities",
            Some(json!(null)),
            ResultShapeV2,
            Warning,
        ),
        (
            AcpV2,
            "/capabilities",
            Some(json!(true)),
            ResultShapeV2,
            Violation,
        ),
        (
            AcpV2,
            "/authMethods",
            Some(json!("key")),
            ResultShapeV2,
            Violation,
        ),
        (
            AcpV2,
            "/authMethods",
            Some(json!(null)),
            ResultShapeV2,
            Warning,
        ),
        (AcpV2, "/info", Some(json!(null)), Info, Violation),
        (AcpV2, "/info/name", absent.clone(), Info, Violation),
        (AcpV2, "/info/name", Some(json!("")), Info, Warning),
        (AcpV2, "/info/version", absent, Info, Violation),
        (AcpV2, "/info/version", Some(json!(2)), Info, Violation),
        (AcpV2, "/info/title", Some(json!(false)), Info, Violation),
        // v2: capability markers.
        (
            AcpV2,
            "/capabilities/session",
            Some(json!(true)),
            MarkerV2,
            Violation,
        ),
        (
            AcpV2,
            "/capabilities/session",
            Some(json!([])),
            MarkerV2,
            Violation,
        ),
        (
            AcpV2,
            "/capabilities/session/prompt",
            Some(json!(1)),
            MarkerV2,
            Violation,
        ),
        (
            AcpV2,
            "/capabilities/session/prompt/image",
            Some(json!(true)),
            MarkerV2,
            Violation,
        ),
        (
            AcpV2,
            "/capabilities/session/mcp/stdio",
            Some(json!("yes")),
            MarkerV2,
            Violation,
        ),
        (
            AcpV2,
            "/capabilities/session/delete",
            Some(json!(false)),
            MarkerV2,
            Violation,
        ),
        (
            AcpV2,
            "/capabilities/session/systemPrompt/mode",
            Some(json!(true)),
            MarkerV2,
            Violation,
        ),
        (
            AcpV2,
            "/capabilities/auth",
            Some(json!(true)),
            MarkerV2,
            Violation,
        ),
    ];
    for (version, pointer, to, kind, weight) in cases {
        let result = changed(full_result(version), pointer, to);
        assert_eq!(
            in_result(&result, version),
            [(kind, weight, pointer.to_owned())],
            "{version} {pointer}: {result}"
        );
    }
}

#[test]
fn each_defect_of_params_is_one_problem_at_its_place() {
    let cases = [
        (
            AcpV1,
            "/clientCapabilities",
            json!([]),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/clientCapabilities",
            json!(null),
            CapabilityV1,
            Warning,
        ),
        (
            AcpV1,
            "/clientCapabilities/fs",
            json!(true),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/clientCapabilities/fs/readTextFile",
            json!({}),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/clientCapabilities/fs/writeTextFile",
            json!(null),
            CapabilityV1,
            Warning,
        ),
        (
            AcpV1,
            "/clientCapabilities/terminal",
            json!({}),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/clientCapabilities/auth/terminal",
            json!({}),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/clientCapabilities/session/configOptions/boolean",
            json!(true),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/clientCapabilities/session/notices",
            json!(true),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/clientCapabilities/plan",
            json!(true),
            CapabilityV1,
            Violation,
        ),
        (
            AcpV1,
            "/clientCapabilities/subagents",
            json!(true),
            CapabilityV1,
            Violation,
        ),
        (AcpV2, "/info", json!("client"), Info, Violation),
        (AcpV2, "/info/version", json!(null), Info, Violation),
        (AcpV2, "/capabilities", json!(true), MarkerV2, Violation),
        (AcpV2, "/capabilities", json!(null), MarkerV2, Warning),
        (
            AcpV2,
            "/capabilities/auth",
            json!(true),
            MarkerV2,
            Violation,
        ),
        (
            AcpV2,
            "/capabilities/auth/terminal",
            json!(true),
            MarkerV2,
            Violation,
        ),
    ];
    for (version, pointer, to, kind, weight) in cases {
        let params = changed(full_params(version), pointer, Some(to));
        assert_eq!(
            in_params(&params, version),
            [(kind, weight, pointer.to_owned())],
            "{version} {pointer}: {params}"
        );
    }
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
    for (version, kind) in [(AcpV1, ResultShapeV1), (AcpV2, ResultShapeV2)] {
        for result in [json!(null), json!([]), json!("1"), json!(1)] {
            assert_eq!(
                in_result(&result, version),
                [(kind, Violation, String::new())]
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
