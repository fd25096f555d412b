//! ELICIT-SECRET.

use crate::table::{holds, holds_with};

/// A form with one property, which nobody handed over.
const ONE: &str = r#"opened | prompt 2 /hold | form 5 {"type":"object","properties":{$}}"#;

#[test]
fn a_form_asks_for_no_password_and_no_recovery_code() {
    let id = "ACP-ELICIT-SECRET-001";
    holds_with(
        id,
        ONE,
        r#"
            broken  "password":{"type":"string"}
            broken  "dbPassword":{"type":"string","minLength":8}
            broken  "SSH_PASSPHRASE":{"type":"string"}
            broken  "value":{"type":"string","title":"Recovery code"}
            broken  "wert":{"type":"string","title":"Passwort"}
            broken  "a":{"type":"string","title":"Contraseña"}
            broken  "a":{"type":"string","title":"パスワード"}
            broken  "name":{"type":"string"},"password":{"type":"string"}
            unclear "pin":{"type":"string"}
            unclear "otp":{"type":"string","title":"One-time code"}
            unclear "password":{"type":"integer"}
            upheld  "password":{"type":"boolean"}
            upheld  "password":{"type":"string","enum":["keep","change"]}
            upheld  "passwordPolicyLength":{"type":"string"}
            upheld  "passwordManager":{"type":"string","title":"Which password manager do you use?"}
            upheld  "name":{"type":"string"}
            upheld  "email":{"type":"string","format":"email"}
            upheld  "username":{"type":"string"}
            upheld  "api_key":{"type":"string"}
            upheld  "maxTokens":{"type":"integer"}
            "#,
    );
    holds(
        id,
        "opened",
        r#"
            unclear only the message asks :: + prompt 2 /hold | create 5 {"sessionId":"s","mode":"form","message":"What is your password?","requestedSchema":{"type":"object","properties":{"answer":{"type":"string"}}}}
            unclear the prompt handed it over :: + prompt 2 /elicit form {"type":"object","properties":{"password":{"type":"string"}}} | form 5 {"type":"object","properties":{"password":{"type":"string"}}}
            broken  the prompt handed over something else :: + prompt 2 /elicit form {"type":"object","properties":{"name":{"type":"string"}}} | form 5 {"type":"object","properties":{"name":{"type":"string"},"password":{"type":"string"}}}
            broken  the user spoke of a password :: + prompt 2 /hold my password | form 5 {"type":"object","properties":{"password":{"type":"string"}}}
            silent  it is judged as the need of a secret :: + prompt 2 /elicit secret password | form 5 {"type":"object","properties":{"password":{"type":"string"}}}
            silent  a page :: + prompt 2 /hold | url 5
            silent  no property :: + prompt 2 /hold | form 5 {"type":"object","properties":{}}
            silent  no form at all :: + prompt 2 /hold | create 5 {"sessionId":"s","mode":"form","message":"password"}
            "#,
    );
}

#[test]
fn a_form_asks_for_no_key_and_no_token() {
    holds_with(
        "ACP-ELICIT-SECRET-002",
        ONE,
        r#"
            broken  "api_key":{"type":"string"}
            broken  "OPENAI_API_KEY":{"type":"string"}
            broken  "apiKey":{"type":"string"}
            broken  "refreshToken":{"type":"string"}
            broken  "key":{"type":"string","title":"Private key"}
            broken  "a":{"type":"string","title":"API-Schlüssel"}
            broken  "words":{"type":"string","title":"Seed phrase"}
            unclear "key":{"type":"string","title":"Key","description":"The API key of the service"}
            upheld  "apiKeyName":{"type":"string"}
            upheld  "privateKeyPath":{"type":"string"}
            upheld  "primaryKey":{"type":"string"}
            upheld  "publicKeyFingerprint":{"type":"string"}
            upheld  "maxTokens":{"type":"string"}
            upheld  "tokenizer":{"type":"string"}
            upheld  "tokenBudget":{"type":"integer"}
            upheld  "shortcut":{"type":"string","title":"Keyboard shortcut"}
            upheld  "password":{"type":"string"}
            "#,
    );
}

#[test]
fn a_form_asks_for_no_payment_credentials() {
    holds_with(
        "ACP-ELICIT-SECRET-003",
        ONE,
        r#"
            broken  "card_number":{"type":"string"}
            broken  "cvv":{"type":"string"}
            broken  "nummer":{"type":"string","title":"Kreditkartennummer"}
            unclear "cvc":{"type":"integer"}
            unclear "iban":{"type":"string"}
            upheld  "invoiceNumber":{"type":"string"}
            upheld  "billingAddress":{"type":"string"}
            upheld  "postcode":{"type":"string"}
            upheld  "colour":{"type":"string","title":"Colour code"}
            upheld  "cardsPerRow":{"type":"integer"}
            "#,
    );
}

const PASSWORD: &str = r#"{"type":"object","properties":{"password":{"type":"string"}}}"#;

