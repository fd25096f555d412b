//! TRANSPORT.

use crate::table::{holds, holds_with};

#[test]
fn stdout_is_utf_8() {
    holds(
        "ACP-TRANSPORT-001",
        "opened",
        r#"
        upheld  raw text :: + says Grüße, 你好
        upheld  escaped text :: + S {"jsonrpc":"2.0","method":"_x","params":{"t":"Gr\u00fc\u00dfe"}}
        upheld  an escaped pair :: + S {"jsonrpc":"2.0","method":"_x","params":{"t":"\ud83e\udd80"}}
        upheld  CR LF writers :: + S^ {"jsonrpc":"2.0","method":"_x","params":{"t":"é"}}
        broken  Latin-1 :: + S~ {"jsonrpc":"2.0","method":"_x","params":{"t":"\xe9"}}
        broken  UTF-16 :: + S~ \xff\xfe{\x00}\x00
        broken  half a character in a whole line :: + S~ {"t":"\xe2\x82"}
        broken  noise of another encoding :: + S~ d\xe9marr\xe9
        broken  Latin-1 after good text :: + says é | S~ {"t":"\xe9"}
        silent  the last line was cut within a character :: + S~! {"jsonrpc":"2.0","method":"_x","params":{"t":"\xe2\x82 | exit - kill
        silent  the last line was cut after one :: + S! {"jsonrpc":"2.0","method":"_x","params":{"t":"é | exit - kill
        silent  ASCII says nothing :: + says hello
        silent  an escaped control character :: + S {"jsonrpc":"2.0","method":"_x","params":{"t":"\u001b"}}
        silent  an escaped backslash :: + S {"jsonrpc":"2.0","method":"_x","params":{"t":"\\u00e9"}}
        silent  no output :: open | initializing | eof C | exit 0 close
        silent  our own Latin-1 :: + C~ {"t":"\xe9"}
        silent  our own text :: + ask 2 _x {"t":"é"}
        "#,
    );
}

#[test]
fn nothing_but_messages_stands_on_stdout() {
    holds(
        "ACP-TRANSPORT-003",
        "open",
        r#"
        upheld  messages only :: opened | says hello
        upheld  blank lines are a remark :: + S | S    | asks 1 | offers 1
        upheld  CR LF is a remark :: + asks 1 | S^ {"jsonrpc":"2.0","id":0,"result":{}}
        upheld  white space around :: + S   { "jsonrpc" : "2.0" , "method" : "_x" }
        upheld  a response with neither is another row's :: + asks 1 | S {"jsonrpc":"2.0","id":0} | S {"jsonrpc":"2.0","method":"_x"}
        upheld  a message over several lines is another row's :: + S { | S "jsonrpc":"2.0", | S "method":"_x" | S } | S {"jsonrpc":"2.0","method":"_x"}
        upheld  an array is another row's :: + S [{"jsonrpc":"2.0","method":"_x"}] | S {"jsonrpc":"2.0","method":"_x"}
        upheld  also an array over several lines :: + S [ | S {"a":1} | S ] | S {"jsonrpc":"2.0","method":"_x"}
        upheld  no UTF-8 is another row's :: + S~ \xe9 | S {"jsonrpc":"2.0","method":"_x"}
        upheld  the end was cut by force :: + S {"jsonrpc":"2.0","method":"_x"} | S! {"jsonrpc":"2.0","meth | eof S | exit - kill
        upheld  a wrong envelope is another row's :: + S {"id":0,"method":5}
        upheld  our own noise :: + C nonsense | S {"jsonrpc":"2.0","method":"_x"}
        broken  a banner :: + S listening on stdio | asks 1 | offers 1
        broken  a log line :: + asks 1 | S [2026-11-30 10:00:00] INFO started | offers 1
        broken  a log line in JSON :: + S {"level":"info","msg":"started"} | asks 1 | offers 1
        broken  a log line in JSON with an id-less method's look :: + S {"ts":1} | asks 1
        broken  a bare string :: + S "started"
        broken  a bare number :: + S 42
        broken  null :: + S null
        broken  two messages on a line :: + S {"jsonrpc":"2.0","method":"_x"}{"jsonrpc":"2.0","method":"_x"}
        broken  a message and a comment :: + S {"jsonrpc":"2.0","method":"_x"} // sent
        broken  headers of a language server :: + S Content-Length: 38 | S | S {"jsonrpc":"2.0","method":"_x"}
        broken  a byte order mark within :: + asks 1 | offers 1 | S <BOM>{"jsonrpc":"2.0","method":"_x"}
        broken  a NUL :: + S {"jsonrpc":"2.0","method":"_x"}<NUL>
        broken  a bracket that is never closed :: + S { | asks 1 | offers 1
        broken  a bracket, and the end :: + S { | eof S
        broken  brackets around what is no JSON :: + S { | S hello | S }
        broken  a string over two lines :: + S {"a": | S "one | S two"}
        broken  a progress bar :: + S [=====>     ] 50%
        unclear a line too long to be kept :: + S+ {"jsonrpc":"2.0","method":"_x"
        unclear a number that no reader can hold :: + S {"jsonrpc":"2.0","method":"_x","params":{"n":1e999}}
        silent  no output :: + initializing | eof C | exit 1 nothing
        silent  a cut end only :: + initializing | S! {"jsonrpc":"2.0","id":0,"res | eof S | exit - kill
        silent  an unterminated word :: + initializing | S! started | eof S | exit - kill
        silent  an unterminated number :: + initializing | S! 4 | eof S | exit - kill
        "#
        .replace("<BOM>", "\u{feff}")
        .replace("<NUL>", "\0")
        .as_str(),
    );
    let deep = format!("open | S {}{}", "[".repeat(200), "]".repeat(200));
    holds_with(
        "ACP-TRANSPORT-003",
        &deep,
        "unclear nested too deep to be read",
    );
}

#[test]
fn a_message_is_one_line() {
    holds(
        "ACP-TRANSPORT-005",
        "opened",
        r#"
        upheld  text of several lines :: + says one\ntwo
        broken  an indenting writer :: + S { | S   "jsonrpc": "2.0", | S   "method": "_x", | S   "params": {} | S }
        broken  CR LF and indented :: + S^ { | S^ "jsonrpc":"2.0","method":"_x" | S^ }
        broken  blank lines within :: + S { | S | S "jsonrpc":"2.0","method":"_x"} | settled
        broken  two lines :: + S {"jsonrpc":"2.0","method":"_x","params":{"t":"a}"}, | S "extra":["]"]}
        broken  an array over several lines :: + S [ | S {"a":1}, | S {"b":2} | S ]
        broken  brackets in strings :: + S { | S "jsonrpc":"2.0","method":"_x","params":{"t":"}}\"]"} | S }
        silent  one line without line breaks :: + says one
        silent  an escaped backslash before an n :: + S {"jsonrpc":"2.0","method":"_x","params":{"path":"C:\\new"}}
        silent  noise that opens a bracket :: + S { | S hello | S {"jsonrpc":"2.0","method":"_x"}
        silent  noise, then a message :: + S [ | says one
        silent  log lines :: + S starting | S started
        silent  half a message at the end :: + S { | S "jsonrpc":"2.0", | exit - kill
        silent  the recording was cut within it :: + S { | S "jsonrpc":"2.0",
        silent  our own indented message :: + C { | C "jsonrpc":"2.0","method":"_x" | C }
        "#,
    );
}

#[test]
fn an_answer_can_be_read_at_once() {
    let probe = "ask 7 _elenchus/probe {}";
    let late = format!(
        "open | {probe} | fails 7 -32601 | ask 8 _elenchus/probe {{}} | deadline 8 | settles \"f\""
    );
    for (verdict, about, talk) in [
        (
            "upheld",
            "answered while nothing else was sent",
            "opened".to_owned(),
        ),
        (
            "upheld",
            "late, and without more input",
            format!("open | {probe} | deadline 7 | fails 7 -32601"),
        ),
        ("upheld", "a fence", "open | settles \"f\"".to_owned()),
        (
            "upheld",
            "updates come before the answer",
            "opened | prompting 2 hi | says hi | result 2 {} | says more".to_owned(),
        ),
        (
            "unclear",
            "it came after the end of stdin, and may be late",
            format!("open | {probe} | deadline 7 | eof C | fails 7 -32601 | exit 0 close"),
        ),
        (
            "broken",
            "it came with the answer to more input",
            format!(
                "open | {probe} | deadline 7 | ask 8 _x {{}} | fails 7 -32601 | fails 8 -32601"
            ),
        ),
        (
            "broken",
            "it came with the answer to a fence, and then we closed",
            format!(
                "open | {probe} | deadline 7 | ask 8 _x {{}} | eof C | fails 7 -32601 | fails 8 -32601"
            ),
        ),
        (
            "unclear",
            "it came after more input that has no answer",
            format!("open | {probe} | deadline 7 | ask 8 _x {{}} | fails 7 -32601 | exit 0 close"),
        ),
        (
            "upheld",
            "a slow agent, and then the answer to more input",
            format!(
                "open | {probe} | deadline 7 | ask 8 _x {{}} | later 2000 | fails 7 -32601 | fails 8 -32601"
            ),
        ),
        (
            "upheld",
            "a slow agent answers one by one",
            format!(
                "open | {probe} | deadline 7 | ask 8 _x {{}} | fails 7 -32601 | later 12000 | fails 8 -32601"
            ),
        ),
        (
            "upheld",
            "it says something else in between",
            format!(
                "open | {probe} | deadline 7 | ask 8 _x {{}} | fails 7 -32601 | says hi | fails 8 -32601"
            ),
        ),
        (
            "unclear",
            "initialize, after the end of stdin",
            "open | initializing | deadline 0 | eof C | offers 1 | exit 0 close".to_owned(),
        ),
        (
            "broken",
            "no line end, and an orderly end",
            format!(
                "open | {probe} | eof C | S! {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{}}}} | eof S | exit 0 close"
            ),
        ),
        (
            "broken",
            "no line end after a deadline",
            format!(
                "open | {probe} | deadline 7 | S! {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{}}}} | eof S | exit 0 nothing"
            ),
        ),
        (
            "unclear",
            "no line end, and the end by force",
            format!(
                "open | {probe} | S! {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{}}}} | eof S | exit - kill"
            ),
        ),
        (
            "unclear",
            "no line end, and nobody knows how it ended",
            format!("open | {probe} | S! {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{}}}}"),
        ),
        (
            "silent",
            "never answered",
            format!("open | {probe} | deadline 7 | eof C | exit 0 close"),
        ),
        (
            "silent",
            "it crashed",
            format!("open | {probe} | exit 1 nothing"),
        ),
        (
            "silent",
            "answered after more input, in time",
            format!("open | {probe} | ask 8 _y {{}} | fails 7 -32601 | exit 0 close"),
        ),
        (
            "silent",
            "a slow turn after a cancel",
            "open | prompting 2 hi | deadline 2 | cancelled | result 2 {}".to_owned(),
        ),
        (
            "silent",
            "a slow turn, and the answer to its question",
            "open | prompting 2 hi | form 5 | deadline 2 | accept 5 | result 2 {}".to_owned(),
        ),
        (
            "silent",
            "it works on a prompt meanwhile",
            format!(
                "open | prompting 2 hi | {probe} | deadline 7 | ask 8 _y {{}} | fails 7 -32601"
            ),
        ),
        (
            "silent",
            "a new session takes its time",
            "open | session-asked | deadline 1 | ask 8 _y {} | result 1 {}"
                .replace("session-asked", "ask 1 session/new {}"),
        ),
        (
            "silent",
            "the recording begins with an answer",
            "S {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}".to_owned(),
        ),
        (
            "silent",
            "our own last line has no end",
            "open | C! {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"_x\"} | eof C | fails 7 -32601"
                .to_owned(),
        ),
    ] {
        holds(
            "ACP-TRANSPORT-007",
            "",
            &format!("{verdict} {about} :: {talk}"),
        );
    }
    // The first answer upholds it, and the second is not held against it before it comes.
    holds("ACP-TRANSPORT-007", &late, "upheld waiting :: + end");
}

#[test]
fn the_agent_answers_over_pipes() {
    holds(
        "ACP-TRANSPORT-009",
        "open | initializing",
        r"
        upheld  a result :: + offers 1
        upheld  an error is an answer :: + refuses -32000
        upheld  late :: + deadline 0 | offers 1
        upheld  though it also speaks on a terminal :: terminal-only | open | initializing | offers 1
        broken  silence, and it speaks on a terminal :: terminal-only | open | initializing | deadline 0
        broken  it ends, and speaks on a terminal :: terminal-only | open | initializing | exit 1 nothing
        silent  silence, and nobody tried a terminal :: + deadline 0 | eof C | exit - kill
        silent  it ends, and nobody tried a terminal :: + exit 1 nothing
        silent  we ended it before it could answer :: terminal-only | open | initializing | eof C | exit 0 close
        unclear the recording was cut :: terminal-only | open | initializing
        silent  the recording begins later :: ask 7 _x {} | fails 7 -32601
        silent  no initialize :: terminal-only | open | exit 1 nothing
        ",
    );
}

#[test]
fn only_a_line_feed_ends_a_message() {
    // What the table writes as <LS> stands raw inside the message.
    for separator in ["\u{2028}", "\u{2029}", "\u{85}"] {
        holds(
            "ACP-TRANSPORT-024",
            "opened",
            &r#"
            upheld  echoed :: + prompt 2 /say left<LS>right | says left<LS>right | done 2
            upheld  echoed in two pieces :: + prompt 2 /say left<LS>right | says left | says <LS>right | done 2
            upheld  not echoed :: + ask 7 _elenchus/probe {"t":"a<LS>b"} | fails 7 -32601
            upheld  the agent refuses the prompt :: + prompting 2 /say left<LS>right | fails 2 -32000
            upheld  it says something else :: + prompt 2 /say left<LS>right | says I would rather not | done 2
            upheld  a model paraphrases :: + prompt 2 tell left<LS>right | says left, right | done 2
            upheld  late :: + ask 7 _x {"t":"a<LS>b"} | deadline 7 | fails 7 -32601
            broken  split, and both pieces refused :: + ask 7 _x {"t":"a<LS>b"} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}
            broken  refused without an id :: + prompting 2 /say left<LS>right | S {"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}
            broken  skipped in silence :: + ask 7 _x {"t":"a<LS>b"} | deadline 7 | settles "f" | eof C | eof S | exit 0 close
            broken  a prompt skipped in silence :: + prompting 2 /say left<LS>right | turn-deadline 2 | settles "f" | eof C | exit 0 close
            broken  it ends :: + ask 7 _x {"t":"a<LS>b"} | exit 1 nothing
            broken  the separator was lost :: + prompt 2 /say left<LS>right | says left right | done 2
            unclear it ends after more was sent :: + ask 7 _x {"t":"a<LS>b"} | ask 8 _x {} | exit 1 nothing
            unclear it answers nothing that it does not know :: + ask 6 _x {} | deadline 6 | ask 7 _x {"t":"a<LS>b"} | deadline 7 | session 9 t | eof C | exit 0 close
            unclear it answers nothing any more :: + ask 7 _x {"t":"a<LS>b"} | deadline 7 | eof C | exit 0 close
            unclear a prompt of a model that takes its time :: + prompting 2 tell left<LS>right | turn-deadline 2 | settles "f" | eof C | exit 0 close
            unclear the recording was cut :: + ask 7 _x {"t":"a<LS>b"}
            unclear the turn never ended :: + prompt 2 /say left<LS>right | turn-deadline 2 | eof C | exit - kill
            unclear a notification was refused, or a piece of the message :: + tells _y | ask 7 _x {"t":"a<LS>b"} | fails null -32600
            broken  a piece can't be read, whatever was notified :: + tells _y | ask 7 _x {"t":"a<LS>b"} | fails null -32700
            silent  a notification was answered meanwhile :: + tells _y | ask 7 _x {} | S {"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}} | fails 7 -32601
            silent  another line was broken on purpose :: + C nonsense | ask 7 _x {"t":"a<LS>b"} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}
            silent  escaped :: + ask 7 _x {"t":"a\u2028b"} | fails 7 -32601
            silent  only the agent writes them :: + prompt 2 hi | says left<LS>right | done 2
            "#
            .replace("<LS>", separator),
        );
    }
    // The answer to a notification says nothing about the message that is open.
    holds(
        "ACP-TRANSPORT-024",
        "opened",
        &r#"
        upheld  lone CR between tokens :: + C {"jsonrpc":"2.0",<CR>"id":7,<CR>"method":"_x",<CR>"params":{}} | fails 7 -32601
        upheld  a notification is refused meanwhile :: + tells _y | ask 7 _x {"t":"a<LS>b"} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}} | fails 7 -32601
        broken  lone CR ends the line :: + C {"jsonrpc":"2.0",<CR>"id":7,<CR>"method":"_x"} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}
        "#
        .replace("<CR>", "\r")
        .replace("<LS>", "\u{2028}"),
    );
}
