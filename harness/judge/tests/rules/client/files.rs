//! FS: the files of a client.

use crate::clients::holds;

const OFFERED: &str = r#"open client | C {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}}} | welcomes {} | session | prompt 2 hi"#;
const WRITE: &str = r#"wants 5 fs/write_text_file {"sessionId":"s","path":"/elenchus-new","content":"1\n2\n3\n4\n"} | answer 5 null"#;

#[test]
fn what_is_offered_is_there() {
    let read = r#"wants 5 fs/read_text_file {"sessionId":"s","path":"/a"}"#;
    holds(
        "ACP-FS-003",
        &format!("{OFFERED} | {read}"),
        r#"
        upheld  read :: + answer 5 {"content":"x"}
        broken  no such method :: + refuse 5 -32601
        unclear refused :: + refuse 5 -32603
        broken  no content :: + answer 5 {}
        broken  content that is none :: + answer 5 {"content":null}
        "#,
    );
    holds(
        "ACP-FS-003",
        &format!("serves | {read}"),
        "silent it is not offered :: + refuse 5 -32601",
    );
    holds(
        "ACP-FS-003",
        OFFERED,
        &format!("upheld null for nothing :: + {WRITE}"),
    );
    holds(
        "ACP-FS-008",
        OFFERED,
        r#"
        upheld  an error :: + wants 5 fs/read_text_file {"sessionId":"s","path":"/elenchus-missing"} | refuse 5 -32603
        broken  nothing in it :: + wants 5 fs/read_text_file {"sessionId":"s","path":"/elenchus-missing"} | answer 5 {"content":""}
        silent  a file that may be there :: + wants 5 fs/read_text_file {"sessionId":"s","path":"/a"} | answer 5 {"content":""}
        "#,
    );
    holds(
        "ACP-ERROR-011",
        OFFERED,
        r#"
        upheld  not found :: + wants 5 fs/read_text_file {"sessionId":"s","path":"/elenchus-missing"} | refuse 5 -32002
        broken  another code :: + wants 5 fs/read_text_file {"sessionId":"s","path":"/elenchus-missing"} | refuse 5 -32603
        upheld  a terminal :: + wants 5 terminal/output {"sessionId":"s","terminalId":"elenchus-none"} | refuse 5 -32002
        broken  a terminal, another code :: + wants 5 terminal/output {"sessionId":"s","terminalId":"elenchus-none"} | refuse 5 -32602
        silent  it is there :: + wants 5 fs/read_text_file {"sessionId":"s","path":"/elenchus-missing"} | answer 5 {"content":""}
        "#,
    );
}

#[test]
fn lines_are_counted_from_1() {
    holds(
        "ACP-FS-004",
        &format!("{OFFERED} | {WRITE}"),
        r#"
        upheld  two of four :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new","line":2,"limit":2} | answer 6 {"content":"2\n3\n"}
        upheld  without the line end :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new","line":2,"limit":2} | answer 6 {"content":"2\n3"}
        upheld  to the end :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new","line":4} | answer 6 {"content":"4\n"}
        broken  counted from 0 :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new","line":2,"limit":2} | answer 6 {"content":"3\n4\n"}
        broken  all of it :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new","line":2,"limit":2} | answer 6 {"content":"1\n2\n3\n4\n"}
        silent  the whole file :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new"} | answer 6 {"content":""}
        silent  refused :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new","line":2} | refuse 6 -1
        silent  another file :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/a","line":2} | answer 6 {"content":"x"}
        "#,
    );
    holds(
        "ACP-FS-007",
        &format!("{OFFERED} | {WRITE}"),
        r#"
        upheld  the same :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new"} | answer 6 {"content":"1\n2\n3\n4\n"}
        broken  other line ends :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new"} | answer 6 {"content":"1\r\n2\r\n3\r\n4\r\n"}
        broken  no last one :: + wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new"} | answer 6 {"content":"1\n2\n3\n4"}
        silent  it is written again meanwhile :: + wants 7 fs/write_text_file {"sessionId":"s","path":"/elenchus-new","content":""} | wants 6 fs/read_text_file {"sessionId":"s","path":"/elenchus-new"} | answer 6 {"content":""}
        "#,
    );
}

#[test]
fn writing_makes_a_file() {
    holds(
        "ACP-FS-005",
        OFFERED,
        &format!(
            r#"
            upheld  it does :: + {WRITE}
            unclear it is refused :: + wants 5 fs/write_text_file {{"sessionId":"s","path":"/elenchus-new","content":""}} | refuse 5 -32603
            broken  it is refused, and another file is written :: + wants 4 fs/write_text_file {{"sessionId":"s","path":"/a","content":""}} | answer 4 {{}} | wants 5 fs/write_text_file {{"sessionId":"s","path":"/elenchus-new","content":""}} | refuse 5 -32603
            silent  a file that may be there :: + wants 5 fs/write_text_file {{"sessionId":"s","path":"/a","content":""}} | answer 5 null
            "#
        ),
    );
}
