//! The words that the classifier knows, as data: [`SECRETS`] and secret [`CODES`], the [`HARMLESS`] things that sound like
//! them, what stands [`AROUND`] both, and the [`CONTEXT`] that tells one from
//! the other.
//!
//! A line is a list of phrases, separated by commas. A phrase is a list of words; in a text they may stand apart,
//! joined (`apikey`) or bound (`api_key`), with a little [`GLUE`] between them ("clé d'API"). A word that ends in `*`
//! stands for its forms with up to three letters more. Case, accents and look-alikes make no difference.

mod around;
mod codes;
mod context;
mod harmless;
mod secrets;

pub(super) use around::{ADJECTIVES, AROUND, GLUE};
pub(super) use codes::CODES;
pub(super) use context::CONTEXT;
pub(super) use harmless::HARMLESS;
pub(super) use secrets::SECRETS;

use super::Kind;

/// What a phrase means for the reading of the text it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It names a secret.
    Secret(Kind, Strength),
    /// It names something harmless, whatever secrets' names are a part of it.
    Harmless,
    /// Something about a secret: its name, its length, where it is.
    Aspect,
    /// Something done with a secret, or how many there are.
    Act,
    /// The verb of a request, before what is asked for.
    Ask,
    /// What leads from a thing to what is in it ("contents of"): the secret is meant, even where its file is named.
    Content,
    /// What makes a verb behind it tell of somebody else's asking.
    Relative,
    /// The end of a request, after what is asked for.
    Asked,
    /// A request for what was named in the sentence before.
    AskIt,
    /// A negation.
    Not,
    /// The beginning of a question.
    Question,
    /// A word that ends the thing named before it, and begins something said of it.
    Function,
    /// What is said of a secret begins: its name before it is no label.
    Verb,
    /// Such a word, after which it is said what a secret is for.
    For,
    /// A word that leaves the name after it what it is.
    Filler,
    /// What may follow a name at the end of a Japanese or Chinese label.
    Tail,
    /// The name of a field that could hold anything.
    Generic,
    /// The name of a field that holds something harmless.
    Other,
    /// A part of identifiers that means nothing here.
    Part,
    /// Who gives out keys and tokens.
    Service,
    /// It makes an ambiguous name of this kind plain.
    Context(Kind),
    /// It shows that an ambiguous name of this kind means something harmless.
    Elsewhere(Kind),
}

impl Meaning {
    /// Its words are looked for inside of identifiers that were written without joints.
    pub(super) fn is_of_identifiers(self) -> bool {
        matches!(
            self,
            Self::Secret(..)
                | Self::Harmless
                | Self::Aspect
                | Self::Act
                | Self::Generic
                | Self::Other
                | Self::Part
                | Self::Service
        )
    }
}

/// How surely a phrase names a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// It says nothing by itself ("key", "code").
    Bare,
    /// It stands near a secret, or holds one among other things ("connection string"): always doubtful.
    Vague,
    /// It can also mean something harmless ("token", "PIN").
    Weak,
    /// It has no other meaning ("API key").
    Strong,
}
