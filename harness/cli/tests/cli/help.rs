//! Help and version.

use crate::{Elenchus, stderr, stdout};

#[test]
fn every_command_has_help_with_examples() {
    let elenchus = Elenchus::new();
    for command in [
        "",
        "run",
        "replay",
        "fuzz",
        "fuzz merge",
        "init",
        "list",
        "explain",
        "check",
        "reference",
    ] {
        let assert = elenchus.run(&format!("{command} --help")).code(0);
        let help = stdout(&assert);
        assert!(
            help.contains("Examples:") && help.contains("elenchus "),
            "{command}: {help}"
        );
    }
}

#[test]
fn the_help_tells_the_exit_statuses() {
    let help = stdout(&Elenchus::new().run("--help").code(0));
    for status in [
        "0 conforming",
        "1 a deciding",
        "2 wrong usage",
        "3 incomplete",
        "4 a fault",
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&help).contains(status), "{status}: {help}");
    }
}

#[test]
fn the_version_is_told() {
    let version = stdout(&Elenchus::new().run("--version").code(0));
    assert_eq!(
        version.trim(),
        format!("elenchus {}", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn nothing_at_all_shows_the_help_as_wrong_usage() {
    let help = stderr(&Elenchus::new().run("").code(2));
    assert!(help.contains("Examples:"), "{help}");
}
