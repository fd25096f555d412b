//! Does a value have a schema's shape, and if not, which member breaks it?
//!
//! A general validator says of a union that no branch fits. Here the branch that was meant is found first, by its
//! discriminator, and only that one is checked; so the mismatch names a member. It also keeps, for each branch that
//! does not fit, a copy of the value, which a hostile message of a megabyte turns into gigabytes; this walk copies
//! nothing and stops when enough is found. The tests hold the two to the same verdicts.
//!
//! In one thing it is more lenient than the schemas: null may stand for every optional member.

use serde_json::{Map, Value};

use super::{
    Mismatch,
    schema::{Node, NodeId, Schemas, Tag, Type, Types, Union},
    walk::{Findings, Path},
};
use crate::members::member;

/// Nobody reads more mismatches of one message.
const ENOUGH: usize = 16;

/// How many mismatches of a branch are counted to see how near it is.
const NEAR: usize = 4;

impl Schemas {
    /// The mismatches of a value.
    pub(super) fn mismatches(&self, shape: NodeId, value: &Value) -> Vec<Mismatch> {
        let mut findings = Findings::up_to(ENOUGH);
        self.check(shape, value, Path::Root, &mut findings);
        findings.into_vec()
    }

    /// The value has the shape.
    pub(super) fn fits(&self, shape: NodeId, value: &Value) -> bool {
        let mut findings = Findings::up_to(1);
        self.check(shape, value, Path::Root, &mut findings);
        findings.is_empty()
    }

    fn check(&self, id: NodeId, value: &Value, path: Path<'_>, findings: &mut Findings) {
        if findings.full() {
            return;
        }
        let node = self.node(id);
        let sound = node.types.admit(value)
            && node
                .constant
                .as_ref()
                .is_none_or(|constant| constant == value)
            && node.within_bounds(value)
            && node.not.is_none_or(|not| !self.fits(not, value));
        if !sound {
            findings.add(path, Some(value), || self.describe(id));
            return;
        }
        match value {
            Value::Object(members) => self.check_members(node, members, path, findings),
            Value::Array(elements) => {
                if let Some(items) = node.items {
                    for (index, element) in elements.iter().enumerate() {
                        self.check(items, element, Path::Element(&path, index), findings);
                        if findings.full() {
                            return;
                        }
                    }
                }
            }
            _ => {}
        }
        if let Some(target) = node.reference {
            self.check(target, value, path, findings);
        }
        if let Some(union) = &node.union {
            self.check_union(id, union, value, path, findings);
        }
    }

    fn check_members(
        &self,
        node: &Node,
        members: &Map<String, Value>,
        path: Path<'_>,
        findings: &mut Findings,
    ) {
        for name in node
            .required
            .iter()
            .filter(|name| member(members, name).is_none())
        {
            findings.add(Path::Member(&path, name), None, || {
                self.describe_member(node, name)
            });
        }
        for (name, shape) in &node.properties {
            match member(members, name) {
                None => {}
                // Readers take null as the default.
                Some(Value::Null) if !node.required.contains(name) => {}
                Some(value) => self.check(*shape, value, Path::Member(&path, name), findings),
            }
        }
        for name in &node.forbidden {
            if let Some(value) = member(members, name) {
                findings.add(Path::Member(&path, name), Some(value), || {
                    "nothing".to_owned()
                });
            }
        }
        if let Some(additional) = node.additional {
            let free = members
                .iter()
                .filter(|(name, _)| node.properties.iter().all(|(known, _)| known != *name));
            for (name, value) in free {
                self.check(additional, value, Path::Member(&path, name), findings);
                if findings.full() {
                    return;
                }
            }
        }
    }

    fn check_union(
        &self,
        id: NodeId,
        union: &Union,
        value: &Value,
        path: Path<'_>,
        findings: &mut Findings,
    ) {
        match self.meant(union, value) {
            Meant::Branch(branch) => self.check(branch, value, path, findings),
            Meant::Untold(tag) => {
                findings.add(Path::Member(&path, &tag.name), value.get(&tag.name), || {
                    tag.describe()
                });
            }
            Meant::OneOf(branches) if branches.is_empty() => {
                findings.add(path, Some(value), || self.describe(id));
            }
            Meant::OneOf(branches) => self.check_nearest(&branches, value, path, findings),
        }
    }

