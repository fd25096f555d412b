//! A small catalogue and what rules could have found.

use std::collections::BTreeMap;

use elenchus_judge::{Breach, Judgement, Tally};
use elenchus_reports::{
    Input,
    builder::{Dead, Kind, Performance, Protocol, Skipped},
    model::TargetInfo,
};
use elenchus_suites::{
    Catalogue, Level, Observable, Party, Requirement, Script,
    profile::Attestation,
    script::{Need, Target},
};
use serde_json::json;

/// The requirement that most tests break.
pub(crate) const CAP: &str = "ACP-ELICIT-CAP-004";
/// A must that both ends are bound by.
pub(crate) const INIT: &str = "ACP-INIT-001";
/// Another name for [`INIT`].
pub(crate) const INIT_TOO: &str = "ACP-INIT-003";
/// A must of v2, a should of v1.
pub(crate) const STRICTER: &str = "ACP-INIT-002";
/// A must that we infer.
pub(crate) const DERIVED: &str = "ACP-ELICIT-CAP-012";
/// Applies where `session/load` is announced.
pub(crate) const LOADS: &str = "ACP-SESSION-007";

fn requirement(id: &str, party: Party, level: Level) -> Requirement {
    Requirement {
        id: id.to_owned(),
        versions: vec!["v1".to_owned(), "v2".to_owned()],
        party,
        level,
        level_v1: None,
        level_v2: None,
        derived: false,
        text: format!(
            "The clause of {id}, in our own words, which are enough of them to need a second line."
        ),
        source: format!("page#{}", id.to_lowercase()),
        observable: Observable::Wire,
        how: String::new(),
        mutant: String::new(),
        accepts: Vec::new(),
        same_as: None,
        retired: None,
        edition: None,
        gate: None,
        needs: Vec::new(),
        no_rule: None,
        no_rule_client: None,
        priority: None,
    }
}

/// The catalogue that all tests use.
pub(crate) fn catalogue() -> Catalogue {
    use Level::{Must, MustNot, Robustness, Should};
    use Party::{Agent, Both, Client};
    let rows = [
        requirement(CAP, Agent, MustNot),
        requirement("ACP-ELICIT-CAP-005", Agent, MustNot),
        requirement("ACP-ELICIT-CAP-006", Agent, MustNot),
        Requirement {
            derived: true,
            ..requirement(DERIVED, Agent, Must)
        },
        requirement(INIT, Both, Must),
        Requirement {
            level_v2: Some(Must),
            ..requirement(STRICTER, Agent, Should)
        },
        Requirement {
            same_as: Some(INIT.to_owned()),
            ..requirement(INIT_TOO, Agent, Must)
        },
        requirement("ACP-INIT-004", Client, Must),
        Requirement {
            retired: Some("superseded".to_owned()),
            ..requirement("ACP-INIT-005", Agent, Must)
        },
        Requirement {
            versions: vec!["v2".to_owned()],
            ..requirement("ACP-INIT-006", Agent, Must)
        },
        requirement("ACP-INIT-008", Agent, Robustness),
        Requirement {
            no_rule: Some("nobody has written one".to_owned()),
            ..requirement("ACP-JSONRPC-003", Both, Must)
        },
        Requirement {
            observable: Observable::Attest,
            ..requirement("ACP-JSONRPC-004", Both, Must)
        },
        Requirement {
            needs: vec!["session/load".to_owned()],
            ..requirement(LOADS, Agent, Must)
        },
    ];
    Catalogue {
        requirements: rows
            .into_iter()
            .map(|row| (row.id.clone(), row))
            .collect::<BTreeMap<_, _>>(),
    }
}

/// Somebody's statement.
pub(crate) fn attested(requirement: &str, note: Option<&str>) -> Attestation {
    Attestation {
        requirement: requirement.to_owned(),
        who: "Ada Lovelace".to_owned(),
        when: "2026-11-30".to_owned(),
        note: note.map(str::to_owned),
        line: 1,
    }
}

/// A script that covers these.
pub(crate) fn script(name: &str, covers: &[&str]) -> Script {
    Script {
        client: None,
        name: name.to_owned(),
        about: String::new(),
        target: Target::Agent,
        versions: vec![1, 2],
        covers: covers.iter().map(|&id| id.to_owned()).collect(),
        needs: Vec::<Need>::new(),
        breaks: Vec::new(),
        thorough: false,
        each: Vec::new(),
        whenever: Vec::new(),
        steps: Vec::new(),
    }
}

