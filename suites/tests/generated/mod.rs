//! Scripts that are right, of every kind of step, for properties.

use elenchus_suites::script::{
    ANSWER_FAULTS, Advertise, AgentExit, Each, Fill, Growth, Heed, Need, Part, Question, Reply,
    SESSION, Script, Signal, Step, StepKind, Target, Template, Whenever,
};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::{collection, option};

/// Joins texts, so that a template has the form that a parser gives it.
fn template(parts: Vec<Part>) -> Template {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        match (joined.last_mut(), part) {
            (_, Part::Text(text)) if text.is_empty() => {}
            (Some(Part::Text(before)), Part::Text(text)) => before.push_str(&text),
            (_, part) => joined.push(part),
        }
    }
    Template { parts: joined }
}

fn text(text: impl Into<String>) -> Part {
    Part::Text(text.into())
}

/// Paths that have a value in every generated script, once its session is open.
fn path() -> impl Strategy<Value = Vec<String>> {
    select(
        &[
            "session",
            "cwd",
            "canary",
            "version",
            "e",
            "e.a",
            "e.0._meta",
            "sent.id",
            "sent.result.x",
            "q.params.a.1",
            "q.id",
        ][..],
    )
    .prop_map(|dotted| dotted.split('.').map(str::to_owned).collect())
}

/// The content of a JSON string: any characters, escapes, holes.
fn string() -> impl Strategy<Value = Vec<Part>> {
    let piece = prop_oneof![
        4 => "[ -!#-\\[\\]-~é\u{2028}😀]{0,8}".prop_map(|t| text(t.replace("${", "$ {"))),
        1 => select(&["\\n", "\\\"", "\\\\", "\\ud800", "\\u0024{", "\\/"][..]).prop_map(text),
        1 => path().prop_map(Part::Inner),
    ];
    // Between pieces no `$` and `{` may come together by chance.
    collection::vec(piece, 0..4).prop_map(|pieces| {
        let spaced = pieces.into_iter().flat_map(|piece| [piece, text(" ")]);
        [text("\"")]
            .into_iter()
            .chain(spaced)
            .chain([text("\"")])
            .collect()
    })
}

/// A JSON value, in parts.
fn value() -> impl Strategy<Value = Vec<Part>> {
    let leaf = prop_oneof![
        4 => select(&["null", "true", "false", "0", "-0.0", "1e3", "12345678901234567890", "1E+2", "{ }", "[]"][..])
            .prop_map(|t| vec![text(t)]),
        2 => string(),
        1 => path().prop_map(|path| vec![Part::Json(path)]),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let separator = select(&[",", ", ", " ,\t"][..]);
        prop_oneof![
            (collection::vec(inner.clone(), 1..4), separator.clone()).prop_map(
                |(items, separator)| {
                    let joined = items.into_iter().enumerate().flat_map(|(n, item)| {
                        let before = if n == 0 { "[" } else { separator };
                        [vec![text(before)], item].concat()
                    });
                    joined.chain([text("]")]).collect()
                }
            ),
            object_of(inner.boxed(), separator.boxed()),
        ]
    })
}

fn object_of(
    member: BoxedStrategy<Vec<Part>>,
    separator: BoxedStrategy<&'static str>,
) -> impl Strategy<Value = Vec<Part>> {
    (collection::vec((string(), member), 1..4), separator).prop_map(|(members, separator)| {
        let joined = members
            .into_iter()
            .enumerate()
            .flat_map(|(n, (key, value))| {
                let before = if n == 0 { "{" } else { separator };
                [vec![text(before)], key, vec![text(": ")], value].concat()
            });
        joined.chain([text("}")]).collect()
    })
}

fn json() -> impl Strategy<Value = Template> {
    value().prop_map(template)
}

fn object() -> impl Strategy<Value = Template> {
    object_of(value().boxed(), Just(", ").boxed()).prop_map(template)
}

/// The text of a prompt: no space at its ends.
fn prompt_text() -> impl Strategy<Value = Template> {
    let piece = prop_oneof![
        3 => "[!-~é][ -~é]{0,12}[!-~é]".prop_map(text),
        1 => path().prop_map(Part::Inner),
    ];
    collection::vec(piece, 1..4).prop_map(template)
}

fn advertise() -> impl Strategy<Value = Advertise> {
    prop_oneof![
        Just(Advertise::Default),
        Just(Advertise::Absent),
        json().prop_map(Advertise::Value)
    ]
}

fn method() -> impl Strategy<Value = String> {
    select(
        &[
            "session/cancel",
            "$/cancel_request",
            "_x",
            "id",
            "as",
            "elicitation/create",
        ][..],
    )
    .prop_map(str::to_owned)
}

fn session() -> impl Strategy<Value = String> {
    select(&[SESSION, "other"][..]).prop_map(str::to_owned)
}

