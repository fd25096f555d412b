//! What hostile peers send: JSON that speaks the grammar's words in any order.

use elenchus_protocol::{
    Version, Weight,
    acp::elicitation,
    form::{self, AnswerFault},
};
use proptest::{collection, prelude::*, sample};
use serde_json::{Map, Value, json};

const WORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "title",
    "description",
    "default",
    "_meta",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "enum",
    "oneOf",
    "anyOf",
    "minimum",
    "maximum",
    "items",
    "minItems",
    "maxItems",
    "const",
    "enumNames",
    "sessionId",
    "requestId",
    "toolCallId",
    "mode",
    "message",
    "requestedSchema",
    "action",
    "content",
];

const TEXTS: &[&str] = &[
    "",
    "object",
    "string",
    "number",
    "integer",
    "boolean",
    "array",
    "_x",
    "email",
    "uri",
    "date",
    "date-time",
    "form",
    "url",
    "a",
    "b",
    "größe",
    "🜁",
    "canary",
    "canary-",
];

fn leaf() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..6_i64).prop_map(Value::from),
        sample::select(vec![
            json!(i64::MIN),
            json!(i64::MAX),
            json!(u64::MAX),
            json!(4_294_967_295_u64),
            json!(-0.0),
            json!(2.0),
            json!(0.5),
            json!(1e300),
            json!(-1e300),
            json!(9_007_199_254_740_993_i64),
        ]),
        sample::select(TEXTS.to_vec()).prop_map(Value::from),
    ]
    .boxed()
}

fn wild() -> BoxedStrategy<Value> {
    leaf()
        .prop_recursive(4, 40, 5, |inner| {
            let key = sample::select(WORDS.to_vec()).prop_map(str::to_owned);
            prop_oneof![
                collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                collection::vec((key, inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
        .boxed()
}

/// A form whose properties have a known type and anything beside it.
fn half_wild_form() -> BoxedStrategy<Value> {
    let kind = sample::select(vec!["string", "number", "integer", "boolean", "array"]);
    let member = (sample::select(WORDS.to_vec()), wild_constraint());
    let property = (kind, collection::vec(member, 0..5)).prop_map(|(kind, members)| {
        let mut property: Map<String, Value> = members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        property.insert("type".to_owned(), kind.into());
        Value::Object(property)
    });
    collection::vec(property, 1..4)
        .prop_map(|properties| {
            let properties: Map<String, Value> = ["a", "b", "c"]
                .into_iter()
                .map(str::to_owned)
                .zip(properties)
                .collect();
            json!({"type": "object", "properties": properties, "required": ["a"]})
        })
        .boxed()
}

fn wild_constraint() -> BoxedStrategy<Value> {
    let texts = sample::subsequence(TEXTS.to_vec(), 0..4).prop_map(Value::from);
    let options = sample::subsequence(TEXTS.to_vec(), 0..4).prop_map(|texts| {
        let options = texts
            .iter()
            .map(|text| json!({"const": text, "title": text}));
        options.collect::<Value>()
    });
    let untitled = texts
        .clone()
        .prop_map(|texts| json!({"type": "string", "enum": texts}));
    let titled = options
        .clone()
        .prop_map(|options| json!({"anyOf": options}));
    prop_oneof![leaf(), texts, options, untitled, titled].boxed()
}

fn canary() -> impl Strategy<Value = String> {
    sample::select(vec![
        "canary",
        "",
        "a",
        "größe 🜁",
        "x y@z",
        "canary-0123456789",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn whatever_comes_is_read(value in wild()) {
        for version in Version::ALL {
            let form = form::read(Some(&value), version);
            form.check(Some(&value), version);
            elicitation::read_create(Some(&value), version);
            elicitation::support(&value, version);
        }
        elicitation::read_answer(&value);
    }

    #[test]
    fn valid_answers_pass_the_check_of_any_form(schema in half_wild_form(), canary in canary()) {
        for version in Version::ALL {
            let form = form::read(Some(&schema), version);
            for answer in form.valid(&canary).iter().chain(&form.filled(&canary)) {
                prop_assert_eq!(form.check(Some(answer), version), vec![], "{}", answer);
            }
        }
    }

    #[test]
    fn invalid_answers_have_exactly_the_fault_that_is_named(
        schema in half_wild_form(),
        canary in canary(),
    ) {
        for version in Version::ALL {
            let form = form::read(Some(&schema), version);
            for (fault, answer) in form.just_invalid(&canary) {
                let problems = form.check(Some(&answer), version);
                let found: Vec<(AnswerFault, Weight)> = problems
                    .iter()
                    .map(|problem| (problem.kind, problem.weight))
                    .collect();
                prop_assert_eq!(found, vec![(fault, Weight::Violation)], "{}", answer);
            }
        }
    }
}

/// A schema that is large in one way, and how large.
fn flood(property: impl Fn(usize) -> (String, Value), size: usize) -> Value {
    let properties: Map<String, Value> = (0..size).map(property).collect();
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "required": required, "properties": properties})
}

#[test]
fn a_flood_of_faults_is_told_in_few_words() {
    let name = "n".repeat(100_000);
    let schema = flood(
        |index| (format!("{name}{index}"), json!({"type": index})),
        100,
    );
    let form = form::read(Some(&schema), Version::AcpV2);
    let bytes: usize = form
        .problems
        .iter()
        .map(|problem| problem.pointer.len() + problem.got.len() + problem.expected.len())
        .sum();
    assert!(!form.problems.is_empty() && bytes < 100_000, "{bytes}");
}

#[test]
fn a_form_cannot_ask_for_more_text_than_is_reasonable() {
    let long = |min: u64| {
        flood(
            move |_| ("p".to_owned(), json!({"type": "string", "minLength": min})),
            1,
        )
    };
    let read = |schema: &Value| form::read(Some(schema), Version::AcpV1);
    assert_eq!(read(&long(u64::from(u32::MAX))).valid("c"), None);
    assert!(read(&long(4096)).valid("c").is_some());
    let many = flood(
        |index| {
            (
                index.to_string(),
                json!({"type": "string", "minLength": 4096}),
            )
        },
        1000,
    );
    assert_eq!(read(&many).valid("c"), None);
}

#[test]
fn a_form_cannot_make_us_write_answers_without_end() {
    let schema = flood(
        |index| {
            let property = json!({"type": "string", "minLength": 1, "maxLength": 4000});
            (index.to_string(), property)
        },
        2000,
    );
    let form = form::read(Some(&schema), Version::AcpV2);
    let answers = form.just_invalid("canary");
    let bytes: usize = answers
        .iter()
        .map(|(_, answer)| answer.to_string().len())
        .sum();
    assert!(answers.len() > 3 && bytes < 8 * 1024 * 1024, "{bytes}");
}
