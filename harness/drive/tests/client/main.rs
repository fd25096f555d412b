//! Clients under test: the reference client in virtual time, and processes that start the relay as their agent.

mod process;

use std::collections::BTreeSet;

use elenchus_drive::{
    Campaign, Knowledge, Launch, Observer, Outcome, Recording, Settings, instance::instances,
    perform_once,
};
use elenchus_protocol::Version;
use elenchus_suites::{
    Script,
    script::{Heed, parse},
};
use elenchus_wire::{EventKind, Mark, Message, Parsed, Side};

const MEMORY: Launch = Launch::MemoryClient { fault: None };

fn script(text: &str) -> Script {
    let text = format!("# A test.\ntarget client\nversions 1 2\n{text}\n");
    parse("test", &text).unwrap_or_else(|error| panic!("{}", error.caret()))
}

fn perform(text: &str, version: Version, launch: &Launch, settings: &Settings) -> Recording {
    let script = script(text);
    let instances = instances(&script, version, 1, true);
    perform_once(&instances[0], launch, settings, &[])
}

/// The trace in short words: who sent what, and how it ended.
fn story(recording: &Recording) -> Vec<String> {
    let told = recording.trace.events.iter().filter_map(|event| {
        Some(match &event.kind {
            EventKind::Frame { from, frame } => {
                let arrow = if *from == Side::Client { '<' } else { '>' };
                format!("{arrow} {}", brief(frame.text()?)?)
            }
            EventKind::Eof { from } => format!("eof {}", from.name()),
            EventKind::Exit { code, asked, .. } => format!("exit {code:?} {asked:?}"),
            EventKind::Opened { url } => format!("opened {url}"),
            EventKind::Open { .. } => format!("open {}", event.conn),
            EventKind::Deadline { wait, .. } => format!("{wait:?}"),
            EventKind::Mark(Mark::Stopped { reason }) => format!("stopped: {reason}"),
            EventKind::Settled { .. } => "settled".to_owned(),
            _ => return None,
        })
    });
    told.collect()
}

/// The method of a call with what it is about, or the result of an answer.
fn brief(line: &str) -> Option<String> {
    let Parsed::Message(message) = Message::parse(line) else {
        return Some(line.to_owned());
    };
    if message.method.as_deref() == Some("_elenchus/fence")
        || message.error.is_some_and(|error| error.contains("-32601"))
    {
        return None;
    }
    Some(match (message.method, message.result, message.error) {
        (Some(method), ..) => method.into_owned(),
        (None, Some(result), _) => result.to_owned(),
        (None, None, error) => error.unwrap_or_default().to_owned(),
    })
}

fn campaign<'s>(launch: &Launch, settings: Settings, scripts: Vec<&'s Script>) -> Campaign<'s> {
    Campaign {
        launch: launch.clone(),
        scripts,
        versions: Version::ALL.to_vec(),
        declared: false,
        settings,
        jobs: 2,
        seed: 1,
        thorough: false,
        fresh: false,
        repeats: 0,
        traces: None,
        memo: None,
    }
}

fn learn(launch: &Launch, settings: Settings) -> Knowledge {
    let campaign = campaign(launch, settings, Vec::new());
    campaign.learn().expect("nobody interrupts it")
}

struct Silent;

impl Observer for Silent {
    fn learned(&self, _: &Knowledge) {}
    fn planned(&self, _: usize) {}
    fn performed(&self, _: &Outcome) {}
}

#[test]
fn a_script_serves_asks_and_ends_turns() {
    let text = r#"client {"answers": [{"action": "accept", "content": {"name": "Ada"}}], "turns": 2, "permission": "reject"}

serve
ask form as question
await question
ask permission as permission
await permission
end turn
next turn
end turn refusal"#;
    for version in Version::ALL {
        let recording = perform(text, version, &MEMORY, &Settings::default());
        assert_eq!(recording.stopped, None, "{:#?}", story(&recording));
        let story = story(&recording);
        for part in [
            r#""action":"accept""#,
            r#"{"name":"Ada"}"#,
            r#""optionId":"reject"#,
            "exit Some(0) Nothing",
        ] {
            assert!(
                story.iter().any(|line| line.contains(part)),
                "{version} {part}: {story:#?}"
            );
        }
        let prompts = story.iter().filter(|line| *line == "< session/prompt");
        assert_eq!(prompts.count(), 2, "{version}: {story:#?}");
    }
}

#[test]
fn what_no_step_answers_a_plain_agent_does() {
    for version in Version::ALL {
        let recording = perform(
            "\nconnect\nwelcome\nsettle",
            version,
            &MEMORY,
            &Settings::default(),
        );
        assert_eq!(recording.stopped, None, "{:#?}", story(&recording));
        let story = story(&recording);
        // The session is opened, the turn is ended, and the client goes by itself.
        assert!(story.contains(&"< session/prompt".to_owned()), "{story:#?}");
        assert!(
            story.contains(&"exit Some(0) Nothing".to_owned()),
            "{version}: {story:#?}"
        );
        assert!(
            !story.iter().any(|line| line.starts_with("Answer")),
            "{story:#?}"
        );
    }
}

#[test]
fn a_client_says_what_it_opens() {
    let text = r#"client {"answers": [{"action": "accept"}]}

serve
ask url "http://127.0.0.1:46999/page" as question
await question
end turn"#;
    for version in Version::ALL {
        let recording = perform(text, version, &MEMORY, &Settings::default());
        let story = story(&recording);
        assert!(
            story.contains(&"opened http://127.0.0.1:46999/page".to_owned()),
            "{story:#?}"
        );
    }
}

#[test]
fn the_control_run_learns_what_a_client_heeds() {
    let knowledge = learn(&MEMORY, Settings::default());
    assert_eq!(knowledge.versions, Version::ALL);
    let all: BTreeSet<(Version, Heed)> = Version::ALL
        .into_iter()
        .flat_map(|version| Heed::ALL.map(|heed| (version, heed)))
        .collect();
    assert_eq!(knowledge.heeds, all);
    assert!(knowledge.dead.is_none());
}

#[test]
fn an_agent_that_ends_is_the_end_of_the_conversation() {
    let text = "\nserve\nclose";
    for version in Version::ALL {
        let recording = perform(text, version, &MEMORY, &Settings::default());
        let story = story(&recording);
        assert!(story.contains(&"eof server".to_owned()), "{story:#?}");
        let ended = story.iter().any(|line| line.starts_with("exit"));
        assert!(ended, "{version}: {story:#?}");
    }
}
