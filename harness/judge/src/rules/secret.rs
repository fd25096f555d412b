//! ELICIT-SECRET: what a form may not ask for, what is asked for on a page instead, and what of that stays there.
//!
//! Words are evidence, and mostly no proof: only a free-text field that is labelled as a secret, in its name or title,
//! breaks a clause. What else speaks for a secret is a warning that says why.

use elenchus_protocol::{
    form::{Field, FieldKind},
    secret::{Answer, FieldText, Kind, Member, Verdict, classify},
};
use elenchus_wire::event::Planted;

use super::{
    report::{Report, report, said},
    views::{Course, course, elicited, handed_over, modes_of, triggered},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{LEAKS, REQUESTS, TURN_ENDS, TURN_STARTS, TYPED},
    rule::{Rule, Says, Still, Subject, Why},
    text,
    world::{Conn, Elicitation, Request, Turn, World},
};

pub(super) const RULES: &[Rule] = &[
    Rule::check("ACP-ELICIT-SECRET-001", |m, s| {
        form_asks(m, s, &AUTHENTICATION);
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SECRET-002", |m, s| form_asks(m, s, &KEYS)).at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-SECRET-003", |m, s| form_asks(m, s, &PAYMENT)).at(&[REQUESTS]),
    URL_MODE_FIRST.at(&[REQUESTS, TURN_ENDS]),
    NO_FORM_INSTEAD.at(&[REQUESTS, TURN_ENDS]),
    SAFE_WITHOUT_URL.at(&[TURN_STARTS]),
    YIELD_STAYS_OUT.at(&[LEAKS, TYPED]),
];

const AUTHENTICATION: [Kind; 4] = [
    Kind::Password,
    Kind::RecoveryCode,
    Kind::Pin,
    Kind::OneTimeCode,
];
const KEYS: [Kind; 4] = [
    Kind::ApiKey,
    Kind::Token,
    Kind::PrivateKey,
    Kind::SeedPhrase,
];
const PAYMENT: [Kind; 2] = [Kind::CardNumber, Kind::Cvv];

/// The trigger for which the agent needs a secret.
const SECRET: &str = "/elicit secret";

/// A field that asks for a secret, or may do so.
#[derive(Debug)]
pub(crate) struct Hit {
    kind: Kind,
    field: String,
    /// Why it is taken for one.
    words: String,
    /// It is labelled as a secret, which its user can only understand in one way.
    sure: bool,
}

/// What the fields of a form ask for besides harmless things. A yes or no and a choice among labels give nothing away.
fn hits(elicitation: &Elicitation) -> Vec<Hit> {
    let Some(form) = &elicitation.create.form else {
        return Vec::new();
    };
    let message = elicitation.create.message.as_deref().unwrap_or_default();
    let open = |field: &&Field| {
        !matches!(
            field.kind,
            FieldKind::Boolean | FieldKind::Choice(_) | FieldKind::MultiSelect { .. }
        )
    };
    let hit = |field: &Field| {
        let (kind, words, sure) = match classify(&FieldText::new(field, message)) {
            Verdict::None => return None,
            Verdict::Doubtful(kind, doubt) => (kind, doubt.to_string(), false),
            Verdict::Explicit(kind, evidence) => {
                let first = evidence.first()?;
                // The texts name neither PINs nor codes for one sign-in.
                let named = !matches!(kind, Kind::Pin | Kind::OneTimeCode);
                let label = matches!(first.member, Member::Name | Member::Title);
                let free = matches!(field.kind, FieldKind::Text { .. });
                (kind, first.to_string(), named && label && free)
            }
        };
        Some(Hit {
            kind,
            field: text::short_to(&field.name, 60),
            words: text::short_to(&words, 200),
            sure,
        })
    };
    form.fields.iter().filter(open).filter_map(hit).collect()
}

impl Hit {
    fn doubt(&self) -> String {
        format!(
            "the field `{}` may ask for {}: {}",
            self.field, self.kind, self.words
        )
    }

    fn why(&self, expected: &str) -> Why {
        Why::new(
            expected,
            format!(
                "the field `{}` of the form asks for {}: {}",
                self.field, self.kind, self.words
            ),
        )
    }
}

/// A doubt counts for nothing, and is told.
fn doubt(says: &mut Says, hit: &Hit) {
    says.unclear(hit.doubt());
    says.note(hit.doubt());
}

/// Says what the form at hand makes of a clause on these kinds. Where the user's own prompt needs a secret, it is
/// reported with how that is asked for; where the prompt handed over the form, it is not the agent's idea.
fn form_asks(m: &Moment<'_>, says: &mut Says, kinds: &[Kind]) {
    let Some((_, request, elicitation)) = elicited(m) else {
        return;
    };
    let fields = elicitation
        .create
        .form
        .as_ref()
        .map_or(0, |form| form.fields.len());
    if fields == 0 || secret_turn(m.conn, request).is_some() {
        return;
    }
    let all = m.checked.secrets.get_or_init(|| hits(elicitation));
    let mut hits = all
        .iter()
        .filter(|hit| kinds.contains(&hit.kind))
        .peekable();
    if hits.peek().is_none() {
        return says.upheld();
    }
    let handed = handed_over(m.conn, request);
    for hit in hits {
        if handed.is_some_and(|schema| schema.contains(&hit.field)) {
            says.unclear(format!("the prompt handed over the field `{}`", hit.field));
        } else if hit.sure {
            says.broken(hit.why("no secret is asked for in a form"));
        } else {
            doubt(says, hit);
        }
    }
}

/// The turn that an elicitation belongs to, if it is one in which the agent needs a secret.
fn secret_turn<'a>(conn: &'a Conn, request: &Request) -> Option<&'a Turn> {
    let turn = &conn.turns[request.turn?];
    (turn.trigger.as_deref() == Some(SECRET)).then_some(turn)
}

