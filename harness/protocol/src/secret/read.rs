//! What one member of a field says about secrets.
//!
//! A secret's name in a text is a request for it only in some places: as the label itself, or after a verb that asks.
//! Elsewhere it is something about the secret ("API key name"), or only a mention ("never enter your password").

mod marks;
mod place;

use std::cmp::Reverse;
use std::ops::Range;

use super::Kind;
use super::lexicon::{Grammar, LEXICON, Match};
use super::table::{Meaning, Strength};
use super::words::{Gap, Script, Text};
use marks::{Mark, Marks};
use place::Place;

/// How a member speaks of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// It names it for another reason.
    Mention,
    /// It is about something that belongs to the secret, or contains its name.
    About,
    /// It is the label of the field.
    Label,
    /// It asks for it.
    Ask,
}

/// A secret that a member names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit<'a> {
    pub(super) kind: Kind,
    pub(super) strength: Strength,
    pub(super) role: Role,
    /// As it stands in the member.
    pub(super) words: &'a str,
}

/// A member, read.
#[derive(Debug, Default)]
pub(super) struct Reading<'a> {
    /// The best hit of each kind, by where it stands.
    pub(super) hits: Vec<Hit<'a>>,
    /// What makes ambiguous names plain, in the order of the text.
    pub(super) contexts: Vec<(Kind, &'a str)>,
    /// Kinds whose ambiguous names mean something harmless here.
    pub(super) elsewhere: Vec<Kind>,
    /// It names a field that could hold anything, or no field.
    pub(super) generic: bool,
    /// It names a field of something harmless.
    pub(super) other: bool,
    /// It begins with something like "name of" or "path to", or is a label of something harmless.
    pub(super) about: bool,
    /// It says "enter it here", of what it named before.
    pub(super) asks_for_it: bool,
}

/// The kinds of members, which are written in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// An identifier.
    Name,
    /// A few words.
    Title,
    /// Sentences.
    Prose,
    /// Sentences that are about the whole form.
    Message,
}

pub(super) fn read(source: &str, style: Style) -> Reading<'_> {
    let text = Text::read(source, &LEXICON);
    let matches = LEXICON.find(&text);
    let place = Place {
        marks: Marks::new(&text, &matches),
        text: &text,
        style,
    };
    let mut reading = Reading {
        generic: is_generic(&place),
        about: place.begins_with_an_aspect(),
        ..Reading::default()
    };
    for found in &matches {
        match found.meaning {
            Meaning::Other => reading.other = true,
            Meaning::Harmless if matches!(style, Style::Name | Style::Title) => {
                reading.about = true;
            }
            Meaning::AskIt if style != Style::Name => {
                reading.asks_for_it |= !place.is_negated(&found.words);
            }
            Meaning::Context(kind) if reading.contexts.iter().all(|(known, _)| *known != kind) => {
                reading.contexts.push((kind, text.quote(&found.words)));
            }
            Meaning::Elsewhere(kind) if !reading.elsewhere.contains(&kind) => {
                reading.elsewhere.push(kind);
            }
            _ => {}
        }
    }
    for named in names(&place, &matches) {
        let role = place.role(&named);
        let hit = Hit {
            kind: named.kind,
            strength: strength(&place, &named, role),
            role,
            words: text.quote(&named.words),
        };
        match reading.hits.iter_mut().find(|known| known.kind == hit.kind) {
            Some(known) if (known.role, known.strength) < (hit.role, hit.strength) => *known = hit,
            Some(_) => {}
            None => reading.hits.push(hit),
        }
    }
    reading
}

fn is_generic(place: &Place<'_, '_>) -> bool {
    let mut words = place.text.words.iter().enumerate();
    words.all(|(index, word)| {
        word.glue || word.script == Script::Digit || place.marks.has(index, Mark::GENERIC)
    })
}

/// A secret's name in the text.
struct Named {
    kind: Kind,
    strength: Strength,
    words: Range<usize>,
    grammar: Grammar,
}

/// The names of secrets that are no part of a longer name, in the order of the text.
fn names(place: &Place<'_, '_>, matches: &[Match]) -> Vec<Named> {
    let named = |found: &Match| match found.meaning {
        Meaning::Secret(kind, strength) => Some(Named {
            kind,
            strength,
            words: found.words.clone(),
            grammar: found.grammar,
        }),
        _ => None,
    };
    let mut all: Vec<Named> = matches.iter().filter_map(named).collect();
    all.sort_by_key(|named| {
        (
            named.words.start,
            Reverse(named.words.end),
            Reverse(named.strength),
        )
    });
    let mut reach = 0;
    let mut names: Vec<Named> = Vec::new();
    for named in all {
        let mut here = names
            .iter()
            .rev()
            .take_while(|name| name.words == named.words)
            .peekable();
        let same_place = here.peek().is_some();
        let known = here.any(|name| name.kind == named.kind);
        let whole = named.strength == Strength::Strong || !place.cuts_katakana(&named.words);
        if known || !whole || (named.words.end <= reach && !same_place) {
            continue;
        }
        reach = named.words.end;
        if names
            .last()
            .is_some_and(|last| belongs_to(place, last, &named))
        {
            names.pop();
        }
        names.push(named);
    }
    names
}

/// The first is what the second is for: a private key's passphrase.
fn belongs_to(place: &Place<'_, '_>, first: &Named, second: &Named) -> bool {
    let from = first.words.end;
    let linked = from < second.words.start && place.is_link(from);
    let beside = second.words.start == from + usize::from(linked);
    beside
        && place.text.words[second.words.start].gap == Gap::Joint
        && second.strength >= first.strength
}

/// How surely this names a secret in this place.
fn strength(place: &Place<'_, '_>, named: &Named, role: Role) -> Strength {
    let words = &named.words;
    let given_out = matches!(named.kind, Kind::Token | Kind::ApiKey)
        && (place.has_service_beside(words) || role == Role::Ask && place.has_service_near(words));
    match named.strength {
        strength if role >= Role::Label && place.has_stranger(named) => {
            strength.min(Strength::Vague)
        }
        Strength::Strong if place.style == Style::Title && place.is_aside(words) => Strength::Weak,
        Strength::Bare | Strength::Weak if given_out => Strength::Strong,
        strength => strength,
    }
}
