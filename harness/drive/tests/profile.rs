//! A target as its profile describes it: prompted in words of its author, signed in first.

use std::collections::{BTreeMap, BTreeSet};

use elenchus_drive::{
    Campaign, Knowledge, Launch, Observer, Outcome, Settings, campaign::Findings,
};
use elenchus_protocol::Version;
use elenchus_suites::{
    Script, Suite,
    profile::{Own, Triggers},
    script::parse,
    vocabulary::TRIGGERS,
};

struct Nobody;

impl Observer for Nobody {
    fn learned(&self, _: &Knowledge) {}
    fn planned(&self, _: usize) {}
    fn performed(&self, _: &Outcome) {}
}

fn run<'s>(
    scripts: impl IntoIterator<Item = &'s Script>,
    launch: Launch,
    settings: Settings,
) -> Findings {
    Campaign {
        launch,
        scripts: scripts
            .into_iter()
            .filter(|script| !script.thorough)
            .collect(),
        versions: Version::ALL.to_vec(),
        declared: false,
        settings,
        jobs: 4,
        seed: 3,
        thorough: false,
        fresh: false,
        memo: None,
        repeats: 0,
        traces: None,
    }
    .run(&Nobody)
}

fn broken(findings: &Findings) -> BTreeSet<String> {
    let outcomes = findings.outcomes.iter();
    outcomes
        .flat_map(|outcome| {
            let tallies = outcome.judgement.tallies.iter();
            tallies
                .filter(|(_, tally)| !tally.breaches.is_empty())
                .map(|(id, tally)| {
                    format!(
                        "{id} in {} {}: {:?}",
                        outcome.script, outcome.instance, tally.breaches
                    )
                })
        })
        .collect()
}

fn upheld(findings: &Findings) -> BTreeSet<&'static str> {
    let outcomes = findings.outcomes.iter();
    outcomes
        .flat_map(|outcome| {
            let tallies = outcome.judgement.tallies.iter();
            tallies
                .filter(|(_, tally)| tally.upheld > 0)
                .map(|(id, _)| *id)
        })
        .collect()
}

/// Every trigger in own words, which are the vocabulary's: so that the target understands, and nobody promises it.
fn own_words(argument: &str) -> Triggers {
    let own = |name: &str| Own::Prompt(format!("{name}{argument}"));
    Triggers {
        named: TRIGGERS
            .into_iter()
            .map(|trigger| (trigger.name.to_owned(), own(trigger.name)))
            .collect(),
        no_others: false,
    }
}

fn settings(triggers: Triggers) -> Settings {
    Settings {
        allow_logout: true,
        triggers,
        ..Settings::default()
    }
}

fn scripts<'s>(areas: &'s [&str]) -> impl Iterator<Item = &'s Script> {
    let scripts = Suite::embedded().scripts.iter();
    scripts.filter(|script| {
        let name = script.name.trim_start_matches("acp/agent/");
        areas.is_empty() || areas.iter().any(|area| name.starts_with(area))
    })
}

/// Why each script was not run.
fn skipped(findings: &Findings) -> BTreeMap<&str, &str> {
    let skipped = findings.skipped.iter();
    skipped
        .map(|skipped| (skipped.script.as_str(), skipped.reason.as_str()))
        .collect()
}

const MEMORY: Launch = Launch::Memory { fault: None };

#[test]
fn own_words_have_the_effect_and_bind_nobody_to_the_vocabulary() {
    let findings = run(scripts(&[]), MEMORY, settings(own_words(" {argument}")));
    assert_eq!(broken(&findings), BTreeSet::new());
    let upheld = upheld(&findings);
    for id in [
        "ACP-ELICIT-CAP-004",
        "ACP-ELICIT-CAP-008",
        "ACP-ELICIT-CAP-009",
        "ACP-ELICIT-FORM-001",
        "ACP-ELICIT-SCHEMA-001",
        "ACP-ELICIT-SCOPE-001",
        "ACP-ELICIT-CANCEL-003",
    ] {
        assert!(upheld.contains(id), "{id} needs the effect alone");
    }
    for id in [
        "ACP-ELICIT-RESP-010",
        "ACP-ELICIT-RESP-013",
        "ACP-ELICIT-SECRET-006",
        "ACP-ELICIT-STATE-019",
        "ACP-TYPED-001",
        "ACP-STATE-008",
        "ACP-CANCEL-025",
    ] {
        assert!(!upheld.contains(id), "{id} needs the vocabulary's word");
    }
    let stopped: Vec<_> = findings
        .outcomes
        .iter()
        .filter_map(|outcome| Some((&outcome.script, outcome.stopped.as_ref()?)))
        .collect();
    assert_eq!(stopped, []);
}

