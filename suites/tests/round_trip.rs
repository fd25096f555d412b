//! What is printed reads back the same, and no text makes the parser panic.

mod generated;

use elenchus_suites::script::parse;
use proptest::prelude::*;

/// Reads a text; where it is a script, its print must read back as the same script.
fn read(text: &str) -> Result<(), TestCaseError> {
    match parse("t", text) {
        Ok(script) => {
            let printed = script.to_string();
            let again = parse("t", &printed).map_err(|error| TestCaseError::fail(error.caret()))?;
            prop_assert_eq!(&again.to_string(), &printed);
            prop_assert_eq!(again.without_lines(), script.without_lines());
        }
        Err(error) => {
            let line = text.split('\n').nth(error.line as usize - 1);
            prop_assert!(line.is_some(), "{} lies outside of the script", error);
            prop_assert!(
                error.column as usize <= error.text.chars().count() + 1,
                "{} lies outside of its line",
                error
            );
            prop_assert!(error.caret().lines().count() >= 4);
        }
    }
    Ok(())
}

/// Words and characters that mean something in a script.
fn fragment() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        &[
            "\n",
            "\n",
            "\n",
            " ",
            " ",
            "\t",
            "\r\n",
            "# ",
            "- ",
            "target agent\n",
            "target client\n",
            "client {\"answers\": []}\n",
            "serve\n",
            "ask form as q\n",
            "end turn",
            "next turn\n",
            "update {}",
            "needs answers turns\n",
            "versions 1 2\n",
            "covers ACP-X-001",
            "needs /elicit form",
            "needs session/load",
            "breaks ",
            "each a [1, \"x\", {}]\n",
            "whenever x fill\n",
            "whenever ",
            "open\n",
            "open absent",
            "connect",
            "initialize",
            "session",
            " with ",
            " as ",
            " id ",
            "name",
            "q",
            "prompt ",
            "@session",
            "request x",
            "await ",
            "notify ",
            "expect x as q\n",
            "answer q ",
            "refuse q ",
            "fill q ",
            "invalid ",
            "length",
            "required",
            "visit q",
            "visit q typing",
            "raw ",
            "turn ends",
            "settle\n",
            "call announced\n",
            "race\n",
            "race 2ms\n",
            "on B\n",
            "close\n",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\",
            "\\u",
            "{}",
            "[1]",
            "\"a\": ",
            "null",
            "-0.5e3",
            "1e",
            "$",
            "${",
            "$a",
            "$q.params",
            "$session",
            "$$",
            "é",
            "\u{feff}",
            "\u{0}",
            "\u{2028}",
        ][..],
    )
}

/// What JSON is made of, right and wrong.
fn json_fragment() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        &[
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"a\": ", "{}", "[]", " ", "\t", "1", "0", "-",
            "-1", ".5", "e3", "E+2", "e", "true", "null", "nul", "false", "\"\"", "\"", "\\",
            "\\n", "\\u12aF", "\\u12", "é", "[1,", "{\"b\":", "1]", "2}",
        ][..],
    )
}

proptest! {
    #[test]
    fn a_script_prints_as_one_that_reads_back_the_same(script in generated::script()) {
        let printed = script.to_string();
        let again = parse("t", &printed).map_err(|error| TestCaseError::fail(format!("{}\n\n{printed}", error.caret())))?;
        prop_assert_eq!(again.to_string(), printed);
        prop_assert_eq!(again.without_lines(), script);
    }

    #[test]
    fn a_script_for_a_client_prints_as_one_that_reads_back_the_same(script in generated::client_script()) {
        let printed = script.to_string();
        let again = parse("t", &printed).map_err(|error| TestCaseError::fail(format!("{}\n\n{printed}", error.caret())))?;
        prop_assert_eq!(again.to_string(), printed);
        prop_assert_eq!(again.without_lines(), script);
    }

    #[test]
    fn a_payload_is_read_where_another_reader_reads_json(
        pieces in prop::collection::vec(json_fragment(), 1..12),
    ) {
        let json = pieces.concat();
        prop_assume!(!json.trim().is_empty());
        let text = format!("target agent\nversions 1\nopen\nnotify x {json}");
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&json).is_ok();
        prop_assert_eq!(parse("t", &text).is_ok(), is_json);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        read(&text)?;
    }

    #[test]
    fn no_sequence_of_words_makes_the_parser_panic(words in prop::collection::vec(fragment(), 0..60)) {
        read(&words.concat())?;
        read(&format!("target agent\nversions 1\nopen\nexpect x as q\n{}", words.concat()))?;
        read(&format!("target client\nversions 1\nserve\nexpect x as q\n{}", words.concat()))?;
    }

    #[test]
    fn no_change_of_a_script_makes_the_parser_panic(
        script in generated::script(),
        at in any::<prop::sample::Index>(),
        deleted in 0_usize..4,
        inserted in fragment(),
    ) {
        let mut chars: Vec<char> = script.to_string().chars().collect();
        let at = at.index(chars.len());
        let end = (at + deleted).min(chars.len());
        chars.splice(at..end, inserted.chars());
        read(&chars.into_iter().collect::<String>())?;
    }

    #[test]
    fn deleting_lines_leaves_a_script_or_an_error(script in generated::script(), kept in any::<u64>()) {
        let printed = script.to_string();
        let lines: Vec<&str> = printed.lines().enumerate().filter(|(n, _)| kept >> (n % 64) & 1 == 1).map(|(_, l)| l).collect();
        read(&lines.join("\n"))?;
    }
}

