//! Names of members that hold credentials.

/// How credential-like names end, in lower case and without `_` and `-`: `dbPassword`,
/// `OPENAI_API_KEY` and `set-cookie` do.
const CREDENTIALS: [&str; 19] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "token",
    "jwt",
    "bearer",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "signingkey",
    "encryptionkey",
    "authorization",
    "credential",
    "credentials",
    "cookie",
];

/// How names end that only look like it: they name a place in a conversation and open no door.
const HARMLESS: [&str; 9] = [
    "progresstoken",
    "pagetoken",
    "nexttoken",
    "continuationtoken",
    "synctoken",
    "stoptoken",
    "canceltoken",
    "cancellationtoken",
    "workdonetoken",
];

/// Whether a member of this name holds a credential.
pub(super) fn is_credential(name: &[u8]) -> bool {
    CREDENTIALS.iter().any(|ending| ends(name, ending))
        && !HARMLESS.iter().any(|ending| ends(name, ending))
}

/// Whether the name ends so, read without case, `_` and `-`.
fn ends(name: &[u8], ending: &str) -> bool {
    let mut letters = name
        .iter()
        .rev()
        .filter(|byte| !matches!(byte, b'_' | b'-'))
        .map(u8::to_ascii_lowercase);
    ending
        .bytes()
        .rev()
        .all(|letter| letters.next() == Some(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_by_their_end() {
        for name in [
            "password",
            "Passwd",
            "secret",
            "token",
            "access_token",
            "refreshToken",
            "apiKey",
            "api_key",
            "X-Api-Key",
            "OPENAI_API_KEY",
            "authorization",
            "Proxy-Authorization",
            "private_key",
            "Set-Cookie",
            "db password",
            "clientSecret",
        ] {
            assert!(is_credential(name.as_bytes()), "{name}");
        }
        for name in [
            "maxTokens",
            "tokenBudget",
            "progressToken",
            "progress_token",
            "nextPageToken",
            "inputTokens",
            "idempotencyKey",
            "key",
            "passwordHint",
            "sessionId",
            "elicitationId",
            "",
            "ecret",
            "[redacted]",
        ] {
            assert!(!is_credential(name.as_bytes()), "{name}");
        }
    }
}
