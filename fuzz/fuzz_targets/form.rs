//! Any JSON as the params of an elicitation, as a form schema, as capabilities and as an answer: readers are
//! total, valid answers are valid, and invalid ones have exactly the fault that is named.

#![no_main]

use elenchus_protocol::{Version, Weight, acp::elicitation, form};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const CANARY: &str = "canary";

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return;
    };
    elicitation::read_answer(&value);
    for version in Version::ALL {
        elicitation::support(&value, version);
        let create = elicitation::read_create(Some(&value), version);
        let form = create
            .form
            .unwrap_or_else(|| form::read(Some(&value), version));
        form.check(Some(&value), version);
        for answer in form.valid(CANARY).iter().chain(&form.filled(CANARY)) {
            assert_eq!(form.check(Some(answer), version), []);
        }
        for (fault, answer) in form.just_invalid(CANARY) {
            let problems = form.check(Some(&answer), version);
            assert_eq!(problems.len(), 1, "{fault:?}: {problems:?}");
            assert_eq!(problems[0].kind, fault);
            assert_eq!(problems[0].weight, Weight::Violation);
        }
    }
});
