//! Each step word, in every form that it has, and what it is read as.

use elenchus_suites::script::{
    Advertise, AgentExit, Fill, Heed, Need, Part, Question, Signal, StepKind, Template, parse,
};

/// Lines that make every name known that the tables use.
const BEFORE: &str = "target agent\nversions 1 2\neach v [1, {\"a\": [true]}]\nopen\nsession as other\nprompt hi\n\
                      prompt @other hi\nrequest m as sent\nexpect m as question\n";

/// The step that a line is read as, after [`BEFORE`].
fn step(line: &str) -> StepKind {
    match parse("t", &format!("{BEFORE}{line}\n")) {
        Ok(mut script) => script.steps.pop().expect("a script has steps").kind,
        Err(error) => panic!("{}", error.caret()),
    }
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

fn json(path: &str) -> Part {
    Part::Json(path.split('.').map(str::to_owned).collect())
}

fn inner(path: &str) -> Part {
    Part::Inner(path.split('.').map(str::to_owned).collect())
}

fn exact(text: &str) -> Template {
    Template::exact(text)
}

fn template(parts: &[Part]) -> Template {
    Template {
        parts: parts.to_vec(),
    }
}

fn owned(text: &str) -> String {
    text.to_owned()
}

#[test]
fn connections_are_opened_in_three_ways() {
    let on_b = |line: &str| step(&format!("on B\n{line}"));
    let initialize = |advertise, patch| StepKind::Initialize { advertise, patch };
    for (line, expected) in [
        ("open", StepKind::Open(Advertise::Default)),
        ("open absent", StepKind::Open(Advertise::Absent)),
        (
            "open null",
            StepKind::Open(Advertise::Value(Template::exact("null"))),
        ),
        (
            "open  {\"form\": {} } ",
            StepKind::Open(Advertise::Value(Template::exact("{\"form\": {} }"))),
        ),
        (
            "open $v.a",
            StepKind::Open(Advertise::Value(template(&[json("v.a")]))),
        ),
        ("connect", StepKind::Connect),
        ("connect\ninitialize", initialize(Advertise::Default, None)),
        (
            "connect\ninitialize absent",
            initialize(Advertise::Absent, None),
        ),
        (
            "connect\ninitialize with {\"protocolVersion\": 7}",
            initialize(Advertise::Default, Some(exact("{\"protocolVersion\": 7}"))),
        ),
        (
            "connect\ninitialize absent with {}",
            initialize(Advertise::Absent, Some(exact("{}"))),
        ),
        (
            "connect\ninitialize true with {}",
            initialize(Advertise::Value(Template::exact("true")), Some(exact("{}"))),
        ),
    ] {
        assert_eq!(on_b(line), expected, "{line}");
    }
    assert_eq!(step("on B"), StepKind::On("B".to_owned()));
    assert_eq!(step("close"), StepKind::Close);
    assert_eq!(step("close\nopen"), StepKind::Open(Advertise::Default));
}

#[test]
fn sessions_have_names() {
    for (line, patch, name) in [
        ("session", None, "session"),
        ("session as third", None, "third"),
        (
            "session with {\"_meta\": {}}",
            Some(exact("{\"_meta\": {}}")),
            "session",
        ),
        (
            "session with {\"cwd\": $cwd} as x_1",
            Some(template(&[text("{\"cwd\": "), json("cwd"), text("}")])),
            "x_1",
        ),
        ("session with $v", Some(template(&[json("v")])), "session"),
    ] {
        assert_eq!(
            step(line),
            StepKind::Session {
                patch,
                name: name.to_owned()
            },
            "{line}"
        );
    }
    let turn_ends = |session: &str| StepKind::TurnEnds {
        session: session.to_owned(),
    };
    assert_eq!(step("turn ends"), turn_ends("session"));
    assert_eq!(step("turn ends @other"), turn_ends("other"));
}

#[test]
fn a_prompt_is_plain_text_with_holes() {
    for (line, session, parts) in [
        (
            "prompt /hold elicit form",
            "session",
            vec![text("/hold elicit form")],
        ),
        ("prompt   /say  a  b  ", "session", vec![text("/say  a  b")]),
        ("prompt @other /say x", "other", vec![text("/say x")]),
        ("prompt @session @x", "session", vec![text("@x")]),
        (
            "prompt /elicit form $v",
            "session",
            vec![text("/elicit form "), inner("v")],
        ),
        (
            "prompt ${v.a}b $session.",
            "session",
            vec![inner("v.a"), text("b "), inner("session"), text(".")],
        ),
        (
            "prompt /elicit form {\"$$ref\": \"^a$\"} 5$",
            "session",
            vec![text("/elicit form {\"$ref\": \"^a$\"} 5$")],
        ),
        (
            "prompt id as with absent",
            "session",
            vec![text("id as with absent")],
        ),
        ("prompt # no comment", "session", vec![text("# no comment")]),
    ] {
        let text = Template { parts };
        assert_eq!(
            step(line),
            StepKind::Prompt {
                session: session.to_owned(),
                text
            },
            "{line}"
        );
    }
}

#[test]
fn requests_and_notifications_take_exact_json() {
    let request = |params, id, name| StepKind::Request {
        method: "session/list".to_owned(),
        params,
        id,
        name,
    };
    for (line, expected) in [
        ("request session/list", request(None, None, None)),
        (
            "request session/list null",
            request(Some(exact("null")), None, None),
        ),
        (
            "request session/list id 1e3",
            request(None, Some(exact("1e3")), None),
        ),
        (
            "request session/list id \"id\" as r",
            request(None, Some(exact("\"id\"")), Some(owned("r"))),
        ),
        (
            "request session/list [1 ,2] as r",
            request(Some(exact("[1 ,2]")), None, Some(owned("r"))),
        ),
        (
            "request session/list {\"a\":1,\"a\":-0.0E+2} id null as r",
            request(
                Some(exact("{\"a\":1,\"a\":-0.0E+2}")),
                Some(exact("null")),
                Some(owned("r")),
            ),
        ),
        (
            "request session/list \"\\ud800 \\u00e9é\"",
            request(Some(exact("\"\\ud800 \\u00e9é\"")), None, None),
        ),
        (
            "request session/list {\"a ${v.a.0}\": [$question.params.x , $sent.id]}",
            request(
                Some(template(&[
                    text("{\"a "),
                    inner("v.a.0"),
                    text("\": ["),
                    json("question.params.x"),
                    text(" , "),
                    json("sent.id"),
                    text("]}"),
                ])),
                None,
                None,
            ),
        ),
        (
            "request session/list \"$v $5 $\"",
            request(Some(exact("\"$v $5 $\"")), None, None),
        ),
        (
            "request session/list ${v} id $question.id",
            request(
                Some(template(&[json("v")])),
                Some(template(&[json("question.id")])),
                None,
            ),
        ),
    ] {
        assert_eq!(step(line), expected, "{line}");
    }
    let notify = |params| StepKind::Notify {
        method: "$/cancel_request".to_owned(),
        params,
    };
    assert_eq!(step("notify $/cancel_request"), notify(None));
    assert_eq!(
        step(
            "notify $/cancel_request {\"id\": id}"
                .replace("id}", "5}")
                .as_str()
        ),
        notify(Some(exact("{\"id\": 5}")))
    );
    assert_eq!(step("await sent"), StepKind::Await("sent".to_owned()));
}

#[test]
fn messages_of_the_target_are_taken_and_answered() {
    let name = || "question".to_owned();
    let fill = |how| StepKind::Fill { name: name(), how };
    for (line, expected) in [
        (
            "expect elicitation/create",
            StepKind::Expect {
                method: "elicitation/create".to_owned(),
                name: None,
            },
        ),
        (
            "expect x as again",
            StepKind::Expect {
                method: "x".to_owned(),
                name: Some(owned("again")),
            },
        ),
        (
            "answer question 5",
            StepKind::Answer {
                name: name(),
                result: Template::exact("5"),
            },
        ),
        (
            "refuse question {\"code\":-32601}",
            StepKind::Refuse {
                name: name(),
                error: Template::exact("{\"code\":-32601}"),
            },
        ),
        (
            "respond $question.id 5",
            StepKind::Respond {
                id: template(&[json("question.id")]),
                result: exact("5"),
            },
        ),
        (
            "respond 1e3 {}",
            StepKind::Respond {
                id: exact("1e3"),
                result: exact("{}"),
            },
        ),
        ("fill question", fill(Fill::Valid)),
        ("fill question valid", fill(Fill::Valid)),
        ("fill question required", fill(Fill::Required)),
        (
            "fill question invalid not-a-choice",
            fill(Fill::Invalid("not-a-choice".to_owned())),
        ),
        (
            "visit question",
            StepKind::Visit {
                name: name(),
                typing: false,
            },
        ),
        (
            "visit question typing",
            StepKind::Visit {
                name: name(),
                typing: true,
            },
        ),
        ("settle", StepKind::Settle),
        ("call announced", StepKind::CallAnnounced),
    ] {
        assert_eq!(step(line), expected, "{line}");
    }
}

#[test]
fn raw_bytes_are_kept_up_to_the_end_of_the_line() {
    for (line, expected) in [
        (
            r#"raw {"jsonrpc": "2.0"}\n"#,
            b"{\"jsonrpc\": \"2.0\"}\n".as_slice(),
        ),
        ("raw  a ", b" a "),
        (r"raw \xff\xfe\u{feff}", b"\xff\xfe\xef\xbb\xbf"),
        ("raw $v ${v} # x", b"$v ${v} # x"),
    ] {
        assert_eq!(step(line), StepKind::Raw(expected.to_vec()), "{line}");
    }
}

#[test]
fn a_race_has_its_arms_below() {
    let lines =
        "race 200us 2ms 1s\n  - notify a\n# between\n\n- answer question {} \n  - raw x\nsettle";
    let script = parse("t", &format!("{BEFORE}{lines}")).expect("a script");
    let [.., race, settle] = script.steps.as_slice() else {
        panic!("too few steps")
    };
    let StepKind::Race { gaps_us, arms } = &race.kind else {
        panic!("{race:?} is no race")
    };
    assert_eq!(gaps_us, &[200, 2_000, 1_000_000]);
    let arms: Vec<(u32, String)> = arms.iter().map(|arm| (arm.line, arm.to_string())).collect();
    let at = |line: u32, text: &str| (line, text.to_owned());
    assert_eq!(race.line, 10);
    assert_eq!(
        arms,
        [
            at(11, "notify a"),
            at(14, "answer question {}"),
            at(15, "raw x")
        ]
    );
    assert_eq!(settle.kind, StepKind::Settle);
}

#[test]
fn an_agent_serves_and_asks() {
    let read = |line: &str| {
        let script = format!("target client\nversions 1 2\n\nserve\n{line}\n");
        let script = parse("t", &script).unwrap_or_else(|error| panic!("{}", error.caret()));
        script.steps[1].kind.clone()
    };
    let ask = |question, patch, name: Option<&str>| StepKind::Ask {
        question,
        patch,
        name: name.map(str::to_owned),
    };
    for (line, expected) in [
        ("welcome", StepKind::Welcome { patch: None }),
        (
            "serve with {\"agentCapabilities\": {}}",
            StepKind::Serve {
                patch: Some(exact("{\"agentCapabilities\": {}}")),
            },
        ),
        (
            "update {\"a\": 1e3}",
            StepKind::Update(exact("{\"a\": 1e3}")),
        ),
        ("ask form", ask(Question::Form(None), None, None)),
        (
            "ask form {} as q",
            ask(Question::Form(Some(exact("{}"))), None, Some("q")),
        ),
        (
            "ask url \"x:y\" with {\"elicitationId\": 5} as q",
            ask(
                Question::Url(Some(exact("\"x:y\""))),
                Some(exact("{\"elicitationId\": 5}")),
                Some("q"),
            ),
        ),
        (
            "ask url $site",
            ask(Question::Url(Some(template(&[json("site")]))), None, None),
        ),
        (
            "ask permission as q",
            ask(Question::Permission, None, Some("q")),
        ),
        ("end turn", StepKind::EndTurn(None)),
        (
            "end turn cancelled",
            StepKind::EndTurn(Some(exact("\"cancelled\""))),
        ),
        ("end turn null", StepKind::EndTurn(Some(exact("null")))),
        ("next turn", StepKind::NextTurn),
        ("exit 7", StepKind::Exit(AgentExit::Code(7))),
        (
            "exit SIGKILL",
            StepKind::Exit(AgentExit::Signal(Signal::ALL[1])),
        ),
    ] {
        assert_eq!(read(line), expected, "{line}");
    }
}

#[test]
fn what_a_client_is_told_stands_in_the_head() {
    let script = "target client\nversions 1\nneeds answers cancel\neach a [[], null]\nclient {\"answers\": $a}\n\nserve\n";
    let script = parse("t", script).unwrap_or_else(|error| panic!("{}", error.caret()));
    assert_eq!(
        script.needs,
        [Need::Heeds(Heed::Answers), Need::Heeds(Heed::Cancel)]
    );
    let told = template(&[text("{\"answers\": "), json("a"), text("}")]);
    assert_eq!(script.client, Some(told));
}
