//! PROMPT and CONTENT.

use crate::table::{holds, holds_in};

const LINK: &str = r#"opened | ask 2 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"hi"},{"type":"resource_link","uri":"file:///a","name":"a"}]}"#;

#[test]
fn every_agent_takes_links() {
    holds(
        "ACP-PROMPT-001",
        LINK,
        r#"
        upheld  accepted :: + result 2 {"stopReason":"end_turn","messageId":"m"}
        broken  refused as invalid :: + fails 2 -32602
        unclear a login is needed :: + fails 2 -32000
        unclear an internal error :: + fails 2 -32603
        silent  not answered :: + settled
        silent  an unknown session :: opened | ask 2 session/prompt {"sessionId":"t","prompt":[{"type":"resource_link","uri":"file:///a","name":"a"}]} | fails 2 -32602
        silent  a block that is not of its shape :: opened | ask 2 session/prompt {"sessionId":"s","prompt":[{"type":"resource_link","uri":"file:///a"}]} | fails 2 -32602
        silent  text alone :: opened | prompting 2 hi | fails 2 -32602
        "#,
    );
}

#[test]
fn a_turn_of_version_1_ends_for_a_reason() {
    holds(
        "ACP-PROMPT-002",
        "opened | prompt 2 hi",
        r#"
        upheld  a reason :: + done 2
        broken  an empty result :: + result 2 {}
        broken  a null result :: + result 2 null
        broken  a null reason :: + result 2 {"stopReason":null}
        silent  an error :: + fails 2 -32603
        silent  a misspelt member is JSONRPC-022 :: + result 2 {"stop_reason":"end_turn"}
        "#,
    );
    holds(
        "ACP-PROMPT-003",
        "opened | prompt 2 hi",
        r#"
        upheld  refusal :: + stops 2 refusal
        broken  a reason of its own :: + stops 2 _done
        broken  a number :: + result 2 {"stopReason":5}
        silent  none at all :: + result 2 {}
        "#,
    );
}

#[test]
fn a_turn_of_version_1_says_all_before_its_answer() {
    holds(
        "ACP-PROMPT-004",
        "opened | prompt 2 hi | says a",
        r#"
        upheld  nothing follows :: + done 2 | settled
        upheld  housekeeping follows :: + done 2 | S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"t"}}} | settled
        broken  a chunk :: + done 2 | says b
        broken  a tool call :: + done 2 | tool c x
        silent  the chunk belongs to the next turn :: + done 2 | prompt 3 hi | says b
        upheld  a replay :: + done 2 | ask 3 session/load {"sessionId":"s","cwd":"/"} | says a | result 3 null | settled
        silent  a cancelled turn has its own clause :: + cancelled | stops 2 cancelled | says b | settled
        silent  a failed turn :: + fails 2 -32603 | says b
        unclear the trace was cut :: + done 2
        "#,
    );
}

#[test]
fn two_prompts_are_both_answered() {
    let id = "ACP-PROMPT-006";
    holds_in(
        "v1",
        id,
        "opened | prompt 2 hi | prompt 3 ho",
        r#"
        upheld  one after the other :: + done 2 | done 3
        upheld  the second is refused :: + fails 3 -32600 | done 2
        broken  the process ends :: opened | prompt 2 hi | settles "f" | prompt 3 ho | exit 1 nothing
        unclear the first prompt may have ended it :: + exit 1 nothing
        unclear it ends in every turn :: + no-turn | exit 1 nothing
        upheld  a model may work on :: + done 2 | deadline 3
        unclear the agent asks :: + form 5 | deadline 2
        broken  a later prompt was answered, and this one not :: + done 3 | prompt 4 ha | done 4 | deadline 2
        "#,
    );
    holds_in(
        "v1",
        id,
        "opened | prompt 2 /say a | prompt 3 /say b",
        r#"
        broken  an agent that does as told :: + done 2 | deadline 3
        upheld  the session is closed :: + ask 4 session/close {"sessionId":"s"} | done 2 | deadline 3
        upheld  it goes on until it is cancelled :: opened | prompt 2 hi | prompt 3 /hold | done 2 | deadline 3
        unclear it waits behind one that goes on until it is cancelled :: opened | prompt 2 /hold | prompt 3 /say b | deadline 3
        upheld  it goes on until its page is visited :: opened | prompt 2 hi | prompt 3 /elicit url-wait | done 2 | deadline 3
        upheld  a model works on, and the next is refused :: opened | prompt 2 hi | prompt 3 ho | fails 3 -32600 | deadline 2
        "#,
    );
    holds_in(
        "v2",
        id,
        r#"opened | prompting 2 /say a | prompting 3 /hold | result 2 {"messageId":"a"} | state running | state idle"#,
        r#"
        upheld  it waits behind one that goes on :: + result 3 {"messageId":"b"} | state running | prompting 4 /say b | deadline 4
        "#,
    );
    holds(
        id,
        "opened | prompt 2 hi",
        r"
        silent  one after the other :: + done 2 | prompt 3 ho | deadline 3
        silent  in two sessions :: + session 4 t | prompting 3 @t ho | deadline 3
        ",
    );
}

