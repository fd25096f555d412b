//! What the name of a parameter says about its value.

/// What a parameter holds, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// What protocols put into URLs by design, and what only sounds like a credential.
    Fine,
    /// What the client is called; programs are, not people.
    ClientId,
    /// A hint that OpenID Connect allows, with a token in it.
    TokenHint,
    /// A password.
    Password,
    /// A credential of this kind.
    Token(&'static str),
    /// The code that ends an authorization.
    Code,
    /// What signs its holder in, once.
    Login,
    /// A code to be typed once.
    OneTimeCode,
    /// A payment card's number.
    CardNumber,
    /// A payment card's verification value.
    CardCheck,
    /// A signature, of whatever.
    Signature,
    /// May be a credential, and as well an identifier or a handle.
    Ambiguous,
    /// A telephone number.
    Phone,
    /// A person's name.
    Person,
    /// A date of birth or an identity number.
    Identity,
    /// Nothing.
    Plain,
}

/// Names that end in these words, the first that fits: the harmless and the longer before the others.
/// A name of one word without separators fits when it is these words without spaces.
const MEANINGS: &[(&str, Meaning)] = &[
    // OAuth, OpenID Connect, SAML, the device flow, and our own.
    ("state", Meaning::Fine),
    ("nonce", Meaning::Fine),
    ("code challenge", Meaning::Fine),
    ("code challenge method", Meaning::Fine),
    ("login challenge", Meaning::Fine),
    ("consent challenge", Meaning::Fine),
    ("redirect uri", Meaning::Fine),
    ("response type", Meaning::Fine),
    ("response mode", Meaning::Fine),
    ("scope", Meaning::Fine),
    ("request", Meaning::Fine),
    ("request uri", Meaning::Fine),
    ("user code", Meaning::Fine),
    ("dpop jkt", Meaning::Fine),
    ("relay state", Meaning::Fine),
    ("elicitation id", Meaning::Fine),
    // OAuth 1.0: the request token, which only names the request.
    ("oauth token", Meaning::Fine),
    ("oauth signature", Meaning::Fine),
    ("client id", Meaning::ClientId),
    ("id token hint", Meaning::TokenHint),
    ("login hint token", Meaning::TokenHint),
    // What only sounds like a credential.
    ("page token", Meaning::Fine),
    ("continuation token", Meaning::Fine),
    ("sync token", Meaning::Fine),
    ("next token", Meaning::Fine),
    ("cursor token", Meaning::Fine),
    ("csrf token", Meaning::Fine),
    ("xsrf token", Meaning::Fine),
    ("public key", Meaning::Fine),
    ("publishable key", Meaning::Fine),
    ("site key", Meaning::Fine),
    ("idempotency key", Meaning::Fine),
    ("primary key", Meaning::Fine),
    ("issue key", Meaning::Fine),
    // What signs in, once.
    ("login token", Meaning::Login),
    ("signin token", Meaning::Login),
    ("sign in token", Meaning::Login),
    ("magic token", Meaning::Login),
    ("magic link token", Meaning::Login),
    ("magic link", Meaning::Login),
    ("magic", Meaning::Login),
    ("auto login", Meaning::Login),
    ("auto login token", Meaning::Login),
    ("one time token", Meaning::Login),
    ("reset token", Meaning::Login),
    ("reset password token", Meaning::Login),
    ("impersonation token", Meaning::Login),
    ("token hash", Meaning::Login),
    ("oob code", Meaning::Login),
    ("login code", Meaning::Login),
    ("one time password", Meaning::OneTimeCode),
    ("one time code", Meaning::OneTimeCode),
    ("otp", Meaning::OneTimeCode),
    ("otp code", Meaning::OneTimeCode),
    ("totp", Meaning::OneTimeCode),
    // Credentials.
    ("auth code", Meaning::Code),
    ("authorization code", Meaning::Code),
    ("access token", Meaning::Token("an access token")),
    ("refresh token", Meaning::Token("a refresh token")),
    ("id token", Meaning::Token("an ID token")),
    ("auth token", Meaning::Token("an authentication token")),
    (
        "authentication token",
        Meaning::Token("an authentication token"),
    ),
    (
        "authorization token",
        Meaning::Token("an authorization token"),
    ),
    ("bearer token", Meaning::Token("a bearer token")),
    ("bearer", Meaning::Token("a bearer token")),
    ("authorization", Meaning::Token("an authorization header")),
    ("session token", Meaning::Token("a session token")),
    ("security token", Meaning::Token("a security token")),
    ("subject token", Meaning::Token("a token")),
    ("actor token", Meaning::Token("a token")),
    ("api token", Meaning::Token("an API token")),
    ("private token", Meaning::Token("an API token")),
    ("deploy token", Meaning::Token("an API token")),
    ("service token", Meaning::Token("an API token")),
    ("api key", Meaning::Token("an API key")),
    ("api secret", Meaning::Token("an API key")),
    ("subscription key", Meaning::Token("an API key")),
    ("secret key", Meaning::Token("a secret key")),
    ("private key", Meaning::Token("a private key")),
    ("secret access key", Meaning::Token("a secret key")),
    ("encryption key", Meaning::Token("a secret key")),
    ("signing key", Meaning::Token("a secret key")),
    ("client secret", Meaning::Token("a client secret")),
    ("client assertion", Meaning::Token("a client assertion")),
    ("assertion", Meaning::Token("an assertion")),
    ("saml response", Meaning::Token("a SAML response")),
    (
        "code verifier",
        Meaning::Token("a PKCE verifier, which is to stay secret"),
    ),
    ("oauth verifier", Meaning::Token("a verifier")),
    ("token secret", Meaning::Token("a secret")),
    ("shared secret", Meaning::Token("a secret")),
    ("app secret", Meaning::Token("a secret")),
    ("consumer secret", Meaning::Token("a secret")),
    ("secret", Meaning::Token("a secret")),
    ("jsessionid", Meaning::Token("a session token")),
    ("phpsessid", Meaning::Token("a session token")),
    ("connect sid", Meaning::Token("a session token")),
    ("seed phrase", Meaning::Password),
    ("passphrase", Meaning::Password),
    ("password", Meaning::Password),
    ("passwd", Meaning::Password),
    ("passcode", Meaning::Password),
    ("pwd", Meaning::Password),
    ("card number", Meaning::CardNumber),
    ("cc number", Meaning::CardNumber),
    ("credit card", Meaning::CardNumber),
    ("card", Meaning::CardNumber),
    ("pan", Meaning::CardNumber),
    ("cvv", Meaning::CardCheck),
    ("cvc", Meaning::CardCheck),
    ("cvv2", Meaning::CardCheck),
    // What may be one.
    ("device code", Meaning::Ambiguous),
    ("sig", Meaning::Signature),
    ("signature", Meaning::Signature),
    ("hmac", Meaning::Signature),
    ("token", Meaning::Ambiguous),
    ("key", Meaning::Ambiguous),
    ("auth", Meaning::Ambiguous),
    ("pass", Meaning::Ambiguous),
    ("jwt", Meaning::Ambiguous),
    ("ticket", Meaning::Ambiguous),
    ("credential", Meaning::Ambiguous),
    ("credentials", Meaning::Ambiguous),
    ("session", Meaning::Ambiguous),
    ("session id", Meaning::Ambiguous),
    ("sid", Meaning::Ambiguous),
    ("cookie", Meaning::Ambiguous),
    // Persons.
    ("phone", Meaning::Phone),
    ("phone number", Meaning::Phone),
    ("mobile", Meaning::Phone),
    ("mobile number", Meaning::Phone),
    ("telephone", Meaning::Phone),
    ("tel", Meaning::Phone),
    ("msisdn", Meaning::Phone),
    ("login hint", Meaning::Phone),
    ("first name", Meaning::Person),
    ("last name", Meaning::Person),
    ("given name", Meaning::Person),
    ("family name", Meaning::Person),
    ("surname", Meaning::Person),
    ("full name", Meaning::Person),
    ("birth date", Meaning::Identity),
    ("birthday", Meaning::Identity),
    ("date of birth", Meaning::Identity),
    ("dob", Meaning::Identity),
    ("ssn", Meaning::Identity),
    ("social security number", Meaning::Identity),
    ("passport number", Meaning::Identity),
];

