//! PLAN.

use crate::table::{holds, holds_in, holds_with};

#[test]
fn entries_have_their_members() {
    holds_with(
        "ACP-PLAN-001",
        r#"opened | update {"sessionUpdate":"plan","entries":$}"#,
        r#"
        upheld []
        upheld [{"content":"a","priority":"high","status":"pending"}]
        broken [{"content":"a","status":"pending"}]
        broken [{"content":"a","priority":"urgent","status":"pending"}]
        broken [{"content":"a","priority":"low","status":"cancelled"}]
        broken [{"priority":"low","status":"pending"}]
        broken {}
        silent [{"content":"a","priority":"High","status":"pending"}]
        "#,
    );
    holds_with(
        "ACP-PLAN-002",
        r#"opened | update {"sessionUpdate":"plan_update","plan":$}"#,
        r##"
        upheld {"type":"items","planId":"p","entries":[{"content":"a","priority":"low","status":"cancelled"}]}
        upheld {"type":"markdown","planId":"p","content":"# a","path":null}
        upheld {"type":"_mine","planId":"p"}
        upheld {"type":"_mine","planId":"p","entries":[{"priority":"urgent","status":"doing"}]}
        broken {"type":"items","entries":[]}
        broken {"type":"_mine"}
        broken {"type":"items","planId":"p"}
        broken {"type":"markdown","planId":"p"}
        broken {"type":"tree","planId":"p"}
        upheld {"type":"items","planId":"p","entries":[{"content":"a","priority":"_mine","status":"_mine"}]}
        broken {"type":"items","planId":"p","entries":[{"content":"a","priority":"urgent","status":"pending"}]}
        broken {"type":"items","planId":"p","entries":[{"content":"a","priority":"low","status":"done"}]}
        broken {"planId":"p","entries":[]}
        broken []
        "##,
    );
}

/// An update of the plan, of letters: a capital one is done.
fn plan(version: &str, letters: &str) -> String {
    let entry = |letter: char| {
        let status = if letter.is_uppercase() {
            "completed"
        } else {
            "pending"
        };
        let content = letter.to_ascii_lowercase();
        format!(r#"{{"content":"{content}","priority":"low","status":"{status}"}}"#)
    };
    let entries: Vec<String> = letters.chars().map(entry).collect();
    let entries = entries.join(",");
    if version == "v1" {
        format!(r#"update {{"sessionUpdate":"plan","entries":[{entries}]}}"#)
    } else {
        format!(
            r#"update {{"sessionUpdate":"plan_update","plan":{{"type":"items","planId":"p","entries":[{entries}]}}}}"#
        )
    }
}

#[test]
fn a_plan_is_told_as_a_whole() {
    for version in ["v1", "v2"] {
        for (verdict, lists) in [
            ("upheld", "abc Abc ABc ABC"),
            ("upheld", "abc bAc"),
            ("upheld", "abc Abc bc"),
            ("upheld", "abc ABC ABCd ABCD"),
            ("silent", "abc"),
            ("silent", "abc abd"),
            ("silent", "abc d"),
            ("unclear", "abc A"),
            ("unclear", "abc ac"),
            ("unclear", "abc A B"),
            ("unclear", "abc A b"),
            ("unclear", "abc ac ab"),
            ("broken", "abc A B C"),
            ("broken", "abc A b B c C"),
            ("broken", "abcd Ab Bc Cd D"),
            // The steps of a loop, the current step alone, the whole plan once more, and a revised plan.
            ("unclear", "ab c ab"),
            ("unclear", "ab A B a b A B"),
            ("unclear", "abc A B C a"),
            ("unclear", "abc A B C abc A B C"),
            ("unclear", "abc A B C ABC"),
            ("unclear", "a b a"),
            ("unclear", "abc a b c"),
            ("upheld", "abc A B ABc ABC"),
            ("unclear", "abc A BC Cd"),
            ("unclear", "aba A B A"),
        ] {
            let told: Vec<String> = lists.split(' ').map(|list| plan(version, list)).collect();
            let told = told.join(" | ");
            holds_in(
                version,
                "ACP-PLAN-003",
                "opened | prompt 2 hi",
                &format!("{verdict} {lists} :: + {told} | done 2"),
            );
        }
        let (all, some, other) = (plan(version, "abc"), plan(version, "A"), plan(version, "B"));
        holds_in(
            version,
            "ACP-PLAN-003",
            "opened | prompt 2 hi",
            &format!(
                "silent  other turns have other plans :: + {all} | done 2 | prompt 3 hi | {some} | done 3 | prompt 4 hi | {other}"
            ),
        );
    }
    let own = ["abc", "A", "B", "C"].map(|letters| plan("v2", letters).replace("items", "_mine"));
    holds_in(
        "v2",
        "ACP-PLAN-003",
        "opened | prompt 2 hi",
        &format!("silent  a type of its own :: + {}", own.join(" | ")),
    );
    let long = |letters: &str| {
        plan("v1", letters).replace(
            r#""content":""#,
            &format!(r#""content":"{}"#, "x".repeat(400)),
        )
    };
    let long = ["a", "b", "c"].map(long).join(" | ");
    holds_in(
        "v1",
        "ACP-PLAN-003",
        "opened | prompt 2 hi",
        &format!("silent  long texts that end in different words :: + {long}"),
    );
    let other = plan("v2", "A").replace(r#""p""#, r#""q""#);
    let all = plan("v2", "abc");
    holds_in(
        "v2",
        "ACP-PLAN-003",
        "opened | prompt 2 hi",
        &format!("silent  two plans :: + {all} | {other}"),
    );
    holds(
        "ACP-PLAN-003",
        "opened | prompt 2 hi",
        "silent  no plan :: + tool c title",
    );
}
