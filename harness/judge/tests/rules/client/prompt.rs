//! PROMPT, STATE and CMD: what a client prompts with, and when.

use crate::clients::{holds, holds_in};

#[test]
fn one_prompt_at_a_time() {
    holds(
        "ACP-PROMPT-005",
        "serves",
        "
        upheld  one after the other :: + done 2 | prompt 3 more
        broken  the second one too early :: + prompt 3 more
        silent  in another session :: + session 5 t | prompt 3 @t more
        silent  only one :: + done 2
        ",
    );
}

#[test]
fn a_prompt_has_a_block() {
    let table = r#"
        EMPTY   none :: + ask 3 session/prompt {"sessionId":"s","prompt":[]}
        upheld  nothing was said :: + ask 3 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":""}]}
        silent  the usual one :: + prompting 3 hi
        "#;
    holds_in(
        "v2",
        "ACP-PROMPT-019",
        "serves",
        &table.replace("EMPTY", "broken"),
    );
    let text = |version: &str| {
        let start = |capabilities: &str| format!("hails | welcomes {capabilities} | session");
        let image = r#"ask 3 session/prompt {"sessionId":"s","prompt":[{"type":"text","text":"x"},{"type":"image","data":"AA==","mimeType":"image/png"}]}"#;
        let file = r#"ask 3 session/prompt {"sessionId":"s","prompt":[{"type":"resource","resource":{"uri":"file:///a","text":"x"}}]}"#;
        let link = r#"ask 3 session/prompt {"sessionId":"s","prompt":[{"type":"resource_link","name":"a","uri":"file:///a"}]}"#;
        let table = format!(
            "SOME a picture :: + {image}\nSOME a file :: + {file}\nupheld a link :: + {link}\nsilent text :: + prompting 3 hi"
        );
        let all = if version == "v1" {
            r#"{"promptCapabilities":{"image":true,"embeddedContext":true}}"#
        } else {
            r#"{"session":{"prompt":{"image":{},"embeddedContext":{}}}}"#
        };
        let few = if version == "v1" {
            r#"{"promptCapabilities":{"image":false}}"#
        } else {
            r#"{"session":{"prompt":{"image":null}}}"#
        };
        holds_in(
            version,
            "ACP-PROMPT-020",
            &start(all),
            &table.replace("SOME", "upheld"),
        );
        holds_in(
            version,
            "ACP-PROMPT-020",
            &start(few),
            &table.replace("SOME", "broken"),
        );
        holds_in(
            version,
            "ACP-PROMPT-020",
            &start("{}"),
            &table.replace("SOME", "broken"),
        );
    };
    text("v1");
    text("v2");
}

#[test]
fn an_answer_to_a_prompt_is_not_the_end_of_its_work() {
    holds(
        "ACP-STATE-011",
        "serves",
        r#"
        upheld  it waits :: + says hi | done 2 | eof C | exit 0 nothing
        broken  it leaves :: + eof C | exit 0 nothing
        broken  it leaves, and lingers :: + eof C | eof S | exit 0 kill
        broken  it closes the session :: + ask 3 session/close {"sessionId":"s"}
        upheld  it closes another one :: + ask 3 session/close {"sessionId":"t"} | done 2
        silent  it had cancelled :: + cancelled | eof C
        silent  we left first :: + eof S | eof C
        silent  it was ended by force :: + eof C | exit 0 terminate
        unclear it died :: + exit 101 nothing
        unclear it has waited long enough :: + overheard | eof C | exit 3 nothing
        "#,
    );
    holds(
        "ACP-STATE-011",
        "open client | init | session | prompt 2 hi",
        "broken  the agent was at work :: + eof C | exit 0 nothing",
    );
    holds(
        "ACP-STATE-011",
        r#"open client | init | session | prompting 2 hi | result 2 {"messageId":"m"}"#,
        r#"
        unclear the agent never said that it was at work :: + eof C | exit 0 nothing
        unclear nor did it before the session was closed :: + ask 3 session/close {"sessionId":"s"}
        upheld  it became idle :: + state idle end_turn | eof C | exit 0 nothing
        "#,
    );
}

#[test]
fn a_command_is_a_prompt() {
    let start = r#"serves | update {"sessionUpdate":"available_commands_update","availableCommands":[{"name":"elenchus-plan","description":"Plans"}]} | done 2"#;
    holds(
        "ACP-CMD-006",
        start,
        r#"
        upheld  with arguments :: + prompting 3 /elenchus-plan a b
        broken  by a method of its own :: + ask 3 _acme/command {"name":"elenchus-plan"}
        silent  another prompt :: + prompting 3 hi
        silent  another method :: + ask 3 _acme/command {"name":"plan"}
        "#,
    );
    holds(
        "ACP-CMD-006",
        "serves",
        r#"silent nothing is offered :: + ask 3 _acme/command {"name":"elenchus-plan"}"#,
    );
}
