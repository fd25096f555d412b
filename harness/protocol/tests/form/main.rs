//! The restricted form schema and the elicitation that carries it: conforming ones have no problem, each
//! mutation has exactly the one it was made for, and answers are checked as they are made.

mod answers;
mod conforming;
mod create;
mod general;
mod mutations;
mod oracle;
mod schema;
mod wild;

use elenchus_protocol::{Problem, Version, Weight};
use proptest::{
    strategy::{Strategy, ValueTree as _},
    test_runner::TestRunner,
};
use serde_json::Value;

/// Parses JSON that a test wrote.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What a test compares of a problem.
fn told<K: Copy>(problems: &[Problem<K>]) -> Vec<(K, Weight, &str)> {
    problems
        .iter()
        .map(|problem| (problem.kind, problem.weight, problem.pointer.as_str()))
        .collect()
}

/// Sets the member or element that a pointer names, or removes it.
fn put(target: &mut Value, pointer: &str, value: Option<Value>) {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer to a member"); // as all tables here have
    let name = name.replace("~1", "/").replace("~0", "~");
    let parent = target
        .pointer_mut(parent)
        .unwrap_or_else(|| panic!("nothing at {parent}"));
    match (parent, value) {
        (Value::Object(members), Some(value)) => {
            members.insert(name, value);
        }
        (Value::Object(members), None) => {
            members.shift_remove(&name);
        }
        (Value::Array(members), Some(value)) => {
            let index: usize = name.parse().expect("an index"); // as all tables here have
            members[index] = value;
        }
        (parent, _) => panic!("{parent} has no {name}"),
    }
}

/// The place of a version in tables with a column for each.
fn column(version: Version) -> usize {
    match version {
        Version::AcpV1 => 0,
        Version::AcpV2 => 1,
    }
}

/// Runs a check on a few values of a strategy, the same ones each time.
fn always<S: Strategy>(strategy: &S, check: impl Fn(S::Value)) {
    const FEW: usize = 12;
    let mut runner = TestRunner::deterministic();
    for _ in 0..FEW {
        let tree = strategy
            .new_tree(&mut runner)
            .expect("no strategy here filters"); // so none gives up
        check(tree.current());
    }
}
