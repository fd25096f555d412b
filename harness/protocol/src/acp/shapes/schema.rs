//! The committed JSON Schemas, read into a tree that a value can be walked along.
//!
//! Only the keywords that those files use are known. Another one is an error, not ignored, so that a file made from a
//! newer schema crate is never half understood.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Part;

/// The shapes of one version.
#[derive(Debug)]
pub(super) struct Schemas {
    nodes: Vec<Node>,
    methods: BTreeMap<String, Shapes>,
}

/// The shapes of a method's params and result.
#[derive(Debug, Default)]
struct Shapes {
    params: Option<NodeId>,
    result: Option<NodeId>,
}

/// A schema's place in [`Schemas`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeId(usize);

/// One schema. All of its parts apply together.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// `type`.
    pub(super) types: Types,
    /// `const`.
    pub(super) constant: Option<Value>,
    /// `minimum`.
    pub(super) minimum: Option<f64>,
    /// `maximum`.
    pub(super) maximum: Option<f64>,
    /// `minLength`, in Unicode code points.
    pub(super) min_length: Option<u64>,
    /// `maxLength`, in Unicode code points.
    pub(super) max_length: Option<u64>,
    /// `minItems`.
    pub(super) min_items: Option<u64>,
    /// `items`.
    pub(super) items: Option<NodeId>,
    /// `properties`.
    pub(super) properties: Vec<(String, NodeId)>,
    /// `required`.
    pub(super) required: Vec<String>,
    /// `additionalProperties`, where it says something.
    pub(super) additional: Option<NodeId>,
    /// `propertyNames`, which the files only use to forbid names.
    pub(super) forbidden: Vec<String>,
    /// `$ref`.
    pub(super) reference: Option<NodeId>,
    /// `anyOf` or `oneOf`. The branches of the files' `oneOf`s exclude each other, so the two mean the same.
    pub(super) union: Option<Union>,
    /// `not`. The files use it for the one variant that stands for all unknown ones.
    pub(super) not: Option<NodeId>,
}

/// The branches of which one must fit.
#[derive(Debug)]
pub(super) struct Union {
    /// The branches.
    pub(super) branches: Vec<NodeId>,
    /// The member whose constant tells object branches apart, if there is one.
    pub(super) tag: Option<Tag>,
}

/// A discriminator.
#[derive(Debug)]
pub(super) struct Tag {
    /// Its name.
    pub(super) name: String,
    /// Its constant in each branch that has one.
    pub(super) branches: Vec<(String, NodeId)>,
    /// The branches without such a constant.
    pub(super) open: Vec<NodeId>,
}

/// A set of JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

/// A JSON type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    const ALL: [Self; 7] = [
        Self::Null,
        Self::Boolean,
        Self::Integer,
        Self::Number,
        Self::String,
        Self::Array,
        Self::Object,
    ];

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            // JSON Schema counts 1.0 as an integer.
            Value::Number(number)
                if number.as_f64().is_some_and(|number| number.fract() == 0.0) =>
            {
                Self::Integer
            }
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

impl Default for Types {
    fn default() -> Self {
        Self::ANY
    }
}

impl Types {
    /// No `type` keyword.
    pub(super) const ANY: Self = Self(u8::MAX);

    fn with(self, kind: Type) -> Self {
        Self(self.0 | 1 << kind as u8)
    }

    /// The value has one of the types.
    pub(super) fn admit(self, value: &Value) -> bool {
        let kind = Type::of(value);
        self.has(kind) || (kind == Type::Integer && self.has(Type::Number))
    }

    fn has(self, kind: Type) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// The types, null last, as one would tell them.
    pub(super) fn list(self) -> impl Iterator<Item = Type> {
        let told = Type::ALL.into_iter().skip(1).chain([Type::Null]);
        told.filter(move |kind| self.has(*kind))
    }
}