#[test]
fn a_secret_is_asked_for_on_a_page_where_there_are_pages() {
    let id = "ACP-ELICIT-SECRET-005";
    holds(
        id,
        "elicits /elicit secret in url | opened | prompt 2 /elicit secret API key",
        &format!(
            r#"
            upheld  a page :: + url 5
            broken  a form :: + form 5 {PASSWORD}
            unclear a form that may ask for it :: + form 5 {{"type":"object","properties":{{"pin":{{"type":"string"}}}}}}
            silent  a form about which account it is, so far :: + form 5 {{"type":"object","properties":{{"account":{{"type":"string"}}}}}}
            upheld  and then a page :: + form 5 {{"type":"object","properties":{{"account":{{"type":"string"}}}}}} | accept 5 {{"account":"a"}} | url 6
            upheld  another flow :: + says Run `example login` in a terminal. | done 2
            silent  it has no pages, it says :: + says unavailable | done 2
            silent  cancelled :: + cancelled | stops 2 cancelled
            "#
        ),
    );
    holds(
        id,
        "opened",
        &format!(
            r#"
            silent  it does not know the command :: + prompt 2 /elicit secret API key | says What do you mean? | done 2
            silent  another turn :: + prompt 2 /elicit form | form 5 {PASSWORD}
            silent  only forms :: opened {{"form":{{}}}} | prompt 2 /elicit secret API key | form 5 {PASSWORD}
            "#
        ),
    );
}

#[test]
fn no_page_is_no_reason_for_a_form() {
    holds(
        "ACP-ELICIT-SECRET-006",
        r#"elicits /elicit secret in url | opened {"form":{}} | prompt 2 /elicit secret API key"#,
        &format!(
            r#"
            upheld  it cannot :: + says unavailable | done 2
            upheld  another flow :: + says Set EXAMPLE_API_KEY and start me again. | done 2
            upheld  it fails :: + fails 2 -32000
            upheld  it asks for something else :: + form 5 {{"type":"object","properties":{{"goOn":{{"type":"boolean"}}}}}} | accept 5 {{"goOn":false}} | says skipped | done 2
            broken  a form :: + form 5 {PASSWORD}
            unclear a form that may ask for it :: + form 5 {{"type":"object","properties":{{"pin":{{"type":"string"}}}}}} | cancel 5 | done 2
            silent  cancelled :: + cancelled | stops 2 cancelled
            silent  nobody knows what it does otherwise :: opened {{"form":{{}}}} | prompt 2 /elicit secret API key | says unavailable | done 2
            silent  there are pages :: elicits /elicit secret in url | opened | prompt 2 /elicit secret API key | form 5 {PASSWORD}
            silent  no elicitation at all :: elicits /elicit secret in url | opened absent | prompt 2 /elicit secret API key | says unavailable | done 2
            "#
        ),
    );
}

#[test]
fn without_pages_the_work_ends_and_no_chat_asks() {
    holds(
        "ACP-ELICIT-SECRET-007",
        r#"elicits /elicit secret in url | opened {"form":{}} | prompt 2 /elicit secret API key"#,
        r"
            upheld  it cannot :: + says unavailable | done 2
            upheld  another flow :: + says Set EXAMPLE_API_KEY in the environment, or run `example login`. | done 2
            upheld  it fails :: + fails 2 -32000
            upheld  it takes long :: + says Let me see. | says \nNo way. | done 2
            broken  it never ends :: + turn-deadline 2
            unclear it asks in the chat :: + says Please paste your API key here. | done 2
            silent  cancelled :: + cancelled | stops 2 cancelled
            unclear it waits for us :: + form 5 | turn-deadline 2
            upheld  nothing at all is supported :: elicits /elicit secret in url | opened absent | prompt 2 /elicit secret API key | says unavailable | done 2
            silent  there are pages :: elicits /elicit secret in url | opened | prompt 2 /elicit secret API key | turn-deadline 2
            silent  it does not know the command :: opened absent | prompt 2 /elicit secret API key | turn-deadline 2
            ",
    );
}

#[test]
fn what_was_typed_into_a_page_stays_there() {
    holds(
        "ACP-ELICIT-SECRET-008",
        "opened | prompt 2 /elicit secret API key | url 5 | visit 5",
        r#"
            upheld  it stays :: + typed 5 | accept 5 | says elicited accept | done 2 | settles "f"
            broken  raw :: + typed 5 | accept 5 | says elicited accept [redacted] | leak typed raw | done 2 | settles "f"
            broken  before we knew that it has it :: + says [redacted] | leak typed in base64 | typed 5 | settles "f"
            broken  in a URL :: + typed 5 | accept 5 | url 6 | leak-in-url typed percent-encoded
            unclear the trace ends :: + typed 5
            silent  nobody typed :: + accept 5 | says elicited accept | done 2 | settles "f"
            silent  the environment is another matter :: + says [redacted] | leak credential raw
            "#,
    );
}
