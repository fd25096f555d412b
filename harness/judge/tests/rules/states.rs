//! STATE, ELICIT-STATE, PERM and TERM.

use crate::table::{holds, holds_in};

#[test]
fn work_is_reported_running_and_idle() {
    holds(
        "ACP-STATE-001",
        "opened | prompting 2 hi | result 2 {\"messageId\":\"m\"}",
        r#"
        upheld  running, then output :: + state running | says a | state idle end_turn
        broken  output alone :: + says a | state idle end_turn
        silent  no output at all :: + state idle end_turn
        upheld  output that overtook its state :: + says a | state running | state idle end_turn
        silent  a question first :: + form 5 | accept 5 {"name":"x"} | says a | state idle end_turn
        "#,
    );
    holds(
        "ACP-STATE-002",
        "opened | prompt 2 /say hi",
        r#"
        upheld  idle :: + says hi | done 2
        broken  all is said, and running stays :: + says hi | turn-deadline 2
        unclear something else was said :: + says ho | turn-deadline 2
        unclear it waits for us :: + says hi | form 5 | turn-deadline 2
        unclear cancelled as well :: + says hi | cancelled | turn-deadline 2
        unclear background work may have said it :: opened | tool c Work | update {"sessionUpdate":"state_update","state":"idle","background":[{"type":"tool_call","toolCallId":"c"}]} | prompt 2 /say hi | says hi | turn-deadline 2
        "#,
    );
    holds(
        "ACP-STATE-002",
        "opened | prompt 2 hi",
        "unclear a model may still work :: + says hi | turn-deadline 2",
    );
    holds(
        "ACP-STATE-003",
        "opened | prompt 2 hi",
        r"
        upheld  a reason :: + done 2
        broken  none :: + state idle
        silent  after a question it is ELICIT-STATE-017 :: + form 5 | decline 5 | state idle
        silent  a snapshot afterwards :: + form 5 | decline 5 | done 2 | state idle
        unclear another turn runs :: + prompt 3 ho | state idle
        ",
    );
    holds(
        "ACP-ELICIT-STATE-017",
        "opened | prompt 2 hi | form 5 | decline 5",
        r"
        upheld  a reason :: + done 2
        broken  none :: + state idle
        ",
    );
}

#[test]
fn states_have_their_values() {
    for (id, start) in [
        ("ACP-STATE-005", "opened"),
        ("ACP-ELICIT-STATE-015", "opened | prompt 2 hi | form 5"),
    ] {
        holds(
            id,
            start,
            r#"
            upheld  unknown :: + state unknown
            upheld  an extension :: + state _later
            upheld  a null reason :: + update {"sessionUpdate":"state_update","state":"running","stopReason":null}
            broken  a name of its own :: + state busy
            broken  a number :: + update {"sessionUpdate":"state_update","state":1}
            broken  none :: + update {"sessionUpdate":"state_update"}
            broken  a reason with running :: + state running end_turn
            "#,
        );
    }
    holds(
        "ACP-ELICIT-STATE-015",
        "opened | session 9 t | prompt 2 /hold elicit form | form 5",
        r"
        broken  the other session requires action :: + state @t requires_action | settled
        upheld  both do :: + state requires_action | state @t requires_action | settled
        silent  neither does :: + settled
        ",
    );
    holds(
        "ACP-STATE-009",
        "opened | prompt 2 hi",
        r#"
        upheld  an object :: + update {"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":1,"message":"m"}}
        broken  a text :: + update {"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":"m"}
        broken  no code :: + update {"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"message":"m"}}
        silent  none :: + stops 2 error
        silent  null :: + update {"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":null}
        "#,
    );
    holds(
        "ACP-STATE-013",
        "opened | tool c title",
        r#"
        upheld  what was told of :: + update {"sessionUpdate":"state_update","state":"idle","background":[{"type":"tool_call","toolCallId":"c"}]}
        upheld  an extension :: + update {"sessionUpdate":"state_update","state":"idle","background":[{"type":"_x"}]}
        silent  null :: + update {"sessionUpdate":"state_update","state":"idle","background":null}
        broken  unheard of :: + update {"sessionUpdate":"state_update","state":"idle","background":[{"type":"tool_call","toolCallId":"d"}]}
        broken  no list :: + update {"sessionUpdate":"state_update","state":"idle","background":{}}
        broken  no id :: + update {"sessionUpdate":"state_update","state":"idle","background":[{"type":"tool_call"}]}
        broken  once only :: + update {"sessionUpdate":"state_update","state":"idle","background":[]} | state idle
        upheld  taken up once more :: + update {"sessionUpdate":"state_update","state":"idle","background":[]} | ask 9 session/resume {"sessionId":"s","cwd":"/"} | state idle
        upheld  a session from before :: open | init | ask 1 session/resume {"sessionId":"s","cwd":"/"} | update {"sessionUpdate":"state_update","state":"idle","background":[{"type":"tool_call","toolCallId":"d"}]} | result 1 {}
        "#,
    );
}