#[test]
fn what_own_words_come_to_is_not_read_as_a_report() {
    let test = std::env::current_exe().expect("a test is a program");
    let deps = test.parent().expect("in target/debug/deps");
    let agent = deps.join("../examples/reference_agent");
    // All that it reports, it says otherwise.
    let launch = Launch::Command {
        argv: vec![
            "/bin/sh".into(),
            "-c".into(),
            "exec 3>&1; { \"$AGENT\" | sed -u 's/\"text\":\"\\(elicited\\|invalid\\|unavailable\\|chose\\)/\"text\":\"Well: \\1/'; } 2>&1 >&3"
                .into(),
        ],
        env: vec![("AGENT".to_owned(), agent.display().to_string())],
        cwd: None,
    };
    let findings = run(
        scripts(&["resp/", "form/"]),
        launch,
        settings(own_words(" {argument}")),
    );
    assert_eq!(broken(&findings), BTreeSet::new());
    let upheld = upheld(&findings);
    for id in [
        "ACP-ELICIT-RESP-011",
        "ACP-ELICIT-RESP-012",
        "ACP-ELICIT-RESP-014",
        "ACP-ELICIT-RESP-021",
        "ACP-ELICIT-FORM-008",
    ] {
        assert!(!upheld.contains(id), "{id}: nobody said what it came to");
    }
    assert!(upheld.contains("ACP-ELICIT-FORM-001"));
}

#[test]
fn a_prompt_without_room_for_an_argument_is_not_sent_where_there_is_one() {
    let findings = run(scripts(&["cap/", "schema/"]), MEMORY, {
        let mut triggers = own_words("");
        triggers.named.retain(|name, _| name == "/elicit form");
        settings(triggers)
    });
    assert_eq!(broken(&findings), BTreeSet::new());
    let skipped = skipped(&findings);
    let no_room: Vec<&str> = skipped
        .iter()
        .filter(|(_, reason)| reason.contains("has no {argument}"))
        .map(|(script, _)| *script)
        .collect();
    assert!(
        no_room.iter().any(|script| script.contains("schema/")),
        "{skipped:?}"
    );
    assert!(upheld(&findings).contains("ACP-ELICIT-CAP-004"));
    let stopped = findings.outcomes.iter();
    assert!(stopped.into_iter().all(|outcome| outcome.stopped.is_none()));
}

#[test]
fn what_nothing_triggers_is_not_tried_and_the_reason_is_told() {
    let none = Triggers {
        named: [("/tool".to_owned(), Own::Prompt("/tool".to_owned()))].into(),
        no_others: true,
    };
    let findings = run(scripts(&["cap/", "term/", "tool/"]), MEMORY, settings(none));
    assert_eq!(broken(&findings), BTreeSet::new());
    let worked: BTreeSet<&str> = findings
        .knowledge
        .triggers
        .iter()
        .map(|(_, name)| name.as_str())
        .collect();
    assert_eq!(worked, BTreeSet::from(["/tool"]));
    let skipped = skipped(&findings);
    let reason = skipped.get("acp/agent/cap/mode-not-advertised").copied();
    let told = "stands for, says its profile";
    assert!(
        reason.is_some_and(|reason| reason.contains(told)),
        "{skipped:?}"
    );
}

#[test]
fn a_trigger_that_is_missing_takes_only_its_own_runs_away() {
    let only_forms = Triggers {
        named: [(
            "/elicit form".to_owned(),
            Own::Prompt("/elicit form".to_owned()),
        )]
        .into(),
        no_others: true,
    };
    let findings = run(scripts(&["cap/"]), MEMORY, settings(only_forms));
    assert_eq!(broken(&findings), BTreeSet::new());
    let tried: Vec<&str> = findings
        .outcomes
        .iter()
        .filter(|outcome| outcome.script == "acp/agent/cap/mode-not-advertised")
        .map(|outcome| outcome.instance.as_str())
        .collect();
    assert!(!tried.is_empty());
    assert!(
        tried
            .iter()
            .all(|instance| instance.contains("/elicit form")),
        "{tried:?}"
    );
    assert!(upheld(&findings).contains("ACP-ELICIT-CAP-008"));
}

