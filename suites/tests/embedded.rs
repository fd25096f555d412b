//! The scripts that are built in.

use std::collections::BTreeSet;

use elenchus_suites::Suite;
use elenchus_suites::script::{Script, parse};

#[test]
fn every_script_is_sorted_in_by_its_name_and_says_what_it_is_about() {
    let scripts = &Suite::embedded().scripts;
    assert!(scripts.windows(2).all(|pair| pair[0].name < pair[1].name));
    for script in scripts {
        assert!(
            !script.about.is_empty(),
            "{}: no comment at the top",
            script.name
        );
    }
}

#[test]
fn every_id_in_a_script_names_a_row_that_applies_in_one_of_its_versions() {
    let suite = Suite::embedded();
    let wrong = |script: &Script, id: &String| {
        let row = suite.catalogue.get(id);
        let applies = row.is_some_and(|row| {
            script
                .versions
                .iter()
                .any(|version| row.applies_to(&format!("v{version}")))
        });
        (!applies).then(|| format!("{}: {id}", script.name))
    };
    let all: Vec<String> = suite
        .scripts
        .iter()
        .flat_map(|script| {
            script
                .covers
                .iter()
                .chain(&script.breaks)
                .filter_map(move |id| wrong(script, id))
        })
        .collect();
    assert!(
        all.is_empty(),
        "no such row, a retired one, or one of other versions:\n{}",
        all.join("\n")
    );
}

#[test]
fn every_script_prints_as_one_that_reads_back_the_same() {
    for script in &Suite::embedded().scripts {
        let printed = script.to_string();
        let again = parse(&script.name, &printed)
            .unwrap_or_else(|error| panic!("{}\n{printed}", error.caret()));
        assert_eq!(again.to_string(), printed);
        assert_eq!(again.without_lines(), script.clone().without_lines());
    }
}

#[test]
fn no_two_scripts_are_the_same_but_for_their_heads() {
    let mut seen = BTreeSet::new();
    for script in &Suite::embedded().scripts {
        let mut bare = script.clone();
        for part in [&mut bare.covers, &mut bare.breaks] {
            part.clear();
        }
        bare.about.clear();
        assert!(
            seen.insert(bare.to_string()),
            "{} does what another script does",
            script.name
        );
    }
}
