//! JSONRPC.

use elenchus_judge::judge;

use crate::{
    common::trace,
    table::{holds, holds_in, holds_with},
    talk::written,
};

#[test]
fn every_message_says_2_0() {
    holds_with(
        "ACP-JSONRPC-001",
        "open | S {$}",
        r#"
        upheld  "jsonrpc":"2.0","method":"_x"
        upheld  "jsonrpc":"\u0032.0","method":"_x"
        upheld  "method":"_x","jsonrpc":"2.0"
        broken  "method":"_x"
        broken  "jsonrpc":2.0,"method":"_x"
        broken  "jsonrpc":"2","method":"_x"
        broken  "jsonrpc":"1.0","id":0,"result":{}
        broken  "jsonrpc":null,"id":0,"result":{}
        broken  "JSONRPC":"2.0","id":5,"method":"_x"
        broken  "id":null,"error":{"code":-32700,"message":"no"}
        silent  "level":"info"
        silent  "jsonrpc":"2.0","id":0
        "#,
    );
    holds(
        "ACP-JSONRPC-001",
        "open",
        r#"
        silent  our own :: + C {"id":0,"method":"_x"}
        silent  no message :: + S nonsense | S [1]
        "#,
    );
}

#[test]
fn a_request_has_a_method_and_params_by_name() {
    holds_with(
        "ACP-JSONRPC-002",
        r#"opened | S {"jsonrpc":"2.0",$}"#,
        r#"
        upheld  "id":5,"method":"session/request_permission","params":{}
        upheld  "id":5,"method":"_x"
        upheld  "id":null,"method":"session/request_permission","params":{}
        upheld  "id":"a","method":"elicitation/create","params":{}
        broken  "id":5,"method":"session/request_permission","params":[{"sessionId":"s"}]
        broken  "id":5,"method":"session/request_permission","params":"s"
        broken  "id":5,"method":5,"params":{}
        broken  "id":5,"method":null
        broken  "method":["_x"]
        broken  "method":"session/request_permission","params":{}
        silent  "id":5,"method":"session/request_permission","params":null
        silent  "id":5,"method":"_x","params":[1]
        silent  "id":5,"method":"_x","params":7
        silent  "id":5,"method":"mcp/message","params":["unstable"]
        silent  "id":5,"method":"elicitation/create","params":[]
        silent  "method":"elicitation/create","params":{}
        silent  "method":"_x","params":[1]
        silent  "method":"session/update","params":{}
        silent  "id":0,"result":{}
        silent  "id":5
        "#,
    );
    holds(
        "ACP-JSONRPC-002",
        "opened",
        "silent our own positional params :: + ask 7 session/list []",
    );
    // What only the other version defines is anyone's extension here.
    holds_in(
        "v2",
        "ACP-JSONRPC-002",
        "opened",
        r#"silent a v1 method :: + S {"jsonrpc":"2.0","id":5,"method":"fs/read_text_file","params":[1]}"#,
    );
}

#[test]
fn a_notification_has_no_id() {
    holds_with(
        "ACP-JSONRPC-003",
        r#"opened | S {"jsonrpc":"2.0",$}"#,
        r#"
        upheld  "method":"session/update","params":{}
        upheld  "method":"elicitation/complete","params":{}
        upheld  "method":"_x"
        broken  "id":null,"method":"session/update","params":{}
        broken  "id":5,"method":"session/update","params":{}
        silent  "id":5,"method":"elicitation/complete","params":{}
        silent  "id":"5","method":"$/cancel_request","params":{"requestId":1}
        silent  "id":5,"method":"_x"
        silent  "id":5,"method":"session/request_permission","params":{}
        silent  "id":5,"method":"auth/status_update","params":{}
        silent  "method":5
        silent  "id":0,"result":{}
        "#,
    );
}

