//! The classifier of forbidden secret fields.
//!
//! "Form mode MUST NOT be used to request secrets or credentials that grant access or authorize transactions"
//! (elicitation, form mode): passwords, API keys, tokens, private keys, recovery codes, payment credentials. Profile
//! information such as a name, an email address or a user name may be asked for.
//!
//! A field is judged by its words, in eight languages: its name, title and description, and the message of the
//! request. The words are folded (look-alikes, accents, case), taken apart, and looked up in tables; then the places
//! where they stand decide whether the secret itself is asked for. Every verdict tells the words that led to it.

mod fold;
mod grade;
mod lexicon;
mod read;
mod table;
mod words;

use std::fmt;

use crate::form::{Field, FieldKind};

/// The words of one form field, and of the request that it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldText<'a> {
    /// The name of the property.
    pub name: &'a str,
    /// Its `title`.
    pub title: Option<&'a str>,
    /// Its `description`.
    pub description: Option<&'a str>,
    /// Its `format`.
    pub format: Option<&'a str>,
    /// What a user can answer.
    pub answer: Answer<'a>,
    /// The `message` of the request.
    pub message: &'a str,
}

/// What a user can answer in a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<'a> {
    /// Any text. An extension type counts as one, since it can hold everything.
    Text,
    /// A number: nothing but digits can be given away.
    Number,
    /// Yes or no, which is never a secret.
    Boolean,
    /// One or some of these labels, which the agent knows already.
    Choice(Vec<&'a str>),
}

impl<'a> FieldText<'a> {
    /// The words of a field as the form schema holds them.
    pub fn new(field: &'a Field, message: &'a str) -> Self {
        let mut format = None;
        let answer = match &field.kind {
            FieldKind::Text { format: named, .. } => {
                format = named.as_deref();
                Answer::Text
            }
            FieldKind::Number { .. } | FieldKind::Integer { .. } => Answer::Number,
            FieldKind::Boolean => Answer::Boolean,
            FieldKind::Choice(options) | FieldKind::MultiSelect { options, .. } => {
                let label = |option: &'a crate::form::ChoiceOption| {
                    option.title.as_deref().unwrap_or(&option.value)
                };
                Answer::Choice(options.iter().map(label).collect())
            }
            FieldKind::Other => Answer::Text,
        };
        Self {
            name: &field.name,
            title: field.title.as_deref(),
            description: field.description.as_deref(),
            format,
            answer,
            message,
        }
    }
}

/// The kinds of secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A password or a passphrase.
    Password,
    /// A PIN or another code that opens something.
    Pin,
    /// An API key, or a secret that programs share.
    ApiKey,
    /// An access, refresh or session token.
    Token,
    /// A private key.
    PrivateKey,
    /// The words that restore a wallet.
    SeedPhrase,
    /// A recovery or backup code, or a recovery key.
    RecoveryCode,
    /// A code for a single sign-in or transaction.
    OneTimeCode,
    /// The number of a payment card; a bank account's number is at most doubtful.
    CardNumber,
    /// The verification code of a payment card.
    Cvv,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 10] = [
        Self::Password,
        Self::Pin,
        Self::ApiKey,
        Self::Token,
        Self::PrivateKey,
        Self::SeedPhrase,
        Self::RecoveryCode,
        Self::OneTimeCode,
        Self::CardNumber,
        Self::Cvv,
    ];

    /// Whether it can be typed into a field for numbers.
    fn is_number(self) -> bool {
        matches!(
            self,
            Self::Pin | Self::OneTimeCode | Self::CardNumber | Self::Cvv
        )
    }
}

impl fmt::Display for Kind {
    /// With its article.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Password => "a password",
            Self::Pin => "a PIN",
            Self::ApiKey => "an API key",
            Self::Token => "a token",
            Self::PrivateKey => "a private key",
            Self::SeedPhrase => "a seed phrase",
            Self::RecoveryCode => "a recovery code",
            Self::OneTimeCode => "a one-time code",
            Self::CardNumber => "a card number",
            Self::Cvv => "a card verification code",
        })
    }
}

/// What the field is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// It asks for a secret in plain words: the must-not is broken.
    Explicit(Kind, Vec<Evidence<'a>>),
    /// It may ask for one: a warning.
    Doubtful(Kind, Doubt<'a>),
    /// Nothing speaks for it.
    None,
}

/// Words that led to a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence<'a> {
    /// Where they stand.
    pub member: Member,
    /// The words as they were sent.
    pub words: &'a str,
}

/// The members that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member {
    /// The name of the property.
    Name,
    /// `title`.
    Title,
    /// `description`.
    Description,
    /// `format`.
    Format,
    /// The `message` of the request.
    Message,
    /// The label of a choice.
    Option,
}

impl fmt::Display for Member {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Name => "name",
            Self::Title => "title",
            Self::Description => "description",
            Self::Format => "format",
            Self::Message => "message",
            Self::Option => "option",
        })
    }
}

impl fmt::Display for Evidence<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the {} says {:?}", self.member, self.words)
    }
}

/// Why a field is only doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt<'a> {
    /// The words also mean something harmless, and nothing beside them tells.
    Ambiguous(Evidence<'a>),
    /// One member names the secret, another something about it.
    Contradicted(Evidence<'a>, Member),
    /// The message asks for it, but the field is labelled as something else.
    OnlyInMessage(Evidence<'a>),
    /// The words are only readable with digits and signs for letters.
    Disguised(Evidence<'a>),
    /// The field takes a number, which such a secret is not.
    WrongType(Evidence<'a>),
    /// The secret would be told by choosing one of the labels.
    Chosen(Evidence<'a>, &'a str),
}

impl fmt::Display for Doubt<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ambiguous(evidence) => write!(
                formatter,
                "{evidence}, which can also mean something harmless"
            ),
            Self::Contradicted(evidence, member) => {
                write!(
                    formatter,
                    "{evidence}, but by its {member} it is about something else"
                )
            }
            Self::OnlyInMessage(evidence) => {
                write!(
                    formatter,
                    "{evidence}, but the field is labelled as something else"
                )
            }
            Self::Disguised(evidence) => write!(
                formatter,
                "{evidence}, which can be read as the name of a secret"
            ),
            Self::WrongType(evidence) => {
                write!(formatter, "{evidence}, but the field takes a number")
            }
            Self::Chosen(evidence, label) => {
                write!(formatter, "{evidence}, and {label:?} can be chosen")
            }
        }
    }
}

/// Judges a field (ACP-ELICIT-SECRET-001 to 004).
///
/// It is total, and takes time in proportion to the texts; of each, the first 64 KiB are read.
pub fn classify<'a>(field: &FieldText<'a>) -> Verdict<'a> {
    grade::grade(field)
}
