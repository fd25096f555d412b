//! What the names of all parameters together say about single ones.

/// Schemes of signed URLs whose parameters share a prefix.
const SIGNED_PREFIXES: [&str; 4] = ["x-amz-", "x-goog-", "x-oss-", "x-tos-"];
/// Parameters that name the key of the signature beside them.
const KEY_NAMES: [&str; 4] = [
    "key-pair-id",
    "googleaccessid",
    "ossaccesskeyid",
    "awsaccesskeyid",
];
/// Longer names are of no interest here.
const LONGEST: usize = 32;

/// What kind of URL the parameters make.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Context {
    response_type: bool,
    client_id: bool,
    redirect_uri: bool,
    state: bool,
    /// The common prefix of a signed URL's parameters.
    prefix: Option<&'static str>,
    sig: bool,
    signature: bool,
    key_name: bool,
    sas_version: bool,
    sas_grant: bool,
    expires: bool,
    saml: bool,
}

impl Context {
    /// Reads the names.
    pub(super) fn of(names: impl Iterator<Item = impl AsRef<str>>) -> Self {
        let mut context = Self::default();
        for name in names {
            let name = name.as_ref();
            if name.len() <= LONGEST {
                context.learn(&name.to_ascii_lowercase());
            }
        }
        context
    }

    fn learn(&mut self, name: &str) {
        match name {
            "response_type" => self.response_type = true,
            "client_id" => self.client_id = true,
            "redirect_uri" => self.redirect_uri = true,
            "state" => self.state = true,
            "sig" => self.sig = true,
            "signature" => self.signature = true,
            "sv" => self.sas_version = true,
            "se" | "sp" | "sr" => self.sas_grant = true,
            "expires" | "expires_at" | "expiry" | "exp" => self.expires = true,
            "samlrequest" => self.saml = true,
            name if KEY_NAMES.contains(&name) => self.key_name = true,
            name => {
                let prefix = SIGNED_PREFIXES
                    .iter()
                    .find(|prefix| name.strip_prefix(**prefix) == Some("signature"));
                self.prefix = self.prefix.or(prefix.copied());
            }
        }
    }

    /// An OAuth authorization request.
    pub(super) fn is_authorization_request(&self) -> bool {
        self.response_type || self.client_id && self.redirect_uri
    }

    /// The answer to an OAuth authorization request.
    pub(super) fn is_authorization_response(&self) -> bool {
        self.state && !self.is_authorization_request()
    }

    /// The parameter belongs to the signature of a storage service, but is not the signature itself.
    pub(super) fn is_beside_signature(&self, name: &str) -> bool {
        self.prefix.is_some_and(|prefix| {
            let start = name.get(..prefix.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
                && !self.is_signature(name)
        })
    }

    /// The parameter is the signature of a storage service or of a delivery network.
    pub(super) fn is_signature(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let prefixed = self
            .prefix
            .is_some_and(|prefix| name.strip_prefix(prefix) == Some("signature"));
        prefixed
            || name == "sig" && self.sig && self.sas_version && self.sas_grant
            || name == "signature" && self.signature && self.key_name
    }

    /// The parameters look signed, and to be good for a while. Requests of SAML are signed too, and give nothing.
    pub(super) fn is_temporary(&self) -> bool {
        self.expires && !self.saml
    }
}
