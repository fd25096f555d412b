//! ELICIT-URL: what a URL that a user is asked to visit may be and hold, and what an accept of it means.

use elenchus_protocol::{
    Weight,
    acp::elicitation::{Answer, CreateFault},
    url_inspect::UrlFault,
};
use elenchus_wire::event::Planted;

use super::{
    report::{Report, report, said},
    views::{answered_with, create, elicited, handed_over},
};
use crate::{
    fact::{Fact, Moment},
    kinds::{ANSWERS, LEAKS, REQUESTS, VISITS},
    rule::{Rule, Says, Still, Subject, Why},
    text,
    world::{Elicitation, Link},
};

pub(super) const RULES: &[Rule] = &[
    Rule::check("ACP-ELICIT-URL-001", |m, s| {
        let faults = [CreateFault::ElicitationId, CreateFault::Url];
        create(m, s, &faults, Weight::Violation, |create| {
            create.mode.as_deref() == Some("url")
        });
    })
    .at(&[REQUESTS]),
    Rule::check("ACP-ELICIT-URL-003", |m, s| {
        let proofs = [UrlFault::NotAUrl, UrlFault::NotAbsolute];
        holds(m, s, &proofs, &[UrlFault::NoScheme], "a valid absolute URL");
    })
    .at(&[REQUESTS]),
    HTTPS.at(&[REQUESTS]),
    NO_CREDENTIALS.at(&[LEAKS, REQUESTS]),
    NO_PERSONAL_DATA.at(&[LEAKS, REQUESTS]),
    NOT_SIGNED_IN.at(&[REQUESTS, VISITS]),
    ACCEPT_IS_NO_VISIT.at(&[ANSWERS]),
    UNIQUE_ID.at(&[REQUESTS]),
];

/// The URL of the elicitation at hand, where the recording shows one.
fn linked<'a>(m: &Moment<'a>) -> Option<(usize, &'a Elicitation, &'a Link)> {
    let (index, _, elicitation) = elicited(m)?;
    let link = elicitation.link.as_ref().filter(|link| !link.hidden)?;
    Some((index, elicitation, link))
}

/// Says what the URL at hand makes of a clause: faults that a parser proves, and signs that prove nothing.
fn holds(m: &Moment<'_>, says: &mut Says, proofs: &[UrlFault], signs: &[UrlFault], expected: &str) {
    let Some((index, _, link)) = linked(m) else {
        return;
    };
    let handed = handed_over(m.conn, &m.conn.requests[index]).is_some();
    let mut clean = true;
    for finding in &link.findings {
        let told = || text::short_to(&finding.to_string(), 300);
        if proofs.contains(&finding.kind) && finding.weight > Weight::Unclear {
            clean = false;
            if handed {
                says.unclear("the prompt handed over this URL");
            } else {
                says.broken(Why::new(expected, format!("in the URL, {}", told())));
            }
        } else if proofs.contains(&finding.kind) || signs.contains(&finding.kind) {
            clean = false;
            says.unclear(told());
            if finding.weight > Weight::Unclear && !handed {
                says.note(told());
            }
        }
    }
    if clean {
        says.upheld();
    }
}

/// URL-005: URLs use HTTPS outside of development. (elicitation#url-security)
const HTTPS: Rule = Rule::check("ACP-ELICIT-URL-005", |m, says| {
    let plain = [UrlFault::PlainHttp];
    let applies = |link: &Link| {
        link.https
            || link
                .findings
                .iter()
                .any(|finding| plain.contains(&finding.kind))
    };
    if linked(m).is_some_and(|(_, _, link)| applies(link)) {
        holds(m, says, &plain, &[], "an https URL");
    }
});

/// A planted text stood in the URL at hand.
fn leaked(m: &Moment<'_>, says: &mut Says, planted: Planted, what: &str) {
    let Fact::Leaked(index) = m.fact else {
        return;
    };
    let leak = &m.conn.leaks[*index];
    if leak.planted == planted && leak.in_url {
        let encoding = text::short_to(&leak.encoding, 40);
        let why = Why::new(
            format!("a URL without {what}"),
            format!("the URL holds {what}, {encoding}"),
        );
        says.broken(why.at(leak.frame));
    }
}

/// URL-006: the URL contains no credentials: no planted one, and no password before the host. What only looks like one is
/// no proof. (elicitation#url-security)
const NO_CREDENTIALS: Rule = Rule::check("ACP-ELICIT-URL-006", |m, says| {
    let signs = [
        UrlFault::UserName,
        UrlFault::Credential,
        UrlFault::SignedToken,
        UrlFault::PrivateKey,
        UrlFault::AuthorizationCode,
    ];
    holds(
        m,
        says,
        &[UrlFault::Password],
        &signs,
        "a URL without a password in it",
    );
    leaked(
        m,
        says,
        Planted::Credential,
        "a credential of the agent's environment",
    );
});

