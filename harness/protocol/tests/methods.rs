//! The tables of methods and session updates.

use std::collections::HashSet;

use elenchus_protocol::{
    Version,
    acp::methods::{Sender, method, methods, only_in_other_version, update_kinds},
};
use serde_json::{Value, json};

use Version::{AcpV1, AcpV2};

#[test]
fn names_are_listed_once() {
    for version in Version::ALL {
        let names: HashSet<_> = methods(version).iter().map(|method| method.name).collect();
        assert_eq!(names.len(), methods(version).len());
        let kinds: HashSet<_> = update_kinds(version).iter().collect();
        assert_eq!(kinds.len(), update_kinds(version).len());
    }
}

#[test]
fn notifications_and_directions_are_those_of_the_specification() {
    for version in Version::ALL {
        let told: Vec<_> = methods(version)
            .iter()
            .filter(|method| !method.request)
            .map(|method| method.name)
            .collect();
        assert_eq!(
            told,
            [
                "session/cancel",
                "elicitation/complete",
                "session/update",
                "$/cancel_request"
            ]
        );
        let either: Vec<_> = methods(version)
            .iter()
            .filter(|method| method.sender == Sender::Both)
            .map(|method| method.name)
            .collect();
        assert_eq!(either, ["$/cancel_request"]);
        assert_eq!(
            method(version, "session/prompt").map(|method| method.sender),
            Some(Sender::Client)
        );
        assert_eq!(
            method(version, "elicitation/create").map(|method| method.sender),
            Some(Sender::Agent)
        );
        assert_eq!(method(version, "_vendor/thing"), None);
    }
    // The one prefix that changed its direction.
    assert_eq!(
        method(AcpV1, "terminal/kill").map(|method| method.sender),
        Some(Sender::Agent)
    );
    assert_eq!(
        method(AcpV2, "terminal/cancel").map(|method| method.sender),
        Some(Sender::Client)
    );
}

fn update(kind: &str) -> Value {
    json!({"sessionId": "s", "update": {"sessionUpdate": kind}})
}

#[test]
fn names_of_the_other_version_are_told() {
    let methods_of_v1 = [
        "authenticate",
        "logout",
        "session/load",
        "session/set_mode",
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "terminal/output",
        "terminal/wait_for_exit",
        "terminal/kill",
        "terminal/release",
    ];
    let methods_of_v2 = [
        "auth/login",
        "auth/logout",
        "tool_call/cancel",
        "terminal/cancel",
    ];
    for (foreign_in, names) in [(AcpV2, &methods_of_v1[..]), (AcpV1, &methods_of_v2[..])] {
        for name in names {
            assert_eq!(
                only_in_other_version(foreign_in, name, None).as_deref(),
                Some(*name)
            );
        }
        let told = Version::ALL
            .into_iter()
            .flat_map(methods)
            .filter(|method| only_in_other_version(foreign_in, method.name, None).is_some());
        assert_eq!(told.count(), names.len(), "no other name is foreign");
    }

    let kinds_of_v1 = ["tool_call", "plan", "current_mode_update"];
    let kinds_of_v2 = [
        "user_message",
        "agent_message",
        "agent_thought",
        "state_update",
        "tool_call_content_chunk",
        "terminal_update",
        "terminal_output_chunk",
        "replay_complete",
    ];
    for (foreign_in, names) in [(AcpV2, &kinds_of_v1[..]), (AcpV1, &kinds_of_v2[..])] {
        for name in names {
            let told = only_in_other_version(foreign_in, "session/update", Some(&update(name)));
            assert_eq!(told.as_deref(), Some(*name));
        }
        let told = Version::ALL
            .into_iter()
            .flat_map(update_kinds)
            .filter(|kind| {
                only_in_other_version(foreign_in, "session/update", Some(&update(kind))).is_some()
            });
        assert_eq!(told.count(), names.len(), "no other kind is foreign");
    }
}

#[test]
fn names_that_nobody_defines_are_not_the_other_versions() {
    let cases = [
        ("_vendor/thing", json!({})),
        ("session/fork", json!({})),
        ("session/update", update("_vendor")),
        ("session/update", update("thinking")),
        ("session/update", json!({"update": {"sessionUpdate": 5}})),
        ("session/update", json!({"update": "state_update"})),
        ("session/update", json!(null)),
        ("session/prompt", update("state_update")),
        ("session/prompt", update("tool_call")),
    ];
    for version in Version::ALL {
        for (name, params) in &cases {
            assert_eq!(
                only_in_other_version(version, name, Some(params)),
                None,
                "{name} {params}"
            );
        }
        assert_eq!(only_in_other_version(version, "session/update", None), None);
    }
}
