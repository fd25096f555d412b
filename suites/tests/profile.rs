//! Profiles: what they say, and what is told of those that say something else.

use std::{collections::BTreeMap, fmt::Write as _, num::NonZeroUsize, time::Duration};

use elenchus_suites::{
    Profile, Suite,
    profile::{
        Attestation, Command, Learned, Own, ProfileError, Spoken, Triggers, parse, template,
    },
    script::Target,
    vocabulary::TRIGGERS,
};
use proptest::prelude::*;

fn read(text: &str) -> Result<Profile, ProfileError> {
    parse("elenchus.toml", text, &Suite::embedded().catalogue)
}

fn good(text: &str) -> Profile {
    read(text).unwrap_or_else(|error| panic!("{}", error.caret()))
}

#[test]
fn nothing_said_is_nothing_changed() {
    assert_eq!(good("# a comment\n"), Profile::default());
}

#[test]
fn everything_that_can_be_said_is_read() {
    let profile = good(
        r#"
command = "node agent.mjs --acp"
cwd = "work"
pass-env = ["MY_API_KEY"]
kind = "agent"
direct = true
protocol = ["acp-v2", "acp-v1", "acp-v2"]
timeout = 1_5.5
start-timeout = 90
jobs = 3
auth-method = "api-key"
allow-logout = true
env = { LOG = "", "A.B" = "c" }
commands = { "permission=reject" = "node agent.mjs --deny" }

[triggers]
"*" = "none"
"/elicit form" = "Ask me for my name."
"/say" = "Say only: {argument}"
"/elicit url" = "none"

[[attestation]]
requirement = "ACP-INIT-001"
who = "Ada"
when = 2026-11-30

[[attestation]]
requirement = "ACP-INIT-003"
who = "Grace"
when = "2026-12-01"
note = "looked at the screen"
"#,
    );
    let seen = |requirement: &str, who: &str, when: &str, note: Option<&str>, line| Attestation {
        requirement: requirement.to_owned(),
        who: who.to_owned(),
        when: when.to_owned(),
        note: note.map(str::to_owned),
        line,
    };
    let expected = Profile {
        kind: Some(Target::Agent),
        direct: true,
        commands: vec![(
            "permission".to_owned(),
            "reject".to_owned(),
            Command::Line("node agent.mjs --deny".to_owned()),
        )],
        command: Some(Command::Line("node agent.mjs --acp".to_owned())),
        cwd: Some("work".to_owned()),
        env: [("LOG", ""), ("A.B", "c")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        pass_env: vec!["MY_API_KEY".to_owned()],
        protocol: vec![2, 1],
        timeout: Some(Duration::from_secs_f64(15.5)),
        start_timeout: Some(Duration::from_secs(90)),
        jobs: NonZeroUsize::new(3),
        auth_method: Some("api-key".to_owned()),
        allow_logout: true,
        triggers: Triggers {
            named: BTreeMap::from([
                (
                    "/elicit form".to_owned(),
                    Own::Prompt("Ask me for my name.".to_owned()),
                ),
                (
                    "/say".to_owned(),
                    Own::Prompt("Say only: {argument}".to_owned()),
                ),
                ("/elicit url".to_owned(), Own::None),
            ]),
            no_others: true,
        },
        attestations: vec![
            seen("ACP-INIT-001", "Ada", "2026-11-30", None, 22),
            seen(
                "ACP-INIT-003",
                "Grace",
                "2026-12-01",
                Some("looked at the screen"),
                27,
            ),
        ],
    };
    let mut profile = profile;
    profile.env.sort_by(|a, b| b.cmp(a));
    assert_eq!(profile, expected);
}

#[test]
fn a_command_may_be_a_list_of_words() {
    let profile = good(r#"command = ["my agent", "--name", ""]"#);
    let words = ["my agent", "--name", ""].map(str::to_owned).to_vec();
    assert_eq!(profile.command, Some(Command::Words(words)));
}

#[test]
fn a_trigger_in_own_words_carries_an_argument_only_where_it_has_room() {
    let profile = good(
        "[triggers]\n\"/say\" = \"Say <{argument}>.\"\n\"/elicit form\" = \"Ask.\"\n\"/tool\" = \"none\"\n",
    );
    let otherwise = |text: &str| Spoken::Otherwise(text.to_owned());
    for (name, prompt, spoken) in [
        ("/say", "/say a b", otherwise("Say <a b>.")),
        ("/elicit form", "/elicit form", otherwise("Ask.")),
        ("/elicit form", "/elicit form {}", Spoken::NoRoom),
        ("/elicit url", "/elicit url", Spoken::AsItIs),
        ("/tool", "/tool", Spoken::AsItIs),
    ] {
        assert_eq!(profile.triggers.spoken(name, prompt), spoken, "{prompt}");
    }
    let says = |name: &str| {
        (
            profile.triggers.replaces(name),
            profile.triggers.excludes(name),
        )
    };
    assert_eq!(says("/say"), (true, false));
    assert_eq!(says("/tool"), (true, true));
    assert_eq!(says("/hold"), (false, false));
    let none = good("[triggers]\n\"*\" = \"none\"\n\"/tool\" = \"List the files.\"\n").triggers;
    assert!(none.excludes("/hold") && none.replaces("/hold") && !none.excludes("/tool"));
}

#[test]
fn mistakes_are_told_at_their_place_with_what_to_type() {
    let mut told = String::new();
    for text in [
        "comand = \"x\"\n",
        "frobnicate = 1\n",
        "command = \"x\"\n\ntimeout = \"soon\"\n",
        "timeout = 0.0\n",
        "timeout = nan\n",
        "command = \n",
        "command = []\n",
        "command = \"\"\n",
        "command = \"a\"\ncommand = \"b\"\n",
        "cwd = 3\n",
        "kind = \"toaster\"\n",
        "[commands]\n\"permision=reject\" = \"x\"\n",
        "[commands]\n\"permission=reject\" = 3\n",
        "[commands]\n\"answer=accept\" = \"x\"\n",
        "[commands]\n\"answers=acept\" = \"x\"\n",
        "[commands]\n\"answers\" = \"x\"\n",
        "[commands]\n\"permission=allow\" = \"x\"\n\"permission=alow\" = \"x\"\n",
        "[commands]\n\"cancel=form\" = \"x\"\n",
        "[commands]\n\"turns=0\" = \"x\"\n",
        "[commands]\n\"capabilities={form}\" = \"x\"\n",
        "commands = 3\n",
        "protocol = [\"acp-v1\", \"acp-v3\"]\n",
        "protocol = []\n",
        "jobs = 0\n",
        "jobs = -1\n",
        "allow-logout = \"yes\"\n",
        "auth-method = \" \"\n",
        "pass-env = \"HOME\"\n",
        "pass-env = [\"HOME\", \"A=B\"]\n",
        "[env]\nA = 1\n",
        "env = \"A=B\"\n",
        "triggers = \"none\"\n",
        "[triggers]\n\"/elicit from\" = \"Ask me.\"\n",
        "[triggers]\n\"ask\" = \"Ask me.\"\n",
        "[triggers]\n\"*\" = \"Ask me.\"\n",
        "[triggers]\n\"/elicit form\" = \"\"\n",
        "[triggers]\n  \"/say\" = \"Say hello.\"\n",
        "[attestation]\nrequirement = \"ACP-INIT-001\"\n",
        "attestation = [1]\n",
        "[[attestation]]\nrequirement = \"ACP-INIT-01\"\n",
        "[[attestation]]\nwho = \"Ada\"\nwhen = 2026-11-30\n",
        "[[attestation]]\nrequirement = \"ACP-INIT-001\"\nwhen = 2026-11-30\n",
        "[[attestation]]\nrequirement = \"ACP-INIT-001\"\nwho = \"Ada\"\n",
        "[[attestation]]\nrequirement = \"ACP-INIT-001\"\nwho = \"Ada\"\nwhen = \"yesterday\"\n",
        "[[attestation]]\nrequirement = \"ACP-INIT-001\"\nwho = \"Ada\"\nwhen = 07:32:00\n",
        "[[attestation]]\nrequirement = \"ACP-INIT-001\"\nwho = \"Ada\"\nwhen = 2026-11-30\nwhy = \"x\"\n",
        "[[attestation]]\nrequirement = \"ACP-INIT-001\"\nwho = \"Ada\"\nwhen = 2026-11-30\n\n[[attestation]]\nrequirement = \"ACP-INIT-001\"\nwho = \"Ada\"\nwhen = 2026-11-30\n",
    ] {
        let error = read(text).expect_err(text);
        writeln!(told, "{}\n", error.caret()).expect("a String takes everything");
    }
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(told) });
}