    /// The branch of a union that a value was meant to be.
    pub(super) fn meant<'s>(&'s self, union: &'s Union, value: &Value) -> Meant<'s> {
        if let (Some(tag), Value::Object(members)) = (&union.tag, value) {
            let got = member(members, &tag.name);
            let text = got.and_then(Value::as_str);
            if let Some((_, branch)) = tag
                .branches
                .iter()
                .find(|(constant, _)| Some(constant.as_str()) == text)
            {
                return Meant::Branch(*branch);
            }
            // What stands for unknown variants is one only with a discriminator.
            let possible = tag.open.iter().copied();
            let possible: Vec<_> = possible
                .filter(|branch| text.is_some() || !self.node(*branch).required.contains(&tag.name))
                .collect();
            return if possible.is_empty() {
                Meant::Untold(tag)
            } else {
                Meant::among(possible)
            };
        }
        let admitting = union
            .branches
            .iter()
            .copied()
            .filter(|branch| self.admits(*branch, value));
        let mut possible: Vec<_> = admitting.collect();
        let is_constant = |branch: &NodeId| self.node(*branch).constant.is_some();
        if let Some(exact) = possible
            .iter()
            .find(|branch| self.node(**branch).constant.as_ref() == Some(value))
        {
            return Meant::Branch(*exact);
        }
        possible.retain(|branch| !is_constant(branch));
        Meant::among(possible)
    }

    /// Of branches that nothing tells apart, the first that fits, else the one with the fewest mismatches.
    fn check_nearest(
        &self,
        branches: &[NodeId],
        value: &Value,
        path: Path<'_>,
        findings: &mut Findings,
    ) {
        let mut tries = Vec::new();
        for branch in branches {
            let mut trial = Findings::up_to(NEAR);
            self.check(*branch, value, path, &mut trial);
            if trial.is_empty() {
                return;
            }
            tries.push(trial.into_vec());
        }
        // A member that stands there shows better what was meant than one that is missing.
        let distance = |mismatches: &Vec<Mismatch>| {
            (
                mismatches.len(),
                mismatches
                    .iter()
                    .filter(|mismatch| mismatch.is_missing())
                    .count(),
            )
        };
        let nearest = tries.iter().map(distance).min();
        tries.retain(|mismatches| Some(distance(mismatches)) == nearest);
        let all_miss_one = nearest == Some((1, 1));
        if all_miss_one && tries.len() > 1 {
            let names = tries
                .iter()
                .flatten()
                .map(Mismatch::member)
                .map(|name| format!("\"{name}\""));
            let alternatives = either(names.collect());
            findings.add(path, Some(value), || {
                format!("an object with {alternatives}")
            });
        } else if let Some(first) = tries.into_iter().next() {
            findings.append(first);
        }
    }

    /// The value's JSON type is one of the schema's, its members aside.
    fn admits(&self, id: NodeId, value: &Value) -> bool {
        let node = self.node(id);
        node.types.admit(value)
            && node
                .reference
                .is_none_or(|target| self.admits(target, value))
            && node.union.as_ref().is_none_or(|union| {
                union
                    .branches
                    .iter()
                    .any(|branch| self.admits(*branch, value))
            })
    }

    /// What may stand at a schema's place.
    fn describe(&self, id: NodeId) -> String {
        let mut alternatives = Vec::new();
        self.alternatives(id, &mut alternatives);
        either(alternatives)
    }

    /// What may stand at a member's place; its schema may be another part's business.
    fn describe_member(&self, node: &Node, name: &str) -> String {
        let member = node.properties.iter().find(|(known, _)| known == name);
        member.map_or_else(
            || "a value".to_owned(),
            |(_, member)| self.describe(*member),
        )
    }