impl Schemas {
    /// Reads one of the committed files.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let definitions = object(&file["$defs"])?;
        let names: BTreeMap<_, _> = definitions
            .keys()
            .enumerate()
            .map(|(index, name)| (name.as_str(), NodeId(index)))
            .collect();
        let mut reader = Reader {
            names,
            nodes: Vec::new(),
        };
        reader.nodes.resize_with(definitions.len(), Node::default);
        for (index, schema) in definitions.values().enumerate() {
            reader.nodes[index] = reader.node(schema)?;
        }
        let mut methods = BTreeMap::new();
        for (name, parts) in object(&file["methods"])? {
            let mut shapes = Shapes::default();
            for (part, schema) in object(parts)? {
                let id = reader.add(schema)?;
                match part.as_str() {
                    "params" => shapes.params = Some(id),
                    "result" => shapes.result = Some(id),
                    other => return Err(format!("{name} has neither params nor result: {other}")),
                }
            }
            methods.insert(name.clone(), shapes);
        }
        let mut schemas = Self {
            nodes: reader.nodes,
            methods,
        };
        schemas.find_tags();
        Ok(schemas)
    }

    /// The shape of a part of a method's messages.
    pub(super) fn shape(&self, method: &str, part: Part) -> Option<NodeId> {
        let shapes = self.methods.get(method)?;
        match part {
            Part::Params => shapes.params,
            Part::Result => shapes.result,
        }
    }

    /// The schema of this id.
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The schema of this id, or the one that it is only another name for.
    pub(super) fn resolved(&self, id: NodeId) -> &Node {
        let mut node = self.node(id);
        while let (Some(target), true, true) = (
            node.reference,
            node.properties.is_empty(),
            node.union.is_none(),
        ) {
            node = self.node(target);
        }
        node
    }

    fn find_tags(&mut self) {
        let tags: Vec<_> = self
            .nodes
            .iter()
            .map(|node| node.union.as_ref().and_then(|union| self.tag(union)))
            .collect();
        for (node, tag) in self.nodes.iter_mut().zip(tags) {
            if let Some(union) = &mut node.union {
                union.tag = tag;
            }
        }
    }

    /// The required member whose constant the first tagged branch has.
    fn tag(&self, union: &Union) -> Option<Tag> {
        let constants = |branch: NodeId| {
            let node = self.node(branch);
            node.properties.iter().filter_map(|(name, member)| {
                let constant = self.node(*member).constant.as_ref()?.as_str()?;
                node.required
                    .contains(name)
                    .then_some((name.as_str(), constant))
            })
        };
        let (name, _) = union
            .branches
            .iter()
            .find_map(|branch| constants(*branch).next())?;
        let mut tag = Tag {
            name: name.to_owned(),
            branches: Vec::new(),
            open: Vec::new(),
        };
        for branch in &union.branches {
            match constants(*branch).find(|(other, _)| *other == name) {
                Some((_, constant)) => tag.branches.push((constant.to_owned(), *branch)),
                None => tag.open.push(*branch),
            }
        }
        Some(tag)
    }
}

struct Reader<'a> {
    names: BTreeMap<&'a str, NodeId>,
    nodes: Vec<Node>,
}

impl Reader<'_> {
    fn add(&mut self, schema: &Value) -> Result<NodeId, String> {
        let node = self.node(schema)?;
        self.nodes.push(node);
        Ok(NodeId(self.nodes.len() - 1))
    }

    fn node(&mut self, schema: &Value) -> Result<Node, String> {
        let mut node = Node::default();
        if schema == &Value::Bool(true) {
            return Ok(node);
        }
        for (keyword, value) in object(schema)? {
            match keyword.as_str() {
                "type" => node.types = types(value)?,
                "const" => node.constant = Some(value.clone()),
                "minimum" => node.minimum = Some(number(value)?),
                "maximum" => node.maximum = Some(number(value)?),
                "minLength" => node.min_length = Some(length(value)?),
                "maxLength" => node.max_length = Some(length(value)?),
                "minItems" => node.min_items = Some(length(value)?),
                "items" => node.items = Some(self.add(value)?),
                "required" => node.required = strings(value)?,
                "additionalProperties" if value != &Value::Bool(true) => {
                    node.additional = Some(self.add(value)?);
                }
                "propertyNames" => node.forbidden = forbidden(value)?,
                "not" => node.not = Some(self.add(value)?),
                "properties" => {
                    for (name, member) in object(value)? {
                        node.properties.push((name.clone(), self.add(member)?));
                    }
                }
                "anyOf" | "oneOf" if node.union.is_none() => {
                    let branches = value.as_array().ok_or_else(|| wrong(keyword, value))?;
                    let branches = branches
                        .iter()
                        .map(|branch| self.add(branch))
                        .collect::<Result<_, _>>()?;
                    node.union = Some(Union {
                        branches,
                        tag: None,
                    });
                }
                "$ref" => {
                    let target = value
                        .as_str()
                        .and_then(|path| path.strip_prefix("#/$defs/"));
                    let id = target.and_then(|name| self.names.get(name));
                    node.reference = Some(*id.ok_or_else(|| wrong(keyword, value))?);
                }
                // `true` says nothing, and the formats are annotations.
                "additionalProperties" | "unevaluatedProperties" if value == &Value::Bool(true) => {
                }
                "format" | "contentEncoding" => {}
                _ => return Err(wrong(keyword, value)),
            }
        }
        Ok(node)
    }
}