#[test]
fn a_template_without_a_trial_changes_nothing_but_the_command() {
    let text = template(&Learned::default());
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(text) });
    let expected = Profile {
        command: Some(Command::Line("./my-agent".to_owned())),
        kind: Some(Target::Agent),
        ..Profile::default()
    };
    assert_eq!(good(&text), expected);
}

#[test]
fn every_line_that_a_template_offers_can_be_taken() {
    let text = template(&Learned::default());
    // Comments that offer a key are those that would be TOML without their sign.
    let offered: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| line.starts_with('[') || (line.contains(" = ") && !line.contains('`')))
        .filter(|line| !line.starts_with("requirement"))
        .collect();
    assert!(offered.len() > TRIGGERS.len() + 8, "{offered:?}");
    // Tables come last in TOML, and the template keeps to that.
    let taken = text.replace("# [", "[").replace(
        "[[attestation]]\n# requirement = \"ACP-...\"",
        "[[attestation]]\nrequirement = \"ACP-INIT-001\"",
    );
    let taken: String = taken
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if offered.contains(&rest) => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let profile = good(&taken);
    assert_eq!(profile.triggers.named.len(), TRIGGERS.len(), "{taken}");
    assert!(profile.allow_logout && profile.jobs.is_some() && profile.attestations.len() == 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_was_learned_is_read_back(
        line in "[ -~\\n\\t\u{7f}é🦀]{1,40}",
        methods in prop::collection::vec(any::<String>(), 0..3),
        client in any::<bool>(),
        worked in prop::sample::subsequence(TRIGGERS.map(|trigger| trigger.name.to_owned()).to_vec(), 0..17),
    ) {
        prop_assume!(!line.trim().is_empty());
        let learned = Learned {
            command: Some(Command::Line(line.clone())),
            client,
            protocol: vec![1],
            triggers: Some(worked),
            auth_methods: methods,
        };
        let profile = good(&template(&learned));
        prop_assert_eq!(profile.command, Some(Command::Line(line)));
        prop_assert_eq!(profile.kind, Some(if client { Target::Client } else { Target::Agent }));
        prop_assert_eq!(profile.protocol, vec![1]);
        prop_assert_eq!(profile.auth_method, None);
        prop_assert_eq!(profile.triggers, Triggers::default());
    }

    #[test]
    fn no_text_is_too_odd_to_be_told_about(text in "([a-z\\[\\]\"'={}./*# \\n-]|\u{2028}|é){0,80}") {
        if let Err(error) = read(&text) {
            prop_assert!(error.line >= 1 && error.column >= 1);
            prop_assert!(error.caret().contains('^'));
        }
    }
}