#[test]
fn an_empty_prompt_hangs_nobody() {
    holds(
        "ACP-PROMPT-018",
        r#"opened | ask 2 session/prompt {"sessionId":"s","prompt":[]}"#,
        r#"
        upheld  refused :: + fails 2 -32602
        upheld  an empty turn :: + result 2 {"stopReason":"end_turn","messageId":"m"} | settled
        broken  the process ends :: + exit 101 nothing
        unclear it ends in every turn :: + no-turn | exit 101 nothing
        broken  silence, and the fence is answered :: + fence "f" | ask "f" _elenchus/fence {} | fails "f" -32601 | deadline 2
        unclear no prompt is ever answered :: + no-turn | fence "f" | ask "f" _elenchus/fence {} | fails "f" -32601 | deadline 2
        upheld  answered all the same :: + no-turn | fails 2 -32602
        unclear the agent does something :: + says a | fence "f" | ask "f" _elenchus/fence {} | fails "f" -32601 | deadline 2
        unclear nothing was read :: + deadline 2
        silent  a prompt with a block :: opened | prompting 2 hi | exit 1 nothing
        silent  no session at all :: opened | ask 2 session/prompt {"sessionId":5,"prompt":[]} | exit 1 nothing
        "#,
    );
}

const PICTURE: &str = r#"{"type":"image","mimeType":"image/png","data":"iVBORw0KGgoAAAAN"}"#;

fn with_pictures(version: &str) -> String {
    if version == "v1" {
        r#"open | ask 0 initialize {"protocolVersion":1} | result 0 {"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"image":true}}} | session"#.to_owned()
    } else {
        r#"open | ask 0 initialize {"protocolVersion":2} | result 0 {"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"prompt":{"image":{}}}}} | session"#.to_owned()
    }
}

fn ask(block: &str) -> String {
    format!(
        r#"ask 2 session/prompt {{"sessionId":"s","prompt":[{{"type":"text","text":"look"}},{block}]}}"#
    )
}

