//! Mutations: each takes something that conforms and gives it exactly one fault.

use elenchus_protocol::{
    Weight::{self, Unclear, Violation, Warning},
    acp::elicitation::CreateFault,
    form::SchemaFault,
};

use crate::conforming::{
    Kind::{self, Boolean, Enum, Integer, Number, OneOf, Text, Titled, Untitled},
    ModeKind, ScopeKind,
};

/// What a mutation of a schema starts from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum On {
    /// `requestedSchema` itself.
    Schema,
    /// Its root members.
    Root,
    /// A property of this kind.
    Property(Kind),
}

/// Members and what becomes of them: JSON text, or `None` where they are taken away.
pub(crate) type Edits = &'static [(&'static str, Option<&'static str>)];

/// A fault of a schema, made.
#[derive(Debug)]
pub(crate) struct SchemaMutation {
    pub(crate) fault: SchemaFault,
    /// How it weighs in v1 and v2; `None` where it is no fault.
    pub(crate) weight: [Option<Weight>; 2],
    pub(crate) on: On,
    pub(crate) edits: Edits,
    /// The pointer of the problem, from the thing that was mutated.
    pub(crate) at: &'static str,
}

/// A fault of a create request, made.
#[derive(Debug)]
pub(crate) struct CreateMutation {
    /// What fault it is in v1 and in v2, if any.
    pub(crate) faults: [Option<(CreateFault, Weight)>; 2],
    pub(crate) scope: ScopeKind,
    pub(crate) mode: ModeKind,
    pub(crate) edits: Edits,
    /// The pointer of the problem, from the root of params.
    pub(crate) at: &'static str,
}

const NO: [Option<Weight>; 2] = [None, None];
const VIOLATION: [Option<Weight>; 2] = [Some(Violation), Some(Violation)];
const WARNING: [Option<Weight>; 2] = [Some(Warning), Some(Warning)];
const UNCLEAR: [Option<Weight>; 2] = [Some(Unclear), Some(Unclear)];
const V1_WARNING: [Option<Weight>; 2] = [Some(Warning), None];
const V2_WARNING: [Option<Weight>; 2] = [None, Some(Warning)];
const V2_VIOLATION: [Option<Weight>; 2] = [None, Some(Violation)];
const V2_UNCLEAR: [Option<Weight>; 2] = [None, Some(Unclear)];
const WARNING_THEN_VIOLATION: [Option<Weight>; 2] = [Some(Warning), Some(Violation)];

const fn schema(
    fault: SchemaFault,
    weight: [Option<Weight>; 2],
    on: On,
    edits: Edits,
    at: &'static str,
) -> SchemaMutation {
    SchemaMutation {
        fault,
        weight,
        on,
        edits,
        at,
    }
}

const fn of(
    fault: SchemaFault,
    weight: [Option<Weight>; 2],
    kind: Kind,
    edits: Edits,
    at: &'static str,
) -> SchemaMutation {
    schema(fault, weight, On::Property(kind), edits, at)
}

