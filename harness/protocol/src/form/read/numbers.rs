//! Numbers in a schema: bounds of numeric properties, lengths and counts.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::{Object, Reader};
use crate::{
    Weight,
    form::{
        Feature, FieldKind, SchemaFault,
        finding::{Path, given},
        number::{INT64, Integer, UINT32, integer},
    },
};

impl Reader {
    pub(super) fn number(&mut self, members: &Object, path: &Path<'_>) -> FieldKind {
        let mut bound = |name| {
            let value = given(members, name)?;
            self.features.insert(Feature::Bounds);
            if !value.is_number() {
                let at = path.member(name);
                self.findings
                    .violation(SchemaFault::Bounds, &at, Some(value), "a number");
            }
            value.as_f64()
        };
        FieldKind::Number {
            min: bound("minimum"),
            max: bound("maximum"),
        }
    }

    pub(super) fn integer(&mut self, members: &Object, path: &Path<'_>) -> FieldKind {
        if given(members, "default").is_some() {
            self.features.insert(Feature::Bounds);
        }
        let mut bound = |name| {
            let value = given(members, name)?;
            self.features.insert(Feature::Bounds);
            let read = integer(value, &INT64);
            let fault = SchemaFault::Bounds;
            let expected = "an integer of 64 bits";
            self.odd_integer(read, value, fault, &path.member(name), expected)
                .and_then(|bound| i64::try_from(bound).ok())
        };
        FieldKind::Integer {
            min: bound("minimum"),
            max: bound("maximum"),
        }
    }

    /// A length or count.
    pub(super) fn count(
        &mut self,
        members: &Object,
        name: &str,
        range: &RangeInclusive<i128>,
        fault: SchemaFault,
        path: &Path<'_>,
    ) -> Option<u64> {
        let value = given(members, name)?;
        let expected = if range == &UINT32 {
            "a non-negative integer of 32 bits"
        } else {
            "a non-negative integer"
        };
        let read = integer(value, range);
        self.odd_integer(read, value, fault, &path.member(name), expected)
            .and_then(|count| u64::try_from(count).ok())
    }

    /// Reports a value that is no proper integer; the integer, where it can be told.
    pub(super) fn odd_integer(
        &mut self,
        read: Integer,
        value: &Value,
        fault: SchemaFault,
        path: &Path<'_>,
        expected: &str,
    ) -> Option<i128> {
        let (weight, read) = match read {
            Integer::Plain(integer) => return Some(integer),
            Integer::Odd(integer) => (Weight::Unclear, Some(integer)),
            Integer::No => (Weight::Violation, None),
        };
        self.findings
            .add(fault, weight, path, Some(value), expected);
        read
    }
}
