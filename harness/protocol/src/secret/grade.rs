//! From what the members say to a verdict.

use super::fold::fold;
use super::read::{Hit, Reading, Role, Style, read};
use super::table::Strength;
use super::{Answer, Doubt, Evidence, FieldText, Kind, Member, Verdict};

pub(super) fn grade<'a>(field: &FieldText<'a>) -> Verdict<'a> {
    if field.answer == Answer::Boolean {
        return Verdict::None;
    }
    let form = Form::read(field);
    let verdict = match form.grade(field) {
        Verdict::None => disguised(field),
        plain => plain,
    };
    match &field.answer {
        Answer::Text | Answer::Boolean => verdict,
        Answer::Number => as_number(verdict),
        Answer::Choice(labels) => as_choice(verdict, labels),
    }
}

/// What the field is about, apart from secrets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// Anything: what is asked for stands in the message.
    Open,
    /// Something harmless that we know.
    Harmless,
    /// Something else.
    Unknown,
}

struct Form<'a> {
    name: Reading<'a>,
    title: Reading<'a>,
    description: Reading<'a>,
    message: Reading<'a>,
}

/// A member that asks for a secret, in its own words.
struct Claim<'h, 'a> {
    member: Member,
    hit: &'h Hit<'a>,
}

impl<'a> Claim<'_, 'a> {
    fn evidence(&self) -> Evidence<'a> {
        Evidence {
            member: self.member,
            words: self.hit.words,
        }
    }
}

impl<'a> Form<'a> {
    fn read(field: &FieldText<'a>) -> Self {
        let optional = |source: Option<&'a str>, style| read(source.unwrap_or_default(), style);
        Self {
            name: read(field.name, Style::Name),
            title: optional(field.title, Style::Title),
            description: optional(field.description, Style::Prose),
            message: read(field.message, Style::Message),
        }
    }

    fn members(&self) -> [(Member, &Reading<'a>); 4] {
        [
            (Member::Name, &self.name),
            (Member::Title, &self.title),
            (Member::Description, &self.description),
            (Member::Message, &self.message),
        ]
    }

    fn subject(&self) -> Subject {
        let labels = [&self.name, &self.title];
        if labels.iter().all(|reading| reading.generic) {
            Subject::Open
        } else if labels.iter().any(|reading| reading.other)
            && !labels.iter().any(|reading| speaks(reading))
        {
            Subject::Harmless
        } else {
            Subject::Unknown
        }
    }

    fn grade(&self, field: &FieldText<'a>) -> Verdict<'a> {
        let claims = self.claims();
        let mut doubt = None;
        if field.format == Some("password") {
            let evidence = Evidence {
                member: Member::Format,
                words: "password",
            };
            match self.contradiction(Member::Format) {
                None => return Verdict::Explicit(Kind::Password, vec![evidence]),
                Some(by) => {
                    doubt = Some(Verdict::Doubtful(
                        Kind::Password,
                        Doubt::Contradicted(evidence, by),
                    ));
                }
            }
        }
        for claim in &claims {
            let contradiction = self.contradiction(claim.member);
            // A description that says something about the field's subject, not what to enter.
            if claim.member == Member::Description
                && claim.hit.role < Role::Ask
                && contradiction.is_some()
            {
                continue;
            }
            let Some(mut evidence) = self.plain(claim) else {
                continue;
            };
            match contradiction {
                None => {
                    for other in claims
                        .iter()
                        .filter(|other| other.hit.kind == claim.hit.kind)
                    {
                        if !evidence.contains(&other.evidence()) {
                            evidence.push(other.evidence());
                        }
                    }
                    return Verdict::Explicit(claim.hit.kind, evidence);
                }
                Some(by) => {
                    let why = Doubt::Contradicted(claim.evidence(), by);
                    doubt = doubt.or(Some(Verdict::Doubtful(claim.hit.kind, why)));
                }
            }
        }
        doubt
            .or_else(|| self.ambiguous(&claims))
            .or_else(|| self.only_in_message())
            .unwrap_or(Verdict::None)
    }

    /// What asks for a secret, the field's own label first.
    fn claims(&self) -> Vec<Claim<'_, 'a>> {
        let subject = self.subject();
        let mut claims = Vec::new();
        for (member, reading) in self.members() {
            if member == Member::Message && subject != Subject::Open {
                continue;
            }
            let asks = |hit: &&Hit<'a>| {
                hit.role >= Role::Label || reading.asks_for_it && hit.role == Role::Mention
            };
            claims.extend(
                reading
                    .hits
                    .iter()
                    .filter(asks)
                    .map(|hit| Claim { member, hit }),
            );
        }
        claims
    }

    /// The words that make it plain that the claim is for a secret, the claim's own first.
    fn plain(&self, claim: &Claim<'_, 'a>) -> Option<Vec<Evidence<'a>>> {
        let mut evidence = vec![claim.evidence()];
        if claim.hit.strength < Strength::Strong {
            if claim.hit.strength == Strength::Vague || self.is_elsewhere(claim.hit.kind) {
                return None;
            }
            let context = |(member, reading): (Member, &Reading<'a>)| {
                let (_, words) = reading
                    .contexts
                    .iter()
                    .find(|(kind, _)| *kind == claim.hit.kind)?;
                Some(Evidence { member, words })
            };
            evidence.push(self.members().into_iter().find_map(context)?);
        }
        Some(evidence)
    }

