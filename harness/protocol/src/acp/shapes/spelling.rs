//! Members and values that a schema knows under another spelling (ACP-JSONRPC-022).
//!
//! A name that is merely unknown is another clause's business. Maps whose keys are data (environment, the properties
//! of a requested schema, the content of an answer), free payloads (`_meta`, `rawInput`, `rawOutput`, an error's
//! `data`) and the payloads of unknown variants are not looked into.

use serde_json::{Map, Value};

use super::{
    Mismatch,
    check::Meant,
    schema::{NodeId, Schemas, Tag, Types, Union},
    walk::{Findings, Path},
};

/// Nobody reads more misspellings in one message.
const ENOUGH: usize = 16;

/// A v2 agent may list the environment of a terminal login; its entries are data as well.
const DATA: &str = "env";

impl Schemas {
    /// The misspellings in a value.
    pub(super) fn misspellings(&self, shape: NodeId, value: &Value) -> Vec<Mismatch> {
        let mut findings = Findings::up_to(ENOUGH);
        self.spell(&[shape], value, Path::Root, &mut findings);
        findings.into_vec()
    }

    /// Looks at a value to which all of these schemas apply.
    fn spell(&self, shapes: &[NodeId], value: &Value, path: Path<'_>, findings: &mut Findings) {
        if findings.full() {
            return;
        }
        let mut facets = Facets::default();
        for shape in shapes {
            self.gather(*shape, value, &mut facets);
        }
        match value {
            _ if facets.free => {}
            Value::String(text) => {
                let known = || facets.constants.iter().copied();
                if let Some(meant) = respelt(text, known) {
                    findings.add(path, Some(value), || format!("\"{meant}\""));
                }
            }
            Value::Array(elements) => {
                let items: Vec<_> = facets
                    .nodes
                    .iter()
                    .filter_map(|node| self.node(*node).items)
                    .collect();
                if !items.is_empty() {
                    for (index, element) in elements.iter().enumerate() {
                        self.spell(&items, element, Path::Element(&path, index), findings);
                        if findings.full() {
                            return;
                        }
                    }
                }
            }
            Value::Object(members) => self.spell_members(&facets, members, path, findings),
            _ => {}
        }
    }

    fn spell_members(
        &self,
        facets: &Facets<'_>,
        members: &Map<String, Value>,
        path: Path<'_>,
        findings: &mut Findings,
    ) {
        let properties = || {
            facets
                .nodes
                .iter()
                .flat_map(|node| &self.node(*node).properties)
        };
        let known = || {
            properties()
                .map(|(name, _)| name.as_str())
                .chain(facets.tags.iter().copied())
        };
        for (name, value) in members {
            let schemas: Vec<_> = properties()
                .filter(|(known, _)| known == name)
                .map(|(_, schema)| *schema)
                .collect();
            if !schemas.is_empty() {
                if name != DATA {
                    self.spell(&schemas, value, Path::Member(&path, name), findings);
                }
            } else if let Some(meant) = respelt(name, known) {
                findings.add(Path::Member(&path, name), Some(value), || {
                    format!("the member \"{meant}\"")
                });
            }
            if findings.full() {
                return;
            }
        }
    }

    /// Collects all schemas that apply to a value: referenced ones, and of a union the branch that was meant.
    fn gather<'s>(&'s self, id: NodeId, value: &Value, facets: &mut Facets<'s>) {
        let node = self.node(id);
        facets.nodes.push(id);
        facets.free |= node.not.is_some();
        if let (Some(Value::String(constant)), Value::String(_)) = (&node.constant, value) {
            facets.constants.push(constant);
        }
        if let Some(target) = node.reference {
            self.gather(target, value, facets);
        }
        if let Some(union) = &node.union {
            for branch in self.branches(union, value, facets) {
                self.gather(branch, value, facets);
            }
        }
    }

    /// The branches of a union that a value was meant to be, however its discriminator is spelt.
    fn branches<'s>(
        &'s self,
        union: &'s Union,
        value: &Value,
        facets: &mut Facets<'s>,
    ) -> Vec<NodeId> {
        match (&union.tag, value) {
            // All strings that may stand there are worth comparing with.
            (_, Value::String(_)) => return union.branches.clone(),
            (Some(tag), Value::Object(members)) => {
                facets.tags.push(&tag.name);
                if let Some(branch) = tag.respelt(members) {
                    return vec![branch];
                }
            }
            _ => {}
        }
        self.fitting(self.meant(union, value), value, facets)
    }

    /// The branches whose members count as known. Where nothing tells branches apart and none fits, a misspelling may
    /// be why, so all do.
    fn fitting(&self, meant: Meant<'_>, value: &Value, facets: &mut Facets<'_>) -> Vec<NodeId> {
        match meant {
            Meant::Branch(branch) => vec![branch],
            Meant::Untold(_) => Vec::new(),
            Meant::OneOf(branches) => {
                let anything = |branch: &NodeId| {
                    let node = self.node(*branch);
                    node.types == Types::ANY && node.reference.is_none() && node.union.is_none()
                };
                facets.free |= branches.iter().any(anything);
                match branches.iter().find(|branch| self.fits(**branch, value)) {
                    Some(fitting) => vec![*fitting],
                    None => branches,
                }
            }
        }
    }
}

/// The schemas that apply to one value.
#[derive(Default)]
struct Facets<'s> {
    nodes: Vec<NodeId>,
    /// What a string there may be.
    constants: Vec<&'s str>,
    /// The names of discriminators.
    tags: Vec<&'s str>,
    /// A free payload or an unknown variant: nothing in it is misspelt.
    free: bool,
}

impl Tag {
    /// The branch that a misspelt discriminator names: its value has another spelling, or its own name has.
    fn respelt(&self, members: &Map<String, Value>) -> Option<NodeId> {
        let known = || self.branches.iter().map(|(constant, _)| constant.as_str());
        let found = if let Some(value) = members.get(&self.name) {
            respelt(value.as_str()?, known)?
        } else {
            let own = || std::iter::once(self.name.as_str());
            let (_, value) = members
                .iter()
                .find(|(name, _)| respelt(name, own).is_some())?;
            let text = value.as_str()?;
            known()
                .find(|constant| *constant == text)
                .or_else(|| respelt(text, known))?
        };
        self.branches
            .iter()
            .find(|(constant, _)| constant == found)
            .map(|(_, branch)| *branch)
    }
}

/// The known name that a name spells differently. Extensions, which begin with an underscore, are no misspellings.
fn respelt<'k, I: Iterator<Item = &'k str>>(name: &str, known: impl Fn() -> I) -> Option<&'k str> {
    if name.starts_with('_') || known().any(|known| known == name) {
        return None;
    }
    known().find(|known| letters(name).eq(letters(known)))
}

/// A name without what its style adds.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|character| !matches!(character, '_' | '-'))
        .map(|character| character.to_ascii_lowercase())
}
