//! Reading `elicitation/create`, its answer, and the capability.

use elenchus_protocol::{
    Version,
    acp::elicitation::{
        Answer, CapabilityShape as Shape, Create, CreateFault, Scope, Support, read_answer,
        read_create, support,
    },
};
use proptest::prelude::*;
use serde_json::Value;

use crate::{
    always, column, conforming, json,
    mutations::{CREATE, CreateMutation},
    put, told,
};

fn read(params: &str, version: Version) -> Create {
    read_create(Some(&json(params)), version)
}

proptest! {
    #[test]
    fn conforming_requests_have_no_problem(
        (version, params) in conforming::version()
            .prop_flat_map(|version| (Just(version), conforming::create(version)))
    ) {
        let create = read_create(Some(&params), version);
        prop_assert_eq!(told(&create.problems), vec![]);
        prop_assert_eq!(create.mode.as_deref(), params["mode"].as_str());
        prop_assert_eq!(create.message.as_deref(), params["message"].as_str());
        prop_assert_eq!(create.has_request_id, params.get("requestId").is_some());
        prop_assert_eq!(create.has_tool_call_id, params.get("toolCallId").is_some());
        prop_assert!(create.scope != Scope::Unclear);
        prop_assert_eq!(create.form.is_some(), params["mode"] == "form");
        prop_assert_eq!(create.url.is_some(), params["mode"] == "url");
        prop_assert_eq!(create.elicitation_id.is_some(), params["mode"] == "url");
        prop_assert_eq!(create.form.map_or(0, |form| form.problems.len()), 0);
    }
}

fn mutate(mut params: Value, mutation: &CreateMutation) -> Option<Value> {
    for (pointer, value) in mutation.edits {
        if pointer.is_empty() {
            return value.map(json);
        }
        put(&mut params, pointer, value.map(json));
    }
    Some(params)
}

#[test]
fn a_mutation_has_exactly_its_own_fault() {
    for (mutation, version) in CREATE
        .iter()
        .flat_map(|mutation| Version::ALL.map(|version| (mutation, version)))
    {
        let material = conforming::create_of(mutation.scope, mutation.mode, version);
        always(&material, |params| {
            let params = mutate(params, mutation);
            let create = read_create(params.as_ref(), version);
            let expected: Vec<_> = mutation.faults[column(version)]
                .map(|(fault, weight)| (fault, weight, mutation.at))
                .into_iter()
                .collect();
            assert_eq!(told(&create.problems), expected, "{version} {mutation:?}");
            assert_eq!(create.form.map_or(0, |form| form.problems.len()), 0);
        });
    }
}

#[test]
fn every_fault_of_create_requests_is_made_by_some_mutation() {
    use CreateFault as F;
    let all = [
        F::Params,
        F::NoMode,
        F::NestedScope,
        F::ScopeCount,
        F::BothScopesV1,
        F::SessionIdType,
        F::ToolCallIdType,
        F::ToolCallWithRequest,
        F::RequestIdV1,
        F::RequestIdV2,
        F::Message,
        F::ReservedMode,
        F::ElicitationId,
        F::Url,
        F::ClickableUrl,
    ];
    for fault in all {
        let made = |told: &Option<(CreateFault, _)>| told.is_some_and(|(made, _)| made == fault);
        assert!(
            CREATE.iter().any(|m| m.faults.iter().any(made)),
            "{fault:?}"
        );
    }
}

