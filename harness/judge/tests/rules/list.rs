//! LIST.

use crate::announced::{holds, holds_in};

#[test]
fn a_list_comes() {
    holds(
        "ACP-LIST-001",
        "ask 1 session/list {}",
        r#"
        upheld  empty :: + result 1 {"sessions":[]}
        upheld  with a cursor :: + result 1 {"sessions":[],"nextCursor":"n"}
        upheld  null for no cursor :: + result 1 {"sessions":[],"nextCursor":null}
        broken  null :: + result 1 null
        broken  null for no sessions :: + result 1 {"sessions":null}
        broken  the array itself :: + result 1 []
        broken  a number for a cursor :: + result 1 {"sessions":[],"nextCursor":5}
        broken  refused :: + fails 1 -32602
        broken  no such method :: + fails 1 -32601
        unclear a login first :: + fails 1 -32000
        unclear a broken store :: + fails 1 -32603
        silent  it announces none :: open | ask 1 session/list {} | fails 1 -32601
        silent  a bad entry is another row's :: + ask 2 session/list {"cwd":"/x"} | result 2 {}
        "#,
    );
}

#[test]
fn where_nothing_matches_nothing_is_listed() {
    holds(
        "ACP-LIST-003",
        r#"new 1 s /a | ask 2 session/list {} | result 2 {"sessions":[]} | ask 3 session/list {"cwd":"/b"}"#,
        r#"
        upheld  nothing :: + result 3 {"sessions":[]}
        upheld  something is FILTERED's :: + result 3 {"sessions":[{"sessionId":"s","cwd":"/a"}]}
        broken  null :: + result 3 {"sessions":null}
        broken  an error :: + fails 3 -32002
        unclear a login first :: + fails 3 -32000
        "#,
    );
    holds(
        "ACP-LIST-003",
        "new 1 s /a",
        r#"
        unclear the list may not work at all :: + ask 3 session/list {"cwd":"/b"} | fails 3 -32603
        silent  the folder of a session :: + ask 3 session/list {"cwd":"/a/"} | fails 3 -32603
        silent  a folder above :: + ask 3 session/list {"cwd":"/"} | fails 3 -32603
        silent  a folder below :: + ask 3 session/list {"cwd":"/a/b"} | fails 3 -32603
        "#,
    );
}

#[test]
fn a_filter_leaves_one_folder() {
    let start = "new 1 s /a | new 2 t /b | new 3 u /a/sub | ask 4 session/list {\"cwd\":\"/a\"}";
    holds(
        "ACP-LIST-004",
        start,
        r#"
        upheld  its own :: + result 4 {"sessions":[{"sessionId":"s","cwd":"/a"}]}
        upheld  none is kept :: + result 4 {"sessions":[]}
        upheld  its own, spelt otherwise :: + result 4 {"sessions":[{"sessionId":"s","cwd":"/private/a"}]}
        upheld  of another day :: + result 4 {"sessions":[{"sessionId":"old","cwd":"/a"}]}
        broken  of another folder :: + result 4 {"sessions":[{"sessionId":"t","cwd":"/b"}]}
        silent  an error :: + fails 4 -32603
        "#,
    );
    let below = r#"+ result 4 {"sessions":[{"sessionId":"u","cwd":"/a/sub"}]}"#;
    holds_in(
        "v1",
        "ACP-LIST-004",
        start,
        &format!("upheld  below is a remark :: {below}"),
    );
    holds_in(
        "v2",
        "ACP-LIST-004",
        start,
        &format!("broken  below is another :: {below}"),
    );
}

