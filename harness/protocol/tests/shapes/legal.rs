//! Legal messages have neither mismatch nor a name that nobody knows, and what extends them makes no mismatch.

use std::collections::HashSet;

use elenchus_protocol::{
    Version,
    acp::{
        methods::{methods, update_kinds},
        shapes::{Growth, Part, Strays, check, grow, misspelt, strays},
    },
};
use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use crate::tables::{Message, legal, places};

fn found(message: &Message) -> Vec<String> {
    let Message {
        version,
        method,
        part,
        value,
    } = message;
    let mismatches = check(*version, method, *part, value);
    let misspellings = misspelt(*version, method, *part, value);
    mismatches
        .into_iter()
        .chain(misspellings)
        .map(|mismatch| mismatch.to_string())
        .collect()
}

#[test]
fn legal_messages_are_silent() {
    for message in legal() {
        assert_eq!(found(&message), [""; 0], "{message:?}");
        let Message {
            version,
            method,
            part,
            value,
        } = &message;
        let none = Strays::default();
        assert_eq!(strays(*version, method, *part, value), none, "{message:?}");
    }
}

#[test]
fn the_tables_hold_every_method_and_every_update() {
    let messages = legal();
    for version in Version::ALL {
        let of_version = || messages.iter().filter(|message| message.version == version);
        let told: HashSet<_> = of_version()
            .map(|message| (message.method, message.part))
            .collect();
        for method in methods(version) {
            assert!(
                told.contains(&(method.name, Part::Params)),
                "{version} {}",
                method.name
            );
            let has_result = told.contains(&(method.name, Part::Result));
            assert_eq!(has_result, method.request, "{version} {}", method.name);
        }
        let parts: usize = methods(version)
            .iter()
            .map(|method| 1 + usize::from(method.request))
            .sum();
        assert_eq!(told.len(), parts);
        let kinds: HashSet<_> = of_version()
            .filter_map(|message| message.value.pointer("/update/sessionUpdate")?.as_str())
            .filter(|kind| !kind.starts_with('_'))
            .collect();
        assert_eq!(kinds, update_kinds(version).iter().copied().collect());
    }
}

#[test]
fn every_method_has_a_shape_for_what_it_carries_and_no_other() {
    for version in Version::ALL {
        for method in methods(version) {
            let wrong = json!("no message is a string");
            assert_eq!(check(version, method.name, Part::Params, &wrong).len(), 1);
            let in_result = check(version, method.name, Part::Result, &wrong);
            assert_eq!(
                in_result.len(),
                usize::from(method.request),
                "{version} {}",
                method.name
            );
        }
        for unknown in ["_vendor/thing", "session/fork", ""] {
            assert_eq!(check(version, unknown, Part::Params, &json!(5)), []);
            assert_eq!(
                misspelt(version, unknown, Part::Params, &json!({"session_id": 5})),
                []
            );
        }
    }
}

fn object_at(value: &Value) -> Vec<String> {
    let is_object = |place: &String| value.pointer(place).is_some_and(Value::is_object);
    places(value).into_iter().filter(is_object).collect()
}

/// A legal message and a place of an object in it.
fn extensible() -> impl Strategy<Value = (Message, String)> {
    select(legal())
        .prop_filter_map("an object somewhere", |message| {
            let objects = object_at(&message.value);
            (!objects.is_empty()).then_some((message, objects))
        })
        .prop_flat_map(|(message, objects)| (Just(message), select(objects)))
}

/// Maps in which every key is data, so that what stands there must have the type of data.
fn holds_data(message: &Message, place: &str) -> bool {
    let elicits = message.method == "elicitation/create";
    place.ends_with("/env")
        || (elicits && matches!(place, "/content" | "/requestedSchema/properties"))
}

proptest! {
    #[test]
    fn unknown_and_extension_members_add_no_mismatch(
        (message, place) in extensible(),
        name in "_?[a-z]{1,3}[0-9]",
        value in select(vec![json!(null), json!(5), json!("x"), json!({"session_id": 1}), json!([[]])]),
    ) {
        prop_assume!(!holds_data(&message, &place));
        let mut message = message;
        let object = message.value.pointer_mut(&place).and_then(Value::as_object_mut);
        object.expect("an object stands there").insert(name, value);
        prop_assert_eq!(found(&message), [""; 0], "{:?}", message);
    }

    #[test]
    fn removing_an_unknown_member_of_any_message_adds_no_mismatch(
        (message, place) in extensible(),
        broken in select(vec![json!(null), json!(5), json!("x"), json!({}), json!([])]),
        victim in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!holds_data(&message, &place));
        let mut with = message.value;
        let victim = victim.get(places(&with).as_slice()).clone();
        // An unknown member beside whatever else is broken.
        let object = with.pointer_mut(&place).and_then(Value::as_object_mut);
        object.expect("an object stands there").insert("zzz9".to_owned(), json!({}));
        *with.pointer_mut(&victim).expect("a place of the message") = broken;
        let mut without = with.clone();
        if let Some(Value::Object(members)) = without.pointer_mut(&place) {
            members.shift_remove("zzz9");
        }
        let tell = |value: &Value| {
            let mismatches = check(message.version, message.method, message.part, value);
            mismatches.into_iter().map(|mismatch| mismatch.pointer).collect::<Vec<_>>()
        };
        prop_assert_eq!(tell(&with), tell(&without));
    }
}

#[test]
fn what_is_added_is_unknown_or_legal() {
    for message in legal() {
        let Message {
            version,
            method,
            part,
            value,
        } = message;
        let grown = |with, place| {
            let mut value = value.clone();
            grow(version, method, part, &mut value, with, place);
            value
        };
        for with in [Growth::Meta, Growth::Nulls] {
            let value = grown(with, None);
            assert_eq!(check(version, method, part, &value), [], "{value}");
            let none = Strays::default();
            assert_eq!(strays(version, method, part, &value), none, "{value}");
        }
        for place in 0..4 {
            let value = grown(Growth::Members, Some(place));
            let found = strays(version, method, part, &value).members;
            assert!(found.len() <= 1, "{value}");
        }
    }
}
