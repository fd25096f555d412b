//! TERM: the terminals of a client (v1). What a command has to come to is known of those that every system has: echo, pwd,
//! printenv, true, false and sleep. A client may ask a person before it runs one, and may refuse to.

use elenchus_protocol::Version;
use elenchus_wire::Side;
use serde_json::Value;

use crate::{
    fact::Moment,
    kinds::ANSWERS,
    rule::{Rule, Still, Subject, Why},
    rules::{jsonrpc::offered, lifecycle::text_param, report::quoted, told::misfit},
    text,
    world::{Answered, Conn, Request},
};

pub(super) const RULES: &[Rule] = &[
    AT_ONCE.at(&[ANSWERS]),
    OUTPUT.at(&[ANSWERS]),
    EXIT.at(&[ANSWERS]),
    KILL.at(&[ANSWERS]),
    RELEASE.at(&[ANSWERS]),
    LIMIT.at(&[ANSWERS]),
    AS_GIVEN.at(&[ANSWERS]),
];

const CREATE: &str = "terminal/create";
const OUTPUT_OF: &str = "terminal/output";
const WAIT: &str = "terminal/wait_for_exit";

/// The answer at hand to a request about terminals, where the client offers them.
fn answered<'a>(m: &Moment<'a>, methods: &[&str]) -> Option<(usize, &'a Request, &'a Answered)> {
    let (index, request) = m.answered()?;
    let asked = methods.contains(&request.method.as_str())
        && m.judged == Side::Client
        && m.conn.version() == Version::AcpV1
        && offered(m.conn, &request.method);
    asked.then_some((index, request, request.answer()?))
}

/// The request that made the terminal which another one names.
fn made<'a>(conn: &'a Conn, request: &Request) -> Option<&'a Request> {
    let id = text_param(request, "terminalId")?;
    conn.requests.iter().rev().find(|it| {
        let made = it.result().and_then(|result| result.get("terminalId"));
        it.from == Side::Server && it.method == CREATE && made.is_some_and(|made| made == id)
    })
}

/// The terminal that a request names was asked to be killed or released before it was answered.
fn asked_to_end(conn: &Conn, request: &Request, methods: &[&str]) -> bool {
    let answered = request.answer().map_or(u64::MAX, |answer| answer.seq);
    conn.requests.iter().any(|it| {
        it.from == Side::Server
            && methods.contains(&it.method.as_str())
            && text_param(it, "terminalId") == text_param(request, "terminalId")
            && it.seq < answered
    })
}

const ENDS: &[&str] = &["terminal/kill", "terminal/release"];

/// The request came after another one of this method on the same terminal had succeeded.
fn after(conn: &Conn, request: &Request, method: &str) -> bool {
    conn.requests.iter().any(|it| {
        it.from == Side::Server
            && it.method == method
            && text_param(it, "terminalId") == text_param(request, "terminalId")
            && it
                .answer()
                .is_some_and(|answer| !answer.is_error && answer.seq < request.seq)
    })
}

fn command(create: &Request) -> &str {
    text_param(create, "command").unwrap_or_default()
}

fn arguments(create: &Request) -> Vec<&str> {
    let args = create.params.as_ref().and_then(|it| it.get("args"));
    let args = args.and_then(Value::as_array).into_iter().flatten();
    args.filter_map(Value::as_str).collect()
}

/// How long a command sleeps, in microseconds.
fn sleeps(create: &Request) -> Option<u64> {
    let args = arguments(create);
    let seconds: u64 = args.first()?.parse().ok()?;
    (command(create) == "sleep" && args.len() == 1).then_some(seconds.saturating_mul(1_000_000))
}

/// The status that an answer to `terminal/output` has.
fn status(answer: &Answered) -> Option<&Value> {
    let status = answer.result.as_ref()?.get("exitStatus")?;
    (!status.is_null()).then_some(status)
}

/// TERM-005: a terminal is there at once, and its command runs. Broken where the answer took as long as the command, and
/// the command was found at its end right after: it had begun by half of its time before the answer at the latest.
/// (v1 terminals#executing-commands)
const AT_ONCE: Rule = Rule::check_later(
    "ACP-TERM-005",
    |m, says| {
        if let Some((index, request, answer)) = answered(m, &[CREATE])
            && !answer.is_error
            && let Some(sleeps) = sleeps(request)
        {
            let waited = m.since(request.at_us).is_some_and(|took| took >= sleeps);
            let memo = if waited {
                m.event.at_us.to_string()
            } else {
                String::new()
            };
            says.watch_for(Subject::Request(index), memo);
        }
    },
    |m, watch| {
        let Subject::Request(index) = watch.subject else {
            return Still::Moot;
        };
        let create = &m.conn.requests[index];
        let Some((_, request, answer)) = answered(m, &[OUTPUT_OF]) else {
            return Still::Watching;
        };
        let this = made(m.conn, request).is_some_and(|it| it.seq == create.seq);
        if !this || answer.is_error {
            return Still::Watching;
        }
        let since = watch
            .memo
            .parse()
            .ok()
            .and_then(|answered| m.since(answered));
        let at_once = since
            .zip(sleeps(create))
            .is_some_and(|(took, sleeps)| took < sleeps / 2);
        match status(answer) {
            None => Still::Upheld,
            Some(_) if asked_to_end(m.conn, request, ENDS) => Still::Moot,
            Some(_) if after(m.conn, request, WAIT) => {
                Still::Unclear("its end was waited for before its output was asked for".to_owned())
            }
            Some(_) if at_once => Still::Broken(
                Why::new(
                    "the terminalId while the command runs",
                    "terminal/create was answered only when its command had ended",
                )
                .sent(create.text.clone()),
            ),
            Some(_) => Still::Unclear("the command may have ended meanwhile".to_owned()),
        }
    },
)
.of_client();