#[test]
fn a_failure_is_an_idle_with_an_error() {
    holds(
        "ACP-STATE-008",
        "opened | prompt 2 /fail",
        r"
        upheld  error :: + stops 2 error
        broken  an end without a word :: + done 2
        silent  an end with an explanation :: + says The model is away. | done 2
        unclear a refusal :: + stops 2 refusal
        ",
    );
}

#[test]
fn work_that_waits_for_a_permission_requires_action() {
    holds(
        "ACP-STATE-006",
        "opened | prompt 2 /ask permission | permission 5",
        r#"
        upheld  reported :: + state requires_action | settled
        broken  not reported :: + settled
        unclear the answer came at once :: + answer 5 {"outcome":{"outcome":"cancelled"}} | settled
        unclear other output :: + says a | settled
        unclear the fence is older than the question :: opened | prompt 2 /ask permission | fence "f" | ask "f" _elenchus/fence {} | fails "f" -32601 | permission 5 | settled
        upheld  it is reported behind an older fence :: opened | prompt 2 /ask permission | fence "f" | ask "f" _elenchus/fence {} | fails "f" -32601 | permission 5 | settled | state requires_action | settled
        "#,
    );
    holds(
        "ACP-STATE-006",
        "opened | prompt 2 hi | permission 5",
        "unclear other work may go on :: + settled",
    );
    holds(
        "ACP-STATE-007",
        r#"opened | prompt 2 /ask permission | permission 5 | state requires_action | settled | answer 5 {"outcome":{"outcome":"selected","optionId":"allow"}}"#,
        r"
        upheld  running :: + state running | tool c x | done 2
        upheld  running a moment later :: + tool c x | state running | done 2
        upheld  idle at once :: + done 2
        broken  work without it :: + tool c x | done 2
        ",
    );
    holds(
        "ACP-STATE-007",
        r#"opened | prompt 2 hi | permission 5 | state requires_action | settled | answer 5 {"outcome":{"outcome":"selected","optionId":"allow"}}"#,
        r"
        unclear an agent of its own mind :: + tool c x | done 2
        ",
    );
    holds(
        "ACP-STATE-007",
        r#"opened | prompt 2 /ask permission | permission 5 | state requires_action | settled | answer 5 {"outcome":{"outcome":"selected","optionId":"reject"}}"#,
        r"
        unclear a closing word after a rejection :: + says permission reject | done 2
        ",
    );
}

const HELD: &str = "opened | prompt 2 /hold elicit form | form 5";