    fn is_elsewhere(&self, kind: Kind) -> bool {
        self.members()
            .iter()
            .any(|(_, reading)| reading.elsewhere.contains(&kind))
    }

    /// Another member by which the field is about something else.
    fn contradiction(&self, claimed: Member) -> Option<Member> {
        let labels = self
            .members()
            .into_iter()
            .filter(|(member, _)| *member != claimed && *member != Member::Message);
        let mut contradicting = labels.filter(|(member, reading)| {
            // A description says much; a name that only begins like a secret's is no objection there.
            let enough = if *member == Member::Description {
                Strength::Vague
            } else {
                Strength::Bare
            };
            let about = |hit: &Hit<'_>| hit.role == Role::About && hit.strength >= enough;
            (reading.about || reading.hits.iter().any(about))
                && !reading.hits.iter().any(|hit| hit.role >= Role::Label)
        });
        contradicting.next().map(|(member, _)| member).or_else(|| {
            let harmless = claimed == Member::Description && self.subject() == Subject::Harmless;
            harmless.then_some(if self.title.other {
                Member::Title
            } else {
                Member::Name
            })
        })
    }

    /// A name that can mean a secret, with nothing that tells.
    fn ambiguous(&self, claims: &[Claim<'_, 'a>]) -> Option<Verdict<'a>> {
        let weak = |claim: &&Claim<'_, 'a>| {
            matches!(claim.hit.strength, Strength::Weak | Strength::Vague)
                && !self.is_elsewhere(claim.hit.kind)
                && self.contradiction(claim.member).is_none()
        };
        let claim = claims.iter().find(weak)?;
        Some(Verdict::Doubtful(
            claim.hit.kind,
            Doubt::Ambiguous(claim.evidence()),
        ))
    }

    fn only_in_message(&self) -> Option<Verdict<'a>> {
        let asks = |hit: &&Hit<'a>| hit.role == Role::Ask && hit.strength == Strength::Strong;
        let hit = self.message.hits.iter().find(asks)?;
        let labels = [&self.name, &self.title];
        let unknown =
            self.subject() == Subject::Unknown && !labels.iter().any(|reading| speaks(reading));
        let evidence = Evidence {
            member: Member::Message,
            words: hit.words,
        };
        unknown.then_some(Verdict::Doubtful(hit.kind, Doubt::OnlyInMessage(evidence)))
    }
}