/// A step that only sends, after the steps of [`prelude`].
fn sending() -> impl Strategy<Value = StepKind> {
    let q = || "q".to_owned();
    let name = || option::of(Just("sent".to_owned()));
    prop_oneof![
        (session(), prompt_text()).prop_map(|(session, text)| StepKind::Prompt { session, text }),
        (method(), option::of(json()), option::of(json()), name()).prop_map(
            |(method, params, id, name)| StepKind::Request {
                method,
                params,
                id,
                name
            }
        ),
        (method(), option::of(json()))
            .prop_map(|(method, params)| StepKind::Notify { method, params }),
        json().prop_map(move |result| StepKind::Answer { name: q(), result }),
        object().prop_map(move |error| StepKind::Refuse { name: q(), error }),
        (json(), json()).prop_map(|(id, result)| StepKind::Respond { id, result }),
        prop_oneof![
            Just(Fill::Valid),
            Just(Fill::Required),
            select(&ANSWER_FAULTS[..]).prop_map(|kind| Fill::Invalid(kind.to_owned())),
        ]
        .prop_map(move |how| StepKind::Fill { name: q(), how }),
        any::<bool>().prop_map(move |typing| StepKind::Visit { name: q(), typing }),
        collection::vec(any::<u8>(), 1..12).prop_map(StepKind::Raw),
        "[ -~é\u{200b}]{1,12}".prop_map(|t| StepKind::Raw(t.into_bytes())),
    ]
}

/// Any step that may come after those of [`prelude`] and leaves the connection open.
fn middle() -> impl Strategy<Value = StepKind> {
    prop_oneof![
        6 => sending(),
        1 => (advertise(), option::of(object())).prop_map(|(advertise, patch)| StepKind::Initialize { advertise, patch }),
        1 => (option::of(object()), session()).prop_map(|(patch, name)| StepKind::Session { patch, name }),
        1 => Just(StepKind::Await("sent".to_owned())),
        1 => (method(), option::of(select(&["q", "again"][..]))).prop_map(|(method, name)| StepKind::Expect {
            method,
            name: name.map(str::to_owned)
        }),
        1 => session().prop_map(|session| StepKind::TurnEnds { session }),
        1 => Just(StepKind::Settle),
        1 => Just(StepKind::CallAnnounced),
        1 => (0_u32..9000).prop_map(|size| StepKind::Pieces(Template::exact(size.to_string()))),
        1 => (select(&Growth::ALL[..]), option::of(0_u32..9)).prop_map(|(with, place)| StepKind::Grow {
            with,
            place: place.map(|place| Template::exact(place.to_string())),
        }),
        1 => Just(StepKind::Text { size: Template::exact("4096"), name: "made".to_owned() }),
        1 => Just(StepKind::On("A".to_owned())),
    ]
}

fn race() -> impl Strategy<Value = StepKind> {
    let arm = prop_oneof![8 => sending(), 1 => Just(StepKind::Close)];
    (
        collection::vec(1_u64..10_000_000, 0..3),
        collection::vec(arm, 2..=5),
    )
        .prop_map(|(gaps_us, arms)| StepKind::Race {
            gaps_us,
            arms: arms.into_iter().map(step).collect(),
        })
}

fn step(kind: StepKind) -> Step {
    Step { line: 0, kind }
}

/// Steps after which every path of [`path`] has a value.
fn prelude(advertise: Advertise) -> Vec<StepKind> {
    let prompt = |session: &str| StepKind::Prompt {
        session: session.to_owned(),
        text: Template::exact("/hold"),
    };
    let request = StepKind::Request {
        method: "m".to_owned(),
        params: None,
        id: None,
        name: Some("sent".to_owned()),
    };
    vec![
        StepKind::Open(advertise),
        StepKind::Session {
            patch: None,
            name: "other".to_owned(),
        },
        prompt(SESSION),
        prompt("other"),
        request,
        StepKind::Expect {
            method: "m".to_owned(),
            name: Some("q".to_owned()),
        },
    ]
}