#[test]
fn work_that_waits_for_the_user_requires_action() {
    holds(
        "ACP-ELICIT-STATE-001",
        HELD,
        r#"
        upheld  reported :: + state requires_action | settled
        broken  not reported :: + settled
        unclear other output :: + says a | settled
        silent  the answer came at once :: + accept 5 {"name":"x"} | settled
        silent  idle is STATE-019 :: + state idle end_turn | settled
        "#,
    );
    holds(
        "ACP-ELICIT-STATE-001",
        "opened | prompt 2 hi | form 5",
        "unclear other work may go on :: + settled",
    );
    holds(
        "ACP-ELICIT-STATE-002",
        &format!("{HELD} | state requires_action | settled"),
        r#"
        upheld  running :: + accept 5 {"name":"x"} | state running | says a | done 2
        broken  work without it :: + accept 5 {"name":"x"} | says a | done 2
        upheld  idle at once :: + accept 5 {"name":"x"} | done 2
        unclear a closing word after a decline :: + decline 5 | says a | done 2
        "#,
    );
    holds(
        "ACP-ELICIT-STATE-002",
        &format!("{HELD} | settled"),
        r#"
        silent  requires_action was never reported :: + accept 5 {"name":"x"} | says a | done 2
        "#,
    );
    holds(
        "ACP-ELICIT-STATE-003",
        &format!("{HELD} | state requires_action"),
        r#"
        upheld  idle :: + decline 5 | done 2
        upheld  running :: + cancel 5 | state running
        upheld  another question :: + decline 5 | form 6
        broken  nothing :: + decline 5 | turn-deadline 2
        broken  nothing after a cancellation, and the answer :: + cancelled | refuse 5 -32800 | turn-deadline 2
        unclear an agent that waits for its answer :: + cancelled | turn-deadline 2
        unclear an answer that it may take for none :: + C {"jsonrpc":"2.0","id":5,"error":{}} | turn-deadline 2
        silent  an accept :: + accept 5 {"name":"x"} | turn-deadline 2
        "#,
    );
    holds(
        "ACP-ELICIT-STATE-019",
        HELD,
        r#"
        broken  idle, and the work goes on :: + state idle end_turn | settled | accept 5 {"name":"x"} | says a
        silent  the turn really ended :: + state idle end_turn | settled | accept 5 {"name":"x"} | settled
        upheld  not idle :: + state requires_action | settled | accept 5 {"name":"x"} | state running | says a | done 2
        silent  declined :: + state idle end_turn | decline 5 | says a
        "#,
    );
    holds(
        "ACP-ELICIT-STATE-016",
        r#"opened | prompting 2 /hold elicit form | result 2 {"messageId":"m"} | form 5"#,
        r#"
        broken  never reported :: + accept 5 {"name":"x"} | says a | state idle end_turn
        upheld  requires_action :: + state requires_action | accept 5 {"name":"x"} | says a | state idle end_turn
        upheld  running :: + accept 5 {"name":"x"} | state running | says a | state idle end_turn
        "#,
    );
    holds(
        "ACP-ELICIT-STATE-016",
        r#"opened | prompting 2 hi | result 2 {"messageId":"m"} | says a | form 5"#,
        r"
        silent  it spoke first :: + decline 5 | state idle end_turn
        ",
    );
}

#[test]
fn questions_outside_the_foreground_change_no_state() {
    let start = r#"opened | prompt 2 /elicit background | tool c work | update {"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"tool_call","toolCallId":"c"}]} | form 5"#;
    holds(
        "ACP-ELICIT-STATE-006",
        start,
        r#"
        upheld  idle stays :: + accept 5 {"name":"x"} | settled
        broken  requires_action :: + state requires_action
        silent  a new turn begins :: + prompt 3 hi | state requires_action
        upheld  a snapshot :: + state idle | accept 5 {"name":"x"} | settled
        "#,
    );
    holds(
        "ACP-ELICIT-STATE-006",
        "opened | prompt 2 hi | done 2 | form 5",
        "unclear nobody calls it background :: + state requires_action",
    );
    holds(
        "ACP-ELICIT-STATE-007",
        r#"opened | prompt 2 hi | done 2 | ask 3 session/new {"cwd":"/"} | create 5 {"requestId":3,"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}"#,
        r"
        upheld  nothing :: + accept 5 {} | settled
        broken  the last session :: + state requires_action
        silent  a prompt comes in between :: + prompt 4 hi | state requires_action
        ",
    );
    holds(
        "ACP-ELICIT-STATE-007",
        r#"opened | prompt 2 hi | ask 3 session/new {"cwd":"/"} | create 5 {"requestId":3,"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}"#,
        r"
        silent  a turn is running :: + state requires_action
        ",
    );
}

