//! SESSION and DIRS, and the sessions that are there already: LIST, LOAD, RESUME, CLOSE and DELETE.

use crate::clients::{holds, holds_in};

const ALL: &str = r#"{"session":{"delete":{},"additionalDirectories":{},"systemPrompt":{}},"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{},"additionalDirectories":{},"systemPrompt":{}}}"#;

#[test]
fn a_session_has_an_absolute_cwd() {
    holds(
        "ACP-SESSION-003",
        "hails | welcomes {}",
        r#"
        upheld  POSIX :: + ask 1 session/new {"cwd":"/home","mcpServers":[]}
        upheld  a drive :: + ask 1 session/new {"cwd":"C:\\x","mcpServers":[]}
        broken  relative :: + ask 1 session/new {"cwd":".","mcpServers":[]}
        broken  empty :: + ask 1 session/new {"cwd":"","mcpServers":[]}
        broken  none :: + ask 1 session/new {"mcpServers":[]}
        broken  null :: + ask 1 session/new {"cwd":null,"mcpServers":[]}
        broken  nothing at all :: + ask 1 session/new {}
        "#,
    );
    let servers = r#"
        LEFT  left out :: + ask 1 session/new {"cwd":"/"}
        LEFT  null :: + ask 1 session/new {"cwd":"/","mcpServers":null}
        "#;
    let start = "hails | welcomes {}";
    holds_in(
        "v1",
        "ACP-SESSION-003",
        start,
        &servers.replace("LEFT", "broken"),
    );
    holds_in(
        "v2",
        "ACP-SESSION-003",
        start,
        &servers.replace("LEFT", "upheld"),
    );
}

#[test]
fn other_paths_are_absolute() {
    holds(
        "ACP-SESSION-008",
        "hails | welcomes {}",
        r#"
        upheld  a list :: + ask 1 session/list {"cwd":"/x"}
        silent  a list of all :: + ask 1 session/list {}
        broken  a relative list :: + ask 1 session/list {"cwd":"x"}
        broken  a relative load :: + ask 1 session/load {"sessionId":"s","cwd":"./x","mcpServers":[]}
        broken  a relative resume :: + ask 1 session/resume {"sessionId":"s","cwd":"~"}
        silent  session/new is SESSION-003's :: + ask 1 session/new {"cwd":"x"}
        "#,
    );
    holds(
        "ACP-DIRS-004",
        "hails | welcomes {}",
        r#"
        upheld  absolute :: + ask 1 session/new {"cwd":"/","mcpServers":[],"additionalDirectories":["/a","/b"]}
        broken  relative :: + ask 1 session/new {"cwd":"/","mcpServers":[],"additionalDirectories":["/a","../lib"]}
        silent  none :: + ask 1 session/new {"cwd":"/","mcpServers":[],"additionalDirectories":[]}
        "#,
    );
}

#[test]
fn what_is_not_announced_is_not_sent() {
    let start = format!("hails | welcomes {ALL}");
    let table = r#"
        SOME  directories :: + ask 1 session/new {"cwd":"/","mcpServers":[],"additionalDirectories":["/a"]}
        "#;
    holds("ACP-DIRS-003", &start, &table.replace("SOME", "upheld"));
    holds(
        "ACP-DIRS-003",
        "hails | welcomes {}",
        &table.replace("SOME", "broken"),
    );
    holds("ACP-DIRS-003", "hails", &table.replace("SOME", "silent"));
    holds(
        "ACP-DIRS-003",
        "hails | welcomes {}",
        r#"
        silent none :: + session
        silent an empty list is a remark :: + ask 1 session/new {"cwd":"/","mcpServers":[],"additionalDirectories":[]}
        "#,
    );
    let table = r#"
        SOME  to append :: + ask 1 session/new {"cwd":"/","mcpServers":[],"systemPrompt":{"mode":"append","content":[{"type":"text","text":"x"}]}}
        broken  to replace :: + ask 1 session/new {"cwd":"/","mcpServers":[],"systemPrompt":{"mode":"override","content":[{"type":"text","text":"x"}]}}
        broken  empty :: + ask 1 session/new {"cwd":"/","mcpServers":[],"systemPrompt":{"mode":"append","content":[]}}
        broken  an empty text :: + ask 1 session/new {"cwd":"/","mcpServers":[],"systemPrompt":{"mode":"append","content":[{"type":"text","text":""}]}}
        broken  a picture :: + ask 1 session/new {"cwd":"/","mcpServers":[],"systemPrompt":{"mode":"append","content":[{"type":"image","data":"AA==","mimeType":"image/png"}]}}
        silent  null :: + ask 1 session/new {"cwd":"/","mcpServers":[],"systemPrompt":null}
        "#;
    holds("ACP-SESSION-017", &start, &table.replace("SOME", "upheld"));
    holds(
        "ACP-SESSION-017",
        "hails | welcomes {}",
        &table.replace("SOME", "broken"),
    );
}