#[test]
fn line_ends_and_a_byte_order_mark_do_not_matter() {
    let text = "# About.\ntarget agent\nversions 1 2\n\nopen\nraw x\\n\nprompt hi";
    let expected = parse("t", text).expect("a script");
    for other in [
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        format!("{text}\n\n"),
    ] {
        assert_eq!(parse("t", &other).as_ref(), Ok(&expected), "{other:?}");
    }
}

#[test]
fn nesting_is_bound_by_the_line_alone() {
    let deep = 30_000;
    let text = format!(
        "target agent\nversions 1\nopen\nnotify x {}{}",
        "[".repeat(deep),
        "]".repeat(deep)
    );
    assert!(parse("t", &text).is_ok());
    let open = format!(
        "target agent\nversions 1\nopen\nnotify x {}",
        "{\"a\":".repeat(10_000)
    );
    assert!(parse("t", &open).is_err());
}

#[test]
fn the_comment_at_the_top_is_what_the_script_is_about() {
    for (text, about) in [
        (
            "# One.\n#  Two. \n#\n# Three.\ntarget agent\nversions 1\n# no\nopen",
            "One.\n Two.\n\nThree.",
        ),
        (
            "\n\n#One.\n\n# Other.\ntarget agent\nversions 1\nopen",
            "One.",
        ),
        ("#\n# One.\n#\ntarget agent\nversions 1\nopen", "One."),
        ("target agent\n# no\nversions 1\nopen", ""),
    ] {
        assert_eq!(parse("t", text).expect("a script").about, about, "{text}");
    }
}

#[test]
fn a_line_that_would_be_printed_too_long_is_not_read() {
    let head = "target agent\nversions 1";
    let fill = |before: &str, unit: &str| {
        before.to_owned() + &unit.repeat((65_536 - before.len()) / unit.len())
    };
    for (text, reads) in [
        (format!("{head}\nopen\n{}", fill("raw ", "x")), true),
        (format!("{head}\nopen\n{}", fill("raw ", "\u{200b}")), false),
        (format!("{head}\nopen\n{}", fill("prompt ", "$$")), true),
        (
            format!("{head}\nopen\n{}", fill("prompt ", "$session ")),
            true,
        ),
        (
            format!("{head}\nopen\n{}", fill("prompt ", "${session}.x")),
            true,
        ),
        (
            format!("{head}\nopen\nrace\n- raw x\n{}", fill("- raw ", "x")),
            false,
        ),
        (
            format!(
                "{head}\n{}]\nopen",
                fill("each a [[1,2,3]", ", 4").trim_end_matches(", 4")
            ),
            true,
        ),
        (
            format!(
                "{head}\neach a [{}1]\nopen",
                "\"0123456789ab\",".repeat(4_090)
            ),
            true,
        ),
        (
            format!(
                "{head}\neach a [{}1]\nopen",
                "\"0123456789abc\",".repeat(4_090)
            ),
            false,
        ),
        (format!("{}\n{head}\nopen", fill("# ", "x")), true),
        (format!("{}\n{head}\nopen", fill("#", "x")), false),
        (
            format!(
                "{head}\nneeds {}\nopen",
                "a/b ".repeat(2).replacen("b ", "c ", 1)
            ),
            true,
        ),
    ] {
        let shown = text.chars().take(80).collect::<String>();
        assert_eq!(parse("t", &text).is_ok(), reads, "{shown}");
        read(&text).unwrap_or_else(|error| panic!("{shown}: {error}"));
    }
}

#[test]
fn a_long_list_of_ids_is_printed_on_several_lines() {
    let ids: Vec<String> = (0..30).map(|n| format!("ACP-X-{n:03}")).collect();
    let script = parse(
        "t",
        &format!("target agent\nversions 1\ncovers {}\nopen", ids.join(" ")),
    )
    .expect("a script");
    let printed = script.to_string();
    assert_eq!(
        printed
            .lines()
            .filter(|line| line.starts_with("covers "))
            .count(),
        4
    );
    assert_eq!(parse("t", &printed).expect("a script").covers, ids);
}