#[test]
fn a_request_is_answered_once() {
    let probe = "ask 7 _elenchus/probe {}";
    holds(
        "ACP-JSONRPC-004",
        "open | initializing",
        &r#"
        upheld  a result :: + offers 1
        upheld  an error :: + refuses -32000
        upheld  in another order :: + <probe> | ask 8 _x {} | fails 8 -32601 | fails 7 -32601 | offers 1
        upheld  after the deadline, and after a later one :: + <probe> | deadline 7 | ask 8 _x {} | fails 8 -32601 | fails 7 -32601 | eof S
        upheld  a cancelled request, with its error :: + <probe> | tells $/cancel_request {"requestId":7} | fails 7 -32800
        upheld  an id used again once it was answered :: + offers 1 | <probe> | fails 7 -32601 | <probe> | fails 7 -32601
        upheld  one id for two open requests of ours :: + <probe> | <probe> | fails 7 -32601 | fails 7 -32601
        upheld  1.0 for 1 :: + ask 1 _x {} | fails 1.0 -32601
        upheld  a string and a number :: + ask 1 _x {} | ask "1" _x {} | fails "1" -32601 | fails 1 -32601
        upheld  each direction has its own ids :: + S {"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{}} | <probe> | answer 7 {} | fails 7 -32601
        broken  twice :: + offers 1 | offers 1
        broken  a result and then an error :: + offers 1 | refuses -32603
        broken  twice, with another request between :: + <probe> | fails 7 -32601 | ask 8 _x {} | fails 8 -32601 | fails 7 -32601
        upheld  cancelled, and then done all the same, is CANCEL-008 :: + <probe> | tells $/cancel_request {"requestId":7} | fails 7 -32800 | result 7 {}
        broken  never, and later ones were :: + offers 1 | ask 6 _x {} | fails 6 -32601 | <probe> | deadline 7 | ask 8 session/list {} | result 8 {"sessions":[]} | eof C | eof S
        broken  never, and it ended :: + offers 1 | ask 6 _x {} | fails 6 -32601 | <probe> | deadline 7 | ask 8 session/list {} | result 8 {"sessions":[]} | eof C | exit 0 close
        broken  an id of 0 is no missing id :: open | ask 0 _x {} | deadline 0 | ask 8 _y {} | fails 8 -32601 | eof S
        upheld  an agent that answers no custom request is EXT-001's :: + offers 1 | <probe> | deadline 7 | ask 8 session/list {} | result 8 {"sessions":[]} | eof C | eof S
        broken  an unknown one, and later ones were answered :: + offers 1 | ask 7 elenchus/undefined {} | deadline 7 | ask 8 session/list {} | result 8 {"sessions":[]} | eof C | eof S
        broken  a fence :: + offers 1 | ask 6 _x {} | fails 6 -32601 | fence "f" | ask "f" _elenchus/fence {} | deadline "f" | ask 8 session/list {} | result 8 {"sessions":[]} | eof S
        upheld  it is still there :: + offers 1 | <probe> | deadline 7 | ask 8 session/list {} | result 8 {"sessions":[]}
        unclear never, and nothing later either :: + <probe> | deadline 7 | eof C | exit 0 close
        unclear it crashed :: + exit 1 nothing
        unclear it flooded us, and not all was recorded :: open | <probe> | deadline 7 | ask 8 session/list {} | limit | eof S
        upheld  no deadline passed :: open | <probe> | ask 8 session/new {} | result 8 {"sessionId":"t"} | eof C | exit 0 close
        upheld  the deadline of a script that had given up :: open | stopped | <probe> | deadline 7 | ask 8 session/new {} | result 8 {} | eof S
        upheld  a cancelled request may have been dropped :: open | <probe> | tells $/cancel_request {"requestId":7} | deadline 7 | ask 8 session/new {} | fails 8 -32000 | eof S
        unclear the recording was cut :: open | <probe>
        upheld  the same id was asked again :: open | <probe> | deadline 7 | <probe> | ask 8 session/new {} | fails 8 -32000 | eof S
        upheld  a second answer, but something else was malformed :: open | malformed | C {"jsonrpc":"2.0","id":1, | ask 1 session/new {} | result 1 {} | S {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}
        upheld  a second answer, but a stray one of ours had the id :: open | answer 1 {} | ask 1 session/new {} | result 1 {} | fails 1 -32600
        upheld  the recording begins in the middle :: ask 1 session/new {} | result 1 {} | result 1 {}
        silent  a prompt is a model's :: open | prompting 2 hi | deadline 2 | ask 8 session/new {} | eof S
        silent  a new session may need anything :: open | ask 1 session/new {} | deadline 1 | eof S
        silent  a trigger may ask a user :: open | trigger 7 _elicit | <probe> | deadline 7 | eof S
        silent  a mode while it works :: open | prompting 2 hi | ask 8 session/set_mode {} | deadline 8 | eof S
        silent  a notification :: open | tells _x | eof S
        silent  null is hardly an id :: open | ask null _x {} | deadline null | eof S
        silent  an id that JavaScript can't hold :: open | ask 9007199254740993 _x {} | deadline 9007199254740993 | eof S
        silent  an id that is no integer :: open | ask 1.5 _x {} | deadline 1.5 | eof S
        silent  a line of ours without an end :: open | C! {"jsonrpc":"2.0","id":7,"method":"_x"} | eof C | deadline 7 | eof S
        silent  an answer without a question :: result 1 {}
        silent  their own request :: open | permission 5 | answer 5 {} | answer 5 {}
        "#
        .replace("<probe>", probe),
    );
    // Not answered, because it was answered under another id, or split: each has a row of its own.
    holds(
        "ACP-JSONRPC-004",
        "open",
        &r#"
        upheld  its id came back as a string :: + ask 7 _x {} | fails "7" -32601 | deadline 7 | ask 8 session/new {} | result 8 {} | eof S
        upheld  a line separator stands in it :: + ask 7 _x {"t":"a<LS>b"} | deadline 7 | ask 8 session/new {} | result 8 {} | eof S
        upheld  both twins came back as strings :: + ask 7 _x {} | ask "7" _x {} | fails "7" -32601 | fails "7" -32601
        "#
        .replace("<LS>", "\u{2028}"),
    );
}

#[test]
fn a_finding_of_silence_says_how_long_was_waited() {
    let text = "opened | ask 7 _x {} | deadline 7 | ask 8 _x {} | fails 8 -32601 | eof S";
    let judgement = judge(&trace("acp-v1", &written("v1", text)));
    let breaches = &judgement.tallies["ACP-JSONRPC-004"].breaches;
    let [breach] = &breaches[..] else {
        panic!("one breach: {breaches:#?}")
    };
    assert_eq!(
        breach.got,
        "no answer in 10 s, the time that --timeout gives"
    );
}

#[test]
fn an_answer_has_the_id_of_its_question() {
    // Whatever the id is, it comes back as it was.
    for id in [
        "0",
        "-1",
        "9007199254740991",
        "-9007199254740991",
        "9007199254740993",
        r#""""#,
        r#""0""#,
        r#""null""#,
        r#""4f6b1f0e-6c1b-4b0e-9d0a-2f6d0e0c9a11""#,
        r#""ключ""#,
        "null",
        "1e3",
        "1.5",
    ] {
        holds(
            "ACP-JSONRPC-006",
            "open",
            &format!("upheld {id} :: + ask {id} _x {{}} | fails {id} -32601"),
        );
    }
    holds(
        "ACP-JSONRPC-006",
        "opened | settled",
        r#"
        upheld  1.0 for 1 is a remark :: open | ask 1 _x {} | fails 1.0 -32601
        upheld  1000 for 1e3 is a remark :: open | ask 1e3 _x {} | fails 1000 -32601
        upheld  an escape more or less :: open | ask "a/b" _x {} | fails "a\/b" -32601
        upheld  in another order :: open | ask 1 _x {} | ask "1" _x {} | fails "1" -32601 | fails 1 -32601
        upheld  a number that JavaScript rounds is a remark :: + ask 9007199254740993 _x {} | fails 9007199254740992 -32601
        upheld  an integer no 64 bits hold :: + ask 123456789012345678901 _x {} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}
        broken  a number as a string :: + ask 7 _x {} | fails "7" -32601
        broken  a string as a number :: + ask "7" _x {} | fails 7 -32601
        broken  negative as a string :: + ask -7 _x {} | fails "-7" -32601
        broken  "" as null :: + ask "" _x {} | result null {}
        broken  null as "null" :: + ask null _x {} | result "null" {}
        broken  another number :: + ask 7 _x {} | fails 8 -32601
        broken  null instead of the id :: + ask 7 _x {} | fails null -32601
        broken  nothing was asked :: + result 99 {}
        upheld  a message that it could not read, be it ours to wonder why :: + ask 7 _x {} | fails null -32700
        broken  an error to nothing :: + fails 99 -32603
        broken  one of two as a string :: + ask 7 _x {} | ask 8 _x {} | fails "7" -32601 | fails 8 -32601
        broken  both twins as strings :: + ask 7 _x {} | ask "7" _x {} | fails "7" -32601 | fails "7" -32601
        broken  both twins as numbers :: + ask 7 _x {} | ask "7" _x {} | fails 7 -32601 | fails 7 -32601
        broken  a result after a notification :: + tells _y | ask 7 _x {} | result 99 {}
        broken  the id of another connection :: on 0 | open | ask 7 _x {} | fails 7 -32601 | on 1 | open | ask 8 _x {} | fails 7 -32601
        upheld  an error without a name answers a malformed line :: + C nonsense | S {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}
        upheld  so does one with its id :: + C {"jsonrpc":"2.0","id":9,"method":5} | fails 9 -32600
        upheld  so does one with the id of a batch's entry :: + C [{"jsonrpc":"2.0","id":9,"method":"_x"}] | fails 9 -32601
        upheld  an id that is no id :: + C {"jsonrpc":"2.0","id":{},"method":"_x"} | S {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}
        upheld  null params are not everybody's :: + ask 7 _x null | fails null -32600
        upheld  half a surrogate is not everybody's :: + ask 7 _x {"t":"\ud800"} | fails null -32700
        upheld  a member that stands twice :: + C {"jsonrpc":"2.0","id":7,"id":8,"method":"_x"} | fails 7 -32600
        upheld  a null id answers a notification :: + tells _y | ask 7 _x {} | fails null -32601 | fails 7 -32601
        upheld  an error with an id from a notification :: + tells $/cancel_request {"requestId":99} | fails 99 -32602
        upheld  an answer to our stray one :: + answer 99 {} | fails 99 -32600
        upheld  an answer to our second one :: + permission 5 | answer 5 {} | answer 5 {} | fails null -32600
        upheld  a message that was split :: + ask 7 _x {"t":"a<LS>b"} | fails null -32700
        upheld  a response without an id is another row's :: + ask 7 _x {} | S {"jsonrpc":"2.0","result":{}}
        upheld  a second answer is another row's :: + ask 7 _x {} | fails 7 -32601 | fails 7 -32601
        unclear the recording begins in the middle :: result 99 {}
        unclear in the middle, with an open question :: ask 7 _x {} | result 99 {}
        unclear in the middle, with an open twin :: ask 7 _x {} | result "7" {}
        silent  not answered :: open | ask 7 _x {}
        silent  our own answer to nothing :: open | answer 99 {}
        "#
        .replace("<LS>", "\u{2028}")
        .as_str(),
    );
}

#[test]
fn a_response_has_a_result_or_an_error() {
    holds_with(
        "ACP-JSONRPC-007",
        r#"open | S {"jsonrpc":"2.0",$}"#,
        r#"
        upheld  "id":0,"result":{}
        upheld  "id":0,"result":null
        upheld  "id":0,"result":false
        upheld  "id":0,"error":{"code":-32601,"message":"no"}
        upheld  "id":null,"error":{"code":-32700,"message":"no"}
        upheld  "result":{}
        broken  "id":0,"result":{},"error":null
        broken  "id":0,"result":null,"error":{"code":-32601,"message":"no"}
        broken  "id":0
        broken  "id":"0","extra":true
        silent  "id":0,"method":"_x"
        silent  "method":"_x","params":{}
        silent  "level":"info"
        "#,
    );
    holds(
        "ACP-JSONRPC-007",
        "open",
        r#"silent our own :: + C {"jsonrpc":"2.0","id":0}"#,
    );
}

#[test]
fn a_notification_is_not_answered() {
    holds(
        "ACP-JSONRPC-009",
        "opened | tells _elenchus/notice {}",
        r#"
        upheld  quiet :: + settles "f"
        upheld  several, and quiet :: + tells _y | tells session/cancel {"sessionId":5} | settles "f"
        upheld  a chatty agent :: + says hello | permission 5 | settles "f"
        upheld  it asks in return :: + S {"jsonrpc":"2.0","id":9,"method":"_why","params":{}} | settles "f"
        unclear the client closed, and it ended, and answered nothing strange :: + eof C | exit 0 close
        upheld  a cancelled request has its error :: opened | ask 7 _x {} | tells $/cancel_request {"requestId":7} | fails 7 -32800 | settles "f"
        upheld  a cancelled turn ends :: opened | prompt 2 hi | cancelled | stops 2 cancelled | settles "f"
        upheld  a twin of the open id is another row's :: + ask 7 _x {} | fails "7" -32601 | settles "f"
        upheld  a result to nothing is another row's :: + result 99 {} | settles "f"
        upheld  answers that came before :: opened | S {"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}} | tells _y | settles "f"
        broken  an error without a name :: + fails null -32601 | settles "f"
        broken  an error without an id :: + S {"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}
        broken  a result without a name :: + result null {}
        broken  an error with an id of its own :: + fails 99 -32601
        broken  after the fence was sent :: + fence "f" | ask "f" _elenchus/fence {} | fails null -32601 | fails "f" -32601 | settled
        broken  the second one only :: + settles "f" | tells _y | fails null -32601 | settles "g"
        broken  while a turn goes on, which then ends :: opened | prompting 2 hi | tells _y | fails null -32601 | fails 2 -32000 | settles "f"
        unclear it may be the answer to the request that is open :: + ask 7 session/new {} | fails null -32603 | settles "f"
        unclear the same, and the end :: + ask 7 session/new {} | fails null -32603 | eof C | exit 0 close
        unclear the recording begins in the middle :: tells _y | fails null -32601 | settles "f"
        unclear it crashed :: + exit 1 nothing
        unclear it flooded us, and not all was recorded :: + limit | settled
        unclear never quiet :: + says hello
        silent  a malformed line before :: opened | C nonsense | tells _y | fails null -32700 | settles "f"
        silent  a malformed line after :: + C {"jsonrpc":"2.0"} | fails null -32600 | settles "f"
        silent  a malformed line on purpose :: + malformed | ask 7 _x {} | fails null -32600 | settles "f"
        silent  our notification had null params :: opened | tells _y null | fails null -32600 | settles "f"
        silent  our stray answer :: + answer 99 {} | fails null -32600 | settles "f"
        silent  their own notification :: opened | says hello | settles "f"
        silent  none :: opened | settles "f"
        "#,
    );
}

#[test]
fn a_v2_id_is_a_string_or_an_integer() {
    holds_with(
        "ACP-JSONRPC-018",
        r#"opened | S {"jsonrpc":"2.0","id":$,"method":"session/request_permission","params":{}}"#,
        r#"
        upheld  0
        upheld  -7
        upheld  1.0
        upheld  1e3
        upheld  12345678901234567890123
        upheld  ""
        upheld  "4f6b1f0e-6c1b-4b0e-9d0a-2f6d0e0c9a11"
        broken  null
        broken  1.5
        broken  15e-1
        broken  true
        broken  {}
        broken  [1]
        "#,
    );
    holds(
        "ACP-JSONRPC-018",
        "opened",
        r"
        silent  a v1 agent that was asked for 2 :: open | asks 2 | offers 1 | permission null
        silent  an answer with a null id :: + fails null -32700
        silent  our own :: + ask null _x {}
        ",
    );
}

#[test]
fn an_open_id_is_not_used_again() {
    let cancelled = "opened | permission 5 | withdraws 5 | permission 5";
    holds_in(
        "v1",
        "ACP-JSONRPC-020",
        cancelled,
        "broken  though it was cancelled :: + settled",
    );
    holds_in(
        "v2",
        "ACP-JSONRPC-020",
        cancelled,
        "silent  that is CANCEL-035 :: + settled",
    );
    holds(
        "ACP-JSONRPC-020",
        "opened | permission 5",
        r#"
        upheld  another id :: + permission 6
        upheld  the same digits as a string :: + permission "5"
        upheld  answered, and two more :: + answer 5 {} | permission 5 | permission 6
        broken  the same :: + permission 5
        broken  the same number, written otherwise :: + permission 5.0
        broken  our answer had another id :: + answer 6 {} | permission 5
        broken  two extension requests :: opened | S {"jsonrpc":"2.0","id":5,"method":"_x"} | S {"jsonrpc":"2.0","id":5,"method":"_x"}
        broken  in a recording that begins in the middle :: permission 5 | permission 5
        silent  only one at a time :: + answer 5 {} | permission 5
        silent  refused, then again :: + refuse 5 -32601 | permission 5
        silent  an elicitation is another row's :: + form 5
        silent  our own request has it :: + ask 5 _x {}
        silent  another connection has it :: + on 1 | open | permission 5
        "#,
    );
}

#[test]
fn each_direction_has_ids_of_its_own() {
    holds(
        "ACP-JSONRPC-021",
        "opened | prompt 2 /elicit form | form 5 | ask 5 _elenchus/probe {}",
        r#"
        upheld  both :: + fails 5 -32601 | accept 5 {"name":"Ada"} | says elicited accept {"name":"Ada"} | done 2
        upheld  ours only once it has its answer :: + accept 5 {"name":"Ada"} | fails 5 -32601 | done 2
        upheld  the turn was cancelled :: + fails 5 -32601 | cancelled | stops 2 cancelled
        upheld  a permission :: opened | permission 5 | ask 5 _x {} | fails 5 -32601 | answer 5 {}
        broken  the agent's own is overwritten :: + fails 5 -32601 | accept 5 {"name":"Ada"} | turn-deadline 2
        broken  ours is never answered :: + ask 9 _y {} | fails 9 -32601 | accept 5 {"name":"Ada"} | done 2 | deadline 5
        upheld  no custom request is, which the turn does not show :: + ask 9 _y {} | accept 5 {"name":"Ada"} | done 2 | deadline 5
        broken  it ends :: + exit 1 nothing
        unclear it ends after more was sent :: + accept 5 {} | exit 1 nothing
        unclear it rightly waits for its answer :: + deadline 5 | eof C | exit 0 close
        unclear it took our request for the answer, or gave up :: opened | prompt 2 /elicit form | form 5 | ask 5 session/new {} | done 2
        unclear a prompt takes its time :: opened | permission 5 | ask 5 session/prompt {} | answer 5 {} | deadline 5
        upheld  the page was not visited :: opened | prompt 2 /elicit url-wait | url 5 | ask 5 _x {} | fails 5 -32601 | accept 5 | turn-deadline 2
        unclear the script had given up :: + accept 5 {} | stopped | deadline 5
        unclear the recording was cut :: + end
        silent  another id :: opened | permission 5 | ask 6 _x {} | fails 6 -32601
        silent  another type :: opened | permission 5 | ask "5" _x {} | fails "5" -32601
        silent  it had its answer already :: opened | permission 5 | answer 5 {} | ask 5 _x {} | fails 5 -32601
        silent  another connection has it :: opened | permission 5 | on 1 | open | ask 5 _x {} | fails 5 -32601
        "#,
    );
    // A turn that a model fills may take its time.
    holds(
        "ACP-JSONRPC-021",
        "opened | prompt 2 ask me something | form 5 | ask 5 session/new {}",
        "unclear the turn goes on :: + accept 5 {} | turn-deadline 2",
    );
}

#[test]
fn names_are_spelt_as_the_schema_does() {
    holds_with(
        "ACP-JSONRPC-022",
        r#"open | S {"jsonrpc":"2.0","method":"session/update","params":{$}}"#,
        r#"
        upheld  "sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}
        upheld  "sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}},"unknown_key":1
        upheld  "sessionId":"s","update":{"sessionUpdate":"_mine","stop_reason":1}
        upheld  "sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":{"session_id":1}},"_meta":{"session_id":1}
        broken  "session_id":"s","update":{}
        broken  "SessionId":"s","update":{}
        broken  "sessionId":"s","update":{"session_update":"agent_message_chunk"}
        broken  "sessionId":"s","update":{"sessionUpdate":"agentMessageChunk"}
        broken  "sessionId":"s","update":{"sessionUpdate":"AgentMessageChunk"}
        broken  "sessionId":"s","update":{"sessionUpdate":"tool_call_update","tool_call_id":"t"}
        "#,
    );
    holds(
        "ACP-JSONRPC-022",
        "opened",
        r#"
        broken  a result :: open | ask 1 session/new {} | result 1 {"session_id":"s"}
        broken  a request :: open | S {"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"session_id":"s"}}
        upheld  an error says what it likes :: + ask 7 session/list {} | S {"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no","data":{"session_id":"s"}}}
        silent  an extension says what it likes :: open | S {"jsonrpc":"2.0","method":"_x","params":{"session_id":"s"}} | ask 7 _x {} | result 7 {"session_id":"s"}
        silent  our own :: open | ask 1 session/new {"mcp_servers":[]}
        upheld  names of fields are the agent's :: + create 5 {"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"session_id":{"type":"string"}}}}
        silent  a second answer is another row's :: open | ask 1 _x {} | result 1 {} | result 1 {"session_id":"s"}
        silent  params that are no object :: open | S {"jsonrpc":"2.0","method":"session/update","params":["session_id"]}
        "#,
    );
}

#[test]
fn every_response_has_an_id() {
    holds_with(
        "ACP-JSONRPC-028",
        r#"open | C nonsense | S {"jsonrpc":"2.0",$}"#,
        r#"
        upheld  "id":null,"error":{"code":-32700,"message":"no"}
        upheld  "id":0,"result":{}
        broken  "error":{"code":-32700,"message":"no"}
        broken  "result":{}
        silent  "method":"_x"
        silent  "id":0
        silent  "level":"info"
        "#,
    );
    holds(
        "ACP-JSONRPC-028",
        "open",
        r#"
        silent  silence is no fault :: + C nonsense | settled
        silent  our own :: + C {"jsonrpc":"2.0","result":{}}
        silent  an array :: + S [{"jsonrpc":"2.0","result":{}}]
        "#,
    );
}
