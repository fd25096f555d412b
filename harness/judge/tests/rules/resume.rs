//! RESUME.

use crate::announced::{holds, holds_in};

/// A conversation whose session is idle and resumed.
const KEPT: &str = r#"new 1 s | prompt 2 /say the words kept | says the words kept | done 2 | ask 3 session/resume {"sessionId":"s","cwd":"/a"$}"#;
const USER: &str = r#"update s {"sessionUpdate":"user_message","messageId":"p2","content":[{"type":"text","text":"/say the words kept"}]}"#;
const AGENT: &str = r#"update s {"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"the words kept"}]}"#;
const COMPLETE: &str = r#"update s {"sessionUpdate":"replay_complete"}"#;
const IDLE: &str = r#"update s {"sessionUpdate":"state_update","state":"idle"}"#;

fn filled(text: &str) -> String {
    text.replace("$user", USER)
        .replace("$agent", AGENT)
        .replace("$complete", COMPLETE)
        .replace("$idle", IDLE)
}

fn plain() -> String {
    KEPT.replace('$', "")
}

fn replayed() -> String {
    KEPT.replace('$', r#","replayFrom":{"type":"start"}"#)
}

#[test]
fn a_known_session_is_resumed() {
    holds(
        "ACP-RESUME-001",
        &plain(),
        r#"
        upheld  with nothing to tell :: + result 3 {}
        upheld  null :: + result 3 null
        broken  an array :: + result 3 []
        broken  no such method :: + fails 3 -32601
        unclear not kept :: + fails 3 -32002
        silent  in another folder :: ~ new 1 s | ask 3 session/resume {"sessionId":"s","cwd":"/b"} | fails 3 -32601
        silent  one of another day :: ~ new 1 s | ask 3 session/resume {"sessionId":"t","cwd":"/a"} | fails 3 -32601
        "#,
    );
}

#[test]
fn nothing_is_replayed_unasked() {
    holds(
        "ACP-RESUME-004",
        &plain(),
        &filled(
            r#"
            upheld  nothing :: + result 3 {}
            upheld  a state :: + $idle | result 3 {}
            upheld  new words :: + update s {"sessionUpdate":"agent_message_chunk","messageId":"n","content":{"type":"text","text":"Welcome back!"}} | result 3 {}
            upheld  after the answer is not judged :: + result 3 {} | $user
            broken  the user's words :: + $user | result 3 {}
            broken  the agent's words :: + $agent | result 3 {}
            broken  a piece of them :: + update s {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"the words kep"}} | result 3 {}
            silent  refused :: + $user | fails 3 -32002
            silent  at work :: ~ new 1 s | prompt 2 /say the words kept | says the words kept | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | $agent | result 3 {}
            silent  at work when it was resumed :: ~ new 1 s | prompt 2 /say the words kept | done 2 | prompt 4 hello | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | $agent | done 4 | result 3 {}
            silent  told for another request :: + ask 4 session/load {"sessionId":"s","cwd":"/a"} | $agent | result 3 {}
            silent  nothing was said :: ~ new 1 s | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | $user | result 3 {}
            "#,
        ),
    );
    holds_in(
        "v2",
        "ACP-RESUME-004",
        &replayed(),
        &filled(
            r#"
            silent  asked for :: + $user | $agent | result 3 {}
            upheld  new words of work in the background :: ~ new 1 s | prompt 2 /say the words kept | says the words kept | done 2 | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | update s {"sessionUpdate":"agent_message","messageId":"new","content":[{"type":"text","text":"the words kept"}]} | result 3 {}
            silent  prompted behind other work :: ~ new 1 s | prompt 2 /say the words kept | prompting 4 /say the words kept | state running | says the words kept | done 2 | result 4 {"messageId":"m"} | ask 3 session/resume {"sessionId":"s","cwd":"/a"} | $user | state running | $agent | done 4 | result 3 {}
            "#,
        ),
    );
}

#[test]
fn a_replay_comes_whole_and_first() {
    holds(
        "ACP-RESUME-005",
        &replayed(),
        &filled(
            r"
            upheld  before :: + $user | $agent | $complete | $idle | result 3 {} | settles 9
            broken  a part comes after :: + $user | $complete | $idle | result 3 {} | $agent
            broken  all comes after :: + $complete | $idle | result 3 {} | $user
            unclear nothing is kept :: + $complete | $idle | result 3 {} | settles 9
            unclear prompted at once :: + $user | $complete | result 3 {} | prompt 4 hello
            silent  refused :: + fails 3 -32602
            ",
        ),
    );
    holds(
        "ACP-RESUME-007",
        &replayed(),
        &filled(
            r#"
            upheld  its id :: + $user | result 3 {}
            broken  another :: + update s {"sessionUpdate":"user_message","messageId":"again","content":[{"type":"text","text":"/say the words kept"}]} | result 3 {}
            silent  the same is prompted once more :: + prompt 7 /say the words kept | update s {"sessionUpdate":"user_message","messageId":"again","content":[{"type":"text","text":"/say the words kept"}]} | result 3 {}
            silent  rewritten :: + update s {"sessionUpdate":"user_message","messageId":"again","content":[{"type":"text","text":"the words"}]} | result 3 {}
            silent  not replayed :: + result 3 {}
            "#,
        ),
    );
    holds(
        "ACP-RESUME-008",
        &replayed(),
        &filled(
            r#"
            upheld  at its end :: + $user | $agent | $complete | $idle | result 3 {}
            upheld  with nothing before it :: + $complete | result 3 {}
            broken  none :: + $user | $agent | result 3 {}
            broken  after the answer :: + $user | result 3 {} | $complete
            broken  twice :: + $complete | $user | $complete | result 3 {}
            broken  in the midst :: + $user | $complete | $agent | result 3 {}
            silent  twice, for another one :: + ask 4 session/resume {"sessionId":"s","cwd":"/a","replayFrom":{"type":"start"}} | $complete | $complete | result 3 {}
            silent  refused :: + fails 3 -32602
            "#,
        ),
    );
}