/// The agent is known to need a secret for the trigger, and to ask for it.
fn needs_secrets(world: &World) -> bool {
    !modes_of(world, SECRET).is_empty()
}

/// What a form in a turn that needs a secret says of a clause by which it may not ask for that.
fn form_collects(says: &mut Says, elicitation: &Elicitation, expected: &str) {
    for hit in hits(elicitation) {
        if hit.sure {
            says.broken(hit.why(expected));
        } else {
            doubt(says, &hit);
        }
    }
}

/// The turn that ended at this fact by itself, without a form that may have asked for the secret.
fn ended_without_form<'a>(m: &Moment<'a>) -> Option<&'a Turn> {
    let (_, turn) = m.turn_ended()?;
    let ended = turn.trigger.as_deref() == Some(SECRET) && turn.cancelled.is_none();
    if !ended || !needs_secrets(m.world) {
        return None;
    }
    let asked = turn.elicitations.iter().any(|&index| {
        let elicitation = m.conn.requests[index].elicitation.as_deref();
        elicitation.is_some_and(|elicitation| !hits(elicitation).is_empty())
    });
    (!asked).then_some(turn)
}

/// SECRET-005: sensitive interactions use URL mode when the client supports it. (elicitation#form-mode)
const URL_MODE_FIRST: Rule = Rule::check("ACP-ELICIT-SECRET-005", |m, says| {
    if let Some((_, request, elicitation)) = elicited(m) {
        let both = elicitation.support.form && elicitation.support.url;
        if secret_turn(m.conn, request).is_none() || !both {
            return;
        }
        match elicitation.create.mode.as_deref() {
            Some("url") => says.upheld(),
            _ => form_collects(
                says,
                elicitation,
                "the secret is asked for on a page, in mode url",
            ),
        }
    } else if let Some(turn) = ended_without_form(m) {
        let support = m.conn.init.support;
        // By other means than an elicitation.
        let otherwise = turn.elicitations.is_empty() && report(turn) != Report::Unavailable;
        if support.form && support.url && otherwise {
            says.upheld();
        }
    }
});

/// SECRET-006: missing URL support is no reason to ask for the secret in a form. (elicitation#form-mode)
const NO_FORM_INSTEAD: Rule = Rule::check("ACP-ELICIT-SECRET-006", |m, says| {
    if let Some((_, request, elicitation)) = elicited(m) {
        let only_form = elicitation.support.form && !elicitation.support.url;
        if secret_turn(m.conn, request).is_some() && only_form {
            form_collects(
                says,
                elicitation,
                "no secret in a form, though there is no mode url",
            );
        }
    } else if ended_without_form(m).is_some() {
        let support = m.conn.init.support;
        if support.form && !support.url {
            says.upheld();
        }
    }
});

/// SECRET-007: without URL mode the agent uses another safe flow or fails the operation; it does not ask in chat.
/// Whether it does that, no words prove. (elicitation#form-mode; rfd:elicitation#faq)
const SAFE_WITHOUT_URL: Rule = Rule::duty(
    "ACP-ELICIT-SECRET-007",
    "another safe flow, or an end of the turn that says that it failed",
    |m, says| {
        if let Some((index, _, SECRET)) = triggered(m)
            && needs_secrets(m.world)
            && m.conn.initialized()
            && !m.conn.init.support.url
        {
            says.watch(Subject::Turn(index));
        }
    },
    |m, watch| match course(m, watch) {
        Course::Ended(turn) if turn.cancelled.is_some() => Still::Moot,
        Course::Ended(turn) => match chat_asks(&turn.report()) {
            Some(kind) => Still::Unclear(format!(
                "the agent's message may ask for {kind} in the chat: {}",
                said(turn)
            )),
            None => Still::Upheld,
        },
        Course::Unclear(reason) => Still::Unclear(reason.to_owned()),
        Course::Asked(_) | Course::GoesOn => Still::Watching,
    },
);

/// Places where a secret is put that is not given to anyone in a chat.
const ELSEWHERE: [&str; 8] = [
    "environment",
    "env var",
    ".env",
    "config",
    "login",
    "log in",
    "keychain",
    "terminal",
];

/// The kind of secret that a message asks for. To name one is no request: where to put it may be what the message says.
fn chat_asks(message: &str) -> Option<Kind> {
    let words = message.to_lowercase();
    if ELSEWHERE.iter().any(|place| words.contains(place)) {
        return None;
    }
    let field = FieldText {
        name: "answer",
        title: None,
        description: None,
        format: None,
        answer: Answer::Text,
        message,
    };
    match classify(&field) {
        Verdict::Explicit(kind, _) => Some(kind),
        Verdict::Doubtful(..) | Verdict::None => None,
    }
}

/// SECRET-008: what an external flow yields, and what a user typed there, does not travel over ACP. (elicitation#url-mode)
const YIELD_STAYS_OUT: Rule = Rule::ban(
    "ACP-ELICIT-SECRET-008",
    |m, says| match m.fact {
        Fact::Typed(index) => says.watch(Subject::Request(*index)),
        Fact::Leaked(index) => {
            let leak = &m.conn.leaks[*index];
            if leak.planted == Planted::Typed {
                says.broken(
                    Why::new(
                        "nothing of what was typed into the page crosses the wire",
                        format!(
                            "the agent sent the credential that was typed into its page, {}",
                            text::short_to(&leak.encoding, 40)
                        ),
                    )
                    .at(leak.frame),
                );
            }
        }
        _ => {}
    },
    |_, _| Still::Watching,
);
