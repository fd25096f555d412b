//! Data flows one way: a crate uses only what stands left of it.

use std::{collections::BTreeMap, process::Command};

use serde_json::Value;

/// What each crate may use of ours, besides tests.
const ALLOWED: &[(&str, &[&str])] = &[
    ("elenchus-wire", &[]),
    ("elenchus-suites", &[]),
    ("elenchus-protocol", &["elenchus-wire"]),
    ("elenchus-schemagen", &[]),
    ("elenchus-fixtures", &["elenchus-wire", "elenchus-protocol"]),
    (
        "elenchus-judge",
        &["elenchus-wire", "elenchus-protocol", "elenchus-suites"],
    ),
    ("elenchus-reports", &["elenchus-suites", "elenchus-judge"]),
    (
        "elenchus-drive",
        &[
            "elenchus-wire",
            "elenchus-protocol",
            "elenchus-suites",
            "elenchus-fixtures",
            "elenchus-judge",
        ],
    ),
    (
        "elenchus",
        &[
            "elenchus-wire",
            "elenchus-protocol",
            "elenchus-suites",
            "elenchus-fixtures",
            "elenchus-judge",
            "elenchus-reports",
            "elenchus-drive",
        ],
    ),
];

/// Crates that do I/O; the pure ones may not use them.
const IO: &[&str] = &["tokio", "rustix", "tempfile"];
const PURE: &[&str] = &[
    "elenchus-wire",
    "elenchus-protocol",
    "elenchus-judge",
    "elenchus-reports",
    "elenchus-suites",
];

/// The normal dependencies of each package of the workspace.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs, since it runs this test");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages
        .iter()
        .map(|package| {
            let normal = package["dependencies"]
                .as_array()
                .expect("a list of dependencies")
                .iter();
            let normal = normal.filter(|dependency| dependency["kind"].is_null());
            let names =
                normal.map(|dependency| dependency["name"].as_str().unwrap_or_default().to_owned());
            (
                package["name"].as_str().unwrap_or_default().to_owned(),
                names.collect(),
            )
        })
        .collect()
}

#[test]
fn a_crate_uses_only_what_stands_left_of_it() {
    let dependencies = dependencies();
    assert_eq!(
        dependencies.keys().map(String::as_str).collect::<Vec<_>>(),
        {
            let mut known: Vec<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
            known.sort_unstable();
            known
        },
        "every crate of the workspace has its place"
    );
    for (name, allowed) in ALLOWED {
        for used in dependencies[*name]
            .iter()
            .filter(|used| used.starts_with("elenchus"))
        {
            assert!(
                allowed.contains(&used.as_str()),
                "{name} may not use {used}"
            );
        }
    }
}

#[test]
fn pure_crates_do_no_io() {
    let dependencies = dependencies();
    for name in PURE {
        for used in &dependencies[*name] {
            assert!(
                !IO.contains(&used.as_str()),
                "{name} is pure and may not use {used}"
            );
        }
    }
}
