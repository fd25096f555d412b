//! The labelled fields, and which of them are held out.

use elenchus_protocol::secret::{Answer, FieldText, Kind, Verdict, classify};

/// How a field is labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    Positive,
    Negative,
    Doubtful,
}

/// A line of the corpus.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) label: Label,
    pub(crate) line: &'static str,
    cells: Vec<&'static str>,
}

const FILES: [(Label, &str); 3] = [
    (
        Label::Positive,
        include_str!("../../../../suites/secrets/positive.tsv"),
    ),
    (
        Label::Negative,
        include_str!("../../../../suites/secrets/negative.tsv"),
    ),
    (
        Label::Doubtful,
        include_str!("../../../../suites/secrets/doubtful.tsv"),
    ),
];

const COLUMNS: &str = "lang\tabout\tname\ttitle\tdescription\tmessage\ttype\tformat\toptions";

/// The languages, in the order of the files.
pub(crate) const LANGUAGES: [&str; 8] = ["en", "de", "fr", "es", "pt", "ja", "zh", "ru"];

pub(crate) fn rows() -> Vec<Row> {
    let lines = FILES.into_iter().flat_map(|(label, file)| {
        assert_eq!(file.lines().next(), Some(COLUMNS));
        file.lines().skip(1).map(move |line| Row {
            label,
            line,
            cells: line.split('\t').collect(),
        })
    });
    lines.collect()
}

impl Row {
    fn cell(&self, column: &str) -> &'static str {
        let index = COLUMNS.split('\t').position(|name| name == column);
        self.cells[index.expect("the column is one of the head's")]
    }

    pub(crate) fn language(&self) -> &'static str {
        self.cell("lang")
    }

    pub(crate) fn field(&self) -> FieldText<'static> {
        let present = |column| Some(self.cell(column)).filter(|text| !text.is_empty());
        let answer = match self.cell("type") {
            "string" => Answer::Text,
            "integer" | "number" => Answer::Number,
            "boolean" => Answer::Boolean,
            "choice" => Answer::Choice(self.cell("options").split("; ").collect()),
            other => panic!("no such type: {other}"),
        };
        FieldText {
            name: self.cell("name"),
            title: present("title"),
            description: present("description"),
            format: present("format"),
            answer,
            message: self.cell("message"),
        }
    }

    pub(crate) fn verdict(&self) -> Verdict<'static> {
        classify(&self.field())
    }

    /// The kind that a positive or doubtful row names.
    pub(crate) fn kind(&self) -> Option<Kind> {
        Kind::ALL
            .into_iter()
            .find(|kind| self.cell("about") == spelling(*kind))
    }

    /// Nothing was tuned on these rows. A hash decides, so that nobody chooses them.
    pub(crate) fn is_held_out(&self) -> bool {
        let fnv = self
            .line
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        fnv % 3 == 0
    }
}

/// How the corpus spells a kind.
fn spelling(kind: Kind) -> &'static str {
    match kind {
        Kind::Password => "password",
        Kind::Pin => "pin",
        Kind::ApiKey => "api-key",
        Kind::Token => "token",
        Kind::PrivateKey => "private-key",
        Kind::SeedPhrase => "seed-phrase",
        Kind::RecoveryCode => "recovery-code",
        Kind::OneTimeCode => "one-time-code",
        Kind::CardNumber => "card-number",
        Kind::Cvv => "cvv",
    }
}

#[test]
fn every_row_is_whole_and_stands_once() {
    let mut lines = std::collections::HashSet::new();
    for row in rows() {
        assert_eq!(row.cells.len(), COLUMNS.split('\t').count(), "{}", row.line);
        assert!(LANGUAGES.contains(&row.language()), "{}", row.line);
        assert!(lines.insert(row.line), "twice: {}", row.line);
        assert_eq!(
            row.kind().is_some(),
            row.label != Label::Negative,
            "{}",
            row.line
        );
        let _ = row.field();
    }
}

#[test]
fn there_are_enough_rows_and_a_third_of_them_is_held_out() {
    for (label, least) in [(Label::Positive, 400), (Label::Negative, 400)] {
        let of_label: Vec<Row> = rows()
            .into_iter()
            .filter(|row| row.label == label)
            .collect();
        let held_out = of_label.iter().filter(|row| row.is_held_out()).count();
        assert!(of_label.len() >= least, "{label:?}: {}", of_label.len());
        assert!(
            held_out * 4 > of_label.len() && held_out * 5 < of_label.len() * 2,
            "{label:?}: {held_out}"
        );
    }
}