    fn alternatives(&self, id: NodeId, alternatives: &mut Vec<String>) {
        let node = self.node(id);
        if let Some(constant) = &node.constant {
            alternatives.push(constant.to_string());
        } else if node.types != Types::ANY {
            alternatives.extend(node.types.list().map(|kind| node.describe_type(kind)));
        } else if let Some(union) = &node.union {
            // Where any string may stand there, the known ones need not be told.
            let open = |constant: &Value| {
                let branches = union.branches.iter().map(|branch| self.node(*branch));
                let mut free = branches.filter(|branch| branch.constant.is_none());
                free.any(|branch| branch.types != Types::ANY && branch.types.admit(constant))
            };
            let told = union.branches.iter().filter(|branch| {
                self.node(**branch)
                    .constant
                    .as_ref()
                    .is_none_or(|constant| !open(constant))
            });
            told.for_each(|branch| self.alternatives(*branch, alternatives));
        } else if let Some(target) = node.reference {
            self.alternatives(target, alternatives);
        } else {
            alternatives.push("a value".to_owned());
        }
    }
}

/// What a value was meant to be.
pub(super) enum Meant<'s> {
    /// This branch.
    Branch(NodeId),
    /// The discriminator is missing or names no branch.
    Untold(&'s Tag),
    /// One of these, which no constant tells apart; none where the value's type fits none.
    OneOf(Vec<NodeId>),
}

impl Meant<'_> {
    fn among(branches: Vec<NodeId>) -> Self {
        match branches[..] {
            [only] => Self::Branch(only),
            _ => Self::OneOf(branches),
        }
    }
}

impl Tag {
    /// The values that it lists.
    pub(super) fn describe(&self) -> String {
        let constants = self
            .branches
            .iter()
            .map(|(constant, _)| format!("\"{constant}\""));
        either(constants.collect())
    }
}

impl Node {
    fn within_bounds(&self, value: &Value) -> bool {
        match value {
            Value::Number(number) => {
                // Every bound is far below the integers that floats confuse.
                let number = number.as_f64().unwrap_or_default();
                self.minimum.is_none_or(|least| number >= least)
                    && self.maximum.is_none_or(|most| number <= most)
            }
            Value::String(text) => {
                let bounded = self.min_length.is_some() || self.max_length.is_some();
                let length = if bounded {
                    text.chars().count() as u64
                } else {
                    0
                };
                !bounded
                    || (self.min_length.is_none_or(|least| length >= least)
                        && self.max_length.is_none_or(|most| length <= most))
            }
            Value::Array(elements) => self
                .min_items
                .is_none_or(|least| elements.len() as u64 >= least),
            _ => true,
        }
    }

    fn describe_type(&self, kind: Type) -> String {
        match (kind, self.minimum, self.maximum) {
            (Type::Integer, Some(least), Some(most)) => {
                format!("an integer from {least} to {most}")
            }
            (Type::Integer, Some(least), None) => format!("an integer of at least {least}"),
            (Type::Integer, ..) => "an integer".to_owned(),
            (Type::Number, ..) => "a number".to_owned(),
            (Type::Null, ..) => "null".to_owned(),
            (Type::Boolean, ..) => "true or false".to_owned(),
            (Type::Object, ..) => "an object".to_owned(),
            (Type::String, ..) => match (self.min_length, self.max_length) {
                (Some(least), Some(most)) => format!("a string of {least} to {most} characters"),
                (Some(1), None) => "a string that is not empty".to_owned(),
                (Some(least), None) => format!("a string of at least {least} characters"),
                (None, Some(most)) => format!("a string of at most {most} characters"),
                (None, None) => "a string".to_owned(),
            },
            (Type::Array, ..) => match self.min_items {
                Some(1) => "an array that is not empty".to_owned(),
                Some(least) => format!("an array of at least {least}"),
                None => "an array".to_owned(),
            },
        }
    }
}

/// `a, b or c`, each once.
pub(super) fn either(alternatives: Vec<String>) -> String {
    let mut told: Vec<String> = Vec::new();
    for alternative in alternatives {
        if !told.contains(&alternative) {
            told.push(alternative);
        }
    }
    match told.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "a value".to_owned(),
    }
}
