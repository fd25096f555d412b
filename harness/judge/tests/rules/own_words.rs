//! What a profile's own prompt has in common with the vocabulary's is its effect: nothing that is known only of the
//! vocabulary holds for it.

use crate::table::{holds, holds_in};

#[test]
fn what_the_vocabulary_says_is_not_asked_of_other_words() {
    holds(
        "ACP-ELICIT-RESP-013",
        "opened",
        r"
        broken  an effect that the user declined :: + prompt 2 /effect x form | form 5 | decline 5 | tool t effect x | done 2
        silent  own words name no effect :: + own-words 2 /effect | prompt 2 Do x. | form 5 | decline 5 | tool t effect x | done 2
        ",
    );
    holds_in(
        "v2",
        "ACP-STATE-008",
        "opened",
        r"
        broken  /fail fails :: + prompt 2 /fail | done 2 | settled
        silent  own words for it may not :: + own-words 2 /fail | prompt 2 Fail. | done 2 | settled
        ",
    );
}

#[test]
fn work_in_own_words_may_have_been_done_when_it_was_cancelled() {
    for (version, id) in [("v1", "ACP-CANCEL-026"), ("v2", "ACP-CANCEL-027")] {
        holds_in(
            version,
            id,
            "opened",
            r"
            broken  /hold goes on until it is cancelled :: + prompt 2 /hold | settles 3 | cancelled | says all done | done 2
            unclear own words for it may not :: + own-words 2 /hold | prompt 2 Count. | settles 3 | cancelled | says all done | done 2
            ",
        );
    }
}

#[test]
fn without_promised_words_an_end_does_not_tell_what_the_answer_was_taken_for() {
    for (id, answer, words) in [
        (
            "ACP-ELICIT-RESP-011",
            r#"answer 5 {"action":"decline","content":{"name":"x"}}"#,
            "elicited decline",
        ),
        (
            "ACP-ELICIT-RESP-012",
            r#"answer 5 {"action":"cancel","content":{"name":"x"}}"#,
            "elicited cancel",
        ),
        ("ACP-ELICIT-RESP-014", "decline 5", "elicited decline"),
        ("ACP-ELICIT-RESP-015", "cancel 5", "elicited cancel"),
        (
            "ACP-ELICIT-RESP-016",
            "refuse 5 -32603",
            "elicited error -32603",
        ),
        ("ACP-ELICIT-RESP-020", "answer 5 {}", "invalid answer"),
        ("ACP-ELICIT-RESP-021", "accept 5 {}", "invalid answer"),
        ("ACP-ELICIT-FORM-008", "accept 5 {}", "invalid answer"),
    ] {
        holds(
            id,
            &format!("opened | own-words 2 /elicit form | prompt 2 Ask me. | form 5 | {answer}"),
            &format!(
                r"
                unclear words that nobody promised :: + says Thank you. | done 2 | settled
                upheld  the vocabulary's all the same :: + says {words} | done 2 | settled
                upheld  a failure is told by itself :: + fails 2 -32000 | settled
                "
            ),
        );
        holds(
            id,
            &format!("opened | prompt 2 /elicit form | form 5 | {answer}"),
            "upheld the vocabulary promises to tell :: + says Thank you. | done 2 | settled",
        );
    }
}

#[test]
fn two_turns_of_own_words_are_not_compared() {
    let (omitted, null) = (
        r#"answer 5 {"action":"accept"}"#,
        r#"answer 6 {"action":"accept","content":null}"#,
    );
    for (verdict, prompt) in [
        ("broken", "prompt $ /elicit form"),
        ("unclear", "own-words $ /elicit form | prompt $ Ask me."),
    ] {
        let turn = |id: u8, form: u8, answer: &str, says: &str| {
            let prompt = prompt.replace('$', &id.to_string());
            format!("{prompt} | form {form} | {answer} | says {says} | done {id}")
        };
        let first = turn(2, 5, omitted, "elicited accept");
        let second = turn(3, 6, null, "elicited decline");
        holds(
            "ACP-ELICIT-RESP-010",
            "opened",
            &format!("{verdict} another outcome :: + {first} | {second}"),
        );
    }
}
