//! ELICIT-STATE and ELICIT-CANCEL-011.

use crate::clients::holds;

#[test]
fn a_state_that_is_repeated_changes_nothing() {
    holds(
        "ACP-ELICIT-STATE-018",
        r#"serves | answers ["idle"] | form 7 | state requires_action | calm 9 | state requires_action"#,
        r#"
        upheld  nothing :: + calm 10
        broken  a question is answered :: + cancel 7
        broken  something is cancelled :: + cancelled
        broken  a prompt is sent :: + ask 5 session/prompt {"sessionId":"s","prompt":[]}
        unclear something else came too :: + form 8 | cancel 8
        silent  another state :: serves | state requires_action | calm 9 | state running | cancelled
        silent  too soon to tell :: serves | state requires_action | state requires_action | cancelled
        "#,
    );
}

#[test]
fn an_old_cancellation_cancels_nothing() {
    holds(
        "ACP-ELICIT-CANCEL-011",
        r#"serves | answers ["idle","idle"] | stops 2 cancelled | form 7 | calm 9 | state idle cancelled"#,
        r#"
        upheld  left open :: + calm 10
        broken  cancelled :: + cancel 7
        silent  another reason :: serves | answers ["idle"] | done 2 | form 7 | calm 9 | state idle end_turn | cancel 7
        silent  asked after :: serves | answers ["idle"] | stops 2 cancelled | calm 9 | form 7 | state idle cancelled | cancel 7
        "#,
    );
}
