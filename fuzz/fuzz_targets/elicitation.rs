//! Params, answers and capabilities of elicitations, as JSON or as the bytes decide: readers are total, a finding shows
//! what stands at its place, and members that nobody knows change nothing.

#![no_main]

use arbitrary::{Result, Unstructured};
use elenchus_fuzz::{
    form, json,
    json::{member, optional, seldom},
    pointer::holds,
};
use elenchus_protocol::{
    Version,
    acp::{
        elicitation::{Answer, CapabilityShape, Create, Scope, read_answer, read_create, support},
        shapes::{Part, check},
    },
};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

/// A member that no text and no table knows.
const STRANGER: &str = "elenchusStranger";

fuzz_target!(|bytes: &[u8]| {
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        create(&value);
        answer(&value);
        capabilities(&value);
        return;
    }
    let mut u = Unstructured::new(bytes);
    if let Ok(params) = params(&mut u) {
        create(&params);
    }
    if let Ok(result) = result(&mut u) {
        answer(&result);
    }
    if let Ok(params) = initialize(&mut u) {
        capabilities(&params);
    }
});

fn create(params: &Value) {
    for version in Version::ALL {
        let create = read_create(Some(params), version);
        assert_eq!(create, read_create(Some(params), version));
        for problem in &create.problems {
            holds(params, &problem.pointer, &problem.got);
        }
        for problem in create.form.iter().flat_map(|form| &form.problems) {
            holds(params, &problem.pointer, &problem.got);
        }
        means(params, &create);
        // Who finds nothing wrong at all has read what the published schema takes.
        let silent =
            create.problems.is_empty() && create.form.iter().all(|form| form.problems.is_empty());
        if silent {
            // Of forms the strict reader knows more, and a `_meta` is for another clause.
            let untold = |at: &str| at.starts_with("/requestedSchema/") || at.ends_with("/_meta");
            let mut mismatches = check(version, "elicitation/create", Part::Params, params);
            mismatches.retain(|mismatch| !untold(&mismatch.pointer));
            assert_eq!(mismatches, [], "{version}: {params}");
        }
        if let Value::Object(members) = params {
            let mut members = members.clone();
            members.insert(STRANGER.to_owned(), json!(5));
            assert_eq!(read_create(Some(&members.into()), version), create);
        }
    }
}

/// The view says what stands there.
fn means(params: &Value, create: &Create) {
    assert_eq!(create.mode.as_deref(), params["mode"].as_str());
    assert_eq!(create.message.as_deref(), params["message"].as_str());
    let mode = |name| create.mode.as_deref() == Some(name);
    assert_eq!(create.form.is_some(), mode("form"));
    assert!(mode("url") || create.url.is_none() && create.elicitation_id.is_none());
    if mode("url") {
        assert_eq!(create.url.as_deref(), params["url"].as_str());
        assert_eq!(
            create.elicitation_id.as_deref(),
            params["elicitationId"].as_str()
        );
    }
    match &create.scope {
        Scope::Session { session, tool_call } => {
            assert_eq!(params["sessionId"].as_str(), Some(session.as_str()));
            assert_eq!(params["toolCallId"].as_str(), tool_call.as_deref());
        }
        Scope::Request(id) => assert_eq!(params["requestId"].to_string(), *id),
        Scope::Unclear => {}
    }
}

fn answer(result: &Value) {
    let read = read_answer(result);
    let again = match &read {
        Answer::Accept(Some(content)) => json!({"action": "accept", "content": content}),
        Answer::Accept(None) => json!({"action": "accept", "content": null}),
        Answer::Decline => json!({"action": "decline"}),
        Answer::Cancel => json!({"action": "cancel"}),
        Answer::Unknown(action) => json!({"action": action}),
        Answer::Unreadable => json!({"action": null}),
    };
    assert_eq!(read_answer(&again), read);
    assert_eq!(read == Answer::Unreadable, !result["action"].is_string());
}

/// A mode is advertised by an object in its place, and by nothing else; a member that nobody knows takes nothing away.
fn capabilities(params: &Value) {
    for (version, place) in [
        (Version::AcpV1, "clientCapabilities"),
        (Version::AcpV2, "capabilities"),
    ] {
        let (modes, shape) = support(params, version);
        let capability = &params[place]["elicitation"];
        assert_eq!(modes.form, capability["form"].is_object());
        assert_eq!(modes.url, capability["url"].is_object());
        if modes.form || modes.url {
            assert!(matches!(
                shape,
                CapabilityShape::Object | CapabilityShape::Malformed
            ));
        }
        for at in ["", place, "elicitation", "form"] {
            let mut more = params.clone();
            let found = match at {
                "" => Some(&mut more),
                "elicitation" => more.pointer_mut(&format!("/{place}/elicitation")),
                "form" => more.pointer_mut(&format!("/{place}/elicitation/form")),
                place => more.get_mut(place),
            };
            if let Some(Value::Object(members)) = found {
                members.insert(STRANGER.to_owned(), json!({"form": null}));
                assert_eq!(support(&more, version).0, modes);
            }
        }
    }
}

fn params(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut params = Map::new();
    let mode = *u.choose(&["form", "form", "url", "_x", "x"])?;
    member(u, &mut params, "mode", |_| Ok(mode.into()))?;
    member(u, &mut params, "message", |u| Ok(json::text(u)?.into()))?;
    let scopes: &[&str] = u.choose(&[
        &["sessionId"][..],
        &["requestId"],
        &["sessionId", "toolCallId"],
        &["sessionId", "requestId"],
        &["requestId", "toolCallId"],
        &[],
    ])?;
    for name in scopes {
        member(u, &mut params, name, |u| {
            if *name == "requestId" && u.arbitrary()? {
                json::number(u)
            } else {
                Ok(json::text(u)?.into())
            }
        })?;
    }
    if seldom(u, 16)? {
        params.insert(json::text(u)?, json!({"sessionId": json::text(u)?}));
    }
    if mode == "form" {
        member(u, &mut params, "requestedSchema", form::schema)?;
    } else {
        member(u, &mut params, "url", |u| Ok(json::text(u)?.into()))?;
        member(u, &mut params, "elicitationId", |u| {
            Ok(json::text(u)?.into())
        })?;
    }
    optional(u, &mut params, "_meta", |u| json::value(u, 1))?;
    Ok(params.into())
}

fn result(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut result = Map::new();
    member(u, &mut result, "action", |u| {
        Ok((*u.choose(&["accept", "decline", "cancel", "Accept", ""])?).into())
    })?;
    optional(u, &mut result, "content", |u| json::value(u, 2))?;
    Ok(result.into())
}

fn initialize(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut params = Map::new();
    for place in ["clientCapabilities", "capabilities"] {
        let mut elicitation = Map::new();
        for mode in ["form", "url", "_x"] {
            optional(u, &mut elicitation, mode, |_| Ok(json!({})))?;
        }
        let mut capabilities = Map::new();
        member(u, &mut capabilities, "elicitation", |_| {
            Ok(elicitation.into())
        })?;
        member(u, &mut params, place, |_| Ok(capabilities.into()))?;
    }
    Ok(params.into())
}