/// A breach with this explanation.
pub(crate) fn breach(why: &str) -> Breach {
    Breach {
        event: 10,
        opened: Some(8),
        sent: r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"/elicit form"}]}}"#.to_owned(),
        got: r#"{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"mode":"form"}}"#.to_owned(),
        expected: "no elicitation/create".to_owned(),
        why: why.to_owned(),
        stderr: Vec::new(),
    }
}

/// Upheld this often.
pub(crate) fn upheld(times: u32) -> Tally {
    Tally {
        upheld: times,
        ..Tally::default()
    }
}

/// Broken, with these explanations.
pub(crate) fn broken(whys: &[&str]) -> Tally {
    Tally {
        breaches: whys.iter().map(|why| breach(why)).collect(),
        ..Tally::default()
    }
}

/// Nothing certain could be said.
pub(crate) fn unclear(reason: &str) -> Tally {
    Tally {
        unclear: vec![reason.to_owned()],
        ..Tally::default()
    }
}

/// What the rules found.
pub(crate) fn judgement<const N: usize>(tallies: [(&'static str, Tally); N]) -> Judgement {
    Judgement {
        tallies: BTreeMap::from(tallies),
        ..Judgement::default()
    }
}

/// Where every requirement that the catalogue can exercise is upheld.
pub(crate) fn all_upheld() -> Judgement {
    judgement(
        [
            CAP,
            "ACP-ELICIT-CAP-005",
            "ACP-ELICIT-CAP-006",
            DERIVED,
            INIT,
            STRICTER,
            "ACP-INIT-006",
            "ACP-INIT-008",
            LOADS,
        ]
        .map(|id| (id, upheld(2))),
    )
}

/// ACP v1 or v2.
pub(crate) fn protocol(number: u8) -> Protocol {
    Protocol {
        name: format!("acp-v{number}"),
        edition: "schema-1.20".to_owned(),
        catalogue: format!("v{number}"),
    }
}

/// A performance in v1.
pub(crate) fn performance<'a>(
    script: &str,
    instance: &str,
    judgement: &'a Judgement,
    repeats: &'a [Judgement],
) -> Performance<'a> {
    Performance {
        script: script.to_owned(),
        instance: instance.to_owned(),
        protocol: "acp-v1".to_owned(),
        trace: Some(format!(
            "traces/{}-{instance}.jsonl",
            script.replace('/', "-")
        )),
        judgement,
        repeats,
        stopped: None,
        replay: format!(
            "elenchus --target './my agent' --protocol acp-v1 --only {script} --seed 42"
        ),
    }
}

/// The same in v2.
pub(crate) fn in_v2(performance: Performance<'_>) -> Performance<'_> {
    Performance {
        protocol: "acp-v2".to_owned(),
        ..performance
    }
}

/// A script that was not run in v1.
pub(crate) fn skipped(script: &str, reason: &str) -> Skipped {
    Skipped {
        script: script.to_owned(),
        protocol: "acp-v1".to_owned(),
        reason: reason.to_owned(),
    }
}

/// A target that ended at once.
pub(crate) fn dead() -> Dead {
    Dead {
        what: "The target exited with code 2 before it answered `initialize`.".to_owned(),
        stderr: vec!["error: unknown option --acp".to_owned()],
        frames: vec!["sent {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}".to_owned()],
        hint: "Run the command by hand and look at what it prints.".to_owned(),
    }
}

/// An input in which nothing was performed, in v1.
pub(crate) fn input<'a>(catalogue: &'a Catalogue, scripts: &'a [Script]) -> Input<'a> {
    Input {
        elenchus: "0.1.0".to_owned(),
        command: ["elenchus", "--target", "./my agent"]
            .map(str::to_owned)
            .to_vec(),
        seed: 42,
        kind: Kind::Agent,
        target: TargetInfo {
            kind: String::new(),
            command: vec!["./my agent".to_owned()],
            info: Some(json!({"name": "mine", "version": "1.2.3"})),
            notes: Vec::new(),
        },
        catalogue,
        rules: catalogue
            .requirements
            .values()
            .filter(|row| {
                row.no_rule.is_none()
                    && row.observable != Observable::Attest
                    && row.same_as.is_none()
            })
            .map(|row| row.id.as_str())
            .collect(),
        scripts,
        of_suite: true,
        protocols: vec![protocol(1)],
        performances: Vec::new(),
        skipped: Vec::new(),
        left_out: std::collections::BTreeSet::default(),
        attestations: Vec::new(),
        dead: None,
        incomplete: Vec::new(),
        broke_down: Vec::new(),
        troubles: Vec::new(),
    }
}
