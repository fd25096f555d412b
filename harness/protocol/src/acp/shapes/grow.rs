//! Messages with more in them than their sender had to say, to try readers with.

use serde_json::{Map, Value, json};

use super::{
    Growth,
    schema::{NodeId, Schemas},
    spelling::Facets,
};

/// How far a walk that adds has come.
struct Growing {
    with: Growth,
    place: Option<usize>,
    /// The place of the next object.
    next: usize,
}

impl Schemas {
    /// Adds members to the objects of a value whose names the shape knows: to all, or to the one at a place. Maps whose
    /// keys are data are left alone.
    pub(super) fn grow(
        &self,
        shape: NodeId,
        value: &mut Value,
        with: Growth,
        place: Option<usize>,
    ) {
        let mut growing = Growing {
            with,
            place,
            next: 0,
        };
        self.grow_at(&[shape], value, &mut growing);
    }

    fn grow_at(&self, shapes: &[NodeId], value: &mut Value, growing: &mut Growing) {
        let (nodes, closed) = {
            let mut facets = Facets::default();
            for shape in shapes {
                self.gather(*shape, value, &mut facets);
            }
            let closed = self.names_all(&facets);
            (facets.nodes, closed)
        };
        match value {
            Value::Array(elements) => {
                let items: Vec<_> = nodes
                    .iter()
                    .filter_map(|node| self.node(*node).items)
                    .collect();
                if !items.is_empty() {
                    for element in elements {
                        self.grow_at(&items, element, growing);
                    }
                }
            }
            Value::Object(members) if closed => {
                for (name, member) in members.iter_mut() {
                    let schemas: Vec<_> = self.named(&nodes, name).collect();
                    if name != "_meta" && !schemas.is_empty() {
                        self.grow_at(&schemas, member, growing);
                    }
                }
                if growing.place.is_none_or(|place| place == growing.next) {
                    self.add(members, &nodes, growing.with);
                }
                growing.next += 1;
            }
            _ => {}
        }
    }

    /// The schemas of a member.
    fn named<'s>(
        &'s self,
        nodes: &'s [NodeId],
        name: &'s str,
    ) -> impl Iterator<Item = NodeId> + 's {
        let properties = nodes.iter().flat_map(|node| &self.node(*node).properties);
        properties
            .filter(move |(known, _)| known == name)
            .map(|(_, schema)| *schema)
    }

    fn add(&self, members: &mut Map<String, Value>, nodes: &[NodeId], with: Growth) {
        let meta = |value: Value| ("_meta".to_owned(), value);
        let takes_meta =
            !members.contains_key("_meta") && self.named(nodes, "_meta").next().is_some();
        let more: Vec<(String, Value)> = match with {
            Growth::Members => vec![("elenchusUnknown".to_owned(), json!({"deep": [1, null]}))],
            Growth::Meta if takes_meta => {
                vec![meta(json!({"elenchus.test/unknown": {"deep": [1]}}))]
            }
            Growth::NoMeta if takes_meta => vec![meta(42.into())],
            Growth::Meta | Growth::NoMeta => Vec::new(),
            Growth::Nulls => {
                let properties = nodes.iter().flat_map(|node| {
                    let node = self.node(*node);
                    let optional = |(name, _): &&(String, NodeId)| !node.required.contains(name);
                    node.properties.iter().filter(optional)
                });
                let absent = properties.filter(|(name, schema)| {
                    !members.contains_key(name) && self.fits(*schema, &Value::Null)
                });
                absent
                    .map(|(name, _)| (name.clone(), Value::Null))
                    .collect()
            }
        };
        members.extend(more);
    }
}