#[test]
fn advertised_blocks_are_taken_and_others_survived() {
    for version in ["v1", "v2"] {
        let start = format!("{} | {}", with_pictures(version), ask(PICTURE));
        holds_in(
            version,
            "ACP-PROMPT-021",
            &start,
            r#"
            upheld  accepted :: + result 2 {"stopReason":"end_turn","messageId":"m"}
            broken  refused as invalid :: + fails 2 -32602
            unclear the model cannot see :: + fails 2 -32603
            "#,
        );
        let accepted =
            r#"silent  accepted :: + result 2 {"stopReason":"end_turn","messageId":"m"}"#;
        holds_in(version, "ACP-PROMPT-022", &start, accepted);
        let start = format!("opened | {}", ask(PICTURE));
        holds_in(
            version,
            "ACP-PROMPT-021",
            &start,
            "silent  not advertised :: + fails 2 -32602",
        );
        holds_in(
            version,
            "ACP-PROMPT-022",
            &start,
            r#"
            upheld  processed all the same :: + result 2 {"stopReason":"end_turn","messageId":"m"} | settled
            upheld  refused :: + fails 2 -32602
            broken  the process ends :: + exit 1 nothing
            unclear it ends in every turn :: + no-turn | exit 1 nothing
            "#,
        );
        let damaged = PICTURE.replace("iVBOR", "AAAAA");
        let start = format!("{} | {}", with_pictures(version), ask(&damaged));
        holds_in(
            version,
            "ACP-PROMPT-021",
            &start,
            "silent  no picture :: + fails 2 -32602",
        );
        holds_in(
            version,
            "ACP-CONTENT-008",
            &start,
            r#"
            upheld  refused :: + fails 2 -32602
            upheld  handled :: + result 2 {"stopReason":"end_turn","messageId":"m"} | settled
            broken  the process ends :: + exit 1 nothing
            "#,
        );
    }
    let start = format!("opened | {}", ask(r#"{"type":"_elenchus"}"#));
    holds_in(
        "v2",
        "ACP-PROMPT-022",
        &start,
        r#"
        upheld  refused as invalid :: + fails 2 -32602
        broken  refused otherwise :: + fails 2 -32603
        broken  accepted :: + result 2 {"messageId":"m"} | settled
        unclear a login is needed :: + fails 2 -32000
        "#,
    );
    holds_in(
        "v1",
        "ACP-PROMPT-022",
        &start,
        r#"upheld  accepted :: + result 2 {"stopReason":"end_turn"}"#,
    );
}

#[test]
fn updates_have_their_shape() {
    holds(
        "ACP-PROMPT-023",
        "opened",
        r#"
        upheld  a message :: + says a
        broken  no session :: + S {"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"session_info_update"}}}
        broken  no update :: + S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}}
        broken  no params :: + S {"jsonrpc":"2.0","method":"session/update"}
        broken  a session that is a number :: + S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":5,"update":{"sessionUpdate":"session_info_update"}}}
        upheld  a number that was the client's :: + ask 2 session/prompt {"sessionId":5,"prompt":[]} | S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":5,"update":{"sessionUpdate":"session_info_update"}}}
        broken  another number :: + ask 2 session/prompt {"sessionId":5,"prompt":[]} | S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":6,"update":{"sessionUpdate":"session_info_update"}}}
        broken  a kind that is a number :: + update {"sessionUpdate":5}
        upheld  an unknown kind has a clause of its own :: + update {"sessionUpdate":"new_kind"}
        upheld  so has a misspelt member :: + S {"jsonrpc":"2.0","method":"session/update","params":{"session_id":"s","update":{"sessionUpdate":"session_info_update"}}}
        upheld  so have blocks :: + update {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text"}}
        "#,
    );
    holds(
        "ACP-PROMPT-026",
        "opened",
        r#"
        upheld  no cost :: + update {"sessionUpdate":"usage_update","used":1,"size":2}
        upheld  a null cost :: + update {"sessionUpdate":"usage_update","used":0,"size":2,"cost":null}
        broken  a null size :: + update {"sessionUpdate":"usage_update","used":1,"size":null}
        broken  a negative number :: + update {"sessionUpdate":"usage_update","used":-1,"size":2}
        broken  no currency :: + update {"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":1}}
        silent  none at all :: + says a
        "#,
    );
    holds(
        "ACP-PROMPT-025",
        "opened",
        r#"
        upheld  a string :: + update {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"a"}}
        broken  a number :: + update {"sessionUpdate":"agent_message_chunk","messageId":1,"content":{"type":"text","text":"a"}}
        silent  null :: + update {"sessionUpdate":"agent_message_chunk","messageId":null,"content":{"type":"text","text":"a"}}
        "#,
    );
    holds(
        "ACP-PROMPT-027",
        "opened | prompt 2 hi",
        r#"
        upheld  nothing of the kind :: + says a | done 2 | settled
        broken  a notice :: + update {"sessionUpdate":"notice","severity":"info","title":"t"}
        upheld  a client that advertises notices :: open | ask 0 initialize {"protocolVersion":1,"clientCapabilities":{"session":{"notices":{}}}} | result 0 {"protocolVersion":1} | session | update {"sessionUpdate":"notice","severity":"info","title":"t"}
        broken  a null is no advertisement :: open | ask 0 initialize {"protocolVersion":1,"clientCapabilities":{"session":{"notices":null}}} | result 0 {"protocolVersion":1} | session | update {"sessionUpdate":"notice","severity":"info","title":"t"}
        "#,
    );
}