/// Why nothing is said of a sleep that ended before its time, and not well.
const FAILED: &str = "the command failed";

/// TERM-006: output comes at any time, with whether it is cut, and with how the command ended once it has.
/// (v1 terminals#getting-output)
const OUTPUT: Rule = Rule::check("ACP-TERM-006", |m, says| {
    let Some((_, request, answer)) = answered(m, &[OUTPUT_OF]) else {
        return;
    };
    let Some(create) = made(m.conn, request).filter(|_| !answer.is_error) else {
        return;
    };
    let broken = |what: &str| {
        Why::new(
            "the output so far, and how the command ended once it has",
            what,
        )
        .sent(request.text.clone())
    };
    let mut clean = true;
    for mismatch in m.mismatches() {
        clean = false;
        says.broken(misfit(OUTPUT_OF, mismatch).sent(request.text.clone()));
    }
    if !clean {
        return;
    }
    let ended = after(m.conn, request, WAIT);
    if let (Some(sleeps), Some(status)) = (sleeps(create), status(answer))
        && !asked_to_end(m.conn, request, ENDS)
        && let Some(took) = m.since(create.at_us)
    {
        let asked_early = request.at_us.saturating_sub(create.at_us) < sleeps / 2;
        if took < sleeps && status["exitCode"] == 0 {
            return says.broken(broken("a command that still sleeps was told to have ended"));
        }
        if took < sleeps {
            return says.unclear(FAILED);
        }
        if asked_early && !ended {
            return says.broken(broken(
                "the output of a command came only when that had ended",
            ));
        }
    }
    says.holds(status(answer).is_some() || !ended, || {
        broken("a command has ended, and its output has no exitStatus")
    });
})
.of_client();

/// TERM-007: the end of a command is told when it has come, with its exit code or the signal. That neither is there is a
/// remark. (v1 terminals#waiting-for-exit)
const EXIT: Rule = Rule::check("ACP-TERM-007", |m, says| {
    let Some((_, request, answer)) = answered(m, &[WAIT]) else {
        return;
    };
    let Some(create) = made(m.conn, request).filter(|_| !answer.is_error) else {
        return;
    };
    let mut clean = true;
    for mismatch in m.mismatches() {
        clean = false;
        says.broken(misfit(WAIT, mismatch).sent(request.text.clone()));
    }
    if !clean {
        return;
    }
    let member = |name: &str| answer.result.as_ref().and_then(|it| it.get(name));
    let code = member("exitCode").and_then(Value::as_u64);
    let signal = member("signal").is_some_and(Value::is_string);
    let broken = |expected: String, what: &str| {
        let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        Why::new(expected, format!("{what}, and the exitCode is {code}")).sent(request.text.clone())
    };
    if code.is_none() && !signal {
        return says.note("a command has ended, with neither an exitCode nor a signal");
    }
    let killed = asked_to_end(m.conn, request, ENDS);
    let wanted = match command(create) {
        "true" => Some(0),
        "false" => Some(1),
        _ => None,
    };
    // The command began after it was asked for, so that before this its sleep cannot have been over.
    let early = sleeps(create)
        .zip(m.since(create.at_us))
        .is_some_and(|(sleeps, took)| took < sleeps);
    if killed && sleeps(create).is_some() {
        if signal || code != Some(0) {
            says.upheld();
        } else if early {
            says.broken(broken(
                "a signal, or an exitCode other than 0".to_owned(),
                "a command was killed",
            ));
        } else {
            says.unclear("the command may have ended before it was killed");
        }
    } else if early && code == Some(0) {
        says.broken(broken(
            "an answer once the command has ended".to_owned(),
            "the end of a command was told while it slept",
        ));
    } else if early {
        says.unclear(FAILED);
    } else if let Some(wanted) = wanted.filter(|_| !killed) {
        says.holds(code == Some(wanted), || {
            broken(
                format!("the exitCode {wanted}"),
                &format!("the command {} was run", command(create)),
            )
        });
    } else {
        says.upheld();
    }
})
.of_client();

