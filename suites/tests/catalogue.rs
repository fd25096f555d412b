//! The catalogue: what is refused, and what is built in.

use std::fs;
use std::path::Path;

use elenchus_suites::catalogue::CatalogueError;
use elenchus_suites::{Catalogue, Level, Party, Suite};

/// A row with these lines added or replaced.
fn row(id: &str, changes: &[&str]) -> String {
    let mut lines = vec![
        format!("id = {id:?}"),
        "versions = [\"v1\", \"v2\"]".to_owned(),
        "party = \"agent\"".to_owned(),
        "level = \"must\"".to_owned(),
        "text = \"Says so.\"".to_owned(),
        "source = \"page#anchor\"".to_owned(),
        "observable = \"wire\"".to_owned(),
        "how = \"Look.\"".to_owned(),
    ];
    for change in changes {
        let key = change.split(" =").next().unwrap_or(change);
        lines.retain(|line| !line.starts_with(&format!("{key} =")));
        lines.push((*change).to_owned());
    }
    format!("[[requirement]]\n{}\n\n", lines.join("\n"))
}

fn refusal(files: &[(&str, &str)]) -> String {
    Catalogue::from_toml(files.iter().copied())
        .expect_err("this is no catalogue")
        .to_string()
}

#[test]
fn a_broken_row_is_refused_with_its_file_and_its_reason() {
    for (rows, reason) in [
        (
            row("ACP-X-001", &["level = \"musst\""]),
            "unknown variant `musst`",
        ),
        (
            row("ACP-X-001", &["levle = \"must\""]),
            "unknown field `levle`",
        ),
        (
            row("ACP-X-001", &["observable = \"maybe\""]),
            "unknown variant `maybe`",
        ),
        (row("ACP-X-001", &["priority = 300"]), "priority"),
        (
            row("ACP-X-001", &["versions = []"]),
            "ACP-X-001 applies to no version",
        ),
        (
            row("ACP-X-001", &["needs = [\"a b\"]"]),
            "ACP-X-001 needs \"a b\", which is no method",
        ),
        (row("acp-x-001", &[]), "\"acp-x-001\" is no id"),
        (row("ACP-X", &[]), "\"ACP-X\" is no id"),
        (
            row("ACP-X-001", &[]) + &row("ACP-X-001", &[]),
            "ACP-X-001 stands twice",
        ),
        (
            row("ACP-X-001", &["same_as = \"ACP-X-002\""]),
            "ACP-X-001 is the same as ACP-X-002, which no row is",
        ),
        (
            row("ACP-X-001", &["same_as = \"ACP-X-001\""]),
            "whose rule is not its own",
        ),
        (
            row("ACP-X-001", &["same_as = \"ACP-X-002\""])
                + &row("ACP-X-002", &["retired = \"gone\""]),
            "whose rule is not its own",
        ),
        ("[[requirment]]\n".to_owned(), "unknown field `requirment`"),
        ("id = 5".to_owned(), "unknown field `id`"),
        (
            "[[requirement]]\nid = \"ACP-X-001\"\n".to_owned(),
            "missing field",
        ),
    ] {
        let message = refusal(&[("x.toml", &rows)]);
        assert!(
            message.starts_with("x.toml: ") && message.contains(reason),
            "{reason}: {message}"
        );
    }
}

#[test]
fn an_id_stands_once_in_all_files_and_rows_may_point_into_other_files() {
    let (first, second) = (
        row("ACP-X-001", &["same_as = \"ACP-X-002\""]),
        row("ACP-X-002", &[]),
    );
    assert_eq!(
        refusal(&[("a", &first), ("b", &second), ("c", &second)]),
        "c: ACP-X-002 stands twice"
    );
    let read =
        Catalogue::from_toml([("a", first.as_str()), ("b", second.as_str())]).expect("a catalogue");
    assert_eq!(read.requirements.len(), 2);
}

#[test]
fn a_version_can_be_stricter_than_the_floor() {
    let rows = row("ACP-X-001", &["level = \"should\"", "level_v2 = \"must\""]);
    let read = Catalogue::from_toml([("x", rows.as_str())]).expect("a catalogue");
    let row = read.get("ACP-X-001").expect("it stands there");
    assert_eq!(
        (row.level_in("v1"), row.level_in("v2")),
        (Level::Should, Level::Must)
    );
    assert_eq!((row.decides_in("v1"), row.decides_in("v2")), (false, true));
    assert_eq!(row.area(), "ACP-X");
}

#[test]
fn a_derived_row_never_decides_and_a_retired_one_applies_nowhere() {
    let rows = row("ACP-X-001", &["derived = true"]) + &row("ACP-X-002", &["retired = \"gone\""]);
    let read = Catalogue::from_toml([("x", rows.as_str())]).expect("a catalogue");
    let [derived, retired] =
        ["ACP-X-001", "ACP-X-002"].map(|id| read.get(id).expect("it stands there"));
    assert!(derived.applies_to("v1") && !derived.decides_in("v1"));
    assert!(!retired.applies_to("v1"));
}

/// The catalogue files as they stand in the folder.
fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("requirements");
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.expect("the folder can be read").path();
        (
            path.display().to_string(),
            fs::read_to_string(&path).expect("the file can be read"),
        )
    };
    fs::read_dir(folder)
        .expect("the folder is there")
        .map(read)
        .collect()
}

#[test]
fn what_is_built_in_is_what_a_toml_parser_reads() {
    let files = files();
    let read = Catalogue::from_toml(
        files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    )
    .unwrap_or_else(|error: CatalogueError| panic!("{error}"));
    let embedded = &Suite::embedded().catalogue;
    assert!(
        read.requirements == embedded.requirements,
        "build.rs reads the catalogue otherwise than a TOML parser"
    );
    assert!(embedded.requirements.len() > 700);
}

#[test]
fn only_rows_that_bind_an_agent_need_what_an_agent_announces() {
    let embedded = &Suite::embedded().catalogue.requirements;
    let needy: Vec<_> = embedded
        .values()
        .filter(|row| !row.needs.is_empty())
        .collect();
    assert!(!needy.is_empty());
    for row in needy {
        assert!(
            matches!(row.party, Party::Agent | Party::Both),
            "{}",
            row.id
        );
        // In version 1 these are no capability, so that no agent announces them and the row would never be judged.
        let baseline_in_v1 = row
            .needs
            .iter()
            .any(|need| matches!(need.as_str(), "session/new" | "session/prompt"));
        assert!(!(baseline_in_v1 && row.applies_to("v1")), "{}", row.id);
    }
}
