//! Hostile texts, and disguises.

use std::collections::HashMap;

use elenchus_protocol::secret::{Answer, Doubt, FieldText, Kind, Verdict, classify};
use proptest::{prelude::*, sample::select};

use crate::corpus::{Label, Row, rows};

/// A field whose four texts are these.
fn field(texts: [&str; 4]) -> FieldText<'_> {
    let [name, title, description, message] = texts;
    FieldText {
        name,
        title: Some(title),
        description: Some(description),
        format: None,
        answer: Answer::Text,
        message,
    }
}

/// Pieces of the words that the classifier looks for, with what stands between words, and anything else.
fn text() -> impl Strategy<Value = String> {
    let known = select(vec![
        "api",
        "key",
        "Key",
        "KEY",
        "password",
        "token",
        "card",
        "number",
        "code",
        "name",
        "of",
        "the",
        "your",
        "enter",
        "never",
        "パスワード",
        "コード",
        "の",
        "を入力",
        "密码",
        "的",
        "пароль",
        "ключ",
        "а",
        "ⓐ",
        "\u{301}",
        "\u{200B}",
        " ",
        "_",
        "-",
        ".",
        ". ",
        ", ",
        "(",
        "\n",
        "?",
        "0",
        "42",
    ]);
    let piece = prop_oneof![3 => known.prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_text_gets_a_verdict_whose_evidence_stands_in_it(texts in prop::array::uniform4(text())) {
        let texts = texts.each_ref().map(String::as_str);
        match classify(&field(texts)) {
            Verdict::Explicit(_, evidence) => {
                prop_assert!(!evidence.is_empty());
                for evidence in evidence {
                    prop_assert!(texts.iter().any(|text| text.contains(evidence.words)), "{evidence}");
                }
            }
            Verdict::Doubtful(_, doubt) => prop_assert!(!doubt.to_string().is_empty()),
            Verdict::None => {}
        }
    }

    #[test]
    fn a_yes_or_no_is_never_a_secret(texts in prop::array::uniform4(text())) {
        let texts = texts.each_ref().map(String::as_str);
        let question = FieldText { answer: Answer::Boolean, ..field(texts) };
        prop_assert_eq!(classify(&question), Verdict::None);
    }
}

/// Each would take hours if a part of the text were read again and again.
#[test]
fn long_texts_are_read_once() {
    let units = [
        "a",
        "A",
        "aB",
        " ",
        "_",
        "0",
        "api",
        "api ",
        "key of the ",
        "the ",
        "number of the ",
        "密",
        "の",
        "パ",
        "к",
        "password ",
        "passwordpassword",
        "enter your ",
        "card number on the back of the ",
        "\u{301}",
        "ⓐ",
        "(",
        ".",
    ];
    for unit in units {
        let long = unit.repeat((1 << 20) / unit.len());
        let _ = classify(&field([&long, &long, &long, &long]));
        let _ = classify(&FieldText {
            answer: Answer::Choice(vec![&long]),
            ..field(["pin", &long, "", "PIN?"])
        });
    }
}

/// How a text is changed, and the name of that.
type Disguise<'a> = (&'static str, &'a dyn Fn(&str) -> String);

/// What each letter may be replaced by, with no change to what a person reads.
fn look_alikes() -> HashMap<char, char> {
    let latin = "aceijopsxyABCEHIKMOPSTXY"
        .chars()
        .zip("асеіјорѕхуАВСЕНІКМОРЅТХУ".chars());
    let cyrillic = "асеорхуАВСЕНКМОРТХ"
        .chars()
        .zip("aceopxyABCEHKMOPTX".chars());
    latin.chain(cyrillic).collect()
}

fn full_width(char: char) -> char {
    let wide = match char {
        '!'..='~' => char::from_u32(u32::from(char) + 0xFEE0),
        _ => None,
    };
    wide.unwrap_or(char)
}

/// The row's field with all its texts changed.
fn explicit_after(row: &Row, change: &dyn Fn(&str) -> String) -> bool {
    let plain = row.field();
    let [name, message] = [plain.name, plain.message].map(change);
    let [title, description] = [plain.title, plain.description].map(|text| text.map(change));
    let field = FieldText {
        name: &name,
        title: title.as_deref(),
        description: description.as_deref(),
        format: plain.format,
        answer: plain.answer.clone(),
        message: &message,
    };
    matches!(classify(&field), Verdict::Explicit(..))
}

#[test]
fn look_alikes_do_not_hide_what_is_asked_for() {
    let alike = look_alikes();
    let lookalike = |text: &str| {
        text.chars()
            .map(|char| *alike.get(&char).unwrap_or(&char))
            .collect()
    };
    let wide = |text: &str| text.chars().map(full_width).collect();
    let unseen = |text: &str| {
        text.chars()
            .flat_map(|char| [char, '\u{200B}', '\u{301}'])
            .collect()
    };
    let disguises: [Disguise<'_>; 3] = [
        ("look-alikes", &lookalike),
        ("full width", &wide),
        ("unseen marks", &unseen),
    ];
    for row in rows().iter().filter(|row| row.label == Label::Positive) {
        if !matches!(row.verdict(), Verdict::Explicit(..)) {
            continue;
        }
        for (name, disguise) in disguises {
            assert!(explicit_after(row, disguise), "{name} hide {}", row.line);
        }
    }
}

#[test]
fn digits_for_letters_are_at_most_doubtful() {
    for name in [
        "p4ssw0rd",
        "P@ssw0rd",
        "pa55word",
        "API_K3Y",
        "acc3ss_t0ken",
    ] {
        let verdict = classify(&field([name, "", "", ""]));
        assert!(
            matches!(verdict, Verdict::Doubtful(_, Doubt::Disguised(_))),
            "{name}: {verdict:?}"
        );
    }
    // A person sees no marks without width, and reads letters of full width like any others.
    let marked: String = "p4ssw0rd"
        .chars()
        .flat_map(|sign| [sign, '\u{200B}'])
        .collect();
    let wide: String = "the_p4ssw0rd_of_the_database"
        .chars()
        .map(full_width)
        .collect();
    for name in [&marked, &wide] {
        let verdict = classify(&field([name, "", "", ""]));
        assert!(
            matches!(verdict, Verdict::Doubtful(_, Doubt::Disguised(_))),
            "{name}: {verdict:?}"
        );
    }
    for name in [
        "1Password",
        "k8s",
        "l10n",
        "utf8_name",
        "v2ray",
        "s3_bucket",
    ] {
        assert_eq!(
            classify(&field([name, "", "", ""])),
            Verdict::None,
            "{name}"
        );
    }
}

#[test]
fn a_number_can_only_be_a_secret_of_digits() {
    let number = |name| {
        classify(&FieldText {
            answer: Answer::Number,
            ..field([name, "", "", ""])
        })
    };
    assert!(matches!(
        number("card_pin"),
        Verdict::Explicit(Kind::Pin, _)
    ));
    assert!(matches!(number("cvv"), Verdict::Explicit(Kind::Cvv, _)));
    assert!(matches!(
        number("password"),
        Verdict::Doubtful(Kind::Password, Doubt::WrongType(_))
    ));
    assert_eq!(number("max_tokens"), Verdict::None);
}

#[test]
fn a_choice_is_doubtful_only_where_the_labels_could_be_the_secrets() {
    let choice = |name, labels: &[&'static str]| {
        classify(&FieldText {
            answer: Answer::Choice(labels.to_vec()),
            ..field([name, "", "", ""])
        })
    };
    assert_eq!(choice("api_key", &["production", "staging"]), Verdict::None);
    assert_eq!(
        choice("verification_code", &["by SMS", "by e-mail"]),
        Verdict::None
    );
    assert!(matches!(
        choice("verification_code", &["17", "42", "83"]),
        Verdict::Doubtful(_, Doubt::Chosen(_, "17"))
    ));
    assert!(matches!(
        choice("seed_phrase", &["apple", "river"]),
        Verdict::Doubtful(_, Doubt::Chosen(..))
    ));
}

#[test]
fn every_verdict_says_which_words_led_to_it() {
    let said = |texts| match classify(&field(texts)) {
        Verdict::Explicit(kind, evidence) => {
            let words: Vec<String> = evidence.iter().map(ToString::to_string).collect();
            format!("{kind}: {}", words.join("; "))
        }
        Verdict::Doubtful(kind, doubt) => format!("perhaps {kind}: {doubt}"),
        Verdict::None => "nothing".to_owned(),
    };
    let table = [
        (
            ["githubToken", "", "", ""],
            "a token: the name says \"Token\"",
        ),
        (
            ["value", "", "", "Paste your API key"],
            "an API key: the message says \"API key\"",
        ),
        (
            ["code", "", "Sent by SMS", ""],
            "a one-time code: the name says \"code\"; the description says \"Sent\"",
        ),
        (
            ["token", "", "", ""],
            "perhaps a token: the name says \"token\", which can also mean something harmless",
        ),
        (
            ["private_key", "", "Path of the key file", ""],
            "perhaps a private key: the name says \"private_key\", but by its description it is about something else",
        ),
        (["maxTokens", "", "", ""], "nothing"),
    ];
    for (texts, expected) in table {
        assert_eq!(said(texts), expected);
    }
}