#[test]
fn a_prompt_that_does_not_have_the_effect_is_told() {
    let mut triggers = own_words("");
    triggers
        .named
        .insert("/elicit form".to_owned(), Own::Prompt("hello".to_owned()));
    let findings = run(scripts(&["cap/"]), MEMORY, settings(triggers));
    let skipped = skipped(&findings);
    let told = "the prompt that the profile has for `/elicit form` did not make";
    assert!(
        skipped.values().any(|reason| reason.contains(told)),
        "{skipped:?}"
    );
}

/// An agent that opens sessions for those who have signed in by `key`, which it offers.
fn gated() -> Launch {
    const AGENT: &str = r#"
        while read -r line; do
            id=$(echo "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([^,]*\),.*/\1/p')
            result() { echo '{"jsonrpc":"2.0","id":'"$id"',"result":'"$1"'}'; }
            case "$line" in
                *'"method":"initialize"'*) result '{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"gate","version":"1"},"authMethods":[{"id":"key","name":"Key"}]}' ;;
                *'"method":"authenticate"'*key*) signed=yes; result '{}' ;;
                *'"method":"session/new"'*)
                    if [ "$signed" ]; then result '{"sessionId":"s'"$id"'"}'
                    else echo '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32000,"message":"sign in"}}'; fi ;;
                *'"method":"session/prompt"'*) result '{"stopReason":"end_turn"}' ;;
                *'"id"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"no"}}' ;;
            esac
        done"#;
    Launch::Command {
        argv: vec!["/bin/sh".into(), "-c".into(), AGENT.into()],
        env: Vec::new(),
        cwd: None,
    }
}

#[test]
fn a_target_is_signed_in_before_its_first_session() {
    let script = parse(
        "test",
        "# Two sessions, one of them by hand.\ntarget agent\nversions 1\n\nopen\nprompt hello\nturn ends\n\
         request session/new {\"cwd\":$cwd,\"mcpServers\":[]} as again\nawait again\n",
    )
    .expect("a script");
    let with = |method: Option<&str>| {
        let settings = Settings {
            auth_method: method.map(str::to_owned),
            ..Settings::default()
        };
        run([&script], gated(), settings)
    };
    let signed_in = with(Some("key"));
    assert_eq!(signed_in.blocked, []);
    assert_eq!(broken(&signed_in), BTreeSet::new());
    assert!(
        signed_in
            .outcomes
            .iter()
            .all(|outcome| outcome.stopped.is_none())
    );
    for (method, told) in [
        (None, "-32000"),
        (
            Some("browser"),
            "no way to sign in that is called browser; it offers key",
        ),
    ] {
        let findings = with(method);
        assert_eq!(findings.knowledge.logins, ["key"]);
        let [blocked] = findings.blocked.as_slice() else {
            panic!("{method:?}: {:?}", findings.blocked)
        };
        assert!(
            blocked.session && blocked.reason.contains(told),
            "{blocked:?}"
        );
    }
}

#[test]
fn signing_in_is_in_nobodys_way() {
    let settings = Settings {
        auth_method: Some("login".to_owned()),
        ..settings(Triggers::default())
    };
    let findings = run(scripts(&[]), MEMORY, settings);
    assert_eq!(broken(&findings), BTreeSet::new());
    let stopped: Vec<_> = findings
        .outcomes
        .iter()
        .filter_map(|outcome| Some((&outcome.script, outcome.stopped.as_ref()?)))
        .collect();
    assert_eq!(stopped, []);
}

#[test]
fn a_trial_learns_what_a_run_would() {
    let launch = || Campaign {
        launch: MEMORY,
        scripts: scripts(&["cap/", "load/"]).collect(),
        versions: Version::ALL.to_vec(),
        declared: false,
        settings: Settings::default(),
        jobs: 1,
        seed: 3,
        thorough: false,
        fresh: false,
        memo: None,
        repeats: 0,
        traces: None,
    };
    let learned = launch().learn().expect("nobody interrupts it");
    let known = launch().run(&Nobody).knowledge;
    assert_eq!(learned.triggers, known.triggers);
    assert_eq!(learned.versions, known.versions);
    assert_eq!(learned.logins, ["login"]);
}