/// URL-007: the URL contains no personal data about the user; only planted data proves whose it is.
/// (elicitation#url-security)
const NO_PERSONAL_DATA: Rule = Rule::check("ACP-ELICIT-URL-007", |m, says| {
    let signs = [UrlFault::Email, UrlFault::Phone, UrlFault::PersonalDetail];
    holds(m, says, &[], &signs, "a URL without personal data");
    leaked(
        m,
        says,
        Planted::Person,
        "the user's name or e-mail address",
    );
});

/// URL-008: the URL gives no pre-authenticated access: what it shows to whoever opens it holds no planted credential.
/// (elicitation#url-security)
const NOT_SIGNED_IN: Rule = Rule::ban(
    "ACP-ELICIT-URL-008",
    |m, says| {
        if let Fact::Visited(index) = m.fact {
            says.watch(Subject::Request(*index));
        } else if let Some((_, _, link)) = linked(m) {
            let signs = [UrlFault::SignedUrl, UrlFault::LoginLink];
            for finding in &link.findings {
                if signs.contains(&finding.kind) {
                    says.unclear(text::short_to(&finding.to_string(), 300));
                }
            }
        }
    },
    |m, watch| {
        let (Fact::Shown(shown), Subject::Request(index)) = (m.fact, watch.subject) else {
            return Still::Watching;
        };
        if *shown != index {
            return Still::Watching;
        }
        let request = &m.conn.requests[index];
        Still::Broken(
            Why::new(
                "a page that shows nothing protected before a sign-in",
                "whoever opens the URL is shown a credential of the agent's environment",
            )
            .got(request.text.clone())
            .at(request.seq),
        )
    },
);

/// URL-019: an accept is not the end of the external interaction: an agent that waits for the visit does not go on
/// without it. (elicitation#url-mode)
const ACCEPT_IS_NO_VISIT: Rule = Rule::check_later(
    "ACP-ELICIT-URL-019",
    |m, says| {
        let Some((_, request)) = m.we_answered() else {
            return;
        };
        let (Some(elicitation), Some(index)) = (request.elicitation.as_deref(), request.turn)
        else {
            return;
        };
        let turn = &m.conn.turns[index];
        let accepted = matches!(elicitation.answer, Some(Answer::Accept(_)));
        if accepted
            && turn.trigger.as_deref() == Some("/elicit url-wait")
            && elicitation.link.as_ref().is_some_and(|link| link.loopback)
            && elicitation.visited.is_none()
            && turn.ended.is_none()
        {
            says.watch(Subject::Turn(index));
        }
    },
    |m, watch| {
        let Subject::Turn(index) = watch.subject else {
            return Still::Moot;
        };
        let turn = &m.conn.turns[index];
        match m.fact {
            Fact::Visited(request) if m.conn.requests[*request].turn == Some(index) => Still::Moot,
            Fact::Settled if turn.ended.is_none() => Still::Upheld,
            Fact::TurnEnded(ended) if *ended == index && turn.cancelled.is_none() => {
                if matches!(report(turn), Report::Accept(_)) {
                    Still::Broken(
                        Why::new(
                            "an agent that waits until the page was visited",
                            "the user agreed to visit the page and never did, and the agent went on as if it was done",
                        )
                        .got(said(turn))
                        .sent(answered_with(m.conn, turn)),
                    )
                } else {
                    Still::Upheld
                }
            }
            Fact::TurnEnded(ended) if *ended == index => Still::Moot,
            Fact::Exited => Still::Moot,
            _ => Still::Watching,
        }
    },
);

/// The most earlier requests with one id that are looked at.
const EARLIER: usize = 64;

/// URL-021: an elicitationId is unique among the URL elicitations that are outstanding on a connection.
/// (elicitation#url-completion)
const UNIQUE_ID: Rule = Rule::check("ACP-ELICIT-URL-021", |m, says| {
    let Some((index, request, elicitation)) = elicited(m) else {
        return;
    };
    let Some(id) = &elicitation.create.elicitation_id else {
        return;
    };
    let known = m.conn.issued.get(id).map_or(&[][..], Vec::as_slice);
    let mut agreed = false;
    for &earlier in known
        .iter()
        .rev()
        .take(EARLIER)
        .filter(|earlier| **earlier != index)
    {
        let asked = &m.conn.requests[earlier];
        if asked.is_open() {
            return says.broken(Why::new(
                "an elicitationId that no open URL elicitation has",
                format!(
                    "the elicitationId `{}` is that of the request {}, which is still open",
                    text::short_to(id, 80),
                    text::short_to(asked.id.text(), 40)
                ),
            ));
        }
        let answer = asked.elicitation.as_deref().and_then(|e| e.answer.as_ref());
        let completed = m.conn.completed.get(id).is_some_and(|seq| *seq > asked.seq);
        agreed |= matches!(answer, Some(Answer::Accept(_))) && !completed;
    }
    if agreed {
        says.note(format!(
            "the elicitationId `{}` is used again, while the page that it stood for may still be open",
            text::short_to(id, 80)
        ));
    }
    let another = m.conn.issued.len() > 1 || known.len() > 1;
    if another && request.elicitation.is_some() {
        says.upheld();
    }
});
