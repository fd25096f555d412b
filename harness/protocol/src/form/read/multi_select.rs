//! Multi-selects: arrays whose items list the choices.

use serde_json::Value;

use super::{Object, Reader, keywords};
use crate::{
    Version, Weight,
    form::{
        ChoiceOption, Feature, FieldKind, SchemaFault,
        finding::{Path, given},
        number::UINT64,
    },
};

impl Reader {
    pub(super) fn array(&mut self, members: &Object, path: &Path<'_>) -> FieldKind {
        self.features.insert(Feature::MultiSelect);
        for bound in ["minItems", "maxItems"] {
            if given(members, bound).is_some() {
                self.features.insert(Feature::ItemCount);
            }
        }
        let fault = SchemaFault::ItemCount;
        let min = self.count(members, "minItems", &UINT64, fault, path);
        let max = self.count(members, "maxItems", &UINT64, fault, path);
        let at = path.member("items");
        let items = match members.get("items") {
            Some(value @ Value::Object(items)) => self.items(value, items, &at),
            other => {
                let got = other.filter(|items| !items.is_null());
                self.findings
                    .violation(SchemaFault::Items, &at, got, "an object");
                None
            }
        };
        match items {
            Some(options) => FieldKind::MultiSelect { options, min, max },
            None => FieldKind::Other,
        }
    }

    /// The items of a multi-select: untitled, titled, or an extension; `None` if it is no readable list of choices.
    fn items(
        &mut self,
        value: &Value,
        items: &Object,
        path: &Path<'_>,
    ) -> Option<Vec<ChoiceOption>> {
        let kind = given(items, "type");
        let titled = given(items, "anyOf").is_some();
        let at = path.member("type");
        match kind.map(|kind| kind.as_str()) {
            None | Some(Some("string")) => {}
            Some(Some(extension)) if extension.starts_with('_') => return None,
            Some(Some("object" | "array")) => {
                let expected = "string, or absent beside anyOf: forms are flat";
                self.findings
                    .violation(SchemaFault::Nested, &at, kind, expected);
                return None;
            }
            // v1: the published schema and the typed reader take titled choices whatever stands as `type`.
            Some(None) if titled && self.version == Version::AcpV1 => {
                let expected = "absent beside anyOf";
                self.findings
                    .add(SchemaFault::ItemType, Weight::Unclear, &at, kind, expected);
                return None;
            }
            Some(_) => {
                let expected = "string or a name that begins with an underscore";
                self.findings
                    .violation(SchemaFault::ItemType, &at, kind, expected);
                return None;
            }
        }
        if titled && (kind.is_none() || given(items, "enum").is_none()) {
            self.titled_items(items, path)
        } else {
            self.untitled_items(value, items, path)
        }
    }

    /// ELICIT-SCHEMA-034 and -035: choices by `anyOf`, with `type` absent or (v1) "string".
    fn titled_items(&mut self, items: &Object, path: &Path<'_>) -> Option<Vec<ChoiceOption>> {
        self.features.insert(Feature::TitledItems);
        if let (Some(kind), Version::AcpV2) = (items.get("type"), self.version) {
            // A null type is rejected by the typed reader, while null elsewhere means omitted.
            let weight = if kind.is_null() {
                Weight::Unclear
            } else {
                Weight::Violation
            };
            self.findings.add(
                SchemaFault::TitledItemsWithType,
                weight,
                &path.member("type"),
                Some(kind),
                "absent beside anyOf",
            );
        }
        self.enum_names(items, path);
        self.foreign(items, &[keywords::TITLED_ITEMS], path);
        let fault = SchemaFault::TitledItems;
        self.options(items, "anyOf", fault, path).ok().flatten()
    }

    /// ELICIT-SCHEMA-033: choices by `enum`, with `type` "string".
    fn untitled_items(
        &mut self,
        value: &Value,
        items: &Object,
        path: &Path<'_>,
    ) -> Option<Vec<ChoiceOption>> {
        self.enum_names(items, path);
        let has_type = given(items, "type").is_some();
        let has_enum = given(items, "enum").is_some();
        let one_of = given(items, "oneOf");
        if let (false, Some(one_of)) = (has_enum, one_of) {
            self.features.insert(Feature::TitledItems);
            self.findings.violation(
                SchemaFault::TitledItems,
                &path.member("oneOf"),
                Some(one_of),
                "absent: titled choices of a multi-select stand in anyOf",
            );
            self.foreign(items, &[keywords::UNTITLED_ITEMS, &["oneOf"]], path);
            return None;
        }
        self.features.insert(Feature::UntitledItems);
        if has_enum && given(items, "anyOf").is_some() && self.version == Version::AcpV2 {
            // The clause forbids `anyOf` beside a known type; the typed reader takes the enum and ignores it.
            self.findings.add(
                SchemaFault::TitledItemsWithType,
                Weight::Unclear,
                &path.member("anyOf"),
                given(items, "anyOf"),
                "absent beside type",
            );
        }
        self.foreign(items, &[keywords::UNTITLED_ITEMS], path);
        let fault = SchemaFault::UntitledItems;
        match (has_type, has_enum) {
            (true, true) => self.values(items, fault, path).ok().flatten(),
            (true, false) => {
                let expected = "an array of strings: free lists are not in the grammar";
                self.findings
                    .violation(fault, &path.member("enum"), None, expected);
                None
            }
            (false, true) => {
                self.findings
                    .violation(fault, &path.member("type"), None, "\"string\"");
                if given(items, "enum").is_some_and(Value::is_array) {
                    self.features.insert(Feature::Choice);
                }
                None
            }
            (false, false) => {
                let expected = "an object with type and enum, or with anyOf";
                self.findings.violation(fault, path, Some(value), expected);
                None
            }
        }
    }
}