/// Names that are longer mean nothing.
const LONGEST: usize = 64;

/// What the name of a parameter says.
pub(super) fn meaning(name: &str) -> Meaning {
    if name.len() > LONGEST {
        return Meaning::Plain;
    }
    let words = words(name);
    let Some(last) = words.last() else {
        return Meaning::Plain;
    };
    // There are codes of countries, promotions and errors; alone, the word is OAuth's.
    if words == ["code"] {
        return Meaning::Code;
    }
    MEANINGS
        .iter()
        .find(|(phrase, _)| ends_with(&words, phrase) || is_joined(last, phrase))
        .map_or(Meaning::Plain, |(_, meaning)| *meaning)
}

/// The last words are these.
fn ends_with(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter().rev();
    phrase
        .rsplit(' ')
        .all(|expected| words.next().is_some_and(|word| word == expected))
}

/// The word is the phrase written without spaces.
fn is_joined(word: &str, phrase: &str) -> bool {
    let mut letters = word.bytes();
    phrase
        .bytes()
        .filter(|byte| *byte != b' ')
        .all(|letter| letters.next() == Some(letter))
        && letters.next().is_none()
}

/// The words of a name in lower case: `X-Api-Key`, `apiKey`, `APIKey` and `user[api_key]` all end in the same two.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_ascii_alphanumeric() {
            let next_is_lower = characters.peek().is_some_and(char::is_ascii_lowercase);
            let begins = character.is_ascii_uppercase()
                && (previous.is_ascii_lowercase()
                    || previous.is_ascii_digit()
                    || previous.is_ascii_uppercase() && next_is_lower);
            if begins {
                words.push(String::new());
            }
            // There is always a last word: the list begins with one.
            if let Some(word) = words.last_mut() {
                word.push(character.to_ascii_lowercase());
            }
        } else {
            words.push(String::new());
        }
        previous = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_every_case_style() {
        for name in [
            "api_key",
            "apiKey",
            "APIKey",
            "ApiKey",
            "X-Api-Key",
            "apikey",
            "google_apikey",
            "user[api_key]",
            "service.api-key",
            "API_KEY",
        ] {
            assert_eq!(meaning(name), Meaning::Token("an API key"), "{name}");
        }
    }

    #[test]
    fn names_end_in_what_they_mean() {
        for (name, means) in [
            ("password", Meaning::Password),
            ("user[password]", Meaning::Password),
            ("password_reset", Meaning::Plain),
            ("password_hint", Meaning::Plain),
            ("token_type", Meaning::Plain),
            ("secret_id", Meaning::Plain),
            ("keyword", Meaning::Plain),
            ("monkey", Meaning::Plain),
            ("valid_token", Meaning::Ambiguous),
            ("validtoken", Meaning::Plain),
            (
                "registration_access_token",
                Meaning::Token("an access token"),
            ),
            ("nextPageToken", Meaning::Fine),
            ("pagetoken", Meaning::Fine),
            ("oauth_token", Meaning::Fine),
            ("oauth_token_secret", Meaning::Token("a secret")),
            ("code_challenge", Meaning::Fine),
            (
                "code_verifier",
                Meaning::Token("a PKCE verifier, which is to stay secret"),
            ),
            ("code", Meaning::Code),
            ("countryCode", Meaning::Plain),
            ("user_code", Meaning::Fine),
            ("elicitationId", Meaning::Fine),
            ("", Meaning::Plain),
            ("---", Meaning::Plain),
        ] {
            assert_eq!(meaning(name), means, "{name}");
        }
    }

    #[test]
    fn the_longer_phrase_stands_before_the_shorter_one() {
        for (index, (phrase, meaning)) in MEANINGS.iter().enumerate() {
            let shadow = MEANINGS[..index].iter().find(|(earlier, other)| {
                other != meaning && format!(" {phrase}").ends_with(&format!(" {earlier}"))
            });
            assert_eq!(shadow, None, "{phrase} is never reached");
        }
    }
}