#[test]
fn entries_have_their_members() {
    holds(
        "ACP-LIST-005",
        "ask 1 session/list {}",
        r#"
        upheld  the least :: + result 1 {"sessions":[{"sessionId":"s","cwd":"/a"}]}
        upheld  null for a title :: + result 1 {"sessions":[{"sessionId":"s","cwd":"/a","title":null,"updatedAt":null}]}
        upheld  more :: + result 1 {"sessions":[{"sessionId":"s","cwd":"/a","title":"t","more":1}]}
        upheld  a relative folder is another row's :: + result 1 {"sessions":[{"sessionId":"s","cwd":"a"}]}
        broken  no folder :: + result 1 {"sessions":[{"sessionId":"s"}]}
        broken  no id :: + result 1 {"sessions":[{"cwd":"/a"}]}
        broken  a number for a time :: + result 1 {"sessions":[{"sessionId":"s","cwd":"/a","updatedAt":5}]}
        broken  an id alone :: + result 1 {"sessions":["s"]}
        silent  none :: + result 1 {"sessions":[]}
        "#,
    );
}

#[test]
fn times_are_times() {
    let table = r"
        upheld  2026-08-22T10:00:00Z :: + $
        broken  1724320800000 :: + $
        broken  yesterday :: + $
        ";
    let filled: Vec<String> = table
        .lines()
        .map(|line| {
            let time = line.split_whitespace().nth(1).unwrap_or_default();
            line.replace('$', &format!(r#"result 1 {{"sessions":[{{"sessionId":"s","cwd":"/a","updatedAt":"{time}"}}]}}"#))
        })
        .collect();
    holds("ACP-LIST-006", "ask 1 session/list {}", &filled.join("\n"));
    let date = r#"+ result 1 {"sessions":[{"sessionId":"s","cwd":"/a","updatedAt":"2026-08-22"}]}"#;
    holds_in(
        "v1",
        "ACP-LIST-006",
        "ask 1 session/list {}",
        &format!("upheld  a date :: {date}"),
    );
    holds_in(
        "v2",
        "ACP-LIST-006",
        "ask 1 session/list {}",
        &format!("broken  a date :: {date}"),
    );
    holds(
        "ACP-LIST-006",
        "ask 1 session/list {}",
        r#"
        silent  null :: + result 1 {"sessions":[{"sessionId":"s","cwd":"/a","updatedAt":null}]}
        silent  of another type is LIST-005's :: + result 1 {"sessions":[{"sessionId":"s","cwd":"/a","updatedAt":5}]}
        "#,
    );
}

#[test]
fn pages_lead_on() {
    let start = r#"ask 1 session/list {} | result 1 {"sessions":[{"sessionId":"a","cwd":"/a"},{"sessionId":"b","cwd":"/a"}],"nextCursor":"n"} | ask 2 session/list {"cursor":"n"}"#;
    holds(
        "ACP-LIST-007",
        start,
        r#"
        upheld  others :: + result 2 {"sessions":[{"sessionId":"c","cwd":"/a"}]}
        broken  one again :: + result 2 {"sessions":[{"sessionId":"b","cwd":"/a"}]}
        silent  more to come :: + result 2 {"sessions":[{"sessionId":"b","cwd":"/a"}],"nextCursor":"m"}
        unclear something was made meanwhile :: + new 3 d | result 2 {"sessions":[{"sessionId":"b","cwd":"/a"}]}
        broken  twice on one page :: + ask 3 session/list {} | result 3 {"sessions":[{"sessionId":"c","cwd":"/a"},{"sessionId":"c","cwd":"/a"}]}
        "#,
    );
    holds(
        "ACP-LIST-008",
        start,
        r#"
        upheld  the next :: + result 2 {"sessions":[{"sessionId":"c","cwd":"/a"}]}
        upheld  an empty end :: + result 2 {"sessions":[]}
        upheld  one cursor for a walk that goes on :: + result 2 {"sessions":[{"sessionId":"c","cwd":"/a"}],"nextCursor":"n"}
        broken  refused :: + fails 2 -32602
        broken  the same for ever :: + result 2 {"sessions":[{"sessionId":"a","cwd":"/a"},{"sessionId":"b","cwd":"/a"}],"nextCursor":"n"}
        silent  a login first :: + fails 2 -32000
        "#,
    );
    holds(
        "ACP-LIST-008",
        "",
        r#"silent  a cursor of another day :: + ask 1 session/list {"cursor":"old"} | fails 1 -32602"#,
    );
}

#[test]
fn foreign_cursors_are_refused() {
    holds(
        "ACP-LIST-009",
        "",
        r#"
        upheld  refused :: + ask 1 session/list {"cursor":"elenchus-bogus"} | fails 1 -32602
        upheld  with another code :: + ask 1 session/list {"cursor":"elenchus-bogus"} | fails 1 -32603
        broken  a page :: + ask 1 session/list {"cursor":"elenchus-bogus"} | result 1 {"sessions":[]}
        silent  a cursor of another day :: + ask 1 session/list {"cursor":"old"} | result 1 {"sessions":[]}
        "#,
    );
}

#[test]
fn a_list_only_tells() {
    holds(
        "ACP-LIST-011",
        r#"new 1 s | ask 2 session/list {} | result 2 {"sessions":[{"sessionId":"s","cwd":"/a"},{"sessionId":"x","cwd":"/a"}]}"#,
        r#"
        upheld  nothing comes :: + settles 9
        upheld  a title may :: + update x {"sessionUpdate":"session_info_update","title":"t"} | settles 9
        upheld  its own session works :: + update s {"sessionUpdate":"tool_call_update","toolCallId":"c"} | settles 9
        upheld  resumed, and then heard :: + ask 3 session/resume {"sessionId":"x","cwd":"/a"} | update x {"sessionUpdate":"state_update","state":"idle"} | result 3 {} | settles 9
        broken  it speaks :: + update x {"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"t"}}
        broken  it tells its state :: + update x {"sessionUpdate":"state_update","state":"running"}
        unclear cut :: + stopped
        "#,
    );
    holds(
        "ACP-LIST-011",
        r#"new 1 s | ask 2 session/list {} | result 2 {"sessions":[{"sessionId":"s","cwd":"/a"}]}"#,
        "silent  only its own :: + settles 9",
    );
}

#[test]
fn the_latest_comes_first() {
    holds(
        "ACP-LIST-012",
        "ask 1 session/list {}",
        r#"
        upheld  later first :: + result 1 {"sessions":[{"sessionId":"a","cwd":"/a","updatedAt":"2026-01-02T00:00:00Z"},{"sessionId":"b","cwd":"/a","updatedAt":"2026-01-01T00:00:00Z"}]}
        upheld  the same time :: + result 1 {"sessions":[{"sessionId":"a","cwd":"/a","updatedAt":"2026-01-01T01:00:00+01:00"},{"sessionId":"b","cwd":"/a","updatedAt":"2026-01-01T00:00:00Z"}]}
        broken  earlier first :: + result 1 {"sessions":[{"sessionId":"a","cwd":"/a","updatedAt":"2026-01-01T00:00:00Z"},{"sessionId":"b","cwd":"/a","updatedAt":"2026-01-02T00:00:00Z"}]}
        silent  a time is missing :: + result 1 {"sessions":[{"sessionId":"a","cwd":"/a"},{"sessionId":"b","cwd":"/a","updatedAt":"2026-01-02T00:00:00Z"}]}
        silent  one alone :: + result 1 {"sessions":[{"sessionId":"a","cwd":"/a","updatedAt":"2026-01-01T00:00:00Z"}]}
        "#,
    );
}

#[test]
fn a_title_comes_alone() {
    holds(
        "ACP-LIST-013",
        "new 1 s",
        r#"
        upheld  a title :: + update s {"sessionUpdate":"session_info_update","title":"t","updatedAt":null,"_meta":{"cwd":"/a"}}
        upheld  an unknown member is another row's :: + update s {"sessionUpdate":"session_info_update","more":1}
        broken  the folder :: + update s {"sessionUpdate":"session_info_update","cwd":"/a"}
        broken  the id :: + update s {"sessionUpdate":"session_info_update","sessionId":"s"}
        silent  another update :: + update s {"sessionUpdate":"subagent_update","sessionId":"x","cwd":"/a"}
        "#,
    );
}