#[test]
fn several_questions_are_one_state() {
    let start = "opened | prompt 2 /elicit twice | form 5 | form 6 | state requires_action";
    holds(
        "ACP-ELICIT-STATE-008",
        start,
        r#"
        upheld  one state :: + accept 5 {"name":"x"} | accept 6 {"name":"x"} | state running | done 2
        upheld  a snapshot more :: + accept 5 {"name":"x"} | state requires_action | accept 6 {"name":"x"} | state running | done 2
        broken  a state for each :: + accept 5 {"name":"x"} | state running | state requires_action | accept 6 {"name":"x"} | state running | done 2
        unclear it worked in between :: + accept 5 {"name":"x"} | state running | says a | state requires_action | accept 6 {"name":"x"} | state running | done 2
        silent  cancelled before the answers :: + cancelled | stops 2 cancelled
        "#,
    );
    holds(
        "ACP-ELICIT-STATE-010",
        &format!(r#"{start} | accept 5 {{"name":"x"}}"#),
        r#"
        upheld  requires_action stays :: + settled | accept 6 {"name":"x"} | state running | done 2
        broken  running, and nothing goes on :: + state running | settled | accept 6 {"name":"x"} | done 2
        upheld  it reverts :: + state running | state requires_action | settled | accept 6 {"name":"x"} | done 2
        unclear the answers came together :: + state running | accept 6 {"name":"x"} | done 2
        unclear it goes on with the first :: + state running | says a | settled | accept 6 {"name":"x"} | done 2
        "#,
    );
}

#[test]
fn what_advances_is_running() {
    let start = r#"opened | update {"sessionUpdate":"state_update","state":"idle","background":[{"type":"tool_call","toolCallId":"b"}]} | prompt 2 hi | form 5 | update {"sessionUpdate":"state_update","state":"requires_action","background":[{"type":"tool_call","toolCallId":"b"}]}"#;
    let advance = |id: &str| {
        format!(
            r#"update {{"sessionUpdate":"tool_call_update","toolCallId":"{id}","status":"in_progress"}}"#
        )
    };
    let four = |id: &str| [advance(id), advance(id), advance(id), advance(id)].join(" | ");
    holds(
        "ACP-ELICIT-STATE-009",
        &format!("{start} | {}", four("c")),
        "broken  another tool call advances :: + settled",
    );
    holds(
        "ACP-ELICIT-STATE-009",
        &format!("{start} | {}", four("b")),
        "upheld  background work does :: + decline 5",
    );
    holds(
        "ACP-ELICIT-STATE-009",
        &format!("{start} | {}", advance("c")),
        "upheld  one that was on its way :: + decline 5",
    );
    holds(
        "ACP-ELICIT-STATE-009",
        &format!(
            "opened | prompt 2 hi | form 5 | state requires_action | {}",
            four("c")
        ),
        "silent  no list of background work :: + decline 5",
    );
}

const PAGE: &str =
    "opened | prompt 2 /elicit url-wait | url 5 | state requires_action | settled | accept 5";
const COMPLETE: &str =
    r#"S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}}"#;

const OTHER: &str =
    r#"S {"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"f"}}"#;

#[test]
fn consent_to_a_page_is_no_visit() {
    holds("ACP-ELICIT-STATE-011", PAGE, &format!("
        upheld  still stuck until the visit :: + settled | {COMPLETE} | state running | says a | done 2
        broken  running at the consent :: + state running | settled | {COMPLETE} | says a | done 2
        unclear the visit came at once :: + state running | {COMPLETE} | says a | done 2
        silent  the work went on without it :: + state running | says a | settled | {COMPLETE}
        silent  the page of another question :: + state running | settled | {OTHER} | says a | done 2
        "));
    let other_agent = PAGE.replace("/elicit url-wait", "Sign in");
    holds(
        "ACP-ELICIT-STATE-011",
        &other_agent,
        &format!(
            "
        unclear an agent may go on without a word :: + state running | settled | {COMPLETE} | says a | done 2
        upheld  still stuck until the visit :: + settled | {COMPLETE} | state running | says a | done 2
        "
        ),
    );
    holds(
        "ACP-ELICIT-STATE-012",
        PAGE,
        &format!(
            "
        upheld  running :: + {COMPLETE} | state running | says a | done 2
        broken  no running :: + says a | done 2
        silent  a completion instead is STATE-013 :: + {COMPLETE} | says a | done 2
        upheld  idle at once :: + done 2
        "
        ),
    );
    holds(
        "ACP-ELICIT-STATE-013",
        PAGE,
        &format!(
            "
        upheld  running as well :: + {COMPLETE} | state running | says a | done 2
        broken  a completion instead :: + {COMPLETE} | says a | done 2
        silent  no completion :: + says a | done 2
        "
        ),
    );
}

#[test]
fn permission_requests_have_their_shape() {
    let good = r#"{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"a","name":"A","kind":"allow_once"}]}"#;
    let ask = |params: &str| {
        format!(
            r#"S {{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{params}}}"#
        )
    };
    let row = |verdict: &str, params: &str| format!("{verdict} {params} :: + {}", ask(params));
    holds("ACP-PERM-001", "opened", &row("upheld", good));
    holds(
        "ACP-PERM-001",
        "opened",
        &row("broken", &good.replace("toolCallId", "id")),
    );
    holds(
        "ACP-PERM-001",
        "opened",
        &row("broken", r#"{"sessionId":"s","title":"t","options":[]}"#),
    );
    holds(
        "ACP-PERM-001",
        "opened",
        &row(
            "upheld",
            &good.replace(r#""kind":"allow_once""#, r#""kind":5"#),
        ),
    );
    let good2 = good.replace(
        r#""toolCall":{"toolCallId":"c"}"#,
        r#""title":"t","subject":{"type":"tool_call","toolCall":{"toolCallId":"c"}}"#,
    );
    holds("ACP-PERM-002", "opened", &row("upheld", &good2));
    holds(
        "ACP-PERM-002",
        "opened",
        &row("upheld", &good2.replace(r#""title":"t""#, r#""title":"""#)),
    );
    holds("ACP-PERM-002", "opened", &row("broken", good));
    holds(
        "ACP-PERM-002",
        "opened",
        &row(
            "broken",
            &good2.replace(r#""type":"tool_call""#, r#""type":"file""#),
        ),
    );
    holds(
        "ACP-PERM-002",
        "opened",
        &row(
            "upheld",
            &good2.replace(r#""type":"tool_call""#, r#""type":"_file""#),
        ),
    );
    for (version, good) in [("v1", good), ("v2", good2.as_str())] {
        for (id, verdict, options) in [
            ("ACP-PERM-003", "broken", "[]"),
            (
                "ACP-PERM-003",
                "broken",
                r#"[{"optionId":"a","name":"A","kind":"allow_once"},{"optionId":"a","name":"B","kind":"reject_once"}]"#,
            ),
            (
                "ACP-PERM-003",
                "broken",
                r#"[{"optionId":"a","kind":"allow_once"}]"#,
            ),
            ("ACP-PERM-003", "broken", r#"[{"optionId":"a","name":"A"}]"#),
            (
                "ACP-PERM-003",
                "upheld",
                r#"[{"optionId":"a","name":"A","kind":"allow"}]"#,
            ),
            (
                "ACP-PERM-004",
                "broken",
                r#"[{"optionId":"a","name":"A","kind":"allow"}]"#,
            ),
            (
                "ACP-PERM-004",
                "upheld",
                r#"[{"optionId":"a","name":"A","kind":"reject_always"}]"#,
            ),
            (
                "ACP-PERM-004",
                "silent",
                r#"[{"optionId":"a","name":"A","kind":"AllowOnce"}]"#,
            ),
        ] {
            let params = good.replace(
                r#"[{"optionId":"a","name":"A","kind":"allow_once"}]"#,
                options,
            );
            holds_in(version, id, "opened", &row(verdict, &params));
        }
        holds_in(version, "ACP-PERM-005", "opened", &row("upheld", good));
        holds_in(
            version,
            "ACP-PERM-005",
            "opened",
            &row(
                "broken",
                &good.replace(r#""sessionId":"s""#, r#""sessionId":"x""#),
            ),
        );
        holds_in(
            version,
            "ACP-PERM-005",
            r#"opened | ask 3 session/prompt {"sessionId":"x","prompt":[]}"#,
            &row(
                "unclear",
                &good.replace(r#""sessionId":"s""#, r#""sessionId":"x""#),
            ),
        );
    }
    for (verdict, cwd) in [
        ("upheld", "/a"),
        ("upheld", "C:\\\\a"),
        ("upheld", "\\\\\\\\host\\\\a"),
        // A relative one is SESSION-007's.
        ("upheld", "a"),
    ] {
        let command = format!(r#"{{"type":"command","command":"ls","cwd":"{cwd}"}}"#);
        let params = good2.replace(
            r#"{"type":"tool_call","toolCall":{"toolCallId":"c"}}"#,
            &command,
        );
        holds("ACP-PERM-006", "opened", &row(verdict, &params));
    }
    let params = good2.replace(
        r#"{"type":"tool_call","toolCall":{"toolCallId":"c"}}"#,
        r#"{"type":"command","cwd":"/"}"#,
    );
    holds("ACP-PERM-006", "opened", &row("broken", &params));
}

/// A turn that asks for a permission about the call `c`, in the words of a version.
fn asking(version: &str) -> String {
    let about = match version {
        "v1" => r#""toolCall":{"toolCallId":"c"}"#,
        _ => r#""title":"t","subject":{"type":"tool_call","toolCall":{"toolCallId":"c"}}"#,
    };
    format!(
        r#"opened | prompt 2 /ask permission | tool c x | S {{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{{"sessionId":"s",{about},"options":[{{"optionId":"yes","name":"A","kind":"allow_once"}},{{"optionId":"no","name":"B","kind":"reject_once"}},{{"optionId":"odd","name":"C","kind":"_odd"}}]}}}}"#
    )
}

const RAN: &str =
    r#"update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}"#;

#[test]
fn nothing_but_an_approval_approves() {
    for version in ["v1", "v2"] {
        for (id, answer) in [
            (
                "ACP-PERM-009",
                r#"answer 5 {"outcome":{"outcome":"selected","optionId":"no"}}"#,
            ),
            (
                "ACP-PERM-010",
                r#"answer 5 {"outcome":{"outcome":"cancelled"}}"#,
            ),
            ("ACP-PERM-010", "refuse 5 -32603"),
            (
                "ACP-PERM-011",
                r#"answer 5 {"outcome":{"outcome":"_later"}}"#,
            ),
            (
                "ACP-PERM-011",
                r#"answer 5 {"outcome":{"outcome":"selected","optionId":"other"}}"#,
            ),
            (
                "ACP-PERM-011",
                r#"answer 5 {"outcome":{"outcome":"selected","optionId":"odd"}}"#,
            ),
        ] {
            if version == "v1" && id == "ACP-PERM-011" {
                continue;
            }
            let start = format!("{} | {answer}", asking(version));
            holds_in(
                version,
                id,
                &start,
                &format!(
                    "
                broken  the call is completed :: + {RAN} | done 2
                broken  the agent says that it was allowed :: + says permission yes | done 2
                upheld  nothing of it :: + says permission no | done 2
                "
                ),
            );
        }
        // The next turn has a permission of its own, and the first was over.
        let next = format!("{} | cancelled | prompt 3 /ask permission", asking(version));
        holds_in(
            version,
            "ACP-PERM-010",
            &next,
            r#"upheld  what the next turn was allowed :: + answer 5 {"outcome":{"outcome":"cancelled"}} | stops 2 cancelled | says permission yes | done 3"#,
        );
        let model = asking(version).replace("/ask permission", "hi");
        let no = r#"answer 5 {"outcome":{"outcome":"selected","optionId":"no"}}"#;
        holds_in(
            version,
            "ACP-PERM-009",
            &format!("{model} | {no}"),
            &format!("unclear an agent that closes its calls so :: + {RAN} | done 2"),
        );
        holds_in(
            version,
            "ACP-PERM-010",
            &asking(version),
            &format!(
                "
            broken  the client goes away :: + eof C | {RAN} | exit 0 close
            upheld  and nothing happens :: + eof C | exit 0 close
            "
            ),
        );
        let yes = r#"answer 5 {"outcome":{"outcome":"selected","optionId":"yes"}}"#;
        holds_in(
            version,
            "ACP-PERM-009",
            &format!("{} | {yes}", asking(version)),
            &format!("silent  allowed :: + {RAN} | done 2"),
        );
        holds_in(
            version,
            "ACP-PERM-012",
            &format!("{} | {yes}", asking(version)),
            "
            upheld  the turn ends :: + done 2
            upheld  the turn fails :: + fails 2 -32603
            broken  it hangs :: + turn-deadline 2
            broken  the process ends :: + exit 1 nothing
            unclear it asks again :: + permission 6 | turn-deadline 2
            ",
        );
        holds_in(
            version,
            "ACP-PERM-012",
            &asking(version),
            r#"silent  an error without a code is no answer :: + C {"jsonrpc":"2.0","id":5,"error":{}} | turn-deadline 2"#,
        );
        holds_in(
            version,
            "ACP-PERM-012",
            &format!("{model} | {yes}"),
            "unclear a model may work on :: + turn-deadline 2",
        );
    }
}

#[test]
fn answers_go_to_their_own_requests() {
    for version in ["v1", "v2"] {
        let second = asking(version)
            .replace("opened | prompt 2 ", "prompt 3 @t ")
            .replace(r#""id":5"#, r#""id":6"#)
            .replace(r#""sessionId":"s""#, r#""sessionId":"t""#)
            .replace("tool c x", "tool @t c x");
        let start = format!("{} | session 9 t | {second}", asking(version));
        holds_in(
            version,
            "ACP-PERM-016",
            &start,
            &format!(
                r#"
            upheld  matched :: + answer 6 {{"outcome":{{"outcome":"selected","optionId":"yes"}}}} | answer 5 {{"outcome":{{"outcome":"selected","optionId":"no"}}}} | says permission no | done 2
            broken  mixed up :: + answer 6 {{"outcome":{{"outcome":"selected","optionId":"yes"}}}} | answer 5 {{"outcome":{{"outcome":"selected","optionId":"no"}}}} | {RAN} | says permission yes | done 2
            silent  one was cancelled :: + answer 6 {{"outcome":{{"outcome":"cancelled"}}}} | answer 5 {{"outcome":{{"outcome":"cancelled"}}}} | done 2
            "#
            ),
        );
    }
}

const WITH_TERMINAL: &str = r#"open | ask 0 initialize {"protocolVersion":1,"clientCapabilities":{"terminal":true}} | result 0 {"protocolVersion":1} | session"#;

#[test]
fn terminals_are_used_where_they_are_offered_and_released() {
    let create = r#"S {"jsonrpc":"2.0","id":5,"method":"terminal/create","params":{"sessionId":"s","command":"ls"}}"#;
    let release = r#"S {"jsonrpc":"2.0","id":7,"method":"terminal/release","params":{"sessionId":"s","terminalId":"t"}}"#;
    let output = r#"S {"jsonrpc":"2.0","id":8,"method":"terminal/output","params":{"sessionId":"s","terminalId":"t"}}"#;
    let wait = r#"S {"jsonrpc":"2.0","id":6,"method":"terminal/wait_for_exit","params":{"sessionId":"s","terminalId":"t"}}"#;
    holds(
        "ACP-TERM-001",
        "opened | prompt 2 hi",
        &format!(
            "
        broken  not offered :: + {create}
        upheld  none used :: + done 2 | settled
        upheld  offered :: {WITH_TERMINAL} | {create}
        "
        ),
    );
    holds(
        "ACP-TERM-013",
        "opened | prompt 2 hi",
        &format!(
            "
        broken  the client of v2 has none :: + {create}
        upheld  none used :: + done 2 | settled
        "
        ),
    );
    holds(
        "ACP-TERM-002",
        WITH_TERMINAL,
        &format!(
            r#"
        upheld  a command :: + {create}
        broken  a list :: + {}
        broken  no terminal :: + S {{"jsonrpc":"2.0","id":7,"method":"terminal/kill","params":{{"sessionId":"s"}}}}
        "#,
            create.replace(r#""ls""#, r#"["ls"]"#)
        ),
    );
    let answered = format!(r#"{create} | answer 5 {{"terminalId":"t"}}"#);
    holds(
        "ACP-TERM-003",
        &format!("{WITH_TERMINAL} | prompt 2 /tool | {answered}"),
        &format!(
            "
        upheld  released :: + {release} | done 2
        upheld  released after the end of the turn :: + done 2 | {release} | settled
        broken  not released :: + done 2 | settled
        unclear the turn goes on :: + settled
        unclear cut short before it came to that :: + cancelled | stops 2 cancelled | settled
        unclear failed before it came to that :: + fails 2 -32603 | settled
        unclear it may be that of another turn :: + prompt 3 hi | done 2 | done 3 | settled
        "
        ),
    );
    holds(
        "ACP-TERM-003",
        &format!("{WITH_TERMINAL} | own-words 2 /tool | prompt 2 Run ls | {answered}"),
        "unclear a prompt in words of the author's own :: + done 2 | settled",
    );
    holds(
        "ACP-TERM-003",
        &format!("{WITH_TERMINAL} | prompt 2 hi | {answered}"),
        &format!(
            r#"
        unclear an agent may still need it :: + done 2 | settled
        unclear to read its output in another turn :: + {wait} | answer 6 {{"exitCode":0}} | done 2 | settled | prompt 3 more | {output} | done 3 | settled
        upheld  released once the session is closed :: + {wait} | answer 6 {{"exitCode":0}} | done 2 | ask 9 session/close {{"sessionId":"s"}} | result 9 {{}} | {release} | settled
        broken  killed, and the session is closed :: + S {{"jsonrpc":"2.0","id":6,"method":"terminal/kill","params":{{"sessionId":"s","terminalId":"t"}}}} | answer 6 {{}} | done 2 | ask 9 session/close {{"sessionId":"s"}} | result 9 {{}} | settled
        broken  its end was read, and the session is closed :: + {output} | answer 8 {{"output":"","truncated":false,"exitStatus":{{"exitCode":0}}}} | done 2 | ask 9 session/close {{"sessionId":"s"}} | result 9 {{}} | settled
        unclear it was running when last seen :: + {output} | answer 8 {{"output":"","truncated":false,"exitStatus":null}} | done 2 | ask 9 session/close {{"sessionId":"s"}} | result 9 {{}} | settled
        unclear the session was not closed :: + {wait} | answer 6 {{"exitCode":0}} | done 2 | ask 9 session/close {{"sessionId":"s"}} | fails 9 -32603 | settled
        broken  exited, and the session is closed :: + {wait} | answer 6 {{"exitCode":0}} | done 2 | ask 9 session/close {{"sessionId":"s"}} | result 9 {{}} | settled
        unclear it still runs :: + done 2 | ask 9 session/close {{"sessionId":"s"}} | result 9 {{}} | settled
        "#
        ),
    );
    holds(
        "ACP-TERM-004",
        &format!("{WITH_TERMINAL} | prompt 2 hi | {answered}"),
        &format!(
            r#"
        upheld  released last :: + {output} | {release} | settled
        broken  used after it :: + {release} | {output}
        broken  released twice :: + {release} | {}
        upheld  the client gives the id out again :: + {release} | {} | answer 9 {{"terminalId":"t"}} | {output}
        silent  never released :: + {output}
        "#,
            release.replace(":7,", ":11,"),
            create.replace(":5,", ":9,")
        ),
    );
}