#[test]
fn marks_and_states_of_a_resume() {
    holds(
        "ACP-RESUME-009",
        &plain(),
        &filled(
            r#"
            upheld  none :: + $idle | result 3 {}
            broken  one :: + $complete | $idle | result 3 {}
            broken  one, and an error :: + $complete | fails 3 -32603
            silent  that of another request to resume it :: + ask 4 session/resume {"sessionId":"s","cwd":"/a","replayFrom":{"type":"start"}} | $complete | $idle | result 3 {}
            "#,
        ),
    );
    holds(
        "ACP-RESUME-009",
        &replayed(),
        &filled(
            r"
            broken  a replay that failed :: + $complete | fails 3 -32603
            upheld  a replay that was refused :: + fails 3 -32602
            silent  a replay :: + $complete | $idle | result 3 {}
            ",
        ),
    );
    holds(
        "ACP-RESUME-010",
        &replayed(),
        &filled(
            r#"
            upheld  behind the replay :: + $user | $complete | $idle | result 3 {}
            upheld  before and behind :: + $idle | $complete | $idle | result 3 {}
            upheld  it runs :: + $complete | update s {"sessionUpdate":"state_update","state":"running"} | result 3 {}
            broken  before the replay alone :: + $idle | $user | $complete | result 3 {}
            broken  none :: + $complete | result 3 {}
            broken  after the answer :: + $complete | result 3 {} | $idle
            silent  refused :: + fails 3 -32602
            "#,
        ),
    );
}

#[test]
fn odd_cursors_are_refused() {
    for cursor in [r#"{"type":"_x"}"#, "{}", r#""start""#] {
        let odd = KEPT.replace('$', &format!(r#","replayFrom":{cursor}"#));
        holds(
            "ACP-RESUME-011",
            &odd,
            r"
            upheld  refused :: + fails 3 -32602
            broken  resumed :: + result 3 {}
            unclear with another code, perhaps for the session :: + fails 3 -32002
            ",
        );
        let compared = odd.replace(
            "ask 3",
            r#"ask 8 session/resume {"sessionId":"s","cwd":"/a"} | result 8 {} | ask 3"#,
        );
        holds(
            "ACP-RESUME-011",
            &compared,
            "broken  with another code :: + fails 3 -32603",
        );
    }
    let known = KEPT.replace('$', r#","replayFrom":{"type":"message"}"#);
    holds(
        "ACP-RESUME-011",
        &known,
        "silent  a cursor of a newer schema :: + result 3 {}",
    );
}

#[test]
fn the_running_turn_waits_for_the_replay() {
    let start = r#"new 1 s | prompt 2 /hold | says working on it | ask 3 session/resume {"sessionId":"s","cwd":"/a","replayFrom":{"type":"start"}}"#;
    let live = r#"update s {"sessionUpdate":"agent_message","messageId":"n","content":[{"type":"text","text":"now something new"}]}"#;
    let again = r#"update s {"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"working on it"}]}"#;
    let table = r#"
        upheld  only history :: + $again | $complete | result 3 {}
        upheld  new words behind it :: + $again | $complete | $live | result 3 {}
        upheld  old words under another id :: + update s {"sessionUpdate":"agent_message","messageId":"n","content":[{"type":"text","text":"working"}]} | $complete | result 3 {}
        broken  new words in it :: + $live | $complete | result 3 {}
        broken  a new tool call in it :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"n","title":"t"} | $complete | result 3 {}
        silent  refused :: + fails 3 -32602
        "#;
    let table = filled(&table.replace("$live", live).replace("$again", again));
    holds("ACP-RESUME-012", start, &table);
    holds(
        "ACP-RESUME-012",
        &replayed(),
        &filled(&format!(
            "silent  nothing runs :: + {live} | $complete | result 3 {{}}"
        )),
    );
}

#[test]
fn unknown_and_resumed_sessions() {
    holds(
        "ACP-RESUME-014",
        r#"ask 1 session/resume {"sessionId":"elenchus-nobody","cwd":"/a"}"#,
        r#"
        upheld  refused :: + fails 1 -32002
        broken  resumed :: + result 1 {}
        silent  one of another day :: ~ ask 2 session/resume {"sessionId":"old","cwd":"/a"} | result 2 {}
        "#,
    );
    holds(
        "ACP-RESUME-016",
        &format!("{} | result 3 {{}} | prompting 4 hello", plain()),
        r#"
        upheld  taken :: + result 4 {"messageId":"p4"}
        broken  not found :: + fails 4 -32002
        unclear busy, or the model is gone :: + fails 4 -32603
        "#,
    );
}