#[test]
fn a_prompt_of_version_2_is_answered_at_once() {
    holds(
        "ACP-PROMPT-007",
        "opened | prompting 2 hi | state running",
        r#"
        upheld  before the end :: + result 2 {"messageId":"m"}
        broken  after the end of work that waited for us :: + form 5 | decline 5 | state idle end_turn | result 2 {"messageId":"m"}
        silent  after the end of a short turn :: + state idle end_turn | result 2 {"messageId":"m"}
        upheld  after the end of the turn before :: opened | prompt 9 hi | prompting 2 hi | state running | form 5 | decline 5 | state idle end_turn | result 2 {"messageId":"m"} | done 2
        silent  refused :: + fails 2 -32602
        "#,
    );
    holds(
        "ACP-PROMPT-009",
        "opened | prompting 2 hi",
        r#"
        upheld  a string :: + result 2 {"messageId":"m"}
        upheld  an empty one is only remarked on :: + result 2 {"messageId":""}
        broken  null :: + result 2 {"messageId":null}
        broken  a number :: + result 2 {"messageId":1}
        broken  none :: + result 2 {}
        silent  an error :: + fails 2 -32603
        "#,
    );
}

#[test]
fn an_inserted_message_is_reported() {
    holds(
        "ACP-PROMPT-010",
        "opened | prompt 2 hi",
        r#"
        upheld  after the answer :: + echo p2 hi | done 2
        broken  never :: + done 2 | settled
        broken  under another id :: + echo x hi | done 2 | settled
        unclear after the idle :: + done 2 | echo p2 hi
        unclear the work goes on :: + settled
        upheld  as a chunk :: + update {"sessionUpdate":"user_message_chunk","messageId":"p2","content":{"type":"text","text":"h"}}
        upheld  before the answer :: opened | prompting 2 hi | echo m hi | result 2 {"messageId":"m"}
        "#,
    );
    holds(
        "ACP-PROMPT-011",
        "opened | prompt 2 hi",
        r"
        upheld  the same text :: + echo p2 hi | done 2
        broken  nothing :: + echo p2 | done 2
        unclear more than was sent :: + echo p2 hi (expanded) | done 2
        silent  not reported at all :: + done 2
        ",
    );
    holds(
        "ACP-PROMPT-012",
        "opened | prompt 2 hi | done 2",
        r#"
        upheld  another id :: + prompt 3 hi | done 3
        broken  the same id :: + prompting 3 ho | result 3 {"messageId":"p2"}
        silent  one prompt :: + settled
        silent  another session :: + session 4 t | prompting 3 @t ho | result 3 {"messageId":"p2"}
        "#,
    );
}

#[test]
fn a_refused_prompt_is_not_inserted_and_an_inserted_one_succeeds() {
    holds(
        "ACP-PROMPT-013",
        "opened | prompting 2 hi",
        r"
        upheld  nothing is reported :: + fails 2 -32602 | settled
        broken  reported, then refused :: + echo m hi | fails 2 -32602
        broken  refused, then reported :: + fails 2 -32602 | echo m hi
        silent  work that failed is PROMPT-014 :: + echo m hi | state running | fails 2 -32603
        upheld  a message of another text :: + fails 2 -32602 | echo m ho | settled
        silent  two prompts of the same text :: + prompting 3 hi | echo m hi | fails 2 -32602
        ",
    );
    holds(
        "ACP-PROMPT-014",
        "opened | prompting 2 hi",
        r#"
        broken  an error after the insertion :: + echo m hi | state running | fails 2 -32603
        silent  an error without an insertion :: + fails 2 -32603
        silent  a cancellation has its own clauses :: + echo m hi | fails 2 -32800
        upheld  a failure as a state :: + result 2 {"messageId":"m"} | echo m hi | state running | stops 2 error
        silent  a success :: opened | prompt 2 hi | done 2
        "#,
    );
}

