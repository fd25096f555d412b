//! Any words as a form field: the verdict rests on words that stand there, and does not hang on how words are joined, on
//! the width of letters or on marks that nobody sees.

#![no_main]

use arbitrary::{Result, Unstructured};
use elenchus_protocol::secret::{Answer, Doubt, Evidence, FieldText, Kind, Verdict, classify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.splitn(4, '\n');
    let mut line = || lines.next().unwrap_or_default();
    let plain = Texts([line(), line(), line(), line()].map(str::to_owned));
    check(&plain);
    if let Ok(texts) = texts(&mut Unstructured::new(bytes)) {
        check(&texts);
        disguised(&texts, wide, "letters of full width");
        disguised(&texts, marked, "marks that nobody sees");
    }
    if let Ok(words) = words(&mut Unstructured::new(bytes)) {
        styles(&words);
    }
});

/// Name, title, description and message.
struct Texts([String; 4]);

impl Texts {
    fn field(&self) -> FieldText<'_> {
        let [name, title, description, message] = &self.0;
        FieldText {
            name,
            title: Some(title),
            description: Some(description),
            format: None,
            answer: Answer::Text,
            message,
        }
    }
}

fn check(texts: &Texts) {
    let field = texts.field();
    let verdict = classify(&field);
    assert_eq!(verdict, classify(&field));
    for evidence in evidence(&verdict) {
        assert!(!evidence.words.is_empty());
        assert!(
            texts.0.iter().any(|text| text.contains(evidence.words)),
            "{evidence}"
        );
    }

    // Nothing that was not there speaks for anything.
    let bare = FieldText {
        title: field.title.filter(|text| !text.is_empty()),
        description: field.description.filter(|text| !text.is_empty()),
        ..field.clone()
    };
    assert_eq!(classify(&bare), verdict);

    let with = |answer| {
        classify(&FieldText {
            answer,
            ..field.clone()
        })
    };
    assert_eq!(with(Answer::Boolean), Verdict::None);
    let chosen = with(Answer::Choice(vec![
        "17",
        "correct",
        "hunter2hunter2hunter2",
    ]));
    assert!(!matches!(chosen, Verdict::Explicit(..)), "{chosen:?}");
    let number = with(Answer::Number);
    if let Verdict::Explicit(kind, _) = number {
        assert!(matches!(
            kind,
            Kind::Pin | Kind::OneTimeCode | Kind::CardNumber | Kind::Cvv
        ));
    }
    // What a field cannot be about it is not about because fewer answers are possible.
    assert!(verdict != Verdict::None || number == Verdict::None && chosen == Verdict::None);
}

fn evidence<'a>(verdict: &Verdict<'a>) -> Vec<Evidence<'a>> {
    match verdict {
        Verdict::Explicit(_, evidence) => {
            assert!(!evidence.is_empty());
            evidence.clone()
        }
        Verdict::Doubtful(
            _,
            Doubt::Ambiguous(evidence)
            | Doubt::Contradicted(evidence, _)
            | Doubt::OnlyInMessage(evidence)
            | Doubt::Disguised(evidence)
            | Doubt::WrongType(evidence)
            | Doubt::Chosen(evidence, _),
        ) => vec![*evidence],
        Verdict::None => Vec::new(),
    }
}

/// What a verdict says, without the words that it quotes.
fn said(verdict: &Verdict<'_>) -> (u8, Option<Kind>) {
    match verdict {
        Verdict::Explicit(kind, _) => (2, Some(*kind)),
        Verdict::Doubtful(kind, _) => (1, Some(*kind)),
        Verdict::None => (0, None),
    }
}

fn disguised(texts: &Texts, disguise: fn(&str) -> String, how: &str) {
    let changed = Texts(texts.0.each_ref().map(|text| disguise(text)));
    let (plain, hidden) = (classify(&texts.field()), classify(&changed.field()));
    assert_eq!(
        said(&plain),
        said(&hidden),
        "{how}: {:?} {plain:?} {hidden:?}",
        texts.0
    );
}

fn wide(text: &str) -> String {
    let wide = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' => char::from_u32(u32::from(letter) + 0xFEE0).unwrap_or(letter),
        _ => letter,
    };
    text.chars().map(wide).collect()
}

fn marked(text: &str) -> String {
    text.chars()
        .flat_map(|letter| [letter, '\u{200B}'])
        .collect()
}

/// A name of the same words means the same in every style.
fn styles(words: &[&str]) {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    };
    let pascal: Vec<String> = words.iter().copied().map(capital).collect();
    let camel = words[0].to_owned() + &pascal[1..].concat();
    let names = [
        words.join(" "),
        words.join("_"),
        words.join("-"),
        words.join("_").to_uppercase(),
        pascal.concat(),
        camel,
    ];
    let field = |name: &str| {
        said(&classify(
            &Texts([name.to_owned(), String::new(), String::new(), String::new()]).field(),
        ))
    };
    let first = field(&names[0]);
    for name in &names[1..] {
        assert_eq!(field(name), first, "{name} and {}", names[0]);
    }
}

/// Words of names. Each has two letters or more: of a single one, no reader can tell whether it is a word in camel case.
const WORDS: &[&str] = &[
    "api",
    "key",
    "password",
    "passwort",
    "token",
    "access",
    "refresh",
    "secret",
    "client",
    "private",
    "public",
    "ssh",
    "pin",
    "code",
    "otp",
    "one",
    "time",
    "recovery",
    "seed",
    "phrase",
    "card",
    "number",
    "cvv",
    "credit",
    "bank",
    "account",
    "user",
    "name",
    "email",
    "id",
    "hint",
    "path",
    "file",
    "of",
    "the",
    "your",
    "new",
    "old",
    "type",
    "count",
    "max",
    "reset",
    "policy",
    "length",
    "url",
    "project",
    "database",
    "db",
    "verification",
    "security",
    "sms",
    "backup",
];

fn words(u: &mut Unstructured<'_>) -> Result<Vec<&'static str>> {
    let count = u.int_in_range(1..=4)?;
    (0..count).map(|_| u.choose(WORDS).copied()).collect()
}

/// Pieces of what people write about fields.
const PIECES: &[&str] = &[
    "enter your ",
    "never ",
    "do not share ",
    "paste the ",
    "sent by SMS",
    "on the back of the ",
    "for example ",
    "name of the ",
    "パスワード",
    "コード",
    "の",
    "を入力",
    "密码",
    "的",
    "пароль",
    "ключ",
    "contraseña",
    "mot de passe",
    " ",
    "_",
    "-",
    ".",
    ". ",
    ", ",
    "(",
    ")",
    "?",
    ": ",
    "\n",
    "42",
    "4",
    "@",
    "$",
    "K",
    "Y",
    "Key",
    "API",
];

fn texts(u: &mut Unstructured<'_>) -> Result<Texts> {
    let mut texts = [const { String::new() }; 4];
    for text in &mut texts {
        let count = u.int_in_range(0..=6)?;
        for _ in 0..count {
            match u.int_in_range(0..=7)? {
                0 => text.push(u.arbitrary()?),
                1..=3 => text.push_str(u.choose(PIECES)?),
                _ => text.push_str(u.choose(WORDS)?),
            }
        }
    }
    Ok(Texts(texts))
}