/// A capability that needs no name but those of the head.
fn first_advertise() -> impl Strategy<Value = Advertise> {
    let value = select(&["null", "{\"form\": {}}", "5"][..])
        .prop_map(|t| Advertise::Value(Template::exact(t)));
    let hole = Just(Advertise::Value(Template {
        parts: vec![Part::Json(vec!["e".to_owned()])],
    }));
    prop_oneof![
        Just(Advertise::Default),
        Just(Advertise::Absent),
        value,
        hole
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    (
        first_advertise(),
        collection::vec(middle(), 0..8),
        option::of(race()),
        any::<bool>(),
    )
        .prop_map(|(advertise, middle, race, on_b)| {
            let b = [
                StepKind::On("B".to_owned()),
                StepKind::Connect,
                StepKind::Close,
            ];
            let last = b.into_iter().filter(|_| on_b);
            prelude(advertise)
                .into_iter()
                .chain(middle)
                .chain(race)
                .chain(last)
                .map(step)
                .collect()
        })
}

fn whenever() -> impl Strategy<Value = Vec<Whenever>> {
    let reply = || {
        let holes = select(&["cwd", "e.x", "session"][..])
            .prop_map(|p| p.split('.').map(str::to_owned).collect());
        prop_oneof![
            holes.prop_map(|path| Reply::Answer(Template {
                parts: vec![Part::Json(path)]
            })),
            Just(Reply::Refuse(Template::exact("{\"code\": -1}"))),
            Just(Reply::Fill),
            Just(Reply::Ignore),
        ]
    };
    (option::of(reply()), option::of(reply())).prop_map(|(first, second)| {
        let whenever = |method: &str, reply| Whenever {
            method: method.to_owned(),
            reply,
            line: 0,
        };
        first
            .map(|r| whenever("a/b", r))
            .into_iter()
            .chain(second.map(|r| whenever("$/c", r)))
            .collect()
    })
}

fn ids() -> impl Strategy<Value = Vec<String>> {
    prop::sample::subsequence(vec!["ACP-X-001", "ACP-ELICIT-CAP-004", "MCP-Y-010"], 0..=3)
        .prop_map(|ids| ids.into_iter().map(str::to_owned).collect())
}

fn needs() -> impl Strategy<Value = Vec<Need>> {
    let all = vec![
        Need::Method("session/load".to_owned()),
        Need::Trigger("/elicit form".to_owned()),
        Need::Method("session/list".to_owned()),
    ];
    prop::sample::subsequence(all, 0..=3)
}

/// A script that reads back the same after printing, with every line number 0.
pub(crate) fn script() -> impl Strategy<Value = Script> {
    let about = select(&["", "One.", "One.\n\n  Two.", "# hash"][..]);
    let versions = select(vec![vec![1_u16], vec![2], vec![1, 2], vec![2, 1]]);
    let values = select(vec![
        vec!["1"],
        vec!["{\"a\": [1 ,2]}", "null", "\"${x} ]\""],
        vec!["1e3", "1e3"],
    ]);
    let head = (about, versions, values);
    (head, ids(), needs(), ids(), whenever(), steps()).prop_map(
        |((about, versions, values), covers, needs, breaks, whenever, steps)| Script {
            name: "t".to_owned(),
            about: about.to_owned(),
            target: Target::Agent,
            versions,
            covers,
            needs,
            thorough: breaks.len() == 1,
            breaks,
            each: vec![Each {
                name: "e".to_owned(),
                values: values.iter().map(|v| (*v).to_owned()).collect(),
            }],
            client: None,
            whenever,
            steps,
        },
    )
}

/// A step of an agent, after `serve` and `ask ... as sent`.
fn agents() -> impl Strategy<Value = StepKind> {
    let patch = || option::of(object());
    let question = prop_oneof![
        option::of(object()).prop_map(Question::Form),
        option::of(json()).prop_map(Question::Url),
        Just(Question::Permission),
    ];
    let name = option::of(Just("sent".to_owned()));
    prop_oneof![
        patch().prop_map(|patch| StepKind::Welcome { patch }),
        patch().prop_map(|patch| StepKind::Serve { patch }),
        json().prop_map(StepKind::Update),
        (question, patch(), name).prop_map(|(question, patch, name)| StepKind::Ask {
            question,
            patch,
            name
        }),
        option::of(json()).prop_map(StepKind::EndTurn),
        Just(StepKind::NextTurn),
        Just(StepKind::Await("sent".to_owned())),
    ]
}

/// As [`script`], for clients.
pub(crate) fn client_script() -> impl Strategy<Value = Script> {
    let told = select(
        &[
            r#"{"answers": $e, "turns": 2}"#,
            r"{}",
            r#"{"capabilities": "absent", "cancel":"update" , "linger": 5, "prompt": "x", "permission": "idle"}"#,
        ][..],
    );
    let told = option::of(told.prop_map(|text| match text.split_once("$e") {
        Some((before, after)) => Template {
            parts: vec![
                self::text(before),
                Part::Json(vec!["e".to_owned()]),
                self::text(after),
            ],
        },
        None => Template::exact(text),
    }));
    let needs = prop::sample::subsequence(Heed::ALL.map(Need::Heeds).to_vec(), 0..=5);
    let whenever = whenever().prop_filter("a client is asked for nothing to fill", |whenever| {
        whenever.iter().all(|w| w.reply != Reply::Fill)
    });
    let steps = collection::vec(agents(), 0..8);
    let exit = prop_oneof![
        any::<u8>().prop_map(AgentExit::Code),
        select(&Signal::ALL[..]).prop_map(AgentExit::Signal),
    ];
    // Nothing can be said on that connection behind it.
    let last = option::of(exit.prop_map(StepKind::Exit));
    let steps = (steps, last).prop_map(|(mut steps, last)| {
        steps.extend(last);
        steps
    });
    (script(), told, needs, whenever, steps).prop_map(|(script, client, needs, whenever, steps)| {
        let ask = StepKind::Ask {
            question: Question::Permission,
            patch: None,
            name: Some("sent".to_owned()),
        };
        let expect = StepKind::Expect {
            method: "m".to_owned(),
            name: Some("q".to_owned()),
        };
        let first = [StepKind::Serve { patch: None }, ask, expect];
        Script {
            target: Target::Client,
            client,
            needs,
            whenever,
            steps: first.into_iter().chain(steps).map(step).collect(),
            ..script
        }
    })
}
