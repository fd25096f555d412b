//! Names that a schema does not know: under another spelling (ACP-JSONRPC-022), as members (ACP-EXT-007), and as values
//! of an enum or discriminator (ACP-ENUM-001, ACP-ENUM-006). What is misspelt is nothing else besides.
//!
//! Maps whose keys are data (environment, the properties of a requested schema, the content of an answer), free payloads
//! (`_meta`, `rawInput`, `rawOutput`, an error's `data`) and the payloads of unknown variants are not looked into.

use serde_json::{Map, Value};

use super::{
    Strays,
    check::{Meant, either},
    schema::{NodeId, Schemas, Tag, Type, Types, Union},
    walk::{Findings, Path},
};
use crate::members::member;

/// Nobody reads more of one kind in one message.
const ENOUGH: usize = 16;

/// A v2 agent may list the environment of a terminal login; its entries are data as well.
const DATA: &str = "env";

impl Schemas {
    /// The names in a value that a shape does not know. Where a version is `open`, any name with an underscore may stand
    /// for a value that it lists, and others may not; else what it lets be any text may be any text.
    pub(super) fn strays(&self, shape: NodeId, value: &Value, open: bool) -> Strays {
        let mut found = Found {
            open,
            misspelt: Findings::up_to(ENOUGH),
            members: Findings::up_to(ENOUGH),
            values: Findings::up_to(ENOUGH),
        };
        self.spell(&[shape], value, Path::Root, &mut found);
        Strays {
            misspelt: found.misspelt.into_vec(),
            members: found.members.into_vec(),
            values: found.values.into_vec(),
        }
    }

    /// Looks at a value to which all of these schemas apply.
    fn spell(&self, shapes: &[NodeId], value: &Value, path: Path<'_>, found: &mut Found) {
        if found.full() {
            return;
        }
        let mut facets = Facets::default();
        for shape in shapes {
            self.gather(*shape, value, &mut facets);
        }
        for (name, tag) in &facets.untold {
            let extensible = tag.open.iter().any(|open| self.node(*open).not.is_some());
            let fits = match (tag.open.is_empty(), extensible) {
                (true, _) => false,
                (_, true) => !found.open || name.starts_with('_'),
                // A variant without the discriminator may have any member of that name.
                (_, false) => true,
            };
            if !fits {
                let got = Value::from(*name);
                found
                    .values
                    .add(Path::Member(&path, &tag.name), Some(&got), || {
                        tag.describe()
                    });
            }
        }
        match value {
            _ if facets.free => {}
            Value::String(text) => self.spell_text(&facets, text, path, found),
            Value::Array(elements) => {
                let items: Vec<_> = facets
                    .nodes
                    .iter()
                    .filter_map(|node| self.node(*node).items)
                    .collect();
                if !items.is_empty() {
                    for (index, element) in elements.iter().enumerate() {
                        self.spell(&items, element, Path::Element(&path, index), found);
                        if found.full() {
                            return;
                        }
                    }
                }
            }
            Value::Object(members) => self.spell_members(&facets, members, path, found),
            _ => {}
        }
    }

    /// All names that may stand in the value are known. They are not where it is not known which variant was meant, nor
    /// where any name may stand.
    pub(super) fn names_all(&self, facets: &Facets<'_>) -> bool {
        !facets.free
            && facets.untold.is_empty()
            && !facets.unclear
            && facets.nodes.iter().all(|node| {
                let node = self.node(*node);
                let names_something =
                    !node.properties.is_empty() || node.reference.is_some() || node.union.is_some();
                node.additional.is_none() && names_something
            })
    }

    fn spell_text(&self, facets: &Facets<'_>, text: &str, path: Path<'_>, found: &mut Found) {
        let known = || facets.constants.iter().copied();
        if known().next().is_none() || known().any(|known| known == text) {
            return;
        }
        let got = Value::from(text);
        if let Some(meant) = respelt(text, known) {
            found
                .misspelt
                .add(path, Some(&got), || format!("\"{meant}\""));
            return;
        }
        let free = facets.nodes.iter().any(|node| {
            let node = self.node(*node);
            let any_text = node.types.list().any(|kind| kind == Type::String);
            node.constant.is_none() && node.types != Types::ANY && any_text
        });
        let fits = free && (!found.open || text.starts_with('_'));
        if !fits {
            let all = known().map(|known| format!("\"{known}\""));
            let values = &mut found.values;
            values.add(path, Some(&got), || either(all.collect()));
        }
    }

    fn spell_members(
        &self,
        facets: &Facets<'_>,
        members: &Map<String, Value>,
        path: Path<'_>,
        found: &mut Found,
    ) {
        // Where it is not known which variant was meant, nor where any name may stand, no member is unknown.
        let closed = facets.untold.is_empty()
            && !facets.unclear
            && facets.nodes.iter().all(|node| {
                let node = self.node(*node);
                let names_something =
                    !node.properties.is_empty() || node.reference.is_some() || node.union.is_some();
                node.additional.is_none() && names_something
            });
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
                    self.spell(&schemas, value, Path::Member(&path, name), found);
                }
            } else if let Some(meant) = respelt(name, known) {
                let misspelt = &mut found.misspelt;
                misspelt.add(Path::Member(&path, name), Some(value), || {
                    format!("the member \"{meant}\"")
                });
            } else if closed && !facets.tags.contains(&name.as_str()) {
                let members = &mut found.members;
                members.add(Path::Member(&path, name), Some(value), || {
                    "nothing".to_owned()
                });
            }
            if found.full() {
                return;
            }
        }
    }

    /// Collects all schemas that apply to a value: referenced ones, and of a union the branch that was meant.
    pub(super) fn gather<'s>(&'s self, id: NodeId, value: &'s Value, facets: &mut Facets<'s>) {
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
        value: &'s Value,
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
                let name = member(members, &tag.name).and_then(Value::as_str);
                let listed = |name: &&str| tag.branches.iter().any(|(known, _)| known == name);
                facets
                    .untold
                    .extend(name.filter(|name| !listed(name)).map(|name| (name, tag)));
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
            Meant::Untold(_) => {
                facets.unclear = true;
                Vec::new()
            }
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
pub(super) struct Facets<'s> {
    pub(super) nodes: Vec<NodeId>,
    /// What a string there may be.
    constants: Vec<&'s str>,
    /// The names of discriminators.
    tags: Vec<&'s str>,
    /// A free payload or an unknown variant: nothing in it is misspelt.
    free: bool,
    /// Values of discriminators that are not listed.
    untold: Vec<(&'s str, &'s Tag)>,
    /// Which variant was meant is not known.
    unclear: bool,
}

/// What was found, each kind up to as many as anyone reads.
struct Found {
    open: bool,
    misspelt: Findings,
    members: Findings,
    values: Findings,
}

impl Found {
    /// The walk may stop.
    fn full(&self) -> bool {
        self.misspelt.full() || self.members.full() || self.values.full()
    }
}

impl Tag {
    /// The branch that a misspelt discriminator names: its value has another spelling, or its own name has.
    fn respelt(&self, members: &Map<String, Value>) -> Option<NodeId> {
        let known = || self.branches.iter().map(|(constant, _)| constant.as_str());
        let found = if let Some(value) = member(members, &self.name) {
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