/// TERM-008: a terminal whose command was killed is still there. (v1 terminals#killing-commands)
const KILL: Rule = Rule::check("ACP-TERM-008", |m, says| {
    let Some((_, request, answer)) = answered(m, &[OUTPUT_OF, WAIT]) else {
        return;
    };
    if made(m.conn, request).is_none()
        || !after(m.conn, request, "terminal/kill")
        || asked_to_end(m.conn, request, &["terminal/release"])
    {
        return;
    }
    says.holds(!answer.is_error, || {
        Why::new(
            "a result, until the terminal is released",
            format!(
                "a command was killed, and {} was then answered with an error",
                request.method
            ),
        )
        .sent(request.text.clone())
    });
})
.of_client();

/// TERM-009: a terminal that was released is gone. That its command is too, this wire does not show.
/// (v1 terminals#releasing-terminals)
const RELEASE: Rule = Rule::check("ACP-TERM-009", |m, says| {
    let Some((_, request, answer)) = answered(m, &[OUTPUT_OF, WAIT, "terminal/kill"]) else {
        return;
    };
    if made(m.conn, request).is_none() || !after(m.conn, request, "terminal/release") {
        return;
    }
    says.holds(answer.is_error, || {
        Why::new(
            "an error",
            format!(
                "a terminal was released, and {} was then answered with a result",
                request.method
            ),
        )
        .sent(request.text.clone())
    });
})
.of_client();

/// What a command has written once it has ended, if that is known.
fn whole_output(create: &Request) -> Option<String> {
    let args = arguments(create);
    match command(create) {
        "echo" if args.first().is_none_or(|first| !first.starts_with('-')) => {
            Some(format!("{}\n", args.join(" ")))
        }
        "printenv" => {
            let env = create.params.as_ref()?.get("env")?.as_array()?;
            let named =
                |it: &&Value| it.get("name").and_then(Value::as_str) == args.first().copied();
            let value = env.iter().rev().find(named)?.get("value")?.as_str()?;
            (args.len() == 1).then(|| format!("{value}\n"))
        }
        "pwd" => text_param(create, "cwd").map(|cwd| format!("{cwd}\n")),
        _ => None,
    }
}

/// The output of a command that has ended, with what it wrote in all and what it may keep of that.
fn final_output<'a>(m: &Moment<'a>) -> Option<(&'a Request, &'a Request, &'a str, Option<usize>)> {
    let (_, request, answer) = answered(m, &[OUTPUT_OF])?;
    let create = made(m.conn, request)?;
    status(answer)?;
    let output = answer.result.as_ref()?.get("output")?.as_str()?;
    let limit = create.params.as_ref()?.get("outputByteLimit");
    let limit = limit.and_then(Value::as_u64);
    Some((
        request,
        create,
        output,
        limit.and_then(|it| usize::try_from(it).ok()),
    ))
}

/// TERM-010: where the output is limited, its end is kept, from a whole character on, and it is told that the rest is
/// gone. (v1 terminals#executing-commands)
const LIMIT: Rule = Rule::check("ACP-TERM-010", |m, says| {
    let Some((request, create, output, Some(limit))) = final_output(m) else {
        return;
    };
    let Some(whole) = whole_output(create).filter(|_| command(create) != "pwd") else {
        return;
    };
    if whole.len() <= limit {
        return;
    }
    let truncated = request
        .result()
        .is_some_and(|result| result["truncated"] == true);
    let kept = output.replace("\r\n", "\n");
    let sound = output.len() <= limit && whole.ends_with(&kept) && truncated;
    says.holds(sound, || {
        Why::new(
            format!("the last {limit} bytes at most, from a character on, and truncated: true"),
            format!(
                "of {} bytes came {}, {}",
                whole.len(),
                text::short_to(&format!("{output:?}"), 120),
                if truncated {
                    "truncated"
                } else {
                    "not truncated"
                }
            ),
        )
        .sent(request.text.clone())
    });
})
.of_client();

/// TERM-011: a command runs with the arguments, the environment and in the folder that it is given.
/// (v1 terminals#executing-commands; derived)
const AS_GIVEN: Rule = Rule::check("ACP-TERM-011", |m, says| {
    let Some((request, create, output, None)) = final_output(m) else {
        return;
    };
    let Some(whole) = whole_output(create) else {
        return;
    };
    let got = output.trim_end_matches(['\n', '\r']);
    let wanted = whole.trim_end_matches('\n');
    // A folder has several names where there are links.
    let last = |path: &str| {
        path.rsplit(['/', '\\'])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let same = got == wanted || command(create) == "pwd" && last(got) == last(wanted);
    says.holds(same, || {
        Why::new(
            text::short_to(wanted, 120),
            format!("{} brought {}", command(create), quoted(&Value::from(got))),
        )
        .sent(request.text.clone())
    });
})
.of_client();
