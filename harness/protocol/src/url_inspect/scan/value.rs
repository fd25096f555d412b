//! What a single value is.

use super::{
    Found, Meaning, Unclear, UrlFault as F, Warning, context::Context, names, person, shapes,
};

/// The value of a parameter. The surest finding wins; one value is reported once.
pub(super) fn of_parameter<'a>(name: &str, value: &'a str, context: &Context) -> Option<Found<'a>> {
    let meaning = names::meaning(name);
    unmistakable(value)
        .or_else(|| signed(name, value, meaning, context))
        .or_else(|| {
            let beside = context.is_beside_signature(name) || meaning == Meaning::ClientId;
            (!beside).then(|| named(meaning, value, context).or_else(|| shaped(meaning, value)))?
        })
}

/// A text without a name.
pub(super) fn of_text(text: &str) -> Option<Found<'_>> {
    unmistakable(text).or_else(|| shaped(Meaning::Plain, text))
}

/// What is a credential under any name.
fn unmistakable(value: &str) -> Option<Found<'_>> {
    if shapes::is_private_key(value) {
        let sentence = "it has the head line of a private key";
        return Some(Found::new(F::PrivateKey, Warning, value, sentence));
    }
    let whose = shapes::known_format(value)?;
    let sentence = format!("it has the format of {whose}");
    Some(Found::new(F::Credential, Warning, value, sentence))
}

/// Signatures that open what the URL names.
fn signed<'a>(
    name: &str,
    value: &'a str,
    meaning: Meaning,
    context: &Context,
) -> Option<Found<'a>> {
    if meaning != Meaning::Signature || !shapes::is_token(value) {
        return None;
    }
    if context.is_signature(name) {
        let sentence = "who holds a signed URL of a storage service needs no other proof";
        return Some(Found::new(F::SignedUrl, Warning, value, sentence));
    }
    let sentence =
        "a signature that expires may open what it signs, or only prove where it comes from";
    (context.is_temporary() && shapes::is_random(value))
        .then(|| Found::new(F::SignedUrl, Unclear, value, sentence))
}

/// What the name says, where the value agrees.
fn named<'a>(meaning: Meaning, value: &'a str, context: &Context) -> Option<Found<'a>> {
    let found = |kind, weight, sentence: &'static str| Found::new(kind, weight, value, sentence);
    match meaning {
        Meaning::Password => shapes::is_password(value)
            .then(|| found(F::Credential, Warning, "by its name it is a password")),
        Meaning::Token(_) if shapes::is_public_key(value) => Some(found(
            F::Credential,
            Unclear,
            "keys of this format are often meant to be seen",
        )),
        Meaning::Token(what) => shapes::is_token(value).then(|| {
            Found::new(
                F::Credential,
                Warning,
                value,
                format!("by its name it is {what}"),
            )
        }),
        Meaning::Code => code(value, context),
        Meaning::Login => shapes::is_token(value)
            .then(|| found(F::LoginLink, Warning, "by its name it signs its holder in")),
        Meaning::OneTimeCode => {
            let code = shapes::is_one_time_code(value) || shapes::is_token(value);
            code.then(|| found(F::LoginLink, Warning, "by its name it is a one-time code"))
        }
        Meaning::CardNumber => shapes::is_card_number(value)
            .then(|| found(F::Credential, Warning, "it is the number of a payment card")),
        Meaning::CardCheck => shapes::is_card_check(value).then(|| {
            found(
                F::Credential,
                Warning,
                "by its name it is a payment card's check value",
            )
        }),
        Meaning::Ambiguous => ambiguous(value),
        Meaning::TokenHint => shapes::jwt(value).map(|token| {
            let sentence = "OpenID Connect allows this token in a URL; it speaks of the user";
            Found::new(F::SignedToken, Unclear, token.text, sentence)
        }),
        Meaning::Phone => person::is_phone(value).then(|| {
            found(
                F::Phone,
                Warning,
                "under such a name it is a telephone number",
            )
        }),
        Meaning::Person => person::is_person(value)
            .then(|| found(F::PersonalDetail, Warning, "it is a person's name")),
        Meaning::Identity => person::is_date_or_number(value).then(|| {
            let sentence = "by its name it is a date of birth or an identity number";
            found(F::PersonalDetail, Warning, sentence)
        }),
        Meaning::Fine | Meaning::ClientId | Meaning::Signature | Meaning::Plain => None,
    }
}

/// A code is what an authorization gives, never what asks for one.
fn code<'a>(value: &'a str, context: &Context) -> Option<Found<'a>> {
    if !shapes::is_token(value) {
        return None;
    }
    if context.is_authorization_request() {
        let sentence = "an authorization code has no place in the request for one";
        return Some(Found::new(F::AuthorizationCode, Warning, value, sentence));
    }
    let sentence =
        "beside a state it looks like an authorization code, which is exchanged for a token";
    context
        .is_authorization_response()
        .then(|| Found::new(F::AuthorizationCode, Unclear, value, sentence))
}

/// Tokens and keys that may as well name a flow, a page or a program.
fn ambiguous(value: &str) -> Option<Found<'_>> {
    if let Some(token) = shapes::jwt(value) {
        let sentence = "a JSON Web Token under such a name lets its holder in";
        return Some(Found::new(F::SignedToken, Warning, token.text, sentence));
    }
    let sentence = "it may be a credential, or only name what the page is about";
    shapes::is_random(value).then(|| Found::new(F::Credential, Unclear, value, sentence))
}

/// What the value itself says.
fn shaped(meaning: Meaning, value: &str) -> Option<Found<'_>> {
    let token = shapes::jwt(value).filter(|_| {
        // Signed requests and states are JSON Web Tokens by design.
        !matches!(meaning, Meaning::Fine | Meaning::TokenHint)
    });
    if let Some(token) = token {
        let (weight, sentence) = if token.has_subject {
            (Warning, "a JSON Web Token about someone lets its holder in")
        } else {
            (
                Unclear,
                "a JSON Web Token that names no one may be no credential",
            )
        };
        return Some(Found::new(F::SignedToken, weight, token.text, sentence));
    }
    let address = person::email(value)?;
    Some(Found::new(
        F::Email,
        Warning,
        address,
        "it is an e-mail address",
    ))
}
