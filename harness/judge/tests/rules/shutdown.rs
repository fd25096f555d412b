//! SHUTDOWN.

use crate::table::holds;

#[test]
fn an_idle_agent_ends_with_its_stdin() {
    holds(
        "ACP-SHUTDOWN-001",
        "opened",
        r"
        upheld  it ends :: + eof C | eof S | exit 0 close
        upheld  with another code, which is another row's :: + eof C | exit 1 close
        upheld  before it was spoken to :: opened | on 1 | open | eof C | exit 0 close
        upheld  before it has answered initialize :: opened | on 1 | open | initializing | eof C | exit 0 close
        silent  whether it is an agent, nothing shows :: open | initializing | eof C | exit 0 close
        upheld  after a turn :: + prompt 2 /say x | says x | done 2 | eof C | exit 0 close
        upheld  with a request open that is no turn :: + ask 2 _x {} | eof C | exit 0 close
        broken  it has to be killed :: + eof C | exit-deadline | exit-deadline | signal 9 kill
        silent  it needs SIGTERM, which is a remark :: + eof C | exit-deadline | exit 0 terminate
        silent  SIGTERM ended it, late :: + eof C | exit-deadline | exit-deadline | signal 15 kill
        silent  it ended before it could be killed :: + eof C | exit-deadline | exit-deadline | exit 0 kill
        silent  we were in a hurry :: + eof C | signal 9 kill
        silent  or in half of one :: + eof C | exit-deadline | signal 9 kill
        silent  it was in a turn :: + prompt 2 /hold | eof C | exit 0 close
        silent  it asks :: + prompt 2 /elicit form | form 9 | eof C | exit 0 close
        silent  it ended on its own :: + exit 0 nothing
        silent  SIGTERM with its stdin open :: + exit-deadline | signal 9 kill
        silent  it flooded us :: + limit | eof C | exit-deadline | exit-deadline | signal 9 kill
        silent  the recording was cut :: + eof C | exit-deadline | exit-deadline
        ",
    );
}

#[test]
fn so_does_a_busy_one() {
    holds(
        "ACP-SHUTDOWN-002",
        "opened",
        r"
        upheld  in a turn :: + prompt 2 /hold | eof C | exit 0 close
        upheld  it ends the turn first :: + prompt 2 /hold | eof C | stops 2 cancelled | exit 0 close
        upheld  with a question open :: + prompt 2 /elicit form | form 9 | eof C | exit 1 close
        upheld  with a permission request open :: + prompt 2 hi | permission 9 | eof C | exit 0 close
        broken  it has to be killed :: + prompt 2 /hold | eof C | exit-deadline | exit-deadline | signal 9 kill
        broken  with a question open :: + prompt 2 /elicit form | form 9 | eof C | exit-deadline | exit-deadline | signal 9 kill
        silent  SIGTERM ended it, late :: + prompt 2 /hold | eof C | exit-deadline | exit-deadline | signal 15 kill
        silent  it works on, and needs SIGTERM :: + prompt 2 hi | eof C | exit-deadline | says x | exit 0 terminate
        silent  idle :: + eof C | exit 0 close
        silent  idle, and killed :: + eof C | exit-deadline | exit-deadline | signal 9 kill
        ",
    );
}

#[test]
fn sigterm_ends_it() {
    holds(
        "ACP-SHUTDOWN-003",
        "opened",
        r"
        upheld  it does :: + signal 15 terminate
        upheld  it exits :: + exit 0 terminate
        upheld  it exits with a code :: + exit 143 terminate
        upheld  after it ignored the end of stdin :: + eof C | exit-deadline | signal 15 terminate
        broken  stdin was open :: + exit-deadline | signal 9 kill
        broken  stdin was closed :: + eof C | exit-deadline | exit-deadline | signal 9 kill
        silent  SIGTERM ended it, late :: + eof C | exit-deadline | exit-deadline | signal 15 kill
        silent  stdin was open, and it exited late :: + exit-deadline | exit 143 kill
        silent  we were in a hurry :: + signal 9 kill
        silent  in a hurry after the end of stdin :: + eof C | signal 9 kill
        silent  it was not needed :: + eof C | exit 0 close
        silent  it died before :: + exit 101 nothing
        ",
    );
}