/// It names a secret, or something that a secret's name is a part of.
fn speaks(reading: &Reading<'_>) -> bool {
    reading.hits.iter().any(|hit| hit.role >= Role::About)
}

/// Longer labels are no disguised words.
const DISGUISE: usize = 64;

/// `p4ssw0rd`: digits and signs are read as the letters they resemble. At most doubtful, since most such texts are
/// only digits and signs.
fn disguised<'a>(field: &FieldText<'a>) -> Verdict<'a> {
    let labels = [
        (Member::Name, Some(field.name), Style::Name),
        (Member::Title, field.title, Style::Title),
    ];
    for (member, words, style) in labels {
        let Some(words) = words else { continue };
        // Marks that nobody sees hide nothing from a person either.
        let seen: String = words.chars().filter(|sign| fold(*sign).is_some()).collect();
        if seen.chars().count() > DISGUISE {
            continue;
        }
        let undisguised = undisguise(&seen);
        if undisguised == seen {
            continue;
        }
        let reading = read(&undisguised, style);
        let hit = reading
            .hits
            .iter()
            .find(|hit| hit.role >= Role::Label && hit.strength >= Strength::Weak);
        if let Some(hit) = hit {
            return Verdict::Doubtful(hit.kind, Doubt::Disguised(Evidence { member, words }));
        }
    }
    Verdict::None
}

/// Only inside of a word: the digit of `1Password` is one.
fn undisguise(words: &str) -> String {
    let mut before = None;
    let mut signs = words.chars().peekable();
    let mut letters = String::with_capacity(words.len());
    while let Some(sign) = signs.next() {
        let inside = [before, signs.peek().copied()]
            .iter()
            .all(|next| next.is_some_and(char::is_alphanumeric));
        letters.push(if inside { resembled(sign) } else { sign });
        before = Some(sign);
    }
    letters
}

/// The letter that a digit or sign resembles, whatever its width.
fn resembled(sign: char) -> char {
    match fold(sign).unwrap_or(sign) {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        _ => sign,
    }
}

fn as_number(verdict: Verdict<'_>) -> Verdict<'_> {
    match verdict {
        Verdict::Explicit(kind, evidence) if !kind.is_number() => match evidence.first() {
            Some(first) => Verdict::Doubtful(kind, Doubt::WrongType(*first)),
            None => Verdict::None,
        },
        Verdict::Doubtful(kind, _) if !kind.is_number() => Verdict::None,
        other => other,
    }
}

/// Who chooses among known labels gives nothing away, unless the labels are the secrets.
fn as_choice<'a>(verdict: Verdict<'a>, labels: &[&'a str]) -> Verdict<'a> {
    let (kind, evidence) = match verdict {
        Verdict::Explicit(kind, evidence) => match evidence.first() {
            Some(first) => (kind, *first),
            None => return Verdict::None,
        },
        Verdict::Doubtful(
            kind,
            Doubt::Ambiguous(evidence)
            | Doubt::Contradicted(evidence, _)
            | Doubt::OnlyInMessage(evidence),
        ) => (kind, evidence),
        _ => return Verdict::None,
    };
    match labels.iter().find(|label| could_be(kind, label)) {
        Some(label) => Verdict::Doubtful(kind, Doubt::Chosen(evidence, label)),
        None => Verdict::None,
    }
}

/// Whether a label looks like a secret of this kind.
fn could_be(kind: Kind, label: &str) -> bool {
    let digits = label.chars().filter(char::is_ascii_digit).count();
    let letters = label.chars().filter(|char| char.is_alphabetic()).count();
    if kind == Kind::SeedPhrase {
        letters > 0 && !label.contains(' ')
    } else if kind.is_number() {
        digits >= 2 && letters == 0
    } else {
        digits > 0 && letters > 0 && label.len() >= 16 && !label.contains(char::is_whitespace)
    }
}