#[test]
fn methods_are_called_where_they_are_announced() {
    let announced = format!("hails | welcomes {ALL}");
    for (id, call) in [
        ("ACP-LIST-002", "session/list {}"),
        (
            "ACP-RESUME-002",
            r#"session/resume {"sessionId":"s","cwd":"/"}"#,
        ),
        (
            "ACP-LOAD-003",
            r#"session/load {"sessionId":"s","cwd":"/","mcpServers":[]}"#,
        ),
        ("ACP-CLOSE-002", r#"session/close {"sessionId":"s"}"#),
        ("ACP-DELETE-004", r#"session/delete {"sessionId":"s"}"#),
    ] {
        holds(
            id,
            &announced,
            &format!("upheld it is :: + ask 1 {call}\nsilent it is not called :: + session"),
        );
        holds(
            id,
            "hails | welcomes {}",
            &format!("broken it is not :: + ask 1 {call}"),
        );
        holds(
            id,
            "hails",
            &format!("silent nobody knows :: + ask 1 {call}"),
        );
    }
    holds(
        "ACP-DELETE-004",
        r#"hails | welcomes {"session":{"delete":null},"sessionCapabilities":{"delete":null}}"#,
        r#"broken null :: + ask 1 session/delete {"sessionId":"s"}"#,
    );
}

#[test]
fn ids_of_sessions_come_back_as_they_were() {
    holds(
        "ACP-SESSION-021",
        "hails | welcomes {} | session 1 Ä b/C",
        r#"
        upheld  the same :: + ask 2 session/prompt {"sessionId":"Ä b/C","prompt":[]} | ask 3 session/close {"sessionId":"Ä b/C"}
        broken  in lower case :: + ask 3 session/prompt {"sessionId":"ä b/c","prompt":[]}
        broken  cut :: + ask 3 session/prompt {"sessionId":"Ä","prompt":[]}
        broken  escaped :: + ask 3 session/prompt {"sessionId":"%C3%84%20b/C","prompt":[]}
        upheld  one that was loaded :: + ask 3 session/load {"sessionId":"old","cwd":"/","mcpServers":[]} | ask 4 session/prompt {"sessionId":"old","prompt":[]}
        upheld  one of another connection :: + on 1 | hails | welcomes {} | session 1 t | on 0 | ask 4 session/prompt {"sessionId":"t","prompt":[]}
        silent  a list :: + ask 4 session/list {}
        "#,
    );
    holds(
        "ACP-SESSION-021",
        "hails | welcomes {}",
        r#"silent the agent gave none :: + ask 4 session/prompt {"sessionId":"t","prompt":[]}"#,
    );
}

#[test]
fn cursors_come_back_as_they_were() {
    holds(
        "ACP-LIST-010",
        r#"hails | welcomes {"session":{}} | ask 1 session/list {"cwd":"/a"} | result 1 {"sessions":[],"nextCursor":"a=\u00e4 +"}"#,
        r#"
        upheld  the same :: + ask 2 session/list {"cwd":"/a","cursor":"a=ä +"}
        broken  another :: + ask 2 session/list {"cwd":"/a","cursor":"a=a"}
        silent  from the start :: + ask 2 session/list {}
        broken  behind the last page :: + ask 2 session/list {"cwd":"/a","cursor":"a=ä +"} | result 2 {"sessions":[]} | ask 3 session/list {"cwd":"/a","cursor":"z"}
        broken  an empty one that nobody gave :: + ask 2 session/list {"cwd":"/a","cursor":""}
        "#,
    );
    let other = r#"OTHER another folder :: + ask 2 session/list {"cwd":"/b","cursor":"c"}"#;
    let start = r#"hails | welcomes {"session":{}} | ask 1 session/list {"cwd":"/a"} | result 1 {"sessions":[],"nextCursor":"c"}"#;
    holds_in(
        "v1",
        "ACP-LIST-010",
        start,
        &other.replace("OTHER", "upheld"),
    );
    holds_in(
        "v2",
        "ACP-LIST-010",
        start,
        &other.replace("OTHER", "broken"),
    );
    holds_in(
        "v2",
        "ACP-LIST-010",
        r#"hails | welcomes {"session":{}} | ask 1 session/list {} | result 1 {"sessions":[],"nextCursor":""}"#,
        r#"upheld an empty one is one :: + ask 2 session/list {"cursor":""}"#,
    );
}

#[test]
fn a_session_is_resumed_where_it_was() {
    let start = r#"hails | welcomes {"session":{},"sessionCapabilities":{"resume":{}}} | ask 1 session/new {"cwd":"/a","mcpServers":[]} | result 1 {"sessionId":"s"}"#;
    holds(
        "ACP-RESUME-003",
        start,
        r#"
        upheld  the same :: + ask 2 session/resume {"sessionId":"s","cwd":"/a/"}
        upheld  one of earlier :: + ask 2 session/resume {"sessionId":"old","cwd":"/b"}
        broken  no cwd :: + ask 2 session/resume {"sessionId":"s"}
        broken  no session :: + ask 2 session/resume {"cwd":"/a"}
        upheld  a relative one is SESSION-008's :: + ask 2 session/resume {"sessionId":"s","cwd":"b"}
        "#,
    );
    let other = r#"OTHER another folder :: + ask 2 session/resume {"sessionId":"s","cwd":"/b"}"#;
    holds_in(
        "v1",
        "ACP-RESUME-003",
        start,
        &other.replace("OTHER", "upheld"),
    );
    holds_in(
        "v2",
        "ACP-RESUME-003",
        start,
        &other.replace("OTHER", "broken"),
    );
    holds(
        "ACP-RESUME-017",
        start,
        r#"
        upheld  with what was said :: + ask 2 session/resume {"sessionId":"s","cwd":"/a","replayFrom":{"type":"start"}}
        broken  by a load :: + ask 2 session/load {"sessionId":"s","cwd":"/a","mcpServers":[]}
        silent  neither :: + session
        "#,
    );
    holds(
        "ACP-LOAD-004",
        start,
        r#"
        upheld  all :: + ask 2 session/load {"sessionId":"s","cwd":"/a","mcpServers":[]}
        broken  no servers :: + ask 2 session/load {"sessionId":"s","cwd":"/a"}
        broken  no cwd :: + ask 2 session/load {"sessionId":"s","mcpServers":[]}
        "#,
    );
}

#[test]
fn a_session_that_is_gone_is_closed() {
    holds(
        "ACP-CLOSE-009",
        r#"hails | welcomes {"session":{}} | session | ask 2 session/close {"sessionId":"s"}"#,
        r#"
        upheld  it goes on :: + fails 2 -32002 | calm 8
        upheld  it leaves :: + fails 2 -32002 | eof C | exit 1 nothing
        broken  it tries again :: + fails 2 -32002 | ask 3 session/close {"sessionId":"s"}
        upheld  it closes another one :: + fails 2 -32002 | ask 3 session/close {"sessionId":"t"} | calm 8
        silent  it was there :: + result 2 {} | ask 3 session/close {"sessionId":"s"}
        silent  another error :: + fails 2 -32603 | ask 3 session/close {"sessionId":"s"}
        "#,
    );
}