/// All faults of schemas, and what lies just beside them.
#[rustfmt::skip] // one mutation a line
pub(crate) const SCHEMA: &[SchemaMutation] = {
    use SchemaFault as F;
    &[
        schema(F::NotAnObject, VIOLATION, On::Schema, &[("", None)], ""),
        schema(F::NotAnObject, VIOLATION, On::Schema, &[("", Some("null"))], ""),
        schema(F::NotAnObject, VIOLATION, On::Schema, &[("", Some("[]"))], ""),
        schema(F::NotAnObject, VIOLATION, On::Schema, &[("", Some("\"object\""))], ""),
        schema(F::Root, VIOLATION, On::Root, &[("/type", None)], "/type"),
        schema(F::Root, VIOLATION, On::Root, &[("/type", Some("null"))], "/type"),
        schema(F::Root, VIOLATION, On::Root, &[("/type", Some("\"array\""))], "/type"),
        schema(F::Root, VIOLATION, On::Root, &[("/type", Some("[\"object\"]"))], "/type"),
        schema(F::Root, VIOLATION, On::Root, &[("/properties", None), ("/required", None)], "/properties"),
        schema(F::Root, VIOLATION, On::Root, &[("/properties", Some("null")), ("/required", None)], "/properties"),
        schema(F::Root, VIOLATION, On::Root, &[("/properties", Some("[]")), ("/required", None)], "/properties"),

        of(F::Nested, VIOLATION, Text, &[("/type", Some("\"object\""))], "/type"),
        of(F::Nested, VIOLATION, Boolean, &[("/type", Some("\"object\"")), ("/properties", Some(r#"{"street":{"type":"string"}}"#))], "/type"),
        of(F::Nested, VIOLATION, Untitled, &[("/items/type", Some("\"object\""))], "/items/type"),
        of(F::Nested, VIOLATION, Untitled, &[("/items", Some(r#"{"type":"array","items":{"type":"string"}}"#))], "/items/type"),
        of(F::Nested, VIOLATION, Titled, &[("/items/type", Some("\"object\""))], "/items/type"),

        of(F::NoType, VIOLATION, Enum, &[("/type", None)], "/type"),
        of(F::NoType, VIOLATION, Text, &[("/type", Some("null"))], "/type"),
        of(F::NoType, VIOLATION, Text, &[("/type", Some("5"))], "/type"),
        of(F::NoType, VIOLATION, Text, &[("/type", Some(r#"["string","null"]"#))], "/type"),
        of(F::NoType, VIOLATION, Number, &[("/type", None), ("/$ref", Some("\"#/$defs/x\""))], "/type"),
        of(F::NoType, VIOLATION, Text, &[("", Some("\"string\""))], ""),
        of(F::NoType, VIOLATION, Text, &[("", Some("true"))], ""),
        of(F::NoType, VIOLATION, Text, &[("", Some("null"))], ""),

        of(F::UnknownType, VIOLATION, Text, &[("/type", Some("\"password\""))], "/type"),
        of(F::UnknownType, VIOLATION, Integer, &[("/type", Some("\"null\""))], "/type"),
        of(F::UnknownType, VIOLATION, Text, &[("/type", Some("\"\""))], "/type"),
        of(F::UnknownType, VIOLATION, Text, &[("/type", Some("\"String\""))], "/type"),
        of(F::UnknownType, NO, Text, &[("/type", Some("\"_password\""))], ""),

        of(F::Length, VIOLATION, Text, &[("/minLength", Some("\"3\""))], "/minLength"),
        of(F::Length, VIOLATION, Text, &[("/minLength", Some("-1"))], "/minLength"),
        of(F::Length, VIOLATION, Text, &[("/maxLength", Some("1.5"))], "/maxLength"),
        of(F::Length, VIOLATION, Text, &[("/maxLength", Some("true"))], "/maxLength"),
        of(F::Length, UNCLEAR, Text, &[("/minLength", Some("3.0"))], "/minLength"),
        of(F::Length, UNCLEAR, Text, &[("/maxLength", Some("1e2"))], "/maxLength"),
        of(F::Length, UNCLEAR, Text, &[("/maxLength", Some("4294967296"))], "/maxLength"),
        of(F::Length, NO, Text, &[("/minLength", Some("9")), ("/maxLength", Some("1"))], ""),

        of(F::PatternInV2, V2_WARNING, Text, &[("/pattern", Some("\"^a\""))], "/pattern"),
        of(F::PatternInV2, V2_WARNING, Text, &[("/pattern", Some("5"))], "/pattern"),

        of(F::FormatInV1, V1_WARNING, Text, &[("/format", Some("\"hostname\""))], "/format"),
        of(F::FormatInV1, V1_WARNING, Text, &[("/format", Some("\"Date\""))], "/format"),

        of(F::Enum, VIOLATION, Enum, &[("/enum/0", Some("1"))], "/enum/0"),
        of(F::Enum, VIOLATION, Enum, &[("/enum", Some("[1,2,3]"))], "/enum/0"),
        of(F::Enum, VIOLATION, Enum, &[("/enum", Some("[\"a\",null]"))], "/enum/1"),
        of(F::Enum, VIOLATION, Enum, &[("/enum", Some("\"a\""))], "/enum"),
        of(F::Enum, VIOLATION, Enum, &[("/enum", Some("{\"0\":\"a\"}"))], "/enum"),
        of(F::Enum, NO, Enum, &[("/enum", Some("null"))], ""),
        of(F::Enum, NO, Enum, &[("/oneOf", Some(r#"[{"const":"z","title":"Z"}]"#))], ""),

        of(F::EmptyChoice, WARNING_THEN_VIOLATION, Enum, &[("/enum", Some("[]"))], "/enum"),
        of(F::EmptyChoice, WARNING_THEN_VIOLATION, OneOf, &[("/oneOf", Some("[]"))], "/oneOf"),
        of(F::EmptyChoice, WARNING_THEN_VIOLATION, Untitled, &[("/items/enum", Some("[]"))], "/items/enum"),
        of(F::EmptyChoice, WARNING_THEN_VIOLATION, Titled, &[("/items/anyOf", Some("[]"))], "/items/anyOf"),

        of(F::OneOf, VIOLATION, OneOf, &[("/oneOf/0/title", None)], "/oneOf/0/title"),
        of(F::OneOf, VIOLATION, OneOf, &[("/oneOf/0/title", Some("null"))], "/oneOf/0/title"),
        of(F::OneOf, VIOLATION, OneOf, &[("/oneOf/0/const", None)], "/oneOf/0/const"),
        of(F::OneOf, VIOLATION, OneOf, &[("/oneOf/0/const", Some("1"))], "/oneOf/0/const"),
        of(F::OneOf, VIOLATION, OneOf, &[("/oneOf/0", Some("\"a\""))], "/oneOf/0"),
        of(F::OneOf, VIOLATION, OneOf, &[("/oneOf", Some("{}"))], "/oneOf"),

        of(F::EnumNames, WARNING, Enum, &[("/enumNames", Some("[\"A\"]"))], "/enumNames"),
        of(F::EnumNames, WARNING, Untitled, &[("/enumNames", Some("[\"A\"]"))], "/enumNames"),
        of(F::EnumNames, WARNING, Untitled, &[("/items/enumNames", Some("[\"A\"]"))], "/items/enumNames"),
        of(F::EnumNames, NO, Enum, &[("/enumNames", Some("null"))], ""),

        of(F::Bounds, VIOLATION, Number, &[("/minimum", Some("\"0\""))], "/minimum"),
        of(F::Bounds, VIOLATION, Number, &[("/maximum", Some("true"))], "/maximum"),
        of(F::Bounds, NO, Number, &[("/minimum", Some("3.0")), ("/maximum", Some("1e2"))], ""),
        of(F::Bounds, VIOLATION, Integer, &[("/minimum", Some("1.5"))], "/minimum"),
        of(F::Bounds, VIOLATION, Integer, &[("/maximum", Some("\"9\""))], "/maximum"),
        of(F::Bounds, UNCLEAR, Integer, &[("/minimum", Some("1.0"))], "/minimum"),
        of(F::Bounds, UNCLEAR, Integer, &[("/maximum", Some("1e2"))], "/maximum"),
        of(F::Bounds, UNCLEAR, Integer, &[("/maximum", Some("9223372036854775808"))], "/maximum"),

        of(F::Default, VIOLATION, Text, &[("/default", Some("5"))], "/default"),
        of(F::Default, VIOLATION, Enum, &[("/default", Some("[\"a\"]"))], "/default"),
        of(F::Default, VIOLATION, Boolean, &[("/default", Some("\"true\""))], "/default"),
        of(F::Default, VIOLATION, Number, &[("/default", Some("\"1\""))], "/default"),
        of(F::Default, VIOLATION, Integer, &[("/default", Some("1.5"))], "/default"),
        of(F::Default, UNCLEAR, Integer, &[("/default", Some("3.0"))], "/default"),
        of(F::Default, VIOLATION, Untitled, &[("/default", Some("\"a\""))], "/default"),
        of(F::Default, VIOLATION, Titled, &[("/default", Some("[\"a\",1]"))], "/default"),
        of(F::Default, NO, Enum, &[("/default", Some("\"not a choice\""))], ""),

        schema(F::ForeignKeyword, WARNING, On::Root, &[("/$schema", Some("\"https\""))], "/$schema"),
        schema(F::ForeignKeyword, WARNING, On::Root, &[("/additionalProperties", Some("false"))], "/additionalProperties"),
        schema(F::ForeignKeyword, WARNING, On::Root, &[("/enumNames", Some("[]"))], "/enumNames"),
        schema(F::ForeignKeyword, NO, On::Root, &[("/$schema", Some("null"))], ""),
        of(F::ForeignKeyword, WARNING, Number, &[("/exclusiveMinimum", Some("0"))], "/exclusiveMinimum"),
        of(F::ForeignKeyword, WARNING, Number, &[("/enum", Some("[1,2]"))], "/enum"),
        of(F::ForeignKeyword, WARNING, Number, &[("/pattern", Some("\"a\""))], "/pattern"),
        of(F::ForeignKeyword, WARNING, Untitled, &[("/uniqueItems", Some("true"))], "/uniqueItems"),
        of(F::ForeignKeyword, WARNING, Text, &[("/allOf", Some("[]"))], "/allOf"),
        of(F::ForeignKeyword, WARNING, Text, &[("/anyOf", Some("[{\"type\":\"string\"}]"))], "/anyOf"),
        of(F::ForeignKeyword, WARNING, Boolean, &[("/not", Some("{}"))], "/not"),
        of(F::ForeignKeyword, WARNING, Text, &[("/required", Some("[\"a\"]"))], "/required"),
        of(F::ForeignKeyword, WARNING, OneOf, &[("/oneOf/0/icon", Some("1"))], "/oneOf/0/icon"),
        of(F::ForeignKeyword, WARNING, Untitled, &[("/items/title", Some("\"t\""))], "/items/title"),
        of(F::ForeignKeyword, WARNING, Titled, &[("/items/oneOf", Some("[]"))], "/items/oneOf"),

        of(F::Items, VIOLATION, Untitled, &[("/items", None)], "/items"),
        of(F::Items, VIOLATION, Untitled, &[("/items", Some("null"))], "/items"),
        of(F::Items, VIOLATION, Untitled, &[("/items", Some("true"))], "/items"),
        of(F::Items, VIOLATION, Titled, &[("/items", Some("[{\"type\":\"string\"}]"))], "/items"),
        of(F::Items, VIOLATION, Untitled, &[("/items", None), ("/enum", Some("[\"a\"]"))], "/items"),

        of(F::UntitledItems, VIOLATION, Untitled, &[("/items/enum", None)], "/items/enum"),
        of(F::UntitledItems, VIOLATION, Untitled, &[("/items/enum", Some("null"))], "/items/enum"),
        of(F::UntitledItems, VIOLATION, Untitled, &[("/items/type", None)], "/items/type"),
        of(F::UntitledItems, VIOLATION, Untitled, &[("/items/type", Some("null"))], "/items/type"),
        of(F::UntitledItems, VIOLATION, Untitled, &[("/items/enum", Some("[\"a\",2]"))], "/items/enum/1"),
        of(F::UntitledItems, VIOLATION, Untitled, &[("/items/enum", Some("\"a\""))], "/items/enum"),
        of(F::UntitledItems, VIOLATION, Untitled, &[("/items", Some("{}"))], "/items"),

        of(F::TitledItems, VIOLATION, Titled, &[("/items", Some(r#"{"oneOf":[{"const":"a","title":"A"}]}"#))], "/items/oneOf"),
        of(F::TitledItems, VIOLATION, Titled, &[("/items", Some(r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#))], "/items/oneOf"),
        of(F::TitledItems, VIOLATION, Titled, &[("/items/anyOf/0/title", None)], "/items/anyOf/0/title"),
        of(F::TitledItems, VIOLATION, Titled, &[("/items/anyOf/0/const", Some("1"))], "/items/anyOf/0/const"),
        of(F::TitledItems, VIOLATION, Titled, &[("/items/anyOf/0", Some("\"a\""))], "/items/anyOf/0"),
        of(F::TitledItems, VIOLATION, Titled, &[("/items/anyOf", Some("\"a\""))], "/items/anyOf"),

        of(F::TitledItemsWithType, V2_VIOLATION, Titled, &[("/items/type", Some("\"string\""))], "/items/type"),
        of(F::TitledItemsWithType, V2_UNCLEAR, Titled, &[("/items/type", Some("null"))], "/items/type"),
        of(F::TitledItemsWithType, V2_UNCLEAR, Untitled, &[("/items/anyOf", Some(r#"[{"const":"a","title":"A"}]"#))], "/items/anyOf"),

        of(F::ItemCount, VIOLATION, Untitled, &[("/minItems", Some("-1"))], "/minItems"),
        of(F::ItemCount, VIOLATION, Titled, &[("/maxItems", Some("\"2\""))], "/maxItems"),
        of(F::ItemCount, VIOLATION, Titled, &[("/maxItems", Some("0.5"))], "/maxItems"),
        of(F::ItemCount, UNCLEAR, Untitled, &[("/minItems", Some("2.0"))], "/minItems"),
        of(F::ItemCount, NO, Untitled, &[("/minItems", Some("0")), ("/maxItems", Some("18446744073709551615"))], ""),

        schema(F::Required, VIOLATION, On::Root, &[("/required", Some("true"))], "/required"),
        schema(F::Required, VIOLATION, On::Root, &[("/required", Some("\"a\""))], "/required"),
        schema(F::Required, VIOLATION, On::Root, &[("/required", Some("[1]"))], "/required/0"),
        schema(F::Required, WARNING, On::Root, &[("/required", Some("[\"no such property\"]"))], "/required/0"),
        of(F::Required, VIOLATION, Text, &[("/required", Some("true"))], "/required"),
        of(F::Required, VIOLATION, Untitled, &[("/required", Some("false"))], "/required"),

        of(F::ItemType, VIOLATION, Untitled, &[("/items/type", Some("\"integer\""))], "/items/type"),
        of(F::ItemType, VIOLATION, Titled, &[("/items/type", Some("\"file\""))], "/items/type"),
        of(F::ItemType, VIOLATION, Untitled, &[("/items/type", Some("5"))], "/items/type"),
        of(F::ItemType, [Some(Unclear), Some(Violation)], Titled, &[("/items/type", Some("5"))], "/items/type"),
        of(F::ItemType, NO, Untitled, &[("/items/type", Some("\"_token\""))], ""),

        schema(F::Label, VIOLATION, On::Root, &[("/title", Some("5"))], "/title"),
        schema(F::Label, VIOLATION, On::Root, &[("/description", Some("[]"))], "/description"),
        of(F::Label, VIOLATION, Boolean, &[("/title", Some("{}"))], "/title"),
        of(F::Label, VIOLATION, Integer, &[("/description", Some("false"))], "/description"),
        of(F::Label, VIOLATION, OneOf, &[("/oneOf/0/description", Some("5"))], "/oneOf/0/description"),
        of(F::Label, VIOLATION, Titled, &[("/items/anyOf/0/description", Some("5"))], "/items/anyOf/0/description"),
    ]
};

type Told = (CreateFault, Weight);

/// The same in both versions.
const fn both(fault: CreateFault, weight: Weight) -> [Option<Told>; 2] {
    [Some((fault, weight)), Some((fault, weight))]
}

/// One thing in v1 and another in v2.
const fn each(v1: Told, v2: Told) -> [Option<Told>; 2] {
    [Some(v1), Some(v2)]
}

const fn create(
    faults: [Option<Told>; 2],
    scope: ScopeKind,
    mode: ModeKind,
    edits: Edits,
    at: &'static str,
) -> CreateMutation {
    CreateMutation {
        faults,
        scope,
        mode,
        edits,
        at,
    }
}

/// All faults of create requests, and what lies just beside them.
#[rustfmt::skip] // one mutation a line
pub(crate) const CREATE: &[CreateMutation] = {
    use CreateFault as F;
    use ModeKind::{Extension, Form, Url};
    use ScopeKind::{Request, Session, ToolCall};
    &[
        create(both(F::Params, Violation), Session, Form, &[("", None)], ""),
        create(both(F::Params, Violation), Session, Form, &[("", Some("null"))], ""),
        create(both(F::Params, Violation), Session, Form, &[("", Some("[]"))], ""),

        create(both(F::NoMode, Violation), Session, Form, &[("/mode", None)], "/mode"),
        create(both(F::NoMode, Violation), Session, Url, &[("/mode", Some("null"))], "/mode"),
        create(both(F::NoMode, Violation), Request, Form, &[("/mode", Some("1"))], "/mode"),

        create(both(F::NestedScope, Violation), Session, Form, &[("/sessionId", None), ("/scope", Some(r#"{"sessionId":"s"}"#))], "/scope"),
        create(both(F::NestedScope, Violation), Request, Url, &[("/requestId", None), ("/for", Some(r#"{"requestId":3}"#))], "/for"),
        create([None, None], Session, Form, &[("/scope", Some(r#"{"sessionId":"s"}"#))], ""),
        create(each((F::NestedScope, Violation), (F::ScopeCount, Violation)), Session, Extension, &[("/sessionId", None)], "/sessionId"),
        create(each((F::NestedScope, Violation), (F::ScopeCount, Violation)), Request, Form, &[("/requestId", None)], "/sessionId"),
        create(each((F::NestedScope, Violation), (F::ScopeCount, Violation)), Request, Url, &[("/requestId", None), ("/_meta", Some(r#"{"sessionId":"s"}"#))], "/sessionId"),
        create(each((F::BothScopesV1, Warning), (F::ScopeCount, Violation)), Session, Form, &[("/requestId", Some("3"))], "/requestId"),
        create(each((F::BothScopesV1, Warning), (F::ScopeCount, Violation)), ToolCall, Url, &[("/requestId", Some("\"3\""))], "/requestId"),
        create(each((F::BothScopesV1, Warning), (F::ScopeCount, Warning)), Session, Url, &[("/requestId", Some("null"))], "/requestId"),
        create(each((F::BothScopesV1, Warning), (F::ScopeCount, Warning)), Request, Url, &[("/sessionId", Some("null"))], "/sessionId"),

        create(both(F::SessionIdType, Violation), Session, Form, &[("/sessionId", Some("null"))], "/sessionId"),
        create(both(F::SessionIdType, Violation), ToolCall, Url, &[("/sessionId", Some("5"))], "/sessionId"),
        create(both(F::ToolCallIdType, Violation), Session, Form, &[("/toolCallId", Some("5"))], "/toolCallId"),
        create(both(F::ToolCallIdType, Violation), ToolCall, Extension, &[("/toolCallId", Some("{}"))], "/toolCallId"),
        create(each((F::ToolCallWithRequest, Warning), (F::ToolCallWithRequest, Violation)), Request, Form, &[("/toolCallId", Some("\"c\""))], "/toolCallId"),
        create(both(F::ToolCallWithRequest, Warning), Request, Form, &[("/toolCallId", Some("null"))], "/toolCallId"),

        create(each((F::RequestIdV1, Warning), (F::RequestIdV2, Violation)), Request, Form, &[("/requestId", Some("null"))], "/requestId"),
        create(each((F::RequestIdV1, Violation), (F::RequestIdV2, Violation)), Request, Form, &[("/requestId", Some("1.5"))], "/requestId"),
        create(each((F::RequestIdV1, Violation), (F::RequestIdV2, Violation)), Request, Form, &[("/requestId", Some("true"))], "/requestId"),
        create(each((F::RequestIdV1, Violation), (F::RequestIdV2, Violation)), Request, Url, &[("/requestId", Some("[3]"))], "/requestId"),
        create(each((F::RequestIdV1, Violation), (F::RequestIdV2, Violation)), Request, Url, &[("/requestId", Some("{\"id\":3}"))], "/requestId"),
        create(each((F::RequestIdV1, Unclear), (F::RequestIdV2, Unclear)), Request, Form, &[("/requestId", Some("1.0"))], "/requestId"),
        create(each((F::RequestIdV1, Unclear), (F::RequestIdV2, Unclear)), Request, Url, &[("/requestId", Some("1e3"))], "/requestId"),
        create(each((F::RequestIdV1, Unclear), (F::RequestIdV2, Unclear)), Request, Url, &[("/requestId", Some("18446744073709551615"))], "/requestId"),

        create(both(F::Message, Violation), Session, Form, &[("/message", None)], "/message"),
        create(both(F::Message, Violation), Session, Url, &[("/message", Some("null"))], "/message"),
        create(both(F::Message, Violation), Request, Extension, &[("/message", Some("[\"a\"]"))], "/message"),

        create(both(F::ReservedMode, Violation), Session, Extension, &[("/mode", Some("\"select\""))], "/mode"),
        create(both(F::ReservedMode, Violation), Session, Form, &[("/mode", Some("\"Form\""))], "/mode"),
        create(both(F::ReservedMode, Violation), Session, Form, &[("/mode", Some("\"\""))], "/mode"),

        create(both(F::ElicitationId, Violation), Session, Url, &[("/elicitationId", None)], "/elicitationId"),
        create(both(F::ElicitationId, Violation), Request, Url, &[("/elicitationId", Some("5"))], "/elicitationId"),
        create(both(F::Url, Violation), Session, Url, &[("/url", None)], "/url"),
        create(both(F::Url, Violation), Request, Url, &[("/url", Some("null"))], "/url"),

        create(both(F::ClickableUrl, Warning), Session, Form, &[("/message", Some("\"open https://example.com/a\""))], "/message"),
        create(both(F::ClickableUrl, Warning), Session, Form, &[("/requestedSchema/title", Some("\"http://a\""))], "/requestedSchema/title"),
        create(both(F::ClickableUrl, Warning), Request, Form, &[("/requestedSchema/properties/n", Some(r#"{"type":"number","description":"see https://a"}"#))], "/requestedSchema/properties/n/description"),
        create(both(F::ClickableUrl, Warning), Session, Form, &[("/requestedSchema/properties/s", Some(r#"{"type":"string","default":"https://a"}"#))], "/requestedSchema/properties/s/default"),
        create(both(F::ClickableUrl, Warning), Session, Form, &[("/requestedSchema/properties/s", Some(r#"{"type":"string","oneOf":[{"const":"a","title":"https://a"}]}"#))], "/requestedSchema/properties/s/oneOf/0/title"),
        create(both(F::ClickableUrl, Warning), Session, Form, &[("/requestedSchema/properties/s", Some(r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A","description":"https://a"}]}}"#))], "/requestedSchema/properties/s/items/anyOf/0/description"),
        create([None, None], Session, Form, &[("/requestedSchema/properties/s", Some(r#"{"type":"string","format":"uri","default":"https://a"}"#))], ""),
        create([None, None], Session, Form, &[("/requestedSchema/properties/s", Some(r#"{"type":"string","enum":["https://a"]}"#))], ""),
        create([None, None], Session, Url, &[("/message", Some("\"open https://example.com/a\""))], ""),
    ]
};
