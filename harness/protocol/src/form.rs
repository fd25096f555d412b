//! The restricted form schema: a strict reader, the form's model, a validator of answers, and a
//! generator of valid and of just-invalid answers.
//!
//! The grammar is the table in the elicitation notes: a flat object of string, number, integer,
//! boolean and multi-select properties; what is a fault and what only a remark differs by version.

mod answer;
mod check;
pub(crate) mod finding;
pub(crate) mod number;
mod read;

use serde_json::Value;

use crate::{Problem, Version};

/// The faults that a form schema can have. One variant for each clause that speaks of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SchemaFault {
    /// `requestedSchema` is missing or not an object (ELICIT-FORM-001).
    NotAnObject,
    /// Root `type` missing, null or not "object", or `properties` missing or not an object (ELICIT-FORM-003).
    Root,
    /// A property of type object, or an array of objects or arrays (ELICIT-FORM-006).
    Nested,
    /// A property without a string `type` (ELICIT-SCHEMA-001).
    NoType,
    /// A type that is neither known nor an underscore extension (ELICIT-SCHEMA-003).
    UnknownType,
    /// `minLength`/`maxLength` not a non-negative 32-bit integer (ELICIT-SCHEMA-007).
    Length,
    /// `pattern` in v2 (ELICIT-SCHEMA-011; a warning).
    PatternInV2,
    /// A `format` that the v1 schema does not list (ELICIT-SCHEMA-013; a warning).
    FormatInV1,
    /// `enum` not an array of strings (ELICIT-SCHEMA-016).
    Enum,
    /// An empty `enum`, `oneOf`, `items.enum` or `items.anyOf` (ELICIT-SCHEMA-017; v2 violation, v1 warning).
    EmptyChoice,
    /// `oneOf` entries without string const and title (ELICIT-SCHEMA-019).
    OneOf,
    /// The deprecated `enumNames` (ELICIT-SCHEMA-021; a warning).
    EnumNames,
    /// Bounds of numbers and integers (ELICIT-SCHEMA-022).
    Bounds,
    /// A default of another type (ELICIT-SCHEMA-026).
    Default,
    /// A keyword outside the grammar (ELICIT-SCHEMA-030; a warning).
    ForeignKeyword,
    /// `items` missing, a list or a boolean (ELICIT-SCHEMA-032).
    Items,
    /// Untitled items without enum or without type (ELICIT-SCHEMA-033).
    UntitledItems,
    /// Titled items not `anyOf` of {const, title} (ELICIT-SCHEMA-034).
    TitledItems,
    /// v2 titled items with a `type` (ELICIT-SCHEMA-035).
    TitledItemsWithType,
    /// `minItems`/`maxItems` (ELICIT-SCHEMA-037).
    ItemCount,
    /// `required` not an array of strings (ELICIT-SCHEMA-039).
    Required,
    /// An item type that is neither string nor an underscore extension (ELICIT-SCHEMA-046).
    ItemType,
    /// `title` or `description` not a string.
    Label,
}

/// The situations that a form schema can exercise, so that a clause counts only where it could be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// There is at least one property.
    Property,
    /// A string property bounds its length.
    Length,
    /// A string property (in v2, the place where a pattern could stand).
    StringProperty,
    /// A string property names a format.
    Format,
    /// A property has `enum`.
    Enum,
    /// A property has `oneOf`.
    OneOf,
    /// Some list of choices is present.
    Choice,
    /// A number or integer property has bounds or an integer default.
    Bounds,
    /// A property has a default.
    Default,
    /// A multi-select.
    MultiSelect,
    /// A multi-select with untitled items.
    UntitledItems,
    /// A multi-select with titled items.
    TitledItems,
    /// A multi-select bounds its count.
    ItemCount,
    /// `required` is present.
    Required,
}

/// A form schema as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// The properties that could be read, in the order sent.
    pub fields: Vec<Field>,
    /// What is wrong with it; empty for a conforming schema.
    pub problems: Vec<Problem<SchemaFault>>,
    /// What it has.
    pub features: Vec<Feature>,
}

/// One property.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// It is in `required`.
    pub required: bool,
    /// `title`.
    pub title: Option<String>,
    /// `description`.
    pub description: Option<String>,
    /// The kind, with its constraints.
    pub kind: FieldKind,
    /// `default`, as sent, if it has the right type.
    pub default: Option<Value>,
}

/// What a property accepts.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldKind {
    /// Free text.
    Text {
        /// `minLength`, in Unicode code points.
        min: Option<u64>,
        /// `maxLength`, in Unicode code points.
        max: Option<u64>,
        /// `pattern` (v1 only; kept, not evaluated).
        pattern: Option<String>,
        /// `format`.
        format: Option<String>,
    },
    /// One of these values (`enum` or `oneOf`), with titles where given.
    Choice(Vec<ChoiceOption>),
    /// A number within inclusive bounds.
    Number {
        /// `minimum`.
        min: Option<f64>,
        /// `maximum`.
        max: Option<f64>,
    },
    /// A 64-bit integer within inclusive bounds.
    Integer {
        /// `minimum`.
        min: Option<i64>,
        /// `maximum`.
        max: Option<i64>,
    },
    /// true or false.
    Boolean,
    /// A list of these values.
    MultiSelect {
        /// The values that may be chosen.
        options: Vec<ChoiceOption>,
        /// `minItems`.
        min: Option<u64>,
        /// `maxItems`.
        max: Option<u64>,
    },
    /// An extension type, or one that could not be read.
    Other,
}

/// A value that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceOption {
    /// The value.
    pub value: String,
    /// Its label, where it differs.
    pub title: Option<String>,
}

/// Why an answer does not fit a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AnswerFault {
    /// The content is not an object.
    NotAnObject,
    /// A required value is missing (or null).
    Missing,
    /// A value of the wrong type.
    Type,
    /// A value outside of `enum`/`oneOf`/`anyOf`.
    NotAChoice,
    /// A length outside `minLength`/`maxLength`.
    Length,
    /// A number outside its bounds.
    Bounds,
    /// A count outside `minItems`/`maxItems`.
    Count,
    /// A member that the form does not have; never a violation.
    Extra,
}

/// Reads a form schema. `schema` is the value of `requestedSchema`, `None` if absent.
/// Pointers start at `/requestedSchema`; of each kind and weight the first few problems are listed.
pub fn read(schema: Option<&Value>, version: Version) -> Form {
    read::read(schema, version)
}

impl Form {
    /// What is wrong with an answer; formats and patterns are not evaluated. Pointers start at `/content`.
    ///
    /// Content that is null or omitted is the same (ELICIT-RESP-010), and so is a value that is null.
    pub fn check(&self, content: Option<&Value>, version: Version) -> Vec<Problem<AnswerFault>> {
        check::check(self, content, version)
    }

    /// A smallest valid answer: the required fields only; text values contain `canary` wherever the
    /// constraints leave room for it. `None` if the form has an unsatisfiable or unreadable required field,
    /// or asks for more text than is reasonable to make up.
    pub fn valid(&self, canary: &str) -> Option<Value> {
        answer::valid(self, canary)
    }

    /// As [`Self::valid`], but with all optional fields that can be filled.
    pub fn filled(&self, canary: &str) -> Option<Value> {
        answer::filled(self, canary)
    }

    /// Answers that are each wrong in exactly one way, with what is wrong.
    pub fn just_invalid(&self, canary: &str) -> Vec<(AnswerFault, Value)> {
        answer::just_invalid(self, canary)
    }
}