fn wrong(keyword: &str, value: &Value) -> String {
    format!("cannot read {keyword}: {value}")
}

fn object(value: &Value) -> Result<&Map<String, Value>, String> {
    value.as_object().ok_or_else(|| wrong("an object", value))
}

fn number(value: &Value) -> Result<f64, String> {
    value.as_f64().ok_or_else(|| wrong("a number", value))
}

fn length(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| wrong("a length", value))
}

fn strings(value: &Value) -> Result<Vec<String>, String> {
    let texts = value.as_array().ok_or_else(|| wrong("a list", value))?;
    texts
        .iter()
        .map(|text| {
            text.as_str()
                .map(str::to_owned)
                .ok_or_else(|| wrong("a string", text))
        })
        .collect()
}

fn types(value: &Value) -> Result<Types, String> {
    let names = match value {
        Value::String(name) => vec![name.clone()],
        list => strings(list)?,
    };
    names.iter().try_fold(Types(0), |types, name| {
        Type::named(name)
            .map(|kind| types.with(kind))
            .ok_or_else(|| wrong("type", value))
    })
}

/// `{"not": {"const": name}}` or `{"not": {"enum": names}}`.
fn forbidden(value: &Value) -> Result<Vec<String>, String> {
    let not = &value["not"];
    match (&not["const"], &not["enum"]) {
        (Value::String(name), _) => Ok(vec![name.clone()]),
        (_, names @ Value::Array(_)) => strings(names),
        _ => Err(wrong("propertyNames", value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 2] = [
        include_str!("../../../schemas/acp-v1.json"),
        include_str!("../../../schemas/acp-v2.json"),
    ];

    #[test]
    fn committed_schemas_are_readable() {
        for file in FILES {
            assert_eq!(Schemas::read(file).err(), None);
        }
    }

    /// A walk goes no deeper than the schema does, so what nests a message deeply costs no stack.
    #[test]
    fn no_schema_contains_itself() {
        fn depth(schemas: &Schemas, id: NodeId, above: &mut Vec<NodeId>) -> usize {
            assert!(!above.contains(&id), "{id:?} contains itself");
            above.push(id);
            let node = schemas.node(id);
            let branches = node
                .union
                .iter()
                .flat_map(|union| union.branches.iter().copied());
            let members = node.properties.iter().map(|(_, member)| *member);
            let single = [node.items, node.additional, node.reference, node.not];
            let below = single.into_iter().flatten().chain(branches).chain(members);
            let deepest = below
                .map(|id| depth(schemas, id, above))
                .max()
                .unwrap_or_default();
            above.pop();
            deepest + 1
        }
        for file in FILES {
            let schemas = Schemas::read(file).expect("readable");
            for shapes in schemas.methods.values() {
                for id in [shapes.params, shapes.result].into_iter().flatten() {
                    assert!(depth(&schemas, id, &mut Vec::new()) < 40);
                }
            }
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let cases = [
            "",
            "{}",
            r#"{"$defs": {"A": {"pattern": "x"}}, "methods": {}}"#,
            r#"{"$defs": {"A": {"type": "text"}}, "methods": {}}"#,
            r#"{"$defs": {"A": {"anyOf": [], "oneOf": []}}, "methods": {}}"#,
            r##"{"$defs": {"A": {"$ref": "#/$defs/B"}}, "methods": {}}"##,
            r#"{"$defs": {"A": {"additionalProperties": false}}, "methods": {}}"#,
            r#"{"$defs": {}, "methods": {"m": {"error": {}}}}"#,
        ];
        for text in cases {
            assert!(Schemas::read(text).is_err(), "{text}");
        }
    }
}