#[test]
fn it_ends_cleanly() {
    holds(
        "ACP-SHUTDOWN-004",
        "opened",
        r#"
        upheld  status 0 :: + eof C | eof S | exit 0 close
        upheld  another code is a remark :: + eof C | exit 1 close
        upheld  it had said something :: + eof C | says bye | exit 0 close
        upheld  an answer without its line end is another row's :: + ask 2 _x {} | eof C | S! {"jsonrpc":"2.0","id":2,"result":{}} | exit 0 close
        upheld  half an answer is another row's :: + ask 2 _x {} | eof C | S! {"jsonrpc":"2.0","id":2,"resu | exit 0 close
        broken  half a line :: + eof C | S! {"jsonrpc":"2.0","meth | eof S | exit 0 close
        broken  a panic on stdout :: + eof C | S! thread 'main' panicked | exit 101 close
        broken  a notification without its line end :: + eof C | S! {"jsonrpc":"2.0","method":"_x"} | exit 0 close
        broken  a crash :: + eof C | signal 11 close
        silent  it was cut by SIGTERM :: + eof C | S! {"jsonrpc":"2.0","meth | exit-deadline | exit 0 terminate
        silent  it was killed :: + eof C | exit-deadline | S! {"json | signal 9 kill
        silent  it died before :: + S! {"json | exit 1 nothing
        silent  SIGTERM with its stdin open :: + signal 15 terminate
        "#,
    );
}

#[test]
fn the_last_request_is_answered_or_dropped() {
    holds(
        "ACP-SHUTDOWN-008",
        "opened",
        r#"
        upheld  answered :: + ask 2 _x {} | eof C | fails 2 -32601 | exit 0 close
        upheld  dropped :: + ask 2 _x {} | eof C | exit 0 close
        upheld  one of two :: + ask 2 _x {} | ask 3 _x {} | eof C | fails 3 -32601 | exit 0 close
        upheld  a prompt :: + prompting 2 hi | eof C | exit 0 close
        upheld  an answer without its line end is another row's :: + ask 2 _x {} | eof C | S! {"jsonrpc":"2.0","id":2,"result":{}} | exit 0 close
        broken  half an answer :: + ask 2 _x {} | eof C | S! {"jsonrpc":"2.0","id":2,"resu | eof S | exit 0 close
        broken  half a notification :: + ask 2 _x {} | eof C | S! {"jsonrpc | exit 1 close
        silent  nothing was open :: + eof C | S! {"jsonrpc | exit 0 close
        silent  it was cut by SIGTERM :: + ask 2 _x {} | eof C | exit-deadline | S! {"json | signal 15 terminate
        "#,
    );
}

#[test]
fn two_processes_run_side_by_side() {
    holds(
        "ACP-SHUTDOWN-009",
        "opened | on 1 | open | init",
        r#"
        upheld  both have a session :: + session 1 t
        broken  the second is refused :: + ask 1 session/new {"cwd":"/","mcpServers":[]} | fails 1 -32603
        broken  the second does not answer :: + ask 1 session/new {"cwd":"/","mcpServers":[]} | deadline 1
        unclear it asks for a login :: + ask 1 session/new {"cwd":"/","mcpServers":[]} | fails 1 -32000
        unclear it dies :: + ask 1 session/new {"cwd":"/","mcpServers":[]} | exit 1 nothing
        silent  other params :: + ask 1 session/new {"cwd":"/no/such/folder","mcpServers":[]} | fails 1 -32602
        silent  other capabilities :: opened | on 1 | open | init absent | ask 1 session/new {"cwd":"/","mcpServers":[]} | fails 1 -32603
        silent  the first is gone :: opened | eof C | exit 0 close | on 1 | open | init | ask 1 session/new {"cwd":"/","mcpServers":[]} | fails 1 -32603
        silent  the first was refused too :: open | init | ask 1 session/new {"cwd":"/","mcpServers":[]} | fails 1 -32603 | on 1 | open | init | ask 1 session/new {"cwd":"/","mcpServers":[]} | fails 1 -32603
        silent  one process :: opened | ask 2 session/new {"cwd":"/","mcpServers":[]} | fails 2 -32603
        "#,
    );
}