#[test]
fn the_scope_is_what_can_be_told() {
    let session = |session: &str, tool_call: Option<&str>| Scope::Session {
        session: session.to_owned(),
        tool_call: tool_call.map(str::to_owned),
    };
    let request = |id: &str| Scope::Request(id.to_owned());
    for (params, v1, v2) in [
        (
            r#"{"sessionId":"s"}"#,
            session("s", None),
            session("s", None),
        ),
        (
            r#"{"sessionId":"s","toolCallId":"t"}"#,
            session("s", Some("t")),
            session("s", Some("t")),
        ),
        (
            r#"{"sessionId":"s","toolCallId":5}"#,
            session("s", None),
            session("s", None),
        ),
        (
            r#"{"sessionId":"s","requestId":null}"#,
            session("s", None),
            session("s", None),
        ),
        (r#"{"requestId":0}"#, request("0"), request("0")),
        (r#"{"requestId":"0"}"#, request("\"0\""), request("\"0\"")),
        (r#"{"requestId":1.0}"#, request("1.0"), request("1.0")),
        (r#"{"requestId":null}"#, request("null"), Scope::Unclear),
        (
            r#"{"requestId":3,"sessionId":null}"#,
            request("3"),
            request("3"),
        ),
        (r#"{"requestId":1.5}"#, Scope::Unclear, Scope::Unclear),
        (
            r#"{"sessionId":"s","requestId":3}"#,
            Scope::Unclear,
            Scope::Unclear,
        ),
        (r#"{"sessionId":5}"#, Scope::Unclear, Scope::Unclear),
        ("{}", Scope::Unclear, Scope::Unclear),
        ("[]", Scope::Unclear, Scope::Unclear),
    ] {
        assert_eq!(read(params, Version::AcpV1).scope, v1, "{params}");
        assert_eq!(read(params, Version::AcpV2).scope, v2, "{params}");
    }
}

#[test]
fn a_form_without_schema_is_the_forms_own_problem() {
    let create = read(
        r#"{"mode":"form","message":"m","sessionId":"s"}"#,
        Version::AcpV2,
    );
    assert_eq!(create.problems, []);
    let problems = create.form.map(|form| form.problems).unwrap_or_default();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].pointer, "/requestedSchema");
    assert_eq!(problems[0].got, "absent");
}

#[test]
fn several_faults_are_all_told() {
    use CreateFault as F;
    let create = read(
        r#"{"requestId":true,"toolCallId":5,"mode":"url"}"#,
        Version::AcpV2,
    );
    let kinds: Vec<_> = create.problems.iter().map(|problem| problem.kind).collect();
    assert_eq!(
        kinds,
        [
            F::Message,
            F::ToolCallWithRequest,
            F::RequestIdV2,
            F::ToolCallIdType,
            F::ElicitationId,
            F::Url
        ]
    );
}

#[test]
fn capabilities_are_read_where_the_version_puts_them() {
    let none = Support::default();
    let form = Support {
        form: true,
        url: false,
    };
    let url = Support {
        form: false,
        url: true,
    };
    let both = Support {
        form: true,
        url: true,
    };
    for (capability, expected, shape) in [
        ("null", none, Shape::Null),
        ("{}", none, Shape::Empty),
        (r#"{"form":null,"url":null}"#, none, Shape::AllNull),
        (r#"{"form":null}"#, none, Shape::Object),
        (r#"{"voice":{}}"#, none, Shape::Object),
        (r#"{"_meta":{}}"#, none, Shape::Object),
        (r#"{"form":{}}"#, form, Shape::Object),
        (r#"{"form":{"x":1},"url":null}"#, form, Shape::Object),
        (r#"{"url":{"_meta":null}}"#, url, Shape::Object),
        (r#"{"form":{},"url":{}}"#, both, Shape::Object),
        (r#"{"form":"yes","url":{}}"#, url, Shape::Malformed),
        (r#"{"form":true}"#, none, Shape::Malformed),
        (r#"{"form":[]}"#, none, Shape::Malformed),
        ("true", none, Shape::Malformed),
        ("[]", none, Shape::Malformed),
        ("\"form\"", none, Shape::Malformed),
    ] {
        for (place, version, other) in [
            ("clientCapabilities", Version::AcpV1, Version::AcpV2),
            ("capabilities", Version::AcpV2, Version::AcpV1),
        ] {
            let params = json(&format!(r#"{{"{place}":{{"elicitation":{capability}}}}}"#));
            assert_eq!(support(&params, version), (expected, shape), "{capability}");
            assert_eq!(
                support(&params, other),
                (none, Shape::Absent),
                "{capability}"
            );
        }
    }
    for params in ["{}", "null", "[]", r#"{"clientCapabilities":[]}"#] {
        assert_eq!(
            support(&json(params), Version::AcpV1),
            (none, Shape::Absent)
        );
    }
}

#[test]
fn an_answer_is_only_what_its_action_says() {
    for (result, answer) in [
        (r#"{"action":"accept"}"#, Answer::Accept(None)),
        (
            r#"{"action":"accept","content":null}"#,
            Answer::Accept(None),
        ),
        (
            r#"{"action":"accept","content":{"a":1}}"#,
            Answer::Accept(Some(json(r#"{"a":1}"#))),
        ),
        (
            r#"{"action":"accept","content":"junk"}"#,
            Answer::Accept(Some(json("\"junk\""))),
        ),
        (r#"{"action":"decline","content":{"a":1}}"#, Answer::Decline),
        (r#"{"action":"cancel","content":"junk"}"#, Answer::Cancel),
        (
            r#"{"action":"Accept"}"#,
            Answer::Unknown("Accept".to_owned()),
        ),
        (
            r#"{"action":"_later"}"#,
            Answer::Unknown("_later".to_owned()),
        ),
        (r#"{"action":5}"#, Answer::Unreadable),
        (r#"{"action":null}"#, Answer::Unreadable),
        (r#"{"outcome":{"outcome":"cancelled"}}"#, Answer::Unreadable),
        ("{}", Answer::Unreadable),
        ("null", Answer::Unreadable),
        ("[\"accept\"]", Answer::Unreadable),
    ] {
        assert_eq!(read_answer(&json(result)), answer, "{result}");
    }
}