#[test]
fn keys_make_a_prompt_unique_in_its_session() {
    fn keyed(id: u32, session: &str, key: &str) -> String {
        format!(
            r#"ask {id} session/prompt {{"sessionId":"{session}","prompt":[{{"type":"text","text":"hi"}}],"idempotencyKey":{key}}}"#
        )
    }
    let first = format!(
        r#"opened | {} | result 2 {{"messageId":"m"}} | {}"#,
        keyed(2, "s", "\"k\""),
        "echo m hi"
    );
    let start = format!("{first} | {}", keyed(3, "s", "\"k\""));
    holds(
        "ACP-PROMPT-015",
        &start,
        r#"
        upheld  the same answer :: + result 3 {"messageId":"m"} | settled
        broken  a new message :: + result 3 {"messageId":"n"}
        broken  the same answer, and inserted again :: + result 3 {"messageId":"m"} | echo n hi
        unclear refused :: + fails 3 -32600
        silent  taken up once more, and told again :: + ask 4 session/resume {"sessionId":"s","cwd":"/a"} | result 3 {"messageId":"m"} | echo n hi
        "#,
    );
    let other = format!("{first} | {}", keyed(3, "s", "\"l\""));
    holds(
        "ACP-PROMPT-015",
        &other,
        r#"silent another key :: + result 3 {"messageId":"n"}"#,
    );
    let there = format!("{first} | session 9 t | {}", keyed(3, "t", "\"k\""));
    holds(
        "ACP-PROMPT-017",
        &there,
        r#"
        broken  the message of the other session :: + result 3 {"messageId":"m"} | settled
        upheld  ids may be counted by session :: + result 3 {"messageId":"m"} | S {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"user_message","messageId":"m","content":[]}}} | settled
        broken  refused :: + fails 3 -32602
        unclear busy :: + fails 3 -32600
        silent  a message that is not reported is PROMPT-010 :: + result 3 {"messageId":"n"} | settled
        "#,
    );
    for key in ["\"\"", "5", "[]", &format!("\"{}\"", "k".repeat(256))] {
        holds(
            "ACP-PROMPT-016",
            &format!("opened | {}", keyed(2, "s", key)),
            r#"
        upheld  refused as invalid :: + fails 2 -32602
        broken  refused otherwise :: + fails 2 -32603
        broken  accepted :: + result 2 {"messageId":"m"}
        unclear a login is needed :: + fails 2 -32000
        "#,
        );
    }
    for key in ["null", "\"k\"", &format!("\"{}\"", "é".repeat(255))] {
        holds(
            "ACP-PROMPT-016",
            &format!("opened | {}", keyed(2, "s", key)),
            r"
        silent  no wrong key :: + fails 2 -32602
        ",
        );
    }
}

/// A message of the agent with this block, in the words of a version.
fn block(version: &str, block: &str) -> String {
    match version {
        "v1" => format!(
            r#"update {{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{block}}}"#
        ),
        _ => format!(
            r#"update {{"sessionUpdate":"agent_message","messageId":"m","content":[{block}]}}"#
        ),
    }
}

