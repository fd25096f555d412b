//! What is told of messages that have not their shape, or whose names are misspelt.

use std::collections::HashSet;

use elenchus_protocol::{
    Version,
    acp::{
        methods::update_kinds,
        shapes::{Mismatch, Part, check, misspelt, strays},
    },
};
use serde_json::{Value, json};

use crate::tables::{Message, message};

/// The messages of a table, each with the sentences below it.
fn cases(table: &'static str) -> Vec<(Message, Vec<String>)> {
    let mut cases: Vec<(Message, Vec<String>)> = Vec::new();
    for line in table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if line.starts_with(' ') {
            let (_, sentences) = cases.last_mut().expect("a message stands above a sentence");
            sentences.push(line.trim().to_owned());
        } else {
            let (version, rest) = line.split_once(' ').expect("a version");
            let named = |known: &Version| known.catalogue_name() == version;
            let version = Version::ALL.into_iter().find(named).expect("v1 or v2");
            cases.push((message(version, rest), Vec::new()));
        }
    }
    cases
}

#[track_caller]
fn tells(table: &'static str, find: fn(Version, &str, Part, &Value) -> Vec<Mismatch>) {
    for (message, sentences) in cases(table) {
        let Message {
            version,
            method,
            part,
            value,
        } = &message;
        let found: Vec<_> = find(*version, method, *part, value)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, sentences, "{message:?}");
    }
}

#[test]
fn a_mismatch_names_the_member_and_what_may_stand_there() {
    tells(include_str!("broken.txt"), check);
}

#[test]
fn a_misspelling_names_the_spelling_that_is_known() {
    tells(include_str!("misspelt.txt"), misspelt);
}

#[test]
fn a_name_that_nobody_knows_is_told() {
    tells(
        include_str!("unknown.txt"),
        |version, method, part, value| {
            let strays = strays(version, method, part, value);
            [strays.members, strays.values].concat()
        },
    );
}

#[test]
fn an_unknown_kind_of_update_is_an_unknown_value_unless_it_is_an_extension() {
    for (version, extension) in [(Version::AcpV1, false), (Version::AcpV2, true)] {
        let found = |kind: &str| {
            let update = json!({"sessionUpdate": kind, "text": "x"});
            let params = json!({"sessionId": "s", "update": update});
            let strays = strays(version, "session/update", Part::Params, &params);
            assert_eq!((strays.misspelt, strays.members), (vec![], vec![]));
            let places = strays.values.into_iter().map(|value| value.pointer);
            places.collect::<Vec<_>>()
        };
        assert_eq!(found("thinking"), ["/update/sessionUpdate"]);
        assert_eq!(found("_thinking").is_empty(), extension);
    }
}

#[test]
fn an_update_without_a_known_kind_is_told_which_there_are() {
    for version in Version::ALL {
        let params = json!({"sessionId": "s", "update": {"sessionUpdate": 7}});
        let found = check(version, "session/update", Part::Params, &params);
        let [mismatch] = &found[..] else {
            panic!("one mismatch: {found:?}")
        };
        assert_eq!(mismatch.pointer, "/update/sessionUpdate");
        let told: HashSet<_> = mismatch.expected.split('"').skip(1).step_by(2).collect();
        assert_eq!(told, update_kinds(version).iter().copied().collect());
    }
    // v1 is closed; v2 leaves unknown kinds to a later version, whose business they are.
    let params = json!({"sessionId": "s", "update": {"sessionUpdate": "thinking"}});
    for (version, mismatches) in [(Version::AcpV1, 1), (Version::AcpV2, 0)] {
        let found = check(version, "session/update", Part::Params, &params);
        assert_eq!(found.len(), mismatches, "{found:?}");
    }
}

#[test]
fn a_hostile_message_is_told_briefly() {
    let huge = "é".repeat(1 << 20);
    let many = vec![json!({}); 100_000];
    let cases = [
        (
            "session/prompt",
            json!({"sessionId": {&huge: &huge}, "prompt": [{"type": &huge}]}),
        ),
        ("session/prompt", json!({"sessionId": "s", "prompt": many})),
        ("session/new", json!({"cwd": "/w", "mcpServers": many})),
        (
            "session/prompt",
            json!({"sessionId": "s", "prompt": [{"type": "resource", "resource": many}]}),
        ),
        (
            "initialize",
            json!({"protocolVersion": &huge, "clientInfo": {&huge: many}}),
        ),
    ];
    for (method, value) in cases {
        for version in Version::ALL {
            let found = check(version, method, Part::Params, &value);
            assert!((1..=16).contains(&found.len()), "{method}: {}", found.len());
            assert!(
                found
                    .iter()
                    .all(|mismatch| mismatch.to_string().len() < 1000),
                "{found:?}"
            );
        }
    }
    let env = json!({"protocolVersion": 1, "authMethods": [
        {"id": "a", "name": "A", "type": "terminal", "env": {&huge: 5}},
    ]});
    let found = check(Version::AcpV1, "initialize", Part::Result, &env);
    assert!(found[0].pointer.len() < 200, "{found:?}");
    let spelt = json!({format!("session{}Id", "_".repeat(1 << 20)): "s"});
    let found = misspelt(Version::AcpV1, "session/cancel", Part::Params, &spelt);
    assert!(
        found.len() == 1 && found[0].pointer.len() < 200,
        "{found:?}"
    );
}