#[test]
fn blocks_are_what_their_types_say() {
    for (id, expected, about, sent, versions) in [
        (
            "ACP-CONTENT-001",
            "upheld",
            "text",
            r#"{"type":"text","text":"","annotations":null}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-001",
            "broken",
            "no text",
            r#"{"type":"text","content":"a"}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-001",
            "broken",
            "a link without a name",
            r#"{"type":"resource_link","uri":"a:b"}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-001",
            "broken",
            "a resource without content",
            r#"{"type":"resource","resource":{"uri":"a:b"}}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-001",
            "broken",
            "no type",
            r#"{"text":"a"}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-001",
            "silent",
            "a type of its own",
            r#"{"type":"_x","y":1}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-002",
            "upheld",
            "base64",
            r#"{"type":"image","mimeType":"image/png","data":"AAECAw=="}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-002",
            "broken",
            "a data: URI",
            r#"{"type":"image","mimeType":"image/png","data":"data:;base64,AAEC"}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-002",
            "broken",
            "no padding",
            r#"{"type":"audio","mimeType":"audio/wav","data":"AAECAw"}"#,
            "v2",
        ),
        (
            "ACP-CONTENT-002",
            "upheld",
            "no padding",
            r#"{"type":"audio","mimeType":"audio/wav","data":"AAECAw"}"#,
            "v1",
        ),
        (
            "ACP-CONTENT-003",
            "upheld",
            "text",
            r#"{"type":"text","text":"a"}"#,
            "v1",
        ),
        (
            "ACP-CONTENT-003",
            "broken",
            "a type of its own",
            r#"{"type":"_x"}"#,
            "v1",
        ),
        (
            "ACP-CONTENT-005",
            "upheld",
            "a scheme",
            r#"{"type":"resource_link","uri":"file:///a","name":"a"}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-005",
            "broken",
            "a path",
            r#"{"type":"resource_link","uri":"/a","name":"a"}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-005",
            "silent",
            "a picture without one",
            r#"{"type":"image","mimeType":"image/png","data":""}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-006",
            "upheld",
            "both",
            r#"{"type":"text","text":"a","annotations":{"priority":1,"audience":["user"]}}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-006",
            "broken",
            "a word",
            r#"{"type":"text","text":"a","annotations":{"audience":"user"}}"#,
            "v1 v2",
        ),
        (
            "ACP-CONTENT-006",
            "broken",
            "more than 1",
            r#"{"type":"text","text":"a","annotations":{"priority":5}}"#,
            "v2",
        ),
        (
            "ACP-CONTENT-006",
            "upheld",
            "more than 1",
            r#"{"type":"text","text":"a","annotations":{"priority":5}}"#,
            "v1",
        ),
        (
            "ACP-CONTENT-006",
            "silent",
            "none",
            r#"{"type":"text","text":"a"}"#,
            "v1 v2",
        ),
    ] {
        for version in versions.split(' ') {
            let row = format!("{expected} {about} :: + {}", block(version, sent));
            holds_in(version, id, "opened", &row);
        }
    }
}

#[test]
fn what_the_user_said_is_not_the_agents_making() {
    let sent = r#"{"type":"image","mimeType":"image/png","data":"***"}"#;
    let start = format!("{} | {}", with_pictures("v2"), ask(sent));
    holds_in(
        "v2",
        "ACP-CONTENT-002",
        &start,
        r#"
        silent  reported as it was sent :: + update {"sessionUpdate":"user_message","messageId":"m","content":[{"type":"image","mimeType":"image/png","data":"***"}]}
        broken  reported in another way :: + update {"sessionUpdate":"user_message","messageId":"m","content":[{"type":"image","mimeType":"image/png","data":"**"}]}
        "#,
    );
    holds_in(
        "v2",
        "ACP-CONTENT-002",
        "opened",
        r#"
        silent  from before anyone listened :: + update {"sessionUpdate":"user_message","messageId":"m","content":[{"type":"image","mimeType":"image/png","data":"***"}]}
        "#,
    );
}

#[test]
fn any_text_may_be_embedded() {
    let note = r#"{"type":"resource","resource":{"uri":"file:///n","text":"a\u0000b"}}"#;
    let start = format!(
        r#"open | ask 0 initialize {{"protocolVersion":2}} | result 0 {{"protocolVersion":2,"capabilities":{{"session":{{"prompt":{{"embeddedContext":{{}}}}}}}}}} | session | {} | result 2 {{"messageId":"m"}}"#,
        ask(note)
    );
    holds_in(
        "v2",
        "ACP-CONTENT-007",
        &start,
        r#"
        upheld  reported as it was :: + update {"sessionUpdate":"user_message","messageId":"m","content":[{"type":"resource","resource":{"uri":"file:///n","text":"a\u0000b"}}]} | settled
        upheld  not reported :: + settled
        broken  cut :: + update {"sessionUpdate":"user_message","messageId":"m","content":[{"type":"resource","resource":{"uri":"file:///n","text":"a"}}]} | settled
        broken  the process ends :: + exit 1 nothing
        "#,
    );
}
